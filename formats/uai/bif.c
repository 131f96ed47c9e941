/*
 * bif.c - .bif: Bayesian networks in the Bayesian Interchange Format, as the network
 * repositories have them and bnlearn writes them.
 *
 *   network NAME { }
 *   variable NAME { type discrete [ 2 ] { yes, no }; }
 *   probability ( X | A, B ) {
 *     table p, ...;            all of them: X varies slowest, the last parent fastest
 *     (yes, no) p, ...;        or P(X | A = yes, B = no), one for each value of X
 *     default p, ...;          where no such row is given
 *   }
 *
 * Commas are optional, and so is the bar: what comes first is the child. Comments are as in C++,
 * names may be in quotes, and a property is passed over up to its semicolon. A variable is declared
 * before it is used and has one block of probabilities. Evidence is in x.bif.evid, as for .uai.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/common/names.h"
#include "formats/common/reading.h"
#include "formats/common/reals.h"
#include "formats/common/registry.h"

enum { TOKEN_BYTES = 256, WORD = 'w', QUOTED = 'q' };
enum { VARIABLES, VALUES }; /* spaces of names; those of variable i's values: VALUES + i */

/* Probabilities of one block of the file that apply to one row, or to all. */
struct row {
	int64_t row, at, line; /* at: in the reader's values */
};

struct reader {
	struct gpube_model *m;
	struct gpube_in *in;
	struct gpube_names names;
	int kind; /* of the token: 0 at the end, WORD, QUOTED or a mark itself */
	char token[TOKEN_BYTES];
	/* by variable: the child that had it in its scope last, and whether it had its block */
	int64_t scoped_capacity, done_capacity;
	int32_t *scoped;
	bool *done;
	/* the block that is read */
	int arity; /* parents, then the child */
	int64_t scope_capacity, n_values, values_capacity, n_rows, rows_capacity;
	int power; /* values are times 2^power */
	int32_t *scope;
	double *values;
	struct row *rows;
	int64_t table, dflt, table_line; /* where in the values those begin; -1: there are none */
};

/* ---- tokens -------------------------------------------------------------------------------- */

static bool skip_blanks(struct gpube_in *in)
{
	while (gpube__in_skip_c_comments(in)) {
		if (gpube__in_need(in, 2) < 2 || in->p[0] != '/' || in->p[1] != '/')
			return true;
		gpube__in_skip_line(in);
	}
	return false;
}

static bool is_mark(char c)
{
	return c && strchr("{}()[]|,;\"", c);
}

/* Does a word go on at p? */
static bool in_word(const struct gpube_in *in, const char *p)
{
	return p < in->end && !isspace((unsigned char)*p) && !is_mark(*p) &&
	       !(p[0] == '/' && (p[1] == '/' || p[1] == '*'));
}

static int read_quoted(struct reader *r)
{
	const char *p = ++r->in->p;
	size_t n = 0;

	while (n < TOKEN_BYTES && p + n < r->in->end && p[n] != '"' && p[n] != '\n')
		n++;
	if (n == TOKEN_BYTES || p + n == r->in->end || p[n] != '"')
		return gpube__in_error(r->in, "a name in quotes without its end");
	if (n == 0)
		return gpube__in_error(r->in, "an empty name in quotes");
	memcpy(r->token, p, n);
	r->token[n] = 0;
	r->in->p += n + 1;
	r->kind = QUOTED;
	return GPUBE_OK;
}

static int read_word(struct reader *r)
{
	struct gpube_in *in = r->in;
	size_t n = 0;

	for (; n < TOKEN_BYTES && in_word(in, in->p + n); n++)
		if ((unsigned char)in->p[n] < ' ' || in->p[n] == 0x7f)
			return gpube__in_error(
				in, "expected a word, found byte 0x%02x", (unsigned char)in->p[n]);
	if (n == TOKEN_BYTES)
		return gpube__in_error(in, "'%.40s...' has more than 255 bytes", in->p);
	memcpy(r->token, in->p, n);
	r->token[n] = 0;
	in->p += n;
	r->kind = WORD;
	return GPUBE_OK;
}

/* The next token; at the end of the file its text is empty. */
static int next(struct reader *r)
{
	struct gpube_in *in = r->in;

	r->kind = r->token[0] = 0;
	if (!skip_blanks(in))
		return in->status;
	gpube__in_need(in, TOKEN_BYTES + 2); /* so that a word lies in one piece */
	if (*in->p == '"')
		return read_quoted(r);
	if (!is_mark(*in->p))
		return read_word(r);
	r->kind = r->token[0] = *in->p++;
	r->token[1] = 0;
	return GPUBE_OK;
}

