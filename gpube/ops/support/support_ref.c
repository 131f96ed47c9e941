/* support_ref.c - the specification of the support scan, and what its backends share. */
#include "gpube/ops/support/support_sets.h"

#include <math.h>

/* ---- sets ------------------------------------------------------------------------------- */

void gpube__support_better(uint64_t *better, const double *c, int k, int l)
{
	for (int b = 0; b < l; b++)
		for (int a = 0; a < l; a++) {
			uint64_t set = 0;

			for (int i = 0; i < k; i++)
				set |= (uint64_t)(c[a * k + i] > c[b * k + i]) << i;
			better[b * l + a] = set;
		}
}

/* What the threads that list sets share. */
struct listing {
	struct gpube_support_sets *out;
	const uint64_t *better;
	uint64_t all;
	int k, l, q;
	bool dominance;
};

#define SETS_OF_ITEM 1024 /* sets that a thread lists at a time */

static void list_sets(void *arg, int64_t item, int thread)
{
	const struct listing *g = arg;
	const int64_t from = item * SETS_OF_ITEM, left = g->out->n - from;
	const int64_t n = left < SETS_OF_ITEM ? left : SETS_OF_ITEM;
	uint64_t set = gpube__set_number(from, g->k, g->q);

	(void)thread;
	for (int64_t i = from; i < from + n; i++) {
		GPUBE_KNOWN(set != 0); /* sets have at least one action */
		g->out->mask[i] = set;
		g->out->good[i] = g->dominance ? gpube__undominated(g->better, g->l, set) : g->all;
		set = gpube__set_after(set);
	}
}

int gpube__support_sets(struct gpube_support_sets *out, struct gpube_ctx *ctx,
	const struct gpube_support_scan *s, int side)
{
	const int k = side ? s->l : s->k, l = side ? s->k : s->l;
	uint64_t better[GPUBE_SUPPORT_ACTIONS * GPUBE_SUPPORT_ACTIONS];
	struct listing g = {
		.out = out,
		.better = better,
		.all = l == 64 ? ~(uint64_t)0 : ((uint64_t)1 << l) - 1,
		.k = k,
		.l = l,
		.q = s->q,
		.dominance = s->dominance,
	};

	*out = (struct gpube_support_sets){.n = gpube__choose(k, s->q)};
	if (out->n > INT32_MAX)
		return gpube__fail(ctx, GPUBE_ERANGE,
			"more than 2^31 supports of %d out of %d actions", s->q, k);
	out->mask = gpube__alloc(ctx, (uint64_t)out->n, sizeof(*out->mask));
	out->good = gpube__alloc(ctx, (uint64_t)out->n, sizeof(*out->good));
	if (!out->mask || !out->good) {
		gpube__support_sets_clear(out, ctx);
		return GPUBE_ENOMEM;
	}
	gpube__support_better(better, s->c[side], k, l);
	gpube__parallel(ctx, (out->n + SETS_OF_ITEM - 1) / SETS_OF_ITEM, list_sets, &g);
	return GPUBE_OK;
}

void gpube__support_sets_clear(struct gpube_support_sets *sets, struct gpube_ctx *ctx)
{
	gpube__free(ctx, sets->mask);
	gpube__free(ctx, sets->good);
	*sets = (struct gpube_support_sets){0};
}

int gpube__support_add(
	struct gpube_ctx *ctx, struct gpube_support_scan *s, const struct gpube_support_pair *pair)
{
	if (pair->answer == GPUBE_SUPPORT_UNSURE && s->n_unsure++ >= s->most_unsure)
		return GPUBE_OK;
	if (gpube__grow(ctx, &s->found, &s->capacity, s->n_found + 1, sizeof(*s->found)))
		return GPUBE_ENOMEM;
	s->found[s->n_found++] = *pair;
	return GPUBE_OK;
}

/* ---- the specification -------------------------------------------------------------------- */

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
