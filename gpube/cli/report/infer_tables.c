/*
 * infer_tables.c - tables that gpube infer gives: joint distributions, what was drawn, one answer
 * for each row of evidence; as text, JSON and .csv.
 */
#include <math.h>
#include <string.h>

#include "formats/common/named.h"
#include "gpube/cli/answer.h"
#include "gpube/cli/report/infer_report.h"

/* What stands for a variable, or for a value of it: a name that no other has, or the index. */
static const char *var_key(
	char index[16], const struct infer_result *r, struct gpube_out *out, int32_t var)
{
	struct gpube_named *named = session_named(r->session, r->model, out);
	const char *name = named ? gpube__named_key(named, var) : NULL;

	snprintf(index, 16, "%d", var);
	return name ? name : index;
}

static const char *value_key(char index[16], const struct infer_result *r, struct gpube_out *out,
	int32_t var, int32_t value)
{
	struct gpube_named *named = session_named(r->session, r->model, out);
	const char *name = NULL;

	if (named && gpube__named_value_key(&name, named, var, value))
		out->status = out->status ? out->status : GPUBE_ENOMEM;
	snprintf(index, 16, "%d", value);
	return name ? name : index;
}

/* The values of the query variables at a cell of their joint table. */
static int32_t value_at(const struct infer_result *r, int64_t cell, int32_t k)
{
	for (int32_t i = r->query->n - 1; i > k; i--)
		cell /= r->model->vars[r->query->vars[i]].domain;
	return (int32_t)(cell % r->model->vars[r->query->vars[k]].domain);
}

/* "rain=yes lawn=wet" of query variables at a cell, or of all as they were drawn. */
static void text_values(
	struct gpube_out *out, const struct infer_result *r, int64_t cell, const int32_t *drawn)
{
	const int32_t n = drawn ? r->model->n_vars : r->query->n;
	char index[2][16];

	for (int32_t k = 0; k < n; k++) {
		const int32_t var = drawn ? k : r->query->vars[k];

		gpube__out_text(out, k ? " " : "");
		if (!drawn || gpube__has_names(r->model)) {
			gpube__out_text(out, var_key(index[0], r, out, var));
			gpube__out_text(out, "=");
		}
		gpube__out_text(out,
			value_key(index[1], r, out, var, drawn ? drawn[k] : value_at(r, cell, k)));
	}
}

