/*
 * order_subtree.c - subtrees of an elimination tree, dissected anew.
 *
 * What a subtree's vertices cost depends on their own order and on the scope of the message out of
 * it, which does not change: so a subtree is a graph of its own, whose last vertices, those of
 * that scope, are kept. It gets a few new orders (separators, or a greedy) and local search, and
 * the tree takes the best of them if it costs less. Windows, of some fifty vertices, do not find
 * another separator of a part with hundreds; a dissection of the whole graph finds it only where
 * it is lucky with all the other parts at once.
 */
#include "gpube/order/order_parts.h"

#include <string.h>

#define LEAST_SIZE  40
#define MOST_SHARE  0.8 /* of the graph's vertices */
#define DRAWS       4
#define VERTEX_WORK 3000 /* of a subtree, for each vertex and edge, before any has told */
#define COST_CHANGE 0.2  /* what one tells, beside those before */
#define WORTH       1e3  /* times the old weight: local search may mend that */
#define SLACK       10.0 /* log2 of cells: what a separator may be above the old largest table */

struct gpube_subtree {
	struct gpube_ctx *ctx;
	struct gpube_graph h; /* of the subtree; vertex i is vertex[i] of the whole graph */
	/* of h: those of the subtree, the others are the scope of its message */
	int32_t n_free;
	int32_t *vertex, *number, *size, *group, *order, *best;
	struct gpube_tree *tree;
	struct gpube_greedy *greedy;
	struct gpube_dissector *dissector;
	double stop_at;
	/* size of the next subtree; work of one, for each vertex, about */
	double wanted, per_vertex;
	int64_t work;
};

int64_t gpube__subtree_work(const struct gpube_subtree *s)
{
	return s->work + s->tree->work + gpube__greedy_work(s->greedy) +
	       gpube__dissector_work(s->dissector);
}

/* ---- the graph of a subtree ---------------------------------------------------------------- */

/* All sizes are about as likely by their logarithm. */
static void draw_size(struct gpube_subtree *s, struct gpube_tree *t)
{
	s->wanted = LEAST_SIZE * pow(MOST_SHARE * t->g->n / LEAST_SIZE, gpube__rng_unit(&t->rng));
}

/* The top of a subtree around a bucket drawn by its weight. */
static int32_t draw_top(struct gpube_subtree *s, struct gpube_tree *t)
{
	const double most = MOST_SHARE * t->g->n;
	int32_t v = gpube__tree_draw(t);

	for (int32_t k = 0; k < t->g->n; k++)
		s->size[k] = 1;
	for (int32_t k = 0; k < t->g->n; k++)
		if (t->parent[t->order[k]] >= 0)
			s->size[t->parent[t->order[k]]] += s->size[t->order[k]];
	while (s->size[v] < s->wanted && t->parent[v] >= 0 && s->size[t->parent[v]] <= most)
		v = t->parent[v];
	s->work += t->g->n;
	return v;
}

static void number_vertex(struct gpube_subtree *s, int32_t v)
{
	s->number[v] = s->h.n;
	s->vertex[s->h.n++] = v;
}

static void graph_of_subtree(struct gpube_subtree *s, const struct gpube_tree *t, int32_t top)
{
	const struct gpube_graph *g = t->g;
	struct gpube_graph *h = &s->h;
	int64_t n_adjacent = 0;

	h->n = 0;
	number_vertex(s, top);
	for (int32_t i = 0; i < h->n; i++)
		for (int32_t c = t->child[s->vertex[i]]; c >= 0; c = t->sibling[c])
			number_vertex(s, c);
	s->n_free = h->n;
	for (int32_t k = 0; k < t->arity[top]; k++)
		number_vertex(s, t->pool[t->at[top] + k]);
	for (int32_t i = 0; i < h->n; i++) {
		const int32_t v = s->vertex[i];

		h->start[i] = n_adjacent;
		h->domain[i] = g->domain[v];
		for (int64_t e = g->start[v]; e < g->start[v + 1]; e++)
			if (s->number[g->adjacent[e]] >= 0)
				h->adjacent[n_adjacent++] = s->number[g->adjacent[e]];
		s->work += 1 + g->start[v + 1] - g->start[v];
	}
	h->start[h->n] = n_adjacent;
	for (int32_t i = 0; i < h->n; i++)
		s->number[s->vertex[i]] = -1;
	gpube__greedy_aim(s->greedy, h);
	gpube__dissector_aim(s->dissector, h);
	gpube__tree_aim(s->tree, h, s->n_free);
}

/* ---- another order of it --------------------------------------------------------------------- */

/* The greedy ends at a clique, in which any order is as good: the kept ones go last. */
static void keep_behind(struct gpube_subtree *s, int32_t *order)
{
	int32_t n = 0, n_kept = 0;

	for (int32_t k = 0; k < s->h.n; k++)
		if (order[k] < s->n_free)
			order[n++] = order[k];
		else
			s->size[n_kept++] = order[k];
	memcpy(order + n, s->size, (size_t)n_kept * sizeof(*order));
}

static bool draw_order(
	struct gpube_subtree *s, struct gpube_rng *rng, double most_log, double most_sum)
{
	const int32_t least[] = {20, 60, s->n_free / 8, s->n_free / 3};
	const struct gpube_dissection how = {.n_free = s->n_free,
		.least = least[gpube__rng_below(rng, 4)],
		.tries = 1 << gpube__rng_below(rng, 4),
		.around = gpube__draw_around(rng),
		.balance = 0.1 + 0.3 * gpube__rng_unit(rng),
		.most_log = most_log + SLACK};
	const struct gpube_greedy_rule rule = {.by_fill = gpube__rng_below(rng, 3) > 0,
		.by_size = 1 / GPUBE_LOG_ONE,
		.noise = 0.1 * gpube__rng_unit(rng),
		.random = true,
		.group = s->group,
		.n_kept = s->h.n - s->n_free};

