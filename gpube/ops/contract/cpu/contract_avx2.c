/* contract_avx2.c - the kernels of contract with 256-bit vectors. */
#include "gpube/ops/contract/cpu/contract_tile.h"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

#define INLINE         inline __attribute__((always_inline))
#define NOINLINE       __attribute__((noinline))
#define UNROLL         _Pragma("GCC unroll 16")
#define MANY_REGISTERS 1

/* What contract_avx_impl.h and contract_types_impl.h are written in. */
#define VECTOR_BYTES 32
#define VI32         __m256i
#define VI64         __m256i
#define M32          __m256i
#define M64          __m256i
#define SI(n)        _mm256_##n##_si256
#define EPI32(n)     _mm256_##n##_epi32
#define EPI64(n)     _mm256_##n##_epi64
#define SET64        _mm256_set1_epi64x

#include "gpube/ops/contract/cpu/contract_avx_impl.h"

static INLINE __m256i mask_i32(int64_t n)
{
	const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);

	return _mm256_cmpgt_epi32(_mm256_set1_epi32(n > 8 ? 8 : (int)n), lane);
}

static INLINE __m256i mask_i64(int64_t n)
{
	return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}

static INLINE __m256i min_i32(__m256i a, __m256i b)
{
	return _mm256_min_epi32(a, b);
}

static INLINE __m256i min_i64(__m256i a, __m256i b)
{
	return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}

/* WORD: what the intrinsics call a cell; INDICES: a vector's, of 32 bits. */
#define CELL_OPS(NAME, CELL, WORD, BITS, INDICES)                                                  \
	static INLINE __m256i NAME(loadm)(__m256i m, const CELL *p)                                \
	{                                                                                          \
		return _mm256_maskload_epi##BITS((const WORD *)p, m);                              \
	}                                                                                          \
	static INLINE void NAME(storem)(CELL * p, __m256i m, __m256i v)                            \
	{                                                                                          \
		_mm256_maskstore_epi##BITS((WORD *)p, m, v);                                       \
	}                                                                                          \
	static INLINE __m256i NAME(top_min)(__m256i v, CELL threshold, CELL top)                   \
	{                                                                                          \
		const __m256i below = _mm256_cmpgt_epi##BITS(NAME(set)(threshold), v);             \
                                                                                                   \
		return _mm256_blendv_epi8(NAME(set)(top), v, below);                               \
	}                                                                                          \
	static INLINE void NAME(arg_min)(__m256i * best, __m256i * at, __m256i v, __m256i x)       \
	{                                                                                          \
		*at = _mm256_blendv_epi8(*at, x, _mm256_cmpgt_epi##BITS(*best, v));                \
		*best = NAME(min)(*best, v);                                                       \
	}                                                                                          \
	static INLINE __m256i NAME(gather)(__m256i m, const CELL *p, const int32_t *index)         \
	{                                                                                          \
		return _mm256_mask_i32gather_epi##BITS(                                            \
			_mm256_setzero_si256(), (const WORD *)p, INDICES(index), m, BITS / 8);     \
	}

#define EIGHT(p) _mm256_loadu_si256((const __m256i *)(p))
#define FOUR(p)  _mm_loadu_si128((const __m128i *)(p))
CELL_OPS(I32, int32_t, int, 32, EIGHT)
CELL_OPS(I64, int64_t, long long, 64, FOUR)

static INLINE __m256i expand_i32(__m256i m, const int32_t *p, int span, const int32_t *index)
{
	(void)m;
	return _mm256_permutevar8x32_epi32(loadm_i32(mask_i32(span), p), EIGHT(index));
}

static INLINE __m256i expand_i64(__m256i m, const int64_t *p, int span, const int32_t *index)
{
	(void)span;
	return gather_i64(m, p, index);
}

#include "gpube/ops/contract/cpu/contract_types_impl.h"

static const struct gpube__kernels kernels = {
	.name = "avx2",
	.vector_bytes = 32,
#include "gpube/ops/contract/cpu/contract_table.h"
};

const struct gpube__kernels *gpube__kernels_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &kernels : NULL;
}

#else

const struct gpube__kernels *gpube__kernels_avx2(void)
{
	return NULL;
}

#endif
