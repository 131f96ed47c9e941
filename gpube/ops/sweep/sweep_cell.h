/*
 * sweep_cell.h - the arithmetic of a cell of region graphs: of dense tables (relax/projection.h)
 * and of lists (sweep.h). Both compilers take it, so that a machine without a device tests what a
 * device runs.
 *
 * A cell is a cost in int32, scaled (relax/scaling.h). What with the constant reaches the target is
 * in no total below the cutoff: from gpube__region_slack() on, a cell is forbidden for good.
 */
#ifndef GPUBE_OPS_SWEEP_CELL_H
#define GPUBE_OPS_SWEEP_CELL_H

#include "gpube/base/base.h"

/* A forbidden cell; the most that may be missing to the target: a sum of two fits 32 bits. */
#define GPUBE__REGION_FORBIDDEN (1 << 29)
#define GPUBE__REGION_MOST      (1 << 28)

/* What is missing to the target. */
GPUBE_HD static inline int32_t gpube__region_slack(int64_t constant, int64_t target)
{
	const int64_t left = target - constant;

	return left > GPUBE__REGION_MOST ? GPUBE__REGION_MOST : left < 0 ? 0 : (int32_t)left;
}

/* t + m, where t is no less than -m; forbidden where one of them is, or the sum reaches 'slack'. */
GPUBE_HD static inline int32_t gpube__region_plus(int32_t t, int32_t m, int32_t slack)
{
	const int32_t sum = t + m;

	return sum >= slack ? GPUBE__REGION_FORBIDDEN : sum;
}

/*
 * Of what all members force on a cell, less what the constant rises by: what each that takes a part
 * is to have of it, and what stays with the separator. slack: what is missing after the rise
 */
GPUBE_HD static inline int32_t gpube__region_share(
	int32_t rest, int32_t slack, int32_t parts, int32_t takers, int32_t *own)
{
	const int32_t part = parts ? rest / parts : 0;

	*own = rest >= slack ? GPUBE__REGION_FORBIDDEN : rest - part * takers;
	return rest >= slack ? GPUBE__REGION_FORBIDDEN : part;
}

/* What a member is to have more on a cell on which it had forced m. */
GPUBE_HD static inline int32_t gpube__region_more(int32_t share, bool takes, int32_t m)
{
	return share == GPUBE__REGION_FORBIDDEN ? share : (takes ? share : 0) - m;
}

/* The constant after a wave whose separators rise by so much together. */
GPUBE_HD static inline int64_t gpube__region_risen(int64_t constant, int64_t target, int64_t rise)
{
	return rise >= target - constant ? target : constant + rise;
}

#endif
