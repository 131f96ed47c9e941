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
#define MOST_BYTES 8e9
/* Seconds to send a cell to other ranks, and to read it there: a search is shared after as long. */
#define SENDING 2e-7

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
	if (run->shared) /* nobody else looks at it from now on */
		gpube__bounder_share(run->shared, GPUBE__SHARED_ANDOR, NULL);
	gpube__andor_free(run->a);
	*run = (struct gpube_andor_run){0};
}

/* Seconds of search after which other ranks share it; INFINITY: none do. */
static double sharing_pays(const struct gpube_bounder *b, const struct gpube_joingraph *g)
{
	const struct gpube_watch *watch = b->told.watch;

	if (!watch || !watch->share || g->cells > (double)GPUBE__ANDOR_MOST_CELLS)
		return INFINITY;
	return watch->share_after > 0 ? watch->share_after + SENDING * g->cells : 0;
}

static int share(struct gpube_bounder *b, struct gpube_andor_run *run)
{
	const int status = gpube__andor_far_open(run->a, 0);

	if (status)
		return status;
	run->shared = b;
	gpube__bounder_share(b, GPUBE__SHARED_ANDOR, run->a);
	return GPUBE_OK;
}

/* Budgets one after the other, for so many seconds. *done: the bounds have met. */
static int search(struct gpube_bounder *b, struct gpube_andor_run *run, int64_t slack,
	double seconds, bool *done)
{
	const struct gpube_budget turn = gpube__budget(b->ctx, seconds);
	int status = GPUBE_OK;
	bool ended = true;

	while (!*done && ended && !status) {
		status = ask(b, run->a, run->part > 1 ? slack / run->part + 1 : slack, slack, &turn,
			&ended, done);
		run->part = ended ? run->part / 2 : run->part;
	}
	run->worked += gpube__budget_spent(&turn);
	return status;
}

int gpube__andor_run(struct gpube_bounder *b, const struct gpube_joingraph *g, double seconds,
	struct gpube_andor_run *run)
{
	const double alone = sharing_pays(b, g), end = gpube__worked(b->ctx) + seconds;
	const int64_t slack = slack_of(b, g);
	bool done = slack <= 0;
	int status = GPUBE_OK;

	if (!run->a) {
		status = gpube__andor_new(&run->a, g, b->tables,
			fmin(GPUBE__ANDOR_PART * (double)b->ctx->memory_bytes, MOST_BYTES));
		run->part = FIRST_PART;
	}
	if (status || !run->a)
		return status;
	if (!run->shared && alone > run->worked)
		status = search(b, run, slack, fmin(seconds, alone - run->worked), &done);
	if (!run->shared && !status && !done && alone <= run->worked)
		status = share(b, run);
	if (run->shared)
		gpube__bounder_turn(b, GPUBE__SHARED_ANDOR);
	if (!status && !done && gpube__worked(b->ctx) < end)
		status = search(b, run, slack, end - gpube__worked(b->ctx), &done);
	if (run->shared)
		gpube__bounder_turn(b, GPUBE__N_SHARED);
	gpube__log(b->ctx, GPUBE_LOG_DETAIL, "AND/OR search: %lld node%s, z %d",
		(long long)run->a->n_nodes, gpube__plural((double)run->a->n_nodes), g->z);
	if (done || status)
		gpube__andor_run_clear(run);
	return status;
}
