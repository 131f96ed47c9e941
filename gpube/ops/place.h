/*
 * place.h - which tasks of a forest are done on the host and which on a device.
 *
 * A task is a contraction that sends one table to its consumer. As each has one consumer, the best
 * sides come from one pass up the forest: the cheapest of a task and all below it, for either side,
 * with the copy of each table that crosses. Designs weighed. (1) One backend for a whole run: a
 * thousand small buckets pay a launch and a fetch each. (2) A limit in joined cells: blind to the
 * tables that then cross. (3) This one; its cost is that of reading the scopes once more.
 */
#ifndef GPUBE_OPS_PLACE_H
#define GPUBE_OPS_PLACE_H

#include "gpube/ops/rates.h"

struct gpube_place {
	int32_t consumer;      /* a later task; -1: none */
	int32_t n_in;          /* tables that it reads */
	double joined;         /* joined cells */
	double cells;          /* of the table that it sends */
	double function_cells; /* of the tables that it reads and no task sends */
};

/*
 * gpube__place() - the sides of least predicted time.
 * side     out: n entries, 1 on the device
 * seconds  out: predicted, of [0] all on the host and [1] these sides
 * host, device  rates (rates.h)
 * Cost:    O(n)
 * Errors:  ENOMEM
 */
int gpube__place(uint8_t *side, double seconds[2], struct gpube_ctx *ctx, int32_t n,
	const struct gpube_place *tasks, enum gpube_type type, const struct gpube_rate *host,
	const struct gpube_rate *device);

#endif
