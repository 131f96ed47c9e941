/* solve.h - gpube_solve() for the library itself. */
#ifndef GPUBE_SOLVE_H
#define GPUBE_SOLVE_H

#include "gpube/gpube.h"

/*
 * What a caller knows of a model of costs that is minimised, and how long it waits.
 * lower    a total that none is below: slices end with an assignment of it; INT64_MIN: none known
 * seconds  slices are given up, with ESTOP, once those that are done say that all would take longer;
 *          0: never
 */
struct gpube__solve_patience {
	int64_t lower;
	double seconds;
};

/* As gpube_solve(). */
int gpube__solve_patiently(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_solve_opts *opts, const struct gpube__solve_patience *patience);

#endif
