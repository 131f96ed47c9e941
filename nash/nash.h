/*
 * nash.h - Nash equilibria of games: models of kind GPUBE_GAME.
 *
 * Public; include after gpube/gpube.h, whose conventions hold. games.h builds games, formats.h
 * reads them from files, and forms.h makes games of other models, and back.
 *
 * Payoffs are rational numbers from the file's first byte to the answer: every reported equilibrium
 * has been checked in rational arithmetic, and a list is called complete only with a proof. That
 * takes the library FLINT. In a build without it, where gpube_nash_exact() is 0, there are pure
 * equilibria alone, by gpube_nash_pure().
 */
#ifndef NASH_H
#define NASH_H

#include "gpube/games.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- random games ------------------------------------------------------- */

/*
 * gpube_nash_generate() - a seeded random game of two players, the same for the same options
 * everywhere.
 * opts    game (its class), rows, columns, seed, range, covariance; parameters of the class, which
 *         are integers, decimals or fractions; int_payoffs: 0: payoffs are drawn as integers;
 *         otherwise as multiples of 1/65536 (the range is then at most 10000), which are multiplied
 *         by int_payoffs and rounded to integers, ties away from 0, as GAMUT's -int_payoffs
 *         -int_mult does. Payoffs that are equal by the class may then differ by one
 * Errors: EINVAL (options), ERANGE (payoffs past 64 bits), ENOMEM
 */
GPUBE_API int gpube_nash_generate(
	struct gpube_model **out, struct gpube_ctx *ctx, const struct gpube_opts *opts);

/* ---- equilibria --------------------------------------------------------- */

/*
 * Pure equilibria: profiles of actions in which no player gains by another action.
 * n        how many there are
 * actions  n rows of n_players actions, from 0, in lexicographic order
 */
struct gpube_nash_pure {
	int64_t n;
	int32_t n_players;
	int32_t *actions;
};

/*
 * gpube_nash_pure() - all pure equilibria of a game of any number of players.
 * Cost:   each payoff is compared once; a byte of memory for each profile
 * Errors: EINVAL (no game), ERANGE (a payoff passes 64 bits), ENOMEM, ESTOP
 */
GPUBE_API int gpube_nash_pure(struct gpube_nash_pure **out, const struct gpube_model *game);

/* Whether this build has FLINT, which gpube_nash() needs. */
GPUBE_API int gpube_nash_exact(void);

enum gpube_nash_method {
	GPUBE_NASH_METHOD_AUTO,
	GPUBE_NASH_METHOD_EEE, /* branch and bound on complementarity */
	GPUBE_NASH_METHOD_VE,  /* vertices of both best-response polytopes, labels matched */
	GPUBE_NASH_METHOD_SE,  /* supports of equal size */
};

/*
 * A mixed strategy that is part of an equilibrium.
 * p      the probability of each action, as text: "0", "1", "2/3"
 * value  the payoff of the other player's best response to it
 */
struct gpube_nash_strategy {
	const char *const *p;
	const char *value;
};

enum gpube_nash_answer {
	GPUBE_NASH_ANSWER_ALL,        /* these are all extreme equilibria */
	GPUBE_NASH_ANSWER_SOME,       /* what was asked for: one, pure, or the first max */
	GPUBE_NASH_ANSWER_INCOMPLETE, /* there may be more */
};

/* x[k] and y[k] are indices: many equilibria of a degenerate game share a strategy. */
struct gpube_nash_pair {
	int64_t x, y;
};

/*
 * An equilibrium of a game whose players are not two.
 * lo, hi  intervals, as text: first of the probability of each action, one player after the other,
 *         then of each player's payoff. Either two decimals that enclose the number, or the same
 *         fraction twice
 * tie     1: some action that is not played has the same payoff as those that are
 * index   of the equilibrium, 1 or -1; 0: it has a tie, or comes from option 'one' and need not be
 *         isolated. The indices of all equilibria of a game without ties have the sum 1
 */
struct gpube_nash_profile {
	const char *const *lo, *const *hi;
	int tie, index;
};

/*
 * A family of supports that may have equilibria which are not listed.
 * states        a character for each action of all players: '1' played, '0' not played, '?' either
 * reason        why they were not decided
 * lower, upper  for each action: bounds of its probability in such equilibria
 * regions       number of regions of strategy profiles that are left to be searched
 */
struct gpube_nash_open {
	const char *states, *reason;
	const double *lower, *upper;
	int64_t regions;
};

/*
 * An information set of a game in extensive form.
 * player   from 1
 * number   as its file has it
 * name     and of its actions; NULL: empty
 */
struct gpube_nash_set {
	int32_t player, number, n_actions;
	const char *name;
	const char *const *actions;
};

/*
 * An equilibrium in behaviour strategies.
 * p        a probability for each action of each information set, in their order. A set that its
 *          player's own moves never lead to has its first best reply
 * payoffs  of each player
 */
struct gpube_nash_behaviour {
	const char *const *p;
	const char *const *payoffs;
};

/*
 * Equilibria of a game in extensive form. Names belong to the game.
 * sets      n_sets information sets, by player, in the file's order
 * profiles  n_profiles equilibria
 */
struct gpube_nash_tree {
	int32_t n_players, n_sets;
	const struct gpube_nash_set *sets;
	int64_t n_profiles;
	const struct gpube_nash_behaviour *profiles;
};

