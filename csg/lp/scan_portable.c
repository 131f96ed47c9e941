/* scan_portable.c - scans of values by plain loops, and the choice of a kernel; see scan.h. */
#include "csg/lp/scan.h"

#include <math.h>

#include "gpube/ops/subset/subset_tile.h"

#define SCANS(T, name)                                                                             \
	static double most_##name(const void *values, const double *w, size_t n)                   \
	{                                                                                          \
		const T *v = values;                                                               \
		double m = -INFINITY;                                                              \
                                                                                                   \
		for (size_t i = 0; i < n; i++) {                                                   \
			const double d = (double)v[i] - w[i];                                      \
                                                                                                   \
			m = d > m ? d : m;                                                         \
		}                                                                                  \
		return m;                                                                          \
	}                                                                                          \
	static size_t over_##name(                                                                 \
		const void *values, const double *w, double least, size_t n, uint32_t *at)         \
	{                                                                                          \
		const T *v = values;                                                               \
		size_t k = 0;                                                                      \
                                                                                                   \
		for (size_t i = 0; i < n; i++)                                                     \
			if ((double)v[i] - w[i] >= least)                                          \
				at[k++] = (uint32_t)i;                                             \
		return k;                                                                          \
	}

SCANS(int16_t, i16)
SCANS(int32_t, i32)
SCANS(int64_t, i64)
SCANS(float, f32)
SCANS(double, f64)

const struct csg__scan_kernel csg__scan_portable[] = {
	[GPUBE_INT16] = {most_i16, over_i16},
	[GPUBE_INT32] = {most_i32, over_i32},
	[GPUBE_INT64] = {most_i64, over_i64},
	[GPUBE_FLOAT32] = {most_f32, over_f32},
	[GPUBE_FLOAT64] = {most_f64, over_f64},
};

const struct csg__scan_kernel *csg__scan_choose(enum gpube_type type)
{
#if defined(__x86_64__)
	const enum gpube__isa isa = gpube__isa_here();

	if (isa == GPUBE_ISA_AVX512)
		return &csg__scan_avx512[type];
	if (isa == GPUBE_ISA_AVX2 && csg__scan_avx2[type].most)
		return &csg__scan_avx2[type];
#endif
	return &csg__scan_portable[type];
}
