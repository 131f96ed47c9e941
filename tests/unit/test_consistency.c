/*
 * Consistency of values and pairs: the solutions below top and their costs stay, by enumeration;
 * and what is left is consistent, by a check that knows nothing of the implementation.
 */
#include "tests/support/test.h"

#include "gpube/ir/dense.h"
#include "gpube/simplify/consistency.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"
#include "tests/support/small_model.h"

#include <string.h>

enum { N_MODELS = 400, N_NETWORKS = 200, MOST = 8 };

static struct gpube_simplified consistent(const struct gpube_model *m, enum gpube__consistency what,
	struct gpube__consistency_did *did)
{
	struct gpube_simplified s;

	assert_int_equal(gpube__simplify_below(&s, m, GPUBE__REDUCE, GPUBE__BELOW), 0);
	if (gpube__make_consistent(&s, what, did))
		fail_msg("%s", gpube_error(ctx));
	return s;
}

/* The cost of a solution of m below top, negated if it maximises; GPUBE_INF of others. */
static int64_t cost_of(const struct gpube_model *m, const int32_t *values)
{
	int64_t cost;

	assert_int_equal(gpube_model_cost(&cost, m, values), 0);
	return cost;
}

/* As many solutions as before, of which each is one, and of the same cost. */
static void check_solutions(const struct gpube_model *m, const struct gpube_simplified *s)
{
	int32_t reduced[64] = {0}, values[64] = {0};
	uint64_t before = 0, after = 0;
	struct brute brute;

	assert_int_equal(brute_force(&brute, values, m), 0);
	before = brute.n_feasible;
	if (s->infeasible) {
		assert_int_equal(before, 0);
		return;
	}
	do {
		const int64_t cost = cost_of(s->model, reduced);

		if (cost >= s->model->top || cost == GPUBE_INF)
			continue;
		gpube__simplified_extend(s, values, reduced);
		assert_true(cost_of(m, values) == (s->negated ? -cost : cost));
		after++;
	} while (next_assignment(reduced, s->model));
	assert_true(before == after);
}

static void random_models(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_model *m;

	spec.forbidden = 0.1 * (double)(seed % 8);
	if (seed % 3)
		spec.top = TOP_TIGHT;
	spec.odd_potentials = false;
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	for (int what = GPUBE__CONSISTENCY_SAC; what <= GPUBE__CONSISTENCY_PC; what++) {
		struct gpube__consistency_did did;
		struct gpube_simplified s = consistent(m, (enum gpube__consistency)what, &did);

		check_solutions(m, &s);
		gpube__simplified_clear(ctx, &s);
	}
	gpube_model_free(m);
}

/* ---- networks of hard binary functions ------------------------------------------------------- */

/* Whether a pair of values is allowed by every function of the two variables. */
static bool goes(const struct gpube_model *m, int32_t i, int32_t a, int32_t j, int32_t b)
{
	for (int32_t f = 0; f < m->n_functions; f++) {
		const int32_t *scope = gpube__scope(m, f);
		int32_t values[MOST] = {0};

		if (m->functions[f].arity != 2 ||
			!((scope[0] == i && scope[1] == j) || (scope[0] == j && scope[1] == i)))
			continue;
		values[i] = a;
		values[j] = b;
		if (gpube__function_cost(m, f, values) == GPUBE_INF)
			return false;
	}
	return true;
}

/* Whether the values that are left of each variable (bits) can be made arc consistent. */
static bool arcs_leave_something(const struct gpube_model *m, uint32_t *left)
{
	bool again = true;

	while (again) {
		again = false;
		for (int32_t i = 0; i < m->n_vars; i++) {
			for (int32_t a = 0; a < m->vars[i].domain; a++)
				for (int32_t j = 0; j < m->n_vars && left[i] >> a & 1; j++) {
					bool some = i == j;

					for (int32_t b = 0; b < m->vars[j].domain && !some; b++)
						some = (left[j] >> b & 1) && goes(m, i, a, j, b);
					if (!some) {
						left[i] &= ~(1u << a);
						again = true;
					}
				}
			if (!left[i])
				return false;
		}
	}
	return true;
}

static void check_singletons(const struct gpube_model *m)
{
	for (int32_t i = 0; i < m->n_vars; i++)
		for (int32_t a = 0; a < m->vars[i].domain; a++) {
			uint32_t left[MOST];

			for (int32_t j = 0; j < m->n_vars; j++)
				left[j] = j == i ? 1u << a : (1u << m->vars[j].domain) - 1;
			assert_true(arcs_leave_something(m, left));
		}
}

static void check_paths(const struct gpube_model *m)
{
	for (int32_t i = 0; i < m->n_vars; i++)
		for (int32_t j = i + 1; j < m->n_vars; j++)
			for (int32_t c = 0; c < m->vars[i].domain * m->vars[j].domain; c++) {
				const int32_t a = c / m->vars[j].domain, b = c % m->vars[j].domain;

				for (int32_t k = 0; k < m->n_vars; k++) {
					bool some = k == i || k == j || !goes(m, i, a, j, b);

					for (int32_t v = 0; v < m->vars[k].domain && !some; v++)
						some = goes(m, i, a, k, v) && goes(m, j, b, k, v);
					assert_true(some);
				}
			}
}

