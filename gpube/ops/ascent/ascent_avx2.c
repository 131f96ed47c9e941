/*
 * ascent_avx2.c - the loops for AVX2. Four rows by sixteen columns of the
 * output stay in registers while k runs: per 64 cells two loads, four
 * broadcasts, eight adds, eight mins.
 */
#include "gpube/ops/ascent/ascent_kernels.h"

#if defined(__AVX2__)
#include <immintrin.h>

static inline __attribute__((always_inline)) void block(int32_t *out, int64_t out_row,
	const int32_t *x, int64_t x_row, int64_t x_col, int32_t inner, const int32_t *y,
	int64_t y_row, int n_rows, int n_vectors)
{
	__m256i best[4][2];

	for (int r = 0; r < n_rows; r++)
		for (int v = 0; v < n_vectors; v++)
			best[r][v] = _mm256_set1_epi32(INT32_MAX);
	for (int32_t k = 0; k < inner; k++, x += x_col, y += y_row) {
		__m256i row[2];

		for (int v = 0; v < n_vectors; v++)
			row[v] = _mm256_loadu_si256((const __m256i *)(y + 8 * v));
		for (int r = 0; r < n_rows; r++) {
			__m256i s = _mm256_set1_epi32(x[r * x_row]);

			for (int v = 0; v < n_vectors; v++)
				best[r][v] =
					_mm256_min_epi32(best[r][v], _mm256_add_epi32(s, row[v]));
		}
	}
	for (int r = 0; r < n_rows; r++)
		for (int v = 0; v < n_vectors; v++)
			_mm256_storeu_si256((__m256i *)(out + r * out_row + 8 * v), best[r][v]);
}

static void min_plus(int32_t *out, int64_t out_row, int32_t rows, const int32_t *x, int64_t x_row,
	int64_t x_col, int32_t inner, const int32_t *y, int64_t y_row, int32_t cols)
{
	int32_t r = 0;

	for (; r + 4 <= rows; r += 4) {
		const int32_t *from = x + r * x_row;
		int32_t *to = out + r * out_row, c = 0;

		for (; c + 16 <= cols; c += 16)
			block(to + c, out_row, from, x_row, x_col, inner, y + c, y_row, 4, 2);
		if (c < cols)
			block(to + c, out_row, from, x_row, x_col, inner, y + c, y_row, 4, 1);
	}
	for (; r < rows; r++)
		for (int32_t c = 0; c < cols; c += 8)
			block(out + r * out_row + c, out_row, x + r * x_row, x_row, x_col, inner,
				y + c, y_row, 1, 1);
}

#define MIN_PLUS min_plus
#include "gpube/ops/ascent/ascent_impl.h"

const struct gpube_ascent_kernels gpube__ascent_avx2 = {
	min_plus, pull, give, join, least_in_columns, ROW_LOOPS};
#endif
