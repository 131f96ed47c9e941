/* face_lp.c - see face_lp.h. */
#include "nash/eee/face_lp.h"

#include <math.h>
#include <string.h>

#include "nash/eee/face_rows.h"

#define ZERO  NASH_LP_ZERO_BELOW
#define PIVOT 1e-9 /* smallest pivot */

size_t nash__lp_bytes(const struct nash_side *m)
{
	size_t k = (size_t)m->k, l = (size_t)m->l;
	size_t bytes = l * (k + 1) * sizeof(double) + (k + l) * (sizeof(int32_t) + 1);

	return (bytes + 7) / 8 * 8;
}

void nash__lp_place(struct nash_lp *lp, const struct nash_side *m, void *bytes)
{
	size_t k = (size_t)m->k, l = (size_t)m->l;

	lp->d = bytes;
	lp->basic = (int32_t *)(void *)(lp->d + l * (k + 1));
	lp->nonbasic = lp->basic + l;
	lp->fixed = (unsigned char *)(lp->nonbasic + k);
}

void nash__lp_copy(struct nash_lp *to, const struct nash_lp *from, const struct nash_side *m)
{
	memcpy(to->d, from->d, nash__lp_bytes(m));
	to->live = from->live;
}

static double *row_of(const struct nash_lp *lp, const struct nash_side *m, int32_t r)
{
	return lp->d + (size_t)r * ((size_t)m->k + 1);
}

void nash__lp_init(struct nash_lp *lp, const struct nash_side *m)
{
	int32_t k = m->k, best = 0, r = 1;
	const double *b;
	double *d = lp->d;

	for (int32_t j = 1; j < m->l; j++)
		if (m->f[(size_t)j * k] > m->f[(size_t)best * k])
			best = j;
	b = m->f + (size_t)best * k;
	lp->live = k;
	memset(lp->fixed, 0, (size_t)k + (size_t)m->l);
	for (int32_t i = 1; i < k; i++)
		lp->nonbasic[i - 1] = i;
	lp->nonbasic[k - 1] = k + best;
	/* x_0 = 1 - the others; slack_j = C_best x + slack_best - C_j x */
	lp->basic[0] = 0;
	d[0] = 1;
	for (int32_t i = 1; i < k; i++)
		d[i] = -1;
	d[k] = 0;
	for (int32_t j = 0; j < m->l; j++) {
		const double *c = m->f + (size_t)j * k;

		if (j == best)
			continue;
		d = row_of(lp, m, r);
		lp->basic[r++] = k + j;
		d[0] = b[0] - c[0];
		for (int32_t i = 1; i < k; i++)
			d[i] = (b[i] - c[i]) - d[0];
		d[k] = 1;
	}
}

static void swap_columns(struct nash_lp *lp, const struct nash_side *m, int32_t a, int32_t b)
{
	int32_t var = lp->nonbasic[a];

	if (a == b)
		return;
	lp->nonbasic[a] = lp->nonbasic[b];
	lp->nonbasic[b] = var;
	for (int32_t r = 0; r < m->l; r++) {
		double *d = row_of(lp, m, r), t = d[a + 1];

		d[a + 1] = d[b + 1];
		d[b + 1] = t;
	}
}

void nash__lp_partition(struct nash_lp *lp, const struct nash_side *m)
{
	lp->live = m->k;
	for (int32_t c = m->k - 1; c >= 0; c--)
		if (lp->fixed[lp->nonbasic[c]])
			swap_columns(lp, m, c, --lp->live);
}

static void pivot(struct nash_lp *lp, const struct nash_side *m, int32_t row, int32_t col)
{
	int32_t n = m->k + 1, var = lp->basic[row];
	double *p = row_of(lp, m, row), inverse = 1 / p[col + 1];

	for (int32_t c = 0; c < n; c++)
		p[c] *= -inverse;
	p[col + 1] = inverse;
	for (int32_t r = 0; r < m->l; r++) {
		double *d = row_of(lp, m, r), f = d[col + 1];

		if (r == row || f == 0)
			continue;
		d[col + 1] = 0;
		nash__row_add(d, p, f, n);
		if (d[0] < 0 && d[0] > -ZERO)
			d[0] = 0;
	}
	lp->basic[row] = lp->nonbasic[col];
	lp->nonbasic[col] = var;
}

#define ACTIONS 64 /* looked at together */

/* The least g_i, see below, of so many actions from the first one on. */
static double least_of(
	const struct nash_lp *lp, const struct nash_side *m, int32_t row, int32_t first)
{
	const int32_t k = m->k, t = lp->basic[row], n = k - first < ACTIONS ? k - first : ACTIONS;
	const double *d = row_of(lp, m, row);
	double g[ACTIONS] = {0}, least = INFINITY;

	if (t >= first && t < first + n)
		g[t - first] = 1;
	if (t >= k)
		nash__row_add(g, m->f + (size_t)(t - k) * k + first, -1, n);
	for (int32_t c = 0; c < k; c++)
		if (lp->nonbasic[c] >= k && (c >= lp->live || d[c + 1] > 0))
			nash__row_add(
				g, m->f + (size_t)(lp->nonbasic[c] - k) * k + first, d[c + 1], n);
	for (int32_t i = 0; i < n; i++)
		if ((!lp->fixed[first + i] || first + i == t) && g[i] < least)
			least = g[i];
	return least;
}

