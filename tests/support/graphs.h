/*
 * graphs.h - families of graphs from a seed, as matrices, and elimination orders on them by
 * versions as plain as can be. What they make is in the context of context.h.
 */
#ifndef GPUBE_TEST_GRAPHS_H
#define GPUBE_TEST_GRAPHS_H

#include <stdbool.h>

#include "gpube/order/order.h"
#include "gpube/options/options.h"

#define MOST 120

struct matrix {
	int n;
	int32_t domain[MOST];
	bool edge[MOST][MOST];
};

void sparse_of_matrix(struct gpube_graph *g, const struct matrix *m);

/* ---- naive versions -------------------------------------------------------- */

struct gpube_order_cost naive_cost(const struct matrix *from, const int32_t *order);
void naive_greedy(int32_t *order, const struct matrix *from, enum gpube_order_method method);

/* ---- families of graphs ------------------------------------------------------ */

struct family {
	const char *name;
	void (*make)(struct matrix *m, struct gpube_rng *r, int n);
	int width; /* -1: not known */
};

enum { N_FAMILIES = 8, N_SIZES = 12 };
extern const struct family families[N_FAMILIES];
extern const int sizes[N_SIZES]; /* 0 to MOST */

void clique(struct matrix *m, struct gpube_rng *r, int n);

/* One row of a data-driven test. */
struct row {
	int family, n, domains; /* domains: 0: all 2, 1: 1 to 5, 2: powers of ten */
	uint64_t seed;
};

/* malloc()ed; the random numbers may be drawn on. */
struct matrix *matrix_of_row(const struct row *row, struct gpube_rng *r);

/* side x side variables of one domain; no matrix, so that it may be larger than MOST. */
void make_grid(struct gpube_graph *g, int side, int32_t domain);

/* ---- checks -------------------------------------------------------------------- */

void assert_permutation(const int32_t *order, int32_t n);
/* Equal but for rounding. */
void assert_same_cost(const struct gpube_order_cost *a, const struct gpube_order_cost *b);

#endif
