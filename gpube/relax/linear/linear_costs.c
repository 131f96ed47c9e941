/*
 * linear_costs.c - what a model's functions are in the program: costs of values, pairs of values
 * that exclude each other, boxes of forbidden cells, and columns for cells: see
 * linear_relaxation.h.
 */
#include "gpube/relax/linear/linear_parts.h"

#include <stdlib.h>
#include <string.h>

#include "gpube/ir/dense.h"
#include "gpube/relax/scaling.h"

/* Scaled costs are at most 2^38, and costs of values and prices at most 2^42. */
#define MOST_LEFT ((int64_t)1 << 38)
/* Work for a cell that is looked at. */
enum { CELL_TICKS = 5 };
/* Where functions are to be sums, one of so many may be none. */
enum { MOSTLY = 20 };
/* Values; cells of a function, and of all. */
enum { MOST_VALUES = 1 << 13, MOST_CELLS = 1 << 16, MOST_ALL_CELLS = 1 << 22 };

/* ---- a function ------------------------------------------------------------------------------ */

/* Its cells, the last variable of its sorted scope fastest. */
struct cells {
	int arity;
	int32_t *scope, *domain;
	int32_t *at; /* of its variables' values in 'sum' */
	int64_t n;
	int64_t *cost;  /* scaled; INT64_MAX: forbidden */
	int32_t *index; /* of a cell's values */
	int64_t *sum;   /* what each value costs, where the function is a sum of that */
	bool *known;
	int32_t *open; /* allowed cells with values that are not known */
};

static void decode(const struct cells *c, int64_t cell)
{
	for (int k = c->arity - 1; k >= 0; k--) {
		c->index[k] = (int32_t)(cell % c->domain[k]);
		cell /= c->domain[k];
	}
}

/*
 * Of a cell's values that are not known the last one is what is left of the cell's cost, where it
 * is the only one, or the others are free and become 0. How many were not known.
 */
static int learn(struct cells *c, int64_t cell, bool free)
{
	int64_t rest = c->cost[cell];
	int unknown = 0;
	int32_t last = -1;

	decode(c, cell);
	for (int k = 0; k < c->arity; k++) {
		const int32_t v = c->at[k] + c->index[k];

		if (c->known[v]) {
			rest -= c->sum[v];
			continue;
		}
		unknown++;
		if (free && last >= 0) {
			c->known[last] = true;
			c->sum[last] = 0;
		}
		last = v;
	}
	if (unknown == 1 || (unknown && free)) {
		c->known[last] = true;
		c->sum[last] = rest;
	}
	return unknown;
}

/* Whether each allowed cell costs what its values do in sum, which is found out. */
static bool is_sum(struct gpube_ctx *ctx, struct cells *c)
{
	int64_t n = 0;

	memset(c->known, 0, (size_t)c->at[c->arity] * sizeof(*c->known));
	for (int64_t i = 0; i < c->n; i++)
		if (c->cost[i] != INT64_MAX)
			c->open[n++] = (int32_t)i;
	/* cells leave the list once all their values are known */
	while (n) {
		const int64_t before = n;
		bool learnt = false;

		gpube__work(ctx, CELL_TICKS * n);
		n = 0;
		for (int64_t k = 0; k < before; k++) {
			const int unknown = learn(c, c->open[k], false);

			learnt |= unknown == 1;
			if (unknown > 1)
				c->open[n++] = c->open[k];
		}
		if (n && !learnt)
			(void)learn(c, c->open[0], true);
	}
	for (int64_t i = 0; i < c->n; i++)
		if (c->cost[i] != INT64_MAX) {
			int64_t rest = c->cost[i];

			decode(c, i);
			for (int k = 0; k < c->arity; k++)
				rest -= c->sum[c->at[k] + c->index[k]];
			if (rest)
				return false;
		}
	for (int32_t v = 0; v < c->at[c->arity]; v++)
		if (c->known[v] && llabs(c->sum[v]) > GPUBE__LINEAR_MOST)
			return false;
	return true;
}

/* ---- what is forbidden ----------------------------------------------------------------------- */

static void exclude(struct gpube__linear_made *w, int32_t x, int32_t y)
{
	gpube__bit_put(w->exclude + (int64_t)x * w->p->of.words, y);
	gpube__bit_put(w->exclude + (int64_t)y * w->p->of.words, x);
}

