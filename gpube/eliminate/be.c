/* be.c - the elimination itself: see be.h. */
#include "gpube/eliminate/be.h"
#include "gpube/eliminate/be_args.h"
#include "gpube/eliminate/be_blocks.h"
#include "gpube/eliminate/be_layout.h"
#include "gpube/eliminate/be_load.h"
#include "gpube/ir/dense.h"

#include <limits.h>
#include <string.h>

/* A message. */
struct work {
	void *values;     /* memory of its side's backend */
	uint64_t *counts; /* the same, or NULL */
	uint64_t bytes;   /* of the values */
	int side;
	bool placed; /* the values are in the run's block */
};

struct run {
	const struct gpube_be *be;
	const struct gpube_be_sides *sides;
	const struct gpube_working *w;
	uint64_t modulus;
	bool counting, keep, assigning;
	struct gpube_be_window window;
	/* the host's messages; own: unless the caller keeps some */
	struct gpube__blocks *blocks, own;
	struct gpube__block block; /* where there is one side alone */
	struct work *messages;     /* per position */
	uint8_t **args;            /* per position: packed arg-mins on the host, or NULL */
	/* of the bucket at hand: on each side, and brought home */
	struct gpube__args_room unpacked[2], home;
	double *seconds; /* per position, or NULL */
	double joined_done, joined_total;
};

static const struct gpube_ops *ops_of(const struct run *r, int32_t p)
{
	return r->sides->ops[gpube__side_of(r->sides, p)];
}

static void free_work(struct run *r, struct work *t)
{
	const struct gpube_ops *ops = r->sides->ops[t->side];

	if (t->values && !t->placed) {
		if (ops == gpube__ops_cpu())
			gpube__blocks_give(r->blocks, r->be->ctx, t->values, t->bytes);
		else
			ops->free(r->be->ctx, t->values);
	}
	if (t->counts)
		ops->free(r->be->ctx, t->counts);
	memset(t, 0, sizeof(*t));
}

static int64_t be_get(const void *values, enum gpube_type type, int64_t cell)
{
	return type == GPUBE_INT32 ? ((const int32_t *)values)[cell]
				   : ((const int64_t *)values)[cell];
}

static int64_t be_clamp(int64_t v, int64_t top)
{
	return v < top ? v : top; /* GPUBE_INF, too, becomes top */
}

/* ---- one bucket --------------------------------------------------------------- */

/* Dimensions of a bucket's contraction: the message's scope, then the eliminated variable. */
struct dims {
	int64_t *sizes;     /* n_scope + 1 */
	int32_t *operand;   /* n_in runs of dimension indices */
	int32_t *positions; /* scratch for one scope */
	int64_t used;       /* of operand */
};

static int32_t dim_of(const struct gpube_be *be, const struct gpube_bucket *b, int32_t position)
{
	const int32_t *scope = be->scopes + b->scope_at;
	const int32_t at = gpube__first_from32(scope, b->n_scope, position);

	return at < b->n_scope && scope[at] == position ? at : b->n_scope;
}

static void set_dims(const struct gpube_be *be, const struct gpube_bucket *b, struct dims *d,
	struct gpube_operand *in, const int32_t *positions, int n)
{
	in->n_dims = n;
	in->dims = d->operand + d->used;
	for (int k = 0; k < n; k++)
		d->operand[d->used++] = dim_of(be, b, positions[k]);
}

static int64_t operand_dims(const struct gpube_be *be, const struct gpube_bucket *b)
{
	int64_t n = 0;

	for (int32_t k = 0; k < b->n_in; k++) {
		int32_t id = be->inputs[b->in_at + k];

		n += id >= 0 ? be->m->functions[id].arity : be->buckets[~id].n_scope;
	}
	return n;
}

static bool stores_args(const struct run *r, int32_t p)
{
	return r->assigning && !r->keep && gpube__be_stores_args(r->be, p, r->w->type);
}

/* Arg-mins that are not brought home: they have a place in the device's block. */
static bool args_stay(const struct run *r, int32_t p)
{
	return r->block.base && r->block.layout.args_at[p] != GPUBE__NO_PLACE;
}

