/*
 * Certificates: what they claim is never above the optimum, the checker accepts
 * them after a trip through a file, and refuses every one that was changed.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <stdio.h>

#include "gpube/bound/certificate/certificate.h"
#include "gpube/ir/dense.h"
#include "tests/support/cases.h"
#include "tests/support/certificates.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 150, N_SPLIT = 60, N_SEARCHES = 60 };

static int n_trees;    /* of cases */
static int n_searches; /* that prove more than their tables' least numbers */

static int setup(void **state)
{
	(void)state;
	test_make_dir(dir);
	return ctx_open(1, 0);
}

/* The relaxed problem: no assignment costs more, and none that counts less where nothing is cut. */
static void check_relaxed(const struct gpube_model *m, int64_t cap)
{
	struct gpube_model *relaxed;
	int32_t *values = gpube__alloc_zero(ctx, (uint64_t)m->n_vars, sizeof(*values));

	assert_int_equal(gpube__relaxed(&relaxed, m, cap), 0);
	do {
		int64_t cost, less;

		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		assert_int_equal(gpube_model_cost(&less, relaxed, values), 0);
		assert_true(less < GPUBE_INF);
		if (cost != GPUBE_INF)
			assert_true(less <= (m->direction == GPUBE_MAXIMISE ? -cost : cost));
	} while (next_assignment(values, m));
	gpube_model_free(relaxed);
	gpube__free(ctx, values);
}

static void tamper_all(struct gpube_certificate *c, const struct gpube_model *m, uint64_t seed)
{
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	certificate_tamper(&c->bound, 1, c, m);
	c->bound--; /* less than it proves is true, too */
	assert_int_equal(gpube__certificate_check(c, m), 0);
	c->bound++;
	if (!c->stages.n && !c->cycles.n)
		certificate_tamper(&c->constant, (int64_t)1 << c->shift, c, m);
	for (int k = 0; k < 8 && c->n_tables; k++) {
		struct gpube_proof_table *t =
			&c->tables[gpube__rng_below(&rng, (uint64_t)c->n_tables)];
		int64_t at = (int64_t)gpube__rng_below(&rng, (uint64_t)t->n);

		certificate_tamper(&t->values[at], 1 + (int64_t)gpube__rng_below(&rng, 9), c, m);
		certificate_tamper(&t->values[at], -1, c, m);
	}
	for (int32_t t = 0; t < c->n_tables; t++) /* another variable of the same domain */
		if (c->tables[t].arity == 1 && c->tables[t].n > 1) {
			int32_t *var = &c->tables[t].scope[0], old = *var;
			bool flat = true;

			for (int64_t k = 0; k < c->tables[t].n; k++)
				flat &= c->tables[t].values[k] == c->tables[t].values[0];
			*var = (old + 1) % c->n_vars;
			if (!flat && *var != old && c->domain[*var] == c->domain[old])
				assert_int_equal(gpube__certificate_check(c, m), GPUBE_EINVAL);
			*var = old;
		}
	assert_int_equal(gpube__certificate_check(c, m), 0);
}

static void certified(void **state)
{
	static const enum gpube_bound_method methods[] = {
		GPUBE_BOUND_AUTO, GPUBE_BOUND_ARC, GPUBE_BOUND_ASCENT, GPUBE_BOUND_ASCENT};
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_opts opts = {.method = methods[seed % 4],
		.regions = seed % 4 == 2 ? GPUBE_REGIONS_NESTED : GPUBE_REGIONS_AUTO};
	struct gpube_certificate c, again;
	struct gpube_solution *known;
	struct gpube_model *m;
	struct brute brute;
	char path[300];
	int64_t best;

	if (seed % 8 == 1) /* costs that int32 does not hold */
		spec.max_cost = (int64_t)1 << 40;
	spec.observed = 0;
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	check_relaxed(m, (int64_t)(seed % 20));
	assert_int_equal(gpube_bound(&known, m, &opts), 0);
	assert_int_equal(gpube__bound_certified(&c, m, seed % 3 ? known : NULL, NULL, &opts), 0);
	best = m->direction == GPUBE_MAXIMISE ? -brute.cost : brute.cost;
	if (brute.feasible)
		assert_true(c.bound <= best);
	snprintf(path, sizeof(path), "%s/c%s", dir, seed % 2 ? ".gz" : "");
	assert_int_equal(gpube__certificate_write(&c, path), 0);
	assert_int_equal(gpube__certificate_read(&again, ctx, path), 0);
	assert_int_equal(again.bound, c.bound);
	assert_int_equal(gpube__certificate_check(&again, m), 0);
	certificate_keep(&again, m, seed);
	tamper_all(&again, m, seed);
	gpube__certificate_clear(&again);
	gpube__certificate_clear(&c);
	gpube_result_free(known);
	gpube_model_free(m);
}

