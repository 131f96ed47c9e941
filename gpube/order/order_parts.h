/*
 * order_parts.h - inside the search for elimination orders, whose users include order.h.
 *
 *   order.c         which method
 *   order_search.c  the rounds of the search, on all threads
 *   order_cost.c    what an order costs
 *   order_greedy.c  greedy elimination of a whole graph
 *   order_seed.c    sweeps
 *   order_dissect.c nested dissection, on the graphs of order_coarsen.c; order_flow.c makes its
 *   separators lighter
 *   order_tree.c    an order's elimination tree, windows of it, local search
 *   order_window.c  elimination of a window: bit rows, greedy and exact
 *   order_anneal.c  the same by annealing
 *   order_subtree.c subtrees of an elimination tree, dissected anew
 *   order_last.c    orders that keep some vertices for the end
 */
#ifndef GPUBE_ORDER_PARTS_H
#define GPUBE_ORDER_PARTS_H

#include "gpube/order/order.h"
#include "gpube/options/options.h"

#include <math.h>

/* Whether a search is to end: a stop, or the time stop_at (gpube__now(); 0: never). */
static inline bool gpube__order_over(const struct gpube_ctx *ctx, double stop_at)
{
	return gpube__stopped(ctx) || (stop_at > 0 && gpube__now() >= stop_at);
}

/* The same, asked once in so many steps of work: when it has come to *next. */
enum { GPUBE__ORDER_LOOK = 20000 };
static inline bool gpube__order_check(
	const struct gpube_ctx *ctx, double stop_at, int64_t work, int64_t *next)
{
	if (work < *next)
		return false;
	*next = work + GPUBE__ORDER_LOOK;
	return gpube__order_over(ctx, stop_at);
}

/*
 * log2 of a number of cells, in fixed point: adding and subtracting domains is
 * exact, and a set of variables has one number, in whatever order it was met.
 */
#define GPUBE_LOG_ONE 0x1p24

static inline int64_t gpube__log_domain(int32_t domain)
{
	return llround(log2(domain) * GPUBE_LOG_ONE);
}

/* cells^power */
static inline double gpube__log_to_weight(int64_t log_cells, double power)
{
	return exp2((double)log_cells * (power / GPUBE_LOG_ONE));
}

/* ---- greedy elimination of a whole graph ----------------------------------- */

/*
 * Which vertex is next: the smallest of
 *   by_fill * edges that its elimination adds + by_degree * its degree
 *   + by_size * log2(cells of its message) + by_domain * log2(its domain)
 * noise multiplies each key, when it is computed, by a random factor from 1 to
 * 1 + noise. Ties: at random if 'random', else by smallest index. With 'group' those of lower
 * groups come first, whatever else is said of them.
 */
struct gpube_greedy_rule {
	double by_fill, by_degree, by_size, by_domain, noise;
	bool random;
	const int32_t *group; /* by vertex, or NULL */
	/* ends when so many vertices are left, which come last in any order */
	int32_t n_kept;
};

extern const struct gpube_greedy_rule gpube__min_fill, gpube__min_size, gpube__min_degree;

struct gpube_greedy;

/*
 * gpube__greedy_new() - buffers for eliminations of g, which must outlive them.
 * with_fill  counts fill; without it by_fill must be 0
 * like       NULL, or another of the same g and with_fill, which saves counting
 * Errors: ENOMEM
 */
int gpube__greedy_new(struct gpube_greedy **out, struct gpube_ctx *ctx, const struct gpube_graph *g,
	bool with_fill, const struct gpube_greedy *like);
void gpube__greedy_free(struct gpube_greedy *w);

/*
 * gpube__greedy_run() - one elimination of all vertices.
 * order       out: n vertices; on ESTOP completed in some way
 * most_sum, most_cells  gives up when the sum of joined cells passes the one,
 *             or a joined table the other
 * rng         may be NULL without noise and random ties
 * may_grow    false: takes no memory, and gives up where it would have to
 * Cost:   O(sum over fill edges of a degree, + n log n)
 * Errors: ELIMIT (gave up), ENOMEM, ESTOP
 */
int gpube__greedy_run(struct gpube_greedy *w, int32_t *order, const struct gpube_greedy_rule *rule,
	double most_sum, double most_cells, struct gpube_rng *rng, bool may_grow);

/* Operations done so far: the search's clock, the same on every machine. */
int64_t gpube__greedy_work(const struct gpube_greedy *w);
/*
 * From now on for another graph, with no more vertices and edges than that of gpube__greedy_new().
 */
