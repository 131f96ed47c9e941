/*
 * order.h - inside the search for elimination orders; its users include
 * graph.h instead.
 *
 *   order.c         which method, and the search's rounds
 *   order_cost.c    what an order costs
 *   order_greedy.c  greedy elimination of a whole graph
 */
#ifndef GPUBE_ORDER_H
#define GPUBE_ORDER_H

#include "gpube/ir/graph.h"

/* ---- greedy elimination of a whole graph ----------------------------------- */

/*
 * Which vertex is next: the smallest of
 *   by_fill * edges that its elimination adds + by_degree * its degree
 *   + by_size * log2(cells of its message) + by_domain * log2(its domain)
 * noise multiplies each key, when it is computed, by a random factor from 1 to
 * 1 + noise. Ties: at random if 'random', else by smallest index.
 */
struct gpube_greedy_rule {
	double by_fill, by_degree, by_size, by_domain, noise;
	bool random;
};

extern const struct gpube_greedy_rule gpube__min_fill, gpube__min_size, gpube__min_degree;

struct gpube_greedy;

/*
 * gpube__greedy_new() - buffers for eliminations of g, which must outlive them.
 * with_fill  counts fill; without it by_fill must be 0
 * Errors: ENOMEM
 */
int gpube__greedy_new(struct gpube_greedy **out, struct gpube_ctx *ctx,
	const struct gpube_graph *g, bool with_fill);
void gpube__greedy_free(struct gpube_greedy *w);

/*
 * gpube__greedy_run() - one elimination of all vertices.
 * order       out: n vertices; on ESTOP completed in some way
 * most_sum, most_cells  gives up when the sum of joined cells passes the one,
 *             or a joined table the other
 * rng         may be NULL without noise and random ties
 * may_grow    false: takes no memory, and gives up where it would have to
 * Cost:   O(sum over fill edges of a degree, + n log n)
 * Errors: ELIMIT (gave up), ENOMEM, ESTOP
 */
int gpube__greedy_run(struct gpube_greedy *w, int32_t *order, const struct gpube_greedy_rule *rule,
	double most_sum, double most_cells, struct gpube_rng *rng, bool may_grow);

/* Operations done so far: the search's clock, the same on every machine. */
int64_t gpube__greedy_work(const struct gpube_greedy *w);

#endif
