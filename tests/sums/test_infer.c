/* Sums and marginals against enumeration: zeros, evidence, magnitudes, orders, memory, bounds. */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>
#include <stdlib.h>

#include "gpube/infer/infer_bounds.h"
#include "tests/sums/infer_truth.h"

/* The same along an order and along its reverse. */
static void check_orders(const struct gpube_model *m)
{
	int32_t order[64];
	struct gpube_inference *ways[2];
	int64_t n = 0;

	for (int32_t i = 0; i < m->n_vars; i++)
		n += m->vars[i].domain;
	for (int k = 0; k < 2; k++) {
		for (int32_t i = 0; i < m->n_vars; i++)
			order[i] = k ? m->n_vars - 1 - i : i;
		ways[k] = infer(m, (struct gpube_opts){.task = GPUBE_INFER_MAR,
					   .order_method = GPUBE_ORDER_GIVEN,
					   .order = order});
	}
	if (ways[0]->log10_z != ways[1]->log10_z)
		assert_true(fabs(ways[0]->log10_z - ways[1]->log10_z) < 1e-9);
	for (int64_t i = 0; i < n && ways[0]->marginals; i++)
		assert_true(fabs(ways[0]->marginals[i] - ways[1]->marginals[i]) < 1e-9);
	gpube_result_free(ways[0]);
	gpube_result_free(ways[1]);
}

static void test_random(void **state)
{
	int n_zero = 0, n_observed = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 1200; seed++) {
		struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
		struct gpube_model *m = random_model(ctx, &spec, seed);
		struct gpube_inference *out;

		assert_non_null(m);
		check(m);
		if (seed % 4 == 0)
			check_orders(m);
		out = infer(m, (struct gpube_opts){.order_method = GPUBE_ORDER_MIN_DEGREE});
		n_zero += isinf(out->log10_z) != 0;
		n_observed += m->evidence != NULL;
		gpube_result_free(out);
		gpube_model_free(m);
	}
	/* the cases are there */
	assert_true(n_zero > 20);
	assert_true(n_zero < 900);
	assert_true(n_observed > 50);
}

/* Little memory: sums and weights of slices add up to the same, and so do those of other slices. */
static void test_slices(void **state)
{
	const uint64_t memory = ctx->memory_bytes;
	int n_sliced = 0, status;

	(void)state;
	for (uint64_t seed = 0; seed < 900; seed++) {
		struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
		struct gpube_model *m = random_model(ctx, &spec, seed);
		struct gpube_inference *out;

		assert_non_null(m);
		ctx->memory_bytes = 200 + seed % 4 * 150;
		/* a message of one cell for each variable has to fit */
		status = gpube_infer(&out, m, &(struct gpube_opts){.task = GPUBE_INFER_MAR});
		assert_true(status == GPUBE_OK || status == GPUBE_ELIMIT);
		if (status == GPUBE_OK && out->plan.n_slices > 1) {
			n_sliced++;
			assert_true(out->plan.peak_bytes <= (double)ctx->memory_bytes);
			assert_true(out->n_slices_done == out->plan.n_slices);
			check(m);
		}
		gpube_result_free(out);
		gpube_model_free(m);
	}
	ctx->memory_bytes = memory;
	assert_true(n_sliced > 100);
}

/* Allocations, of which one stops the work. */
struct allocations {
	struct gpube_ctx *ctx;
	int64_t n, stop_at;
};

static void *allocate(void *arg, void *p, size_t size)
{
	struct allocations *a = arg;

	if (size && a->ctx && ++a->n == a->stop_at)
		gpube_ctx_stop(a->ctx);
	if (size)
		return realloc(p, size);
	free(p);
	return NULL;
}

/* What some slices add up to is a lower bound of the sum. */
static void test_stopped_slices(void **state)
{
	struct allocations a = {0};
	const struct gpube_opts opts = {
		.n_threads = 1, .memory_bytes = 1500, .realloc = allocate, .realloc_arg = &a};
	struct gpube_ctx *const before = ctx;
	const struct gpube_opts how = {.order_method = GPUBE_ORDER_MIN_FILL};
	struct gpube_inference *all, *some;
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, &opts), GPUBE_OK);
	a.ctx = ctx;
	m = grid(8, 8);
	a.n = 0;
	assert_int_equal(gpube_infer(&all, m, &how), GPUBE_OK);
	assert_true(all->plan.n_slices > 3);
	a.stop_at = a.n / 3 * 2;
	a.n = 0;
	assert_int_equal(gpube_infer(&some, m, &how), GPUBE_ESTOP);
	assert_false(some->known);
	assert_true(some->n_slices_done > 0 && some->n_slices_done < all->plan.n_slices);
	assert_true(some->log10_lower < all->log10_z && some->log10_lower > all->log10_z - 2);
	gpube_result_free(all);
	gpube_result_free(some);
	gpube_model_free(m);
	a.ctx = NULL;
	gpube_ctx_free(ctx);
	ctx = before;
}

