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

static INLINE __m512i spread(const char *p, int64_t step)
{
	__m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const void *)p));

	v = _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(p + step)), 1);
	v = _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(p + 2 * step)), 2);
	return _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(p + 3 * step)), 3);
}

#include "gpube/ops/contract/cpu/contract_avx_impl.h"

/* Squares of 32 bits: pairs, pairs of pairs, then quarters of a vector. */
static INLINE void turn_i32(__m512i *v)
{
	__m512i t[16];

	UNROLL for (int i = 0; i < 16; i += 2)
	{
		t[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
		t[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
	}
	UNROLL for (int i = 0; i < 16; i += 4)
	{
		v[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
		v[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
		v[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
		v[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
	}
	UNROLL for (int i = 0; i < 4; i++)
	{
		t[i] = _mm512_shuffle_i32x4(v[i], v[i + 4], 0x88);
		t[i + 4] = _mm512_shuffle_i32x4(v[i], v[i + 4], 0xdd);
		t[i + 8] = _mm512_shuffle_i32x4(v[i + 8], v[i + 12], 0x88);
		t[i + 12] = _mm512_shuffle_i32x4(v[i + 8], v[i + 12], 0xdd);
	}
	UNROLL for (int i = 0; i < 4; i++)
	{
		v[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
		v[i + 4] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0x88);
		v[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
		v[i + 12] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0xdd);
	}
}

static INLINE void turn_i64(__m512i *v)
{
	__m512i t[8];

	UNROLL for (int i = 0; i < 8; i += 2)
	{
		t[i] = _mm512_unpacklo_epi64(v[i], v[i + 1]);
		t[i + 1] = _mm512_unpackhi_epi64(v[i], v[i + 1]);
	}
	UNROLL for (int i = 0; i < 2; i++)
	{
		v[i] = _mm512_shuffle_i64x2(t[i], t[i + 2], 0x88);
		v[i + 2] = _mm512_shuffle_i64x2(t[i], t[i + 2], 0xdd);
		v[i + 4] = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0x88);
		v[i + 6] = _mm512_shuffle_i64x2(t[i + 4], t[i + 6], 0xdd);
	}
	UNROLL for (int i = 0; i < 2; i++)
	{
		t[i] = _mm512_shuffle_i64x2(v[i], v[i + 4], 0x88);
		t[i + 4] = _mm512_shuffle_i64x2(v[i], v[i + 4], 0xdd);
		t[i + 2] = _mm512_shuffle_i64x2(v[i + 2], v[i + 6], 0x88);
		t[i + 6] = _mm512_shuffle_i64x2(v[i + 2], v[i + 6], 0xdd);
	}
	UNROLL for (int i = 0; i < 8; i++) v[i] = t[i];
}

static INLINE uint32_t lanes_mask(int64_t n, int w)
{
	return n >= w ? (1u << w) - 1 : (1u << n) - 1;
}

/* ---- two rows of half a vector each, their lanes in turn: contract_pair_impl.h ---- */
#define PAIRS
#define H __mmask8

static INLINE __m512i turns32(__m256i a, __m256i b)
{
	const __m512i turn =
		_mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);

	return _mm512_permutex2var_epi32(
		_mm512_castsi256_si512(a), turn, _mm512_castsi256_si512(b));
}

static INLINE __m512i rows32(__m512i v)
{
	return _mm512_permutexvar_epi32(
		_mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15), v);
}

static INLINE __m512i turns64(__m256i a, __m256i b)
{
	return _mm512_permutex2var_epi64(_mm512_castsi256_si512(a),
		_mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), _mm512_castsi256_si512(b));
}

static INLINE __m512i rows64(__m512i v)
{
	return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), v);
}

#define PAIR_OPS(TYPE, CELL, BITS, SET)                                                            \
	static INLINE __mmask8 mask_half_##TYPE(int64_t n)                                         \
	{                                                                                          \
		return (__mmask8)lanes_mask(n, 256 / BITS);                                        \
	}                                                                                          \
	static INLINE __m512i load_pair_##TYPE(__mmask8 m, const CELL *p, const CELL *q)           \
	{                                                                                          \
		return turns##BITS(_mm256_maskz_loadu_epi##BITS(m, p),                             \
			_mm256_maskz_loadu_epi##BITS(m, q));                                       \
	}                                                                                          \
	static INLINE __m512i set_pair_##TYPE(const CELL *p)                                       \
	{                                                                                          \
		return SET;                                                                        \
	}                                                                                          \
	static INLINE void store_pair_##TYPE(__mmask8 m, CELL *p, CELL *q, __m512i v)              \
	{                                                                                          \
		const __m512i both = rows##BITS(v);                                                \
                                                                                                   \
		if (q == p + 256 / BITS && m == lanes_mask(8, 256 / BITS)) {                       \
			_mm512_storeu_si512(p, both);                                              \
			return;                                                                    \
		}                                                                                  \
		_mm256_mask_storeu_epi##BITS(p, m, _mm512_castsi512_si256(both));                  \
		_mm256_mask_storeu_epi##BITS(q, m, _mm512_extracti64x4_epi64(both, 1));            \
	}                                                                                          \
	static INLINE void stream_pair_##TYPE(CELL *p, CELL *q, __m512i v)                         \
	{                                                                                          \
		const __m512i both = rows##BITS(v);                                                \
                                                                                                   \
		if (q == p + 256 / BITS && ((uintptr_t)p & 63) == 0) {                             \
			_mm512_stream_si512((void *)p, both);                                      \
			return;                                                                    \
		}                                                                                  \
		_mm256_stream_si256((void *)p, _mm512_castsi512_si256(both));                      \
		_mm256_stream_si256((void *)q, _mm512_extracti64x4_epi64(both, 1));                \
	}
#define PAIR32 _mm512_broadcastq_epi64(_mm_loadl_epi64((const void *)p))
#define PAIR64 _mm512_broadcast_i64x2(_mm_loadu_si128((const void *)p))
PAIR_OPS(i32, int32_t, 32, PAIR32)
PAIR_OPS(i64, int64_t, 64, PAIR64)

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
	.narrow = gpube__kernels_avx2,
	.pairs = {tile_pairs_min_i32, tile_pairs_min_i64},
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
