/* min_tree_tables.c - the tables of a tree of kept messages, and what changes: see min_tree.h. */
#include "gpube/session/min_tree.h"

#include <string.h>

#include "gpube/ir/dense.h"

static size_t cell_bytes(const struct gpube_min_tree *t)
{
	return gpube__type_size(t->type);
}

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

int64_t gpube__min_span(const struct gpube_min_tree *t)
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
	const int64_t span = gpube__min_span(t), tops[] = {INT32_MAX / (t->most_inputs + 1),
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

void gpube__min_take_unary(struct gpube_min_tree *t, int32_t b)
{
	struct gpube_min_bucket *x = &t->buckets[b];

	for (int32_t a = 0; a < gpube__min_domain(t, b); a++)
		gpube__min_put(t, x->unary, a, gpube__min_unary(x, a));
	x->base = x->observed;
	x->sum_changed = false;
	x->touched = x->touched ? x->touched : GPUBE__MIN_UNARY;
}

/* The tables of buckets, and of functions. */
static int load_all(struct gpube_min_tree *t)
{
	int status = GPUBE_OK;

	for (int32_t p = 0; p < t->n && !status; p++) {
		struct gpube_min_bucket *x = &t->buckets[p];
		const uint64_t domain = (uint64_t)gpube__min_domain(t, p);

		x->touched = GPUBE__MIN_TABLE;
		x->unary = t->ops->alloc(t->ctx, domain * cell_bytes(t));
		x->up = t->ops->alloc(t->ctx, (uint64_t)x->message * cell_bytes(t));
		status = x->unary && x->up ? GPUBE_OK : GPUBE_ENOMEM;
		if (!status)
			gpube__min_take_unary(t, p);
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
		status = gpube__min_place(t, f, fits);
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
