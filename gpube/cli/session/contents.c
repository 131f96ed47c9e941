/* contents.c - see contents.h. */
#include "gpube/cli/session/contents.h"

#include <string.h>

int contents_read(struct contents *c, struct gpube_ctx *ctx, const char *path)
{
	int status;

	memset(c, 0, sizeof(*c));
	status = gpube_content(&c->kind, ctx, path);
	if (status)
		return status;
	switch (c->kind) {
	case GPUBE_CONTENT_GAME:
		return nash_read(&c->game, ctx, path, NASH_FORMAT_AUTO);
	case GPUBE_CONTENT_COALITIONS:
		return csg_read(&c->coalitions, ctx, path);
	case GPUBE_CONTENT_AUCTION:
		return csg_auction_read(&c->auction, ctx, path);
	case GPUBE_CONTENT_RESULT:
		return gpube_read_uai_result(&c->result, ctx, path);
	default:
		return GPUBE_OK;
	}
}

void contents_clear(struct contents *c, struct gpube_ctx *ctx)
{
	gpube_uai_result_free(c->result, ctx);
	nash_game_free(c->game);
	csg_game_free(c->coalitions);
	csg_auction_free(c->auction);
}

int contents_model(struct gpube_model **out, const struct contents *c, bool regret)
{
	if (c->game)
		return nash_model(out, c->game, regret);
	if (c->coalitions)
		return csg_model(out, c->coalitions);
	return csg_auction_model(out, c->auction);
}
