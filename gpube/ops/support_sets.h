/*
 * support_sets.h - sets of q actions as masks, in increasing order of the numbers that they are,
 * and the dominance test of support.h, for both compilers.
 */
#ifndef GPUBE_SUPPORT_SETS_H
#define GPUBE_SUPPORT_SETS_H

#include "gpube/ops/support.h"

/* n choose q, saturating. */
GPUBE_HD static inline int64_t gpube__choose(int n, int q)
{
	int64_t c = 1;

	for (int i = 0; i < q; i++) {
		if (c > INT64_MAX / (n - i))
			return INT64_MAX;
		c = c * (n - i) / (i + 1);
	}
	return c;
}

/* Set number 'at' of those of q bits. */
GPUBE_HD static inline uint64_t gpube__set_number(int64_t at, int q)
{
	uint64_t set = 0;

	for (; q > 0; q--) {
		int top = q - 1;

		while (gpube__choose(top + 1, q) <= at)
			top++;
		at -= top >= q ? gpube__choose(top, q) : 0;
		set |= (uint64_t)1 << top;
	}
	return set;
}

/* The next larger number of as many bits; past the last there may be none. */
GPUBE_HD static inline uint64_t gpube__set_after(uint64_t set)
{
	const uint64_t low = set & -set, next = set + low;

	return next | (((set ^ next) >> 2) / low);
}

/*
 * The other player's actions that no other one dominates against the set.
 * better[b * l + a]  the own actions against which the other's action a is better than b
 */
GPUBE_HD static inline uint64_t gpube__undominated(const uint64_t *better, int l, uint64_t set)
{
	uint64_t good = 0;

	for (int b = 0; b < l; b++) {
		bool stays = true;

		for (int a = 0; a < l && stays; a++)
			stays = (set & ~better[b * l + a]) != 0;
		good |= (uint64_t)stays << b;
	}
	return good;
}

/* better, of a side with k own actions and the payoffs c: see struct gpube_support_scan. */
void gpube__support_better(uint64_t *better, const double *c, int k, int l);

#endif
