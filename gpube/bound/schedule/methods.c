/*
 * methods.c - the methods as the schedule has them, what it asks of a bounder, and what is told of
 * turns: see methods.h.
 */
#include <stdio.h>

#include "gpube/bound/schedule/methods.h"

#include "gpube/bound/bound.h"
#include "gpube/bound/dfs_tree.h"
#include "gpube/bound/pairwise/pairwise_method.h"
#include "gpube/bound/relaxed_run.h"
#include "gpube/bound/reparam.h"
#include "gpube/options/options.h"
#include "gpube/relax/sat.h"

/*
 * Ticks for each cell of a model: that become clauses; that an engine's tables are made of; some
 * sweeps of soft arc consistency. And for each variable: of mini-buckets, plans of several sizes;
 * of a greedy order, which takes as long for each function.
 */
#define CLAUSE_TICKS 20
#define MADE_TICKS   10
#define ARC_TICKS    30
#define MBE_TICKS    1e4
#define GREEDY_TICKS 2e3

/* To the end in so many ticks; and without a known end, in steps of so many at least. */
static struct gpube__fit ends_if(bool fits, double ticks)
{
	return (struct gpube__fit){fits ? ticks : 0, 0, false};
}

static struct gpube__fit tries_if(bool fits, double least)
{
	return (struct gpube__fit){fits ? GPUBE__UNKNOWN_END : 0, least, false};
}

static struct gpube__fit sat_fit(const struct gpube_bounder *b)
{
	const bool unassigned = b->upper == GPUBE_INF && b->given_cutoff == GPUBE_INF;
	/* nothing is proved but the constant: there may be an assignment that costs no more */
	const bool may_be_free =
		b->lower == gpube__constant_of(b->m) && b->upper > b->lower && b->cutoff > b->lower;

	return tries_if(gpube__sat_library() && (b->made.span == 1 || unassigned || may_be_free),
		CLAUSE_TICKS * b->made.cells);
}

static struct gpube__fit order_fit(const struct gpube_bounder *b)
{
	if (!b->state.ordered)
		return ends_if(true, GREEDY_TICKS * (1.0 + b->m->n_vars + b->m->n_functions));
	return tries_if(b->state.orders, b->state.orders ? gpube__bound_orders_least(b) : 0);
}

/* It tells what the schedule goes by, of the order as it is now. */
static int order_step(struct gpube_bounder *b, double seconds)
{
	const int status = b->state.ordered ? gpube__bound_better_order(b, seconds)
					    : gpube__bound_first_order(b);

	if (status >= 0)
		gpube__log(b->ctx, GPUBE_LOG_DETAIL,
			"class %s, order of width %d, about %.6g ticks of elimination",
			gpube__class_names[gpube__class_of(b)], b->order_cost.width,
			gpube__eliminating_ticks(b));
	return status;
}

/* Soft arc consistency: what other methods work on is made of what it leaves. */
static struct gpube__fit arc_fit(const struct gpube_bounder *b)
{
	return ends_if(!b->state.reparametrised, 1e4 + ARC_TICKS * b->made.cells);
}

static int arc_step(struct gpube_bounder *b, double seconds)
{
	int status;

	b->state.reparametrised = true;
	gpube__bounder_tell(b, "simplification");
	status = gpube__bound_first(b, seconds);
	return status ? status : GPUBE__DONE;
}

static struct gpube__fit eliminate_fit(const struct gpube_bounder *b)
{
	if (b->opts->method == GPUBE_BOUND_ELIMINATE) /* along an order of its own */
		return tries_if(true, 0);
	return ends_if(b->state.ordered && !b->opts->no_eliminate, gpube__eliminating_ticks(b));
}

static int run_elimination(struct gpube_bounder *b)
{
	bool done = false;

	return b->opts->method == GPUBE_BOUND_ELIMINATE
		       ? gpube__bounder_eliminate_all(b)
		       : gpube__bounder_eliminate(b, NULL, NULL, INFINITY, &done);
}

