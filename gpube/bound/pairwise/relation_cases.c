/* relation_cases.c - cases of relations: who makes them and works on them. See relation_cases.h. */
#include "gpube/bound/pairwise/relation_cases.h"

#include "gpube/base/thread.h"

#include <math.h>
#include <string.h>

const struct gpube_case_rules gpube__case_rules = {.slow = 0.01,
	.card_slow = 0.1,
	.most_windows = 100,
	.probes = 6,
	.steps = 2000,
	.judged = 128,
	.progress = 0.2,
	.more_card_workers = 1};

/*
 * Who waits for a case looks around after so long, and after so many times what its search took, at
 * most so many seconds.
 */
enum { RESTING = 4 };
#define WAIT      0.001
#define MOST_REST 0.1

/* ---- workers --------------------------------------------------------------------------------- */

/*
 * A moment, in which the worker seeks an assignment, if there is a thread for it: a rank without
 * cases, which waits, too, takes none. Where all cases are lent this is the work that ends a turn.
 */
static void wait_for_case(struct gpube_case_worker *w)
{
	struct gpube_relation_cases *c = w->all;
	const bool searches = c->n_waiting - c->wanted < c->s->b->ctx->n_threads;
	const double start = gpube__now();

	c->n_waiting++;
	pthread_mutex_unlock(&c->lock);
	if (searches)
		gpube__case_search(w, NULL);
	pthread_mutex_lock(&c->lock);
	if (!c->open.n)
		gpube__thread_wait(&c->changed, &c->lock,
			WAIT + fmin(RESTING * (gpube__now() - start), MOST_REST));
	c->n_waiting--;
}

/*
 * With the lock held: whether the worker has a case now. Room is made for what may become of all
 * that are worked on.
 */
static bool take_open(struct gpube_case_worker *w)
{
	struct gpube_relation_cases *c = w->all;

	while (c->open.n) {
		if (gpube__frontier_room(&c->open, &w->ctx, 2 * (c->open.n_held + 1))) {
			c->status = GPUBE_ENOMEM;
			__atomic_store_n(&c->over, true, __ATOMIC_RELAXED);
			return false;
		}
		w->hand.node = gpube__frontier_pop(&c->open);
		w->at = w->hand.node.payload;
		w->at->ctx = &w->ctx;
		if (w->hand.node.bound < c->target) {
			gpube__frontier_hold(&c->open, &w->hand);
			return true;
		}
		gpube__relations_free(w->at);
		c->n_closed++;
		c->part = gpube__part_add(c->part, gpube__node_part(&w->hand.node));
	}
	return false;
}

static bool take(struct gpube_case_worker *w)
{
	struct gpube_relation_cases *c = w->all;
	bool has = false;

	while (!gpube__cases_over(w)) {
		bool none;

		pthread_mutex_lock(&c->lock);
		has = take_open(w);
		none = !has && !c->open.n && !c->open.n_held;
		if (!has && !none && !gpube__case_help(w))
			wait_for_case(w);
		pthread_mutex_unlock(&c->lock);
		if (has || none)
			break;
	}
	return has;
}

