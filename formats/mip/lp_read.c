/*
 * lp_read.c - integer linear programs in CPLEX's .lp, of which toulbar2 reads the same part.
 *
 *   Minimize                              or Maximize
 *    obj: 3 x + 2.5 y - z + [ 4 x * y - 2 z ^ 2 ] / 2
 *   Subject To
 *    c1: x + 2 y <= 4                     or <, =, >=, >; a range is -1 <= x - y <= 1
 *   Bounds
 *    -3 <= z <= 5
 *   Binary                                or General, or Semi-Continuous: 0, or within its bounds
 *    x y
 *   SOS
 *    s1: S2:: x:1 y:2 z:3                 of these one, or two neighbours, are not 0 (S1: one)
 *   End
 *
 * A row may have a condition, "c2: x = 1 -> y + z <= 2", and be one of Lazy Constraints or of User
 * Cuts. A column is a variable whose values are the integers between its bounds; 0 and no bound are
 * what it has by default, so that rows have to bound an integer column where nothing else does
 * (lp_bounds.c). A continuous column has to be fixed. The programs that gpube writes say in a
 * comment that all their columns are 0 or 1 in an optimum; they are read as if all were binary.
 * Numbers are exact, with up to 18 digits. What a row
 * becomes is said in linear.h.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "formats/common/registry.h"
#include "formats/mip/lp_parts.h"
#include "formats/mip/mip.h"

/* ---- tokens --------------------------------------------------------------------------------- */

/* To the next token, past comments; false at the end. */
static bool skip_comments(struct gpube_lp *r)
{
	static const char mark[] = GPUBE__LP_BINARY;
	const size_t n = sizeof(mark) - 1;

	while (!gpube__in_at_end(r->in)) {
		if (*r->in->p != '\\')
			return true;
		if (r->in->line == 1 && gpube__in_need(r->in, n) >= n && !memcmp(r->in->p, mark, n))
			r->binary = true;
		gpube__in_skip_line(r->in);
	}
	return false;
}

static bool in_name(char c)
{
	return c && (isalnum((unsigned char)c) || (unsigned char)c >= 0x80 ||
			    strchr("!\"#$%&(),.;?@_`'{}~|", c));
}

/* Gurobi's names may have brackets, as in x[1,2]; those of products stand apart. */
static size_t name_length(const char *p)
{
	size_t n = 0, open = 0;

	for (; n < GPUBE_LP_TOKEN && (in_name(p[n]) || (n && p[n] == '[') || (open && p[n] == ']'));
		n++)
		open += (p[n] == '[') - (p[n] == ']');
	return n;
}

/* The next word, number or mark. */
static int next(struct gpube_lp *r)
{
	struct gpube_in *in = r->in;
	size_t n = 1;

	r->token[0] = 0;
	r->kind = GPUBE_LP_END;
	if (!skip_comments(r))
		return in->status;
	gpube__in_need(in, GPUBE_LP_TOKEN);
	if (isdigit((unsigned char)*in->p) || (*in->p == '.' && isdigit((unsigned char)in->p[1]))) {
		r->kind = GPUBE_LP_NUMBER;
		n = gpube__lp_number_length(in->p);
	} else if (in_name(*in->p) && *in->p != '.') {
		r->kind = GPUBE_LP_NAME;
		n = name_length(in->p);
	} else if (*in->p && strchr("+-*^[]/:<>=", *in->p)) {
		r->kind = GPUBE_LP_MARK;
		n += strchr("<>=", *in->p) && in->p[1] && strchr("<>=", in->p[1]);
	} else {
		return gpube__in_error(in, "expected a name, a number or a sign, found byte 0x%02x",
			(unsigned char)*in->p);
	}
	if (n >= GPUBE_LP_TOKEN)
		return gpube__in_error(in, "'%.40s...' has more than 255 bytes", in->p);
	memcpy(r->token, in->p, n);
	r->token[n] = 0;
	in->p += n;
	return r->kind == GPUBE_LP_NUMBER ? gpube__lp_number(r, &r->number, r->token) : GPUBE_OK;
}

static int refuse(struct gpube_lp *r, const char *what)
{
	return gpube__in_expected(r->in, what, r->token);
}

static bool is(const struct gpube_lp *r, const char *mark)
{
	return r->kind == GPUBE_LP_MARK && strcmp(r->token, mark) == 0;
}

