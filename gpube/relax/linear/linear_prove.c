/* linear_prove.c - prices, what they prove, and what rows exclude: see linear_relaxation.h. */
#include "gpube/relax/linear/linear_parts.h"

#include <math.h>
#include <string.h>

/* Work for each entry. */
enum { ENTRY_TICKS = 2 };

enum gpube_clp_end gpube__linear_solve(
	struct gpube_linear_state *s, const uint64_t *live, int most, int64_t *count)
{
	double *high = gpube__clp_high(s->clp);
	enum gpube_clp_end end;
	int taken;

	if (!high)
		return GPUBE__CLP_FAILS;
	for (int32_t x = 0; x < s->p->of.n_values; x++)
		high[x] = gpube__bit(live, x);
	end = gpube__clp_dual(s->clp, most, &taken);
	*count += taken;
	gpube__clp_work(s->ctx, s->n_columns + s->n_rows, s->n_entries, taken);
	return end;
}

/* A price as an integer; nothing of what is no number. */
static int64_t rounded(double price, double unit, bool limits)
{
	const double most = (double)GPUBE__LINEAR_MOST;
	const double units = isfinite(price) ? rint(price / unit) : 0;
	const int64_t whole = (int64_t)(units > most ? most : units < -most ? -most : units);

	return limits && whole > 0 ? 0 : whole;
}

/* Costs less what the rows' prices say; what these are in sum. */
static __int128 reduce(struct gpube_linear_state *s, const double *price)
{
	const struct gpube_linear_program *p = s->p;
	__int128 sum = 0;

	memcpy(s->reduced, p->cost, (size_t)p->n_columns * sizeof(*s->reduced));
	for (int32_t r = 0; r < p->n_limits; r++) {
		const int64_t own = rounded(price[r], p->unit, true);

		if (!own)
			continue;
		sum += (__int128)own * p->limits[r];
		for (int64_t k = p->row_at[r]; k < p->row_at[r + 1]; k++)
			s->reduced[p->entries[k]] -= own;
	}
	price += p->n_limits;
	for (int32_t f = 0; f < p->n_functions; f++) {
		const struct gpube_linear_function *of = &p->functions[f];
		const int32_t *cell = p->cells + of->cell_at;
		int32_t at = of->row;

		for (int k = 0; k < of->arity; k++) {
			const int32_t i = p->scopes[of->scope_at + k];

			for (int32_t x = p->of.at[i]; x < p->of.at[i + 1]; x++)
				s->reduced[x] +=
					rounded(price[at + x - p->of.at[i]], p->unit, false);
			for (int32_t c = 0; c < of->n; c++)
				s->reduced[of->column + c] -=
					rounded(price[at + cell[c * of->arity + k] - p->of.at[i]],
						p->unit, false);
			at += p->of.at[i + 1] - p->of.at[i];
		}
	}
	return sum;
}

/* The least of a function's cells of live values; what values of its variables add to that. */
static int64_t prove_function(
	struct gpube_linear_state *s, const struct gpube_linear_function *f, const uint64_t *live)
{
	const struct gpube_linear_program *p = s->p;
	const int32_t *scope = p->scopes + f->scope_at;
	int64_t least = INT64_MAX;

	for (int k = 0; k < f->arity; k++)
		for (int32_t x = p->of.at[scope[k]]; x < p->of.at[scope[k] + 1]; x++)
			s->least[x] = INT64_MAX;
	for (int32_t c = 0; c < f->n; c++) {
		const int32_t *cell = p->cells + f->cell_at + (int64_t)c * f->arity;
		const int64_t cost = s->reduced[f->column + c];
		bool is_live = true;

		for (int k = 0; k < f->arity && is_live; k++)
			is_live = gpube__bit(live, cell[k]);
		for (int k = 0; k < f->arity && is_live; k++)
			if (cost < s->least[cell[k]])
				s->least[cell[k]] = cost;
		if (is_live && cost < least)
			least = cost;
	}
	for (int k = 0; k < f->arity && least < INT64_MAX; k++)
		for (int32_t x = p->of.at[scope[k]]; x < p->of.at[scope[k] + 1]; x++)
			if (s->least[x] == INT64_MAX)
				s->regret[x] = GPUBE__NOTHING_LEFT;
			else if (s->regret[x] < GPUBE__NOTHING_LEFT)
				s->regret[x] += s->least[x] - least;
	return least;
}

