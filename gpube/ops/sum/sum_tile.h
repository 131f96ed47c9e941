/*
 * sum_tile.h - jobs that are products of two matrices, or of many pairs of them, for a card.
 *
 * Each axis is one of the first operand and the output (a row), of the second and the output (a
 * column), of both operands alone (a term, which is summed over), or of all three (a pair). A block
 * of threads has a tile of rows and columns; terms pass through its shared memory, and sums are
 * kept in registers. Operands are read where they lie, whatever the order of their axes.
 */
#ifndef GPUBE_SUM_TILE_H
#define GPUBE_SUM_TILE_H

#include "gpube/ops/sum/sum.h"

enum {
	GPUBE_TILE_SIDE = 128, /* rows, and columns, of a block */
	GPUBE_TILE_THREADS = 256,
	GPUBE_TILE_DEPTH = 16, /* terms in shared memory at once */
	GPUBE_TILE_AXES = 12,  /* of a kind, once neighbours are one */
};

enum gpube__tile_kind {
	GPUBE_TILE_ROW,
	GPUBE_TILE_COLUMN,
	GPUBE_TILE_TERM,
	GPUBE_TILE_PAIR,
	GPUBE_TILE_N_KINDS
};

/* Steps in the first operand, in the second, and in the output. */
struct gpube__tile_axis {
	int64_t dim, step[3];
};

struct gpube__tile_group {
	int32_t n;
	int64_t size;
	struct gpube__tile_axis axis[GPUBE_TILE_AXES];
};

struct gpube__product {
	const double *in[2];
	double *out;
	double by;           /* every sum is multiplied by it */
	bool terms_first[2]; /* an operand's neighbours in memory are terms */
	int64_t row_tiles, column_tiles;
	struct gpube__tile_group group[GPUBE_TILE_N_KINDS];
};

/*
 * gpube__tile_plan() - whether a job of two inputs is a product that tiles are good for, with
 * enough of them for so many multiprocessors. first: the input that is the first operand
 */
bool gpube__tile_plan(
	struct gpube__product *t, int *first, const struct gpube_sum_job *job, int n_sms);

static inline int64_t gpube__tile_blocks(const struct gpube__product *t)
{
	return t->group[GPUBE_TILE_PAIR].size * t->row_tiles * t->column_tiles;
}

/* Where setting i of a group is in an operand, or in the output. */
GPUBE_HD static inline int64_t gpube__tile_at(
	const struct gpube__tile_group *g, int64_t i, int operand)
{
	int64_t at = 0;

	for (int a = g->n - 1; a >= 0 && i; a--) {
		at += i % g->axis[a].dim * g->axis[a].step[operand];
		i /= g->axis[a].dim;
	}
	return at;
}

/* What a block does: the pair, and its first row and column. */
struct gpube__tile_place {
	int64_t pair, row, column;
};

GPUBE_HD static inline struct gpube__tile_place gpube__tile_place(
	const struct gpube__product *t, int64_t block)
{
	struct gpube__tile_place p;

	p.column = block % t->column_tiles * GPUBE_TILE_SIDE;
	block /= t->column_tiles;
	p.row = block % t->row_tiles * GPUBE_TILE_SIDE;
	p.pair = block / t->row_tiles;
	return p;
}

#endif
