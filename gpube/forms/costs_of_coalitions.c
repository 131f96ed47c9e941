/*
 * costs_of_coalitions.c - a coalition game as a model of costs. See gpube/forms.h.
 *
 * A chain: variable k says which agents are left after k coalitions, of which each takes
 * the first agent that was left. What is left then has none of the first k agents, so that all
 * tables together have some 4^n / 6 cells and 3^n / 2 tuples, the width is one, and a structure is
 * one assignment. Weighed against that: a variable an agent, its coalition's number, one table of
 * n! cells, which is smaller up to five agents; and a variable an agent, its coalition, whose pairs
 * have 4^(n-1) cells each and whose width is n - 1. That one is taken where many agents have few
 * coalitions that are allowed (set_costs.h).
 */
#include <stdio.h>

#include "gpube/forms.h"
#include "gpube/forms/set_costs.h"
#include "gpube/ir/coalition_table.h"
#include "gpube/ir/tuples.h"

enum {
	LABELS = 5,          /* agents, at most: a variable each */
	SCANNED_AGENTS = 26, /* of a table, to find the coalitions that are allowed */
	MOST_LISTED = 1 << 14,
};

/* The coalition's name, agents from 1: "{1,3}". */
static void write_agents(char name[GPUBE__NAME], uint64_t coalition)
{
	int n = snprintf(name, GPUBE__NAME, "{");

	for (uint64_t c = coalition; c; c &= c - 1)
		n += snprintf(name + n, (size_t)(GPUBE__NAME - n), "%s%d",
			c == coalition ? "" : ",", __builtin_ctzll(c) + 1);
	snprintf(name + n, (size_t)(GPUBE__NAME - n), "}");
}

/*
 * The game as it is read here.
 * index  of a list's masks
 */
struct game {
	struct gpube_ctx *ctx;
	const struct gpube_model *m;
	const struct gpube_table *t;
	struct gpube__mask_index index;
	int n;
};

static int64_t value_of(const struct game *g, uint64_t coalition)
{
	const int64_t v = gpube__coalition_at(
		g->t, g->t->sparse ? gpube__mask_find(&g->index, g->t->masks, coalition)
				   : (int64_t)coalition);

	return v == INT64_MIN ? GPUBE_INF : v;
}

/* ---- listed coalitions ------------------------------------------------------------------- */

static void agent_name(char *name, const struct gpube__sets *s, int agent)
{
	const struct game *g = s->arg;
	const char *own = g->m->vars[agent].name;

	if (own)
		snprintf(name, GPUBE__NAME, "%s", own);
	else
		snprintf(name, GPUBE__NAME, "agent%d", agent + 1);
}

static void coalition_name(char *name, const struct gpube__sets *s, int set)
{
	uint64_t coalition = 0;

	for (int64_t k = s->b.at[set]; k < s->b.at[set + 1]; k++)
		coalition |= (uint64_t)1 << s->b.good[k];
	write_agents(name, coalition);
}

/*
 * The coalitions that are allowed: of those listed, or of all. NULL: they are too many, or no
 * memory.
 */
static uint64_t *allowed_coalitions(int64_t *n, const struct game *g)
{
	const bool list = g->t->sparse;
	uint64_t *mask = NULL;
	int64_t capacity = 0;

	*n = 0;
	for (int64_t k = list ? 0 : 1; k < g->t->n; k++) {
		const uint64_t coalition = list ? g->t->masks[k] : (uint64_t)k;

		if (gpube__coalition_at(g->t, k) == INT64_MIN)
			continue;
		if (*n == MOST_LISTED ||
			gpube__grow(g->ctx, &mask, &capacity, *n + 1, sizeof(*mask)) ||
			(k % 65536 == 0 && gpube__stopped(g->ctx))) {
			gpube__free(g->ctx, mask);
			return NULL;
		}
		mask[(*n)++] = coalition;
	}
	return mask ? mask : gpube__alloc(g->ctx, 1, sizeof(*mask));
}

static int model_of_listed(
	struct gpube_model **out, const struct game *g, const uint64_t *mask, int64_t n)
{
	struct gpube__sets sets = {
		.all = true, .arg = g, .good_name = agent_name, .set_name = coalition_name};
	struct gpube__bids *b = &sets.b;
	int status;

