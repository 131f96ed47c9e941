/*
 * sum_parts.c - gpube__sum_panels(): jobs with small outputs, in parts; see sum.h.
 *
 * Threads share what outputs have; a marginal of two values would keep two of them busy. Then axes
 * become the outputs', as many parts as there are in every such job, and these are summed at the
 * end. Not the last axes, which a panel runs along; and others before those that a large table does
 * not have, for within a part it is read for these again: of 91 MB for the first axis of
 * ObjectDetection_29.
 */
#include "gpube/ops/sum/sum.h"
#include "gpube/ops/sum/sum_panel.h"

enum {
	LEAST_WHOLE = 1 << 18, /* cells of a job that is done in parts */
	SHARE = 8,             /* of these in outputs at most */
	MOST_CELLS = 1 << 19,
	LEAST_SPLIT = 15, /* parts at least, and at most */
	MOST_SPLIT = 256,
	LEAST_WITHIN = 512, /* cells after an axis */
};

/* The cells of an output in parts. */
static double split_cells(
	const struct gpube_sum_job *job, const struct gpube_sum_operand *out, const bool *is_part)
{
	double cells = (double)out->table->n;

	for (int a = 0; a < job->n_axes; a++)
		cells *= is_part[a] && !out->stride[a] ? (double)job->dim[a] : 1;
	return cells;
}

static double all_split_cells(const struct gpube_sum_job *job, const bool *is_part)
{
	double cells = 0;

	for (int j = 0; j < job->n_out; j++)
		cells += split_cells(job, &job->out[j], is_part);
	return cells;
}

/*
 * The axis that makes the outputs least larger, of those that all large tables have, if there is
 * one; -1: none
 */
static int find_axis(const struct gpube_sum_job *job, bool *is_part, int64_t n, int first, int end)
{
	double least = 0;
	bool lacks = true;
	int best = -1;

	for (int a = first; a < end; a++) {
		const bool here = gpube__sum_lacking(job, a) > 0;
		double cells;

		if (is_part[a] || gpube__sum_in_all(job, a) || n * job->dim[a] > MOST_SPLIT)
			continue;
		is_part[a] = true;
		cells = all_split_cells(job, is_part);
		is_part[a] = false;
		if (best >= 0 && (here > lacks || (here == lacks && cells >= least)))
			continue;
		best = a;
		least = cells;
		lacks = here;
	}
	return best;
}

static bool find_parts(const struct gpube_sum_job *job, bool *is_part)
{
	const int first = job->weights ? 1 : 0; /* which is walked along in a panel */
	double cells = 1, most;
	int64_t n = 1;
	int end = job->n_axes, axis = 0;

	for (int a = job->n_axes - 1; a >= 0; a--) {
		end = cells < LEAST_WITHIN ? a : end;
		cells *= (double)job->dim[a];
		is_part[a] = false;
	}
	for (int a = first; a < end && n < LEAST_SPLIT; a++)
		n *= gpube__sum_in_all(job, a) && !(gpube__sum_lacking(job, a) > 0) ? job->dim[a]
										    : 1;
	if (n >= LEAST_SPLIT || cells < LEAST_WHOLE)
		return false;
	for (; n < LEAST_SPLIT && axis >= 0; n *= axis >= 0 ? job->dim[axis] : 1) {
		axis = find_axis(job, is_part, n, first, end);
		if (axis >= 0)
			is_part[axis] = true;
	}
	most = cells / SHARE < MOST_CELLS ? cells / SHARE : MOST_CELLS;
	return n >= LEAST_SPLIT && all_split_cells(job, is_part) <= most;
}

static void lay_parts(struct gpube_sum_operand *to, struct gpube_sum_table *t,
	const struct gpube_sum_job *job, const struct gpube_sum_operand *out, const bool *is_part)
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
static int add_parts(struct gpube_ctx *ctx, struct gpube_sum_job *job,
	struct gpube_sum_operand *out, struct gpube_sum_operand *parts)
{
	struct gpube_sum_operand in = {.table = parts->table}, to = {.table = out->table};
	struct gpube_sum_job sum = {
		.n_in = 1, .in = &in, .n_out = 1, .out = &to, .shares = job->shares};
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
		status = gpube__sum_table_new(
			ctx, &tables[j], (int64_t)split_cells(job, &job->out[j], is_part));
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
