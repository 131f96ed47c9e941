/*
 * infer_job.c - a bucket as a job of sums: its tables, and what is read off; and what a caller may
 * ask. See infer.h.
 */
#include "gpube/infer/infer.h"
#include "gpube/options/options.h"
#include "gpube/ir/given.h"

#include <math.h>

#define UNIT 0x1p-53 /* a rounding's relative error */

int gpube__infer_check(
	struct gpube_opts *o, const struct gpube_model *m, const struct gpube_opts *opts, int call)
{
	const int status = gpube__opts_for(o, m, opts, call);

	if (!status && m->kind != GPUBE_POTENTIALS)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"a model of costs has no probabilities to sum: .uai files have");
	return status;
}

int gpube__infer_mark_query(bool **last, const struct gpube_model *m, const struct gpube_opts *o)
{
	bool *is = *last = gpube__alloc_zero(m->ctx, (uint64_t)m->n_vars, sizeof(*is));

	if (!is)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < o->n_query; k++) {
		const int32_t var = o->query[k];

		if (var < 0 || var >= m->n_vars)
			return gpube__fail(m->ctx, GPUBE_EINVAL,
				"query variable %d: the model has 0 to %d", var, m->n_vars - 1);
		if (is[var])
			return gpube__fail(
				m->ctx, GPUBE_EINVAL, "query variable %d is there twice", var);
		is[var] = true;
	}
	return GPUBE_OK;
}

void gpube__infer_lay(struct gpube_sum_operand *o, struct gpube_sum_table *t,
	const struct gpube_sum_job *job, const int32_t *axes, int arity, const int32_t *scope)
{
	int64_t stride = 1;
	int k = arity - 1;

	*o = (struct gpube_sum_operand){.table = t};
	for (int a = job->n_axes - 1; a >= 0 && k >= 0; a--) {
		if (axes[a] != scope[k])
			continue;
		o->stride[a] = stride;
		stride *= job->dim[a];
		k--;
	}
}

void gpube__infer_axes(struct gpube_sum_job *job, const struct gpube__inferring *j, int arity,
	const int32_t *scope)
{
	job->n_axes = arity;
	for (int a = 0; a < arity; a++)
		job->dim[a] = gpube__infer_domain(j, scope[a]);
}

int gpube__infer_load(struct gpube_sum_table *t, struct gpube__inferring *j, int32_t function,
	struct gpube_sum_operand *o, const struct gpube_sum_job *job, const int32_t *axes)
{
	struct gpube_visit w;
	int64_t n = 1;
	int status = gpube__visit_begin(&w, j->m, function, &j->possible);

	if (status)
		return status;
	*o = (struct gpube_sum_operand){.table = t};
	for (int a = job->n_axes - 1; a >= 0; a--)
		for (int k = 0; k < w.n; k++)
			if (j->position[w.axis[k].var] == axes[a]) {
				o->stride[a] = w.axis[k].to = n;
				n *= job->dim[a];
			}
	status = gpube__sum_table_new(j->ctx, t, n);
	if (!status) {
		do
			t->cells[w.to] = gpube__visit_value(&w);
		while (gpube__visit_step(&w));
		status = gpube__sum_settle(j->ctx, t);
		t->power += w.power;
	}
	gpube__free(j->ctx, w.axis);
	return status;
}

void gpube__infer_inputs_clear(struct gpube_infer_inputs *in, struct gpube__inferring *j, int32_t b)
{
	for (int k = 0; in->functions && k < j->buckets[b].n_functions; k++)
		gpube__sum_table_clear(j->ctx, &in->functions[k]);
	gpube__free(j->ctx, in->functions);
	gpube__free(j->ctx, in->in);
}

int gpube__infer_gather(struct gpube_infer_inputs *in, struct gpube__inferring *j, int32_t b,
	struct gpube_sum_job *job, bool down)
{
	struct gpube_sum_bucket *bucket = &j->buckets[b];
	const int32_t *axes = gpube__infer_scope(j, b);
	const int most = bucket->n_functions + bucket->n_children + 1;
	int status = GPUBE_OK;

