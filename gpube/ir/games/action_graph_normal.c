/* action_graph_normal.c - payoffs by profile of a game by its action graph. See action_graph.h. */
#include "gpube/ir/games/action_graph.h"

#include <string.h>

#include "gpube/base/arrays.h"
#include "gpube/ir/games/expected.h"
#include "gpube/ir/payoffs.h"

/*
 * at      the profile
 * type    of each player: the agent that acts
 * counts  of the neighbours of a node
 */
struct profile {
	const struct gpube_action_graph *g;
	int32_t *at, *type, *counts;
};

static int refuse_counts(const struct profile *p, int32_t node)
{
	const int64_t n = p->g->at[node + 1] - p->g->at[node];
	struct gpube__text t = {.ctx = p->g->model->ctx};
	int status;

	for (int64_t k = 0; k < n; k++)
		gpube__text_printf(&t, k ? " %d" : "%d", p->counts[k]);
	status = t.status ? t.status
			  : gpube__fail(t.ctx, GPUBE_EINVAL,
				    "action node %d has no payoff for the configuration [%.300s]",
				    node, n ? t.bytes : "");
	gpube__free(t.ctx, t.bytes);
	return status;
}

/* What the agent of player i gets where these types act. */
static int look_up(const struct gpube_rational **v, const struct profile *p, int32_t i)
{
	const struct gpube_action_graph *g = p->g;
	const int32_t agent = p->type[i], node = g->actions[g->from[agent] + p->at[agent]];
	const int n = (int)(g->at[node + 1] - g->at[node]);
	const struct gpube_action_node *a = &g->nodes[node];
	int64_t low = 0, high = a->n - 1;

	for (int k = 0; k < n; k++)
		p->counts[k] = GPUBE__GIVES_NONE;
	for (int32_t j = 0; j < g->n_players; j++)
		gpube__counts_add(g, node, p->counts, p->counts,
			g->actions[g->from[p->type[j]] + p->at[p->type[j]]]);
	gpube__counts_settle(g, node, p->counts);
	while (low <= high) {
		const int64_t middle = low + (high - low) / 2;
		const int order =
			gpube__compare_tuples(a->configurations + middle * n, p->counts, n);

		if (!order) {
			*v = &a->payoffs[middle];
			return GPUBE_OK;
		}
		low = order < 0 ? middle + 1 : low;
		high = order < 0 ? high : middle - 1;
	}
	return refuse_counts(p, node);
}

/* The next choice of the types of all players but i; false behind the last one. */
static bool next_types(const struct profile *p, int32_t i)
{
	for (int32_t j = 0; j < p->g->n_players; j++) {
		if (j == i)
			continue;
		if (++p->type[j] < p->g->first[j + 1])
			return true;
		p->type[j] = p->g->first[j];
	}
	return false;
}

/* What an agent of player i gets at the profile; a text is borrowed. */
static int expect(struct gpube_rational *to, const struct profile *p, int32_t i, int32_t agent)
{
	const struct gpube_action_graph *g = p->g;
	struct gpube_ctx *ctx = g->model->ctx;
	struct gpube_expected sum = {0, 1};
	const struct gpube_rational *v = NULL;

	for (int32_t j = 0; j < g->n_players; j++)
		p->type[j] = j == i ? agent : g->first[j];
	do {
		struct gpube_rational chance = {1, 1, NULL};
		bool fits = true;
		int status;

		for (int32_t j = 0; j < g->n_players && chance.num && fits; j++)
			if (j != i)
				fits = gpube__chance_times(&chance, &g->chance[p->type[j]]);
		if (fits && !chance.num)
			continue;
		status = look_up(&v, p, i);
		if (status)
			return status;
		if (chance.num == chance.den) {
			*to = *v;
			return GPUBE_OK;
		}
		if (!fits || !gpube__expected_add(&sum, &chance, v))
			return gpube__fail(ctx, GPUBE_ERANGE, "an expected payoff is too long");
	} while (next_types(p, i));
	return gpube__expected_take(to, &sum)
		       ? GPUBE_OK
		       : gpube__fail(ctx, GPUBE_ERANGE, "an expected payoff passes 64 bits");
}

/* One agent's payoffs in all profiles. */
static int fill(struct gpube_rational *v, const struct profile *p, int32_t i, int32_t agent,
	int64_t profiles)
{
	const struct gpube_model *m = p->g->model;
	int status = GPUBE_OK;

	memset(p->at, 0, (size_t)p->g->n_agents * sizeof(*p->at));
	for (int64_t k = 0; k < profiles && !status; k++) {
		status = gpube__stopped(m->ctx) ? gpube__fail_stopped(m->ctx)
						: expect(&v[k], p, i, agent);
		for (int32_t a = p->g->n_agents - 1; a >= 0; a--) {
			if (++p->at[a] < m->vars[a].domain)
				break;
			p->at[a] = 0;
		}
	}
	return status;
}

/* Before memory for them is taken: what is added while one agent's are made, and all that stay. */
static int check_size(const struct gpube_action_graph *g, int64_t *profiles)
{
	struct gpube_ctx *ctx = g->model->ctx;
	double all = 1;

	for (int32_t a = 0; a < g->n_agents; a++)
		all *= g->model->vars[a].domain;
	*profiles = all < 1e15 ? (int64_t)all : 0;
	if (all * (g->n_agents + 1) * sizeof(struct gpube_rational) <= (double)ctx->memory_bytes)
		return GPUBE_OK;
	return gpube__fail(ctx, GPUBE_ELIMIT,
		"payoffs of %d players by %.15g profiles: more than the memory allowed, %llu MiB",
		g->n_agents, all, (unsigned long long)(ctx->memory_bytes >> 20));
}

int gpube__action_graph_normal(struct gpube_action_graph *g)
{
	struct gpube_model *m = g->model;
	struct gpube_ctx *ctx = m->ctx;
	const struct gpube__model_mark mark = gpube__model_mark(m);
	struct gpube__arrays memory = {.ctx = ctx};
	struct profile p = {.g = g};
	struct gpube_rational *v;
	int64_t profiles = 0, most = 1;
	int status = m->n_vars == g->n_agents
			     ? check_size(g, &profiles)
			     : gpube__fail(ctx, GPUBE_EINVAL,
				       "an action graph of %d agents in a game of %d", g->n_agents,
				       m->n_vars);

	if (status)
		return status;
	for (int32_t k = 0; k < g->n_actions; k++)
		most = g->at[k + 1] - g->at[k] > most ? g->at[k + 1] - g->at[k] : most;
	p.at = gpube__array(&memory, (uint64_t)g->n_agents, sizeof(*p.at));
	p.type = gpube__array(&memory, (uint64_t)g->n_players, sizeof(*p.type));
	p.counts = gpube__array(&memory, (uint64_t)most, sizeof(*p.counts));
	v = gpube__array(&memory, (uint64_t)profiles, sizeof(*v));
	status = memory.failed ? GPUBE_ENOMEM : GPUBE_OK;
	for (int32_t i = 0; i < g->n_players; i++)
		for (int32_t agent = g->first[i]; agent < g->first[i + 1] && !status; agent++) {
			status = fill(v, &p, i, agent, profiles);
			if (!status)
				status = gpube__add_payoffs(m, v);
		}
	if (status)
		gpube__model_truncate(m, mark);
	gpube__arrays_clear(&memory);
	return status;
}
