/*
 * stopped.c - what a stopped run has proved: the buckets that are not done yet hold functions and
 * tables, the rest is in scalars, and no assignment costs less than the least cell of each.
 */
#include "dcop/engine.h"

/* Of at most 'limit', which is where nothing is allowed. */
static int64_t least_cost(const struct dcop_engine *e, const struct gpube_table *t)
{
	__int128 least = (__int128)e->costs.cutoff;

	for (int64_t k = t->sparse ? -1 : 0; k < t->n; k++) {
		const int64_t v = k < 0 ? t->dflt.i : gpube__table_int(t, k);

		if (v != GPUBE_INF && (__int128)v * ((int64_t)1 << e->costs.shift) < least)
			least = (__int128)v * ((int64_t)1 << e->costs.shift);
	}
	return (int64_t)least;
}

static int64_t least_cell(const struct dcop_engine *e, int32_t mini)
{
	const void *cells = e->tables[mini];
	int64_t least = e->costs.cutoff;

	for (int64_t k = 0; k < e->plan->mbe.minis[mini].cells; k++) {
		const int64_t v = e->costs.type == GPUBE_INT32 ? ((const int32_t *)cells)[k]
							       : ((const int64_t *)cells)[k];

		least = v < least ? v : least;
	}
	return least;
}

static void add(const struct dcop_engine *e, int64_t *total, int64_t cost)
{
	const __int128 sum = (__int128)*total + cost;

	*total = sum < e->costs.cutoff ? (int64_t)sum : e->costs.cutoff;
}

/* What the minis of a bucket take in; false: a table is not here, or half shifted to another. */
static bool add_inputs(const struct dcop_engine *e, int32_t position, int64_t *total)
{
	const struct gpube_mbe *mbe = &e->plan->mbe;

	if (e->begun[position] && e->costs.match &&
		mbe->first[position + 1] - mbe->first[position] > 1)
		return false;
	for (int32_t k = mbe->first[position]; k < mbe->first[position + 1]; k++)
		for (int32_t i = 0; i < mbe->minis[k].n_in; i++) {
			const int32_t id = mbe->inputs[mbe->minis[k].in_at + i];

			if (id >= 0)
				add(e, total, least_cost(e, gpube__table(e->plan->m, id)));
			else if (!e->done[mbe->minis[~id].position])
				continue; /* its own inputs count */
			else if (!e->tables[~id])
				return false;
			else
				add(e, total, least_cell(e, ~id));
		}
	return true;
}

bool dcop__proved(const struct dcop_engine *e, int64_t *bound)
{
	const struct dcop_plan *p = e->plan;
	int64_t total = 0;

	if (e->resident || e->world->n_ranks > 1)
		return false;
	for (int32_t a = 0; a < p->agents->n; a++)
		if (p->tree->parent[a] < 0 || !e->nodes[a].sent)
			add(e, &total, e->nodes[a].total);
	for (int32_t q = 0; q < p->mbe.n; q++)
		if (!e->done[q] && !add_inputs(e, q, &total))
			return false;
	*bound = gpube__mbe_bound(&e->costs, total);
	return true;
}
