/*
 * digits.h - runs of decimal digits, eight bytes at a time. Internal to formats/.
 *
 * Eight bytes are read wherever a digit may stand, so the text must end in a 0 and
 * have seven more bytes behind that; the window of struct gpube_in does.
 */
#ifndef GPUBE_DIGITS_H
#define GPUBE_DIGITS_H

#include <stdint.h>
#include <string.h>

/* The value of the digits at p, at most 8 of them; returns how many. */
static inline int gpube__digits8(const char *p, uint64_t *value)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	const uint64_t high = 0x8080808080808080u;
	uint64_t x, other;
	int n;

	memcpy(&x, p, sizeof(x));
	x ^= 0x3030303030303030u; /* digits become 0 to 9 */
	/* a carry reaches only bytes behind the first that is no digit */
	other = (x | (x + 0x7676767676767676u)) & high;
	n = other ? __builtin_ctzll(other) >> 3 : 8;
	if (n == 0) {
		*value = 0;
		return 0;
	}
	x <<= 64 - 8 * n; /* as if zeros stood in front */
	x = (x & 0x0f0f0f0f0f0f0f0fu) * 2561 >> 8;
	x = (x & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
	*value = (x & 0x0000ffff0000ffffu) * 42949672960001u >> 32;
	return n;
#else
	uint64_t v = 0;
	int n = 0;

	for (; n < 8 && (unsigned char)(p[n] - '0') <= 9; n++)
		v = v * 10 + (uint64_t)(p[n] - '0');
	*value = v;
	return n;
#endif
}

/* The value of the digits at p, at most 16 of them, and how many; returns where they end. */
static inline const char *gpube__digits16(const char *p, uint64_t *value, int *n)
{
	static const uint32_t ten[] = {
		1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
	uint64_t more;
	int k = gpube__digits8(p, value), l;

	*n = k;
	if (k < 8)
		return p + k;
	l = gpube__digits8(p + 8, &more);
	*value = *value * ten[l] + more;
	*n = 8 + l;
	return p + *n;
}

#endif
