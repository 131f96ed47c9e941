/*
 * uai.c - .uai files: MARKOV and BAYES networks of dense tables of doubles; and
 * toulbar2's .LG, the same with the logarithms of the potentials.
 *
 * Text separated by any white space: the kind, the variables and their domains,
 * the scopes, then a table for each scope; what follows a # is a comment. Nothing
 * of a .uai is rounded or normalised, so that reading and writing again gives the
 * same doubles.
 *
 * A .LG is read as a model of costs, -ln p: its numbers are decimals, which
 * exp() would not keep. A forbidden tuple is written as -1e30, and whatever is
 * not above that, -inf too, is read as one: toulbar2 misreads "-inf".
 */
#include "formats/common/reading.h"
#include "formats/common/reals.h"
#include "formats/common/registry.h"
#include "formats/uai/uai.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define LOG_ZERO (-1e30)

/* The scopes come before all tables, so they wait here. */
struct scopes {
	int64_t n, capacity; /* functions */
	int32_t *arity;
	int64_t n_vars, vars_capacity;
	int32_t *vars;
	int32_t *seen_in; /* per variable: the last function with it, to find it twice in a scope */
};

int gpube__uai_domains(struct gpube_model *m, struct gpube_in *in)
{
	int64_t n, domain;
	char what[64];

	if (gpube__in_int(in, &n, 0, INT32_MAX, "the number of variables"))
		return in->status;
	for (int64_t i = 0; i < n; i++) {
		snprintf(what, sizeof(what), "the domain size of variable %lld", (long long)i);
		if (gpube__in_int(in, &domain, 1, INT32_MAX, what))
			return in->status;
		if (gpube__add_var(m, in, NULL, domain, NULL))
			return in->status;
	}
	return GPUBE_OK;
}

static int read_scope(const struct gpube_model *m, struct gpube_in *in, struct scopes *s,
	int32_t function, const struct gpube_uai_words *w)
{
	const int32_t self = w->children ? function : -1;
	int64_t arity, var, cells = 1;
	char what[64];

	snprintf(what, sizeof(what), "the %s of %s %d", w->arity, w->of, function);
	if (gpube__in_arity(in, &arity, 0, m->n_vars - (self >= 0), m->n_vars, self, what))
		return in->status;
	if (gpube__grow(m->ctx, &s->arity, &s->capacity, s->n + 1, sizeof(*s->arity)))
		return GPUBE_ENOMEM;
	s->arity[s->n++] = (int32_t)arity + (self >= 0);
	snprintf(what, sizeof(what), "a %s of %s %d", w->variable, w->of, function);
	for (int64_t k = 0; k < s->arity[function]; k++) {
		var = self;
		if (k < arity && gpube__in_int(in, &var, 0, m->n_vars - 1, what))
			return in->status;
		if (s->seen_in[var] == function || (k < arity && var == self))
			return gpube__in_error(in, "variable %lld is twice in the scope of %s %d",
				(long long)var, w->of, function);
		s->seen_in[var] = function;
		if (gpube__grow(
			    m->ctx, &s->vars, &s->vars_capacity, s->n_vars + 1, sizeof(*s->vars)))
			return GPUBE_ENOMEM;
		s->vars[s->n_vars++] = (int32_t)var;
		cells = gpube__mul_size(cells, m->vars[var].domain);
	}
	if (cells < 0)
		return gpube__in_fail(in, GPUBE_ERANGE, "the table of %s %d has 2^63 cells or more",
			w->of, function);
	return GPUBE_OK;
}

/* A logarithm becomes a cost, INFINITY: forbidden; *decimals is the most that one has. */
static int read_log(struct gpube_in *in, double *cost, int *decimals, const char *what)
{
	const char *point;
	char token[256];
	double v;
	int status;

	if (!gpube__in_at_end(in) && gpube__in_need(in, 4) >= 4 &&
		strncasecmp(in->p, "-inf", 4) == 0) {
		*cost = INFINITY;
		return gpube__in_token(in, token, what);
	}
	status = gpube__in_real(in, &v, what);
	if (status)
		return status;
	point = memchr(in->last, '.', (size_t)(in->p - in->last));
	if (point && !memchr(in->last, 'e', (size_t)(in->p - in->last)) &&
		in->p - point - 1 > *decimals)
		*decimals = (int)(in->p - point - 1);
	*cost = v <= LOG_ZERO ? INFINITY : 0 - v;
	return GPUBE_OK;
}

