/* sweep_plans.h - random plans of lists and separators (ops/sweep/sweep.h), one a seed. */
#ifndef TESTS_OPS_SWEEP_PLANS_H
#define TESTS_OPS_SWEEP_PLANS_H

#include "gpube/ops/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

struct sweep_case {
	struct gpube_sweep_plan plan;
	struct gpube_sweep_state state;
	int32_t n_lists;
	int64_t *list_at; /* entries of list k: list_at[k] … list_at[k + 1] - 1 */
};

/* A wave has each list at most once: in the order of a shuffle. */
static void sweep_shuffle(int32_t *list, int32_t n, struct gpube_rng *rng)
{
	for (int32_t k = n - 1; k > 0; k--) {
		const int32_t j = (int32_t)gpube__rng_below(rng, (uint64_t)k + 1), x = list[k];

		list[k] = list[j];
		list[j] = x;
	}
}

/* Members of a list, in the order of the separators: who is the first, who the last. */
static void sweep_set_takers(struct sweep_case *c, const int32_t *list_of)
{
	const struct gpube_sweep_plan *p = &c->plan;

	for (int32_t k = 0; k < p->n_separators; k++) {
		struct gpube_sweep_separator *b = &p->separators[k];

		for (int64_t j = b->member; j < b->member + b->n_members; j++) {
			for (int64_t e = 0; e < p->n_members; e++)
				if (list_of[e] == list_of[j] && e != j)
					p->members[j].takes[e < j] = 1;
			b->takers[0] += p->members[j].takes[0];
			b->takers[1] += p->members[j].takes[1];
		}
		b->parts[0] = b->parts[1] =
			b->takers[0] > b->takers[1] ? b->takers[0] : b->takers[1];
	}
}

/*
 * large: lists of thousands of entries. A tenth of the entries is forbidden with every third
 * seed.
 */
static void sweep_case_make(struct sweep_case *c, uint64_t seed, bool large)
{
	struct gpube_rng rng;
	struct gpube_sweep_plan *p = &c->plan;
	int32_t *order, *list_of;
	int64_t n_entries = 0, own = 0;

	memset(c, 0, sizeof(*c));
	gpube__rng_init(&rng, seed);
	c->n_lists = 2 + (int32_t)gpube__rng_below(&rng, large ? 60 : 12);
	p->n_waves = 1 + (int32_t)gpube__rng_below(&rng, 9);
	c->list_at = malloc(((size_t)c->n_lists + 1) * sizeof(*c->list_at));
	for (int32_t k = 0; k < c->n_lists; k++) {
		c->list_at[k] = n_entries;
		n_entries += 1 + (int64_t)gpube__rng_below(&rng, large ? 20000 : 70);
	}
	c->list_at[c->n_lists] = n_entries;
	p->separators = calloc((size_t)p->n_waves * (size_t)c->n_lists, sizeof(*p->separators));
	p->members = calloc((size_t)p->n_waves * (size_t)c->n_lists, sizeof(*p->members));
	list_of = calloc((size_t)p->n_waves * (size_t)c->n_lists, sizeof(*list_of));
	p->wave = calloc((size_t)p->n_waves + 1, sizeof(*p->wave));
	order = malloc((size_t)c->n_lists * sizeof(*order));
	for (int32_t k = 0; k < c->n_lists; k++)
		order[k] = k;
	for (int32_t wave = 0; wave < p->n_waves; wave++) {
		int32_t at = 0;

		p->wave[wave] = p->n_separators;
		sweep_shuffle(order, c->n_lists, &rng);
		while (at < c->n_lists && gpube__rng_below(&rng, 5)) {
			struct gpube_sweep_separator *b = &p->separators[p->n_separators++];

			b->n_members = 1 + (int32_t)gpube__rng_below(&rng, 5);
			if (b->n_members > c->n_lists - at)
				b->n_members = c->n_lists - at;
			b->member = p->n_members;
			b->n = 1 + (int32_t)gpube__rng_below(&rng, large && seed % 2 ? 20000 : 60);
			b->at = n_entries + own;
			own += b->n;
			for (int32_t j = 0; j < b->n_members; j++) {
				const int32_t list = order[at++];

				list_of[p->n_members] = list;
				p->members[p->n_members++] =
					(struct gpube_sweep_member){.at = c->list_at[list],
						.n = c->list_at[list + 1] - c->list_at[list],
						.cell = p->n_cells};
				p->n_cells += c->list_at[list + 1] - c->list_at[list];
			}
			if ((1 + (int64_t)b->n_members) * b->n > p->room)
				p->room = (1 + (int64_t)b->n_members) * b->n;
		}
	}
	p->wave[p->n_waves] = p->n_separators;
	p->n_costs = n_entries + own;
	p->cells = malloc((size_t)p->n_cells * sizeof(*p->cells) + 1);
	for (int32_t k = 0; k < p->n_separators; k++)
		for (int64_t j = p->separators[k].member;
			j < p->separators[k].member + p->separators[k].n_members; j++)
			for (int64_t i = 0; i < p->members[j].n; i++)
				p->cells[p->members[j].cell + i] = (uint32_t)gpube__rng_below(
					&rng, (uint64_t)p->separators[k].n);
	sweep_set_takers(c, list_of);
	c->state.constant = (int64_t)gpube__rng_below(&rng, 1000);
	c->state.target = c->state.constant + (seed % 5 ? INT64_C(1) << 40 : 3000);
	c->state.costs = calloc((size_t)p->n_costs, sizeof(*c->state.costs));
	for (int64_t i = 0; i < n_entries; i++)
		c->state.costs[i] = seed % 3 == 0 && !gpube__rng_below(&rng, 10)
					    ? GPUBE__REGION_FORBIDDEN
					    : (int32_t)gpube__rng_below(&rng, 10000);
	free(order);
	free(list_of);
}

/* The same state once more. */
static int32_t *sweep_case_costs(const struct sweep_case *c)
{
	int32_t *costs = malloc((size_t)c->plan.n_costs * sizeof(*costs));

	memcpy(costs, c->state.costs, (size_t)c->plan.n_costs * sizeof(*costs));
	return costs;
}

static void sweep_case_free(struct sweep_case *c)
{
	free(c->plan.separators);
	free(c->plan.members);
	free(c->plan.cells);
	free(c->plan.wave);
	free(c->state.costs);
	free(c->list_at);
}

#endif
