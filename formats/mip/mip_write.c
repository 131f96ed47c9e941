/*
 * mip_write.c - a model as .lp (CPLEX's) and .mps (free form) for MIP solvers. See mip.h.
 *
 * Column x3 is value 1 of variable 3, x3_2 its value 2 of more than two; y and z are none of the
 * model's; 'one' is 1. Names stand in comments, those of .lp alone.
 */
#include <stdio.h>
#include <string.h>

#include "formats/common/registry.h"
#include "formats/mip/mip.h"
#include "gpube/base/rows.h"

struct writer {
	const struct gpube_mip *p;
	struct gpube_out *out;
	int n_line; /* terms on the line so far */
};

void gpube__mip_name(char name[GPUBE_MIP_NAME], const struct gpube_mip *p, int32_t column)
{
	const int32_t var = p->var[column];

	if (p->words)
		p->words->name_column(name, p->words->arg, column);
	else if (column == 0)
		strcpy(name, "one");
	else if (var < 0)
		snprintf(name, GPUBE_MIP_NAME, "y%d", column);
	else if (p->m->vars[var].domain == 2)
		snprintf(name, GPUBE_MIP_NAME, "x%d", var);
	else
		snprintf(name, GPUBE_MIP_NAME, "x%d_%d", var, p->value[column]);
}

static void write_name(const struct writer *w, int32_t column)
{
	char name[GPUBE_MIP_NAME];

	gpube__mip_name(name, w->p, column);
	gpube__out_text(w->out, name);
}

static void write_row_name(const struct writer *w, int32_t row)
{
	char name[GPUBE_MIP_NAME];

	if (w->p->words)
		w->p->words->name_row(name, w->p->words->arg, w->p->value[row]);
	else
		snprintf(name, sizeof(name), "r%d", row);
	gpube__out_text(w->out, name);
}

/* The first column that is not the constant 1. */
static int32_t first_column(const struct writer *w)
{
	return !w->p->words;
}

/* A number of costs has the model's decimals. */
static void write_number(const struct writer *w, int64_t v, bool cost)
{
	if (cost)
		gpube__out_decimal(w->out, v, w->p->m->scale);
	else
		gpube__out_int(w->out, v);
}

static bool maximised(const struct writer *w)
{
	return w->p->m->direction == GPUBE_MAXIMISE;
}

/* MIP solvers work in doubles. */
static void warn_of_size(const struct writer *w)
{
	const struct gpube_mip *p = w->p;

	for (int32_t c = 0; c < p->n_columns; c++)
		if (p->cost[c] > (int64_t)1 << 53 || p->cost[c] < -((int64_t)1 << 53)) {
			gpube__log(p->ctx, GPUBE_LOG_NOTE,
				"%s: costs pass 2^53: programs that read them as doubles round "
				"them",
				w->out->path);
			return;
		}
}

/* ---- .lp ------------------------------------------------------------------------------------- */

static void write_term(struct writer *w, int32_t column, int64_t factor, bool cost)
{
	if (w->n_line++ % 8 == 0 && w->n_line > 1)
		gpube__out_text(w->out, "\n  ");
	gpube__out_text(w->out, factor < 0 ? " - " : " + ");
	if (factor != 1 && factor != -1) {
		write_number(w, factor < 0 ? -factor : factor, cost);
		gpube__out_text(w->out, " ");
	} else if (cost && w->p->m->scale) {
		write_number(w, 1, true);
		gpube__out_text(w->out, " ");
	}
	write_name(w, column);
}

/* A name as a comment holds it, which ends with the line. */
static void write_comment(const struct writer *w, const char *name)
{
	char text[256];
	size_t n = 0;

	for (; name[n] && n + 1 < sizeof(text); n++)
		text[n] = (unsigned char)name[n] < ' ' ? '?' : name[n];
	text[n] = 0;
	gpube__out_text(w->out, text);
}

