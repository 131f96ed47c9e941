/* named.c - see named.h. */
#include "formats/common/named.h"

#include <stdio.h>
#include <string.h>

#include "gpube/base/nearest.h"

enum { VARIABLES = -1, MOST_LISTED = 8 };

bool gpube__has_names(const struct gpube_model *m)
{
	for (int32_t i = 0; i < m->n_vars; i++)
		if (!m->vars[i].hidden && (m->vars[i].name || m->vars[i].value_names))
			return true;
	return false;
}

/* Of several of one name the first counts. */
static int add(struct gpube_named *n, int32_t space, const char *name, int32_t index)
{
	if (!name || gpube__names_find(&n->names, space, name))
		return GPUBE_OK;
	return gpube__names_add(&n->names, space, name, index);
}

int gpube__named_init(struct gpube_named *n, const struct gpube_model *m)
{
	int32_t n_shown = 0;
	int status = GPUBE_OK;

	*n = (struct gpube_named){.m = m};
	gpube__names_init(&n->names, m->ctx);
	if (m->n_hidden) {
		n->shown = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*n->shown));
		if (!n->shown)
			return GPUBE_ENOMEM;
	}
	for (int32_t i = 0; !status && i < m->n_vars; i++) {
		if (m->vars[i].hidden)
			continue;
		if (n->shown)
			n->shown[n_shown++] = i;
		status = add(n, VARIABLES, m->vars[i].name, i);
	}
	if (status)
		gpube__named_clear(n);
	return status;
}

void gpube__named_clear(struct gpube_named *n)
{
	if (n->names.ctx)
		gpube__free(n->names.ctx, n->shown);
	gpube__names_clear(&n->names);
	*n = (struct gpube_named){NULL};
}

int32_t gpube__index_of(const char *text)
{
	int64_t v = 0;

	if (!*text)
		return -1;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || v > INT32_MAX)
			return -1;
		v = 10 * v + (*text - '0');
	}
	return v > INT32_MAX ? -1 : (int32_t)v;
}

static bool is_number(const char *name)
{
	return name && gpube__index_of(name + (*name == '-' || *name == '+')) >= 0;
}

const char *gpube__var_text(char text[GPUBE_NAMED_TEXT], const struct gpube_model *m, int32_t var)
{
	if (m->vars[var].name)
		snprintf(text, GPUBE_NAMED_TEXT, "%.40s", m->vars[var].name);
	else
		snprintf(text, GPUBE_NAMED_TEXT, "%d", var);
	return text;
}

const char *gpube__value_text(
	char text[GPUBE_NAMED_TEXT], const struct gpube_model *m, int32_t var, int32_t value)
{
	if (m->vars[var].value_names)
		snprintf(text, GPUBE_NAMED_TEXT, "%.40s", m->vars[var].value_names[value]);
	else
		snprintf(text, GPUBE_NAMED_TEXT, "%d", value);
	return text;
}

/* ---- what is none ---------------------------------------------------------------------- */

/*
 * "no, yes" into 'text': the values of a variable, or the variables (var -1). Of many those that
 * come near, or the first ones and how many more there are.
 */
static const char *list(
	char text[256], const struct gpube_named *n, int32_t var, const struct gpube_nearest *near)
{
	const struct gpube_model *m = n->m;
	const int32_t all = var < 0 ? m->n_vars - m->n_hidden : m->vars[var].domain;
	const bool nearest = all > MOST_LISTED && near->n;
	const int32_t listed = nearest ? near->n : all > MOST_LISTED ? MOST_LISTED : all;
	size_t at = (size_t)snprintf(text, 256, "%s", nearest ? "nearest: " : "");
	char name[GPUBE_NAMED_TEXT];

	for (int32_t k = 0; k < listed && at < 256; k++)
		at += (size_t)snprintf(text + at, 256 - at, "%s%.24s", k ? ", " : "",
			nearest   ? near->names[k]
			: var < 0 ? gpube__var_text(name, m, n->shown ? n->shown[k] : k)
				  : gpube__value_text(name, m, var, k));
	if (all > listed && !nearest && at < 256)
		snprintf(text + at, 256 - at, " and %d more", all - listed);
	return text;
}

static int refuse_var(const struct gpube_named *n, const char *text)
{
	const struct gpube_model *m = n->m;
	const int32_t n_shown = m->n_vars - m->n_hidden;
	struct gpube_nearest near = {.word = text};
	char names[256];

	if (!n->names.n)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"expected a variable from 0 to %d, found '%.40s'", n_shown - 1, text);
	for (int32_t i = 0; i < m->n_vars; i++)
		if (!m->vars[i].hidden && m->vars[i].name)
			gpube__nearest_consider(&near, m->vars[i].name);
	return gpube__fail(m->ctx, GPUBE_EINVAL, "expected a variable (%s), found '%.40s'",
		list(names, n, VARIABLES, &near), text);
}

