/*
 * players.h - games of any number of players in normal form, and their pure equilibria. Internal to
 * nash/.
 *
 * nash_game has two players, as all that looks for mixed equilibria needs it; a game of more
 * players that was read hangs on one that is otherwise empty (nash_game.players). Weighed against
 * one struct for both: a hundred places know rows and columns.
 */
#ifndef NASH_PLAYERS_H
#define NASH_PLAYERS_H

#include "nash/bimatrix.h"

/*
 * Profiles, one action of each player, are numbered row-major: the last player's action is the
 * fastest.
 * name, labels  NULL where the file has none: of each player, of each action
 * payoffs       of each player: n_profiles
 */
struct nash_players {
	struct gpube_ctx *ctx;
	int32_t n;
	int32_t *actions;
	char **name, ***labels;
	int64_t n_profiles;
	struct nash_number **payoffs;
};

/* n players without anything; sizes are set later. Errors: ENOMEM */
int nash__players_new(struct nash_players **out, struct gpube_ctx *ctx, int32_t n);
void nash__players_free(struct nash_players *g);
/* How far apart profiles lie that differ by one in this player's action. */
int64_t nash__players_step(const struct nash_players *g, int32_t player);
/* ERANGE and what that means: a payoff passes 64 bits. */
int nash__players_check(const struct nash_players *g, const char *what);
/* -1, 0 or 1: two payoffs of 64 bits. */
int nash__number_compare(const struct nash_number *a, const struct nash_number *b);

/*
 * Profiles that differ in one player's action alone, first, first + step, ..., and the best of that
 * player's payoffs there.
 */
struct nash_line {
	int32_t player, n;
	int64_t first, step;
	const struct nash_number *best;
};

/*
 * Calls 'each' for all lines of a player until it fails. Payoffs have 64 bits. Errors: its own,
 * ESTOP
 */
int nash__players_lines(const struct nash_players *g, int32_t player,
	int (*each)(void *arg, const struct nash_players *g, const struct nash_line *line),
	void *arg);

/*
 * nash__players_pure() - the profiles in which no player gains by another action, ascending.
 * Cost:   n_profiles comparisons a player, a byte a profile
 * Errors: ERANGE (a payoff past 64 bits), ENOMEM, ESTOP
 */
int nash__players_pure(int64_t **profiles, int64_t *n, const struct nash_players *g);

/*
 * A game as one of any number of players; of two it is written into 'two' and 'actions', and the
 * game's own memory is borrowed.
 */
const struct nash_players *nash__players_of(
	const struct nash_game *g, struct nash_players *two, int32_t actions[2]);

/* ---- for readers ---- */

/* A profile of more, of two actions each, would pass what is counted here. */
#define NASH_MOST_PLAYERS 62

/* nash__players_new(), or EPARSE and how many players are read. */
int nash__players_begin(struct nash_players **out, struct gpube_in *in, int64_t n);
/* How many payoffs there are, once the actions are known; -1 and a message if they are too many. */
int64_t nash__players_payoffs(struct nash_players *g, struct gpube_in *in);
/*
 * Makes the game: a bimatrix game, or one that takes *players, which then is NULL.
 * pile       all payoffs, of each profile, in which player 1's action is the fastest, those of all
 *            players; its texts are taken
 * by_player  or of each player those of all profiles
 * Errors: ENOMEM
 */
int nash__players_settle(
	struct nash_game *g, struct nash_players **players, struct nash_pile *pile, bool by_player);

/* nash_model() of it. */
int nash__players_model(struct gpube_model **out, const struct nash_players *g, int regret);

#endif
