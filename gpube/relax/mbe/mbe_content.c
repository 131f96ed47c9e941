/* mbe_content.c - the tables behind a partition by content: see mbe_content.h. */
#include "gpube/relax/mbe/mbe_content.h"

#include "gpube/ir/dense.h"

#include <string.h>

#define MOST_PAIR_CELLS   0x1p20
#define MOST_BUCKET_CELLS 0x1p28 /* of all its pairs: a quarter of a second of one core */

/* A mini is named by its first item. */
struct slot {
	const int64_t *values; /* of the item */
	int32_t next, last;    /* items of one mini, chained; -1: the end */
	int64_t *without;      /* the mini's table without the bucket's variable, or NULL */
	int64_t without_cells;
	int32_t n_scope; /* of 'without'; positions in 'scope' */
	int32_t *scope;
};

struct gpube_mbe_contents {
	struct gpube_ctx *ctx;
	const struct gpube_ops *ops;
	const struct gpube_mbe *mbe;
	int64_t cutoff; /* costs from here on are forbidden, and written as this */
	double bytes;   /* of tables alive */
	int64_t **messages;
	int64_t messages_capacity, n_messages;
	int32_t *dim_of; /* per position */
	/* of the bucket that is open */
	int32_t bucket, n_items;
	const struct gpube_mbe_item *items;
	const int32_t *pool;
	struct slot *slots;
	int64_t slots_capacity;
	double *gains; /* of a pair a > b, at a (a - 1) / 2 + b; -2: not known yet */
	int64_t gains_capacity;
	double left; /* cells that pairs may still join */
	/* of a contraction */
	int64_t *sizes;
	struct gpube_operand *in;
	int64_t in_capacity;
	int32_t *dims;
	int64_t dims_capacity;
};

/* cells: -1: too many to count */
static int table_new(int64_t **out, struct gpube_mbe_contents *c, int64_t cells)
{
	const double bytes = 8.0 * (double)cells;

	*out = NULL;
	if (cells < 0 || c->bytes + bytes > (double)c->ctx->memory_bytes)
		return gpube__fail(c->ctx, GPUBE_ELIMIT,
			"tables of mini-buckets do not fit the memory; take a smaller z");
	*out = c->ops->alloc(c->ctx, (uint64_t)cells * sizeof(**out));
	if (!*out)
		return GPUBE_ENOMEM;
	c->bytes += bytes;
	return GPUBE_OK;
}

static void table_free(struct gpube_mbe_contents *c, int64_t *table, int64_t cells)
{
	if (!table)
		return;
	c->ops->free(c->ctx, table);
	c->bytes -= 8.0 * (double)cells;
}

int gpube__mbe_contents_new(struct gpube_mbe_contents **out, const struct gpube_mbe *mbe)
{
	const int64_t constant = gpube__constant_of(mbe->m);
	struct gpube_ctx *ctx = mbe->ctx;
	struct gpube_mbe_contents *c;
	int64_t cutoff = gpube__cost_span(mbe->m);

	*out = NULL;
	if (constant == GPUBE_INF || mbe->m->top <= constant)
		return GPUBE_OK;
	if (mbe->m->top != GPUBE_INF && mbe->m->top - constant < cutoff)
		cutoff = mbe->m->top - constant;
	/*
	 * no sum of a bucket's tables may pass 2^63; a lower cutoff tells less, and nothing untrue
	 */
	if (cutoff > INT64_MAX / 2 / (mbe->m->n_functions + (int64_t)1))
		cutoff = INT64_MAX / 2 / (mbe->m->n_functions + (int64_t)1);
	c = gpube__alloc_zero(ctx, 1, sizeof(*c));
	if (!c)
		return GPUBE_ENOMEM;
	*c = (struct gpube_mbe_contents){
		.ctx = ctx, .ops = gpube__ops_cpu(), .mbe = mbe, .cutoff = cutoff};
	c->dim_of = gpube__alloc(ctx, (uint64_t)mbe->n, sizeof(*c->dim_of));
	c->sizes = gpube__alloc(ctx, (uint64_t)mbe->n + 1, sizeof(*c->sizes));
	if (!c->dim_of || !c->sizes) {
		gpube__mbe_contents_free(c);
		return GPUBE_ENOMEM;
	}
	*out = c;
	return GPUBE_OK;
}

