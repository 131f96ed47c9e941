/*
 * dcop.h - distributed constraint optimisation by DPOP and ADPOP: agents that
 * own variables, on a pseudo-tree, exchange UTIL messages (cost tables) towards
 * the root and VALUE messages back.
 *
 * What an agent does in the UTIL phase is (mini-)bucket elimination of its own
 * variables, on the buckets of gpube/relax/mbe/mbe.h: so tables, bounds and costs are
 * those of the centralised algorithm along the same order. A mini-bucket's table
 * goes to the nearest ancestor that owns a variable of it; every agent sends its
 * parent one UTIL message, in which tables for ancestors further up travel
 * along, and each child one VALUE message. A tree of n agents takes n - 1 of each.
 *
 * Simulated run time (Sultanik, Modi and Regli, IJCAI 2007): each agent has a
 * clock. It advances by the time that the agent's own work takes; a message
 * carries its sender's clock, and who receives it sets its clock to that if it is
 * behind. The run took what the last clock shows, whatever the number of cores
 * that simulated it.
 *
 * Source: Petcu and Faltings, IJCAI 2005 (DPOP) and CP 2005 (ADPOP); Fioretto,
 * Pontelli, Yeoh and Dechter, Constraints 23, 2018.
 */
#ifndef DCOP_H
#define DCOP_H

#include "dcop/pseudotree.h"
#include "gpube/ranks/world.h"
#include "gpube/relax/mbe/mbe.h"

/* ---- agents ----------------------------------------------------------------------- */

/* Who owns what. Every agent owns a variable or more. */
struct dcop_agents {
	int32_t n;
	int32_t *owner; /* of each variable */
	char **names;   /* n; an entry may be NULL */
};

/* Every variable its own agent, of its name. Errors: ENOMEM */
int dcop_agents_each(struct dcop_agents *a, const struct gpube_model *m);

/*
 * dcop_agents_of() - the agents that the model's file names; those that own nothing are
 * left out, and a variable of which nothing is said is its own agent. Errors: ENOMEM
 */
int dcop_agents_of(struct dcop_agents *a, const struct gpube_model *m);

/*
 * dcop_agents_read() - an agent map from a text file: pairs VARIABLE AGENT, separated
 * by white space, '#' begins a comment. A variable is its index or name, an agent any
 * word. A variable that is not named is its own agent.
 * Errors: EIO, EPARSE (no such variable, one twice), ENOMEM
 */
int dcop_agents_read(struct dcop_agents *a, const struct gpube_model *m, const char *path);
void dcop_agents_clear(struct gpube_ctx *ctx, struct dcop_agents *a);

/* ---- the run ------------------------------------------------------------------------- */

/*
 * Zero fields take the default.
 * agents         NULL: every variable its own
 * tree           heuristic, root (an agent), tries, seed; its names are ignored
 * z              most variables of a joined mini-bucket (ADPOP); 0: no limit, DPOP
 * first_fit      the partition of the paper's Algorithm 2: each table where it first fits
 * no_match       no cost shifting between an agent's mini-buckets
 * agent_threads  cores of one agent; 0: one
 * latency        seconds that a message takes, in simulated time
 * most_cells     joined cells beyond which nothing is begun (ELIMIT); 0: no limit
 * precision      decimals of -ln(potential); 0: as many as are safe
 * on_table       for tests: called with every mini-bucket's table, from one thread at a time
 */
struct dcop_opts {
	const struct dcop_agents *agents;
	struct dcop_tree_opts tree;
	int z, first_fit, no_match;
	enum gpube_backend backend;
	int agent_threads;
	double latency, timeout_seconds, most_cells;
	int precision;
	void (*on_table)(
		void *arg, const struct gpube_mbe_run *run, int32_t mini, const void *cells);
	void *on_table_arg;
};

/* parent -1: a root. separator: variables of ancestors that its subtree shares functions with. */
struct dcop_agent_report {
	int32_t parent, depth, tree, rank, n_vars, separator;
	int32_t n_tables;    /* in its UTIL message, those it passes on included */
	uint64_t util_bytes; /* of its UTIL message */
	double seconds_util, seconds_value, clock;
};

/*
 * answer      OPTIMAL: cost is the optimum; INFEASIBLE; INCOMPLETE: ADPOP, the
 *             optimum is between bound and cost (cost undefined without values)
 * bound       the roots' totals: no assignment is better; units of 10^-scale. Of a stopped run:
 *             what tables and functions that are left prove, if 'bounded'
 * values      n_vars of the given model, from the VALUE phase, or NULL if they are forbidden
 * log_value   potentials: ln of the product at 'values'
 * …_messages  sent between agents; a message of an agent to itself is none
 * bytes       as they would be sent: a header of 40 bytes; UTIL: 4 bytes a table, and
 *             4 or 8 a cell; VALUE: 8 a value
 */
struct dcop_result {
	enum gpube_answer answer;
	bool bounded;
	int64_t bound, cost;
	int scale;
	double log_value;
	int32_t *values;
	int32_t n_vars, n_agents, n_trees, width, height, n_split;
	int32_t z;
	double joined_cells, largest_cells; /* largest table of a message */
	int cell_bytes;
	int64_t util_messages, value_messages;
	uint64_t total_bytes, largest_bytes;
	double simulated_seconds, seconds_plan, seconds_run;
	int64_t n_searched; /* pseudo-trees */
	enum dcop_heuristic heuristic;
	const char *backend;
	int n_workers;
	struct dcop_traffic traffic;      /* between ranks */
	struct dcop_agent_report *agents; /* n_agents */
	char **names;                     /* n_agents, may have NULL entries */
};

/*
 * dcop_solve() - DPOP or ADPOP; agents are simulated in this process, several at
 * once on the context's threads, or hosted by the ranks of 'world', each of which
 * makes the same call on the same model.
 * out     on rank 0 the result; elsewhere a result without agents, values and bound
 * world   NULL: this process alone
 * Errors: EINVAL, ERANGE, ENOMEM, ENODEV, ECUDA; ELIMIT (tables do not fit); ESTOP (there is a
 *         result all the same, INCOMPLETE, without values); EIO (a rank is silent or sends what it
 *         should not); EBUG
 */
int dcop_solve(struct dcop_result **out, const struct gpube_model *m, const struct dcop_opts *opts,
	struct dcop_world *world);
void dcop_result_free(struct dcop_result *r, struct gpube_ctx *ctx);

/*
 * dcop_tree_of() - the pseudo-tree over the agents of a model alone, as dcop_solve() builds it.
 * agents  NULL: every variable its own, so that the tree is over the variables
 * Errors: EINVAL, ENOMEM
 */
int dcop_tree_of(struct dcop_pseudotree **out, const struct gpube_model *m,
	const struct dcop_agents *agents, const struct dcop_tree_opts *opts);

#endif
