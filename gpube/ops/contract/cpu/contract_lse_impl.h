/*
 * contract_lse_impl.h - the logsumexp kernel and its e^x, of one float type and
 * instruction set; see contract_type_impl.h.
 */

/*
 * e^v for v <= 0; below -87 (float64: -708) and for -infinity it is that of the limit,
 * which vanishes beside the e^0 that every sum has. Cody-Waite reduction to |r| <= ln2/2 and
 * the Taylor series there: relative error below 2 ulp.
 */
static INLINE V X(vexp)(V v)
{
	static const double term[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800,
		1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120,
		1.0 / 24, 1.0 / 6, 0.5, 1, 1};
	const bool single = sizeof(T) == 4;
	/* ln 2 in two parts, n * the first of which is exact */
	const T high = single ? (T)0.693359375 : (T)6.93147180369123816490e-01;
	const T low = single ? (T)-2.12194440e-4 : (T)1.90821492927058770002e-10;
	const int from = single ? 6 : 0;
	V n, r, p;

	v = MAXV(v, SET1((T)(single ? -87 : -708)));
	n = NAME(rint)(NAME(mul)(v, SET1((T)1.4426950408889634074)));
	r = NAME(fma)(n, SET1(-high), v);
	r = NAME(fma)(n, SET1(-low), r);
	p = SET1((T)term[from]);
	UNROLL for (int i = from + 1; i < 14; i++) p = NAME(fma)(p, r, SET1((T)term[i]));
	return NAME(scale)(p, n);
}

/*
 * Two passes over x: the largest sum, then the sum of e^(sum - largest); the
 * running pair (out, extra) of earlier tiles is rescaled to the larger of both.
 */
static INLINE void X(lse_block)(const struct gpube__tile *t, int64_t i, int64_t j, const int R)
{
	const T *a = (const T *)t->a + i;
	const T *b = (const T *)t->b + j;
	const T *c = t->c ? (const T *)t->c + j : NULL;
	T *out = (T *)t->out + i * t->extra_i + j, *extra = (T *)t->extra + i * t->extra_i + j;
	const M m = MASK(t->nj - j);
	V top[4], sum[4], safe[4];

	UNROLL for (int r = 0; r < R; r++) top[r] = SET1(-INFINITY);
#define LSE_SUM(r, x)                                                                              \
	ADD(ADD(t->b ? LOADM(m, b + (x) * t->b_x) : SET1((T)0),                                    \
		    t->c ? LOADM(m, c + (x) * t->c_x + t->c_rows[i + (r)]) : SET1((T)0)),                \
		SET1(t->a ? a[(x) * t->a_x + (r)] : (T)0))
	for (int64_t x = 0; x < t->nx; x++)
		UNROLL for (int r = 0; r < R; r++) top[r] = MAXV(top[r], LSE_SUM(r, x));
	UNROLL for (int r = 0; r < R; r++)
	{
		V old = t->first ? SET1(-INFINITY) : LOAD(out + r * t->extra_i);

		top[r] = MAXV(top[r], old);
		/* all of it -infinity: anything finite avoids their difference */
		safe[r] = MAXV(top[r], SET1((T)(sizeof(T) == 4 ? -FLT_MAX : -DBL_MAX)));
		sum[r] = SET1((T)0);
		if (!t->first)
			sum[r] = NAME(mul)(LOAD(extra + r * t->extra_i), X(vexp)(NAME(sub)(old, safe[r])));
	}
	for (int64_t x = 0; x < t->nx; x++)
		UNROLL for (int r = 0; r < R; r++) sum[r] =
			ADD(sum[r], X(vexp)(NAME(sub)(LSE_SUM(r, x), safe[r])));
#undef LSE_SUM
	UNROLL for (int r = 0; r < R; r++)
	{
		STORE(out + r * t->extra_i, top[r]);
		STORE(extra + r * t->extra_i, sum[r]);
	}
}

static void X(tile_lse)(const struct gpube__tile *t)
{
	int64_t i = 0;

	for (; i + 4 <= t->ni; i += 4)
		for (int64_t j = 0; j < t->nj; j += W)
			X(lse_block)(t, i, j, 4);
	for (; i < t->ni; i++)
		for (int64_t j = 0; j < t->nj; j += W)
			X(lse_block)(t, i, j, 1);
}
