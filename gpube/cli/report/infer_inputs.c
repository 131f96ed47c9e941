/* infer_inputs.c - what gpube infer is asked besides its model: the query, weights, rows. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <unistd.h>

#include "formats/common/named.h"
#include "formats/common/registry.h"
#include "gpube/cli/report/infer_report.h"

/* "rain,lawn": a text that is no file's name. 'text' is cut at its commas. */
static int read_names(struct infer_query *q, const struct gpube_model *m, char *text)
{
	const size_t n = strlen(text) + 1;
	struct gpube_named named;
	int status;

	q->vars = gpube__alloc(m->ctx, n, sizeof(*q->vars));
	status = q->vars ? gpube__named_init(&named, m) : GPUBE_ENOMEM;
	if (status)
		return status;
	for (char *end; text && !status; text = end) {
		int32_t var = 0;

		end = strchr(text, ',');
		if (end)
			*end++ = 0;
		status = gpube__named_var(&var, &named, text);
		for (int32_t k = 0; k < q->n && !status; k++)
			if (q->vars[k] == var)
				status = gpube__fail(m->ctx, GPUBE_EINVAL,
					"variable '%.60s' is asked for twice", text);
		if (!status)
			q->vars[q->n++] = var;
	}
	gpube__named_clear(&named);
	return status;
}

int infer_read_query(
	struct infer_query *q, const struct gpube_model *m, const char *query, const char *path)
{
	const bool is_names = query && access(query, F_OK) &&
			      !gpube__has_extension(query, "query") && !strchr(query, '/');
	char *text;
	int status = GPUBE_OK;

	if (is_names) {
		text = gpube__strdup(m->ctx, query);
		status = text ? read_names(q, m, text) : GPUBE_ENOMEM;
		gpube__free(m->ctx, text);
		return status;
	}
	if (query) {
		q->file = gpube__strdup(m->ctx, query);
		status = q->file ? GPUBE_OK : GPUBE_ENOMEM;
	} else {
		status = gpube__beside_find(&q->file, m->ctx, path, ".query");
	}
	if (!status && !q->file)
		status = gpube__fail(m->ctx, GPUBE_EINVAL,
			"there is no query beside '%s', so --query has to name it", path);
	return status ? status : gpube__query_read(&q->vars, &q->n, m, q->file);
}

/* The weights behind the last '=', of as many values as the variable has. */
static int read_weights(
	double *weights, const struct gpube_model *m, int32_t var, char *text, const char *option)
{
	const int32_t domain = m->vars[var].domain;
	char name[GPUBE_NAMED_TEXT];
	int32_t n = 0;

	for (char *end; text; text = end, n++) {
		double v;

		end = strchr(text, ',');
		if (end)
			*end++ = 0;
		if (!gpube__real(&v, text) || v < 0)
			return gpube__fail(m->ctx, GPUBE_EINVAL,
				"--soft '%.80s': expected a number >= 0, found '%.40s'", option,
				text);
		if (n < domain)
			weights[n] = v;
	}
	return n == domain ? GPUBE_OK
			   : gpube__fail(m->ctx, GPUBE_EINVAL,
				     "--soft '%.80s': variable %s has %d value%s, found %d "
				     "weight%s",
				     option, gpube__var_text(name, m, var), domain,
				     gpube__plural(domain), n, gpube__plural(n));
}

static int weigh(struct gpube_model *m, struct gpube_named *named, const char *option, char *text)
{
	char *at = strrchr(text, '=');
	const int32_t n = m->n_functions;
	double *weights;
	int32_t var;
	int status;

	if (!at)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"--soft '%.80s': expected NAME=WEIGHT,WEIGHT", option);
	*at = 0;
	status = gpube__named_var(&var, named, text);
	if (status)
		return status;
	weights = gpube__alloc(m->ctx, (uint64_t)m->vars[var].domain, sizeof(*weights));
	status = weights ? read_weights(weights, m, var, at + 1, option) : GPUBE_ENOMEM;
	if (!status)
		status = gpube_model_weigh(m, var, weights);
	if (!status && m->n_functions == n)
		status = gpube__fail(m->ctx, GPUBE_EINVAL,
			"--soft '%.80s': the variable has weights already", option);
	gpube__free(m->ctx, weights);
	return status;
}

