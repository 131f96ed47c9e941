/* pick.c - see pick.h. */
#include "gpube/ops/pick.h"

/* Seconds to open a device and to load its kernels: what auto has to win back. */
#define OPEN_SECONDS 0.5
/* Pinned copies over PCIe 4 x16; what streams is bound by it. */
#define BUS_BYTES_PER_SECOND 2e10

double gpube__predicted_seconds(
	const struct gpube_ctx *ctx, const struct gpube_ops *ops, double joined_cells)
{
	/* the CPU's figures are of one core */
	double cores = ops == gpube__ops_cpu() ? ctx->n_threads : 1;

	return joined_cells / (ops->cells_per_second * cores);
}

/* With tables that stream between the host and the device, every byte in and out once. */
static double streamed_seconds(
	const struct gpube_ctx *ctx, const struct gpube_ops *cuda, double joined_cells, double bytes)
{
	return gpube__predicted_seconds(ctx, cuda, joined_cells) + 2 * bytes / BUS_BYTES_PER_SECOND;
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
	if (want == GPUBE_BACKEND_AUTO && fits && here <= OPEN_SECONDS)
		return GPUBE_OK;
	cuda = gpube__ops_cuda(ctx, &status);
	if (!cuda)
		return want == GPUBE_BACKEND_CUDA ? status : GPUBE_OK;
	if (want == GPUBE_BACKEND_AUTO && bytes > (double)cuda->resident(ctx) &&
		(bytes > (double)cuda->memory(ctx) ||
			(fits && here <= streamed_seconds(ctx, cuda, joined_cells, bytes))))
		return GPUBE_OK;
	*ops = cuda;
	return GPUBE_OK;
}

int gpube__pick_early(const struct gpube_ops **ops, struct gpube_ctx *ctx,
	enum gpube_backend want, double joined_cells, double largest)
{
	const struct gpube_ops *cpu = gpube__ops_cpu(), *cuda;
	int status;

	*ops = cpu;
	if (want == GPUBE_BACKEND_CPU ||
		(want == GPUBE_BACKEND_AUTO &&
			gpube__predicted_seconds(ctx, cpu, joined_cells) <= OPEN_SECONDS))
		return GPUBE_OK;
	cuda = gpube__ops_cuda(ctx, &status);
	if (!cuda)
		return want == GPUBE_BACKEND_CUDA ? status : GPUBE_OK;
	/* two of the largest messages of 8 bytes must fit, or a better order is worth its time */
	if (16 * largest <= (double)cuda->resident(ctx))
		*ops = cuda;
	return GPUBE_OK;
}
