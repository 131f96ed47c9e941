/*
 * contract_avx_impl.h - the functions of contract_type_impl.h that are the same instructions
 * with 256-bit and 512-bit vectors; included by contract_avx2.c and contract_avx512.c.
 */
#define I32(n) n##_i32
#define I64(n) n##_i64
#define F32(n) n##_f32
#define F64(n) n##_f64

/* L names moves of a whole vector, A arithmetic on its cells. */
#define VECTOR_OPS(NAME, CELL, V, L, A, SET1)                                                      \
	static INLINE V NAME(load)(const CELL *p)                                                  \
	{                                                                                          \
		return L(loadu)((const void *)p);                                                  \
	}                                                                                          \
	static INLINE void NAME(store)(CELL *p, V v)                                               \
	{                                                                                          \
		L(storeu)((void *)p, v);                                                           \
	}                                                                                          \
	static INLINE void NAME(stream)(CELL *p, V v)                                              \
	{                                                                                          \
		L(stream)((void *)p, v);                                                           \
	}                                                                                          \
	static INLINE V NAME(set)(CELL x)                                                          \
	{                                                                                          \
		return SET1(x);                                                                    \
	}                                                                                          \
	static INLINE V NAME(add)(V a, V b)                                                        \
	{                                                                                          \
		return A(add)(a, b);                                                               \
	}

#define BEST_OPS(NAME, V, A)                                                                       \
	static INLINE V NAME(min)(V a, V b)                                                        \
	{                                                                                          \
		return A(min)(a, b);                                                               \
	}                                                                                          \
	static INLINE V NAME(max)(V a, V b)                                                        \
	{                                                                                          \
		return A(max)(a, b);                                                               \
	}

/* Integers of the lanes of a type. */
#define INDEX_OPS(NAME, CELL, V, SET1)                                                             \
	static INLINE V NAME(loadi)(const CELL *p)                                                 \
	{                                                                                          \
		return SI(loadu)((const void *)p);                                                 \
	}                                                                                          \
	static INLINE void NAME(storei)(CELL *p, V v)                                              \
	{                                                                                          \
		SI(storeu)((void *)p, v);                                                          \
	}                                                                                          \
	static INLINE V NAME(seti)(CELL x)                                                         \
	{                                                                                          \
		return SET1(x);                                                                    \
	}

#define FLOAT_OPS(NAME, CELL, V, A)                                                                \
	static INLINE V NAME(sub)(V a, V b)                                                        \
	{                                                                                          \
		return A(sub)(a, b);                                                               \
	}                                                                                          \
	static INLINE V NAME(mul)(V a, V b)                                                        \
	{                                                                                          \
		return A(mul)(a, b);                                                               \
	}                                                                                          \
	static INLINE V NAME(fma)(V a, V b, V c)                                                   \
	{                                                                                          \
		return A(fmadd)(a, b, c);                                                          \
	}                                                                                          \
	static INLINE V NAME(cut_min)(V v, CELL threshold, CELL cut)                               \
	{                                                                                          \
		(void)threshold;                                                                   \
		(void)cut;                                                                         \
		return v;                                                                          \
	}                                                                                          \
	static INLINE V NAME(cut_max)(V v, CELL threshold, CELL cut)                               \
	{                                                                                          \
		return NAME(cut_min)(v, threshold, cut);                                           \
	}

VECTOR_OPS(I32, int32_t, VI32, SI, EPI32, EPI32(set1))
INDEX_OPS(I32, int32_t, VI32, EPI32(set1))
BEST_OPS(I32, VI32, EPI32)
VECTOR_OPS(I64, int64_t, VI64, SI, EPI64, SET64)
INDEX_OPS(I64, int64_t, VI64, SET64)
VECTOR_OPS(F32, float, VF32, PS, PS, PS(set1))
INDEX_OPS(F32, int32_t, VI32, EPI32(set1))
BEST_OPS(F32, VF32, PS)
FLOAT_OPS(F32, float, VF32, PS)
VECTOR_OPS(F64, double, VF64, PD, PD, PD(set1))
INDEX_OPS(F64, int64_t, VI64, SET64)
BEST_OPS(F64, VF64, PD)
FLOAT_OPS(F64, double, VF64, PD)
