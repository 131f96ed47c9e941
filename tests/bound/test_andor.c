/*
 * The AND/OR search against elimination: random models in which a variable shares functions with
 * those near it alone, so that subproblems come back, with hard functions, negative costs and costs
 * beyond 32 bits, one case a seed; and what it keeps against what it was told.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>
#include <stdlib.h>

#include "gpube/bound/andor/andor.h"
#include "gpube/bound/andor/andor_run.h"
#include "gpube/bound/bound.h"
#include "gpube/ir/model.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"

enum { N_MODELS = 300, N_SCARCE = 8, MOST_VARS = 24, REACH = 6, MOST_THREADS = 3 };

/* Of variables that are near each other; free: a forbidden cell is none. */
static void add_random(
	struct gpube_model *m, struct gpube_rng *rng, int32_t n, int64_t unit, uint64_t forbidden)
{
	const int arity = 1 + (int)gpube__rng_below(rng, 4);
	const int32_t start = (int32_t)gpube__rng_below(rng, (uint64_t)n);
	int32_t scope[4];
	int64_t costs[256], cells = 1;
	int k = 0;

	for (int32_t i = start; i < n && k < arity;
		i += 1 + (int32_t)gpube__rng_below(rng, REACH)) {
		cells *= m->vars[i].domain;
		scope[k++] = i;
	}
	for (int64_t c = 0; c < cells; c++) {
		costs[c] = (int64_t)gpube__rng_below(rng, 9) * unit - 2 * unit +
			   (int64_t)gpube__rng_below(rng, 3);
		if (gpube__rng_below(rng, 10) < forbidden)
			costs[c] = GPUBE_INF;
	}
	assert_int_equal(gpube_model_add_costs(m, k, scope, costs), 0);
}

static struct gpube_model *random_band(uint64_t seed)
{
	struct gpube_rng rng;
	struct gpube_model *m;
	int64_t unit;
	uint64_t forbidden;
	int32_t n;

	gpube__rng_init(&rng, seed);
	n = 2 + (int32_t)gpube__rng_below(&rng, MOST_VARS - 1);
	unit = (int64_t)1 << (seed % 3 ? gpube__rng_below(&rng, 8) : gpube__rng_below(&rng, 44));
	forbidden = gpube__rng_below(&rng, 4);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int32_t i = 0; i < n; i++)
		assert_int_equal(
			gpube_model_add_var(m, NULL, 1 + (int32_t)gpube__rng_below(&rng, 4), NULL),
			0);
	for (int32_t f = (int32_t)gpube__rng_below(&rng, (uint64_t)(3 * n)); f >= 0; f--)
		add_random(m, &rng, n, unit, forbidden);
	return m;
}

/* The optimum, and that nothing is below it, is found with whatever is known before. */
static void check(const struct gpube_model *m, const struct gpube_opts *opts,
	const struct gpube_solution *optimum)
{
	struct gpube_solution *s = must_bound(m, opts);
	int64_t cost;

	assert_int_equal(
		s->answer == GPUBE_ANSWER_INFEASIBLE, optimum->answer == GPUBE_ANSWER_INFEASIBLE);
	if (optimum->answer == GPUBE_ANSWER_OPTIMAL && !opts->has_cutoff) {
		assert_int_equal(s->answer, GPUBE_ANSWER_OPTIMAL);
		assert_true(s->cost == optimum->cost && s->bound == optimum->cost);
		assert_int_equal(gpube_model_cost(&cost, m, s->values), 0);
		assert_true(cost == optimum->cost);
	} else if (optimum->answer == GPUBE_ANSWER_OPTIMAL) {
		assert_true(s->bound <= optimum->cost || s->bound <= opts->cutoff);
		assert_true(s->closed || s->answer == GPUBE_ANSWER_OPTIMAL);
		if (optimum->cost < opts->cutoff) {
			assert_int_equal(s->answer, GPUBE_ANSWER_OPTIMAL);
			assert_true(s->cost == optimum->cost);
		}
	}
	gpube_result_free(s);
}

