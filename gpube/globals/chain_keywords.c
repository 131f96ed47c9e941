/* chain_keywords.c - the machines of the keywords. See chain.h. */
#include <string.h>

#include "gpube/globals/chain.h"

typedef __int128 cost_t;

/* ---- what is counted -------------------------------------------------------------------- */

/* How often a value comes, or by how much more in some variables than in others. */
static cost_t step_value(struct gpube_machine *m, int64_t *state, int k, int32_t value)
{
	if (value == m->value)
		state[0] += m->adds ? m->adds[m->reads[k]] : 1;
	return 0;
}

/* The same of each value that has bounds: all counts are the state. */
static cost_t step_bounded(struct gpube_machine *m, int64_t *state, int k, int32_t value)
{
	const struct gpube_arg *b = gpube__call_list(m->call, 0);

	(void)k;
	for (int64_t i = 0; i < m->width; i++)
		state[i] += b[3 * i].v == value;
	return 0;
}

static cost_t step_among(struct gpube_machine *m, int64_t *state, int k, int32_t value)
{
	(void)k;
	state[0] += gpube__listed(m->call, 0, value);
	return 0;
}

/* The last variable is compared with the count. */
static cost_t step_var_among(struct gpube_machine *m, int64_t *state, int k, int32_t value)
{
	state[0] += k < m->n - 1 ? gpube__listed(m->call, 0, value) : -(int64_t)value;
	return 0;
}

static cost_t step_sum(struct gpube_machine *m, int64_t *state, int k, int32_t value)
{
	(void)m;
	(void)k;
	state[0] += value;
	return 0;
}

static cost_t step_var_sum(struct gpube_machine *m, int64_t *state, int k, int32_t value)
{
	state[0] += k < m->n - 1 ? value : -(int64_t)value;
	return 0;
}

/* Pairs, one variable of each half after the other: the first one's value waits in state[1]. */
static cost_t step_overlap(struct gpube_machine *m, int64_t *state, int k, int32_t value)
{
	(void)m;
	if (k % 2 == 0) {
		state[1] = value;
		return 0;
	}
	state[0] += value != 0 && value == state[1];
	state[1] = 0;
	return 0;
}

static cost_t step_distance(struct gpube_machine *m, int64_t *state, int k, int32_t value)
{
	state[0] += gpube__call_list(m->call, 0)[m->reads[k]].v != value;
	return 0;
}

/*
 * What is still needed; most[k] is what the variables from k on can give. Where it cannot be
 * reached the way ends, and where it is sure the state is one for all.
 */
static cost_t step_knapsack(struct gpube_machine *m, int64_t *state, int k, int32_t value)
{
	const struct gpube_eval *e = m->eval;

	if (state[0] == -GPUBE_INF)
		return 0;
	state[0] -= e->weights[e->weights_of[m->reads[k]] + value];
	if (state[0] > m->most[k + 1])
		return GPUBE_FORBID;
	if (state[0] <= m->least[k + 1])
		state[0] = -GPUBE_INF;
	return 0;
}

static cost_t step_max(struct gpube_machine *m, int64_t *state, int k, int32_t value)
{
	const struct gpube_eval *e = m->eval;
	const int64_t w = e->weights[e->weights_of[m->reads[k]] + value];

	state[0] = w > state[0] ? w : state[0];
	return 0;
}

/* What each state of the automaton costs more than the cheapest. */
static cost_t step_automaton(struct gpube_machine *m, int64_t *state, int k, int32_t value)
{
	cost_t least = GPUBE_FORBID;

	(void)k;
	for (int64_t s = 0; s < m->width; s++)
		m->now[s] = state[s] == GPUBE_INF ? GPUBE_FORBID : state[s];
	gpube__automaton_step(m->call, m->now, m->then, value);
	for (int64_t s = 0; s < m->width; s++)
		least = m->then[s] < least ? m->then[s] : least;
	for (int64_t s = 0; s < m->width; s++) {
		const cost_t more = m->then[s] - least;

		state[s] = m->then[s] == GPUBE_FORBID ? GPUBE_INF : (int64_t)more;
		m->overflow |= m->then[s] != GPUBE_FORBID && more >= GPUBE_INF;
	}
	return least;
}

