/*
 * Bounds of sums that are told while they become better, and what is there when a sum is stopped at
 * any moment.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpube/infer/infer_bounds.h"
#include "tests/support/context.h"

/* A context whose work is stopped by an allocation, and what it tells. */
struct watch {
	struct gpube_ctx *ctx;
	int64_t n, stop_at, fail_at; /* allocations; 0: never */
	double log10_z, lower, upper;
	int n_told;
};

static void *allocate(void *arg, void *p, size_t size)
{
	struct watch *w = arg;

	if (size && w->ctx && ++w->n == w->stop_at)
		gpube_ctx_stop(w->ctx);
	if (size && w->ctx && w->n == w->fail_at)
		return NULL;
	if (size)
		return realloc(p, size);
	free(p);
	return NULL;
}

/* Bounds never become worse, and the sum is between them. */
static void hear(void *arg, const struct gpube_log *said)
{
	struct watch *w = arg;
	double lower = -INFINITY, upper = INFINITY;

	if (said->level != GPUBE_LOG_BOUNDS)
		return;
	assert_true((said->proved || said->found) && said->maximise);
	if (said->found)
		lower = strtod(said->found + strlen("10^"), NULL);
	if (said->proved)
		upper = strtod(said->proved + strlen("10^"), NULL);
	/* what is told has nine digits */
	assert_true(lower >= w->lower - 1e-7 * (1 + fabs(lower)) &&
		    upper <= w->upper + 1e-7 * (1 + fabs(upper)));
	if (!isnan(w->log10_z))
		assert_true(lower <= w->log10_z + 1e-7 && upper >= w->log10_z - 1e-7);
	w->lower = lower;
	w->upper = upper;
	w->n_told++;
}

static struct gpube_model *grid(struct gpube_ctx *of, int32_t side, double zero)
{
	const double tie[] = {3, 1, zero, 2};
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, of, GPUBE_POTENTIALS), GPUBE_OK);
	for (int32_t i = 0; i < side * side; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
	for (int32_t i = 0; i < side * side; i++) {
		if ((i + 1) % side)
			assert_int_equal(
				gpube_model_add_potentials(m, 2, (const int32_t[]){i, i + 1}, tie),
				GPUBE_OK);
		if (i + side < side * side)
			assert_int_equal(gpube_model_add_potentials(
						 m, 2, (const int32_t[]){i, i + side}, tie),
				GPUBE_OK);
	}
	return m;
}

static void begin(struct watch *w, uint64_t memory)
{
	const struct gpube_opts opts = {.n_threads = 1,
		.memory_bytes = memory,
		.realloc = allocate,
		.realloc_arg = w,
		.log = hear,
		.log_arg = w};

	*w = (struct watch){.lower = -INFINITY, .upper = INFINITY};
	assert_int_equal(gpube_ctx_new(&w->ctx, &opts), GPUBE_OK);
}

static double exact(int32_t side, double zero)
{
	struct gpube_model *m = grid(ctx, side, zero);
	struct gpube_inference *s;
	double log10_z;

	assert_int_equal(gpube_infer(&s, m, NULL), GPUBE_OK);
	log10_z = s->log10_z;
	gpube_result_free(s);
	gpube_model_free(m);
	return log10_z;
}

/*
 * Mini-buckets of all sizes, sums over part of the assignments, and a search, until the bounds
 * meet.
 */
static void test_told(void **state)
{
	(void)state;
	for (int k = 0; k < 2; k++) {
		const struct gpube_opts opts = {.order_method = GPUBE_ORDER_MIN_FILL};
		struct gpube_inference out = {0};
		struct gpube__inferring j = {.opts = &opts, .out = &out};
		struct gpube_model *m;
		struct watch w;

		begin(&w, 1 << 24);
		w.log10_z = exact(14, k);
		m = grid(w.ctx, 14, k);
		j.m = m;
		j.ctx = w.ctx;
		assert_int_equal(gpube__infer_begin(&j), GPUBE_OK);
		assert_int_equal(gpube__infer_plan(&j), GPUBE_OK);
		assert_int_equal(gpube__infer_bounds(&j, 0, NULL), GPUBE_OK);
		assert_true(w.n_told > 1);
		gpube__infer_clear(&j);
		gpube_model_free(m);
		gpube_ctx_free(w.ctx);
	}
}

/*
 * Stopped at any allocation: bounds that hold, marginals within them, and no failure but that
 * nothing was known.
 */
