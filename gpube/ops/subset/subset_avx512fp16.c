/*
 * subset_avx512fp16.c - the kernel of 16-bit integers near each other for AVX-512 with
 * FP16: maxima of half precision, which have two ports where those of integers have one.
 */
#include <string.h>

#include "gpube/ops/subset/subset_tile.h"

#if defined(__AVX512FP16__)
#include <cpuid.h>

#include "gpube/ops/subset/subset_avx512_i16.h"

/* see LEAST_F32 in subset_avx512.c */
#define LEAST_F16 0x0400
#define ROOM_F16  (0x7c00 - LEAST_F16)

#define T           int16_t
#define U           uint16_t
#define X(n)        n##_i16
#define LOWEST      INT16_MIN
#define V_TOP(a, b) (v_i16) _mm512_max_ph((__m512h)(a), (__m512h)(b))
#define NEAR_ALONE  /* the other kernel is in subset_avx512.c */
#include "gpube/ops/subset/subset_tile_impl.h"

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
