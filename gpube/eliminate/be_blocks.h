/*
 * be_blocks.h - host memory that passes from one message to the next.
 *
 * The system clears memory before it gives it out again, and that takes longer than a contraction
 * of binary variables. So large blocks are kept for the next message of their size, as long as all
 * blocks together are no more than was in use at once before.
 */
#ifndef GPUBE_BE_BLOCKS_H
#define GPUBE_BE_BLOCKS_H

#include "gpube/ops/ops.h"

enum { GPUBE__SPARE_BLOCKS = 16 };

struct gpube__blocks {
	uint64_t used, most; /* bytes now, and at most so far */
	uint64_t spare_bytes;
	int n;
	struct {
		void *at;
		uint64_t bytes;
	} spare[GPUBE__SPARE_BLOCKS]; /* the oldest first */
};

/* Of the host's backend; a zeroed struct has none yet. NULL: ENOMEM. */
void *gpube__blocks_take(struct gpube__blocks *b, struct gpube_ctx *ctx, uint64_t bytes);
void gpube__blocks_give(struct gpube__blocks *b, struct gpube_ctx *ctx, void *at, uint64_t bytes);
/* Counts bytes that are in use beside the blocks. */
void gpube__blocks_add(struct gpube__blocks *b, struct gpube_ctx *ctx, uint64_t bytes);
/* Frees the spare ones. */
void gpube__blocks_clear(struct gpube__blocks *b, struct gpube_ctx *ctx);

#endif
