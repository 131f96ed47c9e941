/*
 * andor_run.c - AND/OR searches on a join graph with growing budgets, until the bounds meet: see
 * andor.h.
 */
#include "gpube/bound/andor/andor_run.h"

#include <math.h>

#include "gpube/base/bytes.h"
#include "gpube/bound/andor/andor.h"

/*
 * The first budget is this part of the gap, which may be far more than the optimum needs; each next
 * one is twice as large.
 */
enum { FIRST_PART = 1 << 12 };
/* Most of the memory for the cache, and most bytes: to grow it further takes seconds. */
#define MOST_BYTES 8e9
/* Results that a checkpoint has, at some 9 bytes each: those that took longest, at most so many. */
enum { MOST_KEPT = 1 << 23 };
/* Seconds of work between two moments at which a run may be saved, which begin at the roots. */
#define SHORTEST_SLICE 0.1
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

/* Seconds of work of one thread after which a run that is saved now and then is to be, if ever. */
static double until_saved(const struct gpube_bounder *b)
{
	const struct gpube__saver *s = b->told.saver;

	return s && s->every > 0 ? fmax(s->every, SHORTEST_SLICE) : INFINITY;
}

/* Budgets one after the other, for so many seconds. *done: the bounds have met. */
static int search(struct gpube_bounder *b, struct gpube_andor_run *run, int64_t slack,
	double seconds, bool *done)
{
	const struct gpube_budget turn = gpube__budget(b->ctx, seconds);
	int status = GPUBE_OK;
	bool ended = true;

	while (!*done && !status && (ended || gpube__budget_left(&turn) > 0)) {
		const struct gpube_budget slice =
			gpube__budget(b->ctx, fmin(gpube__budget_left(&turn), until_saved(b)));

		status = ask(b, run->a, run->part > 1 ? slack / run->part + 1 : slack, slack,
			&slice, &ended, done);
		run->part = ended ? run->part / 2 : run->part;
		if (!status && !ended)
			gpube__bounder_save_if_due(b, 0);
	}
	run->worked += gpube__budget_spent(&turn);
	return status;
}

static int open_search(
	struct gpube_andor **out, const struct gpube_bounder *b, const struct gpube_joingraph *g)
{
	return gpube__andor_new(out, g, b->tables,
		fmin(GPUBE__ANDOR_PART * (double)b->ctx->memory_bytes, MOST_BYTES));
}

int gpube__andor_run(struct gpube_bounder *b, const struct gpube_joingraph *g, double seconds,
	struct gpube_andor_run *run)
{
	const double alone = sharing_pays(b, g), end = gpube__worked(b->ctx) + seconds;
	const int64_t slack = slack_of(b, g);
	bool done = slack <= 0;
	int status = GPUBE_OK;

	if (!run->a) {
		status = open_search(&run->a, b, g);
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
	if (done || (status && status != GPUBE_ESTOP)) /* a run that is stopped may be saved */
		gpube__andor_run_clear(run);
	return status;
}

/* ---- as numbers ------------------------------------------------------------------------------ */

void gpube__put_andor_run(struct gpube__bytes *to, const struct gpube_andor_run *run)
{
	gpube__put(to, run->a != NULL);
	if (!run->a)
		return;
	gpube__put(to, run->part);
	gpube__put_real(to, run->worked);
	gpube__put_andor_known(to, run->a, MOST_KEPT);
}

int gpube__get_andor_run(struct gpube_andor_run *run, struct gpube_bounder *b,
	const struct gpube_joingraph *g, struct gpube__bytes *from)
{
	int64_t n = 0;
	int status;

	if (!gpube__get(from, 0, 1))
		return from->status;
	run->part = gpube__get(from, 1, FIRST_PART);
	run->worked = gpube__get_seconds(from);
	if (from->status)
		return from->status;
	status = open_search(&run->a, b, g);
	if (!status && run->a)
		status = gpube__get_andor_known(run->a, from, &n);
	if (!status && n >= 0)
		gpube__log(b->ctx, GPUBE_LOG_DETAIL, "AND/OR search goes on with %lld result%s",
			(long long)n, gpube__plural((double)n));
	if (status || n < 0)
		gpube__andor_run_clear(run);
	return status;
}
