/*
 * mmap.c - gpube_mmap(): marginal MAP.
 *
 * The variables that are not asked for are eliminated first, by sums. Their messages and the
 * functions of query variables alone are a model of potentials, which is searched as any other.
 *
 * Other ways were weighed. Elimination of the query variables after that needs the width of the
 * constrained order, which is 25 to 55 for the networks of UAI 2014, where the sums alone have 5 to
 * 12; the search has elimination as one of its methods. Branch and bound over the query variables
 * with sums at its leaves does the same sums once for each leaf.
 *
 * Errors. The search is on integers: its bound is off by what rounding -ln of each table may hide.
 * The sums have relative errors from the number of their roundings. Both are added to the bounds.
 */
#include "gpube/infer/infer_bounds.h"
#include "gpube/options/options.h"
#include "gpube/ir/given.h"

#include <math.h>
#include <stdio.h>

struct job {
	struct gpube__inferring sums;
	struct gpube_inference inference;
	struct gpube_opts infer_opts;
	const struct gpube_opts *opts;
	struct gpube_mmap *out;
	bool *last;
	struct gpube_model *residual;
};

static void clear_mmap(struct gpube_ctx *ctx, void *result)
{
	struct gpube_mmap *s = result;

	gpube__free(ctx, s->values);
}

/* ---- what is found -------------------------------------------------------------------------- */

/* The sum with the given values of the residual model, NULL: it has no variable. */
static struct gpube_wide value_of(const struct job *j, const int32_t *values)
{
	const struct gpube_model *m = j->residual;
	struct gpube_wide v = j->sums.z;

	for (int32_t f = 0; f < m->n_functions; f++) {
		const struct gpube_table *t = gpube__table(m, f);
		int64_t cell = 0;

		for (int k = 0; k < m->functions[f].arity; k++) {
			const int32_t var = gpube__scope(m, f)[k];

			cell = cell * m->vars[var].domain + values[var];
		}
		v = gpube__wide_mul(v, gpube__wide(gpube__table_stored(t, cell), t->power));
	}
	return v;
}

/* What a logarithm is off by whose number has a relative error, and that is itself rounded. */
static double log10_error(double log10_value, double roundings)
{
	return log1p(gpube__infer_error(roundings)) / log(10) +
	       4 * 0x1p-52 * (fabs(log10_value) + 1);
}

static int take_values(struct job *j, const int32_t *values)
{
	const struct gpube__inferring *s = &j->sums;
	struct gpube_mmap *out = j->out;
	double error;

	out->values = gpube__alloc(s->ctx, (uint64_t)j->opts->n_query, sizeof(*out->values));
	if (!out->values)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < j->opts->n_query; k++) {
		const int32_t var = j->opts->query[k], p = s->position[var];

		out->values[k] =
			s->possible
				.values[s->possible.first[var] + (p < 0 ? 0 : values[p - s->n_up])];
	}
	out->log10_value = gpube__wide_log10(value_of(j, values));
	error = log10_error(out->log10_value, s->roundings + j->residual->n_functions);
	out->log10_lower = out->log10_value - error;
	out->relative_error = expm1(error * log(10));
	return GPUBE_OK;
}

/* The best that the bound of the search leaves, as a logarithm of base 10. */
static double upper_of(const struct job *j, int64_t bound, int scale)
{
	const double unit = pow(10, -scale) / log(10);
	const double over = (double)gpube__rounding_error(j->residual) * unit;
	const double v = -(double)bound * unit, all = v + gpube__wide_log10(j->sums.z);

	return all + over + 4 * 0x1p-52 * fabs(v) + log10_error(all, j->sums.roundings);
}

static int take_bounds(struct job *j, const struct gpube_solution *b)
{
	struct gpube_mmap *out = j->out;
	int status = GPUBE_OK;

	if (b->answer == GPUBE_ANSWER_INFEASIBLE) {
		out->answer = GPUBE_ANSWER_INFEASIBLE;
		out->log10_upper = -INFINITY;
		return GPUBE_OK;
	}
	out->log10_upper = upper_of(j, b->bound, b->scale);
	if (b->values)
		status = take_values(j, b->values);
	if (status || b->answer != GPUBE_ANSWER_OPTIMAL)
		return status;
	out->answer = GPUBE_ANSWER_OPTIMAL;
	out->relative_error = expm1((out->log10_upper - out->log10_lower) * log(10));
	return GPUBE_OK;
}

