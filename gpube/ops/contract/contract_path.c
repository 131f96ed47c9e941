/* contract_path.c - see contract_path.h. */
#include "gpube/ops/contract/contract_path.h"

#include <math.h>
#include <string.h>

/* What kernels take, by experience, of what was predicted; boxes besides, for two launches. */
#define BOX_CYCLES   1.5
#define PANEL_CYCLES 1.15
/* panels take as much more than is predicted: the two predictions are compared as they are */
#define PRESUM_CYCLES 1.3
/* and so are these: panels and planes take a quarter more, twice as much where x is last */
#define LANES_CYCLES  0.8
#define QUADS_CYCLES  0.5
#define BOX_LAUNCH    16000.0

/*
 * Cycles of a shape, for each of its output dims, from which on a search pays: one for boxes takes
 * some 30 us a dim, and what it finds a quarter less; one for panels 90, and they take about a
 * half; one for products of sums 10.
 */
#define BOX_WORTH    120000.0
#define PANEL_WORTH  150000.0
#define PRESUM_WORTH 25000.0
#define STRIP_WORTH  30000.0
#define TRIANGLE_WORTH 25000.0

/*
 * In a batch of many forms a launch for each is what takes long, so that those of few contractions
 * are boxes of common launches; unless so few contractions are sooner done alone, by plans that are
 * kept, than boxes are searched for: of mini-buckets on the CUDA backend that was nearly all of the
 * time.
 */
#define MANY_FORMS 16
#define FEW	   32

/*
 * Merging: from so many cycles an output dim on, the two searches pay; each table that is made has
 * a launch and is moved about three times; so much less has to be predicted, since predictions are
 * not better; and a table pays if each of its cells is joined so often.
 */
#define MERGE_WORTH  500000.0
#define MERGE_LAUNCH 12000.0
#define MERGE_BYTES  12.0 /* of a multiprocessor in a cycle */
#define MERGE_LESS   0.9
#define MERGE_JOINED 100.0
#define MERGE_MADE   ((double)(1 << 26))

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

static void try_lanes(struct gpube__cuda_plan *p, const struct gpube__box_device *device,
	const struct gpube_contraction *c, const struct gpube__shape *s)
{
	double cycles;

	p->tried |= GPUBE_TRIED_LANES;
	if (gpube__lanes_plan(&p->lanes, &cycles, device, c, s) &&
		cycles * LANES_CYCLES < p->cycles)
		take(p, GPUBE_BY_LANES, cycles * LANES_CYCLES);
}

static void try_quads(struct gpube__cuda_plan *p, const struct gpube__box_device *device,
	const struct gpube_contraction *c, const struct gpube__shape *s)
{
	double cycles;

	p->tried |= GPUBE_TRIED_QUADS;
	if (gpube__quads_plan(&p->quads, &cycles, device, c, s) &&
		cycles * QUADS_CYCLES < p->cycles)
		take(p, GPUBE_BY_QUADS, cycles * QUADS_CYCLES);
}

static void try_triangles(struct gpube__cuda_plan *p, const struct gpube__box_device *device,
	const struct gpube_contraction *c, const struct gpube__shape *s)
{
	double cycles;

	p->tried |= GPUBE_TRIED_TRIANGLES;
	if (gpube__triangle_plan(&p->triangle, &cycles, device, c, s) && cycles < p->cycles)
		take(p, GPUBE_BY_TRIANGLES, cycles);
}

static void try_presums(struct gpube__cuda_plan *p, const struct gpube__box_device *device,
	const struct gpube_contraction *c, const struct gpube__shape *s)
{
	double cycles;

	p->tried |= GPUBE_TRIED_PRESUMS;
	if (gpube__presum_plan(&p->presum, &cycles, device, c, s) &&
		cycles * PRESUM_CYCLES < p->cycles)
		take(p, GPUBE_BY_PRESUMS, cycles);
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
	if (!in_batch && !(p->tried & GPUBE_TRIED_LANES) && (any || path == GPUBE_PATH_LANES))
		try_lanes(p, device, c, s);
	if (!in_batch && !(p->tried & GPUBE_TRIED_QUADS) && (any || path == GPUBE_PATH_QUADS))
		try_quads(p, device, c, s);
	if ((path == GPUBE_PATH_STRIPS || (any && is_worth(p, s, STRIP_WORTH))) && !in_batch &&
		!(p->tried & GPUBE_TRIED_STRIPS))
		try_strips(p, path, device, c, s);
	if ((path == GPUBE_PATH_TRIANGLES || (alone && is_worth(p, s, TRIANGLE_WORTH))) &&
		!(p->tried & GPUBE_TRIED_TRIANGLES))
		try_triangles(p, device, c, s);
	if ((path == GPUBE_PATH_PRESUMS || (alone && is_worth(p, s, PRESUM_WORTH))) &&
		!(p->tried & GPUBE_TRIED_PRESUMS))
		try_presums(p, device, c, s);
	if (panels_of(path) && (!any || is_worth(p, s, PANEL_WORTH)) && !in_batch &&
		!(p->tried & GPUBE_TRIED_PANELS))
		try_panels(p, path, device, c, s);
	if (!any && p->by != GPUBE_BY_GENERAL)
		return;
	if ((!alone || is_worth(p, s, BOX_WORTH)) && !(p->tried & GPUBE_TRIED_BOXES))
		try_boxes(p, device, c, s, in_batch);
}

