/* solve.h - how long an elimination is waited for, and what a solution begins as. */
#ifndef GPUBE_SOLVE_H
#define GPUBE_SOLVE_H

#include "gpube/gpube.h"

/*
 * What a caller knows of a model of costs that is minimised, and how long it waits.
 * lower    a total that none is below: slices end with an assignment of it; INT64_MIN: none known
 * seconds  slices are given up, with ESTOP, once those that are done say that all would take
 *          longer; 0: never
 */
struct gpube__solve_patience {
	int64_t lower;
	double seconds;
};

/* What a solution says where no bound is known. */
static inline int64_t gpube__no_bound(const struct gpube_model *m)
{
	return gpube_model_direction(m) == GPUBE_MAXIMISE ? GPUBE_INF : -GPUBE_INF;
}

#endif
