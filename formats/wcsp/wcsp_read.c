/*
 * wcsp_read.c - toulbar2's .wcsp: name, sizes and upper bound, domains, functions.
 *
 * Costs are not negative, so one that reaches the upper bound is forbidden by
 * itself and marked so. A negative domain size, an interval variable of
 * toulbar2, is a domain of that many values. The header's largest domain and
 * number of functions are checked; toulbar2 goes on with a warning there.
 */
#include <string.h>

#include "gpube/globals/intension.h"
#include "formats/common/reading.h"
#include "formats/common/registry.h"
#include "formats/wcsp/wcsp_table.h"

enum { DEPTH = 8 }; /* of problems in problems */

struct shared {
	int32_t function; /* its first holder */
	int64_t dflt;     /* -1: all tuples are given */
};

struct reader {
	struct gpube_in *in;
	struct gpube_model *m;
	int32_t *seen; /* by variable: the last function, from 1, that had it in its scope */
	int32_t *scope, *domains;
	int64_t scope_capacity, domains_capacity;
	struct gpube_wcsp_room room;
	int depth;
	int32_t n_vars;        /* of the file: hidden ones come behind them */
	struct shared *shared; /* tables that later functions may name, by number from 1 */
	int64_t n_shared, shared_capacity;
	char token[256];
};

static int fail(struct reader *r, int status)
{
	if (!r->in->status)
		r->in->status = status;
	return r->in->status;
}

/* ---- header ------------------------------------------------------------------------ */

/* One past 2^63 - 1 is none: no total that is summed reaches it. */
static int read_bound(struct reader *r, int64_t *top)
{
	__int128 v;
	int scale;
	bool fits;

	if (gpube__in_token(r->in, r->token, "an upper bound"))
		return r->in->status;
	if (!gpube__wide_decimal(r->token, &v, &scale, &fits) || v < 0 || strpbrk(r->token, ".eE"))
		return gpube__in_expected(r->in, "an upper bound", r->token);
	*top = v < GPUBE_INF ? (int64_t)v : GPUBE_INF;
	return GPUBE_OK;
}

static int read_header(struct reader *r, int32_t *n_functions)
{
	struct gpube_model *m = r->m;
	struct gpube_in *in = r->in;
	int64_t n_vars, largest, n, top = 0, domain;

	if (gpube__in_token(in, r->token, "the problem's name"))
		return in->status;
	m->name = gpube__strdup(m->ctx, r->token);
	if (!m->name)
		return fail(r, GPUBE_ENOMEM);
	if (gpube__in_int(in, &n_vars, 0, INT32_MAX, "a number of variables") ||
		gpube__in_int(in, &largest, 0, INT32_MAX, "the largest domain size") ||
		gpube__in_int(in, &n, 0, INT32_MAX, "a number of functions") || read_bound(r, &top))
		return in->status;
	*n_functions = (int32_t)n;
	m->top = top;
	for (int64_t i = 0; i < n_vars; i++) {
		if (gpube__in_int(in, &domain, -INT32_MAX, INT32_MAX, "a domain size"))
			return in->status;
		if (domain < 0)
			domain = -domain;
		if (domain == 0)
			return gpube__in_error(in, "variable %lld has no values", (long long)i);
		if (domain > largest)
			return gpube__in_error(in,
				"variable %lld has %lld value%s, the header says at most %lld",
				(long long)i, (long long)domain, gpube__plural((double)domain),
				(long long)largest);
		if (gpube__add_var(m, in, NULL, domain, NULL))
			return in->status;
	}
	r->n_vars = (int32_t)n_vars;
	r->seen = gpube__alloc_zero(m->ctx, (uint64_t)n_vars + 1, sizeof(*r->seen));
	return r->seen ? GPUBE_OK : fail(r, GPUBE_ENOMEM);
}

/* ---- functions in extension ---------------------------------------------------------- */

static int read_scope(struct reader *r, int arity, int32_t function)
{
	struct gpube_model *m = r->m;
	int64_t v;

	if (gpube__grow(m->ctx, &r->scope, &r->scope_capacity, arity, sizeof(*r->scope)) ||
		gpube__grow(m->ctx, &r->domains, &r->domains_capacity, arity, sizeof(*r->domains)))
		return fail(r, GPUBE_ENOMEM);
	for (int k = 0; k < arity; k++) {
		if (gpube__in_int(r->in, &v, 0, (int64_t)r->n_vars - 1, "a variable"))
			return r->in->status;
		if (r->seen[v] == function + 1)
			return gpube__in_error(
				r->in, "variable %lld is twice in a scope", (long long)v);
		r->seen[v] = function + 1;
		r->scope[k] = (int32_t)v;
		r->domains[k] = m->vars[v].domain;
	}
	return GPUBE_OK;
}

