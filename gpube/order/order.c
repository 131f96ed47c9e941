/* order.c - an elimination order by the method asked for. */
#include "gpube/order/order_parts.h"

#include <string.h>

/* One greedy, and its cost; adds to *work, sets *messages. */
static int greedy(struct gpube_ctx *ctx, int32_t *order, struct gpube_order_cost *cost,
	const struct gpube_graph *g, const struct gpube_greedy_rule *rule, int64_t *work,
	int64_t *messages)
{
	struct gpube_greedy *w;
	int status = gpube__greedy_new(&w, ctx, g, rule->by_fill > 0, NULL);

	if (status)
		return status;
	status = gpube__greedy_run(w, order, rule, INFINITY, INFINITY, NULL, true);
	*work += gpube__greedy_work(w);
	*messages = gpube__greedy_messages(w);
	gpube__greedy_free(w);
	if (status && status != GPUBE_ESTOP)
		return status;
	return gpube__order_cost(ctx, cost, g, order);
}

/* 'a' may take the place of 'b': never above the bound's sum and maximum. */
static bool better(const struct gpube_order_cost *a, const struct gpube_order_cost *b,
	const struct gpube_order_cost *bound)
{
	double x = gpube__order_merit(a->joined_cells, a->largest_joined);
	double y = gpube__order_merit(b->joined_cells, b->largest_joined);

	if (a->joined_cells > bound->joined_cells || a->largest_joined > bound->largest_joined)
		return false;
	return x < y || (x == y && a->width < b->width);
}

/* Has it a neighbour of more than one value, and more than one itself? */
static bool matters(const struct gpube_graph *g, int32_t v)
{
	for (int64_t e = g->start[v]; e < g->start[v + 1] && g->domain[v] > 1; e++)
		if (g->domain[g->adjacent[e]] > 1)
			return true;
	return false;
}

/* Vertices whose place in the order matters: vertex[i] is vertex i of *h. */
static int without_isolated(
	struct gpube_ctx *ctx, struct gpube_graph *h, int32_t *vertex, const struct gpube_graph *g)
{
	int32_t *number = gpube__alloc(ctx, (uint64_t)g->n, sizeof(*number));
	int64_t n_adjacent = 0;

	memset(h, 0, sizeof(*h));
	if (!number)
		return GPUBE_ENOMEM;
	for (int32_t v = 0; v < g->n; v++) {
		number[v] = matters(g, v) ? h->n : -1;
		if (number[v] >= 0)
			vertex[h->n++] = v;
	}
	h->start = gpube__alloc(ctx, (uint64_t)h->n + 1, sizeof(*h->start));
	h->domain = gpube__alloc(ctx, (uint64_t)h->n, sizeof(*h->domain));
	h->adjacent = gpube__alloc(ctx, (uint64_t)g->start[g->n], sizeof(*h->adjacent));
	if (!h->start || !h->domain || !h->adjacent) {
		gpube__free(ctx, number);
		gpube__graph_clear(ctx, h);
		return GPUBE_ENOMEM;
	}
	for (int32_t i = 0; i < h->n; i++) {
		int32_t v = vertex[i];

		h->start[i] = n_adjacent;
		h->domain[i] = g->domain[v];
		for (int64_t e = g->start[v]; e < g->start[v + 1]; e++)
			if (number[g->adjacent[e]] >= 0)
				h->adjacent[n_adjacent++] = number[g->adjacent[e]];
	}
	h->start[h->n] = n_adjacent;
	gpube__free(ctx, number);
	return GPUBE_OK;
}

/* What the vertices of several values cost that are not in h. */
static double isolated_cells(
	const struct gpube_graph *g, const struct gpube_graph *h, const int32_t *vertex)
{
	double cells = 0;

	for (int32_t v = 0, i = 0; v < g->n; v++)
		if (i < h->n && vertex[i] == v)
			i++;
		else if (g->domain[v] > 1)
			cells += g->domain[v];
	return cells;
}

/*
 * From an order of h to one of g: vertices without a neighbour of several values first, those of
 * one value last, where they multiply nothing.
 */
static void order_of_all(int32_t *order, const int32_t *reduced, const int32_t *vertex,
	const struct gpube_graph *h, const struct gpube_graph *g)
{
	int32_t n = 0;

	for (int32_t v = 0, i = 0; v < g->n; v++)
		if (i < h->n && vertex[i] == v)
			i++;
		else if (g->domain[v] > 1)
			order[n++] = v;
	for (int32_t k = 0; k < h->n; k++)
		order[n++] = vertex[reduced[k]];
	for (int32_t v = 0; v < g->n; v++)
		if (g->domain[v] == 1)
			order[n++] = v;
}

struct automatic {
	struct gpube_ctx *ctx;
	const struct gpube_graph *g;
	int32_t *order; /* the best, and its cost */
	struct gpube_order_cost *cost, bound;
	struct gpube_order_cost reduced_bound; /* of the vertices that are searched for */
	int32_t *trial, *reduced, *best_reduced, *vertex;
};

