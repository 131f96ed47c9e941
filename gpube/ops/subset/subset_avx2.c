/* subset_avx2.c - kernels of subset_convolve for AVX2. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

#define VECTOR_BYTES 32
#define GROUP_BITS   2

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

#define ONE_BY_ONE(s, map) (s) = (map)
#define FROM_TWO(s, map)   (s) = index_32(map)

#define MAX_i16(a, b)     (v_i16) _mm256_max_epi16((__m256i)(a), (__m256i)(b))
#define TOP_i16           MAX_i16
#define SHUFFLES_i16      const uint8_t *
#define SHUFFLE_INIT_i16  ONE_BY_ONE
#define SHUFFLE_i16(s, p) (v_i16) pick_16(s, p)
#define MAX_i32(a, b)     (v_i32) _mm256_max_epi32((__m256i)(a), (__m256i)(b))
#define TOP_i32           MAX_i32
#define SHUFFLES_i32      struct shuffle_32
#define SHUFFLE_INIT_i32  FROM_TWO
#define SHUFFLE_i32(s, p) (v_i32) shuffle_32(s, p)
#define MAX_i64(a, b)     (v_i64) max_64((__m256i)(a), (__m256i)(b))
#define SHUFFLES_i64      const uint8_t *
#define SHUFFLE_INIT_i64  ONE_BY_ONE
#define SHUFFLE_i64(s, p) (v_i64) pick_64(s, p)
#define MAX_f32(a, b)     (v_f32) _mm256_max_ps((__m256)(a), (__m256)(b))
#define SHUFFLES_f32      struct shuffle_32
#define SHUFFLE_INIT_f32  FROM_TWO
#define SHUFFLE_f32(s, p) (v_f32) shuffle_32(s, p)
#define MAX_f64(a, b)     (v_f64) _mm256_max_pd((__m256d)(a), (__m256d)(b))
#define SHUFFLES_f64      const uint8_t *
#define SHUFFLE_INIT_f64  ONE_BY_ONE
#define SHUFFLE_f64(s, p) (v_f64) pick_64(s, p)
#include "gpube/ops/subset/subset_types_impl.h"

const struct gpube__tile_kernel gpube__tiles_avx2[] =
	KERNELS(NEAR(i16, 0, INT16_MAX), NEAR(i32, 0, INT32_MAX), NULL);
#endif
