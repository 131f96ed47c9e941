/*
 * twofold.h - what sums and products are compared with: numbers of 106 bits and any magnitude, of
 * two doubles and an exponent. Long doubles, which they stand for, have 64 bits on x86 alone, and
 * under valgrind 53.
 */
#ifndef GPUBE_TESTS_TWOFOLD_H
#define GPUBE_TESTS_TWOFOLD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* (hi + lo) * 2^e; hi in [0.5, 1), or all are 0. Nothing is below 0. */
struct twofold {
	double hi, lo;
	int64_t e;
};

static inline struct twofold twofold_settled(double hi, double lo, int64_t e)
{
	const double sum = hi + lo, rest = lo - (sum - hi);
	int up;

	hi = frexp(sum, &up);
	return hi == 0 ? (struct twofold){0, 0, 0} : (struct twofold){hi, ldexp(rest, -up), e + up};
}

static inline struct twofold twofold_of(double v)
{
	return twofold_settled(v, 0, 0);
}

static inline struct twofold twofold_mul(struct twofold a, double v)
{
	const struct twofold b = twofold_of(v);
	const double hi = a.hi * b.hi, lo = fma(a.hi, b.hi, -hi) + a.lo * b.hi;

	return twofold_settled(hi, lo, a.e + b.e);
}

static inline struct twofold twofold_add(struct twofold a, struct twofold b)
{
	double sum, part, lo;

	if (a.hi == 0 || (b.hi > 0 && b.e > a.e)) {
		const struct twofold c = a;

		a = b;
		b = c;
	}
	if (b.hi == 0 || b.e - a.e < -200)
		return a;
	b.hi = ldexp(b.hi, (int)(b.e - a.e));
	b.lo = ldexp(b.lo, (int)(b.e - a.e));
	sum = a.hi + b.hi;
	part = sum - a.hi;
	lo = (a.hi - (sum - part)) + (b.hi - part); /* what the sum has lost */
	return twofold_settled(sum, lo + (a.lo + b.lo), a.e);
}

static inline double twofold_value(struct twofold a)
{
	return ldexp(a.hi + a.lo, (int)(a.e < -3000 ? -3000 : a.e > 3000 ? 3000 : a.e));
}

/* a / b, to the last bit but one; b is not 0. */
static inline double twofold_ratio(struct twofold a, struct twofold b)
{
	const double first = a.hi / b.hi, left = fma(-first, b.hi, a.hi) + (a.lo - first * b.lo);

	return twofold_value((struct twofold){first, left / b.hi, a.e - b.e});
}

static inline double twofold_log10(struct twofold a)
{
	/* the first has 32 bits: times an exponent it is exact */
	const double two = 0x1.34413509p-2, rest = 0x1.ef3fde623e256p-35;
	const bool below = a.hi < sqrt(0.5); /* so that near 1 nothing cancels */
	const double m = below ? 2 * a.hi : a.hi, lo = below ? 2 * a.lo : a.lo,
		     e = (double)(a.e - below);

	return a.hi == 0 ? -INFINITY : e * two + (log10(m) + (lo / m / log(10) + e * rest));
}

#endif