static void models(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct gpube_opts eliminate = {.method = GPUBE_BOUND_ELIMINATE};
	struct gpube_opts opts = {.method = GPUBE_BOUND_ANDOR,
		.z = 2 + (int32_t)(seed % 3),
		.no_simplify = seed % 2,
		.no_eliminate = 1,
		.seed = seed,
		.order_seconds = 1e-3};
	struct gpube_solution *optimum;
	struct gpube_model *m;

	assert_int_equal(ctx_open(1 + (int)(seed / 2 % MOST_THREADS), (uint64_t)1 << 26), 0);
	m = random_band(seed);
	assert_int_equal(gpube_solve(&optimum, m, &eliminate), 0);
	check(m, &opts, optimum);
	if (optimum->answer == GPUBE_ANSWER_OPTIMAL) {
		opts.has_cutoff = 1;
		opts.cutoff = optimum->cost + (int64_t)(seed % 4) - 1;
		if (optimum->cost < opts.cutoff)
			check(m, &opts, optimum);
	}
	gpube_result_free(optimum);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* What is said of a subproblem: of number k. */
static struct gpube_andor_known known_of(int64_t k)
{
	return (struct gpube_andor_known){.cost = k * 7 + 1, .exact = k % 3 == 0};
}

/* Nothing is found but what was kept; nearly all of it, where it may grow. */
static void keeping(void **state)
{
	enum { KEPT = 200000 };
	const double bytes[] = {0, 1e9};

	(void)state;
	assert_int_equal(ctx_open(MOST_THREADS, (uint64_t)1 << 28), 0);
	for (int b = 0; b < 4; b++) {
		const bool shared = b % 2;
		struct gpube_andor_cache *c;
		int64_t n_found = 0, n_new = 0;

		assert_int_equal(gpube__andor_cache_new(&c, ctx, 2, bytes[b / 2], shared), 0);
		for (int64_t k = 0; k < KEPT; k++) {
			const uint64_t key[] = {(uint64_t)k % 1000, (uint64_t)k / 1000};
			const struct gpube_andor_known known = known_of(k);

			if (gpube__andor_cache_keep(
				    c, key, gpube__andor_hash(c, key), &known, 1 + k % 100)) {
				gpube__andor_cache_count(c, 1);
				n_new++;
			}
			assert_false(gpube__andor_cache_keep(
				c, key, gpube__andor_hash(c, key), &known, 1));
			if (gpube__andor_cache_is_full(c))
				gpube__andor_cache_grow(c, ctx);
		}
		for (int64_t k = 0; k < 2 * KEPT; k++) {
			const uint64_t key[] = {(uint64_t)k % 1000, (uint64_t)k / 1000};
			struct gpube_andor_known known;

			if (!gpube__andor_cache_find(c, key, gpube__andor_hash(c, key), &known))
				continue;
			assert_true(k < KEPT);
			assert_true(
				known.cost == known_of(k).cost && known.exact == known_of(k).exact);
			n_found++;
		}
		assert_true(b / 2 == 0 ? n_found > 1000 && n_found < KEPT / 2
				       : n_found > KEPT - KEPT / 10);
		/* one that takes another's place is none more; a larger table may have no room for
		 * one that it had */
		assert_true(b / 2 == 0 ? n_found == n_new : n_found <= n_new);
		gpube__andor_cache_free(ctx, c);
	}
	gpube_ctx_free(ctx);
}

/* A bound is never taken back for a worse one. */
static void knowing_more(void **state)
{
	const uint64_t key[] = {5};
	const struct gpube_andor_known bounds[] = {{7, false}, {4, false}, {9, true}, {8, false}};
	struct gpube_andor_known known;
	struct gpube_andor_cache *c;
	uint64_t hash;

	(void)state;
	assert_int_equal(ctx_open(1, (uint64_t)1 << 28), 0);
	assert_int_equal(gpube__andor_cache_new(&c, ctx, 1, 0, false), 0);
	hash = gpube__andor_hash(c, key);
	for (int k = 0; k < 4; k++)
		gpube__andor_cache_keep(c, key, hash, &bounds[k], 1);
	assert_true(gpube__andor_cache_find(c, key, hash, &known));
	assert_true(known.cost == 9 && known.exact);
	gpube__andor_cache_free(ctx, c);
	gpube_ctx_free(ctx);
}

/*
 * Whether variables in a row, each with a function with each of the next 'reach', have a tree in so
 * many bytes.
 */
static bool has_tree(int32_t n, int32_t reach, double bytes)
{
	int32_t *order = malloc((size_t)n * sizeof(*order));
	struct gpube_andor *a;
	struct gpube_joingraph g;
	struct gpube_model *m;
	bool fits, there;

	assert_non_null(order);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int32_t i = 0; i < n; i++) {
		order[i] = i;
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	}
	for (int32_t i = 0; i < n; i++)
		for (int32_t k = i + 1; k < n && k <= i + reach; k++)
			assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, k},
						 (int64_t[]){0, 3, i % 5, 1}),
				0);
	assert_int_equal(gpube__joingraph_init(&g, m, order, 2, 1e8, GPUBE_PARTITION_SCOPE,
				 GPUBE_INF, GPUBE__MOST_SHIFT, &fits),
		0);
	assert_true(fits);
	assert_int_equal(gpube__joingraph_pass(&g, false), 0);
	assert_int_equal(gpube__andor_new(&a, &g, m, bytes), 0);
	there = a != NULL;
	gpube__andor_free(a);
	gpube__joingraph_clear(&g);
	gpube_model_free(m);
	free(order);
	return there;
}