	*in = (struct gpube_infer_inputs){0};
	gpube__infer_axes(job, j, bucket->arity, axes);
	in->functions =
		gpube__alloc_zero(j->ctx, (uint64_t)bucket->n_functions, sizeof(*in->functions));
	in->in = gpube__alloc_zero(j->ctx, (uint64_t)most, sizeof(*in->in));
	if (!in->functions || !in->in)
		return GPUBE_ENOMEM;
	for (int k = 0; k < bucket->n_functions && !status; k++) {
		const int32_t f = j->functions[bucket->functions_at + k];

		status = gpube__infer_load(&in->functions[k], j, f, &in->in[in->n++], job, axes);
	}
	for (int32_t c = bucket->child; c >= 0 && !status; c = j->buckets[c].sibling) {
		gpube__infer_lay(&in->in[in->n++], &j->buckets[c].message, job, axes,
			j->buckets[c].arity - 1, gpube__infer_scope(j, c) + 1);
		in->roundings += j->buckets[c].roundings;
	}
	if (down && bucket->parent >= 0 && !status) {
		gpube__infer_lay(
			&in->in[in->n++], &bucket->message, job, axes, bucket->arity - 1, axes + 1);
		in->roundings += bucket->roundings;
	}
	job->n_in = in->n;
	job->in = in->in;
	return status;
}

int64_t gpube__infer_cells(const struct gpube__inferring *j, int arity, const int32_t *scope)
{
	int64_t n = 1;

	for (int k = 0; k < arity; k++)
		n *= gpube__infer_domain(j, scope[k]);
	return n;
}

int gpube__infer_apart(struct gpube__inferring *j, const struct gpube_sum_table *t)
{
	if (!t->powers)
		return GPUBE_OK;
	j->apart_bytes += (double)t->n * sizeof(*t->powers);
	if (j->out->plan.peak_bytes + j->apart_bytes <= (double)j->ctx->memory_bytes)
		return GPUBE_OK;
	return gpube__fail(j->ctx, GPUBE_ELIMIT,
		"the numbers of tables are so far apart that each takes 12 bytes, which the memory "
		"allowed does not hold");
}

void gpube__infer_drop(struct gpube__inferring *j, struct gpube_sum_table *t)
{
	if (t->powers)
		j->apart_bytes -= (double)t->n * sizeof(*t->powers);
	gpube__sum_table_clear(j->ctx, t);
}

int gpube__infer_begin_marginals(struct gpube__inferring *j)
{
	int64_t n = 0;

	j->most_roundings = 0;
	j->marginals_at = gpube__alloc(j->ctx, (uint64_t)j->m->n_vars, sizeof(*j->marginals_at));
	if (!j->marginals_at)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < j->m->n_vars; i++) {
		j->marginals_at[i] = n;
		n += j->m->vars[i].domain;
	}
	j->out->marginals = gpube__alloc_zero(j->ctx, (uint64_t)n, sizeof(*j->out->marginals));
	if (!j->out->marginals)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < j->m->n_vars; i++)
		if (j->position[i] < 0)
			j->out->marginals[j->marginals_at[i] +
					  j->possible.values[j->possible.first[i]]] = 1;
	return GPUBE_OK;
}

int gpube__infer_marginal(struct gpube__inferring *j, int32_t position, int32_t b,
	const struct gpube_sum_table *weights, double roundings)
{
	const int32_t var = j->var[position];
	const struct gpube_possible *p = &j->possible;
	const struct gpube_wide z = j->roots[b];
	double *to = j->out->marginals + j->marginals_at[var];
	struct gpube_wide all = {0, 0};
	double off;

	for (int32_t i = 0; i < weights->n; i++)
		all = gpube__wide_add(all, gpube__sum_cell(weights, i));
	/* both are right within their roundings, so they are the same within both */
	off = all.e - z.e > 1 || z.e - all.e > 1 ? INFINITY
						 : fabs(ldexp(all.m, (int)(all.e - z.e)) / z.m - 1);
	if (!(off <= 2 * (roundings + j->roundings + weights->n + 8) * 0x1p-53))
		return gpube__fail(j->ctx, GPUBE_EBUG,
			"internal error: the weights of variable %d's values do not add up; please "
			"report this",
			var);
	for (int32_t i = 0; i < weights->n; i++) {
		const struct gpube_wide v = gpube__sum_cell(weights, i);
		const int64_t e = v.e - all.e;

		to[p->values[p->first[var] + i]] = e < -1200 ? 0 : ldexp(v.m / all.m, (int)e);
	}
	j->most_roundings = fmax(j->most_roundings, 2 * roundings + weights->n + 1);
	return GPUBE_OK;
}

void gpube__infer_progress(const struct gpube__inferring *j, double part)
{
	const double n = j->n_slices ? (double)j->n_slices : 1;

	gpube__progress(j->ctx, ((double)j->slice + part) / n, "summing");
}

double gpube__infer_error(double roundings)
{
	return roundings * UNIT < 1 ? roundings * UNIT / (1 - roundings * UNIT) : INFINITY;
}
