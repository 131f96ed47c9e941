/*
 * dpop.h - distributed constraint optimisation: DPOP and ADPOP by agents that own variables and
 * exchange messages on a pseudo-tree. Public; include after gpube.h.
 *
 * A depth-first search arranges the agents in a pseudo-tree. Every agent joins the cost tables of
 * its functions with those that its children have sent, eliminates its own variables and sends the
 * result to its parent (a UTIL message); then values come back from the root (VALUE messages). A
 * tree of n agents takes n - 1 messages of each kind. With a bound z agents split what they join
 * into mini-buckets (ADPOP).
 *
 * Agents are simulated in this process, several at a time on the context's threads. Each has a
 * clock that advances by its own work, and a message sets the clock of its receiver forward to that
 * of its sender: the last clock is the simulated run time (Sultanik, Modi and Regli, IJCAI 2007).
 *
 * Source: Petcu and Faltings, IJCAI 2005 (DPOP) and CP 2005 (ADPOP); Fioretto, Pontelli, Yeoh and
 * Dechter, Constraints 23, 2018.
 */
#ifndef GPUBE_DPOP_H
#define GPUBE_DPOP_H

#include "gpube/gpube.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Which neighbour the depth-first search visits next, and which agent is the root of a tree where
 * none is given. Ties: the smallest index.
 */
enum gpube_pseudotree {
	GPUBE_PSEUDOTREE_AUTO,       /* BEST; of a distributed search MAX_DEGREE */
	GPUBE_PSEUDOTREE_MIN_DEGREE, /* fewest neighbours */
	GPUBE_PSEUDOTREE_MAX_DEGREE,
	GPUBE_PSEUDOTREE_MIN_ID,
	GPUBE_PSEUDOTREE_MAX_ID,
	GPUBE_PSEUDOTREE_MIN_NAME, /* by bytes; without names, the index in decimal */
	GPUBE_PSEUDOTREE_MAX_NAME,
	/* the smallest induced width of all of these from every root, and of random searches */
	GPUBE_PSEUDOTREE_BEST,
};

/*
 * An agent: its place in the pseudo-tree, and what it did.
 * name            or NULL
 * parent          -1: a root
 * depth           agents above it
 * tree            number of its tree
 * rank            of gpube-mpi that hosted it; otherwise 0
 * pseudo_parents  ancestors other than the parent that it shares functions with
 * n_vars          variables that it owns
 * separator       variables of ancestors that it or its descendants share functions with
 * n_tables        in its UTIL message, those for ancestors further up included; util_bytes: of
 *                 that message
 * clock           when it was done, seconds of simulated time; seconds_…: of its own work
 */
struct gpube_dpop_agent {
	const char *name;
	int32_t parent, depth, tree, rank, n_vars, separator;
	int32_t n_pseudo_parents;
	const int32_t *pseudo_parents;
	int32_t n_tables;
	uint64_t util_bytes;
	double seconds_util, seconds_value, clock;
};

/*
 * What gpube_dpop() knows at its end.
 * answer        OPTIMAL: cost is the optimum; INFEASIBLE; INCOMPLETE: stopped, or ADPOP, and the
 *               optimum is between bound and cost
 * stopped       1: the run was stopped before its end. Then bound, cost and values are the better
 *               of what the agents have proved and what gpube_bound() finds in a moment, and the
 *               clocks and seconds of agents are 0
 * bounded       1: 'bound' is set, in units of 10^-scale: no assignment is better
 * cost          of 'values', in units of 10^-scale, of potentials -ln; undefined without values
 * values        n_vars value indices of the model, or NULL
 * log_value     potentials: ln of the product at 'values'
 * owner         the agent of each variable; NULL where the model was settled without agents
 * height        agents on the longest path from a root, at least 1
 * width         of the order in which agents eliminate their variables: the most variables of a
 *               message
 * n_split       buckets that were split into mini-buckets; z: as in the options
 * joined_cells  of all agents; largest_cells: of the largest table of a message
 * …_messages    between agents; bytes as they would be sent: a header of 40, UTIL 4 a table and 4
 *               or 8 (cell_bytes) a cell, VALUE 8 a value
 * simulated_seconds  the last clock
 * tree          the rule that was taken; n_searched: pseudo-trees that were compared
 * tree_…        of distributed_dfs, otherwise 0: its messages, of which token_messages are the
 *               token's, and bytes (a header of 40; 4 an index or a degree, a name's own; the
 *               visited agents, 4 each), rounds in which they were delivered, and the last agent's
 *               clock when it is done, which simulated_seconds do not contain
 * n_workers     most agents that work at the same time
 * seconds_tree  for the pseudo-tree; seconds_plan: with every agent's plan; seconds_run: for the
 *               messages
 */
struct gpube_dpop_result {
	enum gpube_answer answer;
	int stopped, bounded;
	int64_t bound, cost;
	int scale;
	double log_value;
	int32_t n_vars;
	int32_t *values, *owner;
	int32_t n_agents;
	struct gpube_dpop_agent *agents;
	int32_t n_trees, height, width, n_split, z;
	enum gpube_pseudotree tree;
	int64_t n_searched, tree_messages, token_messages, tree_rounds;
	uint64_t tree_bytes, largest_tree_bytes;
	double tree_seconds;
	double joined_cells, largest_cells;
	int cell_bytes;
	int64_t util_messages, value_messages;
	uint64_t total_bytes, largest_bytes;
	double simulated_seconds;
	const char *backend;
	int n_workers;
	double seconds_tree, seconds_plan, seconds_run;
};

/*
 * gpube_dpop() - the optimum, or with z bounds of it, by agents on a pseudo-tree. Tables, bounds
 * and costs are those of (mini-)bucket elimination along the same order; the assignment is priced
 * again from the model's tables.
 * opts    NULL: defaults
 *         agents (a file of pairs VARIABLE AGENT, variables by name or index, either may stand
 *         between two '"', and '#' begins a comment; "none": every variable is one; without: as
 *         the model's file says); a variable of which nothing is said is its own agent. In its
 *         place owner (the agent of each variable; of 0 to the greatest each owns one) and
 *         agent_names. tree, distributed_dfs, root, tries and seed. z (ADPOP: most variables of a
 *         joined mini-bucket; 0: DPOP), partition and no_match. backend, agent_threads, latency,
 *         timeout, precision
 *         distributed_dfs: the pseudo-tree is built by the agents' messages instead of a central
 *         search, and each knows its neighbours alone. They elect the root, from which a token with
 *         the set of the visited agents goes depth first; the tree is that of the central search
 *         by the same rule. tree auto is then max-degree (the most connected), and best is refused,
 *         since agents cannot compare whole trees
 * Cost:   the joined cells; every table of a message is kept until values have come back
 * Errors: EINVAL, EIO, EPARSE (agents), ERANGE, ENOMEM, ELIMIT (tables do not fit), ENODEV, ECUDA,
 *         EBUG: *out is NULL. ESTOP (a stop or a time limit, and the moment after it settles
 *         nothing): *out is what is known
 * Example: examples/distributed.c
 */
GPUBE_API int gpube_dpop(
	struct gpube_dpop_result **out, const struct gpube_model *m, const struct gpube_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
