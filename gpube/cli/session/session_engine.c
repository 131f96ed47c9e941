/* session_engine.c - a session with operators, which gpube-convert does without; see session.h. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpube/cli/session/ceilings.h"
#include "gpube/options/options.h"
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
	const int first = ctx->n_devices ? ctx->devices[0] : 0;
	int most = 1;

	if (backend == GPUBE_BACKEND_CPU || !gpube__cuda_there())
		return;
	for (int k = 0; k < ctx->n_devices; k++)
		if (ctx->devices[k] >= most)
			most = ctx->devices[k] + 1;
	cli_leave = leave;
	gpube__opening_allow(first);
	if (!all && ctx->n_devices > 1)
		gpube__opening_put_off(first + 1, most);
	else
		gpube__opening_limit(all ? 0 : most, one_stream);
	if (backend == GPUBE_BACKEND_CUDA || ctx->n_devices)
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

/* Cards that the driver's kernel module lists, which is told without the driver; 0: unknown. */
static int listed_devices(void)
{
	DIR *d = opendir("/proc/driver/nvidia/gpus");
	int n = 0;

	for (struct dirent *e; d && (e = readdir(d));)
		n += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

/*
 * Whoever names a device wants its work or an error, as with --backend cuda, and not another's
 * without a word: it has to be there, and one that cannot be opened is an error (ops/pick.c).
 */
static int check_devices(struct session *s, enum gpube_backend backend)
{
	const int n_named = backend == GPUBE_BACKEND_CPU ? 0 : s->ctx->n_devices;
	int n = n_named ? listed_devices() : 0;
	char reason[300] = "no such device";

	if (n_named && (!n || !gpube__cuda_there())) {
		n = gpube__cuda_devices(s->ctx);
		if (!n)
			snprintf(reason, sizeof(reason), "%.299s", gpube_error(s->ctx));
	}
	for (int k = 0; k < n_named; k++) {
		if (s->ctx->devices[k] < n)
			continue;
		gpube__fail(s->ctx, GPUBE_ENODEV, "device %d of --devices: %s", s->ctx->devices[k],
			reason);
		return session_fail(s, NULL);
	}
	return CLI_DONE;
}

int session_engine(struct session *s, struct gpube_opts *to, int32_t **order,
	const struct gpube_model *m, const struct opts_engine *engine)
{
	*order = NULL;
	if (check_devices(s, (enum gpube_backend)engine->backend))
		return CLI_FAILED;
	*to = (struct gpube_opts){0};
	opts_library(to, GPUBE__ON_COSTS_OF, opt_rows_engine, OPT_N_ENGINE, engine);
	to->timeout_seconds = session_time_left(s, engine->timeout);
	if (!engine->order_file)
		return CLI_DONE;
	*order = gpube__alloc(s->ctx, (uint64_t)gpube_model_n_vars(m), sizeof(**order));
	if (!*order || gpube_read_order(*order, m, engine->order_file)) {
		gpube__free(s->ctx, *order);
		*order = NULL;
		return session_fail(s, NULL);
	}
	to->order = *order;
	to->order_method = GPUBE_ORDER_GIVEN;
	return CLI_DONE;
}

int session_on_model(const struct session_work *w, const void *opts, int n_args, char **args)
{
	struct opts_read read = *w->read;
	struct gpube_model *m = NULL;
	struct session s;
	int rc;

	if (session_options_clash(w->engine) || !session_evidence(&read, n_args, args))
		return CLI_USAGE;
	rc = session_start_engine(&s, w->talk, w->engine, w->json, w->output);
	if (rc)
		return rc;
	rc = !w->writes || session_can_write(&s, w->writes) ? CLI_DONE : session_fail(&s, NULL);
	if (!rc)
		rc = session_read_below(&s, &m, args[0], &read, w->ub);
	if (!rc)
		rc = w->work(&s, opts, args[0], m, &read);
	gpube_model_free(m);
	session_end(&s);
	return rc;
}
