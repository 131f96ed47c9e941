/*
 * mbe_place.c - which backend works on each bucket of a run of mini-buckets.
 *
 * Mini-buckets form a forest as buckets do, each with one that takes its message, so that
 * ops/place.h finds the best side of each. But what is matched is matched on one side, and all that
 * a bucket sends to the device goes there together: a bucket is worked on where the largest of its
 * minis is best worked on.
 */
#include "gpube/ops/pick.h"
#include "gpube/ops/place.h"
#include "gpube/relax/mbe/mbe.h"

#include <string.h>

/* The sides of the minis, each a task of its own. */
static int place_minis(uint8_t *side, double seconds[2], const struct gpube_mbe *mbe,
	enum gpube_type type, const struct gpube_rate *host, const struct gpube_rate *device)
{
	const struct gpube_model *m = mbe->m;
	struct gpube_place *tasks =
		gpube__alloc_zero(mbe->ctx, (uint64_t)mbe->n_minis, sizeof(*tasks));
	int status;

	if (!tasks)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < mbe->n_minis; k++) {
		const struct gpube_mini *mini = &mbe->minis[k];
		const int32_t domain = m->vars[mbe->order[mini->position]].domain;

		tasks[k] = (struct gpube_place){.consumer = -1,
			.n_in = mini->n_in,
			.joined = (double)mini->cells * domain,
			.cells = (double)mini->cells};
		for (int32_t i = 0; i < mini->n_in; i++) {
			const int32_t id = mbe->inputs[mini->in_at + i];

			if (id < 0) /* of an earlier mini */
				tasks[~id].consumer = k;
			else
				tasks[k].function_cells += (double)gpube__cells(
					m, m->functions[id].arity, gpube__scope(m, id));
		}
	}
	status = gpube__place(side, seconds, mbe->ctx, mbe->n_minis, tasks, type, host, device);
	gpube__free(mbe->ctx, tasks);
	return status;
}

/* The side of each position from that of its minis. True if any is the device. */
static bool sides_of_positions(uint8_t *side, const uint8_t *of_mini, const struct gpube_mbe *mbe)
{
	bool any = false;

	for (int32_t p = 0; p < mbe->n; p++) {
		int32_t largest = mbe->first[p];

		for (int32_t k = largest + 1; k < mbe->first[p + 1]; k++)
			if (mbe->minis[k].cells > mbe->minis[largest].cells)
				largest = k;
		side[p] = of_mini[largest];
		any |= side[p];
	}
	return any;
}

/*
 * How many times as long the host is to take for a device to be opened: what is predicted may be
 * several times what joins take, and on a busy machine opening takes longer.
 */
#define WORTH_OPENING 3.0

/* Sides for the run, where a device is worth opening; r->side stays NULL where it is not. */
static int place(struct gpube_mbe_run *r, double bytes)
{
	const struct gpube_mbe *mbe = r->mbe;
	struct gpube_ctx *ctx = mbe->ctx;
	const struct gpube_rate host = gpube__rate_of(ctx, gpube__ops_cpu());
	const struct gpube_rate device = gpube__rate_of(ctx, NULL);
	uint8_t *of_mini = gpube__alloc(ctx, (uint64_t)mbe->n_minis, sizeof(*of_mini));
	uint8_t *side = gpube__alloc(ctx, (uint64_t)mbe->n, sizeof(*side));
	const struct gpube_ops *cuda;
	const double open = gpube__open_seconds(ctx);
	double seconds[2];
	int status = of_mini && side ? GPUBE_OK : GPUBE_ENOMEM, none;

	if (!status)
		status = place_minis(of_mini, seconds, mbe, r->type, &host, &device);
	if (!status)
		gpube__log(ctx, GPUBE_LOG_DETAIL,
			"mini-buckets are predicted to take %.3g s on the host, %.3g with a "
			"device, %.3g to open it",
			seconds[0], seconds[1], open);
	if (!status && sides_of_positions(side, of_mini, mbe) &&
		(seconds[1] + open) * (open > 0 ? WORTH_OPENING : 1) < seconds[0]) {
		cuda = gpube__ops_cuda(ctx, &none);
		if (cuda && bytes <= (double)cuda->memory(ctx)) {
			r->device = cuda;
			r->side = side;
			side = NULL;
		}
	}
	gpube__free(ctx, of_mini);
	gpube__free(ctx, side);
	return status;
}

int gpube__mbe_place(struct gpube_mbe_run *r, enum gpube_backend how)
{
	double keep, least, bytes;
	int status = GPUBE_OK;

	if (how == GPUBE_BACKEND_CPU)
		return GPUBE_OK;
	gpube__mbe_memory(&keep, &least, r->mbe);
	bytes = r->keep ? keep : least;
	if (how == GPUBE_BACKEND_AUTO)
		return place(r, bytes);
	r->ops = gpube__ops_cuda(r->mbe->ctx, &status);
	if (!r->ops) {
		r->ops = gpube__ops_cpu(); /* whose nothing will be freed */
		return status;
	}
	return GPUBE_OK;
}
