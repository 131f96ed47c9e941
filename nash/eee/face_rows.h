/*
 * face_rows.h - what takes the time of branch and bound on a CPU, row by row of a face's
 * dictionary: compiled for several instruction sets, the best of which is chosen at run time. All
 * give the same bits: sums are in eight parts, whatever a register holds. Internal to nash/.
 */
#ifndef NASH_FACE_ROWS_H
#define NASH_FACE_ROWS_H

#include "gpube/base/base.h"

#define NASH_LP_ZERO_BELOW 1e-9 /* values below are taken for 0: a proposal, no decision */

/*
 * add   to[c] += f * from[c], c < n
 * down  the sum of what is negative in d[0] to d[n - 1], as a positive number
 * most  the largest of d[0] to d[n - 1] and 'start', with it
 */
struct nash_rows {
	void (*add)(double *to, const double *from, double f, int32_t n);
	double (*down)(const double *d, int32_t n, double start, double *most);
};

const struct nash_rows *nash__rows(void);
/* NULL: not on this processor */
const struct nash_rows *nash__rows_avx2(void);
const struct nash_rows *nash__rows_avx512(void);

#endif
