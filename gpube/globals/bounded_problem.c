/* bounded_problem.c - bounds on the cost of a problem, as a table. See intension.h. */
#include "gpube/globals/intension.h"
#include "gpube/ir/tuples.h"

static int check_scope(const struct gpube_model *m, const struct gpube_sink *sink, int arity,
	const int32_t *scope, const struct gpube_model *inner)
{
	const int64_t cells = gpube__cells(m, arity, scope);

	if (inner->n_vars != arity)
		return gpube__sink_error(sink,
			"function 'wcsp' over %d variable%s has a problem of %d", arity,
			gpube__plural(arity), inner->n_vars);
	for (int k = 0; k < arity; k++)
		if (inner->vars[k].domain != m->vars[scope[k]].domain)
			return gpube__sink_error(sink,
				"variable %d of the problem in 'wcsp' has %d value%s, variable %d "
				"has %d",
				k, inner->vars[k].domain, gpube__plural(inner->vars[k].domain),
				scope[k], m->vars[scope[k]].domain);
	if (cells < 0 || cells > GPUBE_EXPAND_CELLS)
		return gpube__refuse_cells(sink, "function 'wcsp'", arity, cells, "");
	return gpube__charge_cells(sink, cells, NULL);
}

/* places: twice the arity, for the domains and the tuple */
static int fill(struct gpube_values *v, const struct gpube_model *inner, int32_t *places,
	int64_t low, int64_t high)
{
	struct gpube_ctx *ctx = inner->ctx;
	int32_t *domains = places, *tuple = places + inner->n_vars;
	int64_t cost;
	int status;

	for (int32_t i = 0; i < inner->n_vars; i++)
		domains[i] = inner->vars[i].domain;
	do {
		status = gpube_model_cost(&cost, inner, tuple);
		if (!status)
			status = gpube__values_push(ctx, v,
				cost == GPUBE_INF || cost < low || cost >= high ? GPUBE_INF : 0);
		if (!status && v->n % 4096 == 0 && gpube__stopped(ctx))
			status = gpube__fail_stopped(ctx);
	} while (!status && gpube__tuple_next(tuple, domains, inner->n_vars));
	return status;
}

int gpube__add_bounded(struct gpube_model *m, const struct gpube_sink *sink, int arity,
	const int32_t *scope, const struct gpube_model *inner, int64_t low, int64_t high,
	const char *name)
{
	struct gpube_values v = {0};
	int32_t *places, table;
	int status = check_scope(m, sink, arity, scope, inner);

	if (status)
		return status;
	places = gpube__alloc_zero(m->ctx, 2 * (uint64_t)arity, sizeof(*places));
	status = places ? fill(&v, inner, places, low, high) : GPUBE_ENOMEM;
	gpube__free(m->ctx, places);
	if (status) {
		gpube__values_clear(m->ctx, &v);
		return gpube__sink_pass(sink, status);
	}
	status = gpube__add_dense(m, &table, arity, &v);
	if (!status)
		status = gpube__add_function(m, arity, scope, table, name);
	return gpube__sink_pass(sink, status);
}
