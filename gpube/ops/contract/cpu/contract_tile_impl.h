/*
 * contract_tile_impl.h - the tile kernels of one type, one of min and max, one
 * instruction set. Beyond contract_type_impl.h it needs X(name), BEST(a, b),
 * TOP(v, threshold, top) and ARGBEST(best, at, v, x).
 *
 * Shape: ni * nj outputs, nx reduced cells. Rows of 8 share each vector of B;
 * a vector of A is one broadcast load. Ops: for a joined cell one min, and one add
 * less than there are kinds. With AVX-512 the bound is one of each a cycle and
 * vector; loads, of which there are at most 2 a cycle, stay below it.
 */

/* Accumulators of R rows by NV vectors from (i, j). Without 'full', one vector under a mask. */
static INLINE void X(block)(const struct gpube__tile *t, int64_t i, int64_t j, const int R,
	const int NV, const bool full, const bool has_a, const bool has_b, const bool has_c)
{
	const T *a = has_a ? (const T *)t->a + i : NULL;
	const T *b = has_b ? (const T *)t->b + j : NULL;
	const T *c = has_c ? (const T *)t->c + j : NULL;
	T *out = (T *)t->out + j;
	const M m = MASK(t->nj - j);
	const int64_t *rows = t->out_rows + i;
	int64_t c_row[8];
	V acc[8];

	if (has_c)
		UNROLL for (int r = 0; r < R; r++) c_row[r] = t->c_rows[i + r];
#define X_STEP(FIRST)                                                                              \
	UNROLL for (int v = 0; v < NV; v++)                                                        \
	{                                                                                          \
		V vb;                                                                              \
		if (has_b)                                                                         \
			vb = full ? LOAD(b + v * W) : LOADM(m, b);                                 \
		UNROLL for (int r = 0; r < R; r++)                                                 \
		{                                                                                  \
			V s;                                                                       \
			if (has_c) {                                                               \
				s = full ? LOAD(c + c_row[r] + v * W) : LOADM(m, c + c_row[r]);    \
				if (has_b)                                                         \
					s = ADD(s, vb);                                            \
				if (has_a)                                                         \
					s = ADD(s, SET1(a[r]));                                    \
			} else {                                                                   \
				s = ADD(vb, SET1(a[r]));                                           \
			}                                                                          \
			acc[r * NV + v] = FIRST ? s : BEST(acc[r * NV + v], s);                    \
		}                                                                                  \
	}
	X_STEP(true)
	for (int64_t x = 1; x < t->nx; x++) {
		if (has_a)
			a += t->a_x;
		if (has_b)
			b += t->b_x;
		if (has_c)
			c += t->c_x;
		X_STEP(false)
	}
#undef X_STEP
	/* all unrolled, or the accumulators would live in memory */
#define X_EACH                                                                                     \
	for (int r = 0; r < R; r++)                                                                \
	UNROLL for (int v = 0; v < NV; v++)
#define X_OUT (out + rows[r] + v * W)
	if (!t->first) {
		UNROLL X_EACH acc[r * NV + v] =
			BEST(acc[r * NV + v], full ? LOAD(X_OUT) : LOADM(m, X_OUT));
	}
	if (t->last) {
		const T threshold = (T)t->threshold, top = (T)t->top;

		UNROLL X_EACH acc[r * NV + v] = TOP(acc[r * NV + v], threshold, top);
	}
	if (!full) {
		UNROLL X_EACH STOREM(X_OUT, m, acc[r * NV + v]);
	} else if (t->stream) {
		UNROLL X_EACH STREAM(X_OUT, acc[r * NV + v]);
	} else {
		UNROLL X_EACH STORE(X_OUT, acc[r * NV + v]);
	}
#undef X_EACH
#undef X_OUT
}

