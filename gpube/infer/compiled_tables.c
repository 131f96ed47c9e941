/*
 * compiled_tables.c - the tables of a compiled model's buckets, and what a bucket does with them in
 * a box: see compiled.h.
 */
#include "gpube/infer/compiled.h"

#include <math.h>
#include <string.h>

/*
 * Cells of a product of a bucket's functions that is kept at most: as many as are worked on in a
 * cache.
 */
#define MOST_JOINED 4096

/*
 * Joined cells of a plain bucket, which take longer to be prepared for what is fixed than to be
 * summed. Bytes of what is written down of these, and that part of the memory.
 */
#define MOST_PLAIN  512
#define PLAIN_BYTES 0x1p26
#define PLAIN_SHARE 16

/* Powers of two that a product may be from 1. */
#define FARTHEST 900

/* ---- once ---------------------------------------------------------------------------- */

static int32_t *take_axes(struct gpube_compiled *c, int n)
{
	c->n_axes += n;
	return c->axes + c->n_axes - n;
}

static int64_t *take_strides(struct gpube_compiled *c, int n)
{
	c->n_strides += n;
	return c->strides + c->n_strides - n;
}

/* An input's axes are those of its bucket's scope along which it has a stride. */
static void lay_out(struct gpube_compiled *c, struct gpube_compiled_input *in, int arity,
	const int64_t *strides)
{
	int32_t *axis;
	int64_t *stride;

	in->n_axes = 0;
	for (int a = 0; a < arity; a++)
		in->n_axes += strides[a] != 0;
	in->axis = axis = take_axes(c, in->n_axes);
	in->stride = stride = take_strides(c, in->n_axes);
	for (int a = 0; a < arity; a++)
		if (strides[a]) {
			*axis++ = a;
			*stride++ = strides[a];
		}
}

/*
 * A function's table over its positions, ascending, and the places of these in its bucket's scope.
 */
static int load(struct gpube_compiled *c, struct gpube_compiled_input *in,
	struct gpube_sum_table *t, int32_t b, int32_t function)
{
	struct gpube__inferring *j = &c->j;
	const int32_t *scope = gpube__infer_scope(j, b);
	const int arity = j->buckets[b].arity;
	struct gpube_sum_job job = {0};
	struct gpube_sum_operand o;
	int status;

	gpube__infer_axes(&job, j, arity, scope);
	status = gpube__infer_load(t, j, function, &o, &job, scope);
	if (status)
		return status;
	c->constant = gpube__wide_mul(c->constant, gpube__wide(1, t->power));
	t->power = 0;
	in->table = t;
	lay_out(c, in, arity, o.stride);
	return GPUBE_OK;
}

/* The axes that some function of a bucket has; their cells. */
static double union_of(bool *has, const struct gpube__inferring *j, int32_t b,
	const struct gpube_compiled_bucket *x)
{
	double cells = 1;

	memset(has, 0, (size_t)j->buckets[b].arity * sizeof(*has));
	for (int k = 0; k < x->n_functions; k++)
		for (int i = 0; i < x->functions[k].n_axes; i++)
			has[x->functions[k].axis[i]] = true;
	for (int a = 0; a < j->buckets[b].arity; a++)
		cells *= has[a] ? gpube__infer_domain(j, gpube__infer_scope(j, b)[a]) : 1;
	return cells;
}

