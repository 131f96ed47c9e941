/* solve_plan.c - decides which backend eliminates, and in how many pieces: see solve_parts.h. */
#include "gpube/eliminate/be_layout.h"
#include "gpube/options/options.h"
#include "gpube/eliminate/be_place.h"
#include "gpube/eliminate/solve_parts.h"
#include "gpube/ops/device/backend.h"
#include "gpube/ops/pick.h"

#include <math.h>
#include <string.h>

/*
 * What the choosers read. They do not change it: each writes one way, whose 'ops' is NULL where it
 * does not apply.
 */
struct facts {
	struct gpube_ctx *ctx;
	const struct gpube__solve_task *t;
	const struct gpube_be *be;
	enum gpube_type type;
	struct gpube_be_memory memory;
	struct gpube_plan figures; /* of one piece on the expected side */
	int n_devices;             /* that are worth opening */
};

/* ELIMIT's text: the plan, and what would fit. */
static int too_large(const struct gpube__solve_task *t, const struct gpube_ops *ops,
	enum gpube_type type, double bytes)
{
	char need[GPUBE_BYTES_TEXT], have[GPUBE_BYTES_TEXT];
	struct gpube_ctx *ctx = t->m->ctx;
	const double allowed = (double)ops->memory(ctx);

	return gpube__fail(ctx, GPUBE_ELIMIT,
		"elimination along this order needs %s of tables (width %d, largest table %.3g "
		"cells), %s are allowed: tables of about %.2g cells would fit; give more memory, a "
		"better order or more time to find one",
		gpube__bytes_text(need, bytes), t->figures.width, t->figures.largest_message,
		gpube__bytes_text(have, allowed), allowed / (double)gpube__type_size(type) / 2);
}

/* ---- both sides -------------------------------------------------------------------------- */

static struct gpube__solve_way way_on(const struct facts *f, const struct gpube_ops *ops)
{
	struct gpube__solve_way way = {.ops = ops, .backend = ops->name, .figures = f->figures};

	way.keep = gpube__be_keeps(&f->memory, f->ctx, ops);
	way.figures.peak_bytes = way.keep ? f->memory.keep : f->memory.args;
	return way;
}

/* The host alone, or both, if that is predicted to be faster and the device holds all messages. */
static int weigh_sides(struct gpube__solve_way *out, const struct facts *f, uint8_t *side)
{
	const struct gpube_rate host = gpube__rate_of(f->ctx, gpube__ops_cpu());
	const struct gpube_rate device = gpube__rate_of(f->ctx, NULL);
	const struct gpube_ops *cuda;
	double seconds[2];
	int ignored, status = gpube__be_place(side, seconds, f->be, f->type, &host, &device);

	if (status)
		return status;
	if (seconds[1] + gpube__open_seconds(f->ctx) < seconds[0]) {
		cuda = gpube__ops_cuda(f->ctx, &ignored);
		if (cuda && f->memory.keep > (double)cuda->memory(f->ctx))
			return GPUBE_OK;
		if (cuda) {
			*out = way_on(f, gpube__ops_cpu());
			out->backend = "cpu+cuda";
			out->side = side;
			out->keep = true;
			out->figures.peak_bytes = f->memory.keep;
			out->figures.predicted_seconds = seconds[1];
			return GPUBE_OK;
		}
	}
	*out = way_on(f, gpube__ops_cpu());
	out->figures.predicted_seconds = seconds[0];
	return GPUBE_OK;
}

/*
 * Whether the host and a device together are faster than either alone; only where either holds
 * all tables, so that nothing about memory depends on it.
 */
static int choose_sides(struct gpube__solve_way *out, const struct facts *f)
{
	const struct gpube_opts *o = f->t->opts;
	uint8_t *side;
	int status;

	if (o->backend != GPUBE_BACKEND_AUTO || f->memory.keep > (double)f->ctx->memory_bytes ||
		o->count)
		return GPUBE_OK;
	side = gpube__alloc(f->ctx, (uint64_t)f->be->n, sizeof(*side));
	if (!side)
		return GPUBE_ENOMEM;
	status = weigh_sides(out, f, side);
	if (!out->side)
		gpube__free(f->ctx, side);
	return status;
}

