/* be_layout.c - see be_layout.h. */
#include "gpube/eliminate/be_layout.h"
#include "gpube/eliminate/be_blocks.h"

#include <stdlib.h>
#include <string.h>

#define ALIGN       256u /* of tables: what a device's arena gives */
#define PLACED_FROM (1 << 20)
#define MOST_PLACED 2048

/*
 * Of a device's memory, with arg-mins: the rest is for small messages and what kernels need
 * besides.
 */
#define SHARE_OF_BLOCK 0.97

/*
 * Of what is alive at once: more than that between tables in one block is not worth it on a host.
 */
#define HOST_GAPS 8

static int largest_first(const void *a, const void *b)
{
	const struct gpube__lifetime *x = *(struct gpube__lifetime *const *)a;
	const struct gpube__lifetime *y = *(struct gpube__lifetime *const *)b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return x < y ? -1 : x > y; /* the same everywhere */
}

static bool meet(const struct gpube__lifetime *a, const struct gpube__lifetime *b)
{
	return a->from <= b->to && b->from <= a->to;
}

/*
 * The lowest place for t beside the k tables that are placed, by address; returns t's rank in them.
 */
static int32_t place(struct gpube__lifetime *t, struct gpube__lifetime *const *placed, int32_t k)
{
	int32_t rank = k;
	uint64_t at = 0;

	for (int32_t i = 0; i < k; i++) {
		if (!meet(t, placed[i]))
			continue;
		if (placed[i]->at >= at && placed[i]->at - at >= t->bytes)
			break;
		if (placed[i]->at + placed[i]->bytes > at)
			at = placed[i]->at + placed[i]->bytes;
	}
	t->at = at;
	while (rank > 0 && placed[rank - 1]->at > at)
		rank--;
	return rank;
}

int gpube__lay_out(
	uint64_t *bytes, struct gpube_ctx *ctx, struct gpube__lifetime *tables, int32_t n)
{
	struct gpube__lifetime **order = gpube__alloc(ctx, 2 * (uint64_t)n, sizeof(*order));
	struct gpube__lifetime **placed;

	if (!order)
		return GPUBE_ENOMEM;
	placed = order + n;
	for (int32_t i = 0; i < n; i++)
		order[i] = &tables[i];
	if (n)
		qsort(order, (size_t)n, sizeof(*order), largest_first);
	*bytes = 0;
	for (int32_t k = 0; k < n; k++) {
		struct gpube__lifetime *t = order[k];
		const int32_t rank = place(t, placed, k);

		memmove(placed + rank + 1, placed + rank, (size_t)(k - rank) * sizeof(*placed));
		placed[rank] = t;
		*bytes = t->at + t->bytes > *bytes ? t->at + t->bytes : *bytes;
	}
	gpube__free(ctx, order);
	return GPUBE_OK;
}

/* The last position that needs the message of bucket p. */
static int32_t needed_to(
	const struct gpube_be *be, int32_t p, enum gpube_type type, bool keep, bool assigning)
{
	const int32_t consumer = be->buckets[p].consumer;

	if (consumer < 0 || (assigning && (keep || !gpube__be_stores_args(be, consumer, type))))
		return be->n;
	return consumer;
}

/* Most bytes at once; 'alive', of n + 2 words, is how many there are by position. */
static uint64_t most_alive(
	const struct gpube__lifetime *t, int32_t n_tables, int64_t *alive, int32_t n)
{
	int64_t sum = 0, most = 0;

	memset(alive, 0, ((size_t)n + 2) * sizeof(*alive));
	for (int32_t i = 0; i < n_tables; i++) {
		alive[t[i].from] += (int64_t)t[i].bytes;
		alive[t[i].to + 1] -= (int64_t)t[i].bytes;
	}
	for (int32_t p = 0; p < n; p++) {
		sum += alive[p];
		alive[p] = sum;
		most = sum > most ? sum : most;
	}
	return (uint64_t)most;
}

static int largest_cells_first(const void *a, const void *b)
{
	const struct gpube__lifetime *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return x->from - y->from;
}

