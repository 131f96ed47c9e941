/*
 * natural_product.c - products of long numbers, by transforms modulo the prime 2^64 - 2^32 + 1: a
 * word becomes three coefficients below 1000, so that sums of up to 2^44 of their products are
 * below the prime, and 2^32 roots of 1 are there. One prime and no rounding; words of nine digits
 * stay words of nine digits.
 */
#include "gpube/base/natural.h"

#define PRIME      0xffffffff00000001u
#define MOST_ROOTS ((uint64_t)1 << 32)
#define PARTS      3    /* coefficients of a word */
#define PART       1000 /* each is below that */
/* A product of factors below that times a word leaves room for what is carried. */
#define MOST_FACTOR ((uint64_t)1 << 34)
/* Numbers of fewer words are multiplied word by word; so many factors are, one by one. */
enum { SHORT_WORDS = 32, FEW_FACTORS = 1024 };

static uint64_t times(uint64_t a, uint64_t b)
{
	const unsigned __int128 product = (unsigned __int128)a * b;
	const uint64_t low = (uint64_t)product, high = (uint64_t)(product >> 64);
	/* 2^64 is 2^32 - 1 and 2^96 is -1 */
	const uint64_t middle = (high & 0xffffffff) * 0xffffffff, top = high >> 32;
	uint64_t r = low - top;

	if (low < top)
		r += PRIME;
	if (r >= PRIME)
		r -= PRIME;
	return r >= PRIME - middle ? r - (PRIME - middle) : r + middle;
}

static uint64_t power(uint64_t base, uint64_t exponent)
{
	uint64_t r = 1;

	for (; exponent; exponent >>= 1, base = times(base, base))
		if (exponent & 1)
			r = times(r, base);
	return r;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a >= PRIME - b ? a - (PRIME - b) : a + b;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a >= b ? a - b : a + (PRIME - b);
}

/* The values at the n-th roots of 1, in an order of their own; n is a power of 2. */
static void forth(uint64_t *x, uint64_t n)
{
	for (uint64_t half = n / 2; half; half /= 2) {
		const uint64_t root = power(7, (PRIME - 1) / (2 * half));

		for (uint64_t from = 0; from < n; from += 2 * half) {
			uint64_t w = 1;

			for (uint64_t i = from; i < from + half; i++, w = times(w, root)) {
				const uint64_t a = x[i], b = x[i + half];

				x[i] = plus(a, b);
				x[i + half] = times(minus(a, b), w);
			}
		}
	}
}

/* From that order back to n times the coefficients. */
static void back(uint64_t *x, uint64_t n)
{
	for (uint64_t half = 1; half < n; half *= 2) {
		const uint64_t root = power(power(7, (PRIME - 1) / (2 * half)), PRIME - 2);

		for (uint64_t from = 0; from < n; from += 2 * half) {
			uint64_t w = 1;

			for (uint64_t i = from; i < from + half; i++, w = times(w, root)) {
				const uint64_t a = x[i], b = times(x[i + half], w);

				x[i] = plus(a, b);
				x[i + half] = minus(a, b);
			}
		}
	}
}

static void spread(uint64_t *x, uint64_t n, const struct gpube__natural *a)
{
	uint64_t k = 0;

	for (int64_t i = 0; i < a->n; i++)
		for (uint32_t word = a->word[i], p = 0; p < PARTS; p++, word /= PART)
			x[k++] = word % PART;
	for (; k < n; k++)
		x[k] = 0;
}

/* n words of coefficients that pass what a part holds. */
static void gather(struct gpube__natural *a, const uint64_t *x, int64_t n, uint64_t size)
{
	const uint64_t inverse = power(size, PRIME - 2);
	uint64_t carry = 0;

	for (int64_t i = 0; i < n; i++) {
		uint32_t word = 0;

		for (uint32_t p = 0, place = 1; p < PARTS; p++, place *= PART) {
			carry += times(x[i * PARTS + p], inverse);
			word += (uint32_t)(carry % PART) * place;
			carry /= PART;
		}
		a->word[i] = word;
	}
}

