/*
 * subset_avx512_i16.h - vectors of 16-bit integers in AVX-512, for the files of kernels; they add
 * their TOP_i16.
 */
#include <immintrin.h>
#include <stdint.h>

#define VECTOR_BYTES 64
#define GROUP_BITS   3
#define SHUFFLES_FAST

static inline __m512i index_16(const uint8_t *map)
{
	return _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)map));
}

#define MAX_i16(a, b)            (v_i16) _mm512_max_epi16((__m512i)(a), (__m512i)(b))
#define SHUFFLES_i16             __m512i
#define SHUFFLE_INIT_i16(s, map) (s) = index_16(map)
#define SHUFFLE_i16(s, p)        (v_i16) _mm512_permutexvar_epi16(s, _mm512_loadu_si512(p))
