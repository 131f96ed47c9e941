/* subset_avx512.c - kernels of subset_convolve for AVX-512 F, BW, DQ and VL. */
#include "gpube/ops/subset/subset_tile.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>
#include <string.h>

#define GROUP_BITS 3
#define SHUFFLES_FAST

/*
 * A row's 32 values of 4 bytes are two vectors. Most maps' 16 values are in one of them, as bit 4
 * is the highest digit: then both are the same, so that half of the row is read.
 */
struct shuffle_32 {
	__m512i index; /* of the 32 values of the two */
	int at[2];
};

static inline struct shuffle_32 index_32(const uint8_t *map)
{
	struct shuffle_32 s;
	int other = 0;

	while (other < 15 && map[other] >> 4 == map[0] >> 4)
		other++;
	s.at[0] = map[0] & 16;
	s.at[1] = map[other] & 16;
	s.index = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)map));
	if (s.at[0] > s.at[1]) /* the first of the two has indices below 16 */
		s.index = _mm512_xor_si512(s.index, _mm512_set1_epi32(16));
	return s;
}

/* 32 values of 8 bytes lie in four vectors: two permutations and a blend by bit 4. */
struct shuffle_64 {
	__m512i index;
	__mmask8 upper;
};

static inline struct shuffle_64 index_64(const uint8_t *map)
{
	struct shuffle_64 s;

	s.index = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)map));
	s.upper = _mm512_test_epi64_mask(s.index, _mm512_set1_epi64(16));
	return s;
}

static inline __m512i shuffle_64(struct shuffle_64 s, const void *from)
{
	const char *p = from;
	__m512i lower = _mm512_permutex2var_epi64(
		_mm512_loadu_si512(p), s.index, _mm512_loadu_si512(p + 64));
	__m512i upper = _mm512_permutex2var_epi64(
		_mm512_loadu_si512(p + 128), s.index, _mm512_loadu_si512(p + 192));

	return _mm512_mask_blend_epi64(s.upper, lower, upper);
}

/*
 * The order of positive floating point numbers is that of their bits; from the least
 * normal number on, so that no mode flushes any to 0, to infinity.
 */
#define LEAST_F32 0x00800000
#define ROOM_F32  (0x7f800000 - LEAST_F32)
#define LEAST_F64 0x0010000000000000
#define ROOM_F64  (0x7ff0000000000000 - LEAST_F64)

static inline __m512i top_ps(__m512i a, __m512i b)
{
	return _mm512_castps_si512(_mm512_max_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b)));
}

static inline __m512i top_pd(__m512i a, __m512i b)
{
	return _mm512_castpd_si512(_mm512_max_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b)));
}

#define V_TOP(a, b) _mm512_max_epi16(a, b)
#include "gpube/ops/subset/subset_avx512_i16.h"

#define T                    int32_t
#define X(n)                 n##_i32
#define V                    __m512i
#define LANES                16
#define V_LOAD(p)            _mm512_loadu_si512(p)
#define V_STORE(p, v)        _mm512_storeu_si512(p, v)
#define V_SET(x)             _mm512_set1_epi32(x)
#define V_ADD(a, b)          _mm512_add_epi32(a, b)
#define V_SUB(a, b)          _mm512_sub_epi32(a, b)
#define V_MAX(a, b)          _mm512_max_epi32(a, b)
#define V_TOP(a, b)          top_ps(a, b)
#define LOWEST               INT32_MIN
#define SHUFFLES             struct shuffle_32
#define SHUFFLE_INIT(s, map) (s) = index_32(map)
#define SHUFFLE(s, p)                                                                              \
	_mm512_permutex2var_epi32(                                                                 \
		_mm512_loadu_si512((p) + (s).at[0]), (s).index, _mm512_loadu_si512((p) + (s).at[1]))
#include "gpube/ops/subset/subset_tile_impl.h"

