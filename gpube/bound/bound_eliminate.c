/* bound_eliminate.c - elimination of what filtering has left of a problem: see bound.h. */
#include "gpube/bound/bound.h"

#include <math.h>
#include <string.h>

#include "gpube/eliminate/solve.h"
#include "gpube/ops/pick.h"
#include "gpube/relax/clusters.h"

/*
 * Of what is left, slices are begun where a prediction, which looks at their joins alone and may be
 * wrong by a factor of ten, says a sixteenth of the time.
 */
#define SLICE_SHARE 16

/*
 * What is eliminated: the simplified model without the dead values, and with the limit as its top.
 * Where optima are counted, those that are known are below the top, and nothing is dead.
 */
struct rest {
	const struct gpube_model *m;
	struct gpube_model *made; /* NULL: it is the simplified model as it is */
	/* nothing is dead, so that the order that was searched for is the one to take */
	bool whole;
	/* no other is looked for: it was given, or searched for as long as it pays */
	bool ordered;
};

static int64_t top_of(const struct gpube_bounder *b)
{
	return b->opts->count && b->upper < b->m->top ? b->upper + 1 : b->limit;
}

/* A copy with the top, and without the dead values. */
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
		const struct gpube_table *from = gpube__table(m, f);
		struct gpube_table t = *from;
		uint64_t size = gpube__type_size(t.type);
		int32_t table;

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
		status = gpube_model_set_top(r, top_of(b));
	if (status) {
		gpube_model_free(r);
		return status;
	}
	r->constant = m->constant;
	*out = r;
	return GPUBE_OK;
}

static int rest_init(
	struct rest *r, const struct gpube_bounder *b, const uint8_t *dead, const int64_t *at)
{
	*r = (struct rest){.m = b->m,
		.whole = !dead,
		.ordered = b->opts->order_method == GPUBE_ORDER_GIVEN || !dead};
	if (!dead && top_of(b) == b->m->top)
		return GPUBE_OK;
	r->m = NULL;
	if (restricted(&r->made, b, dead, at))
		return GPUBE_ENOMEM;
	r->m = r->made;
	return GPUBE_OK;
}

static struct gpube_solve_opts rest_opts(const struct gpube_bounder *b, const struct rest *r)
{
	return (struct gpube_solve_opts){.sizeof_options = sizeof(struct gpube_solve_opts),
		.seed = b->opts->seed,
		.order_method = r->whole ? GPUBE_ORDER_GIVEN : GPUBE_ORDER_MIN_FILL,
		.order = r->whole ? b->order : NULL,
		.backend = b->opts->backend,
		.no_simplify = b->opts->no_simplify || !r->made,
		.count = b->opts->count && r->whole};
}

/* What a plan takes: its joins, and fresh memory at 5 GB a second; never, if that is too late. */
static double planned_seconds(const struct gpube_bounder *b, const struct gpube_plan *plan)
{
	double seconds =
		plan->predicted_seconds + 2e-10 * plan->peak_bytes * fmax(plan->n_slices, 1);

	return 2 * seconds > gpube__seconds_left(b->ctx) ? INFINITY : seconds;
}

/* What the elimination that proved says of itself is what the run says. */
static int keep(struct gpube_bounder *b, struct gpube_solution **s)
{
	if (b->opts->count && (*s)->count) {
		gpube__free(b->ctx, b->count);
		b->count = gpube__strdup(b->ctx, (*s)->count);
		b->seconds_count = (*s)->seconds_count;
		if (!b->count)
			return GPUBE_ENOMEM;
	}
	b->backend = (*s)->backend;
	gpube_solution_free(b->eliminated, b->ctx);
	b->eliminated = *s;
	*s = NULL;
	return GPUBE_OK;
}

/*
 * Elimination that gives up after so many seconds, when the prediction was wrong, as it is on a
 * machine that others use. The best assignment, of all or of the slices that were done, is offered.
 * *s    the plan that there is, which is freed; out: the solution, or NULL
 * done  out: it ended
 */
static int solve_within(struct gpube_solution **s, struct gpube_bounder *b, const struct rest *r,
	const struct gpube_solve_opts *opts, double seconds, bool *done)
{
	struct gpube_ctx *ctx = b->ctx;
	const struct gpube__solve_patience patience = {
		.lower = opts->count ? INT64_MIN : b->lower, .seconds = seconds};
	const int64_t until = gpube__work_until(ctx, gpube__worked(ctx) + seconds);
	int status, offered = GPUBE_OK;

	gpube_solution_free(*s, ctx);
	status = gpube__solve_patiently(s, r->m, opts, &patience);
	gpube__work_again(ctx, until);
	if (status == GPUBE_ESTOP && !gpube__stopped(ctx)) {
		gpube__log(ctx, GPUBE_LOG_DETAIL, "elimination is given up");
		status = GPUBE_OK;
	}
	if (*s && (*s)->values)
		offered = gpube__bounder_offer(b, (*s)->values, "elimination");
	*done = !status && *s && (*s)->answer != GPUBE_ANSWER_INCOMPLETE;
	if (*done && !offered && r->whole)
		offered = keep(b, s);
	return status ? status : offered;
}

/* ---- in slices ------------------------------------------------------------------------------- */

/* What joining so many cells takes on the faster side that is open. */
static double joining_seconds(const struct gpube_bounder *b, double joined_cells)
{
	int ignored;
	const struct gpube_ops *ops = b->ctx->device && b->opts->backend != GPUBE_BACKEND_CPU
					      ? gpube__ops_cuda(b->ctx, &ignored)
					      : gpube__ops_cpu();

	return gpube__predicted_seconds(b->ctx, ops, joined_cells);
}

