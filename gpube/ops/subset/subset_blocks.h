/*
 * subset_blocks.h - how the CUDA backend cuts subset_convolve: index code and
 * arithmetic, which the tests also run without a device.
 *
 * The bits of X, from the lowest: R "register" bits, GPUBE_TRITS "row" bits, the
 * rest name a block of 2^(GPUBE_TRITS + R) values. A pair of blocks of disjoint
 * names is convolved by a group of threads: a thread (a lane) stands for one way
 * to put each row bit into no set, into Y, or into X - Y. It reads one row of a and
 * one of b, 2^R values each, and does their 3^R additions and maxima on 2^R
 * accumulators that stay in its registers over all pairs of an output block. No
 * lane waits for another, and there is no shuffle; only at the end of an output
 * block the lanes of the same X are reduced, one row bit after the other.
 *
 * Values of 16 bits go in pairs, two splits an instruction. A row bit that is used is
 * in Y or in X - Y, so the ways to use it come in pairs. The highest row bit that is
 * used makes the pair of a lane, and (3^T + 1) / 2 lanes do 3^T ways. The words are
 * laid out before: word row p of a is the rows (p without its highest bit, p), that of
 * b is (p, p without its highest bit).
 */
#ifndef GPUBE_SUBSET_BLOCKS_H
#define GPUBE_SUBSET_BLOCKS_H

#include "gpube/ops/subset/subset.h"

#define GPUBE_TRITS        5
#define GPUBE_ROWS         (1 << GPUBE_TRITS)
#define GPUBE_LANES_SINGLE 243 /* 3^GPUBE_TRITS */
#define GPUBE_LANES_PAIRED 122 /* (3^GPUBE_TRITS + 1) / 2 */

/* R: 256 bytes of words a row, whatever the type. */
GPUBE_HD static inline int gpube__register_bits(enum gpube_type type)
{
	return type == GPUBE_INT64 || type == GPUBE_FLOAT64 ? 5 : 6;
}

GPUBE_HD static inline int gpube__block_bits(enum gpube_type type)
{
	return GPUBE_TRITS + gpube__register_bits(type);
}

/*
 * What a lane does. Lanes are numbered by groups: one group of them all, or, in
 * pairs, one for each highest row bit.
 * base    lanes of the groups before
 * digits  row bits that are free within the group
 * trit    number within the group: digit i says where row bit i is, 1: Y, 2: X - Y
 * a_row, b_row  rows (of words) that it reads; without a digit 2, a_row is its X
 */
struct gpube__lane {
	int base, digits, trit;
	int a_row, b_row;
};

GPUBE_HD static inline struct gpube__lane gpube__lane(int lane, bool paired)
{
	struct gpube__lane l = {0, GPUBE_TRITS, lane, 0, 0};
	int top = 0;

	if (paired && lane == 0) {
		l.digits = 0; /* no row bit in either set: both halves do the same */
	} else if (paired) {
		int of_group = 1;

		l.base = 1;
		for (l.digits = 0; lane >= l.base + of_group; l.digits++) {
			l.base += of_group;
			of_group *= 3;
		}
		l.trit = lane - l.base;
		top = 1 << l.digits;
	}
	l.a_row = top | gpube__ternary_set(l.trit, 1);
	l.b_row = top | gpube__ternary_set(l.trit, 2);
	return l;
}

/* Digit i of the lane's number, 0 past its last. */
GPUBE_HD static inline int gpube__lane_digit(const struct gpube__lane *l, int i)
{
	int t = l->trit;

	for (int k = 0; k < i; k++)
		t /= 3;
	return i < l->digits ? t % 3 : 0;
}

/*
 * Reduction step i: a lane of digit 2 hands its accumulators, by this slot, to the
 * one whose digit is 1 instead, and is done. Fewer than GPUBE_LANES_PAIRED slots.
 */
GPUBE_HD static inline int gpube__lane_slot(const struct gpube__lane *l, int i)
{
	int p = 1;

	for (int k = 0; k < i; k++)
		p *= 3;
	return l->base + l->trit / (3 * p) * p + l->trit % p;
}

/* Of a paired word row: the row whose values are the low and the high halves. */
GPUBE_HD static inline int gpube__paired_row(int row, bool high, bool of_b)
{
	int top = 1;

	while (row >> 1 >= top)
		top <<= 1;
	return high == of_b && row ? row ^ top : row;
}