static int read_cost(struct reader *r, int64_t *cost)
{
	if (gpube__in_int(r->in, cost, 0, INT64_MAX, "a cost"))
		return r->in->status;
	if (*cost >= r->m->top)
		*cost = GPUBE_INF;
	return GPUBE_OK;
}

static int read_constant(struct reader *r)
{
	struct gpube_model *m = r->m;
	int64_t cost, n;

	if (gpube__in_int(r->in, &cost, 0, INT64_MAX, "a cost") ||
		gpube__in_int(r->in, &n, 0, 1, "a number of tuples"))
		return r->in->status;
	if (n == 1 && gpube__in_int(r->in, &cost, 0, INT64_MAX, "a cost"))
		return r->in->status;
	if (!__builtin_add_overflow(m->constant, cost, &m->constant) && m->constant != GPUBE_INF)
		return GPUBE_OK;
	if (m->top == GPUBE_INF)
		return gpube__in_fail(r->in, GPUBE_ERANGE, "the constant costs pass 2^63");
	m->constant = m->top;
	return GPUBE_OK;
}

/* A function that holds the table of an earlier, shared one. */
static int read_reuse(struct reader *r, int arity, int64_t dflt, int64_t number)
{
	struct gpube_model *m = r->m;
	const int32_t *scope;
	int32_t f;

	if (number > r->n_shared)
		return gpube__in_error(r->in, "shared function %lld: there are %lld so far",
			(long long)number, (long long)r->n_shared);
	f = r->shared[number - 1].function;
	scope = gpube__scope(m, f);
	if (m->functions[f].arity != arity)
		return gpube__in_error(r->in, "shared function %lld has %d variable%s, not %d",
			(long long)number, m->functions[f].arity,
			gpube__plural(m->functions[f].arity), arity);
	for (int k = 0; k < arity; k++)
		if (m->vars[scope[k]].domain != r->domains[k])
			return gpube__in_error(r->in,
				"shared function %lld has a domain of %d value%s where variable %d "
				"has %d",
				(long long)number, m->vars[scope[k]].domain,
				gpube__plural(m->vars[scope[k]].domain), r->scope[k],
				r->domains[k]);
	/* toulbar2 takes either cost, depending on the arity; real files give 1 for short ones */
	if (arity > 3 && r->shared[number - 1].dflt >= 0 && r->shared[number - 1].dflt != dflt)
		return gpube__in_error(
			r->in, "shared function %lld has another default cost", (long long)number);
	return fail(r, gpube__add_function(m, arity, r->scope, m->functions[f].table, NULL));
}

static int read_extension(struct reader *r, int arity, int64_t dflt, int64_t n)
{
	const struct gpube_wcsp_function f = {.in = r->in,
		.top = r->m->top,
		.arity = arity,
		.domains = r->domains,
		.dflt = dflt,
		.n = n};
	struct gpube_table table;
	int32_t index;

	if (gpube__wcsp_table(&table, r->m->ctx, &f, &r->room))
		return r->in->status;
	if (gpube__add_table(r->m, &index, &table))
		return fail(r, GPUBE_ENOMEM);
	return fail(r, gpube__add_function(r->m, arity, r->scope, index, NULL));
}

/* ---- functions in intension ----------------------------------------------------------- */

static int source_integer(void *reader, int64_t *v, int64_t min, int64_t max, const char *what)
{
	return gpube__in_int(((struct reader *)reader)->in, v, min, max, what);
}

static int source_cost(void *reader, int64_t *cost, bool signs)
{
	(void)signs; /* none is negative */
	return read_cost(reader, cost);
}

static int source_word(void *reader, const char **word, const char *what)
{
	struct reader *r = reader;

	*word = r->token;
	return gpube__in_token(r->in, r->token, what);
}

static int read_problem(struct gpube_model *m, struct gpube_in *in, int depth);

