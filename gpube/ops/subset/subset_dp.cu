/*
 * subset_dp.cu - the baselines on a device: the splits of all coalitions of one
 * size by look-ups, as GPU-CSG (Svensson et al., PRIMA 2013) and IDP^G (Pawlowski et
 * al., AAMAS 2014) do them. For comparison: see subset_tile.cuh for the fast way. To share splits
 * among threads, which paid on the cards of 2013, saves nothing on an H200: what is not shared is
 * found in the cache (benchmarks/runs/csg-h200).
 */
#include "gpube/ops/device/device.cuh"

extern "C" {
#include "gpube/ops/subset/subset.h"
}

#define THREADS    256
#define COALITIONS 32 /* of a thread group of GPU-CSG */
#define BATCH      8  /* of them at once */

template <class T> static __device__ T lowest_of()
{
	return (T)-INFINITY;
}
template <> __device__ int16_t lowest_of<int16_t>()
{
	return INT16_MIN;
}
template <> __device__ int32_t lowest_of<int32_t>()
{
	return INT32_MIN;
}
template <> __device__ int64_t lowest_of<int64_t>()
{
	return INT64_MIN;
}

/* IDP^G: a thread a coalition; a value is fetched only if the sizes say that it is needed. */
template <class T>
static __global__ void thread_kernel(const struct gpube_splits s, uint64_t n_coalitions)
{
	const uint64_t id = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
	T *f = (T *)s.best;
	uint64_t c, rest;
	T best;

	if (id >= n_coalitions)
		return;
	c = gpube__subset_of_size(s.n_bits, s.size, id);
	best = ((const T *)s.value)[c];
	rest = s.most ? c & (c - 1) : 0;
	for (uint64_t y = rest; y; y = (y - 1) & rest) {
		const int k = __popcll(y);

		if (k <= s.most && s.size - k <= s.most) {
			const T sum = f[y] + f[c ^ y];

			best = sum > best ? sum : best;
		}
	}
	f[c] = best;
}

/* What a thread group of GPU-CSG has in shared memory. */
template <class T> struct group {
	uint64_t coalition[COALITIONS];
	uint8_t shift[COALITIONS][GPUBE_FILL_AGENTS]; /* the members of each */
	T best[THREADS / 32][COALITIONS];
};

/* Splitting number i of a coalition, whose members are 'shift'. */
static __device__ uint64_t initial_split(uint32_t i, const uint8_t *shift)
{
	uint64_t y = 0;

	for (; i; i &= i - 1)
		y |= (uint64_t)1 << shift[__ffs((int)i) - 1];
	return y;
}

/* The better of splittings i and i + 1 of each coalition of a batch, where there are any. */
template <class T, bool SHARED>
static __device__ void look_at_batch(
	T *best, const struct group<T> &g, int from, const T *f, uint32_t i, uint32_t n_splits)
{
	uint64_t y_before[2] = {0, 0}, z_before[2] = {0, 0};
	T of_y[2] = {0, 0}, of_z[2] = {0, 0};

#pragma unroll
	for (int k = 0; k < BATCH; k++) {
		const uint64_t c = g.coalition[from + k];
		uint64_t y = c ? initial_split(i, g.shift[from + k]) : 0;

#pragma unroll
		for (int j = 0; j < 2; j++) {
			const uint64_t z = c ^ y;

			if (!SHARED || y != y_before[j])
				of_y[j] = f[y];
			if (!SHARED || z != z_before[j])
				of_z[j] = f[z];
			y_before[j] = y;
			z_before[j] = z;
			if (i + j < n_splits && y && (T)(of_y[j] + of_z[j]) > best[k])
				best[k] = of_y[j] + of_z[j];
			y = (y - c) & c; /* the next splitting */
		}
	}
}

/*
 * GPU-CSG: 32 coalitions that follow each other, 512 splittings of each at a time,
 * eight coalitions at once; SHARED: a value that the coalition before has fetched
 * is not fetched again. Splittings beyond one group's share go to others.
 */