/* Of the arg-mins of a bucket of that side that go home. */
static uint64_t most_args_bytes(const struct run *r, int side)
{
	uint64_t most = 0;

	for (int32_t p = 0; p < r->be->n; p++) {
		const struct gpube_bucket *b = &r->be->buckets[p];
		const uint64_t bytes = (uint64_t)b->cells *
				       (uint64_t)gpube__be_arg_bytes(r->be->m->vars[b->var].domain);

		if (bytes > most && gpube__side_of(r->sides, p) == side && stores_args(r, p) &&
			!args_stay(r, p))
			most = bytes;
	}
	return most;
}

/* Brings a bucket's arg-mins home and stores them compactly. */
static int keep_args(struct run *r, int32_t p, const void *out_arg, int arg_bytes)
{
	struct gpube_ctx *ctx = r->be->ctx;
	const struct gpube_ops *ops = ops_of(r, p);
	const struct gpube_bucket *b = &r->be->buckets[p];
	const int bits = gpube__be_arg_bits(r->be->m->vars[b->var].domain);
	const uint64_t bytes = (uint64_t)b->cells * (uint64_t)arg_bytes;
	const uint64_t packed_bytes = ((uint64_t)b->cells * (uint64_t)bits + 7) / 8;
	int status;

	r->args[p] = gpube__alloc(ctx, packed_bytes, 1);
	if (!r->args[p])
		return GPUBE_ENOMEM;
	gpube__blocks_add(r->blocks, ctx, packed_bytes);
	if (bits >= 8)
		return ops->download(ctx, r->args[p], out_arg, bytes);
	if (ops != gpube__ops_cpu()) {
		status = gpube__args_room_take(ctx, gpube__ops_cpu(), &r->home, bytes);
		if (!status)
			status = ops->download(ctx, r->home.at, out_arg, bytes);
		if (status)
			return status;
		out_arg = r->home.at;
	}
	gpube__args_pack(ctx, r->args[p], out_arg, b->cells, bits);
	return GPUBE_OK;
}

