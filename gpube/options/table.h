/*
 * table.h - the options of the library: one row makes the field of struct gpube_opts, what
 * gpube_opts_set() takes, the keyword of Python, and of those for the command line the line of
 * --help and of the man page and the completion.
 *
 *   X(section, type, field, name, letter, default, lo, hi, argument, calls, help)
 *
 * section   a heading of --help
 * type      FLAG     int, 0 or 1; a text is yes or no
 *           INT      int               LONG   int64_t
 *           REAL     double            TIME   double seconds, 90s, 5m or 1h
 *           SIZE     uint64_t bytes, 512M or 8G
 *           TEXT     const char *
 *           CHOICE   int: index of the word in 'argument'
 *           TOTAL    int64_t of the model's costs, and has_FIELD
 *           NUMBERS  const int32_t *, and n_FIELD; a text is 3,0,2
 *           CALL     a gpube_FIELD_fn *, and FIELD_arg; there is no text
 * name      with '_'; '-' is taken for it
 * letter    the short name on the command line, or 0
 * default   as it would be typed; NULL: 0, or no text
 * lo, hi    the range of a number (hi GPUBE__NO_END: no upper end)
 * argument  what help calls the value; CHOICE: its words as a|b|c
 * calls     the functions that take it, and GPUBE__ON_CLI: the commands that call them do, too
 *
 * Two rows may have one name, if no call takes both: a method of one call is none of another's.
 * Weighed and rejected: a struct of options for each call, filled from texts (ten structs that
 * repeat fields, and code that copies from one to the other), and a list of names and texts that
 * each call looks through (nothing is typed, and mistakes are found late).
 */
#ifndef GPUBE_OPTIONS_TABLE_H
#define GPUBE_OPTIONS_TABLE_H

#include "gpube/options/words.h"
#include "gpube/options/options.h"

#define GPUBE__NO_END INT64_MAX

/* The calls that take options; gpube__option_calls has their names in this order. */
enum gpube__call {
	GPUBE__ON_CTX = 1 << 0,
	GPUBE__ON_SOLVE = 1 << 1,
	GPUBE__ON_BOUND = 1 << 2,
	GPUBE__ON_CERTIFY = 1 << 3,
	GPUBE__ON_REPARAM = 1 << 4,
	GPUBE__ON_PLAN = 1 << 5,
	GPUBE__ON_COUNT = 1 << 6,
	GPUBE__ON_LIST = 1 << 7,
	GPUBE__ON_HEURISTIC = 1 << 8,
	GPUBE__ON_INFER = 1 << 9,
	GPUBE__ON_COMPILE = 1 << 10,
	GPUBE__ON_MMAP = 1 << 11,
	GPUBE__ON_READ = 1 << 12,
	GPUBE__ON_WRITE = 1 << 13,
	GPUBE__ON_DPOP = 1 << 14,
	GPUBE__ON_CSG = 1 << 15,
	GPUBE__ON_AUCTION = 1 << 16,
	GPUBE__ON_NASH = 1 << 17,
	GPUBE__ON_NASH_COMPONENTS = 1 << 18,
	GPUBE__ON_NASH_GENERATE = 1 << 19,
	GPUBE__ON_SOLVER_RUN = 1 << 20,
	GPUBE__ON_MODEL_AS = 1 << 21,
	GPUBE__ON_COALITIONS_GENERATE = 1 << 22,
	GPUBE__ON_AUCTION_GENERATE = 1 << 23,
	GPUBE__N_CALLS = 24,
	GPUBE__ON_CLI = 1 << 30,
};

/* Those that prove bounds; all that eliminate costs; all that order; sums. */
#define GPUBE__ON_BOUNDS   (GPUBE__ON_BOUND | GPUBE__ON_CERTIFY | GPUBE__ON_REPARAM)
#define GPUBE__ON_PROVES   (GPUBE__ON_SOLVE | GPUBE__ON_BOUNDS)
#define GPUBE__ON_COSTS_OF (GPUBE__ON_PROVES | GPUBE__ON_PLAN | GPUBE__ON_COUNT)
#define GPUBE__ON_SUMS     (GPUBE__ON_INFER | GPUBE__ON_COMPILE | GPUBE__ON_MMAP)
#define GPUBE__ON_ORDERS                                                                           \
	(GPUBE__ON_COSTS_OF | GPUBE__ON_LIST | GPUBE__ON_HEURISTIC | GPUBE__ON_SUMS)
