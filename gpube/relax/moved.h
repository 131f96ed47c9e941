/*
 * moved.h - the model that an ascent leaves: equivalent to the one that it began from, with the
 * costs where they have been moved to.
 */
#ifndef GPUBE_MOVED_H
#define GPUBE_MOVED_H

#include "gpube/ir/model.h"

/*
 * from   the model that the ascent began from
 * shift  its costs are multiplied by 2^shift there; if negative, they were rounded down, and what
 *        that left goes into the model, too
 * slack  cells are forbidden from here on
 */
struct gpube_moved {
	const struct gpube_model *from;
	struct gpube_model *to;
	int shift;
	int32_t slack;
};

/* A unit of a model of that shift is 2^-finer of those of the first one. */
static inline int gpube__moved_finer(int shift)
{
	return shift > 0 ? shift : 0;
}

/* gpube__moved_begin() - its variables and scale. Errors: ENOMEM */
int gpube__moved_begin(
	struct gpube_moved *w, const struct gpube_model *from, int shift, int32_t slack);

/*
 * Adds a table over variables of 'from', the last of them the fastest, whose values are in rows of
 * 'row' cells; unless all its cells are 0. Errors: ENOMEM
 */
int gpube__moved_table(
	struct gpube_moved *w, int arity, const int32_t *scope, const int32_t *t, int64_t row);

/*
 * gpube__moved_end() - *out: the model, or NULL after a failure, of which 'status' tells.
 * constant  of the ascent, without that of 'from'
 * Errors: 'status', ENOMEM
 */
int gpube__moved_end(struct gpube_model **out, struct gpube_moved *w, int64_t constant, int status);

#endif
