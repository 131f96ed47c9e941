/* replies.c - plans, and the best replies to them. See sequences.h. */
#include <string.h>

#include "nash/extensive/sequences.h"

/* ---- plans ------------------------------------------------------------------------------ */

void nash__pure_plan(fmpz *plan, const struct nash_sequences *s, const int32_t *choice)
{
	_fmpz_vec_zero(plan, s->n);
	fmpz_one(plan);
	for (int32_t h = 0; h < s->n_sets; h++)
		fmpz_set(plan + choice[h], plan + s->after[h]);
}

void nash__even_plan(fmpz *plan, const struct nash_sequences *s)
{
	fmpz *parts = _fmpz_vec_init(s->n); /* one over these */

	fmpz_one(parts);
	fmpz_one(plan);
	for (int32_t h = 0; h < s->n_sets; h++)
		for (int32_t k = s->first[h]; k < s->first[h + 1]; k++) {
			fmpz_mul_si(parts + k, parts + s->after[h], s->first[h + 1] - s->first[h]);
			fmpz_lcm(plan, plan, parts + k);
		}
	for (int32_t k = 1; k < s->n; k++)
		fmpz_divexact(plan + k, plan, parts + k);
	_fmpz_vec_clear(parts, s->n);
}

/* Whether it is a plan of the player. */
static bool is_plan(const struct nash_sequence_form *f, int player, const fmpz *plan)
{
	const struct nash_sequences *s = &f->of[player];
	bool yes = fmpz_sgn(plan) > 0;
	fmpz_t sum;

	fmpz_init(sum);
	for (int32_t k = 1; k < s->n && yes; k++)
		yes = fmpz_sgn(plan + k) >= 0;
	for (int32_t h = 0; h < s->n_sets && yes; h++) {
		_fmpz_vec_sum(sum, plan + s->first[h], s->first[h + 1] - s->first[h]);
		yes = fmpz_equal(sum, plan + s->after[h]);
	}
	fmpz_clear(sum);
	return yes;
}

/* ---- replies ------------------------------------------------------------------------------ */

const struct nash_reply *nash__reply_find(
	const struct nash_sequence_form *f, int player, const fmpz *plan)
{
	const struct nash_sequences *s = &f->of[player];
	const struct nash_reply *r = &f->reply[player];

	_fmpz_vec_zero(r->worth, s->n);
	for (int64_t k = 0; k < f->n; k++)
		fmpz_addmul(r->worth + f->at[player][k], f->pay[player] + k,
			plan + f->at[1 - player][k]);
	for (int32_t h = s->n_sets - 1; h >= 0; h--) {
		int32_t best = s->first[h];

		for (int32_t k = best + 1; k < s->first[h + 1]; k++)
			if (fmpz_cmp(r->worth + k, r->worth + best) > 0)
				best = k;
		r->best[h] = best;
		fmpz_add(r->worth + s->after[h], r->worth + s->after[h], r->worth + best);
	}
	memset(r->used, 0, (size_t)s->n);
	r->used[0] = 1;
	for (int32_t h = 0; h < s->n_sets; h++)
		for (int32_t k = s->first[h]; k < s->first[h + 1] && r->used[s->after[h]]; k++)
			r->used[k] = fmpz_equal(r->worth + k, r->worth + r->best[h]) != 0;
	return r;
}

bool nash__is_equilibrium(const struct nash_sequence_form *f, fmpz *const plan[2])
{
	bool yes = true;

	for (int q = 0; q < 2; q++) {
		const struct nash_reply *r = nash__reply_find(f, q, plan[1 - q]);

		yes = yes && is_plan(f, q, plan[q]);
		for (int32_t k = 0; k < f->of[q].n && yes; k++)
			yes = fmpz_is_zero(plan[q] + k) || r->used[k];
	}
	return yes;
}

/* ---- plans by what they play ---------------------------------------------------------------- */

/*
 * The equations of a plan, whose unknowns are what it plays and the values of the other's sets that
 * a used sequence follows on or leads to: every set of its own keeps its sum, every used sequence
 * of the other is worth its set's value. The last column of 'a' has the constants; in the first
 * n_pivots rows and columns each set has an entry of 1 on the diagonal, if it has any.
 * column  by own sequence, then by the other's sets: -1: none
 * row     by the other's sequences, then by own sets: -1: none
 */