static int64_t cells_of(const struct gpube_mbe *mbe, int32_t n, const int32_t *scope)
{
	int64_t cells = 1;

	for (int32_t k = 0; k < n && cells >= 0; k++)
		cells = gpube__mul_size(cells, mbe->m->vars[mbe->order[scope[k]]].domain);
	return cells;
}

static void free_message(struct gpube_mbe_contents *c, int32_t mini)
{
	table_free(c, c->messages[mini], c->mbe->minis[mini].cells);
	c->messages[mini] = NULL;
}

static void drop_projection(struct gpube_mbe_contents *c, int32_t mini)
{
	struct slot *s = &c->slots[mini];

	table_free(c, s->without, s->without_cells);
	s->without = NULL;
}

/* Frees what the open bucket has. */
static void end_bucket(struct gpube_mbe_contents *c)
{
	for (int32_t k = 0; k < c->n_items; k++) {
		const struct gpube_mbe_item *item = &c->items[k];

		drop_projection(c, k);
		gpube__free(c->ctx, c->slots[k].scope);
		if (item->id < 0)
			free_message(c, ~item->id);
		else if (c->slots[k].values)
			table_free(c, (int64_t *)c->slots[k].values,
				cells_of(c->mbe, item->n, c->pool + item->at));
	}
	c->n_items = 0;
}

void gpube__mbe_contents_free(struct gpube_mbe_contents *c)
{
	if (!c)
		return;
	end_bucket(c);
	for (int64_t k = 0; k < c->n_messages; k++)
		free_message(c, (int32_t)k);
	gpube__free(c->ctx, c->messages);
	gpube__free(c->ctx, c->dim_of);
	gpube__free(c->ctx, c->slots);
	gpube__free(c->ctx, c->gains);
	gpube__free(c->ctx, c->sizes);
	gpube__free(c->ctx, c->in);
	gpube__free(c->ctx, c->dims);
	gpube__free(c->ctx, c);
}

static int load_item(struct gpube_mbe_contents *c, int32_t k)
{
	const struct gpube_mbe_item *item = &c->items[k];
	int64_t cells, *table;
	int status;

	if (item->id < 0) {
		c->slots[k].values = c->messages[~item->id];
		return GPUBE_OK;
	}
	cells = cells_of(c->mbe, item->n, c->pool + item->at);
	status = table_new(&table, c, cells);
	if (status)
		return status;
	c->slots[k].values = table;
	return gpube__dense_as(
		table, GPUBE_INT64, c->cutoff, c->mbe->m, item->id, c->mbe->position);
}

int gpube__mbe_contents_open(struct gpube_mbe_contents *c, int32_t bucket, int32_t n_items,
	const struct gpube_mbe_item *items, const int32_t *pool)
{
	const int64_t n_pairs =
		n_items > GPUBE__MBE_MOST_CONTENT ? 0 : (int64_t)n_items * (n_items - 1) / 2;
	int status = GPUBE_OK;

	c->bucket = bucket;
	c->items = items;
	c->pool = pool;
	c->left = MOST_BUCKET_CELLS;
	if (gpube__grow(c->ctx, &c->slots, &c->slots_capacity, n_items, sizeof(*c->slots)) ||
		gpube__grow(c->ctx, &c->gains, &c->gains_capacity, n_pairs, sizeof(*c->gains)))
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < n_items; k++)
		c->slots[k] = (struct slot){.next = -1, .last = k};
	for (int64_t k = 0; k < n_pairs; k++)
		c->gains[k] = -2;
	c->n_items = n_items;
	for (int32_t k = 0; k < n_items && !status; k++)
		status = load_item(c, k);
	return status;
}

/* ---- contractions -------------------------------------------------------------------- */

static int begin_operands(struct gpube_mbe_contents *c)
{
	int64_t n_dims = 0;

	for (int32_t k = 0; k < c->n_items; k++)
		n_dims += c->items[k].n;
	/* pairs of projections have fewer */
	return gpube__grow(
		       c->ctx, &c->in, &c->in_capacity, (int64_t)c->n_items + 1, sizeof(*c->in)) ||
			       gpube__grow(c->ctx, &c->dims, &c->dims_capacity, n_dims + 1,
				       sizeof(*c->dims))
		       ? GPUBE_ENOMEM
		       : GPUBE_OK;
}

