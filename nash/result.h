/* result.h - results of gpube_nash(), for the methods. Internal to nash/. */
#ifndef NASH_RESULT_H
#define NASH_RESULT_H

#include "gpube/ir/payoffs.h"
#include "nash/nash.h"

/* NULL: ENOMEM; gpube_result_free() frees it. */
struct gpube_nash_result *nash__result_new(struct gpube_ctx *ctx);
/* Frees what a strategy points to; it may be all 0. */
void nash__strategy_clear(struct gpube_nash_strategy *s, struct gpube_ctx *ctx);
/*
 * nash__conclude() - what the end of a search, and a reason in the result if there is one, mean for
 * the answer. Returns OK for ELIMIT and ESTOP, which are no failures.
 */
int nash__conclude(struct gpube_nash_result *r, struct gpube_ctx *ctx, int status);

#endif
