/* be_layout.c - see be_layout.h. */
#include "gpube/be_layout.h"

#include <stdlib.h>
#include <string.h>

#define ALIGN	    256u /* of tables: what a device's arena gives */
#define PLACED_FROM (1 << 20)
#define MOST_PLACED 2048

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

/* The lowest place for t beside the k tables that are placed, by address; returns t's rank in them. */
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

/* Most bytes at once; 'change' has n + 2 words. */
static uint64_t most_alive(
	const struct gpube__lifetime *t, int32_t n_tables, int64_t *change, int32_t n)
{
	int64_t alive = 0, most = 0;

	memset(change, 0, ((size_t)n + 2) * sizeof(*change));
	for (int32_t i = 0; i < n_tables; i++) {
		change[t[i].from] += (int64_t)t[i].bytes;
		change[t[i].to + 1] -= (int64_t)t[i].bytes;
	}
	for (int32_t p = 0; p < n; p++) {
		alive += change[p];
		most = alive > most ? alive : most;
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

int gpube__be_layout(struct gpube__layout *out, const struct gpube_be *be, enum gpube_type type,
	bool keep, bool assigning)
{
	const uint64_t size = gpube__type_size(type);
	struct gpube__lifetime *t = gpube__alloc(be->ctx, (uint64_t)be->n, sizeof(*t));
	int64_t *change = gpube__alloc(be->ctx, (uint64_t)be->n + 2, sizeof(*change));
	int32_t n = 0;
	int status = GPUBE_ENOMEM;

	memset(out, 0, sizeof(*out));
	out->at = gpube__alloc(be->ctx, (uint64_t)be->n, sizeof(*out->at));
	if (!t || !change || !out->at)
		goto out;
	for (int32_t p = 0; p < be->n; p++) {
		const uint64_t bytes = (uint64_t)be->buckets[p].cells * size;

		out->at[p] = GPUBE__NO_PLACE;
		if (bytes >= PLACED_FROM)
			t[n++] = (struct gpube__lifetime){(bytes + ALIGN - 1) / ALIGN * ALIGN, p,
				needed_to(be, p, type, keep, assigning), 0};
	}
	if (n > MOST_PLACED) {
		qsort(t, (size_t)n, sizeof(*t), largest_cells_first);
		n = MOST_PLACED;
	}
	out->alive = most_alive(t, n, change, be->n);
	status = gpube__lay_out(&out->bytes, be->ctx, t, n);
	for (int32_t i = 0; i < n && !status; i++)
		out->at[t[i].from] = t[i].at;
out:
	gpube__free(be->ctx, t);
	gpube__free(be->ctx, change);
	if (status)
		gpube__layout_clear(out, be->ctx);
	return status;
}

void gpube__layout_clear(struct gpube__layout *l, struct gpube_ctx *ctx)
{
	gpube__free(ctx, l->at);
	memset(l, 0, sizeof(*l));
}
