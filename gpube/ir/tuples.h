/*
 * tuples.h - collects the tuples of a function as a reader meets them and turns
 * them into the table that suits: dense where nearly all tuples are given,
 * sparse elsewhere. Internal.
 *
 * Memory follows what was read, never what was declared, so that a short file
 * cannot ask for much. A complete listing in row-major order, the common case
 * of large tables, is never held as tuples.
 */
#ifndef GPUBE_TUPLES_H
#define GPUBE_TUPLES_H

#include "gpube/ir/model.h"

/* A table with no more variables and cells is dense, however few of them are listed. */
enum { GPUBE_FILLED_ARITY = 3, GPUBE_FILLED_CELLS = 1 << 16 };

struct gpube_tuples {
	struct gpube_ctx *ctx;
	int arity;
	int32_t *domains;
	int64_t cells; /* -1: more than 2^63 */
	int64_t dflt;
	bool listing;  /* so far: the first n cells, in order */
	int32_t *next; /* while listing: the cell that comes now */
	struct gpube_values values;
	int32_t *tuples; /* unless listing: n * arity */
	int64_t tuples_capacity;
	int64_t *lines; /* of the tuples from 'unordered' on */
	int64_t lines_capacity, unordered;
};

/* Errors: ENOMEM (nothing to free then) */
int gpube__tuples_init(struct gpube_tuples *t, struct gpube_ctx *ctx, int arity,
	const int32_t *domains, int64_t dflt);
/* One tuple, in range, and its value (GPUBE_INF: forbidden), which stands in line 'line'. */
int gpube__tuples_push(struct gpube_tuples *t, const int32_t *tuple, int64_t value, int64_t line);
/* The next n cells in row-major order; only while t->listing. Errors: ENOMEM */
int gpube__tuples_list(struct gpube_tuples *t, const int64_t *values, int64_t n);
/*
 * gpube__tuples_finish() - the table of what was pushed; always frees 't'.
 * twice   out: 0, or the line of a tuple that was given before (no table then)
 * Errors: ENOMEM
 */
int gpube__tuples_finish(struct gpube_tuples *t, struct gpube_table *table, int64_t *twice);
void gpube__tuples_clear(struct gpube_tuples *t);

/* Steps to the next tuple in row-major order; false after the last one. */
static inline bool gpube__tuple_next(int32_t *tuple, const int32_t *domains, int arity)
{
	for (int k = arity - 1; k >= 0; k--) {
		if (++tuple[k] < domains[k])
			return true;
		tuple[k] = 0;
	}
	return false;
}

#endif