/* Reads 'cells' values into memory that grows as they arrive: a size costs nothing to claim. */
static int read_values(struct gpube_in *in, double **values, int64_t cells, const char *what,
	int *decimals, int *power)
{
	int64_t capacity = 0;

	for (int64_t k = 0; k < cells; k++) {
		double v;
		const int status =
			decimals ? read_log(in, &v, decimals, what) : gpube__in_real(in, &v, what);

		if (status)
			return status;
		if (v < 0 && !decimals)
			return gpube__in_refuse(in, what);
		if (k == capacity) {
			int64_t more = capacity ? capacity : 512;
			double *p;

			more = more > cells / 2 ? cells : 2 * more;
			p = gpube__realloc(in->ctx, *values, (uint64_t)more, sizeof(*p));
			if (!p)
				return GPUBE_ENOMEM;
			*values = p;
			capacity = more;
		}
		(*values)[k] = v;
		if (!decimals && gpube__put_potential(in, *values, k, v, in->last,
					 (size_t)(in->p - in->last), power))
			return in->status;
	}
	return GPUBE_OK;
}

static int read_table(struct gpube_model *m, struct gpube_in *in, int arity, const int32_t *scope,
	const struct gpube_uai_words *w, int32_t function)
{
	struct gpube_table t = {
		.type = GPUBE_FLOAT64, .arity = arity, .n = gpube__cells(m, arity, scope)};
	double *values = NULL;
	int32_t table;
	int64_t n;
	char what[64];
	int status;

	snprintf(what, sizeof(what), "the table size of %s %d, %lld", w->of, function,
		(long long)t.n);
	if (gpube__in_int(in, &n, INT64_MIN, INT64_MAX, what))
		return in->status;
	if (n != t.n)
		return gpube__in_refuse(in, what);
	if (gpube__in_given(in, n, "numbers"))
		return in->status;
	snprintf(what, sizeof(what), "a %s of %s %d", w->value, w->of, function);
	status = read_values(in, &values, t.n, what, w->decimals, &t.power);
	if (status) {
		gpube__free(m->ctx, values);
		return status;
	}
	t.values = values;
	if (gpube__add_table(m, &table, &t))
		return GPUBE_ENOMEM;
	return gpube__add_function(m, arity, scope, table, NULL);
}

int gpube__uai_functions(
	struct gpube_model *m, struct gpube_in *in, int64_t n, const struct gpube_uai_words *w)
{
	struct scopes s = {0};
	int64_t at = 0;
	int status = GPUBE_OK;

	s.seen_in = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*s.seen_in));
	if (!s.seen_in)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		s.seen_in[i] = -1;
	for (int32_t f = 0; f < n && !status; f++)
		status = read_scope(m, in, &s, f, w);
	for (int32_t f = 0; f < n && !status; f++) {
		/* without a single variable there is no list of them to go along */
		status = read_table(m, in, s.arity[f], s.vars ? s.vars + at : NULL, w, f);
		at += s.arity[f];
	}
	GPUBE_FREE_ALL(m->ctx, s.arity, s.vars, s.seen_in);
	return status;
}

/* Nothing in the file tells it but that pyAgrum writes the names as comments behind the scopes. */
static void note_agrum(const struct gpube_model *m, const struct gpube_in *in)
{
	int32_t f = 0;

	while (f < m->n_functions && m->functions[f].arity < 3)
		f++;
	if (m->bayes && in->commented && f < m->n_functions)
		gpube__log(in->ctx, GPUBE_LOG_NOTE,
			"%s: if pyAgrum wrote this, tables of several parents are not what it "
			"meant: in its .uai the first parent varies faster, not the last; its .bif "
			"has no such doubt",
			in->path);
}

static int read_network(struct gpube_model *m, struct gpube_in *in, int *decimals)
{
	const struct gpube_uai_words words = {"function", "arity", "variable",
		decimals ? "logarithm" : "potential >= 0", false, decimals};
	char kind[256];
	int64_t n;
	int status;

	in->comment = '#';
	status = gpube__in_token(in, kind, "MARKOV or BAYES");
	if (status)
		return status;
	m->bayes = strcasecmp(kind, "BAYES") == 0;
	if (!m->bayes && strcasecmp(kind, "MARKOV") != 0)
		return gpube__in_refuse(in, "MARKOV or BAYES");
	status = gpube__uai_domains(m, in);
	if (!status)
		status = gpube__in_int(in, &n, 0, INT32_MAX, "the number of functions");
	if (!status)
		status = gpube__uai_functions(m, in, n, &words);
	if (!status)
		status = gpube__in_end(in);
	if (!status)
		note_agrum(m, in);
	return status;
}

int gpube__uai_read(struct gpube_model *m, struct gpube_in *in)
{
	return read_network(m, in, NULL);
}

int gpube__lg_read(struct gpube_model *m, struct gpube_in *in)
{
	int decimals = 0, status = read_network(m, in, &decimals);

	return status ? status : gpube__reals_to_costs(m, in, 0, decimals);
}

/* ---- writing: potentials as they are, costs as exp(-cost) -------------------------- */

