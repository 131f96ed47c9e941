/*
 * contract_presum.h - contractions that are products once some dims are fixed, such as rings of
 * small tables: the descriptor, and its index arithmetic, written once for the planner, the kernels
 * and the CPU test that executes a plan as the kernels would.
 *
 * The output dims fall into one, I, a group J, those that are fixed and those that are walked
 * along, such that no operand has dims of both I and J. For one value of the last two groups,
 *
 *	out[i, j] = min over x of L[x, i] + (S[x, j] + T[x, k(j)])
 *
 * where L is the sum of the operands without J, S of those of J that the walk does not change, and
 * T of the others of J, whose columns k are fewer. A block has S in shared memory for a box of J,
 * and the L and T of as many steps of its walk as find room there, mostly all; then its warps take
 * tiles of 'rows' of I by four of J each, of any of these steps, until there is none, and wait for
 * nobody. Lanes count tiles through all the steps, so that only the last warp may have idle ones.
 * S and T meet in registers, which costs four additions for each x of a tile and saves that the
 * whole of S + T is written anew for each step.
 *
 * Columns are counted in fours along J's last dim. Where its size is no multiple of four, the
 * values of a four are as far apart as there are fours, so that neighbouring threads still have
 * neighbouring values, and those past the last are that of the four before, which is not stored;
 * nor are rows past the last. A box of rows that would pass the end is moved back. x are combined
 * in pairs: past the last comes the last again.
 */
#ifndef GPUBE_OPS_CONTRACT_PRESUM_H
#define GPUBE_OPS_CONTRACT_PRESUM_H

#include "gpube/ops/contract/contract_flat.h"

#define GPUBE_PRESUM_TERMS   4 /* operands of a sum */
/* Most threads of a block, which its tiles' registers leave. */
#define GPUBE_PRESUM_THREADS(rows) ((rows) <= 8 ? 640 : 512)
/* Words that a lane's rows of L take: of few, an odd number of fours, so that x fall on all banks. */
#define GPUBE_PRESUM_PADDED(rows) ((rows) <= 12 ? 12 : 16)

#define GPUBE_PRESUM_X     64 /* most x */
#define GPUBE_PRESUM_J     3  /* most dims of J */
#define GPUBE_PRESUM_STEPS 16 /* most whose L and T a block has at once */
#define GPUBE_PRESUM_KEPT  16 /* most S that a block has at once, a power of two */

enum { PRESUM_I, PRESUM_J, PRESUM_FIXED, PRESUM_WALK, N_PRESUM_GROUPS };
enum { PRESUM_L, PRESUM_S, PRESUM_T, N_PRESUM_SUMS };

#define GPUBE_PRESUM_OPS (N_PRESUM_SUMS * GPUBE_PRESUM_TERMS)

/* The kernels: rows of a thread's tile. */
enum gpube__presum_kernel {
	PRESUM_6X4,
	PRESUM_7X4,
	PRESUM_8X4,
	PRESUM_10X4,
	PRESUM_12X4,
	PRESUM_14X4,
	N_PRESUM_KERNELS
};

GPUBE_HD static inline uint32_t gpube__presum_rows(uint32_t kernel)
{
	return kernel <= PRESUM_8X4 ? 6 + kernel : 4 + 2 * kernel;
}

/*
 * How four values of J are read for four x: the four of each x together; one for all four, one x
 * at a time or together; the four x of each together; or cell by cell.
 */
enum gpube__presum_read {
	PRESUM_FOURS,
	PRESUM_SAME,
	PRESUM_SAME_X,
	PRESUM_FOURS_X,
	PRESUM_CELLS,
};

struct gpube__presum_op {
	uint32_t x;                     /* cells to the next x */
	uint32_t next;                  /* to the next value of a four */
	uint32_t how;                   /* of S: enum gpube__presum_read */
	int32_t order;                  /* the contraction's operand that it is */
	uint32_t step[GPUBE_FLAT_DIMS]; /* along I, or J, or T's two dims of columns */
	uint32_t fixed[GPUBE_FLAT_DIMS], walk[GPUBE_FLAT_DIMS];
};

