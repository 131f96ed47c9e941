/* other_kinds.c - see other_kinds.h. */
#include "gpube/cli/other_kinds.h"

#include <string.h>

#include "csg/auction.h"
#include "csg/csg.h"
#include "formats/formats.h"
#include "nash/nash.h"

/* What is read: one of them, or none after a failure. */
struct contents {
	enum gpube_content kind;
	struct nash_game *game;
	struct csg_game *coalitions;
	struct csg_auction *auction;
};

static int read_contents(struct session *s, struct contents *c, const char *path)
{
	memset(c, 0, sizeof(*c));
	if (gpube_content(&c->kind, s->ctx, path))
		return GPUBE_EIO;
	switch (c->kind) {
	case GPUBE_CONTENT_GAME:
		return nash_read(&c->game, s->ctx, path, NASH_FORMAT_AUTO);
	case GPUBE_CONTENT_COALITIONS:
		return csg_read(&c->coalitions, s->ctx, path);
	case GPUBE_CONTENT_AUCTION:
		return csg_auction_read(&c->auction, s->ctx, path);
	default:
		return GPUBE_OK;
	}
}

static void clear(struct contents *c)
{
	nash_game_free(c->game);
	csg_game_free(c->coalitions);
	csg_auction_free(c->auction);
}

static void write_json(struct json *j, const struct contents *c, const char *path)
{
	json_open(j, NULL, '{');
	json_text(j, "file", path);
	json_text(j, "kind",
		c->game         ? "bimatrix game"
		: c->coalitions ? "coalition game"
				: "auction");
	if (c->game) {
		json_int(j, "rows", nash_game_rows(c->game));
		json_int(j, "columns", nash_game_columns(c->game));
	} else if (c->coalitions) {
		json_int(j, "agents", csg_game_agents(c->coalitions));
		json_text(j, "type", csg_type_name(csg_game_type(c->coalitions)));
	} else {
		json_int(j, "goods", csg_auction_goods(c->auction));
		json_int(j, "bids", csg_auction_bids(c->auction));
	}
	json_close(j, '}');
	gpube__out_text(j->out, "\n");
}

static void write_text(struct gpube_out *out, const struct contents *c)
{
	if (c->game)
		gpube__out_printf(out, "game        %d x %d actions; see 'gpube nash'\n",
			nash_game_rows(c->game), nash_game_columns(c->game));
	else if (c->coalitions)
		gpube__out_printf(out,
			"coalitions  of %d agents, values of type %s; see 'gpube csg'\n",
			csg_game_agents(c->coalitions),
			csg_type_name(csg_game_type(c->coalitions)));
	else
		gpube__out_printf(out, "auction     %d goods, %d bids; see 'gpube auction'\n",
			csg_auction_goods(c->auction), csg_auction_bids(c->auction));
}

static int print(struct session *s, const struct contents *c, const char *path)
{
	struct gpube_out out;
	struct json j = {.out = &out};

	if (gpube__out_open(&out, s->ctx, s->output))
		return session_fail(s, NULL);
	if (s->json)
		write_json(&j, c, path);
	else
		write_text(&out, c);
	return gpube__out_close(&out, true) ? session_fail(s, NULL) : CLI_DONE;
}

bool other_kinds_info(struct session *s, int *rc, const char *path)
{
	struct contents c;
	int status = read_contents(s, &c, path);
	bool other = c.kind != GPUBE_CONTENT_MODEL;

	if (other)
		*rc = status ? session_fail(s, NULL) : print(s, &c, path);
	clear(&c);
	return other;
}

static bool ends_with(const char *path, const char *ending)
{
	size_t n = strlen(path), k = strlen(ending);

	if (n > 3 && (!strcmp(path + n - 3, ".gz") || !strcmp(path + n - 3, ".xz")))
		n -= 3;
	return n >= k && !strncmp(path + n - k, ending, k);
}

bool other_kinds_convert(struct session *s, int *rc, const char *path, const char *to)
{
	struct contents c;
	int status = read_contents(s, &c, path);
	bool other = c.kind != GPUBE_CONTENT_MODEL;

	if (!status && c.game)
		status = nash_write(c.game, to, NASH_FORMAT_AUTO);
	else if (!status && c.coalitions)
		status = csg_write(c.coalitions, to, ends_with(to, ".txt") || !strcmp(to, "-"));
	else if (!status && c.auction)
		status = gpube__fail(s->ctx, GPUBE_EINVAL,
			"'%s' is an auction, which is only read, not written", path);
	if (other)
		*rc = status ? session_fail(s, NULL) : CLI_DONE;
	clear(&c);
	return other;
}
