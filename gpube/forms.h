/*
 * forms.h - models of one kind as models of another: a game as a constraint network, costs as an
 * auction, and so on. Public; include after gpube/gpube.h.
 */
#ifndef GPUBE_FORMS_H
#define GPUBE_FORMS_H

#include "gpube/coalitions.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The most agents of a coalition game that becomes a model of costs where all coalitions are
 * allowed. A game of more agents becomes one if few of its coalitions are allowed.
 */
#define GPUBE_CHAIN_AGENTS 14

/* The form that gpube_model_as() makes. */
enum gpube_form {
	GPUBE_FORM_COSTS,      /* a model of kind GPUBE_COSTS */
	GPUBE_FORM_GAME,       /* of kind GPUBE_GAME: games.h */
	GPUBE_FORM_COALITIONS, /* of kind GPUBE_COALITIONS, a coalition game: coalitions.h */
	GPUBE_FORM_AUCTION,    /* of kind GPUBE_COALITIONS, whose coalitions are bids */
};

/*
 * gpube_model_as() - makes a new model of another form.
 *
 * A game as costs. The new model has a variable for each player, and a function for each player
 * that allows the profiles in which the player's action is a best response. Its allowed assignments
 * are the pure equilibria. With option "regret" nothing is forbidden: a player's function costs
 * what the player could gain by another action, so that the optimum is the least sum of these
 * gains, and 0 at an equilibrium. Such costs are decimals. Where payoffs are fractions that are no
 * decimals, the unit is 1 over their common denominator, and the log says so.
 *
 * A coalition game as costs that are maximised. An assignment is a coalition structure, and its
 * total is the structure's value. There are two forms. Up to GPUBE_CHAIN_AGENTS agents it is a
 * chain: variable k says which agents are left after k coalitions, and variable 0 has one value.
 * With more agents, of whose coalitions at most 2^14 are allowed, it is a set partition: a variable
 * for each agent, whose value is the agent's coalition. Coalition values have to be integers that
 * are stored in memory.
 *
 * An auction as costs that are maximised. An assignment is a set of winning bids, and its total is
 * the revenue. The model has either a variable of two values for each bid, or a variable for each
 * good, whose value is the bid that wins it: the one that an elimination does with fewer cells.
 *
 * Costs or potentials as a game. The model has as many functions as variables, at least two, and
 * each function is over all variables. Variables become players, and function k the payoffs of
 * player k: costs are negated where they are minimised, and stay as they are where they are
 * maximised, in units of 10^-scale; a potential becomes the shortest decimal that reads as it. One
 * model is read otherwise: where every allowed cost is 0, and each player has an allowed action
 * whatever the others play. There the allowed cells are best responses, so that payoffs are 0 and
 * -1 and the pure equilibria are the allowed assignments.
 *
 * Costs or potentials as a coalition game. In the first form one function is over all variables.
 * Each variable is an agent and has two values, 0 outside of the coalition and 1 in it. A
 * coalition's value is the cost of the empty coalition minus its own cost, or the opposite where
 * costs are maximised. A potential is the value itself, and that of the empty coalition has to be
 * 0. A coalition is forbidden if its cell is, or if its cost alone reaches the model's top. Values
 * are integers in units of 10^-scale, or floats. A sparse table of more than 20 agents stays a list
 * as long as fewer than a 64th of all coalitions are listed. The other two forms are those that a
 * coalition game as costs has, the chain and the set partition. In a set partition functions of two
 * variables tie the parts of a coalition to each other, and a coalition's value is the sum of what
 * its parts are worth. Coalitions that consist of the same agents are told apart by the names of
 * values, if there are names.
 *
 * Costs as an auction. The model has one of the two forms that an auction as costs has, or a
 * mixture of both. With value 0 a variable wins nothing. A function of one variable has prices: how
 * much better the total is than with value 0. A function of two variables allows or forbids pairs
 * of values. Two values of which each forbids all values of the other's variable but that one are
 * parts of one bid; other values that forbid each other are bids that exclude each other. A
 * function of more variables, which have two values each, lets at most one of them have its second
 * value, as a row of a set packing program does. Bids are numbered by the names of variables or
 * values ("bid7"), or from 0 in their order. The optimum of the model is the total with value 0
 * everywhere, improved by the revenue.
 *
 * Names of variables and values become those of players, actions and agents, and the other way.
 * out   receives the new model, in m's context; free it with gpube_model_free()
 * m     stays as it is
 * form  that of the new model
 * opts  option "regret"; NULL: defaults
 * Cost:   of a game, one pass over all payoffs; of a coalition game, over all values; of an
 *         auction, over the cells of the functions, and n_bids^2 / 4 bytes of memory
 * Errors: EINVAL (m has another kind, or not the form that is asked for: the text says why; costs
 *         as costs; float values as costs; a forbidden profile); ELIMIT (it takes more than the
 *         context's memory, or than 2^26 cells); ERANGE (a number does not fit 64 bits; a regret is
 *         2^61 units or more); ENOMEM, ESTOP: *out is NULL
 * Source: Rothkopf, Pekec and Harstad, Management Science 44, 1998 (set packing)
 */
GPUBE_API int gpube_model_as(struct gpube_model **out, const struct gpube_model *m,
	enum gpube_form form, const struct gpube_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
