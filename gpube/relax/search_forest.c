/* search_forest.c - many variables of an assignment at once: see search.h. */
#include "gpube/relax/search.h"

#include <string.h>

/* Work: a function of a variable that is looked at; a cell of one between two of the forest. */
enum { LOOK_TICKS = 20, CELL_TICKS = 2 };

/* What a variable is: not met yet, in the queue, of the forest, or for good not of it. */
enum { UNMET, MET, OF_FOREST, LEFT_OUT };

void gpube__search_forest_clear(struct gpube_search *s)
{
	struct gpube_search_forest *w = &s->forest;

	GPUBE_FREE_ALL(s->ctx, w->order, w->queue, w->vars, w->parent, w->is, w->sum, w->row);
}

int gpube__search_forest_init(struct gpube_search *s)
{
	struct gpube_search_forest *w = &s->forest;
	const uint64_t n = (uint64_t)s->m->n_vars;
	int32_t largest = 1;

	for (uint64_t i = 0; i < n; i++)
		largest = s->m->vars[i].domain > largest ? s->m->vars[i].domain : largest;
	w->row = gpube__alloc(s->ctx, (uint64_t)largest, sizeof(*w->row));
	w->order = gpube__alloc(s->ctx, n + 1, sizeof(*w->order));
	w->queue = gpube__alloc(s->ctx, n + 1, sizeof(*w->queue));
	w->vars = gpube__alloc(s->ctx, n + 1, sizeof(*w->vars));
	w->parent = gpube__alloc(s->ctx, n + 1, sizeof(*w->parent));
	w->is = gpube__alloc(s->ctx, n + 1, sizeof(*w->is));
	w->sum = gpube__alloc(s->ctx, (uint64_t)s->at[n] + 1, sizeof(*w->sum));
	for (int32_t i = 0; w->order && i < s->m->n_vars; i++)
		w->order[i] = i;
	return w->row && w->order && w->queue && w->vars && w->parent && w->is && w->sum
		       ? GPUBE_OK
		       : GPUBE_ENOMEM;
}

/*
 * Whether i may be of the forest: what it shares functions with is one variable of it, its parent
 * then, or none, -1. A function that has no dense table has one variable of it at most.
 */
static bool joins(const struct gpube_search *s, int32_t i, int32_t *parent)
{
	*parent = -1;
	for (int64_t k = s->functions.start[i]; k < s->functions.start[i + 1]; k++) {
		const int32_t f = s->functions.of[k], *scope = gpube__scope(s->m, f);

		for (int j = 0; j < s->m->functions[f].arity; j++) {
			const int32_t u = scope[j];

			if (u == i || s->forest.is[u] != OF_FOREST)
				continue;
			if (!s->dense[f] || (*parent >= 0 && u != *parent))
				return false;
			*parent = u;
		}
	}
	return true;
}

/* Those that share a function with i and have not been met: behind the others of the queue. */
static void meet(struct gpube_search *s, int32_t i, int32_t *n)
{
	struct gpube_search_forest *w = &s->forest;

	for (int64_t k = s->functions.start[i]; k < s->functions.start[i + 1]; k++) {
		const int32_t f = s->functions.of[k], *scope = gpube__scope(s->m, f);

		for (int j = 0; j < s->m->functions[f].arity; j++)
			if (w->is[scope[j]] == UNMET) {
				w->is[scope[j]] = MET;
				w->queue[(*n)++] = scope[j];
			}
	}
}

/* Trees that grow from random variables on by random ones; parents come before their children. */
static void grow(struct gpube_search *s)
{
	struct gpube_search_forest *w = &s->forest;
	const int32_t n = s->m->n_vars;

	w->n = 0;
	memset(w->is, UNMET, (size_t)n * sizeof(*w->is));
	for (int32_t k = 0; k < n; k++) {
		const int32_t other = k + (int32_t)gpube__rng_below(&s->rng, (uint64_t)(n - k)),
			      root = w->order[other];
		int32_t met = 0;

		w->order[other] = w->order[k];
		w->order[k] = root;
		if (w->is[root] != UNMET)
			continue;
		w->is[root] = MET;
		w->queue[met++] = root;
		while (met) {
			const int32_t at = (int32_t)gpube__rng_below(&s->rng, (uint64_t)met),
				      i = w->queue[at];

			w->queue[at] = w->queue[--met];
			s->worked += LOOK_TICKS *
				     (1 + s->functions.start[i + 1] - s->functions.start[i]);
			w->is[i] = LEFT_OUT;
			if (s->m->vars[i].domain < 2 || !joins(s, i, &w->parent[i]))
				continue;
			w->is[i] = OF_FOREST;
			w->vars[w->n++] = i;
			meet(s, i, &met);
		}
	}
}