/* The functions of a bucket become one, where that is small. */
static int join(struct gpube_compiled *c, int32_t b)
{
	struct gpube__inferring *j = &c->j;
	struct gpube_compiled_bucket *x = &c->buckets[b];
	struct gpube_sum_operand out, *in;
	struct gpube_sum_job job = {.n_in = x->n_functions, .n_out = 1, .out = &out};
	struct gpube_sum_table product;
	bool has[GPUBE_SUM_AXES];
	int64_t strides[GPUBE_SUM_AXES], n = 1;
	int place[GPUBE_SUM_AXES], status;

	if (x->n_functions < 2 || union_of(has, j, b, x) > MOST_JOINED)
		return GPUBE_OK;
	in = gpube__alloc_zero(j->ctx, (uint64_t)x->n_functions, sizeof(*in));
	if (!in)
		return GPUBE_ENOMEM;
	job.in = in;
	for (int a = 0; a < j->buckets[b].arity; a++)
		if (has[a]) {
			place[a] = job.n_axes;
			job.dim[job.n_axes++] = gpube__infer_domain(j, gpube__infer_scope(j, b)[a]);
		}
	for (int k = 0; k < x->n_functions; k++) {
		in[k].table = (struct gpube_sum_table *)x->functions[k].table;
		for (int i = 0; i < x->functions[k].n_axes; i++)
			in[k].stride[place[x->functions[k].axis[i]]] = x->functions[k].stride[i];
	}
	out = (struct gpube_sum_operand){.table = &product};
	for (int a = job.n_axes - 1; a >= 0; a--) {
		out.stride[a] = n;
		n *= job.dim[a];
	}
	status = gpube__sum_table_new(j->ctx, &product, n);
	if (!status)
		status = gpube__sum_product(j->ctx, &job);
	if (!status)
		status = gpube__sum_settle(j->ctx, &product);
	gpube__free(j->ctx, in);
	if (status) {
		gpube__sum_table_clear(j->ctx, &product);
		return status;
	}
	x->function_roundings = out.roundings;
	c->constant = gpube__wide_mul(c->constant, gpube__wide(1, product.power));
	product.power = 0;
	for (int k = 0; k < x->n_functions; k++)
		gpube__sum_table_clear(j->ctx, (struct gpube_sum_table *)x->functions[k].table);
	x->n_functions = 1;
	*(struct gpube_sum_table *)x->functions[0].table = product;
	for (int a = 0; a < j->buckets[b].arity; a++)
		strides[a] = has[a] ? out.stride[place[a]] : 0;
	lay_out(c, &x->functions[0], j->buckets[b].arity, strides);
	return GPUBE_OK;
}

/* Room for everything that buckets point to. */
static int make_room(struct gpube_compiled *c)
{
	struct gpube__inferring *j = &c->j;
	uint64_t n_axes = 0, n_scopes = 0;

	for (int32_t f = 0; f < j->m->n_functions; f++)
		n_axes += (uint64_t)j->m->functions[f].arity;
	for (int32_t b = 0; b < j->n; b++)
		n_scopes += (uint64_t)j->buckets[b].arity;
	n_axes += n_scopes; /* of products */
	c->buckets = gpube__alloc_zero(j->ctx, (uint64_t)j->n, sizeof(*c->buckets));
	c->tables = gpube__alloc_zero(j->ctx, (uint64_t)j->m->n_functions, sizeof(*c->tables));
	c->inputs = gpube__alloc_zero(j->ctx, (uint64_t)j->m->n_functions, sizeof(*c->inputs));
	c->axes = gpube__alloc(j->ctx, n_axes + 2 * n_scopes, sizeof(*c->axes));
	c->strides = gpube__alloc_zero(j->ctx, n_axes + n_scopes, sizeof(*c->strides));
	c->place = gpube__alloc(j->ctx, n_scopes, sizeof(*c->place));
	c->bucket = gpube__alloc(j->ctx, n_scopes, sizeof(*c->bucket));
	c->first = gpube__alloc_zero(j->ctx, (uint64_t)j->n + 2, sizeof(*c->first));
	c->fixed = gpube__alloc(j->ctx, (uint64_t)j->n, sizeof(*c->fixed));
	c->products = gpube__alloc(j->ctx, GPUBE_COMPILED_SMALL, sizeof(*c->products));
	c->sums = gpube__alloc(j->ctx, GPUBE_COMPILED_SMALL, sizeof(*c->sums));
	c->cells = gpube__alloc(j->ctx, GPUBE_COMPILED_SMALL, sizeof(*c->cells));
	return c->buckets && c->tables && c->inputs && c->axes && c->strides && c->place &&
			       c->bucket && c->first && c->fixed && c->products && c->sums &&
			       c->cells
		       ? GPUBE_OK
		       : GPUBE_ENOMEM;
}

