/*
 * Pairwise-consistent subproblems as a method: what splitting proves is the optimum, also where
 * memory is refused.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

enum { N_SPLIT = 300, N_TORUS = 12 };

/* Splitting ends with the optimum, whatever the threads. */
static void splitting(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct random_spec spec = random_spec_many_neighbours(seed);
	struct gpube_opts opts = {.method = GPUBE_BOUND_PAIRWISE, .seed = seed};
	struct gpube_model *m;
	struct brute brute;

	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	for (int threads = 1; threads <= 3; threads += 2) {
		struct gpube_solution *b;

		ctx->n_threads = threads;
		ctx->alone = seed % 3 ? 0 : (int64_t)(seed * 7919 % 3000000);
		b = must_bound(m, &opts);
		assert_int_equal(
			b->answer, brute.feasible ? GPUBE_ANSWER_OPTIMAL : GPUBE_ANSWER_INFEASIBLE);
		if (brute.feasible)
			assert_true(b->cost == brute.cost && b->bound == brute.cost);
		gpube_result_free(b);
	}
	ctx->n_threads = 1;
	ctx->alone = 0;
	gpube_model_free(m);
}

/* A torus of 8 x 8 spins, too wide for enumeration: the same optimum as elimination proves. */
static void torus(void **state)
{
	enum { SIDE = 8, N = SIDE * SIDE };
	struct gpube_opts opts = {.method = GPUBE_BOUND_PAIRWISE};
	struct gpube_solution *b[2];
	struct gpube_model *m;
	struct gpube_rng rng;

	gpube__rng_init(&rng, (uint64_t)(uintptr_t)*state);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < N; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int i = 0; i < 3 * N; i++) {
		const int32_t x = i % N % SIDE, y = i % N / SIDE,
			      j = i < N       ? i
				  : i < 2 * N ? (x + 1) % SIDE + SIDE * y
					      : x + SIDE * ((y + 1) % SIDE),
			      scope[] = {i % N, j};
		int64_t costs[4];

		for (int k = 0; k < 4; k++)
			costs[k] = (int64_t)gpube__rng_below(&rng, i < N ? 100 : 1000);
		assert_int_equal(gpube_model_add_costs(m, 1 + (i >= N), scope, costs), 0);
	}
	for (int k = 0; k < 2; k++) {
		b[k] = must_bound(m, &opts);
		assert_int_equal(b[k]->answer, GPUBE_ANSWER_OPTIMAL);
		opts.method = GPUBE_BOUND_ELIMINATE;
	}
	assert_true(b[0]->cost == b[1]->cost);
	gpube_result_free(b[0]);
	gpube_result_free(b[1]);
	gpube_model_free(m);
}

/*
 * n spins on a torus of so many a side: each two neighbours cost up to 'most' where they are equal,
 * or where they differ.
 */
static struct gpube_model *spin_glass(int n, int side, int64_t most, uint64_t seed)
{
	struct gpube_model *m;
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < n; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int i = 0; i < n; i++)
		for (int step = 1; step < n; step *= side) {
			const int at = i / step % side;
			const int32_t scope[] = {i, i + ((at + 1) % side - at) * step};
			const int64_t cost = 1 + (int64_t)gpube__rng_below(&rng, (uint64_t)most),
				      equal = gpube__rng_below(&rng, 2) ? cost : 0;
			const int64_t costs[] = {equal, cost - equal, cost - equal, equal};

			assert_int_equal(gpube_model_add_costs(m, 2, scope, costs), 0);
		}
	return m;
}

static bool asked;

static void hear(void *arg, const struct gpube_log *said)
{
	(void)arg;
	if (strstr(said->text, "sweeps are the "))
		asked = true;
	if (asked)
		gpube_ctx_stop(ctx);
}

/*
 * Where the method has long to go a card is asked for, whether there is one or not; where the host
 * alone is wanted, or the method ends soon, none is.
 */
