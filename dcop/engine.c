/* engine.c - tasks, workers and the main loop: see engine.h. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dcop/engine.h"
#include "gpube/base/thread.h"
#include "gpube/ops/pick.h"

/* How long the main thread waits for news: with other ranks it has to look for messages. */
#define ALONE_SECONDS 0.02
#define WORLD_SECONDS 0.0002

/* Workers on a device: more streams than this only share it, and each takes memory. */
#define MOST_STREAMS 8

/* Of the device's memory, what tables that stay there may take. */
#define DEVICE_SHARE 0.95

/* ---- tasks, with the lock held -------------------------------------------------------------- */

static bool is_here(const struct dcop_engine *e, int32_t agent)
{
	return e->plan->rank[agent] == e->world->rank;
}

static void to_outbox(struct dcop_engine *e, int32_t agent, enum dcop_phase phase)
{
	e->outbox[e->n_outbox++] = (struct dcop_task){agent, phase};
	pthread_cond_signal(&e->news);
}

/* What the end of a task sets off. For a VALUE message the task names its receiver. */
static void util_done(struct dcop_engine *e, int32_t a)
{
	struct dcop_node *node = &e->nodes[a];
	int32_t parent = e->plan->tree->parent[a];

	node->clock += node->seconds_util;
	node->sent = true;
	e->n_eliminated++;
	if (parent < 0)
		dcop__add_task(e, a, DCOP_VALUE);
	else if (is_here(e, parent))
		dcop__deliver_util(e, a, node->total, node->clock + e->opts->latency);
	else
		to_outbox(e, a, DCOP_UTIL);
}

static void value_done(struct dcop_engine *e, int32_t a)
{
	struct dcop_node *node = &e->nodes[a];

	node->clock += node->seconds_value;
	for (int64_t k = e->plan->child_at[a]; k < e->plan->child_at[a + 1]; k++) {
		int32_t child = e->plan->child[k];

		if (is_here(e, child))
			dcop__deliver_value(e, child, node->clock + e->opts->latency);
		else
			to_outbox(e, child, DCOP_VALUE);
	}
	if (--e->n_left == 0)
		pthread_cond_signal(&e->news);
}

/* ---- workers ------------------------------------------------------------------------------ */

static int do_task(struct dcop_worker *w, struct dcop_task task)
{
	struct dcop_node *node = &w->engine->nodes[task.agent];

	if (task.phase == DCOP_UTIL)
		return dcop__agent_util(w, task.agent, &node->total, &node->seconds_util);
	return dcop__agent_value(w, task.agent, &node->seconds_value);
}

static void *work(void *arg)
{
	struct dcop_worker *w = arg;
	struct dcop_engine *e = w->engine;

	pthread_mutex_lock(&e->lock);
	for (;;) {
		struct dcop_task task;
		bool first;
		int status;

		while (!e->n_tasks && !e->ending)
			pthread_cond_wait(&e->task_ready, &e->lock);
		if (e->ending)
			break;
		task = e->tasks[--e->n_tasks]; /* the newest: its tables are the warmest */
		first = !e->working;
		e->working = true;
		pthread_mutex_unlock(&e->lock);
		if (first)
			dcop__test_hook(e->world);
		status = do_task(w, task);
		pthread_mutex_lock(&e->lock);
		if (status)
			dcop__engine_fail(e, status, gpube_error(w->ctx));
		else if (task.phase == DCOP_UTIL)
			util_done(e, task.agent);
		else
			value_done(e, task.agent);
	}
	pthread_mutex_unlock(&e->lock);
	return NULL;
}

static int start_workers(struct dcop_engine *e)
{
	int status = GPUBE_OK;

	for (int k = 0; k < e->n_workers && !status; k++)
		status = dcop__worker_open(&e->workers[k], e);
	for (int k = 0; k < e->n_workers && !status; k++) {
		e->workers[k].started =
			gpube__thread_start(&e->workers[k].thread, work, &e->workers[k]);
		if (!e->workers[k].started)
			status = gpube__fail(e->ctx, GPUBE_ENOMEM, "cannot start a thread");
	}
	return status;
}

static void end_workers(struct dcop_engine *e)
{
	pthread_mutex_lock(&e->lock);
	e->ending = true;
	pthread_cond_broadcast(&e->task_ready);
	pthread_mutex_unlock(&e->lock);
	for (int k = 0; k < e->n_workers; k++)
		if (e->workers[k].started)
			pthread_join(e->workers[k].thread, NULL);
}

/* ---- the main loop --------------------------------------------------------------------------- */

/* Sends what the workers have put out. */
static int empty_outbox(struct dcop_engine *e, bool *busy)
{
	int status = GPUBE_OK;

	*busy = e->n_outbox > 0;
	while (e->n_outbox && !status) {
		struct dcop_task task = e->outbox[--e->n_outbox];

		status = dcop__send_task(e, task);
	}
	return status;
}

