/*
 * bound.c - the engine of gpube_solve() and gpube_bound(): simplify, then stages until one of them
 * proves, then the report.
 */
#include "gpube/bound/bound.h"
#include "gpube/bound/certificate/certificate.h"
#include "gpube/bound/patching/patching.h"
#include "gpube/bound/schedule/methods.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpube/ir/dense.h"
#include "gpube/relax/nested.h"
#include "gpube/ops/device/opening.h"
#include "gpube/bound/shifted.h"
#include "gpube/eliminate/solve.h"
#include "gpube/ir/options.h"

/* ---- the call -------------------------------------------------------------------------- */

/*
 * Half a second at least, whatever the time limit is: what is small is then simplified, and gets a
 * bound. Only a stop ends that.
 */
static int simplify_now(struct gpube_bounder *b)
{
	int status;

	b->costs = b->given;
	if (b->given->kind == GPUBE_POTENTIALS) {
		status = gpube__quantise(&b->quantised, b->given, b->opts->precision);
		if (status)
			return status;
		b->costs = b->quantised;
	}
	status = gpube__simplify_below(&b->s, b->costs,
		b->opts->no_simplify            ? GPUBE__CONVERT
		: b->opts->count || b->shifting ? GPUBE__REDUCE
						: GPUBE__SETTLE,
		b->shifting && b->shifting->whole ? GPUBE__WHOLE : GPUBE__BELOW);
	if (!status) {
		status = gpube__bound_exclusive(b);
		if (status == GPUBE_ESTOP ||
			gpube__bounder_gives_way(b, status, "joining what excludes each other"))
			status = GPUBE_OK;
	}
	b->m = b->tables = b->s.model;
	return status;
}

static int simplify(struct gpube_bounder *b)
{
	const double deadline = b->ctx->deadline;
	int status;

	if (deadline > 0)
		b->ctx->deadline = fmax(deadline, gpube__now() + 0.5);
	status = simplify_now(b);
	b->ctx->deadline = deadline;
	return status;
}

/*
 * The caller's assignment in the simplified model, of which a variable may stand for several: the
 * first of its values that is right for all of them. False if there is none.
 */
static bool reduce(struct gpube_bounder *b, const int32_t *values)
{
	bool settled = false;

	memset(b->tried, 0, (size_t)b->m->n_vars * sizeof(*b->tried));
	while (!settled) {
		settled = true;
		for (int32_t i = 0; i < b->s.n_vars; i++) {
			const int32_t var = b->s.var[i], *known = b->s.values[i];

			if (var < 0 && var != GPUBE__SETTLED && b->s.value[i] != values[i])
				return false;
			for (; var >= 0 &&
				(known ? known[b->tried[var]] : b->tried[var]) != values[i];
				settled = false)
				if (++b->tried[var] == b->m->vars[var].domain)
					return false;
		}
	}
	return true;
}

static int take_known(struct gpube_bounder *b)
{
	const struct gpube_bound_opts *o = b->opts;
	int64_t cost;
	int status = GPUBE_OK;

	if (b->s.known && reduce(b, b->s.known))
		status = gpube__bounder_offer(b, b->tried, "found");
	if (status)
		return status;
	if (o->has_cutoff)
		gpube__bounder_cut(b, b->s.negated ? -o->cutoff : o->cutoff);
	gpube__bounder_hear(b);
	if (!o->values)
		return GPUBE_OK;
	status = gpube_model_cost(&cost, b->costs, o->values);
	if (status)
		return status;
	if (cost == GPUBE_INF)
		gpube__log(b->ctx, GPUBE_LOG_NOTE, "the given assignment is forbidden");
	else if (reduce(b, o->values))
		status = gpube__bounder_offer(b, b->tried, "given");
	return status;
}

/* ---- from the model to the report ------------------------------------------------------------ */

/* Simplified, with what the caller knows; not ready: nothing is left to do, or to count. */
static int prepare(struct gpube_bounder *b, bool *ready)
{
	uint64_t n;
	int status = simplify(b);

	*ready = false;
	if (status || b->s.infeasible)
		return status;
	n = (uint64_t)b->m->n_vars;
	b->lower = gpube__constant_of(b->m);
	b->limit = b->m->top;
	b->best = gpube__alloc_zero(b->ctx, n, sizeof(*b->best));
	b->tried = gpube__alloc_zero(b->ctx, n, sizeof(*b->tried));
	b->order = gpube__alloc(b->ctx, n, sizeof(*b->order));
	b->extended = gpube__alloc(b->ctx, (uint64_t)b->given->n_vars, sizeof(*b->extended));
	if (!b->best || !b->tried || !b->order || !b->extended)
		return GPUBE_ENOMEM;
	b->seconds_simplify = gpube__now() - b->start;
	status = gpube__bounder_note(b, "simplification", false);
	if (b->opts->backend == GPUBE_BACKEND_AUTO && b->opts->method != GPUBE_BOUND_MBE &&
		gpube__nested_likely(b->m))
		gpube__opening_begin();
	if (!status)
		status = take_known(b);
	*ready = !status && (!gpube__bounder_done(b) || b->opts->count);
	return status;
}

