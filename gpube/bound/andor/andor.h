/*
 * andor.h - depth-first AND/OR search that caches what it learns of each subproblem. It solves
 * models that fall apart as their variables are decided, such as constraint graphs with small
 * separators.
 *
 * The elimination order makes a pseudo-tree of the variables: a variable's parent is the first
 * later one on which anything below it depends. The context of a node is the set of variables above
 * it that share a table with it or with a node below it. Once these are decided, its subproblem is
 * the same wherever their values are the same; subtrees beside each other are independent. So the
 * least cost of a subproblem, or a lower bound of it, is cached by its context, as long as there is
 * room.
 *
 * The costs are those of a join graph's tables (joingraph.h) after a forward pass: all costs that
 * could move have moved to the constant, no table is negative, and the sum of the decided
 * variables' tables is the mini-bucket bound of a partial assignment. A node only adds a few cells,
 * and each subproblem has 0 as its bound until more is known. That 0 is exact where a variable and
 * all below it have one mini-bucket each.
 *
 * The search decides whether an assignment costs less than a budget. The budget grows until one
 * does or the cutoff is reached. So no node is visited that the optimum does not need, each budget
 * that fails is a proved bound, and cached results stay valid for larger budgets. Several threads
 * search the same tree, each with another order of values; they share the cache and put off
 * subproblems at which another thread has been for long. A subproblem that took long is cached even
 * if its context comes up once: the other threads would solve it again, and so would the next turn,
 * which begins at the roots.
 *
 * Ranks (andor_far.c) are threads that share no memory: each searches the same tree with a cache of
 * its own, and they tell each other the results that took long, and at which subproblems they have
 * been for long. What the first rank has found alone is told at once, those results that took
 * longest. The first one that ends a budget ends it for all. A rank that is lost takes nothing with
 * it, since the others search all that they have not been told.
 *
 * Designs weighed. (1) Separators in the search tree with soft arc consistency (dfs_tree.h), as
 * toulbar2 has them: bounds of a node cost a hundred times as much and come from single functions.
 * At the root of one file they reach two thirds of the optimum, mini-buckets of 11 variables 0.998
 * of it. (2) Russian doll search on clusters, each subtree without its context
 * first: a pass on the join graph does the same for mini-buckets of all contexts. (3) This one.
 *
 * Source: Marinescu and Dechter, AI 173, 2009 (AND/OR branch and bound, caching); Terrioux and
 * Jégou, AI 146, 2003 (BTD: bounds kept by separator); Ihler et al., UAI 2012 (bounds from join
 * graphs); Weill, ICCA Journal 19, 1996 (threads that share a table).
 */
#ifndef GPUBE_ANDOR_H
#define GPUBE_ANDOR_H

#include <stdatomic.h>

#include "gpube/base/arrays.h"
#include "gpube/relax/joingraph.h"

/*
 * Words of a key, which is a variable's number and its context; most models need one or two.
 * Subproblems with longer keys are not cached.
 */
enum { GPUBE__ANDOR_WORDS = 4 };
/* Most of the memory for the cache. */
#define GPUBE__ANDOR_PART 0.25
/* More than any total. */
#define GPUBE__ANDOR_NEVER ((int64_t)1 << 60)

/*
 * A table of a variable; value a of that variable has the cells t[a * slab + sum of stride *
 * value].
 */
struct gpube_andor_table {
	const int32_t *t;
	int64_t slab;
	int32_t n;  /* other variables */
	int32_t at; /* of scope, stride */
};

/*
 * The remainders of rounding down a function, where the graph's units are coarser than the model's.
 * It belongs to the function's variable that is eliminated first.
 */
struct gpube_andor_rest {
	int64_t *t, slab;
	int32_t n, at, position;
};

/* Where the value of a context's variable lies in the key. */
struct gpube_andor_bits {
	int32_t position;
	uint8_t word, shift;
};

/* Variables have the numbers of their positions: a parent has a larger one. */
struct gpube_andor_node {
	int32_t domain, values_at; /* values_at: the place of its first value in a walker's rows */
	int32_t table_at, n_tables;
	int32_t rest_at, n_rests;
	int32_t child_at, n_children;
	int64_t context_at;
	int32_t n_context;
	int32_t parent, n_below; /* n_below: variables of its subtree */
	int32_t depth;           /* variables on the path from its root */
	bool keyed;              /* its contexts have keys */
	bool kept;               /* results of its subproblems are cached */
	bool whole;              /* its subproblem costs nothing once its parent is decided */
};

