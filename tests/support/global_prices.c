/* global_prices.c - see global_prices.h. */
#include "tests/support/global_prices.h"

#include <stdlib.h>
#include <string.h>

#include "gpube/gpube.h"

typedef int64_t pricer(const struct global_call *c, const int32_t *t);

static int64_t times(int64_t cost, int64_t n)
{
	if (n == 0 || cost == 0)
		return 0;
	return cost == GPUBE_INF || n == GPUBE_INF ? GPUBE_INF : cost * n;
}

static int64_t plus(int64_t a, int64_t b)
{
	return a == GPUBE_INF || b == GPUBE_INF ? GPUBE_INF : a + b;
}

static int64_t gap_of(int64_t n, int64_t low, int64_t high)
{
	return n < low ? low - n : n > high ? n - high : 0;
}

/* So much too many or too few, by the metric, for the first number. */
static int64_t priced(const struct global_call *c, int64_t gap)
{
	if (strcmp(c->metric, "hard") == 0)
		gap = gap != 0;
	if (strcmp(c->metric, "quad") == 0)
		gap *= gap;
	return times(c->scalars[0], gap);
}

static int64_t count(const int32_t *t, int from, int to, int64_t value)
{
	int64_t n = 0;

	for (int i = from; i < to; i++)
		n += t[i] == value;
	return n;
}

static bool has(const struct global_list *l, int64_t value)
{
	for (int k = 0; k < l->n_rows; k++)
		if (l->v[k * l->width] == value)
			return true;
	return false;
}

static int64_t forbids(bool no)
{
	return no ? GPUBE_INF : 0;
}

