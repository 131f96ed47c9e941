/* ascent_avx2.c - the loops for AVX2. */
#include "gpube/ops/ascent/ascent_kernels.h"

#if defined(__AVX2__)
#include "gpube/ops/ascent/ascent_impl.h"

const struct gpube_ascent_kernels gpube__ascent_avx2 = ALL_LOOPS;
#endif
