/* sharing.c - open nodes that are lent, given back and closed: see sharing.h. */
#include "gpube/bound/sharing/sharing.h"

/* Whether its nodes may travel. */
static bool is_open(const struct gpube_dfs_block *k)
{
	return !k->closed && k->opened;
}

bool gpube__sharing_begins(struct gpube_dfs_tree *s)
{
	bool any = false, known = true;

	if (s->shared || !gpube__dfs_tree_is_awaited(s))
		return false;
	pthread_mutex_lock(&s->lock); /* other threads may be at work */
	for (int32_t k = 0; k < s->n_blocks; k++) {
		any |= is_open(&s->blocks[k]) && s->blocks[k].open.n > 0;
		known &= s->blocks[k].upper != GPUBE_INF;
	}
	pthread_mutex_unlock(&s->lock);
	/* otherwise a guest could not say what it has found of one block */
	return any && (known || s->n_blocks == 1);
}

struct gpube__shared_state gpube__sharing_state(void *of)
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

void gpube__sharing_want(void *of, bool wanted)
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

int64_t gpube__sharing_give(
	void *of, struct gpube__bytes *to, int64_t most, int to_rank, int64_t number)
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

int gpube__sharing_take(void *of, struct gpube__bytes *from)
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

void gpube__sharing_least(struct gpube__bytes *to, void *of)
{
	struct gpube_dfs_tree *s = of;

	pthread_mutex_lock(&s->lock);
	for (int32_t i = 0; i < s->n_blocks; i++)
		gpube__put(to, s->blocks[i].closed || gpube__dfs_tree_is_done(s)
				       ? INT64_MAX
				       : gpube__frontier_least(&s->blocks[i].open));
	pthread_mutex_unlock(&s->lock);
}

int gpube__sharing_repaid(void *of, struct gpube__bytes *from, int rank, int64_t number)
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

int gpube__sharing_recall(void *of, struct gpube_ctx *ctx, int rank)
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

bool gpube__sharing_best(struct gpube__bytes *to, void *of, int64_t *seen)
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

int gpube__sharing_learn(void *of, struct gpube__bytes *from, int64_t *seen)
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