/* Where each position is in the scopes. */
static void index_scopes(struct gpube_compiled *c)
{
	const struct gpube__inferring *j = &c->j;

	for (int32_t b = 0; b < j->n; b++)
		for (int a = 0; a < j->buckets[b].arity; a++)
			c->first[gpube__infer_scope(j, b)[a] + 2]++;
	for (int32_t p = 0; p < j->n; p++)
		c->first[p + 2] += c->first[p + 1];
	for (int32_t b = 0; b < j->n; b++)
		for (int a = 0; a < j->buckets[b].arity; a++) {
			const int64_t k = c->first[gpube__infer_scope(j, b)[a] + 1]++;

			c->bucket[k] = b;
			c->place[k] = a;
		}
}

/* The places of a message's axes in its parent's scope. Both ascend. */
static void find_places(struct gpube_compiled *c, int32_t b)
{
	const struct gpube__inferring *j = &c->j;
	const int32_t *scope = gpube__infer_scope(j, b) + 1, parent = j->buckets[b].parent;

	for (int k = 0, a = 0; k < j->buckets[b].arity - 1; a++)
		if (gpube__infer_scope(j, parent)[a] == scope[k])
			c->buckets[b].axis[k++] = a;
}

static double cells_below(const struct gpube_compiled *c, int32_t b)
{
	double cells = 0;

	for (int32_t d = c->j.buckets[b].child; d >= 0; d = c->j.buckets[d].sibling)
		cells += c->buckets[d].cells;
	return cells;
}

/*
 * Where the cells of a plain bucket's inputs are: one whose children are plain, too, so that their
 * messages are for all values.
 */
static int write_down(struct gpube_compiled *c, int32_t b, double *room)
{
	struct gpube_compiled_bucket *x = &c->buckets[b];
	const int32_t n_in = x->n_functions + c->j.buckets[b].n_children;
	struct gpube_compiled_box box = {0};
	struct gpube_compiled_view v;
	uint16_t *at;
	int32_t n;

	if (x->own_cells > MOST_PLAIN || x->own_cells * n_in * sizeof(*at) > *room)
		return GPUBE_OK;
	n = (int32_t)x->own_cells;
	for (int32_t d = c->j.buckets[b].child; d >= 0; d = c->j.buckets[d].sibling)
		if (!c->buckets[d].plain)
			return GPUBE_OK;
	x->plain = at = gpube__alloc(c->j.ctx, (uint64_t)n * (uint64_t)n_in, sizeof(*at));
	if (!at)
		return GPUBE_ENOMEM;
	*room -= n * (double)n_in * sizeof(*at);
	for (int a = 0; a < c->j.buckets[b].arity; a++)
		box.value[a] = -1;
	gpube__compiled_box_measure(&box, c, b);
	for (int32_t k = 0, d = c->j.buckets[b].child; k < n_in; k++, at += n) {
		const struct gpube_compiled_input in =
			k < x->n_functions ? x->functions[k] : gpube__compiled_message(c, d);

		gpube__compiled_view(&v, &box, &in);
		gpube__compiled_lay(c->cells, &box, v.stride);
		for (int32_t i = 0; i < n; i++)
			at[i] = (uint16_t)c->cells[i];
		d = k < x->n_functions ? d : c->j.buckets[d].sibling;
	}
	return GPUBE_OK;
}

/* Strides of a message that is for all values. */
static void lay_message(struct gpube_compiled *c, int32_t b)
{
	struct gpube_compiled_bucket *x = &c->buckets[b];
	int64_t stride = 1;

	for (int a = c->j.buckets[b].arity - 1; a > 0; a--) {
		x->stride[a - 1] = stride;
		stride *= gpube__infer_domain(&c->j, gpube__infer_scope(&c->j, b)[a]);
	}
}

