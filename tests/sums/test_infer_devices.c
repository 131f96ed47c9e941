/*
 * Sums in slices shared out over devices, for which the CPU stands in where there is none: those of
 * one, whoever was faster; with a stop, and with less memory than any slice takes.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "gpube/infer/infer.h"
#include "tests/sums/infer_truth.h"

static struct gpube_inference *on_devices(
	const struct gpube_model *m, enum gpube_infer_task task, int n_devices)
{
	const struct gpube_opts opts = {.task = task};
	struct gpube_inference *out;

	ctx->n_devices = n_devices;
	for (int k = 0; k < n_devices; k++)
		ctx->devices[k] = 0;
	if (gpube__infer_on_devices(&out, m, &opts, 0))
		fail_msg("%s", gpube_error(ctx));
	ctx->n_devices = 0;
	return out;
}

static void same_sums(void **state)
{
	int n_sliced = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++) {
		const enum gpube_infer_task task = seed % 2 ? GPUBE_INFER_MAR : GPUBE_INFER_PR;
		struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
		struct gpube_model *m = random_model(ctx, &spec, seed);
		struct gpube_inference *one, *all, *again;
		int64_t n = 0;

		assert_non_null(m);
		for (int32_t i = 0; i < m->n_vars; i++)
			n += m->vars[i].domain;
		one = infer(m, (struct gpube_opts){.task = task});
		all = on_devices(m, task, 2 + (int)(seed % 3));
		again = on_devices(m, task, 2 + (int)(seed % 3));
		n_sliced += all->plan.n_slices > 1;
		assert_true(all->known);
		assert_true(all->log10_z == again->log10_z);
		if (one->log10_z != all->log10_z)
			assert_true(fabs(one->log10_z - all->log10_z) < 1e-9);
		assert_true((one->marginals == NULL) == (all->marginals == NULL));
		for (int64_t i = 0; i < n && one->marginals; i++) {
			assert_true(fabs(one->marginals[i] - all->marginals[i]) < 1e-9);
			assert_true(all->marginals[i] == again->marginals[i]);
		}
		gpube_result_free(one);
		gpube_result_free(all);
		gpube_result_free(again);
		gpube_model_free(m);
	}
	assert_true(n_sliced > 100);
}

static void stopped(void **state)
{
	struct random_spec spec = random_spec_varied(4, GPUBE_POTENTIALS);
	const struct gpube_opts opts = {0};
	struct gpube_model *m = random_model(ctx, &spec, 4);
	struct gpube_inference *out;

	(void)state;
	assert_non_null(m);
	ctx->n_devices = 2;
	gpube_ctx_stop(ctx);
	assert_int_equal(gpube__infer_on_devices(&out, m, &opts, 0), GPUBE_ESTOP);
	gpube_ctx_resume(ctx);
	assert_non_null(out);
	assert_false(out->known);
	gpube_result_free(out);
	ctx->n_devices = 0;
	gpube_model_free(m);
}

/* What pays on several devices takes longer than opening one more. */
static void pays(void **state)
{
	(void)state;
	ctx->n_devices = 2;
	assert_true(gpube__infer_devices_cells(ctx) > 1e10);
	ctx->n_devices = 4;
	assert_true(gpube__infer_devices_cells(ctx) > 1e10);
	ctx->n_devices = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_sums),
		cmocka_unit_test(stopped),
		cmocka_unit_test(pays),
	};

	return cmocka_run_group_tests_name("infer on devices", tests, ctx_setup, ctx_teardown);
}
