/* sort.c - sorting that a stop ends, and places in what is sorted. See base.h. */
#include <stdlib.h>
#include <string.h>

#include "gpube/base/base.h"

enum { BLOCK = 1 << 14 }; /* items between two looks at the clock */

/* Merges the sorted runs [0, k) and [k, n) of 'from' into 'to'. */
static int merge(struct gpube_ctx *ctx, char *to, const char *from, uint64_t k, uint64_t n,
	size_t size, int (*compare)(const void *, const void *))
{
	uint64_t i = 0, j = k;

	for (uint64_t at = 0; at < n; at++, to += size) {
		bool second = i == k || (j < n && compare(from + j * size, from + i * size) < 0);

		memcpy(to, from + (second ? j : i) * size, size);
		j += second;
		i += !second;
		if (at % BLOCK == 0 && gpube__stopped(ctx))
			return gpube__fail_stopped(ctx);
	}
	return GPUBE_OK;
}

int gpube__sort(struct gpube_ctx *ctx, void *items, uint64_t n, size_t size,
	int (*compare)(const void *, const void *))
{
	char *from = items, *buffer, *to;
	int status = GPUBE_OK;

	if (n <= BLOCK) {
		if (n > 1)
			qsort(items, n, size, compare);
		return GPUBE_OK;
	}
	buffer = to = gpube__alloc(ctx, n, size);
	if (!buffer)
		return GPUBE_ENOMEM;
	for (uint64_t k = 0; k < n && !status; k += BLOCK) {
		qsort(from + k * size, n - k < BLOCK ? n - k : BLOCK, size, compare);
		status = gpube__stopped(ctx) ? gpube__fail_stopped(ctx) : GPUBE_OK;
	}
	for (uint64_t run = BLOCK; run < n && !status; run *= 2) {
		char *other = from;

		for (uint64_t k = 0; k < n && !status; k += 2 * run) {
			uint64_t both = n - k < 2 * run ? n - k : 2 * run;

			status = merge(ctx, to + k * size, from + k * size, both < run ? both : run,
				both, size, compare);
		}
		from = to;
		to = other;
	}
	if (from != items)
		memcpy(items, from, n * size);
	gpube__free(ctx, buffer);
	return status;
}

int64_t gpube__first_from(const void *items, int64_t n, size_t size, int64_t key)
{
	int64_t low = 0;

	for (int64_t high = n; low < high;) {
		const int64_t mid = low + (high - low) / 2;
		int64_t there;

		memcpy(&there, (const char *)items + (size_t)mid * size, sizeof(there));
		if (there < key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int32_t gpube__first_from32(const int32_t *items, int32_t n, int32_t key)
{
	int32_t low = 0;

	for (int32_t high = n; low < high;) {
		const int32_t mid = low + (high - low) / 2;

		if (items[mid] < key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}
