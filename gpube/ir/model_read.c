/*
 * model_read.c - what a model is made of, for callers of the library. Of what is not there,
 * nothing: 0, -1 or NULL, as gpube.h says.
 */
#include "gpube/ir/payoffs.h"

static bool has_var(const struct gpube_model *m, int32_t var)
{
	return m && var >= 0 && var < m->n_vars;
}

static bool has_function(const struct gpube_model *m, int32_t function)
{
	return m && function >= 0 && function < m->n_functions;
}

const struct gpube_model_info *gpube_model_info(const struct gpube_model *m)
{
	static const struct gpube_model_info none = {.top = GPUBE_INF};

	return m ? &m->info : &none;
}

int32_t gpube_model_observed(const struct gpube_model *m, int32_t var)
{
	return has_var(m, var) && m->evidence ? m->evidence[var] : -1;
}

const char *gpube_model_var_name(const struct gpube_model *m, int32_t var)
{
	return has_var(m, var) ? m->vars[var].name : NULL;
}

const char *gpube_model_value_name(const struct gpube_model *m, int32_t var, int32_t value)
{
	if (!has_var(m, var) || value < 0 || value >= m->vars[var].domain)
		return NULL;
	/* strategies of a tree are named when they are listed */
	if (m->tree && !m->vars[var].value_names && gpube__check_game(m))
		return NULL;
	return m->vars[var].value_names ? m->vars[var].value_names[value] : NULL;
}

int gpube_model_scope(const int32_t **scope, const struct gpube_model *m, int32_t function)
{
	if (scope)
		*scope = has_function(m, function) ? gpube__scope(m, function) : NULL;
	return scope && has_function(m, function) ? m->functions[function].arity : -1;
}

int64_t gpube_model_cells(const struct gpube_model *m, int32_t function)
{
	return has_function(m, function)
		       ? gpube__cells(m, m->functions[function].arity, gpube__scope(m, function))
		       : -1;
}

/*
 * The cells of a function of that kind; -1: the model is of the other, or they are too many or
 * nowhere.
 */
static int64_t cells_to_read(int *status, const void *out, const struct gpube_model *m,
	enum gpube_kind kind, int32_t function)
{
	int64_t cells = gpube_model_cells(m, function);

	*status = GPUBE_OK;
	if (!out || !m) {
		*status = gpube__missing(m ? m->ctx : NULL);
		return -1;
	}
	if (!has_function(m, function)) {
		*status = gpube__fail(
			m->ctx, GPUBE_EINVAL, "function %d of %d", function, m->n_functions);
		return -1;
	}
	*status = gpube__check_kind(m, GPUBE__NETWORKS);
	if (*status)
		return -1;
	if (m->kind != kind) {
		*status = gpube__fail(m->ctx, GPUBE_EINVAL,
			kind == GPUBE_COSTS ? "a model of potentials has no costs"
					    : "a model of costs has no potentials");
		return -1;
	}
	if (cells < 0)
		*status = gpube__fail(m->ctx, GPUBE_ERANGE,
			"function %d has more cells than can be numbered", function);
	return cells;
}

int gpube_model_costs(int64_t *out, const struct gpube_model *m, int32_t function)
{
	const struct gpube_table *t;
	int status;
	int64_t cells = cells_to_read(&status, out, m, GPUBE_COSTS, function);

	if (status)
		return status;
	t = gpube__table(m, function);
	for (int64_t k = 0; k < cells; k++)
		out[k] = t->sparse ? t->dflt.i : gpube__table_int(t, k);
	for (int64_t k = 0; t->sparse && k < t->n; k++)
		out[gpube__tuple_cell(m, function, k)] = gpube__table_int(t, k);
	return status;
}

int gpube_model_potentials(double *out, const struct gpube_model *m, int32_t function)
{
	const struct gpube_table *t;
	int status;
	int64_t cells = cells_to_read(&status, out, m, GPUBE_POTENTIALS, function);

	if (status)
		return status;
	t = gpube__table(m, function);
	for (int64_t k = 0; k < cells; k++)
		out[k] = t->sparse ? t->dflt.f : gpube__table_real(t, k);
	for (int64_t k = 0; t->sparse && k < t->n; k++)
		out[gpube__tuple_cell(m, function, k)] = gpube__table_real(t, k);
	return status;
}
