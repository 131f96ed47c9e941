/* relation_cases_open.c - cases that are open, and what is freed: see relation_cases.h. */
#include "gpube/bound/pairwise/relation_cases.h"

int gpube__cases_push(
	struct gpube_relation_cases *c, struct gpube_relations *l, int64_t bound, int32_t depth)
{
	const uint64_t bytes =
		(sizeof(uint64_t) + sizeof(int32_t)) * (uint64_t)l->n_entries +
		(l->plan.members ? sizeof(*l->plan.cells) * (uint64_t)l->plan.n_cells : 0);

	l->ctx = c->s->b->ctx;
	return gpube__frontier_push(&c->open, l->ctx,
		&(struct gpube_frontier_node){
			.bound = bound, .depth = depth, .payload = l, .bytes = (int64_t)bytes});
}

/*
 * Relations grow to LONGER times as many tuples, and to LONGEST at most: with more of them a case
 * takes so long that the bound rises no faster (runs/sweeps-h200).
 */
enum { LONGER = 4, LONGEST = 1 << 14 };

void gpube__cases_judge(struct gpube_relation_cases *c)
{
	const struct gpube_relations *next = c->open.n ? c->open.nodes[0].payload : NULL;
	int64_t least, missing, most;

	/*
	 * The least bound says nothing where memory is short, since the deepest cases are next
	 * then, nor where cases are lent, since only their old bounds are known.
	 */
	if (!c->rules->judged || c->n_split < c->judged_at || !next || c->shared || c->guest ||
		c->open.bytes > c->open.most_bytes)
		return;
	least = gpube__frontier_least(&c->open);
	missing = least < c->target ? c->target - least : 0;
	most = LONGER * (next->most > c->most ? next->most : c->most);
	if ((double)(c->missing - missing) < c->rules->progress * (double)c->missing &&
		most <= LONGEST)
		__atomic_store_n(&c->most, most, __ATOMIC_RELAXED);
	c->judged_at = 2 * c->n_split;
	c->missing = missing;
}

static void clear_worker(struct gpube_case_worker *w)
{
	gpube__sweeper_close(&w->sweeper);
	gpube__search_free(w->search);
	GPUBE_FREE_ALL(&w->ctx, w->values, w->whole, w->forced, w->choices);
	gpube__ctx_clear(&w->ctx);
}

void gpube__cases_free(struct gpube_relation_cases *c)
{
	struct gpube_ctx *ctx;

	if (!c)
		return;
	ctx = c->s->b->ctx;
	if (c->shared) /* nobody else looks at them from now on */
		gpube__bounder_share(c->s->b, GPUBE__SHARED_CASES, NULL);
	for (struct gpube_frontier_loan *loan = c->open.loans; loan; loan = loan->next)
		gpube__relations_free(loan->hand.node.payload);
	gpube__relations_free(c->like);
	for (int64_t k = 0; k < c->open.n; k++)
		gpube__relations_free(c->open.nodes[k].payload);
	gpube__frontier_clear(&c->open, ctx);
	for (int k = 0; c->workers && k < c->n_workers; k++)
		if (c->workers[k].all)
			clear_worker(&c->workers[k]);
	GPUBE_FREE_ALL(ctx, c->workers, c->best, c->ranks, c->value_at);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	gpube__free(ctx, c);
}
