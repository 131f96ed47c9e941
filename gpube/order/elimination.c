/* elimination.c - see elimination.h. */
#include "gpube/order/elimination.h"

#include <stdlib.h>

static int push(struct gpube_elimination *e, struct gpube_ctx *ctx, int64_t *n, int32_t q)
{
	if (gpube__grow(ctx, &e->scope, &e->scope_capacity, *n + 1, sizeof(*e->scope)))
		return GPUBE_ENOMEM;
	e->scope[(*n)++] = q;
	return GPUBE_OK;
}

/*
 * The message at position k: what is later of the variable's neighbours and of the messages
 * to it, which are in the list that begins with first[k].
 */
static int find_scope(struct gpube_elimination *e, struct gpube_ctx *ctx,
	const struct gpube_graph *g, int32_t v, int32_t *seen, int32_t *first, int32_t *next)
{
	int32_t k = e->position[v];
	int64_t n = e->at[k];
	int status = GPUBE_OK;

	seen[k] = k;
	for (int64_t i = g->start[v]; i < g->start[v + 1] && !status; i++) {
		int32_t q = e->position[g->adjacent[i]];

		if (q < k || seen[q] == k)
			continue;
		seen[q] = k;
		status = push(e, ctx, &n, q);
	}
	for (int32_t c = first[k]; c >= 0; c = next[c])
		for (int64_t s = e->at[c]; s < e->at[c + 1] && !status; s++) {
			int32_t q = e->scope[s];

			if (seen[q] == k)
				continue;
			seen[q] = k;
			status = push(e, ctx, &n, q);
		}
	e->at[k + 1] = n;
	if (status || n == e->at[k])
		return status;
	qsort(e->scope + e->at[k], (size_t)(n - e->at[k]), sizeof(*e->scope), gpube__compare_int32);
	next[k] = first[e->scope[e->at[k]]];
	first[e->scope[e->at[k]]] = k;
	return GPUBE_OK;
}

int gpube__eliminate_graph(struct gpube_elimination *e, struct gpube_ctx *ctx,
	const struct gpube_graph *g, const int32_t *order)
{
	uint64_t n = (uint64_t)g->n;
	int32_t *seen = gpube__alloc(ctx, 3 * n, sizeof(*seen));
	int status = GPUBE_OK;

	*e = (struct gpube_elimination){.n = g->n};
	e->position = gpube__alloc(ctx, n, sizeof(*e->position));
	e->at = gpube__alloc_zero(ctx, n + 1, sizeof(*e->at));
	if (!seen || !e->position || !e->at)
		status = GPUBE_ENOMEM;
	for (uint64_t k = 0; k < n && !status; k++) {
		e->position[order[k]] = (int32_t)k;
		seen[k] = seen[n + k] = -1;
	}
	for (uint64_t k = 0; k < n && !status; k++)
		status = gpube__stopped(ctx)
				 ? gpube__fail_stopped(ctx)
				 : find_scope(e, ctx, g, order[k], seen, seen + n, seen + 2 * n);
	gpube__free(ctx, seen);
	return status;
}

void gpube__elimination_clear(struct gpube_elimination *e, struct gpube_ctx *ctx)
{
	GPUBE_FREE_ALL(ctx, e->position, e->at, e->scope);
	*e = (struct gpube_elimination){0};
}

void gpube__elimination_clusters(int32_t *into, const struct gpube_elimination *e)
{
	for (int32_t k = 0; k < e->n; k++)
		into[k] = k;
	for (int32_t c = 0; c < e->n; c++) {
		int32_t k = gpube__message_to(e, c);

		if (k >= 0 && into[k] == k && gpube__n_scope(e, c) == gpube__n_scope(e, k) + 1)
			into[k] = into[c];
	}
}
