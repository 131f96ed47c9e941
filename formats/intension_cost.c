/* intension_cost.c - what a keyword's function costs at one tuple. See intension.h. */
#include "formats/intension.h"

#include <string.h>

typedef __int128 cost_t;

/* ---- helpers --------------------------------------------------------------------- */

static const struct gpube_arg *list(const struct gpube_call *c, int k)
{
	return c->args + c->lists[k].at;
}

/* Sums and multiples that are not forbidden saturate one below. */
static cost_t add(cost_t a, cost_t b)
{
	if (a == GPUBE_FORBID || b == GPUBE_FORBID)
		return GPUBE_FORBID;
	return a + b >= GPUBE_FORBID ? GPUBE_FORBID - 1 : a + b;
}

static cost_t times(int64_t cost, cost_t k)
{
	cost_t r;

	if (k == 0)
		return 0;
	if (cost == GPUBE_INF)
		return GPUBE_FORBID;
	return __builtin_mul_overflow((cost_t)cost, k, &r) || r >= GPUBE_FORBID ? GPUBE_FORBID - 1
	                                                                        : r;
}

static int64_t abs_gap(int64_t a, int64_t b)
{
	return a < b ? b - a : a - b;
}

/* How far a number is from an interval. */
static int64_t outside(int64_t x, int64_t low, int64_t high)
{
	return x < low ? low - x : x > high ? x - high : 0;
}

static cost_t priced(const struct gpube_call *c, int64_t cost, int64_t gap)
{
	switch (c->metric) {
	case GPUBE_METRIC_HARD:
		return times(cost, gap != 0);
	case GPUBE_METRIC_QUAD:
		return times(cost, (cost_t)gap * gap);
	default:
		return times(cost, gap);
	}
}

static int64_t compared(enum gpube_comparator comparator, int64_t sum, int64_t k)
{
	switch (comparator) {
	case GPUBE_EQUAL:
		return abs_gap(sum, k);
	case GPUBE_DIFFERENT:
		return sum == k;
	case GPUBE_LESS:
		return sum < k ? 0 : sum - k + 1;
	case GPUBE_LESS_EQUAL:
		return sum <= k ? 0 : sum - k;
	case GPUBE_GREATER:
		return sum > k ? 0 : k - sum + 1;
	default:
		return sum >= k ? 0 : k - sum;
	}
}

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
	const struct gpube_arg *v = list(c, values);
	int64_t k = 0;

	for (int i = 0; i < n; i++)
		for (int64_t j = 0; j < c->lists[values].n_items; j++)
			if (v[j].v == t[i]) {
				k++;
				break;
			}
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

static bool refuse(struct gpube_call *c, const char *why)
{
	gpube__in_error(c->in, "%s: %s", c->keyword->name, why);
	return false;
}

/* ---- arithmetic -------------------------------------------------------------------- */

static cost_t slack(int64_t v, int64_t delta)
{
	return v > delta ? GPUBE_FORBID : v > 0 ? v : 0;
}

static cost_t cost_greater_equal(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *a = e->call->scalars;

	return slack(t[1] + a[0].v - t[0], a[1].v);
}

static cost_t cost_greater(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *a = e->call->scalars;

	return slack(t[1] + a[0].v + 1 - t[0], a[1].v);
}

static cost_t cost_less_equal(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *a = e->call->scalars;

	return slack(t[0] - a[0].v - t[1], a[1].v);
}

static cost_t cost_less(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *a = e->call->scalars;

	return slack(t[0] - a[0].v + 1 - t[1], a[1].v);
}

static cost_t cost_equal(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *a = e->call->scalars;
	int64_t v = t[1] + a[0].v - t[0];

	return add(slack(v, a[1].v), slack(-v, a[1].v));
}

static cost_t cost_disj(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *a = e->call->scalars;

	return times(a[2].v, !(t[0] >= t[1] + a[1].v || t[1] >= t[0] + a[0].v));
}

static cost_t cost_sdisj(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *a = e->call->scalars;
	bool x_last = t[0] == a[2].v, y_last = t[1] == a[3].v;

	if (t[0] > a[2].v || t[1] > a[3].v)
		return GPUBE_FORBID;
	if (!x_last && !y_last && t[0] < t[1] + a[1].v && t[1] < t[0] + a[0].v)
		return GPUBE_FORBID;
	return add(times(a[4].v, x_last), times(a[5].v, y_last));
}

