/*
 * faces.h - the operator of branch and bound on complementarity: walks the tree of pairs of faces
 * of the two best-response polytopes of a game and gives its leaves.
 *
 * As nash/eee/eee.h says it: a node is a face of each side, its children cut one of them where a
 * label's variable is zero. A face is dropped only when multipliers prove it empty, with a bound
 * on what rounding can have done. What doubles cannot decide is given back like a leaf, marked
 * as open: the caller goes on from there in exact arithmetic.
 */
#ifndef GPUBE_FACES_H
#define GPUBE_FACES_H

#include "gpube/base/base.h"

#define GPUBE_FACES_ACTIONS 32 /* most of a player: a lane of a warp for each */

/*
 * fixed     of each side, masks of the variables that are zero on the face: bits 0 to k-1 the
 *           probabilities, k to k+l-1 the slacks of the other player's actions
 * live      free nonbasic variables; 0: the face is a point, if it is not empty
 * nonbasic  the k variables that are zero at its current vertex, the free ones first
 * open      no leaf: the search has to go on below
 */
struct gpube_faces_leaf {
	uint64_t fixed[2];
	uint8_t live[2], nonbasic[2][GPUBE_FACES_ACTIONS];
	uint8_t open;
};

/* A face to begin at, as struct nash_lp has it: free columns first, l rows of k + 1 doubles. */
struct gpube_faces_start {
	int32_t live;
	const int32_t *basic, *nonbasic;
	const unsigned char *fixed;
	const double *d;
};

/*
 * k, l     of each side: own actions, and the other player's
 * c        of each side: the other player's payoffs, l * k, c[j * k + i], in [0, 1], entries within
 *          2^-50 relative of the true ones
 * start    n_start nodes to begin at, two faces each; NULL: the whole sides
 * budget   nodes; < 0: any number
 * leaves   out, appended; the caller frees them with gpube__free()
 * nodes, pivots  out, added to
 */
struct gpube_faces_search {
	int k[2], l[2];
	const double *c[2];
	const struct gpube_faces_start *start;
	int64_t n_start;
	int64_t budget;
	struct gpube_faces_leaf *leaves;
	int64_t n_leaves, capacity;
	int64_t nodes, pivots;
};

struct gpube_faces_ops {
	const char *name;
	/* 0, or why the search cannot run here (a static text) */
	const char *(*unsupported)(const struct gpube_faces_search *s);
	/* Errors: EINVAL, ENOMEM, ESTOP and ELIMIT (the budget), both without leaves lost, ECUDA */
	int (*search)(struct gpube_ctx *ctx, struct gpube_faces_search *s);
};

/* What of a search no backend takes: NULL, or why. */
static inline const char *gpube__faces_unsupported(const struct gpube_faces_search *s)
{
	for (int p = 0; p < 2; p++)
		if (s->k[p] < 1 || s->k[p] > GPUBE_FACES_ACTIONS || s->l[p] != s->k[1 - p])
			return "faces: more than 32 actions";
	return NULL;
}

/* NULL and *status ENODEV without CUDA or a device; ENOMEM */
const struct gpube_faces_ops *gpube__faces_cuda(struct gpube_ctx *ctx, int *status);

#endif
