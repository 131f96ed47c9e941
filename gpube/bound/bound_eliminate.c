/* bound_eliminate.c - elimination as a method, of the values that remain: see bound.h. */
#include "gpube/bound/bound.h"
#include "gpube/options/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpube/eliminate/solve_parts.h"

/* Of a byte of memory that is written for the first time. */
#define FRESH_SECONDS 2e-10

/*
 * The model that is eliminated: the simplified one without dead values, with the cutoff as its top.
 * If optima are counted, the top lies above the known ones and no value is dead.
 */
struct rest {
	const struct gpube_model *m;
	struct gpube_model limited; /* m with that top; it owns tables if values are dead */
	const struct gpube_model *of;
	struct gpube_simplified s; /* its simplification; no model: it is eliminated as it is */
	/* no value is dead, so that b->order is an order of it */
	bool whole;
	struct gpube_opts opts; /* how it is ordered; the order is of the simplified model */
	struct gpube_opts how;  /* the same for m, to which e refers */
	int32_t *order;
	struct gpube__solve_job e;
};

static int64_t top_of(const struct gpube_bounder *b)
{
	return b->opts->count && b->upper < b->m->top ? b->upper + 1 : b->cutoff;
}

/* Makes the model without dead values; call gpube__model_return() also after an error. */
static int forbid(struct gpube_model *out, const struct gpube_bounder *b, const uint8_t *dead,
	const int64_t *at)
{
	const struct gpube_model *m = b->m;
	int64_t *unary = NULL, capacity = 0;
	int status = gpube__model_borrow(out, b->ctx, m);

	for (int32_t i = 0; i < m->n_vars && !status; i++) {
		status = gpube__grow(b->ctx, &unary, &capacity, m->vars[i].domain, sizeof(*unary));
		for (int32_t a = 0; a < m->vars[i].domain && !status; a++)
			unary[a] = dead[at[i] + a] ? GPUBE_INF : 0;
		if (!status)
			status = gpube_model_add_costs(out, 1, &i, unary);
	}
	gpube__free(b->ctx, unary);
	return status;
}

static void rest_clear(struct rest *r, const struct gpube_bounder *b)
{
	gpube__solve_clear(&r->e);
	gpube__free(b->ctx, r->order);
	gpube__simplified_clear(b->ctx, &r->s);
	if (!r->whole)
		gpube__model_return(&r->limited, b->m);
}

/* Simplifies it again. */
static int simplify_rest(
	struct rest *r, const struct gpube_bounder *b, enum gpube__narrowing narrowing)
{
	int status;

	gpube__simplified_clear(b->ctx, &r->s);
	status = gpube__simplify_below(
		&r->s, r->of, b->opts->no_simplify ? GPUBE__CONVERT : GPUBE__SETTLE, narrowing);
	r->m = r->s.model;
	if (!status)
		gpube__bounder_tell_simplified(b->ctx, &r->s);
	return status;
}

/* Prepares an elimination; clear it also after an error. */
static int rest_init(
	struct rest *r, const struct gpube_bounder *b, const uint8_t *dead, const int64_t *at)
{
	int status = GPUBE_OK;

	*r = (struct rest){.m = b->m,
		.of = b->m,
		.whole = !dead,
		.opts = {.seed = b->opts->seed,
			.order_method = dead ? GPUBE_ORDER_MIN_FILL : GPUBE_ORDER_GIVEN,
			.order = dead ? NULL : b->order,
			.backend = b->opts->backend,
			.count = b->opts->count && !dead}};
	if (!dead && top_of(b) == b->m->top)
		return GPUBE_OK;
	r->of = &r->limited;
	r->limited = *b->m;
	if (dead)
		status = forbid(&r->limited, b, dead, at);
	r->limited.top = top_of(b);
	return status ? status : simplify_rest(r, b, GPUBE__BELOW);
}

static int plan_once(struct rest *r, const struct gpube_bounder *b)
{
	int status = GPUBE_OK;

	gpube__solve_clear(&r->e);
	gpube__free(b->ctx, r->order);
	r->order = NULL;
	r->how = r->opts;
	if (r->how.order_method == GPUBE_ORDER_GIVEN && r->s.model) {
		r->order = gpube__alloc(b->ctx, (uint64_t)r->m->n_vars, sizeof(*r->order));
		r->how.order = r->order;
		status = r->order ? gpube__simplified_order(
					    r->order, &r->s, r->opts.order, b->m->n_vars)
				  : GPUBE_ENOMEM;
	}
	return status ? status : gpube__solve_prepare(&r->e, r->m, &r->how);
}

/*
 * Where the sums of a bucket pass 64 bits, prepares once more without costs that no optimum needs;
 * logarithms lose decimals instead, if they can (bound.c).
 */
