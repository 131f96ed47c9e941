/*
 * dfs_bytes.c - a search tree's root as numbers: what is left of the domains, and the costs that
 * were moved. The tables are made again from the model: see dfs.h.
 */
#include "gpube/base/bytes.h"
#include "gpube/relax/dfs_parts.h"

static int32_t domain_of(const struct gpube_dfs *t, int32_t p)
{
	return t->m->vars[t->order[p]].domain;
}

void gpube__put_dfs(struct gpube__bytes *b, const struct gpube_dfs *t)
{
	gpube__put(b, t->constant);
	for (int32_t p = 0; p < t->n; p++) {
		gpube__put(b, t->n_live[p]);
		gpube__put_all(b, t->live[p], domain_of(t, p));
		gpube__put(b, t->free[p]);
		for (int32_t r = 0; r < t->n_live[p]; r++) {
			const int64_t cost = t->cost[p][t->live[p][r]];

			/* of a block that is closed they may be anything */
			gpube__put(b, cost < 0                 ? 0
				      : cost < GPUBE__DFS_MOST ? cost
							       : GPUBE__DFS_MOST);
		}
	}
	for (int32_t f = 0; f < t->n_functions; f++) {
		const struct gpube_dfs_function *g = &t->functions[f];

		gpube__put(b, __atomic_load_n(&t->weights[f], __ATOMIC_RELAXED));
		for (int k = 0; k < g->arity; k++)
			for (int32_t a = 0; a < domain_of(t, g->scope[k]); a++)
				gpube__put(b, g->moved[k][a]);
	}
}

/* The live values of p, those that are gone behind them, and its costs. */
static void get_position(struct gpube_dfs *t, struct gpube__bytes *b, int32_t p)
{
	const int32_t domain = domain_of(t, p);
	const int32_t n_live = (int32_t)gpube__get(b, 1, domain);

	for (int32_t a = 0; a < domain; a++)
		t->at[p][a] = -1;
	for (int32_t r = 0; r < domain && !b->status; r++) {
		const int32_t a = (int32_t)gpube__get(b, 0, (int64_t)domain - 1);

		if (t->at[p][a] >= 0) {
			(void)gpube__damaged(b, "a value is there twice");
			return;
		}
		t->at[p][a] = r;
		t->live[p][r] = a;
	}
	t->free[p] = (int32_t)gpube__get(b, 0, (int64_t)domain - 1);
	for (int32_t r = 0; r < domain && !b->status; r++)
		t->cost[p][t->live[p][r]] =
			r < n_live ? gpube__get(b, 0, GPUBE__DFS_MOST) : GPUBE__ROW_DROPPED;
	for (int32_t r = n_live; r < domain; r++)
		t->removed[t->n_removed++] = p;
	t->n_live[p] = n_live;
	gpube__dfs_narrow(t, p);
}

int gpube__get_dfs(struct gpube_dfs *t, struct gpube__bytes *b)
{
	t->constant = gpube__get(b, 0, GPUBE__DFS_MOST);
	t->n_removed = 0;
	for (int32_t p = 0; p < t->n && !b->status; p++)
		get_position(t, b, p);
	for (int32_t f = 0; f < t->n_functions && !b->status; f++) {
		struct gpube_dfs_function *g = &t->functions[f];

		t->weights[f] = gpube__get(b, 0, INT64_MAX / 4);
		for (int k = 0; k < g->arity; k++)
			for (int32_t a = 0; a < domain_of(t, g->scope[k]); a++)
				g->moved[k][a] = gpube__get(b, -t->most_moved, t->most_moved);
	}
	t->looked_from = -1;
	return b->status;
}
