/* search_moves.c - the changes of one variable that cost least: see search.h. */
#include "gpube/relax/search.h"

#include <string.h>

/* Of a node of the tree over the variables. */
enum { CHILDREN = 8 };
/* Work: a step, and a value or a child that is looked at. */
enum { STEP_TICKS = 40, VALUE_TICKS = 2, CHILD_TICKS = 2 };

void gpube__search_moves_clear(struct gpube_search *s)
{
	struct gpube_search_moves *w = &s->moves;

	GPUBE_FREE_ALL(
		s->ctx, w->nodes, w->touched, w->is_touched, w->tabu, w->first, w->next, w->var);
}

int gpube__search_moves_init(struct gpube_search *s)
{
	struct gpube_search_moves *w = &s->moves;
	const int32_t n = s->m->n_vars;
	uint64_t n_nodes;

	w->start[1] = n;
	for (w->n_levels = 1; n > 1 && w->start[w->n_levels] - w->start[w->n_levels - 1] > 1;
		w->n_levels++)
		w->start[w->n_levels + 1] =
			w->start[w->n_levels] +
			(w->start[w->n_levels] - w->start[w->n_levels - 1] + CHILDREN - 1) /
				CHILDREN;
	n_nodes = (uint64_t)w->start[w->n_levels] + 1;
	w->n_slots = GPUBE__LONGEST_TABU(n) + 1;
	w->nodes = gpube__alloc_zero(s->ctx, n_nodes, sizeof(*w->nodes));
	w->touched = gpube__alloc(s->ctx, n_nodes, sizeof(*w->touched));
	w->is_touched = gpube__alloc_zero(s->ctx, n_nodes, 1);
	w->tabu = gpube__alloc_zero(s->ctx, (uint64_t)s->at[n] + 1, sizeof(*w->tabu));
	w->first = gpube__alloc(s->ctx, (uint64_t)w->n_slots, sizeof(*w->first));
	w->next = gpube__alloc(s->ctx, (uint64_t)w->n_slots, sizeof(*w->next));
	w->var = gpube__alloc(s->ctx, (uint64_t)w->n_slots, sizeof(*w->var));
	return w->nodes && w->touched && w->is_touched && w->tabu && w->first && w->next && w->var
		       ? GPUBE_OK
		       : GPUBE_ENOMEM;
}

static void touch(struct gpube_search_moves *w, int32_t node)
{
	if (!w->is_touched[node])
		w->touched[w->n_touched++] = node;
	w->is_touched[node] = 1;
}

void gpube__search_moves_reset(struct gpube_search *s)
{
	struct gpube_search_moves *w = &s->moves;

	memset(w->tabu, 0, (size_t)s->at[s->m->n_vars] * sizeof(*w->tabu));
	for (int32_t k = 0; k < w->n_slots; k++)
		w->first[k] = -1;
	for (int32_t i = 0; i < s->m->n_vars; i++)
		touch(w, i);
}

void gpube__search_moves_changed(struct gpube_search *s, int32_t i)
{
	touch(&s->moves, i);
	for (int64_t k = s->functions.start[i]; k < s->functions.start[i + 1]; k++) {
		const int32_t f = s->functions.of[k], *scope = gpube__scope(s->m, f);

		for (int j = 0; j < s->m->functions[f].arity; j++)
			touch(&s->moves, scope[j]);
	}
}

void gpube__search_moves_step(struct gpube_search *s)
{
	struct gpube_search_moves *w = &s->moves;

	s->step++;
	for (int32_t k = w->first[s->step % w->n_slots]; k >= 0; k = w->next[k])
		touch(w, w->var[k]);
	w->first[s->step % w->n_slots] = -1;
}

void gpube__search_moves_forbid(struct gpube_search *s, int32_t i, int32_t a, int64_t steps)
{
	struct gpube_search_moves *w = &s->moves;
	/* what was there when this slot had its last turn has ended */
	const int32_t k = (int32_t)(s->step % w->n_slots),
		      end = (int32_t)((s->step + steps) % w->n_slots);

	w->tabu[s->at[i] + a] = s->step + steps;
	w->var[k] = i;
	w->next[k] = w->first[end];
	w->first[end] = k;
}

/* ---- the least ------------------------------------------------------------------------------- */

