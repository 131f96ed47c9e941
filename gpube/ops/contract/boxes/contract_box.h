/*
 * contract_box.h - how the CUDA backend cuts a (min,+) contraction into
 * boxes: the descriptor, and all its index arithmetic, written once for the planner,
 * the kernels and the CPU test that executes a plan as the kernels would.
 *
 * A block computes a box of output cells: for each output dim a range of its values.
 * A box has three kinds of parts, into which a dim's range may be split:
 *   P, Q  each thread owns all cells of P x Q, in registers
 *   L     lanes: its positions are spread over the threads, in rounds
 * Of each operand, the cells that the box and a chunk of the reduced dims X need
 * are copied to shared memory. What an operand costs per joined cell depends
 * on which parts it has:
 *   A  P but no Q: one read for the Q cells of a thread     (matrix products)
 *   B  Q but no P: one read for its P cells
 *   S  neither: one read for all
 *   C  both: a read and an addition per joined cell; lanes outside its scope share the read
 * The last range along a dim is moved back so that it ends with the dim, and the last
 * chunk along X likewise: some cells are computed twice, with the same result, and
 * there are no edges anywhere.
 *
 * Tables of 2^32 cells and more. The first cell of a block has 64 bits. So has the first cell of a
 * chunk, if the operand has one step along X. Offsets from these cells have 32 bits. The planner
 * sees to that: it takes shorter chunks, down to a single x, and boxes that are short along the
 * dims of the longest steps. So copies stay as cheap as they are for small tables. If X has several
 * steps, its offsets count from x = 0, and such a table goes to the general kernel.
 */
#ifndef GPUBE_OPS_CONTRACT_BOX_H
#define GPUBE_OPS_CONTRACT_BOX_H

#include <stddef.h>

#include "gpube/base/base.h"
#include "gpube/ops/index.h"

#define GPUBE_BOX_IN    24
#define GPUBE_BOX_DIMS  36
#define GPUBE_BOX_PARTS 44 /* parts of the dims of one operand, with X */
#define GPUBE_BOX_REGS  10 /* most cells of P or Q */

/* Operands of a kind whose places a thread keeps in registers; S1: where there is no Q. */
#define GPUBE_BOX_REG_A  2
#define GPUBE_BOX_REG_B  2
#define GPUBE_BOX_REG_S  1
#define GPUBE_BOX_REG_S1 4

/* The kernels that there are, by the cells of P and Q. */
enum gpube__box_kernel {
	BOX_8X8_PLAIN, /* one A and one B, min-plus: nothing but a matrix product */
	BOX_8X8,
	BOX_8X8_C, /* with one operand of kind C */
	BOX_10X10,
	BOX_8X4,
	BOX_8X1, /* P alone; operands lie in shared memory as in memory */
	BOX_10X1,
	N_BOX_KERNELS,
};

struct gpube__box_kernel_info {
	int p, q;
	int threads;    /* most of a block */
	int sm_threads; /* of a multiprocessor, by the kernel's registers */
	bool c, narrow; /* takes kind C; also for arguments, 8-byte types */
};

/* Indexed by enum gpube__box_kernel. */
extern const struct gpube__box_kernel_info gpube__box_kernels[N_BOX_KERNELS];

/* ---- arithmetic, of all planners ------------------------------------------------------------ */

