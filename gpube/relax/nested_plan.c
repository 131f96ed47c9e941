/* nested_plan.c - which regions an ascent on nested ones has, and in which groups: see nested.h. */
#include "gpube/relax/nested.h"

#include <string.h>

#include "gpube/base/bits.h"

/* ---- groups ---------------------------------------------------------------------------- */

/*
 * Items in groups, so that no two of a group are above one table: item k is above
 * below[at[k]] … below[at[k + 1] - 1]. Each goes where there are fewest, so that groups
 * keep a device equally busy.
 * order   out: the items by group
 * starts  out: to be freed
 */
static int make_groups(struct gpube_ctx *ctx, int32_t n, const int32_t *at, const int32_t *below,
	int32_t n_tables, int32_t *order, int32_t **starts, int32_t *n_groups)
{
	enum { MOST = 1024, WORDS = MOST / 64 };
	uint64_t *used = gpube__alloc_zero(ctx, (uint64_t)n_tables * WORDS + 1, sizeof(*used));
	int32_t *of = gpube__alloc(ctx, (uint64_t)n + 1, sizeof(*of));
	int32_t count[MOST + 2] = {0}, groups = 0;
	int status = GPUBE_ENOMEM;

	*starts = NULL;
	if (!used || !of)
		goto out;
	for (int32_t k = 0; k < n; k++) {
		int32_t best = -1;

		for (int32_t g = 0; g < groups; g++) {
			bool taken = false;

			for (int32_t e = at[k]; e < at[k + 1] && !taken; e++)
				taken = gpube__bit(used + (int64_t)below[e] * WORDS, g);
			if (!taken && (best < 0 || count[g] < count[best]))
				best = g;
		}
		if (best < 0 && groups == MOST) {
			status = gpube__fail(
				ctx, GPUBE_ELIMIT, "a table is in more than %d regions", (int)MOST);
			goto out;
		}
		if (best < 0)
			best = groups++;
		of[k] = best;
		count[best]++;
		for (int32_t e = at[k]; e < at[k + 1]; e++)
			gpube__bit_put(used + (int64_t)below[e] * WORDS, best);
	}
	*starts = gpube__alloc_zero(ctx, (uint64_t)groups + 2, sizeof(**starts));
	if (!*starts)
		goto out;
	for (int32_t g = 0; g < groups; g++)
		(*starts)[g + 2] = (*starts)[g + 1] + count[g];
	for (int32_t k = 0; k < n; k++)
		order[(*starts)[of[k] + 1]++] = k;
	*n_groups = groups;
	status = GPUBE_OK;
out:
	gpube__free(ctx, used);
	gpube__free(ctx, of);
	return status;
}

/* ---- cliques --------------------------------------------------------------------------- */

/* What is being made: cliques as they are found, before they are in groups. */
struct maker {
	struct gpube_nested *n;
	int32_t *pair;   /* n x n: the pair, or -1 */
	int32_t *triple; /* vars and pairs, 6 each */
	int32_t *quad;   /* vars and triples, 8 each */
	int64_t triples_capacity, quads_capacity;
	double bytes;
};

static double triple_bytes(const struct gpube_pairs *c, int32_t a, int32_t b, int32_t d)
{
	return 4.0 * c->domain[a] * c->domain[b] * (double)gpube__row(c, d);
}

static int32_t pair_at(const struct maker *k, int32_t a, int32_t b)
{
	return k->pair[(int64_t)a * k->n->c->n + b];
}

static int add_triple(struct maker *k, int32_t a, int32_t b, int32_t d)
{
	struct gpube_regions_plan *p = &k->n->plan;
	const double bytes = triple_bytes(k->n->c, a, b, d);
	int32_t *to;

	if (bytes > k->bytes)
		return GPUBE_OK;
	if (gpube__grow(k->n->ctx, &k->triple, &k->triples_capacity, (int64_t)p->n_triples + 1,
		    6 * sizeof(*to)))
		return GPUBE_ENOMEM;
	k->bytes -= bytes;
	to = k->triple + 6 * (int64_t)p->n_triples++;
	to[0] = a;
	to[1] = b;
	to[2] = d;
	to[3] = pair_at(k, b, d);
	to[4] = pair_at(k, a, d);
	to[5] = pair_at(k, a, b);
	return GPUBE_OK;
}

