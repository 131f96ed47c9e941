/* guest.c - the bounder of a rank that searches another one's open nodes: see sharing.h. */
#include <math.h>

#include "gpube/bound/bound.h"
#include "gpube/bound/checkpoint/checkpoint.h"
#include "gpube/bound/sharing/sharing.h"
#include "gpube/ir/dense.h"

void gpube__sharing_root(struct gpube__bytes *to, const struct gpube_bounder *b)
{
	struct gpube__bytes run = {.ctx = to->ctx};

	gpube__put_run(&run, b, false);
	(void)gpube__pack(to, &run);
	gpube__bytes_clear(&run);
}

static int fill(struct gpube_bounder *b, struct gpube__bytes *run)
{
	int status = gpube__get_run(b, run);
	uint64_t n;

	if (status)
		return status;
	n = (uint64_t)b->m->n_vars;
	b->made.span = gpube__cost_span(b->m);
	b->lower = gpube__constant_of(b->m);
	b->cutoff = b->m->top;
	status = gpube__bounder_room(b, n);
	if (!status)
		status = gpube__get_state(b, run);
	if (!status && (!b->state.tree || !b->state.tree->t))
		status = gpube__fail(b->ctx, GPUBE_EINVAL, "there is no tree in it");
	if (status)
		return status;
	b->state.tree->guest = true;
	for (int32_t k = 0; k < b->state.tree->n_blocks; k++)
		b->state.tree->blocks[k].opened = true;
	return gpube__dfs_tree_know(
		b->state.tree); /* its cutoff, before anybody asks for its state */
}

int gpube__guest_new(struct gpube_bounder **out, const struct gpube_model *given,
	const struct gpube_opts *opts, struct gpube__bytes *root)
{
	struct gpube__bytes run = {.ctx = given->ctx};
	struct gpube_bounder *b = gpube__alloc_zero(given->ctx, 1, sizeof(*b));
	int status = b ? gpube__unpack(&run, root) : GPUBE_ENOMEM;

	*out = NULL;
	if (b) {
		*b = (struct gpube_bounder){.ctx = given->ctx,
			.given = given,
			.opts = opts,
			.lower = INT64_MIN,
			.upper = GPUBE_INF,
			.cutoff = GPUBE_INF,
			.given_cutoff = GPUBE_INF,
			.told.start = gpube__now()};
		b->told.ended = &b->told.planning; /* nobody asks for progress here */
	}
	if (!status)
		status = fill(b, &run);
	gpube__bytes_clear(&run);
	if (status)
		gpube__guest_free(b);
	else
		*out = b;
	return status;
}

void gpube__guest_free(struct gpube_bounder *b)
{
	if (!b)
		return;
	gpube__bounder_forget(b);
	gpube__bounder_clear(b);
	gpube__free(b->ctx, b);
}

int gpube__guest_search(struct gpube_bounder *b)
{
	struct gpube_dfs_tree *s = b->state.tree;
	int status;

	s->turn = gpube__budget(b->ctx, INFINITY);
	status = gpube__dfs_tree_know(s);
	if (!status)
		status = gpube__dfs_tree_search(s);
	s->seconds += gpube__budget_spent(&s->turn);
	return status;
}
