/*
 * dfs_tree.h - the open nodes and the state of the search on a tree (dfs.h), which last from one
 * turn to the next.
 *
 * Variables that share functions with no others form a block, and each block has a tree of its own.
 * Costs of blocks add up, and so do their bounds. A block's search prunes by its own best
 * assignment and by the cutoff of the whole less the other blocks' bounds.
 *
 * A block begins with runs from the root, each longer than the last. What such a run leaves open is
 * dropped, unless it has seen a good part of the tree; the weights, which improve the choice of
 * variables, stay. From then on the nodes that a run leaves open are kept, as lists of decisions.
 * The next run begins at the node of the least bound, and that is the block's bound.
 *
 * Designs weighed. (1) Restarts alone: no bound but the root's, and work is repeated for ever. (2)
 * Open nodes from the first run on: the first decisions, made without weights, stay.
 *
 * What did not pay: to decide variables of one, two or three open neighbours last, as if they were
 * eliminated; to remove values at each node that the one known as free dominates; to probe each
 * value at the root. A tree may take more nodes when its optimum is known from the start: where
 * sweeps come close to it many values cost nearly nothing.
 *
 * Threads. One thread searches alone for a moment, in which most trees end. Then each of several
 * takes the open node of the least bound, dives from there with its own copy of the root's tables,
 * and leaves open what it has not seen. One lock guards the shared state, and a run takes it a few
 * times; cutoffs are read at every node. A block's bound is the least of its open nodes and of the
 * nodes that threads hold. A held node counts until all its children are open, so the bound is
 * never too high. A thread without work waits, and others end their runs early when they see that.
 * A first run keeps its open nodes while it lasts, so that threads share it; a thread that leaves
 * it goes on where it was, depth first. Only the caller's thread reports incumbents and
 * polls the cutoff. With one thread the search is the same as without threads.
 *
 * Designs weighed. (1) A subtree for each thread, by the first decisions: their sizes differ too
 * much. (2) Work stealing without a heap: a bound that rises, and open nodes for a later turn, need
 * the heap anyway, and a lock for each run costs little. (3) Weights of each thread, (4) shorter
 * runs with more threads, so that the heap is asked as often: both took more nodes. (5) First runs
 * by one thread, while others wait.
 *
 * Source: Allouche et al., CP 2015 (hybrid best-first search; runs grow where replays cost much).
 */
#ifndef GPUBE_DFS_TREE_H
#define GPUBE_DFS_TREE_H

#include <pthread.h>

#include "gpube/bound/bound.h"
#include "gpube/relax/dfs.h"
#include "gpube/search/frontier.h"
#include "gpube/simplify/lean.h"

struct gpube_dfs_block {
	int32_t first, last;           /* its variables are positions first … last - 1 */
	bool closed, sweeping, opened; /* opened: the nodes that runs leave open are kept */
	bool trying;                   /* they are kept while a first run lasts */
	double trial;                  /* nodes that it may still visit */
	enum gpube_dfs_swept swept;
	int64_t lower, upper; /* upper: the cost of its part of 'best'; GPUBE_INF: none */
	int32_t n_runs;
	/* nodes of the last run from the root and of the runs from nodes that it left open */
	int64_t n_searched;
	double part_left; /* the part of the tree that these have not seen; 1: nothing is known */
	double nodes;     /* most nodes of its next run */
	struct gpube_frontier open;
	/*
	 * What is closed, and what a guest gave away, less what others gave: with the open and the
	 * held nodes the whole tree, 1, or a guest's, 0 (frontier.h). Of one that is opened
	 */
	uint64_t part;
};

/* A thread in the tree. Worker 0 is the caller; the others have copies of its tables. */
struct gpube_dfs_worker {
	struct gpube_dfs_tree *s;
	struct gpube_ctx *ctx, own; /* ctx: the caller's, or &own */
	struct gpube__arrays memory;
	struct gpube_dfs *t;
	int32_t n_sweeps;          /* sweeps at the root before t was copied */
	int64_t *roots;            /* by block: its part of t's constant at the root */
	struct gpube_dfs_block *k; /* the block at work, or NULL */
	int64_t others;            /* the part of the constant at the root of the other blocks */
	struct gpube_frontier_hand at; /* the node at work: no child has a lower bound */
	bool shares;                   /* there is room for open nodes */
	double nodes;                  /* most nodes of this run */
	int64_t cutoff;                /* of k, which other threads may lower */
	int32_t *values;               /* the last assignment found, of m */
	struct gpube_dfs_mark *marks;  /* by depth: the state before its decision */
	struct gpube_decision *steps;  /* decisions since the root, of positions */
	int64_t n_steps, steps_capacity;
	int32_t last;    /* the position whose last decision failed at once, or -1 */
	int64_t n_nodes; /* of this run */
	uint64_t seen;   /* the part of the tree that it has closed or left open */
	const struct gpube_frontier_path *left; /* that its last run left; maybe freed */
};

