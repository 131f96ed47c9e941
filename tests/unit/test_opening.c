/* Opening a device beside other work, and what the driver is told before. */
#define _POSIX_C_SOURCE 200809L

#include "tests/support/test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "gpube/ops/device/opening.h"
#include "gpube/ops/ops.h"
#include "gpube/ops/pick.h"

static void limits_devices(void **state)
{
	static const struct {
		const char *had;
		int n;
		const char *has;
	} rows[] = {
		{NULL, 1, "0"},
		{NULL, 3, "0,1,2"},
		{NULL, 0, NULL},
		{"3,1", 0, "3,1"},
		{"", 1, ""},
		{"2", 1, "2"},
		{"2,3", 1, "2"},
		{"2,3", 2, "2,3"},
		{"2,3,0", 2, "2,3"},
		{"GPU-8932f937,GPU-ab,MIG-1", 2, "GPU-8932f937,GPU-ab"},
		{"1,0", 8, "1,0"},
	};

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		if (rows[k].had)
			setenv("CUDA_VISIBLE_DEVICES", rows[k].had, 1);
		else
			unsetenv("CUDA_VISIBLE_DEVICES");
		gpube__opening_limit(rows[k].n, false);
		if (rows[k].has)
			assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), rows[k].has);
		else
			assert_null(getenv("CUDA_VISIBLE_DEVICES"));
	}
	assert_null(getenv("CUDA_DEVICE_MAX_CONNECTIONS"));
	unsetenv("CUDA_VISIBLE_DEVICES");
}

static void limits_connections(void **state)
{
	(void)state;
	gpube__opening_limit(1, true);
	assert_string_equal(getenv("CUDA_DEVICE_MAX_CONNECTIONS"), "1");
	setenv("CUDA_DEVICE_MAX_CONNECTIONS", "4", 1); /* the user's */
	gpube__opening_limit(1, true);
	assert_string_equal(getenv("CUDA_DEVICE_MAX_CONNECTIONS"), "4");
	unsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
	unsetenv("CUDA_VISIBLE_DEVICES");
}

/*
 * The opening is the process': each of these is run by a child of its own, before anything has
 * touched a driver there, and says by its status at which check it failed.
 */
static void in_child(int (*run)(struct gpube_ctx *ctx))
{
	struct gpube_ctx *ctx;
	int status = -1;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		int failed = gpube_ctx_new(&ctx, NULL) ? 99 : run(ctx);

		_exit(failed);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Whether there is one or not: what a caller gets is what it gets without a thread. */
static int same_answer(struct gpube_ctx *ctx)
{
	struct gpube_ctx *other;
	const struct gpube_ops *ops;
	int status, again;

	gpube__opening_allow(0);
	gpube__opening_begin();
	gpube__opening_begin(); /* does nothing */
	if (!(gpube__opening_since() > 0))
		return 1;
	ops = gpube__ops_cuda(ctx, &status);
	if (gpube__opening_now())
		return 2;
	if ((ops == NULL) != (status != GPUBE_OK) || (!ops && status != GPUBE_ENODEV))
		return 3;
	if (!ops && !strstr(gpube_error(ctx), "CUDA"))
		return 4;
	if (gpube_ctx_new(&other, NULL))
		return 5;
	if (gpube__ops_cuda(other, &again) != ops || again != status)
		return 6;
	gpube_ctx_free(other);
	gpube_ctx_free(ctx);
	return 0;
}

/* A library's caller has not said how its process ends. */
static int not_allowed(struct gpube_ctx *ctx)
{
	const double whole = gpube__open_seconds(ctx);

	gpube__opening_begin();
	if (gpube__opening_now() || gpube__opening_since() != 0)
		return 1;
	gpube__opening_wait();
	if (gpube__open_seconds(ctx) < whole)
		return 2;
	gpube_ctx_free(ctx);
	return 0;
}

static int costs_less_once_begun(struct gpube_ctx *ctx)
{
	const double whole = gpube__open_seconds(ctx);

	gpube__opening_allow(0);
	if (gpube__open_seconds(ctx) < whole)
		return 1;
	gpube__opening_begin();
	if (!(gpube__open_seconds(ctx) < whole))
		return 2;
	gpube__opening_wait();
	if (gpube__opening_now())
		return 3;
	gpube_ctx_free(ctx);
	return 0;
}

static void threads(void **state)
{
	in_child((int (*)(struct gpube_ctx *)) * state);
}

#define ROW(run)                                                                                   \
	{                                                                                          \
#run, threads, NULL, NULL, (void *)run                                             \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_devices),
		cmocka_unit_test(limits_connections),
		ROW(same_answer),
		ROW(not_allowed),
		ROW(costs_less_once_begun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
