/*
 * be_load.h - working copies of functions: dense, in the working type, axes by
 * elimination position, in the memory of a backend.
 *
 * Copies of consecutive buckets go up together, as long as they are small: one
 * transfer to a device costs as much as a megabyte. One window is held at a time, with
 * a run of copies for either side that buckets are worked on.
 */
#ifndef GPUBE_BE_LOAD_H
#define GPUBE_BE_LOAD_H

#include "gpube/eliminate/be_plan.h"

/* The copies of buckets [from, end). */
struct gpube_be_window {
	int32_t from, end;
	char *values[2]; /* memory of either side's backend, or NULL */
	uint64_t *at;    /* by input, from the first of bucket 'from' on: bytes from 'values' */
};

/*
 * gpube__window_load() - makes the window that begins with bucket p, in place of the last.
 * Errors: ENOMEM, those of the backend; the window is then empty
 */
int gpube__window_load(struct gpube_be_window *win, const struct gpube_be *be,
	const struct gpube_be_sides *sides, const struct gpube_working *w, int32_t p);
void gpube__window_clear(
	struct gpube_be_window *win, const struct gpube_be *be, const struct gpube_be_sides *sides);

/* The scope of a function as positions in increasing order: the axes of its working copy. */
void gpube__sorted_positions(const struct gpube_be *be, int32_t function, int32_t *positions);

#endif