struct gpube_andor_cache;
struct gpube_andor_far;

/* The cached result of a subproblem: its least cost if exact, otherwise a lower bound. */
struct gpube_andor_known {
	int64_t cost;
	bool exact;
};

struct gpube_andor {
	struct gpube_ctx *ctx;
	const struct gpube_joingraph *g;
	const struct gpube_model *m;
	struct gpube__arrays memory;
	int32_t n, n_roots, n_values, n_words;
	struct gpube_andor_node *nodes;
	struct gpube_andor_table *tables;
	struct gpube_andor_rest *rests;
	int32_t n_rests;
	int32_t *scope, *children; /* children: the last ones are the roots */
	int64_t *stride;
	int up;            /* a unit of the graph is 2^up units of the search */
	int position_bits; /* bits of a variable's number in a key */
	struct gpube_andor_bits *context;
	struct gpube_andor_cache *cache;

	/* state of the present search */
	struct gpube_budget turn;
	int64_t budget, value;
	_Atomic bool over;  /* all threads return */
	_Atomic bool full;  /* all threads return, so that the cache grows */
	_Atomic bool ended; /* the search has ended with this value */
	_Atomic int64_t n_nodes;
	_Atomic int32_t *n_at;       /* by variable: threads that are long at its subproblems */
	_Atomic bool *known;         /* by variable: it has cached results, though not of all */
	int64_t number;              /* of the present budget, among those that ranks know */
	struct gpube_andor_far *far; /* what ranks tell each other, or NULL */
	struct gpube_joingraph *own; /* of a guest: g and m, which are its own; or NULL */
	struct gpube_model *own_m;
	struct gpube_andor_walker *walkers;
	int n_walkers, n_at_work; /* at work: of the present search */
};

/*
 * gpube__andor_new() - the pseudo-tree of a join graph after a whole forward pass, with the graph's
 * tables.
 * m       the model of the graph; both outlive it
 * bytes   most bytes of the cache, and as many for contexts
 * *out    NULL without an error: costs were rounded too far, or the tree is too deep or its
 *         contexts are too large
 * Errors: ENOMEM
 */
int gpube__andor_new(struct gpube_andor **out, const struct gpube_joingraph *g,
	const struct gpube_model *m, double bytes);
void gpube__andor_free(struct gpube_andor *a);

/* More cells than this do not travel. */
#define GPUBE__ANDOR_MOST_CELLS ((int64_t)1 << 28)

/*
 * gpube__put_andor() - the graph and its model, from which a search is made.
 * gpube__get_andor() - a search of them, to which they belong.
 * bytes  as for gpube__andor_new()
 * Errors: ENOMEM, EPARSE, ELIMIT
 */
struct gpube__bytes;
void gpube__put_andor(struct gpube__bytes *to, const struct gpube_andor *a);
int gpube__get_andor(struct gpube_andor **out, double bytes, struct gpube__bytes *from);

/*
 * gpube__put_andor_known() - what it has cached, of at most so many subproblems: those that took
 *                            most nodes.
 * gpube__get_andor_known() - to a search of the same tables, which nobody works on; *n: how many
 *                            results it has taken, -1: none, for they are of other tables
 * Errors: EPARSE, ENOMEM
 */
void gpube__put_andor_known(struct gpube__bytes *to, const struct gpube_andor *a, int64_t most);
int gpube__get_andor_known(struct gpube_andor *a, struct gpube__bytes *from, int64_t *n);

/*
 * gpube__andor_search() - whether an assignment costs less than the budget, in units of the graph
 * or, if those are coarser, of the model.
 * *value  out: the least cost if it is below the budget, otherwise a bound of at least the budget
 * values  out, where *value is below the budget: an optimal assignment, by the model's variables;
 *         NULL: it is not wanted
 * *ended  out; false: the turn was over, and nothing is known
 */
void gpube__andor_search(struct gpube_andor *a, int64_t budget, const struct gpube_budget *turn,
	int64_t *value, int32_t *values, bool *ended);

