/*
 * natural.h - whole numbers of any size, made by small factors and read in decimal: exact numbers
 * of optima.
 *
 * Nine digits a word. A factor goes once through all of them; products of many factors are made in
 * halves, which transforms multiply (natural_product.c), in a time near the number of digits:
 * 2^3000000 takes half a second of the processor, and a stop ends it. (GMP ends the program where
 * it gets no memory.)
 */
#ifndef GPUBE_NATURAL_H
#define GPUBE_NATURAL_H

#include "gpube/base/base.h"

enum { GPUBE__NATURAL_BASE = 1000000000 };

/* All 0: the number 0. The lowest word first, none of 0 on top. */
struct gpube__natural {
	struct gpube_ctx *ctx;
	uint32_t *word;
	int64_t n, capacity;
};

/*
 * a * factor + more, both below 2^34; of 0, more may be any. Errors: ENOMEM, ESTOP: the number is
 * then none
 */
int gpube__natural_grow(struct gpube__natural *a, uint64_t factor, uint64_t more);
/* a + b. Errors: ENOMEM */
int gpube__natural_add(struct gpube__natural *a, const struct gpube__natural *b);
/*
 * a * b; the same number twice is its square. Errors: those of gpube__natural_grow(), ELIMIT (10^10
 * digits)
 */
int gpube__natural_times(struct gpube__natural *a, const struct gpube__natural *b);
/* a times the product of n numbers >= 0. Errors: those of gpube__natural_times() */
int gpube__natural_times_all(struct gpube__natural *a, const int32_t *factors, int64_t n);
/* NULL: ENOMEM */
char *gpube__natural_text(const struct gpube__natural *a);
void gpube__natural_clear(struct gpube__natural *a);

#endif
