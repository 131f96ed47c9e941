/*
 * wcsp_read.c - toulbar2's .wcsp: name, sizes and upper bound, domains, functions.
 *
 * Costs are not negative, so one that reaches the upper bound is forbidden by
 * itself and marked so. A negative domain size, an interval variable of
 * toulbar2, is a domain of that many values. The header's largest domain and
 * number of functions are checked; toulbar2 goes on with a warning there.
 */
#include <string.h>

#include "formats/digits.h"
#include "formats/intension.h"
#include "formats/registry.h"
#include "formats/tuples.h"

struct shared {
	int32_t function; /* its first holder */
	int64_t dflt;     /* -1: all tuples are given */
};

struct reader {
	struct gpube_in *in;
	struct gpube_model *m;
	int32_t *seen; /* by variable: the last function, from 1, that had it in its scope */
	int32_t *scope, *domains, *tuple;
	int64_t scope_capacity, domains_capacity, tuple_capacity;
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

static int read_header(struct reader *r, int32_t *n_functions)
{
	struct gpube_model *m = r->m;
	struct gpube_in *in = r->in;
	int64_t n_vars, largest, n, top, domain;

	if (gpube__in_token(in, r->token, "the problem's name") ||
		gpube__in_int(in, &n_vars, 0, INT32_MAX, "a number of variables") ||
		gpube__in_int(in, &largest, 0, INT32_MAX, "the largest domain size") ||
		gpube__in_int(in, &n, 0, INT32_MAX, "a number of functions") ||
		gpube__in_int(in, &top, 0, INT64_MAX, "an upper bound"))
		return in->status;
	*n_functions = (int32_t)n;
	m->top = top;
	m->name = gpube__strdup(m->ctx, r->token);
	if (!m->name)
		return fail(r, GPUBE_ENOMEM);
	for (int64_t i = 0; i < n_vars; i++) {
		if (gpube__in_int(in, &domain, -INT32_MAX, INT32_MAX, "a domain size"))
			return in->status;
		if (domain < 0)
			domain = -domain;
		if (domain == 0)
			return gpube__in_error(in, "variable %lld has no values", (long long)i);
		if (domain > largest)
			return gpube__in_error(in,
				"variable %lld has %lld values, the header says at most %lld",
				(long long)i, (long long)domain, (long long)largest);
		if (gpube_model_add_var(m, NULL, (int32_t)domain, NULL))
			return fail(r, GPUBE_ENOMEM);
	}
	r->seen = gpube__alloc_zero(m->ctx, (uint64_t)n_vars + 1, sizeof(*r->seen));
	return r->seen ? GPUBE_OK : fail(r, GPUBE_ENOMEM);
}

/* ---- functions in extension ---------------------------------------------------------- */

static int read_scope(struct reader *r, int arity, int32_t function)
{
	struct gpube_model *m = r->m;
	int64_t v;

	if (gpube__grow(m->ctx, &r->scope, &r->scope_capacity, arity, sizeof(*r->scope)) ||
		gpube__grow(
			m->ctx, &r->domains, &r->domains_capacity, arity, sizeof(*r->domains)) ||
		gpube__grow(m->ctx, &r->tuple, &r->tuple_capacity, arity, sizeof(*r->tuple)))
		return fail(r, GPUBE_ENOMEM);
	for (int k = 0; k < arity; k++) {
		if (gpube__in_int(r->in, &v, 0, (int64_t)m->n_vars - 1, "a variable"))
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
		return gpube__in_error(r->in, "shared function %lld has %d variables, not %d",
			(long long)number, m->functions[f].arity, arity);
	for (int k = 0; k < arity; k++)
		if (m->vars[scope[k]].domain != r->domains[k])
			return gpube__in_error(r->in,
				"shared function %lld has a domain of %d values where variable %d "
				"has %d",
				(long long)number, m->vars[scope[k]].domain, r->scope[k],
				r->domains[k]);
	/* toulbar2 takes either cost, depending on the arity; real files give 1 for short ones */
	if (arity > 3 && r->shared[number - 1].dflt >= 0 && r->shared[number - 1].dflt != dflt)
		return gpube__in_error(
			r->in, "shared function %lld has another default cost", (long long)number);
	return fail(r, gpube__add_function(m, arity, r->scope, m->functions[f].table, NULL));
}

/* An integer >= 0 after blanks, all of it in the window; NULL: for the slow path to look at. */
static inline const char *quick_int(const char *p, uint64_t *v, int64_t *line)
{
	int n;

	while (*p == ' ' || *p == '\n')
		*line += *p++ == '\n';
	p = gpube__digits16(p, v, &n);
	return n > 0 && (*p == ' ' || *p == '\n') ? p : NULL;
}

enum { LISTED = 512 };

/* Tuples as they usually stand there, up to the window's end. */
struct quick {
	const char *p;
	int64_t line, n;
	uint64_t cell, cost;
	int64_t n_costs, costs[LISTED]; /* of cells that follow each other, not yet in the table */
};

static bool quick_tuple(struct quick *q, struct reader *r, int arity)
{
	const char *p = q->p;
	uint64_t v;

	q->cell = 0;
	for (int i = 0; i < arity; i++) {
		p = quick_int(p, &v, &q->line);
		if (!p || v >= (uint64_t)r->domains[i])
			return false;
		r->tuple[i] = (int32_t)v;
		q->cell = q->cell * (uint64_t)r->domains[i] + v;
	}
	p = quick_int(p, &q->cost, &q->line);
	if (!p)
		return false;
	q->p = p;
	if ((int64_t)q->cost >= r->m->top)
		q->cost = GPUBE_INF;
	return true;
}

static int flush(struct quick *q, struct gpube_tuples *t)
{
	int status = q->n_costs ? gpube__tuples_list(t, q->costs, q->n_costs) : GPUBE_OK;

	q->n_costs = 0;
	return status;
}

/*
 * A listing in order has a text that is known beforehand: a line's end and the
 * tuple with a blank behind each value. Comparing it takes no parsing.
 */
struct expected {
	uint64_t text[2], mask[2]; /* bytes as they should be, and which of them */
	int n;                     /* 0: too long */
	uint64_t one[2];           /* 1 in the last digit of the last value */
	int steps;                 /* that it can be counted up without another digit changing */
};

/* "12 "; returns the bytes, at most 11. */
static int put_value(char *to, int32_t v)
{
	char digits[12];
	int n = 0, k = 0;

	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n > 0)
		to[k++] = digits[--n];
	to[k++] = ' ';
	return k;
}

static void expect(struct expected *e, const int32_t *tuple, const int32_t *domains, int arity)
{
	char text[64];
	int n = 1;

	text[0] = '\n';
	e->n = 0;
	if (arity <= 0)
		return;
	for (int i = 0; i < arity; i++) {
		if (n > 16)
			return;
		n += put_value(text + n, tuple[i]);
	}
	if (n > 16)
		return;
	e->steps = '9' - text[n - 2];
	if (e->steps > domains[arity - 1] - 1 - tuple[arity - 1])
		e->steps = domains[arity - 1] - 1 - tuple[arity - 1];
	memset(text + n, 0, 16 - (size_t)n);
	memcpy(e->text, text, 16);
	memset(text, 0xff, (size_t)n);
	memcpy(e->mask, text, 16);
	memset(text, 0, 16);
	text[n - 2] = 1;
	memcpy(e->one, text, 16);
	e->n = n;
}

static inline bool is_expected(const struct expected *e, const char *p)
{
	uint64_t x[2];

	memcpy(x, p, sizeof(x));
	return ((x[0] ^ e->text[0]) & e->mask[0]) == 0 && ((x[1] ^ e->text[1]) & e->mask[1]) == 0;
}

/* Tuples of a listing, as long as they are the ones that come next; the next is in t->next. */
static int read_listing(struct quick *q, struct reader *r, struct gpube_tuples *t, int64_t n)
{
	int last = t->arity - 1, k, status = GPUBE_OK;
	const char *p = q->p, *end = r->in->end;
	struct expected e;

	expect(&e, t->next, t->domains, t->arity);
	while (q->n < n && e.n && end - p > 32 && is_expected(&e, p)) {
		p = gpube__digits16(p + e.n, &q->cost, &k);
		if (k == 0 || (*p != '\n' && *p != ' '))
			break;
		q->p = p;
		q->line++;
		q->n++;
		q->costs[q->n_costs++] =
			(int64_t)q->cost >= r->m->top ? GPUBE_INF : (int64_t)q->cost;
		if (--e.steps >= 0) {
			t->next[last]++;
			e.text[0] += e.one[0];
			e.text[1] += e.one[1];
		} else {
			if (!gpube__tuple_next(t->next, t->domains, t->arity))
				break;
			expect(&e, t->next, t->domains, t->arity);
		}
		if (q->n_costs == LISTED && (status = flush(q, t)) != GPUBE_OK)
			break;
	}
	r->in->p = r->in->last = q->p;
	r->in->line = q->line;
	return status ? status : flush(q, t);
}

/* Up to n tuples; *done: how many there were before one that needs a closer look. */
static int read_quickly(
	struct reader *r, struct gpube_tuples *t, int arity, int64_t n, int64_t *done)
{
	struct quick q;
	int status = GPUBE_OK;

