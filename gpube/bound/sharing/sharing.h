/*
 * sharing.h - a search tree whose open nodes travel between ranks (deal/deal.h says how).
 *
 * The owner, on rank 0, lends nodes: a loan is a held node of its frontier, so that its bound
 * counts and its block stays open until the borrower says that all it had of it is closed.
 * Borrowers are guests: they have a bounder of their own, made from the owner's run (checkpoint.h)
 * without its open nodes, and search what they are given. An empty frontier proves nothing there. A
 * guest may give nodes back, which are the owner's then, beside the loan that they were part of; so
 * a guest that is lost loses nothing.
 *
 * The tree's lock guards all that both threads of a rank touch: the one that searches and the one
 * that speaks to other ranks, which calls the functions below with a context of its own.
 */
#ifndef GPUBE_SHARING_H
#define GPUBE_SHARING_H

#include "gpube/base/bytes.h"
#include "gpube/bound/dfs_tree.h"

/* By the thread that searches, between two runs: whether a tree is to be shared from now on. */
bool gpube__sharing_begins(const struct gpube_dfs_tree *s);

/* The run without its open nodes, packed, for guests. Failures are in to->status. */
void gpube__sharing_root(struct gpube__bytes *to, const struct gpube_bounder *b);

/*
 * gpube__guest_new() - a guest of such a run, of the same model.
 * opts  of the rank; they stay
 * Errors: EPARSE, EINVAL (it is another model's), ENOMEM
 */
int gpube__guest_new(struct gpube_bounder **out, const struct gpube_model *given,
	const struct gpube_opts *opts, struct gpube__bytes *root);
void gpube__guest_free(struct gpube_bounder *b);
/* Searches what is open. Errors: those of gpube__dfs_tree_run() */
int gpube__guest_search(struct gpube_bounder *b);

/*
 * Open nodes of all blocks that are not closed; those that its threads hold, and that are lent;
 * nodes visited; threads that wait for one.
 */
struct gpube__sharing_state {
	int64_t n_open, n_held, n_loans, n_nodes;
	int n_waiting;
	bool done; /* nothing is left below the cutoff */
};
struct gpube__sharing_state gpube__sharing_state(struct gpube_dfs_tree *s);

/* Whether runs are to end early, so that there are nodes to give. */
void gpube__sharing_want(struct gpube_dfs_tree *s, bool wanted);

/*
 * gpube__sharing_give() - takes out at most 'most' nodes, which would be popped next, and writes
 * them. to_rank: they are lent to this rank, 'number'ed; -1: given back. Returns how many; failures
 * are in to->status, and then all nodes are still there.
 * gpube__sharing_take() - opens nodes that were written so.
 * Errors: EPARSE, ENOMEM
 */
int64_t gpube__sharing_give(struct gpube_dfs_tree *s, struct gpube__bytes *to, int64_t most,
	int to_rank, int64_t number);
int gpube__sharing_take(struct gpube_dfs_tree *s, struct gpube__bytes *from);

/*
 * A guest's least bounds by block, INT64_MAX: it has nothing of it; and what the owner makes of
 * them: loans up to 'number' are closed, or at least as high. The guest's best assignment comes
 * before: nodes are closed by it.
 * gpube__sharing_recall() - a rank is lost: what it was lent is open again. Errors: ENOMEM
 */
void gpube__sharing_least(struct gpube__bytes *to, struct gpube_dfs_tree *s);
int gpube__sharing_repaid(
	struct gpube_dfs_tree *s, struct gpube__bytes *from, int rank, int64_t number);
int gpube__sharing_recall(struct gpube_dfs_tree *s, struct gpube_ctx *ctx, int rank);

/*
 * Best assignments. *seen: of the tree's best_number, when it was asked last.
 * gpube__sharing_best() - writes the assignment, if it has become better since.
 * gpube__sharing_learn() - takes, of one, the parts that are better than the tree's.
 * Errors: EPARSE
 */
bool gpube__sharing_best(struct gpube__bytes *to, struct gpube_dfs_tree *s, int64_t *seen);
int gpube__sharing_learn(struct gpube_dfs_tree *s, struct gpube__bytes *from, int64_t *seen);

#endif
