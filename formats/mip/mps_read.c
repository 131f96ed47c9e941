/*
 * mps_read.c - integer linear programs in .mps, fixed or free, whose names have no blanks. What
 * becomes of them is said in lp_read.c.
 *
 *   NAME program                         OBJSENSE, and MAX in the next line: the objective is
 *                                        maximised
 *   ROWS
 *    N cost                              the objective; L, G and E: at most, at least, equal
 *    L c1
 *   COLUMNS
 *    m1 'MARKER' 'INTORG'                from here to 'INTEND' columns are integers
 *    x cost 2.5 c1 1                     one entry or two
 *   RHS
 *    rhs c1 4                            the set's name may be left out; of the objective it is
 *                                        subtracted
 *   RANGES
 *    rng c1 2                            2 <= c1 <= 4
 *   BOUNDS
 *    UP bnd x 3                          LO, FX, MI, PL, FR, BV, LI, UI, too
 *   ENDATA
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "formats/common/registry.h"
#include "formats/mip/lp_parts.h"
#include "formats/mip/mip.h"
#include "gpube/base/rows.h"

enum { FIELDS = 6 }; /* a line has at most so many */

struct row {
	char *name;
	char kind; /* N, L, G or E */
	int64_t line;
	struct gpube_lp_number right, range;
	bool ranged; /* it has a range, which may be 0 */
};

struct entry {
	int32_t row, column;
	struct gpube_lp_number factor;
};

struct mps {
	struct gpube_lp lp;
	char field[FIELDS][GPUBE_LP_TOKEN];
	int n;      /* fields of the line */
	bool heads; /* it begins a section */
	bool integer, negated;
	struct gpube_names names;
	int32_t n_rows, objective;
	struct row *row;
	int64_t n_entries, entries_capacity, row_capacity;
	struct entry *entry;
};

/* ---- lines --------------------------------------------------------------------------- */

static int read_field(struct mps *r)
{
	struct gpube_in *in = r->lp.in;
	size_t n = 0;

	if (r->n == FIELDS)
		return gpube__in_error(in, "more than %d fields in a line", FIELDS);
	while (gpube__in_fill(in) && *in->p && !isspace((unsigned char)*in->p)) {
		if (n == GPUBE_LP_TOKEN - 1)
			return gpube__in_error(
				in, "'%.40s...' has more than 255 bytes", r->field[r->n]);
		r->field[r->n][n++] = *in->p++;
		r->field[r->n][n] = 0;
	}
	if (n == 0)
		return gpube__in_error(in, "byte 0x00 in a line");
	r->n++;
	return GPUBE_OK;
}

/* Is this, the first line, what gpube writes there? */
static bool is_marked(struct gpube_in *in, const char *mark)
{
	const size_t n = strlen(mark);

	return in->line == 1 && gpube__in_need(in, n) >= n && !memcmp(in->p, mark, n);
}

/*
 * The fields of the next line that has any; none at the end. Its end is left, so that messages name
 * its line.
 */
static int read_line(struct mps *r)
{
	struct gpube_in *in = r->lp.in;
	bool first = true; /* byte of a line */

	r->n = 0;
	while (gpube__in_fill(in)) {
		if (*in->p == '\n') {
			if (r->n)
				return GPUBE_OK;
			in->line++;
			in->p++;
			first = true;
		} else if (first && *in->p == '*') {
			r->lp.binary = r->lp.binary || is_marked(in, GPUBE__MPS_BINARY);
			r->negated = r->negated || is_marked(in, GPUBE__MPS_NEGATED);
			gpube__in_skip_line(in);
		} else if (isspace((unsigned char)*in->p)) {
			in->p++;
			first = false;
		} else {
			if (r->n == 0)
				r->heads = first;
			if (read_field(r))
				return in->status;
			first = false;
			/* a program's name may be of many words */
			while (r->heads && strcmp(r->field[0], "NAME") == 0 && gpube__in_fill(in) &&
				*in->p != '\n')
				in->p++;
		}
	}
	return in->status;
}

static int refuse_field(struct mps *r, const char *what, int k)
{
	if (r->n && k >= r->n)
		return gpube__in_error(r->lp.in, "expected %s, found the end of the line", what);
	return gpube__in_expected(r->lp.in, what, k < r->n ? r->field[k] : "");
}