#define GPUBE__ON_GENERATE                                                                         \
	(GPUBE__ON_NASH_GENERATE | GPUBE__ON_COALITIONS_GENERATE | GPUBE__ON_AUCTION_GENERATE)
#define GPUBE__ON_TIMED                                                                            \
	(GPUBE__ON_COSTS_OF | GPUBE__ON_LIST | GPUBE__ON_SUMS | GPUBE__ON_DPOP | GPUBE__ON_CSG |   \
		GPUBE__ON_AUCTION | GPUBE__ON_NASH | GPUBE__ON_NASH_COMPONENTS |                   \
		GPUBE__ON_SOLVER_RUN)

enum gpube__opt_section {
	GPUBE__SECTION_BOUNDS,
	GPUBE__SECTION_ELIMINATION,
	GPUBE__SECTION_LIST,
	GPUBE__SECTION_REPARAM,
	GPUBE__SECTION_SUMS,
	GPUBE__SECTION_AGENTS,
	GPUBE__SECTION_GAMES,
	GPUBE__SECTION_READING,
	GPUBE__SECTION_WRITING,
	GPUBE__SECTION_MACHINE,
};

#define GPUBE__OPTS_BOUNDS(X)                                                                      \
	X(BOUNDS, CHOICE, method, "method", 0, "auto", 0, 0, GPUBE__WORDS_METHOD,                  \
		GPUBE__ON_PROVES | GPUBE__ON_CLI,                                                  \
		"auto: all methods in turns; mbe: mini-buckets; arc: soft arc consistency; "       \
		"ascent: dual ascent on a region graph; tree: hybrid best-first branch and "       \
		"bound; pairwise: branch and bound on pairwise-consistent subproblems; andor: "    \
		"AND/OR search on a join graph; eliminate: bucket elimination; semidefinite: "     \
		"branch and bound on a semidefinite relaxation of functions of two variables, "    \
		"which needs LAPACK; linear: branch and bound on linear programs with cliques, "   \
		"or with cycles of two-valued variables, which needs Clp")                         \
	X(BOUNDS, CHOICE, regions, "regions", 0, "auto", 0, 0, GPUBE__WORDS_REGIONS,               \
		GPUBE__ON_PROVES | GPUBE__ON_CLI,                                                  \
		"the region graph of method ascent: joins, a join graph of mini-buckets; "         \
		"nested, pairs, triples and quads of variables, made for GPUs; auto: joins")       \
	X(BOUNDS, TOTAL, cutoff, "cutoff", 0, NULL, 0, 0, "COST",                                  \
		GPUBE__ON_PROVES | GPUBE__ON_SOLVER_RUN | GPUBE__ON_PLAN | GPUBE__ON_HEURISTIC,    \
		"prune what is not better than COST")                                              \
	X(BOUNDS, NUMBERS, values, "values", 0, NULL, 0, INT32_MAX, "LIST", GPUBE__ON_PROVES,      \
		"a known assignment: a value index for each variable of the model")                \
	X(BOUNDS, CALL, progress, "progress", 0, NULL, 0, 0, NULL,                                 \
		GPUBE__ON_COSTS_OF | GPUBE__ON_SOLVER_RUN,                                         \
		"called when bound or assignment improve, and after each turn of a method")        \
	X(BOUNDS, TEXT, checkpoint, "checkpoint", 0, NULL, 0, 0, "FILE",                           \
		GPUBE__ON_SOLVE | GPUBE__ON_CLI,                                                   \
		"write the state of the run to FILE when it is stopped, so that it can "           \
		"be resumed")                                                                      \
	X(BOUNDS, TIME, checkpoint_every, "checkpoint_every", 0, "5m", 0, GPUBE__NO_END, "TIME",   \
		GPUBE__ON_SOLVE | GPUBE__ON_CLI,                                                   \
		"also write the checkpoint each time that this long has passed; 0: only "          \
		"when the run is stopped")                                                         \
	X(BOUNDS, TEXT, resume, "resume", 0, NULL, 0, 0, "FILE", GPUBE__ON_SOLVE | GPUBE__ON_CLI,  \
		"continue a run of the same model from a checkpoint, on any number of "            \
		"threads")                                                                         \
	X(BOUNDS, INT, z, "z", 0, "0", 0, 1000000, "N",                                            \
		GPUBE__ON_BOUNDS | GPUBE__ON_DPOP | GPUBE__ON_CLI,                                 \
		"most variables of a joined mini-bucket; 0: increased from 2 on, for "             \
		"agents: no limit")                                                                \
	X(BOUNDS, CHOICE, partition, "partition", 0, "scope", 0, 0, GPUBE__WORDS_PARTITION,        \
		GPUBE__ON_BOUNDS | GPUBE__ON_CLI,                                                  \
		"how a bucket is partitioned: scope, larger scopes first, each to the "            \
		"mini-bucket whose scope grows least; first, each to the first mini-bucket that "  \
		"it fits; merge, by joining the two smallest that fit until none do")              \
	X(BOUNDS, FLAG, no_match, "no_match", 0, NULL, 0, 1, NULL,                                 \
		GPUBE__ON_BOUNDS | GPUBE__ON_HEURISTIC | GPUBE__ON_DPOP | GPUBE__ON_CLI,           \
		"do not move costs between the mini-buckets of a bucket (moment "                  \
		"matching)")                                                                       \
	X(BOUNDS, CHOICE, split, "split", 0, "auto", 0, 0, GPUBE__WORDS_SPLIT,                     \
		GPUBE__ON_BOUNDS | GPUBE__ON_CLI,                                                  \
		"when branching follows the ascent on regions: auto, once the ascent is "          \
		"slow; never; first, at once; proofs of steps branch in the same way")             \
	X(BOUNDS, FLAG, no_eliminate, "no_eliminate", 0, NULL, 0, 1, NULL,                         \
		GPUBE__ON_BOUNDS | GPUBE__ON_CLI, "do not eliminate: only bounds and branching")   \
	X(BOUNDS, CHOICE, heuristic_method, "method", 0, "mbe", 0, 0, GPUBE__WORDS_HEURISTIC,      \
		GPUBE__ON_HEURISTIC,                                                               \
		"mbe: mini-buckets; shift: mini-buckets after cost shifting on their join "        \
		"graph; costs: no tables, only the costs of the assigned functions")               \
	X(BOUNDS, CHOICE, plain_partition, "partition", 0, "scope", 0, 0, "scope|first",           \
		GPUBE__ON_HEURISTIC | GPUBE__ON_DPOP,                                              \
		"how buckets are split: largest scope first, each where the joined scope grows "   \
		"least, or each where it first fits")                                              \
	X(BOUNDS, INT, ibound, "ibound", 0, "0", 0, 999999, "N",                                   \
		GPUBE__ON_HEURISTIC | GPUBE__ON_LIST,                                              \
		"most variables of a message that joins several tables; 0: the largest whose "     \
		"tables take a few seconds and a quarter of the memory")                           \
	X(BOUNDS, TIME, shift_seconds, "shift_time", 0, NULL, 0, GPUBE__NO_END, "TIME",            \
		GPUBE__ON_HEURISTIC,                                                               \
		"method shift: most time for cost shifting; 0: until it gains little")