/*
 * Cells that are added up one by one, in the order of the faster of x and of values. Where that is
 * x, a warp has eight x of four values, which fall on different banks of shared memory.
 */
struct gpube__presum_cells {
	uint32_t n, values, inner; /* all; of the faster one: values, or eights of x */
	uint32_t x_inner;          /* x is the faster one */
	struct gpube__divisor by;
};

/* A plan: everything but the operands' addresses. */
struct gpube__presum {
	uint32_t kernel, threads, blocks;
	uint32_t n_x, all_x; /* all_x: the next multiple of 2 */
	int32_t one;         /* 1, which the compiler does not know */
	int64_t cut, threshold;
	struct gpube__flat group[N_PRESUM_GROUPS]; /* J's last dim is counted in fours */
	struct gpube__flat columns; /* T's: one of J's dims, or none, and the last one, in fours */
	uint32_t column[GPUBE_FLAT_DIMS]; /* fours of T to the next along J's dims */
	uint32_t last;                    /* values of J's last dim */
	uint32_t in_four, apart; /* its values from a four to the next, and between those of one */
	uint32_t lanes[2], boxes[2]; /* along I and J; of a box, and boxes */
	struct gpube__divisor by_lanes, by_fours, by_boxes[2], by_walk; /* by_lanes: of I */
	uint32_t units, each,
		more; /* steps of all walks; of a block, 'more' of them have one more */
	uint32_t together, kept; /* most steps whose L and T are there at once, and most S */
	uint32_t tiles;          /* of a step */
	uint32_t fours_x;        /* fours of x */
	uint32_t s_by_x;         /* S is read in their order */
	uint32_t walked;         /* steps of one S */
	struct gpube__divisor by_tiles, by_walked, by_fours_x;
	struct gpube__presum_cells l, t;
	uint32_t pitch, pitch_l;  /* bytes from a four of S or T, or rows of a lane, to the next */
	uint32_t place_t, buffer; /* bytes before T in a step's; of a step's */
	uint32_t place_s, s_bytes, shared; /* bytes before the first S; of one; of all */
	uint32_t out_i, out_j[GPUBE_FLAT_DIMS], out_fixed[GPUBE_FLAT_DIMS],
		out_walk[GPUBE_FLAT_DIMS];
	uint32_t out_next, out_wide;
	uint32_t n_ops[N_PRESUM_SUMS];
	struct gpube__presum_op op[GPUBE_PRESUM_OPS]; /* GPUBE_PRESUM_TERMS of each sum */
};

/* What a block knows of a step: cells before it in each operand, and in the output. */
enum {
	PRESUM_OUT = GPUBE_PRESUM_OPS,
	PRESUM_ROW,  /* first row of the box */
	PRESUM_FOUR, /* first four of the box */
	PRESUM_KEPT, /* steps of the same S have the same */
	N_PRESUM_WORDS
};

GPUBE_HD static inline uint32_t gpube__presum_divide(
	uint32_t i, uint32_t n, struct gpube__divisor by)
{
	return n == 1 ? i : gpube__quotient(i, by);
}

