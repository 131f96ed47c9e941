/*
 * Marginal MAP against enumeration: zeros, evidence, arities, magnitudes, any share of query
 * variables.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"
#include "tests/support/twofold.h"

#include <math.h>

#include "gpube/ir/model.h"
#include "gpube/sums.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

enum { MOST_VARS = 64 };

static bool agrees(const struct gpube_model *m, const int32_t *values)
{
	for (int32_t i = 0; m->evidence && i < m->n_vars; i++)
		if (m->evidence[i] >= 0 && m->evidence[i] != values[i])
			return false;
	return true;
}

static struct twofold product(const struct gpube_model *m, const int32_t *values)
{
	struct twofold all = twofold_of(1);

	for (int32_t f = 0; f < m->n_functions; f++) {
		int32_t tuple[MOST_VARS], domains[MOST_VARS];
		int64_t at;

		for (int k = 0; k < m->functions[f].arity; k++) {
			tuple[k] = values[gpube__scope(m, f)[k]];
			domains[k] = m->vars[gpube__scope(m, f)[k]].domain;
		}
		at = gpube__table_find(gpube__table(m, f), domains, tuple);
		all = twofold_mul(all, at < 0 ? gpube__table(m, f)->dflt.f
					      : gpube__table_real(gpube__table(m, f), at));
	}
	return all;
}

/* log10 of the sum over all variables that are not 'fixed', with the values of those that are. */
static double log_sum(const struct gpube_model *m, const bool *fixed, const int32_t *with)
{
	struct twofold sum = twofold_of(0);
	int32_t values[MOST_VARS] = {0};

	do {
		bool here = agrees(m, values);

		for (int32_t i = 0; i < m->n_vars && here; i++)
			here = !fixed[i] || values[i] == with[i];
		if (here)
			sum = twofold_add(sum, product(m, values));
	} while (next_assignment(values, m));
	return twofold_log10(sum);
}

/* The best by all assignments of the fixed variables. */
static double best_of(const struct gpube_model *m, const bool *fixed)
{
	int32_t values[MOST_VARS] = {0};
	double best = -INFINITY;

	do {
		bool first = agrees(m, values);
		double v;

		for (int32_t i = 0; i < m->n_vars && first; i++)
			first = fixed[i] || values[i] == 0 ||
				(m->evidence && m->evidence[i] == values[i]);
		if (!first)
			continue;
		v = log_sum(m, fixed, values);
		best = v > best ? v : best;
	} while (next_assignment(values, m));
	return best;
}

static struct gpube_mmap *find(
	const struct gpube_model *m, const bool *fixed, struct gpube_opts opts)
{
	int32_t query[MOST_VARS];
	struct gpube_mmap *out;

	opts.query = query;
	for (int32_t i = m->n_vars - 1; i >= 0; i--)
		if (fixed[i])
			query[opts.n_query++] = i;
	assert_int_equal(gpube_mmap(&out, m, &opts), GPUBE_OK);
	return out;
}

static bool close_to(double a, double b)
{
	return fabs(a - b) <= 1e-8 + 1e-12 * fabs(b);
}

static void check(const struct gpube_model *m, const bool *fixed, bool *impossible)
{
	const double best = best_of(m, fixed);
	struct gpube_mmap *out = find(m, fixed, (struct gpube_opts){0});
	int32_t values[MOST_VARS] = {0};

	*impossible = best == -INFINITY;
	if (*impossible) {
		assert_int_equal(out->answer, GPUBE_ANSWER_INFEASIBLE);
		assert_true(out->log10_upper == -INFINITY);
		assert_null(out->values);
		gpube_result_free(out);
		return;
	}
	assert_int_equal(out->answer, GPUBE_ANSWER_OPTIMAL);
	assert_true(out->relative_error < 1e-6);
	assert_true(out->log10_lower <= best + 1e-15 * fabs(best));
	assert_true(out->log10_upper >= best - 1e-15 * fabs(best));
	assert_true(out->log10_upper >= out->log10_lower);
	assert_true(out->log10_upper - out->log10_lower < 1e-6);
	assert_true(close_to(out->log10_value, best));
	/* and the values have it */
	for (int32_t i = m->n_vars - 1, k = 0; i >= 0; i--)
		if (fixed[i])
			values[i] = out->values[k++];
	assert_true(close_to(log_sum(m, fixed, values), best));
	for (int32_t i = 0; i < m->n_vars; i++)
		assert_true(!m->evidence || m->evidence[i] < 0 || !fixed[i] ||
			    values[i] == m->evidence[i]);
	gpube_result_free(out);
}

