/*
 * payoffs.h - models of kind GPUBE_GAME: a variable a player, its values the actions, and a
 * function a player, its payoffs over all players in their order.
 */
#ifndef GPUBE_PAYOFFS_H
#define GPUBE_PAYOFFS_H

#include "gpube/games.h"
#include "gpube/ir/rational.h"

/*
 * gpube__check_game() - that a model is a game, and each of its players has payoffs over all of
 * them. Of one in extensive form the first call makes them. Errors: EINVAL; those of
 * gpube__game_tree_normal()
 */
int gpube__check_game(const struct gpube_model *m);

/*
 * gpube__add_payoffs() - the payoffs of the next player: see gpube_model_add_payoffs().
 * v       of each profile; their texts stay the caller's
 * Errors: EINVAL, ERANGE (too many profiles), ENOMEM
 */
int gpube__add_payoffs(struct gpube_model *m, const struct gpube_rational *v);

/*
 * Profiles, one action of each player, are numbered row-major: the last player's action is the
 * fastest. How many there are; how far those lie apart that differ by one in this player's action.
 */
int64_t gpube__profiles(const struct gpube_model *m);
int64_t gpube__profile_step(const struct gpube_model *m, int32_t player);

static inline int32_t gpube__action_of(const struct gpube_model *m, int64_t profile, int32_t player)
{
	return (int32_t)(profile / gpube__profile_step(m, player) % m->vars[player].domain);
}

/* ERANGE and what that means: a payoff passes 64 bits. */
int gpube__check_payoffs(const struct gpube_model *m, const char *what);
/* -1, 0 or 1: payoffs a and b of one table, which have 64 bits. */
int gpube__payoff_compare(const struct gpube_table *t, int64_t a, int64_t b);

/*
 * Profiles that differ in one player's action alone, first, first + step, ..., and the first of
 * them in which that player gets the most.
 */
struct gpube_line {
	int32_t player, n;
	int64_t first, step, best;
};

/*
 * Calls 'each' for all lines of a player until it fails. Payoffs have 64 bits. Errors: its own,
 * ESTOP
 */
int gpube__game_lines(const struct gpube_model *m, int32_t player,
	int (*each)(void *arg, const struct gpube_model *m, const struct gpube_line *line),
	void *arg);

#endif