/* A total of the simplified model in the terms of the given one. */
static int64_t given_total(const struct gpube_bounder *b, int64_t total)
{
	return b->s.negated ? -total : total;
}

/* The plan, the order and the times of the elimination that proved, if one did. */
static int report_elimination(const struct gpube_bounder *b, struct gpube_solution *out)
{
	const struct gpube_solution *from = b->eliminated;

	out->plan = from->plan;
	out->plan.n_vars = b->m->n_vars;
	out->plan.n_functions = b->m->n_functions;
	out->seconds_order += from->seconds_order;
	out->seconds_eliminate = from->seconds_eliminate;
	out->seconds_assign = from->seconds_assign;
	out->seconds_contracting = from->seconds_contracting;
	out->seconds_copying = from->seconds_copying;
	if (!from->order)
		return GPUBE_OK;
	out->order = gpube__alloc(b->ctx, (uint64_t)b->given->n_vars, sizeof(*out->order));
	return out->order ? gpube__given_order(out->order, &b->s, from->order) : GPUBE_ENOMEM;
}

static int report_stages(struct gpube_bounder *b, struct gpube_solution *out)
{
	out->stages = gpube__alloc(b->ctx, (uint64_t)b->n_runs, sizeof(*out->stages));
	if (!out->stages)
		return GPUBE_ENOMEM;
	out->n_stages = (int)b->n_runs;
	for (int64_t k = 0; k < b->n_runs; k++) {
		const struct gpube_stage_run *r = &b->runs[k];

		out->stages[k] = (struct gpube_stage){.name = r->name,
			.seconds = r->seconds,
			.seconds_cpu = r->seconds_cpu,
			.bound = given_total(b, r->lower),
			.cost = given_total(b, r->upper),
			.gave_way = r->gave_way};
	}
	out->steps = b->steps.step;
	out->n_steps = (int)b->steps.n;
	b->steps.step = NULL;
	for (int k = 0; k < out->n_steps; k++) {
		out->steps[k].bound = given_total(b, out->steps[k].bound);
		out->steps[k].cost = given_total(b, out->steps[k].cost);
	}
	return GPUBE_OK;
}

/* The best assignment in the terms of the given model, priced once more. */
static int report_values(struct gpube_bounder *b, struct gpube_solution *out)
{
	int status;

	out->values = gpube__alloc(b->ctx, (uint64_t)b->given->n_vars, sizeof(*out->values));
	if (!out->values)
		return GPUBE_ENOMEM;
	gpube__simplified_extend(&b->s, out->values, b->best);
	status = gpube_model_cost(&out->cost, b->costs, out->values);
	if (!status && out->cost != given_total(b, b->upper))
		status = gpube__fail(b->ctx, GPUBE_EBUG,
			"internal error: the assignment does not cost what was found; please "
			"report "
			"this");
	if (!status && b->given->kind == GPUBE_POTENTIALS)
		status = gpube_model_log_value(&out->log_value, b->given, out->values);
	return status;
}

/* What was found, in the terms of the given model. */
static int report(struct gpube_bounder *b, struct gpube_solution *out)
{
	int status = report_stages(b, out);

	GPUBE_KNOWN(b->m);
	out->scale = b->costs->scale;
	out->plan.n_vars = b->m->n_vars;
	out->plan.n_functions = b->m->n_functions;
	out->plan.n_components = b->s.n_components;
	out->z = b->z;
	out->backend = b->backend;
	out->seconds_bound = b->seconds_lower;
	out->seconds_cost = b->seconds_upper;
	out->seconds_simplify = b->seconds_simplify;
	out->seconds_order = b->seconds_order;
	out->seconds_count = b->seconds_count;
	out->answer = GPUBE_ANSWER_INCOMPLETE;
	if (!status && b->eliminated)
		status = report_elimination(b, out);
	if (status)
		return status;
	if (b->s.infeasible || (b->upper == GPUBE_INF && b->lower >= b->m->top) ||
		(b->upper == GPUBE_INF && b->lower == GPUBE_INF)) {
		out->answer = GPUBE_ANSWER_INFEASIBLE;
		return GPUBE_OK;
	}
	out->closed = (b->opts->has_cutoff || b->watch) && b->lower >= b->cutoff;
	if (b->lower >= b->upper) {
		b->lower = b->upper;
		out->answer = GPUBE_ANSWER_OPTIMAL;
	}
	out->bound = given_total(b, b->lower);
	out->count = b->count;
	b->count = NULL;
	return b->upper == GPUBE_INF ? GPUBE_OK : report_values(b, out);
}