/* What has become of a case: closed, two, or still open. */
static void put(struct gpube_case_worker *w, struct gpube_relations *part[2])
{
	struct gpube_relation_cases *c = w->all;
	const struct gpube_frontier_node *of = &w->hand.node;
	const int n = !!part[0] + !!part[1];
	int n_open = 0;

	pthread_mutex_lock(&c->lock);
	for (int k = 0; k < n; k++) {
		const int64_t constant = part[k]->state.constant,
			      bound = constant > of->bound ? constant : of->bound;
		const int32_t depth = of->depth + (n == 2);

		if (bound < c->target) {
			(void)gpube__cases_push(c, part[k], bound, depth);
			n_open++;
		} else {
			gpube__relations_free(part[k]);
			c->part = gpube__part_add(c->part, gpube__part(depth));
		}
	}
	if (!n)
		c->part = gpube__part_add(c->part, gpube__node_part(of));
	c->n_closed += n ? n - n_open : 1;
	c->n_split += n == 2;
	gpube__frontier_let_go(&c->open, &w->hand);
	gpube__cases_judge(c);
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

static void work_off(struct gpube_case_worker *w)
{
	while (take(w)) {
		struct gpube_relations *part[2] = {NULL, NULL};
		const double start = gpube__worked(&w->ctx);
		const int status = gpube__case_work(w, part);

		w->working += gpube__worked(&w->ctx) - start;
		if (w->at) /* as it was, or further; a failure loses nothing */
			part[0] = w->at;
		put(w, part);
		if (status)
			gpube__cases_end(w->all, status);
	}
}

static void work(void *arg, int64_t item, int thread)
{
	(void)thread;
	work_off(&((struct gpube_relation_cases *)arg)->workers[item]);
}

static void *work_beside(void *arg)
{
	struct gpube_case_worker *w = arg;

	work_off(w);
	if (w->ctx.thread_end)
		w->ctx.thread_end();
	return NULL;
}

/* Until other workers come, the first one; those that wait for a card are there at once. */
static bool is_alone(const struct gpube_relation_cases *c)
{
	return c->n_workers <= c->s->b->ctx->n_threads && gpube__alone(c->s->b->ctx);
}

/* By all workers: a thread of the context each, or one that is started for it. */
static void work_all(struct gpube_relation_cases *c)
{
	struct gpube_ctx *ctx = c->s->b->ctx;
	const int most = c->alone ? 1 : ctx->n_threads,
		  n = c->n_workers < most ? c->n_workers : most;
	int n_begun = n;

	while (!c->alone && n_begun < c->n_workers &&
		gpube__thread_start(&c->workers[n_begun].thread, work_beside, &c->workers[n_begun]))
		n_begun++;
	gpube__parallel(ctx, n, work, c);
	for (int k = n; k < n_begun; k++)
		pthread_join(c->workers[k].thread, NULL);
}

/* ---- making -------------------------------------------------------------------------- */

static int make_worker(struct gpube_relation_cases *c, int k)
{
	const struct gpube_bounder *b = c->s->b;
	const struct gpube_relations *l = c->s->relations;
	struct gpube_case_worker *w = &c->workers[k];

	w->all = c;
	w->ctx = gpube__ctx_child(b->ctx);
	w->ctx.n_threads = 1;
	w->ctx.memory_bytes /= (uint64_t)c->n_workers;
	w->sweeper.ctx = &w->ctx;
	w->values = gpube__alloc_zero(&w->ctx, (uint64_t)c->s->m->n_vars + 1, sizeof(*w->values));
	w->whole = gpube__alloc_zero(&w->ctx, (uint64_t)b->m->n_vars + 1, sizeof(*w->whole));
	w->forced = gpube__alloc(&w->ctx, (uint64_t)l->value_at[l->n] + 1, sizeof(*w->forced));
	w->choices = gpube__alloc(&w->ctx, (uint64_t)l->value_at[l->n] + 1, sizeof(*w->choices));
	if (!w->values || !w->whole || !w->forced || !w->choices)
		return GPUBE_ENOMEM;
	return gpube__search_new(&w->search, &w->ctx, b->m, b->opts->seed + (uint64_t)k);
}

int gpube__cases_make(struct gpube_pairwise_run *s, const struct gpube_case_rules *rules)
{
	struct gpube_ctx *ctx = s->b->ctx;
	struct gpube_relation_cases *c = gpube__alloc_zero(ctx, 1, sizeof(*c));
	int status = c ? GPUBE_OK : GPUBE_ENOMEM;

	if (status)
		return status;
	c->s = s;
	c->rules = rules;
	c->target = s->relations->state.target;
	c->judged_at = rules->judged;
	c->missing = c->target - s->relations->state.constant;
	c->open.most_bytes = (int64_t)(ctx->memory_bytes / 4);
	c->n_workers = ctx->n_threads * (1 + (gpube__sweeper_prefers_card(&s->sweeper, s->relations)
							     ? rules->more_card_workers
							     : rules->more_workers));
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	c->since = gpube__pairwise_run_worked(s);
	c->best_cost = GPUBE_INF;
	c->like = gpube__relations_alloc(ctx, s->relations->n, s->relations->domain);
	c->best = gpube__alloc(ctx, (uint64_t)s->b->m->n_vars + 1, sizeof(*c->best));
	c->ranks = gpube__alloc_zero(
		ctx, (uint64_t)s->relations->value_at[s->relations->n] + 1, sizeof(*c->ranks));
	c->workers = gpube__alloc_zero(ctx, (uint64_t)c->n_workers, sizeof(*c->workers));
	c->value_at = gpube__alloc(ctx, (uint64_t)s->relations->n + 1, sizeof(*c->value_at));
	status = c->ranks && c->workers && c->value_at && c->like && c->best ? GPUBE_OK
									     : GPUBE_ENOMEM;
	if (!status) {
		c->like->shift = s->relations->shift;
		memcpy(c->value_at, s->relations->value_at,
			((size_t)s->relations->n + 1) * sizeof(*c->value_at));
		status = gpube__cases_weigh(c);
	}
	for (int k = 0; k < c->n_workers && !status; k++)
		status = make_worker(c, k);
	if (!status) {
		status = gpube__cases_push(c, s->relations, s->relations->state.constant, 0);
	}
	if (status) {
		gpube__cases_free(c);
		return status;
	}
	s->relations = NULL;
	s->cases = c;
	return GPUBE_OK;
}

/* ---- the call -------------------------------------------------------------------------------- */

int gpube__pairwise_run_cases(struct gpube_pairwise_run *s, const struct gpube_case_rules *rules)
{
	struct gpube_bounder *b = s->b;
	int status = s->cases ? GPUBE_OK : gpube__cases_make(s, rules), told;
	struct gpube_relation_cases *c = s->cases;
	bool again;

	if (status)
		return status;
	gpube__cases_take_incumbent(c); /* other methods may have had turns since */
	c->status = GPUBE_OK;
	c->over = false;
	c->caller = pthread_self();
	c->told = gpube__now();
	for (int k = 0; s->card && k < c->n_workers; k++)
		gpube__pairwise_run_open_card(
			s, &c->workers[k].sweeper, &c->workers[k].ctx, c->n_workers);
	if (c->shared)
		gpube__bounder_turn(b, GPUBE__SHARED_CASES);
	gpube__bounder_hold_saves(b, 1);
	do { /* a save finds all cases open */
		c->over = false;
		c->alone = is_alone(c);
		work_all(c);
		again = !c->status &&
			(gpube__bounder_save_is_due(b, 1) || (c->alone && !is_alone(c)));
		c->n_saved = c->n_split + c->n_closed;
		gpube__bounder_save_if_due(b, 1);
	} while (again && !gpube__budget_is_over(&s->turn) && !gpube__bounder_done(b));
	gpube__bounder_hold_saves(b, -1);
	if (c->shared)
		gpube__bounder_turn(b, GPUBE__N_SHARED);
	for (int k = 0; k < c->n_workers && c->status; k++)
		if (c->workers[k].ctx.error[0])
			(void)gpube__fail(b->ctx, c->status, "%s", c->workers[k].ctx.error);
	told = gpube__cases_tell(c);
	gpube__cases_tell_counts(c);
	if (!c->status && !c->open.n && !c->open.n_held)
		c->status = gpube__cases_check(c);
	return c->status ? c->status : told;
}
