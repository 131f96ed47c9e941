/* intension_cost.c - what a keyword's function costs at one tuple. See intension.h. */
#include "gpube/globals/intension.h"

#include <stdio.h>
#include <string.h>

typedef __int128 cost_t;

/* ---- helpers --------------------------------------------------------------------- */

static int64_t count_value(const int32_t *t, int n, int64_t value)
{
	int64_t k = 0;

	for (int i = 0; i < n; i++)
		k += t[i] == value;
	return k;
}

/* Variables that take one of a list's values. */
static int64_t count_among(const struct gpube_call *c, int values, const int32_t *t, int n)
{
	int64_t k = 0;

	for (int i = 0; i < n; i++)
		k += gpube__listed(c, values, t[i]);
	return k;
}

/* True at the first of the variables that take t[i]. */
static bool first_of_value(const int32_t *t, int i)
{
	for (int j = 0; j < i; j++)
		if (t[j] == t[i])
			return false;
	return true;
}

/* ---- counting ------------------------------------------------------------------------ */

bool gpube__pairwise(const struct gpube_call *c)
{
	if (!(c->keyword->flags & GPUBE_KEYWORD_PAIRS))
		return false;
	if (c->n_scalars == 0 || !c->scalars[0].cost || strcmp(c->keyword->name, "salldiffkp") == 0)
		return true; /* hard by definition */
	if (!c->keyword->metrics)
		return true; /* what each pair costs */
	return c->metric == GPUBE_METRIC_DEC || c->metric == GPUBE_METRIC_DECBI ||
	       c->scalars[0].v == GPUBE_INF || c->scalars[0].v >= c->hard_from;
}

/* Is b among the values that a clique restricts variable i to? */
static bool in_clique(const struct gpube_call *c, int i, int32_t b)
{
	const struct gpube_arg *v = gpube__call_list(c, 0);

	for (; i > 0; i--)
		v += v->v + 1;
	for (int64_t k = 1; k <= v->v; k++)
		if (v[k].v == b)
			return true;
	return false;
}

/* In toulbar2 a value without a name is called v and its index, and alldiff is of names. */
static bool same_name(
	const struct gpube_variable *x, int32_t a, const struct gpube_variable *y, int32_t b)
{
	const char *const name = x->value_names ? x->value_names[a] : y->value_names[b];
	char other[16];

	if (x->value_names && y->value_names)
		return strcmp(name, y->value_names[b]) == 0;
	snprintf(other, sizeof(other), "v%d", x->value_names ? b : a);
	return strcmp(name, other) == 0;
}

cost_t gpube__pair_cost(const struct gpube_call *c, int i, int32_t a, int j, int32_t b)
{
	const struct gpube_variable *x = &c->m->vars[c->scope[i]], *y = &c->m->vars[c->scope[j]];
	const bool by_name =
		(x->value_names || y->value_names) && strcmp(c->keyword->name, "alldiff") == 0;

	if (strcmp(c->keyword->name, "clique") == 0)
		return in_clique(c, i, a) && in_clique(c, j, b) ? GPUBE_FORBID : 0;
	if (by_name ? !same_name(x, a, y, b) : a != b)
		return 0;
	if (strcmp(c->keyword->name, "alldiff") == 0)
		return count_among(c, 0, &a, 1) ? 0 : GPUBE_FORBID;
	if (strcmp(c->keyword->name, "salldiffkp") == 0)
		return GPUBE_FORBID;
	if (c->n_lists && count_among(c, 0, &a, 1))
		return 0;
	return gpube__cost_times(c->scalars[0].v, 1);
}

static bool check_clique(struct gpube_call *c)
{
	return c->scalars[0].v == 1 ||
	       gpube__call_refuse(c, "only 1 is supported as its right-hand side");
}

static cost_t cost_salldiff(const struct gpube_eval *e, const int32_t *t)
{
	int64_t n = 0;

	for (int i = 0; i < e->arity; i++)
		n += !first_of_value(t, i);
	return gpube__cost_times(e->call->scalars[0].v, n);
}

