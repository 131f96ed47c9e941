/*
 * face_rows.h - what takes the time of branch and bound on a CPU, row by row of a face's
 * dictionary. All lengths of vectors give the same bits: sums are in eight parts, whatever a
 * register holds. Internal to nash/.
 */
#ifndef NASH_FACE_ROWS_H
#define NASH_FACE_ROWS_H

#include "gpube/base/base.h"

#define NASH_LP_ZERO_BELOW 1e-9 /* values below are taken for 0: a proposal, no decision */

/* to[c] += f * from[c], c < n */
void nash__row_add(double *restrict to, const double *restrict from, double f, int32_t n);
/*
 * The sum of what is negative in d[0] to d[n - 1], as a positive number; most: out, the largest of
 * them and 'start'.
 */
double nash__row_down(const double *d, int32_t n, double start, double *most);

#endif
