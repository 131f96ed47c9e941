/* sum_portable.c - the loops of a panel for any machine, and which are for this one. */
#define LOOPS gpube__sum_portable
#include "gpube/ops/sum/sum_loops.h"

const struct gpube_sum_loops *gpube__sum_loops(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2"))
		return &gpube__sum_avx2;
#endif
	return &gpube__sum_portable;
}
