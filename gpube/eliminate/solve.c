/*
 * solve.c - from a model to a checked optimum by elimination: quantise, simplify, order, eliminate,
 * re-cost.
 */
#include "gpube/eliminate/solve.h"
#include "gpube/eliminate/solve_parts.h"
#include "gpube/ir/dense.h"
#include "gpube/ir/options.h"
#include "gpube/ops/device/backend.h"
#include "gpube/ops/pick.h"
#include "gpube/order/order.h"
#include "gpube/simplify/simplify.h"

#include <math.h>

/* What a device is expected to do, before one is opened. */
#define DEVICE_CELLS_PER_SECOND 1e12

/* Everything between the caller's model and its solution; zero-initialised, cleared once. */
struct solving {
	struct gpube_ctx *ctx;
	const struct gpube_model *given;
	const struct gpube_solve_opts *opts;
	struct gpube__solve_patience patience;
	const struct gpube_ops *ops;   /* expected */
	struct gpube_model *quantised; /* NULL if the given model has costs */
	const struct gpube_model *costs;
	struct gpube_model limited; /* the costs with the cutoff as their top: a view */
	struct gpube_simplified s;
	enum gpube__narrowing narrowing;
	struct gpube_graph graph;
	int32_t *order;
	struct gpube__solve_plan plan;
	struct gpube_solution *out;
};

/* All but the solution; the job can begin again. */
static void job_clear(struct solving *j)
{
	gpube__solve_plan_clear(&j->plan);
	gpube__free(j->ctx, j->order);
	j->order = NULL;
	gpube__graph_clear(j->ctx, &j->graph);
	gpube__simplified_clear(j->ctx, &j->s);
	gpube_model_free(j->quantised);
	j->quantised = NULL;
}

void gpube_solution_free(struct gpube_solution *s, struct gpube_ctx *ctx)
{
	if (!s || !ctx)
		return;
	gpube__free(ctx, s->values);
	gpube__free(ctx, s->count);
	gpube__free(ctx, s->order);
	gpube__free(ctx, s->stages);
	gpube__free(ctx, s->steps);
	gpube__free(ctx, s);
}

static bool is_limiting(const struct gpube_model *costs, const struct gpube_solve_opts *o)
{
	return o->has_cutoff && (costs->direction == GPUBE_MAXIMISE ? o->cutoff > costs->top
								    : o->cutoff < costs->top);
}

static int solve_simplify(struct solving *j, int precision)
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
	if (is_limiting(j->costs, j->opts)) {
		j->limited = *j->costs;
		j->limited.top = j->opts->cutoff;
		j->costs = &j->limited;
	}
	status = gpube__simplify_below(&j->s, j->costs,
		j->opts->no_simplify ? GPUBE__CONVERT : GPUBE__SETTLE, j->narrowing);
	if (status)
		return status;
	j->out->scale = j->costs->scale;
	if (!j->s.infeasible)
		j->out->bound = j->s.negated ? -gpube__constant_of(j->s.model)
					     : gpube__constant_of(j->s.model);
	j->out->plan.n_vars = j->s.model->n_vars;
	j->out->plan.n_functions = j->s.model->n_functions;
	j->out->plan.n_components = j->s.n_components;
	j->out->seconds_simplify += gpube__now() - start;
	gpube__log(j->ctx, GPUBE_LOG_DETAIL,
		"simplified to %d variable%s, %d function%s, %d component%s (%d observed, %lld "
		"value%s "
		"removed, %d variable%s fixed, %d function%s merged, %d absorbed)",
		j->s.model->n_vars, gpube__plural(j->s.model->n_vars), j->s.model->n_functions,
		gpube__plural(j->s.model->n_functions), j->s.n_components,
		gpube__plural(j->s.n_components), j->s.n_evidence, (long long)j->s.n_values_removed,
		gpube__plural(j->s.n_values_removed), j->s.n_vars_fixed,
		gpube__plural(j->s.n_vars_fixed), j->s.n_merged, gpube__plural(j->s.n_merged),
		j->s.n_absorbed);
	return GPUBE_OK;
}

