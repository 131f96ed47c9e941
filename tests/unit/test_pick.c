/* Which backend works, on machines with and without a device. */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/ops/pick.h"

static void the_cpu_when_asked(void **state)
{
	struct gpube_ctx *ctx;
	const struct gpube_ops *ops;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	assert_int_equal(gpube__pick(&ops, ctx, GPUBE_BACKEND_CPU, 1e15, 1e15), 0);
	assert_ptr_equal(ops, gpube__ops_cpu());
	gpube_ctx_free(ctx);
}

static void the_cpu_for_what_is_small(void **state)
{
	struct gpube_ctx *ctx;
	const struct gpube_ops *ops;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	assert_int_equal(gpube__pick(&ops, ctx, GPUBE_BACKEND_AUTO, 1e6, 1e6), 0);
	assert_ptr_equal(ops, gpube__ops_cpu());
	assert_null(ctx->device); /* and no device was opened for it */
	gpube_ctx_free(ctx);
}

/* Either there is a device, or AUTO falls back and CUDA fails with the reason. */
static void large_work(void **state)
{
	struct gpube_ctx *ctx;
	const struct gpube_ops *ops, *cuda;
	int status;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	cuda = gpube__ops_cuda(ctx, &status);
	assert_int_equal(gpube__pick(&ops, ctx, GPUBE_BACKEND_AUTO, 1e15, 1e6), 0);
	assert_ptr_equal(ops, cuda ? cuda : gpube__ops_cpu());
	status = gpube__pick(&ops, ctx, GPUBE_BACKEND_CUDA, 1, 1);
	assert_int_equal(status, cuda ? GPUBE_OK : GPUBE_ENODEV);
	if (!cuda)
		assert_non_null(strstr(gpube_error(ctx), "CUDA"));
	gpube_ctx_free(ctx);
}

/* Before the order: the device only if it is wanted, worth opening and large enough. */
static void early(void **state)
{
	struct gpube_ctx *ctx;
	const struct gpube_ops *ops, *cuda;
	int status;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	assert_int_equal(gpube__pick_early(&ops, ctx, GPUBE_BACKEND_CPU, 1e15, 1e3, false), 0);
	assert_ptr_equal(ops, gpube__ops_cpu());
	assert_int_equal(gpube__pick_early(&ops, ctx, GPUBE_BACKEND_AUTO, 1e6, 1e3, false), 0);
	assert_ptr_equal(ops, gpube__ops_cpu());
	assert_null(ctx->device);
	cuda = gpube__ops_cuda(ctx, &status);
	assert_int_equal(gpube__pick_early(&ops, ctx, GPUBE_BACKEND_AUTO, 1e15, 1e3, false), 0);
	assert_ptr_equal(ops, cuda ? cuda : gpube__ops_cpu());
	assert_int_equal(gpube__pick_early(&ops, ctx, GPUBE_BACKEND_AUTO, 1e15, 1e14, true), 0);
	assert_ptr_equal(ops, gpube__ops_cpu());
	/* a card does in a few slices what is a few times too large for it */
	if (cuda) {
		const double largest = (double)cuda->memory(ctx) / 4;

		assert_int_equal(
			gpube__pick_early(&ops, ctx, GPUBE_BACKEND_AUTO, 1e15, largest, true), 0);
		assert_ptr_equal(ops, cuda);
		assert_int_equal(
			gpube__pick_early(&ops, ctx, GPUBE_BACKEND_AUTO, 1e15, largest, false), 0);
		assert_ptr_equal(ops, gpube__ops_cpu());
	}
	status = gpube__pick_early(&ops, ctx, GPUBE_BACKEND_CUDA, 1, 1, false);
	assert_int_equal(status, cuda ? GPUBE_OK : GPUBE_ENODEV);
	gpube_ctx_free(ctx);
}

static void predictions_count_threads(void **state)
{
	struct gpube_opts opts = {.n_threads = 4};
	struct gpube_ctx *ctx;
	const struct gpube_ops *cpu = gpube__ops_cpu();

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, &opts), 0);
	assert_true(gpube__predicted_seconds(ctx, cpu, 4 * cpu->cells_per_second) == 1);
	gpube_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cpu_when_asked),
		cmocka_unit_test(the_cpu_for_what_is_small),
		cmocka_unit_test(large_work),
		cmocka_unit_test(early),
		cmocka_unit_test(predictions_count_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
