/* place.c - see place.h. */
#include "gpube/ops/place.h"

#include "gpube/base/base.h"
#include "gpube/ops/pick.h"

/* Of a task and all below it, in seconds: by side, and with all of it on the host. */
struct best {
	double on[2], host;
	double message_cells; /* of the tables that other tasks send it */
	bool has_messages;
};

static double crossing(double cells, int from, const struct gpube_rate *device, size_t size)
{
	const double bytes = cells * (double)size;

	return device->round_trip + bytes / (from ? device->download : device->upload);
}

/* The side from which a task's table best comes to one that is worked on at 'to'. */
static int best_from(const struct best *best, const struct gpube_place *task, int to,
	const struct gpube_rate *device, size_t size)
{
	return best->on[!to] + crossing(task->cells, !to, device, size) < best->on[to] ? !to : to;
}

/* All that sends to this task is done: adds what the task itself takes. */
static void add_own(struct best *b, const struct gpube_place *task, enum gpube_type type,
	const struct gpube_rate *host, const struct gpube_rate *device)
{
	const double size = (double)gpube__type_size(type);
	const double bytes = (task->cells + task->function_cells + b->message_cells) * size;
	const double here = gpube__contract_seconds(
		host, gpube__ops_cpu(), type, task->n_in, task->joined, bytes);

	b->host += here;
	b->on[0] += here;
	b->on[1] += gpube__contract_seconds(device, NULL, type, task->n_in, task->joined, bytes) +
		    task->function_cells * size / device->upload;
	/* of the device, while the assignment is read off */
	if (b->has_messages || task->consumer < 0)
		b->on[1] += device->round_trip;
}

static void add_to_consumer(struct best *to, const struct best *b, const struct gpube_place *task,
	const struct gpube_rate *device, size_t size)
{
	to->has_messages = true;
	to->message_cells += task->cells;
	to->host += b->host;
	for (int side = 0; side < 2; side++) {
		const int from = best_from(b, task, side, device, size);

		to->on[side] += b->on[from] +
				(from != side ? crossing(task->cells, from, device, size) : 0);
	}
}

int gpube__place(uint8_t *side, double seconds[2], struct gpube_ctx *ctx, int32_t n,
	const struct gpube_place *tasks, enum gpube_type type, const struct gpube_rate *host,
	const struct gpube_rate *device)
{
	const size_t size = gpube__type_size(type);
	struct best *best = gpube__alloc_zero(ctx, (uint64_t)n, sizeof(*best));

	if (!best)
		return GPUBE_ENOMEM;
	seconds[0] = seconds[1] = 0;
	for (int32_t k = 0; k < n; k++) {
		add_own(&best[k], &tasks[k], type, host, device);
		if (tasks[k].consumer >= 0)
			add_to_consumer(
				&best[tasks[k].consumer], &best[k], &tasks[k], device, size);
	}
	/* a consumer comes behind what it takes: from the last task on, sides are known */
	for (int32_t k = n - 1; k >= 0; k--) {
		const int32_t consumer = tasks[k].consumer;

		if (consumer >= 0) {
			side[k] = (uint8_t)best_from(
				&best[k], &tasks[k], side[consumer], device, size);
			continue;
		}
		side[k] = best[k].on[1] < best[k].on[0];
		seconds[0] += best[k].host;
		seconds[1] += best[k].on[side[k]];
	}
	gpube__free(ctx, best);
	return GPUBE_OK;
}
