/* bignum.c - products in decimal: see bignum.h. */
#include "gpube/base/bignum.h"

#include <stdio.h>
#include <string.h>

enum { DIGITS = 6, GROUP = 1000000, SHORT = 32, MOST_GROUPS = 10000000, GROUPS_BETWEEN_LOOKS = 1 << 14 };

/* Groups of six digits, the lowest first; no zeros on top. */
struct big {
	int64_t n;
	uint64_t *group;
};

/* out: 2n; room: 4n + 512. After a stop the result is none. */
static void convolve(
	struct gpube_ctx *ctx, uint64_t *out, const uint64_t *a, const uint64_t *b, int64_t n, uint64_t *room)
{
	const int64_t low = (n + 1) / 2, high = n - low;
	uint64_t *sum_a = room, *sum_b = sum_a + low, *middle = sum_b + low;

	if (n <= SHORT) {
		memset(out, 0, 2 * (size_t)n * sizeof(*out));
		for (int64_t i = 0; i < n; i++)
			for (int64_t k = 0; k < n; k++)
				out[i + k] += a[i] * b[k];
		return;
	}
	if (n >= GROUPS_BETWEEN_LOOKS && gpube__stopped(ctx))
		return;
	for (int64_t i = 0; i < low; i++) {
		sum_a[i] = a[i] + (i < high ? a[low + i] : 0);
		sum_b[i] = b[i] + (i < high ? b[low + i] : 0);
	}
	convolve(ctx, middle, sum_a, sum_b, low, middle + 2 * low);
	convolve(ctx, out, a, b, low, middle + 2 * low);
	convolve(ctx, out + 2 * low, a + low, b + low, high, middle + 2 * low);
	for (int64_t i = 0; i < 2 * low; i++)
		middle[i] -= out[i] + (i < 2 * high ? out[2 * low + i] : 0);
	for (int64_t i = 0; i < 2 * low && low + i < 2 * n; i++)
		out[low + i] += middle[i];
}

/* a = a * b, and b is gone. */
static int multiply(struct gpube_ctx *ctx, struct big *a, struct big *b)
{
	const int64_t n = a->n > b->n ? a->n : b->n;
	uint64_t *both, *out, carry = 0;

	if (n > MOST_GROUPS / 2)
		return gpube__fail(ctx, GPUBE_ELIMIT, "the number has more than %d digits", DIGITS * MOST_GROUPS);
	both = gpube__alloc_zero(ctx, 6 * (uint64_t)n + 512, sizeof(*both));
	out = gpube__alloc_zero(ctx, 2 * (uint64_t)n, sizeof(*out));
	if (!both || !out) {
		gpube__free(ctx, both);
		gpube__free(ctx, out);
		return GPUBE_ENOMEM;
	}
	memcpy(both, a->group, (size_t)a->n * sizeof(*both));
	memcpy(both + n, b->group, (size_t)b->n * sizeof(*both));
	convolve(ctx, out, both, both + n, n, both + 2 * n);
	gpube__free(ctx, both);
	if (gpube__stopped(ctx)) {
		gpube__free(ctx, out);
		return gpube__fail_stopped(ctx);
	}
	gpube__free(ctx, a->group);
	gpube__free(ctx, b->group);
	*b = (struct big){0};
	*a = (struct big){.n = 2 * n, .group = out};
	for (int64_t i = 0; i < a->n; i++) {
		carry += out[i];
		out[i] = carry % GROUP;
		carry /= GROUP;
	}
	while (a->n > 1 && out[a->n - 1] == 0)
		a->n--;
	return GPUBE_OK;
}

/* Room for a number below 2^64, or for n groups. */
static int take(struct gpube_ctx *ctx, struct big *a, uint64_t v, int64_t n)
{
	a->group = gpube__alloc(ctx, (uint64_t)n, sizeof(*a->group));
	if (!a->group)
		return GPUBE_ENOMEM;
	for (a->n = 0; v || a->n == 0; v /= GROUP)
		a->group[a->n++] = v % GROUP;
	return GPUBE_OK;
}

static int read_text(struct gpube_ctx *ctx, struct big *a, const char *text)
{
	const int64_t length = (int64_t)strlen(text), n = (length + DIGITS - 1) / DIGITS;

	if (take(ctx, a, 0, n > 4 ? n : 4))
		return GPUBE_ENOMEM;
	a->n = n;
	for (int64_t i = 0; i < n; i++) {
		int64_t end = length - i * DIGITS;

		a->group[i] = 0;
		for (int64_t at = end < DIGITS ? 0 : end - DIGITS; at < end; at++)
			a->group[i] = 10 * a->group[i] + (uint64_t)(text[at] - '0');
	}
	return GPUBE_OK;
}

static char *to_text(struct gpube_ctx *ctx, const struct big *a)
{
	char *text = gpube__alloc(ctx, (uint64_t)a->n * DIGITS + 1, 1), *at = text;

	if (!text)
		return NULL;
	at += snprintf(at, DIGITS + 1, "%u", (unsigned)a->group[a->n - 1]);
	for (int64_t i = a->n - 2; i >= 0; i--, at += DIGITS) {
		unsigned v = (unsigned)a->group[i];

		for (int k = DIGITS - 1; k >= 0; k--, v /= 10)
			at[k] = (char)('0' + v % 10);
	}
	*at = 0;
	return text;
}

/* The factors as few numbers of 64 bits; *n_parts may be 0. */
static int gather(struct gpube_ctx *ctx, struct big *parts, int64_t *n_parts, const int32_t *factors, int64_t n)
{
	uint64_t product = 1, next;
	int status = GPUBE_OK;

	for (int64_t k = 0; k < n && !status; k++) {
		if (!__builtin_mul_overflow(product, (uint64_t)factors[k], &next)) {
			product = next;
			continue;
		}
		status = take(ctx, &parts[(*n_parts)++], product, 4);
		product = (uint64_t)factors[k];
	}
	return status ? status : take(ctx, &parts[(*n_parts)++], product, 4);
}

int gpube__times_all(char **text, struct gpube_ctx *ctx, const int32_t *factors, int64_t n)
{
	int64_t n_parts = 0;
	struct big *parts = gpube__alloc_zero(ctx, (uint64_t)n + 2, sizeof(*parts));
	char *product;
	int status = parts ? gather(ctx, parts, &n_parts, factors, n) : GPUBE_ENOMEM;

	for (int64_t step = 1; step < n_parts && !status; step *= 2)
		for (int64_t k = 0; k + step < n_parts && !status; k += 2 * step)
			status = multiply(ctx, &parts[k], &parts[k + step]);
	if (!status)
		status = read_text(ctx, &parts[n + 1], *text);
	if (!status)
		status = multiply(ctx, &parts[0], &parts[n + 1]);
	product = status ? NULL : to_text(ctx, &parts[0]);
	for (int64_t k = 0; parts && k < n + 2; k++)
		gpube__free(ctx, parts[k].group);
	gpube__free(ctx, parts);
	if (!product)
		return status ? status : GPUBE_ENOMEM;
	gpube__free(ctx, *text);
	*text = product;
	return GPUBE_OK;
}
