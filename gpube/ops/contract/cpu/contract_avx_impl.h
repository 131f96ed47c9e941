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
	static INLINE void NAME(store)(CELL * p, V v)                                              \
	{                                                                                          \
		SI(storeu)((void *)p, v);                                                          \
	}                                                                                          \
	static INLINE void NAME(stream)(CELL * p, V v)                                             \
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
