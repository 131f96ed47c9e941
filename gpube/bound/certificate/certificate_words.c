/* certificate_words.c - numbers of words, for the checker's lists: see certificate_lists.h. */
#include <string.h>

#include "gpube/bound/certificate/certificate_lists.h"

int gpube__words_init(struct gpube_ctx *ctx, struct gpube__words *w, int64_t n)
{
	uint64_t capacity = 16;

	while (capacity < 2 * (uint64_t)n)
		capacity *= 2;
	if (w->capacity < capacity || w->capacity > 64 * capacity) {
		gpube__words_clear(ctx, w);
		w->key = gpube__alloc(ctx, capacity, sizeof(*w->key));
		w->at = gpube__alloc(ctx, capacity, sizeof(*w->at));
		if (!w->key || !w->at)
			return GPUBE_ENOMEM;
		w->capacity = capacity;
	}
	memset(w->at, 0xff, (size_t)w->capacity * sizeof(*w->at));
	return GPUBE_OK;
}

void gpube__words_clear(struct gpube_ctx *ctx, struct gpube__words *w)
{
	gpube__free(ctx, w->key);
	gpube__free(ctx, w->at);
	*w = (struct gpube__words){0};
}
