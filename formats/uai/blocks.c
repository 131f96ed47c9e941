/* blocks.c - tokens of networks that are blocks of text. See bayes.h. */
#include <string.h>

#include "formats/uai/bayes.h"

bool gpube__block_skip(struct gpube_blocks *t)
{
	struct gpube_in *in = t->b.in;

	if (in->status || gpube__in_at_end(in))
		return false;
	gpube__in_need(in, GPUBE_BLOCK_TOKEN + 2); /* so that a word lies in one piece */
	return true;
}

static bool is_mark(const struct gpube_blocks *t, char c)
{
	return c && strchr(t->marks, c);
}

/* Does a word go on at p? (isspace() follows the locale.) */
static bool in_word(const struct gpube_blocks *t, const char *p)
{
	return p < t->b.in->end && *p != ' ' && !(*p >= '\t' && *p <= '\r') && !is_mark(t, *p) &&
	       !(*p == '/' && t->b.in->comment == '/' && (p[1] == '/' || p[1] == '*'));
}

static void take(struct gpube_blocks *t, int kind, size_t n)
{
	memcpy(t->token, t->b.in->p, n);
	t->token[n] = 0;
	t->b.in->p += n;
	t->kind = kind;
}

static void read_quoted(struct gpube_blocks *t)
{
	const char *p = ++t->b.in->p;
	size_t n = 0;

	while (n < GPUBE_BLOCK_TOKEN && p + n < t->b.in->end && p[n] != '"' && p[n] != '\n')
		n++;
	if (n == GPUBE_BLOCK_TOKEN || p + n == t->b.in->end || p[n] != '"')
		gpube__in_error(t->b.in, "a name in quotes without its end");
	else if (n == 0)
		gpube__in_error(t->b.in, "an empty name in quotes");
	else {
		take(t, GPUBE_BLOCK_QUOTED, n);
		t->b.in->p++;
	}
}

static void read_word(struct gpube_blocks *t)
{
	struct gpube_in *in = t->b.in;
	size_t n = 0;

	while (n < GPUBE_BLOCK_TOKEN && in_word(t, in->p + n) && (unsigned char)in->p[n] >= ' ' &&
		in->p[n] != 0x7f)
		n++;
	if (n == GPUBE_BLOCK_TOKEN)
		gpube__in_error(in, "'%.40s...' has more than 255 bytes", in->p);
	else if (in_word(t, in->p + n))
		gpube__in_error(in, "expected a word, found byte 0x%02x", (unsigned char)in->p[n]);
	else
		take(t, GPUBE_BLOCK_WORD, n);
}

void gpube__block_next(struct gpube_blocks *t)
{
	t->kind = t->token[0] = 0;
	if (!gpube__block_skip(t))
		return;
	if (*t->b.in->p == '"')
		read_quoted(t);
	else if (is_mark(t, *t->b.in->p))
		take(t, *t->b.in->p, 1);
	else
		read_word(t);
}

void gpube__block_item(struct gpube_blocks *t)
{
	gpube__block_next(t);
	if (t->kind == ',')
		gpube__block_next(t);
}

void gpube__block_refuse(struct gpube_blocks *t, const char *what)
{
	gpube__in_expected(t->b.in, what, t->token);
}

bool gpube__block_is_name(const struct gpube_blocks *t)
{
	return t->kind == GPUBE_BLOCK_WORD || t->kind == GPUBE_BLOCK_QUOTED;
}

bool gpube__block_is_word(const struct gpube_blocks *t, const char *word)
{
	return t->kind == GPUBE_BLOCK_WORD && strcmp(t->token, word) == 0;
}

void gpube__block_expect(struct gpube_blocks *t, char mark)
{
	const char what[] = {'\'', mark, '\'', 0};

	gpube__block_next(t);
	if (t->kind != mark)
		gpube__block_refuse(t, what);
}

void gpube__block_head(struct gpube_blocks *t, char name[GPUBE_BLOCK_TOKEN], const char *what)
{
	gpube__block_next(t);
	if (!gpube__block_is_name(t))
		gpube__block_refuse(t, what);
	memcpy(name, t->token, GPUBE_BLOCK_TOKEN);
	gpube__block_expect(t, '{');
}

void gpube__block_scope(struct gpube_blocks *t)
{
	gpube__block_expect(t, '(');
	gpube__block_next(t);
	gpube__bayes_child(&t->b, t->token);
	gpube__block_item(t);
	if (t->kind == '|')
		gpube__block_next(t);
	for (; t->kind && t->kind != ')'; gpube__block_item(t))
		gpube__bayes_parent(&t->b, t->token);
	if (!t->kind)
		gpube__block_refuse(t, "a variable that is declared before");
	gpube__bayes_scoped(&t->b);
}

void gpube__block_skip_property(struct gpube_blocks *t)
{
	struct gpube_in *in = t->b.in;
	bool quoted = false, escaped = false;

	for (; gpube__in_fill(in) && (*in->p != ';' || quoted); in->p++) {
		quoted = quoted != (*in->p == '"' && !escaped);
		escaped = *in->p == '\\' && !escaped;
		in->line += *in->p == '\n';
	}
	if (!gpube__in_fill(in))
		gpube__in_error(in, "a property without its ';'");
	else
		in->p++;
}