	q.p = r->in->p;
	q.line = r->in->line;
	q.n = q.n_costs = 0;
	if (t->listing && t->values.n < t->cells)
		status = read_listing(&q, r, t, n);
	for (; q.n < n && !status && quick_tuple(&q, r, arity); q.n++) {
		r->in->p = r->in->last = q.p;
		r->in->line = q.line;
		if (t->listing && t->cells > 0 && q.cell == (uint64_t)(t->values.n + q.n_costs)) {
			q.costs[q.n_costs++] = (int64_t)q.cost;
			if (q.n_costs == LISTED)
				status = flush(&q, t);
			continue;
		}
		status = flush(&q, t);
		if (!status)
			status = gpube__tuples_push(t, r->tuple, (int64_t)q.cost, q.line);
	}
	*done = q.n;
	return status ? status : flush(&q, t);
}

static int read_tuples(struct reader *r, struct gpube_tuples *t, int arity, int64_t n)
{
	int64_t v, cost, done;
	int status = GPUBE_OK;

	for (int64_t k = 0; k < n && !status; k++) {
		status = read_quickly(r, t, arity, n - k, &done);
		k += done;
		if (status || k == n)
			break;
		for (int i = 0; i < arity; i++) {
			if (gpube__in_int(r->in, &v, 0, (int64_t)r->domains[i] - 1, "a value"))
				return r->in->status;
			r->tuple[i] = (int32_t)v;
		}
		if (read_cost(r, &cost))
			return r->in->status;
		status = gpube__tuples_push(t, r->tuple, cost, r->in->line);
	}
	return fail(r, status);
}

static int read_extension(struct reader *r, int arity, int64_t dflt, int64_t n)
{
	struct gpube_tuples t;
	struct gpube_table table;
	int64_t twice;
	int32_t index;

	if (gpube__tuples_init(&t, r->m->ctx, arity, r->domains, dflt))
		return fail(r, GPUBE_ENOMEM);
	if (t.cells >= 0 && n > t.cells) {
		gpube__in_error(r->in, "%lld tuples where only %lld are possible", (long long)n,
			(long long)t.cells);
		gpube__tuples_clear(&t);
		return r->in->status;
	}
	if (read_tuples(r, &t, arity, n)) {
		gpube__tuples_clear(&t);
		return r->in->status;
	}
	if (gpube__tuples_finish(&t, &table, &twice))
		return fail(r, GPUBE_ENOMEM);
	if (twice) {
		r->in->line = twice;
		return gpube__in_error(r->in, "this tuple was given before");
	}
	if (gpube__add_table(r->m, &index, &table))
		return fail(r, GPUBE_ENOMEM);
	return fail(r, gpube__add_function(r->m, arity, r->scope, index, NULL));
}

/* ---- functions in intension ----------------------------------------------------------- */

static int source_tag(void *reader, const char *tag, size_t n)
{
	(void)reader;
	(void)tag;
	(void)n;
	return GPUBE_OK;
}

static int source_count(void *reader, int64_t *n)
{
	struct reader *r = reader;

	return gpube__in_int(r->in, n, 0, INT32_MAX, "a count");
}

static int source_word(void *reader, const char **word, const char *what)
{
	struct reader *r = reader;

	*word = r->token;
	return gpube__in_token(r->in, r->token, what);
}

static int source_number(void *reader, char letter, int64_t *v)
{
	struct reader *r = reader;

	switch (letter) {
	case 'c':
	case 'C':
		return read_cost(r, v);
	case 'V':
		return gpube__in_int(r->in, v, 0, (int64_t)r->m->n_vars - 1, "a variable");
	case 'v':
		return gpube__in_int(r->in, v, 0, INT32_MAX, "a value");
	case 'n':
		return gpube__in_int(r->in, v, -INT32_MAX, INT32_MAX, "a number");
	default:
		return gpube__in_int(r->in, v, -INT64_MAX, INT64_MAX, "a number");
	}
}

static int read_intension(struct reader *r, int arity)
{
	const struct gpube_source source = {.reader = r,
		.tag = source_tag,
		.count = source_count,
		.word = source_word,
		.number = source_number};
	struct gpube_call call = {.in = r->in,
		.m = r->m,
		.arity = arity,
		.scope = r->scope,
		.hard_from = r->m->top,
		.unit = 1};
	bool known;

	if (gpube__in_token(r->in, r->token, "a function's keyword"))
		return r->in->status;
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

	if (gpube__in_int(r->in, &arity, -(int64_t)r->m->n_vars, r->m->n_vars, "an arity"))
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

int gpube__wcsp_read(struct gpube_model *m, struct gpube_in *in)
{
	struct reader r = {.in = in, .m = m};
	int32_t n_functions = 0;
	int status = read_header(&r, &n_functions);

	for (int32_t f = 0; f < n_functions && !status; f++)
		status = read_function(&r, f);
	if (!status)
		status = gpube__in_end(in);
	gpube__free(m->ctx, r.seen);
	gpube__free(m->ctx, r.scope);
	gpube__free(m->ctx, r.domains);
	gpube__free(m->ctx, r.tuple);
	gpube__free(m->ctx, r.shared);
	return status;
}
