/* natural.c - see natural.h. */
#include "gpube/base/natural.h"

#include <inttypes.h>
#include <stdio.h>

enum { DIGITS = 9, BASE = GPUBE__NATURAL_BASE };
/* Shorter numbers are done in a moment, and what was counted in time is not lost for them. */
enum { LONG_WORDS = 4096 };

int gpube__natural_grow(struct gpube__natural *a, uint64_t factor, uint64_t more)
{
	uint64_t carry = more;

	if (a->n >= LONG_WORDS && gpube__stopped(a->ctx))
		return gpube__fail_stopped(a->ctx);
	/* what is carried over the last word is of two, and 2^64 of three */
	if (gpube__grow(a->ctx, &a->word, &a->capacity, a->n + 3, sizeof(*a->word)))
		return GPUBE_ENOMEM;
	for (int64_t i = 0; i < a->n; i++) {
		carry += a->word[i] * factor;
		a->word[i] = (uint32_t)(carry % BASE);
		carry /= BASE;
	}
	for (; carry; carry /= BASE)
		a->word[a->n++] = (uint32_t)(carry % BASE);
	while (a->n && !a->word[a->n - 1])
		a->n--;
	return GPUBE_OK;
}

int gpube__natural_add(struct gpube__natural *a, const struct gpube__natural *b)
{
	const int64_t n = a->n > b->n ? a->n : b->n;
	uint32_t carry = 0;

	if (gpube__grow(a->ctx, &a->word, &a->capacity, n + 1, sizeof(*a->word)))
		return GPUBE_ENOMEM;
	for (int64_t i = 0; i < n; i++) {
		carry += (i < a->n ? a->word[i] : 0) + (i < b->n ? b->word[i] : 0);
		a->word[i] = carry % BASE;
		carry /= BASE;
	}
	a->n = n;
	if (carry)
		a->word[a->n++] = carry;
	return GPUBE_OK;
}

char *gpube__natural_text(const struct gpube__natural *a)
{
	char *text = gpube__alloc(a->ctx, (uint64_t)a->n * DIGITS + 2, 1), *at = text;

	if (!text)
		return NULL;
	at += snprintf(at, DIGITS + 1, "%" PRIu32, a->n ? a->word[a->n - 1] : 0);
	for (int64_t i = a->n - 2; i >= 0; i--)
		at += snprintf(at, DIGITS + 1, "%09" PRIu32, a->word[i]);
	return text;
}

void gpube__natural_clear(struct gpube__natural *a)
{
	gpube__free(a->ctx, a->word);
	*a = (struct gpube__natural){.ctx = a->ctx};
}