/* The same for what may have a comma in front, unless it is the first of its list. */
static int next_item(struct reader *r, bool first)
{
	int status = next(r);

	return status || first || r->kind != ',' ? status : next(r);
}

static int refuse(struct reader *r, const char *what)
{
	return gpube__in_expected(r->in, what, r->token);
}

static bool is_name(const struct reader *r)
{
	return r->kind == WORD || r->kind == QUOTED;
}

static bool is_keyword(const struct reader *r, const char *word)
{
	return r->kind == WORD && strcmp(r->token, word) == 0;
}

static int expect(struct reader *r, char mark)
{
	const char what[] = {'\'', mark, '\'', 0};

	if (next(r))
		return r->in->status;
	return r->kind == mark ? GPUBE_OK : refuse(r, what);
}

/* Past a property, whose text is anything up to a semicolon that is not in quotes. */
static int skip_property(struct reader *r)
{
	struct gpube_in *in = r->in;
	bool quoted = false;

	for (; gpube__in_fill(in); in->p++) {
		if (*in->p == ';' && !quoted) {
			in->p++;
			return GPUBE_OK;
		}
		quoted = quoted != (*in->p == '"');
		in->line += *in->p == '\n';
	}
	return in->status ? in->status : gpube__in_error(in, "a property without its ';'");
}

/* ---- variables ------------------------------------------------------------------------------- */

static int add_value(struct reader *r, int32_t var, int32_t k)
{
	struct gpube_variable *v = &r->m->vars[var];

	if (gpube__names_find(&r->names, VALUES + var, r->token))
		return gpube__in_error(
			r->in, "value '%.60s' is twice in variable '%.60s'", r->token, v->name);
	if (gpube__name_value(v, r->in, k, r->token))
		return r->in->status;
	if (gpube__names_add(&r->names, VALUES + var, v->value_names[k], k))
		return r->in->status = GPUBE_ENOMEM;
	return GPUBE_OK;
}

static int add_variable(struct reader *r, int32_t *var, const char *name, int64_t domain)
{
	struct gpube_ctx *ctx = r->m->ctx;

	if (gpube__add_var(r->m, r->in, var, domain, name))
		return r->in->status;
	if (gpube__grow(ctx, &r->scoped, &r->scoped_capacity, r->m->n_vars, sizeof(*r->scoped)) ||
		gpube__grow(ctx, &r->done, &r->done_capacity, r->m->n_vars, sizeof(*r->done)) ||
		gpube__names_add(&r->names, VARIABLES, r->m->vars[*var].name, *var))
		return r->in->status = GPUBE_ENOMEM;
	r->scoped[*var] = -1;
	r->done[*var] = false;
	return GPUBE_OK;
}

/* What follows the word type: "discrete [ 2 ] { yes, no };" */
static int read_type(struct reader *r, const char *name)
{
	struct gpube_variable *v;
	int64_t domain;
	int32_t var;
	char what[160];

	if (next(r))
		return r->in->status;
	if (!is_keyword(r, "discrete"))
		return refuse(r, "'discrete'");
	if (expect(r, '[') || next(r))
		return r->in->status;
	if (!gpube__units(&domain, r->token, 0) || domain < 1 || domain > INT32_MAX)
		return refuse(r, "the number of values, from 1 to 2147483647");
	if (expect(r, ']') || expect(r, '{') || add_variable(r, &var, name, domain))
		return r->in->status;
	v = &r->m->vars[var];
	v->value_names = gpube__alloc_zero(r->m->ctx, (uint64_t)domain, sizeof(*v->value_names));
	if (!v->value_names)
		return r->in->status = GPUBE_ENOMEM;
	for (int32_t k = 0; k < v->domain; k++) {
		if (next_item(r, k == 0))
			return r->in->status;
		snprintf(what, sizeof(what), "value %d of %d of variable '%.60s'", k + 1, v->domain,
			name);
		if (!is_name(r))
			return refuse(r, what);
		if (add_value(r, var, k))
			return r->in->status;
	}
	return expect(r, '}') ? r->in->status : expect(r, ';');
}

