/*
 * solver_run.c - a run of a solver: what is known answers it, or the kept messages, or else the
 * engine. See solver_state.h.
 */
#include <math.h>

#include "gpube/bound/bound.h"
#include "gpube/session/solver_state.h"
#include "gpube/ir/given.h"

/*
 * Seconds of work that messages may always take, and that planning them takes a variable. Beyond
 * that they are made once they take no more than this share of what the runs so far have taken, so
 * that a session that ends then has lost little.
 */
#define ALWAYS  2e-3
#define SHARE   0.5
#define TO_PLAN 5e-6

/*
 * lower, upper, cutoff, top  of the minimisation; upper: of 'values', which is a candidate or NULL
 * view                       the costs with what is observed and assumed
 */
struct run {
	struct gpube_opts opts; /* of this run */
	struct gpube_solver *s;
	struct gpube_solution *out;
	struct gpube_model view;
	const int32_t *values;
	int64_t lower, upper, cutoff, top;
	double start;
};

static double since(const struct run *r)
{
	return gpube__now() - r->start;
}

/* A total of the minimisation as one of the costs. */
static int64_t given(const struct run *r, int64_t total)
{
	return r->view.direction == GPUBE_MAXIMISE ? -total : total;
}

static bool is_decided(const struct run *r)
{
	return r->lower >= r->top || r->lower >= r->cutoff || r->lower >= r->upper;
}

/* ---- what is known as a solution ------------------------------------------------------- */

/* Prices the solution's assignment by the model's own numbers. */
static int check(const struct run *r)
{
	const struct gpube_model *m = r->s->model;
	struct gpube_solution *out = r->out;
	int status;

	if (!out->values)
		return GPUBE_OK;
	status = gpube__check_cost(m, out->values, out->cost, out->scale);
	if (!status && m->kind == GPUBE_POTENTIALS)
		status = gpube_model_log_value(&out->log_value, m, out->values);
	return status;
}

static int report_values(struct run *r)
{
	const int32_t n = r->view.n_vars;

	r->out->values = gpube__alloc(r->s->ctx, (uint64_t)n, sizeof(*r->out->values));
	if (!r->out->values)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < n; i++)
		r->out->values[i] = r->values[i];
	r->out->cost = given(r, r->upper);
	return check(r);
}

/* by: what answers the run. */
static int report(struct run *r, const char *by)
{
	struct gpube_solution *out = gpube__solution_new(r->s->ctx);
	const bool none = r->lower >= r->top;
	const bool closed = !none && r->lower >= r->cutoff;

	if (!out)
		return GPUBE_ENOMEM;
	r->out = out;
	out->stages = gpube__alloc_zero(r->s->ctx, 1, sizeof(*out->stages));
	if (!out->stages)
		return GPUBE_ENOMEM;
	out->n_stages = 1;
	out->scale = r->view.scale;
	out->plan.n_vars = r->view.n_vars;
	out->plan.n_functions = r->view.n_functions;
	out->backend = gpube__ops_cpu()->name;
	out->closed = closed;
	out->answer = none                              ? GPUBE_ANSWER_INFEASIBLE
		      : !closed && r->lower >= r->upper ? GPUBE_ANSWER_OPTIMAL
							: GPUBE_ANSWER_INCOMPLETE;
	out->bound = given(r, none ? 0 : closed ? r->cutoff : r->lower);
	out->seconds_bound = out->seconds_cost = since(r);
	out->stages[0] = (struct gpube_stage){.name = by,
		.why = "first",
		.seconds = since(r),
		.bound_before = given(r, -GPUBE_INF),
		.cost_before = given(r, GPUBE_INF),
		.bound = out->bound,
		.cost = given(r, r->upper)};
	return r->values && !closed && !none ? report_values(r) : GPUBE_OK;
}

/* ---- the kept messages ----------------------------------------------------------------- */

static void drop_tree(struct gpube_solver *s, bool forever)
{
	gpube__min_tree_free(s->tree);
	s->tree = NULL;
	s->no_tree = forever;
}

