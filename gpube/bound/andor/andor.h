/*
 * andor.h - depth-first search on an AND/OR tree that keeps what it has learnt of each subproblem:
 * what closes a model that falls apart as its variables are decided, as constraint graphs with
 * small separators do.
 *
 * The elimination order makes a tree of the variables: a variable's parent is the first later one
 * that anything below it depends on. Once the variables above a node are decided, its subproblem is
 * the same wherever its context, those of them that share a table with it or below it, has the same
 * values; subtrees beside each other are independent. So a subproblem's least cost, or a lower
 * bound of it, is kept by its context, as long as there is room.
 *
 * The costs are those of a join graph's tables (joingraph.h) after a pass forward: all that could
 * be passed on has gone to the constant, tables are nowhere negative, and what the tables of the
 * decided variables add up to is the bound that mini-buckets make of a partial assignment. Nothing
 * is to be computed at a node but a few cells to be added, and each subproblem has 0 as its bound
 * until more is known. Where a variable and all below it have one mini-bucket each, that 0 is
 * exact.
 *
 * A search is asked whether anything costs less than a budget, which grows until one does or it is
 * the limit. So no node is seen that the optimum does not ask for, a bound is proved with every
 * budget, and what was learnt with smaller ones stays true. Several threads search the same tree,
 * each in another order of values, keep what they learn at one place, and leave for the end what
 * another one has been at for long. What took long is kept though it comes up once: the others
 * would do it once more. (runs/measured-2c)
 *
 * Designs weighed. (1) Separators kept in the search by soft consistency (dfs_tree.h), as toulbar2
 * does: bounds of a node cost a hundred times as much, and are those of single functions: two
 * thirds of the optimum at the root of a file, of which mini-buckets of 11 variables have 0.998
 * (runs/measured-2c). (2) Russian dolls of clusters: solve each subtree first, without its context:
 * what a join graph's pass does, but for mini-buckets of all contexts. (3) This one.
 *
 * Source: Marinescu and Dechter, AI 173, 2009 (AND/OR branch and bound, caching); Terrioux and
 * Jégou, AI 146, 2003 (BTD: bounds kept by separator); Ihler et al., UAI 2012 (bounds from join
 * graphs); Weill, ICCA Journal 19, 1996 (threads that share a table).
 */
#ifndef GPUBE_ANDOR_H
#define GPUBE_ANDOR_H

#include <stdatomic.h>

#include "gpube/relax/joingraph.h"

/*
 * Words of a variable's number and its context, one or two for most models; what has a larger one
 * is not kept.
 */
enum { GPUBE__ANDOR_WORDS = 4 };
/* More than any total. */
#define GPUBE__ANDOR_NEVER ((int64_t)1 << 60)

/*
 * A table of a variable: its cells for the own value a are t[a * slab + the sum of stride * value].
 */
struct gpube_andor_table {
	const int32_t *t;
	int64_t slab;
	int32_t n;  /* other variables */
	int32_t at; /* of scope, stride */
};

/*
 * What rounding down has left of a function where the graph's tables are in units of 2^-shift of
 * the model's, a table of the first of its variables that is eliminated.
 */
struct gpube_andor_rest {
	int64_t *t, slab;
	int32_t n, at, position;
};

/* A context's variable: where its value is in the key. */
struct gpube_andor_bits {
	int32_t position;
	uint8_t word, shift;
};

/* Variables are called by their positions: a parent's is larger. */
struct gpube_andor_node {
	int32_t domain, values_at; /* values_at: its first value's place in a walker's rows */
	int32_t table_at, n_tables;
	int32_t rest_at, n_rests;
	int32_t child_at, n_children;
	int64_t context_at;
	int32_t n_context;
	int32_t parent, n_below; /* variables of its subtree */
	int32_t depth;           /* variables on its path */
	bool keyed;              /* its contexts have keys */
	bool kept;               /* what is known of its subproblems is */
	bool whole;              /* below a decided parent it costs nothing more */
};

struct gpube_andor_cache;

