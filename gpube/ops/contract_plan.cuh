/* contract_plan.cuh - how contract_plan.cu prepares a contraction for the tile kernels. */
#ifndef GPUBE_OPS_CONTRACT_PLAN_CUH
#define GPUBE_OPS_CONTRACT_PLAN_CUH

#include "gpube/ops/contract_tile.cuh"

struct gpube__tile_plan {
	struct gpube__tile tile;
	bool big, lanes;
	enum gpube__tile_c c;
	int32_t order[GPUBE_TILE_IN]; /* operand of the contraction that is operand k of the tile */
	uint32_t blocks, threads, shared_bytes;
};

/*
 * gpube__tile_plan() - groups, tile and classes with the least predicted cost.
 * in_batch  others keep the device busy: no need to spread this one over all of it
 * Returns false where only the general kernel will do.
 */
bool gpube__tile_plan(struct gpube__tile_plan *p, const struct gpube__device *d,
	const struct gpube_contraction *c, const struct gpube__shape *s, bool in_batch);

/* The tables of contraction c, in the plan's order. */
void gpube__tile_io(struct gpube__tile_io *io, const struct gpube__tile_plan *p,
	const struct gpube_contraction *c);

#endif
