/*
 * nash.h - bimatrix games: files to games and back, and their Nash equilibria.
 *
 * Include after gpube/gpube.h, whose conventions hold: status 0 or negative,
 * gpube_error(ctx) is the text of the last failure, out-parameters come first.
 *
 * Payoffs are rationals from the file's first byte to the answer. With FLINT
 * every reported equilibrium has been checked in rationals, and nothing is left
 * out but by a proof; without FLINT (nash_exact() is 0) only results in doubles
 * are to be had. FLINT ends the process when memory runs out.
 */
#ifndef NASH_H
#define NASH_H

#include "gpube/gpube.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- games -------------------------------------------------------------- */

struct nash_game;
struct dcop_world;

/*
 * nash_game_new() - a game of rows x columns actions with all payoffs 0.
 * Errors: EINVAL (rows or columns < 1), ERANGE, ENOMEM
 */
GPUBE_API int nash_game_new(
	struct nash_game **out, struct gpube_ctx *ctx, int32_t rows, int32_t columns);
GPUBE_API void nash_game_free(struct nash_game *g);

/*
 * Two players, or more of a game that was read. Of a game of more than two there are its pure
 * equilibria (nash_pure()) and its model; nash_solve() and nash_write() refuse it (EINVAL), and it
 * has no rows or columns.
 */
GPUBE_API int32_t nash_game_players(const struct nash_game *g);
/* Of player 1 to nash_game_players(); 0: there is no such player. */
GPUBE_API int32_t nash_game_actions(const struct nash_game *g, int player);

/* Actions of player 1 (rows) and of player 2 (columns). */
GPUBE_API int32_t nash_game_rows(const struct nash_game *g);
GPUBE_API int32_t nash_game_columns(const struct nash_game *g);

/*
 * nash_game_set() - one payoff num / den.
 * player  1 or 2
 * Errors: EINVAL player, row, column, den < 1
 */
GPUBE_API int nash_game_set(
	struct nash_game *g, int player, int32_t row, int32_t column, int64_t num, int64_t den);

/*
 * nash_game_get() - one payoff num / den in lowest terms, den >= 1.
 * Errors: EINVAL player, row, column; ERANGE (past 64 bits): num and den are untouched
 */
GPUBE_API int nash_game_get(int64_t *num, int64_t *den, const struct nash_game *g, int player,
	int32_t row, int32_t column);

/*
 * nash_game_payoff() - the same of a game of any number of players.
 * profile  an action of each player, from 0
 * Errors: EINVAL player, an action; ERANGE (past 64 bits): num and den are untouched
 */
GPUBE_API int nash_game_payoff(
	int64_t *num, int64_t *den, const struct nash_game *g, int player, const int32_t *profile);

/* The label of an action as the file gave it, or NULL. */
GPUBE_API const char *nash_game_label(const struct nash_game *g, int player, int32_t action);

enum nash_format {
	NASH_FORMAT_AUTO,       /* by content when reading, by name when writing */
	NASH_FORMAT_NFG,        /* Gambit .nfg, payoff and outcome version; GAMUT's GambitOutput */
	NASH_FORMAT_LRS,        /* input of lrsnash */
	NASH_FORMAT_TWO_PLAYER, /* GAMUT's TwoPlayerOutput */
	NASH_FORMAT_SIMPLE,     /* GAMUT's SimpleOutput */
	NASH_FORMAT_GT,         /* GAMUT's GTOutput, GameTracer's .gam */
	NASH_FORMAT_EFG,        /* Gambit .efg, as its reduced normal form; only read */
};

/*
 * nash_read() - reads a game of two players; a .nfg, SimpleOutput and GTOutput may have up to 62.
 * path    "-" is standard input; .gz and .xz are unpacked
 * Errors: EIO, EPARSE, ERANGE, ENOMEM, ESTOP; EINVAL (something else: the text says what); ELIMIT
 *         (an .efg of more strategies than the memory allowed, whose numbers the text says)
 */
GPUBE_API int nash_read(
	struct nash_game **out, struct gpube_ctx *ctx, const char *path, enum nash_format format);

/*
 * nash_model() - the game as a model of costs: a variable a player, a function for each player's
 * best responses. Its assignments that are allowed are the pure equilibria.
 * regret  none is forbidden: a function's cost is what its player could gain by another action, so
 *         that the optimum is the least sum of both, 0 at an equilibrium; in decimals, or, where
 *         payoffs are none, in units of 1 over their common denominator (which the log says)
 * Errors: ERANGE (a payoff past 64 bits, a regret of 2^61 units or more), ENOMEM, ESTOP
 */
GPUBE_API int nash_model(struct gpube_model **out, const struct nash_game *g, int regret);

