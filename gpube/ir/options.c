/* options.c - see options.h. */
#include "gpube/ir/options.h"
#include "gpube/ir/graph.h"

int gpube__check_engine(const struct gpube_model *m, const struct gpube__engine_opts *o)
{
	int status = gpube__check_kind(m, GPUBE__NETWORKS);

	if (!status)
		status = gpube__check_choice(
			m->ctx, "order_method", o->order_method, GPUBE_ORDER_GIVEN);
	if (!status)
		status = gpube__check_choice(m->ctx, "backend", o->backend, GPUBE_BACKEND_CUDA);
	if (!status)
		status = gpube__check_choice(
			m->ctx, "precision", o->precision, GPUBE__MOST_DECIMALS);
	if (!status)
		status = gpube__check_seconds(m->ctx, "order_seconds", o->order_seconds);
	if (!status)
		status = gpube__check_seconds(m->ctx, "timeout_seconds", o->timeout_seconds);
	if (status || o->order_method != GPUBE_ORDER_GIVEN)
		return status;
	if (!o->order)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "no order is given");
	return gpube__check_permutation(m->ctx, o->order, m->n_vars);
}

int gpube__check_known(
	const struct gpube_model *m, const int32_t *values, int has_cutoff, int64_t cutoff)
{
	if (has_cutoff && cutoff < -GPUBE_INF)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "the cutoff is below -2^63 + 1");
	return values ? gpube__check_values(m, values) : GPUBE_OK;
}
