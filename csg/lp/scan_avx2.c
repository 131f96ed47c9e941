/* scan_avx2.c - scans of values, four at a time; see scan.h. */
#include "csg/lp/scan.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>

static inline double largest(__m256d v)
{
	return fmax(fmax(v[0], v[1]), fmax(v[2], v[3]));
}

#define D              __m256d
#define LANES          4
#define LOAD_I16(p)    _mm256_cvtepi32_pd(_mm_cvtepi16_epi32(_mm_loadl_epi64((const __m128i *)(p))))
#define LOAD_I32(p)    _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)(p)))
#define LOAD_F32(p)    _mm256_cvtps_pd(_mm_loadu_ps(p))
#define LOAD_F64(p)    _mm256_loadu_pd(p)
#define SET(x)         _mm256_set1_pd(x)
#define SUB(a, b)      _mm256_sub_pd(a, b)
#define MAX(a, b)      _mm256_max_pd(a, b)
#define LARGEST(v)     largest(v)
#define NOT_LESS(a, b) _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GE_OQ))
#define KERNELS        csg__scan_avx2
#include "csg/lp/scan_impl.h"
#endif
