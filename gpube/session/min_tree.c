/* min_tree.c - the plan of a tree of kept messages, its tables, what changes: see min_tree.h. */
#include "gpube/session/min_tree.h"

#include <math.h>
#include <string.h>

#include "gpube/ir/dense.h"
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
	gpube__free(ctx, t->position);
	gpube__free(ctx, t->buckets);
	gpube__free(ctx, t->scopes);
	gpube__free(ctx, t->axes);
	gpube__free(ctx, t->sums);
	gpube__free(ctx, t->owns);
	gpube__free(ctx, t->functions);
	gpube__free(ctx, t->operands);
	gpube__free(ctx, t->inputs);
	gpube__free(ctx, t->dims);
	gpube__free(ctx, t->assigned);
	gpube__free(ctx, t->at);
	gpube__free(ctx, t->stride);
	gpube__free(ctx, t->row);
	gpube__free(ctx, t);
}

/* ---- the plan -------------------------------------------------------------------------- */

/* The place of a position in a bucket's scope, or -1. */
static int32_t place_of(const struct gpube_min_bucket *x, int32_t position)
{
	int lo = 0, hi = x->n_scope;

	while (lo < hi) {
		const int mid = lo + (hi - lo) / 2;

		if (x->scope[mid] < position)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < x->n_scope && x->scope[lo] == position ? lo : -1;
}

static size_t cell_bytes(const struct gpube_min_tree *t)
{
	return gpube__type_size(t->type);
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

/* The bucket of a function, and its axes there. *fits false: it lacks a part of the scope. */
static int place_function(struct gpube_min_tree *t, int32_t f, bool *fits)
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
		status = place_function(t, f, &fits);
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

/* ---- tables ---------------------------------------------------------------------------- */

static int64_t minimised(const struct gpube_model *m, int64_t v)
{
	return v == GPUBE_INF || m->direction == GPUBE_MINIMISE ? v : -v;
}

/* Errors: ERANGE */
static int set_range(
	struct gpube_min_tree *t, int64_t *least, int64_t *span, int64_t lo, int64_t hi)
{
	*least = lo == GPUBE_INF ? 0 : lo;
	if (lo == GPUBE_INF || !__builtin_sub_overflow(hi, lo, span)) {
		*span = lo == GPUBE_INF ? 0 : *span;
		return GPUBE_OK;
	}
	return gpube__fail(t->ctx, GPUBE_ERANGE, "costs are too far apart for kept messages");
}

static void widen(int64_t *lo, int64_t *hi, int64_t v)
{
	if (v == GPUBE_INF)
		return;
	*hi = *lo == GPUBE_INF || v > *hi ? v : *hi;
	*lo = v < *lo ? v : *lo;
}

/* The least cost of a function and how far others are above it. */
static int measure_function(struct gpube_min_tree *t, int32_t f)
{
	const struct gpube_table *table = gpube__table(t->m, f);
	int64_t lo = GPUBE_INF, hi = GPUBE_INF;

	if (table->sparse)
		widen(&lo, &hi, minimised(t->m, table->dflt.i));
	for (int64_t k = 0; k < table->n; k++)
		widen(&lo, &hi, minimised(t->m, gpube__table_int(table, k)));
	return set_range(t, &t->functions[f].least, &t->functions[f].span, lo, hi);
}

/* What is left of the unary costs. */
static int measure_unary(struct gpube_min_tree *t, struct gpube_min_bucket *x)
{
	const int32_t domain = t->m->vars[x->var].domain;
	int64_t lo = GPUBE_INF, hi = GPUBE_INF;

	for (int32_t a = 0; a < domain; a++)
		if (x->observed < 0 || a == x->observed)
			widen(&lo, &hi, x->sum[a]);
	return set_range(t, &x->least, &x->span, lo, hi);
}

static int64_t unary_cost(
	const struct gpube_model *m, const struct gpube_table *t, int32_t var, int32_t value)
{
	const int64_t k = t->sparse ? gpube__table_find(t, &m->vars[var].domain, &value) : value;

	return k < 0 ? t->dflt.i : gpube__table_int(t, k);
}

/* The sum of the unary functions of all variables, or of one alone. */
static int sum_unary(struct gpube_min_tree *t, int32_t only)
{
	const struct gpube_model *m = t->m;

	for (int32_t i = 0; i < t->n; i++) {
		struct gpube_min_bucket *x = &t->buckets[t->position[i]];

		if (only < 0 || i == only)
			memset(x->sum, 0, (size_t)m->vars[i].domain * sizeof(*x->sum));
	}
	for (int32_t f = 0; f < m->n_functions; f++) {
		const struct gpube_table *table = gpube__table(m, f);
		struct gpube_min_bucket *x;
		int32_t var;

		if (m->functions[f].arity != 1)
			continue;
		var = gpube__scope(m, f)[0];
		if (only >= 0 && var != only)
			continue;
		x = &t->buckets[t->position[var]];
		for (int32_t a = 0; a < m->vars[var].domain; a++) {
			const int64_t v = minimised(m, unary_cost(m, table, var, a));

			if (v == GPUBE_INF || x->sum[a] == GPUBE_INF)
				x->sum[a] = GPUBE_INF;
			else if (__builtin_add_overflow(x->sum[a], v, &x->sum[a]) ||
				 x->sum[a] == GPUBE_INF)
				return gpube__fail(t->ctx, GPUBE_ERANGE,
					"costs are too large for kept messages");
		}
	}
	return GPUBE_OK;
}

/* A function's cells above its least cost. */
static int load(struct gpube_min_tree *t, int32_t f)
{
	struct gpube_min_function *to = &t->functions[f];
	const int64_t cells = gpube_model_cells(t->m, f);
	int64_t *costs = gpube__alloc(t->ctx, (uint64_t)cells, sizeof(*costs));
	int status = costs ? gpube__dense(costs, t->m, f, t->position) : GPUBE_ENOMEM;

	if (!status && !to->cells) {
		to->cells = t->ops->alloc(t->ctx, (uint64_t)cells * cell_bytes(t));
		status = to->cells ? GPUBE_OK : GPUBE_ENOMEM;
	}
	for (int64_t k = 0; k < cells && !status; k++) {
		const int64_t v = minimised(t->m, costs[k]);

		gpube__min_put(t, to->cells, k, v == GPUBE_INF ? v : v - to->least);
	}
	gpube__free(t->ctx, costs);
	return status;
}

/* What tables can add above 'low'; past 64 bits: GPUBE_INF. */
static int64_t span_of(const struct gpube_min_tree *t)
{
	__int128 sum = 0;

	for (int32_t f = 0; f < t->n_functions; f++)
		if (t->functions[f].bucket >= 0)
			sum += t->functions[f].span;
	for (int32_t p = 0; p < t->n; p++)
		sum += t->buckets[p].span;
	return sum < GPUBE_INF ? (int64_t)sum : GPUBE_INF;
}

/* The narrower type that holds four times what there is, so that changes find room. */
static int choose_type(struct gpube_min_tree *t)
{
	const int64_t span = span_of(t), tops[] = {INT32_MAX / (t->most_inputs + 1),
						 ((int64_t)1 << 62) / (t->most_inputs + 1)};

	t->type = span < tops[0] / 4 ? GPUBE_INT32 : GPUBE_INT64;
	t->top = tops[t->type == GPUBE_INT64];
	return span < t->top ? GPUBE_OK
			     : gpube__fail(t->ctx, GPUBE_ERANGE,
				       "totals are too far apart for kept messages");
}

/* All but tables of costs. */
static int make_room(struct gpube_min_tree *t)
{
	struct gpube_ctx *ctx = t->ctx;
	const uint64_t most = (uint64_t)t->most_inputs;
	int64_t n_values = 0, widest = 1;

	for (int32_t p = 0; p < t->n; p++) {
		const int64_t domain = gpube__min_domain(t, p);

		n_values += domain;
		widest = domain > widest ? domain : widest;
	}
	t->sums = gpube__alloc(ctx, (uint64_t)n_values, sizeof(*t->sums));
	t->owns = gpube__alloc(ctx, (uint64_t)n_values, sizeof(*t->owns));
	t->operands = gpube__alloc(ctx, most, sizeof(*t->operands));
	t->inputs = gpube__alloc(ctx, most, sizeof(*t->inputs));
	t->dims = gpube__alloc(ctx, most * GPUBE_MAX_DIMS, sizeof(*t->dims));
	t->assigned = gpube__alloc(ctx, (uint64_t)t->n, sizeof(*t->assigned));
	t->at = gpube__alloc(ctx, most, sizeof(*t->at));
	t->stride = gpube__alloc(ctx, most * GPUBE_MAX_DIMS, sizeof(*t->stride));
	t->row = gpube__alloc(ctx, (uint64_t)widest, sizeof(*t->row));
	t->cells = t->ops->alloc(ctx, (uint64_t)widest * sizeof(int64_t));
	if (!t->sums || !t->owns || !t->operands || !t->inputs || !t->dims || !t->assigned ||
		!t->at || !t->stride || !t->row || !t->cells)
		return GPUBE_ENOMEM;
	n_values = 0;
	for (int32_t p = 0; p < t->n; p++) {
		t->buckets[p].sum = t->sums + n_values;
		t->buckets[p].own = t->owns + n_values;
		n_values += gpube__min_domain(t, p);
	}
	return GPUBE_OK;
}

/* The tables of buckets, and of functions. */
static int load_all(struct gpube_min_tree *t)
{
	int status = GPUBE_OK;

	for (int32_t p = 0; p < t->n && !status; p++) {
		struct gpube_min_bucket *x = &t->buckets[p];
		const uint64_t domain = (uint64_t)gpube__min_domain(t, p);

		x->touched = GPUBE__MIN_TABLE;
		x->sum_changed = true;
		x->unary = t->ops->alloc(t->ctx, domain * cell_bytes(t));
		x->up = t->ops->alloc(t->ctx, (uint64_t)x->message * cell_bytes(t));
		status = x->unary && x->up ? GPUBE_OK : GPUBE_ENOMEM;
	}
	for (int32_t f = 0; f < t->n_functions && !status; f++)
		if (t->functions[f].bucket >= 0)
			status = gpube__stopped(t->ctx) ? gpube__fail_stopped(t->ctx) : load(t, f);
	return status;
}

int gpube__min_tree_fill(struct gpube_min_tree *t)
{
	int status = make_room(t);

	if (!status)
		status = sum_unary(t, -1);
	for (int32_t p = 0; p < t->n && !status; p++)
		status = measure_unary(t, &t->buckets[p]);
	for (int32_t f = 0; f < t->n_functions && !status; f++)
		if (t->functions[f].bucket >= 0)
			status = measure_function(t, f);
	if (!status)
		status = choose_type(t);
	if (!status)
		status = load_all(t);
	t->is_filled = !status;
	return status;
}

/* ---- what changes ---------------------------------------------------------------------- */

int gpube__min_tree_change(struct gpube_min_tree *t, int32_t f)
{
	struct gpube_min_bucket *x;
	int status;

	if (t->m->functions[f].arity == 0)
		return GPUBE_OK;
	if (t->m->functions[f].arity == 1) {
		const int32_t var = gpube__scope(t->m, f)[0];

		x = &t->buckets[t->position[var]];
		x->sum_changed = true;
		status = sum_unary(t, var);
		return status ? status : measure_unary(t, x);
	}
	t->buckets[t->functions[f].bucket].touched = GPUBE__MIN_TABLE;
	status = measure_function(t, f);
	return status ? status : load(t, f);
}

int gpube__min_tree_add(struct gpube_min_tree *t, int32_t f, bool *fits)
{
	int status = gpube__grow(t->ctx, &t->functions, &t->functions_capacity, (int64_t)f + 1,
		sizeof(*t->functions));

	*fits = false;
	if (!status)
		status = place_function(t, f, fits);
	if (status || !*fits)
		return status;
	*fits = t->functions[f].bucket < 0 ||
		t->buckets[t->functions[f].bucket].n_inputs <= t->most_inputs;
	return *fits ? gpube__min_tree_change(t, f) : GPUBE_OK;
}

void gpube__min_tree_observe(struct gpube_min_tree *t, int32_t var, int32_t value)
{
	struct gpube_min_bucket *x = &t->buckets[t->position[var]];

	if (x->observed == value)
		return;
	x->observed = value;
	(void)measure_unary(t, x); /* of all values it was no failure */
}

/* ---- the question ---------------------------------------------------------------------- */

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
 * Takes all that is new into the tables. A message up is no longer known if there is something new
 * at or below its bucket, one down if there is elsewhere in the component, min-marginals if there
 * is but for their own unary costs.
 */
static void take_new(struct gpube_min_tree *t)
{
	for (int32_t p = 0; p < t->n; p++)
		t->buckets[p].n_new = 0;
	for (int32_t p = 0; p < t->n; p++) {
		struct gpube_min_bucket *x = &t->buckets[p];

		if (is_pending(x)) {
			for (int32_t a = 0; a < gpube__min_domain(t, p); a++)
				gpube__min_put(t, x->unary, a, gpube__min_unary(x, a));
			x->base = x->observed;
			x->sum_changed = false;
			x->touched = x->touched ? x->touched : GPUBE__MIN_UNARY;
		}
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

	if (span_of(t) >= t->top)
		return gpube__fail(
			t->ctx, GPUBE_ERANGE, "totals are too far apart for kept messages");
	if (from == -2) {
		take_new(t);
		from = -1;
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
		gpube__min_assign(t, from, value, values);
	return status;
}
