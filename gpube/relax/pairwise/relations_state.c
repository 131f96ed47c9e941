/* relations_state.c - relations with costs of their own: see relations.h. */
#include "gpube/relax/pairwise/relations.h"

#include <string.h>

static int64_t n_cells(const struct gpube_relations *l)
{
	return l->plan.n_costs + l->n_relations + l->plan.n_separators;
}

uint64_t gpube__relations_state_bytes(const struct gpube_relations *l)
{
	return sizeof(struct gpube_relations_state) + sizeof(int32_t) * (uint64_t)n_cells(l);
}

void gpube__relations_state_set(struct gpube_relations_state *s, const struct gpube_relations *l)
{
	*s = (struct gpube_relations_state){
		.constant = l->state.constant, .target = l->state.target};
	memcpy(s->cells, l->state.costs, (size_t)l->plan.n_costs * sizeof(*s->cells));
	memset(s->cells + l->plan.n_costs, 0,
		(size_t)(n_cells(l) - l->plan.n_costs) * sizeof(*s->cells));
}

/* ---- views ----------------------------------------------------------------------------------- */

int gpube__relations_view(
	struct gpube_relations **out, struct gpube_ctx *ctx, const struct gpube_relations *l)
{
	struct gpube_relations *view = gpube__alloc(ctx, 1, sizeof(*view));

	*out = view;
	if (!view)
		return GPUBE_ENOMEM;
	*view = *l;
	view->ctx = ctx;
	view->relations = gpube__alloc(ctx, (uint64_t)l->n_relations + 1, sizeof(*view->relations));
	if (!view->relations)
		return GPUBE_ENOMEM;
	memcpy(view->relations, l->relations, (size_t)l->n_relations * sizeof(*l->relations));
	return GPUBE_OK;
}

void gpube__relations_view_free(struct gpube_relations *view)
{
	struct gpube_ctx *ctx = view ? view->ctx : NULL;

	if (view)
		GPUBE_FREE_ALL(ctx, view->relations, view);
}

void gpube__relations_view_at(struct gpube_relations *view, struct gpube_relations_state *s)
{
	for (int32_t k = 0; k < view->n_relations; k++)
		view->relations[k].cost = s->cells + (view->relations[k].cost - view->state.costs);
	view->state = (struct gpube_sweep_state){s->constant, s->target, s->cells};
}

/* ---- moves ----------------------------------------------------------------------------------- */

void gpube__relations_state_sweep(struct gpube_ctx *ctx, const struct gpube_relations *l,
	struct gpube_relations_state *s, bool back, int32_t least, int32_t *room)
{
	struct gpube_sweep_state state = {s->constant, s->target, s->cells};
	struct gpube_sweep_times times = {.now = s->now,
		.changed = s->cells + l->plan.n_costs,
		.asked = s->cells + l->plan.n_costs + l->n_relations,
		.list_of = l->relation_of};

	gpube__sweep_changed(ctx, &l->plan, &state, &times, back, least, room);
	s->constant = state.constant;
	s->now = times.now;
}

void gpube__relations_state_keep(struct gpube_ctx *ctx, const struct gpube_relations *l,
	struct gpube_relations_state *s, int32_t var, const uint8_t *keep)
{
	s->now++;
	for (int32_t j = l->of_at[var]; j < l->of_at[var + 1]; j++) {
		const struct gpube_relation_table *a = &l->relations[l->of[j]];
		int32_t *cost = s->cells + (a->cost - l->state.costs), k = 0;

		while (a->scope[k] != var)
			k++;
		s->cells[l->plan.n_costs + l->of[j]] = s->now;
		for (int64_t i = 0; i < a->n; i++)
			if (!keep[gpube__relation_value(l, a, k, a->key[i])])
				cost[i] = GPUBE__REGION_FORBIDDEN;
		gpube__work(ctx, a->n);
	}
}