GPUBE_HD static inline int64_t gpube__divide_up(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

GPUBE_HD static inline int64_t gpube__smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* i / size for i < 2^31 (Granlund and Montgomery 1994). */
struct gpube__divisor {
	uint32_t reciprocal, shift;
};

static inline struct gpube__divisor gpube__divisor_of(uint32_t size)
{
	struct gpube__divisor d = {0, 0};
	uint32_t shift = 1;

	/* of a number below 1, which is 0: any reciprocal will do */
	if (size <= 1)
		return d;
	while ((uint64_t)1 << shift < size)
		shift++;
	d.shift = shift - 1;
	d.reciprocal = (uint32_t)(((uint64_t)1 << (31 + shift)) / size + 1);
	return d;
}

GPUBE_HD static inline uint32_t gpube__quotient(uint32_t i, struct gpube__divisor d)
{
	return (uint32_t)((uint64_t)i * d.reciprocal >> 32) >> d.shift;
}

/*
 * For a search: the next larger number of steps along a dim that has 'all' of them. which: 0 twice
 * as many, 1 the next divisor, 2 all. Divisors past 'most' are not looked for, since fused dims may
 * have 10^9 steps.
 */
static inline int64_t gpube__next_lanes(int64_t lanes, int64_t all, int which, int64_t most)
{
	int64_t n = lanes + 1;

	if (which == 0)
		return lanes * 2 <= all ? lanes * 2 : all;
	if (which == 2)
		return all;
	while (n < all && all % n && n <= most)
		n++;
	return n;
}

/* A run of an operand's cells in the box: 'n' steps of 'from' cells, none past 'limit'. */
struct gpube__box_run {
	uint32_t n, from, limit;
	uint32_t to, reg; /* step in shared memory; of the register cell, where 'vector' */
};

/* How to make the list of an operand's copies; read by gpube__box_prepare() alone. */
struct gpube__box_runs {
	int32_t n;
	struct gpube__box_run run[GPUBE_BOX_PARTS]; /* the closest cells first */
	uint32_t lane_to[GPUBE_BOX_DIMS];           /* by lane part */
	int64_t x_stride[GPUBE_BOX_DIMS];           /* by reduced dim */
};

/* One operand, as the kernel reads it. Places are in cells of shared memory. */
struct gpube__box_table {
	uint32_t copies, wide; /* of a chunk; cells of each: 1, 2 or 4 */
	uint32_t entries;      /* words: (from, to) of each copy, for the first x */
	uint32_t n_entries;
	uint32_t lo; /* a copy's number is (hi, lo); lo of them */
	struct gpube__divisor by_lo;
	uint32_t x_is_lo; /* lo is x and hi the entry; otherwise the other way round */
	uint32_t square;  /* a copy turns four rows of four x, 'row' apart; else 0 */
	uint32_t row;
	uint32_t x_offsets; /* words: offsets along X, 0: x_from apart */
	int64_t x_from;
	uint32_t x_to;
	uint32_t place;     /* in the buffer */
	uint32_t vector;    /* four register cells lie together, the next four reg_to further */
	uint32_t reg_to;    /* otherwise to the next register cell */
	uint32_t positions; /* words: place of each lane position */
};

/*
 * A plan. Everything but the operands' addresses; contractions of one form share it. The words
 * that it speaks of are made from it by gpube__box_prepare().
 */
struct gpube__box {
	int32_t n_in, n_a, n_b, n_s; /* operands in the order A, B, S, C */
	uint32_t kernel, threads, shared_bytes;
	uint32_t blocks, lanes, np, nq;
	uint32_t chunk, n_chunks; /* of X: cells at a time */
	uint32_t n_x;
	uint32_t buffer; /* cells; where n_chunks > 1 there are two */
	uint32_t out_wide, out_positions;
	uint32_t n_words, n_items;
	uint64_t first_word; /* of this plan, among those of a batch */
	int32_t one;         /* 1, which the compiler does not know */
	int32_t arg_bytes;
	int64_t top, threshold;
	double cycles; /* predicted, of the device */
	uint32_t out_p[GPUBE_BOX_REGS], out_q[GPUBE_BOX_REGS];
	int32_t n_x_dims;
	uint32_t x_size[GPUBE_BOX_DIMS];
	int64_t x_arg[GPUBE_BOX_DIMS];
	/* boxes along each dim that has several, fastest first */
	int32_t n_grid;
	uint32_t grid[GPUBE_BOX_DIMS], step[GPUBE_BOX_DIMS], last[GPUBE_BOX_DIMS];
	struct gpube__divisor by_grid[GPUBE_BOX_DIMS];
	int64_t out_stride[GPUBE_BOX_DIMS];
	struct gpube__box_table table[GPUBE_BOX_IN];
	int64_t stride[GPUBE_BOX_IN][GPUBE_BOX_DIMS]; /* along the grid */
	/* lane parts, fastest first */
	int32_t n_lane_parts;
	uint32_t lane_n[GPUBE_BOX_DIMS], lane_out[GPUBE_BOX_DIMS], lane_out_limit[GPUBE_BOX_DIMS];
	int32_t order[GPUBE_BOX_IN]; /* the contraction's operand that is operand k here */
	struct gpube__box_runs runs[GPUBE_BOX_IN]; /* last: only n_in of them are sent */
};

static inline uint64_t gpube__box_bytes(const struct gpube__box *b)
{
	return offsetof(struct gpube__box, runs) + (uint64_t)b->n_in * sizeof(b->runs[0]);
}

/* Offset of the box's first cell in operand k, or in the output (k < 0). */
GPUBE_HD static inline int64_t gpube__box_start(const struct gpube__box *b, int k, uint32_t block)
{
	const int64_t *stride = k < 0 ? b->out_stride : b->stride[k];
	int64_t offset = 0;

	for (int i = 0; i < b->n_grid; i++) {
		const uint32_t rest = gpube__quotient(block, b->by_grid[i]);
		const uint32_t at = (block - rest * b->grid[i]) * b->step[i];

		offset += (int64_t)(at < b->last[i] ? at : b->last[i]) * stride[i];
		block = rest;
	}
	return offset;
}

/* First reduced cell of a chunk. */
GPUBE_HD static inline uint32_t gpube__box_chunk(const struct gpube__box *b, uint32_t chunk)
{
	const uint32_t x = chunk * b->chunk;

	return x < b->n_x - b->chunk ? x : b->n_x - b->chunk;
}

/* Copy e of a chunk: its list entry and its x in the chunk, or four of them in squares. */
GPUBE_HD static inline void gpube__box_copy(
	const struct gpube__box_table *t, uint32_t e, uint32_t *entry, uint32_t *x)
{
	const uint32_t hi = gpube__quotient(e, t->by_lo), lo = e - hi * t->lo;

	*entry = t->x_is_lo ? hi : lo;
	*x = t->x_is_lo ? lo : hi;
}

/* Place of register cell r, after that of the lane position and x. */
GPUBE_HD static inline uint32_t gpube__box_reg(const struct gpube__box_table *t, uint32_t r)
{
	return t->vector ? r / 4 * t->reg_to + r % 4 : r * t->reg_to;
}

/* The argument of flattened reduced cell x. */
GPUBE_HD static inline int64_t gpube__box_arg(const struct gpube__box *b, uint32_t x)
{
	int64_t arg = 0;

	if (b->n_x_dims == 1)
		return (int64_t)x * b->x_arg[0];
	for (int d = b->n_x_dims - 1; d >= 0; d--) {
		arg += (int64_t)(x % b->x_size[d]) * b->x_arg[d];
		x /= b->x_size[d];
	}
	return arg;
}

/* Entry i of operand k's copies. */
GPUBE_HD static inline void gpube__box_entry(
	const struct gpube__box *b, int k, uint32_t i, uint32_t *words)
{
	const struct gpube__box_table *t = &b->table[k];
	const struct gpube__box_runs *r = &b->runs[k];
	uint32_t *out = words + t->entries + 2 * (uint64_t)i;
	uint32_t from = 0, to = 0, reg = 0;

	i *= t->wide;
	for (int d = 0; d < r->n; d++) {
		const struct gpube__box_run *run = &r->run[d];
		const uint32_t at = i % run->n, step = at * run->from;

		from += step < run->limit ? step : run->limit;
		to += at * run->to;
		reg += at * run->reg;
		i /= run->n;
	}
	out[0] = from;
	out[1] = t->place + to + (t->vector ? gpube__box_reg(t, reg) : 0);
}

/* Place of lane position i in operand k, or its offset in the output (k < 0). */
GPUBE_HD static inline uint32_t gpube__box_position(const struct gpube__box *b, int k, uint32_t i)
{
	uint32_t at = k < 0 ? 0 : b->table[k].place;

	for (int d = 0; d < b->n_lane_parts; d++) {
		const uint32_t c = i % b->lane_n[d];

		if (k >= 0) {
			at += c * b->runs[k].lane_to[d];
		} else {
			const uint32_t step = c * b->lane_out[d];

			at += step < b->lane_out_limit[d] ? step : b->lane_out_limit[d];
		}
		i /= b->lane_n[d];
	}
	return at;
}

/* Makes item i < n_items of the plan's words. */
GPUBE_HD static inline void gpube__box_prepare(
	const struct gpube__box *b, uint32_t i, uint32_t *words)
{
	if (i < b->lanes) {
		words[b->out_positions + i] = gpube__box_position(b, -1, i);
		return;
	}
	i -= b->lanes;
	for (int k = 0; k < b->n_in; k++) {
		const struct gpube__box_table *t = &b->table[k];

		if (i < b->lanes) {
			words[t->positions + i] = gpube__box_position(b, k, i);
			return;
		}
		i -= b->lanes;
		if (i < t->n_entries) {
			gpube__box_entry(b, k, i, words);
			return;
		}
		i -= t->n_entries;
		if (!t->x_offsets)
			continue;
		if (i < b->n_x) {
			uint32_t *offset = &words[t->x_offsets + i];

			*offset = 0;
			for (int d = b->n_x_dims - 1; d >= 0; d--) {
				*offset += i % b->x_size[d] * (uint32_t)b->runs[k].x_stride[d];
				i /= b->x_size[d];
			}
			return;
		}
		i -= b->n_x;
	}
}

/* (min,+) of 4 bytes without arguments: all that most families have kernels for. */
static inline bool gpube__is_plain(const struct gpube_contraction *c)
{
	return c->semiring == GPUBE_MIN_PLUS && !c->out_arg && c->type == GPUBE_INT32;
}

/* What a plan is made for. */
struct gpube__box_device {
	int n_sms;
	uint32_t shared_bytes; /* most of a block */
	uint32_t sm_shared_bytes;
};

/*
 * gpube__box_plan() - the box with the least predicted cost.
 * in_batch  others keep the device busy: no need to spread this one over all of it
 * c         one that gpube__boxes_apply() to: (min,+) of no more operands and dims than fit
 * Returns false where only the general kernel will do: few output cells with many reduced ones.
 */
bool gpube__box_plan(struct gpube__box *b, const struct gpube__box_device *device,
	const struct gpube_contraction *c, const struct gpube__shape *s, bool in_batch);

/* ---- between contract_box_plan.c and contract_box_make.c -------------------------------- */

/* Dims whose cells a thread has in registers, and how many values of each. */
struct gpube__box_group {
	int n, cells;
	uint64_t dims;
	int dim[4], size[4];
};

/* What the search chooses, and what follows from it. */
struct gpube__box_choice {
	enum gpube__box_kernel kernel;
	struct gpube__box_group p, q;
	int64_t lanes[GPUBE_BOX_DIMS]; /* by output dim: steps of a box */
	int64_t n_lanes, threads, rounds, chunk, n_chunks, shared_bytes;
	double cost;
};

/* Values of output dim d that a thread has. */
int64_t gpube__box_reg_size(const struct gpube__box_choice *c, int d);
/* Cells of a copy of operand k for one x, room between registers included. */
int64_t gpube__box_cells(const struct gpube__shape *s, const struct gpube__box_choice *c, int k);
/* The descriptor. Returns false where a number does not fit its field. */
bool gpube__box_make(struct gpube__box *b, const struct gpube__box_choice *c,
	const struct gpube_contraction *from, const struct gpube__shape *s);

#endif
