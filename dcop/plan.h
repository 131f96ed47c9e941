/*
 * plan.h - what every rank works out in the same way before the first message:
 * the pseudo-tree, who eliminates what when, and which tables travel where.
 */
#ifndef DCOP_PLAN_H
#define DCOP_PLAN_H

#include "dcop/dcop.h"
#include "gpube/simplify/simplify.h"

/*
 * Positions are those of the elimination order: agents from the leaves to the
 * roots, an agent's variables next to each other at first[a] … first[a] + n_own[a] - 1.
 */
struct dcop_plan {
	struct gpube_ctx *ctx;
	const struct gpube_model *given, *costs; /* costs: of potentials, quantised */
	struct gpube_model *quantised;
	struct gpube_simplified s; /* without reductions: its variables are those given */
	const struct gpube_model *m;
	struct dcop_agents own_agents;
	const struct dcop_agents *agents;
	struct gpube_graph variables, graph; /* graph: of the agents */
	struct dcop_pseudotree *tree;
	double seconds_tree;
	int32_t *order;
	int32_t *first, *n_own; /* per agent */
	int32_t *agent_at;      /* per position */
	int64_t *child_at;      /* n + 1: children of a: child[child_at[a]] … */
	int32_t *child;
	int64_t *separator_at; /* n + 1: variables of ancestors */
	int32_t *separator;
	struct gpube_mbe mbe;
	int64_t *sends_at; /* n + 1: minis whose tables are in a's UTIL message, ascending */
	int32_t *sends;
	int32_t *rank; /* per agent: who hosts it */
	int32_t width, height;
};

/*
 * dcop__plan_init() - everything above; s.infeasible: nothing beyond the simplified model.
 * Errors: EINVAL, ERANGE, ENOMEM, ELIMIT
 */
int dcop__plan_init(struct dcop_plan *p, const struct gpube_model *m, const struct dcop_opts *opts,
	struct dcop_world *world);
void dcop__plan_clear(struct dcop_plan *p);

/* Agents that share a function are joined. Errors: ENOMEM */
int dcop__agent_graph(struct gpube_graph *out, struct gpube_ctx *ctx, const struct gpube_graph *g,
	const struct dcop_agents *a);

/*
 * dcop__local_order() - the order in which agent 'a' eliminates its variables: always one whose
 * message has fewest cells, of what its functions and its children's messages make adjacent.
 * vars  in: the agent's variables; out: in that order
 * Errors: ENOMEM
 */
int dcop__local_order(const struct dcop_plan *p, int32_t a, int32_t *vars, int32_t n);

#endif