/*
 * 0 and 1 alternate along a chain; then the first value decides the last, against the evidence or
 * not.
 */
static void test_evidence(void **state)
{
	static const double differ[] = {0, 1, 1, 0};
	struct gpube_model *m;
	struct gpube_inference *out;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
	for (int32_t i = 0; i < 50; i++) {
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
		if (i)
			assert_int_equal(gpube_model_add_potentials(
						 m, 2, (const int32_t[]){i - 1, i}, differ),
				GPUBE_OK);
	}
	out = infer(m, (struct gpube_opts){.task = GPUBE_INFER_MAR});
	assert_true(fabs(out->log10_z - log10(2)) < 1e-15);
	assert_true(out->marginals[7] == 0.5);
	gpube_result_free(out);

	assert_int_equal(gpube_model_observe(m, 0, 0), GPUBE_OK);
	out = infer(m, (struct gpube_opts){.task = GPUBE_INFER_MAR});
	assert_true(out->log10_z == 0);
	assert_int_equal(out->plan.n_vars, 0);
	assert_int_equal(out->n_removed, 50);
	for (int32_t i = 0; i < 50; i++)
		assert_true(out->marginals[2 * i + i % 2] == 1);
	gpube_result_free(out);

	assert_int_equal(gpube_model_observe(m, 49, 0), GPUBE_OK);
	out = infer(m, (struct gpube_opts){.task = GPUBE_INFER_MAR});
	assert_true(out->log10_z == -INFINITY);
	assert_null(out->marginals);
	gpube_result_free(out);
	gpube_model_free(m);
}

/* A chain whose sums pass 10^4000, 10^-4000, and both in one table. */
static void test_magnitudes(void **state)
{
	static const double tables[][4] = {{1e300, 1e299, 2e300, 1e300},
		{1e-300, 1e-299, 2e-300, 1e-300}, {1e-300, 1e-301, 1e300, 1e299}};

	(void)state;
	for (int k = 0; k < 3; k++) {
		struct gpube_model *m = ring_of_potentials(ctx, tables[k]);

		assert_non_null(m);
		check(m);
		check_orders(m);
		gpube_model_free(m);
	}
}

/* Tables large enough for several threads; along two orders. */
static void test_threads(void **state)
{
#ifdef __SANITIZE_THREAD__ /* under which it takes minutes */
	enum { SIDE = 9 };
#else
	enum { SIDE = 16 };
#endif
	const int n_threads = ctx->n_threads;
	struct gpube_model *m = grid(SIDE, SIDE);
	struct gpube_opts opts = {.task = GPUBE_INFER_MAR, .order_method = GPUBE_ORDER_MIN_FILL};
	struct gpube_inference *many = infer(m, opts), *one, *other;

	(void)state;
	ctx->n_threads = 1;
	one = infer(m, opts);
	ctx->n_threads = n_threads;
	opts.order_method = GPUBE_ORDER_MIN_DEGREE;
	other = infer(m, opts);
	assert_true(one->log10_z == many->log10_z);
	assert_memory_equal(one->marginals, many->marginals, 2 * SIDE * SIDE * sizeof(double));
	assert_true(fabs(one->log10_z - other->log10_z) < 1e-10);
	for (int i = 0; i < 2 * SIDE * SIDE; i++)
		assert_true(fabs(one->marginals[i] - other->marginals[i]) < 1e-12);
	assert_true(one->relative_error < 1e-10);
	check_sums(m, one->marginals);
	gpube_result_free(one);
	gpube_result_free(many);
	gpube_result_free(other);
	gpube_model_free(m);
}

