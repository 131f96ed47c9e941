/* efg.h - a game in extensive form, until it is one in normal form. Internal to formats/games/. */
#ifndef GPUBE_EFG_H
#define GPUBE_EFG_H

#include "formats/games/game_reader.h"

/* Of chance (player 0) or a player; actions without an end are of chance alone. */
struct gpube_infoset {
	int32_t player, n_actions;
	int64_t line;                   /* where it came first */
	struct gpube_rational *chances; /* of player 0 */
	/*
	 * the action of the same player that comes last before it: infoset and action, -1: none; or
	 * it differs
	 */
	int32_t after, action;
};

/* In the order of the file, each before what follows on its actions. */
struct gpube_node {
	int32_t infoset, outcome; /* -1: none */
	int64_t children;         /* the first of them, in gpube_extensive.children */
};

struct gpube_extensive {
	struct gpube_in *in;
	struct gpube_node *nodes;
	struct gpube_infoset *infosets;
	int32_t *children;
	struct gpube_pile outcomes; /* two numbers each */
	int64_t n_nodes, n_infosets, n_children, nodes_capacity, infosets_capacity,
		children_capacity;
	bool recall; /* each player knows all that it did */
};

/*
 * gpube__efg_normal() - the players and their payoffs: the tree's reduced normal form.
 * names   of the two players
 * Errors: ELIMIT (more strategies than memory), ERANGE (a payoff), ENOMEM, ESTOP
 */
int gpube__efg_normal(struct gpube_model *m, struct gpube_extensive *t, char *const names[2]);

#endif
