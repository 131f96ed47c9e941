/* dfs_search.c - depth-first branch and bound on a block of a tree, and what it leaves open: see dfs_tree.h. */
#include <math.h>
#include <string.h>

#include "gpube/bound/dfs_tree.h"

/* Nodes of the first run; each is longer. */
enum { FIRST_NODES = 256 };
#define LONGER 1.5
/*
 * Of the tree, as a first run has seen it: then it goes on there, and nothing is thrown away. (pedigree13 2700 nodes instead of 10300,
 * myciel5g_4 12600 and 19200, CELAR6-SUB1 10500 and 13200, CELAR6-SUB2 8900 and 15000, BN_75 5800 and 48400, three draws of first
 * weights each; from 0.01 on nearly the same, from 0.4 on half of it is lost.)
 */
#define ENOUGH 0.04
/* Nodes of a run that leaves open what it has not seen. */
enum { SHORTEST = 16, LONGEST = 1 << 14 };
/*
 * And so much of all nodes, since what is depth first sees less: of CELAR6-SUB1 14000 nodes in all, 41000 where
 * runs stay short.
 */
#define PART 0.2

/* ---- a node --------------------------------------------------------------------------------- */

/*
 * The position with the fewest values for its weight; -1: all are decided. First of all that of the last decision
 * that failed at once, until one of it does not: so the search goes back over decisions that have no part in it.
 */
static int32_t choose(const struct gpube_dfs_tree *s)
{
	const struct gpube_dfs *t = s->t;
	double least = INFINITY;
	int32_t best = -1;

	if (s->last >= t->first && s->last < t->last && t->n_live[s->last] > 1)
		return s->last;
	for (int32_t p = t->first; p < t->last; p++) {
		double score;

		if (t->n_live[p] == 1)
			continue;
		score = (double)t->n_live[p] / (double)(1 + gpube__dfs_weight(t, p));
		if (score < least) {
			least = score;
			best = p;
		}
	}
	return best;
}

/*
 * The value that costs least; of equals the one that forces least, and the best assignment's. (Costs
 * wander to the first variables, the others' are mostly 0: of pdb1qks 18000 nodes by costs alone, 5000 so.)
 */
static int32_t choose_value(const struct gpube_dfs_tree *s, int32_t p)
{
	const struct gpube_dfs *t = s->t;
	const int32_t *live = t->live[p];
	const int64_t *cost = t->cost[p], *sum = t->old;
	int32_t best = 0, n_equal = 0;

	for (int32_t r = 1; r < t->n_live[p]; r++) {
		n_equal = cost[live[r]] == cost[live[best]] ? n_equal + 1 : n_equal;
		if (cost[live[r]] < cost[live[best]]) {
			n_equal = 0;
			best = r;
		}
	}
	if (!n_equal)
		return live[best];
	gpube__dfs_marginals(s->t, p, t->old);
	for (int32_t r = 0; r < t->n_live[p]; r++)
		if (cost[live[r]] == cost[live[best]] &&
			(sum[r] < sum[best] || (sum[r] == sum[best] && live[r] == s->best[p])))
			best = r;
	return live[best];
}

/*
 * Many values that have an order are halved, first into the half of the best one; others are decided one by one.
 * (Of CELAR6-SUB1 17000 nodes, and without an end one by one; of pdb1fmj, whose values have none, 2300 one by one
 * and 3700 by halves.)
 */
static struct gpube_dfs_step next_step(struct gpube_dfs_tree *s, int32_t p)
{
	const struct gpube_dfs *t = s->t;
	const int32_t *live = t->live[p], value = choose_value(s, p);
	int32_t least = live[0], most = live[0], middle;

	if (t->n_live[p] <= s->few_values || !t->ordered[p])
		return (struct gpube_dfs_step){p, value, GPUBE__DFS_IS};
	for (int32_t r = 1; r < t->n_live[p]; r++) {
		least = live[r] < least ? live[r] : least;
		most = live[r] > most ? live[r] : most;
	}
	middle = least + (most - least) / 2 + 1;
	return (struct gpube_dfs_step){p, middle, value < middle ? GPUBE__DFS_BELOW : GPUBE__DFS_FROM};
}

static int note_step(struct gpube_dfs_tree *s, const struct gpube_dfs_step *step)
{
	if (gpube__grow(s->b->ctx, &s->steps, &s->steps_capacity, s->n_steps + 1, sizeof(*s->steps)))
		return GPUBE_ENOMEM;
	s->steps[s->n_steps++] = *step;
	return GPUBE_OK;
}

