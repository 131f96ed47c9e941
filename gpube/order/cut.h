/*
 * cut.h - which variable's values are shared out next, where tables along an order do not fit a
 * memory: of minima (eliminate/be_boxes.h) and of sums (infer/infer_slices.c).
 *
 * The candidates are the variables of the largest tables. Of those after whose cut all fits, the
 * one of least seconds is taken; else the one that brings that nearer at little cost.
 */
#ifndef GPUBE_CUT_H
#define GPUBE_CUT_H

#include "gpube/base/base.h"

enum { GPUBE__CUT_CANDIDATES = 32 };

/*
 * The greatest of n weights, if above 0: their places, the greatest first, and how many. Spoils
 * 'weight'.
 */
int gpube__cut_candidates(int32_t to[GPUBE__CUT_CANDIDATES], double *weight, int32_t n);

/*
 * Whether tables of so many bytes never fit the limit in so many parts, which fall apart somewhat,
 * too.
 */
bool gpube__cut_is_hopeless(double bytes, double limit, double most_parts);

/*
 * candidates  that gpube__cut_candidates() found
 * limit       bytes
 * values      a variable is cut into its values, never into ranges of them
 * most        into how many parts a candidate may be cut; below 2: not at all
 * cost        seconds of all parts after that cut, and bytes of the largest
 */
struct gpube_cut_question {
	struct gpube_ctx *ctx;
	const int32_t *candidates;
	int n_candidates;
	double limit;
	bool values;
	int32_t (*most)(const void *arg, int32_t candidate);
	int (*cost)(const void *arg, int32_t candidate, int32_t n, double *seconds, double *bytes);
	const void *arg;
};

struct gpube_cut_answer {
	int32_t candidate, n;
	bool fits;
};

/* Errors: ELIMIT, without a text: there is no candidate; ESTOP; those of 'cost' */
int gpube__cut_choose(struct gpube_cut_answer *out, const struct gpube_cut_question *q);

#endif
