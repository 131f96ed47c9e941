/* sweep_avx2.c - the loops of a sweep for machines that gather a key's bits in one instruction. */
#include "gpube/sweep_states.h"

#if defined(__BMI2__) && defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define GATHER _pext_u64

#define COST    int64_t
#define NAME(x) x##_wide
#include "gpube/sweep_impl.h"
#undef COST
#undef NAME
#define COST    int32_t
#define NAME(x) x##_narrow
#include "gpube/sweep_impl.h"

const struct gpube_sweep_kernels *const gpube__sweep_avx2[2] = {&kernels_wide, &kernels_narrow};
#endif