#define GPUBE__OPTS_ELIMINATION(X)                                                                 \
	X(ELIMINATION, CHOICE, order_method, "order", 0, "auto", 0, 0, GPUBE__WORDS_ORDER,         \
		GPUBE__ON_ORDERS | GPUBE__ON_CLI,                                                  \
		"how the elimination order is found; auto tries all, restarts and improves")       \
	X(ELIMINATION, NUMBERS, order, "order", 0, NULL, 0, INT32_MAX, "LIST", GPUBE__ON_ORDERS,   \
		"the elimination order: all variables of the model, the one that is eliminated "   \
		"first in front")                                                                  \
	X(ELIMINATION, TIME, order_seconds, "order_time", 0, NULL, 0, GPUBE__NO_END, "TIME",       \
		GPUBE__ON_ORDERS | GPUBE__ON_CLI,                                                  \
		"search for an order this long; 0: as long as it pays")                            \
	X(ELIMINATION, LONG, seed, "seed", 0, "0", 0, GPUBE__NO_END, "N",                          \
		GPUBE__ON_ORDERS | GPUBE__ON_DPOP | GPUBE__ON_GENERATE | GPUBE__ON_CLI,            \
		"seed of the random numbers, such as those of the search for an order")            \
	X(ELIMINATION, CHOICE, backend, "backend", 0, "auto", 0, 0, GPUBE__WORDS_BACKEND,          \
		GPUBE__ON_CSG | GPUBE__ON_NASH | GPUBE__ON_ORDERS | GPUBE__ON_DPOP |               \
			GPUBE__ON_CLI,                                                             \
		"where tables are eliminated; auto decides by predicted time and memory")          \
	X(ELIMINATION, FLAG, no_simplify, "no_simplify", 0, NULL, 0, 1, NULL,                      \
		GPUBE__ON_COSTS_OF | GPUBE__ON_HEURISTIC | GPUBE__ON_CLI,                          \
		"eliminate the model as it was read")                                              \
	X(ELIMINATION, INT, precision, "precision", 0, "0", 0, 12, "N",                            \
		GPUBE__ON_COSTS_OF | GPUBE__ON_LIST | GPUBE__ON_HEURISTIC | GPUBE__ON_WRITE |      \
			GPUBE__ON_DPOP | GPUBE__ON_CLI,                                            \
		"decimals to which -ln of a .uai potential is rounded; 0: as many as are safe")    \
	X(ELIMINATION, TIME, timeout_seconds, "timeout", 0, NULL, 0, GPUBE__NO_END, "TIME",        \
		GPUBE__ON_TIMED | GPUBE__ON_CLI,                                                   \
		"stop after this time, such as 90, 90s, 5m or 1h; 0: never")                       \
	X(ELIMINATION, FLAG, count, "count", 0, NULL, 0, 1, NULL, GPUBE__ON_SOLVE | GPUBE__ON_CLI, \
		"count the optimal assignments, too")                                              \
	X(ELIMINATION, FLAG, no_slices, "no_slices", 0, NULL, 0, 1, NULL,                          \
		GPUBE__ON_SOLVE | GPUBE__ON_PLAN | GPUBE__ON_COUNT | GPUBE__ON_CLI,                \
		"refuse what does not fit the memory, instead of doing it in slices")

