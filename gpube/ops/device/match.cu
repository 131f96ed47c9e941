/* match.cu - tables to the shifts that level them, where they lie: see ops.h. */
#include "gpube/ops/device/device.cuh"

extern "C" {
#include "gpube/ops/device/match.h"
}

#define THREADS 256

/*
 * Map:   thread per cell, grid-stride
 * Moves: 2 n cells of each table's type; the second reading finds the first's in L1 or L2
 * Bound: DRAM for two tables; for many, the latency of n loads in a row
 */
template <bool wide>
static __device__ void match_all(
	void *const *tables, int32_t n, int64_t cells, int64_t limit, int64_t top)
{
	const int64_t step = (int64_t)gridDim.x * blockDim.x;

	for (int64_t cell = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; cell < cells;
		cell += step)
		gpube__match_cell(tables, n, cell, limit, top, wide);
}

template <bool wide>
static __global__ void __launch_bounds__(THREADS)
	match_cells(void *const *tables, int32_t n, int64_t cells, int64_t limit, int64_t top)
{
	match_all<wide>(tables, n, cells, limit, top);
}

struct few_tables {
	void *table[GPUBE_FEW];
};

/* The same where a kernel's parameters have room for the addresses. */
template <bool wide>
static __global__ void __launch_bounds__(THREADS)
	match_few(const __grid_constant__ struct few_tables few, int32_t n, int64_t cells,
		int64_t limit, int64_t top)
{
	match_all<wide>(few.table, n, cells, limit, top);
}

static int launch_few(struct gpube_ctx *ctx, const struct gpube_match *m, unsigned grid)
{
	cudaStream_t stream = gpube__device_of(ctx)->stream;
	struct few_tables few;

	memset(&few, 0, sizeof(few));
	memcpy(few.table, m->tables, (size_t)m->n * sizeof(*m->tables));
	if (m->type == GPUBE_INT32)
		match_few<false>
			<<<grid, THREADS, 0, stream>>>(few, m->n, m->cells, m->limit, m->top);
	else
		match_few<true>
			<<<grid, THREADS, 0, stream>>>(few, m->n, m->cells, m->limit, m->top);
	GPUBE_ECUDA(ctx, cudaGetLastError());
	return GPUBE_OK;
}

int gpube__match_cuda(struct gpube_ctx *ctx, const struct gpube_match *m)
{
	struct gpube__device *d = gpube__device_of(ctx);
	const int64_t most = (int64_t)d->n_sms * 16, blocks = (m->cells + THREADS - 1) / THREADS;
	const unsigned grid = (unsigned)(blocks < most ? blocks : most);
	const uint64_t bytes = (uint64_t)m->n * sizeof(*m->tables);
	unsigned char *host;
	void *list;
	int status;

	if (m->type != GPUBE_INT32 && m->type != GPUBE_INT64)
		return gpube__fail(ctx, GPUBE_EINVAL, "match: tables of integers alone");
	if (m->cells == 0)
		return GPUBE_OK;
	if (m->n <= GPUBE_FEW)
		return launch_few(ctx, m, grid);
	host = gpube__words(ctx, &list, bytes);
	if (!host)
		return GPUBE_ENOMEM;
	memcpy(host, m->tables, bytes);
	status = gpube__words_send(ctx, bytes);
	if (status != GPUBE_OK)
		return status;
	if (m->type == GPUBE_INT32)
		match_cells<false><<<grid, THREADS, 0, d->stream>>>(
			(void *const *)list, m->n, m->cells, m->limit, m->top);
	else
		match_cells<true><<<grid, THREADS, 0, d->stream>>>(
			(void *const *)list, m->n, m->cells, m->limit, m->top);
	GPUBE_ECUDA(ctx, cudaGetLastError());
	return GPUBE_OK;
}