/* ---- slices ------------------------------------------------------------------------------ */

/*
 * Of a device's memory, what tables of a slice may take: what they are rounded up to wants some,
 * and descriptors and partial results of kernels want SLICE_ASIDE bytes, however small the tables
 * are.
 */
#define SLICE_SHARE 0.97
#define SLICE_ASIDE (2 << 20)

/* Slices that fit what a backend may have; *out is NULL where there are none. */
static int slices_on(
	struct gpube_be_split **out, const struct facts *f, const struct gpube_ops *ops)
{
	const struct gpube_rate rate = gpube__rate_of(f->ctx, ops);
	const double memory = (double)ops->memory(f->ctx);
	const bool cpu = ops == gpube__ops_cpu();
	const struct gpube_slicing how = {.type = f->type,
		.limit = cpu ? memory : fmax(SLICE_SHARE * memory - SLICE_ASIDE, 0),
		.block = ops->alloc_block != NULL,
		.count = f->t->opts->count,
		.rate = ops->cells_per_second * (cpu ? f->ctx->n_threads : 1),
		.bucket = rate.launch * (1 + (double)f->be->n_inputs / fmax(f->be->n, 1)),
		.n_workers = cpu ? 1 : f->n_devices,
		.seed = f->t->opts->seed};
	int status = gpube__split_slices(out, f->be, f->t->order, &how);

	return status == GPUBE_ELIMIT ? GPUBE_OK : status;
}

/* The way that does these slices. */
static struct gpube__solve_way way_in_slices(
	const struct facts *f, const struct gpube_ops *ops, struct gpube_be_split *s)
{
	const struct gpube_box_cost *cost = gpube__split_cost(s);
	const double n = (double)gpube__split_n(s);
	struct gpube__solve_way way = {.ops = ops,
		.backend = ops->name,
		.split = s,
		.sliced = true,
		.figures = f->figures};

	way.figures.n_slices = n;
	way.figures.joined_cells = n * cost->joined;
	way.figures.largest_joined = cost->largest_joined;
	way.figures.largest_message = cost->largest_message;
	way.figures.peak_bytes = gpube__box_bytes(cost, f->t->opts->count);
	way.figures.predicted_seconds = gpube__split_seconds(s);
	gpube__log(f->ctx, GPUBE_LOG_DETAIL,
		"plan: %.0f slices by %d variable%s on the %s, %.3g bytes of tables each, %.3g "
		"joined cell%s in all (%.3g in one piece), at most about %.2g s",
		n, gpube__split_n_vars(s), gpube__plural(gpube__split_n_vars(s)), ops->name,
		way.figures.peak_bytes, way.figures.joined_cells,
		gpube__plural(way.figures.joined_cells), f->figures.joined_cells,
		way.figures.predicted_seconds);
	return way;
}

/*
 * Slices, where the tables do not fit their memory, on the backend that is predicted to end first,
 * if that is before 'whole', the seconds of one piece.
 */
static int choose_slices(struct gpube__solve_way *out, const struct facts *f, double whole)
{
	const struct gpube_opts *o = f->t->opts;
	const struct gpube_ops *sides[2] = {NULL, NULL}, *on = NULL;
	struct gpube_be_split *best = NULL;
	int ignored, status = GPUBE_OK;

	if (o->no_slices)
		return GPUBE_OK;
	if (o->backend != GPUBE_BACKEND_CUDA)
		sides[0] = gpube__ops_cpu();
	if (o->backend != GPUBE_BACKEND_CPU && f->ctx->device)
		sides[1] = gpube__ops_cuda(f->ctx, &ignored);
	for (int k = 0; k < 2 && !status; k++) {
		struct gpube_be_split *s = NULL;

		if (sides[k])
			status = slices_on(&s, f, sides[k]);
		if (status || !s || gpube__split_seconds(s) >= whole) {
			gpube__split_free(s);
			continue;
		}
		whole = gpube__split_seconds(s);
		gpube__split_free(best);
		best = s;
		on = sides[k];
	}
	if (status)
		gpube__split_free(best);
	else if (best)
		*out = way_in_slices(f, on, best);
	return status;
}

