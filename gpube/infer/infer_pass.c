/*
 * infer_pass.c - messages up the bucket tree, and what a query takes: see infer.h.
 *
 * Up: a bucket's message is the sum over its variable of the product of its functions and its
 * children's messages. A root's message is the sum over its component.
 *
 * Roundings. All numbers are >= 0, so relative errors do not grow by addition: the most roundings
 * on the way to a number bound its error.
 */
#include "gpube/infer/infer.h"
#include "gpube/options/options.h"

#include <math.h>
#include <stdio.h>

/* ---- up ------------------------------------------------------------------------------ */

static int up_here(struct gpube__inferring *j, int32_t b)
{
	struct gpube_sum_bucket *bucket = &j->buckets[b];
	const int32_t *scope = gpube__infer_scope(j, b);
	struct gpube_sum_operand out;
	struct gpube_sum_job job = {.n_out = 1, .out = &out};
	struct gpube_infer_inputs in;
	int status = gpube__infer_gather(&in, j, b, &job, false);

	if (!status)
		status = gpube__infer_here(j, b);
	if (!status)
		status = gpube__sum_table_new(j->ctx, &bucket->message,
			gpube__infer_cells(j, bucket->arity - 1, scope + 1));
	if (!status) {
		gpube__infer_lay(&out, &bucket->message, &job, scope, bucket->arity - 1, scope + 1);
		status = gpube__sum_product(j->ctx, &job);
	}
	if (!status) {
		bucket->roundings = in.roundings + out.roundings;
		status = gpube__infer_apart(j, &bucket->message);
	}
	gpube__infer_inputs_clear(&in, j, b);
	return status;
}

static int up(struct gpube__inferring *j, int32_t b)
{
	bool done = false;
	int status = GPUBE_OK;

	if (j->side && j->side[b])
		status = gpube__infer_up_card(j, b, &done);
	return status || done ? status : up_here(j, b);
}

int gpube__infer_constants(struct gpube__inferring *j)
{
	j->z = gpube__wide(1, 0);
	j->roundings = 0;
	for (int32_t f = 0; f < j->m->n_functions; f++) {
		const int32_t *scope = gpube__scope(j->m, f);
		struct gpube_visit w;
		bool fixed = true;
		int status;

		for (int k = 0; k < j->m->functions[f].arity; k++)
			fixed = fixed && j->position[scope[k]] < 0;
		if (!fixed)
			continue;
		status = gpube__visit_begin(&w, j->m, f, &j->possible);
		if (status)
			return status;
		j->z = gpube__wide_mul(j->z, gpube__wide(gpube__visit_value(&w), w.power));
		j->roundings++;
		gpube__free(j->ctx, w.axis);
	}
	return GPUBE_OK;
}

int gpube__infer_up(struct gpube__inferring *j)
{
	const bool keep = j->opts->task == GPUBE_INFER_MAR;
	double done = 0;
	int status = gpube__infer_constants(j);

	for (int32_t b = 0; b < j->n_up && !status; b++) {
		struct gpube_sum_bucket *bucket = &j->buckets[b];

		gpube__infer_drop(j, &bucket->message);
		status = up(j, b);
		done += (double)gpube__infer_cells(j, bucket->arity, gpube__infer_scope(j, b));
		gpube__infer_progress(j, done / j->out->plan.joined_cells / (keep ? 3 : 1));
		for (int32_t c = bucket->child; c >= 0; c = j->buckets[c].sibling)
			if (!keep || gpube__infer_is_spare(j, c))
				gpube__infer_drop(j, &j->buckets[c].message);
		if (status || bucket->parent >= 0)
			continue;
		j->roots[b] = gpube__sum_cell(&bucket->message, 0);
		j->z = gpube__wide_mul(j->z, j->roots[b]);
		j->roundings += bucket->roundings + 1;
	}
	return status;
}

/* ---- both ---------------------------------------------------------------------------- */

/* Bounds of log10 that are so close are a result. */
#define MET 1e-10

void gpube__infer_take_bounds(struct gpube__inferring *j, bool exact)
{
	struct gpube_inference *out = j->out;
	double error;

	if (exact) {
		error = log1p(out->relative_error) / log(10) +
			4 * 0x1p-52 * (fabs(out->log10_z) + 1);
		out->log10_lower = out->log10_upper = out->log10_z;
		if (out->log10_z != -INFINITY) {
			out->log10_lower -= error;
			out->log10_upper += error;
		}
		return;
	}
	error = gpube__infer_error(j->barren.roundings);
	out->log10_lower = (j->log_lower - error) / log(10);
	out->log10_upper = (j->log_upper + error) / log(10);
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

void gpube__infer_tell_bounds(struct gpube__inferring *j, const char *by)
{
	char lower[32], upper[32];
	const struct gpube_log said = {.seconds = gpube__now() - j->told_from,
		.worked = GPUBE__MOMENT, /* what is small has no bounds */
		.proved = j->log_upper < INFINITY ? upper : NULL,
		.found = j->log_lower > -INFINITY ? lower : NULL,
		.maximise = true,
		.gap = -1,
		.by = by};

	if (j->log_lower <= j->told_lower + 0.01 && j->log_upper >= j->told_upper - 0.01)
		return;
	j->told_lower = j->log_lower;
	j->told_upper = j->log_upper;
	snprintf(lower, sizeof(lower), "10^%.9g", j->log_lower / log(10));
	snprintf(upper, sizeof(upper), "10^%.9g", j->log_upper / log(10));
	gpube__log_bounds(j->ctx, said);
}

void gpube__infer_take(struct gpube__inferring *j)
{
	struct gpube_inference *out = j->out;

	out->log10_z = gpube__wide_log10(j->z);
	out->relative_error =
		j->z.m == 0 ? 0
			    : gpube__infer_error(
				      fmax(j->roundings + j->barren.roundings, j->most_roundings));
	gpube__infer_take_bounds(j, true);
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
