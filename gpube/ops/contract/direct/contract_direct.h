/*
 * contract_direct.h - contractions whose operands the CUDA kernels read where they lie: the
 * descriptor, and its index arithmetic, written once for the planner, the kernels and the CPU
 * test that executes a plan as the kernels would.
 *
 * A thread computes a tile of output cells in registers: P x R x V, each along one output dim,
 * where the cells of V lie together in every table; or V is a few x side by side, and the best of
 * them is taken at the end. The threads of a block cover a box of tiles (lanes), the blocks the
 * output (grid). Nothing is shared but what the L1 cache keeps: no list to make before, no wait for
 * copies, and one launch, whose descriptor is the kernel's parameter. Boxes (contract_box.h) copy
 * to shared memory instead, which pays where the same cells are read very often, as in a large
 * matrix product.
 *
 * A tile or a box that would pass the end of a dim is moved back so that it ends with the dim, as
 * is the last group of x: some cells are computed twice, with the same result, and there are no
 * edges.
 *
 * Tables of 2^32 cells and more. What a block reads of a table for one x lies within 32 bits of
 * its first cell, by the choice of its tile and lanes; that first cell, and where an x begins, have
 * 64 bits. An x takes one multiply-add all the same: 32 bits of x, scaled, by 32 bits of a step in
 * units of as many cells as the table needs. Cutting such a contraction into several along an
 * output dim instead would not help: an eliminated variable is the slowest dim of the messages that
 * have it, so that every part would still step through all of them; and cutting along x would write
 * and read the output once a part.
 */
#ifndef GPUBE_OPS_CONTRACT_DIRECT_H
#define GPUBE_OPS_CONTRACT_DIRECT_H

#include "gpube/ops/contract/boxes/contract_box.h"

#define GPUBE_DIRECT_LANES     6   /* dims of the lanes */
#define GPUBE_DIRECT_GRID      24  /* of the grid */
#define GPUBE_DIRECT_THREADS   256 /* most of a block */
#define GPUBE_DIRECT_THREADS_R 384 /* of kernels with R, one block of which fills the registers */

/* What an operand depends on, besides x, lanes and grid. */
enum { DIRECT_P = 1, DIRECT_R = 2, DIRECT_V = 4 };

/*
 * Tables: the first of some classes have places of their own, whose addresses the kernel keeps in
 * registers; the others follow in the order of their classes, those of no class first.
 */
enum {
	DIRECT_PV,
	DIRECT_RV,
	DIRECT_PR,
	DIRECT_V0,
	DIRECT_P0,
	N_DIRECT_PLACES,
	N_DIRECT_TABLES = 16,
};

struct gpube__direct_steps {
	uint32_t x, x_bytes; /* units of so many bytes from one x to the next */
	uint32_t p, r;       /* cells from one cell of a register group to the next */
	uint32_t wide;       /* along P or R the cells lie together and aligned */
};

struct gpube__direct_table {
	/* cells to the next value; the grid's have 40 bits: a kernel's parameters are few */
	uint32_t lane[GPUBE_DIRECT_LANES], grid[GPUBE_DIRECT_GRID];
	uint8_t grid_high[GPUBE_DIRECT_GRID];
};

#define GPUBE_DIRECT_MAX_STEP (((int64_t)1 << 40) - 1)

/* The kernels that there are: cells along P, R and V. */
enum gpube__direct_kernel {
	DIRECT_8X4,
	DIRECT_8X2,
	DIRECT_8X1,
	DIRECT_4X4X4,
	DIRECT_4X4X2,
	N_DIRECT_KERNELS,
};

struct gpube__direct_kernel_info {
	int p, r, v;
	int sm_threads; /* of a multiprocessor, by the kernel's registers */
};

extern const struct gpube__direct_kernel_info gpube__direct_kernels[N_DIRECT_KERNELS];

/* Values of a dim: n tiles or boxes, 'step' from one to the next, none past 'last'. */
struct gpube__direct_axis {
	uint32_t n, step, last;
	struct gpube__divisor by_n;
};

