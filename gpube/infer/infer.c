/*
 * infer.c - gpube_infer(): what can occur, cases where zeros leave few, a plan, messages up, and
 * for marginals down again.
 */
#include "gpube/infer/infer_bounds.h"
#include "gpube/options/options.h"
#include "gpube/infer/infer_cases.h"
#include "gpube/ops/scratch.h"

#include <math.h>

static void clear_inference(struct gpube_ctx *ctx, void *result)
{
	struct gpube_inference *s = result;

	GPUBE_FREE_ALL(
		ctx, s->marginals, s->marginals_lower, s->marginals_upper, s->joint, s->drawn);
}

struct gpube_inference *gpube__inference_new(struct gpube_ctx *ctx)
{
	return gpube__result_new(ctx, sizeof(struct gpube_inference), clear_inference);
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
	status = gpube__infer_split_to_fit(j, 1 / 1.5, 2);
	return status ? status : gpube__infer_slices(j);
}

/*
 * Cases are tried before an order is searched, and before the sum, for such a part of what it is
 * predicted to take; the first time for two seconds at most, and of the time that is left for an
 * eighth.
 */
#define CASES_PART  0.25
#define FIRST_CASES 2.0
#define CASES_SHARE 0.125

static int first_cases(struct gpube_cases *cases, struct gpube__inferring *j)
{
	const double start = gpube__now(),
		     most = fmin(FIRST_CASES, CASES_SHARE * gpube__seconds_left(j->ctx));
	bool done = false;
	int status = gpube__cases_begin(cases, j);

	j->out->seconds_order = gpube__now() - start;
	if (!status)
		status = gpube__cases_run(cases, j,
			gpube__now() + fmin(most, CASES_PART * j->out->plan.predicted_seconds),
			false, &done);
	if (!status && done)
		gpube__infer_take(j);
	j->out->known = !status && done;
	j->out->seconds_sum = gpube__now() - start - j->out->seconds_order;
	return status;
}

/*
 * Of the time that is left, for mini-buckets of a formula: larger ones, and passes over them, lower
 * the bound of 2bitadd_11 from 10^157 to 10^120, as cases do not in a minute, which raise a lower
 * bound in seconds. Without an end so many seconds.
 */
#define BUCKETS_SHARE   0.3
#define BUCKETS_SECONDS 10.0

/* Cases until the time is up, or a stop, beside bounds of another kind first. */
static int last_cases(struct gpube_cases *cases, struct gpube__inferring *j)
{
	const double left = gpube__seconds_left(j->ctx);
	const double until = gpube__now() + (isinf(left) ? BUCKETS_SECONDS : BUCKETS_SHARE * left);
	bool done = false;
	int status = gpube__infer_bounds(j, cases->counting ? until : j->ctx->deadline, NULL);

	if (!status)
		status = gpube__cases_run(cases, j, 0, true, &done);
	if (!status && done)
		gpube__infer_take(j);
	j->out->known = !status && done;
	return status;
}

/*
 * Of the time that is left, for the intervals of marginals. Without an end they have one of their
 * own.
 */
#define INTERVALS_SHARE 0.7
#define DOUBT_SHARE     0.15 /* before a sum that may not end in time */
#define MOST_EDGE       0x1p16

static int intervals(struct gpube__inferring *j)
{
	const double left = gpube__seconds_left(j->ctx);

	return gpube__infer_intervals(j, isinf(left) ? MOST_EDGE : INFINITY,
		isinf(left) ? 0 : gpube__now() + INTERVALS_SHARE * left);
}

/* A sum that takes longer, or half of the time that is left, has bounds first. */
#define LONG_SUM 2.0

/* For these a part of what the sum takes, half a second at most, unless it may not end. */
static double seconds_before(const struct gpube__inferring *j, double seconds, double part)
{
	const double left = gpube__seconds_left(j->ctx);

	return seconds > left / 4 ? DOUBT_SHARE * left : fmin(part * seconds, 0.5);
}

static int sum_with_bounds(struct gpube__inferring *j, struct gpube_cases *cases, int planned)
{
	const double seconds = j->out->plan.predicted_seconds;
	const bool is_long = seconds > fmin(LONG_SUM, gpube__seconds_left(j->ctx) / 2);
	bool try = !planned, done = false;
	int status = GPUBE_OK;

	/* what would take twice the time that is left is not begun */
	if (try && seconds > 2 * gpube__seconds_left(j->ctx)) {
		try = false;
		gpube__fail(j->ctx, GPUBE_ELIMIT,
			"the sum is predicted to take %.3g s, which are not left", seconds);
	}
	if (try)
		status = gpube__cases_run(cases, j,
			gpube__now() + fmin(CASES_PART * seconds, gpube__seconds_left(j->ctx) / 4),
			false, &done);
	if (done) {
		gpube__infer_take(j);
		j->out->known = 1;
		return GPUBE_OK;
	}
	if (!status && try && is_long && j->opts->task == GPUBE_INFER_MAR)
		status = gpube__infer_intervals(
			j, INFINITY, gpube__now() + seconds_before(j, seconds, 1.0 / 40));
	if (!status && try && is_long)
		status = gpube__infer_bounds(
			j, gpube__now() + seconds_before(j, seconds, 1.0 / 20), NULL);
	if (!status && try) {
		status = sum_all(j);
		j->out->known = !status;
		if (!status || (status != GPUBE_ESTOP && status != GPUBE_ELIMIT))
			return status;
		j->most_roundings = j->roundings = 0;
	}
	if (status && status != GPUBE_ESTOP && status != GPUBE_ELIMIT)
		return status;
	status = GPUBE_OK;
	gpube__log(j->ctx, GPUBE_LOG_NOTE, "%s", j->ctx->error);
	/* what was stopped after its bounds has them */
	if (j->opts->task == GPUBE_INFER_MAR)
		status = intervals(j);
	if (status)
		return status;
	if (j->log_upper < INFINITY && gpube__stopped(j->ctx))
		status = gpube__cases_run(cases, j, 0, true, &done);
	else
		status = last_cases(cases, j);
	if (j->out->known)
		return status;
	j->out->log10_z = NAN;
	gpube__infer_take_bounds(j, false);
	return status;
}