static cost_t cost_walldiff(const struct gpube_eval *e, const int32_t *t)
{
	cost_t s = 0;

	for (int i = 0; i < e->arity; i++)
		if (first_of_value(t, i))
			s = gpube__cost_add(s, gpube__priced(e->call, e->call->scalars[0].v,
						       count_value(t, e->arity, t[i]) - 1));
	return s;
}

static bool check_bounds(struct gpube_call *c)
{
	const struct gpube_arg *b = gpube__call_list(c, 0);
	int64_t width = c->metric == GPUBE_METRIC_WDEC ? 5 : 3;

	for (int64_t k = 0; k < c->lists[0].n_items; k++, b += width) {
		if (b[1].v < 0 || b[1].v > b[2].v)
			return gpube__call_refuse(
				c, "a lower bound is negative or above its upper bound");
		for (int64_t j = 0; j < k; j++)
			if (gpube__call_list(c, 0)[j * width].v == b[0].v)
				return gpube__call_refuse(c, "a value has two bounds");
	}
	return true;
}

/*
 * The program prices each value that is missing or too many, as sgccdp does, whatever the metric
 * says.
 */
static bool check_sgcckp(struct gpube_call *c)
{
	c->metric = GPUBE_METRIC_VAR;
	return check_bounds(c);
}

/* A distance in variables to change is defined only where some assignment is right. */
static bool check_sgcc(struct gpube_call *c)
{
	const struct gpube_arg *b = gpube__call_list(c, 0);
	int64_t low = 0, high = 0, n_values = 0, n_free;
	bool missing = false;

	if (!check_bounds(c))
		return false;
	if (c->metric != GPUBE_METRIC_VAR)
		return true;
	for (int k = 0; k < c->arity; k++)
		if (c->m->vars[c->scope[k]].domain > n_values)
			n_values = c->m->vars[c->scope[k]].domain;
	n_free = n_values;
	for (int64_t k = 0; k < c->lists[0].n_items; k++, b += 3) {
		const bool any = b[0].v < n_values;

		low += b[1].v;
		high += any ? b[2].v : 0;
		n_free -= any;
		missing |= !any && b[1].v > 0;
	}
	if (missing || low > c->arity || (n_free == 0 && high < c->arity))
		return gpube__call_refuse(c, "no assignment meets the bounds");
	return true;
}

static cost_t cost_sgcc(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_call *c = e->call;
	const struct gpube_arg *b = gpube__call_list(c, 0);
	int64_t shortage = 0, excess = 0, cost = c->scalars[0].v;
	bool weighted = c->metric == GPUBE_METRIC_WDEC;
	cost_t s = 0;

	for (int64_t k = 0; k < c->lists[0].n_items; k++, b += weighted ? 5 : 3) {
		int64_t n = count_value(t, e->arity, b[0].v);
		int64_t less = n < b[1].v ? b[1].v - n : 0, more = n > b[2].v ? n - b[2].v : 0;

		shortage += less;
		excess += more;
		s = gpube__cost_add(s, gpube__cost_times(weighted ? b[3].v : cost, less));
		s = gpube__cost_add(s, gpube__cost_times(weighted ? b[4].v : cost, more));
	}
	if (c->metric == GPUBE_METRIC_VAR)
		return gpube__cost_times(cost, excess > shortage ? excess : shortage);
	return s;
}

/* Each value on its own: sgccdp, wgcc. */
static cost_t cost_wgcc(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_call *c = e->call;
	const struct gpube_arg *b = gpube__call_list(c, 0);
	cost_t s = 0;

	for (int64_t k = 0; k < c->lists[0].n_items; k++, b += 3)
		s = gpube__cost_add(s,
			gpube__priced(c, c->scalars[0].v,
				gpube__outside(count_value(t, e->arity, b[0].v), b[1].v, b[2].v)));
	return s;
}

static cost_t cost_gcc(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *b = gpube__call_list(e->call, 0);

	for (int64_t k = 0; k < e->call->lists[0].n_items; k++, b += 3)
		if (gpube__outside(count_value(t, e->arity, b[0].v), b[1].v, b[2].v))
			return GPUBE_FORBID;
	return 0;
}