static int check_options(const struct gpube_model *m, const struct gpube_bound_opts *o)
{
	int status;

	if (o->sizeof_options != sizeof(*o))
		return gpube__fail(m->ctx, GPUBE_EINVAL, "sizeof_options is not set");
	status = gpube__check_choice(m->ctx, "method", (int)o->method, GPUBE_BOUND_ELIMINATE);
	if (!status)
		status = gpube__check_choice(m->ctx, "z", o->z, INT32_MAX);
	if (!status)
		status = gpube__check_choice(m->ctx, "split", (int)o->split, GPUBE_SPLIT_FIRST);
	if (!status)
		status = gpube__check_choice(
			m->ctx, "partition", (int)o->partition, GPUBE_PARTITION_CONTENT);
	if (!status)
		status = gpube__check_engine(
			m, &(struct gpube__engine_opts){(int)o->order_method, o->order,
				   o->order_seconds, o->timeout_seconds, (int)o->backend,
				   o->precision});
	return status ? status : gpube__check_known(m, o->values, o->has_cutoff, o->cutoff);
}

static int bound(struct gpube_solution **out, struct gpube_shifted *shifted,
	const struct gpube_shifted_opts *shifting, const struct gpube_model *m,
	const struct gpube_bound_opts *opts, const struct gpube_watch *watch,
	struct gpube_certificate *notes)
{
	static const struct gpube_bound_opts none = {.sizeof_options = sizeof(none)};
	struct gpube_ctx *ctx = m->ctx;
	struct gpube_bounder b = {.ctx = ctx,
		.watch = watch,
		.ops = gpube__ops_cpu(),
		.given = m,
		.opts = opts ? opts : &none,
		.start = gpube__now(),
		.start_cpu = gpube__cpu_seconds(),
		.start_work = gpube__worked(ctx),
		.noted = gpube__now(),
		.noted_cpu = gpube__cpu_seconds(),
		.upper = GPUBE_INF,
		.cutoff = GPUBE_INF,
		.shifted = shifted,
		.shifting = shifting,
		.most_shift = GPUBE__MOST_SHIFT,
		.notes = notes};
	struct gpube_solution *found;
	double deadline;
	int status = GPUBE_OK, opened;
	bool ready = false;

	*out = NULL;
	status = check_options(m, b.opts);
	if (status)
		return status;
	found = gpube__alloc_zero(ctx, 1, sizeof(*found));
	if (!found)
		return GPUBE_ENOMEM;
	b.backend = b.ops->name;
	deadline = gpube__time_limit(ctx, b.start, b.opts->timeout_seconds);
	/* what a program has begun to open is waited for when it is needed */
	if (b.opts->backend == GPUBE_BACKEND_CUDA && !gpube__opening_now())
		(void)gpube__ops_cuda(ctx, &status);
	if (!status)
		status = prepare(&b, &ready);
	if (b.opts->backend == GPUBE_BACKEND_CUDA && (!status || status == GPUBE_ESTOP)) {
		(void)gpube__ops_cuda(ctx, &opened);
		status = opened ? opened : status;
	}
	if (!status && ready)
		status = gpube__bound_scheduled(&b);
	if (shifted && !b.lifted && b.m && (!status || status == GPUBE_ESTOP)) {
		int lifted = gpube__shifted_plain(&b);

		status = lifted ? lifted : status;
	}
	ctx->deadline = deadline;
	if (status == GPUBE_ESTOP && b.m)
		status = GPUBE_OK;
	if (!status)
		status = report(&b, found);
	gpube__notes_end(b.patching);
	gpube__bounder_forget(&b);
	gpube__bounder_clear(&b);
	if (status) {
		gpube_solution_free(found, ctx);
		return status;
	}
	*out = found;
	return GPUBE_OK;
}

static const struct gpube__solve_patience endless = {.lower = INT64_MIN};

/* What options of gpube_solve() and of gpube_bound() both have. */
#define SHARED_OPTIONS(o)                                                                          \
	.order_method = (o)->order_method, .order = (o)->order,                                    \
	.order_seconds = (o)->order_seconds, .timeout_seconds = (o)->timeout_seconds,              \
	.seed = (o)->seed, .backend = (o)->backend, .no_simplify = (o)->no_simplify,               \
	.count = (o)->count, .precision = (o)->precision, .no_slices = (o)->no_slices,             \
	.values = (o)->values, .cutoff = (o)->cutoff, .has_cutoff = (o)->has_cutoff