static void add_operand(struct gpube_mbe_contents *c, struct gpube_contraction *ct, int64_t *used,
	const int64_t *values, int32_t n, const int32_t *scope)
{
	c->in[ct->n_in++] =
		(struct gpube_operand){.values = values, .n_dims = n, .dims = c->dims + *used};
	for (int32_t i = 0; i < n; i++)
		c->dims[(*used)++] = c->dim_of[scope[i]];
}

static void add_mini(
	struct gpube_mbe_contents *c, struct gpube_contraction *ct, int64_t *used, int32_t mini)
{
	for (int32_t k = mini; k >= 0; k = c->slots[k].next)
		add_operand(
			c, ct, used, c->slots[k].values, c->items[k].n, c->pool + c->items[k].at);
}

/* Over a scope of n positions, the bucket's among them if 'reduce': it is then reduced. */
static struct gpube_contraction over(
	struct gpube_mbe_contents *c, int32_t n, const int32_t *scope, bool reduce)
{
	int32_t dim = 0;

	for (int32_t k = 0; k < n; k++) {
		if (reduce && scope[k] == c->bucket)
			continue;
		c->dim_of[scope[k]] = dim;
		c->sizes[dim++] = c->mbe->m->vars[c->mbe->order[scope[k]]].domain;
	}
	if (reduce) {
		c->dim_of[c->bucket] = dim;
		c->sizes[dim] = c->mbe->m->vars[c->mbe->order[c->bucket]].domain;
	}
	return (struct gpube_contraction){.semiring = GPUBE_MIN_PLUS,
		.type = GPUBE_INT64,
		.n_out = dim,
		.n_dims = dim + reduce,
		.sizes = c->sizes,
		.in = c->in,
		.top = c->cutoff,
		.threshold = c->cutoff};
}

/* The union of the scopes of a mini's items but the bucket's position, ascending, in its slot. */
static int scope_of_mini(struct gpube_mbe_contents *c, int32_t mini)
{
	struct slot *s = &c->slots[mini];
	int64_t most = 0;
	int32_t n = 0;

	for (int32_t k = mini; k >= 0; k = c->slots[k].next)
		most += c->items[k].n;
	gpube__free(c->ctx, s->scope);
	s->scope = gpube__alloc(c->ctx, (uint64_t)most + 1, sizeof(*s->scope));
	if (!s->scope)
		return GPUBE_ENOMEM;
	for (int32_t k = mini; k >= 0; k = c->slots[k].next)
		for (int32_t i = 0; i < c->items[k].n; i++) {
			const int32_t q = c->pool[c->items[k].at + i];
			int32_t at = n;

			while (at > 0 && s->scope[at - 1] > q)
				at--;
			if (q == c->bucket || (at > 0 && s->scope[at - 1] == q))
				continue;
			memmove(s->scope + at + 1, s->scope + at,
				(size_t)(n - at) * sizeof(*s->scope));
			s->scope[at] = q;
			n++;
		}
	s->n_scope = n;
	return GPUBE_OK;
}

/* Makes a mini's table without the bucket's variable, if it is not there. */
static int project(struct gpube_mbe_contents *c, int32_t mini)
{
	struct slot *s = &c->slots[mini];
	struct gpube_contraction ct;
	int64_t used = 0;
	int status;

	if (s->without)
		return GPUBE_OK;
	if (gpube__stopped(c->ctx))
		return gpube__fail_stopped(c->ctx);
	status = scope_of_mini(c, mini);
	if (!status)
		status = begin_operands(c);
	if (status)
		return status;
	s->scope[s->n_scope] = c->bucket;
	ct = over(c, s->n_scope + 1, s->scope, true);
	add_mini(c, &ct, &used, mini);
	s->without_cells = cells_of(c->mbe, s->n_scope, s->scope);
	status = table_new(&s->without, c, s->without_cells);
	if (status)
		return status;
	ct.out = s->without;
	return c->ops->contract(c->ctx, &ct);
}

/* ---- gains ----------------------------------------------------------------------------- */

static double *gain_at(struct gpube_mbe_contents *c, int32_t a, int32_t b)
{
	const int64_t high = a > b ? a : b, low = a > b ? b : a;

	return &c->gains[high * (high - 1) / 2 + low];
}

