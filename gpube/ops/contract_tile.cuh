/*
 * contract_tile.cuh - the fast kernels of contract for (min,+) and (max,+), and the
 * descriptor by which contract_plan.cu tells them what to do.
 *
 * The output dims are split into four groups, the reduced dims are X:
 *   P, Q  a block's tile: each thread owns TP x TQ of its cells in registers
 *   L     dims that run along the threads of a warp (only where LMODE)
 *   O     the rest; a block takes 'nz' of its positions at a time, and loops
 * An operand without Q dims is of class A, one with Q but without P dims of
 * class B: all of A collapse into one vector over (x, p) in shared memory, all
 * of B into one over (x, q), so that a joined cell costs one add-min, however many
 * operands there are: a (min,+) matrix product. An operand with both is of class
 * C and is read per joined cell. Offsets are sums of one part per group,
 * so any order of dims in any operand will do; the parts are tables in shared
 * memory, computed once per block.
 */
#ifndef GPUBE_OPS_CONTRACT_TILE_CUH
#define GPUBE_OPS_CONTRACT_TILE_CUH

#include "gpube/ops/device.cuh"

#define GPUBE_TILE_IN	   24
#define GPUBE_TILE_DIMS	   32
#define GPUBE_TILE_THREADS 256
#define GPUBE_TILE_LANES   32 /* positions of L in a tile, where there is an L */

enum gpube__tile_group { GROUP_O, GROUP_P, GROUP_Q, GROUP_L, GROUP_X, N_GROUPS };

/* How operands of class C are read. */
enum gpube__tile_c {
	TILE_C_NONE,
	TILE_C_ONE,    /* one, from global memory; its cells lie along Q */
	TILE_C_MANY,   /* the same, several */
	TILE_C_STAGED, /* summed up in shared memory first: their cells lie along X or P */
	N_TILE_C,
};

struct gpube__tile {
	int32_t n_in, n_a, n_b;		     /* operands are in the order A, B, C */
	int32_t first[N_GROUPS], n[N_GROUPS]; /* dims of a group */
	uint32_t cells[N_GROUPS];	     /* products of their sizes */
	int32_t tp, tq, nz, tl;		     /* threads along each */
	int32_t tile_p, tile_q;		     /* cells of a block's tile: tp * TP, tq * TQ */
	uint32_t p_tiles, q_tiles, l_tiles, o_tiles, o_blocks;
	int32_t xc, pitch_a, pitch_b, pitch_c; /* reduced cells at a time; shared rows */
	int32_t x_table; /* 1: X is at most one dim; otherwise its cells, whose offsets are a table */
	int32_t a_along_x, b_along_x;	       /* neighbouring threads fetch neighbouring x */
	int32_t a_wide, b_wide; /* cells that lie together and aligned, fetched as one: 1, 2, 4 */
	uint32_t splat; /* operands of which such a group is one cell, repeated */
	int32_t out_wide; /* the same of the output, along Q */
	int32_t arg_bytes;
	int32_t sign; /* -1: (max,+), as (min,+) of the negatives */
	int64_t cut, threshold;
	uint32_t size[GPUBE_TILE_DIMS];
	/* i / size = umulhi(i, reciprocal) >> shift for i < 2^31 (Granlund and Montgomery 1994) */
	uint32_t reciprocal[GPUBE_TILE_DIMS], shift[GPUBE_TILE_DIMS];
	int64_t out_stride[GPUBE_TILE_DIMS]; /* X: the argument's stride */
	uint8_t c_order[GPUBE_TILE_IN][4];   /* C staged: X, P, Q from the fastest on */
	alignas(16) int64_t stride[GPUBE_TILE_IN][GPUBE_TILE_DIMS];
};

static_assert(offsetof(struct gpube__tile, stride) % 16 == 0, "copied by 16 bytes");

/* 'in' is last: the rows of a batch hold only as many as the batch needs. */
struct gpube__tile_io {
	void *out, *out_arg;
	const void *in[GPUBE_TILE_IN];
};

/* A block of a batch: which tile, which tables, which block of theirs. */
struct gpube__tile_block {
	uint32_t tile, io, block;
};

/* Where things lie in shared memory, in bytes. */
struct gpube__tile_layout {
	uint32_t b, c, buffer; /* of a chunk; there are two, 'buffer' apart */
	uint32_t base, xstep, ptr, off_a, off_b, off_cp, off_cq, off_cl, out_p, out_q, end;
};

GPUBE_HD static inline void gpube__tile_layout(
	struct gpube__tile_layout *l, const struct gpube__tile *t, uint32_t type_bytes)
{
	const uint32_t n_c = (uint32_t)(t->n_in - t->n_a - t->n_b), xc = (uint32_t)t->xc;

	l->b = xc * (uint32_t)t->pitch_a * type_bytes;
	l->c = l->b + xc * (uint32_t)t->pitch_b * type_bytes;
	l->buffer = (l->c + xc * (uint32_t)t->pitch_c * type_bytes + 15) / 16 * 16;
	l->base = 2 * l->buffer;
	l->xstep = l->base + 3 * (uint32_t)(t->n_in + 1) * (uint32_t)t->nz * 8;
	l->ptr = l->xstep + (uint32_t)t->n_in * (uint32_t)t->x_table * 8;
	l->off_a = l->ptr + (uint32_t)t->n_in * 8;
	l->off_b = l->off_a + (uint32_t)(t->n_a * t->tile_p * t->tl) * 4;
	l->off_cp = l->off_b + (uint32_t)(t->n_b * t->tile_q * t->tl) * 4;
	l->off_cq = l->off_cp + n_c * (uint32_t)t->tile_p * 4;
	l->off_cl = l->off_cq + n_c * (uint32_t)t->tile_q * 4;
	l->out_p = l->off_cl + n_c * (uint32_t)t->tl * 4;
	l->out_q = l->out_p + (uint32_t)t->tile_p * 4;
	l->end = (l->out_q + (uint32_t)t->tile_q * 4 + 15) / 16 * 16;
}

typedef void (*gpube__tile_batch_kernel)(const struct gpube__tile *, const unsigned char *io,
	uint32_t io_bytes, const struct gpube__tile_block *);

/* The kernels of one variant, for one contraction and for a batch; NULL: not compiled. */
struct gpube__tile_kernels {
	void (*one)(struct gpube__tile, struct gpube__tile_io);
	gpube__tile_batch_kernel batch;
};

/* By type, in contract_tile_i32.cu and so on. 'big': 8 x 8 cells a thread, not 4 x 4. */
struct gpube__tile_kernels gpube__tile_kernels_i32(
	bool big, bool arg, bool lanes, enum gpube__tile_c c);
struct gpube__tile_kernels gpube__tile_kernels_f32(
	bool big, bool arg, bool lanes, enum gpube__tile_c c);
struct gpube__tile_kernels gpube__tile_kernels_i64(
	bool big, bool arg, bool lanes, enum gpube__tile_c c);
struct gpube__tile_kernels gpube__tile_kernels_f64(
	bool big, bool arg, bool lanes, enum gpube__tile_c c);

#endif