/* ---- what it costs ------------------------------------------------------------------------ */

static cost_t end_gcc(struct gpube_machine *m, const int64_t *state)
{
	return gpube__outside(state[0], m->entry[1].v, m->entry[2].v) ? GPUBE_FORBID : 0;
}

static cost_t end_wgcc(struct gpube_machine *m, const int64_t *state)
{
	const int64_t gap = gpube__outside(state[0], m->entry[1].v, m->entry[2].v);

	return gpube__priced(m->call, m->call->scalars[0].v, gap);
}

/* By the metrics dec and wdec. */
static cost_t end_sgcc(struct gpube_machine *m, const int64_t *state)
{
	const struct gpube_arg *b = m->entry;
	const int64_t less = state[0] < b[1].v ? b[1].v - state[0] : 0;
	const int64_t more = state[0] > b[2].v ? state[0] - b[2].v : 0,
		      cost = m->call->scalars[0].v;
	const bool weights = m->call->metric == GPUBE_METRIC_WDEC;

	return gpube__cost_add(gpube__cost_times(weights ? b[3].v : cost, less),
		gpube__cost_times(weights ? b[4].v : cost, more));
}

static cost_t end_bounded(struct gpube_machine *m, const int64_t *state)
{
	const struct gpube_arg *b = gpube__call_list(m->call, 0);
	int64_t shortage = 0, excess = 0;

	for (int64_t i = 0; i < m->width; i++, b += 3) {
		shortage += state[i] < b[1].v ? b[1].v - state[i] : 0;
		excess += state[i] > b[2].v ? state[i] - b[2].v : 0;
	}
	return gpube__cost_times(m->call->scalars[0].v, excess > shortage ? excess : shortage);
}

/* Each variable of a value but the first. */
static cost_t end_salldiff(struct gpube_machine *m, const int64_t *state)
{
	return gpube__cost_times(m->call->scalars[0].v, state[0] > 1 ? state[0] - 1 : 0);
}

static cost_t end_walldiff(struct gpube_machine *m, const int64_t *state)
{
	return gpube__priced(m->call, m->call->scalars[0].v, state[0] > 1 ? state[0] - 1 : 0);
}

static cost_t end_ssame(struct gpube_machine *m, const int64_t *state)
{
	return gpube__cost_times(m->call->scalars[0].v, state[0] > 0 ? state[0] : 0);
}

static cost_t end_gap(struct gpube_machine *m, const int64_t *state)
{
	return gpube__priced(m->call, m->call->scalars[0].v, gpube__gap(state[0], 0));
}

static cost_t end_among(struct gpube_machine *m, const int64_t *state)
{
	const struct gpube_arg *a = m->call->scalars;

	return gpube__priced(m->call, a[0].v, gpube__outside(state[0], a[1].v, a[2].v));
}

/* A sum or number that is compared with a constant. */
static cost_t end_compared(struct gpube_machine *m, const int64_t *state)
{
	const struct gpube_arg *a = m->call->scalars;

	return gpube__priced(
		m->call, a[0].v, gpube__compared(m->call->comparator, state[0], a[1].v));
}

static cost_t end_difference(struct gpube_machine *m, const int64_t *state)
{
	return gpube__priced(
		m->call, m->call->scalars[0].v, gpube__compared(m->call->comparator, state[0], 0));
}

static cost_t end_distance(struct gpube_machine *m, const int64_t *state)
{
	return state[0] >= m->call->scalars[0].v ? 0 : GPUBE_FORBID;
}

/* step_knapsack() has ended all ways but the right ones. */
static cost_t end_allowed(struct gpube_machine *m, const int64_t *state)
{
	(void)m;
	(void)state;
	return 0;
}

static cost_t end_max(struct gpube_machine *m, const int64_t *state)
{
	(void)m;
	return gpube__cost_times(state[0], 1);
}

