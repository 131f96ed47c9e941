/* infer_cases.c - sums by cases: see infer_cases.h. */
#include "gpube/infer/infer_cases.h"

#include <math.h>
#include <string.h>

/*
 * Variables that cells brought, of all: with more, as in a network of probabilities, a search by cases had worse bounds
 * than sums over part of the assignments, and ended nowhere where buckets did not.
 */
#define MOST_SHARES 0.1
/* Buckets that join fewer cells, along an order that takes no time to find, are done at once. */
#define LEAST_JOINED 3e7
/* Seconds between two looks at bounds; for the last bounds before the end, of the time that is left; and beyond it. */
#define BETWEEN_BOUNDS 0.25
#define HURRY	       0.8
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

/* How far each variable is from the root of its bucket tree; what functions brought is decided after their variables. */
static void measure_depths(struct gpube_cases *s, const struct gpube__inferring *plan, int32_t *by_position)
{
	const struct gpube_formula *f = &s->formula;
	const struct gpube_model *m = plan->m;

	for (int32_t b = plan->n - 1; b >= 0; b--)
		by_position[b] = plan->buckets[b].parent < 0 ? 0 : by_position[plan->buckets[b].parent] + 1;
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

/* A plan along a greedy order, which says whether buckets are cheap, and what holds the model together. */
static int look(struct gpube_cases *s, struct gpube__inferring *j, bool *worth)
{
	const struct gpube_infer_opts opts = {.sizeof_options = sizeof(opts),
		.order_method = GPUBE_ORDER_MIN_FILL,
		.backend = GPUBE_BACKEND_CPU};
	struct gpube_inference out = {0};
	struct gpube__inferring plan = {.m = j->m, .ctx = j->ctx, .opts = &opts, .out = &out, .n_slices = 1};
	int32_t *by_position = NULL;
	int status = gpube__infer_begin(&plan);

	*worth = false;
	if (!status && !plan.possible.none)
		status = gpube__infer_plan(&plan);
	if (status == GPUBE_ELIMIT)
		status = plan.scopes ? GPUBE_OK : status;
	*worth = !status && plan.scopes && out.plan.joined_cells > LEAST_JOINED;
	j->out->plan = out.plan;
	if (*worth) {
		s->depth = gpube__alloc(j->ctx, (uint64_t)s->formula.n, sizeof(*s->depth));
		by_position = gpube__alloc(j->ctx, (uint64_t)plan.n, sizeof(*by_position));
		status = s->depth && by_position ? GPUBE_OK : GPUBE_ENOMEM;
	}
	if (*worth && !status)
		measure_depths(s, &plan, by_position);
	gpube__free(j->ctx, by_position);
	gpube__infer_clear(&plan);
	return status == GPUBE_ELIMIT ? GPUBE_OK : status;
}

int gpube__cases_begin(struct gpube_cases *s, struct gpube__inferring *j)
{
	bool fits = false, worth = false;
	int status = gpube__formula_of(&s->formula, j, &fits);

	if (!status && fits && s->formula.n_zeros > 0 && s->formula.n_shares <= MOST_SHARES * s->formula.n)
		status = look(s, j, &worth);
	if (!status && worth)
		status = gpube__counting_new(&s->counting, &s->formula, s->depth);
	return status == GPUBE_ELIMIT ? GPUBE_OK : status;
}

static void take_bounds(const struct gpube_cases *s, struct gpube__inferring *j)
{
	double lower, upper;

	gpube__counting_bounds(s->counting, &lower, &upper);
	j->log_lower = fmax(j->log_lower, lower);
	j->log_upper = fmin(j->log_upper, upper);
	gpube__infer_tell_bounds(j);
}

int gpube__cases_run(struct gpube_cases *s, struct gpube__inferring *j, double until, bool last, bool *done)
{
	const double end = j->ctx->deadline, left = end - gpube__now();
	int status = GPUBE_OK;

	*done = false;
	if (!s->counting)
		return GPUBE_OK;
	if (last && end > 0)
		until = end - fmin(HURRY, HURRY_SHARE * fmax(left, 0));
	while (!status && !*done && !gpube__stopped(j->ctx) && (until == 0 || gpube__now() < until)) {
		const double next = gpube__now() + BETWEEN_BOUNDS;

		status = gpube__counting_run(s->counting, until > 0 ? fmin(next, until) : next, done);
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
