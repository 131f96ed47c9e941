/*
 * The model that cost shifting leaves in place of a given one: every assignment
 * costs the same, by every ascent, with any number of leftovers; where known
 * solutions cut, those that are better cost the same and no other is allowed.
 */
#include "tests/support/test.h"

#include "gpube/dense.h"
#include "gpube/shifted.h"
#include "tests/support/files.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 200 };

static struct gpube_ctx *ctx;

static int setup(void **state)
{
	struct gpube_ctx_opts opts = {.sizeof_options = sizeof(opts), .n_threads = 1};

	(void)state;
	return gpube_ctx_new(&ctx, &opts);
}

static int teardown(void **state)
{
	(void)state;
	gpube_ctx_free(ctx);
	return 0;
}

/* The best total that the whole is compared below: as 'limit' of a minimisation. */
static void compare(const struct gpube_model *m, const struct gpube_shifted *shifted, int64_t limit)
{
	const struct gpube_model *to = shifted->model;
	int32_t *values = gpube__alloc_zero(ctx, (uint64_t)m->n_vars, sizeof(*values));
	int64_t unit = 1;

	for (int k = m->scale; k < to->scale; k++)
		unit *= 10;
	assert_int_equal(to->n_vars, m->n_vars);
	assert_int_equal(to->direction, m->direction);
	do {
		int64_t cost, moved, total;

		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		assert_int_equal(gpube_model_cost(&moved, to, values), 0);
		total = cost != GPUBE_INF && m->direction == GPUBE_MAXIMISE ? -cost : cost;
		if (total < limit)
			assert_true(moved == cost * unit);
		else
			assert_true(moved == GPUBE_INF);
	} while (next_assignment(values, m));
	gpube__free(ctx, values);
}

/* No cost is negative as a minimisation has it, and the constant is a bound that was told. */
static void check_tables(const struct gpube_shifted *shifted, const struct gpube_shifted_opts *opts,
	const struct gpube_model *m, bool clusters)
{
	const struct gpube_model *to = shifted->model;
	int32_t n_wide = 0, n_given = 0;

	for (int32_t f = 0; f < to->n_functions; f++) {
		const struct gpube_table *t = gpube__table(to, f);

		n_wide += t->arity > 2;
		for (int64_t k = 0; k < t->n; k++) {
			int64_t cost = gpube__table_int(t, k);

			assert_true(cost == GPUBE_INF ||
				    (m->direction == GPUBE_MAXIMISE ? -cost : cost) >= 0);
		}
	}
	for (int32_t f = 0; f < m->n_functions; f++)
		n_given += m->functions[f].arity > 2;
	if (opts->max_tables && clusters)
		assert_true(n_wide <= opts->max_tables + 2 * n_given);
}

static void one(const struct gpube_model *m, const struct brute *brute, uint64_t seed)
{
	static const enum gpube_bound_method methods[] = {GPUBE_BOUND_AUTO, GPUBE_BOUND_SHIFT,
		GPUBE_BOUND_CLUSTERS, GPUBE_BOUND_JOINS};
	struct gpube_bound_opts opts = {.sizeof_options = sizeof(opts),
		.method = methods[seed % 4], .no_simplify = seed % 3 == 0, .seed = seed};
	struct gpube_shifted_opts shifting = {.whole = seed / 4 % 2, .decimals = (int)(seed % 7),
		.max_arity = 2 + (int)(seed / 8 % 4), .max_tables = (int32_t)(seed / 5 % 3),
		.max_cells = seed % 11 ? 1e6 : 20};
	struct gpube_bounds *bounds;
	struct gpube_shifted shifted;
	int64_t limit = GPUBE_INF;
	bool max = m->direction == GPUBE_MAXIMISE;

	if (seed % 13 == 0 && brute->feasible) {
		opts.has_cutoff = 1;
		opts.cutoff = brute->cost + (max ? -2 : 2);
		limit = max ? -opts.cutoff : opts.cutoff;
	}
	assert_int_equal(gpube__bound_shifted(&bounds, &shifted, m, &opts, &shifting), 0);
	if (brute->feasible)
		assert_true((max ? -bounds->bound : bounds->bound) <=
			    (max ? -brute->cost : brute->cost));
	if (!shifting.whole && bounds->values && (max ? -bounds->cost : bounds->cost) < limit)
		limit = max ? -bounds->cost : bounds->cost;
	assert_non_null(shifted.model);
	assert_true(shifted.shift <= shifting.decimals);
	assert_int_equal(gpube__shifted_restore(&shifted, !shifting.whole), 0);
	compare(m, &shifted, limit);
	check_tables(&shifted, &shifting, m,
		opts.method != GPUBE_BOUND_JOINS && shifting.max_arity <= 4);
	gpube_bounds_free(bounds, ctx);
	gpube__shifted_clear(&shifted);
}

static void shifted_model(void **state)
{
	uint64_t seed = *(uint64_t *)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_model *m;
	struct brute brute;

	if (seed % 8 == 1) /* costs that int32 does not hold */
		spec.max_cost = (int64_t)1 << 40;
	spec.observed = 0;
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	for (uint64_t k = 0; k < 12; k++)
		one(m, &brute, 12 * seed + k);
	gpube_model_free(m);
}

/* Wherever memory runs out: a status, and everything is given back. */
static void out_of_memory(void **state)
{
	static const enum gpube_bound_method methods[] = {GPUBE_BOUND_CLUSTERS, GPUBE_BOUND_JOINS};
	struct random_spec spec = random_spec_default();

	(void)state;
	for (int k = 0; k < 2; k++) {
		int status = GPUBE_ENOMEM;

		for (long fail_at = 0; status; fail_at += 1 + fail_at / 20) {
			struct test_memory memory = {.fail_at = -1};
			struct gpube_ctx *small = test_memory_ctx(&memory);
			struct gpube_bound_opts opts = {.sizeof_options = sizeof(opts),
				.method = methods[k], .order_seconds = 1e-4};
			struct gpube_shifted_opts shifting = {.whole = true, .decimals = 3,
				.max_arity = 3, .max_tables = 2, .max_cells = 1e6};
			struct gpube_model *m = random_model(small, &spec, 5);
			struct gpube_bounds *bounds;
			struct gpube_shifted shifted;
			long before = memory.live;

			assert_non_null(m);
			small->n_threads = 1;
			small->memory_bytes = 1 << 26;
			memory.fail_at = memory.n + fail_at;
			status = gpube__bound_shifted(&bounds, &shifted, m, &opts, &shifting);
			if (!status)
				status = gpube__shifted_restore(&shifted, false);
			memory.fail_at = -1;
			if (status)
				assert_int_equal(status, GPUBE_ENOMEM);
			gpube__shifted_clear(&shifted);
			gpube_bounds_free(bounds, small);
			assert_int_equal(memory.live, before);
			gpube_model_free(m);
			gpube_ctx_free(small);
		}
	}
}

int main(void)
{
	static struct CMUnitTest tests[N_SEEDS + 1];
	static uint64_t seeds[N_SEEDS];
	static void *states[N_SEEDS];
	static char names[N_SEEDS][48];

	for (int k = 0; k < N_SEEDS; k++) {
		seeds[k] = (uint64_t)k;
		states[k] = &seeds[k];
		snprintf(names[k], sizeof(names[k]), "shifted model, seed %d", k);
		tests[k] = (struct CMUnitTest){names[k], shifted_model, NULL, NULL, states[k]};
	}
	tests[N_SEEDS] = (struct CMUnitTest)cmocka_unit_test(out_of_memory);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, setup, teardown);
}
