/* other_kinds.c - see other_kinds.h. */
#include "gpube/cli/other_kinds.h"

#include <string.h>

#include "gpube/cli/session/contents.h"

/* 'other': out: does the file hold one of them? What goes with a model is refused as one. */
static int read_contents(struct session *s, struct contents *c, bool *other, const char *path)
{
	int status = contents_read(c, s->ctx, path);

	/* what else is wrong is said where it is read as a model */
	*other = status == GPUBE_ENOMEM ||
		 (c->kind != GPUBE_CONTENT_MODEL && c->kind != GPUBE_CONTENT_SIDECAR);
	return status;
}

/* As 'gpube solve' takes it; NULL: it becomes none. Its notes are for those who solve it. */
static struct gpube_model *model_of(struct session *s, const struct contents *c)
{
	void (*log)(void *, enum gpube_log_level, double, const char *) = s->ctx->log;
	struct gpube_model *m = NULL;

	s->ctx->log = NULL;
	if (contents_become_model(c->kind))
		contents_model(&m, c, false);
	s->ctx->log = log;
	return m;
}

static void write_json(
	struct json *j, const struct contents *c, const struct gpube_model *m, const char *path)
{
	json_open(j, NULL, '{');
	json_text(j, "file", path);
	json_text(j, "kind",
		c->game         ? "bimatrix game"
		: c->coalitions ? "coalition game"
		: c->auction    ? "auction"
				: "result");
	if (c->result) {
		json_text(j, "task", gpube_uai_task_name(c->result->task));
		if (c->result->task == GPUBE_UAI_PR)
			json_real(j, "log10", c->result->log10_value);
		else
			json_int(j, "variables", c->result->n);
	} else if (c->game) {
		json_int(j, "rows", nash_game_rows(c->game));
		json_int(j, "columns", nash_game_columns(c->game));
	} else if (c->coalitions) {
		json_int(j, "agents", csg_game_agents(c->coalitions));
		json_text(j, "type", csg_type_name(csg_game_type(c->coalitions)));
	} else {
		json_int(j, "goods", csg_auction_goods(c->auction));
		json_int(j, "bids", csg_auction_bids(c->auction));
	}
	if (m) {
		json_open(j, "model", '{');
		json_int(j, "variables", m->n_vars);
		json_int(j, "functions", m->n_functions);
		json_close(j, '}');
	}
	json_close(j, '}');
	gpube__out_text(j->out, "\n");
}

static void write_result(struct gpube_out *out, const struct gpube_uai_result *r)
{
	static const char *const what[] = {[GPUBE_UAI_MAR] = "marginals of",
		[GPUBE_UAI_MPE] = "values of all",
		[GPUBE_UAI_MAP] = "values of"};

	gpube__out_printf(out, "result      %s, ", gpube_uai_task_name(r->task));
	if (r->task != GPUBE_UAI_PR)
		gpube__out_printf(
			out, "%s %d variable%s\n", what[r->task], r->n, gpube__plural(r->n));
	else
		gpube__out_printf(out, "log10 %.9g\n", r->log10_value);
}

static void write_text(
	struct gpube_out *out, const struct contents *c, const struct gpube_model *m)
{
	if (c->result)
		write_result(out, c->result);
	else if (c->game)
		gpube__out_printf(out, "game        %d x %d actions; see 'gpube nash'\n",
			nash_game_rows(c->game), nash_game_columns(c->game));
	else if (c->coalitions)
		gpube__out_printf(out,
			"coalitions  of %d agent%s, values of type %s; see 'gpube csg'\n",
			csg_game_agents(c->coalitions),
			gpube__plural(csg_game_agents(c->coalitions)),
			csg_type_name(csg_game_type(c->coalitions)));
	else
		gpube__out_printf(out, "auction     %d good%s, %d bid%s; see 'gpube auction'\n",
			csg_auction_goods(c->auction), gpube__plural(csg_auction_goods(c->auction)),
			csg_auction_bids(c->auction), gpube__plural(csg_auction_bids(c->auction)));
	if (m)
		gpube__out_printf(out,
			"model       %d variable%s, %d function%s, for 'gpube solve' and "
			"'convert'\n",
			m->n_vars, gpube__plural(m->n_vars), m->n_functions,
			gpube__plural(m->n_functions));
}

static int print(struct session *s, const struct contents *c, const char *path)
{
	struct gpube_model *m;
	struct gpube_out out;
	struct json j = {.out = &out};

	if (gpube__out_open(&out, s->ctx, s->output))
		return session_fail(s, NULL);
	m = model_of(s, c);
	if (s->json)
		write_json(&j, c, m, path);
	else
		write_text(&out, c, m);
	gpube_model_free(m);
	return gpube__out_close(&out, true) ? session_fail(s, NULL) : CLI_DONE;
}

bool other_kinds_info(struct session *s, int *rc, const char *path)
{
	struct contents c;
	bool other;
	int status = read_contents(s, &c, &other, path);

	if (other)
		*rc = status ? session_fail(s, NULL) : print(s, &c, path);
	contents_clear(&c, s->ctx);
	return other;
}

/* What OUT may be called, by what IN holds. */
static const char *const outputs[] = {
	[GPUBE_CONTENT_GAME] =
		"a game is written as .nfg for Gambit, .gam as GAMUT does, as a model by the name "
		"of its format, or by any other name for lrsnash",
	[GPUBE_CONTENT_COALITIONS] =
		"values of coalitions are written as .txt, as a model by the name of its format, or "
		"by any other name in binary",
	[GPUBE_CONTENT_AUCTION] = "an auction is written as a model, by the name of its format",
	[GPUBE_CONTENT_RESULT] = "a result is written as .PR, .MAR, .MPE, .MMAP or .sol",
	[GPUBE_CONTENT_SIDECAR] = "",
};

