/*
 * bound.c - the engine of gpube_solve(), gpube_bound(), gpube_plan() and gpube_count(). It
 * simplifies the model, gives methods turns until one of them proves, and reports.
 */
#include "gpube/bound/bound.h"
#include "gpube/options/options.h"
#include "gpube/bound/certificate/certificate.h"
#include "gpube/bound/checkpoint/checkpoint.h"
#include "gpube/bound/dfs_tree.h"
#include "gpube/bound/pairwise/relation_cases.h"
#include "gpube/bound/schedule/methods.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpube/ir/dense.h"
#include "gpube/relax/nested.h"
#include "gpube/ops/device/opening.h"
#include "gpube/bound/reparam.h"
#include "gpube/eliminate/solve.h"
#include "gpube/ir/given.h"
#include "gpube/certify.h"

/* ---- the call -------------------------------------------------------------------------- */

/*
 * Whether simplification takes the cutoff as the top: an elimination alone simplifies once. Other
 * methods begin with known assignments, which may reach the cutoff.
 */
static bool is_limiting(const struct gpube_bounder *b)
{
	const struct gpube_opts *o = b->opts;
	const struct gpube_model *m = b->costs;

	return o->method == GPUBE_BOUND_ELIMINATE && o->has_cutoff &&
	       (m->direction == GPUBE_MAXIMISE ? o->cutoff > m->top : o->cutoff < m->top);
}

/*
 * Simplifies for half a second at least, whatever the time limit is, so that small models are
 * simplified and have a bound. Only a stop ends it earlier.
 */
