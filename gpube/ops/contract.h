/* contract.h - what the parts of the CPU's contract share besides ops.h. */
#ifndef GPUBE_OPS_CONTRACT_H
#define GPUBE_OPS_CONTRACT_H

#include "gpube/ops/ops.h"

/* NULL, or why this is not a contraction that ops.h allows (a static text). */
const char *gpube__contract_problem(const struct gpube_contraction *c);

/*
 * The CPU versions take no memory while they run, so that a batch can run them
 * on many threads: the caller gives gpube__rows_scratch() bytes, 64-byte aligned.
 * Returns OK, or ESTOP without a text.
 */
uint64_t gpube__rows_scratch(const struct gpube_ctx *ctx, const struct gpube_contraction *c);
int gpube__rows_contract(struct gpube_ctx *ctx, const struct gpube_contraction *c, void *scratch);

#endif