/*
 * What gpube_nash() knows at its end.
 * xs, ys     distinct strategies of players 1 and 2 that are part of some equilibrium
 * pairs      the extreme equilibria, by x, then y; player 1 gets ys[pair.y].value, player 2
 *            xs[pair.x].value
 * reason     why the answer is INCOMPLETE, otherwise NULL
 * method     the one that ended first; "auto": the run was stopped before any began
 * backend    "cpu" or "cuda": where it worked
 * inexact    0
 * degenerate 1: an equilibrium has more best responses than actions played, or is not isolated;
 *            0: every equilibrium found is regular; -1: not known
 * index_sum  1 if every equilibrium is regular and all were found
 * removed    strictly dominated actions of each player
 * n_unchecked  equilibria that were found, but not checked in rationals before the time was up:
 *            they are not among the pairs
 * n_given    equilibria that the options' function 'give' was called with
 * work       nodes, bases, pivots, support pairs or regions
 * Of a game that has not two players, instead of xs, ys and pairs:
 * profiles, open  equilibria, smaller supports first; open supports
 * n_supports, n_open_supports  of the game without strictly dominated actions, of which there are
 *            n_removed
 * tree       of a game in extensive form that was solved by it: the equilibria, in place of xs, ys
 *            and pairs; otherwise NULL
 */
struct gpube_nash_result {
	enum gpube_nash_answer answer;
	int64_t n_xs, n_ys, n_pairs;
	struct gpube_nash_strategy *xs, *ys;
	struct gpube_nash_pair *pairs;
	const char *reason, *method, *backend;
	int inexact, degenerate, index_sum;
	int32_t removed[2];
	int64_t n_unchecked, n_given, work;
	int64_t n_profiles, n_open;
	struct gpube_nash_profile *profiles;
	struct gpube_nash_open *open;
	double n_supports, n_open_supports;
	int32_t n_removed;
	double seconds;
	struct gpube_nash_tree *tree;
};

/*
 * gpube_nash() - Nash equilibria of a game. Which ones depends on the game.
 *
 * Of a game of two players it finds all extreme equilibria: every equilibrium is a mixture of some
 * of them. Option "one" asks for one equilibrium, by Lemke and Howson's algorithm from label 1, and
 * "all_labels" for those from every label; "pure" for the pure equilibria, in time rows * columns.
 * Further options are "method", "support_size" (of method SE), "max" and "keep_dominated", and
 * gpube_opts_set_give() has equilibria handed over instead of kept.
 *
 * Of a game of any other number of players it finds all isolated equilibria. Each is proved to be
 * the only one in a box around it, and it is proved that there is no other one, except in the
 * supports that the result lists as open. Option "one" asks for a pure equilibrium or, where there
 * is none, the end of the path of logit equilibria. Further options are "pure", "max",
 * "keep_dominated" and "digits".
 *
 * A game in extensive form (.efg) of at most two players, who recall what they knew and did, is
 * solved by its sequence form. That gives the extreme equilibria in behaviour strategies: of the
 * realisation plans to which the same replies are best, the vertices. Option "one" asks for one
 * equilibrium: with perfect information the subgame perfect one, by backward induction, which more
 * players get, too, and without the option; of sum zero one by a linear program; otherwise one by
 * Lemke's algorithm. With option "normal_form", or one that is about strategies ("pure", "method",
 * "all_labels", "support_size", "keep_dominated", a function "give", a GPU), the reduced normal
 * form is solved as any other game.
 * opts     NULL: defaults
 * backend  where methods SE and EEE scan supports and walk over faces. With AUTO, methods EEE and
 *          AUTO begin on the CPU, and continue a large game on a device that the context or the
 *          program has opened meanwhile
 * timeout  the search ends after this time. Checking what it has found takes at most a tenth more,
 *          or 0.2 s; where much is found, the search ends earlier, so that all of it can be
 *          checked. 0: no limit. After gpube_ctx_stop() checking takes at most two seconds
 * Errors: EINVAL (no game; options of two players with more; no FLINT; a support size without
 *         method SE; an option that does not go with "give"), ENODEV and ECUDA (a CUDA device was
 *         asked for), ERANGE (too many supports, or profiles of several players; more than 64
 *         actions with method SE), EIO (a rank is dead), ENOMEM, EBUG, and what a function "give"
 *         returns. A time limit and gpube_ctx_stop() are no errors: the answer is INCOMPLETE
 * Example: docs/c.md
 */
GPUBE_API int gpube_nash(struct gpube_nash_result **out, const struct gpube_model *game,
	const struct gpube_opts *opts);

/*
 * Maximal Nash subsets: sets X of xs and Y of ys such that every pair of their
 * convex hulls is an equilibrium, and none can be added (the maximal bicliques of
 * the pairs). Subsets that share an equilibrium are in one connected component.
 */
struct gpube_nash_subset {
	int64_t n_xs, n_ys;
	const int64_t *xs, *ys; /* indices, increasing */
	int64_t component;      /* from 0 */
};

struct gpube_nash_components {
	int64_t n_components, n_subsets;
	struct gpube_nash_subset *subsets; /* by component */
};

/*
 * gpube_nash_components() - the maximal Nash subsets and connected components of the equilibria
 * that gpube_nash() has found.
 * r       a result whose answer is ALL, of two players in normal form
 * opts    timeout
 * Cost:   exponential in the number of strategies in the worst case
 * Errors: EINVAL (another result), ENOMEM, ESTOP: *out is NULL
 */
GPUBE_API int gpube_nash_components(struct gpube_nash_components **out, struct gpube_ctx *ctx,
	const struct gpube_nash_result *r, const struct gpube_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
