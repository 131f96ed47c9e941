/* relations_bytes.c - relations without separators as numbers, and back: see relations.h. */
#include "gpube/base/bytes.h"
#include "gpube/relax/pairwise/relations.h"

void gpube__put_relations(struct gpube__bytes *to, const struct gpube_relations *l)
{
	gpube__put(to, l->n);
	gpube__put(to, l->shift);
	gpube__put(to, l->state.constant);
	gpube__put(to, l->state.target);
	gpube__put(to, l->most);
	gpube__put(to, l->all);
	gpube__put_all(to, l->fixed, l->n);
	gpube__put(to, l->n_relations);
	for (int32_t k = 0; k < l->n_relations; k++) {
		const struct gpube_relation_table *a = &l->relations[k];
		uint64_t before = 0;

		gpube__put(to, a->arity);
		gpube__put_all(to, a->scope, a->arity);
		gpube__put_all(to, a->order, a->arity);
		gpube__put(to, a->n);
		for (int64_t i = 0; i < a->n; i++) {
			gpube__put(to, (int64_t)(a->key[i] - before)); /* modulo 2^64 */
			gpube__put(to, a->cost[i]);
			before = a->key[i];
		}
	}
}

/* Ascending variables that are not fixed, and the same in another order. */
static int get_scope(struct gpube__bytes *from, const struct gpube_relations *l, int32_t arity,
	int32_t *scope, int32_t *order)
{
	int bits = 0;

	for (int32_t v = 0; v < arity && !from->status; v++) {
		scope[v] = (int32_t)gpube__get(
			from, v ? (int64_t)scope[v - 1] + 1 : 0, (int64_t)l->n - 1);
		if (!from->status && l->fixed[scope[v]] >= 0)
			(void)gpube__damaged(from, "a relation in it has a variable that is fixed");
		bits += from->status ? 0 : l->bits[scope[v]];
	}
	if (bits > 64)
		(void)gpube__damaged(from, "a relation in it has too many variables");
	for (int32_t v = 0; v < arity && !from->status; v++) {
		int32_t n = 0;

		order[v] = (int32_t)gpube__get(from, 0, (int64_t)l->n - 1);
		for (int32_t u = 0; u < arity; u++)
			n += (scope[u] == order[v]) - (u < v && order[u] == order[v]);
		if (n != 1)
			(void)gpube__damaged(from, "a relation in it has an order of others");
	}
	return from->status;
}

static int get_entries(
	struct gpube__bytes *from, const struct gpube_relations *l, struct gpube_relation_table *a)
{
	const int bits = a->shift[a->arity];
	uint64_t key = 0;

	for (int64_t i = 0; i < a->n && !from->status; i++) {
		key += (uint64_t)gpube__get(from, INT64_MIN, INT64_MAX);
		a->key[i] = key;
		a->cost[i] = (int32_t)gpube__get(from, 0, INT32_MAX);
		for (int32_t v = 0; v < a->arity; v++)
			if (gpube__relation_value(l, a, v, key) >= l->domain[a->scope[v]] ||
				(bits < 64 && key >> bits))
				(void)gpube__damaged(
					from, "an entry of a relation in it is out of range");
	}
	return from->status;
}

static int get_relation(struct gpube__bytes *from, struct gpube_relations *l)
{
	const int32_t arity = (int32_t)gpube__get(from, 0, l->n < 64 ? l->n : 64);
	struct gpube_relation_table *a;
	int32_t scope[64], order[64];
	int64_t n;

	if (from->status || get_scope(from, l, arity, scope, order))
		return from->status;
	n = gpube__get_count(from);
	if (!from->status)
		from->status = gpube__relation_new(&a, l, arity, scope, order, n);
	if (from->status)
		return from->status;
	l->n_entries += n;
	return get_entries(from, l, a);
}

int gpube__get_relations(struct gpube_relations **out, struct gpube_ctx *ctx,
	struct gpube__bytes *from, const struct gpube_relations *like)
{
	const int64_t n = gpube__get(from, like->n, like->n),
		      shift = gpube__get(from, like->shift, like->shift);
	struct gpube_relations *l;
	int64_t n_relations;

	*out = NULL;
	if (from->status)
		return from->status;
	l = gpube__relations_alloc(ctx, (int32_t)n, like->domain);
	if (!l)
		return from->status = GPUBE_ENOMEM;
	l->shift = (int)shift;
	l->state.constant = gpube__get(from, 0, INT64_MAX / 4);
	l->state.target = gpube__get(from, l->state.constant, INT64_MAX / 4);
	l->most = gpube__get(from, 1, INT64_MAX / 4);
	l->all = gpube__get(from, 0, 1);
	for (int32_t i = 0; i < l->n; i++)
		l->fixed[i] = (int32_t)gpube__get(from, -1, (int64_t)l->domain[i] - 1);
	n_relations = gpube__get_count(from);
	if (!from->status) {
		l->relations =
			gpube__alloc_zero(ctx, (uint64_t)n_relations + 1, sizeof(*l->relations));
		from->status = l->relations ? GPUBE_OK : GPUBE_ENOMEM;
	}
	while (!from->status && l->n_relations < n_relations)
		(void)get_relation(from, l);
	if (from->status)
		gpube__relations_free(l);
	else
		*out = l;
	return from->status;
}
