/*
 * andor_run.c - AND/OR searches on a join graph with growing budgets, until the bounds meet: see
 * andor.h.
 */
#include "gpube/bound/andor/andor_run.h"

#include <math.h>

#include "gpube/bound/andor/andor.h"

/*
 * The first budget is this part of the gap, which may be far more than the optimum needs; each next
 * one is twice as large.
 */
enum { FIRST_PART = 1 << 12 };
/* Most of the memory for the cache, and most bytes: to grow it further takes seconds. */
#define SHARE      4
#define MOST_BYTES 8e9

/* The gap to the cutoff, in units of the search. */
static int64_t slack_of(const struct gpube_bounder *b, const struct gpube_joingraph *g)
{
	if (g->shift >= 0)
		return g->target - g->constant;
	return gpube__costs_left(b->tables, gpube__tables_cutoff(b)) - (g->constant << -g->shift);
}

static int64_t total_of(
	const struct gpube_bounder *b, const struct gpube_joingraph *g, int64_t cost)
{
	const int64_t sum = g->shift >= 0 ? gpube__unscale(g->shift, g->constant + cost)
					  : (g->constant << -g->shift) + cost;

	return gpube__tables_bound(b, gpube__constant_of(b->tables) + sum);
}

/* Searches with one budget. *ended false: the turn was over; *done: the bounds have met. */
static int ask(struct gpube_bounder *b, struct gpube_andor *a, int64_t budget, int64_t slack,
	const struct gpube_budget *turn, bool *ended, bool *done)
{
	int64_t value;
	int status;

	gpube__andor_search(a, budget, turn, &value, b->tried, ended);
	*done = *ended && (value < budget || budget == slack);
	if (!*ended)
		return gpube__stopped(b->ctx) ? gpube__fail_stopped(b->ctx) : GPUBE_OK;
	if (value < budget) {
		status = gpube__bounder_report_incumbent(b, b->tried, "AND/OR search");
		if (!status)
			gpube__bounder_update_lower(b, total_of(b, a->g, value), "AND/OR search");
		return status;
	}
	gpube__bounder_update_lower(
		b, value >= slack ? b->cutoff : total_of(b, a->g, value), "AND/OR search");
	*done |= gpube__bounder_done(b);
	return GPUBE_OK;
}

void gpube__andor_run_clear(struct gpube_andor_run *run)
{
	gpube__andor_free(run->a);
	*run = (struct gpube_andor_run){NULL, 0};
}

int gpube__andor_run(struct gpube_bounder *b, const struct gpube_joingraph *g, double seconds,
	struct gpube_andor_run *run)
{
	const struct gpube_budget turn = gpube__budget(b->ctx, seconds);
	const int64_t slack = slack_of(b, g);
	bool done = slack <= 0, ended = true;
	int status = GPUBE_OK;

	if (!run->a) {
		status = gpube__andor_new(&run->a, g, b->tables,
			fmin((double)b->ctx->memory_bytes / SHARE, MOST_BYTES));
		run->part = FIRST_PART;
	}
	if (status || !run->a)
		return status;
	while (!done && ended && !status) {
		status = ask(b, run->a, run->part > 1 ? slack / run->part + 1 : slack, slack, &turn,
			&ended, &done);
		run->part = ended ? run->part / 2 : run->part;
	}
	gpube__log(b->ctx, GPUBE_LOG_DETAIL, "AND/OR search: %lld node%s, z %d",
		(long long)run->a->n_nodes, gpube__plural((double)run->a->n_nodes), g->z);
	if (done || status)
		gpube__andor_run_clear(run);
	return status;
}
