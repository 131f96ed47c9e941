/*
 * sum_parts.c - gpube__sum_panels(): jobs with small outputs, in parts; see sum.h.
 *
 * Threads share what outputs have; a marginal of two values would keep two of them busy. Then the first axes that no output has
 * become the outputs', as many parts as there are in every such job, and these are summed at the end.
 */
#include "gpube/ops/sum/sum.h"

enum {
	LEAST_WHOLE = 1 << 18, /* cells of a job that is done in parts */
	MOST_SMALL = 2048,     /* cells of its outputs together */
	LEAST_SPLIT = 16,      /* parts at least, and at most */
	MOST_SPLIT = 256,
};

static int64_t find_parts(const struct gpube_sum_job *job, bool *is_part)
{
	int64_t n = 1, cells = 1, small = 0;

	for (int j = 0; j < job->n_out; j++)
		small += job->out[j].table->n;
	for (int a = 0; a < job->n_axes; a++) {
		is_part[a] = n < LEAST_SPLIT && n * job->dim[a] <= MOST_SPLIT;
		for (int j = 0; j < job->n_out; j++)
			is_part[a] = is_part[a] && job->out[j].stride[a] == 0;
		n *= is_part[a] ? job->dim[a] : 1;
		cells = cells < LEAST_WHOLE ? cells * job->dim[a] : cells;
	}
	return small <= MOST_SMALL && cells >= LEAST_WHOLE && n >= LEAST_SPLIT ? n : 1;
}

static void lay_parts(struct gpube_sum_operand *to, struct gpube_sum_table *t, const struct gpube_sum_job *job,
	const struct gpube_sum_operand *out, const bool *is_part)
{
	int64_t stride = 1;

	*to = (struct gpube_sum_operand){.table = t};
	for (int a = job->n_axes - 1; a >= 0; a--)
		if (is_part[a] || out->stride[a]) {
			to->stride[a] = stride;
			stride *= job->dim[a];
		}
}

/* An output of its parts. */
static int add_parts(struct gpube_ctx *ctx, struct gpube_sum_job *job, struct gpube_sum_operand *out, struct gpube_sum_operand *parts)
{
	struct gpube_sum_operand in = {.table = parts->table}, to = {.table = out->table};
	struct gpube_sum_job sum = {.n_in = 1, .in = &in, .n_out = 1, .out = &to, .shares = job->shares};
	int status;

	for (int a = 0; a < job->n_axes; a++)
		if (parts->stride[a]) {
			sum.dim[sum.n_axes] = job->dim[a];
			in.stride[sum.n_axes] = parts->stride[a];
			to.stride[sum.n_axes++] = out->stride[a];
		}
	status = gpube__sum_whole(ctx, &sum);
	job->apart = job->apart || sum.apart;
	out->roundings = parts->roundings + to.roundings;
	return status;
}

static int in_parts(struct gpube_ctx *ctx, struct gpube_sum_job *job, const bool *is_part, int64_t n)
{
	const uint64_t n_out = (uint64_t)job->n_out;
	struct gpube_sum_table *tables = gpube__alloc_zero(ctx, n_out, sizeof(*tables));
	struct gpube_sum_operand *out = gpube__alloc_zero(ctx, n_out, sizeof(*out));
	struct gpube_sum_job parts = *job;
	int status = tables && out ? GPUBE_OK : GPUBE_ENOMEM;

	parts.out = out;
	for (int j = 0; j < job->n_out && !status; j++) {
		status = gpube__sum_table_new(ctx, &tables[j], job->out[j].table->n * n);
		lay_parts(&out[j], &tables[j], job, &job->out[j], is_part);
	}
	if (!status)
		status = gpube__sum_whole(ctx, &parts);
	job->apart = parts.apart;
	job->failed = parts.failed;
	for (int j = 0; j < job->n_out && !status && !job->failed; j++)
		status = add_parts(ctx, job, &job->out[j], &out[j]);
	for (int j = 0; tables && j < job->n_out; j++)
		gpube__sum_table_clear(ctx, &tables[j]);
	gpube__free(ctx, tables);
	gpube__free(ctx, out);
	return status;
}

int gpube__sum_panels(struct gpube_ctx *ctx, struct gpube_sum_job *job)
{
	bool is_part[GPUBE_SUM_AXES];
	const int64_t n = find_parts(job, is_part);

	return n > 1 ? in_parts(ctx, job, is_part, n) : gpube__sum_whole(ctx, job);
}
