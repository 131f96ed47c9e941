/*
 * contract_portable.c - the kernels of contract for any processor: 16-byte
 * vectors of the compiler, which are SSE2 on x86-64 and NEON on arm64.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "gpube/ops/contract/cpu/contract_tile.h"

#define INLINE	  inline __attribute__((always_inline))
#define NOINLINE  __attribute__((noinline))
#define UNROLL	  _Pragma("GCC unroll 16")
#define MANY_REGISTERS 0
#define HALVES	  0

typedef int32_t v_i32 __attribute__((vector_size(16)));
typedef int64_t v_i64 __attribute__((vector_size(16)));
typedef float v_f32 __attribute__((vector_size(16)));
typedef double v_f64 __attribute__((vector_size(16)));

/* A mask is how many lanes there are. NAME(n): n_i32 …; INT, CELLI: integers of the same lanes. */
#define VECTOR_OPS(NAME, CELL, INT, CELLI)                                                         \
	static INLINE int64_t NAME(mask)(int64_t n)                                                \
	{                                                                                          \
		return n;                                                                          \
	}                                                                                          \
	static INLINE NAME(v) NAME(load)(const CELL *p)                                            \
	{                                                                                          \
		NAME(v) v;                                                                         \
                                                                                                   \
		memcpy(&v, p, 16);                                                                 \
		return v;                                                                          \
	}                                                                                          \
	static NOINLINE NAME(v) NAME(load_some)(int64_t n, const CELL *p)			   \
	{											   \
		CELL v[16 / sizeof(CELL)] = {0};						   \
												   \
		for (int l = 0; l < n; l++)							   \
			v[l] = p[l];								   \
		return NAME(load)(v);								   \
	}											   \
	static INLINE NAME(v) NAME(loadm)(int64_t n, const CELL *p)				   \
	{											   \
		return n < (int64_t)(16 / sizeof(CELL)) ? NAME(load_some)(n, p) : NAME(load)(p);   \
	}											   \
	static INLINE NAME(v) NAME(load_or)(int64_t n, const CELL *p, NAME(v) other)               \
	{                                                                                          \
		if (n >= (int64_t)(16 / sizeof(CELL)))                                             \
			return NAME(load)(p);                                                      \
		for (int l = 0; l < n; l++)                                                        \
			other[l] = p[l];                                                           \
		return other;                                                                      \
	}                                                                                          \
	static INLINE void NAME(store)(CELL *p, NAME(v) v)                                         \
	{                                                                                          \
		memcpy(p, &v, 16);                                                                 \
	}                                                                                          \
	static NOINLINE void NAME(storem)(CELL *p, int64_t n, NAME(v) v)			   \
	{											   \
		for (int l = 0; l < n && l < (int)(16 / sizeof(CELL)); l++)			   \
			p[l] = v[l];								   \
	}											   \
	static INLINE void NAME(stream)(CELL *p, NAME(v) v)                                        \
	{                                                                                          \
		memcpy(p, &v, 16);                                                                 \
	}                                                                                          \
	static INLINE NAME(v) NAME(set)(CELL x)                                                    \
	{                                                                                          \
		return (NAME(v)){0} + x;                                                           \
	}                                                                                          \
	static INLINE NAME(v) NAME(add)(NAME(v) a, NAME(v) b)                                      \
	{                                                                                          \
		return a + b;                                                                      \
	}                                                                                          \
	static INLINE NAME(v) NAME(choose)(INT mask, NAME(v) a, NAME(v) b)                         \
	{                                                                                          \
		return (NAME(v))((mask & (INT)a) | (~mask & (INT)b));                              \
	}                                                                                          \
	static INLINE NAME(v) NAME(min)(NAME(v) a, NAME(v) b)                                      \
	{                                                                                          \
		return NAME(choose)(a < b, a, b);                                                  \
	}                                                                                          \
	static INLINE NAME(v) NAME(max)(NAME(v) a, NAME(v) b)                                      \
	{                                                                                          \
		return NAME(choose)(a > b, a, b);                                                  \
	}                                                                                          \
	static INLINE void NAME(arg_min)(NAME(v) * best, INT * at, NAME(v) v, INT x)               \
	{                                                                                          \
		const INT less = v < *best;                                                        \
                                                                                                   \
		*at = (less & x) | (~less & *at);                                                  \
		*best = NAME(choose)(less, v, *best);                                              \
	}                                                                                          \
	static INLINE void NAME(arg_max)(NAME(v) * best, INT * at, NAME(v) v, INT x)               \
	{                                                                                          \
		const INT more = v > *best;                                                        \
                                                                                                   \
		*at = (more & x) | (~more & *at);                                                  \
		*best = NAME(choose)(more, v, *best);                                              \
	}                                                                                          \
	static INLINE INT NAME(loadi)(const CELLI *p)                                              \
	{                                                                                          \
		INT v;                                                                             \
                                                                                                   \
		memcpy(&v, p, 16);                                                                 \
		return v;                                                                          \
	}                                                                                          \
	static INLINE void NAME(storei)(CELLI * p, INT v)                                          \
	{                                                                                          \
		memcpy(p, &v, 16);                                                                 \
	}                                                                                          \
	static INLINE INT NAME(seti)(CELLI x)                                                      \
	{                                                                                          \
		return (INT){0} + x;                                                               \
	}                                                                                          \
	static NOINLINE NAME(v) NAME(gather)(int64_t n, const CELL *p, const int32_t *index)         \
	{                                                                                          \
		NAME(v) v = {0};                                                                   \
                                                                                                   \
		for (int l = 0; l < n && l < (int)(16 / sizeof(CELL)); l++)                        \
			v[l] = p[index[l]];                                                        \
		return v;                                                                          \
	}                                                                                          \
	static INLINE NAME(v) NAME(expand)(int64_t n, const CELL *p, int span, const int32_t *index)\
	{											   \
		(void)span;									   \
		return NAME(gather)(n, p, index);						   \
	}											   \
	static NOINLINE void NAME(turn)(NAME(v) * v)                                                 \
	{                                                                                          \
		for (int i = 0; i < (int)(16 / sizeof(CELL)); i++)                                 \
			for (int j = 0; j < i; j++) {                                              \
				const CELL t = v[i][j];                                            \
                                                                                                   \
				v[i][j] = v[j][i];                                                 \
				v[j][i] = t;                                                       \
			}                                                                          \
	}                                                                                          \
	static INLINE void NAME(turned)(NAME(v) * v, const CELL *p, int64_t step, int n)           \
	{                                                                                          \
		for (int i = 0; i < (int)(16 / sizeof(CELL)); i++)                                 \
			v[i] = NAME(loadm)(n, p + i * step);                                       \
		NAME(turn)(v);                                                                     \
	}

