/* add_min.cuh - the most add-mins that a card can do: between registers, nothing is loaded. */
#ifndef GPUBE_ADD_MIN_CUH
#define GPUBE_ADD_MIN_CUH

#include "gpube/ops/device/fused.cuh"

#define CHAINS 32

/* What the compiler may not foresee. */
__device__ static inline void opaque(int32_t *v)
{
	asm volatile("" : "+r"(*v));
}

__device__ static inline void opaque(int64_t *v)
{
	asm volatile("" : "+l"(*(long long *)v));
}

/*
 * CHAINS independent add-mins a round, whose sums the compiler cannot take out of the loop.
 * Bound: issue of add and min (fused for int32 from sm_90 on).
 */
template <typename T> __global__ void add_mins(T *out, T from, int rounds)
{
	T best[CHAINS], a[8], b[4];

	for (int i = 0; i < CHAINS; i++)
		best[i] = from + (T)(i * 1000);
	for (int i = 0; i < 8; i++)
		a[i] = from + (T)(threadIdx.x + i);
	for (int i = 0; i < 4; i++)
		b[i] = from - (T)i;
	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < 4; i++)
			opaque(&b[i]);
#pragma unroll
		for (int i = 0; i < CHAINS; i++)
			best[i] = add_min(a[i % 8], b[i / 8], best[i]);
	}
	for (int i = 1; i < CHAINS; i++)
		best[0] = best[i] < best[0] ? best[i] : best[0];
	out[blockIdx.x * blockDim.x + threadIdx.x] = best[0];
}

#endif
