/*
 * sum_segments.c - how tables lie in a panel of sum_cpu.c, and a panel by segments: see
 * sum_panel.h.
 *
 * Over the last axes of a panel each table either has all cells, one after the other, or one. So
 * many cells are a segment: its products are made and added in registers, with no buffer that is
 * written and read again for every table. ObjectDetection_43, of whose variables most have 15
 * values, has segments of 225 cells.
 */
#include "gpube/ops/sum/sum.h"
#include "gpube/ops/sum/sum_panel.h"

#include <string.h>

enum {
	/* cells: what a shorter segment costs besides is more than it spares */
	LEAST = 8,
	STREAMED = 1 << 15, /* cells of a table that does not stay in the cache */
};

static struct gpube_sum_operand *operand(const struct gpube_sum_job *job, int k)
{
	return k < job->n_in ? &job->in[k] : &job->out[k - job->n_in];
}

/* How many of the axes are a segment's. */
static int find(int64_t *cells, const struct gpube_sum_job *job, const int *axes, int n_axes)
{
	const int last = axes[n_axes - 1];

	*cells = 1;
	for (int k = n_axes - 1; k >= 0; k--) {
		for (int i = 0; i < job->n_in + job->n_out; i++) {
			const struct gpube_sum_operand *o = operand(job, i);

			if (o->stride[axes[k]] != (o->stride[last] ? *cells : 0))
				return n_axes - 1 - k;
		}
		*cells *= job->dim[axes[k]];
	}
	return n_axes;
}

int64_t gpube__sum_lay(int32_t *at, int64_t n, int step, const struct gpube_sum_job *job,
	const struct gpube_sum_operand *o, const int *axes, int n_axes)
{
	int64_t count[GPUBE_SUM_AXES] = {0}, place = 0, most = 0;

	for (int64_t i = 0; i < n; i++) {
		at[i * step] = (int32_t)place;
		most = place > most ? place : most;
		for (int k = n_axes - 1; k >= 0; k--) {
			place += o->stride[axes[k]];
			if (++count[k] < job->dim[axes[k]])
				break;
			place -= o->stride[axes[k]] * count[k];
			count[k] = 0;
		}
	}
	return most;
}

bool gpube__sum_in_all(const struct gpube_sum_job *job, int axis)
{
	for (int j = 0; j < job->n_out; j++)
		if (job->out[j].stride[axis] == 0)
			return false;
	return true;
}

double gpube__sum_lacking(const struct gpube_sum_job *job, int axis)
{
	double cells = 0;

	for (int k = 0; k < job->n_in + job->n_out; k++) {
		const struct gpube_sum_operand *o = operand(job, k);

		cells += o->stride[axis] || o->table->n < STREAMED ? 0 : (double)o->table->n;
	}
	return cells;
}

void gpube__sum_find_folds(struct gpube_sum_folds *x, const struct gpube_sum_job *job,
	const struct gpube_sum_operand *o, const int *axes, int n_axes)
{
	int64_t inner = 1, slabs = 1, places = 1;

	*x = (struct gpube_sum_folds){0};
	for (int k = n_axes - 1; k >= 0; k--) {
		const int64_t stride = o->stride[axes[k]];

		if (stride && stride != places)
			return;
		inner *= job->dim[axes[k]];
		places *= stride ? job->dim[axes[k]] : 1;
	}
	for (int k = 0; k < n_axes; k++) {
		const bool has = o->stride[axes[k]] != 0;

		inner /= job->dim[axes[k]];
		slabs *= has ? 1 : job->dim[axes[k]];
		if (has || (k + 1 < n_axes && o->stride[axes[k + 1]] == 0))
			continue;
		if (x->n_folds == GPUBE_SUM_FOLDS) {
			x->n_folds = 0;
			return;
		}
		x->n[x->n_folds] = slabs;
		x->inner[x->n_folds++] = inner;
		slabs = 1;
	}
}

