/* guest.c - the bounder of a rank that searches another one's open nodes: see sharing.h. */
#include <math.h>

#include "gpube/bound/bound.h"
#include "gpube/bound/checkpoint/checkpoint.h"
#include "gpube/bound/sharing/sharing.h"
#include "gpube/ir/dense.h"

static void guest_root(struct gpube__bytes *to, void *of)
{
	const struct gpube_dfs_tree *s = of;
	struct gpube__bytes run = {.ctx = to->ctx};

	gpube__put_run(&run, s->b, false);
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

static void free_bounder(struct gpube_bounder *b)
{
	if (!b)
		return;
	gpube__bounder_forget(b);
	gpube__bounder_clear(b);
	gpube__free(b->ctx, b);
}

static int guest_new(void **out, const struct gpube_model *given, const struct gpube_opts *opts,
	struct gpube__bytes *root, int rank)
{
	struct gpube__bytes run = {.ctx = given->ctx};
	struct gpube_bounder *b = gpube__alloc_zero(given->ctx, 1, sizeof(*b));
	int status = b ? gpube__unpack(&run, root) : GPUBE_ENOMEM;

	(void)rank;
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
		free_bounder(b);
	else
		*out = b->state.tree;
	return status;
}

static void guest_free(void *of)
{
	if (of)
		free_bounder(((struct gpube_dfs_tree *)of)->b);
}

static int guest_search(void *of)
{
	struct gpube_dfs_tree *s = of;
	int status;

	s->turn = gpube__budget(s->b->ctx, INFINITY);
	status = gpube__dfs_tree_know(s);
	if (!status)
		status = gpube__dfs_tree_search(s);
	s->seconds += gpube__budget_spent(&s->turn);
	return status;
}

static void take_incumbent(void *of)
{
	gpube__dfs_tree_take_incumbent(of);
}

static int check(void *of)
{
	return gpube__dfs_tree_check(of);
}

const struct gpube__shared gpube__shared_tree = {.kind = GPUBE__SHARED_TREE,
	.name = "tree",
	.lends = true,
	.root = guest_root,
	.guest_new = guest_new,
	.guest_free = guest_free,
	.search = guest_search,
	.state = gpube__sharing_state,
	.give = gpube__sharing_give,
	.take = gpube__sharing_take,
	.want = gpube__sharing_want,
	.least = gpube__sharing_least,
	.repaid = gpube__sharing_repaid,
	.recall = gpube__sharing_recall,
	.check = check,
	.incumbent = take_incumbent,
	.best = gpube__sharing_best,
	.learn = gpube__sharing_learn};