int gpube__compiled_tables(struct gpube_compiled *c)
{
	struct gpube__inferring *j = &c->j;
	double room = fmin(PLAIN_BYTES, (double)j->ctx->memory_bytes / PLAIN_SHARE);
	int status = make_room(c);

	if (status)
		return status;
	c->is_plain = true;
	for (int32_t b = 0; b < j->n && !status; b++) {
		const struct gpube_sum_bucket *bucket = &j->buckets[b];
		struct gpube_compiled_bucket *x = &c->buckets[b];

		if (bucket->arity > GPUBE_SUM_AXES)
			return gpube__fail(j->ctx, GPUBE_ELIMIT,
				"a table of %d variables does not fit", bucket->arity);
		*x = (struct gpube_compiled_bucket){.functions = c->inputs + bucket->functions_at,
			.factor = 1,
			.is_dirty = true,
			.is_stale = true};
		x->at = take_axes(c, bucket->arity);
		x->axis = take_axes(c, bucket->arity);
		x->stride = take_strides(c, bucket->arity);
		for (int a = 0; a < bucket->arity; a++)
			x->at[a] = -1;
		for (; x->n_functions < bucket->n_functions && !status; x->n_functions++)
			status = load(c, &x->functions[x->n_functions],
				&c->tables[bucket->functions_at + x->n_functions], b,
				j->functions[bucket->functions_at + x->n_functions]);
		if (!status)
			status = join(c, b);
		find_places(c, b);
		x->own_cells = gpube__infer_joined(j, b);
		x->cells = x->own_cells + cells_below(c, b);
		c->fixed[b] = -1;
		lay_message(c, b);
		if (!status)
			status = write_down(c, b, &room);
		c->is_plain = c->is_plain && x->plain;
	}
	index_scopes(c);
	return status;
}

/* ---- in a box ------------------------------------------------------------------------ */

void gpube__compiled_box_measure(
	struct gpube_compiled_box *box, const struct gpube_compiled *c, int32_t b)
{
	const int32_t *scope = gpube__infer_scope(&c->j, b);

	box->n_axes = 0;
	box->cells = 1;
	for (int a = 0; a < c->j.buckets[b].arity; a++) {
		box->place[a] = box->value[a] < 0 ? box->n_axes : -1;
		if (box->value[a] >= 0)
			continue;
		box->dim[box->n_axes] = gpube__infer_domain(&c->j, scope[a]);
		box->cells *= (double)box->dim[box->n_axes++];
	}
	box->n_own = box->value[0] < 0 ? box->dim[0] : 1;
}

void gpube__compiled_box(struct gpube_compiled_box *box, const struct gpube_compiled *c, int32_t b)
{
	const int32_t *scope = gpube__infer_scope(&c->j, b);

	for (int a = 0; a < c->j.buckets[b].arity; a++)
		box->value[a] = c->fixed[scope[a]];
	gpube__compiled_box_measure(box, c, b);
}

void gpube__compiled_view(struct gpube_compiled_view *v, const struct gpube_compiled_box *box,
	const struct gpube_compiled_input *in)
{
	v->table = in->table;
	v->offset = 0;
	v->is_one = true;
	memset(v->stride, 0, (size_t)box->n_axes * sizeof(*v->stride));
	for (int k = 0; k < in->n_axes; k++) {
		const int a = in->axis[k];

		if (box->place[a] < 0) {
			v->offset += in->stride[k] * box->value[a];
		} else {
			v->stride[box->place[a]] = in->stride[k];
			v->is_one = v->is_one && in->stride[k] == 0;
		}
	}
}

void gpube__compiled_lay(int32_t *at, const struct gpube_compiled_box *box, const int64_t *stride)
{
	int32_t n = 1;

	at[0] = 0;
	for (int a = box->n_axes - 1; a >= 0; a--) {
		const int32_t dim = (int32_t)box->dim[a], step = (int32_t)stride[a];

		for (int32_t s = 1; s < dim; s++)
			for (int32_t i = 0; i < n; i++)
				at[s * n + i] = at[i] + s * step;
		n *= dim;
	}
}

