/*
 * dfs_still.c - whether a search tree's function has anything to force: see dfs.h.
 *
 * It has not where each value has company that costs nothing: values of the function's other
 * variables. Most company is still there when it is asked for again; so it is kept, and another is
 * searched for where it is not. What is kept may be of any node, since it is always looked at, and
 * nothing has to be taken back.
 *
 * Designs weighed. (1) To move all costs in, to find the least, and to move them back: mostly
 * nothing is forced. (2) Lists of what each value keeps company, so that only lost company is
 * looked at: costs that change end it as well, and most functions have few values.
 *
 * Source: Bessiere et al., AI 165, 2005 (supports that are kept); Larrosa and Schiex, AI 159, 2004
 *         (of costs).
 */
#include "gpube/relax/dfs_parts.h"

/* Of k's value, or, behind all values, of the one that is known as free. */
static int32_t *company_of(const struct gpube_dfs_function *f, int k, int32_t row)
{
	return f->company[k] + (int64_t)row * f->arity;
}

/*
 * Whether k's value costs nothing with these values of the others, whose costs count where 'priced'
 * has their bit.
 */
static bool is_company(const struct gpube_dfs *t, const struct gpube_dfs_function *f, int k,
	int32_t value, const int32_t *with, uint32_t priced)
{
	int64_t cell = f->stride[k] * value, sum = -f->moved[k][value];

	for (int j = 0; j < f->arity; j++) {
		const int32_t a = with[j];
		const int64_t cost = t->cost[f->scope[j]][a];

		if (j == k)
			continue;
		if (cost >= GPUBE__ROW_GONE)
			return false;
		cell += f->stride[j] * a;
		sum += (priced >> j & 1 ? cost : 0) - f->moved[j][a];
	}
	return f->t[cell] + sum <= 0;
}

/* Any that is live. */
static bool find_company(const struct gpube_dfs *t, const struct gpube_dfs_function *f, int k,
	int32_t value, int32_t *with, uint32_t priced)
{
	int64_t cell[GPUBE__DFS_ARITY + 1], sum[GPUBE__DFS_ARITY + 1];
	int32_t index[GPUBE__DFS_ARITY] = {0};
	int other[GPUBE__DFS_ARITY], n = 0, d = 0;

	for (int j = 0; j < f->arity; j++)
		if (j != k)
			other[n++] = j;
	cell[0] = f->stride[k] * value;
	sum[0] = -f->moved[k][value];
	do {
		for (; d < n; d++) {
			const int j = other[d];
			const int32_t q = f->scope[j], a = t->live[q][index[d]];

			with[j] = a;
			cell[d + 1] = cell[d] + f->stride[j] * a;
			sum[d + 1] =
				sum[d] + (priced >> j & 1 ? t->cost[q][a] : 0) - f->moved[j][a];
		}
		if (f->t[cell[n]] + sum[n] <= 0)
			return true;
		for (d = n - 1; d >= 0 && ++index[d] == t->n_live[f->scope[other[d]]]; d--)
			index[d] = 0;
	} while (d >= 0);
	return false;
}

/* What f costs with k's value a, by the other variable's value: of two variables. */
struct row {
	const int32_t *narrow;
	const int64_t *wide;
};

static struct row row_of(const struct gpube_dfs_function *f, int k, int32_t a)
{
	const int64_t at = (int64_t)f->width[1 - k] * a;

	if (f->narrow[1 - k])
		return (struct row){.narrow = f->narrow[1 - k] + at};
	return (struct row){.wide = (k ? f->turned : f->t) + at};
}

static int64_t in_row(struct row row, int32_t b)
{
	return row.narrow ? row.narrow[b] : row.wide[b];
}

/* The same of functions of two variables, which most are; c: what was known the last time. */
static bool find_company_in_pair(const struct gpube_dfs *t, const struct gpube_dfs_function *f,
	int k, int32_t a, struct gpube_dfs_company *c, bool priced)
{
	const int32_t q = f->scope[1 - k], *live = t->live[q];
	const int64_t *cost = t->cost[q], *moved = f->moved[1 - k], own = f->moved[k][a];
	const struct row row = row_of(f, k, a);

	for (int32_t r = 0; r < t->n_live[q]; r++) {
		const int64_t cell = in_row(row, live[r]);

		if (cell - moved[live[r]] + (priced ? cost[live[r]] : 0) <= own) {
			*c = (struct gpube_dfs_company){.cost = cell, .of = a, .with = live[r]};
			return true;
		}
	}
	return false;
}

static inline bool has_company_in_pair(const struct gpube_dfs *t,
	const struct gpube_dfs_function *f, int k, int32_t a, struct gpube_dfs_company *c,
	bool priced)
{
	const int64_t *cost = t->cost[f->scope[1 - k]];

	return (c->of == a && cost[c->with] < GPUBE__ROW_GONE &&
		       c->cost - f->moved[1 - k][c->with] + (priced ? cost[c->with] : 0) <=
			       f->moved[k][a]) ||
	       find_company_in_pair(t, f, k, a, c, priced);
}

/* row: where it is kept, of k's values or behind them. */
static bool has_company(const struct gpube_dfs *t, const struct gpube_dfs_function *f, int k,
	int32_t value, int32_t row, uint32_t priced)
{
	int32_t *with;

	if (f->arity == 2)
		return has_company_in_pair(
			t, f, k, value, &f->paired[k][row], priced >> (1 - k) & 1);
	with = company_of(f, k, row);
	return is_company(t, f, k, value, with, priced) ||
	       find_company(t, f, k, value, with, priced);
}

bool gpube__dfs_is_still(
	const struct gpube_dfs *t, const struct gpube_dfs_function *f, int32_t p, int first)
{
	for (int k = first; k < f->arity; k++) {
		const int32_t q = f->scope[k], *live = t->live[q];
		/* of all others, or of those between the first one and k */
		const uint32_t priced =
			k == first ? UINT32_MAX : ((uint32_t)1 << k) - ((uint32_t)2 << first);

		if (q == p || t->n_live[q] == 1)
			continue;
		for (int32_t r = 0; r < t->n_live[q]; r++)
			if (!has_company(t, f, k, live[r], live[r], priced))
				return false;
	}
	return true;
}

bool gpube__dfs_is_free(const struct gpube_dfs *t, const struct gpube_dfs_function *f, int k)
{
	const int32_t p = f->scope[k], behind = t->m->vars[t->order[p]].domain;

	return gpube__dfs_waits(t, f) || has_company(t, f, k, t->free[p], behind, UINT32_MAX);
}
