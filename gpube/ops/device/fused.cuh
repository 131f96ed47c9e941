/* fused.cuh - min(a + b, c), in one instruction where the card has it. */
#ifndef GPUBE_OPS_FUSED_CUH
#define GPUBE_OPS_FUSED_CUH

#include <stdint.h>

__device__ static inline int32_t add_min(int32_t a, int32_t b, int32_t c)
{
	return __viaddmin_s32(a, b, c); /* one instruction from sm_90 on */
}

__device__ static inline int64_t add_min(int64_t a, int64_t b, int64_t c)
{
	return a + b < c ? a + b : c;
}

#endif