void gpube__greedy_aim(struct gpube_greedy *w, const struct gpube_graph *g);
/* Room for lists of neighbours, for runs that may not grow. Errors: ENOMEM */
int gpube__greedy_reserve(struct gpube_greedy *w, int64_t words);
/* gpube__now() at which runs end with ESTOP; 0: never. */
void gpube__greedy_stop_at(struct gpube_greedy *w, double stop_at);
/* Variables of all messages of the last run together. */
int64_t gpube__greedy_messages(const struct gpube_greedy *w);

/* ---- elimination of a window ------------------------------------------------- */

/* Most vertices of a window with its boundary. */
#define GPUBE_WINDOW_MAX 256
/* Most vertices that are eliminated by exact search. */
#define GPUBE_EXACT_MAX    12
#define GPUBE_WINDOW_WORDS (GPUBE_WINDOW_MAX / 64)

/*
 * A graph as bit rows of 'words' words: vertices [0, n_inner) are eliminated,
 * the boundary [n_inner, n) stays (and is a clique).
 */
struct gpube_order_window {
	int n, n_inner, words;
	int64_t log_domain[GPUBE_WINDOW_MAX];
	uint64_t rows[GPUBE_WINDOW_MAX * GPUBE_WINDOW_WORDS];
};

/* Buffers of the two functions below. */
struct gpube_window_work {
	uint64_t rows[GPUBE_WINDOW_MAX * GPUBE_WINDOW_WORDS];
	int32_t degree[GPUBE_WINDOW_MAX], fill[GPUBE_WINDOW_MAX];
	int64_t log_message[GPUBE_WINDOW_MAX];
	double key[GPUBE_WINDOW_MAX];
	int left[GPUBE_WINDOW_MAX];
	double best[1 << GPUBE_EXACT_MAX];
	unsigned char last[1 << GPUBE_EXACT_MAX];
	int64_t work;
};

/* What a window's order is judged by: the sum of (joined cells)^power, no table past most_log. */
struct gpube_window_goal {
	double power, most_sum;
	int64_t most_log;
};

/*
 * One greedy elimination.
 * order  out: n_inner vertices
 * sum    out: below goal->most_sum
 * Returns false if it gave up.
 */
bool gpube__window_greedy(const struct gpube_order_window *g, struct gpube_window_work *w,
	uint8_t *order, double *sum, const struct gpube_greedy_rule *rule,
	const struct gpube_window_goal *goal, struct gpube_rng *rng);

/*
 * The best elimination: dynamic programming over the 2^n_inner sets eliminated
 * first; n_inner <= GPUBE_EXACT_MAX. Returns false if none meets the goal.
 */
bool gpube__window_exact(const struct gpube_order_window *g, struct gpube_window_work *w,
	uint8_t *order, double *sum, const struct gpube_window_goal *goal);

/* Most different domains of a window that is annealed. */
enum { GPUBE_ANNEAL_DOMAINS = 16 };

/* Buffers of gpube__window_anneal(): an order, by places. */
struct gpube_anneal {
	int n_domains;
	uint64_t of_domain[GPUBE_ANNEAL_DOMAINS][GPUBE_WINDOW_WORDS];
	/* of so many vertices of a domain */
	double weight_of[GPUBE_ANNEAL_DOMAINS][GPUBE_WINDOW_MAX + 1];
	double shrinks[GPUBE_WINDOW_MAX]; /* a table by that vertex */
	uint8_t order[GPUBE_WINDOW_MAX], trial[GPUBE_WINDOW_MAX];
	uint64_t scope[GPUBE_WINDOW_MAX * GPUBE_WINDOW_WORDS];
	int joins[GPUBE_WINDOW_MAX]; /* the place whose vertex is next to need that place's scope */
	/* behind: that of all places from it on */
	double weight[GPUBE_WINDOW_MAX], behind[GPUBE_WINDOW_MAX + 1];
	int clique; /* the place from which on all are a clique */
	int64_t work;
};

/*
 * Annealing for 'budget' operations.
 * order  in: of its n_inner vertices, where it begins; out: the best that meets the goal, if one
 *        does
 * heat   log2 of what a step may add to the sum, at first
 * Returns false if none meets the goal.
 */
bool gpube__window_anneal(const struct gpube_order_window *g, struct gpube_anneal *a,
	uint8_t *order, double *sum, const struct gpube_window_goal *goal, double heat,
	int64_t budget, struct gpube_rng *rng);

