/* cfn_open.c - what a reader of .cfn begins and ends with. See cfn.h. */
#include "formats/cfn/cfn.h"

int gpube__cfn_open(
	struct gpube_cfn_reader **out, struct gpube_model *m, struct gpube_in *in, int depth)
{
	struct gpube_cfn_reader *r = *out = gpube__alloc_zero(m->ctx, 1, sizeof(*r));

	if (!r)
		return in->status = GPUBE_ENOMEM;
	r->in = in;
	r->m = m;
	r->depth = depth;
	r->token.started = depth > 0;
	gpube__names_init(&r->names, m->ctx);
	return GPUBE_OK;
}

void gpube__cfn_close(struct gpube_cfn_reader *r)
{
	struct gpube_ctx *ctx;

	if (!r)
		return;
	ctx = r->m->ctx;
	gpube__names_clear(&r->names);
	for (int64_t k = 0; k < r->n_pending; k++) {
		GPUBE_FREE_ALL(ctx, r->pending[k].wanted, r->pending[k].name, r->pending[k].scope);
	}
	for (int64_t k = 0; k < r->n_defined; k++)
		gpube__free(ctx, r->defined[k]);
	GPUBE_FREE_ALL(
		ctx, r->defined, r->places, r->pending, r->seen, r->scope, r->domains, r->tuple, r);
}
