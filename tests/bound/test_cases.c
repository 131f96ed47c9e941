/*
 * Cases of lists against enumeration: split as early as can be, on one thread and on several, with
 * more workers than threads, in turns, with a cutoff, and while memory is refused. No bound is
 * above the optimum at any time, and what is open is never forgotten.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "gpube/bound/certificate/certificate.h"
#include "gpube/bound/pairwise/relation_cases.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 400, N_TURNS = 60, N_CUT = 100, N_METHOD = 20, N_SCARCE = 4, N_STATES = 300 };

static int64_t n_split, n_longer, n_forgotten, n_heard; /* in all tests so far */

/* Small costs, too, and very large ones. */
static struct random_spec spec_of(uint64_t seed)
{
	struct random_spec spec = random_spec_many_neighbours(seed);

	spec.max_cost = seed % 7 && seed % 2 == 0 ? 1 : spec.max_cost;
	return spec;
}

/* Lists so short that they leave much open, and cases that end soon. */
struct way {
	int64_t most;
	struct gpube_case_rules rules;
};

static struct way way_of(uint64_t seed)
{
	return (struct way){.most = (int64_t)4 << seed % 6,
		.rules = {.slow = seed % 3 ? 1 : 0.1,
			.most_windows = 1 + (int)(seed % 2),
			.probes = (int)(seed % 3),
			.steps = (int)(seed % 2),
			.judged = (int)(seed % 2),
			.progress = 2, /* more than can be: relations grow */
			.more_workers = seed % 5 ? 0 : 2}};
}

/* Everything is open in short lists; false: nothing is left to split. */
static bool begin(struct gpube_bounder *b, int64_t most, int *status)
{
	struct gpube_relations *first, *l;
	struct gpube_pairwise_run *s;

	*status = gpube__pairwise_run_new(b);
	s = b->state.pairwise;
	if (*status || !s->relations)
		return false;
	/* smaller ones in their place, of all variables */
	gpube__relations_free(s->relations);
	gpube__lean_free(ctx, s->lean);
	s->relations = NULL;
	s->lean = NULL;
	s->m = b->tables;
	*status = gpube__relations_new(&first, s->m, gpube__tables_cutoff(b));
	if (*status || !first)
		return false;
	s->shift = first->shift;
	*status = gpube__relations_grow(&l, first, s->m, most);
	s->relations = l ? l : first;
	if (l)
		gpube__relations_free(first);
	return !*status;
}

static void end(struct gpube_bounder *b)
{
	gpube__pairwise_run_free(b->state.pairwise);
	end_bounder(b);
}

/* The lowest total of the simplified model, or GPUBE_INF. */
struct subject {
	struct gpube_model *m;
	struct gpube_simplified s;
	int64_t optimum;
};

static bool make(struct subject *x, const struct random_spec *spec, uint64_t seed)
{
	struct brute brute;

	x->m = random_model(ctx, spec, seed);
	assert_non_null(x->m);
	assert_int_equal(brute_force(&brute, NULL, x->m), 0);
	assert_int_equal(gpube__simplify(&x->s, x->m, true), 0);
	x->optimum = !brute.feasible ? GPUBE_INF : x->s.negated ? -brute.cost : brute.cost;
	return !x->s.infeasible;
}

static void drop(struct subject *x)
{
	gpube__simplified_clear(ctx, &x->s);
	gpube_model_free(x->m);
}

static void check_true(const struct subject *x, const struct gpube_bounder *b)
{
	assert_true(b->upper >= x->optimum);
	if (x->optimum < b->given_cutoff)
		assert_true(b->lower <= x->optimum);
}

static void check_proved(const struct subject *x, const struct gpube_bounder *b)
{
	check_true(x, b);
	assert_true(gpube__bounder_done(b));
	if (x->optimum < b->given_cutoff && x->optimum < GPUBE_INF)
		assert_true(b->upper == x->optimum && b->lower == x->optimum);
	else
		assert_true(b->upper == GPUBE_INF || b->upper >= b->given_cutoff);
}

/*
 * A turn begins with the incumbent, of whatever method; and local searches, that of the bounder and
 * each worker's, know the best that any has found.
 */
