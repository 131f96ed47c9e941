/*
 * elimination.h - an elimination without tables: which variables each message has. For
 * pictures of it, for tree decompositions, and for the buckets of sums.
 */
#ifndef GPUBE_ELIMINATION_H
#define GPUBE_ELIMINATION_H

#include "gpube/ir/graph.h"

/*
 * position  by variable: its place in the order
 * scope     of the message of the variable at position k: scope[at[k]] to
 *           scope[at[k + 1] - 1], positions, ascending; it goes to the first of them
 */
struct gpube_elimination {
	int32_t n;
	int32_t *position;
	int64_t *at; /* n + 1 */
	int32_t *scope;
	int64_t scope_capacity;
};

/*
 * gpube__eliminate_graph() - along a permutation of the vertices.
 * Cost:   memory of the sum of all scopes: n times the width at most
 * Errors: ENOMEM, ESTOP, after which there is something to clear, too
 */
int gpube__eliminate_graph(struct gpube_elimination *e, struct gpube_ctx *ctx,
	const struct gpube_graph *g, const int32_t *order);
void gpube__elimination_clear(struct gpube_elimination *e, struct gpube_ctx *ctx);

static inline int64_t gpube__n_scope(const struct gpube_elimination *e, int32_t k)
{
	return e->at[k + 1] - e->at[k];
}

/* The position that the message of the one at k goes to, or -1. */
static inline int32_t gpube__message_to(const struct gpube_elimination *e, int32_t k)
{
	return gpube__n_scope(e, k) ? e->scope[e->at[k]] : -1;
}

/*
 * The cluster at k is its variable with its message's. It lies in that of a child c if
 * c's message is all of it; into[k] is then that child's, otherwise k: the cluster of
 * lowest position that holds it.
 */
void gpube__elimination_clusters(int32_t *into, const struct gpube_elimination *e);

#endif
