/*
 * sum_parts.c - gpube__sum_panels(): jobs with small outputs, in parts; see sum.h.
 *
 * Threads share what outputs have; a marginal of two values would keep two of them busy. Then the first axes
 * become the outputs', as many parts as there are in every such job, and these are summed at the end. The last ones stay what a panel runs along.
 */
#include "gpube/ops/sum/sum.h"

enum {
	LEAST_WHOLE = 1 << 18, /* cells of a job that is done in parts */
	SHARE = 8,	       /* of these in outputs at most */
	MOST_CELLS = 1 << 19,
	LEAST_SPLIT = 16,      /* parts at least, and at most */
	MOST_SPLIT = 256,
};

/* The cells of an output in parts. */
static double split_cells(const struct gpube_sum_job *job, const struct gpube_sum_operand *out, const bool *is_part)
{
	double cells = (double)out->table->n;

	for (int a = 0; a < job->n_axes; a++)
		cells *= is_part[a] && !out->stride[a] ? (double)job->dim[a] : 1;
	return cells;
}

static bool find_parts(const struct gpube_sum_job *job, bool *is_part)
{
	double cells = 1, to = 0, most;
	bool shared = true;
	int64_t n = 1;

	for (int a = 0; a < job->n_axes; a++) {
		is_part[a] = n < LEAST_SPLIT && n * job->dim[a] <= MOST_SPLIT;
		n *= is_part[a] ? job->dim[a] : 1;
		cells *= (double)job->dim[a];
	}
	for (int j = 0; j < job->n_out; j++) {
		to += split_cells(job, &job->out[j], is_part);
		shared = shared && split_cells(job, &job->out[j], is_part) == (double)job->out[j].table->n;
	}
	most = cells / SHARE < MOST_CELLS ? cells / SHARE : MOST_CELLS;
	return !shared && n >= LEAST_SPLIT && cells >= LEAST_WHOLE && to <= most;
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

static int in_parts(struct gpube_ctx *ctx, struct gpube_sum_job *job, const bool *is_part)
{
	const uint64_t n_out = (uint64_t)job->n_out;
	struct gpube_sum_table *tables = gpube__alloc_zero(ctx, n_out, sizeof(*tables));
	struct gpube_sum_operand *out = gpube__alloc_zero(ctx, n_out, sizeof(*out));
	struct gpube_sum_job parts = *job;
	int status = tables && out ? GPUBE_OK : GPUBE_ENOMEM;

	parts.out = out;
	for (int j = 0; j < job->n_out && !status; j++) {
		status = gpube__sum_table_new(ctx, &tables[j], (int64_t)split_cells(job, &job->out[j], is_part));
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

	return find_parts(job, is_part) ? in_parts(ctx, job, is_part) : gpube__sum_whole(ctx, job);
}
