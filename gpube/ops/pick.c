/* pick.c - see pick.h. */
#include "gpube/ops/pick.h"

#include "gpube/ops/device/opening.h"

#include <math.h>

/*
 * What buckets of elimination reach of the rates, by and large, on the networks of the GpuBE paper
 * and on those of bench_growth (benchmarks/runs/tables-h200): adding, as a share of what
 * a matrix product or a kernel of add-mins reaches, and moving, as one of a copy (on a CPU more
 * than all of it: tables stay in its caches, and reading is faster than writing). A card adds for
 * each operand: 0.16 to 0.3 of its rate on networks of 3 to 7 operands a bucket (devices-h200).
 */
#define ADDING_CPU  0.15
#define MOVING_CPU  1.2
#define ADDING_CUDA 0.2
#define MOVING_CUDA 0.5

/* So few slices take a card hardly longer than one piece would. */
#define FEW_SLICES 64

/* A few cores are at work on a contraction when so much time has passed; before that it is one. */
#define MEETING_SECONDS 2e-5

double gpube__contract_bound(
	const struct gpube_rate *r, enum gpube_type type, double joined, double bytes)
{
	double adding = joined / gpube__rate_add_min(r, type), moving = bytes / r->copy;

	return adding > moving ? adding : moving;
}

double gpube__contract_seconds(const struct gpube_rate *r, const struct gpube_ops *ops,
	enum gpube_type type, int n_in, double joined, double bytes)
{
	const bool cpu = ops == gpube__ops_cpu();
	const double n = n_in > 1 ? n_in : 1;
	const double adds = cpu ? joined / ADDING_CPU : joined * n / ADDING_CUDA;
	const double all = adds / gpube__rate_add_min(r, type) +
			   bytes / (r->copy * (cpu ? MOVING_CPU : MOVING_CUDA));
	const double alone = all * fmax(r->cores, 1);

	/* planning takes longer for each operand: measured so on the networks above */
	return r->launch * n + fmin(alone, all + MEETING_SECONDS);
}

/* How much work makes a device worth opening. */
static double worth_opening(const struct gpube_ctx *ctx)
{
	return ctx->device ? 0 : gpube__rate_of(ctx, NULL).open + GPUBE__CLOSE_SECONDS;
}

double gpube__open_seconds(const struct gpube_ctx *ctx)
{
	const double since = gpube__opening_since();
	double left;

	if (ctx->device || since == 0)
		return worth_opening(ctx);
	/* it is begun: its end is to be paid for in any case */
	left = gpube__rate_of(ctx, NULL).open - (gpube__now() - since);
	return left > 0 ? left : 0;
}

bool gpube__further_devices_pay(const struct gpube_ctx *ctx, double seconds)
{
	return ctx->n_devices > 1 && seconds - seconds / ctx->n_devices > GPUBE__FURTHER_SECONDS;
}

double gpube__predicted_seconds(
	const struct gpube_ctx *ctx, const struct gpube_ops *ops, double joined_cells)
{
	/* the CPU's figures are of one core */
	double cores = ops == gpube__ops_cpu() ? ctx->n_threads : 1;

	return joined_cells / (ops->cells_per_second * cores);
}

int gpube__pick(const struct gpube_ops **ops, struct gpube_ctx *ctx, enum gpube_backend want,
	double joined_cells, double bytes)
{
	const struct gpube_ops *cpu = gpube__ops_cpu(), *cuda;
	double here = gpube__predicted_seconds(ctx, cpu, joined_cells);
	bool fits = bytes <= (double)ctx->memory_bytes;
	int status;

	*ops = cpu;
	if (want == GPUBE_BACKEND_CPU)
		return GPUBE_OK;
	if (want == GPUBE_BACKEND_AUTO && fits && here <= worth_opening(ctx))
		return GPUBE_OK;
	cuda = gpube__ops_cuda(ctx, &status);
	if (!cuda)
		return want == GPUBE_BACKEND_CUDA || ctx->n_devices ? status : GPUBE_OK;
	if (want == GPUBE_BACKEND_CUDA || bytes <= (double)cuda->memory(ctx))
		*ops = cuda;
	return GPUBE_OK;
}

int gpube__pick_early(const struct gpube_ops **ops, struct gpube_ctx *ctx, enum gpube_backend want,
	double joined_cells, double largest, bool slices)
{
	const struct gpube_ops *cpu = gpube__ops_cpu(), *cuda;
	int status;

	*ops = cpu;
	if (want == GPUBE_BACKEND_CPU ||
		(want == GPUBE_BACKEND_AUTO &&
			gpube__predicted_seconds(ctx, cpu, joined_cells) <= worth_opening(ctx)))
		return GPUBE_OK;
	cuda = gpube__ops_cuda(ctx, &status);
	if (!cuda)
		return want == GPUBE_BACKEND_CUDA || ctx->n_devices ? status : GPUBE_OK;
	/* two of the largest messages of 8 bytes must fit, or a better order is worth its time */
	if (16 * largest / (slices ? FEW_SLICES : 1) <= (double)cuda->memory(ctx))
		*ops = cuda;
	return GPUBE_OK;
}

int gpube__uses(struct gpube_ctx *ctx, struct gpube_use *use)
{
	const struct gpube_ops *ops = NULL;
	int status;

	if (ctx->device)
		ops = gpube__ops_cuda(ctx, &status);
	return ops && ops->uses ? ops->uses(ctx, use) : 0;
}