static bool sort(struct gpube_sum_segments *x, const struct gpube_sum_job *job, int last)
{
	for (int k = 0; k < job->n_in; k++)
		if (job->in[k].stride[last] && x->n_here == GPUBE_SUM_FUSED)
			return false;
		else if (job->in[k].stride[last])
			x->here[x->n_here++] = k;
	for (int k = job->n_in; k < job->n_in + job->n_out; k++)
		if (operand(job, k)->stride[last] && x->n_to == 2)
			return false;
		else if (operand(job, k)->stride[last])
			x->to[x->n_to++] = k;
	return x->n_here > 0;
}

int gpube__sum_segments_begin(struct gpube_sum_segments *x, struct gpube_ctx *ctx,
	const struct gpube_sum_job *job, const int *axes, int n_axes)
{
	const int n_operands = job->n_in + job->n_out;
	int n_outer, last;

	*x = (struct gpube_sum_segments){0};
	if (n_axes == 0 || n_operands > GPUBE_SUM_SEGMENTED)
		return GPUBE_OK;
	last = axes[n_axes - 1];
	n_outer = n_axes - find(&x->cells, job, axes, n_axes);
	if (x->cells < LEAST || !sort(x, job, last))
		return GPUBE_OK;
	x->n = 1;
	for (int k = 0; k < n_outer; k++)
		x->n *= job->dim[axes[k]];
	x->at = gpube__alloc(ctx, (uint64_t)n_operands * (uint64_t)x->n, sizeof(*x->at));
	if (!x->at)
		return GPUBE_ENOMEM;
	for (int k = 0; k < n_operands; k++) {
		const bool one = !gpube__sum_lay(
			x->at + k, x->n, n_operands, job, operand(job, k), axes, n_outer);

		if (operand(job, k)->stride[last])
			continue;
		if (k >= job->n_in)
			x->sums[x->n_sums++] = k;
		else if (one)
			x->one[x->n_one++] = k;
		else
			x->each[x->n_each++] = k;
	}
	return GPUBE_OK;
}

void gpube__sum_segments_clear(struct gpube_sum_segments *x, struct gpube_ctx *ctx)
{
	gpube__free(ctx, x->at);
	*x = (struct gpube_sum_segments){0};
}

void gpube__sum_segments_panel(const struct gpube_sum_segments *x, const struct gpube_sum_job *job,
	const int64_t *at, double by, bool first)
{
	const struct gpube_sum_loops *l = gpube__sum_loops();
	gpube_sum_fused *const fused =
		l->fused[x->n_here - 1][first ? GPUBE_SUM_STORE : 2 * x->n_to + (x->n_sums > 0)];
	const int n_operands = job->n_in + job->n_out;
	double *begin[GPUBE_SUM_SEGMENTED];

	for (int k = 0; k < x->n_one; k++)
		by *= job->in[x->one[k]].table->cells[at[x->one[k]]];
	for (int k = 0; k < n_operands; k++)
		begin[k] = operand(job, k)->table->cells + at[k];
	for (int64_t s = 0; s < x->n; s++) {
		const int32_t *here = x->at + s * n_operands;
		const double *in[GPUBE_SUM_FUSED];
		double *out[2] = {NULL, NULL}, one = by, sum;

		for (int k = 0; k < x->n_each; k++)
			one *= begin[x->each[k]][here[x->each[k]]];
		for (int k = 0; k < x->n_to; k++)
			out[k] = begin[x->to[k]] + here[x->to[k]];
		if (one == 0 && first)
			memset(out[0], 0, (size_t)x->cells * sizeof(*out[0]));
		if (one == 0)
			continue;
		for (int k = 0; k < x->n_here; k++)
			in[k] = begin[x->here[k]] + here[x->here[k]];
		sum = fused(one, in, out, x->cells);
		for (int k = 0; k < x->n_sums; k++)
			begin[x->sums[k]][here[x->sums[k]]] += sum;
	}
}
