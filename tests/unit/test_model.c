/* The model: building, limits, costs of assignments. */
#include "tests/support/test.h"

#include "gpube/ir/model.h"
#include "tests/support/context.h"

static void narrowest_type(void **state)
{
	static const struct {
		int64_t value;
		enum gpube_type type;
	} cases[] = {
		{0, GPUBE_INT8},
		{126, GPUBE_INT8},
		{127, GPUBE_INT16},
		{-127, GPUBE_INT8},
		{-128, GPUBE_INT16},
		{32766, GPUBE_INT16},
		{32767, GPUBE_INT32},
		{INT32_MAX - 1, GPUBE_INT32},
		{INT32_MAX, GPUBE_INT64},
		{GPUBE_INF, GPUBE_INT8},
		{GPUBE_INF - 1, GPUBE_INT64},
		{INT64_MIN + 1, GPUBE_INT64},
		{INT64_MIN, GPUBE_INT64},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct gpube_values v = {0};
		struct gpube_table t;

		assert_int_equal(gpube__values_push(ctx, &v, 5), 0);
		assert_int_equal(gpube__values_push(ctx, &v, GPUBE_INF), 0);
		assert_int_equal(gpube__values_push(ctx, &v, cases[i].value), 0);
		assert_int_equal(v.type, cases[i].type);
		t = (struct gpube_table){.type = v.type, .values = v.values, .n = v.n};
		assert_true(gpube__table_int(&t, 0) == 5);
		assert_true(gpube__table_int(&t, 1) == GPUBE_INF);
		assert_true(gpube__table_int(&t, 2) == cases[i].value);
		gpube__values_clear(ctx, &v);
		/* the same at once */
		assert_int_equal(gpube__values_append(ctx, &v,
					 (const int64_t[]){GPUBE_INF, cases[i].value, 5}, 3),
			0);
		assert_int_equal(v.type, cases[i].type);
		t = (struct gpube_table){.type = v.type, .values = v.values, .n = v.n};
		assert_true(gpube__table_int(&t, 0) == GPUBE_INF);
		assert_true(gpube__table_int(&t, 1) == cases[i].value);
		gpube__values_clear(ctx, &v);
	}
}

static void cost_of_an_assignment(void **state)
{
	struct gpube_model *m;
	const int32_t scope[] = {1, 0};
	const int64_t costs[] = {0, 1, 2, 3, 4, GPUBE_INF}; /* [v1][v0] */
	int64_t cost;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, "a"), 0);
	assert_int_equal(gpube_model_add_var(m, NULL, 3, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, scope, costs), 0);
	assert_int_equal(gpube_model_add_costs(m, 0, NULL, &costs[4]), 0);
	assert_int_equal(gpube_model_cost(&cost, m, (int32_t[]){1, 1}), 0);
	assert_true(cost == 7);
	assert_int_equal(gpube_model_cost(&cost, m, (int32_t[]){1, 2}), 0);
	assert_true(cost == GPUBE_INF);
	assert_int_equal(gpube_model_set_top(m, 7), 0);
	assert_int_equal(gpube_model_cost(&cost, m, (int32_t[]){1, 1}), 0);
	assert_true(cost == GPUBE_INF);
	assert_int_equal(gpube_model_cost(&cost, m, (int32_t[]){2, 0}), GPUBE_EINVAL);
	gpube_model_free(m);
}

static void observations(void **state)
{
	struct gpube_model *m;
	int64_t cost;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_set_scale(m, 19), GPUBE_EINVAL);
	assert_int_equal(gpube_model_set_scale(m, 2), 0);
	assert_int_equal(m->scale, 2);
	assert_int_equal(gpube_model_observe(m, 1, 0), GPUBE_EINVAL);
	assert_int_equal(gpube_model_observe(m, 0, 2), GPUBE_EINVAL);
	assert_int_equal(gpube_model_observe(m, 0, 1), 0);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_cost(&cost, m, (int32_t[]){0, 0}), 0);
	assert_true(cost == GPUBE_INF);
	assert_int_equal(gpube_model_cost(&cost, m, (int32_t[]){1, 1}), 0);
	assert_true(cost == 0);
	assert_int_equal(gpube_model_observe(m, 0, -1), 0);
	assert_int_equal(gpube_model_cost(&cost, m, (int32_t[]){0, 0}), 0);
	assert_true(cost == 0);
	gpube_model_free(m);
}

static void bad_scopes(void **state)
{
	struct gpube_model *m;
	const int64_t costs[4] = {0};

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	assert_int_equal(gpube_model_add_var(m, NULL, 0, NULL), GPUBE_EINVAL);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 1, (int32_t[]){1}, costs), GPUBE_EINVAL);
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){0, 0}, costs), GPUBE_EINVAL);
	assert_string_equal(gpube_error(ctx),
		"a scope of 2 variables: there are 1, and none may be in it twice");
	assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){0, 0}, costs), GPUBE_EINVAL);
	assert_string_equal(gpube_error(ctx), "variable 0 is twice in a scope");
	gpube_model_free(m);
}

static void size_overflow(void **state)
{
	struct gpube_model *m;
	int32_t scope[3];
	const int64_t cost = 0;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(gpube_model_add_var(m, &scope[i], 1 << 30, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 3, scope, &cost), GPUBE_ERANGE);
	gpube_model_free(m);
}

static void tuples_are_sorted(void **state)
{
	struct gpube_table t = {.type = GPUBE_INT8, .sparse = true, .arity = 2, .n = 3};
	const int32_t tuples[] = {1, 1, 0, 2, 1, 0}, domains[] = {2, 3};
	const int8_t values[] = {11, 2, 10};
	int64_t twice;

	(void)state;
	t.tuples = gpube__alloc(ctx, 6, sizeof(int32_t));
	t.values = gpube__alloc(ctx, 3, 1);
	memcpy(t.tuples, tuples, sizeof(tuples));
	memcpy(t.values, values, sizeof(values));
	assert_int_equal(gpube__sort_tuples(ctx, &t, &twice), 0);
	assert_true(twice == -1);
	for (int k = 0; k < 3; k++)
		assert_true(gpube__table_int(&t, gpube__table_find(&t, domains, tuples + 2 * k)) ==
			    values[k]);
	assert_true(gpube__table_find(&t, domains, (int32_t[]){0, 0}) == -1);
	memcpy(t.tuples, (int32_t[]){1, 1, 0, 2, 1, 1}, 6 * sizeof(int32_t));
	assert_int_equal(gpube__sort_tuples(ctx, &t, &twice), 0);
	assert_true(twice == 2);
	gpube__free(ctx, t.tuples);
	gpube__free(ctx, t.values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(narrowest_type),
		cmocka_unit_test(cost_of_an_assignment),
		cmocka_unit_test(observations),
		cmocka_unit_test(bad_scopes),
		cmocka_unit_test(size_overflow),
		cmocka_unit_test(tuples_are_sorted),
	};

	return cmocka_run_group_tests(tests, ctx_setup, ctx_teardown);
}
