/*
 * subset_tile_sums.h - the additions and maxima of subset_tile_impl.h, which includes
 * this once with NEAR 0 and, where there is a V_TOP, once with NEAR 1.
 *
 * NEAR 0: a split is an addition and a maximum, and GROUP_BITS bits of X, 3^GROUP_BITS
 * splits, are done in registers.
 *
 * NEAR 1: of the highest of those bits, h, a and b hold the values without it, and by
 * how much they change with it: da[Y] = a[Y + h] - a[Y], db likewise. Then
 *
 *     c[X]     = max of s             s = a[Y] + b[X - Y]
 *     c[X + h] = max of s + max(da[Y], db[X - Y])
 *
 * That is five operations for three splits. Sums are shifted so that the least is the
 * kernel's floor. Then they are positive, and positive floating point numbers have the
 * order of their bits. So V_TOP may be a maximum of floating point numbers, for which
 * some processors have more ports than for one of integers.
 */
#define PIECE_BITS 4
#define PIECE      (1 << PIECE_BITS) /* groups: 8 KiB of 512-bit vectors */

#if NEAR
#define N(name)   X(near_##name)
#define TOP(a, b) V_TOP(a, b)
#define BOTTOM    0
#else
#define N(name)   X(name)
#define TOP(a, b) V_MAX(a, b)
#define BOTTOM    LOWEST
#endif

static void N(clear)(void *c, int mid)
{
	const V bottom = V_SET(BOTTOM);
	T *p = c;

	for (int64_t i = 0; i < ((int64_t)COLUMNS << mid); i++)
		V_STORE(p + i * LANES, bottom);
}

/*
 * The expansion of one column of a and b, a group of vectors at a time. The second-level
 * cache bounds it, so it goes between the sums of the column before. It does so at the
 * same places of each piece, which the processor's branch prediction learns.
 */
struct N(expansion) {
	struct N(side) {
		T *to;
		const T *from;
		X(SHUFFLES) shuffle;
		T shift;
	} now, then;           /* a first, then b */
	int64_t left, of_side; /* groups */
};

/* Vector i of a group, and the one with the group's highest bit. */
INLINE void N(expand_pair)(const struct N(side) * s, int i)
{
	const int k = i + GROUP / 2;
	const V low = SHUFFLE(s->shuffle, s->from + i * GPUBE_LANES);
	const V high = SHUFFLE(s->shuffle, s->from + k * GPUBE_LANES);

#if NEAR
	V_STORE(s->to + i * LANES, V_ADD(low, V_SET(s->shift)));
	V_STORE(s->to + k * LANES, V_SUB(high, low));
#else
	V_STORE(s->to + i * LANES, low);
	V_STORE(s->to + k * LANES, high);
#endif
}

/* not inline, nor is column(): the sums need all registers */
INLINE void N(expand_group)(struct N(expansion) * e)
{
	struct N(side) *s = &e->now;

	N(expand_pair)(s, 0);
	N(expand_pair)(s, 1);
#if GROUP_BITS == 3
	N(expand_pair)(s, 2);
	N(expand_pair)(s, 3);
#endif
	s->from += GROUP * GPUBE_LANES;
	s->to += GROUP * LANES;
	if (--e->left == e->of_side)
		*s = e->then;
}

#define A(y)    V_LOAD(p + (y)*LANES)
#define B(z)    V_LOAD(q + (z)*LANES)
#define P(y, z) V_ADD(A(y), B(z))
#define M(s, t) TOP(s, t)
#if NEAR
/* s: P(y, z) */
#define D(s, y, z) V_ADD(s, V_MAX(A((y) + GROUP / 2), B((z) + GROUP / 2)))
#endif

/* One group of X: c[0 .. GROUP) over the subsets y of x; a, b, c are indexed by groups. */
static inline void N(group)(T *c, const T *a, const T *b, unsigned x)
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

		/* maxima as trees: the chain through an accumulator is one step long */
#if NEAR
		const V s00 = P(0, 0), s01 = P(0, 1), s10 = P(1, 0);
#if GROUP_BITS == 3
		const V s02 = P(0, 2), s20 = P(2, 0);
		const V s03 = P(0, 3), s30 = P(3, 0), s12 = P(1, 2), s21 = P(2, 1);

		c4 = M(c4, D(s00, 0, 0));
		c5 = M(c5, M(D(s01, 0, 1), D(s10, 1, 0)));
		c6 = M(c6, M(D(s02, 0, 2), D(s20, 2, 0)));
		c7 = M(c7, M(M(D(s03, 0, 3), D(s30, 3, 0)), M(D(s12, 1, 2), D(s21, 2, 1))));
		c2 = M(c2, M(s02, s20));
		c3 = M(c3, M(M(s03, s30), M(s12, s21)));