static void write_names(const struct writer *w)
{
	const struct gpube_model *m = w->p->m;

	for (int32_t i = 0; i < m->n_vars; i++) {
		const struct gpube_variable *v = &m->vars[i];

		if (!v->name && !v->value_names)
			continue;
		gpube__out_printf(w->out, "\\ x%d:", i);
		if (v->name) {
			gpube__out_text(w->out, " ");
			write_comment(w, v->name);
		}
		for (int32_t a = 0; v->value_names && a < v->domain; a++) {
			gpube__out_text(w->out, a ? ", " : " = ");
			write_comment(w, v->value_names[a]);
		}
		gpube__out_text(w->out, "\n");
	}
}

static void write_lp_row(struct writer *w, int32_t row)
{
	const struct gpube_mip *p = w->p;
	const bool costs = row == p->top_row;

	gpube__out_text(w->out, " ");
	write_row_name(w, row);
	gpube__out_text(w->out, ":");
	w->n_line = 0;
	for (int64_t k = p->at[row]; k < p->at[row + 1]; k++)
		write_term(w, p->column[k], p->factor[k], costs);
	gpube__out_text(w->out, p->sense[row] == GPUBE_EXACTLY ? " = " : " <= ");
	write_number(w, p->rhs[row], costs);
	gpube__out_text(w->out, "\n");
}

static void write_lp(struct writer *w)
{
	const struct gpube_mip *p = w->p;

	gpube__out_text(w->out, p->words ? p->words->lp : GPUBE__LP_BINARY);
	if (!p->words)
		write_names(w);
	gpube__out_text(w->out, maximised(w) ? "Maximize\n obj:" : "Minimize\n obj:");
	for (int32_t c = 0; c < p->n_columns; c++)
		if (p->cost[c] || c == 0 || p->words)
			write_term(w, c, maximised(w) ? -p->cost[c] : p->cost[c], true);
	gpube__out_text(w->out, "\nSubject To\n");
	for (int32_t r = 0; r < p->n_rows && !w->out->status; r++)
		write_lp_row(w, r);
	gpube__out_text(w->out, p->words ? "" : "Bounds\n one = 1\n");
	for (int32_t c = first_column(w); c < p->n_columns && !w->out->status; c++) {
		if (p->var[c] >= 0)
			continue;
		gpube__out_text(w->out, " ");
		write_name(w, c);
		gpube__out_text(w->out, " <= 1\n");
	}
	gpube__out_text(w->out, "Binary\n");
	w->n_line = 0;
	for (int32_t c = first_column(w); c < p->n_columns && !w->out->status; c++) {
		if (p->var[c] < 0)
			continue;
		gpube__out_text(w->out, " ");
		write_name(w, c);
		if (++w->n_line % 8 == 0)
			gpube__out_text(w->out, "\n");
	}
	gpube__out_text(w->out, "\nEnd\n");
}

/* ---- .mps ---------------------------------------------------------------------------- */

/* The entries by column: those of c are of[start[c]] … of[start[c + 1] - 1], rows beside them. */
struct columns {
	int64_t *start, *of;
	int32_t *row;
};

static int transpose(struct columns *t, const struct gpube_mip *p)
{
	const int64_t n = p->n_rows ? p->at[p->n_rows] : 0;

	t->start = gpube__alloc_zero(p->ctx, (uint64_t)p->n_columns + 2, sizeof(*t->start));
	t->of = gpube__alloc(p->ctx, (uint64_t)n + 1, sizeof(*t->of));
	t->row = gpube__alloc(p->ctx, (uint64_t)n + 1, sizeof(*t->row));
	if (!t->start || !t->of || !t->row)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < n; k++)
		GPUBE_ROW_COUNT(t->start, p->column[k]);
	GPUBE_ROWS_BEGIN(t->start, p->n_columns);
	for (int32_t r = 0; r < p->n_rows; r++)
		for (int64_t k = p->at[r]; k < p->at[r + 1]; k++) {
			const int64_t to = GPUBE_ROW_PLACE(t->start, p->column[k]);

			t->of[to] = k;
			t->row[to] = r;
		}
	return GPUBE_OK;
}