static cost_t end_automaton(struct gpube_machine *m, const int64_t *state)
{
	for (int64_t s = 0; s < m->width; s++)
		m->now[s] = state[s] == GPUBE_INF ? GPUBE_FORBID : state[s];
	return gpube__automaton_end(m->call, m->now);
}

/* ---- which machines a keyword is ----------------------------------------------------------- */

/*
 * ONE machine, or one for each value that a variable may take, or one for each entry of the list of
 * bounds, its value first. SIDES: with both halves of the scope by themselves.
 */
enum kind { ONE, BY_VALUE, BY_BOUND };
enum { SIGNED = 1, SIDES = 2, INTERLEAVED = 4, AUTOMATON = 8, NEEDS = 16, VECTOR = 32 };

struct row {
	const char *name;
	enum kind kind;
	unsigned flags;
	cost_t (*step)(struct gpube_machine *m, int64_t *state, int k, int32_t value);
	cost_t (*end)(struct gpube_machine *m, const int64_t *state);
};

static const struct row rows[] = {
	{"gcc", BY_BOUND, 0, step_value, end_gcc},
	{"knapsack", ONE, NEEDS, step_knapsack, end_allowed},
	{"knapsackp", ONE, NEEDS, step_knapsack, end_allowed},
	{"knapsackv", ONE, NEEDS, step_knapsack, end_allowed},
	{"salldiff", BY_VALUE, 0, step_value, end_salldiff},
	{"salldiffdp", BY_VALUE, 0, step_value, end_salldiff},
	{"walldiff", BY_VALUE, 0, step_value, end_walldiff},
	{"walldifferent", BY_VALUE, 0, step_value, end_walldiff},
	{"sgcc", BY_BOUND, 0, step_value, end_sgcc},
	{"sgcc var", ONE, VECTOR, step_bounded, end_bounded},
	{"sgccdp", BY_BOUND, 0, step_value, end_wgcc},
	{"sgcckp", BY_BOUND, 0, step_value, end_wgcc},
	{"wgcc", BY_BOUND, 0, step_value, end_wgcc},
	{"ssame", BY_VALUE, SIGNED, step_value, end_ssame},
	{"wsame", BY_VALUE, SIGNED, step_value, end_gap},
	{"wsamegcc", BY_VALUE, SIGNED, step_value, end_gap},
	{"wsamegcc", BY_BOUND, SIDES, step_value, end_wgcc},
	{"samong", ONE, 0, step_among, end_among},
	{"samongdp", ONE, 0, step_among, end_among},
	{"wamong", ONE, 0, step_among, end_among},
	{"wvaramong", ONE, 0, step_var_among, end_gap},
	{"woverlap", ONE, INTERLEAVED, step_overlap, end_compared},
	{"wsum", ONE, 0, step_sum, end_compared},
	{"wvarsum", ONE, 0, step_var_sum, end_difference},
	{"wdiverse", ONE, 0, step_distance, end_distance},
	{"whdiverse", ONE, 0, step_distance, end_distance},
	{"wtdiverse", ONE, 0, step_distance, end_distance},
	{"sregular", ONE, AUTOMATON, step_automaton, end_automaton},
	{"sregulardp", ONE, AUTOMATON, step_automaton, end_automaton},
	{"wregular", ONE, AUTOMATON, step_automaton, end_automaton},
	{"max", ONE, 0, step_max, end_max},
	{"smaxdp", ONE, 0, step_max, end_max},
};

static bool is_row(const struct row *row, const struct gpube_call *c)
{
	/* a distance in variables to change joins the values' counts at the end */
	if (strcmp(c->keyword->name, "sgcc") == 0 && c->metric == GPUBE_METRIC_VAR)
		return row->flags & VECTOR;
	return strcmp(row->name, c->keyword->name) == 0;
}

/* ---- machines, made and run ----------------------------------------------------------------- */

static void clear(struct gpube_machine *m)
{
	struct gpube_ctx *ctx = m->call->sink.ctx;

	GPUBE_FREE_ALL(ctx, m->reads, m->start, m->adds, m->least, m->most);
}

