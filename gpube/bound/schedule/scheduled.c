/* scheduled.c - the schedule of a bounder: what it asks of one, and what is told of turns. */
#include <stdio.h>

#include "gpube/bound/bound.h"
#include "gpube/options/options.h"
#include "gpube/bound/reparam.h"
#include "gpube/bound/schedule/methods.h"

static struct gpube__run_now now(const void *known)
{
	const struct gpube_bounder *b = known;

	return (struct gpube__run_now){.worked = 1e9 * gpube__worked(b->ctx),
		.gap = gpube__bounder_open(b),
		.mark = b->told.n_improved,
		.done = gpube__bounder_done(b) || gpube__stopped(b->ctx)};
}

static bool falls_back(const void *known, int status, const char *method)
{
	return gpube__bounder_falls_back(known, status, method);
}

static void begins(void *known, const char *method)
{
	gpube__progress(((const struct gpube_bounder *)known)->ctx, -1, "%s", method);
}

/* What the first moment brought, which was not told then, where the answer did not come with it. */
static void tell_after_a_moment(struct gpube_bounder *b, const struct gpube__turn_taken *t)
{
	const double before = gpube__bounder_worked(b) - 1e-9 * t->ticks;

	if (before < GPUBE__MOMENT && gpube__bounder_worked(b) >= GPUBE__MOMENT &&
		!gpube__bounder_done(b) && !b->told.planning)
		gpube__bounder_tell(b, t->method);
}

/* A gap in the decimals of the costs; "-": nothing bounds it. */
static const char *gap_text(
	char text[GPUBE_DECIMAL_TEXT], const struct gpube_bounder *b, double gap)
{
	return gap < (double)GPUBE_INF ? gpube__decimal_text(text, (int64_t)gap, b->costs->scale)
				       : "-";
}

static int told(void *known, const struct gpube__turn_taken *t)
{
	struct gpube_bounder *b = known;
	char bounds[GPUBE__BOUNDS_TEXT], given[32] = "", gap[2][GPUBE_DECIMAL_TEXT];
	int status;

	if (isfinite(t->budget))
		snprintf(given, sizeof(given), " of %.3g", t->budget);
	gpube__log(b->ctx, GPUBE_LOG_DETAIL,
		"round %d: %s (%s), %.6g%s ticks, %.3g s, %s, gap %s to %s%s", t->round, t->method,
		t->why, t->ticks, given, gpube__cpu_seconds() - b->told.noted_cpu,
		gpube__bounder_changed(bounds, b), gap_text(gap[0], b, t->before.gap),
		gap_text(gap[1], b, t->after.gap),
		t->status                    ? ", failed"
		: t->end == GPUBE__STEP_DONE ? ", done"
					     : "");
	status = gpube__bounder_learn(b, true);
	if (status)
		return status;
	gpube__bounder_poll(b);
	tell_after_a_moment(b, t);
	gpube__bounder_progress(b, t->method);
	gpube__bounder_save_if_due(b, 0);
	return gpube__bounder_note(b, (struct gpube_stage){.name = t->method,
					      .why = t->why,
					      .round = t->round,
					      .ticks = t->ticks,
					      .budget = t->budget,
					      .fell_back = t->status != GPUBE_OK});
}

static double share(const void *known, int method)
{
	return gpube__shares[gpube__class_of(known)][method] / 100.0;
}

static const struct gpube__run_view view = {now, falls_back, begins, told, share};

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
	struct gpube__turn_taken turn = {.why = "alone", .budget = ticks};
	int status;

	if ((gpube__bounder_done(b) && !b->told.planning) || gpube__stopped(b->ctx) ||
		!(gpube__methods[at]->fit(b).end > 0))
		return GPUBE_OK;
	status = gpube__schedule_step(gpube__methods[at], b, &view, &turn);
	return turn.status && b->opts->method != GPUBE_BOUND_ELIMINATE &&
			       falls_back(b, turn.status, turn.method)
		       ? GPUBE_OK
		       : status;
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
	};

	return gpube__asks_for_nested(opts) ? GPUBE__METHOD_nested : at[opts->method];
}

/* Why the model is not for the method that is asked for, or NULL. */
static const char *what_lacks(const struct gpube_bounder *b)
{
	if (b->state.no_regions)
		return "nested regions need functions of pairs";
	return b->opts->method == GPUBE_BOUND_SEMIDEFINITE && !gpube__bounder_done(b)
		       ? gpube__semidefinite_lacks(b)
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
	return at == GPUBE__METHOD_tree || at == GPUBE__METHOD_andor || at == GPUBE__METHOD_joins;
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
	if (!status && (goes_on(at) || at == GPUBE__METHOD_mbe || at == GPUBE__METHOD_nested))
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
	return gpube__schedule_run(s, gpube__methods, b, &view);
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
