/* given.c - see given.h. */
#include "gpube/ir/given.h"
#include "gpube/options/options.h"
#include "gpube/ir/graph.h"

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
