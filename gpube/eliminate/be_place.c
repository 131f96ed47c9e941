/* be_place.c - see be_place.h. */
#include "gpube/eliminate/be_place.h"
#include "gpube/eliminate/be_load.h"
#include "gpube/ops/pick.h"

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

double gpube__be_bucket_bytes(const struct gpube_be *be, int32_t p, enum gpube_type type)
{
	const struct gpube_bucket *b = &be->buckets[p];
	double cells = (double)b->cells;

	for (int32_t k = 0; k < b->n_in; k++)
		cells += input_cells(be, be->inputs[b->in_at + k]);
	return cells * (double)gpube__type_size(type);
}

/* ---- the best sides ------------------------------------------------------------------- */

/* Of a bucket and all below it, in seconds: by side, and with all of it on the host. */
struct best {
	double on[2], host;
};

static double crossing(const struct gpube_be *be, int32_t p, int from,
	const struct gpube_rate *device, size_t size)
{
	double bytes = (double)be->buckets[p].cells * (double)size;

	return device->round_trip + bytes / (from ? device->download : device->upload);
}

/* The side from which the message of bucket p best comes to one that is worked on at 'to'. */
static int best_from(const struct gpube_be *be, const struct best *best, int32_t p, int to,
	const struct gpube_rate *device, size_t size)
{
	return best[p].on[!to] + crossing(be, p, !to, device, size) < best[p].on[to] ? !to : to;
}

static void add_inputs(struct best *best, const struct gpube_be *be, int32_t p,
	const struct gpube_rate *device, size_t size)
{
	const struct gpube_bucket *b = &be->buckets[p];
	bool fetches = b->consumer < 0; /* of the device, while the assignment is read off */

	for (int32_t k = 0; k < b->n_in; k++) {
		int32_t id = be->inputs[b->in_at + k];

		if (id >= 0) {
			best[p].on[1] += function_cells(be, id) * (double)size / device->upload;
			continue;
		}
		fetches = true;
		best[p].host += best[~id].host;
		for (int to = 0; to < 2; to++) {
			int from = best_from(be, best, ~id, to, device, size);

			best[p].on[to] += best[~id].on[from] +
					  (from != to ? crossing(be, ~id, from, device, size) : 0);
		}
	}
	if (fetches)
		best[p].on[1] += device->round_trip;
}

int gpube__be_place(uint8_t *side, double seconds[2], const struct gpube_be *be,
	enum gpube_type type, const struct gpube_rate *host, const struct gpube_rate *device)
{
	const size_t size = gpube__type_size(type);
	struct best *best = gpube__alloc_zero(be->ctx, (uint64_t)be->n, sizeof(*best));

	if (!best)
		return GPUBE_ENOMEM;
	seconds[0] = seconds[1] = 0;
	for (int32_t p = 0; p < be->n; p++) {
		double bytes = gpube__be_bucket_bytes(be, p, type);
		double joined = be->buckets[p].joined;
		int n_in = be->buckets[p].n_in;

		best[p].on[0] = best[p].host =
			gpube__contract_seconds(host, gpube__ops_cpu(), type, n_in, joined, bytes);
		best[p].on[1] = gpube__contract_seconds(device, NULL, type, n_in, joined, bytes);
		add_inputs(best, be, p, device, size);
	}
	/* a consumer comes behind what it takes: from the last bucket on, sides are known */
	for (int32_t p = be->n - 1; p >= 0; p--) {
		int32_t consumer = be->buckets[p].consumer;

		if (consumer >= 0) {
			side[p] = (uint8_t)best_from(be, best, p, side[consumer], device, size);
			continue;
		}
		side[p] = best[p].on[1] < best[p].on[0];
		seconds[0] += best[p].host;
		seconds[1] += best[p].on[side[p]];
	}
	gpube__free(be->ctx, best);
	return GPUBE_OK;
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
		"%s on the %s: %.3g joined cells, %s, %.4f s, %.0f %% of its %s", what, where,
		t->joined, gpube__bytes_text(bytes, t->bytes), t->seconds,
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
		struct total one = {1, be->buckets[p].joined, gpube__be_bucket_bytes(be, p, type),
			times->buckets[p], 0};

		one.bound = gpube__contract_bound(r, type, one.joined, one.bytes);
		sum->n++;
		sum->joined += one.joined;
		sum->bytes += one.bytes;
		sum->seconds += one.seconds;
		sum->bound += one.bound;
		if (one.seconds < all / 10)
			continue;
		snprintf(what, sizeof(what), "bucket %d, %d variables, %d tables,", p,
			be->buckets[p].n_scope + 1, be->buckets[p].n_in);
		log_line(ctx, what, where, &one, one.bytes / r->copy >= one.bound);
	}
	for (int side = 0; side < 2; side++) {
		if (!total[side].n || !sides->ops[side])
			continue;
		snprintf(what, sizeof(what), "%d bucket%s", total[side].n,
			total[side].n == 1 ? "" : "s");
		log_line(ctx, what, sides->ops[side]->name, &total[side],
			total[side].bytes / rate[side].copy >= total[side].bound / 2);
	}
	if (times->copying > 0)
		gpube__log(ctx, GPUBE_LOG_DETAIL, "copies between host and device: %.4f s",
			times->copying);
}
