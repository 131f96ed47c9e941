/*
 * cliques.h - sets of bids that exclude each other in pairs. Each is a row of the
 * linear program: at most one of them wins. Those of goods are the natural ones;
 * larger ones, and others that a fractional solution violates, bound better.
 */
#ifndef CSG_CLIQUES_H
#define CSG_CLIQUES_H

#include "gpube/base/base.h"

struct csg__cliques {
	struct gpube_ctx *ctx;
	int n, words;       /* bids, words of a set of them */
	uint64_t *conflict; /* n sets: who excludes a bid */
	int n_rows, most_rows;
	uint64_t *row;           /* most_rows sets */
	uint64_t *left, *clique; /* scratch */
};

int csg__cliques_init(struct csg__cliques *c, struct gpube_ctx *ctx, int n, int most_rows);
void csg__cliques_clear(struct csg__cliques *c);
void csg__cliques_exclude(struct csg__cliques *c, int i, int j);

static inline bool csg__has(const uint64_t *set, int i)
{
	return set[i / 64] >> i % 64 & 1;
}

/*
 * Makes 'seed', a clique, maximal, bids of greater weight first, and keeps it
 * unless it lies in one that is kept. Returns the row, or -1.
 */
int csg__cliques_add(struct csg__cliques *c, const uint64_t *seed, const double *weight);

/* Grows a clique from bid i by weight into c->clique; its weight. */
double csg__cliques_grow(struct csg__cliques *c, int i, const double *weight);

/*
 * csg__bid_search() - good selections by tabu search on the conflicts, from random ones.
 * price   of each bid, > 0
 * enough  a bound: nothing is better
 * chosen  a selection and its revenue *best: replaced by what is better
 * Cost:   O(bids + conflicts) a step; the same result for the same seed
 * Errors: ENOMEM
 * Source: Wu and Hao, A review on algorithms for maximum clique problems, EJOR 2015
 */
struct csg__bid_search {
	const struct csg__cliques *cliques;
	const int64_t *price;
	int64_t steps, enough;
	uint64_t seed;
	uint8_t *chosen;
	int64_t *best;
};

int csg__bid_search(const struct csg__bid_search *s);

#endif
