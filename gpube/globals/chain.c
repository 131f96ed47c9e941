/* chain.c - the layers of a machine's states, merged, and their tables. See chain.h. */
#include "gpube/globals/chain.h"

#include <stdio.h>
#include <string.h>

#include "gpube/ir/tuples.h"

typedef __int128 cost_t;

/*
 * The states after so many variables.
 * next    by state and value: the state or, once merged, its class in the next layer; -1: none
 * cost    the same: of the step
 * class_of  by state: -1, nothing is allowed from here on
 * rest    by state: the least that the rest costs
 */
struct layer {
	int64_t n, capacity, n_classes;
	int32_t domain; /* of the variable that is read next */
	int64_t *states;
	int32_t *next, *class_of;
	cost_t *cost, *rest;
};

/* Finds equal rows: of states, or of merged steps. */
struct seen {
	int32_t *slot; /* index + 1, 0: free */
	int64_t n_slots;
};

struct building {
	struct gpube_machine *machine;
	struct gpube_ctx *ctx;
	const struct gpube_sink *sink;
	struct layer *layers; /* machine->n + 1 */
	struct seen seen;
	int64_t *state;
	int64_t n_transitions, n_numbers;
	bool fits;
};

/* ---- equal rows ---------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static int seen_reset(struct building *b, int64_t n)
{
	int64_t need = 64;

	while (need < 2 * n)
		need *= 2;
	if (need > b->seen.n_slots) {
		gpube__free(b->ctx, b->seen.slot);
		b->seen.n_slots = 0;
		b->seen.slot = gpube__alloc(b->ctx, (uint64_t)need, sizeof(*b->seen.slot));
		if (!b->seen.slot)
			return GPUBE_ENOMEM;
		b->seen.n_slots = need;
	}
	memset(b->seen.slot, 0, (size_t)b->seen.n_slots * sizeof(*b->seen.slot));
	return GPUBE_OK;
}

/* ---- forward: the states that can be reached ------------------------------------------- */

static uint64_t hash_state(const int64_t *state, int64_t width)
{
	uint64_t h = 0;

	for (int64_t i = 0; i < width; i++)
		h = mix(h, (uint64_t)state[i]);
	return h;
}

/* The index of b->state in the layer, where it is put if it is new. */
static int intern(struct building *b, struct layer *l, int32_t *index)
{
	const int64_t width = b->machine->width;
	struct seen *s = &b->seen;
	uint64_t at;

	if (2 * (l->n + 1) > s->n_slots) {
		const int64_t n = 2 * s->n_slots;

		if (seen_reset(b, n))
			return GPUBE_ENOMEM;
		for (int64_t i = 0; i < l->n; i++) {
			at = hash_state(l->states + i * width, width);
			while (s->slot[at & (uint64_t)(s->n_slots - 1)])
				at++;
			s->slot[at & (uint64_t)(s->n_slots - 1)] = (int32_t)(i + 1);
		}
	}
	for (at = hash_state(b->state, width);; at++) {
		const int32_t k = s->slot[at & (uint64_t)(s->n_slots - 1)] - 1;

		if (k < 0)
			break;
		if (memcmp(l->states + k * width, b->state, (size_t)width * sizeof(*b->state)) ==
			0) {
			*index = k;
			return GPUBE_OK;
		}
	}
	b->n_numbers += width;
	if (b->n_numbers > GPUBE_CHAIN_NUMBERS) {
		b->fits = false;
		return GPUBE_OK;
	}
	if (gpube__charge(b->sink, width, 2 * sizeof(*b->state), "functions that are expanded"))
		return gpube__sink_status(b->sink);
	if (gpube__grow(b->ctx, &l->states, &l->capacity, (l->n + 1) * width, sizeof(*l->states)))
		return GPUBE_ENOMEM;
	memcpy(l->states + l->n * width, b->state, (size_t)width * sizeof(*b->state));
	*index = (int32_t)l->n++;
	s->slot[at & (uint64_t)(s->n_slots - 1)] = *index + 1;
	return GPUBE_OK;
}

