/*
 * wcnf_read.c - MaxSAT: .wcnf with its three headers, and .cnf.
 *
 *   p wcnf N M TOP      clauses 'WEIGHT literals 0', hard from TOP on
 *   p wcnf N M          the same, none is hard
 *   (none)              since 2022: 'h literals 0' is hard, 'WEIGHT literals 0' soft
 *   p cnf N M           'literals 0'
 *
 * Value 1 is true. A clause costs its weight where all its literals are false.
 * A .cnf is read as Max-SAT, as toulbar2 does: each clause costs 1, so that the
 * optimum is the number of clauses that cannot be satisfied, and 0 says SAT. One that we wrote of
 * hard clauses says so in its first line, and is infeasible where they cannot be satisfied.
 * TOP is not a bound on totals: the format has it larger than all soft weights. So it may pass 64
 * bits, 2^64 - 1 is usual: a weight that does so, too, is hard or cannot be summed.
 */
#include <string.h>

#include "formats/common/reading.h"
#include "formats/common/registry.h"

enum { DENSE_ARITY = 3 }; /* longer clauses become sparse tables of one tuple */

struct reader {
	struct gpube_model *m;
	struct gpube_in *in;
	bool weighted, modern, no_top;
	bool hard;            /* each clause */
	int64_t top;          /* weights from here on are hard; GPUBE_INF: none is */
	char top_digits[256]; /* instead of 'top' if it passes that; "" */
	int64_t n_clauses, read;
	/* the clause: variables in the file's order, and the value that makes each false */
	int64_t n, capacity, falsifying_capacity;
	int32_t *scope, *falsifying;
	/* by variable: 1 + its place in the clause that was read last, if that is 'read' */
	int64_t *seen, n_seen;
	int64_t seen_capacity;
};

/* An integer's digits without zeros in front; NULL: it is none, or below 0. */
static const char *digits_of(const char *token)
{
	token += *token == '+';
	if (!*token || token[strspn(token, "0123456789")])
		return NULL;
	return token + strspn(token, "0");
}

/* digits: that of 0 is "" */
static bool fits(int64_t *v, const char *digits)
{
	*v = 0;
	return !*digits || gpube__units(v, digits, 0);
}

static bool is_less(const char *digits, const char *other)
{
	const size_t n = strlen(digits), m = strlen(other);

	return n != m ? n < m : strcmp(digits, other) < 0;
}

static int read_top(struct reader *r)
{
	char token[256];
	const char *digits;

	if (gpube__in_token(r->in, token, "the weight of hard clauses"))
		return r->in->status;
	digits = digits_of(token + (*token == '-'));
	if (!digits)
		return gpube__in_expected(r->in, "the weight of hard clauses", token);
	if (*token == '-') {
		r->top = 0;
	} else if (!fits(&r->top, digits)) {
		r->top = GPUBE_INF;
		memcpy(r->top_digits, digits, strlen(digits) + 1);
	}
	return r->top >= 1 ? GPUBE_OK
			   : gpube__in_outside(
				     r->in, 1, INT64_MAX, "the weight of hard clauses", token);
}

static int read_header(struct reader *r)
{
	struct gpube_in *in = r->in;
	char token[256];
	int64_t n;

	r->top = GPUBE_INF;
	r->n_clauses = -1;
	r->weighted = r->modern = r->no_top = true;
	r->hard = gpube__in_need(in, strlen(GPUBE__CNF_HARD)) >= strlen(GPUBE__CNF_HARD) &&
		  !memcmp(in->p, GPUBE__CNF_HARD, strlen(GPUBE__CNF_HARD));
	if (!gpube__dimacs_next(in) || *in->p != 'p')
		return in->status;
	if (gpube__in_token(in, token, "the line 'p'"))
		return in->status;
	if (strcmp(token, "p") != 0)
		return gpube__in_expected(in, "the line 'p cnf' or 'p wcnf', or a clause", token);
	if (gpube__in_token(in, token, "'cnf' or 'wcnf'"))
		return in->status;
	r->modern = false;
	r->weighted = strcmp(token, "wcnf") == 0;
	if (!r->weighted && strcmp(token, "cnf") != 0)
		return gpube__in_expected(in, "'cnf' or 'wcnf'", token);
	if (gpube__in_int(in, &n, 0, INT32_MAX, "the number of variables") ||
		gpube__in_int(in, &r->n_clauses, 0, INT64_MAX, "the number of clauses"))
		return in->status;
	r->no_top = gpube__in_line_ended(in);
	if (r->weighted && !r->no_top && read_top(r))
		return in->status;
	return gpube__add_vars(r->m, in, n, 2);
}