static int read_variable(struct reader *r)
{
	char name[TOKEN_BYTES];
	bool typed = false;

	if (next(r))
		return r->in->status;
	if (!is_name(r))
		return refuse(r, "the name of a variable");
	if (gpube__names_find(&r->names, VARIABLES, r->token))
		return gpube__in_error(r->in, "variable '%.60s' is declared twice", r->token);
	memcpy(name, r->token, sizeof(name));
	if (expect(r, '{'))
		return r->in->status;
	for (;;) {
		int status = next(r);

		if (status)
			return status;
		if (r->kind == '}' && typed)
			return GPUBE_OK;
		if (is_keyword(r, "property"))
			status = skip_property(r);
		else if (is_keyword(r, "type") && !typed)
			status = read_type(r, name);
		else
			return refuse(r, typed ? "'property' or '}'" : "'type' or 'property'");
		if (status)
			return status;
		typed = typed || r->kind == ';';
	}
}

/* ---- probabilities --------------------------------------------------------------------------- */

static const char *child_name(const struct reader *r)
{
	return r->m->vars[r->scope[r->arity - 1]].name;
}

static int push_scope(struct reader *r, int32_t child)
{
	const int32_t *var = gpube__names_find(&r->names, VARIABLES, r->token);

	if (!is_name(r) || !var)
		return refuse(r, "a variable that is declared before");
	if (child >= 0 && (*var == child || r->scoped[*var] == child))
		return gpube__in_error(r->in, "variable '%.60s' is twice in the block of '%.60s'",
			r->token, r->m->vars[child].name);
	if (gpube__grow(r->m->ctx, &r->scope, &r->scope_capacity, r->arity + 1, sizeof(*r->scope)))
		return r->in->status = GPUBE_ENOMEM;
	if (child >= 0)
		r->scoped[*var] = child;
	r->scope[r->arity++] = *var;
	return GPUBE_OK;
}

/* "( X | A, B )": the child comes first in the file, and last in the scope. */
static int read_scope(struct reader *r)
{
	int32_t child;

	r->arity = 0;
	if (expect(r, '(') || next(r) || push_scope(r, -1))
		return r->in->status;
	child = r->scope[0];
	if (r->done[child])
		return gpube__in_error(
			r->in, "variable '%.60s' has a second block of probabilities", r->token);
	r->done[child] = true;
	if (next(r))
		return r->in->status;
	if ((r->kind == '|' || r->kind == ',') && next(r))
		return r->in->status;
	while (r->kind != ')')
		if (push_scope(r, child) || next_item(r, false))
			return r->in->status;
	memmove(r->scope, r->scope + 1, (size_t)(r->arity - 1) * sizeof(*r->scope));
	r->scope[r->arity - 1] = child;
	return GPUBE_OK;
}

/* 'n' probabilities and a semicolon; *at is where they begin. */
static int read_numbers(struct reader *r, int64_t n, int64_t *at)
{
	char what[160];
	double v;

	*at = r->n_values;
	for (int64_t k = 0; k < n; k++) {
		if (next_item(r, k == 0))
			return r->in->status;
		if (r->kind != WORD || !gpube__real(&v, r->token) || v < 0) {
			snprintf(what, sizeof(what), "probability %lld of %lld of '%.60s'",
				(long long)k + 1, (long long)n, child_name(r));
			return refuse(r, what);
		}
		if (gpube__grow(r->m->ctx, &r->values, &r->values_capacity, r->n_values + 1,
			    sizeof(*r->values)))
			return r->in->status = GPUBE_ENOMEM;
		if (gpube__put_potential(r->in, r->values, r->n_values++, v, r->token,
			    strlen(r->token), &r->power))
			return r->in->status;
	}
	return expect(r, ';');
}

/* What follows the bracket of "(yes, no) 0.2, 0.8;". */
static int read_row(struct reader *r, int32_t domain)
{
	struct row row = {.line = r->in->line};
	char what[160];

	for (int k = 0; k < r->arity - 1; k++) {
		const struct gpube_variable *v = &r->m->vars[r->scope[k]];
		const int32_t *value;

		if (next_item(r, k == 0))
			return r->in->status;
		value = gpube__names_find(&r->names, VALUES + r->scope[k], r->token);
		if (!is_name(r) || !value) {
			snprintf(what, sizeof(what), "a value of variable '%.60s'", v->name);
			return refuse(r, what);
		}
		row.row = gpube__mul_size(row.row, v->domain);
		if (row.row < 0 || __builtin_add_overflow(row.row, *value, &row.row))
			return gpube__in_fail(r->in, GPUBE_ERANGE,
				"the table of '%.60s' has 2^63 cells or more", child_name(r));
	}
	if (expect(r, ')') || read_numbers(r, domain, &row.at))
		return r->in->status;
	if (gpube__grow(r->m->ctx, &r->rows, &r->rows_capacity, r->n_rows + 1, sizeof(*r->rows)))
		return r->in->status = GPUBE_ENOMEM;
	r->rows[r->n_rows++] = row;
	return GPUBE_OK;
}

