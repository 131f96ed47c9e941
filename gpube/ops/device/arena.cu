/*
 * arena.cu - device memory of one context. Chunks come from cudaMalloc, which
 * waits for the device, so each is at least as large as all before it: a
 * run asks a handful of times. Inside a chunk: best fit, neighbours merge.
 */
#include "gpube/ops/device/device.cuh"

#define ALIGN       256u
#define CHUNK_BYTES (64ull << 20)

struct block {
	char *at;
	uint64_t bytes;
	struct block *before, *after;        /* neighbours in the chunk */
	struct block *free_prev, *free_next; /* in the list of free blocks */
	struct block *chain;                 /* in its bucket of the hash, when used */
	bool used;
};

struct chunk {
	char *at;
	uint64_t bytes;
	struct chunk *next;
};

struct gpube__arena {
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

int gpube__arena_new(struct gpube__arena **out, struct gpube_ctx *ctx, uint64_t limit)
{
	struct gpube__arena *a = (struct gpube__arena *)gpube__alloc_zero(ctx, 1, sizeof(*a));

	*out = NULL;
	if (!a)
		return GPUBE_ENOMEM;
	a->limit = limit;
	a->n_hash = 1024;
	a->hash = (struct block **)gpube__alloc_zero(ctx, a->n_hash, sizeof(*a->hash));
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

		cudaFree(c->at);
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

/* Gives back the chunks that nobody uses, which waits for the device. */
static void shrink(struct gpube__arena *a, struct gpube_ctx *ctx)
{
	for (struct block *b = a->free_list, *next; b; b = next) {
		struct chunk **at = &a->chunks, *c;

		next = b->free_next;
		if (b->before || b->after)
			continue;
		while ((*at)->at != b->at)
			at = &(*at)->next;
		c = *at;
		*at = c->next;
		a->bytes -= c->bytes;
		cudaFree(c->at);
		gpube__free(ctx, c);
		unlist_free(a, b);
		gpube__free(ctx, b);
	}
}

/* A new chunk of at least 'bytes', as one free block. */
static struct block *grow(struct gpube__arena *a, struct gpube_ctx *ctx, uint64_t bytes)
{
	struct chunk *c = (struct chunk *)gpube__alloc(ctx, 1, sizeof(*c));
	struct block *b = (struct block *)gpube__alloc_zero(ctx, 1, sizeof(*b));
	cudaError_t error = cudaErrorMemoryAllocation;
	uint64_t size;

	if (!c || !b)
		goto fail;
	if (bytes <= a->limit && a->bytes > a->limit - bytes)
		shrink(a, ctx);
	if (bytes > a->limit || a->bytes > a->limit - bytes) {
		gpube__fail(ctx, GPUBE_ENOMEM,
		        "out of device memory: %llu bytes, %llu of %llu allowed are taken",
		        (unsigned long long)bytes, (unsigned long long)a->bytes,
		        (unsigned long long)a->limit);
		goto fail;
	}
	size = a->bytes > CHUNK_BYTES ? a->bytes : CHUNK_BYTES;
	if (size > a->limit - a->bytes)
		size = a->limit - a->bytes;
	/* ever smaller, down to what is needed now */
	for (size = size > bytes ? size : bytes; error != cudaSuccess; size /= 2) {
		if (size < bytes)
			size = bytes;
		error = cudaMalloc((void **)&c->at, size);
		if (error == cudaSuccess)
			break;
		(void)cudaGetLastError();
		if (size == bytes || error != cudaErrorMemoryAllocation) {
			gpube__fail(ctx, GPUBE_ENOMEM, "out of device memory: %llu bytes (%s)",
			        (unsigned long long)bytes, cudaGetErrorString(error));
			goto fail;
		}
	}
	c->bytes = size;
	c->next = a->chunks;
	a->chunks = c;
	a->bytes += size;
	b->at = c->at;
	b->bytes = size / ALIGN * ALIGN;
	list_free(a, b);
	return b;
fail:
	gpube__free(ctx, c);
	gpube__free(ctx, b);
	return NULL;
}

/* Twice the buckets, when the blocks outnumber them; staying slow is no failure. */
static void rehash(struct gpube__arena *a, struct gpube_ctx *ctx)
{
	const uint64_t n = a->n_hash;
	struct block **old = a->hash;
	struct block **hash = (struct block **)gpube__alloc_zero(ctx, 2 * n, sizeof(*hash));

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

static struct block *best_fit(struct gpube__arena *a, uint64_t bytes)
{
	struct block *best = NULL;

	for (struct block *b = a->free_list; b; b = b->free_next)
		if (b->bytes >= bytes && (!best || b->bytes < best->bytes))
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
	bytes = bytes ? (bytes + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
	b = best_fit(a, bytes);
	if (!b)
		b = grow(a, ctx, bytes);
	if (!b)
		return NULL;
	if (b->bytes > bytes) {
		rest = (struct block *)gpube__alloc_zero(ctx, 1, sizeof(*rest));
		if (!rest)
			return NULL;
		rest->at = b->at + bytes;
		rest->bytes = b->bytes - bytes;
		rest->before = b;
		rest->after = b->after;
		if (b->after)
			b->after->before = rest;
		b->after = rest;
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
	b->after = after->after;
	if (b->after)
		b->after->before = b;
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