static void test_random(void **state)
{
	int n_impossible = 0, n_observed = 0, n_all = 0, n_none = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 1000; seed++) {
		struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
		struct gpube_model *m = random_model(ctx, &spec, seed);
		bool fixed[MOST_VARS] = {false}, impossible;
		int32_t n = 0;

		assert_non_null(m);
		for (int32_t i = 0; i < m->n_vars; i++) {
			fixed[i] = (seed * 2654435761u >> (i % 24 + 3) & 3) < seed % 5;
			n += fixed[i];
		}
		check(m, fixed, &impossible);
		n_impossible += impossible;
		n_observed += m->evidence != NULL;
		n_all += n == m->n_vars;
		n_none += n == 0;
		gpube_model_free(m);
	}
	/* the cases are there */
	assert_true(n_impossible > 20);
	assert_true(n_impossible < 800);
	assert_true(n_observed > 50);
	assert_true(n_all > 50);
	assert_true(n_none > 50);
}

/* The best value of a sum is not that of the best product: 0.4 against 0.3 + 0.3. */
static void test_differs_from_mpe(void **state)
{
	static const double table[] = {0.4, 0, 0.3, 0.3};
	bool fixed[] = {true, false};
	struct gpube_model *m;
	struct gpube_mmap *out;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
	assert_int_equal(
		gpube_model_add_potentials(m, 2, (const int32_t[]){0, 1}, table), GPUBE_OK);
	out = find(m, fixed, (struct gpube_opts){0});
	assert_int_equal(out->values[0], 1);
	assert_true(fabs(out->log10_value - log10(0.6)) < 1e-14);
	assert_int_equal(out->n_free, 1);
	gpube_result_free(out);
	gpube_model_free(m);
}

/* Sums whose two values are 2^-4000 and 2^-9000 apart: more than a double takes. */
static void test_far_apart(void **state)
{
	static const double near_one[] = {1, 0x1p-250, 0x1p-250, 1}, chooses[] = {0x1p-500, 1};
	bool fixed[40] = {true};
	struct gpube_model *m;
	struct gpube_mmap *out;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
	for (int32_t i = 0; i < 19; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
	for (int32_t i = 1; i < 19; i++) {
		for (int k = 0; k < 4; k++)
			assert_int_equal(
				gpube_model_add_potentials(m, 2, (const int32_t[]){0, i}, near_one),
				GPUBE_OK);
		assert_int_equal(gpube_model_add_potentials(m, 1, &i, chooses), GPUBE_OK);
	}
	out = find(m, fixed, (struct gpube_opts){0});
	assert_int_equal(out->answer, GPUBE_ANSWER_OPTIMAL);
	assert_int_equal(out->values[0], 1);
	assert_true(fabs(out->log10_value) < 1e-12);
	assert_true(out->log10_upper < 1e-6);
	gpube_result_free(out);
	/* against its will */
	assert_int_equal(gpube_model_observe(m, 0, 0), GPUBE_OK);
	out = find(m, fixed, (struct gpube_opts){0});
	assert_int_equal(out->values[0], 0);
	assert_true(fabs(out->log10_value + 18 * 500 * log10(2)) < 1e-6);
	gpube_result_free(out);
	gpube_model_free(m);
}

/* Sums that do not fit have bounds; what is stopped before it has begun has nothing. */
static void test_limits(void **state)
{
	static const double tie[] = {3, 1, 1, 2};
	const uint64_t memory = ctx->memory_bytes;
	const int32_t query[] = {0, 77};
	const struct gpube_opts opts = {.n_query = 2, .query = query};
	struct gpube_model *m;
	struct gpube_mmap *out;
	double lower, upper;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
	for (int32_t i = 0; i < 144; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
	for (int32_t i = 0; i < 144; i++) {
		if ((i + 1) % 12)
			assert_int_equal(
				gpube_model_add_potentials(m, 2, (const int32_t[]){i, i + 1}, tie),
				GPUBE_OK);
		if (i + 12 < 144)
			assert_int_equal(
				gpube_model_add_potentials(m, 2, (const int32_t[]){i, i + 12}, tie),
				GPUBE_OK);
	}
	ctx->memory_bytes = 10000;
	assert_int_equal(gpube_mmap(&out, m, &opts), GPUBE_OK);
	assert_int_equal(out->answer, GPUBE_ANSWER_INCOMPLETE);
	assert_true(out->plan.peak_bytes > 10000);
	lower = out->log10_lower;
	upper = out->log10_upper;
	assert_non_null(out->values);
	gpube_result_free(out);
	ctx->memory_bytes = memory;
	assert_int_equal(gpube_mmap(&out, m, &opts), GPUBE_OK);
	assert_int_equal(out->answer, GPUBE_ANSWER_OPTIMAL);
	assert_true(lower <= out->log10_upper && out->log10_lower <= upper);
	assert_true(upper - lower < 40);
	gpube_result_free(out);
	gpube_ctx_stop(ctx);
	assert_int_equal(gpube_mmap(&out, m, &opts), GPUBE_ESTOP);
	gpube_ctx_resume(ctx);
	assert_non_null(out);
	assert_true(out->log10_upper == INFINITY);
	gpube_result_free(out);
	gpube_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_differs_from_mpe),
		cmocka_unit_test(test_far_apart),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, ctx_setup_2_threads, ctx_teardown);
}
