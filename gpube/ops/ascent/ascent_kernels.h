/*
 * ascent_kernels.h - the inner loops of nested regions (regions.h) and of search trees (dfs.h),
 * compiled once for each instruction set.
 *
 * Tables are int32, row-major, rows padded to GPUBE__LANES cells that are dead.
 * A table's cells are in [0, slack), slack <= GPUBE__SLACK_MAX, or
 * GPUBE__DEAD; a quad's addends are in [-GPUBE__ADDEND_MAX, GPUBE__ADDEND_MAX]
 * or GPUBE__DEAD. Four of them, one dead, add up to at least SLACK_MAX and to
 * less than 2^31, so that a sum tells by itself that it is dead. The last loops are of 64-bit
 * tables, whose rows have no padding, and rows.
 */
#ifndef GPUBE_ASCENT_KERNELS_H
#define GPUBE_ASCENT_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#define GPUBE__LANES      8
#define GPUBE__DEAD       (1 << 28)
#define GPUBE__SLACK_MAX  (1 << 26)
#define GPUBE__ADDEND_MAX (1 << 25)

/*
 * Rows of costs in 64 bits, one a value of a variable, and of what was moved to them, at most
 * ROW_MOVED: a value that is gone costs ROW_DROPPED less what was taken off since, which is GONE or
 * more; what a function forbids costs ROW_FORBIDDEN, and with what was moved of it more than
 * OUT_OF_REACH.
 */
#define GPUBE__ROW_STEP         8
#define GPUBE__ROW_MOVED        ((int64_t)1 << 56)
#define GPUBE__ROW_OUT_OF_REACH ((int64_t)1 << 58)
#define GPUBE__ROW_FORBIDDEN    ((int64_t)1 << 60)
#define GPUBE__ROW_GONE         ((int64_t)1 << 62)
#define GPUBE__ROW_DROPPED      ((int64_t)3 << 61)
/*
 * The same of tables in 32 bits: their costs, what is moved, and what values cost are each less
 * than NARROW_MOST.
 */
#define GPUBE__NARROW_MOST      ((int64_t)1 << 27)
#define GPUBE__NARROW_OUT       ((int32_t)1 << 29)
#define GPUBE__NARROW_FORBIDDEN ((int32_t)1 << 30)

struct gpube_ascent_kernels {
	/*
	 * Moves a table into a quad's addend: table + addend stay the same, as far as ranges
	 * allow.
	 */
	void (*pull)(int32_t *table, int32_t *addend, int64_t n, int32_t slack);

	/*
	 * out[c] = min(out[c], min over k of x[k * x_step] + y[k * y_step + c] + z[k * z_step +
	 * c]); k < inner, c < cols, a multiple of the lanes.
	 */
	void (*join)(int32_t *out, int32_t cols, int32_t inner, const int32_t *x, int64_t x_step,
		const int32_t *y, int64_t y_step, const int32_t *z, int64_t z_step);

	/*
	 * Of a table of 64-bit costs, of the rows row[0 .. rows): out[c] = min over r of
	 * t[row[r]][c] - less[row[r]] c < cols, rounded up to a multiple of 8, of which there are
	 * as many behind the last row and in out.
	 */
	void (*least_in_columns)(int64_t *out, const int64_t *t, int64_t stride, int32_t cols,
		const int32_t *row, int32_t rows, const int64_t *less);

	/*
	 * The same of a table in 32 bits; out is in 64 bits, and ROW_FORBIDDEN where all is
	 * forbidden.
	 */
	void (*least_in_narrow)(int64_t *out, const int32_t *t, int64_t stride, int32_t cols,
		const int32_t *row, int32_t rows, const int64_t *less);

	/* Of n cells of a row of costs, the least, and the most that is not gone; or 0. */
	void (*range)(const int64_t *cost, int32_t n, int64_t *least, int64_t *most);
	/* What a row of costs has becomes less by that. */
	void (*lower)(int64_t *cost, int32_t n, int64_t less);
	/*
	 * Of what a function costs at least with each value: what it has not moved to the value
	 * yet, and 0 where that is gone. Returns the most.
	 */
	int64_t (*lacking)(int64_t *m, const int64_t *cost, const int64_t *moved, int32_t n);
	/*
	 * So much of m is moved to the values as they lack to 'up_to', if all of it stays below
	 * 'most'. Returns whether anything was.
	 */
	bool (*rise)(int64_t *cost, int64_t *moved, const int64_t *m, int32_t n, int64_t up_to,
		int64_t most);
	/* All that the values cost is moved back, if it stays above -most. */
	void (*fall)(int64_t *cost, int64_t *moved, int32_t n, int64_t most);
	/* Whether any value that is not gone costs more than it did. */
	bool (*is_more)(const int64_t *cost, const int64_t *was, int32_t n);
};

extern const struct gpube_ascent_kernels gpube__ascent_portable;
#if defined(__x86_64__)
extern const struct gpube_ascent_kernels gpube__ascent_avx2, gpube__ascent_avx512;
#endif

/* The fastest that this machine runs. */
const struct gpube_ascent_kernels *gpube__ascent_kernels(void);

#endif
