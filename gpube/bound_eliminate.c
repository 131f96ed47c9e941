/* bound_eliminate.c - elimination of what filtering has left of a problem: see bound.h. */
#include "gpube/bound.h"

#include <math.h>
#include <string.h>

/* The simplified model without the dead values, and with the limit as its top. */
static int restricted(struct gpube_model **out, const struct gpube_bounder *b, const uint8_t *dead,
	const int64_t *at)
{
	const struct gpube_model *m = b->m;
	struct gpube_ctx *ctx = b->ctx;
	struct gpube_model *r = NULL;
	int status = gpube_model_new(&r, ctx, GPUBE_COSTS);
	int64_t *unary = NULL, capacity = 0;

	*out = NULL;
	for (int32_t i = 0; i < m->n_vars && !status; i++)
		status = gpube_model_add_var(r, NULL, m->vars[i].domain, NULL);
	for (int32_t f = 0; f < m->n_functions && !status; f++) {
		const int32_t *scope = gpube__scope(m, f);
		struct gpube_table t = *gpube__table(m, f);
		uint64_t size = gpube__type_size(t.type);
		int32_t table;
		const struct gpube_table *from = gpube__table(m, f);

		t.n_users = 0;
		t.values = gpube__alloc(ctx, (uint64_t)t.n, size);
		t.tuples = from->tuples ? gpube__alloc(ctx, (uint64_t)t.n * (uint64_t)t.arity,
						  sizeof(*t.tuples))
					: NULL;
		if (!t.values || (from->tuples && !t.tuples)) {
			gpube__free(ctx, t.values);
			gpube__free(ctx, t.tuples);
			status = GPUBE_ENOMEM;
			break;
		}
		if (t.n)
			memcpy(t.values, from->values, (size_t)t.n * size);
		if (t.n && t.tuples)
			memcpy(t.tuples, from->tuples,
				(size_t)t.n * (size_t)t.arity * sizeof(*t.tuples));
		status = gpube__add_table(r, &table, &t);
		if (!status)
			status = gpube__add_function(r, m->functions[f].arity, scope, table, NULL);
	}
	for (int32_t i = 0; i < m->n_vars && dead && !status; i++) {
		status = gpube__grow(ctx, &unary, &capacity, m->vars[i].domain, sizeof(*unary));
		for (int32_t a = 0; a < m->vars[i].domain && !status; a++)
			unary[a] = dead[at[i] + a] ? GPUBE_INF : 0;
		if (!status)
			status = gpube_model_add_costs(r, 1, &i, unary);
	}
	gpube__free(ctx, unary);
	if (!status)
		status = gpube_model_set_top(r, b->limit);
	if (status) {
		gpube_model_free(r);
		return status;
	}
	r->constant = m->constant;
	*out = r;
	return GPUBE_OK;
}

/* What a plan takes: its joins, and fresh memory at 5 GB a second; never, if that is too late. */
static double planned_seconds(const struct gpube_bounder *b, const struct gpube_plan *plan)
{
	double seconds = plan->predicted_seconds + 2e-10 * plan->peak_bytes;

	return b->ctx->deadline > 0 && gpube__now() + 2 * seconds > b->ctx->deadline ? INFINITY
										     : seconds;
}

/*
 * gpube_solve() that gives up after so many seconds, when the prediction was wrong, as it is on a
 * machine that others use: then there is no solution, *s is NULL. The plan that it has is freed.
 */
static int solve_within(struct gpube_solution **s, const struct gpube_model *r,
	const struct gpube_solve_opts *opts, double seconds)
{
	struct gpube_ctx *ctx = r->ctx;
	const double deadline = ctx->deadline, mine = gpube__now() + seconds;
	int status;

	gpube_solution_free(*s, ctx);
	if (deadline <= 0 || mine < deadline)
		ctx->deadline = mine;
	status = gpube_solve(s, r, opts);
	ctx->deadline = deadline;
	if (status == GPUBE_ESTOP && !gpube__stopped(ctx)) {
		gpube__log(ctx, GPUBE_LOG_DETAIL, "elimination is given up after %.1f s", seconds);
		gpube_solution_free(*s, ctx);
		*s = NULL;
		status = GPUBE_OK;
	}
	return status;
}

/* whole: nothing is dead, so that the order that was searched for is the one to take. */
static int eliminate_restricted(struct gpube_bounder *b, const struct gpube_model *r, bool whole,
	double seconds, bool *done)
{
	struct gpube_solve_opts opts = {.sizeof_options = sizeof(opts), .seed = b->opts->seed,
		.order_method = whole ? GPUBE_ORDER_GIVEN : GPUBE_ORDER_MIN_FILL,
		.order = whole ? b->order : NULL, .backend = b->opts->backend};
	struct gpube_solution *s = NULL;
	int status = gpube_plan(&s, r, &opts);

	if (status == GPUBE_ELIMIT ||
		(!status && s->plan.predicted_seconds > seconds &&
			s->plan.predicted_seconds < 1e4 * seconds)) {
		gpube_solution_free(s, b->ctx);
		opts.order_method = GPUBE_ORDER_AUTO;
		opts.order_seconds = fmin(0.5, seconds / 10);
		status = gpube_plan(&s, r, &opts);
	}
	if (!status && s->answer == GPUBE_ANSWER_INFEASIBLE) {
		*done = true;
	} else if (!status && planned_seconds(b, &s->plan) <= seconds) {
		gpube__log(b->ctx, GPUBE_LOG_DETAIL, "elimination of what is left: %.3g joined cells",
			s->plan.joined_cells);
		status = solve_within(&s, r, &opts, fmax(seconds, 3 * planned_seconds(b, &s->plan)));
		*done = !status && s && s->answer != GPUBE_ANSWER_INCOMPLETE;
		if (*done && s->answer == GPUBE_ANSWER_OPTIMAL)
			status = gpube__bounder_offer(b, s->values, "elimination");
	}
	gpube_solution_free(s, b->ctx);
	return status == GPUBE_ELIMIT ? GPUBE_OK : status;
}

int gpube__bounder_eliminate(struct gpube_bounder *b, const uint8_t *dead, const int64_t *at,
	double seconds, bool *done)
{
	struct gpube_model *r;
	int status = restricted(&r, b, dead, at);

	*done = false;
	if (!status)
		status = eliminate_restricted(b, r, !dead, seconds, done);
	gpube_model_free(r);
	return status;
}
