/*
 * dfs.h - a search tree whose nodes are bounded by shifting costs between functions, in exact
 * integers: what closes a problem of which the ascent has left little open.
 *
 * The cost of an assignment is a constant, one cost of each variable's value, and what its
 * functions cost less what was taken out of them: a function's table stays as it is, and has for
 * each value of each of its variables the costs that were moved from it to the variable, which may
 * be negative. So a node changes little, and a trail of what it changed takes it back. A move keeps
 * every total and leaves nothing negative; so the constant is a lower bound whatever was moved.
 *
 * At the root costs are shifted there and back along an order, each variable sharing out what it
 * has got among the functions whose last variable it is not. At a node only what has changed goes
 * on: of a variable that has lost values or gained costs, each function takes in the costs of all
 * its variables but the first and gives to all what it forces then. So costs wander along the
 * order, and those that would meet at a variable behind them do not: when nothing else follows,
 * each variable whose neighbours have changed gathers what all of them can spare for it. A value
 * that costs nothing with all its neighbours is kept and asked first,
 * which spares most of the time, as does what each function keeps of this kind: dfs_still.c.
 * Weights for conflicts that come of it, and values that go by the sums, did not pay.
 *
 * Rows of costs lie dense, and a value that is gone has a cost beyond all others, so that loops go
 * by vectors over the window of what is live; a list of live values is kept beside them, for small
 * domains and for functions of more variables. Where the cutoff is small, tables of two variables
 * are of 32 bits.
 *
 * Designs weighed. (1) Parts with tables of their own, best bound first (nested_run.c): fewer
 * nodes on large dense tables, but each takes far longer where tables are small and many. (2)
 * Static tables along one order (heuristic.h): far more nodes a second, and most models need far
 * more of them. (3) This one, as search programs do.
 *
 * Source: Cooper et al., AI 174, 2010 (shifts as consistencies); Larrosa and Schiex, AI 159, 2004
 *         (FDAC); Kolmogorov, PAMI 2015 (order and weights); Boussemart et al., ECAI 2004 (weights
 *         of conflicts); Lecoutre et al., AI 173, 2009 (the last conflict's variable first); De
 *         Givry et al., IJCAI 2005 (existential supports).
 */
#ifndef GPUBE_DFS_H
#define GPUBE_DFS_H

#include "gpube/base/arrays.h"
#include "gpube/ops/ascent/ascent_kernels.h"
#include "gpube/ir/model.h"

/*
 * More variables of a function, and more cells in all, or than the memory has room for, are not
 * taken. Of more than eight variables, a function waits until few are open (dfs_parts.h).
 */
enum { GPUBE__DFS_ARITY = 20, GPUBE__DFS_CELLS = 1 << 25 };
/* A forbidden cell; a sum of costs and of what is moved stays below. */
#define GPUBE__DFS_DEAD ((int64_t)1 << 60)
#define GPUBE__DFS_MOST ((int64_t)1 << 56)

/* With value 'of' of a function's variable, of two: what it costs with a value of the other one. */
struct gpube_dfs_company {
	int64_t cost;
	int32_t of, with; /* of: -1: nothing is known */
};

struct gpube_dfs_function {
	int64_t *t;
	int32_t function; /* of the model */
	int32_t arity;
	int32_t scope[GPUBE__DFS_ARITY]; /* positions, ascending */
	int64_t stride[GPUBE__DFS_ARITY];
	int64_t *moved[GPUBE__DFS_ARITY]; /* by value: to that variable, in all */
	/*
	 * by value, and of the free value: values of the scope that cost nothing with it, the last
	 * time; of two variables with what the cell costs, for most tables are not in the cache
	 */
	int32_t *company[GPUBE__DFS_ARITY];
	struct gpube_dfs_company *paired[2];
	/*
	 * of two variables: its rows are the second's values; or, where costs are small, a row each
	 * value of the other one than k
	 */
	int64_t *turned;
	int32_t *narrow[2];
	int32_t width[2]; /* of rows: cells of the first one's values, of the second's */
};

/*
 * Where a variable's live values are: cells of a row from 'from' on. Domains of eight values and
 * more are rounded to eights.
 */
struct gpube_dfs_window {
	int32_t from, n;
};

