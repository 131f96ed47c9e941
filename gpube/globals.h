/*
 * globals.h - global cost functions, which are given by what they say instead of by a table: lists
 * of tuples, linear constraints, all different, counts of values, automata, and toulbar2's
 * keywords. Public; include after gpube/gpube.h.
 *
 * These calls add to models of kind GPUBE_COSTS. A function becomes one table where that is small;
 * several tables where it is the sum of functions of two variables; otherwise a chain of small
 * tables over hidden variables, such as the partial sums of a linear constraint
 * (gpube_model_is_hidden()). A function that would need more than the limits below is refused
 * before memory is taken. Readers of files use the same calls.
 *
 * All arrays are copied. Variables and values are indices, from 0. A variable may be in a scope
 * several times, and then counts each time. A value that is not in a variable's domain is one that
 * this variable never has.
 *
 * A cost is in units of 10^-scale of the model, and may be negative; GPUBE_INF forbids. It is added
 * to the total as it is. In a model that is maximised a penalty is therefore a negative cost.
 *
 * Limits: a list of tuples has at most GPUBE_MOST_CELLS of them. Every other function becomes one
 * table of at most 2^24 cells; or at most 2^22 tables of two variables, of 2^26 cells in all; or
 * chains of at most 2^20 hidden variables and 2^26 cells in all, and 2^22 cells each. Cells of a
 * chain are counted before equal states are merged. The text of the error has the size.
 *
 * Errors of all: EINVAL (an argument, or the kind of the model); ERANGE (more than these limits, or
 * a cost that does not fit 64 bits); ELIMIT (more than the context's memory); ENOMEM; ESTOP. After
 * an error the model is as it was.
 *
 * Example: examples/shifts.c, docs/c.md
 */
#ifndef GPUBE_GLOBALS_H
#define GPUBE_GLOBALS_H

#include "gpube/gpube.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * gpube_model_add_tuples() - a function that is a list of some tuples with a cost each, and one
 * cost for all others.
 * arity, scope  the variables
 * others        the cost of every tuple that is not listed
 * n, tuples     n rows of arity values, one row behind the other; no row twice
 * costs         n costs, of the rows in their order
 * Cost: n rows of memory, as a list
 */
GPUBE_API int gpube_model_add_tuples(struct gpube_model *m, int arity, const int32_t *scope,
	int64_t others, int64_t n, const int32_t *tuples, const int64_t *costs);

/* What the sum of a linear constraint has to be, compared with its right side. */
enum gpube_relation { GPUBE_AT_LEAST, GPUBE_AT_MOST, GPUBE_EXACTLY };

/*
 * A term of a linear constraint. With a value from 0 on it is the coefficient if 'var' has that
 * value, and otherwise 0. With value -1 it is the coefficient times the value that 'var' has.
 */
struct gpube_term {
	int32_t var, value;
	int64_t coefficient;
};

/*
 * gpube_model_add_linear() - a linear constraint: the sum of the terms is at least, at most or
 * exactly a number.
 * n_terms, terms   the terms, of which several may be about one variable
 * relation, right  how the sum compares with the number 'right'
 * cost             what breaking the constraint costs; GPUBE_INF: it is hard
 * per_unit         0: the cost is due once; otherwise for each unit by which the sum misses 'right'
 * Cost: a chain has a state at each variable for each partial sum that is possible and makes a
 *       difference
 */
GPUBE_API int gpube_model_add_linear(struct gpube_model *m, int32_t n_terms,
	const struct gpube_term *terms, enum gpube_relation relation, int64_t right, int64_t cost,
	int per_unit);

/*
 * gpube_model_add_all_different() - no two variables have the same value.
 * n, vars           the variables
 * n_except, except  values that several variables may have; NULL with n_except 0
 * cost              of each pair of variables with the same value; GPUBE_INF: it is hard
 * Cost: n (n - 1) / 2 tables of two variables
 */
