/*
 * relation_cases_tell.c - what is told of cases: assignments, the bound of all, whether any is
 * lost, that other ranks may share them, and when it is over. See relation_cases.h.
 */
#include "gpube/bound/pairwise/relation_cases.h"

#include <string.h>

/* Seconds between two lines of what has become of cases. */
enum { TELL_SECONDS = 10 };

void gpube__cases_found(struct gpube_relation_cases *c, const int32_t *values, int64_t cost)
{
	pthread_mutex_lock(&c->lock);
	if (cost < c->best_cost) {
		c->best_cost = cost;
		c->best_number++;
		memcpy(c->best, values, (size_t)c->s->b->m->n_vars * sizeof(*values));
		c->found = true;
	}
	pthread_mutex_unlock(&c->lock);
}

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

void gpube__cases_tell_counts(struct gpube_relation_cases *c)
{
	int32_t deepest = 0;
	int64_t most = 0;

	pthread_mutex_lock(&c->lock);
	for (int64_t k = 0; k < c->open.n; k++) {
		const struct gpube_frontier_node *node = &c->open.nodes[k];
		const struct gpube_relations *l = node->payload;

		deepest = node->depth > deepest ? node->depth : deepest;
		most = l->most > most ? l->most : most;
	}
	gpube__log(c->s->b->ctx, GPUBE_LOG_DETAIL,
		"pairwise: %lld nodes split, %lld closed, %d at work, %lld open in %.3g bytes, up "
		"to %d deep with %lld tuples a relation",
		(long long)c->n_split, (long long)c->n_closed, c->open.n_held, (long long)c->open.n,
		(double)c->open.bytes, (int)deepest, (long long)most);
	pthread_mutex_unlock(&c->lock);
	c->told = gpube__now();
}

int gpube__cases_tell(struct gpube_relation_cases *c)
{
	struct gpube_pairwise_run *s = c->s;
	struct gpube_bounder *b = s->b;
	int64_t bound;
	bool found;
	int status = GPUBE_OK;

	pthread_mutex_lock(&c->lock);
	found = c->found;
	c->found = false;
	if (found)
		memcpy(s->whole, c->best, (size_t)b->m->n_vars * sizeof(*c->best));
	bound = gpube__frontier_least(&c->open);
	bound = bound < c->target ? bound
				  : c->target; /* no total is below, in what relations count */
	pthread_mutex_unlock(&c->lock);
	if (found)
		status = gpube__bounder_report_incumbent(
			b, s->whole, "branching on sparse relations");
	if (!status && !c->guest) /* who has nothing has proved nothing */
		gpube__pairwise_run_update_lower(s, bound, "branching on sparse relations");
	bound = gpube__pairwise_run_target(s);
	pthread_mutex_lock(&c->lock);
	__atomic_store_n(&c->target, bound < c->target ? bound : c->target, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&c->lock);
	if (gpube__now() - c->told > TELL_SECONDS)
		gpube__cases_tell_counts(c);
	return status;
}

void gpube__cases_end(struct gpube_relation_cases *c, int status)
{
	pthread_mutex_lock(&c->lock);
	c->status = c->status ? c->status : status;
	__atomic_store_n(&c->over, true, __ATOMIC_RELAXED);
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

/* Whether anything has become of a case since the last save. */
static bool is_news(struct gpube_relation_cases *c)
{
	bool news;

	pthread_mutex_lock(&c->lock);
	news = c->n_split + c->n_closed > c->n_saved;
	pthread_mutex_unlock(&c->lock);
	return news;
}

bool gpube__cases_over(struct gpube_case_worker *w)
{
	struct gpube_relation_cases *c = w->all;

	if (pthread_equal(pthread_self(), c->caller)) {
		const int status = gpube__cases_tell(c);

		if (!status)
			gpube__cases_share(c);
		if (gpube__bounder_save_is_due(c->s->b, 1) && is_news(c))
			gpube__cases_end(c, GPUBE_OK);
		if (status || (!c->guest && gpube__bounder_done(c->s->b)))
			gpube__cases_end(c, status);
	}
	if (gpube__budget_is_over(&c->s->turn) || (c->alone && !gpube__alone(c->s->b->ctx)))
		gpube__cases_end(c, GPUBE_OK);
	return __atomic_load_n(&c->over, __ATOMIC_RELAXED);
}
