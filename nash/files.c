/* files.c - tells the formats of games apart, and writes two of them. See nash.h. */
#include <string.h>

#include "nash/game.h"

/* The first text past white space and GAMUT's comments. */
static const char *skip_comments(const char *text)
{
	for (;;) {
		text += strspn(text, " \t\n\v\f\r");
		if (*text != '#' && !(text[0] == '/' && text[1] == '/'))
			return text;
		text += strcspn(text, "\n");
	}
}

/* Whether one number stands alone on its line: the number of players, of GTOutput. */
static bool one_number(const char *text)
{
	size_t n = strcspn(text, " \t\n\v\f\r");

	text += n;
	text += strspn(text, " \t\v\f\r");
	return *text == '\n' || *text == 0;
}

/*
 * A comment may be longer than what can be seen at once; then its mark decides,
 * which the two formats with comments do not share.
 */
static enum nash_format recognise(struct gpube_in *in)
{
	char text[65536];
	const char *begin;

	text[gpube__in_peek(in, text, sizeof(text) - 1)] = 0;
	begin = skip_comments(text);
	if (*begin == 0)
		begin = text + strspn(text, " \t\n\v\f\r");
	if (strncmp(begin, "NFG", 3) == 0)
		return NASH_FORMAT_NFG;
	if (*begin == '(' || *begin == '/')
		return NASH_FORMAT_TWO_PLAYER;
	if (*begin == '[' || *begin == '#')
		return NASH_FORMAT_SIMPLE;
	return one_number(begin) && *begin ? NASH_FORMAT_GT : NASH_FORMAT_LRS;
}

int nash_read(
	struct nash_game **out, struct gpube_ctx *ctx, const char *path, enum nash_format format)
{
	static int (*const readers[])(struct nash_game *, struct gpube_in *) = {
		[NASH_FORMAT_NFG] = nash__nfg_read,
		[NASH_FORMAT_LRS] = nash__lrs_read,
		[NASH_FORMAT_TWO_PLAYER] = nash__two_player_read,
		[NASH_FORMAT_SIMPLE] = nash__simple_read,
		[NASH_FORMAT_GT] = nash__gt_read,
	};
	struct gpube_in in;
	struct nash_game *g;
	int status = gpube__in_open(&in, ctx, path);

	*out = NULL;
	if (status)
		return status;
	g = gpube__alloc_zero(ctx, 1, sizeof(*g));
	if (!g) {
		gpube__in_close(&in);
		return GPUBE_ENOMEM;
	}
	g->ctx = ctx;
	if (format == NASH_FORMAT_AUTO)
		format = recognise(&in);
	status = readers[format](g, &in);
	/* a cut or corrupt file is what is wrong, whatever its last token looks like */
	if (in.status)
		status = in.status;
	gpube__in_close(&in);
	if (status)
		nash_game_free(g);
	else
		*out = g;
	return status;
}

/* ---- writing ---------------------------------------------------------------- */

static void write_string(struct gpube_out *out, const char *s)
{
	gpube__out_text(out, "\"");
	for (; s && *s; s++) {
		/* a backslash is a byte like any other unless it stands before a quote */
		if (*s == '"')
			gpube__out_text(out, "\\");
		gpube__out_bytes(out, s, 1);
	}
	gpube__out_text(out, "\"");
}

void nash__nfg_write(const struct nash_game *g, struct gpube_out *out)
{
	static const char *const names[2] = {"Player 1", "Player 2"};

	gpube__out_text(out, "NFG 1 R ");
	write_string(out, g->title);
	gpube__out_text(out, " {");
	for (int p = 0; p < 2; p++) {
		gpube__out_text(out, " ");
		write_string(out, g->player[p] ? g->player[p] : names[p]);
	}
	gpube__out_text(out, " }\n\n{");
	for (int p = 0; p < 2; p++) {
		int32_t actions = p ? g->n : g->m;

		if (!g->labels[p]) {
			gpube__out_printf(out, " %d", actions);
			continue;
		}
		gpube__out_text(out, " {");
		for (int32_t k = 0; k < actions; k++) {
			gpube__out_text(out, " ");
			write_string(out, g->labels[p][k]);
		}
		gpube__out_text(out, " }");
	}
	gpube__out_text(out, " }\n\n");
	for (int64_t j = 0; j < g->n; j++)
		for (int64_t i = 0; i < g->m; i++)
			for (int p = 0; p < 2; p++) {
				nash__number_write(out, &g->payoffs[p][i * g->n + j]);
				gpube__out_text(out, p && i == g->m - 1 ? "\n" : " ");
			}
}

void nash__lrs_write(const struct nash_game *g, struct gpube_out *out)
{
	gpube__out_printf(out, "%d %d\n", g->m, g->n);
	for (int p = 0; p < 2; p++) {
		gpube__out_text(out, "\n");
		for (int64_t i = 0; i < g->m; i++)
			for (int64_t j = 0; j < g->n; j++) {
				nash__number_write(out, &g->payoffs[p][i * g->n + j]);
				gpube__out_text(out, j == g->n - 1 ? "\n" : " ");
			}
	}
}

static bool named_nfg(const char *path)
{
	size_t n = strlen(path);

	if (n > 3 && (strcmp(path + n - 3, ".gz") == 0 || strcmp(path + n - 3, ".xz") == 0))
		n -= 3;
	return n >= 4 && memcmp(path + n - 4, ".nfg", 4) == 0;
}

int nash_write(const struct nash_game *g, const char *path, enum nash_format format)
{
	struct gpube_out out;
	int status;

	if (format == NASH_FORMAT_AUTO)
		format = named_nfg(path) ? NASH_FORMAT_NFG : NASH_FORMAT_LRS;
	if (format != NASH_FORMAT_NFG && format != NASH_FORMAT_LRS)
		return gpube__fail(
			g->ctx, GPUBE_EINVAL, "games are written as .nfg or for lrsnash");
	status = gpube__out_open(&out, g->ctx, path);
	if (status)
		return status;
	if (format == NASH_FORMAT_NFG)
		nash__nfg_write(g, &out);
	else
		nash__lrs_write(g, &out);
	return gpube__out_close(&out, true);
}
