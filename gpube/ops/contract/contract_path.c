/* contract_path.c - see contract_path.h. */
#include "gpube/ops/contract/contract_path.h"

#include <math.h>
#include <string.h>

/* What boxes take, by experience, of what was predicted, and two launches besides. */
#define BOX_CYCLES 1.5
#define BOX_LAUNCH 16000.0

/*
 * Cycles of a shape, for each of its output dims, from which on a search pays: one for boxes takes
 * some 30 us a dim, and what it finds a quarter less.
 */
#define BOX_WORTH   120000.0
#define STRIP_WORTH 30000.0

/*
 * In a batch of many forms a launch for each is what takes long, so that those of few contractions
 * are boxes of common launches; unless so few contractions are sooner done alone, by plans that are
 * kept, than boxes are searched for: of mini-buckets on the CUDA backend that was nearly all of the
 * time.
 */
#define MANY_FORMS 16
#define FEW	   32

#define STRIP_MOST 2.0 /* times what the bytes take: boxes do better where there is more to do */

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

/* Whether n contractions of a batch are worth a search for boxes; each: what one takes without. */
static bool is_worth_boxes(const struct gpube__shape *s, int64_t n, double each)
{
	return (double)n * each > BOX_WORTH * (s->n_out > 1 ? s->n_out : 1);
}

static void take(struct gpube__cuda_plan *p, enum gpube__by by, double cycles)
{
	p->by = by;
	p->cycles = cycles;
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
	if (!any && p->by != GPUBE_BY_GENERAL)
		return;
	if ((!alone || is_worth(p, s, BOX_WORTH)) && !(p->tried & GPUBE_TRIED_BOXES))
		try_boxes(p, device, c, s, in_batch);
}

void gpube__cuda_plan_batch(struct gpube__cuda_plan *p, enum gpube__path path,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s, int64_t n, int64_t n_forms)
{
	const bool any = path == GPUBE_PATH_ANY, shares = any && n_forms > MANY_FORMS && n < FEW;
	double cycles;

	p->tried = 0;
	p->spent = 0;
	if (any && !is_worth_boxes(s, n, general_cycles(s, device))) {
		take(p, GPUBE_BY_GENERAL, INFINITY);
		if (!shares && gpube__direct_plan(&p->direct, &cycles, device, c, s, true))
			take(p, GPUBE_BY_TILES, cycles);
		return;
	}
	gpube__cuda_plan_make(p, shares ? GPUBE_PATH_BOXES : path, device, c, s, true);
}

/* ---- plans that are kept ---------------------------------------------------------------- */

static int begin(struct gpube_ctx *ctx, void **place)
{
	struct gpube__cuda_plan *plan = gpube__alloc(ctx, 1, sizeof(*plan));

	if (!plan)
		return GPUBE_ENOMEM;
	plan->tried = 0;
	plan->cycles = plan->spent = 0;
	*place = plan;
	return GPUBE_OK;
}

int gpube__cuda_plans_get(const struct gpube__cuda_plan **out, struct gpube__kept *plans,
	struct gpube_ctx *ctx, enum gpube__path path, const struct gpube__box_device *device,
	const struct gpube_contraction *c, const struct gpube__shape *s)
{
	int64_t key[GPUBE_KEPT_KEY(GPUBE_BOX_IN)];
	const uint64_t bytes = gpube__kept_key(key, path, c, s);
	struct gpube__cuda_plan *plan;
	void **place;

	*out = NULL;
	plans->drop = gpube__free;
	place = gpube__kept_place(plans, ctx, key, bytes);
	if (!place || (!*place && begin(ctx, place)))
		return GPUBE_ENOMEM;
	plan = *place;
	gpube__cuda_plan_make(plan, path, device, c, s, false);
	plan->spent += plan->cycles;
	*out = plan;
	return GPUBE_OK;
}
