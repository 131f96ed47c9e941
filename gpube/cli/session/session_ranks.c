/* session_ranks.c - see session_ranks.h. */
#include "gpube/cli/session/session_ranks.h"

#include <stdio.h>

int ranks_open(struct ranks *r, const struct opts_ranks *o)
{
	const struct dcop_world_opts opts = {.receive_timeout = o->receive_timeout,
		.piece_bytes = o->piece,
		.compress = o->compress};

	*r = (struct ranks){0};
	cli_muted = false;
	if (gpube_ctx_new(&r->ctx, NULL)) {
		cli_error("out of memory");
		return CLI_FAILED;
	}
	if (!dcop_world_open(&r->world, r->ctx, &opts))
		return CLI_DONE;
	cli_error("%s", gpube_error(r->ctx));
	dcop_world_close(&r->world, true);
	gpube_ctx_free(r->ctx);
	return CLI_FAILED;
}

int ranks_session_start(struct ranks *r, struct session *s, const struct opts_talk *talk,
	int64_t threads, uint64_t memory, bool json, const char *output)
{
	struct opts_talk ours = *talk;
	int rc;

	ours.quiet |= r->world.rank > 0;
	rc = session_start(s, &ours, threads, memory, json, r->world.rank ? NULL : output);
	if (rc)
		r->abandon = true;
	else
		r->world.ctx = s->ctx;
	return rc;
}

int ranks_fail(struct ranks *r, struct session *s)
{
	char text[sizeof(s->ctx->error) + 32];

	r->abandon = r->world.failed < 0 && r->world.n_ranks > 1;
	if (r->world.failed >= 0 && r->world.failed != r->world.rank)
		return CLI_FAILED;
	if (!r->abandon)
		return session_fail(s, NULL);
	snprintf(text, sizeof(text), "rank %d: %s", r->world.rank, gpube_error(s->ctx));
	return session_fail_text(s, NULL, text);
}

void ranks_close(struct ranks *r, struct session *s)
{
	if (r->world.ctx != r->ctx)
		session_end(s);
	r->world.ctx = r->ctx;
	dcop_world_close(&r->world, r->abandon);
	gpube_ctx_free(r->ctx);
}