void infer_text_tables(struct gpube_out *out, const struct infer_result *r)
{
	const struct gpube_inference *s = r->inference;

	for (int64_t i = 0; s->joint && i < s->n_joint; i++) {
		gpube__out_printf(out, "%-*s", LABEL, i ? "" : "joint");
		text_values(out, r, i, NULL);
		gpube__out_printf(out, " %.9g\n", s->joint[i]);
	}
	for (int64_t k = 0; s->drawn && k < s->n_drawn; k++) {
		gpube__out_printf(out, "%-*s", LABEL, k ? "" : "drawn");
		text_values(out, r, 0, s->drawn + k * r->model->n_vars);
		gpube__out_text(out, "\n");
	}
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void json_joint(struct json *j, const double *joint, int64_t n)
{
	json_open(j, "joint", '[');
	for (int64_t i = 0; i < n; i++)
		json_real(j, NULL, joint[i]);
	json_close(j, ']');
}

/* By its name, or its index. */
static void json_value(
	struct json *j, const char *key, const struct infer_result *r, int32_t var, int32_t value)
{
	const char *name = gpube_model_value_name(r->model, var, value);

	if (name)
		json_text(j, key, name);
	else
		json_int(j, key, value);
}

static void json_query(struct json *j, const struct infer_result *r)
{
	char index[16];

	json_open(j, "query", '[');
	for (int32_t k = 0; k < r->query->n; k++)
		json_int(j, NULL, r->query->vars[k]);
	json_close(j, ']');
	if (!session_named(r->session, r->model, j->out))
		return;
	json_open(j, "query_names", '[');
	for (int32_t k = 0; k < r->query->n; k++)
		json_text(j, NULL, var_key(index, r, j->out, r->query->vars[k]));
	json_close(j, ']');
	json_open(j, "query_values", '[');
	for (int32_t k = 0; k < r->query->n; k++) {
		json_open(j, NULL, '[');
		for (int32_t a = 0; a < r->model->vars[r->query->vars[k]].domain; a++)
			json_value(j, NULL, r, r->query->vars[k], a);
		json_close(j, ']');
	}
	json_close(j, ']');
}

static void json_drawn(struct json *j, const struct infer_result *r)
{
	const int32_t n_vars = r->model->n_vars;
	const int32_t *drawn = r->inference->drawn;
	char index[16];

	json_open(j, "drawn", '[');
	for (int64_t k = 0; k < r->inference->n_drawn; k++) {
		json_open(j, NULL, '[');
		for (int32_t i = 0; i < n_vars; i++)
			json_int(j, NULL, drawn[k * n_vars + i]);
		json_close(j, ']');
	}
	json_close(j, ']');
	if (!session_named(r->session, r->model, j->out))
		return;
	json_open(j, "drawn_names", '[');
	for (int64_t k = 0; k < r->inference->n_drawn; k++) {
		json_open(j, NULL, '{');
		for (int32_t i = 0; i < n_vars; i++)
			json_value(j, var_key(index, r, j->out, i), r, i, drawn[k * n_vars + i]);
		json_close(j, '}');
	}
	json_close(j, ']');
}

void infer_json_lists(struct json *j, const char *key, const struct gpube_model *m, const double *p)
{
	json_open(j, key, '[');
	for (int32_t i = 0; i < m->n_vars; i++) {
		json_open(j, NULL, '[');
		for (int32_t a = 0; a < m->vars[i].domain; a++)
			json_real(j, NULL, *p++);
		json_close(j, ']');
	}
	json_close(j, ']');
}

void infer_json_tables(struct json *j, const struct infer_result *r)
{
	if (r->query->n)
		json_query(j, r);
	if (r->inference->joint)
		json_joint(j, r->inference->joint, r->inference->n_joint);
	if (r->inference->drawn)
		json_drawn(j, r);
}

void infer_json_rows(struct json *j, const struct infer_result *r)
{
	const struct infer_rows *rows = r->rows;

	json_text(j, "rows_file", rows->file);
	if (r->query->n)
		json_query(j, r);
	json_open(j, "rows", '[');
	for (int64_t k = 0; k < rows->n; k++) {
		const double *p = rows->cells + k * rows->n_cells;

		json_open(j, NULL, '{');
		json_real(j, "log10", rows->log10_z[k]);
		if (rows->n_cells && isfinite(rows->log10_z[k]) && r->query->n) {
			json_joint(j, p, rows->n_cells);
		} else if (rows->n_cells && isfinite(rows->log10_z[k])) {
			infer_json_lists(j, "marginals", r->model, p);
		}
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* ---- .csv ----------------------------------------------------------------------------------- */

static bool csv_is_plain(const char *text)
{
	return !strpbrk(text, "\",\r\n");
}

static void csv_bytes(struct gpube_out *out, const char *text)
{
	for (; *text; text++) {
		gpube__out_text(out, *text == '"' ? "\"" : "");
		gpube__out_bytes(out, text, 1);
	}
}

static void csv_text(struct gpube_out *out, const char *text)
{
	const char *quote = csv_is_plain(text) ? "" : "\"";

	gpube__out_text(out, quote);
	csv_bytes(out, text);
	gpube__out_text(out, quote);
}

static void csv_real(struct gpube_out *out, double v)
{
	if (isfinite(v))
		gpube__out_real(out, v);
	else
		gpube__out_text(out, v < 0 ? "-inf" : "");
}

/* Of a row's table: a cell of the joint distribution, or, with cell -1, a variable's value. */
struct column {
	int64_t cell;
	int32_t var, value;
};

/* The heading "rain=yes lawn=wet" in pieces, four for each variable. */
static const char *piece_of(char index[16], const struct infer_result *r, struct gpube_out *out,
	const struct column *c, int32_t k)
{
	const bool joint = c->cell >= 0;
	const int32_t var = joint ? r->query->vars[k / 4] : c->var;

	if (k % 4 == 0)
		return var_key(index, r, out, var);
	if (k % 4 == 2)
		return value_key(
			index, r, out, var, joint ? value_at(r, c->cell, k / 4) : c->value);
	return k % 4 == 1 ? "=" : " ";
}

static void csv_heading(struct gpube_out *out, const struct infer_result *r, const struct column *c)
{
	const int32_t n = 4 * (c->cell >= 0 ? r->query->n : 1) - 1;
	const char *quote = "";
	char index[16];

	for (int32_t k = 0; k < n; k++)
		if (!csv_is_plain(piece_of(index, r, out, c, k)))
			quote = "\"";
	gpube__out_text(out, ",");
	gpube__out_text(out, quote);
	for (int32_t k = 0; k < n; k++)
		csv_bytes(out, piece_of(index, r, out, c, k));
	gpube__out_text(out, quote);
}

static void csv_columns(struct gpube_out *out, const struct infer_result *r)
{
	const struct gpube_model *m = r->model;

	for (int64_t i = 0; r->query->n && i < r->rows->n_cells; i++)
		csv_heading(out, r, &(struct column){.cell = i});
	for (int32_t i = 0; !r->query->n && r->rows->n_cells && i < m->n_vars; i++)
		for (int32_t a = 0; a < m->vars[i].domain; a++)
			csv_heading(out, r, &(struct column){.cell = -1, .var = i, .value = a});
	gpube__out_text(out, "\n");
}

static void csv_rows(struct gpube_out *out, const struct infer_result *r)
{
	gpube__out_text(out, "log10");
	csv_columns(out, r);
	for (int64_t k = 0; k < r->rows->n; k++) {
		const bool is = isfinite(r->rows->log10_z[k]);

		csv_real(out, r->rows->log10_z[k]);
		for (int64_t i = 0; i < r->rows->n_cells; i++) {
			gpube__out_text(out, ",");
			csv_real(out, is ? r->rows->cells[k * r->rows->n_cells + i] : NAN);
		}
		gpube__out_text(out, "\n");
	}
}

static void csv_joint(struct gpube_out *out, const struct infer_result *r)
{
	char index[16];

	for (int32_t k = 0; k < r->query->n; k++) {
		csv_text(out, var_key(index, r, out, r->query->vars[k]));
		gpube__out_text(out, ",");
	}
	gpube__out_text(out, "probability\n");
	for (int64_t i = 0; i < r->inference->n_joint; i++) {
		for (int32_t k = 0; k < r->query->n; k++) {
			csv_text(out,
				value_key(index, r, out, r->query->vars[k], value_at(r, i, k)));
			gpube__out_text(out, ",");
		}
		csv_real(out, r->inference->joint[i]);
		gpube__out_text(out, "\n");
	}
}

/* Which --rows reads as evidence. */
static void csv_drawn(struct gpube_out *out, const struct infer_result *r)
{
	const int32_t n_vars = r->model->n_vars;
	char index[16];

	for (int64_t k = -1; k < r->inference->n_drawn; k++) {
		for (int32_t i = 0; i < n_vars; i++) {
			gpube__out_text(out, i ? "," : "");
			csv_text(out, k < 0 ? var_key(index, r, out, i)
					    : value_key(index, r, out, i,
						      r->inference->drawn[k * n_vars + i]));
		}
		gpube__out_text(out, "\n");
	}
}

static void csv_marginals(struct gpube_out *out, const struct infer_result *r)
{
	const double *p = r->inference->marginals;
	char index[16];

	gpube__out_text(out, "variable,value,probability\n");
	for (int32_t i = 0; i < r->model->n_vars; i++)
		for (int32_t a = 0; a < r->model->vars[i].domain; a++) {
			csv_text(out, var_key(index, r, out, i));
			gpube__out_text(out, ",");
			csv_text(out, value_key(index, r, out, i, a));
			gpube__out_text(out, ",");
			csv_real(out, *p++);
			gpube__out_text(out, "\n");
		}
}

void infer_csv(struct gpube_out *out, const void *arg)
{
	const struct infer_result *r = arg;

	if (r->rows) {
		csv_rows(out, r);
	} else if (r->inference->joint) {
		csv_joint(out, r);
	} else if (r->inference->drawn) {
		csv_drawn(out, r);
	} else if (r->inference->marginals) {
		csv_marginals(out, r);
	} else {
		gpube__out_text(out, "log10,relative_error\n");
		csv_real(out, r->inference->log10_z);
		gpube__out_text(out, ",");
		csv_real(out, r->inference->relative_error);
		gpube__out_text(out, "\n");
	}
}