static bool check_no_deltas(struct gpube_call *c)
{
	if (c->lists[1].n_items)
		return gpube__call_refuse(c, "delta costs are not supported");
	return strcmp(c->keyword->name, "gcc") != 0 || check_bounds(c);
}

static cost_t cost_samong(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *a = e->call->scalars;

	return gpube__priced(e->call, a[0].v,
		gpube__outside(count_among(e->call, 0, t, e->arity), a[1].v, a[2].v));
}

static cost_t cost_wvaramong(const struct gpube_eval *e, const int32_t *t)
{
	int n = e->arity - 1;

	return gpube__priced(
		e->call, e->call->scalars[0].v, gpube__gap(count_among(e->call, 0, t, n), t[n]));
}

/* The format's words of measure mean here what they mean elsewhere; the program takes one alone. */
static bool check_wvaramong(struct gpube_call *c)
{
	if (c->metric != GPUBE_METRIC_HARD)
		c->sink.note(c->sink.of,
			"wvaramong by the size of the violation; toulbar2 prices each 'hard'");
	return true;
}

/* ---- two groups of variables ------------------------------------------------------- */

static bool check_ssame(struct gpube_call *c)
{
	if (c->lists[0].n_items != c->lists[1].n_items)
		return gpube__call_refuse(c, "the two lists differ in length");
	return true;
}

static cost_t cost_ssame(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_call *c = e->call;
	const struct gpube_arg *g[] = {gpube__call_list(c, 0), gpube__call_list(c, 1)};
	int64_t n = c->lists[0].n_items, unmatched = 0;

	GPUBE_KNOWN(n == 0 || (g[0] && g[1]));
	/* as many of the first group's values as the second does not offset */
	for (int64_t i = 0; i < n; i++) {
		int32_t value = t[g[0][i].v];
		int64_t before = 0, there = 0;

		for (int64_t j = 0; j < n; j++) {
			before += j <= i && t[g[0][j].v] == value;
			there += t[g[1][j].v] == value;
		}
		unmatched += before > there;
	}
	return gpube__cost_times(c->scalars[0].v, unmatched);
}

static bool check_even(struct gpube_call *c)
{
	if (c->arity % 2)
		return gpube__call_refuse(c, "an even number of variables is needed");
	return strcmp(c->keyword->name, "wsamegcc") != 0 || check_bounds(c);
}

static cost_t cost_wsame(const struct gpube_eval *e, const int32_t *t)
{
	int half = e->arity / 2;
	cost_t s = 0;

	for (int i = 0; i < e->arity; i++)
		if (first_of_value(t, i))
			s = gpube__cost_add(s, gpube__priced(e->call, e->call->scalars[0].v,
						       gpube__gap(count_value(t, half, t[i]),
							       count_value(t + half, half, t[i]))));
	return s;
}

static cost_t cost_wsamegcc(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_call *c = e->call;
	const struct gpube_arg *b = gpube__call_list(c, 0);
	int half = e->arity / 2;
	cost_t s = cost_wsame(e, t);

	for (int64_t k = 0; k < c->lists[0].n_items; k++, b += 3)
		for (int side = 0; side < 2; side++) {
			int64_t n = count_value(t + side * half, half, b[0].v);

			s = gpube__cost_add(s, gpube__priced(c, c->scalars[0].v,
						       gpube__outside(n, b[1].v, b[2].v)));
		}
	return s;
}

static cost_t cost_woverlap(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *a = e->call->scalars;
	int half = e->arity / 2;
	int64_t n = 0;

	for (int i = 0; i < half; i++)
		n += t[i] != 0 && t[i] == t[i + half];
	return gpube__priced(e->call, a[0].v, gpube__compared(e->call->comparator, n, a[1].v));
}

static cost_t cost_wdiverse(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *v = gpube__call_list(e->call, 0);
	int64_t distance = 0;

	for (int i = 0; i < e->arity; i++)
		distance += t[i] != v[i].v;
	return distance >= e->call->scalars[0].v ? 0 : GPUBE_FORBID;
}

