/* infer.c - gpube_infer(): what can occur, a plan, messages up, and for marginals down again. */
#include "gpube/infer/infer_bounds.h"

#include <math.h>

void gpube_inference_free(struct gpube_inference *s, struct gpube_ctx *ctx)
{
	if (!s || !ctx)
		return;
	gpube__free(ctx, s->marginals);
	gpube__free(ctx, s);
}

/* Slices that would take longer than this are not begun. */
#define MOST_SECONDS 1e5

/* In slices, where that has been decided or turns out to be needed. */
static int sum_all(struct gpube__inferring *j)
{
	int status = j->slices ? gpube__infer_slices(j) : gpube__infer_sum(j);

	if (status != GPUBE_ELIMIT)
		return status;
	/* cells have powers: then a table takes half as much again */
	for (int32_t b = 0; b < j->n; b++)
		gpube__sum_table_clear(j->ctx, &j->buckets[b].message);
	gpube__free(j->ctx, j->out->marginals);
	j->out->marginals = NULL;
	gpube__free(j->ctx, j->slices);
	j->slices = NULL;
	status = gpube__infer_cut(j, gpube__infer_room(j) / 1.5);
	return status ? status : gpube__infer_slices(j);
}

/* A sum that takes longer has bounds first, for a twentieth of that time and half a second at most. */
#define LONG_SUM 0.1

static int sum_with_bounds(struct gpube__inferring *j, int planned)
{
	const double seconds = j->out->plan.predicted_seconds;
	bool try = !planned;
	int status = GPUBE_OK;

	/* what would take twice the time that is left is not begun */
	if (try && j->ctx->deadline > 0 && seconds > 2 * (j->ctx->deadline - gpube__now())) {
		try = false;
		gpube__fail(j->ctx, GPUBE_ELIMIT, "the sum is predicted to take %.3g s, which are not left", seconds);
	}
	if (try && seconds > LONG_SUM)
		status = gpube__infer_bounds(j, gpube__now() + fmin(seconds / 20, 0.5), NULL);
	if (!status && try) {
		status = sum_all(j);
		j->out->known = !status;
		if (!status || (status != GPUBE_ESTOP && status != GPUBE_ELIMIT))
			return status;
		j->most_roundings = j->roundings = 0;
	}
	if (status && status != GPUBE_ESTOP && status != GPUBE_ELIMIT)
		return status;
	gpube__log(j->ctx, GPUBE_LOG_NOTE, "%s", j->ctx->error);
	/* what was stopped after its bounds has them */
	status = j->log_upper < INFINITY && gpube__stopped(j->ctx) ? GPUBE_OK
								   : gpube__infer_bounds(j, j->ctx->deadline, NULL);
	j->out->log10_z = NAN;
	gpube__infer_take_bounds(j, false);
	return status;
}

static int infer(struct gpube__inferring *j)
{
	struct gpube_inference *out = j->out;
	double start;
	int status = gpube__infer_begin(j);

	if (status)
		return status;
	if (j->possible.none) {
		out->log10_z = -INFINITY;
		out->known = 1;
		gpube__infer_take_bounds(j, true);
		return GPUBE_OK;
	}
	start = gpube__now();
	status = gpube__infer_plan(j);
	out->seconds_order = gpube__now() - start;
	if (status == GPUBE_ELIMIT && j->scopes && gpube__infer_cut(j, gpube__infer_room(j)) == GPUBE_OK &&
		out->plan.predicted_seconds < MOST_SECONDS)
		status = GPUBE_OK;
	if (j->opts->bounds && (status == GPUBE_ELIMIT || status == GPUBE_ESTOP)) {
		start = gpube__now();
		status = sum_with_bounds(j, status);
		out->seconds_sum = gpube__now() - start;
		return status;
	}
	if (status)
		return status;
	gpube__log(j->ctx, GPUBE_LOG_DETAIL, "order: width %d, %.3g joined cells, largest table %.3g cells (%.2f s)",
		out->plan.width, out->plan.joined_cells, out->plan.largest_message, out->seconds_order);
	out->backend = !j->side ? "cpu" : j->n_on_card < j->n ? "cpu+cuda" : "cuda";
	start = gpube__now();
	if (j->opts->bounds) {
		status = sum_with_bounds(j, GPUBE_OK);
	} else {
		status = sum_all(j);
		out->known = !status;
		if (status)
			gpube__infer_take_bounds(j, false);
	}
	out->seconds_sum = gpube__now() - start;
	return status;
}

int gpube_infer(struct gpube_inference **out, const struct gpube_model *m, const struct gpube_infer_opts *opts)
{
	static const struct gpube_infer_opts none = {.sizeof_options = sizeof(none)};
	struct gpube__inferring j = {.m = m, .opts = opts ? opts : &none};
	struct gpube_ctx *ctx;
	double deadline;
	int status;

	if (out)
		*out = NULL;
	if (!out || !m)
		return gpube__missing(m ? m->ctx : NULL);
	j.ctx = ctx = m->ctx;
	status = gpube__infer_check(m, j.opts);
	if (status)
		return status;
	j.out = gpube__alloc_zero(ctx, 1, sizeof(*j.out));
	if (!j.out)
		return GPUBE_ENOMEM;
	j.out->backend = "cpu";
	deadline = ctx->deadline;
	if (j.opts->timeout_seconds > 0)
		ctx->deadline = gpube__now() + j.opts->timeout_seconds;
	status = infer(&j);
	ctx->deadline = deadline;
	gpube__infer_clear(&j);
	if (!j.out->known) {
		gpube__free(ctx, j.out->marginals);
		j.out->marginals = NULL;
	}
	if (status && status != GPUBE_ELIMIT && status != GPUBE_ESTOP) {
		gpube_inference_free(j.out, ctx);
		return status;
	}
	*out = j.out;
	return status;
}
