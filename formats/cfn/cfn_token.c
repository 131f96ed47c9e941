/* cfn_token.c - tokens of .cfn as numbers, variables and values. See cfn.h. */
#include <stdio.h>
#include <string.h>

#include "formats/cfn/cfn.h"

int gpube__cfn_fail(struct gpube_cfn_reader *r, int status)
{
	if (!r->in->status)
		r->in->status = status;
	return r->in->status;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Does the token begin like a number? Names do not. */
bool gpube__cfn_numeric(const struct gpube_cfn_token *t)
{
	return t->kind == GPUBE_CFN_WORD && t->text[0] && strchr("0123456789-+.", t->text[0]);
}

/* ---- tokens ------------------------------------------------------------------------ */

int gpube__cfn_advance(struct gpube_cfn_reader *r)
{
	return gpube__cfn_next(r->in, &r->token);
}

int gpube__cfn_expected(struct gpube_cfn_reader *r, const char *what)
{
	if (r->in->status)
		return r->in->status;
	if (r->token.several)
		return gpube__in_error(r->in,
			"expected %s, found the string \"%.40s\" that is not one word", what,
			r->token.text);
	if (r->token.kind == GPUBE_CFN_WORD && !r->token.text[0])
		return gpube__in_error(r->in, "expected %s, found an empty string", what);
	return gpube__in_expected(r->in, what, r->token.text);
}

/* The current token is one of 'kind'. */
int gpube__cfn_require(struct gpube_cfn_reader *r, enum gpube_cfn_kind kind, const char *what)
{
	if (r->in->status || r->token.kind != kind || r->token.several ||
		(kind == GPUBE_CFN_WORD && !r->token.text[0]))
		return gpube__cfn_expected(r, what);
	return GPUBE_OK;
}

int gpube__cfn_open_bracket(void *reader, const char *what)
{
	struct gpube_cfn_reader *r = reader;

	return gpube__cfn_advance(r) ? r->in->status : gpube__cfn_require(r, GPUBE_CFN_OPEN, what);
}

int gpube__cfn_close_bracket(void *reader, const char *what)
{
	struct gpube_cfn_reader *r = reader;

	return gpube__cfn_advance(r) ? r->in->status : gpube__cfn_require(r, GPUBE_CFN_CLOSE, what);
}

bool gpube__cfn_is_tag(const struct gpube_cfn_reader *r, const char *tag, size_t n)
{
	return r->token.kind == GPUBE_CFN_WORD && strlen(r->token.text) == n &&
	       strncmp(r->token.text, tag, n) == 0;
}

/* Passes a tag, if the file has tags. */
int gpube__cfn_pass_tag(void *reader, const char *tag, size_t n)
{
	struct gpube_cfn_reader *r = reader;
	char what[64];

	if (!r->tags)
		return GPUBE_OK;
	if (gpube__cfn_advance(r))
		return r->in->status;
	if (gpube__cfn_is_tag(r, tag, n))
		return GPUBE_OK;
	snprintf(what, sizeof(what), "'%.*s'", (int)(n < 60 ? n : 60), tag);
	return gpube__cfn_expected(r, what);
}

/* ---- numbers ----------------------------------------------------------------------- */

/* An integer of the current token. */
int gpube__cfn_to_int(
	struct gpube_cfn_reader *r, int64_t *v, int64_t min, int64_t max, const char *what)
{
	bool fits;
	int scale;

	if (gpube__cfn_require(r, GPUBE_CFN_WORD, what))
		return r->in->status;
	if (strpbrk(r->token.text, ".eE") || !gpube__decimal(r->token.text, v, &scale, &fits))
		return gpube__cfn_expected(r, what);
	if (!fits || *v < min || *v > max)
		return gpube__in_outside(r->in, min, max, what, r->token.text);
	return GPUBE_OK;
}

/* The current token as a cost in the model's units, whose scale may grow for it. */
int gpube__cfn_to_cost(struct gpube_cfn_reader *r, int64_t *v)
{
	char text[64];
	bool fits;
	int scale, status;
	int64_t cost; /* 'v' may be part of what is widened */

	if (gpube__cfn_require(r, GPUBE_CFN_WORD, "a cost"))
		return r->in->status;
	if (strcmp(r->token.text, "inf") == 0) {
		*v = GPUBE_INF;
		return GPUBE_OK;
	}
	if (!gpube__decimal(r->token.text, &cost, &scale, &fits))
		return gpube__cfn_expected(r, "a cost");
	if (fits && scale > r->m->scale) {
		if (!r->told_decimals)
			gpube__log(r->m->ctx, GPUBE_LOG_NOTE,
				"%s:%lld: cost '%.40s' has more decimals than the bound: all are "
				"kept; toulbar2 cuts them off, and may find another optimum",
				r->in->path, (long long)r->in->line, r->token.text);
		r->told_decimals = true; /* of one cost, for all */
		status = gpube__cfn_widen(r->m, &r->open, scale - r->m->scale);
		if (status == GPUBE_ENOMEM)
			return gpube__cfn_fail(r, status);
		if (status) {
			/* gpube__in_fail() writes where the text is */
			strncpy(text, gpube_error(r->m->ctx), sizeof(text) - 1);
			text[sizeof(text) - 1] = 0;
			return gpube__in_fail(
				r->in, GPUBE_ERANGE, "cost '%.40s': %s", r->token.text, text);
		}
	}
	if (!fits || !gpube__scaled(&cost, r->m->scale - scale)) {
		const int most = scale > r->m->scale ? scale : r->m->scale;

		return gpube__in_fail(r->in, GPUBE_ERANGE,
			"cost '%.40s' does not fit 64 bits with %d decimal%s", r->token.text, most,
			gpube__plural(most));
	}
	*v = cost;
	return GPUBE_OK;
}

int gpube__cfn_to_variable(struct gpube_cfn_reader *r, int64_t *v)
{
	int32_t *known;

	if (gpube__cfn_require(r, GPUBE_CFN_WORD, "a variable"))
		return r->in->status;
	if (is_digit(r->token.text[0]))
		return gpube__cfn_to_int(r, v, 0, (int64_t)r->n_vars - 1, "a variable");
	known = gpube__names_find(&r->names, GPUBE_CFN_VARIABLES, r->token.text);
	if (!known)
		return gpube__in_error(r->in, "unknown variable '%.40s'", r->token.text);
	*v = *known;
	return GPUBE_OK;
}

int gpube__cfn_to_value(struct gpube_cfn_reader *r, int32_t var, int64_t *v)
{
	const struct gpube_variable *x = &r->m->vars[var];
	int32_t *known;

	if (gpube__cfn_require(r, GPUBE_CFN_WORD, "a value"))
		return r->in->status;
	if (is_digit(r->token.text[0]))
		return gpube__cfn_to_int(r, v, 0, (int64_t)x->domain - 1, "a value");
	known = gpube__names_find(&r->names, var, r->token.text);
	/* toulbar2 calls the values of a domain without names v0, v1, … */
	if (!known && !x->value_names && r->token.text[0] == 'v' && is_digit(r->token.text[1])) {
		memmove(r->token.text, r->token.text + 1, strlen(r->token.text));
		return gpube__cfn_to_int(r, v, 0, (int64_t)x->domain - 1, "a value");
	}
	if (!known)
		return gpube__in_error(r->in, "variable %d '%.40s' has no value '%.40s'", var,
			x->name ? x->name : "", r->token.text);
	*v = *known;
	return GPUBE_OK;
}