/*
 * nash_from_model() - a model of the form of a game as that game: two variables, the players, and
 * two functions over both. What player 1, the first variable, gets is the first function's, what
 * player 2 gets the second's: a cost negated where costs are minimised, the cost itself where they
 * are maximised, in units of 10^-scale; a potential itself, as the shortest decimal that reads as
 * it. Names of variables and values become those of players and actions. The model is copied.
 * Cost:   rows * columns payoffs of each player
 * Errors: EINVAL (another form: the text says what; a pair that is forbidden or by itself reaches
 *         the model's top), ELIMIT (more than the context's memory), ENOMEM, ESTOP
 */
GPUBE_API int nash_from_model(struct nash_game **out, const struct gpube_model *m);

/*
 * nash_write() - writes a game; .nfg in its payoff version.
 * format  AUTO: .nfg or .gam (GTOutput) if the name ends so (before .gz or .xz), otherwise
 *         for lrsnash
 * Errors: EIO, ENOMEM
 */
GPUBE_API int nash_write(const struct nash_game *g, const char *path, enum nash_format format);

/* Number k of the classes of games, NULL past the last; nash_generate() takes the names. */
GPUBE_API const char *nash_class(int k);

/*
 * A seeded game; zero fields take the default.
 * kind        a name of nash_class(); NULL: random
 * range       random payoffs are integers from -range to range (covariant: the standard
 *             deviation); 0: 100
 * covariance  covariant: of the payoffs of a cell, -1 to 1
 * parameters  "a,b,c" of minimum-effort, "high,middle,low" of grab-the-dollar, the reward of
 *             travelers-dilemma: integers, decimals or fractions; NULL: drawn from the seed
 * int_payoffs  not 0: what is drawn are reals (65536ths; range is 10000 at most), and payoffs are
 *              so many times as
 *             large, rounded to integers, ties away from 0: what GAMUT's -int_payoffs -int_mult
 *             does, by default 10000 times. Payoffs that would tie may then differ by one
 */
struct nash_random {
	size_t sizeof_options;
	const char *kind;
	int32_t rows, columns;
	uint64_t seed;
	int64_t range;
	double covariance;
	const char *parameters;
	int64_t int_payoffs;
};

/*
 * nash_generate() - the same game for the same options everywhere.
 * Errors: EINVAL (kind, range, covariance, parameters, int_payoffs, sizes), ERANGE (payoffs past 64
 *         bits), ENOMEM
 */
GPUBE_API int nash_generate(
	struct nash_game **out, struct gpube_ctx *ctx, const struct nash_random *options);

/* ---- equilibria --------------------------------------------------------- */

/*
 * n        pure equilibria: profiles in which no player gains by another action
 * actions  one of each of n_players, from 0, of each profile; profiles ascend, the last player's
 *          action is the fastest
 */
struct nash_pure {
	int64_t n;
	int32_t n_players;
	int32_t *actions;
};

/*
 * nash_pure() - all pure equilibria of a game of any number of players.
 * Cost:   a comparison of each payoff of each player, a byte a profile
 * Errors: ERANGE (a payoff passes 64 bits), ENOMEM, ESTOP
 */
GPUBE_API int nash_pure(struct nash_pure **out, const struct nash_game *g);
GPUBE_API void nash_pure_free(struct nash_pure *p, struct gpube_ctx *ctx);

/* Whether this build decides in rationals (FLINT). */
GPUBE_API int nash_exact(void);

enum nash_method {
	NASH_METHOD_AUTO,
	NASH_METHOD_EEE, /* branch and bound on complementarity */
	NASH_METHOD_VE,  /* vertices of both best-response polytopes, labels matched */
	NASH_METHOD_SE,  /* supports of equal size */
};

/*
 * A mixed strategy that is part of an equilibrium.
 * p      a probability for each action: "0", "1", "2/3"; decimals if inexact
 * value  what the other player's best responses to it are worth to them
 */
struct nash_strategy {
	const char *const *p;
	const char *value;
};

