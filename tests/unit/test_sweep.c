/*
 * Sweeps against enumeration: random models of hard pairs and triples with a soft cost of value 0
 * of each variable, of the kind of SPOT5, one case a seed; and runs that have to drop states.
 */
#include "tests/support/test.h"

#include "gpube/ir/model.h"
#include "gpube/sweep.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 100, N_DROPPING = 6, MOST_VARS = 9 };

static int setup(void **state)
{
	(void)state;
	return ctx_open(1, (uint64_t)1 << 28);
}

static void add_hard(struct gpube_model *m, struct gpube_rng *rng, int32_t n_vars, int arity)
{
	int32_t scope[3];
	int64_t costs[64], n = 1;

	for (int k = 0; k < arity; k++) {
		bool again = true;

		while (again) {
			scope[k] = (int32_t)gpube__rng_below(rng, (uint64_t)n_vars);
			again = false;
			for (int j = 0; j < k; j++)
				again |= scope[j] == scope[k];
		}
		n *= m->vars[scope[k]].domain;
	}
	for (int64_t c = 0; c < n; c++)
		costs[c] = c > 0 && gpube__rng_below(rng, 5) < 2 ? GPUBE_INF : 0;
	assert_int_equal(gpube_model_add_costs(m, arity, scope, costs), 0);
}

/* Value 0: not taken, at a cost. */
static struct gpube_model *photographs(uint64_t seed, int32_t n, int32_t n_hard)
{
	static const int32_t domains[] = {2, 4, 2, 3};
	struct gpube_model *m;
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int32_t i = 0; i < n; i++) {
		int64_t costs[4] = {1 + (int64_t)gpube__rng_below(&rng, seed % 2 ? 1000 : 3)};

		assert_int_equal(
			gpube_model_add_var(m, NULL, domains[gpube__rng_below(&rng, 4)], NULL), 0);
		assert_int_equal(gpube_model_add_costs(m, 1, &i, costs), 0);
	}
	for (int32_t k = 0; k < n_hard; k++)
		add_hard(m, &rng, n, 2 + (int)gpube__rng_below(&rng, 2));
	return m;
}

static void finds_the_optimum(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	int32_t n = 3 + (int32_t)(seed % (MOST_VARS - 2));
	struct gpube_model *m = photographs(seed, n, n + (int32_t)(seed % 7));
	struct gpube_bound_opts opts = {.sizeof_options = sizeof(opts),
		.method = GPUBE_BOUND_SWEEP,
		.order_seconds = 1e-3,
		.seed = seed,
		.no_simplify = seed % 3 == 0};
	struct gpube_bounds *b;
	struct brute brute;

	assert_int_equal(brute_force(&brute, NULL, m), 0);
	assert_true(brute.feasible); /* nothing taken */
	b = must_bound(m, &opts);
	assert_int_equal(b->answer, GPUBE_ANSWER_OPTIMAL);
	assert_true(b->cost == brute.cost && b->bound == brute.cost);
	gpube_bounds_free(b, ctx);
	opts.has_cutoff = 1;
	opts.cutoff = brute.cost;
	b = must_bound(m, &opts);
	assert_true(b->closed);
	gpube_bounds_free(b, ctx);
	gpube_model_free(m);
}

static int64_t the_optimum(const struct gpube_model *m)
{
	struct gpube_solution *s;
	int64_t optimum;

	assert_int_equal(gpube_solve(&s, m, NULL), 0);
	assert_int_equal(s->answer, GPUBE_ANSWER_OPTIMAL);
	optimum = s->cost;
	gpube_solution_free(s, ctx);
	return optimum;
}

/* With memory for few states, more of them are met than kept: what is said is still true. */
static void dropping_leaves_a_bound(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_model *m = photographs(seed, 40, 70);
	struct gpube_bound_opts opts = {.sizeof_options = sizeof(opts),
		.method = GPUBE_BOUND_SWEEP,
		.order_seconds = 1e-3,
		.seed = seed};
	int64_t optimum = the_optimum(m);
	uint64_t memory = ctx->memory_bytes;
	struct gpube_bounds *b;

	ctx->memory_bytes = 1 << 20;
	b = must_bound(m, &opts);
	ctx->memory_bytes = memory;
	assert_non_null(b->values);
	assert_true(b->bound <= optimum && b->cost >= optimum);
	assert_true(b->bound > 0);
	gpube_bounds_free(b, ctx);
	b = must_bound(m, &opts);
	assert_int_equal(b->answer, GPUBE_ANSWER_OPTIMAL);
	assert_true(b->cost == optimum);
	gpube_bounds_free(b, ctx);
	gpube_model_free(m);
}

/* Fronts of 70 variables have no key: the method says so by proving nothing false. */
static void fronts_without_a_key(void **state)
{
	struct gpube_bound_opts opts = {.sizeof_options = sizeof(opts),
		.method = GPUBE_BOUND_SWEEP,
		.order_seconds = 1e-3,
		.timeout_seconds = 20};
	struct gpube_model *m;
	struct gpube_bounds *b;
	static const int64_t costs[] = {2, 1, 0, GPUBE_INF};

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int32_t i = 0; i < 70; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int32_t i = 0; i < 70; i++)
		for (int32_t j = i + 1; j < 70; j++)
			assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, j}, costs), 0);
	b = must_bound(m, &opts);
	assert_true(b->values && b->bound <= b->cost);
	gpube_bounds_free(b, ctx);
	gpube_model_free(m);
}

static void gathers_bits(void **state)
{
	struct gpube_rng rng;

	(void)state;
	gpube__rng_init(&rng, 7);
	for (int k = 0; k < 1000; k++) {
		uint64_t key = gpube__rng_next(&rng);
		uint64_t mask = gpube__rng_next(&rng) & gpube__rng_next(&rng), expected = 0;
		int n = 0;

		for (int bit = 0; bit < 64; bit++)
			if (mask >> bit & 1)
				expected |= (key >> bit & 1) << n++;
		assert_true(gpube__sweep_gather(key, mask) == expected);
	}
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, finds_the_optimum, N_SEEDS, "hard tuples, seed");
	add_numbers(&c, dropping_leaves_a_bound, N_DROPPING, "dropping, seed");
	ADD_CASE(&c, fronts_without_a_key);
	ADD_CASE(&c, gathers_bits);
	return run_cases(&c, "sweep", setup, ctx_teardown);
}
