/* solve.c - from a model to a checked optimum: quantise, simplify, order, eliminate, re-cost. */
#include "gpube/be_layout.h"
#include "gpube/be_place.h"
#include "gpube/be_split.h"
#include "gpube/ops/pick.h"
#include "gpube/simplify.h"

#include <math.h>

/* What a device is expected to do, before one is opened. */
#define DEVICE_CELLS_PER_SECOND 1e12

/* Everything between the caller's model and its solution; zero-initialised, cleared once. */
struct job {
	struct gpube_ctx *ctx;
	const struct gpube_model *given;
	const struct gpube_solve_opts *opts;
	const struct gpube_ops *ops;
	struct gpube_model *quantised; /* NULL if the given model has costs */
	const struct gpube_model *costs;
	struct gpube_simplified s;
	struct gpube_graph graph;
	int32_t *order;
	struct gpube_be be;
	struct gpube_working working;
	bool keep;
	uint8_t *side; /* per bucket; NULL: all on 'ops' */
	struct gpube_be_split *split; /* over several devices, or in slices, or NULL */
	bool sliced;
	struct gpube_solution *out;
};

/* All but the solution; the job can begin again. */
static void job_clear(struct job *j)
{
	gpube__split_free(j->split);
	j->split = NULL;
	j->sliced = false;
	gpube__be_clear(&j->be);
	gpube__free(j->ctx, j->side);
	j->side = NULL;
	gpube__free(j->ctx, j->order);
	j->order = NULL;
	gpube__graph_clear(j->ctx, &j->graph);
	gpube__simplified_clear(j->ctx, &j->s);
	gpube_model_free(j->quantised);
	j->quantised = NULL;
}

void gpube_solution_free(struct gpube_solution *s, struct gpube_ctx *ctx)
{
	if (!s)
		return;
	gpube__free(ctx, s->values);
	gpube__free(ctx, s->count);
	gpube__free(ctx, s->order);
	gpube__free(ctx, s);
}

static int simplify(struct job *j, int precision)
{
	double start = gpube__now();
	int status;

	j->costs = j->given;
	if (j->given->kind == GPUBE_POTENTIALS) {
		status = gpube__quantise(&j->quantised, j->given, precision);
		if (status)
			return status;
		j->costs = j->quantised;
	}
	status = gpube__simplify(&j->s, j->costs, !j->opts->no_simplify);
	if (status)
		return status;
	j->out->scale = j->costs->scale;
	j->out->plan.n_vars = j->s.model->n_vars;
	j->out->plan.n_functions = j->s.model->n_functions;
	j->out->plan.n_components = j->s.n_components;
	j->out->seconds_simplify += gpube__now() - start;
	gpube__log(j->ctx, GPUBE_LOG_DETAIL,
		"simplified to %d variables, %d functions, %d components (%d observed, %lld values "
		"removed, %d variables fixed, %d functions merged, %d absorbed)",
		j->s.model->n_vars, j->s.model->n_functions, j->s.n_components, j->s.n_evidence,
		(long long)j->s.n_values_removed, j->s.n_vars_fixed, j->s.n_merged,
		j->s.n_absorbed);
	return GPUBE_OK;
}

/*
 * A search pays while it saves more elimination than it costs. A first one is as
 * short as for a device; where none will be used, the long one follows.
 */
static int search_order(struct job *j, struct gpube_order_cost *cost)
{
	const struct gpube_solve_opts *o = j->opts;
	/* all threads eliminate, as all search */
	const double cpu_rate = gpube__ops_cpu()->cells_per_second * j->ctx->n_threads;
	bool twice = o->backend != GPUBE_BACKEND_CPU && !(o->order_seconds > 0) &&
		     o->order_method == GPUBE_ORDER_AUTO;
	int status = gpube__order_find(j->ctx, j->order, cost, &j->graph, o->order_method,
		o->order_seconds, twice ? DEVICE_CELLS_PER_SECOND : cpu_rate, o->seed);

	if (status || !twice)
		return status;
	status = gpube__pick_early(
		&j->ops, j->ctx, o->backend, cost->joined_cells, cost->largest_message);
	if (status || j->ops != gpube__ops_cpu())
		return status;
	return gpube__order_find(
		j->ctx, j->order, cost, &j->graph, o->order_method, 0, cpu_rate, o->seed);
}

