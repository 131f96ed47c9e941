/* rates_cuda.cu - what a card can do at most: see rates.h. */
#include "gpube/ops/device.cuh"

#include <stdio.h>

extern "C" {
#include "gpube/ops/rates.h"
}

#define CHAINS	   32
#define REPEATS	   5
#define COPY_BYTES (512ull << 20)

__device__ static int32_t add_min(int32_t a, int32_t b, int32_t c)
{
#if __CUDA_ARCH__ >= 900
	return __viaddmin_s32(a, b, c);
#else
	return min(a + b, c);
#endif
}

__device__ static int64_t add_min(int64_t a, int64_t b, int64_t c)
{
	return a + b < c ? a + b : c;
}

__device__ static float add_min(float a, float b, float c)
{
	return fminf(a + b, c);
}

__device__ static double add_min(double a, double b, double c)
{
	return fmin(a + b, c);
}

/* What the compiler may not foresee. */
__device__ static void opaque(int32_t *v)
{
	asm volatile("" : "+r"(*v));
}

__device__ static void opaque(int64_t *v)
{
	asm volatile("" : "+l"(*(long long *)v));
}

__device__ static void opaque(float *v)
{
	asm volatile("" : "+f"(*v));
}

__device__ static void opaque(double *v)
{
	asm volatile("" : "+d"(*v));
}

/*
 * CHAINS independent add-mins a round, whose sums the compiler cannot take out of the loop.
 * Bound: issue of add and min (fused for int32 from sm_90 on); nothing is loaded.
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

/* Add-mins a second; 'rounds' are so many that a launch takes about a millisecond. */
template <typename T>
static int rate_of(struct gpube_ctx *ctx, double *rate, void *out, int rounds)
{
	struct gpube__device *d = gpube__device_of(ctx);
	const int blocks = d->n_sms * 8, threads = 256;

	*rate = 0;
	for (int k = 0; k < REPEATS; k++) {
		double seconds = 0, each;

		gpube__clock_to(ctx, &seconds);
		gpube__mark(ctx, 0);
		add_mins<T><<<blocks, threads, 0, d->stream>>>((T *)out, (T)7, rounds);
		gpube__mark(ctx, 1);
		gpube__clock_to(ctx, NULL);
		if (gpube__clock_settle(ctx, NULL) != GPUBE_OK)
			return GPUBE_ECUDA;
		GPUBE_ECUDA(ctx, cudaGetLastError());
		each = (double)blocks * threads * rounds * CHAINS / seconds;
		*rate = each > *rate ? each : *rate;
	}
	return GPUBE_OK;
}

static int copy_rate(struct gpube_ctx *ctx, double *rate, char *tables)
{
	*rate = 0;
	for (int k = 0; k < REPEATS; k++) {
		double seconds = 0, each;

		gpube__clock_to(ctx, &seconds);
		gpube__mark(ctx, 0);
		cudaMemcpyAsync(tables, tables + COPY_BYTES, COPY_BYTES, cudaMemcpyDeviceToDevice,
		        gpube__device_of(ctx)->stream);
		gpube__mark(ctx, 1);
		gpube__clock_to(ctx, NULL);
		if (gpube__clock_settle(ctx, NULL) != GPUBE_OK)
			return GPUBE_ECUDA;
		GPUBE_ECUDA(ctx, cudaGetLastError());
		each = 2.0 * COPY_BYTES / seconds;
		*rate = each > *rate ? each : *rate;
	}
	return GPUBE_OK;
}

extern "C" int gpube__ceilings_cuda(struct gpube_ctx *ctx, struct gpube_rate *r)
{
	struct gpube__device *d = gpube__device_of(ctx);
	char *tables = (char *)gpube__arena_take(d->arena, ctx, 2 * COPY_BYTES);
	struct cudaDeviceProp p;
	int status = GPUBE_ENOMEM;

	if (!tables)
		return status;
	if (cudaGetDeviceProperties(&p, d->id) == cudaSuccess)
		snprintf(r->name, sizeof(r->name), "%.79s", p.name);
	status = copy_rate(ctx, &r->copy, tables);
	if (status == GPUBE_OK)
		status = rate_of<int32_t>(ctx, &r->add_min_int32, tables, 2000);
	if (status == GPUBE_OK)
		status = rate_of<int64_t>(ctx, &r->add_min_int64, tables, 500);
	if (status == GPUBE_OK)
		status = rate_of<float>(ctx, &r->add_min_float32, tables, 2000);
	if (status == GPUBE_OK)
		status = rate_of<double>(ctx, &r->add_min_float64, tables, 500);
	gpube__arena_give(d->arena, ctx, tables);
	return status;
}
