/*
 * subset_dp.cu - the baselines on a device: the splits of all coalitions of one
 * size by look-ups, as GPU-CSG (Svensson et al., PRIMA 2013) and IDP^G (Pawlowski et
 * al., AAMAS 2014) do them. For comparison: see subset_tile.cuh for the fast way. To share splits
 * among threads, which paid on the cards of 2013, saves nothing on an H200: what is not shared is
 * found in the cache (benchmarks/runs/csg-h200).
 */
#include "gpube/ops/subset/subset_dp.cuh"

template <class T>
static __global__ void collect_kernel(
	const struct gpube_splits s, uint64_t n_coalitions, const T *partials, int n)
{
	const uint64_t id = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
	uint64_t c;
	T best;

	if (id >= n_coalitions)
		return;
	c = gpube__subset_of_size(s.n_bits, s.size, id);
	best = ((const T *)s.value)[c];
	for (int k = 0; k < n; k++)
		best = partials[id * n + k] > best ? partials[id * n + k] : best;
	((T *)s.best)[c] = best;
}

template <class T>
static int by_groups(struct gpube_ctx *ctx, const struct gpube_splits *s, uint64_t n)
{
	struct gpube__device *d = gpube__device_of(ctx);
	const uint64_t groups = (n + DP_COALITIONS - 1) / DP_COALITIONS;
	const uint64_t rounds = ((uint64_t)1 << (s->size - 1)) / (2 * DP_THREADS);
	uint64_t shares = (uint64_t)d->n_sms * 16 / groups + 1;
	T *partials;

	shares = shares < rounds ? shares : rounds ? rounds : 1;
	partials = (T *)gpube__arena_take(d->arena, ctx, n * shares * sizeof(T));
	if (!partials)
		return GPUBE_ENOMEM;
	group_kernel<T, true>
		<<<dim3((unsigned)groups, (unsigned)shares), DP_THREADS, 0, d->stream>>>(
			*s, n, partials);
	collect_kernel<T>
		<<<(unsigned)((n + DP_THREADS - 1) / DP_THREADS), DP_THREADS, 0, d->stream>>>(
			*s, n, partials, (int)shares);
	gpube__arena_give(d->arena, ctx, partials);
	return GPUBE_OK;
}

template <class T> static int run(struct gpube_ctx *ctx, const struct gpube_splits *s)
{
	const uint64_t n = gpube__n_of_size(s->n_bits, s->size);

	/* all agents together: one coalition, which one thread would not do justice */
	if ((s->groups || s->size == s->n_bits) && s->size > 1)
		return by_groups<T>(ctx, s, n);
	thread_kernel<T><<<(unsigned)((n + DP_THREADS - 1) / DP_THREADS), DP_THREADS, 0,
		gpube__device_of(ctx)->stream>>>(*s, n);
	return GPUBE_OK;
}

int gpube__subset_splits_cuda(struct gpube_ctx *ctx, const struct gpube_splits *s)
{
	int status;

	if (s->n_bits > 32 || s->size < 1 || s->size > s->n_bits)
		return gpube__fail(ctx, GPUBE_EINVAL, "splits of %d of %d agents: 32 at most",
			s->size, s->n_bits);
	if (gpube__stopped(ctx))
		return gpube__fail_stopped(ctx);
#define RUN(T, MOST, field) status = run<T>(ctx, s)
	GPUBE_BY_VALUE(s->type, RUN);
	if (status)
		return status;
	GPUBE_ECUDA(ctx, cudaGetLastError());
	/* sizes are the steps at which it can be stopped */
	GPUBE_ECUDA(ctx, cudaStreamSynchronize(gpube__device_of(ctx)->stream));
	return GPUBE_OK;
}