/* ---- the work ------------------------------------------------------------------------ */

struct told {
	gpube_log_fn *fn;
	void *arg;
	const struct job *job;
	double start, worked; /* when the search began; ticks before it */
	int64_t bound, cost;  /* told last */
};

/* What the search says is about -ln of another model: nothing for notes. */
static void log_as_detail(void *arg, const struct gpube_log *said)
{
	const struct told *told = arg;
	struct gpube_log detail = *said;

	if (said->level != GPUBE_LOG_PROGRESS)
		detail.level = GPUBE_LOG_DETAIL;
	told->fn(told->arg, &detail);
}

/* The bounds of the search as those of the sum. */
static int tell_bounds(void *arg, const struct gpube_progress *now)
{
	struct told *told = arg;
	const struct job *j = told->job;
	char upper[32], lower[32];
	const struct gpube_log said = {.seconds = gpube__now() - told->start,
		.worked = gpube__worked(j->sums.ctx) - told->worked,
		.proved = upper,
		.found = now->values ? lower : NULL,
		.maximise = true,
		.gap = -1,
		.by = now->by};

	if (!told->fn || now->bound <= -GPUBE_INF ||
		(now->bound == told->bound && now->cost == told->cost))
		return 0;
	told->bound = now->bound;
	told->cost = now->cost;
	snprintf(upper, sizeof(upper), "10^%.9g", upper_of(j, now->bound, now->scale));
	snprintf(lower, sizeof(lower), "10^%.9g",
		gpube__wide_log10(j->sums.z) - (double)now->cost * pow(10, -now->scale) / log(10));
	gpube__log_bounds_to(told->fn, told->arg, said);
	return 0;
}

static int search(struct job *j)
{
	struct gpube_ctx *ctx = j->sums.ctx;
	struct told told = {ctx->log, ctx->log_arg, j, gpube__now(), gpube__worked(ctx), 0, 0};
	const struct gpube_opts opts = {.seed = j->opts->seed,
		.backend = j->opts->backend,
		.progress = tell_bounds,
		.progress_arg = &told};
	const double start = told.start;
	struct gpube_solution *bounds;
	int status;

	if (told.fn)
		ctx->log = log_as_detail;
	ctx->log_arg = &told;
	status = gpube_bound(&bounds, j->residual, &opts);
	ctx->log = told.fn;
	ctx->log_arg = told.arg;
	j->out->seconds_search = gpube__now() - start;
	if (status)
		return status;
	status = take_bounds(j, bounds);
	gpube_result_free(bounds);
	return status;
}

/* No query variable is left to choose. */
static int evaluate(struct job *j)
{
	int status;

	if (value_of(j, NULL).m == 0) {
		j->out->answer = GPUBE_ANSWER_INFEASIBLE;
		j->out->log10_upper = -INFINITY;
		return GPUBE_OK;
	}
	status = take_values(j, NULL);
	j->out->answer = GPUBE_ANSWER_OPTIMAL;
	j->out->log10_upper = j->out->log10_value + (j->out->log10_value - j->out->log10_lower);
	return status;
}

static int sum(struct job *j)
{
	struct gpube__inferring *s = &j->sums;
	double start = gpube__now();
	int status = gpube__infer_plan(s);

	j->out->plan = j->inference.plan;
	j->out->seconds_order = gpube__now() - start;
	if (status)
		return status;
	start = gpube__now();
	status = gpube__infer_up(s);
	if (!status)
		status = gpube__infer_residual(&j->residual, s);
	j->out->seconds_sum = gpube__now() - start;
	return status;
}

/*
 * The sums do not fit, or there is no time for them: mini-buckets bound the best of them, and the
 * values that they find likely have a sum of their own, which is exact or bounded.
 */
