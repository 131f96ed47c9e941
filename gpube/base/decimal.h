/* decimal.h - decimals as exact integers. */
#ifndef GPUBE_DECIMAL_H
#define GPUBE_DECIMAL_H

#include "gpube/base/base.h"

/*
 * The exact value of [+-] digits [. digits] [e [+-] digits] as v * 10^-scale, scale as small as can
 * be; false if it is no such number. *fits: 63 bits and 18 decimals hold it.
 */
bool gpube__decimal(const char *text, int64_t *v, int *scale, bool *fits);
/* The same with 120 bits; what does not fit has 2^120 as its v, or more than 18 decimals. */
#define GPUBE_WIDE ((__int128)1 << 120)
bool gpube__wide_decimal(const char *text, __int128 *v, int *scale, bool *fits);
/* v * 10^k, k >= 0; false if it passes 2^63 - 2 either way. */
bool gpube__scaled(int64_t *v, int k);
/* 10^k, k from 0 to 22, where that is exact. */
static inline double gpube__ten_to(int k)
{
	double v = 1;

	while (k-- > 0)
		v *= 10;
	return v;
}

/* The number as v * 10^-scale with a given scale; false if it is none or does not fit. */
bool gpube__units(int64_t *v, const char *text, int scale);

#endif
