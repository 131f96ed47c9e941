/*
 * order_coarsen.c - a part of the graph for its dissection, and coarser and coarser graphs of it.
 */
#include "gpube/order/order_dissect.h"

#include <string.h>

#define COARSE     80 /* vertices at which a side is grown */
#define LOG_WEIGHT 16 /* a vertex of two values */

static int32_t *take_words(struct gpube_dissector *d, int64_t n)
{
	int32_t *words = d->pool + d->used;

	if (d->used + n > d->pool_size)
		return NULL;
	d->used += n;
	return words;
}

/* All but the edges, whose number is not yet known. */
static bool level_begin(struct gpube_dissector *d, struct dissect_level *l, int32_t n)
{
	l->n = n;
	l->start = take_words(d, n + 1);
	l->weight = take_words(d, n);
	l->mass = take_words(d, n);
	l->merged = take_words(d, n);
	l->side = take_words(d, n);
	return l->start && l->weight && l->mass && l->merged && l->side;
}

/*
 * Appends to vertex[0 … n), the part 'id', what lies around it, and numbers all. Returns how many
 * there are.
 */
static int32_t number_part(
	struct gpube_dissector *d, int32_t *all, const int32_t *vertex, int32_t n, int32_t id)
{
	const struct gpube_graph *g = d->g;
	const int32_t mark = ++d->last_seen;
	int32_t n_all = n;

	for (int32_t i = 0; i < n; i++) {
		all[i] = vertex[i];
		d->number[vertex[i]] = i;
	}
	for (int32_t i = 0; i < n && d->around > 0; i++)
		for (int64_t e = g->start[vertex[i]]; e < g->start[vertex[i] + 1]; e++) {
			const int32_t u = g->adjacent[e];

			if (d->part[u] == id || d->seen[u] == mark)
				continue;
			d->seen[u] = mark;
			d->number[u] = n_all;
			all[n_all++] = u;
		}
	return n_all;
}

static int32_t weight_of(const struct gpube_graph *g, int32_t v)
{
	int32_t weight = (int32_t)lround(log2(g->domain[v]) * LOG_WEIGHT);

	return weight + (weight == 0);
}

/* Those around the part have together d->around times its mass. */
static int64_t weigh_level(
	struct gpube_dissector *d, struct dissect_level *l, const int32_t *all, int32_t n)
{
	int64_t part = 0, around = 0, total = 0;
	double each;

	for (int32_t i = 0; i < l->n; i++) {
		l->weight[i] = weight_of(d->g, all[i]);
		*(i < n ? &part : &around) += l->weight[i];
	}
	each = around > 0 ? d->around * (double)part / (double)around : 1;
	for (int32_t i = 0; i < l->n; i++) {
		l->mass[i] = i < n ? l->weight[i] : 1 + (int32_t)(each * l->weight[i]);
		total += l->mass[i];
	}
	return total;
}

bool gpube__dissect_level(struct gpube_dissector *d, const int32_t *vertex, int32_t n, int32_t id)
{
	const struct gpube_graph *g = d->g;
	struct dissect_level *l = &d->level[0];
	int32_t *all = d->between, n_edges = 0, n_all = number_part(d, all, vertex, n, id);
	int64_t total;

	d->used = 0;
	d->n_part = n;
	if (!level_begin(d, l, n_all))
		return false;
	/* those around it are no neighbours: all of them are in its messages anyway */
	for (int32_t i = 0; i < n_all; i++)
		for (int64_t e = g->start[all[i]]; e < g->start[all[i] + 1]; e++)
			n_edges += d->part[g->adjacent[e]] == id || (i < n && d->around > 0);
	l->adjacent = take_words(d, n_edges);
	l->edge_weight = take_words(d, n_edges);
	if (!l->adjacent || !l->edge_weight)
		return false;
	n_edges = 0;
	for (int32_t i = 0; i < n_all; i++) {
		l->start[i] = n_edges;
		for (int64_t e = g->start[all[i]]; e < g->start[all[i] + 1]; e++)
			if (d->part[g->adjacent[e]] == id || (i < n && d->around > 0)) {
				l->edge_weight[n_edges] = 1;
				l->adjacent[n_edges++] = d->number[g->adjacent[e]];
			}
		d->work += g->start[all[i] + 1] - g->start[all[i]];
	}
	l->start[n_all] = n_edges;
	d->n_levels = 1;
	total = weigh_level(d, l, all, n);
	d->total = (int32_t)total;
	return total < INT32_MAX / 16;
}

