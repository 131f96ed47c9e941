/*
 * min_tree_ask.c - the least total: what has to go into the messages first, and what is read off
 * them as it is. See min_tree.h.
 */
#include "gpube/session/min_tree.h"

#include "gpube/ir/dense.h"

/* Whether the unary costs are not those that messages have. */
static bool is_pending(const struct gpube_min_bucket *x)
{
	return x->sum_changed || x->observed != x->base;
}

/* The one bucket whose unary costs alone are new; -1: none is; -2: more is new than that. */
static int32_t find_new(const struct gpube_min_tree *t)
{
	int32_t found = -1;

	for (int32_t p = 0; p < t->n; p++) {
		if (t->buckets[p].touched)
			return -2;
		if (!is_pending(&t->buckets[p]))
			continue;
		if (found >= 0)
			return -2;
		found = p;
	}
	return found;
}

/*
 * Where there is more new, one observation stays out of the messages, if a table has changed or
 * another observation has been taken back: it may go, too, and then all that is found for it
 * serves the next one. -1: none does.
 */
static int32_t find_passing(const struct gpube_min_tree *t)
{
	int32_t found = -1;
	bool others_went = false;

	for (int32_t p = 0; p < t->n; p++) {
		const struct gpube_min_bucket *x = &t->buckets[p];

		others_went = others_went || x->touched || (x->base >= 0 && x->observed < 0);
		if (x->base < 0 && x->observed >= 0 && !x->sum_changed)
			found = p;
	}
	return others_went ? found : -1;
}

/*
 * Takes all that is new into the tables, but for the unary costs of one bucket, -1: of none. A
 * message up is no longer known if there is something new at or below its bucket, one down if there
 * is elsewhere in the component, min-marginals if there is but for their own unary costs.
 */
static void take_new(struct gpube_min_tree *t, int32_t but)
{
	for (int32_t p = 0; p < t->n; p++)
		t->buckets[p].n_new = 0;
	for (int32_t p = 0; p < t->n; p++) {
		struct gpube_min_bucket *x = &t->buckets[p];

		if (p != but && is_pending(x))
			gpube__min_take_unary(t, p);
		x->n_new += x->touched != 0;
		x->up_known = x->up_known && !x->n_new;
		if (x->parent >= 0)
			t->buckets[x->parent].n_new += x->n_new;
	}
	for (int32_t p = 0; p < t->n; p++) {
		struct gpube_min_bucket *x = &t->buckets[p];
		const int32_t all = t->buckets[x->root].n_new;

		x->down_known = x->down_known && all == x->n_new;
		x->own_known = x->own_known && all == (x->touched == GPUBE__MIN_UNARY);
		x->touched = 0;
	}
}

/* The best value of a bucket's variable with its unary costs as they are now. */
static int64_t best_own(const struct gpube_min_tree *t, int32_t b, int32_t *value)
{
	const struct gpube_min_bucket *x = &t->buckets[b];
	int64_t best = GPUBE_INF;

	for (int32_t a = 0; a < gpube__min_domain(t, b); a++) {
		const int64_t unary = gpube__min_unary(x, a);

		if (unary == GPUBE_INF || x->own[a] == GPUBE_INF || unary + x->own[a] >= best)
			continue;
		best = unary + x->own[a];
		*value = a;
	}
	return best;
}

/* The least total: low, and the least of each component. */
static int add_up(const struct gpube_min_tree *t, int64_t *total, int32_t from, int64_t best)
{
	const int64_t constant = gpube__constant_of(t->m);
	__int128 sum = constant;
	bool none = constant == GPUBE_INF || (from >= 0 && best == GPUBE_INF);

	if (t->m->direction == GPUBE_MAXIMISE)
		sum = -sum;
	for (int32_t f = 0; f < t->n_functions; f++)
		sum += t->functions[f].bucket >= 0 ? t->functions[f].least : 0;
	for (int32_t p = 0; p < t->n; p++) {
		const struct gpube_min_bucket *x = &t->buckets[p];

		sum += x->least;
		if (x->parent >= 0 || (from >= 0 && t->buckets[from].root == p))
			continue;
		none = none || gpube__min_cell(t, x->up, 0) >= t->top;
		sum += gpube__min_cell(t, x->up, 0);
	}
	if (from >= 0 && !none)
		sum += best;
	*total = GPUBE_INF;
	if (none)
		return GPUBE_OK;
	if (sum >= GPUBE_INF || sum <= -GPUBE_INF)
		return gpube__fail(t->ctx, GPUBE_ERANGE, "totals pass 64 bits");
	*total = (int64_t)sum;
	return GPUBE_OK;
}

int gpube__min_tree_ask(struct gpube_min_tree *t, int64_t *total, int32_t *values)
{
	int32_t from = find_new(t), value = 0;
	int64_t best = 0;
	int status;

	if (gpube__min_span(t) >= t->top)
		return gpube__fail(
			t->ctx, GPUBE_ERANGE, "totals are too far apart for kept messages");
	if (from == -2) {
		from = find_passing(t);
		take_new(t, from);
	}
	status = gpube__min_up(t);
	if (!status && from >= 0)
		status = gpube__min_own(t, from);
	if (status)
		return status;
	if (from >= 0)
		best = best_own(t, from, &value);
	status = add_up(t, total, from, best);
	if (!status && *total != GPUBE_INF)
		status = gpube__min_assign(t, from, value, values);
	return status;
}