/* What may come next in a block, besides properties. */
static const char *expected_in_block(const struct reader *r)
{
	if (r->table >= 0)
		return "'}'";
	if (r->dflt >= 0)
		return "'(' or '}'";
	return r->n_rows ? "'(', 'default' or '}'" : "'table', 'default' or '('";
}

static int read_block(struct reader *r, int32_t domain, int64_t cells)
{
	r->n_values = r->n_rows = 0;
	r->power = 0;
	r->table = r->dflt = -1;
	if (expect(r, '{'))
		return r->in->status;
	for (;;) {
		int status = next(r);

		if (status)
			return status;
		if (r->kind == '}')
			return GPUBE_OK;
		if (is_keyword(r, "property")) {
			status = skip_property(r);
		} else if (is_keyword(r, "table") && r->table < 0 && r->dflt < 0 && !r->n_rows) {
			r->table_line = r->in->line;
			status = read_numbers(r, cells, &r->table);
		} else if (is_keyword(r, "default") && r->table < 0 && r->dflt < 0) {
			status = read_numbers(r, domain, &r->dflt);
		} else if (r->kind == '(' && r->table < 0) {
			status = read_row(r, domain);
		} else {
			return refuse(r, expected_in_block(r));
		}
		if (status)
			return status;
	}
}

/* ---- from a block to a table --------------------------------------------------------- */

/* Is the sum over the child 1 in every row, as far as files are rounded? */
static bool adds_up(const double *p, int64_t n_rows, int32_t domain, bool child_fastest, int power)
{
	for (int64_t row = 0; row < n_rows; row++) {
		double sum = 0;

		for (int32_t x = 0; x < domain; x++)
			sum += child_fastest ? p[row * domain + x] : p[x * n_rows + row];
		if (!(fabs(ldexp(sum, power) - 1) < 0.01))
			return false;
	}
	return true;
}

/* All of 'table', in which the child varies slowest. */
static int fill_from_table(struct reader *r, double *out, int64_t n_rows, int32_t domain)
{
	const double *p = r->values + r->table;

	if (!adds_up(p, n_rows, domain, false, r->power) &&
		adds_up(p, n_rows, domain, true, r->power)) {
		r->in->line = r->table_line;
		return gpube__in_error(r->in,
			"the table of '%.60s' adds up to 1 only if '%.60s' varies fastest, and the "
			"format has it vary slowest: give a row for each value of its parents",
			child_name(r), child_name(r));
	}
	for (int64_t row = 0; row < n_rows; row++)
		for (int32_t x = 0; x < domain; x++)
			out[row * domain + x] = p[x * n_rows + row];
	return GPUBE_OK;
}

/* The first row that is not given, which is one of the first n_rows + 1 of them. */
static int refuse_missing(struct reader *r)
{
	bool *given = gpube__alloc_zero(r->m->ctx, (uint64_t)r->n_rows + 1, sizeof(*given));
	int64_t missing = 0;
	char text[200] = "";

	if (!given)
		return r->in->status = GPUBE_ENOMEM;
	for (int64_t k = 0; k < r->n_rows; k++)
		if (r->rows[k].row <= r->n_rows)
			given[r->rows[k].row] = true;
	while (given[missing])
		missing++;
	gpube__free(r->m->ctx, given);
	for (int k = r->arity - 2; k >= 0; k--) {
		const struct gpube_variable *v = &r->m->vars[r->scope[k]];
		char tail[sizeof(text)];

		memcpy(tail, text, sizeof(tail));
		snprintf(text, sizeof(text), "%.30s%s%.150s", v->value_names[missing % v->domain],
			*tail ? ", " : "", tail);
		missing /= v->domain;
	}
	return gpube__in_error(r->in, "expected a row (%s) of '%.60s', or a default: there is none",
		text, child_name(r));
}

static int copy_row(
	struct reader *r, double *out, int32_t domain, bool *given, const struct row *row)
{
	if (given[row->row]) {
		r->in->line = row->line;
		return gpube__in_error(
			r->in, "a row of '%.60s' that is given before", child_name(r));
	}
	given[row->row] = true;
	memcpy(out + row->row * domain, r->values + row->at, (size_t)domain * sizeof(*out));
	return GPUBE_OK;
}

