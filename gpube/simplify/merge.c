/* merge.c - sums of functions over live values, as one table. See live.h. */
#include "gpube/simplify/live.h"

#include <string.h>

enum { SUMMED_BETWEEN_CHECKS = 1 << 20 }; /* cells, for a stop: some milliseconds */

static inline int64_t add(int64_t a, int64_t b)
{
	return a == GPUBE_INF || b == GPUBE_INF ? GPUBE_INF : a + b;
}

/* A function's value k (-1: the default) less its min. */
static int64_t lowered(const struct gpube_live *s, int32_t function, int64_t k)
{
	const struct gpube_table *t = gpube__table(s->m, function);
	const struct gpube_live_function *f = &s->f[function];
	int64_t v = gpube__live_cost(k < 0 ? t->dflt.i : gpube__table_int(t, k), s->negate,
		gpube__live_least(s, function));

	return v >= f->cut ? GPUBE_INF : v - f->min;
}

static bool is_live(
	const struct gpube_live *s, int arity, const int32_t *scope, const int32_t *tuple)
{
	for (int d = 0; d < arity; d++)
		if (s->rank[s->start[scope[d]] + tuple[d]] < 0)
			return false;
	return true;
}

/* ---- dense ---------------------------------------------------------------------- */

/* A sparse function over its live values; tuples come in increasing order of cells. */
static int make_dense(struct gpube_table *out, const struct gpube_live *s, int32_t function)
{
	struct gpube_ctx *ctx = s->m->ctx;
	const struct gpube_table *t = gpube__table(s->m, function);
	const int32_t *scope = gpube__scope(s->m, function);
	int64_t cells = (int64_t)gpube__live_cells(s, t->arity, scope);
	int64_t dflt = lowered(s, function, -1);
	struct gpube_values v = {0};

	if (gpube__values_reserve(ctx, &v, cells))
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k <= t->n; k++) {
		const int32_t *tuple = k < t->n ? t->tuples + k * t->arity : NULL;
		int64_t cell = tuple ? 0 : cells;

		if (tuple && !is_live(s, t->arity, scope, tuple))
			continue;
		for (int d = 0; tuple && d < t->arity; d++)
			cell = cell * s->n[scope[d]] + s->rank[s->start[scope[d]] + tuple[d]];
		while (v.n < cell)
			if (gpube__values_push(ctx, &v, dflt))
				goto nomem;
		if (tuple && gpube__values_push(ctx, &v, lowered(s, function, k)))
			goto nomem;
	}
	*out = (struct gpube_table){
		.type = v.type, .arity = t->arity, .n = v.n, .values = v.values};
	return GPUBE_OK;
nomem:
	gpube__values_clear(ctx, &v);
	return GPUBE_ENOMEM;
}

static int open_windows(struct gpube_merge *w, struct gpube_walk *walk, int32_t n_members,
	const int32_t *members, int64_t *n_temporary)
{
	const struct gpube_live *s = w->s;
	struct gpube_ctx *ctx = s->m->ctx;
	int64_t room = gpube__walk_offsets(walk);

	if (gpube__grow(ctx, &w->windows, &w->windows_capacity, n_members, sizeof(*w->windows)) ||
		gpube__grow(ctx, &w->temporary, &w->temporary_capacity, n_members,
			sizeof(*w->temporary)) ||
		gpube__grow(ctx, &w->offsets, &w->offsets_capacity,
			gpube__mul_size(room, n_members), sizeof(*w->offsets)) ||
		gpube__grow(ctx, &w->row, &w->row_capacity, walk->row, sizeof(*w->row)) ||
		gpube__grow(ctx, &w->sum, &w->sum_capacity, walk->row, sizeof(*w->sum)))
		return GPUBE_ENOMEM;
	walk->windows = w->windows;
	walk->n_windows = n_members;
	for (int32_t k = 0; k < n_members; k++) {
		const struct gpube_table *t = gpube__table(s->m, members[k]);
		struct gpube_window *window = &w->windows[k];
		bool sparse = t->sparse;

		if (sparse) {
			if (make_dense(&w->temporary[*n_temporary], s, members[k]))
				return GPUBE_ENOMEM;
			t = &w->temporary[(*n_temporary)++];
		}
		gpube__window_open(walk, window, s, t, gpube__scope(s->m, members[k]), w->slot,
			sparse, w->offsets + k * room);
		if (sparse) /* lowered, and as they are minimised, already */
			continue;
		window->negate = s->negate;
		window->least = gpube__live_least(s, members[k]);
		window->cut = s->f[members[k]].cut;
		window->less = s->f[members[k]].min;
	}
	return GPUBE_OK;
}

static int sum_rows(struct gpube_merge *w, struct gpube_walk *walk, struct gpube_values *v,
	struct gpube_live_function *range)
{
	int32_t n = walk->row;
	int64_t made = 0;

