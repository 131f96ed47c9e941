/* given.c - see given.h. */
#include "gpube/ir/given.h"
#include "gpube/options/options.h"
#include "gpube/ir/graph.h"

#include <math.h>
#include <string.h>

/* Arrays that gpube_opts_set_numbers() has taken know their length. */
static int check_length(
	const struct gpube_model *m, const char *name, const int32_t *numbers, int32_t n)
{
	if (!numbers || n == 0 || n == m->n_vars)
		return GPUBE_OK;
	return gpube__fail(
		m->ctx, GPUBE_EINVAL, "%s: expected %d numbers, found %d", name, m->n_vars, n);
}

static int check_order(const struct gpube_model *m, const struct gpube_opts *o)
{
	int status = check_length(m, "order", o->order, o->n_order);

	if (status || o->order_method != GPUBE_ORDER_GIVEN)
		return status;
	if (!o->order)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "no order is given");
	return gpube__check_permutation(m->ctx, o->order, m->n_vars);
}

/* Of potentials a total is of rounded logarithms, whose decimals are not known yet. */
static int scale_totals(struct gpube_opts *o, const struct gpube_model *m)
{
	if (m->kind == GPUBE_POTENTIALS && (o->cutoff_text || o->limit_text))
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"%s: of a model of potentials give a number of units",
			o->cutoff_text ? "cutoff" : "limit");
	return gpube__opts_scale(o, m->ctx, m->scale);
}

const struct gpube_model *gpube__on_own(
	struct gpube_model *view, const struct gpube_model *m, const struct gpube_opts *opts)
{
	/* options that are of no context have a plain one, which has no threads */
	if (!m || !opts || !opts->ctx || opts->ctx == m->ctx || !opts->ctx->n_threads)
		return m;
	*view = *m;
	view->ctx = opts->ctx;
	return view;
}

int gpube__call(void *out, struct gpube_model *view, const struct gpube_model **m,
	const struct gpube_opts *opts)
{
	if (out)
		memset(out, 0, sizeof(void *)); /* every pointer that is null is so */
	if (!out || !*m)
		return gpube__missing(*m ? (*m)->ctx : NULL);
	*m = gpube__on_own(view, *m, opts);
	return GPUBE_OK;
}

int gpube__opts_for(
	struct gpube_opts *to, const struct gpube_model *m, const struct gpube_opts *from, int call)
{
	int status = gpube__check_kind(m, GPUBE__NETWORKS);

	if (!status)
		status = gpube__opts_take(to, m->ctx, from, call);
	if (!status)
		status = scale_totals(to, m);
	if (!status)
		status = check_order(m, to);
	if (!status)
		status = check_length(m, "values", to->values, to->n_values);
	if (!status && to->has_cutoff && to->cutoff < -GPUBE_INF)
		status = gpube__fail(m->ctx, GPUBE_EINVAL, "the cutoff is below -2^63 + 1");
	return !status && to->values ? gpube__check_values(m, to->values) : status;
}

/* ---- soft evidence: functions of one variable, which come and go ------------------------- */

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
