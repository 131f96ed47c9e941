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
 *
 * Weighed and not built: to screen 32-bit values by upper bounds of 16 bits, twice as many in a
 * vector, and to do only those pairs of blocks exactly whose bound passes the best sum so far. Of
 * pairs of tiles 33 to 100 % would be done twice. Of pairs of single vectors it is 9 to 24 % in
 * random games, which a linear bound decides without a convolution, but 62 and 88 % in voting and
 * threshold games, which need one (benchmarks/runs/csg-2c).
 */
#ifndef GPUBE_SUBSET_H
#define GPUBE_SUBSET_H

#include "gpube/ir/model.h"
#include "gpube/ops/subset/subset_fill.h"

/*
 * type       INT16, INT32, INT64, FLOAT32 or FLOAT64. The caller proves that
 *            every sum a[Y] + b[X - Y] fits the integer types, and that floats are
 *            no NaN and have no infinity but -INFINITY.
 * a, b, out  2^n_bits values each; out overlaps neither. 64-byte alignment
 *            helps but is not needed.
 * done, share  of the caller's whole work, for progress: what was done before,
 *            and what this call adds; share 0: no progress
 * least, most  of integers: all values and sums lie within, which may be faster; both 0:
 *            nothing is known
 */
struct gpube_subset {
	enum gpube_type type;
	int n_bits;
	const void *a, *b;
	void *out;
	double done, share;
	int64_t least, most;
};

/*
 * The split that attains a value: of the subsets y of x, the least with the
 * greatest a[y] + b[x - y]. sum and y are written.
 */
struct gpube_subset_split {
	enum gpube_type type;
	const void *a, *b;
	uint64_t x;
	union {
		int64_t i;
		double f;
	} sum;
	uint64_t y;
};

/*
 * All coalitions of 'size' of n_bits agents: best[c] = the greater of value[c] and
 * best[y] + best[c - y] over the splits of c in two parts, none of them with more
 * than 'most' agents. best is known for smaller coalitions.
 * groups  thread groups of GPU-CSG, all splits whatever 'most'; else a thread a coalition: IDP^G
 */
struct gpube_splits {
	enum gpube_type type;
	bool groups;
	int n_bits, size, most;
	const void *value;
	void *best;
};

/* A backend; memory as in ops.h: a, b, out and values are addresses that its alloc() gave. */
struct gpube_subset_ops {
	const char *name;
	/* Errors: EINVAL (type, n_bits), ENOMEM, ESTOP (out is then undefined), ECUDA */
	int (*convolve)(struct gpube_ctx *ctx, const struct gpube_subset *s);
	/* Errors: ESTOP, ECUDA */
	int (*best)(struct gpube_ctx *ctx, struct gpube_subset_split *s);
	int (*fill)(struct gpube_ctx *ctx, const struct gpube_fill *f);
	/* to[i] = the greater of to[i] and from[i], i < n. Errors: EINVAL (type), ECUDA */
	int (*merge)(struct gpube_ctx *ctx, enum gpube_type type, void *to, const void *from,
		uint64_t n);
	/* Errors: EINVAL, ENOMEM, ESTOP, ECUDA; NULL: on the CPU, csg/dp.c does it */
	int (*splits)(struct gpube_ctx *ctx, const struct gpube_splits *s);
	void *(*alloc)(struct gpube_ctx *ctx, uint64_t bytes);
	void (*free)(struct gpube_ctx *ctx, void *p);
	int (*upload)(struct gpube_ctx *ctx, void *to, const void *from, uint64_t bytes);
	int (*download)(struct gpube_ctx *ctx, void *to, const void *from, uint64_t bytes);
	uint64_t (*memory)(struct gpube_ctx *ctx); /* bytes that alloc() may give out in all */
	/* of those, what a convolution takes beside its tables */
	uint64_t (*scratch)(struct gpube_ctx *ctx, enum gpube_type type, int n_bits);
	/* memory of the host from and to which copies are fastest */
	void *(*alloc_here)(struct gpube_ctx *ctx, uint64_t bytes);
	void (*free_here)(struct gpube_ctx *ctx, void *p);
	/* additions and maxima in a second with this type on all threads, for predictions */
	double (*splits_per_second)(const struct gpube_ctx *ctx, enum gpube_type type);
};

const struct gpube_subset_ops *gpube__subset_cpu(void);

/* As gpube__ops_cuda(), which it opens. */
const struct gpube_subset_ops *gpube__subset_cuda(struct gpube_ctx *ctx, int *status);

/* Whether s, of the same type, comes before t: a greater sum, or the same and a smaller y. */
bool gpube__split_better(const struct gpube_subset_split *s, const struct gpube_subset_split *t);

/* The slow, obviously right version on host memory. */
int gpube__subset_reference(struct gpube_ctx *ctx, const struct gpube_subset *s);

/* ---- index arithmetic, shared by all versions ------------------------------------------ */

#define GPUBE_LANE_BITS 5
#define GPUBE_LANES     (1 << GPUBE_LANE_BITS)
#define GPUBE_TERNARY   243 /* 3^GPUBE_LANE_BITS */

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

/* The bits of i, lowest first, put where x has its set bits. */
GPUBE_HD static inline uint64_t gpube__deposit(uint64_t i, uint64_t x)
{
	uint64_t y = 0;

	for (; i && x; i >>= 1, x &= x - 1)
		if (i & 1)
			y |= x & (~x + 1);
	return y;
}

/* The 'n' lowest set bits of x. */
GPUBE_HD static inline uint64_t gpube__lowest_bits(uint64_t x, int n)
{
	uint64_t y = x;

	for (int i = 0; i < n; i++)
		y &= y - 1;
	return x ^ y;
}

/* Of n elements, how many subsets of k there are. */
GPUBE_HD static inline uint64_t gpube__n_of_size(int n, int k)
{
	uint64_t c = 1;

	for (int i = 1; i <= k; i++)
		c = c * (uint64_t)(n - k + i) / (uint64_t)i;
	return c;
}

/* The next larger number with as many bits set; x != 0. */
GPUBE_HD static inline uint64_t gpube__next_of_size(uint64_t x)
{
	const uint64_t low = x & (~x + 1), up = x + low;

	return up | ((x ^ up) / low) >> 2;
}

/* Number i, in rising order, of the subsets of k of n elements. */
GPUBE_HD static inline uint64_t gpube__subset_of_size(int n, int k, uint64_t i)
{
	uint64_t of_left = gpube__n_of_size(n, k), x = 0;

	for (; k > 0; n--) {
		/* those without element n - 1 come first */
		const uint64_t without = of_left * (uint64_t)(n - k) / (uint64_t)n;

		if (i < without) {
			of_left = without;
			continue;
		}
		i -= without;
		of_left -= without;
		x |= (uint64_t)1 << (n - 1);
		k--;
	}
	return x;
}

#endif
