/* be_boxes.c - see be_boxes.h. */
#include "gpube/eliminate/be_boxes.h"
#include "gpube/eliminate/be_layout.h"
#include "gpube/order/split_var.h"

#include <math.h>
#include <string.h>

/* When boxes did not suffice, the factor by which the most ranges of a variable shrink. */
#define FEWER_RANGES 4

void gpube__boxes_split(struct gpube_boxes *b, const struct gpube_be *be, int32_t var, int32_t n)
{
	int at = b->n_splits++;

	for (; at > 0 && be->position[b->splits[at - 1].var] > be->position[var]; at--)
		b->splits[at] = b->splits[at - 1];
	b->splits[at] = (struct gpube_split_var){var, n};
	b->n *= n;
}

static const struct gpube_split_var *split_of(const struct gpube_boxes *b, int32_t var)
{
	for (int c = 0; c < b->n_splits; c++)
		if (b->splits[c].var == var)
			return &b->splits[c];
	return NULL;
}

/* Whether it has one value in every box, and so is in no scope. */
static bool is_fixed(const struct gpube_boxes *b, int32_t var)
{
	const struct gpube_split_var *c = split_of(b, var);

	return c && c->n == b->m->vars[var].domain;
}

/* ---- structure ----------------------------------------------------------------------------- */

void gpube__box_clear(struct gpube_box *box)
{
	struct gpube_ctx *ctx = box->ctx;

	if (!ctx)
		return;
	gpube__be_clear(&box->be);
	for (int32_t f = 0; f < box->m.n_functions && box->owns && box->m.tables; f++)
		if (box->owns[f]) {
			gpube__free(ctx, box->m.tables[f].values);
			gpube__free(ctx, box->m.tables[f].tuples);
		}
	GPUBE_FREE_ALL(ctx, box->m.vars, box->m.functions, box->m.tables, box->m.scopes, box->owns,
		box->first);
	memset(box, 0, sizeof(*box));
}

static void set_scopes(struct gpube_box *box)
{
	const struct gpube_model *m = box->boxes->m;

	for (int32_t f = 0; f < m->n_functions; f++) {
		struct gpube_function *to = &box->m.functions[f];
		const int32_t *scope = gpube__scope(m, f);

		*to = (struct gpube_function){.scope_at = box->m.n_scopes, .table = f};
		for (int k = 0; k < m->functions[f].arity; k++) {
			const struct gpube_split_var *split = split_of(box->boxes, scope[k]);

			box->owns[f] |= split != NULL;
			if (!is_fixed(box->boxes, scope[k])) {
				box->m.scopes[box->m.n_scopes++] = scope[k];
				to->arity++;
			}
		}
		box->m.tables[f] = *gpube__table(m, f);
		box->m.tables[f].n_users = 1;
		if (box->owns[f]) {
			box->m.tables[f].values = NULL;
			box->m.tables[f].tuples = NULL;
		}
	}
}

