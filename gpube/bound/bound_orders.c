/* bound_orders.c - elimination orders: the first one, and better ones. */
#include <math.h>

#include "gpube/bound/bound.h"

static int first_order(struct gpube_bounder *b)
{
	const struct gpube_bound_opts *o = b->opts;
	int status = gpube__graph_of_model(&b->state.graph, b->m);

	if (status)
		return status;
	if (o->order_method == GPUBE_ORDER_AUTO) {
		status =
			gpube__order_search_new(&b->state.orders, b->ctx, &b->state.graph, o->seed);
		if (!status)
			gpube__order_search_best(b->state.orders, b->order, &b->order_cost);
		return status;
	}
	if (o->order_method != GPUBE_ORDER_GIVEN)
		return gpube__order_find(b->ctx, b->order, &b->order_cost, &b->state.graph,
			o->order_method, 0, gpube__ops_cpu()->cells_per_second, o->seed);
	/* the given order has variables of the given model */
	status = gpube__simplified_order(b->order, &b->s, o->order, b->given->n_vars);
	return status ? status
		      : gpube__order_cost(b->ctx, &b->order_cost, &b->state.graph, b->order);
}

/* Frees the search for better orders. */
static void end_search(struct gpube_bounder *b)
{
	gpube__order_search_free(b->state.orders);
	gpube__graph_clear(b->ctx, &b->state.graph);
	b->state.orders = NULL;
}

int gpube__bound_first_order(struct gpube_bounder *b)
{
	const double start = gpube__now();
	int status = first_order(b);

	b->told.seconds_order += gpube__now() - start;
	b->state.ordered = !status;
	if (!b->state.orders)
		end_search(b);
	return status;
}

int gpube__bound_better_order(struct gpube_bounder *b, double seconds, enum gpube__step *end)
{
	const double given = b->opts->order_seconds, start = gpube__now(),
		     before = gpube__worked(b->ctx);
	const struct gpube_order_time time = {
		.most = given > 0 ? given - b->told.seconds_order : INFINITY,
		.pays = !(given > 0),
		.work = isinf(seconds) ? 0 : seconds};
	int status =
		gpube__order_search_go(b->state.orders, time, gpube__ops_cpu()->cells_per_second);

	if (!status)
		gpube__order_search_best(b->state.orders, b->order, &b->order_cost);
	b->told.seconds_order += gpube__now() - start;
	/* it ended early: more time does not pay */
	if (given > 0 ? b->told.seconds_order >= given
		      : gpube__worked(b->ctx) - before < seconds / 4) {
		*end = GPUBE__STEP_DONE;
		b->state.order_sought = !status;
		end_search(b);
	}
	return status;
}
