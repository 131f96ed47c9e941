/*
 * cover.h - the cheapest exact cover: coalitions with a slack >= 0, wanted is the
 * structure of least total slack. Depth first over the first agent that is left,
 * with a table of the sets of agents reached and the least slack spent on them.
 */
#ifndef CSG_COVER_H
#define CSG_COVER_H

#include "csg/game.h"

struct csg__candidate {
	uint64_t mask;
	int64_t slack;
};

/*
 * csg__cover() - sorts 'c' (by slack, then mask).
 * limit   in: only structures of less slack count; out: the slack of the one found
 * parts   out: n masks; untouched if none is found
 * n_parts out
 * steps   in: most candidates looked at; out: how many were. More: *complete is false
 * Errors: ENOMEM; ESTOP leaves *complete false and what was found
 */
int csg__cover(struct gpube_ctx *ctx, int n, struct csg__candidate *c, int64_t n_c, int64_t *limit,
	uint64_t *parts, int *n_parts, double *steps, bool *complete);

/* By slack, then mask; and by first agent, slack, mask. */
void csg__sort_candidates(struct csg__candidate *c, int64_t n);
void csg__sort_by_agent(struct csg__candidate *c, int64_t n);

#endif
