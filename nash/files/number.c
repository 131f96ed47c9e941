/*
 * number.c - payoffs as text: fractions, decimals and exponents become rationals. See bimatrix.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nash/bimatrix.h"

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

void nash__number_reduce(struct nash_number *v)
{
	const int64_t d = nash__divisor(v->num, v->den);

	v->num /= d;
	v->den /= d;
}

/* "p" or "p/q" in plain digits, both positive and without leading zeros, as a number. */
static void settle(struct gpube_ctx *ctx, struct nash_number *v)
{
	char *end;
	size_t n = strlen(v->text + (v->text[0] == '-'));
	const char *slash = strchr(v->text, '/');
	size_t n_den = slash ? strlen(slash + 1) : 0;

	if (n - n_den - (slash ? 1 : 0) > 18 || n_den > 18)
		return;
	v->num = strtoll(v->text, &end, 10);
	v->den = slash ? strtoll(slash + 1, &end, 10) : 1;
	nash__number_reduce(v);
	gpube__free(ctx, v->text);
	v->text = NULL;
}

/* Appends n digits to the integer that begins at 'first', never a leading zero. */
static char *put(char *to, const char *first, const char *s, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (to > first || s[k] != '0')
			*to++ = s[k];
	return to;
}

int nash__number_parse(struct gpube_ctx *ctx, struct nash_number *v, const char *s, size_t n)
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
	if (p.n_whole + p.n_fraction + p.n_den + (uint64_t)(ten < 0 ? -ten : ten) > NASH_MAX_DIGITS)
		return gpube__fail(ctx, GPUBE_ERANGE, "more than %d digits", NASH_MAX_DIGITS);
	*v = (struct nash_number){0};
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
		*v = (struct nash_number){0, 1, NULL};
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

void nash__number_write(struct gpube_out *out, const struct nash_number *v)
{
	if (v->text) {
		gpube__out_text(out, v->text);
		return;
	}
	gpube__out_int(out, v->num);
	if (v->den != 1) {
		gpube__out_text(out, "/");
		gpube__out_int(out, v->den);
	}
}

double nash__number_double(const struct nash_number *v)
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
