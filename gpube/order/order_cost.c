/* order_cost.c - what an elimination along an order costs. */
#include "gpube/order/order.h"

/* Some tenths of a second: after a stop, what is short is still worth to know. */
enum { STEPS_BETWEEN_CHECKS = 1 << 25 };

/*
 * Row by row of the filled graph's matrix (Liu, SIAM J. Matrix Anal. 11, 1990):
 * the variables whose messages hold v are those on the paths of the elimination
 * tree from v's earlier neighbours up to v. Nothing but the tree is stored.
 */
int gpube__order_cost(struct gpube_ctx *ctx, struct gpube_order_cost *cost,
	const struct gpube_graph *g, const int32_t *order)
{
	struct gpube_order_cost c = {0};
	uint64_t n = (uint64_t)g->n;
	int32_t *position = gpube__alloc(ctx, n, sizeof(*position));
	int32_t *parent = gpube__alloc(ctx, n, sizeof(*parent));
	int32_t *seen = gpube__alloc(ctx, n, sizeof(*seen));
	int32_t *arity = gpube__alloc_zero(ctx, n, sizeof(*arity));
	double *cells = gpube__alloc(ctx, n, sizeof(*cells)); /* of the messages */
	int64_t steps = 0;
	int status = GPUBE_ENOMEM;

	if (!position || !parent || !seen || !arity || !cells)
		goto out;
	status = gpube__invert_order(ctx, position, order, g->n);
	if (status)
		goto out;
	for (int32_t k = 0; k < g->n; k++) {
		int32_t v = order[k];

		if (steps > STEPS_BETWEEN_CHECKS) {
			steps = 0;
			if (gpube__stopped(ctx)) {
				status = gpube__fail_stopped(ctx);
				goto out;
			}
		}
		parent[v] = seen[v] = v;
		cells[v] = 1;
		for (int64_t e = g->start[v]; e < g->start[v + 1]; e++) {
			int32_t u = g->adjacent[e];

			if (position[u] > k)
				continue;
			for (; seen[u] != v; u = parent[u]) {
				steps++;
				if (parent[u] == u)
					parent[u] = v;
				seen[u] = v;
				arity[u] += g->domain[v] > 1;
				cells[u] *= g->domain[v];
			}
		}
	}
	for (int32_t k = 0; k < g->n; k++) {
		int32_t v = order[k];
		double joined = cells[v] * g->domain[v];

		c.joined_cells += joined;
		c.largest_joined = joined > c.largest_joined ? joined : c.largest_joined;
		c.largest_message = cells[v] > c.largest_message ? cells[v] : c.largest_message;
		c.width = arity[v] > c.width ? arity[v] : c.width;
	}
	*cost = c;
out:
	GPUBE_FREE_ALL(ctx, position, parent, seen, arity, cells);
	return status;
}
