/*
 * erg.c - Ergo's .erg: Bayesian networks, one conditional table for each variable.
 *
 *   N                       variables
 *   d_1 … d_N               domains
 *   k p_1 … p_k             for each variable: its parents
 *   size v_1 … v_size       for each: P(variable | parents), the variable itself fastest
 *   name                    for each, optional
 *   label_1 … label_d       for each, optional
 *
 * Comments are as in C; the usual files head their sections with them. Evidence is
 * in x.erg.evid, as for .uai, with such a comment in front.
 */
#include <stdio.h>
#include <string.h>

#include "formats/common/reading.h"
#include "formats/common/reals.h"
#include "formats/common/registry.h"

struct reader {
	struct gpube_model *m;
	struct gpube_in *in;
	int64_t n_scopes, capacity;
	int32_t *scopes; /* of all variables: parents, then the variable */
	int64_t *scope_at;
	int32_t *child_of; /* by variable: the last one that has it as a parent */
};

static int read_number(struct reader *r, int64_t *v, int64_t min, int64_t max, const char *what)
{
	gpube__in_skip_c_comments(r->in);
	return gpube__in_int(r->in, v, min, max, what);
}

static int read_domains(struct reader *r)
{
	int64_t n, domain;
	char what[64];

	if (read_number(r, &n, 0, INT32_MAX, "the number of variables"))
		return r->in->status;
	for (int64_t i = 0; i < n; i++) {
		snprintf(what, sizeof(what), "the domain size of variable %lld", (long long)i);
		if (read_number(r, &domain, 1, INT32_MAX, what))
			return r->in->status;
		if (gpube__add_var(r->m, r->in, NULL, domain, NULL))
			return r->in->status;
	}
	return GPUBE_OK;
}

static int push(struct reader *r, int32_t var)
{
	if (gpube__grow(r->m->ctx, &r->scopes, &r->capacity, r->n_scopes + 1, sizeof(*r->scopes)))
		return r->in->status = GPUBE_ENOMEM;
	r->scopes[r->n_scopes++] = var;
	return GPUBE_OK;
}

static int read_parents(struct reader *r, int32_t i)
{
	int64_t n, parent;
	char what[64];

	snprintf(what, sizeof(what), "the number of parents of variable %d", i);
	gpube__in_skip_c_comments(r->in);
	if (gpube__in_arity(r->in, &n, 0, (int64_t)r->m->n_vars - 1, r->m->n_vars, i, what))
		return r->in->status;
	snprintf(what, sizeof(what), "a parent of variable %d", i);
	for (int64_t k = 0; k < n; k++) {
		if (read_number(r, &parent, 0, (int64_t)r->m->n_vars - 1, what))
			return r->in->status;
		if (parent == i || r->child_of[parent] == i)
			return gpube__in_error(r->in, "variable %lld is twice in the table of %d",
				(long long)parent, i);
		r->child_of[parent] = i;
		if (push(r, (int32_t)parent))
			return r->in->status;
	}
	return push(r, i);
}

static int read_scopes(struct reader *r)
{
	struct gpube_ctx *ctx = r->m->ctx;
	int32_t n = r->m->n_vars;

	r->scope_at = gpube__alloc(ctx, (uint64_t)n + 1, sizeof(*r->scope_at));
	r->child_of = gpube__alloc(ctx, (uint64_t)n, sizeof(*r->child_of));
	if (!r->scope_at || !r->child_of)
		return r->in->status = GPUBE_ENOMEM;
	for (int32_t i = 0; i < n; i++)
		r->child_of[i] = -1;
	for (int32_t i = 0; i < n; i++) {
		r->scope_at[i] = r->n_scopes;
		if (read_parents(r, i))
			return r->in->status;
	}
	r->scope_at[n] = r->n_scopes;
	return GPUBE_OK;
}

/* Values into memory that grows as they arrive. */
static int read_values(
	struct reader *r, double **values, int64_t cells, const char *what, int *power)
{
	int64_t capacity = 0;

