/*
 * contract_quads.h - contractions of two operands that share dims with the output, the output's
 * last dim among them (contract_product.h), and whose last dim is the reduced one: the descriptor
 * and its index arithmetic, written once for the planner, the kernels and the CPU test that
 * executes a plan as the kernels would.
 *
 * It is the product of contract_lanes.h; but what lies together is x. Four x of a cell, a quad, are
 * 16 bytes, which are copied to shared memory and read from there at once. Of the shared last dim a
 * box has eight values, so that it can be large in P and V with a longer run of x from memory. The
 * lanes of a warp are these eight of two by two tiles of P x V output cells: tiles side by side
 * read the same quads, and a read of a warp is of 16 of them, half of what its lanes ask for.
 *
 * A row is the quads of a chunk of x of one p or v for the eight lanes, those of a lane together:
 * copies whose places in shared memory are far apart come one by one, each as a request of its own.
 * The two tiles along P, or V, of a warp take turns with the rows, rows are 32 bytes longer than
 * their quads, and every other lane reads its quads two by two in turn, so that what half a warp
 * reads is in all banks.
 *
 * Where x is no multiple of four, copies are of two x or one, and what is missing in the last quad
 * is the last x once more.
 */
#ifndef GPUBE_OPS_CONTRACT_QUADS_H
#define GPUBE_OPS_CONTRACT_QUADS_H

#include "gpube/ops/contract/contract_product.h"

#define GPUBE_QUADS_LANES 8 /* values of the shared last dim in a box */
#define GPUBE_QUADS_DEPTH 6 /* most quads of a chunk: even */
#define GPUBE_QUADS_ROW   ((GPUBE_QUADS_LANES * GPUBE_QUADS_DEPTH + 2) * 4) /* words */

/* Cells of a thread's tile along P and V. */
enum gpube__quads_kernel { QUADS_5X5, QUADS_8X8, N_QUADS_KERNELS };

extern const struct gpube__product_kernel gpube__quads_kernels[N_QUADS_KERNELS];

/* A plan: everything but the tables' addresses. */
struct gpube__quads {
	struct gpube__product all; /* its units are quads */
	uint32_t wide;             /* x of a copy */
	uint32_t turns;            /* 1: see gpube__quads_turned() */
	uint32_t copy_rows;        /* that all threads copy at once: an even number */
};

/* A thread's share of the copies: of every copy_rows-th row from 'row' on, one quad of one lane. */
struct gpube__quads_copy {
	uint32_t quad, row; /* none where 'row' is copy_rows */
	uint32_t lane;
	uint32_t word; /* of the stage, for its first row */
};

/* Word of a stage where the quad of a lane is, in a row. */
GPUBE_HD static inline uint32_t gpube__quads_word(uint32_t row, uint32_t lane, uint32_t quad)
{
	return row * GPUBE_QUADS_ROW + (lane * GPUBE_QUADS_DEPTH + quad) * 4;
}

/* The quad of a chunk of n that a lane reads i-th: every other lane takes each two in turn. */
GPUBE_HD static inline uint32_t gpube__quads_nth(uint32_t lane, uint32_t n, uint32_t i)
{
	return i < (n & ~1u) ? i ^ (lane & 1) : i;
}

/*
 * The quad of x that is a lane's i-th. With an odd number of them those of every other lane begin
 * in the middle of 32 bytes, and copies of 16 bytes whose 32 do not lie so in shared memory, too,
 * come one by one: such a lane begins with its second quad, and ends with the first.
 */
GPUBE_HD static inline uint32_t gpube__quads_turned(
	const struct gpube__quads *d, uint32_t start, uint32_t lane, uint32_t i)
{
	const uint32_t quad = i + (d->turns & (start + lane * d->all.lane[0]) >> 2);

	return quad < d->all.n_units ? quad : 0;
}

GPUBE_HD static inline struct gpube__quads_copy gpube__quads_copy_of(
	const struct gpube__quads *d, uint32_t thread)
{
	const uint32_t rest = thread / d->all.chunk;
	struct gpube__quads_copy c;

	c.quad = thread - rest * d->all.chunk;
	c.lane = rest % GPUBE_QUADS_LANES;
	c.row = rest / GPUBE_QUADS_LANES;
	if (c.row >= d->copy_rows)
		c.row = UINT32_MAX; /* of no operand */
	c.word = gpube__quads_word(c.row, c.lane, c.quad);
	return c;
}

/* Cells from one x to what copy i of the quad at x0 begins with; the last x once more past them. */
GPUBE_HD static inline uint32_t gpube__quads_step(
	const struct gpube__quads *d, uint32_t x0, uint32_t i)
{
	const uint32_t left = d->all.n_x - d->wide - x0, step = i * d->wide;

	return step < left ? step : left;
}

/* A thread's tile: its first row along P (part 0) or V; the others are every other one. */
GPUBE_HD static inline uint32_t gpube__quads_row(
	const struct gpube__quads *d, uint32_t thread, uint32_t tile, int part)
{
	const uint32_t warp = thread / 32, at_v = warp / d->all.warps_p;
	const uint32_t at = part ? at_v : warp - at_v * d->all.warps_p;

	return at * 2 * tile + (thread >> part & 1);
}

GPUBE_HD static inline uint32_t gpube__quads_lane(uint32_t thread)
{
	return thread % 32 / 4;
}

/*
 * gpube__quads_plan() - the box with the least predicted cost.
 * cycles    out: predicted cycles of the device, from the launch to the end
 * Returns false where there is no kernel for it: (min,+) of 4 bytes, without arguments, of two
 * operands with one reduced dim, the last of both; the output's last dim is in both and has at
 * least eight values.
 */
bool gpube__quads_plan(struct gpube__quads *d, double *cycles,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s);

#endif