static inline int32_t gpube__row_cells(int32_t domain)
{
	return domain < GPUBE__ROW_STEP
		       ? domain
		       : (domain + GPUBE__ROW_STEP - 1) / GPUBE__ROW_STEP * GPUBE__ROW_STEP;
}

/* Variables are called by their positions. */
struct gpube_dfs {
	struct gpube_ctx *ctx;
	const struct gpube_model *m;
	struct gpube__arrays memory; /* all that is its own, but for the trail */
	int32_t n, n_functions, widest;
	int32_t first, last; /* positions of the part at work: first … last - 1 */
	int32_t *order, *position;
	const struct gpube_dfs *original; /* of a copy; or NULL */
	struct gpube_dfs_function *functions;
	int64_t *weights;    /* of conflicts, by function */
	int32_t *of, *of_at; /* functions of p: of[of_at[p]] … */
	int32_t *other;      /* beside of: the other variable, of a function of two; or -1 */
	int64_t **cost;      /* by value; GPUBE__ROW_GONE and more: it is not live */
	struct gpube_dfs_window *window;
	/* live[p]: its values, the first n_live[p] of them are; at: where */
	int32_t **live, **at;
	int32_t *n_live;
	/* memory of cost and moved; before a row, the level that has saved it */
	int64_t *moves;
	int32_t *values;                  /* memory of live and at */
	int32_t *company;                 /* memory of the functions' */
	struct gpube_dfs_company *paired; /* likewise */
	int64_t *moves_memory;            /* where rows of a copy begin at cache lines, too */
	int64_t n_moves, n_values, n_company, n_paired; /* cells of these */

	int shift;
	int64_t most_moved;       /* in all to or from one value of one variable, by a function */
	int64_t constant, cutoff; /* the model's constant is in neither */
	bool conflict, lacks_memory;
	/* the last move */
	enum gpube_dfs_swept {
		GPUBE__DFS_NOT_SWEPT,
		GPUBE__DFS_FORWARD,
		GPUBE__DFS_BACKWARD
	} swept;

	/* what has changed since its functions were looked at */
	uint8_t *changed;
	uint64_t *queue;
	int32_t last_word; /* of the queue that may have a bit */
	bool *wanting;     /* more of its neighbours' costs may be had than before */
	/* a value that cost nothing with all its neighbours when that was looked for */
	int32_t *free;
	bool *ordered;          /* neighbouring values are alike */
	int64_t looked_from;    /* constant when all values were looked at */
	int64_t n_visits;       /* at variables that have changed, at this node */
	int64_t ticks;          /* of work that the context was not told yet */
	int64_t *scratch, *old; /* of the widest domain each; old: times GPUBE__DFS_ARITY */
	int64_t *taken;         /* of the widest domain */
	/* two of n_choices: choices of some of a function's other variables */
	int64_t *choices;
	int32_t n_choices;
	const struct gpube_ascent_kernels *kernels;

	/* what the levels changed */
	int32_t depth;
	int64_t *trail; /* rows as they were, each with words that say which */
	/* variables that lost a value, one after the other; has room for all values */
	int32_t *removed;
	int64_t n_trail, n_removed, trail_capacity;
	int64_t level, n_levels; /* the level at work has a number of its own; 0: the root */
};

/*
 * gpube__dfs_new() - of a simplified model, all variables open.
 * shift   costs, and so the constant and the cutoff, are times 2^shift
 * cutoff   totals from here on are of no interest; GPUBE_INF: none
 * order   of the variables
 * *out    NULL without an error: it is too large, or its costs are
 * Errors: ENOMEM
 */
int gpube__dfs_new_to(struct gpube_dfs **out, const struct gpube_model *m, const int32_t *order,
	int64_t cutoff, int shift);
static inline int gpube__dfs_new(
	struct gpube_dfs **out, const struct gpube_model *m, const int32_t *order, int64_t cutoff)
{
	return gpube__dfs_new_to(out, m, order, cutoff, 0);
}
void gpube__dfs_free(struct gpube_dfs *t);

/*
 * For threads that search beside each other. What nothing changes once it is made (tables, scopes,
 * the order and its lists) a copy shares with its original, which stays until the copy is freed;
 * and the weights of conflicts, which all of them learn. Rows, live values and the trail are its
 * own.
 *
 * gpube__dfs_copy() - *out: another one, of 't', which is at the root and nobody moves meanwhile.
 * gpube__dfs_copy_again() - it is what its original, likewise at the root, has become.
 * gpube__dfs_copy_bytes() - what a copy takes, but for its trail.
 * Errors: ENOMEM
 */
