/* The pass down the bucket tree: large messages, complete graphs, fronts. */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "tests/sums/infer_truth.h"

/* Where each variable is with each other, marginals need no more tables at once than the sum. */
static void test_complete(void **state)
{
	enum { N = 9 };
	struct gpube_model *m;
	struct gpube_inference *pr, *mar;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
	for (int i = 0; i < N; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2 + i % 2, NULL), GPUBE_OK);
	for (int32_t a = 0; a < N; a++)
		for (int32_t b = a + 1; b < N; b++) {
			double cells[9];

			for (int i = 0; i < 9; i++)
				cells[i] = 0.5 + (i * (a + 2) + b) % 7;
			assert_int_equal(
				gpube_model_add_potentials(m, 2, (const int32_t[]){a, b}, cells),
				GPUBE_OK);
		}
	check(m);
	pr = infer(m, (struct gpube_opts){.task = GPUBE_INFER_PR});
	mar = infer(m, (struct gpube_opts){.task = GPUBE_INFER_MAR});
	assert_true(mar->plan.peak_bytes <= 1.2 * pr->plan.peak_bytes);
	gpube_result_free(pr);
	gpube_result_free(mar);
	gpube_model_free(m);
}

/*
 * A bucket whose children's messages have as many variables as it, or nearly so, and one that has
 * fewer: along an order that has such. What comes from above is the farther apart, the larger the
 * step.
 */
static void test_large_messages(void **state)
{
	static const int32_t scopes[][4] = {{0, 3, 4, 5}, {1, 3, 4, 5}, {2, 3, 4, 6}, {0, 1, 2, 3},
		{3, 4, 5, 6}, {4, 5, 7, 8}, {5, 6, 7, 8}};
	enum { N = 9, N_FUNCTIONS = 7 };
	const int32_t order[N] = {8, 0, 1, 2, 3, 4, 5, 6, 7};

	(void)state;
	for (uint64_t seed = 0; seed < 48; seed++) {
		const double step = (double)(seed % 4) * 25;
		struct gpube_inference *mar;
		struct gpube_model *m;
		struct gpube_rng rng;
		struct truth t;
		int64_t at = 0;

		gpube__rng_init(&rng, seed);
		assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
		for (int i = 0; i < N; i++)
			assert_int_equal(
				gpube_model_add_var(m, NULL, 2 + (i + (int)seed) % 2, NULL),
				GPUBE_OK);
		for (int f = 0; f < N_FUNCTIONS; f++) {
			/*
			 * without the fourth there are three children; with it they follow each
			 * other
			 */
			const int arity = f == 3 && seed % 3 ? 1 : 4;
			double cells[81];

			for (int i = 0; i < 81; i++) {
				const double far =
					f < 5 ? 0 : -step * (double)gpube__rng_below(&rng, 4);

				cells[i] = gpube__rng_below(&rng, 6)
						   ? gpube__rng_unit(&rng) * pow(10, far)
						   : 0;
			}
			assert_int_equal(
				gpube_model_add_potentials(m, arity, scopes[f], cells), GPUBE_OK);
		}
		mar = infer(m, (struct gpube_opts){.task = GPUBE_INFER_MAR,
				       .order_method = GPUBE_ORDER_GIVEN,
				       .order = order});
		enumerate(&t, m);
		for (int32_t i = 0; i < N && mar->marginals; at += m->vars[i++].domain)
			for (int32_t a = 0; a < m->vars[i].domain; a++) {
				const double p = twofold_ratio(t.weight[at + a], t.z);

				assert_true(fabs(mar->marginals[at + a] - p) <= 1e-12 * p + 1e-100);
			}
		assert_true(mar->marginals || t.z.hi == 0);
		if (mar->marginals)
			check_sums(m, mar->marginals);
		gpube_result_free(mar);
		gpube_model_free(m);
	}
}

/*
 * A front that moves along a grid: of its messages one in as many as it is wide is kept for
 * marginals.
 */
static void test_front(void **state)
{
	enum { ROWS = 6, COLUMNS = 40, N = ROWS * COLUMNS };
	struct gpube_model *m = grid(ROWS, COLUMNS);
	struct gpube_inference *one, *other;
	int32_t order[N];

	(void)state;
	for (int i = 0; i < N; i++)
		order[i] = i % ROWS * COLUMNS + i / ROWS;
	one = infer(m, (struct gpube_opts){.task = GPUBE_INFER_MAR,
			       .order_method = GPUBE_ORDER_GIVEN,
			       .order = order});
	other = infer(m,
		(struct gpube_opts){.task = GPUBE_INFER_MAR, .order_method = GPUBE_ORDER_MIN_FILL});
	assert_true(one->plan.peak_bytes < 0.4 * N * (1 << ROWS) * sizeof(double));
	for (int i = 0; i < 2 * N; i++)
		assert_true(fabs(one->marginals[i] - other->marginals[i]) < 1e-13);
	check_sums(m, one->marginals);
	gpube_result_free(one);
	gpube_result_free(other);
	gpube_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complete),
		cmocka_unit_test(test_large_messages),
		cmocka_unit_test(test_front),
	};

	return cmocka_run_group_tests(tests, ctx_setup_2_threads, ctx_teardown);
}
