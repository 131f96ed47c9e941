/*
 * intension_eval.c - arithmetic, automata and trees at one tuple, and what an
 * evaluation needs in memory. See intension.h.
 */
#include "gpube/globals/intension.h"

#include <string.h>

typedef __int128 cost_t;

bool gpube__call_refuse(struct gpube_call *c, const char *why)
{
	gpube__sink_error(&c->sink, "%s: %s", gpube__call_name(c), why);
	return false;
}

bool gpube__call_units(const struct gpube_call *call, __int128 cost, int64_t *value)
{
	*value = GPUBE_INF;
	if (cost == GPUBE_FORBID)
		return true;
	if (call->keyword->flags & GPUBE_KEYWORD_UNIT)
		cost *= call->unit; /* at most 2^33 * 2^63 */
	if (call->hard_from != GPUBE_INF && cost >= call->hard_from)
		return true;
	if (cost >= GPUBE_INF || cost <= -GPUBE_INF)
		return false;
	*value = (int64_t)cost;
	return true;
}

int gpube__call_refuse_cost(const struct gpube_call *call)
{
	return gpube__sink_fail(
		&call->sink, GPUBE_ERANGE, "%s: a cost passes 2^63", gpube__call_name(call));
}

/* ---- arithmetic -------------------------------------------------------------------- */

static cost_t slack(int64_t v, int64_t delta)
{
	return v > delta ? GPUBE_FORBID : v > 0 ? v : 0;
}

cost_t gpube__cost_greater_equal(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *a = e->call->scalars;

	return slack(t[1] + a[0].v - t[0], a[1].v);
}

cost_t gpube__cost_greater(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *a = e->call->scalars;

	return slack(t[1] + a[0].v + 1 - t[0], a[1].v);
}

cost_t gpube__cost_less_equal(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *a = e->call->scalars;

	return slack(t[0] - a[0].v - t[1], a[1].v);
}

cost_t gpube__cost_less(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *a = e->call->scalars;

	return slack(t[0] - a[0].v + 1 - t[1], a[1].v);
}

cost_t gpube__cost_equal(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *a = e->call->scalars;
	int64_t v = t[1] + a[0].v - t[0];

	return gpube__cost_add(slack(v, a[1].v), slack(-v, a[1].v));
}

cost_t gpube__cost_disj(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *a = e->call->scalars;

	return gpube__cost_times(a[2].v, !(t[0] >= t[1] + a[1].v || t[1] >= t[0] + a[0].v));
}

cost_t gpube__cost_sdisj(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_arg *a = e->call->scalars;
	bool x_last = t[0] == a[2].v, y_last = t[1] == a[3].v;

	if (t[0] > a[2].v || t[1] > a[3].v)
		return GPUBE_FORBID;
	if (!x_last && !y_last && t[0] < t[1] + a[1].v && t[1] < t[0] + a[0].v)
		return GPUBE_FORBID;
	return gpube__cost_add(
		gpube__cost_times(a[4].v, x_last), gpube__cost_times(a[5].v, y_last));
}

/* ---- automata and trees ------------------------------------------------------------ */

static bool weighted(const struct gpube_call *c)
{
	return c->keyword->cost == gpube__cost_wregular;
}

int64_t gpube__automaton_states(const struct gpube_call *c)
{
	return c->scalars[weighted(c) ? 0 : 1].v;
}

bool gpube__check_regular(struct gpube_call *c)
{
	int64_t n = gpube__automaton_states(c), w = weighted(c) ? 2 : 1;

	if (n < 1 || n > 1 << 20)
		return gpube__call_refuse(c, "the number of states is not from 1 to 1048576");
	for (int k = 0; k < 2; k++)
		for (int64_t j = 0; j < c->lists[k].n_items; j++)
			if (gpube__call_list(c, k)[j * w].v < 0 ||
				gpube__call_list(c, k)[j * w].v >= n)
				return gpube__call_refuse(
					c, "an initial or final state is out of range");
	for (int64_t j = 0; j < c->lists[2].n_items; j++) {
		const struct gpube_arg *x = gpube__call_list(c, 2) + j * (w + 2);

		if (x[0].v < 0 || x[0].v >= n || x[2].v < 0 || x[2].v >= n)
			return gpube__call_refuse(c, "a transition has a state out of range");
	}
	return true;
}

