/* solve_plan.c - who eliminates what in gpube_solve(), and in how many pieces: see solve_parts.h. */
#include "gpube/eliminate/be_layout.h"
#include "gpube/eliminate/be_place.h"
#include "gpube/ops/pick.h"
#include "gpube/eliminate/solve_parts.h"

#include <math.h>

/* ELIMIT's text: the plan, and what would fit. */
static int too_large(struct gpube__solving *j, double bytes)
{
	char need[GPUBE_BYTES_TEXT], have[GPUBE_BYTES_TEXT];
	struct gpube_plan *plan = &j->out->plan;
	double allowed = (double)j->ops->memory(j->ctx);
	double cells = allowed / (double)gpube__type_size(j->working.type) / 2;

	plan->peak_bytes = bytes;
	return gpube__fail(j->ctx, GPUBE_ELIMIT,
		"elimination along this order needs %s of tables (width %d, largest table %.3g "
		"cells), %s are allowed: tables of about %.2g cells would fit; give more memory, a "
		"better order or more time to find one",
		gpube__bytes_text(need, bytes), plan->width, plan->largest_message,
		gpube__bytes_text(have, allowed), cells);
}

/*
 * Whether the host and a device together are faster than either alone; only where either holds
 * all tables, so that nothing about memory depends on it.
 */
static int place(struct gpube__solving *j, const struct gpube_be_memory *memory, bool *decided)
{
	struct gpube_rate host = gpube__rate_of(j->ctx, gpube__ops_cpu());
	struct gpube_rate device = gpube__rate_of(j->ctx, NULL);
	const struct gpube_ops *cuda;
	double seconds[2];
	int status;

	*decided = false;
	if (j->opts->backend != GPUBE_BACKEND_AUTO || memory->keep > (double)j->ctx->memory_bytes ||
		j->opts->count)
		return GPUBE_OK;
	j->side = gpube__alloc(j->ctx, (uint64_t)j->be.n, sizeof(*j->side));
	if (!j->side)
		return GPUBE_ENOMEM;
	status = gpube__be_place(j->side, seconds, &j->be, j->working.type, &host, &device);
	if (status)
		return status;
	*decided = true;
	j->ops = gpube__ops_cpu();
	j->out->plan.predicted_seconds = seconds[0];
	if (seconds[1] + gpube__open_seconds(j->ctx) < seconds[0]) {
		cuda = gpube__ops_cuda(j->ctx, &status);
		if (cuda && memory->keep <= (double)cuda->resident(j->ctx)) {
			j->out->plan.predicted_seconds = seconds[1];
			return GPUBE_OK;
		}
		*decided = !cuda;
	}
	gpube__free(j->ctx, j->side);
	j->side = NULL;
	return GPUBE_OK;
}

/*
 * Of a device's memory, what tables of a slice may take: what they are rounded up to wants some, and
 * descriptors and partial results of kernels want SLICE_ASIDE bytes, however small the tables are.
 */
#define SLICE_SHARE 0.97
#define SLICE_ASIDE (2 << 20)

/* Slices that fit what a backend may have; *out is NULL where there are none. */
static int slices_on(struct gpube_be_split **out, struct gpube__solving *j, const struct gpube_ops *ops)
{
	const struct gpube_rate rate = gpube__rate_of(j->ctx, ops);
	const bool cpu = ops == gpube__ops_cpu();
	const struct gpube_slicing how = {.type = j->working.type,
		.limit = ops->resident ? fmax(SLICE_SHARE * (double)ops->resident(j->ctx) -
							SLICE_ASIDE, 0)
				       : (double)ops->memory(j->ctx),
		.block = ops->alloc_block != NULL,
		.count = j->opts->count,
		.rate = ops->cells_per_second * (cpu ? j->ctx->n_threads : 1),
		.bucket = rate.launch * (1 + (double)j->be.n_inputs / fmax(j->be.n, 1)),
		.n_workers = cpu || j->opts->count ? 1 : j->ctx->n_devices,
		.seed = j->opts->seed};
	int status = gpube__split_slices(out, &j->be, j->order, &how);

	return status == GPUBE_ELIMIT ? GPUBE_OK : status;
}

/*
 * Where the tables do not fit what has to hold them: in slices, on the backend that is predicted to
 * be the first with them, if that is before 'whole', the seconds of the whole with tables that stream.
 */
