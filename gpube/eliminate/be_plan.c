/* be_plan.c - which functions and messages meet in which bucket, and what that takes. */
#include "gpube/eliminate/be_plan.h"
#include "gpube/ir/chains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_BYTES (16 << 20) /* of copies that go up together */
#define ALIGN        256u       /* of each: what arenas and vector loads like */

void gpube__be_clear(struct gpube_be *be)
{
	GPUBE_FREE_ALL(be->ctx, be->position, be->buckets, be->inputs, be->scopes);
	memset(be, 0, sizeof(*be));
}

double gpube__be_joined(const struct gpube_be *be)
{
	double joined = 0;

	for (int32_t p = 0; p < be->n; p++)
		joined += be->buckets[p].joined;
	return joined;
}

/* Adds variables not seen before in this bucket to be->scopes, as positions. */
static int add_scope(struct gpube_be *be, int32_t p, int32_t *seen, const int32_t *scope, int32_t n,
	bool positions)
{
	if (gpube__grow(be->ctx, &be->scopes, &be->scopes_capacity, be->n_scopes + n,
		    sizeof(*be->scopes)))
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < n; k++) {
		int32_t q = positions ? scope[k] : be->position[scope[k]];

		if (q == p || seen[q] == p)
			continue;
		seen[q] = p;
		be->scopes[be->n_scopes++] = q;
	}
	return GPUBE_OK;
}

static int fill_bucket(struct gpube_be *be, int32_t p, const struct gpube_chains *c, int32_t *seen,
	const int32_t *order)
{
	struct gpube_bucket *b = &be->buckets[p];
	int status = GPUBE_OK;

	b->in_at = be->n_inputs;
	b->scope_at = be->n_scopes;
	for (int32_t k = c->head[p]; k >= 0 && !status; k = c->links[k].next) {
		int32_t id = c->links[k].id;

		status = gpube__grow(be->ctx, &be->inputs, &be->inputs_capacity, be->n_inputs + 1,
			sizeof(*be->inputs));
		if (status)
			break;
		be->inputs[be->n_inputs++] = id;
		if (id >= 0)
			status = add_scope(be, p, seen, gpube__scope(be->m, id),
				be->m->functions[id].arity, false);
		else {
			const struct gpube_bucket *from = &be->buckets[~id];
			int64_t at = from->scope_at;

			/* growing first, so that the message's scope does not move while it is read
			 */
			status = gpube__grow(be->ctx, &be->scopes, &be->scopes_capacity,
				be->n_scopes + from->n_scope, sizeof(*be->scopes));
			if (!status)
				status = add_scope(
					be, p, seen, be->scopes + at, from->n_scope, true);
		}
	}
	if (status)
		return status;
	b->n_in = (int32_t)(be->n_inputs - b->in_at);
	b->n_scope = (int32_t)(be->n_scopes - b->scope_at);
	if (b->n_scope)
		qsort(be->scopes + b->scope_at, (size_t)b->n_scope, sizeof(int32_t),
			gpube__compare_int32);
	b->consumer = b->n_scope ? be->scopes[b->scope_at] : -1;
	b->cells = 1;
	for (int32_t k = 0; k < b->n_scope && b->cells >= 0; k++)
		b->cells = gpube__mul_size(
			b->cells, be->m->vars[order[be->scopes[b->scope_at + k]]].domain);
	if (b->cells < 0 || b->cells > INT64_MAX / 2)
		return gpube__fail(be->ctx, GPUBE_ELIMIT,
			"the order needs a table over %d variables of more than 2^62 cells",
			b->n_scope);
	b->joined = (double)b->cells * be->m->vars[b->var].domain;
	if (b->n_in > be->most_inputs)
		be->most_inputs = b->n_in;
	return GPUBE_OK;
}

