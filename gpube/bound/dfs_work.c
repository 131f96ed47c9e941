/* dfs_work.c - the threads of a search tree: one at first, then several. See dfs_tree.h. */
#include <math.h>
#include <string.h>

#include "gpube/base/thread.h"
#include "gpube/bound/dfs_tree.h"

/*
 * Copies are made after so many times as long a search as they take; all take at most a part of the
 * memory.
 */
#define COPIED_PER_SECOND 1e9
enum { COPIES_PAY = 5 };
#define COPIES 0.125
/* Seconds that the first worker waits before it polls again. */
#define HEARING_SECONDS 0.005

/* ---- taking turns ---------------------------------------------------------------------------- */

/* Needs the lock. Ends all threads soon. */
static void end(struct gpube_dfs_tree *s, int status)
{
	s->status = s->status ? s->status : status;
	__atomic_store_n(&s->ending, true, __ATOMIC_RELAXED);
	pthread_cond_broadcast(&s->changed);
}

/* Needs the lock. Waits for a change; the first worker polls meanwhile. */
static void wait_for_work(struct gpube_dfs_worker *w)
{
	struct gpube_dfs_tree *s = w->s;

	__atomic_store_n(&s->n_waiting, s->n_waiting + 1, __ATOMIC_RELAXED);
	if (gpube__dfs_worker_is_first(w))
		gpube__thread_wait(&s->changed, &s->lock, HEARING_SECONDS);
	else
		pthread_cond_wait(&s->changed, &s->lock);
	__atomic_store_n(&s->n_waiting, s->n_waiting - 1, __ATOMIC_RELAXED);
}

/* Starts the other threads. */
static bool wants_others(const struct gpube_dfs_tree *s)
{
	if (s->most_workers == 1 || s->n_at_work > 1 || gpube__dfs_tree_is_done(s) ||
		gpube__alone(s->b->ctx))
		return false;
	return s->alone == 0 ||
	       s->seconds + gpube__budget_spent(&s->turn) >
		       fmax(s->alone, COPIES_PAY * gpube__dfs_copy_bytes(s->t) / COPIED_PER_SECOND);
}

/* Between two runs: whether the tree is to be shared from now on. */
static bool sharing_begins(struct gpube_dfs_tree *s)
{
	bool any = false, known = true;

	if (s->shared || !gpube__dfs_tree_is_awaited(s))
		return false;
	pthread_mutex_lock(&s->lock); /* other threads may be at work */
	for (int32_t k = 0; k < s->n_blocks; k++) {
		any |= s->blocks[k].opened && !s->blocks[k].closed && s->blocks[k].open.n > 0;
		known &= s->blocks[k].upper != GPUBE_INF;
	}
	pthread_mutex_unlock(&s->lock);
	/* otherwise a guest could not say what it has found of one block */
	return any && (known || s->n_blocks == 1);
}

/* By the first worker, between two runs: takes news from outside, and saves the tree. */
static int hear(struct gpube_dfs_tree *s)
{
	__atomic_store_n(&s->due, false, __ATOMIC_RELAXED);
	gpube__bounder_save_if_due(s->b, 1);
	if (sharing_begins(s)) {
		s->shared = s->swept = true;
		gpube__bounder_share(s->b, GPUBE__SHARED_TREE, s);
		gpube__bounder_turn(s->b, GPUBE__SHARED_TREE);
	}
	if (s->n_at_work > 1 || s->shared)
		return gpube__dfs_tree_tell(s);
	gpube__dfs_tree_poll_cutoff(s);
	return GPUBE_OK;
}

/* Needs the lock. Whether other ranks have nodes. */
static bool any_lent(const struct gpube_dfs_tree *s)
{
	bool any = false;

	for (int32_t k = 0; k < s->n_blocks; k++)
		any |= s->blocks[k].open.loans != NULL;
	return any;
}

/* Whether w has work now. */
static bool take(struct gpube_dfs_worker *w)
{
	struct gpube_dfs_tree *s = w->s;
	bool has, waits;

	do {
		const int status = gpube__dfs_worker_is_first(w) ? hear(s) : GPUBE_OK;

		pthread_mutex_lock(&s->lock);
		if (status)
			end(s, status);
		has = waits = false;
		if (!s->ending && !gpube__dfs_tree_is_done(s)) {
			has = gpube__dfs_tree_take(w);
			if (s->status)
				end(s, s->status);
			waits = !has && !s->ending && (s->n_busy || any_lent(s));
		}
		if (waits && gpube__budget_is_over(&s->turn)) {
			end(s, GPUBE_OK);
			waits = false;
		}
		if (waits)
			wait_for_work(w);
		pthread_mutex_unlock(&s->lock);
	} while (waits);
	return has;
}

