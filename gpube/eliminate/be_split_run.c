/* be_split_run.c - boxes bounded, eliminated and counted: see be_split.h. */
#include "gpube/eliminate/be_split_parts.h"
#include "gpube/base/thread.h"
#include "gpube/eliminate/be.h"
#include "gpube/eliminate/count.h"
#include "gpube/ir/dense.h"
#include "gpube/relax/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The part of their predicted time in which slices are bounded, and the part that this may take if
 * it turns out slower: on wide networks it spares most of them. Steps of the local search before.
 */
#define BOUND_SHARE  0.05
#define BOUND_MOST   0.2
#define SEARCH_STEPS 2000

/*
 * With so many slices arg-mins are made only for a slice that is better than all before, by doing
 * it again: few are, since the least bounds come first.
 */
#define MANY_SLICES 16

/* The part of the time of contractions that simplifying slices may take if it spares nothing. */
#define REDUCE_SHARE 0.1

/* ---- what is known ------------------------------------------------------------------------ */

/*
 * Needs the lock, or a single thread. Of equal assignments the one of the earlier box counts, so
 * that the result is always the same.
 */
static bool is_better(const struct gpube_be_split *s, int64_t cost, int64_t box)
{
	return cost < s->best || (cost == s->best && box < s->best_box);
}

static void split_incumbent(struct gpube_be_split *s, int64_t cost, int64_t box,
	const int32_t *values, const int32_t *first)
{
	s->best = cost;
	s->best_box = box;
	for (int32_t v = 0; v < s->m->n_vars; v++)
		s->values[v] = (first ? first[v] : 0) + values[v];
}

/* Whether the box is pruned. */
static bool is_out(const struct gpube_be_split *s, int64_t k)
{
	return s->bounds[k] == GPUBE_INF || s->bounds[k] > s->best ||
	       (!s->counting && s->best <= s->patience.lower) ||
	       (!s->counting && s->best != GPUBE_INF && s->bounds[k] == s->best && k > s->best_box);
}

int64_t gpube__split_bound(const struct gpube_be_split *s)
{
	int64_t bound = s->best;

	for (int64_t k = 0; k < s->boxes.n; k++)
		if (!s->ended[k] && s->bounds[k] < bound)
			bound = s->bounds[k];
	return bound;
}

/* A first assignment by local search: boxes whose bounds reach it are pruned. */
static int split_search(struct gpube_be_split *s)
{
	struct gpube_search *search;
	int64_t cost;
	int status = gpube__search_new(&search, s->m->ctx, s->m, s->seed);

	if (status)
		return status;
	if (gpube__search_run(search, NULL, SEARCH_STEPS)) {
		status = gpube_model_cost(&cost, s->m, search->best);
		if (!status && cost < s->best)
			split_incumbent(s, cost, GPUBE__NO_BOX, search->best, NULL);
	}
	gpube__search_free(search);
	return status;
}

struct ranked {
	int64_t bound, box;
};

static int by_bound(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->bound != y->bound)
		return x->bound < y->bound ? -1 : 1;
	return x->box < y->box ? -1 : 1;
}

/* Sorts the boxes, the least bounds first. */
static int split_rank(struct gpube_be_split *s)
{
	const double rate = gpube__ops_cpu()->cells_per_second * s->ctx->n_threads;
	const double start = gpube__now(), n = (double)s->boxes.n,
		     seconds = fmin(n * s->seconds, gpube__seconds_left(s->ctx));
	struct ranked *r;
	int64_t n_out = 0;
	int status = gpube__boxes_bound(s->bounds, &s->boxes,
		s->best == GPUBE_INF ? s->m->top : s->best + 1, BOUND_SHARE * seconds / n * rate,
		BOUND_MOST * seconds);

	if (status)
		return status;
	r = gpube__alloc(s->ctx, (uint64_t)s->boxes.n, sizeof(*r));
	if (!r)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < s->boxes.n; k++) {
		if (s->m->top != GPUBE_INF && s->bounds[k] >= s->m->top)
			s->bounds[k] = GPUBE_INF;
		r[k] = (struct ranked){s->bounds[k], k};
		n_out += is_out(s, k);
	}
	qsort(r, (size_t)s->boxes.n, sizeof(*r), by_bound);
	for (int64_t k = 0; k < s->boxes.n; k++)
		s->queue[k] = r[k].box;
	gpube__free(s->ctx, r);
	gpube__log(s->ctx, GPUBE_LOG_DETAIL,
		"slices bounded in %.4f s: %lld of %lld are pruned by a first assignment",
		gpube__now() - start, (long long)n_out, (long long)s->boxes.n);
	return GPUBE_OK;
}

