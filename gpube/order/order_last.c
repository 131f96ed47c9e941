/* order_last.c - orders that keep some vertices for the end: see order.h. */
#include "gpube/order/elimination.h"
#include "gpube/order/order_parts.h"

#include <string.h>

enum { MOST_TRIES = 64, LEAST_TRIES = 8 };

/* Above every fill and degree, so that vertices of domain 4 come after those of 2. */
#define AFTER_ALL (1e12 / GPUBE_LOG_ONE)

int gpube__order_cost_before(struct gpube_ctx *ctx, struct gpube_order_cost *cost,
	const struct gpube_graph *g, const int32_t *order, int32_t n_before)
{
	struct gpube_elimination e;
	int status = gpube__eliminate_graph(&e, ctx, g, order);

	*cost = (struct gpube_order_cost){0};
	for (int32_t k = 0; k < n_before && !status; k++) {
		double cells = 1;

		for (int64_t i = e.at[k]; i < e.at[k + 1]; i++)
			cells *= g->domain[order[e.scope[i]]];
		cost->largest_message = fmax(cost->largest_message, cells);
		cells *= g->domain[order[k]];
		cost->joined_cells += cells;
		cost->largest_joined = fmax(cost->largest_joined, cells);
		if (gpube__n_scope(&e, k) > cost->width)
			cost->width = (int32_t)gpube__n_scope(&e, k);
	}
	gpube__elimination_clear(&e, ctx);
	return status;
}

/* A greedy ends at a clique, in which any order is as good. */
static void keep_last(int32_t *order, int32_t *room, const bool *last, int32_t n)
{
	int32_t before = 0, after = 0;

	for (int32_t k = 0; k < n; k++)
		if (last[order[k]])
			room[after++] = order[k];
		else
			order[before++] = order[k];
	memcpy(order + before, room, (size_t)after * sizeof(*order));
}

/* The greedies see domains 2, and 4 of the last vertices. */
static int try_orders(struct gpube_ctx *ctx, int32_t *order, struct gpube_order_cost *cost,
	int32_t *trial, const struct gpube_graph *g, const struct gpube_graph *weighed,
	const bool *last, int32_t n_before, double cells_per_second, uint64_t seed)
{
	int32_t *room = trial + g->n;
	const double start = gpube__now();
	struct gpube_greedy *w;
	struct gpube_rng rng;
	int status = gpube__greedy_new(&w, ctx, weighed, true, NULL);

	gpube__rng_init(&rng, seed);
	for (int k = 0; k < MOST_TRIES && !status; k++) {
		const struct gpube_greedy_rule rule = {.by_fill = k != 1,
			.by_degree = k == 1 ? 1 : 0,
			.by_domain = AFTER_ALL,
			.random = k > 1};
		struct gpube_order_cost c;

		status = gpube__greedy_run(w, trial, &rule, INFINITY, INFINITY, &rng, true);
		if (!status) {
			keep_last(trial, room, last, g->n);
			status = gpube__order_cost_before(ctx, &c, g, trial, n_before);
		}
		if (status)
			break;
		if (k == 0 ||
			gpube__order_merit(c.joined_cells, c.largest_joined) <
				gpube__order_merit(cost->joined_cells, cost->largest_joined)) {
			memcpy(order, trial, (size_t)g->n * sizeof(*order));
			*cost = c;
		}
		/* as long as the elimination will take */
		if (k >= LEAST_TRIES &&
			(gpube__now() - start) * cells_per_second > cost->joined_cells)
			break;
		if (gpube__now() - start > 2 && k > 0)
			break;
	}
	gpube__greedy_free(w);
	return status;
}

int gpube__order_find_last(struct gpube_ctx *ctx, int32_t *order, struct gpube_order_cost *cost,
	const struct gpube_graph *g, const bool *last, double cells_per_second, uint64_t seed)
{
	struct gpube_graph weighed = *g;
	int32_t *trial = gpube__alloc(ctx, 3 * (uint64_t)g->n, sizeof(*trial)), n_before = 0;
	int status;

	if (!trial)
		return GPUBE_ENOMEM;
	weighed.domain = trial + 2 * (int64_t)g->n;
	for (int32_t v = 0; v < g->n; v++) {
		weighed.domain[v] = last[v] ? 4 : 2;
		n_before += !last[v];
	}
	status = try_orders(
		ctx, order, cost, trial, g, &weighed, last, n_before, cells_per_second, seed);
	gpube__free(ctx, trial);
	return status;
}
