/* scan_avx512.c - scans of values, eight at a time; see scan.h. */
#include "csg/lp/scan.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>

#define D              __m512d
#define LANES          8
#define HALF(p)        _mm_loadu_si128((const __m128i *)(p))
#define LOAD_I16(p)    _mm512_cvtepi32_pd(_mm256_cvtepi16_epi32(HALF(p)))
#define LOAD_I32(p)    _mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)(p)))
#define LOAD_I64(p)    _mm512_cvtepi64_pd(_mm512_loadu_si512(p))
#define LOAD_F32(p)    _mm512_cvtps_pd(_mm256_loadu_ps(p))
#define LOAD_F64(p)    _mm512_loadu_pd(p)
#define SET(x)         _mm512_set1_pd(x)
#define SUB(a, b)      _mm512_sub_pd(a, b)
#define MAX(a, b)      _mm512_max_pd(a, b)
#define LARGEST(v)     _mm512_reduce_max_pd(v)
#define NOT_LESS(a, b) _mm512_cmp_pd_mask(a, b, _CMP_GE_OQ)
#define KERNELS        csg__scan_avx512
#include "csg/lp/scan_impl.h"
#endif
