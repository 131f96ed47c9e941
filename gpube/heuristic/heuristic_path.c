/*
 * heuristic_path.c - what is read off the tables of bounds of partial assignments. See heuristic.h.
 */
#include <string.h>

#include "gpube/heuristic/heuristic.h"

struct gpube_path {
	const struct gpube_heuristic *h;
	int32_t depth;
	int32_t *live;   /* by position: the live value, where assigned */
	int32_t *values; /* by variable of the model, -1: not assigned */
	int64_t *sum;    /* by depth */
	int64_t *row;    /* by position, h->live[p] each, from row_at[p] on: sums with each value */
	int64_t *row_at;
	uint8_t *known; /* by position: whether the row is that of the path */
};

/* ---- sums ---------------------------------------------------------------------------- */

#define MOST ((int64_t)1 << 62)

static inline int64_t plus(int64_t sum, int64_t v)
{
	return sum + v < MOST ? sum + v : MOST;
}

/* The same of a heuristic that is far, where nothing is negative. */
static inline int64_t plus_far(int64_t sum, int64_t v)
{
	return sum < GPUBE_INF - v ? sum + v : GPUBE_INF;
}

/* The cell of a table at live values by position, its first variable left out. */
static int64_t run_of(
	const struct gpube_heuristic *h, const struct gpube_htable *t, const int32_t *live)
{
	const int32_t *scope = h->scopes + t->scope_at;
	const int64_t *strides = h->strides + t->scope_at;
	int64_t cell = 0;

	for (int32_t k = 1; k < t->n_scope; k++)
		cell += strides[k] * live[scope[k]];
	return cell;
}

static inline int64_t cell_at(const struct gpube_htable *t, int64_t cell)
{
	int32_t v;

	if (t->wide)
		return ((const int64_t *)t->values)[cell];
	v = ((const int32_t *)t->values)[cell];
	return v == INT32_MAX ? GPUBE__H_DEAD : v;
}

static int64_t value_of(
	const struct gpube_heuristic *h, const struct gpube_htable *t, const int32_t *live)
{
	return cell_at(t, run_of(h, t, live) + (t->to < h->n ? live[t->to] : 0));
}

int64_t gpube__heuristic_total(const struct gpube_heuristic *h, int64_t sum)
{
	int64_t total;

	if (sum >= h->limit)
		return GPUBE_INF;
	total = h->constant + ((sum + ((int64_t)1 << h->info.shift) - 1) >> h->info.shift);
	return h->info.maximise ? -total : total;
}

static int32_t live_value(const struct gpube_heuristic *h, int32_t position, int32_t value)
{
	if (value < 0 || value >= h->domain[position])
		return -1;
	return h->value[h->value_at[position] + value];
}

/* Nothing is better in the model's direction, and nothing is said to be forbidden. */
static int64_t no_bound(const struct gpube_heuristic *h)
{
	return h && h->info.maximise ? GPUBE_INF - 1 : -GPUBE_INF;
}

int64_t gpube_heuristic_bound(const struct gpube_heuristic *h, const int32_t *values, int32_t depth)
{
	int32_t first;
	int64_t sum = 0;

	if (!h || (!values && depth) || depth < 0 || depth > h->n)
		return no_bound(h);
	first = h->n - depth;
	for (int32_t p = first; p < h->n; p++)
		if (live_value(h, p, values[h->order[p]]) < 0)
			return GPUBE_INF;
	for (int32_t k = 0; k < h->n_tables; k++) {
		const struct gpube_htable *t = &h->tables[k];
		const int32_t *scope = h->scopes + t->scope_at;
		int64_t cell = 0;

		if (t->from >= first || t->to < first)
			continue;
		for (int32_t i = 0; i < t->n_scope; i++)
			cell += h->strides[t->scope_at + i] *
				live_value(h, scope[i], values[h->order[scope[i]]]);
		sum = h->far ? plus_far(sum, cell_at(t, cell)) : plus(sum, cell_at(t, cell));
	}
	return gpube__heuristic_total(h, sum);
}

