/* packing_lp.h - the linear program of an auction's bids. */
#ifndef CSG_PACKING_LP_H
#define CSG_PACKING_LP_H

#include "gpube/base/base.h"

/*
 * max price x, of each clique one bid at most, x >= 0: a dense dictionary
 *     basic = b - t nonbasic, revenue = z + c nonbasic
 * Variables [0, n) are bids, [n, n + m) the slacks of rows. A fixed variable is 0
 * for good: it does not enter, and leaves by the dual simplex method; its column is
 * dropped in time.
 */
struct csg__packing {
	struct gpube_ctx *ctx;
	int m, n, k;               /* rows, bids, columns left */
	double *t;                 /* m rows of k */
	double *b, *c, *weight;    /* weight: of columns, for the choice of the next one */
	int32_t *basic, *nonbasic; /* variables by row, by column */
	uint8_t *fixed;            /* n + m */
	int64_t n_pivots, work;    /* work: cells that pivots have changed */
};

/* Of n bids, no rows yet. */
int csg__packing_init(struct csg__packing *p, struct gpube_ctx *ctx, int n);
void csg__packing_clear(struct csg__packing *p);
/* One more row: at most one of the bids in the set. Errors: ENOMEM, nothing changed */
int csg__packing_add(struct csg__packing *p, const uint64_t *set);
/* loose[i]: row i does not bind. */
void csg__packing_loose(const struct csg__packing *p, uint8_t *loose);
/* Without the rows of to[i] < 0, all of them loose; row i becomes row to[i]. */
void csg__packing_keep(struct csg__packing *p, const int *to);
/* A copy, for going back. */
int csg__packing_copy(struct csg__packing *to, const struct csg__packing *p);
void csg__packing_assign(struct csg__packing *to, const struct csg__packing *p);
/* After changes of 'fixed': optimal again, or as far as it comes, also where it is stopped. */
void csg__packing_solve(struct csg__packing *p);
/* x: n values; y: m duals >= 0. */
void csg__packing_read(const struct csg__packing *p, double *x, double *y);

#endif
