/*
 * contract_tile.h - the fast CPU contract: what its planner, its executor and
 * its vector kernels share.
 *
 * The joined table is cut into tiles of X reduced cells by I rows by J lanes.
 * Within a tile every operand is one of three kinds, and the operands of a kind
 * are added up before the innermost loop sees them:
 *
 *	A[x][i]     no lane dim: a scalar that is broadcast
 *	B[x][j]     no row dim: one vector for all rows
 *	C[x][i][j]  both
 *
 *	out[i][j] = min over x of A[x][i] + B[x][j] + C[x][i][j]
 *
 * A kernel keeps up to eight accumulators in registers over all x. Sums of a
 * kind are kept for each outer loop at which they change (a level), so that an
 * operand is added again only when the loops of its own dims move.
 */
#ifndef GPUBE_OPS_CONTRACT_TILE_H
#define GPUBE_OPS_CONTRACT_TILE_H

#include "gpube/ops/contract.h"
#include "gpube/ops/index.h"

/* Limits of a tile; cells of one packed A, B or C are at most GPUBE__MAX_PACKED. */
#define GPUBE__MAX_LANES  1024
#define GPUBE__MAX_ROWS	  64
#define GPUBE__MAX_X	  1024
#define GPUBE__MAX_PACKED 65536
#define GPUBE__MAX_LEVELS 4 /* of one kind */

/* Offsets along a group of dims: i * step, or a table. */
struct gpube__axis {
	int64_t step;
	const int64_t *table;
};

static inline int64_t gpube__axis_at(const struct gpube__axis *a, int64_t i)
{
	return a->table ? a->table[i] : i * a->step;
}

/* One tile for a kernel. Rows of out and extra are out_i and extra_i cells apart. */
struct gpube__tile {
	const void *a, *b, *c; /* NULL: no operand of this kind, but not all of them */
	int64_t a_x, b_x, c_x, c_i;
	int64_t nx, ni, nj;
	void *out;
	int64_t out_i;
	void *extra; /* with arguments: lanes of them; logsumexp: running sums of e^(value - out) */
	int64_t extra_i;
	struct gpube__axis arg; /* argument of x, after 'arg_base' */
	int64_t arg_base;
	bool first;  /* out does not hold anything yet */
	bool last;   /* apply the cut rule */
	bool stream; /* store past the caches: rows are whole, aligned vectors */
	int64_t cut, threshold;
};

enum gpube__lane_mode {
	GPUBE__LANE_SAME,   /* the operand has no lane dim */
	GPUBE__LANE_NEXT,   /* lanes are neighbours in memory */
	GPUBE__LANE_TURN_X, /* x are neighbours, lanes lane_step apart: transpose */
	GPUBE__LANE_TURN_I, /* rows are neighbours */
	GPUBE__LANE_TABLE,  /* anything else: lane_table */
};

/* to[x][i][j] = prev[x][i][j] + from[x(x) + i(i) + lane(j)]; lanes are padded to whole vectors. */
struct gpube__pack {
	void *to;
	int64_t to_x, to_i;
	const void *prev; /* NULL: 0; may be 'to' */
	int64_t prev_x, prev_i;
	const void *from;
	struct gpube__axis x, i;
	enum gpube__lane_mode mode;
	int64_t lane_step;
	const int32_t *lane_table;
	int64_t nx, ni, nj;
};

enum { GPUBE__KERNEL_MIN, GPUBE__KERNEL_MAX, GPUBE__KERNEL_MIN_ARG, GPUBE__KERNEL_MAX_ARG,
	GPUBE__KERNEL_LSE, GPUBE__N_KERNELS };

/* The kernels of one instruction set, by gpube_type - GPUBE_INT32. */
struct gpube__kernels {
	const char *name;
	int vector_bytes;
	void (*tile[GPUBE__N_KERNELS][4])(const struct gpube__tile *t);
	void (*pack[4])(const struct gpube__pack *p);
	void (*fence)(void); /* after streamed stores */
};

const struct gpube__kernels *gpube__kernels_portable(void);
const struct gpube__kernels *gpube__kernels_avx2(void);	  /* NULL: not on this machine */
const struct gpube__kernels *gpube__kernels_avx512(void); /* the same */

/* ---- plan -------------------------------------------------------------------- */