static int plan_rest(struct rest *r, struct gpube_bounder *b)
{
	int status = r->s.infeasible ? GPUBE_OK : plan_once(r, b);

	if (status == GPUBE_ERANGE && b->opts->method == GPUBE_BOUND_ELIMINATE &&
		b->made.quantised) {
		b->made.most_inputs = r->e.plan.be.most_inputs;
	} else if (status == GPUBE_ERANGE) {
		gpube__solve_clear(&r->e);
		status = simplify_rest(r, b, GPUBE__SUMS);
		if (!status && !r->s.infeasible)
			status = plan_once(r, b);
	}
	return status;
}

static const struct gpube_plan *figures(const struct rest *r)
{
	return &r->e.plan.way.figures;
}

/* Predicted seconds of a plan: joins, and fresh memory; INFINITY: too late. */
static double planned_seconds(const struct gpube_bounder *b, const struct rest *r)
{
	const struct gpube_plan *plan = figures(r);
	const double seconds = plan->predicted_seconds +
			       FRESH_SECONDS * plan->peak_bytes * fmax(plan->n_slices, 1);

	return 2 * seconds > gpube__seconds_left(b->ctx) ? INFINITY : seconds;
}

/* Copies the figures of an elimination of the whole model to the report. */
static int keep(
	struct gpube_bounder *b, const struct rest *r, const struct gpube__solve_found *found)
{
	struct gpube_solution *to = b->told.out;
	const int32_t *order = r->e.order;
	int32_t *back = NULL;
	int status = GPUBE_OK;

	b->told.backend = r->e.plan.way.backend;
	to->plan = *figures(r);
	to->plan.n_components = r->s.model ? r->s.n_components : b->s.n_components;
	to->seconds_order = r->e.seconds_order;
	to->seconds_eliminate = found->eliminating;
	to->seconds_assign = found->assigning;
	to->seconds_contracting = found->contracting;
	to->seconds_copying = found->copying;
	if (!to->order)
		to->order = gpube__alloc(b->ctx, (uint64_t)b->given->n_vars, sizeof(*to->order));
	if (to->order && r->s.model) {
		order = back = gpube__alloc(b->ctx, (uint64_t)b->m->n_vars, sizeof(*back));
		status = back ? gpube__given_order(back, &r->s, r->e.order) : GPUBE_ENOMEM;
	}
	if (!status)
		status = to->order ? gpube__given_order(to->order, &b->s, order) : GPUBE_ENOMEM;
	gpube__free(b->ctx, back);
	return status;
}

/* Reports the number of optima, times that of the assignments that simplification has settled. */
static int count_optima(struct gpube_bounder *b, const struct rest *r)
{
	const double start = gpube__now();
	struct gpube__natural count;
	int status = gpube__solve_count(&count, &r->e.plan);

	if (!status && r->s.n_settled)
		status = gpube__natural_times_all(&count, r->s.choices, r->s.n_vars);
	if (!status && b->s.n_settled)
		status = gpube__natural_times_all(&count, b->s.choices, b->s.n_vars);
	if (!status) {
		gpube__free(b->ctx, b->told.out->count);
		b->told.out->count = gpube__natural_text(&count);
		status = b->told.out->count ? GPUBE_OK : GPUBE_ENOMEM;
	}
	gpube__natural_clear(&count);
	b->told.out->seconds_count = gpube__now() - start;
	return status;
}

/* Reports the assignment of an elimination, after it was priced. */
static int report(
	struct gpube_bounder *b, const struct rest *r, const int32_t *reduced, int64_t optimum)
{
	const int64_t least = optimum < b->upper ? optimum : b->upper;
	const int32_t *values = reduced;
	int status;

	if (r->s.model) {
		gpube__simplified_extend(&r->s, b->tried, reduced);
		values = b->tried;
	}
	status = gpube__bounder_report_incumbent(b, values, "elimination");
	if (!status && b->upper != least)
		return gpube__fail(b->ctx, GPUBE_EBUG,
			"internal error: the assignment costs %lld, not %lld; please report this",
			(long long)b->upper, (long long)optimum);
	return status;
}

/*
 * Eliminates, and stops after so many seconds if the prediction was wrong, as it is on a busy
 * machine. Reports the best assignment, of all or of the slices that were done.
 * done  out: it ended
 */
