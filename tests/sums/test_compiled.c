/* Sums of a compiled model for changing evidence, against those from scratch. */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "gpube/ir/model.h"
#include "gpube/sums.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

static void compare(struct gpube_model *m, struct gpube_compiled *c, int64_t n, int *n_impossible)
{
	const struct gpube_opts opts = {.task = GPUBE_INFER_MAR};
	struct gpube_inference *a, *b;

	assert_int_equal(gpube_infer(&a, m, &opts), GPUBE_OK);
	assert_int_equal(gpube_infer_query(&b, c), GPUBE_OK);
	assert_true(b->known);
	if (a->log10_z == -INFINITY) {
		assert_true(b->log10_z == -INFINITY);
		assert_null(b->marginals);
		++*n_impossible;
	} else {
		assert_true(fabs(a->log10_z - b->log10_z) <= 1e-12 + 1e-15 * fabs(a->log10_z));
		assert_true(b->relative_error < 1e-12);
		for (int64_t i = 0; i < n; i++)
			assert_true(fabs(a->marginals[i] - b->marginals[i]) <= 1e-12);
	}
	gpube_result_free(a);
	gpube_result_free(b);
}

/* Values come and go in any order; some sets contradict themselves. */
static void test_random(void **state)
{
	const struct gpube_opts opts = {.task = GPUBE_INFER_MAR};
	int n_impossible = 0, n_queries = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
		struct gpube_model *m = random_model(ctx, &spec, seed);
		struct gpube_compiled *c;
		struct gpube_rng rng;
		int64_t n = 0;

		assert_non_null(m);
		for (int32_t i = 0; i < m->n_vars; i++)
			n += m->vars[i].domain;
		assert_int_equal(gpube_infer_compile(&c, m, &opts), GPUBE_OK);
		gpube__rng_init(&rng, seed);
		for (int k = 0; k < 12 && m->n_vars > 0; k++) {
			const int32_t var = (int32_t)gpube__rng_below(&rng, (uint64_t)m->n_vars);
			const int32_t value =
				(int32_t)gpube__rng_below(&rng, (uint64_t)m->vars[var].domain + 1) -
				1;

			compare(m, c, n, &n_impossible);
			n_queries++;
			assert_int_equal(gpube_model_observe(m, var, value), GPUBE_OK);
			assert_int_equal(gpube_infer_observe(c, var, value), GPUBE_OK);
		}
		gpube_compiled_free(c);
		gpube_model_free(m);
	}
	assert_true(n_impossible > 100);
	assert_true(n_impossible < n_queries * 9 / 10);
}

/*
 * Numbers hundreds of powers of ten apart, some of them 0, in buckets small and large, along a ring
 * with chords.
 */
static void test_far_apart(void **state)
{
	enum { VARS = 9, MOST = 6 };
	const struct gpube_opts opts = {.task = GPUBE_INFER_MAR};
	int n_impossible = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		double cells[MOST * MOST];
		struct gpube_model *m;
		struct gpube_compiled *c;
		struct gpube_rng rng;
		int64_t n = 0;

		gpube__rng_init(&rng, seed);
		assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
		for (int32_t i = 0; i < VARS; i++) {
			assert_int_equal(
				gpube_model_add_var(m, NULL, 2 + i % (MOST - 1), NULL), GPUBE_OK);
			n += 2 + i % (MOST - 1);
		}
		for (int32_t i = 0; i < 2 * VARS; i++) {
			const int32_t scope[] = {i % VARS, (i % VARS + 1 + i / VARS * 2) % VARS};

			for (int k = 0; k < MOST * MOST; k++)
				cells[k] =
					gpube__rng_below(&rng, 6)
						? ldexp(gpube__rng_unit(&rng) + 0.1,
							  (int)gpube__rng_below(&rng, 1800) - 900)
						: 0;
			assert_int_equal(gpube_model_add_potentials(m, 2, scope, cells), GPUBE_OK);
		}
		assert_int_equal(gpube_infer_compile(&c, m, &opts), GPUBE_OK);
		for (int k = 0; k < 8; k++) {
			const int32_t var = (int32_t)gpube__rng_below(&rng, VARS);
			const int32_t value =
				(int32_t)gpube__rng_below(&rng, (uint64_t)m->vars[var].domain + 1) -
				1;

			compare(m, c, n, &n_impossible);
			assert_int_equal(gpube_model_observe(m, var, value), GPUBE_OK);
			assert_int_equal(gpube_infer_observe(c, var, value), GPUBE_OK);
		}
		gpube_compiled_free(c);
		gpube_model_free(m);
	}
	assert_true(n_impossible < 240);
}

/*
 * A Bayesian network: each variable follows from up to three of the ones shortly before it, many of
 * them for certain, so that evidence fixes others. Ten are observed, and some or all of these
 * change from set to set.
 */
