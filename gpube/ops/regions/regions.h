/*
 * regions.h - the operator of dual ascent on nested regions: quads of variables over triples over
 * pairs over single variables, in exact integers.
 *
 * A variable, a pair and a triple have a table without negative cells. A quad has none: it is the
 * sum of four addends, one for each of its triples, which may be negative while their sum is not.
 * So a quad of four domains of d values takes 4 d^3 cells instead of d^4, and its min-marginal on a
 * triple is computed from the other three addends: d^4 sums that are never stored.
 *
 * A pass: every quad takes its triples' costs into its addends and hands each triple a part of its
 * min-marginal; every triple does so with its pairs; every variable takes the min-marginals of its
 * pairs, moves its minimum into the constant, and gives the rest back to the pairs. The cost of
 * every assignment stays the same and no region's cell is negative, so the constant is a lower
 * bound.
 *
 * Regions of a group have no table below them in common: they may be done at once, in any order,
 * with the same result. Every backend does the groups in one order, so their bits are equal.
 *
 * Designs weighed. (1) Tables of d^4 cells: 13 GB for the largest radio network,
 * and a pass reads and writes them. (2) Quads as sums of six addends of pairs:
 * less memory still, but a quad then forces nothing on a triple, and the bound stops earlier. (3)
 * Addends of triples: this one.
 *
 * Numbers are those of ascent_kernels.h: a table's cells are in [0, slack) or GPUBE__DEAD, addends
 * in [-ADDEND_MAX, ADDEND_MAX] or DEAD.
 */
#ifndef GPUBE_OPS_REGIONS_H
#define GPUBE_OPS_REGIONS_H

#include "gpube/ops/ascent/ascent_kernels.h"
#include "gpube/options/options.h"
#include "gpube/ops/ops.h"

/*
 * What all states of a run have in common. Variables of a region ascend; below[k] is
 * its region without variable k. Items of a group are neighbours: group g of the
 * quads is [quad_group[g], quad_group[g + 1]).
 * words      quad variables (4 each), quad triples (4), triple variables (3), triple
 *            pairs (3), pair variables (2), near_at (n + 1), near (pairs of a variable,
 *            2 n_pairs), variables by group (n)
 * on_device  the same words in the backend's memory
 */
struct gpube_regions_plan {
	int32_t n, n_pairs, n_triples, n_quads;
	int32_t *words, *on_device;
	int32_t n_quad_groups, n_triple_groups, n_variable_groups;
	int32_t *quad_group, *triple_group, *variable_group;
};

/* Tables are numbered: variables, pairs, triples, then four addends a quad. */
static inline int64_t gpube__regions_tables(const struct gpube_regions_plan *p)
{
	return (int64_t)p->n + p->n_pairs + p->n_triples + 4 * (int64_t)p->n_quads;
}

/* The beginning of a state's memory; at[] (n_tables + 1), domain[] (n) and the cells follow. */
struct gpube_regions_head {
	int64_t constant, target; /* target: the scaled cutoff */
	int32_t slack;            /* the gap to the target when the pass began */
	int32_t closed;           /* a variable has no value left */
	int64_t unused[5];
};

/*
 * A state: its memory is one piece of the backend's, so that copying it is one copy.
 * at[t] is the first cell of table t; rows, along the last variable, are padded to
 * GPUBE__LANES with cells that mean nothing.
 */
struct gpube_regions {
	const struct gpube_regions_plan *plan;
	int32_t *domain; /* numbers of live values */
	int64_t *at;
	void *memory;
	uint64_t bytes;
};

enum { GPUBE_REGIONS_QUADS = 1, GPUBE_REGIONS_BACKWARD = 2 };

/* Memory is that of the backend's struct gpube_ops. */
struct gpube_regions_ops {
	int32_t (*most_values)(struct gpube_ctx *ctx); /* most values of a domain that it takes */

	int (*zero)(struct gpube_ctx *ctx, void *p, uint64_t bytes);

	/*
	 * A pass over all groups, in the other order with BACKWARD; without QUADS, over
	 * triples and variables alone. A stop may end it between two groups: the state is as
	 * good there.
	 * Errors: ENOMEM, ECUDA
	 */
	int (*pass)(struct gpube_ctx *ctx, struct gpube_regions *r, int what);

	/*
	 * Copies the cells of the values that are kept: value x of variable i of 'to' is
	 * value kept[kept_at[i] + x] of 'from'. Head, offsets and domains of 'to' are there.
	 */
	int (*gather)(struct gpube_ctx *ctx, struct gpube_regions *to,
		const struct gpube_regions *from, const int32_t *kept_at, const int32_t *kept);
};

const struct gpube_regions_ops *gpube__regions_cpu(void);
/* NULL and *status ENODEV without CUDA or a device; ENOMEM */
const struct gpube_regions_ops *gpube__regions_cuda(struct gpube_ctx *ctx, int *status);

#endif
