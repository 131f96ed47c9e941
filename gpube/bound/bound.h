/*
 * bound.h - the methods of gpube_bound() and the parts that they are made of: each works on a
 * bounder (bounder.h), and bound_stages.c says which come when.
 */
#ifndef GPUBE_BOUND_H
#define GPUBE_BOUND_H

#include "gpube/bound/bounder.h"

struct gpube_clusters;

/* gpube_solve(), watched, where it is not elimination alone; watch: or NULL */
int gpube__solve_watched(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_solve_opts *opts, const struct gpube_watch *watch);

/*
 * gpube__bounder_eliminate() - elimination, if it fits the memory and 'seconds':
 * the best assignment below the limit is offered, if there is one.
 * dead   NULL, or for each value of the simplified model (in one row, at[i] + a)
 *        whether it is not to be looked at
 * done   out: whether it was; then nothing but what is dead is below the limit
 *        that there is now
 */
int gpube__bounder_eliminate(struct gpube_bounder *b, const uint8_t *dead, const int64_t *at,
	double seconds, bool *done);

/*
 * gpube__bounder_slices() - elimination of the whole where its tables do not fit, in slices
 * (be_split.h); if that should take a small part of 'seconds', and until it is seen that it takes
 * more. Otherwise as gpube__bounder_eliminate(), which does so as well, with less patience.
 */
int gpube__bounder_slices(struct gpube_bounder *b, double seconds, bool *done);

/*
 * The number of optima, of a model whose optimum is known: b->count. Errors: ELIMIT (it does not
 * fit)
 */
int gpube__bounder_count(struct gpube_bounder *b);

/*
 * gpube__bounder_quick_mbe() - mini-buckets of a tenth of a second: the largest z of at most
 * GPUBE__QUICK_CELLS joined cells. What comes next may take seconds before it says anything.
 */
#define GPUBE__QUICK_CELLS 2e7
int gpube__bounder_quick_mbe(struct gpube_bounder *b);

/*
 * gpube__bounder_quick_joins() - there and back on the join graph, from one of a millisecond, each
 * time with larger mini-buckets, for 'seconds'. (Mini-buckets alone of so few cells take longer: of
 * a grid of 20 by 20 those of four variables take 5 ms, nearly all of it plans of 400 contractions;
 * there and back with eight takes 4.)
 */
int gpube__bounder_quick_joins(struct gpube_bounder *b, double seconds);

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
 * gpube__bound_first_order() - b->order: the caller's, or a greedy one.
 * gpube__bound_order() - a better one, searched for as long as it pays.
 * gpube__bound_order_soon() - the same, but for a moment only where that does not bring elimination
 * within reach.
 * gpube__bound_order_at_once() - for a moment, where elimination is within reach.
 * gpube__bounder_wants_order() - whether that may help, and was not done yet.
 * gpube__bounder_order_seconds() - of its time an order may take so much.
 * gpube__bounder_eliminating() - the seconds that elimination along b->order is predicted to take;
 * gpube__bounder_easy_order(): few.
 */
int gpube__bound_first_order(struct gpube_bounder *b, double seconds);
int gpube__bound_order(struct gpube_bounder *b, double seconds);
int gpube__bound_order_soon(struct gpube_bounder *b, double seconds);
int gpube__bound_order_at_once(struct gpube_bounder *b, double seconds);
bool gpube__bounder_wants_order(const struct gpube_bounder *b);
double gpube__bounder_order_seconds(const struct gpube_bounder *b);
double gpube__bounder_eliminating(const struct gpube_bounder *b);
bool gpube__bounder_easy_order(const struct gpube_bounder *b);

/* What wants so many bytes of tables is not begun while a search may end. */
#define GPUBE__MUCH_MEMORY 2e9

/*
 * Looks at what ends in a moment, if at all, along the first order or the best: join graphs and a
 * search tree, for a moment (glance) or longer and with mini-buckets (along); the tree, in
 * 'seconds' or as long as little is open (closely).
 * gpube__bound_tree_that_ends() - the tree of the last look, as long as it seems to end in what is
 * left of 'seconds' (gpube__dfs_tree_seconds_left()); gpube__bounder_tree_ends(): whether it does,
 * gpube__bounder_tree_seconds(): what it has taken.
 * gpube__bounder_look_seconds() - what a look may take: 'most', or less where elimination takes
 * little.
 * gpube__bounder_has_tree() - small domains: a tree that ends does so in a moment.
 */
