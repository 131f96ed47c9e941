/*
 * relation_cases_guest.c - cases on other ranks, as a method that lends (sharing/shared.h). A case
 * travels as its relations; a guest makes the rest from the model, as the owner did.
 */
#include <math.h>

#include "gpube/base/bytes.h"
#include "gpube/bound/checkpoint/checkpoint.h"
#include "gpube/bound/pairwise/relation_cases.h"
#include "gpube/bound/sharing/sharing.h"

/* A letter of cases ends with the one that makes it longer than this. */
enum { MOST_BYTES = 1 << 22 };

int gpube__cases_settle(struct gpube_bounder *b)
{
	struct gpube_relation_cases *c = b->state.pairwise ? b->state.pairwise->cases : NULL;
	int status = c && c->shared ? gpube__cases_check(c) : GPUBE_OK;

	return !status && c && c->shared ? gpube__cases_tell(c) : status;
}

bool gpube__cases_are_lent(struct gpube_bounder *b)
{
	return b->state.pairwise && b->state.pairwise->cases && b->state.pairwise->cases->shared;
}

static void put_root(struct gpube__bytes *to, void *of)
{
	const struct gpube_relation_cases *c = of;

	gpube__put_run(to, c->s->b, GPUBE__RUN_WITHOUT_TREE);
	gpube__put_no_cases(to, c);
}

/* ---- a guest --------------------------------------------------------------------------------- */

static void free_guest(void *of)
{
	struct gpube_relation_cases *c = of;

	if (c)
		gpube__guest_bounder_free(c->s->b);
}

static int guest_new(void **out, const struct gpube_model *given, const struct gpube_opts *opts,
	struct gpube__bytes *root, int rank)
{
	struct gpube_bounder *b = NULL;
	int status = gpube__guest_bounder_new(&b, given, opts, root);

	(void)rank;
	if (!status)
		status = gpube__cases_get_none(b, root);
	if (status) {
		gpube__guest_bounder_free(b);
		return status;
	}
	*out = b->state.pairwise->cases;
	b->state.pairwise->cases->guest = true;
	b->state.pairwise->cases->part = 0;
	gpube__cases_take_incumbent(*out);
	return GPUBE_OK;
}

static int search(void *of)
{
	struct gpube_relation_cases *c = of;

	c->s->turn = gpube__budget(c->s->b->ctx, INFINITY);
	return gpube__pairwise_run_cases(c->s, c->rules);
}

/* ---- cases that travel ----------------------------------------------------------------------- */

/* Needs the lock. A node that is not this rank's any more, or closed. */
static void drop(struct gpube_relation_cases *c, const struct gpube_frontier_node *node)
{
	c->part = gpube__part_add(c->part, gpube__node_part(node));
	gpube__relations_free(node->payload);
}

/* Needs the lock. Gives the next case, or drops it if it is closed. */
static bool give_one(
	struct gpube_relation_cases *c, struct gpube__bytes *to, int to_rank, int64_t number)
{
	struct gpube_frontier_node node = gpube__frontier_pop(&c->open);

	if (node.bound >= c->target) {
		drop(c, &node);
		c->n_closed++;
		return false;
	}
	gpube__put_case(to, c, &node);
	if (!to->status && to_rank >= 0)
		to->status = gpube__frontier_lend(&c->open, to->ctx, &node, to_rank, number);
	if (to->status) {
		(void)gpube__frontier_push(&c->open, to->ctx, &node); /* where it was */
		return false;
	}
	if (to_rank < 0)
		drop(c, &node);
	return true;
}

static int64_t give(void *of, struct gpube__bytes *to, int64_t most, int to_rank, int64_t number)
{
	struct gpube_relation_cases *c = of;
	int64_t n = 0;

	pthread_mutex_lock(&c->lock);
	while (n < most && c->open.n && !to->status && to->n < MOST_BYTES)
		n += give_one(c, to, to_rank, number);
	pthread_mutex_unlock(&c->lock);
	return n;
}

static int take(void *of, struct gpube__bytes *from)
{
	struct gpube_relation_cases *c = of;

	while (!from->status && from->next < from->n) {
		struct gpube_frontier_node node;

		if (gpube__get_case(from, c, &node))
			break;
		pthread_mutex_lock(&c->lock);
		from->status = gpube__cases_push(c, node.payload, node.bound, node.depth);
		if (!from->status)
			c->part = gpube__part_sub(c->part, gpube__node_part(&node));
		pthread_cond_broadcast(&c->changed);
		pthread_mutex_unlock(&c->lock);
		if (from->status)
			gpube__relations_free(node.payload);
	}
	return from->status;
}