	do {
		memset(w->sum, 0, (size_t)n * sizeof(*w->sum));
		for (int64_t k = 0; k < walk->n_windows; k++) {
			int64_t less = walk->windows[k].less;

			gpube__window_row(w->row, walk, &walk->windows[k]);
			for (int32_t j = 0; j < n; j++)
				w->sum[j] = w->row[j] == GPUBE_INF
						    ? GPUBE_INF
						    : add(w->sum[j], w->row[j] - less);
		}
		for (int32_t j = 0; j < n; j++) {
			gpube__range_add(range, w->sum[j]);
			if (gpube__values_push(w->s->m->ctx, v, w->sum[j]))
				return GPUBE_ENOMEM;
		}
		made += n * (1 + walk->n_windows);
		if (made >= SUMMED_BETWEEN_CHECKS) {
			made = 0;
			if (gpube__stopped(w->s->m->ctx))
				return gpube__fail_stopped(w->s->m->ctx);
		}
	} while (gpube__walk_next(walk));
	return GPUBE_OK;
}

static int merge_dense(struct gpube_merge *w, struct gpube_table *table,
	struct gpube_live_function *range, int arity, const int32_t *scope, int32_t n_members,
	const int32_t *members)
{
	const struct gpube_live *s = w->s;
	struct gpube_ctx *ctx = s->m->ctx;
	struct gpube_walk walk = {0};
	struct gpube_values v = {0};
	int64_t n_temporary = 0;
	int status;

	for (int k = 0; k < arity; k++)
		if (s->n[scope[k]] > 1)
			w->slot[scope[k]] = gpube__walk_add(&walk, s->n[scope[k]]);
	gpube__walk_begin(&walk);
	status = open_windows(w, &walk, n_members, members, &n_temporary);
	if (!status)
		status =
			gpube__values_reserve(ctx, &v, (int64_t)gpube__live_cells(s, arity, scope));
	if (!status)
		status = sum_rows(w, &walk, &v, range);
	for (int k = 0; k < arity; k++)
		w->slot[scope[k]] = -1;
	while (n_temporary)
		gpube__free(ctx, w->temporary[--n_temporary].values);
	if (status) {
		gpube__values_clear(ctx, &v);
		return status;
	}
	*table = (struct gpube_table){.type = v.type, .arity = arity, .n = v.n, .values = v.values};
	return GPUBE_OK;
}

/* ---- sparse ----------------------------------------------------------------------- */

static void clear_table(struct gpube_ctx *ctx, struct gpube_table *t)
{
	gpube__free(ctx, t->values);
	gpube__free(ctx, t->tuples);
	memset(t, 0, sizeof(*t));
}

/* A table of at most n tuples to be filled by append(). */
static int begin_sparse(
	struct gpube_ctx *ctx, struct gpube_table *t, struct gpube_values *v, int arity, int64_t n)
{
	memset(v, 0, sizeof(*v));
	*t = (struct gpube_table){.sparse = true, .arity = arity};
	t->tuples = gpube__alloc(ctx, (uint64_t)n, (uint64_t)arity * sizeof(*t->tuples));
	if (!t->tuples)
		return GPUBE_ENOMEM;
	return gpube__values_reserve(ctx, v, n);
}

static int append(struct gpube_ctx *ctx, struct gpube_table *t, struct gpube_values *v,
	const int32_t *tuple, int64_t value)
{
	memcpy(t->tuples + t->n++ * t->arity, tuple, (size_t)t->arity * sizeof(*tuple));
	return gpube__values_push(ctx, v, value);
}

/* Gives the values to the table and hands back what was reserved in vain. */
static int end_sparse(struct gpube_ctx *ctx, struct gpube_table *t, struct gpube_values *v)
{
	int32_t *tuples = gpube__realloc(
		ctx, t->tuples, (uint64_t)t->n, (uint64_t)t->arity * sizeof(*tuples));
	void *values;

	if (!tuples)
		return GPUBE_ENOMEM;
	t->tuples = tuples;
	values = gpube__realloc(ctx, v->values, (uint64_t)v->n, gpube__type_size(v->type));
	if (!values)
		return GPUBE_ENOMEM;
	t->type = v->type;
	t->values = values;
	v->values = NULL;
	return GPUBE_OK;
}