/* ---- what it is made of -------------------------------------------------------------- */

const struct gpube_heuristic_info *gpube_heuristic_info(const struct gpube_heuristic *h)
{
	return h ? &h->info : NULL;
}

void gpube_heuristic_table(
	struct gpube_heuristic_table *out, const struct gpube_heuristic *h, int32_t table)
{
	const struct gpube_htable *t;

	if (!out)
		return;
	*out = (struct gpube_heuristic_table){.from = -1, .to = -1};
	if (!h || table < 0 || table >= h->n_tables)
		return;
	t = &h->tables[table];
	*out = (struct gpube_heuristic_table){
		.from = t->from < 0 ? -1 : h->order[t->from],
		.to = t->to == h->n ? -1 : h->order[t->to],
		.arity = t->n_scope,
		.scope = h->vars + t->scope_at,
		.cells = 1,
	};
	for (int32_t k = 0; k < t->n_scope; k++)
		out->cells *= h->domain[h->scopes[t->scope_at + k]];
}

/* Stride of a variable in a table; the scope is short. */
static int64_t stride_of(
	const struct gpube_heuristic *h, const struct gpube_htable *t, int32_t position)
{
	int32_t k = 0;

	while (h->scopes[t->scope_at + k] != position)
		k++;
	return h->strides[t->scope_at + k];
}

void gpube_heuristic_cells(int64_t *out, const struct gpube_heuristic *h, int32_t table)
{
	const struct gpube_htable *t;
	const int32_t *vars;
	struct gpube_heuristic_table info;

	if (!out || !h || table < 0 || table >= h->n_tables)
		return;
	t = &h->tables[table];
	vars = h->vars + t->scope_at;
	gpube_heuristic_table(&info, h, table);
	for (int64_t c = 0; c < info.cells; c++) {
		int64_t rest = c, cell = 0, v;
		bool gone = false;

		for (int32_t k = t->n_scope - 1; k >= 0; k--) {
			int32_t p = h->position[vars[k]];
			int32_t live = live_value(h, p, (int32_t)(rest % h->domain[p]));

			gone |= live < 0;
			cell += stride_of(h, t, p) * live;
			rest /= h->domain[p];
		}
		v = gone ? GPUBE_INF : cell_at(t, cell);
		out[c] = !h->far && v == GPUBE__H_DEAD ? GPUBE_INF : v;
	}
}

/* ---- paths --------------------------------------------------------------------------- */

void gpube_path_free(struct gpube_path *p)
{
	struct gpube_ctx *ctx;

	if (!p)
		return;
	ctx = p->h->ctx;
	GPUBE_FREE_ALL(ctx, p->live, p->values, p->sum, p->row, p->row_at, p->known, p);
}

int gpube_path_new(struct gpube_path **out, const struct gpube_heuristic *h)
{
	struct gpube_ctx *ctx;
	struct gpube_path *p;
	uint64_t n;
	int64_t at = 0;

	if (out)
		*out = NULL;
	if (!out || !h)
		return gpube__missing(h ? h->ctx : NULL);
	ctx = h->ctx;
	n = (uint64_t)h->n;
	p = gpube__alloc_zero(ctx, 1, sizeof(*p));
	if (!p)
		return GPUBE_ENOMEM;
	p->h = h;
	p->live = gpube__alloc(ctx, n, sizeof(*p->live));
	p->values = gpube__alloc(ctx, n, sizeof(*p->values));
	p->sum = gpube__alloc(ctx, n + 1, sizeof(*p->sum));
	p->row = gpube__alloc(ctx, (uint64_t)h->n_live, sizeof(*p->row));
	p->row_at = gpube__alloc(ctx, n, sizeof(*p->row_at));
	p->known = gpube__alloc_zero(ctx, n, sizeof(*p->known));
	if (!p->live || !p->values || !p->sum || !p->row || !p->row_at || !p->known) {
		gpube_path_free(p);
		return GPUBE_ENOMEM;
	}
	for (int32_t k = 0; k < h->n; k++) {
		p->values[k] = -1;
		p->row_at[k] = at;
		at += h->live[k];
	}
	p->sum[0] = h->root;
	*out = p;
	return GPUBE_OK;
}

