/*
 * bound_unit.c - by what totals of a model differ: all that are allowed are equal modulo a unit.
 *
 * Each function is the sum of a constant, of what single variables add to it where they do not have
 * their first value, and of what pairs and triples add beyond that. What a variable adds is summed
 * over all functions: two that are odd make an even sum. The unit divides all these sums, and all
 * that pairs and triples add. On a graph whose vertices have even degrees cuts of weights +-1
 * differ by 2: where 242 is a total a bound of 241 is raised to 242, and the next better total is
 * 240.
 *
 * Designs weighed. (1) The greatest common divisor of all costs: nothing on such graphs. (2) Rank
 * over the integers of all differences: the same for functions of pairs, whose terms no two share
 * after simplification, for much more work. (3) This one; of a function with forbidden cells, or of
 * more than three variables, the divisor of its differences, which is less than could be said.
 */
#include "gpube/bound/bounder.h"
#include "gpube/ir/rational.h"

/* Cells of a function that is looked at, at most; work of one. */
enum { MOST_CELLS = 1 << 16, CELL_TICKS = 8 };
#define MOST_TERM ((int64_t)1 << 62)

struct unit {
	const struct gpube_model *m;
	int64_t *cells;
	__int128 *terms, *of_value; /* of_value: of all functions, by variable and value */
	int64_t *at;                /* of its variables */
	int64_t unit;               /* 0: all totals so far are one */
	__int128 rest;
};

/* The unit divides that, too; of what is not below 2^62 nothing is said. */
static void take(struct unit *u, __int128 term)
{
	if (u->unit)
		u->unit = gpube__divisor(u->unit, (int64_t)(term % u->unit));
	else if (term > -MOST_TERM && term < MOST_TERM)
		u->unit = gpube__divisor((int64_t)term, 0);
	else
		u->unit = 1;
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
		take(u, (__int128)u->cells[i] - first);
	}
	u->rest += first == GPUBE_INF ? 0 : first;
}

/* How many of the scope's variables do not have their first value in a cell; *last: one of them. */
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
			take(u, u->terms[i]);
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
		take(u, u->of_value[x]);
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
	if (u.unit > 1) {
		b->made.unit = u.unit;
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
