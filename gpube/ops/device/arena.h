/*
 * arena.h - tables of one context in few large pieces of memory, which nothing here touches. In a
 * piece: best fit, neighbours merge. Host code alone, so that it is tested without a device.
 *
 * The first bytes of a device come at once, 79 GiB of an H200 in 2 ms. Those that were given back
 * do not: 40 ms to give back so many, and 250 to have them again, for the driver clears them
 * (benchmarks/runs/families-h200, "Memory"). So a piece grows at its end where the memory can do
 * that, and is given back only where its place is wanted. The first piece stays short: it is for
 * the many small tables, which so do not stand in the way of a large one.
 */
#ifndef GPUBE_OPS_DEVICE_ARENA_H
#define GPUBE_OPS_DEVICE_ARENA_H

#include "gpube/base/base.h"

/* Memory in one piece. */
struct gpube__piece {
	char *at;
	uint64_t bytes;
	void *source; /* the source's own */
};

/* Where an arena has its pieces from. */
struct gpube__source {
	/* A piece of so many bytes, or NULL and why there is none. */
	const char *(*get)(struct gpube__source *s, struct gpube__piece *p, uint64_t bytes);
	/* Makes it longer, by so many bytes, where it lies; false: it stays as it is. */
	bool (*extend)(struct gpube__source *s, struct gpube__piece *p, uint64_t bytes);
	/* Takes it back, when nothing uses it any more. */
	void (*give)(struct gpube__source *s, struct gpube__piece *p);
	uint64_t step;  /* pieces and what is added are multiples of it, at least 1 */
	bool lengthens; /* extend() may succeed */
};

struct gpube__arena;

/*
 * gpube__arena_new() - an arena of at most 'limit' bytes.
 * source  outlives it
 * Errors: ENOMEM
 */
int gpube__arena_new(struct gpube__arena **out, struct gpube_ctx *ctx, struct gpube__source *source,
	uint64_t limit);
void gpube__arena_free(struct gpube__arena *a, struct gpube_ctx *ctx);

/* 256-byte aligned; NULL: ENOMEM's text is set. */
void *gpube__arena_take(struct gpube__arena *a, struct gpube_ctx *ctx, uint64_t bytes);
void gpube__arena_give(struct gpube__arena *a, struct gpube_ctx *ctx, void *p);

/* Bytes that it may still give out. */
uint64_t gpube__arena_left(const struct gpube__arena *a);

#endif
