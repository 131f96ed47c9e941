/*
 * mask_index.h - which of some rows of 64-bit words, each there once, is which: bit masks mostly.
 */
#ifndef GPUBE_MASK_INDEX_H
#define GPUBE_MASK_INDEX_H

#include <string.h>

#include "gpube/base/base.h"

/*
 * 2^bits places of a hash table, at most half of them used, each the number of a row and 1, or 0.
 * The rows are the caller's. Begins as {0}, ends by gpube__free() of 'slot'.
 */
struct gpube__mask_index {
	uint32_t *slot;
	int bits;
};

/* The place of a row, or the empty one where it belongs. */
static inline uint64_t gpube__masks_place(
	const struct gpube__mask_index *x, const uint64_t *rows, int words, const uint64_t *row)
{
	const uint64_t last = ((uint64_t)1 << x->bits) - 1;
	uint64_t h = row[0] * 0x9e3779b97f4a7c15u, at;

	for (int w = 1; w < words; w++)
		h = (h ^ h >> 29 ^ row[w]) * 0xbf58476d1ce4e5b9u;
	for (at = h >> (64 - x->bits); x->slot[at]; at = (at + 1) & last) {
		const uint64_t *there = rows + (size_t)(x->slot[at] - 1) * (size_t)words;

		if (there[0] == row[0] &&
			(words == 1 || !memcmp(there, row, (size_t)words * sizeof(*row))))
			break;
	}
	return at;
}

/* The number of a row, -1 if it is not there. */
static inline int64_t gpube__masks_find(
	const struct gpube__mask_index *x, const uint64_t *rows, int words, const uint64_t *row)
{
	return x->slot ? (int64_t)x->slot[gpube__masks_place(x, rows, words, row)] - 1 : -1;
}

/* Adds row n, which is not there, to n that are. Errors: ENOMEM, ELIMIT (2^31) */
int gpube__masks_add(struct gpube__mask_index *x, struct gpube_ctx *ctx, const uint64_t *rows,
	int words, int64_t n);

/* Masks of its own, in the order in which they came. Begins with 'words' set and all else 0. */
struct gpube__mask_set {
	int words;
	int64_t n, capacity;
	uint64_t *masks;
	struct gpube__mask_index index;
};

/* Adds a mask unless it is there; 'fresh', which may be NULL: out, whether it was not. */
int gpube__mask_set_add(
	struct gpube__mask_set *s, struct gpube_ctx *ctx, const uint64_t *mask, bool *fresh);
void gpube__mask_set_clear(struct gpube__mask_set *s, struct gpube_ctx *ctx);

#endif