/* ---- counting ------------------------------------------------------------------------ */

bool gpube__pairwise(const struct gpube_call *c)
{
	if (!(c->keyword->flags & GPUBE_KEYWORD_PAIRS))
		return false;
	if (c->n_scalars == 0 || !c->scalars[0].cost || strcmp(c->keyword->name, "salldiffkp") == 0)
		return true; /* hard by definition */
	return c->metric == GPUBE_METRIC_DEC || c->metric == GPUBE_METRIC_DECBI ||
	       c->scalars[0].v == GPUBE_INF || c->scalars[0].v >= c->hard_from;
}

/* Is b among the values that a clique restricts variable i to? */
static bool in_clique(const struct gpube_call *c, int i, int32_t b)
{
	const struct gpube_arg *v = list(c, 0);

	for (; i > 0; i--)
		v += v->v + 1;
	for (int64_t k = 1; k <= v->v; k++)
		if (v[k].v == b)
			return true;
	return false;
}

cost_t gpube__pair_cost(const struct gpube_call *c, int i, int32_t a, int j, int32_t b)
{
	if (strcmp(c->keyword->name, "clique") == 0)
		return in_clique(c, i, a) && in_clique(c, j, b) ? GPUBE_FORBID : 0;
	if (a != b)
		return 0;
	if (strcmp(c->keyword->name, "alldiff") == 0)
		return count_among(c, 0, &a, 1) ? 0 : GPUBE_FORBID;
	if (strcmp(c->keyword->name, "salldiffkp") == 0)
		return GPUBE_FORBID;
	return times(c->scalars[0].v, 1);
}

static bool check_clique(struct gpube_call *c)
{
	return c->scalars[0].v == 1 || refuse(c, "only 1 is supported as its right-hand side");
}

static cost_t cost_salldiff(const struct gpube_eval *e, const int32_t *t)
{
	int64_t n = 0;

	for (int i = 0; i < e->arity; i++)
		n += !first_of_value(t, i);
	return times(e->call->scalars[0].v, n);
}

static cost_t cost_walldiff(const struct gpube_eval *e, const int32_t *t)
{
	cost_t s = 0;

	for (int i = 0; i < e->arity; i++)
		if (first_of_value(t, i))
			s = add(s, priced(e->call, e->call->scalars[0].v,
			                   count_value(t, e->arity, t[i]) - 1));
	return s;
}

static bool check_bounds(struct gpube_call *c)
{
	const struct gpube_arg *b = list(c, 0);
	int64_t width = c->metric == GPUBE_METRIC_WDEC ? 5 : 3;

	for (int64_t k = 0; k < c->lists[0].n_items; k++, b += width) {
		if (b[1].v < 0 || b[1].v > b[2].v)
			return refuse(c, "a lower bound is negative or above its upper bound");
		for (int64_t j = 0; j < k; j++)
			if (list(c, 0)[j * width].v == b[0].v)
				return refuse(c, "a value has two bounds");
	}
	return true;
}

/* A distance in variables to change is defined only where some assignment is right. */
static bool check_sgcc(struct gpube_call *c)
{
	const struct gpube_arg *b = list(c, 0);
	int64_t low = 0, high = 0, n_values = 0;

	if (!check_bounds(c))
		return false;
	if (c->metric != GPUBE_METRIC_VAR)
		return true;
	for (int k = 0; k < c->arity; k++)
		if (c->m->vars[c->scope[k]].domain > n_values)
			n_values = c->m->vars[c->scope[k]].domain;
	for (int64_t k = 0; k < c->lists[0].n_items; k++, b += 3) {
		low += b[1].v;
		high += b[2].v;
		n_values -= b[0].v < n_values;
	}
	if (low > c->arity || (n_values == 0 && high < c->arity))
		return refuse(c, "no assignment meets the bounds");
	return true;
}