static uint64_t aligned(uint64_t bytes)
{
	return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static uint64_t args_bytes(const struct gpube_be *be, int32_t p)
{
	const struct gpube_bucket *b = &be->buckets[p];

	return aligned(
		(uint64_t)b->cells * (uint64_t)gpube__be_arg_bytes(be->m->vars[b->var].domain));
}

/*
 * Appends the arg-mins that have room beside what is alive, the last bucket's first: they stay to
 * the end, so that those of early buckets take room from all others. Returns how many tables there
 * are then; *largest: bytes of the largest that does not stay.
 */
static int32_t add_args(struct gpube__lifetime *t, int32_t n, const struct gpube_be *be,
	enum gpube_type type, const int64_t *alive, uint64_t room, uint64_t *largest)
{
	uint64_t most = 0;

	*largest = 0;
	for (int32_t p = be->n - 1; p >= 0; p--) {
		const uint64_t bytes = args_bytes(be, p);

		most = (uint64_t)alive[p] > most ? (uint64_t)alive[p] : most;
		if (!gpube__be_stores_args(be, p, type))
			continue;
		if (bytes >= PLACED_FROM && most + bytes <= room && n < 2 * MOST_PLACED) {
			t[n++] = (struct gpube__lifetime){bytes, p, be->n, 0};
			most += bytes;
		} else if (bytes > *largest) {
			*largest = bytes;
		}
	}
	return n;
}

/* Messages, and from number n_messages on arg-mins; at once, or without these. */
static int place_all(struct gpube__layout *out, const struct gpube_be *be,
	struct gpube__lifetime *t, int32_t n_messages, int32_t n, uint64_t room)
{
	int status = gpube__lay_out(&out->bytes, be->ctx, t, n);

	if (!status && n > n_messages && out->bytes > room) {
		n = n_messages;
		status = gpube__lay_out(&out->bytes, be->ctx, t, n);
	}
	for (int32_t i = 0; i < n && !status; i++)
		(i < n_messages ? out->at : out->args_at)[t[i].from] = t[i].at;
	return status;
}

int gpube__be_layout(struct gpube__layout *out, const struct gpube_be *be, enum gpube_type type,
	bool keep, bool assigning, uint64_t room)
{
	const uint64_t size = gpube__type_size(type);
	struct gpube__lifetime *t = gpube__alloc(be->ctx, 2 * (uint64_t)be->n, sizeof(*t));
	int64_t *alive = gpube__alloc(be->ctx, (uint64_t)be->n + 2, sizeof(*alive));
	uint64_t largest;
	int32_t n = 0, n_messages;
	int status = GPUBE_ENOMEM;

	memset(out, 0, sizeof(*out));
	out->at = gpube__alloc(be->ctx, (uint64_t)be->n, sizeof(*out->at));
	out->args_at = gpube__alloc(be->ctx, (uint64_t)be->n, sizeof(*out->args_at));
	if (!t || !alive || !out->at || !out->args_at)
		goto out;
	for (int32_t p = 0; p < be->n; p++) {
		const uint64_t bytes = (uint64_t)be->buckets[p].cells * size;

		out->at[p] = out->args_at[p] = GPUBE__NO_PLACE;
		if (bytes >= PLACED_FROM)
			t[n++] = (struct gpube__lifetime){
				aligned(bytes), p, needed_to(be, p, type, keep, assigning), 0};
	}
	if (n > MOST_PLACED) {
		qsort(t, (size_t)n, sizeof(*t), largest_cells_first);
		n = MOST_PLACED;
	}
	out->alive = most_alive(t, n, alive, be->n);
	n_messages = n;
	if (room && assigning && !keep) {
		n = add_args(t, n, be, type, alive, room, &largest);
		/* those that do not stay are made outside the block */
		room = largest < room ? room - largest : 0;
		if (largest)
			n = add_args(t, n_messages, be, type, alive, room, &largest);
	}
	status = place_all(out, be, t, n_messages, n, room);
out:
	gpube__free(be->ctx, t);
	gpube__free(be->ctx, alive);
	if (status)
		gpube__layout_clear(out, be->ctx);
	return status;
}

/* The room that is left for a block on a device of so many bytes, beside copies of functions. */
static uint64_t room_of(const struct gpube_be *be, enum gpube_type type, uint64_t memory)
{
	double most = 0, bytes;

	for (int32_t p = 0; p < be->n;) {
		p = gpube__be_window_end(&bytes, be, p, gpube__type_size(type));
		most = bytes > most ? bytes : most;
	}
	bytes = SHARE_OF_BLOCK * (double)memory - most;
	return bytes > 0 ? (uint64_t)bytes : 0;
}

void gpube__layout_clear(struct gpube__layout *l, struct gpube_ctx *ctx)
{
	gpube__free(ctx, l->at);
	gpube__free(ctx, l->args_at);
	memset(l, 0, sizeof(*l));
}

/* With as many arg-mins as there is room for in it, or without any. */
static int take(struct gpube__block *b, const struct gpube_be *be, enum gpube_type type, bool keep,
	bool assigning, uint64_t room)
{
	const struct gpube__layout *l = &b->layout;
	int status;

	gpube__layout_clear(&b->layout, be->ctx);
	status = gpube__be_layout(&b->layout, be, type, keep, assigning, room);
	if (status || !l->bytes)
		return status;
	if (b->ops->alloc_block)
		b->base = b->ops->alloc_block(be->ctx, l->bytes);
	else if ((double)l->bytes <= b->spare && l->bytes <= l->alive + l->alive / HOST_GAPS)
		b->base = gpube__blocks_take(b->blocks, be->ctx, l->bytes);
	if (b->base && !b->ops->alloc_block)
		b->spare -= (double)l->bytes;
	return GPUBE_OK;
}

int gpube__block_take(struct gpube__block *b, const struct gpube_be *be, enum gpube_type type,
	bool keep, bool assigning)
{
	uint64_t room = 0;
	int status;

	if (b->ops->alloc_block && assigning && !keep)
		room = room_of(be, type, b->ops->memory(be->ctx));
	status = take(b, be, type, keep, assigning, room);
	return status || b->base || !room ? status : take(b, be, type, keep, assigning, 0);
}

void gpube__block_give(struct gpube__block *b, struct gpube_ctx *ctx)
{
	if (b->base && b->ops->alloc_block)
		b->ops->free(ctx, b->base);
	else if (b->base)
		gpube__blocks_give(b->blocks, ctx, b->base, b->layout.bytes);
	b->base = NULL;
	gpube__layout_clear(&b->layout, ctx);
}
