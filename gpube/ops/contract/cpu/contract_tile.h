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
 * A kernel keeps up to eight accumulators in registers over all x. The sums of a
 * kind are kept once for each outer loop at which they change, which is a level. So
 * an operand is added again only when the loops of its own dims move.
 */
#ifndef GPUBE_OPS_CONTRACT_TILE_H
#define GPUBE_OPS_CONTRACT_TILE_H

#include "gpube/ops/contract/contract.h"
#include "gpube/ops/index.h"

/* Limits of a tile; cells of one packed A, B or C are at most GPUBE__MAX_PACKED. */
#define GPUBE__MAX_LANES  1024
#define GPUBE__MAX_ROWS   64
#define GPUBE__MAX_X      128
#define GPUBE__MAX_PACKED 131072
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

/*
 * One tile for a kernel. Row i of out begins at out_rows[i]. Kernels with 'extra' write
 * to tiles of the executor's: rows of both are extra_i cells apart, whole vectors.
 */
struct gpube__tile {
	const void *a, *b, *c; /* NULL: no operand of this kind, but not all of them */
	int64_t a_x, b_x, c_x;
	const int64_t *c_rows; /* where rows of c begin */
	int64_t nx, ni, nj;
	void *out;
	const int64_t *out_rows;
	void *extra; /* with arguments: lanes of them */
	int64_t extra_i;
	struct gpube__axis arg; /* argument of x, after 'arg_base' */
	int64_t arg_base;
	bool first;  /* out does not hold anything yet */
	bool last;   /* apply the top rule */
	bool stream; /* store past the caches: rows are whole, aligned vectors */
	int64_t top, threshold;
};

enum gpube__lane_mode {
	GPUBE__LANE_SAME,  /* the operand has no lane dim */
	GPUBE__LANE_NEXT,  /* lanes are neighbours in memory */
	GPUBE__LANE_TABLE, /* anything else: struct gpube__lanes */
};

/*
 * How a vector of lanes is found in memory: lane l is at base + lane_table[l].
 * span 0: neighbours; up to a vector's lanes: all within that many cells; else 255.
 */
struct gpube__lanes {
	int64_t base;
	int span;
};

/* to[x][i][j] = prev[x][i][j] + from[x(x) + i(i) + lane(j)]. */
struct gpube__pack {
	void *to;
	int64_t to_x, to_i;
	const void *prev; /* NULL: 0; may be 'to' */
	int64_t prev_x;
	const int64_t *prev_rows;
	const void *from;
	struct gpube__axis x, i;
	enum gpube__lane_mode mode;
	const struct gpube__lanes *lanes;
	const int32_t *lane_table;
	int64_t nx, ni, nj;
};

enum { GPUBE__KERNEL_MIN, GPUBE__KERNEL_MIN_ARG, GPUBE__N_KERNELS };

/* The kernels of one instruction set, by gpube_type - GPUBE_INT32. */
struct gpube__kernels {
	const char *name;
	int vector_bytes;
	void (*tile[GPUBE__N_KERNELS][2])(const struct gpube__tile *t);
	void (*pack[2])(const struct gpube__pack *p);
	/*
	 * n cells of a tile, which begin a vector, to the output by the top rule; past the caches
	 * if 'to' begins a vector, too
	 */
	void (*store[2])(
		void *to, const void *tile, int64_t n, int64_t threshold, int64_t top, bool stream);
};

/* After stores past the caches, which later ones may overtake. */
static inline void gpube__stream_fence(void)
{
#if defined(__x86_64__)
	__builtin_ia32_sfence();
#endif
}

const struct gpube__kernels *gpube__kernels_portable(void);
const struct gpube__kernels *gpube__kernels_avx2(void);   /* NULL: not on this machine */
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
	int64_t n_rows;
	struct gpube__axis x, i;
	enum gpube__lane_mode mode;
	const struct gpube__lanes *lanes;
	const int32_t *lane_table;
	const int64_t *loop_bytes; /* what a trip of each loop up to 'depth' adds to its address */
};

/* Ops [from, to) of plan.ops are added at loop 'depth' to what the level before has. */
struct gpube__level {
	int from, to, depth;
	bool direct;    /* a single operand, read where it is */
	int64_t buffer; /* else where in a thread's scratch */
	int64_t step_x, step_i;
	const int64_t *rows; /* where each row of the tile is */
	/* not direct: the rows that differ, for each value of the row group's first dim, … */
	int64_t n_rows, row_unit;
	const int64_t *own_rows, *prev_rows; /* … where they are here and in the level before */
};

