/* sparse.c - see sparse.h. */
#include "csg/sparse.h"

#include <math.h>
#include <string.h>

#include "gpube/ops/subset/subset.h"

#define FIRST_SLOT_BITS 6

static uint64_t place(const struct csg__sparse *s, uint64_t coalition)
{
	return coalition * 0x9e3779b97f4a7c15u >> (64 - s->slot_bits);
}

int64_t csg__sparse_value(enum csg_type type, double v)
{
	const float single = (float)v;
	int64_t bits = 0;

	if (csg__is_int(type))
		return v == -INFINITY ? INT64_MIN : (int64_t)v;
	if (type == CSG_FLOAT32)
		memcpy(&bits, &single, sizeof(single));
	else
		memcpy(&bits, &v, sizeof(v));
	return bits;
}

int csg__sparse_new(struct csg_game **out, struct gpube_ctx *ctx, int n_agents, enum csg_type type)
{
	struct csg_game *g = gpube__alloc_zero(ctx, 1, sizeof(*g));

	*out = NULL;
	if (!g)
		return GPUBE_ENOMEM;
	g->ctx = ctx;
	g->n = n_agents;
	g->type = type;
	g->ops = gpube__subset_cpu();
	g->sparse = gpube__alloc_zero(ctx, 1, sizeof(*g->sparse));
	if (!g->sparse) {
		gpube__free(ctx, g);
		return GPUBE_ENOMEM;
	}
	g->sparse->other = csg__sparse_value(type, -INFINITY);
	*out = g;
	return GPUBE_OK;
}

void csg__sparse_free(struct csg_game *g)
{
	gpube__free(g->ctx, g->sparse->slot);
	gpube__free(g->ctx, g->sparse->value);
	gpube__free(g->ctx, g->sparse->mask);
	gpube__free(g->ctx, g->sparse);
}

int64_t csg__sparse_find(const struct csg__sparse *s, uint64_t coalition)
{
	const uint64_t last = ((uint64_t)1 << s->slot_bits) - 1;

	if (!s->n)
		return -1;
	for (uint64_t at = place(s, coalition); s->slot[at]; at = (at + 1) & last)
		if (s->mask[s->slot[at] - 1] == coalition)
			return (int64_t)s->slot[at] - 1;
	return -1;
}

static void take_place(struct csg__sparse *s, int64_t k)
{
	const uint64_t last = ((uint64_t)1 << s->slot_bits) - 1;
	uint64_t at = place(s, s->mask[k]);

	while (s->slot[at])
		at = (at + 1) & last;
	s->slot[at] = (uint32_t)k + 1;
}

static int more_slots(struct csg_game *g)
{
	struct csg__sparse *s = g->sparse;
	const int bits = s->slot_bits ? s->slot_bits + 1 : FIRST_SLOT_BITS;
	uint32_t *slot = gpube__alloc_zero(g->ctx, (uint64_t)1 << bits, sizeof(*slot));

	if (!slot)
		return GPUBE_ENOMEM;
	gpube__free(g->ctx, s->slot);
	s->slot = slot;
	s->slot_bits = bits;
	for (int64_t k = 0; k < s->n; k++)
		take_place(s, k);
	return GPUBE_OK;
}

int csg__sparse_add(struct csg_game *g, uint64_t coalition, int64_t value)
{
	struct csg__sparse *s = g->sparse;
	int64_t capacity = s->capacity;

	if (s->n >= INT32_MAX)
		return gpube__fail(g->ctx, GPUBE_ELIMIT, "more than 2^31 coalitions are listed");
	if (gpube__grow(g->ctx, &s->mask, &capacity, s->n + 1, sizeof(*s->mask)) ||
		gpube__grow(g->ctx, &s->value, &s->capacity, s->n + 1, sizeof(*s->value)))
		return GPUBE_ENOMEM;
	if ((!s->slot || 2 * (s->n + 1) > (int64_t)1 << s->slot_bits) && more_slots(g))
		return GPUBE_ENOMEM;
	s->mask[s->n] = coalition;
	s->value[s->n] = value;
	take_place(s, s->n++);
	return GPUBE_OK;
}

void csg__put_value(struct csg_game *g, uint64_t c, int64_t v)
{
	const bool forbidden = csg__is_int(g->type) && v == INT64_MIN;

	if (g->type == CSG_INT16)
		((int16_t *)g->values)[c] = forbidden ? INT16_MIN : (int16_t)v;
	else if (g->type == CSG_INT32)
		((int32_t *)g->values)[c] = forbidden ? INT32_MIN : (int32_t)v;
	else if (g->type == CSG_INT64)
		((int64_t *)g->values)[c] = v;
	else /* the bits of a float */
		memcpy((char *)g->values + c * csg__type_size(g->type), &v,
			csg__type_size(g->type));
}

int csg__sparse_fill(struct csg_game **out, const struct csg_game *g)
{
	int status = csg__game_new_on(out, g->ctx, g->n, g->type, g->ops);

	if (status)
		return status;
	(*out)->scale = g->scale;
	csg__put_value(*out, 0, 0);
	for (uint64_t c = 1; c < csg__n_masks(g); c++)
		csg__put_value(*out, c, g->sparse->other);
	for (int64_t k = 0; k < g->sparse->n; k++)
		csg__put_value(*out, g->sparse->mask[k], g->sparse->value[k]);
	return GPUBE_OK;
}
