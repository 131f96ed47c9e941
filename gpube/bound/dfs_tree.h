/*
 * dfs_tree.h - what the search on a tree's nodes (dfs.h) has open, which is kept from one part of
 * the time to the next.
 *
 * Variables that share functions with no others are a block, of which each has a tree of its own:
 * what blocks cost adds up, and so do their bounds; a block's search ends where it costs more than
 * its best assignment, or, with the others' bounds, as much as the whole may.
 *
 * A block's first runs start from the root, each longer, and what they leave open is thrown away,
 * unless they have seen a good part of the tree: but for the weights, which choose better variables
 * the next time, and the values found impossible at the root. From then on what a run leaves open
 * is kept, as the decisions that lead there; the next run goes on with the node of the least bound,
 * and that bound is the block's.
 *
 * Designs weighed. (1) Restarts alone: no bound but the root's, and work done twice, for ever. (2)
 * Open nodes from the first run on: the first decisions, made without weights, stay.
 *
 * What did not pay (three to five draws of first weights each): to leave variables of one, two or
 * three open neighbours to the end, as if they were eliminated (runs/measured-2c); to drop values
 * at each node that the one known as free dominates (runs/measured-2c); to ask of each value at the
 * root whether it fails at once (one in fifty, or none). A Bayesian network takes more nodes when
 * its optimum is known from the start than when it is found on the way (runs/measured-2c): sweeps
 * come within 1e-10 of it, where many values cost nearly nothing, and neither more sweeps nor costs
 * times 2^8 change that. (toulbar2, which rounds to 1e-7, sees none of these.)
 *
 * Threads. One searches alone for a moment, which is all that most trees take; then each of several
 * takes the open node of the least bound, dives from there with tables of its own, which are a copy
 * of the root's, and leaves what it has not seen. What all share is changed with one lock held,
 * which a run takes a few times; limits are read at every node. A block's bound is the least of
 * what is open and of what is in hand, and what is in hand counts until all that became of it is
 * open: so it is never above what is left. Who has nothing to do waits, and whoever sees that ends
 * its run early. A first run is shared likewise, as a tree that is kept as long as the run lasts;
 * who leaves it goes on where it was, so that it is depth first. The caller's thread alone tells
 * what is found, and hears of other limits. With one thread everything is done as if there were no
 * other.
 *
 * Designs weighed. (1) A part of the tree for each thread, by the first decisions: parts differ a
 * thousandfold. (2) Threads that steal from each other's dives, without a heap: a bound that rises,
 * and open nodes that stay for a later turn, need the heap anyway, and a lock for each run of 16
 * nodes and more costs nothing. (3) Weights of each thread's own: a tenth more nodes, on two
 * threads, than where all learn the same (runs/measured-2c). (4) Runs that are shorter the more
 * threads there are, so that the heap is asked as often: with half as long ones two threads took a
 * fifth more nodes, and 16 as many. (5) First runs by one thread: an eighth of the time, while
 * others wait.
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
	int32_t first, last;           /* positions first … last - 1 */
	bool closed, sweeping, opened; /* opened: what runs leave is kept */
	bool trying;                   /* or as long as a first run of several threads lasts */
	double trial;                  /* what it may see yet, in nodes */
	enum gpube_dfs_swept swept;
	int64_t lower, upper; /* upper: of 'best'; GPUBE_INF: none */
	int32_t n_runs;
	/* nodes of the last run from the root, and of those that went on with what it left open */
	int64_t n_looked;
	double part_left; /* of the tree, what all those have not seen; 1: nothing is known */
	double nodes;     /* of its next run */
	struct gpube_frontier open;
	int64_t n_replayed, n_seen; /* decisions since the runs' length was looked at */
};

/*
 * Where a thread is in the tree. The caller's is the first one, which alone tells others; the rest
 * have copies of its tables.
 */
struct gpube_dfs_worker {
	struct gpube_dfs_tree *s;
	struct gpube_ctx *ctx, own; /* ctx: the caller's, or 'own' */
	struct gpube_dfs *t;
	int32_t n_sweeps;              /* at the root, when t was copied */
	int64_t *roots;                /* by block: what is its of t's constant at the root */
	struct gpube_dfs_block *k;     /* at work, or NULL */
	int64_t others;                /* of the constant at the root, what is not k's */
	struct gpube_frontier_hand at; /* nothing that becomes of it is below its bound */
	bool from_root, shares;        /* it is a first run; what it leaves open has room */
	double nodes;                  /* of this run, at most */
	int64_t limit;                 /* k's, which others may lower */
	int32_t *values;               /* the last assignment, of m */
	struct gpube_dfs_mark *marks;  /* by depth: before its decision */
	struct gpube_decision *steps;  /* since the root, of positions */
	int64_t n_steps, steps_capacity;
	int32_t last;                /* position of the last decision that failed at once, or -1 */
	int64_t n_nodes, n_replayed; /* of this run */
	const struct gpube_frontier_path *left; /* what the last one left open, which may be gone */
};

