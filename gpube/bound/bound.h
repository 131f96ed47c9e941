/*
 * bound.h - what the bound methods share: the simplified model, the best bounds
 * so far, and who is told when one improves.
 */
#ifndef GPUBE_BOUND_H
#define GPUBE_BOUND_H

#include "gpube/ir/graph.h"
#include "gpube/ops/ops.h"
#include "gpube/relax/search.h"
#include "gpube/simplify/simplify.h"

/* Finer than that, costs gain nothing. */
enum { GPUBE__MOST_SHIFT = 20 };

/* Times what a second joins: beyond, no order helps, nor do slices. */
#define GPUBE__HOPELESS 1e9

struct gpube_shifted_opts;
struct gpube_dfs_tree;

struct gpube_bounder {
	struct gpube_ctx *ctx;
	const struct gpube_ops *ops;
	const struct gpube_bound_opts *opts;
	const struct gpube_model *given, *costs; /* costs: of potentials, quantised */
	struct gpube_model *quantised;
	struct gpube_simplified s;
	const struct gpube_model *m; /* simplified; totals below are its */
	/*
	 * What ascents and mini-buckets begin from: m, or the same functions, and unary ones, with costs
	 * shifted between them; totals below the limit are the same, times 2^finer, forbidden values
	 * perhaps more.
	 */
	const struct gpube_model *tables;
	int finer;
	struct gpube_model *kept; /* tables, where it is not m */
	double start;

	int64_t lower; /* no total is below; GPUBE_INF: none is allowed */
	int64_t upper; /* of 'best'; GPUBE_INF: none known */
	int64_t limit; /* totals from here on are of no interest: min(top, cutoff, upper) */
	int64_t cutoff; /* GPUBE_INF: none given */
	int32_t *best, *extended; /* of the simplified, of the given model */
	int32_t *tried;
	double seconds_lower, seconds_upper;
	struct gpube_search *search;
	const char *backend; /* of the ascent */
	struct gpube_shifted *shifted; /* wanted from the last ascent, or NULL */
	const struct gpube_shifted_opts *shifting; /* how, with 'shifted' */
	int most_shift; /* of an ascent */
	bool lifted;	/* shifted is made */
	int32_t *order; /* of the simplified model; order_cost is what it costs */
	struct gpube_order_cost order_cost;
	double quick_along; /* joined cells of the order that quick mini-buckets ran along; 0: none */
	int z;
	struct gpube_dfs_tree *tree; /* the search tree, from one of its turns to the next; or NULL */
};

/* True when nothing is left to find out. */
static inline bool gpube__bounder_done(const struct gpube_bounder *b)
{
	return b->lower >= b->limit || b->lower >= b->upper; /* (limit is below upper, as a rule) */
}

/* A proved bound: kept, and told, if it is better. 'by' names the method. */
void gpube__bounder_raise(struct gpube_bounder *b, int64_t lower, const char *by);

/* A total of m as one of b->tables, the limit as one, and a bound of the tables' totals as one of m's. */
static inline int64_t gpube__tables_total(const struct gpube_bounder *b, int64_t total)
{
	return total == GPUBE_INF ? total : total * ((int64_t)1 << b->finer);
}
static inline int64_t gpube__tables_limit(const struct gpube_bounder *b)
{
	return gpube__tables_total(b, b->limit);
}
static inline int64_t gpube__tables_bound(const struct gpube_bounder *b, int64_t bound)
{
	return bound == GPUBE_INF ? bound : (bound + ((int64_t)1 << b->finer) - 1) >> b->finer;
}

/*
 * An assignment of the simplified model: priced from the tables as they were
 * read, kept, and told, if it is allowed and better.
 * Errors: EBUG (the simplified model prices it differently)
 */
int gpube__bounder_offer(struct gpube_bounder *b, const int32_t *values, const char *by);

/* Local search for 'steps' steps; from an assignment, if not NULL. */
int gpube__bounder_search(struct gpube_bounder *b, const int32_t *from, int64_t steps);

/*
 * gpube__bounder_eliminate() - elimination, if it fits the memory and 'seconds':
 * the best assignment below the limit is offered, if there is one.
 * dead   NULL, or for each value of the simplified model (in one row, at[i] + a)
 *        whether it is not to be looked at
 * done   out: whether it was; then nothing but what is dead is below the limit
 *        that there is now
 */
int gpube__bounder_eliminate(struct gpube_bounder *b, const uint8_t *dead, const int64_t *at,
	double seconds, bool *done);

/*
 * gpube__bounder_slices() - elimination of the whole where its tables do not fit, the values of a few
 * variables given in turn; if that should take a small part of 'seconds', and until it is seen that
 * it takes more. Otherwise as gpube__bounder_eliminate(), which does so as well, with less patience.
 */
int gpube__bounder_slices(struct gpube_bounder *b, double seconds, bool *done);

/*
 * gpube__bounder_quick_mbe() - mini-buckets of a tenth of a second: the largest z of at most
 * GPUBE__QUICK_CELLS joined cells. What comes next may take seconds before it says anything.
 */
#define GPUBE__QUICK_CELLS 2e7
int gpube__bounder_quick_mbe(struct gpube_bounder *b);

/*
 * gpube__bounder_quick_joins() - there and back on the join graph, from one of a millisecond, each time
 * with larger mini-buckets, for 'seconds'. (Mini-buckets alone of so few cells take longer: of a grid of 20 by 20
 * those of four variables take 5 ms, nearly all of it plans of 400 contractions; there and back with eight takes 4.)
 */
int gpube__bounder_quick_joins(struct gpube_bounder *b, double seconds);

/* Few variables for the width of the order: nearly everything depends on everything. */
bool gpube__bounder_dense(const struct gpube_bounder *b);

/* Small domains, and not dense: the join graph is the better ascent. */
bool gpube__bounder_prefers_joins(const struct gpube_bounder *b);

/*
 * gpube__bound_first() - shifts between functions in 64 bits, as long as they pay and for 'seconds' at most,
 * assignments read off them, and b->tables. Nothing is done where tables are too large, or
 * totals. It uses b->order, which is not made yet.
 */
int gpube__bound_first(struct gpube_bounder *b, double seconds);

/* The methods; each ends when it has nothing more to say, with ESTOP when stopped. */
int gpube__bound_mbe(struct gpube_bounder *b);
/* clusters: false: shifts between functions only. eliminate: seconds for what is left, or 0 */
int gpube__bound_clusters(struct gpube_bounder *b, bool clusters, double eliminate);
struct gpube_clusters;
/*
 * The ascent on nested regions of the pairs of c, which it uses up, and splitting of what it
 * leaves open. *done false: the model, or the backend that was asked for, is not for it.
 */
int gpube__bound_nested(struct gpube_bounder *b, struct gpube_clusters *c, bool *done);
/* A search tree: all of what is left, or what can be seen of it in 'seconds'. */
int gpube__bound_dfs(struct gpube_bounder *b, double seconds);
void gpube__dfs_tree_free(struct gpube_dfs_tree *tree);
/* True if no assignment below the limit has the value, as the search tree has found. */
bool gpube__bounder_is_dead(const struct gpube_bounder *b, int32_t var, int32_t value);
/* In about 'seconds'; where they are finite, it does nothing if it has little hope. */
int gpube__bound_sweep(struct gpube_bounder *b, double seconds);
/* seconds: for all of it */
int gpube__bound_joins(struct gpube_bounder *b, double seconds);

#endif
