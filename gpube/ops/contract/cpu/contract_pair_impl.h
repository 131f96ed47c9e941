/*
 * contract_pair_impl.h - tiles of at most half a vector of lanes, two rows to a vector; of one
 * type, one of min and max, see contract_tile_impl.h. Needs the functions
 *
 *	NAME(mask_half)(n)		of type H: the first n lanes of half a vector
 *	NAME(load_pair)(m, p, q)	lanes of two rows, in turn: p[0], q[0], p[1], q[1], …
 *	NAME(store_pair)(m, p, q, v)	and back; NAME(stream_pair)(p, q, v): whole halves, aligned
 *	NAME(set_pair)(p)		p[0], p[1], p[0], p[1], …
 *
 * Two neighbouring cells of A, for two neighbouring rows, are one broadcast of twice the width:
 * with lanes in turn it costs no more than one cell does, and all lanes are in use.
 *
 * Shape: rows i and i + period, which is even, have the same row of C, so that up to eight
 * pairs of rows, a period apart, share a vector of C.
 * Ops: an add and a min a vector, and a permutation for eight of them.
 */

/* Accumulators of R pairs of rows, 'period' rows apart, from row i on. */
static INLINE void X(pair_block)(const struct gpube__tile *t, int64_t i, int64_t period, const int R)
{
	const H m = NAME(mask_half)(t->nj);
	const T *a0 = (const T *)t->a + i, *c0 = (const T *)t->c + t->c_rows[i];
	const T *c1 = (const T *)t->c + t->c_rows[i + 1];
	const int64_t *rows = t->out_rows + i;
	/* three bases reach all of eight rows by what an address can scale */
	const T *a3 = a0 + 3 * period, *a6 = a0 + 6 * period;
	V acc[8];

#define X_CELLS(r)                                                                                 \
	((r) == 3 || (r) == 5 ? a3 + ((r)-3) * period                                              \
			      : (r) >= 6 ? a6 + ((r)-6) * period : a0 + (r)*period)
	{
		const V c = NAME(load_pair)(m, c0, c1);

		UNROLL for (int r = 0; r < R; r++) acc[r] = ADD(c, NAME(set_pair)(X_CELLS(r)));
	}
	for (int64_t x = 1; x < t->nx; x++) {
		V c;

		a0 += t->a_x;
		a3 += t->a_x;
		a6 += t->a_x;
		c0 += t->c_x;
		c1 += t->c_x;
		c = NAME(load_pair)(m, c0, c1);
		UNROLL for (int r = 0; r < R; r++)
			acc[r] = BEST(acc[r], ADD(c, NAME(set_pair)(X_CELLS(r))));
	}
#undef X_CELLS
#define X_EACH UNROLL for (int r = 0; r < R; r++)
#define X_OUT(n) ((T *)t->out + rows[r * period + (n)])
	if (!t->first) {
		X_EACH acc[r] = BEST(acc[r], NAME(load_pair)(m, X_OUT(0), X_OUT(1)));
	}
	if (t->last) {
		const T threshold = (T)t->threshold, cut = (T)t->cut;

		X_EACH acc[r] = CUT(acc[r], threshold, cut);
	}
	if (t->stream) {
		X_EACH NAME(stream_pair)(X_OUT(0), X_OUT(1), acc[r]);
	} else {
		X_EACH NAME(store_pair)(m, X_OUT(0), X_OUT(1), acc[r]);
	}
#undef X_EACH
#undef X_OUT
}

static NOINLINE void X(pairs8)(const struct gpube__tile *t, int64_t i, int64_t period)
{
	X(pair_block)(t, i, period, 8);
}

static NOINLINE void X(pairs4)(const struct gpube__tile *t, int64_t i, int64_t period)
{
	X(pair_block)(t, i, period, 4);
}

/* False if this tile is not of the shape above, or would not gain. */
static bool X(tile_pairs)(const struct gpube__tile *t)
{
	const int64_t period = t->c_period;

	if (!t->a || t->b || !t->c || period % 2 || t->ni % (4 * period))
		return false;
	for (int64_t i = 0; i < period; i += 2) {
		int64_t at = i;

		if (t->ahead)
			gpube__fetch_some(t->ahead, 16);
		for (; at + 8 * period <= t->ni + i; at += 8 * period)
			X(pairs8)(t, at, period);
		for (; at < t->ni; at += 4 * period)
			X(pairs4)(t, at, period);
	}
	return true;
}
