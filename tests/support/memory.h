/*
 * memory.h - contexts that count or refuse memory, and work in which every allocation fails once.
 */
#ifndef GPUBE_TEST_MEMORY_H
#define GPUBE_TEST_MEMORY_H

#include "gpube/gpube.h"

/*
 * Memory that can run out: allocation number 'fail_at' (from 0, frees not
 * counted) fails, none if negative. 'live' is what has not been freed. Threads
 * may share it.
 */
struct test_memory {
	long fail_at, n, live;
};

/* A context on it; the context itself is always granted and not counted. */
struct gpube_ctx *test_memory_ctx(struct test_memory *m);
/* Frees the context with what it keeps; fails the test unless nothing else is left. */
void test_memory_end(struct gpube_ctx *ctx, const struct test_memory *m);

/*
 * What is done while memory runs out: 'm' is what 'make' made before, with all memory, or NULL.
 * Returns a status, and has freed all that it took.
 */
typedef int (*scarce_work)(struct gpube_ctx *ctx, struct gpube_model *m, const void *arg);
typedef struct gpube_model *(*scarce_model)(struct gpube_ctx *ctx, const void *arg);

/*
 * fail_each_allocation() - the work again and again, each time in a context of its own where a
 * later allocation fails, until none does and it succeeds.
 * make    may be NULL; may set what the context allows
 * sparse  if not 0: of the n-th failures on, one in 1 + n / sparse is tried
 * Fails the test unless the work returns GPUBE_ENOMEM whenever an allocation failed, GPUBE_OK if
 * none did, and leaks nothing. Returns how many allocations it took.
 */
long fail_each_allocation(scarce_work work, scarce_model make, const void *arg, long sparse);

/*
 * The same for work that is done with what memory there is, such as bounds: it may succeed
 * although an allocation failed, until one run has needed none that fails.
 */
long fail_in_turn(scarce_work work, scarce_model make, const void *arg, long sparse);
/* That, on random_model() of random_spec_default(), with one thread and 64 MiB. */
void fail_on_random_model(scarce_work work, const void *arg, uint64_t seed, long sparse);

#endif
