/* context.c - see context.h. */
#include "tests/support/context.h"
#include "gpube/options/options.h"

#include "gpube/ops/ops.h"
#include "tests/support/files.h"
#include "tests/support/test.h"

struct gpube_ctx *ctx;
char dir[256];

int ctx_open(int n_threads, uint64_t memory_bytes)
{
	struct gpube_opts opts = {.n_threads = n_threads, .memory_bytes = memory_bytes};
	const int status = gpube_ctx_new(&ctx, &opts);

	if (!status)
		ctx->alone = 0; /* threads come to a search at once: models are small */
	return status;
}

int ctx_setup(void **state)
{
	(void)state;
	return ctx_open(0, 0);
}

int ctx_setup_1_thread(void **state)
{
	(void)state;
	return ctx_open(1, 0);
}

int ctx_setup_2_threads(void **state)
{
	(void)state;
	return ctx_open(2, 0);
}

int ctx_teardown(void **state)
{
	(void)state;
	gpube_ctx_free(ctx);
	ctx = NULL;
	return 0;
}

int ctx_dir_setup(void **state)
{
	test_make_dir(dir);
	return ctx_setup(state);
}

int ctx_dir_teardown(void **state)
{
	test_clear_dir(dir);
	return ctx_teardown(state);
}

const char *in_dir(const char *name)
{
	static char path[4][400];
	static int at;

	at = (at + 1) % 4;
	snprintf(path[at], sizeof(path[at]), "%s/%s", dir, name);
	return path[at];
}

void needs_device(const void *there, int status)
{
	if (there)
		return;
	if (status == GPUBE_ENODEV && !getenv("GPUBE_REQUIRE_GPU"))
		skip();
	fail_msg("%s", gpube_error(ctx));
}

void device_opens(void **state)
{
	int status = 0;
	const void *there = gpube__ops_cuda(ctx, &status);

	(void)state;
	needs_device(there, status);
}