	*b = (struct gpube__bids){.ctx = g->ctx,
		.n_real = g->n,
		.n_goods = g->n,
		.n_bids = (int)n,
		.scale = g->m->scale,
		.owns = true};
	b->price = gpube__alloc(g->ctx, (uint64_t)n + 1, sizeof(*b->price));
	b->at = gpube__alloc_zero(g->ctx, (uint64_t)n + 1, sizeof(*b->at));
	b->good = gpube__alloc(g->ctx, (uint64_t)n * (uint64_t)g->n + 1, sizeof(*b->good));
	status = b->price && b->at && b->good ? GPUBE_OK : GPUBE_ENOMEM;
	for (int64_t k = 0; k < n && !status; k++) {
		int64_t end = b->at[k];

		for (uint64_t c = mask[k]; c; c &= c - 1)
			b->good[end++] = __builtin_ctzll(c);
		b->price[k] = value_of(g, mask[k]);
		b->at[k + 1] = end;
	}
	if (!status)
		status = gpube__sets_costs(out, &sets);
	gpube__bids_clear(b);
	return status;
}

/* Of more agents than a chain takes: if few coalitions are allowed, a variable an agent. */
static int model_of_few(struct gpube_model **out, const struct game *g)
{
	uint64_t *mask = NULL;
	int64_t n = 0;
	int status;

	if (g->t->sparse ? g->t->dflt.i == INT64_MIN : g->n <= SCANNED_AGENTS)
		mask = allowed_coalitions(&n, g);
	if (gpube__stopped(g->ctx))
		status = gpube__fail_stopped(g->ctx);
	else if (!mask)
		status = gpube__fail(g->ctx, GPUBE_ELIMIT,
			"a game of %d agents: models are made of at most %d, or of at most %d "
			"coalitions that are not forbidden",
			g->n, GPUBE_CHAIN_AGENTS, MOST_LISTED);
	else
		status = model_of_listed(out, g, mask, n);
	gpube__free(g->ctx, mask);
	return status;
}

/* ---- a variable an agent ------------------------------------------------------------------ */

/* What the structure is worth in which agent i is in coalition label[i], numbered as they come. */
static int structure_value(int64_t *value, const struct game *g, const int32_t *label)
{
	uint64_t part[LABELS] = {0};
	int32_t n = 0;

	*value = 0;
	for (int i = 0; i < g->n; i++) {
		if (label[i] > n) {
			*value = GPUBE_INF;
			return GPUBE_OK;
		}
		n += label[i] == n;
		part[label[i]] |= (uint64_t)1 << i;
	}
	for (int32_t k = 0; k < n; k++) {
		const int64_t v = value_of(g, part[k]);

		if (v == GPUBE_INF) {
			*value = GPUBE_INF;
			return GPUBE_OK;
		}
		if (__builtin_add_overflow(*value, v, value) || *value >= GPUBE_INF ||
			*value <= -GPUBE_INF)
			return gpube__fail(
				g->ctx, GPUBE_ERANGE, "a structure's value passes 64 bits");
	}
	return GPUBE_OK;
}

static int add_labels(struct gpube_model *m, const struct game *g)
{
	int32_t scope[LABELS], domain[LABELS], label[LABELS] = {0};
	int64_t cells[120];
	int64_t n = 0;
	int status = GPUBE_OK;

	for (int i = 0; i < g->n && !status; i++) {
		char name[GPUBE__NAME];

		domain[i] = i + 1;
		agent_name(name, &(struct gpube__sets){.arg = g}, i);
		status = gpube_model_add_var(m, &scope[i], domain[i], name);
	}
	if (status)
		return status;
	do
		status = structure_value(&cells[n++], g, label);
	while (!status && gpube__tuple_next(label, domain, g->n));
	return status ? status : gpube_model_add_costs(m, g->n, scope, cells);
}

/* ---- a chain -------------------------------------------------------------------------------- */

