/* sat.c - a model's forbidden cells as clauses: see sat.h. */
#include "gpube/relax/sat.h"

#include <stdlib.h>
#include <string.h>

#ifdef GPUBE_HAVE_CADICAL

#include "gpube/ir/dense.h"
#include "gpube/relax/cadical.h"

/* Tables of more cells are not made dense. */
enum { DENSE_CELLS = 1 << 20 };
/* Of at most so many values each two are told that they exclude each other. */
enum { PAIRS_OF_VALUES = 6 };
/* Bytes that a literal takes in the library, and what clauses may take of the memory. */
enum { LITERAL_BYTES = 24, MEMORY_PART = 8 };
/* Functions, and cells, between looks for a stop. */
enum { BETWEEN_LOOKS = 256 };
/* Work: what the library does between two of its questions whether to stop, about. */
enum { CALL_TICKS = 10000 };
/* And of a literal that it is told, and of the library that begins. */
enum { TOLD_TICKS = 40, BEGIN_TICKS = 1000000 };

struct gpube_sat {
	struct gpube_ctx *ctx;
	const struct gpube_model *m;
	struct gpube_cadical *solver;
	int32_t *first; /* of each variable's literals */
	int32_t n_literals;
	int64_t written, room; /* literals in clauses */
	int32_t *clause;
	int32_t n_clause;
	bool too_large;
	enum gpube_sat_question question;
	double end;
};

/* Whether a cell of that cost is one that no answer has. */
static bool is_excluded(const struct gpube_sat *s, int64_t cost)
{
	return cost == GPUBE_INF || (s->question == GPUBE__SAT_FREE && cost > 0);
}

/* ---- clauses ------------------------------------------------------------------------------- */

static int32_t literal_of(const struct gpube_sat *s, int32_t var, int32_t value)
{
	const int32_t domain = s->m->vars[var].domain;

	if (domain > 2)
		return s->first[var] + value;
	return domain == 1 || value ? s->first[var] : -s->first[var];
}

static void begin_clause(struct gpube_sat *s)
{
	s->n_clause = 0;
}

static void put(struct gpube_sat *s, int32_t literal)
{
	s->clause[s->n_clause++] = literal;
}

static int end_clause(struct gpube_sat *s)
{
	s->written += s->n_clause + 1;
	s->too_large |= s->written > s->room;
	if (s->too_large || gpube__cadical_add(s->solver, s->clause, s->n_clause))
		return GPUBE_OK;
	return gpube__fail(s->ctx, GPUBE_ENOMEM, "out of memory for clauses");
}

static int add_two(struct gpube_sat *s, int32_t a, int32_t b)
{
	begin_clause(s);
	put(s, a);
	put(s, b);
	return end_clause(s);
}

/* ---- variables ------------------------------------------------------------------------------ */

/* At most one value, by a ladder of literals: rung k says that one of the values up to k holds. */
static int add_ladder(struct gpube_sat *s, int32_t var)
{
	const int32_t domain = s->m->vars[var].domain, rung = s->n_literals + 1;
	int status = GPUBE_OK;

	s->n_literals += domain - 1;
	for (int32_t a = 0; a < domain - 1 && !status; a++) {
		status = add_two(s, -literal_of(s, var, a), rung + a);
		if (!status && a + 1 < domain - 1)
			status = add_two(s, -(rung + a), rung + a + 1);
		if (!status)
			status = add_two(s, -(rung + a), -literal_of(s, var, a + 1));
	}
	return status;
}

static int add_values(struct gpube_sat *s, int32_t var)
{
	const int32_t domain = s->m->vars[var].domain;
	int status;

	if (domain == 2)
		return GPUBE_OK;
	begin_clause(s);
	for (int32_t a = 0; a < domain; a++)
		put(s, literal_of(s, var, a));
	status = end_clause(s);
	if (domain > PAIRS_OF_VALUES)
		return status ? status : add_ladder(s, var);
	for (int32_t a = 0; a < domain; a++)
		for (int32_t c = a + 1; c < domain && !status; c++)
			status = add_two(s, -literal_of(s, var, a), -literal_of(s, var, c));
	return status;
}

