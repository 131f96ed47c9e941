/*
 * contract_triangle.h - contractions of three large operands that meet in a triangle: the
 * descriptor and its index arithmetic, written once for the planner, the kernels and the CPU test
 * that executes a plan as the kernels would.
 *
 *	out(i, j, k) = min over x of A(x, i, j) + B(x, j, k) + C(x, i, k) + small(x, j)
 *
 * for each value of the output's other dims, the grid's, which any operand may have, too. No two
 * operands can be added up first, so that a joined cell takes an addition and an add-min; and what
 * a thread reads of shared memory for its I x 4 x 4 cells is 8 I + 16 words an x. A multiprocessor
 * takes a cycle for each word of a warp's 32 threads, also where threads read the same one: for 10,
 * 4 and 4 cells 96 cycles against 80 of add-mins, for 4, 4 and 4 a half more than those. So threads
 * have as many along I as leave no more of a box unused, and of 10 or 12 a multiprocessor has 8
 * warps, two a scheduler, each of which reads ahead.
 *
 * The bulk copy engine makes the copies, one of each panel and stage: a box of the table, which
 *lies in shared memory as its dims follow each other. What a thread adds to a place to find its
 *next row is the same for all, and in registers that all threads share. (Rows in planes of a size
 *known when it was compiled took a copy each: to start one takes a warp some 100 cycles.)
 *
 * The L2 cache is asked for 64 bytes at a time, once or twice more for each row of a box, which may
 * begin anywhere; and that it can answer some half of a request a cycle and multiprocessor bounds
 * boxes of short rows: so long ones, of all k say, are better than cubes of fewer words.
 *
 * Weighed and left: pairs of blocks to both of which a panel is copied at once (multicast) took longer
 * by an eighth, with fewer bytes; floats by minima of three of their bits, two x at a time, took an
 * eighth less where no sum has a sign, but half as long again where some have.
 *
 * A block's lanes are i, j and k; a thread's cells along i are lanes apart; of j and k, along which
 * tables lie together, it has four side by side. Where x is what tables lie along, 8 of x are
 *copied of each row, and a thread reads its words of an x one by one, its cells lanes apart along
 *all three dims. Neighbouring threads begin with other x, so that their words lie in other banks.
 *
 * What is copied from past the end of a dim is 0, and computed, and not stored.
 */
#ifndef GPUBE_OPS_CONTRACT_TRIANGLE_H
#define GPUBE_OPS_CONTRACT_TRIANGLE_H

#include "gpube/ops/contract/boxes/contract_box.h"

#define GPUBE_TRIANGLE_GRID   4     /* dims of the grid */
#define GPUBE_TRIANGLE_SMALL  4     /* small operands */
#define GPUBE_TRIANGLE_RANK   5     /* dims of a table, as the copy engine counts them */
#define GPUBE_TRIANGLE_STAGES 8     /* at most */
#define GPUBE_TRIANGLE_WORDS  54272 /* of all stages */
#define GPUBE_TRIANGLE_SMALLS 3072  /* words for the small operands, behind the stages */
#define GPUBE_TRIANGLE_X_LAST 8     /* x of a stage, where tables lie along x */

/*
 * Threads of a block whose threads have so many cells along I, by their registers: each of four
 * schedulers has a fourth of them, for 2 or 4 warps. Of 2 each reads ahead.
 */
#define GPUBE_TRIANGLE_THREADS(cells) ((cells) <= 4 ? 512 : 256)
#define GPUBE_TRIANGLE_AHEAD(cells)   ((cells) > 4)

/* The dims of a joined cell, and the panels: each has two of them. */
enum { TRIANGLE_I, TRIANGLE_J, TRIANGLE_K, TRIANGLE_DIMS };
enum { TRIANGLE_IJ, TRIANGLE_JK, TRIANGLE_IK, TRIANGLE_PANELS };

/*
 * A panel's table as the copy engine sees it, in cells; the first dim is the one along which it
 * lies. Then a row's dim, and x; or, along x, the second and the first dim of the panel. Then two
 * of the grid.
 */
struct gpube__triangle_table {
	int32_t order; /* the contraction's operand */
	uint32_t size[GPUBE_TRIANGLE_RANK], box[GPUBE_TRIANGLE_RANK];
	int64_t step[GPUBE_TRIANGLE_RANK];
	uint32_t at, words; /* in a stage; of one box */
	/* bytes in shared memory from one x to the next, from one of a thread's cells to the next
	 * along the panel's first dim, and along its second */
	uint32_t x_bytes, first_bytes, second_bytes;
};

struct gpube__triangle_small {
	int32_t order;
	int64_t x, j, grid[GPUBE_TRIANGLE_GRID];
};

