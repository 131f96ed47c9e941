/* rates_cuda.cu - what a card can do at most: see rates.h. */
#include "gpube/ops/device/add_min.cuh"
#include "gpube/ops/device/device.cuh"

#include <stdio.h>

extern "C" {
#include "gpube/ops/rates.h"
}

#define REPEATS    5
#define COPY_BYTES (512ull << 20)

/* Add-mins a second; 'rounds' are so many that a launch takes about a millisecond. */
template <typename T> static int rate_of(struct gpube_ctx *ctx, double *rate, void *out, int rounds)
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
	gpube__arena_give(d->arena, ctx, tables);
	return status;
}
