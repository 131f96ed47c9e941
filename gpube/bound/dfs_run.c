/* dfs_run.c - the search tree as a method: sweeps at the root, then runs on its blocks. */
#include <math.h>
#include <stdio.h>

#include "gpube/bound/dfs_tree.h"
#include "gpube/options/options.h"

/* Sweeps at the root: least, unless the tables are reparametrised; most; their part of the time. */
enum { LEAST_SWEEPS = 9, MOST_SWEEPS = 400 };
#define SWEEPING 0.3

static int sweep_block(struct gpube_dfs_tree *s, struct gpube_dfs_block *k, int pass)
{
	struct gpube_dfs_worker *w = s->workers;
	const int64_t before = w->roots[k - s->blocks];
	int64_t root;
	/* reparametrised tables need fewer */
	const int least = s->lean || s->m == s->b->m ? LEAST_SWEEPS : 2;
	int status;

	gpube__dfs_tree_come(w, k);
	gpube__dfs_tree_enter(w);
	status = s->t->conflict ? GPUBE_OK : gpube__dfs_sweep(s->t, pass % 2);
	if (status)
		return status;
	gpube__dfs_tree_leave(w);
	root = w->roots[k - s->blocks];
	k->sweeping =
		!k->closed &&
		(pass < least || root - before >= (gpube__dfs_tree_cutoff(s, k) - root) / 10000);
	return GPUBE_OK;
}

/*
 * Moves costs at the root while that pays, or for so long, and removes values. A later call
 * continues: the bounds of open nodes stay valid.
 */
static int sweep(struct gpube_dfs_tree *s, double seconds)
{
	int status = GPUBE_OK;

	while (!s->swept) {
		bool any = false;

		for (int32_t k = 0; k < s->n_blocks && !status && !gpube__dfs_tree_is_done(s); k++)
			if (s->blocks[k].sweeping && !s->blocks[k].closed) {
				status = sweep_block(s, &s->blocks[k], s->n_sweeps);
				any |= s->blocks[k].sweeping;
			}
		s->n_sweeps++;
		s->swept = !any || s->n_sweeps == MOST_SWEEPS;
		if (status || gpube__dfs_tree_is_done(s) ||
			gpube__budget_spent(&s->turn) > seconds || gpube__stopped(s->b->ctx))
			break;
	}
	for (int32_t k = 0; k < s->n_blocks && !status && !gpube__dfs_tree_is_done(s); k++) {
		gpube__dfs_tree_come(s->workers, &s->blocks[k]);
		gpube__dfs_tree_enter(s->workers);
		s->t->conflict |= s->blocks[k].closed; /* then its changes are dropped */
		status = gpube__dfs_propagate_all(s->t);
		if (!status)
			gpube__dfs_tree_leave(s->workers);
	}
	return status;
}

/* An order that joins so many times fewer cells than the tree's is worth a new tree. */
#define BETTER_ORDER 1e3

int gpube__bound_tree(struct gpube_bounder *b, double seconds)
{
	if (b->state.tree && !b->state.tree->shared && b->state.tree->seconds < seconds &&
		b->state.tree->joined > BETTER_ORDER * b->order_cost.joined_cells) {
		gpube__dfs_tree_free(b->state.tree);
		b->state.tree = NULL;
	}
	return gpube__bound_dfs(b, seconds);
}

/* At the end of a turn. */
static int conclude(struct gpube_dfs_tree *s)
{
	const int status = gpube__dfs_tree_check(s);

	if (!status && gpube__dfs_tree_is_done(s))
		gpube__bounder_update_lower(s->b, s->b->cutoff, "search tree");
	return status;
}

int gpube__tree_settle(struct gpube_bounder *b)
{
	struct gpube_dfs_tree *s = b->state.tree;
	int status;

	if (!s || !s->shared)
		return GPUBE_OK;
	status = gpube__dfs_tree_tell(s);
	return status ? status : conclude(s);
}

int gpube__bound_dfs(struct gpube_bounder *b, double seconds)
{
	const double start = gpube__now();
	int status = b->state.tree ? GPUBE_OK : gpube__dfs_tree_new(b);
	struct gpube_dfs_tree *s = b->state.tree;
	int64_t n_open = 0;
	char left[64] = "";

	if (!status && !s->t)
		gpube__log(b->ctx,
			b->opts->method == GPUBE_BOUND_TREE ? GPUBE_LOG_NOTE : GPUBE_LOG_DETAIL,
			"search tree: not built, functions or costs are too large for it");
	if (status || !s->t)
		return status;
	s->turn = gpube__budget(b->ctx, seconds);
	gpube__bounder_hold_saves(b, 1);
	if (s->shared)
		gpube__bounder_turn(b, GPUBE__SHARED_TREE);
	status = gpube__dfs_tree_know(s);
	if (!status && !s->swept)
		status = sweep(s, SWEEPING * seconds);
	if (!status)
		status = gpube__dfs_tree_search(s);
	gpube__bounder_hold_saves(b, -1);
	if (s->shared)
		gpube__bounder_turn(b, GPUBE__N_SHARED);
	s->seconds += gpube__budget_spent(&s->turn);
	if (status) { /* the tree is no longer complete: a later turn starts again */
		gpube__dfs_tree_free(s);
		b->state.tree = NULL;
		return status;
	}
	pthread_mutex_lock(&s->lock);
	for (int32_t k = 0; k < s->n_blocks; k++)
		n_open += s->blocks[k].open.n;
	pthread_mutex_unlock(&s->lock);
	if (gpube__dfs_tree_is_done(s))
		snprintf(left, sizeof(left), ", complete");
	else if (isfinite(gpube__dfs_tree_seconds_left(s)))
		snprintf(
			left, sizeof(left), ", about %.3g s left", gpube__dfs_tree_seconds_left(s));
	gpube__log(b->ctx, GPUBE_LOG_DETAIL,
		"search tree: %d of %d variable%s, %lld node%s in %.3f s, %d component%s, %lld "
		"node%s open%s",
		s->m->n_vars, b->m->n_vars, gpube__plural(b->m->n_vars), (long long)s->n_nodes,
		gpube__plural(s->n_nodes), gpube__now() - start, s->n_blocks,
		gpube__plural(s->n_blocks), (long long)n_open, gpube__plural(n_open), left);
	return conclude(s);
}