static void improve(cost_t *best, cost_t v)
{
	*best = v < *best ? v : *best;
}

/* A cost of wregular; a maximised .cfn takes the dearest path. */
static cost_t signed_cost(const struct gpube_call *c, int64_t cost)
{
	const cost_t v = gpube__cost_times(cost, 1);

	return c->m->direction == GPUBE_MAXIMISE && v != GPUBE_FORBID ? -v : v;
}

/*
 * Symbols that are inserted: the automaton goes on, and nothing is read. toulbar2 1.1.1 puts
 * nothing in behind the last value.
 */
static void insert_symbols(const struct gpube_call *c, cost_t *now)
{
	bool changed = c->metric == GPUBE_METRIC_EDIT;

	while (changed) {
		changed = false;
		for (int64_t j = 0; j < c->lists[2].n_items; j++) {
			const struct gpube_arg *x = gpube__call_list(c, 2) + 3 * j;
			cost_t v =
				gpube__cost_add(now[x[0].v], gpube__cost_times(c->scalars[0].v, 1));

			if (v < now[x[2].v]) {
				now[x[2].v] = v;
				changed = true;
			}
		}
	}
}

void gpube__automaton_start(const struct gpube_call *c, cost_t *now)
{
	const int64_t n = gpube__automaton_states(c), w = weighted(c) ? 2 : 1;

	for (int64_t s = 0; s < n; s++)
		now[s] = GPUBE_FORBID;
	for (int64_t j = 0; j < c->lists[0].n_items; j++) {
		const struct gpube_arg *x = gpube__call_list(c, 0) + j * w;

		improve(&now[x[0].v], weighted(c) ? signed_cost(c, x[1].v) : 0);
	}
	insert_symbols(c, now);
}

/*
 * Weighted: costs stand at states and transitions. Otherwise each value that is read as another
 * costs 'c', and in the edit distance (Levenshtein) one that is left out or put in, too.
 */
void gpube__automaton_step(
	const struct gpube_call *c, const cost_t *now, cost_t *then, int32_t value)
{
	const int64_t n = gpube__automaton_states(c), w = weighted(c) ? 4 : 3;
	const cost_t one = weighted(c) ? 0 : gpube__cost_times(c->scalars[0].v, 1);

	for (int64_t s = 0; s < n; s++)
		then[s] = c->metric == GPUBE_METRIC_EDIT ? gpube__cost_add(now[s], one)
							 : GPUBE_FORBID;
	for (int64_t j = 0; j < c->lists[2].n_items; j++) {
		const struct gpube_arg *x = gpube__call_list(c, 2) + j * w;
		const bool match = x[1].v == value;

		if (!weighted(c))
			improve(&then[x[2].v], gpube__cost_add(now[x[0].v], match ? 0 : one));
		else if (match)
			improve(&then[x[2].v],
				gpube__cost_add(now[x[0].v], signed_cost(c, x[3].v)));
	}
	insert_symbols(c, then);
}

cost_t gpube__automaton_end(const struct gpube_call *c, const cost_t *now)
{
	const int64_t w = weighted(c) ? 2 : 1;
	cost_t best = GPUBE_FORBID;

	for (int64_t j = 0; j < c->lists[1].n_items; j++) {
		const struct gpube_arg *x = gpube__call_list(c, 1) + j * w;

		improve(&best,
			gpube__cost_add(now[x[0].v], weighted(c) ? signed_cost(c, x[1].v) : 0));
	}
	return best;
}

/* The cheapest path of the automaton that reads the tuple. */
static cost_t cost_automaton(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_call *c = e->call;
	cost_t *now = e->states, *then = e->states + gpube__automaton_states(c), *swap, cost;

	gpube__automaton_start(c, now);
	for (int i = 0; i < e->arity; i++, swap = now, now = then, then = swap)
		gpube__automaton_step(c, now, then, t[i]);
	cost = gpube__automaton_end(c, now);
	return weighted(c) && c->m->direction == GPUBE_MAXIMISE && cost != GPUBE_FORBID ? -cost
											: cost;
}

