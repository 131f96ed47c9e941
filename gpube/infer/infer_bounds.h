/*
 * infer_bounds.h - bounds of sums that do not fit, or that there is no time for.
 *
 *   wmb.c           an upper bound: weighted mini-buckets
 *   wmb_passes.h    the same made better by passes there and back
 *   wmb_cells.h     what both do with their cells
 *   infer_intervals.c  marginals as intervals
 *   infer_bounds.c  lower bounds: exact sums over part of the assignments; both, better and better
 */
#ifndef GPUBE_INFER_BOUNDS_H
#define GPUBE_INFER_BOUNDS_H

#include "gpube/infer/infer.h"
#include "gpube/options/options.h"

/*
 * gpube__wmb() - natural logarithm of a number that the sum is not above; for j->last the best of
 * the sums. j has what can occur, positions and, for a good bound, an order; buckets are not
 * needed.
 * values      NULL, or out: for each position (of j->n) the index of a possible value of large
 *             weight; then all tables are kept at once
 * most_cells  of a joined table that is not a single function's
 * patient     false: not ended by a stop
 * Also sets j->zeros and j->wmb_bytes.
 * Errors: ENOMEM, ESTOP
 * Source: Liu and Ihler, ICML 2011.
 */
int gpube__wmb(double *log_upper, int32_t *values, struct gpube__inferring *j, double most_cells,
	bool patient);

/*
 * gpube__wmb_passes() - lowers j->log_upper until gpube__now() is 'until' (0: until little is
 * gained), or a stop, by parts of growing size, 'cells' at first, that are worked on there and
 * back. No variable is maximised.
 * Errors: ENOMEM, ERANGE
 */
int gpube__wmb_passes(struct gpube__inferring *j, double cells, double until);

/*
 * gpube__infer_bounds() - raises j->log_lower and lowers j->log_upper until gpube__now() is 'until'
 * (0: without end), or a stop, or they meet. After gpube__infer_plan(), also after it failed. One
 * bound of each kind is there in any case, but of a lower one only where an assignment of nonzero
 * weight is found.
 * best  NULL, or out, with j->last: by variable, the values of those that are last with which
 *       log_lower is attained; changed only when there are some
 * Errors: ENOMEM
 */
int gpube__infer_bounds(struct gpube__inferring *j, double until, int32_t *best);

/*
 * gpube__infer_intervals() - out->marginals_lower and _upper, of all values: the marginals are
 * between them, if the sum is above 0. Narrower and narrower until gpube__now() is 'until' (0:
 * without end), a stop, or regions whose edges have so many values are done.
 * Errors: ENOMEM, ERANGE
 */
int gpube__infer_intervals(struct gpube__inferring *j, double most_cells, double until);

#endif