bool gpube__compiled_next(struct gpube_compiled_input *in, struct gpube_compiled_turn *turn,
	const struct gpube_compiled *c, int32_t b)
{
	static const int32_t own_axis = 0;
	static const int64_t own_stride = 1;
	const struct gpube_compiled_bucket *x = &c->buckets[b];

	if (++turn->k < x->n_functions) {
		*in = x->functions[turn->k];
		return true;
	}
	if (turn->k == x->n_functions) {
		turn->child = c->j.buckets[b].child;
		if (x->soft.cells) {
			*in = (struct gpube_compiled_input){&x->soft, 1, &own_axis, &own_stride};
			return true;
		}
	}
	if (turn->child < 0)
		return false;
	*in = gpube__compiled_message(c, turn->child);
	turn->from = turn->child;
	turn->child = c->j.buckets[turn->child].sibling;
	return true;
}

/* By so many powers of two an input's products may be less than the others'. */
static int depth(const struct gpube_sum_table *t)
{
	return t->powers || t->top > 0 ? FARTHEST + 1 : 1 - t->least;
}

static void multiply(double *restrict products, int32_t *restrict at,
	const struct gpube_compiled_box *box, const struct gpube_compiled_view *v)
{
	const double *restrict cells = v->table->cells + v->offset;
	const int32_t n = (int32_t)box->cells;

	gpube__compiled_lay(at, box, v->stride);
	for (int32_t i = 0; i < n; i++)
		products[i] *= cells[at[i]];
}

bool gpube__compiled_multiply(
	struct gpube_compiled *c, int32_t b, const struct gpube_compiled_box *box, bool down)
{
	const struct gpube_compiled_bucket *x = &c->buckets[b];
	const int32_t n = (int32_t)box->cells;
	struct gpube_compiled_turn turn = GPUBE_COMPILED_FIRST, again = GPUBE_COMPILED_FIRST;
	struct gpube_compiled_input in;
	struct gpube_compiled_view v;
	double by = 1;
	int low = down ? depth(&x->down) : 0;

	while (low <= FARTHEST && gpube__compiled_next(&in, &turn, c, b))
		low += depth(in.table);
	if (low > FARTHEST)
		return false;
	for (int32_t i = 0; i < n; i++)
		c->products[i] = 1;
	while (gpube__compiled_next(&in, &again, c, b)) {
		gpube__compiled_view(&v, box, &in);
		if (v.is_one)
			by *= v.table->cells[v.offset];
		else
			multiply(c->products, c->cells, box, &v);
	}
	if (by != 1)
		for (int32_t i = 0; i < n; i++)
			c->products[i] *= by;
	for (int32_t i = 0; i < n && down; i += (int32_t)x->down.n)
		for (int32_t s = 0; s < (int32_t)x->down.n; s++)
			c->products[i + s] *= x->down.cells[s];
	return true;
}

bool gpube__compiled_multiply_plain(struct gpube_compiled *c, int32_t b, int32_t n_out)
{
	const struct gpube_compiled_bucket *x = &c->buckets[b];
	const int32_t all = (int32_t)x->own_cells, observed = c->forcing.observed[b],
		      n = observed < 0 ? all : n_out;
	const uint16_t *restrict at = x->plain + (observed < 0 ? 0 : observed * n_out);
	double *restrict products = c->products;
	int32_t d = c->j.buckets[b].child;
	int low = 0;

	for (int32_t i = 0; i < n; i++)
		products[i] = 1;
	for (int k = 0; k < x->n_functions || d >= 0; k++, at += all) {
		const struct gpube_sum_table *t =
			k < x->n_functions ? x->functions[k].table : &c->buckets[d].up;
		const double *restrict cells = t->cells;

		low += depth(t);
		if (low > FARTHEST)
			return false;
		for (int32_t i = 0; i < n; i++)
			products[i] *= cells[at[i]];
		d = k < x->n_functions ? d : c->j.buckets[d].sibling;
	}
	if (x->soft.cells && low + depth(&x->soft) > FARTHEST)
		return false;
	for (int32_t i = 0; x->soft.cells && i < n; i++)
		products[i] *= x->soft.cells[observed < 0 ? i / n_out : observed];
	return true;
}

void gpube__compiled_job_clear(struct gpube_compiled_job *x, struct gpube_ctx *ctx)
{
	GPUBE_FREE_ALL(ctx, x->job.in, x->job.out, x->tables);
	*x = (struct gpube_compiled_job){0};
}