/* Up to three parents for each variable, whose values have 'all' together, but for roundings. */
static struct gpube_model *bayesian(
	struct gpube_rng *rng, int32_t n, int32_t most_domain, double all)
{
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
	for (int32_t i = 0; i < n; i++)
		assert_int_equal(
			gpube_model_add_var(m, NULL,
				2 + (int32_t)gpube__rng_below(rng, (uint64_t)most_domain - 1),
				NULL),
			GPUBE_OK);
	for (int32_t i = 0; i < n; i++) {
		const int32_t parents = i < 3 ? i : 3, d = m->vars[i].domain;
		int32_t scope[4], rows = 1, arity = 0;
		double cells[256];

		for (int32_t k = 0, first = 0; k < parents; k++) {
			scope[arity] = first + (int32_t)gpube__rng_below(rng,
						       (uint64_t)(i - first - (parents - k) + 1));
			first = scope[arity] + 1;
			rows *= m->vars[scope[arity++]].domain;
		}
		scope[arity++] = i;
		for (int32_t r = 0; r < rows; r++) {
			double sum = 0;

			for (int32_t x = 0; x < d; x++)
				sum += cells[r * d + x] = gpube__rng_below(rng, 4)
								  ? gpube__rng_unit(rng)
							  : x ? 0
							      : 1e-9;
			for (int32_t x = 0; x < d; x++)
				cells[r * d + x] *= all / sum;
		}
		assert_int_equal(gpube_model_add_potentials(m, arity, scope, cells), GPUBE_OK);
	}
	return m;
}

/* What nothing observed follows sums to a constant, of any width; the rest as ever. */
static void test_barren(void **state)
{
	const uint64_t memory = ctx->memory_bytes;
	struct gpube_inference *out;
	struct gpube_model *m;
	struct gpube_rng rng;
	int n_smaller = 0;

	(void)state;
	gpube__rng_init(&rng, 3);
	for (int k = 0; k < 200; k++) {
		m = bayesian(&rng, 9, 3, k % 3 ? 1 : 1e-50);
		for (int i = k % 4; i > 0; i--) {
			const int32_t var = (int32_t)gpube__rng_below(&rng, 9);

			assert_int_equal(
				gpube_model_observe(m, var, (int32_t)gpube__rng_below(&rng, 2)),
				GPUBE_OK);
		}
		check(m);
		out = infer(m, (struct gpube_opts){.task = GPUBE_INFER_PR});
		n_smaller += k % 4 && out->plan.n_vars > 0 && out->plan.n_vars < 9 - k % 4;
		assert_true(k % 4 || out->plan.n_vars == 0);
		gpube_result_free(out);
		gpube_model_free(m);
	}
	assert_true(n_smaller > 20);
	m = bayesian(&rng, 600, 4, 0.25);
	ctx->memory_bytes = 1 << 20;
	out = infer(m, (struct gpube_opts){.task = GPUBE_INFER_PR});
	ctx->memory_bytes = memory;
	assert_true(fabs(out->log10_z - 600 * log10(0.25)) < 1e-10);
	assert_true(out->relative_error > 0);
	assert_true(out->relative_error < 1e-11);
	gpube_result_free(out);
	gpube_model_free(m);
}

/* What does not fit is refused with the plan; so is what is stopped. */
static void test_limits(void **state)
{
	const uint64_t memory = ctx->memory_bytes;
	struct gpube_model *m = grid(40, 40);
	const struct gpube_opts opts = {.order_method = GPUBE_ORDER_MIN_FILL};
	struct gpube_inference *out;

	(void)state;
	ctx->memory_bytes = 10000;
	assert_int_equal(gpube_infer(&out, m, &opts), GPUBE_ELIMIT);
	assert_non_null(strstr(gpube_error(ctx), "sums along this order need"));
	assert_non_null(out);
	assert_false(out->known);
	assert_true(out->plan.peak_bytes > 10000);
	gpube_result_free(out);
	ctx->memory_bytes = memory;
	gpube_ctx_stop(ctx);
	assert_int_equal(gpube_infer(&out, m, &opts), GPUBE_ESTOP);
	gpube_ctx_resume(ctx);
	assert_non_null(out);
	gpube_result_free(out);
	gpube_model_free(m);
}

/* Bounds where a tenth of the memory is there, and where nothing else is; along any order. */
static void check_bounds(struct gpube_model *m, uint64_t bytes, int *n_bounded)
{
	const uint64_t memory = ctx->memory_bytes;
	struct gpube_inference *exact = infer(m, (struct gpube_opts){0}), *s;
	const struct gpube_opts opts = {.bounds = 1, .timeout_seconds = 0.05};
	int status;

	assert_true(exact->log10_lower <= exact->log10_z && exact->log10_z <= exact->log10_upper);
	ctx->memory_bytes = bytes;
	status = gpube_infer(&s, m, &opts);
	ctx->memory_bytes = memory;
	/* a machine with other work may take so long for nothing */
	assert_true(status == GPUBE_OK || status == GPUBE_ESTOP);
	assert_true(status || s->log10_lower <= exact->log10_upper);
	assert_true(status || s->log10_upper >= exact->log10_lower);
	*n_bounded += status || !s->known;
	gpube_result_free(exact);
	gpube_result_free(s);
}