/* Is the token one of these words, "st|s.t.", in any case? */
static bool is_word(const struct gpube_lp *r, const char *words)
{
	while (r->kind == GPUBE_LP_NAME && *words) {
		const size_t n = strcspn(words, "|");

		if (strlen(r->token) == n && strncasecmp(r->token, words, n) == 0)
			return true;
		words += n + (words[n] == '|');
	}
	return false;
}

#define MINIMISE "minimize|minimise|minimum|min"
#define MAXIMISE "maximize|maximise|maximum|max"

/* Sections by their first word; what belongs to it, and both as they are told. */
enum section { ROWS, RANGES, BINARY, GENERAL, SEMI, SET, UNREAD, END };
static const struct head {
	const char *words, *second, *whole;
	enum section section;
} heads[] = {{"subject", "to", "Subject To", ROWS}, {"such", "that", "Such That", ROWS},
	{"st|s.t.|st.", NULL, NULL, ROWS}, {"lazy", "constraints", "Lazy Constraints", ROWS},
	{"user", "cuts", "User Cuts", ROWS}, {"bounds|bound", NULL, NULL, RANGES},
	{"binary|binaries|bin", NULL, NULL, BINARY},
	{"general|generals|gen|integer|integers|int", NULL, NULL, GENERAL},
	{"semi|semis", "continuous", "Semi-Continuous", SEMI}, {"sos", NULL, NULL, SET},
	{"sos1|sos2|pwlobj", NULL, NULL, UNREAD}, {"end", NULL, NULL, END}};

/* NULL: the token begins none; with a colon behind it is the label of a row. */
static const struct head *head_of(struct gpube_lp *r)
{
	for (size_t k = 0; k < sizeof(heads) / sizeof(*heads) && r->kind == GPUBE_LP_NAME; k++)
		if (is_word(r, heads[k].words)) {
			gpube__in_need(r->in, GPUBE_LP_TOKEN);
			return r->in->p[strspn(r->in->p, " \t")] == ':' ? NULL : &heads[k];
		}
	return NULL;
}

static bool is_section(struct gpube_lp *r)
{
	return head_of(r) != NULL;
}

/* "<=", "=<", "<" and so on; then the next token is read. */
static bool is_relation(const struct gpube_lp *r)
{
	return r->kind == GPUBE_LP_MARK && strchr("<>=", *r->token);
}

static int read_relation(struct gpube_lp *r, enum gpube_relation *relation)
{
	if (!is_relation(r) || (r->token[1] && (r->token[0] == '=') == (r->token[1] == '=')))
		return refuse(r, "'<=', '=' or '>='");
	*relation = strchr(r->token, '<')   ? GPUBE_AT_MOST
		    : strchr(r->token, '>') ? GPUBE_AT_LEAST
					    : GPUBE_EXACTLY;
	return next(r);
}

/* ---- columns and terms --------------------------------------------------------------- */

/* Signs, maybe none: at the end the token is what comes behind. */
static int read_signs(struct gpube_lp *r, bool *minus, bool *any)
{
	*any = false;
	for (*minus = false; is(r, "+") || is(r, "-"); *any = true) {
		*minus ^= *r->token == '-';
		if (next(r))
			return r->in->status;
	}
	return GPUBE_OK;
}

/* "x ^ 2" or "x * y", whose x was read. */
static int read_second(struct gpube_lp *r, int32_t a, int32_t *b)
{
	if (is(r, "^")) {
		*b = a;
		if (next(r))
			return r->in->status;
		if (r->kind != GPUBE_LP_NUMBER || r->number.digits != 2 || r->number.decimals)
			return refuse(r, "the exponent 2");
		return next(r);
	}
	if (!is(r, "*"))
		return refuse(r, "'^' or '*' in brackets");
	if (next(r))
		return r->in->status;
	if (r->kind != GPUBE_LP_NAME || is_section(r))
		return refuse(r, "a column");
	return gpube__lp_column(r, r->token, b) ? r->in->status : next(r);
}

/* Another number or column of a sum, with its sign. */
static int read_term(struct gpube_lp *r, bool first, bool negate, bool quadratic)
{
	struct gpube_lp_number factor = {.digits = 1};
	bool minus, sign, number = false;
	int32_t a = -1, b = -1;

	if (read_signs(r, &minus, &sign))
		return r->in->status;
	if (!sign && !first)
		return refuse(r, "'+', '-' or a relation");
	if (r->kind == GPUBE_LP_NUMBER) {
		factor = r->number;
		number = true;
		if (next(r))
			return r->in->status;
	}
	factor.digits = minus != negate ? -factor.digits : factor.digits;
	if (r->kind == GPUBE_LP_NAME && !is_section(r)) {
		if (gpube__lp_column(r, r->token, &a) || next(r) ||
			(quadratic && read_second(r, a, &b)))
			return r->in->status;
	} else if (!number || quadratic) {
		return refuse(r, "a number or a column");
	}
	return gpube__lp_term(r, factor, a, b);
}