static void test_stopped(void **state)
{
	const double log10_z[] = {exact(9, 0), exact(9, 1)};
	int n_bounds = 0;

	(void)state;
	for (int64_t seed = 0; seed < 300; seed++) {
		struct gpube_opts opts = {
			.bounds = 1, .task = seed % 2 ? GPUBE_INFER_MAR : GPUBE_INFER_PR};
		const int k = (int)(seed / 2 % 2);
		struct gpube_inference *s;
		struct gpube_model *m;
		struct watch w;
		int status;

		begin(&w, seed % 3 ? 1 << 30 : 3000);
		w.log10_z = log10_z[k];
		m = grid(w.ctx, 9, k);
		w.n = 0;
		w.stop_at = 1 + seed * seed % 7919;
		status = gpube_infer(&s, m, &opts);
		assert_true(status == GPUBE_OK || status == GPUBE_ESTOP);
		if (status == GPUBE_OK) {
			assert_true(s->log10_lower <= w.log10_z + 1e-12 &&
				    w.log10_z <= s->log10_upper + 1e-12);
			assert_true(
				opts.task == GPUBE_INFER_PR || s->marginals || s->marginals_lower);
			for (int i = 0; s->marginals_lower && i < 2 * 81; i++)
				assert_true(s->marginals_lower[i] <= s->marginals_upper[i]);
			n_bounds += !s->known;
		}
		gpube_result_free(s);
		gpube_model_free(m);
		gpube_ctx_free(w.ctx);
	}
	assert_true(n_bounds > 20);
}

/* 230 clauses of three of 60 variables: so wide that it is done by cases. */
static struct gpube_model *formula(struct gpube_ctx *of)
{
	struct gpube_model *m;
	struct gpube_rng r;

	gpube__rng_init(&r, 5);
	assert_int_equal(gpube_model_new(&m, of, GPUBE_POTENTIALS), GPUBE_OK);
	for (int32_t i = 0; i < 60; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
	for (int32_t k = 0; k < 230; k++) {
		double cells[8] = {1, 1, 1, 1, 1, 1, 1, 1};
		const int32_t a = (int32_t)gpube__rng_below(&r, 20),
			      b = 20 + (int32_t)gpube__rng_below(&r, 20),
			      c = 40 + (int32_t)gpube__rng_below(&r, 20);

		cells[gpube__rng_below(&r, 8)] = 0;
		assert_int_equal(
			gpube_model_add_potentials(m, 3, (const int32_t[]){a, b, c}, cells),
			GPUBE_OK);
	}
	return m;
}

/* Each allocation in turn is refused: an error or the answer, nothing lost. */
static void test_no_memory(void **state)
{
	const struct gpube_opts opts = {.bounds = 1};
	int n_failed = 0, n_cases = 0, status = GPUBE_ENOMEM;

	(void)state;
	for (int64_t k = 1; k < 100000 && status; k += 1 + k / 30) {
		struct gpube_inference *s;
		struct gpube_model *m;
		struct watch w;

		begin(&w, 1 << 30);
		w.log10_z = NAN;
		m = formula(w.ctx);
		w.n = 0;
		w.fail_at = k;
		status = gpube_infer(&s, m, &opts);
		assert_true(status == GPUBE_OK || status == GPUBE_ENOMEM);
		n_failed += status != GPUBE_OK;
		n_cases += !status && s->n_cases > 0;
		if (!status)
			gpube_result_free(s);
		w.fail_at = 0;
		gpube_model_free(m);
		gpube_ctx_free(w.ctx);
	}
	assert_true(n_failed > 20);
	assert_int_equal(n_cases, 1);
}

/*
 * Where the sum cannot end in time the search for an order has its share of that, though it gains
 * nothing: of a clique, whose orders are all as good.
 */
static void test_long_order(void **state)
{
	enum { VARS = 38 };
	const struct gpube_opts opts = {.bounds = 1};
	const double pairs[] = {1, 2, 3, 4};
	struct gpube_inference out = {0};
	struct gpube__inferring j = {.ctx = ctx, .opts = &opts, .out = &out};
	struct gpube_model *m;
	double start;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
	for (int32_t i = 0; i < VARS; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
	for (int32_t i = 0; i < VARS; i++)
		for (int32_t k = 0; k < i; k++)
			assert_int_equal(
				gpube_model_add_potentials(m, 2, (const int32_t[]){k, i}, pairs),
				GPUBE_OK);
	j.m = m;
	assert_int_equal(gpube__infer_begin(&j), GPUBE_OK);
	start = gpube__now();
	gpube__end_by(ctx, start + 10);
	(void)gpube__infer_plan(&j); /* which may find that tables do not fit */
	assert_true(gpube__now() - start > 2);
	assert_true(ctx->deadline == start + 10);
	ctx->deadline = 0;
	gpube__infer_clear(&j);
	gpube_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_long_order),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, ctx_setup_2_threads, ctx_teardown);
}
