/* methods.c - the methods as the schedule has them: see methods.h. */
#include "gpube/bound/schedule/methods.h"
#include "gpube/options/options.h"

#include <math.h>

#include "gpube/bound/bound.h"
#include "gpube/bound/dfs_tree.h"
#include "gpube/bound/pairwise/pairwise_method.h"
#include "gpube/bound/semidefinite_run.h"
#include "gpube/ir/dense.h"
#include "gpube/relax/sat.h"

static const struct gpube__fit unfit = {0, 0, false};

/* To the end in so many ticks; and without a known end, in steps of so many at least. */
static struct gpube__fit ends(double ticks)
{
	return (struct gpube__fit){ticks, 0, false};
}

static struct gpube__fit tries(double least)
{
	return (struct gpube__fit){GPUBE__UNKNOWN_END, least, false};
}

/* Ticks for each cell of a model: that become clauses; that an engine's tables are made of. */
#define CLAUSE_TICKS 20
#define MADE_TICKS   10

/* Seconds of work, as engines have it. */
static double seconds_of(double ticks)
{
	return 1e-9 * ticks;
}

/*
 * For engines that know no budget: they are stopped when it is used up, and begin anew the next
 * time. A stop of the run is one of theirs.
 */
static int within(struct gpube_bounder *b, double ticks, int (*run)(struct gpube_bounder *b),
	enum gpube__step *end)
{
	const int64_t until = gpube__work_until(b->ctx, gpube__worked(b->ctx) + seconds_of(ticks));
	int status = run(b);

	gpube__work_again(b->ctx, until);
	*end = GPUBE__STEP_DONE;
	if (status != GPUBE_ESTOP || gpube__stopped(b->ctx))
		return status;
	*end = GPUBE__STEP_MORE;
	return GPUBE_OK;
}

/* Steps of engines that know a budget and never say that they are done, and of others. */
#define STEP(name, run)                                                                            \
	static int name##_step(void *known, double ticks, enum gpube__step *end)                   \
	{                                                                                          \
		(void)end;                                                                         \
		return run(known, seconds_of(ticks));                                              \
	}
#define STEP_WITHIN(name, run)                                                                     \
	static int name##_step(void *known, double ticks, enum gpube__step *end)                   \
	{                                                                                          \
		return within(known, ticks, run, end);                                             \
	}

/* ---- sat: a satisfiability library on the forbidden cells ------------------------------------ */

/* Nothing is proved but the constant: there may be an assignment that costs no more. */
static bool may_be_free(const struct gpube_bounder *b)
{
	return b->lower == gpube__constant_of(b->m) && b->upper > b->lower && b->cutoff > b->lower;
}

static struct gpube__fit sat_fit(const void *known)
{
	const struct gpube_bounder *b = known;
	const bool unassigned = b->upper == GPUBE_INF && b->given_cutoff == GPUBE_INF;

	if (b->state.reparam || !gpube__sat_library())
		return unfit;
	return b->made.span == 1 || unassigned || may_be_free(b)
		       ? tries(CLAUSE_TICKS * (double)gpube__model_cells(b->m))
		       : unfit;
}

static int sat_step(void *known, double ticks, enum gpube__step *end)
{
	struct gpube_bounder *b = known;
	int status;

	if (b->made.span > 1 && b->upper != GPUBE_INF)
		return gpube__bound_free(b, seconds_of(ticks));
	status = gpube__bound_sat(b, seconds_of(ticks));
	if (!b->state.sat)
		*end = GPUBE__STEP_DONE;
	return status;
}

/* ---- order: elimination orders --------------------------------------------------------------- */

/* Ticks of a greedy order, about, for each variable and function. */
#define GREEDY_TICKS 2e3

static struct gpube__fit order_fit(const void *known)
{
	const struct gpube_bounder *b = known;

	if (!b->state.ordered)
		return ends(GREEDY_TICKS * (1.0 + b->m->n_vars + b->m->n_functions));
	return b->state.orders ? tries(gpube__bound_orders_least(b)) : unfit;
}