struct equations {
	const struct nash_sequence_form *f;
	int player;
	struct gpube__arrays memory;
	int32_t *column, *row, n_columns, n_rows, n_pivots;
	fmpz_mat_t a;
};

/* Of a set's sequences: the first of these; -1: none is. */
static int32_t first_of(const struct nash_sequences *s, int32_t h, const unsigned char *these)
{
	for (int32_t k = s->first[h]; k < s->first[h + 1]; k++)
		if (these[k])
			return k;
	return -1;
}

static void number_equations(
	struct equations *e, const unsigned char *played, const unsigned char *used)
{
	const struct nash_sequences *s = &e->f->of[e->player], *o = &e->f->of[1 - e->player];
	int32_t *values = e->column + s->n, *sums = e->row + o->n, n = 0, k;

	memset(e->column, 0xff, ((size_t)s->n + (size_t)o->n_sets) * sizeof(*e->column));
	memset(e->row, 0xff, ((size_t)o->n + (size_t)s->n_sets) * sizeof(*e->row));
	for (int32_t h = 0; h < s->n_sets; h++)
		if ((k = first_of(s, h, played)) >= 0)
			sums[h] = e->column[k] = n++;
	for (int32_t h = 0; h < o->n_sets; h++)
		if ((k = first_of(o, h, used)) >= 0)
			e->row[k] = values[h] = n++;
	e->n_pivots = e->n_rows = e->n_columns = n;
	for (int32_t h = 0; h < s->n_sets; h++)
		sums[h] = sums[h] < 0 ? e->n_rows++ : sums[h];
	for (k = 1; k < o->n; k++)
		e->row[k] = used[k] && e->row[k] < 0 ? e->n_rows++ : e->row[k];
	for (k = 1; k < s->n; k++)
		e->column[k] = played[k] && e->column[k] < 0 ? e->n_columns++ : e->column[k];
	for (int32_t h = 0; h < o->n_sets; h++)
		if (values[h] < 0 && e->row[o->after[h]] >= 0)
			values[h] = e->n_columns++;
}

static void fill_equations(struct equations *e)
{
	const struct nash_sequence_form *f = e->f;
	const int p = e->player;
	const struct nash_sequences *s = &f->of[p], *o = &f->of[1 - p];
	const int32_t *values = e->column + s->n, *sums = e->row + o->n;

	for (int32_t h = 0; h < s->n_sets; h++) {
		for (int32_t k = s->first[h]; k < s->first[h + 1]; k++)
			if (e->column[k] >= 0)
				fmpz_one(fmpz_mat_entry(e->a, sums[h], e->column[k]));
		if (s->after[h] == 0)
			fmpz_one(fmpz_mat_entry(e->a, sums[h], e->n_columns));
		else if (e->column[s->after[h]] >= 0)
			fmpz_set_si(fmpz_mat_entry(e->a, sums[h], e->column[s->after[h]]), -1);
	}
	for (int32_t h = 0; h < o->n_sets; h++) {
		for (int32_t k = o->first[h]; k < o->first[h + 1]; k++)
			if (e->row[k] >= 0)
				fmpz_one(fmpz_mat_entry(e->a, e->row[k], values[h]));
		if (e->row[o->after[h]] >= 0)
			fmpz_set_si(fmpz_mat_entry(e->a, e->row[o->after[h]], values[h]), -1);
	}
	for (int64_t k = 0; k < f->n; k++) {
		const int32_t row = e->row[f->at[1 - p][k]], own = f->at[p][k];

		if (row >= 0 && own == 0)
			fmpz_set(fmpz_mat_entry(e->a, row, e->n_columns), f->pay[1 - p] + k);
		else if (row >= 0 && e->column[own] >= 0)
			fmpz_sub(fmpz_mat_entry(e->a, row, e->column[own]),
				fmpz_mat_entry(e->a, row, e->column[own]), f->pay[1 - p] + k);
	}
}

/* Errors: ENOMEM; to be cleared also then */
static int equations_init(struct equations *e, const struct nash_sequence_form *f, int player,
	const unsigned char *played, const unsigned char *used)
{
	const uint64_t n = (uint64_t)f->of[0].n + (uint64_t)f->of[1].n;

	*e = (struct equations){.f = f, .player = player, .memory = {.ctx = f->ctx}};
	e->column = gpube__array(&e->memory, n, sizeof(*e->column));
	e->row = gpube__array(&e->memory, n, sizeof(*e->row));
	if (!e->memory.failed)
		number_equations(e, played, used);
	/* solutions have as many digits as determinants, which grow with the system */
	if (e->memory.failed ||
		nash__room(f->ctx,
			(uint64_t)e->n_rows * ((uint64_t)e->n_columns + 64) * 2 * sizeof(fmpz))) {
		fmpz_mat_init(e->a, 0, 0);
		return GPUBE_ENOMEM;
	}
	fmpz_mat_init(e->a, e->n_rows, e->n_columns + 1);
	fill_equations(e);
	return GPUBE_OK;
}

