/* packing.c - see bids.h. Nothing here need be exact: duals are rounded by who uses them. */
#include <math.h>
#include <string.h>

#include "csg/bids.h"

#define TINY 1e-9

static void subtract(double *to, const double *from, double f, int n)
{
	for (int j = 0; j < n; j++)
		to[j] -= f * from[j];
}

int csg__packing_init(struct csg__packing *p, struct gpube_ctx *ctx, int m, int n)
{
	*p = (struct csg__packing){.ctx = ctx, .m = m, .n = n};
	p->t = gpube__alloc_zero(ctx, (uint64_t)m * (uint64_t)n + 1, sizeof(*p->t));
	p->b = gpube__alloc_zero(ctx, (uint64_t)m, sizeof(*p->b));
	p->c = gpube__alloc_zero(ctx, (uint64_t)n, sizeof(*p->c));
	p->basic = gpube__alloc_zero(ctx, (uint64_t)m, sizeof(*p->basic));
	p->nonbasic = gpube__alloc_zero(ctx, (uint64_t)n, sizeof(*p->nonbasic));
	p->fixed = gpube__alloc_zero(ctx, (uint64_t)m + (uint64_t)n, 1);
	if (!p->t || !p->b || !p->c || !p->basic || !p->nonbasic || !p->fixed) {
		csg__packing_clear(p);
		return GPUBE_ENOMEM;
	}
	for (int i = 0; i < m; i++) {
		p->b[i] = 1 + 1e-6 * (1 + i % 97); /* against cycling */
		p->basic[i] = n + i;
	}
	for (int j = 0; j < n; j++)
		p->nonbasic[j] = j;
	return GPUBE_OK;
}

void csg__packing_clear(struct csg__packing *p)
{
	gpube__free(p->ctx, p->t);
	gpube__free(p->ctx, p->b);
	gpube__free(p->ctx, p->c);
	gpube__free(p->ctx, p->basic);
	gpube__free(p->ctx, p->nonbasic);
	gpube__free(p->ctx, p->fixed);
	p->t = p->b = p->c = NULL;
	p->basic = p->nonbasic = NULL;
	p->fixed = NULL;
}

static bool grow(struct csg__packing *p, void *array, uint64_t n, size_t size)
{
	void *old, *q;

	memcpy(&old, array, sizeof(old));
	q = gpube__realloc(p->ctx, old, n, size);
	if (!q)
		return false;
	memcpy(array, &q, sizeof(q));
	return true;
}

int csg__packing_add(struct csg__packing *p, const uint64_t *set)
{
	const uint64_t m = (uint64_t)p->m + 1, n = (uint64_t)p->n;
	double *row, b = 1 + 1e-6 * (1 + p->m % 97); /* against cycling */

	if (!grow(p, &p->t, m * n + 1, sizeof(*p->t)) || !grow(p, &p->b, m, sizeof(*p->b)) ||
		!grow(p, &p->basic, m, sizeof(*p->basic)) || !grow(p, &p->fixed, m + n, 1))
		return GPUBE_ENOMEM;
	row = p->t + (size_t)p->m * (size_t)p->n;
	for (int j = 0; j < p->n; j++)
		row[j] = p->nonbasic[j] < p->n &&
			 set[p->nonbasic[j] / 64] >> p->nonbasic[j] % 64 & 1;
	for (int i = 0; i < p->m; i++) {
		const int32_t v = p->basic[i];

		if (v >= p->n || !(set[v / 64] >> v % 64 & 1))
			continue;
		subtract(row, p->t + (size_t)i * (size_t)p->n, 1, p->n);
		b -= p->b[i];
	}
	p->b[p->m] = b;
	p->basic[p->m] = p->n + p->m;
	p->fixed[p->n + p->m] = 0;
	p->m++;
	return GPUBE_OK;
}

void csg__packing_assign(struct csg__packing *to, const struct csg__packing *p)
{
	const size_t m = (size_t)p->m, n = (size_t)p->n;

	memcpy(to->t, p->t, m * n * sizeof(*p->t));
	memcpy(to->b, p->b, m * sizeof(*p->b));
	memcpy(to->c, p->c, n * sizeof(*p->c));
	memcpy(to->basic, p->basic, m * sizeof(*p->basic));
	memcpy(to->nonbasic, p->nonbasic, n * sizeof(*p->nonbasic));
	memcpy(to->fixed, p->fixed, m + n);
}