#define GPUBE__OPTS_LIST(X)                                                                        \
	X(LIST, LONG, most, "most", 'n', "1000", 1, INT32_MAX, "N",                                \
		GPUBE__ON_LIST | GPUBE__ON_CLI, "list at most N assignments, the best ones")       \
	X(LIST, INT, distance, "distance", 0, "1", 1, INT32_MAX, "N",                              \
		GPUBE__ON_LIST | GPUBE__ON_CLI,                                                    \
		"each assignment is the best of those that differ in at least N variables from "   \
		"all before it")                                                                   \
	X(LIST, TOTAL, limit, "limit", 0, NULL, 0, 0, "COST", GPUBE__ON_LIST,                      \
		"list only what is not worse than COST; with the optimum, all optima")

#define GPUBE__OPTS_REPARAM(X)                                                                     \
	X(REPARAM, INT, max_arity, "max_arity", 0, "3", 2, 16, "N",                                \
		GPUBE__ON_REPARAM | GPUBE__ON_CLI,                                                 \
		"most variables of a function that is added to improve the bound; 2: only "        \
		"functions of two variables")                                                      \
	X(REPARAM, INT, max_tables, "max_tables", 0, "0", 0, INT32_MAX, "N",                       \
		GPUBE__ON_REPARAM | GPUBE__ON_CLI,                                                 \
		"most functions of three variables that are added: those that contribute most "    \
		"to the bound; 0: no limit")                                                       \
	X(REPARAM, REAL, max_cells, "max_cells", 0, "2e6", 0, 1000000000000, "X",                  \
		GPUBE__ON_REPARAM | GPUBE__ON_CLI, "most cells of all added functions together")   \
	X(REPARAM, INT, decimals, "decimals", 0, "6", 0, 12, "N",                                  \
		GPUBE__ON_REPARAM | GPUBE__ON_CLI,                                                 \
		"most decimals that costs may have beyond those of the model; more give a "        \
		"better bound")                                                                    \
	X(REPARAM, FLAG, prune, "prune", 0, NULL, 0, 1, NULL, GPUBE__ON_REPARAM | GPUBE__ON_CLI,   \
		"forbid every assignment that is no better than the best one found; the problem "  \
		"then has a solution only if there is a better one")