/*
 * Options of nash_solve(); zero fields take the default.
 * one              one equilibrium, by Lemke and Howson's algorithm from label 1
 * all_labels       with 'one': from every label, all that are reached
 * pure             pure equilibria alone, in time rows * columns
 * max              stop after so many equilibria; 0: all
 * support_size     method SE: supports of this size alone; 0: all
 * world            the ranks of gpube-mpi (gpube/ranks/world.h) among which method SE shares its
 *                  pairs by round-robin: all call nash_solve() alike, rank 0 gets the equilibria,
 *                  the others a result without any; NULL: one rank
 * backend          of methods SE and EEE: where supports are scanned, faces walked; AUTO, of EEE
 *                  and AUTO: on the CPU, from which a large game goes on on a device that the
 *                  context or the program (ops/device/opening.h) has opened meanwhile
 * timeout_seconds  stop after this time, and after a tenth of it more (at least 0.2 s) that is for
 *                  checking what was found; where much is found the search ends so much earlier
 *                  that all of it can be checked; 0: never. gpube_ctx_stop(): two seconds more
 * keep_dominated   do not remove strictly dominated actions beforehand
 * inexact          decide in doubles: fast, and sometimes wrong
 * give, give_arg   called with each extreme equilibrium as soon as it has been checked, by one
 *                  thread at a time, in no order; what it returns other than OK ends the work.
 *                  Nothing is kept: the result has no pairs, and memory does not grow with their
 *                  number. By method EEE (or AUTO) on the CPU, with none of the options above but
 *                  timeout_seconds and keep_dominated. NULL: all are in the result
 */
struct nash_opts {
	size_t sizeof_options;
	enum nash_method method;
	int one, all_labels, pure;
	int64_t max;
	int32_t support_size;
	struct dcop_world *world;
	enum gpube_backend backend;
	double timeout_seconds;
	int keep_dominated;
	int inexact;
	int (*give)(void *arg, const struct nash_strategy *x, const struct nash_strategy *y);
	void *give_arg;
};

enum nash_answer {
	NASH_ANSWER_ALL,        /* these are all extreme equilibria */
	NASH_ANSWER_SOME,       /* what was asked for: one, pure, or the first max */
	NASH_ANSWER_INCOMPLETE, /* there may be more */
};

/* x[k] and y[k] are indices: many equilibria of a degenerate game share a strategy. */
struct nash_pair {
	int64_t x, y;
};

/*
 * xs, ys     different strategies of player 1 and 2 in some equilibrium
 * pairs      the extreme equilibria, by x, then y; player 1 gets ys[pair.y].value, player 2
 *            xs[pair.x].value
 * reason     why it is incomplete, otherwise NULL
 * method     that ended first; "auto" of a run that was stopped before any began
 * backend    "cpu" or "cuda": where it worked
 * degenerate 1: an equilibrium has more best responses than actions played, or is not isolated;
 *            0: every equilibrium found is regular; -1: not known
 * index_sum  1 if every equilibrium is regular and all were found
 * removed    strictly dominated actions of each player
 * n_unchecked  equilibria that were found, but time was up before they could be checked in
 *            rationals against the file's payoffs: they are not among the pairs
 * n_given    equilibria that 'give' of the options was called with
 * work       nodes, bases or support pairs
 */
struct nash_result {
	enum nash_answer answer;
	int64_t n_xs, n_ys, n_pairs;
	struct nash_strategy *xs, *ys;
	struct nash_pair *pairs;
	const char *reason, *method, *backend;
	int inexact, degenerate, index_sum;
	int32_t removed[2];
	int64_t n_unchecked, n_given, work;
	double seconds;
};

/*
 * nash_solve() - the extreme equilibria of a game: every equilibrium is a
 * convex combination of some of them.
 * Errors: EINVAL (no FLINT and not inexact; a support size without method SE; what does not go with
 *         'give'), what 'give' returns, ENODEV, ECUDA (the CUDA backend was asked for), ERANGE (too
 *         many supports to list), EIO (a rank is dead), ENOMEM; EBUG
 * What a time limit or gpube_ctx_stop() cut short is a result with answer INCOMPLETE.
 */
GPUBE_API int nash_solve(
	struct nash_result **out, const struct nash_game *g, const struct nash_opts *opts);
GPUBE_API void nash_result_free(struct nash_result *r, struct gpube_ctx *ctx);

/*
 * Maximal Nash subsets: sets X of xs and Y of ys such that every pair of their
 * convex hulls is an equilibrium, and none can be added (the maximal bicliques of
 * the pairs). Subsets that share an equilibrium are in one connected component.
 */
struct nash_subset {
	int64_t n_xs, n_ys;
	const int64_t *xs, *ys; /* indices, increasing */
	int64_t component;      /* from 0 */
};

struct nash_components {
	int64_t n_components, n_subsets;
	struct nash_subset *subsets; /* by component */
};

/*
 * nash_components() - of a complete result.
 * timeout_seconds  0: none
 * Errors: EINVAL (incomplete), ENOMEM, ESTOP
 */
GPUBE_API int nash_components(struct nash_components **out, struct gpube_ctx *ctx,
	const struct nash_result *r, double timeout_seconds);
GPUBE_API void nash_components_free(struct nash_components *c, struct gpube_ctx *ctx);

#ifdef __cplusplus
}
#endif

#endif