/*
 * Proves with Farkas' multipliers that the variable of a row, t, is positive: for
 * multipliers y_j of the slacks s_j, >= 0 or of any sign where s_j is fixed to 0,
 *
 *     t >= t - sum_j y_j s_j = (coefficient of v) v + sum_i g_i x_i
 *
 * and the right-hand side is at least min g_i - |coefficient of v| where x is a
 * strategy and v, the best response's payoff, is in [0, 1] as at every
 * equilibrium. The multipliers are what the row proposes; the rest is computed
 * anew from the matrix, with a bound on all that rounding can have done: so the
 * proof holds however far the row had drifted.
 */
static bool proves_positive(const struct nash_lp *lp, const struct nash_side *m, int32_t row)
{
	int32_t k = m->k, t = lp->basic[row];
	const double *d = row_of(lp, m, row);
	double of_v = t >= k, total = 1, least = INFINITY, error;

	for (int32_t c = 0; c < k; c++)
		if (lp->nonbasic[c] >= k && (c >= lp->live || d[c + 1] > 0)) {
			of_v -= d[c + 1];
			total += fabs(d[c + 1]);
		}
	for (int32_t first = 0; first < k; first += ACTIONS) {
		const double l = least_of(lp, m, row, first);

		least = l < least ? l : least;
	}
	/* every term is below 'total', with a few roundings of 2^-53 and the entry's 2^-50 */
	error = (k + 16) * 0x1p-49 * total;
	return least - fabs(of_v) > error;
}

/* The column that makes a row smaller fastest; -1: none. */
static int32_t entering(const struct nash_lp *lp, const double *d)
{
	int32_t best = -1;
	double least = -ZERO;

	for (int32_t c = 0; c < lp->live; c++)
		if (d[c + 1] < least) {
			least = d[c + 1];
			best = c;
		}
	return best;
}

/* The row that leaves; the one that is minimised if it can. */
static int32_t leaving(
	const struct nash_lp *lp, const struct nash_side *m, int32_t row, int32_t col)
{
	const double *d = row_of(lp, m, row);
	int32_t best = row;
	double least = d[0] / -d[col + 1];

	for (int32_t r = 0; r < m->l; r++) {
		double *e = row_of(lp, m, r), step = -e[col + 1], ratio;

		if (r == row || step <= PIVOT)
			continue;
		ratio = e[0] > 0 ? e[0] / step : 0;
		if (ratio < least - 1e-12 ||
			(ratio < least && best != row && step > -row_of(lp, m, best)[col + 1])) {
			least = ratio;
			best = r;
		}
	}
	return best;
}

static void kill_column(struct nash_lp *lp, const struct nash_side *m, int32_t col)
{
	swap_columns(lp, m, col, --lp->live);
}

/* The row's value is 0: takes its variable out by any pivot, if there is one. */
static void drop(struct nash_lp *lp, const struct nash_side *m, int32_t row)
{
	const double *d = row_of(lp, m, row);
	int32_t best = -1;

	for (int32_t c = 0; c < lp->live; c++)
		if (fabs(d[c + 1]) > (best < 0 ? ZERO : fabs(d[best + 1])))
			best = c;
	if (best < 0)
		return;
	row_of(lp, m, row)[0] = 0;
	pivot(lp, m, row, best);
	kill_column(lp, m, best);
}

enum nash_lp_end nash__lp_fix(
	struct nash_lp *lp, const struct nash_side *m, int32_t var, int64_t *pivots)
{
	int32_t row = -1, most = 20 * (m->k + m->l);

	lp->fixed[var] = 1;
	for (int32_t c = 0; c < lp->live; c++)
		if (lp->nonbasic[c] == var) {
			kill_column(lp, m, c);
			return NASH_LP_ZERO;
		}
	for (int32_t r = 0; r < m->l; r++)
		if (lp->basic[r] == var)
			row = r;
	for (int32_t n = 0; n < most; n++) {
		double *d = row_of(lp, m, row);
		int32_t col = entering(lp, d), out;

		if (col < 0) {
			if (d[0] > ZERO)
				return proves_positive(lp, m, row) ? NASH_LP_EMPTY : NASH_LP_UNSURE;
			drop(lp, m, row);
			return NASH_LP_ZERO;
		}
		++*pivots;
		out = leaving(lp, m, row, col);
		pivot(lp, m, out, col);
		if (out == row) {
			kill_column(lp, m, col);
			return NASH_LP_ZERO;
		}
	}
	return NASH_LP_UNSURE;
}

static struct nash_place place_of(const struct nash_lp *lp, const double *d, int32_t var)
{
	double most;
	const double down = nash__row_down(d + 1, lp->live, d[0], &most);

	return (struct nash_place){
		.zero = most <= ZERO || lp->fixed[var],
		.far = d[0] <= ZERO ? 0
		       : down > 0   ? d[0] / down
				    : INFINITY,
	};
}

void nash__lp_places(
	const struct nash_lp *lp, const struct nash_side *m, struct nash_place *of_label)
{
	for (int32_t c = 0; c < m->k; c++)
		of_label[nash__label(m, lp->nonbasic[c])] =
			(struct nash_place){.zero = c >= lp->live};
	for (int32_t r = 0; r < m->l; r++)
		of_label[nash__label(m, lp->basic[r])] =
			place_of(lp, row_of(lp, m, r), lp->basic[r]);
}