#define GPUBE__OPTS_SUMS(X)                                                                        \
	X(SUMS, CHOICE, task, "task", 0, "pr", 0, 0, GPUBE__WORDS_TASK,                            \
		GPUBE__ON_INFER | GPUBE__ON_COMPILE,                                               \
		"the sum over all assignments, or the distribution of every variable, too")        \
	X(SUMS, FLAG, bounds, "bounds", 0, NULL, 0, 1, NULL, GPUBE__ON_INFER,                      \
		"where the sum does not fit, or is stopped, bounds of it are no failure")          \
	X(SUMS, NUMBERS, query, "query", 0, NULL, 0, INT32_MAX, "LIST", GPUBE__ON_SUMS,            \
		"variables, none twice: those whose values are maximised, or whose joint "         \
		"distribution is wanted")                                                          \
	X(SUMS, LONG, draw, "draw", 0, "0", 0, GPUBE__NO_END, "N",                                 \
		GPUBE__ON_INFER | GPUBE__ON_COMPILE | GPUBE__ON_CLI,                               \
		"draw N independent assignments, each with its posterior probability; "            \
		"--seed selects the random numbers")

#define GPUBE__OPTS_AGENTS(X)                                                                      \
	X(AGENTS, TEXT, agents, "agents", 0, NULL, 0, 0, "FILE", GPUBE__ON_DPOP | GPUBE__ON_CLI,   \
		"which agent owns which variable, instead of what the model says: pairs "          \
		"VARIABLE AGENT, comments begin with '#', and a variable that is not "             \
		"named is its own agent; none: every variable is an agent")                        \
	X(AGENTS, NUMBERS, owner, "owner", 0, NULL, 0, INT32_MAX, "LIST", GPUBE__ON_DPOP,          \
		"in place of 'agents': the agent of each variable of the model, from 0 on")        \
	X(AGENTS, TEXT, agent_names, "agent_names", 0, NULL, 0, 0, "NAMES", GPUBE__ON_DPOP,        \
		"with 'owner': the names of the agents, a line each")                              \
	X(AGENTS, CHOICE, tree, "tree", 0, "auto", 0, 0, GPUBE__WORDS_PSEUDOTREE,                  \
		GPUBE__ON_DPOP | GPUBE__ON_CLI,                                                    \
		"which neighbour the depth-first search visits next; best: the tree of "           \
		"smallest induced width of all these rules, all roots and random "                 \
		"searches; auto: best")                                                            \
	X(AGENTS, FLAG, distributed_dfs, "distributed_dfs", 0, NULL, 0, 1, NULL,                   \
		GPUBE__ON_DPOP | GPUBE__ON_CLI,                                                    \
		"agents build the pseudo-tree by messages; tree auto is then max-degree")          \
	X(AGENTS, TEXT, root, "root", 0, NULL, 0, 0, "AGENT", GPUBE__ON_DPOP | GPUBE__ON_CLI,      \
		"the root of its tree, by name or index; without: the agent that the rule of the " \
		"tree puts first")                                                                 \
	X(AGENTS, INT, tries, "tries", 0, "200", 0, 1000000000, "N",                               \
		GPUBE__ON_DPOP | GPUBE__ON_CLI, "random searches of tree best")                    \
	X(AGENTS, INT, agent_threads, "agent_threads", 0, "1", 1, 1024, "N",                       \
		GPUBE__ON_DPOP | GPUBE__ON_CLI, "cores that each agent has")                       \
	X(AGENTS, TIME, latency, "latency", 0, NULL, 0, GPUBE__NO_END, "TIME",                     \
		GPUBE__ON_DPOP | GPUBE__ON_CLI, "simulated time that a message takes")

