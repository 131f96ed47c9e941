/*
 * ops.h - the operators on dense tables, and the backends that implement them.
 *
 * contract: out(S) = reduce over E of combine_k in_k(S_k), S_k inside S + E.
 * One variable eliminated is a bucket; several are a projection or a marginal.
 * It is fused: the joined table over S + E is never stored.
 *
 * What the other folders of ops/ do has structs of its own, such as sum/sum.h. CONTRIBUTING.md says
 * how one is added.
 */
#ifndef GPUBE_OPS_H
#define GPUBE_OPS_H

#include "gpube/ir/model.h"

enum gpube_semiring {
	GPUBE_MIN_PLUS,  /* reduce: min, combine: +; forbidden: +infinity */
	GPUBE_MIN_COUNT, /* min-plus, and how many joined cells attain the minimum */
};

/* More dimensions than any table of 2^63 cells can have, once those of one value are dropped. */
#define GPUBE_MAX_DIMS 64

struct gpube_operand {
	const void *values;     /* dense, row-major over 'dims', last fastest */
	const uint64_t *counts; /* MIN_COUNT: of the same cells; NULL: every count is 1 */
	int n_dims;
	const int32_t *dims; /* distinct indices into the contraction's dims, any order */
};

/*
 * One contraction. Dims [0, n_out) make the output, row-major, last fastest;
 * dims [n_out, n_dims) are reduced. No dimension need occur in an operand.
 *
 * Infinity. A joined sum >= threshold is forbidden and written as exactly 'top',
 * top >= threshold. The caller proves that the sum of any of the operands' values, in
 * any order, stays inside the type, as its negative does; and either that values are
 * non-negative, with threshold = top, so that a forbidden value absorbs, or
 * that finite sums stay below top/2 in size and top marks only forbidden cells,
 * with threshold = top/2.
 *
 * MIN_COUNT. out_counts[s] = sum over joined cells of s that attain out[s] of
 * the product of the operands' counts; 0 where out[s] is forbidden. modulus 0:
 * saturates at UINT64_MAX; otherwise a prime < 2^32 and counts are residues
 * modulo it. (A count of UINT64_MAX means "at least that" and absorbs.)
 *
 * Argument. out_arg, if not NULL (MIN_PLUS only): the row-major
 * index over the reduced dims of the first joined cell that attains out[s];
 * 'arg_bytes' (1, 2 or 4) each. Where out[s] is forbidden: any valid index.
 */
struct gpube_contraction {
	enum gpube_semiring semiring;
	enum gpube_type type; /* INT32 or INT64; of operands and output */
	int n_out, n_dims;
	const int64_t *sizes; /* n_dims, each >= 1 */
	int n_in;
	const struct gpube_operand *in;
	int64_t top, threshold;
	uint64_t modulus;
	void *out;
	uint64_t *out_counts;
	void *out_arg;
	int arg_bytes;
	/* if not NULL: the time it takes is added here, at the latest by settle() */
	double *seconds;
};

/*
 * Tables of one shape, each >= 0, become the shifts that make them equal: to each cell,
 * what takes it to the average of all. Averages are rounded down and the rests go to the first
 * table, so that the shifts of a cell add up to 0. A cell that reaches 'limit' in one table is
 * 'top' in all.
 */
struct gpube_match {
	enum gpube_type type; /* INT32 or INT64 */
	int32_t n;
	void *const *tables; /* n, of the backend; on the host */
	int64_t cells, limit, top;
};

/* Some cells of a table: first, first + stride, … */
struct gpube_cells {
	const void *values;
	int64_t first, stride, n;
};

/* What a family of kernels has done for a context, in seconds of the device and of the host. */
struct gpube_use {
	const char *family;
	int64_t launches;
	double kernel, planning;
};

#define GPUBE_MAX_USES 8

/*
 * A backend. Table memory belongs to it: values, counts, out… of a contraction
 * are addresses that its alloc() gave.
 */
struct gpube_ops {
	const char *name; /* "cpu", "cuda" */

	/* 0, or why this contraction cannot run here (a static text) */
	const char *(*unsupported)(const struct gpube_contraction *c);