static struct gpube__fit pairwise_fit(const struct gpube_bounder *b)
{
	const struct gpube_pairwise_run *s = b->state.pairwise;

	return tries_if(
		!s || gpube__pairwise_run_fits(s), s ? 1e9 * s->waits : MADE_TICKS * b->made.cells);
}

static int pairwise_step(struct gpube_bounder *b, double seconds)
{
	const int status = gpube__bound_pairwise(b, seconds);
	const struct gpube_pairwise_run *s = b->state.pairwise;
	const bool goes_on = s && gpube__pairwise_run_fits(s) && s->paused;

	return status || goes_on ? status : GPUBE__DONE;
}

/* Pairs of variables that share a function, of all, from which on subproblems say little. */
#define MANY_PAIRS 0.08

static struct gpube__fit semidefinite_fit(const struct gpube_bounder *b)
{
	const struct gpube_relaxed_run *s = b->state.semidefinite;
	const double n = b->m->n_vars;
	const bool suits = s ? !s->failed
			     : b->opts->method == GPUBE_BOUND_SEMIDEFINITE ||
					   b->m->n_functions >= MANY_PAIRS * n * (n - 1) / 2;

	return tries_if(suits && !gpube__semidefinite_lacks(b), gpube__semidefinite_least(b));
}

static struct gpube__fit linear_fit(const struct gpube_bounder *b)
{
	const struct gpube_relaxed_run *s = b->state.linear;

	return tries_if(!(s && s->failed) && !gpube__linear_lacks(b), gpube__linear_least(b));
}

static struct gpube__fit tree_fit(const struct gpube_bounder *b)
{
	struct gpube_dfs_tree *const t = b->state.tree;

	if (!t)
		return tries_if(true, MADE_TICKS * b->made.cells);
	return (struct gpube__fit){t->t ? 1e9 * gpube__dfs_tree_seconds_left(t) : 0, 0, true};
}

static struct gpube__fit deepening_fit(const struct gpube_bounder *b)
{
	return tries_if(!(b->state.tree && !b->state.tree->t) &&
				(b->state.trial_tree || gpube__bounder_may_deepen(b)),
		MADE_TICKS * b->made.cells);
}

/*
 * On a join graph every function is joined with another variable, about, and a pass goes through it
 * some times.
 */
static struct gpube__fit on_graph_fit(const struct gpube_bounder *b)
{
	return tries_if(
		true, b->state.climb ? 0 : MADE_TICKS * b->made.cells * b->made.mean_domain);
}

/* Where the method is not asked for, for a card: on a CPU others prove more in the same time. */
static struct gpube__fit nested_fit(const struct gpube_bounder *b)
{
	if (b->state.nest)
		return tries_if(true, 0);
	return gpube__asks_for_nested(b->opts) || gpube__bound_on_card(b) ? on_graph_fit(b)
									  : tries_if(false, 0);
}

static struct gpube__fit mbe_fit(const struct gpube_bounder *b)
{
	struct gpube__fit fit = on_graph_fit(b);

