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
 *    m1 'MARKER' 'INTORG'                from here to 'INTEND' columns are integers, 0 or 1
 *                                        where nothing is said of their bounds
 *    x cost 2.5 c1 1                     one entry or two
 *   RHS
 *    rhs c1 4                            the set's name may be left out; of the objective it is
 *                                        subtracted
 *   RANGES
 *    rng c1 2                            2 <= c1 <= 4
 *   BOUNDS
 *    UP bnd x 3                          LO, FX, MI, PL, FR, BV, LI, UI, SC, SI, too
 *   SOS
 *    S1 set                              or S2: of the columns that follow one, or two neighbours
 *    x 1                                 by these weights, are not 0
 *   INDICATORS
 *    IF c1 x 1                           c1 has to hold where x is 1
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
	char kind; /* N, L, G or E; of a set 1 or 2 */
	int64_t line;
	struct gpube_lp_number right, range;
	bool ranged;  /* it has a range, which may be 0 */
	int32_t when; /* the column that makes it hold by its value; -1: it always does */
	int value;
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
	bool rows;  /* the section is ROWS */
	bool told;
	char set[3][GPUBE_LP_TOKEN]; /* of right sides, ranges and bounds, the first; "" */
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
			if (is_marked(in, "*SENSE:Maximize"))
				gpube__log(r->lp.m->ctx, GPUBE_LOG_NOTE,
					"%s: the comment of PuLP that it is maximised is read by "
					"no "
					"solver: it is minimised",
					in->path);
			gpube__in_skip_line(in);
		} else if (isspace((unsigned char)*in->p)) {
			in->p++;
			first = false;
		} else if (*in->p == '$' && r->n == 2 && r->rows) {
			while (gpube__in_fill(in) && *in->p != '\n')
				in->p++; /* a comment */
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

	if (k >= r->n)
		return refuse_field(r, "a number", k);
	text += minus || *text == '+';
	if (strcasecmp(text, "inf") != 0 && strcasecmp(text, "infinity") != 0)
		return gpube__lp_number(&r->lp, v, r->field[k]);
	*v = (struct gpube_lp_number){.digits = minus ? -1 : 1, .infinite = true};
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

static int add_row(struct mps *r, char kind, const char *name)
{
	struct row row = {.kind = kind, .line = r->lp.in->line, .when = -1};

	if (r->n_rows == INT32_MAX)
		return gpube__in_fail(r->lp.in, GPUBE_ELIMIT, "2^31 rows");
	if (gpube__grow(
		    r->lp.m->ctx, &r->row, &r->row_capacity, (int64_t)r->n_rows + 1, sizeof(row)))
		return r->lp.in->status = GPUBE_ENOMEM;
	row.name = gpube__strdup(r->lp.m->ctx, name);
	if (!row.name)
		return r->lp.in->status = GPUBE_ENOMEM;
	r->row[r->n_rows++] = row;
	return GPUBE_OK;
}

static int read_row(struct mps *r)
{
	const char kind = (char)toupper((unsigned char)r->field[0][0]);

	if (r->n != 2 || !strchr("NLGE", kind) || r->field[0][1])
		return refuse_field(r, "N, L, G or E and a row's name", 0);
	if (gpube__names_find(&r->names, 0, r->field[1]))
		return gpube__in_error(r->lp.in, "row '%.40s' is there twice", r->field[1]);
	if (kind == 'N' && r->objective < 0)
		r->objective = r->n_rows;
	if (add_row(r, kind, r->field[1]))
		return r->lp.in->status;
	return gpube__names_add(&r->names, 0, r->row[r->n_rows - 1].name, r->n_rows - 1)
		       ? (r->lp.in->status = GPUBE_ENOMEM)
		       : GPUBE_OK;
}

static int find(struct mps *r, struct gpube_names *names, int32_t *index, int k)
{
	const int32_t *known = gpube__names_find(names, 0, r->field[k]);

	if (!known)
		return refuse_field(
			r, names == &r->names ? "the name of a row" : "the name of a column", k);
	*index = *known;
	return GPUBE_OK;
}

static int add_entry(struct mps *r, struct entry e)
{
	if (gpube__grow(r->lp.m->ctx, &r->entry, &r->entries_capacity, r->n_entries + 1, sizeof(e)))
		return r->lp.in->status = GPUBE_ENOMEM;
	r->entry[r->n_entries++] = e;
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
	if (gpube__lp_column(&r->lp, r->field[0], &column))
		return r->lp.in->status;
	r->lp.columns[column].integer = r->lp.columns[column].integer || r->integer;
	for (int k = 1; k < r->n; k += 2) {
		struct entry e = {.column = column};

		if (find(r, &r->names, &e.row, k) || finite_number(r, &e.factor, k + 1) ||
			add_entry(r, e))
			return r->lp.in->status;
	}
	return GPUBE_OK;
}

/* Of several sets the first one counts. Is it that of the line, in field k, or has this no name? */
static bool is_first_set(struct mps *r, int section, int k)
{
	const char *name = k >= 0 ? r->field[k] : "";

	if (!*r->set[section])
		strcpy(r->set[section], name);
	if (!*name || strcmp(r->set[section], name) == 0)
		return true;
	if (!r->told)
		gpube__log(r->lp.m->ctx, GPUBE_LOG_NOTE,
			"%s:%lld: '%.40s' is a second set, after the first, which alone is read",
			r->lp.in->path, (long long)r->lp.in->line, name);
	r->told = true;
	return false;
}

/* Numbers of rows, behind a set's name that may be left out. */
static int read_right(struct mps *r, bool range)
{
	if (r->n < 2)
		return refuse_field(r, "a row and a number", r->n);
	for (int k = r->n % 2; k < r->n && is_first_set(r, range, k % 2 ? 0 : -1); k += 2) {
		struct gpube_lp_number v = {0};
		int32_t row = 0;

		if (find(r, &r->names, &row, k) || finite_number(r, &v, k + 1))
			return r->lp.in->status;
		if (range && r->row[row].kind == 'N')
			return gpube__in_error(
				r->lp.in, "a range of row '%.40s', which is free", r->field[k]);
		*(range ? &r->row[row].range : &r->row[row].right) = v;
		r->row[row].ranged = r->row[row].ranged || range;
	}
	return GPUBE_OK;
}

/* What a bound makes of both sides: v its number, f none, a digit that, - nothing. */
static const struct bound {
	char name[3], low, high;
	bool integer, semi;
} bounds[] = {{"UP", '-', 'v', false, false}, {"LO", 'v', '-', false, false},
	{"FX", 'v', 'v', false, false}, {"UI", '-', 'v', true, false},
	{"LI", 'v', '-', true, false}, {"SC", '-', 'v', false, true}, {"SI", '-', 'v', true, true},
	{"MI", 'f', '-', false, false}, {"PL", '-', 'f', false, false},
	{"FR", 'f', 'f', false, false}, {"BV", '0', '1', true, false}};

static void set_side(
	struct gpube_lp_column *c, char what, struct gpube_lp_number v, enum gpube_relation side)
{
	if (what == 'f')
		v = (struct gpube_lp_number){
			.digits = side == GPUBE_AT_MOST ? 1 : -1, .infinite = true};
	else if (what != 'v')
		v = (struct gpube_lp_number){.digits = what - '0'};
	if (what != '-')
		gpube__lp_bound(c, side, v);
}

static void set_bound(
	struct mps *r, struct gpube_lp_column *c, const struct bound *b, struct gpube_lp_number v)
{
	const bool below =
		b->low == '-' && b->high == 'v' && v.digits < 0 && !c->bounded && !b->semi;

	if (below)
		gpube__log(r->lp.m->ctx, GPUBE_LOG_NOTE,
			"%s:%lld: column '%.40s' is below 0 without a lower bound: none is "
			"read, as in CPLEX and CBC; HiGHS and SCIP keep 0, and find no solution",
			r->lp.in->path, (long long)r->lp.in->line, c->name);
	c->integer = c->integer || b->integer;
	c->semi = c->semi || b->semi;
	set_side(c, below ? 'f' : b->low, v, GPUBE_AT_LEAST);
	set_side(c, b->high, v, GPUBE_AT_MOST);
}

static int read_bound(struct mps *r)
{
	enum { N_BOUNDS = sizeof(bounds) / sizeof(*bounds) };
	struct gpube_lp_number v = {0};
	int32_t column = 0;
	int kind = 0, at;
	bool has_number;

	while (kind < N_BOUNDS && strcmp(bounds[kind].name, r->field[0]) != 0)
		kind++;
	if (kind == N_BOUNDS)
		return refuse_field(r, "a bound: UP, LO, FX, MI, PL, FR, BV, LI, UI, SC or SI", 0);
	has_number = bounds[kind].low == 'v' || bounds[kind].high == 'v';
	at = has_number ? r->n - 2 : r->n > 2 ? 2 : 1;
	if (r->n < 2 || at < 1 || at > 2)
		return refuse_field(r, "a column, and a number unless it is MI, PL, FR or BV",
			r->n > 3 ? 3 : r->n);
	if (find(r, &r->lp.names, &column, at) || (has_number && number(r, &v, at + 1)))
		return r->lp.in->status;
	if (!is_first_set(r, 2, at == 2 ? 1 : -1))
		return GPUBE_OK;
	set_bound(r, &r->lp.columns[column], &bounds[kind], v);
	return GPUBE_OK;
}

/* "S1 set", which begins one, or "x 1" */
static int read_set(struct mps *r)
{
	struct entry e = {.row = r->n_rows - 1};

	if (strcmp(r->field[0], "S1") == 0 || strcmp(r->field[0], "S2") == 0)
		return add_row(r, r->field[0][1], r->n > 1 ? r->field[1] : "");
	if (r->n_rows == 0 || !strchr("12", r->row[r->n_rows - 1].kind))
		return refuse_field(r, "S1 or S2", 0);
	if (r->n != 2)
		return refuse_field(r, "a column and its weight", r->n > 2 ? 2 : r->n);
	return find(r, &r->lp.names, &e.column, 0) || finite_number(r, &e.factor, 1)
		       ? r->lp.in->status
		       : add_entry(r, e);
}

/* "IF c1 x 1" */
static int read_indicator(struct mps *r)
{
	int32_t row = 0;

	if (r->n != 4 || strcmp(r->field[0], "IF") != 0)
		return refuse_field(r, "IF, a row, a column and 0 or 1", r->n == 4 ? 0 : r->n);
	if (find(r, &r->names, &row, 1) || find(r, &r->lp.names, &r->row[row].when, 2))
		return r->lp.in->status;
	if ((r->field[3][0] != '0' && r->field[3][0] != '1') || r->field[3][1])
		return refuse_field(r, "0 or 1", 3);
	r->row[row].value = r->field[3][0] - '0';
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
	static const char *const names[] = {"ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS",
		"OBJSENSE", "SOS", "INDICATORS", "LAZYCONS", "USERCUTS", NULL};
	enum { ROWS, COLUMNS, RHS, RANGES, BOUNDS, SENSE, SOS, CONDITIONS, LAZY, CUTS, NONE };
	int section = NONE;

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
			r->rows = section == ROWS;
			if (section == NONE && strcmp(r->field[0], "NAME") != 0)
				return gpube__in_error(r->lp.in,
					"the section '%.40s', which is not read", r->field[0]);
			if (section == SENSE && r->n > 1)
				status = set_sense(r, r->field[1]);
		} else {
			status = section == ROWS || section >= LAZY ? read_row(r)
				 : section == COLUMNS               ? read_column(r)
				 : section == BOUNDS                ? read_bound(r)
				 : section == SENSE                 ? set_sense(r, r->field[0])
				 : section == SOS                   ? read_set(r)
				 : section == CONDITIONS            ? read_indicator(r)
							 : read_right(r, section == RANGES);
		}
		if (status)
			return r->lp.in->status;
	}
}

