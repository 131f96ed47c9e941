/* relation_cases_share.c - cases that other ranks share: when, and whether any is lost. */
#include "gpube/bound/pairwise/relation_cases.h"

#include <string.h>

void gpube__cases_take_incumbent(struct gpube_relation_cases *c)
{
	const struct gpube_bounder *b = c->s->b;

	pthread_mutex_lock(&c->lock);
	if (b->upper < c->best_cost) {
		c->best_cost = b->upper;
		c->best_number++;
		memcpy(c->best, b->best, (size_t)b->m->n_vars * sizeof(*c->best));
	}
	pthread_mutex_unlock(&c->lock);
}

void gpube__cases_share(struct gpube_relation_cases *c)
{
	const struct gpube_watch *watch = c->s->b->told.watch;

	if (c->shared || c->guest || !watch || !watch->share ||
		gpube__pairwise_run_worked(c->s) - c->since < watch->share_after)
		return;
	c->shared = true;
	gpube__cases_take_incumbent(c);
	gpube__bounder_share(c->s->b, GPUBE__SHARED_CASES, c);
	gpube__bounder_turn(c->s->b, GPUBE__SHARED_CASES);
}

int gpube__cases_check(struct gpube_relation_cases *c)
{
	uint64_t all;

	pthread_mutex_lock(&c->lock);
	all = gpube__part_add(c->part, gpube__frontier_rest(&c->open));
	pthread_mutex_unlock(&c->lock);
	return all == (c->guest ? 0 : 1)
		       ? GPUBE_OK
		       : gpube__fail(c->s->b->ctx, GPUBE_EBUG,
				 "the cases of relations do not add up to the whole");
}