/* "[ 4 x * y ] / 2": halved exactly, as five tenths. */
static int read_brackets(struct gpube_lp *r, bool negate)
{
	const int64_t at = r->n_terms;

	if (next(r))
		return r->in->status;
	for (bool first = true; !is(r, "]"); first = false)
		if (read_term(r, first, negate, true))
			return r->in->status;
	if (next(r) || !is(r, "/") || next(r) || r->kind != GPUBE_LP_NUMBER ||
		r->number.digits != 2)
		return refuse(r, "'/ 2' behind the brackets");
	for (int64_t k = at; k < r->n_terms; k++) {
		struct gpube_lp_number *f = &r->terms[k].factor;

		if (f->digits % 2 == 0)
			f->digits /= 2;
		else if (f->decimals == GPUBE_LP_DECIMALS ||
			 __builtin_mul_overflow(f->digits, 5, &f->digits))
			return gpube__in_fail(r->in, GPUBE_ERANGE,
				"half of a number passes 64 bits or 18 decimals");
		else
			f->decimals++;
	}
	return next(r);
}

/* A sum up to a relation or a section; 'negate': it stands on the right. */
static int read_sum(struct gpube_lp *r, bool negate, bool brackets)
{
	for (bool first = true;
		first || (r->kind != GPUBE_LP_END && !is_relation(r) && !is_section(r));
		first = false) {
		bool minus = false, sign;

		/* a sign, or a sum's first term, may be in front of brackets */
		if (brackets && (is(r, "+") || is(r, "-")) &&
			gpube__in_need(r->in, GPUBE_LP_TOKEN) && skip_comments(r) &&
			*r->in->p == '[' && read_signs(r, &minus, &sign))
			return r->in->status;
		if (brackets && is(r, "[") ? read_brackets(r, negate != minus)
					   : read_term(r, first, negate, false))
			return r->in->status;
		/* on the right the next row may come without a name */
		if (negate && !is(r, "+") && !is(r, "-"))
			return GPUBE_OK;
	}
	return GPUBE_OK;
}

/* "c1:" in front of a sum, if it is there. The token is a name. */
static int skip_label(struct gpube_lp *r)
{
	if (r->kind != GPUBE_LP_NAME || is_section(r) || !skip_comments(r) || *r->in->p != ':')
		return r->in->status;
	return next(r) ? r->in->status : next(r);
}

/* ---- sections ------------------------------------------------------------------------ */

static int read_objective(struct gpube_lp *r)
{
	if (is_word(r, MAXIMISE)) {
		if (gpube_model_set_direction(r->m, GPUBE_MAXIMISE))
			return r->in->status = GPUBE_EINVAL;
	} else if (!is_word(r, MINIMISE)) {
		return refuse(r, "Minimize or Maximize");
	}
	if (next(r) || skip_label(r))
		return r->in->status;
	if (is(r, ":"))
		return gpube__in_error(
			r->in, "a program of lp_solve, which is not read: CPLEX's are");
	if (!is_section(r) && read_sum(r, false, true))
		return r->in->status;
	r->objective = r->n_terms;
	return is_relation(r) ? refuse(r, "a section's name") : GPUBE_OK;
}

/* The number on the right of a row. */
static int read_right(struct gpube_lp *r)
{
	struct gpube_lp_number v;
	bool minus, sign;

	if (read_signs(r, &minus, &sign))
		return r->in->status;
	if (r->kind != GPUBE_LP_NUMBER)
		return refuse(r, "a number on the right");
	v = r->number;
	v.digits = minus ? v.digits : -v.digits;
	return gpube__lp_term(r, v, -1, -1) ? r->in->status : next(r);
}

/* "<= 1" of "-1 <= x - y <= 1", whose sum, from 'middle' on, is read as one on the right. */
static int read_range(struct gpube_lp *r, enum gpube_relation first, int64_t middle, int64_t line)
{
	const int64_t n = r->n_terms;
	enum gpube_relation relation;

	if (read_relation(r, &relation))
		return r->in->status;
	if (relation != first || relation == GPUBE_EXACTLY)
		return gpube__in_error(
			r->in, "two relations of a row that do not point the same way");
	for (int64_t k = middle; k < n; k++) {
		struct gpube_lp_term t = r->terms[k];

		t.factor.digits = -t.factor.digits;
		if (gpube__lp_term(r, t.factor, t.a, t.b))
			return r->in->status;
	}
	return read_right(r) ? r->in->status : gpube__lp_row(r, n, relation, line);
}

