/* subset_avx512.c - kernels of subset_convolve for AVX-512 F, BW, DQ and VL. */
#if defined(__x86_64__)
#include "gpube/ops/subset/subset_avx512_i16.h"

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

static inline __m512i shuffle_32(struct shuffle_32 s, const void *from)
{
	const int32_t *p = from;

	return _mm512_permutex2var_epi32(
		_mm512_loadu_si512(p + s.at[0]), s.index, _mm512_loadu_si512(p + s.at[1]));
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

#define FROM_TWO(s, map)  (s) = index_32(map)
#define FROM_FOUR(s, map) (s) = index_64(map)

#define TOP_i16           MAX_i16
#define MAX_i32(a, b)     (v_i32) _mm512_max_epi32((__m512i)(a), (__m512i)(b))
#define TOP_i32(a, b)     (v_i32) _mm512_max_ps((__m512)(a), (__m512)(b))
#define SHUFFLES_i32      struct shuffle_32
#define SHUFFLE_INIT_i32  FROM_TWO
#define SHUFFLE_i32(s, p) (v_i32) shuffle_32(s, p)
#define MAX_i64(a, b)     (v_i64) _mm512_max_epi64((__m512i)(a), (__m512i)(b))
#define TOP_i64(a, b)     (v_i64) _mm512_max_pd((__m512d)(a), (__m512d)(b))
#define SHUFFLES_i64      struct shuffle_64
#define SHUFFLE_INIT_i64  FROM_FOUR
#define SHUFFLE_i64(s, p) (v_i64) shuffle_64(s, p)
#define MAX_f32(a, b)     (v_f32) _mm512_max_ps((__m512)(a), (__m512)(b))
#define SHUFFLES_f32      struct shuffle_32
#define SHUFFLE_INIT_f32  FROM_TWO
#define SHUFFLE_f32(s, p) (v_f32) shuffle_32(s, p)
#define MAX_f64(a, b)     (v_f64) _mm512_max_pd((__m512d)(a), (__m512d)(b))
#define SHUFFLES_f64      struct shuffle_64
#define SHUFFLE_INIT_f64  FROM_FOUR
#define SHUFFLE_f64(s, p) (v_f64) shuffle_64(s, p)
#include "gpube/ops/subset/subset_types_impl.h"

const struct gpube__tile_kernel gpube__tiles_avx512[] = KERNELS(
	NEAR(i16, 0, INT16_MAX), NEAR(i32, LEAST_F32, ROOM_F32), NEAR(i64, LEAST_F64, ROOM_F64));
#endif