struct gpube__loop {
	int dim;
	int64_t trips, by; /* 'by' values of the dim in a trip; the last may have fewer */
};

enum { GPUBE__KIND_A, GPUBE__KIND_B, GPUBE__KIND_C, GPUBE__N_KINDS };

struct gpube__op {
	int operand, kind;
	int depth; /* of the last loop that moves it; -1: none */
	struct gpube__axis x, i;
	enum gpube__lane_mode mode;
	int64_t lane_step;
	const int32_t *lane_table;
};

/* Ops [from, to) of plan.ops are added at loop 'depth' to what the level before has. */
struct gpube__level {
	int from, to, depth;
	bool direct;	/* a single operand, read where it is */
	int64_t buffer; /* else where in a thread's scratch */
	int64_t step_x, step_i;
};

/* What was chosen: sets of dims; a group's first dim may be taken in blocks of its values. */
struct gpube__choice {
	uint64_t lanes, rows, x;
	int64_t lane_block, row_block, x_block;
	bool a_into_c, b_into_c;
	double cycles; /* what it should take, on one core */
};

struct gpube__plan {
	const struct gpube__kernels *kernels;
	int kernel;	/* GPUBE__KERNEL_MIN … */
	int type;	/* gpube_type - GPUBE_INT32 */
	int cell_bytes; /* of a value */
	struct gpube__shape shape;
	struct gpube__choice choice;
	int64_t n_lanes, n_rows, n_x; /* of a whole tile */
	int64_t pad_lanes, pad_rows;  /* rounded up to whole vectors */
	int n_loops, n_out_loops;     /* output loops first */
	struct gpube__loop loop[GPUBE_MAX_DIMS];
	int lane_loop, row_loop, x_loop;     /* loops over blocks of a group's first dim, or -1 */
	int64_t lane_unit, row_unit, x_unit; /* cells of one value of that dim */
	int n_levels[GPUBE__N_KINDS];
	struct gpube__level level[GPUBE__N_KINDS][GPUBE__MAX_LEVELS];
	struct gpube__op *ops; /* by kind and depth */
	bool direct_out;       /* kernels write the output itself */
	struct gpube__axis out_i, out_j, arg_x;
	int64_t tile_at, extra_at; /* where in scratch a tile of values and of 'extra' is */
	int64_t n_tiles, n_turns;  /* output tiles; turns of the reducing loops for each */
	int64_t scratch_bytes;	   /* of one thread */
	double setup_cycles;	   /* for sums that no loop moves */
};

/*
 * gpube__plan_make() - chooses tiles for a contraction.
 * c       type, semiring and whether there is an argument; not its tables
 * shape   its canonical form; the strides stay the caller's
 * memory  gpube__plan_room(c) bytes, 64-byte aligned, that outlive the plan
 * Returns false if no tile is possible (an operand past 2^31 cells in an odd
 * layout): contract by rows then.
 */
bool gpube__plan_make(struct gpube__plan *p, const struct gpube_contraction *c,
	const struct gpube__kernels *kernels, const struct gpube__shape *shape, void *memory);
uint64_t gpube__plan_room(const struct gpube_contraction *c);
/* At least the scratch_bytes of any plan for c. */
uint64_t gpube__plan_most_scratch(const struct gpube_contraction *c);

/* The tables of one contraction that has the plan's shape. */
struct gpube__run {
	struct gpube_ctx *ctx;
	const struct gpube__plan *plan;
	const struct gpube_contraction *c;
	const char *const *values; /* n_in */
	char *out, *arg;
	int arg_bytes;	   /* of 'arg': 1, 2, 4, or 8 */
	int64_t arg_base;  /* added to all arguments */
	bool raw;	   /* leave the cut rule and 'repeat' to the caller: this is a part */
	bool stream;	   /* the output is too large to stay in a cache */
	char *scratch;	   /* of thread 0; those of the others follow */
	uint64_t scratch_bytes;
	int64_t tiles_per_item;
	int stopped;
};

/* The kernels in use. */
const struct gpube__kernels *gpube__kernels(void);

/* Outputs from this size on are stored past the caches: they would not stay there. */
#define GPUBE__STREAM_BYTES (8 << 20)

/* Runs the plan on up to ctx->n_threads threads. OK, or ESTOP without a text. */
int gpube__run_plan(struct gpube__run *r);

#endif
