/* model_read.c - what a model is made of, for callers of the library. */
#include "gpube/ir/model.h"

enum gpube_kind gpube_model_kind(const struct gpube_model *m)
{
	return m->kind;
}

enum gpube_direction gpube_model_direction(const struct gpube_model *m)
{
	return m->direction;
}

int gpube_model_scale(const struct gpube_model *m)
{
	return m->scale;
}

int64_t gpube_model_constant(const struct gpube_model *m)
{
	return m->constant;
}

int64_t gpube_model_top(const struct gpube_model *m)
{
	return m->top;
}

int32_t gpube_model_observed(const struct gpube_model *m, int32_t var)
{
	return m->evidence ? m->evidence[var] : -1;
}

const char *gpube_model_var_name(const struct gpube_model *m, int32_t var)
{
	return m->vars[var].name;
}

const char *gpube_model_value_name(const struct gpube_model *m, int32_t var, int32_t value)
{
	return m->vars[var].value_names ? m->vars[var].value_names[value] : NULL;
}

int32_t gpube_model_n_functions(const struct gpube_model *m)
{
	return m->n_functions;
}

int gpube_model_scope(const int32_t **scope, const struct gpube_model *m, int32_t function)
{
	*scope = gpube__scope(m, function);
	return m->functions[function].arity;
}

int64_t gpube_model_cells(const struct gpube_model *m, int32_t function)
{
	return gpube__cells(m, m->functions[function].arity, gpube__scope(m, function));
}

/* The cells of a function of that kind; -1: the model is of the other, or they are too many. */
static int64_t cells_to_read(
	int *status, const struct gpube_model *m, enum gpube_kind kind, int32_t function)
{
	int64_t cells = gpube_model_cells(m, function);

	*status = GPUBE_OK;
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
	const struct gpube_table *t = gpube__table(m, function);
	int status;
	int64_t cells = cells_to_read(&status, m, GPUBE_COSTS, function);

	for (int64_t k = 0; k < cells; k++)
		out[k] = t->sparse ? t->dflt.i : gpube__table_int(t, k);
	for (int64_t k = 0; t->sparse && cells >= 0 && k < t->n; k++)
		out[gpube__tuple_cell(m, function, k)] = gpube__table_int(t, k);
	return status;
}

int gpube_model_potentials(double *out, const struct gpube_model *m, int32_t function)
{
	const struct gpube_table *t = gpube__table(m, function);
	int status;
	int64_t cells = cells_to_read(&status, m, GPUBE_POTENTIALS, function);

	for (int64_t k = 0; k < cells; k++)
		out[k] = t->sparse ? t->dflt.f : gpube__table_real(t, k);
	for (int64_t k = 0; t->sparse && cells >= 0 && k < t->n; k++)
		out[gpube__tuple_cell(m, function, k)] = gpube__table_real(t, k);
	return status;
}
