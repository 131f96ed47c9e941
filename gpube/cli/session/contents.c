/* contents.c - see contents.h. */
#include "gpube/cli/session/contents.h"

#include <string.h>

#include "formats/io/io.h"

static int read_model(struct contents *c, struct gpube_ctx *ctx, const struct opts_read *read)
{
	struct gpube_read_opts opts = {
		.sizeof_options = sizeof(opts),
		/* the words of --from are those of enum gpube_format, in its order */
		.format = (enum gpube_format)read->from,
		.evidence = read->evidence && !strcmp(read->evidence, "none") ? "" : read->evidence,
		.colors = (int)read->colors,
	};

	return gpube_read_with(&c->model, ctx, c->path, &opts);
}

int contents_read(
	struct contents *c, struct gpube_ctx *ctx, const char *path, const struct opts_read *read)
{
	*c = (struct contents){.path = path};
	/* what is wrong with a file, and what goes with a model, is said where it is read as a model */
	if (read->from || gpube_content(&c->kind, ctx, path) || c->kind == GPUBE_CONTENT_SIDECAR)
		c->kind = GPUBE_CONTENT_MODEL;
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
		return read_model(c, ctx, read);
	}
}

void contents_clear(struct contents *c, struct gpube_ctx *ctx)
{
	gpube_model_free(c->model);
	gpube_uai_result_free(c->result, ctx);
	nash_game_free(c->game);
	csg_game_free(c->coalitions);
	csg_auction_free(c->auction);
	*c = (struct contents){.path = c->path};
}

/* ---- one as another ------------------------------------------------------------------------ */

static int fail_kind(const struct contents *c, struct gpube_ctx *ctx)
{
	return gpube__fail(ctx, GPUBE_EINVAL, "'%s' is %s", c->path, gpube_content_words(c->kind));
}

int contents_model(
	struct gpube_model **out, const struct contents *c, struct gpube_ctx *ctx, bool regret)
{
	*out = NULL;
	if (c->game)
		return nash_model(out, c->game, regret);
	if (c->coalitions)
		return csg_model(out, c->coalitions);
	if (c->auction)
		return csg_auction_model(out, c->auction);
	return fail_kind(c, ctx);
}

/* One function over several variables says what every bundle is worth. */
static int become_auction(struct contents *to, const struct gpube_model *m)
{
	const int status = gpube_model_n_vars(m) > 1 ? csg_from_model(&to->coalitions, m) : GPUBE_EINVAL;

	return status == GPUBE_EINVAL ? csg_auction_from_model(&to->auction, m) : status;
}

static int become_form(struct contents *to, const struct contents *c, struct gpube_ctx *ctx)
{
	const int status = !c->model                              ? fail_kind(c, ctx)
			   : to->kind == GPUBE_CONTENT_GAME         ? nash_from_model(&to->game, c->model)
			   : to->kind == GPUBE_CONTENT_COALITIONS ? csg_from_model(&to->coalitions, c->model)
								  : become_auction(to, c->model);
	char why[sizeof(ctx->error)];

	if (status != GPUBE_EINVAL || !c->model)
		return status;
	memcpy(why, ctx->error, sizeof(why));
	return gpube__fail(ctx, status, "'%s' is %s, and %s", c->path, gpube_content_words(c->kind), why);
}

int contents_become(struct contents *c, struct gpube_ctx *ctx, enum gpube_content kind, bool regret)
{
	struct contents to = {.path = c->path, .kind = kind};
	int status;

	if (kind == c->kind)
		return GPUBE_OK;
	status = kind == GPUBE_CONTENT_MODEL ? contents_model(&to.model, c, ctx, regret) : become_form(&to, c, ctx);
	if (status) {
		contents_clear(&to, ctx);
		return status;
	}
	contents_clear(c, ctx);
	*c = to;
	return GPUBE_OK;
}

/* ---- for a command that takes a form --------------------------------------------------------- */

/* Of what no format claims the content is a model by default: it is one if its name says so. */
static bool is_named_model(const char *path)
{
	return gpube__has_extension(path, GPUBE_FORMATS_READ "|yml|wbo");
}

int contents_read_form(struct contents *c, struct gpube_ctx *ctx, int status, const char *path,
	enum gpube_content own, enum gpube_content also)
{
	static const struct opts_read plain;
	char text[sizeof(ctx->error)];
	enum gpube_content kind;
	int as_model;

	*c = (struct contents){.path = path};
	if (status != GPUBE_EPARSE && status != GPUBE_EINVAL)
		return status;
	memcpy(text, ctx->error, sizeof(text));
	if (!strcmp(path, "-") || gpube_content(&kind, ctx, path) || kind == own || kind == also) {
		memcpy(ctx->error, text, sizeof(text));
		return status;
	}
	if (kind != GPUBE_CONTENT_MODEL)
		return gpube__fail(ctx, GPUBE_EINVAL, "'%s' is %s", path, gpube_content_words(kind));
	as_model = read_model(c, ctx, &plain);
	if (!as_model) {
		as_model = contents_become(c, ctx, own, false);
		if (as_model)
			contents_clear(c, ctx);
		return as_model;
	}
	if (is_named_model(path))
		return as_model;
	memcpy(ctx->error, text, sizeof(text)); /* of what may be anything the command's own is as good */
	return status;
}
