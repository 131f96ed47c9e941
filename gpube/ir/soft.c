/* soft.c - gpube_model_weigh(): soft evidence as functions of one variable, which come and go. */
#include "gpube/ir/given.h"
#include "gpube/ir/model.h"

#include <math.h>
#include <string.h>

int gpube__check_weights(const struct gpube_model *m, int32_t var, const double *weights)
{
	if (var < 0 || var >= m->n_vars)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "variable %d: the model has 0 to %d", var,
			m->n_vars - 1);
	for (int32_t a = 0; weights && a < m->vars[var].domain; a++)
		if (!(weights[a] >= 0) || isinf(weights[a]))
			return gpube__fail(m->ctx, GPUBE_EINVAL,
				"weight %g of variable %d: a finite number >= 0 is needed",
				weights[a], var);
	return GPUBE_OK;
}

/* The table goes with its last function. */
static void remove_function(struct gpube_model *m, int32_t function)
{
	const struct gpube_function f = m->functions[function];
	const int32_t n = --m->n_functions - function;

	memmove(m->functions + function, m->functions + function + 1,
		(size_t)n * sizeof(*m->functions));
	if (f.scope_at + f.arity == m->n_scopes)
		m->n_scopes -= f.arity;
	gpube__free(m->ctx, f.name);
	if (--m->tables[f.table].n_users > 0)
		return;
	gpube__table_release(&m->tables[f.table], m->ctx);
	memmove(m->tables + f.table, m->tables + f.table + 1,
		(size_t)(--m->n_tables - f.table) * sizeof(*m->tables));
	for (int32_t k = 0; k < m->n_functions; k++)
		m->functions[k].table -= m->functions[k].table > f.table;
}

int gpube_model_weigh(struct gpube_model *m, int32_t var, const double *weights)
{
	int32_t before = -1;
	int status;

	if (!m)
		return gpube__missing(NULL);
	if (gpube__check_kind(m, GPUBE__OF(GPUBE_POTENTIALS)))
		return GPUBE_EINVAL;
	status = m->keeps ? gpube__fail(m->ctx, GPUBE_EINVAL,
				    "a solver's model: gpube_solver_change_potentials() weighs")
			  : gpube__check_weights(m, var, weights);
	if (status)
		return status;
	for (int32_t f = m->n_functions - 1; f >= 0 && before < 0; f--)
		if (m->functions[f].soft && gpube__scope(m, f)[0] == var)
			before = f;
	if (weights) {
		status = gpube_model_add_potentials(m, 1, &var, weights);
		if (status)
			return status;
		m->functions[m->n_functions - 1].soft = true;
	}
	if (before >= 0)
		remove_function(m, before);
	return GPUBE_OK;
}
