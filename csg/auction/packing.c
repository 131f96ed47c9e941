/* packing.c - see bids.h. Nothing here need be exact: duals are rounded by who uses them. */
#include <math.h>
#include <string.h>

#include "csg/auction/packing_lp.h"
#include "gpube/base/bits.h"
#include "gpube/base/clones.h"

#define TINY         1e-9
#define CELLS_A_TICK 16

GPUBE_CLONES static void subtract(double *restrict to, const double *restrict from, double f, int n)
{
#pragma omp simd
	for (int j = 0; j < n; j++)
		to[j] -= f * from[j];
}

static int take_memory(struct csg__packing *p, struct gpube_ctx *ctx, int m, int n, int k)
{
	*p = (struct csg__packing){.ctx = ctx, .m = m, .n = n, .k = k};
	p->t = gpube__alloc(ctx, (uint64_t)m * (uint64_t)k + 1, sizeof(*p->t));
	p->b = gpube__alloc_zero(ctx, (uint64_t)m, sizeof(*p->b));
	p->c = gpube__alloc_zero(ctx, (uint64_t)k, sizeof(*p->c));
	p->weight = gpube__alloc_zero(ctx, (uint64_t)k, sizeof(*p->weight));
	p->basic = gpube__alloc_zero(ctx, (uint64_t)m, sizeof(*p->basic));
	p->nonbasic = gpube__alloc_zero(ctx, (uint64_t)k, sizeof(*p->nonbasic));
	p->fixed = gpube__alloc_zero(ctx, (uint64_t)m + (uint64_t)n, 1);
	if (p->t && p->b && p->c && p->weight && p->basic && p->nonbasic && p->fixed)
		return GPUBE_OK;
	csg__packing_clear(p);
	return GPUBE_ENOMEM;
}

int csg__packing_init(struct csg__packing *p, struct gpube_ctx *ctx, int n)
{
	int status = take_memory(p, ctx, 0, n, n);

	for (int j = 0; j < n && !status; j++)
		p->nonbasic[j] = j;
	return status;
}

void csg__packing_clear(struct csg__packing *p)
{
	GPUBE_FREE_ALL(p->ctx, p->t, p->b, p->c, p->weight, p->basic, p->nonbasic, p->fixed);
	*p = (struct csg__packing){.ctx = p->ctx};
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
	const uint64_t m = (uint64_t)p->m + 1, n = (uint64_t)p->n, k = (uint64_t)p->k;
	double *row, b = 1 + 1e-6 * (1 + p->m % 97); /* against cycling */

	if (!grow(p, &p->t, m * k + 1, sizeof(*p->t)) || !grow(p, &p->b, m, sizeof(*p->b)) ||
		!grow(p, &p->basic, m, sizeof(*p->basic)) || !grow(p, &p->fixed, m + n, 1))
		return GPUBE_ENOMEM;
	row = p->t + (size_t)p->m * (size_t)p->k;
	for (int j = 0; j < p->k; j++)
		row[j] = p->nonbasic[j] < p->n && gpube__bit(set, p->nonbasic[j]);
	for (int i = 0; i < p->m; i++) {
		const int32_t v = p->basic[i];

		if (v >= p->n || !gpube__bit(set, v))
			continue;
		subtract(row, p->t + (size_t)i * (size_t)p->k, 1, p->k);
		b -= p->b[i];
	}
	p->b[p->m] = b;
	p->basic[p->m] = p->n + p->m;
	p->fixed[p->n + p->m] = 0;
	p->m++;
	return GPUBE_OK;
}

void csg__packing_loose(const struct csg__packing *p, uint8_t *loose)
{
	memset(loose, 0, (size_t)p->m);
	for (int i = 0; i < p->m; i++)
		if (p->basic[i] >= p->n && p->b[i] > 1e-3)
			loose[p->basic[i] - p->n] = 1;
}

void csg__packing_keep(struct csg__packing *p, const int *to)
{
	const size_t k = (size_t)p->k;
	int m = 0;

	for (int i = 0; i < p->m; i++) {
		const int32_t v = p->basic[i];

		if (v >= p->n && to[v - p->n] < 0)
			continue;
		p->basic[m] = v < p->n ? v : p->n + to[v - p->n];
		p->b[m] = p->b[i];
		memmove(p->t + (size_t)m++ * k, p->t + (size_t)i * k, k * sizeof(*p->t));
	}
	for (int j = 0; j < p->k; j++)
		if (p->nonbasic[j] >= p->n)
			p->nonbasic[j] = p->n + to[p->nonbasic[j] - p->n];
	p->m = m; /* slacks are never fixed: the rest of 'fixed' is 0 as before */
}

void csg__packing_assign(struct csg__packing *to, const struct csg__packing *p)
{
	const size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;

	to->k = p->k;
	memcpy(to->t, p->t, m * k * sizeof(*p->t));
	memcpy(to->b, p->b, m * sizeof(*p->b));
	memcpy(to->c, p->c, k * sizeof(*p->c));
	memcpy(to->basic, p->basic, m * sizeof(*p->basic));
	memcpy(to->nonbasic, p->nonbasic, k * sizeof(*p->nonbasic));
	memcpy(to->fixed, p->fixed, m + n);
}

