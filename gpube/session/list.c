/*
 * list.c - gpube_list(), but for assignments that are far from each other (list_diverse.h). Depth
 * first, the best bound first, so that good assignments come early; the worst of those kept, once
 * there are enough, is what others have to beat. One more than asked for is kept: whether there are
 * more is then known, whatever the bounds are. Best-first search was weighed: it would meet
 * assignments in their order, but keeps every open node, and the list is to be kept anyway.
 */
#include <stdlib.h>
#include <string.h>

#include "gpube/ir/given.h"
#include "gpube/options/options.h"
#include "gpube/partial.h"
#include "gpube/session/list_diverse.h"

/* A cost to be minimised, and the row of its values. */
struct kept {
	int64_t cost, row;
	const int32_t *values; /* for the last sort */
	int64_t n_vars;
};

struct search {
	struct gpube_ctx *ctx;
	const struct gpube_model *m;
	struct gpube_path *path;
	int64_t n_vars, most;
	int64_t limit; /* minimised: what is above is not wanted */
	bool maximise;
	int scale; /* of costs */

	/*
	 * The children of the node at each depth, its best first: value, and bound to be minimised.
	 */
	int32_t *value;
	int64_t *bound, *first, *bounds;
	int32_t *n_children, *next;

	struct kept *kept; /* a heap, the worst in front */
	int64_t n, kept_capacity, rows_capacity;
	int32_t *rows;
};

static bool is_worse(const void *a, const void *b)
{
	return ((const struct kept *)a)->cost > ((const struct kept *)b)->cost;
}

static int64_t minimised(const struct search *s, int64_t bound)
{
	return bound == GPUBE_INF ? GPUBE_INF : s->maximise ? -bound : bound;
}

static bool wanted(const struct search *s, int64_t cost)
{
	return cost != GPUBE_INF && cost <= s->limit && (s->n < s->most || cost < s->kept[0].cost);
}

/* The children that lead to something wanted. */
static void expand(struct search *s, int64_t depth)
{
	const int32_t var = gpube_path_next(s->path), domain = gpube_model_domain(s->m, var);
	int32_t *value = s->value + s->first[depth];
	int64_t *bound = s->bound + s->first[depth];
	int32_t n = 0;

	gpube_path_bounds(s->path, s->bounds);
	for (int32_t a = 0; a < domain; a++) {
		const int64_t cost = minimised(s, s->bounds[a]);
		int32_t k = n;

		if (!wanted(s, cost))
			continue;
		for (; k > 0 && cost < bound[k - 1]; k--) {
			bound[k] = bound[k - 1];
			value[k] = value[k - 1];
		}
		bound[k] = cost;
		value[k] = a;
		n++;
	}
	s->n_children[depth] = n;
	s->next[depth] = 0;
}

/* Room for one more: what is kept counts against the memory. */
static int grow(struct search *s)
{
	const double bytes =
		(double)(s->n + 1) * (double)(s->n_vars * 4 + (int64_t)sizeof(struct kept));

	if (bytes > (double)s->ctx->memory_bytes)
		return gpube__fail(s->ctx, GPUBE_ELIMIT,
			"more than %lld assignments do not fit the memory", (long long)s->n);
	if (gpube__grow(s->ctx, &s->kept, &s->kept_capacity, s->n + 1, sizeof(*s->kept)) ||
		gpube__grow(s->ctx, &s->rows, &s->rows_capacity, (s->n + 1) * s->n_vars + 1,
			sizeof(*s->rows)))
		return GPUBE_ENOMEM;
	return GPUBE_OK;
}

/* The assignment of the path, priced again from the given model's tables. */
static int keep(struct search *s)
{
	const int32_t *values = gpube_path_values(s->path);
	const int64_t cost = minimised(s, gpube_path_bound(s->path));
	int64_t row = s->n;
	int status;

	if (!wanted(s, cost))
		return GPUBE_OK;
	status = gpube__check_cost(s->m, values, gpube_path_bound(s->path), s->scale);
	if (!status && s->n == s->most) {
		row = s->kept[0].row;
		gpube__heap_take(s->kept, s->n--, 0, sizeof(*s->kept), is_worse);
	} else if (!status) {
		status = grow(s);
	}
	if (status)
		return status;
	memcpy(s->rows + row * s->n_vars, values, (size_t)s->n_vars * sizeof(*values));
	s->kept[s->n++] = (struct kept){.cost = cost, .row = row};
	gpube__heap_push(s->kept, s->n, sizeof(*s->kept), is_worse);
	return GPUBE_OK;
}

static int descend(struct search *s)
{
	int64_t depth = 0, nodes = 0;
	int status = GPUBE_OK;

	if (s->n_vars)
		expand(s, 0);
	for (;;) {
		if (!s->n_vars)
			return keep(s);
		if ((++nodes & 1023) == 0 && gpube__stopped(s->ctx))
			return gpube__fail_stopped(s->ctx);
		if ((nodes & 0xfffff) == 0)
			gpube__progress(s->ctx, -1, "search");
		if (s->next[depth] < s->n_children[depth] &&
			wanted(s, s->bound[s->first[depth] + s->next[depth]])) {
			gpube_path_push(s->path, s->value[s->first[depth] + s->next[depth]++]);
			if (depth + 1 < s->n_vars) {
				expand(s, ++depth);
				continue;
			}
			status = keep(s);
			if (status)
				return status;
		} else if (depth-- == 0) {
			return GPUBE_OK;
		}
		gpube_path_pop(s->path);
	}
}

static int compare(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	for (int64_t k = 0; k < x->n_vars; k++)
		if (x->values[k] != y->values[k])
			return x->values[k] < y->values[k] ? -1 : 1;
	return 0;
}