#define GPUBE__OPTS_GAMES(X)                                                                       \
	X(GAMES, CHOICE, csg_method, "method", 0, "auto", 0, 0, GPUBE__WORDS_CSG, GPUBE__ON_CSG,   \
		"auto: lp as long as it is cheaper than conv, then conv; lp: a linear program "    \
		"over all coalitions, then a search among those that it leaves; conv: subset "     \
		"convolutions; dp, idp: dynamic programs over splits of coalitions")               \
	X(GAMES, FLAG, free_disposal, "free_disposal", 0, NULL, 0, 1, NULL, GPUBE__ON_CSG,         \
		"agents may stay out of the structure, at no value, as goods of an auction may "   \
		"stay unsold")                                                                     \
	X(GAMES, TEXT, certificate, "certify", 0, NULL, 0, 0, "FILE",                              \
		GPUBE__ON_CSG | GPUBE__ON_NASH,                                                    \
		"write to FILE a proof that another program can check: of csg by method lp, of "   \
		"nash for more than two players")                                                  \
	X(GAMES, CHOICE, nash_method, "method", 0, "auto", 0, 0, GPUBE__WORDS_NASH,                \
		GPUBE__ON_NASH,                                                                    \
		"how all equilibria are found: eee, branch and bound on "                          \
		"complementarity; ve, vertices of both polytopes; se, supports of equal "          \
		"size; auto: the one that is predicted best, or the first to finish")              \
	X(GAMES, INT, support_size, "support_size", 0, "0", 0, 64, "N",                            \
		GPUBE__ON_NASH | GPUBE__ON_CLI,                                                    \
		"method se: only supports of N actions of each player; 0: of every size")          \
	X(GAMES, FLAG, one, "one", 0, NULL, 0, 1, NULL, GPUBE__ON_NASH | GPUBE__ON_CLI,            \
		"find one equilibrium only: of two players by the Lemke-Howson "                   \
		"algorithm; of more players a pure one or the end of the path of logit "           \
		"equilibria; in extensive form by backward induction, a linear program "           \
		"or the Lemke algorithm")                                                          \
	X(GAMES, FLAG, all_labels, "all_labels", 0, NULL, 0, 1, NULL,                              \
		GPUBE__ON_NASH | GPUBE__ON_CLI,                                                    \
		"with --one: start from every label, and report all equilibria that are "          \
		"reached")                                                                         \
	X(GAMES, FLAG, pure, "pure", 0, NULL, 0, 1, NULL, GPUBE__ON_NASH | GPUBE__ON_CLI,          \
		"find pure equilibria only")                                                       \
	X(GAMES, LONG, max, "max", 0, "0", 0, GPUBE__NO_END, "N", GPUBE__ON_NASH | GPUBE__ON_CLI,  \
		"stop after N equilibria; 0: find all")                                            \
	X(GAMES, FLAG, keep_dominated, "keep_dominated", 0, NULL, 0, 1, NULL,                      \
		GPUBE__ON_NASH | GPUBE__ON_CLI,                                                    \
		"do not remove strictly dominated actions beforehand")                             \
	X(GAMES, INT, digits, "digits", 0, "12", 1, 1000, "N", GPUBE__ON_NASH | GPUBE__ON_CLI,     \
		"decimals of equilibria that are not rational, of games of more than "             \
		"two players")                                                                     \
	X(GAMES, FLAG, normal_form, "normal_form", 0, NULL, 0, 1, NULL,                            \
		GPUBE__ON_NASH | GPUBE__ON_CLI,                                                    \
		"solve the reduced normal form of a game in extensive form")                       \
	X(GAMES, CALL, give, "give", 0, NULL, 0, 0, NULL, GPUBE__ON_NASH,                          \
		"called with each equilibrium as soon as it has been checked; none is kept")       \
	X(GAMES, TEXT, game, "game", 0, "random", 0, 0, "CLASS", GPUBE__ON_NASH_GENERATE,          \
		"random, covariant, zero-sum, win-lose, duplicated, coordination, dispersion, "    \
		"minimum-effort, grab-the-dollar, travelers-dilemma or cyclic-polytope")           \
	X(GAMES, INT, rows, "rows", 0, "20", 1, INT32_MAX, "N", GPUBE__ON_NASH_GENERATE,           \
		"actions of player 1")                                                             \
	X(GAMES, INT, columns, "columns", 0, "0", 0, INT32_MAX, "N", GPUBE__ON_NASH_GENERATE,      \
		"actions of player 2; 0: as many as of player 1")                                  \
	X(GAMES, LONG, range, "range", 0, "100", 1, 1000000000, "N", GPUBE__ON_NASH_GENERATE,      \
		"random payoffs are integers from -N to N; covariant: standard deviation")         \
	X(GAMES, REAL, covariance, "covariance", 0, "0.5", -1, 1, "X", GPUBE__ON_NASH_GENERATE,    \
		"covariant: correlation of the players' payoffs in a profile")                     \
	X(GAMES, LONG, int_payoffs, "int_payoffs", 0, "0", 0, 1000000000, "N",                     \
		GPUBE__ON_NASH_GENERATE,                                                           \
		"draw real payoffs, and round N times each of them to an integer; 0: draw "        \
		"integers")                                                                        \
	X(GAMES, TEXT, parameters, "parameters", 0, NULL, 0, 0, "LIST", GPUBE__ON_NASH_GENERATE,   \
		"a,b,c of minimum-effort, high,middle,low of grab-the-dollar, the reward of "      \
		"travelers-dilemma; by default drawn from the seed")                               \
	X(GAMES, CHOICE, coalition_distribution, "distribution", 0, "uniform", 0, 0,               \
		GPUBE__WORDS_COALITIONS, GPUBE__ON_COALITIONS_GENERATE,                            \
		"distribution of the coalitions' values")                                          \
	X(GAMES, INT, n_agents, "n_agents", 0, "20", 1, 40, "N", GPUBE__ON_COALITIONS_GENERATE,    \
		"number of agents")                                                                \
	X(GAMES, CHOICE, coalition_type, "type", 0, "int32", 0, 0,                                 \
		"int16|int32|int64|float32|float64", GPUBE__ON_COALITIONS_GENERATE,                \
		"type of the values; an integer is 1000 times the value, an int16 10 times, "      \
		"rounded")                                                                         \
	X(GAMES, CHOICE, store, "store", 0, "memory", 0, 0, "memory|device|none",                  \
		GPUBE__ON_COALITIONS_GENERATE,                                                     \
		"where the values are stored; none: nowhere, and they are computed again "         \
		"whenever they are needed")                                                        \
	X(GAMES, CHOICE, auction_distribution, "distribution", 0, "regions", 0, 0,                 \
		GPUBE__WORDS_AUCTIONS, GPUBE__ON_AUCTION_GENERATE, "distribution of the bids")     \
	X(GAMES, INT, goods, "goods", 0, "60", 2, 1000, "N", GPUBE__ON_AUCTION_GENERATE,           \
		"number of goods")                                                                 \
	X(GAMES, INT, bids, "bids", 0, "1000", 1, 1000000, "N", GPUBE__ON_AUCTION_GENERATE,        \
		"number of bids")                                                                  \
	X(GAMES, FLAG, regret, "regret", 0, NULL, 0, 1, NULL, GPUBE__ON_MODEL_AS,                  \
		"of a game as costs: a profile costs what its players could gain, instead of "     \
		"being forbidden")