static int slice(struct gpube__solving *j, double whole)
{
	struct gpube_plan *plan = &j->out->plan;
	const struct gpube_ops *sides[2] = {NULL, NULL};
	const struct gpube_box_cost *cost;
	double n;
	int ignored, status = GPUBE_OK;

	if (j->opts->no_slices)
		return GPUBE_OK;
	if (j->opts->backend != GPUBE_BACKEND_CUDA)
		sides[0] = gpube__ops_cpu();
	if (j->opts->backend != GPUBE_BACKEND_CPU && j->ctx->device)
		sides[1] = gpube__ops_cuda(j->ctx, &ignored);
	for (int k = 0; k < 2 && !status; k++) {
		struct gpube_be_split *s;

		if (!sides[k])
			continue;
		status = slices_on(&s, j, sides[k]);
		if (status || !s)
			continue;
		if (gpube__split_seconds(s) >= whole) {
			gpube__split_free(s);
			continue;
		}
		whole = gpube__split_seconds(s);
		gpube__split_free(j->split);
		j->split = s;
		j->ops = sides[k];
	}
	if (status || !j->split)
		return status;
	j->sliced = true;
	cost = gpube__split_cost(j->split);
	n = (double)gpube__split_n(j->split);
	gpube__log(j->ctx, GPUBE_LOG_DETAIL,
		"plan: %.0f slices by %d variables on the %s, %.3g bytes of tables each, %.3g "
		"joined cells in all (%.3g in one piece), at most about %.2g s",
		n, gpube__split_n_cuts(j->split), j->ops->name,
		gpube__box_bytes(cost, j->opts->count), n * cost->joined, plan->joined_cells,
		whole);
	j->out->backend = j->ops->name;
	plan->n_slices = n;
	plan->joined_cells = n * cost->joined;
	plan->largest_joined = cost->largest_joined;
	plan->largest_message = cost->largest_message;
	plan->peak_bytes = gpube__box_bytes(cost, j->opts->count);
	plan->predicted_seconds = whole;
	return GPUBE_OK;
}

/* What several devices have to win back, in seconds of the CPU. */
#define SPLIT_SECONDS 2.0

/* Shares the elimination out over the devices asked for, where that can be done and pays. */
static int split(struct gpube__solving *j)
{
	struct gpube_plan *plan = &j->out->plan;
	double here = gpube__predicted_seconds(j->ctx, gpube__ops_cpu(), plan->joined_cells);
	const struct gpube_box_cost *cost;
	const struct gpube_ops *cuda;
	double bytes;
	int status = GPUBE_OK;

	if (j->ctx->n_devices < 2 || j->opts->count || j->opts->backend == GPUBE_BACKEND_CPU ||
		(j->opts->backend == GPUBE_BACKEND_AUTO && here < SPLIT_SECONDS))
		return GPUBE_OK;
	cuda = gpube__ops_cuda(j->ctx, &status);
	if (!cuda)
		return j->opts->backend == GPUBE_BACKEND_CUDA ? status : GPUBE_OK;
	status = gpube__split_new(&j->split, &j->be, j->working.type, j->order);
	if (status)
		return status == GPUBE_EINVAL || status == GPUBE_ERANGE ? GPUBE_OK : status;
	cost = gpube__split_cost(j->split);
	bytes = gpube__box_bytes(cost, false);
	if (bytes > (double)cuda->memory(j->ctx)) {
		gpube__split_free(j->split);
		j->split = NULL;
		status = slice(j, INFINITY);
		return status || j->split ? status : too_large(j, bytes);
	}
	j->ops = cuda;
	j->out->backend = cuda->name;
	plan->peak_bytes = bytes;
	plan->predicted_seconds = gpube__predicted_seconds(j->ctx, cuda, cost->joined);
	gpube__log(j->ctx, GPUBE_LOG_DETAIL, "%d parts: %.3g of %.3g joined cells each",
		(int)gpube__split_n(j->split), cost->joined, plan->joined_cells);
	return GPUBE_OK;
}

/*
 * What a device needs besides for its messages to have room in one block; nothing where they could
 * not be in one, since those that do not fit are streamed.
 */
