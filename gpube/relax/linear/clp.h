/*
 * clp.h - a solver of linear programs, where there is one: Clp, by its C interface. It is opened
 * when it is wanted, so that a program without it runs, and is built, as well.
 * GPUBE_CLP names another file, or is "none".
 */
#ifndef GPUBE_CLP_H
#define GPUBE_CLP_H

#include "gpube/base/base.h"

/* True if there is one; what is missing is logged once. Threads may call it. */
bool gpube__clp_there(struct gpube_ctx *ctx);

/* The columns of a linear program, of which the cost is minimised; rows are from low to high. */
struct gpube_clp_problem {
	int n_columns, n_rows;
	const int *start, *row; /* entries of column c: start[c] … start[c + 1] - 1, */
	const double *entry;    /* each in a row */
	const double *column_low, *column_high, *cost, *row_low, *row_high;
};

struct gpube_clp;

/* How the basis says that a column is at its lower bound, and a row in the basis. */
enum { GPUBE__CLP_AT_LOW = 3, GPUBE__CLP_BASIC = 1 };

enum gpube_clp_end {
	GPUBE__CLP_OVER,
	GPUBE__CLP_STEPS, /* the steps are used up */
	GPUBE__CLP_FAILS, /* no memory: nothing more may be asked but to be freed */
};

/*
 * gpube__clp_new()   - a program of its own for each thread; NULL: no memory.
 * gpube__clp_low()   - the lower bounds of its columns, to be changed between calls; NULL:
 *                      it has failed.
 * gpube__clp_high(), gpube__clp_cost() - the upper ones, and costs, likewise.
 * gpube__clp_add()   - n rows more, by rows, which are to be at most so much. False: no memory.
 * gpube__clp_drop()  - takes n rows away, of which each is in the basis. False: no memory.
 * gpube__clp_dual()  - steps of the dual simplex method from the basis that there is; *taken: how
 *                      many. From any basis, so also where the bounds have changed.
 * gpube__clp_work()  - counts so many steps of a program of such a size.
 * gpube__clp_value(), gpube__clp_price() - of the columns, and of the rows: what the bound rises
 *                      with the row's.
 * gpube__clp_basis() - one byte for each column, then for each row, to be kept;
 * gpube__clp_begin() - and to begin from.
 */
struct gpube_clp *gpube__clp_new(struct gpube_ctx *ctx, const struct gpube_clp_problem *problem);
void gpube__clp_free(struct gpube_ctx *ctx, struct gpube_clp *clp);
double *gpube__clp_low(struct gpube_clp *clp);
double *gpube__clp_high(struct gpube_clp *clp);
double *gpube__clp_cost(struct gpube_clp *clp);
bool gpube__clp_add(struct gpube_clp *clp, int n, const int *start, const int *column,
	const double *entry, const double *high);
bool gpube__clp_drop(struct gpube_clp *clp, int n, const int *rows);
enum gpube_clp_end gpube__clp_dual(struct gpube_clp *clp, int steps, int *taken);
void gpube__clp_work(struct gpube_ctx *ctx, int64_t rows_and_columns, int64_t n_entries, int taken);
const double *gpube__clp_value(struct gpube_clp *clp);
const double *gpube__clp_price(struct gpube_clp *clp);
const unsigned char *gpube__clp_basis(struct gpube_clp *clp);
void gpube__clp_begin(struct gpube_clp *clp, const unsigned char *basis);

#endif