/* The steps from all states of layer k, and with them layer k + 1. */
static int step_layer(struct building *b, int k)
{
	struct gpube_machine *m = b->machine;
	struct layer *l = &b->layers[k];
	const int64_t n = l->n * l->domain;
	int status = GPUBE_OK;

	b->n_transitions += n;
	b->fits = b->n_transitions <= GPUBE_CHAIN_CELLS;
	if (!b->fits)
		return GPUBE_OK;
	if (gpube__charge_cells(b->sink, 2 * n, NULL))
		return gpube__sink_status(b->sink);
	l->next = gpube__alloc(b->ctx, (uint64_t)n, sizeof(*l->next));
	l->cost = gpube__alloc(b->ctx, (uint64_t)n, sizeof(*l->cost));
	if (!l->next || !l->cost || seen_reset(b, 0))
		return GPUBE_ENOMEM;
	for (int64_t i = 0; i < l->n && !status && b->fits; i++) {
		if (i % 1024 == 0 && gpube__stopped(b->ctx))
			return gpube__fail_stopped(b->ctx);
		for (int32_t v = 0; v < l->domain && !status && b->fits; v++) {
			const int64_t at = i * l->domain + v;

			memcpy(b->state, l->states + i * m->width,
				(size_t)m->width * sizeof(*b->state));
			l->cost[at] = m->step(m, b->state, k, v);
			l->next[at] = -1;
			if (l->cost[at] != GPUBE_FORBID)
				status = intern(b, &b->layers[k + 1], &l->next[at]);
		}
	}
	gpube__free(b->ctx, l->states);
	l->states = NULL;
	return status;
}

static int find_states(struct building *b)
{
	struct gpube_machine *m = b->machine;
	int32_t first;
	int status;

	for (int k = 0; k < m->n; k++)
		b->layers[k].domain = m->eval->domains[m->reads[k]];
	memcpy(b->state, m->start, (size_t)m->width * sizeof(*b->state));
	status = seen_reset(b, 0);
	if (!status)
		status = intern(b, &b->layers[0], &first);
	for (int k = 0; k < m->n && !status && b->fits; k++)
		status = step_layer(b, k);
	return status;
}

/* ---- backward: states that are the same become a class ---------------------------------- */

static int end_layer(struct building *b)
{
	struct gpube_machine *m = b->machine;
	struct layer *l = &b->layers[m->n];

	l->class_of = gpube__alloc(b->ctx, (uint64_t)l->n + 1, sizeof(*l->class_of));
	l->rest = gpube__alloc(b->ctx, (uint64_t)l->n + 1, sizeof(*l->rest));
	if (!l->class_of || !l->rest)
		return GPUBE_ENOMEM;
	l->n_classes = m->last ? m->call->m->vars[m->last_var].domain : l->n > 0;
	for (int64_t i = 0; i < l->n; i++) {
		const int64_t *state = l->states + i * m->width;

		l->rest[i] = m->last ? 0 : m->end(m, state);
		l->class_of[i] = m->last ? m->last(m, state) : l->rest[i] == GPUBE_FORBID ? -1 : 0;
	}
	return GPUBE_OK;
}

/* The steps of a state into classes, each with what it costs more than the least; false: none. */
static bool merge_steps(struct layer *l, const struct layer *after, int64_t i)
{
	int32_t *next = l->next + i * l->domain;
	cost_t *cost = l->cost + i * l->domain;

	l->rest[i] = GPUBE_FORBID;
	for (int32_t v = 0; v < l->domain; v++) {
		const int32_t to = next[v];

		next[v] = to < 0 ? -1 : after->class_of[to];
		cost[v] = next[v] < 0 ? 0 : gpube__cost_add(cost[v], after->rest[to]);
		if (next[v] >= 0 && cost[v] < l->rest[i])
			l->rest[i] = cost[v];
	}
	for (int32_t v = 0; v < l->domain; v++)
		if (next[v] >= 0)
			cost[v] -= l->rest[i];
	return l->rest[i] != GPUBE_FORBID;
}

static bool same_steps(const struct layer *l, int64_t a, int64_t b)
{
	const size_t n = (size_t)l->domain;

	return memcmp(l->next + a * l->domain, l->next + b * l->domain, n * sizeof(*l->next)) ==
		       0 &&
	       memcmp(l->cost + a * l->domain, l->cost + b * l->domain, n * sizeof(*l->cost)) == 0;
}