/* A plan: everything but the operands' addresses. What each step reads comes first. */
struct gpube__direct {
	uint32_t n_steps, x_step, x_last, np, nr;
	uint32_t present;                                    /* bits of the places */
	uint32_t end_s, end_v, end_p, end_r, end_pv, end_rv; /* of the other tables, by class */
	int32_t one; /* 1, which the compiler does not know */
	struct gpube__direct_steps steps[N_DIRECT_TABLES];
	uint32_t kernel, v_is_x;
	uint32_t threads, lanes, blocks;
	uint32_t per_block; /* contractions of a batch that one block does */
	struct gpube__divisor by_lanes, by_blocks;
	int32_t n_lane, n_grid;
	struct gpube__direct_axis lane[GPUBE_DIRECT_LANES], grid[GPUBE_DIRECT_GRID];
	uint32_t out_lane[GPUBE_DIRECT_LANES];
	int64_t out_grid[GPUBE_DIRECT_GRID];
	uint32_t out_p, out_r;
	int64_t top, threshold;
	int8_t order[N_DIRECT_TABLES]; /* the contraction's operand that lies here; -1: none */
	struct gpube__direct_table table[N_DIRECT_TABLES];
};

/* First value of the axis in tile or box *at, which is then that of the next axis. */
GPUBE_HD static inline uint32_t gpube__direct_at(const struct gpube__direct_axis *a, uint32_t *at)
{
	const uint32_t rest = gpube__quotient(*at, a->by_n);
	const uint32_t value = (*at - rest * a->n) * a->step;

	*at = rest;
	return value < a->last ? value : a->last;
}

/* Cells before a block's first one in table k, or in the output (k < 0). */
GPUBE_HD static inline int64_t gpube__direct_block(
	const struct gpube__direct *d, int k, uint32_t block)
{
	int64_t offset = 0;

	for (int i = 0; i < d->n_grid; i++) {
		const uint32_t at = gpube__direct_at(&d->grid[i], &block);

		offset += (int64_t)at * (k < 0 ? d->out_grid[i]
					       : (int64_t)d->table[k].grid_high[i] << 32 |
								(int64_t)d->table[k].grid[i]);
	}
	return offset;
}

/* Values of the lane's first cell along the axes of the lanes; 0 past the last of them. */
GPUBE_HD static inline void gpube__direct_lane(
	const struct gpube__direct *d, uint32_t lane, uint32_t *at)
{
	for (int i = 0; i < GPUBE_DIRECT_LANES; i++)
		at[i] = i < d->n_lane ? gpube__direct_at(&d->lane[i], &lane) : 0;
}

/* Cells from a block's first one to the lane's: of a table, or the output. */
GPUBE_HD static inline uint32_t gpube__direct_offset(const uint32_t *at, const uint32_t *step)
{
	uint32_t offset = 0;

	for (int i = 0; i < GPUBE_DIRECT_LANES; i++)
		offset += at[i] * step[i];
	return offset;
}

/* i / size, also for a size of 1, of which there is no reciprocal. */
GPUBE_HD static inline uint32_t gpube__direct_split(
	uint32_t i, uint32_t size, struct gpube__divisor by)
{
	return size == 1 ? i : gpube__quotient(i, by);
}

/* First x of a step. */
GPUBE_HD static inline uint32_t gpube__direct_x(const struct gpube__direct *d, uint32_t step)
{
	return step * d->x_step < d->x_last ? step * d->x_step : d->x_last;
}

/*
 * gpube__direct_plan() - the tiles with the least predicted cost.
 * in_batch  others keep the device busy: no need to spread this one over all of it
 * cycles    out: predicted cycles of the device, from the launch to the end
 * c         one that gpube__direct_applies() to: (min,+) of 4 bytes, without arguments and with at
 *           most one reduced dim
 * Returns false where a table is too large for it.
 */
bool gpube__direct_plan(struct gpube__direct *d, double *cycles,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s, bool in_batch);

#endif