/* Plans the tree, and fills it once it takes little beside what the runs so far have taken. */
static int prepare_tree(struct run *r, bool *ready)
{
	struct gpube_solver *s = r->s;
	const struct gpube_model *m = s->costs;
	const double most = fmax(SHARE * s->worked, ALWAYS);
	int status = GPUBE_OK;

	*ready = false;
	if (s->no_tree || TO_PLAN * ((double)m->n_vars + m->n_functions) > most)
		return GPUBE_OK;
	if (!s->tree)
		status = gpube__min_tree_plan(&s->tree, m,
			s->opts.order_method == GPUBE_ORDER_GIVEN && s->n_given == m->n_vars
				? s->order
				: NULL,
			s->opts.seed, most / 4);
	if (!status && s->tree->bytes > (double)s->ctx->memory_bytes)
		status = GPUBE_ELIMIT;
	if (!status && !s->tree->is_filled) {
		if (s->tree->ticks * 1e-9 > most)
			return GPUBE_OK;
		status = gpube__min_tree_fill(s->tree);
	}
	if (status)
		drop_tree(s, status != GPUBE_ESTOP);
	*ready = !status;
	return status == GPUBE_ESTOP ? status : GPUBE_OK;
}

/* The least total by messages: a proof, and an assignment. */
static int ask(struct run *r, int32_t *values)
{
	struct gpube_solver *s = r->s;
	int64_t total, cost = GPUBE_INF;
	int status;

	for (int32_t i = 0; i < r->view.n_vars; i++)
		gpube__min_tree_observe(s->tree, i, s->fixed[i]);
	status = gpube__min_tree_ask(s->tree, &total, values);
	if (!status && total < r->top)
		status = gpube_model_cost(&cost, &r->view, values);
	if (status)
		return status;
	if (total < r->top && gpube__solver_minimised(s, cost) != total)
		return gpube__fail(s->ctx, GPUBE_EBUG,
			"internal error: an assignment costs %lld, not %lld; please report this",
			(long long)cost, (long long)total);
	r->lower = total;
	gpube__solver_add_proof(s, total);
	if (total >= r->top)
		return GPUBE_OK;
	gpube__solver_add_candidate(s, values);
	r->values = values;
	r->upper = total;
	return GPUBE_OK;
}

/* values: n_vars, of whom r->values may be. */
static int try_tree(struct run *r, int32_t *values)
{
	struct gpube_solver *s = r->s;
	bool ready;
	int status;

	if (s->opts.method != GPUBE_BOUND_AUTO || s->opts.backend == GPUBE_BACKEND_CUDA)
		return GPUBE_OK;
	status = prepare_tree(r, &ready);
	if (status || !ready)
		return status;
	status = ask(r, values);
	if (status == GPUBE_ERANGE || status == GPUBE_ENOMEM) {
		gpube__log(s->ctx, GPUBE_LOG_DETAIL, "kept messages given up: %s",
			gpube_error(s->ctx));
		drop_tree(s, true);
		status = GPUBE_OK;
	}
	return status;
}

/* ---- the engine ------------------------------------------------------------------------ */

/* The caller's progress function, and the end of the run where an assignment costs the bound. */
struct told {
	const struct gpube_opts *opts;
	int64_t lower; /* of the costs */
	bool has_lower, met;
};

static int tell(void *arg, const struct gpube_progress *now)
{
	struct told *told = arg;
	const int ends =
		told->opts->progress ? told->opts->progress(told->opts->progress_arg, now) : 0;

	told->met = told->met || (told->has_lower && now->values && now->cost == told->lower);
	return ends || told->met;
}

/* What the engine's solution proves is kept. */
static void learn(struct run *r)
{
	const struct gpube_solution *out = r->out;

	if (out->answer == GPUBE_ANSWER_INFEASIBLE)
		gpube__solver_add_proof(r->s, r->top);
	else if (out->answer == GPUBE_ANSWER_OPTIMAL)
		gpube__solver_add_proof(r->s, gpube__solver_minimised(r->s, out->cost));
	else if (out->closed)
		gpube__solver_add_proof(r->s, r->cutoff);
	else if (out->bound < GPUBE_INF && out->bound > -GPUBE_INF)
		gpube__solver_add_proof(r->s, gpube__solver_minimised(r->s, out->bound));
	if (out->values)
		gpube__solver_add_candidate(r->s, out->values);
}

