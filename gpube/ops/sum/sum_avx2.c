/*
 * sum_avx2.c - the loops of a panel for machines with AVX2; products and sums round as elsewhere.
 */
#if defined(__x86_64__)
#define LOOPS gpube__sum_avx2
#include "gpube/ops/sum/sum_loops.h"
#endif
