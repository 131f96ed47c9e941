/*
 * be_split.h - one elimination on several devices: each takes a share of the values of one
 * variable, or of a few, and eliminates the model of these values along the same order.
 *
 * Designs weighed. (1) Each large contraction cut along an output dimension, its pieces copied to
 * where they are needed: between two buckets whole messages cross from card to card, more bytes
 * than a bucket of few values has work for. (2) The cut dimension kept the same from bucket to
 * bucket, which needs it to be in all of them: that is this one, said for a variable instead of a
 * dimension. Nothing crosses until the end, when the smallest of the optima is taken; every
 * table with the variable is a share as large on each card, so that what no card holds fits on
 * several. What it costs: buckets without a cut variable are done on every device. The
 * variables are chosen so that this is least.
 */
#ifndef GPUBE_BE_SPLIT_H
#define GPUBE_BE_SPLIT_H

#include "gpube/be.h"

struct gpube_be_split;

/* Opens a backend on a context: gpube__ops_cuda(), or in tests the CPU. */
typedef const struct gpube_ops *gpube_open_fn(struct gpube_ctx *ctx, int *status);

/*
 * gpube__split_new() - chooses the variables and makes the models.
 * be       of the whole model along 'order'; m and order must outlive the split
 * Uses be->ctx->devices, each with a context of its own; as many of them as parts come out.
 * Errors: ENOMEM; ERANGE; EINVAL where no variable has two values
 */
int gpube__split_new(struct gpube_be_split **out, const struct gpube_be *be, const int32_t *order);
void gpube__split_free(struct gpube_be_split *s);

int gpube__split_n(const struct gpube_be_split *s);
/* Joined cells of the largest part, and bytes of its tables at the worst moment. */
double gpube__split_joined(const struct gpube_be_split *s);
double gpube__split_bytes(const struct gpube_be_split *s);

/*
 * gpube__split_run() - all parts at the same time, each on a thread of its own.
 * optimum, values  out, as of gpube__be_run()
 * seconds   out: of contractions on the busiest device, of its copies, and of reading assignments
 * off Errors: those of gpube__be_run() and of opening; ELIMIT (a part does not fit its device)
 */
struct gpube_split_times {
	double contracting, copying, assigning;
};

int gpube__split_run(int64_t *optimum, int32_t *values, struct gpube_be_split *s,
	gpube_open_fn *open, struct gpube_split_times *seconds);

#endif
