/*
 * opb.c - .opb and .wbo: pseudo-Boolean problems of the competitions.
 *
 *   * #variable= 4 #constraint= 2       comments; the first may say how many variables there are
 *   min: +3 x1 -2 ~x2 +1 x3 ~x4 ;       or max:, or nothing; a product of literals is a term
 *   +1 x1 +2 ~x3 >= 2 ;                 or =, or <=; a term without a coefficient counts once
 *   soft: 6 ;                           a .wbo in the objective's place: totals below 6 count
 *   [4] +1 x1 +1 x2 = 1 ;               costs 4 where it does not hold
 *
 * Value 1 is true. With the number of variables said they are x1, x2, …; without it they are those
 * that appear, in that order, by any name. Coefficients of constraints may have 94 bits; what costs
 * may add up to stays below 2^62.
 *
 * What a constraint becomes is said in linear.h. One with products that has too many tuples is
 * refused.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "gpube/base/names.h"
#include "formats/common/reading.h"
#include "formats/common/registry.h"
#include "gpube/globals/linear.h"

enum { TOKEN_BYTES = 256 };

struct reader {
	struct gpube_model *m;
	struct gpube_in *in;
	struct gpube_names names;
	/* the file said how many variables there are: x1 and so on, which are not in 'names' */
	bool closed;
	char token[TOKEN_BYTES];
	bool begun;              /* a token or a comment was read */
	int64_t line;            /* of the last token */
	__int128 total;          /* of all that totals may reach */
	struct gpube_linear sum; /* that is read */
};

/* ---- tokens --------------------------------------------------------------------------------- */

static bool is_mark(char c)
{
	return c && strchr(";:[]<>=", c);
}

