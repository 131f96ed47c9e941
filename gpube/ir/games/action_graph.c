/* action_graph.c - what the nodes of an action graph count. See action_graph.h. */
#include "gpube/ir/games/action_graph.h"

void gpube__action_graph_free(struct gpube_action_graph *g, struct gpube_ctx *ctx)
{
	if (!g)
		return;
	for (int32_t k = 0; g->nodes && k < g->n_actions; k++) {
		for (int64_t c = 0; g->nodes[k].payoffs && c < g->nodes[k].n; c++)
			gpube__free(ctx, g->nodes[k].payoffs[c].text);
		gpube__free(ctx, g->nodes[k].configurations);
		gpube__free(ctx, g->nodes[k].payoffs);
	}
	for (int32_t a = 0; g->chance && a < g->n_agents; a++)
		gpube__free(ctx, g->chance[a].text);
	GPUBE_FREE_ALL(ctx, g->first, g->from, g->actions, g->chance, g->at, g->neighbours,
		g->gives, g->functions, g->nodes, g);
}

/* ---- counts ---------------------------------------------------------------------------------- */

void gpube__counts_add(const struct gpube_action_graph *g, int32_t node, int32_t *counts,
	const int32_t *before, int32_t action)
{
	const int32_t *neighbour = g->neighbours + g->at[node];
	const int64_t n = g->at[node + 1] - g->at[node];

	for (int64_t k = 0; k < n; k++) {
		const int32_t f = neighbour[k] - g->n_actions, x = before[k];
		const int32_t y = f < 0 ? neighbour[k] == action
					: g->gives[(int64_t)f * g->n_actions + action];
		const enum gpube_function_kind how = f < 0 ? GPUBE_COUNT_SUM : g->functions[f].how;

		if (x == GPUBE__GIVES_NONE || y == GPUBE__GIVES_NONE)
			counts[k] = x == GPUBE__GIVES_NONE ? y : x;
		else if (how == GPUBE_COUNT_SUM)
			counts[k] = x + y;
		else if (how == GPUBE_COUNT_ANY)
			counts[k] = x | y;
		else
			counts[k] = (x > y) == (how == GPUBE_COUNT_HIGHEST) ? x : y;
	}
}

void gpube__counts_settle(const struct gpube_action_graph *g, int32_t node, int32_t *counts)
{
	const int32_t *neighbour = g->neighbours + g->at[node];

	for (int64_t k = 0; k < g->at[node + 1] - g->at[node]; k++)
		if (counts[k] == GPUBE__GIVES_NONE)
			counts[k] = g->functions[neighbour[k] - g->n_actions].none;
}