static int simplify_now(struct gpube_bounder *b)
{
	struct gpube_model limited;
	int status;

	b->costs = b->given;
	if (b->given->kind == GPUBE_POTENTIALS) {
		status = gpube__quantise(&b->made.quantised, b->given, b->made.precision);
		if (status)
			return status;
		b->costs = b->made.quantised;
	}
	limited = *b->costs;
	b->made.limited = is_limiting(b);
	if (b->made.limited)
		limited.top = b->opts->cutoff;
	status = gpube__simplify_below(&b->s, &limited,
		b->opts->no_simplify ? GPUBE__CONVERT
		: b->state.reparam   ? GPUBE__REDUCE
				     : GPUBE__SETTLE,
		b->state.reparam && !b->opts->prune ? GPUBE__WHOLE : GPUBE__BELOW);
	if (!status)
		gpube__bounder_tell_simplified(b->ctx, &b->s);
	if (!status && b->opts->method != GPUBE_BOUND_ELIMINATE) {
		status = gpube__bound_exclusive(b);
		if (status == GPUBE_ESTOP ||
			gpube__bounder_falls_back(b, status, "joining exclusive variables"))
			status = GPUBE_OK;
	}
	b->m = b->tables = b->s.model;
	gpube__bounder_measure(b);
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

static int take_known(struct gpube_bounder *b)
{
	const struct gpube_opts *o = b->opts;
	int64_t cost;
	int status = gpube__bounder_learn(b, true); /* so that others' totals have its decimals */

	if (!status && b->s.known && gpube__bounder_reduce(b, b->tried, b->s.known))
		status = gpube__bounder_report_incumbent(b, b->tried, "simplification");
	if (status)
		return status;
	if (o->has_cutoff)
		gpube__bounder_set_cutoff(b, b->s.negated ? -o->cutoff : o->cutoff);
	gpube__bounder_poll(b);
	if (!o->values)
		return GPUBE_OK;
	status = gpube_model_cost(&cost, b->costs, o->values);
	if (status)
		return status;
	if (cost == GPUBE_INF)
		gpube__log(b->ctx, GPUBE_LOG_NOTE, "the given assignment is forbidden");
	else if (gpube__bounder_reduce(b, b->tried, o->values))
		status = gpube__bounder_report_incumbent(b, b->tried, "given assignment");
	return status;
}

/* ---- from the model to the report ------------------------------------------------------------ */

/* The simplified model of a run that is resumed, and where the rest of it begins. */
static int resume(struct gpube_bounder *b, struct gpube__bytes *from)
{
	int status = gpube__checkpoint_read(from, b->opts->resume);

	if (status)
		return status;
	status = gpube__get_run(b, from);
	gpube__bounder_measure(b);
	return status ? gpube__checkpoint_fail(b->ctx, status, b->opts->resume) : GPUBE_OK;
}

static int resume_state(struct gpube_bounder *b, struct gpube__bytes *from)
{
	const int status = gpube__get_state(b, from);

	return status ? gpube__checkpoint_fail(b->ctx, status, b->opts->resume) : GPUBE_OK;
}

/* Takes what the caller knows, of a simplified model and maybe of a run that is resumed. */
static int begin_bounds(struct gpube_bounder *b, struct gpube__bytes *from)
{
	const uint64_t n = (uint64_t)b->m->n_vars;
	bool cycles = false;
	int status;

	/* of certificates, those of cycles know it; it is not in reparametrised tables */
	if (b->told.notes)
		(void)gpube__has_cycles(&cycles, b->m, b->opts->method);
	if ((!b->told.notes || cycles) && !b->state.reparam)
		gpube__bounder_find_unit(b);
	b->lower = gpube__bounder_whole(b, gpube__constant_of(b->m));
	b->cutoff = b->m->top;
	status = gpube__bounder_room(b, n);
	if (status)
		return status;
	b->told.seconds_simplify = gpube__now() - b->told.start;
	status = gpube__bounder_note(
		b, (struct gpube_stage){.name = "simplification", .why = "first"});
	if (!status && b->opts->resume)
		status = resume_state(b, from);
	if (b->opts->backend == GPUBE_BACKEND_AUTO && b->opts->method != GPUBE_BOUND_MBE &&
		b->opts->method != GPUBE_BOUND_ELIMINATE && gpube__nested_likely(b->m))
		gpube__opening_begin();
	return status ? status : take_known(b);
}

/* Simplifies and takes what the caller knows. Not ready: nothing is left to prove or to count. */
static int prepare(struct gpube_bounder *b, bool *ready)
{
	struct gpube__bytes from = {.ctx = b->ctx};
	struct gpube__saver *const saver = b->told.saver;
	int status;

	/* what is written may replace what is read: not before all of that is taken */
	b->told.saver = b->opts->resume ? NULL : saver;
	status = b->opts->resume ? resume(b, &from) : simplify(b);
	*ready = false;
	if (!status && !b->s.infeasible) {
		status = begin_bounds(b, &from);
		b->told.saver = status ? b->told.saver : saver;
		*ready = !status && (!gpube__bounder_done(b) || b->opts->count || b->told.planning);
	}
	gpube__bytes_clear(&from);
	return status;
}

static void report_stages(struct gpube_bounder *b)
{
	struct gpube_solution *out = b->told.out;

	out->stages = b->told.runs;
	out->n_stages = (int)b->told.n_runs;
	b->told.runs = NULL;
	for (struct gpube_stage *s = out->stages; s < out->stages + out->n_stages; s++) {
		s->bound_before = gpube__given_total(b, s->bound_before);
		s->cost_before = gpube__given_total(b, s->cost_before);
		s->bound = gpube__given_total(b, s->bound);
		s->cost = gpube__given_total(b, s->cost);
	}
	out->steps = b->told.steps.step;
	out->n_steps = (int)b->told.steps.n;
	b->told.steps.step = NULL;
	for (int k = 0; k < out->n_steps; k++) {
		out->steps[k].bound = gpube__given_total(b, out->steps[k].bound);
		out->steps[k].cost = gpube__given_total(b, out->steps[k].cost);
	}
}

/* The incumbent as an assignment of the given model, priced once more. */
static int report_values(struct gpube_bounder *b)
{
	struct gpube_solution *out = b->told.out;
	int status;

	out->values = gpube__alloc(b->ctx, (uint64_t)b->given->n_vars, sizeof(*out->values));
	if (!out->values)
		return GPUBE_ENOMEM;
	gpube__simplified_extend(&b->s, out->values, b->best);
	status = gpube_model_cost(&out->cost, b->costs, out->values);
	if (!status && out->cost != gpube__given_total(b, b->upper))
		status = gpube__fail(b->ctx, GPUBE_EBUG,
			"internal error: the assignment does not cost what was found; please "
			"report this");
	if (!status && b->given->kind == GPUBE_POTENTIALS)
		status = gpube_model_log_value(&out->log_value, b->given, out->values);
	return status;
}

/* Writes the result, in terms of the given model. */
static int report(struct gpube_bounder *b)
{
	struct gpube_solution *out = b->told.out;

	out->answer = GPUBE_ANSWER_INCOMPLETE;
	out->backend = b->told.backend;
	out->bound = gpube__no_bound(b->given);
	if (!b->m) /* it was stopped before */
		return gpube__fail_stopped(b->ctx);
	report_stages(b);
	out->scale = b->costs->scale;
	out->plan.n_vars = b->m->n_vars;
	out->plan.n_functions = b->m->n_functions;
	if (!out->order) /* otherwise the elimination has set them */
		out->plan.n_components = b->s.n_components;
	out->z = b->told.z;
	out->seconds_bound = b->told.seconds_lower;
	out->seconds_cost = b->told.seconds_upper;
	out->seconds_simplify = b->told.seconds_simplify;
	out->seconds_order += b->told.seconds_order;
	if (b->s.infeasible || (b->upper == GPUBE_INF && b->lower >= b->m->top) ||
		(b->upper == GPUBE_INF && b->lower == GPUBE_INF)) {
		out->closed = b->made.limited;
		out->answer = out->closed ? GPUBE_ANSWER_INCOMPLETE : GPUBE_ANSWER_INFEASIBLE;
		out->bound = out->closed ? b->opts->cutoff : 0;
		return GPUBE_OK;
	}
	out->closed = (b->opts->has_cutoff || b->told.watch) && b->lower >= b->given_cutoff;
	if (b->lower >= b->upper) {
		b->lower = b->upper;
		out->answer = GPUBE_ANSWER_OPTIMAL;
	}
	out->bound = gpube__given_total(b, b->lower);
	return b->upper == GPUBE_INF ? GPUBE_OK : report_values(b);
}

/* The options of a public call. Errors: EINVAL */
static int take_options(
	struct gpube_opts *o, const struct gpube_model *m, const struct gpube_opts *opts, int call)
{
	const int status = gpube__opts_for(o, m, opts, call);

	if (!status && (o->checkpoint || o->resume) && o->method == GPUBE_BOUND_ELIMINATE)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"elimination leaves nothing to resume: take another method");
	if (!status && o->regions != GPUBE_REGIONS_AUTO && o->method != GPUBE_BOUND_ASCENT)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "regions are the method ascent's alone");
	return status;
}

