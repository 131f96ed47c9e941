/*
 * ascent_impl.h - the loops of ascent_kernels.h; no include guard: one file an
 * instruction set includes it.
 */
#define SIMD _Pragma("omp simd")

static void pull(int32_t *restrict table, int32_t *restrict addend, int64_t n, int32_t slack)
{
	SIMD for (int64_t k = 0; k < n; k++)
	{
		int32_t t = table[k], s = addend[k];
		int32_t room = GPUBE__ADDEND_MAX - s, moved = t < room ? t : room;
		int dead = (t >= slack) | (s == GPUBE__DEAD);

		addend[k] = dead ? GPUBE__DEAD : s + moved;
		table[k] = dead ? GPUBE__DEAD : t - moved;
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
static inline __attribute__((always_inline)) void least_of(int64_t *restrict out,
	const int64_t *restrict t, int64_t stride, const int32_t *row, int32_t rows,
	const int64_t *less, const int width)
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

static void least_in_columns(int64_t *restrict out, const int64_t *restrict t, int64_t stride,
	int32_t cols, const int32_t *row, int32_t rows, const int64_t *less)
{
	int32_t c = 0;

	for (; c + 8 < cols; c += 16)
		least_of(out + c, t + c, stride, row, rows, less, 16);
	if (c < cols)
		least_of(out + c, t + c, stride, row, rows, less, 8);
}

static inline __attribute__((always_inline)) void least_of_narrow(int64_t *restrict out,
	const int32_t *restrict t, int64_t stride, const int32_t *row, int32_t rows,
	const int64_t *less, const int width)
{
	int32_t best[32];

	for (int c = 0; c < width; c++)
		best[c] = INT32_MAX;
	for (int32_t r = 0; r < rows; r++) {
		const int32_t *from = t + row[r] * stride, s = (int32_t)less[row[r]];

		SIMD for (int c = 0; c < width; c++)
		{
			const int32_t v = from[c] - s;

			best[c] = v < best[c] ? v : best[c];
		}
	}
	SIMD for (int c = 0; c < width; c++) out[c] =
		best[c] > GPUBE__NARROW_OUT ? GPUBE__ROW_FORBIDDEN : best[c];
}

static void least_in_narrow(int64_t *restrict out, const int32_t *restrict t, int64_t stride,
	int32_t cols, const int32_t *row, int32_t rows, const int64_t *less)
{
	int32_t c = 0;

	for (; c + 16 < cols; c += 32)
		if (cols - c > 24)
			least_of_narrow(out + c, t + c, stride, row, rows, less, 32);
		else
			least_of_narrow(out + c, t + c, stride, row, rows, less, 24);
	if (c + 8 < cols)
		least_of_narrow(out + c, t + c, stride, row, rows, less, 16);
	else if (c < cols)
		least_of_narrow(out + c, t + c, stride, row, rows, less, 8);
}

/* ---- rows: multiples of GPUBE__ROW_STEP cells, of which so many at a time stay in a register - */

static inline int64_t most_of(const int64_t *v)
{
	int64_t four[4], most;

	SIMD for (int c = 0; c < 4; c++) four[c] = v[c] > v[c + 4] ? v[c] : v[c + 4];
	most = four[0] > four[2] ? four[0] : four[2];
	four[1] = four[1] > four[3] ? four[1] : four[3];
	return most > four[1] ? most : four[1];
}

#define EIGHTS(a, n) for (int32_t a = 0; a < n; a += GPUBE__ROW_STEP)
#define EACH(c)      SIMD for (int c = 0; c < GPUBE__ROW_STEP; c++)

static void range(const int64_t *restrict cost, int32_t n, int64_t *least, int64_t *most)
{
	int64_t low[GPUBE__ROW_STEP], high[GPUBE__ROW_STEP];

	EACH(c) low[c] = -INT64_MAX;
	EACH(c) high[c] = 0;
	EIGHTS(a, n)
	{
		EACH(c) low[c] = -cost[a + c] > low[c] ? -cost[a + c] : low[c];
		EACH(c)
		{
			const int64_t live = cost[a + c] < GPUBE__ROW_GONE ? cost[a + c] : 0;

			high[c] = live > high[c] ? live : high[c];
		}
	}
	*least = -most_of(low);
	*most = most_of(high);
}

static void lower(int64_t *restrict cost, int32_t n, int64_t less)
{
	EIGHTS(a, n)
	EACH(c) cost[a + c] -= less;
}

static int64_t lacking(
	int64_t *restrict m, const int64_t *restrict cost, const int64_t *restrict moved, int32_t n)
{
	int64_t most[GPUBE__ROW_STEP];

	EACH(c) most[c] = 0;
	EIGHTS(a, n)
	EACH(c)
	{
		const int64_t left = m[a + c] - moved[a + c];
		const int64_t v = m[a + c] > GPUBE__ROW_OUT_OF_REACH ? GPUBE__ROW_FORBIDDEN : left;
		const int64_t live = cost[a + c] < GPUBE__ROW_GONE ? v : 0;

		m[a + c] = live;
		most[c] = live > most[c] ? live : most[c];
	}
	return most_of(most);
}

static bool rise(int64_t *restrict cost, int64_t *restrict moved, const int64_t *restrict m,
	int32_t n, int64_t up_to, int64_t most)
{
	int64_t any[GPUBE__ROW_STEP];

	EACH(c) any[c] = 0;
	EIGHTS(a, n)
	EACH(c)
	{
		const int64_t all = cost[a + c], was = moved[a + c], room = up_to - all;
		const int64_t want = m[a + c] < room ? m[a + c] : room,
			      live = all < GPUBE__ROW_GONE ? want : 0;
		const int64_t some = live > 0 ? live : 0, more = was + some < most ? some : 0;

		moved[a + c] = was + more;
		cost[a + c] = all + more;
		any[c] |= more;
	}
	return most_of(any) > 0;
}

static void fall(int64_t *restrict cost, int64_t *restrict moved, int32_t n, int64_t most)
{
	EIGHTS(a, n)
	EACH(c)
	{
		const int64_t all = cost[a + c], was = moved[a + c],
			      live = all < GPUBE__ROW_GONE ? all : 0;
		const int64_t less = was - live > -most ? live : 0;

		moved[a + c] = was - less;
		cost[a + c] = all - less;
	}
}

static bool is_more(const int64_t *restrict cost, const int64_t *restrict was, int32_t n)
{
	int64_t any[GPUBE__ROW_STEP];

	EACH(c) any[c] = 0;
	EIGHTS(a, n)
	EACH(c)
	{
		const int64_t live = cost[a + c] < GPUBE__ROW_GONE ? cost[a + c] - was[a + c] : 0;

		any[c] = live > any[c] ? live : any[c];
	}
	return most_of(any) > 0;
}

#define ALL_LOOPS                                                                                  \
	{                                                                                          \
		pull, join, least_in_columns, least_in_narrow, range, lower, lacking, rise, fall,  \
			is_more                                                                    \
	}
