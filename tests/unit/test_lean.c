/*
 * Models without variables of few neighbours: what is left costs what the best of the whole does,
 * for every assignment.
 */
#include "tests/support/test.h"

#include "gpube/simplify/lean.h"
#include "gpube/simplify/simplify.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 500, MOST_VARS = 64 };

/* The least cost of the whole model's assignments that agree with a lean one. */
static int64_t least(const struct gpube_model *m, const struct gpube_lean *l, const int32_t *lean)
{
	int32_t values[MOST_VARS] = {0};
	int64_t best = GPUBE_INF, cost;

	do {
		bool agrees = true;

		for (int32_t i = 0; i < m->n_vars && agrees; i++)
			agrees = l->var[i] < 0 || values[i] == lean[l->var[i]];
		if (!agrees)
			continue;
		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		best = cost < best ? cost : best;
	} while (next_assignment(values, m));
	return best;
}

static void costs_the_least(void **state)
{
	static const int64_t most_cells[] = {1, 4, 20, 256};
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_model *m = random_model(ctx, &spec, seed);
	struct gpube_simplified s;
	struct gpube_lean *l;

	assert_non_null(m);
	assert_int_equal(gpube__simplify(&s, m, seed % 3 > 0), 0);
	assert_true(s.model->n_vars <= MOST_VARS);
	assert_int_equal(gpube__lean_new(&l, s.model, most_cells[seed % 4]), 0);
	if (l && !s.infeasible) {
		int32_t lean[MOST_VARS] = {0}, whole[MOST_VARS];

		assert_true(l->model->n_vars + l->n_steps == s.model->n_vars);
		do {
			const int64_t best = least(s.model, l, lean);
			int64_t cost, extended;

			assert_int_equal(gpube_model_cost(&cost, l->model, lean), 0);
			assert_true(cost == best);
			if (best == GPUBE_INF)
				continue;
			gpube__lean_extend(l, whole, lean);
			assert_int_equal(gpube_model_cost(&extended, s.model, whole), 0);
			assert_true(extended == best);
		} while (next_assignment(lean, l->model));
	}
	gpube__lean_free(ctx, l);
	gpube__simplified_clear(ctx, &s);
	gpube_model_free(m);
}

/*
 * A star of many leaves: all of them go, whatever the number of the centre's functions; a clique of
 * ten stays.
 */
static void star_and_clique(void **state)
{
	const int64_t costs[4] = {0, 3, 2, 0};
	struct gpube_model *m;
	struct gpube_lean *l;
	int32_t whole[110], lean[11] = {1};
	int64_t cost;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int32_t i = 0; i < 110; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int32_t i = 1; i < 100; i++)
		assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){0, i}, costs), 0);
	for (int32_t i = 100; i < 110; i++)
		for (int32_t j = i + 1; j < 110; j++)
			assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, j}, costs), 0);
	assert_int_equal(gpube__lean_new(&l, m, 4), 0);
	assert_non_null(l);
	assert_int_equal(l->n_steps, 99);
	assert_int_equal(l->model->n_vars, 11);
	gpube__lean_extend(l, whole, lean);
	assert_int_equal(gpube_model_cost(&cost, m, whole), 0);
	assert_true(cost == 0 && whole[0] == 1 && whole[99] == 1);
	gpube__lean_free(ctx, l);
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, costs_the_least, N_SEEDS, "costs the least, seed");
	ADD_CASE(&c, star_and_clique);
	return run_cases(&c, "lean", ctx_setup_1_thread, ctx_teardown);
}
