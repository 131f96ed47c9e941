/*
 * bound_orders.c - the orders that the stages go along: the first one, and a better one, searched
 * for in a moment or for longer where that may bring elimination within reach.
 */
#include <math.h>

#include "gpube/bound/bound.h"

enum { LONG_ORDER = 3 /* seconds */ };

/* Seconds of elimination along the first order. */
#define EASY 10

double gpube__bounder_eliminating(const struct gpube_bounder *b)
{
	return b->order_cost.joined_cells / b->ops->cells_per_second;
}

bool gpube__bounder_easy_order(const struct gpube_bounder *b)
{
	return gpube__bounder_eliminating(b) < EASY;
}

static int first_order(struct gpube_bounder *b)
{
	const struct gpube_bound_opts *o = b->opts;
	int status = gpube__graph_of_model(&b->graph, b->m);

	if (status)
		return status;
	if (o->order_method == GPUBE_ORDER_AUTO) {
		status = gpube__order_search_new(&b->orders, b->ctx, &b->graph, o->seed);
		if (!status)
			gpube__order_search_best(b->orders, b->order, &b->order_cost);
		return status;
	}
	if (o->order_method != GPUBE_ORDER_GIVEN)
		return gpube__order_find(b->ctx, b->order, &b->order_cost, &b->graph,
			o->order_method, 0, b->ops->cells_per_second, o->seed);
	/* it is over the given model's variables: those that are left, in it */
	status = gpube__simplified_order(b->order, &b->s, o->order, b->given->n_vars);
	return status ? status : gpube__order_cost(b->ctx, &b->order_cost, &b->graph, b->order);
}

/* No better order will be searched for. */
static void end_search(struct gpube_bounder *b)
{
	gpube__order_search_free(b->orders);
	gpube__graph_clear(b->ctx, &b->graph);
	b->orders = NULL;
}

static int find_order(struct gpube_bounder *b, int (*find)(struct gpube_bounder *))
{
	const double start = gpube__now();
	const int status = find(b);

	b->seconds_order += gpube__now() - start;
	gpube__log(b->ctx, GPUBE_LOG_DETAIL,
		"an order of %.3g joined cells, %.3g s of elimination, after %.3g s",
		b->order_cost.joined_cells, gpube__bounder_eliminating(b), b->seconds_order);
	return status;
}

int gpube__bound_first_order(struct gpube_bounder *b, double seconds)
{
	int status;

	(void)seconds;
	status = find_order(b, first_order);
	b->ordered = !status;
	if (!b->orders)
		end_search(b);
	return status;
}

double gpube__bounder_order_seconds(const struct gpube_bounder *b)
{
	return b->opts->timeout_seconds > 0 ? b->opts->timeout_seconds / 20 : LONG_ORDER;
}

bool gpube__bounder_wants_order(const struct gpube_bounder *b)
{
	const struct gpube_bound_opts *o = b->opts;
	const double rate = b->ops->cells_per_second, joined = b->order_cost.joined_cells;

	if (!b->orders)
		return false;
	/* no order will make it small, and its parts find their own, or clusters need none */
	if ((gpube__bounder_dense(b) && joined > 1e4 * rate) ||
		(!gpube__bounder_prefers_joins(b) && gpube__bounder_hopeless(b)))
		return false;
	return o->order_seconds > 0 || joined >= 0.1 * rate;
}

static int search_for(struct gpube_bounder *b, struct gpube_order_time time)
{
	const int status = gpube__order_search_go(b->orders, time, b->ops->cells_per_second);

	if (!status)
		gpube__order_search_best(b->orders, b->order, &b->order_cost);
	return status;
}

/*
 * As long as it pays, but no longer than that: pedigree30's order takes 0.03 s, and elimination
 * along it as much.
 */
static int search_within(struct gpube_bounder *b, double most)
{
	return search_for(b, (struct gpube_order_time){gpube__bounder_by_clock(b, most), true});
}

/*
 * Seconds of elimination along what half a second has found: more would not bring it within reach.
 */
#define REMOTE 1e4

/*
 * Of its time, where elimination may be within reach: the best order of pedigree51 takes 2.6 s, and
 * elimination 3.4.
 */
static double reaching_seconds(const struct gpube_bounder *b)
{
	return b->opts->timeout_seconds > 0 ? b->opts->timeout_seconds / 6 : INFINITY;
}

/*
 * As long as it pays: until the search has taken as long as elimination along what it has found
 * will, or gains no more. (Half a second of one core finds an order of pedigree7 with 3e11 joined
 * cells, a whole one of 4e8; BN_71's stays at 10^20.)
 */
static int search_order(struct gpube_bounder *b)
{
	const double given = b->opts->order_seconds,
		     probe = fmin(0.5, gpube__bounder_order_seconds(b));
	int status = GPUBE_OK;

	if (given > 0)
		return search_for(b, (struct gpube_order_time){given, false});
	if (gpube__bounder_eliminating(b) > REMOTE) {
		status = search_within(b, probe);
		/* less than it may take: it did not pay any more */
		if (gpube__bounder_eliminating(b) > REMOTE || gpube__bounder_eliminating(b) < probe)
			return status;
	}
	return status ? status : search_within(b, reaching_seconds(b));
}

/*
 * Seconds after which it is seen, as a rule, whether there is an easy order: of nine pedigrees six
 * had one by then. Elimination of so many seconds will be easy, too, where it was so many times as
 * long before: pedigree13's comes down from 10^6 s to 200 in that time and to 0.3 in four times as
 * long, pedigree50's from 300 to 140 and to 100.
 */
#define MOMENT  0.1
#define NEARLY  1000
#define GAINING 10

static int search_for_a_moment(struct gpube_bounder *b)
{
	return search_within(b, fmin(MOMENT, gpube__bounder_order_seconds(b)));
}

int gpube__bound_order_at_once(struct gpube_bounder *b, double seconds)
{
	(void)seconds;
	return find_order(b, search_for_a_moment);
}

static bool is_nearly_easy(const struct gpube_bounder *b, double before)
{
	const double now = gpube__bounder_eliminating(b);

	return gpube__bounder_easy_order(b) || (now < NEARLY && GAINING * now < before);
}

int gpube__bound_order_soon(struct gpube_bounder *b, double seconds)
{
	const bool given = b->opts->order_seconds > 0;
	const double before = gpube__bounder_eliminating(b);
	int status = GPUBE_OK;

	if (!given && !gpube__bounder_easy_order(b))
		status = find_order(b, search_for_a_moment);
	if (status || !gpube__bounder_wants_order(b) || !(given || is_nearly_easy(b, before)))
		return status;
	return gpube__bound_order(b, seconds);
}

int gpube__bound_order(struct gpube_bounder *b, double seconds)
{
	int status;

	(void)seconds;
	status = find_order(b, search_order);
	b->order_sought = !status;
	end_search(b);
	return status;
}