static int refuse_value(const struct gpube_named *n, int32_t var, const char *text)
{
	const struct gpube_model *m = n->m;
	const struct gpube_variable *v = &m->vars[var];
	struct gpube_nearest near = {.word = text};
	char names[256], name[GPUBE_NAMED_TEXT];

	if (!v->value_names)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"expected a value of variable %s from 0 to %d, found '%.40s'",
			gpube__var_text(name, m, var), v->domain - 1, text);
	for (int32_t a = 0; a < v->domain; a++)
		gpube__nearest_consider(&near, v->value_names[a]);
	return gpube__fail(m->ctx, GPUBE_EINVAL,
		"expected a value of variable %s (%s), found '%.40s'",
		gpube__var_text(name, m, var), list(names, n, var, &near), text);
}

/* ---- what a text stands for -------------------------------------------------------------- */

int gpube__named_var(int32_t *var, struct gpube_named *n, const char *text)
{
	const struct gpube_model *m = n->m;
	const int32_t *found = gpube__names_find(&n->names, VARIABLES, text);
	int32_t i = gpube__index_of(text);

	if (!found && (i < 0 || i >= m->n_vars - m->n_hidden))
		return refuse_var(n, text);
	if (!found && n->shown)
		i = n->shown[i];
	if (!found && is_number(m->vars[i].name))
		return refuse_var(n, text);
	*var = found ? *found : i;
	return GPUBE_OK;
}

/* The value of that name; NULL: none has it. */
static int find_value(const int32_t **found, struct gpube_named *n, int32_t var, const char *name)
{
	const struct gpube_variable *v = &n->m->vars[var];

	if (v->value_names && !gpube__names_find(&n->names, var, v->value_names[0]))
		for (int32_t a = 0; a < v->domain; a++)
			if (add(n, var, v->value_names[a], a))
				return GPUBE_ENOMEM;
	*found = v->value_names ? gpube__names_find(&n->names, var, name) : NULL;
	return GPUBE_OK;
}

int gpube__named_value(int32_t *value, struct gpube_named *n, int32_t var, const char *text)
{
	const struct gpube_variable *v = &n->m->vars[var];
	const int32_t index = gpube__index_of(text), *found;

	if (find_value(&found, n, var, text))
		return GPUBE_ENOMEM;
	if (!found && (index < 0 || index >= v->domain ||
			      (v->value_names && is_number(v->value_names[index]))))
		return refuse_value(n, var, text);
	*value = found ? *found : index;
	return GPUBE_OK;
}

const char *gpube__named_key(const struct gpube_named *n, int32_t var)
{
	const char *name = n->m->vars[var].name;
	const int32_t *found = name ? gpube__names_find(&n->names, VARIABLES, name) : NULL;

	return found && *found == var ? name : NULL;
}

int gpube__named_value_key(const char **key, struct gpube_named *n, int32_t var, int32_t value)
{
	const char *name = gpube_model_value_name(n->m, var, value);
	const int32_t *found = NULL;

	if (name && find_value(&found, n, var, name))
		return GPUBE_ENOMEM;
	*key = found && *found == value ? name : NULL;
	return GPUBE_OK;
}

int gpube__named_observe(struct gpube_model *m, int32_t var, int32_t value)
{
	const int32_t before = gpube_model_observed(m, var);
	char name[GPUBE_NAMED_TEXT], values[2][GPUBE_NAMED_TEXT];

	if (before < 0 || before == value)
		return gpube_model_observe(m, var, value);
	return gpube__fail(m->ctx, GPUBE_EINVAL, "variable %s is observed as %s and as %s",
		gpube__var_text(name, m, var), gpube__value_text(values[0], m, var, before),
		gpube__value_text(values[1], m, var, value));
}

/* ---- in files ---- */

int gpube__in_name(struct gpube_in *in, char token[256], const char *what)
{
	const bool quoted = *in->p == '"';
	const size_t have = quoted ? gpube__in_need(in, 256) : 0, most = have < 256 ? have : 256;
	size_t n = 1;

	if (!quoted)
		return gpube__in_token(in, token, what);
	for (; n < most && in->p[n] != '"'; n++)
		if ((unsigned char)in->p[n] < ' ' || in->p[n] == 0x7f)
			break;
	if (n >= most || in->p[n] != '"')
		return gpube__in_error(in, "expected a name of at most 254 bytes between two '\"'");
	memcpy(token, in->p + 1, n - 1);
	token[n - 1] = 0;
	in->p += n + 1;
	return GPUBE_OK;
}

int gpube__named_fail(struct gpube_in *in)
{
	char why[sizeof(in->ctx->error)];

	memcpy(why, in->ctx->error, sizeof(why));
	return gpube__in_error(in, "%s", why);
}