static void write_column(struct writer *w, const struct columns *t, int32_t c)
{
	const struct gpube_mip *p = w->p;

	if (p->cost[c] || t->start[c] == t->start[c + 1]) {
		gpube__out_text(w->out, " ");
		write_name(w, c);
		gpube__out_text(w->out, " obj ");
		write_number(w, p->cost[c], true);
		gpube__out_text(w->out, "\n");
	}
	for (int64_t k = t->start[c]; k < t->start[c + 1]; k++) {
		gpube__out_text(w->out, " ");
		write_name(w, c);
		gpube__out_text(w->out, " ");
		write_row_name(w, t->row[k]);
		gpube__out_text(w->out, " ");
		write_number(w, p->factor[t->of[k]], t->row[k] == p->top_row);
		gpube__out_text(w->out, "\n");
	}
}

static void write_bounds(struct writer *w)
{
	const struct gpube_mip *p = w->p;

	gpube__out_text(w->out, p->words ? "BOUNDS\n" : "BOUNDS\n FX bound one 1\n");
	for (int32_t c = first_column(w); c < p->n_columns && !w->out->status; c++) {
		if (p->var[c] < 0)
			continue;
		gpube__out_text(w->out, " UP bound ");
		write_name(w, c);
		gpube__out_text(w->out, " 1\n");
	}
}

static int write_mps(struct writer *w)
{
	const struct gpube_mip *p = w->p;
	struct columns t = {0};
	int status = transpose(&t, p);
	bool binary = false;

	if (!status) {
		/* a section for the direction is an extension, which CBC 2.10 passes over */
		if (maximised(w))
			gpube__log(p->ctx, GPUBE_LOG_NOTE,
				"%s: the model is maximised: written negated, to be minimised",
				w->out->path);
		gpube__out_text(w->out, p->words ? p->words->mps : GPUBE__MPS_BINARY);
		gpube__out_text(w->out, "NAME gpube\nROWS\n N obj\n");
		for (int32_t r = 0; r < p->n_rows; r++) {
			gpube__out_text(w->out, p->sense[r] == GPUBE_EXACTLY ? " E " : " L ");
			write_row_name(w, r);
			gpube__out_text(w->out, "\n");
		}
		gpube__out_text(w->out, "COLUMNS\n");
		for (int32_t c = 0; c < p->n_columns && !w->out->status; c++) {
			if (binary != (p->var[c] >= 0)) {
				binary = !binary;
				gpube__out_printf(w->out, " mark%d 'MARKER' '%s'\n", c,
					binary ? "INTORG" : "INTEND");
			}
			write_column(w, &t, c);
		}
		if (binary)
			gpube__out_text(w->out, " last 'MARKER' 'INTEND'\n");
		gpube__out_text(w->out, "RHS\n");
		for (int32_t r = 0; r < p->n_rows && !w->out->status; r++) {
			if (p->rhs[r] == 0)
				continue;
			gpube__out_text(w->out, " rhs ");
			write_row_name(w, r);
			gpube__out_text(w->out, " ");
			write_number(w, p->rhs[r], r == p->top_row);
			gpube__out_text(w->out, "\n");
		}
		write_bounds(w);
		gpube__out_text(w->out, "ENDATA\n");
	}
	GPUBE_FREE_ALL(p->ctx, t.start, t.of, t.row);
	return status ? status : w->out->status;
}

/* ---- both ---------------------------------------------------------------------------- */

int gpube__mip_write(const struct gpube_mip *p, struct gpube_out *out, bool lp)
{
	struct writer w = {.p = p, .out = out};

	warn_of_size(&w);
	if (!lp)
		return write_mps(&w);
	write_lp(&w);
	return out->status;
}

static int write_file(const struct gpube_model *m, struct gpube_out *out, bool lp)
{
	struct gpube_mip p;
	int status = gpube__mip_init(&p, m);

	if (status)
		return status;
	status = gpube__mip_write(&p, out, lp);
	gpube__mip_clear(&p);
	return status;
}

int gpube__lp_write(const struct gpube_model *m, struct gpube_out *out)
{
	return write_file(m, out, true);
}

int gpube__mps_write(const struct gpube_model *m, struct gpube_out *out)
{
	return write_file(m, out, false);
}
