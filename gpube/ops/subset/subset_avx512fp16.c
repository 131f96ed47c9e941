/*
 * subset_avx512fp16.c - the kernel of 16-bit integers near each other for AVX-512 with
 * FP16: maxima of half precision, which have two ports where those of integers have one.
 */
#include "gpube/ops/subset/subset_tile.h"

#if defined(__AVX512FP16__)
#include <cpuid.h>
#include <immintrin.h>
#include <string.h>

#define GROUP_BITS 3
#define SHUFFLES_FAST

/* see LEAST_F32 in subset_avx512.c */
#define LEAST_F16 0x0400
#define ROOM_F16  (0x7c00 - LEAST_F16)

static inline __m512i top_ph(__m512i a, __m512i b)
{
	return _mm512_castph_si512(_mm512_max_ph(_mm512_castsi512_ph(a), _mm512_castsi512_ph(b)));
}

#define V_TOP(a, b) top_ph(a, b)
#define NEAR_ALONE  /* the other kernel is in subset_avx512.c */
#include "gpube/ops/subset/subset_avx512_i16.h"

static const struct gpube__tile_kernel kernel = {
	GROUP_BITS, near_clear_i16, near_add_i16, near_reduce_i16, NULL, LEAST_F16, ROOM_F16};

const struct gpube__tile_kernel *gpube__tile_fp16(void)
{
	unsigned a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && d >> 23 & 1 ? &kernel : NULL;
}
#elif defined(__x86_64__)
const struct gpube__tile_kernel *gpube__tile_fp16(void)
{
	return NULL;
}
#endif
