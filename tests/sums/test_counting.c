/* Sums by cases, and their bounds at every moment, against sums by buckets. */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "gpube/infer/infer_cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

/* Everything that a search needs, whether it would be worth it or not. */
struct search {
	struct gpube_opts opts;
	struct gpube_inference out;
	struct gpube__inferring j;
	struct gpube_formula formula;
	struct gpube_counting *counting;
	int32_t *depth;
};

/* False: nothing can occur, or it is not for clauses. */
static bool begin(struct search *s, struct gpube_model *m)
{
	bool fits;

	memset(s, 0, sizeof(*s));
	s->j.m = m;
	s->j.ctx = ctx;
	s->j.opts = &s->opts;
	s->j.out = &s->out;
	assert_int_equal(gpube__infer_begin(&s->j), GPUBE_OK);
	if (s->j.possible.none)
		return false;
	assert_int_equal(gpube__formula_of(&s->formula, &s->j, &fits), GPUBE_OK);
	if (!fits)
		return false;
	s->depth = gpube__alloc_zero(ctx, (uint64_t)s->formula.n, sizeof(*s->depth));
	assert_non_null(s->depth);
	for (int32_t v = 0; v < s->formula.n; v++)
		s->depth[v] = v % 5;
	assert_int_equal(gpube__counting_new(&s->counting, &s->formula, s->depth), GPUBE_OK);
	return true;
}

static void end(struct search *s)
{
	gpube__counting_free(s->counting);
	if (s->formula.ctx)
		gpube__formula_clear(&s->formula);
	gpube__free(ctx, s->depth);
	gpube__infer_clear(&s->j);
}

static struct gpube_inference *by_buckets(const struct gpube_model *m)
{
	struct gpube_inference *s;

	assert_int_equal(gpube_infer(&s, m, NULL), GPUBE_OK);
	return s;
}

/* Whether it was counted. */
static bool check(struct gpube_model *m)
{
	struct gpube_inference *exact = by_buckets(m);
	struct search s;
	bool done = false, counted = begin(&s, m);
	double roundings;
	struct gpube_wide z;

	if (counted) {
		assert_int_equal(gpube__counting_run(s.counting, 0, &done), GPUBE_OK);
		assert_true(done);
		z = gpube__counting_sum(s.counting, &roundings);
		if (exact->log10_z == -INFINITY || z.m == 0)
			assert_true(exact->log10_z == -INFINITY && z.m == 0);
		else
			assert_true(fabs(gpube__wide_log10(z) - exact->log10_z) <=
				    exact->relative_error + gpube__infer_error(roundings) +
					    4e-16 * fabs(exact->log10_z));
		assert_true(gpube__infer_error(roundings) < 1e-11);
	}
	end(&s);
	gpube_result_free(exact);
	return counted;
}

static void test_random(void **state)
{
	int n = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 1500; seed++) {
		struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
		struct gpube_model *m = random_model(ctx, &spec, seed);

		assert_non_null(m);
		n += check(m);
		gpube_model_free(m);
	}
	assert_true(n > 600);
}

/*
 * Clauses of three literals over so many variables; weights, too, and some clauses of one and two.
 */
static struct gpube_model *formula(int32_t n_vars, int32_t n_clauses, uint64_t seed)
{
	struct gpube_model *m;
	struct gpube_rng r;