static int consider(struct automatic *a, const struct gpube_graph *h, const int32_t *reduced)
{
	struct gpube_order_cost c;
	int status;

	order_of_all(a->trial, reduced, a->vertex, h, a->g);
	status = gpube__order_cost(a->ctx, &c, a->g, a->trial);
	if (!status && better(&c, a->cost, &a->bound)) {
		memcpy(a->order, a->trial, (size_t)a->g->n * sizeof(*a->order));
		*a->cost = c;
	}
	return status;
}

/* The greedies on h, then the search from the best of them. */
static int improve(struct automatic *a, const struct gpube_graph *h, struct gpube_order_time time,
	double cells_per_second, uint64_t seed, int64_t work)
{
	const struct gpube_greedy_rule *rules[] = {
		&gpube__min_fill, &gpube__min_size, &gpube__min_degree};
	struct gpube_order_cost best = {0}, c;
	int64_t messages, most_messages = 0;
	int status = GPUBE_OK, i;

	for (i = 0; i < 3 && !status && !gpube__stopped(a->ctx); i++) {
		status = greedy(a->ctx, a->reduced, &c, h, rules[i], &work, &messages);
		if (status)
			break;
		if (i == 0 || better(&c, &best, &a->reduced_bound)) {
			memcpy(a->best_reduced, a->reduced, (size_t)h->n * sizeof(*a->reduced));
			best = c;
		}
		most_messages = messages > most_messages ? messages : most_messages;
	}
	if (i == 0) /* stopped before the first: the caller's order stays */
		return status;
	if (!status)
		status = consider(a, h, a->best_reduced);
	if (!status && h->n > 1 && !gpube__stopped(a->ctx))
		status = gpube__order_search(a->ctx, a->best_reduced, &best, h, time,
			cells_per_second, seed, most_messages, work);
	if (!status)
		status = consider(a, h, a->best_reduced);
	return status;
}

static int automatic(struct gpube_ctx *ctx, int32_t *order, struct gpube_order_cost *cost,
	const struct gpube_graph *g, struct gpube_order_time time, double cells_per_second, uint64_t seed)
{
	struct automatic a = {.ctx = ctx, .g = g, .order = order, .cost = cost};
	struct gpube_graph h = {0};
	uint64_t n = (uint64_t)g->n;
	int64_t work = 0, messages;
	int status = greedy(ctx, order, cost, g, &gpube__min_fill, &work, &messages);

	if (status || gpube__stopped(ctx))
		return status;
	a.bound = *cost;
	a.trial = gpube__alloc(ctx, n, sizeof(*a.trial));
	a.reduced = gpube__alloc(ctx, n, sizeof(*a.reduced));
	a.best_reduced = gpube__alloc(ctx, n, sizeof(*a.best_reduced));
	a.vertex = gpube__alloc(ctx, n, sizeof(*a.vertex));
	status = GPUBE_ENOMEM;
	if (a.trial && a.reduced && a.best_reduced && a.vertex)
		status = without_isolated(ctx, &h, a.vertex, g);
	a.reduced_bound = a.bound;
	a.reduced_bound.joined_cells -= isolated_cells(g, &h, a.vertex);
	if (!status)
		status = improve(&a, &h, time, cells_per_second, seed, work);
	gpube__graph_clear(ctx, &h);
	gpube__free(ctx, a.trial);
	gpube__free(ctx, a.reduced);
	gpube__free(ctx, a.best_reduced);
	gpube__free(ctx, a.vertex);
	return status;
}

/* By the clock, where no limit is given: twice the most that its operations take, lest a busy machine makes it long. */
#define MOST_SECONDS 10

int gpube__order_find_within(struct gpube_ctx *ctx, int32_t *order, struct gpube_order_cost *cost,
	const struct gpube_graph *g, double most, double cells_per_second, uint64_t seed)
{
	return automatic(ctx, order, cost, g, (struct gpube_order_time){most, true}, cells_per_second, seed);
}

int gpube__order_find(struct gpube_ctx *ctx, int32_t *order, struct gpube_order_cost *cost,
	const struct gpube_graph *g, enum gpube_order_method method, double seconds,
	double cells_per_second, uint64_t seed)
{
	int64_t work = 0, messages;

	switch (method) {
	case GPUBE_ORDER_MIN_FILL:
		return greedy(ctx, order, cost, g, &gpube__min_fill, &work, &messages);
	case GPUBE_ORDER_MIN_SIZE:
		return greedy(ctx, order, cost, g, &gpube__min_size, &work, &messages);
	case GPUBE_ORDER_MIN_DEGREE:
		return greedy(ctx, order, cost, g, &gpube__min_degree, &work, &messages);
	case GPUBE_ORDER_AUTO:
		return automatic(ctx, order, cost, g,
			(struct gpube_order_time){seconds > 0 ? seconds : MOST_SECONDS, seconds <= 0}, cells_per_second, seed);
	default:
		return gpube__fail(ctx, GPUBE_EINVAL, "a given order is not searched for");
	}
}
