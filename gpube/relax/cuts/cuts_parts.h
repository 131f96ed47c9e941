/* cuts_parts.h - the parts of the relaxation over cycles: see cuts.h. */
#ifndef GPUBE_CUTS_PARTS_H
#define GPUBE_CUTS_PARTS_H

#include "gpube/base/arrays.h"
#include "gpube/relax/cuts/cuts.h"
#include "gpube/relax/linear/clp.h"
#include "gpube/relax/linear/splits.h"

/* Weights, and rows' prices, at most: no sum of them for an edge passes 2^60. */
#define GPUBE__CUTS_MOST ((int64_t)1 << 42)

/*
 * The graph. Of n variables edge i < n is between vertex i and vertex n, which has its first value;
 * the others follow. Edge e has the values 2 e, not cut, and 2 e + 1, cut.
 */
struct gpube_cuts_graph {
	struct gpube_relaxed of; /* whose variables are the edges */
	int32_t n_vertices, n_edges;
	int32_t *end[2];    /* of each edge */
	int64_t *weight;    /* of each edge, scaled */
	int64_t constant;   /* scaled */
	int32_t *around_at; /* edges at vertex v, but those of weight 0 to vertex n: */
	int32_t *around;    /* around[around_at[v]] … around[around_at[v + 1] - 1] */
	double unit;        /* of weights in the program */
};

int gpube__cuts_make(struct gpube_relaxed **out, const struct gpube_model *m, int64_t cutoff);
void gpube__cuts_free(struct gpube_relaxed *of);

static inline int32_t gpube__other_end(const struct gpube_cuts_graph *p, int32_t edge, int32_t v)
{
	return p->end[0][edge] == v ? p->end[1][edge] : p->end[0][edge];
}

/* Rows: entries at[r] … at[r + 1] - 1, each 2 e, or 2 e + 1 where edge e is of the odd set. */
struct gpube_cuts_rows {
	int32_t n;
	int64_t *at;
	int32_t *entries;
	int32_t *age;   /* rounds in which the row did not bind, one after the other */
	int64_t *price; /* that the last bound took, from 0 on */
	int64_t n_entries, room, age_room, price_room, entry_room;
};

/* An edge more in the last row, or that row's end. Errors: ENOMEM */
int gpube__cuts_entry(struct gpube_ctx *ctx, struct gpube_cuts_rows *rows, int32_t entry);
int gpube__cuts_row(struct gpube_ctx *ctx, struct gpube_cuts_rows *rows);
void gpube__cuts_rows_clear(struct gpube_ctx *ctx, struct gpube_cuts_rows *rows);
/* The size of a row's odd set less one. */
int32_t gpube__cuts_limit(const struct gpube_cuts_rows *rows, int32_t r);

struct gpube_cuts_start {
	struct gpube_relaxed_start of;
	const void *maker;
	int64_t stamp; /* of the maker's rows then */
	struct gpube_cuts_rows rows;
	unsigned char *basis;
};

/* Closed walks: step k is along an edge from its vertex to that of step k + 1, or of step 0. */
struct gpube_cuts_step {
	int32_t vertex, edge;
	bool odd; /* the edge is of the odd set */
};

struct gpube_cuts_walk {
	struct gpube_cuts_step *steps;
	int32_t n;
	int64_t room;
};

struct gpube_cuts_heap_item {
	double length;
	int32_t at;
};

struct gpube_cuts_search {
	struct gpube_cuts_walk walk, cycle;
	int32_t *part, *parent, *depth; /* of each vertex: trees of edges that are whole; parent: */
	char *side;                     /* an edge, or -1; side: beside the root of its tree */
	int32_t *queue;
	int32_t *position;     /* of a vertex in a walk, or -1 */
	int32_t *first, *arcs; /* edges between trees, at each tree */
	double *length;        /* of the shortest path to each tree and side */
	int32_t *from;         /* its last edge, */
	char *crosses;         /* and whether it changes sides with that */
	struct gpube_cuts_heap_item *heap;
	int64_t n_heap, heap_room;
	uint64_t *known; /* hashes of rows of this round */
};

/* How sure the program is of an edge. */
struct gpube_cuts_sure {
	double part; /* the less, the surer */
	int32_t edge;
};

/* A node, on a program that stays. */
struct gpube_cuts_state {
	const struct gpube_cuts_graph *p;
	struct gpube_ctx *ctx;
	struct gpube__arrays memory;
	struct gpube_clp *clp;
	bool exact;                  /* its costs are the weights */
	struct gpube_cuts_rows rows; /* of the program */
	int64_t stamp;               /* how often they changed */
	uint64_t *live, *other;      /* other: of a part */
	int32_t *root;               /* of each vertex, in sets of those whose sides are known */
	char *side;                  /* beside the root's */
	int64_t *reduced;            /* of each edge: its weight less what its rows' prices say */
	int64_t bound;               /* INT64_MIN: nothing is proved */
	double *value;               /* value[2 e + 1]: how far the program cuts edge e */
	unsigned char *basis;        /* of an edge and a row each */
	int64_t basis_room;
	int64_t before; /* the bound of the last round, */
	int slow;       /* and rounds that brought little, one after the other */
	struct gpube_branching splits;
	struct gpube_cuts_search search;
	struct gpube_cuts_sure *sure; /* room: of edges */
};

/*
 * gpube__cuts_prove()     - the bound and reduced weights of live values by prices of the rows.
 * gpube__cuts_propagate() - removes values that others exclude along edges: their number; *empty:
 *                           there is no cut.
 * gpube__cuts_solve()     - the simplex method on live values, so many steps at most.
 * gpube__cuts_find()      - adds rows that the values break to 'rows': how many, or -1: ENOMEM.
 * gpube__cuts_round()     - an assignment near the values.
 */
void gpube__cuts_prove(struct gpube_cuts_state *s, const uint64_t *live, const double *price);
int32_t gpube__cuts_propagate(struct gpube_cuts_state *s, uint64_t *live, bool *empty);
enum gpube_clp_end gpube__cuts_solve(
	struct gpube_cuts_state *s, const uint64_t *live, int most, int64_t *count);
int32_t gpube__cuts_find(struct gpube_cuts_state *s, struct gpube_cuts_rows *rows);
int gpube__cuts_search_init(struct gpube_cuts_state *s);
void gpube__cuts_search_clear(struct gpube_cuts_state *s);
void gpube__cuts_round(void *state, int32_t *values);

/*
 * Whether an edge is part of the graph: all are but those to vertex n that cost nothing, while
 * both of their values are left.
 */
static inline bool gpube__cuts_there(const struct gpube_cuts_state *s, int32_t e)
{
	return e >= s->p->n_vertices - 1 || s->p->weight[e] ||
	       !gpube__bit(s->live, 2 * (int64_t)e) || !gpube__bit(s->live, 2 * (int64_t)e + 1);
}

#endif
