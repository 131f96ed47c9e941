/* result.h - results of gpube_nash(), for the methods. Internal to nash/. */
#ifndef NASH_RESULT_H
#define NASH_RESULT_H

#include "gpube/base/arrays.h"
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

/*
 * nash__take_texts() - pointers to 'parts' times n texts, which they begin the block of: the first
 * ones, then the second ones. t has those of each number one after the other, each with its byte 0;
 * an empty one is as that before. NULL: ENOMEM, also if t has failed
 */
const char **nash__take_texts(struct gpube__text *t, int64_t n, int parts);

#endif
