/* be_reduce.c - see be_reduce.h. */
#include "gpube/eliminate/be_reduce.h"

#include <string.h>

void gpube__reduced_clear(struct gpube__reduced *r, struct gpube_ctx *ctx)
{
	gpube__be_clear(&r->be);
	gpube__free(ctx, r->order);
	gpube__simplified_clear(ctx, &r->s);
	memset(r, 0, sizeof(*r));
}

/* Its elimination, along the order that all boxes have. */
static int plan_reduced(struct gpube__reduced *r, const struct gpube_box *box)
{
	int status;

	r->order = gpube__alloc(box->ctx, (uint64_t)r->s.model->n_vars, sizeof(*r->order));
	if (!r->order)
		return GPUBE_ENOMEM;
	status = gpube__simplified_order(r->order, &r->s, box->boxes->order, box->m.n_vars);
	if (!status)
		status = gpube__be_init(&r->be, r->s.model, r->order);
	return status;
}

int gpube__box_reduce(struct gpube__reduced *out, const struct gpube_box *box)
{
	int status;

	memset(out, 0, sizeof(*out));
	status = gpube__simplify(&out->s, &box->m, true);
	if (!status && !out->s.infeasible)
		status = plan_reduced(out, box);
	if (status)
		gpube__reduced_clear(out, box->ctx);
	return status;
}
