/*
 * bound.h - the methods of gpube_bound() and their parts. Each works on a bounder (bounder.h); the
 * schedule decides which works when (schedule/methods.h).
 */
#ifndef GPUBE_BOUND_H
#define GPUBE_BOUND_H

#include "gpube/bound/bounder.h"
#include "gpube/options/options.h"
#include "gpube/bound/schedule/schedule.h"

/* NULL: ENOMEM; gpube_result_free() frees it. */
struct gpube_solution *gpube__solution_new(struct gpube_ctx *ctx);

/*
 * gpube__solve_noted() - gpube_solve(), watched by another thread, or with notes for a proof.
 * watch, notes  or NULL; notes: as for gpube__bound_noted()
 */
int gpube__solve_noted(struct gpube_solution **out, struct gpube_certificate *notes,
	const struct gpube_model *m, const struct gpube_opts *opts,
	const struct gpube_watch *watch);

/*
 * gpube__bound_moment() - the best that is to be had at once for a run that was stopped and has no
 * bounds: soft arc consistency and a local search have some, in a
 * moment. The context stays stopped if it was. NULL if that fails as well.
 * opts  seed, no_simplify, precision, values; the rest is set here
 */
struct gpube_solution *gpube__bound_moment(
	const struct gpube_model *m, const struct gpube_opts *opts);

/*
 * gpube__bounder_eliminate() - eliminates if that, also in slices, fits the memory and 'seconds',
 * and stops when it takes longer. Reports the best assignment below the cutoff, if there is one.
 * dead   NULL, or for each value of the simplified model (at[i] + a) whether it is left out
 * done   out: whether it ended. Then only dead values are below the present cutoff; without dead
 *        values the lower bound says so
 */
int gpube__bounder_eliminate(struct gpube_bounder *b, const uint8_t *dead, const int64_t *at,
	double seconds, bool *done);

/*
 * gpube__bounder_eliminate_all() - eliminates the whole model along the order that the options ask
 * for, in slices where its tables do not fit, however long it takes; or makes the plan alone. If
 * optima are counted, the report receives their number.
 * Errors: ELIMIT (it does not fit), ERANGE, and those of backends
 */
int gpube__bounder_eliminate_all(struct gpube_bounder *b);

/*
 * Replaces b->tables by a model that b owns from now on, and frees the states of methods: their
 * bounds are in the old units.
 */
void gpube__bounder_keep_tables(struct gpube_bounder *b, struct gpube_model *tables, int finer);
/* Frees the states of all methods. */
void gpube__bounder_forget(struct gpube_bounder *b);

/*
 * gpube__bound_first() - soft arc consistency in 64 bits while it pays, for 'seconds' at most.
 * Reports decoded assignments, and makes b->tables. It does nothing where tables or totals are too
 * large.
 */
int gpube__bound_first(struct gpube_bounder *b, double seconds);

/*
 * gpube__bound_exclusive() - joins Boolean variables that exclude each other, where that helps.
 * Errors: those of gpube__join_exclusive(): b->s is unchanged
 */
int gpube__bound_exclusive(struct gpube_bounder *b);

/*
 * gpube__bound_first_order()  - makes b->order: the caller's, or a greedy one.
 * gpube__bound_better_order() - searches for a better one, for so many seconds of work or for the
 * caller's time by the clock. GPUBE__DONE: more would not pay.
 */
int gpube__bound_first_order(struct gpube_bounder *b);
int gpube__bound_better_order(struct gpube_bounder *b, double seconds);
/* Ticks of its shortest step that is worth while; b has such a search. */
double gpube__bound_orders_least(const struct gpube_bounder *b);

/* The methods. Each ends when it cannot improve its bound, or with ESTOP. */
int gpube__bound_mbe(struct gpube_bounder *b);
/*
 * Dual ascent and branching on nested regions. Where the model or the backend has none,
 * b->state.no_regions is set. It continues after a turn that ended with ESTOP; any other end frees
 * its state.
 */