static bool excluded(const struct gpube__linear_made *w, int32_t x, int32_t y)
{
	return gpube__bit(w->exclude + (int64_t)x * w->p->of.words, y);
}

/* Pairs of values that have no allowed cell; values that have none are not allowed. */
static int exclude_pairs(struct gpube__linear_made *w, const struct cells *c)
{
	struct gpube_ctx *ctx = w->p->of.ctx;
	const int32_t *at = w->p->of.at;
	uint64_t n = 0;
	bool *any;

	for (int a = 0; a < c->arity; a++)
		for (int b = a; b < c->arity; b++)
			n += (uint64_t)c->domain[a] * (uint64_t)(b == a ? 1 : c->domain[b]);
	any = gpube__alloc_zero(ctx, n, sizeof(*any));
	if (!any)
		return GPUBE_ENOMEM;
	for (int64_t i = 0; i < c->n; i++) {
		bool *of = any;

		if (c->cost[i] == INT64_MAX)
			continue;
		decode(c, i);
		for (int a = 0; a < c->arity; of += c->domain[a++]) {
			of[c->index[a]] = true;
			for (int b = 0; b < a; of += c->domain[a] * c->domain[b++])
				of[c->domain[a] + c->index[a] * c->domain[b] + c->index[b]] = true;
		}
	}
	gpube__work(ctx, CELL_TICKS * c->n * c->arity);
	for (int a = 0, k = 0; a < c->arity; a++) {
		for (int32_t x = 0; x < c->domain[a]; x++, k++)
			if (!any[k])
				gpube__bit_drop(w->p->of.allowed, at[c->scope[a]] + x);
		for (int b = 0; b < a; b++)
			for (int32_t x = 0; x < c->domain[a]; x++)
				for (int32_t y = 0; y < c->domain[b]; y++, k++)
					if (!any[k])
						exclude(w, at[c->scope[a]] + x,
							at[c->scope[b]] + y);
	}
	gpube__free(ctx, any);
	return GPUBE_OK;
}

/* Whether a cell is forbidden by more than two of its values together. */
static bool is_open_box(const struct gpube__linear_made *w, const struct cells *c, int64_t cell)
{
	if (c->cost[cell] != INT64_MAX)
		return false;
	decode(c, cell);
	for (int a = 0; a < c->arity; a++)
		for (int b = a + 1; b < c->arity; b++)
			if (excluded(w, w->p->of.at[c->scope[a]] + c->index[a],
				    w->p->of.at[c->scope[b]] + c->index[b]))
				return false;
	return true;
}

/* Values of each variable, of which all cells are forbidden. */
struct box {
	int32_t *side;     /* of variable k from at[k] on, */
	int32_t *n;        /* so many */
	int32_t *position; /* of a cell, in each side */
	bool *covered;     /* of the function's cells: those that a box has */
};

static int64_t cell_of(const struct cells *c, const struct box *box)
{
	int64_t cell = 0;

	for (int k = 0; k < c->arity; k++)
		cell = cell * c->domain[k] + box->side[c->at[k] + box->position[k]];
	return cell;
}

/* False after the last cell of a box. */
static bool next_in_box(const struct cells *c, const struct box *box, int64_t *cell)
{
	int k = c->arity - 1;

	while (k >= 0 && box->position[k] + 1 == box->n[k])
		box->position[k--] = 0;
	if (k < 0)
		return false;
	box->position[k]++;
	*cell = cell_of(c, box);
	return true;
}

/* Whether all cells of a box are forbidden; they are covered where that is wanted. */
static bool is_forbidden(const struct cells *c, const struct box *box, bool *covered)
{
	int64_t cell;

	memset(box->position, 0, (size_t)c->arity * sizeof(*box->position));
	cell = cell_of(c, box);
	do {
		if (c->cost[cell] != INT64_MAX)
			return false;
		if (covered)
			covered[cell] = true;
	} while (next_in_box(c, box, &cell));
	return true;
}

/* The box of a forbidden cell, which takes each value that only forbidden cells are added by. */
static int add_box(
	struct gpube__linear_made *w, const struct cells *c, int64_t cell, const struct box *box)
{
	int64_t n = 1;
	int status;

