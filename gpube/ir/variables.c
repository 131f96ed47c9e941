/* variables.c - what a model is of: its kind, its variables and their names. See model.h. */
#include "gpube/ir/model.h"

enum { VARIABLES = -1 }; /* the space of their names */

int gpube__check_kind(const struct gpube_model *m, unsigned kinds)
{
	static const char *const words[] = {
		[GPUBE_COSTS] = "a model of costs: gpube solve takes it",
		[GPUBE_POTENTIALS] = "a model of potentials: gpube infer takes it",
		[GPUBE_GAME] = "a game: gpube nash takes it",
		[GPUBE_COALITIONS] = "a coalition game: gpube csg takes it",
	};

	if (GPUBE__OF(m->kind) & kinds)
		return GPUBE_OK;
	return gpube__fail(m->ctx, GPUBE_EINVAL, "%s",
		m->auction ? "an auction: gpube auction takes it" : words[m->kind]);
}

/* ---- as they come: of a file two may have one name ----------------------------------------- */

/* An array of an entry a variable gets one more. */
static int one_more(struct gpube_model *m, int32_t **array)
{
	int32_t *longer;

	if (!*array)
		return GPUBE_OK;
	longer = gpube__realloc(m->ctx, *array, (uint64_t)m->n_vars + 1, sizeof(*longer));
	if (!longer)
		return GPUBE_ENOMEM;
	longer[m->n_vars] = -1;
	*array = longer;
	return GPUBE_OK;
}

int gpube__put_var(struct gpube_model *m, int32_t *var, int32_t domain, const char *name)
{
	struct gpube_variable v = {.domain = domain};

	if (domain < 1)
		return gpube__fail(
			m->ctx, GPUBE_EINVAL, "domain of %d values: at least 1 is needed", domain);
	if (m->kind == GPUBE_COALITIONS && domain != 2)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"domain of %d values: an agent is in a coalition or not", domain);
	if (m->n_vars == INT32_MAX)
		return gpube__fail(m->ctx, GPUBE_ERANGE, "more than %d variables", INT32_MAX);
	if (gpube__grow(m->ctx, &m->vars, &m->vars_capacity, (int64_t)m->n_vars + 1, sizeof(v)) ||
		one_more(m, &m->evidence) || one_more(m, &m->agent_of))
		return GPUBE_ENOMEM;
	if (name) {
		v.name = gpube__strdup(m->ctx, name);
		if (!v.name)
			return GPUBE_ENOMEM;
	}
	if (var)
		*var = m->n_vars;
	m->vars[m->n_vars++] = v;
	return GPUBE_OK;
}

static void free_value_names(struct gpube_ctx *ctx, struct gpube_variable *v)
{
	for (int32_t a = 0; v->value_names && a < v->domain; a++)
		gpube__free(ctx, v->value_names[a]);
	gpube__free(ctx, v->value_names);
	v->value_names = NULL;
}

int gpube__put_value_name(
	struct gpube_variable *v, struct gpube_ctx *ctx, int32_t value, const char *name)
{
	if (!v->value_names)
		v->value_names =
			gpube__alloc_zero(ctx, (uint64_t)v->domain, sizeof(*v->value_names));
	if (v->value_names)
		v->value_names[value] = gpube__strdup(ctx, name);
	return v->value_names && v->value_names[value] ? GPUBE_OK : GPUBE_ENOMEM;
}

int gpube__put_value_names(struct gpube_model *m, int32_t var, const char *const *names)
{
	struct gpube_variable v = {.domain = m->vars[var].domain};

	for (int32_t a = 0; names && a < v.domain; a++)
		if (gpube__put_value_name(&v, m->ctx, a, names[a])) {
			free_value_names(m->ctx, &v);
			return GPUBE_ENOMEM;
		}
	free_value_names(m->ctx, &m->vars[var]);
	m->vars[var].value_names = v.value_names;
	return GPUBE_OK;
}

void gpube__hide(struct gpube_model *m, int32_t var)
{
	m->n_hidden += !m->vars[var].hidden;
	m->vars[var].hidden = true;
}

int gpube__copy_var(struct gpube_model *to, const struct gpube_variable *v, const char *name)
{
	int32_t var;
	int status = gpube__put_var(to, &var, v->domain, v->name ? v->name : name);

	if (!status && v->hidden)
		gpube__hide(to, var);
	return status || !v->value_names
		       ? status
		       : gpube__put_value_names(to, var, (const char *const *)v->value_names);
}

void gpube__remove_vars(struct gpube_model *m, int32_t left)
{
	if (m->n_named > left) {
		gpube__names_clear(&m->names);
		m->n_named = 0;
	}
	for (; m->n_vars > left; m->n_vars--) {
		struct gpube_variable *v = &m->vars[m->n_vars - 1];

		m->n_hidden -= v->hidden;
		gpube__free(m->ctx, v->name);
		free_value_names(m->ctx, v);
	}
}

/* ---- by calls: each name is of one variable, or of one of its values ------------------------ */

/* m->names has the name of every variable; of several of one name, as files have, the first. */
static int index_names(struct gpube_model *m)
{
	m->names.ctx = m->ctx;
	for (; m->n_named < m->n_vars; m->n_named++) {
		const struct gpube_variable *v = &m->vars[m->n_named];

		if (v->name && !v->hidden && !gpube__names_find(&m->names, VARIABLES, v->name) &&
			gpube__names_add(&m->names, VARIABLES, v->name, m->n_named))
			return GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

int gpube_model_add_var(struct gpube_model *m, int32_t *var, int32_t domain, const char *name)
{
	const int32_t *other;

	if (!m)
		return gpube__missing(NULL);
	if (name && index_names(m))
		return GPUBE_ENOMEM;
	other = name ? gpube__names_find(&m->names, VARIABLES, name) : NULL;
	if (other)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"variables %d and %d would both be called '%s'", *other, m->n_vars, name);
	return gpube__put_var(m, var, domain, name);
}

/* Errors: EINVAL (a name that is NULL, or there twice), ENOMEM */
static int check_value_names(struct gpube_model *m, int32_t var, const char *const *names)
{
	struct gpube_names seen;
	int status = GPUBE_OK;

	gpube__names_init(&seen, m->ctx);
	for (int32_t a = 0; !status && a < m->vars[var].domain; a++) {
		const int32_t *other = names[a] ? gpube__names_find(&seen, var, names[a]) : NULL;

		if (!names[a])
			status = gpube__missing(m->ctx);
		else if (other)
			status = gpube__fail(m->ctx, GPUBE_EINVAL,
				"values %d and %d of variable %d would both be called '%s'", *other,
				a, var, names[a]);
		else
			status = gpube__names_add(&seen, var, names[a], a);
	}
	gpube__names_clear(&seen);
	return status;
}

int gpube_model_name_values(struct gpube_model *m, int32_t var, const char *const *names)
{
	int status;

	if (!m)
		return gpube__missing(NULL);
	if (var < 0 || var >= m->n_vars)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "no variable %d", var);
	if (gpube__check_kind(m, GPUBE__NETWORKS | GPUBE__OF(GPUBE_GAME)))
		return GPUBE_EINVAL;
	status = names ? check_value_names(m, var, names) : GPUBE_OK;
	return status ? status : gpube__put_value_names(m, var, names);
}
