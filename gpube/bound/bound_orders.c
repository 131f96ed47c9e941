/* bound_orders.c - elimination orders: the first one, and better ones. */
#include <math.h>
#include <string.h>

#include "gpube/bound/bound.h"
#include "gpube/options/options.h"

struct gpube_orders {
	struct gpube_order_search *search;
	struct gpube_graph graph; /* of the model, for the search */
};

void gpube__orders_free(struct gpube_ctx *ctx, struct gpube_orders *o)
{
	if (!o)
		return;
	gpube__order_search_free(o->search);
	gpube__graph_clear(ctx, &o->graph);
	gpube__free(ctx, o);
}

double gpube__bound_orders_least(const struct gpube_bounder *b)
{
	return gpube__order_search_least(b->state.orders->search);
}

/* The best order of the search, unless b's own, which a run that is resumed has, is better. */
static void take_best(struct gpube_bounder *b, const struct gpube_order_search *search)
{
	struct gpube_order_cost cost;

	gpube__order_search_best(search, b->tried, &cost);
	if (b->order_cost.joined_cells > 0 && b->order_cost.joined_cells < cost.joined_cells)
		return;
	memcpy(b->order, b->tried, (size_t)b->m->n_vars * sizeof(*b->order));
	b->order_cost = cost;
}

static int first_order(struct gpube_bounder *b, struct gpube_orders *orders)
{
	const struct gpube_opts *o = b->opts;
	int status = gpube__graph_of_model(&orders->graph, b->m);

	if (status)
		return status;
	if (o->order_method == GPUBE_ORDER_AUTO) {
		status = gpube__order_search_new(&orders->search, b->ctx, &orders->graph, o->seed);
		if (!status)
			take_best(b, orders->search);
		return status;
	}
	if (o->order_method != GPUBE_ORDER_GIVEN)
		return gpube__order_find(b->ctx, b->order, &b->order_cost, &orders->graph,
			o->order_method, 0, gpube__ops_cpu()->cells_per_second, o->seed);
	/* the given order has variables of the given model */
	status = gpube__simplified_order(b->order, &b->s, o->order, b->given->n_vars);
	return status ? status
		      : gpube__order_cost(b->ctx, &b->order_cost, &orders->graph, b->order);
}

static void end_search(struct gpube_bounder *b)
{
	gpube__orders_free(b->ctx, b->state.orders);
	b->state.orders = NULL;
}

int gpube__bound_first_order(struct gpube_bounder *b)
{
	const double start = gpube__now();
	struct gpube_orders *o = b->state.orders = gpube__alloc_zero(b->ctx, 1, sizeof(*o));
	int status = o ? first_order(b, o) : GPUBE_ENOMEM;

	b->told.seconds_order += gpube__now() - start;
	b->state.ordered = !status;
	if (o && !o->search)
		end_search(b);
	return status;
}

int gpube__bound_better_order(struct gpube_bounder *b, double seconds)
{
	const double given = b->opts->order_seconds, start = gpube__now(),
		     before = gpube__worked(b->ctx);
	const struct gpube_order_time time = {
		.most = given > 0 ? given - b->told.seconds_order : INFINITY,
		.pays = !(given > 0),
		.work = isinf(seconds) ? 0 : seconds};
	struct gpube_order_search *search = b->state.orders->search;
	int status = gpube__order_search_go(search, time, gpube__ops_cpu()->cells_per_second);

	if (!status)
		take_best(b, search);
	b->told.seconds_order += gpube__now() - start;
	/* it ended early: more time does not pay */
	if (given > 0 ? b->told.seconds_order >= given
		      : gpube__worked(b->ctx) - before < seconds / 4) {
		end_search(b);
		status = status ? status : GPUBE__DONE;
	}
	return status;
}