/*
 * What costs become. 'limit': a cost of the current function that reaches it is
 * forbidden, because even with the best of everything else the total reaches
 * top.
 */
struct converter {
	const struct gpube_model *m;
	bool logs;        /* written are logarithms, as .LG has them */
	double ten_scale; /* 10^scale, negative when minimising: what ln(potential) is divided by */
	bool has_top;
	__int128 best; /* sum of every function's best cost */
	__int128 limit;
};

static bool past(const struct gpube_model *m, __int128 cost, __int128 limit)
{
	return m->direction == GPUBE_MINIMISE ? cost >= limit : cost <= limit;
}

static int64_t better(const struct gpube_model *m, int64_t a, int64_t b)
{
	return (a < b) == (m->direction == GPUBE_MINIMISE) ? a : b;
}

/* -1 if the default of a sparse table is the value of some cell, otherwise 0. */
static int64_t first_value(const struct gpube_model *m, int32_t f)
{
	const struct gpube_table *t = gpube__table(m, f);

	return t->sparse && t->n != gpube__cells(m, t->arity, gpube__scope(m, f)) ? -1 : 0;
}

static int64_t cost_at(const struct gpube_table *t, int64_t k)
{
	return k < 0 ? t->dflt.i : gpube__table_int(t, k);
}

/* Best cost of a function; 0 if all are forbidden, for then nothing has a solution anyway. */
static int64_t best_cost(const struct gpube_model *m, int32_t f)
{
	const struct gpube_table *t = gpube__table(m, f);
	int64_t best = GPUBE_INF;

	for (int64_t k = first_value(m, f); k < t->n; k++) {
		int64_t c = cost_at(t, k);

		if (c != GPUBE_INF)
			best = best == GPUBE_INF ? c : better(m, c, best);
	}
	return best == GPUBE_INF ? 0 : best;
}

static void set_limit(struct converter *c, int32_t f)
{
	if (c->has_top)
		c->limit = (__int128)c->m->top - (c->best - best_cost(c->m, f));
}

static bool is_forbidden(const struct converter *c, int64_t cost)
{
	return cost == GPUBE_INF || (c->has_top && past(c->m, cost, c->limit));
}

/*
 * Below DBL_MIN a double has fewer than 53 bits: the cost would not come back. Nor would a
 * logarithm of more units than a double tells apart, for as doubles they are read.
 */
static bool fits(const struct converter *c, int64_t cost)
{
	const int64_t most = (int64_t)1 << 52;
	const double ln = (double)cost / c->ten_scale;

	return c->logs ? cost > -most && cost < most : ln > -708 && ln < 709;
}

static int fail_fit(const struct converter *c, const char *what, int64_t cost)
{
	struct gpube_ctx *ctx = c->m->ctx;

	return gpube__fail(ctx, GPUBE_ERANGE,
		"%s of %lld * 10^-%d: %s does not fit a double; .wcsp and .cfn can hold it", what,
		(long long)cost, c->m->scale, c->logs ? "as a logarithm it" : "its exponential");
}

/* Refuses what a double cannot hold, and adds the function's worst cost to *worst. */
static int check_function(struct converter *c, int32_t f, __int128 *worst)
{
	const struct gpube_table *t = gpube__table(c->m, f);
	int64_t w = GPUBE_INF;

	set_limit(c, f);
	for (int64_t k = first_value(c->m, f); k < t->n; k++) {
		int64_t cost = cost_at(t, k);

		if (is_forbidden(c, cost))
			continue;
		if (!fits(c, cost)) {
			char what[64];

			snprintf(what, sizeof(what), "function %d: a cost", f);
			return fail_fit(c, what, cost);
		}
		if (w == GPUBE_INF || better(c->m, cost, w) == w)
			w = cost;
	}
	*worst += w == GPUBE_INF ? 0 : w;
	return GPUBE_OK;
}

/* Whether products can say it all; a top that forbids more than single values do they cannot. */
static int check_costs(struct converter *c)
{
	const struct gpube_model *m = c->m;
	bool minimise = m->direction == GPUBE_MINIMISE;
	__int128 worst = m->constant;

	c->ten_scale = minimise ? -1 : 1;
	for (int i = 0; i < m->scale; i++)
		c->ten_scale *= 10;
	c->has_top = m->top != (minimise ? GPUBE_INF : -GPUBE_INF);
	c->best = m->constant;
	for (int32_t f = 0; f < m->n_functions; f++)
		c->best += best_cost(m, f);
	if (!fits(c, m->constant))
		return fail_fit(c, "a constant", m->constant);
	for (int32_t f = 0; f < m->n_functions; f++)
		if (check_function(c, f, &worst))
			return GPUBE_ERANGE;
	if (c->has_top && past(m, worst, m->top))
		return gpube__fail(m->ctx, GPUBE_ERANGE,
			"totals can reach the top of %lld, for which .%s has no place; .wcsp and "
			".cfn do",
			(long long)m->top, c->logs ? "LG" : "uai");
	return GPUBE_OK;
}

