/* answer.c - see answer.h. */
#include "gpube/cli/answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/common/named.h"
#include "formats/common/registry.h"
#include "gpube/ops/ops.h"

bool answer_maximises(const struct answer *a)
{
	return a->model->kind == GPUBE_COSTS && a->model->direction == GPUBE_MAXIMISE;
}

double answer_log10(const struct answer *a)
{
	return a->log_value / log(10);
}

static const char *status_word(const struct answer *a)
{
	static const char *const status[] = {
		[GPUBE_ANSWER_OPTIMAL] = "optimal",
		[GPUBE_ANSWER_INFEASIBLE] = "infeasible",
		[GPUBE_ANSWER_INCOMPLETE] = "bounds",
	};

	return a->no_bounds && a->answer == GPUBE_ANSWER_INCOMPLETE ? "incomplete"
								    : status[a->answer];
}

void answer_text_infeasible(struct gpube_out *out, const struct answer *a)
{
	const char *none = a->session->none;

	gpube__out_printf(out, "%-*s%s%severy assignment is forbidden (proved)\n", LABEL,
		"infeasible", none ? none : "", none ? ": " : "");
}

/* A bound is what is proved, or the cost of the assignment; which depends on the direction. */
static bool known(const struct answer *a, bool lower, int64_t *v)
{
	bool proved = lower != answer_maximises(a);

	*v = proved ? a->bound : a->cost;
	if (a->answer == GPUBE_ANSWER_INFEASIBLE ||
		(proved && (*v == GPUBE_INF || *v == -GPUBE_INF)))
		return false;
	return proved ? !a->no_bounds || a->values : a->values != NULL;
}

bool answer_knows_bound(const struct answer *a, bool lower)
{
	int64_t v;

	return known(a, lower, &v);
}

const char *answer_variables(char text[ANSWER_VARIABLES], const struct gpube_model *m)
{
	const int32_t n = m->n_vars - m->n_hidden;

	if (m->n_hidden)
		snprintf(text, ANSWER_VARIABLES, "%d and %d hidden variables", n, m->n_hidden);
	else
		snprintf(text, ANSWER_VARIABLES, "%d variable%s", n, gpube__plural(n));
	return text;
}

bool answer_text_bound(struct gpube_out *out, const struct answer *a, bool lower)
{
	int64_t v;

	if (!known(a, lower, &v))
		return false;
	gpube__out_decimal(out, v, a->scale);
	return true;
}

void answer_text_assignment(
	struct gpube_out *out, const struct gpube_model *m, const int32_t *values)
{
	answer_text_values(out, m, NULL, m->n_vars, values);
}

void answer_text_values(struct gpube_out *out, const struct gpube_model *m, const int32_t *vars,
	int32_t n_vars, const int32_t *values)
{
	int at = LABEL;

	gpube__out_printf(out, "%-*s", LABEL - 1, "assignment");
	for (int32_t k = 0; k < n_vars; k++) {
		const int32_t i = vars ? vars[k] : k;
		const struct gpube_variable *var = &m->vars[i];
		char index[2][16];
		const char *name = var->name, *value = NULL;
		size_t n;

		if (var->hidden)
			continue;
		if (var->value_names)
			value = var->value_names[values[k]];
		snprintf(index[0], sizeof(index[0]), "%d", i);
		snprintf(index[1], sizeof(index[1]), "%d", values[k]);
		if (!name && (value || vars))
			name = index[0];
		if (!value)
			value = index[1];
		n = 1 + (name ? strlen(name) + 1 : 0) + strlen(value);
		if (at + (int)n > COLUMNS && at > LABEL) {
			gpube__out_printf(out, "\n%*s", LABEL - 1, "");
			at = LABEL;
		}
		at += (int)n;
		gpube__out_text(out, " ");
		if (name) {
			gpube__out_text(out, name);
			gpube__out_text(out, "=");
		}
		gpube__out_text(out, value);
	}
	gpube__out_text(out, "\n");
}

int32_t answer_observed(const struct gpube_model *m)
{
	int32_t n = 0;

	for (int32_t i = 0; m->evidence && i < m->n_vars; i++)
		n += m->evidence[i] >= 0;
	return n;
}

void answer_text_source(struct gpube_out *out, const struct session *s, const char *evidence_file,
	const char *inside)
{
	if (evidence_file || !s->observes)
		gpube__out_text(out, evidence_file ? evidence_file : inside);
	if (s->observes)
		gpube__out_text(out, evidence_file ? " and --observe" : "--observe");
}

void answer_text_evidence(struct gpube_out *out, const struct session *s,
	const struct gpube_model *m, const char *evidence_file)
{
	const int32_t n = answer_observed(m);

	if (n || evidence_file) {
		gpube__out_printf(
			out, "%-*s%d variable%s from ", LABEL, "evidence", n, gpube__plural(n));
		answer_text_source(out, s, evidence_file, "the file itself");
		gpube__out_text(out, "\n");
	} else if (m->kind == GPUBE_POTENTIALS) {
		gpube__out_printf(out, "%-*snone found\n", LABEL, "evidence");
	}
}

void answer_json_evidence(struct json *j, const struct gpube_model *m, const char *evidence_file)
{
	json_int(j, "observed", answer_observed(m));
	if (evidence_file)
		json_text(j, "evidence_file", evidence_file);
	else
		json_null(j, "evidence_file");
}