	fit.least += MBE_TICKS * b->m->n_vars;
	return fit;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* What a method waits for, and where it is not asked. */
enum {
	ARC = 1,   /* the tables that soft arc consistency leaves */
	ORDER = 2, /* an elimination order */
	SPLIT = 4, /* not where splits are ruled out */
	SOLVE = 8, /* not where a reparametrised model is wanted */
	GRAPH = ARC | ORDER,
};

/*
 * fit   what it predicts of the model as it is known now, where it has what it wants; NULL: it may
 *       be tried
 * step  goes on, or begins, for so many seconds of work: OK, GPUBE__DONE, or a failure
 * run   of an engine that knows no budget, in the place of it: it is stopped when that is used up,
 *       and begins anew the next time; one that ends is done
 */
struct method {
	const char *name;
	int wants;
	struct gpube__fit (*fit)(const struct gpube_bounder *b);
	int (*step)(struct gpube_bounder *b, double seconds);
	int (*run)(struct gpube_bounder *b);
};

#define ROW(name, ...) [GPUBE__METHOD_##name] = {#name, __VA_ARGS__}
static const struct method methods[GPUBE__N_METHODS] = {
	ROW(sat, SOLVE, sat_fit, gpube__bound_sat),
	ROW(order, 0, order_fit, order_step),
	ROW(arc, SOLVE, arc_fit, arc_step),
	ROW(eliminate, 0, eliminate_fit, .run = run_elimination),
	ROW(search, 0, NULL, gpube__bounder_search_for),
	ROW(pairwise, ARC, pairwise_fit, pairwise_step),
	ROW(tree, GRAPH | SPLIT, tree_fit, gpube__bound_tree),
	ROW(deepening, GRAPH | SPLIT, deepening_fit, gpube__bound_deepening),
	ROW(andor, GRAPH | SPLIT | SOLVE, on_graph_fit, gpube__bound_andor),
	ROW(joins, GRAPH, on_graph_fit, gpube__bound_joins),
	ROW(nested, GRAPH, nested_fit, .run = gpube__bound_regions),
	ROW(mbe, GRAPH, mbe_fit, .run = gpube__bound_mbe),
	ROW(semidefinite, ARC | SOLVE, semidefinite_fit, gpube__bound_semidefinite),
	ROW(linear, ARC | SOLVE, linear_fit, gpube__bound_linear),
};

static struct gpube__fit fit(const void *known, int i)
{
	const struct gpube_bounder *b = known;
	const struct method *m = &methods[i];

	if ((!b->state.reparametrised && m->wants & ARC) ||
		(!b->state.ordered && m->wants & ORDER) ||
		(b->opts->split == GPUBE_SPLIT_NEVER && m->wants & SPLIT) ||
		(b->state.reparam && m->wants & SOLVE))
		return (struct gpube__fit){0};
	return m->fit ? m->fit(b) : tries_if(true, 0);
}

/* A stop of the run ends engines that know no budget, too. */
static int step(struct gpube_bounder *b, const struct method *m, double seconds)
{
	int64_t until;
	int status;

	if (m->step)
		return m->step(b, seconds);
	until = gpube__work_until(b->ctx, gpube__worked(b->ctx) + seconds);
	status = m->run(b);
	gpube__work_again(b->ctx, until);
	if (status == GPUBE_ESTOP && !gpube__stopped(b->ctx))
		return GPUBE_OK;
	return status ? status : GPUBE__DONE;
}

/* ---- turns ----------------------------------------------------------------------------------- */

static struct gpube__run_now now(const void *known)
{
	const struct gpube_bounder *b = known;

