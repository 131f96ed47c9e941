/* kept.c - see kept.h. */
#include "gpube/ops/kept.h"

#include <string.h>

uint64_t gpube__kept_key(
	int64_t *key, int64_t how, const struct gpube_contraction *c, const struct gpube__shape *s)
{
	const size_t row = (size_t)s->n_dims * sizeof(*key);
	int64_t *to = key;

	*to++ = how;
	*to++ = c->semiring;
	*to++ = c->type;
	*to++ = c->out_arg ? c->arg_bytes : 0;
	*to++ = c->top;
	*to++ = c->threshold;
	*to++ = s->repeat;
	*to++ = s->n_out;
	*to++ = s->n_dims;
	*to++ = s->n_in;
	memcpy(to, s->size, row);
	memcpy(to + s->n_dims, s->out_stride, row);
	memcpy(to + 2 * s->n_dims, s->arg_stride, row);
	to += 3 * s->n_dims;
	for (int k = 0; k < s->n_in; k++, to += s->n_dims)
		memcpy(to, s->stride + k * s->ld, row);
	return (uint64_t)(to - key) * sizeof(*key);
}

static uint64_t hash_of(const int64_t *key, uint64_t bytes)
{
	uint64_t hash = 0;

	for (uint64_t i = 0; i < bytes / sizeof(*key); i++) {
		hash = (hash ^ (uint64_t)key[i]) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	return hash;
}

static void forget(struct gpube__kept *kept, struct gpube_ctx *ctx, struct gpube__kept_slot *slot)
{
	gpube__free(ctx, slot->key);
	if (slot->value)
		kept->drop(ctx, slot->value);
	*slot = (struct gpube__kept_slot){NULL, 0, NULL};
}

void **gpube__kept_place(
	struct gpube__kept *kept, struct gpube_ctx *ctx, const int64_t *key, uint64_t bytes)
{
	struct gpube__kept_slot *slot = &kept->slots[hash_of(key, bytes) % GPUBE_KEPT_SLOTS];

	if (slot->key_bytes == bytes && memcmp(slot->key, key, bytes) == 0)
		return &slot->value;
	forget(kept, ctx, slot);
	slot->key = gpube__alloc(ctx, bytes, 1);
	if (!slot->key)
		return NULL;
	memcpy(slot->key, key, bytes);
	slot->key_bytes = bytes;
	return &slot->value;
}

void gpube__kept_clear(struct gpube__kept *kept, struct gpube_ctx *ctx)
{
	for (int i = 0; i < GPUBE_KEPT_SLOTS; i++)
		forget(kept, ctx, &kept->slots[i]);
}
