/*
 * What 'infer --task MPE' asks for, against enumeration: zeros, evidence, arities, magnitudes,
 * contradictions.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "gpube/gpube.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

static struct gpube_solution *solve(const struct gpube_model *m, uint64_t seed)
{
	static const enum gpube_order_method orders[] = {
		GPUBE_ORDER_AUTO, GPUBE_ORDER_MIN_FILL, GPUBE_ORDER_MIN_DEGREE};
	const struct gpube_opts opts = {.order_method = orders[seed % 3],
		.order_seconds = 1e-3,
		.no_simplify = seed % 5 == 0,
		.seed = seed};
	struct gpube_solution *out;

	if (gpube_solve(&out, m, &opts))
		fail_msg("%s", gpube_error(ctx));
	return out;
}

/* Rounded logarithms decide: of products that differ by less than that any may be the answer. */
static void check(const struct gpube_model *m, uint64_t seed, bool *impossible)
{
	struct gpube_solution *s = solve(m, seed);
	struct brute brute;
	double slack, value;

	assert_int_equal(brute_force(&brute, NULL, m), GPUBE_OK);
	*impossible = !brute.feasible;
	if (*impossible) {
		assert_int_equal(s->answer, GPUBE_ANSWER_INFEASIBLE);
		assert_null(s->values);
		gpube_result_free(s);
		return;
	}
	assert_int_equal(s->answer, GPUBE_ANSWER_OPTIMAL);
	assert_int_equal(gpube_model_log_value(&value, m, s->values), GPUBE_OK);
	slack = (m->n_functions + 1) * pow(10, -s->scale) + 1e-12 * fabs(brute.log_value);
	assert_true(value == s->log_value);
	assert_true(slack < 1e-3);
	assert_true(fabs(value - brute.log_value) <= slack);
	for (int32_t i = 0; i < m->n_vars; i++)
		assert_true(!m->evidence || m->evidence[i] < 0 || s->values[i] == m->evidence[i]);
	gpube_result_free(s);
}

static void test_random(void **state)
{
	int n_impossible = 0, n_observed = 0, n_odd = 0, n_wide = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 1200; seed++) {
		struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
		struct gpube_model *m = random_model(ctx, &spec, seed);
		bool impossible;

		assert_non_null(m);
		check(m, seed, &impossible);
		n_impossible += impossible;
		n_observed += m->evidence != NULL;
		n_odd += spec.odd_potentials;
		for (int32_t f = 0; f < m->n_functions; f++)
			n_wide += m->functions[f].arity > 3;
		gpube_model_free(m);
	}
	/* the cases are there */
	assert_true(n_impossible > 20);
	assert_true(n_impossible < 900);
	assert_true(n_observed > 50);
	assert_true(n_odd > 50);
	assert_true(n_wide > 50);
}

/* Each value observed alone may occur, both together not. */
static void test_contradiction(void **state)
{
	static const double equal[] = {1e-300, 0, 0, 1e300};
	struct gpube_model *m;
	bool impossible;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
	for (int32_t i = 0; i < 6; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
	for (int32_t i = 0; i < 5; i++)
		assert_int_equal(
			gpube_model_add_potentials(m, 2, (const int32_t[]){i, i + 1}, equal),
			GPUBE_OK);
	check(m, 0, &impossible);
	assert_false(impossible);
	assert_int_equal(gpube_model_observe(m, 0, 0), GPUBE_OK);
	check(m, 1, &impossible);
	assert_false(impossible);
	assert_int_equal(gpube_model_observe(m, 5, 1), GPUBE_OK);
	for (uint64_t seed = 0; seed < 15; seed++) {
		check(m, seed, &impossible);
		assert_true(impossible);
	}
	gpube_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_contradiction),
	};

	return cmocka_run_group_tests(tests, ctx_setup, ctx_teardown);
}
