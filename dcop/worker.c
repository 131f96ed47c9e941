/* worker.c - an agent's own work, in the context of the thread that does it. */
#define _POSIX_C_SOURCE 200809L

#include <assert.h>
#include <string.h>
#include <time.h>

#include "dcop/engine.h"
#include "gpube/options/options.h"

#define ROUNDING (64 << 20) /* bytes for what tables are rounded up by */

/*
 * An agent's clock: the thread's processor time where it has one core to itself,
 * so that other work on the machine does not count; otherwise real time.
 */
static double clock_of(const struct dcop_worker *w)
{
	struct timespec t;

	if (w->ops != gpube__ops_cpu() || w->engine->agent_threads > 1 ||
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t))
		return gpube__now();
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t table_bytes(const struct dcop_worker *w, int32_t mini)
{
	return (uint64_t)w->mbe.minis[mini].cells * gpube__type_size(w->util.type);
}

/* ---- UTIL --------------------------------------------------------------------------- */

/* Where the backend keeps agents' tables: as its messages, or NULL: they go through the host. */
static void **place_of(const struct dcop_worker *w)
{
	assert(w->engine->tables);
	return w->ops == gpube__ops_cpu() ? w->engine->tables : w->engine->resident;
}

/* The received tables of a bucket, where the backend can read them. */
static int take_in(struct dcop_worker *w, int32_t position)
{
	void **place = place_of(w);

	for (int32_t k = w->mbe.first[position]; k < w->mbe.first[position + 1]; k++) {
		const struct gpube_mini *mini = &w->mbe.minis[k];

		for (int32_t i = 0; i < mini->n_in; i++) {
			int32_t from = ~w->mbe.inputs[mini->in_at + i];
			int status;

			if (from < 0)
				continue;
			if (place) {
				w->util.messages[from] = place[from];
				continue;
			}
			w->util.messages[from] = w->ops->alloc(w->ctx, table_bytes(w, from));
			if (!w->util.messages[from])
				return GPUBE_ENOMEM;
			status = w->ops->upload(w->ctx, w->util.messages[from],
				w->engine->tables[from], table_bytes(w, from));
			if (status)
				return status;
		}
	}
	return GPUBE_OK;
}

/* Tables that stay are the engine's: the run shall not free them. */
static void give_back(struct dcop_worker *w, int32_t position)
{
	for (int32_t k = w->mbe.first[position]; k < w->mbe.first[position + 1]; k++)
		for (int32_t i = 0; i < w->mbe.minis[k].n_in; i++) {
			int32_t from = ~w->mbe.inputs[w->mbe.minis[k].in_at + i];

			if (from >= 0)
				w->util.messages[from] = NULL;
		}
}

static int show_table(struct dcop_worker *w, int32_t mini, const void *made)
{
	struct dcop_engine *e = w->engine;
	void *copy = NULL;
	int status = GPUBE_OK;

	if (!e->opts->on_table)
		return GPUBE_OK;
	if (!e->tables[mini]) {
		copy = gpube__alloc(w->ctx, table_bytes(w, mini), 1);
		status = copy ? w->ops->download(w->ctx, copy, made, table_bytes(w, mini))
			      : GPUBE_ENOMEM;
	}
	pthread_mutex_lock(&e->lock);
	if (!status)
		e->opts->on_table(
			e->opts->on_table_arg, &w->util, mini, copy ? copy : e->tables[mini]);
	pthread_mutex_unlock(&e->lock);
	gpube__free(w->ctx, copy);
	return status;
}

/* What the bucket sends, to where its taker looks for it; scalars are done with. */
static int bring_home(struct dcop_worker *w, int32_t position)
{
	void **place = place_of(w), **tables = w->engine->tables;
	int status = GPUBE_OK;

	for (int32_t k = w->mbe.first[position]; k < w->mbe.first[position + 1] && !status; k++) {
		void *made = w->util.messages[k];
		bool sent = w->mbe.minis[k].consumer >= 0;

		w->util.messages[k] = NULL;
		if (sent && place) {
			place[k] = made;
		} else if (sent) {
			tables[k] = gpube__ops_cpu()->alloc(w->ctx, table_bytes(w, k));
			status = tables[k] ? w->ops->download(
						     w->ctx, tables[k], made, table_bytes(w, k))
					   : GPUBE_ENOMEM;
		}
		if (sent && !status)
			status = show_table(w, k, made);
		if (!sent || !place)
			w->ops->free(w->ctx, made);
	}
	return status;
}

/*
 * Tables that stay on the device may still be in the making: whoever reads them on another
 * stream, and the clock, wait until they are there.
 */
static int wait_for_tables(struct dcop_worker *w)
{
	return w->engine->resident && w->ops->settle ? w->ops->settle(w->ctx, NULL) : GPUBE_OK;
}

int dcop__agent_util(struct dcop_worker *w, int32_t agent, int64_t *total, double *seconds)
{
	const struct dcop_plan *p = w->engine->plan;
	double start = clock_of(w);
	int status = GPUBE_OK;

	for (int32_t q = p->first[agent]; q < p->first[agent] + p->n_own[agent] && !status; q++) {
		int64_t sum = *total;

		if (gpube__stopped(w->ctx))
			return gpube__fail_stopped(w->ctx);
		w->engine->begun[q] = true;
		status = take_in(w, q);
		if (!status)
			status = gpube__mbe_eliminate(&w->util, q);
		if (place_of(w))
			give_back(w, q);
		if (!status)
			status = gpube__mbe_add_scalars(&w->util, q, &sum);
		if (!status)
			status = bring_home(w, q);
		if (!status) { /* both at once, for a stop */
			*total = sum;
			w->engine->done[q] = true;
		}
	}
	if (!status)
		status = wait_for_tables(w);
	*seconds = clock_of(w) - start;
	return status;
}

