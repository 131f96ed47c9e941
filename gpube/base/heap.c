/* heap.c - binary heaps of any items. See base.h. */
#include <string.h>

#include "gpube/base/base.h"

enum { MOST_SIZE = 64 };

static void swap(char *a, char *b, size_t size)
{
	char kept[MOST_SIZE];

	memcpy(kept, a, size);
	memcpy(a, b, size);
	memcpy(b, kept, size);
}

/* Item k towards the front, as far as it goes; where it is then. */
static int64_t rise(char *items, int64_t k, size_t size, gpube__before before)
{
	for (int64_t up; k > 0; k = up) {
		up = (k - 1) / 2;
		if (!before(items + (size_t)k * size, items + (size_t)up * size))
			break;
		swap(items + (size_t)k * size, items + (size_t)up * size, size);
	}
	return k;
}

void gpube__heap_push(void *items, int64_t n, size_t size, gpube__before before)
{
	rise(items, n - 1, size, before);
}

void gpube__heap_take(void *items, int64_t n, int64_t k, size_t size, gpube__before before)
{
	char *at = items;

	n--;
	if (k == n)
		return;
	swap(at + (size_t)k * size, at + (size_t)n * size, size);
	k = rise(items, k, size, before);
	for (int64_t child; (child = 2 * k + 1) < n; k = child) {
		if (child + 1 < n &&
			before(at + (size_t)(child + 1) * size, at + (size_t)child * size))
			child++;
		if (!before(at + (size_t)child * size, at + (size_t)k * size))
			break;
		swap(at + (size_t)child * size, at + (size_t)k * size, size);
	}
}