static int fill_from_rows(struct reader *r, double *out, int64_t n_rows, int32_t domain)
{
	struct gpube_ctx *ctx = r->m->ctx;
	bool *given = gpube__alloc_zero(ctx, (uint64_t)n_rows, sizeof(*given));
	int status = given ? GPUBE_OK : (r->in->status = GPUBE_ENOMEM);

	for (int64_t k = 0; k < r->n_rows && !status; k++)
		status = copy_row(r, out, domain, given, &r->rows[k]);
	for (int64_t row = 0; row < n_rows && !status; row++) {
		if (!given[row])
			memcpy(out + row * domain, r->values + r->dflt,
				(size_t)domain * sizeof(*out));
		if ((row & 0xffff) == 0xffff && gpube__stopped(ctx))
			status = r->in->status = gpube__fail_stopped(ctx);
	}
	gpube__free(ctx, given);
	return status;
}

/* Nothing is taken for rows that are not in the file, unless the memory allows a default. */
static int check_rows(struct reader *r, int64_t n_rows, int64_t cells)
{
	if (r->table >= 0 || r->n_rows >= n_rows)
		return GPUBE_OK;
	if (r->dflt < 0)
		return refuse_missing(r);
	return gpube__charge_expanded(r->in, cells, NULL);
}

static int add_table(struct reader *r, int32_t domain, int64_t cells)
{
	struct gpube_table t = {
		.type = GPUBE_FLOAT64, .arity = r->arity, .n = cells, .power = r->power};
	int64_t n_rows = cells / domain;
	double *values;
	int32_t table;
	int status = check_rows(r, n_rows, cells);

	if (status)
		return status;
	values = gpube__alloc(r->m->ctx, (uint64_t)cells, sizeof(*values));
	if (!values)
		return r->in->status = GPUBE_ENOMEM;
	status = r->table >= 0 ? fill_from_table(r, values, n_rows, domain)
			       : fill_from_rows(r, values, n_rows, domain);
	if (status) {
		gpube__free(r->m->ctx, values);
		return status;
	}
	t.values = values;
	if (gpube__add_table(r->m, &table, &t))
		return r->in->status = GPUBE_ENOMEM;
	return r->in->status = gpube__add_function(r->m, t.arity, r->scope, table, NULL);
}

static int read_probability(struct reader *r)
{
	int32_t domain;
	int64_t cells;

	if (read_scope(r))
		return r->in->status;
	domain = r->m->vars[r->scope[r->arity - 1]].domain;
	cells = gpube__cells(r->m, r->arity, r->scope);
	if (cells < 0)
		return gpube__in_fail(r->in, GPUBE_ERANGE,
			"the table of '%.60s' has 2^63 cells or more", child_name(r));
	return read_block(r, domain, cells) ? r->in->status : add_table(r, domain, cells);
}

/* ---- the file ------------------------------------------------------------------------ */

static int read_network(struct reader *r)
{
	if (next(r))
		return r->in->status;
	if (is_name(r)) {
		r->m->name = gpube__strdup(r->m->ctx, r->token);
		if (!r->m->name)
			return r->in->status = GPUBE_ENOMEM;
		if (next(r))
			return r->in->status;
	}
	if (r->kind != '{')
		return refuse(r, r->m->name ? "'{'" : "the name of the network or '{'");
	while (!next(r) && is_keyword(r, "property"))
		if (skip_property(r))
			break;
	if (r->in->status)
		return r->in->status;
	return r->kind == '}' ? GPUBE_OK : refuse(r, "'property' or '}'");
}

static int read_file(struct reader *r)
{
	bool begun = false;

	for (;; begun = true) {
		int status = next(r);

		if (status)
			return status;
		if (!r->kind && begun)
			break;
		if (is_keyword(r, "network") && !begun)
			status = read_network(r);
		else if (is_keyword(r, "variable"))
			status = read_variable(r);
		else if (is_keyword(r, "probability"))
			status = read_probability(r);
		else
			return refuse(r, begun ? "'variable' or 'probability'"
					       : "'network', 'variable' or 'probability'");
		if (status)
			return status;
	}
	for (int32_t i = 0; i < r->m->n_vars; i++)
		if (!r->done[i])
			return gpube__in_error(
				r->in, "variable '%.60s' has no probabilities", r->m->vars[i].name);
	return GPUBE_OK;
}

int gpube__bif_read(struct gpube_model *m, struct gpube_in *in)
{
	struct reader r = {.m = m, .in = in};
	int status;

	m->bayes = true;
	gpube__names_init(&r.names, m->ctx);
	status = read_file(&r);
	gpube__names_clear(&r.names);
	gpube__free(m->ctx, r.scoped);
	gpube__free(m->ctx, r.done);
	gpube__free(m->ctx, r.scope);
	gpube__free(m->ctx, r.values);
	gpube__free(m->ctx, r.rows);
	return status ? status : in->status;
}
