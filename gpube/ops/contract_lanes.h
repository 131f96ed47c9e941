/*
 * contract_lanes.h - contractions of two operands that share dims with the output, the output's
 * last dim among them, which is the operands' last one, too: the descriptor and its index
 * arithmetic, written once for the planner, the kernels and the CPU test that executes a plan as
 * the kernels would. Where the reduced dim is the operands' last one: contract_quads.h.
 *
 * For fixed values of the shared dims it is a (min,+) product of a matrix of p and x and one of x
 * and v. The lanes of a warp are values of the shared last dim, so that each lane has a product of
 * its own: P x V output cells in registers, P + V words read for an x, and each read of a warp is
 * 32 words side by side. A block's warps, warps_p by warps_v of them, share the rows that they
 * read: a row is the cells of one p or v for all lanes. Rows of a chunk of x are copied into one of
 * a few stages of shared memory while the chunk before is worked on, across boxes, too.
 *
 * A box that would pass the end of its dim is moved back so that it ends with it: some cells are
 * computed twice, with the same result, and there are no edges.
 */
#ifndef GPUBE_OPS_CONTRACT_LANES_H
#define GPUBE_OPS_CONTRACT_LANES_H

#include "gpube/ops/contract_box.h"

#define GPUBE_LANES_GRID 12 /* dims of the grid */

/* Cells of a thread's tile along P and V. */
enum gpube__lanes_kernel { LANES_8X8, LANES_10X5, N_LANES_KERNELS };

struct gpube__lanes_kernel_info {
	int p, v;
	int threads; /* most of a block, and of a multiprocessor */
};

extern const struct gpube__lanes_kernel_info gpube__lanes_kernels[N_LANES_KERNELS];

struct gpube__lanes_axis {
	uint32_t n, step, most; /* boxes; values of one; first value of the last */
	struct gpube__divisor by_n;
	uint32_t in[2]; /* cells to the next value, of the operand with P's dim and that with V's */
	int64_t out;
};

/* A plan: everything but the tables' addresses. */
struct gpube__lanes {
	uint32_t kernel;
	uint32_t threads, warps_p, warps_v;
	uint32_t boxes, at_once; /* blocks of threads: each does every so-manieth box */
	uint32_t n_lanes;
	uint32_t rows, rows_p; /* of a box; the first rows_p are those of P's operand */
	uint32_t n_x, chunk;
	uint32_t x_words; /* of a stage: from one x to the next */
	uint32_t stages, stage_words, shared_bytes;
	uint32_t n_grid;
	int32_t order[2];      /* the contraction's operand with P's dim, and that with V's */
	int32_t one;           /* 1, which the compiler does not know */
	uint32_t x[2], row[2]; /* of each: cells to the next x and row */
	int64_t out_row[2];    /* of the output, along P and V */
	int64_t cut, threshold;
	struct gpube__lanes_axis grid[GPUBE_LANES_GRID];
};

/* Cells before a box's first one in operand k, 0 or 1, or in the output (k < 0). */
GPUBE_HD static inline int64_t gpube__axes_start(
	const struct gpube__lanes_axis *grid, uint32_t n_grid, int k, uint32_t box)
{
	int64_t offset = 0;

	for (uint32_t i = 0; i < n_grid; i++) {
		const struct gpube__lanes_axis *g = &grid[i];
		const uint32_t rest = g->n == 1 ? box : gpube__quotient(box, g->by_n);
		const uint32_t value = (box - rest * g->n) * g->step;

		offset += (int64_t)(value < g->most ? value : g->most) *
			  (k < 0 ? g->out : (int64_t)g->in[k]);
		box = rest;
	}
	return offset;
}

GPUBE_HD static inline int64_t gpube__lanes_start(const struct gpube__lanes *d, int k, uint32_t box)
{
	return gpube__axes_start(d->grid, d->n_grid, k, box);
}

/* Word of a stage that a lane reads first of a row; x_words further is the next x. */
GPUBE_HD static inline uint32_t gpube__lanes_word(uint32_t row, uint32_t lane)
{
	return row * 32 + lane;
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
