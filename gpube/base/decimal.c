/* decimal.c - see decimal.h. */
#include "gpube/base/decimal.h"

#include <stdlib.h>
#include <string.h>

bool gpube__scaled(int64_t *v, int k)
{
	for (; k > 0; k--)
		if (__builtin_mul_overflow(*v, 10, v))
			return *v == 0;
	return *v<GPUBE_INF && * v> - GPUBE_INF;
}

/* What stands behind the digits: nothing, which is 0, or an exponent. */
static bool read_exponent(const char *p, long *exponent)
{
	const long most = 1 << 20; /* so large that nothing fits, and that no sum wraps */
	char *end = (char *)p;

	*exponent = 0;
	if (!*p)
		return true;
	if (*p++ != 'e' && p[-1] != 'E')
		return false;
	end += 1 + (*p == '-' || *p == '+');
	if (*end < '0' || *end > '9')
		return false;
	*exponent = strtol(p, &end, 10);
	*exponent = *exponent > most ? most : *exponent < -most ? -most : *exponent;
	return !*end;
}

/* v times ten and a digit, whose sign is v's; false: it passes 2^120 and stays there. */
static bool push_digit(__int128 *v, int digit)
{
	const bool fits = *v < GPUBE_WIDE / 10;

	*v = fits ? 10 * *v + digit : GPUBE_WIDE;
	return fits;
}

bool gpube__wide_decimal(const char *text, __int128 *v, int *scale, bool *fits)
{
	const char *p = text + (*text == '-' || *text == '+'), *point, *last;
	long exponent;

	point = p + strspn(p, "0123456789");
	last = point + (*point == '.') + strspn(point + (*point == '.'), "0123456789");
	if (last - p == (*point == '.') || !read_exponent(last, &exponent))
		return false;
	while (*point == '.' && last[-1] == '0')
		last--; /* they say nothing */
	*v = 0;
	*fits = true;
	for (; p < last; p++)
		if (p != point)
			*fits = push_digit(v, *p - '0') && *fits;
	exponent = *v == 0 ? 0 : (last > point ? last - point - 1 : 0) - exponent;
	for (; exponent > 0 && *fits && *v % 10 == 0; exponent--)
		*v /= 10;
	for (; exponent < 0 && *v < GPUBE_WIDE; exponent++)
		*fits = push_digit(v, 0) && *fits;
	*scale = exponent > 0 ? (int)exponent : 0;
	*fits = *fits && exponent <= 18;
	*v = *text == '-' ? -*v : *v;
	return true;
}

bool gpube__decimal(const char *text, int64_t *v, int *scale, bool *fits)
{
	__int128 wide;

	if (!gpube__wide_decimal(text, &wide, scale, fits))
		return false;
	*fits = *fits && wide < GPUBE_INF && wide > -GPUBE_INF;
	*v = *fits ? (int64_t)wide : 0;
	return true;
}

bool gpube__units(int64_t *v, const char *text, int scale)
{
	int64_t found;
	int decimals;
	bool fits;

	if (!gpube__decimal(text, &found, &decimals, &fits) || !fits || decimals > scale ||
		!gpube__scaled(&found, scale - decimals))
		return false;
	*v = found;
	return true;
}
