/*
 * stepwise.h - a contraction that reduces several dims, as contractions that reduce one each.
 *
 * contract joins every cell of the whole scope. Where its operands leave room, eliminating
 * dim by dim, each with the operands that have it alone, joins far fewer, at the price of
 * tables in between; and reducing one dim is what kernels do best.
 */
#ifndef GPUBE_STEPWISE_H
#define GPUBE_STEPWISE_H

#include "gpube/ops/ops.h"

/*
 * gpube__contract_stepwise() - what ops->contract() writes, in every bit.
 * c  MIN_PLUS of integers >= 0, without out_arg. Beyond GPUBE_MAX_DIMS dims: done at once
 * Memory: of the backend, tables of at most the joined cells over a reduced dim's size
 * Errors: those of the backend
 */
int gpube__contract_stepwise(
	struct gpube_ctx *ctx, const struct gpube_ops *ops, const struct gpube_contraction *c);

#endif
