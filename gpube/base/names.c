/* names.c - names of variables and values. See names.h. */
#include "gpube/base/names.h"

#include <string.h>

void gpube__names_init(struct gpube_names *names, struct gpube_ctx *ctx)
{
	memset(names, 0, sizeof(*names));
	names->ctx = ctx;
}

void gpube__names_clear(struct gpube_names *names)
{
	if (names->ctx)
		gpube__free(names->ctx, names->slots);
	memset(names, 0, sizeof(*names));
}

/* FNV-1a, its bits mixed once more because the slots are taken from the low ones. */
static uint64_t hash(int32_t space, const char *text)
{
	uint64_t h = 14695981039346656037u ^ (uint32_t)space;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211u;
	h ^= h >> 32;
	h *= 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* The slot that holds the name, or the free one where it belongs. */
static struct gpube_name *slot(
	struct gpube_name *slots, int64_t n_slots, int32_t space, const char *text)
{
	uint64_t mask = (uint64_t)n_slots - 1, at = hash(space, text) & mask;

	while (slots[at].text && (slots[at].space != space || strcmp(slots[at].text, text) != 0))
		at = (at + 1) & mask;
	return &slots[at];
}

int32_t *gpube__names_find(const struct gpube_names *names, int32_t space, const char *text)
{
	struct gpube_name *s;

	if (!names->n_slots)
		return NULL;
	s = slot(names->slots, names->n_slots, space, text);
	return s->text ? &s->value : NULL;
}

static int grow(struct gpube_names *names)
{
	int64_t n_slots = names->n_slots ? 2 * names->n_slots : 64;
	struct gpube_name *slots = gpube__alloc_zero(names->ctx, (uint64_t)n_slots, sizeof(*slots));

	if (!slots)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < names->n_slots; k++) {
		const struct gpube_name *old = &names->slots[k];

		if (old->text)
			*slot(slots, n_slots, old->space, old->text) = *old;
	}
	gpube__free(names->ctx, names->slots);
	names->slots = slots;
	names->n_slots = n_slots;
	return GPUBE_OK;
}

int gpube__names_add(struct gpube_names *names, int32_t space, const char *text, int32_t value)
{
	if (2 * (names->n + 1) > names->n_slots && grow(names))
		return GPUBE_ENOMEM;
	*slot(names->slots, names->n_slots, space, text) = (struct gpube_name){text, space, value};
	names->n++;
	return GPUBE_OK;
}