/*
 * "b = 1 ->" in front of a row: the terms from 'first' on, which were read and go, and '-', behind
 * which the arrow's end is.
 */
static int read_condition(
	struct gpube_lp *r, int64_t first, enum gpube_relation relation, int32_t *when, int *value)
{
	const struct gpube_lp_term *t = r->terms + first;
	const struct gpube_lp_number one = t[0].factor, right = t[r->n_terms - first - 1].factor;

	if (*when >= 0 || r->n_terms != first + 2 || relation != GPUBE_EXACTLY || t[0].a < 0 ||
		one.digits != 1 || one.decimals || right.decimals || right.digits > 0 ||
		right.digits < -1)
		return gpube__in_error(
			r->in, "expected 'column = 0 ->' or 'column = 1 ->' as a condition");
	*when = t[0].a;
	*value = (int)-right.digits;
	r->n_terms = first;
	return next(r) ? r->in->status : next(r);
}

/* Without its label, and maybe behind its condition. */
static int read_comparison(struct gpube_lp *r, int32_t when, int value)
{
	const int64_t first = r->n_terms, n_rows = r->n_rows, line = r->in->line;
	enum gpube_relation relation;
	bool columns = false;
	int64_t middle;

	if (read_sum(r, false, false))
		return r->in->status;
	middle = r->n_terms;
	for (int64_t k = first; k < middle; k++)
		columns = columns || r->terms[k].a >= 0;
	if (read_relation(r, &relation))
		return r->in->status;
	if (columns ? read_right(r) : read_sum(r, true, false))
		return r->in->status;
	if (is(r, "-") && gpube__in_need(r->in, 1) && *r->in->p == '>')
		return read_condition(r, first, relation, &when, &value)
			       ? r->in->status
			       : read_comparison(r, when, value);
	if (gpube__lp_row(r, first, relation, line) ||
		(!columns && is_relation(r) && read_range(r, relation, middle, line)))
		return r->in->status;
	for (int64_t k = n_rows; k < r->n_rows; k++) {
		r->rows[k].when = when;
		r->rows[k].value = value;
	}
	return GPUBE_OK;
}

static int read_row(struct gpube_lp *r)
{
	return skip_label(r) ? r->in->status : read_comparison(r, -1, 0);
}

/*
 * A number with its sign, or infinity; *is_number: false, and nothing is read, where a column
 * stands.
 */
static int read_bound(struct gpube_lp *r, struct gpube_lp_number *v, bool *is_number)
{
	bool minus, sign;

	if (read_signs(r, &minus, &sign))
		return r->in->status;
	*is_number = r->kind == GPUBE_LP_NUMBER || is_word(r, "inf|infinity");
	if (!*is_number)
		return sign ? refuse(r, "a number or infinity") : GPUBE_OK;
	*v = r->kind == GPUBE_LP_NUMBER ? r->number
					: (struct gpube_lp_number){.digits = 1, .infinite = true};
	v->digits = minus ? -v->digits : v->digits;
	return next(r);
}

static enum gpube_relation turned(enum gpube_relation relation)
{
	return relation == GPUBE_EXACTLY   ? relation
	       : relation == GPUBE_AT_MOST ? GPUBE_AT_LEAST
					   : GPUBE_AT_MOST;
}

/* "-3 <= z <= 5", "z <= 5", "z = 2", "z free" */
static int read_bounds_of_one(struct gpube_lp *r)
{
	struct gpube_lp_number left = {0}, right = {0};
	enum gpube_relation relation = GPUBE_EXACTLY;
	bool in_front, number;
	int32_t column;

	if (read_bound(r, &left, &in_front) || (in_front && read_relation(r, &relation)))
		return r->in->status;
	if (r->kind != GPUBE_LP_NAME || is_section(r))
		return refuse(r, "a column");
	if (gpube__lp_column(r, r->token, &column) || next(r))
		return r->in->status;
	if (in_front)
		gpube__lp_bound(&r->columns[column], turned(relation), left);
	else if (is_word(r, "free")) {
		r->columns[column].low = -GPUBE_INF;
		r->columns[column].high = GPUBE_INF;
		return next(r);
	}
	if (in_front && !is_relation(r))
		return GPUBE_OK;
	if (read_relation(r, &relation) || read_bound(r, &right, &number))
		return r->in->status;
	if (!number)
		return refuse(r, "a number or infinity");
	gpube__lp_bound(&r->columns[column], relation, right);
	return GPUBE_OK;
}

