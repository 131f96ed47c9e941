/*
 * bif.c - .bif: Bayesian networks in the Bayesian Interchange Format, as the network
 * repositories have them, and bnlearn, pgmpy, pyAgrum and JavaBayes write them.
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
 *
 * Values may also stand there raw, with the marks and blanks that words have not: (0,10], very
 * high. Then they are what is between commas, in the way that gives as many as are declared, and
 * each name in a row is the longest that the text goes on with.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/common/reading.h"
#include "formats/common/registry.h"
#include "formats/uai/bayes.h"

#define BLANKS " \t\r\n"

/* Probabilities of one block of the file that apply to one row. */
struct row {
	int64_t row, at, line; /* at: in the network's values */
};

struct reader {
	struct gpube_blocks t; /* first */
	bool raw;              /* a variable has raw values */
	/* the block that is read */
	int64_t n_rows, rows_capacity;
	struct row *rows;
	int64_t table, dflt, table_line; /* where in the values those begin; -1: there are none */
};

/* ---- variables ------------------------------------------------------------------------------- */

enum split { AT_BLANKS, AT_COMMAS_AND_BLANKS, OUTSIDE_BRACKETS, AT_COMMAS, N_SPLITS };

/* How far the value goes that a text begins with; a '}' ends all. */
static size_t value_length(const char *text, enum split split)
{
	size_t k = 0;
	int depth = 0;

	for (; text[k] != '}'; k++) {
		if (split == OUTSIDE_BRACKETS && strchr("([", text[k]))
			depth++;
		else if (split == OUTSIDE_BRACKETS && strchr(")]", text[k]) && depth)
			depth--;
		else if (split == AT_BLANKS && strchr(BLANKS, text[k]))
			break;
		else if (text[k] == ',' && !depth &&
			 (split != AT_COMMAS_AND_BLANKS || strchr(BLANKS, text[k + 1])))
			break;
	}
	return k;
}

/* The values up to a '}', which become labels unless b is NULL; how many there are. */
static int64_t split_values(struct gpube_bayes *b, const char *text, enum split split)
{
	char label[GPUBE_BLOCK_TOKEN];
	int64_t n = 0;

	for (text += strspn(text, BLANKS ","); *text != '}'; text += strspn(text, BLANKS ",")) {
		const size_t next = value_length(text, split);
		size_t length = next;

		while (strchr(BLANKS, text[length - 1]))
			length--;
		if (length >= sizeof(label) || memchr(text, '\n', length))
			return -1;
		memcpy(label, text, length);
		label[length] = 0;
		if (b)
			gpube__bayes_label(b, label);
		text += next;
		n++;
	}
	return n;
}

/* Values that are no words, or not as many words as are declared: false leaves them to be read. */
static bool read_raw_values(struct reader *r, int64_t domain)
{
	struct gpube_in *in = r->t.b.in;
	const size_t seen = gpube__in_need(in, 1 << 16);
	const char *end = memchr(in->p, '}', seen);
	int split = AT_BLANKS;

	/* quotes and comments are those of tokens */
	for (const char *p = in->p; end && p < end; p++)
		if (!*p || *p == '"' || (*p == '/' && strchr("/*", p[1])))
			return false;
	while (end && split < N_SPLITS && split_values(NULL, in->p, (enum split)split) != domain)
		split++;
	if (!end || split == N_SPLITS ||
		(split == AT_BLANKS && in->p + strcspn(in->p, "()[]|;") >= end))
		return false;
	r->raw = true;
	split_values(&r->t.b, in->p, (enum split)split);
	for (; in->p < end; in->p++)
		in->line += *in->p == '\n';
	return true;
}

static void read_words(struct gpube_blocks *t, int64_t domain, const char *name)
{
	char what[160];

	for (int64_t k = 0; k < domain && !t->b.in->status; k++) {
		if (k)
			gpube__block_item(t);
		else
			gpube__block_next(t);
		snprintf(what, sizeof(what), "value %lld of %lld of variable '%.60s'",
			(long long)k + 1, (long long)domain, name);
		if (gpube__block_is_name(t))
			gpube__bayes_label(&t->b, t->token);
		else
			gpube__block_refuse(t, what);
	}
}

/* What follows the word type: "discrete [ 2 ] { yes, no };" */
static void read_type(struct reader *r, const char *name)
{
	struct gpube_blocks *t = &r->t;
	int64_t domain = 0;

	gpube__block_next(t);
	if (!gpube__block_is_word(t, "discrete"))
		gpube__block_refuse(t, "'discrete'");
	gpube__block_expect(t, '[');
	gpube__block_next(t);
	if (!gpube__units(&domain, t->token, 0) || domain < 1 || domain > INT32_MAX)
		gpube__block_refuse(t, "the number of values, from 1 to 2147483647");
	gpube__block_expect(t, ']');
	gpube__block_expect(t, '{');
	if (!t->b.in->status && !read_raw_values(r, domain))
		read_words(t, domain, name);
	gpube__block_expect(t, '}');
	gpube__bayes_variable(&t->b, name);
	gpube__block_expect(t, ';');
}