/* ---- the run ------------------------------------------------------------------------------ */

/* The next box, and the incumbent as its top; -1: all have begun. */
static int64_t next_box(struct gpube_be_split *s, int64_t *top)
{
	int64_t k = -1;

	pthread_mutex_lock(&s->lock);
	while (k < 0 && s->next < s->boxes.n) {
		k = s->queue[s->next++];
		if (is_out(s, k)) {
			s->ended[k] = 1;
			s->n_left_out++;
			k = -1;
		}
	}
	if (k >= 0) {
		*top = s->m->top;
		if (s->best < *top)
			*top = s->best + (s->counting || k < s->best_box);
	}
	pthread_mutex_unlock(&s->lock);
	return k;
}

static void box_ended(struct gpube__worker *w, int64_t k, int64_t cost)
{
	struct gpube_be_split *s = w->split;

	pthread_mutex_lock(&s->lock);
	s->ended[k] = 1;
	s->costs[k] = cost;
	if (cost != GPUBE_INF && is_better(s, cost, k))
		split_incumbent(s, cost, k, w->values, w->box.first);
	pthread_mutex_unlock(&s->lock);
	w->n_done++;
}

/* For another worker: its own has failed. */
static void give_back(struct gpube_be_split *s, int64_t k)
{
	pthread_mutex_lock(&s->lock);
	s->queue[--s->next] = k;
	pthread_mutex_unlock(&s->lock);
}

/* The task of a worker: a box, or the simplified box. */
struct task {
	const struct gpube_be *be;
	struct gpube__reduced reduced; /* or zeros */
	bool empty;                    /* the box has nothing below its top */
	enum gpube_type type;          /* wide enough */
};

static void task_clear(struct task *t, struct gpube_ctx *ctx)
{
	gpube__reduced_clear(&t->reduced, ctx);
}

/* Whether simplifying has so far spared more than it took, or takes little. */
static bool reducing_pays(const struct gpube__worker *w)
{
	const double spared = w->spared_cells * w->times.contracting / fmax(w->joined, 1);

	return w->reducing <= spared + REDUCE_SHARE * w->times.contracting;
}

/* Simplifies the box that is set, if that spares more than it takes. */
static int make_task(struct task *t, struct gpube__worker *w)
{
	const double joined = gpube__be_joined(&w->box.be), start = gpube__now();
	struct gpube_working working;
	double left = 0;
	int status;

	*t = (struct task){.be = &w->box.be, .type = w->split->type};
	if (!reducing_pays(w))
		return GPUBE_OK;
	status = gpube__box_reduce(&t->reduced, &w->box);
	w->reducing += gpube__now() - start;
	t->empty = !status && t->reduced.s.infeasible;
	if (!status && !t->empty) {
		left = gpube__be_joined(&t->reduced.be);
		status = gpube__be_working(&working, &t->reduced.be);
	}
	if (status == GPUBE_ERANGE || (!status && left > joined)) {
		gpube__reduced_clear(&t->reduced, w->ctx);
		return GPUBE_OK;
	}
	if (status || t->empty)
		return status;
	w->spared_cells += joined - left;
	t->be = &t->reduced.be;
	t->type = working.type;
	return GPUBE_OK;
}

static void set_top(struct task *t, struct gpube__worker *w, int64_t top)
{
	w->box.m.top = top;
	if (t->reduced.s.model)
		t->reduced.s.model->top = top;
}

