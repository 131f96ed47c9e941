/*
 * master.h - the linear program of method lp over the coalitions found so far:
 * greatest sum of v(S) x(S), every agent in coalitions of weight 1 together. A dense
 * revised simplex on n rows in double: what it returns is only a proposal of
 * duals, which lp.c makes exact.
 */
#ifndef CSG_MASTER_H
#define CSG_MASTER_H

#include "csg/view.h"

struct csg__master {
	struct gpube_ctx *ctx;
	int n;
	int64_t n_columns, capacity;
	uint64_t *mask;
	double *value;
	double tolerance;
	double inverse[GPUBE_MAX_AGENTS][GPUBE_MAX_AGENTS]; /* of the basis */
	int64_t basis[GPUBE_MAX_AGENTS];
	double right[GPUBE_MAX_AGENTS]; /* 1, perturbed against cycling */
	double x[GPUBE_MAX_AGENTS], w[GPUBE_MAX_AGENTS];
	int64_t n_pivots;
};

/*
 * Begins with n columns of single agents, 'alone' their values.
 * scale  of the values, for tolerances
 */
int csg__master_init(
	struct csg__master *m, struct gpube_ctx *ctx, int n, const double *alone, double scale);
void csg__master_clear(struct csg__master *m);
int csg__master_add(struct csg__master *m, uint64_t mask, double value);

/* Optimal duals into m->w; false if numbers went wrong or it took too long. */
bool csg__master_solve(struct csg__master *m);

/* w(S) by bytes of S: t has 256 doubles for each of the n / 8 bytes, rounded up. */
void csg__weight_tables(double t[][256], const double *w, int n);
static inline double csg__weight(const double t[][256], uint64_t s)
{
	double w = 0;

	for (int k = 0; s; s >>= 8, k++)
		w += t[k][s & 255];
	return w;
}

#endif