/* The sum alone is that of a smaller model. */
static int leave_barren(struct gpube__inferring *j)
{
	int status;

	if (j->opts->task != GPUBE_INFER_PR || (j->slicer && !j->slicer->any_model))
		return GPUBE_OK;
	status = gpube__barren_find(&j->barren, j->m);
	if (status || !j->barren.n)
		return status;
	for (int32_t i = 0; i < j->m->n_vars; i++) {
		const bool observed = j->m->evidence && j->m->evidence[i] >= 0;

		if (observed || j->barren.m.evidence[i] < 0)
			continue;
		j->barren.m.evidence[i] = j->possible.values[j->possible.first[i]];
		j->possible.n[i] = 1;
	}
	gpube__log(j->ctx, GPUBE_LOG_DETAIL, "%d variable%s of one function sum to a constant",
		j->barren.n, gpube__plural(j->barren.n));
	j->m = &j->barren.m;
	return GPUBE_OK;
}

static int infer(struct gpube__inferring *j, struct gpube_cases *cases)
{
	struct gpube_inference *out = j->out;
	bool done = false;
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
	status = leave_barren(j);
	if (!status && j->opts->task == GPUBE_INFER_MAR && !(j->slicer && !j->slicer->any_model) &&
		j->opts->order_method != GPUBE_ORDER_GIVEN) {
		status = gpube__infer_ancestral(j, &done);
		if (!status && done) {
			gpube__infer_take(j);
			out->known = 1;
			return GPUBE_OK;
		}
	}
	if (!status && (j->opts->task == GPUBE_INFER_PR || j->opts->bounds) &&
		j->opts->order_method != GPUBE_ORDER_GIVEN)
		status = first_cases(cases, j);
	if ((status && status != GPUBE_ESTOP) || out->known)
		return status;
	start = gpube__now();
	status = gpube__infer_plan(j);
	out->seconds_order += gpube__now() - start;
	if (status == GPUBE_ELIMIT && j->scopes && gpube__infer_split_to_fit(j, 1, 2) == GPUBE_OK &&
		out->plan.predicted_seconds < MOST_SECONDS)
		status = GPUBE_OK;
	if (!status && !j->slices &&
		(j->slicer ? out->plan.joined_cells >= j->slicer->least_cells : j->side != NULL))
		status = gpube__infer_split_to_fit(j, 1, 1);
	if (j->opts->bounds && (status == GPUBE_ELIMIT || status == GPUBE_ESTOP)) {
		start = gpube__now();
		status = sum_with_bounds(j, cases, status);
		out->seconds_sum = gpube__now() - start;
		return status;
	}
	if (status)
		return status;
	gpube__log(j->ctx, GPUBE_LOG_DETAIL,
		"order: width %d, %.3g joined cell%s, largest table %.3g cell%s (%.2f s)",
		out->plan.width, out->plan.joined_cells, gpube__plural(out->plan.joined_cells),
		out->plan.largest_message, gpube__plural(out->plan.largest_message),
		out->seconds_order);
	out->backend = !j->side || !j->n_on_card ? "cpu"
		       : j->n_on_card < j->n     ? "cpu+cuda"
						 : "cuda";
	start = gpube__now();
	if (j->opts->bounds) {
		status = sum_with_bounds(j, cases, GPUBE_OK);
	} else {
		status = sum_all(j);
		out->known = !status;
		if (status)
			gpube__infer_take_bounds(j, false);
	}
	out->seconds_sum = gpube__now() - start;
	return status;
}

int gpube__infer_sliced(struct gpube_inference **out, const struct gpube_model *m,
	const struct gpube_opts *opts, const struct gpube_slicer *slicer)
{
	struct gpube_opts o;
	struct gpube__inferring j = {.m = m, .opts = &o, .slicer = slicer};
	struct gpube_cases cases = {0};
	struct gpube_ctx *ctx;
	double deadline;
	int status;

	if (out)
		*out = NULL;
	if (!out || !m)
		return gpube__missing(m ? m->ctx : NULL);
	j.ctx = ctx = m->ctx;
	status = gpube__infer_check(&o, m, opts, GPUBE__ON_INFER);
	if (status)
		return status;
	j.out = gpube__inference_new(ctx);
	if (!j.out)
		return GPUBE_ENOMEM;
	j.out->backend = "cpu";
	deadline = gpube__time_limit(ctx, gpube__now(), j.opts->timeout_seconds);
	status = gpube__scratch_open(ctx);
	gpube__scratch_keep(ctx, ctx->memory_bytes / GPUBE_INFER_KEPT);
	if (!status)
		status = infer(&j, &cases);
	ctx->deadline = deadline;
	gpube__cases_clear(&cases);
	gpube__infer_clear(&j);
	gpube__scratch_keep(ctx, 0);
	if (!j.out->known) {
		gpube__free(ctx, j.out->marginals);
		j.out->marginals = NULL;
	}
	if (status && status != GPUBE_ELIMIT && status != GPUBE_ESTOP) {
		gpube_result_free(j.out);
		return status;
	}
	*out = j.out;
	return status;
}
