/* subset_avx2.c - kernels of subset_convolve for AVX2. */
#include "gpube/ops/subset/subset_tile.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>
#include <string.h>

#define GROUP_BITS 2

/*
 * Eight successive ternary numbers differ in bits 3 and 4 at most once, so that
 * they come from two of the four vectors of a block of 32 values of 4 bytes.
 */
struct shuffle_32 {
	__m256i index, second; /* the place in the vector; all ones where it is the second */
	int at[2];
};

static inline struct shuffle_32 index_32(const uint8_t *map)
{
	struct shuffle_32 s;
	__m256i lane = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)map));
	int other = 0;

	while (other < 7 && map[other] >> 3 == map[0] >> 3)
		other++;
	s.at[0] = map[0] & 24;
	s.at[1] = map[other] & 24;
	s.index = _mm256_and_si256(lane, _mm256_set1_epi32(7));
	s.second = _mm256_cmpeq_epi32(
		_mm256_and_si256(lane, _mm256_set1_epi32(24)), _mm256_set1_epi32(s.at[1]));
	return s;
}

static inline __m256i load(const void *p)
{
	return _mm256_loadu_si256((const __m256i *)p);
}

static inline __m256i shuffle_32(struct shuffle_32 s, const void *from)
{
	const int32_t *p = from;
	__m256i first = _mm256_permutevar8x32_epi32(load(p + s.at[0]), s.index);
	__m256i second = _mm256_permutevar8x32_epi32(load(p + s.at[1]), s.index);

	return _mm256_blendv_epi8(first, second, s.second);
}

static inline __m256i pick_16(const uint8_t *map, const int16_t *p)
{
	int16_t v[16];

	for (int i = 0; i < 16; i++)
		v[i] = p[map[i]];
	return load(v);
}

static inline __m256i pick_64(const uint8_t *map, const void *from)
{
	const int64_t *p = from;

	return _mm256_set_epi64x(p[map[3]], p[map[2]], p[map[1]], p[map[0]]);
}

static inline __m256i max_64(__m256i a, __m256i b)
{
	return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
}

#define T                    int16_t
#define X(n)                 n##_i16
#define V                    __m256i
#define LANES                16
#define V_LOAD(p)            load(p)
#define V_STORE(p, v)        _mm256_storeu_si256((__m256i *)(p), v)
#define V_SET(x)             _mm256_set1_epi16(x)
#define V_ADD(a, b)          _mm256_add_epi16(a, b)
#define V_SUB(a, b)          _mm256_sub_epi16(a, b)
#define V_MAX(a, b)          _mm256_max_epi16(a, b)
#define V_TOP(a, b)          V_MAX(a, b)
#define LOWEST               INT16_MIN
#define SHUFFLES             const uint8_t *
#define SHUFFLE_INIT(s, map) (s) = (map)
#define SHUFFLE(s, p)        pick_16(s, p)
#include "gpube/ops/subset/subset_tile_impl.h"

#define T                    int32_t
#define X(n)                 n##_i32
#define V                    __m256i
#define LANES                8
#define V_LOAD(p)            load(p)
#define V_STORE(p, v)        _mm256_storeu_si256((__m256i *)(p), v)
#define V_SET(x)             _mm256_set1_epi32(x)
#define V_ADD(a, b)          _mm256_add_epi32(a, b)
#define V_SUB(a, b)          _mm256_sub_epi32(a, b)
#define V_MAX(a, b)          _mm256_max_epi32(a, b)
#define V_TOP(a, b)          V_MAX(a, b)
#define LOWEST               INT32_MIN
#define SHUFFLES             struct shuffle_32
#define SHUFFLE_INIT(s, map) (s) = index_32(map)
#define SHUFFLE(s, p)        shuffle_32(s, p)
#include "gpube/ops/subset/subset_tile_impl.h"

#define T                    int64_t
#define X(n)                 n##_i64
#define V                    __m256i
#define LANES                4
#define V_LOAD(p)            load(p)
#define V_STORE(p, v)        _mm256_storeu_si256((__m256i *)(p), v)
#define V_SET(x)             _mm256_set1_epi64x(x)
#define V_ADD(a, b)          _mm256_add_epi64(a, b)
#define V_MAX(a, b)          max_64(a, b)
#define LOWEST               INT64_MIN
#define SHUFFLES             const uint8_t *
#define SHUFFLE_INIT(s, map) (s) = (map)
#define SHUFFLE(s, p)        pick_64(s, p)
#include "gpube/ops/subset/subset_tile_impl.h"

#define T                    float
#define X(n)                 n##_f32
#define V                    __m256
#define LANES                8
#define V_LOAD(p)            _mm256_loadu_ps(p)
#define V_STORE(p, v)        _mm256_storeu_ps(p, v)
#define V_SET(x)             _mm256_set1_ps(x)
#define V_ADD(a, b)          _mm256_add_ps(a, b)
#define V_MAX(a, b)          _mm256_max_ps(a, b)
#define LOWEST               -INFINITY
#define SHUFFLES             struct shuffle_32
#define SHUFFLE_INIT(s, map) (s) = index_32(map)
#define SHUFFLE(s, p)        _mm256_castsi256_ps(shuffle_32(s, p))
#include "gpube/ops/subset/subset_tile_impl.h"

#define T                    double
#define X(n)                 n##_f64
#define V                    __m256d
#define LANES                4
#define V_LOAD(p)            _mm256_loadu_pd(p)
#define V_STORE(p, v)        _mm256_storeu_pd(p, v)
#define V_SET(x)             _mm256_set1_pd(x)
#define V_ADD(a, b)          _mm256_add_pd(a, b)
#define V_MAX(a, b)          _mm256_max_pd(a, b)
#define LOWEST               -INFINITY
#define SHUFFLES             const uint8_t *
#define SHUFFLE_INIT(s, map) (s) = (map)
#define SHUFFLE(s, p)        _mm256_castsi256_pd(pick_64(s, p))
#include "gpube/ops/subset/subset_tile_impl.h"

static const struct gpube__tile_kernel near[] = {
	[GPUBE_INT16] = {GROUP_BITS, near_clear_i16, near_add_i16, near_reduce_i16, NULL, 0,
		INT16_MAX},
	[GPUBE_INT32] = {GROUP_BITS, near_clear_i32, near_add_i32, near_reduce_i32, NULL, 0,
		INT32_MAX},
};

const struct gpube__tile_kernel gpube__tiles_avx2[] = {
	[GPUBE_INT16] = {GROUP_BITS, clear_i16, add_i16, reduce_i16, &near[GPUBE_INT16], 0, 0},
	[GPUBE_INT32] = {GROUP_BITS, clear_i32, add_i32, reduce_i32, &near[GPUBE_INT32], 0, 0},
	[GPUBE_INT64] = {GROUP_BITS, clear_i64, add_i64, reduce_i64, NULL, 0, 0},
	[GPUBE_FLOAT32] = {GROUP_BITS, clear_f32, add_f32, reduce_f32, NULL, 0, 0},
	[GPUBE_FLOAT64] = {GROUP_BITS, clear_f64, add_f64, reduce_f64, NULL, 0, 0},
};
#endif
