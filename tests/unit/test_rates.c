/* The rates of a machine: written, read back, refused with the line, and what threads make of them.
 */
#include "tests/support/test.h"

#include "gpube/ops/pick.h"

static struct gpube_ctx *ctx;

static void some_rates(struct gpube_rates *r)
{
	gpube__rates_estimate(r, 4);
	strcpy(r->core.name, "A Processor @ 3.00 GHz");
	strcpy(r->all.name, r->core.name);
	strcpy(r->devices[1].name, "Card 2");
	r->core.copy = 1.25e10;
	r->all.copy = 2.5e10;
	r->core.add_min_int32 = 1e10;
	r->all.add_min_int32 = 3.5e10;
	r->devices[1].open = 0.25;
}

static void there_and_back(void **state)
{
	struct gpube_rates r, back;
	char text[4096], again[4096];
	int n;

	(void)state;
	some_rates(&r);
	n = gpube__rates_write(text, sizeof(text), &r);
	assert_true(n > 0 && n < (int)sizeof(text));
	assert_int_equal(gpube__rates_write(NULL, 0, &r), n);
	assert_int_equal(gpube__rates_read(ctx, &back, text), 0);
	assert_int_equal(back.n_threads, 4);
	assert_string_equal(back.core.name, r.core.name);
	assert_string_equal(back.devices[0].name, "");
	assert_string_equal(back.devices[1].name, "Card 2");
	assert_true(back.devices[1].open == 0.25);
	gpube__rates_write(again, sizeof(again), &back);
	assert_string_equal(text, again);
}

static void refused(void **state)
{
	static const char *const rows[][2] = {
		{"", "line 1: expected 'gpube rates 1'"},
		{"gpube rates 2\nthreads 4\n", "line 1: expected 'gpube rates 1'"},
		{"gpube rates 1\nthreads 0\n", "line 2: "},
		{"gpube rates 1\nthreads 4\ncore copy\n", "line 3: "},
		{"gpube rates 1\nthreads 4\ncore copy fast\n", "line 3: "},
		{"gpube rates 1\nthreads 4\ncore copy -1\n", "line 3: "},
		{"gpube rates 1\nthreads 4\ncore copy 0\n", "line 3: "},
		{"gpube rates 1\nthreads 4\ncore copy nan\n", "line 3: "},
		{"gpube rates 1\nthreads 4\ncore copy 1e9", "line 3: "},
	};
	struct gpube_rates r;

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		assert_int_equal(gpube__rates_read(ctx, &r, rows[k][0]), GPUBE_EPARSE);
		if (!strstr(gpube_error(ctx), rows[k][1]))
			fail_msg("row %zu: %s", k, gpube_error(ctx));
	}
	/* what a later version may add */
	assert_int_equal(
		gpube__rates_read(ctx, &r, "gpube rates 1\nthreads 4\nnpu1 copy 5\ncore x 1\n"), 0);
}

static void threads_between(void **state)
{
	struct gpube_rates r;
	int n = ctx->n_threads;

	(void)state;
	some_rates(&r);
	assert_int_equal(gpube__rates_set(ctx, &r), 0);
	ctx->n_threads = 1;
	assert_true(gpube__rate_of(ctx, gpube__ops_cpu()).add_min_int32 == 1e10);
	ctx->n_threads = 3;
	assert_true(gpube__rate_of(ctx, gpube__ops_cpu()).add_min_int32 == 3e10);
	assert_true(gpube__rate_of(ctx, gpube__ops_cpu()).copy == 2.5e10);
	ctx->n_threads = 8;
	assert_true(gpube__rate_of(ctx, gpube__ops_cpu()).add_min_int32 == 3.5e10);
	ctx->n_threads = n;
}

/* The bound is the larger of moving and adding. */
static void bounds(void **state)
{
	struct gpube_rates r;

	(void)state;
	some_rates(&r);
	assert_true(gpube__contract_bound(&r.core, GPUBE_INT32, 1e10, 1) == 1);
	assert_true(gpube__contract_bound(&r.core, GPUBE_INT32, 1, 2.5e10) == 2);
	assert_true(
		gpube__contract_seconds(&r.core, gpube__ops_cpu(), GPUBE_INT32, 2, 1e10, 1) > 1);
	/* several cores are of no use to little work */
	r.all.cores = r.all.add_min_int32 / r.core.add_min_int32;
	assert_true(r.all.cores > 3);
	assert_true(
		gpube__contract_seconds(&r.all, gpube__ops_cpu(), GPUBE_INT32, 2, 1e10, 1) <
		gpube__contract_seconds(&r.core, gpube__ops_cpu(), GPUBE_INT32, 2, 1e10, 1) / 3);
	assert_true(
		gpube__contract_seconds(&r.all, gpube__ops_cpu(), GPUBE_INT32, 2, 1e4, 1) >
		gpube__contract_seconds(&r.core, gpube__ops_cpu(), GPUBE_INT32, 2, 1e4, 1) * 0.9);
}

static void measured(void **state)
{
	struct gpube_rate r = {.copy = 0};

	(void)state;
	assert_int_equal(gpube__measure(ctx, gpube__ops_cpu(), &r), 0);
	assert_true(r.copy > 1e8 && r.copy < 1e13);
	assert_true(r.add_min_int32 > 1e8 && r.add_min_int32 < 1e13);
	assert_true(r.add_min_int64 > 1e7 && r.add_min_int64 < 1e13);
	assert_true(r.launch > 0 && r.launch < 1e-2);
	assert_true(r.round_trip > 0 && r.upload > 0 && r.download > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(refused),
		cmocka_unit_test(threads_between),
		cmocka_unit_test(bounds),
		cmocka_unit_test(measured),
	};
	int failed;

	if (gpube_ctx_new(&ctx, NULL) != 0)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	gpube_ctx_free(ctx);
	return failed;
}
