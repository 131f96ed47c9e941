/* bucket_tree.c - see bucket_tree.h. */
#include "gpube/ir/bucket_tree.h"

#include <stdlib.h>
#include <string.h>

#include "gpube/ir/graph.h"

struct builder {
	struct gpube_bucket_tree *t;
	struct gpube_ctx *ctx;
	struct gpube_graph graph;
	int32_t *seen, *first, *next; /* by position: last seen from; its children's list */
};

static int push(struct builder *b, int64_t *n, int32_t k, int32_t q)
{
	struct gpube_bucket_tree *t = b->t;

	if (q <= k || b->seen[q] == k)
		return GPUBE_OK;
	b->seen[q] = k;
	if (gpube__grow(b->ctx, &t->scope, &t->scope_capacity, *n + 1, sizeof(*t->scope)))
		return GPUBE_ENOMEM;
	t->scope[(*n)++] = q;
	return GPUBE_OK;
}

/* The message at k: what is later of the variable's neighbours and of the messages to it. */
static int find_scope(struct builder *b, int32_t k)
{
	struct gpube_bucket_tree *t = b->t;
	const int32_t v = t->order[k];
	int64_t n = t->at[k];
	int status = GPUBE_OK;

	for (int64_t e = b->graph.start[v]; e < b->graph.start[v + 1] && !status; e++)
		status = push(b, &n, k, t->position[b->graph.adjacent[e]]);
	for (int32_t c = b->first[k]; c >= 0; c = b->next[c])
		for (int64_t s = t->at[c]; s < t->at[c + 1] && !status; s++)
			status = push(b, &n, k, t->scope[s]);
	t->at[k + 1] = n;
	if (status || n == t->at[k])
		return status;
	qsort(t->scope + t->at[k], (size_t)(n - t->at[k]), sizeof(*t->scope), gpube__compare_int32);
	b->next[k] = b->first[t->scope[t->at[k]]];
	b->first[t->scope[t->at[k]]] = k;
	return GPUBE_OK;
}

int gpube__bucket_tree_init(
	struct gpube_bucket_tree *t, const struct gpube_model *m, const int32_t *order)
{
	struct builder b = {.t = t, .ctx = m->ctx};
	const uint64_t n = (uint64_t)m->n_vars;
	int status = GPUBE_ENOMEM;

	*t = (struct gpube_bucket_tree){.n = m->n_vars};
	t->order = gpube__alloc(m->ctx, n + 1, sizeof(*t->order));
	t->position = gpube__alloc(m->ctx, n + 1, sizeof(*t->position));
	t->at = gpube__alloc_zero(m->ctx, n + 1, sizeof(*t->at));
	b.seen = gpube__alloc(m->ctx, 3 * n + 1, sizeof(*b.seen));
	if (!t->order || !t->position || !t->at || !b.seen)
		goto out;
	b.first = b.seen + n;
	b.next = b.first + n;
	memcpy(t->order, order, n * sizeof(*order));
	for (int32_t k = 0; k < t->n; k++) {
		t->position[order[k]] = k;
		b.seen[k] = b.first[k] = -1;
	}
	status = gpube__graph_of_model(&b.graph, m);
	for (int32_t k = 0; k < t->n && !status; k++)
		status = find_scope(&b, k);
out:
	gpube__graph_clear(m->ctx, &b.graph);
	gpube__free(m->ctx, b.seen);
	return status;
}

void gpube__bucket_tree_clear(struct gpube_ctx *ctx, struct gpube_bucket_tree *t)
{
	gpube__free(ctx, t->order);
	gpube__free(ctx, t->position);
	gpube__free(ctx, t->at);
	gpube__free(ctx, t->scope);
	*t = (struct gpube_bucket_tree){0};
}

void gpube__bucket_clusters(const struct gpube_bucket_tree *t, int32_t *into)
{
	for (int32_t k = 0; k < t->n; k++)
		into[k] = k;
	for (int32_t c = 0; c < t->n; c++) {
		const int32_t k = gpube__bucket_parent(t, c);

		if (k >= 0 && into[k] == k && gpube__bucket_scope(t, c) == gpube__bucket_scope(t, k) + 1)
			into[k] = into[c];
	}
}