/*
 * Neither more calls within each other than a thread's stack may hold, nor contexts beyond the
 * memory.
 */
static void too_large(void **state)
{
	(void)state;
	assert_int_equal(ctx_open(1, (uint64_t)1 << 28), 0);
	assert_true(has_tree(3000, 2, 1e6));
	assert_false(has_tree(6000, 2, 1e6));
	assert_true(has_tree(200, 50, 1e6));
	assert_false(has_tree(200, 50, 2e4));
	gpube_ctx_free(ctx);
}

/*
 * The ascent that it goes along, in turns: the next goes on, or begins anew along another order, or
 * where much less is open; what it says stays true, and the last turn has the proof.
 */
static void in_turns(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct gpube_opts eliminate = {.method = GPUBE_BOUND_ELIMINATE};
	struct gpube_solution *optimum;
	struct gpube_simplified s;
	struct gpube_bounder b;
	struct gpube_model *m;
	int64_t cost;

	assert_int_equal(ctx_open(1, (uint64_t)1 << 26), 0);
	m = random_band(seed);
	assert_int_equal(gpube_solve(&optimum, m, &eliminate), 0);
	cost = optimum->answer == GPUBE_ANSWER_OPTIMAL ? optimum->cost : GPUBE_INF;
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	if (!s.infeasible) {
		const struct gpube_climb *before = NULL;
		int64_t made = GPUBE_INF; /* the limit when it was made */

		begin_bounder(&b, &s, m, seed);
		for (int turn = 0; turn < 6 && !gpube__bounder_done(&b); turn++) {
			const int64_t limit = b.cutoff;

			assert_int_equal(gpube__bound_andor(&b, 1e-5), 0);
			/* an order that joins as many cells is no reason to begin anew */
			if (before && limit == made)
				assert_ptr_equal(b.state.climb, before);
			if (b.state.climb != before)
				made = limit;
			before = b.state.climb;
			assert_true(b.lower <= cost || b.lower <= b.given_cutoff);
			if (turn == 2 && seed % 3 == 0 && cost != GPUBE_INF)
				gpube__bounder_set_cutoff(&b, cost + (int64_t)(seed % 2));
			for (int32_t i = 0, n = b.m->n_vars; turn == 3 && seed % 2 && i < n / 2;
				i++) {
				const int32_t var = b.order[i];

				b.order[i] = b.order[n - 1 - i];
				b.order[n - 1 - i] = var;
			}
		}
		assert_int_equal(gpube__bound_joins(&b, INFINITY), 0);
		assert_true(b.lower >= (cost < b.given_cutoff ? cost : b.given_cutoff));
		assert_true(b.upper == cost || cost >= b.given_cutoff);
		end_bounder(&b);
	}
	gpube__simplified_clear(ctx, &s);
	gpube_result_free(optimum);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* Calls until a search of so many seconds of work a call has ended; *worked: what they took. */
static int calls_of(struct gpube_bounder *b, const struct gpube_joingraph *g, double seconds,
	int64_t cost, double *worked)
{
	const double before = gpube__worked(ctx);
	struct gpube_andor_run run = {0};
	int n = 0;

	do {
		assert_int_equal(gpube__andor_run(b, g, seconds, &run), 0);
		assert_true(b->lower <= cost && b->upper >= cost);
		n++;
	} while (run.a);
	*worked = gpube__worked(ctx) - before;
	return n;
}

/*
 * A search that goes on from call to call takes hardly more than one that is not stopped; and one
 * that others come to finds the same.
 */
static void goes_on(void **state)
{
	enum { N = 60, D = 4, NEAR = 7 };
	const double slice = 2e-3;
	struct gpube_joingraph g;
	struct gpube_simplified s;
	struct gpube_solution *optimum;
	struct gpube_model *m;
	struct gpube_rng rng;
	double worked[3];
	int calls[3];

	(void)state;
	assert_int_equal(ctx_open(1, (uint64_t)1 << 28), 0);
	gpube__rng_init(&rng, 11);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int32_t i = 0; i < N; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, D, NULL), 0);
	for (int32_t i = 0; i < N; i++)
		for (int32_t k = i + 1; k < N && k < i + NEAR; k++) {
			int64_t cost[D * D];

			for (int c = 0; c < D * D; c++)
				cost[c] = (int64_t)gpube__rng_below(&rng, 100);
			assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, k}, cost), 0);
		}
	assert_int_equal(gpube_solve(&optimum, m, NULL), 0);
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	for (int way = 0; way < 3; way++) {
		struct gpube_bounder b;
		bool fits;

		ctx->n_threads = way < 2 ? 1 : 3;
		begin_bounder(&b, &s, m, 1);
		gpube__bounder_set_cutoff(&b, optimum->cost + 100);
		assert_int_equal(gpube__joingraph_init(&g, b.tables, b.order, 4, 1e8,
					 GPUBE_PARTITION_SCOPE, b.cutoff, GPUBE__MOST_SHIFT, &fits),
			0);
		assert_true(fits);
		assert_int_equal(gpube__joingraph_pass(&g, false), 0);
		ctx->alone_until = ctx->ticks + (int64_t)(1e9 * slice);
		calls[way] =
			calls_of(&b, &g, way == 1 ? slice : INFINITY, optimum->cost, &worked[way]);
		assert_true(b.lower == optimum->cost && b.upper == optimum->cost);
		gpube__joingraph_clear(&g);
		end_bounder(&b);
	}
	assert_int_equal(calls[0], 1);
	assert_int_equal(calls[2], 1);
	assert_true(worked[0] > 4 * slice); /* or there is nothing to be gone on with */
	assert_true(calls[1] > 3);
	assert_true(worked[1] < 2 * worked[0]);
	gpube__simplified_clear(ctx, &s);
	gpube_result_free(optimum);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/*
 * A turn of what is kept between turns that had too little memory is given up as a stage is; a
 * later one has the proof.
 */