int gpube__box_init(struct gpube_box *box, const struct gpube_boxes *boxes, struct gpube_ctx *ctx)
{
	const struct gpube_model *m = boxes->m;

	memset(box, 0, sizeof(*box));
	box->boxes = boxes;
	box->ctx = ctx;
	box->m = (struct gpube_model){.ctx = ctx,
		.kind = m->kind,
		.direction = m->direction,
		.scale = m->scale,
		.constant = m->constant,
		.top = m->top,
		.n_vars = m->n_vars,
		.n_functions = m->n_functions,
		.n_tables = m->n_functions};
	box->m.vars = gpube__alloc_zero(ctx, (uint64_t)m->n_vars, sizeof(*box->m.vars));
	box->m.functions = gpube__alloc(ctx, (uint64_t)m->n_functions, sizeof(*box->m.functions));
	box->m.tables = gpube__alloc_zero(ctx, (uint64_t)m->n_functions, sizeof(*box->m.tables));
	box->m.scopes = gpube__alloc(ctx, (uint64_t)m->n_scopes, sizeof(*box->m.scopes));
	box->owns = gpube__alloc_zero(ctx, (uint64_t)m->n_functions, sizeof(*box->owns));
	box->first = gpube__alloc_zero(ctx, (uint64_t)m->n_vars, sizeof(*box->first));
	if (!box->m.vars || !box->m.functions || !box->m.tables || !box->m.scopes || !box->owns ||
		!box->first) {
		gpube__box_clear(box);
		return GPUBE_ENOMEM;
	}
	for (int32_t i = 0; i < m->n_vars; i++)
		box->m.vars[i].domain = m->vars[i].domain;
	for (int c = 0; c < boxes->n_splits; c++) {
		const struct gpube_split_var *split = &boxes->splits[c];

		box->m.vars[split->var].domain =
			(m->vars[split->var].domain + split->n - 1) / split->n;
	}
	set_scopes(box);
	return GPUBE_OK;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Of the whole function's table. */
static int64_t box_cell(const struct gpube_box *box, int32_t f, const int32_t *at)
{
	const struct gpube_model *m = box->boxes->m;
	const int32_t *scope = gpube__scope(m, f);
	int64_t cell = 0;

	for (int k = 0; k < m->functions[f].arity; k++)
		cell = cell * m->vars[scope[k]].domain + at[k];
	return cell;
}

/* at: scratch for a tuple of the whole function. */
static int box_copy_dense(struct gpube_box *box, int32_t f, int32_t *at)
{
	const struct gpube_model *m = box->boxes->m;
	const struct gpube_table *from = gpube__table(m, f);
	struct gpube_table *to = &box->m.tables[f];
	const int32_t *scope = gpube__scope(m, f);
	const size_t size = gpube__type_size(from->type);
	const int arity = m->functions[f].arity;
	int64_t n = 0;
	int k;

	to->n = gpube__cells(&box->m, box->m.functions[f].arity, gpube__scope(&box->m, f));
	to->values = gpube__alloc(box->ctx, (uint64_t)to->n, size);
	if (!to->values)
		return GPUBE_ENOMEM;
	for (k = 0; k < arity; k++)
		at[k] = box->first[scope[k]];
	do {
		memcpy((char *)to->values + (size_t)n++ * size,
			(const char *)from->values + (size_t)box_cell(box, f, at) * size, size);
		for (k = arity - 1; k >= 0; k--) {
			if (++at[k] < box->first[scope[k]] + box->m.vars[scope[k]].domain)
				break;
			at[k] = box->first[scope[k]];
		}
	} while (k >= 0);
	return GPUBE_OK;
}

static int box_copy_sparse(struct gpube_box *box, int32_t f)
{
	const struct gpube_model *m = box->boxes->m;
	const struct gpube_table *from = gpube__table(m, f);
	struct gpube_table *to = &box->m.tables[f];
	const int32_t *scope = gpube__scope(m, f);
	const size_t size = gpube__type_size(from->type);
	const int arity = m->functions[f].arity;

	to->n = 0;
	to->values = gpube__alloc(box->ctx, (uint64_t)from->n, size);
	to->tuples = gpube__alloc(box->ctx, (uint64_t)from->n * (uint64_t)arity, sizeof(int32_t));
	if (!to->values || !to->tuples)
		return GPUBE_ENOMEM;
	for (int64_t i = 0; i < from->n; i++) {
		const int32_t *tuple = from->tuples + i * arity;
		int32_t *out = to->tuples + to->n * to->arity;
		bool inside = true;

		for (int k = 0; k < arity; k++) {
			int32_t value = tuple[k] - box->first[scope[k]];

			inside &= value >= 0 && value < box->m.vars[scope[k]].domain;
			if (!is_fixed(box->boxes, scope[k]))
				*out++ = value;
		}
		if (inside)
			memcpy((char *)to->values + (size_t)to->n++ * size,
				(const char *)from->values + (size_t)i * size, size);
	}
	return GPUBE_OK;
}

static int copy_table(struct gpube_box *box, int32_t f, int32_t *at)
{
	const struct gpube_table *from = gpube__table(box->boxes->m, f);
	struct gpube_table *to = &box->m.tables[f];

	gpube__free(box->ctx, to->values);
	gpube__free(box->ctx, to->tuples);
	to->values = NULL;
	to->tuples = NULL;
	to->arity = box->m.functions[f].arity;
	return from->sparse ? box_copy_sparse(box, f) : box_copy_dense(box, f, at);
}

int gpube__box_set(struct gpube_box *box, int64_t k)
{
	const struct gpube_boxes *b = box->boxes;
	int32_t *at;
	int status = GPUBE_OK, most = 0;

	for (int c = 0; c < b->n_splits; c++) {
		const struct gpube_split_var *split = &b->splits[c];
		const int64_t domain = b->m->vars[split->var].domain, i = k % split->n;
		const int32_t first = (int32_t)(domain * i / split->n);
		const int32_t n = (int32_t)(domain * (i + 1) / split->n) - first;

		k /= split->n;
		box->planned &= box->m.vars[split->var].domain == n;
		box->m.vars[split->var].domain = n;
		box->first[split->var] = first;
	}
	for (int32_t f = 0; f < b->m->n_functions; f++)
		most = b->m->functions[f].arity > most ? b->m->functions[f].arity : most;
	at = gpube__alloc(box->ctx, (uint64_t)most, sizeof(*at));
	if (!at)
		return GPUBE_ENOMEM;
	for (int32_t f = 0; f < b->m->n_functions && !status; f++)
		if (box->owns[f])
			status = copy_table(box, f, at);
	gpube__free(box->ctx, at);
	if (status || box->planned)
		return status;
	gpube__be_clear(&box->be);
	status = gpube__be_init(&box->be, &box->m, b->order);
	box->planned = !status;
	box->n_plans++;
	return status;
}

/* ---- which variables ------------------------------------------------------------------------- */

/* The plan of the largest box, without tables. */
static int plan_largest(struct gpube_box *box, const struct gpube_boxes *b)
{
	int status = gpube__box_init(box, b, b->ctx);

	return status ? status : gpube__be_init(&box->be, &box->m, b->order);
}

/* Errors: ENOMEM, ELIMIT (a message of more than 2^62 cells) */
static int boxes_cost(struct gpube_box_cost *out, const struct gpube_boxes *b, enum gpube_type type)
{
	struct gpube_box box;
	int status = plan_largest(&box, b);

	memset(out, 0, sizeof(*out));
	for (int32_t p = 0; !status && p < box.be.n; p++) {
		const struct gpube_bucket *bucket = &box.be.buckets[p];

		out->joined += bucket->joined;
		out->largest_joined = fmax(out->largest_joined, bucket->joined);
		out->largest_message = fmax(out->largest_message, (double)bucket->cells);
	}
	if (!status)
		gpube__be_memory(&out->memory, &box.be, type);
	gpube__box_clear(&box);
	return status;
}

int gpube__boxes_working(struct gpube_working *w, const struct gpube_boxes *b)
{
	struct gpube_box box;
	int status = plan_largest(&box, b);

	/* costs of the whole, borrowed: no box has others */
	for (int32_t f = 0; f < b->m->n_functions && !status; f++) {
		box.owns[f] = false;
		box.m.tables[f].values = gpube__table(b->m, f)->values;
	}
	if (!status)
		status = gpube__be_working(w, &box.be);
	gpube__box_clear(&box);
	return status;
}

int gpube__boxes_waste(double *bytes, const struct gpube_boxes *b, enum gpube_type type, bool keep)
{
	struct gpube__layout l;
	struct gpube_box box;
	int status = plan_largest(&box, b);

	if (!status)
		status = gpube__be_layout(&l, &box.be, type, keep, true, 0);
	if (!status) {
		*bytes = (double)(l.bytes - l.alive);
		gpube__layout_clear(&l, b->ctx);
	}
	gpube__box_clear(&box);
	return status;
}

double gpube__box_bytes(const struct gpube_box_cost *cost, bool count)
{
	return fmax(fmin(cost->memory.keep, cost->memory.args), count ? cost->memory.count : 0);
}

/* What gpube__boxes_fit() weighs. */
struct fitting {
	struct gpube_boxes *b;
	const struct gpube_be *be;
	const struct gpube_boxes_wanted *wanted;
	int32_t most_ranges; /* of a variable after whose split tables remain too large */
	int32_t candidates[GPUBE__SPLIT_VAR_CANDIDATES];
	int n_candidates;
};

static double seconds_of(const struct fitting *f, double n, const struct gpube_box_cost *cost)
{
	return n * (cost->joined / f->wanted->rate + f->wanted->bucket * f->be->n);
}

/* The cost of boxes with one more split. */
static int try_split(struct gpube_box_cost *cost, const struct fitting *f, int32_t var, int32_t n)
{
	struct gpube_boxes b = *f->b;

	*cost = (struct gpube_box_cost){0};
	gpube__boxes_split(&b, f->be, var, n);
	return boxes_cost(cost, &b, f->wanted->type);
}

/* The variables of the largest messages: they are in most cells of them all. */
static int find_candidates(struct fitting *f)
{
	const struct gpube_be *be = f->be;
	double *cells = gpube__alloc_zero(be->ctx, (uint64_t)be->n, sizeof(*cells));

	if (!cells)
		return GPUBE_ENOMEM;
	for (int32_t p = 0; p < be->n; p++)
		for (int32_t k = 0; k < be->buckets[p].n_scope; k++)
			cells[be->scopes[be->buckets[p].scope_at + k]] +=
				(double)be->buckets[p].cells;
	for (int32_t p = 0; p < be->n; p++)
		if (be->m->vars[be->buckets[p].var].domain < 2)
			cells[p] = 0;
	f->n_candidates = gpube__split_var_candidates(f->candidates, cells, be->n);
	for (int k = 0; k < f->n_candidates; k++)
		f->candidates[k] = be->buckets[f->candidates[k]].var;
	gpube__free(be->ctx, cells);
	return GPUBE_OK;
}

static int32_t most_ranges(const void *arg, int32_t var)
{
	const struct fitting *f = arg;
	const int64_t most = GPUBE__MOST_BOXES / f->b->n;
	int32_t n = f->b->m->vars[var].domain;

	n = most < n ? (int32_t)most : n;
	n = f->most_ranges < n ? f->most_ranges : n;
	return split_of(f->b, var) ? 0 : n;
}

static int cost_of_split(const void *arg, int32_t var, int32_t n, double *seconds, double *bytes)
{
	const struct fitting *f = arg;
	struct gpube_box_cost cost;
	int status = try_split(&cost, f, var, n);

	*seconds = seconds_of(f, (double)f->b->n * n, &cost);
	*bytes = gpube__box_bytes(&cost, f->wanted->count);
	return status;
}

static int boxes_split_one(struct fitting *f, struct gpube_box_cost *cost, bool *fits)
{
	const bool fitted = *fits;
	const struct gpube_split_var_question q = {.ctx = f->b->ctx,
		.candidates = f->candidates,
		.n_candidates = f->n_candidates,
		.limit = f->wanted->limit,
		.most = most_ranges,
		.cost = cost_of_split,
		.arg = f};
	struct gpube_split_var_answer a;
	int status = gpube__split_var_choose(&a, &q);

	if (!status && f->b->n_splits == GPUBE__MOST_SPLITS)
		status = GPUBE_ELIMIT;
	if (status)
		return status;
	*fits = a.fits || fitted;
	gpube__boxes_split(f->b, f->be, a.candidate, a.n);
	return boxes_cost(cost, f->b, f->wanted->type);
}

int gpube__boxes_fit(struct gpube_boxes *b, struct gpube_box_cost *cost, const struct gpube_be *be,
	const struct gpube_boxes_wanted *wanted)
{
	struct fitting f = {.b = b, .be = be, .wanted = wanted};
	bool again = true;
	int status;

	gpube__be_memory(&cost->memory, be, wanted->type);
	if (gpube__split_var_is_hopeless(
		    gpube__box_bytes(cost, wanted->count), wanted->limit, GPUBE__MOST_BOXES))
		return GPUBE_ELIMIT; /* at once, not after seconds of attempts */
	status = find_candidates(&f);
	/*
	 * if one variable has so many values that few boxes are left for others, each gets fewer
	 * ranges
	 */
	f.most_ranges = GPUBE__MOST_BOXES;
	while (!status && again) {
		int32_t largest = 0;
		bool fits = false;

		b->n_splits = 0;
		b->n = 1;
		while (!status && (!fits || b->n < wanted->least))
			status = boxes_split_one(&f, cost, &fits);
		if (status == GPUBE_ELIMIT && fits) /* fewer than wanted */
			status = GPUBE_OK;
		for (int c = 0; c < b->n_splits; c++)
			largest = b->splits[c].n > largest ? b->splits[c].n : largest;
		f.most_ranges = largest / FEWER_RANGES;
		again = status == GPUBE_ELIMIT && f.most_ranges >= 2;
		status = again ? GPUBE_OK : status;
	}
	return status;
}
