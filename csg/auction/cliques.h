/*
 * cliques.h - sets of bids that exclude each other in pairs. Each is a row of the
 * linear program: at most one of them wins. Those of goods are the natural ones;
 * larger ones, and others that a fractional solution violates, bound better.
 */
#ifndef CSG_CLIQUES_H
#define CSG_CLIQUES_H

#include "gpube/base/arrays.h"

struct csg__weighed {
	double weight;
	int32_t bid;
};

/* Falling weights, of the same weight rising bids: for qsort(). */
int csg__by_weight(const void *a, const void *b);

struct csg__cliques {
	struct gpube_ctx *ctx;
	struct gpube__arrays arrays; /* ends by gpube__arrays_clear() */
	int n, words;                /* bids, words of a set of them */
	uint64_t *conflict;          /* n sets: who excludes a bid */
	int n_rows, most_rows;
	uint64_t *row;                /* most_rows sets */
	uint64_t *left, *clique;      /* scratch */
	struct csg__weighed *weighed; /* bids, the greatest weight first */
};

int csg__cliques_init(struct csg__cliques *c, struct gpube_ctx *ctx, int n, int most_rows);
void csg__cliques_exclude(struct csg__cliques *c, int i, int j);

/* Sets the weights of bids for what follows. Cost: O(bids log bids) */
void csg__cliques_weigh(struct csg__cliques *c, const double *weight);

/*
 * Makes 'seed', a clique, maximal, bids of greater weight first, and keeps it
 * unless it lies in one that is kept. Returns the row, or -1.
 */
int csg__cliques_add(struct csg__cliques *c, const uint64_t *seed);

/* Grows a clique from bid i by bids of positive weight into c->clique; the weight of those. */
double csg__cliques_grow(struct csg__cliques *c, int i);

/*
 * Good selections of bids by tabu search on the conflicts: walks, one for each thread, that go on
 * where they were. Those of csg__bid_search_run() are long enough to look at 'work' bids, or until
 * one has 'enough', a bound; a selection 'chosen' and its revenue *best are replaced by what is
 * better, and the first walk goes on from what others have found. The same selections for the same
 * calls.
 * price   of each bid, > 0; the caller's
 * Cost:   O(bids + conflicts) a step
 * Errors: ENOMEM: clear it all the same
 * Source: Wu and Hao, A review on algorithms for maximum clique problems, EJOR 2015
 */
struct csg__walk;

struct csg__bid_search {
	struct gpube__arrays arrays; /* ends by gpube__arrays_clear() */
	const struct csg__cliques *cliques;
	const int64_t *price;
	int64_t work, enough;
	int32_t *degree; /* of each bid: those that exclude it */
	int n_walks;
	struct csg__walk *walk;
};

int csg__bid_search_init(struct csg__bid_search *s, const struct csg__cliques *cliques,
	const int64_t *price, int n_walks);
void csg__bid_search_run(
	struct csg__bid_search *s, int64_t work, int64_t enough, uint8_t *chosen, int64_t *best);

#endif
