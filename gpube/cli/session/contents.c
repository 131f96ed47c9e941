/* contents.c - see contents.h. */
#include "gpube/cli/session/contents.h"
#include "gpube/options/options.h"

#include <string.h>

#include "formats/common/registry.h"
#include "gpube/forms.h"

/* kind: what it is if nothing tells it */
static int read_model(
	struct contents *c, struct gpube_in *in, const struct opts_read *read, enum gpube_kind kind)
{
	static const enum gpube_content of[] = {[GPUBE_COSTS] = GPUBE_CONTENT_MODEL,
		[GPUBE_POTENTIALS] = GPUBE_CONTENT_MODEL,
		[GPUBE_GAME] = GPUBE_CONTENT_GAME,
		[GPUBE_COALITIONS] = GPUBE_CONTENT_COALITIONS};
	/* where nothing else is claimed, its own reader says what is wrong */
	const int own = c->kind == GPUBE_CONTENT_COALITIONS ? GPUBE_FORMAT_CSG
			: c->kind == GPUBE_CONTENT_AUCTION  ? GPUBE_FORMAT_CATS
							    : read->from;
	const struct gpube_opts opts = {
		/* the words of --from are those of enum gpube_format, in its order */
		.from = own,
		.evidence = read->evidence && !strcmp(read->evidence, "none") ? "" : read->evidence,
		.colors = (int)read->colors,
		.sample = (int)read->sample,
		.kind = kind,
	};
	const int status = gpube__read_from(&c->model, in, &opts);

	if (!status)
		c->kind = c->model->auction ? GPUBE_CONTENT_AUCTION
					    : of[gpube_model_info(c->model)->kind];
	return status;
}

static int read_kind(
	struct contents *c, struct gpube_in *in, const struct opts_read *read, enum gpube_kind kind)
{
	switch (c->kind) {
	case GPUBE_CONTENT_RESULT:
		return gpube__uai_result_read(&c->result, in, gpube__has_extension(c->path, "sol"));
	default:
		return read_model(c, in, read, kind);
	}
}

int contents_read(
	struct contents *c, struct gpube_ctx *ctx, const char *path, const struct opts_read *read)
{
	struct gpube_in in;
	bool sure;
	int status;

	*c = (struct contents){.path = path};
	status = gpube__in_open(&in, ctx, path);
	if (status)
		return status;
	if (!read->from)
		c->kind = gpube__in_content(&in, &sure);
	if (c->kind == GPUBE_CONTENT_SIDECAR)
		c->kind = GPUBE_CONTENT_MODEL; /* where it is said what goes with one */
	status = in.status ? in.status : read_kind(c, &in, read, GPUBE_COSTS);
	gpube__in_close(&in);
	return status;
}

void contents_clear(struct contents *c)
{
	gpube_model_free(c->model);
	gpube_result_free(c->result);
	*c = (struct contents){.path = c->path};
}

/* ---- one as another ------------------------------------------------------------------------ */

static int fail_kind(const struct contents *c, struct gpube_ctx *ctx)
{
	return gpube__fail(ctx, GPUBE_EINVAL, "'%s' is %s", c->path, gpube__content_words(c->kind));
}

int contents_model(
	struct gpube_model **out, const struct contents *c, struct gpube_ctx *ctx, bool regret)
{
	const struct gpube_opts opts = {.regret = regret && c->kind == GPUBE_CONTENT_GAME};

	*out = NULL;
	return c->model && c->kind != GPUBE_CONTENT_MODEL
		       ? gpube_model_as(out, c->model, GPUBE_FORM_COSTS, &opts)
		       : fail_kind(c, ctx);
}

/* One function over several variables says what every bundle is worth. */
static int become_auction(struct contents *to, const struct gpube_model *m)
{
	const int status = m->n_vars > 1 && m->n_functions == 1
				   ? gpube_model_as(&to->model, m, GPUBE_FORM_COALITIONS, NULL)
				   : GPUBE_EINVAL;

	if (!status)
		to->kind = GPUBE_CONTENT_COALITIONS;
	return status == GPUBE_EINVAL ? gpube_model_as(&to->model, m, GPUBE_FORM_AUCTION, NULL)
				      : status;
}

static int become_form(struct contents *to, const struct contents *c, struct gpube_ctx *ctx)
{
	const bool network = c->kind == GPUBE_CONTENT_MODEL;
	const int status = !network ? fail_kind(c, ctx)
			   : to->kind == GPUBE_CONTENT_AUCTION
				   ? become_auction(to, c->model)
				   : gpube_model_as(&to->model, c->model,
					     to->kind == GPUBE_CONTENT_GAME ? GPUBE_FORM_GAME
									    : GPUBE_FORM_COALITIONS,
					     NULL);
	char why[sizeof(ctx->error)];

	if (status != GPUBE_EINVAL || !network)
		return status;
	memcpy(why, ctx->error, sizeof(why));
	return gpube__fail(
		ctx, status, "'%s' is %s, and %s", c->path, gpube__content_words(c->kind), why);
}

int contents_become(struct contents *c, struct gpube_ctx *ctx, enum gpube_content kind, bool regret)
{
	struct contents to = {.path = c->path, .kind = kind};
	int status;

	if (kind == c->kind)
		return GPUBE_OK;
	status = kind == GPUBE_CONTENT_MODEL ? contents_model(&to.model, c, ctx, regret)
					     : become_form(&to, c, ctx);
	if (status) {
		contents_clear(&to);
		return status;
	}
	contents_clear(c);
	*c = to;
	return GPUBE_OK;
}

/* ---- for a command that takes a form --------------------------------------------------------- */

int contents_read_form(struct contents *c, struct gpube_ctx *ctx, const char *path,
	enum gpube_content own, enum gpube_content also)
{
	static const struct opts_read plain;
	struct gpube_in in;
	bool sure;
	int status;

	*c = (struct contents){.path = path};
	status = gpube__in_open(&in, ctx, path);
	if (status)
		return status;
	c->kind = gpube__in_content(&in, &sure);
	if (c->kind == GPUBE_CONTENT_MODEL && !sure)
		c->kind = own;
	status = in.status;
	if (!status && c->kind != own && c->kind != also && c->kind != GPUBE_CONTENT_MODEL)
		status = fail_kind(c, ctx);
	if (!status)
		status = read_kind(
			c, &in, &plain, own == GPUBE_CONTENT_GAME ? GPUBE_GAME : GPUBE_COSTS);
	gpube__in_close(&in);
	if (!status && c->kind == GPUBE_CONTENT_MODEL)
		status = contents_become(c, ctx, own, false);
	if (status)
		contents_clear(c);
	return status;
}
