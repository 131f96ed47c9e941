/* contract_job.c - runs a contraction by its recipe: makes operands ready, then runs the tiles. */
#include "gpube/ops/contract/cpu/contract_job.h"
#include "gpube/ops/contract/cpu/contract_recipe.h"
#include "gpube/ops/kept.h"

#include <string.h>

/* A recipe of more operands takes up to a megabyte, and comes again less often. */
#define MOST_KEPT_IN 32

static int run_tiles(struct gpube__job *job, const struct gpube__plan *plan)
{
	const struct gpube_contraction *c = job->c;
	struct gpube__run run = {
		.ctx = job->ctx,
		.plan = plan,
		.c = c,
		.values = job->values,
		.out = job->out ? job->out : c->out,
		.arg = job->out ? (char *)job->args : c->out_arg,
		.arg_bytes = job->out ? 8 : c->arg_bytes,
		.arg_base = job->arg_base,
		.raw = job->out != NULL,
		.stream = (double)plan->shape.n_out_cells * plan->cell_bytes >=
			  GPUBE__STREAM_BYTES,
		.scratch_bytes = gpube__run_scratch(plan),
	};
	int status;

	run.scratch = gpube__scratch_take(job->ctx, run.scratch_bytes, (uint64_t)job->ctx->n_threads);
	if (!run.scratch)
		return GPUBE_ENOMEM;
	gpube__run_ready(&run);
	status = gpube__run_plan(&run);
	gpube__scratch_give(job->ctx, run.scratch);
	return status ? gpube__fail_stopped(job->ctx) : GPUBE_OK;
}

/* Makes an operand; 'values' has room for those that it is made from. */
static int run_made(const struct gpube__job *job, const struct gpube__made *made, char **table,
	const char **values)
{
	struct gpube_contraction c = *job->c;
	struct gpube__job copy = {.ctx = job->ctx, .c = &c, .values = values};

	c.out_arg = NULL;
	*table = gpube__scratch_take(
		job->ctx, (uint64_t)made->tiles.plan.shape.n_out_cells, gpube__type_size(c.type));
	if (!*table)
		return GPUBE_ENOMEM;
	copy.out = *table;
	for (int k = 0; k < made->n_in; k++)
		values[k] = job->values[made->from[k]];
	return run_tiles(&copy, &made->tiles.plan);
}

static int run_recipe(const struct gpube__job *job, const struct gpube__recipe *r)
{
	const uint64_t n_made = (uint64_t)r->n_made;
	struct gpube__job with = *job;
	char **tables = NULL;
	int status = GPUBE_OK;

	with.values = gpube__scratch_take(job->ctx,
		(uint64_t)r->n_in + n_made + (uint64_t)job->shape.n_in, sizeof(*with.values));
	if (!with.values)
		return GPUBE_ENOMEM;
	tables = (char **)(with.values + r->n_in);
	memset(tables, 0, n_made * sizeof(*tables));
	for (int k = 0; k < r->n_made && !status; k++)
		status = run_made(job, &r->made[k], &tables[k], (const char **)(tables + n_made));
	for (int k = 0; k < r->n_in; k++)
		with.values[k] = r->from[k] >= 0 ? job->values[r->from[k]] : tables[~r->from[k]];
	if (!status)
		status = run_tiles(&with, &r->tiles.plan);
	for (int k = 0; k < r->n_made; k++)
		gpube__scratch_give(job->ctx, tables[k]);
	gpube__scratch_give(job->ctx, with.values);
	return status;
}

/* What a recipe depends on besides the shape: the kernels, and whether there are several threads. */
static int64_t how(const struct gpube__job *job)
{
	return (int64_t)(intptr_t)gpube__kernels() + (job->ctx->n_threads > 1);
}

int gpube__run_job(struct gpube__job *job)
{
	struct gpube_ctx *ctx = job->ctx;
	const struct gpube__shape *s = &job->shape;
	const bool keeps = s->n_in <= MOST_KEPT_IN;
	struct gpube__recipe *r = NULL;
	int64_t key[GPUBE_KEPT_KEY(MOST_KEPT_IN)];
	uint64_t key_bytes = 0;
	int status = GPUBE_OK;

	if (keeps) {
		key_bytes = gpube__kept_key(key, how(job), job->c, s);
		status = gpube__recipe_take(&r, ctx, key, key_bytes);
	}
	if (!status && !r)
		status = gpube__recipe_make(&r, ctx, job->c, s);
	if (status)
		return status;
	status = run_recipe(job, r);
	if (keeps)
		gpube__recipe_give(ctx, key, key_bytes, r);
	else
		gpube__recipe_free(ctx, r);
	return status;
}