/* Slices, where the chosen side or an open device does not hold the tables. */
static int choose_slices_if_large(
	struct gpube__solve_way *out, const struct facts *f, const struct gpube__solve_way *whole)
{
	const double bytes = whole->figures.peak_bytes;
	const double allowed = (double)whole->ops->memory(f->ctx);
	int ignored;
	const struct gpube_ops *cuda = f->ctx->device && f->t->opts->backend != GPUBE_BACKEND_CPU
					       ? gpube__ops_cuda(f->ctx, &ignored)
					       : NULL;

	if (bytes > allowed)
		return choose_slices(out, f, INFINITY);
	return cuda && bytes > (double)cuda->memory(f->ctx)
		       ? choose_slices(out, f, whole->figures.predicted_seconds)
		       : GPUBE_OK;
}

/* ---- several devices --------------------------------------------------------------------- */

/* So many of the devices that are named as end the elimination soonest, all or the first. */
static int devices_that_pay(const struct facts *f)
{
	const struct gpube_rate rate = gpube__rate_of(f->ctx, NULL);
	const int n = f->ctx->n_devices;
	int n_seen;

	if (n < 2 || f->t->opts->count || f->t->opts->backend == GPUBE_BACKEND_CPU ||
		!gpube__further_devices_pay(f->ctx, gpube__be_seconds(f->be, f->type, &rate, NULL)))
		return 1;
	n_seen = gpube__cuda_devices(f->ctx);
	for (int k = 0; k < n; k++)
		if (f->ctx->devices[k] >= n_seen) /* the order was not found to be worth it */
			return 1;
	return n;
}

/* Slices for all devices, where that pays and values can be divided. */
static int choose_devices(struct gpube__solve_way *out, const struct facts *f)
{
	const struct gpube_ops *cuda;
	struct gpube_be_split *s = NULL;
	int status = GPUBE_OK;

	if (f->n_devices < 2 || f->t->opts->no_slices)
		return GPUBE_OK;
	cuda = gpube__ops_cuda(f->ctx, &status);
	if (!cuda)
		return status;
	status = slices_on(&s, f, cuda);
	if (!status && s)
		*out = way_in_slices(f, cuda, s);
	return status;
}

/* ---- one backend ------------------------------------------------------------------------- */

/*
 * Bytes that a device needs besides, so that its messages have room in one block; 0 where they
 * could not be in one.
 */
static int find_waste(double *waste, const struct facts *f, const struct gpube__solve_way *way)
{
	const struct gpube_ops *ops = way->ops;
	const double bytes = way->figures.peak_bytes;
	struct gpube__layout l;
	int status;

	*waste = 0;
	if (!ops->alloc_block || f->t->opts->count || bytes > (double)ops->memory(f->ctx))
		return GPUBE_OK;
	status = gpube__be_layout(&l, f->be, f->type, way->keep, true, 0);
	if (status)
		return status;
	gpube__log(f->ctx, GPUBE_LOG_DETAIL,
		"messages in a block of %.4g bytes, %.4g alive at most", (double)l.bytes,
		(double)l.alive);
	if (bytes + (double)(l.bytes - l.alive) <= (double)ops->memory(f->ctx))
		*waste = (double)(l.bytes - l.alive);
	gpube__layout_clear(&l, f->ctx);
	return GPUBE_OK;
}

