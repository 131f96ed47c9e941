/* contract_path.c - see contract_path.h. */
#include "gpube/ops/contract_path.h"

#include <math.h>
#include <string.h>

/* What kernels take, by experience, of what was predicted; boxes besides, for two launches. */
#define BOX_CYCLES   1.5
#define PANEL_CYCLES 1.15
#define BOX_LAUNCH   16000.0

/*
 * Cycles of a shape, for each of its output dims, from which on a search pays: one for boxes takes
 * some 30 us a dim, and what it finds a quarter less; one for panels 90, and they take about a
 * half.
 */
#define BOX_WORTH   120000.0
#define PANEL_WORTH 150000.0
#define STRIP_WORTH 30000.0

#define STRIP_MOST 2.0 /* times what the bytes take: panels do better where there is more to do */

/*
 * The general kernel: its descriptor and launch, then a thread for each output cell, which divides
 * its way through the dims of every operand.
 */
#define GENERAL_LAUNCH  24000.0
#define GENERAL_DIVIDE  80.0
#define GENERAL_READ    20.0
#define GENERAL_SM_RATE 128.0 /* instructions of a multiprocessor in a cycle */
#define GENERAL_WAITING 3.0   /* what few threads wait for, to what they issue */
#define GENERAL_REDUCED 512   /* a thread with more of them is not foreseen here */

static double general_cycles(const struct gpube__shape *s, const struct gpube__box_device *device)
{
	const double issued =
		s->n_in * (s->n_out * GENERAL_DIVIDE + (double)s->n_reduced * GENERAL_READ);
	const double threads = (double)s->n_out_cells / (device->n_sms * GENERAL_SM_RATE);

	if (s->n_reduced > GENERAL_REDUCED)
		return INFINITY;
	return GENERAL_LAUNCH + issued * fmax(threads, GENERAL_WAITING);
}

static double box_cycles(const struct gpube__box *b, bool in_batch)
{
	if (in_batch)
		return b->cycles;
	return b->cycles * (b->kernel == BOX_8X8_PLAIN ? 1 : BOX_CYCLES) + BOX_LAUNCH;
}

static bool is_worth(const struct gpube__cuda_plan *p, const struct gpube__shape *s, double each)
{
	return p->cycles + p->spent > each * (s->n_out > 1 ? s->n_out : 1);
}

static void take(struct gpube__cuda_plan *p, enum gpube__by by, double cycles)
{
	p->by = by;
	p->cycles = cycles;
}

/* The kernels with panels that a path allows, as bits. */
static uint32_t panels_of(enum gpube__path path)
{
	switch (path) {
	case GPUBE_PATH_ANY:
		return GPUBE_ANY_PANELS;
	case GPUBE_PATH_PANELS:
		return GPUBE_ANY_PANELS & ~GPUBE_BY_PLANES;
	case GPUBE_PATH_PLANES:
		return GPUBE_BY_PLANES;
	default:
		return 0;
	}
}

static void try_panels(struct gpube__cuda_plan *p, enum gpube__path path,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s)
{
	double cycles;

	p->tried |= GPUBE_TRIED_PANELS;
	if (gpube__panel_plan(&p->panel, &cycles, device, panels_of(path), c, s) &&
		cycles * PANEL_CYCLES < p->cycles)
		take(p, GPUBE_BY_PANELS, cycles * PANEL_CYCLES);
}

static void try_strips(struct gpube__cuda_plan *p, enum gpube__path path,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s)
{
	const double most = path == GPUBE_PATH_ANY ? STRIP_MOST : INFINITY;
	double cycles;

	p->tried |= GPUBE_TRIED_STRIPS;
	if (gpube__strip_plan(&p->strip, &cycles, device, most, c, s) && cycles < p->cycles)
		take(p, GPUBE_BY_STRIPS, cycles);
}

static void try_boxes(struct gpube__cuda_plan *p, const struct gpube__box_device *device,
	const struct gpube_contraction *c, const struct gpube__shape *s, bool in_batch)
{
	p->tried |= GPUBE_TRIED_BOXES;
	if (gpube__box_plan(&p->box, device, c, s, in_batch) &&
		box_cycles(&p->box, in_batch) < p->cycles)
		take(p, GPUBE_BY_BOXES, box_cycles(&p->box, in_batch));
}

