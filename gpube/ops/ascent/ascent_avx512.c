/*
 * ascent_avx512.c - the loops for AVX-512: as ascent_avx2.c, with blocks of four
 * rows by 32 columns, and the last eight columns in half a vector.
 */
#include "gpube/ops/ascent/ascent_kernels.h"

#if defined(__AVX512F__) && defined(__AVX512VL__)
#include <immintrin.h>

static inline __attribute__((always_inline)) void block(int32_t *out, int64_t out_row,
	const int32_t *x, int64_t x_row, int64_t x_col, int32_t inner, const int32_t *y,
	int64_t y_row, int n_rows, int n_vectors)
{
	__m512i best[4][2];

	for (int r = 0; r < n_rows; r++)
		for (int v = 0; v < n_vectors; v++)
			best[r][v] = _mm512_set1_epi32(INT32_MAX);
	for (int32_t k = 0; k < inner; k++, x += x_col, y += y_row) {
		__m512i row[2];

		for (int v = 0; v < n_vectors; v++)
			row[v] = _mm512_loadu_si512(y + 16 * v);
		for (int r = 0; r < n_rows; r++) {
			__m512i s = _mm512_set1_epi32(x[r * x_row]);

			for (int v = 0; v < n_vectors; v++)
				best[r][v] =
					_mm512_min_epi32(best[r][v], _mm512_add_epi32(s, row[v]));
		}
	}
	for (int r = 0; r < n_rows; r++)
		for (int v = 0; v < n_vectors; v++)
			_mm512_storeu_si512(out + r * out_row + 16 * v, best[r][v]);
}

static inline __attribute__((always_inline)) void half(int32_t *out, int64_t out_row,
	const int32_t *x, int64_t x_row, int64_t x_col, int32_t inner, const int32_t *y,
	int64_t y_row, int n_rows)
{
	__m256i best[4];

	for (int r = 0; r < n_rows; r++)
		best[r] = _mm256_set1_epi32(INT32_MAX);
	for (int32_t k = 0; k < inner; k++, x += x_col, y += y_row) {
		__m256i row = _mm256_loadu_si256((const __m256i *)y);

		for (int r = 0; r < n_rows; r++)
			best[r] = _mm256_min_epi32(
				best[r], _mm256_add_epi32(_mm256_set1_epi32(x[r * x_row]), row));
	}
	for (int r = 0; r < n_rows; r++)
		_mm256_storeu_si256((__m256i *)(out + r * out_row), best[r]);
}

static inline __attribute__((always_inline)) void rows_of(int32_t *out, int64_t out_row,
	const int32_t *x, int64_t x_row, int64_t x_col, int32_t inner, const int32_t *y,
	int64_t y_row, int32_t cols, int n_rows)
{
	int32_t c = 0;

	for (; c + 32 <= cols; c += 32)
		block(out + c, out_row, x, x_row, x_col, inner, y + c, y_row, n_rows, 2);
	for (; c + 16 <= cols; c += 16)
		block(out + c, out_row, x, x_row, x_col, inner, y + c, y_row, n_rows, 1);
	if (c < cols)
		half(out + c, out_row, x, x_row, x_col, inner, y + c, y_row, n_rows);
}

static void min_plus(int32_t *out, int64_t out_row, int32_t rows, const int32_t *x, int64_t x_row,
	int64_t x_col, int32_t inner, const int32_t *y, int64_t y_row, int32_t cols)
{
	int32_t r = 0;

	for (; r + 4 <= rows; r += 4)
		rows_of(out + r * out_row, out_row, x + r * x_row, x_row, x_col, inner, y, y_row,
			cols, 4);
	for (; r < rows; r++)
		rows_of(out + r * out_row, out_row, x + r * x_row, x_row, x_col, inner, y, y_row,
			cols, 1);
}

#define MIN_PLUS min_plus
#include "gpube/ops/ascent/ascent_impl.h"

const struct gpube_ascent_kernels gpube__ascent_avx512 = {
	min_plus, pull, give, join, least_in_columns, ROW_LOOPS};
#endif
