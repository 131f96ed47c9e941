/*
 * rational.c - fractions, decimals and exponents become rationals, and those tables: see
 * rational.h.
 */
#include "gpube/ir/rational.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
	return (unsigned char)(c - '0') <= 9;
}

/* Length of the digits at s, at most n. */
static size_t digits(const char *s, size_t n)
{
	size_t k = 0;

	while (k < n && is_digit(s[k]))
		k++;
	return k;
}

/* What a number consists of: sign, digits before and after the point, exponent or denominator. */
struct parts {
	bool negative;
	const char *whole, *fraction, *den;
	size_t n_whole, n_fraction, n_den;
	int exponent;
};

/* False if the n bytes are no number. */
static bool split(struct parts *p, const char *s, size_t n)
{
	size_t k = 0, d;
	bool minus;

	memset(p, 0, sizeof(*p));
	if (n > 0 && s[0] == '-') {
		p->negative = true;
		k = 1;
	}
	p->whole = s + k;
	p->n_whole = digits(s + k, n - k);
	k += p->n_whole;
	if (k < n && s[k] == '/') {
		p->den = s + k + 1;
		p->n_den = digits(p->den, n - k - 1);
		return p->n_whole > 0 && p->n_den > 0 && k + 1 + p->n_den == n &&
		       strspn(p->den, "0") < p->n_den;
	}
	if (k < n && s[k] == '.') {
		p->fraction = s + ++k;
		p->n_fraction = digits(s + k, n - k);
		k += p->n_fraction;
	}
	if (p->n_whole + p->n_fraction == 0)
		return false;
	if (k < n && (s[k] == 'e' || s[k] == 'E')) {
		k++;
		minus = k < n && s[k] == '-';
		if (k < n && (s[k] == '-' || s[k] == '+'))
			k++;
		d = digits(s + k, n - k);
		if (d == 0)
			return false;
		for (size_t i = 0; i < d; i++)
			if (p->exponent < 1000000)
				p->exponent = 10 * p->exponent + (s[k + i] - '0');
		if (minus)
			p->exponent = -p->exponent;
		k += d;
	}
	return k == n;
}

struct gpube_rational gpube__rational(int64_t num, int64_t den)
{
	/* without a sign: -2^63 has no other */
	uint64_t a = num < 0 ? 0 - (uint64_t)num : (uint64_t)num, b = (uint64_t)den;

	while (a) {
		const uint64_t rest = b % a;

		b = a;
		a = rest;
	}
	return (struct gpube_rational){num / (int64_t)b, den / (int64_t)b, NULL};
}

/* "p" or "p/q" in plain digits, both positive and without leading zeros, as a number. */
static void settle(struct gpube_ctx *ctx, struct gpube_rational *v)
{
	char *end, *text = v->text;
	size_t n = strlen(v->text + (v->text[0] == '-'));
	const char *slash = strchr(v->text, '/');
	size_t n_den = slash ? strlen(slash + 1) : 0;

	int64_t num, den;

	if (n - n_den - (slash ? 1 : 0) > 19 || n_den > 19)
		return;
	errno = 0;
	num = strtoll(text, &end, 10);
	den = slash ? strtoll(slash + 1, &end, 10) : 1;
	if (errno)
		return;
	*v = gpube__rational(num, den);
	gpube__free(ctx, text);
}

/* Appends n digits to the integer that begins at 'first', never a leading zero. */
static char *put(char *to, const char *first, const char *s, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (to > first || s[k] != '0')
			*to++ = s[k];
	return to;
}

int gpube__rational_parse(struct gpube_ctx *ctx, struct gpube_rational *v, const char *s, size_t n)
{
	struct parts p;
	int64_t ten; /* the power of ten that the digits are multiplied by */
	char *to, *first;

	if (!split(&p, s, n))
		return GPUBE_EPARSE;
	/* zeros that end the decimals say nothing */
	while (p.n_fraction && p.fraction[p.n_fraction - 1] == '0')
		p.n_fraction--;
	ten = (int64_t)p.exponent - (int64_t)p.n_fraction;
	if (p.n_whole + p.n_fraction + p.n_den + (uint64_t)(ten < 0 ? -ten : ten) >
		GPUBE__MOST_DIGITS)
		return gpube__fail(ctx, GPUBE_ERANGE, "more than %d digits", GPUBE__MOST_DIGITS);
	*v = (struct gpube_rational){0};
	v->text = to = gpube__alloc(
		ctx, p.n_whole + p.n_fraction + p.n_den + (uint64_t)(ten < 0 ? -ten : ten) + 8, 1);
	if (!to)
		return GPUBE_ENOMEM;
	if (p.negative)
		*to++ = '-';
	first = to;
	to = put(to, first, p.whole, p.n_whole);
	to = put(to, first, p.fraction, p.n_fraction);
	if (to == first) { /* zero, whatever the rest */
		gpube__free(ctx, v->text);
		*v = (struct gpube_rational){0, 1, NULL};
		return GPUBE_OK;
	}
	for (; ten > 0; ten--)
		*to++ = '0';
	if (p.n_den || ten < 0) {
		*to++ = '/';
		first = to;
		to = p.n_den ? put(to, first, p.den, p.n_den) : put(to, first, "1", 1);
		for (; ten < 0; ten++)
			*to++ = '0';
	}
	*to = 0;
	settle(ctx, v);
	return GPUBE_OK;
}

