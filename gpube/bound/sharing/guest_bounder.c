/* guest_bounder.c - the bounder of a guest: see sharing.h. */
#include "gpube/bound/bound.h"
#include "gpube/bound/checkpoint/checkpoint.h"
#include "gpube/bound/sharing/sharing.h"
#include "gpube/ir/dense.h"

static int fill(struct gpube_bounder *b, struct gpube__bytes *run)
{
	int status = gpube__get_run(b, run);

	if (status)
		return status;
	b->made.span = gpube__cost_span(b->m);
	b->lower = gpube__constant_of(b->m);
	b->cutoff = b->m->top;
	status = gpube__bounder_room(b, (uint64_t)b->m->n_vars);
	return status ? status : gpube__get_state(b, run);
}

int gpube__guest_bounder_new(struct gpube_bounder **out, const struct gpube_model *given,
	const struct gpube_opts *opts, struct gpube__bytes *run)
{
	struct gpube_bounder *b = gpube__alloc_zero(given->ctx, 1, sizeof(*b));
	int status;

	*out = NULL;
	if (!b)
		return GPUBE_ENOMEM;
	*b = (struct gpube_bounder){.ctx = given->ctx,
		.given = given,
		.opts = opts,
		.lower = INT64_MIN,
		.upper = GPUBE_INF,
		.cutoff = GPUBE_INF,
		.given_cutoff = GPUBE_INF,
		.told.start = gpube__now()};
	b->told.ended = &b->told.planning; /* nobody asks for progress here */
	status = fill(b, run);
	if (status)
		gpube__guest_bounder_free(b);
	else
		*out = b;
	return status;
}

void gpube__guest_bounder_free(struct gpube_bounder *b)
{
	if (!b)
		return;
	gpube__bounder_forget(b);
	gpube__bounder_clear(b);
	gpube__free(b->ctx, b);
}