/* "* #variable= 4 …" on the first line: its variables, at once. */
static int read_header(struct reader *r)
{
	static const char key[] = "#variable=";
	char text[TOKEN_BYTES], name[32];
	size_t n = gpube__in_need(r->in, sizeof(text) - 1);
	const char *p;
	long long n_vars = 0;

	n = n < sizeof(text) - 1 ? n : sizeof(text) - 1;
	memcpy(text, r->in->p, n);
	text[n] = 0;
	text[strcspn(text, "\n")] = 0;
	p = strstr(text, key);
	if (!p)
		return GPUBE_OK;
	if (sscanf(p + strlen(key), "%10lld", &n_vars) != 1 || n_vars < 0 || n_vars > INT32_MAX)
		return gpube__in_error(r->in, "expected the number of variables behind '%s'", key);
	r->closed = true;
	if (gpube__in_charge(r->in, n_vars, GPUBE_VARIABLE_BYTES + 2 * GPUBE_VALUE_BYTES,
		    "%lld variables", n_vars))
		return r->in->status;
	for (int32_t i = 0; i < n_vars; i++) {
		snprintf(name, sizeof(name), "x%d", i + 1);
		if (gpube__put_var(r->m, NULL, 2, name))
			return r->in->status = GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

/* To the next token, past lines that begin with a star; false at the end. */
static bool skip_comments(struct reader *r)
{
	while (!gpube__in_at_end(r->in)) {
		if (*r->in->p != '*' || (r->begun && r->in->line == r->line))
			return true;
		if (!r->begun && read_header(r))
			return false;
		r->begun = true;
		gpube__in_skip_line(r->in);
	}
	return false;
}

/* The next word, or one of the marks above, or '>=' or '<='; at the end its text is empty. */
static int next(struct reader *r)
{
	struct gpube_in *in = r->in;
	size_t n = 0;

	r->token[0] = 0;
	if (!skip_comments(r))
		return in->status;
	gpube__in_need(in, TOKEN_BYTES);
	if (is_mark(*in->p)) {
		n = 1 + ((*in->p == '<' || *in->p == '>') && in->p[1] == '=');
	} else {
		while (n < TOKEN_BYTES && in->p + n < in->end && !is_mark(in->p[n]) &&
			!isspace((unsigned char)in->p[n])) {
			if ((unsigned char)in->p[n] < ' ' || in->p[n] == 0x7f)
				return gpube__in_error(in, "expected a word, found byte 0x%02x",
					(unsigned char)in->p[n]);
			n++;
		}
		if (n == TOKEN_BYTES)
			return gpube__in_error(in, "'%.40s...' has more than 255 bytes", in->p);
	}
	memcpy(r->token, in->p, n);
	r->token[n] = 0;
	in->p += n;
	r->begun = true;
	r->line = in->line;
	return GPUBE_OK;
}

static int refuse(struct reader *r, const char *what)
{
	return gpube__in_expected(r->in, what, r->token);
}

static bool is(const struct reader *r, const char *token)
{
	return strcmp(r->token, token) == 0;
}

static int expect(struct reader *r, const char *token, const char *what)
{
	if (next(r))
		return r->in->status;
	return is(r, token) ? GPUBE_OK : refuse(r, what);
}

/* Bits of a cost; and of a coefficient: no sum of 2^32 of them wraps. */
enum { COST_BITS = 62, COEFFICIENT_BITS = 94 };

/* The token as an integer of at most so many bits. */
static int to_integer(struct reader *r, __int128 *v, int bits, const char *what)
{
	const __int128 most = (__int128)1 << bits;
	int scale;
	bool fits;

	if (!gpube__wide_decimal(r->token, v, &scale, &fits) || strpbrk(r->token, ".eE"))
		return refuse(r, what);
	return *v<most && * v> - most ? GPUBE_OK
				      : gpube__in_fail(r->in, GPUBE_ERANGE,
						"%s, '%.40s', passes 2^%d", what, r->token, bits);
}

/* One of a cost. */
static int to_cost(struct reader *r, int64_t *v, const char *what)
{
	__int128 wide = 0;

	if (to_integer(r, &wide, COST_BITS, what))
		return r->in->status;
	*v = (int64_t)wide;
	return GPUBE_OK;
}

/* Does the token begin a literal? */
static bool is_literal(const struct reader *r)
{
	const char *p = r->token + (*r->token == '~');

	return isalpha((unsigned char)*p) || *p == '_';
}

/* Or a coefficient, with a sign that may stand alone? */
static bool begins_term(const struct reader *r)
{
	return *r->token && strchr("+-0123456789", *r->token);
}

/* ---- sums ---------------------------------------------------------------------------- */

/* "x12" is variable 11 of those that are declared. */
static bool is_declared(const struct reader *r, int32_t *var, const char *name)
{
	int64_t number = 0;

	if (*name++ != 'x' || *name < '1' || *name > '9')
		return false;
	for (; *name >= '0' && *name <= '9' && number <= r->m->n_vars; name++)
		number = 10 * number + (*name - '0');
	*var = (int32_t)(number - 1);
	return !*name && number <= r->m->n_vars;
}

static int find_variable(struct reader *r, int32_t *var, const char *name)
{
	const int32_t *known = r->closed ? NULL : gpube__names_find(&r->names, 0, name);

	if (known) {
		*var = *known;
	} else if (r->closed && !is_declared(r, var, name)) {
		return refuse(r, r->m->n_vars ? "a variable from x1 to the number that is declared"
					      : "no variable, for none is declared");
	} else if (!r->closed) {
		if (gpube__add_var(r->m, r->in, var, 2, name))
			return r->in->status;
		if (gpube__names_add(&r->names, 0, r->m->vars[*var].name, *var))
			return r->in->status = GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

static int push_literal(struct reader *r)
{
	int32_t place = 0, var = 0;

	if (find_variable(r, &var, r->token + (*r->token == '~')) ||
		gpube__linear_place(&r->sum, &place, var))
		return r->in->status;
	return gpube__linear_literal(&r->sum, place, *r->token != '~');
}

/* "+3", "-", "+" in "+x1", or nothing, which is 1. Its token is the literal then. */
static int read_coefficient(struct reader *r, __int128 *coefficient)
{
	const bool minus = *r->token == '-', sign = minus || *r->token == '+';
	const bool apart = sign && !isdigit((unsigned char)r->token[1]);

	*coefficient = 1;
	if (apart)
		memmove(r->token, r->token + 1, strlen(r->token));
	if (apart && !*r->token && next(r))
		return r->in->status;
	if (!is_literal(r) &&
		(to_integer(r, coefficient, COEFFICIENT_BITS, "a coefficient") || next(r)))
		return r->in->status;
	*coefficient = apart && minus ? -*coefficient : *coefficient;
	return GPUBE_OK;
}

/* "+3 x1 ~x2": its literals are the last ones then. Reads the token behind it, too. */
static int read_term(struct reader *r, __int128 *coefficient, int64_t *first)
{
	*first = r->sum.n_literals;
	if (read_coefficient(r, coefficient))
		return r->in->status;
	if (!is_literal(r))
		return refuse(r, "a variable, or ~ and a variable");
	while (is_literal(r))
		if (push_literal(r) || next(r))
			return r->in->status;
	return GPUBE_OK;
}

static int add_term(struct reader *r, __int128 coefficient, int64_t first)
{
	struct gpube_linear *l = &r->sum;
	const struct gpube_linear_literal *literal = l->literals + first;

	if (l->n_literals != first + 1)
		return gpube__linear_product(l, coefficient, first);
	*gpube__linear_gain(l, literal->place, literal->value) += coefficient;
	l->n_literals = first;
	return GPUBE_OK;
}

/* ---- costs --------------------------------------------------------------------------- */

/* What totals may reach stays below 2^62, so that none wraps; 'last': it has been summed up. */
static int count_cost(struct reader *r, __int128 cost, bool last)
{
	r->total += cost < 0 ? -cost : cost;
	if (!last || r->total < (__int128)1 << COST_BITS)
		return GPUBE_OK;
	return gpube__in_fail(r->in, GPUBE_ERANGE, "totals of the costs may reach %.12g, past 2^%d",
		(double)r->total, COST_BITS);
}

/* A term of the objective: its coefficient where all of its literals are true. */
static int add_cost(struct reader *r, __int128 coefficient)
{
	struct gpube_linear *l = &r->sum;

	memset(l->tuple, 0xff, (size_t)l->n * sizeof(*l->tuple));
	for (int64_t k = 0; k < l->n_literals; k++) {
		int32_t *at = &l->tuple[l->literals[k].place];

		if (*at >= 0 && *at != l->literals[k].value)
			return GPUBE_OK; /* x and ~x */
		*at = l->literals[k].value;
	}
	if (count_cost(r, coefficient, false) || r->total >= (__int128)1 << COST_BITS)
		return r->in->status;
	return r->in->status =
		       gpube__add_clause(r->m, l->n, l->scope, l->tuple, (int64_t)coefficient);
}

/* ---- statements ---------------------------------------------------------------------- */

static int read_objective(struct reader *r, bool maximise)
{
	if (maximise && gpube_model_set_direction(r->m, GPUBE_MAXIMISE))
		return r->in->status = GPUBE_EINVAL;
	if (expect(r, ":", "':'") || next(r))
		return r->in->status;
	while (!is(r, ";")) {
		__int128 coefficient = 0;
		int64_t first;

		if (!begins_term(r) && !is_literal(r))
			return refuse(r, "a coefficient or ';'");
		gpube__linear_begin(&r->sum);
		if (read_term(r, &coefficient, &first) || add_cost(r, coefficient))
			return r->in->status;
	}
	return count_cost(r, 0, true);
}

/* "soft: 6;" or "soft: ;" */
static int read_soft(struct reader *r)
{
	int64_t top = 0;

	if (expect(r, ":", "':'") || next(r))
		return r->in->status;
	if (is(r, ";"))
		return GPUBE_OK;
	if (to_cost(r, &top, "a number that totals stay below, or ';'"))
		return r->in->status;
	if (top < 1)
		return refuse(r, "a number from 1 that totals stay below");
	if (gpube_model_set_top(r->m, top))
		return r->in->status = GPUBE_ERANGE;
	return expect(r, ";", "';'");
}

static int read_relation(struct reader *r)
{
	if (is(r, ">="))
		r->sum.relation = GPUBE_AT_LEAST;
	else if (is(r, "<="))
		r->sum.relation = GPUBE_AT_MOST;
	else if (is(r, "="))
		r->sum.relation = GPUBE_EXACTLY;
	else
		return refuse(r, "a coefficient, a variable, '>=', '=' or '<='");
	if (next(r) || to_integer(r, &r->sum.right, 120, "an integer on the right"))
		return r->in->status;
	return expect(r, ";", "';'");
}

static int read_constraint(struct reader *r, bool soft)
{
	int64_t cost = GPUBE_INF;

	if (is(r, "[")) {
		if (!soft)
			return gpube__in_error(r->in, "a soft constraint without 'soft:' before");
		if (next(r) || to_cost(r, &cost, "a weight"))
			return r->in->status;
		if (cost < 1)
			return refuse(r, "a weight from 1");
		if (count_cost(r, cost, true) || expect(r, "]", "']'") || next(r))
			return r->in->status;
	}
	gpube__linear_begin(&r->sum);
	do {
		__int128 coefficient = 0;
		int64_t first;

		if (read_term(r, &coefficient, &first) || add_term(r, coefficient, first))
			return r->in->status;
	} while (begins_term(r));
	return read_relation(r) ? r->in->status : gpube__linear_add(&r->sum, cost);
}

static int read_file(struct reader *r)
{
	bool soft = false;

	for (bool first = true;; first = false) {
		int status = next(r);

		if (!status && !r->begun)
			return refuse(r, "an objective or a constraint");
		if (status || !*r->token)
			return status;
		if (first && (is(r, "min") || is(r, "max"))) {
			status = read_objective(r, is(r, "max"));
		} else if (first && is(r, "soft")) {
			soft = true;
			status = read_soft(r);
		} else {
			status = read_constraint(r, soft);
		}
		if (status)
			return status;
	}
}

int gpube__opb_read(struct gpube_model *m, struct gpube_in *in)
{
	struct reader r = {.m = m, .in = in, .sum = {.m = m, .sink = gpube__in_sink(in)}};
	int status;

	gpube__names_init(&r.names, m->ctx);
	status = read_file(&r);
	gpube__names_clear(&r.names);
	gpube__linear_clear(&r.sum);
	return status ? status : in->status;
}