	decode(c, cell);
	for (int k = 0; k < c->arity; k++) {
		box->side[c->at[k]] = c->index[k];
		box->n[k] = 1;
	}
	for (int k = c->arity - 1; k >= 0; k--) {
		const int32_t own = box->side[c->at[k]];
		int32_t taken = 1;

		/* the side is the value alone while that is tried: cells of the others are known */
		box->n[k] = 1;
		for (int32_t a = 0; a < c->domain[k]; a++) {
			box->side[c->at[k]] = a;
			if (a != own && is_forbidden(c, box, NULL))
				box->side[c->at[k] + taken++] = a;
			gpube__work(w->p->of.ctx, CELL_TICKS * n);
		}
		box->side[c->at[k]] = own;
		box->n[k] = taken;
		n *= taken;
	}
	(void)is_forbidden(c, box, box->covered);
	status = gpube__linear_row(w, c->arity - 1);
	for (int k = 0; k < c->arity && !status; k++)
		for (int32_t a = 0; a < box->n[k] && !status; a++)
			status = gpube__linear_entry(
				w, w->p->of.at[c->scope[k]] + box->side[c->at[k] + a]);
	return status;
}

static int add_boxes(struct gpube__linear_made *w, const struct cells *c)
{
	struct gpube__arrays memory = {.ctx = w->p->of.ctx};
	const struct box box = {
		.side = gpube__array(&memory, (uint64_t)c->at[c->arity] + 1, sizeof(*box.side)),
		.n = gpube__array(&memory, (uint64_t)c->arity, sizeof(*box.n)),
		.position = gpube__array(&memory, (uint64_t)c->arity, sizeof(*box.position)),
		.covered = gpube__array(&memory, (uint64_t)c->n, sizeof(*box.covered))};
	int status = memory.failed ? GPUBE_ENOMEM : GPUBE_OK;

	for (int64_t i = 0; i < c->n && !status && !w->large; i++)
		if (!box.covered[i] && is_open_box(w, c, i))
			status = add_box(w, c, i, &box);
	gpube__arrays_clear(&memory);
	return status;
}

/* ---- the rest: columns ----------------------------------------------------------------------- */

static int add_columns(struct gpube__linear_made *w, const struct cells *c)
{
	struct gpube_linear_program *p = w->p;
	struct gpube_ctx *ctx = p->of.ctx;
	struct gpube_linear_function *f = &p->functions[p->n_functions];
	int64_t n = 0;
	int status;

	for (int64_t i = 0; i < c->n; i++)
		n += c->cost[i] != INT64_MAX;
	if ((w->sums && (int64_t)MOSTLY * (p->n_functions + 1) > w->m->n_functions) ||
		p->n_columns + n > GPUBE__LINEAR_COLUMNS) {
		w->large = true;
		return GPUBE_OK;
	}
	status = gpube__grow(
		ctx, &p->scopes, &w->scope_room, w->n_scopes + c->arity, sizeof(*p->scopes));
	if (!status)
		status = gpube__grow(ctx, &p->cells, &w->cell_room, w->n_cells + n * c->arity,
			sizeof(*p->cells));
	if (!status)
		status = gpube__grow(
			ctx, &p->cost, &w->cost_room, p->n_columns + n, sizeof(*p->cost));
	if (status)
		return status;
	*f = (struct gpube_linear_function){.arity = c->arity,
		.scope_at = w->n_scopes,
		.cell_at = w->n_cells,
		.column = p->n_columns,
		.n = (int32_t)n,
		.row = p->n_agree};
	for (int k = 0; k < c->arity; k++)
		p->scopes[w->n_scopes++] = c->scope[k];
	for (int64_t i = 0; i < c->n; i++) {
		if (c->cost[i] == INT64_MAX)
			continue;
		decode(c, i);
		for (int k = 0; k < c->arity; k++)
			p->cells[w->n_cells++] = p->of.at[c->scope[k]] + c->index[k];
		p->cost[p->n_columns++] = c->cost[i];
	}
	p->n_agree += c->at[c->arity];
	p->n_functions++;
	return GPUBE_OK;
}

