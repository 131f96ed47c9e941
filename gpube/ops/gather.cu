/* gather.cu - single cells of tables to the host, in one round trip: see ops.h. */
#include "gpube/ops/device.cuh"

/* A piece as the kernel reads it: where its cells go in the result. */
struct piece {
	const void *values;
	int64_t first, stride, n, to;
};

template <typename T>
static __global__ void gather(const struct piece *pieces, T *out)
{
	const struct piece p = pieces[blockIdx.x];
	const T *values = (const T *)p.values;

	for (int64_t i = threadIdx.x; i < p.n; i += blockDim.x)
		out[p.to + i] = values[p.first + i * p.stride];
}

int gpube__gather_cuda(struct gpube_ctx *ctx, void *to, int64_t n, const struct gpube_cells *pieces,
        size_t cell_bytes)
{
	cudaStream_t stream = gpube__device_of(ctx)->stream;
	const uint64_t head = ((uint64_t)n * sizeof(struct piece) + 255) / 256 * 256;
	uint64_t cells = 0, bytes;
	unsigned char *host;
	struct piece *list;
	void *words;
	int status;

	if (n == 0)
		return GPUBE_OK;
	for (int64_t k = 0; k < n; k++)
		cells += (uint64_t)pieces[k].n;
	bytes = cells * cell_bytes;
	host = gpube__words(ctx, &words, head + bytes);
	if (!host)
		return GPUBE_ENOMEM;
	list = (struct piece *)host;
	cells = 0;
	for (int64_t k = 0; k < n; k++) {
		const struct piece p = {pieces[k].values, pieces[k].first, pieces[k].stride,
		        pieces[k].n, (int64_t)cells};

		list[k] = p;
		cells += (uint64_t)pieces[k].n;
	}
	status = gpube__words_send(ctx, (uint64_t)n * sizeof(*list));
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
