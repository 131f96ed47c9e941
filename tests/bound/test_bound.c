/*
 * gpube_bound() against enumeration on random models of every kind, each method
 * with several settings: no bound passes the optimum, every assignment is worth
 * what is said. One case a seed.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "gpube/ir/model.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"
#include "tests/support/bounded.h"
#include "tests/support/random_model.h"
#include "tests/support/small_model.h"

enum { N_COSTS = 240, N_POTENTIALS = 80, N_MEMORY = 12 };

static int setup(void **state)
{
	(void)state;
	return ctx_open(1, (uint64_t)1 << 28);
}

static void expect_costs(
	const struct gpube_model *m, const struct brute *brute, const struct gpube_opts *opts)
{
	struct gpube_solution *b = must_bound(m, opts);
	int64_t cost, sign = m->direction == GPUBE_MAXIMISE ? -1 : 1;

	if (b->answer == GPUBE_ANSWER_INFEASIBLE) {
		assert_false(brute->feasible);
		gpube_result_free(b);
		return;
	}
	if (brute->feasible && (!opts->has_cutoff || sign * brute->cost < sign * opts->cutoff))
		assert_true(sign * b->bound <= sign * brute->cost);
	if (opts->has_cutoff && brute->feasible && b->closed)
		assert_true(sign * brute->cost >= sign * opts->cutoff);
	if (b->values) {
		assert_true(brute->feasible);
		assert_int_equal(gpube_model_cost(&cost, m, b->values), 0);
		assert_true(cost == b->cost);
		assert_true(sign * cost >= sign * brute->cost);
	}
	if (b->answer == GPUBE_ANSWER_OPTIMAL) {
		assert_true(b->cost == brute->cost);
		assert_true(b->bound == brute->cost);
	}
	gpube_result_free(b);
}

static const struct gpube_opts settings[] = {
	{.method = GPUBE_BOUND_MBE, .z = 2},
	{.method = GPUBE_BOUND_MBE, .z = 3, .partition = GPUBE_PARTITION_FIRST},
	{.method = GPUBE_BOUND_MBE, .z = 2, .no_match = 1},
	{.method = GPUBE_BOUND_MBE, .z = 3, .partition = GPUBE_PARTITION_MERGE},
	{.method = GPUBE_BOUND_MBE},
	{.method = GPUBE_BOUND_ARC},
	{.method = GPUBE_BOUND_ASCENT},
	{.method = GPUBE_BOUND_ASCENT, .z = 2, .no_simplify = 1},
	{.method = GPUBE_BOUND_ASCENT, .regions = GPUBE_REGIONS_NESTED, .no_eliminate = 1},
	{.method = GPUBE_BOUND_ASCENT, .regions = GPUBE_REGIONS_NESTED},
	{.method = GPUBE_BOUND_ASCENT, .regions = GPUBE_REGIONS_NESTED, .no_simplify = 1},
	{.method = GPUBE_BOUND_TREE},
	{.method = GPUBE_BOUND_TREE, .no_simplify = 1},
	{.method = GPUBE_BOUND_PAIRWISE},
	{.method = GPUBE_BOUND_PAIRWISE, .no_simplify = 1, .split = GPUBE_SPLIT_NEVER},
	{.method = GPUBE_BOUND_ANDOR},
	{.method = GPUBE_BOUND_ANDOR, .no_simplify = 1},
	{.method = GPUBE_BOUND_AUTO},
	{.method = GPUBE_BOUND_ASCENT,
		.regions = GPUBE_REGIONS_NESTED,
		.split = GPUBE_SPLIT_FIRST,
		.no_eliminate = 1},
	{.method = GPUBE_BOUND_ASCENT,
		.regions = GPUBE_REGIONS_NESTED,
		.split = GPUBE_SPLIT_FIRST,
		.no_eliminate = 1,
		.no_simplify = 1},
};

static void costs(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_model *m = random_model(ctx, &spec, seed);
	struct brute brute;
	int32_t *values;

	assert_non_null(m);
	values = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*values));
	assert_int_equal(brute_force(&brute, values, m), 0);
	for (size_t k = 0; k < sizeof(settings) / sizeof(*settings); k++) {
		struct gpube_opts opts = settings[k];

		opts.seed = seed;
		opts.order_seconds = 1e-3;
		expect_costs(m, &brute, &opts);
		if (!brute.feasible)
			continue;
		opts.values = values;
		expect_costs(m, &brute, &opts);
		opts.values = NULL;
		opts.has_cutoff = 1;
		opts.cutoff = brute.cost + (int64_t)(seed % 5) - 2;
		expect_costs(m, &brute, &opts);
	}
	gpube__free(ctx, values);
	gpube_model_free(m);
}

static void potentials(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
	struct gpube_model *m = random_model(ctx, &spec, seed);
	struct brute brute;

	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	for (size_t k = 0; k < sizeof(settings) / sizeof(*settings); k++) {
		struct gpube_opts opts = settings[k];
		struct gpube_solution *b;
		double slack, log_value;

		opts.order_seconds = 1e-3;
		b = must_bound(m, &opts);
		slack = (m->n_functions + 1) * pow(10, -b->scale) + 1e-12 * fabs(brute.log_value);
		if (b->answer == GPUBE_ANSWER_INFEASIBLE) {
			assert_false(brute.feasible);
		} else if (brute.feasible) {
			assert_true(
				(double)b->bound * pow(10, -b->scale) <= -brute.log_value + slack);
			if (b->values) {
				assert_int_equal(
					gpube_model_log_value(&log_value, m, b->values), 0);
				assert_true(log_value == b->log_value);
			}
			if (b->answer == GPUBE_ANSWER_OPTIMAL)
				assert_true(fabs(b->log_value - brute.log_value) <= slack);
		}
		gpube_result_free(b);
	}
	gpube_model_free(m);
}

/* A failure of any allocation is reported, and leaves nothing behind. */
static int bound_scarcely(struct gpube_ctx *c, struct gpube_model *m, const void *arg)
{
	struct gpube_opts opts = *(const struct gpube_opts *)arg;
	struct gpube_solution *b;
	int status;

	(void)c;
	opts.order_seconds = 1e-4;
	status = gpube_bound(&b, m, &opts);
	assert_true(!b == (status != 0));
	gpube_result_free(b);
	return status;
}

