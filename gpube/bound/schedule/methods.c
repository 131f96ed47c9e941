/* methods.c - the methods as the schedule has them: see methods.h. */
#include "gpube/bound/schedule/methods.h"

#include "gpube/bound/bound.h"
#include "gpube/bound/dfs_tree.h"
#include "gpube/bound/pairwise/pairwise_method.h"
#include "gpube/bound/semidefinite_run.h"
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

/* What a method waits for, and where it is not asked. */
enum {
	ARC = 1,   /* the tables that soft arc consistency leaves */
	ORDER = 2, /* an elimination order */
	SPLIT = 4, /* not where splits are ruled out */
	SOLVE = 8, /* not where a reparametrised model is wanted */
};

static bool is_ready(const struct gpube_bounder *b, int wants)
{
	return (b->state.reparametrised || !(wants & ARC)) &&
	       (b->state.ordered || !(wants & ORDER)) &&
	       (b->opts->split != GPUBE_SPLIT_NEVER || !(wants & SPLIT)) &&
	       (!b->state.reparam || !(wants & SOLVE));
}

/* To the end in so many ticks; and without a known end, in steps of so many at least. */
static struct gpube__fit ends_if(bool fits, double ticks)
{
	return (struct gpube__fit){fits ? ticks : 0, 0, false};
}

static struct gpube__fit tries_if(bool fits, double least)
{
	return (struct gpube__fit){fits ? GPUBE__UNKNOWN_END : 0, least, false};
}

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
	const int status = run(b);
	const bool over = status == GPUBE_ESTOP;

	gpube__work_again(b->ctx, until);
	*end = over && !gpube__stopped(b->ctx) ? GPUBE__STEP_MORE : GPUBE__STEP_DONE;
	return *end == GPUBE__STEP_MORE ? GPUBE_OK : status;
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

static struct gpube__fit sat_fit(const void *known)
{
	const struct gpube_bounder *b = known;
	const bool unassigned = b->upper == GPUBE_INF && b->given_cutoff == GPUBE_INF;
	/* nothing is proved but the constant: there may be an assignment that costs no more */
	const bool may_be_free =
		b->lower == gpube__constant_of(b->m) && b->upper > b->lower && b->cutoff > b->lower;

	return tries_if(is_ready(b, SOLVE) && gpube__sat_library() &&
				(b->made.span == 1 || unassigned || may_be_free),
		CLAUSE_TICKS * b->made.cells);
}

static int sat_step(void *known, double ticks, enum gpube__step *end)
{
	return gpube__bound_sat(known, seconds_of(ticks), end);
}

static struct gpube__fit order_fit(const void *known)
{
	const struct gpube_bounder *b = known;

	if (!b->state.ordered)
		return ends_if(true, GREEDY_TICKS * (1.0 + b->m->n_vars + b->m->n_functions));
	return tries_if(b->state.orders, b->state.orders ? gpube__bound_orders_least(b) : 0);
}

/* It tells what the schedule goes by, of the order as it is now. */
static int order_step(void *known, double ticks, enum gpube__step *end)
{
	struct gpube_bounder *b = known;
	const int status = b->state.ordered ? gpube__bound_better_order(b, seconds_of(ticks), end)
					    : gpube__bound_first_order(b);

	if (!status)
		gpube__log(b->ctx, GPUBE_LOG_DETAIL,
			"class %s, order of width %d, about %.6g ticks of elimination",
			gpube__class_names[gpube__class_of(b)], b->order_cost.width,
			gpube__eliminating_ticks(b));
	return status;
}

/* Soft arc consistency: what other methods work on is made of what it leaves. */
static struct gpube__fit arc_fit(const void *known)
{
	const struct gpube_bounder *b = known;

	return ends_if(
		is_ready(b, SOLVE) && !b->state.reparametrised, 1e4 + ARC_TICKS * b->made.cells);
}

static int arc_step(void *known, double ticks, enum gpube__step *end)
{
	struct gpube_bounder *b = known;

	b->state.reparametrised = true;
	*end = GPUBE__STEP_DONE;
	gpube__bounder_tell(b, "simplification");
	return gpube__bound_first(b, seconds_of(ticks));
}

static struct gpube__fit eliminate_fit(const void *known)
{
	const struct gpube_bounder *b = known;

	if (b->opts->method == GPUBE_BOUND_ELIMINATE) /* along an order of its own */
		return tries_if(true, 0);
	return ends_if(is_ready(b, ORDER) && !b->opts->no_eliminate, gpube__eliminating_ticks(b));
}

