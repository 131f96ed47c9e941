/*
 * contract_lanes.h - contractions of two operands that share dims with the output, the output's
 * last dim among them (contract_product.h), which is the operands' last one, too: the descriptor
 * and its index arithmetic, written once for the planner, the kernels and the CPU test that
 * executes a plan as the kernels would. Where the reduced dim is the operands' last one:
 * contract_quads.h.
 *
 * The lanes of a warp are values of the shared last dim, so that each lane has a product of its
 * own: P x V output cells in registers, P + V words read for an x, and each read of a warp is 32
 * words side by side. A block's warps, warps_p by warps_v of them, share the rows that they read: a
 * row is the cells of one p or v for all lanes. Rows of a chunk of x are copied into one of a few
 * stages of shared memory while the chunk before is worked on.
 */
#ifndef GPUBE_OPS_CONTRACT_LANES_H
#define GPUBE_OPS_CONTRACT_LANES_H

#include "gpube/ops/contract/contract_product.h"

#define GPUBE_LANES 32 /* values of the shared last dim in a box */

/* Cells of a thread's tile along P and V. */
enum gpube__lanes_kernel { LANES_8X8, LANES_10X5, N_LANES_KERNELS };

extern const struct gpube__product_kernel gpube__lanes_kernels[N_LANES_KERNELS];

/* A plan: everything but the tables' addresses. */
struct gpube__lanes {
	struct gpube__product all;
	uint32_t x_words; /* of a stage: from one x to the next */
};

/* Word of a stage that a lane reads first of a row; x_words further is the next x. */
GPUBE_HD static inline uint32_t gpube__lanes_word(uint32_t row, uint32_t lane)
{
	return row * GPUBE_LANES + lane;
}

/*
 * gpube__lanes_plan() - the box with the least predicted cost.
 * cycles    out: predicted cycles of the device, from the launch to the end
 * Returns false where there is no kernel for it: (min,+) of 4 bytes, without arguments, of two
 * operands with one reduced dim, which is in both; the output's last dim is the last of both, and a
 * multiple of four.
 */
bool gpube__lanes_plan(struct gpube__lanes *d, double *cycles,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s);

#endif
