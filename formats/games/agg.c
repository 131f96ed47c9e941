/*
 * agg.c - Gambit's .agg and .bagg, games by their action graph, with lines of # comments:
 *
 *   #AGG        or of Bayesian games #BAGG
 *   2 3 1       players, action nodes, function nodes
 *   2 2         .bagg: types of each player; their chances; then all by player and type
 *   0 1 0 2     numbers of actions, then these, action nodes from 0 in rising order
 *   1 3 …       of each node, functions behind the actions: how many neighbours, and these
 *   0           of each function its kind: 0 sum, 1 any, 2 highest, 3 lowest; 10 to 13 the same
 *               with a default and by weights of the actions, 10 0 [ 1 2 3 ]
 *   0 3 5 …     of each action node its payoffs, in the order of what its neighbours can count,
 *   1 2 [ 0 ] 3 …  or 1, how many, and configurations with a payoff each
 */
#include "formats/games/agg.h"

#include <stdio.h>
#include <string.h>

/* Paths to a function, and what an action may add to a count: their sums have 32 bits. */
enum { MOST_ADDED = 1 << 24, MOST_NODES = 1 << 28 };

/* ---- players --------------------------------------------------------------------------------- */

static int read_sizes(struct gpube_agg *r)
{
	struct gpube_in *in = r->in;
	struct gpube_action_graph *g = r->g;
	char token[8] = "";
	int status;

	gpube__scan_peek(in);
	for (size_t k = 0; k < gpube__in_need(in, 6) && k < 6 && in->p[k] > ' '; k++)
		token[k] = in->p[k];
	r->bayesian = strcmp(token, "#BAGG") == 0;
	if (!r->bayesian && strcmp(token, "#AGG") != 0)
		return gpube__scan_refuse(in, "#AGG or #BAGG");
	in->comment = '#';
	status = gpube__agg_int(r, &g->n_players, 0, INT32_MAX, "the number of players");
	if (!status)
		status = gpube__check_players(in, g->n_players);
	if (!status)
		status = gpube__agg_int(
			r, &g->n_actions, 1, MOST_NODES, "the number of action nodes");
	if (!status)
		status = gpube__agg_int(
			r, &g->n_functions, 0, MOST_NODES, "the number of function nodes");
	return status;
}

static int read_types(struct gpube_agg *r)
{
	struct gpube_action_graph *g = r->g;
	int status = GPUBE_OK;

	r->types = gpube__alloc(r->in->ctx, (uint64_t)g->n_players, sizeof(*r->types));
	g->first = gpube__alloc(r->in->ctx, (uint64_t)g->n_players + 1, sizeof(*g->first));
	if (!r->types || !g->first)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < g->n_players && !status; i++) {
		r->types[i] = 1;
		if (r->bayesian)
			status = gpube__agg_int(r, &r->types[i], 1, GPUBE__MOST_PLAYERS,
				"the number of types of a player");
		g->first[i] = g->n_agents;
		g->n_agents += status ? 0 : r->types[i];
	}
	if (status)
		return status;
	g->first[g->n_players] = g->n_agents;
	return g->n_agents <= GPUBE__MOST_PLAYERS
		       ? GPUBE_OK
		       : gpube__in_error(r->in, "%d types of all players: at most %d are read",
				 g->n_agents, GPUBE__MOST_PLAYERS);
}

static int read_chances(struct gpube_agg *r)
{
	struct gpube_action_graph *g = r->g;
	int status = GPUBE_OK;

	g->chance = gpube__alloc_zero(r->in->ctx, (uint64_t)g->n_agents, sizeof(*g->chance));
	if (!g->chance)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < g->n_players && !status; i++) {
		for (int32_t a = g->first[i]; a < g->first[i + 1] && !status; a++) {
			g->chance[a] = (struct gpube_rational){1, 1, NULL};
			if (r->bayesian)
				status = gpube__agg_rational(
					r, &g->chance[a], "the chance of a type");
			if (!status)
				status = gpube__check_chance(r->in, &g->chance[a]);
		}
		if (!status)
			status = gpube__check_chances(r->in, &g->chance[g->first[i]], r->types[i],
				sizeof(*g->chance), "a player's types");
	}
	return status;
}

/* The nodes of one player's agents, each of them once. */
static void unite_sets(struct gpube_agg *r, int32_t i, uint8_t *there)
{
	const struct gpube_action_graph *g = r->g;
	int32_t n = r->set_at[i];

	for (int32_t k = g->from[g->first[i]]; k < g->from[g->first[i + 1]]; k++)
		if (!there[g->actions[k]]) {
			there[g->actions[k]] = 1;
			r->sets[n++] = g->actions[k];
		}
	for (int32_t k = r->set_at[i]; k < n; k++)
		there[r->sets[k]] = 0;
	r->set_at[i + 1] = n;
}

