/* linear_relaxation.c - nodes on a linear program: see linear_relaxation.h. */
#include "gpube/relax/linear/linear_parts.h"

#include <string.h>

/* Steps of the simplex method at a time. */
enum { WINDOW = 500 };
/* What a variable without a value costs in the program, in targets: then there is a solution. */
#define PENALTY 8

/* ---- the program ----------------------------------------------------------------------------- */

/* As the library takes it, by columns. */
struct program {
	const struct gpube_linear_program *p;
	struct gpube__arrays memory;
	int n_columns, n_rows, n_entries;
	int *start, *row, *fill;
	double *entry, *low, *high, *cost, *row_low, *row_high;
};

static int32_t agree_row(
	const struct gpube_linear_program *p, const struct gpube_linear_function *f, int k)
{
	int32_t row = p->n_limits + f->row;

	for (int j = 0; j < k; j++) {
		const int32_t i = p->scopes[f->scope_at + j];

		row += p->of.at[i + 1] - p->of.at[i];
	}
	return row;
}

/* Once to count, and once to fill in. */
static void put(struct program *w, bool count, int column, int row, double entry)
{
	if (count) {
		w->start[column + 1]++;
	} else {
		const int at = w->start[column] + w->fill[column]++;

		w->row[at] = row;
		w->entry[at] = entry;
	}
}

static void put_all(struct program *w, bool count)
{
	const struct gpube_linear_program *p = w->p;
	const int choice = p->n_limits + p->n_agree; /* the row of the first variable's values */

	for (int32_t r = 0; r < p->n_limits; r++)
		for (int64_t k = p->row_at[r]; k < p->row_at[r + 1]; k++)
			put(w, count, p->entries[k], r, 1);
	for (int32_t f = 0; f < p->n_functions; f++) {
		const struct gpube_linear_function *of = &p->functions[f];

		for (int k = 0; k < of->arity; k++) {
			const int32_t i = p->scopes[of->scope_at + k], row = agree_row(p, of, k);

			for (int32_t x = p->of.at[i]; x < p->of.at[i + 1]; x++)
				put(w, count, x, row + x - p->of.at[i], -1);
			for (int32_t c = 0; c < of->n; c++)
				put(w, count, of->column + c,
					row + p->cells[of->cell_at + (int64_t)c * of->arity + k] -
						p->of.at[i],
					1);
		}
	}
	for (int32_t x = 0; x < p->of.n_values; x++)
		put(w, count, x, choice + p->owner[x], 1);
	for (int32_t i = 0; i < p->of.n; i++)
		put(w, count, p->n_columns + i, choice + i, 1);
}

static void fill_columns(struct program *w)
{
	const struct gpube_linear_program *p = w->p;

	for (int c = 0; c < w->n_columns; c++) {
		w->high[c] = c < p->of.n_values ? 1 : 2;
		w->cost[c] = c < p->n_columns ? (double)p->cost[c] * p->unit
					      : PENALTY * (double)p->of.target * p->unit;
	}
	for (int r = 0; r < w->n_rows; r++) {
		const bool limits = r < p->n_limits;

		w->row_low[r] = limits ? -1e30 : r < p->n_limits + p->n_agree ? 0 : 1;
		w->row_high[r] = limits ? p->limits[r] : w->row_low[r];
	}
}

static struct gpube_clp *new_program(const struct gpube_linear_program *p, struct gpube_ctx *ctx)
{
	struct program w = {.p = p,
		.memory = {.ctx = ctx},
		.n_columns = p->n_columns + p->of.n,
		.n_rows = p->n_limits + p->n_agree + p->of.n};
	const uint64_t n = (uint64_t)w.n_columns + 1, rows = (uint64_t)w.n_rows + 1;
	struct gpube_clp *clp = NULL;

