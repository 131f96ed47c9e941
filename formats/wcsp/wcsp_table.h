/*
 * wcsp_table.h - the tuples of a .wcsp function, from text to a table: where
 * nearly all bytes of such files are. Internal to formats/.
 */
#ifndef GPUBE_WCSP_TABLE_H
#define GPUBE_WCSP_TABLE_H

#include "formats/io/io.h"

/* What stands in front of the tuples. A cost from 'top' on is forbidden. */
struct gpube_wcsp_function {
	struct gpube_in *in;
	int64_t top;
	int arity; /* >= 1 */
	const int32_t *domains;
	int64_t dflt; /* GPUBE_INF: forbidden */
	int64_t n;    /* tuples */
};

/* Memory that functions use one after another; zero-initialise. */
struct gpube_wcsp_room {
	int32_t *tuple;
	int64_t *cost;    /* of the cells of a small table */
	int32_t *given;   /* by cell: the last function, by number, that gave it a cost */
	int32_t function; /* the number of this one */
	int64_t tuple_capacity, cost_capacity, given_capacity;
};

/*
 * gpube__wcsp_table() - reads the tuples; on failure there is no table.
 * Cost:   some 10 ns a tuple where cells are few or tuples come in order
 * Errors: EPARSE, ERANGE, ENOMEM, EIO, ESTOP: in->status
 */
int gpube__wcsp_table(struct gpube_table *table, struct gpube_ctx *ctx,
	const struct gpube_wcsp_function *f, struct gpube_wcsp_room *room);
void gpube__wcsp_room_clear(struct gpube_wcsp_room *room, struct gpube_ctx *ctx);

#endif
