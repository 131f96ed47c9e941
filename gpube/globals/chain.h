/*
 * chain.h - a keyword's function that is too wide for a table, as a chain of small ones over hidden
 * variables. Internal.
 *
 * A machine reads the scope one variable after the other. Its state is a few integers: how often a
 * value has come, a sum, what the states of an automaton cost. Hidden variable i is the state after
 * i variables, function i a table over state i - 1, variable i and state i. States from which every
 * rest costs the same, but for a constant, are one: the constant is paid earlier (the layers are a
 * minimal weighted automaton). So a chain has no more states than any machine for the function in
 * this order of the variables would have, and is as good as a table for what reads it.
 *
 * A machine is deterministic, for two reasons: hidden variables then have one value for each
 * assignment, so that optima are counted right, and a solution is completed without a search. An
 * automaton with choices becomes deterministic by what all its states cost together (wregular).
 * Balanced trees of counters were weighed, too: their tables join two counters each, n^2 cells of a
 * sum where a chain has n times the domain.
 *
 * What is a sum over values (gcc, walldiff, wsame) is a chain for each value: one machine for all
 * of them would have the product of their counts as its states.
 */
#ifndef GPUBE_CHAIN_H
#define GPUBE_CHAIN_H

#include "gpube/globals/intension.h"

/* A table has at most so many cells where a chain would do instead. */
#define GPUBE_TABLE_CELLS ((int64_t)1 << 20)
/*
 * Most transitions of a chain before its states are merged: cells of its tables that are not
 * forbidden.
 */
#define GPUBE_CHAIN_CELLS ((int64_t)1 << 22)
/* And most integers of states. */
#define GPUBE_CHAIN_NUMBERS ((int64_t)1 << 24)
/* The same of all chains of a function, and their hidden variables. */
#define GPUBE_CHAINS_CELLS  ((int64_t)1 << 26)
#define GPUBE_CHAINS_HIDDEN ((int64_t)1 << 20)

/*
 * reads   n positions of the scope, in the order in which they are read
 * width   integers of a state
 * start   those of the first state
 * sign    -1: of a model that is maximised, the costs of steps and ends are negated
 * step    reads a value as variable k of 'reads': changes the state, returns the cost
 * end     the cost of stopping in a state
 * last    NULL, or the value of variable 'last_var', which the machine does not read, that a state
 *         stands for in the end, -1: none; then there is no end
 * others  what machines need: the value or the entry of a list that is counted, what a variable
 *         adds by position, the least and most of what is still to come, scratch
 */
struct gpube_machine {
	const struct gpube_call *call;
	const struct gpube_eval *eval;
	int n;
	int32_t *reads;
	int64_t width;
	int64_t *start;
	int sign;
	__int128 (*step)(struct gpube_machine *m, int64_t *state, int k, int32_t value);
	__int128 (*end)(struct gpube_machine *m, const int64_t *state);
	int32_t (*last)(struct gpube_machine *m, const int64_t *state);
	int32_t last_var;

	const struct gpube_arg *entry;
	int64_t value;
	int32_t *adds;
	int64_t *least, *most;
	__int128 *now, *then;
	bool overflow; /* a state passed 2^63 */
	/* out: where it does not fit, how many there are at least */
	int64_t n_hidden, n_cells;
};

/*
 * gpube__chain() - adds the machine's function to the call's model.
 * fits    out: false if it has more than GPUBE_CHAIN_CELLS transitions or states that do not fit;
 *         then nothing has been added
 * Errors: ELIMIT, ERANGE (a cost), ENOMEM, ESTOP; the sink is told
 */
int gpube__chain(bool *fits, struct gpube_machine *machine);

/*
 * gpube__call_chain() - the call as chains, as gpube__chain().
 * fits    out: false if the keyword has no machine, too
 */
int gpube__call_chain(bool *fits, struct gpube_call *call, const struct gpube_eval *e);

/* In chain_tree.c: "MST" by the depths of the variables in the tree; 'fits' as above. */
int gpube__call_depths(bool *fits, struct gpube_call *call);

/* ", and as chains 59 hidden variables …": why what has too many tuples is not that, either. */
enum { GPUBE_CHAIN_TEXT = 200 };
void gpube__chain_text(char text[GPUBE_CHAIN_TEXT], int64_t n_hidden, int64_t n_cells);

/* A hidden variable of the call's model, the number-th of the chain of function 'at'. */
int gpube__add_hidden(
	int32_t *var, struct gpube_call *call, int64_t domain, int32_t at, int number);

#endif
