/*
 * natural.h - whole numbers of any size, made by small factors and read in decimal: exact numbers of optima.
 *
 * Nine digits a word, and each factor goes once through all of them: 2^1000000 takes a second, 2^3000000 ten, and a
 * stop ends them. (Numbers of optima are mostly of a few hundred digits. Karatsuba's rule took 1.5 s for the latter, and
 * three times as much code; GMP ends the program where it gets no memory.)
 */
#ifndef GPUBE_NATURAL_H
#define GPUBE_NATURAL_H

#include "gpube/base/base.h"

/* All 0: the number 0. The lowest word first, none of 0 on top. */
struct gpube__natural {
	struct gpube_ctx *ctx;
	uint32_t *word;
	int64_t n, capacity;
};

/* a * factor + more, both below 2^34; of 0, more may be any. Errors: ENOMEM, ESTOP: the number is then none */
int gpube__natural_grow(struct gpube__natural *a, uint64_t factor, uint64_t more);
/* a + b. Errors: ENOMEM */
int gpube__natural_add(struct gpube__natural *a, const struct gpube__natural *b);
/* a times the product of n numbers >= 0. Errors: those of gpube__natural_grow() */
int gpube__natural_times_all(struct gpube__natural *a, const int32_t *factors, int64_t n);
/* NULL: ENOMEM */
char *gpube__natural_text(const struct gpube__natural *a);
void gpube__natural_clear(struct gpube__natural *a);

#endif