/* Receivers of results beside the bounds; NULL: not wanted. */
struct call {
	struct gpube_reparam_run *reparam;
	const struct gpube_watch *watch;
	struct gpube_certificate *notes;
	bool planning;
	bool *ended; /* out: options' progress has ended the run */
};

/* Runs from the given model to the last bounds. */
static int work(struct gpube_bounder *b)
{
	const bool cuda = b->opts->backend == GPUBE_BACKEND_CUDA;
	bool ready = false;
	int status = GPUBE_OK, opened;

	/* a device that is being opened is waited for when it is needed */
	if (cuda && !gpube__opening_now() &&
		!(gpube__opening_is_put_off() && b->opts->method == GPUBE_BOUND_ELIMINATE))
		(void)gpube__ops_cuda(b->ctx, &status);
	if (!status)
		status = prepare(b, &ready);
	/* elimination alone opens it as soon as it has an order */
	if (cuda && (!status || status == GPUBE_ESTOP) &&
		!(ready && !status && b->opts->method == GPUBE_BOUND_ELIMINATE)) {
		(void)gpube__ops_cuda(b->ctx, &opened);
		status = opened ? opened : status;
	}
	if (!status && ready)
		status = gpube__bound_scheduled(b);
	if (b->state.reparam && b->m && (!status || status == GPUBE_ESTOP)) {
		const int made = gpube__reparam_make(b);

		status = made ? made : status;
	}
	return status;
}

/* Decimals that 'n' sums must lose so that none passes 2^63. */
static int excess_decimals(int32_t n)
{
	int decimals = 1;

	for (; n >= 10; n /= 10)
		decimals++;
	return decimals;
}

/*
 * Takes fewer decimals of logarithms where the sums of one bucket pass 64 bits. False: there are
 * none to drop.
 */
