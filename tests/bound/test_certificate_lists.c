/*
 * Certificates of what lists and their cases prove: the checker accepts those that are made, on any
 * number of threads, and whatever lists, splits and sweeps a file has, it proves no more than the
 * optimum.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpube/bound/pairwise/relation_cases.h"
#include "gpube/simplify/exclusive.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/certificates.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

/* Seeds of the certificates that are kept: those of test_certificate.c are below. */
enum { N_LISTS = 60, N_CASES = 120, SCARCE = 5, FIRST_KEPT = 1000 };

static int n_lists; /* that prove the optimum */
static int n_sets;  /* with a list of each set of which one holds */
static int n_split; /* with several leaves */

static int setup(void **state)
{
	(void)state;
	test_make_dir(dir);
	return ctx_open(1, 0);
}

static int64_t best_of(const struct gpube_model *m, const struct brute *brute)
{
	return !brute->feasible                 ? 1000
	       : m->direction == GPUBE_MAXIMISE ? -brute->cost
						: brute->cost;
}

/* A certificate without a proof. */
static void begin(struct gpube_certificate *c, const struct gpube_model *m, int64_t limit)
{
	*c = (struct gpube_certificate){.ctx = ctx,
		.n_vars = m->n_vars,
		.n_functions = m->n_functions,
		.scale = m->scale,
		.cap = gpube__cap_for(m, limit),
		.bound = limit};
	c->domain = gpube__alloc(ctx, (uint64_t)m->n_vars + 1, sizeof(*c->domain));
	assert_non_null(c->domain);
	for (int32_t i = 0; i < m->n_vars; i++)
		c->domain[i] = m->vars[i].domain;
	c->stages.limit = limit;
	assert_int_equal(gpube__certificate_case(c), 0);
}

/* Variables, each once. */
static int32_t draw_scope(
	const struct gpube_certificate *c, struct gpube_rng *rng, int32_t most, int32_t *scope)
{
	int32_t arity = 0;

	while (arity < most && arity < c->n_vars) {
		const int32_t var = (int32_t)gpube__rng_below(rng, (uint64_t)c->n_vars);
		bool there = false;

		for (int32_t i = 0; i < arity; i++)
			there |= scope[i] == var;
		scope[arity] = var;
		arity += !there;
	}
	return arity;
}

/* Stages of any lists, of which any variables leave. */
static void draw_stages(struct gpube_certificate *c, int32_t of, struct gpube_rng *rng)
{
	const int n = (of == 0) + (int)gpube__rng_below(rng, 4);

	for (int k = 0; k < n; k++) {
		const int n_new = (int)gpube__rng_below(rng, 6);

		assert_int_equal(
			gpube__certificate_stage(c, of, (int32_t)gpube__rng_below(rng, 7)), 0);
		for (int j = 0; j < n_new; j++) {
			int32_t scope[5];
			const int32_t arity =
				draw_scope(c, rng, 1 + (int32_t)gpube__rng_below(rng, 5), scope);

			assert_int_equal(
				gpube__certificate_list(c, of, arity,
					gpube__rng_below(rng, 4) ? 0
								 : (int32_t)gpube__rng_below(rng,
									   (uint64_t)arity + 1),
					scope),
				0);
		}
	}
}

/* Any splits, also of values that are gone and of variables twice. */
static void draw_cases(struct gpube_certificate *c, struct gpube_rng *rng)
{
	const int n_splits = (int)gpube__rng_below(rng, 6);

	for (int k = 0; k < n_splits && c->n_vars; k++) {
		const int32_t of = (int32_t)gpube__rng_below(rng, (uint64_t)c->stages.n),
			      n = 1 + (int32_t)gpube__rng_below(rng, 3);
		int32_t split[6];

		if (c->stages.cases[of].n_split)
			continue;
		for (int32_t j = 0; j < n; j++) {
			split[j] = (int32_t)gpube__rng_below(rng, (uint64_t)c->n_vars);
			split[n + j] =
				(int32_t)gpube__rng_below(rng, (uint64_t)c->domain[split[j]]);
		}
		assert_int_equal(gpube__certificate_part(c, of, n, split), 0);
	}
	for (int32_t k = 1; k < c->stages.n; k++)
		draw_stages(c, k, rng);
}

