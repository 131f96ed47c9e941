/* bounding.c - see bounding.h. */
#include "gpube/cli/bounding.h"
#include "gpube/options/options.h"

#include <math.h>
#include <stdio.h>

#include "formats/common/registry.h"
#include "gpube/bound/bound.h"
#include "gpube/eliminate/solve.h"

/* ---- options ------------------------------------------------------------------------ */

enum gpube_bound_method bounding_method(const struct opts_bounding *o)
{
	/* the words are those of the enum, in its order */
	return (enum gpube_bound_method)o->method;
}

bool bounding_can_certify(const struct opts_bounding *o)
{
	if (bounding_method(o) != GPUBE_BOUND_MBE)
		return true;
	cli_error("mini-buckets leave no certificate: take another --method");
	return false;
}

int bounding_known(struct session *s, struct bounding_known *to, const struct gpube_model *m,
	const struct opts_bounding *o)
{
	*to = (struct bounding_known){NULL};
	if (o->ub) {
		if (m->kind != GPUBE_COSTS)
			return session_fail_text(s, NULL, "--ub: a .uai model has no costs");
		if (gpube__has_extension(o->ub, "ub")) {
			if (gpube__read_ub(&to->cutoff, m, o->ub))
				return session_fail(s, NULL);
		} else if (!gpube__units(&to->cutoff, o->ub, m->scale)) {
			gpube__fail(s->ctx, GPUBE_EINVAL,
				"--ub: expected a number of at most %d decimals, as the file has, "
				"or a .ub, found '%s'",
				m->scale, o->ub);
			return session_fail(s, NULL);
		}
		to->has_cutoff = 1;
	}
	if (!o->sol)
		return CLI_DONE;
	to->values = gpube__alloc(s->ctx, (uint64_t)m->n_vars, sizeof(*to->values));
	return !to->values || gpube_read_solution(to->values, m, o->sol) ? session_fail(s, NULL)
									 : CLI_DONE;
}

int bounding_init(struct bounding *b, struct session *s, const struct gpube_model *m,
	const struct opts_bounding *o, const struct opts_engine *engine)
{
	int rc;

	*b = (struct bounding){0};
	rc = session_engine(s, &b->opts, &b->order, m, engine);
	if (rc)
		return rc;
	opts_library(&b->opts, GPUBE__ON_BOUNDS, opt_rows_bounding, OPT_N_BOUNDING, o);
	rc = bounding_known(s, &b->known, m, o);
	b->opts.values = b->known.values;
	b->opts.cutoff = b->known.cutoff;
	b->opts.has_cutoff = b->known.has_cutoff;
	return rc;
}

void bounding_clear(struct bounding *b, struct session *s)
{
	gpube__free(s->ctx, b->known.values);
	gpube__free(s->ctx, b->order);
}

int bounding_price(int64_t *cost, const struct gpube_model *m, const int32_t *values, int precision)
{
	struct gpube_model *made;
	const struct gpube_model *costs;
	int status = gpube__costs_of(&made, &costs, m, precision);

	if (!status)
		status = gpube_model_cost(cost, costs, values);
	gpube_model_free(made);
	return status;
}

/* ---- after a stop ------------------------------------------------------------------------ */

struct gpube_solution *bounding_now(
	struct session *s, const struct gpube_model *m, struct gpube_opts opts)
{
	const double before = session_seconds(s); /* its clock starts now */
	struct gpube_solution *bounds;

	gpube_ctx_resume(s->ctx);
	bounds = gpube__bound_moment(m, &opts);
	if (bounds) {
		bounds->seconds_bound += before;
		bounds->seconds_cost += before;
	}
	return bounds;
}

void bounding_update(
	struct gpube_solution *bounds, const struct gpube_model *m, int64_t bound, double seconds)
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
	const struct gpube_solution *bounds)
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
	const struct gpube_solution *bounds, bool lower)
{
	bool proved = lower != answer_maximises(a);

	if (!answer_knows_bound(a, lower))
		return;
	gpube__out_printf(out, "%-*s", LABEL, lower ? "lower" : "upper");
	answer_text_bound(out, a, lower);
	gpube__out_text(out, proved ? ", proved" : ", of an assignment");
	if (a->model->kind == GPUBE_POTENTIALS)
		gpube__out_printf(out, ", -ln, each function rounded to %d decimal%s",
			bounds->scale, gpube__plural(bounds->scale));
	gpube__out_printf(
		out, ", after %.3f s", proved ? bounds->seconds_bound : bounds->seconds_cost);
	if (!proved && a->model->kind == GPUBE_POTENTIALS)
		gpube__out_printf(out, " (log10 %.9g)", answer_log10(a));
	gpube__out_text(out, "\n");
}