static bool take_fewer_decimals(struct gpube_bounder *b, const struct gpube_bounder *fresh)
{
	const int scale = b->costs ? b->costs->scale : 0;
	const int decimals = scale - excess_decimals(b->made.most_inputs);

	if (!b->made.most_inputs || b->opts->precision || scale <= 1)
		return false;
	gpube__log(b->ctx, GPUBE_LOG_DETAIL,
		"sums of %d decimal%s would be too large: %d are taken", scale,
		gpube__plural(scale), decimals > 1 ? decimals : 1);
	gpube__bounder_forget(b);
	gpube__bounder_clear(b);
	*b = *fresh;
	b->made.precision = decimals > 1 ? decimals : 1;
	return true;
}

int gpube__bound_settle(struct gpube_bounder *b)
{
	const struct gpube_watch *watch = b->told.watch;
	const struct gpube_dfs_tree *tree = b->state.tree;
	const bool has_tree = tree && tree->shared;
	int status = gpube__bounder_learn(b, true);

	if (status)
		return status;
	if (watch && watch->gather && (has_tree || gpube__cases_are_lent(b)) &&
		!gpube__bounder_done(b) && !(has_tree && gpube__dfs_tree_is_done(tree)))
		watch->gather(watch->arg);
	status = gpube__tree_settle(b);
	return status ? status : gpube__cases_settle(b);
}

/* A run that is stopped, or proves no more, can be resumed if there is a simplified model. */
static void save_last(struct gpube_bounder *b, int status)
{
	if (b->told.saver && b->best && (!status || status == GPUBE_ESTOP) &&
		!gpube__bounder_done(b))
		gpube__checkpoint_save(b);
}

static void clear_solution(struct gpube_ctx *ctx, void *result)
{
	struct gpube_solution *s = result;

	GPUBE_FREE_ALL(ctx, s->values, s->count, s->order, s->stages, s->steps);
}

struct gpube_solution *gpube__solution_new(struct gpube_ctx *ctx)
{
	return gpube__result_new(ctx, sizeof(struct gpube_solution), clear_solution);
}

/*
 * One run. ELIMIT, of an elimination, and ESTOP, before there is a simplified model, leave in *out
 * what is known; a later stop is not an error.
 */
static int bound(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_opts *opts, const struct call *call)
{
	struct gpube_ctx *ctx = m->ctx;
	const double start = gpube__now();
	bool ended = false;
	struct gpube_bounder fresh = {.ctx = ctx,
		.given = m,
		.opts = opts,
		.upper = GPUBE_INF,
		.given_cutoff = GPUBE_INF,
		.made.precision = opts->precision,
		.state.reparam = call->reparam,
		.told = {.watch = call->watch,
			.notes = call->notes,
			.planning = call->planning,
			.ended = call->ended ? call->ended : &ended,
			.backend = gpube__ops_cpu()->name,
			.start = start,
			.start_work = gpube__worked(ctx),
			.noted = start,
			.noted_cpu = gpube__cpu_seconds(),
			.noted_lower = -GPUBE_INF,
			.noted_upper = GPUBE_INF}};
	struct gpube__saver saver = {.save = gpube__checkpoint_save,
		.path = opts->checkpoint,
		.every = opts->checkpoint_every,
		.saved = start};
	struct gpube_bounder b;
	double deadline;
	int64_t alone;
	int status, refused;

	*out = NULL;
	if (opts->checkpoint)
		fresh.told.saver = &saver;
	fresh.told.out = gpube__solution_new(ctx);
	if (!fresh.told.out)
		return GPUBE_ENOMEM;
	b = fresh;
	deadline = gpube__time_limit(ctx, b.told.start, b.opts->timeout_seconds);
	alone = gpube__alone_begin(ctx);
	do
		status = work(&b);
	while (status == GPUBE_ERANGE && take_fewer_decimals(&b, &fresh));
	gpube__alone_end(ctx, alone);
	ctx->deadline = deadline;
	if (!status || status == GPUBE_ESTOP) {
		const int settled = gpube__bound_settle(&b);

		status = settled ? settled : status;
	}
	save_last(&b, status);
	/* the plan of an elimination that does not fit is reported, too */
	refused = status == GPUBE_ELIMIT && b.m && !b.state.reparam ? status : GPUBE_OK;
	if (!status || refused || status == GPUBE_ESTOP)
		status = report(&b);
	gpube__notes_end(b.state.pairwise);
	gpube__bounder_forget(&b);
	gpube__bounder_clear(&b);
	if (!status || (status == GPUBE_ESTOP && !b.state.reparam)) {
		*out = fresh.told.out;
		return status ? status : refused;
	}
	gpube_result_free(fresh.told.out);
	return status;
}

