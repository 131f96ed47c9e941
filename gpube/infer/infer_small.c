/*
 * infer_small.c - buckets of a compiled model whose joined tables are small: see infer.h.
 *
 * A query of a network of hundreds of variables is hundreds of sums over some ten cells, each of which gpube__sum_product() lays out
 * for longer than it sums. Here is written down once where the cells of each input lie; then a bucket is its multiplications and additions.
 * Where the inputs' extents say that a product might leave the range of doubles, the bucket is left to the others.
 */
#include "gpube/infer/infer.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SMALL = 512, MOST_INPUTS = 16, FARTHEST = 900 };

struct gpube_small {
	int n_in;
	int32_t cells, n_out; /* of the joined table, 0: it is not small; of the message */
	const struct gpube_sum_table **in;
	uint16_t *at; /* of each input, and each cell of the joined table */
	double roundings; /* of the functions */
};

void gpube__small_clear(struct gpube__inferring *j)
{
	for (int32_t b = 0; j->small && b < j->n; b++) {
		gpube__free(j->ctx, j->small[b].in);
		gpube__free(j->ctx, j->small[b].at);
	}
	gpube__free(j->ctx, j->small);
	j->small = NULL;
}

static void lay(uint16_t *at, const struct gpube_sum_job *job, const struct gpube_sum_operand *o, int32_t cells)
{
	int64_t count[GPUBE_SUM_AXES] = {0}, place = 0;

	for (int32_t i = 0; i < cells; i++) {
		at[i] = (uint16_t)place;
		for (int a = job->n_axes - 1; a >= 0; a--) {
			place += o->stride[a];
			if (++count[a] < job->dim[a])
				break;
			place -= o->stride[a] * count[a];
			count[a] = 0;
		}
	}
}

static int write_down(struct gpube_small *x, struct gpube_ctx *ctx, const struct gpube_sum_job *job, int32_t cells)
{
	x->in = gpube__alloc(ctx, (uint64_t)job->n_in, sizeof(*x->in));
	x->at = gpube__alloc(ctx, (uint64_t)job->n_in * (uint64_t)cells, sizeof(*x->at));
	if (!x->in || !x->at)
		return GPUBE_ENOMEM;
	for (int k = 0; k < job->n_in; k++) {
		x->in[k] = job->in[k].table;
		lay(x->at + (int64_t)k * cells, job, &job->in[k], cells);
	}
	x->n_in = job->n_in;
	x->cells = cells;
	x->n_out = (int32_t)(cells / job->dim[0]);
	return GPUBE_OK;
}

int gpube__small_begin(struct gpube__inferring *j)
{
	int status = GPUBE_OK;

	j->small = gpube__alloc_zero(j->ctx, (uint64_t)j->n, sizeof(*j->small));
	if (!j->small)
		return GPUBE_ENOMEM;
	for (int32_t b = 0; b < j->n && !status; b++) {
		struct gpube_infer_inputs in;
		struct gpube_sum_job job = {0};

		if (gpube__infer_joined(j, b) > MOST_SMALL)
			continue;
		status = gpube__infer_gather(&in, j, b, &job, false);
		if (!status && job.n_in <= MOST_INPUTS) {
			status = write_down(&j->small[b], j->ctx, &job, (int32_t)gpube__infer_joined(j, b));
			j->small[b].roundings = in.roundings;
		}
		gpube__infer_inputs_clear(&in, j, b);
	}
	return status;
}

/* Whether no product of the inputs, and of some of them, leaves the range of doubles. */
static bool is_safe(const struct gpube_small *x)
{
	int low = 0, high = 0;

	for (int k = 0; k < x->n_in; k++) {
		const struct gpube_sum_table *t = x->in[k];

		if (!t->cells || t->powers)
			return false;
		low += (t->least < 1 ? 1 - t->least : 0) + abs(t->top);
		high += (t->top > 0 ? t->top : 0) + abs(t->top);
		if (low > FARTHEST || high > FARTHEST)
			return false;
	}
	return true;
}

/* The cells of the joined table that the evidence leaves. False: none */
static bool find_range(int32_t *first, int32_t *end, const struct gpube__inferring *j, int32_t b)
{
	const struct gpube_small *x = &j->small[b];
	const struct gpube_sum_table *observed = &j->observed[b];
	int32_t value = 0;

	*first = 0;
	*end = x->cells;
	if (!observed->cells)
		return true;
	while (value < observed->n && observed->cells[value] == 0)
		value++;
	*first = value * x->n_out;
	*end = *first + x->n_out;
	return value < observed->n;
}

/* The products, which follow each other as the cells do. */
static void multiply(double *restrict buf, const struct gpube_small *x, double by, int32_t first, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		buf[i] = by;
	for (int k = 0; k < x->n_in; k++) {
		const double *restrict cells = x->in[k]->cells;
		const uint16_t *restrict at = x->at + (int64_t)k * x->cells + first;

		for (int32_t i = 0; i < n; i++)
			buf[i] *= cells[at[i]];
	}
}

static int make_room(struct gpube__inferring *j, struct gpube_sum_table *t, int64_t n)
{
	if (t->cells && t->n == n && !t->powers)
		return GPUBE_OK;
	gpube__infer_drop(j, t);
	return gpube__sum_table_new(j->ctx, t, n);
}

int gpube__small_up(struct gpube__inferring *j, int32_t b, bool *done)
{
	struct gpube_sum_bucket *bucket = &j->buckets[b];
	const struct gpube_small *x = &j->small[b];
	struct gpube_sum_table *out = &bucket->message;
	double buf[MOST_SMALL], most = 0, least = INFINITY;
	int32_t first, end;
	int64_t power = 0;
	int top = 0, status;

	*done = x->cells > 0 && is_safe(x) && find_range(&first, &end, j, b);
	if (!*done)
		return GPUBE_OK;
	if (gpube__stopped(j->ctx))
		return gpube__fail_stopped(j->ctx);
	status = make_room(j, out, x->n_out);
	if (status)
		return status;
	bucket->roundings = x->roundings + x->n_in + (double)(x->cells / x->n_out) + 1;
	for (int k = 0; k < x->n_in; k++) {
		power += x->in[k]->power;
		top += x->in[k]->top;
	}
	for (int32_t c = bucket->child; c >= 0; c = j->buckets[c].sibling)
		bucket->roundings += j->buckets[c].roundings;
	multiply(buf, x, ldexp(1, -top), first, end - first);
	for (int32_t i = 0; i < x->n_out; i++) {
		double sum = buf[i];

		for (int32_t k = i + x->n_out; k < end - first; k += x->n_out)
			sum += buf[k];
		out->cells[i] = sum;
		most = sum > most ? sum : most;
		least = sum > 0 && sum < least ? sum : least;
	}
	out->power = power + top;
	status = gpube__sum_measured(j->ctx, out, false, most, least);
	return status ? status : gpube__infer_apart(j, out);
}
