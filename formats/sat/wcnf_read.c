/*
 * wcnf_read.c - MaxSAT: .wcnf with its three headers, and .cnf.
 *
 *   p wcnf N M TOP      clauses 'WEIGHT literals 0', hard from TOP on
 *   p wcnf N M          the same, none is hard
 *   (none)              since 2022: 'h literals 0' is hard, 'WEIGHT literals 0' soft
 *   p cnf N M           'literals 0'; the line may be missing in a file that is called .cnf
 *
 * Value 1 is true. A clause costs its weight where all its literals are false.
 * A .cnf is read as Max-SAT, as toulbar2 does: each clause costs 1, so that the
 * optimum is the number of clauses that cannot be satisfied, and 0 says SAT. One that we wrote of
 * hard clauses says so in its first line, and is infeasible where they cannot be satisfied.
 * TOP is not a bound on totals: the format has it larger than all soft weights. So it may pass 64
 * bits, 2^64 - 1 is usual: a weight that does so, too, is hard or cannot be summed. Weights and TOP
 * may have decimals, as in PySAT: the model's scale grows for them.
 */
#include <string.h>

#include "formats/common/reading.h"
#include "formats/common/registry.h"

struct reader {
	struct gpube_model *m;
	struct gpube_in *in;
	bool weighted, modern, no_top;
	bool hard;     /* each clause */
	__int128 top;  /* weights from here on are hard */
	int top_scale; /* its decimals */
	int64_t n_clauses, read;
	/* the clause: variables in the file's order, and the value that makes each false */
	int64_t n, capacity, falsifying_capacity;
	int32_t *scope, *falsifying;
	/* by variable: 1 + its place in the clause that was read last, if that is 'read' */
	int64_t *seen, n_seen;
	int64_t seen_capacity;
};

/* More decimals for all weights so far. */
static int widen(struct reader *r, int k)
{
	const int status = gpube__widen(r->m, k);

	if (status == GPUBE_ERANGE)
		return gpube__in_fail(r->in, GPUBE_ERANGE,
			"with %d decimals the weights pass 64 bits", r->m->scale + k);
	return r->in->status = status;
}

static int read_top(struct reader *r)
{
	char token[256];
	bool fits;

	if (gpube__in_token(r->in, token, "the weight of hard clauses"))
		return r->in->status;
	if (!gpube__wide_decimal(token, &r->top, &r->top_scale, &fits) || r->top_scale > 18)
		return gpube__in_expected(r->in, "the weight of hard clauses", token);
	return r->top >= 1 ? widen(r, r->top_scale)
			   : gpube__in_outside(
				     r->in, 1, INT64_MAX, "the weight of hard clauses", token);
}

static int read_header(struct reader *r)
{
	struct gpube_in *in = r->in;
	char token[256];
	int64_t n;

	r->top = GPUBE_WIDE + 1;
	r->n_clauses = -1;
	r->modern = r->no_top = true;
	r->weighted = !gpube__has_extension(in->path, "cnf");
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

/* The weight at the text has decimals. */
static bool has_decimals(const struct gpube_in *in)
{
	const char *p = in->p;

	while (*p >= '0' && *p <= '9')
		p++;
	return *p == '.' || *p == 'e' || *p == 'E';
}

/* Where a weight or TOP has decimals, or TOP passes 64 bits. */
static int read_wide_weight(struct reader *r, int64_t *weight)
{
	char token[256];
	__int128 v, top = r->top;
	int scale, both;
	bool fits;

	if (gpube__in_token(r->in, token, "a clause's weight"))
		return r->in->status;
	if (*token == '-' || !gpube__wide_decimal(token, &v, &scale, &fits))
		return gpube__in_expected(r->in, "a clause's weight", token);
	*weight = GPUBE_INF;
	/* the decimals of the one that has more; what passes 2^120 is larger than what does not */
	both = scale > r->top_scale ? scale : r->top_scale;
	for (int k = r->top_scale; k < both && top <= GPUBE_WIDE; k++)
		top *= 10;
	for (int k = scale; k < both && v < GPUBE_WIDE; k++)
		v *= 10;
	if (v >= top)
		return GPUBE_OK;
	if (fits && both > r->m->scale && widen(r, both - r->m->scale))
		return r->in->status;
	*weight = (int64_t)v;
	if (fits && v < GPUBE_INF && gpube__scaled(weight, r->m->scale - both))
		return GPUBE_OK;
	if (!r->m->scale)
		return gpube__in_too_large(r->in, GPUBE_INF - 1, "a soft clause's weight", token);
	return gpube__in_fail(r->in, GPUBE_ERANGE,
		"a soft clause's weight, '%.40s', does not fit 64 bits with %d decimals", token,
		r->m->scale);
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
	if ((!r->no_top && r->top > GPUBE_INF) || r->m->scale || has_decimals(r->in))
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

static int add_clause(struct reader *r, int64_t weight)
{
	const int status =
		r->n ? gpube__add_clause(r->m, (int)r->n, r->scope, r->falsifying, weight)
		     : gpube_model_add_costs(r->m, 0, NULL, &weight);

	return r->n == 0 && status == GPUBE_ERANGE
		       ? gpube__in_fail(
				 r->in, GPUBE_ERANGE, "the weights of empty clauses pass 2^63")
		       : status;
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
	GPUBE_FREE_ALL(m->ctx, r.scope, r.falsifying, r.seen);
	return status;
}
