/* mask_index.c - see mask_index.h. */
#include "gpube/base/mask_index.h"

#define FIRST_BITS 6

static void take_place(struct gpube__mask_index *x, const uint64_t *rows, int words, int64_t n)
{
	x->slot[gpube__masks_place(x, rows, words, rows + n * words)] = (uint32_t)n + 1;
}

int gpube__masks_add(struct gpube__mask_index *x, struct gpube_ctx *ctx, const uint64_t *rows,
	int words, int64_t n)
{
	if (n >= INT32_MAX)
		return gpube__fail(ctx, GPUBE_ELIMIT, "a list of more than 2^31");
	if (!x->slot || 2 * (n + 1) > (int64_t)1 << x->bits) {
		const int bits = x->slot ? x->bits + 1 : FIRST_BITS;
		uint32_t *slot = gpube__alloc_zero(ctx, (uint64_t)1 << bits, sizeof(*slot));

		if (!slot)
			return GPUBE_ENOMEM;
		gpube__free(ctx, x->slot);
		*x = (struct gpube__mask_index){slot, bits};
		for (int64_t k = 0; k < n; k++)
			take_place(x, rows, words, k);
	}
	take_place(x, rows, words, n);
	return GPUBE_OK;
}

int gpube__mask_set_add(
	struct gpube__mask_set *s, struct gpube_ctx *ctx, const uint64_t *mask, bool *fresh)
{
	const bool is_new = gpube__masks_find(&s->index, s->masks, s->words, mask) < 0;
	int status = GPUBE_OK;

	if (is_new &&
		gpube__grow(ctx, &s->masks, &s->capacity, (s->n + 1) * s->words, sizeof(*s->masks)))
		return GPUBE_ENOMEM;
	if (is_new) {
		memcpy(s->masks + s->n * s->words, mask, (size_t)s->words * sizeof(*mask));
		status = gpube__masks_add(&s->index, ctx, s->masks, s->words, s->n);
		s->n += !status;
	}
	if (fresh)
		*fresh = is_new;
	return status;
}

void gpube__mask_set_clear(struct gpube__mask_set *s, struct gpube_ctx *ctx)
{
	gpube__free(ctx, s->masks);
	gpube__free(ctx, s->index.slot);
}