/* ---- the model ------------------------------------------------------------------------------- */

/* Costs so large that sums could pass 2^60 are left to other methods. */
static void add_cost(struct gpube__linear_made *w, int32_t value, int64_t cost)
{
	int64_t *to = &w->p->cost[value];

	*to += cost;
	w->large |= llabs(*to) > GPUBE__LINEAR_MOST << 16;
}

static int take_cells(struct gpube__linear_made *w, struct cells *c)
{
	const int status = exclude_pairs(w, c);

	if (status)
		return status;
	if (!is_sum(w->p->of.ctx, c))
		return add_columns(w, c);
	for (int k = 0; k < c->arity; k++)
		for (int32_t a = 0; a < c->domain[k]; a++)
			if (c->known[c->at[k] + a])
				add_cost(w, w->p->of.at[c->scope[k]] + a, c->sum[c->at[k] + a]);
	return c->arity > 2 ? add_boxes(w, c) : GPUBE_OK;
}

/* A cost of the program; INT64_MAX: it is forbidden. */
static int64_t scaled(const struct gpube__linear_made *w, int64_t cost)
{
	const int shift = w->p->of.shift;

	if (cost >= w->left)
		return INT64_MAX;
	return shift >= 0 ? cost << shift : cost >> -shift;
}

/* A function of several variables. */
static int take_function(struct gpube__linear_made *w, int32_t f)
{
	const struct gpube_model *m = w->m;
	struct gpube_ctx *ctx = m->ctx;
	const int arity = m->functions[f].arity;
	struct cells c = {.arity = arity, .n = gpube__cells(m, arity, gpube__scope(m, f))};
	struct gpube__arrays memory = {.ctx = ctx};
	int status = gpube__dense_new(&c.cost, m, f, NULL);
	int32_t n = 0;

	c.scope = gpube__array(&memory, (uint64_t)arity, sizeof(*c.scope));
	c.domain = gpube__array(&memory, (uint64_t)arity, sizeof(*c.domain));
	c.index = gpube__array(&memory, (uint64_t)arity, sizeof(*c.index));
	c.at = gpube__array(&memory, (uint64_t)arity + 1, sizeof(*c.at));
	if (!status && !memory.failed) {
		memcpy(c.scope, gpube__scope(m, f), (size_t)arity * sizeof(*c.scope));
		qsort(c.scope, (size_t)arity, sizeof(*c.scope), gpube__compare_int32);
		for (int k = 0; k < arity; k++) {
			c.domain[k] = m->vars[c.scope[k]].domain;
			c.at[k] = n;
			n += c.domain[k];
		}
		c.at[arity] = n;
	}
	c.sum = gpube__array(&memory, (uint64_t)n + 1, sizeof(*c.sum));
	c.known = gpube__array(&memory, (uint64_t)n + 1, sizeof(*c.known));
	c.open = gpube__array(&memory, (uint64_t)c.n, sizeof(*c.open));
	status = status ? status : memory.failed ? GPUBE_ENOMEM : GPUBE_OK;
	for (int64_t i = 0; i < c.n && !status; i++)
		c.cost[i] = scaled(w, c.cost[i]);
	if (!status)
		status = take_cells(w, &c);
	gpube__free(ctx, c.cost);
	gpube__arrays_clear(&memory);
	return status;
}

static int take_unary(struct gpube__linear_made *w, int32_t f)
{
	struct gpube_linear_program *p = w->p;
	const int32_t x = gpube__scope(w->m, f)[0], at = p->of.at[x];
	int64_t *costs;
	int status = gpube__dense_new(&costs, w->m, f, NULL);

	for (int32_t a = 0; a < w->m->vars[x].domain && !status; a++)
		if (scaled(w, costs[a]) == INT64_MAX)
			gpube__bit_drop(p->of.allowed, at + a);
		else
			add_cost(w, at + a, scaled(w, costs[a]));
	gpube__free(p->of.ctx, costs);
	return status;
}

static bool suits(const struct gpube_model *m)
{
	int64_t values = 0, cells = 0;

	for (int32_t i = 0; i < m->n_vars; i++)
		values += m->vars[i].domain;
	for (int32_t f = 0; f < m->n_functions; f++) {
		const int64_t n = gpube_model_cells(m, f);

		if (n < 0 || n > MOST_CELLS)
			return false;
		cells += n;
	}
	return m->n_vars > 0 && values <= MOST_VALUES && cells <= MOST_ALL_CELLS;
}

