/*
 * dfs_forced.c - what a search tree's functions force on the values of their variables: see dfs.h.
 */
#include "gpube/relax/dfs_parts.h"

/* Work: what a call takes by itself, and cells that vectors do in a tick. */
enum { CALL_TICKS = 50, VECTOR_CELLS = 4 };

static int32_t domain_of(const struct gpube_dfs *t, int32_t p)
{
	return t->m->vars[t->order[p]].domain;
}

/*
 * Of a function of two variables: rows of the other's values, by vectors, in p's window.
 * (Values that are halved stay together; the least along a row would be as many operations again.)
 */
static void forced_by_pair(
	struct gpube_dfs *t, const struct gpube_dfs_function *f, int k, int64_t *m, bool with_costs)
{
	const int32_t p = f->scope[k], q = f->scope[1 - k], *others = t->live[q];
	const int64_t *less = f->moved[1 - k], *cells = k ? f->t : f->turned;
	const struct gpube_dfs_window w = t->window[p];

	t->ticks += CALL_TICKS + (int64_t)w.n * t->n_live[q] / VECTOR_CELLS;
	for (int32_t r = 0; r < t->n_live[q] && with_costs; r++) {
		const int64_t cost = t->cost[q][others[r]];

		t->taken[others[r]] =
			less[others[r]] - (cost < t->most_moved ? cost : t->most_moved);
	}
	if (f->narrow[k])
		t->kernels->least_in_narrow(m + w.from, f->narrow[k] + w.from,
			gpube__row_cells(domain_of(t, p)), w.n, others, t->n_live[q],
			with_costs ? t->taken : less);
	else
		t->kernels->least_in_columns(m + w.from, cells + w.from,
			k ? f->stride[0] : domain_of(t, p), w.n, others, t->n_live[q],
			with_costs ? t->taken : less);
}

/*
 * The others of f's variables but k, in two groups: of the last ones, few values together, all
 * choices are listed, with where a choice leads in the table and what was moved there; the first
 * n_first are left for a count of their own.
 */
static int32_t list_choices(const struct gpube_dfs *t, const struct gpube_dfs_function *f,
	const int *other, int n, bool with_costs, int *n_first)
{
	int64_t *cell = t->choices, *taken = cell + t->n_choices;
	int32_t count = 1;

	cell[0] = taken[0] = 0;
	for (*n_first = n; *n_first > 0; --*n_first) {
		const int j = other[*n_first - 1];
		const int32_t q = f->scope[j], n_live = t->n_live[q], *live = t->live[q];
		const int64_t *moved = f->moved[j], *cost = t->cost[q], stride = f->stride[j];

		if (n_live > t->n_choices / count)
			break;
		/*
		 * from the last value down: what is listed so far is the first value's, and is read
		 * by the others
		 */
		for (int32_t r = n_live - 1; r >= 0; r--) {
			const int32_t a = live[r];
			const int64_t more = moved[a] - (with_costs ? cost[a] : 0),
				      along = stride * a;
			int64_t *to_cell = cell + r * count, *to_taken = taken + r * count;

			for (int32_t i = 0; i < count; i++) {
				to_cell[i] = cell[i] + along;
				to_taken[i] = taken[i] + more;
			}
		}
		count *= n_live;
	}
	return count;
}

/* The least of row[cell[i]] - taken[i]; far above a cost if all are forbidden. */
static int64_t least_of(const int64_t *row, const int64_t *cell, const int64_t *taken, int32_t n)
{
	int64_t least = INT64_MAX;

	for (int32_t i = 0; i < n; i++) {
		const int64_t v = row[cell[i]] - taken[i];

		least = v < least ? v : least;
	}
	return least;
}

static void forced_by_several(
	struct gpube_dfs *t, const struct gpube_dfs_function *f, int k, int64_t *m, bool with_costs)
{
	const int32_t *live = t->live[f->scope[k]], n_live = t->n_live[f->scope[k]];
	const int64_t stride = f->stride[k];
	int64_t cell[GPUBE__DFS_ARITY] = {0}, taken[GPUBE__DFS_ARITY] = {0};
	int32_t index[GPUBE__DFS_ARITY] = {0}, count;
	int other[GPUBE__DFS_ARITY], n = 0, d = 0;

	for (int j = 0; j < f->arity; j++)
		if (j != k)
			other[n++] = j;
	count = list_choices(t, f, other, n, with_costs, &n);
	for (int32_t a = t->window[f->scope[k]].from;
		a < t->window[f->scope[k]].from + t->window[f->scope[k]].n; a++)
		m[a] = GPUBE__ROW_FORBIDDEN;
	do {
		t->ticks += CALL_TICKS + (int64_t)n_live * count;
		for (; d < n; d++) {
			int32_t value = t->live[f->scope[other[d]]][index[d]];

			cell[d + 1] = cell[d] + f->stride[other[d]] * value;
			taken[d + 1] = taken[d] + f->moved[other[d]][value] -
				       (with_costs ? t->cost[f->scope[other[d]]][value] : 0);
		}
		for (int32_t r = 0; r < n_live; r++) {
			const int64_t *row = f->t + cell[n] + stride * live[r],
				      v = least_of(row, t->choices, t->choices + t->n_choices,
						  count) -
					  taken[n];

			m[live[r]] = v < m[live[r]] ? v : m[live[r]];
		}
		for (d = n - 1; d >= 0 && ++index[d] == t->n_live[f->scope[other[d]]]; d--)
			index[d] = 0;
	} while (d >= 0);
}

void gpube__dfs_forced(
	struct gpube_dfs *t, const struct gpube_dfs_function *f, int k, int64_t *m, bool with_costs)
{
	if (f->turned || f->narrow[k & 1])
		forced_by_pair(t, f, k, m, with_costs);
	else
		forced_by_several(t, f, k, m, with_costs);
}

void gpube__dfs_marginals(struct gpube_dfs *t, int32_t p, int64_t *sum)
{
	const int32_t *live = t->live[p];
	const int64_t most = gpube__dfs_slack(t);

	for (int32_t r = 0; r < t->n_live[p]; r++)
		sum[r] = t->cost[p][live[r]];
	for (int32_t i = t->of_at[p]; i < t->of_at[p + 1]; i++) {
		const struct gpube_dfs_function *f = &t->functions[t->of[i] / GPUBE__DFS_ARITY];
		const int k = t->of[i] % GPUBE__DFS_ARITY;
		int64_t *m = t->scratch;

		if (gpube__dfs_is_over(t, i) || gpube__dfs_waits(t, f))
			continue;
		gpube__dfs_forced(t, f, k, m, true);
		(void)gpube__row_lacking(t, p, f->moved[k], m);
		for (int32_t r = 0; r < t->n_live[p]; r++)
			sum[r] += m[live[r]] < most ? m[live[r]] : most;
	}
}