/* Chooses one backend, if the tables fit. */
static int choose_one(struct gpube__solve_way *out, const struct facts *f)
{
	const struct gpube_opts *o = f->t->opts;
	const double joined = f->figures.joined_cells;
	const struct gpube_ops *ops = f->t->ops;
	struct gpube__solve_way way, slices = {NULL};
	double waste;
	int status = gpube__pick(&ops, f->ctx, o->backend, joined,
		fmax(fmin(f->memory.keep, f->memory.args), o->count ? f->memory.count : 0));

	if (status)
		return status;
	way = way_on(f, ops);
	way.figures.predicted_seconds = gpube__predicted_seconds(f->ctx, ops, joined);
	if (o->count)
		way.figures.peak_bytes = fmax(way.figures.peak_bytes, f->memory.count);
	*out = way;
	status = choose_slices_if_large(&slices, f, &way);
	if (slices.ops)
		*out = slices;
	if (status || slices.ops)
		return status;
	if (way.figures.peak_bytes > (double)ops->memory(f->ctx))
		return too_large(f->t, ops, f->type, way.figures.peak_bytes);
	status = find_waste(&waste, f, &way);
	if (status)
		return status;
	out->figures.peak_bytes += waste;
	gpube__log(f->ctx, GPUBE_LOG_DETAIL,
		"plan: %s costs, %.3g bytes of tables at the peak, %s, about %.2g s on the %s",
		f->type == GPUBE_INT32 ? "32-bit" : "64-bit", out->figures.peak_bytes,
		way.keep ? "messages kept" : "arg-mins stored", way.figures.predicted_seconds,
		ops->name);
	return GPUBE_OK;
}

/* ---- all of them ------------------------------------------------------------------------- */

/* Takes the first way that applies. */
static int choose_way(struct gpube__solve_way *out, const struct facts *f)
{
	static int (*const choosers[])(struct gpube__solve_way *, const struct facts *) = {
		choose_devices, choose_sides, choose_one};
	struct gpube__solve_way way = {NULL};
	int status = GPUBE_OK;

	for (int k = 0; k < 3 && !status && !way.ops; k++) {
		way = (struct gpube__solve_way){.figures = f->figures};
		status = choosers[k](&way, f);
	}
	if (!way.ops) { /* none: the expected side, with the figures of what does not fit */
		out->figures = way.figures;
		return status;
	}
	*out = way;
	return status;
}

int gpube__solve_plan(struct gpube__solve_plan *out, const struct gpube__solve_task *t)
{
	struct gpube_ctx *ctx = t->m->ctx;
	struct facts f = {.ctx = ctx, .t = t, .be = &out->be};
	struct gpube__solve_way *way = &out->way;
	int status;

	*out = (struct gpube__solve_plan){.ctx = ctx,
		.working = {.type = GPUBE_INT32},
		.way = {.ops = t->ops, .backend = t->ops->name, .figures = t->figures}};
	way->figures.n_slices = 1;
	way->figures.predicted_seconds =
		gpube__predicted_seconds(ctx, t->ops, t->figures.joined_cells);
	if (t->figures.largest_message > 0x1p62) { /* past what gpube__be_init() can number */
		way->figures.peak_bytes = t->figures.largest_message * 4;
		return too_large(t, t->ops, GPUBE_INT32, way->figures.peak_bytes);
	}
	status = gpube__be_init(&out->be, t->m, t->order);
	if (!status)
		status = gpube__be_working(&out->working, &out->be);
	if (status)
		return status;
	f.type = out->working.type;
	f.figures = way->figures;
	gpube__be_memory(&f.memory, &out->be, f.type);
	f.n_devices = devices_that_pay(&f);
	return choose_way(way, &f);
}

void gpube__solve_plan_clear(struct gpube__solve_plan *p)
{
	if (!p->ctx)
		return;
	gpube__split_free(p->way.split);
	gpube__free(p->ctx, p->way.side);
	gpube__be_clear(&p->be);
	memset(p, 0, sizeof(*p));
}