/* "wcsp LB UB 0 0 PROBLEM": hard, the problem's cost is from LB up to below UB. */
static int read_bounded(struct reader *r, int arity)
{
	struct gpube_in *in = r->in;
	const struct gpube_sink sink = gpube__in_sink(in);
	struct gpube_model *inner;
	int64_t low, high, duplicate, strong;
	int status;

	if (gpube__in_int(in, &low, -INT64_MAX, INT64_MAX, "a lower bound") ||
		gpube__in_int(in, &high, -INT64_MAX, INT64_MAX, "an upper bound") ||
		gpube__in_int(in, &duplicate, 0, 1, "0 or 1") ||
		gpube__in_int(in, &strong, 0, 1, "0 or 1"))
		return in->status;
	if (strong)
		return gpube__in_error(in, "function 'wcsp' with strong duality is not supported");
	if (r->depth == DEPTH)
		return gpube__in_error(in, "problems in problems, more than %d deep", DEPTH);
	status = gpube_model_new(&inner, r->m->ctx, GPUBE_COSTS);
	if (status)
		return fail(r, status);
	status = read_problem(inner, in, r->depth + 1);
	if (!status)
		status = gpube__add_bounded(r->m, &sink, arity, r->scope, inner, low, high, NULL);
	gpube_model_free(inner);
	return fail(r, status);
}

static int read_intension(struct reader *r, int arity)
{
	const struct gpube_source source = {
		.reader = r, .integer = source_integer, .cost = source_cost, .word = source_word};
	struct gpube_call call = {.sink = gpube__in_sink(r->in),
		.m = r->m,
		.arity = arity,
		.scope = r->scope,
		.hard_from = r->m->top,
		.unit = 1,
		.no_hidden = r->depth > 0};
	bool known;

	if (gpube__in_token(r->in, r->token, "a function's keyword"))
		return r->in->status;
	if (strcmp(r->token, "wcsp") == 0)
		return read_bounded(r, arity);
	call.keyword = gpube__keyword(r->token, &known);
	if (!call.keyword)
		return gpube__in_error(r->in,
			known ? "function '%.40s' is not supported" : "unknown function '%.40s'",
			r->token);
	if (!gpube__call_read(&call, &source))
		gpube__call_expand(&call);
	gpube__call_clear(&call);
	return r->in->status;
}

/* ---- all of it ------------------------------------------------------------------------ */

static int read_function(struct reader *r, int32_t function)
{
	int64_t arity, dflt, n;
	bool shared, complete;
	int status;

	if (gpube__in_arity(
		    r->in, &arity, -(int64_t)r->n_vars, r->n_vars, r->n_vars, -1, "an arity"))
		return r->in->status;
	if (arity == 0)
		return read_constant(r);
	shared = arity < 0;
	arity = shared ? -arity : arity;
	if (read_scope(r, (int)arity, function) ||
		gpube__in_int(r->in, &dflt, -1, INT64_MAX, "a default cost"))
		return r->in->status;
	if (dflt == -1) {
		if (shared)
			return gpube__in_error(r->in, "a function in intension cannot be shared");
		return read_intension(r, (int)arity);
	}
	if (dflt >= r->m->top)
		dflt = GPUBE_INF;
	if (gpube__in_int(r->in, &n, -INT32_MAX, INT64_MAX, "a number of tuples"))
		return r->in->status;
	if (n < 0 && shared)
		return gpube__in_error(r->in, "a shared function cannot hold another's tuples");
	if (n < 0)
		return read_reuse(r, (int)arity, dflt, -n);
	status = read_extension(r, (int)arity, dflt, n);
	if (status || !shared)
		return status;
	if (gpube__grow(r->m->ctx, &r->shared, &r->shared_capacity, r->n_shared + 1,
		    sizeof(*r->shared)))
		return fail(r, GPUBE_ENOMEM);
	complete = n == gpube__cells(r->m, (int)arity, r->scope);
	r->shared[r->n_shared++] = (struct shared){r->m->n_functions - 1, complete ? -1 : dflt};
	return GPUBE_OK;
}

static int read_problem(struct gpube_model *m, struct gpube_in *in, int depth)
{
	struct reader r = {.in = in, .m = m, .depth = depth};
	int32_t n_functions = 0;
	int status = read_header(&r, &n_functions);

	for (int32_t f = 0; f < n_functions && !status; f++)
		status = read_function(&r, f);
	GPUBE_FREE_ALL(m->ctx, r.seen, r.scope, r.domains);
	gpube__wcsp_room_clear(&r.room, m->ctx);
	gpube__free(m->ctx, r.shared);
	return status;
}

int gpube__wcsp_read(struct gpube_model *m, struct gpube_in *in)
{
	int status = read_problem(m, in, 0);

	return status ? status : gpube__in_end(in);
}
