/* Simplification: functions that are merged, absorbed or stay, and what is left over. */
#include "tests/support/test.h"

#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/simplified.h"

static void equal_scopes_merge(void **state)
{
	struct gpube_model *m = new_model(2, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(0, 1, 2, 3));
	add(m, SCOPE(1, 0), COSTS(0, 10, 20, 40)); /* [x1][x0] */
	s = simplified(m);
	assert_int_equal(s.n_merged, 1);
	assert_int_equal(s.model->n_functions, 1);
	assert_memory_equal(s.model->tables[0].values, ((int8_t[]){0, 21, 12, 43}), 4);
	end(&s, m);
}

static void unary_is_absorbed(void **state)
{
	struct gpube_model *m = new_model(3, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1, 2), COSTS(0, 1, 0, 1, 0, 1, 1, 0));
	add(m, SCOPE(1, 2), COSTS(0, 1, 2, 4));
	add(m, SCOPE(2), COSTS(5, 7));
	add(m, SCOPE(0), COSTS(0, 3));
	s = simplified(m);
	assert_int_equal(s.n_absorbed, 2);
	assert_int_equal(s.model->n_functions, 2);
	assert_true(s.model->constant == 5);
	/* the smaller of the two that have variable 2 took it */
	for (int32_t f = 0; f < 2; f++)
		if (s.model->functions[f].arity == 2)
			assert_memory_equal(
				gpube__table(s.model, f)->values, ((int8_t[]){0, 3, 2, 6}), 4);
	end(&s, m);
}

static void unary_alone_stays(void **state)
{
	struct gpube_model *m = new_model(1, 3);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0), COSTS(5, 7, 5));
	add(m, SCOPE(0), COSTS(0, 0, 1));
	s = simplified(m);
	assert_int_equal(s.n_merged, 1);
	assert_int_equal(s.n_absorbed, 0);
	assert_int_equal(s.model->n_functions, 1);
	assert_true(s.model->constant == 5);
	end(&s, m);
}

static void opposite_functions_vanish(void **state)
{
	struct gpube_model *m = new_model(2, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(3, -1, 2, 0));
	add(m, SCOPE(0, 1), COSTS(-3, 1, -2, 0));
	s = simplified(m);
	assert_int_equal(s.model->n_functions, 0);
	assert_true(s.model->constant == 0);
	end(&s, m);
}

static void sums_can_be_infeasible(void **state)
{
	struct gpube_model *m = new_model(2, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(0, X, X, 0));
	add(m, SCOPE(1, 0), COSTS(X, 0, 0, X));
	s = simplified(m);
	assert_true(s.infeasible);
	assert_int_equal(s.model->n_vars, 0);
	end(&s, m);
}

static void shared_tables_stay_shared(void **state)
{
	enum { N = 6 };
	struct gpube_model *m = new_model(N, 3);
	struct gpube_table t = {.type = GPUBE_INT16, .arity = 2, .n = 9};
	struct gpube_simplified s;
	int32_t table;

	(void)state;
	t.values = gpube__alloc(ctx, 9, sizeof(int16_t));
	memcpy(t.values, (int16_t[]){2, 1, 9, 1, 2, 1, 9, 1, 1000}, 9 * sizeof(int16_t));
	assert_int_equal(gpube__add_table(m, &table, &t), 0);
	for (int32_t i = 0; i + 1 < N; i++)
		assert_int_equal(gpube__add_function(m, SCOPE(i, i + 1), table, NULL), 0);
	s = simplified(m);
	assert_int_equal(s.model->n_functions, N - 1);
	assert_int_equal(s.model->n_tables, 1);
	assert_true(s.model->constant == N - 1);
	gpube__simplified_clear(ctx, &s);
	/* with value 0 of x2 and x3 gone there are four versions: whole, -right, both, -left */
	add(m, SCOPE(2), COSTS(X, 0, 0));
	add(m, SCOPE(3), COSTS(X, 0, 0));
	s = simplified(m);
	assert_int_equal(s.model->n_functions, N - 1);
	assert_int_equal(s.model->n_tables, 4);
	end(&s, m);
}