static void equations_clear(struct equations *e)
{
	fmpz_mat_clear(e->a);
	gpube__arrays_clear(&e->memory);
}

/* Directions in which a plan can move both ways solve its equations without the constants. */
int nash__is_extreme(bool *yes, const struct nash_sequence_form *f, int player, const fmpz *plan)
{
	unsigned char *played = gpube__alloc(f->ctx, (uint64_t)f->of[player].n, 1);
	struct equations e;
	int status;

	if (!played)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < f->of[player].n; k++)
		played[k] = !fmpz_is_zero(plan + k);
	status = equations_init(&e, f, player, played, f->reply[1 - player].used);
	/* the plan is a solution: constants make the rank no larger */
	*yes = !status && fmpz_mat_rank(e.a) == e.n_columns;
	equations_clear(&e);
	gpube__free(f->ctx, played);
	return status;
}

/* x over den; pivots' columns leave all other rows first. */
static bool solve_equations(fmpz_mat_t x, fmpz_t den, struct equations *e)
{
	const slong p = e->n_pivots, rows = e->n_rows, columns = e->n_columns;
	fmpz_mat_t a, b, over, first, rest, top;
	bool ok;

	for (slong c = 0; c < p; c++)
		for (slong r = 0; r < rows; r++)
			if (r != c && !fmpz_is_zero(fmpz_mat_entry(e->a, r, c))) {
				fmpz_set(den, fmpz_mat_entry(e->a, r, c));
				_fmpz_vec_scalar_submul_fmpz(
					e->a->rows[r], e->a->rows[c], columns + 1, den);
			}
	fmpz_mat_window_init(a, e->a, p, p, rows, columns);
	fmpz_mat_window_init(b, e->a, p, columns, rows, columns + 1);
	fmpz_mat_window_init(over, e->a, 0, p, p, columns);
	fmpz_mat_window_init(first, e->a, 0, columns, p, columns + 1);
	fmpz_mat_window_init(rest, x, p, 0, columns, 1);
	fmpz_mat_window_init(top, x, 0, 0, p, 1);
	/* p-adic lifting pays once elimination in integers would have rows of long numbers */
	ok = rows == columns && (rows - p > 30 ? fmpz_mat_solve_dixon_den(rest, den, a, b)
					       : fmpz_mat_solve(rest, den, a, b));
	if (ok) {
		fmpz_mat_mul(top, over, rest);
		fmpz_mat_scalar_mul_fmpz(first, first, den);
		fmpz_mat_sub(top, first, top);
	}
	fmpz_mat_window_clear(a);
	fmpz_mat_window_clear(b);
	fmpz_mat_window_clear(over);
	fmpz_mat_window_clear(first);
	fmpz_mat_window_clear(rest);
	fmpz_mat_window_clear(top);
	return ok;
}

int nash__solve_plan(fmpz *plan, bool *ok, const struct nash_sequence_form *f, int player,
	const unsigned char *played, const unsigned char *used)
{
	struct equations e;
	int status = equations_init(&e, f, player, played, used);
	fmpz_mat_t x;

	gpube__log(f->ctx, GPUBE_LOG_DETAIL, "player %d: %d equations, %d of them with pivots",
		player + 1, e.n_rows, e.n_pivots);
	fmpz_mat_init(x, e.n_columns, 1);
	*ok = !status && solve_equations(x, plan, &e);
	for (int32_t k = 1; k < f->of[player].n && *ok; k++)
		if (e.column[k] >= 0)
			fmpz_set(plan + k, fmpz_mat_entry(x, e.column[k], 0));
		else
			fmpz_zero(plan + k);
	if (*ok && fmpz_sgn(plan) < 0)
		_fmpz_vec_neg(plan, plan, f->of[player].n);
	if (*ok)
		nash__lowest_terms(plan, f->of[player].n - 1);
	fmpz_mat_clear(x);
	equations_clear(&e);
	return status;
}