static void read_variable(struct reader *r)
{
	struct gpube_blocks *t = &r->t;
	char name[GPUBE_BLOCK_TOKEN];
	bool typed = false;

	gpube__block_head(t, name, "the name of a variable");
	for (gpube__block_next(t); !(t->kind == '}' && typed); gpube__block_next(t)) {
		if (gpube__block_is_word(t, "property")) {
			gpube__block_skip_property(t);
		} else if (gpube__block_is_word(t, "type") && !typed) {
			read_type(r, name);
			typed = true;
		} else {
			gpube__block_refuse(
				t, typed ? "'property' or '}'" : "'type' or 'property'");
			return;
		}
	}
}

/* ---- probabilities --------------------------------------------------------------------------- */

/* 'n' probabilities and a semicolon; where they begin. */
static int64_t read_numbers(struct gpube_blocks *t, int64_t n)
{
	const int64_t at = t->b.n_values;

	for (int64_t k = 0; k < n && !t->b.in->status; k++) {
		if (k)
			gpube__block_item(t);
		else
			gpube__block_next(t);
		gpube__bayes_number(&t->b, t->token, k, n);
	}
	gpube__block_expect(t, ';');
	return at;
}

/* The longest value of a variable that the text goes on with; NULL: none. */
static const int32_t *longest_value(struct gpube_blocks *t, int32_t space)
{
	struct gpube_in *in = t->b.in;
	char name[GPUBE_BLOCK_TOKEN];
	const int32_t *value = NULL;
	size_t length = 0;

	for (size_t n = 1; n <= t->b.longest && in->p + n < in->end; n++) {
		const int32_t *found;

		if (!strchr(BLANKS ",)", in->p[n]))
			continue;
		memcpy(name, in->p, n);
		name[n] = 0;
		found = gpube__names_find(&t->b.names, space, name);
		length = found ? n : length;
		value = found ? found : value;
	}
	in->p += length;
	return value;
}

/* The value of parent number k that comes next in a row; NULL after a failure. */
static const int32_t *read_value(struct reader *r, int k)
{
	struct gpube_blocks *t = &r->t;
	const int32_t var = t->b.scope[k], space = GPUBE_BAYES_VALUES + var;
	const int32_t *value = NULL;
	char what[160];

	if (gpube__block_skip(t) && k && *t->b.in->p == ',')
		t->b.in->p++;
	if (r->raw && gpube__block_skip(t))
		value = longest_value(t, space);
	if (value)
		return value;
	gpube__block_next(t);
	value = gpube__block_is_name(t) ? gpube__names_find(&t->b.names, space, t->token) : NULL;
	snprintf(what, sizeof(what), "a value of variable '%.60s'", t->b.m->vars[var].name);
	if (!value)
		gpube__block_refuse(t, what);
	return value;
}

