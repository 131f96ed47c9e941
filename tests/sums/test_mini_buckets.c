/* Bounds of sums by mini-buckets, of one pass and of passes there and back, against the sums. */
#include "tests/support/test.h"

#include <math.h>

#include "gpube/infer/infer_bounds.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

/* Mini-buckets of all sizes never fall below, and are exact where nothing is split. */
static void test_mini_buckets(void **state)
{
	static const double sizes[] = {1, 4, 16, 64, 1e9};

	(void)state;
	for (uint64_t seed = 0; seed < 1000; seed++) {
		struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
		struct gpube_model *m = random_model(ctx, &spec, seed);
		struct gpube_inference *exact, out;
		struct gpube_infer_opts opts = {0};
		struct gpube__inferring j = {.m = m, .ctx = ctx, .opts = &opts, .out = &out};

		assert_non_null(m);
		memset(&out, 0, sizeof(out));
		assert_int_equal(gpube_infer(&exact, m, NULL), GPUBE_OK);
		assert_int_equal(gpube__infer_begin(&j), GPUBE_OK);
		if (!j.possible.none)
			assert_int_equal(gpube__infer_plan(&j), GPUBE_OK);
		for (int k = 0; k < 5 && !j.possible.none; k++) {
			int32_t values[64];
			double upper;

			assert_int_equal(gpube__wmb(&upper, k % 2 ? values : NULL, &j, sizes[k], true), GPUBE_OK);
			if (exact->log10_z == -INFINITY)
				continue;
			assert_true(upper / log(10) >= exact->log10_lower - 1e-15 * fabs(exact->log10_lower));
			if (k == 4)
				assert_true(upper / log(10) - exact->log10_upper < 1e-9 + 1e-11 * fabs(upper));
		}
		gpube__infer_clear(&j);
		gpube_inference_free(exact, ctx);
		gpube_model_free(m);
	}
}

/* Passes there and back, from parts of a few cells on: no bound on the way is below, and the last one is exact. */
static void test_passes(void **state)
{
	int n_split = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 1000; seed++) {
		struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
		struct gpube_model *m = random_model(ctx, &spec, seed);
		struct gpube_inference *exact, out;
		struct gpube_infer_opts opts = {0};
		struct gpube__inferring j = {.m = m, .ctx = ctx, .opts = &opts, .out = &out};
		double upper;

		assert_non_null(m);
		memset(&out, 0, sizeof(out));
		assert_int_equal(gpube_infer(&exact, m, NULL), GPUBE_OK);
		assert_int_equal(gpube__infer_begin(&j), GPUBE_OK);
		if (!j.possible.none) {
			assert_int_equal(gpube__infer_plan(&j), GPUBE_OK);
			assert_int_equal(gpube__wmb(&upper, NULL, &j, 4, true), GPUBE_OK);
			assert_int_equal(gpube__wmb_passes(&j, 4, 0), GPUBE_OK);
		}
		if (!j.possible.none && exact->log10_z > -INFINITY) {
			n_split += upper / log(10) > exact->log10_upper + 1e-6;
			assert_true(j.log_upper / log(10) >= exact->log10_lower - 1e-15 * fabs(exact->log10_lower));
			assert_true(j.log_upper / log(10) - exact->log10_upper < 1e-9 + 1e-11 * fabs(upper));
		}
		gpube__infer_clear(&j);
		gpube_inference_free(exact, ctx);
		gpube_model_free(m);
	}
	assert_true(n_split > 100);
}

/* A grid whose neighbours weigh each other at random. */
static struct gpube_model *random_grid(int32_t edge)
{
	struct gpube_model *m;
	struct gpube_rng rng;

	gpube__rng_init(&rng, 5);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
	for (int32_t i = 0; i < edge * edge; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
	for (int32_t i = 0; i < 2 * edge * edge; i++) {
		const int32_t v = i / 2, to = i % 2 ? v + edge : v + 1;
		const int32_t scope[] = {v, to};
		double tie[4];

		if (i % 2 ? v / edge == edge - 1 : v % edge == edge - 1)
			continue;
		for (int k = 0; k < 4; k++)
			tie[k] = exp(6 * gpube__rng_unit(&rng));
		assert_int_equal(gpube_model_add_potentials(m, 2, scope, tie), GPUBE_OK);
	}
	return m;
}

/* The bound is closer than that of one pass, of parts as large as a small memory leaves, by half at least. */
static void test_passes_gain(void **state)
{
	const uint64_t memory = ctx->memory_bytes;
	struct gpube_model *m = random_grid(13);
	struct gpube_inference *exact, out = {0};
	struct gpube_infer_opts opts = {0};
	struct gpube__inferring j = {.m = m, .ctx = ctx, .opts = &opts, .out = &out};
	double once;

	(void)state;
	assert_int_equal(gpube_infer(&exact, m, NULL), GPUBE_OK);
	assert_int_equal(gpube__infer_begin(&j), GPUBE_OK);
	assert_int_equal(gpube__infer_plan(&j), GPUBE_OK);
	assert_int_equal(gpube__wmb(&once, NULL, &j, 128, true), GPUBE_OK);
	ctx->memory_bytes = 1 << 20;
	assert_int_equal(gpube__wmb_passes(&j, 16, 0), GPUBE_OK);
	ctx->memory_bytes = memory;
	assert_true(j.log_upper / log(10) > exact->log10_upper + 1e-6);
	assert_true(j.log_upper / log(10) - exact->log10_z < (once / log(10) - exact->log10_z) / 2);
	gpube__infer_clear(&j);
	gpube_inference_free(exact, ctx);
	gpube_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mini_buckets),
		cmocka_unit_test(test_passes),
		cmocka_unit_test(test_passes_gain),
	};

	return cmocka_run_group_tests(tests, ctx_setup_2_threads, ctx_teardown);
}