static void add_input(struct gpube_compiled_job *x, const struct gpube_compiled_box *box,
	const struct gpube_compiled_input *in)
{
	struct gpube_sum_table *t = &x->tables[x->job.n_in];
	struct gpube_sum_operand *o = &x->job.in[x->job.n_in++];
	struct gpube_compiled_view v;

	gpube__compiled_view(&v, box, in);
	*t = *in->table;
	t->n -= v.offset;
	t->cells += v.offset;
	t->powers += t->powers ? v.offset : 0;
	*o = (struct gpube_sum_operand){.table = t};
	memcpy(o->stride, v.stride, (size_t)box->n_axes * sizeof(*o->stride));
}

int gpube__compiled_job(struct gpube_compiled_job *x, struct gpube_compiled *c, int32_t b,
	const struct gpube_compiled_box *box, bool down)
{
	const struct gpube_compiled_bucket *bucket = &c->buckets[b];
	const uint64_t most =
		(uint64_t)bucket->n_functions + (uint64_t)c->j.buckets[b].n_children + 2;
	struct gpube_compiled_turn turn = GPUBE_COMPILED_FIRST;
	struct gpube_compiled_input in;
	int64_t stride = 1;

	*x = (struct gpube_compiled_job){.job = {.n_axes = box->n_axes}};
	x->job.in = gpube__alloc(c->j.ctx, most, sizeof(*x->job.in));
	x->job.out = gpube__alloc_zero(c->j.ctx, most, sizeof(*x->job.out));
	x->tables = gpube__alloc(c->j.ctx, most, sizeof(*x->tables));
	if (!x->job.in || !x->job.out || !x->tables)
		return GPUBE_ENOMEM;
	memcpy(x->job.dim, box->dim, (size_t)box->n_axes * sizeof(*box->dim));
	while (gpube__compiled_next(&in, &turn, c, b))
		add_input(x, box, &in);
	if (!down)
		return GPUBE_OK;
	x->tables[x->job.n_in] = bucket->down;
	x->job.in[x->job.n_in] = (struct gpube_sum_operand){.table = &x->tables[x->job.n_in]};
	for (int a = box->n_axes - 1; a >= (box->value[0] < 0); a--) {
		x->job.in[x->job.n_in].stride[a] = stride;
		stride *= box->dim[a];
	}
	x->job.n_in++;
	return GPUBE_OK;
}

/* ---- messages ------------------------------------------------------------------------ */

/* The power of two that brings a number above 0 to [0.5, 1). */
static int power_of(double a)
{
	int e;

	frexp(a, &e);
	return e;
}

int gpube__compiled_take_table(struct gpube_compiled *c, struct gpube_sum_table *message,
	int64_t *power, struct gpube_sum_table *t)
{
	const int status = gpube__sum_settle(c->j.ctx, t);

	gpube__sum_table_clear(c->j.ctx, message);
	*message = *t;
	*power = t->power;
	message->power = 0;
	return status;
}

int gpube__compiled_take(struct gpube_compiled *c, struct gpube_sum_table *message, int64_t *power,
	bool *same, const double *cells, int64_t n)
{
	double most = 0, least = INFINITY, by;
	struct gpube_sum_table t;
	int top;

	for (int64_t i = 0; i < n; i++) {
		most = cells[i] > most ? cells[i] : most;
		least = cells[i] > 0 && cells[i] < least ? cells[i] : least;
	}
	top = most > 0 ? power_of(most) : 0;
	if (message->n != n || message->powers || (most > 0 && top - power_of(least) > FARTHEST)) {
		const int status = gpube__sum_table_new(c->j.ctx, &t, n);

		if (status)
			return status;
		memcpy(t.cells, cells, (size_t)n * sizeof(*cells));
		*same = false;
		return gpube__compiled_take_table(c, message, power, &t);
	}
	by = ldexp(1, -top);
	for (int64_t i = 0; i < n; i++) {
		const double a = cells[i] * by;

		*same = *same && a == message->cells[i];
		message->cells[i] = a;
	}
	message->top = 0;
	message->least = most > 0 ? power_of(least) - top : 0;
	*power = top;
	return GPUBE_OK;
}