struct gpube_andor {
	struct gpube_ctx *ctx;
	const struct gpube_joingraph *g;
	int32_t n, n_roots, n_values, n_words;
	struct gpube_andor_node *nodes;
	struct gpube_andor_table *tables;
	struct gpube_andor_rest *rests;
	int32_t n_rests;
	int32_t *scope, *children; /* children: the roots behind them */
	int64_t *stride;
	int up;            /* a unit of the graph is 2^up of those of costs here */
	int position_bits; /* of a variable's number in a key */
	struct gpube_andor_bits *context;
	struct gpube_andor_cache *cache;

	/* of the search at work */
	struct gpube_budget turn;
	int64_t budget, value;
	_Atomic bool over;  /* threads are to come back */
	_Atomic bool full;  /* for a larger cache */
	_Atomic bool ended; /* value is what there is */
	_Atomic int64_t n_nodes;
	_Atomic int32_t *n_at; /* by variable: threads that are at a subproblem of it for long */
	_Atomic bool *known; /* of some that took long something is kept, though it is not of all */
	struct gpube_andor_walker *walkers;
	int n_walkers;
};

/*
 * gpube__andor_new() - the tree of a join graph after a whole pass forward, whose tables are
 * borrowed.
 * m       what the graph is of; no longer needed
 * bytes   for what is kept, and as many for contexts
 * *out    NULL without an error: costs were rounded too far, it is too deep, or its contexts are
 *         too large
 * Errors: ENOMEM
 */
int gpube__andor_new(struct gpube_andor **out, const struct gpube_joingraph *g,
	const struct gpube_model *m, double bytes);
void gpube__andor_free(struct gpube_andor *a);

/*
 * gpube__andor_search() - whether anything costs less than the budget: of what the tables cost, in
 * units of the graph's shift or, where that is negative, of the model.
 * *value   out: the least cost, if it is less than the budget; or a bound, the budget or more
 * values   out, where *value is below the budget: an assignment of that cost, by the model's
 *          variables
 * *ended   out: false: its time was over, and nothing is said
 */
void gpube__andor_search(struct gpube_andor *a, int64_t budget, const struct gpube_budget *turn,
	int64_t *value, int32_t *values, bool *ended);

/* ---- what is kept (andor_cache.c) ------------------------------------------------------------ */

/* What is known of a subproblem: its cost, or a bound. */
struct gpube_andor_known {
	int64_t cost;
	bool exact;
};

int gpube__andor_cache_new(struct gpube_andor_cache **out, struct gpube_ctx *ctx, int n_words,
	double bytes, bool shared);
void gpube__andor_cache_free(struct gpube_ctx *ctx, struct gpube_andor_cache *c);
uint64_t gpube__andor_hash(const struct gpube_andor_cache *c, const uint64_t *key);
/* What is known of it is about to be looked for. */
void gpube__andor_cache_fetch(const struct gpube_andor_cache *c, uint64_t hash);
/* False: nothing. */
bool gpube__andor_cache_find(struct gpube_andor_cache *c, const uint64_t *key, uint64_t hash,
	struct gpube_andor_known *known);
/*
 * effort: nodes that it took; of several for one place the one that took least goes. True: it is
 * one more than before.
 */
bool gpube__andor_cache_keep(struct gpube_andor_cache *c, const uint64_t *key, uint64_t hash,
	const struct gpube_andor_known *known, int64_t effort);
/*
 * So many more: told now and then, since a count that all threads raise at each of them is what
 * they would wait for.
 */
void gpube__andor_cache_count(struct gpube_andor_cache *c, int64_t n_new);
/*
 * Whether it is to be larger, and making it so while no thread is at it: where there is no memory,
 * or it has what it may have, what took least goes for what comes.
 */
bool gpube__andor_cache_is_full(const struct gpube_andor_cache *c);
void gpube__andor_cache_grow(struct gpube_andor_cache *c, struct gpube_ctx *ctx);
/* It is never to be larger than it is. */
void gpube__andor_cache_settle(struct gpube_andor_cache *c);
/* Whether some thread is at a subproblem of that hash; to be told when it comes and goes. */
bool gpube__andor_is_busy(const struct gpube_andor_cache *c, uint64_t hash);
void gpube__andor_busy(struct gpube_andor_cache *c, uint64_t hash, int more);

#endif
