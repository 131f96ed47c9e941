/*
 * contract_whole.h - batches of contractions of one form whose tables fit into shared memory whole:
 * the descriptor and its index arithmetic, written once for the planner, the kernels and the CPU
 * test that executes a plan as the kernels would.
 *
 * A few blocks a multiprocessor do all contractions of a batch, each every so-manieth one, or
 * several small ones at a time. All tables of a contraction are copied as they lie, in whole runs
 * of 16 bytes, into one of a few stages of shared memory while the contractions before it are
 * worked on: memory is read once, in long runs, whatever the order of the dims, and what is read
 * again is read from shared memory. What a thread reads and writes is the same for every
 * contraction, so that it is found once.
 *
 * A thread computes P x V output cells, along two output dims. A dim of 'size' values has as many
 * lanes as its cells need, and lane l has the values l, l + lanes and so on, the last of them moved
 * back so that it ends with the dim: some cells are computed twice, with the same result, and
 * there are no edges. Operands with P's dim are read P times an x, those without it V times. Where
 * x lies together in all operands, W of it are read at once.
 *
 * In bulk (sm_90; contractions that are neither tiny nor need more than one tile a thread): a block
 * has one contraction at a time and no more threads than that has tiles, mostly one or two warps;
 * many such blocks do different things at one time. One thread asks for a table with one
 * instruction, and a stage waits for a number of bytes. The output is put together in shared memory
 * and leaves it whole, too.
 */
#ifndef GPUBE_OPS_CONTRACT_WHOLE_H
#define GPUBE_OPS_CONTRACT_WHOLE_H

#include "gpube/ops/contract/boxes/contract_box.h"

#define GPUBE_WHOLE_AXES    8   /* output dims */
#define GPUBE_WHOLE_P       8   /* most cells of a thread along P */
#define GPUBE_WHOLE_V       10  /* and along V */
#define GPUBE_WHOLE_SIDE    2   /* operands with P's dim, and without */
#define GPUBE_WHOLE_THREADS 256 /* most of a block */
#define GPUBE_WHOLE_STAGES  4   /* most of them */
#define GPUBE_WHOLE_RING    8   /* steps whose addresses a block knows, twice its stages or more */
#define GPUBE_WHOLE_FIRST   4   /* words of shared memory before the stages, which are 0 */
#define GPUBE_BULK_FIRST    16  /* in bulk: what a block knows of each stage */

/* Cells of a thread's tile along P and V. */
enum gpube__whole_kernel {
	WHOLE_8X4,
	WHOLE_5X2,
	WHOLE_8X1,
	BULK_4X10,
	BULK_8X4,
	BULK_8X1,
	N_WHOLE_KERNELS
};

struct gpube__whole_kernel_info {
	int p, v;
	int sm_threads; /* of a multiprocessor, by the kernel's registers */
	bool bulk;
};

extern const struct gpube__whole_kernel_info gpube__whole_kernels[N_WHOLE_KERNELS];

/* A table in a stage; n_ops of them, in the contraction's order. */
struct gpube__whole_table {
	uint32_t at, cells; /* words from the contraction's first one */
};

/* An operand as a thread reads it: cells to the next x, register cell's value, and lanes' values.
 */
struct gpube__whole_slot {
	int32_t op; /* -1: none, words that are 0 are read */
	uint32_t x, reg;
	uint32_t lane[GPUBE_WHOLE_AXES];
};

/* A plan: everything but the tables' addresses. */
struct gpube__whole {
	uint32_t kernel, wide; /* W */
	uint32_t n_sides;      /* most operands of a side */
	uint32_t n_of[2];      /* operands with P's dim, and without */
	uint32_t threads, lanes, per_block, stages, at_once;
	uint32_t words; /* of one contraction in a stage */
	uint32_t out_cells;
	uint32_t shared_bytes;
	uint32_t n_x, n_ops, n_axes;
	int32_t one; /* 1, which the compiler does not know */
	int64_t cut, threshold;
	uint32_t value[2][GPUBE_WHOLE_V]; /* of register cell i along P and V, from the lane's */
	uint32_t out_reg[2], out_lane[GPUBE_WHOLE_AXES];
	uint32_t axis_n[GPUBE_WHOLE_AXES]; /* lanes along each, fastest first */
	struct gpube__divisor by_n[GPUBE_WHOLE_AXES], by_lanes;
	struct gpube__whole_slot slot[2][GPUBE_WHOLE_SIDE]; /* with P's dim, and without */
	struct gpube__whole_table table[2 * GPUBE_WHOLE_SIDE];
};

/* i / n, also for an n of 1, of which there is no reciprocal. */
GPUBE_HD static inline uint32_t gpube__whole_split(
	uint32_t i, uint32_t n, struct gpube__divisor by_n)
{
	return n == 1 ? i : gpube__quotient(i, by_n);
}

/* Where a lane is along each axis. */
GPUBE_HD static inline void gpube__whole_lane(
	const struct gpube__whole *d, uint32_t lane, uint32_t *at)
{
	for (uint32_t i = 0; i < GPUBE_WHOLE_AXES; i++) {
		at[i] = 0;
		if (i < d->n_axes) {
			const uint32_t rest = gpube__whole_split(lane, d->axis_n[i], d->by_n[i]);

			at[i] = lane - rest * d->axis_n[i];
			lane = rest;
		}
	}
}

GPUBE_HD static inline uint32_t gpube__whole_sum(const uint32_t *at, const uint32_t *step)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < GPUBE_WHOLE_AXES; i++)
		sum += at[i] * step[i];
	return sum;
}

/* Words of the stage before what a lane reads first in a slot. */
GPUBE_HD static inline uint32_t gpube__whole_place(
	const struct gpube__whole *d, const struct gpube__whole_slot *s, const uint32_t *at)
{
	return d->table[s->op].at + gpube__whole_sum(at, s->lane);
}

/* Bytes of a ring of rows of addresses, which are read 2 * stages - 2 steps before their use. */
static inline uint32_t gpube__whole_ring_bytes(const struct gpube__whole *d)
{
	return GPUBE_WHOLE_RING * d->per_block * (d->n_ops + 1) * 8;
}

static inline uint32_t gpube__whole_shared(const struct gpube__whole *d)
{
	return 4 * (GPUBE_WHOLE_FIRST + d->stages * d->per_block * d->words) +
	       gpube__whole_ring_bytes(d);
}

static inline uint32_t gpube__bulk_shared(const struct gpube__whole *d)
{
	return 4 * (GPUBE_BULK_FIRST + d->stages * d->words + (d->out_cells + 3) / 4 * 4);
}

/*
 * gpube__whole_plan() - the tiles with the least predicted cost.
 * n         contractions of the batch that have this form
 * cycles    out: predicted cycles of the device for one of them
 * Returns false where there is no kernel for it: (min,+) of 4 bytes, without arguments and with
 * at most one reduced dim, of up to four operands that fit a stage; and where the batch is too
 * small to keep every multiprocessor busy.
 */
bool gpube__whole_plan(struct gpube__whole *d, double *cycles,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s, int64_t n);

#endif