	for (int64_t k = 0; k < cells; k++) {
		double v;

		if (gpube__grow(r->m->ctx, values, &capacity, k + 1, sizeof(**values)))
			return r->in->status = GPUBE_ENOMEM;
		gpube__in_skip_c_comments(r->in);
		if (gpube__in_real(r->in, &v, what))
			return r->in->status;
		if (v < 0)
			return gpube__in_refuse(r->in, what);
		if (gpube__put_potential(r->in, *values, k, v, r->in->last,
			    (size_t)(r->in->p - r->in->last), power))
			return r->in->status;
	}
	return GPUBE_OK;
}

static int read_table(struct reader *r, int32_t i)
{
	const int32_t *scope = r->scopes + r->scope_at[i];
	struct gpube_table t = {
		.type = GPUBE_FLOAT64, .arity = (int)(r->scope_at[i + 1] - r->scope_at[i])};
	double *values = NULL;
	int64_t size;
	int32_t table;
	char what[64];
	int status;

	t.n = gpube__cells(r->m, t.arity, scope);
	if (t.n < 0)
		return gpube__in_fail(
			r->in, GPUBE_ERANGE, "the table of variable %d has 2^63 cells or more", i);
	snprintf(what, sizeof(what), "the table size of variable %d, %lld", i, (long long)t.n);
	if (read_number(r, &size, INT64_MIN, INT64_MAX, what))
		return r->in->status;
	if (size != t.n)
		return gpube__in_refuse(r->in, what);
	snprintf(what, sizeof(what), "a probability of variable %d", i);
	status = read_values(r, &values, t.n, what, &t.power);
	if (status) {
		gpube__free(r->m->ctx, values);
		return status;
	}
	t.values = values;
	if (gpube__add_table(r->m, &table, &t))
		return r->in->status = GPUBE_ENOMEM;
	return r->in->status = gpube__add_function(r->m, t.arity, scope, table, NULL);
}

/* A word as it stands in the file; *text is the caller's. */
static int read_word(struct reader *r, char **text, const char *what)
{
	char token[256];

	gpube__in_skip_c_comments(r->in);
	if (gpube__in_token(r->in, token, what))
		return r->in->status;
	*text = gpube__strdup(r->m->ctx, token);
	return *text ? GPUBE_OK : (r->in->status = GPUBE_ENOMEM);
}

static int read_names(struct reader *r)
{
	struct gpube_model *m = r->m;

	for (int32_t i = 0; i < m->n_vars; i++)
		if (read_word(r, &m->vars[i].name, "the name of a variable"))
			return r->in->status;
	if (!gpube__in_skip_c_comments(r->in))
		return r->in->status;
	for (int32_t i = 0; i < m->n_vars; i++) {
		struct gpube_variable *v = &m->vars[i];

		v->value_names =
			gpube__alloc_zero(m->ctx, (uint64_t)v->domain, sizeof(*v->value_names));
		if (!v->value_names)
			return r->in->status = GPUBE_ENOMEM;
		for (int32_t a = 0; a < v->domain; a++)
			if (read_word(r, &v->value_names[a], "the label of a value"))
				return r->in->status;
	}
	gpube__in_skip_c_comments(r->in); /* up to the end */
	return r->in->status;
}

int gpube__erg_read(struct gpube_model *m, struct gpube_in *in)
{
	struct reader r = {.m = m, .in = in};
	int status = read_domains(&r);

	m->bayes = true;
	if (!status)
		status = read_scopes(&r);
	for (int32_t i = 0; i < m->n_vars && !status; i++)
		status = read_table(&r, i);
	if (!status && gpube__in_skip_c_comments(in))
		status = read_names(&r);
	if (!status)
		status = in->status;
	gpube__free(m->ctx, r.scopes);
	gpube__free(m->ctx, r.scope_at);
	gpube__free(m->ctx, r.child_of);
	return status;
}
