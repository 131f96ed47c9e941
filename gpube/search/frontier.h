/*
 * frontier.h - the open nodes of a best-first search. The node of the least bound comes first, of
 * equal bounds the deepest. While the open nodes take more than most_bytes, the deepest of all
 * comes first, since little is left below it. Nodes that are equal in both come in an order that
 * depends on the calls alone, so that a run with one thread can be repeated.
 *
 * A node is a list of decisions and a payload of its method. The search tree (bound/dfs_tree.h) has
 * no payload: it makes its tables again from the decisions. The other methods have a payload and no
 * decisions: their path is NULL.
 *
 * Threads. The caller holds the lock of the frontier's owner, if that has one. A node that a thread
 * works on is held: it counts in gpube__frontier_least() until all its children are open and it is
 * let go, so that the least is never above the bound of a node that is not closed. Designs weighed.
 * (1) A lock and a condition of the frontier's own: a thread that takes a node reads the cutoff,
 * the next block and the counts in the same step, and waits for other events, too, so it would hold
 * two locks each time. (2) The owner's lock: this one.
 *
 * A scan finds the deepest node. It ends where no open node can be deeper: as a rule among the
 * nodes that were pushed last, which are children of the deepest one before. (The search tree,
 * whose nodes are small and many, has no most_bytes; where they take much, it leaves no more nodes
 * open.)
 *
 * Tests: tests/unit/test_frontier.c.
 */
#ifndef GPUBE_FRONTIER_H
#define GPUBE_FRONTIER_H

#include "gpube/base/base.h"

/* Which values remain: this one, all others, those below it, or it and those above. */
enum gpube_decision_side {
	GPUBE__DECISION_IS,
	GPUBE__DECISION_IS_NOT,
	GPUBE__DECISION_BELOW,
	GPUBE__DECISION_FROM
};

/* The opposite decision has side ^ 1. The owner's model numbers the variables. */
struct gpube_decision {
	int32_t var, value;
	enum gpube_decision_side side;
};

/* Decisions from the root on; several nodes may share them. */
struct gpube_frontier_path {
	int64_t users, bytes;
	int64_t mark; /* of who goes through all nodes, to see each path once */
	struct gpube_decision decisions[];
};

static inline int64_t gpube__frontier_path_length(const struct gpube_frontier_path *path)
{
	return (path->bytes - (int64_t)sizeof(*path)) / (int64_t)sizeof(struct gpube_decision);
}

/* Decisions: the path's first 'depth' ones and, if turned, the opposite of the next one. */
struct gpube_frontier_node {
	int64_t bound;
	int32_t depth;
	bool turned;
	struct gpube_frontier_path *path; /* NULL: it has a payload */
	void *payload;                    /* takes so many bytes */
	int64_t bytes;
};

/* A node that a thread holds, with its present bound. */
struct gpube_frontier_hand {
	struct gpube_frontier_node node;
	struct gpube_frontier_hand *next;
};

/* A held node that somebody else works on, who has borrowed it with this number. */
struct gpube_frontier_loan {
	struct gpube_frontier_hand hand;
	int borrower;
	int64_t number;
	struct gpube_frontier_loan *next;
};

/* Initialise as {.most_bytes = …}. */
struct gpube_frontier {
	int64_t most_bytes;                /* 0: no limit */
	struct gpube_frontier_node *nodes; /* a heap; callers may read its items, in any order */
	int64_t n, capacity;
	int64_t bytes;   /* of open nodes, their payloads and all paths */
	int32_t deepest; /* no open node is deeper */
	struct gpube_frontier_hand *held;
	int n_held;
	struct gpube_frontier_loan *loans; /* they are held, too */
	int n_loans;
};

/* Frees all but the payloads, which the owner frees before, those of loans as well. */
void gpube__frontier_clear(struct gpube_frontier *f, struct gpube_ctx *ctx);

/*
 * gpube__frontier_room() - makes sure that the next 'more' nodes are pushed without a failure.
 * gpube__frontier_push() - adds a copy of the node, which becomes a user of its path.
 * ctx     of the calling thread
 * Cost:   room copies all nodes when it doubles; push O(log n)
 * Errors: ENOMEM, nothing has changed
 */
int gpube__frontier_room(struct gpube_frontier *f, struct gpube_ctx *ctx, int64_t more);
int gpube__frontier_push(
	struct gpube_frontier *f, struct gpube_ctx *ctx, const struct gpube_frontier_node *node);