static struct gpube_model *network(uint64_t seed)
{
	const int n = 5 + (int)(seed % 4);
	struct gpube_model *m;
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < n; i++)
		assert_int_equal(
			gpube_model_add_var(m, NULL, 2 + (int32_t)gpube__rng_below(&rng, 3), NULL),
			0);
	for (int32_t i = 0; i < n; i++)
		for (int32_t j = i + 1; j < n; j++) {
			int64_t costs[16];

			if (gpube__rng_below(&rng, 10) < 3)
				continue;
			for (int c = 0; c < 16; c++)
				costs[c] = gpube__rng_below(&rng, 100) < 15 + 3 * (seed % 10)
						   ? GPUBE_INF
						   : 0;
			assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, j}, costs), 0);
		}
	return m;
}

static void networks(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_model *m = network(seed);

	for (int what = GPUBE__CONSISTENCY_SAC; what <= GPUBE__CONSISTENCY_PC; what++) {
		struct gpube__consistency_did did;
		struct gpube_simplified s = consistent(m, (enum gpube__consistency)what, &did);

		check_solutions(m, &s);
		if (!s.infeasible && what == GPUBE__CONSISTENCY_SAC)
			check_singletons(s.model);
		if (!s.infeasible && what == GPUBE__CONSISTENCY_PC)
			check_paths(s.model);
		gpube__simplified_clear(ctx, &s);
	}
	gpube_model_free(m);
}

/* ---- what each of them sees ---------------------------------------------------------- */

/* d + 1 variables of d values, no two equal: infeasible, which arcs do not see. */
static void different(void **state)
{
	struct gpube__consistency_did did;
	const int64_t X_ = GPUBE_INF;
	const int64_t two[] = {X_, 0, 0, X_}, three[] = {X_, 0, 0, 0, X_, 0, 0, 0, X_};
	struct gpube_simplified s;
	struct gpube_model *m;

	(void)state;
	for (int d = 2; d <= 3; d++) {
		assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
		for (int i = 0; i <= d; i++)
			assert_int_equal(gpube_model_add_var(m, NULL, d, NULL), 0);
		for (int32_t i = 0; i <= d; i++)
			for (int32_t j = i + 1; j <= d; j++)
				assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, j},
							 d == 2 ? two : three),
					0);
		/*
		 * of four variables and three values neither sees it: one value, or two, leave the
		 * others two or one
		 */
		for (int what = GPUBE__CONSISTENCY_SAC; what <= GPUBE__CONSISTENCY_PC; what++) {
			s = consistent(m, (enum gpube__consistency)what, &did);
			assert_true(s.infeasible == (d == 2));
			gpube__simplified_clear(ctx, &s);
		}
		gpube_model_free(m);
	}
}

/* An upper bound makes costs forbidden that no function forbids alone. */
static void bounded(void **state)
{
	const int64_t costs[] = {0, 3, 3, 4};
	struct gpube__consistency_did did;
	struct gpube_simplified s;
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int32_t i = 0; i < 3; i++)
		assert_int_equal(
			gpube_model_add_costs(m, 2, (int32_t[]){i, (i + 1) % 3}, costs), 0);
	assert_int_equal(gpube_model_set_top(m, 6), 0);
	s = consistent(m, GPUBE__CONSISTENCY_SAC, &did);
	/* a 1 costs 3 with both neighbours, at least */
	assert_int_equal(did.values_removed, 3);
	check_solutions(m, &s);
	gpube__simplified_clear(ctx, &s);
	gpube_model_free(m);
}

static void too_large(void **state)
{
	struct gpube__consistency_did did;
	struct gpube_simplified s;
	struct gpube_model *m;
	const int64_t costs[] = {0, 1, 1, 0};
	const uint64_t memory = ctx->memory_bytes;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int32_t i = 0; i < 100; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int32_t i = 0; i < 99; i++)
		assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, i + 1}, costs), 0);
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	ctx->memory_bytes = 100000;
	assert_int_equal(gpube__make_consistent(&s, GPUBE__CONSISTENCY_PC, &did), GPUBE_ELIMIT);
	ctx->memory_bytes = memory;
	gpube__simplified_clear(ctx, &s);
	gpube_model_free(m);
}

int main(void)
{
	static struct CMUnitTest tests[N_MODELS + N_NETWORKS + 3];
	static char names[N_MODELS + N_NETWORKS][32];
	size_t n = 0;

	for (size_t i = 0; i < N_MODELS; i++, n++) {
		snprintf(names[n], sizeof(names[n]), "model %zu", i);
		tests[n] = (struct CMUnitTest){
			names[n], random_models, NULL, NULL, (void *)(uintptr_t)i};
	}
	for (size_t i = 0; i < N_NETWORKS; i++, n++) {
		snprintf(names[n], sizeof(names[n]), "network %zu", i);
		tests[n] =
			(struct CMUnitTest){names[n], networks, NULL, NULL, (void *)(uintptr_t)i};
	}
	tests[n++] = (struct CMUnitTest){"all different", different, NULL, NULL, NULL};
	tests[n++] = (struct CMUnitTest){"an upper bound", bounded, NULL, NULL, NULL};
	tests[n++] = (struct CMUnitTest){"too large", too_large, NULL, NULL, NULL};
	return _cmocka_run_group_tests("consistency", tests, n, ctx_setup, ctx_teardown);
}
