/* cfn_lex.c - tokens and decimals of .cfn. See cfn.h. */
#include <string.h>

#include "formats/cfn/cfn.h"

static bool separates(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == '"' || c == ':' || c == ',';
}

static bool brackets(int c)
{
	return c == '{' || c == '}' || c == '[' || c == ']';
}

/* The next byte without passing it; -1 at the end. */
static int peek(struct gpube_in *in)
{
	return in->p < in->end || gpube__in_fill(in) ? (unsigned char)*in->p : -1;
}

/* Passes blanks, separators and comments; # begins one only at the beginning of a line. */
static void skip(struct gpube_in *in, bool *line_start)
{
	for (int c = peek(in); c >= 0; c = peek(in)) {
		if (c == '\n') {
			in->line++;
			in->p++;
			*line_start = true;
		} else if ((c == '#' && *line_start) ||
			   (c == '/' && gpube__in_need(in, 2) >= 2 && in->p[1] == '/')) {
			gpube__in_skip_line(in);
			*line_start = true;
		} else if (separates(c) && c != '"') {
			in->p++;
			*line_start = false;
		} else {
			return;
		}
	}
}

int gpube__cfn_peek(struct gpube_in *in)
{
	bool line_start = false; /* there is a token before, and skip() passes line ends */

	skip(in, &line_start);
	return peek(in);
}

static int put(struct gpube_in *in, struct gpube_cfn_token *token, size_t *n, int c)
{
	if (*n + 1 >= sizeof(token->text))
		return gpube__in_error(in, "a word of more than %d bytes", GPUBE_CFN_TOKEN - 1);
	if (c < ' ' || c == 0x7f)
		return gpube__in_error(in, "byte 0x%02x in a word", c);
	token->text[(*n)++] = (char)c;
	token->text[*n] = 0;
	in->p++;
	return GPUBE_OK;
}

static int read_quoted(struct gpube_in *in, struct gpube_cfn_token *token)
{
	size_t n = 0;
	int c;

	for (in->p++; (c = peek(in)) != '"';) {
		if (c < 0 || c == '\n')
			return gpube__in_error(in, "a string that does not end on its line");
		if (put(in, token, &n, c == '\t' || c == '\r' ? ' ' : c))
			return in->status;
	}
	in->p++;
	/* "type:" is found in files for "type": */
	while (n > 0 && separates(token->text[n - 1]))
		token->text[--n] = 0;
	for (size_t k = 0; k < n; k++)
		if (separates(token->text[k]) || brackets(token->text[k]))
			token->several = true;
	return GPUBE_OK;
}

int gpube__cfn_next(struct gpube_in *in, struct gpube_cfn_token *token)
{
	bool line_start = !token->started; /* later lines begin after a token */
	size_t n = 0;
	int c;

	token->started = true;
	token->text[0] = 0;
	token->several = false;
	skip(in, &line_start);
	c = peek(in);
	if (c < 0) {
		token->kind = GPUBE_CFN_END;
		return in->status;
	}
	token->kind = GPUBE_CFN_WORD;
	if (c == '"')
		return read_quoted(in, token);
	if (brackets(c)) {
		token->kind = c == '{' || c == '[' ? GPUBE_CFN_OPEN : GPUBE_CFN_CLOSE;
		token->text[0] = (char)c;
		token->text[1] = 0;
		in->p++;
		return GPUBE_OK;
	}
	for (; c >= 0 && !separates(c) && !brackets(c); c = peek(in)) {
		if (c == '/' && gpube__in_need(in, 2) >= 2 && in->p[1] == '/')
			break;
		if (put(in, token, &n, c))
			return in->status;
	}
	return in->status;
}

bool gpube__scaled(int64_t *v, int k)
{
	for (; k > 0; k--)
		if (__builtin_mul_overflow(*v, 10, v))
			return *v == 0;
	return *v<GPUBE_INF && * v> - GPUBE_INF;
}

bool gpube__decimal(const char *text, int64_t *v, int *scale, bool *fits)
{
	const char *p = text, *last;
	bool negative = *p == '-', point = false, digits = false;

	p += *p == '-' || *p == '+';
	for (last = p; *last; last++) {
		if (*last == '.' && !point)
			point = true;
		else if (*last >= '0' && *last <= '9')
			digits = true;
		else
			return false;
	}
	if (!digits)
		return false;
	while (point && (last[-1] == '0' || last[-1] == '.')) {
		point = last[-1] != '.';
		last--;
	}
	*v = 0;
	*scale = 0;
	*fits = true;
	for (point = false; p < last; p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		*scale += point;
		if (__builtin_mul_overflow(*v, 10, v) ||
			__builtin_add_overflow(*v, negative ? '0' - *p : *p - '0', v))
			*fits = false;
	}
	if (*v == GPUBE_INF || *v <= -GPUBE_INF || *scale > 18)
		*fits = false;
	return true;
}

bool gpube__units(int64_t *v, const char *text, int scale)
{
	int64_t found;
	int decimals;
	bool fits;

	if (!gpube__decimal(text, &found, &decimals, &fits) || !fits || decimals > scale ||
		!gpube__scaled(&found, scale - decimals))
		return false;
	*v = found;
	return true;
}