/* ---- an order and its elimination tree ------------------------------------------ */

struct gpube_tree_sum {
	/* joined cells, most of one vertex, sum of each to 'power' */
	double cells, largest, weight;
};

struct gpube_tree {
	struct gpube_ctx *ctx;
	const struct gpube_graph *g;
	int32_t n_free; /* vertices from this number on stay last, and cost nothing */
	int32_t *order, *position;
	int32_t *parent, *child, *sibling; /* -1: none; child: first, sibling: next */
	int64_t *at, pool_size, pool_limit,
		pool_used; /* message scopes: pool[at[v]] … pool[at[v] + arity[v] - 1] */
	int32_t *arity, *pool;
	int64_t *log_domain, *log_cells; /* log_cells: of the joined table */
	/*
	 * a tree of sums over all vertices, so that a window's change costs no walk over all of
	 * them
	 */
	struct gpube_tree_sum *sums; /* node k: of 2 k and 2 k + 1; 1: of all; n + v: of vertex v */
	double power, total_weight;  /* what the search lowers */
	double sum, largest;         /* of cells */
	int32_t *seen, *local, *member, *below, last_seen;
	double most_sum, most_cells;       /* what an order may cost to be best */
	int32_t *first_order, *best_order; /* first: as it was set */
	double best_sum, best_largest;     /* infinite: none yet */
	double stop_at;                    /* gpube__now() at which to end; 0: never */
	struct gpube_rng rng;
	int64_t work;
	struct gpube_order_window window;
	struct gpube_window_work window_work;
	struct gpube_anneal anneal;
	double anneal_work; /* of the next window, for each of its vertices */
	int anneal_size;    /* which size it has */
};

/* pool_size: most variables of all messages together. Errors: ENOMEM */
int gpube__tree_new(struct gpube_tree **out, struct gpube_ctx *ctx, const struct gpube_graph *g,
	int64_t pool_size);
void gpube__tree_free(struct gpube_tree *t);

static inline struct gpube_tree_sum *gpube__tree_sum(const struct gpube_tree *t, int32_t v)
{
	return &t->sums[t->g->n + v];
}

/* From now on for another graph, with no more vertices than that of gpube__tree_new(). */
void gpube__tree_aim(struct gpube_tree *t, const struct gpube_graph *g, int32_t n_free);

/* Takes an order, a permutation; false if its messages do not fit the pool. */
bool gpube__tree_set(struct gpube_tree *t, const int32_t *order);

/* Gives a subtree's vertices that order; they end at position 'at', that of its top. */
void gpube__tree_place(struct gpube_tree *t, const int32_t *vertex, int32_t n, int32_t at);

/* A vertex drawn by its joined cells, to t->power. */
int32_t gpube__tree_draw(struct gpube_tree *t);

/*
 * What decides between orders: a smaller sum is a shorter elimination, a
 * smaller largest table takes less memory. A table off the largest is worth as
 * much as four off the sum.
 */
static inline double gpube__order_merit(double sum, double largest)
{
	return sum + 4 * largest;
}

/*
 * gpube__tree_improve() - local search from t's order for 'budget' operations;
 * the best order met is t->best_order.
 * power   of the joined cells whose sum the steps lower, >= 1; above 1 it
 *         presses on the largest tables
 * heat    first share of that sum by which a step may raise it; falls to 0
 */
void gpube__tree_improve(struct gpube_tree *t, double power, double heat, int64_t budget);

/*
 * gpube__tree_anneal() - anneals windows of t's order, and keeps what costs less.
 * credit  operations, less those done on return: ends where the next window would take more than
 *         are left
 */
void gpube__tree_anneal(struct gpube_tree *t, int64_t *credit);

/* ---- sweeps: orders from the graph's shape ----------------------------------------------- */

struct gpube_seeder {
	const struct gpube_graph *g;
	int64_t *log_domain, *growth;
	int32_t *level, *queue, *part, *front, *begin;
	struct gpube_ctx *ctx;
	double stop_at;
	bool stopped;
	int64_t work, next_check;
};

/* Errors: ENOMEM */
int gpube__seeder_new(
	struct gpube_seeder **out, struct gpube_ctx *ctx, const struct gpube_graph *g);
/* gpube__now() after which sweeps end in haste; 0: never. */
void gpube__seeder_stop_at(struct gpube_seeder *s, double stop_at);
void gpube__seeder_free(struct gpube_seeder *s, struct gpube_ctx *ctx);

