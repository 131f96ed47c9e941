/* sum_cuda.cuh - what the kernels of sums share: what they find, and each other's launches. */
#ifndef GPUBE_SUM_CUDA_CUH
#define GPUBE_SUM_CUDA_CUH

#include "gpube/ops/device/device.cuh"

extern "C" {
#include "gpube/ops/sum/sum_card.h"
#include "gpube/ops/sum/sum_tile.h"
#include "gpube/ops/sum/sum_walk.h"
}

/* What a job's blocks find: bits of doubles >= 0, which are ordered as they are. */
struct gpube__found {
	unsigned long long most, not_least; /* the least one's complement; 0: no cell */
	unsigned long long lost;
};

/* Of a thread: the extreme cells that it wrote. */
struct gpube__extremes {
	double most, least;
	bool lost;
};

__device__ static inline void gpube__extremes_take(struct gpube__extremes *x, double v)
{
	x->most = v > x->most || v != v ? v : x->most;
	x->least = v > 0 && v < x->least ? v : x->least;
}

/* All threads of a block together. */
__device__ static inline void gpube__extremes_tell(
	struct gpube__found *f, const struct gpube__extremes *x)
{
	double most = x->most, least = x->least;
	const bool lost = __any_sync(~0u, x->lost);

	for (int by = 16; by; by /= 2) {
		const double a = __shfl_xor_sync(~0u, most, by),
			     b = __shfl_xor_sync(~0u, least, by);

		most = a > most || a != a ? a : most;
		least = b < least ? b : least;
	}
	if (threadIdx.x % 32)
		return;
	atomicMax(&f->most, (unsigned long long)__double_as_longlong(most));
	if (most > 0)
		atomicMax(&f->not_least, ~(unsigned long long)__double_as_longlong(least));
	if (lost)
		atomicOr(&f->lost, 1ull);
}

/* A product of matrices; see sum_tile.h. */
int gpube__sum_tile(
	struct gpube_ctx *ctx, const struct gpube__product *t, struct gpube__found *found);

#endif
