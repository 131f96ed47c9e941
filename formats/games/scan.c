/* scan.c - punctuation, quoted strings and rationals out of a byte stream. See game_reader.h. */
#include "formats/games/game_reader.h"

#include <string.h>

#include "gpube/ir/games/expected.h"

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

char gpube__scan_peek(struct gpube_in *in)
{
	while (gpube__in_fill(in) && is_space(*in->p))
		in->line += *in->p++ == '\n';
	return in->p < in->end ? *in->p : 0;
}

int gpube__scan_refuse(struct gpube_in *in, const char *what)
{
	char token[48];
	size_t n = 0, k;

	if (!gpube__scan_peek(in) && in->p == in->end)
		return gpube__in_expected(in, what, NULL);
	k = gpube__in_need(in, sizeof(token) - 1);
	/* a word, or the one character of punctuation */
	while (n < k && n < sizeof(token) - 1 && !is_space(in->p[n]) &&
		(n == 0 || !strchr("{}()[],\"", in->p[n]) || in->p[n] == 0)) {
		unsigned char c = (unsigned char)in->p[n];

		if (c < ' ' || c == 0x7f) {
			if (n == 0)
				return gpube__in_error(
					in, "expected %s, found byte 0x%02x", what, c);
			break;
		}
		token[n++] = (char)c;
		if (strchr("{}()[],\"", c))
			break;
	}
	token[n] = 0;
	return gpube__in_expected(in, what, token);
}

int gpube__scan_char(struct gpube_in *in, char c, const char *what)
{
	if (gpube__scan_peek(in) != c || in->p == in->end)
		return gpube__scan_refuse(in, what);
	in->p++;
	return GPUBE_OK;
}

int gpube__scan_string(struct gpube_in *in, char **s, const char *what)
{
	int64_t n = 0, capacity = 0, line = in->line;
	bool escaped = false;
	char *text = NULL;

	if (s)
		*s = NULL;
	if (gpube__scan_char(in, '"', what))
		return in->status;
	while (gpube__in_fill(in)) {
		char c = *in->p++;

		if (gpube__grow(in->ctx, &text, &capacity, n + 1, 1)) {
			gpube__free(in->ctx, text);
			return GPUBE_ENOMEM;
		}
		if (c == '"' && !escaped) {
			text[n] = 0;
			if (s)
				*s = text;
			else
				gpube__free(in->ctx, text);
			return GPUBE_OK;
		}
		if (c == 0)
			break;
		in->line += c == '\n';
		if (c == '"')
			n--; /* takes the place of its backslash */
		escaped = c == '\\' && !escaped;
		text[n++] = c;
	}
	gpube__free(in->ctx, text);
	in->line = line;
	return gpube__in_error(in, "%s has no closing quote", what);
}

/* Bytes that may stand in a number, so that a bad one is shown as a whole. */
static bool in_number(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c && strchr("+-./_", c));
}

int gpube__scan_number(struct gpube_in *in, struct gpube_rational *v, const char *what)
{
	size_t n = 0, have;
	int status;

	gpube__scan_peek(in);
	have = gpube__in_need(in, 256);
	while (n < have && in_number(in->p[n]))
		if (++n == have && have < GPUBE__MOST_DIGITS + 256)
			have = gpube__in_need(in, GPUBE__MOST_DIGITS + 256);
	if (n == 0)
		return gpube__scan_refuse(in, what);
	status = gpube__rational_parse(in->ctx, v, in->p, n);
	if (status == GPUBE_EPARSE)
		return gpube__scan_refuse(in, what);
	if (status == GPUBE_ERANGE)
		return gpube__in_fail(in, GPUBE_ERANGE, "%s has more than %d digits: '%.*s'", what,
			GPUBE__MOST_DIGITS, n < 40 ? (int)n : 40, in->p);
	if (!status)
		in->p += n;
	return status;
}

int gpube__check_chance(struct gpube_in *in, const struct gpube_rational *v)
{
	if (!v->den)
		return gpube__in_error(in, "a chance that passes 64 bits");
	return v->num < 0 ? gpube__in_error(in, "a chance below 0") : GPUBE_OK;
}

int gpube__check_chances(
	struct gpube_in *in, const struct gpube_rational *v, int32_t n, size_t step, const char *of)
{
	static const struct gpube_rational one = {1, 1, NULL};
	struct gpube_expected sum = {0, 1};

	for (int32_t k = 0; k < n; k++)
		if (!gpube__expected_add(&sum, &one, (const void *)((const char *)v + k * step)) ||
			sum.den > (gpube__int128)1 << 62)
			return gpube__in_fail(
				in, GPUBE_ERANGE, "chances whose common denominator passes 2^62");
	return sum.num == sum.den ? GPUBE_OK
				  : gpube__in_error(in, "the chances of %s do not add up to 1", of);
}

int gpube__scan_int(struct gpube_in *in, int32_t *v, int32_t min, const char *what)
{
	struct gpube_rational number = {0};
	char token[48];
	size_t n = 0;

	gpube__scan_peek(in);
	gpube__in_need(in, sizeof(token));
	while (n < sizeof(token) - 1 && in->p + n < in->end && in_number(in->p[n])) {
		token[n] = in->p[n];
		n++;
	}
	token[n] = 0;
	if (gpube__scan_number(in, &number, what))
		return in->status ? in->status : GPUBE_ENOMEM;
	if (number.den != 1 || number.num < min || number.num > INT32_MAX ||
		strpbrk(token, ".eE/")) {
		gpube__free(in->ctx, number.text);
		return gpube__in_error(in, "expected %s, an integer from %d to %d, found '%.40s'",
			what, min, INT32_MAX, token);
	}
	*v = (int32_t)number.num;
	return GPUBE_OK;
}

int gpube__scan_head(struct gpube_in *in, const char *word, const char *version, char **title)
{
	const char *const what[] = {word, version, "the kind of numbers, R or D"};
	char token[256];

	for (int k = 0; k < 3; k++) {
		bool right;

		if (gpube__in_token(in, token, what[k]))
			return in->status;
		right = k == 2 ? !strcmp(token, "R") || !strcmp(token, "D")
			       : !strcmp(token, k ? strrchr(version, ' ') + 1 : word);
		if (!right)
			return gpube__in_refuse(in, what[k]);
	}
	return gpube__scan_string(in, title, "the title");
}

int gpube__labels_read(struct gpube_labels *labels, struct gpube_in *in, const char *open,
	const char *each, const char *close)
{
	int status = gpube__scan_char(in, '{', open);

	while (!status && gpube__scan_peek(in) != '}') {
		if (labels->n == INT32_MAX || gpube__grow(in->ctx, &labels->v, &labels->capacity,
						      labels->n + 1, sizeof(*labels->v)))
			return GPUBE_ENOMEM;
		status = gpube__scan_string(in, &labels->v[labels->n], each);
		labels->n += !status;
	}
	return status ? status : gpube__scan_char(in, '}', close);
}

void gpube__labels_clear(struct gpube_labels *labels, struct gpube_ctx *ctx)
{
	for (int64_t k = 0; k < labels->n; k++)
		gpube__free(ctx, labels->v[k]);
	gpube__free(ctx, labels->v);
}