/* The neighbour to merge v with: that of the heaviest edge, the lighter one of two; v: none. */
static int32_t best_mate(
	const struct dissect_level *l, const int32_t *mate, int32_t v, int32_t heaviest)
{
	int32_t best = v, best_edge = 0;

	for (int32_t e = l->start[v]; e < l->start[v + 1]; e++) {
		int32_t u = l->adjacent[e];

		if (mate[u] >= 0 || l->mass[u] + l->mass[v] > heaviest ||
			l->edge_weight[e] < best_edge)
			continue;
		if (l->edge_weight[e] == best_edge && l->weight[u] >= l->weight[best])
			continue;
		best = u;
		best_edge = l->edge_weight[e];
	}
	return best;
}

/* l->merged: by vertex its number in the next level. Returns their number. */
static int32_t match(struct gpube_dissector *d, struct dissect_level *l)
{
	int32_t *mate = d->place, *order = d->found, n = 0, heaviest = d->total / 30 + 1;

	for (int32_t v = 0; v < l->n; v++) {
		mate[v] = -1;
		order[v] = v;
	}
	for (int32_t i = 0; i < l->n; i++) {
		int32_t k = i + (int32_t)gpube__rng_below(d->rng, (uint64_t)(l->n - i)),
			v = order[k], u;

		order[k] = order[i];
		if (mate[v] >= 0)
			continue;
		u = best_mate(l, mate, v, heaviest);
		mate[v] = u;
		mate[u] = v;
		l->merged[v] = l->merged[u] = n++;
	}
	d->work += l->n + l->start[l->n];
	return n;
}

/* The edges of the vertices that were merged into one, those to the same one added up. */
static bool merge_edges(
	struct gpube_dissector *d, const struct dissect_level *from, struct dissect_level *to)
{
	int32_t *first = d->found, *second = d->moved, *at = d->place, n = 0;

	for (int32_t c = 0; c < to->n; c++)
		first[c] = second[c] = at[c] = -1;
	for (int32_t v = 0; v < from->n; v++)
		*(first[from->merged[v]] < 0 ? &first[from->merged[v]] : &second[from->merged[v]]) =
			v;
	/* at the end of the pool: how many there are is known afterwards */
	to->adjacent = d->pool + d->used;
	to->edge_weight = take_words(d, 2 * (int64_t)from->start[from->n]);
	if (!to->edge_weight)
		return false;
	to->edge_weight += from->start[from->n];
	for (int32_t c = 0; c < to->n; c++) {
		const int32_t both[] = {first[c], second[c]};

		to->start[c] = n;
		to->weight[c] = to->mass[c] = 0;
		for (int i = 0; i < 2 && both[i] >= 0; i++) {
			to->weight[c] += from->weight[both[i]];
			to->mass[c] += from->mass[both[i]];
			for (int32_t e = from->start[both[i]]; e < from->start[both[i] + 1]; e++) {
				int32_t u = from->merged[from->adjacent[e]];

				if (u == c)
					continue;
				if (at[u] < to->start[c]) {
					at[u] = n;
					to->adjacent[n] = u;
					to->edge_weight[n++] = 0;
				}
				to->edge_weight[at[u]] += from->edge_weight[e];
			}
		}
	}
	to->start[to->n] = n;
	memmove(to->adjacent + n, to->edge_weight, (size_t)n * sizeof(*to->adjacent));
	to->edge_weight = to->adjacent + n;
	d->used += 2 * ((int64_t)n - from->start[from->n]);
	d->work += from->start[from->n];
	return true;
}

void gpube__dissect_coarsen(struct gpube_dissector *d)
{
	while (d->n_levels < GPUBE_DISSECT_LEVELS && !gpube__order_over(d->ctx, d->stop_at)) {
		struct dissect_level *from = &d->level[d->n_levels - 1], *to = from + 1;
		const int64_t used = d->used;
		int32_t n = from->n > COARSE ? match(d, from) : from->n;

		if (n > from->n * 0.95)
			return;
		if (!level_begin(d, to, n) || !merge_edges(d, from, to)) {
			d->used = used;
			return;
		}
		d->n_levels++;
	}
}
