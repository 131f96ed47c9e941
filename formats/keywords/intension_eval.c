/*
 * intension_eval.c - arithmetic, automata and trees at one tuple, and what an
 * evaluation needs in memory. See intension.h.
 */
#include "formats/keywords/intension.h"

#include <string.h>

typedef __int128 cost_t;

bool gpube__call_refuse(struct gpube_call *c, const char *why)
{
	gpube__in_error(c->in, "%s: %s", c->keyword->name, why);
	return false;
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

bool gpube__check_regular(struct gpube_call *c)
{
	bool weighted = strcmp(c->keyword->name, "wregular") == 0;
	int64_t n = c->scalars[weighted ? 0 : 1].v, w = weighted ? 2 : 1;

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
		const struct gpube_arg *x = gpube__call_list(c, 0) + j * w;
		cost_t v = weighted ? gpube__cost_times(x[1].v, 1) : 0;

		now[x[0].v] = maximise && v != GPUBE_FORBID ? -v : v;
	}
	for (int i = 0; i < e->arity; i++, swap = now, now = then, then = swap) {
		for (int64_t s = 0; s < n; s++)
			then[s] = GPUBE_FORBID;
		for (int64_t j = 0; j < c->lists[2].n_items; j++) {
			const struct gpube_arg *x = gpube__call_list(c, 2) + j * (w + 2);
			bool match = x[1].v == t[i];
			cost_t v = weighted ? gpube__cost_times(x[3].v, 1)
					    : gpube__cost_times(c->scalars[0].v, !match);

			if ((weighted && !match) || v == GPUBE_FORBID ||
				now[x[0].v] == GPUBE_FORBID)
				continue;
			v = now[x[0].v] + (maximise ? -v : v);
			if (v < then[x[2].v])
				then[x[2].v] = v;
		}
	}
	for (int64_t j = 0; j < c->lists[1].n_items; j++) {
		const struct gpube_arg *x = gpube__call_list(c, 1) + j * w;
		cost_t v = weighted ? gpube__cost_times(x[1].v, 1) : 0;

		if (v == GPUBE_FORBID || now[x[0].v] == GPUBE_FORBID)
			continue;
		v = now[x[0].v] + (maximise ? -v : v);
		best = v < best ? v : best;
	}
	return maximise && best != GPUBE_FORBID ? -best : best;
}

/* Symbols that are inserted: the automaton goes on, and nothing is read. */
static void insert_symbols(const struct gpube_call *c, cost_t *now)
{
	bool changed = true;

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

/*
 * The edit distance (Levenshtein) to the nearest word of the automaton, times the cost: a value may
 * be changed, left out, or something put in anywhere. toulbar2 1.1.1 puts nothing in behind the
 * last value.
 */
static cost_t cost_edits(const struct gpube_eval *e, const int32_t *t)
{
	const struct gpube_call *c = e->call;
	const cost_t one = gpube__cost_times(c->scalars[0].v, 1);
	int64_t n = c->scalars[1].v;
	cost_t *now = e->states, *then = e->states + n, *swap, best = GPUBE_FORBID;

	for (int64_t s = 0; s < n; s++)
		now[s] = GPUBE_FORBID;
	for (int64_t j = 0; j < c->lists[0].n_items; j++)
		now[gpube__call_list(c, 0)[j].v] = 0;
	insert_symbols(c, now);
	for (int i = 0; i < e->arity; i++, swap = now, now = then, then = swap) {
		for (int64_t s = 0; s < n; s++)
			then[s] = gpube__cost_add(now[s], one);
		for (int64_t j = 0; j < c->lists[2].n_items; j++) {
			const struct gpube_arg *x = gpube__call_list(c, 2) + 3 * j;
			cost_t v = gpube__cost_add(now[x[0].v], x[1].v == t[i] ? 0 : one);

			then[x[2].v] = v < then[x[2].v] ? v : then[x[2].v];
		}
		insert_symbols(c, then);
	}
	for (int64_t j = 0; j < c->lists[1].n_items; j++) {
		cost_t v = now[gpube__call_list(c, 1)[j].v];

		best = v < best ? v : best;
	}
	return best;
}

cost_t gpube__cost_sregular(const struct gpube_eval *e, const int32_t *t)
{
	return e->call->metric == GPUBE_METRIC_EDIT ? cost_edits(e, t)
						    : cost_automaton(e, t, false);
}

cost_t gpube__cost_wregular(const struct gpube_eval *e, const int32_t *t)
{
	return cost_automaton(e, t, true);
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

/* Weights by variable and value, from whichever list the keyword has. */
static void fill_weights(struct gpube_eval *e)
{
	const struct gpube_call *c = e->call;
	const char *name = c->keyword->name;
	const struct gpube_arg *x = gpube__call_list(c, 0), *end = x + c->lists[0].n_args;
	bool is_max = c->scalars[0].cost;

	GPUBE_KNOWN(e->arity == 0 || x);
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
		fill_weights(e);
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
	struct gpube_ctx *ctx = e->call->in->ctx;

	gpube__free(ctx, e->weights);
	gpube__free(ctx, e->weights_of);
	gpube__free(ctx, e->states);
	memset(e, 0, sizeof(*e));
}