static int run_engine(struct run *r)
{
	struct gpube_solver *s = r->s;
	const double before = gpube__worked(s->ctx);
	struct gpube_opts o = r->opts;
	struct told told = {.opts = &r->opts,
		.lower = given(r, r->lower),
		.has_lower = r->lower > -GPUBE_INF && !o.count};
	int status;

	if (o.timeout_seconds > 0)
		o.timeout_seconds = fmax(o.timeout_seconds - since(r), 1e-6);
	if (o.order_method == GPUBE_ORDER_GIVEN && s->n_given != r->view.n_vars)
		o.order_method = GPUBE_ORDER_AUTO;
	o.precision = 0;
	o.values = r->values;
	if (o.progress || told.has_lower) {
		o.progress = tell;
		o.progress_arg = &told;
	}
	status = gpube__solve_noted(&r->out, NULL, &r->view, &o, NULL);
	s->worked += gpube__worked(s->ctx) - before;
	if (!r->out)
		return status;
	if (told.met && r->out->values && r->out->cost == told.lower) {
		r->out->answer = GPUBE_ANSWER_OPTIMAL;
		r->out->bound = r->out->cost;
		r->out->closed = 0;
		status = status == GPUBE_ESTOP ? GPUBE_OK : status;
	}
	learn(r);
	if (r->out->answer == GPUBE_ANSWER_INCOMPLETE && !r->out->closed &&
		(r->out->bound == given(r, -GPUBE_INF) ||
			r->lower > gpube__solver_minimised(s, r->out->bound)))
		r->out->bound = given(r, r->lower);
	if (check(r) == GPUBE_EBUG)
		return GPUBE_EBUG;
	return status;
}

/* ---- both ------------------------------------------------------------------------------ */

/* What is known of the model as it is now. *none: what is observed contradicts itself. */
static int begin(struct run *r, bool *none)
{
	struct gpube_solver *s = r->s;
	int status = gpube__solver_sync(s);

	if (!status)
		status = gpube__solver_fix(s, none);
	if (status)
		return status;
	r->view = *s->costs;
	r->view.evidence = s->fixed;
	r->top = gpube__minimised_top(&r->view);
	r->cutoff = r->opts.has_cutoff ? gpube__solver_minimised(s, r->opts.cutoff) : GPUBE_INF;
	if (s->values && s->n_given == r->view.n_vars)
		gpube__solver_add_candidate(s, s->values);
	gpube__free(s->ctx, s->values);
	s->values = NULL;
	r->lower = *none ? GPUBE_INF : gpube__solver_lower(s);
	status = gpube__solver_best(&r->values, &r->upper, s, &r->view);
	if (!status && !*none && r->upper < r->lower)
		status = gpube__fail(s->ctx, GPUBE_EBUG,
			"internal error: an assignment costs %lld, below the bound %lld; please "
			"report this",
			(long long)r->upper, (long long)r->lower);
	return status;
}

static int run(struct run *r)
{
	struct gpube_solver *s = r->s;
	int32_t *values = NULL;
	bool none;
	int status = begin(r, &none);

	if (status)
		return status;
	if (none || (!s->opts.count && is_decided(r)))
		return report(r, "known");
	values = gpube__alloc(s->ctx, (uint64_t)r->view.n_vars, sizeof(*values));
	status = !values ? GPUBE_ENOMEM : s->opts.count ? GPUBE_OK : try_tree(r, values);
	if (!status && is_decided(r) && !s->opts.count)
		status = report(r, "messages");
	else if (!status)
		status = run_engine(r);
	else if (status == GPUBE_ESTOP) {
		status = report(r, "messages");
		status = status ? status : gpube__fail_stopped(s->ctx);
	}
	gpube__free(s->ctx, values);
	return status;
}

/* The solver's options, with what this run has of its own. */
static int take_options(struct run *r, const struct gpube_opts *opts)
{
	struct gpube_opts o;
	int status;

	r->opts = r->s->opts;
	if (!opts)
		return GPUBE_OK;
	status = gpube__opts_for(&o, r->s->model, opts, GPUBE__ON_SOLVER_RUN);
	if (status)
		return status;
	r->opts.has_cutoff = o.has_cutoff;
	r->opts.cutoff = o.cutoff;
	r->opts.timeout_seconds = o.timeout_seconds;
	r->opts.progress = o.progress;
	r->opts.progress_arg = o.progress_arg;
	return GPUBE_OK;
}

int gpube_solver_run(
	struct gpube_solution **out, struct gpube_solver *s, const struct gpube_opts *opts)
{
	struct run r = {.s = s, .start = gpube__now(), .lower = -GPUBE_INF};
	double deadline;
	int status;

	if (out)
		*out = NULL;
	if (!out || !s)
		return gpube__missing(s ? s->ctx : NULL);
	status = take_options(&r, opts);
	if (status)
		return status;
	deadline = gpube__time_limit(s->ctx, r.start, r.opts.timeout_seconds);
	status = run(&r);
	s->ctx->deadline = deadline;
	s->n_assumed = 0;
	if (status && status != GPUBE_ESTOP && status != GPUBE_ELIMIT) {
		gpube_result_free(r.out);
		r.out = NULL;
	}
	*out = r.out;
	return status;
}
