/* ascent_portable.c - the loops for any machine, and the choice between the versions. */
#include "gpube/ops/ascent/ascent_kernels.h"

#include "gpube/ops/ascent/ascent_impl.h"

const struct gpube_ascent_kernels gpube__ascent_portable = ALL_LOOPS;

const struct gpube_ascent_kernels *gpube__ascent_kernels(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
		__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
		return &gpube__ascent_avx512;
	if (__builtin_cpu_supports("avx2"))
		return &gpube__ascent_avx2;
#endif
	return &gpube__ascent_portable;
}
