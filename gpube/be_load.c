/* be_load.c - see be_load.h. */
#include "gpube/be_load.h"

#include <math.h>
#include <string.h>

#define WINDOW_BYTES (16 << 20) /* of copies that go up together */
#define ALIGN	     256u	/* of each: what arenas and vector loads like */

static void put(void *values, enum gpube_type type, int64_t cell, int64_t v)
{
	if (type == GPUBE_INT32)
		((int32_t *)values)[cell] = (int32_t)v;
	else
		((int64_t *)values)[cell] = v;
}

static int64_t clamp(int64_t v, int64_t cut)
{
	return v < cut ? v : cut; /* GPUBE_INF, too, becomes cut */
}

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

/* The stride of each variable of a function's scope in its working copy; returns the cells. */
static int64_t copy_strides(
	const struct gpube_be *be, int32_t function, int32_t *positions, int64_t *strides)
{
	const struct gpube_model *m = be->m;
	const int32_t *scope = gpube__scope(m, function);
	int arity = m->functions[function].arity;
	int64_t cells = 1;

	gpube__sorted_positions(be, function, positions);
	for (int j = arity - 1; j >= 0; j--) {
		for (int k = 0; k < arity; k++)
			if (be->position[scope[k]] == positions[j])
				strides[k] = cells;
		cells *= m->vars[be->buckets[positions[j]].var].domain;
	}
	return cells;
}

static void fill_dense(const struct gpube_be *be, int32_t function, const int64_t *strides,
	const struct gpube_working *w, void *values, int32_t *index)
{
	const struct gpube_model *m = be->m;
	const struct gpube_table *t = gpube__table(m, function);
	const int32_t *scope = gpube__scope(m, function);
	int arity = m->functions[function].arity;
	int64_t to = 0;

	memset(index, 0, (size_t)arity * sizeof(*index));
	for (int64_t cell = 0; cell < t->n; cell++) {
		put(values, w->type, to, clamp(gpube__table_int(t, cell), w->cut));
		for (int k = arity - 1; k >= 0; k--) { /* the odometer of the original layout */
			to += strides[k];
			if (++index[k] < m->vars[scope[k]].domain)
				break;
			to -= strides[k] * index[k];
			index[k] = 0;
		}
	}
}

static void fill_sparse(const struct gpube_table *t, int64_t cells, const int64_t *strides,
	const struct gpube_working *w, void *values)
{
	for (int64_t cell = 0; cell < cells; cell++)
		put(values, w->type, cell, clamp(t->dflt.i, w->cut));
	for (int64_t k = 0; k < t->n; k++) {
		int64_t to = 0;

		for (int j = 0; j < t->arity; j++)
			to += strides[j] * t->tuples[k * t->arity + j];
		put(values, w->type, to, clamp(gpube__table_int(t, k), w->cut));
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

/* Lays the window's copies out and writes them into 'staged', unless that is NULL; returns the bytes. */
static uint64_t fill_window(const struct gpube_window *win, const struct gpube_be *be,
	const struct gpube_working *w, char *staged, int32_t *positions, int64_t *strides)
{
	int64_t first = be->buckets[win->from].in_at;
	int64_t end = be->buckets[win->end - 1].in_at + be->buckets[win->end - 1].n_in;
	uint64_t used = 0;

	for (int64_t k = first; k < end; k++) {
		int32_t id = be->inputs[k];
		const struct gpube_table *t;
		int64_t cells;

		if (id < 0)
			continue;
		t = gpube__table(be->m, id);
		cells = copy_strides(be, id, positions, strides);
		win->at[k - first] = used;
		if (staged && t->sparse)
			fill_sparse(t, cells, strides, w, staged + used);
		else if (staged)
			fill_dense(be, id, strides, w, staged + used, positions);
		used += ((uint64_t)cells * gpube__type_size(w->type) + ALIGN - 1) / ALIGN * ALIGN;
	}
	return used;
}

int gpube__window_load(struct gpube_window *win, const struct gpube_be *be,
	const struct gpube_ops *ops, const struct gpube_working *w, int32_t p)
{
	struct gpube_ctx *ctx = be->ctx;
	uint64_t arity = 0, inputs, bytes = 0;
	int32_t *positions;
	int64_t *strides;
	char *staged = NULL;
	double unused;
	int status = GPUBE_ENOMEM;

	gpube__window_clear(win, be, ops);
	win->from = p;
	win->end = gpube__window_end(&unused, be, p, gpube__type_size(w->type));
	for (int32_t f = 0; f < be->m->n_functions; f++)
		if ((uint64_t)be->m->functions[f].arity > arity)
			arity = (uint64_t)be->m->functions[f].arity;
	inputs = (uint64_t)(be->buckets[win->end - 1].in_at + be->buckets[win->end - 1].n_in -
			    be->buckets[p].in_at);
	positions = gpube__alloc(ctx, arity, sizeof(*positions));
	strides = gpube__alloc(ctx, arity, sizeof(*strides));
	win->at = gpube__alloc(ctx, inputs, sizeof(*win->at));
	if (!positions || !strides || !win->at)
		goto out;
	bytes = fill_window(win, be, w, NULL, positions, strides);
	staged = gpube__alloc(ctx, bytes, 1);
	win->values = staged ? ops->alloc(ctx, bytes) : NULL;
	if (!win->values)
		goto out;
	fill_window(win, be, w, staged, positions, strides);
	status = ops->upload(ctx, win->values, staged, bytes);
out:
	gpube__free(ctx, positions);
	gpube__free(ctx, strides);
	gpube__free(ctx, staged);
	if (status)
		gpube__window_clear(win, be, ops);
	return status;
}
