/* solve_run.c - carries out the plan of an elimination: see solve_parts.h. */
#include "gpube/eliminate/be_place.h"
#include "gpube/eliminate/count.h"
#include "gpube/eliminate/solve_parts.h"

static int run_whole(
	struct gpube__solve_found *found, int32_t *values, const struct gpube__solve_plan *p)
{
	const struct gpube__solve_way *way = &p->way;
	int status = GPUBE_OK;
	const struct gpube_ops *device = way->side ? gpube__ops_cuda(p->ctx, &status) : NULL;
	const struct gpube_be_sides sides = {{way->ops, device}, way->side, NULL};
	struct gpube_be_times times = {
		gpube__alloc_zero(p->ctx, (uint64_t)p->be.n, sizeof(*times.buckets)), 0, 0};

	if (!times.buckets)
		return GPUBE_ENOMEM;
	if (!status)
		status = gpube__be_run(&found->optimum, values, NULL, &p->be, &sides, &p->working,
			0, way->keep, &times);
	if (status) {
		found->optimum = GPUBE_INF;
	} else {
		gpube__be_log(&p->be, &sides, p->working.type, &times);
		found->bound = found->optimum;
		found->copying = times.copying;
		found->assigning = times.assigning;
		for (int32_t k = 0; k < p->be.n; k++)
			found->contracting += times.buckets[k];
	}
	gpube__free(p->ctx, times.buckets);
	return status;
}

static const struct gpube_ops *open_cpu(struct gpube_ctx *ctx, int *status)
{
	(void)ctx;
	*status = GPUBE_OK;
	return gpube__ops_cpu();
}

static int run_split(struct gpube__solve_found *found, int32_t *values,
	const struct gpube__solve_plan *p, const struct gpube__solve_patience *patience)
{
	struct gpube_split_times times;
	int status;

	gpube__split_patience(p->way.split, patience);
	status = gpube__split_run(&found->optimum, values, p->way.split,
		p->way.ops == gpube__ops_cpu() ? open_cpu : gpube__ops_cuda, &times);

	/* parts have no assignment before all are done; between slices it is the best so far */
	if (status == GPUBE_ESTOP && !p->way.sliced)
		found->optimum = GPUBE_INF;
	if (status && (status != GPUBE_ESTOP || found->optimum == GPUBE_INF))
		return status;
	found->bound = gpube__split_bound(p->way.split);
	found->copying = times.copying;
	found->assigning = times.assigning;
	found->contracting = times.contracting;
	return status;
}

int gpube__solve_run(struct gpube__solve_found *found, int32_t *values,
	const struct gpube__solve_plan *p, const struct gpube__solve_patience *patience)
{
	const double start = gpube__now(), worked = gpube__worked(p->ctx);
	int status;

	*found = (struct gpube__solve_found){.optimum = GPUBE_INF};
	status = p->way.split ? run_split(found, values, p, patience) : run_whole(found, values, p);
	found->eliminating = gpube__now() - start - found->assigning;
	gpube__log(p->ctx, GPUBE_LOG_DETAIL, "ticks of elimination: %.6g",
		1e9 * (gpube__worked(p->ctx) - worked));
	return status;
}

int gpube__solve_count(struct gpube__natural *count, const struct gpube__solve_plan *p)
{
	const struct gpube_be_sides sides = {{p->way.ops, NULL}, NULL, NULL};

	/* on one backend: planning leaves both sides out where optima are counted */
	return p->way.split ? gpube__split_count(count, p->way.split)
			    : gpube__be_count(count, &p->be, &sides, &p->working);
}