	if (!gpube__dissect(s->dissector, s->group, &how, rng))
		return false;
	if (gpube__greedy_run(s->greedy, s->order, &rule, most_sum, INFINITY, rng, false))
		return false;
	keep_behind(s, s->order);
	return gpube__tree_set(s->tree, s->order);
}

/* An order of the subtree below 'weight', in s->best. */
static bool better_order(
	struct gpube_subtree *s, struct gpube_tree *t, double weight, double sum, double most_log)
{
	const int64_t begin = gpube__subtree_work(s);
	double least = INFINITY;

	for (int i = 0; i < DRAWS && !gpube__order_over(s->ctx, s->stop_at); i++)
		if (draw_order(s, &t->rng, most_log, WORTH * sum) &&
			s->tree->total_weight < least) {
			least = s->tree->total_weight;
			memcpy(s->best, s->order, (size_t)s->h.n * sizeof(*s->best));
		}
	if (!(least < WORTH * weight) || !gpube__tree_set(s->tree, s->best))
		return false;
	gpube__tree_improve(s->tree, t->power, 0.02, gpube__subtree_work(s) - begin);
	if (!(s->tree->total_weight < weight * (1 - 1e-6)))
		return false;
	for (int32_t k = 0; k < s->n_free; k++)
		s->best[k] = s->vertex[s->tree->order[k]];
	return true;
}

static void subtree_improve(struct gpube_subtree *s, struct gpube_tree *t)
{
	const int32_t top = draw_top(s, t);
	double weight = 0, sum = 0;
	int64_t most_log = 0;

	graph_of_subtree(s, t, top);
	for (int32_t i = 0; i < s->n_free; i++) {
		const int32_t v = s->vertex[i];

		weight += gpube__tree_sum(t, v)->weight;
		sum += gpube__tree_sum(t, v)->cells;
		most_log = t->log_cells[v] > most_log ? t->log_cells[v] : most_log;
	}
	s->tree->power = t->power;
	if (s->n_free >= LEAST_SIZE / 2 &&
		better_order(s, t, weight, sum, (double)most_log / GPUBE_LOG_ONE))
		gpube__tree_place(t, s->best, s->n_free, t->position[top]);
}

void gpube__subtrees_improve(struct gpube_subtree *s, struct gpube_tree *t, int64_t *credit)
{
	while (!gpube__order_over(s->ctx, s->stop_at)) {
		const int64_t begin = gpube__subtree_work(s) + t->work;
		int64_t work;

		if (s->wanted == 0)
			draw_size(s, t);
		if ((double)*credit < s->wanted * s->per_vertex)
			break;
		subtree_improve(s, t);
		work = gpube__subtree_work(s) + t->work - begin;
		*credit -= work;
		s->per_vertex += COST_CHANGE * ((double)work / s->n_free - s->per_vertex);
		s->wanted = 0;
	}
}

/* ---- buffers --------------------------------------------------------------------------------- */

int gpube__subtree_new(struct gpube_subtree **out, struct gpube_ctx *ctx,
	const struct gpube_graph *g, const struct gpube_greedy *like, int64_t pool_size)
{
	struct gpube_subtree *s = gpube__alloc_zero(ctx, 1, sizeof(*s));
	const uint64_t n = (uint64_t)g->n;

	*out = NULL;
	if (!s)
		return GPUBE_ENOMEM;
	s->ctx = ctx;
	s->h.start = gpube__alloc(ctx, n + 1, sizeof(*s->h.start));
	s->h.domain = gpube__alloc(ctx, n, sizeof(*s->h.domain));
	s->h.adjacent = gpube__alloc(ctx, (uint64_t)g->start[n], sizeof(*s->h.adjacent));
	s->vertex = gpube__alloc(ctx, 6 * n, sizeof(*s->vertex));
	if (!s->h.start || !s->h.domain || !s->h.adjacent || !s->vertex ||
		gpube__tree_new(&s->tree, ctx, g, pool_size) ||
		gpube__greedy_new(&s->greedy, ctx, g, true, like) ||
		gpube__greedy_reserve(s->greedy, pool_size + 2 * g->start[n]) ||
		gpube__dissector_new(&s->dissector, ctx, g)) {
		gpube__subtree_free(s);
		return GPUBE_ENOMEM;
	}
	s->number = s->vertex + n;
	s->size = s->vertex + 2 * n;
	s->group = s->vertex + 3 * n;
	s->order = s->vertex + 4 * n;
	s->best = s->vertex + 5 * n;
	for (int32_t v = 0; v < g->n; v++)
		s->number[v] = -1;
	s->per_vertex = VERTEX_WORK * (1 + (double)g->start[n] / (double)n);
	*out = s;
	return GPUBE_OK;
}

void gpube__subtree_stop_at(struct gpube_subtree *s, double stop_at)
{
	s->stop_at = s->tree->stop_at = stop_at;
	gpube__greedy_stop_at(s->greedy, stop_at);
	gpube__dissector_stop_at(s->dissector, stop_at);
}

void gpube__subtree_free(struct gpube_subtree *s)
{
	struct gpube_ctx *ctx;

	if (!s)
		return;
	ctx = s->ctx;
	gpube__tree_free(s->tree);
	gpube__greedy_free(s->greedy);
	gpube__dissector_free(s->dissector);
	gpube__graph_clear(ctx, &s->h);
	gpube__free(ctx, s->vertex);
	gpube__free(ctx, s);
}
