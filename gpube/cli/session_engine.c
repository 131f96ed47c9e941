/* session_engine.c - a session with operators, which gpube-convert does without; see session.h. */
#include "gpube/cli/ceilings.h"
#include "gpube/cli/session.h"

int session_start_engine(struct session *s, const struct opts_talk *talk,
	const struct opts_engine *engine, bool json, const char *output)
{
	int rc = session_start(s, talk, engine->threads, engine->memory, json, output);

	if (rc)
		return rc;
	s->ctx->device_memory_bytes = engine->device_memory;
	ceilings_load(s);
	return CLI_DONE;
}
