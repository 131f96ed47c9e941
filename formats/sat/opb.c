/*
 * opb.c - .opb and .wbo: pseudo-Boolean problems of the competitions.
 *
 *   * #variable= 4 #constraint= 2       comments; the first may say how many variables there are
 *   min: +3 x1 -2 ~x2 +1 x3 ~x4 ;       or max:, or nothing; a product of literals is a term
 *   +1 x1 +2 ~x3 >= 2 ;                 or =, or <=
 *   soft: 6 ;                           a .wbo in the objective's place: totals below 6 count
 *   [4] +1 x1 +1 x2 = 1 ;               costs 4 where it does not hold
 *
 * Value 1 is true. With the number of variables said they are x1, x2, …; without it they are those
 * that appear, in that order, by any name. Integers stay below 2^62.
 *
 * A constraint becomes one table: of its forbidden tuples, or of its allowed ones, whichever are
 * fewer. The walk that lists them turns back where the least and the greatest sum that are still
 * possible leave none, so that a clause or an at-most-one may be of any width. What has too many
 * of both is refused: as a chain of partial sums it would need variables that the file has not.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "formats/common/names.h"
#include "formats/common/reading.h"
#include "formats/common/registry.h"
#include "formats/common/tuples.h"

enum {
	TOKEN_BYTES = 256,
	FREE_STEPS = 1 << 12, /* of a walk that is not charged for; and eight for each literal */
	MOST_STEPS = 1 << 24,
	FREE_TUPLES = 16,
};

enum relation { AT_LEAST, AT_MOST, EQUAL };

/* A term of several literals. */
struct product {
	int64_t coefficient, literals, n; /* those from 'literals' on */
	int32_t last;			  /* of its places in the scope */
};

/* What a variable of the scope adds to the sum when it is 0 or 1, in terms of it alone. */
struct place {
	int64_t products; /* the first of those that end here, once they are sorted */
	__int128 gain[2];
	__int128 least, most; /* of what comes from here on */
	__int128 sum;	      /* of what is in front of here, in a walk */
	int64_t steps;	      /* that adding its gain takes */
};