static cost_t cost_sgcc(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_call *c = e->call;
	const struct gpube_arg *b = list(c, 0);
	int64_t shortage = 0, excess = 0, cost = c->scalars[0].v;
	bool weighted = c->metric == GPUBE_METRIC_WDEC;
	cost_t s = 0;

	for (int64_t k = 0; k < c->lists[0].n_items; k++, b += weighted ? 5 : 3) {
		int64_t n = count_value(t, e->arity, b[0].v);
		int64_t less = n < b[1].v ? b[1].v - n : 0, more = n > b[2].v ? n - b[2].v : 0;

		shortage += less;
		excess += more;
		s = add(s, times(weighted ? b[3].v : cost, less));
		s = add(s, times(weighted ? b[4].v : cost, more));
	}
	if (c->metric == GPUBE_METRIC_VAR)
		return times(cost, excess > shortage ? excess : shortage);
	return s;
}

/* Each value on its own: sgccdp, wgcc. */
static cost_t cost_wgcc(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_call *c = e->call;
	const struct gpube_arg *b = list(c, 0);
	cost_t s = 0;

	for (int64_t k = 0; k < c->lists[0].n_items; k++, b += 3)
		s = add(s, priced(c, c->scalars[0].v,
		                   outside(count_value(t, e->arity, b[0].v), b[1].v, b[2].v)));
	return s;
}

static cost_t cost_gcc(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *b = list(e->call, 0);

	for (int64_t k = 0; k < e->call->lists[0].n_items; k++, b += 3)
		if (outside(count_value(t, e->arity, b[0].v), b[1].v, b[2].v))
			return GPUBE_FORBID;
	return 0;
}

static bool check_no_deltas(struct gpube_call *c)
{
	if (c->lists[1].n_items)
		return refuse(c, "delta costs are not supported");
	return strcmp(c->keyword->name, "gcc") != 0 || check_bounds(c);
}

static cost_t cost_samong(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *a = e->call->scalars;

	return priced(
	        e->call, a[0].v, outside(count_among(e->call, 0, t, e->arity), a[1].v, a[2].v));
}

static cost_t cost_wvaramong(const struct gpube_eval *e, const int32_t *t)
{
	int n = e->arity - 1;

	return times(e->call->scalars[0].v, count_among(e->call, 0, t, n) != t[n]);
}

/* ---- two groups of variables ------------------------------------------------------- */

static bool check_ssame(struct gpube_call *c)
{
	if (c->lists[0].n_items != c->lists[1].n_items)
		return refuse(c, "the two lists differ in length");
	return true;
}

static cost_t cost_ssame(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_call *c = e->call;
	const struct gpube_arg *g[] = {list(c, 0), list(c, 1)};
	int64_t n = c->lists[0].n_items, unmatched = 0;

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
	return times(c->scalars[0].v, unmatched);
}

static bool check_even(struct gpube_call *c)
{
	if (c->arity % 2)
		return refuse(c, "an even number of variables is needed");
	return strcmp(c->keyword->name, "wsamegcc") != 0 || check_bounds(c);
}

static cost_t cost_wsame(const struct gpube_eval *e, const int32_t *t)
{
	int half = e->arity / 2;
	cost_t s = 0;

	for (int i = 0; i < e->arity; i++)
		if (first_of_value(t, i))
			s = add(s, priced(e->call, e->call->scalars[0].v,
			                   abs_gap(count_value(t, half, t[i]),
			                           count_value(t + half, half, t[i]))));
	return s;
}

