/*
 * joingraph.h - dual ascent on the join graph of mini-buckets, in exact integers.
 *
 * Every mini-bucket keeps its joined table. Its costs pass to the mini-bucket
 * that takes its message, and back, and between the mini-buckets of one
 * variable, as min-marginals: costs are moved, never lost, tables stay
 * non-negative, so the constant is a lower bound whatever happened. One pass
 * forward is mini-bucket elimination with moment matching; each further pass
 * there and back starts from better tables. When passes bring little, mini-buckets
 * of more variables take the tables of the smaller ones, as they are.
 *
 * Numbers as in pairs.h: int32, costs times 2^shift, rounded down where
 * that is negative; what with the constant reaches the cutoff is dead for good.
 *
 * Designs weighed. Fused messages (mbe.h) need a domain's factor less memory for
 * the same z, but start anew each time and stay where one pass gets them.
 *
 * Source: Ihler, Flerova, Dechter, Otten, UAI 2012 (JGLP); Kolmogorov, PAMI 2015.
 */
#ifndef GPUBE_JOINGRAPH_H
#define GPUBE_JOINGRAPH_H

#include "gpube/relax/mbe/mbe.h"
#include "gpube/options/options.h"
#include "gpube/relax/projection.h"
#include "gpube/relax/scaling.h"

/* A mini-bucket. Its scope is in positions, its own first and slowest. */
struct gpube_join {
	int32_t position, n_scope;
	int32_t *scope;
	int64_t cells;
	int32_t *t;
	int32_t consumer;                   /* -1: none */
	int32_t n_children, child, sibling; /* joins whose consumer it is: a list; -1: its end */
	/* its table onto its message, the consumer's onto that; its table onto the bucket's */
	struct gpube_projection message, taken, shared;
	int64_t *sent; /* NULL, or see gpube__joingraph_record() */
};

struct gpube_joingraph {
	struct gpube_ctx *ctx;
	int32_t n, n_joins, z;
	int32_t *order, *position, *domain; /* domain: by position */
	/* n + 1: joins [first[p], first[p + 1]) are of position p */
	int32_t *first;
	struct gpube_join *joins;
	double cells;
	int shift;
	int64_t constant, target; /* scaled, the model's constant is not in them */
	int32_t *message;         /* room for the largest: one for each thread and one more */
	int64_t message_cells;
};

/* What is missing to the cutoff; cells from there on are dead. */
static inline int32_t gpube__joingraph_slack(const struct gpube_joingraph *g)
{
	return gpube__region_slack(g->constant, g->target);
}

static inline int64_t gpube__message_cells(
	const struct gpube_joingraph *g, const struct gpube_join *j)
{
	return j->cells / g->domain[j->position];
}

/* ---- the graph ------------------------------------------------------------------------------ */

/*
 * gpube__joingraph_init() - the tables of a simplified model along an order.
 * z, max_cells  of a joined table, and of all together
 * partition     of the buckets; growing is by scope
 * most_shift    costs are multiplied by at most 2^most_shift
 * fits          out: false: nothing was made, there would be more cells
 * Errors: ENOMEM, ELIMIT
 */
int gpube__joingraph_init(struct gpube_joingraph *g, const struct gpube_model *m,
	const int32_t *order, int32_t z, double max_cells, enum gpube_partition partition,
	int64_t cutoff, int most_shift, bool *fits);
void gpube__joingraph_clear(struct gpube_joingraph *g);

/*
 * gpube__joingraph_grow() - the same costs in mini-buckets of up to z
 * variables; 'g' is unchanged where they do not fit or there are no larger ones, and
 * where a stop came before its tables were moved.
 */
int gpube__joingraph_grow(struct gpube_joingraph *g, int32_t z, double max_cells, bool *fits);

/*
 * Forward: the constant is then that of mini-buckets with matching, or more. Backward: costs
 * spread.
 */
int gpube__joingraph_pass(struct gpube_joingraph *g, bool backward);

/*
 * gpube__joingraph_record() - from now on every join's 'sent' has, over its
 * message, what it has passed on to its consumer in all, less what it took back;
 * GPUBE__SENT_DEAD where that is dead. As tables are never negative, the costs of
 * the buckets below a cut of the graph are at least what was sent across it: a
 * bound of partial assignments. Before the first pass; not kept by growing.
 * Errors: ENOMEM
 */
#define GPUBE__SENT_DEAD INT64_MAX
int gpube__joingraph_record(struct gpube_joingraph *g);

/* The costs where they are now: see moved.h; from: the model of gpube__joingraph_init(). ENOMEM */
int gpube__joingraph_model(
	struct gpube_model **out, const struct gpube_joingraph *g, const struct gpube_model *from);

/*
 * gpube__put_joingraph() - the graph as numbers (base/bytes.h), its tables included: a few bytes
 *                          for each run of equal cells.
 * gpube__get_joingraph() - back; m: the model that it was made of. What fits no such model is
 *                          refused, and 'g' is empty.
 * Errors: EPARSE, ENOMEM, ELIMIT (it has more cells than max_cells)
 */
struct gpube__bytes;
void gpube__put_joingraph(struct gpube__bytes *to, const struct gpube_joingraph *g);
int gpube__get_joingraph(struct gpube_joingraph *g, struct gpube__bytes *from,
	const struct gpube_model *m, double max_cells);

/* A greedy assignment, backwards through the buckets; best after a pass forward. */
void gpube__joingraph_decode(const struct gpube_joingraph *g, int32_t *values);

#endif