/* What each variable adds: of two lists of the call, or of the scope's halves. */
static void fill_adds(struct gpube_machine *m)
{
	const struct gpube_call *c = m->call;

	for (int k = 0; k < c->arity; k++)
		m->adds[k] = c->n_lists < 2 ? (k < c->arity / 2 ? 1 : -1) : 0;
	for (int list = 0; list < 2 && c->n_lists == 2; list++)
		for (int64_t i = 0; i < c->lists[list].n_items; i++)
			m->adds[gpube__call_list(c, list)[i].v] += list ? -1 : 1;
}

/* The least and most that variables k on can add; false if a sum passes 64 bits. */
static bool fill_needs(struct gpube_machine *m)
{
	const struct gpube_eval *e = m->eval;
	int64_t reach = gpube__gap(m->call->scalars[0].v, 0);

	m->least[m->n] = m->most[m->n] = 0;
	for (int k = m->n - 1; k >= 0; k--) {
		const int64_t *w = e->weights + e->weights_of[m->reads[k]];
		int64_t least = w[0], most = w[0];

		for (int32_t v = 1; v < e->domains[m->reads[k]]; v++) {
			least = w[v] < least ? w[v] : least;
			most = w[v] > most ? w[v] : most;
		}
		if (__builtin_add_overflow(m->least[k + 1], least, &m->least[k]) ||
			__builtin_add_overflow(m->most[k + 1], most, &m->most[k]) ||
			__builtin_add_overflow(reach, gpube__gap(least, 0), &reach) ||
			__builtin_add_overflow(reach, gpube__gap(most, 0), &reach))
			return false;
	}
	m->start[0] = m->call->scalars[0].v;
	return reach < GPUBE_INF;
}

static void start_automaton(struct gpube_machine *m)
{
	const struct gpube_call *c = m->call;

	m->now = m->eval->states;
	m->then = m->now + m->width;
	gpube__automaton_start(c, m->now);
	for (int64_t s = 0; s < m->width; s++) {
		m->start[s] = m->now[s] == GPUBE_FORBID ? GPUBE_INF : (int64_t)m->now[s];
		m->overflow |= m->now[s] != GPUBE_FORBID &&
			       (m->now[s] >= GPUBE_INF || m->now[s] <= -GPUBE_INF);
	}
	m->sign = c->m->direction == GPUBE_MAXIMISE ? -1 : 1;
}

static int make(struct gpube_machine *m, const struct row *row, const struct gpube_call *c,
	const struct gpube_eval *e)
{
	struct gpube_ctx *ctx = c->sink.ctx;
	const uint64_t n = (uint64_t)c->arity;

	*m = (struct gpube_machine){.call = c,
		.eval = e,
		.width = 1,
		.sign = 1,
		.step = row->step,
		.end = row->end,
		.n = c->arity};
	if (row->flags & INTERLEAVED)
		m->width = 2;
	if (row->flags & VECTOR)
		m->width = c->lists[0].n_items;
	if (row->flags & AUTOMATON)
		m->width = gpube__automaton_states(c);
	m->reads = gpube__alloc(ctx, n, sizeof(*m->reads));
	m->start = gpube__alloc_zero(ctx, (uint64_t)m->width + 1, sizeof(*m->start));
	if (row->flags & (SIGNED | SIDES))
		m->adds = gpube__alloc(ctx, n, sizeof(*m->adds));
	if (row->flags & NEEDS) {
		m->least = gpube__alloc(ctx, n + 1, sizeof(*m->least));
		m->most = gpube__alloc(ctx, n + 1, sizeof(*m->most));
	}
	if (!m->reads || !m->start || ((row->flags & (SIGNED | SIDES)) && !m->adds) ||
		((row->flags & NEEDS) && (!m->least || !m->most)))
		return GPUBE_ENOMEM;
	for (int k = 0; k < c->arity; k++)
		m->reads[k] = row->flags & INTERLEAVED ? k / 2 + k % 2 * (c->arity / 2) : k;
	if (row->flags & SIGNED)
		fill_adds(m);
	if (row->flags & AUTOMATON)
		start_automaton(m);
	if (row->flags & NEEDS)
		m->overflow = !fill_needs(m);
	return GPUBE_OK;
}

