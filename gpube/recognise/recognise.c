/*
 * recognise.c - gpube_solve(): models that have the form of a coalition game or an auction (see
 * forms/form.h) are solved by the method made for it, where that is cheaper than the engine.
 *
 * A chain of at most GPUBE_CHAIN_AGENTS agents always is: elimination joins as many cells as there
 * are tuples to read, and the game takes far less. Otherwise nobody knows before: of converted
 * auctions of CATS' kinds most take the linear program a tenth of what they take the engine, and
 * independent sets of random graphs, which have the form, too, take it up to seven times as much.
 * So the engine begins, and both have turns of counted work, each from its beginning, but with the
 * best assignment known; turns grow so fast that all together take a fraction more than the last.
 *
 * Pure equilibria are left to the engine: it compares as many payoffs as gpube_nash_pure() does.
 */
#include "gpube/gpube.h"

#include <math.h>

#include "csg/auction.h"
#include "csg/csg.h"
#include "gpube/bound/bound.h"
#include "gpube/forms/form.h"
#include "gpube/options/options.h"
#include "gpube/ir/given.h"

#define FIRST_SECONDS 0.02 /* of work, of the engine's first turn */
#define FORM_SHARE    4    /* of the engine's turn, what the form's method has after it */
#define GROWTH        16   /* of turns */
#define TABLE_AGENTS  20   /* of a set partition, at most: all its coalitions are a small table */
#define MOST_BIDS     2048 /* whose linear program is dense */
#define PAIR_SECONDS  2e-7 /* of work, for each pair of bids: what that program takes to begin */

/*
 * known   what is known of the model; NULL: no turn has ended
 * forms   the form's method may have turns
 * ended   the caller's progress function has ended the call
 */
struct turns {
	const struct gpube_model *m;
	struct gpube_ctx *ctx;
	struct gpube_opts opts;
	struct gpube__form form;
	struct gpube_solution *known;
	double start, engine_start;
	int round;
	bool forms, ended;
};

static bool gets(const struct turns *t)
{
	return t->m->direction == GPUBE_MAXIMISE;
}

/* ---- what is known --------------------------------------------------------------------------- */

static int tell(void *arg, const struct gpube_progress *now)
{
	struct turns *t = arg;
	struct gpube_progress told = *now;

	told.seconds += t->engine_start - t->start;
	if (t->opts.progress && t->opts.progress(t->opts.progress_arg, &told))
		t->ended = true;
	return t->ended;
}

/* The turns of a, then those of b, as those of s; without memory they stay as they are. */
static void join_stages(struct gpube_ctx *ctx, struct gpube_solution *s,
	const struct gpube_stage *a, int n_a, const struct gpube_stage *b, int n_b)
{
	struct gpube_stage *all = gpube__alloc(ctx, (uint64_t)(n_a + n_b) + 1, sizeof(*all));

	if (!all)
		return;
	for (int k = 0; k < n_a + n_b; k++)
		all[k] = k < n_a ? a[k] : b[k - n_a];
	gpube__free(ctx, s->stages);
	s->stages = all;
	s->n_stages = n_a + n_b;
}

static bool better_bound(const struct turns *t, int64_t a, int64_t b)
{
	return gets(t) ? a < b : a > b;
}

/* The engine's report becomes what is known. */
static void take_report(struct turns *t, struct gpube_solution *s)
{
	const double later = t->engine_start - t->start;

	if (t->known)
		join_stages(
			t->ctx, s, t->known->stages, t->known->n_stages, s->stages, s->n_stages);
	s->seconds_bound += later;
	s->seconds_cost += later;
	for (int k = 0; k < s->n_steps; k++)
		s->steps[k].seconds += later;
	if (t->known && s->answer == GPUBE_ANSWER_INCOMPLETE &&
		better_bound(t, t->known->bound, s->bound)) {
		s->bound = t->known->bound;
		s->seconds_bound = t->known->seconds_bound;
		if (s->values && s->bound == s->cost)
			s->answer = GPUBE_ANSWER_OPTIMAL;
	}
	gpube_result_free(t->known);
	t->known = s;
}

/* Where no turn of the engine's has been. */
static int know_nothing(struct turns *t)
{
	struct gpube_solution *s;

	if (t->known)
		return GPUBE_OK;
	s = gpube__solution_new(t->ctx);
	if (!s)
		return GPUBE_ENOMEM;
	s->answer = GPUBE_ANSWER_INCOMPLETE;
	s->backend = "cpu";
	s->scale = t->m->scale;
	s->bound = gets(t) ? GPUBE_INF : -GPUBE_INF;
	s->plan.n_vars = t->m->n_vars;
	s->plan.n_functions = t->m->n_functions;
	t->known = s;
	return GPUBE_OK;
}

/* ---- turns ----------------------------------------------------------------------------------- */

