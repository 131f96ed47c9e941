/*
 * subset_tile_impl.h - the kernels of one value type on one instruction set. The
 * file that includes it defines
 *
 *   T, X(name)           value type, and names of its functions
 *   V, LANES             vector, values in it
 *   V_LOAD(p) V_STORE(p, v) V_SET(x) V_ADD(a, b) V_MAX(a, b)    p: T *, any alignment
 *   LOWEST               below every sum, or equal to it
 *   GROUP_BITS           2 or 3: bits that live in registers
 *   SHUFFLES             set up by SHUFFLE_INIT(s, map), a LANES part of a map;
 *   SHUFFLE(s, p)        the vector of p[map[i]]
 *
 * and, for kernels of values that lie near each other,
 *
 *   V_SUB(a, b)          wraps, as V_ADD does
 *   V_TOP(a, b)          V_MAX of values from the kernel's 'floor' to that and its 'room'
 *   NEAR_ALONE           no others
 */

#define COLUMNS ((GPUBE_TERNARY + LANES - 1) / LANES)
#define GROUP   (1 << GROUP_BITS)

/*
 * The highest digit first: t[0 .. run) of its bit 0, the better of two runs of its bit 1.
 * Reads and writes up to a vector more than that: runs are folded in rising order.
 */
static inline void X(fold)(T *to, const T *t, int run)
{
	if (run <= 3) {
		for (int i = 0; i < run; i++) {
			T p = t[run + i], q = t[2 * run + i];

			to[i] = t[i];
			to[run + i] = p > q ? p : q;
		}
		return;
	}
	for (int i = 0; i < run; i += LANES)
		V_STORE(to + i, V_LOAD(t + i));
	for (int i = 0; i < run; i += LANES)
		V_STORE(to + run + i, V_MAX(V_LOAD(t + run + i), V_LOAD(t + 2 * run + i)));
}

/* Where 32 lanes' values are, from those of all ternary numbers: room for LANES more in t. */
static inline void X(fold_all)(T *out, const T *t)
{
	T r4[2 * 81 + LANES], r3[4 * 27 + LANES], r2[8 * 9 + LANES], r1[16 * 3];

	X(fold)(r4, t, 81);
	for (int k = 0; k < 2; k++)
		X(fold)(r3 + k * 54, r4 + k * 81, 27);
	for (int k = 0; k < 4; k++)
		X(fold)(r2 + k * 18, r3 + k * 27, 9);
	for (int k = 0; k < 8; k++)
		X(fold)(r1 + k * 6, r2 + k * 9, 3);
	for (int k = 0; k < 16; k++)
		X(fold)(out + k * 2, r1 + k * 3, 1);
}

#ifndef NEAR_ALONE
#define NEAR 0
#include "gpube/ops/subset_tile_sums.h"
#endif
#ifdef V_TOP
#define NEAR 1
#include "gpube/ops/subset_tile_sums.h"
#endif

#undef COLUMNS
#undef GROUP
#undef T
#undef X
#undef V
#undef LANES
#undef V_LOAD
#undef V_STORE
#undef V_SET
#undef V_ADD
#undef V_SUB
#undef V_MAX
#undef V_TOP
#undef LOWEST
#undef SHUFFLES
#undef SHUFFLE_INIT
#undef SHUFFLE
