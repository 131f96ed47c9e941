/* sweep_portable.c - the loops of a sweep for any machine, and the choice between the versions. */
#include "gpube/sweep_states.h"

#include <string.h>

#define GATHER gpube__sweep_gather

#define COST    int64_t
#define NAME(x) x##_wide
#include "gpube/sweep_impl.h"
#undef COST
#undef NAME
#define COST    int32_t
#define NAME(x) x##_narrow
#include "gpube/sweep_impl.h"

const struct gpube_sweep_kernels *const gpube__sweep_portable[2] = {&kernels_wide, &kernels_narrow};

const struct gpube_sweep_kernels *gpube__sweep_kernels(bool narrow)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
		return gpube__sweep_avx2[narrow];
#endif
	return gpube__sweep_portable[narrow];
}
