/* solve.h - options of an elimination inside other methods, and an empty solution. */
#ifndef GPUBE_SOLVE_H
#define GPUBE_SOLVE_H

#include "gpube/gpube.h"

/*
 * What a caller knows of a model of costs that is minimised, and how long it waits.
 * lower    a lower bound: slices end with an assignment of that total; INT64_MIN: none
 * seconds  slices are abandoned, with ESTOP, once those done predict more time for all; 0: never
 */
struct gpube__solve_patience {
	int64_t lower;
	double seconds;
};

/* A solution without a bound. */
static inline int64_t gpube__no_bound(const struct gpube_model *m)
{
	return gpube_model_info(m)->direction == GPUBE_MAXIMISE ? GPUBE_INF : -GPUBE_INF;
}

#endif
