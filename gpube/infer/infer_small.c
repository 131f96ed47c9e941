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

enum {
	MOST_UP = 512,	       /* cells of a joined table: larger ones are summed faster by vectors */
	MOST_CELLS = 1 << 15,  /* for marginals, which need all buckets */
	MOST_BYTES = 64 << 20, /* of what is written down of these; and a part of the memory allowed: */
	SHARE = 16,
	FARTHEST = 900, /* powers of two that a product may be from 1 */
};

/*
 * down       the message from the parent, of the last query for marginals
 * roundings  of the functions; down_roundings: to a cell of 'down'
 */
struct gpube_small {
	int n_in;
	int32_t cells, n_out; /* of the joined table, 0: it is not small; of the message */
	const struct gpube_sum_table **in; /* functions, then children in their order */
	uint16_t *at; /* of each input, and each cell of the joined table */
	double roundings, down_roundings;
	struct gpube_sum_table down;
};

void gpube__small_clear(struct gpube__inferring *j)
{
	for (int32_t b = 0; j->small && b < j->n; b++) {
		gpube__sum_table_clear(j->ctx, &j->small[b].down);
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

int gpube__small_begin(struct gpube__inferring *j, bool marginals)
{
	double room = marginals ? fmin(MOST_BYTES, (double)j->ctx->memory_bytes / SHARE) : 0;
	int status = GPUBE_OK;

	j->small = gpube__alloc_zero(j->ctx, (uint64_t)j->n, sizeof(*j->small));
	if (!j->small)
		return GPUBE_ENOMEM;
	for (int32_t b = 0; b < j->n && !status; b++) {
		struct gpube_infer_inputs in;
		struct gpube_sum_job job = {0};

		if (gpube__infer_joined(j, b) > (room > 0 ? MOST_CELLS : MOST_UP))
			continue;
		status = gpube__infer_gather(&in, j, b, &job, false);
		room -= gpube__infer_joined(j, b) * job.n_in * sizeof(*j->small->at);
		if (!status)
			status = write_down(&j->small[b], j->ctx, &job, (int32_t)gpube__infer_joined(j, b));
		j->small[b].roundings = in.roundings;
		gpube__infer_inputs_clear(&in, j, b);
	}
	return status;
}

/* Whether no product of the inputs, with what came down or without, and of some of them, leaves the range of doubles. */
static bool is_safe(const struct gpube_small *x, bool with_down)
{
	int low = 0, high = 0;

	for (int k = 0; k < x->n_in + with_down; k++) {
		const struct gpube_sum_table *t = k < x->n_in ? x->in[k] : &x->down;

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
	double buf[MOST_UP], most = 0, least = INFINITY;
	int32_t first, end;
	int64_t power = 0;
	int top = 0, status;

	*done = x->cells > 0 && x->cells <= MOST_UP && is_safe(x, false) && find_range(&first, &end, j, b);
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

/* ---- marginals ----------------------------------------------------------------------------------- */

/* What goes down to the child of input k: the weights from first to end summed, divided by what came from there. */
static int hand_down(struct gpube__inferring *j, int32_t b, int k, int32_t c, const double *weights, int32_t first, int32_t end, double roundings)
{
	const struct gpube_small *x = &j->small[b];
	const struct gpube_sum_table *up = x->in[k];
	const uint16_t *at = x->at + (int64_t)k * x->cells + first;
	struct gpube_sum_table *to = &j->small[c].down;
	int status = make_room(j, to, up->n);

	if (status)
		return status;
	for (int64_t i = 0; i < to->n; i++)
		to->cells[i] = 0;
	for (int32_t i = 0; i < end - first; i++)
		to->cells[at[i]] += weights[i];
	to->power = 0;
	status = gpube__sum_measure(j->ctx, to, true);
	if (status)
		return status;
	for (int64_t i = 0; i < to->n; i++)
		to->cells[i] = up->cells[i] > 0 ? to->cells[i] / up->cells[i] : 0;
	j->small[c].down_roundings = roundings - j->buckets[c].roundings + (double)x->cells / (double)up->n + 1;
	return gpube__sum_measure(j->ctx, to, false);
}

/* In four sums, since one addition after the other waits for the last. */
static double total(const double *cells, int32_t n)
{
	double part[4] = {0};
	int32_t i = 0;

	for (; i + 4 <= n; i += 4)
		for (int k = 0; k < 4; k++)
			part[k] += cells[i + k];
	for (; i < n; i++)
		part[0] += cells[i];
	return (part[0] + part[1]) + (part[2] + part[3]);
}

/* The weights of a bucket's own values. */
static int read_off(struct gpube__inferring *j, int32_t b, const double *weights, int32_t first, int32_t end, int64_t power, double roundings)
{
	const struct gpube_small *x = &j->small[b];
	const int32_t n = gpube__infer_domain(j, b);
	double few[MOST_UP], *cells = n <= MOST_UP ? few : gpube__sum_cells(j->ctx, n);
	struct gpube_sum_table t = {.n = n, .cells = cells, .power = power};
	int status;

	if (!cells)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < n; i++)
		cells[i] = 0;
	for (int32_t i = first; i < end; i += x->n_out)
		cells[i / x->n_out] = total(weights + i - first, x->n_out);
	status = gpube__infer_marginal(j, b, b, &t, roundings + x->n_out);
	if (cells != few)
		gpube__sum_table_clear(j->ctx, &t);
	return status;
}

static int down(struct gpube__inferring *j, int32_t b, double *weights, bool *done)
{
	const struct gpube_sum_bucket *bucket = &j->buckets[b];
	const struct gpube_small *x = &j->small[b];
	const bool is_root = bucket->parent < 0;
	double roundings = x->roundings + x->n_in + 2 + (is_root ? 0 : x->down_roundings);
	int32_t first, end;
	int64_t power = is_root ? 0 : x->down.power;
	int k = x->n_in - bucket->n_children, top = is_root ? 0 : x->down.top, status;

	*done = is_safe(x, !is_root) && find_range(&first, &end, j, b);
	if (!*done)
		return GPUBE_OK;
	for (int i = 0; i < x->n_in; i++) {
		power += x->in[i]->power;
		top += x->in[i]->top;
	}
	for (int32_t c = bucket->child; c >= 0; c = j->buckets[c].sibling)
		roundings += j->buckets[c].roundings;
	multiply(weights, x, ldexp(1, -top), first, end - first);
	for (int32_t i = 0; i < end - first && !is_root; i += x->n_out)
		for (int32_t s = 0; s < x->n_out; s++)
			weights[i + s] *= x->down.cells[s];
	power += top;
	j->roots[b] = is_root ? j->roots[b] : j->roots[bucket->parent];
	status = read_off(j, b, weights, first, end, power, roundings);
	for (int32_t c = bucket->child; c >= 0 && !status; c = j->buckets[c].sibling, k++) {
		status = hand_down(j, b, k, c, weights, first, end, roundings);
		j->small[c].down.power += power - j->buckets[c].message.power;
	}
	return status;
}

int gpube__small_marginals(struct gpube__inferring *j, bool *done)
{
	int64_t most = 0;
	double *weights;
	int status;

	*done = true;
	for (int32_t b = 0; b < j->n; b++) {
		*done = *done && j->small[b].cells > 0;
		most = j->small[b].cells > most ? j->small[b].cells : most;
	}
	if (!*done)
		return GPUBE_OK;
	weights = gpube__sum_cells(j->ctx, most);
	status = weights ? gpube__infer_begin_marginals(j) : GPUBE_ENOMEM;
	for (int32_t b = j->n - 1; b >= 0 && !status && *done; b--) {
		status = down(j, b, weights, done);
		if (!status && gpube__stopped(j->ctx))
			status = gpube__fail_stopped(j->ctx);
	}
	gpube__sum_table_clear(j->ctx, &(struct gpube_sum_table){.cells = weights});
	if (!status && !*done) {
		gpube__free(j->ctx, j->out->marginals);
		j->out->marginals = NULL;
	}
	return status;
}
