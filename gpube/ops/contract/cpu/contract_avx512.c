/* contract_avx512.c - the kernels of contract with 512-bit vectors. */
#include "gpube/ops/contract/cpu/contract_tile.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#include <immintrin.h>

#define INLINE	       inline __attribute__((always_inline))
#define NOINLINE       __attribute__((noinline))
#define UNROLL	       _Pragma("GCC unroll 16")
#define MANY_REGISTERS 1

/* What contract_avx_impl.h and contract_types_impl.h are written in. */
#define VECTOR_BYTES 64
#define VI32	     __m512i
#define VI64	     __m512i
#define M32	     __mmask16
#define M64	     __mmask8
#define SI(n)	     _mm512_##n##_si512
#define EPI32(n)     _mm512_##n##_epi32
#define EPI64(n)     _mm512_##n##_epi64
#define SET64	     _mm512_set1_epi64

#include "gpube/ops/contract/cpu/contract_avx_impl.h"

static INLINE uint32_t lanes_mask(int64_t n, int w)
{
	return n >= w ? (1u << w) - 1 : (1u << n) - 1;
}

/* ---- int32 ---- */

static INLINE __mmask16 mask_i32(int64_t n)
{
	return (__mmask16)lanes_mask(n, 16);
}

static INLINE __m512i loadm_i32(__mmask16 m, const int32_t *p)
{
	return _mm512_maskz_loadu_epi32(m, p);
}

static INLINE void storem_i32(int32_t *p, __mmask16 m, __m512i v)
{
	_mm512_mask_storeu_epi32(p, m, v);
}

static INLINE __m512i cut_min_i32(__m512i v, int32_t threshold, int32_t cut)
{
	return _mm512_mask_mov_epi32(
		v, _mm512_cmpge_epi32_mask(v, set_i32(threshold)), set_i32(cut));
}

static INLINE void arg_min_i32(__m512i *best, __m512i *at, __m512i v, __m512i x)
{
	*at = _mm512_mask_mov_epi32(*at, _mm512_cmplt_epi32_mask(v, *best), x);
	*best = min_i32(*best, v);
}

static INLINE __m512i gather_i32(__mmask16 m, const int32_t *p, const int32_t *index)
{
	return _mm512_mask_i32gather_epi32(
		_mm512_setzero_si512(), m, _mm512_loadu_si512(index), p, 4);
}

static INLINE __m512i expand_i32(__mmask16 m, const int32_t *p, int span, const int32_t *index)
{
	(void)m;
	return _mm512_permutexvar_epi32(_mm512_loadu_si512(index),
		loadm_i32((__mmask16)lanes_mask(span, 16), p));
}

/* ---- int64 ---- */

static INLINE __mmask8 mask_i64(int64_t n)
{
	return (__mmask8)lanes_mask(n, 8);
}

static INLINE __m512i loadm_i64(__mmask8 m, const int64_t *p)
{
	return _mm512_maskz_loadu_epi64(m, p);
}

static INLINE void storem_i64(int64_t *p, __mmask8 m, __m512i v)
{
	_mm512_mask_storeu_epi64(p, m, v);
}

static INLINE __m512i min_i64(__m512i a, __m512i b)
{
	return _mm512_min_epi64(a, b);
}

static INLINE __m512i cut_min_i64(__m512i v, int64_t threshold, int64_t cut)
{
	return _mm512_mask_mov_epi64(
		v, _mm512_cmpge_epi64_mask(v, set_i64(threshold)), set_i64(cut));
}

static INLINE void arg_min_i64(__m512i *best, __m512i *at, __m512i v, __m512i x)
{
	*at = _mm512_mask_mov_epi64(*at, _mm512_cmplt_epi64_mask(v, *best), x);
	*best = min_i64(*best, v);
}

static INLINE __m512i gather_i64(__mmask8 m, const int64_t *p, const int32_t *index)
{
	return _mm512_mask_i32gather_epi64(
		_mm512_setzero_si512(), m, _mm256_loadu_si256((const __m256i *)index), p, 8);
}

static INLINE __m512i expand_i64(__mmask8 m, const int64_t *p, int span, const int32_t *index)
{
	(void)m;
	return _mm512_permutexvar_epi64(_mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)index)),
		loadm_i64((__mmask8)lanes_mask(span, 8), p));
}

#include "gpube/ops/contract/cpu/contract_types_impl.h"

static void fence(void)
{
	_mm_sfence();
}

static const struct gpube__kernels kernels = {
	.name = "avx512",
	.vector_bytes = 64,
#include "gpube/ops/contract/cpu/contract_table.h"
	.fence = fence,
};

const struct gpube__kernels *gpube__kernels_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
			       __builtin_cpu_supports("avx512bw") &&
			       __builtin_cpu_supports("avx512vl")
		       ? &kernels : NULL;
}

#else

const struct gpube__kernels *gpube__kernels_avx512(void)
{
	return NULL;
}

#endif