/* joint, apart: room for the cells of the scope but the bucket's variable. */
static int join_pair(struct gpube_mbe_contents *c, int32_t a, int32_t b, int32_t n,
	const int32_t *scope, int64_t *joint, int64_t *apart)
{
	const struct slot *x = &c->slots[a], *y = &c->slots[b];
	struct gpube_contraction ct = over(c, n, scope, true);
	int64_t used = 0;
	int status;

	add_mini(c, &ct, &used, a);
	add_mini(c, &ct, &used, b);
	ct.out = joint;
	status = c->ops->contract(c->ctx, &ct);
	if (status)
		return status;
	used = 0;
	ct.n_dims = ct.n_out;
	ct.n_in = 0;
	add_operand(c, &ct, &used, x->without, x->n_scope, x->scope);
	add_operand(c, &ct, &used, y->without, y->n_scope, y->scope);
	ct.out = apart;
	return c->ops->contract(c->ctx, &ct);
}

int gpube__mbe_contents_gain(double *gain, struct gpube_mbe_contents *c, int32_t a, int32_t b,
	int32_t n, const int32_t *scope, double cells)
{
	const int64_t out = (int64_t)(cells / c->mbe->m->vars[c->mbe->order[c->bucket]].domain);
	int64_t *tables;
	double *kept;
	__int128 sum = 0;
	int status;

	*gain = -1;
	if (gpube__stopped(c->ctx))
		return gpube__fail_stopped(c->ctx);
	if (cells > MOST_PAIR_CELLS)
		return GPUBE_OK;
	kept = gain_at(c, a, b);
	if (*kept > -2) {
		*gain = *kept;
		return GPUBE_OK;
	}
	if (cells > c->left)
		return GPUBE_OK;
	c->left -= cells;
	status = project(c, a);
	if (!status)
		status = project(c, b);
	if (status)
		return status;
	status = table_new(&tables, c, 2 * out);
	if (status)
		return status;
	status = join_pair(c, a, b, n, scope, tables, tables + out);
	for (int64_t k = 0; k < out && !status; k++)
		sum += tables[k] - tables[out + k];
	table_free(c, tables, 2 * out);
	if (!status)
		*gain = *kept = (double)sum / (double)out;
	return status;
}

void gpube__mbe_contents_merge(struct gpube_mbe_contents *c, int32_t into, int32_t from)
{
	c->slots[c->slots[into].last].next = from;
	c->slots[into].last = c->slots[from].last;
	drop_projection(c, into);
	drop_projection(c, from);
	for (int32_t k = 0; k < c->n_items; k++)
		if (k != into)
			*gain_at(c, into, k) = -2;
}

/* Parts as the planner has left them, whichever way it made them. */
static int chain_as_placed(struct gpube_mbe_contents *c, int32_t n_minis)
{
	int32_t *first = gpube__alloc(c->ctx, (uint64_t)n_minis, sizeof(*first));

	if (!first)
		return GPUBE_ENOMEM;
	for (int32_t j = 0; j < n_minis; j++)
		first[j] = -1;
	for (int32_t k = 0; k < c->n_items; k++) {
		const int32_t mini = c->items[k].mini;

		c->slots[k].next = -1;
		c->slots[k].last = k;
		if (first[mini] < 0) {
			first[mini] = k;
		} else {
			c->slots[c->slots[first[mini]].last].next = k;
			c->slots[first[mini]].last = k;
		}
	}
	gpube__free(c->ctx, first);
	return GPUBE_OK;
}

int gpube__mbe_contents_close(struct gpube_mbe_contents *c)
{
	const int32_t n_minis = c->mbe->n_minis, first = c->mbe->first[c->bucket];
	int status = gpube__grow(
		c->ctx, &c->messages, &c->messages_capacity, n_minis, sizeof(*c->messages));

	if (!status)
		while (c->n_messages < n_minis)
			c->messages[c->n_messages++] = NULL;
	if (!status)
		status = chain_as_placed(c, n_minis - first);
	for (int32_t k = 0; k < c->n_items && !status; k++) {
		const int32_t mini = first + c->items[k].mini;

		/* a mini's first item stands for it; a message of no variables goes nowhere */
		if (c->messages[mini] || c->mbe->minis[mini].consumer < 0)
			continue;
		status = project(c, k);
		if (status)
			continue;
		c->messages[mini] = c->slots[k].without;
		c->slots[k].without = NULL;
	}
	end_bucket(c);
	return status;
}
