/*
 * relations_part.c - a part of what relations leave open, where a variable has one value or
 * another: see relations.h.
 */
#include "gpube/relax/pairwise/relations.h"

#include <string.h>

void gpube__relations_settle(struct gpube_relations *l)
{
	for (int32_t k = 0; k < l->plan.n_separators; k++) {
		const struct gpube_sweep_separator *b = &l->plan.separators[k];
		const struct gpube_sweep_member *of = &l->plan.members[b->member];
		const uint32_t *cell = l->plan.cells + of->cell;
		int32_t *cost = l->state.costs + of->at, *own = l->state.costs + b->at;

		for (int64_t i = 0; i < of->n; i++)
			cost[i] =
				gpube__region_plus(cost[i], own[cell[i]], GPUBE__REGION_FORBIDDEN);
		for (int64_t i = 0; i < b->n; i++)
			own[i] = own[i] < GPUBE__REGION_FORBIDDEN ? 0 : GPUBE__REGION_FORBIDDEN;
	}
}

/* ---- values ---------------------------------------------------------------------------------- */

/* least[value]: of its entries with it, for all values of the relation's variables. */
static void least_of(
	const struct gpube_relations *l, const struct gpube_relation_table *a, int32_t *least)
{
	for (int32_t k = 0; k < a->arity; k++) {
		int32_t *restrict of = least + l->value_at[a->scope[k]];

		for (int32_t x = 0; x < l->domain[a->scope[k]]; x++)
			of[x] = GPUBE__REGION_FORBIDDEN;
		for (int64_t i = 0; i < a->n; i++) {
			const int32_t x = gpube__relation_value(l, a, k, a->key[i]);

			of[x] = a->cost[i] < of[x] ? a->cost[i] : of[x];
		}
	}
	gpube__work(l->ctx, a->arity * a->n);
}

int gpube__relations_forced(const struct gpube_relations *l, int64_t *forced)
{
	int32_t *least = gpube__alloc(l->ctx, (uint64_t)l->value_at[l->n] + 1, sizeof(*least));

	if (!least)
		return GPUBE_ENOMEM;
	for (int64_t x = 0; x < l->value_at[l->n]; x++)
		forced[x] = -1;
	for (int32_t j = 0; j < l->n_relations; j++) {
		const struct gpube_relation_table *a = &l->relations[j];

		least_of(l, a, least);
		for (int32_t k = 0; k < a->arity; k++)
			for (int64_t x = l->value_at[a->scope[k]]; x < l->value_at[a->scope[k] + 1];
				x++) {
				const int64_t sum = (forced[x] < 0 ? 0 : forced[x]) + least[x];

				forced[x] = sum >= GPUBE__REGION_FORBIDDEN ? GPUBE__REGION_FORBIDDEN
									   : sum;
			}
	}
	gpube__free(l->ctx, least);
	return GPUBE_OK;
}

/* ---- parts ----------------------------------------------------------------------------------- */

struct parting {
	const struct gpube_relations *from;
	struct gpube_relations *to;
	const int64_t *forced;
	int32_t var, value;
	bool is;
	uint64_t *open; /* variables that have several values */
};

static bool lives(const struct parting *w, int32_t i, int32_t x)
{
	return (i != w->var || (x == w->value) == w->is) &&
	       w->forced[w->from->value_at[i] + x] < gpube__relations_slack(w->from);
}

/* Variables of one value are fixed; false: one has none. */
static bool fix(const struct parting *w)
{
	const struct gpube_relations *l = w->from;

	for (int32_t i = 0; i < l->n; i++) {
		int32_t n = 0, value = -1;

		w->to->fixed[i] = l->fixed[i];
		if (l->fixed[i] >= 0 || w->forced[l->value_at[i]] < 0)
			continue;
		for (int32_t x = 0; x < l->domain[i]; x++)
			if (lives(w, i, x)) {
				n++;
				value = x;
			}
		if (!n)
			return false;
		if (n == 1)
			w->to->fixed[i] = value;
		else
			gpube__bit_put(w->open, i);
	}
	return true;
}

/* The entries that go on come first, their words without the fixed variables. Their number. */
static int64_t sift(
	const struct parting *w, const struct gpube_relation_table *a, uint64_t *key, int32_t *cost)
{
	const int32_t slack = gpube__relations_slack(w->from);
	struct gpube_relation_pieces p;
	int64_t n = 0;

	gpube__relation_pieces(&p, w->from, a->arity, a->scope, a->shift, w->open);
	for (int64_t i = 0; i < a->n; i++) {
		bool goes_on = a->cost[i] < slack;

		for (int32_t k = 0; k < a->arity && goes_on; k++)
			goes_on = lives(
				w, a->scope[k], gpube__relation_value(w->from, a, k, a->key[i]));
		if (!goes_on)
			continue;
		key[n] = gpube__relation_part(&p, a->key[i]);
		cost[n++] = a->cost[i];
	}
	return n;
}

static void reach_target(struct gpube_relations *l)
{
	l->state.constant = l->state.target;
}