/* What the schedule goes by, of the order as it is now. */
static int tell_order(const struct gpube_bounder *b, int status)
{
	if (!status)
		gpube__log(b->ctx, GPUBE_LOG_DETAIL,
			"class %s, order of width %d, about %.6g ticks of elimination",
			gpube__class_names[gpube__class_of(b)], b->order_cost.width,
			gpube__eliminating_ticks(b));
	return status;
}

static int order_step(void *known, double ticks, enum gpube__step *end)
{
	struct gpube_bounder *b = known;

	if (!b->state.ordered)
		return tell_order(b, gpube__bound_first_order(b));
	return tell_order(b, gpube__bound_better_order(b, seconds_of(ticks), end));
}

/*
 * ---- arc: costs moved between functions, there and back. What other methods work on is made of
 * what it leaves, so that they wait for it.
 */

/* Ticks for each cell: some sweeps. */
#define SHIFT_TICKS 30

static struct gpube__fit arc_fit(const void *known)
{
	const struct gpube_bounder *b = known;

	return b->state.reparam || b->state.reparametrised
		       ? unfit
		       : ends(1e4 + SHIFT_TICKS * (double)gpube__model_cells(b->m));
}

static int arc_step(void *known, double ticks, enum gpube__step *end)
{
	struct gpube_bounder *b = known;

	b->state.reparametrised = true;
	*end = GPUBE__STEP_DONE;
	gpube__bounder_tell(b, "simplification");
	return gpube__bound_first(b, seconds_of(ticks));
}

/* ---- eliminate ------------------------------------------------------------------------------- */

static struct gpube__fit eliminate_fit(const void *known)
{
	const struct gpube_bounder *b = known;

	if (b->opts->method == GPUBE_BOUND_ELIMINATE) /* along an order of its own */
		return tries(0);
	return b->opts->no_eliminate || !b->state.ordered ? unfit
							  : ends(gpube__eliminating_ticks(b));
}

static int run_elimination(struct gpube_bounder *b)
{
	bool done = false;

	return b->opts->method == GPUBE_BOUND_ELIMINATE
		       ? gpube__bounder_eliminate_all(b)
		       : gpube__bounder_eliminate(b, NULL, NULL, INFINITY, &done);
}

STEP_WITHIN(eliminate, run_elimination)

/* ---- search: tabu search for assignments ----------------------------------------------------- */

static struct gpube__fit search_fit(const void *known)
{
	(void)known;
	return tries(0);
}

static int search_step(void *known, double ticks, enum gpube__step *end)
{
	bool over;
	int status = gpube__bounder_search_for(known, seconds_of(ticks), &over);

	*end = over ? GPUBE__STEP_DONE : GPUBE__STEP_MORE;
	return status;
}

/* ---- pairwise: pairwise-consistent subproblems ----------------------------------------------- */

static struct gpube__fit pairwise_fit(const void *known)
{
	const struct gpube_bounder *b = known;

	return !b->state.reparametrised || (b->state.pairwise && !b->state.pairwise->p) ? unfit
	       : b->state.pairwise ? tries(b->state.pairwise->waits / seconds_of(1))
				   : tries(MADE_TICKS * (double)gpube__model_cells(b->m));
}

static int pairwise_step(void *known, double ticks, enum gpube__step *end)
{
	struct gpube_bounder *b = known;
	int status = gpube__bound_pairwise(b, seconds_of(ticks));

	if (!b->state.pairwise || !b->state.pairwise->p || !b->state.pairwise->paused)
		*end = GPUBE__STEP_DONE;
	return status;
}

/* ---- semidefinite: a semidefinite relaxation ------------------------------------------------- */

/* Pairs of variables that share a function, of all, from which on subproblems say little. */
#define MANY_PAIRS 0.08
/* Steps before which it has nothing to say, and what the library takes to be opened. */
#define FIRST_STEPS   15
#define OPENING_TICKS 3e7

static struct gpube__fit semidefinite_fit(const void *known)
{
	const struct gpube_bounder *b = known;
	const struct gpube_semidefinite_run *s = b->state.semidefinite;
	const double n = b->m->n_vars, values = gpube__bounder_values(b);
	const int32_t order = (int32_t)fmin(values, GPUBE__SEMIDEFINITE_VALUES) + 1;

