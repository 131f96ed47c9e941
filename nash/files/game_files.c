/* game_files.c - tells the formats of games apart. See nash.h. */
#include <string.h>

#include "formats/common/registry.h"
#include "nash/bimatrix.h"

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

	if (gpube__in_refuse_unread(in, false))
		return NASH_FORMAT_LRS;

	text[gpube__in_peek(in, text, sizeof(text) - 1)] = 0;
	begin = gpube__skip_comments(text);
	if (*begin == 0)
		begin = text + strspn(text, " \t\n\v\f\r");
	if (strncmp(begin, "NFG", 3) == 0)
		return NASH_FORMAT_NFG;
	if (strncmp(begin, "EFG", 3) == 0)
		return NASH_FORMAT_EFG;
	if (*begin == '(' || *begin == '/')
		return NASH_FORMAT_TWO_PLAYER;
	if (*begin == '[' || *begin == '#')
		return NASH_FORMAT_SIMPLE;
	gpube__in_refuse_unread(in, true);
	return one_number(begin) && *begin ? NASH_FORMAT_GT : NASH_FORMAT_LRS;
}

int nash__read_from(struct nash_game **out, struct gpube_in *in, enum nash_format format)
{
	static int (*const readers[])(struct nash_game *, struct gpube_in *) = {
		[NASH_FORMAT_NFG] = nash__nfg_read,
		[NASH_FORMAT_LRS] = nash__lrs_read,
		[NASH_FORMAT_TWO_PLAYER] = nash__two_player_read,
		[NASH_FORMAT_SIMPLE] = nash__simple_read,
		[NASH_FORMAT_GT] = nash__gt_read,
		[NASH_FORMAT_EFG] = nash__efg_read,
	};
	struct nash_game *g = gpube__alloc_zero(in->ctx, 1, sizeof(*g));
	int status;

	*out = NULL;
	if (!g)
		return GPUBE_ENOMEM;
	g->ctx = in->ctx;
	if (format == NASH_FORMAT_AUTO)
		format = recognise(in);
	status = in->status ? in->status : readers[format](g, in);
	/* a cut or corrupt file is what is wrong, whatever its last token looks like */
	if (in->status)
		status = in->status;
	if (status)
		nash_game_free(g);
	else
		*out = g;
	return status;
}

int nash_read(
	struct nash_game **out, struct gpube_ctx *ctx, const char *path, enum nash_format format)
{
	struct gpube_in in;
	int status;

	if (out)
		*out = NULL;
	if (!out || !ctx || !path)
		return gpube__missing(ctx);
	status = gpube__check_choice(ctx, "format", (int)format, NASH_FORMAT_EFG);
	if (!status)
		status = gpube__in_open(&in, ctx, path);
	if (status)
		return status;
	status = nash__read_from(out, &in, format);
	gpube__in_close(&in);
	return format == NASH_FORMAT_AUTO ? gpube__refused(status, ctx, path, GPUBE_CONTENT_GAME)
					  : status;
}