/* ---- sums ---------------------------------------------------------------------------- */

static int64_t sum(const int32_t *t, int n)
{
	int64_t s = 0;

	for (int i = 0; i < n; i++)
		s += t[i];
	return s;
}

static cost_t cost_wsum(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *a = e->call->scalars;

	return gpube__priced(
		e->call, a[0].v, gpube__compared(e->call->comparator, sum(t, e->arity), a[1].v));
}

static cost_t cost_wvarsum(const struct gpube_eval *e, const int32_t *t)
{
	int n = e->arity - 1;

	return gpube__priced(e->call, e->call->scalars[0].v,
		gpube__compared(e->call->comparator, sum(t, n), t[n]));
}

static cost_t cost_knapsack(const struct gpube_eval *e, const int32_t *t)
{
	cost_t s = 0;

	for (int i = 0; i < e->arity; i++)
		s += e->weights[e->weights_of[i] + t[i]];
	return s >= e->call->scalars[0].v ? 0 : GPUBE_FORBID;
}

static cost_t cost_max(const struct gpube_eval *e, const int32_t *t)
{
	int64_t most = 0;

	for (int i = 0; i < e->arity; i++) {
		int64_t w = e->weights[e->weights_of[i] + t[i]];

		most = w > most ? w : most;
	}
	return gpube__cost_times(most, 1);
}

/* ---- the keywords ------------------------------------------------------------------ */

#define WEIGHTED "hard lin quad"