/* The order, in terms of the model as it was given. */
static int tell_order(struct job *j)
{
	int32_t n = j->given->n_vars, left = j->s.model->n_vars, at = 0;
	int32_t *original = gpube__alloc(j->ctx, (uint64_t)left, sizeof(*original));

	if (!j->out->order)
		j->out->order = gpube__alloc(j->ctx, (uint64_t)n, sizeof(*j->out->order));
	if (!original || !j->out->order) {
		gpube__free(j->ctx, original);
		return GPUBE_ENOMEM;
	}
	for (int32_t i = 0; i < n; i++) {
		if (j->s.var[i] < 0)
			j->out->order[at++] = i;
		else
			original[j->s.var[i]] = i;
	}
	for (int32_t k = 0; k < left; k++)
		j->out->order[at++] = original[j->order[k]];
	gpube__free(j->ctx, original);
	return GPUBE_OK;
}

static int find_order(struct job *j)
{
	double start = gpube__now();
	struct gpube_plan *plan = &j->out->plan;
	struct gpube_order_cost cost;
	int status = gpube__graph_of_model(&j->graph, j->s.model);

	if (status)
		return status;
	j->order = gpube__alloc(j->ctx, (uint64_t)j->s.model->n_vars, sizeof(*j->order));
	if (!j->order)
		return GPUBE_ENOMEM;
	if (j->opts->order_method == GPUBE_ORDER_GIVEN) {
		if (!j->opts->order)
			return gpube__fail(j->ctx, GPUBE_EINVAL, "no order is given");
		status = gpube__simplified_order(
			j->order, &j->s, j->opts->order, j->given->n_vars);
		if (!status)
			status = gpube__order_cost(j->ctx, &cost, &j->graph, j->order);
	} else {
		status = search_order(j, &cost);
	}
	if (status)
		return status;
	plan->width = cost.width;
	plan->joined_cells = cost.joined_cells;
	plan->largest_joined = cost.largest_joined;
	plan->largest_message = cost.largest_message;
	j->out->seconds_order += gpube__now() - start;
	gpube__log(j->ctx, GPUBE_LOG_DETAIL,
		"order: width %d, %.3g joined cells, largest table %.3g cells (%.2f s)", cost.width,
		cost.joined_cells, cost.largest_message, j->out->seconds_order);
	return tell_order(j);
}

/* ELIMIT's text: the plan, and what would fit. */
static int too_large(struct job *j, double bytes)
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
static int place(struct job *j, const struct gpube_be_memory *memory, bool *decided)
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

static const struct gpube_ops *open_cpu(struct gpube_ctx *ctx, int *status)
{
	(void)ctx;
	*status = GPUBE_OK;
	return gpube__ops_cpu();
}

/*
 * Of a device's memory, what tables of a slice may take: what they are rounded up to wants some, and
 * descriptors and partial results of kernels want SLICE_ASIDE bytes, however small the tables are.
 */
#define SLICE_SHARE 0.97
#define SLICE_ASIDE (2 << 20)

/* Slices that fit what a backend may have; *out is NULL where there are none. */
static int slices_on(struct gpube_be_split **out, struct job *j, const struct gpube_ops *ops)
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
static int slice(struct job *j, double whole)
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
static int split(struct job *j)
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
static int add_waste(struct job *j)
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
static int slice_if_large(struct job *j, double bytes, double allowed)
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
static int plan_on_one(struct job *j, const struct gpube_be_memory *memory)
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

