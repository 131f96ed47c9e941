/*
 * rational.h - exact fractions of any size, and tables of them: the payoffs of games.
 *
 * A table of integers has the narrowest integer type, as costs have. Decimals are fractions as
 * others are, over one common denominator a table, which is as small as a scale for each table
 * would be, and one thing instead of two. Both take 8 bytes a payoff at most; only where a
 * numerator or the denominator passes 64 bits does each number stand for itself.
 */
#ifndef GPUBE_RATIONAL_H
#define GPUBE_RATIONAL_H

#include "gpube/ir/model.h"

/*
 * A rational in lowest terms: num / den with den >= 1 where both fit, otherwise
 * den is 0 and 'text' is "p/q" or "p", in decimal digits, not always in lowest terms.
 */
struct gpube_rational {
	int64_t num, den;
	char *text;
};

/* Longest integer that a number may consist of, in digits. */
#define GPUBE__MOST_DIGITS 20000

/*
 * gpube__rational_parse() - the n bytes at s, all of them: -3, 3/2, 1.5, .5, 2e-1.
 * Errors: EPARSE (no such number), ERANGE (GPUBE__MOST_DIGITS), ENOMEM; no text is set for the
 *         first
 */
int gpube__rational_parse(struct gpube_ctx *ctx, struct gpube_rational *v, const char *s, size_t n);
/* The greatest common divisor, at least 0; of what is above INT64_MIN. */
static inline int64_t gpube__divisor(int64_t a, int64_t b)
{
	while (b) {
		const int64_t r = a % b;

		a = b;
		b = r;
	}
	return a < 0 ? -a : a;
}

/* num / den in lowest terms; den >= 1. */
struct gpube_rational gpube__rational(int64_t num, int64_t den);
double gpube__rational_double(const struct gpube_rational *v);
/* -1, 0 or 1: two of 64 bits. */
int gpube__rational_compare(const struct gpube_rational *a, const struct gpube_rational *b);

/*
 * gpube__rational_table() - a dense table of t->n numbers: sets its type, values and den.
 * v       in lowest terms; their texts stay the caller's
 * Errors: ENOMEM
 */
int gpube__rational_table(
	struct gpube_ctx *ctx, struct gpube_table *t, const struct gpube_rational *v);
/* Number k of a dense table of integers or rationals, in lowest terms; its text is borrowed. */
struct gpube_rational gpube__table_rational(const struct gpube_table *t, int64_t k);

#endif