static void check_heard(struct gpube_bounder *b, const struct gpube_case_rules *rules)
{
	struct gpube_relation_cases *c = b->state.pairwise->cases;

	if (c && b->upper < GPUBE_INF) {
		c->best_cost = GPUBE_INF;
		assert_int_equal(gpube__pairwise_run_cases(b->state.pairwise, rules), 0);
		assert_true(c->best_cost <= b->upper);
	}
	assert_int_equal(gpube__bounder_search(b, NULL, 0), 0);
	if (b->upper < GPUBE_INF)
		assert_true(b->state.search->best_cost <= b->upper);
	for (int k = 0; c && k < c->n_workers; k++) {
		gpube__case_search(&c->workers[k], NULL);
		n_heard += c->best_cost < GPUBE_INF;
		if (c->best_cost < GPUBE_INF)
			assert_true(c->workers[k].search->best_cost <= c->best_cost);
	}
}

static void run(uint64_t seed, int threads, int64_t cut, double seconds)
{
	const struct random_spec spec = spec_of(seed);
	const struct way way = way_of(seed);
	struct gpube_bounder b;
	struct subject x;
	int status;

	const uint64_t memory_bytes = ctx->memory_bytes;

	ctx->n_threads = threads;
	/* together from the first case on, or later */
	ctx->alone_until = seed % 4 < 2 ? 0 : ctx->ticks + (int64_t)(seed * 7919 % 100000);
	if (make(&x, &spec, seed)) {
		begin_bounder(&b, &x.s, x.m, seed);
		if (seed % 8 == 3) /* the deepest cases first, and lists that find no room */
			ctx->memory_bytes = (uint64_t)1 << (10 + seed / 8 % 12);
		if (cut && x.optimum < GPUBE_INF)
			gpube__bounder_set_cutoff(&b, x.optimum + cut - 2);
		if (begin(&b, way.most, &status)) {
			for (int turn = 0; turn < 400 && !gpube__bounder_done(&b); turn++) {
				b.state.pairwise->turn =
					gpube__budget(ctx, turn < 200 ? seconds : INFINITY);
				assert_int_equal(
					gpube__pairwise_run_cases(b.state.pairwise, &way.rules), 0);
				check_true(&x, &b);
			}
			check_proved(&x, &b);
			if (b.state.pairwise->cases) {
				n_split += b.state.pairwise->cases->n_split;
				n_longer += b.state.pairwise->cases->most > way.most;
			}
			check_heard(&b, &way.rules);
		}
		assert_int_equal(status, 0);
		end(&b);
	}
	drop(&x);
	ctx->n_threads = 1;
	ctx->alone_until = 0;
	ctx->memory_bytes = memory_bytes;
}

static void optimum(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;

	run(seed, 1 << seed % 3, 0, INFINITY);
}

/* One and four threads, in turns that end before a case does. */
static void in_turns(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;

	run(seed, seed % 2 ? 4 : 1, 0, 1e-6 * (double)(seed % 5 * seed % 300));
}

/* One below, at, or one to three above the optimum. */
static void cutoff(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;

	run(seed, 1 + (int)(seed % 2), 1 + (int64_t)(seed % 5), INFINITY);
}

/*
 * Each allocation is refused once: what is said until then is true, and going on ends with the
 * optimum.
 */