/* Whatever lists there are, however costs are scaled and cut, up to the most that sums may have: no
 * more is proved than there is. */
static void forge_lists(const struct gpube_model *m, int64_t best, uint64_t seed)
{
	struct gpube_certificate c;
	struct gpube_rng rng;
	int64_t proved;

	gpube__rng_init(&rng, seed);
	for (int k = 0; k < 12; k++) {
		const bool far = gpube__rng_below(&rng, 3) ==
				 0; /* what is forbidden costs nearly 2^61 then */

		begin(&c, m,
			best + (far ? ((int64_t)1 << 21) - 100
				    : 1 + (int64_t)gpube__rng_below(&rng, 3)));
		draw_stages(&c, 0, &rng);
		if (k % 2)
			draw_cases(&c, &rng);
		c.shift = far ? 40 : (int)gpube__rng_below(&rng, 6);
		/* the format has no cap below 0, where the best total may be */
		c.cap = far ? (best > 0 ? best : 0) + ((int64_t)1 << 20) : c.cap;
		if (gpube__rng_below(&rng, 3) == 0)
			c.cap = (int64_t)gpube__rng_below(&rng, (uint64_t)c.cap + 1);
		ctx->n_threads = 1 + k % 3;
		if (gpube__certificate_proves(&proved, &c, m) == 0)
			assert_true(proved <= best);
		ctx->n_threads = 1;
		gpube__certificate_clear(&c);
	}
}

/* Sets of Boolean variables of which one is 1 at most: each set is one variable where lists are
 * found. */
static struct gpube_model *exclusive(uint64_t seed)
{
	const int32_t n = 18, size = 3; /* one set has too many others to be eliminated */
	struct gpube_model *m;
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int32_t i = 0; i < n; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int32_t i = 0; i < n; i++) {
		const int64_t own[] = {1 + (int64_t)gpube__rng_below(&rng, 9), 0};

		assert_int_equal(gpube_model_add_costs(m, 1, &i, own), 0);
		for (int32_t j = 0; j < i; j++) {
			int64_t costs[] = {(int64_t)gpube__rng_below(&rng, 4), 0, 0,
				(int64_t)gpube__rng_below(&rng, 9)};

			if (i / size == j / size)
				costs[3] = GPUBE_INF;
			assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){j, i}, costs), 0);
		}
	}
	return m;
}

/* What the notes say, or nothing, and what it lacks: 'limit' is the claim. */
static int make_of(struct gpube_certificate *c, struct gpube_certificate *notes,
	const struct gpube_model *m, int64_t limit)
{
	begin(c, m, limit);
	if (notes->stages.n) {
		gpube__certificate_unstage(c);
		gpube__free(m->ctx, c->stages.cases);
		c->stages = notes->stages;
		notes->stages = (struct gpube_proof_stages){0};
		c->stages.limit = limit;
	}
	c->stages.split = GPUBE_SPLIT_FIRST; /* whatever is open */
	return gpube__certificate_mend(c, m);
}

/* By lists that grow, as the method. */
static void make_lists(struct gpube_certificate *c, const struct gpube_model *m, int64_t limit)
{
	struct gpube_opts opts = {.method = GPUBE_BOUND_PAIRWISE};
	struct gpube_certificate notes;
	struct gpube_solution *known;

	assert_int_equal(gpube__bound_noted(&known, &notes, m, &opts), 0);
	assert_int_equal(make_of(c, &notes, m, limit), 0);
	gpube__certificate_clear(&notes);
	gpube_result_free(known);
}

/* There and back, on one thread and on several; more than it proves is refused. */
static void check_made(
	struct gpube_certificate *c, const struct gpube_model *m, bool is_optimum, uint64_t kept)
{
	struct gpube_certificate again;

