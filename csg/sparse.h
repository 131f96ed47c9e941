/* sparse.h - games of which only some coalitions are listed. No table of 2^n values. */
#ifndef CSG_SPARSE_H
#define CSG_SPARSE_H

#include "csg/view.h"

/*
 * csg__sparse_lp() - method lp over the listed coalitions.
 * seconds  give up after about that, with r->answer BOUNDS; 0: never
 */
int csg__sparse_lp(struct csg__search *s, double seconds);

/* ---- what is left over (rest.c) -------------------------------------------------------------- */

/*
 * disposal  agents may stay out: where the default is negative, one alone counts
 *           as listed at 0
 * gave_up   a split was not looked for to the end
 */
struct csg__rest {
	const struct csg__view *g;
	bool disposal;
	uint64_t alone; /* agents whose coalition of one is not listed */
	double steps;
	bool gave_up;
};

void csg__rest_init(struct csg__rest *z, const struct csg__view *g, bool disposal);
bool csg__rest_listed(const struct csg__rest *z, uint64_t coalition);

/*
 * csg__rest_split() - agents into as few coalitions that are not listed as can be,
 * or as many. Returns their number, -1 if there is no way.
 * parts  room for 40
 */
int csg__rest_split(struct csg__rest *z, uint64_t agents, bool most, uint64_t *parts);

#endif