/* How far the least change of the left side is from making the comparison true. */
static int64_t violation(int comparator, int64_t left, int64_t right)
{
	int64_t far = 0;

	for (;; far++)
		for (int sign = -1; sign <= 1; sign += 2) {
			const int64_t x = left + sign * far;
			const bool holds[] = {
				x == right, x != right, x<right, x <= right, x> right, x >= right};

			if (holds[comparator])
				return far;
		}
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static int64_t arithmetic(const struct global_call *c, const int32_t *t)
{
	const int64_t x = t[0], y = t[1] + c->scalars[0];
	int64_t off;

	if (strcmp(c->name, ">=") == 0)
		off = y - x;
	else if (strcmp(c->name, ">") == 0)
		off = y + 1 - x;
	else if (strcmp(c->name, "<=") == 0)
		off = x - y;
	else if (strcmp(c->name, "<") == 0)
		off = x + 1 - y;
	else
		off = x < y ? y - x : x - y;
	return off <= 0 ? 0 : off > c->scalars[1] ? GPUBE_INF : off;
}

/* Jobs that begin at t[0] and t[1] do not overlap. */
static bool apart(const struct global_call *c, const int32_t *t)
{
	return t[0] >= t[1] + c->scalars[1] || t[1] >= t[0] + c->scalars[0];
}

static int64_t disj(const struct global_call *c, const int32_t *t)
{
	return apart(c, t) ? 0 : c->scalars[2];
}

static int64_t sdisj(const struct global_call *c, const int32_t *t)
{
	const bool late[] = {t[0] == c->scalars[2], t[1] == c->scalars[3]};

	if (t[0] > c->scalars[2] || t[1] > c->scalars[3] || (!late[0] && !late[1] && !apart(c, t)))
		return GPUBE_INF;
	return plus(times(c->scalars[4], late[0]), times(c->scalars[5], late[1]));
}

/* ---- different values ------------------------------------------------------------------------ */

static int64_t equal_pairs(const struct global_call *c, const int32_t *t, bool except)
{
	int64_t n = 0;

	for (int i = 0; i < c->n; i++)
		for (int j = i + 1; j < c->n; j++)
			n += t[i] == t[j] && !(except && has(&c->lists[0], t[i]));
	return n;
}

static int64_t alldiff(const struct global_call *c, const int32_t *t)
{
	return forbids(equal_pairs(c, t, true) > 0);
}

static int64_t salldiffkp(const struct global_call *c, const int32_t *t)
{
	return forbids(equal_pairs(c, t, false) > 0);
}

static int64_t salldiff(const struct global_call *c, const int32_t *t)
{
	int64_t distinct = 0;

	for (int64_t v = 0; v < 8; v++)
		distinct += count(t, 0, c->n, v) > 0;
	return times(c->scalars[0],
		strcmp(c->metric, "var") == 0 ? c->n - distinct : equal_pairs(c, t, false));
}

static int64_t walldiff(const struct global_call *c, const int32_t *t)
{
	int64_t sum = 0;

	for (int64_t v = 0; v < 8; v++)
		sum = plus(sum, priced(c, gap_of(count(t, 0, c->n, v), 0, 1)));
	return sum;
}

static int64_t clique(const struct global_call *c, const int32_t *t)
{
	const int64_t *v = c->lists[0].v;
	int64_t n = 0;

	for (int i = 0; i < c->n; v += c->lists[0].inner[i++]) {
		bool in = false;

		for (int k = 0; k < c->lists[0].inner[i]; k++)
			in = in || v[k] == t[i];
		n += in;
	}
	return forbids(n > c->scalars[0]);
}

/* ---- counts of values ------------------------------------------------------------------------ */

/* Variables to change until all bounds are met, whatever values the variables may have. */
static int64_t to_change(const struct global_call *c, const int32_t *t)
{
	int64_t letters[8], best = GPUBE_INF;
	int32_t word[MOST_ARITY] = {0};
	int n_letters = 0, k;

	for (int64_t v = 0; v < 8; v++) {
		bool there = has(&c->lists[0], v);

		for (int i = 0; i < c->n; i++)
			there = there || v < c->domains[i];
		if (there)
			letters[n_letters++] = v;
	}
	do {
		int32_t now[MOST_ARITY];
		int64_t changes = 0;
		bool right = true;

		for (int i = 0; i < c->n; i++) {
			now[i] = (int32_t)letters[word[i]];
			changes += now[i] != t[i];
		}
		for (int i = 0; i < c->lists[0].n && right; i++) {
			const int64_t *b = &c->lists[0].v[3 * i];

			right = gap_of(count(now, 0, c->n, b[0]), b[1], b[2]) == 0;
		}
		best = right && changes < best ? changes : best;
		for (k = c->n - 1; k >= 0 && ++word[k] == n_letters; k--)
			word[k] = 0;
	} while (k >= 0);
	return best;
}

static int64_t sgcc(const struct global_call *c, const int32_t *t)
{
	const struct global_list *l = &c->lists[0];
	int64_t sum = 0;

	if (strcmp(c->metric, "var") == 0)
		return times(c->scalars[0], to_change(c, t));
	for (int k = 0; k < l->n; k++) {
		const int64_t *b = &l->v[k * l->width], n = count(t, 0, c->n, b[0]),
			      *price = l->width == 5 ? b + 3 : NULL;

		sum = plus(sum, times(price ? price[0] : c->scalars[0], gap_of(n, b[1], n)));
		sum = plus(sum,
			times(price ? price[1] : c->scalars[0], gap_of(n, n < b[2] ? n : 0, b[2])));
	}
	return sum;
}

static int64_t bounds(const struct global_call *c, const int32_t *t, int from, int to)
{
	int64_t sum = 0;

	for (int k = 0; k < c->lists[0].n; k++) {
		const int64_t *b = &c->lists[0].v[3 * k];

		sum = plus(sum, priced(c, gap_of(count(t, from, to, b[0]), b[1], b[2])));
	}
	return sum;
}

static int64_t wgcc(const struct global_call *c, const int32_t *t)
{
	return bounds(c, t, 0, c->n);
}

/* Whatever the metric says. */
static int64_t sgcckp(const struct global_call *c, const int32_t *t)
{
	struct global_call by_unit = *c;

	strcpy(by_unit.metric, "var");
	return bounds(&by_unit, t, 0, c->n);
}

static int64_t gcc(const struct global_call *c, const int32_t *t)
{
	struct global_call hard = *c;

	hard.scalars[0] = GPUBE_INF;
	return bounds(&hard, t, 0, c->n);
}

static int64_t among_values(const struct global_call *c, const int32_t *t, int n)
{
	int64_t k = 0;

	for (int i = 0; i < n; i++)
		k += has(&c->lists[0], t[i]);
	return k;
}

static int64_t among(const struct global_call *c, const int32_t *t)
{
	return priced(c, gap_of(among_values(c, t, c->n), c->scalars[1], c->scalars[2]));
}

static int64_t wvaramong(const struct global_call *c, const int32_t *t)
{
	return priced(c, gap_of(among_values(c, t, c->n - 1), t[c->n - 1], t[c->n - 1]));
}

/* ---- two groups ------------------------------------------------------------------------------ */

/* Variables of the first list that no one of the second list, each but once, has the value of. */
static int64_t ssame(const struct global_call *c, const int32_t *t)
{
	bool taken[64] = {false};
	int64_t alone = 0;

	for (int i = 0; i < c->lists[0].n; i++) {
		int j = 0;

		while (j < c->lists[1].n &&
			(taken[j] || t[c->lists[1].v[j]] != t[c->lists[0].v[i]]))
			j++;
		if (j < c->lists[1].n)
			taken[j] = true;
		else
			alone++;
	}
	return times(c->scalars[0], alone);
}

static int64_t wsame(const struct global_call *c, const int32_t *t)
{
	int64_t sum = 0;

	for (int64_t v = 0; v < 8; v++) {
		const int64_t there = count(t, c->n / 2, c->n, v);

		sum = plus(sum, priced(c, gap_of(count(t, 0, c->n / 2, v), there, there)));
	}
	return sum;
}

static int64_t wsamegcc(const struct global_call *c, const int32_t *t)
{
	return plus(wsame(c, t), plus(bounds(c, t, 0, c->n / 2), bounds(c, t, c->n / 2, c->n)));
}

static int64_t woverlap(const struct global_call *c, const int32_t *t)
{
	int64_t n = 0;

	for (int i = 0; i < c->n / 2; i++)
		n += t[i] && t[i] == t[c->n / 2 + i];
	return priced(c, violation(c->comparator, n, c->scalars[1]));
}

static int64_t diverse(const struct global_call *c, const int32_t *t)
{
	int64_t n = 0;

	for (int i = 0; i < c->n; i++)
		n += t[i] != c->lists[0].v[i];
	return forbids(n < c->scalars[0]);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static int64_t sum(const int32_t *t, int n)
{
	int64_t s = 0;

	while (n > 0)
		s += t[--n];
	return s;
}

static int64_t wsum(const struct global_call *c, const int32_t *t)
{
	return priced(c, violation(c->comparator, sum(t, c->n), c->scalars[1]));
}

static int64_t wvarsum(const struct global_call *c, const int32_t *t)
{
	return priced(c, violation(c->comparator, sum(t, c->n - 1), t[c->n - 1]));
}

static int64_t knapsack(const struct global_call *c, const int32_t *t)
{
	const struct global_list *l = &c->lists[0];
	__int128 weight = 0;
	const int64_t *v = l->v;

	if (strcmp(c->name, "knapsack") == 0)
		for (int i = 0; i < c->n; i++)
			weight += t[i] == 1 ? v[i] : 0;
	else if (strcmp(c->name, "knapsackv") == 0)
		for (int k = 0; k < l->n; k++)
			weight += t[v[3 * k]] == v[3 * k + 1] ? v[3 * k + 2] : 0;
	else
		for (int i = 0; i < c->n; i++)
			for (int k = 0; k < l->inner[i]; k++, v += 2)
				weight += t[i] == v[0] ? v[1] : 0;
	return forbids(weight < c->scalars[0]);
}

static int64_t max(const struct global_call *c, const int32_t *t)
{
	int64_t most = 0;

	for (int i = 0; i < c->n; i++) {
		int64_t cost = c->scalars[0];

		for (int k = 0; k < c->lists[0].n; k++)
			if (c->lists[0].v[3 * k] == i && c->lists[0].v[3 * k + 1] == t[i])
				cost = c->lists[0].v[3 * k + 2];
		most = cost > most ? cost : most;
	}
	return most;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Edits are steps between (values read so far, state); the fewest are found by relaxation. */
static int64_t sregular(const struct global_call *c, const int32_t *t)
{
	enum { STATES = 3 };
	const bool edit = strcmp(c->metric, "edit") == 0;
	int64_t far[MOST_ARITY + 1][STATES], best = GPUBE_INF;
	bool changed = true;

	for (int i = 0; i <= c->n; i++)
		for (int s = 0; s < STATES; s++)
			far[i][s] = i == 0 && has(&c->lists[0], s) ? 0 : GPUBE_INF;
	while (changed) {
		changed = false;
		for (int i = 0; i <= c->n; i++)
			for (int k = -STATES; k < c->lists[2].n; k++) {
				const int64_t *x = &c->lists[2].v[3 * (k < 0 ? 0 : k)];
				const int64_t from = k < 0 ? k + STATES : x[0],
					      to = k < 0 ? from : x[2];

				/* read or replace; leave the value out; put the symbol in */
				for (int reads = 0; reads < 2; reads++) {
					const bool free =
						reads && k >= 0 && i < c->n && x[1] == t[i];
					const int64_t n = plus(far[i][from], !free);

					if (i + reads > c->n || (!edit && (!reads || k < 0)))
						continue;
					changed = changed || n < far[i + reads][to];
					if (n < far[i + reads][to])
						far[i + reads][to] = n;
				}
			}
	}
	for (int s = 0; s < STATES; s++)
		if (has(&c->lists[1], s) && far[c->n][s] < best)
			best = far[c->n][s];
	return best == GPUBE_INF ? best : times(c->scalars[0], best);
}

static int64_t better(const struct global_call *c, int64_t a, int64_t b)
{
	if (a == GPUBE_INF || b == GPUBE_INF)
		return a == GPUBE_INF ? b : a;
	return c->maximise == (a > b) ? a : b;
}

static int64_t path(const struct global_call *c, const int32_t *t, int i, int64_t state)
{
	int64_t best = GPUBE_INF;

	for (int k = 0; k < c->lists[1].n && i == c->n; k++)
		if (c->lists[1].v[2 * k] == state)
			best = better(c, best, c->lists[1].v[2 * k + 1]);
	for (int k = 0; k < c->lists[2].n && i < c->n; k++) {
		const int64_t *x = &c->lists[2].v[4 * k];

		if (x[0] == state && x[1] == t[i])
			best = better(c, best, plus(x[3], path(c, t, i + 1, x[2])));
	}
	return best;
}

static int64_t wregular(const struct global_call *c, const int32_t *t)
{
	int64_t best = GPUBE_INF;

	for (int k = 0; k < c->lists[0].n; k++)
		best = better(c, best,
			plus(c->lists[0].v[2 * k + 1], path(c, t, 0, c->lists[0].v[2 * k])));
	return best;
}

/* The least cost at which the symbol becomes the values from 'from' to before 'to'. */
static int64_t derive(
	const struct global_call *c, const int32_t *t, int64_t symbol, int from, int to)
{
	const bool weights = strcmp(c->metric, "weight") == 0;
	int64_t best = GPUBE_INF;

	for (int k = 0; k < c->lists[0].n; k++) {
		const int64_t *r = &c->lists[0].v[5 * k];
		int64_t cost;

		if (r[1] != symbol || (r[0] % 2 == 0 && to - from != 1))
			continue;
		for (int at = from + 1; at < to && r[0] % 2; at++) {
			cost = plus(r[4],
				plus(derive(c, t, r[2], from, at), derive(c, t, r[3], at, to)));
			best = cost < best ? cost : best;
		}
		if (r[0] % 2)
			continue;
		cost = r[2] == t[from] ? r[4] : weights ? GPUBE_INF : c->scalars[0];
		best = cost < best ? cost : best;
	}
	return best;
}

static int64_t sgrammar(const struct global_call *c, const int32_t *t)
{
	return derive(c, t, c->scalars[3], 0, c->n);
}

/* Each variable has its parent, the root itself. */
static int64_t tree(const struct global_call *c, const int32_t *t)
{
	int roots = 0, below = 0;

	for (int i = 0; i < c->n; i++)
		if (t[i] >= c->n) /* no variable: it is refused */
			return GPUBE_INF;
	for (int i = 0; i < c->n; i++) {
		int at = i;

		for (int k = 0; k < c->n; k++)
			at = t[at];
		roots += t[i] == i;
		below += t[at] == at;
	}
	return forbids(roots != 1 || below != c->n);
}

/* ---- all ------------------------------------------------------------------------------------- */

int64_t global_price(const struct global_call *c, const int32_t *tuple)
{
	static const struct {
		const char *names;
		pricer *price;
	} keywords[] = {{" >= > <= < = ", arithmetic}, {" disj ", disj}, {" sdisj ", sdisj},
		{" alldiff ", alldiff}, {" salldiffkp ", salldiffkp},
		{" salldiff salldiffdp ", salldiff}, {" walldiff walldifferent ", walldiff},
		{" clique ", clique}, {" gcc ", gcc}, {" sgcc ", sgcc}, {" sgcckp ", sgcckp},
		{" wgcc sgccdp ", wgcc}, {" samong samongdp wamong ", among},
		{" wvaramong ", wvaramong}, {" ssame ", ssame}, {" wsame ", wsame},
		{" wsamegcc ", wsamegcc}, {" woverlap ", woverlap},
		{" wdiverse whdiverse wtdiverse ", diverse}, {" wsum ", wsum},
		{" wvarsum ", wvarsum}, {" knapsack knapsackp knapsackv ", knapsack},
		{" max smaxdp ", max}, {" sregular sregulardp ", sregular},
		{" wregular ", wregular}, {" sgrammar sgrammardp ", sgrammar},
		{" MST smstdp ", tree}};
	char name[32] = " ";

	strncat(name, c->name, sizeof(name) - 3);
	strcat(name, " ");
	for (size_t k = 0; k < sizeof(keywords) / sizeof(*keywords); k++)
		if (strstr(keywords[k].names, name))
			return keywords[k].price(c, tuple);
	abort();
}

bool global_may_refuse(const struct global_call *c)
{
	static const char odd[] = " wsame wsamegcc woverlap ",
			  listed[] = " sgcc gcc wgcc sgccdp sgcckp alldiff wsamegcc ";
	char name[32] = " ";

	strncat(name, c->name, sizeof(name) - 3);
	strcat(name, " ");
	return c->maximise || (c->n % 2 && strstr(odd, name)) || strstr(listed, name);
}
