/*
 * scan.h - reading all values of a game against a linear function of the
 * agents: the inner loops of method lp, one set for each instruction set.
 */
#ifndef CSG_SCAN_H
#define CSG_SCAN_H

#include "csg/csg.h"

/*
 * v: n values of the kernel's type, w: n weights; n is a multiple of 8. All
 * arithmetic is in double, rounded once for the value (int64) and once for the
 * difference. Forbidden integers count as the least number of their type.
 */
struct csg__scan_kernel {
	double (*most)(const void *v, const double *w, size_t n); /* of v[i] - w[i] */
	/* the i with v[i] - w[i] >= least, in rising order; returns how many */
	size_t (*over)(const void *v, const double *w, double least, size_t n, uint32_t *at);
};

/* Indexed by enum gpube_type. */
extern const struct csg__scan_kernel csg__scan_portable[];
#if defined(__x86_64__)
extern const struct csg__scan_kernel csg__scan_avx2[]; /* int64: NULL */
extern const struct csg__scan_kernel csg__scan_avx512[];
#endif

/* The best for this processor. */
const struct csg__scan_kernel *csg__scan_choose(enum gpube_type type);

#endif
