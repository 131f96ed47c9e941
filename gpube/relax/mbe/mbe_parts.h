/* mbe_parts.h - what the files of mbe.h share: cells as a run's tables hold them. */
#ifndef GPUBE_MBE_PARTS_H
#define GPUBE_MBE_PARTS_H

#include "gpube/relax/mbe/mbe.h"

static inline int64_t gpube__mbe_get(
	const struct gpube_mbe_run *r, const void *values, int64_t cell)
{
	return r->type == GPUBE_INT32 ? ((const int32_t *)values)[cell]
				      : ((const int64_t *)values)[cell];
}

/* A cost as the tables hold it. */
static inline int64_t gpube__mbe_working(const struct gpube_mbe_run *r, int64_t cost)
{
	return cost >= r->cutoff >> r->shift ? r->top : cost << r->shift;
}

#endif