#define GPUBE__OPTS_READING(X)                                                                     \
	X(READING, CHOICE, kind, "kind", 0, "costs", 0, 0, "costs|potentials|game",                \
		GPUBE__ON_READ,                                                                    \
		"what a file of plain numbers holds that no format claims: game, or otherwise "    \
		"costs, as a .wcsp")                                                               \
	X(READING, CHOICE, from, "from", 0, "auto", 0, 0, "auto|" GPUBE_FORMATS_READ,              \
		GPUBE__ON_READ | GPUBE__ON_CLI,                                                    \
		"format of the input; auto tells it from the content")                             \
	X(READING, TEXT, evidence, "evidence", 0, NULL, 0, 0, "FILE",                              \
		GPUBE__ON_READ | GPUBE__ON_CLI,                                                    \
		"evidence of a .uai model; none: ignore the .evid file beside it, which is read "  \
		"by default")                                                                      \
	X(READING, INT, sample, "sample", 0, "0", 0, INT32_MAX, "K",                               \
		GPUBE__ON_READ | GPUBE__ON_CLI,                                                    \
		"which sample of a file with several samples of evidence is read; 0: the first")   \
	X(READING, INT, colors, "colors", 0, "0", 0, 10000, "K", GPUBE__ON_READ | GPUBE__ON_CLI,   \
		"number of colours, for a graph (.col)")

