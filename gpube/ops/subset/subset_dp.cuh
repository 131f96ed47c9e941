/*
 * subset_dp.cuh - the kernels of subset_dp.cu: splits by look-ups, a thread a coalition as IDP^G
 * has it, and by groups of threads as GPU-CSG has it.
 */
#ifndef GPUBE_SUBSET_DP_CUH
#define GPUBE_SUBSET_DP_CUH

#include "gpube/ops/device/device.cuh"

extern "C" {
#include "gpube/ops/subset/subset.h"
}

#define DP_THREADS    256
#define DP_COALITIONS 32 /* of a thread group of GPU-CSG */
#define DP_BATCH      8  /* of them at once */

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
	uint64_t coalition[DP_COALITIONS];
	uint8_t shift[DP_COALITIONS][GPUBE_FILL_AGENTS]; /* the members of each */
	T best[DP_THREADS / 32][DP_COALITIONS];
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
	for (int k = 0; k < DP_BATCH; k++) {
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
static __global__ void __launch_bounds__(DP_THREADS)
	group_kernel(const struct gpube_splits s, uint64_t n_coalitions, T *partials)
{
	__shared__ struct group<T> g;
	const uint64_t first = (uint64_t)blockIdx.x * DP_COALITIONS;
	const uint32_t n_splits = 1u << (s.size - 1); /* number 0 is none */
	const int t = (int)threadIdx.x;

	if (t == 0) {
		uint64_t c = gpube__subset_of_size(s.n_bits, s.size, first);

		for (int k = 0; k < DP_COALITIONS; k++) {
			g.coalition[k] = first + k < n_coalitions ? c : 0;
			if (first + k + 1 < n_coalitions)
				c = gpube__next_of_size(c);
		}
	}
	__syncthreads();
	if (t < DP_COALITIONS) {
		int n = 0;

		for (uint64_t c = g.coalition[t]; c; c &= c - 1)
			g.shift[t][n++] = (uint8_t)(__ffsll((long long)c) - 1);
	}
	__syncthreads();
	for (int from = 0; from < DP_COALITIONS; from += DP_BATCH) {
		T best[DP_BATCH];

#pragma unroll
		for (int k = 0; k < DP_BATCH; k++)
			best[k] = lowest_of<T>();
		for (uint64_t i = 2 * ((uint64_t)blockIdx.y * DP_THREADS + t); i < n_splits;
			i += 2 * (uint64_t)gridDim.y * DP_THREADS)
			look_at_batch<T, SHARED>(
				best, g, from, (const T *)s.best, (uint32_t)i, n_splits);
#pragma unroll
		for (int k = 0; k < DP_BATCH; k++) {
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
	if (t < DP_COALITIONS && g.coalition[t]) {
		T best = g.best[0][t];

		for (int k = 1; k < DP_THREADS / 32; k++)
			best = g.best[k][t] > best ? g.best[k][t] : best;
		partials[(first + t) * gridDim.y + blockIdx.y] = best;
	}
}

#endif
