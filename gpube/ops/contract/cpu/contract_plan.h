/*
 * contract_plan.h - what the parts of the planner of contract_tile.h share.
 *
 *	contract_groups.c	groups of dims: their loops, what becomes of an operand in a tile
 *	contract_price.c	what a choice of groups should cost, in cycles
 *	contract_choose.c	the choices that are priced
 *	contract_plan.c		the plan for the one that was taken: offsets, sums, scratch
 */
#ifndef GPUBE_OPS_CONTRACT_PLAN_H
#define GPUBE_OPS_CONTRACT_PLAN_H

#include "gpube/ops/contract/cpu/contract_tile.h"

#define GPUBE__BIT(d) ((uint64_t)1 << (d))

struct gpube__planner {
	struct gpube__plan *p;
	uint64_t *dims_of; /* of each operand */
	int64_t *cells_of;
	int left; /* choices that may still be priced */
	struct gpube__choice best;
};

/* The caller's memory, from which tables are cut in pieces of whole cache lines. */
struct gpube__room {
	char *at;
};

static inline void *gpube__take(struct gpube__room *r, int64_t n, size_t size)
{
	void *p = r->at;

	r->at += ((uint64_t)n * size + 63) / 64 * 64;
	return p;
}

/* ---- groups of dims: a bit for each ----------------------------------------- */

static inline int gpube__first_dim(uint64_t dims)
{
	return dims ? __builtin_ctzll(dims) : -1;
}

static inline int64_t gpube__padded(int64_t n, int w)
{
	return (n + w - 1) / w * w;
}

/* Product of the sizes of a group's dims but the first. */
int64_t gpube__group_unit(const struct gpube__shape *s, uint64_t dims);
/* Are neighbours in the flattened group always *step apart? */
bool gpube__group_affine(
	const struct gpube__shape *s, const int64_t *stride, uint64_t dims, int64_t *step);
/* The values of a group's first dim that make blocks of at most 'cap' cells, evenly. */
int64_t gpube__group_block(const struct gpube__shape *s, uint64_t dims, int64_t cap, int64_t whole);

/* ---- operands -------------------------------------------------------------------- */

static inline const int64_t *gpube__stride_of(const struct gpube__plan *p, int k)
{
	return p->shape.stride + k * p->shape.ld;
}

/* The kind of each operand in the tiles of a choice. */
void gpube__set_kinds(
	const struct gpube__planner *pl, const struct gpube__choice *ch, signed char *kind);
/* How operand k is read, as that kind. */
struct gpube__op gpube__make_op(
	const struct gpube__planner *pl, const struct gpube__choice *ch, int k, int kind);
/* Can kernels read it where it is, if nothing is added to it? */
bool gpube__can_be_direct(const struct gpube__planner *pl, const struct gpube__choice *ch,
	const struct gpube__op *op);

/* ---- loops ------------------------------------------------------------------------- */

/* The loops of a choice, and the sizes of its tiles, into the plan. */
void gpube__set_loops(
	const struct gpube__planner *pl, const struct gpube__choice *ch, const signed char *kinds);

/* How often what loop 'depth' moves is moved. */
static inline double gpube__runs_to(const struct gpube__plan *p, int depth)
{
	return p->runs[depth + 1];
}

/* ---- prices and choices ------------------------------------------------------------- */

/* To add an operand to one tile. */
double gpube__pack_cycles(const struct gpube__plan *p, const struct gpube__op *op);
/* Of the whole contraction; the plan has the loops of this choice then. */
double gpube__plan_price(const struct gpube__planner *pl, struct gpube__choice *ch);
/* Prices up to pl->left choices, and a few more; the best is pl->best. */
void gpube__plan_consider(struct gpube__planner *pl);

#endif
