/* order.c - an elimination order by the method asked for. */
#include "gpube/order/order_parts.h"
#include "gpube/options/options.h"

#include <string.h>

/* Work: an operation of the searches for orders. */
enum { OPERATION_TICKS = 4 };

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
	gpube__work(ctx, OPERATION_TICKS * gpube__greedy_work(w));
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

struct gpube_order_search {
	struct gpube_ctx *ctx;
	const struct gpube_graph *g;
	uint64_t seed;
	int32_t *order; /* the best, and its cost; at most 'bound', that of min-fill */
	struct gpube_order_cost cost, bound;
	int64_t first;          /* operations of min-fill */
	int64_t work, messages; /* of all greedies; most variables of messages of one */
	/* of the vertices that are searched for, once that has begun: vertex i is vertex[i] of g */
	bool begun;
	struct gpube_graph h;
	struct gpube_rounds *rounds; /* NULL: none yet, or no memory for them */
	int32_t *trial, *reduced, *best_reduced, *vertex;
	struct gpube_order_cost reduced_cost;
};

static int consider(struct gpube_order_search *s, const int32_t *reduced)
{
	struct gpube_order_cost c;
	int status;

	order_of_all(s->trial, reduced, s->vertex, &s->h, s->g);
	status = gpube__order_cost(s->ctx, &c, s->g, s->trial);
	if (!status && better(&c, &s->cost, &s->bound)) {
		memcpy(s->order, s->trial, (size_t)s->g->n * sizeof(*s->order));
		s->cost = c;
	}
	return status;
}

/* The greedies on h, and the best of them. Min-fill has been done where h is all of g. */
static int begin(struct gpube_order_search *s)
{
	static const struct gpube_greedy_rule *const rules[] = {
		&gpube__min_fill, &gpube__min_size, &gpube__min_degree};
	struct gpube_order_cost bound = s->bound, c;
	const bool is_all = s->h.n == s->g->n;
	int64_t messages;
	int status = GPUBE_OK;

	bound.joined_cells -= isolated_cells(s->g, &s->h, s->vertex);
	if (is_all) {
		memcpy(s->best_reduced, s->order, (size_t)s->h.n * sizeof(*s->order));
		s->reduced_cost = s->cost;
	}
	for (int i = is_all; i < 3 && !gpube__stopped(s->ctx); i++) {
		status = greedy(s->ctx, s->reduced, &c, &s->h, rules[i], &s->work, &messages);
		if (status)
			return status;
		if (i == 0 || better(&c, &s->reduced_cost, &bound)) {
			memcpy(s->best_reduced, s->reduced, (size_t)s->h.n * sizeof(*s->reduced));
			s->reduced_cost = c;
		}
		s->messages = messages > s->messages ? messages : s->messages;
		s->begun = true;
	}
	return s->begun ? consider(s, s->best_reduced) : GPUBE_OK;
}

int gpube__order_search_go(
	struct gpube_order_search *s, struct gpube_order_time time, double cells_per_second)
{
	int status = GPUBE_OK;

	if (gpube__stopped(s->ctx) || s->g->n == 0)
		return GPUBE_OK;
	if (!s->h.start)
		status = without_isolated(s->ctx, &s->h, s->vertex, s->g);
	if (!status && !s->begun)
		status = begin(s);
	if (status || !s->begun || s->h.n < 2 || gpube__stopped(s->ctx))
		return status;
	if (!s->rounds && time.pays &&
		!gpube__rounds_pay(s->work, s->reduced_cost.joined_cells, cells_per_second))
		return GPUBE_OK;
	if (!s->rounds)
		status = gpube__rounds_new(&s->rounds, s->ctx, s->best_reduced, &s->reduced_cost,
			&s->h, s->seed, s->messages, s->work);
	if (!status && s->rounds)
		status = consider(s, gpube__rounds_go(s->rounds, time, cells_per_second));
	return status;
}

/* Seeds of a chain, each about as long as min-fill. */
enum { SEEDS = 3, CHAINS = 4 };

double gpube__order_search_least(const struct gpube_order_search *s)
{
	const int threads = s->ctx->n_threads;

	return (double)OPERATION_TICKS * SEEDS * (threads > CHAINS ? threads : CHAINS) *
	       (double)s->first;
}

void gpube__order_search_best(
	const struct gpube_order_search *s, int32_t *order, struct gpube_order_cost *cost)
{
	memcpy(order, s->order, (size_t)s->g->n * sizeof(*order));
	*cost = s->cost;
}

int gpube__order_search_new(struct gpube_order_search **out, struct gpube_ctx *ctx,
	const struct gpube_graph *g, uint64_t seed)
{
	struct gpube_order_search *s = gpube__alloc_zero(ctx, 1, sizeof(*s));
	const uint64_t n = (uint64_t)g->n;
	int status = GPUBE_ENOMEM;

	*out = NULL;
	if (!s)
		return status;
	s->ctx = ctx;
	s->g = g;
	s->seed = seed;
	s->order = gpube__alloc(ctx, n, sizeof(*s->order));
	s->trial = gpube__alloc(ctx, n, sizeof(*s->trial));
	s->reduced = gpube__alloc(ctx, n, sizeof(*s->reduced));
	s->best_reduced = gpube__alloc(ctx, n, sizeof(*s->best_reduced));
	s->vertex = gpube__alloc(ctx, n, sizeof(*s->vertex));
	if (s->order && s->trial && s->reduced && s->best_reduced && s->vertex)
		status = greedy(
			ctx, s->order, &s->cost, g, &gpube__min_fill, &s->work, &s->messages);
	s->first = s->work;
	s->bound = s->cost;
	if (status)
		gpube__order_search_free(s);
	else
		*out = s;
	return status;
}

void gpube__order_search_free(struct gpube_order_search *s)
{
	struct gpube_ctx *ctx;

	if (!s)
		return;
	ctx = s->ctx;
	gpube__rounds_free(s->rounds);
	gpube__graph_clear(ctx, &s->h);
	GPUBE_FREE_ALL(ctx, s->order, s->trial, s->reduced, s->best_reduced, s->vertex, s);
}

static int automatic(struct gpube_ctx *ctx, int32_t *order, struct gpube_order_cost *cost,
	const struct gpube_graph *g, struct gpube_order_time time, double cells_per_second,
	uint64_t seed)
{
	struct gpube_order_search *s;
	int status = gpube__order_search_new(&s, ctx, g, seed);

	if (status)
		return status;
	status = gpube__order_search_go(s, time, cells_per_second);
	if (!status || status == GPUBE_ESTOP)
		gpube__order_search_best(s, order, cost);
	gpube__order_search_free(s);
	return status;
}

/*
 * By the clock, where no limit is given: twice the most that its operations take, lest a busy
 * machine makes it long.
 */
#define MOST_SECONDS 10

struct gpube_order_time gpube__order_as_it_pays(double seconds)
{
	return (struct gpube_order_time){
		.most = seconds > 0 ? seconds : MOST_SECONDS, .pays = seconds <= 0};
}

int gpube__order_find_within(struct gpube_ctx *ctx, int32_t *order, struct gpube_order_cost *cost,
	const struct gpube_graph *g, double most, double cells_per_second, uint64_t seed)
{
	return automatic(ctx, order, cost, g, (struct gpube_order_time){.most = most, .pays = true},
		cells_per_second, seed);
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
		return automatic(ctx, order, cost, g, gpube__order_as_it_pays(seconds),
			cells_per_second, seed);
	default:
		return gpube__fail(ctx, GPUBE_EINVAL, "a given order is not searched for");
	}
}
