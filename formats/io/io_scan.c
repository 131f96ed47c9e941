/* io_scan.c - tokens and numbers out of a byte stream. See io.h. */
#define _POSIX_C_SOURCE 200809L
#include "formats/io/io.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/io/digits.h"

enum { TOKEN_BYTES = 256 };

static inline bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool is_digit(char c)
{
	return (unsigned char)(c - '0') <= 9;
}

const char *gpube__skip_comments(const char *text)
{
	for (;;) {
		text += strspn(text, " \t\n\v\f\r");
		if (*text != '#' && !(text[0] == '/' && text[1] == '/'))
			return text;
		text += strcspn(text, "\n");
	}
}

/* Passes a comment that begins at p; false: there is none. */
static bool skip_comment(struct gpube_in *in)
{
	const bool block = in->comment == '/' && gpube__in_need(in, 2) >= 2 && in->p[1] == '*';

	if (!in->comment || *in->p != in->comment ||
		(in->comment == '/' && !block && in->p[1] != '/'))
		return false;
	in->commented = true;
	if (!block) {
		gpube__in_skip_line(in);
		return true;
	}
	for (in->p += 2; gpube__in_need(in, 2) >= 2 && (in->p[0] != '*' || in->p[1] != '/');
		in->p++)
		in->line += *in->p == '\n';
	if (in->end - in->p < 2)
		gpube__in_error(in, "a comment without its end");
	else
		in->p += 2;
	return true;
}

/* next() at the window's end, or at a comment. */
static bool next_slow(struct gpube_in *in)
{
	while (gpube__in_fill(in)) {
		const char *p = in->p;

		if (skip_comment(in))
			continue;
		if (!is_space(*p))
			break;
		while (is_space(*p))
			in->line += *p++ == '\n';
		in->p = p;
	}
	if (in->end - in->p < TOKEN_BYTES)
		gpube__in_need(in, TOKEN_BYTES);
	return in->p < in->end;
}

/*
 * Goes to the next token and brings all of it, if it is not too long, into the
 * window: whoever parses it may then run up to white space or the 0 at the
 * window's end. False at the end of the file.
 */
static inline bool next(struct gpube_in *in)
{
	const char *p = in->p;

	while (is_space(*p))
		in->line += *p++ == '\n';
	in->p = p;
	return (in->end - p >= TOKEN_BYTES && *p != in->comment) || next_slow(in);
}

/* True at the byte after a token. The 0 behind the window counts, one inside the file does not. */
static inline bool ends_token(const struct gpube_in *in, const char *p)
{
	return is_space(*p) || p == in->end;
}

bool gpube__in_at_end(struct gpube_in *in)
{
	return !next(in);
}

bool gpube__in_more(struct gpube_in *in, char comment)
{
	while (!gpube__in_at_end(in)) {
		if (*in->p != comment)
			return true;
		gpube__in_skip_line(in);
	}
	return false;
}

int gpube__in_end(struct gpube_in *in)
{
	char token[TOKEN_BYTES];

	if (!next(in))
		return in->status;
	if (gpube__in_token(in, token, "the end of the file"))
		return in->status;
	return gpube__in_expected(in, "the end of the file", token);
}

void gpube__in_skip_line(struct gpube_in *in)
{
	while (gpube__in_fill(in)) {
		const char *nl = memchr(in->p, '\n', (size_t)(in->end - in->p));

		if (nl) {
			in->p = nl + 1;
			in->line++;
			return;
		}
		in->p = in->end;
	}
}

