/* infer_cases.c - sums by cases: see infer_cases.h. */
#include "gpube/infer/infer_bounds.h"
#include "gpube/options/options.h"
#include "gpube/infer/infer_cases.h"

#include <math.h>
#include <string.h>

/*
 * Variables that cells brought, of all: with more, as in a network of probabilities, a search by
 * cases had worse bounds than sums over part of the assignments, and ended nowhere where buckets
 * did not.
 */
#define MOST_SHARES 0.1
/* Buckets that join fewer cells, along an order that takes no time to find, are done at once. */
#define LEAST_JOINED 3e7
/* Seconds for bounds before an order is searched, and of the time that is left. */
#define FIRST_BOUNDS 0.3
#define FIRST_SHARE  0.05
/*
 * Seconds between two looks at bounds; for the last bounds before the end, of the time that is
 * left; and beyond it.
 */
#define BETWEEN_BOUNDS 0.25
#define HURRY          0.8
#define HURRY_SHARE    0.1
#define AFTER_END      0.3

void gpube__cases_clear(struct gpube_cases *s)
{
	gpube__counting_free(s->counting);
	if (s->formula.ctx)
		gpube__formula_clear(&s->formula);
	if (s->formula.ctx)
		gpube__free(s->formula.ctx, s->depth);
}

/*
 * How far each variable is from the root of its bucket tree; what functions brought is decided
 * after their variables.
 */
static void measure_depths(
	struct gpube_cases *s, const struct gpube__inferring *plan, int32_t *by_position)
{
	const struct gpube_formula *f = &s->formula;
	const struct gpube_model *m = plan->m;

	for (int32_t b = plan->n - 1; b >= 0; b--)
		by_position[b] =
			plan->buckets[b].parent < 0 ? 0 : by_position[plan->buckets[b].parent] + 1;
	for (int32_t v = 0; v < f->n; v++) {
		const int32_t function = -1 - f->of[v];

		s->depth[v] = f->of[v] < 0 ? 0 : by_position[plan->position[f->of[v]]];
		for (int k = 0; f->of[v] < 0 && k < m->functions[function].arity; k++) {
			const int32_t p = plan->position[gpube__scope(m, function)[k]];

			if (p >= 0 && by_position[p] >= s->depth[v])
				s->depth[v] = by_position[p] + 1;
		}
	}
}

/*
 * A first look: a plan along a greedy order, which says whether buckets are cheap, and what holds
 * the model together.
 */
struct first_plan {
	struct gpube_opts opts;
	struct gpube_inference out;
	struct gpube__inferring plan;
};

static int first_plan_begin(struct first_plan *l, const struct gpube__inferring *j)
{
	int status;

	*l = (struct first_plan){
		.opts = {.order_method = GPUBE_ORDER_MIN_FILL, .backend = GPUBE_BACKEND_CPU}};
	l->plan = (struct gpube__inferring){
		.m = j->m, .ctx = j->ctx, .opts = &l->opts, .out = &l->out, .n_slices = 1};
	status = gpube__infer_begin(&l->plan);
	if (!status && !l->plan.possible.none)
		status = gpube__infer_plan(&l->plan);
	return status == GPUBE_ELIMIT && l->plan.scopes ? GPUBE_OK : status;
}

/* Bounds before a long search for a better order. */
static int bound_first(struct first_plan *l, struct gpube__inferring *j)
{
	const double left = gpube__seconds_left(j->ctx);
	int status = gpube__infer_bounds(
		&l->plan, gpube__now() + fmin(FIRST_BOUNDS, FIRST_SHARE * left), NULL);

	if (status)
		return status;
	j->log_lower = l->plan.log_lower;
	j->log_upper = l->plan.log_upper;
	j->told_lower = l->plan.told_lower;
	j->told_upper = l->plan.told_upper;
	return GPUBE_OK;
}

static int make_cases(struct gpube_cases *s, struct first_plan *l, struct gpube__inferring *j)
{
	int32_t *by_position;
	bool fits = false;
	int status = gpube__formula_of(&s->formula, j, &fits);

	if (status || !fits || s->formula.n_zeros == 0 ||
		s->formula.n_shares > MOST_SHARES * s->formula.n)
		return status;
	s->depth = gpube__alloc(j->ctx, (uint64_t)s->formula.n, sizeof(*s->depth));
	by_position = gpube__alloc(j->ctx, (uint64_t)l->plan.n, sizeof(*by_position));
	status = s->depth && by_position ? GPUBE_OK : GPUBE_ENOMEM;
	if (!status) {
		measure_depths(s, &l->plan, by_position);
		status = gpube__counting_new(&s->counting, &s->formula, s->depth);
	}
	gpube__free(j->ctx, by_position);
	return status;
}

int gpube__cases_begin(struct gpube_cases *s, struct gpube__inferring *j)
{
	struct first_plan l;
	int status = first_plan_begin(&l, j);

	if (!status && l.plan.scopes && l.out.plan.joined_cells > LEAST_JOINED) {
		j->out->plan = l.out.plan;
		if (j->opts->task == GPUBE_INFER_PR)
			status = make_cases(s, &l, j);
		if (!status && j->opts->bounds && !s->counting)
			status = bound_first(&l, j);
	}
	gpube__infer_clear(&l.plan);
	return status == GPUBE_ELIMIT ? GPUBE_OK : status;
}

static void take_bounds(const struct gpube_cases *s, struct gpube__inferring *j)
{
	double lower, upper;

	gpube__counting_bounds(s->counting, &lower, &upper);
	j->log_lower = fmax(j->log_lower, lower);
	j->log_upper = fmin(j->log_upper, upper);
	gpube__infer_tell_bounds(j, "search by cases");
}

int gpube__cases_run(
	struct gpube_cases *s, struct gpube__inferring *j, double until, bool last, bool *done)
{
	const double end = j->ctx->deadline, left = end - gpube__now();
	int status = GPUBE_OK;

	*done = false;
	if (!s->counting)
		return GPUBE_OK;
	if (last && end > 0)
		until = end - fmin(HURRY, HURRY_SHARE * fmax(left, 0));
	while (!status && !*done && !gpube__stopped(j->ctx) &&
		(until == 0 || gpube__now() < until)) {
		const double next = gpube__now() + BETWEEN_BOUNDS;

		status = gpube__counting_run(
			s->counting, until > 0 ? fmin(next, until) : next, done);
		if (!*done)
			take_bounds(s, j);
	}
	if (!status && *done) {
		j->z = gpube__counting_sum(s->counting, &j->roundings);
		j->out->n_cases = gpube__counting_decisions(s->counting) + 1;
	} else if (!status && last) {
		status = gpube__counting_hurry(s->counting, fmax(end, gpube__now()) + AFTER_END);
		take_bounds(s, j);
	}
	return status;
}
