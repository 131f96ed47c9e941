/* sweep_portable.c - the loops of a sweep for any machine, and the choice between the versions. */
#include "gpube/bound/sweep/sweep_states.h"

#include <string.h>

#define GATHER gpube__sweep_gather

#include "gpube/bound/sweep/sweep_versions.h"

gpube__sweep_versions gpube__sweep_portable = VERSIONS;

const struct gpube_sweep_kernels *gpube__sweep_kernels(int words, bool narrow)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
		return gpube__sweep_avx2[words - 1][narrow];
#endif
	return gpube__sweep_portable[words - 1][narrow];
}
