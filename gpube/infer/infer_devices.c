/*
 * infer_devices.c - a sum in slices, each by one of several devices: see infer.h.
 *
 * A device has a thread and a context, and takes the next slice when it is free; what it sums is
 * added up in the slices' order, so that the digits do not depend on who was faster. One that fails
 * leaves its slice to the others.
 */
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <time.h>

#include "gpube/base/thread.h"
#include "gpube/options/options.h"
#include "gpube/infer/infer.h"
#include "gpube/ops/pick.h"
#include "gpube/ops/scratch.h"

/* Slices of each device, so that all end at about the same time. */
#define SLICES_A_DEVICE 4

struct devices;

struct worker {
	struct devices *of;
	struct gpube_ctx ctx;
	pthread_t thread;
	int status;
};

enum { WAITING, TAKEN, DONE };

struct devices {
	struct gpube_ctx *ctx;
	const struct gpube_opts *opts;
	const struct gpube_model *m;
	struct gpube_slice_job job;
	struct worker *workers;
	int n_workers, n_begun;

	/* guarded by the lock */
	struct gpube_slice_sum *sums;
	uint8_t *state;
	int64_t next; /* none before it is waiting */
	int n_running;
	bool over; /* no more is asked for */
	pthread_mutex_t lock;
	pthread_cond_t done;
};

