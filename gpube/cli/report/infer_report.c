/* infer_report.c - see infer_report.h. */
#include "gpube/cli/report/infer_report.h"

#include <math.h>

#include "formats/common/named.h"
#include "formats/formats.h"
#include "gpube/cli/answer.h"

static const char *const task_names[] = {"PR", "MAR", "MMAP", "MPE"};

/* Whether there are only bounds of the sum. */
static bool is_bounded(const struct infer_result *r)
{
	return r->inference && !r->inference->known;
}

/* An estimate between the bounds; without a lower bound there is none. */
static bool has_estimate(const struct infer_result *r)
{
	return r->estimate && is_bounded(r) && isfinite(r->inference->log10_lower);
}

static double estimate_of(const struct infer_result *r)
{
	return r->inference->log10_lower +
	       (r->inference->log10_upper - r->inference->log10_lower) / 2;
}

static double log10_of(const struct infer_result *r)
{
	if (r->inference)
		return r->inference->log10_z;
	if (r->mmap)
		return r->mmap->log10_value;
	return r->solution->values ? r->solution->log_value / log(10) : -INFINITY;
}

static bool is_impossible(const struct infer_result *r)
{
	if (r->mmap)
		return r->mmap->answer == GPUBE_ANSWER_INFEASIBLE;
	return !is_bounded(r) && isinf(log10_of(r));
}

static const struct gpube_plan *plan_of(const struct infer_result *r)
{
	return r->inference ? &r->inference->plan : r->mmap ? &r->mmap->plan : &r->solution->plan;
}

static const char *backend_of(const struct infer_result *r)
{
	return r->solution ? r->solution->backend : r->inference ? r->inference->backend : "cpu";
}

/* ---- text ------------------------------------------------------------------------- */

static void text_label(struct gpube_out *out, const char *label)
{
	gpube__out_printf(out, "%-*s", LABEL, label);
}

/* "rain=yes" in a line of its own, or "3:" before all values of what the file does not name. */
static void text_value_of(
	struct gpube_out *out, const struct gpube_model *m, int32_t var, int32_t value)
{
	const struct gpube_variable *v = &m->vars[var];

	if (!v->name && !v->value_names) {
		if (value == 0)
			gpube__out_printf(out, "%d:", var);
		return;
	}
	if (value > 0) {
		gpube__out_text(out, "\n");
		text_label(out, "");
	}
	if (v->name)
		gpube__out_text(out, v->name);
	else
		gpube__out_int(out, var);
	gpube__out_text(out, "=");
	if (v->value_names)
		gpube__out_text(out, v->value_names[value]);
	else
		gpube__out_int(out, value);
}

static void text_marginals(struct gpube_out *out, const struct infer_result *r)
{
	const struct gpube_model *m = r->model;
	const double *p = r->inference->marginals;

	for (int32_t i = 0; i < m->n_vars; i++) {
		text_label(out, i ? "" : "marginals");
		for (int32_t a = 0; a < m->vars[i].domain; a++) {
			text_value_of(out, m, i, a);
			gpube__out_printf(out, " %.9g", *p++);
		}
		gpube__out_text(out, "\n");
	}
}

static void text_intervals(struct gpube_out *out, const struct infer_result *r)
{
	const struct gpube_model *m = r->model;
	const double *lower = r->inference->marginals_lower, *upper = r->inference->marginals_upper;

	text_label(out, "marginals");
	gpube__out_text(out, "proved bounds of each, from..to, if the sum is not 0\n");
	for (int32_t i = 0; i < m->n_vars; i++) {
		text_label(out, "");
		for (int32_t a = 0; a < m->vars[i].domain; a++, lower++, upper++) {
			text_value_of(out, m, i, a);
			gpube__out_printf(out, " %.6g..%.6g", floor(*lower * 1e6) / 1e6,
				ceil(*upper * 1e6) / 1e6);
		}
		gpube__out_text(out, "\n");
	}
}

/* The best values known, and an upper bound of their sum. */
static void text_mmap(struct gpube_out *out, const struct infer_result *r)
{
	const struct gpube_mmap *s = r->mmap;

	if (s->values && isinf(s->relative_error)) {
		text_label(out, "log10");
		gpube__out_text(out, "at least ");
		gpube__out_real(out, s->log10_value);
		gpube__out_text(out, ", for the best values that were met\n");
	} else if (s->values) {
		text_label(out, "log10");
		gpube__out_real(out, s->log10_value);
		gpube__out_printf(out,
			s->answer == GPUBE_ANSWER_OPTIMAL ? ", the proved maximum; none is better "
							    "by a factor above 1 + %.1e\n"
							  : ", the best sum that was met; its "
							    "relative error is at most %.1e\n",
			s->relative_error);
	}
	if (s->answer == GPUBE_ANSWER_INCOMPLETE) {
		text_label(out, "bound");
		gpube__out_printf(out, "log10 at most ");
		gpube__out_real(out, s->log10_upper);
		gpube__out_text(out, "; stopped before the end, no maximum is proved\n");
	}
	if (s->values)
		answer_text_values(out, r->model, r->query->vars, r->query->n, s->values);
}

