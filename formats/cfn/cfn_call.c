/* cfn_call.c - functions of .cfn in intension, by a keyword and its parameters. See cfn.h. */
#include <string.h>

#include "formats/cfn/cfn.h"

static int source_more(void *reader, bool *more)
{
	const int c = gpube__cfn_peek(((struct gpube_cfn_reader *)reader)->in);

	*more = c >= 0 && !gpube__cfn_closes(c);
	return GPUBE_OK;
}

static int source_word(void *reader, const char **word, const char *what)
{
	struct gpube_cfn_reader *r = reader;

	*word = r->token.text;
	return gpube__cfn_advance(r) ? r->in->status : gpube__cfn_require(r, GPUBE_CFN_WORD, what);
}

static int source_integer(void *reader, int64_t *v, int64_t min, int64_t max, const char *what)
{
	struct gpube_cfn_reader *r = reader;

	return gpube__cfn_advance(r) ? r->in->status : gpube__cfn_to_int(r, v, min, max, what);
}

static int source_variable(void *reader, int64_t *v)
{
	struct gpube_cfn_reader *r = reader;

	return gpube__cfn_advance(r) ? r->in->status : gpube__cfn_to_variable(r, v);
}

static int source_cost(void *reader, int64_t *v, bool signs)
{
	struct gpube_cfn_reader *r = reader;

	if (gpube__cfn_advance(r) || gpube__cfn_to_cost(r, v))
		return r->in->status;
	return *v < 0 && !signs ? gpube__in_error(r->in, "expected a cost from 0, found '%.40s'",
					  r->token.text)
				: GPUBE_OK;
}

int gpube__cfn_read_call(struct gpube_cfn_reader *r, int arity, const char *name)
{
	const struct gpube_source source = {.reader = r,
		.integer = source_integer,
		.cost = source_cost,
		.word = source_word,
		.variable = source_variable,
		.tag = gpube__cfn_pass_tag,
		.open = gpube__cfn_open_bracket,
		.close = gpube__cfn_close_bracket,
		.more = source_more};
	struct gpube_call call = {.sink = gpube__in_sink(r->in),
		.m = r->m,
		.arity = arity,
		.scope = r->scope,
		.function_name = name,
		.hard_from = GPUBE_INF,
		.no_hidden = r->depth > 0};
	bool known;

	if (gpube__cfn_require(r, GPUBE_CFN_WORD, "a function's type"))
		return r->in->status;
	if (strcmp(r->token.text, "cfnconstraint") == 0)
		return gpube__cfn_read_bounded(r, arity, name);
	call.keyword = gpube__keyword(r->token.text, &known);
	if (call.keyword && (call.keyword->flags & GPUBE_KEYWORD_WCSP))
		call.keyword = NULL;
	if (!call.keyword)
		return gpube__in_error(r->in, "function '%.40s': type '%.40s' is %s",
			name ? name : "", r->token.text, known ? "not supported" : "unknown");
	if (call.keyword->name[0] == '<')
		gpube__log(r->m->ctx, GPUBE_LOG_NOTE,
			"%s:%lld: '%s' is read as the format says; toulbar2 swaps its two "
			"variables",
			r->in->path, (long long)r->in->line, call.keyword->name);
	r->open = (struct gpube_cfn_open){.call = &call};
	if (!gpube__cfn_pass_tag(r, "params", 6) &&
		!gpube__cfn_open_bracket(r, "'[' of the parameters") &&
		!gpube__call_read(&call, &source) &&
		!gpube__cfn_close_bracket(r, "']' after the parameters")) {
		call.unit = 1;
		gpube__scaled(&call.unit, r->m->scale);
		gpube__call_expand(&call);
	}
	r->open = (struct gpube_cfn_open){0};
	gpube__call_clear(&call);
	return r->in->status;
}