#define T                    int64_t
#define X(n)                 n##_i64
#define V                    __m512i
#define LANES                8
#define V_LOAD(p)            _mm512_loadu_si512(p)
#define V_STORE(p, v)        _mm512_storeu_si512(p, v)
#define V_SET(x)             _mm512_set1_epi64(x)
#define V_ADD(a, b)          _mm512_add_epi64(a, b)
#define V_SUB(a, b)          _mm512_sub_epi64(a, b)
#define V_MAX(a, b)          _mm512_max_epi64(a, b)
#define V_TOP(a, b)          top_pd(a, b)
#define LOWEST               INT64_MIN
#define SHUFFLES             struct shuffle_64
#define SHUFFLE_INIT(s, map) (s) = index_64(map)
#define SHUFFLE(s, p)        shuffle_64(s, p)
#include "gpube/ops/subset/subset_tile_impl.h"

#define T                    float
#define X(n)                 n##_f32
#define V                    __m512
#define LANES                16
#define V_LOAD(p)            _mm512_loadu_ps(p)
#define V_STORE(p, v)        _mm512_storeu_ps(p, v)
#define V_SET(x)             _mm512_set1_ps(x)
#define V_ADD(a, b)          _mm512_add_ps(a, b)
#define V_MAX(a, b)          _mm512_max_ps(a, b)
#define LOWEST               -INFINITY
#define SHUFFLES             struct shuffle_32
#define SHUFFLE_INIT(s, map) (s) = index_32(map)
#define SHUFFLE(s, p)                                                                              \
	_mm512_permutex2var_ps(                                                                    \
		_mm512_loadu_ps((p) + (s).at[0]), (s).index, _mm512_loadu_ps((p) + (s).at[1]))
#include "gpube/ops/subset/subset_tile_impl.h"

#define T                    double
#define X(n)                 n##_f64
#define V                    __m512d
#define LANES                8
#define V_LOAD(p)            _mm512_loadu_pd(p)
#define V_STORE(p, v)        _mm512_storeu_pd(p, v)
#define V_SET(x)             _mm512_set1_pd(x)
#define V_ADD(a, b)          _mm512_add_pd(a, b)
#define V_MAX(a, b)          _mm512_max_pd(a, b)
#define LOWEST               -INFINITY
#define SHUFFLES             struct shuffle_64
#define SHUFFLE_INIT(s, map) (s) = index_64(map)
#define SHUFFLE(s, p)        _mm512_castsi512_pd(shuffle_64(s, p))
#include "gpube/ops/subset/subset_tile_impl.h"

static const struct gpube__tile_kernel near[] = {
	[GPUBE_INT16] = {GROUP_BITS, near_clear_i16, near_add_i16, near_reduce_i16, NULL, 0,
		INT16_MAX},
	[GPUBE_INT32] = {GROUP_BITS, near_clear_i32, near_add_i32, near_reduce_i32, NULL, LEAST_F32,
		ROOM_F32},
	[GPUBE_INT64] = {GROUP_BITS, near_clear_i64, near_add_i64, near_reduce_i64, NULL, LEAST_F64,
		ROOM_F64},
};

const struct gpube__tile_kernel gpube__tiles_avx512[] = {
	[GPUBE_INT16] = {GROUP_BITS, clear_i16, add_i16, reduce_i16, &near[GPUBE_INT16], 0, 0},
	[GPUBE_INT32] = {GROUP_BITS, clear_i32, add_i32, reduce_i32, &near[GPUBE_INT32], 0, 0},
	[GPUBE_INT64] = {GROUP_BITS, clear_i64, add_i64, reduce_i64, &near[GPUBE_INT64], 0, 0},
	[GPUBE_FLOAT32] = {GROUP_BITS, clear_f32, add_f32, reduce_f32, NULL, 0, 0},
	[GPUBE_FLOAT64] = {GROUP_BITS, clear_f64, add_f64, reduce_f64, NULL, 0, 0},
};
#endif