static int take_list(
	struct parting *w, const struct gpube_relation_table *a, uint64_t *key, int32_t *cost)
{
	struct gpube_relations *l = w->to;
	struct gpube_relation_table *to;
	const int64_t n = sift(w, a, key, cost);
	int32_t scope[64], arity = 0;
	int status;

	for (int32_t k = 0; k < a->arity; k++)
		if (gpube__bit(w->open, a->scope[k]))
			scope[arity++] = a->scope[k];
	if (!n) {
		reach_target(l);
		return GPUBE_OK;
	}
	if (!arity) { /* one entry */
		l->state.constant = cost[0] >= l->state.target - l->state.constant
					    ? l->state.target
					    : l->state.constant + cost[0];
		return GPUBE_OK;
	}
	status = gpube__relation_new(&to, l, arity, scope, scope, n);
	if (status)
		return status;
	memcpy(to->key, key, (size_t)n * sizeof(*key));
	memcpy(to->cost, cost, (size_t)n * sizeof(*cost));
	l->n_entries += n;
	return GPUBE_OK;
}

static int take_lists(struct parting *w)
{
	const struct gpube_relations *l = w->from;
	int64_t longest = 0;
	uint64_t *key;
	int32_t *cost;
	int status;

	for (int32_t j = 0; j < l->n_relations; j++)
		longest = l->relations[j].n > longest ? l->relations[j].n : longest;
	key = gpube__alloc(l->ctx, (uint64_t)longest + 1, sizeof(*key));
	cost = gpube__alloc(l->ctx, (uint64_t)longest + 1, sizeof(*cost));
	w->to->relations =
		gpube__alloc_zero(l->ctx, (uint64_t)l->n_relations + 1, sizeof(*w->to->relations));
	status = key && cost && w->to->relations ? GPUBE_OK : GPUBE_ENOMEM;
	for (int32_t j = 0;
		j < l->n_relations && !status && w->to->state.constant < w->to->state.target; j++)
		status = take_list(w, &l->relations[j], key, cost);
	gpube__free(l->ctx, key);
	gpube__free(l->ctx, cost);
	return status;
}

int gpube__relations_part(struct gpube_relations **out, const struct gpube_relations *l,
	const int64_t *forced, int32_t var, int32_t value, bool is)
{
	struct parting w = {.from = l, .forced = forced, .var = var, .value = value, .is = is};
	int status;

	*out = NULL;
	w.to = gpube__relations_alloc(l->ctx, l->n, l->domain);
	w.open = gpube__alloc_zero(l->ctx, (uint64_t)l->words, sizeof(*w.open));
	status = w.to && w.open ? GPUBE_OK : GPUBE_ENOMEM;
	if (!status) {
		w.to->most = l->most;
		w.to->shift = l->shift;
		w.to->state.constant = l->state.constant;
		w.to->state.target = l->state.target;
		if (!fix(&w))
			reach_target(w.to);
		else if (l->state.constant < l->state.target)
			status = take_lists(&w);
	}
	gpube__free(l->ctx, w.open);
	if (status)
		gpube__relations_free(w.to);
	else
		*out = w.to;
	return status;
}

/* ---- a look ahead ---------------------------------------------------------------------------- */

/* A change is small if it is that part of what is missing, 2^-8: it is left where it is. */
enum { SMALL_CHANGE = 8 };

int gpube__relations_probe_init(
	struct gpube_relations_probe *p, struct gpube_ctx *ctx, const struct gpube_relations *l)
{
	uint64_t most = 0;

	for (int32_t i = 0; i < l->n; i++)
		most = (uint64_t)l->domain[i] > most ? (uint64_t)l->domain[i] : most;
	*p = (struct gpube_relations_probe){.ctx = ctx, .from = l};
	p->state = gpube__alloc(ctx, gpube__relations_state_bytes(l), 1);
	p->room = gpube__alloc(ctx, (uint64_t)l->plan.room + 1, sizeof(*p->room));
	p->keep = gpube__alloc(ctx, most + 1, sizeof(*p->keep));
	return p->state && p->room && p->keep ? GPUBE_OK : GPUBE_ENOMEM;
}

void gpube__relations_probe_clear(struct gpube_relations_probe *p)
{
	GPUBE_FREE_ALL(p->ctx, p->state, p->room, p->keep);
}

int64_t gpube__relations_probe(
	struct gpube_relations_probe *p, int32_t var, int32_t value, bool is, int n_sweeps)
{
	const struct gpube_relations *l = p->from;

	gpube__relations_state_set(p->state, l);
	gpube__work(p->ctx, l->n_entries);
	for (int32_t a = 0; a < l->domain[var]; a++)
		p->keep[a] = (a == value) == is;
	gpube__relations_state_keep(p->ctx, l, p->state, var, p->keep);
	for (int k = 0; k < n_sweeps; k++)
		gpube__relations_state_sweep(p->ctx, l, p->state, k % 2,
			gpube__state_slack(p->state) >> SMALL_CHANGE, p->room);
	return p->state->constant;
}