	return (struct gpube__run_now){.worked = 1e9 * gpube__worked(b->ctx),
		.gap = gpube__bounder_open(b),
		.mark = b->told.n_improved,
		.done = gpube__bounder_done(b) || gpube__stopped(b->ctx)};
}

/* What the first moment brought, which was not told then, where the answer did not come with it. */
static void tell_after_a_moment(struct gpube_bounder *b, const struct gpube__turn *t)
{
	const double before = gpube__bounder_worked(b) - 1e-9 * t->ticks;

	if (before < GPUBE__MOMENT && gpube__bounder_worked(b) >= GPUBE__MOMENT &&
		!gpube__bounder_done(b) && !b->told.planning)
		gpube__bounder_tell(b, methods[t->method].name);
}

/* A gap in the decimals of the costs; "-": nothing bounds it. */
static const char *gap_text(
	char text[GPUBE_DECIMAL_TEXT], const struct gpube_bounder *b, double gap)
{
	return gap < (double)GPUBE_INF ? gpube__decimal_text(text, (int64_t)gap, b->costs->scale)
				       : "-";
}

static int tell(struct gpube_bounder *b, const struct gpube__turn *t)
{
	const char *name = methods[t->method].name;
	char bounds[GPUBE__BOUNDS_TEXT], given[32] = "", gap[2][GPUBE_DECIMAL_TEXT];
	int status;

	if (isfinite(t->budget))
		snprintf(given, sizeof(given), " of %.3g", t->budget);
	gpube__log(b->ctx, GPUBE_LOG_DETAIL,
		"round %d: %s (%s), %.6g%s ticks, %.3g s, %s, gap %s to %s%s", t->round, name,
		t->why, t->ticks, given, gpube__cpu_seconds() - b->told.noted_cpu,
		gpube__bounder_changed(bounds, b), gap_text(gap[0], b, t->before.gap),
		gap_text(gap[1], b, t->after.gap),
		t->status < 0 ? ", failed"
		: t->status   ? ", done"
			      : "");
	status = gpube__bounder_learn(b, true);
	if (status)
		return status;
	gpube__bounder_poll(b);
	tell_after_a_moment(b, t);
	gpube__bounder_progress(b, name);
	gpube__bounder_save_if_due(b, 0);
	return gpube__bounder_note(b, (struct gpube_stage){.name = name,
					      .why = t->why,
					      .round = t->round,
					      .ticks = t->ticks,
					      .budget = t->budget,
					      .fell_back = t->status < 0});
}

static int take(void *known, struct gpube__turn *t)
{
	struct gpube_bounder *b = known;
	const struct method *m = &methods[t->method];
	int told;

	t->before = now(b);
	gpube__progress(b->ctx, -1, "%s", m->name);
	t->status = step(b, m, 1e-9 * t->budget);
	t->after = now(b);
	t->ticks = t->after.worked - t->before.worked;
	told = tell(b, t);
	if (t->status >= 0)
		return told;
	return b->opts->method != GPUBE_BOUND_ELIMINATE &&
			       gpube__bounder_falls_back(b, t->status, m->name)
		       ? GPUBE_OK
		       : t->status;
}

static double share(const void *known, int method)
{
	return gpube__shares[gpube__class_of(known)][method] / 100.0;
}

static const struct gpube__run_view view = {now, fit, share, take};

/* ---- a method by itself ---------------------------------------------------------------------- */

/*
 * Ticks of better orders, of a method's first turn before these, and for each variable of local
 * search before that.
 */
#define ORDER_TICKS  5e8
#define FIRST_TICKS  5e8
#define SEARCH_TICKS 2e5

/* By itself, outside of rounds. */
static int one_turn(struct gpube_bounder *b, enum gpube__method_at at, double ticks)
{
	struct gpube__turn turn = {.method = at, .why = "alone", .budget = ticks};

	return (gpube__bounder_done(b) && !b->told.planning) || gpube__stopped(b->ctx) ||
			       !(fit(b, at).end > 0)
		       ? GPUBE_OK
		       : take(b, &turn);
}

/* A first order; where there was no memory for one, once more. */
static int begin_order(struct gpube_bounder *b)
{
	int status = GPUBE_OK;

	for (int k = 0; k < 2 && !status && !b->state.ordered; k++)
		status = one_turn(b, GPUBE__METHOD_order, INFINITY);
	return status;
}

static enum gpube__method_at asked_for(const struct gpube_opts *opts)
{
	static const enum gpube__method_at at[] = {
		[GPUBE_BOUND_ARC] = GPUBE__METHOD_arc,
		[GPUBE_BOUND_MBE] = GPUBE__METHOD_mbe,
		[GPUBE_BOUND_ASCENT] = GPUBE__METHOD_joins,
		[GPUBE_BOUND_TREE] = GPUBE__METHOD_tree,
		[GPUBE_BOUND_PAIRWISE] = GPUBE__METHOD_pairwise,
		[GPUBE_BOUND_ANDOR] = GPUBE__METHOD_andor,
		[GPUBE_BOUND_ELIMINATE] = GPUBE__METHOD_eliminate,
		[GPUBE_BOUND_SEMIDEFINITE] = GPUBE__METHOD_semidefinite,
		[GPUBE_BOUND_LINEAR] = GPUBE__METHOD_linear,
	};

