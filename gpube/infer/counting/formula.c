/* formula.c - functions as clauses: see formula.h. */
#include "gpube/infer/counting/formula.h"

#include <math.h>
#include <string.h>

/* Where cells are further apart a share would be a number that is hardly there. */
#define LEAST_SHARE 0x1p-1000

enum {
	MOST_AXES = 20,
	MOST_CELLS = 1 << 16,    /* of a function */
	MOST_VALUES = 64,        /* that differ, in a function */
	MOST_LITERALS = 1 << 24, /* in all clauses */
	BETWEEN_LOOKS = 256,
};

/* One function: its cells over axes of several values that can occur, the last one fastest. */
struct translating {
	struct gpube_formula *f;
	struct gpube__inferring *j;
	int32_t *literal_of; /* of each variable of the model its first one; -1: it has one value */
	int n;               /* axes */
	int32_t var[MOST_AXES], dim[MOST_AXES], at[MOST_AXES];
	int64_t stride[MOST_AXES], n_cells;
	bool any[MOST_AXES]; /* each of its values, in the clause that is made */
	double *cells;
	bool *covered; /* by a clause of its value */
	bool too_large;
};

void gpube__formula_clear(struct gpube_formula *f)
{
	GPUBE_FREE_ALL(f->ctx, f->of, f->weight, f->first, f->literals);
}

/* ---- clauses and variables ------------------------------------------------------------------- */

static int add_literal(struct gpube_formula *f, int32_t literal)
{
	int status = gpube__grow(f->ctx, &f->literals, &f->literals_capacity, f->n_literals + 1,
		sizeof(*f->literals));

	if (!status)
		f->literals[f->n_literals++] = literal;
	return status;
}

/* Of the literals that were added since the clause before. */
static int end_clause(struct gpube_formula *f)
{
	int status = gpube__grow(
		f->ctx, &f->first, &f->first_capacity, f->n_clauses + 2, sizeof(*f->first));

	if (!status)
		f->first[++f->n_clauses] = f->n_literals;
	return status;
}

static int add_variable(struct gpube_formula *f, int32_t of, double holds, double not )
{
	int status = gpube__grow(f->ctx, &f->of, &f->of_capacity, f->n + 1, sizeof(*f->of));

	if (!status)
		status = gpube__grow(f->ctx, &f->weight, &f->weight_capacity, 2 * (int64_t)f->n + 2,
			sizeof(*f->weight));
	if (status)
		return status;
	f->of[f->n] = of;
	f->weight[2 * f->n] = gpube__wide(holds, 0);
	f->weight[2 * f->n + 1] = gpube__wide(not, 0);
	f->n++;
	return GPUBE_OK;
}

/* That a variable of the model has its value number 'value'. */
static int32_t literal_of(const struct translating *t, int32_t var, int32_t value)
{
	const int32_t first = t->literal_of[var];

	if (gpube__n_possible(&t->j->possible, var) == 2)
		return 2 * first + !value;
	return 2 * (first + value);
}

/* Exactly one of several literals. */
static int add_values(struct translating *t, int32_t var, int32_t n)
{
	struct gpube_formula *f = t->f;
	int status = GPUBE_OK;

	for (int32_t a = 0; a < n && !status; a++)
		status = add_literal(f, literal_of(t, var, a));
	if (!status)
		status = end_clause(f);
	for (int32_t a = 0; a < n; a++)
		for (int32_t b = a + 1; b < n && !status; b++) {
			status = add_literal(f, literal_of(t, var, a) ^ 1);
			if (!status)
				status = add_literal(f, literal_of(t, var, b) ^ 1);
			if (!status)
				status = end_clause(f);
		}
	return status;
}

