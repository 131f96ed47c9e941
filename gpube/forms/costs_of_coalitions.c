/*
 * costs_of_coalitions.c - a coalition game as a model of costs. See gpube/forms.h;
 * structures_of_costs.c is the inverse.
 *
 * A chain: variable k says which agents are left after k coalitions, of which each takes
 * the first agent that was left. What is left then has none of the first k agents, so that all
 * tables together have some 4^n / 6 cells and 3^n / 2 tuples, the width is one, and a structure is
 * one assignment. Weighed against that: a variable an agent, its coalition's number, one table of
 * n! cells, which is smaller up to five agents and does not say what a coalition is worth, but what
 * a structure is; and a variable an agent, its coalition, whose pairs have 4^(n-1) cells each and
 * whose width is n - 1. That one is taken where many agents have few coalitions that are allowed
 * (set_costs.h).
 */
#include <stdio.h>
#include <string.h>

#include "gpube/forms/model_as.h"
#include "gpube/forms/form.h"
#include "gpube/forms/set_costs.h"
#include "gpube/ir/coalition_table.h"
#include "gpube/ir/tuples.h"

enum {
	SCANNED_AGENTS = 26, /* of a table, to find the coalitions that are allowed */
	MOST_LISTED = 1 << 14,
};

/*
 * The game as it is read here.
 * index  of a list's masks
 * named  coalitions are called by their agents' names, not by their numbers
 * listed  the n_listed that are allowed, of more agents than a chain takes
 */
struct game {
	struct gpube_ctx *ctx;
	const struct gpube_model *m;
	const struct gpube_table *t;
	struct gpube__mask_index index;
	int n;
	bool named;
	uint64_t *listed;
	int64_t n_listed;
};

/* The coalition's name, of agents from 1 or by their names: "{1,3}". */
static void write_agents(char name[GPUBE__NAME], const struct game *g, uint64_t coalition)
{
	int n = snprintf(name, GPUBE__NAME, "{");

	for (uint64_t c = coalition; c && n < GPUBE__NAME; c &= c - 1) {
		const int agent = __builtin_ctzll(c);
		const char *comma = c == coalition ? "" : ",";

		n += g->named && g->m->vars[agent].name
			     ? snprintf(name + n, (size_t)(GPUBE__NAME - n), "%s%s", comma,
				       g->m->vars[agent].name)
			     : snprintf(name + n, (size_t)(GPUBE__NAME - n), "%s%d", comma,
				       agent + 1);
	}
	if (n < GPUBE__NAME)
		snprintf(name + n, (size_t)(GPUBE__NAME - n), "}");
}

/* Names that have room together, and in which a comma separates agents alone. */
static bool can_be_named(const struct game *g)
{
	size_t n = 8; /* braces and an end, with some room */

	for (int i = 0; i < g->n; i++) {
		const char *name = g->m->vars[i].name;

		if (name && strchr(name, ','))
			return false;
		n += name ? strlen(name) + 1 : 3;
	}
	return n <= GPUBE__NAME;
}

static int64_t value_of(const struct game *g, uint64_t coalition)
{
	const int64_t v = gpube__coalition_at(
		g->t, g->t->sparse ? gpube__mask_find(&g->index, g->t->masks, coalition)
				   : (int64_t)coalition);

	return v == INT64_MIN ? GPUBE_INF : v;
}

/* ---- listed coalitions ------------------------------------------------------------------- */

static void agent_name(char *name, const void *game, int agent)
{
	const char *own = ((const struct game *)game)->m->vars[agent].name;

	if (own)
		snprintf(name, GPUBE__NAME, "%s", own);
	else
		snprintf(name, GPUBE__NAME, "agent%d", agent + 1);
}

static void coalition_name(char *name, const void *game, int set)
{
	write_agents(name, game, ((const struct game *)game)->listed[set]);
}

/* The coalitions that are allowed. Errors: ELIMIT (too many, no text), ENOMEM, ESTOP */
static int list_allowed(struct game *g)
{
	int64_t capacity = 0;

	for (int64_t k = !g->t->sparse; k < g->t->n; k++) {
		if (k % 65536 == 0 && gpube__stopped(g->ctx))
			return gpube__fail_stopped(g->ctx);
		if (gpube__coalition_at(g->t, k) == INT64_MIN)
			continue;
		if (g->n_listed == MOST_LISTED)
			return GPUBE_ELIMIT;
		if (gpube__grow(g->ctx, &g->listed, &capacity, g->n_listed + 1, sizeof(*g->listed)))
			return GPUBE_ENOMEM;
		g->listed[g->n_listed++] = g->t->sparse ? g->t->masks[k] : (uint64_t)k;
	}
	return GPUBE_OK;
}

