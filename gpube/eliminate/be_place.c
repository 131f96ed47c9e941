/* be_place.c - see be_place.h. */
#include "gpube/eliminate/be_place.h"
#include "gpube/ops/pick.h"
#include "gpube/ops/place.h"

#include <math.h>
#include <stdio.h>

/* Cells of the function's table, dense; of buckets' tables it is known that they can be numbered.
 */
static double function_cells(const struct gpube_be *be, int32_t function)
{
	return (double)gpube__cells(
		be->m, be->m->functions[function].arity, gpube__scope(be->m, function));
}

static double input_cells(const struct gpube_be *be, int32_t id)
{
	return id < 0 ? (double)be->buckets[~id].cells : function_cells(be, id);
}

/* Bytes that bucket p's contraction reads and writes, each table once. */
static double bucket_bytes(const struct gpube_be *be, int32_t p, enum gpube_type type)
{
	const struct gpube_bucket *b = &be->buckets[p];
	double cells = (double)b->cells;

	for (int32_t k = 0; k < b->n_in; k++)
		cells += input_cells(be, be->inputs[b->in_at + k]);
	return cells * (double)gpube__type_size(type);
}

double gpube__be_seconds(const struct gpube_be *be, enum gpube_type type,
	const struct gpube_rate *rate, const struct gpube_ops *ops)
{
	double seconds = 0;

	for (int32_t p = 0; p < be->n; p++)
		seconds += gpube__contract_seconds(rate, ops, type, be->buckets[p].n_in,
			be->buckets[p].joined, bucket_bytes(be, p, type));
	return seconds;
}

/* ---- the best sides ------------------------------------------------------------------- */

int gpube__be_place(uint8_t *side, double seconds[2], const struct gpube_be *be,
	enum gpube_type type, const struct gpube_rate *host, const struct gpube_rate *device)
{
	struct gpube_place *tasks = gpube__alloc_zero(be->ctx, (uint64_t)be->n, sizeof(*tasks));
	int status;

	if (!tasks)
		return GPUBE_ENOMEM;
	for (int32_t p = 0; p < be->n; p++) {
		const struct gpube_bucket *b = &be->buckets[p];

		tasks[p] = (struct gpube_place){.consumer = b->consumer,
			.n_in = b->n_in,
			.joined = b->joined,
			.cells = (double)b->cells};
		for (int32_t k = 0; k < b->n_in; k++)
			if (be->inputs[b->in_at + k] >= 0)
				tasks[p].function_cells +=
					function_cells(be, be->inputs[b->in_at + k]);
	}
	status = gpube__place(side, seconds, be->ctx, be->n, tasks, type, host, device);
	gpube__free(be->ctx, tasks);
	return status;
}

/* ---- what was reached ----------------------------------------------------------------- */

struct total {
	int32_t n;
	double joined, bytes, seconds, bound;
};

static void log_line(struct gpube_ctx *ctx, const char *what, const char *where,
	const struct total *t, bool moving)
{
	char bytes[GPUBE_BYTES_TEXT];

	gpube__log(ctx, GPUBE_LOG_DETAIL,
		"%s on the %s: %.3g joined cell%s, %s, %.4f s, %.0f %% of its %s", what, where,
		t->joined, gpube__plural(t->joined), gpube__bytes_text(bytes, t->bytes), t->seconds,
		100 * t->bound / fmax(t->seconds, 1e-12),
		moving ? "copy bandwidth" : "rate of add-mins");
}

void gpube__be_log(const struct gpube_be *be, const struct gpube_be_sides *sides,
	enum gpube_type type, const struct gpube_be_times *times)
{
	struct gpube_ctx *ctx = be->ctx;
	struct total total[2] = {{0}};
	struct gpube_rate rate[2] = {{.copy = 1}, {.copy = 1}};
	double all = 0;
	char what[80];

	for (int side = 0; side < 2; side++)
		if (sides->ops[side])
			rate[side] = gpube__rate_of(ctx, sides->ops[side]);
	for (int32_t p = 0; p < be->n; p++)
		all += times->buckets[p];
	for (int32_t p = 0; p < be->n; p++) {
		int side = gpube__side_of(sides, p);
		const struct gpube_rate *r = &rate[side];
		const char *where = sides->ops[side] ? sides->ops[side]->name : "";
		struct total *sum = &total[side];
		struct total one = {
			1, be->buckets[p].joined, bucket_bytes(be, p, type), times->buckets[p], 0};

		one.bound = gpube__contract_bound(r, type, one.joined, one.bytes);
		sum->n++;
		sum->joined += one.joined;
		sum->bytes += one.bytes;
		sum->seconds += one.seconds;
		sum->bound += one.bound;
		if (one.seconds < all / 10)
			continue;
		snprintf(what, sizeof(what), "bucket %d, %d variable%s, %d table%s,", p,
			be->buckets[p].n_scope + 1, gpube__plural(be->buckets[p].n_scope + 1),
			be->buckets[p].n_in, gpube__plural(be->buckets[p].n_in));
		log_line(ctx, what, where, &one, one.bytes / r->copy >= one.bound);
	}
	for (int side = 0; side < 2; side++) {
		if (!total[side].n || !sides->ops[side])
			continue;
		snprintf(what, sizeof(what), "%d bucket%s", total[side].n,
			gpube__plural(total[side].n));
		log_line(ctx, what, sides->ops[side]->name, &total[side],
			total[side].bytes / rate[side].copy >= total[side].bound / 2);
	}
	if (times->copying > 0)
		gpube__log(ctx, GPUBE_LOG_DETAIL, "copies between host and device: %.4f s",
			times->copying);
}
