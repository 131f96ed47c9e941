/* dense.h - a function of a simplified model as a dense table with its axes in a wanted order. */
#ifndef GPUBE_DENSE_H
#define GPUBE_DENSE_H

#include "gpube/ir/model.h"

/*
 * gpube__dense() - all cells of a function, row-major over its scope sorted by
 * rank, the smallest rank slowest.
 * out    gpube__cells() of the scope; GPUBE_INF is forbidden
 * rank   of each variable, no two equal; NULL: by variable
 * Errors: ENOMEM
 * gpube__dense_new() - the same in memory of its own; NULL after a failure.
 */
int gpube__dense(int64_t *out, const struct gpube_model *m, int32_t function, const int32_t *rank);
int gpube__dense_new(
	int64_t **out, const struct gpube_model *m, int32_t function, const int32_t *rank);

/* The same in INT32 or INT64, where costs of 'top' and more become 'top', which fits. */
int gpube__dense_as(void *out, enum gpube_type type, int64_t top, const struct gpube_model *m,
	int32_t function, const int32_t *rank);

/* A function's variables, or their ranks (NULL: themselves), ascending: its axes in such a copy. */
void gpube__sorted_scope(
	int32_t *out, const struct gpube_model *m, int32_t function, const int32_t *rank);

/* The constant and the functions of no variables; GPUBE_INF: forbidden. */
int64_t gpube__constant_of(const struct gpube_model *m);

/*
 * 1 + the largest finite total above the constant: 'forbidden' in a type of
 * its own. Below 2^62, as a simplified model's totals are.
 */
int64_t gpube__cost_span(const struct gpube_model *m);

/*
 * Whether costs are minimised, none is below 0, and the constant and gpube__cost_span() add up in
 * 64 bits: what is asked of a model that was read from bytes.
 */
bool gpube__costs_fit(const struct gpube_model *m);

/* Cells and tuples of the tables of all functions. */
int64_t gpube__model_cells(const struct gpube_model *m);

#endif