static int read_kind(struct gpube_lp *r, enum section section)
{
	struct gpube_lp_column *c;
	int32_t column;

	if (r->kind != GPUBE_LP_NAME)
		return refuse(r, "a column or a section's name");
	if (gpube__lp_column(r, r->token, &column))
		return r->in->status;
	c = &r->columns[column];
	c->integer = c->integer || section != SEMI;
	c->semi = c->semi || section == SEMI;
	if (section == BINARY) {
		c->low = c->low > 0 ? c->low : 0;
		c->high = c->high < 1 ? c->high : 1;
	}
	return next(r);
}

/* "s1:", "S1::" or "x:1": the second begins a set, which is a row with the others as its terms. */
static int read_set(struct gpube_lp *r)
{
	struct gpube_lp_row *set = r->n_rows ? &r->rows[r->n_rows - 1] : NULL;
	struct gpube_lp_number weight = {0};
	char name[GPUBE_LP_TOKEN];
	bool number;
	int32_t column;

	strcpy(name, r->token);
	if (r->kind != GPUBE_LP_NAME || next(r) || !is(r, ":"))
		return refuse(r, "a set's label, S1::, S2::, or a column and ':'");
	if (next(r) || r->kind == GPUBE_LP_NAME)
		return r->in->status;
	if (is(r, ":")) {
		if (strcasecmp(name, "S1") != 0 && strcasecmp(name, "S2") != 0)
			return gpube__in_expected(r->in, "S1:: or S2::", name);
		if (gpube__lp_row(r, r->n_terms, GPUBE_AT_MOST, r->in->line))
			return r->in->status;
		r->rows[r->n_rows - 1].set = name[1] - '0';
		return next(r);
	}
	if (!set || !set->set)
		return refuse(r, "S1:: or S2:: in front of a set");
	if (read_bound(r, &weight, &number))
		return r->in->status;
	if (!number)
		return refuse(r, "a weight");
	set->n++;
	return gpube__lp_column(r, name, &column) ? r->in->status
						  : gpube__lp_term(r, weight, column, -1);
}

/* The rest of a section's name, whose first word is the token. */
static int read_head(struct gpube_lp *r, const struct head *h)
{
	if (h->section == UNREAD)
		return gpube__in_error(r->in, "the section '%.40s', which is not read", r->token);
	if (next(r))
		return r->in->status;
	if (h->section == GENERAL && is_word(r, "constraint|constraints"))
		return gpube__in_error(
			r->in, "the section 'General Constraints', which is not read");
	if (!h->second || (h->section == SEMI && !is(r, "-")))
		return GPUBE_OK;
	if (h->section == SEMI && next(r))
		return r->in->status;
	return is_word(r, h->second) ? next(r) : refuse(r, h->whole);
}

static int read_section(struct gpube_lp *r, const struct head *h)
{
	if (read_head(r, h))
		return r->in->status;
	while (r->kind != GPUBE_LP_END && !is_section(r)) {
		const int status = h->section == ROWS     ? read_row(r)
				   : h->section == RANGES ? read_bounds_of_one(r)
				   : h->section == SET    ? read_set(r)
							  : read_kind(r, h->section);

		if (status)
			return status;
	}
	return GPUBE_OK;
}

static int read_file(struct gpube_lp *r)
{
	const struct head *h;

	if (next(r) || read_objective(r))
		return r->in->status;
	for (h = head_of(r); !h || h->section != END; h = head_of(r)) {
		if (!h)
			return refuse(r, "a section's name, or End");
		if (read_section(r, h))
			return r->in->status;
	}
	return next(r)                   ? r->in->status
	       : r->kind == GPUBE_LP_END ? GPUBE_OK
					 : refuse(r, "the end of the file");
}

static int read_program(struct gpube_model *m, const struct gpube_model *of, struct gpube_in *in)
{
	struct gpube_lp r = {.m = m, .of = of, .in = in};
	int status;

	gpube__names_init(&r.names, m->ctx);
	status = read_file(&r);
	if (!status)
		status = of ? gpube__mip_check(&r, of) : gpube__lp_model(&r);
	gpube__lp_clear(&r);
	return status ? status : in->status;
}

int gpube__lp_read(struct gpube_model *m, struct gpube_in *in)
{
	return read_program(m, NULL, in);
}

int gpube__lp_check(struct gpube_model *scratch, const struct gpube_model *m, struct gpube_in *in)
{
	return read_program(scratch, m, in);
}