/* Of a function of i and its parent: the cell where both have value 0, the others as they are. */
struct edge {
	const int64_t *from;
	int64_t step, parent_step; /* to the next value of i, of its parent */
};

/* False: the function does not have the parent. */
static bool edge_of(const struct gpube_search *s, int32_t f, int32_t i, struct edge *e)
{
	const int32_t *scope = gpube__scope(s->m, f), parent = s->forest.parent[i];
	const int64_t *stride = s->stride + s->m->functions[f].scope_at;
	int64_t cell = 0;

	e->parent_step = 0;
	if (!s->dense[f])
		return false;
	for (int j = 0; j < s->m->functions[f].arity; j++) {
		if (scope[j] == i)
			e->step = stride[j];
		else if (scope[j] == parent)
			e->parent_step = stride[j];
		else
			cell += stride[j] * s->values[scope[j]];
	}
	e->from = s->dense[f] + cell;
	return e->parent_step != 0;
}

/* What i and its parent cost by functions of both counts no more in their sums. */
static void part(struct gpube_search *s, int32_t i)
{
	const int32_t parent = s->forest.parent[i];
	int64_t *own = s->forest.sum + s->at[i], *theirs = s->forest.sum + s->at[parent];
	struct edge e;

	for (int64_t k = s->functions.start[i]; k < s->functions.start[i + 1]; k++) {
		if (!edge_of(s, s->functions.of[k], i, &e))
			continue;
		for (int32_t a = 0; a < s->m->vars[i].domain; a++)
			own[a] -= e.from[a * e.step + s->values[parent] * e.parent_step];
		for (int32_t b = 0; b < s->m->vars[parent].domain; b++)
			theirs[b] -= e.from[s->values[i] * e.step + b * e.parent_step];
	}
}

/* The least that i and all below it cost where its parent has value b, and a value of i for it. */
static int64_t least(struct gpube_search *s, int32_t i, int32_t b, int32_t *value)
{
	const int32_t domain = s->m->vars[i].domain;
	int64_t *row = s->forest.row, best = INT64_MAX;
	/* of several any, and any from which to begin with */
	int32_t a = (int32_t)gpube__rng_below(&s->rng, (uint64_t)domain);
	struct edge e;

	memcpy(row, s->forest.sum + s->at[i], (size_t)domain * sizeof(*row));
	for (int64_t k = s->functions.start[i];
		s->forest.parent[i] >= 0 && k < s->functions.start[i + 1]; k++)
		if (edge_of(s, s->functions.of[k], i, &e))
			for (int32_t x = 0; x < domain; x++)
				row[x] += e.from[x * e.step + b * e.parent_step];
	for (int32_t n = 0; n < domain; n++, a = a + 1 < domain ? a + 1 : 0)
		if (row[a] < best) {
			best = row[a];
			*value = a;
		}
	return best;
}

void gpube__search_forest(struct gpube_search *s, int32_t *values)
{
	struct gpube_search_forest *w = &s->forest;
	int32_t value = 0;

	grow(s);
	memcpy(values, s->values, (size_t)s->m->n_vars * sizeof(*values));
	for (int32_t k = 0; k < w->n; k++) {
		const int32_t i = w->vars[k];

		memcpy(w->sum + s->at[i], s->cost + s->at[i],
			(size_t)s->m->vars[i].domain * sizeof(*w->sum));
		if (w->parent[i] >= 0)
			part(s, i);
	}
	for (int32_t k = w->n; k-- > 0;) {
		const int32_t i = w->vars[k], parent = w->parent[i];

		for (int32_t b = 0; parent >= 0 && b < s->m->vars[parent].domain; b++)
			w->sum[s->at[parent] + b] += least(s, i, b, &value);
		s->worked += CELL_TICKS * s->m->vars[i].domain *
			     (parent >= 0 ? s->m->vars[parent].domain : 1) *
			     (s->functions.start[i + 1] - s->functions.start[i]);
	}
	for (int32_t k = 0; k < w->n; k++) {
		const int32_t i = w->vars[k];

		(void)least(s, i, w->parent[i] >= 0 ? values[w->parent[i]] : 0, &values[i]);
	}
}
