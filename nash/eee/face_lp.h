/*
 * face_lp.h - a face of a side in doubles: proposals, and proofs that a face is empty.
 * Internal to nash/.
 */
#ifndef NASH_FACE_LP_H
#define NASH_FACE_LP_H

#include "nash/exact.h"

/*
 * basic[r] = d[r][0] + sum_c d[r][c + 1] nonbasic[c], as in struct nash_dict, for
 * the face on which the variables with fixed[var] are zero: columns from 'live' on
 * belong to fixed variables. l rows of k + 1 doubles. What it reads of a side is f.
 */
struct nash_lp {
	int32_t live;
	int32_t *basic, *nonbasic;
	unsigned char *fixed;
	double *d;
};

enum nash_lp_end { NASH_LP_ZERO, NASH_LP_EMPTY, NASH_LP_UNSURE };

/* Bytes of an lp, and its parts in as many bytes aligned to 8. */
size_t nash__lp_bytes(const struct nash_side *m);
void nash__lp_place(struct nash_lp *lp, const struct nash_side *m, void *bytes);
void nash__lp_copy(struct nash_lp *to, const struct nash_lp *from, const struct nash_side *m);
/* The whole side, at its first action. */
void nash__lp_init(struct nash_lp *lp, const struct nash_side *m);
/* Moves the columns of fixed variables behind the others, after d has been filled anew. */
void nash__lp_partition(struct nash_lp *lp, const struct nash_side *m);

/*
 * nash__lp_fix() - goes to the part of the face where a variable is zero.
 * ZERO    it is, by the doubles; the lp is there
 * EMPTY   proved: no equilibrium lies on the face with the variable zero
 * UNSURE  the doubles cannot tell; fixed[var] is set, the rest is of no use
 */
enum nash_lp_end nash__lp_fix(
	struct nash_lp *lp, const struct nash_side *m, int32_t var, int64_t *pivots);

/*
 * Where a label's variable is: zero on the whole face, or so far from zero. far is its value over
 * the sum of what each edge from the current point can take from it, in the units of the edge's
 * variable: how far along all of them together it would become zero; INFINITY if none takes
 * anything, so that it is zero nowhere on the face.
 */
struct nash_place {
	bool zero;
	double far;
};

/* Those of all k + l labels, by the doubles. */
void nash__lp_places(
	const struct nash_lp *lp, const struct nash_side *m, struct nash_place *of_label);

#endif
