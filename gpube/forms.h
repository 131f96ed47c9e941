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

/*
 * gpube_coalitions_of_costs() - a model of costs or potentials of the form of a coalition game as
 * that game: one function over all variables, the agents, which have two values, 0 out of the
 * coalition and 1 in it. A coalition is worth by how much it costs less than none does, by how much
 * it is worth more where costs are maximised; a potential is a value itself, and that of none has
 * to be 0. What is forbidden, or by itself reaches the model's top, is forbidden. Values are
 * integers in units of 10^-scale of the model's scale, or floats. A sparse table of more than 20
 * agents stays a list while fewer than a 64th of all coalitions is listed. Agents are called as the
 * variables are.
 * Cost:   as gpube_coalitions_new(), or what is listed
 * Errors: EINVAL (another form: the text says what), ELIMIT, ERANGE (a value past 64 bits), ENOMEM,
 *         ESTOP
 */
GPUBE_API int gpube_coalitions_of_costs(struct gpube_model **out, const struct gpube_model *m);

/* Agents of a game that becomes a model though all its coalitions may be formed. */
#define GPUBE_CHAIN_AGENTS 14

/*
 * gpube_costs_of_coalitions() - a coalition game as a model of costs to be maximised, one
 * assignment a structure. Up to five agents: a variable each, its coalition's number. Up to
 * GPUBE_CHAIN_AGENTS: variable k is who is left after k coalitions. More, of which at most 2^14
 * coalitions are not forbidden: a variable an agent, its coalition.
 * Errors: EINVAL (kind, float values, values that are not stored here); ELIMIT (what is none of
 *         these, or more than 2^26 cells); ERANGE (a structure's value), ENOMEM, ESTOP
 */
GPUBE_API int gpube_costs_of_coalitions(struct gpube_model **out, const struct gpube_model *m);

/*
 * gpube_costs_of_auction() - the auction as a model of costs to be maximised, one assignment a set
 * of winners: a variable of two values a bid, or a variable a good, whose value is the bid that
 * wins it, whichever is eliminated with fewer cells.
 * Errors: EINVAL (kind), ELIMIT (more than 2^26 cells either way), ERANGE, ENOMEM, ESTOP
 */
GPUBE_API int gpube_costs_of_auction(struct gpube_model **out, const struct gpube_model *m);

/*
 * gpube_auction_of_costs() - a model of costs of the form that gpube_costs_of_auction() gives, or
 * a mixture of both, as an auction. Value 0 of a variable wins nothing. Functions of one variable
 * are prices: by how much the total gets better than with value 0. Those of two allow or forbid
 * pairs: values that each forbid all but the other one are parts of one bid, others exclude each
 * other. Those of more variables, of two values each, let at most one of them have its second
 * value, as the rows of a set packing program do.
 * Bids are numbered as their names say ("bid7"), otherwise from 0 as they come. The optimum of the
 * model is that of value 0 everywhere, bettered by the revenue.
 * Cost:   the cells of the functions, and n_bids^2 / 4 bytes
 * Errors: EINVAL (another form: the text says what; a top that forbids more than pairs do), ELIMIT,
 *         ERANGE (a price), ENOMEM, ESTOP
 */
GPUBE_API int gpube_auction_of_costs(struct gpube_model **out, const struct gpube_model *m);

#ifdef __cplusplus
}
#endif

#endif
