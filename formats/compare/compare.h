/*
 * compare.h - do two models say the same, table by table? Internal to formats/.
 *
 * What a format changes without changing the model is no difference: the order
 * of functions, several of them over the same variables, dense or sparse, the
 * direction (a maximisation is its negation minimised), a constant that moved
 * between a table and the zero-arity term, a function that costs the same
 * everywhere, how a forbidden tuple is written, a
 * bound that no total reaches, names.
 */
#ifndef GPUBE_COMPARE_H
#define GPUBE_COMPARE_H

#include "gpube/ir/model.h"

struct gpube_compared {
	int64_t n_functions, n_cells;
};

/*
 * gpube__compare() - compares 'again', read from a file, with 'm', which was
 * written to it. Costs are compared as integers, in the units of each model;
 * potentials as doubles, bit by bit; a potential and a cost as -ln(potential)
 * and cost * 10^-scale, up to 1e-12 * (1 + |cost|) and half a unit if potentials
 * became costs; payoffs of games as fractions.
 * counts  out: what was compared
 * Cost:   one pass over the cells of both models
 * Errors: EBUG (the first difference), ENOMEM
 */
int gpube__compare(struct gpube_compared *counts, const struct gpube_model *m,
	const struct gpube_model *again);

/* The same of two games of the same players and actions. */
int gpube__compare_games(struct gpube_compared *counts, const struct gpube_model *m,
	const struct gpube_model *again);

/*
 * gpube__decode_clauses() - the model over m's variables, each of two values or more, that
 * 'again' says with a Boolean for each value of those of more than two.
 * Errors: EBUG (a clause that says something else, or one is missing), ENOMEM
 */
int gpube__decode_clauses(
	struct gpube_model **out, const struct gpube_model *m, const struct gpube_model *again);

#endif