/*
 * Slices that be_split.h makes at most, and what a search may gain on a greedy order: two decades
 * are common.
 */
#define MOST_SLICES 4096.0
#define MOST_GAIN   1e4
/* What a card may hold, before one is opened. */
#define DEVICE_BYTES 512e9

/*
 * Whether no search will find an order that fits, which a greedy one tells in milliseconds.
 * Lower bounds of the width are too far off to tell it (runs/measured-2c).
 */
static bool is_hopeless(const struct solving *j, const struct gpube_order_cost *greedy)
{
	const struct gpube_solve_opts *o = j->opts;
	const bool card = o->backend != GPUBE_BACKEND_CPU && gpube__cuda_there();
	const double allowed = fmax((double)j->ctx->memory_bytes, card ? DEVICE_BYTES : 0);

	return 4 * greedy->largest_message / (o->no_slices ? 1 : MOST_SLICES) > MOST_GAIN * allowed;
}

static int go_on(struct solving *j, struct gpube_order_search *search,
	struct gpube_order_cost *cost, double rate)
{
	const int status = gpube__order_search_go(search, gpube__order_as_it_pays(0), rate);

	if (!status)
		gpube__order_search_best(search, j->order, cost);
	return status;
}

/*
 * A search pays while it saves more elimination than it costs. A first one is as
 * short as for a device; where none will be used, the long one follows.
 */
static int search_order(struct solving *j, struct gpube_order_cost *cost)
{
	const struct gpube_solve_opts *o = j->opts;
	/* all threads eliminate, as all search */
	const double cpu_rate = gpube__ops_cpu()->cells_per_second * j->ctx->n_threads;
	const bool twice = o->backend != GPUBE_BACKEND_CPU;
	struct gpube_order_search *search;
	int status;

	if (o->order_seconds > 0 || o->order_method != GPUBE_ORDER_AUTO)
		return gpube__order_find(j->ctx, j->order, cost, &j->graph, o->order_method,
			o->order_seconds, cpu_rate, o->seed);
	status = gpube__order_search_new(&search, j->ctx, &j->graph, o->seed);
	if (status)
		return status;
	gpube__order_search_best(search, j->order, cost);
	if (!is_hopeless(j, cost)) {
		status = go_on(j, search, cost, twice ? DEVICE_CELLS_PER_SECOND : cpu_rate);
		if (!status && twice)
			status = gpube__pick_early(&j->ops, j->ctx, o->backend, cost->joined_cells,
				cost->largest_message);
		if (!status && twice && j->ops == gpube__ops_cpu())
			status = go_on(j, search, cost, cpu_rate);
	}
	gpube__order_search_free(search);
	return status;
}

/* The order, in terms of the model as it was given. */
static int tell_order(struct solving *j)
{
	if (!j->out->order)
		j->out->order =
			gpube__alloc(j->ctx, (uint64_t)j->given->n_vars, sizeof(*j->out->order));
	return j->out->order ? gpube__given_order(j->out->order, &j->s, j->order) : GPUBE_ENOMEM;
}

static int find_order(struct solving *j)
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
		status = gpube__simplified_order(j->order, &j->s, j->opts->order, j->given->n_vars);
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
		"order: width %d, %.3g joined cell%s, largest table %.3g cell%s (%.2f s)",
		cost.width, cost.joined_cells, gpube__plural(cost.joined_cells),
		cost.largest_message, gpube__plural(cost.largest_message), j->out->seconds_order);
	return tell_order(j);
}