int gpube__character(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	int n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (s[0] > 0xf4)
		return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90) ||
		(s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	for (int i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

int(gpube__in_expected)(struct gpube_in *in, const char *what, const char *token)
{
	enum { SHOWN = 40 };
	int n = 0;

	if (!token || !*token)
		return gpube__in_error(in, "expected %s, found the end of the file", what);
	while (token[n] && n < SHOWN) {
		const int k = gpube__character(token + n);

		if (!k)
			return gpube__in_error(in, "expected %s, found byte 0x%02x", what,
				(unsigned char)token[n]);
		if (n + k > SHOWN)
			break;
		n += k;
	}
	return gpube__in_error(
		in, "expected %s, found '%.*s%s'", what, n, token, token[n] ? "..." : "");
}

int(gpube__in_refuse)(struct gpube_in *in, const char *what)
{
	char token[64];
	size_t n = (size_t)(in->p - in->last);

	if (in->status)
		return in->status;
	if (n > sizeof(token) - 1)
		n = sizeof(token) - 1; /* gpube__in_expected() shows fewer */
	memcpy(token, in->last, n);
	token[n] = 0;
	return gpube__in_expected(in, what, token);
}

int gpube__in_token(struct gpube_in *in, char token[256], const char *what)
{
	size_t n = 0;

	token[0] = 0;
	if (!next(in))
		return gpube__in_expected(in, what, NULL);
	while (n < TOKEN_BYTES && !ends_token(in, in->p + n)) {
		unsigned char c = (unsigned char)in->p[n];

		if (c < ' ' || c == 0x7f)
			return gpube__in_error(in, "expected %s, found byte 0x%02x", what, c);
		n++;
	}
	if (n == TOKEN_BYTES)
		return gpube__in_error(
			in, "expected %s, found '%.40s...', more than 255 bytes", what, in->p);
	memcpy(token, in->p, n);
	token[n] = 0;
	in->last = in->p;
	in->p += n;
	return GPUBE_OK;
}

/* ---- integers ---------------------------------------------------------------------- */

/* Digits that may pass 2^63: true if they do not. */
static bool parse_long(const char *p, bool negative, int64_t *v)
{
	int64_t r = 0;

	for (; is_digit(*p); p++)
		if (__builtin_mul_overflow(r, 10, &r) ||
			__builtin_add_overflow(r, negative ? '0' - *p : *p - '0', &r))
			return false;
	*v = r;
	return true;
}

/*
 * The end that is no more than the type's is left out of what was expected: then a number past it
 * has nothing wrong but its size.
 */
int(gpube__in_outside)(
	struct gpube_in *in, int64_t min, int64_t max, const char *what, const char *token)
{
	int64_t v;

	if (max < INT64_MAX)
		return gpube__in_error(in, "expected %s from %lld to %lld, found '%.40s'", what,
			(long long)min, (long long)max, token);
	if (*token == '-' || parse_long(token + (*token == '+'), false, &v))
		return gpube__in_error(
			in, "expected %s from %lld, found '%.40s'", what, (long long)min, token);
	return gpube__in_too_large(in, max, what, token);
}

int(gpube__in_too_large)(struct gpube_in *in, int64_t max, const char *what, const char *token)
{
	return gpube__in_error(in, "%s: '%.40s' is too large, %lld is the greatest that is read",
		what, token, (long long)max);
}

/* The slow path: says what is wrong with the token at p. */
static int refuse_int(struct gpube_in *in, int64_t min, int64_t max, const char *what)
{
	char token[TOKEN_BYTES];
	const char *p = token;

	if (gpube__in_token(in, token, what))
		return in->status;
	p += *p == '+' || *p == '-';
	if (!is_digit(*p) || p[strspn(p, "0123456789")])
		return gpube__in_expected(in, what, token);
	return gpube__in_outside(in, min, max, what, token);
}

int gpube__in_int(struct gpube_in *in, int64_t *v, int64_t min, int64_t max, const char *what)
{
	const char *p, *digits;
	bool negative;
	uint64_t u;
	int64_t r;
	int n;

	if (!next(in))
		return gpube__in_expected(in, what, NULL);
	p = in->p;
	negative = *p == '-';
	p += negative || *p == '+';
	digits = p;
	p = gpube__digits16(p, &u, &n);
	for (; is_digit(*p); p++)
		u = u * 10 + (uint64_t)(*p - '0');
	r = (int64_t)u;
	if (p == digits || !ends_token(in, p) || p - in->p >= TOKEN_BYTES)
		return refuse_int(in, min, max, what);
	if (negative)
		r = (int64_t)(0 - (uint64_t)r);
	if (p - digits > 18 && !parse_long(digits, negative, &r))
		return refuse_int(in, min, max, what);
	if (r < min || r > max)
		return refuse_int(in, min, max, what);
	in->last = in->p;
	in->p = p;
	*v = r;
	return GPUBE_OK;
}

/* ---- reals --------------------------------------------------------------------------- */

/* strtod() as in the C locale, whatever the program has set; false: out of memory. */
static bool parse_slow(const char *token, double *v)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), old;

	if (c == (locale_t)0)
		return false;
	old = uselocale(c);
	*v = strtod(token, NULL);
	uselocale(old);
	freelocale(c);
	return true;
}

/*
 * A real as [+-] digits [. digits] [e [+-] digits]. Up to 18 significant digits
 * are collected in 'mantissa'; 'exact' says that it is all of them.
 */
struct real {
	uint64_t mantissa;
	int64_t exponent;
	bool negative, exact;
	const char *end; /* NULL: not a real */
};

/* Digits and a point alone, no more than 16: nearly all there are. */
static bool scan_plain(struct real *r, const char *p)
{
	uint64_t whole, part = 0;
	int n, m = 0;
	static const uint64_t ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000,
		100000000, 1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000,
		100000000000000, 1000000000000000, 10000000000000000};

	p = gpube__digits16(p, &whole, &n);
	if (*p == '.')
		p = gpube__digits16(p + 1, &part, &m);
	if (n + m == 0 || n + m > 16 || is_digit(*p) || *p == '.' || *p == 'e' || *p == 'E')
		return false;
	r->mantissa = whole * ten[m] + part;
	r->exponent = -m;
	r->end = p;
	return true;
}

