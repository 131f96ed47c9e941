/* observe.c - the evidence of a session: its file, and --observe NAME=VALUE; see session.h. */
#include <stdio.h>
#include <string.h>

#include "formats/common/named.h"
#include "formats/common/registry.h"
#include "gpube/cli/session/session.h"

int session_evidence_file(char **out, struct session *s, const struct gpube_model *m,
	const char *path, const struct opts_read *read)
{
	const char *evidence =
		read->evidence && !strcmp(read->evidence, "none") ? "" : read->evidence;

	/* of formats of costs .LG alone has a file beside it, and none has evidence in itself */
	return gpube__evid_find(
		out, s->ctx, path, m->kind == GPUBE_POTENTIALS || m->evidence, evidence);
}

struct observation {
	int32_t var, value;
};

/*
 * What NAME=VALUE stands for. Names may have an '=' in them, so each one is tried; of what fails
 * the first reason is told, or rather the first behind the name of a variable. 'room' has the place
 * for the text.
 */
static int look_up(struct observation *o, struct gpube_named *n, const char *text, char *room)
{
	struct gpube_ctx *ctx = n->m->ctx;
	char why[sizeof(ctx->error)] = "expected NAME=VALUE";
	int best = 0;

	memcpy(room, text, strlen(text) + 1);
	for (char *at = strchr(room, '='); at; at = strchr(at + 1, '=')) {
		int status, known;

		*at = 0;
		status = gpube__named_var(&o->var, n, room);
		known = status ? 1 : 2;
		if (!status)
			status = gpube__named_value(&o->value, n, o->var, at + 1);
		*at = '=';
		if (status != GPUBE_EINVAL)
			return status;
		if (known > best)
			memcpy(why, ctx->error, sizeof(why));
		best = known > best ? known : best;
	}
	return gpube__fail(ctx, GPUBE_EINVAL, "--observe '%.80s': %s", text, why);
}

/* The variable has been observed as another value than text k says: by a text, or by the file. */
static int refuse(struct session *s, struct gpube_named *n, const struct observation *o,
	const char *path, const struct opts_read *read, int k, char *room)
{
	const struct gpube_model *m = n->m;
	char name[GPUBE_NAMED_TEXT], values[2][GPUBE_NAMED_TEXT];
	struct observation other = {-1, -1};
	char *file = NULL;
	int at = -1, status = GPUBE_OK;

	while (++at < k && other.var != o->var)
		status = status ? status : look_up(&other, n, read->observe.texts[at], room);
	if (other.var != o->var && !status)
		status = session_evidence_file(&file, s, m, path, read);
	if (!status)
		status = gpube__fail(s->ctx, GPUBE_EINVAL,
			"variable %s is observed as %s by %s'%.80s', and as %s by --observe "
			"'%.80s'",
			gpube__var_text(name, m, o->var),
			gpube__value_text(values[0], m, o->var, m->evidence[o->var]),
			other.var == o->var ? "--observe " : "",
			other.var == o->var ? read->observe.texts[at - 1]
			: file              ? file
					    : path,
			gpube__value_text(values[1], m, o->var, o->value), read->observe.texts[k]);
	gpube__free(s->ctx, file);
	return status;
}

static int observe_all(struct session *s, struct gpube_model *m, struct gpube_named *n,
	const char *path, const struct opts_read *read, char *room)
{
	int status = GPUBE_OK;

	for (int k = 0; !status && k < read->observe.n; k++) {
		struct observation o;

		status = look_up(&o, n, read->observe.texts[k], room);
		if (status)
			break;
		if (m->evidence && m->evidence[o.var] >= 0 && m->evidence[o.var] != o.value)
			status = refuse(s, n, &o, path, read, k, room);
		else
			status = gpube_model_observe(m, o.var, o.value);
	}
	return status;
}

int session_observe(
	struct session *s, struct gpube_model *m, const char *path, const struct opts_read *read)
{
	struct gpube_named n;
	size_t most = 0;
	char *room;
	int status;

	if (!read->observe.n)
		return GPUBE_OK;
	s->observes = true;
	for (int k = 0; k < read->observe.n; k++)
		if (strlen(read->observe.texts[k]) > most)
			most = strlen(read->observe.texts[k]);
	room = gpube__alloc(s->ctx, most + 1, 1);
	status = room ? gpube__named_init(&n, m) : GPUBE_ENOMEM;
	if (!status) {
		status = observe_all(s, m, &n, path, read, room);
		gpube__named_clear(&n);
	}
	gpube__free(s->ctx, room);
	return status;
}