	assert_int_equal(gpube__certificate_write(c, in_dir("lists.gz")), 0);
	assert_int_equal(gpube__certificate_read(&again, ctx, in_dir("lists.gz")), 0);
	for (ctx->n_threads = 1; ctx->n_threads < 4; ctx->n_threads++)
		assert_int_equal(gpube__certificate_check(&again, m), 0);
	ctx->n_threads = 1;
	certificate_keep(&again, m, kept);
	if (is_optimum)
		certificate_tamper(&again.bound, 1, &again, m);
	again.bound--; /* less than it proves is true, too */
	assert_int_equal(gpube__certificate_check(&again, m), 0);
	gpube__certificate_clear(&again);
}

static struct gpube_model *model_for_lists(uint64_t seed, const struct random_spec *spec)
{
	if (seed % 12 == 2)
		return exclusive(seed);
	return seed % 2 ? all_pairs(ctx, seed) : random_model(ctx, spec, seed);
}

static void by_lists(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_certificate c;
	struct gpube_model *m;
	struct brute brute;
	int64_t best;

	spec.observed = 0;
	m = model_for_lists(seed, &spec);
	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	best = best_of(m, &brute);
	make_lists(&c, m, best);
	assert_true(c.bound <= best);
	n_lists += c.bound == best;
	check_made(&c, m, brute.feasible, FIRST_KEPT + seed);
	gpube__certificate_clear(&c);
	if (brute.feasible) {
		make_lists(&c, m, best + 1); /* what is not so */
		assert_true(c.bound <= best);
		c.bound = best + 1;
		assert_int_equal(gpube__certificate_check(&c, m), GPUBE_EINVAL);
		gpube__certificate_clear(&c);
		forge_lists(m, best, seed);
	}
	gpube_model_free(m);
}

static void some_were_lists(void **state)
{
	(void)state;
	assert_true(n_lists > N_LISTS / 2);
}

/* ---- cases -------------------------------------------------------------------------------------
 */

/* Short lists of all variables, which leave much open; false: the model is not for it, or memory is
 * refused. */
static bool begin_cases(struct gpube_bounder *b, int64_t most, int *status)
{
	struct gpube_relations *first, *l = NULL;
	struct gpube_pairwise_run *s;

	*status = gpube__pairwise_run_new(b);
	s = b->state.pairwise;
	if (*status || !s->relations)
		return false;
	gpube__relations_free(s->relations);
	s->relations = NULL;
	*status = gpube__relations_new(&first, s->m, gpube__tables_cutoff(b));
	if (*status || !first)
		return false;
	s->relations = first;
	*status = gpube__notes_begin(s);
	s->relations = NULL;
	if (*status) {
		gpube__relations_free(first);
		return false;
	}
	*status = gpube__relations_grow(&l, first, s->m, most);
	s->relations = l ? l : first;
	if (l)
		gpube__relations_free(first);
	if (!*status && l)
		*status = gpube__notes_relations(s, 0, l);
	return !*status;
}

/* The notes of a model that is split as early as can be. */
static int note_cases(struct gpube_certificate *notes, struct gpube_model *m, uint64_t seed)
{
	const struct gpube_case_rules rules = {.slow = seed % 3 ? 1 : 0.1,
		.most_windows = 1 + (int)(seed % 2),
		.probes = (int)(seed % 5),
		.judged = (int)(seed % 2),
		.progress = 2}; /* of longer lists on the way */
	struct gpube_simplified s, joined;
	struct gpube_bounder b;
	bool any = false;
	int status = gpube__simplify(&s, m, true);

	*notes = (struct gpube_certificate){.ctx = m->ctx};
	if (!status && !s.infeasible && s.model->n_vars > 1)
		status = gpube__join_exclusive(&joined, &s, &any);
	if (any) {
		gpube__simplified_clear(m->ctx, &s);
		s = joined;
	}
	if (!status && !s.infeasible) {
		begin_bounder(&b, &s, m, seed);
		b.told.notes = notes;
		if (begin_cases(&b, (int64_t)8 << seed % 4, &status)) {
			b.state.pairwise->turn = gpube__budget(m->ctx, INFINITY);
			status = gpube__pairwise_run_cases(b.state.pairwise, &rules);
		}
		gpube__notes_end(b.state.pairwise);
		gpube__pairwise_run_free(b.state.pairwise);
		end_bounder(&b);
	}
	gpube__simplified_clear(m->ctx, &s);
	return status;
}

