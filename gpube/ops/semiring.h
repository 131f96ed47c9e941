/*
 * semiring.h - the arithmetic of ops.h, written once for the C and the CUDA
 * compiler: the top rule, counts of minima, and neutral elements.
 */
#ifndef GPUBE_OPS_SEMIRING_H
#define GPUBE_OPS_SEMIRING_H

#include "gpube/ops/ops.h"

/*
 * The top rule, on a sum or on a reduced value: it is monotone, so
 * topping the minimum is the minimum of the topped sums, and every fast version
 * cuts once per output cell.
 */
GPUBE_HD static inline int64_t gpube__top_min(int64_t sum, int64_t top, int64_t threshold)
{
	return sum >= threshold ? top : sum;
}

/* a * b as a count: residues modulo a prime < 2^32, or saturating at UINT64_MAX (modulus 0). */
GPUBE_HD static inline uint64_t gpube__count_mul(uint64_t a, uint64_t b, uint64_t modulus)
{
	if (modulus)
		return a * b % modulus;
	if (a <= UINT32_MAX && b <= UINT32_MAX)
		return a * b;
	return a != 0 && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

GPUBE_HD static inline uint64_t gpube__count_add(uint64_t a, uint64_t b, uint64_t modulus)
{
	uint64_t s = a + b;

	if (modulus)
		return s >= modulus ? s - modulus : s;
	return s < a ? UINT64_MAX : s;
}

#endif