/*
 * Which lane each thread is. Eight threads that follow each other share a pass of
 * 16-byte loads from shared memory. Among any such eight, different rows differ modulo
 * eight, so that with rows padded by 16 bytes no two of them meet in a bank. Threads
 * past the lanes are given lane 0. order: 256 entries.
 */
void gpube__lane_order(uint8_t *order, bool paired);

/* ---- work ------------------------------------------------------------------------------- */

/*
 * The pairs of blocks (y, x - y) of an output block x with y = fixed + any subset
 * of 'free', into x itself or, if slot >= 0, into that block of scratch.
 */
struct gpube__block_item {
	uint32_t x, fixed, free;
	int32_t slot;
};

/* Output block x is the maximum of n scratch blocks from 'slot' on. */
struct gpube__block_merge {
	uint32_t x, slot, n;
};

/*
 * All pairs of 2^bits blocks: items of at most 2^most_free pairs, the largest
 * first, so that handing them out in order keeps all processors busy to the end.
 */
struct gpube__block_plan {
	uint64_t n_items, n_merges, n_slots;
};

/* Counts only. Cost: O(bits). */
struct gpube__block_plan gpube__plan_blocks(int bits, int most_free);
/* Writes what was counted. Cost: O(items + 2^bits * bits). */
void gpube__fill_blocks(struct gpube__block_item *items, struct gpube__block_merge *merges,
	int bits, int most_free);
/*
 * Several devices: the output blocks are cut by the highest bits of their names into
 * 2^GPUBE_SEGMENT_BITS segments, and segments given to devices so that each has about
 * the same number of pairs. Cost: O(segments * n_parts)
 */
#define GPUBE_SEGMENT_BITS 5
#define GPUBE_SEGMENTS     (1 << GPUBE_SEGMENT_BITS)
#define GPUBE_MOST_PARTS   256

/* owner: of each of 2^bits segments, the part in [0, n_parts) */
void gpube__share_segments(uint8_t *owner, int bits, int n_parts);
/* Only the items and merges of a part's segments, in their order; slots stay as they are. */
void gpube__keep_segments(struct gpube__block_item *items, struct gpube__block_merge *merges,
	struct gpube__block_plan *plan, int bits, const uint8_t owner[GPUBE_SEGMENTS], int part);

/* The largest most_free that leaves each of n_groups thread groups several items. */
int gpube__most_free(int bits, int n_groups);

/* ---- arithmetic ------------------------------------------------------------------------- */

GPUBE_HD static inline int32_t gpube__addmax_i32(int32_t a, int32_t b, int32_t c)
{
#if defined(__CUDA_ARCH__)
	return __viaddmax_s32(a, b, c);
#else
	return a + b > c ? a + b : c;
#endif
}

/* Both halves of a word of two int16. */
GPUBE_HD static inline uint32_t gpube__addmax_i16x2(uint32_t a, uint32_t b, uint32_t c)
{
#if defined(__CUDA_ARCH__)
	return __viaddmax_s16x2(a, b, c);
#else
	const int16_t low = (int16_t)(a + b), high = (int16_t)((a >> 16) + (b >> 16));
	const int16_t c_low = (int16_t)c, c_high = (int16_t)(c >> 16);

	return (uint32_t)(uint16_t)(low > c_low ? low : c_low) |
	       (uint32_t)(uint16_t)(high > c_high ? high : c_high) << 16;
#endif
}

GPUBE_HD static inline int64_t gpube__addmax_i64(int64_t a, int64_t b, int64_t c)
{
	return a + b > c ? a + b : c;
}

GPUBE_HD static inline float gpube__addmax_f32(float a, float b, float c)
{
#if defined(__CUDA_ARCH__)
	return fmaxf(a + b, c);
#else
	return a + b > c ? a + b : c;
#endif
}

GPUBE_HD static inline double gpube__addmax_f64(double a, double b, double c)
{
	return a + b > c ? a + b : c;
}

/* The larger of a word's two halves. */
GPUBE_HD static inline int16_t gpube__best_half(uint32_t w)
{
	const int16_t low = (int16_t)w, high = (int16_t)(w >> 16);

	return low > high ? low : high;
}

GPUBE_HD static inline uint32_t gpube__pair_word(int16_t low, int16_t high)
{
	return (uint32_t)(uint16_t)low | (uint32_t)(uint16_t)high << 16;
}

#endif