/* What follows the bracket of "(yes, no) 0.2, 0.8;". */
static void read_row(struct reader *r)
{
	struct gpube_bayes *b = &r->t.b;
	struct row row = {.line = b->in->line};

	for (int k = 0; k < b->arity - 1; k++) {
		const int32_t *value = read_value(r, k);

		if (!value)
			return;
		row.row = row.row * b->m->vars[b->scope[k]].domain + *value;
	}
	gpube__block_expect(&r->t, ')');
	row.at = read_numbers(&r->t, b->domain);
	if (gpube__grow(b->m->ctx, &r->rows, &r->rows_capacity, r->n_rows + 1, sizeof(*r->rows)))
		b->in->status = b->in->status ? b->in->status : GPUBE_ENOMEM;
	else
		r->rows[r->n_rows++] = row;
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

static void read_block(struct reader *r)
{
	struct gpube_blocks *t = &r->t;

	r->n_rows = 0;
	r->table = r->dflt = -1;
	gpube__block_expect(t, '{');
	for (gpube__block_next(t); t->kind && t->kind != '}'; gpube__block_next(t)) {
		const bool open = r->table < 0 && r->dflt < 0;

		if (gpube__block_is_word(t, "property")) {
			gpube__block_skip_property(t);
		} else if (gpube__block_is_word(t, "table") && open && !r->n_rows) {
			r->table_line = t->b.in->line;
			r->table = read_numbers(t, t->b.cells);
		} else if (gpube__block_is_word(t, "default") && open) {
			r->dflt = read_numbers(t, t->b.domain);
		} else if (t->kind == '(' && r->table < 0) {
			read_row(r);
		} else {
			gpube__block_refuse(t, expected_in_block(r));
		}
	}
	if (!t->kind)
		gpube__block_refuse(t, expected_in_block(r));
}

/* ---- from a block to a table --------------------------------------------------------- */

/* Is the sum over the child, whose values are 'step' apart, 1 in every row, but for rounding? */
static bool adds_up(const struct gpube_bayes *b, const double *p, int64_t step)
{
	const int64_t n_rows = b->cells / b->domain, row_step = step == 1 ? b->domain : 1;

	for (int64_t row = 0; row < n_rows; row++) {
		double sum = 0;

		for (int32_t x = 0; x < b->domain; x++)
			sum += p[row * row_step + x * step];
		if (!(fabs(ldexp(sum, b->power) - 1) < 0.01))
			return false;
	}
	return true;
}

/* All of 'table', in which the child varies slowest. */
static void fill_from_table(struct reader *r, double *out, int64_t n_rows)
{
	struct gpube_bayes *b = &r->t.b;
	const double *p = b->values + r->table;

	if (!adds_up(b, p, n_rows) && adds_up(b, p, 1)) {
		b->in->line = r->table_line;
		gpube__in_error(b->in,
			"the table of '%.60s' adds up to 1 only if '%.60s' varies fastest, and the "
			"format has it vary slowest: give a row for each value of its parents",
			gpube__bayes_child_name(b), gpube__bayes_child_name(b));
	}
	for (int64_t k = 0; k < b->cells; k++)
		out[k] = p[k % b->domain * n_rows + k / b->domain];
}

static void fill_from_rows(struct reader *r, double *out, int64_t n_rows)
{
	struct gpube_bayes *b = &r->t.b;
	const size_t bytes = (size_t)b->domain * sizeof(*out);
	bool *given = gpube__alloc_zero(b->m->ctx, (uint64_t)n_rows, sizeof(*given));

	if (!given)
		b->in->status = GPUBE_ENOMEM;
	for (int64_t k = 0; k < r->n_rows && !b->in->status; k++) {
		const struct row *row = &r->rows[k];

		if (given[row->row]) {
			b->in->line = row->line;
			gpube__in_error(b->in, "a row of '%.60s' that is given before",
				gpube__bayes_child_name(b));
		}
		given[row->row] = true;
		memcpy(out + row->row * b->domain, b->values + row->at, bytes);
	}
	for (int64_t row = 0; row < n_rows && !b->in->status; row++) {
		if (!given[row])
			memcpy(out + row * b->domain, b->values + r->dflt, bytes);
		if ((row & 0xffff) == 0xffff && gpube__stopped(b->m->ctx))
			b->in->status = gpube__fail_stopped(b->m->ctx);
	}
	gpube__free(b->m->ctx, given);
}

/* Nothing is taken for rows that are not in the file, unless the memory allows a default. */
static void add_table(struct reader *r)
{
	struct gpube_bayes *b = &r->t.b;
	const int64_t n_rows = b->cells / b->domain;
	double *table;

	if (r->table < 0 && r->n_rows < n_rows && r->dflt < 0)
		gpube__in_error(b->in, "'%.60s' has %lld of %lld rows, and no default",
			gpube__bayes_child_name(b), (long long)r->n_rows, (long long)n_rows);
	else if (r->table < 0 && r->n_rows < n_rows)
		gpube__charge_expanded(b->in, b->cells, NULL);
	if (b->in->status)
		return;
	table = gpube__alloc(b->m->ctx, (uint64_t)b->cells, sizeof(*table));
	if (!table)
		b->in->status = GPUBE_ENOMEM;
	else if (r->table >= 0)
		fill_from_table(r, table, n_rows);
	else
		fill_from_rows(r, table, n_rows);
	gpube__bayes_add(b, table);
}

/* ---- the file ------------------------------------------------------------------------ */

static void read_network(struct gpube_blocks *t)
{
	struct gpube_model *m = t->b.m;

	gpube__block_next(t);
	if (gpube__block_is_name(t)) {
		m->name = gpube__strdup(m->ctx, t->token);
		if (!m->name)
			t->b.in->status = GPUBE_ENOMEM;
		gpube__block_next(t);
	}
	if (t->kind != '{')
		gpube__block_refuse(t, m->name ? "'{'" : "the name of the network or '{'");
	for (gpube__block_next(t); gpube__block_is_word(t, "property"); gpube__block_next(t))
		gpube__block_skip_property(t);
	if (t->kind != '}')
		gpube__block_refuse(t, "'property' or '}'");
}

static void read_file(struct reader *r)
{
	struct gpube_blocks *t = &r->t;
	bool begun = false;

	for (gpube__block_next(t); t->kind || !begun; gpube__block_next(t)) {
		if (gpube__block_is_word(t, "network") && !begun) {
			read_network(t);
		} else if (gpube__block_is_word(t, "variable")) {
			read_variable(r);
		} else if (gpube__block_is_word(t, "probability")) {
			gpube__block_scope(t);
			if (!t->b.in->status)
				read_block(r);
			if (!t->b.in->status)
				add_table(r);
		} else {
			gpube__block_refuse(t, begun ? "'variable' or 'probability'"
						     : "'network', 'variable' or 'probability'");
		}
		begun = true;
	}
}

int gpube__bif_read(struct gpube_model *m, struct gpube_in *in)
{
	struct reader r = {.t.marks = "{}()[]|,;\""};

	in->comment = '/';
	gpube__bayes_init(&r.t.b, m, in);
	read_file(&r);
	gpube__free(m->ctx, r.rows);
	return gpube__bayes_finish(&r.t.b);
}