	gpube__rng_init(&r, seed);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
	for (int32_t i = 0; i < n_vars; i++) {
		const double weights[2] = {1 + (double)gpube__rng_below(&r, 3), 2};

		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
		if (gpube__rng_below(&r, 3) == 0)
			assert_int_equal(gpube_model_add_potentials(m, 1, &i, weights), GPUBE_OK);
	}
	for (int32_t k = 0; k < n_clauses; k++) {
		const int arity = gpube__rng_below(&r, 20) == 0  ? 1
				  : gpube__rng_below(&r, 4) == 0 ? 2
								 : 3;
		double cells[8] = {1, 1, 1, 1, 1, 1, 1, 1};
		int32_t scope[3];

		for (int i = 0; i < arity; i++) {
			bool again = true;

			while (again) {
				scope[i] = (int32_t)gpube__rng_below(&r, (uint64_t)n_vars);
				again = false;
				for (int q = 0; q < i; q++)
					again = again || scope[q] == scope[i];
			}
		}
		cells[gpube__rng_below(&r, 1u << arity)] = gpube__rng_below(&r, 10) == 0 ? 0.25 : 0;
		assert_int_equal(gpube_model_add_potentials(m, arity, scope, cells), GPUBE_OK);
	}
	return m;
}

/* Formulas that have many solutions, few and none: what is learned and what is remembered meet. */
static void test_formulas(void **state)
{
	int n_none = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 600; seed++) {
		const int32_t n = 10 + (int32_t)(seed % 4) * 8;
		struct gpube_model *m = formula(n, n * (10 + (int32_t)(seed % 35)) / 10, seed);
		struct gpube_inference *s = by_buckets(m);

		n_none += s->log10_z == -INFINITY;
		(void)check(m);
		gpube_result_free(s);
		gpube_model_free(m);
	}
	assert_true(n_none > 20 && n_none < 500);
}

/* Little memory: what was remembered is forgotten, and counted again. */
static void test_memory(void **state)
{
	const uint64_t memory = ctx->memory_bytes;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct gpube_model *m = formula(34, 60, seed);
		struct gpube_inference *exact = by_buckets(m);
		struct search s;
		bool done = false;
		double roundings;

		ctx->memory_bytes = 20000;
		if (begin(&s, m)) {
			assert_int_equal(gpube__counting_run(s.counting, 0, &done), GPUBE_OK);
			assert_true(done);
			assert_true(fabs(gpube__wide_log10(
						 gpube__counting_sum(s.counting, &roundings)) -
					    exact->log10_z) < 1e-11 ||
				    exact->log10_z == -INFINITY);
		}
		ctx->memory_bytes = memory;
		end(&s);
		gpube_result_free(exact);
		gpube_model_free(m);
	}
}

/*
 * At every look the sum is between the bounds, which never become worse; and so at the end in a
 * hurry.
 */
static void test_bounds(void **state)
{
	int n_looks = 0, n_positive = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct gpube_model *m = formula(50, 75 + (int32_t)(seed % 40), seed);
		struct gpube_inference *exact = by_buckets(m);
		double least = -INFINITY, most = INFINITY, lower, upper;
		const double slack = 1e-9, log_z = exact->log10_z * log(10);
		bool done = false;
		struct search s;

		if (!begin(&s, m)) {
			end(&s);
			gpube_result_free(exact);
			gpube_model_free(m);
			continue;
		}
		/* a time that is over: some decisions, and a look */
		for (uint64_t k = 0; !done && k < 2 + seed % 7; k++) {
			assert_int_equal(gpube__counting_run(s.counting, 1e-9, &done), GPUBE_OK);
			gpube__counting_bounds(s.counting, &lower, &upper);
			assert_true(lower >= least && upper <= most);
			assert_true(lower <= log_z + slack && upper >= log_z - slack);
			least = lower;
			most = upper;
			n_looks++;
		}
		assert_int_equal(gpube__counting_hurry(s.counting, 0), GPUBE_OK);
		gpube__counting_bounds(s.counting, &lower, &upper);
		assert_true(lower >= least && upper <= most);
		assert_true(lower <= log_z + slack && upper >= log_z - slack);
		if (exact->log10_z != -INFINITY)
			assert_true(lower > -INFINITY);
		n_positive += exact->log10_z != -INFINITY && !done;
		end(&s);
		gpube_result_free(exact);
		gpube_model_free(m);
	}
	assert_true(n_looks > 60);
	assert_true(n_positive > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_formulas),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, ctx_setup_2_threads, ctx_teardown);
}
