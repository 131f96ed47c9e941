/*
 * contract_strip.h - contractions that move much and compute little, by strips of the output: the
 * descriptor and its index arithmetic, written once for the planner, the kernels and the CPU test
 * that executes a plan as the kernels would.
 *
 * A strip is a run of output cells that lie together, taken for np values of the dims P. A unit of
 * work is one strip. A thread keeps four neighbouring cells in registers for each value of P. For
 * an x it reads
 *   R   one operand that runs along the strip, four cells at once, or that has some of the strip's
 *       dims, each cell from its place. A block copies it only when it changes: units that follow
 *       each other differ in dims that R lacks, as long as there are any
 *   S   the sum of the other operands that tell the four cells of a thread from each other
 *   L   the sum of those that do not, for each of the values of P
 * and adds R and S, which is four additions for 4 np add-mins. P is chosen so that no operand is of
 * both kinds. S and L are tables in shared memory, over those of the strip's dims that their
 * operands have. They are made for one unit while the unit before is computed. A dim inside of
 * which four cells of a thread end is two dims of the strip, if it can be: then S has the shorter
 * one alone.
 *
 * Each block does an equal number of units, one after the other. Where P takes a part of a dim, the
 * last part is moved back so that it ends with the dim, and some cells are computed twice. A strip
 * ends within one dim, at a divisor of its size.
 *
 * Tables of 2^32 cells and more. The first cells of a unit have 64 bits, and so has each x of R
 * where it is copied by fours. All else that a unit reads of a table lies within 32 bits, or there
 * is no plan.
 */
#ifndef GPUBE_OPS_CONTRACT_STRIP_H
#define GPUBE_OPS_CONTRACT_STRIP_H

#include "gpube/ops/contract/boxes/contract_box.h"

#define GPUBE_STRIP_OPS     8   /* operands */
#define GPUBE_STRIP_DIMS    12  /* of a strip */
#define GPUBE_STRIP_OUTER   24  /* of the others */
#define GPUBE_STRIP_P       10  /* values of P at most */
#define GPUBE_STRIP_THREADS 256 /* of a block at most: a quarter of its strip's cells */

enum gpube__strip_kernel { STRIP_1, STRIP_4, STRIP_8, STRIP_10, N_STRIP_KERNELS };

struct gpube__strip_kernel_info {
	int p, row;     /* values of P; words of L for them, which are read four at once */
	int sm_threads; /* of a multiprocessor, by the registers */
};

extern const struct gpube__strip_kernel_info gpube__strip_kernels[N_STRIP_KERNELS];

/* A dim outside of the strip, in steps of 'step' values, none past 'last'. */
struct gpube__strip_outer {
	uint32_t n, step, last;
	struct gpube__divisor by_n;
	int64_t out;
};

/* A dim of the strip. */
struct gpube__strip_dim {
	uint32_t n;
	struct gpube__divisor by_n;
};

/* Cells of memory from one value to the next. */
struct gpube__strip_op {
	uint32_t x, outer[GPUBE_STRIP_OUTER], dim[GPUBE_STRIP_DIMS];
	uint32_t p[GPUBE_STRIP_P]; /* to the i-th value of P */
	int32_t order;             /* the contraction's operand that it is; -1: none */
};

enum { STRIP_L, STRIP_S };

/* One of them: cells in the order of the dims that it has, then P. */
struct gpube__strip_table {
	uint32_t n;          /* operands; at gpube__strip_slot() */
	uint32_t dims;       /* bits of the strip's dims that it has */
	uint32_t group;      /* words for the values of P */
	uint32_t cells, all; /* of an x; of all x */
	uint32_t at, room;   /* words of shared memory: two buffers, so far apart */
	uint32_t list;       /* words before the gpube__strip_entry() of all */
	uint32_t side, rows; /* threads side by side along cells, and such rows of them */
	uint32_t each;       /* x of a row */
	struct gpube__divisor by_side;
};

/*
 * How R is copied: four cells at once, by the thread that reads them; or cell by cell along x; or,
 * of an even number of x that lie together, four of x at once, and R stays in that order. Where it
 * lacks dims of the strip: cell by cell or four cells at once, and a thread reads it by places.
 */
enum { STRIP_FOURS, STRIP_CELLS, STRIP_FOURS_X, STRIP_PLACES, STRIP_PLACES_FOURS };

