/*
 * part.h - a part of a model of costs: some variables have but some of their values. In a row of
 * numbers, which a letter holds: a variable, how many values it has, those; the next variable; …
 */
#ifndef GPUBE_PART_H
#define GPUBE_PART_H

#include "gpube/ir/model.h"

/*
 * gpube__part_open() - the part as a model: m's tables, which it borrows, and for each variable of
 * the row one more that forbids its other values.
 * part    out, to be returned (gpube__model_return())
 * ctx     of the part; m stays unchanged, and as long as the part does
 * Errors: ENOMEM, EINVAL (no row of m's variables and values): nothing is to be returned
 */
int gpube__part_open(struct gpube_model *part, struct gpube_ctx *ctx, const struct gpube_model *m,
	const int32_t *row, int32_t n);

/* Several rows, each after its length; bound: of the part that they are of, that of a minimum. */
struct gpube_rows {
	int64_t bound;
	int32_t n_rows, n;
	int32_t *words;
	int64_t capacity;
};

/*
 * gpube__part_split() - a part in so many parts or somewhat more, that together have all its
 * assignments better than the top of 'part'. Variables are taken whose values leave least of the
 * largest joined tables along a greedy order: such a variable is in many of them, and ties the
 * others together; so it serves a search, too.
 * row     of the part, which each new row begins with
 * Fewer than two rows: there is nothing to split; none: nothing is better than top.
 * Errors: ENOMEM, ESTOP, those of gpube__simplify_below()
 */
int gpube__part_split(struct gpube_rows *out, const struct gpube_model *part, const int32_t *row,
	int32_t n, int32_t wanted);
void gpube__rows_clear(struct gpube_ctx *ctx, struct gpube_rows *rows);

#endif
