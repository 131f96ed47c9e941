/*
 * contract_presum.h - contractions that are products once some dims are fixed: the descriptor, and
 * its index arithmetic, written once for the planner, the kernels and the CPU test that executes a
 * plan as the kernels would.
 *
 * The output dims fall into one, I, a group J and the grid such that no operand has dims of both I
 * and J. For one value of the grid's,
 *
 *	out[i, j] = min over x of L[x, i] + R[x, j]
 *
 * where L and R are sums of any operands: a block adds them up in shared memory, straight from
 * global memory, once for a box of I and J, and then the loop over x takes an add-min a joined
 * cell. Nothing overlaps within a block: several share a multiprocessor, and while one adds up or
 * stores, the others compute.
 *
 * Boxes lie side by side; one that would pass the end of its group is moved back so that it ends
 * with it, and cells that two boxes share are computed twice. Where the box is longer than the
 * group, cells are read from its last values, computed, and not stored. x past the last are that
 * one.
 */
#ifndef GPUBE_OPS_CONTRACT_PRESUM_H
#define GPUBE_OPS_CONTRACT_PRESUM_H

#include "gpube/ops/contract_flat.h"

#define GPUBE_PRESUM_TERMS   4 /* operands of a side */
#define GPUBE_PRESUM_OPS     (2 * GPUBE_PRESUM_TERMS)
#define GPUBE_PRESUM_THREADS 256
#define GPUBE_PRESUM_BLOCKS  2   /* of a multiprocessor */
#define GPUBE_PRESUM_ROW     448 /* words of shared memory for one x: R, then L */
#define GPUBE_PRESUM_X       60  /* most x */
#define GPUBE_PRESUM_COLUMNS 8   /* of a thread's tile */

enum { PRESUM_I, PRESUM_J, PRESUM_GRID, N_PRESUM_GROUPS };

/* The kernels: rows of a thread's tile. */
enum gpube__presum_kernel { PRESUM_7X8, PRESUM_8X8, N_PRESUM_KERNELS };

GPUBE_HD static inline uint32_t gpube__presum_rows(uint32_t kernel)
{
	return kernel == PRESUM_7X8 ? 7 : 8;
}

/*
 * How four values of J, or one of I, are read for four x: the four of each x together; one for all
 * four, one x at a time or together; the four x of each together; or cell by cell.
 */
enum gpube__presum_read {
	PRESUM_FOURS,
	PRESUM_SAME,
	PRESUM_SAME_X,
	PRESUM_FOURS_X,
	PRESUM_CELLS,
};

struct gpube__presum_op {
	uint32_t x;    /* cells to the next x */
	uint32_t next; /* to the next value of J within four */
	uint32_t how;  /* enum gpube__presum_read */
	int32_t order; /* the contraction's operand that it is */
	uint32_t step[N_PRESUM_GROUPS][GPUBE_FLAT_DIMS];
};

/* A plan: everything but the operands' addresses. */
struct gpube__presum {
	uint32_t kernel, threads, blocks;
	uint32_t n_x, all_x; /* all_x: the next multiple of 4 */
	int32_t one;         /* 1, which the compiler does not know */
	int64_t cut, threshold;
	struct gpube__flat group[N_PRESUM_GROUPS];
	uint32_t lanes[2], boxes[2]; /* along I and J */
	uint32_t groups, row_groups; /* of threads along x, that add up R and L */
	struct gpube__divisor by_lanes, by_fours, by_values, by_boxes[2]; /* by_lanes: of J */
	uint32_t out[N_PRESUM_GROUPS][GPUBE_FLAT_DIMS], out_wide;
	uint32_t n_ops[2];                            /* of L and of R */
	struct gpube__presum_op op[GPUBE_PRESUM_OPS]; /* those of R from GPUBE_PRESUM_TERMS on */
};

/* Bytes of a block's shared memory. */
static inline uint32_t gpube__presum_shared(const struct gpube__presum *d)
{
	return 4 * GPUBE_PRESUM_ROW * d->all_x;
}