/* Sizes every table before the first is allocated, and decides how to keep the assignment. */
static int make_plan(struct job *j)
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

/* Decimals after which 'n' sums that may pass 2^63 no longer do. */
static int excess_decimals(int32_t n)
{
	int decimals = 1;

	for (; n >= 10; n /= 10)
		decimals++;
	return decimals;
}

/*
 * From the model as given to a plan. Where logarithms with as many decimals as
 * their total allows add up to too much in one bucket, once more with fewer.
 */
static int prepare(struct job *j)
{
	int precision = j->opts->precision;

	for (;;) {
		int status = simplify(j, precision), scale;

		if (status || j->s.infeasible)
			return status;
		status = find_order(j);
		if (!status)
			status = make_plan(j);
		scale = j->costs->scale;
		if (status != GPUBE_ERANGE || !j->quantised || j->opts->precision || scale <= 1)
			return status;
		precision = scale - excess_decimals(j->be.most_inputs);
		precision = precision > 1 ? precision : 1;
		gpube__log(j->ctx, GPUBE_LOG_DETAIL,
			"sums of %d decimals would be too large: %d are taken", scale, precision);
		job_clear(j);
	}
}

/* The checks that make an answer an answer: the assignment costs, in the file's numbers, what was
 * claimed. */
static int recost(struct job *j, int64_t optimum)
{
	struct gpube_solution *out = j->out;
	int64_t cost;
	int status = gpube_model_cost(&cost, j->costs, out->values);

	if (status)
		return status;
	if (cost != optimum)
		return gpube__fail(j->ctx, GPUBE_EBUG,
			"internal error: the assignment costs %lld, not %lld; please report this",
			(long long)cost, (long long)optimum);
	out->cost = cost;
	if (j->given->kind == GPUBE_POTENTIALS)
		status = gpube_model_log_value(&out->log_value, j->given, out->values);
	return status;
}

/* The optimum of the simplified model and an assignment of it, with what they took. */
static int eliminate_here(struct job *j, int64_t *optimum, int32_t *reduced)
{
	struct gpube_solution *out = j->out;
	int status = GPUBE_OK;
	const struct gpube_ops *device = j->side ? gpube__ops_cuda(j->ctx, &status) : NULL;
	const struct gpube_be_sides sides = {{j->ops, device}, j->side, NULL};
	struct gpube_be_times times = {
		gpube__alloc_zero(j->ctx, (uint64_t)j->be.n, sizeof(*times.buckets)), 0, 0};

	if (!times.buckets)
		return GPUBE_ENOMEM;
	for (int k = 0; k < 2 && !status; k++)
		if (sides.ops[k] && sides.ops[k]->expect)
			status = sides.ops[k]->expect(j->ctx, out->plan.peak_bytes);
	if (!status)
		status = gpube__be_run(optimum, reduced, NULL, &j->be, &sides, &j->working, 0,
			j->keep, &times);
	if (!status) {
		gpube__be_log(&j->be, &sides, j->working.type, &times);
		out->seconds_copying = times.copying;
		out->seconds_assign = times.assigning;
		for (int32_t p = 0; p < j->be.n; p++)
			out->seconds_contracting += times.buckets[p];
	}
	gpube__free(j->ctx, times.buckets);
	return status;
}

static int eliminate_split(struct job *j, int64_t *optimum, int32_t *reduced)
{
	struct gpube_split_times times;
	int status = gpube__split_run(optimum, reduced, j->split,
		j->ops == gpube__ops_cpu() ? open_cpu : gpube__ops_cuda, &times);

	if (status && (status != GPUBE_ESTOP || !j->sliced || *optimum == GPUBE_INF))
		return status;
	j->out->bound = gpube__split_bound(j->split);
	j->out->seconds_copying = times.copying;
	j->out->seconds_assign = times.assigning;
	j->out->seconds_contracting = times.contracting;
	return status;
}

