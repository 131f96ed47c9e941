/*
 * clusters.h - dual ascent on pairs of variables and on triangles of them, in exact integers.
 *
 * The cost of an assignment is a constant plus one cell of each table. A move
 * shifts costs between tables that share variables, or a table's minimum into
 * the constant; the total of every assignment stays the same, and every table
 * stays non-negative, so the constant is always a lower bound: nothing has to be
 * believed about how it was reached.
 *
 * Tables: one a variable, one a pair of variables, one a larger function
 * ("wide", which trades with its variables only). These alone are what cost shifting
 * works on and what nested regions (nested.h) are made of. A reparametrised model may have
 * triangles, too: a cluster of three variables has no table, it is the sum of addends, one
 * for each of its pairs, which may be negative while their sum is not. It takes the pairs'
 * costs into its addends, and hands each pair a part of what the whole cluster forces on
 * it, its min-marginal: a min-plus product of small tables that stay in the cache.
 *
 * Numbers are int32, costs times 2^shift. With a negative shift each cost is
 * rounded down once, when it is loaded: the bound is then below what it could be
 * by less than 2^-shift a function, and still a bound. A cell that with the
 * constant reaches the cutoff is dead for good; so is a value.
 *
 * Source: Globerson and Jaakkola, NIPS 2007; Sontag et al., UAI 2008;
 * Kolmogorov, PAMI 2015 (sequential order and weights).
 */
#ifndef GPUBE_CLUSTERS_H
#define GPUBE_CLUSTERS_H

#include "gpube/ops/ascent/ascent_kernels.h"
#include "gpube/ops/ops.h"
#include "gpube/relax/scaling.h"

enum { GPUBE__CLUSTER_VARS = 3, GPUBE__CLUSTER_PAIRS = 3 };

struct gpube_reparametrised_opts;

struct gpube_pair {
	int32_t a, b;  /* a < b; rows are of a */
	int32_t users; /* clusters that have it */
	int32_t *t;    /* NULL: one of them is decided, its costs went to the other */
};

struct gpube_wide_table {
	int32_t arity, *scope; /* ascending */
	int64_t cells;
	int32_t *t; /* row-major, not padded */
};

/* k: of its variables; 0: it is none any more. pair[e]: (0,1) (0,2) (1,2). */
struct gpube_cluster {
	int32_t k, v[GPUBE__CLUSTER_VARS];
	int32_t pair[GPUBE__CLUSTER_PAIRS];
	int32_t *addend[GPUBE__CLUSTER_PAIRS];
};

struct gpube_clusters {
	struct gpube_ctx *ctx;
	const struct gpube_ascent_kernels *kernels;
	int32_t n;
	int32_t *domain; /* live values */
	int32_t **value; /* of the model, ascending */
	int32_t **unary;
	int32_t n_pairs, n_wides, n_clusters, n_groups;
	struct gpube_pair *pairs;
	struct gpube_wide_table *wides;
	struct gpube_cluster *clusters; /* by group */
	int64_t pairs_capacity, wides_capacity, clusters_capacity, groups_capacity;
	int32_t *group;       /* n_groups + 1: no two clusters of a group have a pair in common */
	int32_t *kept, *work; /* scratch of compact(): a word a value, three a variable */
	uint8_t *left_out;    /* per function of the model: too large, not in the tables */
	int64_t *near_at;     /* n + 1: pairs and wides of a variable: near[near_at[i]] … */
	int32_t *near;        /* p >= 0: pair p, ~w: wide w */
	int shift;
	int64_t constant;  /* scaled; the model's constant is not in it */
	int64_t target;    /* scaled: where the cutoff is reached */
	int32_t **scratch; /* per thread */
	int64_t scratch_cells;
	int n_scratch;
};

/* Index of the addend of variables i < j of a cluster. */
static inline int gpube__addend(int i, int j)
{
	return j * (j - 1) / 2 + i;
}

/* Cells of a padded row over variable i. */
static inline int64_t gpube__row(const struct gpube_clusters *c, int32_t i)
{
	return (c->domain[i] + GPUBE__LANES - 1) / GPUBE__LANES * GPUBE__LANES;
}

/* What is missing to the cutoff; tables treat it as dead from there. */
static inline int32_t gpube__slack(const struct gpube_clusters *c)
{
	int64_t left = c->target - c->constant;

	return left > GPUBE__SLACK_MAX ? GPUBE__SLACK_MAX : left < 0 ? 0 : (int32_t)left;
}

/*
 * gpube__clusters_init() - tables of a simplified model. Functions that are too
 * large are left out, which is sound: no cost is negative.
 * cutoff       totals from here on are of no interest; GPUBE_INF: none
 * most_shift  costs are multiplied by at most 2^most_shift
 * Errors: ENOMEM
 */
int gpube__clusters_init(
	struct gpube_clusters *c, const struct gpube_model *m, int64_t cutoff, int most_shift);
void gpube__clusters_clear(struct gpube_clusters *c);

/* A new, lower cutoff. */
void gpube__clusters_cutoff(struct gpube_clusters *c, const struct gpube_model *m, int64_t cutoff);

/* The bound that a constant stands for: a total of the model; the cutoff, if it is reached. */
int64_t gpube__clusters_total(const struct gpube_clusters *c, int64_t constant,
	const struct gpube_model *m, int64_t cutoff);

/* The bound so far. */
static inline int64_t gpube__clusters_bound(
	const struct gpube_clusters *c, const struct gpube_model *m, int64_t cutoff)
{
	return gpube__clusters_total(c, c->constant, m, cutoff);
}

/*
 * gpube__clusters_add() - all triangles of the graph of the pairs, with 'order' (may be NULL) of
 * its triangulation along that order, as long as their addends fit 'bytes'.
 * Errors: ENOMEM
 */
int gpube__clusters_add(struct gpube_clusters *c, const int32_t *order, double bytes);

/* Clusters of the same variables as those of 'like', of which v is read. Errors: ENOMEM */
int gpube__clusters_add_like(struct gpube_clusters *c, const struct gpube_cluster *like, int32_t n);

/*
 * gpube__clusters_worth() - the clusters that a reparametrised model keeps, those that raise the
 * bound most first.
 * kept   out: n copies, of which v is good; n_all: how many there are
 * Errors: ENOMEM
 */
int gpube__clusters_worth(struct gpube_cluster **kept, int32_t *n, int32_t *n_all,
	const struct gpube_clusters *c, const struct gpube_reparametrised_opts *opts);

/* One pass: every cluster of every group, in the other order if 'backward'; then every variable. */
void gpube__clusters_pass(struct gpube_clusters *c, bool backward);

/* Takes dead values out of all tables, and folds variables of one value into the others' tables. */
void gpube__clusters_compact(struct gpube_clusters *c);

/* sum[x]: what value x of variable i forces on its own table and its pairs, at least. */
void gpube__clusters_marginals(const struct gpube_clusters *c, int32_t i, int64_t *sum);

/* A greedy assignment of the model from the tables. */
void gpube__clusters_decode(const struct gpube_clusters *c, int32_t *values, struct gpube_rng *rng);

/* The variable to split, of more than one value; -1: there is none. */
int32_t gpube__clusters_choose(const struct gpube_clusters *c);

/* keep[x]: whether value x of 'var' is of the half of its values that force less. ENOMEM */
int gpube__clusters_halve(const struct gpube_clusters *c, int32_t var, uint8_t *keep);

/* log10 of the product of the live domains. */
double gpube__clusters_states(const struct gpube_clusters *c);

#endif