/* Checks a public call, of which *m may become 'view'; *out becomes NULL. Errors: EINVAL */
static int begin(struct gpube_opts *to, struct gpube_solution **out, struct gpube_model *view,
	const struct gpube_model **m, const struct gpube_opts *opts, int call)
{
	const int status = gpube__call(out, view, m, opts);

	return status ? status : take_options(to, *m, opts, call);
}

/* The engine for gpube_solve(): its status says what was not proved or not counted. */
static int prove(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_opts *o, const struct call *call)
{
	const double end = o->timeout_seconds > 0 ? gpube__now() + o->timeout_seconds : INFINITY;
	bool ended = false;
	const struct call told = {.watch = call->watch, .notes = call->notes, .ended = &ended};
	const int status = bound(out, m, o, &told);
	const struct gpube_solution *s = *out;
	const bool counts = o->count && s && s->answer == GPUBE_ANSWER_OPTIMAL && !s->count;

	if (status || (s->answer != GPUBE_ANSWER_INCOMPLETE && !counts) || s->closed)
		return status;
	if (gpube__stopped(m->ctx) || ended || gpube__now() >= end)
		return gpube__fail_stopped(m->ctx);
	return gpube__fail(m->ctx, GPUBE_ELIMIT, "%s",
		counts ? "the optima are not counted: elimination does not fit the memory, or the "
			 "time"
		       : "nothing that fits the memory and the time proves more");
}

/* ---- the public calls ------------------------------------------------------------------------ */

int gpube__bound_noted(struct gpube_solution **out, struct gpube_certificate *notes,
	const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_model view;
	struct gpube_opts o;
	int status;

	status = begin(&o, out, &view, &m, opts, GPUBE__ON_BOUND);
	if (notes)
		*notes = (struct gpube_certificate){.ctx = m->ctx};
	if (status)
		return status;
	status = bound(out, m, &o, &(struct call){.notes = notes});
	if (status == GPUBE_ELIMIT && *out)
		gpube__log(m->ctx, GPUBE_LOG_NOTE, "%s", gpube_error(m->ctx));
	return *out ? GPUBE_OK : status;
}

int gpube_bound(
	struct gpube_solution **out, const struct gpube_model *m, const struct gpube_opts *opts)
{
	return gpube__bound_noted(out, NULL, m, opts);
}

/* Seconds beyond the stop, which "soon" allows. */
#define MOMENT 0.2

struct gpube_solution *gpube__bound_moment(
	const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_ctx *ctx = m->ctx;
	gpube_log_fn *log = ctx->log;
	const bool stopped = __atomic_load_n(&ctx->stop, __ATOMIC_RELAXED);
	struct gpube_opts o = *opts;
	struct gpube_solution *bounds;
	int status;

	o.order_method = GPUBE_ORDER_MIN_FILL;
	o.timeout_seconds = MOMENT;
	o.backend = GPUBE_BACKEND_CPU;
	o.no_eliminate = 1;
	gpube_ctx_resume(ctx);
	ctx->log = NULL; /* what it tells on its way would bury the report */
	status = gpube_bound(&bounds, m, &o);
	ctx->log = log;
	if (stopped)
		gpube_ctx_stop(ctx);
	if (status)
		return NULL;
	if (bounds->answer == GPUBE_ANSWER_INCOMPLETE && bounds->bound == gpube__no_bound(m)) {
		gpube_result_free(bounds);
		return NULL;
	}
	return bounds;
}

int gpube__solve_noted(struct gpube_solution **out, struct gpube_certificate *notes,
	const struct gpube_model *m, const struct gpube_opts *opts, const struct gpube_watch *watch)
{
	struct gpube_model view;
	struct gpube_opts o;
	int status;

	status = begin(&o, out, &view, &m, opts, GPUBE__ON_SOLVE);
	if (notes)
		*notes = (struct gpube_certificate){.ctx = m->ctx};
	return status ? status : prove(out, m, &o, &(struct call){.watch = watch, .notes = notes});
}

