/* guest.c - the tree of a rank that searches another one's open nodes: see sharing.h. */
#include <math.h>

#include "gpube/bound/bound.h"
#include "gpube/bound/checkpoint/checkpoint.h"
#include "gpube/bound/sharing/sharing.h"

static void guest_root(struct gpube__bytes *to, void *of)
{
	const struct gpube_dfs_tree *s = of;
	struct gpube__bytes run = {.ctx = to->ctx};

	gpube__put_run(&run, s->b, GPUBE__RUN_WITH_ROOT);
	(void)gpube__pack(to, &run);
	gpube__bytes_clear(&run);
}

static int new_tree(struct gpube_bounder *b)
{
	struct gpube_dfs_tree *s = b->state.tree;

	if (!s || !s->t)
		return gpube__fail(b->ctx, GPUBE_EINVAL, "there is no tree in it");
	s->guest = true;
	for (int32_t k = 0; k < s->n_blocks; k++)
		s->blocks[k].opened = true;
	return gpube__dfs_tree_know(s); /* its cutoff, before anybody asks for its state */
}

static int guest_new(void **out, const struct gpube_model *given, const struct gpube_opts *opts,
	struct gpube__bytes *root, int rank)
{
	struct gpube__bytes run = {.ctx = given->ctx};
	struct gpube_bounder *b = NULL;
	int status = gpube__unpack(&run, root);

	(void)rank;
	*out = NULL;
	if (!status)
		status = gpube__guest_bounder_new(&b, given, opts, &run);
	if (!status)
		status = new_tree(b);
	gpube__bytes_clear(&run);
	if (status)
		gpube__guest_bounder_free(b);
	else
		*out = b->state.tree;
	return status;
}

static void guest_free(void *of)
{
	if (of)
		gpube__guest_bounder_free(((struct gpube_dfs_tree *)of)->b);
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
