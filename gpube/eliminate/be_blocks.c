/* be_blocks.c - see be_blocks.h. */
#include "gpube/eliminate/be_blocks.h"

#include <string.h>

#define SPARE_FROM (1 << 20) /* bytes; malloc keeps what is smaller itself */

static void drop(struct gpube__blocks *b, int k)
{
	b->spare_bytes -= b->spare[k].bytes;
	memmove(b->spare + k, b->spare + k + 1, (size_t)(--b->n - k) * sizeof(*b->spare));
}

/* Frees the oldest ones, until no more than 'bytes' are spare. */
static void free_down_to(struct gpube__blocks *b, struct gpube_ctx *ctx, uint64_t bytes)
{
	while (b->spare_bytes > bytes) {
		gpube__ops_cpu()->free(ctx, b->spare[0].at);
		drop(b, 0);
	}
}

void gpube__blocks_clear(struct gpube__blocks *b, struct gpube_ctx *ctx)
{
	free_down_to(b, ctx, 0);
}

void gpube__blocks_add(struct gpube__blocks *b, struct gpube_ctx *ctx, uint64_t bytes)
{
	b->used += bytes;
	b->most = b->used > b->most ? b->used : b->most;
	free_down_to(b, ctx, b->most - b->used);
}

void *gpube__blocks_take(struct gpube__blocks *b, struct gpube_ctx *ctx, uint64_t bytes)
{
	void *at;

	for (int k = b->n - 1; k >= 0; k--)
		if (b->spare[k].bytes == bytes) {
			at = b->spare[k].at;
			drop(b, k);
			gpube__blocks_add(b, ctx, bytes);
			return at;
		}
	gpube__blocks_add(b, ctx, bytes);
	at = gpube__ops_cpu()->alloc(ctx, bytes);
	if (!at)
		b->used -= bytes;
	return at;
}

void gpube__blocks_give(struct gpube__blocks *b, struct gpube_ctx *ctx, void *at, uint64_t bytes)
{
	b->used -= bytes;
	if (bytes < SPARE_FROM) {
		gpube__ops_cpu()->free(ctx, at);
		return;
	}
	if (b->n == GPUBE__SPARE_BLOCKS)
		free_down_to(b, ctx, b->spare_bytes - b->spare[0].bytes);
	b->spare[b->n].at = at;
	b->spare[b->n++].bytes = bytes;
	b->spare_bytes += bytes;
}