#define GPUBE__OPTS_WRITING(X)                                                                     \
	X(WRITING, CHOICE, to, "to", 0, "auto", 0, 0, "auto|" GPUBE_FORMATS_WRITTEN,               \
		GPUBE__ON_WRITE | GPUBE__ON_CLI,                                                   \
		"format of the output; auto goes by its name, x.cfn.gz for example")               \
	X(WRITING, FLAG, shift, "shift", 0, NULL, 0, 1, NULL, GPUBE__ON_WRITE | GPUBE__ON_CLI,     \
		"where the format has no negative totals, add a constant to all totals, and "      \
		"report it")                                                                       \
	X(WRITING, FLAG, lossy, "lossy", 0, NULL, 0, 1, NULL, GPUBE__ON_WRITE | GPUBE__ON_CLI,     \
		"change what the format cannot hold until it can, and report what is lost")        \
	X(WRITING, FLAG, check, "check", 0, NULL, 0, 1, NULL, GPUBE__ON_WRITE | GPUBE__ON_CLI,     \
		"read back what was written and compare it, table by table (.lp and .mps row by "  \
		"row), before OUT gets its name")                                                  \
	X(WRITING, FLAG, wide, "wide", 0, NULL, 0, 1, NULL, GPUBE__ON_WRITE,                       \
		"also write what toulbar2 reads as something else, with a note: costs above "      \
		"2^53 and, in a .cfn, a bound between -1 and 0; otherwise that is refused")

#define GPUBE__OPTS_MACHINE(X)                                                                     \
	X(MACHINE, SIZE, memory_bytes, "memory", 0, NULL, 0, GPUBE__NO_END, "SIZE",                \
		GPUBE__ON_CTX | GPUBE__ON_CLI,                                                     \
		"most memory for tables, such as 512M or 8G; 0: what is free, of commands on "     \
		"models half of it")                                                               \
	X(MACHINE, SIZE, device_memory_bytes, "device_memory", 0, NULL, 0, GPUBE__NO_END, "SIZE",  \
		GPUBE__ON_CTX | GPUBE__ON_CLI, "most memory of a GPU for tables; 0: what is free") \
	X(MACHINE, NUMBERS, devices, "devices", 0, NULL, 0, 1000, "LIST",                          \
		GPUBE__ON_CTX | GPUBE__ON_CLI,                                                     \
		"GPUs to use, 0,1 for example: with several, the values of split variables are "   \
		"divided among them")                                                              \
	X(MACHINE, INT, n_threads, "threads", 0, NULL, 1, 1024, "N",                               \
		GPUBE__ON_CTX | GPUBE__ON_CLI, "threads; by default one for each core")            \
	X(MACHINE, CALL, log, "log", 0, NULL, 0, 0, NULL, GPUBE__ON_CTX,                           \
		"called with what the calls report: a struct gpube_log")                           \
	X(MACHINE, CALL, realloc, "realloc", 0, NULL, 0, 0, NULL, GPUBE__ON_CTX,                   \
		"in place of malloc(), realloc() and free()")

#define GPUBE__OPTS(X)                                                                             \
	GPUBE__OPTS_BOUNDS(X)                                                                      \
	GPUBE__OPTS_ELIMINATION(X)                                                                 \
	GPUBE__OPTS_LIST(X)                                                                        \
	GPUBE__OPTS_REPARAM(X)                                                                     \
	GPUBE__OPTS_SUMS(X)                                                                        \
	GPUBE__OPTS_AGENTS(X)                                                                      \
	GPUBE__OPTS_GAMES(X)                                                                       \
	GPUBE__OPTS_READING(X)                                                                     \
	GPUBE__OPTS_WRITING(X)                                                                     \
	GPUBE__OPTS_MACHINE(X)

#endif
