/* stages.h - what bound_stages.c asks before it runs a stage, where that is not in one file. */
#ifndef GPUBE_STAGES_H
#define GPUBE_STAGES_H

#include <math.h>

#include "gpube/bound/bound.h"

static inline bool gpube__bounder_is_method(
	const struct gpube_bounder *b, enum gpube_bound_method method)
{
	return b->opts->method == method;
}

static inline bool gpube__bounder_is_auto(const struct gpube_bounder *b)
{
	return gpube__bounder_is_method(b, GPUBE_BOUND_AUTO);
}

static inline bool gpube__bounder_is_easy(const struct gpube_bounder *b)
{
	return b->order_cost.joined_cells <= GPUBE__QUICK_CELLS;
}

static inline bool gpube__bounder_may_split(const struct gpube_bounder *b)
{
	return gpube__bounder_is_auto(b) && b->opts->split != GPUBE_SPLIT_NEVER;
}

/* Elimination that is predicted to take less, in seconds, is not put off for bounds. */
#define GPUBE__QUICK 1

static inline bool gpube__bounder_is_quick(const struct gpube_bounder *b)
{
	return !b->opts->no_eliminate && gpube__bounder_eliminating(b) < GPUBE__QUICK;
}

/* At most so many seconds, and that share of the time where it is limited. */
static inline double gpube__share_of(const struct gpube_bounder *b, double most, double share)
{
	const double timeout = b->opts->timeout_seconds;

	return timeout > 0 ? fmin(most, share * timeout) : most;
}

/* bound_looks.c: a search tree that may end before clusters do. */
bool gpube__wants_hopeful_tree(const struct gpube_bounder *b);
double gpube__hopeful_tree_seconds(const struct gpube_bounder *b);

/* andor/andor_stages.c: a search on a join graph's tables, for a moment and for longer. */
bool gpube__wants_andor(const struct gpube_bounder *b);
bool gpube__wants_early_andor(const struct gpube_bounder *b);
double gpube__early_andor_seconds(const struct gpube_bounder *b);
double gpube__later_andor_seconds(const struct gpube_bounder *b);

/*
 * patching/patching_stages.c: patches, a search tree in between, splitting that goes on, patches
 * that grow.
 */
bool gpube__wants_patches(const struct gpube_bounder *b);
double gpube__patches_seconds(const struct gpube_bounder *b);
bool gpube__wants_tree_behind_patches(const struct gpube_bounder *b);
double gpube__tree_behind_patches_seconds(const struct gpube_bounder *b);
bool gpube__wants_more_patches(const struct gpube_bounder *b);
double gpube__more_patches_seconds(const struct gpube_bounder *b);
bool gpube__wants_larger_patches(const struct gpube_bounder *b);
double gpube__larger_patches_seconds(const struct gpube_bounder *b);

#endif