/* Where TOP passes 64 bits. */
static int read_wide_weight(struct reader *r, int64_t *weight)
{
	char token[256];
	const char *digits;

	if (gpube__in_token(r->in, token, "a clause's weight"))
		return r->in->status;
	digits = digits_of(token);
	if (!digits)
		return gpube__in_expected(r->in, "a clause's weight", token);
	if (fits(weight, digits) && *weight < GPUBE_INF)
		return GPUBE_OK;
	*weight = GPUBE_INF;
	return is_less(digits, r->top_digits)
		       ? gpube__in_too_large(r->in, GPUBE_INF - 1, "a soft clause's weight", token)
		       : GPUBE_OK;
}

/* GPUBE_INF: hard. */
static int read_weight(struct reader *r, int64_t *weight)
{
	char token[256];

	*weight = r->hard ? GPUBE_INF : 1;
	if (!r->weighted)
		return GPUBE_OK;
	if (r->modern && *r->in->p == 'h') {
		*weight = GPUBE_INF;
		if (gpube__in_token(r->in, token, "'h'"))
			return r->in->status;
		return strcmp(token, "h") == 0
			       ? GPUBE_OK
			       : gpube__in_expected(r->in, "'h' or a weight", token);
	}
	if (*r->top_digits)
		return read_wide_weight(r, weight);
	if (gpube__in_int(r->in, weight, 0, INT64_MAX,
		    r->modern ? "'h' or a weight" : "a clause's weight"))
		return r->in->status;
	/* a soft weight that is what forbidden costs are written as */
	if (*weight == GPUBE_INF && r->no_top)
		return gpube__in_too_large(
			r->in, GPUBE_INF - 1, "a soft clause's weight", "9223372036854775807");
	if (*weight >= r->top)
		*weight = GPUBE_INF;
	return GPUBE_OK;
}

/* The place of variable 'var' in the clause, or -1 and it is added. */
static int place_of(struct reader *r, int32_t var, int64_t *place)
{
	struct gpube_ctx *ctx = r->m->ctx;

	if (var >= r->n_seen) {
		int64_t n = r->m->n_vars;

		if (gpube__grow(ctx, &r->seen, &r->seen_capacity, n, 2 * sizeof(*r->seen)))
			return GPUBE_ENOMEM;
		for (int64_t i = 2 * r->n_seen; i < 2 * n; i++)
			r->seen[i] = -1;
		r->n_seen = n;
	}
	*place = r->seen[2 * var] == r->read ? r->seen[2 * var + 1] : -1;
	if (*place >= 0)
		return GPUBE_OK;
	if (gpube__grow(ctx, &r->scope, &r->capacity, r->n + 1, sizeof(*r->scope)) ||
		gpube__grow(ctx, &r->falsifying, &r->falsifying_capacity, r->n + 1,
			sizeof(*r->falsifying)))
		return GPUBE_ENOMEM;
	r->seen[2 * var] = r->read;
	r->seen[2 * var + 1] = r->n;
	r->scope[r->n++] = var;
	return GPUBE_OK;
}