/* In slices, if joining their cells should take at most 'most' of the 'seconds'. */
static int eliminate_slices(
	struct gpube_bounder *b, const struct rest *r, double most, double seconds, bool *done)
{
	const struct gpube_solve_opts opts = rest_opts(b, r);
	struct gpube_solution *s = NULL;
	int status = b->opts->no_slices ? GPUBE_ELIMIT : gpube_plan(&s, r->m, &opts);

	if (!status && s->answer == GPUBE_ANSWER_INFEASIBLE) {
		*done = true;
	} else if (!status && joining_seconds(b, s->plan.joined_cells) <= most &&
		   planned_seconds(b, &s->plan) <= seconds / 2) {
		gpube__log(b->ctx, GPUBE_LOG_DETAIL,
			"elimination in %.0f slices, %.3g joined cell%s in all", s->plan.n_slices,
			s->plan.joined_cells, gpube__plural(s->plan.joined_cells));
		status = solve_within(&s, b, r, &opts, seconds, done);
	}
	gpube_solution_free(s, b->ctx);
	return status == GPUBE_ELIMIT ? GPUBE_OK : status;
}

int gpube__bounder_slices(struct gpube_bounder *b, double seconds, bool *done)
{
	struct rest r;
	int status;

	*done = false;
	if (joining_seconds(b, b->order_cost.joined_cells) > seconds / 4)
		return GPUBE_OK;
	status = rest_init(&r, b, NULL, NULL);
	if (!status)
		status = eliminate_slices(b, &r, seconds / 4, seconds, done);
	gpube_model_free(r.made);
	return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/*
 * If the tables do not fit, or take too long to get there, *too_large is how many cells would be
 * joined.
 */
static int eliminate_rest(struct gpube_bounder *b, const struct rest *r, double seconds, bool *done,
	double *too_large)
{
	struct gpube_solve_opts opts = rest_opts(b, r);
	struct gpube_solution *s = NULL;
	int status;

	opts.no_slices = 1;
	status = gpube_plan(&s, r->m, &opts);
	if (!r->ordered &&
		((status == GPUBE_ELIMIT &&
			 s->plan.joined_cells < GPUBE__HOPELESS * b->ops->cells_per_second) ||
			(!status && s->plan.predicted_seconds > seconds &&
				s->plan.predicted_seconds < 1e4 * seconds))) {
		gpube_solution_free(s, b->ctx);
		opts.order_method = GPUBE_ORDER_AUTO;
		opts.order_seconds = fmin(0.5, seconds / 10);
		status = gpube_plan(&s, r->m, &opts);
	}
	*too_large = status == GPUBE_ELIMIT || (!status && planned_seconds(b, &s->plan) > seconds)
			     ? s->plan.joined_cells
			     : INFINITY;
	if (!status && s->answer == GPUBE_ANSWER_INFEASIBLE) {
		*done = true;
	} else if (!status && planned_seconds(b, &s->plan) <= seconds) {
		gpube__log(b->ctx, GPUBE_LOG_DETAIL,
			"elimination of what is left: %.3g joined cell%s", s->plan.joined_cells,
			gpube__plural(s->plan.joined_cells));
		status = solve_within(
			&s, b, r, &opts, fmax(seconds, 3 * planned_seconds(b, &s->plan)), done);
	}
	gpube_solution_free(s, b->ctx);
	return status == GPUBE_ELIMIT ? GPUBE_OK : status;
}

int gpube__bounder_eliminate(
	struct gpube_bounder *b, const uint8_t *dead, const int64_t *at, double seconds, bool *done)
{
	const double most = seconds / SLICE_SHARE;
	struct rest r;
	double too_large = INFINITY;
	int status = rest_init(&r, b, dead, at);

	*done = false;
	if (!status)
		status = eliminate_rest(b, &r, seconds, done, &too_large);
	if (!status && !*done && joining_seconds(b, too_large) <= most)
		status = eliminate_slices(b, &r, most, seconds, done);
	gpube_model_free(r.made);
	return status;
}

int gpube__bounder_count(struct gpube_bounder *b)
{
	struct gpube_solve_opts opts;
	struct gpube_solution *s = NULL;
	struct rest r;
	bool done;
	int status = rest_init(&r, b, NULL, NULL);

	if (!status) {
		opts = rest_opts(b, &r);
		if (b->opts->order_method != GPUBE_ORDER_GIVEN) {
			opts.order_method = GPUBE_ORDER_AUTO;
			opts.order = NULL;
		}
		opts.no_slices = b->opts->no_slices;
		status = solve_within(&s, b, &r, &opts, INFINITY, &done);
	}
	gpube_solution_free(s, b->ctx);
	gpube_model_free(r.made);
	return status;
}

int gpube__clusters_eliminate(
	struct gpube_bounder *b, const struct gpube_clusters *c, double seconds, bool *done)
{
	const struct gpube_model *m = b->m;
	int64_t *at = gpube__alloc(b->ctx, (uint64_t)m->n_vars, sizeof(*at)), total = 0;
	uint8_t *dead;
	int status = GPUBE_ENOMEM;

	*done = false;
	for (int32_t i = 0; at && i < m->n_vars; i++) {
		at[i] = total;
		total += m->vars[i].domain;
	}
	dead = at ? gpube__alloc(b->ctx, (uint64_t)total, 1) : NULL;
	if (dead) {
		for (int64_t k = 0; k < total; k++)
			dead[k] = 1;
		for (int32_t i = 0; i < m->n_vars; i++)
			for (int32_t x = 0; x < c->domain[i]; x++)
				dead[at[i] + c->value[i][x]] = 0;
		status = gpube__bounder_eliminate(b, dead, at, seconds, done);
	}
	gpube__free(b->ctx, at);
	gpube__free(b->ctx, dead);
	return status;
}
