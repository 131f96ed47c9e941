/* ascent_avx512.c - the loops for AVX-512. */
#include "gpube/ops/ascent/ascent_kernels.h"

#if defined(__AVX512F__) && defined(__AVX512VL__)
#include "gpube/ops/ascent/ascent_impl.h"

const struct gpube_ascent_kernels gpube__ascent_avx512 = ALL_LOOPS;
#endif