/* Memory for the message of bucket p, on a side. */
static int alloc_message(struct run *r, int32_t p, int side, struct work *t)
{
	const int64_t cells = r->be->buckets[p].cells;
	const struct gpube_ops *ops = r->sides->ops[side];
	struct gpube_ctx *ctx = r->be->ctx;

	t->side = side;
	t->bytes = (uint64_t)cells * gpube__type_size(r->w->type);
	t->placed = r->block.base && r->block.layout.at[p] != GPUBE__NO_PLACE;
	if (t->placed)
		t->values = r->block.base + r->block.layout.at[p];
	else
		t->values = ops == gpube__ops_cpu() ? gpube__blocks_take(r->blocks, ctx, t->bytes)
						    : ops->alloc(ctx, t->bytes);
	if (!t->values)
		return GPUBE_ENOMEM;
	if (r->counting) {
		t->counts = ops->alloc(ctx, (uint64_t)cells * sizeof(uint64_t));
		if (!t->counts)
			return GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

/* Brings the message of bucket p to a side, where it stays. */
static int be_cross_over(struct run *r, int32_t p, int side)
{
	const struct gpube_ops *device = r->sides->ops[1];
	int (*copy)(struct gpube_ctx *, void *, const void *, uint64_t) =
		side ? device->upload : device->download;
	struct gpube_ctx *ctx = r->be->ctx;
	int64_t cells = r->be->buckets[p].cells;
	struct work *here = &r->messages[p], there = {0};
	int status = alloc_message(r, p, side, &there);

	if (!status)
		status = copy(ctx, there.values, here->values,
			(uint64_t)cells * gpube__type_size(r->w->type));
	if (!status && here->counts)
		status = copy(ctx, there.counts, here->counts, (uint64_t)cells * sizeof(uint64_t));
	free_work(r, status ? &there : here);
	if (!status)
		*here = there;
	return status;
}

/* The sizes and operands of bucket p's contraction. */
static int bind_inputs(struct run *r, int32_t p, struct dims *d, struct gpube_operand *in)
{
	const struct gpube_be *be = r->be;
	const struct gpube_bucket *b = &be->buckets[p];
	int side = gpube__side_of(r->sides, p), status;
	int64_t loaded_at;

	if (p >= r->window.end) {
		status = gpube__window_load(&r->window, be, r->sides, r->w, p);
		if (status)
			return status;
	}
	loaded_at = b->in_at - be->buckets[r->window.from].in_at;
	for (int32_t k = 0; k < b->n_scope; k++)
		d->sizes[k] = be->m->vars[be->buckets[be->scopes[b->scope_at + k]].var].domain;
	d->sizes[b->n_scope] = be->m->vars[b->var].domain;
	for (int32_t k = 0; k < b->n_in; k++) {
		int32_t id = be->inputs[b->in_at + k];

		if (id >= 0) {
			gpube__sorted_positions(be, id, d->positions);
			set_dims(be, b, d, &in[k], d->positions, be->m->functions[id].arity);
			in[k].values = r->window.values[side] + r->window.at[loaded_at + k];
		} else {
			status = r->messages[~id].side == side ? GPUBE_OK
							       : be_cross_over(r, ~id, side);
			if (status)
				return status;
			set_dims(be, b, d, &in[k], be->scopes + be->buckets[~id].scope_at,
				be->buckets[~id].n_scope);
			in[k].values = r->messages[~id].values;
			in[k].counts = r->messages[~id].counts;
		}
	}
	return GPUBE_OK;
}

/* The messages into bucket p, which nobody needs any more. */
static void free_inputs(struct run *r, int32_t p)
{
	const struct gpube_bucket *b = &r->be->buckets[p];

	for (int32_t k = 0; k < b->n_in; k++) {
		const int32_t id = r->be->inputs[b->in_at + k];

		if (id < 0)
			free_work(r, &r->messages[~id]);
	}
}

/* One bucket: what it takes in is contracted to the message that it sends. */
static int be_eliminate(struct run *r, int32_t p)
{
	const struct gpube_be *be = r->be;
	const struct gpube_bucket *b = &be->buckets[p];
	struct gpube_ctx *ctx = be->ctx;
	uint64_t n_in = (uint64_t)b->n_in;
	struct gpube_operand *in = gpube__alloc_zero(ctx, n_in, sizeof(*in));
	struct dims d = {.sizes = gpube__alloc(ctx, (uint64_t)b->n_scope + 1, sizeof(*d.sizes)),
		.operand = gpube__alloc(ctx, (uint64_t)operand_dims(be, b), sizeof(*d.operand)),
		.positions = gpube__alloc(ctx, (uint64_t)b->n_scope + 1, sizeof(*d.positions))};
	struct gpube_contraction c = {.semiring = r->counting ? GPUBE_MIN_COUNT : GPUBE_MIN_PLUS,
		.type = r->w->type,
		.n_out = b->n_scope,
		.n_dims = b->n_scope + 1,
		.sizes = d.sizes,
		.n_in = b->n_in,
		.in = in,
		.top = r->w->top,
		.threshold = r->w->top,
		.modulus = r->modulus,
		.seconds = r->seconds ? r->seconds + p : NULL};
	const struct gpube_ops *ops = ops_of(r, p);
	const bool stores = stores_args(r, p);
	int status = GPUBE_ENOMEM;

	if (!in || !d.sizes || !d.operand || !d.positions ||
		alloc_message(r, p, gpube__side_of(r->sides, p), &r->messages[p]))
		goto out;
	status = bind_inputs(r, p, &d, in);
	if (status)
		goto out;
	c.out = r->messages[p].values;
	c.out_counts = r->messages[p].counts;
	if (stores)
		c.arg_bytes = gpube__be_arg_bytes((int32_t)d.sizes[b->n_scope]);
	if (stores && args_stay(r, p)) {
		c.out_arg = r->block.base + r->block.layout.args_at[p];
	} else if (stores) {
		struct gpube__args_room *room = &r->unpacked[gpube__side_of(r->sides, p)];
		const uint64_t most =
			room->at ? 0 : most_args_bytes(r, gpube__side_of(r->sides, p));
		uint64_t bytes = (uint64_t)b->cells * (uint64_t)c.arg_bytes;

		if (most > bytes && (ops != gpube__ops_cpu() || (double)most <= r->block.spare))
			bytes = most; /* for all of them: what grows is cleared again */
		status = gpube__args_room_take(ctx, ops, room, bytes);
		if (status)
			goto out;
		c.out_arg = room->at;
	}
	status = ops->contract(ctx, &c);
	if (!status && stores && !args_stay(r, p))
		status = keep_args(r, p, c.out_arg, c.arg_bytes);
out:
	if (stores || !r->assigning)
		free_inputs(r, p);
	GPUBE_FREE_ALL(ctx, in, d.sizes, d.operand, d.positions);
	return status;
}

/* ---- reading the assignment off, last eliminated variable first ------------------ */

/*
 * Cell of a message at the values assigned so far, and the first of position_x, as a row-major
 * index.
 */
static int64_t message_cell(
	const struct gpube_be *be, int32_t p, int32_t position_x, const int32_t *values)
{
	const struct gpube_bucket *b = &be->buckets[p];
	int64_t cell = 0;

	for (int32_t k = 0; k < b->n_scope; k++) {
		int32_t q = be->scopes[b->scope_at + k], var = be->buckets[q].var;

		cell = cell * be->m->vars[var].domain + (q == position_x ? 0 : values[var]);
	}
	return cell;
}

/* What reading the assignment off needs: of the widest bucket. */
struct scratch {
	struct gpube_cells *pieces; /* a message's cells each */
	char *cells;                /* what they hold */
	int64_t *sums;              /* by value of the variable */
};

static void scratch_clear(struct gpube_ctx *ctx, struct scratch *s)
{
	GPUBE_FREE_ALL(ctx, s->pieces, s->cells, s->sums);
}

static int scratch_init(struct scratch *s, const struct gpube_be *be)
{
	uint64_t domain = 0, cells = 0;

	for (int32_t p = 0; p < be->n; p++) {
		const struct gpube_bucket *b = &be->buckets[p];
		uint64_t d = (uint64_t)be->m->vars[b->var].domain;

		domain = d > domain ? d : domain;
		cells = d * (uint64_t)b->n_in > cells ? d * (uint64_t)b->n_in : cells;
	}
	s->pieces = gpube__alloc(be->ctx, (uint64_t)be->most_inputs, sizeof(*s->pieces));
	s->cells = gpube__alloc(be->ctx, cells, sizeof(int64_t));
	s->sums = gpube__alloc(be->ctx, domain, sizeof(*s->sums));
	if (s->pieces && s->cells && s->sums)
		return GPUBE_OK;
	scratch_clear(be->ctx, s);
	return GPUBE_ENOMEM;
}

/* Adds the messages into a bucket that lie on a side, by value of its variable, to s->sums. */
static int add_messages(struct run *r, int32_t p, int side, int32_t *values, struct scratch *s)
{
	const struct gpube_be *be = r->be;
	const struct gpube_bucket *b = &be->buckets[p];
	int32_t domain = be->m->vars[b->var].domain;
	int64_t n = 0;
	int status;

	for (int32_t k = 0; k < b->n_in; k++) {
		int32_t id = be->inputs[b->in_at + k];

		/* the variable is the slowest dimension of the message */
		if (id < 0 && r->messages[~id].side == side)
			s->pieces[n++] = (struct gpube_cells){.values = r->messages[~id].values,
				.first = message_cell(be, ~id, p, values),
				.stride = be->buckets[~id].cells / domain,
				.n = domain};
	}
	if (!n)
		return GPUBE_OK;
	status = r->sides->ops[side]->gather(
		be->ctx, s->cells, n, s->pieces, gpube__type_size(r->w->type));
	for (int64_t i = 0; i < n * domain && !status; i++)
		s->sums[i % domain] =
			be_clamp(s->sums[i % domain] + be_get(s->cells, r->w->type, i), r->w->top);
	return status;
}

/* The first value of the bucket's variable whose joined cost is least, from the kept messages. */
static int be_choose(struct run *r, int32_t p, int32_t *values, struct scratch *s)
{
	const struct gpube_be *be = r->be;
	const struct gpube_bucket *b = &be->buckets[p];
	int32_t best = 0, domain = be->m->vars[b->var].domain;
	int status;

	memset(s->sums, 0, (size_t)domain * sizeof(*s->sums));
	status = add_messages(r, p, 0, values, s);
	if (!status && r->sides->side)
		status = add_messages(r, p, 1, values, s);
	for (int32_t x = 0; x < domain && !status; x++) {
		values[b->var] = x;
		for (int32_t k = 0; k < b->n_in && s->sums[x] < r->w->top; k++) {
			int32_t id = be->inputs[b->in_at + k];

			if (id >= 0)
				s->sums[x] += be_clamp(
					gpube__function_cost(be->m, id, values), r->w->top);
		}
		if (s->sums[x] < s->sums[best])
			best = x;
	}
	values[b->var] = best;
	return status;
}

/* The one arg-min of bucket p that is needed, from the device's table of them. */
static int fetch_arg(struct run *r, int32_t p, int32_t *values)
{
	const struct gpube_be *be = r->be;
	const int32_t var = be->buckets[p].var;
	const int64_t bytes = gpube__be_arg_bytes(be->m->vars[var].domain);
	const int64_t at = message_cell(be, p, -1, values) * bytes;
	const struct gpube_cells word = {.values = r->block.base + r->block.layout.args_at[p],
		.first = at / 4,
		.stride = 1,
		.n = 1};
	uint8_t cell[4];
	int status = ops_of(r, p)->gather(be->ctx, cell, 1, &word, sizeof(cell));

	if (!status)
		values[var] = gpube__args_at(cell, at % 4 / bytes, (int)(8 * bytes));
	return status;
}

static int be_assign(struct run *r, int32_t *values)
{
	const struct gpube_be *be = r->be;
	struct scratch s;
	int status = scratch_init(&s, be);

	if (status)
		return status;
	for (int32_t p = be->n - 1; p >= 0 && !status; p--) {
		int32_t var = be->buckets[p].var;

		if (r->args[p])
			values[var] = gpube__args_at(r->args[p], message_cell(be, p, -1, values),
				gpube__be_arg_bits(be->m->vars[var].domain));
		else if (args_stay(r, p))
			status = fetch_arg(r, p, values);
		else
			status = be_choose(r, p, values, &s);
	}
	scratch_clear(be->ctx, &s);
	return status;
}

/* ---- the run ------------------------------------------------------------------- */

static uint64_t times(uint64_t a, uint64_t b, uint64_t modulus)
{
	uint64_t r;

	if (modulus)
		return a * b % modulus; /* both below 2^32 */
	return a == UINT64_MAX || b == UINT64_MAX || __builtin_mul_overflow(a, b, &r) ? UINT64_MAX
										      : r;
}

/* Adds a component's optimum; GPUBE_INF stays. */
static int add_scalar(struct run *r, int32_t p, int64_t *optimum, uint64_t *count)
{
	const struct gpube_ops *ops = ops_of(r, p);
	int64_t word, cost;
	uint64_t c;
	int status = ops->download(
		r->be->ctx, &word, r->messages[p].values, gpube__type_size(r->w->type));

	if (status)
		return status;
	cost = be_get(&word, r->w->type, 0);
	if (cost >= r->w->top || *optimum == GPUBE_INF ||
		__builtin_add_overflow(*optimum, cost, optimum))
		*optimum = GPUBE_INF;
	if (!r->counting)
		return GPUBE_OK;
	status = ops->download(r->be->ctx, &c, r->messages[p].counts, sizeof(c));
	if (!status)
		*count = times(*count, c, r->modulus);
	return status;
}

static int be_eliminate_all(struct run *r, int64_t *optimum, uint64_t *count)
{
	const struct gpube_be *be = r->be;
	int status = GPUBE_OK;

	for (int32_t p = 0; p < be->n && !status; p++) {
		if (gpube__stopped(be->ctx))
			return gpube__fail_stopped(be->ctx);
		status = be_eliminate(r, p);
		r->joined_done += be->buckets[p].joined;
		gpube__progress(be->ctx, r->joined_done / r->joined_total, "eliminating");
		if (!status && be->buckets[p].consumer < 0)
			status = add_scalar(r, p, optimum, count);
	}
	return status;
}

/* Waits for what is under way; its times are then written, also after a failure. */
static int be_settle(const struct run *r, double *copying)
{
	int status = GPUBE_OK;

	*copying = 0;
	for (int side = 0; side < 2; side++) {
		const struct gpube_ops *ops = r->sides->ops[side];

		if (ops && ops->settle && !status)
			status = ops->settle(r->be->ctx, copying);
	}
	return status;
}

/*
 * What is taken for the whole run stays when the plan counts it as gone: it is to fit beside the
 * plan's peak.
 */
static double spare_bytes(const struct run *r)
{
	struct gpube_be_memory most;

	gpube__be_memory(&most, r->be, r->w->type);
	return (double)gpube__ops_cpu()->memory(r->be->ctx) - (r->keep ? most.keep : most.args);
}

static int take_block(struct run *r)
{
	r->block.ops = r->sides->ops[0];
	r->block.blocks = r->blocks;
	r->block.spare = spare_bytes(r);
	if (r->sides->side || r->counting)
		return GPUBE_OK;
	return gpube__block_take(&r->block, r->be, r->w->type, r->keep, r->assigning);
}

static void run_clear(struct run *r)
{
	struct gpube_ctx *ctx = r->be->ctx;

	for (int32_t p = 0; p < r->be->n; p++) {
		if (r->messages)
			free_work(r, &r->messages[p]);
		if (r->args)
			gpube__free(ctx, r->args[p]);
	}
	gpube__block_give(&r->block, ctx);
	r->blocks->used = 0; /* arg-mins are gone, too */
	if (r->blocks == &r->own)
		gpube__blocks_clear(r->blocks, ctx);
	for (int side = 0; side < 2; side++)
		if (r->unpacked[side].at)
			r->sides->ops[side]->free(ctx, r->unpacked[side].at);
	if (r->home.at)
		gpube__ops_cpu()->free(ctx, r->home.at);
	gpube__window_clear(&r->window, r->be, r->sides);
	gpube__free(ctx, r->messages);
	gpube__free(ctx, r->args);
}

int gpube__be_run(int64_t *optimum, int32_t *values, uint64_t *count, const struct gpube_be *be,
	const struct gpube_be_sides *sides, const struct gpube_working *w, uint64_t modulus,
	bool keep, struct gpube_be_times *times)
{
	struct gpube_ctx *ctx = be->ctx;
	struct run r = {.be = be,
		.sides = sides,
		.w = w,
		.modulus = modulus,
		.counting = count != NULL,
		.keep = keep,
		.assigning = values != NULL,
		.seconds = times ? times->buckets : NULL};
	uint64_t n = (uint64_t)be->n, one = 1;
	double before, after, start;
	int status = GPUBE_ENOMEM;

	r.blocks = sides->blocks ? sides->blocks : &r.own;
	r.messages = gpube__alloc_zero(ctx, n, sizeof(*r.messages));
	r.args = gpube__alloc_zero(ctx, n, sizeof(*r.args));
	if (!r.messages || !r.args)
		goto out;
	status = be_settle(&r, &before);
	if (status)
		goto out;
	status = take_block(&r);
	if (status)
		goto out;
	r.joined_total = gpube__be_joined(be);
	*optimum = gpube__constant_of(be->m);
	if (count)
		*count = 1;
	status = be_eliminate_all(&r, optimum, count ? count : &one);
	if (be_settle(&r, &after) && !status)
		status = GPUBE_ECUDA;
	if (status)
		goto out;
	if (be->m->top != GPUBE_INF && *optimum >= be->m->top)
		*optimum = GPUBE_INF;
	if (count && *optimum == GPUBE_INF)
		*count = 0;
	start = gpube__now();
	if (values && *optimum != GPUBE_INF)
		status = be_assign(&r, values);
	if (times) {
		times->copying = after - before;
		times->assigning = gpube__now() - start;
	}
out:
	run_clear(&r);
	return status;
}
