/* arrays.c - see arrays.h. */
#include "gpube/base/arrays.h"

#include <stdio.h>
#include <string.h>

/* In front of each array, of a size that keeps what malloc() aligned. */
union block {
	void *before;
	max_align_t align;
};

void *gpube__array(struct gpube__arrays *a, uint64_t n, size_t size)
{
	uint64_t bytes;
	union block *b = NULL;

	if (!__builtin_mul_overflow(n, size, &bytes) && bytes <= UINT64_MAX - sizeof(*b))
		b = gpube__alloc_zero(a->ctx, bytes + sizeof(*b), 1);
	a->failed = a->failed || !b;
	if (!b)
		return NULL;
	b->before = a->last;
	a->last = b;
	return b + 1;
}

void gpube__arrays_clear(struct gpube__arrays *a)
{
	while (a->last) {
		union block *b = a->last;

		a->last = b->before;
		gpube__free(a->ctx, b);
	}
	a->failed = false;
}

void gpube__text_add(struct gpube__text *t, const char *bytes, size_t n)
{
	if (!t->status)
		t->status = gpube__grow(t->ctx, &t->bytes, &t->capacity, t->n + (int64_t)n + 1, 1);
	if (t->status)
		return;
	memcpy(t->bytes + t->n, bytes, n);
	t->n += (int64_t)n;
	t->bytes[t->n] = 0;
}

void gpube__text_printf(struct gpube__text *t, const char *fmt, ...)
{
	char text[100];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0 || n >= (int)sizeof(text))
		t->status = t->status ? t->status
				      : gpube__fail(t->ctx, GPUBE_EBUG,
						"gpube__text_printf: a piece of %d bytes", n);
	else
		gpube__text_add(t, text, (size_t)n);
}