/* The literals up to 0. *always: a variable and its negation are there, nothing makes it false. */
static int read_literals(struct reader *r, bool *always)
{
	int64_t most = r->modern ? INT32_MAX : r->m->n_vars, literal, place;

	r->n = 0;
	*always = false;
	for (;;) {
		int32_t var;

		if (gpube__in_int(r->in, &literal, -most, most, "a literal or 0"))
			return r->in->status;
		if (literal == 0)
			return GPUBE_OK;
		var = (int32_t)(literal < 0 ? -literal : literal) - 1;
		if (var >= r->m->n_vars &&
			gpube__add_vars(r->m, r->in, var + 1 - (int64_t)r->m->n_vars, 2))
			return r->in->status;
		if (place_of(r, var, &place))
			return r->in->status = GPUBE_ENOMEM;
		if (place < 0)
			r->falsifying[r->n - 1] = literal < 0;
		else
			*always = *always || r->falsifying[place] != (literal < 0);
	}
}

/* A table that costs 'weight' at the falsifying tuple and 0 elsewhere. */
static int make_table(struct reader *r, int64_t weight, struct gpube_table *t)
{
	struct gpube_ctx *ctx = r->m->ctx;
	struct gpube_values v = {0};
	int64_t cells = r->n <= DENSE_ARITY ? (int64_t)1 << r->n : 1, at = 0;
	int status = GPUBE_OK;

	*t = (struct gpube_table){.arity = (int)r->n, .sparse = r->n > DENSE_ARITY};
	if (t->sparse) {
		t->tuples = gpube__alloc(ctx, (uint64_t)r->n, sizeof(*t->tuples));
		if (!t->tuples)
			return GPUBE_ENOMEM;
		memcpy(t->tuples, r->falsifying, (size_t)r->n * sizeof(*t->tuples));
	} else
		for (int64_t k = 0; k < r->n; k++)
			at = 2 * at + r->falsifying[k];
	status = gpube__values_reserve(ctx, &v, cells);
	for (int64_t c = 0; c < cells && !status; c++)
		status = gpube__values_push(ctx, &v, c == at ? weight : 0);
	if (status) {
		gpube__values_clear(ctx, &v);
		gpube__free(ctx, t->tuples);
		return status;
	}
	t->type = v.type;
	t->n = v.n;
	t->values = v.values;
	return GPUBE_OK;
}

static int add_clause(struct reader *r, int64_t weight)
{
	struct gpube_table t;
	int32_t table;

	if (r->n == 0) {
		int status = gpube_model_add_costs(r->m, 0, NULL, &weight);

		return status == GPUBE_ERANGE ? gpube__in_fail(r->in, GPUBE_ERANGE,
							"the weights of empty clauses pass 2^63")
					      : status;
	}
	if (make_table(r, weight, &t) || gpube__add_table(r->m, &table, &t))
		return GPUBE_ENOMEM;
	return gpube__add_function(r->m, t.arity, r->scope, table, NULL);
}

static int read_clause(struct reader *r)
{
	int64_t weight;
	bool always;
	int status = read_weight(r, &weight);

	if (!status)
		status = read_literals(r, &always);
	r->read++;
	return status || always || weight == 0 ? status : add_clause(r, weight);
}

static int read_clauses(struct reader *r)
{
	int status = GPUBE_OK;

	while (!status && gpube__dimacs_next(r->in)) {
		if (*r->in->p == '%') { /* SATLIB's files end so, with a 0 behind */
			while (gpube__in_fill(r->in))
				gpube__in_skip_line(r->in);
			break;
		}
		if (!r->modern && r->read == r->n_clauses)
			return gpube__in_error(r->in, "more than %lld clause%s",
				(long long)r->n_clauses, gpube__plural((double)r->n_clauses));
		status = read_clause(r);
	}
	if (status || r->in->status)
		return status ? status : r->in->status;
	if (!r->modern && r->read != r->n_clauses)
		return gpube__in_error(r->in, "expected %lld clause%s, found %lld",
			(long long)r->n_clauses, gpube__plural((double)r->n_clauses),
			(long long)r->read);
	return GPUBE_OK;
}

int gpube__wcnf_read(struct gpube_model *m, struct gpube_in *in)
{
	struct reader r = {.m = m, .in = in};
	int status = read_header(&r);

	if (!status)
		status = read_clauses(&r);
	gpube__free(m->ctx, r.scope);
	gpube__free(m->ctx, r.falsifying);
	gpube__free(m->ctx, r.seen);
	return status;
}