/* How the order is to be followed; also after an error what is known goes to the caller. */
static int make_plan(struct solving *j)
{
	const struct gpube__solve_task task = {.m = j->s.model,
		.order = j->order,
		.figures = j->out->plan,
		.ops = j->ops,
		.opts = j->opts,
		.patience = j->patience};
	const int status = gpube__solve_plan(&j->plan, &task);

	j->out->plan = j->plan.way.figures;
	j->out->backend = j->plan.way.backend;
	return status;
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
 * From the model as given to a plan. Where costs add up to too much in one bucket, once more
 * without those that no optimum needs; and where logarithms with as many decimals as their total
 * allows do, with fewer.
 */
static int solve_prepare(struct solving *j)
{
	int precision = j->opts->precision;

	for (;;) {
		int status = solve_simplify(j, precision), scale;

		if (status || j->s.infeasible)
			return status;
		status = find_order(j);
		if (!status)
			status = make_plan(j);
		scale = j->costs->scale;
		if (status == GPUBE_ERANGE && !j->quantised && j->narrowing != GPUBE__SUMS) {
			j->narrowing = GPUBE__SUMS;
			job_clear(j);
			continue;
		}
		if (status != GPUBE_ERANGE || !j->quantised || j->opts->precision || scale <= 1)
			return status;
		precision = scale - excess_decimals(j->plan.be.most_inputs);
		precision = precision > 1 ? precision : 1;
		gpube__log(j->ctx, GPUBE_LOG_DETAIL,
			"sums of %d decimal%s would be too large: %d are taken", scale,
			gpube__plural(scale), precision);
		job_clear(j);
	}
}

/* The checks that make an answer an answer: the assignment costs, in the file's numbers, what was
 * claimed. */
static int recost(struct solving *j, int64_t optimum)
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

static int solve_count(struct solving *j)
{
	const double start = gpube__now();
	struct gpube__natural count;
	int status = gpube__solve_count(&count, &j->plan);

	if (!status && j->s.n_settled)
		status = gpube__natural_times_all(&count, j->s.choices, j->s.n_vars);
	if (!status) {
		j->out->count = gpube__natural_text(&count);
		status = j->out->count ? GPUBE_OK : GPUBE_ENOMEM;
	}
	gpube__natural_clear(&count);
	j->out->seconds_count = gpube__now() - start;
	return status;
}

/* The simplified model's assignment as one of the given model, and its cost. */
static int solve_extend(struct solving *j, int64_t optimum, const int32_t *reduced)
{
	struct gpube_solution *out = j->out;
	const double start = gpube__now();
	int status;

	out->values = gpube__alloc(j->ctx, (uint64_t)j->given->n_vars, sizeof(*out->values));
	if (!out->values)
		return GPUBE_ENOMEM;
	gpube__simplified_extend(&j->s, out->values, reduced);
	status = recost(j, j->s.negated ? -optimum : optimum);
	out->seconds_assign += gpube__now() - start;
	return status;
}

/* No assignment is allowed, or none that is better than the cutoff. */
static void tell_infeasible(struct solving *j)
{
	struct gpube_solution *out = j->out;

	out->closed = j->costs == &j->limited;
	if (out->closed)
		out->bound = j->opts->cutoff;
	else
		out->answer = GPUBE_ANSWER_INFEASIBLE;
}

static int solve_eliminate(struct solving *j)
{
	struct gpube_solution *out = j->out;
	const double start = gpube__now(), worked = gpube__worked(j->ctx);
	int32_t *reduced = gpube__alloc(j->ctx, (uint64_t)j->s.model->n_vars, sizeof(*reduced));
	struct gpube__solve_found found;
	bool stopped;
	int status = GPUBE_ENOMEM;

	if (!reduced)
		goto out;
	status = gpube__solve_run(&found, reduced, &j->plan);
	/* between slices: the best of those that were done */
	stopped = status == GPUBE_ESTOP && found.optimum != GPUBE_INF;
	if (status && !stopped)
		goto out;
	out->seconds_copying = found.copying;
	out->seconds_assign = found.assigning;
	out->seconds_contracting = found.contracting;
	out->seconds_eliminate = gpube__now() - start - out->seconds_assign;
	gpube__log(j->ctx, GPUBE_LOG_DETAIL, "ticks of elimination: %.6g",
		1e9 * (gpube__worked(j->ctx) - worked));
	if (found.optimum == GPUBE_INF) {
		tell_infeasible(j);
		goto out;
	}
	status = solve_extend(j, found.optimum, reduced);
	if (status)
		goto out;
	if (stopped) {
		out->bound = j->s.negated ? -found.bound : found.bound;
		status = gpube__fail_stopped(j->ctx);
		goto out;
	}
	out->bound = out->cost;
	out->answer = GPUBE_ANSWER_OPTIMAL;
	if (j->opts->count)
		status = solve_count(j);
out:
	gpube__free(j->ctx, reduced);
	return status;
}

static int check_options(const struct gpube_model *m, const struct gpube_solve_opts *o)
{
	int status;

	if (o->sizeof_options != sizeof(*o))
		return gpube__fail(m->ctx, GPUBE_EINVAL, "sizeof_options is not set");
	status = gpube__check_choice(m->ctx, "method", (int)o->method, GPUBE_BOUND_ELIMINATE);
	if (!status)
		status = gpube__check_engine(
			m, &(struct gpube__engine_opts){(int)o->order_method, o->order,
				   o->order_seconds, o->timeout_seconds, (int)o->backend,
				   o->precision});
	return status ? status : gpube__check_known(m, o->values, o->has_cutoff, o->cutoff);
}

static int solve_all(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_solve_opts *opts, const struct gpube__solve_patience *patience,
	bool plan_only)
{
	static const struct gpube_solve_opts none = {.sizeof_options = sizeof(none)};
	struct solving j = {.given = m,
		.opts = opts ? opts : &none,
		.patience = *patience,
		.ops = gpube__ops_cpu(),
		.narrowing = GPUBE__BELOW};
	struct gpube_ctx *ctx;
	double deadline;
	int status;

	if (out)
		*out = NULL;
	if (!out || !m)
		return gpube__missing(m ? m->ctx : NULL);
	j.ctx = ctx = m->ctx;
	status = check_options(m, j.opts);
	if (status)
		return status;
	j.out = gpube__alloc_zero(ctx, 1, sizeof(*j.out));
	if (!j.out)
		return GPUBE_ENOMEM;
	j.out->answer = GPUBE_ANSWER_INCOMPLETE;
	j.out->backend = j.ops->name;
	j.out->bound = gpube__no_bound(m);
	deadline = gpube__time_limit(ctx, gpube__now(), j.opts->timeout_seconds);
	status = solve_prepare(&j);
	if (!status && j.s.infeasible)
		tell_infeasible(&j);
	else if (!status && !plan_only)
		status = solve_eliminate(&j);
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

static const struct gpube__solve_patience endless = {.lower = INT64_MIN};

int gpube__solve_patiently(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_solve_opts *opts, const struct gpube__solve_patience *patience)
{
	return solve_all(out, m, opts, patience, false);
}

int gpube_plan(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_solve_opts *opts)
{
	return solve_all(out, m, opts, &endless, true);
}

int gpube_count(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_solve_opts *opts)
{
	struct gpube_solve_opts counting = {.sizeof_options = sizeof(counting)};
	struct gpube_model *hard;
	int status;

	if (out)
		*out = NULL;
	if (!out || !m)
		return gpube__missing(m ? m->ctx : NULL);
	if (opts && opts->sizeof_options != sizeof(*opts))
		return gpube__fail(m->ctx, GPUBE_EINVAL, "sizeof_options is not set");
	if (opts)
		counting = *opts;
	counting.count = 1;
	status = gpube__hard(&hard, m);
	if (status)
		return status;
	status = solve_all(out, hard, &counting, &endless, false);
	gpube_model_free(hard);
	if (status || (*out)->answer != GPUBE_ANSWER_INFEASIBLE)
		return status;
	(*out)->count = gpube__strdup(m->ctx, "0");
	if ((*out)->count)
		return GPUBE_OK;
	gpube_solution_free(*out, m->ctx);
	*out = NULL;
	return GPUBE_ENOMEM;
}