cost_t gpube__cost_sregular(const struct gpube_eval *e, const int32_t *t)
{
	return cost_automaton(e, t);
}

cost_t gpube__cost_wregular(const struct gpube_eval *e, const int32_t *t)
{
	return cost_automaton(e, t);
}

bool gpube__check_tree(struct gpube_call *c)
{
	for (int k = 0; k < c->arity; k++)
		if (c->m->vars[c->scope[k]].domain > c->arity)
			return gpube__call_refuse(
				c, "a variable has more values than there are variables");
	return true;
}

/* One root, its own parent, that every variable's chain of parents ends at. */
cost_t gpube__cost_tree(const struct gpube_eval *e, const int32_t *t)
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

/* ---- preparation ------------------------------------------------------------------- */

/* A weight of a value that the variable has; those of a sum add up, of a maximum the last counts.
 */
static bool put_weight(struct gpube_eval *e, int64_t variable, int64_t value, int64_t weight)
{
	int64_t *to = &e->weights[e->weights_of[variable] + value];

	if (value >= e->domains[variable])
		return true;
	if (!e->call->scalars[0].cost)
		return !__builtin_add_overflow(*to, weight, to);
	*to = weight;
	return true;
}

/*
 * Weights by variable and value, from whichever list the keyword has. A knapsack's are of value 1,
 * as in the program also of variables of more than two; false if a sum passes 64 bits.
 */
static bool fill_weights(struct gpube_eval *e)
{
	const struct gpube_call *c = e->call;
	const char *name = c->keyword->name;
	const struct gpube_arg *x = gpube__call_list(c, 0), *end = x + c->lists[0].n_args;
	bool fits = true;

	GPUBE_KNOWN(e->arity == 0 || x);
	for (int64_t k = 0; k < e->weights_of[e->arity]; k++)
		e->weights[k] = c->scalars[0].cost ? c->scalars[0].v : 0;
	if (strcmp(name, "knapsack") == 0) {
		for (int i = 0; i < e->arity; i++)
			fits = fits && put_weight(e, i, 1, x[i].v);
	} else if (strcmp(name, "knapsackp") == 0) {
		for (int i = 0; i < e->arity; i++)
			for (int64_t n = (x++)->v; n > 0; n--, x += 2)
				fits = fits && put_weight(e, i, x[0].v, x[1].v);
	} else {
		for (; x < end; x += 3)
			fits = fits && put_weight(e, x[0].v, x[1].v, x[2].v);
	}
	return fits;
}

int gpube__eval_init(struct gpube_eval *e, const struct gpube_call *call, const int32_t *domains)
{
	struct gpube_ctx *ctx = call->sink.ctx;
	unsigned flags = call->keyword->flags;

	memset(e, 0, sizeof(*e));
	e->call = call;
	e->arity = call->arity;
	e->domains = domains;
	if (flags & GPUBE_KEYWORD_WEIGHTS) {
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
		if (!fill_weights(e))
			return gpube__sink_fail(&call->sink, GPUBE_ERANGE,
				"%s: a value's weights pass 2^63", gpube__call_name(call));
	}
	if (flags & (GPUBE_KEYWORD_STATES | GPUBE_KEYWORD_GRAMMAR)) {
		/* a table over 'arity' variables is expanded: they are few */
		uint64_t n = flags & GPUBE_KEYWORD_STATES
				     ? 2 * (uint64_t)call->scalars[call->n_scalars - 1].v
				     : (uint64_t)call->scalars[1].v * (uint64_t)e->arity *
					       (uint64_t)e->arity;

		e->states = gpube__alloc(ctx, n, sizeof(*e->states));
		if (!e->states)
			return GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

void gpube__eval_clear(struct gpube_eval *e)
{
	struct gpube_ctx *ctx = e->call->sink.ctx;

	GPUBE_FREE_ALL(ctx, e->weights, e->weights_of, e->states);
	memset(e, 0, sizeof(*e));
}
