/* expr_expand.c - an expression as a table. See expr.h. */
#include <math.h>
#include <stdio.h>

#include "formats/expr/expr.h"
#include "gpube/globals/intension.h"
#include "formats/common/reading.h"
#include "formats/common/reals.h"
#include "gpube/ir/tuples.h"

/* The cost of one tuple; false after a failure. */
static bool cost_of(struct gpube_expr *e, struct gpube_value *slots, double *cost)
{
	struct gpube_value v;

	if (!gpube__expr_eval(e, slots, &v))
		return false;
	*cost = gpube__value_real(&v);
	if (isnan(*cost)) {
		snprintf(e->error, sizeof(e->error), "a text where a number is needed");
		return false;
	}
	return true;
}

struct walk {
	int32_t *domains, *tuple;
	struct gpube_value *slots;
	double *costs;
};

static int fill(struct gpube_expr *e, struct gpube_in *in, int arity,
	const struct gpube_value *const *values, struct walk *w)
{
	int64_t cell = 0;

	do {
		for (int k = 0; k < arity; k++)
			w->slots[k] = values[k][w->tuple[k]];
		if (!cost_of(e, w->slots, &w->costs[cell]))
			return gpube__in_error(in, "%s", e->error);
		if ((++cell & 0xffff) == 0 && gpube__stopped(in->ctx))
			return in->status = gpube__fail_stopped(in->ctx);
	} while (gpube__tuple_next(w->tuple, w->domains, arity));
	return GPUBE_OK;
}

int gpube__expr_expand(struct gpube_expr *e, struct gpube_model *m, struct gpube_in *in, int arity,
	const int32_t *scope, const struct gpube_value *const *values, const char *name)
{
	struct gpube_ctx *ctx = m->ctx;
	int64_t cells;
	struct walk w = {0};
	int status = GPUBE_ENOMEM;

	/* values that are computed are paid for, too */
	if (gpube__in_expand(in, &cells, m, arity, scope, "a function", name) ||
		gpube__in_charge(in, cells, 1 + e->n_nodes / 4, "the values of an expression"))
		return in->status;
	w.domains = gpube__alloc_zero(ctx, 2 * (uint64_t)arity + 1, sizeof(*w.domains));
	w.slots = gpube__alloc_zero(ctx, (uint64_t)gpube__expr_slots(e) + 1, sizeof(*w.slots));
	w.costs = gpube__alloc(ctx, (uint64_t)cells, sizeof(*w.costs));
	if (!w.domains || !w.slots || !w.costs)
		goto out;
	w.tuple = w.domains + arity;
	for (int k = 0; k < arity; k++)
		w.domains[k] = m->vars[scope[k]].domain;
	status = fill(e, in, arity, values, &w);
	if (!status) {
		status = gpube__reals_add(m, arity, scope, w.costs, name);
		w.costs = NULL;
	}
out:
	GPUBE_FREE_ALL(ctx, w.domains, w.slots, w.costs);
	if (status && !in->status)
		in->status = status;
	return status;
}
