/*
 * order_dissect.h - what a dissection's files share: a graph whose vertices are on either side of
 * a separator.
 */
#ifndef GPUBE_ORDER_DISSECT_H
#define GPUBE_ORDER_DISSECT_H

#include "gpube/order/order_parts.h"
#include "gpube/options/options.h"

enum { LEFT, RIGHT, BETWEEN };

/*
 * A graph of the part: level 0 is itself, those of the next are merged from one or two.
 * weight: in a separator; mass: on a side, which is to have as much as the other.
 */
struct dissect_level {
	int32_t n, *start, *adjacent, *edge_weight, *weight, *mass, *merged, *side;
};

enum { GPUBE_DISSECT_LEVELS = 40 };

struct gpube_dissector {
	const struct gpube_graph *g;
	struct gpube_ctx *ctx;
	/* by vertex; a part's vertices; their numbers in it */
	int32_t *part, *vertex, *number, *found;
	int32_t *pool;
	uint8_t *best_side;
	int64_t pool_size, used;
	struct dissect_level level[GPUBE_DISSECT_LEVELS];
	int n_levels;
	int32_t total, n_part; /* n_part: of level 0, without those around it */
	/* of one pass of moves */
	int32_t *pull[2], *place, *moved, *between, n_between;
	int32_t *log, n_log, log_size; /* pairs: a vertex and the side that it left */
	int32_t side_weight[3], most;
	double stop_at;
	/* of one dissection */
	struct gpube_rng *rng;
	const struct gpube_dissection *how;
	double around; /* of how, or 0 where that has no separator */
	int32_t *seen, last_seen, next_id;
	bool hopeless;
	int64_t work;
};

/* Level 0: the part's vertices, numbered as in 'vertex', and those around it; false: no room. */
bool gpube__dissect_level(struct gpube_dissector *d, const int32_t *vertex, int32_t n, int32_t id);

/* The levels behind it, while they get smaller: pairs of neighbours are merged. */
void gpube__dissect_coarsen(struct gpube_dissector *d);

/*
 * Makes a separator as light as it can be near where it is, neither side of more mass than 'most'
 * unless it was. room: n_room words, of which start[n] + 7 n are taken or it does nothing.
 * Returns its number of steps.
 */
int64_t gpube__dissect_flow(struct dissect_level *l, int32_t *room, int64_t n_room, int64_t most);

#endif
