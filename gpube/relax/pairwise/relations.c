/*
 * relations.c - indices of their words, what is possible no more, and what is read off relations:
 * see relations.h.
 */
#include "gpube/relax/pairwise/relations.h"

#include <string.h>

/* Entries are taken out where more than one in so many is possible no more. */
enum { GONE_PART = 4 };

/* ---- indices --------------------------------------------------------------------------------- */

int gpube__relation_index_init(
	struct gpube_ctx *ctx, struct gpube_relation_index *x, int64_t n, int bits)
{
	uint64_t capacity = 16;
	bool all;

	while (capacity < 2 * (uint64_t)n)
		capacity *= 2;
	all = bits < 40 && (uint64_t)1 << bits <= 4 * capacity;
	if (all)
		capacity = (uint64_t)1 << bits;
	if (x->capacity < capacity) {
		gpube__relation_index_clear(ctx, x);
		x->key = gpube__alloc(ctx, capacity, sizeof(*x->key));
		x->at = gpube__alloc(ctx, capacity, sizeof(*x->at));
		if (!x->key || !x->at) {
			gpube__relation_index_clear(ctx, x);
			return GPUBE_ENOMEM;
		}
	}
	x->capacity = capacity;
	x->bits = all ? bits : -1;
	memset(x->at, 0xff, (size_t)capacity * sizeof(*x->at));
	return GPUBE_OK;
}

void gpube__relation_index_clear(struct gpube_ctx *ctx, struct gpube_relation_index *x)
{
	gpube__free(ctx, x->key);
	gpube__free(ctx, x->at);
	*x = (struct gpube_relation_index){0};
}

void gpube__relation_pieces(struct gpube_relation_pieces *p, const struct gpube_relations *l,
	int arity, const int32_t *scope, const uint8_t *shift, const uint64_t *subset)
{
	int to = 0, end = -1;

	p->n = 0;
	for (int k = 0; k < arity; k++) {
		const int32_t i = scope[k];
		const int bits = l->bits[i];

		if (!gpube__bit(subset, i))
			continue;
		if (shift[k] == end) { /* goes on where the last piece ended */
			p->piece[p->n - 1].mask =
				p->piece[p->n - 1].mask << bits | (((uint64_t)1 << bits) - 1);
		} else {
			p->piece[p->n].from = shift[k];
			p->piece[p->n].to = (uint8_t)to;
			p->piece[p->n++].mask = ((uint64_t)1 << bits) - 1;
		}
		end = shift[k] + bits;
		to += bits;
	}
}

/* ---- what is possible no more ---------------------------------------------------------------- */

static void shorten(void *arg, int64_t item, int thread)
{
	struct gpube_relations *l = arg;
	struct gpube_relation_table *a = &l->relations[item];
	const int32_t slack = gpube__relations_slack(l);
	int64_t n = 0, to = 0;

	(void)thread;
	for (int64_t i = 0; i < a->n; i++)
		n += a->cost[i] < slack;
	if (n > a->n - a->n / GONE_PART)
		return;
	for (int32_t j = l->member_at[item]; j < l->member_at[item + 1]; j++) {
		struct gpube_sweep_member *of = &l->plan.members[l->member_of[j]];
		uint32_t *cell = l->plan.cells + of->cell;

		to = 0;
		for (int64_t i = 0; i < a->n; i++)
			if (a->cost[i] < slack)
				cell[to++] = cell[i];
		of->n = to;
	}
	to = 0;
	for (int64_t i = 0; i < a->n; i++)
		if (a->cost[i] < slack) {
			a->key[to] = a->key[i];
			a->cost[to++] = a->cost[i];
		}
	a->n = to;
}

void gpube__relations_shorten(struct gpube_relations *l)
{
	gpube__parallel(l->ctx, l->n_relations, shorten, l);
	l->n_entries = 0;
	for (int32_t k = 0; k < l->n_relations; k++)
		l->n_entries += l->relations[k].n;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* What entry i of relation k costs, with what its separators have. */
static int64_t cost_of(const struct gpube_relations *l, int32_t k, int64_t i)
{
	int64_t cost = l->relations[k].cost[i];

	for (int32_t j = l->member_at ? l->member_at[k] : 0;
		l->member_at && j < l->member_at[k + 1]; j++) {
		const int32_t member = l->member_of[j];

		cost += l->state.costs[l->plan.separators[l->separator_of[member]].at +
				       l->plan.cells[l->plan.members[member].cell + i]];
	}
	return cost;
}

int gpube__relations_decode(const struct gpube_relations *l, bool back, int32_t *values)
{
	bool *assigned = gpube__alloc_zero(l->ctx, (uint64_t)l->n + 1, sizeof(*assigned));

	if (!assigned)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < l->n; i++)
		values[i] = l->fixed[i] < 0 ? values[i] : l->fixed[i];
	for (int32_t k = 0; k < l->n_relations; k++) {
		const int32_t at = back ? l->n_relations - 1 - k : k;
		const struct gpube_relation_table *a = &l->relations[at];
		uint64_t mask = 0, key = 0;
		int64_t best = -1, least = INT64_MAX;

		for (int32_t v = 0; v < a->arity; v++)
			if (assigned[a->scope[v]]) {
				mask |= (((uint64_t)1 << l->bits[a->scope[v]]) - 1) << a->shift[v];
				key |= (uint64_t)values[a->scope[v]] << a->shift[v];
			}
		for (int64_t i = 0; i < a->n; i++)
			if ((a->key[i] & mask) == key && a->cost[i] < least) {
				const int64_t cost = cost_of(l, at, i);

				best = cost < least ? i : best;
				least = cost < least ? cost : least;
			}
		for (int32_t v = 0; v < a->arity && best >= 0; v++) {
			const uint64_t bits = ((uint64_t)1 << l->bits[a->scope[v]]) - 1;

			values[a->scope[v]] = (int32_t)(a->key[best] >> a->shift[v] & bits);
			assigned[a->scope[v]] = true;
		}
	}
	gpube__free(l->ctx, assigned);
	return GPUBE_OK;
}

/* ---- freeing --------------------------------------------------------------------------------- */

void gpube__relations_free(struct gpube_relations *l)
{
	if (!l)
		return;
	for (int32_t k = 0; l->relations && k < l->n_relations; k++) {
		GPUBE_FREE_ALL(l->ctx, l->relations[k].scope, l->relations[k].shift,
			l->relations[k].set, l->relations[k].key);
		if (!l->state.costs)
			gpube__free(l->ctx, l->relations[k].cost);
	}
	GPUBE_FREE_ALL(l->ctx, l->relations, l->domain, l->bits, l->value_at, l->fixed,
		l->plan.separators, l->plan.members, l->plan.cells, l->plan.wave, l->plan.in_line,
		l->state.costs, l->of, l->of_at, l->relation_of, l->separator_of, l->member_of,
		l->member_at, l);
}