/* What is split is so before it is swept, which would close most of it. */
static void leave_open(struct gpube_certificate *notes)
{
	for (int32_t k = 0; k < notes->stages.n; k++)
		for (int32_t j = 0;
			notes->stages.cases[k].n_split && j < notes->stages.cases[k].n_stages; j++)
			notes->stages.cases[k].stages[j].n_sweeps = 0;
}

/* One of its numbers is another: what it proves then is not more than there is. */
static void change(struct gpube_certificate *c, const struct gpube_model *m, int64_t best,
	struct gpube_rng *rng)
{
	struct gpube_proof_case *of =
		&c->stages.cases[gpube__rng_below(rng, (uint64_t)c->stages.n)];
	const struct gpube_proof_case old = *of;
	int64_t proved;

	switch (gpube__rng_below(rng, 5)) {
	case 0: /* a leaf */
		of->n_split = 0;
		break;
	case 1: /* the children change places */
		of->child[0] = old.child[1];
		of->child[1] = old.child[0];
		break;
	case 2: /* the first one again in the place of the second */
		of->child[1] = of->child[0];
		break;
	case 3: /* fewer stages, or another sweep's number */
		of->n_stages -= of->n_stages > 0;
		break;
	default: /* other stages */
		of->stages = NULL;
		of->n_stages = 0;
	}
	ctx->n_threads = 1 + (int)gpube__rng_below(rng, 3);
	if (gpube__certificate_proves(&proved, c, m) == 0)
		assert_true(proved <= best);
	ctx->n_threads = 1;
	of = &c->stages.cases[of - c->stages.cases];
	*of = old;
}

/* Another variable, or value, in a split. */
static void change_split(struct gpube_certificate *c, const struct gpube_model *m, int64_t best,
	struct gpube_rng *rng)
{
	struct gpube_proof_case *of =
		&c->stages.cases[gpube__rng_below(rng, (uint64_t)c->stages.n)];
	int32_t var, value;
	int64_t proved;

	if (!of->n_split)
		return;
	var = of->split[0];
	value = of->split[of->n_split];
	of->split[0] = (int32_t)gpube__rng_below(rng, (uint64_t)c->n_vars);
	of->split[of->n_split] = (int32_t)gpube__rng_below(rng, (uint64_t)c->domain[of->split[0]]);
	if (gpube__certificate_proves(&proved, c, m) == 0)
		assert_true(proved <= best);
	of->split[0] = var;
	of->split[of->n_split] = value;
}

/* The file without its end, or with a word more, is none. */
static void cut_off(const struct gpube_certificate *c, struct gpube_rng *rng)
{
	struct gpube_certificate again;
	size_t size;
	char *text;

	assert_int_equal(gpube__certificate_write(c, in_dir("whole")), 0);
	text = test_get(in_dir("whole"), &size);
	assert_non_null(text);
	for (int k = 0; k < 8; k++) {
		test_put(in_dir("cut"), text,
			k ? (size_t)gpube__rng_below(rng, size - 3) : size - 3);
		assert_int_not_equal(gpube__certificate_read(&again, ctx, in_dir("cut")), 0);
	}
	text[size - 1] = '1'; /* the last leaf's end */
	test_put(in_dir("cut"), text, size);
	assert_int_not_equal(gpube__certificate_read(&again, ctx, in_dir("cut")), 0);
	free(text);
}

/* Split as early as can be, on one thread and on several: the proof is done again, whoever did
 * what. */
