/*
 * live.h - the values that a model's variables can still take, and dense tables
 * seen through them: what the passes of gpube__simplify() share.
 */
#ifndef GPUBE_LIVE_H
#define GPUBE_LIVE_H

#include "gpube/ir/model.h"

/*
 * The least cost of a table is taken off all its costs as they are read, and they are cut off at
 * GPUBE__COST_LIMIT, so that a sum of two fits. A cost that was cut off is at least as large as it
 * seems. That does no harm where no total below top can use it; otherwise gpube__narrow() does
 * without such costs, or refuses the model. Nothing is cut off from below.
 */
#define GPUBE__COST_LIMIT (((int64_t)1 << 62) - 1)

/* Dimensions of two or more values that a dense table can have. */
enum { GPUBE__MAX_WALK = 64 };

/*
 * What is known of a function. min, max: over its live cells below 'cut', the
 * other ones are forbidden; min is GPUBE_INF if there is none. Every total that
 * uses a cell >= cut reaches top (GPUBE_INF: no such bound). All are less the
 * least cost of the table.
 */
struct gpube_live_function {
	int64_t min, max, cut;
};

static inline void gpube__range_add(struct gpube_live_function *f, int64_t v)
{
	if (v == GPUBE_INF)
		return;
	if (f->min == GPUBE_INF || v > f->max)
		f->max = v;
	if (v < f->min)
		f->min = v;
}

/* All costs in here are to be minimised: those of a model that maximises are negated. */
struct gpube_live {
	const struct gpube_model *m;
	bool reductions; /* false: nothing is removed, evidence is ignored */
	bool settles;    /* with reductions: a variable of no function takes its first value */
	bool negate;
	bool infeasible;

	/* Live value j of variable i is list[start[i] + j], ascending, j < n[i];
	 * rank[start[i] + a] is a's j, or -1. Without functions only list[start[i]]
	 * exists: the value if n[i] == 1. */
	int64_t *start;
	int32_t *n, *list, *rank;
	int64_t n_removed; /* values, without those that evidence excludes */
	int32_t n_settled; /* variables */

	struct gpube_live_function *f;
	/* per table: its least finite cost as it is stored (negate: the greatest), or 0 */
	int64_t *least;
	__int128 base; /* constant + sum of the functions' least costs, negated where costs are */
	bool has_top;
	__int128 top; /* negated, too; valid if has_top */
	__int128 low; /* base + sum of the functions' min */
	/* sum of max - min: every finite total is in [low, low + span]; gpube__narrow() sets it */
	__int128 span;
};

/*
 * gpube__live_init() - all values live, but for evidence and what settles.
 * gpube__live_propagate() - removes values that no total below top can use,
 * until every function by itself has a use for every value left. A function has no
 * use for a value if all its cells with it are forbidden, or are so large that with
 * the minima of the other functions they reach top. A function is read again only
 * when a domain or the slack below top shrank.
 * Errors: EINVAL (evidence), ENOMEM, ESTOP
 */
int gpube__live_init(
	struct gpube_live *s, const struct gpube_model *m, bool reductions, bool settles);
int gpube__live_propagate(struct gpube_live *s);
void gpube__live_clear(struct gpube_live *s);

static inline int64_t gpube__live_least(const struct gpube_live *s, int32_t function)
{
	return s->least[s->m->functions[function].table];
}

/* The cost that makes a total reach top, given that the rest costs at least low - min. */
int64_t gpube__live_cut(const struct gpube_live *s, int64_t min);

/* All live values of the scope make how many cells: 2^100 stands for that many and more. */
unsigned __int128 gpube__live_cells(const struct gpube_live *s, int arity, const int32_t *scope);

/*
 * A walk over the cells of some dimensions, row by row. Each window reads one
 * table along it. A row is the last dimension, or as many of the last ones as
 * have GPUBE__ROW cells together: tables of binary variables need no other care.
 */
enum { GPUBE__ROW = 256 };

struct gpube_window {
	const void *values;
	enum gpube_type type;
	bool negate;
	bool adjacent; /* a row's values are neighbours */
	int64_t least; /* of the table: see gpube__live_cost() */
	int64_t cut;
	int64_t less;       /* what gpube__merge() takes off */
	int64_t at;         /* where the current row begins */
	const int64_t *row; /* from there to its cells */
	const int64_t
		*offset[GPUBE__MAX_WALK]; /* of a dimension's values; NULL: not in its scope */
};

