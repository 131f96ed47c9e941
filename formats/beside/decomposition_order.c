/* decomposition_order.c - tree decompositions and elimination orders, of each other. See formats.h.
 */
#include <string.h>

#include "formats/beside/decomposition.h"
#include "gpube/order/elimination.h"

/* ---- to an order --------------------------------------------------------------------- */

enum { UNSEEN = -2, LEFT = -1 }; /* otherwise the last cluster whose parent has the variable */

/* The variables of cluster k that its parent is without go to the back of the order. */
static int leave(int32_t *order, int32_t *n, int32_t *state, const struct gpube_model *m,
	const struct gpube_decomposition *d, int32_t k)
{
	int32_t parent = d->parent[k];

	if (parent >= 0)
		for (int64_t i = d->first[parent]; i < d->first[parent + 1]; i++)
			if (state[d->vars[i]] != LEFT)
				state[d->vars[i]] = k;
	for (int64_t i = d->first[k]; i < d->first[k + 1]; i++) {
		int32_t v = d->vars[i];

		if (state[v] == LEFT)
			return gpube__fail(m->ctx, GPUBE_EINVAL,
				"the clusters of variable %d are not connected", v);
		if (state[v] == k && parent >= 0)
			continue;
		state[v] = LEFT;
		order[(*n)++] = v;
	}
	return GPUBE_OK;
}

int gpube_order_of_decomposition(
	int32_t *order, const struct gpube_model *m, const struct gpube_decomposition *d)
{
	int32_t *buffer, *state, n = 0;
	uint64_t n_vars;
	int status;

	if (!order || !m || !d)
		return gpube__missing(m ? m->ctx : NULL);
	status = gpube__check_kind(m, GPUBE__NETWORKS);
	if (!status)
		status = gpube__check_decomposition(m, d);
	if (status)
		return status;
	n_vars = (uint64_t)m->n_vars;
	buffer = gpube__alloc(m->ctx, 2 * n_vars, sizeof(*buffer));
	if (!buffer)
		return GPUBE_ENOMEM;
	state = buffer + n_vars;
	for (uint64_t i = 0; i < n_vars; i++)
		state[i] = UNSEEN;
	for (int64_t i = 0; d->n_clusters && i < d->first[d->n_clusters]; i++)
		state[d->vars[i]] = d->n_clusters; /* in some, left none */
	for (int32_t i = 0; i < m->n_vars; i++)
		if (state[i] == UNSEEN)
			buffer[n++] = i;
	/* clusters stand behind their parents: from the last on, the leaves are first */
	for (int32_t k = d->n_clusters - 1; k >= 0 && !status; k--)
		status = leave(buffer, &n, state, m, d, k);
	if (!status && n_vars)
		memcpy(order, buffer, n_vars * sizeof(*order));
	gpube__free(m->ctx, buffer);
	return status;
}

/* ---- from an order ------------------------------------------------------------------- */

static void add_cluster(struct gpube_decomposition *d, const struct gpube_elimination *e,
	const int32_t *order, int32_t k)
{
	int64_t n = d->first[d->n_clusters];

	d->vars[n++] = order[k];
	for (int64_t s = e->at[k]; s < e->at[k + 1]; s++)
		d->vars[n++] = order[e->scope[s]];
	d->first[++d->n_clusters] = n;
}

/*
 * into[k]: the cluster that holds the one at k. The last such k is where the cluster's
 * message leaves it, for its parent: from the last position on, parents come first.
 * number: by position of a cluster, its index
 */
static void add_clusters(struct gpube_decomposition *d, const struct gpube_elimination *e,
	const int32_t *order, const int32_t *into, int32_t *number)
{
	for (int32_t k = e->n - 1; k >= 0; k--) {
		int32_t to = gpube__message_to(e, k);

		if (to >= 0 && into[to] == into[k])
			continue;
		number[into[k]] = d->n_clusters;
		d->parent[d->n_clusters] = to < 0 ? -1 : number[into[to]];
		add_cluster(d, e, order, into[k]);
	}
}

static int decompose(struct gpube_decomposition *d, struct gpube_ctx *ctx,
	const struct gpube_elimination *e, const int32_t *order)
{
	uint64_t n = (uint64_t)e->n;
	int32_t *into = gpube__alloc(ctx, 2 * n, sizeof(*into));

	d->parent = gpube__alloc(ctx, n, sizeof(*d->parent));
	d->first = gpube__alloc_zero(ctx, n + 1, sizeof(*d->first));
	d->vars = gpube__alloc(ctx, n + (uint64_t)e->at[n], sizeof(*d->vars));
	if (into && d->parent && d->first && d->vars) {
		gpube__elimination_clusters(into, e);
		add_clusters(d, e, order, into, into + n);
	}
	gpube__free(ctx, into);
	return into && d->parent && d->first && d->vars ? GPUBE_OK : GPUBE_ENOMEM;
}

int gpube_decomposition_of_order(
	struct gpube_decomposition **out, const struct gpube_model *m, const int32_t *order)
{
	struct gpube_elimination e = {0};
	struct gpube_decomposition *d;
	struct gpube_graph g;
	int status;

	if (out)
		*out = NULL;
	if (!out || !m || !order)
		return gpube__missing(m ? m->ctx : NULL);
	status = gpube__check_kind(m, GPUBE__NETWORKS);
	if (!status)
		status = gpube__graph_of_model(&g, m);
	if (status)
		return status;
	d = gpube__decomposition_new(m->ctx);
	status = d ? gpube__check_permutation(m->ctx, order, m->n_vars) : GPUBE_ENOMEM;
	if (!status)
		status = gpube__eliminate_graph(&e, m->ctx, &g, order);
	if (!status)
		status = decompose(d, m->ctx, &e, order);
	gpube__elimination_clear(&e, m->ctx);
	gpube__graph_clear(m->ctx, &g);
	if (status)
		gpube_result_free(d);
	else
		*out = d;
	return status;
}