/* ---- other ranks (andor_far.c) --------------------------------------------------------------- */

/* As a method that ranks share (andor_guest.c); 'of' is the struct gpube_andor. */
struct gpube__shared;
struct gpube__shared_state;
extern const struct gpube__shared gpube__shared_andor;

/*
 * From now on other ranks share it, as number 'rank' of those; they are told what it has found that
 * took longest. Errors: ENOMEM
 */
int gpube__andor_far_open(struct gpube_andor *a, int rank);
void gpube__andor_far_close(struct gpube_andor *a);
/*
 * A search begins, of the owner (which tells the others), or of a guest; false: the budget has
 * ended, with a->value. Then gpube__andor_far_ended(): another rank has ended it meanwhile.
 */
bool gpube__andor_far_begin(struct gpube_andor *a);
bool gpube__andor_far_ended(const struct gpube_andor *a);
/* This rank has ended it with a->value, unless another one was first. */
void gpube__andor_far_end(struct gpube_andor *a);
/* A result of so many nodes; a thread has come to a subproblem (1) or gone from it (-1). */
void gpube__andor_far_result(struct gpube_andor *a, const uint64_t *key,
	const struct gpube_andor_known *known, int64_t effort);
void gpube__andor_far_mark(struct gpube_andor *a, int32_t p, uint64_t hash, int more);
/* Takes what others have told, by one of the threads; entries that are new. */
int64_t gpube__andor_far_take(struct gpube_andor *a);
/* Members of shared.h's table: what is to be told, what others have told, and where it is. */
int64_t gpube__andor_far_give(
	void *of, struct gpube__bytes *to, int64_t most, int to_rank, int64_t number);
int gpube__andor_far_read(void *of, struct gpube__bytes *from);
struct gpube__shared_state gpube__andor_far_state(void *of);

/* ---- what is kept (andor_cache.c) ------------------------------------------------------------ */

int gpube__andor_cache_new(struct gpube_andor_cache **out, struct gpube_ctx *ctx, int n_words,
	double bytes, bool shared);
void gpube__andor_cache_free(struct gpube_ctx *ctx, struct gpube_andor_cache *c);
uint64_t gpube__andor_hash(const struct gpube_andor_cache *c, const uint64_t *key);
/* Finds the result of a subproblem; false: there is none. */
bool gpube__andor_cache_find(struct gpube_andor_cache *c, const uint64_t *key, uint64_t hash,
	struct gpube_andor_known *known);
/*
 * Caches a result that took so many nodes (effort); in a full set it replaces the one that took
 * least. True: the cache has one entry more.
 */
bool gpube__andor_cache_keep(struct gpube_andor_cache *c, const uint64_t *key, uint64_t hash,
	const struct gpube_andor_known *known, int64_t effort);
/*
 * Counts new entries. Threads do so now and then, since they would wait for a counter that all of
 * them change.
 */
void gpube__andor_cache_count(struct gpube_andor_cache *c, int64_t n_new);
/*
 * Whether the cache should grow, and growing it while no thread uses it. Without memory it stays,
 * and new results replace those that took least.
 */
bool gpube__andor_cache_is_full(const struct gpube_andor_cache *c);
void gpube__andor_cache_grow(struct gpube_andor_cache *c, struct gpube_ctx *ctx);
/*
 * Grows it for so many more entries. Those of another cache come in the order of their sets: they
 * would fill the first sets of a small one, and take each other's places.
 */
void gpube__andor_cache_room(struct gpube_andor_cache *c, struct gpube_ctx *ctx, int64_t n);
/* Calls 'tell' with the results that took longest, at most so many; no thread uses it. */
void gpube__andor_cache_tell(const struct gpube_andor_cache *c, int64_t most,
	void (*tell)(void *arg, const uint64_t *key, const struct gpube_andor_known *known,
		int64_t effort),
	void *arg);
/* The cache never grows again. */
void gpube__andor_cache_settle(struct gpube_andor_cache *c);
/* Whether a thread is at a subproblem of that hash; threads say when they come and go. */
bool gpube__andor_is_busy(const struct gpube_andor_cache *c, uint64_t hash);
void gpube__andor_busy(struct gpube_andor_cache *c, uint64_t hash, int more);

#endif
