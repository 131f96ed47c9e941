/* min_tree.c - the plan of a tree of kept messages: see min_tree.h. */
#include "gpube/session/min_tree.h"

#include <math.h>
#include <string.h>

#include "gpube/order/elimination.h"
#include "gpube/order/order.h"

/* Inputs that functions may be added to a bucket before another tree has to be planned. */
enum { SPARE_INPUTS = 8 };

/* Joined cells beyond which no one would wait for the messages. */
#define MOST_CELLS 1e11

void gpube__min_tree_free(struct gpube_min_tree *t)
{
	struct gpube_ctx *ctx;

	if (!t)
		return;
	ctx = t->ctx;
	for (int32_t b = 0; t->buckets && b < t->n; b++) {
		t->ops->free(ctx, t->buckets[b].unary);
		t->ops->free(ctx, t->buckets[b].up);
		t->ops->free(ctx, t->buckets[b].down);
	}
	for (int32_t f = 0; f < t->n_functions; f++) {
		gpube__free(ctx, t->functions[f].axis);
		t->ops->free(ctx, t->functions[f].cells);
	}
	t->ops->free(ctx, t->cells);
	GPUBE_FREE_ALL(ctx, t->position, t->buckets, t->scopes, t->axes, t->sums, t->owns,
		t->functions, t->operands, t->inputs, t->dims, t->assigned, t->at, t->stride,
		t->row, t);
}

/* ---- the plan -------------------------------------------------------------------------- */

/* The place of a position in a bucket's scope, or -1. */
static int32_t place_of(const struct gpube_min_bucket *x, int32_t position)
{
	const int32_t at = gpube__first_from32(x->scope, x->n_scope, position);

	return at < x->n_scope && x->scope[at] == position ? at : -1;
}

/* Scopes, children and sizes from the scopes of messages. */
static int lay_buckets(
	struct gpube_min_tree *t, const struct gpube_elimination *e, const int32_t *order)
{
	int64_t n_scopes = 0, n_axes = 0;

	for (int32_t p = 0; p < t->n; p++) {
		struct gpube_min_bucket *x = &t->buckets[p];
		const int64_t n = gpube__n_scope(e, p);

		if (n >= GPUBE_MAX_DIMS)
			return gpube__fail(t->ctx, GPUBE_ELIMIT, "messages are too wide to keep");
		*x = (struct gpube_min_bucket){.var = order[p],
			.root = p,
			.parent = gpube__message_to(e, p),
			.child = -1,
			.sibling = -1,
			.function = -1,
			.n_scope = (int)n + 1,
			.n_inputs = 2, /* from above, and unary costs */
			.scope = t->scopes + n_scopes,
			.axis = t->axes + n_axes,
			.observed = -1,
			.base = -1,
			.message = 1};
		x->scope[0] = p;
		for (int64_t k = 0; k < n; k++)
			x->scope[k + 1] = e->scope[e->at[p] + k];
		n_scopes += n + 1;
		n_axes += n;
	}
	for (int32_t p = t->n - 1; p >= 0; p--) {
		struct gpube_min_bucket *x = &t->buckets[p];

		for (int k = 1; k < x->n_scope && x->message >= 0; k++)
			x->message =
				gpube__mul_size(x->message, t->m->vars[order[x->scope[k]]].domain);
		if (x->message < 0)
			return gpube__fail(t->ctx, GPUBE_ELIMIT, "messages are too large to keep");
		if (x->parent < 0)
			continue;
		x->root = t->buckets[x->parent].root;
		x->sibling = t->buckets[x->parent].child;
		t->buckets[x->parent].child = p;
		t->buckets[x->parent].n_inputs++;
		for (int k = 1; k < x->n_scope; k++)
			x->axis[k - 1] = place_of(&t->buckets[x->parent], x->scope[k]);
	}
	return GPUBE_OK;
}

int gpube__min_place(struct gpube_min_tree *t, int32_t f, bool *fits)
{
	const struct gpube_model *m = t->m;
	const int arity = m->functions[f].arity;
	const int32_t *scope = gpube__scope(m, f);
	struct gpube_min_function *to = &t->functions[f];
	struct gpube_min_bucket *x;
	int32_t first = t->n;
	int n = 0;

	*fits = true;
	*to = (struct gpube_min_function){.bucket = -1, .next = -1};
	t->n_functions = f + 1;
	if (arity < 2)
		return GPUBE_OK;
	for (int k = 0; k < arity; k++)
		first = t->position[scope[k]] < first ? t->position[scope[k]] : first;
	x = &t->buckets[first];
	*fits = arity <= x->n_scope;
	for (int k = 0; k < arity && *fits; k++)
		*fits = place_of(x, t->position[scope[k]]) >= 0;
	if (!*fits)
		return GPUBE_OK;
	to->axis = gpube__alloc(t->ctx, (uint64_t)arity, sizeof(*to->axis));
	if (!to->axis)
		return GPUBE_ENOMEM;
	for (int place = 0; place < x->n_scope; place++)
		for (int k = 0; k < arity; k++)
			if (t->position[scope[k]] == x->scope[place])
				to->axis[n++] = place;
	to->bucket = first;
	to->next = x->function;
	x->function = f;
	x->n_inputs++;
	return GPUBE_OK;
}