static int add_waste(struct gpube__solving *j)
{
	const struct gpube_ops *ops = j->ops;
	struct gpube_plan *plan = &j->out->plan;
	struct gpube__layout l;
	double waste;
	int status;

	if (!ops->alloc_block || j->opts->count || plan->peak_bytes > (double)ops->resident(j->ctx))
		return GPUBE_OK;
	status = gpube__be_layout(&l, &j->be, j->working.type, j->keep, true, 0);
	if (status)
		return status;
	waste = (double)(l.bytes - l.alive);
	gpube__log(j->ctx, GPUBE_LOG_DETAIL, "messages in a block of %.4g bytes, %.4g alive at most",
		(double)l.bytes, (double)l.alive);
	if (plan->peak_bytes + waste <= (double)ops->resident(j->ctx))
		plan->peak_bytes += waste;
	gpube__layout_clear(&l, j->ctx);
	return GPUBE_OK;
}

/* Slices where neither side holds the tables, or a device that is open only if they stream. */
static int slice_if_large(struct gpube__solving *j, double bytes, double allowed)
{
	const struct gpube_plan *plan = &j->out->plan;
	double whole = plan->predicted_seconds;
	int ignored;
	const struct gpube_ops *cuda = j->ctx->device && j->opts->backend != GPUBE_BACKEND_CPU
					       ? gpube__ops_cuda(j->ctx, &ignored)
					       : NULL;
	const bool streams = cuda && bytes > (double)cuda->resident(j->ctx);

	if (bytes > allowed)
		whole = INFINITY;
	else if (streams && j->ops == cuda)
		whole = gpube__streamed_seconds(j->ctx, cuda, plan->joined_cells, bytes);
	return bytes > allowed || streams ? slice(j, whole) : GPUBE_OK;
}

/* On one backend: which, and whether the tables fit. */
static int plan_on_one(struct gpube__solving *j, const struct gpube_be_memory *memory)
{
	struct gpube_plan *plan = &j->out->plan;
	double allowed;
	int status;

	status = gpube__pick(&j->ops, j->ctx, j->opts->backend, plan->joined_cells,
		fmax(fmin(memory->keep, memory->args), j->opts->count ? memory->count : 0));
	if (status)
		return status;
	j->out->backend = j->ops->name;
	plan->predicted_seconds = gpube__predicted_seconds(j->ctx, j->ops, plan->joined_cells);
	allowed = (double)j->ops->memory(j->ctx);
	j->keep = gpube__be_keeps(memory, j->ctx, j->ops);
	plan->peak_bytes = j->keep ? memory->keep : memory->args;
	if (j->opts->count)
		plan->peak_bytes = fmax(plan->peak_bytes, memory->count);
	status = slice_if_large(j, plan->peak_bytes, allowed);
	if (status || j->split)
		return status;
	if (plan->peak_bytes > allowed)
		return too_large(j, plan->peak_bytes);
	status = add_waste(j);
	if (status)
		return status;
	gpube__log(j->ctx, GPUBE_LOG_DETAIL,
		"plan: %s costs, %.3g bytes of tables at the peak, %s, about %.2g s on the %s",
		j->working.type == GPUBE_INT32 ? "32-bit" : "64-bit", plan->peak_bytes,
		j->keep ? "messages kept" : "arg-mins stored", plan->predicted_seconds,
		j->ops->name);
	return GPUBE_OK;
}

int gpube__solve_plan(struct gpube__solving *j)
{
	struct gpube_be_memory memory;
	struct gpube_plan *plan = &j->out->plan;
	bool placed;
	int status;

	plan->predicted_seconds = gpube__predicted_seconds(j->ctx, j->ops, plan->joined_cells);
	plan->n_slices = 1;
	j->working.type = GPUBE_INT32;
	if (plan->largest_message > 0x1p62) /* past what gpube__be_init() can number */
		return too_large(j, plan->largest_message * 4);
	status = gpube__be_init(&j->be, j->s.model, j->order);
	if (status)
		return status;
	status = gpube__be_working(&j->working, &j->be);
	if (status)
		return status;
	gpube__be_memory(&memory, &j->be, j->working.type);
	status = split(j);
	if (status || j->split)
		return status;
	status = place(j, &memory, &placed);
	if (status)
		return status;
	if (placed) {
		j->keep = j->side || gpube__be_keeps(&memory, j->ctx, j->ops);
		plan->peak_bytes = j->keep ? memory.keep : memory.args;
		j->out->backend = j->side ? "cpu+cuda" : j->ops->name;
		return GPUBE_OK;
	}
	return plan_on_one(j, &memory);
}
