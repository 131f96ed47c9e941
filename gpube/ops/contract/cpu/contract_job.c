/*
 * contract_job.c - runs a contraction by the plan of its shape: the one that is kept, or a new one.
 */
#include "gpube/ops/contract/cpu/contract_job.h"
#include "gpube/ops/contract/cpu/contract_tile.h"
#include "gpube/ops/kept.h"
#include "gpube/ops/scratch.h"

/* A plan of more operands takes up to a megabyte, and comes again less often. */
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
		.stream = (double)plan->shape.n_out_cells * plan->cell_bytes >= GPUBE__STREAM_BYTES,
		.scratch_bytes = gpube__run_scratch(plan),
	};
	int status;

	run.scratch =
		gpube__scratch_take(job->ctx, run.scratch_bytes, (uint64_t)job->ctx->n_threads);
	if (!run.scratch)
		return GPUBE_ENOMEM;
	status = gpube__run_plan(&run);
	gpube__scratch_give(job->ctx, run.scratch);
	return status ? gpube__fail_stopped(job->ctx) : GPUBE_OK;
}

/* The plan, with what it points into behind it: of the context's memory, for it may be kept. */
static int make_plan(struct gpube__plan **out, const struct gpube__job *job)
{
	struct gpube__plan chosen, *p = NULL;
	void *memory = gpube__scratch_take(job->ctx, gpube__plan_room(job->c), 1);
	const bool there = memory && gpube__plan_choose(&chosen, job->c, gpube__kernels(),
					     &job->shape, memory);

	gpube__scratch_give(job->ctx, memory);
	if (!memory)
		return GPUBE_ENOMEM;
	if (!there)
		return GPUBE_ERANGE;
	p = gpube__alloc(job->ctx, 1, sizeof(*p) + gpube__plan_set_room(&chosen, &job->shape));
	if (!p)
		return GPUBE_ENOMEM;
	*p = chosen;
	if (!gpube__plan_set(p, &job->shape, p + 1)) {
		gpube__free(job->ctx, p);
		return GPUBE_ERANGE;
	}
	*out = p;
	return GPUBE_OK;
}

/* What a plan depends on besides the shape. */
static int64_t how(void)
{
	return (int64_t)(intptr_t)gpube__kernels();
}

int gpube__run_job(struct gpube__job *job)
{
	struct gpube_ctx *ctx = job->ctx;
	const struct gpube__shape *s = &job->shape;
	const bool keeps = s->n_in <= MOST_KEPT_IN;
	struct gpube__plan *p = NULL;
	int64_t key[GPUBE_KEPT_KEY(MOST_KEPT_IN)];
	uint64_t key_bytes = 0;
	int status = GPUBE_OK;

	if (keeps) {
		key_bytes = gpube__kept_key(key, how(), job->c, s);
		status = gpube__plan_take((void **)&p, ctx, key, key_bytes);
	}
	if (!status && !p)
		status = make_plan(&p, job);
	if (status)
		return status;
	status = run_tiles(job, p);
	if (keeps)
		gpube__plan_give(ctx, key, key_bytes, p);
	else
		gpube__free(ctx, p);
	return status;
}
