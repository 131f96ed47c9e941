/*
 * split_var.h - chooses the split variables: those whose values are divided where tables along an
 * order do not fit a memory, for minima (eliminate/be_boxes.h) and for sums (infer/infer_slices.c).
 *
 * The candidates are the variables of the largest tables. If the split of one makes all tables fit,
 * the one of least seconds is taken; otherwise the one that comes nearer to that at little cost.
 */
#ifndef GPUBE_SPLIT_VAR_H
#define GPUBE_SPLIT_VAR_H

#include "gpube/base/base.h"
#include "gpube/options/options.h"

enum { GPUBE__SPLIT_VAR_CANDIDATES = 32 };

/*
 * Finds the greatest of n weights above 0: their places, the greatest first. Returns how many;
 * overwrites 'weight'.
 */
int gpube__split_var_candidates(int32_t to[GPUBE__SPLIT_VAR_CANDIDATES], double *weight, int32_t n);

/*
 * Whether tables of so many bytes cannot fit the limit in so many boxes, even if these fall apart
 * somewhat.
 */
bool gpube__split_var_is_hopeless(double bytes, double limit, double most_parts);

/*
 * candidates  from gpube__split_var_candidates()
 * limit       bytes
 * values      a variable is split into single values, never into ranges
 * most        most ranges into which a candidate may be split; below 2: it may not be
 * cost        seconds of all boxes after that split, and bytes of the largest
 */
struct gpube_split_var_question {
	struct gpube_ctx *ctx;
	const int32_t *candidates;
	int n_candidates;
	double limit;
	bool values;
	int32_t (*most)(const void *arg, int32_t candidate);
	int (*cost)(const void *arg, int32_t candidate, int32_t n, double *seconds, double *bytes);
	const void *arg;
};

struct gpube_split_var_answer {
	int32_t candidate, n;
	bool fits;
};

/* Errors: ELIMIT, without a text: there is no candidate; ESTOP; those of 'cost' */
int gpube__split_var_choose(
	struct gpube_split_var_answer *out, const struct gpube_split_var_question *q);

#endif