void gpube__cuda_plan_batch(struct gpube__cuda_plan *p, enum gpube__path path,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s, int64_t n, int64_t n_forms, bool aligned)
{
	const bool any = path == GPUBE_PATH_ANY, shares = any && n_forms > MANY_FORMS && n < FEW;
	double cycles;
	bool whole;

	p->tried = 0;
	p->spent = 0;
	if (any && !is_worth_boxes(s, n, general_cycles(s, device))) {
		take(p, GPUBE_BY_GENERAL, INFINITY);
		if (!shares && gpube__direct_plan(&p->direct, &cycles, device, c, s, true))
			take(p, GPUBE_BY_TILES, cycles);
		return;
	}
	if (shares)
		path = GPUBE_PATH_BOXES;
	whole = aligned && (path == GPUBE_PATH_ANY || path == GPUBE_PATH_WHOLE) &&
		gpube__whole_plan(&p->whole, &cycles, device, c, s, n);
	/* no boxes are faster then, and the search for them takes longer than the batch */
	gpube__cuda_plan_make(p, whole && any ? GPUBE_PATH_DIRECT : path, device, c, s, true);
	if (whole && (!any || cycles < p->cycles))
		take(p, GPUBE_BY_WHOLE, cycles);
}

/* ---- operands that are added up first --------------------------------------------------- */

struct merging {
	struct gpube__merged rest, part;
	int64_t stride[GPUBE_BOX_IN * GPUBE_MAX_DIMS];
	struct gpube__cuda_plan plan; /* of the rest */
};

static double merge_cycles(struct merging *m, const struct gpube__merge *merge,
	const struct gpube__box_device *device, const struct gpube_contraction *c)
{
	double cycles = 0;
	struct gpube__shape s;

	gpube__merge_rest(&m->rest, c, merge);
	for (int which = 0; which < merge->n; which++) {
		double cells = (double)gpube__operand_cells(&m->rest.c, which);
		const int n = gpube__merge_part(&m->part, &m->rest, c, merge, which);

		if (n == 1)
			continue;
		for (int k = 0; k < n; k++)
			cells += (double)gpube__operand_cells(&m->part.c, k);
		cycles += MERGE_LAUNCH + 4 * cells / (MERGE_BYTES * device->n_sms);
	}
	gpube__shape_init(&s, &m->rest.c, m->stride, 0);
	m->plan.tried = 0;
	m->plan.cycles = m->plan.spent = 0;
	gpube__cuda_plan_make(&m->plan, GPUBE_PATH_ANY, device, &m->rest.c, &s, false);
	return cycles + m->plan.cycles;
}

/* Errors: ENOMEM */
static int try_merges(struct gpube__cuda_plan *p, struct gpube_ctx *ctx, enum gpube__path path,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s)
{
	const bool forced = path == GPUBE_PATH_MERGED;
	const double joined = (double)s->n_out_cells * (double)s->n_reduced;
	const double into = forced ? joined : joined / MERGE_JOINED;
	const struct gpube__merge_limits limits = {into, forced ? joined : fmin(into, MERGE_MADE)};
	double least = forced ? INFINITY : MERGE_LESS * p->cycles;
	struct gpube__merge found[2];
	struct merging *m;
	int n;

	p->tried |= GPUBE_TRIED_MERGES;
	n = gpube__merge_find(found, c, &limits);
	if (n == 0)
		return GPUBE_OK;
	m = gpube__alloc(ctx, 1, sizeof(*m));
	if (!m)
		return GPUBE_ENOMEM;
	for (int i = 0; i < n; i++) {
		const double cycles = merge_cycles(m, &found[i], device, c);

		if (cycles >= least)
			continue;
		least = cycles;
		p->merge = found[i];
		p->unmerged = p->by == GPUBE_BY_MERGED ? p->unmerged : p->by;
		take(p, GPUBE_BY_MERGED, cycles);
	}
	gpube__free(ctx, m);
	return GPUBE_OK;
}

/*
 * Whether what does it so far may be slower than sums of few operands. Outputs of 2^32 cells and
 * more are bound by how their runs lie in memory instead: measured, they took as long or longer.
 */
static bool may_merge(const struct gpube__cuda_plan *p, enum gpube__path path,
	const struct gpube__shape *s)
{
	const bool sums = p->by == GPUBE_BY_GENERAL || p->by == GPUBE_BY_BOXES ||
			  p->by == GPUBE_BY_TILES || p->by == GPUBE_BY_PANELS;

	if (s->n_in < 3 || (p->tried & GPUBE_TRIED_MERGES))
		return false;
	return path == GPUBE_PATH_MERGED || (path == GPUBE_PATH_ANY && sums &&
						    s->n_out_cells <= UINT32_MAX &&
						    is_worth(p, s, MERGE_WORTH));
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
	if (!plan->tried || plan->by != GPUBE_BY_MERGED)
		gpube__cuda_plan_make(plan, path, device, c, s, false);
	if (may_merge(plan, path, s) &&
		try_merges(plan, ctx, path, device, c, s))
		return GPUBE_ENOMEM;
	plan->spent += plan->cycles;
	*out = plan;
	return GPUBE_OK;
}
