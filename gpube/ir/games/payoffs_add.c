/* payoffs_add.c - building games. See payoffs.h. */
#include "gpube/ir/payoffs.h"

/* A scope of all players; *cells: the profiles, whose payoffs can be numbered. */
static int next_scope(int32_t **scope, int64_t *cells, const struct gpube_model *m)
{
	*scope = NULL;
	if (gpube__check_kind(m, GPUBE__OF(GPUBE_GAME)))
		return GPUBE_EINVAL;
	if (m->n_functions >= m->n_vars)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "payoffs of player %d: there are %d",
			m->n_functions + 1, m->n_vars);
	*scope = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(**scope));
	if (!*scope)
		return GPUBE_ENOMEM;
	for (int32_t p = 0; p < m->n_vars; p++)
		(*scope)[p] = p;
	*cells = gpube__cells(m, m->n_vars, *scope);
	if (*cells >= 0 && *cells <= INT64_MAX / (int64_t)sizeof(struct gpube_rational))
		return GPUBE_OK;
	gpube__free(m->ctx, *scope);
	*scope = NULL;
	return gpube__fail(m->ctx, GPUBE_ERANGE,
		"the payoffs of all profiles of %d players are too many", m->n_vars);
}

int gpube__add_payoffs(struct gpube_model *m, const struct gpube_rational *v)
{
	const struct gpube__model_mark mark = gpube__model_mark(m);
	struct gpube_table t = {.arity = m->n_vars};
	int32_t *scope, table;
	int status = next_scope(&scope, &t.n, m);

	if (!status)
		status = gpube__rational_table(m->ctx, &t, v);
	if (!status)
		status = gpube__add_table(m, &table, &t);
	if (!status)
		status = gpube__add_function(m, m->n_vars, scope, table, NULL);
	if (status)
		gpube__model_truncate(m, mark);
	gpube__free(m->ctx, scope);
	return status;
}

int gpube_model_add_payoffs(struct gpube_model *m, const int64_t *num, const int64_t *den)
{
	struct gpube_rational *v = NULL;
	int32_t *scope;
	int64_t cells;
	int status;

	if (!m || !num)
		return gpube__missing(m ? m->ctx : NULL);
	if (m->tree || m->graph)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"payoffs of a game that has them by its %s",
			m->tree ? "tree, in extensive form" : "action graph");
	status = next_scope(&scope, &cells, m);
	if (status)
		return status;
	gpube__free(m->ctx, scope);
	for (int64_t k = 0; den && k < cells; k++)
		if (den[k] < 1)
			return gpube__fail(m->ctx, GPUBE_EINVAL,
				"a payoff over %lld: a denominator is at least 1",
				(long long)den[k]);
	v = gpube__alloc(m->ctx, (uint64_t)cells, sizeof(*v));
	if (!v)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < cells; k++)
		v[k] = gpube__rational(num[k], den ? den[k] : 1);
	status = gpube__add_payoffs(m, v);
	gpube__free(m->ctx, v);
	return status;
}