int32_t gpube_path_next(const struct gpube_path *p)
{
	return !p || p->depth == p->h->n ? -1 : p->h->order[p->h->n - 1 - p->depth];
}

int64_t gpube_path_bound(const struct gpube_path *p)
{
	return p ? gpube__heuristic_total(p->h, p->sum[p->depth]) : no_bound(NULL);
}

const int32_t *gpube_path_values(const struct gpube_path *p)
{
	return p ? p->values : NULL;
}

static void add_run(int64_t *row, int32_t n, const struct gpube_htable *t, int64_t cell, bool far)
{
	if (far) {
		const int64_t *v = (const int64_t *)t->values + cell;

		for (int32_t x = 0; x < n; x++)
			row[x] = plus_far(row[x], v[x]);
	} else if (t->wide) {
		const int64_t *v = (const int64_t *)t->values + cell;

		for (int32_t x = 0; x < n; x++)
			row[x] = plus(row[x], v[x]);
	} else {
		const int32_t *v = (const int32_t *)t->values + cell;

		for (int32_t x = 0; x < n; x++)
			row[x] = plus(row[x], v[x] == INT32_MAX ? GPUBE__H_DEAD : v[x]);
	}
}

/* The sums with each live value of the next variable. */
static const int64_t *next_row(struct gpube_path *path)
{
	const struct gpube_heuristic *h = path->h;
	int32_t p = h->n - 1 - path->depth, n = h->live[p];
	int64_t *row = path->row + path->row_at[p], base = path->sum[path->depth];
	bool dead = base >= h->limit;

	if (path->known[p])
		return row;
	path->known[p] = 1;
	/* a sum below the limit has no dead cell in it; one from it on stays there */
	for (int32_t k = h->out_first[p]; k < h->out_first[p + 1] && !dead; k++)
		base -= value_of(h, &h->tables[h->out[k]], path->live);
	for (int32_t x = 0; x < n; x++)
		row[x] = base;
	for (int32_t k = h->in_first[p]; k < h->in_first[p + 1] && !dead; k++) {
		const struct gpube_htable *t = &h->tables[h->in[k]];

		add_run(row, n, t, run_of(h, t, path->live), h->far);
	}
	return row;
}

void gpube_path_bounds(struct gpube_path *path, int64_t *bounds)
{
	const struct gpube_heuristic *h;
	const int64_t *row;
	int32_t p;

	if (gpube_path_next(path) < 0 || !bounds)
		return;
	h = path->h;
	p = h->n - 1 - path->depth;
	row = next_row(path);
	for (int32_t a = 0; a < h->domain[p]; a++) {
		int32_t x = h->value[h->value_at[p] + a];

		bounds[a] = x < 0 ? GPUBE_INF : gpube__heuristic_total(h, row[x]);
	}
}

int64_t gpube_path_push(struct gpube_path *path, int32_t value)
{
	const struct gpube_heuristic *h;
	int32_t p, x;
	int64_t sum;

	if (gpube_path_next(path) < 0)
		return gpube_path_bound(path);
	h = path->h;
	p = h->n - 1 - path->depth;
	x = live_value(h, p, value);
	sum = x < 0 ? GPUBE_INF : next_row(path)[x];
	path->live[p] = x < 0 ? 0 : x;
	path->values[h->order[p]] = value;
	path->sum[++path->depth] = sum;
	if (p > 0)
		path->known[p - 1] = 0;
	return gpube__heuristic_total(h, sum);
}

void gpube_path_pop(struct gpube_path *path)
{
	int32_t p;

	if (!path || path->depth == 0)
		return;
	p = path->h->n - path->depth;
	path->depth--;
	path->values[path->h->order[p]] = -1;
}
