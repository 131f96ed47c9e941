/* be_load.c - see be_load.h. */
#include "gpube/be_load.h"
#include "gpube/dense.h"

#include <math.h>
#include <string.h>

#define WINDOW_BYTES (16 << 20) /* of copies that go up together */
#define ALIGN	     256u	/* of each: what arenas and vector loads like */

void gpube__sorted_positions(const struct gpube_be *be, int32_t function, int32_t *positions)
{
	const int32_t *scope = gpube__scope(be->m, function);

	for (int k = 0; k < be->m->functions[function].arity; k++) {
		int32_t q = be->position[scope[k]];
		int j = k;

		for (; j > 0 && positions[j - 1] > q; j--)
			positions[j] = positions[j - 1];
		positions[j] = q;
	}
}

static double copy_bytes(const struct gpube_be *be, int32_t function, size_t size)
{
	int64_t cells = gpube__cells(
		be->m, be->m->functions[function].arity, gpube__scope(be->m, function));

	return cells < 0 ? INFINITY : ceil((double)cells * (double)size / ALIGN) * ALIGN;
}

int32_t gpube__window_end(double *bytes, const struct gpube_be *be, int32_t p, size_t size)
{
	*bytes = 0;
	for (int32_t end = p; end < be->n; end++) {
		const struct gpube_bucket *b = &be->buckets[end];
		double sum = *bytes;

		for (int32_t k = 0; k < b->n_in; k++) {
			int32_t id = be->inputs[b->in_at + k];

			if (id >= 0)
				sum += copy_bytes(be, id, size);
		}
		if (end > p && sum > WINDOW_BYTES)
			return end;
		*bytes = sum;
	}
	return be->n;
}

void gpube__window_clear(
	struct gpube_window *win, const struct gpube_be *be, const struct gpube_ops *ops)
{
	if (win->values)
		ops->free(be->ctx, win->values);
	gpube__free(be->ctx, win->at);
	memset(win, 0, sizeof(*win));
}

/* Lays the window's copies out, and writes them into 'staged' unless that is NULL. */
static int fill_window(uint64_t *used, const struct gpube_window *win, const struct gpube_be *be,
	const struct gpube_working *w, char *staged)
{
	int64_t first = be->buckets[win->from].in_at;
	int64_t end = be->buckets[win->end - 1].in_at + be->buckets[win->end - 1].n_in;
	int status = GPUBE_OK;

	*used = 0;
	for (int64_t k = first; k < end && !status; k++) {
		int32_t id = be->inputs[k];

		if (id < 0)
			continue;
		win->at[k - first] = *used;
		if (staged)
			status = gpube__dense_as(
				staged + *used, w->type, w->cut, be->m, id, be->position);
		*used += (uint64_t)copy_bytes(be, id, gpube__type_size(w->type));
	}
	return status;
}

int gpube__window_load(struct gpube_window *win, const struct gpube_be *be,
	const struct gpube_ops *ops, const struct gpube_working *w, int32_t p)
{
	struct gpube_ctx *ctx = be->ctx;
	uint64_t inputs, bytes;
	char *staged = NULL;
	double unused;
	int status = GPUBE_ENOMEM;

	gpube__window_clear(win, be, ops);
	win->from = p;
	win->end = gpube__window_end(&unused, be, p, gpube__type_size(w->type));
	inputs = (uint64_t)(be->buckets[win->end - 1].in_at + be->buckets[win->end - 1].n_in -
			    be->buckets[p].in_at);
	win->at = gpube__alloc(ctx, inputs, sizeof(*win->at));
	if (!win->at)
		return GPUBE_ENOMEM;
	fill_window(&bytes, win, be, w, NULL);
	staged = gpube__alloc(ctx, bytes, 1);
	win->values = staged ? ops->alloc(ctx, bytes) : NULL;
	if (win->values)
		status = fill_window(&bytes, win, be, w, staged);
	if (!status)
		status = ops->upload(ctx, win->values, staged, bytes);
	gpube__free(ctx, staged);
	if (status)
		gpube__window_clear(win, be, ops);
	return status;
}
