/* scan_portable.c - scans of values one at a time, and the choice of a kernel; see scan.h. */
#include "csg/lp/scan.h"

#include <math.h>

#include "gpube/ops/subset/subset_tile.h"

#define D              double
#define LANES          1
#define LOAD_I16(p)    ((double)*(p))
#define LOAD_I32(p)    ((double)*(p))
#define LOAD_I64(p)    ((double)*(p))
#define LOAD_F32(p)    ((double)*(p))
#define LOAD_F64(p)    (*(p))
#define SET(x)         (x)
#define SUB(a, b)      ((a) - (b))
#define MAX(a, b)      ((b) > (a) ? (b) : (a))
#define LARGEST(v)     (v)
#define NOT_LESS(a, b) ((a) >= (b))
#define KERNELS        csg__scan_portable
#include "csg/lp/scan_impl.h"

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
