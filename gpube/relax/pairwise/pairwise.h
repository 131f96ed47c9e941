/*
 * pairwise.h - dual ascent on overlapping tables of a lean model (simplify/lean.h), in exact
 * integers: what they force on all the variables that two of them share becomes the same.
 *
 * Regions are the model's functions, those within another's variables or, together with it, of few
 * cells, added to it; each has a table. Whatever two regions share is a separator, of all regions
 * that have its variables, and so is every variable of several regions. A sweep asks the separators
 * one after the other, there or back: what each region forces on it is taken out of the region, the
 * least sum of it goes into the constant, and an equal share of the rest into each region that is
 * asked again by a later separator (or stays, where all are done). Costs are moved, never lost, and
 * no table gets negative: so the constant is a lower bound whatever happened.
 *
 * Why it pays: variables that are eliminated first, each into a table of its few neighbours, are in
 * the bound for nothing, and costs that meet on pairs and triples of variables say what they do not
 * say on single ones. On a torus of 400 variables of two values nine sweeps of half a millisecond
 * bring the optimum; the join graph with mini-buckets of 15 variables, which pass on but one
 * message each, did not reach it in twelve seconds.
 *
 * Designs weighed. (1) The dual as a model: each region a variable whose values are the cells, and
 * tables of 2^16 cells that say which fit (toulbar2's hidden variables do so: -hve -pwc with -A and
 * -p=8 is what proves these grids there, and without any one of the three it does not; on the same
 * grid it bounds 0.12 % below the optimum): for the trees of dfs.h that is 10^7 cells where 10^4
 * do. (2) Larger mini-buckets in the join graph, with a message to every mini-bucket that shares
 * variables: the same moves, in tables a hundred times as large. (3) This one.
 *
 * Source: Kolmogorov, PAMI 2015 (sequential reweighted message passing); Montalbano, De Givry,
 *         Katsirelos, CPAIOR 2023 (virtual pairwise consistency).
 */
#ifndef GPUBE_PAIRWISE_H
#define GPUBE_PAIRWISE_H

#include "gpube/ir/model.h"
#include "gpube/relax/projection.h"

/* Variables and cells of a region; cells of a function that becomes one. */
enum { GPUBE__REGION_ARITY = 20, GPUBE__REGION_CELLS = 1 << 20, GPUBE__REGION_FUNCTION = 1 << 16 };

/* Its variables ascend, the last one is the fastest; its table is at cells[at] of a state. */
struct gpube_region {
	int32_t arity, n_cells;
	int32_t scope[GPUBE__REGION_ARITY];
	int64_t at;
	int32_t first, last;       /* separators that it has: the first and the last of them */
	int32_t member, n_members; /* as a member of these: the first of them in member_of */
};

/* A region that has the separator's variables. */
struct gpube_region_member {
	int32_t region, separator;
	struct gpube_projection onto; /* the region's table onto the separator's */
};

struct gpube_separator {
	int32_t arity, n_cells;
	int32_t scope[GPUBE__REGION_ARITY];
	int64_t at;
	int32_t member, n_members;
	int32_t n_after, n_before; /* members with a later separator, with an earlier one */
};

/* What all states have in common. */
struct gpube_pairwise {
	struct gpube_ctx *ctx;
	int32_t n, n_regions, n_separators;
	int32_t *domain;
	struct gpube_region *regions;       /* in the order of their last variables */
	struct gpube_separator *separators; /* in that order, too */
	struct gpube_region_member *members;
	int32_t *member_of;  /* by region */
	int32_t *of, *of_at; /* regions of variable i: of[of_at[i]] … */
	int64_t n_cells;     /* of a state */
	int64_t n_members;
	int64_t n_touched;  /* cells of regions that a sweep reads, and writes */
	int64_t room;       /* cells of scratch that a sweep takes */
	int64_t most_cells; /* of a region of several */
	int shift;
};

/* A state of the ascent: one piece of memory, so that a copy of it is one copy. */
struct gpube_pairwise_state {
	/* scaled (scaling.h), the model's constant is in neither; target: the cutoff is reached */
	int64_t constant, target;
	int32_t time; /* of the last move */
	/* for who splits states; the variable that is next, and its value against the others */
	int32_t depth, var, value;
	/* regions, separators, then when each region changed and each separator was asked */
	int32_t cells[];
};

/*
 * gpube__pairwise_new() - regions of a model of dense functions without the same variable twice,
 * and their first state.
 * most_cells  of a region that is made of several functions
 * cutoff       totals from here on are of no interest; GPUBE_INF: none
 * *out        NULL without an error: there would be too much
 * Errors: ENOMEM, ESTOP
 */
int gpube__pairwise_new(struct gpube_pairwise **out, struct gpube_pairwise_state **first,
	const struct gpube_model *m, int64_t most_cells, int64_t cutoff);
void gpube__pairwise_free(struct gpube_pairwise *p);

static inline uint64_t gpube__pairwise_bytes(const struct gpube_pairwise *p)
{
	return sizeof(struct gpube_pairwise_state) +
	       sizeof(int32_t) * (uint64_t)(p->n_cells + p->n_regions + p->n_separators);
}

static inline int32_t gpube__pairwise_slack(const struct gpube_pairwise_state *s)
{
	return gpube__region_slack(s->constant, s->target);
}

/* The target of a cutoff: a total of the model. */
int64_t gpube__pairwise_target(
	const struct gpube_pairwise *p, const struct gpube_model *m, int64_t cutoff);

enum gpube_pairwise_way {
	GPUBE__PAIRWISE_FORWARD,
	GPUBE__PAIRWISE_BACKWARD,
	GPUBE__PAIRWISE_EVENLY
};

/*
 * gpube__pairwise_sweep() - every separator, or those whose regions have changed since they were
 * asked last, where no change of 'least' or less counts. room: p->room cells.
 */
void gpube__pairwise_sweep(const struct gpube_pairwise *p, struct gpube_pairwise_state *s,
	enum gpube_pairwise_way way, int32_t least, int32_t *room);

/* Values of a variable that are not kept are in no total of interest from now on. */
void gpube__pairwise_keep(const struct gpube_pairwise *p, struct gpube_pairwise_state *s,
	int32_t var, const uint8_t *keep);

/* forced[a]: what all regions of var force on its value a. */
void gpube__pairwise_forced(const struct gpube_pairwise *p, const struct gpube_pairwise_state *s,
	int32_t var, int64_t *forced);

/*
 * A greedy assignment, region by region, each the least cell that goes with what is assigned:
 * forward best after a sweep backward. room: p->room cells. Variables of no region are left as they
 * are.
 */
void gpube__pairwise_decode(const struct gpube_pairwise *p, const struct gpube_pairwise_state *s,
	bool backward, int32_t *values, int32_t *room);

#endif