int gpube__be_init(struct gpube_be *be, const struct gpube_model *m, const int32_t *order)
{
	struct gpube_ctx *ctx = m->ctx;
	struct gpube_chains c = {.ctx = ctx};
	int32_t *seen = NULL;
	uint64_t n = (uint64_t)m->n_vars;
	int status = GPUBE_ENOMEM;

	memset(be, 0, sizeof(*be));
	be->ctx = ctx;
	be->m = m;
	be->n = m->n_vars;
	be->position = gpube__alloc(ctx, n, sizeof(*be->position));
	be->buckets = gpube__alloc_zero(ctx, n, sizeof(*be->buckets));
	seen = gpube__alloc(ctx, n, sizeof(*seen));
	if (!be->position || !be->buckets || !seen)
		goto out;
	for (int32_t p = 0; p < be->n; p++) {
		be->position[order[p]] = p;
		be->buckets[p].var = order[p];
		seen[p] = -1;
	}
	status = gpube__chains_init(&c, m, be->position);
	for (int32_t p = 0; p < be->n && !status; p++) {
		status = fill_bucket(be, p, &c, seen, order);
		if (!status && be->buckets[p].consumer >= 0)
			status = gpube__chains_push(&c, be->buckets[p].consumer, ~p);
	}
out:
	gpube__free(ctx, seen);
	gpube__chains_clear(&c);
	if (status)
		gpube__be_clear(be);
	return status;
}

/* What a table or a message can hold: finite costs from 0 to max, and forbidden ones. */
struct range {
	__int128 max;
	bool forbids;
};

static struct range range_of(const struct gpube_table *t)
{
	struct range r = {0, false};

	for (int64_t k = t->sparse ? -1 : 0; k < t->n; k++) {
		int64_t v = k < 0 ? t->dflt.i : gpube__table_int(t, k);

		if (v == GPUBE_INF)
			r.forbids = true;
		else if (v > r.max)
			r.max = v;
	}
	return r;
}

/* The largest sum of inputs that any bucket can meet, each of them cut off. */
static __int128 largest_sum(
	const struct gpube_be *be, const struct range *tables, struct range *messages, __int128 top)
{
	__int128 largest = 0;

	for (int32_t p = 0; p < be->n; p++) {
		const struct gpube_bucket *b = &be->buckets[p];
		struct range all = {0, false};
		__int128 sum = 0;

		for (int32_t k = 0; k < b->n_in; k++) {
			int32_t id = be->inputs[b->in_at + k];
			struct range in =
				id >= 0 ? tables[be->m->functions[id].table] : messages[~id];

			in.forbids |= in.max >= top;
			all.max += in.max;
			all.forbids |= in.forbids;
			sum += in.forbids ? top : in.max;
		}
		messages[p] = all;
		largest = sum > largest ? sum : largest;
	}
	return largest;
}

int gpube__be_working(struct gpube_working *w, const struct gpube_be *be)
{
	const struct gpube_model *m = be->m;
	struct gpube_ctx *ctx = be->ctx;
	struct range *tables = gpube__alloc(ctx, (uint64_t)m->n_tables, sizeof(*tables));
	struct range *messages = gpube__alloc(ctx, (uint64_t)be->n, sizeof(*messages));
	__int128 top = 1, most;
	int status = GPUBE_ENOMEM;

	if (!tables || !messages)
		goto out;
	for (int32_t t = 0; t < m->n_tables; t++) {
		tables[t] = range_of(&m->tables[t]);
		top += tables[t].max * m->tables[t].n_users;
	}
	if (m->top != GPUBE_INF && (__int128)m->top - m->constant < top)
		top = (__int128)m->top - m->constant;
	if (top < 1)
		top = 1; /* top is reached by the constant alone: everything that costs is forbidden
			  */
	most = largest_sum(be, tables, messages, top);
	most = most > top ? most : top;
	status = most > INT64_MAX
			 ? gpube__fail(ctx, GPUBE_ERANGE,
				   "costs are too large: a sum of at most %d tables may pass 2^63",
				   be->most_inputs)
			 : GPUBE_OK;
	if (status)
		goto out;
	w->type = most <= INT32_MAX ? GPUBE_INT32 : GPUBE_INT64;
	w->top = (int64_t)top;
out:
	gpube__free(ctx, tables);
	gpube__free(ctx, messages);
	return status;
}

