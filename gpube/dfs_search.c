/* dfs_search.c - depth-first branch and bound on a tree's nodes as a method: see dfs.h. */
#include <math.h>
#include <string.h>

#include "gpube/bound.h"
#include "gpube/dense.h"
#include "gpube/dfs.h"

/* Sweeps at the root: at most, and a part of the time. Nodes of the first attempt; each is longer. */
enum { MOST_SWEEPS = 400, FIRST_NODES = 256 };
#define SWEEPING 0.3
#define LONGER	 1.5

struct dive {
	struct gpube_bounder *b;
	struct gpube_dfs *t;
	struct gpube_dfs_mark *marks; /* by depth: before its decision */
	int32_t *values;	       /* of the model, of the last assignment */
	int32_t *liked;		       /* by position: of the best assignment, or -1 */
	int32_t last;		       /* position of the last conflict's decision, or -1 */
	int64_t n_nodes;
	double end;
};

static bool is_over(const struct dive *d)
{
	return gpube__now() > d->end || gpube__stopped(d->b->ctx);
}

/* What holds at the root is a bound of all. */
static void raise_bound(struct dive *d)
{
	struct gpube_bounder *b = d->b;

	if (!d->t->depth && d->t->constant < d->t->limit)
		gpube__bounder_raise(b, gpube__constant_of(b->m) + d->t->constant, "search tree");
}

static void like(struct dive *d)
{
	for (int32_t p = 0; p < d->t->n; p++)
		d->liked[p] = d->b->upper == GPUBE_INF ? -1 : d->b->best[d->t->order[p]];
}

/* The position with the fewest values for its weight, or that of the last conflict; -1: all are decided. */
static int32_t choose(const struct dive *d)
{
	const struct gpube_dfs *t = d->t;
	double least = INFINITY;
	int32_t best = -1;

	if (d->last >= 0 && t->n_live[d->last] > 1)
		return d->last;
	for (int32_t p = 0; p < t->n; p++) {
		double score = (double)t->n_live[p] / (double)(1 + t->weight[p] + t->of_at[p + 1] - t->of_at[p]);

		if (t->n_live[p] > 1 && score < least) {
			least = score;
			best = p;
		}
	}
	return best;
}

/* The value that costs least; of equals the best assignment's. */
static int32_t choose_value(const struct dive *d, int32_t p)
{
	const struct gpube_dfs *t = d->t;
	int32_t best = t->live[p][0];

	for (int32_t r = 1; r < t->n_live[p]; r++) {
		int32_t a = t->live[p][r];
		int64_t less = t->cost[p][best] - t->cost[p][a];

		if (less > 0 || (less == 0 && a == d->liked[p]))
			best = a;
	}
	return best;
}

/* All are decided: the assignment is priced from the model. */
static int found(struct dive *d)
{
	struct gpube_dfs *t = d->t;
	int status;

	for (int32_t p = 0; p < t->n; p++)
		d->values[t->order[p]] = t->live[p][0];
	status = gpube__bounder_offer(d->b, d->values, "search tree");
	gpube__dfs_limit(t, d->b->limit);
	like(d);
	t->conflict = true; /* nothing else is here */
	return status;
}

/* Back to the last decision, which was wrong. */
static int take_back(struct dive *d)
{
	struct gpube_dfs *t = d->t;
	const struct gpube_dfs_mark *mark = &d->marks[--t->depth];
	int status;

	d->last = mark->var;
	gpube__dfs_undo(t, mark);
	if (t->conflict)
		return GPUBE_OK;
	status = gpube__dfs_remove(t, mark->var, mark->value);
	if (!status)
		status = gpube__dfs_propagate(t);
	raise_bound(d);
	return status;
}

static int decide(struct dive *d, int32_t p)
{
	struct gpube_dfs *t = d->t;
	struct gpube_dfs_mark *mark = &d->marks[t->depth];
	int status;

	gpube__dfs_mark(t, mark);
	mark->var = p;
	mark->value = choose_value(d, p);
	t->depth++;
	d->n_nodes++;
	status = gpube__dfs_assign(t, p, mark->value);
	return status ? status : gpube__dfs_propagate(t);
}