static inline bool gpube__strip_by_places(uint32_t r_how)
{
	return r_how >= STRIP_PLACES;
}

/* Copies that are shared among the threads: along what lies together in memory. */
struct gpube__strip_copy {
	uint32_t n_inner, n; /* cells of a row; all cells */
	uint32_t from_inner,
		from_outer;          /* cells of memory to the next in the row, to the next row */
	uint32_t to_inner, to_outer; /* words of shared memory */
	uint32_t next_outer, next_inner; /* a thread's next cell */
	struct gpube__divisor by_inner;
};

struct gpube__strip {
	uint32_t kernel, threads, blocks, shared_bytes;
	uint32_t n_units, n_loop; /* so many units in a row have the same R */
	struct gpube__divisor by_loop;
	uint32_t n_x, np, quads; /* a quarter of the cells of a strip */
	uint32_t n_outer, n_dims;
	uint32_t ragged; /* the outer dim whose last step is shorter; n_outer: none */
	uint32_t r_how;
	uint32_t r_words, r_row; /* words of R; from one x to the next, or to the next four cells */
	uint32_t r_dims;         /* by places: bits of the strip's dims that R has */
	int32_t one;             /* 1, which the compiler does not know */
	int64_t top, threshold;
	struct gpube__strip_copy copy;
	struct gpube__strip_table table[2];
	int64_t out_p[GPUBE_STRIP_P];
	struct gpube__strip_outer outer[GPUBE_STRIP_OUTER];
	struct gpube__strip_dim dim[GPUBE_STRIP_DIMS];
	struct gpube__strip_op op[GPUBE_STRIP_OPS]; /* R, those of L; from the end on those of S */
};

/* Where the k-th operand of a table is among the plan's. */
GPUBE_HD static inline uint32_t gpube__strip_slot(int table, uint32_t k)
{
	return table == STRIP_L ? 1 + k : GPUBE_STRIP_OPS - 1 - k;
}

/* i / n, also for an n of 1, of which there is no reciprocal. */
GPUBE_HD static inline uint32_t gpube__strip_split(
	uint32_t i, uint32_t n, struct gpube__divisor by_n)
{
	return n == 1 ? i : gpube__quotient(i, by_n);
}

/* Cells before those of step 'at' of an outer dim, in operand k or in the output (k < 0). */
GPUBE_HD static inline int64_t gpube__strip_outer_at(
	const struct gpube__strip *d, int k, uint32_t i, uint32_t at)
{
	const struct gpube__strip_outer *o = &d->outer[i];
	const uint32_t value = at * o->step < o->last ? at * o->step : o->last;

	return (int64_t)value * (k < 0 ? o->out : (int64_t)d->op[k].outer[i]);
}

/* Cells before the first one of a unit. */
GPUBE_HD static inline int64_t gpube__strip_start(
	const struct gpube__strip *d, int k, uint32_t unit)
{
	int64_t offset = 0;

	for (uint32_t i = 0; i < d->n_outer; i++) {
		const uint32_t rest = gpube__strip_split(unit, d->outer[i].n, d->outer[i].by_n);

		offset += gpube__strip_outer_at(d, k, i, unit - rest * d->outer[i].n);
		unit = rest;
	}
	return offset;
}

/*
 * How far a unit > 0 begins after the one before is one of n_outer + 1 numbers. The first dim whose
 * value is not 0 tells which one. The last number is for the last value of the dim of P that is
 * not in equal parts.
 */
GPUBE_HD static inline uint32_t gpube__strip_carry(const struct gpube__strip *d, uint32_t unit)
{
	uint32_t i = 0, at;

	for (;; i++) {
		const uint32_t n = d->outer[i].n;
		const uint32_t rest = gpube__strip_split(unit, n, d->outer[i].by_n);

		at = unit - rest * n;
		if (at || i + 1 == d->n_outer)
			break;
		unit = rest;
	}
	return i == d->ragged && at + 1 == d->outer[i].n ? d->n_outer : i;
}

/* Those numbers, 'apart' from one to the next: cells of operand k, or of the output (k < 0). */
GPUBE_HD static inline void gpube__strip_carries(
	const struct gpube__strip *d, int k, int64_t *to, uint32_t apart)
{
	int64_t below = 0;

	for (uint32_t i = 0; i < d->n_outer; i++, to += apart) {
		const uint32_t n = d->outer[i].n;
		const int64_t end = gpube__strip_outer_at(d, k, i, n - 1);

		*to = gpube__strip_outer_at(d, k, i, 1) - below;
		if (i == d->ragged)
			to[(d->n_outer - i) * apart] =
				end - gpube__strip_outer_at(d, k, i, n - 2) - below;
		below += end;
	}
}

