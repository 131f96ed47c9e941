/* gather.cu - single cells of tables to the host, in one round trip: see ops.h. */
#include "gpube/ops/device/device.cuh"

#define FEW_CELLS 8192

/* A piece as the kernel reads it: where its cells go in the result. */
struct piece {
	const void *values;
	int64_t first, stride, n, to;
};

struct few_pieces {
	struct piece piece[GPUBE_FEW];
};

template <typename T> static __device__ void gather_piece(const struct piece &p, T *out)
{
	const T *values = (const T *)p.values;

	for (int64_t i = threadIdx.x; i < p.n; i += blockDim.x)
		out[p.to + i] = values[p.first + i * p.stride];
}

template <typename T> static __global__ void gather(const struct piece *pieces, T *out)
{
	gather_piece(pieces[blockIdx.x], out);
}

/* The same where a kernel's parameters have room for the pieces, into memory of the host. */
template <typename T>
static __global__ void gather_few(const __grid_constant__ struct few_pieces few, T *out)
{
	gather_piece(few.piece[blockIdx.x], out);
}

/* Returns how many cells the pieces have. */
static uint64_t list_pieces(struct piece *list, int64_t n, const struct gpube_cells *pieces)
{
	uint64_t cells = 0;

	for (int64_t k = 0; k < n; k++) {
		const struct piece p = {pieces[k].values, pieces[k].first, pieces[k].stride,
			pieces[k].n, (int64_t)cells};

		list[k] = p;
		cells += (uint64_t)pieces[k].n;
	}
	return cells;
}

/* A launch, and no copy: what it writes goes over the bus, which pays for few cells. */
static int gather_at_once(struct gpube_ctx *ctx, void *to, int64_t n,
	const struct gpube_cells *pieces, size_t cell_bytes, uint64_t bytes)
{
	cudaStream_t stream = gpube__device_of(ctx)->stream;
	unsigned char *staged = gpube__staging(ctx, bytes, false);
	struct few_pieces few;

	if (!staged)
		return GPUBE_ENOMEM;
	memset(&few, 0, sizeof(few));
	list_pieces(few.piece, n, pieces);
	if (cell_bytes == 4)
		gather_few<int32_t><<<(unsigned)n, 64, 0, stream>>>(few, (int32_t *)staged);
	else
		gather_few<int64_t><<<(unsigned)n, 64, 0, stream>>>(few, (int64_t *)staged);
	GPUBE_ECUDA(ctx, cudaGetLastError());
	GPUBE_ECUDA(ctx, cudaStreamSynchronize(stream));
	memcpy(to, staged, bytes);
	return GPUBE_OK;
}

int gpube__gather_cuda(struct gpube_ctx *ctx, void *to, int64_t n, const struct gpube_cells *pieces,
	size_t cell_bytes)
{
	cudaStream_t stream = gpube__device_of(ctx)->stream;
	const uint64_t head = ((uint64_t)n * sizeof(struct piece) + 255) / 256 * 256;
	uint64_t cells = 0, bytes;
	unsigned char *host;
	void *words;
	int status;

	if (n == 0)
		return GPUBE_OK;
	for (int64_t k = 0; k < n; k++)
		cells += (uint64_t)pieces[k].n;
	bytes = cells * cell_bytes;
	if (n <= GPUBE_FEW && cells <= FEW_CELLS)
		return gather_at_once(ctx, to, n, pieces, cell_bytes, bytes);
	host = gpube__words(ctx, &words, head + bytes);
	if (!host)
		return GPUBE_ENOMEM;
	list_pieces((struct piece *)host, n, pieces);
	status = gpube__words_send(ctx, (uint64_t)n * sizeof(struct piece));
	if (status != GPUBE_OK)
		return status;
	if (cell_bytes == 4)
		gather<int32_t><<<(unsigned)n, 64, 0, stream>>>(
			(const struct piece *)words, (int32_t *)((char *)words + head));
	else
		gather<int64_t><<<(unsigned)n, 64, 0, stream>>>(
			(const struct piece *)words, (int64_t *)((char *)words + head));
	GPUBE_ECUDA(ctx, cudaGetLastError());
	GPUBE_ECUDA(ctx, cudaMemcpyAsync(host + head, (char *)words + head, bytes,
				 cudaMemcpyDeviceToHost, stream));
	GPUBE_ECUDA(ctx, cudaStreamSynchronize(stream));
	memcpy(to, host + head, bytes);
	return GPUBE_OK;
}