static int32_t find_triple(const struct maker *k, const int32_t v[3])
{
	int32_t low = 0, high = k->n->plan.n_triples;

	while (low < high) { /* they were found in ascending order */
		const int32_t mid = low + (high - low) / 2;
		const int32_t *at = k->triple + 6 * (int64_t)mid;
		int order = 0;

		for (int e = 0; e < 3 && !order; e++)
			order = (at[e] > v[e]) - (at[e] < v[e]);
		if (!order)
			return mid;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return -1;
}

static int add_quad(struct maker *k, const int32_t v[4])
{
	struct gpube_regions_plan *p = &k->n->plan;
	int32_t triple[4], *to;
	double bytes = 0;

	for (int z = 0; z < 4; z++) {
		const int32_t w[3] = {v[z == 0], v[1 + (z <= 1)], v[2 + (z <= 2)]};

		triple[z] = find_triple(k, w);
		bytes += triple_bytes(k->n->c, w[0], w[1], w[2]);
		if (triple[z] < 0)
			return GPUBE_OK;
	}
	if (bytes > k->bytes)
		return GPUBE_OK;
	if (gpube__grow(k->n->ctx, &k->quad, &k->quads_capacity, (int64_t)p->n_quads + 1,
		    8 * sizeof(*to)))
		return GPUBE_ENOMEM;
	k->bytes -= bytes;
	to = k->quad + 8 * (int64_t)p->n_quads++;
	memcpy(to, v, 4 * sizeof(*to));
	memcpy(to + 4, triple, sizeof(triple));
	return GPUBE_OK;
}

/* All cliques of k variables, in ascending order. */
static int find_cliques(struct maker *k, int size)
{
	const int32_t n = k->n->c->n;
	int32_t v[4];
	int status = GPUBE_OK;

	for (v[0] = 0; v[0] < n; v[0]++)
		for (v[1] = v[0] + 1; v[1] < n; v[1]++)
			for (v[2] = v[1] + 1; pair_at(k, v[0], v[1]) >= 0 && v[2] < n; v[2]++) {
				if (pair_at(k, v[0], v[2]) < 0 || pair_at(k, v[1], v[2]) < 0)
					continue;
				if (size == 3)
					status = add_triple(k, v[0], v[1], v[2]);
				for (v[3] = v[2] + 1; size == 4 && v[3] < n && !status; v[3]++)
					if (pair_at(k, v[0], v[3]) >= 0 &&
						pair_at(k, v[1], v[3]) >= 0 &&
						pair_at(k, v[2], v[3]) >= 0)
						status = add_quad(k, v);
				if (status)
					return status;
			}
	return status;
}

/* ---- the plan ----------------------------------------------------------------------------- */

/* Beginnings of the regions below items that each have k, and the items' lists: at k + first. */
static int group_cliques(struct gpube_ctx *ctx, int32_t n, const int32_t *items, int width, int k,
	int32_t n_tables, int32_t *order, int32_t **starts, int32_t *n_groups)
{
	int32_t *at = gpube__alloc(ctx, (uint64_t)n + 1, sizeof(*at));
	int32_t *below = gpube__alloc(ctx, (uint64_t)n * (uint64_t)k + 1, sizeof(*below));
	int status = GPUBE_ENOMEM;

	GPUBE_KNOWN(n == 0 || items);
	if (at && below) {
		for (int32_t j = 0; j <= n; j++)
			at[j] = k * j;
		for (int64_t j = 0; j < (int64_t)n * k; j++)
			below[j] = items[j / k * width + k + j % k];
		status = make_groups(ctx, n, at, below, n_tables, order, starts, n_groups);
	}
	gpube__free(ctx, at);
	gpube__free(ctx, below);
	return status;
}

/* Writes the items in the order of their groups; place[k] becomes where item k went. */
static void write_items(int32_t *vars, int32_t *below, int k, int32_t n, const int32_t *items,
	const int32_t *order, const int32_t *renumbered)
{
	GPUBE_KNOWN(n == 0 || items);
	for (int32_t j = 0; j < n; j++) {
		const int32_t *from = items + 2 * k * (int64_t)order[j];

		for (int e = 0; e < k; e++) {
			vars[k * (int64_t)j + e] = from[e];
			below[k * (int64_t)j + e] =
				renumbered ? renumbered[from[k + e]] : from[k + e];
		}
	}
}

static int make_plan(struct maker *k)
{
	struct gpube_nested *n = k->n;
	struct gpube_regions_plan *p = &n->plan;
	struct gpube_ctx *ctx = n->ctx;
	const uint64_t words = 8 * (uint64_t)p->n_quads + 6 * (uint64_t)p->n_triples +
			       4 * (uint64_t)p->n_pairs + 2 * (uint64_t)p->n + 1;
	int32_t *quads = gpube__alloc(ctx, (uint64_t)p->n_quads + 1, sizeof(*quads));
	int32_t *triples = gpube__alloc(ctx, (uint64_t)p->n_triples + 1, sizeof(*triples));
	int32_t *place = gpube__alloc(ctx, (uint64_t)p->n_triples + 1, sizeof(*place));
	int32_t *to = p->words = gpube__alloc(ctx, words, sizeof(*to)), *near_at;
	int status = !quads || !triples || !place || !to ? GPUBE_ENOMEM : GPUBE_OK;

	if (!status)
		status = group_cliques(ctx, p->n_quads, k->quad, 8, 4, p->n_triples, quads,
			&p->quad_group, &p->n_quad_groups);
	if (!status)
		status = group_cliques(ctx, p->n_triples, k->triple, 6, 3, p->n_pairs, triples,
			&p->triple_group, &p->n_triple_groups);
	if (status)
		goto out;
	for (int32_t t = 0; t < p->n_triples; t++)
		place[triples[t]] = t;
	write_items(to, to + 4 * (int64_t)p->n_quads, 4, p->n_quads, k->quad, quads, place);
	to += 8 * (int64_t)p->n_quads;
	write_items(to, to + 3 * (int64_t)p->n_triples, 3, p->n_triples, k->triple, triples, NULL);
	to += 6 * (int64_t)p->n_triples;
	for (int32_t e = 0; e < p->n_pairs; e++) {
		to[2 * (int64_t)e] = n->c->pairs[e].a;
		to[2 * (int64_t)e + 1] = n->c->pairs[e].b;
	}
	near_at = to + 2 * (int64_t)p->n_pairs;
	memcpy(near_at, n->c->near_at, ((size_t)p->n + 1) * sizeof(*near_at));
	if (p->n_pairs)
		memcpy(near_at + p->n + 1, n->c->near, 2 * (size_t)p->n_pairs * sizeof(*near_at));
	status = make_groups(ctx, p->n, near_at, near_at + p->n + 1, p->n_pairs,
		near_at + p->n + 1 + 2 * (int64_t)p->n_pairs, &p->variable_group,
		&p->n_variable_groups);
	if (!status) {
		p->on_device = n->ops->alloc(ctx, words * sizeof(*to));
		status = p->on_device
				 ? n->ops->upload(ctx, p->on_device, p->words, words * sizeof(*to))
				 : GPUBE_ENOMEM;
	}
out:
	GPUBE_FREE_ALL(ctx, quads, triples, place);
	return status;
}

int gpube__nested_find(
	struct gpube_nested *n, double bytes, const struct gpube_nested_triples *only)
{
	const struct gpube_pairs *c = n->c;
	struct maker k = {.n = n, .bytes = bytes};
	int status;

	n->plan.n = c->n;
	n->plan.n_pairs = c->n_pairs;
	k.pair = gpube__alloc(n->ctx, (uint64_t)c->n * (uint64_t)c->n + 1, sizeof(*k.pair));
	if (!k.pair)
		return GPUBE_ENOMEM;
	for (int64_t e = 0; e < (int64_t)c->n * c->n; e++)
		k.pair[e] = -1;
	for (int32_t e = 0; e < c->n_pairs; e++)
		k.pair[(int64_t)c->pairs[e].a * c->n + c->pairs[e].b] = e;
	status = only && only->n >= 0 ? GPUBE_OK : find_cliques(&k, 3);
	for (int32_t t = 0; only && t < only->n && !status; t++) {
		const int32_t *v = only->vars + 3 * (int64_t)t;

		status = add_triple(&k, v[0], v[1], v[2]);
	}
	if (!status && !only)
		status = find_cliques(&k, 4);
	if (!status)
		status = make_plan(&k);
	GPUBE_FREE_ALL(n->ctx, k.pair, k.triple, k.quad);
	return status;
}