int gpube__dfs_copy(struct gpube_dfs **out, const struct gpube_dfs *t, struct gpube_ctx *ctx);
void gpube__dfs_copy_again(struct gpube_dfs *t);
double gpube__dfs_copy_bytes(const struct gpube_dfs *t);

/*
 * gpube__put_dfs() - t's root, at which it is, as numbers, with the weights of conflicts.
 * gpube__get_dfs() - into one that was just made of the same model, order and cutoff.
 * Errors: EPARSE (it is none of such a tree); t is of no use then
 */
struct gpube__bytes;
void gpube__put_dfs(struct gpube__bytes *b, const struct gpube_dfs *t);
int gpube__get_dfs(struct gpube_dfs *t, struct gpube__bytes *b);

/* A new, lower cutoff: a total of the model; or a constant, of the part at work. */
void gpube__dfs_cutoff(struct gpube_dfs *t, int64_t cutoff);
void gpube__dfs_lower(struct gpube_dfs *t, int64_t cutoff);

/*
 * From now on these positions, which share functions with no others, are worked on; of no interest
 * are constants from 'cutoff' on, which is not above that of gpube__dfs_new(). What has
 * changed and was not followed is forgotten. (swept is of this part then: the caller's to know.)
 */
void gpube__dfs_part(struct gpube_dfs *t, int32_t first, int32_t last, int64_t cutoff);

/*
 * gpube__dfs_sweep() - costs shifted along the order, or back, at the root alone.
 * gpube__dfs_sweep_on() - a sweep in parts: from the *done-th variable on, which is moved on, until
 * the work 'until' (gpube__worked()) or the last one.
 * gpube__dfs_propagate() - all that follows from what has changed; the function where a
 * conflict comes up has got more weight. gpube__dfs_propagate_all(): as if all variables had.
 * Where t->conflict is set then, nothing of the part below the cutoff is left at this node.
 * Errors: ENOMEM
 */
int gpube__dfs_sweep(struct gpube_dfs *t, bool backward);
int gpube__dfs_sweep_on(struct gpube_dfs *t, bool backward, int32_t *done, double until);
int gpube__dfs_propagate(struct gpube_dfs *t);
int gpube__dfs_propagate_all(struct gpube_dfs *t);

/*
 * How many conflicts came up in the functions that p shares with open variables, and how many these
 * are.
 */
int64_t gpube__dfs_weight(const struct gpube_dfs *t, int32_t p);

/* At this level a value of a variable, live or not, is gone. */
void gpube__dfs_remove(struct gpube_dfs *t, int32_t p, int32_t value);
/* At this level values below 'from' and from 'to' on are gone. */
void gpube__dfs_keep(struct gpube_dfs *t, int32_t p, int32_t from, int32_t to);
/* At this level it is the only one. */
static inline void gpube__dfs_assign(struct gpube_dfs *t, int32_t p, int32_t value)
{
	gpube__dfs_keep(t, p, value, value + 1);
}

/*
 * m[a]: the least that f costs with value a of its variable k, in whose window it is, less what was
 * moved to the others; with with_costs and what the others' values cost. What was moved to k itself
 * is not taken off.
 */
void gpube__dfs_forced(struct gpube_dfs *t, const struct gpube_dfs_function *f, int k, int64_t *m,
	bool with_costs);

/*
 * sum[r]: what live value r of p costs, and forces on each of its functions with their other
 * variables.
 */
void gpube__dfs_marginals(struct gpube_dfs *t, int32_t p, int64_t *sum);

/*
 * Where the trail stands, with which a level begins; and everything as it was then, at the level
 * before.
 */
struct gpube_dfs_mark {
	int64_t n_trail, n_removed, constant, level;
	/* decisions before: of who marks, which keeps the one that comes next there */
	int64_t n_steps;
};
void gpube__dfs_mark(struct gpube_dfs *t, struct gpube_dfs_mark *mark);
void gpube__dfs_undo(struct gpube_dfs *t, const struct gpube_dfs_mark *mark);

#endif