/* padded: p may be read from as digits.h does. */
static struct real scan_real(const char *p, bool padded)
{
	struct real r = {.exact = true};
	int64_t e = 0, n = 0;
	bool negative;

	r.negative = *p == '-';
	p += r.negative || *p == '+';
	if (padded && scan_plain(&r, p))
		return r;
	for (bool point = false; is_digit(*p) || (*p == '.' && !point); p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		n++;
		if (r.mantissa < 100000000000000000u) {
			r.mantissa = r.mantissa * 10 + (uint64_t)(*p - '0');
			r.exponent -= point;
		} else {
			r.exact = r.exact && *p == '0';
			r.exponent += !point;
		}
	}
	if (n == 0)
		return r;
	if (*p == 'e' || *p == 'E') {
		p++;
		negative = *p == '-';
		p += negative || *p == '+';
		if (!is_digit(*p))
			return r;
		for (; is_digit(*p); p++)
			if (e < 1000000)
				e = e * 10 + (*p - '0');
		r.exponent += negative ? -e : e;
	}
	r.end = p;
	return r;
}

/* Exact operands and one rounding give the nearest double (Clinger 1990). */
static bool parse_fast(const struct real *r, double *v)
{
	static const double ten[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	double m = (double)r->mantissa;

	if (!r->exact || r->mantissa > (uint64_t)1 << 53)
		return false;
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
	return false;
#endif
	if (r->mantissa == 0)
		m = 0;
	else if (r->exponent >= 0 && r->exponent <= 22)
		m *= ten[r->exponent];
	else if (r->exponent < 0 && r->exponent >= -22)
		m /= ten[-r->exponent];
	else
		return false;
	*v = r->negative ? -m : m;
	return true;
}

/*
 * The same in a long double of 64 bits: exact operands and one rounding, so the
 * nearest double is known, unless a second rounding would be near a tie.
 */
static bool parse_long_double(const struct real *r, double *v)
{
#if LDBL_MANT_DIG == 64
	static const long double ten[] = {1e0L, 1e1L, 1e2L, 1e3L, 1e4L, 1e5L, 1e6L, 1e7L, 1e8L,
		1e9L, 1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
		1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
	long double m = (long double)r->mantissa;
	uint64_t bits;

	if (!r->exact || r->mantissa == 0 || r->exponent > 27 || r->exponent < -27)
		return false;
	m = r->exponent < 0 ? m / ten[-r->exponent] : m * ten[r->exponent];
	memcpy(&bits, &m, sizeof(bits));
	bits &= 0x7ff; /* what a double has no place for */
	if (bits >= 0x3ff && bits <= 0x401)
		return false;
	*v = r->negative ? -(double)m : (double)m;
	return true;
#else
	(void)r;
	(void)v;
	return false;
#endif
}

bool gpube__small_real(double *v, const char *text)
{
#if LDBL_MIN_EXP < DBL_MIN_EXP - 128
	const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	long double x;
	locale_t old;

	if (c == (locale_t)0)
		return false;
	old = uselocale(c);
	x = strtold(text, NULL);
	uselocale(old);
	freelocale(c);
	*v = (double)ldexpl(x, 64);
	return (double)x > 0 && (double)x < DBL_MIN && (double)x != ldexpl((long double)*v, -64);
#else
	(void)v;
	(void)text;
	return false; /* nothing here is longer than a double */
#endif
}

int gpube__in_real(struct gpube_in *in, double *v, const char *what)
{
	char token[TOKEN_BYTES + 8]; /* for digits.h */
	struct real r;

	if (!next(in))
		return gpube__in_expected(in, what, NULL);
	r = scan_real(in->p, true);
	if (r.end && ends_token(in, r.end) && r.end - in->p < TOKEN_BYTES &&
		(parse_fast(&r, v) || parse_long_double(&r, v))) {
		in->last = in->p;
		in->p = r.end;
		return GPUBE_OK;
	}
	if (gpube__in_token(in, token, what))
		return in->status;
	r = scan_real(token, true);
	if (!r.end || *r.end)
		return gpube__in_expected(in, what, token);
	if (!parse_slow(token, v))
		return in->status = gpube__fail(in->ctx, GPUBE_ENOMEM, "out of memory: a locale");
	/* a number that is not 0 must not become 0: that would forbid a tuple */
	if (isinf(*v) || (*v == 0 && r.mantissa))
		return gpube__in_fail(in, GPUBE_ERANGE, "%s: '%.40s' is too %s for a double", what,
			token, isinf(*v) ? "large" : "small");
	return GPUBE_OK;
}

bool gpube__real(double *v, const char *text)
{
	struct real r = scan_real(text, false);

	if (!r.end || *r.end)
		return false;
	if (parse_fast(&r, v))
		return true;
	return parse_slow(text, v) && !isinf(*v) && (*v != 0 || !r.mantissa);
}