/* ---- VALUE ---------------------------------------------------------------------------- */

int dcop__agent_value(struct dcop_worker *w, int32_t agent, double *seconds)
{
	const struct dcop_plan *p = w->engine->plan;
	void **tables = w->engine->tables, **resident = w->engine->resident;
	double start = clock_of(w);
	int status = GPUBE_OK;

	for (int32_t q = p->first[agent] + p->n_own[agent] - 1; q >= p->first[agent] && !status;
		q--) {
		const struct gpube_mini *last = &p->mbe.minis[p->mbe.first[q + 1] - 1];
		int64_t from = p->mbe.minis[p->mbe.first[q]].in_at, to = last->in_at + last->n_in;

		for (int64_t i = from; i < to; i++) {
			int32_t k = ~p->mbe.inputs[i];

			if (k >= 0)
				w->value.messages[k] = resident ? resident[k] : tables[k];
		}
		status = gpube__mbe_choose(&w->value, q, w->engine->values);
		for (int64_t i = from; i < to; i++) {
			int32_t k = ~p->mbe.inputs[i];

			if (k < 0)
				continue;
			w->value.messages[k] = NULL;
			gpube__ops_cpu()->free(w->ctx, tables[k]);
			tables[k] = NULL;
		}
	}
	*seconds = clock_of(w) - start;
	return status;
}

/* ---- the worker's context ---------------------------------------------------------------- */

/* One small call of each operator, so that no agent's clock counts the loading of kernels. */
static int warm_up(struct dcop_worker *w)
{
	const int64_t sizes[] = {2, 2};
	const int32_t dims[] = {0, 1};
	int64_t zeros[4] = {0};
	struct gpube_operand in = {.n_dims = 2, .dims = dims};
	struct gpube_contraction c = {.semiring = GPUBE_MIN_PLUS,
		.type = w->util.type,
		.n_out = 1,
		.n_dims = 2,
		.sizes = sizes,
		.n_in = 1,
		.in = &in,
		.top = w->util.top,
		.threshold = w->util.cutoff};
	void *a = w->ops->alloc(w->ctx, sizeof(zeros)), *out = w->ops->alloc(w->ctx, sizeof(zeros));
	const struct gpube_match match = {.type = c.type,
		.n = 1,
		.tables = &out,
		.cells = 2,
		.limit = c.threshold,
		.top = c.top};
	const struct gpube_cells piece = {.values = out, .stride = 1, .n = 2};
	int status = a && out ? w->ops->upload(w->ctx, a, zeros, sizeof(zeros)) : GPUBE_ENOMEM;

	in.values = a;
	c.out = out;
	if (!status)
		status = w->ops->contract_batch(w->ctx, 1, &c);
	if (!status)
		status = w->ops->match(w->ctx, &match);
	if (!status)
		status = w->ops->gather(w->ctx, zeros, 1, &piece, gpube__type_size(c.type));
	w->ops->free(w->ctx, a);
	w->ops->free(w->ctx, out);
	return status;
}

static int run_init(struct dcop_worker *w, struct gpube_mbe_run *r, const struct gpube_ops *ops)
{
	int64_t bound;
	bool settled;

	return gpube__mbe_run_init(r, &w->mbe, ops, w->m.top, !w->engine->opts->no_match,
		place_of(w) != NULL, &settled, &bound);
}

/*
 * The device's memory is asked for here, where no clock counts it: afterwards tables are cut
 * from it. A device that others have filled meanwhile gives it bit by bit.
 */
static void reserve(struct dcop_worker *w)
{
	double bytes = w->engine->reserve_bytes / w->engine->n_workers + ROUNDING;

	GPUBE_KNOWN(w->ops);
	if (w->engine->resident && w->engine->reserve_bytes > 0 &&
		bytes <= (double)w->ops->memory(w->ctx))
		w->ops->free(w->ctx, w->ops->alloc(w->ctx, (uint64_t)bytes));
}

int dcop__worker_open(struct dcop_worker *w, struct dcop_engine *e)
{
	struct gpube_ctx *ctx = e->ctx;
	struct gpube_opts opts = {.n_threads = e->agent_threads,
		.memory_bytes = ctx->memory_bytes,
		.realloc = ctx->realloc_fn,
		.realloc_arg = ctx->realloc_arg};
	int status;

	memset(w, 0, sizeof(*w));
	w->engine = e;
	status = gpube_ctx_new(&w->ctx, &opts);
	if (status)
		return gpube__fail(ctx, GPUBE_ENOMEM, "out of memory");
	w->ctx->deadline = ctx->deadline;
	w->m = *e->plan->m;
	w->m.ctx = w->ctx;
	w->mbe = e->plan->mbe;
	w->mbe.ctx = w->ctx;
	w->mbe.m = &w->m;
	w->ops = e->ops == gpube__ops_cpu() ? e->ops : gpube__ops_cuda(w->ctx, &status);
	if (w->ops)
		status = run_init(w, &w->util, w->ops);
	if (!status)
		status = run_init(w, &w->value, e->resident ? w->ops : gpube__ops_cpu());
	if (!status && w->ops && w->ops != gpube__ops_cpu())
		status = warm_up(w);
	if (!status)
		reserve(w);
	return status ? gpube__fail(ctx, (enum gpube_status)status, "%s", gpube_error(w->ctx))
		      : GPUBE_OK;
}

void dcop__worker_close(struct dcop_worker *w)
{
	if (!w->ctx)
		return;
	gpube__mbe_run_clear(&w->util);
	gpube__mbe_run_clear(&w->value);
	gpube_ctx_free(w->ctx);
	memset(w, 0, sizeof(*w));
}