static void text_bounds(struct gpube_out *out, const struct infer_result *r)
{
	const double lower = r->inference->log10_lower;

	text_label(out, "log10 Z");
	if (isfinite(lower)) {
		gpube__out_text(out, "from ");
		gpube__out_real(out, lower);
		gpube__out_text(out, " to ");
	} else {
		gpube__out_text(out, "at most ");
	}
	gpube__out_real(out, r->inference->log10_upper);
	gpube__out_text(
		out, ": proved bounds of the sum over all assignments, which is not known\n");
	if (has_estimate(r)) {
		text_label(out, "estimate");
		gpube__out_real(out, estimate_of(r));
		gpube__out_text(out, ", between them, and no more than that\n");
	}
	if (r->task == INFER_MAR) {
		text_intervals(out, r);
	}
}

static void text_value(struct gpube_out *out, const struct infer_result *r)
{
	if (is_bounded(r)) {
		text_bounds(out, r);
		return;
	}
	if (is_impossible(r)) {
		text_label(out, "impossible");
		gpube__out_printf(out, "%s (proved)\n",
			answer_observed(r->model) ? "the evidence has probability zero"
						  : "every assignment has probability zero");
		return;
	}
	if (r->mmap) {
		text_mmap(out, r);
		return;
	}
	text_label(out, r->inference ? "log10 Z" : "log10");
	gpube__out_real(out, log10_of(r));
	if (r->inference)
		gpube__out_printf(out,
			", the sum over all assignments; relative error of Z at most %.1e\n",
			r->inference->relative_error);
	else
		gpube__out_printf(out,
			", the proved maximum (each function rounded to %d decimal%s)\n",
			r->solution->scale, gpube__plural(r->solution->scale));
	if (r->solution)
		answer_text_assignment(out, r->model, r->solution->values);
	else if (r->inference->marginals)
		text_marginals(out, r);
	if (r->inference)
		infer_text_tables(out, r);
}

static void text_evidence(struct gpube_out *out, const struct infer_result *r)
{
	const int32_t n = answer_observed(r->model);

	text_label(out, "evidence");
	if (r->evidence_file || r->session->observes) {
		gpube__out_printf(out, "%d observed variable%s, from ", n, gpube__plural(n));
		answer_text_source(out, r->session, r->evidence_file, "");
		gpube__out_text(out, "\n");
	} else {
		gpube__out_printf(out, "%s\n", n ? "that of the model" : "none");
	}
	if (!r->mmap)
		return;
	text_label(out, "query");
	gpube__out_printf(out, "%d variable%s, from %s", r->query->n, gpube__plural(r->query->n),
		r->query->file ? r->query->file : "--query");
	gpube__out_printf(out, "; left to search: %d variable%s, %d function%s\n", r->mmap->n_free,
		gpube__plural(r->mmap->n_free), r->mmap->n_functions,
		gpube__plural(r->mmap->n_functions));
}

#define SPENT_OF(of, name, field)                                                                  \
	{                                                                                          \
		(of) ? name : NULL, (of) ? (of)->field : 0                                         \
	}
#define TIMES(r)                                                                                   \
	SPENT({"read", (r)->seconds_read}, SPENT_OF((r)->inference, "order", seconds_order),       \
		SPENT_OF((r)->inference, "sum", seconds_sum),                                      \
		SPENT_OF((r)->mmap, "order", seconds_order),                                       \
		SPENT_OF((r)->mmap, "sum", seconds_sum),                                           \
		SPENT_OF((r)->mmap, "search", seconds_search))

static void report_text(struct gpube_out *out, const void *arg)
{
	const struct infer_result *r = arg;
	const struct gpube_plan *plan = plan_of(r);
	const int32_t n_vars = r->model->n_vars;

	text_value(out, r);
	text_evidence(out, r);
	text_label(out, "model");
	gpube__out_printf(out, "%d of %d variable%s and %d function%s left, %d component%s",
		plan->n_vars, n_vars, gpube__plural(n_vars), plan->n_functions,
		gpube__plural(plan->n_functions), plan->n_components,
		gpube__plural(plan->n_components));
	if (!r->solution) {
		const int64_t n = r->mmap ? r->mmap->n_removed : r->inference->n_removed;

		gpube__out_printf(
			out, "; %lld value%s cannot occur", (long long)n, gpube__plural(n));
	}
	gpube__out_text(out, "\n");
	text_label(out, "plan");
	gpube__out_printf(out, "width %d, %s joined cell%s, %s of tables at the peak", plan->width,
		cells_text(plan->joined_cells, 0), gpube__plural(plan->joined_cells),
		bytes_text(plan->peak_bytes, 0));
	if (plan->n_slices > 1)
		gpube__out_printf(out, ", in %.0f slices", plan->n_slices);
	if (plan->n_slices > 1 && !r->inference->known)
		gpube__out_printf(
			out, ", of which %lld were done", (long long)r->inference->n_slices_done);
	if (r->inference && r->inference->n_cases)
		gpube__out_printf(out, ", not done: %lld case%s less",
			(long long)r->inference->n_cases,
			r->inference->n_cases == 1 ? " was" : "s were");
	gpube__out_text(out, "\n");
	text_times(out, r->session, TIMES(r));
	text_backend(out, r->session, backend_of(r));
}