static void test_bounds(void **state)
{
	struct gpube_model *m = grid(12, 12);
	int n = 0;

	(void)state;
	check_bounds(m, 10000, &n);
	assert_int_equal(n, 1);
	gpube_model_free(m);
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);

		m = random_model(ctx, &spec, seed);
		assert_non_null(m);
		check_bounds(m, 1, &n);
		gpube_model_free(m);
	}
}

/*
 * Tables of several pieces: the same with any number of threads, and within the memory that is
 * told.
 */
static void test_large_mini_buckets(void **state)
{
	const int n_threads = ctx->n_threads;
	struct gpube_model *m = grid(18, 18);
	struct gpube_inference out = {0};
	struct gpube_opts opts = {0};
	struct gpube__inferring j = {.m = m, .ctx = ctx, .opts = &opts, .out = &out};
	double one, many, small;

	(void)state;
	assert_int_equal(gpube__infer_begin(&j), GPUBE_OK);
	assert_int_equal(gpube__infer_plan(&j), GPUBE_OK);
	assert_int_equal(gpube__wmb(&small, NULL, &j, 256, true), GPUBE_OK);
	assert_true(j.wmb_bytes > 256 * sizeof(double));
	ctx->n_threads = 1;
	assert_int_equal(gpube__wmb(&one, NULL, &j, 0x1p16, true), GPUBE_OK);
	ctx->n_threads = n_threads;
	assert_int_equal(gpube__wmb(&many, NULL, &j, 0x1p16, true), GPUBE_OK);
	assert_true(one == many);
	assert_true(many < small);
	assert_true(j.wmb_bytes >= 0x1p16 * sizeof(double));
	assert_true(j.wmb_bytes < 0x1p22 * sizeof(double));
	gpube__infer_clear(&j);
	gpube_model_free(m);
}

/* Every marginal is in its interval, which larger regions make no wider, and the largest exact. */
static void test_intervals(void **state)
{
	static const double edges[] = {16, 128, 1e5};
	int n_narrow = 0, n_wide = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 1000; seed++) {
		struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
		struct gpube_model *m = random_model(ctx, &spec, seed);
		struct gpube_opts opts = {.task = GPUBE_INFER_MAR};
		struct gpube_inference *out = gpube__inference_new(ctx);
		struct gpube__inferring j = {.m = m, .ctx = ctx, .opts = &opts, .out = out};
		double least[MOST_VALUES] = {0}, most[MOST_VALUES];
		struct truth t;

		assert_non_null(m);
		assert_non_null(out);
		enumerate(&t, m);
		assert_int_equal(gpube__infer_begin(&j), GPUBE_OK);
		for (int k = 0; k < MOST_VALUES; k++)
			most[k] = 1;
		for (int k = 0; k < 3 && t.z.hi > 0; k++) {
			assert_int_equal(gpube__infer_intervals(&j, edges[k], 0), GPUBE_OK);
			for (int64_t i = 0; i < gpube__infer_n_values(m); i++) {
				const double lower = out->marginals_lower[i],
					     upper = out->marginals_upper[i];
				const double p = twofold_ratio(t.weight[i], t.z);

				assert_true(lower >= least[i] && upper <= most[i]);
				assert_true(lower <= p + 1e-15 && p <= upper + 1e-15);
				n_narrow +=
					k < 2 && lower < upper && (lower > 0.01 || upper < 0.99);
				n_wide += k == 0 && upper - lower > 0.01;
				assert_true(k < 2 || upper - lower < 1e-12);
				least[i] = lower;
				most[i] = upper;
			}
		}
		gpube__infer_clear(&j);
		gpube_result_free(out);
		gpube_model_free(m);
	}
	/* the cases are there */
	assert_true(n_narrow > 100);
	assert_true(n_wide > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_stopped_slices),
		cmocka_unit_test(test_evidence),
		cmocka_unit_test(test_magnitudes),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_barren),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_large_mini_buckets),
		cmocka_unit_test(test_intervals),
	};

	return cmocka_run_group_tests(tests, ctx_setup_2_threads, ctx_teardown);
}
