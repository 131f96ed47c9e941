/* cfn_lex.c - tokens of .cfn. See cfn.h. */
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
