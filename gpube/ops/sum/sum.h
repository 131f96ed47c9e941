/*
 * sum.h - sums of products of tables of numbers >= 0: the operator of gpube infer.
 *
 *   out_j[cell over its axes] = sum over all other axes of in_1 * in_2 * …
 *
 * Numbers are doubles, never logarithms, and every table has a power of two of its own, so that
 * 1e-4000 is as good as 1. Where the cells of one table are too far apart for that, each cell has a
 * power besides. Nothing is lost to underflow: products that would be are found by the processor's
 * flag, and unless all sums are far above them the job is done again with a power for each cell. So
 * a cell is 0 only if its sum is (but see 'shares').
 *
 *   sum_cpu.c   the same on all threads, panel by panel
 *   sum_axes.c  which axes its loops are over
 *   sum_segments.c the same in registers, where tables lie straight
 *   sum_parts.c where outputs are too small to be shared by threads
 *   sum_merge.c gpube__sum_product(): small inputs are multiplied together before
 *   sum_settle.c brings tables to scale
 *   sum_card.h  the same on a card
 */
#ifndef GPUBE_SUM_H
#define GPUBE_SUM_H

#include "gpube/base/base.h"

struct gpube_ops;

/* Axes have at least two values, and a table's cells are counted in 64 bits. */
enum { GPUBE_SUM_AXES = 64 };

/*
 * A table that sums made may have its largest cell so many powers of two from 1: to bring it to
 * scale takes as long as to make it.
 */
enum { GPUBE_SUM_OFF = 60 };

/*
 * A cell's value is cells[i] * 2^(power + powers[i]); powers is NULL where none has its own.
 * card  the same cells in the memory of 'on', a card's (sum_card.h); NULL: they are not there;
 *       cells is NULL where they are only there
 * top, least  what is above 0 of the cells lies in [2^(least - 1), 2^top); 0 and less where a table
 *             is settled
 */
struct gpube_sum_table {
	int64_t n;
	double *cells; /* >= 0, finite */
	int32_t *powers;
	int64_t power;
	double *card;
	const struct gpube_ops *on;
	int top, least;
};

/* 'stride' of each axis of the job; 0: the table does not have it. Others fall along the axes. */
struct gpube_sum_operand {
	struct gpube_sum_table *table;
	int64_t stride[GPUBE_SUM_AXES];
	/* out, of an output: most on the way from an input's cell to one of its own */
	double roundings;
};

struct gpube_sum_job {
	int n_axes;
	int64_t dim[GPUBE_SUM_AXES];
	int n_in, n_out;
	struct gpube_sum_operand *in, *out;
	/* of the outputs' cells only what is above 2^-500 of the largest matters: less may be 0 */
	bool shares;
	bool apart;                      /* out: a power for each cell was needed on the way */
	struct gpube_sum_table *weights; /* see gpube__sum_posterior(); else NULL */
	bool failed;                     /* out: with weights */
};

/*
 * Memory for cells, whose pages are kept for the next ones (ops/scratch.h): to clear them took half
 * of some marginals. NULL: ENOMEM.
 */
double *gpube__sum_cells(struct gpube_ctx *ctx, int64_t n);
/* Errors: ENOMEM. The cells are not set. */
int gpube__sum_table_new(struct gpube_ctx *ctx, struct gpube_sum_table *t, int64_t n);
void gpube__sum_table_clear(struct gpube_ctx *ctx, struct gpube_sum_table *t);

/* What of it is on a card is no longer. */
void gpube__sum_leave_card(struct gpube_ctx *ctx, struct gpube_sum_table *t);

/*
 * gpube__sum_settle() - the same values with the largest cell in [0.5, 1), and powers of the cells'
 * own only where they are too far apart.
 * Errors: ENOMEM; ERANGE (further apart than 2^(2^30))
 */
int gpube__sum_settle(struct gpube_ctx *ctx, struct gpube_sum_table *t);

/*
 * gpube__sum_settle(), but what is off by GPUBE_SUM_OFF or less is left so, with 'top' and 'least';
 * 'shares': there are never powers, what is too small becomes 0.
 */