static void after_scarce(void **state)
{
	static int (*const turn[])(struct gpube_bounder *, double) = {
		gpube__bound_andor, gpube__bound_dfs, gpube__bound_deepening};
	const struct gpube_opts eliminate = {.method = GPUBE_BOUND_ELIMINATE};
	const uint64_t seed = (uint64_t)(uintptr_t)*state;

	for (int way = 0; way < 3; way++) {
		bool failed = true;

		for (long at = 0; failed; at++) {
			struct test_memory memory = {.fail_at = -1};
			struct gpube_solution *optimum;
			struct gpube_simplified s;
			struct gpube_bounder b;
			struct gpube_model *m;
			int status;

			ctx = test_memory_ctx(&memory);
			ctx->n_threads = 1;
			ctx->memory_bytes = 1 << 26;
			m = random_band(seed);
			assert_int_equal(gpube_solve(&optimum, m, &eliminate), 0);
			assert_int_equal(gpube__simplify(&s, m, true), 0);
			failed = false;
			if (!s.infeasible) {
				begin_bounder(&b, &s, m, seed);
				memory.fail_at = memory.n + at;
				status = turn[way](&b, 1e-4);
				failed = memory.n > memory.fail_at;
				assert_true(
					status == GPUBE_OK || (failed && status == GPUBE_ENOMEM));
				memory.fail_at = -1;
				if (!gpube__bounder_done(&b))
					assert_int_equal(turn[way](&b, INFINITY), 0);
				assert_int_equal(gpube__bound_dfs(&b, INFINITY), 0);
				assert_true(gpube__bounder_done(&b));
				assert_true(optimum->answer != GPUBE_ANSWER_OPTIMAL ||
					    (b.upper == optimum->cost && b.lower == optimum->cost));
				gpube__dfs_tree_free(b.state.trial_tree);
				gpube__dfs_tree_free(b.state.tree);
				end_bounder(&b);
			}
			gpube_result_free(optimum);
			gpube__simplified_clear(ctx, &s);
			gpube_model_free(m);
			test_memory_end(ctx, &memory);
		}
	}
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, models, N_MODELS, "models, seed");
	add_seeds(&c, in_turns, N_MODELS, "in turns, seed");
	add_seeds(&c, after_scarce, N_SCARCE, "after a turn without memory, seed");
	ADD_CASE(&c, keeping);
	ADD_CASE(&c, knowing_more);
	ADD_CASE(&c, too_large);
	ADD_CASE(&c, goes_on);
	return run_cases(&c, "AND/OR search", NULL, NULL);
}
