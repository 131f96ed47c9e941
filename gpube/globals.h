/*
 * globals.h - functions by what they say instead of by a table of all cells: lists of tuples,
 * linear constraints, all different, counts of values, automata, and toulbar2's keywords. Public;
 * include after gpube/gpube.h.
 *
 * For models of GPUBE_COSTS. A function becomes a table where that is small, several tables where
 * it is a sum of them, or a chain of small tables over hidden variables (gpube_model_is_hidden());
 * what would be larger than that is refused before memory is taken. The same function in a file is
 * read, checked and expanded by the same code.
 *
 * A cost is in units of the model's scale, of either sign, and GPUBE_INF forbids. It is added to
 * the total as it is: in a model that is maximised a negative cost is the penalty.
 *
 * A variable may occur in a scope more than once. It then counts each time. Values are indices;
 * of those from a variable's domain on it has none.
 *
 * A function that is given by its tuples has at most GPUBE_MOST_CELLS of them. One by what it says
 * becomes one table of at most 2^24 cells, at most 2^22 tables of two variables with 2^26 cells, or
 * chains of at most 2^20 hidden variables and 2^26 cells in all, 2^22 of one chain, counted as they
 * are before states that are the same become one. What is larger is refused with its size.
 *
 * Errors of all: EINVAL (an argument; the model's kind); ERANGE (too wide for tables and chains, a
 * cost past 64 bits); ELIMIT (more than the context's memory); ENOMEM; ESTOP. After an error the
 * model is as it was.
 */
#ifndef GPUBE_GLOBALS_H
#define GPUBE_GLOBALS_H

#include "gpube/gpube.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * gpube_model_add_tuples() - costs of some tuples, and one cost for all others.
 * others  the cost of a tuple that is not listed
 * tuples  n * arity value indices, one tuple behind the other; no tuple twice
 * costs   n of them
 */
GPUBE_API int gpube_model_add_tuples(struct gpube_model *m, int arity, const int32_t *scope,
	int64_t others, int64_t n, const int32_t *tuples, const int64_t *costs);

enum gpube_relation { GPUBE_AT_LEAST, GPUBE_AT_MOST, GPUBE_EXACTLY };

/* What a sum adds where 'var' has 'value'; of value -1: the coefficient times its value's index. */
struct gpube_term {
	int32_t var, value;
	int64_t coefficient;
};

/*
 * gpube_model_add_linear() - the sum of the terms is at least, at most or exactly 'right'.
 * cost      where it is not
 * per_unit  not 0: the cost for each unit that is missing or too much
 */
GPUBE_API int gpube_model_add_linear(struct gpube_model *m, int32_t n_terms,
	const struct gpube_term *terms, enum gpube_relation relation, int64_t right, int64_t cost,
	int per_unit);

/*
 * gpube_model_add_all_different() - no two variables have the same value.
 * except  n_except value indices that several variables may have
 * cost    of each pair of variables that do
 */
GPUBE_API int gpube_model_add_all_different(struct gpube_model *m, int n, const int32_t *vars,
	int n_except, const int32_t *except, int64_t cost);

/* From 'least' to 'most' of the variables have the value. */
struct gpube_occurrences {
	int32_t value;
	int32_t least, most;
};

/*
 * gpube_model_add_gcc() - how often each of some values occurs (global cardinality).
 * counts  n_counts values, none twice; 0 <= least <= most
 * cost    for each variable that a value has too many or too few; GPUBE_INF forbids that
 */
GPUBE_API int gpube_model_add_gcc(struct gpube_model *m, int n, const int32_t *vars, int n_counts,
	const struct gpube_occurrences *counts, int64_t cost);

/*
 * gpube_model_add_among() - from 'least' to 'most' of the variables have one of these values.
 * cost  for each variable too many or too few; GPUBE_INF forbids that
 */
GPUBE_API int gpube_model_add_among(struct gpube_model *m, int n, const int32_t *vars, int n_values,
	const int32_t *values, int32_t least, int32_t most, int64_t cost);

/* A state that an automaton may begin or end in, and what that costs. */
struct gpube_state {
	int32_t state;
	int64_t cost;
};

/* From a state, by a value index, to a state. */
struct gpube_transition {
	int32_t from, value, to;
	int64_t cost;
};

/*
 * gpube_model_add_regular() - the least cost (the greatest, if the model is maximised) at which an
 * automaton of states 0 ... n_states - 1 reads the variables' values, one after the other;
 * forbidden where it cannot. From a state a value may lead to several.
 */
GPUBE_API int gpube_model_add_regular(struct gpube_model *m, int n, const int32_t *vars,
	int32_t n_states, int n_starts, const struct gpube_state *starts, int n_ends,
	const struct gpube_state *ends, int64_t n_transitions,
	const struct gpube_transition *transitions);

/*
 * gpube_model_add_global() - a function that a .wcsp names by a keyword, such as "salldiff" or
 * "wsum".
 * parameters  what follows the keyword there, such as "var 10", separated by blanks; costs that
 *             reach the model's top forbid, and so does "inf". Variables in it are indices in the
 *             model
 * Source: toulbar2's page on its formats; wregular, wamong and others with the cost of each unit
 */
GPUBE_API int gpube_model_add_global(struct gpube_model *m, const char *keyword, int arity,
	const int32_t *scope, const char *parameters);

/*
 * gpube_model_add_bounded() - forbids what costs less than 'low', or 'high' or more, in the model
 * 'inner', whose variables stand for those of the scope: as many, with as many values.
 */
GPUBE_API int gpube_model_add_bounded(struct gpube_model *m, int arity, const int32_t *scope,
	const struct gpube_model *inner, int64_t low, int64_t high);

#ifdef __cplusplus
}
#endif

#endif
