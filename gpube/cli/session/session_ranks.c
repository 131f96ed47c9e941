/* session_ranks.c - see session_ranks.h. */
#define _POSIX_C_SOURCE 200809L

#include "gpube/cli/session/session_ranks.h"

#include <stdio.h>
#include <unistd.h>

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

/*
 * Cores and memory, as far as nobody has asked for others; mpirun may have bound this rank to fewer
 * cores.
 */
static void share_host(const struct ranks *r, struct session *s, const struct opts_engine *engine)
{
	const long each = sysconf(_SC_NPROCESSORS_ONLN) / r->world.n_here;

	if (!engine->memory)
		s->ctx->memory_bytes /= (uint64_t)r->world.n_here;
	if (!engine->threads && s->ctx->n_threads > each)
		s->ctx->n_threads = each > 0 ? (int)each : 1;
}

int ranks_session_start_engine(struct ranks *r, struct session *s, const struct opts_talk *talk,
	const struct opts_engine *engine, bool json, const char *output)
{
	const int rank = r->world.rank;
	struct opts_talk ours = *talk;
	int rc;

	ours.quiet |= rank > 0;
	cli_muted = rank > 0;
	rc = session_start_engine(s, &ours, engine, json && !rank, rank ? NULL : output);
	cli_muted = false;
	if (r->world.n_ranks > 1 && dcop_world_agree(&r->world, rc ? GPUBE_EINVAL : GPUBE_OK)) {
		r->abandon = r->world.failed < 0;
		if (rank && rank == r->world.failed) /* rank 0 has told what it has */
			cli_error("rank %d cannot begin", rank);
		if (!rc)
			session_end(s);
		return CLI_FAILED;
	}
	if (rc)
		return rc;
	s->json = json;
	r->world.ctx = s->ctx;
	share_host(r, s, engine);
	return CLI_DONE;
}

void ranks_begin_inputs(struct ranks *r, struct session *s)
{
	s->muted = r->world.n_ranks > 1;
}

int ranks_end_inputs(struct ranks *r, struct session *s, int rc)
{
	if (!s->muted)
		return rc;
	s->muted = false;
	return dcop_world_agree(&r->world, rc ? GPUBE_EINVAL : GPUBE_OK) ? ranks_fail(r, s)
									 : CLI_DONE;
}

int ranks_refuse(const struct ranks *r, const char *text)
{
	if (r->world.rank == 0)
		cli_error("%s", text);
	return CLI_USAGE;
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
