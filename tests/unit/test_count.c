/* Numbers of solutions against enumeration, and those of any size. */
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdio.h>

#include "gpube/ir/model.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

static void expect_count(const struct gpube_model *m, const char *count)
{
	struct gpube_solution *s;

	if (gpube_count(&s, m, NULL)) {
		fail_msg("%s", gpube_error(ctx));
		return;
	}
	assert_string_equal(s->count, count);
	assert_int_equal(s->answer, strcmp(count, "0") ? GPUBE_ANSWER_OPTIMAL : GPUBE_ANSWER_INFEASIBLE);
	if (s->values && m->kind == GPUBE_COSTS) {
		int64_t cost;

		assert_int_equal(gpube_model_cost(&cost, m, s->values), GPUBE_OK);
		assert_true(cost != GPUBE_INF);
	}
	gpube_solution_free(s, ctx);
}

static void test_random(void **state)
{
	int n_counted = 0, n_refused = 0, n_none = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 1000; seed++) {
		struct random_spec spec =
			random_spec_varied(seed, seed % 3 ? GPUBE_COSTS : GPUBE_POTENTIALS);
		struct gpube_solution *s;
		struct gpube_model *m;
		struct brute brute;
		char count[24];
		int status;

		if (seed % 2) /* a constraint problem: all or nothing */
			spec.min_cost = spec.max_cost = 0;
		m = random_model(ctx, &spec, seed);
		assert_non_null(m);
		assert_int_equal(brute_force(&brute, NULL, m), GPUBE_OK);
		snprintf(count, sizeof(count), "%" PRIu64, brute.n_feasible);
		status = gpube_count(&s, m, NULL);
		gpube_solution_free(s, ctx);
		if (status) {
			/* only where costs and top make a difference */
			assert_int_equal(status, GPUBE_EINVAL);
			assert_int_equal(m->kind, GPUBE_COSTS);
			assert_true(m->top != GPUBE_INF && m->top != -GPUBE_INF);
			n_refused++;
		} else {
			expect_count(m, count);
			n_counted++;
			n_none += brute.n_feasible == 0;
		}
		gpube_model_free(m);
	}
	assert_true(n_counted > 600);
	assert_true(n_refused > 10);
	assert_true(n_none > 20);
}

/* 3^200, by residues; and the same with a constant that reaches top. */
static void test_large(void **state)
{
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), GPUBE_OK);
	for (int32_t i = 0; i < 200; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 3, NULL), GPUBE_OK);
	expect_count(m, "265613988875874769338781322035779626829233452653394495974574961739092490901302182994384699044001");
	assert_int_equal(gpube_model_add_costs(m, 0, NULL, (const int64_t[]){5}), GPUBE_OK);
	assert_int_equal(gpube_model_set_top(m, 5), GPUBE_OK);
	expect_count(m, "0");
	gpube_model_free(m);
}

/* Costs from top on are forbidden one by one; what only a total of several reaches is refused. */
static void test_top(void **state)
{
	static const int64_t soft[] = {0, 3, 10};
	struct gpube_model *m;
	struct gpube_solution *s;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), GPUBE_OK);
	for (int32_t i = 0; i < 3; i++) {
		assert_int_equal(gpube_model_add_var(m, NULL, 3, NULL), GPUBE_OK);
		assert_int_equal(gpube_model_add_costs(m, 1, &i, soft), GPUBE_OK);
	}
	assert_int_equal(gpube_model_set_top(m, 10), GPUBE_OK);
	expect_count(m, "8");
	assert_int_equal(gpube_model_set_top(m, 9), GPUBE_OK);
	assert_int_equal(gpube_count(&s, m, NULL), GPUBE_EINVAL);
	assert_null(s);
	assert_non_null(strstr(gpube_error(ctx), "can add up to the model's top"));
	assert_int_equal(gpube_model_set_top(m, GPUBE_INF), GPUBE_OK);
	expect_count(m, "27");
	gpube_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_top),
	};

	return cmocka_run_group_tests(tests, ctx_setup_2_threads, ctx_teardown);
}
