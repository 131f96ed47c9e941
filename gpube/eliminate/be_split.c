/* be_split.c - chooses the boxes and makes the workers: see be_split.h. */
#define _POSIX_C_SOURCE 200809L

#include "gpube/eliminate/be_split_parts.h"
#include "gpube/options/options.h"

#include <math.h>
#include <string.h>

/* ---- making one ---------------------------------------------------------------------------- */

void gpube__split_patience(struct gpube_be_split *s, const struct gpube__solve_patience *patience)
{
	s->patience = *patience;
}

void gpube__split_free(struct gpube_be_split *s)
{
	if (!s)
		return;
	for (int i = 0; i < s->n_workers; i++) {
		struct gpube__worker *w = &s->workers[i];

		GPUBE_FREE_ALL(s->ctx, w->values, w->reduced_values, w->seconds);
		gpube__box_clear(&w->box);
		if (w->ctx)
			gpube__blocks_clear(&w->blocks, w->ctx);
		if (w->own)
			gpube__ctx_clear(w->ctx);
	}
	GPUBE_FREE_ALL(s->ctx, s->bounds, s->costs, s->ended, s->queue, s->values);
	pthread_cond_destroy(&s->finished);
	pthread_mutex_destroy(&s->lock);
	gpube__free(s->ctx, s);
}

static int make_worker(struct gpube_be_split *s, int n_workers)
{
	const uint64_t n = (uint64_t)s->m->n_vars;
	struct gpube__worker *w = &s->workers[s->n_workers++];
	int status;

	w->split = s;
	w->ctx = s->ctx;
	if (n_workers > 1) {
		w->child = gpube__ctx_device(s->ctx, s->n_workers - 1, n_workers);
		w->ctx = &w->child;
		w->own = true;
	}
	w->values = gpube__alloc(s->ctx, n, sizeof(*w->values));
	w->reduced_values = gpube__alloc(s->ctx, n, sizeof(*w->reduced_values));
	w->seconds = gpube__alloc(s->ctx, n, sizeof(*w->seconds));
	status = gpube__box_init(&w->box, &s->boxes, w->ctx);
	return w->values && w->reduced_values && w->seconds ? status : GPUBE_ENOMEM;
}

static struct gpube_be_split *split_alloc(const struct gpube_be *be, const int32_t *order)
{
	struct gpube_be_split *s = gpube__alloc_zero(be->ctx, 1, sizeof(*s));

	if (!s)
		return NULL;
	s->ctx = be->ctx;
	s->m = be->m;
	s->boxes = (struct gpube_boxes){.ctx = be->ctx, .m = be->m, .order = order, .n = 1};
	s->best = GPUBE_INF;
	s->best_box = GPUBE__NO_BOX;
	s->patience.lower = INT64_MIN;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->finished, NULL);
	return s;
}

/* Allocates workers and the bounds of boxes, which begin as the constant. */
static int make_all(struct gpube_be_split *s, int n_workers)
{
	const uint64_t n = (uint64_t)s->boxes.n;
	int status = GPUBE_OK;

	s->bounds = gpube__alloc(s->ctx, n, sizeof(*s->bounds));
	s->costs = gpube__alloc(s->ctx, n, sizeof(*s->costs));
	s->ended = gpube__alloc_zero(s->ctx, n, 1);
	s->queue = gpube__alloc(s->ctx, n, sizeof(*s->queue));
	s->values = gpube__alloc(s->ctx, (uint64_t)s->m->n_vars, sizeof(*s->values));
	if (!s->bounds || !s->costs || !s->ended || !s->queue || !s->values)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < s->boxes.n; k++) {
		s->bounds[k] = s->m->constant;
		s->costs[k] = GPUBE_INF;
		s->queue[k] = k;
	}
	for (int i = 0; i < n_workers && !status; i++)
		status = make_worker(s, n_workers);
	return status;
}

static int done_making(struct gpube_be_split **out, struct gpube_be_split *s, int status)
{
	if (status)
		gpube__split_free(s);
	else
		*out = s;
	return status;
}

/* Boxes for each worker, so that all end at about the same time. */
#define BOXES_A_WORKER 4

/* Chooses boxes that fit, on a device with messages in one block. */
static int split_fit(
	struct gpube_be_split *s, const struct gpube_be *be, const struct gpube_slicing *how)
{
	struct gpube_boxes_wanted wanted = {.type = s->type,
		.limit = how->limit,
		.count = how->count,
		.least = how->n_workers < 2 ? 0 : BOXES_A_WORKER * how->n_workers,
		.rate = how->rate,
		.bucket = how->bucket};
	double waste = 0;

	for (;;) {
		int status = gpube__boxes_fit(&s->boxes, &s->cost, be, &wanted);
		const struct gpube_be_memory *m = &s->cost.memory;

		if (!status && how->block && !how->count)
			status = gpube__boxes_waste(
				&waste, &s->boxes, s->type, m->keep <= how->limit);
		if (status || gpube__box_bytes(&s->cost, how->count) + waste <= how->limit)
			return status;
		wanted.limit = gpube__box_bytes(&s->cost, how->count) - 1;
	}
}

int gpube__split_slices(struct gpube_be_split **out, const struct gpube_be *be,
	const int32_t *order, const struct gpube_slicing *how)
{
	struct gpube_be_split *s = split_alloc(be, order);
	struct gpube_working w;
	int status;

	*out = NULL;
	if (!s)
		return GPUBE_ENOMEM;
	s->type = how->type;
	s->counting = how->count;
	s->seed = how->seed;
	status = split_fit(s, be, how);
	if (!status)
		status = gpube__boxes_working(&w, &s->boxes);
	if (!status && w.type == GPUBE_INT64 && s->type == GPUBE_INT32) {
		s->type = w.type;
		status = split_fit(s, be, how);
		if (!status)
			status = gpube__boxes_working(&w, &s->boxes);
	}
	s->seconds = s->cost.joined / how->rate + how->bucket * be->n;
	if (!status)
		status = make_all(s, how->n_workers < 2 ? 1 : how->n_workers);
	return done_making(out, s, status);
}

int64_t gpube__split_n(const struct gpube_be_split *s)
{
	return s->boxes.n;
}

int gpube__split_n_vars(const struct gpube_be_split *s)
{
	return s->boxes.n_splits;
}

const struct gpube_box_cost *gpube__split_cost(const struct gpube_be_split *s)
{
	return &s->cost;
}

double gpube__split_seconds(const struct gpube_be_split *s)
{
	return ceil((double)s->boxes.n / s->n_workers) * s->seconds;
}
