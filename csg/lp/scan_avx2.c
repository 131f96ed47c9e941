/* scan_avx2.c - scans of values, four at a time; see scan.h. */
#include "csg/lp/scan.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>

#define LOAD_I16(p) _mm256_cvtepi32_pd(_mm_cvtepi16_epi32(_mm_loadl_epi64((const __m128i *)(p))))
#define LOAD_I32(p) _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)(p)))
#define LOAD_F32(p) _mm256_cvtps_pd(_mm_loadu_ps(p))
#define LOAD_F64(p) _mm256_loadu_pd(p)

#define SCANS(T, name, LOAD)                                                                       \
	static double most_##name(const void *values, const double *w, size_t n)                   \
	{                                                                                          \
		const T *v = values;                                                               \
		__m256d m = _mm256_set1_pd(-INFINITY);                                             \
		double lane[4];                                                                    \
                                                                                                   \
		for (size_t i = 0; i < n; i += 4)                                                  \
			m = _mm256_max_pd(m, _mm256_sub_pd(LOAD(v + i), _mm256_loadu_pd(w + i)));  \
		_mm256_storeu_pd(lane, m);                                                         \
		return fmax(fmax(lane[0], lane[1]), fmax(lane[2], lane[3]));                       \
	}                                                                                          \
	static size_t over_##name(                                                                 \
		const void *values, const double *w, double least, size_t n, uint32_t *at)         \
	{                                                                                          \
		const T *v = values;                                                               \
		const __m256d l = _mm256_set1_pd(least);                                           \
		size_t k = 0;                                                                      \
                                                                                                   \
		for (size_t i = 0; i < n; i += 4) {                                                \
			unsigned found = (unsigned)_mm256_movemask_pd(                             \
				_mm256_cmp_pd(_mm256_sub_pd(LOAD(v + i), _mm256_loadu_pd(w + i)),  \
					l, _CMP_GE_OQ));                                           \
                                                                                                   \
			for (; found; found &= found - 1)                                          \
				at[k++] = (uint32_t)i + (uint32_t)__builtin_ctz(found);            \
		}                                                                                  \
		return k;                                                                          \
	}

SCANS(int16_t, i16, LOAD_I16)
SCANS(int32_t, i32, LOAD_I32)
SCANS(float, f32, LOAD_F32)
SCANS(double, f64, LOAD_F64)

const struct csg__scan_kernel csg__scan_avx2[] = {
	[CSG_INT16] = {most_i16, over_i16},
	[CSG_INT32] = {most_i32, over_i32},
	[CSG_INT64] = {0},
	[CSG_FLOAT32] = {most_f32, over_f32},
	[CSG_FLOAT64] = {most_f64, over_f64},
};
#endif