static int run_engine(struct turns *t, double seconds)
{
	const int64_t until = gpube__work_until(t->ctx, gpube__worked(t->ctx) + seconds);
	struct gpube_opts o = t->opts;
	struct gpube_solution *s;
	int status;

	t->engine_start = gpube__now();
	o.timeout_seconds = 0; /* the context has it */
	if (o.progress) {
		o.progress = tell;
		o.progress_arg = t;
	}
	if (t->known && t->known->values)
		o.values = t->known->values;
	status = gpube__solve_noted(&s, NULL, t->m, &o, NULL);
	gpube__work_again(t->ctx, until);
	if (s)
		take_report(t, s);
	return status;
}

/*
 * What the form's method has found: an assignment, whose cost has to be 'cost', and a bound.
 * proved  it is the optimum
 */
struct found {
	const char *method;
	int32_t *values;
	__int128 cost, bound;
	bool proved, infeasible;
};

static int take_found(struct turns *t, struct found *f)
{
	struct gpube_solution *s = t->known;
	const double now = gpube__now() - t->start;
	int64_t cost = GPUBE_INF;
	int status = f->values ? gpube_model_cost(&cost, t->m, f->values) : GPUBE_OK;

	if (!status && f->values && cost != f->cost)
		status = gpube__fail(t->ctx, GPUBE_EBUG,
			"internal error: %s found an assignment that costs %lld; please report "
			"this",
			f->method, (long long)cost);
	if (status)
		return status;
	if (f->values && (!s->values || better_bound(t, s->cost, cost))) {
		gpube__free(t->ctx, s->values);
		s->values = f->values;
		s->cost = cost;
		s->seconds_cost = now;
		f->values = NULL;
	}
	if (f->infeasible)
		s->answer = GPUBE_ANSWER_INFEASIBLE;
	if (f->bound > -GPUBE_INF && f->bound < GPUBE_INF &&
		better_bound(t, (int64_t)f->bound, s->bound)) {
		s->bound = (int64_t)f->bound;
		s->seconds_bound = now;
	}
	if (f->proved || (s->values && s->bound == s->cost)) {
		s->answer = GPUBE_ANSWER_OPTIMAL;
		s->bound = s->cost;
		s->seconds_bound = now;
	}
	return GPUBE_OK;
}

static int solve_structures(struct turns *t, struct found *f)
{
	const struct gpube__form *form = &t->form;
	struct gpube_opts o;
	struct gpube_csg_result *r;
	int status;

	gpube__opts_default(&o);
	o.backend = t->opts.backend;
	/* of more agents the work of other methods is not counted */
	o.csg_method = form->chain || t->m->n_vars <= TABLE_AGENTS ? GPUBE_CSG_AUTO : GPUBE_CSG_LP;
	status = gpube_csg(&r, form->model, &o);
	if (status)
		return status;
	f->infeasible = r->answer == GPUBE_CSG_INFEASIBLE;
	f->proved = r->answer == GPUBE_CSG_OPTIMAL;
	f->cost = gets(t) ? r->value_int : -(__int128)r->value_int;
	f->bound = r->upper_int == INT64_MAX ? (__int128)GPUBE_INF * 2 : r->upper_int;
	f->bound = gets(t) ? f->bound : -f->bound;
	if (r->n_parts) {
		f->values = gpube__alloc(t->ctx, (uint64_t)t->m->n_vars, sizeof(*f->values));
		status = f->values ? gpube__form_structure(f->values, form, r->parts, r->n_parts)
				   : GPUBE_ENOMEM;
	}
	gpube_result_free(r);
	return status;
}

static int solve_auction(struct turns *t, struct found *f)
{
	struct gpube__form *form = &t->form;
	struct gpube_auction_result *r;
	int64_t base;
	int status = form->model ? GPUBE_OK : gpube__auction_of_parts(&form->model, &form->parts);

	if (status)
		return status;
	status = gpube_auction(&r, form->model, NULL);
	if (status)
		return status;
	f->values = gpube__alloc_zero(t->ctx, (uint64_t)t->m->n_vars, sizeof(*f->values));
	status = f->values ? gpube_model_cost(&base, t->m, f->values) : GPUBE_ENOMEM;
	if (!status)
		status = gpube__form_winners(f->values, form, r->winners, r->n_winners);
	if (!status) {
		f->proved = r->optimal;
		f->cost = gets(t) ? (__int128)base + r->revenue : (__int128)base - r->revenue;
		f->bound =
			gets(t) ? (__int128)base + r->upper_bound : (__int128)base - r->upper_bound;
	}
	gpube_result_free(r);
	return status;
}

static int64_t cost_of(const struct turns *t)
{
	return t->known->values ? t->known->cost : gets(t) ? -GPUBE_INF : GPUBE_INF;
}

static void tell_form(struct turns *t, const char *by)
{
	const struct gpube_progress now = {.seconds = gpube__now() - t->start,
		.bound = t->known->bound,
		.cost = cost_of(t),
		.scale = t->known->scale,
		.values = t->known->values,
		.by = by};

	t->engine_start = t->start;
	(void)tell(t, &now);
}