template <class T, bool SHARED>
static __global__ void __launch_bounds__(THREADS)
	group_kernel(const struct gpube_splits s, uint64_t n_coalitions, T *partials)
{
	__shared__ struct group<T> g;
	const uint64_t first = (uint64_t)blockIdx.x * COALITIONS;
	const uint32_t n_splits = 1u << (s.size - 1); /* number 0 is none */
	const int t = (int)threadIdx.x;

	if (t == 0) {
		uint64_t c = gpube__subset_of_size(s.n_bits, s.size, first);

		for (int k = 0; k < COALITIONS; k++) {
			g.coalition[k] = first + k < n_coalitions ? c : 0;
			if (first + k + 1 < n_coalitions)
				c = gpube__next_of_size(c);
		}
	}
	__syncthreads();
	if (t < COALITIONS) {
		int n = 0;

		for (uint64_t c = g.coalition[t]; c; c &= c - 1)
			g.shift[t][n++] = (uint8_t)(__ffsll((long long)c) - 1);
	}
	__syncthreads();
	for (int from = 0; from < COALITIONS; from += BATCH) {
		T best[BATCH];

#pragma unroll
		for (int k = 0; k < BATCH; k++)
			best[k] = lowest_of<T>();
		for (uint64_t i = 2 * ((uint64_t)blockIdx.y * THREADS + t); i < n_splits;
			i += 2 * (uint64_t)gridDim.y * THREADS)
			look_at_batch<T, SHARED>(
				best, g, from, (const T *)s.best, (uint32_t)i, n_splits);
#pragma unroll
		for (int k = 0; k < BATCH; k++) {
			for (int n = 16; n; n /= 2) {
				/* 16-bit values travel in words */
				const T other = (T)__shfl_xor_sync(
					~0u, sizeof(T) < 4 ? (T)best[k] : best[k], n);

				best[k] = other > best[k] ? other : best[k];
			}
			if (t % 32 == 0)
				g.best[t / 32][from + k] = best[k];
		}
	}
	__syncthreads();
	if (t < COALITIONS && g.coalition[t]) {
		T best = g.best[0][t];

		for (int k = 1; k < THREADS / 32; k++)
			best = g.best[k][t] > best ? g.best[k][t] : best;
		partials[(first + t) * gridDim.y + blockIdx.y] = best;
	}
}

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
	const uint64_t groups = (n + COALITIONS - 1) / COALITIONS;
	const uint64_t rounds = ((uint64_t)1 << (s->size - 1)) / (2 * THREADS);
	uint64_t shares = (uint64_t)d->n_sms * 16 / groups + 1;
	T *partials;

	shares = shares < rounds ? shares : rounds ? rounds : 1;
	partials = (T *)gpube__arena_take(d->arena, ctx, n * shares * sizeof(T));
	if (!partials)
		return GPUBE_ENOMEM;
	if (s->how == GPUBE_SPLITS_SHARED)
		group_kernel<T, true>
			<<<dim3((unsigned)groups, (unsigned)shares), THREADS, 0, d->stream>>>(
				*s, n, partials);
	else
		group_kernel<T, false>
			<<<dim3((unsigned)groups, (unsigned)shares), THREADS, 0, d->stream>>>(
				*s, n, partials);
	collect_kernel<T><<<(unsigned)((n + THREADS - 1) / THREADS), THREADS, 0, d->stream>>>(
		*s, n, partials, (int)shares);
	gpube__arena_give(d->arena, ctx, partials);
	return GPUBE_OK;
}

template <class T> static int run(struct gpube_ctx *ctx, const struct gpube_splits *s)
{
	const uint64_t n = gpube__n_of_size(s->n_bits, s->size);

	/* all agents together: one coalition, which one thread would not do justice */
	if ((s->how != GPUBE_SPLITS_THREAD || s->size == s->n_bits) && s->size > 1)
		return by_groups<T>(ctx, s, n);
	thread_kernel<T><<<(unsigned)((n + THREADS - 1) / THREADS), THREADS, 0,
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
	switch (s->type) {
	case GPUBE_INT16:
		status = run<int16_t>(ctx, s);
		break;
	case GPUBE_INT32:
		status = run<int32_t>(ctx, s);
		break;
	case GPUBE_INT64:
		status = run<int64_t>(ctx, s);
		break;
	case GPUBE_FLOAT32:
		status = run<float>(ctx, s);
		break;
	default:
		status = run<double>(ctx, s);
		break;
	}
	if (status)
		return status;
	GPUBE_ECUDA(ctx, cudaGetLastError());
	/* sizes are the steps at which it can be stopped */
	GPUBE_ECUDA(ctx, cudaStreamSynchronize(gpube__device_of(ctx)->stream));
	return GPUBE_OK;
}
