/*
 * solver_state.h - inside a solver (solver.h): what it knows between runs.
 *
 *   solver.c        the calls that make and change it
 *   solver_sync.c   what has changed since the last run, and what that does to what is known
 *   solver_known.c  proved bounds and assignments that are kept
 *   solver_run.c    a run: what is known, the kept messages, or the engine
 *   min_tree*.c     the kept messages: plan, tables, sums up and down, questions, assignments
 *
 * Designs weighed.
 *
 * To keep the engine's own state, the simplified model, the tables of an ascent and the open nodes
 * of a search, and to repair it after each change. A simplification is a proof that uses every cost
 * and the top: a value that one change brings back undoes removals elsewhere, and each of a dozen
 * reductions would need an inverse. Where a run takes a millisecond, which is where sessions are
 * worth their while, simplification is a fifth of it.
 *
 * To reparametrise the model once and to apply changes to that. It is exact: a reparametrised model
 * has the totals of the given one, so observed values, new functions and differences of costs can
 * be put on top. Measured on random networks of 20 to 60 variables, where one value was observed at
 * a time, solving such a model took 0.6 to 1.6 times as long as solving the given one, and with the
 * tables of three variables that raise the bound most 4 to 12 times; gpube_reparam() makes one
 * for who wants to.
 *
 * What is done: the model as it was given stays the only truth, and what is kept are consequences
 * of it which can be told to be still valid in one line each. A bound is a number that no total
 * below it exists where certain values are observed: it holds wherever at least these are, and when
 * costs change it moves by the least difference of a changed function's cells. An assignment is
 * priced again. Messages of an elimination depend on the tables below them (or above), and on
 * nothing else. Each run checks its assignment in the given model, so that what is kept can only be
 * of use, never wrong unnoticed.
 */
#ifndef GPUBE_SOLVER_STATE_H
#define GPUBE_SOLVER_STATE_H

#include "gpube/session/min_tree.h"
#include "gpube/options/options.h"
#include "gpube/solver.h"

/* A variable that has a value. */
struct gpube_fixing {
	int32_t var, value;
};

/*
 * No total of the minimisation, whatever top is, is below 'lower' where these values are observed;
 * GPUBE_INF: every one uses a forbidden cell.
 */
struct gpube_proof {
	int64_t lower;
	int32_t n;
	struct gpube_fixing *fixed;
};

/* An assignment of the first n variables. */
struct gpube_candidate {
	int32_t n;
	int32_t *values;
};

/* The proof with the fewest fixed values is the first one. */
enum { GPUBE__MOST_PROOFS = 16, GPUBE__MOST_CANDIDATES = 16 };

/*
 * model      the solver's own; costs: it, or what its potentials are quantised to
 * order, values  copies of those of the options
 * gain       least that changes of costs since the last run add to a total; -GPUBE_INF: nothing is
 *            known of that any longer
 * changed    by function, those of the last run: it has another table
 * seen       what the model had then
 * fixed      of each variable: the value observed or assumed in this run, or -1
 * worked     seconds of work of the engine's runs since messages could last have been made
 * no_tree    they do not fit
 */
struct gpube_solver {
	struct gpube_ctx *ctx;
	struct gpube_model *model, *quantised;
	const struct gpube_model *costs;
	struct gpube_opts opts;
	int32_t *order, *values;
	int32_t n_given; /* variables that both have */

	struct gpube_fixing *assumed;
	int64_t n_assumed, assumed_capacity;

	int64_t gain;
	bool *changed;
	int64_t changed_capacity;
	bool any_changed;
	struct gpube__model_mark seen;
	enum gpube_direction direction;
	int32_t *fixed;
	int64_t fixed_capacity;

	int n_proofs, next_proof, n_candidates, next_candidate;
	struct gpube_proof proofs[GPUBE__MOST_PROOFS];
	struct gpube_candidate candidates[GPUBE__MOST_CANDIDATES];

	struct gpube_min_tree *tree;
	bool no_tree;
	double worked;
};

/* A cost or total as one to minimise, and back. */
static inline int64_t gpube__solver_minimised(const struct gpube_solver *s, int64_t v)
{
	return s->costs->direction == GPUBE_MAXIMISE && v != GPUBE_INF ? -v : v;
}

/* ---- solver_sync.c ---- */

/*
 * gpube__solver_least_gain() - the least that a total gains where costs are 'now' and were
 * 'before', n each; GPUBE_INF: none is allowed, -GPUBE_INF: no bound on it.
 */
int64_t gpube__solver_least_gain(
	enum gpube_direction direction, int64_t n, const int64_t *before, const int64_t *now);

/* Takes what has changed into account. Errors: those of gpube__quantise(); it can be done again */
int gpube__solver_sync(struct gpube_solver *s);
/* Sets 'fixed'. *none: what is observed and assumed contradicts itself. Errors: ENOMEM */
int gpube__solver_fix(struct gpube_solver *s, bool *none);

/* ---- solver_known.c ---- */

/* Nothing is known of totals any longer. */
void gpube__solver_forget(struct gpube_solver *s);
/* Every total has gained so much at least. */
void gpube__solver_shift(struct gpube_solver *s, int64_t least);
/* A proof where 'fixed' is observed. Without memory it is not kept. */
void gpube__solver_add_proof(struct gpube_solver *s, int64_t lower);
void gpube__solver_add_candidate(struct gpube_solver *s, const int32_t *values);
/* The best bound that is valid where 'fixed' is observed; -GPUBE_INF: there is none. */
int64_t gpube__solver_lower(const struct gpube_solver *s);
/*
 * The candidate that costs least in 'view', which is costs with 'fixed' observed; NULL: none is
 * allowed. cost: out, of the minimisation. Errors: ENOMEM
 */
int gpube__solver_best(const int32_t **values, int64_t *cost, struct gpube_solver *s,
	const struct gpube_model *view);

#endif