/* How many actions each agent has, and which. */
static int read_actions(struct gpube_agg *r)
{
	struct gpube_ctx *ctx = r->in->ctx;
	struct gpube_action_graph *g = r->g;
	const uint64_t n = (uint64_t)g->n_agents;
	uint8_t *there = NULL;
	int32_t size;
	int status = GPUBE_OK;

	g->from = gpube__alloc_zero(ctx, n + 1, sizeof(*g->from));
	r->set_at = gpube__alloc_zero(ctx, n + 1, sizeof(*r->set_at));
	if (!g->from || !r->set_at)
		return GPUBE_ENOMEM;
	for (int32_t a = 0; a < g->n_agents && !status; a++) {
		status = gpube__agg_int(
			r, &size, 1, g->n_actions, "the number of a player's actions");
		g->from[a + 1] = g->from[a] + (status ? 0 : size);
		if (!status && g->from[a + 1] > 1 << 30)
			status = gpube__in_error(r->in, "2^30 actions or more");
		if (!status)
			status = gpube__in_charge(r->in, size, 64, "%d actions", size);
	}
	if (status)
		return status;
	g->actions = gpube__alloc(ctx, (uint64_t)g->from[n], sizeof(*g->actions));
	r->sets = gpube__alloc(ctx, (uint64_t)g->from[n], sizeof(*r->sets));
	if (!g->actions || !r->sets)
		return GPUBE_ENOMEM;
	for (int32_t a = 0; a < g->n_agents; a++)
		for (int32_t k = g->from[a]; k < g->from[a + 1] && !status; k++) {
			int32_t *to = &g->actions[k];

			status =
				gpube__agg_int(r, to, 0, g->n_actions - 1, "the node of an action");
			if (!status && k > g->from[a] && *to <= to[-1])
				status = gpube__in_error(
					r->in, "a player's actions in another than rising order");
		}
	/* what all players' actions do to each node is looked at */
	if (!status)
		status = gpube__in_charge(r->in, g->n_actions, 64 + (int64_t)g->from[n],
			"%d actions of %d nodes", g->from[n], g->n_actions);
	if (status)
		return status;
	there = gpube__alloc_zero(ctx, (uint64_t)g->n_actions, 1);
	if (!there)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < g->n_players; i++)
		unite_sets(r, i, there);
	gpube__free(ctx, there);
	return GPUBE_OK;
}

/* ---- the graph ------------------------------------------------------------------------------- */

static int read_neighbours(struct gpube_agg *r)
{
	struct gpube_in *in = r->in;
	struct gpube_action_graph *g = r->g;
	const int64_t n = (int64_t)g->n_actions + g->n_functions;
	int64_t capacity = 0;
	int32_t size;
	int status = gpube__in_charge(in, n, 32, "%lld nodes", (long long)n);

	if (status)
		return status;
	g->at = gpube__alloc_zero(in->ctx, (uint64_t)n + 1, sizeof(*g->at));
	if (!g->at)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < n; k++) {
		status = gpube__agg_int(r, &size, 0, n, "the number of a node's neighbours");
		if (status)
			return status;
		g->at[k + 1] = g->at[k] + size;
		for (int64_t e = g->at[k]; e < g->at[k + 1]; e++) {
			if (gpube__grow(in->ctx, &g->neighbours, &capacity, e + 1,
				    sizeof(*g->neighbours)))
				return GPUBE_ENOMEM;
			status = gpube__agg_int(r, &g->neighbours[e], 0, n - 1, "a neighbour");
			if (status)
				return status;
		}
	}
	return GPUBE_OK;
}

static int read_weights(struct gpube_agg *r, int32_t f)
{
	const int32_t n = r->g->n_actions;
	int status = gpube__agg_int(
		r, &r->dflt[f], -MOST_ADDED, MOST_ADDED, "the default of a function");
	int64_t capacity = 0;

	if (!status)
		status = gpube__agg_char(r, '[', "'[' and a weight for each action node");
	for (int32_t k = 0; k < n && !status; k++) {
		status = gpube__grow(
			r->in->ctx, &r->weights[f], &capacity, k + 1, sizeof(**r->weights));
		if (!status)
			status = gpube__agg_int(
				r, &r->weights[f][k], -MOST_ADDED, MOST_ADDED, "a weight");
		if (!status && r->kind[f] == 11 && (r->weights[f][k] < 0 || r->dflt[f] < 0))
			status = gpube__in_error(r->in,
				"a number below 0 in a function of kind 11, whether there is any");
	}
	if (!status)
		status = gpube__agg_char(r, ']', "']' after a weight for each action node");
	if (!status && r->kind[f] == 10 && r->dflt[f])
		return gpube__in_error(r->in,
			"the default %d of a weighted sum: Gambit's manual adds it once, its "
			"program "
			"once for each player; 0 is read",
			r->dflt[f]);
	return status;
}

