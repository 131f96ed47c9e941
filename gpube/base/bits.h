/* bits.h - sets of small numbers as rows of bits, number i the bit i % 64 of word i / 64. */
#ifndef GPUBE_BITS_H
#define GPUBE_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool gpube__bit(const uint64_t *set, int64_t i)
{
	return set[i >> 6] >> (i & 63) & 1;
}

static inline void gpube__bit_put(uint64_t *set, int64_t i)
{
	set[i >> 6] |= (uint64_t)1 << (i & 63);
}

static inline void gpube__bit_drop(uint64_t *set, int64_t i)
{
	set[i >> 6] &= ~((uint64_t)1 << (i & 63));
}

/* All below n, beside what there is. */
static inline void gpube__bits_fill(uint64_t *set, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		gpube__bit_put(set, i);
}

static inline int64_t gpube__bits_count(const uint64_t *set, int64_t words)
{
	int64_t n = 0;

	for (int64_t w = 0; w < words; w++)
		n += __builtin_popcountll(set[w]);
	return n;
}

/* Whether they have none in common. */
static inline bool gpube__bits_apart(const uint64_t *a, const uint64_t *b, int64_t words)
{
	for (int64_t w = 0; w < words; w++)
		if (a[w] & b[w])
			return false;
	return true;
}

static inline void gpube__bits_add(uint64_t *to, const uint64_t *set, int64_t words)
{
	for (int64_t w = 0; w < words; w++)
		to[w] |= set[w];
}

static inline bool gpube__bits_within(const uint64_t *set, const uint64_t *of, int64_t words)
{
	for (int64_t w = 0; w < words; w++)
		if (set[w] & ~of[w])
			return false;
	return true;
}

#endif