/* Forgeries of cases: none proves more than there is. */
static void forge_cases(struct gpube_certificate *c, const struct gpube_model *m)
{
	const int64_t best = c->bound;
	int64_t bound;

	certificate_tamper(&c->bound, 1, c, m); /* which is the optimum */
	for (int more = 0; more < 2; more++) {
		c->bound = c->stages.limit = best + more;
		for (int32_t k = 0; k < c->stages.n; k++) {
			struct gpube_proof_case *of = &c->stages.cases[k];
			const struct gpube_proof_case old = *of;

			of->n_split = 0; /* a leaf, and what was below it */
			if (!gpube__certificate_proves(&bound, c, m))
				assert_true(bound <= best);
			*of = old;
			if (!of->n_split)
				continue;
			of->child[1] = of->child[0]; /* one side, twice */
			if (!gpube__certificate_proves(&bound, c, m))
				assert_true(bound <= best);
			*of = old;
			of->split[of->n_split] =
				(old.split[old.n_split] + 1) % c->domain[old.split[0]];
			if (!gpube__certificate_proves(&bound, c, m))
				assert_true(bound <= best);
			of->split[of->n_split] =
				(of->split[of->n_split] + c->domain[old.split[0]] - 1) %
				c->domain[old.split[0]];
		}
	}
	c->bound = c->stages.limit = best;
}

/* Regions and splits prove the optimum itself. */
static void split(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_opts opts = {.method = GPUBE_BOUND_PAIRWISE, .split = GPUBE_SPLIT_FIRST};
	struct gpube_model *m = all_pairs(ctx, seed);
	struct gpube_certificate c, again;
	struct gpube_solution *known;
	struct brute brute;

	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	assert_int_equal(gpube_bound(&known, m, &opts), 0);
	if (seed % 7 == 6) { /* over before it begins: what there is then is a certificate, too */
		opts.timeout_seconds = 1e-6;
		assert_int_equal(gpube__bound_certified(&c, m, known, NULL, &opts), 0);
		assert_int_equal(gpube__certificate_check(&c, m), 0);
		if (brute.feasible)
			assert_true(c.bound <=
				    (m->direction == GPUBE_MAXIMISE ? -brute.cost : brute.cost));
		gpube__certificate_clear(&c);
		opts.timeout_seconds = 0;
	}
	assert_int_equal(gpube__bound_certified(&c, m, known, NULL, &opts), 0);
	if (brute.feasible)
		assert_int_equal(
			c.bound, m->direction == GPUBE_MAXIMISE ? -brute.cost : brute.cost);
	assert_int_equal(gpube__certificate_write(&c, in_dir("tree.xz")), 0);
	assert_int_equal(gpube__certificate_read(&again, ctx, in_dir("tree.xz")), 0);
	assert_int_equal(again.stages.n, c.stages.n);
	assert_int_equal(gpube__certificate_check(&again, m), 0);
	certificate_keep(&again, m, N_SEEDS + seed);
	if (brute.feasible)
		forge_cases(&again, m);
	assert_int_equal(gpube__certificate_check(&again, m), 0);
	n_trees += again.stages.n > 2;
	gpube__certificate_clear(&again);
	gpube__certificate_clear(&c);
	gpube_result_free(known);
	gpube_model_free(m);
}

static void some_were_split(void **state)
{
	(void)state;
	assert_true(n_trees > N_SPLIT / 4);
}

/* Forgeries of what is minimised along an order: none is believed. */
static void forge_search(struct gpube_certificate *c, const struct gpube_model *m, uint64_t seed)
{
	const int32_t first = c->order[0];
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	certificate_tamper(&c->bound, 1, c, m); /* it is the optimum */
	certificate_tamper(&c->bound, (int64_t)1 << 40, c, m);
	certificate_tamper(&c->constant, (int64_t)1 << c->shift, c, m);
	certificate_tamper(&c->constant, -1, c, m);
	for (int k = 0; k < 8 && c->n_tables; k++) {
		struct gpube_proof_table *t =
			&c->tables[gpube__rng_below(&rng, (uint64_t)c->n_tables)];
		const int64_t at = (int64_t)gpube__rng_below(&rng, (uint64_t)t->n);

		certificate_tamper(&t->values[at], 1 + (int64_t)gpube__rng_below(&rng, 9), c, m);
		certificate_tamper(&t->values[at], -1, c, m);
	}
	if (c->n_vars > 1) {
		c->order[0] = c->order[c->n_vars - 1];
		assert_int_equal(gpube__certificate_check(c, m), GPUBE_EINVAL);
		c->order[0] = first;
	}
	c->bound--; /* less than it proves is true, too */
	assert_int_equal(gpube__certificate_check(c, m), 0);
	c->bound++;
	/* another order proves the same, if later */
	for (int32_t i = 0, j = c->n_vars - 1; i < j; i++, j--) {
		const int32_t var = c->order[i];

		c->order[i] = c->order[j];
		c->order[j] = var;
	}
	assert_int_equal(gpube__certificate_check(c, m), 0);
}

