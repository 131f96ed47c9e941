/*
 * be.h - exact bucket elimination as it was planned (be_plan.h), on any backend.
 *
 * Designs weighed. (1) Join all functions of a bucket, then project: stores
 * the joined table, a factor of the domain more memory and traffic. (2) Fused
 * contraction per bucket: this one. (3) Several variables per bucket along the
 * branches of a tree decomposition: saves passes over memory where a message
 * only loses variables, costs nothing less in joined cells; it can be added in
 * the planner alone, since a contraction reduces any number of variables.
 */
#ifndef GPUBE_BE_H
#define GPUBE_BE_H

#include "gpube/eliminate/be_plan.h"

/* What a run took, in seconds. */
struct gpube_be_times {
	double *buckets;  /* per bucket, its contraction; the caller's, zeroed, or NULL */
	double copying;   /* between host and device */
	double assigning; /* reading the assignment off */
};

/*
 * gpube__be_run() - eliminates.
 * optimum   out; GPUBE_INF: infeasible
 * values    out, may be NULL: an optimal assignment, n entries
 * count     out, may be NULL: number of optima modulo 'modulus', or, with
 *           modulus 0, saturating at UINT64_MAX
 * keep      keep all messages (see gpube__be_memory) instead of storing arg-mins
 * times     out, may be NULL
 * Errors: ENOMEM, ESTOP, those of the backend; outputs then undefined
 */
int gpube__be_run(int64_t *optimum, int32_t *values, uint64_t *count, const struct gpube_be *be,
	const struct gpube_be_sides *sides, const struct gpube_working *w, uint64_t modulus,
	bool keep, struct gpube_be_times *times);

#endif
