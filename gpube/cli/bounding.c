/* bounding.c - see bounding.h. */
#include "gpube/cli/bounding.h"

#include <math.h>

#include "formats/formats.h"

/* ---- options ------------------------------------------------------------------------ */

/* What the user knows already; values: out, to be freed. */
static int read_known(struct session *s, struct gpube_bound_opts *to, int32_t **values,
	const struct gpube_model *m, const struct opts_bounding *o)
{
	*values = NULL;
	if (o->ub) {
		if (m->kind != GPUBE_COSTS)
			return session_fail_text(s, NULL, "--ub: a .uai model has no costs");
		if (gpube__has_extension(o->ub, "ub")) {
			if (gpube_read_ub(&to->cutoff, m, o->ub))
				return session_fail(s, NULL);
		} else if (!gpube__units(&to->cutoff, o->ub, m->scale)) {
			return session_fail_text(s, NULL,
				"--ub: not a number with the decimals of the file, nor a .ub");
		}
		to->has_cutoff = 1;
	}
	if (!o->sol)
		return CLI_DONE;
	*values = gpube__alloc(s->ctx, (uint64_t)m->n_vars, sizeof(**values));
	if (!*values || gpube_read_solution(*values, m, o->sol))
		return session_fail(s, NULL);
	to->values = *values;
	return CLI_DONE;
}

int bounding_init(struct bounding *b, struct session *s, const struct gpube_model *m,
	const struct opts_bounding *o, const struct opts_engine *engine)
{
	struct gpube_solve_opts solve;
	int rc;

	*b = (struct bounding){.opts = {.sizeof_options = sizeof(b->opts)}};
	rc = session_engine(s, &solve, &b->order, m, engine);
	if (rc)
		return rc;
	/* the words of --method are those of the enum, in its order */
	b->opts.method = (enum gpube_bound_method)o->method;
	b->opts.order_method = solve.order_method;
	b->opts.order = solve.order;
	b->opts.order_seconds = solve.order_seconds;
	b->opts.timeout_seconds = solve.timeout_seconds;
	b->opts.seed = solve.seed;
	b->opts.backend = solve.backend;
	b->opts.no_simplify = solve.no_simplify;
	b->opts.precision = solve.precision;
	return read_known(s, &b->opts, &b->values, m, o);
}

void bounding_clear(struct bounding *b, struct session *s)
{
	gpube__free(s->ctx, b->values);
	gpube__free(s->ctx, b->order);
}

int bounding_costs(struct gpube_model **made, const struct gpube_model **costs,
	const struct gpube_model *m, int precision)
{
	int status = GPUBE_OK;

	*made = NULL;
	if (m->kind == GPUBE_POTENTIALS)
		status = gpube__quantise(made, m, precision);
	*costs = *made ? *made : m;
	return status;
}

/* ---- after a stop ------------------------------------------------------------------------ */

/* A moment beyond the stop, which "soon" allows: a tenth of what was waited for, if it is in between. */
#define LEAST_MOMENT 0.1
#define MOST_MOMENT  0.5

struct gpube_bounds *bounding_now(
	struct session *s, const struct gpube_model *m, struct gpube_bound_opts opts)
{
	void (*log)(void *, enum gpube_log_level, double, const char *) = s->ctx->log;
	const double before = session_seconds(s); /* its clock starts now */
	struct gpube_bounds *bounds;
	int status;

	opts.sizeof_options = sizeof(opts);
	opts.order_method = GPUBE_ORDER_MIN_FILL;
	opts.timeout_seconds = fmax(LEAST_MOMENT, fmin(MOST_MOMENT, before / 10));
	opts.backend = GPUBE_BACKEND_CPU;
	opts.no_eliminate = 1;
	gpube_ctx_resume(s->ctx);
	s->ctx->log = NULL; /* what it tells on its way would bury the report */
	status = gpube_bound(&bounds, m, &opts);
	s->ctx->log = log;
	if (status)
		return NULL;
	bounds->seconds_bound += before;
	bounds->seconds_cost += before;
	return bounds;
}

