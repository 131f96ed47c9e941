/*
 * pseudotree.h - DFS pseudo-trees of a graph: spanning trees in which an edge
 * of the graph always joins a vertex with one of its ancestors, so that subtrees
 * can be worked on at the same time.
 */
#ifndef DCOP_PSEUDOTREE_H
#define DCOP_PSEUDOTREE_H

#include "gpube/dpop.h"
#include "gpube/ir/graph.h"
#include "gpube/ranks/world.h"

/*
 * heuristic  BEST is repeatable: it counts operations, not time. The others but AUTO are
 *            those of GpuBE's command line, which pushes the sorted neighbours onto a stack and so
 *            visits the last first: its --heur=0 to 5 are MAX_ID, MIN_ID, MAX_DEGREE, MIN_DEGREE,
 *            MAX_NAME, MIN_NAME
 * root       of its component, -1: the vertex that the heuristic puts first (BEST: any)
 * names      NULL, or for each vertex a name or NULL
 * tries      BEST: random searches in each component after the six
 * seed       of these
 * distributed  the tree is built by messages of the agents (distributed_dfs.h), hosted by the ranks
 *            of 'world' (NULL: by this process), each of which makes the same call; it is that of
 *            the central search by the same heuristic, which is not BEST (AUTO: MAX_DEGREE).
 * latency    of a message, in simulated time
 */
struct dcop_tree_opts {
	enum gpube_pseudotree heuristic;
	int32_t root;
	const char *const *names;
	int32_t tries;
	uint64_t seed;
	bool distributed;
	double latency;
	struct dcop_world *world;
};

/* What agents sent to build a tree; seconds: simulated, until the last agent was done. */
struct dcop_construction {
	int64_t messages, token_messages, rounds;
	uint64_t bytes, largest_bytes;
	double seconds;
};

/*
 * A forest, one tree a component. Pseudo-parents are the ancestors, other than
 * the parent, that a vertex shares an edge with; its separator is every ancestor
 * that it or a descendant shares one with.
 */
struct dcop_pseudotree {
	struct gpube_ctx *ctx;
	int32_t n, n_trees;
	int32_t *parent;    /* -1: a root */
	int32_t *depth;     /* 0: a root */
	int32_t *tree;      /* of each vertex, in [0, n_trees) */
	int32_t *preorder;  /* n vertices, a parent before its children, trees one after another */
	int64_t *pseudo_at; /* n + 1 */
	int32_t *pseudo; /* pseudo-parents of i: pseudo[pseudo_at[i]] … pseudo[pseudo_at[i+1]-1] */
	int32_t width;   /* most vertices of a separator: the induced width */
	double cells;    /* sum over vertices of the product of the domains of its separator */
	int64_t n_searched;                    /* trees that were compared */
	enum gpube_pseudotree heuristic;       /* that was taken: not AUTO */
	struct dcop_construction construction; /* 0 without 'distributed' */
};

/*
 * dcop_pseudotree_new() - builds one.
 * opts    NULL: MAX_DEGREE from its own roots
 * Cost:   one search O(edges + sum of separators); BEST at most some 10^7 operations a
 *         component beyond the first search
 * Errors: EINVAL (root, BEST by messages), ENOMEM, ESTOP; EIO (of a rank); EBUG (what the agents
 *         have built is no pseudo-tree)
 */
int dcop_pseudotree_new(struct dcop_pseudotree **out, struct gpube_ctx *ctx,
	const struct gpube_graph *g, const struct dcop_tree_opts *opts);
void dcop_pseudotree_free(struct dcop_pseudotree *t);

/* "auto", "min-degree" … "best" */
const char *dcop_tree_name(enum gpube_pseudotree heuristic);

#endif