/* Cells of the messages into bucket p. */
static double message_cells(const struct gpube_be *be, int32_t p)
{
	const struct gpube_bucket *b = &be->buckets[p];
	double cells = 0;

	for (int32_t k = 0; k < b->n_in; k++) {
		int32_t id = be->inputs[b->in_at + k];

		if (id < 0)
			cells += (double)be->buckets[~id].cells;
	}
	return cells;
}

static double args_bytes(const struct gpube_be *be, int32_t p)
{
	const struct gpube_bucket *b = &be->buckets[p];

	return ceil((double)b->cells * gpube__be_arg_bits(be->m->vars[b->var].domain) / 8);
}

bool gpube__be_stores_args(const struct gpube_be *be, int32_t p, enum gpube_type type)
{
	return message_cells(be, p) * (double)gpube__type_size(type) > args_bytes(be, p);
}

bool gpube__be_keeps(
	const struct gpube_be_memory *memory, struct gpube_ctx *ctx, const struct gpube_ops *ops)
{
	return memory->keep <= memory->args ||
	       (ops->alloc_block && memory->keep <= (double)ops->memory(ctx));
}

double gpube__be_copy_bytes(const struct gpube_be *be, int32_t function, size_t size)
{
	int64_t cells = gpube__cells(
		be->m, be->m->functions[function].arity, gpube__scope(be->m, function));

	return cells < 0 ? INFINITY : ceil((double)cells * (double)size / ALIGN) * ALIGN;
}

int32_t gpube__be_window_end(double *bytes, const struct gpube_be *be, int32_t p, size_t size)
{
	*bytes = 0;
	for (int32_t end = p; end < be->n; end++) {
		const struct gpube_bucket *b = &be->buckets[end];
		double sum = *bytes;

		for (int32_t k = 0; k < b->n_in; k++) {
			int32_t id = be->inputs[b->in_at + k];

			if (id >= 0)
				sum += gpube__be_copy_bytes(be, id, size);
		}
		if (end > p && sum > WINDOW_BYTES)
			return end;
		*bytes = sum;
	}
	return be->n;
}

void gpube__be_memory(struct gpube_be_memory *out, const struct gpube_be *be, enum gpube_type type)
{
	const double value = (double)gpube__type_size(type), count = sizeof(uint64_t);
	/* cells of messages: all, those not yet used, those kept for arg-mins to be recomputed */
	double kept = 0, alive = 0, recompute = 0;
	double args = 0, unpacked = 0, loaded = 0; /* bytes */
	int32_t window = 0;

	memset(out, 0, sizeof(*out));
	for (int32_t p = 0; p < be->n; p++) {
		const struct gpube_bucket *b = &be->buckets[p];
		const double inputs = message_cells(be, p);
		const bool stores = gpube__be_stores_args(be, p, type);

		if (p == window) {
			window = gpube__be_window_end(&loaded, be, p, gpube__type_size(type));
			loaded *= 2; /* and the host's staging area */
		}
		kept += (double)b->cells;
		alive += (double)b->cells;
		if (stores) {
			const int bytes = gpube__be_arg_bytes(be->m->vars[b->var].domain);

			args += args_bytes(be, p);
			/* as they are made, and on their way home */
			unpacked = fmax(unpacked, 2 * (double)b->cells * bytes);
		}
		out->keep = fmax(out->keep, kept * value + loaded);
		out->args = fmax(out->args, (alive + recompute) * value + loaded + args + unpacked);
		out->count = fmax(out->count, alive * (value + count) + loaded);
		alive -= inputs;
		recompute += stores ? 0 : inputs;
	}
}
