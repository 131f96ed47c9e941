/* sum_ref.c - what sums of products are, cell by cell with a power for each: see sum.h. */
#include "tests/support/reference/reference.h"

static int64_t offset(
	const struct gpube_sum_job *job, const struct gpube_sum_operand *o, const int64_t *at)
{
	int64_t i = 0;

	for (int a = 0; a < job->n_axes; a++)
		i += at[a] * o->stride[a];
	return i;
}

/* The last axis fastest; false after the last cell. */
static bool step(const struct gpube_sum_job *job, int64_t *at)
{
	for (int a = job->n_axes - 1; a >= 0; a--) {
		if (++at[a] < job->dim[a])
			return true;
		at[a] = 0;
	}
	return false;
}

int gpube__sum_product_ref(struct gpube_ctx *ctx, struct gpube_sum_job *job)
{
	int64_t at[GPUBE_SUM_AXES] = {0};

	for (int j = 0; j < job->n_out; j++) {
		if (gpube__sum_begin_apart(ctx, job->out[j].table))
			return GPUBE_ENOMEM;
		job->out[j].table->power = gpube__sum_power(job);
	}
	do {
		struct gpube_wide v = {0.5, 1};

		for (int k = 0; k < job->n_in; k++)
			v = gpube__wide_mul(v, gpube__sum_cell_here(job->in[k].table,
						       offset(job, &job->in[k], at)));
		for (int j = 0; j < job->n_out && v.m != 0; j++)
			if (!gpube__sum_add(job->out[j].table, offset(job, &job->out[j], at), v))
				return gpube__sum_fail_range(ctx);
	} while (step(job, at));
	return GPUBE_OK;
}