static int number(struct mps *r, struct gpube_lp_number *v, int k)
{
	const char *text = r->field[k];
	const bool minus = *text == '-';

	text += minus || *text == '+';
	if (k < r->n && (strcasecmp(text, "inf") == 0 || strcasecmp(text, "infinity") == 0)) {
		*v = (struct gpube_lp_number){.digits = minus ? -1 : 1, .infinite = true};
		return GPUBE_OK;
	}
	if (k >= r->n ||
		(!isdigit((unsigned char)*text) &&
			(*text != '.' || !isdigit((unsigned char)text[1]))) ||
		gpube__lp_number_length(text) != strlen(text))
		return refuse_field(r, "a number", k);
	snprintf(r->lp.token, sizeof(r->lp.token), "%s", text);
	if (gpube__lp_number(&r->lp))
		return r->lp.in->status;
	*v = r->lp.number;
	v->digits = v->infinite ? 1 : v->digits;
	v->digits = minus ? -v->digits : v->digits;
	return GPUBE_OK;
}

static int finite_number(struct mps *r, struct gpube_lp_number *v, int k)
{
	if (number(r, v, k))
		return r->lp.in->status;
	return v->infinite ? gpube__in_error(r->lp.in, "an infinite number outside bounds")
			   : GPUBE_OK;
}

/* ---- sections ------------------------------------------------------------------------ */

static int read_row(struct mps *r)
{
	struct row row = {
		.kind = (char)toupper((unsigned char)r->field[0][0]), .line = r->lp.in->line};

	if (r->n != 2 || !strchr("NLGE", row.kind) || r->field[0][1])
		return refuse_field(r, "N, L, G or E and a row's name", 0);
	if (gpube__names_find(&r->names, 0, r->field[1]))
		return gpube__in_error(r->lp.in, "row '%.40s' is there twice", r->field[1]);
	if (r->n_rows == INT32_MAX)
		return gpube__in_fail(r->lp.in, GPUBE_ELIMIT, "2^31 rows");
	if (gpube__grow(
		    r->lp.m->ctx, &r->row, &r->row_capacity, (int64_t)r->n_rows + 1, sizeof(row)))
		return r->lp.in->status = GPUBE_ENOMEM;
	row.name = gpube__strdup(r->lp.m->ctx, r->field[1]);
	if (!row.name)
		return r->lp.in->status = GPUBE_ENOMEM;
	if (row.kind == 'N' && r->objective < 0)
		r->objective = r->n_rows;
	r->row[r->n_rows++] = row;
	return gpube__names_add(&r->names, 0, row.name, r->n_rows - 1)
		       ? (r->lp.in->status = GPUBE_ENOMEM)
		       : GPUBE_OK;
}

static int find_row(struct mps *r, int32_t *row, int k)
{
	const int32_t *known = gpube__names_find(&r->names, 0, r->field[k]);

	if (!known)
		return refuse_field(r, "the name of a row", k);
	*row = *known;
	return GPUBE_OK;
}

static int read_column(struct mps *r)
{
	int32_t column;

	if (r->n == 3 && strcmp(r->field[1], "'MARKER'") == 0) {
		r->integer = strcmp(r->field[2], "'INTORG'") == 0;
		return r->integer || strcmp(r->field[2], "'INTEND'") == 0
			       ? GPUBE_OK
			       : refuse_field(r, "'INTORG' or 'INTEND'", 2);
	}
	if (r->n != 3 && r->n != 5)
		return refuse_field(
			r, "a column, and a row and a number once or twice", r->n > 5 ? 5 : r->n);
	snprintf(r->lp.token, sizeof(r->lp.token), "%s", r->field[0]);
	if (gpube__lp_column(&r->lp, &column))
		return r->lp.in->status;
	r->lp.columns[column].integer = r->lp.columns[column].integer || r->integer;
	for (int k = 1; k < r->n; k += 2) {
		struct entry e = {.column = column};

		if (find_row(r, &e.row, k) || finite_number(r, &e.factor, k + 1))
			return r->lp.in->status;
		if (gpube__grow(r->lp.m->ctx, &r->entry, &r->entries_capacity, r->n_entries + 1,
			    sizeof(e)))
			return r->lp.in->status = GPUBE_ENOMEM;
		r->entry[r->n_entries++] = e;
	}
	return GPUBE_OK;
}

/* Numbers of rows, behind a set's name that may be left out. */
static int read_right(struct mps *r, bool range)
{
	if (r->n < 2)
		return refuse_field(r, "a row and a number", r->n);
	for (int k = r->n % 2; k < r->n; k += 2) {
		struct gpube_lp_number v = {0};
		int32_t row = 0;

		if (find_row(r, &row, k) || finite_number(r, &v, k + 1))
			return r->lp.in->status;
		if (range && r->row[row].kind == 'N')
			return gpube__in_error(
				r->lp.in, "a range of row '%.40s', which is free", r->field[k]);
		*(range ? &r->row[row].range : &r->row[row].right) = v;
		r->row[row].ranged = r->row[row].ranged || range;
	}
	return GPUBE_OK;
}

