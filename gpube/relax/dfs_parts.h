/*
 * dfs_parts.h - a search tree's loops over the live values of a variable: by vectors, in its
 * window, or one by one where the domain is small.
 */
#ifndef GPUBE_DFS_PARTS_H
#define GPUBE_DFS_PARTS_H

#include "gpube/relax/dfs.h"

static inline bool gpube__row_is_small(const struct gpube_dfs *t, int32_t p)
{
	return t->window[p].n < GPUBE__ROW_STEP;
}

/* Weights are read while other threads learn. */
static inline int64_t gpube__dfs_conflicts(const struct gpube_dfs *t, int32_t f)
{
	return __atomic_load_n(&t->weights[f], __ATOMIC_RELAXED);
}

static inline int64_t gpube__dfs_slack(const struct gpube_dfs *t)
{
	return t->cutoff - t->constant;
}

/*
 * Of entry i of an open variable's functions: whether it is of that variable alone now, which has
 * got all that it costs. Many are, and are not looked at: most of the time is spent in waiting for
 * memory.
 */
static inline bool gpube__dfs_is_over(const struct gpube_dfs *t, int32_t i)
{
	return t->other[i] >= 0 && t->n_live[t->other[i]] == 1;
}

/*
 * A function of more variables waits until its live cells are so few: before that, a look at all of
 * them takes longer than what they force is worth. It keeps its costs meanwhile, so that bounds are
 * lower and no less true.
 */
enum { GPUBE__DFS_FEW_VARIABLES = 8, GPUBE__DFS_WIDE_CELLS = 1 << 8 };

static inline bool gpube__dfs_waits(const struct gpube_dfs *t, const struct gpube_dfs_function *f)
{
	int64_t cells = 1;

	for (int k = 0; k < f->arity && f->arity > GPUBE__DFS_FEW_VARIABLES; k++) {
		cells *= t->n_live[f->scope[k]];
		if (cells > GPUBE__DFS_WIDE_CELLS)
			return true;
	}
	return false;
}

/*
 * gpube__dfs_is_still() - whether f, of two variables at least, can force nothing on any but p,
 * which has changed, when the costs of all but its variable 'first', the first open one, go into it
 * and come back, the last one's first: it would be left as it is.
 * gpube__dfs_is_free() - whether the free value of its variable k costs f nothing, with what the
 * others' values cost.
 */
bool gpube__dfs_is_still(
	const struct gpube_dfs *t, const struct gpube_dfs_function *f, int32_t p, int first);
bool gpube__dfs_is_free(const struct gpube_dfs *t, const struct gpube_dfs_function *f, int k);

/* Makes the window of p no wider than what is live of it. */
void gpube__dfs_narrow(struct gpube_dfs *t, int32_t p);

/* The least and the most that p costs. */
static inline void gpube__row_range(
	const struct gpube_dfs *t, int32_t p, int64_t *least, int64_t *most)
{
	const int64_t *cost = t->cost[p];
	const int32_t *live = t->live[p];

	if (!gpube__row_is_small(t, p)) {
		t->kernels->range(cost + t->window[p].from, t->window[p].n, least, most);
		return;
	}
	*least = *most = cost[live[0]];
	for (int32_t r = 1; r < t->n_live[p]; r++) {
		const int64_t c = cost[live[r]];

		*least = c < *least ? c : *least;
		*most = c > *most ? c : *most;
	}
}

static inline void gpube__row_lower(struct gpube_dfs *t, int32_t p, int64_t less)
{
	const int32_t *live = t->live[p];

	if (!gpube__row_is_small(t, p))
		t->kernels->lower(t->cost[p] + t->window[p].from, t->window[p].n, less);
	else
		for (int32_t r = 0; r < t->n_live[p]; r++)
			t->cost[p][live[r]] -= less;
}

/*
 * Of what a function costs at least with p's values: what it has not moved to them yet. Returns the
 * most.
 */
static inline int64_t gpube__row_lacking(
	const struct gpube_dfs *t, int32_t p, const int64_t *moved, int64_t *m)
{
	const int32_t *live = t->live[p], from = t->window[p].from;
	int64_t most = 0;

	if (!gpube__row_is_small(t, p))
		return t->kernels->lacking(
			m + from, t->cost[p] + from, moved + from, t->window[p].n);
	for (int32_t r = 0; r < t->n_live[p]; r++) {
		const int32_t a = live[r];

		m[a] = m[a] > GPUBE__ROW_OUT_OF_REACH ? GPUBE__ROW_FORBIDDEN : m[a] - moved[a];
		most = m[a] > most ? m[a] : most;
	}
	return most;
}

/* So much of m is moved to p's values as they lack to 'up_to'. Returns whether anything was. */
static inline bool gpube__row_rise(
	struct gpube_dfs *t, int32_t p, int64_t *moved, const int64_t *m, int64_t up_to)
{
	const int32_t *live = t->live[p], from = t->window[p].from;
	int64_t *cost = t->cost[p];
	bool any = false;

	if (!gpube__row_is_small(t, p))
		return t->kernels->rise(
			cost + from, moved + from, m + from, t->window[p].n, up_to, t->most_moved);
	for (int32_t r = 0; r < t->n_live[p]; r++) {
		const int32_t a = live[r];
		const int64_t more = m[a] < up_to - cost[a] ? m[a] : up_to - cost[a];

		if (more > 0 && moved[a] + more < t->most_moved) {
			moved[a] += more;
			cost[a] += more;
			any = true;
		}
	}
	return any;
}

/* One of 'parts' parts of 'costs' of p is moved back. */
static inline void gpube__row_fall(
	struct gpube_dfs *t, int32_t p, int64_t *moved, const int64_t *costs, int32_t parts)
{
	const int32_t *live = t->live[p], from = t->window[p].from;
	int64_t *cost = t->cost[p];

	if (parts == 1 && costs == cost && !gpube__row_is_small(t, p)) {
		t->kernels->fall(cost + from, moved + from, t->window[p].n, t->most_moved);
		return;
	}
	for (int32_t r = 0; r < t->n_live[p]; r++) {
		const int32_t a = live[r];
		const int64_t less = parts == 1 ? costs[a] : costs[a] / parts;

		if (less > 0 && moved[a] - less > -t->most_moved) {
			moved[a] -= less;
			cost[a] -= less;
		}
	}
}

/* Whether any of p's values costs more than it did. */
static inline bool gpube__row_is_more(const struct gpube_dfs *t, int32_t p, const int64_t *was)
{
	const int32_t *live = t->live[p], from = t->window[p].from;

	if (!gpube__row_is_small(t, p))
		return t->kernels->is_more(t->cost[p] + from, was + from, t->window[p].n);
	for (int32_t r = 0; r < t->n_live[p]; r++)
		if (t->cost[p][live[r]] > was[live[r]])
			return true;
	return false;
}

#endif