/* The list in its order, without the one that was kept to know whether there are more. */
static int take(struct gpube_list *l, struct search *s)
{
	struct gpube_ctx *ctx = s->ctx;
	const bool more = s->n == s->most;
	const int64_t n = s->n - more;

	for (int64_t k = 0; k < s->n; k++) {
		s->kept[k].n_vars = s->n_vars;
		s->kept[k].values = s->rows + s->kept[k].row * s->n_vars;
	}
	if (s->n) /* there may be nothing, not even an array */
		qsort(s->kept, (size_t)s->n, sizeof(*s->kept), compare);
	l->costs = gpube__alloc(ctx, (uint64_t)n + 1, sizeof(*l->costs));
	l->values = gpube__alloc(ctx, (uint64_t)(n * s->n_vars) + 1, sizeof(*l->values));
	if (!l->costs || !l->values)
		return GPUBE_ENOMEM;
	l->n = n;
	l->more = more;
	for (int64_t k = 0; k < n; k++) {
		l->costs[k] = s->maximise ? -s->kept[k].cost : s->kept[k].cost;
		memcpy(l->values + k * s->n_vars, s->kept[k].values,
			(size_t)s->n_vars * sizeof(*l->values));
	}
	return GPUBE_OK;
}

static int search_init(struct search *s, const struct gpube_heuristic *h)
{
	const int32_t *order = gpube_heuristic_info(h)->order;
	uint64_t n = (uint64_t)s->n_vars + 1;
	int64_t cells = 1;
	int32_t widest = 1;

	s->first = gpube__alloc(s->ctx, n, sizeof(*s->first));
	s->n_children = gpube__alloc(s->ctx, n, sizeof(*s->n_children));
	s->next = gpube__alloc(s->ctx, n, sizeof(*s->next));
	if (!s->first || !s->n_children || !s->next)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < s->n_vars; k++) {
		const int32_t domain = gpube_model_domain(s->m, order[s->n_vars - 1 - k]);

		s->first[k] = cells;
		cells += domain;
		widest = domain > widest ? domain : widest;
	}
	s->value = gpube__alloc(s->ctx, (uint64_t)cells, sizeof(*s->value));
	s->bound = gpube__alloc(s->ctx, (uint64_t)cells, sizeof(*s->bound));
	s->bounds = gpube__alloc(s->ctx, (uint64_t)widest, sizeof(*s->bounds));
	return s->value && s->bound && s->bounds ? gpube_path_new(&s->path, h) : GPUBE_ENOMEM;
}

static void search_clear(struct search *s)
{
	gpube_path_free(s->path);
	GPUBE_FREE_ALL(s->ctx, s->first, s->n_children, s->next, s->value, s->bound, s->bounds,
		s->kept, s->rows);
}

static int list(struct gpube_list *l, const struct gpube_model *m, const struct gpube_opts *o)
{
	struct search s = {.ctx = m->ctx,
		.m = m,
		.n_vars = m->n_vars,
		.most = o->most + 1,
		.limit = GPUBE_INF - 1,
		.maximise = m->kind == GPUBE_COSTS && m->direction == GPUBE_MAXIMISE};
	/* a simplified model keeps one of several assignments that are equally good */
	struct gpube_opts h_opts = {.no_simplify = 1,
		.ibound = o->ibound,
		.precision = o->precision,
		.order_method = o->order_method,
		.order = o->order,
		.order_seconds = o->order_seconds,
		.seed = o->seed,
		.backend = o->backend};
	struct gpube_heuristic *h;
	int status, taken;

	if (o->has_limit) {
		s.limit = s.maximise ? -o->limit : o->limit;
		h_opts.has_cutoff = s.limit < GPUBE_INF - 1;
		h_opts.cutoff = s.maximise ? o->limit - 1 : o->limit + 1;
	}
	status = gpube_heuristic_new(&h, m, &h_opts);
	if (status)
		return status;
	l->n_vars = m->n_vars;
	l->scale = s.scale = gpube_heuristic_info(h)->scale;
	status = search_init(&s, h);
	if (!status)
		status = descend(&s);
	if (!status || status == GPUBE_ESTOP) {
		taken = take(l, &s);
		status = taken ? taken : status;
	}
	search_clear(&s);
	gpube_heuristic_free(h);
	return status;
}

static void clear_list(struct gpube_ctx *ctx, void *result)
{
	struct gpube_list *l = result;

	gpube__free(ctx, l->costs);
	gpube__free(ctx, l->values);
}

int gpube_list(struct gpube_list **out, const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_model view;
	struct gpube_opts o;
	struct gpube_list *l;
	double deadline;
	int status = gpube__call(out, &view, &m, opts);

	if (!status)
		status = gpube__opts_for(&o, m, opts, GPUBE__ON_LIST);
	if (!status && o.has_limit && (o.limit <= -GPUBE_INF || o.limit >= GPUBE_INF))
		status = gpube__fail(m->ctx, GPUBE_EINVAL, "the limit is no total");
	if (status)
		return status;
	l = gpube__result_new(m->ctx, sizeof(*l), clear_list);
	if (!l)
		return GPUBE_ENOMEM;
	deadline = gpube__time_limit(m->ctx, gpube__now(), o.timeout_seconds);
	status = o.distance > 1 ? gpube__list_diverse(l, m, &o) : list(l, m, &o);
	m->ctx->deadline = deadline;
	if (status && !(status == GPUBE_ESTOP && l->values)) {
		gpube_result_free(l);
		return status;
	}
	*out = l;
	return status;
}
