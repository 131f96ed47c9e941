/*
 * rows.c - many rows of evidence: a .csv whose first line names variables, or a .evid of several
 * samples.
 *
 * A field is a variable or a value by name or index (named.h); within two '"' it may have commas,
 * line ends, and "" for a '"'. An empty one, or a ? that no value is called, is not observed. Empty
 * lines are skipped.
 */
#include "formats/common/named.h"
#include "formats/common/registry.h"

#include <string.h>

struct csv {
	struct gpube_in *in;
	struct gpube_named named;
	char *field;
	int64_t n, capacity; /* of the field */
	int32_t *vars, n_columns;
	int64_t columns_capacity;
	int32_t **rows;
	int64_t *n_rows, capacity_rows;
};

/* The next byte, or -1. */
static int peek(struct gpube_in *in)
{
	return in->p < in->end || gpube__in_fill(in) ? (unsigned char)*in->p : -1;
}

static int take(struct csv *r)
{
	const int c = peek(r->in);

	if (c < 0)
		return c;
	r->in->p++;
	r->in->line += c == '\n';
	return c;
}

static int push(struct csv *r, int c)
{
	if (gpube__grow(r->in->ctx, &r->field, &r->capacity, r->n + 1, 1))
		return GPUBE_ENOMEM;
	r->field[r->n++] = (char)c;
	return GPUBE_OK;
}

/* What stands between two '"', of which the first one has been taken. */
static int read_quoted(struct csv *r)
{
	int status = GPUBE_OK;

	while (!status) {
		const int c = take(r);

		if (c < 0)
			return gpube__in_expected(r->in, "a '\"' at the end of a field", NULL);
		if (c == '"' && peek(r->in) != '"')
			break;
		if (c == '"')
			take(r);
		status = push(r, c);
	}
	return status;
}

/* A field, as text; *last: it ends its line. */
static int read_field(struct csv *r, bool *last)
{
	int status = GPUBE_OK, c;

	r->n = 0;
	if (peek(r->in) == '"') {
		take(r);
		status = read_quoted(r);
	}
	while (!status && (c = peek(r->in)) >= 0 && c != ',' && c != '\n') {
		take(r);
		if (c != '\r' || (peek(r->in) >= 0 && peek(r->in) != '\n'))
			status = push(r, c);
	}
	*last = peek(r->in) != ',';
	if (!status && !*last)
		take(r);
	return status ? status : r->in->status ? r->in->status : push(r, 0);
}

static int read_header(struct csv *r)
{
	bool last = peek(r->in) < 0, *seen;
	char name[GPUBE_NAMED_TEXT];
	int status = GPUBE_OK;

	if (last)
		return gpube__in_expected(r->in, "a line of variables", NULL);
	seen = gpube__alloc_zero(r->in->ctx, (uint64_t)r->named.m->n_vars, sizeof(*seen));
	if (!seen)
		return GPUBE_ENOMEM;
	while (!last && !status) {
		int32_t var = 0;

		status = read_field(r, &last);
		if (!status && gpube__named_var(&var, &r->named, r->field))
			status = gpube__named_fail(r->in);
		if (!status && seen[var])
			status = gpube__in_error(r->in, "variable %s has two columns",
				gpube__var_text(name, r->named.m, var));
		if (!status)
			status = gpube__grow(r->in->ctx, &r->vars, &r->columns_capacity,
				(int64_t)r->n_columns + 1, sizeof(*r->vars));
		if (!status) {
			seen[var] = true;
			r->vars[r->n_columns++] = var;
		}
	}
	gpube__free(r->in->ctx, seen);
	return status;
}

/* The field's value, -1: it is not observed. */
static int value_of(int32_t *value, struct csv *r, int32_t var)
{
	int status;

	*value = -1;
	if (!*r->field)
		return GPUBE_OK;
	status = gpube__named_value(value, &r->named, var, r->field);
	if (status == GPUBE_EINVAL && !strcmp(r->field, "?"))
		return GPUBE_OK;
	return status == GPUBE_EINVAL ? gpube__named_fail(r->in) : status;
}

static int read_row(struct csv *r)
{
	const int32_t n_vars = r->named.m->n_vars;
	int32_t *row, k = 0;
	bool last = false;
	int status = gpube__grow(r->in->ctx, r->rows, &r->capacity_rows, (*r->n_rows + 1) * n_vars,
		sizeof(**r->rows));

	if (status)
		return status;
	row = *r->rows + *r->n_rows * n_vars;
	for (int32_t i = 0; i < n_vars; i++)
		row[i] = -1;
	for (; !last && !status; k++) {
		status = read_field(r, &last);
		if (!status && k < r->n_columns)
			status = value_of(&row[r->vars[k]], r, r->vars[k]);
	}
	if (!status && k != r->n_columns)
		status = gpube__in_error(r->in,
			"expected %d field%s, as the first line has, found %d", r->n_columns,
			gpube__plural(r->n_columns), k);
	++*r->n_rows;
	return status;
}

/* Past the end of a line; false: there is no other. */
static bool next_line(struct csv *r)
{
	while (peek(r->in) == '\n' || peek(r->in) == '\r')
		take(r);
	return peek(r->in) >= 0;
}

static int read_csv(int32_t **rows, int64_t *n, const struct gpube_model *m, struct gpube_in *in)
{
	struct csv r = {.in = in, .rows = rows, .n_rows = n};
	int status = gpube__named_init(&r.named, m);

	if (!status)
		status = read_header(&r);
	while (!status && next_line(&r))
		status = read_row(&r);
	if (!status)
		status = in->status;
	gpube__named_clear(&r.named);
	gpube__free(in->ctx, r.vars);
	gpube__free(in->ctx, r.field);
	return status;
}

int gpube__rows_read(int32_t **rows, int64_t *n, const struct gpube_model *m, const char *path)
{
	struct gpube_in in;
	int status;

	*rows = NULL;
	*n = 0;
	status = gpube__in_open(&in, m->ctx, path);
	if (status)
		return status;
	status = gpube__has_extension(path, "csv") || !strcmp(path, "-")
			 ? read_csv(rows, n, m, &in)
			 : gpube__evid_rows(rows, n, m, &in);
	gpube__in_close(&in);
	if (status) {
		gpube__free(m->ctx, *rows);
		*rows = NULL;
	}
	return status;
}
