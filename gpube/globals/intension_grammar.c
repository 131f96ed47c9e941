/*
 * intension_grammar.c - sgrammar: words of a context-free language in Chomsky's normal
 * form. See intension.h.
 *
 * A rule is five numbers: its kind (0 and 2: a symbol becomes a value; 1 and 3: it
 * becomes two symbols; 2 and 3 have a weight), the symbol, what it becomes (of a value
 * the second is 0), its weight. With the metric 'weight' a word costs the cheapest of its
 * derivations; with 'var' the least number of values that have to change to make it one
 * of the language, times the cost.
 */
#include "gpube/globals/intension.h"

#include <string.h>

typedef __int128 cost_t;

enum { RULE = 5 };

bool gpube__check_grammar(struct gpube_call *c)
{
	int64_t n = c->scalars[1].v;
	const struct gpube_arg *x = gpube__call_list(c, 0);

	if (n < 1 || n > 1 << 12)
		return gpube__call_refuse(c, "the number of symbols is not from 1 to 4096");
	if (c->arity > 1000 || n * c->arity * c->arity > 1 << 22)
		return gpube__call_refuse(c, "too many symbols and variables to be expanded");
	if (c->scalars[3].v < 0 || c->scalars[3].v >= n)
		return gpube__call_refuse(c, "the start symbol is out of range");
	for (int64_t k = 0; k < c->lists[0].n_items; k++, x += RULE) {
		if (x[1].v < 0 || x[1].v >= n ||
			(x[0].v % 2 && (x[2].v < 0 || x[2].v >= n || x[3].v < 0 || x[3].v >= n)))
			return gpube__call_refuse(c, "a rule has a symbol out of range");
		if (x[0].v >= 2 && c->metric != GPUBE_METRIC_WEIGHT)
			return gpube__call_refuse(
				c, "rules have weights with the metric 'weight' alone");
	}
	return true;
}

static void improve(cost_t *best, cost_t cost)
{
	*best = cost < *best ? cost : *best;
}

/* What it costs that each symbol becomes value number i of the tuple. */
static void read_value(const struct gpube_call *c, cost_t *cell, int32_t value)
{
	const struct gpube_arg *x = gpube__call_list(c, 0);

	for (int64_t k = 0; k < c->lists[0].n_items; k++, x += RULE) {
		if (x[0].v % 2)
			continue;
		if (c->metric != GPUBE_METRIC_WEIGHT)
			improve(&cell[x[1].v], gpube__cost_times(c->scalars[0].v, x[2].v != value));
		else if (x[2].v == value)
			improve(&cell[x[1].v], gpube__cost_times(x[4].v, 1));
	}
}

/* Symbols over 'n' values from 'left' on, of which the first part ends before 'right'. */
static void join(const struct gpube_call *c, cost_t *cell, const cost_t *left, const cost_t *right)
{
	const struct gpube_arg *x = gpube__call_list(c, 0);

	for (int64_t k = 0; k < c->lists[0].n_items; k++, x += RULE)
		if (x[0].v % 2)
			improve(&cell[x[1].v],
				gpube__cost_add(gpube__cost_add(left[x[2].v], right[x[3].v]),
					gpube__cost_times(x[4].v, 1)));
}

/* Cocke, Younger and Kasami: cell (length, start), longer ones from shorter ones. */
cost_t gpube__cost_grammar(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_call *c = e->call;
	int64_t n = c->scalars[1].v;

	for (int64_t k = 0; k < n * e->arity * e->arity; k++)
		e->states[k] = GPUBE_FORBID;
	for (int i = 0; i < e->arity; i++)
		read_value(c, e->states + i * n, t[i]);
	for (int length = 2; length <= e->arity; length++)
		for (int i = 0; i + length <= e->arity; i++)
			for (int k = 1; k < length; k++)
				join(c, e->states + ((length - 1) * e->arity + i) * n,
					e->states + ((k - 1) * e->arity + i) * n,
					e->states + ((length - k - 1) * e->arity + i + k) * n);
	return e->states[(int64_t)(e->arity - 1) * e->arity * n + c->scalars[3].v];
}