/* First of the units of a block; that of block d->blocks: their number. */
GPUBE_HD static inline uint32_t gpube__strip_first_unit(
	const struct gpube__strip *d, uint32_t block)
{
	const uint32_t each = d->n_units / d->blocks, more = d->n_units - each * d->blocks;

	return block * each + (block < more ? block : more);
}

/* Cells of memory from the unit's first one to cell 'cell' of a table, in operand k, for x = 0. */
GPUBE_HD static inline uint32_t gpube__strip_entry(
	const struct gpube__strip *d, const struct gpube__strip_table *t, uint32_t k, uint32_t cell)
{
	uint32_t offset = 0;

	if (t->group > 1) {
		const uint32_t rest = cell / t->group, p = cell - rest * t->group;

		offset = d->op[k].p[p < d->np ? p : d->np - 1];
		cell = rest;
	}
	for (uint32_t i = d->n_dims; i-- > 0;)
		if (t->dims >> i & 1) {
			const uint32_t rest = gpube__strip_split(cell, d->dim[i].n, d->dim[i].by_n);

			offset += (cell - rest * d->dim[i].n) * d->op[k].dim[i];
			cell = rest;
		}
	return offset;
}

/* Place of cell number 'cell' of the strip in what has these of its dims, 'unit' words a cell. */
GPUBE_HD static inline uint32_t gpube__strip_place(
	const struct gpube__strip *d, uint32_t dims, uint32_t unit, uint32_t cell)
{
	uint32_t place = 0;

	for (uint32_t i = d->n_dims; i-- > 0;) {
		const uint32_t rest = gpube__strip_split(cell, d->dim[i].n, d->dim[i].by_n);

		if (dims >> i & 1) {
			place += (cell - rest * d->dim[i].n) * unit;
			unit *= d->dim[i].n;
		}
		cell = rest;
	}
	return place;
}

/* The i-th x that row number 'row' of the threads fills a table for; past the last, that again. */
GPUBE_HD static inline uint32_t gpube__strip_x(
	const struct gpube__strip *d, const struct gpube__strip_table *t, uint32_t row, uint32_t i)
{
	const uint32_t x = row + i * t->rows;

	return x < d->n_x ? x : d->n_x - 1;
}

/* A cell of R that a thread copies: where in its row, from which cell to which word. */
struct gpube__strip_copied {
	uint32_t inner, from, to;
};

GPUBE_HD static inline struct gpube__strip_copied gpube__strip_first_copy(
	const struct gpube__strip_copy *c, uint32_t thread)
{
	const uint32_t outer = gpube__strip_split(thread, c->n_inner, c->by_inner);
	const uint32_t inner = thread - outer * c->n_inner;
	const struct gpube__strip_copied first = {inner,
		outer * c->from_outer + inner * c->from_inner,
		outer * c->to_outer + inner * c->to_inner};

	return first;
}

GPUBE_HD static inline struct gpube__strip_copied gpube__strip_next_copy(
	const struct gpube__strip_copy *c, struct gpube__strip_copied at)
{
	at.inner += c->next_inner;
	at.from += c->next_outer * c->from_outer + c->next_inner * c->from_inner;
	at.to += c->next_outer * c->to_outer + c->next_inner * c->to_inner;
	if (at.inner >= c->n_inner) {
		at.inner -= c->n_inner;
		at.from += c->from_outer - c->n_inner * c->from_inner;
		at.to += c->to_outer - c->n_inner * c->to_inner;
	}
	return at;
}

/*
 * gpube__strip_plan() - the strips with the least predicted cost.
 * cycles   out: predicted cycles of the device, from the launch to the end
 * most     no plan that takes longer than this many times what its bytes take, unless it is short
 * c        one that gpube__strips_apply() to: (min,+) of 4 bytes, without arguments and with one
 *          reduced dim, of up to 8 operands
 * Returns false where no operand runs along the last output dims, or all would take longer.
 */
bool gpube__strip_plan(struct gpube__strip *d, double *cycles,
	const struct gpube__box_device *device, double most, const struct gpube_contraction *c,
	const struct gpube__shape *s);

#endif