static int by_transforms(
	struct gpube__natural *out, const struct gpube__natural *a, const struct gpube__natural *b)
{
	struct gpube_ctx *ctx = out->ctx;
	const uint64_t least = (uint64_t)out->n * PARTS;
	uint64_t size = 1, *x, *y;
	int status = GPUBE_ENOMEM;

	if (least > MOST_ROOTS)
		return gpube__fail(ctx, GPUBE_ELIMIT, "a number of more than 10^10 digits");
	while (size < least)
		size *= 2;
	x = gpube__alloc(ctx, size, sizeof(*x));
	y = x && a != b ? gpube__alloc(ctx, size, sizeof(*y)) : x;
	if (!x || !y)
		goto out;
	status = GPUBE_ESTOP;
	spread(x, size, a);
	forth(x, size);
	if (gpube__stopped(ctx))
		goto out;
	if (y != x) {
		spread(y, size, b);
		forth(y, size);
	}
	for (uint64_t k = 0; k < size; k++)
		x[k] = times(x[k], y[k]);
	if (gpube__stopped(ctx))
		goto out;
	back(x, size);
	gather(out, x, out->n, size);
	status = GPUBE_OK;
out:
	if (y != x)
		gpube__free(ctx, y);
	gpube__free(ctx, x);
	return status == GPUBE_ESTOP ? gpube__fail_stopped(ctx) : status;
}

static void word_by_word(
	struct gpube__natural *out, const struct gpube__natural *a, const struct gpube__natural *b)
{
	for (int64_t i = 0; i < out->n; i++)
		out->word[i] = 0;
	for (int64_t i = 0; i < a->n; i++) {
		uint64_t carry = 0;

		for (int64_t j = 0; j < b->n; j++) {
			carry += out->word[i + j] + (uint64_t)a->word[i] * b->word[j];
			out->word[i + j] = (uint32_t)(carry % GPUBE__NATURAL_BASE);
			carry /= GPUBE__NATURAL_BASE;
		}
		out->word[i + b->n] = (uint32_t)carry;
	}
}

int gpube__natural_times(struct gpube__natural *a, const struct gpube__natural *b)
{
	struct gpube__natural out = {.ctx = a->ctx, .n = a->n + b->n};
	int status = GPUBE_OK;

	if (!a->n || !b->n) {
		a->n = 0;
		return GPUBE_OK;
	}
	if (gpube__grow(a->ctx, &out.word, &out.capacity, out.n, sizeof(*out.word)))
		return GPUBE_ENOMEM;
	if (a->n < SHORT_WORDS || b->n < SHORT_WORDS)
		word_by_word(&out, a, b);
	else
		status = by_transforms(&out, a, b);
	if (status) {
		gpube__natural_clear(&out);
		return status;
	}
	while (out.n && !out.word[out.n - 1])
		out.n--;
	gpube__natural_clear(a);
	*a = out;
	return GPUBE_OK;
}

/* a times so few factors, as many in one as a word allows. */
static int times_few(struct gpube__natural *a, const int32_t *factors, int64_t n)
{
	uint64_t product = 1;
	int status = GPUBE_OK;

	for (int64_t k = 0; k < n && !status; k++) {
		const uint64_t factor = (uint64_t)factors[k];

		if (product * factor < MOST_FACTOR) {
			product *= factor;
			continue;
		}
		status = gpube__natural_grow(a, product, 0);
		product = factor;
	}
	return status ? status : gpube__natural_grow(a, product, 0);
}

int gpube__natural_times_all(struct gpube__natural *a, const int32_t *factors, int64_t n)
{
	struct gpube__natural rest = {.ctx = a->ctx};
	const int64_t half = n / 2;
	int status;

	if (n <= FEW_FACTORS)
		return times_few(a, factors, n);
	status = gpube__natural_grow(&rest, 1, 1);
	if (!status)
		status = gpube__natural_times_all(&rest, factors + half, n - half);
	if (!status)
		status = gpube__natural_times_all(a, factors, half);
	if (!status)
		status = gpube__natural_times(a, &rest);
	gpube__natural_clear(&rest);
	return status;
}
