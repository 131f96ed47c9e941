/*
 * be_layout.h - places the messages of an elimination in one block of memory.
 *
 * All messages and the buckets between which they live are known before the start. A device's
 * arena, which sees them one by one, leaves pieces of memory between those that are still needed,
 * and at last a table of 37 GiB has no room in one piece although twice as much is free. Here the
 * largest messages are placed first, each as low as those that live at the same time allow.
 */
#ifndef GPUBE_BE_LAYOUT_H
#define GPUBE_BE_LAYOUT_H

#include "gpube/eliminate/be_plan.h"

/* A table that is needed from step 'from' to step 'to', both included. */
struct gpube__lifetime {
	uint64_t bytes;
	int32_t from, to;
	uint64_t at; /* out */
};

/*
 * gpube__lay_out() - an address for each of n tables, so that none meets another that lives at
 * the same time.
 * bytes   out: from 0 to the highest end
 * Cost:   O(n^2) comparisons
 * Errors: ENOMEM
 */
int gpube__lay_out(
	uint64_t *bytes, struct gpube_ctx *ctx, struct gpube__lifetime *tables, int32_t n);

/* The block and the places of messages in it; zero: there is none. */
struct gpube__layout {
	uint64_t bytes;
	uint64_t alive; /* most bytes of messages that live at once; the block is a little larger */
	uint64_t *at;   /* by position; GPUBE__NO_PLACE: it is not in the block */
	uint64_t *args_at; /* the same for arg-mins, which otherwise go to the host */
};

#define GPUBE__NO_PLACE UINT64_MAX

/*
 * gpube__be_layout() - places the messages of 1 MiB and more, at most some thousand of them, the
 * largest: those that are smaller take what is left between them.
 * keep, assigning  as in gpube__be_run(): until when messages are needed
 * room   bytes of a block that arg-mins may be in, too, since reading one cell of a table there is
 *        cheaper than bringing the table home; 0: none of them. If they do not find places, the
 *        block may be larger than that without them.
 * Errors: ENOMEM
 */
int gpube__be_layout(struct gpube__layout *out, const struct gpube_be *be, enum gpube_type type,
	bool keep, bool assigning, uint64_t room);
void gpube__layout_clear(struct gpube__layout *l, struct gpube_ctx *ctx);

/* The block of a run, in memory of one backend. */
struct gpube__block {
	const struct gpube_ops *ops;
	struct gpube__blocks *blocks; /* be_blocks.h: where a host takes it from */
	double spare;                 /* bytes that a host has for it, less its own */
	char *base;                   /* NULL: there is none */
	struct gpube__layout layout;
};

/*
 * gpube__block_take() - one block for all messages, where there is room for it; otherwise base
 * stays NULL, and each is allocated when it is made.
 * b       ops, blocks and spare are set, the rest is zeroed; to be given back in any case
 * others  as for gpube__be_layout()
 *
 * A device has too few addresses for one table after the other; of a host's memory the system
 * clears every page that it gives, which took half of the seconds of an elimination whose tables
 * lay one after the other.
 * Errors: ENOMEM
 */
int gpube__block_take(struct gpube__block *b, const struct gpube_be *be, enum gpube_type type,
	bool keep, bool assigning);
void gpube__block_give(struct gpube__block *b, struct gpube_ctx *ctx);

#endif