static int run_rest(struct gpube_bounder *b, const struct rest *r, double seconds, bool *done)
{
	struct gpube_ctx *ctx = b->ctx;
	const struct gpube__solve_patience patience = {
		.lower = r->how.count ? INT64_MIN : b->lower, .seconds = seconds};
	const int64_t until = gpube__work_until(ctx, gpube__worked(ctx) + seconds);
	int32_t *reduced = gpube__alloc(ctx, (uint64_t)r->m->n_vars, sizeof(*reduced));
	struct gpube__solve_found found;
	int status = GPUBE_ENOMEM, told = GPUBE_OK;

	if (reduced)
		status = gpube__solve_run(&found, reduced, &r->e.plan, &patience);
	if (status && (status != GPUBE_ESTOP || found.optimum == GPUBE_INF))
		goto out;
	*done = !status;
	if (found.optimum != GPUBE_INF)
		told = report(b, r, reduced, found.optimum);
	if (!told && r->whole)
		gpube__bounder_update_lower(b, *done ? b->cutoff : found.bound, "elimination");
	if (!told && r->whole && *done)
		told = keep(b, r, &found);
	if (!told && r->how.count && *done && found.optimum != GPUBE_INF)
		told = count_optima(b, r);
out:
	gpube__free(ctx, reduced);
	gpube__work_again(ctx, until);
	if (told)
		return told;
	if (status == GPUBE_ESTOP && !gpube__stopped(ctx)) {
		gpube__log(ctx, GPUBE_LOG_DETAIL,
			"elimination abandoned: it takes longer than predicted");
		status = GPUBE_OK;
	}
	return status;
}

/* ---- the whole, or what is left ------------------------------------------------------------- */

/* Eliminates where tables, or those of slices, fit and time suffices. */
static int eliminate_rest(struct gpube_bounder *b, struct rest *r, double seconds, bool *done)
{
	const struct gpube_plan *plan = figures(r);
	char slices[32] = "";
	int status;

	r->opts.no_slices = b->opts->no_slices;
	status = plan_rest(r, b);
	*done = !status && r->s.infeasible;
	if (!status && !*done && planned_seconds(b, r) <= seconds) {
		if (plan->n_slices > 1)
			snprintf(slices, sizeof(slices), " in %.0f slices", plan->n_slices);
		gpube__log(b->ctx, GPUBE_LOG_DETAIL,
			"elimination%s of the values left: %.3g joined cell%s", slices,
			plan->joined_cells, gpube__plural(plan->joined_cells));
		status = run_rest(b, r, fmax(seconds, 3 * planned_seconds(b, r)), done);
	}
	return status == GPUBE_ELIMIT ? GPUBE_OK : status;
}

int gpube__bounder_eliminate(
	struct gpube_bounder *b, const uint8_t *dead, const int64_t *at, double seconds, bool *done)
{
	struct rest r;
	int status = rest_init(&r, b, dead, at);

	*done = false;
	if (!status)
		status = eliminate_rest(b, &r, seconds, done);
	if (!status && *done && r.whole)
		gpube__bounder_update_lower(b, b->cutoff, "elimination");
	rest_clear(&r, b);
	return status;
}

/*
 * Cells of the largest message beyond which an elimination with a certificate is refused: the
 * certificate is a search along an order, which may visit as many states.
 */
#define MOST_CERTIFIED 1e7

/* The order that the options ask for. */
static int plan_all(struct gpube_bounder *b, struct rest *r)
{
	const struct gpube_opts *o = b->opts;
	int status = GPUBE_OK;

	if (o->order_method == GPUBE_ORDER_GIVEN)
		status = gpube__simplified_order(b->order, &b->s, o->order, b->given->n_vars);
	r->opts.order_method = o->order_method;
	r->opts.order_seconds = o->order_seconds;
	r->opts.no_slices = o->no_slices;
	if (!status)
		status = plan_rest(r, b);
	if (b->opts->method == GPUBE_BOUND_ELIMINATE && r->e.order) {
		const struct gpube__solve_found none = {0};
		const int kept = keep(b, r, &none);

		status = kept ? kept : status;
	}
	if (!status && b->told.notes && b->opts->method == GPUBE_BOUND_ELIMINATE &&
		figures(r)->largest_message > MOST_CERTIFIED)
		status = gpube__fail(b->ctx, GPUBE_ELIMIT,
			"elimination along this order leaves no certificate: its tables, of up to "
			"%.3g cells (width %d), are too large to be searched again; take another "
			"method",
			figures(r)->largest_message, figures(r)->width);
	return status;
}

int gpube__bounder_eliminate_all(struct gpube_bounder *b)
{
	struct rest r;
	bool done;
	int status = rest_init(&r, b, NULL, NULL);

	if (!status && !r.s.infeasible)
		status = plan_all(b, &r);
	if (!status && r.s.infeasible)
		gpube__bounder_update_lower(b, b->cutoff, "elimination");
	else if (!status && !b->told.planning)
		status = run_rest(b, &r, INFINITY, &done);
	rest_clear(&r, b);
	return status;
}
