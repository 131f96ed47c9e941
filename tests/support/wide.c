/* wide.c - see wide.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/base/base.h"
#include "tests/support/wide.h"

/* Value i of dim d's vector, and of the small table. */
static int64_t part(int d, int64_t i)
{
	return (int64_t)((uint64_t)(i + 1) * 2654435761u * (uint64_t)(d + 3) >> 7 & 1023);
}

/* Of the small table of x and output dim d. */
static int64_t small_cell(int d, int64_t x, int64_t i)
{
	return part(41 + d, x * 977 + i);
}

static bool has_small(const struct wide *w, int d)
{
	return d == w->n_out - 1 || w->more >> d & 1;
}

static int64_t product(const struct wide *w, int n)
{
	int64_t cells = 1;

	for (int d = 0; d < n; d++)
		cells *= w->sizes[d];
	return cells;
}

static int64_t table_cells(const struct wide *w)
{
	int64_t cells = product(w, w->n_out + 1);

	for (int d = 0; d < w->n_out; d++)
		cells /= w->without >> d & 1 ? w->sizes[d] : 1;
	return cells;
}

double wide_bytes(const struct wide *w)
{
	return (double)gpube__type_size(w->type) *
	       ((double)table_cells(w) + (double)product(w, w->n_out) + 1e6);
}

static void put(const struct wide *w, void *to, int64_t at, int64_t v)
{
	if (w->type == GPUBE_INT32)
		((int32_t *)to)[at] = (int32_t)v;
	else
		((int64_t *)to)[at] = v;
}

/* n values in the backend's memory. */
static void *send(struct wide *w, const int64_t *values, int64_t n)
{
	const uint64_t bytes = (uint64_t)n * gpube__type_size(w->type);
	void *host = gpube__alloc(w->ctx, bytes, 1), *there = w->ops->alloc(w->ctx, bytes);

	for (int64_t i = 0; host && i < n; i++)
		put(w, host, i, values[i]);
	if (host && there && w->ops->upload(w->ctx, there, host, bytes) != GPUBE_OK) {
		w->ops->free(w->ctx, there);
		there = NULL;
	}
	gpube__free(w->ctx, host);
	return there;
}

static struct gpube_contraction contraction(const struct wide *w)
{
	return (struct gpube_contraction){
		.semiring = GPUBE_MIN_PLUS, .type = w->type, .top = 1 << 28, .threshold = 1 << 28};
}

/* The table, from a vector for each of its axes. */
static int make_table(struct wide *w)
{
	struct gpube_contraction c = contraction(w);
	struct gpube_operand in[WIDE_DIMS] = {{0}};
	int64_t sizes[WIDE_DIMS];
	const int n = w->n_axes;
	int status = GPUBE_OK;

	c.n_out = c.n_dims = c.n_in = n;
	c.sizes = sizes;
	c.in = in;
	c.out = w->table;
	for (int k = 0; k < n; k++) {
		const int d = w->axes[k];
		int64_t *values = malloc((size_t)w->sizes[d] * sizeof(*values));

		if (!values)
			abort();
		for (int64_t i = 0; i < w->sizes[d]; i++)
			values[i] = part(d, i);
		sizes[k] = w->sizes[d];
		w->vector_axes[k] = k;
		in[k] = (struct gpube_operand){.values = send(w, values, w->sizes[d]),
			.n_dims = 1,
			.dims = &w->vector_axes[k]};
		free(values);
		if (!in[k].values)
			status = GPUBE_ENOMEM;
	}
	if (status == GPUBE_OK)
		status = w->ops->contract(w->ctx, &c);
	for (int k = 0; k < n; k++)
		if (in[k].values)
			w->ops->free(w->ctx, (void *)in[k].values);
	return status;
}

static void *send_small(struct wide *w, int d)
{
	const int64_t n = w->sizes[d], n_x = w->sizes[w->n_out];
	int64_t *values = malloc((size_t)(n_x * n) * sizeof(*values));
	void *there;

	if (!values)
		abort();
	for (int64_t i = 0; i < n_x * n; i++)
		values[i] = small_cell(d, i / n, i % n);
	w->small_axes[d][0] = w->n_out;
	w->small_axes[d][1] = d;
	there = send(w, values, n_x * n);
	free(values);
	return there;
}

int wide_new(struct wide *w, struct gpube_ctx *ctx, const struct gpube_ops *ops)
{
	const uint64_t size = gpube__type_size(w->type);
	bool all = true;

	w->ctx = ctx;
	w->ops = ops;
	w->n_axes = 0;
	for (int k = 0, d = 0; k <= w->n_out; k++) {
		const int axis = k == w->x_at ? w->n_out : d++;

		if (axis == w->n_out || !(w->without >> axis & 1))
			w->axes[w->n_axes++] = axis;
	}
	w->cells = table_cells(w);
	w->out_cells = product(w, w->n_out);
	for (int d = 0; d < w->n_out; d++) {
		w->small[d] = has_small(w, d) ? send_small(w, d) : NULL;
		all &= w->small[d] || !has_small(w, d);
	}
	w->table = ops->alloc(ctx, (uint64_t)w->cells * size);
	w->out = ops->alloc(ctx, (uint64_t)w->out_cells * size);
	if (!all || !w->table || !w->out) {
		wide_free(w);
		return GPUBE_ENOMEM;
	}
	return make_table(w);
}