/* Chooses whether messages are kept; the bytes of all tables. */
static int plan_task(const struct task *t, const struct gpube__worker *w,
	const struct gpube_ops *ops, bool *keep, double *bytes)
{
	struct gpube_be_memory memory;

	gpube__be_memory(&memory, t->be, t->type);
	*keep = gpube__be_keeps(&memory, w->ctx, ops);
	*bytes = *keep ? memory.keep : memory.args;
	return *bytes <= (double)ops->memory(w->ctx)
		       ? GPUBE_OK
		       : gpube__fail(w->ctx, GPUBE_ELIMIT,
				 "the tables of a subproblem need %.3g bytes, %.3g are allowed",
				 *bytes, (double)ops->memory(w->ctx));
}

/* The cost and, unless it is not 'assigning', the assignment in w->values. */
static int run_once(struct task *t, struct gpube__worker *w, const struct gpube_ops *ops, bool keep,
	int64_t *cost, bool assigning)
{
	const struct gpube_be_sides sides = {{ops, NULL}, NULL, &w->blocks};
	struct gpube_be_times times = {.buckets = w->seconds};
	int32_t *values = t->reduced.s.model ? w->reduced_values : w->values;
	struct gpube_working working;
	int status = gpube__be_working(&working, t->be);

	if (status)
		return status;
	memset(w->seconds, 0, (size_t)t->be->n * sizeof(*w->seconds));
	status = gpube__be_run(
		cost, assigning ? values : NULL, NULL, t->be, &sides, &working, 0, keep, &times);
	if (status)
		return status;
	if (assigning && *cost != GPUBE_INF && t->reduced.s.model)
		gpube__simplified_extend(&t->reduced.s, w->values, values);
	for (int32_t p = 0; p < t->be->n; p++)
		w->times.contracting += w->seconds[p];
	w->times.copying += times.copying;
	w->times.assigning += times.assigning;
	w->joined += gpube__be_joined(t->be);
	return GPUBE_OK;
}

static int run_task(struct task *t, struct gpube__worker *w, const struct gpube_ops *ops, int64_t k)
{
	struct gpube_be_split *s = w->split;
	int64_t cost = GPUBE_INF;
	double bytes;
	bool keep, twice, better;
	int status;

	if (t->empty) {
		box_ended(w, k, GPUBE_INF);
		return GPUBE_OK;
	}
	status = plan_task(t, w, ops, &keep, &bytes);
	if (status)
		return status;
	w->bytes = fmax(w->bytes, bytes);
	twice = !keep && s->boxes.n >= MANY_SLICES;
	status = run_once(t, w, ops, keep, &cost, !twice);
	if (!status && twice && cost != GPUBE_INF) {
		pthread_mutex_lock(&s->lock);
		better = is_better(s, cost, k);
		pthread_mutex_unlock(&s->lock);
		if (better) {
			set_top(t, w, cost + 1);
			status = run_once(t, w, ops, keep, &cost, true);
		}
	}
	if (!status)
		box_ended(w, k, cost);
	return status;
}

static int run_box(struct gpube__worker *w, const struct gpube_ops *ops, int64_t k, int64_t top)
{
	struct task t;
	int status = gpube__box_set(&w->box, k);

	if (status)
		return status;
	w->box.m.top = top;
	if (gpube__constant_of(&w->box.m) >= top) {
		box_ended(w, k, GPUBE_INF);
		return GPUBE_OK;
	}
	status = make_task(&t, w);
	if (!status)
		status = run_task(&t, w, ops, k);
	task_clear(&t, w->ctx);
	return status;
}

/* Reports a box's progress as that of all, from the caller's context alone. */
static void log_of_all(void *arg, const struct gpube_log *said)
{
	const struct gpube__worker *w = arg;
	const struct gpube_be_split *s = w->split;
	struct gpube_log of_all = *said;

	if (said->level == GPUBE_LOG_PROGRESS && said->progress >= 0 && s->next)
		of_all.progress = ((double)(s->next - 1) + said->progress) / (double)s->boxes.n;
	w->log(w->log_arg, &of_all);
}

/* Whether all slices would take longer than the caller waits, judging by those that are done. */
static bool is_too_slow(struct gpube_be_split *s)
{
	const double taken = gpube__now() - s->start;
	int64_t n_done, n_left = 0;

	if (!(s->patience.seconds > 0))
		return false;
	pthread_mutex_lock(&s->lock);
	n_done = -s->n_left_out;
	for (int64_t k = 0; k < s->boxes.n; k++) {
		n_done += s->ended[k];
		n_left += !s->ended[k] && !is_out(s, k);
	}
	pthread_mutex_unlock(&s->lock);
	if (n_done <= 0 ||
		taken / (double)n_done * (double)(n_done + n_left) <= s->patience.seconds)
		return false;
	gpube__log(s->ctx, GPUBE_LOG_DETAIL, "slices abandoned: %lld took %.2f s, %lld are left",
		(long long)n_done, taken, (long long)n_left);
	return true;
}