int gpube__bound_regions(struct gpube_bounder *b);
/* Whether it would work on a device, if there is one. */
bool gpube__bound_on_card(const struct gpube_bounder *b);
void gpube__nest_free(struct gpube_nest *nest);
/* The search tree, to its end or for 'seconds'. */
int gpube__bound_dfs(struct gpube_bounder *b, double seconds);
/* The same; anew where the order is far better by now, and the tree has not taken as long. */
int gpube__bound_tree(struct gpube_bounder *b, double seconds);
void gpube__dfs_tree_free(struct gpube_dfs_tree *tree);
/*
 * At the end of a run: takes what other ranks have found and proved in what they share, and the
 * nodes that they leave open. Errors: those of gpube__bounder_report_incumbent()
 */
int gpube__bound_settle(struct gpube_bounder *b);
/*
 * gpube__bound_deepening() - iterative deepening on the upper bound: see bound_deepening.c.
 * gpube__bounder_may_deepen() - whether the gap is so large that trial cutoffs lie inside.
 */
int gpube__bound_deepening(struct gpube_bounder *b, double seconds);
bool gpube__bounder_may_deepen(const struct gpube_bounder *b);
/*
 * Dual ascent on pairwise-consistent subproblems, and branching on what it leaves open: for
 * 'seconds', or to the end.
 */
int gpube__bound_pairwise(struct gpube_bounder *b, double seconds);
void gpube__pairwise_run_free(struct gpube_pairwise_run *s);
/* Branch and bound on a semidefinite relaxation: for 'seconds', or to the end. */
int gpube__bound_semidefinite(struct gpube_bounder *b, double seconds);
/* Why the model is not for it, or NULL; ticks that it begins with. */
const char *gpube__semidefinite_lacks(const struct gpube_bounder *b);
double gpube__semidefinite_least(const struct gpube_bounder *b);
/* The same of linear programs. */
int gpube__bound_linear(struct gpube_bounder *b, double seconds);
const char *gpube__linear_lacks(const struct gpube_bounder *b);
double gpube__linear_least(const struct gpube_bounder *b);
/* True if the search tree has proved that no assignment below the cutoff has this value. */
bool gpube__bounder_is_dead(const struct gpube_bounder *b, int32_t var, int32_t value);
/*
 * Asks CaDiCaL, which is there (sat.h), whether the forbidden cells allow an assignment, where a
 * later call continues; or, once one is known, for one that costs no more than the constant.
 * Reports it, or that there is none. GPUBE__DONE: it is decided whether there is one.
 */
int gpube__bound_sat(struct gpube_bounder *b, double seconds);
/*
 * gpube__bound_joins() - dual ascent on the join graph.
 * gpube__bound_andor() - only the passes that an AND/OR search on its tables (andor.h) needs.
 * Both work for 'seconds'; a later call continues unless the order is much better by then.
 */
int gpube__bound_joins(struct gpube_bounder *b, double seconds);
int gpube__bound_andor(struct gpube_bounder *b, double seconds);
void gpube__climb_free(struct gpube_climb *climb);
/*
 * gpube__put_climb() - the ascent as numbers: its tables, and the search on them with the results
 *                      that took most nodes (andor_run.h); or that there is none to be kept.
 * gpube__get_climb() - back, if it fits the memory. Errors: EPARSE, ENOMEM
 */
struct gpube__bytes;
void gpube__put_climb(struct gpube__bytes *to, const struct gpube_bounder *b);
int gpube__get_climb(struct gpube_bounder *b, struct gpube__bytes *from);
/*
 * The tables that an ascent on the join graph of b->tables leaves, in units of 2^-finer of m's;
 * NULL: there is none. Errors: ENOMEM
 */
int gpube__climb_model(struct gpube_model **out, int *finer, const struct gpube_bounder *b);

#endif
