/*
 * subset.h - the operator of coalition games and of complete auctions: the
 * (max,+) subset convolution of two functions on the subsets of h elements,
 *
 *     out[X] = max over Y inside X of a[Y] + b[X - Y],   X in [0, 2^h)
 *
 * in 3^h additions. The fast versions cut X into blocks: its low bits are a
 * place in a block, its high bits the block, and a pair of disjoint high sets is
 * a dense convolution of two blocks that stay in cache. Within a block the
 * lowest GPUBE_LANE_BITS bits are written out in ternary (in no set, in Y, in
 * X - Y), so that the inner loop is additions and maxima of whole vectors.
 */
#ifndef GPUBE_SUBSET_H
#define GPUBE_SUBSET_H

#include "gpube/ir/model.h"

/*
 * type       INT16, INT32, INT64, FLOAT32 or FLOAT64. The caller proves that
 *            every sum a[Y] + b[X - Y] fits the integer types, and that floats are
 *            no NaN and have no infinity but -INFINITY.
 * a, b, out  2^n_bits values each; out overlaps neither. 64-byte alignment
 *            helps but is not needed.
 * done, share  of the caller's whole work, for progress: what was done before,
 *            and what this call adds; share 0: no progress
 */
struct gpube_subset {
	enum gpube_type type;
	int n_bits;
	const void *a, *b;
	void *out;
	double done, share;
};

/* A backend; memory as in ops.h: a, b and out are addresses that its alloc() gave. */
struct gpube_subset_ops {
	const char *name;
	/* Errors: EINVAL (type, n_bits), ENOMEM, ESTOP (out is then undefined), ECUDA */
	int (*convolve)(struct gpube_ctx *ctx, const struct gpube_subset *s);
	void *(*alloc)(struct gpube_ctx *ctx, uint64_t bytes);
	void (*free)(struct gpube_ctx *ctx, void *p);
	int (*upload)(struct gpube_ctx *ctx, void *to, const void *from, uint64_t bytes);
	int (*download)(struct gpube_ctx *ctx, void *to, const void *from, uint64_t bytes);
	/* additions and maxima in a second with this type on all threads, for predictions */
	double (*splits_per_second)(const struct gpube_ctx *ctx, enum gpube_type type);
};

const struct gpube_subset_ops *gpube__subset_cpu(void);

/* The slow, obviously right version on host memory. */
int gpube__subset_reference(struct gpube_ctx *ctx, const struct gpube_subset *s);

/* ---- index arithmetic, shared by all versions ------------------------------------------ */

#define GPUBE_LANE_BITS 5
#define GPUBE_LANES	(1 << GPUBE_LANE_BITS)
#define GPUBE_TERNARY	243 /* 3^GPUBE_LANE_BITS */

/* The subset of x after 'sub' in falling order: start with x, end after 0. */
GPUBE_HD static inline uint64_t gpube__submask_before(uint64_t x, uint64_t sub)
{
	return (sub - 1) & x;
}

/*
 * The bits whose ternary digit in t is 'digit': 1 gives the lanes of Y, 2 those
 * of X - Y, and their union is X. Bit 0 is the least significant digit.
 */
GPUBE_HD static inline int gpube__ternary_set(int t, int digit)
{
	int set = 0;

	for (int b = 0; b < GPUBE_LANE_BITS; b++, t /= 3)
		set |= (t % 3 == digit) << b;
	return set;
}

/* 3^n; exact to n = 40. */
GPUBE_HD static inline uint64_t gpube__pow3(int n)
{
	uint64_t p = 1;

	while (n-- > 0)
		p *= 3;
	return p;
}

#endif