static cost_t cost_wsamegcc(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_call *c = e->call;
	const struct gpube_arg *b = list(c, 0);
	int half = e->arity / 2;
	cost_t s = cost_wsame(e, t);

	for (int64_t k = 0; k < c->lists[0].n_items; k++, b += 3)
		for (int side = 0; side < 2; side++) {
			int64_t n = count_value(t + side * half, half, b[0].v);

			s = add(s, priced(c, c->scalars[0].v, outside(n, b[1].v, b[2].v)));
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
	return priced(e->call, a[0].v, compared(e->call->comparator, n, a[1].v));
}

static cost_t cost_wdiverse(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *v = list(e->call, 0);
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

	return priced(e->call, a[0].v, compared(e->call->comparator, sum(t, e->arity), a[1].v));
}

static cost_t cost_wvarsum(const struct gpube_eval *e, const int32_t *t)
{
	int n = e->arity - 1;

	return priced(
	        e->call, e->call->scalars[0].v, compared(e->call->comparator, sum(t, n), t[n]));
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
	return times(most, 1);
}

static bool check_boolean(struct gpube_call *c)
{
	for (int k = 0; k < c->arity; k++)
		if (c->m->vars[c->scope[k]].domain > 2)
			return refuse(c, "variables of at most two values are needed");
	return true;
}

/* ---- automata and trees ------------------------------------------------------------ */

static bool check_regular(struct gpube_call *c)
{
	bool weighted = strcmp(c->keyword->name, "wregular") == 0;
	int64_t n = c->scalars[weighted ? 0 : 1].v, w = weighted ? 2 : 1;

	if (n < 1 || n > 1 << 20)
		return refuse(c, "the number of states is not from 1 to 1048576");
	for (int k = 0; k < 2; k++)
		for (int64_t j = 0; j < c->lists[k].n_items; j++)
			if (list(c, k)[j * w].v < 0 || list(c, k)[j * w].v >= n)
				return refuse(c, "an initial or final state is out of range");
	for (int64_t j = 0; j < c->lists[2].n_items; j++) {
		const struct gpube_arg *x = list(c, 2) + j * (w + 2);

		if (x[0].v < 0 || x[0].v >= n || x[2].v < 0 || x[2].v >= n)
			return refuse(c, "a transition has a state out of range");
	}
	return true;
}

/*
 * The cheapest path of an automaton that reads the tuple. Weighted: costs stand
 * at states and transitions. Otherwise each symbol read as another costs 'c'.
 */
static cost_t cost_automaton(const struct gpube_eval *e, const int32_t *t, bool weighted)
{
	const struct gpube_call *c = e->call;
	int64_t n = c->scalars[weighted ? 0 : 1].v, w = weighted ? 2 : 1;
	cost_t *now = e->states, *then = e->states + n, *swap, best = GPUBE_FORBID;
	/* a maximised .cfn takes the dearest path */
	bool maximise = c->m->direction == GPUBE_MAXIMISE;

	for (int64_t s = 0; s < n; s++)
		now[s] = GPUBE_FORBID;
	for (int64_t j = 0; j < c->lists[0].n_items; j++) {
		const struct gpube_arg *x = list(c, 0) + j * w;
		cost_t v = weighted ? times(x[1].v, 1) : 0;

		now[x[0].v] = maximise && v != GPUBE_FORBID ? -v : v;
	}
	for (int i = 0; i < e->arity; i++, swap = now, now = then, then = swap) {
		for (int64_t s = 0; s < n; s++)
			then[s] = GPUBE_FORBID;
		for (int64_t j = 0; j < c->lists[2].n_items; j++) {
			const struct gpube_arg *x = list(c, 2) + j * (w + 2);
			bool match = x[1].v == t[i];
			cost_t v = weighted ? times(x[3].v, 1) : times(c->scalars[0].v, !match);

			if ((weighted && !match) || v == GPUBE_FORBID ||
			        now[x[0].v] == GPUBE_FORBID)
				continue;
			v = now[x[0].v] + (maximise ? -v : v);
			if (v < then[x[2].v])
				then[x[2].v] = v;
		}
	}
	for (int64_t j = 0; j < c->lists[1].n_items; j++) {
		const struct gpube_arg *x = list(c, 1) + j * w;
		cost_t v = weighted ? times(x[1].v, 1) : 0;

		if (v == GPUBE_FORBID || now[x[0].v] == GPUBE_FORBID)
			continue;
		v = now[x[0].v] + (maximise ? -v : v);
		best = v < best ? v : best;
	}
	return maximise && best != GPUBE_FORBID ? -best : best;
}

static cost_t cost_sregular(const struct gpube_eval *e, const int32_t *t)
{
	return cost_automaton(e, t, false);
}

static cost_t cost_wregular(const struct gpube_eval *e, const int32_t *t)
{
	return cost_automaton(e, t, true);
}

static bool check_tree(struct gpube_call *c)
{
	for (int k = 0; k < c->arity; k++)
		if (c->m->vars[c->scope[k]].domain > c->arity)
			return refuse(c, "a variable has more values than there are variables");
	return true;
}

/* One root, its own parent, that every variable's chain of parents ends at. */
static cost_t cost_tree(const struct gpube_eval *e, const int32_t *t)
{
	int roots = 0;

	for (int i = 0; i < e->arity; i++)
		roots += t[i] == i;
	if (roots != 1)
		return GPUBE_FORBID;
	for (int i = 0; i < e->arity; i++) {
		int at = i, steps = 0;

		while (t[at] != at && steps++ < e->arity)
			at = t[at];
		if (t[at] != at)
			return GPUBE_FORBID;
	}
	return 0;
}

/* ---- the keywords ------------------------------------------------------------------ */

#define WEIGHTED "hard lin quad"

const struct gpube_keyword gpube__keywords[] = {
        {">=", "cst:n delta:n", NULL, GPUBE_KEYWORD_BINARY | GPUBE_KEYWORD_UNIT, NULL,
                cost_greater_equal},
        {">", "cst:n delta:n", NULL, GPUBE_KEYWORD_BINARY | GPUBE_KEYWORD_UNIT, NULL, cost_greater},
        {"<=", "cst:n delta:n", NULL, GPUBE_KEYWORD_BINARY | GPUBE_KEYWORD_UNIT, NULL,
                cost_less_equal},
        {"<", "cst:n delta:n", NULL, GPUBE_KEYWORD_BINARY | GPUBE_KEYWORD_UNIT, NULL, cost_less},
        {"=", "cst:n delta:n", NULL, GPUBE_KEYWORD_BINARY | GPUBE_KEYWORD_UNIT, NULL, cost_equal},
        {"disj", "cstx:n csty:n penalty:c", NULL, GPUBE_KEYWORD_BINARY, NULL, cost_disj},
        {"sdisj", "cstx:n csty:n xinfty:n yinfty:n costx:c costy:c", NULL, GPUBE_KEYWORD_BINARY,
                NULL, cost_sdisj},
        {"alldiff", "*exceptedvalues:v *deltacosts:vc", NULL, GPUBE_KEYWORD_PAIRS, check_no_deltas,
                NULL},
        {"gcc", "*bounds:vnn *deltacosts:vc", NULL, 0, check_no_deltas, cost_gcc},
        {"clique", "rhs:n =values:v+", NULL, GPUBE_KEYWORD_PAIRS, check_clique, NULL},
        {"knapsack", "capacity:l =weights:l", NULL, 0, check_boolean, cost_knapsack},
        {"knapsackp", "capacity:l =weights:vl+", NULL, GPUBE_KEYWORD_WCSP, NULL, cost_knapsack},
        {"knapsackv", "capacity:l *weightedvalues:Vvl", NULL, 0, NULL, cost_knapsack},
        {"salldiff", "metric:m cost:c", "var dec decbi", GPUBE_KEYWORD_PAIRS, NULL, cost_salldiff},
        {"salldiffdp", "metric:m cost:c", "var", GPUBE_KEYWORD_PAIRS, NULL, cost_salldiff},
        {"salldiffkp", "metric:m cost:c", "hard var", GPUBE_KEYWORD_PAIRS, NULL, NULL},
        {"walldiff", "metric:m cost:c", WEIGHTED, GPUBE_KEYWORD_PAIRS, NULL, cost_walldiff},
        {"sgcc", "metric:m cost:c *bounds:vnn?cc", "var dec wdec", 0, check_sgcc, cost_sgcc},
        {"sgccdp", "metric:m cost:c *bounds:vnn", "var", 0, check_bounds, cost_wgcc},
        {"sgcckp", "metric:m cost:c *bounds:vnn", "hard var", 0, check_bounds, cost_gcc},
        {"wgcc", "metric:m cost:c *bounds:vnn", WEIGHTED, 0, check_bounds, cost_wgcc},
        {"ssame", "cost:c *vars1:V *vars2:V", NULL, GPUBE_KEYWORD_COUNTS, check_ssame, cost_ssame},
        {"wsame", "metric:m cost:c", WEIGHTED, 0, check_even, cost_wsame},
        {"wsamegcc", "metric:m cost:c *bounds:vnn", WEIGHTED, 0, check_even, cost_wsamegcc},
        {"samong", "metric:m cost:c min:n max:n *values:v", "var", 0, NULL, cost_samong},
        {"samongdp", "metric:m cost:c min:n max:n *values:v", "var", 0, NULL, cost_samong},
        {"wamong", "metric:m cost:c *values:v min:n max:n", WEIGHTED, 0, NULL, cost_samong},
        {"wvaramong", "metric:m cost:c *values:v", "hard", 0, NULL, cost_wvaramong},
        {"woverlap", "metric:m cost:c comparator:o to:n", WEIGHTED, 0, check_even, cost_woverlap},
        {"wsum", "metric:m cost:c comparator:o to:n", WEIGHTED, 0, NULL, cost_wsum},
        {"wvarsum", "metric:m cost:c comparator:o", "hard", 0, NULL, cost_wvarsum},
        {"wdiverse", "distance:n =values:v", NULL, 0, NULL, cost_wdiverse},
        {"whdiverse", "distance:n =values:v", NULL, 0, NULL, cost_wdiverse},
        {"wtdiverse", "distance:n =values:v", NULL, 0, NULL, cost_wdiverse},
        {"sregular", "metric:m cost:c nb_states:n *starts:n *ends:n *transitions:nvn", "var", 0,
                check_regular, cost_sregular},
        {"sregulardp", "metric:m cost:c nb_states:n *starts:n *ends:n *transitions:nvn", "var", 0,
                check_regular, cost_sregular},
        {"wregular", "nb_states:n *starts:nC *ends:nC *transitions:nvnC", NULL, 0, check_regular,
                cost_wregular},
        {"max", "defaultcost:c *tuples:Vvc", NULL, 0, NULL, cost_max},
        {"smaxdp", "defaultcost:c *tuples:Vvc", NULL, 0, NULL, cost_max},
        {"MST", "", NULL, 0, check_tree, cost_tree},
        {"smstdp", "", NULL, 0, check_tree, cost_tree},
        {NULL, NULL, NULL, 0, NULL, NULL},
};

/* ---- preparation ------------------------------------------------------------------- */

/* Weights by variable and value, from whichever list the keyword has. */
static void fill_weights(struct gpube_eval *e)
{
	const struct gpube_call *c = e->call;
	const char *name = c->keyword->name;
	const struct gpube_arg *x = list(c, 0), *end = x + c->lists[0].n_args;
	bool is_max = c->keyword->cost == cost_max;

	for (int64_t k = 0; k < e->weights_of[e->arity]; k++)
		e->weights[k] = is_max ? c->scalars[0].v : 0;
	if (strcmp(name, "knapsack") == 0) {
		for (int i = 0; i < e->arity; i++)
			if (e->domains[i] > 1)
				e->weights[e->weights_of[i] + 1] = x[i].v;
	} else if (strcmp(name, "knapsackp") == 0) {
		for (int i = 0; i < e->arity; i++) {
			int64_t n = (x++)->v;

			for (; n > 0; n--, x += 2)
				if (x[0].v < e->domains[i])
					e->weights[e->weights_of[i] + x[0].v] = x[1].v;
		}
	} else {
		for (; x < end; x += 3)
			if (x[1].v < e->domains[x[0].v])
				e->weights[e->weights_of[x[0].v] + x[1].v] = x[2].v;
	}
}

int gpube__eval_init(struct gpube_eval *e, const struct gpube_call *call, const int32_t *domains)
{
	struct gpube_ctx *ctx = call->in->ctx;
	__int128 (*cost)(const struct gpube_eval *, const int32_t *) = call->keyword->cost;

	memset(e, 0, sizeof(*e));
	e->call = call;
	e->arity = call->arity;
	e->domains = domains;
	if (cost == cost_knapsack || cost == cost_max) {
		e->weights_of = gpube__alloc(ctx, (uint64_t)e->arity + 1, sizeof(*e->weights_of));
		if (!e->weights_of)
			return GPUBE_ENOMEM;
		e->weights_of[0] = 0;
		for (int i = 0; i < e->arity; i++)
			e->weights_of[i + 1] = e->weights_of[i] + domains[i];
		e->weights = gpube__alloc(
		        ctx, (uint64_t)e->weights_of[e->arity] + 1, sizeof(*e->weights));
		if (!e->weights)
			return GPUBE_ENOMEM;
		fill_weights(e);
	}
	if (cost == cost_sregular || cost == cost_wregular) {
		int64_t n = call->scalars[cost == cost_wregular ? 0 : 1].v;

		e->states = gpube__alloc(ctx, 2 * (uint64_t)n, sizeof(*e->states));
		if (!e->states)
			return GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

void gpube__eval_clear(struct gpube_eval *e)
{
	struct gpube_ctx *ctx = e->call->in->ctx;

	gpube__free(ctx, e->weights);
	gpube__free(ctx, e->weights_of);
	gpube__free(ctx, e->states);
	memset(e, 0, sizeof(*e));
}