/* What all messages take, and their tables. */
static void measure(struct gpube_min_tree *t)
{
	const size_t size = sizeof(int64_t);

	for (int32_t f = 0; f < t->n_functions; f++)
		if (t->functions[f].bucket >= 0)
			t->bytes += (double)gpube_model_cells(t->m, f) * (double)size;
	for (int32_t p = 0; p < t->n; p++) {
		const struct gpube_min_bucket *x = &t->buckets[p];
		const double joined = (double)x->message * gpube__min_domain(t, p);
		int n_down = 1; /* the own min-marginals, and to each child */

		for (int32_t c = x->child; c >= 0; c = t->buckets[c].sibling)
			n_down++;
		t->bytes += 2 * (double)x->message * (double)size;
		t->ticks +=
			gpube__cells_ticks(joined, x->n_inputs, GPUBE_INT32, false) * (1 + n_down) +
			2000; /* a bucket's own */
		t->most_inputs = x->n_inputs > t->most_inputs ? x->n_inputs : t->most_inputs;
	}
	t->most_inputs += SPARE_INPUTS;
}

static int plan_along(struct gpube_min_tree *t, const struct gpube_graph *g, const int32_t *order)
{
	struct gpube_elimination e;
	int status = gpube__eliminate_graph(&e, t->ctx, g, order);
	bool fits;

	if (!status) {
		t->position = e.position;
		e.position = NULL;
		t->scopes = gpube__alloc(
			t->ctx, (uint64_t)e.at[t->n] + (uint64_t)t->n, sizeof(*t->scopes));
		t->axes = gpube__alloc(t->ctx, (uint64_t)e.at[t->n], sizeof(*t->axes));
		t->buckets = gpube__alloc_zero(t->ctx, (uint64_t)t->n, sizeof(*t->buckets));
		status = t->scopes && t->axes && t->buckets ? lay_buckets(t, &e, order)
							    : GPUBE_ENOMEM;
	}
	gpube__elimination_clear(&e, t->ctx);
	if (!status)
		status = gpube__grow(t->ctx, &t->functions, &t->functions_capacity,
			t->m->n_functions, sizeof(*t->functions));
	for (int32_t f = 0; f < t->m->n_functions && !status; f++)
		status = gpube__min_place(t, f, &fits);
	return status;
}

/* A search for so many seconds of work at most, and no longer than the messages will take. */
static int find_order(struct gpube_min_tree *t, const struct gpube_graph *g, int32_t *order,
	uint64_t seed, double seconds, struct gpube_order_cost *cost)
{
	const struct gpube_order_time time = {.most = INFINITY, .pays = true, .work = seconds};
	struct gpube_order_search *search;
	int status = gpube__order_search_new(&search, t->ctx, g, seed);

	if (status)
		return status;
	if (seconds * 1e9 > gpube__order_search_least(search))
		status = gpube__order_search_go(search, time, t->ops->cells_per_second);
	if (!status)
		gpube__order_search_best(search, order, cost);
	gpube__order_search_free(search);
	return status;
}

int gpube__min_tree_plan(struct gpube_min_tree **out, const struct gpube_model *m,
	const int32_t *order, uint64_t seed, double seconds)
{
	struct gpube_min_tree *t = gpube__alloc_zero(m->ctx, 1, sizeof(*t));
	struct gpube_graph g = {0};
	struct gpube_order_cost cost = {0};
	int32_t *found = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*found));
	int status = t && found ? GPUBE_OK : GPUBE_ENOMEM;

	*out = NULL;
	if (t) {
		t->ctx = m->ctx;
		t->m = m;
		t->n = m->n_vars;
		t->ops = gpube__ops_cpu();
		t->type = GPUBE_INT64;
	}
	if (!status)
		status = gpube__graph_of_model(&g, m);
	if (!status && order) {
		memcpy(found, order, (size_t)m->n_vars * sizeof(*found));
		status = gpube__order_cost(m->ctx, &cost, &g, found);
	} else if (!status) {
		status = find_order(t, &g, found, seed, seconds, &cost);
	}
	if (!status && cost.joined_cells > MOST_CELLS)
		status = gpube__fail(m->ctx, GPUBE_ELIMIT, "messages are too large to keep");
	if (!status)
		status = plan_along(t, &g, found);
	if (!status)
		measure(t);
	gpube__graph_clear(m->ctx, &g);
	gpube__free(m->ctx, found);
	if (status)
		gpube__min_tree_free(t);
	else
		*out = t;
	return status;
}