static int run_elimination(struct gpube_bounder *b)
{
	bool done = false;

	return b->opts->method == GPUBE_BOUND_ELIMINATE
		       ? gpube__bounder_eliminate_all(b)
		       : gpube__bounder_eliminate(b, NULL, NULL, INFINITY, &done);
}

STEP_WITHIN(eliminate, run_elimination)

/* Tabu search and annealing, for assignments. */
static struct gpube__fit search_fit(const void *known)
{
	(void)known;
	return tries_if(true, 0);
}

static int search_step(void *known, double ticks, enum gpube__step *end)
{
	bool over;
	const int status = gpube__bounder_search_for(known, seconds_of(ticks), &over);

	*end = over ? GPUBE__STEP_DONE : GPUBE__STEP_MORE;
	return status;
}

static struct gpube__fit pairwise_fit(const void *known)
{
	const struct gpube_bounder *b = known;
	const struct gpube_pairwise_run *s = b->state.pairwise;

	return tries_if(is_ready(b, ARC) && (!s || gpube__pairwise_run_fits(s)),
		s ? s->waits / seconds_of(1) : MADE_TICKS * b->made.cells);
}

static int pairwise_step(void *known, double ticks, enum gpube__step *end)
{
	const struct gpube_bounder *b = known;
	const int status = gpube__bound_pairwise(known, seconds_of(ticks));
	const struct gpube_pairwise_run *s = b->state.pairwise;

	*end = s && gpube__pairwise_run_fits(s) && s->paused ? GPUBE__STEP_MORE : GPUBE__STEP_DONE;
	return status;
}

/* Pairs of variables that share a function, of all, from which on subproblems say little. */
#define MANY_PAIRS 0.08

static struct gpube__fit semidefinite_fit(const void *known)
{
	const struct gpube_bounder *b = known;
	const struct gpube_semidefinite_run *s = b->state.semidefinite;
	const double n = b->m->n_vars;
	const bool suits = s ? !s->failed
			     : b->opts->method == GPUBE_BOUND_SEMIDEFINITE ||
					   b->m->n_functions >= MANY_PAIRS * n * (n - 1) / 2;

	return tries_if(is_ready(b, ARC | SOLVE) && suits && !gpube__semidefinite_lacks(b),
		gpube__semidefinite_least(b));
}

STEP(semidefinite, gpube__bound_semidefinite)

static struct gpube__fit tree_fit(const void *known)
{
	const struct gpube_bounder *b = known;
	struct gpube_dfs_tree *const t = b->state.tree;

	if (!t || !is_ready(b, ARC | ORDER | SPLIT))
		return tries_if(is_ready(b, ARC | ORDER | SPLIT), MADE_TICKS * b->made.cells);
	return (struct gpube__fit){t->t ? 1e9 * gpube__dfs_tree_seconds_left(t) : 0, 0, true};
}

STEP(tree, gpube__bound_tree)

static struct gpube__fit deepening_fit(const void *known)
{
	const struct gpube_bounder *b = known;

	return tries_if(is_ready(b, ARC | ORDER | SPLIT) && !(b->state.tree && !b->state.tree->t) &&
				(b->state.trial_tree || gpube__bounder_may_deepen(b)),
		MADE_TICKS * b->made.cells);
}

STEP(deepening, gpube__bound_deepening)

/*
 * On a join graph every function is joined with another variable, about, and a pass goes through it
 * some times.
 */
static struct gpube__fit on_graph(const struct gpube_bounder *b, int wants)
{
	return tries_if(is_ready(b, ARC | ORDER | wants),
		b->state.climb ? 0 : MADE_TICKS * b->made.cells * b->made.mean_domain);
}

static struct gpube__fit andor_fit(const void *known)
{
	return on_graph(known, SPLIT | SOLVE);
}

STEP(andor, gpube__bound_andor)

static struct gpube__fit joins_fit(const void *known)
{
	return on_graph(known, 0);
}

STEP(joins, gpube__bound_joins)

/* Where the method is not asked for, for a card: on a CPU others prove more in the same time. */
static struct gpube__fit nested_fit(const void *known)
{
	const struct gpube_bounder *b = known;

	if (b->state.nest)
		return tries_if(true, 0);
	return gpube__asks_for_nested(b->opts) || gpube__bound_on_card(b) ? on_graph(b, 0)
									  : tries_if(false, 0);
}

STEP_WITHIN(nested, gpube__bound_regions)

static struct gpube__fit mbe_fit(const void *known)
{
	const struct gpube_bounder *b = known;
	struct gpube__fit fit = on_graph(b, 0);

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
