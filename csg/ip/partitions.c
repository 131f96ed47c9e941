/* partitions.c - the integer partitions of n, and which become which by splits; see ip.h. */
#include <string.h>

#include "csg/ip/ip.h"

/* How many ways there are to write each number up to n as a sum of numbers. */
static int64_t count(int n)
{
	int64_t ways[GPUBE_MAX_AGENTS + 1] = {1};

	for (int part = 1; part <= n; part++)
		for (int sum = part; sum <= n; sum++)
			ways[sum] += ways[sum - part];
	return ways[n];
}

int csg__partitions_new(struct csg__partitions *p, struct gpube_ctx *ctx, int n)
{
	uint8_t part[GPUBE_MAX_AGENTS + 2] = {0};
	int k = 1; /* of the part that grows: those before it stay */

	*p = (struct csg__partitions){.n = count(n)};
	p->item = gpube__alloc_zero(ctx, (uint64_t)p->n, sizeof(*p->item));
	p->stack = gpube__alloc(ctx, (uint64_t)p->n, sizeof(*p->stack));
	if (!p->item || !p->stack) {
		csg__partitions_clear(p, ctx);
		return GPUBE_ENOMEM;
	}
	/* the first is n ones; the next has its last but one part grown by one, and what is left of
	 * the last cut into as many parts of that size as there are, the last one with the
	 * remainder */
	memset(part, 1, (size_t)n);
	k = n;
	for (int64_t i = 0;; i++) {
		struct csg__partition *to = &p->item[i];
		int left, size;

		to->n_parts = (uint8_t)k;
		memcpy(to->part, part, (size_t)k);
		if (k == 1)
			return GPUBE_OK;
		size = part[k - 2] + 1;
		left = part[k - 1] - 1;
		k--;
		part[k - 1] = (uint8_t)size;
		for (; left >= size; left -= size)
			part[k++] = (uint8_t)size;
		part[k - 1] = (uint8_t)(part[k - 1] + left);
	}
}

void csg__partitions_clear(struct csg__partitions *p, struct gpube_ctx *ctx)
{
	gpube__free(ctx, p->item);
	gpube__free(ctx, p->stack);
	*p = (struct csg__partitions){0};
}

/* The place of these parts, which need not rise: a count of each size. */
static int64_t find(const struct csg__partitions *p, const uint8_t *count_of, int n)
{
	uint8_t part[GPUBE_MAX_AGENTS + 1] = {0};
	int64_t low = 0, high = p->n;
	int k = 0;

	for (int size = 1; size <= n; size++)
		for (int i = 0; i < count_of[size]; i++)
			part[k++] = (uint8_t)size;
	while (low + 1 < high) {
		const int64_t middle = low + (high - low) / 2;

		if (memcmp(p->item[middle].part, part, sizeof(part)) <= 0)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void count_parts(uint8_t count_of[GPUBE_MAX_AGENTS + 1], const struct csg__partition *p)
{
	memset(count_of, 0, GPUBE_MAX_AGENTS + 1);
	for (int k = 0; k < p->n_parts; k++)
		count_of[p->part[k]]++;
}

/* Whether d has split coalitions of a + b agents into a and b, a >= b. */
static bool is_split(const struct csg__dp *d, int filled, int a, int b)
{
	return a + b <= filled && a <= csg__dp_most(d, a + b);
}

int64_t csg__partitions_merge(
	const struct csg__partitions *p, int64_t k, const struct csg__dp *d, int filled)
{
	uint8_t of[GPUBE_MAX_AGENTS + 1];
	int large, small;

	count_parts(of, &p->item[k]);
	do { /* the two that make the largest: what is left are few parts */
		large = small = 0;
		for (int a = 1; a < filled; a++)
			for (int b = 1; b <= a; b++)
				if (of[a] && of[b] && (a != b || of[a] > 1) &&
					is_split(d, filled, a, b) && a + b >= large + small) {
					large = a;
					small = b;
				}
		if (large) {
			of[large]--;
			of[small]--;
			of[large + small]++;
		}
	} while (large);
	return find(p, of, d->n);
}

void csg__partitions_reach(
	struct csg__partitions *p, int64_t k, const struct csg__dp *d, int filled)
{
	int64_t n_open = 0;

	for (int64_t i = 0; i < p->n; i++)
		p->item[i].seen = false;
	p->item[k].seen = true;
	p->stack[n_open++] = k;
	while (n_open) {
		const int64_t at = p->stack[--n_open];
		uint8_t of[GPUBE_MAX_AGENTS + 1];

		p->item[at].done = true;
		count_parts(of, &p->item[at]);
		for (int c = 2; c <= filled; c++)
			for (int b = 1; of[c] && 2 * b <= c; b++) {
				int64_t next;

				if (!is_split(d, filled, c - b, b))
					continue;
				of[c]--;
				of[c - b]++;
				of[b]++;
				next = find(p, of, d->n);
				of[c]++;
				of[c - b]--;
				of[b]--;
				if (!p->item[next].seen) {
					p->item[next].seen = true;
					p->stack[n_open++] = next;
				}
			}
	}
}
