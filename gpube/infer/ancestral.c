/*
 * ancestral.c - marginals of variables that sum to a constant: see infer.h.
 *
 * The sum does without them (barren.c), and so do the marginals of all others. The marginal of one
 * of them needs the function with which it was left out, and of that one's other variables what
 * they need: in a Bayesian network its ancestors. So the variables that no such function of another
 * has, the leaves, have a part of the model each, in which all marginals are right. Parts are put
 * together while that makes less work than each alone. Where nothing is observed, parts may have
 * 10^8 times fewer joined cells than the model.
 */
#include "gpube/infer/infer.h"
#include "gpube/options/options.h"

#include <math.h>

/*
 * A model of fewer joined cells is summed as a whole; and unless the parts together have so many
 * times fewer, and no more than so many: all of that along quick orders, and a search may
 * find one of the whole that is shorter than its parts.
 */
#define LEAST_CELLS 1e7
#define LEAST_GAIN  10
#define MOST_CELLS  3e9

/*
 * Of the seconds that the whole is predicted to take, and of those that are left, for finding the
 * parts.
 */
#define SEARCH_SHARE 0.1

struct ancestral {
	struct gpube__inferring *j;
	struct gpube_barren *b;
	int32_t *part; /* of each variable: that of a leaf; -1: it is none */
	bool *stays;   /* variables of the part at work */
	int32_t *waiting;
	int32_t n_parts;
	double cells; /* of all parts */
};

static void keep_part(struct ancestral *a, int32_t part)
{
	for (int32_t i = 0; i < a->j->m->n_vars; i++)
		a->stays[i] = false;
	for (int32_t i = 0; i < a->j->m->n_vars; i++)
		if (a->part[i] == part)
			gpube__barren_keep(a->b, a->j->m, a->stays, a->waiting, i);
}

static int plan(struct gpube__inferring *part, struct gpube_inference *out, struct ancestral *a,
	const struct gpube_opts *opts)
{
	int status;

	*out = (struct gpube_inference){0};
	*part = (struct gpube__inferring){
		.m = &a->b->m, .ctx = a->j->ctx, .opts = opts, .out = out, .n_slices = 1};
	gpube__barren_leave(a->b, a->j->m, a->stays);
	status = gpube__infer_begin(part);
	return status || part->possible.none ? status : gpube__infer_plan(part);
}

/* Joined cells of what stays, along a quick order. */
static int estimate(struct gpube_plan *p, struct ancestral *a)
{
	const struct gpube_opts opts = {.task = GPUBE_INFER_MAR,
		.order_method = GPUBE_ORDER_MIN_FILL,
		.seed = a->j->opts->seed,
		.backend = GPUBE_BACKEND_CPU};
	struct gpube_inference out;
	struct gpube__inferring part;
	int status = plan(&part, &out, a, &opts);

	*p = out.plan;
	gpube__infer_clear(&part);
	return status == GPUBE_ELIMIT ? GPUBE_OK : status;
}

static int find_leaves(struct ancestral *a)
{
	const struct gpube_model *m = a->j->m;
	const uint64_t n = (uint64_t)m->n_vars;

	a->part = gpube__alloc(m->ctx, n, sizeof(*a->part));
	a->stays = gpube__alloc_zero(m->ctx, n, sizeof(*a->stays));
	a->waiting = gpube__alloc(m->ctx, n, sizeof(*a->waiting));
	if (!a->part || !a->stays || !a->waiting)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		a->part[i] = -1;
	for (int32_t f = 0; f < m->n_functions; f++)
		if (a->b->variable[f] >= 0)
			a->part[a->b->variable[f]] = INT32_MAX;
	for (int32_t f = 0; f < m->n_functions; f++)
		for (int k = 0; k < m->functions[f].arity && a->b->variable[f] >= 0; k++)
			if (gpube__scope(m, f)[k] != a->b->variable[f])
				a->part[gpube__scope(m, f)[k]] = -1;
	return GPUBE_OK;
}

/* Leaves by their numbers: each joins the part before it, or begins one. */
static int find_parts(
	struct ancestral *a, double most, const struct gpube_budget *budget, bool *found)
{
	const int32_t n = a->j->m->n_vars;
	double before = 0;
	int status = GPUBE_OK;

	for (int32_t i = 0; i < n && !status && a->cells + before < most; i++) {
		struct gpube_plan alone, both = {.joined_cells = INFINITY};

		if (a->part[i] != INT32_MAX)
			continue;
		if (gpube__budget_is_over(budget))
			return GPUBE_OK;
		a->part[i] = a->n_parts;
		keep_part(a, INT32_MIN);
		gpube__barren_keep(a->b, a->j->m, a->stays, a->waiting, i);
		status = estimate(&alone, a);
		if (!status && a->n_parts > 0) {
			keep_part(a, a->n_parts - 1);
			gpube__barren_keep(a->b, a->j->m, a->stays, a->waiting, i);
			status = estimate(&both, a);
		}
		if (both.joined_cells <= before + alone.joined_cells) {
			a->part[i] = a->n_parts - 1;
			before = both.joined_cells;
		} else {
			a->cells += before;
			before = alone.joined_cells;
			a->n_parts++;
		}
	}
	a->cells += before;
	*found = !status && a->cells < most;
	return status;
}