static int bound_sums(struct job *j)
{
	struct gpube__inferring *s = &j->sums;
	struct gpube_mmap *out = j->out;
	int32_t *best = gpube__alloc(s->ctx, (uint64_t)s->m->n_vars, sizeof(*best));
	const double start = gpube__now();
	int status = best ? GPUBE_OK : GPUBE_ENOMEM;

	gpube__log(s->ctx, GPUBE_LOG_NOTE, "%s", s->ctx->error);
	if (!status)
		status = gpube__infer_bounds(s, s->ctx->deadline, best);
	out->seconds_search = gpube__now() - start;
	if (!status && s->log_upper == -INFINITY)
		out->answer = GPUBE_ANSWER_INFEASIBLE;
	if (!status) {
		out->log10_upper = s->log_upper / log(10);
		out->log10_upper +=
			isfinite(out->log10_upper) ? log10_error(out->log10_upper, 0) : 0;
	}
	if (!status && s->log_lower > -INFINITY) {
		out->values =
			gpube__alloc(s->ctx, (uint64_t)j->opts->n_query, sizeof(*out->values));
		status = out->values ? GPUBE_OK : GPUBE_ENOMEM;
		for (int32_t k = 0; k < j->opts->n_query && !status; k++)
			out->values[k] = best[j->opts->query[k]];
		out->log10_lower = s->log_lower / log(10);
		out->log10_lower -= log10_error(out->log10_lower, 0);
		out->log10_value = out->log10_lower;
		out->relative_error = INFINITY;
	}
	gpube__free(s->ctx, best);
	return status;
}

static int find(struct job *j)
{
	struct gpube__inferring *s = &j->sums;
	int status = gpube__infer_begin(s);

	if (status)
		return status;
	j->out->n_values = j->inference.n_values;
	j->out->n_removed = j->inference.n_removed;
	if (s->possible.none) {
		j->out->answer = GPUBE_ANSWER_INFEASIBLE;
		j->out->log10_upper = -INFINITY;
		return GPUBE_OK;
	}
	status = sum(j);
	if (status == GPUBE_ELIMIT || status == GPUBE_ESTOP)
		return bound_sums(j);
	if (status)
		return status;
	if (s->z.m == 0) {
		j->out->answer = GPUBE_ANSWER_INFEASIBLE;
		j->out->log10_upper = -INFINITY;
		return GPUBE_OK;
	}
	j->out->n_free = j->residual->n_vars;
	j->out->n_functions = j->residual->n_functions;
	gpube__log(s->ctx, GPUBE_LOG_DETAIL,
		"sums over %d variable%s leave %d function%s of %d query variable%s (%.2f s)",
		s->n_up, gpube__plural(s->n_up), j->residual->n_functions,
		gpube__plural(j->residual->n_functions), j->residual->n_vars,
		gpube__plural(j->residual->n_vars), j->out->seconds_sum);
	return j->residual->n_vars ? search(j) : evaluate(j);
}

int gpube_mmap(struct gpube_mmap **out, const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_model view;
	struct gpube_opts o;
	struct job j = {.opts = &o};
	struct gpube_ctx *ctx;
	double deadline;
	int status = gpube__call(out, &view, &m, opts);

	if (!status)
		status = gpube__infer_check(&o, m, opts, GPUBE__ON_MMAP);
	if (status)
		return status;
	ctx = m->ctx;
	j.out = gpube__result_new(ctx, sizeof(*j.out), clear_mmap);
	if (!j.out)
		return GPUBE_ENOMEM;
	j.out->answer = GPUBE_ANSWER_INCOMPLETE;
	j.out->log10_value = j.out->log10_lower = -INFINITY;
	j.out->log10_upper = INFINITY;
	j.infer_opts = (struct gpube_opts){.order_method = o.order_method,
		.order = o.order,
		.order_seconds = o.order_seconds,
		.seed = o.seed};
	j.sums = (struct gpube__inferring){
		.m = m, .ctx = ctx, .opts = &j.infer_opts, .out = &j.inference};
	deadline = gpube__time_limit(ctx, gpube__now(), o.timeout_seconds);
	status = gpube__infer_mark_query(&j.last, m, &o);
	j.sums.last = j.last;
	if (!status)
		status = find(&j);
	ctx->deadline = deadline;
	gpube__infer_clear(&j.sums);
	gpube_model_free(j.residual);
	gpube__free(ctx, j.last);
	if (status && status != GPUBE_ELIMIT && status != GPUBE_ESTOP) {
		gpube_result_free(j.out);
		return status;
	}
	*out = j.out;
	return status;
}
