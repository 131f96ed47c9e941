/* inputs.c - what the shared options say, handed to the readers and the engine; see session.h. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <unistd.h>

#include "formats/formats.h"
#include "gpube/options/options.h"
#include "gpube/cli/session/contents.h"
#include "gpube/cli/session/session.h"

#define READING_GRACE 0.5 /* seconds */

void session_begin_reading(struct session *s, double timeout)
{
	s->timeout = timeout;
	s->ctx->deadline = timeout > 0 ? s->start + timeout + READING_GRACE : 0;
}

void session_end_reading(struct session *s)
{
	s->ctx->deadline = 0;
}

static int read_contents(
	struct session *s, struct contents *c, const char *path, const struct opts_read *read)
{
	int status;

	session_begin_reading(s, s->timeout);
	status = contents_read(c, s->ctx, path, read);
	session_end_reading(s);
	if (!status && read->regret && c->kind != GPUBE_CONTENT_GAME)
		status = gpube__fail(
			s->ctx, GPUBE_EINVAL, "--regret goes with games, and '%s' is none", path);
	if (status)
		contents_clear(c);
	return status;
}

int session_try_contents(
	struct session *s, struct contents *c, const char *path, const struct opts_read *read)
{
	int status = read_contents(s, c, path, read);

	if (!status && c->kind == GPUBE_CONTENT_MODEL)
		status = session_observe(s, c->model, path, read);
	else if (!status && read->observe.n)
		status = gpube__fail(
			s->ctx, GPUBE_EINVAL, "--observe goes with models, and '%s' is none", path);
	if (status)
		contents_clear(c);
	return status;
}

int session_try_read(
	struct session *s, struct gpube_model **m, const char *path, const struct opts_read *read)
{
	struct contents c;
	int status = read_contents(s, &c, path, read);
	bool pure;

	*m = NULL;
	if (status)
		return status;
	pure = c.kind == GPUBE_CONTENT_GAME && !read->regret;
	session_begin_reading(s, s->timeout);
	status = contents_become(&c, s->ctx, GPUBE_CONTENT_MODEL, read->regret);
	session_end_reading(s);
	s->none = pure ? "the game has no pure equilibrium" : NULL;
	if (!status)
		status = session_observe(s, c.model, path, read);
	if (!status) {
		*m = c.model;
		c.model = NULL;
	}
	contents_clear(&c);
	return status;
}

int session_read(
	struct session *s, struct gpube_model **m, const char *path, const struct opts_read *read)
{
	return session_try_read(s, m, path, read) ? session_fail(s, NULL) : CLI_DONE;
}

/* As toulbar2 is called: it tells by its name what a file behind the first one is. */
static const char *option_for(const char *path)
{
	return gpube__has_extension(path, "sol")                      ? "--sol"
	       : gpube__has_extension(path, "ub")                     ? "--ub"
	       : gpube__has_extension(path, "query")                  ? "--query"
	       : gpube__has_extension(path, "order|ord|elim|cov|dec") ? "--order-file"
								      : NULL;
}

bool session_evidence(struct opts_read *read, int n_args, char **args)
{
	const char *option = n_args < 2 ? NULL : option_for(args[1]);

	if (n_args < 2)
		return true;
	if (option) {
		cli_error("'%s' is no evidence: it goes behind %s", args[1], option);
		return false;
	}
	if (gpube__has_extension(args[1], GPUBE_FORMATS_READ)) {
		cli_error("'%s' is no evidence, which may follow the one model", args[1]);
		return false;
	}
	if (strchr(args[1], '=') && access(args[1], F_OK)) {
		cli_error("'%s' is no file of evidence: one value is --observe '%s'", args[1],
			args[1]);
		return false;
	}
	if (read->evidence) {
		cli_error("the evidence is given twice, by --evidence and as '%s'", args[1]);
		return false;
	}
	read->evidence = args[1];
	return true;
}

bool session_options_clash(const struct opts_engine *engine)
{
	if (!engine->order_file || engine->order == GPUBE_ORDER_AUTO)
		return false;
	cli_error("--order and --order-file exclude each other");
	return true;
}

/* The model's top becomes --ub's, if that is better. */
static int allow_below(struct session *s, struct gpube_model *m, const char *ub)
{
	int64_t top;

	if (m->kind == GPUBE_POTENTIALS)
		return session_fail_text(s, NULL, "--ub: a .uai model has no costs");
	if (!gpube__units(&top, ub, m->scale)) {
		gpube__fail(s->ctx, GPUBE_EINVAL,
			"--ub: expected a number of at most %d decimals, as the file has, found "
			"'%s'",
			m->scale, ub);
		return session_fail(s, NULL);
	}
	if (m->direction == GPUBE_MINIMISE ? top >= m->top : top <= m->top)
		return CLI_DONE;
	return gpube_model_set_top(m, top) ? session_fail(s, NULL) : CLI_DONE;
}

int session_read_below(struct session *s, struct gpube_model **m, const char *path,
	const struct opts_read *read, const char *ub)
{
	const int rc = session_read(s, m, path, read);

	return !rc && ub ? allow_below(s, *m, ub) : rc;
}
