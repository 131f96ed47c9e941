/*
 * kept.h - what was worked out for a contraction, kept by its shape: grids, slices and repeated
 * runs have the same shapes again and again. Both backends keep their plans so.
 *
 * A key has one slot, by its hash; who comes to a slot that holds another key drops what is there.
 * So memory is bounded, and nothing is ever searched or aged.
 */
#ifndef GPUBE_OPS_KEPT_H
#define GPUBE_OPS_KEPT_H

#include "gpube/ops/index.h"

#define GPUBE_KEPT_SLOTS 64

/* Zeros, but for 'drop': nothing is kept yet. */
struct gpube__kept {
	void (*drop)(struct gpube_ctx *ctx, void *value); /* frees a value, which is not NULL */
	struct gpube__kept_slot {
		int64_t *key;
		uint64_t key_bytes;
		void *value;
	} slots[GPUBE_KEPT_SLOTS];
};

/* Most words of a key. */
#define GPUBE_KEPT_KEY(n_in) (10 + (3 + (n_in)) * GPUBE_MAX_DIMS)

/*
 * gpube__kept_key() - all of a contraction that a plan can depend on: everything but its tables.
 * key     out: room for GPUBE_KEPT_KEY(s->n_in) words
 * how     what else it depends on, of the backend's own
 * Returns its bytes.
 */
uint64_t gpube__kept_key(
	int64_t *key, int64_t how, const struct gpube_contraction *c, const struct gpube__shape *s);

/*
 * gpube__kept_place() - where the value of this key is kept; NULL is in it if there is none yet.
 * Valid until the next call. NULL: ENOMEM.
 */
void **gpube__kept_place(
	struct gpube__kept *kept, struct gpube_ctx *ctx, const int64_t *key, uint64_t bytes);

void gpube__kept_clear(struct gpube__kept *kept, struct gpube_ctx *ctx);

#endif
