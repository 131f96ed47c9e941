/* support_ref.c - the specification of the support scan. See reference.h. */
#include "tests/support/reference/reference.h"

#include <math.h>

/* Solves an n x n system in rows of n + 1 by elimination with full pivoting; false: singular. */
static bool solve(double *a, int n, double *x)
{
	int column[GPUBE_SUPPORT_ACTIONS + 1];

	for (int c = 0; c < n; c++)
		column[c] = c;
	for (int p = 0; p < n; p++) {
		int row = p, col = p;

		for (int r = p; r < n; r++)
			for (int c = p; c < n; c++)
				if (fabs(a[r * (n + 1) + c]) > fabs(a[row * (n + 1) + col])) {
					row = r;
					col = c;
				}
		if (fabs(a[row * (n + 1) + col]) < GPUBE_SUPPORT_SINGULAR)
			return false;
		for (int c = 0; c <= n; c++) {
			const double t = a[p * (n + 1) + c];

			a[p * (n + 1) + c] = a[row * (n + 1) + c];
			a[row * (n + 1) + c] = t;
		}
		for (int r = 0; r < n; r++) {
			const double t = a[r * (n + 1) + p];

			a[r * (n + 1) + p] = a[r * (n + 1) + col];
			a[r * (n + 1) + col] = t;
		}
		row = column[p];
		column[p] = column[col];
		column[col] = row;
		for (int r = 0; r < n; r++) {
			const double f = r == p ? 0 : a[r * (n + 1) + p] / a[p * (n + 1) + p];

			for (int c = p; c <= n; c++)
				a[r * (n + 1) + c] -= f * a[p * (n + 1) + c];
		}
	}
	for (int p = 0; p < n; p++)
		x[column[p]] = a[p * (n + 1) + n] / a[p * (n + 1) + p];
	return true;
}

enum gpube_support_answer gpube__support_side_reference(
	const double *c, int k, int l, uint64_t own, uint64_t other)
{
	enum { MOST = GPUBE_SUPPORT_ACTIONS + 1 };
	double a[MOST * (MOST + 1)], x[MOST] = {0};
	const int q = __builtin_popcountll(own), n = q + 1;
	int row = 0, i;

	/* c_j x - v = 0 for j in the other support; the sum of x is 1 */
	for (uint64_t t = other; t; t &= t - 1, row++) {
		i = 0;
		for (uint64_t s = own; s; s &= s - 1)
			a[row * (n + 1) + i++] = c[__builtin_ctzll(t) * k + __builtin_ctzll(s)];
		a[row * (n + 1) + q] = -1;
		a[row * (n + 1) + n] = 0;
	}
	for (i = 0; i <= n; i++)
		a[q * (n + 1) + i] = i != q;
	if (!solve(a, n, x))
		return GPUBE_SUPPORT_UNSURE;
	for (i = 0; i < q; i++)
		if (x[i] < -1e-9)
			return GPUBE_SUPPORT_NO;
	for (int j = 0; j < l; j++) {
		double v = 0;

		i = 0;
		for (uint64_t s = own; s; s &= s - 1)
			v += c[j * k + __builtin_ctzll(s)] * x[i++];
		if (v > x[q] + 1e-9)
			return GPUBE_SUPPORT_NO;
	}
	return GPUBE_SUPPORT_YES;
}

int gpube__support_reference(struct gpube_ctx *ctx, struct gpube_support_scan *s)
{
	struct gpube_support_sets x, y;
	int status = gpube__support_sets(&x, ctx, s, 0);

	if (status)
		return status;
	status = gpube__support_sets(&y, ctx, s, 1);
	for (int64_t n = 0; !status && n < x.n * y.n; n++) {
		struct gpube_support_pair pair = {.x = x.mask[n / y.n], .y = y.mask[n % y.n]};
		enum gpube_support_answer second;

		if (n % s->shares != s->share)
			continue;
		s->n_pairs++;
		pair.answer = gpube__support_side_reference(s->c[0], s->k, s->l, pair.x, pair.y);
		second = gpube__support_side_reference(s->c[1], s->l, s->k, pair.y, pair.x);
		if (pair.answer == GPUBE_SUPPORT_NO || second == GPUBE_SUPPORT_NO)
			continue;
		pair.answer = second > pair.answer ? second : pair.answer;
		status = gpube__support_add(ctx, s, &pair);
	}
	gpube__support_sets_clear(&x, ctx);
	gpube__support_sets_clear(&y, ctx);
	return status;
}