/* Word 'which' of what a block knows of a step. */
GPUBE_HD static inline uint32_t gpube__presum_word(
	const struct gpube__presum *d, uint32_t unit, uint32_t which)
{
	const uint32_t n = d->group[PRESUM_WALK].size;
	const uint32_t walks = gpube__presum_divide(unit, n, d->by_walk);
	const uint32_t kept = gpube__presum_divide(walks, d->boxes[PRESUM_I], d->by_boxes[0]);
	const uint32_t fixed = gpube__presum_divide(kept, d->boxes[PRESUM_J], d->by_boxes[1]);
	const uint32_t walk = unit - walks * n;
	const uint32_t rows = d->lanes[PRESUM_I] * gpube__presum_rows(d->kernel);
	const uint32_t size = d->group[PRESUM_I].size, end = size > rows ? size - rows : 0;
	const uint32_t at = (walks - kept * d->boxes[PRESUM_I]) * rows, row = at < end ? at : end;
	uint32_t offset;

	if (which == PRESUM_ROW)
		return row;
	if (which == PRESUM_FOUR)
		return (kept - fixed * d->boxes[PRESUM_J]) * d->lanes[PRESUM_J];
	if (which == PRESUM_KEPT)
		return kept;
	if (which == PRESUM_OUT)
		return gpube__flat_offset(&d->group[PRESUM_FIXED], d->out_fixed, fixed) +
		       gpube__flat_offset(&d->group[PRESUM_WALK], d->out_walk, walk) +
		       row * d->out_i;
	offset = gpube__flat_offset(&d->group[PRESUM_FIXED], d->op[which].fixed, fixed) +
		 gpube__flat_offset(&d->group[PRESUM_WALK], d->op[which].walk, walk);
	return which < GPUBE_PRESUM_TERMS ? offset + row * d->op[which].step[0] : offset;
}

/* First step of a block; those of the next begin where its own end. */
GPUBE_HD static inline uint32_t gpube__presum_first(const struct gpube__presum *d, uint32_t block)
{
	return block * d->each + (block < d->more ? block : d->more);
}

/* Steps from 'unit' on that are done together, of n that the block still has. */
GPUBE_HD static inline uint32_t gpube__presum_together(
	const struct gpube__presum *d, uint32_t unit, uint32_t n)
{
	const uint32_t first = gpube__presum_divide(unit, d->walked, d->by_walked);
	const uint32_t same = (first + d->kept) * d->walked - unit;
	const uint32_t most = n < d->together ? n : d->together;

	return most < same ? most : same;
}

/* A tile: its step of those that are together, and lanes along I and J. */
struct gpube__presum_tile {
	uint32_t step, lane[2];
};

GPUBE_HD static inline struct gpube__presum_tile gpube__presum_tile_of(
	const struct gpube__presum *d, uint32_t i)
{
	struct gpube__presum_tile t;

	t.step = gpube__presum_divide(i, d->tiles, d->by_tiles);
	i -= t.step * d->tiles;
	t.lane[PRESUM_J] = gpube__presum_divide(i, d->lanes[PRESUM_I], d->by_lanes);
	t.lane[PRESUM_I] = i - t.lane[PRESUM_J] * d->lanes[PRESUM_I];
	return t;
}

/* Four x of a four of S, of lanes[PRESUM_J] * fours_x: which ones. */
GPUBE_HD static inline void gpube__presum_task(
	const struct gpube__presum *d, uint32_t i, uint32_t *four, uint32_t *x)
{
	if (d->s_by_x) {
		*four = gpube__presum_divide(i, d->fours_x, d->by_fours_x);
		*x = 4 * (i - *four * d->fours_x);
	} else {
		*x = gpube__presum_divide(i, d->lanes[PRESUM_J], d->by_fours);
		*four = i - *x * d->lanes[PRESUM_J];
		*x *= 4;
	}
}

/* Bytes before an S, of those that a block has. */
GPUBE_HD static inline uint32_t gpube__presum_place_s(const struct gpube__presum *d, uint32_t kept)
{
	return d->place_s + (kept & (d->kept - 1)) * d->s_bytes;
}

/* Values of a four past its first; four: its number along J's last dim. */
GPUBE_HD static inline uint32_t gpube__presum_left(const struct gpube__presum *d, uint32_t four)
{
	const uint32_t first = four * d->in_four;
	uint32_t left = 0;

	for (uint32_t j = 1; j < 4; j++)
		left += first + j * d->apart < d->last;
	return left;
}

