/* arena.c - see arena.h. */
#include "gpube/ops/device/arena.h"

#define ALIGN       256u
#define PIECE_BYTES (64ull << 20)
#define GROWTH      8 /* a piece grows by this part of all at least, so that it does so seldom */

struct block {
	char *at;
	uint64_t bytes;
	struct chunk *chunk;
	struct block *before, *after;        /* neighbours in the chunk */
	struct block *free_prev, *free_next; /* in the list of free blocks */
	struct block *chain;                 /* in its bucket of the hash, when used */
	bool used;
};

struct chunk {
	struct gpube__piece piece;
	struct block *last;
	struct chunk *next; /* an older one */
};

struct gpube__arena {
	struct gpube__source *source;
	struct chunk *chunks;
	uint64_t bytes; /* of all chunks */
	uint64_t limit; /* most of them */
	uint64_t given; /* of used blocks */
	struct block *free_list;
	struct block **hash; /* used blocks by address */
	uint64_t n_hash, n_used;
};

uint64_t gpube__arena_left(const struct gpube__arena *a)
{
	return a->limit - a->given;
}

static uint64_t hash_of(const struct gpube__arena *a, const void *p)
{
	return (uint64_t)(uintptr_t)p / ALIGN * 0x9e3779b97f4a7c15u >> 20 & (a->n_hash - 1);
}

static uint64_t multiple(uint64_t bytes, uint64_t of)
{
	return (bytes + of - 1) / of * of;
}

int gpube__arena_new(struct gpube__arena **out, struct gpube_ctx *ctx, struct gpube__source *source,
	uint64_t limit)
{
	struct gpube__arena *a = gpube__alloc_zero(ctx, 1, sizeof(*a));

	*out = NULL;
	if (!a)
		return GPUBE_ENOMEM;
	a->source = source;
	a->limit = limit;
	a->n_hash = 1024;
	a->hash = gpube__alloc_zero(ctx, a->n_hash, sizeof(*a->hash));
	if (!a->hash) {
		gpube__free(ctx, a);
		return GPUBE_ENOMEM;
	}
	*out = a;
	return GPUBE_OK;
}

void gpube__arena_free(struct gpube__arena *a, struct gpube_ctx *ctx)
{
	struct chunk *c = a ? a->chunks : NULL;

	if (!a)
		return;
	for (uint64_t i = 0; i < a->n_hash; i++)
		for (struct block *b = a->hash[i], *next; b; b = next) {
			next = b->chain;
			gpube__free(ctx, b);
		}
	for (struct block *b = a->free_list, *next; b; b = next) {
		next = b->free_next;
		gpube__free(ctx, b);
	}
	while (c) {
		struct chunk *next = c->next;

		a->source->give(a->source, &c->piece);
		gpube__free(ctx, c);
		c = next;
	}
	gpube__free(ctx, a->hash);
	gpube__free(ctx, a);
}

static void list_free(struct gpube__arena *a, struct block *b)
{
	b->used = false;
	b->free_prev = NULL;
	b->free_next = a->free_list;
	if (a->free_list)
		a->free_list->free_prev = b;
	a->free_list = b;
}

static void unlist_free(struct gpube__arena *a, struct block *b)
{
	if (b->free_prev)
		b->free_prev->free_next = b->free_next;
	else
		a->free_list = b->free_next;
	if (b->free_next)
		b->free_next->free_prev = b->free_prev;
}

/* Block b is followed by 'after', which may be NULL. */
static void set_after(struct block *b, struct block *after)
{
	b->after = after;
	if (after)
		after->before = b;
	else
		b->chunk->last = b;
}

/* Gives back the chunks that nobody uses; false: there are none. */
static bool shrink(struct gpube__arena *a, struct gpube_ctx *ctx)
{
	bool any = false;

	for (struct block *b = a->free_list, *next; b; b = next) {
		struct chunk **at = &a->chunks, *c = b->chunk;

		next = b->free_next;
		if (b->before || b->after)
			continue;
		while (*at != c)
			at = &(*at)->next;
		*at = c->next;
		a->bytes -= c->piece.bytes;
		a->source->give(a->source, &c->piece);
		gpube__free(ctx, c);
		unlist_free(a, b);
		gpube__free(ctx, b);
		any = true;
	}
	return any;
}