/*
 * What was chosen: sets of dims; a group's first dim may be taken in blocks of its values.
 * Lanes and rows are output dims.
 */
struct gpube__choice {
	uint64_t lanes, rows, x;
	int64_t lane_block, row_block, x_block;
	double cycles; /* what it should take, on one core */
};

struct gpube__plan {
	const struct gpube__kernels *kernels;
	int kernel;     /* GPUBE__KERNEL_MIN … */
	int type;       /* gpube_type - GPUBE_INT32 */
	int cell_bytes; /* of a value */
	int w;          /* lanes of a vector */
	struct gpube__shape shape;
	struct gpube__choice choice;
	int64_t n_lanes, n_rows, n_x; /* of a whole tile */
	int64_t pad_lanes, pad_rows;  /* rounded up to whole vectors */
	int n_loops, n_out_loops;     /* output loops first */
	struct gpube__loop loop[GPUBE_MAX_DIMS];
	double runs[GPUBE_MAX_DIMS + 1];     /* trips of all loops before this one */
	int lane_loop, row_loop, x_loop;     /* loops over blocks of a group's first dim, or -1 */
	int64_t lane_unit, row_unit, x_unit; /* cells of one value of that dim */
	int n_levels[GPUBE__N_KINDS];
	struct gpube__level level[GPUBE__N_KINDS][GPUBE__MAX_LEVELS];
	struct gpube__op *ops;               /* by kind and depth */
	bool direct_out;                     /* kernels write the output itself */
	bool aligned_rows;                   /* then: rows begin with cache lines */
	const int64_t *out_rows, *tile_rows; /* where rows are in the output, in a tile */
	struct gpube__axis out_j, arg_x;
	int64_t tile_at, extra_at;        /* where in scratch a tile of values and of 'extra' is */
	int64_t n_tiles, n_turns;         /* output tiles; turns of the reducing loops for each */
	int64_t fewest_tiles, most_tiles; /* of an item of gpube__parallel() */
	int64_t scratch_bytes;            /* of one thread */
	double setup_cycles;              /* for sums that no loop moves */
};

/*
 * gpube__plan_choose() - chooses tiles for a contraction.
 * c       type and whether there is an argument; not its tables
 * shape   its canonical form; the strides stay the caller's
 * memory  gpube__plan_room(c) bytes, 64-byte aligned
 * Returns false if there is no plan: contract by rows then.
 */
bool gpube__plan_choose(struct gpube__plan *p, const struct gpube_contraction *c,
	const struct gpube__kernels *kernels, const struct gpube__shape *shape, void *memory);

/*
 * gpube__plan_set() - makes the plan that was chosen for 'shape'. The memory (which may be
 * that of the choice) must outlive the plan. False: lanes of one vector are more than 2^31
 * cells apart; contract by rows then.
 */
bool gpube__plan_set(struct gpube__plan *p, const struct gpube__shape *shape, void *memory);
uint64_t gpube__plan_room(const struct gpube_contraction *c);
/* What the plan that was chosen needs of it: mostly much less. */
uint64_t gpube__plan_set_room(const struct gpube__plan *p, const struct gpube__shape *shape);
/* At least the scratch_bytes of any plan for c. */
uint64_t gpube__plan_most_scratch(const struct gpube_contraction *c);

/* The tables of one contraction that has the plan's shape. */
struct gpube__run {
	struct gpube_ctx *ctx;
	const struct gpube__plan *plan;
	const struct gpube_contraction *c;
	const char *const *values; /* n_in */
	char *out, *arg;
	int arg_bytes;    /* of 'arg': 1, 2, 4, or 8 */
	int64_t arg_base; /* added to all arguments */
	bool raw;         /* leave the top rule and 'repeat' to the caller: this is a part */
	bool stream;      /* the output is too large to stay in a cache */
	bool one_of_many; /* the caller fences streamed stores, which is slow, after many runs */
	char *scratch;    /* of thread 0; those of the others follow; 64-byte aligned */
	uint64_t scratch_bytes; /* of each: gpube__run_scratch(), or the plan's for one of many */
	int64_t tiles_per_item;
	double ticks; /* of work, of all tiles */
	int stopped;
};

/* The kernels in use. */
const struct gpube__kernels *gpube__kernels(void);

/* Outputs from this size on are stored past the caches: they would not stay there. */
#define GPUBE__STREAM_BYTES (8 << 20)

/* What a thread needs for a run that is not one of many, in bytes. */
uint64_t gpube__run_scratch(const struct gpube__plan *p);

/* Runs the plan on up to ctx->n_threads threads. OK, or ESTOP without a text. */
int gpube__run_plan(struct gpube__run *r);

#endif
