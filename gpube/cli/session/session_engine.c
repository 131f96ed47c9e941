/* session_engine.c - a session with operators, which gpube-convert does without; see session.h. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpube/cli/session/ceilings.h"
#include "gpube/cli/session/session.h"
#include "gpube/ops/device/backend.h"
#include "gpube/ops/device/opening.h"

/* "0,1": the context's devices. CLI_DONE, or CLI_FAILED after a message. */
static int read_devices(struct session *s, const char *list)
{
	struct gpube_ctx *ctx = s->ctx;
	char text[200], *end;

	for (const char *at = list; at; at = *end ? end + 1 : NULL) {
		long id = strtol(at, &end, 10);

		if (end == at || (*end && *end != ',') || id < 0 || id > 1000 || *at == '-' ||
			ctx->n_devices == GPUBE_MAX_DEVICES) {
			snprintf(text, sizeof(text),
				"--devices: expected 1 to %d indices as 0,1, found '%.100s'",
				GPUBE_MAX_DEVICES, list);
			return session_fail_text(s, NULL, text);
		}
		ctx->devices[ctx->n_devices++] = (int)id;
	}
	return CLI_DONE;
}

/* A device that is being opened and that nobody has waited for. */
static void leave(int rc)
{
	if (!gpube__opening_now())
		return;
	fflush(NULL);
	_exit(rc);
}

void session_open_device(struct session *s, enum gpube_backend backend, bool all, bool one_stream)
{
	const struct gpube_ctx *ctx = s->ctx;
	int most = 1;

	if (backend == GPUBE_BACKEND_CPU || !gpube__cuda_there())
		return;
	for (int k = 0; k < ctx->n_devices; k++)
		if (ctx->devices[k] >= most)
			most = ctx->devices[k] + 1;
	gpube__opening_limit(all ? 0 : most, one_stream && ctx->n_devices < 2);
	cli_leave = leave;
	gpube__opening_allow(ctx->n_devices ? ctx->devices[0] : 0);
	if (backend == GPUBE_BACKEND_CUDA)
		gpube__opening_begin();
}

int session_start_engine(struct session *s, const struct opts_talk *talk,
	const struct opts_engine *engine, bool json, const char *output)
{
	int rc = session_start(s, talk, engine->threads, engine->memory, json, output);

	if (rc)
		return rc;
	s->timeout = engine->timeout;
	if (!engine->memory) /* a part for what else runs, and for what is no table */
		s->ctx->memory_bytes /= 2;
	s->ctx->device_memory_bytes = engine->device_memory;
	ceilings_load(s);
	if (engine->devices && read_devices(s, engine->devices)) {
		session_end(s);
		return CLI_FAILED;
	}
	/* the words of --backend are those of the enum, in its order */
	session_open_device(s, (enum gpube_backend)engine->backend, false, true);
	return CLI_DONE;
}
