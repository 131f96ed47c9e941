/*
 * graph.h - the functions of each variable, the primal graph of a model, and what is a permutation
 * of its vertices.
 */
#ifndef GPUBE_GRAPH_H
#define GPUBE_GRAPH_H

#include "gpube/ir/model.h"

/* Functions of each variable: of[start[i]] … of[start[i + 1] - 1], ascending. */
struct gpube_incidence {
	int64_t *start; /* n_vars + 1 */
	int32_t *of;
};

/* Errors: ENOMEM, after which there is something to clear, too */
int gpube__incidence_of_model(struct gpube_incidence *in, const struct gpube_model *m);
void gpube__incidence_clear(struct gpube_ctx *ctx, struct gpube_incidence *in);

/*
 * Disjoint sets of 0 … n - 1, by parents: each by itself; the root of one's set, which is its least
 * member; two become one.
 */
void gpube__sets_begin(int32_t *parent, int32_t n);
int32_t gpube__set_root(int32_t *parent, int32_t i);
void gpube__sets_join(int32_t *parent, int32_t i, int32_t j);

/*
 * Variables are joined by an edge when a function has both in its scope.
 * Neighbours of i: adjacent[start[i]] … adjacent[start[i+1]-1], ascending.
 */
struct gpube_graph {
	int32_t n;
	int64_t *start;    /* n + 1 */
	int32_t *adjacent; /* start[n] */
	int32_t *domain;   /* n */
};

/* Errors: ELIMIT (functions of so many variables that it passes the memory allowed), ESTOP, ENOMEM.
 * The graph owns its arrays. */
int gpube__graph_of_model(struct gpube_graph *g, const struct gpube_model *m);
void gpube__graph_clear(struct gpube_ctx *ctx, struct gpube_graph *g);

/* component[i] in [0, return value): the connected component of each vertex, by first vertex. */
int32_t gpube__graph_components(
	struct gpube_ctx *ctx, const struct gpube_graph *g, int32_t *component);
/* The same without the graph, whose edges are quadratic in the largest scope. */
int32_t gpube__model_components(const struct gpube_model *m, int32_t *component);

/*
 * gpube__invert_order() - the place of each of 0 to n - 1 in an order of them.
 * Errors: EINVAL (not a permutation)
 */
int gpube__invert_order(struct gpube_ctx *ctx, int32_t *position, const int32_t *order, int32_t n);
/* Errors: EINVAL (not a permutation of 0 to n - 1), ENOMEM */
int gpube__check_permutation(struct gpube_ctx *ctx, const int32_t *order, int32_t n);

#endif
