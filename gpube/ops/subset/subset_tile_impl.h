/*
 * subset_tile_impl.h - the kernels of one value type on one instruction set. The
 * file that includes it defines
 *
 *   T, U, X(name)        value type, the type whose sums wrap, and names of its functions
 *   LOWEST               below every sum, or equal to it
 *   VECTOR_BYTES
 *   GROUP_BITS           2 or 3: bits that live in registers
 *   X(MAX)(a, b)         of vectors X(v)
 *   X(SHUFFLES)          set up by X(SHUFFLE_INIT)(s, map), a LANES part of a map;
 *   X(SHUFFLE)(s, p)     the vector of p[map[i]]; may read p[0 .. 32)
 *   SHUFFLES_FAST        if that is a few instructions; LANES is 8 at least
 *
 * and, for kernels of values that lie near each other,
 *
 *   V_TOP(a, b)          the maximum of values from the kernel's 'floor' to that and its 'room'
 *   NEAR_ALONE           no others
 */
typedef T X(v) __attribute__((vector_size(VECTOR_BYTES)));
typedef U X(w) __attribute__((vector_size(VECTOR_BYTES)));

#define INLINE  static inline __attribute__((always_inline))
#define V       X(v)
#define LANES   ((int)(VECTOR_BYTES / sizeof(T)))
#define V_LOAD  X(load)
#define V_STORE X(store)
#define V_SET   X(set)
#define V_ADD   X(plus)
#define V_SUB   X(minus)
#define V_MAX   X(MAX)
#define SHUFFLE X(SHUFFLE)

/* Of any alignment. */
INLINE V X(load)(const T *p)
{
	V v;

	memcpy(&v, p, sizeof(v));
	return v;
}

INLINE void X(store)(T *p, V v)
{
	memcpy(p, &v, sizeof(v));
}

INLINE V X(set)(T x)
{
	return x - (V){0};
}

INLINE V X(plus)(V a, V b)
{
	return (V)((X(w))a + (X(w))b);
}

INLINE V X(minus)(V a, V b)
{
	return (V)((X(w))a - (X(w))b);
}

/* Where there is no instruction for X(MAX) or X(SHUFFLE): a mask, and one lane after the other. */
INLINE V X(larger)(V a, V b)
{
	const __typeof__(a > b) m = a > b;

	return (V)(((__typeof__(m))a & m) | ((__typeof__(m))b & ~m));
}

INLINE V X(picked)(const uint8_t *map, const T *p)
{
	V v = {0};

	for (int i = 0; i < LANES; i++)
		v[i] = p[map[i]];
	return v;
}

#define COLUMNS ((GPUBE_TERNARY + LANES - 1) / LANES)
#define GROUP   (1 << GROUP_BITS)

/*
 * The highest digit first: t[0 .. run) of its bit 0, the better of two runs of its bit 1.
 * Reads and writes up to a vector more than that: runs are folded in rising order.
 */
static inline void X(fold)(T *to, const T *t, int run)
{
	if (run <= 3) {
		for (int i = 0; i < run; i++) {
			T p = t[run + i], q = t[2 * run + i];

			to[i] = t[i];
			to[run + i] = p > q ? p : q;
		}
		return;
	}
	for (int i = 0; i < run; i += LANES)
		V_STORE(to + i, V_LOAD(t + i));
	for (int i = 0; i < run; i += LANES)
		V_STORE(to + run + i, V_MAX(V_LOAD(t + run + i), V_LOAD(t + 2 * run + i)));
}

/*
 * Rows of a tile on their way from the values of all ternary numbers to those of 32 lanes, by
 * turns in a and b: several at once, as what is loaded must not wait for what was just stored.
 */
struct X(folding) {
	T a[GROUP][GPUBE_TILE_COLUMNS + GPUBE_LANES], b[GROUP][GPUBE_TILE_COLUMNS + GPUBE_LANES];
#ifdef SHUFFLES_FAST
	X(SHUFFLES) three[2], one[2];
#endif
};

static inline void X(folding_init)(struct X(folding) * f, const struct gpube__tile_maps *maps)
{
	memset(f, 0, sizeof(*f));
#ifdef SHUFFLES_FAST
	for (int k = 0; k < 2; k++) {
		X(SHUFFLE_INIT)(f->three[k], maps->three[k]);
		X(SHUFFLE_INIT)(f->one[k], maps->one[k]);
	}
#else
	(void)maps;
#endif
}

/* Runs of 3, then of 1: as many to a vector as lanes and the reach of a shuffle allow. */
#ifdef SHUFFLES_FAST
static inline void X(fold_threes)(T *to, const T *t, const struct X(folding) * f)
{
	const int n = LANES / 6 < GPUBE_LANES / 9 ? LANES / 6 : GPUBE_LANES / 9;

	for (int k = 0; k < 8; k += n)
		V_STORE(to + k * 6,
			V_MAX(SHUFFLE(f->three[0], t + k * 9), SHUFFLE(f->three[1], t + k * 9)));
}

static inline void X(fold_ones)(T *to, const T *t, const struct X(folding) * f)
{
	const int n = LANES / 2 < GPUBE_LANES / 3 ? LANES / 2 : GPUBE_LANES / 3;

	for (int k = 0; k < 16; k += n)
		V_STORE(to + k * 2,
			V_MAX(SHUFFLE(f->one[0], t + k * 3), SHUFFLE(f->one[1], t + k * 3)));
}
#else
static inline void X(fold_threes)(T *to, const T *t, const struct X(folding) * f)
{
	(void)f;
	for (int k = 0; k < 8; k++)
		X(fold)(to + k * 6, t + k * 9, 3);
}

static inline void X(fold_ones)(T *to, const T *t, const struct X(folding) * f)
{
	(void)f;
	for (int k = 0; k < 16; k++)
		X(fold)(to + k * 2, t + k * 3, 1);
}
#endif

/* Of f->a. */
static void X(fold_all)(T *out, struct X(folding) * f)
{
	for (int i = 0; i < GROUP; i++)
		X(fold)(f->b[i], f->a[i], 81);
	for (int i = 0; i < GROUP; i++)
		for (int k = 0; k < 2; k++)
			X(fold)(f->a[i] + k * 54, f->b[i] + k * 81, 27);
	for (int i = 0; i < GROUP; i++)
		for (int k = 0; k < 4; k++)
			X(fold)(f->b[i] + k * 18, f->a[i] + k * 27, 9);
	for (int i = 0; i < GROUP; i++)
		X(fold_threes)(f->a[i], f->b[i], f);
	for (int i = 0; i < GROUP; i++)
		X(fold_ones)(f->b[i], f->a[i], f);
	for (int i = 0; i < GROUP; i++)
		for (int k = 0; k < GPUBE_LANES; k += LANES)
			V_STORE(out + i * GPUBE_LANES + k, V_LOAD(f->b[i] + k));
}

#ifndef NEAR_ALONE
#define NEAR 0
#include "gpube/ops/subset/subset_tile_sums.h"
#endif
#ifdef V_TOP
#define NEAR 1
#include "gpube/ops/subset/subset_tile_sums.h"
#endif

#undef COLUMNS
#undef GROUP
#undef INLINE
#undef V
#undef LANES
#undef V_LOAD
#undef V_STORE
#undef V_SET
#undef V_ADD
#undef V_SUB
#undef V_MAX
#undef V_TOP
#undef SHUFFLE
#undef T
#undef U
#undef X
#undef LOWEST