/* At this level, without what follows. */
static void do_step(struct gpube_dfs_tree *s, const struct gpube_dfs_step *step)
{
	struct gpube_dfs *t = s->t;

	switch (step->side) {
	case GPUBE__DFS_IS:
		gpube__dfs_assign(t, step->p, step->value);
		break;
	case GPUBE__DFS_IS_NOT:
		gpube__dfs_remove(t, step->p, step->value);
		break;
	case GPUBE__DFS_BELOW:
		gpube__dfs_keep(t, step->p, 0, step->value);
		break;
	case GPUBE__DFS_FROM:
		gpube__dfs_keep(t, step->p, step->value, INT32_MAX);
		break;
	}
}

/* All are decided: the assignment is priced from the model. */
static int found(struct gpube_dfs_tree *s)
{
	struct gpube_dfs *t = s->t;
	int status;

	for (int32_t p = t->first; p < t->last; p++)
		s->values[t->order[p]] = t->live[p][0];
	status = gpube__dfs_tree_offer(s);
	t->conflict = true; /* nothing else is here */
	return status;
}

/* Back to the last decision, which was wrong. */
static int take_back(struct gpube_dfs_tree *s)
{
	struct gpube_dfs *t = s->t;
	const struct gpube_dfs_mark *mark = &s->marks[--t->depth];
	struct gpube_dfs_step other = s->steps[mark->n_steps];
	int status;

	other.side ^= 1;
	s->n_steps = mark->n_steps;
	gpube__dfs_undo(t, mark);
	if (t->conflict)
		return GPUBE_OK;
	do_step(s, &other);
	status = gpube__dfs_propagate(t);
	if (!status && t->depth)
		status = note_step(s, &other);
	return status;
}

static void mark_level(struct gpube_dfs_tree *s)
{
	struct gpube_dfs_mark *mark = &s->marks[s->t->depth++];

	gpube__dfs_mark(s->t, mark);
	mark->n_steps = s->n_steps;
}

static int decide(struct gpube_dfs_tree *s, int32_t p)
{
	const struct gpube_dfs_step step = next_step(s, p);
	int status;

	mark_level(s);
	s->n_nodes++;
	status = note_step(s, &step);
	do_step(s, &step);
	if (!status)
		status = gpube__dfs_propagate(s->t);
	s->last = s->t->conflict ? p : -1;
	return status;
}

/* From where it is until nothing is left of this level, or 'nodes' more were seen. */
static int dive(struct gpube_dfs_tree *s, double nodes)
{
	struct gpube_dfs *t = s->t;
	const int32_t base = t->depth;
	const int64_t before = s->n_nodes;
	int status = GPUBE_OK;

	while (!status && (t->depth > base || !t->conflict)) {
		const int64_t seen = s->n_nodes - before;
		int32_t p = t->conflict ? -1 : choose(s);

		if (t->conflict)
			status = take_back(s);
		else if (p < 0)
			status = found(s);
		else if ((double)seen >= nodes || (seen && seen % s->patience == 0 && gpube__dfs_tree_is_over(s)))
			break;
		else
			status = decide(s, p);
	}
	return status;
}

static void back_to_root(struct gpube_dfs_tree *s)
{
	struct gpube_dfs *t = s->t;

	s->n_steps = 0;
	if (!t->depth)
		return;
	t->depth = 0;
	gpube__dfs_undo(t, &s->marks[0]);
}

/* ---- open nodes -------------------------------------------------------------------------------- */

/* The decisions of this run; NULL: no memory. */
static struct gpube_dfs_path *copy_path(struct gpube_dfs_tree *s)
{
	const size_t bytes = (size_t)s->n_steps * sizeof(*s->steps);
	struct gpube_dfs_path *path = gpube__alloc(s->b->ctx, sizeof(*path) + bytes, 1);

	if (!path)
		return NULL;
	path->users = 0;
	path->bytes = (int64_t)(sizeof(*path) + bytes);
	if (bytes)
		memcpy(path->steps, s->steps, bytes);
	s->bytes += path->bytes;
	return path;
}

/* What has not been seen below level 'base': of each decision the other side, and where it is now. */
static int keep_open(struct gpube_dfs_tree *s, int32_t base)
{
	struct gpube_dfs *t = s->t;
	struct gpube_dfs_path *path = copy_path(s);
	struct gpube_dfs_open open = {.path = path, .turned = true};
	int status = path ? GPUBE_OK : GPUBE_ENOMEM;

	if (status)
		return status;
	path->users++; /* it is not to go while nodes are pushed */
	for (int32_t depth = base; depth < t->depth && !status; depth++) {
		open.bound = s->marks[depth].constant - s->others;
		open.n = (int32_t)s->marks[depth].n_steps;
		status = gpube__dfs_tree_push(s, s->k, &open);
	}
	open.bound = t->constant - s->others;
	open.n = (int32_t)s->n_steps;
	open.turned = false;
	if (!status && !t->conflict)
		status = gpube__dfs_tree_push(s, s->k, &open);
	s->bytes += (int64_t)sizeof(open);
	gpube__dfs_tree_give_back(s, path);
	return status;
}

