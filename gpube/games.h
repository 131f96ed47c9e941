/*
 * games.h - games in normal form: models of kind GPUBE_GAME, built and read. Public; include after
 * gpube/gpube.h, whose conventions hold. nash.h finds their equilibria.
 *
 * A game has a variable for each player. The values of a variable are the player's actions, and
 * names of variables and values are those of players and actions. The game has a function for each
 * player, in the order of the players, over all players: its payoffs. Players and actions are
 * numbered from 0.
 *
 * To build a game: gpube_model_new(&m, ctx, GPUBE_GAME), then gpube_model_add_var() for every
 * player, then gpube_model_add_payoffs() for every player.
 */
#ifndef GPUBE_PAYOFFS_OF_GAMES_H
#define GPUBE_PAYOFFS_OF_GAMES_H

#include "gpube/gpube.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * gpube_model_add_payoffs() - adds the payoffs of the next player: the first call is about variable
 * 0, the second about variable 1, and so on. All players have to be there before the first call.
 * num   a number for each profile of actions, which are copied. Their order is row-major: the last
 *       player's action changes fastest. Of two players with R and C actions, num[r * C + c] is the
 *       payoff where player 0 plays r and player 1 plays c
 * den   the denominators, as many as num has numbers, each at least 1: a payoff is num / den. NULL:
 *       payoffs are the integers num
 * Cost:   one pass. Integers are stored in the narrowest type that holds them; fractions over one
 *         common denominator where their numerators then fit 64 bits, otherwise as they are
 * Errors: EINVAL (another kind of model, one that has its payoffs by a tree or an action graph, a
 *         denominator below 1, every player has payoffs); ERANGE (too many profiles); ENOMEM. The
 *         model is then unchanged
 * Example: docs/c.md
 */
GPUBE_API int gpube_model_add_payoffs(
	struct gpube_model *m, const int64_t *num, const int64_t *den);

/*
 * gpube_model_payoff() - the payoff of one player in one profile, as a fraction in lowest terms.
 * num, den  out: the payoff is num / den, with den >= 1
 * player    the player's number, which is that of its variable
 * profile   an action of every player: gpube_model_n_vars() numbers
 * Errors: EINVAL (another kind of model, no such player or action, a player without payoffs);
 *         ERANGE (the fraction does not fit 64 bits). num and den are then untouched
 */
GPUBE_API int gpube_model_payoff(int64_t *num, int64_t *den, const struct gpube_model *m,
	int32_t player, const int32_t *profile);

struct gpube_nash_strategy;

/*
 * gpube_give_fn() - the type of a function that gpube_nash() calls for each extreme equilibrium of
 * a game of two players, as soon as the equilibrium has been checked.
 * arg   as gpube_opts_set_give() was given it
 * x, y  the strategies of players 0 and 1; they are valid during the call
 * Returns GPUBE_OK, or another status, which ends gpube_nash() with that status. Calls may come
 * from any thread, but one at a time, and in any order
 */
typedef int gpube_give_fn(
	void *arg, const struct gpube_nash_strategy *x, const struct gpube_nash_strategy *y);

/*
 * gpube_opts_set_give() - sets the function of option "give" for gpube_nash(). The equilibria are
 * then not kept: the result has no pairs, and memory does not grow with their number. It works with
 * methods EEE and AUTO on the CPU, and with no other options than timeout and keep_dominated.
 * fn    the function; NULL: none, and the result has all equilibria
 * Errors: EINVAL
 */
GPUBE_API int gpube_opts_set_give(struct gpube_opts *o, gpube_give_fn *fn, void *arg);

#ifdef __cplusplus
}
#endif

#endif
