/*
 * bound_exclusive.c - decides whether exclusive variables are joined (exclusive.h) before any
 * bound.
 */
#include <math.h>

#include "gpube/bound/bound.h"
#include "gpube/options/options.h"
#include "gpube/ir/dense.h"
#include "gpube/relax/sat.h"
#include "gpube/simplify/exclusive.h"

/* Joined cells below which elimination is easy. */
#define QUICK_CELLS 2e7
/* Seconds of an elimination that is too long to keep. */
#define LONG_SECONDS 100
/* Work for all this: a part of the caller's time, and least and most seconds. */
#define SHARE         0.1
#define LEAST_SECONDS 0.2
#define MOST_SECONDS  10.0

/* Joined cells along a greedy order; INFINITY: the memory has no room for one. */
static int cells_along(double *cells, const struct gpube_bounder *b, const struct gpube_model *m)
{
	int32_t *order = gpube__alloc(b->ctx, (uint64_t)m->n_vars, sizeof(*order));
	struct gpube_order_cost cost = {.joined_cells = INFINITY};
	struct gpube_graph g = {0};
	int status = order ? gpube__graph_of_model(&g, m) : GPUBE_ENOMEM;

	if (!status) {
		status = gpube__order_find(b->ctx, order, &cost, &g, GPUBE_ORDER_MIN_FILL, 0,
			gpube__ops_cpu()->cells_per_second, b->opts->seed);
		gpube__graph_clear(b->ctx, &g);
	} else if (status == GPUBE_ELIMIT) {
		status = GPUBE_OK;
	}
	gpube__free(b->ctx, order);
	*cells = cost.joined_cells;
	return status;
}

/*
 * Joins exclusive variables, except where elimination is easy, or where joining would make an
 * elimination longer that would end: sets that reach far along a line of variables widen it.
 */
static int join_where_it_helps(struct gpube_bounder *b)
{
	struct gpube_simplified joined;
	double before, after = 0;
	bool any, helps;
	int status;

	if (b->state.reparam || b->opts->no_simplify || b->s.infeasible || b->s.model->n_vars < 2)
		return GPUBE_OK;
	if (gpube__sat_library() &&
		gpube__cost_span(b->s.model) == 1) /* CaDiCaL comes first and does not need this */
		return GPUBE_OK;
	status = gpube__join_exclusive(&joined, &b->s, &any);
	if (status || !any)
		return status;
	status = cells_along(&before, b, b->s.model);
	if (!status && before > QUICK_CELLS)
		status = cells_along(&after, b, joined.model);
	helps = before > QUICK_CELLS &&
		(after <= before || before > LONG_SECONDS * gpube__ops_cpu()->cells_per_second);
	if (!status && helps)
		gpube__log(b->ctx, GPUBE_LOG_DETAIL,
			"mutually exclusive variables joined: %d variable%s instead of %d, %.3g "
			"joined cell%s instead of %.3g",
			joined.model->n_vars, gpube__plural(joined.model->n_vars),
			b->s.model->n_vars, after, gpube__plural(after), before);
	if (status || !helps) {
		gpube__simplified_clear(b->ctx, &joined);
		return status;
	}
	gpube__simplified_clear(b->ctx, &b->s);
	b->s = joined;
	return GPUBE_OK;
}

int gpube__bound_exclusive(struct gpube_bounder *b)
{
	struct gpube_ctx *ctx = b->ctx;
	const double timeout = b->opts->timeout_seconds;
	const int64_t until = gpube__work_until(
		ctx, gpube__worked(ctx) +
			     (timeout > 0 ? fmax(LEAST_SECONDS, SHARE * timeout) : MOST_SECONDS));
	int status = join_where_it_helps(b);

	gpube__work_again(ctx, until);
	/* this took too long: the model stays as it is */
	return status == GPUBE_ESTOP && !gpube__stopped(ctx) ? GPUBE_OK : status;
}