/* Elimination alone; what it cannot end is no failure, as of any other method. */
static int eliminate_bound(
	struct gpube_solution **out, const struct gpube_model *m, const struct gpube_bound_opts *o)
{
	const struct gpube_solve_opts opts = {.sizeof_options = sizeof(opts), SHARED_OPTIONS(o)};
	int status = check_options(m, o);

	if (!status)
		status = gpube__solve_patiently(out, m, &opts, &endless);
	if (status == GPUBE_ELIMIT)
		gpube__log(m->ctx, GPUBE_LOG_NOTE, "%s", gpube_error(m->ctx));
	return *out && (status == GPUBE_ELIMIT || status == GPUBE_ESTOP) ? GPUBE_OK : status;
}

static int nothing_known(struct gpube_solution **out, const struct gpube_model *m)
{
	struct gpube_solution *s = gpube__alloc_zero(m->ctx, 1, sizeof(*s));

	if (!s)
		return GPUBE_ENOMEM;
	s->answer = GPUBE_ANSWER_INCOMPLETE;
	s->bound = gpube__no_bound(m);
	s->backend = gpube__ops_cpu()->name;
	*out = s;
	return gpube__fail_stopped(m->ctx);
}

/* The engine for gpube_solve(): what is not proved, or not counted, is told by a status. */
static int engine(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_solve_opts *o, const struct gpube_watch *watch)
{
	const struct gpube_bound_opts opts = {
		.sizeof_options = sizeof(opts), .method = o->method, SHARED_OPTIONS(o)};
	const double end = o->timeout_seconds > 0 ? gpube__now() + o->timeout_seconds : INFINITY;
	const int status = bound(out, NULL, NULL, m, &opts, watch, NULL);
	const struct gpube_solution *s = *out;
	const bool counts = o->count && s && s->answer == GPUBE_ANSWER_OPTIMAL && !s->count;

	if (status == GPUBE_ESTOP) /* before there was a simplified model */
		return nothing_known(out, m);
	if (status || (s->answer != GPUBE_ANSWER_INCOMPLETE && !counts) || s->closed)
		return status;
	if (gpube__stopped(m->ctx) || gpube__now() >= end)
		return gpube__fail_stopped(m->ctx);
	return gpube__fail(m->ctx, GPUBE_ELIMIT, "%s",
		counts ? "the optima are not counted: elimination does not fit the memory, or the "
			 "time"
		       : "nothing that fits the memory and the time proves more");
}

/* ---- the public calls ------------------------------------------------------------------------ */

int gpube__bound_noted(struct gpube_solution **out, struct gpube_certificate *notes,
	const struct gpube_model *m, const struct gpube_bound_opts *opts)
{
	int status;

	if (notes)
		*notes = (struct gpube_certificate){.ctx = m->ctx};
	if (out)
		*out = NULL;
	if (!out || !m)
		return gpube__missing(m ? m->ctx : NULL);
	status = opts && opts->method == GPUBE_BOUND_ELIMINATE
			 ? eliminate_bound(out, m, opts)
			 : bound(out, NULL, NULL, m, opts, NULL, notes);
	if (status != GPUBE_ESTOP)
		return status;
	status = nothing_known(out, m);
	return *out ? GPUBE_OK : status;
}

int gpube_bound(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_bound_opts *opts)
{
	return gpube__bound_noted(out, NULL, m, opts);
}

int gpube__solve_watched(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_solve_opts *opts, const struct gpube_watch *watch)
{
	static const struct gpube_solve_opts none = {.sizeof_options = sizeof(none)};

	if (out)
		*out = NULL;
	if (!out || !m)
		return gpube__missing(m ? m->ctx : NULL);
	opts = opts ? opts : &none;
	if (opts->sizeof_options != sizeof(*opts))
		return gpube__fail(m->ctx, GPUBE_EINVAL, "sizeof_options is not set");
	return opts->method == GPUBE_BOUND_ELIMINATE
		       ? gpube__solve_patiently(out, m, opts, &endless)
		       : engine(out, m, opts, watch);
}

int gpube_solve(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_solve_opts *opts)
{
	return gpube__solve_watched(out, m, opts, NULL);
}

/*
 * What totals too far apart were refused for, and may be done without an ascent: the bounds, then,
 * by themselves.
 */
