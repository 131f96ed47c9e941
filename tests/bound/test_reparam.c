/*
 * The model that cost shifting leaves in place of a given one: every assignment
 * costs the same, by every ascent, with any number of leftovers; where known
 * solutions cut, those that are better cost the same and no other is allowed.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/ir/dense.h"
#include "gpube/ir/model.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"
#include "gpube/certify.h"

enum { N_SEEDS = 200 };

/* The best total that the whole is compared below: as 'limit' of a minimisation. */
static void compare(const struct gpube_model *m, const struct gpube_model *to, int64_t limit)
{
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
static void check_tables(const struct gpube_model *to, const struct gpube_opts *how,
	const struct gpube_model *m, bool triples)
{
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
	if (how->max_tables && triples && !n_given)
		assert_true(n_wide <= how->max_tables);
}

static void one(const struct gpube_model *m, const struct brute *brute, uint64_t seed)
{
	static const enum gpube_bound_method methods[] = {
		GPUBE_BOUND_AUTO, GPUBE_BOUND_ARC, GPUBE_BOUND_ASCENT, GPUBE_BOUND_ASCENT};
	struct gpube_opts opts = {.method = methods[seed % 4],
		.regions = seed % 4 == 2 ? GPUBE_REGIONS_NESTED : GPUBE_REGIONS_AUTO,
		.no_simplify = seed % 3 == 0,
		.seed = (int64_t)seed,
		.prune = seed / 4 % 2 == 0,
		.decimals = (int)(seed % 7),
		.max_arity = 2 + (int)(seed / 8 % 4),
		.max_tables = (int32_t)(seed / 5 % 3),
		.max_cells = seed % 11 ? 1e6 : 20};
	struct gpube_solution *bounds;
	struct gpube_model *to;
	int64_t limit = GPUBE_INF;
	bool max = m->direction == GPUBE_MAXIMISE;

	if (seed % 13 == 0 && brute->feasible) {
		opts.has_cutoff = 1;
		opts.cutoff = brute->cost + (max ? -2 : 2);
		limit = max ? -opts.cutoff : opts.cutoff;
	}
	assert_int_equal(gpube_reparam(&bounds, &to, m, &opts), 0);
	if (brute->feasible)
		assert_true((max ? -bounds->bound : bounds->bound) <=
			    (max ? -brute->cost : brute->cost));
	if (opts.prune && bounds->values && (max ? -bounds->cost : bounds->cost) < limit)
		limit = max ? -bounds->cost : bounds->cost;
	assert_non_null(to);
	assert_true(to->scale - m->scale <= opts.decimals);
	compare(m, to, limit);
	check_tables(to, &opts, m, seed % 4 != 3 && opts.max_arity <= 3);
	gpube_result_free(bounds);
	gpube_model_free(to);
}

static void shifted_model(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
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

static int shift_scarcely(struct gpube_ctx *c, struct gpube_model *m, const void *method)
{
	struct gpube_opts opts = {.method = *(const enum gpube_bound_method *)method,
		.order_seconds = 1e-4,
		.max_arity = 3,
		.decimals = 3,
		.max_tables = 2,
		.max_cells = 1e6};
	struct gpube_solution *bounds;
	struct gpube_model *to;
	int status = gpube_reparam(&bounds, &to, m, &opts);

	(void)c;
	assert_true(status ? !bounds && !to : bounds && to);
	gpube_model_free(to);
	gpube_result_free(bounds);
	return status;
}

/* Wherever memory runs out: a status, and everything is given back. */
static void out_of_memory(void **state)
{
	static const enum gpube_bound_method methods[] = {GPUBE_BOUND_AUTO, GPUBE_BOUND_ASCENT};

	(void)state;
	for (int k = 0; k < 2; k++)
		fail_on_random_model(shift_scarcely, &methods[k], 5, 20);
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, shifted_model, N_SEEDS, "reparametrised model, seed");
	ADD_CASE(&c, out_of_memory);
	return run_cases(&c, "reparam", ctx_setup_1_thread, ctx_teardown);
}