/* A cost as a logarithm; its decimals stay what they are, so that a .LG keeps its numbers. */
static void write_decimal(const struct gpube_model *m, struct gpube_out *out, int64_t cost)
{
	gpube__out_decimal(out, m->direction == GPUBE_MINIMISE ? -cost : cost, m->scale);
}

static void write_log(const struct converter *c, struct gpube_out *out, int64_t cost)
{
	if (is_forbidden(c, cost))
		gpube__out_real(out, LOG_ZERO);
	else
		write_decimal(c->m, out, cost);
}

/* A potential as it is stored, to be times 2^power; or what a cost becomes. */
static double value_at(const struct converter *c, const struct gpube_table *t, int64_t k)
{
	if (c->m->kind == GPUBE_POTENTIALS)
		return k < 0 ? t->dflt.f : gpube__table_stored(t, k);
	return is_forbidden(c, cost_at(t, k)) ? 0 : exp((double)cost_at(t, k) / c->ten_scale);
}

/* One line for each run of the last variable: what people and diff read easily. */
static int write_table(const struct converter *c, int32_t f, struct gpube_out *out)
{
	const struct gpube_model *m = c->m;
	const struct gpube_table *t = gpube__table(m, f);
	const int32_t *scope = gpube__scope(m, f);
	int arity = m->functions[f].arity;
	int64_t cells = gpube__cells(m, arity, scope), k = 0;
	int64_t run = arity ? m->vars[scope[arity - 1]].domain : 1;

	if (cells < 0)
		return gpube__fail(m->ctx, GPUBE_ERANGE,
			"function %d has 2^63 cells or more: .%s knows only full tables", f,
			c->logs ? "LG" : "uai");
	gpube__out_text(out, "\n");
	gpube__out_int(out, cells);
	for (int64_t cell = 0; cell < cells && !out->status; cell++) {
		int64_t at = cell;

		if (t->sparse)
			at = k < t->n && gpube__tuple_cell(m, f, k) == cell ? k++ : -1;
		gpube__out_text(out, cell % run ? " " : "\n");
		if (!c->logs)
			gpube__out_scaled(out, value_at(c, t, at), t->power);
		else if (m->kind == GPUBE_COSTS)
			write_log(c, out, cost_at(t, at));
		else
			gpube__out_real(out, fmax((double)gpube__table_ln(t, at), LOG_ZERO));
	}
	gpube__out_text(out, "\n");
	return out->status;
}

static void write_preamble(
	const struct gpube_model *m, struct gpube_out *out, bool bayes, bool constant)
{
	gpube__out_text(out, bayes ? "BAYES\n" : "MARKOV\n");
	gpube__out_printf(out, "%d\n", m->n_vars);
	for (int32_t i = 0; i < m->n_vars; i++)
		gpube__out_printf(out, i ? " %d" : "%d", m->vars[i].domain);
	gpube__out_printf(out, "\n%lld\n", (long long)m->n_functions + (constant ? 1 : 0));
	for (int32_t f = 0; f < m->n_functions; f++) {
		gpube__out_int(out, m->functions[f].arity);
		for (int k = 0; k < m->functions[f].arity; k++)
			gpube__out_printf(out, " %d", gpube__scope(m, f)[k]);
		gpube__out_text(out, "\n");
	}
	if (constant)
		gpube__out_text(out, "0\n");
}

static int write_network(const struct gpube_model *m, struct gpube_out *out, bool logs)
{
	struct converter c = {.m = m, .logs = logs};
	bool constant = m->kind == GPUBE_COSTS && m->constant != 0;
	int status = GPUBE_OK;

	if (m->kind == GPUBE_COSTS)
		status = check_costs(&c);
	if (!status)
		/* toulbar2 1.4 is wrong on logarithms under BAYES: their optimum is 0 then */
		write_preamble(m, out, m->bayes && !logs, constant);
	for (int32_t f = 0; f < m->n_functions && !status; f++) {
		set_limit(&c, f);
		status = write_table(&c, f, out);
	}
	if (!status && constant) {
		gpube__out_text(out, "\n1\n");
		if (logs)
			write_decimal(m, out, m->constant);
		else
			gpube__out_real(out, exp((double)m->constant / c.ten_scale));
		gpube__out_text(out, "\n");
	}
	return status ? status : out->status;
}

int gpube__uai_write(const struct gpube_model *m, struct gpube_out *out)
{
	return write_network(m, out, false);
}

int gpube__lg_write(const struct gpube_model *m, struct gpube_out *out)
{
	return write_network(m, out, true);
}