void gpube__cuda_plan_make(struct gpube__cuda_plan *p, enum gpube__path path,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s, bool in_batch)
{
	const bool any = path == GPUBE_PATH_ANY, alone = any && !in_batch;
	double cycles;

	if (!p->tried)
		take(p, GPUBE_BY_GENERAL, alone ? general_cycles(s, device) : INFINITY);
	if (c->n_in > GPUBE_BOX_IN || path == GPUBE_PATH_GENERAL)
		return;
	if ((any || path == GPUBE_PATH_DIRECT) && !(p->tried & GPUBE_TRIED_TILES)) {
		p->tried |= GPUBE_TRIED_TILES;
		if (gpube__direct_plan(&p->direct, &cycles, device, c, s, in_batch))
			take(p, GPUBE_BY_TILES, cycles);
	}
	if ((path == GPUBE_PATH_STRIPS || (any && is_worth(p, s, STRIP_WORTH))) && !in_batch &&
		!(p->tried & GPUBE_TRIED_STRIPS))
		try_strips(p, path, device, c, s);
	if (panels_of(path) && (!any || is_worth(p, s, PANEL_WORTH)) && !in_batch &&
		!(p->tried & GPUBE_TRIED_PANELS))
		try_panels(p, path, device, c, s);
	if (!any && p->by != GPUBE_BY_GENERAL)
		return;
	if ((!alone || is_worth(p, s, BOX_WORTH)) && !(p->tried & GPUBE_TRIED_BOXES))
		try_boxes(p, device, c, s, in_batch);
}

/* ---- plans that are kept ---------------------------------------------------------------- */

#define MOST_KEY (16 + (3 + GPUBE_BOX_IN) * GPUBE_MAX_DIMS)

/* All that a plan depends on. Returns its bytes. */
static uint64_t key_of(int64_t *key, enum gpube__path path, const struct gpube_contraction *c,
	const struct gpube__shape *s)
{
	const size_t row = (size_t)s->n_dims * sizeof(*key);
	int64_t *to = key;

	*to++ = path;
	*to++ = c->semiring;
	*to++ = c->type;
	*to++ = c->out_arg ? c->arg_bytes : 0;
	*to++ = c->cut;
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

static void forget(struct gpube_ctx *ctx, struct gpube__kept_plan *kept)
{
	gpube__free(ctx, kept->key);
	gpube__free(ctx, kept->plan);
	*kept = (struct gpube__kept_plan){NULL, 0, NULL};
}

static int begin(
	struct gpube_ctx *ctx, struct gpube__kept_plan *kept, const int64_t *key, uint64_t bytes)
{
	forget(ctx, kept);
	kept->key = gpube__alloc(ctx, bytes, 1);
	kept->plan = gpube__alloc(ctx, 1, sizeof(*kept->plan));
	if (!kept->key || !kept->plan) {
		forget(ctx, kept);
		return GPUBE_ENOMEM;
	}
	memcpy(kept->key, key, bytes);
	kept->key_bytes = bytes;
	kept->plan->tried = 0;
	kept->plan->cycles = kept->plan->spent = 0;
	return GPUBE_OK;
}

int gpube__cuda_plans_get(const struct gpube__cuda_plan **out, struct gpube__cuda_plans *plans,
	struct gpube_ctx *ctx, enum gpube__path path, const struct gpube__box_device *device,
	const struct gpube_contraction *c, const struct gpube__shape *s)
{
	int64_t key[MOST_KEY];
	const uint64_t bytes = key_of(key, path, c, s);
	struct gpube__kept_plan *kept = &plans->slots[hash_of(key, bytes) % GPUBE_CUDA_PLANS];

	*out = NULL;
	if ((kept->key_bytes != bytes || memcmp(kept->key, key, bytes) != 0) &&
		begin(ctx, kept, key, bytes))
		return GPUBE_ENOMEM;
	gpube__cuda_plan_make(kept->plan, path, device, c, s, false);
	kept->plan->spent += kept->plan->cycles;
	*out = kept->plan;
	return GPUBE_OK;
}

void gpube__cuda_plans_clear(struct gpube_ctx *ctx, struct gpube__cuda_plans *plans)
{
	for (int i = 0; i < GPUBE_CUDA_PLANS; i++)
		forget(ctx, &plans->slots[i]);
}
