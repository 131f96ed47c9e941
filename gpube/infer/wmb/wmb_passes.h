/* wmb_passes.h - the parts of all buckets, for passes there and back: see wmb_passes.c. */
#ifndef GPUBE_WMB_PASSES_H
#define GPUBE_WMB_PASSES_H

#include "gpube/infer/infer_bounds.h"
#include "gpube/infer/wmb/wmb_cells.h"

/*
 * A part of a bucket, over its scope, the bucket's variable first; cells are as wmb.c has them.
 * costs     of the functions that it has, shifted
 * message   to 'to', a part of the bucket of its second variable; -1: a number
 * back      ln of what 'to' believes of these variables, less message / weight
 */
struct wmb_kept {
	int arity;
	int32_t *scope, to;
	int64_t n, n_message;
	double *costs, *message, *back, weight;
	double error, largest, message_error, message_largest; /* of a cell at most */
	double uncertainty;
	int32_t next_child, first_child; /* parts whose messages it has */
};

struct wmb_passes {
	struct gpube__inferring *j;
	struct gpube_ctx *ctx;
	struct wmb_kept *parts;
	int64_t capacity;
	int32_t n, *first; /* of each position its first part, and of the one after the last */
	int32_t *function_part;
	double most_cells, constant, constant_error;
	double *cells; /* of the parts of a bucket at work */
	int64_t n_cells;
	double step, weight_step;
};

/*
 * Which functions and messages are in which part: each joins the part of its bucket that grows
 * least, the largest first. Errors: ENOMEM
 */
int gpube__wmb_parts(struct wmb_passes *w);

#endif
