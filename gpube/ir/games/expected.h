/* expected.h - expected payoffs: sums of fractions times chances. Internal to gpube/ir/games/. */
#ifndef GPUBE_EXPECTED_H
#define GPUBE_EXPECTED_H

#include "gpube/ir/rational.h"

typedef __int128 gpube__int128;

/* num / den in lowest terms; begins as {0, 1} */
struct gpube_expected {
	gpube__int128 num, den;
};

static inline gpube__int128 gpube__common_divisor(gpube__int128 a, gpube__int128 b)
{
	while (b) {
		const gpube__int128 rest = a % b;

		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}

/* e += chance * v; false if that passes 126 bits. */
static inline bool gpube__expected_add(struct gpube_expected *e,
	const struct gpube_rational *chance, const struct gpube_rational *v)
{
	gpube__int128 a, b, c;

	if (!v->den ||
		__builtin_mul_overflow((gpube__int128)chance->num, (gpube__int128)v->num, &a) ||
		__builtin_mul_overflow((gpube__int128)chance->den, (gpube__int128)v->den, &b))
		return false;
	c = gpube__common_divisor(a, b);
	a /= c;
	b /= c;
	c = gpube__common_divisor(e->den, b);
	if (__builtin_mul_overflow(e->num, b / c, &e->num) ||
		__builtin_mul_overflow(a, e->den / c, &a) ||
		__builtin_add_overflow(e->num, a, &e->num) ||
		__builtin_mul_overflow(e->den, b / c, &e->den))
		return false;
	c = gpube__common_divisor(e->num, e->den);
	e->num /= c;
	e->den /= c;
	return true;
}

/* *chance *= by; false if it passes 62 bits. */
static inline bool gpube__chance_times(
	struct gpube_rational *chance, const struct gpube_rational *by)
{
	const gpube__int128 num = (gpube__int128)chance->num * by->num,
			    den = (gpube__int128)chance->den * by->den,
			    d = gpube__common_divisor(num, den);

	chance->num = (int64_t)(num / d);
	chance->den = (int64_t)(den / d);
	return num / d < (gpube__int128)1 << 62 && den / d < (gpube__int128)1 << 62;
}

/* As a payoff; false if it passes 64 bits. */
static inline bool gpube__expected_take(struct gpube_rational *v, const struct gpube_expected *e)
{
	if (e->num > INT64_MAX || e->num <= INT64_MIN || e->den > INT64_MAX)
		return false;
	*v = (struct gpube_rational){(int64_t)e->num, (int64_t)e->den, NULL};
	return true;
}

#endif
