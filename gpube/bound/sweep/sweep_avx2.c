/* sweep_avx2.c - the loops of a sweep for machines that gather a key's bits in one instruction. */
#include "gpube/bound/sweep/sweep_states.h"

#if defined(__BMI2__) && defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define GATHER _pext_u64

#include "gpube/bound/sweep/sweep_versions.h"

gpube__sweep_versions gpube__sweep_avx2 = VERSIONS;
#endif