static int run_worker(struct gpube__worker *w)
{
	struct gpube_be_split *s = w->split;
	const double start = gpube__now();
	int status = GPUBE_OK;
	const struct gpube_ops *ops = s->open(w->ctx, &status);
	int64_t top, k = -1;

	w->opening = gpube__now() - start;
	while (!status && (k = next_box(s, &top)) >= 0) {
		if (gpube__stopped(w->ctx) || is_too_slow(s))
			status = gpube__fail_stopped(w->ctx);
		else
			status = run_box(w, ops, k, top);
	}
	if (status && k >= 0)
		give_back(s, k);
	return status;
}

/* In the caller's thread. */
static int run_alone(struct gpube__worker *w)
{
	struct gpube_ctx *ctx = w->ctx;
	int status;

	w->log = ctx->log;
	w->log_arg = ctx->log_arg;
	if (w->log) {
		ctx->log = log_of_all;
		ctx->log_arg = w;
	}
	status = run_worker(w);
	ctx->log = w->log;
	ctx->log_arg = w->log_arg;
	return status;
}

static void *split_work(void *arg)
{
	struct gpube__worker *w = arg;
	int status = run_worker(w);
	double start = gpube__now();

	/* a device is current to a thread: closed where it was opened */
	if (w->ctx->device_free)
		w->ctx->device_free(w->ctx);
	w->closing = gpube__now() - start;
	pthread_mutex_lock(&w->split->lock);
	w->status = status;
	w->split->n_running--;
	pthread_cond_signal(&w->split->finished);
	pthread_mutex_unlock(&w->split->lock);
	return NULL;
}

/*
 * Waits for all workers; a stop of the whole, or of one, stops the others. Who fails otherwise,
 * such as a device, leaves its boxes to the others.
 */
static void wait_for_all(struct gpube_be_split *s)
{
	pthread_mutex_lock(&s->lock);
	while (s->n_running > 0) {
		bool stop = gpube__stopped(s->ctx);

		for (int i = 0; i < s->n_begun; i++)
			stop |= s->workers[i].status == GPUBE_ESTOP;
		for (int i = 0; i < s->n_begun && stop; i++)
			gpube_ctx_stop(s->workers[i].ctx);
		gpube__thread_wait(&s->finished, &s->lock, 0.02);
	}
	pthread_mutex_unlock(&s->lock);
	for (int i = 0; i < s->n_begun; i++)
		pthread_join(s->workers[i].thread, NULL);
}

/*
 * Reports the first failure, not the stops that followed; a note of it, where others have done what
 * it left.
 */
static int split_failure(struct gpube_be_split *s)
{
	const struct gpube__worker *bad = NULL;
	int64_t n_ended = 0;

	if (gpube__stopped(s->ctx))
		return gpube__fail_stopped(s->ctx);
	for (int i = 0; i < s->n_workers; i++)
		if (s->workers[i].status && (!bad || bad->status == GPUBE_ESTOP))
			bad = &s->workers[i];
	for (int64_t k = 0; k < s->boxes.n; k++)
		n_ended += s->ended[k];
	if (!bad)
		return GPUBE_OK;
	if (n_ended < s->boxes.n)
		return gpube__fail(s->ctx, bad->status, "device %d: %s", bad->ctx->devices[0],
			gpube_error(bad->ctx));
	gpube__log(s->ctx, GPUBE_LOG_NOTE, "device %d: %s; the others have done its part",
		bad->ctx->devices[0], gpube_error(bad->ctx));
	return GPUBE_OK;
}