void bounding_raise(
	struct gpube_bounds *bounds, const struct gpube_model *m, int64_t bound, double seconds)
{
	const bool maximise = m->kind == GPUBE_COSTS && m->direction == GPUBE_MAXIMISE;

	if (bounds->answer != GPUBE_ANSWER_INCOMPLETE)
		return;
	if (maximise ? bound < bounds->bound : bound > bounds->bound) {
		bounds->bound = bound;
		bounds->seconds_bound = seconds;
	}
	if (bounds->values && bounds->bound == bounds->cost)
		bounds->answer = GPUBE_ANSWER_OPTIMAL;
}

/* ---- report ------------------------------------------------------------------------- */

struct answer bounding_answer(struct session *s, const char *file, const struct gpube_model *m,
	const struct gpube_bounds *bounds)
{
	return (struct answer){.session = s,
		.file = file,
		.model = m,
		.answer = bounds->answer,
		.backend = bounds->backend,
		.bound = bounds->bound,
		.cost = bounds->cost,
		.scale = bounds->scale,
		.log_value = bounds->log_value,
		.values = bounds->values};
}

static void text_side(struct gpube_out *out, const struct answer *a,
	const struct gpube_bounds *bounds, bool lower)
{
	bool proved = lower != answer_maximises(a);

	if (!proved && !bounds->values)
		return;
	gpube__out_printf(out, "%-*s", LABEL, lower ? "lower" : "upper");
	answer_text_bound(out, a, lower);
	gpube__out_text(out, proved ? ", proved" : ", of an assignment");
	if (a->model->kind == GPUBE_POTENTIALS)
		gpube__out_printf(out, ", -ln, each function rounded to %d decimal%s",
			bounds->scale, plural(bounds->scale));
	gpube__out_printf(out, ", after %.3f s", proved ? bounds->seconds_bound : bounds->seconds_cost);
	if (!proved && a->model->kind == GPUBE_POTENTIALS)
		gpube__out_printf(out, " (log10 %.9g)", answer_log10(a));
	gpube__out_text(out, "\n");
}

static void text_gap(struct gpube_out *out, const struct gpube_bounds *bounds)
{
	double gap = fabs((double)bounds->cost - (double)bounds->bound);

	if (bounds->answer == GPUBE_ANSWER_OPTIMAL || !bounds->values)
		return;
	gpube__out_printf(out, "%-*s%.3g", LABEL, "gap", gap * pow(10, -bounds->scale));
	if (bounds->cost)
		gpube__out_printf(out, ", %.3g %% of the assignment's cost",
			100 * gap / fabs((double)bounds->cost));
	gpube__out_text(out, "\n");
}

void bounding_text(
	struct gpube_out *out, const struct answer *a, const struct gpube_bounds *bounds)
{
	if (bounds->answer == GPUBE_ANSWER_INFEASIBLE) {
		answer_text_infeasible(out);
	} else if (bounds->answer == GPUBE_ANSWER_OPTIMAL) {
		gpube__out_printf(out, "%-*s", LABEL, "optimum");
		gpube__out_decimal(out, bounds->cost, bounds->scale);
		if (a->model->kind == GPUBE_POTENTIALS)
			gpube__out_printf(out,
				", -ln, each function rounded to %d decimal%s (log10 %.9g)",
				bounds->scale, plural(bounds->scale), answer_log10(a));
		gpube__out_printf(out, ", proved after %.3f s\n",
			fmax(bounds->seconds_bound, bounds->seconds_cost));
	} else {
		text_side(out, a, bounds, true);
		text_side(out, a, bounds, false);
		text_gap(out, bounds);
		if (bounds->closed)
			gpube__out_printf(out, "%-*snothing better than --ub exists (proved)\n",
				LABEL, "closed");
	}
}
