/*
 * contract_product.h - what contract_lanes.h and contract_quads.h have in common: contractions of
 * two operands that share dims with the output, the output's last dim among them. For fixed values
 * of the shared dims it is a (min,+) product of a matrix of p and x and one of x and v. They differ
 * in where x lies, and so in what a lane of a warp is and in what shared memory looks like.
 *
 * A box is a range of P, the largest dim that only the one operand shares with the output, of V,
 * that of the other, and of the lanes' dim, at one value of each other dim. A box that would pass
 * the end of its dim is moved back so that it ends with it: some cells are computed twice, with the
 * same result, and there are no edges. Chunks of x go through a ring of stages, across boxes, too.
 */
#ifndef GPUBE_OPS_CONTRACT_PRODUCT_H
#define GPUBE_OPS_CONTRACT_PRODUCT_H

#include "gpube/ops/contract/boxes/contract_box.h"

#define GPUBE_PRODUCT_GRID 12 /* dims of the grid */

/* A kernel: cells of a thread's tile along P and V. */
struct gpube__product_kernel {
	int p, v;
	int threads; /* most of a block, and of a multiprocessor */
};

struct gpube__product_axis {
	uint32_t n, step, most; /* boxes; values of one; first value of the last */
	struct gpube__divisor by_n;
	uint32_t in[2]; /* cells to the next value, of the operand with P's dim and that with V's */
	int64_t out;
};

/* What each plan begins with. */
struct gpube__product {
	uint32_t kernel;
	uint32_t threads, warps_p, warps_v;
	uint32_t boxes, at_once; /* blocks of threads: each does every so-manieth box */
	uint32_t rows, rows_p;   /* of a box; the first rows_p are those of P's operand */
	uint32_t n_x;
	uint32_t n_units, chunk; /* of x, or of quads of them; those of a chunk */
	uint32_t n_lanes;        /* of a box, that have work */
	uint32_t x[2];           /* of each operand in 'order': cells to the next x */
	uint32_t stage_words, stages, shared_bytes;
	uint32_t n_grid;
	int32_t order[2];         /* the contraction's operand with P's dim, and that with V's */
	int32_t one;              /* 1, which the compiler does not know */
	uint32_t row[2], lane[2]; /* of each: cells to the next row and lane */
	int64_t out_row[2];       /* of the output, along P and V */
	int64_t cut, threshold;
	struct gpube__product_axis grid[GPUBE_PRODUCT_GRID];
};

/* Cells before a box's first one in operand k, 0 or 1, or in the output (k < 0). */
GPUBE_HD static inline int64_t gpube__product_start(
	const struct gpube__product *d, int k, uint32_t box)
{
	int64_t offset = 0;

	for (uint32_t i = 0; i < d->n_grid; i++) {
		const struct gpube__product_axis *g = &d->grid[i];
		const uint32_t rest = g->n == 1 ? box : gpube__quotient(box, g->by_n);
		const uint32_t value = (box - rest * g->n) * g->step;

		offset += (int64_t)(value < g->most ? value : g->most) *
			  (k < 0 ? g->out : (int64_t)g->in[k]);
		box = rest;
	}
	return offset;
}

/* ---- planning ------------------------------------------------------------------------------- */

struct gpube__product_choice {
	const struct gpube__product_kernel *kernel;
	int first; /* the operand with P's dim */
	int p, v, warps_p, warps_v;
	int64_t box_p, box_v, rows; /* values of a box along P and V; rows of both operands */
	int at_once, chunk, stages; /* blocks of a multiprocessor; units of a chunk */
	double cycles;
};

struct gpube__product_planner {
	const struct gpube__product_kind *kind;
	const struct gpube__shape *s;
	const struct gpube__box_device *device;
	bool is_float;
	uint64_t scope[2]; /* output dims of each operand */
	int lanes_dim;
	int64_t n_units;
	double bytes;
};

/* What a family of kernels brings. */
struct gpube__product_kind {
	const struct gpube__product_kernel *kernels;
	int n_kernels;
	int lanes;        /* of a box */
	int tiles;        /* of a warp, along P and along V */
	bool lanes_first; /* boxes side by side along the lanes' dim are neighbours, not along P */
	int unit;         /* x of a unit */
	/* Chunk and stages for 'room' bytes of shared memory; false: there is too little. */
	bool (*set_chunk)(const struct gpube__product_planner *p, struct gpube__product_choice *c,
		int64_t room);
	/* Cycles of a multiprocessor for n boxes at once. */
	double (*box_cycles)(const struct gpube__product_planner *p,
		const struct gpube__product_choice *c, double n);
};

/* Steps of operand k, by dim. */
static inline const int64_t *gpube__product_steps(const struct gpube__product_planner *p, int k)
{
	return p->s->stride + k * p->s->ld;
}

/*
 * gpube__product_init() - whether it is such a contraction: (min,+) of 4 bytes, without arguments,
 * of two operands with one reduced dim, which is in both, as the output's last dim is.
 */
bool gpube__product_init(struct gpube__product_planner *p, const struct gpube__product_kind *kind,
	const struct gpube__box_device *device, const struct gpube_contraction *c,
	const struct gpube__shape *s);

/*
 * gpube__product_plan() - the box with the least predicted cost. stage_words and shared_bytes are
 * the caller's to set: gpube__product_set_stage().
 * cycles    out: predicted cycles of the device, from the launch to the end
 * Returns false where no box does.
 */
bool gpube__product_plan(struct gpube__product *d, double *cycles,
	const struct gpube__product_planner *p, const struct gpube_contraction *c);

static inline void gpube__product_set_stage(struct gpube__product *d, uint32_t words)
{
	d->stage_words = words;
	d->shared_bytes = d->stages * words * 4;
}

#endif
