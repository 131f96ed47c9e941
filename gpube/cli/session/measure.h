/* measure.h - what there is in a model: domains, arities, tables and how full they are. */
#ifndef GPUBE_CLI_MEASURE_H
#define GPUBE_CLI_MEASURE_H

#include "gpube/ir/model.h"

enum { N_LARGEST = 3 }; /* tables that are named */

struct bar {
	int64_t size, n;
};

/* How many things have each size, by size. */
struct histogram {
	struct bar *bar;
	int64_t n_bars, capacity;
};

/*
 * densities  of tables, in percent, rounded up to one of few steps: the share of cells
 *            that a listing has to name, those without the commonest value
 */
struct sizes {
	struct histogram domains, arities, densities;
	double cells; /* of all functions' tables as if dense */
	double bytes; /* of the tables as they are stored */
	int32_t n_sparse, n_shared;
	int32_t largest[N_LARGEST]; /* functions, -1: none */
};

/* Errors: ENOMEM; sizes_clear() also after a failure. */
int sizes_measure(struct sizes *sizes, const struct gpube_model *m);
void sizes_clear(struct gpube_ctx *ctx, struct sizes *sizes);

/* Cells of a function's table as if it were dense; they can pass 2^63. */
double cells_of(const struct gpube_model *m, int32_t function);

#endif