static int read_functions(struct gpube_agg *r)
{
	struct gpube_ctx *ctx = r->in->ctx;
	struct gpube_action_graph *g = r->g;
	const uint64_t n = (uint64_t)g->n_functions;
	int status = GPUBE_OK;

	g->functions = gpube__alloc_zero(ctx, n, sizeof(*g->functions));
	r->kind = gpube__alloc(ctx, n, sizeof(*r->kind));
	r->dflt = gpube__alloc(ctx, n, sizeof(*r->dflt));
	r->weights = gpube__alloc_zero(ctx, n, sizeof(*r->weights));
	if (!g->functions || !r->kind || !r->dflt || !r->weights)
		return GPUBE_ENOMEM;
	for (int32_t f = 0; f < g->n_functions && !status; f++) {
		status = gpube__agg_int(r, &r->kind[f], 0, INT32_MAX, "the kind of a function");
		if (status)
			return status;
		if (r->kind[f] > 13 || (r->kind[f] > 3 && r->kind[f] < 10))
			return gpube__in_error(r->in,
				"kind %d of a function: 0 to 3 and 10 to 13 are read", r->kind[f]);
		r->dflt[f] = g->n_actions + g->n_functions;
		if (r->kind[f] >= 10)
			status = read_weights(r, f);
	}
	return status;
}

/* ---- what functions count -------------------------------------------------------------------- */

/* Function nodes are of one kind with those that they count. */
static bool same_function(const struct gpube_agg *r, int32_t a, int32_t b)
{
	return r->kind[a] == r->kind[b] && r->dflt[a] == r->dflt[b] &&
	       (r->kind[a] < 10 || memcmp(r->weights[a], r->weights[b],
					   (size_t)r->g->n_actions * sizeof(int32_t)) == 0);
}

/* Paths from each action to a function, from those of the functions that it counts. */
static int count_paths(struct gpube_agg *r, int32_t f)
{
	const struct gpube_action_graph *g = r->g;
	const int64_t node = g->n_actions + f;
	int32_t *paths = g->gives + (int64_t)f * g->n_actions;

	for (int64_t e = g->at[node]; e < g->at[node + 1]; e++) {
		const int32_t other = g->neighbours[e] - g->n_actions;

		if (other < 0) {
			paths[g->neighbours[e]]++;
			continue;
		}
		if (!same_function(r, f, other))
			return gpube__in_error(r->in,
				"function node %lld counts node %d, which is of another kind",
				(long long)node, g->neighbours[e]);
		for (int32_t a = 0; a < g->n_actions; a++) {
			paths[a] += g->gives[(int64_t)other * g->n_actions + a];
			if (paths[a] > MOST_ADDED)
				return gpube__in_fail(r->in, GPUBE_ERANGE,
					"more than %d paths to function node %lld", MOST_ADDED,
					(long long)node);
		}
	}
	return GPUBE_OK;
}

/* Functions after those that they count. stack, next: n_functions of each; next[f] < 0: done */
static int count_all_paths(struct gpube_agg *r, int32_t *stack, int64_t *next)
{
	const struct gpube_action_graph *g = r->g;
	int status = GPUBE_OK;

	for (int32_t first = 0; first < g->n_functions; first++) {
		int32_t n = 0;

		if (next[first] >= 0)
			stack[n++] = first;
		while (n && !status) {
			const int32_t f = stack[n - 1];
			const int64_t node = g->n_actions + f;
			int32_t other;

			if (next[f] == g->at[node + 1] - g->at[node]) {
				next[f] = -1;
				n--;
				status = gpube__stopped(r->in->ctx)
						 ? gpube__fail_stopped(r->in->ctx)
						 : count_paths(r, f);
				continue;
			}
			other = g->neighbours[g->at[node] + next[f]++] - g->n_actions;
			if (other < 0 || next[other] < 0)
				continue;
			if (next[other] > 0)
				return gpube__in_error(
					r->in, "function node %lld counts itself", (long long)node);
			stack[n++] = other;
		}
		if (status)
			return status;
	}
	return GPUBE_OK;
}