/* What a four of J is along its dims, GPUBE_PRESUM_J. Returns its values past the first. */
GPUBE_HD static inline uint32_t gpube__presum_split(
	const struct gpube__presum *d, uint32_t four, uint32_t *digit)
{
	const struct gpube__flat *const f = &d->group[PRESUM_J];
	uint32_t last = 0;

	four = four < f->size ? four : f->size - 1;
	for (uint32_t i = GPUBE_PRESUM_J; i-- > 0;) {
		uint32_t rest = 0;

		digit[i] = 0;
		if (i >= f->n)
			continue;
		if (i > 0)
			rest = gpube__quotient(four, f->by[i]);
		digit[i] = four - rest * f->of[i];
		if (i + 1 == f->n)
			last = digit[i];
		four = rest;
	}
	return gpube__presum_left(d, last);
}

/* Cells, or fours, before such a place. */
GPUBE_HD static inline uint32_t gpube__presum_at(const uint32_t *digit, const uint32_t *step)
{
	uint32_t offset = 0;

	for (uint32_t i = 0; i < GPUBE_PRESUM_J; i++)
		offset += digit[i] * step[i];
	return offset;
}

/* A cell of L or T: its place in the operands, and bytes before it in a buffer; UINT32_MAX: none. */
struct gpube__presum_cell {
	uint32_t sum, x, at[2], j; /* PRESUM_L or PRESUM_T; j: of four */
	uint32_t to;
};

/* Cell i of a step, of d->l.n + d->t.n. */
GPUBE_HD static inline struct gpube__presum_cell gpube__presum_cell_of(
	const struct gpube__presum *d, uint32_t i)
{
	const bool is_l = i < d->l.n;
	const struct gpube__presum_cells *const all = is_l ? &d->l : &d->t;
	const uint32_t n = is_l ? i : i - d->l.n, end = d->group[PRESUM_I].size - 1;
	const uint32_t at = all->x_inner ? n / 32 : n;
	const uint32_t outer = gpube__presum_divide(at, all->inner, all->by);
	const uint32_t rest = at - outer * all->inner;
	const uint32_t x = all->x_inner ? 8 * rest + n % 8 : outer;
	const uint32_t is_at = all->x_inner ? 4 * outer + n / 8 % 4 : rest;
	const uint32_t value = is_at < all->values ? is_at : all->values - 1;
	struct gpube__presum_cell c;

	c.x = x < d->n_x ? x : d->n_x - 1;
	if (is_l) {
		const uint32_t rows = gpube__presum_rows(d->kernel), lane = value / rows;

		c.sum = PRESUM_L;
		c.at[0] = value < end ? value : end;
		c.at[1] = c.j = 0;
		c.to = lane * d->pitch_l +
		       4 * (GPUBE_PRESUM_PADDED(rows) * x + value - lane * rows);
	} else {
		const uint32_t four = value / 4, j = value % 4, of = d->columns.of[1];

		c.sum = PRESUM_T;
		c.at[0] = gpube__quotient(four, d->columns.by[1]);
		c.at[1] = four - c.at[0] * of;
		c.j = gpube__presum_left(d, c.at[1]);
		c.j = j < c.j ? j : c.j;
		c.to = d->place_t + four * d->pitch + 16 * x + 4 * j;
	}
	if (x >= d->all_x || is_at >= all->values)
		c.to = UINT32_MAX;
	return c;
}

/* Cells before it in an operand, from the step's first. */
GPUBE_HD static inline uint32_t gpube__presum_from(
	const struct gpube__presum_cell *c, const struct gpube__presum_op *o)
{
	return c->x * o->x + c->at[0] * o->step[0] + c->at[1] * o->step[1] + c->j * o->next;
}

/*
 * gpube__presum_plan() - the groups and boxes with the least predicted cost.
 * cycles    out: predicted cycles of the device, from the launch to the end
 * Returns false where there is no kernel for it: (min,+) of 4 bytes, without arguments and with
 * one reduced dim of a few values, of operands with less than 2^32 cells each that fall into two
 * sides, and more than four values of J's last dim.
 */
bool gpube__presum_plan(struct gpube__presum *d, double *cycles,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s);

#endif
