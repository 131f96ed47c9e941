/*
 * order_dissect.h - what a dissection's files share: a graph whose vertices are on either side of
 * a separator.
 */
#ifndef GPUBE_ORDER_DISSECT_H
#define GPUBE_ORDER_DISSECT_H

#include "gpube/order/order_parts.h"

enum { LEFT, RIGHT, BETWEEN };

/*
 * A graph of the part: level 0 is itself, those of the next are merged from one or two.
 * weight: in a separator; mass: on a side, which is to have as much as the other.
 */
struct dissect_level {
	int32_t n, *start, *adjacent, *edge_weight, *weight, *mass, *merged, *side;
};

/*
 * Makes a separator as light as it can be near where it is, neither side of more mass than 'most'
 * unless it was. room: n_room words, of which start[n] + 7 n are taken or it does nothing.
 * Returns its number of steps.
 */
int64_t gpube__dissect_flow(struct dissect_level *l, int32_t *room, int64_t n_room, int64_t most);

#endif
