/*
 * bignum.h - a product of many small numbers in decimal, which counts of free variables are.
 *
 * Digits are kept in groups of six, so that a product needs no conversion to be read. Halves are multiplied by
 * Karatsuba's rule modulo 2^64, which no sum of less than 10^7 products of such groups reaches. GMP would be
 * faster, and is an optional library that ends the program when it gets no memory.
 */
#ifndef GPUBE_BIGNUM_H
#define GPUBE_BIGNUM_H

#include "gpube/base/base.h"

/*
 * gpube__times_all() - *text, a decimal number >= 0, becomes its product with all factors, each >= 1.
 * Cost:   O(digits^1.6)
 * Errors: ELIMIT (more than 60 million digits), ENOMEM, ESTOP: *text is untouched
 */
int gpube__times_all(char **text, struct gpube_ctx *ctx, const int32_t *factors, int64_t n);

#endif