GPUBE_API int gpube_model_add_all_different(struct gpube_model *m, int n, const int32_t *vars,
	int n_except, const int32_t *except, int64_t cost);

/* At least 'least' and at most 'most' of some variables have the value. */
struct gpube_occurrences {
	int32_t value;
	int32_t least, most;
};

/*
 * gpube_model_add_gcc() - a global cardinality constraint: how often each of some values occurs.
 * n, vars           the variables
 * n_counts, counts  values, none of them twice, with 0 <= least <= most; other values may occur as
 *                   often as they like
 * cost              for each variable too many, or too few, that has one of these values;
 *                   GPUBE_INF: it is hard
 * Cost: a table, or a chain for each of these values
 * Source: Régin, AAAI 1996
 */
GPUBE_API int gpube_model_add_gcc(struct gpube_model *m, int n, const int32_t *vars, int n_counts,
	const struct gpube_occurrences *counts, int64_t cost);

/*
 * gpube_model_add_among() - at least 'least' and at most 'most' of the variables have one of some
 * values.
 * n, vars           the variables
 * n_values, values  the values
 * least, most       0 <= least <= most
 * cost              for each variable too many or too few; GPUBE_INF: it is hard
 */
GPUBE_API int gpube_model_add_among(struct gpube_model *m, int n, const int32_t *vars, int n_values,
	const int32_t *values, int32_t least, int32_t most, int64_t cost);

/* A state in which an automaton may begin or end, and what that costs. */
struct gpube_state {
	int32_t state;
	int64_t cost;
};

/* A transition of an automaton: from a state, when it reads the value, to a state, at a cost. */
struct gpube_transition {
	int32_t from, value, to;
	int64_t cost;
};

/*
 * gpube_model_add_regular() - a regular constraint: an automaton reads the values of the variables,
 * one after the other. The cost is the least one of all its runs (the greatest, if the model is
 * maximised); an assignment that it cannot read is forbidden.
 * n, vars                     the variables, in the order in which they are read
 * n_states                    states are 0 to n_states - 1
 * n_starts, starts            the states in which a run may begin
 * n_ends, ends                the states in which it may end
 * n_transitions, transitions  a state and a value may lead to several states
 * Cost: a chain. Of a deterministic automaton it has at most n_states states at each variable; one
 *       with choices may need more
 * Source: Pesant, CP 2004
 */
GPUBE_API int gpube_model_add_regular(struct gpube_model *m, int n, const int32_t *vars,
	int32_t n_states, int n_starts, const struct gpube_state *starts, int n_ends,
	const struct gpube_state *ends, int64_t n_transitions,
	const struct gpube_transition *transitions);

/*
 * gpube_model_add_global() - a function that a .wcsp file names by a keyword, such as "salldiff" or
 * "wsum".
 * keyword       as in the file
 * arity, scope  the variables
 * parameters    what follows the keyword in the file, such as "var 10", separated by blanks. Costs
 *               that reach the model's top forbid, and so does "inf". Variables in it are indices
 *               in the model
 * Source: toulbar2's page on its file formats, which has all keywords; of wregular, wamong and
 *         others whose cost is of each unit, that cost
 */
GPUBE_API int gpube_model_add_global(struct gpube_model *m, const char *keyword, int arity,
	const int32_t *scope, const char *parameters);

/*
 * gpube_model_add_bounded() - forbids the assignments that cost less than 'low', or 'high' or more,
 * in another model.
 * arity, scope  the variables
 * inner         a model of costs, whose variable k stands for scope[k] and has as many values. It
 *               is only read, and may be freed afterwards
 * low, high     in units of 10^-scale of that model
 * Cost: one table of all assignments of the scope, at most 2^24
 */
GPUBE_API int gpube_model_add_bounded(struct gpube_model *m, int arity, const int32_t *scope,
	const struct gpube_model *inner, int64_t low, int64_t high);

#ifdef __cplusplus
}
#endif

#endif
