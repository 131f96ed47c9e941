/* add_min.cuh - the most add-mins that a card can do: between registers, nothing is loaded. */
#ifndef GPUBE_ADD_MIN_CUH
#define GPUBE_ADD_MIN_CUH

#include <stdint.h>

#define CHAINS 32

__device__ static inline int32_t add_min(int32_t a, int32_t b, int32_t c)
{
#if __CUDA_ARCH__ >= 900
	return __viaddmin_s32(a, b, c);
#else
	return min(a + b, c);
#endif
}

__device__ static inline int64_t add_min(int64_t a, int64_t b, int64_t c)
{
	return a + b < c ? a + b : c;
}

__device__ static inline float add_min(float a, float b, float c)
{
	return fminf(a + b, c);
}

__device__ static inline double add_min(double a, double b, double c)
{
	return fmin(a + b, c);
}

/* What the compiler may not foresee. */
__device__ static inline void opaque(int32_t *v)
{
	asm volatile("" : "+r"(*v));
}

__device__ static inline void opaque(int64_t *v)
{
	asm volatile("" : "+l"(*(long long *)v));
}

__device__ static inline void opaque(float *v)
{
	asm volatile("" : "+f"(*v));
}

__device__ static inline void opaque(double *v)
{
	asm volatile("" : "+d"(*v));
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