static int read_bound(struct mps *r)
{
	static const char *const kinds[] = {
		"UP", "LO", "FX", "UI", "LI", "MI", "PL", "FR", "BV", NULL};
	enum { UP, LO, FX, UI, LI, MI };
	struct gpube_lp_number v = {0};
	struct gpube_lp_column *c;
	const int32_t *known;
	int kind = 0, at;

	while (kinds[kind] && strcmp(kinds[kind], r->field[0]) != 0)
		kind++;
	if (!kinds[kind])
		return refuse_field(r, "a bound: UP, LO, FX, MI, PL, FR, BV, LI or UI", 0);
	at = kind < MI ? r->n - 2 : r->n > 2 ? 2 : 1;
	if (r->n < 2 || at < 1 || at > 2)
		return refuse_field(r, "a column, and a number unless it is MI, PL, FR or BV",
			r->n > 3 ? 3 : r->n);
	known = gpube__names_find(&r->lp.names, 0, r->field[at]);
	if (!known)
		return refuse_field(r, "the name of a column", at);
	if (kind < MI && number(r, &v, at + 1))
		return r->lp.in->status;
	c = &r->lp.columns[*known];
	c->integer = c->integer || kind == UI || kind == LI || strcmp(kinds[kind], "BV") == 0;
	if (kind == UP || kind == UI || kind == FX)
		c->high = gpube__lp_bound(v, false);
	if (kind == LO || kind == LI || kind == FX)
		c->low = gpube__lp_bound(v, true);
	if ((kind == UP || kind == UI) && v.digits < 0 && c->low == 0)
		c->low = -GPUBE_INF; /* so most solvers have it */
	if (kind == MI || strcmp(kinds[kind], "FR") == 0)
		c->low = -GPUBE_INF;
	if (kind > MI)
		c->high = strcmp(kinds[kind], "BV") == 0 ? 1 : GPUBE_INF;
	if (strcmp(kinds[kind], "BV") == 0)
		c->low = 0;
	return GPUBE_OK;
}

static int set_sense(struct mps *r, const char *word)
{
	if (strncasecmp(word, "MAX", 3) == 0)
		return gpube_model_set_direction(r->lp.m, GPUBE_MAXIMISE)
			       ? (r->lp.in->status = GPUBE_EINVAL)
			       : GPUBE_OK;
	return strncasecmp(word, "MIN", 3) == 0 ? GPUBE_OK
						: gpube__in_expected(r->lp.in, "MAX or MIN", word);
}

static int read_sections(struct mps *r)
{
	static const char *const names[] = {
		"ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS", "OBJSENSE", NULL};
	enum { ROWS, COLUMNS, RHS, RANGES, BOUNDS, SENSE, NONE } section = NONE;

	for (;;) {
		int status = GPUBE_OK;

		if (read_line(r))
			return r->lp.in->status;
		if (r->n == 0 || (!r->heads && section == NONE))
			return refuse_field(r, r->n ? "a section's name" : "ENDATA", 0);
		if (r->heads) {
			if (strcmp(r->field[0], "ENDATA") == 0)
				return GPUBE_OK;
			for (section = ROWS;
				section < NONE && strcmp(names[section], r->field[0]) != 0;)
				section++;
			if (section == NONE && strcmp(r->field[0], "NAME") != 0)
				return gpube__in_error(r->lp.in,
					"the section '%.40s', which is not read", r->field[0]);
			if (section == SENSE && r->n > 1)
				status = set_sense(r, r->field[1]);
		} else {
			status = section == ROWS      ? read_row(r)
				 : section == COLUMNS ? read_column(r)
				 : section == BOUNDS  ? read_bound(r)
				 : section == SENSE   ? set_sense(r, r->field[0])
						      : read_right(r, section == RANGES);
		}
		if (status)
			return r->lp.in->status;
	}
}

/* ---- rows of an .lp ------------------------------------------------------------------ */

static struct gpube_lp_number negative(struct gpube_lp_number v)
{
	v.digits = -v.digits;
	return v;
}

/* The row's entries, and a number on the other side. */
static int push_side(struct mps *r, const struct entry *e, int64_t n, struct gpube_lp_number right)
{
	for (int64_t k = 0; k < n; k++)
		if (gpube__lp_term(&r->lp, e[k].factor, e[k].column, -1))
			return r->lp.in->status;
	return right.digits ? gpube__lp_term(&r->lp, negative(right), -1, -1) : GPUBE_OK;
}

