/*
 * bound_unit.c - by what totals of a model differ: all that are allowed are equal modulo a unit.
 *
 * Whatever variables have the same effect everywhere drops out: each function is a constant, what
 * single variables bring against their first value, and what pairs and triples bring beyond that.
 * What variables bring is added up over all functions, so that of an odd number in each of two
 * functions an even one is left; the unit divides all sums, and what is beyond them. On a graph
 * whose vertices have even degrees cuts of weights +-1 differ by 2, so that a bound of 241 is one
 * of 242, and what is sought is below 241 once 242 is known.
 *
 * Designs weighed. (1) The greatest common divisor of all costs: nothing on such graphs. (2) Rank
 * over the integers of all differences: the same for functions of pairs, whose terms no two share
 * after simplification, for much more work. (3) This one; of a function with forbidden cells, or of
 * more than three variables, the divisor of its differences, which is less than could be said.
 */
#include "gpube/bound/bounder.h"

/* Cells of a function that is looked at, at most; work of one. */
enum { MOST_CELLS = 1 << 16, CELL_TICKS = 8 };

struct unit {
	const struct gpube_model *m;
	int64_t *cells;
	__int128 *terms, *of_value; /* of_value: of all functions, by variable and value */
	int64_t *at;                /* of its variables */
	__int128 unit, rest;
};

static __int128 divisor(__int128 a, __int128 b)
{
	a = a < 0 ? -a : a;
	b = b < 0 ? -b : b;
	while (b) {
		const __int128 c = a % b;

		a = b;
		b = c;
	}
	return a;
}

/* Of allowed cells alone. */
static void take_differences(struct unit *u, int64_t n)
{
	int64_t first = GPUBE_INF;

	for (int64_t i = 0; i < n; i++) {
		if (u->cells[i] >= GPUBE_INF)
			continue;
		if (first == GPUBE_INF)
			first = u->cells[i];
		u->unit = divisor(u->unit, (__int128)u->cells[i] - first);
	}
	u->rest += first == GPUBE_INF ? 0 : first;
}

/* Which of the scope's variables have another value than their first one: none, one or more. */
static int others(
	const struct gpube_model *m, const int32_t *scope, int arity, int64_t cell, int *last)
{
	int n = 0;

	for (int k = arity - 1; k >= 0; k--) {
		const int32_t domain = m->vars[scope[k]].domain;

		if (cell % domain) {
			n++;
			*last = k;
		}
		cell /= domain;
	}
	return n;
}

static void take_terms(struct unit *u, const int32_t *scope, int arity, int64_t n)
{
	const struct gpube_model *m = u->m;
	int64_t step = 1;

	for (int64_t i = 0; i < n; i++)
		u->terms[i] = u->cells[i];
	for (int k = arity - 1; k >= 0; k--) {
		const int32_t domain = m->vars[scope[k]].domain;

		for (int64_t i = n - 1; i >= 0; i--)
			if (i / step % domain)
				u->terms[i] -= u->terms[i - i / step % domain * step];
		step *= domain;
	}
	u->rest += u->terms[0];
	for (int64_t i = 1; i < n; i++) {
		int k = 0;
		const int more = others(m, scope, arity, i, &k);
		int64_t below = 1;

		for (int e = k + 1; e < arity; e++)
			below *= m->vars[scope[e]].domain;
		if (more > 1)
			u->unit = divisor(u->unit, u->terms[i]);
		else
			u->of_value[u->at[scope[k]] + i / below] += u->terms[i];
	}
}

static void take_function(struct unit *u, int32_t f)
{
	const struct gpube_model *m = u->m;
	const int arity = m->functions[f].arity;
	const int64_t n = gpube_model_cells(m, f);
	bool all = true;

	if (n > MOST_CELLS || n < 0 || gpube_model_costs(u->cells, m, f)) {
		u->unit = 1;
		return;
	}
	gpube__work(m->ctx, CELL_TICKS * n);
	for (int64_t i = 0; i < n; i++)
		all &= u->cells[i] < GPUBE_INF;
	if (all && arity <= 3)
		take_terms(u, gpube__scope(m, f), arity, n);
	else
		take_differences(u, n);
}

/* All functions, until the unit is 1. */
static void take_all(struct unit *u)
{
	const struct gpube_model *m = u->m;

	for (int32_t i = 0; i < m->n_vars; i++)
		u->at[i + 1] = u->at[i] + m->vars[i].domain;
	for (int32_t f = 0; f < m->n_functions && u->unit != 1; f++)
		take_function(u, f);
	for (int64_t x = 0; x < u->at[m->n_vars] && u->unit != 1; x++)
		u->unit = divisor(u->unit, u->of_value[x]);
}

void gpube__bounder_find_unit(struct gpube_bounder *b)
{
	const struct gpube_model *m = b->m;
	struct unit u = {.m = m, .rest = m->constant};
	uint64_t n_values = 1;

	b->made.unit = b->made.rest = 0;
	for (int32_t i = 0; i < m->n_vars; i++)
		n_values += (uint64_t)m->vars[i].domain;
	u.cells = gpube__alloc(b->ctx, MOST_CELLS, sizeof(*u.cells));
	u.terms = gpube__alloc(b->ctx, MOST_CELLS, sizeof(*u.terms));
	u.of_value = gpube__alloc_zero(b->ctx, n_values, sizeof(*u.of_value));
	u.at = gpube__alloc_zero(b->ctx, (uint64_t)m->n_vars + 1, sizeof(*u.at));
	if (u.cells && u.terms && u.of_value && u.at) /* without memory nothing is known */
		take_all(&u);
	if (u.unit > 1 && u.unit < GPUBE_INF) {
		b->made.unit = (int64_t)u.unit;
		b->made.rest = (int64_t)((u.rest % u.unit + u.unit) % u.unit);
		gpube__log(b->ctx, GPUBE_LOG_DETAIL, "totals differ by multiples of %lld",
			(long long)b->made.unit);
	}
	GPUBE_FREE_ALL(b->ctx, u.cells, u.terms, u.of_value, u.at);
}

int64_t gpube__bounder_whole(const struct gpube_bounder *b, int64_t lower)
{
	const int64_t unit = b->made.unit;
	int64_t over;

	if (unit <= 1 || lower >= GPUBE_INF - unit || lower <= -GPUBE_INF)
		return lower;
	over = (lower % unit - b->made.rest) % unit;
	over += over < 0 ? unit : 0;
	return over ? lower + unit - over : lower;
}