struct reader {
	struct gpube_model *m;
	struct gpube_in *in;
	struct gpube_names names;
	bool closed; /* the file said how many variables there are */
	char token[TOKEN_BYTES];
	bool begun;	/* a token or a comment was read */
	int64_t line;	/* of the last token */
	__int128 total; /* of all that totals may reach */
	/* the sum that is read */
	int64_t stamp, seen_capacity, n_seen;
	int64_t *seen; /* by variable: the stamp of the sum it was in last, and its place there */
	int32_t n, *scope;
	int64_t scope_capacity, places_capacity, tuple_capacity, domains_capacity;
	struct place *places; /* n + 1 */
	int32_t *tuple, *domains;
	int64_t n_products, products_capacity, n_literals, literals_capacity;
	struct product *products;
	int32_t *literals; /* 2 * place + 1 if it is negated */
	enum relation relation;
	int64_t right;
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
		if (gpube_model_add_var(r->m, NULL, 2, name) ||
			gpube__names_add(&r->names, 0, r->m->vars[i].name, i))
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

static bool is_integer(const char *text)
{
	text += *text == '+' || *text == '-';
	return *text && !text[strspn(text, "0123456789")];
}

/* The token as an integer. */
static int to_integer(struct reader *r, int64_t *v, const char *what)
{
	const int64_t most = (int64_t)1 << 62;

	if (!is_integer(r->token))
		return refuse(r, what);
	if (!gpube__units(v, r->token, 0) || *v >= most || *v <= -most)
		return gpube__in_fail(
			r->in, GPUBE_ERANGE, "%s, '%.40s', passes 2^62", what, r->token);
	return GPUBE_OK;
}

/* Does the token begin a literal? */
static bool is_literal(const struct reader *r)
{
	const char *p = r->token + (*r->token == '~');

	return isalpha((unsigned char)*p) || *p == '_';
}

/* ---- sums ------------------------------------------------------------------------------------- */

static void begin_sum(struct reader *r)
{
	r->stamp++;
	r->n = 0;
	r->n_products = r->n_literals = 0;
}

static int find_variable(struct reader *r, int32_t *var, const char *name)
{
	const int32_t *known = gpube__names_find(&r->names, 0, name);
	int64_t n;

	if (known) {
		*var = *known;
	} else if (r->closed) {
		return refuse(r, r->m->n_vars ? "a variable from x1 to the number that is declared"
					      : "no variable, for none is declared");
	} else {
		if (gpube__add_var(r->m, r->in, var, 2, name))
			return r->in->status;
		if (gpube__names_add(&r->names, 0, r->m->vars[*var].name, *var))
			return r->in->status = GPUBE_ENOMEM;
	}
	n = r->m->n_vars;
	if (gpube__grow(r->m->ctx, &r->seen, &r->seen_capacity, n, 2 * sizeof(*r->seen)))
		return r->in->status = GPUBE_ENOMEM;
	for (; r->n_seen < n; r->n_seen++)
		r->seen[2 * r->n_seen] = 0;
	return GPUBE_OK;
}

/* The place of the literal's variable in the scope, to which it is added if it is new there. */
static int place_of(struct reader *r, int32_t *place)
{
	struct gpube_ctx *ctx = r->m->ctx;
	int64_t n = (int64_t)r->n + 1;
	int32_t var;

	if (find_variable(r, &var, r->token + (*r->token == '~')))
		return r->in->status;
	if (r->seen[2 * var] != r->stamp) {
		if (gpube__grow(ctx, &r->scope, &r->scope_capacity, n, sizeof(*r->scope)) ||
			gpube__grow(ctx, &r->tuple, &r->tuple_capacity, n, sizeof(*r->tuple)) ||
			gpube__grow(
				ctx, &r->domains, &r->domains_capacity, n, sizeof(*r->domains)) ||
			gpube__grow(
				ctx, &r->places, &r->places_capacity, n + 1, sizeof(*r->places)))
			return r->in->status = GPUBE_ENOMEM;
		r->seen[2 * var] = r->stamp;
		r->seen[2 * var + 1] = r->n;
		r->domains[r->n] = 2;
		r->places[r->n] = (struct place){0};
		r->scope[r->n++] = var;
	}
	*place = (int32_t)r->seen[2 * var + 1];
	return GPUBE_OK;
}

static int push_literal(struct reader *r)
{
	int32_t place = 0;

	if (place_of(r, &place))
		return r->in->status;
	if (gpube__grow(r->m->ctx, &r->literals, &r->literals_capacity, r->n_literals + 1,
		    sizeof(*r->literals)))
		return r->in->status = GPUBE_ENOMEM;
	r->literals[r->n_literals++] = 2 * place + (*r->token == '~');
	return GPUBE_OK;
}

/* "+3 x1 ~x2": its literals are the last ones then. Reads the token behind it, too. */
static int read_term(struct reader *r, int64_t *coefficient, int64_t *first)
{
	*first = r->n_literals;
	if (to_integer(r, coefficient, "a coefficient") || next(r))
		return r->in->status;
	if (!is_literal(r))
		return refuse(r, "a variable, or ~ and a variable");
	while (is_literal(r))
		if (push_literal(r) || next(r))
			return r->in->status;
	return GPUBE_OK;
}

static int add_term(struct reader *r, int64_t coefficient, int64_t first)
{
	struct product p = {.coefficient = coefficient,
		.literals = first,
		.n = r->n_literals - first};

	if (r->n_literals == first + 1) {
		int32_t literal = r->literals[first];

		r->places[literal / 2].gain[!(literal & 1)] += coefficient;
		r->n_literals = first;
		return GPUBE_OK;
	}
	if (gpube__grow(r->m->ctx, &r->products, &r->products_capacity, r->n_products + 2,
		    sizeof(*r->products)))
		return r->in->status = GPUBE_ENOMEM;
	for (int64_t k = first; k < r->n_literals; k++)
		if (r->literals[k] / 2 > p.last)
			p.last = r->literals[k] / 2;
	r->products[r->n_products++] = p;
	return GPUBE_OK;
}

/* ---- tables ----------------------------------------------------------------------------------- */

/* What totals may reach stays below 2^62, so that none wraps. */
static int count_cost(struct reader *r, int64_t cost)
{
	r->total += cost < 0 ? -cost : cost;
	return r->total < (__int128)1 << 62
		       ? GPUBE_OK
		       : gpube__in_fail(r->in, GPUBE_ERANGE, "totals of the costs pass 2^62");
}

/* Takes 't' in every case. */
static int add_table(struct reader *r, struct gpube_tuples *t)
{
	struct gpube_table table;
	int64_t twice;
	int32_t index;
	int status = gpube__tuples_finish(t, &table, &twice);

	if (!status)
		status = gpube__add_table(r->m, &index, &table);
	if (!status)
		status = gpube__add_function(r->m, r->n, r->scope, index, NULL);
	return r->in->status = status;
}

/* A term of the objective: its coefficient where all of its literals are true. */
static int add_cost(struct reader *r, int64_t coefficient)
{
	struct gpube_tuples t;
	int status;

	memset(r->tuple, 0xff, (size_t)r->n * sizeof(*r->tuple));
	for (int64_t k = 0; k < r->n_literals; k++) {
		int32_t value = !(r->literals[k] & 1), *at = &r->tuple[r->literals[k] / 2];

		if (*at >= 0 && *at != value)
			return GPUBE_OK; /* x and ~x */
		*at = value;
	}
	if (count_cost(r, coefficient))
		return r->in->status;
	if (gpube__tuples_init(&t, r->m->ctx, r->n, r->domains, 0))
		return r->in->status = GPUBE_ENOMEM;
	status = gpube__tuples_push(&t, r->tuple, coefficient, r->in->line);
	if (status) {
		gpube__tuples_clear(&t);
		return r->in->status = status;
	}
	return add_table(r, &t);
}

/* ---- constraints ------------------------------------------------------------------------------ */

/* The products by the place where they end, and the sums that each place leaves possible. */
static int prepare(struct reader *r)
{
	struct product *sorted = NULL;
	int64_t at = 0;

	if (r->n_products) {
		sorted = gpube__alloc(r->m->ctx, (uint64_t)r->n_products + 1, sizeof(*sorted));
		if (!sorted)
			return r->in->status = GPUBE_ENOMEM;
	}
	r->places[r->n] = (struct place){0};
	for (int64_t k = 0; k < r->n_products; k++)
		r->places[r->products[k].last].products++;
	for (int32_t i = 0; i <= r->n; i++) {
		int64_t n = r->places[i].products;

		r->places[i].products = at;
		at += n;
	}
	/* each goes where its place begins, which moves on; the ends are moved back below */
	for (int64_t k = 0; k < r->n_products; k++)
		sorted[r->places[r->products[k].last].products++] = r->products[k];
	for (int32_t i = r->n; i > 0; i--)
		r->places[i].products = r->places[i - 1].products;
	r->places[0].products = 0;
	for (int32_t i = r->n - 1; i >= 0; i--) {
		struct place *p = &r->places[i];
		bool one = p->gain[1] > p->gain[0];

		p->least = p[1].least + p->gain[!one];
		p->most = p[1].most + p->gain[one];
		p->steps = 1;
		for (int64_t k = p->products; k < p[1].products; k++) {
			*(sorted[k].coefficient < 0 ? &p->least : &p->most) +=
				sorted[k].coefficient;
			p->steps += sorted[k].n;
		}
	}
	if (sorted)
		memcpy(r->products, sorted, (size_t)r->n_products * sizeof(*sorted));
	gpube__free(r->m->ctx, sorted);
	return GPUBE_OK;
}

/* What place i adds to the sum with the tuple's values up to there. */
static __int128 gain_at(const struct reader *r, int32_t i)
{
	__int128 gain = r->places[i].gain[r->tuple[i]];

	for (int64_t k = r->places[i].products; k < r->places[i + 1].products; k++) {
		const struct product *p = &r->products[k];
		const int32_t *literal = r->literals + p->literals;
		bool all = true;

		for (int64_t j = 0; j < p->n && all; j++)
			all = r->tuple[literal[j] / 2] == !(literal[j] & 1);
		gain += all ? p->coefficient : 0;
	}
	return gain;
}

/* May a sum between these be one of an allowed tuple, or of a forbidden one? */
static bool may_be(const struct reader *r, bool allowed, __int128 least, __int128 most)
{
	switch (r->relation) {
	case AT_LEAST:
		return allowed ? most >= r->right : least < r->right;
	case AT_MOST:
		return allowed ? least <= r->right : most > r->right;
	default:
		return allowed ? least <= r->right && most >= r->right
			       : least != r->right || most != r->right;
	}
}

/*
 * Walks through the allowed or the forbidden tuples in order, in 'steps' steps.
 * t  what they are pushed to, with 'cost'; NULL: they are only counted
 * n  out: how many there are; -1: more than so many steps find
 */
static int walk(struct reader *r, bool allowed, int64_t steps, struct gpube_tuples *t, int64_t cost,
	int64_t *n)
{
	enum { LOOK_STEPS = 1 << 16 };
	int64_t left = steps, look = LOOK_STEPS;
	int32_t k = 0;

	*n = 0;
	r->tuple[0] = -1;
	r->places[0].sum = 0;
	while (k >= 0) {
		const struct place *next_place = &r->places[k + 1];
		__int128 sum;

		left -= r->places[k].steps;
		look -= r->places[k].steps;
		if (left < 0) {
			*n = -1;
			return GPUBE_OK;
		}
		if (look < 0 && gpube__stopped(r->m->ctx))
			return r->in->status = gpube__fail_stopped(r->m->ctx);
		look = look < 0 ? LOOK_STEPS : look;
		if (++r->tuple[k] == 2) {
			k--;
			continue;
		}
		sum = r->places[k].sum + gain_at(r, k);
		if (!may_be(r, allowed, sum + next_place->least, sum + next_place->most))
			continue;
		if (k + 1 < r->n) {
			r->tuple[++k] = -1;
			r->places[k].sum = sum;
			continue;
		}
		++*n;
		if (t && gpube__tuples_push(t, r->tuple, cost, r->in->line))
			return r->in->status = GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

/* Which tuples to list, how many there are, and the steps that list them. */
struct listing {
	bool allowed;
	int64_t n, steps;
};

static int choose_listing(struct reader *r, struct listing *l)
{
	int64_t n[2], paid = FREE_STEPS + 8 * ((int64_t)r->n + r->n_literals);

	for (l->steps = paid;; l->steps *= 4) {
		if (l->steps > MOST_STEPS && l->steps > paid)
			return gpube__in_fail(r->in, GPUBE_ERANGE,
				"a constraint over %d variables with more allowed and more "
				"forbidden tuples than are expanded",
				r->n);
		/* a walk is paid for by the memory that its tuples might take */
		if (l->steps > paid && gpube__in_charge(r->in, l->steps, sizeof(int32_t),
					       "constraints that are expanded"))
			return r->in->status;
		if (walk(r, false, l->steps, NULL, 0, &n[0]) ||
			walk(r, true, l->steps, NULL, 0, &n[1]))
			return r->in->status;
		if (n[0] < 0 && n[1] < 0)
			continue;
		l->allowed = n[0] < 0 || (n[1] >= 0 && n[1] < n[0]);
		l->n = n[l->allowed];
		if (l->n <= FREE_TUPLES)
			return GPUBE_OK;
		return gpube__in_charge(r->in, l->n,
			((int64_t)r->n + 4) * (int64_t)sizeof(int32_t),
			"constraints that are expanded");
	}
}

/* Where the constraint does not hold it costs 'cost'; GPUBE_INF: that is forbidden. */
static int add_constraint(struct reader *r, int64_t cost)
{
	struct listing l = {0};
	struct gpube_tuples t;
	int64_t n;

	if (prepare(r))
		return r->in->status;
	if (!may_be(r, false, r->places[0].least, r->places[0].most))
		return GPUBE_OK; /* it holds anyhow */
	if (!may_be(r, true, r->places[0].least, r->places[0].most)) {
		if (gpube_model_add_costs(r->m, 0, NULL, &cost))
			r->in->status = GPUBE_ENOMEM;
		return r->in->status;
	}
	if (choose_listing(r, &l))
		return r->in->status;
	if (gpube__tuples_init(&t, r->m->ctx, r->n, r->domains, l.allowed ? cost : 0))
		return r->in->status = GPUBE_ENOMEM;
	if (walk(r, l.allowed, l.steps, &t, l.allowed ? 0 : cost, &n)) {
		gpube__tuples_clear(&t);
		return r->in->status;
	}
	return add_table(r, &t);
}

/* ---- statements ------------------------------------------------------------------------------- */

static int read_objective(struct reader *r, bool maximise)
{
	if (maximise && gpube_model_set_direction(r->m, GPUBE_MAXIMISE))
		return r->in->status = GPUBE_EINVAL;
	if (expect(r, ":", "':'") || next(r))
		return r->in->status;
	while (!is(r, ";")) {
		int64_t coefficient, first;

		if (!is_integer(r->token))
			return refuse(r, "a coefficient or ';'");
		begin_sum(r);
		if (read_term(r, &coefficient, &first) || add_cost(r, coefficient))
			return r->in->status;
	}
	return GPUBE_OK;
}

/* "soft: 6;" or "soft: ;" */
static int read_soft(struct reader *r)
{
	int64_t top;

	if (expect(r, ":", "':'") || next(r))
		return r->in->status;
	if (is(r, ";"))
		return GPUBE_OK;
	if (to_integer(r, &top, "a number that totals stay below, or ';'"))
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
		r->relation = AT_LEAST;
	else if (is(r, "<="))
		r->relation = AT_MOST;
	else if (is(r, "="))
		r->relation = EQUAL;
	else
		return refuse(r, "a coefficient, a variable, '>=', '=' or '<='");
	if (next(r) || to_integer(r, &r->right, "an integer on the right"))
		return r->in->status;
	return expect(r, ";", "';'");
}

static int read_constraint(struct reader *r, bool soft)
{
	int64_t cost = GPUBE_INF;

	if (is(r, "[")) {
		if (!soft)
			return gpube__in_error(r->in, "a soft constraint without 'soft:' before");
		if (next(r) || to_integer(r, &cost, "a weight"))
			return r->in->status;
		if (cost < 1)
			return refuse(r, "a weight from 1");
		if (count_cost(r, cost) || expect(r, "]", "']'") || next(r))
			return r->in->status;
	}
	begin_sum(r);
	do {
		int64_t coefficient, first;

		if (read_term(r, &coefficient, &first) || add_term(r, coefficient, first))
			return r->in->status;
	} while (is_integer(r->token));
	return read_relation(r) ? r->in->status : add_constraint(r, cost);
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
	struct reader r = {.m = m, .in = in};
	int status;

	gpube__names_init(&r.names, m->ctx);
	status = read_file(&r);
	gpube__names_clear(&r.names);
	gpube__free(m->ctx, r.seen);
	gpube__free(m->ctx, r.scope);
	gpube__free(m->ctx, r.places);
	gpube__free(m->ctx, r.tuple);
	gpube__free(m->ctx, r.domains);
	gpube__free(m->ctx, r.products);
	gpube__free(m->ctx, r.literals);
	return status ? status : in->status;
}