	w.start = gpube__array(&w.memory, n, sizeof(*w.start));
	w.fill = gpube__array(&w.memory, n, sizeof(*w.fill));
	w.low = gpube__array(&w.memory, n, sizeof(*w.low));
	w.high = gpube__array(&w.memory, n, sizeof(*w.high));
	w.cost = gpube__array(&w.memory, n, sizeof(*w.cost));
	w.row_low = gpube__array(&w.memory, rows, sizeof(*w.row_low));
	w.row_high = gpube__array(&w.memory, rows, sizeof(*w.row_high));
	if (!w.memory.failed) {
		put_all(&w, true);
		for (int c = 0; c < w.n_columns; c++)
			w.start[c + 1] += w.start[c];
		w.n_entries = w.start[w.n_columns];
		w.row = gpube__array(&w.memory, (uint64_t)w.n_entries + 1, sizeof(*w.row));
		w.entry = gpube__array(&w.memory, (uint64_t)w.n_entries + 1, sizeof(*w.entry));
	}
	if (!w.memory.failed) {
		put_all(&w, false);
		fill_columns(&w);
		clp = gpube__clp_new(
			ctx, &(struct gpube_clp_problem){w.n_columns, w.n_rows, w.start, w.row,
				     w.entry, w.low, w.high, w.cost, w.row_low, w.row_high});
	}
	gpube__arrays_clear(&w.memory);
	return clp;
}

/* ---- states ---------------------------------------------------------------------------------- */

static int64_t n_entries(const struct gpube_linear_program *p)
{
	int64_t n = p->of.n_values + (p->n_limits ? p->row_at[p->n_limits] : 0) + p->n_agree;

	for (int32_t f = 0; f < p->n_functions; f++)
		n += (int64_t)p->functions[f].arity * p->functions[f].n;
	return n;
}

static uint64_t bytes(const struct gpube_relaxed *of)
{
	const struct gpube_linear_program *p = (const struct gpube_linear_program *)of;

	/* the library has the program in several forms, and factors of a basis */
	return 200 * (uint64_t)n_entries(p) +
	       500 * (uint64_t)(p->n_columns + p->n_limits + p->n_agree + 2 * p->of.n);
}

static void close_state(void *state)
{
	struct gpube_linear_state *s = state;
	struct gpube_ctx *ctx;

	if (!s)
		return;
	ctx = s->ctx;
	gpube__clp_free(ctx, s->clp);
	gpube__arrays_clear(&s->memory);
	gpube__free(ctx, s);
}

static int open_state(void **state, const struct gpube_relaxed *of, struct gpube_ctx *ctx)
{
	const struct gpube_linear_program *p = (const struct gpube_linear_program *)of;
	const uint64_t n = (uint64_t)p->of.n_values + 1, words = (uint64_t)p->of.words;
	struct gpube_linear_state *s = *state = gpube__alloc_zero(ctx, 1, sizeof(*s));
	struct gpube__arrays *memory;

	if (!s)
		return GPUBE_ENOMEM;
	memory = &s->memory;
	*memory = (struct gpube__arrays){.ctx = ctx};
	s->p = p;
	s->ctx = ctx;
	s->n_entries = n_entries(p);
	s->n_columns = p->n_columns + p->of.n;
	s->n_rows = p->n_limits + p->n_agree + p->of.n;
	s->live = gpube__array(memory, words, sizeof(*s->live));
	s->other = gpube__array(memory, words, sizeof(*s->other));
	s->only = gpube__array(memory, (uint64_t)p->of.n, sizeof(*s->only));
	s->left = gpube__array(memory, (uint64_t)p->of.n, sizeof(*s->left));
	s->reduced = gpube__array(memory, (uint64_t)p->n_columns, sizeof(*s->reduced));
	s->regret = gpube__array(memory, n, sizeof(*s->regret));
	s->least = gpube__array(memory, n, sizeof(*s->least));
	s->value = gpube__array(memory, n, sizeof(*s->value));
	gpube__splits_init(&s->splits, memory, p->of.n_values);
	s->basis = gpube__array(memory, (uint64_t)(s->n_columns + s->n_rows), 1);
	s->clp = memory->failed ? NULL : new_program(p, ctx);
	if (s->clp)
		return GPUBE_OK;
	close_state(s);
	*state = NULL;
	return GPUBE_ENOMEM;
}