/* Runs all workers at the same time, each on a thread of its own. */
static int run_beside_each_other(struct gpube_be_split *s)
{
	int status = GPUBE_OK;

	for (s->n_begun = 0; s->n_begun < s->n_workers; s->n_begun++)
		if (!gpube__thread_start(
			    &s->workers[s->n_begun].thread, split_work, &s->workers[s->n_begun])) {
			status = gpube__fail(s->ctx, GPUBE_ENOMEM, "no thread for a device");
			break;
		}
	pthread_mutex_lock(&s->lock);
	s->n_running -= s->n_workers - s->n_begun;
	pthread_mutex_unlock(&s->lock);
	wait_for_all(s);
	return status ? status : split_failure(s);
}

static void split_tell(const struct gpube_be_split *s, const struct gpube__worker *w)
{
	gpube__log(s->ctx, GPUBE_LOG_DETAIL,
		"%lld slice%s done, %.3g bytes of tables each, %.3g joined cell%s in all: "
		"simplified in %.4f s, contractions %.4f s, copies %.4f s, reading off "
		"%.4f s",
		(long long)w->n_done, gpube__plural(w->n_done), w->bytes, w->joined,
		gpube__plural(w->joined), w->reducing, w->times.contracting, w->times.copying,
		w->times.assigning);
	if (w->own)
		gpube__log(s->ctx, GPUBE_LOG_DETAIL,
			"subproblem %d of %d on device %d: %.3g bytes of tables, opened in %.3f s, "
			"kernels %.4f s, copies %.4f s, closed in %.3f s",
			(int)(w - s->workers) + 1, s->n_workers, w->ctx->devices[0], w->bytes,
			w->opening, w->times.contracting, w->times.copying, w->closing);
}

int gpube__split_run(int64_t *optimum, int32_t *values, struct gpube_be_split *s,
	gpube_open_fn *open, struct gpube_split_times *seconds)
{
	int status = GPUBE_OK;

	s->open = open;
	s->n_running = s->n_workers;
	memset(seconds, 0, sizeof(*seconds));
	status = split_search(s);
	if (!status)
		status = split_rank(s);
	s->start = gpube__now();
	if (!status)
		status = s->workers[0].own ? run_beside_each_other(s) : run_alone(s->workers);
	for (int i = 0; i < s->n_workers; i++) {
		const struct gpube__worker *w = &s->workers[i];

		seconds->contracting = fmax(seconds->contracting, w->times.contracting);
		seconds->copying = fmax(seconds->copying, w->times.copying);
		seconds->assigning = fmax(seconds->assigning, w->times.assigning);
		if (!status || status == GPUBE_ESTOP)
			split_tell(s, w);
	}
	if (s->n_left_out)
		gpube__log(s->ctx, GPUBE_LOG_DETAIL, "%lld slice%s pruned by their bounds",
			(long long)s->n_left_out, gpube__plural(s->n_left_out));
	*optimum = s->best;
	if (s->best != GPUBE_INF)
		memcpy(values, s->values, (size_t)s->m->n_vars * sizeof(*values));
	return status;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Counts the assignments of box k that cost the optimum. */
static int count_box(struct gpube__natural *count, struct gpube__worker *w,
	const struct gpube_ops *ops, int64_t k)
{
	const struct gpube_be_sides sides = {{ops, NULL}, NULL, NULL};
	struct gpube_working working;
	struct task t = {0};
	int status = gpube__box_set(&w->box, k);

	if (!status) {
		w->box.m.top = w->split->best + 1;
		status = make_task(&t, w);
	}
	if (!status)
		status = gpube__be_working(&working, t.be);
	if (!status)
		status = gpube__be_count(count, t.be, &sides, &working);
	task_clear(&t, w->ctx);
	return status;
}

int gpube__split_count(struct gpube__natural *count, struct gpube_be_split *s)
{
	struct gpube__worker *w = &s->workers[0];
	int status;
	const struct gpube_ops *ops = s->open(w->ctx, &status);

	*count = (struct gpube__natural){.ctx = s->ctx};
	status = ops ? GPUBE_OK : status;
	for (int64_t k = 0; k < s->boxes.n && !status; k++) {
		struct gpube__natural part = {.ctx = w->ctx};

		if (s->costs[k] != s->best)
			continue;
		status = count_box(&part, w, ops, k);
		if (!status)
			status = gpube__natural_add(count, &part);
		gpube__natural_clear(&part);
	}
	return status;
}
