/*
 * dcop.h - gpube_dpop() inside (dpop.h says what it does): agents, the run, ranks that host agents.
 *
 * What an agent does in the UTIL phase is (mini-)bucket elimination of its own
 * variables, on the buckets of gpube/relax/mbe/mbe.h: so tables, bounds and costs are
 * those of the centralised algorithm along the same order. A mini-bucket's table
 * goes to the nearest ancestor that owns a variable of it; every agent sends its
 * parent one UTIL message, in which tables for ancestors further up travel
 * along, and each child one VALUE message.
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
 * by white space, '#' begins a comment. A variable is its name or index, an agent any
 * word, and either may stand between two '"'. A variable that is not named is its own agent.
 * Errors: EIO, EPARSE (no such variable, one twice), ENOMEM
 */
int dcop_agents_read(struct dcop_agents *a, const struct gpube_model *m, const char *path);

/*
 * dcop_agents_given() - the agents of n variables, those of the model. names  a line each, or NULL
 * Errors: EINVAL (not of all variables, an agent owns nothing, more names than agents), ENOMEM
 */
int dcop_agents_given(struct dcop_agents *a, const struct gpube_model *m, int32_t n,
	const int32_t *owner, const char *names);
/* EINVAL unless every variable has an agent and every agent a variable. */
int dcop__check_agents(struct gpube_ctx *ctx, const struct dcop_agents *a, int32_t n_vars);
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

/*
 * dcop_solve() - DPOP or ADPOP; agents are simulated in this process, several at
 * once on the context's threads, or hosted by the ranks of 'world', each of which
 * makes the same call on the same model.
 * out     on rank 0 the result; elsewhere a result without agents, values and bound
 * world   NULL: this process alone
 * Errors: EINVAL, ERANGE, ENOMEM, ENODEV, ECUDA; ELIMIT (tables do not fit); ESTOP (there is a
 *         result all the same, INCOMPLETE, without values, with a bound if tables and functions
 *         that are left prove one); EIO (a rank is silent or sends what it should not); EBUG
 */
int dcop_solve(struct gpube_dpop_result **out, const struct gpube_model *m,
	const struct dcop_opts *opts, struct dcop_world *world);

/*
 * dcop_tree_of() - the pseudo-tree over the agents of a model alone, as dcop_solve() builds it.
 * agents  NULL: every variable its own, so that the tree is over the variables
 * Errors: EINVAL, ENOMEM
 */
int dcop_tree_of(struct dcop_pseudotree **out, const struct gpube_model *m,
	const struct dcop_agents *agents, const struct dcop_tree_opts *opts);

#endif