static int push_row(struct mps *r, const struct row *row, const struct entry *e, int64_t n)
{
	const bool upper = row->kind == 'L' || (row->kind == 'E' && row->range.digits < 0);
	struct gpube_lp_number far = row->range;
	int64_t first = r->lp.n_terms;

	r->lp.in->line = row->line;
	if (push_side(r, e, n, row->right) ||
		gpube__lp_row(&r->lp, first,
			row->kind == 'E' && !row->ranged ? GPUBE_EXACTLY
			: upper                          ? GPUBE_AT_MOST
							 : GPUBE_AT_LEAST,
			row->line))
		return r->lp.in->status;
	if (!row->ranged)
		return GPUBE_OK;
	/* the other end lies so far below an upper one, above a lower one */
	far.digits = far.digits < 0 ? -far.digits : far.digits;
	first = r->lp.n_terms;
	if (push_side(r, e, n, row->right) ||
		gpube__lp_term(&r->lp, upper ? far : negative(far), -1, -1))
		return r->lp.in->status;
	return gpube__lp_row(&r->lp, first, upper ? GPUBE_AT_LEAST : GPUBE_AT_MOST, row->line);
}

/* Entries by row, in their order otherwise. Errors: ENOMEM */
static int sort_entries(struct mps *r, struct entry **sorted, int64_t **begin)
{
	struct gpube_ctx *ctx = r->lp.m->ctx;

	*sorted = gpube__alloc(ctx, (uint64_t)r->n_entries + 1, sizeof(**sorted));
	*begin = gpube__alloc_zero(ctx, (uint64_t)r->n_rows + 2, sizeof(**begin));
	if (!*sorted || !*begin)
		return r->lp.in->status = GPUBE_ENOMEM;
	for (int64_t k = 0; k < r->n_entries; k++)
		GPUBE_ROW_COUNT(*begin, r->entry[k].row);
	GPUBE_ROWS_BEGIN(*begin, r->n_rows);
	for (int64_t k = 0; k < r->n_entries; k++)
		(*sorted)[GPUBE_ROW_PLACE(*begin, r->entry[k].row)] = r->entry[k];
	return GPUBE_OK;
}

/* The objective as it is, of which these are the entries. */
static int undo_negation(struct mps *r, struct entry *e, int64_t n)
{
	struct gpube_lp_number *right = &r->row[r->objective].right;

	for (int64_t k = 0; k < n; k++)
		e[k].factor = negative(e[k].factor);
	*right = negative(*right);
	return set_sense(r, "MAX");
}

static int to_lp(struct mps *r)
{
	struct entry *sorted = NULL;
	int64_t *begin = NULL;
	int status = sort_entries(r, &sorted, &begin);

	if (!status && r->objective >= 0 && r->negated && r->lp.m->direction == GPUBE_MINIMISE)
		status = undo_negation(r, sorted + begin[r->objective],
			begin[r->objective + 1] - begin[r->objective]);
	if (!status && r->objective >= 0)
		status = push_side(r, sorted + begin[r->objective],
			begin[r->objective + 1] - begin[r->objective], r->row[r->objective].right);
	r->lp.objective = r->lp.n_terms;
	for (int32_t i = 0; i < r->n_rows && !status; i++)
		if (r->row[i].kind != 'N')
			status =
				push_row(r, &r->row[i], sorted + begin[i], begin[i + 1] - begin[i]);
	gpube__free(r->lp.m->ctx, sorted);
	gpube__free(r->lp.m->ctx, begin);
	return status;
}

static int read_program(struct gpube_model *m, const struct gpube_model *of, struct gpube_in *in)
{
	struct mps *r = gpube__alloc_zero(m->ctx, 1, sizeof(*r));
	int status;

	if (!r)
		return in->status = GPUBE_ENOMEM;
	r->lp.m = m;
	r->lp.of = of;
	r->lp.in = in;
	r->objective = -1;
	gpube__names_init(&r->lp.names, m->ctx);
	gpube__names_init(&r->names, m->ctx);
	status = read_sections(r);
	if (!status)
		status = to_lp(r);
	if (!status)
		status = of ? gpube__mip_check(&r->lp, of) : gpube__lp_model(&r->lp);
	for (int32_t k = 0; k < r->n_rows; k++)
		gpube__free(m->ctx, r->row[k].name);
	gpube__free(m->ctx, r->row);
	gpube__free(m->ctx, r->entry);
	gpube__names_clear(&r->names);
	gpube__lp_clear(&r->lp);
	gpube__free(m->ctx, r);
	return status ? status : in->status;
}

int gpube__mps_read(struct gpube_model *m, struct gpube_in *in)
{
	return read_program(m, NULL, in);
}

int gpube__mps_check(struct gpube_model *scratch, const struct gpube_model *m, struct gpube_in *in)
{
	return read_program(scratch, m, in);
}
