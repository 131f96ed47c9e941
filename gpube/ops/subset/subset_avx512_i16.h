/*
 * subset_avx512_i16.h - kernels of subset_convolve for 16-bit integers in AVX-512: for the
 * files that include it with their V_TOP.
 */
#include <immintrin.h>

static inline __m512i index_16(const uint8_t *map)
{
	return _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)map));
}

#define T                    int16_t
#define X(n)                 n##_i16
#define V                    __m512i
#define LANES                32
#define V_LOAD(p)            _mm512_loadu_si512(p)
#define V_STORE(p, v)        _mm512_storeu_si512(p, v)
#define V_SET(x)             _mm512_set1_epi16(x)
#define V_ADD(a, b)          _mm512_add_epi16(a, b)
#define V_SUB(a, b)          _mm512_sub_epi16(a, b)
#define V_MAX(a, b)          _mm512_max_epi16(a, b)
#define LOWEST               INT16_MIN
#define SHUFFLES             __m512i
#define SHUFFLE_INIT(s, map) (s) = index_16(map)
#define SHUFFLE(s, p)        _mm512_permutexvar_epi16(s, _mm512_loadu_si512(p))
#include "gpube/ops/subset/subset_tile_impl.h"