static struct gpube__shared_state state_of(void *of)
{
	struct gpube_relation_cases *c = of;
	struct gpube__shared_state state;

	pthread_mutex_lock(&c->lock);
	state = (struct gpube__shared_state){.n_open = c->open.n,
		.n_held = c->open.n_held - c->open.n_loans,
		.n_loans = c->open.n_loans,
		.n_nodes = c->n_split + c->n_closed,
		.n_waiting = c->n_waiting - c->wanted,
		.done = !c->guest && !c->open.n && !c->open.n_held};
	pthread_mutex_unlock(&c->lock);
	return state;
}

/* Another rank without cases is as good a reason to split as a thread. */
static void want(void *of, bool wanted)
{
	struct gpube_relation_cases *c = of;

	pthread_mutex_lock(&c->lock);
	c->n_waiting += wanted - c->wanted;
	c->wanted = wanted;
	pthread_mutex_unlock(&c->lock);
}

static void put_least(struct gpube__bytes *to, void *of)
{
	struct gpube_relation_cases *c = of;

	pthread_mutex_lock(&c->lock);
	gpube__put(to, gpube__frontier_least(&c->open));
	pthread_mutex_unlock(&c->lock);
}

static int repaid(void *of, struct gpube__bytes *from, int rank, int64_t number)
{
	struct gpube_relation_cases *c = of;
	const int64_t least = gpube__get(from, 0, INT64_MAX);
	struct gpube_frontier_node node;

	if (from->status)
		return from->status;
	pthread_mutex_lock(&c->lock);
	while (gpube__frontier_repaid(&c->open, from->ctx, rank, number, least, &node)) {
		drop(c, &node);
		pthread_cond_broadcast(&c->changed);
	}
	pthread_mutex_unlock(&c->lock);
	return GPUBE_OK;
}

static int recall(void *of, struct gpube_ctx *ctx, int rank)
{
	struct gpube_relation_cases *c = of;
	int status;

	pthread_mutex_lock(&c->lock);
	status = gpube__frontier_recall(&c->open, ctx, rank);
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	return status;
}

static int check(void *of)
{
	return gpube__cases_check(of);
}

/* ---- best assignments ------------------------------------------------------------------------ */

static void take_incumbent(void *of)
{
	gpube__cases_take_incumbent(of);
}

static bool put_best(struct gpube__bytes *to, void *of, int64_t *seen)
{
	struct gpube_relation_cases *c = of;
	bool better;

	pthread_mutex_lock(&c->lock);
	better = c->best_number != *seen && c->best_cost < GPUBE_INF;
	*seen = c->best_number;
	if (better)
		gpube__put_all(to, c->best, c->s->b->m->n_vars);
	pthread_mutex_unlock(&c->lock);
	return better;
}

static int learn(void *of, struct gpube__bytes *from, int64_t *seen)
{
	struct gpube_relation_cases *c = of;
	const struct gpube_model *m = c->s->b->m;
	int32_t *values = gpube__alloc(from->ctx, (uint64_t)m->n_vars + 1, sizeof(*values));
	int64_t cost;

	if (!values)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		values[i] = (int32_t)gpube__get(from, 0, (int64_t)m->vars[i].domain - 1);
	if (!from->status && !gpube_model_cost(&cost, m, values) && cost < GPUBE_INF) {
		gpube__cases_found(c, values, cost);
		pthread_mutex_lock(&c->lock);
		if (c->best_cost == cost)
			*seen = c->best_number;
		pthread_mutex_unlock(&c->lock);
	}
	gpube__free(from->ctx, values);
	return from->status;
}

const struct gpube__shared gpube__shared_cases = {.kind = GPUBE__SHARED_CASES,
	.name = "relations' cases",
	.lends = true,
	.root = put_root,
	.guest_new = guest_new,
	.guest_free = free_guest,
	.search = search,
	.state = state_of,
	.give = give,
	.take = take,
	.want = want,
	.least = put_least,
	.repaid = repaid,
	.recall = recall,
	.check = check,
	.incumbent = take_incumbent,
	.best = put_best,
	.learn = learn};