static int main_loop(struct dcop_engine *e)
{
	bool alone = e->world->n_ranks == 1;
	int status = GPUBE_OK;

	pthread_mutex_lock(&e->lock);
	while (!e->status) {
		bool sent, moved = false, over = alone && e->n_left == 0;

		if (over)
			break;
		/* (once its results are told, a rank waits for the others) */
		if (e->n_stopped || (!e->reported && gpube__stopped(e->ctx))) {
			gpube__fail_stopped(e->ctx);
			dcop__engine_fail(e, GPUBE_ESTOP, gpube_error(e->ctx));
			break;
		}
		status = empty_outbox(e, &sent);
		if (!status && !alone) {
			pthread_mutex_unlock(&e->lock);
			status = dcop__exchange(e, &moved, &over);
			pthread_mutex_lock(&e->lock);
		}
		if (status) {
			dcop__engine_fail(e, status, gpube_error(e->ctx));
			break;
		}
		if (over)
			break;
		gpube__progress(
			e->ctx, (double)e->n_eliminated / (e->plan->agents->n + 1), "agents");
		if (!sent && !moved)
			gpube__thread_wait(
				&e->news, &e->lock, alone ? ALONE_SECONDS : WORLD_SECONDS);
	}
	status = e->status;
	pthread_mutex_unlock(&e->lock);
	return status ? gpube__fail(e->ctx, (enum gpube_status)status, "%s", e->error) : GPUBE_OK;
}

int dcop__engine_run(struct dcop_engine *e)
{
	const struct dcop_pseudotree *t = e->plan->tree;
	const bool alone = e->world->n_ranks == 1;
	int status;

	if (alone && gpube__stopped(e->ctx))
		return gpube__fail_stopped(e->ctx);
	for (int32_t i = 0; i < t->n; i++) { /* leaves of the last branch on top of the stack */
		int32_t a = t->preorder[i];

		e->nodes[a].waiting = (int32_t)(e->plan->child_at[a + 1] - e->plan->child_at[a]);
		e->n_left += is_here(e, a);
		if (is_here(e, a) && !e->nodes[a].waiting)
			e->tasks[e->n_tasks++] = (struct dcop_task){a, DCOP_UTIL};
	}
	status = start_workers(e);
	gpube__log(e->ctx, GPUBE_LOG_DETAIL, "%d agent%s at work on %d thread%s",
		e->plan->agents->n, gpube__plural(e->plan->agents->n), e->n_workers,
		gpube__plural(e->n_workers));
	if (!status)
		status = main_loop(e);
	end_workers(e);
	if (status == GPUBE_ESTOP && !alone) {
		status = dcop__exchange_stop(e);
		status = status ? status : gpube__fail_stopped(e->ctx);
	}
	return status;
}

/* ---- the engine ------------------------------------------------------------------------- */

/* Bytes of tables: what a bucket takes in and sends, its min-marginals, what agents here receive.
 */
struct table_sizes {
	double bucket, marginals, all; /* the first two: the most of one bucket */
};

static void table_bytes(const struct dcop_engine *e, struct table_sizes *s)
{
	const struct gpube_mbe *mbe = &e->plan->mbe;
	double size = (double)gpube__type_size(e->costs.type);

	*s = (struct table_sizes){0};
	for (int32_t p = 0; p < mbe->n; p++) {
		double bytes = 0, marginals = 0;

		if (e->costs.match)
			marginals = gpube__mbe_shared_cells(mbe, p) * size *
				    (mbe->first[p + 1] - mbe->first[p]);
		for (int32_t k = mbe->first[p]; k < mbe->first[p + 1]; k++) {
			bytes += (double)mbe->minis[k].cells * size;
			for (int32_t i = 0; i < mbe->minis[k].n_in; i++) {
				int32_t id = mbe->inputs[mbe->minis[k].in_at + i];

				bytes += id < 0 ? (double)mbe->minis[~id].cells * size : 0;
			}
		}
		s->bucket = fmax(s->bucket, bytes + marginals);
		s->marginals = fmax(s->marginals, marginals);
		for (int32_t k = mbe->first[p]; k < mbe->first[p + 1]; k++)
			if (is_here(e, e->plan->agent_at[p]))
				s->all += (double)mbe->minis[k].cells * size;
	}
}

/*
 * Whether every table can stay on the device until the VALUE phase: in its memory, which is then
 * reserved before any agent's clock starts. Otherwise they go through the host from agent to agent.
 */
static bool fits_device(struct dcop_engine *e, const struct table_sizes *s)
{
	const struct gpube_ops *ops = e->ops;
	double need = s->all + s->marginals;

	if (ops == gpube__ops_cpu() || e->world->n_ranks > 1 ||
		need > DEVICE_SHARE * (double)ops->memory(e->ctx))
		return false;
	e->reserve_bytes = need;
	return true;
}

