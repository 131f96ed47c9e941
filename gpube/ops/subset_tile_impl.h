/*
 * subset_tile_impl.h - the kernels of one value type on one instruction set. The
 * file that includes it defines
 *
 *   T, X(name)           value type, and names of its functions
 *   V, LANES             vector, values in it
 *   V_LOAD(p) V_STORE(p, v) V_SET(x) V_ADD(a, b) V_MAX(a, b)    p: T *, any alignment
 *   LOWEST               below every sum, or equal to it
 *   GROUP_BITS           2 or 3: bits that live in registers
 *   SHUFFLES             set up by SHUFFLE_INIT(s, map), a LANES part of a map;
 *   SHUFFLE(s, p)        the vector of p[map[i]]
 */

#define COLUMNS ((GPUBE_TERNARY + LANES - 1) / LANES)
#define GROUP	(1 << GROUP_BITS)

static void X(clear)(void *c, int mid)
{
	const V lowest = V_SET(LOWEST);
	T *p = c;

	for (int64_t i = 0; i < ((int64_t)COLUMNS << mid); i++)
		V_STORE(p + i * LANES, lowest);
}

static inline void X(expand)(T *to, const T *from, const uint8_t *map, int mid)
{
	SHUFFLES s;

	SHUFFLE_INIT(s, map);
	for (int64_t i = 0; i < ((int64_t)1 << mid); i++)
		V_STORE(to + i * LANES, SHUFFLE(s, from + i * GPUBE_LANES));
}

#define A(y)	a##y
#define B(z)	b##z
#define P(y, z) V_ADD(A(y), B(z))
#define M(p, q) V_MAX(p, q)

/* One group of X: c[0 .. GROUP) over the subsets y of x; a, b, c are indexed by groups. */
static inline void X(group)(T *c, const T *a, const T *b, unsigned x)
{
	V c0 = V_LOAD(c), c1 = V_LOAD(c + LANES), c2 = V_LOAD(c + 2 * LANES),
	  c3 = V_LOAD(c + 3 * LANES);
#if GROUP_BITS == 3
	V c4 = V_LOAD(c + 4 * LANES), c5 = V_LOAD(c + 5 * LANES), c6 = V_LOAD(c + 6 * LANES),
	  c7 = V_LOAD(c + 7 * LANES);
#endif

	for (unsigned y = x;; y = (y - 1) & x) {
		const T *p = a + (size_t)y * GROUP * LANES;
		const T *q = b + (size_t)(x ^ y) * GROUP * LANES;
		V a0 = V_LOAD(p), a1 = V_LOAD(p + LANES), a2 = V_LOAD(p + 2 * LANES),
		  a3 = V_LOAD(p + 3 * LANES);
		V b0 = V_LOAD(q), b1 = V_LOAD(q + LANES), b2 = V_LOAD(q + 2 * LANES),
		  b3 = V_LOAD(q + 3 * LANES);
#if GROUP_BITS == 3
		V a4 = V_LOAD(p + 4 * LANES), a5 = V_LOAD(p + 5 * LANES),
		  a6 = V_LOAD(p + 6 * LANES), a7 = V_LOAD(p + 7 * LANES);
		V b4 = V_LOAD(q + 4 * LANES), b5 = V_LOAD(q + 5 * LANES),
		  b6 = V_LOAD(q + 6 * LANES), b7 = V_LOAD(q + 7 * LANES);
#endif

		/* maxima as trees: the chain through an accumulator is one step long */
		c0 = M(c0, P(0, 0));
		c1 = M(c1, M(P(0, 1), P(1, 0)));
		c2 = M(c2, M(P(0, 2), P(2, 0)));
		c3 = M(c3, M(M(P(0, 3), P(3, 0)), M(P(1, 2), P(2, 1))));
#if GROUP_BITS == 3
		c4 = M(c4, M(P(0, 4), P(4, 0)));
		c5 = M(c5, M(M(P(0, 5), P(5, 0)), M(P(1, 4), P(4, 1))));
		c6 = M(c6, M(M(P(0, 6), P(6, 0)), M(P(2, 4), P(4, 2))));
		c7 = M(c7, M(M(M(P(0, 7), P(7, 0)), M(P(1, 6), P(6, 1))),
			     M(M(P(2, 5), P(5, 2)), M(P(3, 4), P(4, 3)))));
#endif
		if (y == 0)
			break;
	}
	V_STORE(c, c0);
	V_STORE(c + LANES, c1);
	V_STORE(c + 2 * LANES, c2);
	V_STORE(c + 3 * LANES, c3);
#if GROUP_BITS == 3
	V_STORE(c + 4 * LANES, c4);
	V_STORE(c + 5 * LANES, c5);
	V_STORE(c + 6 * LANES, c6);
	V_STORE(c + 7 * LANES, c7);
#endif
}

