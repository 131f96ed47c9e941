/*
 * dfs_search.c - depth-first branch and bound on a block, and the nodes that it leaves open: see
 * dfs_tree.h.
 */
#include <math.h>

#include "gpube/bound/dfs_tree.h"

/* Each first run is so many times as long as the one before. */
#define LONGER 1.5
/* If a first run has seen this part of the tree, the search continues from its open nodes. */
#define ENOUGH 0.04
/* A run that keeps open nodes has a part of all: depth first sees less. */
#define PART 0.2

/* ---- a node --------------------------------------------------------------------------------- */

/*
 * The position with the fewest values for its weight; -1: all are decided. The one whose last
 * decision failed at once comes first, until it does not fail: so the search backtracks over
 * decisions that are not involved.
 */
static int32_t choose(const struct gpube_dfs_worker *w)
{
	const struct gpube_dfs *t = w->t;
	double least = INFINITY;
	int32_t best = -1;

	if (w->last >= t->first && w->last < t->last && t->n_live[w->last] > 1)
		return w->last;
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
 * The value of least cost; of equals the one of least min-marginal, and that of the best
 * assignment. Costs move to the first variables, and the others' are mostly 0.
 */
static int32_t choose_value(const struct gpube_dfs_worker *w, int32_t p)
{
	const struct gpube_dfs *t = w->t;
	const int32_t *live = t->live[p];
	const int64_t *cost = t->cost[p], *sum = t->old;
	const int32_t kept = __atomic_load_n(&w->s->best[p], __ATOMIC_RELAXED);
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
	gpube__dfs_marginals(w->t, p, t->old);
	for (int32_t r = 0; r < t->n_live[p]; r++)
		if (cost[live[r]] == cost[live[best]] &&
			(sum[r] < sum[best] || (sum[r] == sum[best] && live[r] == kept)))
			best = r;
	return live[best];
}

/*
 * Ordered domains of many values are halved, first into the half of the best value; other values
 * are decided one by one.
 */
static struct gpube_decision next_step(struct gpube_dfs_worker *w, int32_t p)
{
	const struct gpube_dfs *t = w->t;
	const int32_t *live = t->live[p], value = choose_value(w, p);
	int32_t least = live[0], most = live[0], middle;

	if (t->n_live[p] <= w->s->few_values || !t->ordered[p])
		return (struct gpube_decision){p, value, GPUBE__DECISION_IS};
	for (int32_t r = 1; r < t->n_live[p]; r++) {
		least = live[r] < least ? live[r] : least;
		most = live[r] > most ? live[r] : most;
	}
	middle = least + (most - least) / 2 + 1;
	return (struct gpube_decision){
		p, middle, value < middle ? GPUBE__DECISION_BELOW : GPUBE__DECISION_FROM};
}

static int note_step(struct gpube_dfs_worker *w, const struct gpube_decision *step)
{
	if (gpube__grow(w->ctx, &w->steps, &w->steps_capacity, w->n_steps + 1, sizeof(*w->steps)))
		return GPUBE_ENOMEM;
	w->steps[w->n_steps++] = *step;
	return GPUBE_OK;
}

/* Decides at this level, without propagation. */
static void do_step(struct gpube_dfs_worker *w, const struct gpube_decision *step)
{
	struct gpube_dfs *t = w->t;

	switch (step->side) {
	case GPUBE__DECISION_IS:
		gpube__dfs_assign(t, step->var, step->value);
		break;
	case GPUBE__DECISION_IS_NOT:
		gpube__dfs_remove(t, step->var, step->value);
		break;
	case GPUBE__DECISION_BELOW:
		gpube__dfs_keep(t, step->var, 0, step->value);
		break;
	case GPUBE__DECISION_FROM:
		gpube__dfs_keep(t, step->var, step->value, INT32_MAX);
		break;
	}
}

/* All variables are decided: prices the assignment from the model. */
static int found(struct gpube_dfs_worker *w)
{
	struct gpube_dfs *t = w->t;
	int status;

	for (int32_t p = t->first; p < t->last; p++)
		w->values[t->order[p]] = t->live[p][0];
	status = gpube__dfs_tree_incumbent(w);
	t->conflict = true; /* nothing else is left here */
	return status;
}

/* Backtracks to the last decision, which failed. */
static int take_back(struct gpube_dfs_worker *w)
{
	struct gpube_dfs *t = w->t;
	const struct gpube_dfs_mark *mark = &w->marks[--t->depth];
	struct gpube_decision other = w->steps[mark->n_steps];
	int status = GPUBE_OK;

	w->seen = gpube__part_add(w->seen, gpube__part(w->n_steps));
	other.side ^= 1;
	w->n_steps = mark->n_steps;
	gpube__dfs_undo(t, mark);
	if (t->depth)
		status = note_step(w, &other);
	if (status || t->conflict)
		return status;
	do_step(w, &other);
	return gpube__dfs_propagate(t);
}

static void mark_level(struct gpube_dfs_worker *w)
{
	struct gpube_dfs_mark *mark = &w->marks[w->t->depth++];

	gpube__dfs_mark(w->t, mark);
	mark->n_steps = w->n_steps;
}

static int decide(struct gpube_dfs_worker *w, int32_t p)
{
	const struct gpube_decision step = next_step(w, p);
	int status;

	/* the choice of p reads the weights of all functions */
	w->t->ticks += w->t->of_at[w->t->last] - w->t->of_at[w->t->first];
	mark_level(w);
	w->n_nodes++;
	status = note_step(w, &step);
	do_step(w, &step);
	if (!status)
		status = gpube__dfs_propagate(w->t);
	w->last = w->t->conflict ? p : -1;
	return status;
}

/*
 * Takes cutoffs that others have lowered. Of several workers the first one reports for all. (A
 * single one reports at once, and polls between runs.)
 */
static int hear(struct gpube_dfs_worker *w)
{
	struct gpube_dfs_tree *s = w->s;
	int status = GPUBE_OK;

	if (s->n_at_work == 1 && !s->shared && !s->guest)
		return GPUBE_OK;
	if (gpube__dfs_worker_is_first(w) &&
		(__atomic_load_n(&s->news, __ATOMIC_RELAXED) || w->n_nodes % s->patience == 0))
		status = gpube__dfs_tree_tell(s);
	gpube__dfs_lower(w->t, w->others + __atomic_load_n(&w->cutoff, __ATOMIC_RELAXED));
	return status;
}

/*
 * A first run of one thread, which ends with its turn. (Where it went on in the next one, trees
 * took 1.05 times the ticks.)
 */
static bool is_alone(const struct gpube_dfs_worker *w)
{
	return w->k->trying && w->s->n_at_work == 1;
}

/* Whether the tree is to be saved: then a run that keeps what it leaves open ends early. */
static bool is_due(const struct gpube_dfs_worker *w, int64_t seen)
{
	struct gpube_dfs_tree *s = w->s;

	if (is_alone(w) || !w->shares || !seen)
		return false;
	if (gpube__dfs_worker_is_first(w) && seen % s->patience == 0 &&
		gpube__bounder_save_is_due(s->b, 1))
		__atomic_store_n(&s->due, true, __ATOMIC_RELAXED);
	return __atomic_load_n(&s->due, __ATOMIC_RELAXED);
}

/*
 * Whether the run ends early: all do, or others wait for work. Not if its open nodes would be
 * dropped or have no room, and not before it has visited as many nodes as its replay has decisions.
 */
static bool is_to_end(const struct gpube_dfs_worker *w, int64_t seen)
{
	const struct gpube_dfs_tree *s = w->s;

	if (s->n_at_work > 1 && __atomic_load_n(&s->ending, __ATOMIC_RELAXED))
		return true;
	return ((s->n_at_work > 1 && __atomic_load_n(&s->n_waiting, __ATOMIC_RELAXED)) ||
		       __atomic_load_n(&s->wanted, __ATOMIC_RELAXED)) &&
	       seen >= s->shortest && seen >= w->t->depth && !is_alone(w) && w->shares;
}

/* Searches below the present level, for at most 'nodes' nodes. */
static int dive(struct gpube_dfs_worker *w, double nodes)
{
	struct gpube_dfs *t = w->t;
	const int32_t base = t->depth;
	const int64_t before = w->n_nodes;
	int status = GPUBE_OK;

	while (!status && (t->depth > base || !t->conflict)) {
		const int64_t seen = w->n_nodes - before;
		int32_t p = t->conflict ? -1 : choose(w);

		if (t->conflict)
			status = take_back(w);
		else if (p < 0)
			status = found(w);
		else if ((double)seen >= nodes ||
			 (seen && seen % w->s->patience == 0 &&
				 gpube__budget_is_over(&w->s->turn)) ||
			 is_due(w, seen) || is_to_end(w, seen))
			break;
		else
			status = decide(w, p);
		if (!status)
			status = hear(w);
	}
	return status;
}

static void back_to_root(struct gpube_dfs_worker *w)
{
	struct gpube_dfs *t = w->t;

	w->n_steps = 0;
	if (!t->depth)
		return;
	t->depth = 0;
	gpube__dfs_undo(t, &w->marks[0]);
}

/* ---- open nodes ------------------------------------------------------------------------------ */

/* Needs the lock. The run has left a node open. */
static void leave_open(struct gpube_dfs_worker *w, const struct gpube_frontier_node *node)
{
	w->seen = gpube__part_add(w->seen, gpube__node_part(node));
	w->k->part = gpube__part_sub(w->k->part, gpube__node_part(node));
}

/*
 * Needs the lock. Leaves open what the run has not seen below level 1: the other side of each
 * decision, and the present node.
 */
static int push_open(struct gpube_dfs_worker *w)
{
	const struct gpube_dfs *t = w->t;
	struct gpube_frontier *f = &w->k->open;
	struct gpube_frontier_node node = {.turned = true};
	int status = gpube__frontier_room(f, w->ctx, t->depth);

	if (!status)
		w->left = node.path = gpube__frontier_path(f, w->ctx, w->steps, w->n_steps);
	if (!node.path)
		return GPUBE_ENOMEM;
	for (int32_t depth = 1; depth < t->depth; depth++) {
		node.bound = w->marks[depth].constant - w->others;
		node.depth = (int32_t)w->marks[depth].n_steps;
		(void)gpube__frontier_push(f, w->ctx, &node);
		leave_open(w, &node);
	}
	node.bound = t->constant - w->others;
	node.depth = (int32_t)w->n_steps;
	node.turned = false;
	if (t->conflict)
		return GPUBE_OK;
	leave_open(w, &node);
	return gpube__frontier_push(f, w->ctx, &node);
}

static int keep_open(struct gpube_dfs_worker *w)
{
	int status;

	pthread_mutex_lock(&w->s->lock);
	status = push_open(w);
	pthread_mutex_unlock(&w->s->lock);
	return status;
}

/* Replays the node's decisions at level 1. */
static int replay(struct gpube_dfs_worker *w)
{
	struct gpube_dfs *t = w->t;
	const int32_t n = w->at.node.depth + w->at.node.turned;
	int status = GPUBE_OK;

	mark_level(w);
	for (int32_t i = 0; i < n && !status && !t->conflict; i++) {
		const struct gpube_decision step = gpube__frontier_decision(&w->at.node, i);

		status = note_step(w, &step);
		do_step(w, &step);
	}
	return status ? status : gpube__dfs_propagate(t);
}

/* Runs from an open node. */
static int run_open(struct gpube_dfs_worker *w)
{
	int status;

	w->seen = 0;
	/* the cutoff may have fallen since the node was taken, below what the root proves, too */
	if (w->t->conflict || w->at.node.bound + w->others >= w->t->cutoff) {
		w->seen = gpube__node_part(&w->at.node);
		return GPUBE_OK;
	}
	status = replay(w);
	if (!status && w->t->conflict) {
		w->seen = gpube__node_part(&w->at.node);
	} else if (!status) {
		status = dive(w, w->nodes);
		if (!status && (w->t->depth > 1 || !w->t->conflict))
			status = keep_open(w);
		else
			w->seen = gpube__part_add(w->seen, gpube__part(w->n_steps));
	}
	back_to_root(w);
	return status;
}

/* From now on the nodes that runs leave open are kept. */
static void begin_open(const struct gpube_dfs_tree *s, struct gpube_dfs_block *k)
{
	k->opened = true;
	k->nodes = 4 * s->shortest;
	k->part = gpube__part_sub(1, gpube__frontier_rest(&k->open));
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Ends a first run: the nodes that it has left open are dropped if too little was seen. */
static void end_trial(struct gpube_dfs_tree *s, struct gpube_dfs_block *k)
{
	k->trying = false;
	k->n_runs++;
	k->part_left = gpube__frontier_part(&k->open);
	if (1 - k->part_left >= ENOUGH || gpube__dfs_tree_is_awaited(s)) {
		begin_open(s, k);
		k->n_runs = s->n_restarts;
	} else {
		gpube__frontier_clear(&k->open, s->b->ctx);
	}
}

/* The next block in turn that has work; NULL: none. */
static struct gpube_dfs_block *next_block(struct gpube_dfs_tree *s)
{
	for (int32_t i = 0; i < s->n_blocks; i++) {
		struct gpube_dfs_block *k;

		s->next = s->next < s->n_blocks ? s->next : 0;
		k = &s->blocks[s->next++];
		if (k->closed)
			continue;
		if (k->trying && k->trial <= 0 && !k->open.n_held)
			end_trial(s, k);
		if (k->opened || (k->trying && k->trial > 0) ? k->open.n > 0 : !k->trying)
			return k;
	}
	return NULL;
}

/* Makes the root the open node of the block, from now on or for a first run. */
static int open_root(struct gpube_dfs_worker *w)
{
	struct gpube_dfs_block *k = w->k;
	const struct gpube_frontier_node root = {.bound = k->lower};

	k->trying = k->n_runs < w->s->n_restarts;
	if (k->trying) /* longer than the one before */
		k->nodes = k->n_runs ? LONGER * k->nodes : w->s->first_nodes;
	k->trial = k->nodes;
	k->n_searched = 0;
	k->part_left = 1;
	if (!k->trying)
		begin_open(w->s, k);
	k->part = 0;
	return gpube__frontier_push(&k->open, w->ctx, &root);
}

/*
 * The node at which w's last run would continue depth first; the one of the least bound if others
 * have taken all of these.
 */
static int64_t deepest_left(const struct gpube_dfs_worker *w)
{
	const struct gpube_frontier *f = &w->k->open;
	int64_t best = 0;
	int32_t deepest = 0;

	for (int64_t j = 0; j < f->n; j++) {
		const int32_t depth = 2 * f->nodes[j].depth + !f->nodes[j].turned;

		if (f->nodes[j].path == w->left && depth > deepest) {
			deepest = depth;
			best = j;
		}
	}
	return best;
}

/* When memory is short no more nodes are left open. */
static bool has_room(const struct gpube_dfs_tree *s)
{
	int64_t bytes = 0;

	for (int32_t k = 0; k < s->n_blocks; k++)
		bytes += s->blocks[k].open.bytes;
	return (double)bytes < (double)s->b->ctx->memory_bytes / 16;
}

bool gpube__dfs_tree_take(struct gpube_dfs_worker *w)
{
	struct gpube_dfs_tree *s = w->s;
	struct gpube_dfs_block *k = next_block(s);

	if (!k)
		return false;
	gpube__dfs_tree_come(w, k);
	w->n_nodes = 0;
	w->shares = has_room(s);
	if (!k->opened && !k->trying && open_root(w)) {
		s->status = GPUBE_ENOMEM; /* the root is lost */
		return false;
	}
	w->at.node = gpube__frontier_take(&k->open, k->trying ? deepest_left(w) : 0);
	gpube__frontier_hold(&k->open, &w->at);
	if (k->trying)
		w->nodes = fmax(s->shortest, k->trial / s->n_at_work);
	else
		w->nodes = w->shares ? fmax(k->nodes, PART * (double)s->n_nodes) : INFINITY;
	return true;
}

/* Needs the lock. */
static void count(struct gpube_dfs_worker *w)
{
	struct gpube_dfs_block *k = w->k;

	w->s->n_nodes += w->n_nodes;
	k->n_searched += w->n_nodes;
	k->trial = is_alone(w) ? 0 : k->trial - (double)w->n_nodes;
}

int gpube__dfs_tree_run(struct gpube_dfs_worker *w)
{
	struct gpube_dfs *t = w->t;
	int status = GPUBE_OK;

	gpube__dfs_tree_enter(w);
	if (!t->conflict) /* the cutoff may be lower than before */
		status = gpube__dfs_propagate(t);
	if (!status)
		status = run_open(w);
	w->last = -1;
	pthread_mutex_lock(&w->s->lock);
	count(w);
	/* nodes may be lost, so nothing is proved: the held node counts as open for ever */
	if (status)
		gpube__frontier_give_back(&w->k->open, w->ctx, &w->at.node);
	pthread_mutex_unlock(&w->s->lock);
	if (!status)
		gpube__dfs_tree_leave(w);
	return status;
}
