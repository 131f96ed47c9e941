/*
 * Tables of 2^32 cells and more on the GPU: made there, contracted by every kind of kernels, and
 * sampled. Cards whose memory is too small for a case skip it, as all do without a device, unless
 * GPUBE_REQUIRE_GPU is set.
 */
#include "tests/support/test.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/wide.h"

#include "gpube/ops/contract/contract.h"

static const struct gpube_ops *ops;

struct row {
	const char *name, *kernels;
	struct wide w;
};

#define ALL(n) ((1u << (n)) - 1)

/* A little more than 2^32 cells of the table, or 2^33; then of the output, with more operands. */
static struct row rows[] = {
	{"x first", NULL,
		{.type = GPUBE_INT32, .n_out = 3, .x_at = 0, .sizes = {24, 4500, 4500, 9}}},
	{"x between", NULL,
		{.type = GPUBE_INT32, .n_out = 3, .x_at = 1, .sizes = {24, 4500, 4500, 9}}},
	{"x last", NULL,
		{.type = GPUBE_INT32, .n_out = 3, .x_at = 3, .sizes = {24, 4500, 4500, 9}}},
	{"boxes, x first", "boxes",
		{.type = GPUBE_INT32, .n_out = 3, .x_at = 0, .sizes = {24, 4500, 4500, 9}}},
	{"boxes, x last", "boxes",
		{.type = GPUBE_INT32, .n_out = 3, .x_at = 3, .sizes = {24, 4500, 4500, 9}}},
	{"int64", NULL, {.type = GPUBE_INT64, .n_out = 3, .x_at = 0, .sizes = {24, 4500, 4500, 9}}},
	{"many dims", NULL,
		{.type = GPUBE_INT32,
			.n_out = 20,
			.x_at = 0,
			.sizes = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2}}},
	{"two values", NULL,
		{.type = GPUBE_INT32, .n_out = 3, .x_at = 0, .sizes = {64, 8192, 8192, 2}}},
	{"boxes, many operands", "boxes",
		{.type = GPUBE_INT32,
			.n_out = 6,
			.x_at = 0,
			.more = ALL(5),
			.without = 2,
			.sizes = {41, 41, 41, 41, 41, 41, 7}}},
	{"boxes, large table", "boxes",
		{.type = GPUBE_INT32,
			.n_out = 6,
			.x_at = 0,
			.more = ALL(5),
			.without = 1,
			.sizes = {9, 41, 41, 41, 41, 41, 41}}},
	{"strips", "strips",
		{.type = GPUBE_INT32,
			.n_out = 6,
			.x_at = 0,
			.more = ALL(5),
			.without = 2,
			.sizes = {40, 40, 40, 40, 40, 44, 7}}},
	{"strips, large table", "strips",
		{.type = GPUBE_INT32,
			.n_out = 6,
			.x_at = 0,
			.more = ALL(5),
			.without = 1,
			.sizes = {9, 40, 40, 40, 40, 44, 42}}},
};

static void contracts(void **state)
{
	struct row *row = *state;
	const char *problem;

	if (wide_bytes(&row->w) > (double)ops->memory(ctx))
		skip();
	assert_true(gpube__cuda_force(ctx, row->kernels));
	if (wide_new(&row->w, ctx, ops) || wide_contract(&row->w, NULL))
		fail_msg("%s", gpube_error(ctx));
	assert_true(gpube__cuda_force(ctx, NULL));
	problem = wide_check(&row->w, 20000, 7);
	if (problem)
		fail_msg("%s", problem);
	wide_free(&row->w);
}

int main(void)
{
	struct cases c = {0};
	int status;

	if (ctx_setup(NULL))
		return 1;
	ops = gpube__ops_cuda(ctx, &status);
	add_case(&c, device_opens, NULL, "device");
	for (size_t k = 0; ops && k < sizeof(rows) / sizeof(*rows); k++)
		add_case(&c, contracts, &rows[k], "%s", rows[k].name);
	return run_cases(&c, "wide tables", NULL, ctx_teardown);
}