struct gpube_dfs_tree {
	struct gpube_bounder *b;
	struct gpube__arrays memory;
	/* the lean model of b->tables; NULL: there is none */
	struct gpube_lean *lean;
	const struct gpube_model *m; /* the lean model or b->tables; totals below are its */
	struct gpube_dfs *t;         /* the first worker's tables */
	int32_t n_blocks;
	int32_t n_restarts;      /* first runs of a block while none sees enough of its tree */
	int32_t first_nodes;     /* nodes of the first of them; each is longer */
	int32_t patience;        /* nodes between checks of the clock */
	int32_t few_values;      /* larger ordered domains are halved */
	int32_t shortest;        /* least nodes of a run that keeps what it leaves open */
	double alone;            /* seconds of search by one thread before others join */
	int32_t *whole, *values; /* the incumbent to report, of b->m and of m */
	int64_t cutoff;          /* b's, for which 'left' was computed */
	double joined;           /* joined cells of the order that it follows */
	int64_t made_below;      /* the cutoff of b->tables when it was made */
	int64_t trial;           /* the trial cutoff below which it searches (bound_deepening.c) */
	struct gpube_budget turn;
	double seconds;   /* of all earlier turns */
	int32_t n_sweeps; /* at the root */
	bool swept;       /* more sweeps would not pay */
	struct gpube_dfs_worker *workers;
	int most_workers, n_workers; /* for which there is room, and that exist */
	double seconds_together; /* while several threads worked, and their nodes in that time */
	int64_t n_nodes_together;

	pthread_mutex_t lock; /* guards all below, and the blocks, while several threads work */
	pthread_cond_t changed;
	int n_at_work, n_busy, n_waiting;
	bool ending, news; /* news: the first worker has something to report */
	bool due;          /* runs end early, and the first worker saves the tree after its own */
	/* sharing with other ranks */
	bool shared, guest;  /* its nodes may be lent; they are another rank's */
	bool is_trial;       /* it searches below a trial cutoff, and is never shared */
	bool wanted;         /* runs end early, so that there are nodes to give */
	bool torn;           /* a block was closed whose parts did not add up to the whole */
	int64_t best_number; /* changes when a block's best assignment does */
	int status;
	int32_t next; /* the block that runs next */
	struct gpube_dfs_block *blocks;
	int64_t lower; /* the sum over blocks */
	int64_t left;  /* the cutoff less m's constant */
	int32_t *best; /* by position: the blocks' best assignments, or -1 */
	bool fresh;    /* part of it has not been reported */
	int64_t n_nodes;
};

/*
 * gpube__dfs_tree_new() - makes b's tree; its t is NULL where the model is too large.
 * Errors: ENOMEM: there is no tree
 */
int gpube__dfs_tree_new(struct gpube_bounder *b);

/*
 * gpube__put_tree() - the tree as numbers: its root, at which the caller's thread is, and its open
 * nodes; those at which other threads are count as open. What a first run has seen is left out.
 * gpube__get_tree() - makes b's tree as it was written, the last of the numbers. There is none
 * where such a model gives another tree by now: it begins anew.
 * Errors: ENOMEM; EPARSE (it is no tree of this model): there is no tree
 */
struct gpube__bytes;
void gpube__put_tree(struct gpube__bytes *to, struct gpube_dfs_tree *s, bool with_nodes);
int gpube__get_tree(struct gpube_bounder *b, struct gpube__bytes *from);
/* Need the lock. One node, and back: it is open then, unless its block is closed. */
void gpube__put_tree_node(
	struct gpube__bytes *to, int32_t block, const struct gpube_frontier_node *node);
int gpube__get_tree_node(struct gpube__bytes *from, struct gpube_dfs_tree *s);