static void text_gap(struct gpube_out *out, const struct gpube_solution *bounds)
{
	const double gap = fabs((double)bounds->cost - (double)bounds->bound);
	char text[GPUBE_DECIMAL_TEXT];

	if (bounds->answer == GPUBE_ANSWER_OPTIMAL || !bounds->values)
		return;
	gpube__out_printf(out, "%-*s", LABEL, "gap");
	if (gap < (double)GPUBE_INF)
		gpube__out_text(out, gpube__decimal_text(text, (int64_t)gap, bounds->scale));
	else
		gpube__out_printf(out, "%.3g", gap * pow(10, -bounds->scale));
	if (bounds->cost)
		gpube__out_printf(out, ", %.3g %% of the assignment's cost",
			100 * gap / fabs((double)bounds->cost));
	gpube__out_text(out, "\n");
}

/* "optimum     4.30, the proved minimum, after 0.003 s" */
static void text_optimum(
	struct gpube_out *out, const struct answer *a, const struct gpube_solution *found)
{
	gpube__out_printf(out, "%-*s", LABEL, "optimum");
	if (a->model->kind == GPUBE_POTENTIALS) {
		gpube__out_printf(out, "log10 %.9g, the proved maximum (-ln ", answer_log10(a));
		gpube__out_decimal(out, found->cost, found->scale);
		gpube__out_printf(out, ", each function rounded to %d decimal%s)", found->scale,
			gpube__plural(found->scale));
	} else {
		gpube__out_decimal(out, found->cost, found->scale);
		gpube__out_printf(
			out, ", the proved %s", answer_maximises(a) ? "maximum" : "minimum");
	}
	gpube__out_printf(out, ", after %.3f s\n", fmax(found->seconds_bound, found->seconds_cost));
}

void bounding_text(
	struct gpube_out *out, const struct answer *a, const struct gpube_solution *found)
{
	if (found->answer == GPUBE_ANSWER_INFEASIBLE) {
		answer_text_infeasible(out, a);
	} else if (found->answer == GPUBE_ANSWER_OPTIMAL) {
		text_optimum(out, a, found);
	} else {
		text_side(out, a, found, true);
		text_side(out, a, found, false);
		text_gap(out, found);
		if (found->closed)
			gpube__out_printf(out, "%-*snothing better than --ub exists (proved)\n",
				LABEL, "closed");
	}
}

/* ---- conclusion: text ------------------------------------------------------------------ */

static void text_count(struct gpube_out *out, const struct conclusion *f)
{
	const char *count = f->solution->count;

	if (!f->counting || f->solution->answer != GPUBE_ANSWER_OPTIMAL)
		return;
	gpube__out_printf(out, "%-*s", LABEL, "optima");
	gpube__out_text(out, count ? count : "not counted to the end");
	gpube__out_text(out, "\n");
}

static void text_result(struct gpube_out *out, const struct conclusion *f)
{
	const struct gpube_solution *s = f->solution;

	if (s->answer == GPUBE_ANSWER_INFEASIBLE) {
		answer_text_infeasible(out, &f->answer);
		return;
	}
	if (f->unproved && s->answer == GPUBE_ANSWER_INCOMPLETE && !s->closed)
		gpube__out_printf(out, "%-*s%s\n", LABEL, "incomplete", f->unproved);
	bounding_text(out, &f->answer, s);
	text_count(out, f);
	if (!f->answer.values)
		return;
	answer_text_assignment(out, f->answer.model, f->answer.values);
	gpube__out_printf(out,
		"%-*sthe assignment's cost, recomputed from the tables of the file, is %s\n", LABEL,
		"checked",
		s->answer == GPUBE_ANSWER_OPTIMAL ? "the optimum"
		: answer_maximises(&f->answer)    ? "the lower bound"
						  : "the upper bound");
}

static void text_plan(struct gpube_out *out, const struct conclusion *f)
{
	const struct gpube_plan *plan = &f->solution->plan;
	char variables[ANSWER_VARIABLES];

	gpube__out_printf(out,
		"%-*s%d of %s and %d function%s after simplification, %d component%s\n", LABEL,
		"model", plan->n_vars, answer_variables(variables, f->answer.model),
		plan->n_functions, gpube__plural(plan->n_functions), plan->n_components,
		gpube__plural(plan->n_components));
	if (!(plan->joined_cells > 0))
		return;
	gpube__out_printf(out, "%-*swidth %d, %s joined cell%s, %s of tables at the peak", LABEL,
		"plan", plan->width, cells_text(plan->joined_cells, 0),
		gpube__plural(plan->joined_cells), bytes_text(plan->peak_bytes, 0));
	if (plan->n_slices > 1)
		gpube__out_printf(out, ", in %.0f slices", plan->n_slices);
	gpube__out_text(out, "\n");
}

/* What is no order, elimination or counting: bounds and search. */
static double seconds_searched(const struct gpube_solution *s)
{
	double all = -s->seconds_simplify - s->seconds_order - s->seconds_eliminate -
		     s->seconds_assign - s->seconds_count;

	for (int k = 0; k < s->n_stages; k++)
		all += s->stages[k].seconds;
	return fmax(all, 0);
}

#define TIMES(f, s)                                                                                \
	SPENT({"read", (f)->seconds_read}, {"simplify", (s)->seconds_simplify},                    \
		{"order", (s)->seconds_order}, {"search", seconds_searched(s)},                    \
		{"eliminate", (s)->seconds_eliminate}, {"assign", (s)->seconds_assign},            \
		{(f)->counting ? "count" : NULL, (s)->seconds_count}, {"", 0},                     \
		{"contract", (s)->seconds_contracting}, {"copy", (s)->seconds_copying},            \
		{"bound", (s)->seconds_bound}, {"assignment", (s)->seconds_cost})