/* One function for each number of rows and set of kinds keeps the register allocation simple. */
#define ROWS(KINDS, R, NV, A, B, C)                                                                \
	static NOINLINE void X(rows##R##_##KINDS)(const struct gpube__tile *t, int64_t i)          \
	{                                                                                          \
		int64_t j = 0;                                                                     \
                                                                                                   \
		for (; j + NV * W <= t->nj; j += NV * W)                                           \
			X(block)(t, i, j, R, NV, true, A, B, C);                                   \
		for (; NV > 1 && j + W <= t->nj; j += W)                                           \
			X(block)(t, i, j, R, 1, true, A, B, C);                                    \
		if (j < t->nj)                                                                     \
			X(block)(t, i, j, R, 1, false, A, B, C);                                   \
	}
#if MANY_REGISTERS
#define ROWS8(KINDS, A, B, C) ROWS(KINDS, 8, 1, A, B, C)
#define CALL8(KINDS)                                                                               \
	for (; i + 8 <= t->ni; i += 8)                                                             \
		X(rows8_##KINDS)(t, i);
#else
#define ROWS8(KINDS, A, B, C)
#define CALL8(KINDS)
#endif
#define TILE_KINDS(NAME, A, B, C)                                                                  \
	ROWS8(NAME, A, B, C)                                                                       \
	ROWS(NAME, 4, 1, A, B, C)                                                                  \
	ROWS(NAME, 2, 2, A, B, C)                                                                  \
	ROWS(NAME, 1, 4, A, B, C)                                                                  \
	static void X(tile_##NAME)(const struct gpube__tile *t)                                    \
	{                                                                                          \
		int64_t i = 0;                                                                     \
                                                                                                   \
		CALL8(NAME)                                                                        \
		for (; i + 4 <= t->ni; i += 4)                                                     \
			X(rows4_##NAME)(t, i);                                                     \
		for (; i + 2 <= t->ni; i += 2)                                                     \
			X(rows2_##NAME)(t, i);                                                     \
		for (; i < t->ni; i++)                                                             \
			X(rows1_##NAME)(t, i);                                                     \
	}

/* KINDS for each set of kinds that a tile can have, and FUNCTION, which calls that of its set. */
#define ALL_KINDS(FUNCTION, KINDS)                                                                 \
	KINDS(ab, true, true, false)                                                               \
	KINDS(ac, true, false, true)                                                               \
	KINDS(bc, false, true, true)                                                               \
	KINDS(c, false, false, true)                                                               \
	KINDS(abc, true, true, true)                                                               \
	static void X(FUNCTION)(const struct gpube__tile *t)                                       \
	{                                                                                          \
		if (!t->c)                                                                         \
			X(FUNCTION##_ab)(t);                                                       \
		else if (t->a && t->b)                                                             \
			X(FUNCTION##_abc)(t);                                                      \
		else if (t->a)                                                                     \
			X(FUNCTION##_ac)(t);                                                       \
		else if (t->b)                                                                     \
			X(FUNCTION##_bc)(t);                                                       \
		else                                                                               \
			X(FUNCTION##_c)(t);                                                        \
	}
ALL_KINDS(tile, TILE_KINDS)

/* ---- with arguments: a strictly better value takes the place, so the first x stays --------- */

static INLINE void X(arg_block)(const struct gpube__tile *t, int64_t i, int64_t j, const int R,
	const bool has_a, const bool has_b, const bool has_c)
{
	const T *a = has_a ? (const T *)t->a + i : NULL;
	const T *b = has_b ? (const T *)t->b + j : NULL;
	const T *c = has_c ? (const T *)t->c + j : NULL;
	T *out = (T *)t->out + i * t->extra_i + j;
	T *arg = (T *)t->extra + i * t->extra_i + j;
	const M m = MASK(t->nj - j);
	V best[4];
	V at[4];

	/*
	 * Outputs and arguments are tiles of the executor's, padded to whole vectors. What
	 * they hold before the first x does not matter: it takes their place.
	 */
	UNROLL for (int r = 0; r < R; r++)
	{
		best[r] = LOAD(out + r * t->extra_i);
		at[r] = LOAD(arg + r * t->extra_i);
	}
	for (int64_t x = 0; x < t->nx; x++) {
		const V vx = SET1((T)(t->arg_base + gpube__axis_at(&t->arg, x)));
		V vb;

		if (has_b)
			vb = LOADM(m, b);
		UNROLL for (int r = 0; r < R; r++)
		{
			V s;

			if (has_c) {
				s = LOADM(m, c + t->c_rows[i + r]);
				if (has_b)
					s = ADD(s, vb);
				if (has_a)
					s = ADD(s, SET1(a[r]));
			} else {
				s = ADD(vb, SET1(a[r]));
			}
			if (x == 0 && t->first) {
				best[r] = s;
				at[r] = vx;
			} else {
				ARGBEST(best[r], at[r], s, vx);
			}
		}
		if (has_a)
			a += t->a_x;
		if (has_b)
			b += t->b_x;
		if (has_c)
			c += t->c_x;
	}
	UNROLL for (int r = 0; r < R; r++)
	{
		STORE(out + r * t->extra_i, best[r]);
		STORE(arg + r * t->extra_i, at[r]);
	}
}

#define ARG_KINDS(NAME, A, B, C)                                                                   \
	static NOINLINE void X(tile_arg_##NAME)(const struct gpube__tile *t)                       \
	{                                                                                          \
		int64_t i = 0;                                                                     \
                                                                                                   \
		for (; i + 4 <= t->ni; i += 4)                                                     \
			for (int64_t j = 0; j < t->nj; j += W)                                     \
				X(arg_block)(t, i, j, 4, A, B, C);                                 \
		for (; i < t->ni; i++)                                                             \
			for (int64_t j = 0; j < t->nj; j += W)                                     \
				X(arg_block)(t, i, j, 1, A, B, C);                                 \
	}
ALL_KINDS(tile_arg, ARG_KINDS)

/* ---- a tile's row to the output -------------------------------------------------------------- */

static void X(store_row)(
	void *to, const void *tile, int64_t n, int64_t threshold, int64_t top, bool stream)
{
	const T *from = tile, t = (T)threshold, c = (T)top;
	T *out = to;
	int64_t j = 0;

	if (stream) {
		for (; j + W <= n; j += W)
			STREAM(out + j, TOP(LOAD(from + j), t, c));
	} else {
		for (; j + W <= n; j += W)
			STORE(out + j, TOP(LOAD(from + j), t, c));
	}
	if (j < n)
		/* a tile's rows are whole vectors */
		STOREM(out + j, MASK(n - j), TOP(LOAD(from + j), t, c));
}

#undef ROWS
#undef ROWS8
#undef CALL8
#undef TILE_KINDS
#undef ARG_KINDS
#undef ALL_KINDS