#define INT_OPS(NAME, CELL)                                                                        \
	static INLINE NAME(v) NAME(cut_min)(NAME(v) v, CELL threshold, CELL cut)                   \
	{                                                                                          \
		return NAME(choose)(v >= NAME(set)(threshold), NAME(set)(cut), v);                 \
	}                                                                                          \
	static INLINE NAME(v) NAME(cut_max)(NAME(v) v, CELL threshold, CELL cut)                   \
	{                                                                                          \
		return NAME(choose)(v <= NAME(set)(-threshold), NAME(set)(-cut), v);               \
	}

/* MAGIC: low bits fall off a sum with it, which rounds |v| < 2^22 or 2^51 to an integer. */
#define FLOAT_OPS(NAME, CELL, INT, MAGIC, MANTISSA)                                                \
	static INLINE NAME(v) NAME(cut_min)(NAME(v) v, CELL threshold, CELL cut)                   \
	{                                                                                          \
		(void)threshold;                                                                   \
		(void)cut;                                                                         \
		return v;                                                                          \
	}                                                                                          \
	static INLINE NAME(v) NAME(cut_max)(NAME(v) v, CELL threshold, CELL cut)                   \
	{                                                                                          \
		return NAME(cut_min)(v, threshold, cut);                                           \
	}                                                                                          \
	static INLINE NAME(v) NAME(sub)(NAME(v) a, NAME(v) b)                                      \
	{                                                                                          \
		return a - b;                                                                      \
	}                                                                                          \
	static INLINE NAME(v) NAME(mul)(NAME(v) a, NAME(v) b)                                      \
	{                                                                                          \
		return a * b;                                                                      \
	}                                                                                          \
	static INLINE NAME(v) NAME(fma)(NAME(v) a, NAME(v) b, NAME(v) c)                           \
	{                                                                                          \
		return a * b + c;                                                                  \
	}                                                                                          \
	static INLINE NAME(v) NAME(rint)(NAME(v) v)                                                \
	{                                                                                          \
		return (v + MAGIC) - MAGIC;                                                        \
	}                                                                                          \
	static INLINE NAME(v) NAME(scale)(NAME(v) v, NAME(v) n)                                    \
	{                                                                                          \
		return (NAME(v))((INT)v + (__builtin_convertvector(n, INT) << MANTISSA));          \
	}

#define I32(n) n##_i32
#define I64(n) n##_i64
#define F32(n) n##_f32
#define F64(n) n##_f64
VECTOR_OPS(I32, int32_t, v_i32, int32_t)
INT_OPS(I32, int32_t)
VECTOR_OPS(I64, int64_t, v_i64, int64_t)
INT_OPS(I64, int64_t)
VECTOR_OPS(F32, float, v_i32, int32_t)
FLOAT_OPS(F32, float, v_i32, 0x1.8p23f, 23)
VECTOR_OPS(F64, double, v_i64, int64_t)
FLOAT_OPS(F64, double, v_i64, 0x1.8p52, 52)

#define VECTOR_BYTES 16
#define VI32	     v_i32
#define VI64	     v_i64
#define VF32	     v_f32
#define VF64	     v_f64
#define M32	     int64_t
#define M64	     int64_t
#include "gpube/ops/contract/cpu/contract_types_impl.h"

static void fence(void)
{
}

static const struct gpube__kernels kernels = {
	.name = "portable",
	.vector_bytes = 16,
	.fence = fence,
#include "gpube/ops/contract/cpu/contract_table.h"
};

const struct gpube__kernels *gpube__kernels_portable(void)
{
	return &kernels;
}