/* ---- JSON ----------------------------------------------------------------------------- */

/* Marginals by names, where there are any: {variable: {value: probability}}. */
static void json_posteriors(
	struct json *j, const struct infer_result *r, const char *key, const double *p)
{
	struct gpube_named *named = session_named(r->session, r->model, j->out);
	char index[16];

	if (!named)
		return;
	json_open(j, key, '{');
	for (int32_t i = 0; i < r->model->n_vars; i++) {
		const char *name = gpube__named_key(named, i);

		snprintf(index, sizeof(index), "%d", i);
		json_open(j, name ? name : index, '{');
		for (int32_t a = 0; a < r->model->vars[i].domain; a++) {
			if (gpube__named_value_key(&name, named, i, a))
				j->out->status = j->out->status ? j->out->status : GPUBE_ENOMEM;
			snprintf(index, sizeof(index), "%d", a);
			json_real(j, name ? name : index, *p++);
		}
		json_close(j, '}');
	}
	json_close(j, '}');
}

static void json_marginals(struct json *j, const struct infer_result *r, const char *key,
	const char *by_name, const double *p)
{
	infer_json_lists(j, key, r->model, p);
	json_posteriors(j, r, by_name, p);
}

static void json_mmap(struct json *j, const struct infer_result *r)
{
	json_real(j, "log10_lower", r->mmap->log10_lower);
	json_real(j, "log10_upper", r->mmap->log10_upper);
	json_real(j, "relative_error", r->mmap->relative_error);
	if (r->query->file)
		json_text(j, "query_file", r->query->file);
	else
		json_null(j, "query_file");
	json_open(j, "query", '[');
	for (int32_t k = 0; k < r->query->n; k++)
		json_int(j, NULL, r->query->vars[k]);
	json_close(j, ']');
	answer_json_values(j, r->session, r->model, r->query->vars, r->query->n, r->mmap->values);
}

static const char *status_of(const struct infer_result *r)
{
	if (is_impossible(r))
		return "impossible";
	if (r->inference)
		return is_bounded(r) ? "bounds" : "exact";
	return r->mmap && r->mmap->answer == GPUBE_ANSWER_INCOMPLETE ? "bounds" : "optimal";
}

static void report_json(struct json *j, const void *arg)
{
	const struct infer_result *r = arg;

	json_text(j, "status", status_of(r));
	json_text(j, "task", task_names[r->task]);
	json_text(j, "backend", backend_of(r));
	json_seconds(j, "seconds", session_seconds(r->session));
	json_text(j, "file", r->file);
	json_int(j, "variables", r->model->n_vars);
	json_int(j, "functions", r->model->n_functions);
	answer_json_evidence(j, r->model, r->evidence_file);
	json_real(j, "log10", log10_of(r)); /* null of 0 */
	if (r->inference) {
		json_real(j, "log10_lower", r->inference->log10_lower);
		json_real(j, "log10_upper", r->inference->log10_upper);
	}
	if (has_estimate(r))
		json_real(j, "log10_estimate", estimate_of(r));
	if (r->inference && !is_bounded(r))
		json_real(j, "relative_error", r->inference->relative_error);
	if (r->task == INFER_MAR && r->inference->marginals)
		json_marginals(j, r, "marginals", "posteriors", r->inference->marginals);
	if (r->inference)
		infer_json_tables(j, r);
	if (r->task == INFER_MAR && is_bounded(r)) {
		json_marginals(
			j, r, "marginals_lower", "posteriors_lower", r->inference->marginals_lower);
		json_marginals(
			j, r, "marginals_upper", "posteriors_upper", r->inference->marginals_upper);
	}
	if (r->task == INFER_MPE && !is_impossible(r))
		answer_json_assignment(j, r->session, r->model, r->solution->values);
	if (r->mmap)
		json_mmap(j, r);
	if (r->solution)
		json_int(j, "rounded_decimals", r->solution->scale);
	json_plan(j, plan_of(r));
	if (r->inference && r->inference->n_cases)
		json_int(j, "cases", r->inference->n_cases);
	json_times(j, TIMES(r));
}