int wide_contract(struct wide *w, double *seconds)
{
	struct gpube_contraction c = contraction(w);
	struct gpube_operand in[WIDE_DIMS + 1] = {
		{.values = w->table, .n_dims = w->n_axes, .dims = w->axes}};
	int status;

	c.n_in = 1;
	for (int d = 0; d < w->n_out; d++)
		if (has_small(w, d))
			in[c.n_in++] = (struct gpube_operand){
				.values = w->small[d], .n_dims = 2, .dims = w->small_axes[d]};
	c.n_out = w->n_out;
	c.n_dims = w->n_out + 1;
	c.sizes = w->sizes;
	c.in = in;
	c.out = w->out;
	c.seconds = seconds;
	status = w->ops->contract(w->ctx, &c);
	return status == GPUBE_OK && w->ops->settle ? w->ops->settle(w->ctx, NULL) : status;
}

/*
 * What output cell 'at' is to be; x >= 0: the table's cell that belongs to it, through *cell too.
 */
static int64_t expected(const struct wide *w, int64_t at, int64_t x, int64_t *cell)
{
	int64_t index[WIDE_DIMS], sum = 0, best = INT64_MAX;

	for (int d = w->n_out - 1; d >= 0; d--) {
		index[d] = at % w->sizes[d];
		at /= w->sizes[d];
		sum += w->without >> d & 1 ? 0 : part(d, index[d]);
	}
	if (x >= 0) {
		index[w->n_out] = x;
		*cell = 0;
		for (int k = 0; k < w->n_axes; k++)
			*cell = *cell * w->sizes[w->axes[k]] + index[w->axes[k]];
		return sum + part(w->n_out, x);
	}
	for (int64_t i = 0; i < w->sizes[w->n_out]; i++) {
		int64_t v = part(w->n_out, i);

		for (int d = 0; d < w->n_out; d++)
			v += has_small(w, d) ? small_cell(d, i, index[d]) : 0;
		best = v < best ? v : best;
	}
	return sum + best;
}

static int64_t value(const struct wide *w, const void *values, int64_t at)
{
	return w->type == GPUBE_INT32 ? ((const int32_t *)values)[at]
				      : ((const int64_t *)values)[at];
}

const char *wide_check(struct wide *w, int n, uint64_t seed)
{
	static char text[160];
	const size_t size = gpube__type_size(w->type);
	struct gpube_cells *pieces = malloc((size_t)n * 2 * sizeof(*pieces));
	int64_t *want = malloc((size_t)n * 2 * sizeof(*want));
	void *got = malloc((size_t)n * 2 * size);
	const char *problem = NULL;
	struct gpube_rng rng;

	if (n < 1 || !pieces || !want || !got)
		abort();
	gpube__rng_init(&rng, seed);
	for (int i = 0; i < n; i++) {
		const int64_t at = i ? (int64_t)gpube__rng_below(&rng, (uint64_t)w->out_cells)
				     : w->out_cells - 1;
		const int64_t x = i ? (int64_t)gpube__rng_below(&rng, (uint64_t)w->sizes[w->n_out])
				    : w->sizes[w->n_out] - 1;
		int64_t cell;

		want[2 * i] = expected(w, at, -1, NULL);
		pieces[2 * i] = (struct gpube_cells){w->out, at, 1, 1};
		want[2 * i + 1] = expected(w, at, x, &cell);
		pieces[2 * i + 1] = (struct gpube_cells){w->table, cell, 1, 1};
	}
	if (w->ops->gather(w->ctx, got, 2 * n, pieces, size) != GPUBE_OK)
		problem = gpube_error(w->ctx);
	for (int i = 0; i < 2 * n && !problem; i++)
		if (value(w, got, i) != want[i]) {
			snprintf(text, sizeof(text), "cell %lld of the %s is %lld, not %lld",
				(long long)pieces[i].first, i % 2 ? "table" : "output",
				(long long)value(w, got, i), (long long)want[i]);
			problem = text;
		}
	free(pieces);
	free(want);
	free(got);
	return problem;
}

void wide_free(struct wide *w)
{
	w->ops->free(w->ctx, w->table);
	for (int d = 0; d < w->n_out; d++) {
		w->ops->free(w->ctx, w->small[d]);
		w->small[d] = NULL;
	}
	w->ops->free(w->ctx, w->out);
	w->table = w->out = NULL;
}
