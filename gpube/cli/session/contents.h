/*
 * contents.h - what a file holds that is no model of its own: a game of two players, a game of
 * coalitions, an auction or a result; and the model that it becomes. All commands that take models
 * read through this: what becomes a model is one to them.
 */
#ifndef GPUBE_CLI_CONTENTS_H
#define GPUBE_CLI_CONTENTS_H

#include <stdbool.h>

#include "csg/auction.h"
#include "csg/csg.h"
#include "formats/formats.h"
#include "nash/nash.h"

/* One of them; none of a model, of a sidecar, and after a failure. */
struct contents {
	enum gpube_content kind;
	struct nash_game *game;
	struct csg_game *coalitions;
	struct csg_auction *auction;
	struct gpube_uai_result *result;
};

/* Does it become a model? */
static inline bool contents_become_model(enum gpube_content kind)
{
	return kind == GPUBE_CONTENT_GAME || kind == GPUBE_CONTENT_COALITIONS ||
	       kind == GPUBE_CONTENT_AUCTION;
}

/* c->kind is set; a model is not read. Errors: those of gpube_content() and the readers */
int contents_read(struct contents *c, struct gpube_ctx *ctx, const char *path);
void contents_clear(struct contents *c, struct gpube_ctx *ctx);

/*
 * contents_model() - the model of a game, coalitions or an auction.
 * regret  of a game, see nash_model()
 */
int contents_model(struct gpube_model **out, const struct contents *c, bool regret);

#endif