int csg__packing_copy(struct csg__packing *to, const struct csg__packing *p)
{
	int status = take_memory(to, p->ctx, p->m, p->n, p->k);

	if (!status)
		csg__packing_assign(to, p);
	return status;
}

/* Without the columns of fixed variables, if they are many. */
static void drop_columns(struct csg__packing *p)
{
	int n_fixed = 0, k = 0;

	for (int j = 0; j < p->k; j++)
		n_fixed += p->fixed[p->nonbasic[j]];
	if (n_fixed * 8 < p->k)
		return;
	for (int i = 0; i < p->m; i++) {
		const double *from = p->t + (size_t)i * (size_t)p->k;
		double *to = p->t + (size_t)i * (size_t)(p->k - n_fixed);

		for (int j = 0; j < p->k; j++)
			if (!p->fixed[p->nonbasic[j]])
				*to++ = from[j];
	}
	for (int j = 0; j < p->k; j++)
		if (!p->fixed[p->nonbasic[j]]) {
			p->c[k] = p->c[j];
			p->nonbasic[k++] = p->nonbasic[j];
		}
	p->k = k;
}

static void pivot(struct csg__packing *p, int r, int k)
{
	double *row = p->t + (size_t)r * (size_t)p->k;
	const double inverse = 1 / row[k];
	const int32_t v = p->basic[r];
	double f;

	for (int j = 0; j < p->k; j++)
		row[j] *= inverse;
	row[k] = inverse;
	p->b[r] *= inverse;
	for (int i = 0; i < p->m; i++) {
		double *t = p->t + (size_t)i * (size_t)p->k;

		f = t[k];
		if (i == r || f == 0)
			continue;
		t[k] = 0;
		subtract(t, row, f, p->k);
		p->b[i] -= f * p->b[r];
	}
	f = p->c[k];
	p->c[k] = 0;
	subtract(p->c, row, f, p->k);
	p->basic[r] = p->nonbasic[k];
	p->nonbasic[k] = v;
	p->n_pivots++;
	p->work += (int64_t)p->m * p->k;
	gpube__work(p->ctx, (int64_t)p->m * p->k / CELLS_A_TICK + p->m + p->k);
}

/* The row that limits column k most; -1: none. */
static int leaving(const struct csg__packing *p, int k)
{
	double least = INFINITY;
	int r = -1;

	for (int i = 0; i < p->m; i++) {
		const double t = p->t[(size_t)i * (size_t)p->k + (size_t)k];

		if (t > TINY && p->b[i] < least * t) {
			least = p->b[i] / t;
			r = i;
		}
	}
	return r;
}

/*
 * Of the columns that gain, the one that gains most for its length, by the estimates
 * of Devex pricing (Harris 1973): the largest gain alone takes ten times the steps
 * where bids have substitutes. -1: none gains.
 */
static int entering(const struct csg__packing *p, double tolerance)
{
	double best = 0;
	int k = -1;

	for (int j = 0; j < p->k; j++)
		if (p->c[j] > tolerance && p->c[j] * p->c[j] > best * p->weight[j] &&
			!p->fixed[p->nonbasic[j]]) {
			best = p->c[j] * p->c[j] / p->weight[j];
			k = j;
		}
	return k;
}

/* The estimates after row r and column k have changed places, before they do. */
static void update_weights(struct csg__packing *p, int r, int k)
{
	const double *row = p->t + (size_t)r * (size_t)p->k;
	const double of_k = p->weight[k], scale = of_k / (row[k] * row[k]);

	for (int j = 0; j < p->k; j++)
		p->weight[j] = fmax(p->weight[j], row[j] * row[j] * scale);
	p->weight[k] = fmax(scale, 1);
}

/* Primal steps, from a feasible dictionary; true at the optimum. */
static bool primal(struct csg__packing *p, double tolerance, int most)
{
	for (int j = 0; j < p->k; j++)
		p->weight[j] = 1;
	while (most-- > 0 && !gpube__stopped(p->ctx)) {
		const int k = entering(p, tolerance), r = k < 0 ? -1 : leaving(p, k);

		if (r < 0)
			return k < 0;
		update_weights(p, r, k);
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
	while (most-- > 0 && !gpube__stopped(p->ctx)) {
		double best = INFINITY;
		bool up = false;
		int r = infeasible_row(p, &up), k = -1;
		const double *row;

		if (r < 0)
			return true;
		row = p->t + (size_t)r * (size_t)p->k;
		for (int j = 0; j < p->k; j++) {
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

	drop_columns(p);
	for (int j = 0; j < p->k; j++)
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
	for (int j = 0; j < p->k; j++)
		if (p->nonbasic[j] >= p->n && p->c[j] < 0)
			y[p->nonbasic[j] - p->n] = -p->c[j];
}
