/*
 * forms.h - models of one kind as models of another. Include after gpube/gpube.h. The new model is
 * the caller's, in the context of the given one, which stays as it is.
 */
#ifndef GPUBE_FORMS_H
#define GPUBE_FORMS_H

#include "gpube/coalitions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Agents of a game that becomes a model though all its coalitions may be formed. */
#define GPUBE_CHAIN_AGENTS 14

/* As what. */
enum gpube_form {
	GPUBE_FORM_COSTS,
	GPUBE_FORM_GAME,
	GPUBE_FORM_COALITIONS, /* a coalition game */
	GPUBE_FORM_AUCTION,    /* the same of bids */
};

/*
 * gpube_model_as() - a model as one of another form.
 *
 * A game as costs: a variable a player, and a function for each player's best responses. Its
 * assignments that are allowed are the pure equilibria. With option regret none is forbidden: a
 * function's cost is what its player could gain by another action, so that the optimum is the least
 * sum of them, 0 at an equilibrium; in decimals, or, where payoffs are none, in units of 1 over
 * their common denominator (which the log says).
 *
 * A coalition game as costs to be maximised, one assignment a structure. Up to GPUBE_CHAIN_AGENTS:
 * variable k is who is left after k coalitions, with one value where k is 0. More, of which at most
 * 2^14 coalitions are not forbidden: a variable an agent, its coalition. Values are integers that
 * are stored here.
 *
 * An auction as costs to be maximised, one assignment a set of winners: a variable of two values a
 * bid, or a variable a good, whose value is the bid that wins it, whichever is eliminated with
 * fewer cells.
 *
 * Costs or potentials as the game that they have the form of: as many functions as variables, two
 * at least, each over all of them. The first function is what the player that is the first variable
 * gets, and so on: a cost negated where costs are minimised, the cost itself where they are
 * maximised, in units of 10^-scale; a potential itself, as the shortest decimal that reads as it.
 * Where all that is allowed costs 0, and whatever the others do each player may do something, what
 * is allowed are best responses: payoffs are 0 and -1, and pure equilibria the assignments.
 *
 * Costs or potentials as a coalition game: one function over all variables, the agents, which have
 * two values, 0 out of the coalition and 1 in it. A coalition is worth by how much it costs less
 * than none does, by how much it is worth more where costs are maximised; a potential is a value
 * itself, and that of none has to be 0. What is forbidden, or by itself reaches the model's top, is
 * forbidden. Values are integers in units of 10^-scale of the model's scale, or floats. A sparse
 * table of more than 20 agents stays a list while fewer than a 64th of all coalitions is listed.
 * So is what a coalition game as costs is: a chain, or a set partition: a variable an agent, whose
 * values are coalitions, and functions of pairs by which the parts of a coalition need each other.
 * What parts are worth together is a coalition's value; by names of values, where there are some,
 * those are told from each other that are left together.
 *
 * Costs as an auction: of the form that an auction as costs has, or a mixture of both. Value 0 of a
 * variable wins nothing. Functions of one variable are prices: by how much the total gets better
 * than with value 0. Those of two allow or forbid pairs: values that each forbid all but the other
 * one are parts of one bid, others exclude each other. Those of more variables, of two values each,
 * let at most one of them have its second value, as the rows of a set packing program do. Bids are
 * numbered as their names say ("bid7"), otherwise from 0 as they come. The optimum of the model is
 * that of value 0 everywhere, bettered by the revenue.
 *
 * Names of variables and values become those of players, actions and agents, and back.
 * opts    regret
 * Cost:   a payoff of each player and profile; the values that are stored; the cells of the
 *         functions, and n_bids^2 / 4 bytes
 * Errors: EINVAL (another kind or form: the text says what; costs as costs; float values; a profile
 *         that is forbidden); ELIMIT (more than the context's memory, or than 2^26 cells); ERANGE
 *         (a number past 64 bits; a regret of 2^61 units or more); ENOMEM, ESTOP
 */
GPUBE_API int gpube_model_as(struct gpube_model **out, const struct gpube_model *m,
	enum gpube_form form, const struct gpube_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
