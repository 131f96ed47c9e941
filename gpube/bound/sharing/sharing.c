/*
 * sharing.c - a search tree on several ranks: open nodes that are lent, given back and closed, and
 * the guest that searches them. See sharing.h.
 */
#include <math.h>

#include "gpube/bound/checkpoint/checkpoint.h"
#include "gpube/bound/sharing/sharing.h"

/* Whether its nodes may travel. */
static bool is_open(const struct gpube_dfs_block *k)
{
	return !k->closed && k->opened;
}

static struct gpube__shared_state state_of(void *of)
{
	struct gpube_dfs_tree *s = of;
	struct gpube__shared_state state = {0};

	pthread_mutex_lock(&s->lock);
	for (int32_t k = 0; k < s->n_blocks; k++) {
		const struct gpube_dfs_block *block = &s->blocks[k];

		state.n_open += is_open(block) ? block->open.n : 0;
		state.n_held += block->open.n_held - block->open.n_loans;
		state.n_loans += block->open.n_loans;
	}
	state.n_nodes = s->n_nodes;
	state.n_waiting = s->n_waiting;
	state.done = gpube__dfs_tree_is_done(s);
	pthread_mutex_unlock(&s->lock);
	return state;
}

static void want(void *of, bool wanted)
{
	struct gpube_dfs_tree *s = of;

	__atomic_store_n(&s->wanted, wanted, __ATOMIC_RELAXED);
}

/* ---- giving ---------------------------------------------------------------------------------- */

/* Needs the lock. Gives the next node of a block, or drops it if it is at the cutoff. */
static bool give_one(
	struct gpube_dfs_tree *s, struct gpube__bytes *to, int32_t i, int to_rank, int64_t number)
{
	struct gpube_dfs_block *k = &s->blocks[i];
	struct gpube_frontier_node node = gpube__frontier_pop(&k->open);
	const bool alive = node.bound < gpube__dfs_tree_cutoff(s, k);

	if (alive)
		gpube__put_tree_node(to, i, &node);
	if (alive && (to->status || (to_rank >= 0 && gpube__frontier_lend(&k->open, to->ctx, &node,
							     to_rank, number)))) {
		to->status = GPUBE_ENOMEM;
		(void)gpube__frontier_push(&k->open, to->ctx, &node); /* where it was */
		gpube__frontier_give_back(&k->open, to->ctx, &node);
		return false;
	}
	if (!alive || to_rank < 0) {
		k->part = gpube__part_add(k->part, gpube__node_part(&node));
		gpube__frontier_give_back(&k->open, to->ctx, &node);
	}
	return alive;
}

static int64_t give(void *of, struct gpube__bytes *to, int64_t most, int to_rank, int64_t number)
{
	struct gpube_dfs_tree *s = of;
	int64_t n = 0;

	pthread_mutex_lock(&s->lock);
	for (int32_t i = 0; i < s->n_blocks; i++) {
		struct gpube_dfs_block *k = &s->blocks[i];

		while (n < most && is_open(k) && k->open.n && !to->status)
			n += give_one(s, to, i, to_rank, number);
		gpube__dfs_tree_reconsider(s, k);
	}
	pthread_mutex_unlock(&s->lock);
	return n;
}

static int take(void *of, struct gpube__bytes *from)
{
	struct gpube_dfs_tree *s = of;

	pthread_mutex_lock(&s->lock);
	while (!from->status && from->next < from->n)
		(void)gpube__get_tree_node(from, s);
	if (s->n_waiting)
		pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return from->status;
}

/* ---- closing --------------------------------------------------------------------------------- */

static void put_least(struct gpube__bytes *to, void *of)
{
	struct gpube_dfs_tree *s = of;

	pthread_mutex_lock(&s->lock);
	for (int32_t i = 0; i < s->n_blocks; i++)
		gpube__put(to, s->blocks[i].closed || gpube__dfs_tree_is_done(s)
				       ? INT64_MAX
				       : gpube__frontier_least(&s->blocks[i].open));
	pthread_mutex_unlock(&s->lock);
}

static int repaid(void *of, struct gpube__bytes *from, int rank, int64_t number)
{
	struct gpube_dfs_tree *s = of;

	for (int32_t i = 0; i < s->n_blocks; i++) {
		struct gpube_dfs_block *k = &s->blocks[i];
		const int64_t least = gpube__get(from, 0, INT64_MAX);
		struct gpube_frontier_node node;

		if (from->status)
			return from->status;
		pthread_mutex_lock(&s->lock);
		while (gpube__frontier_repaid(&k->open, from->ctx, rank, number, least, &node)) {
			k->part = gpube__part_add(k->part, gpube__node_part(&node));
			gpube__frontier_give_back(&k->open, from->ctx, &node);
		}
		gpube__dfs_tree_reconsider(s, k);
		pthread_mutex_unlock(&s->lock);
	}
	return GPUBE_OK;
}

static int recall(void *of, struct gpube_ctx *ctx, int rank)
{
	struct gpube_dfs_tree *s = of;
	int status = GPUBE_OK;

	pthread_mutex_lock(&s->lock);
	for (int32_t i = 0; i < s->n_blocks && !status; i++)
		status = gpube__frontier_recall(&s->blocks[i].open, ctx, rank);
	if (s->n_waiting)
		pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return status;
}

/* ---- best assignments ------------------------------------------------------------------------ */

static bool put_best(struct gpube__bytes *to, void *of, int64_t *seen)
{
	struct gpube_dfs_tree *s = of;
	bool better, whole = true;

	pthread_mutex_lock(&s->lock);
	better = s->best_number != *seen;
	*seen = s->best_number;
	for (int32_t p = 0; p < s->t->n; p++)
		whole &= s->best[p] >= 0;
	if (better && whole)
		gpube__put_all(to, s->best, s->t->n);
	pthread_mutex_unlock(&s->lock);
	return better && whole;
}

static int learn(void *of, struct gpube__bytes *from, int64_t *seen)
{
	struct gpube_dfs_tree *s = of;
	const int32_t n = s->t->n;
	int32_t *values = gpube__alloc(from->ctx, (uint64_t)n, sizeof(*values));

	if (!values)
		return GPUBE_ENOMEM;
	for (int32_t p = 0; p < n; p++) {
		const int32_t var = s->t->order[p];

		values[var] = (int32_t)gpube__get(from, 0, (int64_t)s->m->vars[var].domain - 1);
	}
	if (!from->status)
		gpube__dfs_tree_learn(s, values, seen);
	gpube__free(from->ctx, values);
	return from->status;
}

/* ---- a guest --------------------------------------------------------------------------------- */

static void guest_root(struct gpube__bytes *to, void *of)
{
	gpube__put_run(to, ((const struct gpube_dfs_tree *)of)->b, GPUBE__RUN_WITH_ROOT);
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
	struct gpube_bounder *b = NULL;
	int status = gpube__guest_bounder_new(&b, given, opts, root);

	(void)rank;
	if (!status)
		status = new_tree(b);
	if (status)
		gpube__guest_bounder_free(b);
	*out = status ? NULL : b->state.tree;
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
	.state = state_of,
	.give = give,
	.take = take,
	.want = want,
	.least = put_least,
	.repaid = repaid,
	.recall = recall,
	.check = check,
	.incumbent = take_incumbent,
	.best = put_best,
	.learn = learn};