/* ---- rows of an .lp ------------------------------------------------------------------ */

static int push_number(struct mps *r, struct gpube_lp_number v, bool minus)
{
	v.digits = minus ? -v.digits : v.digits;
	return v.digits ? gpube__lp_term(&r->lp, v, -1, -1) : GPUBE_OK;
}

/* The row's entries, 'minus' of them the objective's, once for each side that it has. */
static int push_row(
	struct mps *r, const struct row *row, const struct entry *e, int64_t n, bool minus)
{
	const bool upper = row->kind == 'L' || (row->kind == 'E' && row->range.digits < 0);

	r->lp.in->line = row->line;
	for (int side = 0; side <= row->ranged; side++) {
		const int64_t first = r->lp.n_terms;
		struct gpube_lp_row *to;

		for (int64_t k = 0; k < n; k++) {
			struct gpube_lp_number factor = e[k].factor;

			factor.digits = minus ? -factor.digits : factor.digits;
			if (gpube__lp_term(&r->lp, factor, e[k].column, -1))
				return r->lp.in->status;
		}
		/* the other end lies so far below an upper one, above a lower one */
		if (push_number(r, row->right, !minus) ||
			(side && push_number(r, row->range, upper == (row->range.digits < 0))))
			return r->lp.in->status;
		if (row->kind == 'N')
			continue;
		if (gpube__lp_row(&r->lp, first,
			    row->kind == 'E' && !row->ranged ? GPUBE_EXACTLY
			    : upper == !side                 ? GPUBE_AT_MOST
							     : GPUBE_AT_LEAST,
			    row->line))
			return r->lp.in->status;
		to = &r->lp.rows[r->lp.n_rows - 1];
		to->when = row->when;
		to->value = row->value;
		to->set = row->kind < 'E' ? row->kind - '0' : 0;
	}
	return GPUBE_OK;
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

static int to_lp(struct mps *r)
{
	const bool negated = r->negated && r->lp.m->direction == GPUBE_MINIMISE;
	const int32_t o = r->objective;
	struct entry *sorted = NULL;
	int64_t *begin = NULL;
	int status = sort_entries(r, &sorted, &begin);

	for (int32_t k = 0; k < r->lp.n_columns; k++)
		if (r->lp.columns[k].integer && !r->lp.columns[k].bounded)
			r->lp.columns[k].high = 1;
	if (!status && o >= 0 && negated)
		status = set_sense(r, "MAX");
	if (!status && o >= 0)
		status = push_row(
			r, &r->row[o], sorted + begin[o], begin[o + 1] - begin[o], negated);
	r->lp.objective = r->lp.n_terms;
	for (int32_t i = 0; i < r->n_rows && !status; i++)
		if (r->row[i].kind != 'N')
			status = push_row(
				r, &r->row[i], sorted + begin[i], begin[i + 1] - begin[i], false);
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