static int add_variables(struct translating *t)
{
	int status = GPUBE_OK;

	for (int32_t i = 0; i < t->j->m->n_vars && !status; i++) {
		const int32_t n = gpube__n_possible(&t->j->possible, i);

		t->literal_of[i] = n > 1 ? t->f->n : -1;
		for (int32_t a = 0; a < (n == 2 ? 1 : n) && n > 1 && !status; a++)
			status = add_variable(t->f, i, 1, 1);
		if (n > 2 && !status)
			status = add_values(t, i, n);
		t->too_large |= t->f->n_literals > MOST_LITERALS;
	}
	return status;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Whether all cells have this value that agree with t->at but where t->any; 'cover' marks them. */
static bool all_are(const struct translating *t, double value, int k, int64_t cell, bool cover)
{
	for (; k < t->n && !t->any[k]; k++)
		cell += t->stride[k] * t->at[k];
	if (k == t->n) {
		if (cover)
			t->covered[cell] = true;
		return t->cells[cell] == value;
	}
	for (int32_t a = 0; a < t->dim[k]; a++)
		if (!all_are(t, value, k + 1, cell + t->stride[k] * a, cover))
			return false;
	return true;
}

/*
 * In the cell at t->at, and in those around it of the same value, 'then' holds; -1: they are
 * excluded.
 */
static int add_cell(struct translating *t, double value, int32_t then)
{
	int status = GPUBE_OK;

	memset(t->any, 0, sizeof(t->any));
	for (int k = 0; k < t->n; k++) {
		t->any[k] = true;
		t->any[k] = all_are(t, value, 0, 0, false);
	}
	(void)all_are(t, value, 0, 0, true);
	for (int k = 0; k < t->n && !status; k++)
		if (!t->any[k])
			status = add_literal(t->f, literal_of(t, t->var[k], t->at[k]) ^ 1);
	if (then >= 0 && !status)
		status = add_literal(t->f, then);
	return status ? status : end_clause(t->f);
}

static int add_value(struct translating *t, double value, int32_t then)
{
	int status = GPUBE_OK;

	memset(t->at, 0, sizeof(t->at));
	for (int64_t cell = 0; cell < t->n_cells && !status; cell++) {
		if (t->cells[cell] == value && !t->covered[cell])
			status = add_cell(t, value, then);
		for (int k = t->n - 1; k >= 0 && ++t->at[k] == t->dim[k]; k--)
			t->at[k] = 0;
	}
	return status;
}

static int add_cells(struct translating *t, int32_t function)
{
	struct gpube_formula *f = t->f;
	double most = 0;
	int n = 0, status = GPUBE_OK;
	bool rounded = false;

	for (int64_t i = 0; i < t->n_cells; i++) {
		most = fmax(most, t->cells[i]);
		f->n_zeros += t->cells[i] == 0;
	}
	f->factor = gpube__wide_mul(f->factor, gpube__wide(most, 0));
	f->factor_roundings++;
	for (int64_t i = 0; i < t->n_cells && !status && !t->too_large; i++) {
		const double v = t->cells[i], p = v / most;

		if (v == most || t->covered[i])
			continue;
		t->too_large = n++ == MOST_VALUES || f->n_literals > MOST_LITERALS ||
			       (v > 0 && p < LEAST_SHARE);
		/*
		 * p is rounded, as if the cell were another; what 1 - p is off is a rounding of
		 * this p. Of each function a product has one cell.
		 */
		f->factor_roundings += v > 0 && !rounded;
		f->weight_roundings += v > 0 && f->weight_roundings == 0;
		rounded = rounded || v > 0;
		f->n_shares += v > 0;
		if (v > 0)
			status = add_variable(f, -1 - function, p, 1 - p);
		if (!status && !t->too_large)
			status = add_value(t, v, v > 0 ? 2 * (f->n - 1) : -1);
	}
	return status;
}

/* A function of one variable, or of none. */
static void add_weights(struct translating *t)
{
	struct gpube_formula *f = t->f;

	if (t->n == 0)
		f->factor = gpube__wide_mul(f->factor, gpube__wide(t->cells[0], 0));
	f->factor_roundings += t->n == 0;
	f->weight_roundings += t->n; /* all of them might be the same variable's */
	for (int32_t a = 0; t->n && a < t->dim[0]; a++) {
		struct gpube_wide *w = &f->weight[literal_of(t, t->var[0], a)];

		*w = gpube__wide_mul(*w, gpube__wide(t->cells[a], 0));
	}
}

/* Its cells that can occur; false: it is too large. */
static int load(struct translating *t, int32_t function)
{
	struct gpube_visit w;
	int64_t n = 1;
	int status = gpube__visit_begin(&w, t->j->m, function, &t->j->possible);

	t->too_large |= !status && (w.n > MOST_AXES || w.power);
	for (int k = w.n - 1; k >= 0 && !status && !t->too_large; k--) {
		t->var[k] = w.axis[k].var;
		t->dim[k] = w.axis[k].n;
		t->stride[k] = w.axis[k].to = n;
		n *= w.axis[k].n;
		t->too_large = n > MOST_CELLS;
	}
	if (!status && !t->too_large) {
		t->n = w.n;
		t->n_cells = n;
		memset(t->covered, 0, (size_t)n * sizeof(*t->covered));
		do
			t->cells[w.to] = gpube__visit_value(&w);
		while (gpube__visit_step(&w));
	}
	if (!status)
		gpube__free(t->f->ctx, w.axis);
	return status;
}

static int add_functions(struct translating *t)
{
	int status = GPUBE_OK;

	for (int32_t f = 0; f < t->j->m->n_functions && !status && !t->too_large; f++) {
		if (f % BETWEEN_LOOKS == 0 && gpube__stopped(t->f->ctx))
			return gpube__fail_stopped(t->f->ctx);
		status = load(t, f);
		if (status || t->too_large)
			break;
		if (t->n < 2)
			add_weights(t);
		else
			status = add_cells(t, f);
	}
	return status;
}

int gpube__formula_of(struct gpube_formula *f, struct gpube__inferring *j, bool *fits)
{
	struct translating t = {.f = f, .j = j};
	int status = GPUBE_ENOMEM;

	*f = (struct gpube_formula){.ctx = j->ctx, .factor = {0.5, 1}};
	t.literal_of = gpube__alloc(j->ctx, (uint64_t)j->m->n_vars, sizeof(*t.literal_of));
	t.cells = gpube__alloc(j->ctx, MOST_CELLS, sizeof(*t.cells));
	t.covered = gpube__alloc(j->ctx, MOST_CELLS, sizeof(*t.covered));
	if (t.literal_of && t.cells && t.covered)
		status = gpube__grow(f->ctx, &f->first, &f->first_capacity, 1, sizeof(*f->first));
	if (!status) {
		f->first[0] = 0;
		status = add_variables(&t);
	}
	if (!status && !t.too_large)
		status = add_functions(&t);
	*fits = !t.too_large;
	GPUBE_FREE_ALL(j->ctx, t.literal_of, t.cells, t.covered);
	return status;
}