int infer_read_soft(struct gpube_model *m, const struct opt_list *soft)
{
	struct gpube_named named;
	int status = soft->n ? gpube__named_init(&named, m) : GPUBE_OK;

	for (int k = 0; k < soft->n && !status; k++) {
		char *text = gpube__strdup(m->ctx, soft->texts[k]);

		status = text ? weigh(m, &named, soft->texts[k], text) : GPUBE_ENOMEM;
		gpube__free(m->ctx, text);
	}
	if (soft->n)
		gpube__named_clear(&named);
	return status;
}

/* ---- rows --------------------------------------------------------------------------------- */

void infer_rows_clear(struct infer_rows *rows, struct gpube_ctx *ctx)
{
	GPUBE_FREE_ALL(ctx, rows->rows, rows->log10_z, rows->cells);
}

/* A row is observed in place of what the model has; -1: as the model has it. */
static int ask(
	struct infer_rows *rows, struct gpube_compiled *c, const struct gpube_model *m, int64_t k)
{
	const int32_t *row = rows->rows + k * m->n_vars;
	struct gpube_inference *s;
	const double *cells;
	int status = GPUBE_OK;

	for (int32_t i = 0; i < m->n_vars && !status; i++)
		status =
			gpube_infer_observe(c, i, row[i] < 0 ? gpube_model_observed(m, i) : row[i]);
	if (!status)
		status = gpube_infer_query(&s, c);
	if (status)
		return status;
	rows->log10_z[k] = s->log10_z;
	rows->relative_error =
		s->relative_error > rows->relative_error ? s->relative_error : rows->relative_error;
	cells = s->joint ? s->joint : s->marginals;
	if (cells && rows->n_cells)
		memcpy(rows->cells + k * rows->n_cells, cells,
			(size_t)rows->n_cells * sizeof(*cells));
	gpube_result_free(s);
	return GPUBE_OK;
}

int infer_rows_ask(
	struct infer_rows *rows, const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_opts each = *opts;
	struct gpube_compiled *c;
	double cells = 0, deadline;
	int status;

	for (int32_t i = 0; opts->task == GPUBE_INFER_MAR && i < m->n_vars; i++)
		cells += m->vars[i].domain;
	for (int32_t k = 0; k < opts->n_query; k++)
		cells = (k ? cells : 1) * m->vars[opts->query[k]].domain;
	if (cells * (double)rows->n * sizeof(double) > (double)m->ctx->memory_bytes)
		return gpube__fail(m->ctx, GPUBE_ELIMIT,
			"%lld rows of %.6g probabilities do not fit the memory allowed",
			(long long)rows->n, cells);
	each.timeout_seconds = 0; /* the time is that of all rows */
	deadline = gpube__time_limit(m->ctx, gpube__now(), opts->timeout_seconds);
	status = gpube_infer_compile(&c, m, &each);
	if (status) {
		m->ctx->deadline = deadline;
		return status;
	}
	rows->n_cells = (int64_t)cells;
	rows->log10_z = gpube__alloc(m->ctx, (uint64_t)rows->n, sizeof(*rows->log10_z));
	rows->cells = gpube__alloc(
		m->ctx, (uint64_t)rows->n * (uint64_t)rows->n_cells, sizeof(*rows->cells));
	if (!rows->log10_z || !rows->cells)
		status = GPUBE_ENOMEM;
	for (int64_t k = 0; k < rows->n && !status; k++)
		status = gpube__stopped(m->ctx) ? gpube__fail_stopped(m->ctx) : ask(rows, c, m, k);
	gpube_compiled_free(c);
	m->ctx->deadline = deadline;
	return status;
}