/*
 * A front that moves over the graph from one end of each component, as if the rows of a
 * grid were eliminated one after another. The next vertex is that of the front by which
 * the front grows least, among equals the one that was in it longest. 'by_age': always the
 * one that was in it longest (Cuthill-McKee). The front starts at 'first' in the component
 * of 'first'; in others, or if 'first' is -1, at a vertex far from a random one.
 */
void gpube__sweep(
	struct gpube_seeder *s, int32_t *order, int32_t first, bool by_age, struct gpube_rng *rng);

/* ---- nested dissection ------------------------------------------------------------------- */

struct gpube_dissector;

/* Errors: ENOMEM */
int gpube__dissector_new(
	struct gpube_dissector **out, struct gpube_ctx *ctx, const struct gpube_graph *g);
/* As gpube__greedy_stop_at(). */
void gpube__dissector_stop_at(struct gpube_dissector *d, double stop_at);
void gpube__dissector_free(struct gpube_dissector *d);
int64_t gpube__dissector_work(const struct gpube_dissector *d);

/*
 * Halves the graph by a separator, and its parts, until they have at most 'least' vertices or
 * no separator. Vertices from n_free on stay outside and last.
 * group     out: by vertex; one is to be eliminated after all of lower groups
 * balance, tries: least share of the weight on either side of a separator, below 0.5; separators
 *           that are found for each part, the lightest of which is taken
 * around    above 0: a separator halves also what lies around a part, which has so many times the
 *           part's mass, since all that is around a part is in its tables
 * most_log  log2 of most cells of a separator together with what lies around its part
 * Returns false, and no groups, as soon as it meets a part that has no separator with as few cells.
 */
struct gpube_dissection {
	int32_t n_free, least;
	int tries;
	double balance, most_log, around;
};

/* One of several values that do well. */
static inline double gpube__draw_around(struct gpube_rng *rng)
{
	static const double values[] = {0, 0.5, 1, 2};

	return values[gpube__rng_below(rng, sizeof(values) / sizeof(*values))];
}

bool gpube__dissect(struct gpube_dissector *d, int32_t *group, const struct gpube_dissection *how,
	struct gpube_rng *rng);
/*
 * From now on for another graph, with no more vertices and edges than that of
 * gpube__dissector_new().
 */
void gpube__dissector_aim(struct gpube_dissector *d, const struct gpube_graph *g);

/* ---- subtrees of an elimination tree, dissected anew ---------------------------------------- */

struct gpube_subtree;

/* For trees of g; 'like' and pool_size as of its greedy and its tree. Errors: ENOMEM */
int gpube__subtree_new(struct gpube_subtree **out, struct gpube_ctx *ctx,
	const struct gpube_graph *g, const struct gpube_greedy *like, int64_t pool_size);
/* As gpube__greedy_stop_at(). */
void gpube__subtree_stop_at(struct gpube_subtree *s, double stop_at);
void gpube__subtree_free(struct gpube_subtree *s);
int64_t gpube__subtree_work(const struct gpube_subtree *s);

/*
 * Draws subtrees of t's elimination tree, around its large buckets, and gives their vertices
 * another order where that costs less: t->order and t->best_order change.
 * credit  operations, less those done on return: ends where the next subtree would take more than
 *         are left
 */
void gpube__subtrees_improve(struct gpube_subtree *s, struct gpube_tree *t, int64_t *credit);

/* ---- the search ------------------------------------------------------------------------- */

struct gpube_rounds;

/*
 * Whether a search pays that has taken so many operations, where the best order has so many joined
 * cells.
 */
bool gpube__rounds_pay(int64_t work, double joined_cells, double cells_per_second);

/*
 * gpube__rounds_new() - rounds that improve on 'order', which costs *cost, neither in the sum nor
 * in the largest table ever above it.
 * out       NULL without an error: there is no memory to spare
 * messages  variables of its messages together
 * work      operations that went into it
 * No domain is 1. g must outlive them. Errors: ENOMEM
 */
int gpube__rounds_new(struct gpube_rounds **out, struct gpube_ctx *ctx, const int32_t *order,
	const struct gpube_order_cost *cost, const struct gpube_graph *g, uint64_t seed,
	int64_t messages, int64_t work);
void gpube__rounds_free(struct gpube_rounds *s);

/* Rounds for so long, after those that were before; returns the best order of all. */
const int32_t *gpube__rounds_go(
	struct gpube_rounds *s, struct gpube_order_time time, double cells_per_second);

#endif