const struct gpube_keyword gpube__keywords[] = {
	{">=", "cst:n delta:n", NULL, GPUBE_KEYWORD_BINARY | GPUBE_KEYWORD_UNIT, NULL,
		gpube__cost_greater_equal},
	{">", "cst:n delta:n", NULL, GPUBE_KEYWORD_BINARY | GPUBE_KEYWORD_UNIT, NULL,
		gpube__cost_greater},
	{"<=", "cst:n delta:n", NULL, GPUBE_KEYWORD_BINARY | GPUBE_KEYWORD_UNIT, NULL,
		gpube__cost_less_equal},
	{"<", "cst:n delta:n", NULL, GPUBE_KEYWORD_BINARY | GPUBE_KEYWORD_UNIT, NULL,
		gpube__cost_less},
	{"=", "cst:n delta:n", NULL, GPUBE_KEYWORD_BINARY | GPUBE_KEYWORD_UNIT, NULL,
		gpube__cost_equal},
	{"disj", "cstx:n csty:n penalty:c", NULL, GPUBE_KEYWORD_BINARY, NULL, gpube__cost_disj},
	{"sdisj", "cstx:n csty:n xinfty:n yinfty:n costx:c costy:c", NULL, GPUBE_KEYWORD_BINARY,
		NULL, gpube__cost_sdisj},
	{"alldiff", "*exceptedvalues:v *deltacosts:vc", NULL, GPUBE_KEYWORD_PAIRS, check_no_deltas,
		NULL},
	{"gcc", "*bounds:vnn *deltacosts:vc", NULL, 0, check_no_deltas, cost_gcc},
	{"clique", "rhs:n =values:v+", NULL, GPUBE_KEYWORD_PAIRS, check_clique, NULL},
	{"knapsack", "capacity:l =weights:l", NULL, GPUBE_KEYWORD_WEIGHTS, NULL, cost_knapsack},
	{"knapsackp", "capacity:l =weights:vl+", NULL, GPUBE_KEYWORD_WCSP | GPUBE_KEYWORD_WEIGHTS,
		NULL, cost_knapsack},
	{"knapsackv", "capacity:l *weightedvalues:Vvl", NULL, GPUBE_KEYWORD_WEIGHTS, NULL,
		cost_knapsack},
	{"salldiff", "metric:m cost:c", "var dec decbi", GPUBE_KEYWORD_PAIRS, NULL, cost_salldiff},
	{"salldiffdp", "metric:m cost:c", "var", GPUBE_KEYWORD_PAIRS, NULL, cost_salldiff},
	{"salldiffkp", "metric:m cost:c", "hard hardeq hardge var", GPUBE_KEYWORD_PAIRS, NULL,
		NULL},
	{"walldiff", "metric:m cost:c", WEIGHTED, GPUBE_KEYWORD_PAIRS, NULL, cost_walldiff},
	{"walldifferent", "metric:m cost:c", WEIGHTED, GPUBE_KEYWORD_PAIRS, NULL, cost_walldiff},
	{"sgcc", "metric:m cost:c *bounds:vnn?cc", "var dec wdec", 0, check_sgcc, cost_sgcc},
	{"sgccdp", "metric:m cost:c *bounds:vnn", "var", 0, check_bounds, cost_wgcc},
	{"sgcckp", "metric:m cost:c *bounds:vnn", "hard var", 0, check_sgcckp, cost_wgcc},
	{"wgcc", "metric:m cost:c *bounds:vnn", WEIGHTED, 0, check_bounds, cost_wgcc},
	{"ssame", "cost:c *vars1:V *vars2:V", NULL, GPUBE_KEYWORD_COUNTS, check_ssame, cost_ssame},
	{"wsame", "metric:m cost:c", WEIGHTED, 0, check_even, cost_wsame},
	{"wsamegcc", "metric:m cost:c *bounds:vnn", WEIGHTED, 0, check_even, cost_wsamegcc},
	{"samong", "metric:m cost:c min:n max:n *values:v", "var", 0, NULL, cost_samong},
	{"samongdp", "metric:m cost:c min:n max:n *values:v", "var", 0, NULL, cost_samong},
	{"wamong", "metric:m cost:c *values:v min:n max:n", WEIGHTED, 0, NULL, cost_samong},
	{"wvaramong", "metric:m cost:c *values:v", WEIGHTED, 0, check_wvaramong, cost_wvaramong},
	{"woverlap", "metric:m cost:c comparator:o to:n", WEIGHTED, 0, check_even, cost_woverlap},
	{"wsum", "metric:m cost:c comparator:o to:n", WEIGHTED, 0, NULL, cost_wsum},
	{"wvarsum", "metric:m cost:c comparator:o", WEIGHTED, 0, NULL, cost_wvarsum},
	{"wdiverse", "distance:n =values:v", NULL, 0, NULL, cost_wdiverse},
	{"whdiverse", "distance:n =values:v", NULL, 0, NULL, cost_wdiverse},
	{"wtdiverse", "distance:n =values:v", NULL, 0, NULL, cost_wdiverse},
	{"sregular", "metric:m cost:c nb_states:n *starts:n *ends:n *transitions:nvn", "var edit",
		GPUBE_KEYWORD_STATES, gpube__check_regular, gpube__cost_sregular},
	{"sregulardp", "metric:m cost:c nb_states:n *starts:n *ends:n *transitions:nvn", "var",
		GPUBE_KEYWORD_STATES, gpube__check_regular, gpube__cost_sregular},
	{"wregular", "nb_states:n *starts:nC *ends:nC *transitions:nvnC", NULL,
		GPUBE_KEYWORD_STATES, gpube__check_regular, gpube__cost_wregular},
	{"sgrammar", "metric:m cost:c nb_symbols:n nb_values:n start:n *rules:r", "var weight",
		GPUBE_KEYWORD_GRAMMAR, gpube__check_grammar, gpube__cost_grammar},
	{"sgrammardp", "metric:m cost:c nb_symbols:n nb_values:n start:n *rules:r", "var weight",
		GPUBE_KEYWORD_GRAMMAR, gpube__check_grammar, gpube__cost_grammar},
	{"max", "defaultcost:c *tuples:Vvc", NULL, GPUBE_KEYWORD_WEIGHTS, NULL, cost_max},
	{"smaxdp", "defaultcost:c *tuples:Vvc", NULL, GPUBE_KEYWORD_WEIGHTS, NULL, cost_max},
	{"MST", "", NULL, 0, gpube__check_tree, gpube__cost_tree},
	{"smstdp", "", NULL, 0, gpube__check_tree, gpube__cost_tree},
	{NULL, NULL, NULL, 0, NULL, NULL},
};