static int model_of_listed(struct gpube_model **out, const struct game *g)
{
	struct gpube__sets sets = {.b = {.ctx = g->ctx,
					   .n_real = g->n,
					   .n_goods = g->n,
					   .n_bids = (int)g->n_listed,
					   .scale = g->m->scale},
		.all = true,
		.arg = g,
		.good_name = agent_name,
		.set_name = coalition_name};
	struct gpube__bids *b = &sets.b;
	int status = gpube__bids_alloc(b, g->n_listed * g->n);

	for (int64_t k = 0; k < g->n_listed && !status; k++) {
		int64_t end = b->at[k];

		for (uint64_t c = g->listed[k]; c; c &= c - 1)
			b->good[end++] = __builtin_ctzll(c);
		b->price[k] = value_of(g, g->listed[k]);
		b->at[k + 1] = end;
	}
	if (!status)
		status = gpube__sets_costs(out, &sets);
	gpube__bids_clear(b);
	return status;
}

/* Of more agents than a chain takes: if few coalitions are allowed, a variable an agent. */
static int model_of_few(struct gpube_model **out, struct game *g)
{
	const bool few = g->t->sparse ? g->t->dflt.i == INT64_MIN : g->n <= SCANNED_AGENTS;
	const int status = few ? list_allowed(g) : GPUBE_ELIMIT;

	return status == GPUBE_ELIMIT
		       ? gpube__fail(g->ctx, status,
				 "a game of %d agents: models are made of at most %d, or of at "
				 "most %d coalitions that are not forbidden",
				 g->n, GPUBE_CHAIN_AGENTS, MOST_LISTED)
	       : status ? status
			: model_of_listed(out, g);
}

/* ---- a chain -------------------------------------------------------------------------------- */

/* After k coalitions: agents from k on may be left, but before the first all are. */
static int add_left(struct gpube_model *m, const struct game *g, int k)
{
	const int32_t domain = k ? (int32_t)1 << (g->n - k) : 1;
	char name[GPUBE__NAME];
	int32_t var;
	int status;

	snprintf(name, sizeof(name), "left%d", k);
	status = gpube__put_var(m, &var, domain, name);
	if (status)
		return status;
	for (int32_t a = 0; a < domain && !status; a++) {
		write_agents(name, g, gpube__left(g->n, k, a));
		status = gpube__put_value_name(&m->vars[var], m->ctx, a, name);
	}
	return status;
}

/* Who is left after k - 1 coalitions and after one more: what that coalition is worth. */
static int add_step(struct gpube_model *m, const struct game *g, int k)
{
	const int32_t scope[] = {k - 1, k};
	const int32_t domains[] = {m->vars[k - 1].domain, m->vars[k].domain};
	struct gpube_tuples t;
	struct gpube_table made;
	int64_t twice;
	int status = gpube__tuples_init(&t, g->ctx, 2, domains, GPUBE_INF);

	if (status)
		return status;
	for (int32_t a = 0; a < domains[0] && !status; a++) {
		const uint64_t before = gpube__left(g->n, k - 1, a), rest = before & (before - 1);
		uint64_t after = 0;

		if (a % 256 == 0 && gpube__stopped(g->ctx))
			status = gpube__fail_stopped(g->ctx);
		/* all subsets of the rest, the least first */
		do {
			const int32_t tuple[] = {a, (int32_t)(after >> k)};
			const int64_t v = before ? value_of(g, before & ~after) : 0;

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
	return status ? status : gpube__add_table_over(m, scope, &made, NULL);
}

/* The last agent, if it is left. */
static int add_end(struct gpube_model *m, const struct game *g)
{
	const int32_t last = g->n - 1;
	const int64_t alone = value_of(g, (uint64_t)1 << last), costs[] = {0, alone};

	return gpube_model_add_costs(m, 1, &last, last ? costs : &alone);
}

static int make_chain(struct gpube_model **out, const struct game *g)
{
	int status = gpube_model_new(out, g->ctx, GPUBE_COSTS);

	if (!status)
		status = gpube_model_set_direction(*out, GPUBE_MAXIMISE);
	if (!status)
		status = gpube_model_set_scale(*out, g->m->scale);
	for (int k = 0; k < g->n && !status; k++)
		status = add_left(*out, g, k);
	for (int k = 1; k < g->n && !status; k++)
		status = add_step(*out, g, k);
	return status ? status : add_end(*out, g);
}

int gpube__costs_of_coalitions(struct gpube_model **out, const struct gpube_model *m)
{
	struct game g = {.m = m, .t = gpube__coalitions_table(m)};
	int status;

	*out = NULL;
	if (gpube__check_kind(m, m->auction ? 0 : GPUBE__OF(GPUBE_COALITIONS)))
		return GPUBE_EINVAL;
	if (!g.t || (g.t->owner && g.t->owner->fetch))
		return gpube__fail(m->ctx, GPUBE_EINVAL, "the values are not stored here");
	if (!gpube__type_is_int(g.t->type))
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"the values are %s: a model's costs are integers, so that nothing is "
			"rounded",
			gpube__type_name(g.t->type));
	g.ctx = m->ctx;
	g.n = m->n_vars;
	g.named = can_be_named(&g);
	status = gpube__mask_index(&g.index, g.ctx, g.t);
	if (!status)
		status = g.n > GPUBE_CHAIN_AGENTS ? model_of_few(out, &g) : make_chain(out, &g);
	GPUBE_FREE_ALL(g.ctx, g.index.slot, g.listed);
	return gpube__model_made(out, status);
}