/* What one player of an action adds, from its paths; *none: what there is without any. */
static int settle_function(struct gpube_agg *r, int32_t f)
{
	static const enum gpube_function_kind how[] = {
		GPUBE_COUNT_SUM, GPUBE_COUNT_ANY, GPUBE_COUNT_HIGHEST, GPUBE_COUNT_LOWEST};
	const struct gpube_action_graph *g = r->g;
	struct gpube_function_node *node = &g->functions[f];
	int32_t *gives = g->gives + (int64_t)f * g->n_actions, last = INT32_MIN;
	const int32_t *weight = r->weights[f];

	node->how = how[r->kind[f] % 10];
	node->none = r->dflt[f];
	for (int32_t a = 0; a < g->n_actions; a++) {
		const int64_t sum = (int64_t)gives[a] * (weight ? weight[a] : 1);

		if (node->how == GPUBE_COUNT_SUM && (sum > MOST_ADDED || sum < -MOST_ADDED))
			return gpube__in_fail(r->in, GPUBE_ERANGE,
				"action %d adds %lld to function node %d: more than %d", a,
				(long long)sum, g->n_actions + f, MOST_ADDED);
		if (node->how == GPUBE_COUNT_SUM) {
			gives[a] = (int32_t)sum;
		} else if (node->how == GPUBE_COUNT_ANY) {
			gives[a] = sum > 0 || (weight && r->dflt[f] > 0);
		} else if (gives[a] == 0) {
			gives[a] = GPUBE__GIVES_NONE;
		} else {
			gives[a] = weight ? weight[a] : a;
			/* by nodes, as the manual says, and by weights, as the program does */
			if (gives[a] < last || (weight && gives[a] == node->none))
				return gpube__in_error(r->in,
					"the weights of function node %d do not rise, or one is "
					"the "
					"default",
					g->n_actions + f);
			last = gives[a];
		}
	}
	return GPUBE_OK;
}

static int settle_functions(struct gpube_agg *r)
{
	struct gpube_ctx *ctx = r->in->ctx;
	struct gpube_action_graph *g = r->g;
	const uint64_t n = (uint64_t)g->n_functions;
	int32_t *stack;
	int64_t *next;
	/* for each neighbour of a function a step for each action */
	const int64_t steps =
		g->n_functions + g->at[g->n_actions + g->n_functions] - g->at[g->n_actions];
	int status = gpube__in_charge(r->in, steps, (int64_t)sizeof(*g->gives) * g->n_actions,
		"%d functions of %d actions", g->n_functions, g->n_actions);

	if (status || !n)
		return status;
	g->gives = gpube__alloc_zero(ctx, n * (uint64_t)g->n_actions, sizeof(*g->gives));
	stack = gpube__alloc(ctx, n, sizeof(*stack));
	next = gpube__alloc_zero(ctx, n, sizeof(*next));
	status = g->gives && stack && next ? count_all_paths(r, stack, next) : GPUBE_ENOMEM;
	for (int32_t f = 0; f < g->n_functions && !status; f++)
		status = settle_function(r, f);
	gpube__free(ctx, stack);
	gpube__free(ctx, next);
	return status;
}

static int read_nodes(struct gpube_agg *r)
{
	struct gpube_action_graph *g = r->g;
	int status = GPUBE_OK;

	g->nodes = gpube__alloc_zero(r->in->ctx, (uint64_t)g->n_actions, sizeof(*g->nodes));
	if (!g->nodes)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < g->n_actions && !status; k++)
		status = gpube__stopped(r->in->ctx) ? gpube__fail_stopped(r->in->ctx)
						    : gpube__agg_payoffs(r, k);
	return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The model's variables: players, or "player 1, type 2" where one has several types. */
static int add_agents(struct gpube_model *m, const struct gpube_action_graph *g)
{
	int status = GPUBE_OK;
	char name[64];

	for (int32_t i = 0; i < g->n_players; i++)
		for (int32_t a = g->first[i]; a < g->first[i + 1] && !status; a++) {
			snprintf(name, sizeof(name), "player %d, type %d", i + 1,
				a - g->first[i] + 1);
			status = gpube__add_player(m, g->from[a + 1] - g->from[a],
				g->n_agents > g->n_players ? name : NULL, NULL);
		}
	return status;
}

int gpube__agg_read(struct gpube_model *m, struct gpube_in *in)
{
	static int (*const steps[])(struct gpube_agg *) = {read_sizes, read_types, read_chances,
		read_actions, read_neighbours, read_functions, settle_functions, read_nodes};
	struct gpube_ctx *ctx = in->ctx;
	struct gpube_agg r = {.in = in};
	int status = GPUBE_OK;

	m->graph = r.g = gpube__alloc_zero(ctx, 1, sizeof(*r.g));
	if (!r.g)
		return GPUBE_ENOMEM;
	r.g->model = m;
	for (size_t k = 0; k < sizeof(steps) / sizeof(*steps) && !status; k++)
		status = steps[k](&r);
	if (!status)
		status = gpube__in_end(in);
	if (!status)
		status = add_agents(m, r.g);
	for (int32_t f = 0; r.weights && f < r.g->n_functions; f++)
		gpube__free(ctx, r.weights[f]);
	GPUBE_FREE_ALL(ctx, r.weights, r.kind, r.dflt, r.types, r.sets, r.set_at);
	return status;
}