#define NO_CHANGE                                                                                  \
	{                                                                                          \
		INT64_MAX, 0                                                                       \
	}

static void merge(struct gpube_least *to, int64_t cost, int64_t n)
{
	if (cost < to->cost)
		*to = (struct gpube_least){cost, n};
	else if (cost == to->cost)
		to->n += n;
}

static void look_at_values(struct gpube_search *s, int32_t i)
{
	const struct gpube_search_moves *w = &s->moves;
	struct gpube_search_node node = {NO_CHANGE, NO_CHANGE};
	const int64_t *cost = s->cost + s->at[i], *tabu = w->tabu + s->at[i];
	const int32_t now = s->values[i];

	for (int32_t a = 0; a < s->m->vars[i].domain; a++) {
		if (a == now)
			continue;
		merge(&node.all, cost[a] - cost[now], 1);
		if (tabu[a] <= s->step)
			merge(&node.free, cost[a] - cost[now], 1);
	}
	w->nodes[i] = node;
}

/* The children of a node of a level above the variables: from there on, so many. */
static int32_t children(
	const struct gpube_search_moves *w, int level, int32_t node, int32_t *n_children)
{
	const int32_t first = w->start[level - 1] + (node - w->start[level]) * CHILDREN,
		      left = w->start[level] - first;

	*n_children = left < CHILDREN ? left : CHILDREN;
	return first;
}

static void update(struct gpube_search *s)
{
	struct gpube_search_moves *w = &s->moves;
	int level = 0;

	/* parents come behind all of their level */
	for (int32_t k = 0; k < w->n_touched; k++) {
		const int32_t node = w->touched[k];

		level += node >= w->start[level + 1];
		w->is_touched[node] = 0;
		if (level + 1 < w->n_levels)
			touch(w, w->start[level + 1] + (node - w->start[level]) / CHILDREN);
		if (level == 0) {
			look_at_values(s, node);
			s->worked += VALUE_TICKS * s->m->vars[node].domain;
		} else {
			struct gpube_search_node least = {NO_CHANGE, NO_CHANGE};
			int32_t n;
			const int32_t first = children(w, level, node, &n);

			for (int32_t c = first; c < first + n; c++) {
				merge(&least.all, w->nodes[c].all.cost, w->nodes[c].all.n);
				merge(&least.free, w->nodes[c].free.cost, w->nodes[c].free.n);
			}
			w->nodes[node] = least;
			s->worked += CHILD_TICKS * n;
		}
	}
	w->n_touched = 0;
}

static const struct gpube_least *least_of(const struct gpube_search_node *node, bool free)
{
	return free ? &node->free : &node->all;
}

/* The child that the number 'left' is of, counted among changes of that cost, and what is left. */
static int32_t child_of(const struct gpube_search_moves *w, int level, int32_t node, bool free,
	int64_t cost, int64_t *left)
{
	int32_t n, child = children(w, level, node, &n);

	for (;; child++) {
		const struct gpube_least *least = least_of(&w->nodes[child], free);

		if (least->cost != cost)
			continue;
		if (*left < least->n)
			return child;
		*left -= least->n;
	}
}

bool gpube__search_moves_pick(struct gpube_search *s, int32_t *var, int32_t *value)
{
	struct gpube_search_moves *w = &s->moves;
	int32_t node = w->start[w->n_levels] - 1, a = 0;
	struct gpube_least least;
	int64_t left;
	bool free;

	update(s);
	s->worked += STEP_TICKS;
	/* one that is tabu is taken if it beats the record */
	free = !w->nodes[node].all.n || s->now + w->nodes[node].all.cost >= s->record;
	least = *least_of(&w->nodes[node], free);
	if (!least.n)
		return false;
	left = (int64_t)gpube__rng_below(&s->rng, (uint64_t)least.n);
	for (int level = w->n_levels - 1; level > 0; level--)
		node = child_of(w, level, node, free, least.cost, &left);
	for (;; a++) {
		const int64_t *cost = s->cost + s->at[node];

		if (a == s->values[node] || (free && w->tabu[s->at[node] + a] > s->step) ||
			cost[a] - cost[s->values[node]] != least.cost)
			continue;
		if (left-- == 0)
			break;
	}
	*var = node;
	*value = a;
	return true;
}
