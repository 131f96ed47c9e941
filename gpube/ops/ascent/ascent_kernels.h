/*
 * ascent_kernels.h - the inner loops of the dual ascent on pairs of variables,
 * compiled once for each instruction set.
 *
 * Tables are int32, row-major, rows padded to GPUBE__LANES cells that are dead.
 * A table's cells are in [0, slack), slack <= GPUBE__SLACK_MAX, or
 * GPUBE__DEAD; a cluster's shares are in [-GPUBE__SHARE_MAX, GPUBE__SHARE_MAX]
 * or GPUBE__DEAD. Six of them, one dead, add up to at least SLACK_MAX and to
 * less than 2^31, so that a sum tells by itself that it is dead. The last loop is of 64-bit
 * tables, whose rows have no padding (dfs.h).
 */
#ifndef GPUBE_ASCENT_KERNELS_H
#define GPUBE_ASCENT_KERNELS_H

#include <stdint.h>

#define GPUBE__LANES	 8
#define GPUBE__DEAD	 (1 << 28)
#define GPUBE__SLACK_MAX (1 << 26)
#define GPUBE__SHARE_MAX (1 << 25)

/* What part of a min-marginal a table is given: never more than the name says. */
enum gpube_part { GPUBE_PART_ALL, GPUBE_PART_HALF, GPUBE_PART_THIRD, GPUBE_PART_SIXTH };

struct gpube_ascent_kernels {
	/*
	 * out[r][c] = min over k of x[r][k] + y[k][c]; r < rows, k < inner, c < cols,
	 * a multiple of the lanes. Strides of x are x_row and x_col.
	 */
	void (*min_plus)(int32_t *out, int64_t out_row, int32_t rows, const int32_t *x,
		int64_t x_row, int64_t x_col, int32_t inner, const int32_t *y, int64_t y_row,
		int32_t cols);

	/* Moves a table into a cluster's share: table + share stay the same, as far as ranges allow. */
	void (*pull)(int32_t *table, int32_t *share, int64_t n, int32_t slack);

	/* Moves a part of the min-marginal share + rest from the share to the table. */
	void (*give)(int32_t *table, int32_t *share, const int32_t *rest, int64_t n, int32_t slack,
		enum gpube_part part);

	/*
	 * out[c] = min(out[c], min over k of x[k * x_step] + y[k * y_step + c] + z[k * z_step + c]);
	 * k < inner, c < cols, a multiple of the lanes.
	 */
	void (*join)(int32_t *out, int32_t cols, int32_t inner, const int32_t *x, int64_t x_step,
		const int32_t *y, int64_t y_step, const int32_t *z, int64_t z_step);

	/*
	 * Of a table of 64-bit costs, of the rows row[0 .. rows): out[c] = min over r of t[row[r]][c] - less[row[r]]
	 * c < cols, rounded up to a multiple of 8, of which there are as many behind the last row and in out.
	 */
	void (*least_in_columns)(int64_t *out, const int64_t *t, int64_t stride, int32_t cols,
		const int32_t *row, int32_t rows, const int64_t *less);
};

extern const struct gpube_ascent_kernels gpube__ascent_portable;
#if defined(__x86_64__)
extern const struct gpube_ascent_kernels gpube__ascent_avx2, gpube__ascent_avx512;
#endif

/* The fastest that this machine runs. */
const struct gpube_ascent_kernels *gpube__ascent_kernels(void);

#endif