/* Its decisions, all at once, at level 1. */
static int replay(struct gpube_dfs_tree *s, const struct gpube_dfs_open *open)
{
	struct gpube_dfs *t = s->t;
	const int32_t n = open->n + open->turned;
	int status = GPUBE_OK;

	mark_level(s);
	for (int32_t i = 0; i < n && !status && !t->conflict; i++) {
		struct gpube_dfs_step step = open->path->steps[i];

		if (open->turned && i == open->n)
			step.side ^= 1;
		status = note_step(s, &step);
		do_step(s, &step);
		s->k->n_replayed += step.side != GPUBE__DFS_IS_NOT;
	}
	return status ? status : gpube__dfs_propagate(t);
}

/* Runs as long as replays are a tenth of their nodes. */
static void adapt(struct gpube_dfs_block *k)
{
	if (k->n_seen < 1024)
		return;
	if (k->n_replayed > k->n_seen / 10)
		k->nodes = fmin(2 * k->nodes, LONGEST);
	else if (k->n_replayed < k->n_seen / 20)
		k->nodes = fmax(k->nodes / 2, SHORTEST);
	k->n_seen = k->n_replayed = 0;
}

/* From the open node of the least bound. */
static int run_open(struct gpube_dfs_tree *s)
{
	struct gpube_dfs_block *k = s->k;
	struct gpube_dfs_open open = gpube__dfs_tree_pop(k);
	const int64_t before = s->n_nodes;
	/* where memory is short, nothing more is left open */
	const bool has_room = (double)s->bytes < (double)s->b->ctx->memory_bytes / 16;
	const double nodes = has_room ? fmax(k->nodes, PART * (double)s->n_nodes) : INFINITY;
	int status = GPUBE_OK;

	if (open.bound + s->others < s->t->limit) {
		status = replay(s, &open);
		if (!status)
			status = dive(s, nodes);
		if (!status && (s->t->depth > 1 || !s->t->conflict))
			status = keep_open(s, 1);
		back_to_root(s);
	}
	gpube__dfs_tree_give_back(s, open.path);
	k->n_looked += s->n_nodes - before;
	k->n_seen += 1 + s->n_nodes - before;
	adapt(k);
	return status;
}

/* From now on what runs leave is kept. */
static void begin_open(struct gpube_dfs_block *k)
{
	k->opened = true;
	k->nodes = 4 * SHORTEST;
}

/* The part of the tree that this run from the root has seen, were both sides of each decision as large. */
static double part_seen(const struct gpube_dfs_tree *s)
{
	double seen = 0, side = 0.5;
	int32_t depth = 0;

	for (int64_t i = 0; i < s->n_steps; i++, side /= 2)
		if (depth < s->t->depth && s->marks[depth].n_steps == i)
			depth++; /* a decision of which the other side is open */
		else
			seen += side;
	return seen;
}

/* A first run, longer than the last one; what it leaves open is kept where it has seen enough. */
static int run_from_root(struct gpube_dfs_tree *s)
{
	struct gpube_dfs_block *k = s->k;
	const int64_t before = s->n_nodes;
	int status;

	k->nodes = k->n_runs ? LONGER * k->nodes : FIRST_NODES;
	status = dive(s, k->nodes);
	k->n_runs++;
	k->n_looked = s->n_nodes - before;
	k->part_left = 1 - part_seen(s);
	if (!status && !s->t->conflict && 1 - k->part_left >= ENOUGH) {
		begin_open(k);
		k->n_runs = s->n_restarts;
		status = keep_open(s, 0);
	}
	back_to_root(s);
	return status;
}

int gpube__dfs_tree_run(struct gpube_dfs_tree *s, struct gpube_dfs_block *k)
{
	int status = GPUBE_OK;

	gpube__dfs_tree_enter(s, k);
	if (!s->t->conflict) /* where the limit is lower than it was */
		status = gpube__dfs_propagate(s->t);
	if (!status && !s->t->conflict && k->n_runs < s->n_restarts) {
		status = run_from_root(s);
	} else if (!status && !s->t->conflict) {
		if (!k->opened) {
			const struct gpube_dfs_open root = {.bound = k->root};

			begin_open(k);
			k->n_looked = 0;
			k->part_left = 1;
			status = gpube__dfs_tree_push(s, k, &root);
		}
		if (!status)
			status = run_open(s);
	}
	s->last = -1;
	if (!status) /* otherwise nodes may be lost, and nothing is proved */
		gpube__dfs_tree_leave(s);
	return status;
}
