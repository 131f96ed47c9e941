/*
 * action_graph.h - a game by its action graph, which a model of kind GPUBE_GAME may have: what an
 * action is worth depends on how often the nodes that point to its node are played (Jiang,
 * Leyton-Brown, Bhat 2011). A player of several types, drawn by chance and known to that player
 * alone, is an agent for each of them, and the agents are the model's variables: their equilibria
 * are the Bayesian ones (Jiang, Leyton-Brown 2010). Payoffs by profile are made when they are
 * asked for.
 */
#ifndef GPUBE_ACTION_GRAPH_H
#define GPUBE_ACTION_GRAPH_H

#include "gpube/ir/rational.h"

/* What a function node says of the actions behind it. */
enum gpube_function_kind {
	GPUBE_COUNT_SUM,
	GPUBE_COUNT_ANY,
	GPUBE_COUNT_HIGHEST,
	GPUBE_COUNT_LOWEST
};

/* none: what it says if no player plays any of them */
struct gpube_function_node {
	enum gpube_function_kind how;
	int32_t none;
};

/* n payoffs by configuration: in rising order, as many counts each as the node has neighbours. */
struct gpube_action_node {
	int64_t n;
	int32_t *configurations;
	struct gpube_rational *payoffs;
};

/*
 * first     by player, and one more: the first agent
 * chance    by agent, of 64 bits: that its player is of this type
 * from      by agent, and one more: the first of its actions, which are nodes in rising order
 * at        by node, actions first, then functions, and one more: its first neighbour
 * gives     by function and action: what one player of that action adds; GPUBE__GIVES_NONE: nothing
 */
struct gpube_action_graph {
	struct gpube_model *model; /* that owns it */
	int32_t n_players, n_agents, n_actions, n_functions;
	int32_t *first, *from, *actions;
	struct gpube_rational *chance;
	int64_t *at;
	int32_t *neighbours, *gives;
	struct gpube_function_node *functions;
	struct gpube_action_node *nodes;
};

#define GPUBE__GIVES_NONE INT32_MIN

void gpube__action_graph_free(struct gpube_action_graph *g, struct gpube_ctx *ctx);

/*
 * The counts of an action node's neighbours from those before and a player of another action; all
 * GPUBE__GIVES_NONE, with which they begin, is one of no players.
 */
void gpube__counts_add(const struct gpube_action_graph *g, int32_t node, int32_t *counts,
	const int32_t *before, int32_t action);
/* What they are once all players have been added. */
void gpube__counts_settle(const struct gpube_action_graph *g, int32_t node, int32_t *counts);

/*
 * gpube__action_graph_normal() - payoffs by profile of agents for the model that has the graph and
 * none yet; those of an agent given its type.
 * Cost:   for each profile and agent a step for each choice of the others' types
 * Errors: ELIMIT (more than the context's memory), ERANGE (an expected payoff past 64 bits), EINVAL
 *         (no payoff is said), ENOMEM, ESTOP
 */
int gpube__action_graph_normal(struct gpube_action_graph *g);

#endif