/*
 * A free block of at least 'bytes' at the end of the newest chunk, or NULL. The first of all chunks
 * stays as it is.
 */
static struct block *lengthen(struct gpube__arena *a, struct gpube_ctx *ctx, uint64_t bytes)
{
	struct chunk *c = a->chunks;
	const uint64_t step = a->source->step;
	struct block *b, *last;
	uint64_t least, more;

	if (!a->source->lengthens || !c || !c->next)
		return NULL;
	last = c->last;
	least = multiple(bytes - (last->used ? 0 : last->bytes), step);
	if (least > a->limit - a->bytes)
		return NULL;
	more = multiple(a->bytes / GROWTH > least ? a->bytes / GROWTH : least, step);
	b = last->used ? gpube__alloc_zero(ctx, 1, sizeof(*b)) : last;
	if (!b)
		return NULL;
	if (more > a->limit - a->bytes || !a->source->extend(a->source, &c->piece, more)) {
		more = least;
		if (!a->source->extend(a->source, &c->piece, more)) {
			if (b != last)
				gpube__free(ctx, b);
			return NULL;
		}
	}
	a->bytes += more;
	if (b == last) {
		b->bytes += more;
		return b;
	}
	b->at = last->at + last->bytes;
	b->bytes = more;
	b->chunk = c;
	set_after(last, b);
	set_after(b, NULL);
	list_free(a, b);
	return b;
}

/* A new chunk of at least 'bytes', as one free block; ever smaller, down to what is needed now. */
static struct block *add_chunk(struct gpube__arena *a, struct gpube_ctx *ctx, uint64_t bytes)
{
	struct chunk *c = gpube__alloc_zero(ctx, 1, sizeof(*c));
	struct block *b = gpube__alloc_zero(ctx, 1, sizeof(*b));
	const uint64_t step = a->source->step, least = multiple(bytes, step);
	/* where chunks stay as they are, each is as large as all before it, so that they are few */
	uint64_t size = a->bytes > PIECE_BYTES && !a->source->lengthens ? a->bytes : PIECE_BYTES;
	const char *problem;

	if (!c || !b)
		goto fail;
	if (size > a->limit - a->bytes)
		size = a->limit - a->bytes;
	size = size / step * step;
	for (size = size > least ? size : least;; size = size / 2 / step * step) {
		if (size < least)
			size = least;
		problem = a->source->get(a->source, &c->piece, size);
		if (!problem)
			break;
		if (size == least) {
			gpube__fail(ctx, GPUBE_ENOMEM, "out of device memory: %llu bytes (%s)",
				(unsigned long long)bytes, problem);
			goto fail;
		}
	}
	c->next = a->chunks;
	a->chunks = c;
	a->bytes += size;
	b->at = c->piece.at;
	b->bytes = size / ALIGN * ALIGN;
	b->chunk = c;
	set_after(b, NULL);
	list_free(a, b);
	return b;
fail:
	gpube__free(ctx, c);
	gpube__free(ctx, b);
	return NULL;
}

/* A free block of at least 'bytes', of memory that the arena did not have. */
static struct block *enlarge(struct gpube__arena *a, struct gpube_ctx *ctx, uint64_t bytes)
{
	struct block *b = lengthen(a, ctx, bytes);
	const uint64_t least = multiple(bytes, a->source->step);