/* Numbers below 0 count, each table's from its least cell on: they prove no more than before. */
static void add_below_0(struct gpube_certificate *c, const struct gpube_model *m)
{
	int64_t *values;
	int32_t var = 0;

	if (c->n_vars == 0)
		return;
	for (int k = 0; k < 2; k++) {
		assert_int_equal(gpube__certificate_table(c, 1, &var, &values), 0);
		values[0] = k ? 5 : -5;
	}
	assert_int_equal(gpube__certificate_check(c, m), 0);
	certificate_tamper(&c->bound, 1, c, m);
}

/* A search along a join graph's order proves the optimum itself. */
static void searched(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_opts opts = {.method = GPUBE_BOUND_ANDOR};
	struct gpube_certificate c, again;
	struct gpube_solution *known;
	struct gpube_model *m;
	struct brute brute;

	spec.observed = 0;
	m = seed % 3 ? all_pairs(ctx, seed) : random_model(ctx, &spec, seed);
	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	assert_int_equal(gpube_bound(&known, m, &opts), 0);
	assert_int_equal(gpube__bound_certified(&c, m, known, NULL, &opts), 0);
	if (brute.feasible)
		assert_true(c.bound <= (m->direction == GPUBE_MAXIMISE ? -brute.cost : brute.cost));
	if (known->answer == GPUBE_ANSWER_OPTIMAL)
		assert_int_equal(
			c.bound, m->direction == GPUBE_MAXIMISE ? -brute.cost : brute.cost);
	assert_int_equal(gpube__certificate_write(&c, in_dir("search.gz")), 0);
	assert_int_equal(gpube__certificate_read(&again, ctx, in_dir("search.gz")), 0);
	assert_int_equal(again.n_blocks, c.n_blocks);
	assert_int_equal(gpube__certificate_check(&again, m), 0);
	certificate_keep(&again, m, N_SEEDS + N_SPLIT + seed);
	if (known->answer == GPUBE_ANSWER_OPTIMAL && again.n_blocks) {
		forge_search(&again, m, seed);
		add_below_0(&again, m);
	}
	for (int32_t t = 0; t <= c.n_tables && c.n_blocks; t++) { /* each table by itself */
		if (t && gpube__certificate_block(&c))
			fail();
		c.first[t] = t;
	}
	n_searches += brute.feasible && gpube__certificate_check(&c, m) == GPUBE_EINVAL;
	gpube__certificate_clear(&again);
	gpube__certificate_clear(&c);
	gpube_result_free(known);
	gpube_model_free(m);
}

static void some_were_searched(void **state)
{
	(void)state;
	assert_true(n_searches > N_SEARCHES / 4);
}

/* A certificate whose claims overflow is refused, not believed. */
static void overflow(void **state)
{
	struct gpube_certificate c = {.ctx = ctx, .n_vars = 1, .n_functions = 1};
	int32_t var = 0;
	int64_t costs[] = {0, 5}, *values;
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 1, &var, costs), 0);
	c.domain = gpube__alloc(ctx, 1, sizeof(*c.domain));
	c.domain[0] = 2;
	c.cap = 5;
	c.constant = INT64_MAX;
	c.bound = INT64_MAX;
	assert_int_equal(gpube__certificate_block(&c), 0);
	assert_int_equal(gpube__certificate_table(&c, 1, &var, &values), 0);
	values[0] = 1;
	values[1] = 6;
	assert_int_equal(gpube__certificate_check(&c, m), GPUBE_EINVAL);
	c.constant = -1;
	c.bound = 0;
	assert_int_equal(gpube__certificate_check(&c, m), 0);
	gpube__certificate_clear(&c);
	gpube_model_free(m);
}