/* ---- how large ------------------------------------------------------------------------------ */

/* The hidden variables and cells of a counter of m->value, before its states are merged. */
static void measure(struct gpube_machine *m)
{
	int64_t low = 0, high = 0;

	m->n_hidden = m->n_cells = 0;
	for (int k = 0; k < m->n && m->n_cells <= GPUBE_CHAINS_CELLS; k++) {
		const int32_t domain = m->eval->domains[k];
		const int64_t add = domain <= m->value ? 0 : m->adds ? m->adds[k] : 1;

		m->n_cells += (high - low + 1) * domain;
		low += add < 0 ? add : 0;
		high += add > 0 ? add : 0;
		m->n_hidden += k + 1 < m->n && high > low;
	}
}

typedef int with_machine(bool *fits, struct gpube_machine *m);

/* Before any is made; the call has the sums. */
static int measure_one(bool *fits, struct gpube_machine *m)
{
	struct gpube_call *c = (struct gpube_call *)m->call;

	measure(m);
	c->n_hidden += m->n_hidden;
	c->n_cells += m->n_cells;
	*fits = m->n_cells <= GPUBE_CHAIN_CELLS && c->n_cells <= GPUBE_CHAINS_CELLS &&
		c->n_hidden <= GPUBE_CHAINS_HIDDEN;
	return GPUBE_OK;
}

static int by_value(bool *fits, struct gpube_machine *m, with_machine *with)
{
	int32_t most = 0;
	int status = GPUBE_OK;

	for (int k = 0; k < m->call->arity; k++)
		most = m->eval->domains[k] > most ? m->eval->domains[k] : most;
	for (m->value = 0; m->value < most && !status && *fits; m->value++)
		status = with(fits, m);
	return status;
}

static int by_bound(bool *fits, struct gpube_machine *m, bool sides, with_machine *with)
{
	const struct gpube_call *c = m->call;
	const int64_t width = c->metric == GPUBE_METRIC_WDEC ? 5 : 3;
	int status = GPUBE_OK;

	m->entry = gpube__call_list(c, 0);
	for (int64_t i = 0; i < c->lists[0].n_items && !status && *fits; i++, m->entry += width)
		for (int side = 0; side < 1 + sides && !status && *fits; side++) {
			for (int k = 0; k < c->arity && sides; k++)
				m->adds[k] = (k < c->arity / 2) == (side == 0);
			m->value = m->entry[0].v;
			status = with(fits, m);
		}
	return status;
}

/* All machines of a row, one after the other. */
static int each(bool *fits, const struct row *row, struct gpube_call *call,
	const struct gpube_eval *e, with_machine *with)
{
	struct gpube_machine m;
	int status = make(&m, row, call, e);

	*fits = !m.overflow;
	if (!status && row->kind == BY_VALUE)
		status = by_value(fits, &m, with);
	else if (!status && row->kind == BY_BOUND)
		status = by_bound(fits, &m, row->flags & SIDES, with);
	else if (!status && *fits && with != measure_one) {
		status = with(fits, &m);
		call->n_hidden = m.n_hidden;
		call->n_cells = m.n_cells;
	}
	clear(&m);
	return status;
}

int gpube__call_chain(bool *fits, struct gpube_call *call, const struct gpube_eval *e)
{
	static with_machine *const passes[] = {measure_one, gpube__chain};
	int status = GPUBE_OK;
	bool any = false;

	if (strcmp(call->keyword->name, "MST") == 0 || strcmp(call->keyword->name, "smstdp") == 0)
		return gpube__call_depths(fits, call);
	*fits = true;
	call->n_hidden = call->n_cells = 0;
	for (int pass = 0; pass < 2; pass++)
		for (size_t r = 0; r < sizeof(rows) / sizeof(*rows) && !status && *fits; r++)
			if (is_row(&rows[r], call)) {
				any = true;
				status = each(fits, &rows[r], call, e, passes[pass]);
			}
	*fits = *fits && any;
	return gpube__sink_pass(&call->sink, status);
}
