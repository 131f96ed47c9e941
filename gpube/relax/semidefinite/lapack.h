/*
 * lapack.h - the two routines of LAPACK and BLAS that a semidefinite relaxation needs. The library
 * is opened when it is asked for the first time, since OpenBLAS takes longer to be opened than most
 * models to be solved, and there need not be one: gpube is built without it. The environment's
 * GPUBE_LAPACK names another library, or says 'none'. (Designs weighed. (1) An eigensolver of our
 * own would hardly be as fast as OpenBLAS's. (2) Linking the library: every run would open it. (3)
 * This one.)
 */
#ifndef GPUBE_LAPACK_H
#define GPUBE_LAPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "gpube/base/base.h"

/* True if there is one; what is missing is logged once. Threads may call it. */
bool gpube__lapack_there(struct gpube_ctx *ctx);

/*
 * gpube__lapack_eigen() - all eigenvalues of the symmetric matrix a[n * n], ascending, in
 * values[n]. Row k of a becomes the eigenvector of the k-th.
 * room, whole  gpube__lapack_room(n) doubles, and as many whole numbers as _whole(n)
 * Returns whether it has converged. Cost: about 10 n^3 operations
 */
bool gpube__lapack_eigen(double *a, int n, double *values, double *room, int *whole);
uint64_t gpube__lapack_room(int n);
uint64_t gpube__lapack_whole(int n);

/* The upper triangle of out[n * n] becomes the sum over k rows r of a[k * n] of r[i] r[j]. */
void gpube__lapack_gram(double *out, const double *a, int n, int k);

#endif
