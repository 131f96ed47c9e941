/*
 * cover.h - the cheapest exact cover: coalitions with a slack >= 0, wanted is the
 * structure of least total slack. Depth first over the first agent that is left,
 * with a table of the sets of agents reached and the least slack spent on them.
 * Some agents may be left over, for a later choice of what becomes of them.
 */
#ifndef CSG_COVER_H
#define CSG_COVER_H

#include "csg/view.h"

struct csg__candidate {
	uint64_t mask;
	int64_t slack;
};

/* In a mask: this one agent is left over. */
#define CSG__LEFT ((uint64_t)1 << 63)

/*
 * extra     the slack that the agents left over take beside that of their candidates,
 *           >= 0, whatever they are; INT64_MAX: they cannot be left together
 * additive  it is always 0
 */
struct csg__leftover {
	int64_t (*extra)(void *arg, uint64_t agents);
	void *arg;
	bool additive;
};

/*
 * csg__cover() - sorts 'c' (by slack, then mask).
 * limit   in: only structures of less slack count; out: the slack of the one found
 * parts   out: n masks; untouched if none is found
 * n_parts out
 * left    NULL if no candidate has CSG__LEFT
 * steps   in: most candidates looked at; out: how many were. More: *complete is false
 * Errors: ENOMEM; ESTOP leaves *complete false and what was found
 */
int csg__cover(struct gpube_ctx *ctx, int n, struct csg__candidate *c, int64_t n_c, int64_t *limit,
	const struct csg__leftover *left, uint64_t *parts, int *n_parts, double *steps,
	bool *complete);

/* By slack, then mask. */
void csg__sort_candidates(struct csg__candidate *c, int64_t n);

#endif
