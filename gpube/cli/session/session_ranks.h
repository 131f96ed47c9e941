/* session_ranks.h - the ranks of gpube-mpi, for commands that share their work among them. */
#ifndef GPUBE_CLI_SESSION_RANKS_H
#define GPUBE_CLI_SESSION_RANKS_H

#include "gpube/ranks/world.h"
#include "gpube/cli/session/session.h"

/* ctx: of the world while no session has one; abandon: the other ranks wait for us in vain */
struct ranks {
	struct gpube_ctx *ctx;
	struct dcop_world world;
	bool abandon;
};

/* What several ranks do not do, told by rank 0. Returns CLI_USAGE. */
int ranks_refuse(const struct ranks *r, const char *text);

/* Joins them. CLI_DONE, or CLI_FAILED after a message. */
int ranks_open(struct ranks *r, const struct opts_ranks *o);

/* As session_start(); rank 0 alone talks and writes. */
int ranks_session_start(struct ranks *r, struct session *s, const struct opts_talk *talk,
	int64_t threads, uint64_t memory, bool json, const char *output);

/*
 * As session_start_engine(), on all ranks or none. What nobody has asked for otherwise is shared
 * among the ranks of a host: its cores and its memory.
 */
int ranks_session_start_engine(struct ranks *r, struct session *s, const struct opts_talk *talk,
	const struct opts_engine *engine, bool json, const char *output);

/*
 * Between the two, failures of several ranks are not told but kept. Then one rank tells it, and all
 * return CLI_FAILED; or CLI_DONE.
 */
void ranks_begin_inputs(struct ranks *r, struct session *s);
int ranks_end_inputs(struct ranks *r, struct session *s, int rc);

/*
 * A failure: told by one rank where all know of it (dcop_world_agree()); otherwise by this
 * one, which ends the others.
 */
int ranks_fail(struct ranks *r, struct session *s);

/* Ends the session if it was started, and leaves. */
void ranks_close(struct ranks *r, struct session *s);

#endif
