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

#ifdef __cplusplus
}
#endif

#endif
