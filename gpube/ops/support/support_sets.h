/*
 * support_sets.h - sets of q actions as masks, in increasing order of the numbers that they are,
 * and the dominance test of support.h, for both compilers.
 */
#ifndef GPUBE_SUPPORT_SETS_H
#define GPUBE_SUPPORT_SETS_H

#include "gpube/ops/support/support.h"

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

/*
 * Set number 'at' of those of q out of n, fewer than 2^31. Each step from n choose q to its
 * neighbours in Pascal's triangle is a multiplication and a division.
 */
GPUBE_HD static inline uint64_t gpube__set_number(int64_t at, int n, int q)
{
	int64_t sets = gpube__choose(n, q); /* of q out of the n lowest actions */
	uint64_t set = 0;

	while (q > 0) {
		const int64_t without = sets * (n - q) / n;

		if (at >= without) {
			at -= without;
			sets = sets * q / n;
			q--;
			set |= (uint64_t)1 << (n - 1);
		} else {
			sets = without;
		}
		n--;
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
