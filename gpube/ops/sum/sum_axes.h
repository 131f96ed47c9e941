/* sum_axes.h - the loops of sum_cpu.c: which axes of a job each of them has, and in what order. */
#ifndef GPUBE_SUM_AXES_H
#define GPUBE_SUM_AXES_H

#include "gpube/ops/sum/sum.h"

/* The outermost first, and the cells that they have together. */
struct gpube_sum_axes {
	int n;
	int axis[GPUBE_SUM_AXES];
	int64_t cells;
};

/*
 * gpube__sum_sort_axes() - every axis of the job, but the first where there are weights, to one of
 * the three.
 * items  whose cells have output cells of their own, one for each
 * rest   that are run through within an item
 * panel  the innermost, in the order of the job
 *
 * The panel takes the last axes while it is short, but leaves the threads some items. What an item
 * sums over, of several outputs or to a small one, may be more than a cache holds; so within it
 * runs, too, what large tables do not have.
 */
void gpube__sum_sort_axes(struct gpube_sum_axes *items, struct gpube_sum_axes *rest,
	struct gpube_sum_axes *panel, const struct gpube_sum_job *job);

#endif