/* Values of the box along I or J. */
GPUBE_HD static inline uint32_t gpube__presum_box(const struct gpube__presum *d, int group)
{
	return d->lanes[group] *
	       (group == PRESUM_I ? gpube__presum_rows(d->kernel) : GPUBE_PRESUM_COLUMNS);
}

GPUBE_HD static inline uint32_t gpube__presum_divide(
	uint32_t i, uint32_t n, struct gpube__divisor by)
{
	return n == 1 ? i : gpube__quotient(i, by);
}

/* First values of a block's box along each group. */
GPUBE_HD static inline void gpube__presum_start(
	const struct gpube__presum *d, uint32_t block, uint32_t *start)
{
	for (int g = PRESUM_J; g >= PRESUM_I; g--) {
		const uint32_t rest = gpube__presum_divide(block, d->boxes[g], d->by_boxes[g]);
		const uint32_t size = gpube__presum_box(d, g);
		const uint32_t first = (block - rest * d->boxes[g]) * size;
		const uint32_t last = d->group[g].size > size ? d->group[g].size - size : 0;

		start[g] = first < last ? first : last;
		block = rest;
	}
	start[PRESUM_GRID] = block;
}

/* Value 'at' of the box along I or J, as gpube__flat_split() has it; fours of J are never cut. */
GPUBE_HD static inline void gpube__presum_split(const struct gpube__presum *d, int group,
	const uint32_t *start, uint32_t at, uint32_t *digit)
{
	const uint32_t end = d->group[group].size - (group == PRESUM_J ? 4 : 1);

	at += start[group];
	gpube__flat_split(&d->group[group], at < end ? at : end, digit);
}

/* Cells of operand k before values of the grid and of the group of its side, at x = 0. */
GPUBE_HD static inline uint32_t gpube__presum_at(
	const struct gpube__presum *d, uint32_t k, const uint32_t *grid, const uint32_t *digit)
{
	const int g = k < GPUBE_PRESUM_TERMS ? PRESUM_I : PRESUM_J;

	return gpube__flat_at(grid, d->op[k].step[PRESUM_GRID]) +
	       gpube__flat_at(digit, d->op[k].step[g]);
}

/* A thread's lanes along I and J. */
GPUBE_HD static inline void gpube__presum_lane(
	const struct gpube__presum *d, uint32_t t, uint32_t *at)
{
	at[PRESUM_I] = gpube__presum_divide(t, d->lanes[PRESUM_J], d->by_lanes);
	at[PRESUM_J] = t - at[PRESUM_I] * d->lanes[PRESUM_J];
}

/* Values of the box of row 'row', and of four columns, of a lane's tile. */
GPUBE_HD static inline uint32_t gpube__presum_row(
	const struct gpube__presum *d, const uint32_t *at, uint32_t row)
{
	return at[PRESUM_I] * gpube__presum_rows(d->kernel) + row;
}

GPUBE_HD static inline uint32_t gpube__presum_column(
	const struct gpube__presum *d, const uint32_t *at, uint32_t four)
{
	return 4 * (at[PRESUM_J] + four * d->lanes[PRESUM_J]);
}

/* Words of an x before a lane's rows of L; those before value 'at' of L as it is added up. */
GPUBE_HD static inline uint32_t gpube__presum_word(
	const struct gpube__presum *d, uint32_t lane, uint32_t row)
{
	return GPUBE_PRESUM_COLUMNS * d->lanes[PRESUM_J] + 8 * lane + row;
}

/*
 * gpube__presum_plan() - the groups and boxes with the least predicted cost.
 * cycles    out: predicted cycles of the device, from the launch to the end
 * Returns false where there is no kernel for it: (min,+) of 4 bytes, without arguments and with
 * one reduced dim of a few values, of operands with less than 2^32 cells each that fall into two
 * sides.
 */
bool gpube__presum_plan(struct gpube__presum *d, double *cycles,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s);

#endif