/* Observed values count in the sums, too. */
static void observed_overflow(void **state)
{
	struct gpube_model *m, *relaxed;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int32_t i = 0; i < 3; i++) {
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
		assert_int_equal(gpube_model_observe(m, i, 1), 0);
	}
	assert_int_equal(gpube__relaxed(&relaxed, m, (int64_t)1 << 60), GPUBE_ERANGE);
	assert_null(relaxed);
	assert_int_equal(gpube__relaxed(&relaxed, m, (int64_t)1 << 58), 0);
	gpube_model_free(relaxed);
	gpube_model_free(m);
}

/* A path that would take too much of the stack is refused before it is walked. */
static void endless_path(void **state)
{
	enum { N = 6000 };
	struct gpube_certificate c = {.ctx = ctx, .n_vars = N, .cap = 1, .bound = 1};
	struct gpube_model *m;
	int64_t *values;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	c.domain = gpube__alloc(ctx, N, sizeof(*c.domain));
	assert_int_equal(gpube__certificate_block(&c), 0);
	for (int32_t i = 0; i < N; i++) {
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
		c.domain[i] = 2;
	}
	for (int32_t i = 0; i + 1 < N; i++)
		assert_int_equal(
			gpube__certificate_table(&c, 2, (int32_t[]){i, i + 1}, &values), 0);
	assert_int_equal(gpube__certificate_check(&c, m), GPUBE_ELIMIT);
	c.bound = 0; /* for which nothing is searched */
	assert_int_equal(gpube__certificate_check(&c, m), 0);
	gpube__certificate_clear(&c);
	gpube_model_free(m);
}

/* A certificate, if 'status' says that there is one, written and read again. */
static int there_and_back(
	struct gpube_ctx *c, struct gpube_certificate *certificate, int status, const char *path)
{
	if (!status)
		status = gpube__certificate_write(certificate, path);
	gpube__certificate_clear(certificate);
	if (!status) {
		status = gpube__certificate_read(certificate, c, path);
		gpube__certificate_clear(certificate);
	}
	return status;
}

static int certify_scarcely(struct gpube_ctx *c, struct gpube_model *m, const void *path)
{
	struct gpube_opts opts = {.order_seconds = 1e-4};
	struct gpube_certificate certificate = {.ctx = c};
	int status = gpube__bound_certified(&certificate, m, NULL, NULL, &opts);

	return there_and_back(c, &certificate, status, path);
}

/* The tree as well: what is known is a bound that the root alone does not reach. */
static int certify_regions_scarcely(struct gpube_ctx *c, struct gpube_model *m, const void *path)
{
	struct gpube_opts opts = {.method = GPUBE_BOUND_PAIRWISE, .split = GPUBE_SPLIT_FIRST};
	struct gpube_certificate certificate = {.ctx = c};
	struct gpube_solution known = {.answer = GPUBE_ANSWER_INCOMPLETE,
		.bound = m->direction == GPUBE_MAXIMISE ? -1000000 : 1000000};
	int status = gpube__bound_certified(&certificate, m, &known, NULL, &opts);

	return there_and_back(c, &certificate, status, path);
}

/* A search as well. */
static int certify_search_scarcely(struct gpube_ctx *c, struct gpube_model *m, const void *path)
{
	struct gpube_opts opts = {.method = GPUBE_BOUND_ANDOR, .order_seconds = 1e-4};
	struct gpube_certificate certificate = {.ctx = c};
	struct gpube_solution known = {.answer = GPUBE_ANSWER_INCOMPLETE,
		.bound = m->direction == GPUBE_MAXIMISE ? -1000000 : 1000000};
	int status = gpube__bound_certified(&certificate, m, &known, NULL, &opts);

	return there_and_back(c, &certificate, status, path);
}

/* Wherever memory runs out: a status, and everything is given back. */
static void out_of_memory(void **state)
{
	(void)state;
	fail_on_random_model(certify_scarcely, in_dir("m"), 5, 20);
	fail_on_random_model(certify_regions_scarcely, in_dir("m"), 5, 20);
	fail_on_random_model(certify_search_scarcely, in_dir("m"), 5, 20);
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, certified, N_SEEDS, "certificate, seed");
	add_seeds(&c, split, N_SPLIT, "a tree of splits, seed");
	/* where two values of a variable cost too much at once */
	add_case(&c, split, (void *)129, "a tree of splits, seed 129");
	add_case(&c, split, (void *)228, "a tree of splits, seed 228");
	ADD_CASE(&c, some_were_split);
	add_seeds(&c, searched, N_SEARCHES, "a search, seed");
	ADD_CASE(&c, some_were_searched);
	ADD_CASE(&c, overflow);
	ADD_CASE(&c, observed_overflow);
	ADD_CASE(&c, endless_path);
	ADD_CASE(&c, out_of_memory);
	return run_cases(&c, "certificate", setup, ctx_dir_teardown);
}
