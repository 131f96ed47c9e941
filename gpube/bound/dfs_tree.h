/*
 * dfs_tree.h - what the search on a tree's nodes (dfs.h) has open, which is kept from one part of the
 * time to the next.
 *
 * Variables that share functions with no others are a block, of which each has a tree of its own: what
 * blocks cost adds up, and so do their bounds; a block's search ends where it costs more than its best
 * assignment, or, with the others' bounds, as much as the whole may.
 *
 * A block's first runs start from the root, each longer, and what they leave open is thrown away, unless they have seen a good part of
 * the tree: but for the weights, which choose better variables the next time, and the values found impossible at the
 * root. From then on what a run leaves open is kept, as the decisions that lead there; the next run goes
 * on with the node of the least bound, and that bound is the block's.
 *
 * Designs weighed. (1) Restarts alone: no bound but the root's, and work done twice, for ever. (2)
 * Open nodes from the first run on: the first decisions, made without weights, stay.
 *
 * What did not pay (three to five draws of first weights each): to leave variables of one, two or
 * three open neighbours to the end, as if they were eliminated (BN_75 2.5 to 9 times as many nodes,
 * pedigree31 0.9 to 1); to drop values at each node that the one known as free dominates (pedigree34,
 * myciel5g_4 half as many nodes, pedigree31, 13, 404 as many or more, each a third longer: as long in
 * all); to ask of each value at the root whether it fails at once (one in fifty, or none). BN_75 takes
 * 20000 to 90000 nodes when its optimum is known from the start and 4000 to 20000 when it is found on
 * the way: sweeps come within 1e-10 of it, where many values cost nearly nothing, and neither more
 * sweeps nor costs times 2^8 change that. (toulbar2, which rounds to 1e-7, sees none of these.)
 *
 * Source: Allouche et al., CP 2015 (hybrid best-first search; runs grow where replays cost much).
 */
#ifndef GPUBE_DFS_TREE_H
#define GPUBE_DFS_TREE_H

#include "gpube/bound/bound.h"
#include "gpube/relax/dfs.h"
#include "gpube/simplify/lean.h"

/* What is left of a variable's values: that one, all others, those below it, it and those above. */
enum gpube_dfs_side { GPUBE__DFS_IS, GPUBE__DFS_IS_NOT, GPUBE__DFS_BELOW, GPUBE__DFS_FROM };

/* A decision; its other side is the opposite, side ^ 1. */
struct gpube_dfs_step {
	int32_t p, value;
	enum gpube_dfs_side side;
};

/* The decisions of a run: its open nodes share them. */
struct gpube_dfs_path {
	int64_t users, bytes;
	struct gpube_dfs_step steps[];
};

/* Its first n decisions, and, turned round, the next one. */
struct gpube_dfs_open {
	int64_t bound; /* of the block */
	struct gpube_dfs_path *path;
	int32_t n;
	bool turned;
};

struct gpube_dfs_block {
	int32_t first, last;	/* positions first … last - 1 */
	bool closed, sweeping, opened; /* opened: what runs leave is kept */
	enum gpube_dfs_swept swept;
	int64_t root;		/* what is its of the tree's constant at the root */
	int64_t lower, upper;	/* upper: of 'best'; GPUBE_INF: none */
	int32_t n_runs;
	int64_t n_looked;	/* nodes of the last run from the root, and of those that went on with what it left open */
	double part_left;	/* of the tree, what all those have not seen; 1: nothing is known */
	double nodes;		/* of its next run */
	struct gpube_dfs_open *open; /* a heap, the least bound first */
	int64_t n_open, open_capacity;
	int64_t n_replayed, n_seen; /* decisions since the runs' length was looked at */
};

struct gpube_dfs_tree {
	struct gpube_bounder *b;
	struct gpube_lean *lean; /* of b->tables, which are shifted, if anything was before; or NULL */
	const struct gpube_model *m; /* its, or b->tables; its totals are below */
	struct gpube_dfs *t;
	int32_t n_blocks, next;	/* next: the block that is to run */
	int32_t n_restarts;	/* first runs of a block, as long as none sees enough of its tree */
	int32_t patience;	/* nodes between looks at the clock */
	int32_t few_values;	/* more, of a variable whose values have an order, are halved */
	struct gpube_dfs_block *blocks, *k; /* k: at work */
	int64_t lower;		/* of all blocks */
	int64_t left;		/* totals less m's constant, from here of no interest */
	int64_t others;		/* of the constant at the root, what is not k's */
	int32_t *best;		/* by position: of the blocks' best assignments, or -1 */
	int32_t *values, *whole; /* the last assignment, of m and of b->m */
	struct gpube_dfs_mark *marks; /* by depth: before its decision */
	struct gpube_dfs_step *steps; /* since the root */
	int64_t n_steps, steps_capacity;
	int32_t last;		/* position of the last decision that failed at once, or -1 */
	int64_t n_nodes, bytes; /* bytes: of what is open */
	struct gpube_turn turn;
	double seconds;		/* of all turns before */
	int32_t n_sweeps;	/* at the root */
	bool swept;		/* more would bring nothing */
};

/*
 * gpube__dfs_tree_new() - b's tree, with nothing seen; its t is NULL where the model is too large.
 * Errors: ENOMEM, without one
 */
int gpube__dfs_tree_new(struct gpube_bounder *b);

/* What a block may not cost, for itself and beside the others. */
int64_t gpube__dfs_tree_limit(const struct gpube_dfs_tree *s, const struct gpube_dfs_block *k);

/* What others have found since; without variables there is one assignment. */
int gpube__dfs_tree_know(struct gpube_dfs_tree *s);

/* The block at work, with the limit that it has now. */
void gpube__dfs_tree_enter(struct gpube_dfs_tree *s, struct gpube_dfs_block *k);

/* What has become of the block at work at the root; the bound of all, told. */
void gpube__dfs_tree_leave(struct gpube_dfs_tree *s);

/* An assignment of the block at work, in s->values. Errors: those of gpube__bounder_offer() */
int gpube__dfs_tree_offer(struct gpube_dfs_tree *s);

/*
 * gpube__dfs_tree_run() - some nodes more of a block, entered or not.
 * Errors: ENOMEM, those of gpube__dfs_tree_offer()
 */
int gpube__dfs_tree_run(struct gpube_dfs_tree *s, struct gpube_dfs_block *k);

/* True when nothing is left below the limit. */
bool gpube__dfs_tree_is_done(const struct gpube_dfs_tree *s);

/*
 * The seconds that it may take yet, were both sides of each decision as large and nodes as long as those before; INFINITY: nothing is
 * known. (CELAR6-SUB1 to SUB3 as the longest first run has them, and as they turn out: 18000 nodes and 8100, 12000 and 12000, 230000
 * or, one run before, 23000 and 37000.)
 */
double gpube__dfs_tree_seconds_left(const struct gpube_dfs_tree *s);

/* True when its time is over, or the caller's. */
bool gpube__dfs_tree_is_over(const struct gpube_dfs_tree *s);

/* Open nodes in and out; 'path' is used by one more, or given back. Errors: ENOMEM */
int gpube__dfs_tree_push(struct gpube_dfs_tree *s, struct gpube_dfs_block *k, const struct gpube_dfs_open *open);
struct gpube_dfs_open gpube__dfs_tree_pop(struct gpube_dfs_block *k);
void gpube__dfs_tree_give_back(struct gpube_dfs_tree *s, struct gpube_dfs_path *path);

#endif