double gpube__rational_double(const struct gpube_rational *v)
{
	const char *slash;
	double a, b;

	if (!v->text)
		return (double)v->num / (double)v->den;
	slash = strchr(v->text, '/');
	a = strtod(v->text, NULL);
	b = slash ? strtod(slash + 1, NULL) : 1;
	return a / b;
}

int gpube__rational_compare(const struct gpube_rational *a, const struct gpube_rational *b)
{
	/* products of 64 bits fit 128 */
	const __int128 left = (__int128)a->num * b->den, right = (__int128)b->num * a->den;

	return (left > right) - (left < right);
}

/* ---- tables ------------------------------------------------------------------------------- */

/* As numerators over their least common denominator; false if one of them passes 64 bits. */
static bool over_one_denominator(
	int64_t *num, int64_t *den, const struct gpube_rational *v, int64_t n)
{
	*den = 1;
	for (int64_t k = 0; k < n; k++)
		if (!v[k].den || __builtin_mul_overflow(
					 *den, v[k].den / gpube__divisor(*den, v[k].den), den))
			return false;
	for (int64_t k = 0; k < n; k++)
		if (__builtin_mul_overflow(v[k].num, *den / v[k].den, &num[k]))
			return false;
	return true;
}

/* Each for itself, in one block with the texts behind them. */
static int each_for_itself(
	struct gpube_ctx *ctx, struct gpube_table *t, const struct gpube_rational *v)
{
	uint64_t bytes = (uint64_t)t->n * sizeof(*v);
	struct gpube_rational *own;
	char *to;

	for (int64_t k = 0; k < t->n; k++)
		bytes += v[k].text ? strlen(v[k].text) + 1 : 0;
	t->values = own = gpube__alloc(ctx, bytes, 1);
	if (!own)
		return GPUBE_ENOMEM;
	to = (char *)(own + t->n);
	for (int64_t k = 0; k < t->n; k++) {
		own[k] = v[k];
		if (!v[k].text)
			continue;
		own[k].text = strcpy(to, v[k].text);
		to += strlen(to) + 1;
	}
	return GPUBE_OK;
}

int gpube__rational_table(
	struct gpube_ctx *ctx, struct gpube_table *t, const struct gpube_rational *v)
{
	int64_t *num = gpube__alloc(ctx, (uint64_t)t->n, sizeof(*num));
	struct gpube_values integers = {0};
	bool marked = false;

	if (!num)
		return GPUBE_ENOMEM;
	t->type = GPUBE_RATIONAL;
	t->values = num;
	if (!over_one_denominator(num, &t->den, v, t->n)) {
		gpube__free(ctx, num);
		t->den = 0;
		return each_for_itself(ctx, t, v);
	}
	/* the integer that would mark a forbidden cell */
	for (int64_t k = 0; k < t->n; k++)
		marked |= num[k] == GPUBE_INF;
	if (t->den != 1 || marked)
		return GPUBE_OK;
	if (gpube__values_append(ctx, &integers, num, t->n)) {
		gpube__values_clear(ctx, &integers);
		gpube__free(ctx, num);
		return GPUBE_ENOMEM;
	}
	gpube__free(ctx, num);
	t->type = integers.type;
	t->values = integers.values;
	return GPUBE_OK;
}

struct gpube_rational gpube__table_rational(const struct gpube_table *t, int64_t k)
{
	if (t->type != GPUBE_RATIONAL)
		return (struct gpube_rational){gpube__table_int(t, k), 1, NULL};
	if (t->den)
		return gpube__rational(((const int64_t *)t->values)[k], t->den);
	return ((const struct gpube_rational *)t->values)[k];
}
