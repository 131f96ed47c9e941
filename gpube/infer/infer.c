/* infer.c - gpube_infer(): what can occur, a plan, messages up, and for marginals down again. */
#include "gpube/infer/infer.h"
#include "gpube/ir/options.h"

#include <math.h>

#define UNIT 0x1p-53 /* a rounding's relative error */

void gpube_inference_free(struct gpube_inference *s, struct gpube_ctx *ctx)
{
	if (!s || !ctx)
		return;
	gpube__free(ctx, s->marginals);
	gpube__free(ctx, s);
}

void gpube__infer_clear(struct gpube__inferring *j)
{
	for (int32_t b = 0; j->buckets && b < j->n; b++)
		gpube__sum_table_clear(j->ctx, &j->buckets[b].message);
	gpube__possible_clear(j->ctx, &j->possible);
	gpube__free(j->ctx, j->var);
	gpube__free(j->ctx, j->position);
	gpube__free(j->ctx, j->buckets);
	gpube__free(j->ctx, j->functions);
	gpube__free(j->ctx, j->scopes);
	gpube__free(j->ctx, j->roots);
	gpube__free(j->ctx, j->marginals_at);
	gpube__free(j->ctx, j->side);
	gpube__free(j->ctx, j->home);
}

int gpube__infer_begin(struct gpube__inferring *j)
{
	const struct gpube_model *m = j->m;
	int status = gpube__possible_find(&j->possible, m);

	if (status)
		return status;
	for (int32_t i = 0; i < m->n_vars; i++) {
		j->out->n_values += gpube__n_possible(&j->possible, i);
		j->out->n_removed += m->vars[i].domain - gpube__n_possible(&j->possible, i);
	}
	gpube__log(j->ctx, GPUBE_LOG_DETAIL, "%lld of %lld values can occur",
		(long long)j->out->n_values, (long long)(j->out->n_values + j->out->n_removed));
	return GPUBE_OK;
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

double gpube__infer_error(double roundings)
{
	return roundings * UNIT < 1 ? roundings * UNIT / (1 - roundings * UNIT) : INFINITY;
}

int gpube__infer_sum(struct gpube__inferring *j)
{
	struct gpube_inference *out = j->out;
	int status = gpube__infer_up(j);

	if (status)
		return status;
	out->log10_z = gpube__wide_log10(j->z);
	if (j->opts->task == GPUBE_INFER_MAR && j->z.m != 0) {
		status = make_marginals(j);
		if (!status)
			status = gpube__infer_down(j);
	}
	out->relative_error = j->z.m == 0 ? 0 : gpube__infer_error(fmax(j->roundings, j->most_roundings));
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
		return GPUBE_OK;
	}
	start = gpube__now();
	status = gpube__infer_plan(j);
	out->seconds_order = gpube__now() - start;
	if (status)
		return status;
	gpube__log(j->ctx, GPUBE_LOG_DETAIL, "order: width %d, %.3g joined cells, largest table %.3g cells (%.2f s)",
		out->plan.width, out->plan.joined_cells, out->plan.largest_message, out->seconds_order);
	out->backend = !j->side ? "cpu" : j->n_on_card < j->n ? "cpu+cuda" : "cuda";
	start = gpube__now();
	status = gpube__infer_sum(j);
	out->seconds_sum = gpube__now() - start;
	out->known = !status;
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
	if (status) {
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
