/* infer.c - gpube_infer(): what can occur, a plan, messages up, and for marginals down again. */
#include "gpube/infer/infer_bounds.h"
#include "gpube/ir/options.h"

#include <math.h>

void gpube_inference_free(struct gpube_inference *s, struct gpube_ctx *ctx)
{
	if (!s || !ctx)
		return;
	gpube__free(ctx, s->marginals);
	gpube__free(ctx, s);
}

static int make_marginals(struct gpube__inferring *j)
{
	int64_t n = 0;

	j->marginals_at = gpube__alloc(j->ctx, (uint64_t)j->m->n_vars, sizeof(*j->marginals_at));
	if (!j->marginals_at)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < j->m->n_vars; i++) {
		j->marginals_at[i] = n;
		n += j->m->vars[i].domain;
	}
	j->out->marginals = gpube__alloc_zero(j->ctx, (uint64_t)n, sizeof(*j->out->marginals));
	return j->out->marginals ? GPUBE_OK : GPUBE_ENOMEM;
}

int gpube__infer_marginals(struct gpube__inferring *j)
{
	int status;

	gpube__free(j->ctx, j->marginals_at); /* of a query before */
	j->most_roundings = 0;
	status = make_marginals(j);
	return status ? status : gpube__infer_down(j);
}

/* Bounds of log10 that are so close are a result. */
#define MET 1e-10

/* What log10_z is, rounded outwards; of a sum that is known within its error. */
static void take_bounds(struct gpube__inferring *j, bool exact)
{
	struct gpube_inference *out = j->out;
	double error;

	if (exact) {
		error = log1p(out->relative_error) / log(10) + 4 * 0x1p-52 * (fabs(out->log10_z) + 1);
		out->log10_lower = out->log10_upper = out->log10_z;
		if (out->log10_z != -INFINITY) {
			out->log10_lower -= error;
			out->log10_upper += error;
		}
		return;
	}
	out->log10_lower = j->log_lower / log(10);
	out->log10_upper = j->log_upper / log(10);
	if (out->log10_lower != -INFINITY)
		out->log10_lower -= 4 * 0x1p-52 * (fabs(out->log10_lower) + 1);
	if (isfinite(out->log10_upper))
		out->log10_upper += 4 * 0x1p-52 * (fabs(out->log10_upper) + 1);
	if (out->log10_upper == -INFINITY) {
		out->log10_z = -INFINITY;
		out->known = 1;
	} else if (j->opts->task == GPUBE_INFER_PR && out->log10_upper - out->log10_lower < MET) {
		out->log10_z = out->log10_lower + (out->log10_upper - out->log10_lower) / 2;
		out->relative_error = expm1((out->log10_upper - out->log10_lower) * log(10));
		out->known = 1;
	}
}

void gpube__infer_take(struct gpube__inferring *j)
{
	struct gpube_inference *out = j->out;

	out->log10_z = gpube__wide_log10(j->z);
	out->relative_error = j->z.m == 0 ? 0 : gpube__infer_error(fmax(j->roundings, j->most_roundings));
	take_bounds(j, true);
}

int gpube__infer_sum(struct gpube__inferring *j)
{
	int status = gpube__infer_up(j);

	if (status)
		return status;
	if (j->opts->task == GPUBE_INFER_MAR && j->z.m != 0)
		status = gpube__infer_marginals(j);
	gpube__infer_take(j);
	return status;
}

/* A sum that takes longer has bounds first, for a twentieth of that time and half a second at most. */
#define LONG_SUM 0.5

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
		status = gpube__infer_sum(j);
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
	take_bounds(j, false);
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
		take_bounds(j, true);
		return GPUBE_OK;
	}
	start = gpube__now();
	status = gpube__infer_plan(j);
	out->seconds_order = gpube__now() - start;
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
		status = gpube__infer_sum(j);
		out->known = !status;
	}
	out->seconds_sum = gpube__now() - start;
	return status;
}

static int check_options(const struct gpube_model *m, const struct gpube_infer_opts *o)
{
	int status;

	if (o->sizeof_options != sizeof(*o))
		return gpube__fail(m->ctx, GPUBE_EINVAL, "sizeof_options is not set");
	if (m->kind != GPUBE_POTENTIALS)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"a model of costs has no probabilities to sum: .uai files have");
	status = gpube__check_choice(m->ctx, "task", (int)o->task, GPUBE_INFER_MAR);
	if (status)
		return status;
	return gpube__check_engine(m,
		&(struct gpube__engine_opts){(int)o->order_method, o->order, o->order_seconds,
			o->timeout_seconds, o->backend, 0});
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
	status = check_options(m, j.opts);
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
