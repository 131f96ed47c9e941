/*
 * order.h - elimination orders of a graph: what one costs, and a good one.
 */
#ifndef GPUBE_ORDER_H
#define GPUBE_ORDER_H

#include "gpube/ir/graph.h"
#include "gpube/options/options.h"

/*
 * What an elimination along an order costs. A bucket's joined table is over the
 * variable and its not yet eliminated neighbours, its message over those
 * neighbours. Sums of products of domains: doubles, exact below 2^53, +inf past
 * 1e308.
 */
struct gpube_order_cost {
	int32_t width;          /* most variables of a message, those of one value not counted */
	double joined_cells;    /* sum over buckets of joined cells */
	double largest_joined;  /* largest of them */
	double largest_message; /* cells of the largest message */
};

/* Errors: EINVAL (not a permutation), ENOMEM; ESTOP (only where it takes long). Cost: O(n width^2)
 */
int gpube__order_cost(struct gpube_ctx *ctx, struct gpube_order_cost *cost,
	const struct gpube_graph *g, const int32_t *order);

/*
 * gpube__order_find() - a good elimination order.
 * order    out: n vertices, order[0] is eliminated first
 * method   GPUBE_ORDER_MIN_FILL, _MIN_SIZE, _MIN_DEGREE: that greedy once, ties
 *          by smallest index (deterministic; sizes compare as sums of log2(domain)
 *          rounded to 2^-24); _AUTO: all of them, then sweeps, dissections,
 *          randomised restarts and local improvement on all of ctx's threads
 * seconds  for AUTO: time for the search; 0: until it has taken as long as the
 *          elimination will, at 'cells_per_second' joined cells, or gains little
 *          more, but a few seconds at most
 * Guarantee: AUTO is never worse than plain min-fill, neither in the sum nor in
 *          the maximum of joined cells. Of two orders it prefers the smaller
 *          sum + 4 * maximum.
 * Repeatable: with 0 seconds the same seed and number of threads give the same
 *          order, unless the machine is so slow that real time ends the search.
 * Stops early, with the best so far, when gpube__stopped(ctx); that is not an error unless to tell
 * what the best costs takes long, too (ESTOP).
 * Errors: ENOMEM; EINVAL (GPUBE_ORDER_GIVEN)
 */
int gpube__order_find(struct gpube_ctx *ctx, int32_t *order, struct gpube_order_cost *cost,
	const struct gpube_graph *g, enum gpube_order_method method, double seconds,
	double cells_per_second, uint64_t seed);

/*
 * gpube__order_find_within() - AUTO's with 0 seconds, which takes at most 'most' seconds by the
 * clock for its search: an order that is nearly as good as it will be is not searched for until
 * they are over.
 */
int gpube__order_find_within(struct gpube_ctx *ctx, int32_t *order, struct gpube_order_cost *cost,
	const struct gpube_graph *g, double most, double cells_per_second, uint64_t seed);

/*
 * AUTO's search as a thing that goes on. A command that asks for an order more than once, first for
 * a moment and then for longer, keeps it: it has its best order, what its chains have come to and
 * what each kind of seed was worth, so that nothing is done twice. (Begun anew from the same seed
 * it would repeat all that it did before.)
 */
struct gpube_order_search;

/*
 * How long it goes on: 'most' seconds by the clock, and if it is to pay no longer than that (see
 * gpube__order_find()); 'work' seconds of work (gpube__worked()), 0: no limit.
 */
struct gpube_order_time {
	double most;
	bool pays;
	double work;
};

/* So many seconds, or if that is 0 as long as it pays, as gpube__order_find() has it. */
struct gpube_order_time gpube__order_as_it_pays(double seconds);

/* Begins with plain min-fill's order of g, which must outlive it. Errors: ENOMEM, ESTOP */
int gpube__order_search_new(struct gpube_order_search **out, struct gpube_ctx *ctx,
	const struct gpube_graph *g, uint64_t seed);
void gpube__order_search_free(struct gpube_order_search *s);
/*
 * What pays is asked of all its work so far, at the rate of this call. Errors: as of
 * gpube__order_find()
 */
int gpube__order_search_go(
	struct gpube_order_search *s, struct gpube_order_time time, double cells_per_second);
/* Ticks of work below which it had better not go on: each of its chains draws a few seeds. */
double gpube__order_search_least(const struct gpube_order_search *s);
/* The best order so far, n vertices, and its cost. */
void gpube__order_search_best(
	const struct gpube_order_search *s, int32_t *order, struct gpube_order_cost *cost);

/*
 * gpube__order_find_last() - a good order in which the vertices that are 'last' follow all others:
 * greedy, with restarts as long as the elimination of the others will take, but 2 s at most.
 * cost    out: of the buckets of the others alone, as of gpube__order_cost_before()
 * Errors: ENOMEM, ESTOP
 */
int gpube__order_find_last(struct gpube_ctx *ctx, int32_t *order, struct gpube_order_cost *cost,
	const struct gpube_graph *g, const bool *last, double cells_per_second, uint64_t seed);
/* What the buckets of the first n_before vertices cost. Errors: ENOMEM, ESTOP */
int gpube__order_cost_before(struct gpube_ctx *ctx, struct gpube_order_cost *cost,
	const struct gpube_graph *g, const int32_t *order, int32_t n_before);

#endif