#else
		c2 = M(c2, D(s00, 0, 0));
		c3 = M(c3, M(D(s01, 0, 1), D(s10, 1, 0)));
#endif
		c0 = M(c0, s00);
		c1 = M(c1, M(s01, s10));
#else
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
#undef D

/*
 * One column of vectors, without a shuffle: lanes are independent subset
 * convolutions over the 'mid' bits, in pieces whose three arrays fit the
 * first-level cache. Meanwhile the next column is expanded.
 */
static __attribute__((noinline)) void N(column)(
	T *c, const T *a, const T *b, int mid, struct N(expansion) * next)
{
	const int groups = mid - GROUP_BITS, inner = groups < PIECE_BITS ? groups : PIECE_BITS;
	const unsigned n_outer = 1u << (groups - inner), n_inner = 1u << inner;
	const size_t piece = (size_t)n_inner * GROUP * LANES;
	const int64_t pairs = (int64_t)gpube__pow3(groups - inner);
	const int64_t of_pair = (next->left + pairs - 1) / pairs;
	int64_t due[PIECE]; /* expansions in a pair of pieces, up to each of its groups */

	for (unsigned i = 0; i < n_inner; i++)
		due[i] = (of_pair * (i + 1) + n_inner - 1) / n_inner;
	for (unsigned x = 0; x < n_outer; x++) {
		for (unsigned y = x;; y = (y - 1) & x) {
			int64_t done = next->left ? 0 : of_pair;

			for (unsigned i = 0; i < n_inner; i++) {
				for (; done < due[i] && next->left; done++)
					N(expand_group)(next);
				N(group)
				(c + x * piece + (size_t)i * GROUP * LANES, a + y * piece,
					b + (x ^ y) * piece, i);
			}
			if (y == 0)
				break;
		}
	}
}

/* Begins the expansion of column q of a pair of tiles: that of b is behind that of a. */
static void N(begin)(struct N(expansion) * e, T *to, const void *a, const void *b, int q, int mid,
	const struct gpube__tile_maps *maps)
{
	e->now = (struct N(side)){.to = to, .from = a, .shift = (T)maps->shift};
	e->then = (struct N(side)){.to = to + ((size_t)LANES << mid), .from = b};
	X(SHUFFLE_INIT)(e->now.shuffle, maps->map[0] + q * LANES);
	X(SHUFFLE_INIT)(e->then.shuffle, maps->map[1] + q * LANES);
	e->of_side = (int64_t)1 << (mid - GROUP_BITS);
	e->left = 2 * e->of_side;
}

static void N(add)(void *c, struct gpube__tile_pair *pair, int mid, void *spare,
	const struct gpube__tile_maps *maps)
{
	const size_t size = (size_t)LANES << mid;
	T *const buffers = spare, *now = pair->ready ? pair->ready : spare;
	struct N(expansion) next = {.left = 0};

	if (!pair->ready) {
		N(begin)(&next, now, pair->a, pair->b, 0, mid, maps);
		while (next.left)
			N(expand_group)(&next);
	}
	for (int q = 0; q < COLUMNS; q++) {
		T *const then = now == buffers ? buffers + 2 * size : buffers;

		if (q + 1 < COLUMNS)
			N(begin)(&next, then, pair->a, pair->b, q + 1, mid, maps);
		else if (pair->next_a)
			N(begin)(&next, then, pair->next_a, pair->next_b, 0, mid, maps);
		N(column)((T *)c + (size_t)q * size, now, now + size, mid, &next);
		while (next.left)
			N(expand_group)(&next);
		now = then;
	}
	pair->ready = pair->next_a ? now : NULL;
}

static void N(reduce)(void *out, const void *c, int mid, const struct gpube__tile_maps *maps)
{
	struct X(folding) f;

	X(folding_init)(&f, maps);
	for (int64_t i = 0; i < ((int64_t)1 << mid); i += GROUP) {
		for (int q = 0; q < COLUMNS; q++) {
			const T *from = (const T *)c + (((int64_t)q << mid) + i) * LANES;

			for (int k = 0; k < GROUP; k++) {
				V v = V_LOAD(from + k * LANES);

#if NEAR
				v = V_SUB(v, V_SET((T)maps->shift));
#endif
				V_STORE(f.a[k] + q * LANES, v);
			}
		}
		X(fold_all)((T *)out + i * GPUBE_LANES, &f);
	}
}

#undef PIECE
#undef PIECE_BITS
#undef N
#undef TOP
#undef BOTTOM
#undef NEAR
