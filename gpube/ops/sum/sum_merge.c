/*
 * sum_merge.c - many small inputs of a job become few: see sum.h.
 *
 * Every input costs a multiplication for each cell of the job. Those that together have few axes
 * are multiplied once, into a table that stays in the cache. They join, the largest first, the
 * group that they make the least larger.
 */
#include "gpube/ops/sum/sum.h"

#include <stdlib.h>
#include <string.h>

enum {
	MOST_CELLS = 1 << 15, /* of a merged table: it shall stay in the cache */
	SHARE = 16,           /* of the job's cells, so that merging costs little */
};

struct group {
	uint64_t axes;
	int n; /* inputs */
};

struct input {
	uint64_t axes;
	double cells;
	int k, group; /* -1: none */
};

static double cells_of(const struct gpube_sum_job *job, uint64_t axes)
{
	double cells = 1;

	for (int a = 0; a < job->n_axes; a++)
		if (axes >> a & 1)
			cells *= (double)job->dim[a];
	return cells;
}

static int larger_first(const void *a, const void *b)
{
	const struct input *x = a, *y = b;

	if (x->cells != y->cells)
		return x->cells > y->cells ? -1 : 1;
	return (x->k > y->k) - (x->k < y->k);
}

static int sort_into_groups(
	struct group *groups, struct input *inputs, const struct gpube_sum_job *job)
{
	const double share = cells_of(job, UINT64_MAX) / SHARE;
	const double most = share < MOST_CELLS ? share : MOST_CELLS;
	int n = 0;

	for (int k = 0; k < job->n_in; k++) {
		inputs[k] = (struct input){.k = k, .group = -1};
		for (int a = 0; a < job->n_axes; a++)
			if (job->in[k].stride[a])
				inputs[k].axes |= UINT64_C(1) << a;
		inputs[k].cells = cells_of(job, inputs[k].axes);
	}
	qsort(inputs, (size_t)job->n_in, sizeof(*inputs), larger_first);
	for (int k = 0; k < job->n_in; k++) {
		double least = most;

		if (!job->in[inputs[k].k].table->cells) /* it is on a card */
			continue;
		for (int g = 0; g < n; g++) {
			const double cells = cells_of(job, groups[g].axes | inputs[k].axes);

			if (cells > least || (cells == least && inputs[k].group >= 0))
				continue;
			least = cells;
			inputs[k].group = g;
		}
		if (inputs[k].group < 0 && inputs[k].cells <= most) {
			groups[n] = (struct group){0};
			inputs[k].group = n++;
		}
		if (inputs[k].group >= 0) {
			groups[inputs[k].group].axes |= inputs[k].axes;
			groups[inputs[k].group].n++;
		}
	}
	return n;
}

/* The product of a group, over its axes. */
static int multiply(struct gpube_ctx *ctx, struct gpube_sum_operand *out, struct gpube_sum_table *t,
	const struct gpube_sum_job *job, const struct input *inputs, int group,
	const struct group *g)
{
	struct gpube_sum_operand here = {.table = t};
	struct gpube_sum_job part = {.n_out = 1, .out = &here};
	int64_t stride = 1;
	int status;

	part.in = gpube__alloc_zero(ctx, (uint64_t)g->n, sizeof(*part.in));
	if (!part.in)
		return GPUBE_ENOMEM;
	*out = (struct gpube_sum_operand){.table = t};
	for (int k = 0; k < job->n_in; k++)
		if (inputs[k].group == group)
			part.in[part.n_in++].table = job->in[inputs[k].k].table;
	for (int a = 0; a < job->n_axes; a++) {
		if (!(g->axes >> a & 1))
			continue;
		part.dim[part.n_axes] = job->dim[a];
		for (int k = 0, i = 0; k < job->n_in; k++)
			if (inputs[k].group == group)
				part.in[i++].stride[part.n_axes] = job->in[inputs[k].k].stride[a];
		part.n_axes++;
	}
	for (int a = job->n_axes - 1, i = part.n_axes - 1; a >= 0; a--) {
		if (!(g->axes >> a & 1))
			continue;
		out->stride[a] = here.stride[i--] = stride;
		stride *= job->dim[a];
	}
	status = gpube__sum_table_new(ctx, t, stride);
	if (!status)
		status = gpube__sum_product(ctx, &part);
	gpube__free(ctx, part.in);
	return status;
}

int gpube__sum_merge(
	struct gpube_ctx *ctx, struct gpube_sum_merged *m, const struct gpube_sum_job *job)
{
	const uint64_t n = (uint64_t)job->n_in;
	struct input *inputs = gpube__alloc(ctx, n, sizeof(*inputs));
	struct group *groups = gpube__alloc(ctx, n, sizeof(*groups));
	int n_groups, status;

	m->job = *job;
	m->n_tables = job->n_in;
	m->in = gpube__alloc(ctx, n, sizeof(*m->in));
	m->tables = gpube__alloc_zero(ctx, n, sizeof(*m->tables));
	m->job.in = m->in;
	m->job.n_in = 0;
	status = inputs && groups && m->in && m->tables ? GPUBE_OK : GPUBE_ENOMEM;
	n_groups = status ? 0 : sort_into_groups(groups, inputs, job);
	for (int k = 0; k < job->n_in && !status; k++)
		if (inputs[k].group < 0 || groups[inputs[k].group].n == 1)
			m->in[m->job.n_in++] = job->in[inputs[k].k];
	for (int g = 0; g < n_groups && !status; g++)
		if (groups[g].n > 1) {
			const int to = m->job.n_in++;

			status = multiply(
				ctx, &m->in[to], &m->tables[to], job, inputs, g, &groups[g]);
		}
	gpube__free(ctx, inputs);
	gpube__free(ctx, groups);
	return status;
}

void gpube__sum_merged_clear(struct gpube_ctx *ctx, struct gpube_sum_merged *m)
{
	for (int k = 0; m->tables && k < m->n_tables; k++)
		gpube__sum_table_clear(ctx, &m->tables[k]);
	gpube__free(ctx, m->tables);
	gpube__free(ctx, m->in);
}

int gpube__sum_product(struct gpube_ctx *ctx, struct gpube_sum_job *job)
{
	struct gpube_sum_merged m = {0};
	int status;

	if (job->n_in < 3)
		return gpube__sum_panels(ctx, job);
	status = gpube__sum_merge(ctx, &m, job);
	if (!status)
		status = gpube__sum_panels(ctx, &m.job);
	job->apart = m.job.apart;
	job->failed = m.job.failed;
	/* a product has as many roundings, in whatever order it is made */
	for (int j = 0; j < job->n_out && !status; j++)
		job->out[j].roundings += (job->apart ? 2 : 1) * (job->n_in - m.job.n_in);
	gpube__sum_merged_clear(ctx, &m);
	return status;
}

int gpube__sum_posterior(struct gpube_ctx *ctx, struct gpube_sum_job *job,
	struct gpube_sum_table *weights, bool *done)
{
	int status;

	job->weights = weights;
	job->shares = true;
	job->failed = false;
	status = gpube__sum_product(ctx, job);
	*done = !status && !job->failed;
	return status;
}
