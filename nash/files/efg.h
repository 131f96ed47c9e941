/* efg.h - a game in extensive form, until it is a bimatrix game. Internal to nash/files/. */
#ifndef NASH_EFG_H
#define NASH_EFG_H

#include "nash/bimatrix.h"

/* Of chance (player 0) or a player; actions without an end are of chance alone. */
struct nash_infoset {
	int32_t player, n_actions;
	int64_t line;                /* where it came first */
	struct nash_number *chances; /* of player 0 */
	/*
	 * the action of the same player that comes last before it: infoset and action, -1: none; or
	 * it differs
	 */
	int32_t after, action;
};

/* In the order of the file, each before what follows on its actions. */
struct nash_node {
	int32_t infoset, outcome; /* -1: none */
	int64_t children;         /* the first of them, in nash_extensive.children */
};

struct nash_extensive {
	struct gpube_in *in;
	struct nash_node *nodes;
	struct nash_infoset *infosets;
	int32_t *children;
	struct nash_pile outcomes; /* two numbers each */
	int64_t n_nodes, n_infosets, n_children, nodes_capacity, infosets_capacity,
		children_capacity;
	bool recall; /* each player knows all that it did */
};

/*
 * nash__efg_normal() - fills the game with the tree's reduced normal form.
 * Errors: ELIMIT (more strategies than memory), ERANGE (a payoff), ENOMEM, ESTOP
 */
int nash__efg_normal(struct nash_game *g, struct nash_extensive *t);

#endif
