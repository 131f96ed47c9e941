/*
 * contract_fold_impl.h - tiles whose fastest lanes are reduced, too: t->fold neighbours make one
 * output, so that an operand whose eliminated variable is its last one is read as it lies; of one
 * type, one of min and max, see contract_tile_impl.h. Needs also WORST, of which no sum is worse.
 *
 * Shape: W outputs at a time, one vector of sums each, folded into one vector of outputs.
 * Ops: for W outputs W loads of C, W adds of B, W - 1 mins; where HALVES is set 2 (W - 1) moves of
 * lanes between vectors. The other way, to turn W vectors of C and then to reduce, takes W log W
 * moves, and a store and a load of all of C.
 */

/* Reduces each of W vectors to one lane: that of v[l] becomes lane l. */
static INLINE V X(fold_vectors)(V *v)
{
#if HALVES
	/* log W steps, spelled out, or the vectors would live in memory */
#define X_HALVE(STEP)                                                                              \
	UNROLL for (int i = 0; i < W >> (STEP + 1); i++)                                           \
	{                                                                                          \
		V low, high;                                                                       \
                                                                                                   \
		NAME(halves)(STEP, v[2 * i], v[2 * i + 1], &low, &high);                           \
		v[i] = BEST(low, high);                                                            \
	}
	X_HALVE(0)
	X_HALVE(1)
	X_HALVE(2)
	X_HALVE(3)
#undef X_HALVE
#else
	NAME(turn)(v);
	UNROLL for (int l = 1; l < W; l++) v[0] = BEST(v[0], v[l]);
#endif
	return v[0];
}

/*
 * n outputs, W if 'full', of row i from lane j on, j counted in outputs. 'once': a vector holds
 * all that becomes an output.
 */
static INLINE void X(fold_block)(const struct gpube__tile *t, int64_t i, int64_t j, int64_t n,
	const bool full, const bool once, const bool has_b)
{
	const int64_t fold = t->fold;
	const T *c = (const T *)t->c + t->c_rows[i] + j * fold;
	const T *b = has_b ? (const T *)t->b + j * fold : NULL;
	T *out = (T *)t->out + t->out_rows[i] + j;
	const V worst = SET1((T)WORST);
	const M m = MASK(n);
	int64_t l = 0;
	V acc[W], v;

#define X_STEP(FIRST)                                                                              \
	do {                                                                                       \
		const M some = MASK(fold - l);                                                     \
                                                                                                   \
		UNROLL for (int r = 0; r < W; r++)                                                 \
		{                                                                                  \
			V s = worst;                                                               \
                                                                                                   \
			if (full || r < n) {                                                       \
				s = NAME(load_or)(some, c + r * fold + l, worst);                  \
				if (has_b)                                                         \
					s = ADD(s, LOADM(some, b + r * fold + l));                 \
			}                                                                          \
			acc[r] = FIRST ? s : BEST(acc[r], s);                                      \
		}                                                                                  \
	} while (0)
	X_STEP(true);
	for (int64_t x = 0; !once;) {
		for (l += W; l < fold; l += W)
			X_STEP(false);
		if (++x == t->nx)
			break;
		c += t->c_x;
		if (has_b)
			b += t->b_x;
		l = -W;
	}
#undef X_STEP
	v = X(fold_vectors)(acc);
	if (!t->first)
		v = BEST(v, LOADM(m, out));
	if (t->last)
		v = CUT(v, (T)t->threshold, (T)t->cut);
	STOREM(out, m, v);
}

#define FOLD_KINDS(KINDS, ONCE, B)                                                                 \
	static NOINLINE void X(fold_row_##KINDS)(const struct gpube__tile *t, int64_t i)           \
	{                                                                                          \
		const int64_t n = t->nj / t->fold;                                                 \
		int64_t j = 0;                                                                     \
                                                                                                   \
		for (; j + W <= n; j += W)                                                         \
			X(fold_block)(t, i, j, W, true, ONCE, B);                                  \
		if (j < n)                                                                         \
			X(fold_block)(t, i, j, n - j, false, ONCE, B);                             \
	}
FOLD_KINDS(c, false, false)
FOLD_KINDS(bc, false, true)
FOLD_KINDS(c_once, true, false)
FOLD_KINDS(bc_once, true, true)
#undef FOLD_KINDS

static void X(tile_fold)(const struct gpube__tile *t)
{
	const bool once = t->nx == 1 && t->fold <= W;

	for (int64_t i = 0; i < t->ni; i++) {
		if (t->ahead)
			gpube__fetch_some(t->ahead, 8);
		if (once && t->b)
			X(fold_row_bc_once)(t, i);
		else if (once)
			X(fold_row_c_once)(t, i);
		else if (t->b)
			X(fold_row_bc)(t, i);
		else
			X(fold_row_c)(t, i);
	}
}