	if (!b->state.reparametrised || b->state.reparam || (s && (!s->p || s->failed)) ||
		values > GPUBE__SEMIDEFINITE_VALUES || !gpube__bounder_of_pairs(b))
		return unfit;
	if (s)
		return tries(0);
	if (b->opts->method != GPUBE_BOUND_SEMIDEFINITE &&
		b->m->n_functions < MANY_PAIRS * n * (n - 1) / 2)
		return unfit;
	return tries(OPENING_TICKS +
		     FIRST_STEPS * (double)gpube__semidefinite_ticks(order, order - b->m->n_vars));
}

STEP(semidefinite, gpube__bound_semidefinite)

/* ---- tree, deepening: depth-first branch and bound ------------------------------------------- */

static bool may_search_trees(const struct gpube_bounder *b)
{
	return b->state.reparametrised && b->state.ordered && b->opts->split != GPUBE_SPLIT_NEVER &&
	       !(b->state.tree && !b->state.tree->t);
}

static struct gpube__fit tree_fit(const void *known)
{
	const struct gpube_bounder *b = known;

	if (!may_search_trees(b))
		return unfit;
	if (b->state.tree)
		return (struct gpube__fit){
			1e9 * gpube__dfs_tree_seconds_left(b->state.tree), 0, true};
	return tries(MADE_TICKS * (double)gpube__model_cells(b->m));
}

STEP(tree, gpube__bound_tree)

static struct gpube__fit deepening_fit(const void *known)
{
	const struct gpube_bounder *b = known;

	return may_search_trees(b) && (b->state.trial_tree || gpube__bounder_may_deepen(b))
		       ? tries(MADE_TICKS * (double)gpube__model_cells(b->m))
		       : unfit;
}

STEP(deepening, gpube__bound_deepening)

/* ---- andor, joins: on a join graph ----------------------------------------------------------- */

/*
 * Every function is joined with another variable, about, and a pass goes through it some times.
 */
static struct gpube__fit on_graph(const struct gpube_bounder *b)
{
	return !b->state.reparametrised || !b->state.ordered ? unfit
	       : b->state.climb                              ? tries(0)
				: tries(MADE_TICKS * (double)gpube__model_cells(b->m) *
					  gpube__bounder_mean_domain(b));
}

static struct gpube__fit andor_fit(const void *known)
{
	const struct gpube_bounder *b = known;

	return b->opts->split != GPUBE_SPLIT_NEVER && !b->state.reparam ? on_graph(b) : unfit;
}

STEP(andor, gpube__bound_andor)

static struct gpube__fit joins_fit(const void *known)
{
	return on_graph(known);
}

STEP(joins, gpube__bound_joins)

/* ---- nested, mbe ---------------------------------------------------------------------------- */

/* Where the method is not asked for, for a card: on a CPU others prove more in the same time. */
static struct gpube__fit nested_fit(const void *known)
{
	const struct gpube_bounder *b = known;

	if (b->state.nest)
		return tries(0);
	return gpube__asks_for_nested(b->opts) || gpube__bound_on_card(b) ? on_graph(b) : unfit;
}

STEP_WITHIN(nested, gpube__bound_regions)

/* Ticks for each bucket: plans of several sizes. */
#define MBE_TICKS 1e4

static struct gpube__fit mbe_fit(const void *known)
{
	const struct gpube_bounder *b = known;
	struct gpube__fit fit = on_graph(b);

	fit.least += MBE_TICKS * b->m->n_vars;
	return fit;
}

STEP_WITHIN(mbe, gpube__bound_mbe)

/* ---- the table ------------------------------------------------------------------------------- */

#define X(name) static const struct gpube__method name##_method = {#name, name##_fit, name##_step};
GPUBE__METHODS(X)
#undef X

const struct gpube__method *const gpube__methods[GPUBE__N_METHODS] = {
#define X(name) &name##_method,
	GPUBE__METHODS(X)
#undef X
};