/* What is told by names: {variable: value}, each by its index where it has no name of its own. */
static void json_names(struct json *j, struct session *s, const struct gpube_model *m,
	const int32_t *vars, int32_t n_vars, const int32_t *values)
{
	const struct gpube_named *named = session_named(s, m, j->out);
	int32_t n_shown = 0;
	char index[16];

	if (!named)
		return;
	json_open(j, "names", '{');
	for (int32_t k = 0; k < n_vars; k++) {
		const int32_t i = vars ? vars[k] : k;
		const char *name = gpube__named_key(named, i),
			   *value = gpube_model_value_name(m, i, values[k]);

		if (m->vars[i].hidden)
			continue;
		snprintf(index, sizeof(index), "%d", vars ? i : n_shown++);
		if (value)
			json_text(j, name ? name : index, value);
		else
			json_int(j, name ? name : index, values[k]);
	}
	json_close(j, '}');
}

void answer_json_values(struct json *j, struct session *s, const struct gpube_model *m,
	const int32_t *vars, int32_t n_vars, const int32_t *values)
{
	if (!values) {
		json_null(j, "assignment");
		return;
	}
	json_open(j, "assignment", '[');
	for (int32_t k = 0; k < n_vars; k++)
		if (!m->vars[vars ? vars[k] : k].hidden)
			json_int(j, NULL, values[k]);
	json_close(j, ']');
	json_names(j, s, m, vars, n_vars, values);
}

void answer_json_assignment(
	struct json *j, struct session *s, const struct gpube_model *m, const int32_t *values)
{
	answer_json_values(j, s, m, NULL, m->n_vars, values);
}

void answer_json_head(struct json *j, const struct answer *a)
{
	json_text(j, "status", status_word(a));
	if (a->answer == GPUBE_ANSWER_INFEASIBLE && a->session->none)
		json_text(j, "reason", a->session->none);
	json_text(j, "backend", a->backend);
	json_seconds(j, "seconds", session_seconds(a->session));
	json_text(j, "file", a->file);
	json_text(j, "direction", answer_maximises(a) ? "maximise" : "minimise");
	json_int(j, "variables", a->model->n_vars - a->model->n_hidden);
	if (a->model->n_hidden)
		json_int(j, "hidden_variables", a->model->n_hidden);
	json_int(j, "functions", a->model->n_functions);
}

void answer_json_result(struct json *j, const struct answer *a)
{
	for (int upper = 0; upper < 2; upper++) {
		const char *key = upper ? "upper_bound" : "lower_bound";
		int64_t v;

		if (known(a, !upper, &v))
			json_decimal(j, key, v, a->scale);
		else
			json_null(j, key);
	}
	if (a->model->kind == GPUBE_POTENTIALS)
		json_int(j, "rounded_decimals", a->scale);
	if (a->model->kind == GPUBE_POTENTIALS && a->values)
		json_real(j, "log10", answer_log10(a));
	answer_json_assignment(j, a->session, a->model, a->values);
}

static int write_mpe(const struct answer *a)
{
	const struct gpube_model *m = a->model;
	struct gpube_uai_result mpe = {.task = GPUBE_UAI_MPE, .n = m->n_vars - m->n_hidden};
	int status = GPUBE_ENOMEM;

	mpe.values = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*mpe.values));
	if (mpe.values) {
		gpube__visible_values(mpe.values, m, a->values);
		status = gpube_write_uai_result(m->ctx, a->session->output, &mpe);
	}
	gpube__free(m->ctx, mpe.values);
	return status;
}

/* What the assignment is to other programs. */
static int write_values(const struct answer *a, enum answer_output output)
{
	const struct gpube_model *m = a->model;

	switch (output) {
	case ANSWER_UB:
		return gpube__write_ub(m, a->session->output, a->cost);
	case ANSWER_UAI:
		return write_mpe(a);
	default:
		return gpube_write_solution(m, a->session->output, a->values);
	}
}

void answer_json_kernels(struct json *j, const struct answer *a)
{
	struct gpube_use use[GPUBE_MAX_USES];
	const int n = gpube__uses(a->session->ctx, use);

	json_open(j, "kernels", '[');
	for (int k = 0; k < n; k++) {
		json_open(j, NULL, '{');
		json_text(j, "family", use[k].family);
		json_int(j, "launches", use[k].launches);
		json_seconds(j, "kernel", use[k].kernel);
		json_seconds(j, "planning", use[k].planning);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* The same with -v. */
static void tell_kernels(const struct answer *a)
{
	struct gpube_ctx *ctx = a->session->ctx;
	struct gpube_use use[GPUBE_MAX_USES];
	const int n = gpube__uses(ctx, use);

	for (int k = 0; k < n; k++)
		if (use[k].launches || use[k].planning > 0)
			gpube__log(ctx, GPUBE_LOG_DETAIL,
				"%s: %lld launch%s, %.4f s of kernels, %.4f s of planning",
				use[k].family, (long long)use[k].launches,
				use[k].launches == 1 ? "" : "es", use[k].kernel, use[k].planning);
}

int answer_report(const struct answer *a, enum answer_output output, report_fn *text, json_fn *json,
	const void *arg)
{
	struct session *s = a->session;

	tell_kernels(a);
	if (output == ANSWER_TEXT || output == ANSWER_JSON)
		return session_report(s, text, json, arg);
	session_clear_line(s);
	if (a->values)
		return write_values(a, output) ? session_fail(s, NULL) : CLI_DONE;
	if (!s->quiet) /* then no file is written */
		cli_error("%s, so there is no assignment to write",
			a->answer == GPUBE_ANSWER_INFEASIBLE
				? (s->none ? s->none : "every assignment is forbidden")
			: a->no_bounds ? "stopped before the end"
				       : "none was found");
	return a->answer == GPUBE_ANSWER_INFEASIBLE ? CLI_DONE : CLI_FAILED;
}