static int count(struct job *j)
{
	const struct gpube_be_sides sides = {{j->ops, NULL}, NULL, NULL};
	const double start = gpube__now();
	/* on one backend: place() leaves counting out */
	int status = j->split ? gpube__split_count(&j->out->count, j->split)
			      : gpube__be_count(&j->out->count, &j->be, &sides, &j->working);

	j->out->seconds_count = gpube__now() - start;
	return status;
}

static int eliminate(struct job *j)
{
	struct gpube_solution *out = j->out;
	double start = gpube__now();
	int32_t *reduced = gpube__alloc(j->ctx, (uint64_t)j->s.model->n_vars, sizeof(*reduced));
	int64_t optimum = GPUBE_INF;
	bool stopped;
	int status = GPUBE_ENOMEM;

	if (!reduced)
		goto out;
	status = j->split ? eliminate_split(j, &optimum, reduced)
			  : eliminate_here(j, &optimum, reduced);
	/* between slices: the best of those that were done */
	stopped = status == GPUBE_ESTOP && j->sliced && optimum != GPUBE_INF;
	if (status && !stopped)
		goto out;
	out->seconds_eliminate = gpube__now() - start - out->seconds_assign;
	if (optimum == GPUBE_INF) {
		out->answer = GPUBE_ANSWER_INFEASIBLE;
		goto out;
	}
	out->values = gpube__alloc(j->ctx, (uint64_t)j->given->n_vars, sizeof(*out->values));
	if (!out->values) {
		status = GPUBE_ENOMEM;
		goto out;
	}
	start = gpube__now();
	gpube__simplified_extend(&j->s, out->values, reduced);
	status = recost(j, j->s.negated ? -optimum : optimum);
	out->seconds_assign += gpube__now() - start;
	if (status)
		goto out;
	if (stopped) {
		out->bound = j->s.negated ? -out->bound : out->bound;
		status = gpube__fail_stopped(j->ctx);
		goto out;
	}
	out->bound = out->cost;
	out->answer = GPUBE_ANSWER_OPTIMAL;
	if (j->opts->count)
		status = count(j);
out:
	gpube__free(j->ctx, reduced);
	return status;
}

static int run(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_solve_opts *opts, bool plan_only)
{
	static const struct gpube_solve_opts none = {.sizeof_options = sizeof(none)};
	struct gpube_ctx *ctx = m->ctx;
	struct job j = {
		.ctx = ctx, .given = m, .opts = opts ? opts : &none, .ops = gpube__ops_cpu()};
	double deadline = ctx->deadline;
	int status;

	*out = NULL;
	if (j.opts->sizeof_options != sizeof(*opts))
		return gpube__fail(ctx, GPUBE_EINVAL, "sizeof_options is not set");
	j.out = gpube__alloc_zero(ctx, 1, sizeof(*j.out));
	if (!j.out)
		return GPUBE_ENOMEM;
	j.out->answer = GPUBE_ANSWER_INCOMPLETE;
	j.out->backend = j.ops->name;
	if (j.opts->timeout_seconds > 0)
		ctx->deadline = gpube__now() + j.opts->timeout_seconds;
	status = prepare(&j);
	if (!status && j.s.infeasible)
		j.out->answer = GPUBE_ANSWER_INFEASIBLE;
	else if (!status && !plan_only)
		status = eliminate(&j);
	ctx->deadline = deadline;
	job_clear(&j);
	/* what is known so far is the caller's also after a limit or a stop */
	if (status && status != GPUBE_ELIMIT && status != GPUBE_ESTOP) {
		gpube_solution_free(j.out, ctx);
		return status;
	}
	*out = j.out;
	return status;
}

int gpube_solve(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_solve_opts *opts)
{
	return run(out, m, opts, false);
}

int gpube_plan(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_solve_opts *opts)
{
	return run(out, m, opts, true);
}