int csg__packing_copy(struct csg__packing *to, const struct csg__packing *p)
{
	int status = csg__packing_init(to, p->ctx, p->m, p->n);

	if (!status)
		csg__packing_assign(to, p);
	return status;
}

static void pivot(struct csg__packing *p, int r, int k)
{
	double *row = p->t + (size_t)r * (size_t)p->n;
	const double inverse = 1 / row[k];
	const int32_t v = p->basic[r];
	double f;

	for (int j = 0; j < p->n; j++)
		row[j] *= inverse;
	row[k] = inverse;
	p->b[r] *= inverse;
	for (int i = 0; i < p->m; i++) {
		double *t = p->t + (size_t)i * (size_t)p->n;

		f = t[k];
		if (i == r || f == 0)
			continue;
		t[k] = 0;
		subtract(t, row, f, p->n);
		p->b[i] -= f * p->b[r];
	}
	f = p->c[k];
	p->c[k] = 0;
	subtract(p->c, row, f, p->n);
	p->basic[r] = p->nonbasic[k];
	p->nonbasic[k] = v;
	p->n_pivots++;
}

/* The row that limits column k most; -1: none. */
static int leaving(const struct csg__packing *p, int k)
{
	double least = INFINITY;
	int r = -1;

	for (int i = 0; i < p->m; i++) {
		const double t = p->t[(size_t)i * (size_t)p->n + (size_t)k];

		if (t > TINY && p->b[i] < least * t) {
			least = p->b[i] / t;
			r = i;
		}
	}
	return r;
}

/* Primal steps, from a feasible dictionary; true at the optimum. */
static bool primal(struct csg__packing *p, double tolerance, int most)
{
	while (most-- > 0) {
		double best = tolerance;
		int k = -1, r;

		for (int j = 0; j < p->n; j++)
			if (p->c[j] > best && !p->fixed[p->nonbasic[j]]) {
				best = p->c[j];
				k = j;
			}
		if (k < 0)
			return true;
		r = leaving(p, k);
		if (r < 0)
			return false;
		pivot(p, r, k);
	}
	return false;
}

/* The row that is farthest from feasible; *up: it must fall, not rise. */
static int infeasible_row(const struct csg__packing *p, bool *up)
{
	double worst = 1e-7;
	int r = -1;

	for (int i = 0; i < p->m; i++) {
		const bool above = p->fixed[p->basic[i]] && p->b[i] > 0;
		const double by = above ? p->b[i] : -p->b[i];

		if (by > worst) {
			worst = by;
			r = i;
			*up = above;
		}
	}
	return r;
}

static bool dual(struct csg__packing *p, int most)
{
	while (most-- > 0) {
		double best = INFINITY;
		bool up = false;
		int r = infeasible_row(p, &up), k = -1;
		const double *row;

		if (r < 0)
			return true;
		row = p->t + (size_t)r * (size_t)p->n;
		for (int j = 0; j < p->n; j++) {
			const double t = up ? row[j] : -row[j];

			if (t > 1e-7 && !p->fixed[p->nonbasic[j]] && -p->c[j] < best * t) {
				best = -p->c[j] / t;
				k = j;
			}
		}
		if (k < 0)
			return false;
		pivot(p, r, k);
	}
	return false;
}

void csg__packing_solve(struct csg__packing *p)
{
	const int most = 20 * (p->m + p->n) + 100;
	double size = 0;

	for (int j = 0; j < p->n; j++)
		size = fmax(size, fabs(p->c[j]));
	for (int k = 0; k < 3; k++)
		if (dual(p, most) && primal(p, 1e-11 * (1 + size), most))
			break;
}

void csg__packing_read(const struct csg__packing *p, double *x, double *y)
{
	memset(x, 0, (size_t)p->n * sizeof(*x));
	memset(y, 0, (size_t)p->m * sizeof(*y));
	for (int i = 0; i < p->m; i++)
		if (p->basic[i] < p->n)
			x[p->basic[i]] = p->b[i];
	for (int j = 0; j < p->n; j++)
		if (p->nonbasic[j] >= p->n && p->c[j] < 0)
			y[p->nonbasic[j] - p->n] = -p->c[j];
}