	if (b)
		return b;
	if (least <= a->limit && a->bytes > a->limit - least)
		shrink(a, ctx);
	if (least > a->limit || a->bytes > a->limit - least) {
		gpube__fail(ctx, GPUBE_ENOMEM,
			"out of device memory: %llu bytes, %llu of %llu allowed are taken",
			(unsigned long long)bytes, (unsigned long long)a->bytes,
			(unsigned long long)a->limit);
		return NULL;
	}
	b = add_chunk(a, ctx, bytes);
	if (!b && shrink(a, ctx)) /* others have the rest of the device */
		b = add_chunk(a, ctx, bytes);
	return b;
}

/* Twice the buckets, when the blocks outnumber them; staying slow is no failure. */
static void rehash(struct gpube__arena *a, struct gpube_ctx *ctx)
{
	const uint64_t n = a->n_hash;
	struct block **old = a->hash;
	struct block **hash = gpube__alloc_zero(ctx, 2 * n, sizeof(*hash));

	if (!hash)
		return;
	a->hash = hash;
	a->n_hash = 2 * n;
	for (uint64_t i = 0; i < n; i++)
		for (struct block *b = old[i], *next; b; b = next) {
			const uint64_t h = hash_of(a, b->at);

			next = b->chain;
			b->chain = hash[h];
			hash[h] = b;
		}
	gpube__free(ctx, old);
}

static bool fits_better(const struct block *b, const struct block *best)
{
	const bool first = !b->chunk->next, best_first = best && !best->chunk->next;

	return !best || (first == best_first ? b->bytes < best->bytes : first);
}

/* In the first chunk, if it has room. */
static struct block *best_fit(struct gpube__arena *a, uint64_t bytes)
{
	struct block *best = NULL;

	for (struct block *b = a->free_list; b; b = b->free_next)
		if (b->bytes >= bytes && fits_better(b, best))
			best = b;
	return best;
}

void *gpube__arena_take(struct gpube__arena *a, struct gpube_ctx *ctx, uint64_t bytes)
{
	struct block *b, *rest = NULL;
	uint64_t h;

	if (bytes > UINT64_MAX / 2) {
		gpube__fail(ctx, GPUBE_ENOMEM, "out of device memory: %llu bytes",
			(unsigned long long)bytes);
		return NULL;
	}
	bytes = bytes ? multiple(bytes, ALIGN) : ALIGN;
	b = best_fit(a, bytes);
	if (!b)
		b = enlarge(a, ctx, bytes);
	if (!b)
		return NULL;
	if (b->bytes > bytes) {
		rest = gpube__alloc_zero(ctx, 1, sizeof(*rest));
		if (!rest)
			return NULL;
		rest->at = b->at + bytes;
		rest->bytes = b->bytes - bytes;
		rest->chunk = b->chunk;
		set_after(rest, b->after);
		set_after(b, rest);
		b->bytes = bytes;
	}
	unlist_free(a, b);
	if (rest)
		list_free(a, rest);
	a->given += bytes;
	if (++a->n_used > a->n_hash)
		rehash(a, ctx);
	b->used = true;
	h = hash_of(a, b->at);
	b->chain = a->hash[h];
	a->hash[h] = b;
	return b->at;
}

/* Block b, which is free and not listed, takes in the one after it. */
static void merge(struct gpube__arena *a, struct gpube_ctx *ctx, struct block *b)
{
	struct block *after = b->after;

	unlist_free(a, after);
	b->bytes += after->bytes;
	set_after(b, after->after);
	gpube__free(ctx, after);
}

void gpube__arena_give(struct gpube__arena *a, struct gpube_ctx *ctx, void *p)
{
	struct block **at, *b;

	if (!p)
		return;
	for (at = &a->hash[hash_of(a, p)]; *at && (*at)->at != p; at = &(*at)->chain)
		;
	b = *at;
	if (!b)
		return;
	*at = b->chain;
	a->n_used--;
	a->given -= b->bytes;
	if (b->after && !b->after->used)
		merge(a, ctx, b);
	if (b->before && !b->before->used) {
		struct block *before = b->before;

		/* b is not listed yet: merge() takes it from the list, so list it first */
		list_free(a, b);
		merge(a, ctx, before);
		return;
	}
	list_free(a, b);
}