static uint64_t hash_steps(const struct layer *l, int64_t i)
{
	uint64_t h = 0;

	for (int64_t k = i * l->domain; k < (i + 1) * l->domain; k++)
		h = mix(mix(h, (uint64_t)(uint32_t)l->next[k]), (uint64_t)l->cost[k]);
	return h;
}

/* Classes are numbered in the order of their first states; their steps move to the front. */
static int merge_layer(struct building *b, int k)
{
	struct layer *l = &b->layers[k];
	const size_t row = (size_t)l->domain;

	l->class_of = gpube__alloc(b->ctx, (uint64_t)l->n + 1, sizeof(*l->class_of));
	l->rest = gpube__alloc(b->ctx, (uint64_t)l->n + 1, sizeof(*l->rest));
	if (!l->class_of || !l->rest || seen_reset(b, l->n))
		return GPUBE_ENOMEM;
	for (int64_t i = 0; i < l->n; i++) {
		int32_t *slot;

		if (i % 1024 == 0 && gpube__stopped(b->ctx))
			return gpube__fail_stopped(b->ctx);
		l->class_of[i] = -1;
		if (!merge_steps(l, &b->layers[k + 1], i))
			continue;
		for (uint64_t at = hash_steps(l, i);; at++) {
			slot = &b->seen.slot[at & (uint64_t)(b->seen.n_slots - 1)];
			if (*slot == 0 || same_steps(l, *slot - 1, i))
				break;
		}
		if (*slot == 0) {
			*slot = (int32_t)++l->n_classes;
			memmove(l->next + (*slot - 1) * l->domain, l->next + i * l->domain,
				row * sizeof(*l->next));
			memmove(l->cost + (*slot - 1) * l->domain, l->cost + i * l->domain,
				row * sizeof(*l->cost));
		}
		l->class_of[i] = *slot - 1;
	}
	return GPUBE_OK;
}

/* ---- the chain's tables ------------------------------------------------------------------ */

int gpube__add_hidden(int32_t *var, struct gpube_call *call, int64_t domain, int32_t at, int number)
{
	char name[64];

	/* the mark by which toulbar2 knows that a variable is not to be shown */
	snprintf(name, sizeof(name), "^%.30s%d_%d", call->keyword->name, at, number);
	if (gpube__charge_var(&call->sink, call->m->n_vars, domain))
		return gpube__sink_status(&call->sink);
	if (gpube__put_var(call->m, var, (int32_t)domain, name))
		return GPUBE_ENOMEM;
	gpube__hide(call->m, *var);
	return GPUBE_OK;
}

/*
 * hidden: the variables of layers k and k + 1 (the last may be the machine's last_var), -1 where
 * all states of one are the same
 */
static int add_function(struct building *b, int k, const int32_t hidden[2])
{
	const struct gpube_call *call = b->machine->call;
	const struct layer *l = &b->layers[k];
	int32_t scope[3], domains[3], tuple[3];
	struct gpube_tuples t;
	struct gpube_table made;
	int arity = 0, status;
	int64_t twice;
	bool free_of_cost = hidden[1] < 0;

	for (int64_t i = 0; i < l->n_classes * l->domain && free_of_cost; i++)
		free_of_cost = l->next[i] >= 0 && l->cost[i] == 0;
	if (free_of_cost)
		return GPUBE_OK;
	if (hidden[0] >= 0)
		scope[arity++] = hidden[0];
	scope[arity++] = call->scope[b->machine->reads[k]];
	if (hidden[1] >= 0)
		scope[arity++] = hidden[1];
	for (int i = 0; i < arity; i++)
		domains[i] = call->m->vars[scope[i]].domain;
	if (gpube__charge_filled(b->sink, arity, domains) ||
		gpube__charge_cells(b->sink, l->n_classes * l->domain, call->function_name))
		return gpube__sink_status(b->sink);
	status = gpube__tuples_init(&t, b->ctx, arity, domains, GPUBE_INF);
	if (status)
		return status;
	for (int64_t i = 0; i < l->n_classes * l->domain && !status; i++) {
		int64_t value;

		if (l->next[i] < 0)
			continue;
		if (!gpube__call_units(call, b->machine->sign * l->cost[i], &value))
			status = gpube__call_refuse_cost(call);
		tuple[0] = (int32_t)(i / l->domain);
		tuple[hidden[0] >= 0] = (int32_t)(i % l->domain);
		tuple[arity - 1] = hidden[1] >= 0 ? l->next[i] : tuple[arity - 1];
		if (!status)
			status = gpube__tuples_push(&t, tuple, value, 0);
	}
	if (status) {
		gpube__tuples_clear(&t);
		return status;
	}
	status = gpube__tuples_finish(&t, &made, &twice);
	return status ? status : gpube__add_table_over(call->m, scope, &made, call->function_name);
}

