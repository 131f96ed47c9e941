/*
 * subset_tile.h - between the CPU driver of subset_convolve and its kernels, of
 * which there is one set for each instruction set.
 */
#ifndef GPUBE_SUBSET_TILE_H
#define GPUBE_SUBSET_TILE_H

#include "gpube/ops/subset/subset.h"

/* Columns of an expanded block: the ternary numbers, padded to whole vectors. */
#define GPUBE_TILE_COLUMNS 256

/*
 * A tile is a block of 2^(GPUBE_LANE_BITS + mid) values. Expanded, it is an
 * array of vectors [column / lanes][2^mid] whose lanes are ternary numbers.
 * map[0], map[1]: of each column, the lane of Y and of X - Y (padding: lane 0).
 * three, one: to fold runs of 3 and of 1: of the values with a digit 0, 1, 2 the places of the
 * first and of the greater of the others, in pairs whose maximum is taken; 3 and 10 groups of runs
 * shift: what sums are greater by while they are in c; 0 but for near kernels
 */
struct gpube__tile_maps {
	uint8_t map[2][GPUBE_TILE_COLUMNS];
	uint8_t three[2][GPUBE_LANES], one[2][GPUBE_LANES];
	int64_t shift;
};

/*
 * Two tiles to convolve, and the two after them, or NULL: the last column's sums of the
 * first are time to fetch and expand the first column of the next, which is then 'ready'.
 */
struct gpube__tile_pair {
	const void *a, *b, *next_a, *next_b;
	void *ready; /* the caller's NULL at first, then the kernel's */
};

/*
 * near  a faster kernel, or NULL, of integers that all lie, with their sums, within
 *       [least, least + room]; its shift is 'floor' - least
 */
struct gpube__tile_kernel {
	int least_mid; /* smallest 'mid' it can do */
	/* c: 'bytes per value' * GPUBE_TILE_COLUMNS << mid, set to the lowest value */
	void (*clear)(void *c, int mid);
	/* c = max(c, a * b), spare: room for four columns of vectors, 4 * 64 << mid bytes */
	void (*add)(void *c, struct gpube__tile_pair *pair, int mid, void *spare,
		const struct gpube__tile_maps *maps);
	/* out[X] = max over the ternary numbers whose union is X */
	void (*reduce)(void *out, const void *c, int mid, const struct gpube__tile_maps *maps);
	const struct gpube__tile_kernel *near;
	int64_t floor;
	uint64_t room;
};

/* Indexed by enum gpube_type; kernels of missing types have a NULL 'add'. */
extern const struct gpube__tile_kernel gpube__tiles_portable[];
#if defined(__x86_64__)
extern const struct gpube__tile_kernel gpube__tiles_avx2[];
extern const struct gpube__tile_kernel gpube__tiles_avx512[];
/* A near kernel of INT16 with less room that is faster than the others; NULL: not here */
const struct gpube__tile_kernel *gpube__tile_fp16(void);
#endif

enum gpube__isa { GPUBE_ISA_PORTABLE, GPUBE_ISA_AVX2, GPUBE_ISA_AVX512 };

/* The best one that this processor has. */
enum gpube__isa gpube__isa_here(void);

int gpube__subset_best_cpu(struct gpube_ctx *ctx, struct gpube_subset_split *s);
int gpube__subset_fill_cpu(struct gpube_ctx *ctx, const struct gpube_fill *f);
int gpube__subset_merge_cpu(
	struct gpube_ctx *ctx, enum gpube_type type, void *to, const void *from, uint64_t n);

/* convolve() with the kernels of one instruction set, for tests and benchmarks. */
int gpube__subset_convolve_isa(
	struct gpube_ctx *ctx, const struct gpube_subset *s, enum gpube__isa isa);

#endif