static int bound_far(struct gpube_solution **out, struct gpube_shifted *shifted,
	const struct gpube_model *m, const struct gpube_bound_opts *opts)
{
	const int64_t cutoff = !opts || !opts->has_cutoff       ? GPUBE_INF
			       : m->direction == GPUBE_MAXIMISE ? -opts->cutoff
								: opts->cutoff;
	const double start = gpube__now();
	struct gpube_bound_opts rest = {.sizeof_options = sizeof(rest)};
	char text[256];
	double deadline;
	int status;

	if (opts)
		rest = *opts;
	snprintf(text, sizeof(text), "%s", gpube_error(m->ctx));
	deadline = gpube__time_limit(m->ctx, start, rest.timeout_seconds);
	status = gpube__shifted_far(shifted, m, cutoff);
	m->ctx->deadline = deadline;
	if (status == GPUBE_ELIMIT)
		return gpube__fail(m->ctx, GPUBE_ERANGE, "%s", text);
	if (rest.timeout_seconds > 0)
		rest.timeout_seconds = fmax(rest.timeout_seconds - (gpube__now() - start), 1e-6);
	return status ? status : bound(out, NULL, NULL, m, &rest, NULL, NULL);
}

int gpube__bound_shifted(struct gpube_solution **out, struct gpube_shifted *shifted,
	const struct gpube_model *m, const struct gpube_bound_opts *opts,
	const struct gpube_shifted_opts *shifting)
{
	int status;

	memset(shifted, 0, sizeof(*shifted));
	*out = NULL;
	if (opts && (opts->method == GPUBE_BOUND_MBE || opts->method == GPUBE_BOUND_ELIMINATE))
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"mini-buckets and elimination leave no shifted model");
	status = bound(out, shifted, shifting, m, opts, NULL, NULL);
	if (status == GPUBE_ERANGE && shifting->whole && !shifting->certificate &&
		m->kind == GPUBE_COSTS)
		status = bound_far(out, shifted, m, opts);
	if (status)
		gpube__shifted_clear(shifted);
	return status;
}

/* ---- the shifted model as a model ------------------------------------------------------------ */

enum { MOST_DECIMALS = 12, MOST_ARITY = 16 };

static int check_how(struct gpube_ctx *ctx, const struct gpube_reparam_opts *how)
{
	if (how->sizeof_options != sizeof(*how))
		return gpube__fail(ctx, GPUBE_EINVAL, "sizeof_options is not set");
	if (how->decimals < -1 || how->decimals > MOST_DECIMALS)
		return gpube__fail(ctx, GPUBE_EINVAL, "decimals are %d, expected -1 to %d",
			how->decimals, MOST_DECIMALS);
	if (how->max_arity && (how->max_arity < 2 || how->max_arity > MOST_ARITY))
		return gpube__fail(ctx, GPUBE_EINVAL, "max_arity is %d, expected 2 to %d",
			how->max_arity, MOST_ARITY);
	if (how->max_tables < 0)
		return gpube__fail(ctx, GPUBE_EINVAL, "max_tables is below 0");
	if (!(how->max_cells >= 0) || isinf(how->max_cells))
		return gpube__fail(ctx, GPUBE_EINVAL, "max_cells is not a number of cells");
	return GPUBE_OK;
}

int gpube_reparam(struct gpube_solution **bounds, struct gpube_model **shifted,
	const struct gpube_model *m, const struct gpube_bound_opts *opts,
	const struct gpube_reparam_opts *how)
{
	static const struct gpube_reparam_opts none = {.sizeof_options = sizeof(none)};
	struct gpube_shifted_opts shifting;
	struct gpube_shifted to;
	int status;

	if (bounds)
		*bounds = NULL;
	if (shifted)
		*shifted = NULL;
	if (!bounds || !shifted || !m)
		return gpube__missing(m ? m->ctx : NULL);
	how = how ? how : &none;
	status = check_how(m->ctx, how);
	if (status)
		return status;
	shifting = (struct gpube_shifted_opts){
		.whole = !how->prune,
		.decimals = how->decimals < 0 ? 0
			    : how->decimals   ? how->decimals
					      : 6,
		.max_arity = how->max_arity ? how->max_arity : 3,
		.max_tables = how->max_tables,
		.max_cells = how->max_cells > 0 ? how->max_cells : 2e6,
	};
	status = gpube__bound_shifted(bounds, &to, m, opts, &shifting);
	if (!status)
		status = gpube__shifted_restore(&to, how->prune);
	if (status) {
		gpube__shifted_clear(&to);
		gpube_solution_free(*bounds, m->ctx);
		*bounds = NULL;
		return status;
	}
	*shifted = to.model;
	return GPUBE_OK;
}