/* ---- the UAI result file ------------------------------------------------------------------ */

/* Whether there is something to write as a file; *rc: if not. */
static bool has_result(const struct infer_result *r, int *rc)
{
	struct session *s = r->session;

	session_clear_line(s);
	if (is_impossible(r) && (r->task != INFER_PR || r->query->n || r->draws)) {
		if (!s->quiet) /* then no file is written */
			cli_error("%s has probability zero, so there is no %s to write",
				answer_observed(r->model) ? "the evidence" : "every assignment",
				r->task == INFER_MAR ? "marginal"
				: r->query->n        ? "joint distribution"
						     : "assignment");
		*rc = CLI_DONE;
		return false;
	}
	if (is_bounded(r)) {
		if (!s->quiet)
			cli_error("the sum has but bounds, so there is no result to write");
		*rc = CLI_FAILED;
		return false;
	}
	return true;
}

static int write_uai(const struct infer_result *r)
{
	static const enum gpube_uai_task tasks[] = {
		GPUBE_UAI_PR, GPUBE_UAI_MAR, GPUBE_UAI_MAP, GPUBE_UAI_MPE};
	struct session *s = r->session;
	struct gpube_uai_result to = {.log10_value = log10_of(r), .n = r->model->n_vars};
	int32_t *domains = NULL;
	int status = GPUBE_OK;

	if (!has_result(r, &status))
		return status;
	if (r->mmap && !r->mmap->values) {
		if (!s->quiet)
			cli_error("stopped before an assignment was found, so there is none to "
				  "write");
		return CLI_FAILED;
	}
	to.task = tasks[r->task];
	if (r->task == INFER_MPE)
		to.values = r->solution->values;
	if (r->mmap) {
		to.n = r->query->n;
		to.vars = r->query->vars;
		to.values = r->mmap->values;
	}
	if (r->task == INFER_MAR) {
		domains = gpube__alloc(s->ctx, (uint64_t)r->model->n_vars, sizeof(*domains));
		status = domains ? GPUBE_OK : GPUBE_ENOMEM;
		for (int32_t i = 0; domains && i < r->model->n_vars; i++)
			domains[i] = r->model->vars[i].domain;
		to.domains = domains;
		to.marginals = r->inference->marginals;
	}
	if (!status)
		status = gpube_write_uai_result(s->ctx, s->output ? s->output : "-", &to);
	gpube__free(s->ctx, domains);
	return status ? session_fail(s, NULL) : CLI_DONE;
}

/* ---- the form that is asked for ------------------------------------------------------ */

/* ---- rows of evidence ----------------------------------------------------------------- */

#define ROWS_TIMES(r) SPENT({"read", (r)->seconds_read}, {"sum", (r)->rows->seconds})

static void rows_text(struct gpube_out *out, const void *arg)
{
	const struct infer_result *r = arg;
	char row[24];

	for (int64_t k = 0; k < r->rows->n; k++) {
		snprintf(row, sizeof(row), "%lld", (long long)k + 1);
		text_label(out, row);
		if (isfinite(r->rows->log10_z[k]))
			gpube__out_real(out, r->rows->log10_z[k]);
		else
			gpube__out_text(out, "impossible");
		gpube__out_text(out, "\n");
	}
	text_label(out, "rows");
	gpube__out_printf(out,
		"%lld, from %s: of each log10 of the sum; relative error at most %.1e\n",
		(long long)r->rows->n, r->rows->file, r->rows->relative_error);
	text_evidence(out, r);
	text_times(out, r->session, ROWS_TIMES(r));
}

static void rows_json(struct json *j, const void *arg)
{
	const struct infer_result *r = arg;

	json_text(j, "status", "exact");
	json_text(j, "task", task_names[r->task]);
	json_text(j, "backend", "cpu");
	json_seconds(j, "seconds", session_seconds(r->session));
	json_text(j, "file", r->file);
	json_int(j, "variables", r->model->n_vars);
	json_int(j, "functions", r->model->n_functions);
	answer_json_evidence(j, r->model, r->evidence_file);
	json_real(j, "relative_error", r->rows->relative_error);
	infer_json_rows(j, r);
	json_times(j, ROWS_TIMES(r));
}

int infer_report(const struct infer_result *r, int output)
{
	int rc;

	if (r->rows)
		return output == ANSWER_CSV ? session_report(r->session, infer_csv, NULL, r)
					    : session_report(r->session, rows_text, rows_json, r);
	if (output == ANSWER_CSV)
		return has_result(r, &rc) ? session_report(r->session, infer_csv, NULL, r) : rc;
	return output == ANSWER_TEXT || output == ANSWER_JSON
		       ? session_report(r->session, report_text, report_json, r)
		       : write_uai(r);
}