struct gpube_dfs_tree {
	struct gpube_bounder *b;
	/* of b->tables, which are shifted, if anything was before; or NULL */
	struct gpube_lean *lean;
	const struct gpube_model *m; /* its, or b->tables; its totals are below */
	struct gpube_dfs *t;         /* the first worker's */
	int32_t n_blocks;
	int32_t n_restarts;  /* first runs of a block, as long as none sees enough of its tree */
	int32_t first_nodes; /* of the first of them; each is longer */
	int32_t patience;    /* nodes between looks at the clock */
	int32_t few_values;  /* more, of a variable whose values have an order, are halved */
	int32_t shortest;    /* nodes of a run that leaves open what it has not seen, at least */
	double alone;        /* seconds of search of one thread, before others come in */
	int32_t *whole, *values; /* what is offered, of b->m and of m */
	int64_t limit;           /* b's, of which 'left' is made */
	struct gpube_budget turn;
	double seconds;   /* of all turns before */
	int32_t n_sweeps; /* at the root */
	bool swept;       /* more would bring nothing */
	struct gpube_dfs_worker *workers;
	int most_workers, n_workers; /* for which there is a place, and that are made */
	double seconds_together;     /* while several worked, and the nodes of that time */
	int64_t n_nodes_together;

	pthread_mutex_t lock; /* of all below, and of the blocks, while several work */
	pthread_cond_t changed;
	int n_at_work, n_busy, n_waiting;
	bool ending, news; /* news: the first worker has something to tell */
	int status;
	int32_t next; /* the block that is to run */
	struct gpube_dfs_block *blocks;
	int64_t lower; /* of all blocks */
	int64_t left;  /* totals less m's constant, from here of no interest */
	int32_t *best; /* by position: of the blocks' best assignments, or -1 */
	bool fresh;    /* some of it was not offered yet */
	int64_t n_nodes;
};

/*
 * gpube__dfs_tree_new() - b's tree, with nothing seen; its t is NULL where the model is too large.
 * Errors: ENOMEM, without one
 */
int gpube__dfs_tree_new(struct gpube_bounder *b);

static inline bool gpube__dfs_worker_is_first(const struct gpube_dfs_worker *w)
{
	return w == w->s->workers;
}

/* What is that worker's alone, but its t. Errors: ENOMEM */
int gpube__dfs_worker_init(
	struct gpube_dfs_worker *w, struct gpube_dfs_tree *s, struct gpube_ctx *ctx);
void gpube__dfs_worker_clear(struct gpube_dfs_worker *w);

/* With the lock held: what a block may not cost, for itself and beside the others. */
int64_t gpube__dfs_tree_limit(const struct gpube_dfs_tree *s, const struct gpube_dfs_block *k);

/* What others have found since; without variables there is one assignment. */
int gpube__dfs_tree_know(struct gpube_dfs_tree *s);

/* With the lock held: a worker comes to a block, with the limit that it has now. */
void gpube__dfs_tree_come(struct gpube_dfs_worker *w, struct gpube_dfs_block *k);
/* Its tables are that block's. */
void gpube__dfs_tree_enter(struct gpube_dfs_worker *w);

/* What has become of the block at work, and of what was in hand; the bound of all, told. */
void gpube__dfs_tree_leave(struct gpube_dfs_worker *w);

/* An assignment of the block at work, in w->values. Errors: those of gpube__bounder_offer() */
int gpube__dfs_tree_offer(struct gpube_dfs_worker *w);

/*
 * By the first worker:
 * gpube__dfs_tree_hear() - what was found outside of the tree.
 * gpube__dfs_tree_tell() - what other workers have found is told, before.
 * Errors: those of gpube__bounder_offer()
 */
void gpube__dfs_tree_hear(struct gpube_dfs_tree *s);
int gpube__dfs_tree_tell(struct gpube_dfs_tree *s);

/*
 * With the lock held: whether there is something to do, which w has then; and what becomes of it.
 * Errors: ENOMEM, those of gpube__dfs_tree_offer(); some of the tree may be lost then
 */
bool gpube__dfs_tree_take(struct gpube_dfs_worker *w);
int gpube__dfs_tree_run(struct gpube_dfs_worker *w);

/*
 * Until nothing is left below the limit, or the turn is over.
 * Errors: those of gpube__dfs_tree_run()
 */
int gpube__dfs_tree_search(struct gpube_dfs_tree *s);

/* True when nothing is left below the limit. */
bool gpube__dfs_tree_is_done(const struct gpube_dfs_tree *s);

/*
 * The seconds that it may take yet, were both sides of each decision as large and nodes as long as
 * those before; INFINITY: nothing is known. (runs/measured-2c)
 */
double gpube__dfs_tree_seconds_left(const struct gpube_dfs_tree *s);

/* True when its time is over, or the caller's. */
bool gpube__dfs_tree_is_over(const struct gpube_dfs_tree *s);

#endif