int gpube_plan(
	struct gpube_solution **out, const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_model view;
	struct gpube_opts o;
	int status = begin(&o, out, &view, &m, opts, GPUBE__ON_PLAN);

	o.method = GPUBE_BOUND_ELIMINATE;
	if (!status)
		status = bound(out, m, &o, &(struct call){.planning = true});
	if (status || (*out)->order || (*out)->answer != GPUBE_ANSWER_INCOMPLETE || (*out)->closed)
		return status;
	return gpube__fail_stopped(m->ctx);
}

int gpube_count(
	struct gpube_solution **out, const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_model view;
	struct gpube_opts o;
	struct gpube_model *hard;
	int status = begin(&o, out, &view, &m, opts, GPUBE__ON_COUNT);

	o.method = GPUBE_BOUND_ELIMINATE;
	o.count = 1;
	if (!status)
		status = gpube__hard(&hard, m);
	if (status)
		return status;
	status = prove(out, hard, &o, &(struct call){0});
	gpube_model_free(hard);
	if (status || (*out)->answer != GPUBE_ANSWER_INFEASIBLE)
		return status;
	(*out)->count = gpube__strdup(m->ctx, "0");
	if ((*out)->count)
		return GPUBE_OK;
	gpube_result_free(*out);
	*out = NULL;
	return GPUBE_ENOMEM;
}

/* Bounds by an elimination in 128 bits, where totals lie too far apart for an ascent. */
static int bound_far(struct gpube_solution **out, struct gpube_reparametrised *reparam,
	const struct gpube_model *m, const struct gpube_opts *opts)
{
	const int64_t cutoff = !opts->has_cutoff                ? GPUBE_INF
			       : m->direction == GPUBE_MAXIMISE ? -opts->cutoff
								: opts->cutoff;
	const double start = gpube__now();
	struct gpube_opts rest = *opts;
	char text[256];
	double deadline;
	int status;

	snprintf(text, sizeof(text), "%s", gpube_error(m->ctx));
	deadline = gpube__time_limit(m->ctx, start, rest.timeout_seconds);
	status = gpube__reparam_far(reparam, m, cutoff);
	m->ctx->deadline = deadline;
	if (status == GPUBE_ELIMIT)
		return gpube__fail(m->ctx, GPUBE_ERANGE, "%s", text);
	if (rest.timeout_seconds > 0)
		rest.timeout_seconds = fmax(rest.timeout_seconds - (gpube__now() - start), 1e-6);
	return status ? status : bound(out, m, &rest, &(struct call){0});
}

int gpube__bound_reparam(struct gpube_solution **out, struct gpube_reparametrised *reparam,
	const struct gpube_model *m, const struct gpube_opts *opts,
	struct gpube_certificate *certificate)
{
	int status;

	memset(reparam, 0, sizeof(*reparam));
	*out = NULL;
	if (opts->method == GPUBE_BOUND_MBE || opts->method == GPUBE_BOUND_ELIMINATE)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"mini-buckets and elimination leave no reparametrised model");
	status = bound(out, m, opts,
		&(struct call){.reparam = &(struct gpube_reparam_run){
				       reparam, certificate, GPUBE__MOST_SHIFT}});
	if (status == GPUBE_ERANGE && !opts->prune && !certificate && m->kind == GPUBE_COSTS)
		status = bound_far(out, reparam, m, opts);
	if (status)
		gpube__reparam_clear(reparam);
	return status;
}

/* ---- the reparametrised model as a model ----------------------------------------------------- */

int gpube_reparam(struct gpube_solution **bounds, struct gpube_model **reparam,
	const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_model view;
	struct gpube_reparametrised to;
	struct gpube_opts o;
	int status;

	if (bounds)
		*bounds = NULL;
	if (reparam)
		*reparam = NULL;
	if (!bounds || !reparam || !m)
		return gpube__missing(m ? m->ctx : NULL);
	m = gpube__on_own(&view, m, opts);
	status = take_options(&o, m, opts, GPUBE__ON_REPARAM);
	if (status)
		return status;
	status = gpube__bound_reparam(bounds, &to, m, &o, NULL);
	if (!status)
		status = gpube__reparam_restore(&to, o.prune);
	if (status) {
		gpube__reparam_clear(&to);
		gpube_result_free(*bounds);
		*bounds = NULL;
		return status;
	}
	*reparam = to.model;
	return GPUBE_OK;
}