static int choose_backend(struct dcop_engine *e, bool *resident)
{
	struct table_sizes sizes;
	double bytes, allowed;
	char need[GPUBE_BYTES_TEXT], have[GPUBE_BYTES_TEXT];
	int status;

	if (e->opts->most_cells > 0 && e->plan->mbe.joined_cells > e->opts->most_cells)
		return gpube__fail(e->ctx, GPUBE_ELIMIT,
			"the agents would join %.3g cells, %.3g are allowed",
			e->plan->mbe.joined_cells, e->opts->most_cells);
	table_bytes(e, &sizes);
	status = gpube__pick(
		&e->ops, e->ctx, e->opts->backend, e->plan->mbe.joined_cells, sizes.bucket);
	if (status)
		return status;
	*resident = fits_device(e, &sizes);
	if (*resident)
		return GPUBE_OK;
	bytes = fmax(sizes.bucket, sizes.all);
	allowed = (double)e->ops->memory(e->ctx);
	if (e->ops != gpube__ops_cpu() && sizes.bucket <= allowed) {
		bytes = sizes.all;
		allowed = (double)e->ctx->memory_bytes;
	}
	if (bytes > allowed)
		return gpube__fail(e->ctx, GPUBE_ELIMIT,
			"the agents' tables need %s (width %d, largest table %.3g cells), %s are "
			"allowed: take a bound z, another pseudo-tree or more memory",
			gpube__bytes_text(need, bytes), e->plan->width,
			e->plan->mbe.largest_message, gpube__bytes_text(have, allowed));
	return GPUBE_OK;
}

/*
 * Threads of this process over the agents that work at the same time: on a device that does not
 * hold all tables, no more than its memory has room for the largest bucket.
 */
static void choose_workers(struct dcop_engine *e, bool resident)
{
	struct table_sizes sizes;
	double most = MOST_STREAMS;
	int32_t n_here = 0;

	for (int32_t a = 0; a < e->plan->agents->n; a++)
		n_here += is_here(e, a);
	e->agent_threads = e->opts->agent_threads > 0 ? e->opts->agent_threads : 1;
	e->n_workers = e->ctx->n_threads / e->agent_threads;
	if (e->n_workers > n_here)
		e->n_workers = n_here;
	table_bytes(e, &sizes);
	if (!resident && sizes.bucket > 0)
		most = fmin(most, DEVICE_SHARE * (double)e->ops->memory(e->ctx) / sizes.bucket);
	if (e->ops != gpube__ops_cpu() && e->n_workers > most)
		e->n_workers = (int)most;
	if (e->n_workers < 1)
		e->n_workers = 1;
}

int dcop__engine_init(struct dcop_engine *e, const struct dcop_plan *plan,
	const struct dcop_opts *opts, struct dcop_world *world, bool *settled, int64_t *bound)
{
	struct gpube_ctx *ctx = plan->ctx;
	uint64_t n = (uint64_t)plan->agents->n;
	bool resident = false;
	int status;

	memset(e, 0, sizeof(*e));
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->task_ready, NULL);
	pthread_cond_init(&e->news, NULL);
	e->ctx = ctx;
	e->plan = plan;
	e->opts = opts;
	e->world = world;
	status = gpube__mbe_run_init(&e->costs, &plan->mbe, gpube__ops_cpu(), plan->m->top,
		!opts->no_match, true, settled, bound);
	if (status || *settled)
		return status;
	status = choose_backend(e, &resident);
	if (status)
		return status;
	choose_workers(e, resident);
	if (resident) {
		e->resident =
			gpube__alloc_zero(ctx, (uint64_t)plan->mbe.n_minis, sizeof(*e->resident));
		if (!e->resident)
			return GPUBE_ENOMEM;
	}
	e->workers = gpube__alloc_zero(ctx, (uint64_t)e->n_workers, sizeof(*e->workers));
	e->nodes = gpube__alloc_zero(ctx, n, sizeof(*e->nodes));
	e->begun = gpube__alloc_zero(ctx, (uint64_t)plan->mbe.n, sizeof(*e->begun));
	e->done = gpube__alloc_zero(ctx, (uint64_t)plan->mbe.n, sizeof(*e->done));
	e->tables = gpube__alloc_zero(ctx, (uint64_t)plan->mbe.n_minis, sizeof(*e->tables));
	e->values = gpube__alloc_zero(ctx, (uint64_t)plan->m->n_vars, sizeof(*e->values));
	e->tasks = gpube__alloc(ctx, n, sizeof(*e->tasks)); /* an agent has one at a time */
	e->outbox = gpube__alloc(ctx, 2 * n, sizeof(*e->outbox));
	return e->workers && e->nodes && e->begun && e->done && e->tables && e->values &&
			       e->tasks && e->outbox
		       ? GPUBE_OK
		       : GPUBE_ENOMEM;
}

void dcop__engine_clear(struct dcop_engine *e)
{
	struct gpube_ctx *ctx = e->ctx;

	for (int32_t k = 0; e->tables && k < e->plan->mbe.n_minis; k++)
		gpube__ops_cpu()->free(ctx, e->tables[k]);
	for (int k = 0; e->workers && k < e->n_workers; k++)
		dcop__worker_close(&e->workers[k]);
	gpube__mbe_run_clear(&e->costs);
	GPUBE_FREE_ALL(ctx, e->workers, e->nodes, e->begun, e->done, e->tables, e->resident,
		e->values, e->tasks, e->outbox);
	pthread_mutex_destroy(&e->lock);
	pthread_cond_destroy(&e->task_ready);
	pthread_cond_destroy(&e->news);
	memset(e, 0, sizeof(*e));
}