/* From the root until nothing is left, or 'nodes' more were seen. *done: nothing is left. */
static int attempt(struct dive *d, int64_t nodes, bool *done)
{
	struct gpube_dfs *t = d->t;
	const int64_t most = d->n_nodes + nodes;
	int status = GPUBE_OK;

	while (!status && (t->depth || !t->conflict)) {
		int32_t p = t->conflict ? -1 : choose(d);

		if (t->conflict)
			status = take_back(d);
		else if (p < 0)
			status = found(d);
		else if (d->n_nodes >= most || (d->n_nodes % 16 == 0 && is_over(d)))
			break;
		else
			status = decide(d, p);
	}
	*done = !status && t->conflict && !t->depth;
	if (t->depth) {
		t->depth = 0;
		gpube__dfs_undo(t, &d->marks[0]);
	}
	return status;
}

static int sweep(struct dive *d, double seconds)
{
	struct gpube_dfs *t = d->t;
	const double start = gpube__now();
	int status = GPUBE_OK;

	for (int k = 0; k < MOST_SWEEPS && !status && !t->conflict; k++) {
		int64_t before = t->constant;

		status = gpube__dfs_sweep(t, k % 2);
		raise_bound(d);
		if (gpube__now() - start > seconds || gpube__stopped(d->b->ctx) ||
			(k > 8 && t->constant - before < (t->limit - t->constant) / 10000))
			break;
	}
	return status;
}

static int search(struct dive *d, double seconds, bool *done)
{
	double nodes = FIRST_NODES;
	int status = sweep(d, SWEEPING * seconds);

	for (int32_t p = 0; p < d->t->n; p++) /* what the sweeps have left, all once */
		gpube__dfs_touch(d->t, p);
	if (!status)
		status = gpube__dfs_propagate(d->t);
	*done = !status && d->t->conflict;
	for (; !status && !*done && !is_over(d); nodes *= LONGER)
		status = attempt(d, (int64_t)nodes, done);
	return status;
}

/*
 * Costs wander towards the variables that elimination has last: the other way round pedigree38 took
 * more than four times as many nodes, or_chain_161 as well.
 */
static int make(struct dive *d)
{
	struct gpube_bounder *b = d->b;
	int32_t n = b->m->n_vars, *order = gpube__alloc(b->ctx, (uint64_t)n, sizeof(*order));
	int status = GPUBE_ENOMEM;

	for (int32_t p = 0; order && p < n; p++)
		order[p] = b->order[n - 1 - p];
	if (order)
		status = gpube__dfs_new(&d->t, b->m, order, b->limit);
	gpube__free(b->ctx, order);
	if (status || !d->t)
		return status;
	d->marks = gpube__alloc(b->ctx, (uint64_t)n + 1, sizeof(*d->marks));
	d->values = gpube__alloc(b->ctx, (uint64_t)n, sizeof(*d->values));
	d->liked = gpube__alloc(b->ctx, (uint64_t)n, sizeof(*d->liked));
	return d->marks && d->values && d->liked ? GPUBE_OK : GPUBE_ENOMEM;
}

int gpube__bound_dfs(struct gpube_bounder *b, double seconds)
{
	const double start = gpube__now();
	struct dive d = {.b = b, .last = -1, .end = start + seconds};
	bool done = false;
	int status = make(&d);

	if (!status && !d.t)
		gpube__log(b->ctx, b->opts->method == GPUBE_BOUND_TREE ? GPUBE_LOG_NOTE : GPUBE_LOG_DETAIL,
			"search tree: none, functions or costs are too large for it");
	if (!status && d.t) {
		like(&d);
		status = search(&d, seconds, &done);
		gpube__log(b->ctx, GPUBE_LOG_DETAIL, "search tree: %lld nodes in %.3f s%s",
			(long long)d.n_nodes, gpube__now() - start, done ? ", all of it" : "");
	}
	if (!status && done)
		gpube__bounder_raise(b, b->limit, "search tree");
	gpube__free(b->ctx, d.marks);
	gpube__free(b->ctx, d.values);
	gpube__free(b->ctx, d.liked);
	gpube__dfs_free(d.t);
	return status;
}