/* An option of models that was given; NULL: none was. */
static const char *option_of_models(const struct opts_convert *o)
{
	return o->to          ? "--to"
	       : o->simplify  ? "--simplify"
	       : o->map       ? "--map"
	       : o->check     ? "--check"
	       : o->shift     ? "--shift"
	       : o->lossy     ? "--lossy"
	       : o->precision ? "--precision"
	       : o->read.regret ? "--regret"
			      : NULL;
}

/* The names of all others' formats, beside those of models, which none but a model has. */
static bool named_otherwise(enum gpube_content kind, const char *to)
{
	static const char *const endings[] = {[GPUBE_CONTENT_GAME] = "nfg|gam",
		[GPUBE_CONTENT_COALITIONS] = "csg",
		[GPUBE_CONTENT_RESULT] = "PR|MAR|MPE|MMAP|sol",
		[GPUBE_CONTENT_SIDECAR] = "ub|order|ord|cov|evid|query|yml"};

	for (size_t k = 0; k < sizeof(endings) / sizeof(*endings); k++)
		if (endings[k] && k != (size_t)kind && gpube__has_extension(to, endings[k]))
			return true;
	return gpube__has_extension(to, GPUBE_FORMATS_READ);
}

/* The name says .sol, or the task; the wrong task's name would be read as that. */
static int convert_result(struct session *s, const struct gpube_uai_result *r, const char *to)
{
	const char *task = gpube_uai_task_name(r->task);

	if (gpube__has_extension(to, "PR|MAR|MPE|MMAP") && !gpube__has_extension(to, task))
		return gpube__fail(s->ctx, GPUBE_EINVAL,
			"cannot write '%s': the result is %s, and there is no way from one task to "
			"another",
			to, task);
	return gpube_write_uai_result(s->ctx, to, r);
}

static int convert(struct session *s, const struct contents *c, const struct opts_convert *o,
	const char *path, const char *to)
{
	const char *option = option_of_models(o);

	if (option)
		return gpube__fail(s->ctx, GPUBE_EINVAL,
			"%s goes with models, and '%s' is none: %s", option, path,
			outputs[c->kind]);
	if (c->result && gpube__has_extension(to, GPUBE_FORMATS_READ))
		return gpube__fail(
			s->ctx, GPUBE_EINVAL, "cannot write '%s': a result is no model", to);
	if (c->auction || named_otherwise(c->kind, to))
		return gpube__fail(s->ctx, GPUBE_EINVAL, "cannot write '%s' from '%s': %s", to,
			path, outputs[c->kind]);
	if (c->game)
		return nash_write(c->game, to, NASH_FORMAT_AUTO);
	if (c->coalitions)
		return csg_write(
			c->coalitions, to, gpube__has_extension(to, "txt") || !strcmp(to, "-"));
	return convert_result(s, c->result, to);
}

bool other_kinds_is_to_be_model(
	struct session *s, const struct opts_convert *o, const char *path, const char *to)
{
	enum gpube_content kind;

	if (o->read.from || (!o->to && !gpube__has_extension(to, GPUBE_FORMATS_WRITTEN)) ||
		gpube_content(&kind, s->ctx, path))
		return false;
	return contents_become_model(kind);
}

bool other_kinds_convert(
	struct session *s, int *rc, const struct opts_convert *o, const char *path, const char *to)
{
	struct contents c;
	bool other;
	int status = read_contents(s, &c, &other, path);

	if (!status && other)
		status = convert(s, &c, o, path, to);
	if (other)
		*rc = status ? session_fail(s, NULL) : CLI_DONE;
	contents_clear(&c, s->ctx);
	return other;
}

/* Of what no format claims the content is a model by default: it is one if its name says so. */
static bool is_model(const char *path)
{
	return gpube__has_extension(path, GPUBE_FORMATS_READ "|yml");
}

/* What take() makes of the model in the file, which is a model by its name or because it can be read as one. */
static int read_form(
	struct session *s, int status, const char *path, const char *text, const struct form_taken *form)
{
	struct gpube_model *m = NULL;
	int as_model = gpube_read_with(&m, s->ctx, path, NULL);

	if (!as_model)
		as_model = form->take(form->arg, m);
	else if (!is_model(path)) /* then the command's own error is as good */
		memcpy(s->ctx->error, text, sizeof(s->ctx->error));
	if (m && as_model == GPUBE_EINVAL) {
		char why[sizeof(s->ctx->error)];

		memcpy(why, s->ctx->error, sizeof(why));
		gpube__fail(s->ctx, GPUBE_EINVAL, "'%s' is %s, and %s", path,
			gpube_content_words(GPUBE_CONTENT_MODEL), why);
	}
	gpube_model_free(m);
	return m || is_model(path) ? as_model : status;
}

int other_kinds_read(struct session *s, int status, const char *path, const struct form_taken *form)
{
	char text[sizeof(s->ctx->error)];
	enum gpube_content kind;

	if (status != GPUBE_EPARSE && status != GPUBE_EINVAL)
		return status;
	memcpy(text, s->ctx->error, sizeof(text));
	if (strcmp(path, "-") == 0 || gpube_content(&kind, s->ctx, path) || kind == form->own ||
		kind == form->also)
		memcpy(s->ctx->error, text, sizeof(text));
	else if (kind == GPUBE_CONTENT_MODEL)
		return read_form(s, status, path, text, form);
	else
		gpube__fail(s->ctx, GPUBE_EINVAL, "'%s' is %s", path, gpube_content_words(kind));
	return status;
}