struct gpube_walk {
	int n_dims;
	int32_t size[GPUBE__MAX_WALK], index[GPUBE__MAX_WALK];
	int n_outer; /* dimensions before those of the row */
	int32_t row; /* cells of a row */
	int64_t n_windows;
	struct gpube_window *windows;
};

/* Adds a dimension; all are there before the walk begins and windows are opened. */
static inline int gpube__walk_add(struct gpube_walk *walk, int32_t size)
{
	walk->size[walk->n_dims] = size;
	return walk->n_dims++;
}

void gpube__walk_begin(struct gpube_walk *walk);

/* Goes to the next row; false after the last. */
bool gpube__walk_next(struct gpube_walk *walk);

/*
 * gpube__window_open() - window 'w' of the walk on a dense table.
 * slot     of a variable: its dimension in the walk, or -1
 * compact  the table's dimensions hold live values only, not whole domains
 * offsets  room for gpube__walk_offsets()
 */
void gpube__window_open(struct gpube_walk *walk, struct gpube_window *w, const struct gpube_live *s,
	const struct gpube_table *t, const int32_t *scope, const int32_t *slot, bool compact,
	int64_t *offsets);
int64_t gpube__walk_offsets(const struct gpube_walk *walk);

/* The window's current row: GPUBE_INF where forbidden or >= cut. */
void gpube__window_row(int64_t *row, const struct gpube_walk *walk, const struct gpube_window *w);

/*
 * A cost as the passes see it: negated where wanted, less the table's least, cut off at the limit.
 * The difference of two 64-bit costs, one of which is the least, is below 2^64.
 */
static inline int64_t gpube__live_cost(int64_t v, bool negate, int64_t least)
{
	uint64_t above = negate ? (uint64_t)least - (uint64_t)v : (uint64_t)v - (uint64_t)least;

	if (v == GPUBE_INF)
		return v;
	return above > GPUBE__COST_LIMIT ? GPUBE__COST_LIMIT : (int64_t)above;
}

/* ---- a sum of functions as one table ---------------------------------------------- */

/* Scratch of gpube__merge(): zero-initialise, slot: n_vars entries of -1; clear at the end. */
struct gpube_merge {
	const struct gpube_live *s;
	int32_t *slot;
	int64_t *row, *sum, *offsets;
	int64_t row_capacity, sum_capacity, offsets_capacity;
	struct gpube_window *windows;
	struct gpube_table *temporary; /* sparse members, made dense */
	int64_t windows_capacity, temporary_capacity;
};

/*
 * gpube__merge() - the sum of functions over their live cells, each less its
 * own min: a table over 'scope', whose dimensions are the live values.
 * table    out: the caller's arrays; type, sparse, arity, n, dflt are set
 * range    out: min and max of its finite cells; min GPUBE_INF if there is none
 * scope    has every variable of two live values or more that a member has
 * dense    false: every member is sparse and has all of 'scope'
 * Errors: ENOMEM (nothing is left to free)
 */
int gpube__merge(struct gpube_merge *w, struct gpube_table *table,
	struct gpube_live_function *range, int arity, const int32_t *scope, int32_t n_members,
	const int32_t *members, bool dense);
void gpube__merge_clear(struct gpube_merge *w);

/* Takes 'less' off all finite values and forbids those that were >= cut; makes the type narrow. */
int gpube__table_lower(struct gpube_ctx *ctx, struct gpube_table *t, int64_t less, int64_t cut);

/* ---- the passes ---------------------------------------------------------------------- */

/*
 * gpube__condense() - the model of the live values: functions of equal scope
 * summed, unary ones added to others, constant ones gone, minima in the
 * constant. s->infeasible may be found on the way; then *out is NULL.
 * n_merged, n_absorbed  counted up
 * Errors: ENOMEM
 */
int gpube__condense(
	struct gpube_model **out, struct gpube_live *s, int32_t *n_merged, int32_t *n_absorbed);

/* Whether a variable is in no function and has taken one of several values. */
static inline bool gpube__live_settled(const struct gpube_live *s, int32_t i)
{
	return s->settles && s->start[i + 1] - s->start[i] < s->m->vars[i].domain &&
	       !(s->m->evidence && s->m->evidence[i] >= 0);
}

/* Whether a variable is still one in the condensed model. */
static inline bool gpube__live_kept(const struct gpube_live *s, int32_t i)
{
	return s->n[i] > 1 || !s->reductions;
}

#endif