void conclusion_text(struct gpube_out *out, const void *arg)
{
	const struct conclusion *f = arg;
	const struct session *s = f->answer.session;
	const struct gpube_solution *found = f->solution;

	text_result(out, f);
	if (f->text)
		f->text(out, f);
	answer_text_evidence(out, s, f->answer.model, f->evidence_file);
	text_plan(out, f);
	text_times(out, s, TIMES(f, found));
	text_backend(out, s, found->backend);
}

/* ---- conclusion: JSON ------------------------------------------------------------------ */

static bool is_known(int64_t total)
{
	return total < GPUBE_INF && total > -GPUBE_INF;
}

static void json_total(struct json *j, const char *key, const struct conclusion *f, int64_t total)
{
	if (is_known(total))
		json_decimal(j, key, total, f->solution->scale);
	else
		json_null(j, key);
}

static void json_stages(struct json *j, const struct conclusion *f)
{
	const bool maximise = answer_maximises(&f->answer);

	json_open(j, "stages", '[');
	for (int k = 0; k < f->solution->n_stages; k++) {
		const struct gpube_stage *s = &f->solution->stages[k];

		json_open(j, NULL, '{');
		json_text(j, "stage", s->name);
		json_seconds(j, "seconds", s->seconds);
		json_seconds(j, "processor", s->seconds_cpu);
		json_int(j, "round", s->round);
		json_text(j, "why", s->why);
		json_int(j, "ticks", llround(s->ticks));
		json_total(j, "lower_before", f, maximise ? s->cost_before : s->bound_before);
		json_total(j, "upper_before", f, maximise ? s->bound_before : s->cost_before);
		json_total(j, "lower", f, maximise ? s->cost : s->bound);
		json_total(j, "upper", f, maximise ? s->bound : s->cost);
		json_close(j, '}');
	}
	json_close(j, ']');
}

void conclusion_json(struct json *j, const void *arg)
{
	const struct conclusion *f = arg;
	const struct gpube_solution *s = f->solution;

	answer_json_head(j, &f->answer);
	answer_json_result(j, &f->answer);
	if (f->has_given)
		json_total(j, "given_cost", f, f->given);
	json_true_false(j, "closed", s->closed != 0);
	answer_json_evidence(j, f->answer.model, f->evidence_file);
	if (s->count)
		json_big(j, "count", s->count);
	else if (f->counting && f->answer.values)
		json_null(j, "count");
	if (f->json)
		f->json(j, f);
	json_int(j, "z", s->z);
	json_plan(j, &s->plan);
	json_times(j, TIMES(f, f->solution));
	json_stages(j, f);
	answer_json_kernels(j, &f->answer);
}

/* ---- stages --------------------------------------------------------------------------- */

/* What a stage gave, compared with what was known before it. */
static const char *gain(const struct gpube_stage *now, const struct gpube_stage *before)
{
	const bool bound = !before || now->bound != before->bound;
	const bool cost = before ? now->cost != before->cost : is_known(now->cost);

	if (now->fell_back)
		return "no room";
	if (is_known(now->cost) && now->cost == now->bound)
		return bound || cost ? "the proof" : "";
	return bound && cost ? "a bound, an assignment"
	       : bound       ? "a bound"
	       : cost        ? "an assignment"
			     : "";
}

static const char *total_text(
	char text[GPUBE_DECIMAL_TEXT], const struct conclusion *f, int64_t total)
{
	return is_known(total) ? gpube__decimal_text(text, total, f->solution->scale) : "-";
}

void conclusion_tell_stages(const struct conclusion *f)
{
	const struct gpube_solution *s = f->solution;
	const bool maximise = answer_maximises(&f->answer);
	char line[160], text[2][GPUBE_DECIMAL_TEXT];

	if (s->n_stages && f->answer.session->verbose) {
		snprintf(line, sizeof(line), "%-34s %9s %9s %20s %20s  %s", "method", "seconds",
			"processor", "lower", "upper", "gave");
		session_note(f->answer.session, line);
	}
	for (int k = 0; f->answer.session->verbose && k < s->n_stages; k++) {
		const struct gpube_stage *now = &s->stages[k];
		const char *bound = total_text(text[0], f, now->bound),
			   *cost = total_text(text[1], f, now->cost);

		snprintf(line, sizeof(line), "%-34s %9.4f %9.4f %20s %20s  %s", now->name,
			now->seconds, now->seconds_cpu, maximise ? cost : bound,
			maximise ? bound : cost, gain(now, k ? now - 1 : NULL));
		session_note(f->answer.session, line);
	}
}

/* ---- the check ------------------------------------------------------------------------ */

int conclusion_check(const struct answer *a)
{
	return a->values ? gpube__check_cost(a->model, a->values, a->cost, a->scale) : GPUBE_OK;
}