static int begin(void *state, const uint64_t *live, const struct gpube_relaxed_start *from)
{
	struct gpube_linear_state *s = state;
	const struct gpube_linear_program *p = s->p;

	memcpy(s->live, live, (size_t)p->of.words * sizeof(*live));
	s->bound = INT64_MIN;
	s->n_left = 0;
	for (int32_t i = 0; i < p->of.n; i++) {
		int32_t n = 0;

		for (int32_t x = p->of.at[i]; x < p->of.at[i + 1]; x++)
			if (gpube__bit(live, x)) {
				s->only[i] = x;
				n++;
			}
		s->only[i] = n == 1 ? s->only[i] : -1;
		s->n_left += n > 1;
	}
	for (int32_t x = 0; x < p->of.n_values; x++)
		s->value[x] = gpube__bit(live, x);
	if (from) {
		memcpy(s->basis, ((const struct gpube_linear_start *)from)->basis,
			(size_t)s->n_columns + (size_t)s->n_rows);
	} else {
		memset(s->basis, GPUBE__CLP_AT_LOW, (size_t)s->n_columns);
		memset(s->basis + s->n_columns, GPUBE__CLP_BASIC, (size_t)s->n_rows);
	}
	gpube__clp_begin(s->clp, s->basis);
	return GPUBE_OK;
}

static void clear(void *state)
{
	(void)state;
}

static bool decided(const void *state)
{
	return !((const struct gpube_linear_state *)state)->n_left;
}

static enum gpube_relaxed_steps steps(void *state)
{
	struct gpube_linear_state *s = state;
	const enum gpube_clp_end end = gpube__linear_solve(s, s->live, WINDOW, &s->splits.steps[0]);
	const double *value;

	if (end == GPUBE__CLP_FAILS)
		return GPUBE__STEPS_FAIL;
	value = gpube__clp_value(s->clp);
	for (int32_t x = 0; x < s->p->of.n_values; x++)
		s->value[x] = gpube__bit(s->live, x) ? value[x] : 0;
	memcpy(s->basis, gpube__clp_basis(s->clp), (size_t)s->n_columns + (size_t)s->n_rows);
	gpube__linear_prove(s, s->live, gpube__clp_price(s->clp));
	return end == GPUBE__CLP_OVER ? GPUBE__STEPS_OVER : GPUBE__STEPS_GO_ON;
}

static int64_t twice(const void *state)
{
	const struct gpube_linear_state *s = state;

	return s->bound == INT64_MIN ? INT64_MIN : 2 * s->bound;
}

static int32_t filter(void *state, int64_t target, uint64_t *live, bool *empty)
{
	struct gpube_linear_state *s = state;
	const struct gpube_linear_program *p = s->p;
	int32_t n = 0;

	*empty = s->bound >= target;
	for (int32_t x = 0; x < p->of.n_values && !*empty; x++)
		if (s->bound > INT64_MIN && gpube__bit(live, x) &&
			s->bound + s->regret[x] >= target) {
			gpube__bit_drop(live, x);
			n++;
		}
	return *empty ? n : n + gpube__linear_propagate(s, live, empty);
}

static struct gpube_relaxed_start *save(const void *state)
{
	const struct gpube_linear_state *s = state;
	const uint64_t n = (uint64_t)(s->n_columns + s->n_rows);
	struct gpube_linear_start *of = gpube__alloc(s->ctx, 1, sizeof(*of) + n);

	if (!of)
		return NULL;
	of->of = (struct gpube_relaxed_start){.users = 1, .bytes = (int64_t)(sizeof(*of) + n)};
	memcpy(of->basis, s->basis, (size_t)n);
	return &of->of;
}

static void forget(struct gpube_ctx *ctx, struct gpube_relaxed_start *of)
{
	if (of && !--of->users)
		gpube__free(ctx, of);
}

#define RELAXATION(make_it)                                                                        \
	{                                                                                          \
		.name = "linear relaxation", .to_the_end = true, .make = make_it,                  \
		.free = gpube__linear_free, .bytes = bytes, .open = open_state,                    \
		.close = close_state, .begin = begin, .clear = clear, .decided = decided,          \
		.steps = steps, .twice = twice, .filter = filter, .round = gpube__linear_round,    \
		.choose = gpube__linear_choose, .part = gpube__linear_part, .save = save,          \
		.forget = forget,                                                                  \
	}

const struct gpube_relaxation gpube__linear = RELAXATION(gpube__linear_make);
const struct gpube_relaxation gpube__linear_sums = RELAXATION(gpube__linear_make_sums);