struct gpube__triangle_grid {
	int32_t dim;
	uint32_t n;
	struct gpube__divisor by_n;
	int64_t out;
	uint32_t slot[TRIANGLE_PANELS]; /* dim of the table that it is; 0: none */
};

/* A plan: everything but the tables' addresses. */
struct gpube__triangle {
	uint32_t x_last;         /* tables lie along x */
	uint32_t n_lanes, warps; /* of a block */
	struct gpube__divisor by_warps;
	uint32_t lanes[TRIANGLE_DIMS]; /* of a box */
	uint32_t cells[TRIANGLE_DIMS]; /* of a lane; 4 of J and K */
	uint32_t size[TRIANGLE_DIMS];  /* of the dims */
	uint32_t boxes[TRIANGLE_DIMS]; /* along them */
	struct gpube__divisor by_lanes[TRIANGLE_DIMS], by_boxes[TRIANGLE_DIMS];
	uint32_t n_boxes, at_once;   /* blocks of threads: each does every so-manieth box */
	uint32_t n_x, chunk, stages; /* x of a stage */
	uint32_t n_chunks;           /* of a box */
	struct gpube__divisor by_chunks, by_stages;
	uint32_t stage_words, stage_bytes; /* with what is left free; what is copied */
	uint32_t shared_bytes;
	uint32_t n_grid, n_small;
	uint32_t small_words, small_x; /* of the small operands' sums; from one x to the next */
	uint32_t small_j;              /* from one lane of J to the next; 0: none has J */
	uint32_t small_next; /* bytes to the next x; along x, from a lane's cell of J to the next */
	int32_t one;         /* 1, which the compiler does not know */
	int64_t out[TRIANGLE_DIMS];
	int64_t cut, threshold;
	struct gpube__triangle_grid grid[GPUBE_TRIANGLE_GRID];
	struct gpube__triangle_table table[TRIANGLE_PANELS];
	struct gpube__triangle_small small[GPUBE_TRIANGLE_SMALL];
};

/* Where a box begins: its first cell's values. */
struct gpube__triangle_box {
	uint32_t at[TRIANGLE_DIMS], grid[GPUBE_TRIANGLE_GRID];
};

GPUBE_HD static inline uint32_t gpube__triangle_split(
	uint32_t *rest, uint32_t n, struct gpube__divisor by_n)
{
	const uint32_t all = *rest;

	*rest = n == 1 ? all : gpube__quotient(all, by_n);
	return all - *rest * n;
}

/* Box number 'box': those that share a part of JK's and IJ's tables are neighbours. */
GPUBE_HD static inline void gpube__triangle_box(
	const struct gpube__triangle *d, uint32_t box, struct gpube__triangle_box *b)
{
	const uint32_t k =
		gpube__triangle_split(&box, d->boxes[TRIANGLE_K], d->by_boxes[TRIANGLE_K]);
	const uint32_t i =
		gpube__triangle_split(&box, d->boxes[TRIANGLE_I], d->by_boxes[TRIANGLE_I]);
	const uint32_t j =
		gpube__triangle_split(&box, d->boxes[TRIANGLE_J], d->by_boxes[TRIANGLE_J]);

	b->at[TRIANGLE_I] = i * d->cells[TRIANGLE_I] * d->lanes[TRIANGLE_I];
	b->at[TRIANGLE_J] = 4 * j * d->lanes[TRIANGLE_J];
	b->at[TRIANGLE_K] = 4 * k * d->lanes[TRIANGLE_K];
	for (int g = 0; g < GPUBE_TRIANGLE_GRID; g++)
		b->grid[g] = g < (int)d->n_grid
				     ? gpube__triangle_split(&box, d->grid[g].n, d->grid[g].by_n)
				     : 0;
}

/* Lane number t of a block: k first, then i, so that those past the end of J are whole warps. */
GPUBE_HD static inline void gpube__triangle_lane(
	const struct gpube__triangle *d, uint32_t t, uint32_t *lane)
{
	lane[TRIANGLE_K] = gpube__triangle_split(&t, d->lanes[TRIANGLE_K], d->by_lanes[TRIANGLE_K]);
	lane[TRIANGLE_I] = gpube__triangle_split(&t, d->lanes[TRIANGLE_I], d->by_lanes[TRIANGLE_I]);
	lane[TRIANGLE_J] = t;
}

/* Value of a lane's cell number 'cell' along a dim, from the box's first one. */
GPUBE_HD static inline uint32_t gpube__triangle_value(
	const struct gpube__triangle *d, int dim, uint32_t lane, uint32_t cell)
{
	return d->x_last || dim == TRIANGLE_I ? lane + cell * d->lanes[dim] : 4 * lane + cell;
}

/* The two dims of a panel. */
GPUBE_HD static inline int gpube__triangle_first(int panel)
{
	return panel == TRIANGLE_JK ? TRIANGLE_J : TRIANGLE_I;
}