/* A block whose turn is not over goes on the next time. */
static void end_turn(struct gpube_dfs_worker *w, const struct gpube_dfs_block *k, int status)
{
	struct gpube_dfs_tree *s = w->s;

	pthread_mutex_lock(&s->lock);
	s->next = (int32_t)(k - s->blocks);
	end(s, status);
	pthread_mutex_unlock(&s->lock);
}

static void work(void *arg, int64_t item, int thread)
{
	struct gpube_dfs_tree *s = arg;
	struct gpube_dfs_worker *w = &s->workers[thread]; /* 0: the caller */

	(void)item;
	while (!wants_others(s) && take(w)) {
		const struct gpube_dfs_block *k = w->k;
		const int status = gpube__dfs_tree_run(w);

		if (status || gpube__budget_is_over(&s->turn))
			end_turn(w, k, status);
	}
}

/* ---- copies ---------------------------------------------------------------------------------- */

static void make_worker(void *arg, int64_t item, int thread)
{
	struct gpube_dfs_tree *s = arg;
	struct gpube_dfs_worker *w = &s->workers[1 + item];
	int status = GPUBE_OK;

	(void)thread;
	if (w->t && w->n_sweeps == s->n_sweeps)
		return;
	if (w->t) {
		gpube__dfs_copy_again(w->t);
	} else {
		w->own = gpube__ctx_child(s->b->ctx);
		w->own.n_threads = 1;
		status = gpube__dfs_worker_init(w, s, &w->own);
		if (!status)
			status = gpube__dfs_copy(&w->t, s->t, &w->own);
	}
	if (status) { /* fewer will do */
		gpube__dfs_worker_clear(w);
		return;
	}
	w->n_sweeps = s->n_sweeps;
	memcpy(w->roots, s->workers[0].roots, (size_t)s->n_blocks * sizeof(*w->roots));
}

/* As many workers as there are threads, or room. */
static void make_workers(struct gpube_dfs_tree *s)
{
	const double room =
		COPIES * (double)s->b->ctx->memory_bytes / (gpube__dfs_copy_bytes(s->t) + 1);
	const int most = (int)fmin(s->most_workers, 1 + room);

	gpube__parallel(s->b->ctx, most - 1, make_worker, s);
	for (s->n_workers = 1; s->n_workers < most && s->workers[s->n_workers].t;)
		s->n_workers++;
}

/* ---- the call -------------------------------------------------------------------------------- */

/* Another rank's letters are read meanwhile. */
static void set_at_work(struct gpube_dfs_tree *s, int n)
{
	pthread_mutex_lock(&s->lock);
	s->n_at_work = n;
	pthread_mutex_unlock(&s->lock);
}

static void search_together(struct gpube_dfs_tree *s)
{
	const int64_t n_nodes = s->n_nodes;
	const double spent = gpube__budget_spent(&s->turn);

	set_at_work(s, s->n_workers);
	gpube__parallel(s->b->ctx, s->n_workers, work, s);
	for (int i = 1; i < s->n_workers && s->status; i++)
		if (s->workers[i].own.error[0])
			(void)gpube__fail(s->b->ctx, s->status, "%s", s->workers[i].own.error);
	if (!s->status)
		s->status = gpube__dfs_tree_tell(s);
	set_at_work(s, 1);
	s->seconds_together += gpube__budget_spent(&s->turn) - spent;
	s->n_nodes_together += s->n_nodes - n_nodes;
}

int gpube__dfs_tree_search(struct gpube_dfs_tree *s)
{
	s->status = GPUBE_OK;
	s->ending = false;
	work(s, 0, 0);
	if (s->ending || !wants_others(s))
		return s->status;
	make_workers(s);
	if (s->n_workers > 1) {
		search_together(s);
	} else {
		s->alone = INFINITY;
		work(s, 0, 0);
	}
	return s->status;
}
