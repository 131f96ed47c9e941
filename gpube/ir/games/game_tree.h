/*
 * game_tree.h - a game in extensive form, which a model of kind GPUBE_GAME may have: variables are
 * the players, their values the strategies of the reduced normal form. The tree is what was read;
 * payoffs by strategies are made of it when they are asked for.
 */
#ifndef GPUBE_GAME_TREE_H
#define GPUBE_GAME_TREE_H

#include "gpube/base/arrays.h"
#include "gpube/ir/rational.h"

/* name: NULL where it is empty; chance: of a set of chance, with 64 bits */
struct gpube_action {
	char *name;
	struct gpube_rational chance;
};

/*
 * An information set.
 * player  from 1; 0: chance
 * number  what its file calls it, different from its player's others
 * first   of its actions in gpube_game_tree.actions
 * after   the last action of the same player before it, -1: none; where players recall what they
 *         did that is a sequence
 */
struct gpube_infoset {
	int32_t player, number, n_actions;
	int64_t first, after;
	char *name;
};

/* Each comes before what follows on its actions; the root is the first. */
struct gpube_node {
	int32_t infoset, outcome; /* -1: none */
	int64_t children;         /* the first of them, in gpube_game_tree.children */
};

/*
 * payoffs   of outcomes, which add up along a path: n_players each
 * forgets   an information set at whose nodes its player has not done the same before; -1: none
 * perfect   every information set of a player has one node
 * count     by player: reduced strategies; more than 2^31 - 1 are about so many. Of a player that
 *           forgets they are counted up to GPUBE__MOST_COUNTED, and then are one more
 */
struct gpube_game_tree {
	struct gpube_model *model; /* that owns it */
	int32_t n_players;
	int64_t n_nodes, n_infosets, n_actions, n_children, n_outcomes;
	struct gpube_node *nodes;
	struct gpube_infoset *infosets;
	struct gpube_action *actions;
	int32_t *children;
	struct gpube_rational *payoffs;
	int32_t forgets;
	bool perfect;
	double *count;
};

enum { GPUBE__MOST_COUNTED = 1 << 20 };

void gpube__game_tree_free(struct gpube_game_tree *t, struct gpube_ctx *ctx);

/*
 * gpube__game_tree_settle() - once all nodes are there: what is known of recall, and how many
 * strategies there are. Errors: ENOMEM, ESTOP
 */
int gpube__game_tree_settle(struct gpube_game_tree *t, struct gpube_ctx *ctx);

/*
 * gpube__game_tree_normal() - payoffs by reduced strategies, and their names, for the model that
 * has the tree and none yet.
 * Cost:   a walk through the tree for each profile
 * Errors: ELIMIT (more than the context's memory), ERANGE (a payoff past 64 bits), EINVAL (the
 *         model has other players), ENOMEM, ESTOP
 */
int gpube__game_tree_normal(struct gpube_game_tree *t);

/* The walk over a player's reduced strategies, in the order in which Gambit lists them. */
struct gpube_strategies {
	const struct gpube_game_tree *t;
	struct gpube__arrays memory;
	int32_t player;
	int32_t *choice;         /* by information set: an action, -1: not reached */
	int32_t *trail, n_trail; /* those that are reached, in that order */
	int32_t *stack;
};

/* At the first one. Errors: ENOMEM; to be cleared also then */
int gpube__strategies_init(struct gpube_strategies *w, const struct gpube_game_tree *t,
	struct gpube_ctx *ctx, int32_t player);
/* To the next one; false after the last. */
bool gpube__strategies_next(struct gpube_strategies *w);
void gpube__strategies_clear(struct gpube_strategies *w);

#endif