/* Each variable's literals have numbers before any ladder's. */
static int add_variables(struct gpube_sat *s)
{
	int status = GPUBE_OK;

	for (int32_t i = 0; i < s->m->n_vars; i++) {
		const int32_t domain = s->m->vars[i].domain;

		s->first[i] = s->n_literals + 1;
		if (s->n_literals > INT32_MAX / 4 - domain) {
			s->too_large = true;
			return GPUBE_OK;
		}
		s->n_literals += domain > 2 ? domain : 1;
	}
	for (int32_t i = 0; i < s->m->n_vars && !status && !s->too_large; i++)
		status = add_values(s, i);
	return status;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* A cell as a clause: not all of its values. */
static int add_cell(struct gpube_sat *s, int arity, const int32_t *scope, const int32_t *value)
{
	begin_clause(s);
	for (int k = 0; k < arity; k++)
		put(s, -literal_of(s, scope[k], value[k]));
	return end_clause(s);
}

static int add_cells(struct gpube_sat *s, int arity, const int32_t *scope, int32_t *value,
	const int64_t *cost, int64_t n)
{
	int status = GPUBE_OK;

	memset(value, 0, (size_t)arity * sizeof(*value));
	for (int64_t at = 0; at < n && !status && !s->too_large; at++) {
		if (cost[at] == GPUBE_INF)
			status = add_cell(s, arity, scope, value);
		for (int k = arity - 1; k >= 0 && ++value[k] == s->m->vars[scope[k]].domain; k--)
			value[k] = 0;
	}
	return status;
}

/*
 * Of two variables, where a value leaves fewer than it forbids: those that it leaves. (Of equality,
 * say, the others would be quadratic.) Cells of which that is said are forbidden no longer.
 */
static int add_rows(struct gpube_sat *s, const int32_t *scope, int64_t *cost)
{
	const int32_t n_rows = s->m->vars[scope[0]].domain, n = s->m->vars[scope[1]].domain;
	int status = GPUBE_OK;

	for (int32_t a = 0; a < n_rows && !status; a++) {
		int64_t *row = cost + (int64_t)a * n;
		int32_t left = 0;

		for (int32_t b = 0; b < n; b++)
			left += row[b] != GPUBE_INF;
		if (2 * left >= n)
			continue;
		begin_clause(s);
		put(s, -literal_of(s, scope[0], a));
		for (int32_t b = 0; b < n; b++)
			if (row[b] != GPUBE_INF)
				put(s, literal_of(s, scope[1], b));
			else
				row[b] = 0;
		status = end_clause(s);
	}
	return status;
}

static int add_dense(struct gpube_sat *s, int32_t f, int64_t n)
{
	const int arity = s->m->functions[f].arity;
	int64_t *cost = NULL;
	int32_t *scope = gpube__alloc(s->ctx, 2 * (uint64_t)arity, sizeof(*scope));
	int status = scope ? gpube__dense_new(&cost, s->m, f, NULL) : GPUBE_ENOMEM;

	if (!status)
		gpube__sorted_scope(scope, s->m, f, NULL);
	for (int64_t k = 0; k < n && !status; k++)
		cost[k] = is_excluded(s, cost[k]) ? GPUBE_INF : cost[k];
	if (!status && arity == 2 && s->m->vars[scope[1]].domain > 2)
		status = add_rows(s, scope, cost);
	if (!status)
		status = add_cells(s, arity, scope, scope + arity, cost, n);
	GPUBE_FREE_ALL(s->ctx, cost, scope);
	return status;
}

/* Its forbidden tuples are the ones that it lists. */
static int add_tuples(struct gpube_sat *s, int32_t f)
{
	const struct gpube_table *t = gpube__table(s->m, f);
	int status = GPUBE_OK;

	for (int64_t k = 0; k < t->n && !status && !s->too_large; k++) {
		if (is_excluded(s, gpube__table_int(t, k)))
			status = add_cell(
				s, t->arity, gpube__scope(s->m, f), t->tuples + k * t->arity);
	}
	return status;
}

static int add_function(struct gpube_sat *s, int32_t f)
{
	const struct gpube_table *t = gpube__table(s->m, f);
	const int64_t n = gpube__cells(s->m, s->m->functions[f].arity, gpube__scope(s->m, f));

	if (t->sparse && !is_excluded(s, t->dflt.i))
		return add_tuples(s, f);
	if (n < 0 || n > DENSE_CELLS) {
		s->too_large = true;
		return GPUBE_OK;
	}
	return add_dense(s, f, n);
}

static int fill(struct gpube_sat *s)
{
	int status = add_variables(s);

	for (int32_t f = 0; f < s->m->n_functions && !status && !s->too_large; f++) {
		if (f % BETWEEN_LOOKS == 0 && gpube__stopped(s->ctx))
			return gpube__fail_stopped(s->ctx);
		status = add_function(s, f);
	}
	return status;
}

/* ---- what others call ---------------------------------------------------------------- */

const char *gpube__sat_library(void)
{
	return gpube__cadical_version();
}

/* The longest clause. */
static uint64_t longest(const struct gpube_model *m)
{
	uint64_t most = 2;

	for (int32_t f = 0; f < m->n_functions; f++)
		most = (uint64_t)m->functions[f].arity > most ? (uint64_t)m->functions[f].arity
							      : most;
	for (int32_t i = 0; i < m->n_vars; i++)
		most = (uint64_t)m->vars[i].domain > most ? (uint64_t)m->vars[i].domain : most;
	return most + 1;
}

int gpube__sat_new(
	struct gpube_sat **out, const struct gpube_model *m, enum gpube_sat_question question)
{
	struct gpube_sat *s = gpube__alloc_zero(m->ctx, 1, sizeof(*s));
	int status = GPUBE_ENOMEM;

	*out = NULL;
	if (!s)
		return GPUBE_ENOMEM;
	s->ctx = m->ctx;
	s->m = m;
	s->question = question;
	s->room = (int64_t)(m->ctx->memory_bytes / MEMORY_PART / LITERAL_BYTES);
	s->first = gpube__alloc(s->ctx, (uint64_t)m->n_vars, sizeof(*s->first));
	s->clause = gpube__alloc(s->ctx, longest(m), sizeof(*s->clause));
	if (s->first && s->clause) {
		s->solver = gpube__cadical_new();
		status = s->solver ? fill(s)
				   : gpube__fail(s->ctx, GPUBE_ENOMEM, "out of memory for clauses");
	}
	gpube__work(s->ctx, BEGIN_TICKS + TOLD_TICKS * s->written);
	if (status || s->too_large)
		gpube__sat_free(s);
	else
		*out = s;
	return status;
}

void gpube__sat_free(struct gpube_sat *s)
{
	if (!s)
		return;
	gpube__cadical_free(s->solver);
	GPUBE_FREE_ALL(s->ctx, s->first, s->clause, s);
}

static bool is_over(void *arg)
{
	const struct gpube_sat *s = arg;

	gpube__work(s->ctx, CALL_TICKS);
	return gpube__worked(s->ctx) > s->end || gpube__stopped(s->ctx);
}

static void read_values(const struct gpube_sat *s, int32_t *values)
{
	for (int32_t i = 0; i < s->m->n_vars; i++) {
		const int32_t domain = s->m->vars[i].domain;

		values[i] = domain == 2 && gpube__cadical_holds(s->solver, s->first[i]);
		for (int32_t a = 1; a < domain && domain > 2; a++)
			if (gpube__cadical_holds(s->solver, s->first[i] + a))
				values[i] = a;
	}
}

int gpube__sat_run(
	struct gpube_sat *s, double seconds, enum gpube_sat_answer *answer, int32_t *values)
{
	int found;

	*answer = GPUBE__SAT_OPEN;
	s->end = gpube__worked(s->ctx) + seconds;
	found = gpube__cadical_solve(s->solver, is_over, s);
	if (found < 0)
		return gpube__fail(s->ctx, GPUBE_ENOMEM, "out of memory for what clauses imply");
	if (found == 10) {
		*answer = GPUBE__SAT_YES;
		read_values(s, values);
	} else if (found == 20) {
		*answer = GPUBE__SAT_NO;
	}
	return GPUBE_OK;
}

#else

const char *gpube__sat_library(void)
{
	return NULL;
}

int gpube__sat_new(
	struct gpube_sat **out, const struct gpube_model *m, enum gpube_sat_question question)
{
	(void)m;
	(void)question;
	*out = NULL;
	return GPUBE_OK;
}

void gpube__sat_free(struct gpube_sat *s)
{
	(void)s;
}

int gpube__sat_run(
	struct gpube_sat *s, double seconds, enum gpube_sat_answer *answer, int32_t *values)
{
	(void)s;
	(void)seconds;
	(void)values;
	*answer = GPUBE__SAT_OPEN;
	return GPUBE_OK;
}

#endif
