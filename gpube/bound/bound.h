/*
 * bound.h - the methods of gpube_bound() and the parts that they are made of: each works on a
 * bounder (bounder.h), and the schedule says which work when (schedule/methods.h).
 */
#ifndef GPUBE_BOUND_H
#define GPUBE_BOUND_H

#include "gpube/bound/bounder.h"
#include "gpube/bound/schedule/schedule.h"

struct gpube_clusters;

/*
 * gpube__solve_noted() - gpube_solve(), watched by another thread, or with notes for a proof.
 * watch, notes  or NULL; notes: as of gpube__bound_noted()
 */
int gpube__solve_noted(struct gpube_solution **out, struct gpube_certificate *notes,
	const struct gpube_model *m, const struct gpube_solve_opts *opts,
	const struct gpube_watch *watch);

/* The options of gpube_solve(), which are the first of gpube_bound()'s, as the latter. */
struct gpube_bound_opts gpube__bound_opts_of(const struct gpube_solve_opts *o);

/*
 * gpube__bounder_eliminate() - elimination, if it fits the memory and 'seconds', in slices if that
 * should take a small part of them, and until it is seen that it takes more: the best assignment
 * below the limit is offered, if there is one.
 * dead   NULL, or for each value of the simplified model (in one row, at[i] + a)
 *        whether it is not to be looked at
 * done   out: whether it was; then nothing but what is dead is below the limit
 *        that there is now, and where nothing is dead the bound says so
 */
int gpube__bounder_eliminate(struct gpube_bounder *b, const uint8_t *dead, const int64_t *at,
	double seconds, bool *done);

/*
 * gpube__bounder_eliminate_all() - elimination of the whole, along an order as it is asked for and
 * in slices where its tables do not fit, whatever it takes; where a plan is asked for, that alone.
 * Where optima are counted the report has then their number.
 * Errors: ELIMIT (it does not fit), ERANGE, and those of backends
 */
int gpube__bounder_eliminate_all(struct gpube_bounder *b);

/*
 * From now on methods begin from these tables, which b owns (see 'tables'). States that were made
 * of the ones before go: their bounds are in other units.
 */
void gpube__bounder_keep_tables(struct gpube_bounder *b, struct gpube_model *tables, int finer);
/* The states of all methods (states.c). */
void gpube__bounder_forget(struct gpube_bounder *b);

/*
 * gpube__bound_first() - shifts between functions in 64 bits, as long as they pay and for 'seconds'
 * at most, assignments read off them, and b->tables. Nothing is done where tables are too large, or
 * totals.
 */
int gpube__bound_first(struct gpube_bounder *b, double seconds);

/*
 * gpube__bound_exclusive() - Boolean variables that exclude each other become one, where that
 * helps.
 * Errors: those of gpube__join_exclusive(): b->s is as it was
 */
int gpube__bound_exclusive(struct gpube_bounder *b);

/*
 * gpube__bound_first_order()  - b->order: the caller's, or a greedy one.
 * gpube__bound_better_order() - searches for a better one, for so many seconds of work or, where
 *                               the caller has said how long, by the clock; *end: DONE, where more
 *                               would not pay.
 */
int gpube__bound_first_order(struct gpube_bounder *b);
int gpube__bound_better_order(struct gpube_bounder *b, double seconds, enum gpube__step *end);

/* The methods; each ends when it has nothing more to say, with ESTOP when stopped. */
int gpube__bound_mbe(struct gpube_bounder *b);
/* Soft arc consistency: costs move between functions that share variables, in 32 bits. */
int gpube__bound_shift(struct gpube_bounder *b);
/*
 * The ascent on nested regions and splitting, where gpube__bound_nested() is for the model. Where
 * it is not, shifts if this method was asked for, and otherwise b->state.no_regions.
 */
int gpube__bound_regions(struct gpube_bounder *b);
/* gpube__bounder_eliminate() with the values that the ascent has left. */
int gpube__clusters_eliminate(
	struct gpube_bounder *b, const struct gpube_clusters *c, double seconds, bool *done);
/*
 * The ascent on nested regions of the pairs of c, which it uses up, and splitting of what it
 * leaves open. *done false: the model, or the backend that was asked for, is not for it.
 */
int gpube__bound_nested(struct gpube_bounder *b, struct gpube_clusters *c, bool *done);
/* Whether it will be on a card, if there is one. */
bool gpube__bound_on_card(const struct gpube_bounder *b);
/* The same from where a turn ended with ESTOP; after any other end nothing of it is kept. */
int gpube__bound_nested_again(struct gpube_bounder *b);
void gpube__nest_free(struct gpube_nest *nest);
/* A search tree: all of what is left, or what can be seen of it in 'seconds'. */
int gpube__bound_dfs(struct gpube_bounder *b, double seconds);
void gpube__dfs_tree_free(struct gpube_dfs_tree *tree);
/*
 * gpube__bound_guess() - search trees below guessed limits: see bound_guess.c.
 * gpube__bounder_may_guess() - whether so little is proved that guesses lie between.
 */
int gpube__bound_guess(struct gpube_bounder *b, double seconds);
bool gpube__bounder_may_guess(const struct gpube_bounder *b);
/* The ascent that ends in a shifted model, of the method that is asked for. */
int gpube__bound_shift_and_keep(struct gpube_bounder *b);

/*
 * The ascent on patches, and splitting of what it leaves open: in 'seconds', or until nothing is.
 */
int gpube__bound_patches(struct gpube_bounder *b, double seconds);
void gpube__patching_free(struct gpube_patching *s);
/* True if no assignment below the limit has the value, as the search tree has found. */
bool gpube__bounder_is_dead(const struct gpube_bounder *b, int32_t var, int32_t value);
/*
 * Whether the forbidden cells leave anything: an assignment is offered, or it is told that there is
 * none. Nothing is done without a library (sat.h); a later call goes on.
 */
int gpube__bound_sat(struct gpube_bounder *b, double seconds);
/*
 * Whether any assignment costs no more than the constant: it is offered, or the bound is raised by
 * one.
 */
int gpube__bound_free(struct gpube_bounder *b, double seconds);
/*
 * gpube__bound_joins() - the ascent on the join graph, and what it makes possible.
 * gpube__bound_andor() - only as much of it as an AND/OR search on its tables (andor.h) needs. In
 * 'seconds'. A later call goes on where one ended, if the order is not much better by now.
 */
int gpube__bound_joins(struct gpube_bounder *b, double seconds);
int gpube__bound_andor(struct gpube_bounder *b, double seconds);
void gpube__climb_free(struct gpube_climb *climb);

#endif
