/*
 * ascent_impl.h - the loops of ascent_kernels.h; no include guard: one file an
 * instruction set includes it. MIN_PLUS may be defined before.
 */
#define SIMD _Pragma("omp simd")

#ifndef MIN_PLUS
#define MIN_PLUS min_plus
static void min_plus(int32_t *out, int64_t out_row, int32_t rows, const int32_t *x, int64_t x_row,
	int64_t x_col, int32_t inner, const int32_t *y, int64_t y_row, int32_t cols)
{
	for (int32_t r = 0; r < rows; r++) {
		int32_t *restrict to = out + r * out_row;

		for (int32_t c = 0; c < cols; c++)
			to[c] = INT32_MAX;
		for (int32_t k = 0; k < inner; k++) {
			const int32_t *restrict from = y + k * y_row;
			const int32_t s = x[r * x_row + k * x_col];

			SIMD for (int32_t c = 0; c < cols; c++)
				to[c] = s + from[c] < to[c] ? s + from[c] : to[c];
		}
	}
}
#endif

static void pull(int32_t *restrict table, int32_t *restrict share, int64_t n, int32_t slack)
{
	SIMD for (int64_t k = 0; k < n; k++)
	{
		int32_t t = table[k], s = share[k];
		int32_t room = GPUBE__SHARE_MAX - s, moved = t < room ? t : room;
		int dead = (t >= slack) | (s == GPUBE__DEAD);

		share[k] = dead ? GPUBE__DEAD : s + moved;
		table[k] = dead ? GPUBE__DEAD : t - moved;
	}
}

static inline int32_t part_of(int32_t m, enum gpube_part part)
{
	int32_t third = (m >> 2) + (m >> 4) + (m >> 6);

	return part == GPUBE_PART_ALL	 ? m
	       : part == GPUBE_PART_HALF ? m >> 1
	       : part == GPUBE_PART_THIRD ? third
					  : third >> 1;
}

#define GIVE(name, part)                                                                           \
	static void name(int32_t *restrict table, int32_t *restrict share,                         \
		const int32_t *restrict rest, int64_t n, int32_t slack)                            \
	{                                                                                          \
		SIMD for (int64_t k = 0; k < n; k++)                                               \
		{                                                                                  \
			int32_t s = share[k], m = s + rest[k], room = s + GPUBE__SHARE_MAX;        \
			int32_t want = part_of(m, part), g = want < room ? want : room;            \
			int32_t t = table[k] + g;                                                  \
			int dead = (m >= slack) | (t >= slack) | (s == GPUBE__DEAD);               \
                                                                                                   \
			share[k] = dead ? GPUBE__DEAD : s - g;                                     \
			table[k] = dead ? GPUBE__DEAD : t;                                         \
		}                                                                                  \
	}

GIVE(give_all, GPUBE_PART_ALL)
GIVE(give_half, GPUBE_PART_HALF)
GIVE(give_third, GPUBE_PART_THIRD)
GIVE(give_sixth, GPUBE_PART_SIXTH)

static void give(int32_t *table, int32_t *share, const int32_t *rest, int64_t n, int32_t slack,
	enum gpube_part part)
{
	switch (part) {
	case GPUBE_PART_ALL:
		give_all(table, share, rest, n, slack);
		break;
	case GPUBE_PART_HALF:
		give_half(table, share, rest, n, slack);
		break;
	case GPUBE_PART_THIRD:
		give_third(table, share, rest, n, slack);
		break;
	case GPUBE_PART_SIXTH:
		give_sixth(table, share, rest, n, slack);
		break;
	}
}

static void join(int32_t *restrict out, int32_t cols, int32_t inner, const int32_t *x,
	int64_t x_step, const int32_t *y, int64_t y_step, const int32_t *z, int64_t z_step)
{
	for (int32_t k = 0; k < inner; k++) {
		const int32_t *restrict from = y + k * y_step, *restrict more = z + k * z_step;
		const int32_t s = x[k * x_step];

		SIMD for (int32_t c = 0; c < cols; c++)
		{
			const int32_t sum = s + from[c] + more[c];

			out[c] = sum < out[c] ? sum : out[c];
		}
	}
}

/* So many columns at a time, whose least stay in registers. */
static inline __attribute__((always_inline)) void least_of(int64_t *restrict out, const int64_t *restrict t,
	int64_t stride, const int32_t *row, int32_t rows, const int64_t *less, const int width)
{
	int64_t best[16];

	for (int c = 0; c < width; c++)
		best[c] = INT64_MAX;
	for (int32_t r = 0; r < rows; r++) {
		const int64_t *from = t + row[r] * stride, s = less[row[r]];

		SIMD for (int c = 0; c < width; c++)
		{
			const int64_t v = from[c] - s;

			best[c] = v < best[c] ? v : best[c];
		}
	}
	for (int c = 0; c < width; c++)
		out[c] = best[c];
}

static void least_in_columns(int64_t *restrict out, const int64_t *restrict t, int64_t stride, int32_t cols,
	const int32_t *row, int32_t rows, const int64_t *less)
{
	int32_t c = 0;

	for (; c + 8 < cols; c += 16)
		least_of(out + c, t + c, stride, row, rows, less, 16);
	if (c < cols)
		least_of(out + c, t + c, stride, row, rows, less, 8);
}