int gpube__bound_glance_along(struct gpube_bounder *b, double seconds);
int gpube__bound_along(struct gpube_bounder *b, double seconds);
int gpube__bound_look(struct gpube_bounder *b, double seconds);
/* A search on a join graph's tables whose time counts as a look's. */
int gpube__bound_look_and_or(struct gpube_bounder *b, double seconds);
int gpube__bound_look_closely(struct gpube_bounder *b, double seconds);
int gpube__bound_tree_that_ends(struct gpube_bounder *b, double seconds);
int gpube__bound_hopeful_tree(struct gpube_bounder *b, double seconds);
bool gpube__bounder_tree_ends(const struct gpube_bounder *b, double seconds);
double gpube__bounder_tree_seconds(const struct gpube_bounder *b);
double gpube__bounder_look_seconds(const struct gpube_bounder *b, double most);
bool gpube__bounder_has_tree(const struct gpube_bounder *b);

/*
 * A tree where values may change places, which is found here. Errors: those of gpube__bound_dfs()
 */
int gpube__bound_tree_of_names(struct gpube_bounder *b, double seconds);

/* Cells and tuples of all tables. */
double gpube__bounder_cells(const struct gpube_bounder *b);

/* The stages that bound_stages.c lists. */
int gpube__bound_stages(struct gpube_bounder *b);

/* The methods; each ends when it has nothing more to say, with ESTOP when stopped. */
int gpube__bound_mbe(struct gpube_bounder *b);
/* clusters: false: shifts between functions only. eliminate: seconds for what is left, or 0 */
int gpube__bound_clusters(struct gpube_bounder *b, bool clusters, double eliminate);
/* gpube__bounder_eliminate() with the values that the ascent has left. */
int gpube__clusters_eliminate(
	struct gpube_bounder *b, const struct gpube_clusters *c, double seconds, bool *done);
/*
 * gpube__bound_branch() - splits the ascent's state until every part of it is
 * closed, which proves the optimum; the bound is that of the worst open part.
 * Errors: ENOMEM, ESTOP, those of elimination
 */
int gpube__bound_branch(struct gpube_bounder *b, struct gpube_clusters *root);
/*
 * The ascent on nested regions of the pairs of c, which it uses up, and splitting of what it
 * leaves open. *done false: the model, or the backend that was asked for, is not for it.
 */
int gpube__bound_nested(struct gpube_bounder *b, struct gpube_clusters *c, bool *done);
/* A search tree: all of what is left, or what can be seen of it in 'seconds'. */
int gpube__bound_dfs(struct gpube_bounder *b, double seconds);
void gpube__dfs_tree_free(struct gpube_dfs_tree *tree);
/*
 * gpube__bound_guess() - search trees below guessed limits: see bound_guess.c.
 * gpube__bounder_may_guess() - whether so little is proved that guesses lie between.
 */
int gpube__bound_guess(struct gpube_bounder *b, double seconds);
bool gpube__bounder_may_guess(const struct gpube_bounder *b);
/*
 * The ascent that ends in a shifted model, of the method that is asked for; 'seconds' are not
 * looked at.
 */
int gpube__bound_shift_and_keep(struct gpube_bounder *b, double seconds);

/*
 * The ascent on patches, and splitting of what it leaves open: in 'seconds', or until nothing is.
 */
int gpube__bound_patches(struct gpube_bounder *b, double seconds);
/* After it, where nothing was split: the ascent goes on, on ever larger patches. */
int gpube__bound_larger_patches(struct gpube_bounder *b, double seconds);
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
/* In about 'seconds'; where they are finite, it does nothing if it has little hope. */
int gpube__bound_sweep(struct gpube_bounder *b, double seconds);
/*
 * gpube__bound_joins() - the ascent on the join graph, and what it makes possible.
 * gpube__bound_andor() - only as much of it as an AND/OR search on its tables (andor.h) needs. In
 * 'seconds'. A later call goes on where one ended, if the order is not much better by now.
 */
int gpube__bound_joins(struct gpube_bounder *b, double seconds);
int gpube__bound_andor(struct gpube_bounder *b, double seconds);
void gpube__climb_free(struct gpube_climb *climb);

#endif
