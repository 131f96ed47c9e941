/* sum_panel.h - the loops of a panel of sum_cpu.c: consecutive cells of a job. */
#ifndef GPUBE_SUM_PANEL_H
#define GPUBE_SUM_PANEL_H

#include <stdbool.h>
#include <stdint.h>

struct gpube_ctx;
struct gpube_sum_job;
struct gpube_sum_operand;

/*
 * Where the n cells of a panel are in a table: cell i is at[i]; NULL: they follow each other as the
 * panel's do.
 * run    so many cells after one another have one place, for the table does not have the panel's
 *        last axes
 * block  so many follow each other in the table, too, for it has them; one of the two is 1
 * Gathering cell by cell costs more than all else, two nanoseconds for four of them on some
 * machines.
 */
struct gpube_sum_places {
	const int32_t *at;
	int64_t run, block;
};

enum { GPUBE_SUM_FOLDS = 16 };

/*
 * Axes that an output does not have, those of its neighbours as one, from the outermost on: n slabs
 * of 'inner' cells become their sum. What is left of a panel lies in the output as here: so it is
 * summed by vectors, where to add cell by cell takes as long as all else.
 */
struct gpube_sum_folds {
	int n_folds;
	int64_t n[GPUBE_SUM_FOLDS], inner[GPUBE_SUM_FOLDS];
};

/*
 * by * in[0] * in[1] * …, added to each of the outputs, or stored in the one; and its sum, where
 * that is asked for.
 */
typedef double gpube_sum_fused(double by, const double *const *in, double *const *out, int64_t n);

/*
 * Inputs at most; and a loop's place: twice the outputs, and 1 for a sum; or the one that stores.
 */
enum { GPUBE_SUM_FUSED = 4, GPUBE_SUM_STORE = 6, GPUBE_SUM_KINDS = 7 };

/*
 * set       buf = by * p
 * multiply  buf *= p
 * add       out += buf; add_product: out += buf * p, all in order; scatter: out += buf at places
 * fold      the sums of slabs in 'to', which may be where they are; returns how many
 * total     the sum of buf, in eight parts; total_product: of buf * p, in order
 * divide    to = a / b, all in order, and to may be one of them; 0 / 0 is 0
 * extremes  the largest of p, and the least that is above 0
 * fused     for so many inputs, less 1
 */
struct gpube_sum_loops {
	void (*set)(double *buf, double by, const double *p, const struct gpube_sum_places *x,
		int64_t n);
	void (*multiply)(double *buf, const double *p, const struct gpube_sum_places *x, int64_t n);
	void (*add)(double *out, const double *buf, int64_t n);
	void (*scatter)(double *out, const int32_t *at, const double *buf, int64_t n);
	int64_t (*fold)(double *to, const double *buf, int64_t n, int64_t slabs, int64_t inner);
	void (*add_product)(double *out, const double *buf, const double *p, int64_t n);
	double (*total)(const double *buf, int64_t n);
	double (*total_product)(const double *buf, const double *p, int64_t n);
	void (*divide)(double *to, const double *a, const double *b, int64_t n);
	void (*extremes)(const double *p, int64_t n, double *most, double *least);
	gpube_sum_fused *fused[GPUBE_SUM_FUSED][GPUBE_SUM_KINDS];
};

extern const struct gpube_sum_loops gpube__sum_portable, gpube__sum_avx2;
/* Those for this machine. */
const struct gpube_sum_loops *gpube__sum_loops(void);

/* Where the n cells of these axes are in a table, at every step-th of at[]; the largest place. */
int64_t gpube__sum_lay(int32_t *at, int64_t n, int step, const struct gpube_sum_job *job,
	const struct gpube_sum_operand *o, const int *axes, int n_axes);

/* Whether all outputs have an axis. */
bool gpube__sum_in_all(const struct gpube_sum_job *job, int axis);
/*
 * Cells of tables without an axis, which are read or written again for each of its values: but from
 * the cache, if it is the innermost.
 */
double gpube__sum_lacking(const struct gpube_sum_job *job, int axis);

/*
 * How a panel of these axes becomes an output's part of it. n_folds is 0 where that does not lie
 * there in one piece: what is between may be another thread's.
 */
void gpube__sum_find_folds(struct gpube_sum_folds *x, const struct gpube_sum_job *job,
	const struct gpube_sum_operand *o, const int *axes, int n_axes);

enum { GPUBE_SUM_SEGMENTED = 16 }; /* operands of a job that falls into segments, at most */

/*
 * How a panel falls into segments.
 * n         of so many cells each; 0: they would be too short, or have too many tables
 * at         where they begin in each operand, inputs first, then outputs, and in the next segment
 *            again: after where the panel begins
 * here, to   the inputs and outputs that have all cells of a segment
 * one, each  the inputs that have one for all of a panel's segments, or one for each
 * sums       the outputs that have one
 */
struct gpube_sum_segments {
	int64_t n, cells;
	int32_t *at;
	int n_here, n_to, n_one, n_each, n_sums;
	int here[GPUBE_SUM_FUSED], to[2], one[GPUBE_SUM_SEGMENTED], each[GPUBE_SUM_SEGMENTED],
		sums[GPUBE_SUM_SEGMENTED];
};

/* Of a panel of these axes. To be cleared in any case. Errors: ENOMEM */
int gpube__sum_segments_begin(struct gpube_sum_segments *x, struct gpube_ctx *ctx,
	const struct gpube_sum_job *job, const int *axes, int n_axes);
void gpube__sum_segments_clear(struct gpube_sum_segments *x, struct gpube_ctx *ctx);
/*
 * A panel's products, times 'by', whose operands begin at at[]. first: they are stored, in the one
 * output that has all of its axes
 */
void gpube__sum_segments_panel(const struct gpube_sum_segments *x, const struct gpube_sum_job *job,
	const int64_t *at, double by, bool first);

#endif
