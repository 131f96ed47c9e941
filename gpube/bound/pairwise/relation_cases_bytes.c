/* relation_cases_bytes.c - cases as numbers, for ranks and checkpoints: see relation_cases.h. */
#include "gpube/base/bytes.h"

#include <math.h>

#include "gpube/bound/pairwise/relation_cases.h"

void gpube__put_no_cases(struct gpube__bytes *to, const struct gpube_relation_cases *c)
{
	gpube__put(to, c->s->made_below);
	gpube__put(to, c->like->n);
	gpube__put(to, c->like->shift);
}

int gpube__cases_get_none(struct gpube_bounder *b, struct gpube__bytes *run)
{
	const int64_t cutoff = b->cutoff, below = gpube__get(run, -GPUBE_INF, GPUBE_INF),
		      n = gpube__get(run, 0, INT32_MAX),
		      shift = gpube__get(run, INT32_MIN, INT32_MAX);
	struct gpube_pairwise_run *s;
	struct gpube_relation_cases *c;
	struct gpube_frontier_node first;
	int status = run->status;

	if (status)
		return status;
	b->cutoff = below; /* by which the unit of costs is chosen */
	status = gpube__pairwise_run_new(b);
	b->cutoff = cutoff;
	s = b->state.pairwise;
	if (!status)
		s->turn = gpube__budget(b->ctx, INFINITY);
	if (!status && !s->relations)
		return gpube__fail(b->ctx, GPUBE_EINVAL, "the model has no relations here");
	if (!status)
		status = gpube__cases_make(s, &gpube__case_rules);
	if (status)
		return status;
	c = s->cases;
	if (c->like->n != n || c->like->shift != shift)
		return gpube__fail(b->ctx, GPUBE_EINVAL, "its relations are of other variables");
	first = gpube__frontier_pop(&c->open);
	gpube__relations_free(first.payload);
	return GPUBE_OK;
}

/* The case without its separators, whose costs its relations have then. */
static struct gpube_relations *without_separators(
	struct gpube__bytes *to, struct gpube_relations *l)
{
	int64_t *forced = gpube__alloc(to->ctx, (uint64_t)l->value_at[l->n] + 1, sizeof(*forced));
	struct gpube_relations *bare = NULL;

	l->ctx = to->ctx;
	to->status = forced ? GPUBE_OK : GPUBE_ENOMEM;
	if (!to->status) {
		gpube__relations_settle(l);
		to->status = gpube__relations_forced(l, forced);
	}
	if (!to->status)
		to->status = gpube__relations_part(&bare, l, forced, -1, 0, true);
	gpube__free(to->ctx, forced);
	if (to->status)
		return l;
	gpube__relations_free(l);
	return bare;
}

void gpube__put_case(struct gpube__bytes *to, const struct gpube_relation_cases *c,
	struct gpube_frontier_node *node)
{
	struct gpube_relations *l = node->payload;

	if (to->status)
		return;
	if (l->plan.members)
		node->payload = l = without_separators(to, l);
	l->ctx = c->s->b->ctx;
	gpube__put(to, node->bound);
	gpube__put(to, node->depth);
	gpube__put_relations(to, l);
}

int gpube__get_case(struct gpube__bytes *from, const struct gpube_relation_cases *c,
	struct gpube_frontier_node *node)
{
	struct gpube_relations *l;

	*node = (struct gpube_frontier_node){.bound = gpube__get(from, 0, INT64_MAX / 4)};
	node->depth = (int32_t)gpube__get(from, 0, INT32_MAX / 2);
	if (from->status || gpube__get_relations(&l, from->ctx, from, c->like))
		return from->status;
	node->payload = l;
	return GPUBE_OK;
}

/* ---- a run's --------------------------------------------------------------------------------- */

void gpube__put_cases(struct gpube__bytes *to, struct gpube_relation_cases *c)
{
	pthread_mutex_lock(&c->lock);
	gpube__put_no_cases(to, c);
	gpube__put(to, (int64_t)c->part);
	gpube__put(to, c->n_split);
	gpube__put(to, c->n_closed);
	gpube__put(to, c->open.n + c->open.n_held);
	for (int64_t k = 0; k < c->open.n; k++)
		gpube__put_case(to, c, &c->open.nodes[k]);
	for (struct gpube_frontier_hand *hand = c->open.held; hand; hand = hand->next)
		gpube__put_case(to, c, &hand->node);
	pthread_mutex_unlock(&c->lock);
}

static int get_all(struct gpube__bytes *from, struct gpube_relation_cases *c)
{
	int64_t n;

	c->part = (uint64_t)gpube__get(from, 0, GPUBE__PARTS - 1);
	c->n_split = gpube__get(from, 0, INT64_MAX / 2);
	c->n_closed = gpube__get(from, 0, INT64_MAX / 2);
	n = gpube__get_count(from);
	for (; n > 0 && !from->status; n--) {
		struct gpube_frontier_node node;

		if (gpube__get_case(from, c, &node))
			break;
		from->status = gpube__cases_push(c, node.payload, node.bound, node.depth);
		if (from->status)
			gpube__relations_free(node.payload);
	}
	if (!from->status && gpube__cases_check(c))
		(void)gpube__damaged(from, "parts of its cases do not add up to the whole");
	return from->status;
}

int gpube__get_cases(struct gpube_bounder *b, struct gpube__bytes *from)
{
	int status = gpube__cases_get_none(b, from);

	if (status == GPUBE_EINVAL) { /* they begin anew */
		gpube__log(b->ctx, GPUBE_LOG_NOTE,
			"the cases of relations were another program's, and begin anew");
		status = GPUBE_OK;
	} else if (!status && !get_all(from, b->state.pairwise->cases)) {
		return GPUBE_OK;
	}
	gpube__pairwise_run_free(b->state.pairwise);
	b->state.pairwise = NULL;
	return status ? status : from->status;
}
