/*
 * reserve.c - what FLINT and GMP do where there is no memory. Left alone they abort, and neither
 * can return an error. So their memory functions are ours, which take from a reserve what malloc()
 * refuses, and note it for the thread: the calculation at hand is right and ends, and nash__room()
 * turns the note into ENOMEM before the next one. See exact.h.
 *
 * Designs weighed: to jump out of the library leaves behind what it has taken, and its pool of
 * integers half changed.
 */
#include <gmp.h>
#include <malloc.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "nash/exact.h"

/*
 * Between two calls of nash__room() integers of one dictionary's row grow, or one system of
 * equations is solved that was asked room for. Pages that are never used take no memory.
 */
#define RESERVE_BYTES ((size_t)16 << 20)

/* What a call may take without having asked. */
#define UNASKED_BYTES ((uint64_t)1 << 20)

/* In front of each block of the reserve. */
union head {
	size_t size;
	max_align_t align;
};

static alignas(max_align_t) unsigned char reserve[RESERVE_BYTES];
static size_t taken, n_blocks; /* bytes from its beginning; blocks that are in use */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool short_of;

static bool reserved(const void *p)
{
	return (uintptr_t)p - (uintptr_t)reserve < RESERVE_BYTES;
}

/* NULL where even the reserve is used up. */
static void *take(size_t size)
{
	const size_t bytes = sizeof(union head) * (2 + (size - 1) / sizeof(union head));
	union head *h = NULL;

	pthread_mutex_lock(&lock);
	if (size && size <= RESERVE_BYTES && bytes <= RESERVE_BYTES - taken) {
		h = (union head *)(void *)(reserve + taken);
		h->size = size;
		taken += bytes;
		n_blocks++;
	}
	pthread_mutex_unlock(&lock);
	short_of = true;
	return h ? h + 1 : NULL;
}

static void give_back(void)
{
	pthread_mutex_lock(&lock);
	if (--n_blocks == 0)
		taken = 0;
	pthread_mutex_unlock(&lock);
}

/* ---- for FLINT, on top of what it had before ------------------------------------------------- */

static struct {
	void *(*alloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
} flint;

static void *flint_alloc_or_take(size_t size)
{
	void *p = flint.alloc(size);

	return p ? p : take(size);
}

static void *flint_calloc_or_take(size_t n, size_t size)
{
	void *p = flint.calloc(n, size);

	if (p || (size && n > RESERVE_BYTES / size))
		return p;
	p = take(n * size);
	return p ? memset(p, 0, n * size) : NULL;
}

static void flint_give(void *p)
{
	if (reserved(p))
		give_back();
	else
		flint.free(p);
}

/* A block of the reserve moves to where there is memory. */
static void *moved(void *p, void *to, size_t size)
{
	const size_t old = ((const union head *)p)[-1].size;

	if (to) {
		memcpy(to, p, old < size ? old : size);
		give_back();
	}
	return to;
}

static void *flint_realloc_or_take(void *p, size_t size)
{
	void *q;
	size_t old;

	if (!p)
		return flint_alloc_or_take(size);
	if (reserved(p))
		return moved(p, flint_alloc_or_take(size), size);
	q = flint.realloc(p, size);
	if (q || size == 0)
		return q;
	q = take(size);
	if (q) {
		old = malloc_usable_size(p);
		memcpy(q, p, old < size ? old : size);
		flint.free(p);
	}
	return q;
}

/* ---- for GMP, unless the caller of this library has functions of its own ----------------------
 */

static struct {
	void *(*alloc)(size_t);
	void *(*realloc)(void *, size_t, size_t);
	void (*free)(void *, size_t);
} gmp; /* GMP's, which say that there is no memory, and abort */

static void *gmp_alloc_or_take(size_t size)
{
	void *p = malloc(size);

	p = p ? p : take(size);
	return p ? p : gmp.alloc(size);
}

static void *gmp_realloc_or_take(void *p, size_t old, size_t size)
{
	void *q;

	if (reserved(p))
		return moved(p, gmp_alloc_or_take(size), size);
	q = realloc(p, size);
	if (q)
		return q;
	q = take(size);
	if (!q)
		return gmp.realloc(p, old, size);
	memcpy(q, p, old < size ? old : size);
	free(p);
	return q;
}

static void gmp_give(void *p, size_t size)
{
	(void)size;
	if (reserved(p))
		give_back();
	else
		free(p);
}

static void install(void)
{
	void *(*alloc)(size_t);
	void *(*again)(void *, size_t, size_t);
	void (*give)(void *, size_t);

	__flint_get_memory_functions(&flint.alloc, &flint.calloc, &flint.realloc, &flint.free);
	__flint_set_memory_functions(
		flint_alloc_or_take, flint_calloc_or_take, flint_realloc_or_take, flint_give);
	mp_get_memory_functions(&alloc, &again, &give);
	mp_set_memory_functions(NULL, NULL, NULL);
	mp_get_memory_functions(&gmp.alloc, &gmp.realloc, &gmp.free);
	if (alloc == gmp.alloc && again == gmp.realloc && give == gmp.free)
		mp_set_memory_functions(gmp_alloc_or_take, gmp_realloc_or_take, gmp_give);
	else
		mp_set_memory_functions(alloc, again, give);
}

int nash__room(struct gpube_ctx *ctx, uint64_t bytes)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	void *probe;

	pthread_once(&once, install);
	if (!short_of && bytes <= UNASKED_BYTES)
		return GPUBE_OK;
	short_of = false;
	bytes = bytes < UNASKED_BYTES ? UNASKED_BYTES : bytes;
	probe = bytes < SIZE_MAX ? malloc((size_t)bytes) : NULL;
	free(probe);
	return probe ? GPUBE_OK
		     : gpube__fail(ctx, GPUBE_ENOMEM, "out of memory for integers: %llu bytes",
			       (unsigned long long)bytes);
}