GPUBE_HD static inline int gpube__triangle_second(int panel)
{
	return panel == TRIANGLE_IJ ? TRIANGLE_J : TRIANGLE_K;
}

/* Where the copy of a panel begins: coordinates of its table, of a box and chunk of x. */
GPUBE_HD static inline void gpube__triangle_copy(const struct gpube__triangle *d, int panel,
	const struct gpube__triangle_box *b, uint32_t x0, int32_t *at)
{
	const int first = gpube__triangle_first(panel), second = gpube__triangle_second(panel);

	at[d->x_last ? 0 : 2] = (int32_t)x0;
	at[d->x_last ? 1 : 0] = (int32_t)b->at[second];
	at[d->x_last ? 2 : 1] = (int32_t)b->at[first];
	at[3] = at[4] = 0;
	for (int g = 0; g < GPUBE_TRIANGLE_GRID; g++)
		if (g < (int)d->n_grid && d->grid[g].slot[panel])
			at[d->grid[g].slot[panel] == 3 ? 3 : 4] = (int32_t)b->grid[g];
}

/* Word of a stage that a lane reads first, of the stage's first x. */
GPUBE_HD static inline uint32_t gpube__triangle_word(
	const struct gpube__triangle *d, int panel, const uint32_t *lane)
{
	const int first = gpube__triangle_first(panel), second = gpube__triangle_second(panel);
	const uint32_t row = d->table[panel].box[d->x_last ? 1 : 0];
	const uint32_t cell = gpube__triangle_value(d, first, lane[first], 0) * row +
			      gpube__triangle_value(d, second, lane[second], 0);

	return d->table[panel].at + cell * (d->x_last ? GPUBE_TRIANGLE_X_LAST : 1);
}

/* The chunk that a block copies as its number n, of its every so-manieth box; its stage. */
struct gpube__triangle_turn {
	uint32_t box, x0, stage, round; /* the stage's chunks before it */
};

GPUBE_HD static inline void gpube__triangle_turn(
	const struct gpube__triangle *d, uint32_t block, uint32_t n, struct gpube__triangle_turn *t)
{
	uint32_t rest = n;

	t->x0 = gpube__triangle_split(&rest, d->n_chunks, d->by_chunks) * d->chunk;
	t->box = block + rest * d->at_once;
	t->stage = gpube__triangle_split(&n, d->stages, d->by_stages);
	t->round = n;
}

/* Cells before a box's first one in the output. */
GPUBE_HD static inline int64_t gpube__triangle_out(
	const struct gpube__triangle *d, const struct gpube__triangle_box *b)
{
	int64_t offset = 0;

	for (int i = 0; i < TRIANGLE_DIMS; i++)
		offset += (int64_t)b->at[i] * d->out[i];
	for (int g = 0; g < GPUBE_TRIANGLE_GRID; g++)
		if (g < (int)d->n_grid)
			offset += (int64_t)b->grid[g] * d->grid[g].out;
	return offset;
}

/*
 * Word i of a box's small operands, i < small_words: its x and, from the box's first one, its value
 * of J, which is in the dim. Along x, where tables lie along it; otherwise along J.
 */
GPUBE_HD static inline uint32_t gpube__triangle_small_j(const struct gpube__triangle *d,
	const struct gpube__triangle_box *b, uint32_t i, uint32_t *x)
{
	const uint32_t last = d->size[TRIANGLE_J] - 1 - b->at[TRIANGLE_J];
	const uint32_t row = d->x_last ? d->n_x : d->small_x, at = i / row, rest = i - at * row;
	const uint32_t j = d->x_last ? at : rest;

	*x = d->x_last ? rest : at;
	return !d->small_j ? 0 : j < last ? j : last;
}

/* Cells of small operand k before that of a box's x and j. */
GPUBE_HD static inline int64_t gpube__triangle_small(const struct gpube__triangle *d, int k,
	const struct gpube__triangle_box *b, uint32_t x, uint32_t j)
{
	const struct gpube__triangle_small *s = &d->small[k];
	int64_t offset = (int64_t)x * s->x + (int64_t)(b->at[TRIANGLE_J] + j) * s->j;

	for (int g = 0; g < GPUBE_TRIANGLE_GRID; g++)
		if (g < (int)d->n_grid)
			offset += (int64_t)b->grid[g] * s->grid[g];
	return offset;
}

/*
 * gpube__triangle_plan() - the box with the least predicted cost.
 * cycles    out: predicted cycles of the device, from the launch to the end
 * Returns false where there is no kernel for it: (min,+) of 4 bytes, without arguments, of one
 * reduced dim, three operands in a triangle, and others along J or the grid alone; a device with
 * bulk copies; tables whose sizes and places allow them.
 */
bool gpube__triangle_plan(struct gpube__triangle *d, double *cycles,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s);

#endif