static int take_model(struct gpube__linear_made *w, int64_t cutoff)
{
	struct gpube_linear_program *p = w->p;
	const struct gpube_model *m = w->m;
	int status = GPUBE_OK;

	w->left = gpube__costs_left(m, cutoff);
	p->of.shift = gpube__scale_shift(m, w->left, MOST_LEFT, GPUBE__MOST_SHIFT);
	p->of.target = gpube__scale_target(p->of.shift, w->left);
	p->unit = 1e6 / (double)(p->of.target > 0 ? p->of.target : 1);
	gpube__bits_fill(p->of.allowed, p->of.n_values);
	for (int32_t f = 0; f < m->n_functions && !status && !w->large; f++)
		if (gpube__stopped(m->ctx))
			status = gpube__fail_stopped(m->ctx);
		else if (m->functions[f].arity)
			status =
				m->functions[f].arity == 1 ? take_unary(w, f) : take_function(w, f);
	return status || w->large ? status : gpube__linear_cliques(w);
}

void gpube__linear_free(struct gpube_relaxed *of)
{
	struct gpube_linear_program *p = (struct gpube_linear_program *)of;

	if (p)
		GPUBE_FREE_ALL(of->ctx, of->at, of->allowed, p->cost, p->row_at, p->entries,
			p->limits, p->functions, p->scopes, p->cells, p->owner, p);
}

static int make_linear(
	struct gpube_relaxed **out, const struct gpube_model *m, int64_t cutoff, bool sums)
{
	struct gpube_linear_program *p;
	struct gpube__linear_made w = {.m = m, .sums = sums};
	uint64_t n;
	int status;

	*out = NULL;
	if (!suits(m) || !gpube__clp_there(m->ctx))
		return GPUBE_OK;
	w.p = p = gpube__alloc_zero(m->ctx, 1, sizeof(*p));
	if (!p)
		return GPUBE_ENOMEM;
	p->of.ctx = m->ctx;
	p->of.n = m->n_vars;
	p->of.at = gpube__alloc_zero(m->ctx, (uint64_t)m->n_vars + 1, sizeof(*p->of.at));
	for (int32_t i = 0; p->of.at && i < m->n_vars; i++)
		p->of.at[i + 1] = p->of.at[i] + m->vars[i].domain;
	p->of.n_values = p->n_columns = p->of.at ? p->of.at[m->n_vars] : 0;
	p->of.words = p->of.n_values / 64 + 1;
	n = (uint64_t)p->of.n_values + 1;
	w.cost_room = (int64_t)n;
	p->cost = gpube__alloc_zero(m->ctx, n, sizeof(*p->cost));
	p->owner = gpube__alloc_zero(m->ctx, n, sizeof(*p->owner));
	p->of.allowed = gpube__alloc_zero(m->ctx, (uint64_t)p->of.words, sizeof(uint64_t));
	p->functions =
		gpube__alloc_zero(m->ctx, (uint64_t)m->n_functions + 1, sizeof(*p->functions));
	w.exclude = gpube__alloc_zero(m->ctx, n * (uint64_t)p->of.words, sizeof(*w.exclude));
	status = p->of.at && p->cost && p->owner && p->of.allowed && p->functions && w.exclude
			 ? GPUBE_OK
			 : GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars && !status; i++)
		for (int32_t x = p->of.at[i]; x < p->of.at[i + 1]; x++)
			p->owner[x] = i;
	if (!status)
		status = take_model(&w, cutoff);
	gpube__free(m->ctx, w.exclude);
	if (status || w.large)
		gpube__linear_free(&p->of);
	else
		*out = &p->of;
	return status;
}

int gpube__linear_make(struct gpube_relaxed **out, const struct gpube_model *m, int64_t cutoff)
{
	return make_linear(out, m, cutoff, false);
}

int gpube__linear_make_sums(struct gpube_relaxed **out, const struct gpube_model *m, int64_t cutoff)
{
	return make_linear(out, m, cutoff, true);
}