static void add_plan(struct gpube_plan *to, const struct gpube_plan *p)
{
	to->joined_cells += p->joined_cells;
	to->predicted_seconds += p->predicted_seconds;
	to->width = p->width > to->width ? p->width : to->width;
	to->largest_joined = fmax(to->largest_joined, p->largest_joined);
	to->largest_message = fmax(to->largest_message, p->largest_message);
	to->peak_bytes = fmax(to->peak_bytes, p->peak_bytes);
}

/* What stays; marginals of the others are not known here. */
static void take(struct ancestral *a, double *marginals, const struct gpube__inferring *part)
{
	struct gpube__inferring *j = a->j;
	int64_t at = 0;

	for (int32_t i = 0; i < j->m->n_vars; at += j->m->vars[i++].domain)
		for (int32_t k = 0; k < j->m->vars[i].domain && part->out->marginals &&
				    (a->b->function[i] < 0 || a->stays[i]);
			k++)
			marginals[at + k] = part->out->marginals[at + k];
	j->z = part->z;
	j->roundings = fmax(j->roundings, part->roundings);
	j->most_roundings = fmax(j->most_roundings, part->most_roundings);
}

static int sum_parts(struct ancestral *a, const struct gpube_plan *whole)
{
	struct gpube__inferring *j = a->j;
	struct gpube_plan all = {.n_vars = whole->n_vars,
		.n_functions = whole->n_functions,
		.n_components = whole->n_components,
		.n_slices = 1};
	double *marginals = gpube__alloc_zero(
		j->ctx, (uint64_t)gpube__infer_n_values(j->m), sizeof(*marginals));
	int status = marginals ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t k = 0; k < a->n_parts && !status; k++) {
		struct gpube_inference out;
		struct gpube__inferring part;

		keep_part(a, k);
		status = plan(&part, &out, a, j->opts);
		add_plan(&all, &out.plan);
		if (!status && !part.possible.none)
			status = gpube__infer_sum(&part);
		if (!status)
			take(a, marginals, &part);
		gpube__free(j->ctx, out.marginals);
		gpube__infer_clear(&part);
		if (part.possible.none || j->z.m == 0)
			break;
	}
	if (!status && j->z.m != 0) {
		j->out->marginals = marginals;
		marginals = NULL;
	}
	if (!status)
		j->out->plan = all;
	gpube__free(j->ctx, marginals);
	return status;
}

static int try_parts(struct ancestral *a, bool *done)
{
	const double start = gpube__now();
	struct gpube__inferring *j = a->j;
	struct gpube_plan whole;
	struct gpube_budget budget;
	double seconds;
	bool found = false;
	int status = find_leaves(a);

	for (int32_t i = 0; i < j->m->n_vars && !status; i++)
		a->stays[i] = true;
	if (!status)
		status = estimate(&whole, a);
	if (status || whole.joined_cells < LEAST_CELLS)
		return status;
	seconds = fmin(whole.predicted_seconds, gpube__seconds_left(j->ctx));
	/* of work, which counts all threads: how busy the machine is does not change the parts */
	budget = gpube__budget(j->ctx, SEARCH_SHARE * seconds * j->ctx->n_threads);
	status = find_parts(a, fmin(whole.joined_cells / LEAST_GAIN, MOST_CELLS), &budget, &found);
	if (status || !found)
		return status;
	gpube__log(j->ctx, GPUBE_LOG_DETAIL,
		"marginals by %d subproblem%s of %.3g joined cell%s, at once %.3g", a->n_parts,
		gpube__plural(a->n_parts), a->cells, gpube__plural(a->cells), whole.joined_cells);
	j->out->seconds_order = gpube__now() - start;
	status = sum_parts(a, &whole);
	j->out->seconds_sum = gpube__now() - start - j->out->seconds_order;
	*done = !status;
	return status;
}

int gpube__infer_ancestral(struct gpube__inferring *j, bool *done)
{
	struct ancestral a = {.j = j, .b = &j->barren};
	int status = gpube__barren_find(&j->barren, j->m);

	*done = false;
	if (!status && j->barren.n)
		status = try_parts(&a, done);
	GPUBE_FREE_ALL(j->ctx, a.part, a.stays, a.waiting);
	if (*done)
		return GPUBE_OK;
	gpube__barren_clear(&j->barren, j->ctx);
	j->roundings = j->most_roundings = 0;
	j->out->seconds_order = j->out->seconds_sum = 0;
	return status == GPUBE_ELIMIT || status == GPUBE_ESTOP ? GPUBE_OK : status;
}
