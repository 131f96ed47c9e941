/* contract_avx512.c - the kernels of contract with 512-bit vectors. */
#include "gpube/ops/contract/cpu/contract_tile.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#include <immintrin.h>

#define INLINE         inline __attribute__((always_inline))
#define NOINLINE       __attribute__((noinline))
#define UNROLL         _Pragma("GCC unroll 16")
#define MANY_REGISTERS 1

/* What contract_avx_impl.h and contract_types_impl.h are written in. */
#define VECTOR_BYTES 64
#define VI32         __m512i
#define VI64         __m512i
#define M32          __mmask16
#define M64          __mmask8
#define SI(n)        _mm512_##n##_si512
#define EPI32(n)     _mm512_##n##_epi32
#define EPI64(n)     _mm512_##n##_epi64
#define SET64        _mm512_set1_epi64

#include "gpube/ops/contract/cpu/contract_avx_impl.h"

static INLINE uint32_t lanes_mask(int64_t n, int w)
{
	return n >= w ? (1u << w) - 1 : (1u << n) - 1;
}

/* INDICES: a vector's, of 32 bits; WIDE: the same as lanes of the cells' width. */
#define CELL_OPS(NAME, CELL, M, BITS, INDICES, WIDE)                                               \
	static INLINE M NAME(mask)(int64_t n)                                                      \
	{                                                                                          \
		return (M)lanes_mask(n, 512 / BITS);                                               \
	}                                                                                          \
	static INLINE __m512i NAME(loadm)(M m, const CELL *p)                                      \
	{                                                                                          \
		return _mm512_maskz_loadu_epi##BITS(m, p);                                         \
	}                                                                                          \
	static INLINE void NAME(storem)(CELL * p, M m, __m512i v)                                  \
	{                                                                                          \
		_mm512_mask_storeu_epi##BITS(p, m, v);                                             \
	}                                                                                          \
	static INLINE __m512i NAME(min)(__m512i a, __m512i b)                                      \
	{                                                                                          \
		return _mm512_min_epi##BITS(a, b);                                                 \
	}                                                                                          \
	static INLINE __m512i NAME(top_min)(__m512i v, CELL threshold, CELL top)                   \
	{                                                                                          \
		return _mm512_mask_mov_epi##BITS(v,                                                \
			_mm512_cmpge_epi##BITS##_mask(v, NAME(set)(threshold)), NAME(set)(top));   \
	}                                                                                          \
	static INLINE void NAME(arg_min)(__m512i * best, __m512i * at, __m512i v, __m512i x)       \
	{                                                                                          \
		*at = _mm512_mask_mov_epi##BITS(*at, _mm512_cmplt_epi##BITS##_mask(v, *best), x);  \
		*best = NAME(min)(*best, v);                                                       \
	}                                                                                          \
	static INLINE __m512i NAME(gather)(M m, const CELL *p, const int32_t *index)               \
	{                                                                                          \
		return _mm512_mask_i32gather_epi##BITS(                                            \
			_mm512_setzero_si512(), m, INDICES(index), p, BITS / 8);                   \
	}                                                                                          \
	static INLINE __m512i NAME(expand)(M m, const CELL *p, int span, const int32_t *index)     \
	{                                                                                          \
		(void)m;                                                                           \
		return _mm512_permutexvar_epi##BITS(                                               \
			WIDE(INDICES(index)), NAME(loadm)(NAME(mask)(span), p));                   \
	}

#define SAME(v) v
#define HALF(p) _mm256_loadu_si256((const __m256i *)(p))
CELL_OPS(I32, int32_t, __mmask16, 32, _mm512_loadu_si512, SAME)
CELL_OPS(I64, int64_t, __mmask8, 64, HALF, _mm512_cvtepi32_epi64)

#include "gpube/ops/contract/cpu/contract_types_impl.h"

static const struct gpube__kernels kernels = {
	.name = "avx512",
	.vector_bytes = 64,
#include "gpube/ops/contract/cpu/contract_table.h"
};

const struct gpube__kernels *gpube__kernels_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
			       __builtin_cpu_supports("avx512bw") &&
			       __builtin_cpu_supports("avx512vl")
		       ? &kernels
		       : NULL;
}

#else

const struct gpube__kernels *gpube__kernels_avx512(void)
{
	return NULL;
}

#endif
