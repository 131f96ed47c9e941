/*
 * decomposition_join.c - clusters without parents, as toulbar2's .dec has them, become a tree.
 * See formats.h.
 *
 * By Tarjan and Yannakakis (SIAM J. Comput. 13, 1984): the next cluster is always one with the most
 * variables of those before it, and its parent the last one that was the first to have one of
 * these. If any tree of the clusters is a decomposition, this one is, and it takes time linear in
 * the file; whether it is, finds out who makes an order of it. Weighed: a spanning tree of most
 * common variables does the same in the square of their number.
 */
#include <string.h>

#include "formats/beside/decomposition.h"
#include "gpube/base/rows.h"
#include "gpube/ir/model.h"

struct join {
	const struct gpube_decomposition *d;
	int64_t *at; /* the clusters of variable v: in[at[v]] … */
	int32_t *in;
	int32_t *marked; /* by cluster: how many of its variables lie in those before it */
	/* the other clusters with as many; behind all, a head for each number */
	int32_t *next, *before;
	int32_t *place; /* of a cluster in the tree; -1: not yet */
	/* by variable: the place of the first cluster with it; -1: none yet */
	int32_t *owner;
};

static void take_out(struct join *j, int32_t k)
{
	j->next[j->before[k]] = j->next[k];
	j->before[j->next[k]] = j->before[k];
}

static void put_in(struct join *j, int32_t k)
{
	const int32_t head = j->d->n_clusters + j->marked[k];

	j->next[k] = j->next[head];
	j->before[k] = head;
	j->before[j->next[head]] = k;
	j->next[head] = k;
}

static void list_clusters(struct join *j, int32_t n_vars)
{
	const struct gpube_decomposition *d = j->d;

	for (int64_t i = 0; i < d->first[d->n_clusters]; i++)
		GPUBE_ROW_COUNT(j->at, d->vars[i]);
	GPUBE_ROWS_BEGIN(j->at, n_vars);
	for (int32_t k = 0; k < d->n_clusters; k++)
		for (int64_t i = d->first[k]; i < d->first[k + 1]; i++)
			j->in[GPUBE_ROW_PLACE(j->at, d->vars[i])] = k;
}

/* Cluster k comes at 'place', and counts for those that are left. Returns its parent. */
static int32_t place_cluster(struct join *j, int32_t k, int32_t place)
{
	const struct gpube_decomposition *d = j->d;
	int32_t parent = -1;

	take_out(j, k);
	j->place[k] = place;
	for (int64_t i = d->first[k]; i < d->first[k + 1]; i++) {
		const int32_t v = d->vars[i];

		if (j->owner[v] >= 0) {
			parent = j->owner[v] > parent ? j->owner[v] : parent;
			continue;
		}
		j->owner[v] = place;
		for (int64_t c = j->at[v]; c < j->at[v + 1]; c++) {
			const int32_t other = j->in[c];

			if (j->place[other] >= 0)
				continue;
			take_out(j, other);
			j->marked[other]++;
			put_in(j, other);
		}
	}
	return parent;
}

/* The clusters as they are placed: 'to' has room for as much as j->d holds. */
static void join_all(struct gpube_decomposition *to, struct join *j, int32_t n_vars)
{
	const struct gpube_decomposition *d = j->d;
	const int32_t n = d->n_clusters;
	int32_t most = 0;

	for (int32_t k = n; k <= n + n_vars; k++)
		j->next[k] = j->before[k] = k;
	for (int32_t k = n - 1; k >= 0; k--) { /* where nothing else decides, as in the file */
		j->place[k] = -1;
		put_in(j, k);
	}
	for (int32_t v = 0; v < n_vars; v++)
		j->owner[v] = -1;
	to->first[0] = 0;
	for (to->n_clusters = 0; to->n_clusters < n; to->n_clusters++) {
		int32_t k;
		int64_t size;

		while (j->next[n + most] == n + most)
			most--;
		k = j->next[n + most];
		size = d->first[k + 1] - d->first[k];
		to->parent[to->n_clusters] = place_cluster(j, k, to->n_clusters);
		memcpy(to->vars + to->first[to->n_clusters], d->vars + d->first[k],
			(size_t)size * sizeof(*to->vars));
		to->first[to->n_clusters + 1] = to->first[to->n_clusters] + size;
		/* one that is left may have as many more as this one has */
		most = size < n_vars - most ? most + (int32_t)size : n_vars;
	}
}

int gpube__join_clusters(struct gpube_decomposition *d, const struct gpube_model *m)
{
	struct gpube_ctx *ctx = m->ctx;
	const uint64_t n = (uint64_t)d->n_clusters, n_vars = (uint64_t)m->n_vars;
	const uint64_t n_in = (uint64_t)d->first[n];
	struct gpube_decomposition to = {
		.parent = gpube__alloc(ctx, n, sizeof(*to.parent)),
		.first = gpube__alloc(ctx, n + 1, sizeof(*to.first)),
		.vars = gpube__alloc(ctx, n_in + 1, sizeof(*to.vars)),
	};
	struct join j = {.d = d,
		.at = gpube__alloc_zero(ctx, n_vars + 2, sizeof(*j.at)),
		.in = gpube__alloc_zero(ctx, n_in + 4 * n + 3 * n_vars + 2, sizeof(*j.in))};
	const bool fits = to.parent && to.first && to.vars && j.at && j.in;

	if (fits) {
		struct gpube_decomposition was = *d;

		j.marked = j.in + n_in;
		j.place = j.marked + n;
		j.owner = j.place + n;
		j.next = j.owner + n_vars;
		j.before = j.next + n + n_vars + 1;
		list_clusters(&j, m->n_vars);
		join_all(&to, &j, m->n_vars);
		*d = to;
		to = was;
	}
	GPUBE_FREE_ALL(ctx, to.parent, to.first, to.vars, j.at, j.in);
	return fits ? GPUBE_OK : GPUBE_ENOMEM;
}