/* One function's live tuples, with its variables in the order of the slots. */
static int project(struct gpube_merge *w, struct gpube_table *out, int arity, int32_t function)
{
	const struct gpube_live *s = w->s;
	struct gpube_ctx *ctx = s->m->ctx;
	const struct gpube_table *t = gpube__table(s->m, function);
	const int32_t *scope = gpube__scope(s->m, function);
	int32_t *tuple = gpube__alloc(ctx, (uint64_t)arity, sizeof(*tuple));
	struct gpube_values v = {0};
	int64_t twice;
	int status = tuple ? begin_sparse(ctx, out, &v, arity, t->n) : GPUBE_ENOMEM;

	for (int64_t k = 0; !status && k < t->n; k++) {
		const int32_t *from = t->tuples + k * t->arity;

		if (!is_live(s, t->arity, scope, from))
			continue;
		for (int d = 0; d < t->arity; d++)
			if (w->slot[scope[d]] >= 0)
				tuple[w->slot[scope[d]]] = s->rank[s->start[scope[d]] + from[d]];
		status = append(ctx, out, &v, tuple, lowered(s, function, k));
	}
	if (!status)
		status = end_sparse(ctx, out, &v);
	if (!status)
		status = gpube__sort_tuples(ctx, out, &twice);
	out->dflt.i = lowered(s, function, -1);
	gpube__values_clear(ctx, &v);
	gpube__free(ctx, tuple);
	return status;
}

/* a + b: the tuples of either, each table's default where the other alone has one. */
static int add_sparse(struct gpube_ctx *ctx, struct gpube_table *out, const struct gpube_table *a,
	const struct gpube_table *b)
{
	struct gpube_values v = {0};
	int64_t i = 0, j = 0;
	int status = begin_sparse(ctx, out, &v, a->arity, a->n + b->n);

	out->dflt.i = add(a->dflt.i, b->dflt.i);
	while (!status && (i < a->n || j < b->n)) {
		const int32_t *x = a->tuples + i * a->arity, *y = b->tuples + j * b->arity;
		int order = i == a->n ? 1 : j == b->n ? -1 : gpube__compare_tuples(x, y, a->arity);
		int64_t value;

		value = add(order <= 0 ? gpube__table_int(a, i) : a->dflt.i,
			order >= 0 ? gpube__table_int(b, j) : b->dflt.i);
		if (value != out->dflt.i)
			status = append(ctx, out, &v, order <= 0 ? x : y, value);
		i += order <= 0;
		j += order >= 0;
	}
	if (!status)
		status = end_sparse(ctx, out, &v);
	gpube__values_clear(ctx, &v);
	return status;
}

static int merge_sparse(struct gpube_merge *w, struct gpube_table *table,
	struct gpube_live_function *range, int arity, const int32_t *scope, int32_t n_members,
	const int32_t *members)
{
	struct gpube_ctx *ctx = w->s->m->ctx;
	struct gpube_table total = {0}, one = {0}, sum = {0};
	int status = GPUBE_OK;

	for (int k = 0; k < arity; k++)
		w->slot[scope[k]] = k;
	for (int32_t k = 0; !status && k < n_members; k++) {
		status = project(w, k ? &one : &total, arity, members[k]);
		if (k == 0 || status)
			continue;
		status = add_sparse(ctx, &sum, &total, &one);
		clear_table(ctx, &one);
		clear_table(ctx, &total);
		total = sum;
		sum = (struct gpube_table){0};
	}
	for (int k = 0; k < arity; k++)
		w->slot[scope[k]] = -1;
	if (status) {
		clear_table(ctx, &one);
		clear_table(ctx, &total);
		return status;
	}
	for (int64_t k = 0; k < total.n; k++)
		gpube__range_add(range, gpube__table_int(&total, k));
	if (gpube__live_cells(w->s, arity, scope) > (unsigned __int128)total.n)
		gpube__range_add(range, total.dflt.i);
	*table = total;
	return GPUBE_OK;
}

/* ---- either -------------------------------------------------------------------------- */

int gpube__merge(struct gpube_merge *w, struct gpube_table *table,
	struct gpube_live_function *range, int arity, const int32_t *scope, int32_t n_members,
	const int32_t *members, bool dense)
{
	*range = (struct gpube_live_function){GPUBE_INF, GPUBE_INF, GPUBE_INF};
	return dense ? merge_dense(w, table, range, arity, scope, n_members, members)
		     : merge_sparse(w, table, range, arity, scope, n_members, members);
}

void gpube__merge_clear(struct gpube_merge *w)
{
	struct gpube_ctx *ctx = w->s->m->ctx;

	GPUBE_FREE_ALL(ctx, w->slot, w->row, w->sum, w->offsets, w->windows, w->temporary);
}

static int64_t lower(int64_t v, int64_t less, int64_t cut)
{
	return v >= cut ? GPUBE_INF : v - less;
}

int gpube__table_lower(struct gpube_ctx *ctx, struct gpube_table *t, int64_t less, int64_t cut)
{
	struct gpube_values v = {0};

	if (gpube__values_reserve(ctx, &v, t->n))
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < t->n; k++)
		if (gpube__values_push(ctx, &v, lower(gpube__table_int(t, k), less, cut))) {
			gpube__values_clear(ctx, &v);
			return GPUBE_ENOMEM;
		}
	gpube__free(ctx, t->values);
	t->values = v.values;
	t->type = v.type;
	if (t->sparse)
		t->dflt.i = lower(t->dflt.i, less, cut);
	return GPUBE_OK;
}