/* The next slice, or -1. */
static int64_t take(struct devices *d)
{
	int64_t k = -1;

	pthread_mutex_lock(&d->lock);
	while (d->next < d->job.n && d->state[d->next] != WAITING)
		d->next++;
	if (!d->over && d->next < d->job.n) {
		k = d->next++;
		d->state[k] = TAKEN;
	}
	pthread_mutex_unlock(&d->lock);
	return k;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct devices *d = w->of;
	int64_t k;
	int status = gpube__scratch_open(&w->ctx);

	gpube__scratch_keep(&w->ctx, w->ctx.memory_bytes / GPUBE_INFER_KEPT);
	while (!status && (k = take(d)) >= 0) {
		struct gpube_slice_sum sum;

		status = gpube__infer_slice(&sum, &w->ctx, d->m, d->opts, &d->job, k);
		pthread_mutex_lock(&d->lock);
		d->state[k] = status ? WAITING : DONE;
		if (!status)
			d->sums[k] = sum;
		else if (k < d->next)
			d->next = k;
		pthread_cond_broadcast(&d->done);
		pthread_mutex_unlock(&d->lock);
	}
	gpube__scratch_keep(&w->ctx, 0);
	/* a device is current to a thread: closed where it was opened */
	if (w->ctx.device_free)
		w->ctx.device_free(&w->ctx);
	pthread_mutex_lock(&d->lock);
	w->status = status;
	d->n_running--;
	pthread_cond_broadcast(&d->done);
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

/* A note, where the others have done its part. */
static void tell_failure(const struct worker *w)
{
	const struct devices *d = w->of;

	for (int64_t k = 0; k < d->job.n; k++)
		if (d->state[k] != DONE)
			return;
	if (w->status && w->status != GPUBE_ESTOP)
		gpube__log(d->ctx, GPUBE_LOG_NOTE, "device %d: %s; the others have done its part",
			w->ctx.devices[0], gpube_error(&w->ctx));
}

/* Ends the job that was begun last. */
static void end(struct devices *d)
{
	pthread_mutex_lock(&d->lock);
	d->over = true;
	pthread_mutex_unlock(&d->lock);
	for (int i = 0; i < d->n_begun; i++) {
		gpube_ctx_stop(&d->workers[i].ctx);
		pthread_join(d->workers[i].thread, NULL);
		tell_failure(&d->workers[i]);
		gpube__ctx_clear(&d->workers[i].ctx);
	}
	for (int64_t k = 0; d->sums && k < d->job.n; k++)
		if (d->state[k] == DONE)
			gpube__free(d->ctx, d->sums[k].marginals);
	gpube__free(d->ctx, d->sums);
	gpube__free(d->ctx, d->state);
	d->sums = NULL;
	d->state = NULL;
	d->n_begun = 0;
}

static int on_begin(void *arg, const struct gpube_model *m, const struct gpube_slice_job *job)
{
	struct devices *d = arg;

	end(d);
	d->m = m;
	d->job = *job;
	d->next = 0;
	d->over = false;
	d->sums = gpube__alloc_zero(d->ctx, (uint64_t)job->n, sizeof(*d->sums));
	d->state = gpube__alloc_zero(d->ctx, (uint64_t)job->n, 1);
	if (!d->sums || !d->state)
		return GPUBE_ENOMEM;
	d->n_running = d->n_workers;
	for (d->n_begun = 0; d->n_begun < d->n_workers; d->n_begun++) {
		struct worker *w = &d->workers[d->n_begun];

		*w = (struct worker){
			.of = d, .ctx = gpube__ctx_device(d->ctx, d->n_begun, d->n_workers)};
		if (!gpube__thread_start(&w->thread, work, w))
			break;
	}
	pthread_mutex_lock(&d->lock);
	d->n_running -= d->n_workers - d->n_begun;
	pthread_mutex_unlock(&d->lock);
	return d->n_begun ? GPUBE_OK : gpube__fail(d->ctx, GPUBE_ENOMEM, "no thread for a device");
}

/* The first failure that is no stop, told; ESTOP if there is none. */
static int failure(const struct devices *d)
{
	for (int i = 0; i < d->n_begun; i++) {
		const struct worker *w = &d->workers[i];

		if (w->status && w->status != GPUBE_ESTOP)
			return gpube__fail(d->ctx, w->status, "device %d: %s", w->ctx.devices[0],
				gpube_error(&w->ctx));
	}
	return gpube__fail_stopped(d->ctx);
}

static int on_sum(void *arg, struct gpube_slice_sum *sum, int64_t slice)
{
	struct devices *d = arg;
	bool done;

	pthread_mutex_lock(&d->lock);
	while (d->state[slice] != DONE && d->n_running > 0)
		pthread_cond_wait(&d->done, &d->lock);
	done = d->state[slice] == DONE;
	if (done) {
		*sum = d->sums[slice];
		d->sums[slice].marginals = NULL;
	}
	pthread_mutex_unlock(&d->lock);
	return done ? GPUBE_OK : failure(d);
}

int gpube__infer_on_devices(struct gpube_inference **out, const struct gpube_model *m,
	const struct gpube_opts *opts, double least_cells)
{
	static const struct gpube_opts none = {0};
	struct worker workers[GPUBE_MAX_DEVICES];
	struct devices d = {.ctx = m->ctx,
		.opts = opts ? opts : &none,
		.workers = workers,
		.n_workers = m->ctx->n_devices,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.done = PTHREAD_COND_INITIALIZER};
	const struct gpube_slicer slicer = {.arg = &d,
		.any_model = true,
		.wanted = SLICES_A_DEVICE * d.n_workers,
		.least_cells = least_cells,
		.n_workers = d.n_workers,
		.begin = on_begin,
		.sum = on_sum};
	const int status = gpube__infer_sliced(out, m, opts, &slicer);

	end(&d);
	return status;
}

double gpube__infer_devices_cells(const struct gpube_ctx *ctx)
{
	return GPUBE__FURTHER_SECONDS / (1 - 1.0 / ctx->n_devices) * GPUBE_CARD_CELLS_PER_SECOND;
}

int gpube_infer(
	struct gpube_inference **out, const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_model view;
	bool several;

	m = gpube__on_own(&view, m, opts);
	several = m && m->ctx->n_devices > 1 && (!opts || opts->backend != GPUBE_BACKEND_CPU);
	if (out && m && opts && (opts->n_query || opts->draw))
		return gpube__infer_once(out, m, opts);
	return several ? gpube__infer_on_devices(out, m, opts, gpube__infer_devices_cells(m->ctx))
		       : gpube__infer_sliced(out, m, opts, NULL);
}
