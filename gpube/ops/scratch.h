/*
 * scratch.h - memory of the host: tables, scratch, and what the CPU's contract keeps with a
 * context from one call to the next.
 */
#ifndef GPUBE_OPS_SCRATCH_H
#define GPUBE_OPS_SCRATCH_H

#include "gpube/base/base.h"

/* Room to keep things in, without which nothing is kept. Errors: ENOMEM */
int gpube__scratch_open(struct gpube_ctx *ctx);

/*
 * 64-byte aligned memory for the time of a call, whose pages the context keeps for the
 * next one: taking new pages from the system can last longer than a contraction.
 */
void *gpube__scratch_take(struct gpube_ctx *ctx, uint64_t n, uint64_t size);
/* The same for what may stay for long: no block that is larger by more than a quarter. */
void *gpube__scratch_take_close(struct gpube_ctx *ctx, uint64_t n, uint64_t size);
void gpube__scratch_give(struct gpube_ctx *ctx, void *p);
/*
 * Of so much, 64 MiB at least, which is so at first; more is given up. Not while a call has some.
 */
void gpube__scratch_keep(struct gpube_ctx *ctx, uint64_t bytes);

/*
 * Plans by the shape of a contraction (kept.h), each one block of gpube__alloc(). Who takes one
 * has it alone until it is given back; NULL: there is none. Errors: ENOMEM
 */
int gpube__plan_take(void **plan, struct gpube_ctx *ctx, const int64_t *key, uint64_t key_bytes);
void gpube__plan_give(struct gpube_ctx *ctx, const int64_t *key, uint64_t key_bytes, void *plan);

#endif
