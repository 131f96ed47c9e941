/* solve.h - elimination of a whole model: gpube_solve() by GPUBE_BOUND_ELIMINATE. */
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

/* As gpube_solve(), whatever opts->method is; of opts->values nothing is needed. */
int gpube__solve_patiently(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_solve_opts *opts, const struct gpube__solve_patience *patience);

#endif