static struct gpube_model *network(struct gpube_rng *rng, int32_t n_vars, int32_t reach)
{
	struct gpube_model *m;
	double cells[4 * 4 * 4 * 4];

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
	for (int32_t i = 0; i < n_vars; i++) {
		int32_t scope[4], n = 0, domain = 2 + (int32_t)gpube__rng_below(rng, 8) / 6;
		int64_t rows = 1;

		assert_int_equal(gpube_model_add_var(m, NULL, domain, NULL), GPUBE_OK);
		for (int32_t k = i > reach ? i - reach : 0; k < i && n < 3; k++)
			if (gpube__rng_below(rng, (uint64_t)reach / 2) == 0) {
				scope[n++] = k;
				rows *= m->vars[k].domain;
			}
		scope[n++] = i;
		for (int64_t r = 0; r < rows; r++) {
			const int32_t certain = (int32_t)gpube__rng_below(rng, (uint64_t)domain);
			const bool is_certain = gpube__rng_below(rng, 2) == 0;
			double rest = 1;

			for (int32_t a = domain - 1; a >= 0; a--) {
				const double part = a ? rest * gpube__rng_unit(rng) : rest;

				cells[r * domain + a] = is_certain ? a == certain : part;
				rest -= part;
			}
		}
		assert_int_equal(gpube_model_add_potentials(m, n, scope, cells), GPUBE_OK);
	}
	return m;
}

static void test_networks(void **state)
{
	enum { SETS = 60, OBSERVED = 8 };
	const struct gpube_opts opts = {.task = GPUBE_INFER_MAR};
	int n_impossible = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		int32_t set[OBSERVED];
		struct gpube_model *m;
		struct gpube_compiled *c;
		struct gpube_rng rng;
		int64_t n = 0;

		gpube__rng_init(&rng, seed);
		m = network(&rng, 20 + (int32_t)seed, 12 + (int32_t)seed % 3 * 10);
		for (int32_t i = 0; i < m->n_vars; i++)
			n += m->vars[i].domain;
		assert_int_equal(gpube_infer_compile(&c, m, &opts), GPUBE_OK);
		for (int k = 0; k < SETS; k++) {
			for (int i = 0; i < OBSERVED; i++) {
				if (k && seed / 3 % 2 && i != k % OBSERVED)
					continue;
				if (k) {
					gpube_model_observe(m, set[i], -1);
					assert_int_equal(
						gpube_infer_observe(c, set[i], -1), GPUBE_OK);
				}
				set[i] = (int32_t)gpube__rng_below(&rng, (uint64_t)m->n_vars);
			}
			for (int i = 0; i < OBSERVED; i++) {
				const int32_t value = (int32_t)gpube__rng_below(
					&rng, (uint64_t)m->vars[set[i]].domain);

				if (gpube_model_observed(m, set[i]) >= 0)
					continue;
				gpube_model_observe(m, set[i], value);
				assert_int_equal(gpube_infer_observe(c, set[i], value), GPUBE_OK);
			}
			compare(m, c, n, &n_impossible);
		}
		gpube_compiled_free(c);
		gpube_model_free(m);
	}
	assert_true(n_impossible > 360 && n_impossible < 60 * SETS * 3 / 4);
}

/* What was stopped is asked again; a value that is taken back leaves no trace. */
static void test_again(void **state)
{
	static const double tie[] = {3, 1, 1, 2};
	struct gpube_model *m;
	struct gpube_compiled *c;
	struct gpube_inference *first, *s;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
	for (int32_t i = 0; i < 30; i++) {
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
		if (i)
			assert_int_equal(
				gpube_model_add_potentials(m, 2, (const int32_t[]){i - 1, i}, tie),
				GPUBE_OK);
	}
	assert_int_equal(gpube_infer_compile(&c, m, NULL), GPUBE_OK);
	assert_int_equal(gpube_infer_query(&first, c), GPUBE_OK);
	assert_null(first->marginals);
	assert_int_equal(gpube_infer_observe(c, 7, 1), GPUBE_OK);
	gpube_ctx_stop(ctx);
	assert_int_equal(gpube_infer_query(&s, c), GPUBE_ESTOP);
	assert_null(s);
	gpube_ctx_resume(ctx);
	assert_int_equal(gpube_infer_query(&s, c), GPUBE_OK);
	assert_true(s->log10_z < first->log10_z - 0.01);
	gpube_result_free(s);
	assert_int_equal(gpube_infer_observe(c, 7, -1), GPUBE_OK);
	assert_int_equal(gpube_infer_query(&s, c), GPUBE_OK);
	assert_true(s->log10_z == first->log10_z);
	gpube_result_free(s);
	gpube_result_free(first);
	gpube_compiled_free(c);
	gpube_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_far_apart),
		cmocka_unit_test(test_networks),
		cmocka_unit_test(test_again),
	};

	return cmocka_run_group_tests(tests, ctx_setup_2_threads, ctx_teardown);
}