static void memory(void **state)
{
	for (size_t k = 0; k < sizeof(settings) / sizeof(*settings); k++)
		fail_on_random_model(bound_scarcely, &settings[k], (uint64_t)(uintptr_t)*state, 16);
}

static void a_stopped_context_gives_bounds(void **state)
{
	struct random_spec spec = random_spec_default();
	struct gpube_opts opts = {0};
	struct gpube_model *m = random_model(ctx, &spec, 1);
	struct gpube_solution *b;
	struct brute brute;

	(void)state;
	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	gpube_ctx_stop(ctx);
	b = must_bound(m, &opts);
	ctx->stop = 0;
	assert_true(b->bound <= brute.cost);
	gpube_result_free(b);
	gpube_model_free(m);
}

/*
 * Nor is it a failure that nothing is known yet: a chain so long that it is not simplified at once.
 */
static void a_stop_before_bounds(void **state)
{
	struct gpube_opts opts = {0};
	struct gpube_model *m = new_model(200000, 2);
	const int64_t costs[] = {1, 2, 3, 4};
	struct gpube_solution *b;

	(void)state;
	assert_non_null(m);
	for (int32_t i = 0; i + 1 < m->n_vars; i++)
		assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, i + 1}, costs), 0);
	gpube_ctx_stop(ctx);
	b = must_bound(m, &opts);
	ctx->stop = 0;
	assert_int_equal(b->answer, GPUBE_ANSWER_INCOMPLETE);
	assert_null(b->values);
	assert_true(b->bound <= m->n_vars - 1);
	gpube_result_free(b);
	gpube_model_free(m);
}

static void bad_options(void **state)
{
	struct random_spec spec = random_spec_default();
	struct gpube_model *m = random_model(ctx, &spec, 2);
	struct gpube_opts opts = {.order_method = GPUBE_ORDER_GIVEN};
	struct gpube_solution *b;

	(void)state;
	assert_non_null(m);
	assert_int_equal(gpube_bound(&b, m, &opts), GPUBE_EINVAL);
	opts.order_method = GPUBE_ORDER_AUTO;
	opts.regions = GPUBE_REGIONS_NESTED; /* of another method */
	assert_int_equal(gpube_bound(&b, m, &opts), GPUBE_EINVAL);
	opts.regions = GPUBE_REGIONS_AUTO;
	opts.order_method = GPUBE_ORDER_GIVEN;
	opts.order = (int32_t[]){0, 1, 2, 3, 3, 4};
	assert_int_equal(gpube_bound(&b, m, &opts), GPUBE_EINVAL);
	assert_null(b);
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, costs, N_COSTS, "costs, seed");
	add_seeds(&c, potentials, N_POTENTIALS, "potentials, seed");
	add_numbers(&c, memory, N_MEMORY, "memory, seed");
	ADD_CASE(&c, a_stopped_context_gives_bounds);
	ADD_CASE(&c, a_stop_before_bounds);
	ADD_CASE(&c, bad_options);
	return run_cases(&c, "bound", setup, ctx_teardown);
}