#undef A
#undef B
#undef P
#undef M

/*
 * One column of vectors, without a shuffle: lanes are independent subset
 * convolutions over the 'mid' bits, in pieces whose three arrays fit the
 * first-level cache.
 */
static void X(column)(T *c, const T *a, const T *b, int mid)
{
	const int groups = mid - GROUP_BITS, inner = groups < 3 ? groups : 3;
	const unsigned n_outer = 1u << (groups - inner), n_inner = 1u << inner;
	const size_t piece = (size_t)n_inner * GROUP * LANES;

	for (unsigned x = 0; x < n_outer; x++) {
		for (unsigned y = x;; y = (y - 1) & x) {
			for (unsigned i = 0; i < n_inner; i++)
				X(group)(c + x * piece + (size_t)i * GROUP * LANES, a + y * piece,
					b + (x ^ y) * piece, i);
			if (y == 0)
				break;
		}
	}
}

static void X(add)(void *c, const void *a, const void *b, int mid, void *spare,
	const struct gpube__tile_maps *maps)
{
	T *ea = spare, *eb = ea + ((size_t)LANES << mid);

	for (int q = 0; q < COLUMNS; q++) {
		X(expand)(ea, a, maps->map[0] + q * LANES, mid);
		X(expand)(eb, b, maps->map[1] + q * LANES, mid);
		X(column)((T *)c + ((size_t)q * LANES << mid), ea, eb, mid);
	}
}

/* The highest digit first: t[0 .. run) of its bit 0, the better of two runs of its bit 1. */
static inline void X(fold)(T *to, const T *t, int run)
{
	for (int i = 0; i < run; i++) {
		T p = t[run + i], q = t[2 * run + i];

		to[i] = t[i];
		to[run + i] = p > q ? p : q;
	}
}

static void X(reduce)(void *out, const void *c, int mid)
{
	T t[COLUMNS * LANES], r4[2 * 81], r3[4 * 27], r2[8 * 9], r1[16 * 3];

	for (int64_t i = 0; i < ((int64_t)1 << mid); i++) {
		T *o = (T *)out + i * GPUBE_LANES;

		for (int q = 0; q < COLUMNS; q++) {
			const T *from = (const T *)c + ((((int64_t)q << mid) + i) * LANES);

			V_STORE(t + q * LANES, V_LOAD(from));
		}
		X(fold)(r4, t, 81);
		for (int k = 0; k < 2; k++)
			X(fold)(r3 + k * 54, r4 + k * 81, 27);
		for (int k = 0; k < 4; k++)
			X(fold)(r2 + k * 18, r3 + k * 27, 9);
		for (int k = 0; k < 8; k++)
			X(fold)(r1 + k * 6, r2 + k * 9, 3);
		for (int k = 0; k < 16; k++)
			X(fold)(o + k * 2, r1 + k * 3, 1);
	}
}

#undef COLUMNS
#undef GROUP
#undef T
#undef X
#undef V
#undef LANES
#undef V_LOAD
#undef V_STORE
#undef V_SET
#undef V_ADD
#undef V_MAX
#undef LOWEST
#undef SHUFFLES
#undef SHUFFLE_INIT
#undef SHUFFLE