static int64_t at_most(int64_t a)
{
	return a < GPUBE__NOTHING_LEFT ? a : GPUBE__NOTHING_LEFT;
}

void gpube__linear_prove(struct gpube_linear_state *s, const uint64_t *live, const double *price)
{
	const struct gpube_linear_program *p = s->p;
	__int128 bound = reduce(s, price);
	bool none = false;

	for (int32_t i = 0; i < p->of.n; i++) {
		int64_t least = INT64_MAX;

		for (int32_t x = p->of.at[i]; x < p->of.at[i + 1]; x++)
			if (gpube__bit(live, x) && s->reduced[x] < least)
				least = s->reduced[x];
		for (int32_t x = p->of.at[i]; x < p->of.at[i + 1]; x++)
			s->regret[x] =
				gpube__bit(live, x) ? s->reduced[x] - least : GPUBE__NOTHING_LEFT;
		none |= least == INT64_MAX;
		bound += least;
	}
	for (int32_t f = 0; f < p->n_functions && !none; f++) {
		const int64_t least = prove_function(s, &p->functions[f], live);

		none = least == INT64_MAX;
		bound += least;
	}
	for (int32_t x = 0; x < p->of.n_values; x++)
		s->regret[x] = at_most(s->regret[x]);
	s->bound = none || bound > GPUBE__NOTHING_LEFT ? GPUBE__NOTHING_LEFT
		   : bound < -GPUBE__NOTHING_LEFT      ? INT64_MIN
						       : (int64_t)bound;
	gpube__work(s->ctx, ENTRY_TICKS * s->n_entries);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Live values of a variable, of those from 'from' to the entry 'to' of a row. */
static int32_t n_live(const int32_t *from, const int32_t *to, const uint64_t *live)
{
	int32_t n = 0;

	for (; from < to; from++)
		n += gpube__bit(live, *from);
	return n;
}

/*
 * A row counts each variable that has no live values but its own. Where these are as many as may
 * be, the values of others are removed: how many, or -1: too many are taken.
 */
static int32_t propagate_row(struct gpube_linear_state *s, int32_t r, uint64_t *live)
{
	const struct gpube_linear_program *p = s->p;
	const int32_t *end = p->entries + p->row_at[r + 1], *next;
	int32_t taken = 0, removed = 0;

	for (int pass = 0; pass < 2; pass++)
		for (const int32_t *e = p->entries + p->row_at[r]; e < end; e = next) {
			const int32_t i = p->owner[*e];
			int32_t n;

			for (next = e; next < end && p->owner[*next] == i;)
				next++;
			n = n_live(e, next, live);
			if (n && n == s->left[i])
				taken += !pass;
			else if (pass)
				for (; n && e < next; e++)
					if (gpube__bit(live, *e)) {
						gpube__bit_drop(live, *e);
						s->left[i]--;
						removed++;
					}
			if (pass == 0 && taken > p->limits[r])
				return -1;
			if (pass == 0 && next == end && taken < p->limits[r])
				return 0;
		}
	return removed;
}

int32_t gpube__linear_propagate(struct gpube_linear_state *s, uint64_t *live, bool *empty)
{
	const struct gpube_linear_program *p = s->p;
	int32_t removed = 0, more;

	*empty = false;
	for (int32_t i = 0; i < p->of.n; i++) {
		s->left[i] = 0;
		for (int32_t x = p->of.at[i]; x < p->of.at[i + 1]; x++)
			s->left[i] += gpube__bit(live, x);
		*empty |= !s->left[i];
	}
	do {
		more = 0;
		for (int32_t r = 0; r < p->n_limits && !*empty; r++) {
			const int32_t n = propagate_row(s, r, live);

			*empty = n < 0;
			more += n > 0 ? n : 0;
		}
		gpube__work(s->ctx, ENTRY_TICKS * s->n_entries);
		removed += more;
	} while (more && !*empty);
	return removed;
}