	/*
	 * Errors: EINVAL (what 'unsupported' says), ENOMEM, ESTOP (between tiles;
	 * the output is then undefined), ECUDA
	 */
	int (*contract)(struct gpube_ctx *ctx, const struct gpube_contraction *c);

	/*
	 * n independent contractions, none reading another's output; spread over threads or blocks
	 */
	int (*contract_batch)(struct gpube_ctx *ctx, int64_t n, const struct gpube_contraction *c);

	/* 64-byte aligned; NULL: ENOMEM */
	void *(*alloc)(struct gpube_ctx *ctx, uint64_t bytes);
	void (*free)(struct gpube_ctx *ctx, void *p);
	int (*upload)(struct gpube_ctx *ctx, void *to, const void *from, uint64_t bytes);
	int (*download)(struct gpube_ctx *ctx, void *to, const void *from, uint64_t bytes);

	/* Errors: EINVAL (type), ENOMEM, ECUDA */
	int (*match)(struct gpube_ctx *ctx, const struct gpube_match *m);

	/*
	 * Waits for all that was begun. *copying, if not NULL: seconds that copies between host and
	 * device have taken on this context so far. NULL: nothing is ever under way.
	 */
	int (*settle)(struct gpube_ctx *ctx, double *copying);

	/*
	 * Downloads the cells of n pieces, of 4 or 8 bytes each, one piece behind the
	 * other into 'to': one round trip to a device, however many the pieces.
	 */
	int (*gather)(struct gpube_ctx *ctx, void *to, int64_t n, const struct gpube_cells *pieces,
		size_t cell_bytes);

	/* the device in words, for people; a CPU has none: NULL */
	int (*describe)(struct gpube_ctx *ctx, char *text, size_t size);

	/*
	 * What each family of contract's kernels has done for the context, on all of its devices;
	 * waits as settle() does. Returns how many families there are, at most GPUBE_MAX_USES.
	 * NULL: there is one way to do it, which is not counted
	 */
	int (*uses)(struct gpube_ctx *ctx, struct gpube_use *use);

	/* bytes of tables that alloc() may give out in all */
	uint64_t (*memory)(struct gpube_ctx *ctx);

	/*
	 * Memory of the device itself, in one piece, which the caller cuts up: addresses inside it
	 * are tables, too. free() gives it back. NULL, with no text: no room; 'NULL': no such
	 * memory
	 */
	void *(*alloc_block)(struct gpube_ctx *ctx, uint64_t bytes);

	/* joined cells and bytes that this backend does in a second, for predictions */
	double cells_per_second, bytes_per_second;
};

const struct gpube_ops *gpube__ops_cpu(void);

/*
 * The CUDA backend on the context's device, which the first call opens and the context owns;
 * tables and results are valid until the context is freed. NULL and *status ENODEV where
 * the program has no CUDA, or the machine no usable device; ENOMEM.
 */
const struct gpube_ops *gpube__ops_cuda(struct gpube_ctx *ctx, int *status);

/*
 * gpube__uses() - what uses() says of the context's device; 0 families where none is open.
 * use  out: GPUBE_MAX_USES
 */
int gpube__uses(struct gpube_ctx *ctx, struct gpube_use *use);

/* A card does what so many cores do, about, when work is counted (gpube__work()). */
enum { GPUBE_CARD_CORES = 64 };

/*
 * Ticks of work of so many cells of so many tables on a core: cells of 64 bits take a vector twice
 * the time, and arguments as long again.
 */
static inline double gpube__cells_ticks(
	double cells, double n_in, enum gpube_type type, bool arguments)
{
	return cells * (0.2 + 0.1 * n_in) * (type == GPUBE_INT64 ? 2 : 1) * (arguments ? 2 : 1);
}

/* Of a contraction. */
static inline double gpube__contraction_ticks(const struct gpube_contraction *c)
{
	double cells = 1;

	for (int d = 0; d < c->n_dims; d++)
		cells *= c->sizes[d];
	return gpube__cells_ticks(cells, c->n_in, c->type, c->out_arg);
}

#endif
