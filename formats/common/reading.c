/* reading.c - see reading.h. */
#include "formats/common/reading.h"

#include <stdio.h>
#include <string.h>

/* ---- who is told --------------------------------------------------------------------- */

static int sink_fail(void *of, enum gpube_status status, const char *text)
{
	struct gpube_in *in = of;

	if (text)
		return gpube__in_fail(in, status, "%s", text);
	return in->status ? in->status : (in->status = status);
}

static bool sink_allows(void *of, int64_t n, int64_t each)
{
	return gpube__in_allows(of, n, each);
}

static void sink_note(void *of, const char *text)
{
	const struct gpube_in *in = of;

	gpube__log(in->ctx, GPUBE_LOG_NOTE, "%s:%lld: %s", in->path, (long long)in->line, text);
}

struct gpube_sink gpube__in_sink(struct gpube_in *in)
{
	return (struct gpube_sink){in->ctx, in, sink_fail, sink_allows, sink_note};
}

/* ---- variables and charges ----------------------------------------------------------- */

int gpube__add_vars(struct gpube_model *m, struct gpube_in *in, int64_t n, int32_t domain)
{
	int64_t all = m->n_vars + n;

	if (all > INT32_MAX)
		return gpube__in_fail(in, GPUBE_ELIMIT, "%lld variables: at most %d are read",
			(long long)all, INT32_MAX);
	if (gpube__in_charge(in, n, GPUBE_VARIABLE_BYTES + (int64_t)domain * GPUBE_VALUE_BYTES,
		    "%lld variables", (long long)all))
		return in->status;
	/* at once: a line of ten bytes may declare millions */
	if (gpube__grow(m->ctx, &m->vars, &m->vars_capacity, all, sizeof(*m->vars)))
		return in->status = GPUBE_ENOMEM;
	while (m->n_vars < all)
		m->vars[m->n_vars++] = (struct gpube_variable){.domain = domain};
	return GPUBE_OK;
}

int gpube__add_var(
	struct gpube_model *m, struct gpube_in *in, int32_t *var, int64_t domain, const char *name)
{
	const struct gpube_sink sink = gpube__in_sink(in);
	int status = gpube__charge_var(&sink, m->n_vars, domain);

	if (!status)
		status = gpube__put_var(m, var, (int32_t)domain, name);
	return gpube__sink_pass(&sink, status);
}

int gpube__name_value(struct gpube_variable *v, struct gpube_in *in, int32_t k, const char *name)
{
	enum { KEPT = 32 }; /* what the pointer and the allocator take besides */

	if (gpube__in_charge(in, 1, (int64_t)strlen(name) + KEPT, "names of values"))
		return in->status;
	return gpube__put_value_name(v, in->ctx, k, name) ? (in->status = GPUBE_ENOMEM) : GPUBE_OK;
}

int gpube__in_given(struct gpube_in *in, int64_t n, const char *what)
{
	char text[GPUBE_TOO_MANY_TEXT];

	return gpube__too_many(text, n, what) ? gpube__in_fail(in, GPUBE_ERANGE, "%s", text)
					      : GPUBE_OK;
}

int gpube__charge_dense(struct gpube_in *in, int arity, const int32_t *domains)
{
	const struct gpube_sink sink = gpube__in_sink(in);

	return gpube__charge_filled(&sink, arity, domains);
}

int gpube__charge_expanded(struct gpube_in *in, int64_t cells, const char *name)
{
	const struct gpube_sink sink = gpube__in_sink(in);

	return gpube__charge_cells(&sink, cells, name);
}