/* The price would be a copy of the 10,000 cells for each function. */
static void large_shared_tables_take_no_unary(void **state)
{
	enum { N = 4, DOMAIN = 100 };
	struct gpube_model *m = new_model(N, DOMAIN);
	struct gpube_table t = {.type = GPUBE_INT8, .arity = 2, .n = DOMAIN * DOMAIN};
	int64_t unary[DOMAIN];
	struct gpube_simplified s;
	int32_t table;

	(void)state;
	t.values = gpube__alloc_zero(ctx, DOMAIN * DOMAIN, 1);
	((int8_t *)t.values)[1] = 1;
	assert_int_equal(gpube__add_table(m, &table, &t), 0);
	for (int32_t i = 0; i + 1 < N; i++)
		assert_int_equal(gpube__add_function(m, SCOPE(i, i + 1), table, NULL), 0);
	for (int a = 0; a < DOMAIN; a++)
		unary[a] = a % 7;
	for (int32_t i = 0; i < N; i++)
		add(m, SCOPE(i), unary);
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_int_equal(s.n_absorbed, 0);
	assert_int_equal(s.model->n_tables, N + 1);
	assert_int_equal(s.model->n_functions, 2 * N - 1);
	end(&s, m);
}

static void components_are_counted(void **state)
{
	struct gpube_model *m = new_model(6, 2);
	struct gpube_simplified s;

	(void)state;
	add(m, SCOPE(0, 1), COSTS(0, 1, 1, 0));
	add(m, SCOPE(2, 3), COSTS(0, 1, 1, 0));
	add(m, SCOPE(3, 4), COSTS(0, 1, 1, 0));
	add(m, SCOPE(1, 5), COSTS(0, 1, X, X)); /* x1 = 0 */
	s = simplified(m);
	assert_int_equal(s.model->n_vars, 5);
	assert_int_equal(s.n_components, 3);
	end(&s, m);
}

static void free_variables_stay(void **state)
{
	struct gpube_model *m = new_model(3, 3);
	struct gpube_simplified s;
	int32_t values[3];

	(void)state;
	add(m, SCOPE(0, 1), COSTS(4, 4, 4, 4, 4, 4, 4, 4, 4));
	s = simplified(m);
	assert_int_equal(s.model->n_functions, 0);
	assert_int_equal(s.model->n_vars, 3);
	assert_int_equal(s.n_components, 3);
	assert_true(s.model->constant == 4);
	gpube__simplified_extend(&s, values, (int32_t[]){2, 0, 1});
	assert_memory_equal(values, ((int32_t[]){2, 0, 1}), sizeof(values));
	end(&s, m);
}

static void huge_free_domain_costs_no_memory(void **state)
{
	struct gpube_model *m = new_model(1, 2);
	struct gpube_simplified s;

	(void)state;
	assert_int_equal(gpube_model_add_var(m, NULL, INT32_MAX, NULL), 0);
	add(m, SCOPE(0), COSTS(0, 1));
	m->evidence = gpube__alloc(ctx, 2, sizeof(int32_t));
	memcpy(m->evidence, (int32_t[]){-1, -1}, 2 * sizeof(int32_t));
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_int_equal(s.model->vars[1].domain, INT32_MAX);
	gpube__simplified_clear(ctx, &s);
	m->evidence[1] = 12345678;
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_int_equal(s.value[1], 12345678);
	end(&s, m);
}

static void empty_models(void **state)
{
	struct gpube_model *m = new_model(0, 1);
	struct gpube_simplified s;

	(void)state;
	m->constant = 42;
	s = simplified(m);
	assert_true(s.model->constant == 42);
	assert_int_equal(s.n_components, 0);
	end(&s, m);
	m = new_model(0, 1);
	add(m, 0, NULL, COSTS(X));
	s = simplified(m);
	assert_true(s.infeasible);
	end(&s, m);
}

int main(void)
{
	struct cases c = {0};

	ADD_CASE(&c, equal_scopes_merge);
	ADD_CASE(&c, unary_is_absorbed);
	ADD_CASE(&c, unary_alone_stays);
	ADD_CASE(&c, opposite_functions_vanish);
	ADD_CASE(&c, sums_can_be_infeasible);
	ADD_CASE(&c, shared_tables_stay_shared);
	ADD_CASE(&c, large_shared_tables_take_no_unary);
	ADD_CASE(&c, components_are_counted);
	ADD_CASE(&c, free_variables_stay);
	ADD_CASE(&c, huge_free_domain_costs_no_memory);
	ADD_CASE(&c, empty_models);
	return run_cases(&c, "simplify: functions", ctx_setup, ctx_teardown);
}
