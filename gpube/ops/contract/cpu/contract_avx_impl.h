/*
 * contract_avx_impl.h - the functions of contract_type_impl.h that are the same instructions
 * with 256-bit and 512-bit vectors; included by contract_avx2.c and contract_avx512.c.
 */
#define I32(n) n##_i32
#define I64(n) n##_i64

/* A names arithmetic on the cells of a vector. */
#define VECTOR_OPS(NAME, CELL, V, A, SET1)                                                         \
	static INLINE V NAME(load)(const CELL *p)                                                  \
	{                                                                                          \
		return SI(loadu)((const void *)p);                                                 \
	}                                                                                          \
	static INLINE void NAME(store)(CELL *p, V v)                                               \
	{                                                                                          \
		SI(storeu)((void *)p, v);                                                          \
	}                                                                                          \
	static INLINE void NAME(stream)(CELL *p, V v)                                              \
	{                                                                                          \
		SI(stream)((void *)p, v);                                                          \
	}                                                                                          \
	static INLINE V NAME(set)(CELL x)                                                          \
	{                                                                                          \
		return SET1(x);                                                                    \
	}                                                                                          \
	static INLINE V NAME(add)(V a, V b)                                                        \
	{                                                                                          \
		return A(add)(a, b);                                                               \
	}

VECTOR_OPS(I32, int32_t, VI32, EPI32, EPI32(set1))
VECTOR_OPS(I64, int64_t, VI64, EPI64, SET64)

static INLINE VI32 min_i32(VI32 a, VI32 b)
{
	return EPI32(min)(a, b);
}

/* ---- moves between vectors: of lanes within 16 bytes, and of whole 16 bytes ---- */

/*
 * Squares from memory, or the first 'bytes' of their rows, 'step' bytes apart. What would otherwise move 16 bytes from
 * vector to vector is loaded to its place: spread(p, step) has those at p, p + step, …
 */
static INLINE void turned32(VI32 *v, const char *p, int64_t step, const int bytes)
{
	UNROLL for (int q = 0; q < bytes / 16; q++)
	{
		const VI32 a = spread(p + 16 * q, 4 * step), b = spread(p + 16 * q + step, 4 * step);
		const VI32 c = spread(p + 16 * q + 2 * step, 4 * step);
		const VI32 d = spread(p + 16 * q + 3 * step, 4 * step);
		const VI32 ab = EPI32(unpacklo)(a, b), cd = EPI32(unpacklo)(c, d);
		const VI32 ab2 = EPI32(unpackhi)(a, b), cd2 = EPI32(unpackhi)(c, d);

		v[4 * q] = EPI64(unpacklo)(ab, cd);
		v[4 * q + 1] = EPI64(unpackhi)(ab, cd);
		v[4 * q + 2] = EPI64(unpacklo)(ab2, cd2);
		v[4 * q + 3] = EPI64(unpackhi)(ab2, cd2);
	}
}

static INLINE void turned64(VI64 *v, const char *p, int64_t step, const int bytes)
{
	UNROLL for (int q = 0; q < bytes / 16; q++)
	{
		const VI64 a = spread(p + 16 * q, 2 * step), b = spread(p + 16 * q + step, 2 * step);

		v[2 * q] = EPI64(unpacklo)(a, b);
		v[2 * q + 1] = EPI64(unpackhi)(a, b);
	}
}

#define MOVE_OPS(NAME, CELL, V, BITS)                                                              \
	static INLINE void NAME(turned)(V * v, const CELL *p, int64_t step, const int n)           \
	{                                                                                          \
		turned##BITS(v, (const char *)p, step * (int64_t)sizeof(CELL), n * BITS / 8);      \
	}
MOVE_OPS(I32, int32_t, VI32, 32)
MOVE_OPS(I64, int64_t, VI64, 64)
