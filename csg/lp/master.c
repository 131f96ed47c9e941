/* master.c - see master.h. */
#include "csg/lp/master.h"

#include <math.h>
#include <string.h>

#define MOST_PIVOTS 5000 /* of one call */

int csg__master_add(struct csg__master *m, uint64_t mask, double value)
{
	int64_t capacity = m->capacity;

	if (gpube__grow(m->ctx, &m->mask, &capacity, m->n_columns + 1, sizeof(*m->mask)) ||
		gpube__grow(m->ctx, &m->value, &m->capacity, m->n_columns + 1, sizeof(*m->value)))
		return GPUBE_ENOMEM;
	m->mask[m->n_columns] = mask;
	m->value[m->n_columns++] = value;
	return GPUBE_OK;
}

int csg__master_init(
	struct csg__master *m, struct gpube_ctx *ctx, int n, const double *alone, double scale)
{
	struct gpube_rng rng;

	memset(m, 0, sizeof(*m));
	m->ctx = ctx;
	m->n = n;
	m->tolerance = scale * 1e-12;
	gpube__rng_init(&rng, 1);
	for (int i = 0; i < n; i++) {
		if (csg__master_add(m, (uint64_t)1 << i, alone[i]))
			return GPUBE_ENOMEM;
		m->right[i] = 1 + 1e-5 * (1 + gpube__rng_unit(&rng));
		m->basis[i] = i;
	}
	return GPUBE_OK;
}

void csg__master_clear(struct csg__master *m)
{
	GPUBE_FREE_ALL(m->ctx, m->mask, m->value);
	memset(m, 0, sizeof(*m));
}

void csg__weight_tables(double t[][256], const double *w, int n)
{
	for (int k = 0; 8 * k < n; k++) {
		t[k][0] = 0;
		for (int s = 1; s < 256; s++) {
			const int i = 8 * k + __builtin_ctz((unsigned)s);

			t[k][s] = t[k][s & (s - 1)] + (i < n ? w[i] : 0);
		}
	}
}

/* Makes the basis the identity by row operations; 'inverse' is what they make of the identity. */
static bool invert(struct csg__master *m)
{
	double a[GPUBE_MAX_AGENTS][GPUBE_MAX_AGENTS];
	const int n = m->n;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			a[i][j] = m->mask[m->basis[j]] >> i & 1;
			m->inverse[i][j] = i == j;
		}
	for (int p = 0; p < n; p++) {
		int best = p;

		for (int i = p + 1; i < n; i++)
			if (fabs(a[i][p]) > fabs(a[best][p]))
				best = i;
		if (fabs(a[best][p]) < 1e-9)
			return false;
		for (int j = 0; j < n; j++) {
			double t = a[p][j], u = m->inverse[p][j];

			a[p][j] = a[best][j];
			a[best][j] = t;
			m->inverse[p][j] = m->inverse[best][j];
			m->inverse[best][j] = u;
		}
		for (int i = 0; i < n; i++) {
			const double f = (i == p ? a[p][p] - 1 : a[i][p]) / a[p][p];

			if (f == 0)
				continue;
			for (int j = 0; j < n; j++) {
				a[i][j] -= f * a[p][j];
				m->inverse[i][j] -= f * m->inverse[p][j];
			}
		}
	}
	for (int i = 0; i < n; i++) {
		m->x[i] = 0;
		for (int j = 0; j < n; j++)
			m->x[i] += m->inverse[i][j] * m->right[j];
	}
	return true;
}

static void find_duals(struct csg__master *m)
{
	for (int j = 0; j < m->n; j++)
		m->w[j] = 0;
	for (int i = 0; i < m->n; i++)
		for (int j = 0; j < m->n; j++)
			m->w[j] += m->value[m->basis[i]] * m->inverse[i][j];
}

/* The column that gains most for its length; -1: none gains. */
static int64_t price(const struct csg__master *m)
{
	double t[(GPUBE_MAX_AGENTS + 7) / 8][256], best = 0;
	int64_t at = -1;

	csg__weight_tables(t, m->w, m->n);
	for (int64_t c = 0; c < m->n_columns; c++) {
		const double gain = m->value[c] - csg__weight(t, m->mask[c]);

		if (gain > m->tolerance && gain * gain > best * __builtin_popcountll(m->mask[c])) {
			best = gain * gain / __builtin_popcountll(m->mask[c]);
			at = c;
		}
	}
	return at;
}

/* Column c enters the basis; false if none leaves. */
static bool pivot(struct csg__master *m, int64_t c)
{
	const int n = m->n;
	double u[GPUBE_MAX_AGENTS], least = INFINITY;
	int out = -1;

	for (int i = 0; i < n; i++) {
		u[i] = 0;
		for (uint64_t s = m->mask[c]; s; s &= s - 1)
			u[i] += m->inverse[i][__builtin_ctzll(s)];
		if (u[i] > 1e-9 && m->x[i] < least * u[i]) {
			least = m->x[i] / u[i];
			out = i;
		}
	}
	if (out < 0)
		return false;
	least = least > 0 ? least : 0;
	for (int i = 0; i < n; i++) {
		const double f = i == out ? (u[out] - 1) / u[out] : u[i] / u[out];

		if (i != out)
			m->x[i] -= least * u[i];
		if (f != 0 && i != out)
			for (int j = 0; j < n; j++)
				m->inverse[i][j] -= f * m->inverse[out][j];
	}
	for (int j = 0; j < n; j++)
		m->inverse[out][j] /= u[out];
	m->x[out] = least;
	m->basis[out] = c;
	m->n_pivots++;
	return true;
}

bool csg__master_solve(struct csg__master *m)
{
	int64_t c;

	for (int k = 0; k < MOST_PIVOTS; k++) {
		if (k % 100 == 0 && !invert(m))
			return false;
		find_duals(m);
		c = price(m);
		if (c < 0)
			return true;
		if (!pivot(m, c))
			return false;
	}
	return false;
}
