/*
 * andor_run.c - searches on a join graph's tables, with ever larger budgets, until the bounds meet:
 * see andor.h.
 */
#include "gpube/bound/andor/andor_run.h"

#include <math.h>

#include "gpube/bound/andor/andor.h"

/*
 * The first budget is that part of what is missing, which may be far more than the optimum asks
 * for; the next ones are twice as large.
 */
enum { FIRST_PART = 1 << 12 };
/*
 * What is known of subproblems may take a fourth of the memory, and so many bytes: to make it
 * larger takes seconds then.
 */
#define SHARE      4
#define MOST_BYTES 8e9

/* What is missing to the limit, in the search's units. */
static int64_t slack_of(const struct gpube_bounder *b, const struct gpube_joingraph *g)
{
	if (g->shift >= 0)
		return g->target - g->constant;
	return gpube__costs_left(b->tables, gpube__tables_limit(b)) - (g->constant << -g->shift);
}

static int64_t total_of(
	const struct gpube_bounder *b, const struct gpube_joingraph *g, int64_t cost)
{
	const int64_t sum = g->shift >= 0 ? gpube__unscale(g->shift, g->constant + cost)
					  : (g->constant << -g->shift) + cost;

	return gpube__tables_bound(b, gpube__constant_of(b->tables) + sum);
}

/* One budget; *done: nothing is left to be asked, or there is no time for it. */
static int ask(struct gpube_bounder *b, struct gpube_andor *a, int64_t budget, int64_t slack,
	const struct gpube_budget *turn, bool *done)
{
	int64_t value;
	bool ended;
	int status;

	gpube__andor_search(a, budget, turn, &value, b->tried, &ended);
	*done = !ended || value < budget || budget == slack;
	if (!ended)
		return gpube__stopped(b->ctx) ? gpube__fail_stopped(b->ctx) : GPUBE_OK;
	if (value < budget) {
		status = gpube__bounder_offer(b, b->tried, "AND/OR search");
		if (!status)
			gpube__bounder_raise(b, total_of(b, a->g, value), "AND/OR search");
		return status;
	}
	gpube__bounder_raise(
		b, value >= slack ? b->limit : total_of(b, a->g, value), "AND/OR search");
	*done |= gpube__bounder_done(b);
	return GPUBE_OK;
}

int gpube__andor_run(struct gpube_bounder *b, const struct gpube_joingraph *g, double seconds)
{
	const struct gpube_budget turn = gpube__budget(b->ctx, seconds);
	const int64_t slack = slack_of(b, g);
	struct gpube_andor *a;
	bool done = false;
	int status = gpube__andor_new(
		&a, g, b->tables, fmin((double)b->ctx->memory_bytes / SHARE, MOST_BYTES));

	if (status || !a)
		return status;
	for (int64_t part = FIRST_PART; slack > 0 && !done && !status; part /= 2)
		status = ask(b, a, part > 1 ? slack / part + 1 : slack, slack, &turn, &done);
	gpube__log(b->ctx, GPUBE_LOG_DETAIL, "AND/OR search: %lld node%s in %.3f s, z %d",
		(long long)a->n_nodes, gpube__plural((double)a->n_nodes),
		gpube__budget_spent(&turn), g->z);
	gpube__andor_free(a);
	return status;
}