/* No assignment is allowed: the first variable has no value. */
static int add_nothing(struct building *b)
{
	struct layer *l = &b->layers[0];
	const int32_t hidden[2] = {-1, -1};

	l->n_classes = 1;
	for (int32_t v = 0; v < l->domain; v++)
		l->next[v] = -1;
	return add_function(b, 0, hidden);
}

static int add_functions(struct building *b)
{
	struct gpube_machine *m = b->machine;
	struct layer *first = &b->layers[0];
	const int32_t at = m->call->m->n_functions;
	int32_t hidden[2] = {-1, -1};
	int status = GPUBE_OK;

	if (first->class_of[0] < 0)
		return add_nothing(b);
	/* what every assignment pays is paid at the beginning */
	for (int32_t v = 0; v < first->domain; v++)
		if (first->next[v] >= 0)
			first->cost[v] = gpube__cost_add(first->cost[v], first->rest[0]);
	for (int k = 0; k < m->n && !status; k++) {
		const int64_t n = b->layers[k + 1].n_classes;

		hidden[0] = hidden[1];
		hidden[1] = m->last && k + 1 == m->n ? m->last_var : -1;
		if (n > 1 && hidden[1] < 0)
			status = gpube__add_hidden(
				&hidden[1], (struct gpube_call *)m->call, n, at, k);
		if (!status)
			status = add_function(b, k, hidden);
	}
	return status;
}

void gpube__chain_text(char text[GPUBE_CHAIN_TEXT], int64_t n_hidden, int64_t n_cells)
{
	if (n_cells == 0)
		snprintf(text, GPUBE_CHAIN_TEXT, ", and no chain does instead");
	else
		snprintf(text, GPUBE_CHAIN_TEXT,
			", and as chains %lld hidden variables and %lld cells or more: at most "
			"%lld and %lld, %lld of one chain",
			(long long)n_hidden, (long long)n_cells, (long long)GPUBE_CHAINS_HIDDEN,
			(long long)GPUBE_CHAINS_CELLS, (long long)GPUBE_CHAIN_CELLS);
}

/* ---- all of it --------------------------------------------------------------------------- */

static void clear(struct building *b)
{
	for (int k = 0; b->layers && k <= b->machine->n; k++) {
		struct layer *l = &b->layers[k];

		GPUBE_FREE_ALL(b->ctx, l->states, l->next, l->cost, l->class_of, l->rest);
	}
	GPUBE_FREE_ALL(b->ctx, b->layers, b->seen.slot, b->state);
}

int gpube__chain(bool *fits, struct gpube_machine *machine)
{
	const struct gpube_sink *sink = &machine->call->sink;
	struct building b = {.machine = machine, .sink = sink, .ctx = sink->ctx, .fits = true};
	int status = GPUBE_ENOMEM;

	b.layers = gpube__alloc_zero(b.ctx, (uint64_t)machine->n + 1, sizeof(*b.layers));
	b.state = gpube__alloc(b.ctx, (uint64_t)machine->width, sizeof(*b.state));
	if (b.layers && b.state)
		status = find_states(&b);
	b.fits = b.fits && !machine->overflow;
	if (!status && b.fits) {
		status = end_layer(&b);
		for (int k = machine->n - 1; k >= 0 && !status; k--)
			status = merge_layer(&b, k);
		if (!status)
			status = add_functions(&b);
	}
	*fits = b.fits;
	machine->n_hidden = machine->n - 1;
	machine->n_cells = b.n_transitions;
	clear(&b);
	return gpube__sink_pass(sink, status);
}
