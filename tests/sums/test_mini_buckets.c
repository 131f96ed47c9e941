/* Bounds of sums by mini-buckets, of one pass and of passes there and back, against the sums. */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "gpube/infer/infer_bounds.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

/* A model with its sum, and what a search for bounds of it begins from. */
struct sums {
	struct gpube_model *m;
	struct gpube_inference *exact, out;
	struct gpube_opts opts;
	struct gpube__inferring j;
};

static void begin(struct sums *s, struct gpube_model *m)
{
	*s = (struct sums){.m = m, .j = {.m = m, .ctx = ctx, .opts = &s->opts, .out = &s->out}};
	assert_non_null(m);
	assert_int_equal(gpube_infer(&s->exact, m, NULL), GPUBE_OK);
	assert_int_equal(gpube__infer_begin(&s->j), GPUBE_OK);
	if (!s->j.possible.none)
		assert_int_equal(gpube__infer_plan(&s->j), GPUBE_OK);
}

static void begin_random(struct sums *s, uint64_t seed)
{
	const struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);

	begin(s, random_model(ctx, &spec, seed));
}

static void end(struct sums *s)
{
	gpube__infer_clear(&s->j);
	gpube_result_free(s->exact);
	gpube_model_free(s->m);
}

/* Mini-buckets of all sizes never fall below, and are exact where nothing is split. */
static void test_mini_buckets(void **state)
{
	static const double sizes[] = {1, 4, 16, 64, 1e9};

	(void)state;
	for (uint64_t seed = 0; seed < 1000; seed++) {
		struct sums s;

		begin_random(&s, seed);
		for (int k = 0; k < 5 && !s.j.possible.none; k++) {
			int32_t values[64];
			double upper;

			assert_int_equal(
				gpube__wmb(&upper, k % 2 ? values : NULL, &s.j, sizes[k], true),
				GPUBE_OK);
			if (s.exact->log10_z == -INFINITY)
				continue;
			assert_true(upper / log(10) >=
				    s.exact->log10_lower - 1e-15 * fabs(s.exact->log10_lower));
			if (k == 4)
				assert_true(upper / log(10) - s.exact->log10_upper <
					    1e-9 + 1e-11 * fabs(upper));
		}
		end(&s);
	}
}

/*
 * Passes there and back, from parts of a few cells on: no bound on the way is below, and the last
 * one is exact.
 */
static void test_passes(void **state)
{
	int n_split = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 1000; seed++) {
		struct sums s;
		double upper;

		begin_random(&s, seed);
		if (!s.j.possible.none) {
			assert_int_equal(gpube__wmb(&upper, NULL, &s.j, 4, true), GPUBE_OK);
			assert_int_equal(gpube__wmb_passes(&s.j, 4, 0), GPUBE_OK);
		}
		if (!s.j.possible.none && s.exact->log10_z > -INFINITY) {
			n_split += upper / log(10) > s.exact->log10_upper + 1e-6;
			assert_true(s.j.log_upper / log(10) >=
				    s.exact->log10_lower - 1e-15 * fabs(s.exact->log10_lower));
			assert_true(s.j.log_upper / log(10) - s.exact->log10_upper <
				    1e-9 + 1e-11 * fabs(upper));
		}
		end(&s);
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

/*
 * The bound is closer than that of one pass, of parts as large as a small memory leaves, by half at
 * least.
 */
static void test_passes_gain(void **state)
{
	const uint64_t memory = ctx->memory_bytes;
	struct sums s;
	double once;

	(void)state;
	begin(&s, random_grid(13));
	assert_int_equal(gpube__wmb(&once, NULL, &s.j, 128, true), GPUBE_OK);
	ctx->memory_bytes = 1 << 20;
	assert_int_equal(gpube__wmb_passes(&s.j, 16, 0), GPUBE_OK);
	ctx->memory_bytes = memory;
	assert_true(s.j.log_upper / log(10) > s.exact->log10_upper + 1e-6);
	assert_true(s.j.log_upper / log(10) - s.exact->log10_z <
		    (once / log(10) - s.exact->log10_z) / 2);
	end(&s);
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