/*
 * gpube__frontier_pop()  - takes the next node out; there is one. It remains a user of its path.
 * gpube__frontier_take() - takes nodes[k] out, likewise.
 * Cost: O(log n); pop O(n) at worst over most_bytes
 */
struct gpube_frontier_node gpube__frontier_pop(struct gpube_frontier *f);
struct gpube_frontier_node gpube__frontier_take(struct gpube_frontier *f, int64_t k);

/* Holds the hand's node, which was taken out; or lets it go, if it is held. */
void gpube__frontier_hold(struct gpube_frontier *f, struct gpube_frontier_hand *hand);
void gpube__frontier_let_go(struct gpube_frontier *f, struct gpube_frontier_hand *hand);

/*
 * gpube__frontier_lend()   - a node that was taken out is held until it is repaid. Errors: ENOMEM
 * gpube__frontier_repaid() - what the borrower has of its loans up to 'number' is at least 'least',
 *                            or nothing (INT64_MAX): then one of those loans ends, *node is the
 *                            caller's as if it were taken out, and it calls again. False: none does
 * gpube__frontier_recall() - the borrower's loans, or all (-1), are open again. Errors: ENOMEM
 */
int gpube__frontier_lend(struct gpube_frontier *f, struct gpube_ctx *ctx,
	const struct gpube_frontier_node *node, int borrower, int64_t number);
bool gpube__frontier_repaid(struct gpube_frontier *f, struct gpube_ctx *ctx, int borrower,
	int64_t number, int64_t least, struct gpube_frontier_node *node);
int gpube__frontier_recall(struct gpube_frontier *f, struct gpube_ctx *ctx, int borrower);

/* Raises the bound of a node that the caller holds; needs no lock. */
static inline void gpube__frontier_tighten(struct gpube_frontier_hand *hand, int64_t bound)
{
	if (bound > hand->node.bound)
		__atomic_store_n(&hand->node.bound, bound, __ATOMIC_RELAXED);
}

/* The least bound of all nodes that are open or held; INT64_MAX: there are none. */
int64_t gpube__frontier_least(const struct gpube_frontier *f);

/* The part of the tree below a node, and below open nodes, as if all decisions halved it. O(n) */
double gpube__frontier_part_of(const struct gpube_frontier_node *node);
double gpube__frontier_part(const struct gpube_frontier *f);

/*
 * The same modulo 2^61 - 1, where sums are exact and 2 has an inverse, so that what is closed and
 * what is open can be seen to add up to the whole tree, which is 1.
 * gpube__part()          - below a node of so many decisions
 * gpube__part_add()      - a + b, of two that are less than 2^61 - 1
 * gpube__part_sub()      - a - b
 * gpube__frontier_rest() - below all nodes that are open or held. O(n)
 */
#define GPUBE__PARTS (((uint64_t)1 << 61) - 1)
static inline uint64_t gpube__part(int64_t n_decisions)
{
	return (uint64_t)1 << (61 - n_decisions % 61) % 61;
}
static inline uint64_t gpube__part_add(uint64_t a, uint64_t b)
{
	return (a + b) % GPUBE__PARTS;
}
static inline uint64_t gpube__part_sub(uint64_t a, uint64_t b)
{
	return (a + GPUBE__PARTS - b) % GPUBE__PARTS;
}
static inline uint64_t gpube__node_part(const struct gpube_frontier_node *node)
{
	return gpube__part((int64_t)node->depth + node->turned);
}
uint64_t gpube__frontier_rest(const struct gpube_frontier *f);

/*
 * gpube__frontier_path()      - a path of n decisions, for one or more nodes that are pushed next;
 *                               NULL: ENOMEM
 * gpube__frontier_give_back() - a node that was taken out is no user of its path any more.
 */
struct gpube_frontier_path *gpube__frontier_path(struct gpube_frontier *f, struct gpube_ctx *ctx,
	const struct gpube_decision *decisions, int64_t n);
void gpube__frontier_give_back(
	struct gpube_frontier *f, struct gpube_ctx *ctx, struct gpube_frontier_node *node);

/* Decision k, of depth + turned, of a node that has a path. */
static inline struct gpube_decision gpube__frontier_decision(
	const struct gpube_frontier_node *node, int32_t k)
{
	struct gpube_decision of = node->path->decisions[k];

	if (k == node->depth)
		of.side ^= 1;
	return of;
}

#endif
