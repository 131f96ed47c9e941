/*
 * games.h - the payoffs of models of kind GPUBE_GAME: a variable a player, its values the actions,
 * and a function a player, in that order. Include after gpube/gpube.h, whose conventions hold.
 * nash.h has their equilibria.
 */
#ifndef GPUBE_PAYOFFS_OF_GAMES_H
#define GPUBE_PAYOFFS_OF_GAMES_H

#include "gpube/gpube.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * gpube_model_add_payoffs() - what the next player of a GPUBE_GAME model gets, over all players,
 * who are all there: the first call is for variable 0.
 * num, den  a fraction for each profile, row-major, the last player's action the fastest; den: at
 *           least 1, NULL: integers
 * Cost:     one pass; integers are stored in the narrowest type, others over one denominator where
 *           64 bits hold that
 * Errors:   EINVAL kind, den, all players have payoffs; ERANGE too many profiles; ENOMEM
 */
GPUBE_API int gpube_model_add_payoffs(
	struct gpube_model *m, const int64_t *num, const int64_t *den);

/*
 * gpube_model_payoff() - what a player of a GPUBE_GAME model gets: num / den in lowest terms,
 * den >= 1.
 * player   a variable, from 0
 * profile  n_vars actions, from 0
 * Errors: EINVAL kind, player, an action, a player without payoffs; ERANGE past 64 bits: num and
 *         den are untouched
 */
GPUBE_API int gpube_model_payoff(int64_t *num, int64_t *den, const struct gpube_model *m,
	int32_t player, const int32_t *profile);

struct gpube_nash_strategy;

/*
 * What gpube_nash() hands each extreme equilibrium over to as soon as it has been checked, by one
 * thread at a time, in no order; what it returns other than OK ends the work. Nothing is kept: the
 * result has no pairs, and memory does not grow with their number. By method EEE (or AUTO) on the
 * CPU, with no other options than timeout and keep_dominated. NULL: all are in the result
 */
typedef int gpube_give_fn(
	void *arg, const struct gpube_nash_strategy *x, const struct gpube_nash_strategy *y);
GPUBE_API int gpube_opts_set_give(struct gpube_opts *o, gpube_give_fn *fn, void *arg);

#ifdef __cplusplus
}
#endif

#endif
