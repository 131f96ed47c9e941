/*
 * hidden.c - variables that a reader has added to write a wide function as small ones. See model.h.
 */
#include "gpube/ir/model.h"

int gpube_model_is_hidden(const struct gpube_model *m, int32_t var)
{
	return m && var >= 0 && var < m->n_vars && m->vars[var].hidden;
}

void gpube__visible_values(int32_t *out, const struct gpube_model *m, const int32_t *values)
{
	for (int32_t i = 0; i < m->n_vars; i++)
		if (!m->vars[i].hidden)
			*out++ = values[i];
}

/* Does the function allow the assignment? */
static bool allowed(const struct gpube_model *m, int32_t f, const int32_t *values)
{
	const struct gpube_table *t = gpube__table(m, f);
	const int64_t k = gpube__position(m, f, values);

	if (!gpube__type_is_int(t->type))
		return (k < 0 ? t->dflt.f : gpube__table_real(t, k)) > 0;
	return (k < 0 ? t->dflt.i : gpube__table_int(t, k)) != GPUBE_INF;
}

/*
 * If all of the function's variables but one, a hidden one, have values, and it allows one value of
 * that, gives it that value.
 */
static bool settle(int32_t *values, const struct gpube_model *m, int32_t f)
{
	const int32_t *scope = gpube__scope(m, f);
	int32_t only = -1, open = -1;

	for (int k = 0; k < m->functions[f].arity; k++) {
		if (values[scope[k]] >= 0)
			continue;
		if (open >= 0)
			return false;
		open = scope[k];
	}
	if (open < 0)
		return false;
	for (int32_t v = 0; v < m->vars[open].domain; v++) {
		values[open] = v;
		if (!allowed(m, f, values))
			continue;
		values[open] = -1;
		if (only >= 0)
			return false;
		only = v;
	}
	values[open] = only;
	return only >= 0;
}

int gpube_model_complete(int32_t *values, const struct gpube_model *m)
{
	bool more = true;

	if (!m || (!values && m->n_vars))
		return gpube__missing(m ? m->ctx : NULL);
	/* (the hidden variables of an auction are dummy goods, which have no values) */
	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	for (int32_t i = 0; i < m->n_vars; i++)
		if (!m->vars[i].hidden && (values[i] < 0 || values[i] >= m->vars[i].domain))
			return gpube__fail(
				m->ctx, GPUBE_EINVAL, "variable %d has no value %d", i, values[i]);
	if (m->n_hidden == 0)
		return GPUBE_OK;
	for (int32_t i = 0; i < m->n_vars; i++)
		if (m->vars[i].hidden)
			values[i] = -1;
	/* a chain's functions follow each other, so that one pass settles it */
	while (more) {
		more = false;
		for (int32_t f = 0; f < m->n_functions; f++)
			more = settle(values, m, f) || more;
	}
	/* what is left is forbidden, or belongs to a file whose hidden variables are free */
	for (int32_t i = 0; i < m->n_vars; i++)
		if (values[i] < 0)
			values[i] = 0;
	return GPUBE_OK;
}