	return gpube__asks_for_nested(opts) ? GPUBE__METHOD_nested : at[opts->method];
}

/* Why the model is not for the method that is asked for, or NULL. */
static const char *what_lacks(const struct gpube_bounder *b)
{
	if (b->state.no_regions)
		return "nested regions need functions of pairs";
	if (gpube__bounder_done(b))
		return NULL;
	return b->opts->method == GPUBE_BOUND_SEMIDEFINITE ? gpube__semidefinite_lacks(b)
	       : b->opts->method == GPUBE_BOUND_LINEAR     ? gpube__linear_lacks(b)
							   : NULL;
}

/* A better order, for as long as the caller says, or for a while. */
static int better_order(struct gpube_bounder *b)
{
	return one_turn(
		b, GPUBE__METHOD_order, b->opts->order_seconds > 0 ? INFINITY : ORDER_TICKS);
}

/* Goes by the order, on the tables of soft arc consistency, and goes on where it stopped. */
static bool goes_on(enum gpube__method_at at)
{
	return methods[at].wants & ORDER && methods[at].step;
}

/*
 * Some begin, as they do among others, after soft arc consistency and before a better order is
 * searched for: many models need none. Of the others only some go by the order.
 */
static int turns_of(struct gpube_bounder *b, enum gpube__method_at at)
{
	int status = GPUBE_OK;

	if (goes_on(at))
		status = one_turn(b, GPUBE__METHOD_arc, INFINITY);
	if (!status && goes_on(at) && !(b->opts->order_seconds > 0))
		status = one_turn(b, at, FIRST_TICKS);
	if (!status && methods[at].wants & ORDER)
		status = better_order(b);
	return status ? status : one_turn(b, at, INFINITY);
}

/* The method that is asked for, or those that make a reparametrised model. */
static int alone(struct gpube_bounder *b)
{
	const enum gpube__method_at at = asked_for(b->opts);
	const char *lacks;
	int status;

	/* of a run that is resumed it has been: methods have their states on its tables */
	b->state.reparametrised = b->state.reparam ||
				  (goes_on(at) ? b->state.reparametrised : at != GPUBE__METHOD_arc);
	if (at == GPUBE__METHOD_eliminate)
		return one_turn(b, at, INFINITY);
	status = begin_order(b);
	if (!status)
		status = one_turn(b, GPUBE__METHOD_search, SEARCH_TICKS * b->m->n_vars);
	if (!status && b->state.reparam)
		status = better_order(b);
	if (status || gpube__bounder_done(b))
		return status;
	if (!b->state.ordered)
		return gpube__fail_stopped(b->ctx);
	if (b->state.reparam)
		return gpube__bound_reparametrise(b);
	status = turns_of(b, at);
	lacks = status ? NULL : what_lacks(b);
	if (!lacks)
		return status;
	gpube__log(b->ctx, GPUBE_LOG_NOTE, "%s: soft arc consistency instead, on the CPU", lacks);
	b->state.reparametrised = false;
	return one_turn(b, GPUBE__METHOD_arc, INFINITY);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int together(struct gpube_bounder *b)
{
	struct gpube__schedule *s = b->state.schedule; /* of a run that is resumed */
	int status = begin_order(b);

	if (status || !b->state.ordered)
		return status;
	if (!s) {
		s = b->state.schedule = gpube__alloc(b->ctx, 1, sizeof(*s));
		if (!s)
			return GPUBE_ENOMEM;
		gpube__schedule_init(s, GPUBE__N_METHODS);
	}
	return gpube__schedule_run(s, b, &view);
}

int gpube__bound_scheduled(struct gpube_bounder *b)
{
	int status;

	gpube__bounder_poll(b);
	do
		status = gpube__bounder_done(b) && !b->told.planning                ? GPUBE_OK
			 : b->opts->method == GPUBE_BOUND_AUTO && !b->state.reparam ? together(b)
										    : alone(b);
	while (!status && gpube__bounder_wait(b));
	if (!status && b->opts->count && !b->told.out->count && b->upper != GPUBE_INF &&
		b->lower >= b->upper)
		status = gpube__bounder_eliminate_all(b);
	if (status && b->opts->method != GPUBE_BOUND_ELIMINATE &&
		gpube__bounder_falls_back(b, status, "counting"))
		status = GPUBE_OK;
	return status;
}