static int run_form(struct turns *t, double seconds)
{
	const double start = gpube__now(), cpu = gpube__cpu_seconds(), work = gpube__worked(t->ctx);
	const int64_t until = gpube__work_until(t->ctx, work + seconds);
	struct found f = {.method = t->form.auction ? "auction" : "csg"};
	struct gpube_solution *s;
	struct gpube_stage stage;
	int status = know_nothing(t);

	s = t->known;
	if (!status) {
		stage = (struct gpube_stage){.name = f.method,
			.why = "form",
			.round = t->round,
			.budget = seconds * 1e9,
			.bound_before = s->bound,
			.cost_before = cost_of(t)};
		t->ctx->bounds_unsaid = true; /* revenue and values are no costs */
		status = t->form.auction ? solve_auction(t, &f) : solve_structures(t, &f);
		t->ctx->bounds_unsaid = false;
	}
	gpube__work_again(t->ctx, until);
	if (!status)
		status = take_found(t, &f);
	gpube__free(t->ctx, f.values);
	if (status)
		return status;
	stage.ticks = (gpube__worked(t->ctx) - work) * 1e9;
	stage.seconds = gpube__now() - start;
	stage.seconds_cpu = gpube__cpu_seconds() - cpu;
	stage.bound = s->bound;
	stage.cost = cost_of(t);
	join_stages(t->ctx, s, s->stages, s->n_stages, &stage, 1);
	gpube__log(t->ctx, GPUBE_LOG_DETAIL,
		"round %d: %s (the model has its form), %.4g of %.4g ticks, %.3g s%s", t->round,
		f.method, stage.ticks, stage.budget, stage.seconds,
		s->answer == GPUBE_ANSWER_INCOMPLETE ? "" : ", done");
	tell_form(t, f.method);
	return GPUBE_OK;
}

/* Whether a turn was the last one. */
static bool is_over(const struct turns *t, int status)
{
	if (status && status != GPUBE_ESTOP && status != GPUBE_ELIMIT)
		return true;
	return t->ended || gpube__stopped(t->ctx) ||
	       (t->known && t->known->answer != GPUBE_ANSWER_INCOMPLETE);
}

/*
 * The form's method has no say in what fails: without memory for it, or where its sums pass 64
 * bits, the engine goes on alone.
 */
static int take_turns(struct turns *t)
{
	const double n = t->form.auction ? t->form.parts.n_sets : 0;
	double seconds = FIRST_SECONDS;
	bool form = t->form.chain;
	int status = GPUBE_OK;

	for (t->round = 0;; t->round++, seconds *= GROWTH) {
		if (t->round || !form) {
			status = run_engine(t, t->forms ? seconds : INFINITY);
			if (is_over(t, status) || !t->forms)
				return status;
		}
		if (FORM_SHARE * seconds < PAIR_SECONDS * n * n && status != GPUBE_ELIMIT)
			continue;
		form = !run_form(t,
			t->form.chain || status == GPUBE_ELIMIT ? INFINITY : FORM_SHARE * seconds);
		if (form && is_over(t, GPUBE_OK))
			return t->known->answer == GPUBE_ANSWER_INCOMPLETE
				       ? gpube__fail_stopped(t->ctx)
				       : GPUBE_OK;
		t->forms = form && status != GPUBE_ELIMIT;
	}
}

/* ---- the call -------------------------------------------------------------------------------- */

/* Whether the call leaves the way to the answer open. */
static bool is_open(const struct gpube_model *m, const struct gpube_opts *o)
{
	return m->kind == GPUBE_COSTS && m->n_vars > 0 && o->method == GPUBE_BOUND_AUTO &&
	       o->backend != GPUBE_BACKEND_CUDA && !o->count && !o->has_cutoff && !o->checkpoint &&
	       !o->resume;
}

/* Assignments are priced from the given model's tables. */
static int solve(
	struct gpube_solution **out, const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct turns t = {.m = m, .ctx = m->ctx, .start = gpube__now()};
	double deadline;
	int status = gpube__opts_for(&t.opts, m, opts, GPUBE__ON_SOLVE);

	*out = NULL;
	if (status)
		return status;
	deadline = gpube__time_limit(t.ctx, t.start, t.opts.timeout_seconds);
	if (!is_open(m, &t.opts) || gpube__form_find(&t.form, m)) {
		t.ctx->error[0] = '\0'; /* that it has no such form is no failure of the call */
		t.ctx->deadline = deadline;
		return gpube__solve_noted(out, NULL, m, opts, NULL);
	}
	t.forms = !t.form.auction || t.form.parts.n_sets <= MOST_BIDS;
	status = take_turns(&t);
	t.ctx->deadline = deadline;
	gpube__form_clear(&t.form);
	if (status && status != GPUBE_ESTOP && status != GPUBE_ELIMIT) {
		gpube_result_free(t.known);
		return status;
	}
	*out = t.known;
	return status;
}

int gpube_solve(
	struct gpube_solution **out, const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_model view;
	const int status = gpube__call(out, &view, &m, opts);

	return status ? status : solve(out, m, opts);
}