static void by_cases(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_many_neighbours(seed);
	struct gpube_certificate c, notes;
	struct gpube_model *m;
	struct gpube_rng rng;
	struct brute brute;
	int64_t best;

	m = seed % 10 == 3  ? exclusive(seed)
	    : seed % 5 == 1 ? all_pairs(ctx, seed)
			    : random_model(ctx, &spec, seed);
	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	best = best_of(m, &brute);
	ctx->n_threads = 1 + (int)(seed % 3);
	assert_int_equal(note_cases(&notes, m, seed), 0);
	n_sets += notes.stages.n && notes.stages.cases[0].stages[0].n_lists == 6 &&
		  notes.stages.cases[0].stages[0].lists[0].arity == 3;
	leave_open(&notes);
	assert_int_equal(make_of(&c, &notes, m, best), 0);
	ctx->n_threads = 1;
	assert_int_equal(c.bound, best);
	n_split += c.stages.cases[0].n_split > 0;
	check_made(&c, m, brute.feasible, FIRST_KEPT + N_LISTS + seed);
	gpube__rng_init(&rng, seed);
	cut_off(&c, &rng);
	for (int k = 0; k < 10 && brute.feasible; k++) {
		c.stages.limit = c.bound = best + k % 2; /* the next unit, too */
		change(&c, m, best, &rng);
		change_split(&c, m, best, &rng);
	}
	gpube__certificate_clear(&c);
	gpube__certificate_clear(&notes);
	gpube_model_free(m);
}

static void some_had_cases(void **state)
{
	(void)state;
	assert_true(n_split > N_CASES / 4);
	assert_true(n_sets >= N_CASES / 20);
}

/* A list that is noted, and too long by the certificate's own costs, ends with fewer variables. */
static void too_long(void **state)
{
	enum { N = 18 };
	const int64_t costs[] = {0, 1};
	struct gpube_certificate c;
	struct gpube_model *m;
	int32_t scope[N];

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int32_t i = 0; i < N; i++) {
		scope[i] = i;
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
		assert_int_equal(gpube_model_add_costs(m, 1, &i, costs), 0);
	}
	begin(&c, m, N + 1); /* so that nothing is ruled out */
	c.stages.cases[0].open = true;
	assert_int_equal(gpube__certificate_stage(&c, 0, 2), 0);
	assert_int_equal(gpube__certificate_list(&c, 0, N, 0, scope), 0);
	assert_int_equal(gpube__certificate_mend(&c, m), 0);
	assert_int_equal(c.bound, 0);
	assert_in_range(c.stages.cases[0].stages[0].lists[0].arity, 1, N - 1);
	assert_int_equal(gpube__certificate_check(&c, m), 0);
	gpube__certificate_clear(&c);
	gpube_model_free(m);
}

/* What is drawn, from its file: mended, written again, and checked. */
static int certify_scarcely(struct gpube_ctx *c, struct gpube_model *m, const void *path)
{
	struct gpube_certificate certificate;
	char to[300];
	int status = gpube__certificate_read(&certificate, c, path);

	snprintf(to, sizeof(to), "%s.mended", (const char *)path);
	if (!status)
		status = gpube__certificate_mend(&certificate, m);
	if (!status)
		status = gpube__certificate_write(&certificate, to);
	gpube__certificate_clear(&certificate);
	if (!status)
		status = gpube__certificate_read(&certificate, c, to);
	if (!status)
		status = gpube__certificate_check(&certificate, m);
	gpube__certificate_clear(&certificate);
	return status;
}

/* Wherever memory runs out: a status, and everything is given back. */
static void out_of_memory(void **state)
{
	const struct random_spec spec = random_spec_default();
	struct gpube_model *m = random_model(ctx, &spec, SCARCE);
	struct gpube_certificate c;
	struct gpube_rng rng;
	struct brute brute;

	(void)state;
	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	gpube__rng_init(&rng, 1);
	begin(&c, m, best_of(m, &brute));
	draw_cases(&c, &rng);
	assert_true(c.stages.n > 2);
	assert_int_equal(gpube__certificate_write(&c, in_dir("scarce")), 0);
	gpube__certificate_clear(&c);
	gpube_model_free(m);
	fail_on_random_model(certify_scarcely, in_dir("scarce"), SCARCE, 20);
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, by_lists, N_LISTS, "by lists, seed");
	ADD_CASE(&c, some_were_lists);
	add_seeds(&c, by_cases, N_CASES, "by cases, seed");
	ADD_CASE(&c, some_had_cases);
	ADD_CASE(&c, too_long);
	ADD_CASE(&c, out_of_memory);
	return run_cases(&c, "certificate_lists", setup, ctx_dir_teardown);
}