int gpube__in_expand(struct gpube_in *in, int64_t *cells, const struct gpube_model *m, int arity,
	const int32_t *scope, const char *what, const char *name)
{
	const struct gpube_sink sink = gpube__in_sink(in);

	*cells = gpube__cells(m, arity, scope);
	return *cells < 0 || *cells > GPUBE_EXPAND_CELLS
		       ? gpube__refuse_cells(&sink, what, arity, *cells, "")
		       : gpube__charge_cells(&sink, *cells, name);
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

bool gpube__in_line_ended(struct gpube_in *in)
{
	while (gpube__in_fill(in) && *in->p != '\n' && is_blank(*in->p))
		in->p++;
	return !gpube__in_fill(in) || *in->p == '\n';
}

/* The first variable that is twice among the next n numbers of the line; -1: none. */
static int64_t repeated_in_line(struct gpube_in *in, int64_t n, int32_t n_vars, bool *seen)
{
	char token[256];
	int64_t v;

	for (; n > 0 && !gpube__in_line_ended(in); n--) {
		if (gpube__in_token(in, token, "a variable") || !gpube__units(&v, token, 0) ||
			v < 0 || v >= n_vars)
			return -1;
		if (seen[v])
			return v;
		seen[v] = true;
	}
	return -1;
}

int gpube__in_arity(struct gpube_in *in, int64_t *arity, int64_t min, int64_t max, int32_t n_vars,
	int32_t self, const char *what)
{
	char number[64];
	bool *seen;
	int64_t v;

	if (gpube__in_int(in, arity, -INT64_MAX, INT64_MAX, what))
		return in->status;
	if (*arity >= min && *arity <= max)
		return GPUBE_OK;
	snprintf(number, sizeof(number), "%.*s", (int)(in->p - in->last), in->last);
	seen = gpube__alloc_zero(in->ctx, (uint64_t)n_vars + 1, sizeof(*seen));
	if (!seen)
		return in->status = GPUBE_ENOMEM;
	if (self >= 0)
		seen[self] = true;
	v = repeated_in_line(in, *arity < 0 ? -*arity : *arity, n_vars, seen);
	gpube__free(in->ctx, seen);
	return v >= 0 ? gpube__in_error(in, "variable %lld is twice in a scope", (long long)v)
		      : gpube__in_outside(in, min, max, what, number);
}

bool gpube__dimacs_next(struct gpube_in *in)
{
	while (!gpube__in_at_end(in)) {
		if (*in->p != 'c' || (gpube__in_need(in, 2) >= 2 && !is_blank(in->p[1])))
			return true;
		gpube__in_skip_line(in);
	}
	return false;
}

const char *gpube__dimacs_skip(const char *text)
{
	for (;;) {
		text += strspn(text, " \t\n\v\f\r");
		if (*text != 'c' || (text[1] && !is_blank(text[1])))
			return text;
		text += strcspn(text, "\n");
	}
}

int gpube__add_clause(
	struct gpube_model *m, int arity, const int32_t *scope, const int32_t *tuple, int64_t cost)
{
	enum { DENSE_ARITY = 3 }; /* more become sparse tables of one tuple */
	struct gpube_table t = {.arity = arity, .sparse = arity > DENSE_ARITY};
	const int64_t cells = t.sparse ? 1 : (int64_t)1 << arity;
	struct gpube_values v = {0};
	int64_t at = 0;
	int32_t table;
	int status = gpube__values_reserve(m->ctx, &v, cells);

	if (t.sparse && !status) {
		t.tuples = gpube__alloc(m->ctx, (uint64_t)arity, sizeof(*t.tuples));
		status = t.tuples ? GPUBE_OK : GPUBE_ENOMEM;
	}
	for (int k = 0; k < arity && !status; k++)
		if (t.sparse)
			t.tuples[k] = tuple[k];
		else
			at = 2 * at + tuple[k];
	for (int64_t c = 0; c < cells && !status; c++)
		status = gpube__values_push(m->ctx, &v, c == at ? cost : 0);
	if (status) {
		gpube__values_clear(m->ctx, &v);
		gpube__free(m->ctx, t.tuples);
		return status;
	}
	t.type = v.type;
	t.n = v.n;
	t.values = v.values;
	status = gpube__add_table(m, &table, &t);
	return status ? status : gpube__add_function(m, arity, scope, table, NULL);
}