int gpube__sum_measure(struct gpube_ctx *ctx, struct gpube_sum_table *t, bool shares);
/*
 * The same of a table without powers whose largest cell, and the least above 0, are known: 0 and
 * INFINITY where all are 0.
 */
int gpube__sum_measured(
	struct gpube_ctx *ctx, struct gpube_sum_table *t, bool shares, double most, double least);

/*
 * gpube__sum_product() - all outputs in one pass; they are measured.
 * job     inputs are settled or measured, outputs have their memory
 * Same numbers with any number of threads.
 * Errors: ENOMEM, ESTOP, ERANGE
 */
int gpube__sum_product(struct gpube_ctx *ctx, struct gpube_sum_job *job);
/* A job with fewer inputs: those on the host that are small are multiplied together before. */
struct gpube_sum_merged {
	struct gpube_sum_job job; /* the same outputs */
	struct gpube_sum_operand *in;
	struct gpube_sum_table *tables;
	int n_tables; /* room: of the given job's inputs */
};

/* 'm' is to be cleared in any case. Errors: those of gpube__sum_product() */
int gpube__sum_merge(
	struct gpube_ctx *ctx, struct gpube_sum_merged *m, const struct gpube_sum_job *job);
void gpube__sum_merged_clear(struct gpube_ctx *ctx, struct gpube_sum_merged *m);

/* The same without merging small inputs before. */
int gpube__sum_panels(struct gpube_ctx *ctx, struct gpube_sum_job *job);
/* And in one piece, however small the outputs are. */
int gpube__sum_whole(struct gpube_ctx *ctx, struct gpube_sum_job *job);

/*
 * gpube__sum_posterior() - out[x] = sum over s of weights[s] * p[x, s], where p is the product of
 * the inputs, divided by its sum over x: Bayes' rule, with nothing of the size of a table made on
 * the way.
 * job     x is its first axis, 's' all others, as weights has them; one output, of the first axis
 *         alone, which gets shares
 * *done   false: a product was too small for a double, or cells have powers, and the output has no
 *         meaning
 * Errors: those of gpube__sum_product()
 */
int gpube__sum_posterior(struct gpube_ctx *ctx, struct gpube_sum_job *job,
	struct gpube_sum_table *weights, bool *done);

/* a / b cell by cell, 0 / 0 is 0, to one of the two, which is measured then. Errors: as above */
int gpube__sum_divide(struct gpube_ctx *ctx, struct gpube_sum_table *to,
	const struct gpube_sum_table *a, const struct gpube_sum_table *b);

/* ---- a number of any magnitude: m * 2^e, m in [0.5, 1) or 0 -------------------------------- */

struct gpube_wide {
	double m;
	int64_t e;
};

struct gpube_wide gpube__wide(double m, int64_t e);
struct gpube_wide gpube__wide_add(struct gpube_wide a, struct gpube_wide b);
/* -INFINITY of 0 */
double gpube__wide_log10(struct gpube_wide a);

static inline struct gpube_wide gpube__wide_mul(struct gpube_wide a, struct gpube_wide b)
{
	return gpube__wide(a.m * b.m, a.e + b.e);
}

static inline struct gpube_wide gpube__sum_cell(const struct gpube_sum_table *t, int64_t i)
{
	return gpube__wide(t->cells[i], t->power + (t->powers ? t->powers[i] : 0));
}

/* The same without the table's own power, which a whole job has in common. */
static inline struct gpube_wide gpube__sum_cell_here(const struct gpube_sum_table *t, int64_t i)
{
	return gpube__wide(t->cells[i], t->powers ? t->powers[i] : 0);
}

/* Adds to a cell of a table with powers; false past 2^(2^30). */
bool gpube__sum_add(struct gpube_sum_table *t, int64_t i, struct gpube_wide v);
/* Powers for a table that shall be summed to, all cells 0. Errors: ENOMEM */
int gpube__sum_begin_apart(struct gpube_ctx *ctx, struct gpube_sum_table *t);
/*
 * What all products have in common: the sum of the inputs' powers; and of their tops, which are
 * taken off the products.
 */
int64_t gpube__sum_power(const struct gpube_sum_job *job);
int gpube__sum_top(const struct gpube_sum_job *job);
/* ERANGE's text. */
int gpube__sum_fail_range(struct gpube_ctx *ctx);

#endif