static int name_left(struct gpube_variable *v, struct gpube_ctx *ctx, int k)
{
	char name[GPUBE__NAME];

	v->value_names = gpube__alloc_zero(ctx, (uint64_t)v->domain, sizeof(*v->value_names));
	if (!v->value_names)
		return GPUBE_ENOMEM;
	for (int32_t a = 0; a < v->domain; a++) {
		write_agents(name, (uint64_t)a << k);
		v->value_names[a] = gpube__strdup(ctx, name);
		if (!v->value_names[a])
			return GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

/* The variable after k coalitions, 1 to n - 1: agents from k on may be left. */
static int add_left(struct gpube_model *m, int n, int k)
{
	char name[GPUBE__NAME];
	int32_t var;
	int status;

	snprintf(name, sizeof(name), "left%d", k);
	status = gpube_model_add_var(m, &var, (int32_t)1 << (n - k), name);
	return status ? status : name_left(&m->vars[var], m->ctx, k);
}

/* Who is left after k coalitions and after one more: what that coalition is worth. */
static int add_step(struct gpube_model *m, const struct game *g, int k)
{
	const int32_t scope[] = {k - 1, k};
	const int32_t domains[] = {(int32_t)1 << (g->n - k), (int32_t)1 << (g->n - k - 1)};
	struct gpube_tuples t;
	struct gpube_table made;
	int64_t twice;
	int32_t table;
	int status = gpube__tuples_init(&t, g->ctx, 2, domains, GPUBE_INF);

	if (status)
		return status;
	for (int32_t a = 0; a < domains[0] && !status; a++) {
		const uint64_t before = (uint64_t)a << k, rest = before & (before - 1);
		uint64_t after = 0;

		if (a % 256 == 0 && gpube__stopped(g->ctx))
			status = gpube__fail_stopped(g->ctx);
		/* all subsets of the rest, the least first */
		do {
			const int32_t tuple[] = {a, (int32_t)(after >> (k + 1))};
			const int64_t v = a ? value_of(g, before & ~after) : 0;

			if (!status && v != GPUBE_INF)
				status = gpube__tuples_push(&t, tuple, v, 0);
			after = (after - rest) & rest;
		} while (after && !status);
	}
	if (status) {
		gpube__tuples_clear(&t);
		return status;
	}
	status = gpube__tuples_finish(&t, &made, &twice);
	if (!status)
		status = gpube__add_table(m, &table, &made);
	return status ? status : gpube__add_function(m, 2, scope, table, NULL);
}

/* The first coalition, which takes agent 1, or the last, which is the last agent if it is left. */
static int add_end(struct gpube_model *m, const struct game *g, bool first)
{
	const int32_t var = first ? 0 : m->n_vars - 1, domain = m->vars[var].domain;
	const uint64_t all = ((uint64_t)1 << g->n) - 1;
	int64_t *cost = gpube__alloc(m->ctx, (uint64_t)domain, sizeof(*cost));
	int status;

	if (!cost)
		return GPUBE_ENOMEM;
	for (int32_t a = 0; a < domain; a++)
		cost[a] = first ? value_of(g, all & ~((uint64_t)a << 1))
			  : a   ? value_of(g, (uint64_t)1 << (g->n - 1))
				: 0;
	status = gpube_model_add_costs(m, 1, &var, cost);
	gpube__free(m->ctx, cost);
	return status;
}

static int add_chain(struct gpube_model *m, const struct game *g)
{
	int status = GPUBE_OK;

	for (int k = 1; k < g->n && !status; k++)
		status = add_left(m, g->n, k);
	if (!status)
		status = add_end(m, g, true);
	for (int k = 1; k < g->n - 1 && !status; k++)
		status = add_step(m, g, k);
	return status ? status : add_end(m, g, false);
}

static int make(struct gpube_model **out, const struct game *g)
{
	int status;

	if (g->n > GPUBE_CHAIN_AGENTS)
		return model_of_few(out, g);
	status = gpube_model_new(out, g->ctx, GPUBE_COSTS);
	if (!status)
		status = gpube_model_set_direction(*out, GPUBE_MAXIMISE);
	if (!status)
		status = gpube_model_set_scale(*out, g->m->scale);
	return status ? status : g->n <= LABELS ? add_labels(*out, g) : add_chain(*out, g);
}

int gpube_costs_of_coalitions(struct gpube_model **out, const struct gpube_model *m)
{
	struct game g = {.m = m, .t = gpube__coalitions_table(m)};
	int status;

	if (out)
		*out = NULL;
	if (!out || !m)
		return gpube__missing(m ? m->ctx : NULL);
	if (gpube__check_kind(m, m->auction ? 0 : GPUBE__OF(GPUBE_COALITIONS)))
		return GPUBE_EINVAL;
	if (!g.t || (g.t->owner && g.t->owner->fetch))
		return gpube__fail(m->ctx, GPUBE_EINVAL, "the values are not stored here");
	if (!gpube__type_is_int(g.t->type))
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"the values are %s: a model's costs are integers, so that nothing is "
			"rounded",
			gpube_type_name(g.t->type));
	g.ctx = m->ctx;
	g.n = m->n_vars;
	status = gpube__mask_index(&g.index, g.ctx, g.t);
	if (!status)
		status = make(out, &g);
	gpube__free(g.ctx, g.index.slot);
	if (status) {
		gpube_model_free(*out);
		*out = NULL;
	}
	return status;
}