/*
 * As gpube__dfs_tree_new(), along an order of n variables of its model, below a cutoff. Its t is
 * NULL, too, where that is no order of them.
 */
int gpube__dfs_tree_again(struct gpube_bounder *b, const int32_t *order, int32_t n, int64_t below);

static inline bool gpube__dfs_worker_is_first(const struct gpube_dfs_worker *w)
{
	return w == w->s->workers;
}

/* Allocates a worker's state except t. Errors: ENOMEM */
int gpube__dfs_worker_init(
	struct gpube_dfs_worker *w, struct gpube_dfs_tree *s, struct gpube_ctx *ctx);
void gpube__dfs_worker_clear(struct gpube_dfs_worker *w);

/* Needs the lock. The cutoff of a block, for itself and beside the others. */
int64_t gpube__dfs_tree_cutoff(const struct gpube_dfs_tree *s, const struct gpube_dfs_block *k);

/* What a block's best assignment costs, by the model; GPUBE_INF: there is none. */
int64_t gpube__dfs_tree_price(const struct gpube_dfs_tree *s, const struct gpube_dfs_block *k);

/* Takes the incumbent of other methods. */
void gpube__dfs_tree_take_incumbent(struct gpube_dfs_tree *s);
/* Takes that and the cutoff; solves a tree without variables. */
int gpube__dfs_tree_know(struct gpube_dfs_tree *s);

/* Needs the lock. A worker takes a block, with its present cutoff. */
void gpube__dfs_tree_come(struct gpube_dfs_worker *w, struct gpube_dfs_block *k);
/* Makes the worker's tables those of its block. */
void gpube__dfs_tree_enter(struct gpube_dfs_worker *w);

/* Needs the lock. Updates a block's bound by its open nodes, which another rank has changed. */
void gpube__dfs_tree_reconsider(struct gpube_dfs_tree *s, struct gpube_dfs_block *k);
/*
 * Takes the parts of an assignment of m that are better, for the first worker to report. *seen:
 * becomes best_number, unless the tree has a part that is better still.
 */
void gpube__dfs_tree_learn(struct gpube_dfs_tree *s, const int32_t *values, int64_t *seen);

/*
 * Updates the block by what the worker found, lets its node go, and updates the bound of the whole.
 */
void gpube__dfs_tree_leave(struct gpube_dfs_worker *w);

/*
 * Keeps the assignment in w->values, of the block at work. Errors: those of
 * gpube__bounder_report_incumbent()
 */
int gpube__dfs_tree_incumbent(struct gpube_dfs_worker *w);

/*
 * By the first worker:
 * gpube__dfs_tree_poll_cutoff() - takes a lower cutoff from outside of the tree.
 * gpube__dfs_tree_tell() - reports the incumbents and bounds of all workers before that.
 * Errors: those of gpube__bounder_report_incumbent()
 */
void gpube__dfs_tree_poll_cutoff(struct gpube_dfs_tree *s);
int gpube__dfs_tree_tell(struct gpube_dfs_tree *s);

/*
 * Need the lock: _take() gives w a node if there is one, _run() searches from it.
 * Errors: ENOMEM, those of gpube__dfs_tree_incumbent(); part of the tree may be lost then
 */
bool gpube__dfs_tree_take(struct gpube_dfs_worker *w);
int gpube__dfs_tree_run(struct gpube_dfs_worker *w);

/*
 * Searches until nothing is left below the cutoff, or the turn is over.
 * Errors: those of gpube__dfs_tree_run()
 */
int gpube__dfs_tree_search(struct gpube_dfs_tree *s);

/* Whether other ranks wait for open nodes: then what a first run leaves open is kept. */
bool gpube__dfs_tree_is_awaited(const struct gpube_dfs_tree *s);
/* Whether no part of it was lost, or is there twice. EBUG: it was */
int gpube__dfs_tree_check(struct gpube_dfs_tree *s);
/* At the end of a run: takes what other ranks have found and proved in b's tree. */
int gpube__tree_settle(struct gpube_bounder *b);
/* True when nothing is left below the cutoff. */
bool gpube__dfs_tree_is_done(const struct gpube_dfs_tree *s);

/*
 * Estimates the seconds that the search still needs, as if both sides of each decision were equally
 * large; INFINITY: nothing is known.
 */
double gpube__dfs_tree_seconds_left(struct gpube_dfs_tree *s);

#endif