static void card(void **state)
{
	const struct {
		int side;
		enum gpube_backend backend;
		bool asks;
	} rows[] = {{7, GPUBE_BACKEND_AUTO, true}, {3, GPUBE_BACKEND_AUTO, false},
		{4, GPUBE_BACKEND_CPU, false}};

	(void)state;
	ctx->log = hear;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		const struct gpube_opts opts = {
			.method = GPUBE_BOUND_PAIRWISE, .backend = rows[k].backend};
		const int side = rows[k].side;
		struct gpube_model *m = spin_glass(side * side * side, side, 100000, k);

		asked = false;
		gpube_result_free(must_bound(m, &opts));
		assert_true(asked == rows[k].asks);
		gpube_ctx_resume(ctx);
		gpube_model_free(m);
	}
	ctx->log = NULL;
}

static long long most; /* tuples that one of the grown relations may have */

static void hear_growth(void *arg, const struct gpube_log *said)
{
	(void)arg;
	if (sscanf(said->text, "pairwise: sparse relations of up to %lld tuples", &most) == 1)
		gpube_ctx_stop(ctx);
}

/*
 * On a torus of two dimensions the first relations have 256 tuples, of 8 spins, and two of them
 * together at least 4,096, so none are joined. They may have more tuples at once, and are split:
 * cases, in which spins are fixed, join them.
 */
static void growth(void **state)
{
	const struct gpube_opts opts = {.method = GPUBE_BOUND_PAIRWISE};
	struct gpube_model *m = spin_glass(32 * 32, 32, 1, 3);

	(void)state;
	most = 0;
	ctx->log = hear_growth;
	gpube_result_free(must_bound(m, &opts));
	ctx->log = NULL;
	gpube_ctx_resume(ctx);
	assert_int_equal(most, 2048);
	gpube_model_free(m);
}

/*
 * No part of a split state is forgotten where there is no memory for it: what is said is a bound
 * all the same.
 */
static void scarce(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	/* split, or grown until one relation is the whole */
	const struct gpube_opts opts = {.method = GPUBE_BOUND_PAIRWISE,
		.split = seed % 2 ? GPUBE_SPLIT_NEVER : GPUBE_SPLIT_AUTO};
	struct random_spec spec = random_spec_default();
	bool ended = false;

	spec.n_vars = 12;
	spec.min_domain = spec.max_domain = 2;
	spec.n_functions = 50;
	spec.min_arity = 2;
	spec.max_arity = 3;
	spec.forbidden = 0;
	spec.max_cost = 50;
	for (long at = 0; !ended; at += 1 + at / 40) {
		struct test_memory memory = {.fail_at = -1};
		struct gpube_ctx *c = test_memory_ctx(&memory);
		struct gpube_model *m;
		struct gpube_solution *b;
		struct brute brute;

		c->n_threads = 1 + at % 2;
		c->memory_bytes = 1 << 26;
		m = random_model(c, &spec, seed);
		assert_non_null(m);
		assert_int_equal(brute_force(&brute, NULL, m), 0);
		memory.n = 0;
		memory.fail_at = at;
		if (gpube_bound(&b, m, &opts)) {
			assert_null(b);
			assert_true(memory.n > at);
		} else if (brute.feasible) {
			assert_true(
				b->bound <= brute.cost && (!b->values || b->cost >= brute.cost));
			assert_true(memory.n > at ||
				    (b->answer == GPUBE_ANSWER_OPTIMAL && b->cost == brute.cost));
			assert_int_not_equal(b->answer, GPUBE_ANSWER_INFEASIBLE);
		}
		ended = memory.n <= at;
		assert_true(!ended || memory.n > 100);
		gpube_result_free(b);
		gpube_model_free(m);
		test_memory_end(c, &memory);
	}
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, splitting, N_SPLIT, "splitting, seed");
	add_seeds(&c, torus, N_TORUS, "torus, seed");
	add_case(&c, card, NULL, "a card is asked for");
	add_case(&c, growth, NULL, "relations that cannot be joined");
	add_numbers(&c, scarce, 4, "scarce memory, seed");
	return run_cases(&c, "pairwise", ctx_setup_1_thread, ctx_teardown);
}
