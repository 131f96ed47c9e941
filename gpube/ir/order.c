/* order.c - the search for an elimination order. */
#include "gpube/ir/order.h"

#include <math.h>
#include <string.h>

static int greedy(struct gpube_ctx *ctx, int32_t *order, const struct gpube_graph *g,
	const struct gpube_greedy_rule *rule)
{
	struct gpube_greedy *w;
	int status = gpube__greedy_new(&w, ctx, g, rule->by_fill > 0);

	if (status)
		return status;
	status = gpube__greedy_run(w, order, rule, INFINITY, INFINITY, NULL, true);
	gpube__greedy_free(w);
	return status == GPUBE_ESTOP ? GPUBE_OK : status;
}

/* Not worse in either measure, and better in the sum (in width, where sums are infinite). */
static bool better(const struct gpube_order_cost *a, const struct gpube_order_cost *b,
	double most_cells)
{
	if (a->largest_joined > most_cells)
		return false;
	if (a->joined_cells != b->joined_cells)
		return a->joined_cells < b->joined_cells;
	return isinf(a->joined_cells) ? a->width < b->width
				      : a->largest_joined < b->largest_joined;
}

static int search(struct gpube_ctx *ctx, int32_t *order, struct gpube_order_cost *cost,
	const struct gpube_graph *g)
{
	const struct gpube_greedy_rule *rules[] = {&gpube__min_size, &gpube__min_degree};
	struct gpube_order_cost c;
	int32_t *trial = gpube__alloc(ctx, (uint64_t)g->n, sizeof(*trial));
	double most_cells;
	int status = GPUBE_ENOMEM;

	if (!trial)
		return GPUBE_ENOMEM;
	status = greedy(ctx, order, g, &gpube__min_fill);
	if (!status)
		status = gpube__order_cost(ctx, cost, g, order);
	most_cells = cost->largest_joined;
	for (int i = 0; i < 2 && !status && !gpube__stopped(ctx); i++) {
		status = greedy(ctx, trial, g, rules[i]);
		if (!status)
			status = gpube__order_cost(ctx, &c, g, trial);
		if (!status && better(&c, cost, most_cells)) {
			memcpy(order, trial, (size_t)g->n * sizeof(*order));
			*cost = c;
		}
	}
	gpube__free(ctx, trial);
	return status;
}

int gpube__order_find(struct gpube_ctx *ctx, int32_t *order, struct gpube_order_cost *cost,
	const struct gpube_graph *g, enum gpube_order_method method, double seconds,
	double cells_per_second, uint64_t seed)
{
	int status;

	(void)seconds;
	(void)cells_per_second;
	(void)seed;
	switch (method) {
	case GPUBE_ORDER_MIN_FILL:
		status = greedy(ctx, order, g, &gpube__min_fill);
		break;
	case GPUBE_ORDER_MIN_SIZE:
		status = greedy(ctx, order, g, &gpube__min_size);
		break;
	case GPUBE_ORDER_MIN_DEGREE:
		status = greedy(ctx, order, g, &gpube__min_degree);
		break;
	case GPUBE_ORDER_AUTO:
		return search(ctx, order, cost, g);
	default:
		return gpube__fail(ctx, GPUBE_EINVAL, "a given order is not searched for");
	}
	return status ? status : gpube__order_cost(ctx, cost, g, order);
}