static void scarce(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = spec_of(seed);
	const struct way way = {.most = 16, .rules = {.slow = 1, .most_windows = 1, .probes = 1}};
	bool ended = false;

	spec.forbidden = 0.05;
	spec.max_cost = 50;
	for (long at = 0; !ended; at += 1 + at / 200) {
		struct test_memory memory = {.fail_at = -1};
		struct gpube_ctx *kept = ctx;
		struct gpube_bounder b;
		struct subject x;
		struct gpube_certificate notes;
		int status;

		ctx = test_memory_ctx(&memory);
		notes = (struct gpube_certificate){.ctx = ctx};
		ctx->memory_bytes = 1 << 26;
		ctx->n_threads = 1 + at % 2;
		if (make(&x, &spec, seed)) {
			begin_bounder(&b, &x.s, x.m, seed);
			if (begin(&b, way.most, &status)) {
				b.told.notes = &notes;
				assert_int_equal(gpube__notes_begin(b.state.pairwise), 0);
				memory.fail_at = memory.n + at;
				b.state.pairwise->turn = gpube__budget(ctx, INFINITY);
				status = gpube__pairwise_run_cases(b.state.pairwise, &way.rules);
				ended = memory.n <= memory.fail_at;
				assert_true(
					status == GPUBE_OK || (!ended && status == GPUBE_ENOMEM));
				check_true(&x, &b);
				memory.fail_at = -1;
				if (!gpube__bounder_done(&b))
					assert_int_equal(gpube__pairwise_run_cases(
								 b.state.pairwise, &way.rules),
						0);
				check_proved(&x, &b);
			} else {
				assert_int_equal(status, 0);
				ended = true;
			}
			end(&b);
		} else {
			ended = true;
		}
		gpube__certificate_clear(&notes);
		drop(&x);
		test_memory_end(ctx, &memory);
		ctx = kept;
	}
}

/* As a method, where regions leave much open: the same optimum as elimination proves. */
static void method(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct gpube_opts opts = {.method = GPUBE_BOUND_PAIRWISE, .seed = seed};
	struct random_spec spec = random_spec_default();
	struct gpube_model *m;

	spec.n_vars = 26;
	spec.min_domain = 2;
	spec.max_domain = 2;
	spec.n_functions = 90;
	spec.min_arity = 2;
	spec.max_arity = 3;
	spec.forbidden = 0.05 * (double)(seed % 4);
	spec.max_cost = 20;
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	ctx->n_threads = 1 + (int)(seed % 3);
	must_agree(m, opts);
	ctx->n_threads = 1;
	gpube_model_free(m);
}

/*
 * States that have the relations in common, in turns of some nodes, until what is open is forgotten
 * because it comes to too little; then anew to the end.
 */
static void states(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct random_spec spec = spec_of(seed);
	struct gpube_bounder b;
	struct subject x;
	int status = 0;

	ctx->n_threads = 1 + (int)(seed % 3);
	if (make(&x, &spec, seed)) {
		begin_bounder(&b, &x.s, x.m, seed);
		if (begin(&b, way_of(seed).most, &status) &&
			b.state.pairwise->relations->plan.members) {
			struct gpube_pairwise_run *s = b.state.pairwise;

			for (int turn = 0; turn < 400 && !gpube__bounder_done(&b); turn++) {
				s->turn = gpube__budget(ctx, turn < 200 ? 1e-6 : INFINITY);
				assert_int_equal(gpube__pairwise_run_search(s), 0);
				check_true(&x, &b);
				n_forgotten += s->must_grow;
				assert_false(s->must_grow && s->branches);
				if (seed % 2 && turn < 20) { /* nothing is enough */
					s->milestone = 0;
					s->reached = 1;
				}
				s->all_grown = turn >= 20; /* there is nothing else */
				s->must_grow = false;
			}
			check_proved(&x, &b);
		}
		assert_int_equal(status, 0);
		end(&b);
	}
	drop(&x);
	ctx->n_threads = 1;
}

static void were_forgotten(void **state)
{
	(void)state;
	assert_true(n_forgotten > N_STATES / 20);
}

/* The tests before had something to split. */
static void were_split(void **state)
{
	(void)state;
	assert_true(n_split > N_SEEDS && n_longer > N_SEEDS / 20 && n_heard > N_SEEDS / 20);
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, optimum, N_SEEDS, "split at once, seed");
	add_seeds(&c, in_turns, N_TURNS, "in turns, seed");
	add_seeds(&c, cutoff, N_CUT, "with a cutoff, seed");
	ADD_CASE(&c, were_split);
	add_seeds(&c, states, N_STATES, "states, seed");
	ADD_CASE(&c, were_forgotten);
	add_seeds(&c, method, N_METHOD, "as a method, seed");
	add_seeds(&c, scarce, N_SCARCE, "scarce memory, seed");
	return run_cases(&c, "cases", ctx_setup_1_thread, ctx_teardown);
}
