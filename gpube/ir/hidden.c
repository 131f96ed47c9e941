/*
 * hidden.c - variables that a reader has added to write a wide function as small ones. See model.h.
 */
#include "gpube/ir/model.h"

void gpube__hide(struct gpube_model *m, int32_t var)
{
	m->n_hidden += !m->vars[var].hidden;
	m->vars[var].hidden = true;
}

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

/* Does the function allow the tuple? */
static bool allowed(
	const struct gpube_model *m, int32_t f, const int32_t *domains, const int32_t *tuple)
{
	const struct gpube_table *t = gpube__table(m, f);
	const int64_t k = gpube__table_find(t, domains, tuple);

	if (!gpube__type_is_int(t->type))
		return (k < 0 ? t->dflt.f : gpube__table_real(t, k)) > 0;
	return (k < 0 ? t->dflt.i : gpube__table_int(t, k)) != GPUBE_INF;
}

/*
 * If all of the function's variables but one, a hidden one, have values, and it allows one value of
 * that, gives it that value. 'room': twice the arity.
 */
static bool settle(int32_t *values, const struct gpube_model *m, int32_t f, int32_t *room)
{
	const int32_t *scope = gpube__scope(m, f);
	const int arity = m->functions[f].arity;
	int32_t *domains = room, *tuple = room + arity, only = -1;
	int open = -1;

	for (int k = 0; k < arity; k++) {
		domains[k] = m->vars[scope[k]].domain;
		tuple[k] = values[scope[k]];
		if (tuple[k] >= 0)
			continue;
		if (open >= 0)
			return false;
		open = k;
	}
	if (open < 0)
		return false;
	for (int32_t v = 0; v < domains[open]; v++) {
		tuple[open] = v;
		if (!allowed(m, f, domains, tuple))
			continue;
		if (only >= 0)
			return false;
		only = v;
	}
	if (only >= 0)
		values[scope[open]] = only;
	return only >= 0;
}

int gpube_model_complete(int32_t *values, const struct gpube_model *m)
{
	int32_t *room;
	int most = 0;
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
	for (int32_t f = 0; f < m->n_functions; f++)
		most = m->functions[f].arity > most ? m->functions[f].arity : most;
	room = gpube__alloc(m->ctx, 2 * (uint64_t)most + 1, sizeof(*room));
	if (!room)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		if (m->vars[i].hidden)
			values[i] = -1;
	/* a chain's functions follow each other, so that one pass settles it */
	while (more) {
		more = false;
		for (int32_t f = 0; f < m->n_functions; f++)
			more = settle(values, m, f, room) || more;
	}
	/* what is left is forbidden, or belongs to a file whose hidden variables are free */
	for (int32_t i = 0; i < m->n_vars; i++)
		if (values[i] < 0)
			values[i] = 0;
	gpube__free(m->ctx, room);
	return GPUBE_OK;
}
