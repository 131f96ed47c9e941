/*
 * base.h - context internals, memory, overflow-checked sizes, threads, clock,
 * random numbers. Depends on nothing but the public header's status codes.
 */
#ifndef GPUBE_BASE_H
#define GPUBE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpube/gpube.h"

/* Internal functions are written once for both compilers. */
#if defined(__CUDACC__)
#define GPUBE_HD __host__ __device__
#else
#define GPUBE_HD
#endif

#if defined(__GNUC__)
#define GPUBE_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define GPUBE_PRINTF(a, b)
#endif

enum { GPUBE_MAX_DEVICES = 8 };

struct gpube_rates;
struct gpube__turns;

/* A log of gpube_opts_set_log(). */
struct gpube__log_text {
	gpube_log_text_fn *fn;
	void *arg;
};

struct gpube_ctx {
	char error[512];
	int n_threads;
	uint64_t memory_bytes;        /* most bytes of tables alive at once */
	uint64_t device_memory_bytes; /* the same on a device; 0: what it has */
	gpube_log_fn *log;
	void *log_arg;
	struct gpube__log_text log_text; /* what log_arg may point to */
	bool bounds_unsaid; /* those of a part of the work, which are no bounds of the whole */
	gpube_realloc_fn *realloc_fn;
	void *realloc_arg;
	volatile int stop;   /* set from signal handlers and other threads */
	volatile int paused; /* whoever asks gpube__stopped() waits there: gpube__ctx_pause() */
	double deadline;     /* gpube__now() at which work stops; 0: never */
	int n_devices;       /* GPUs that were asked for, by index; 0: the first */
	int devices[GPUBE_MAX_DEVICES];
	/* what was measured of this machine (ops/rates.h), or NULL; a child's are its parent's */
	struct gpube_rates *rates;
	void *device; /* owned by the CUDA backend */
	void (*device_free)(struct gpube_ctx *);
	void *host; /* memory that the CPU backend keeps between calls */
	void (*host_free)(struct gpube_ctx *);
	struct gpube__pool *pool; /* the threads of gpube__parallel() */
	void (*pool_free)(struct gpube_ctx *);
	void (*thread_end)(void);       /* NULL, or called by each of them when it ends */
	const struct gpube_ctx *parent; /* of a child in a race, whose stop is its own, too */
	struct gpube__turns *turns;     /* NULL, or those of children that share one thread */
	int lane;
	int64_t ticks;              /* of work so far, its children's included: see gpube__work() */
	int64_t tick_at;            /* 'ticks' at which work stops; 0: never */
	int64_t alone, alone_until; /* see gpube__alone() */
};

/*
 * gpube__ctx_make() - a context of all cores and the memory that is free; realloc_fn may be NULL.
 * gpube__ctx_plain() - one that allocates and fails, and nothing else; not to be freed.
 * Errors: ENOMEM
 */
int gpube__ctx_make(struct gpube_ctx **out, gpube_realloc_fn *realloc_fn, void *realloc_arg);
struct gpube_ctx gpube__ctx_plain(void);

/* Sets the context's error text and returns 'status', so that it ends in "return gpube__fail(…)".
 */
int gpube__fail(struct gpube_ctx *ctx, enum gpube_status status, const char *fmt, ...)
	GPUBE_PRINTF(3, 4);

#ifdef __clang_analyzer__
/* which cannot see that the status comes back, and is not OK */
#define gpube__fail(ctx, status, ...) ((gpube__fail)(ctx, status, __VA_ARGS__), (int)(status))
/* what holds here for reasons that it cannot see */
#define GPUBE_KNOWN(condition)                                                                     \
	do {                                                                                       \
		if (!(condition))                                                                  \
			__builtin_unreachable();                                                   \
	} while (0)
/* and what is set before it is read */
#define GPUBE_KNOWN_SET(object) memset(&(object), 0, sizeof(object))
#else
#define GPUBE_KNOWN(condition)  ((void)0)
#define GPUBE_KNOWN_SET(object) ((void)0)
#endif

void gpube__log(struct gpube_ctx *ctx, enum gpube_log_level level, const char *fmt, ...)
	GPUBE_PRINTF(3, 4);
/* What is done; fraction < 0: nobody knows; from one thread at a time */
void gpube__progress(struct gpube_ctx *ctx, double fraction, const char *fmt, ...)
	GPUBE_PRINTF(3, 4);

/* Seconds of work before whose end no line of bounds is shown: the answer may come first. */
#define GPUBE__MOMENT 0.02

/*
 * gpube__bounds_text() - which bounds are known, the proved one first: "lower bound 41, upper bound
 * 43" where 'word' is " bound". The length, at most size - 1.
 * gpube__log_bounds() - reports them at level GPUBE_LOG_BOUNDS; sets level and text.
 * gpube__log_bounds_to() - the same to any log.
 */
size_t gpube__bounds_text(char *text, size_t size, const struct gpube_log *said, const char *word);
void gpube__log_bounds(struct gpube_ctx *ctx, struct gpube_log said);
void gpube__log_bounds_to(gpube_log_fn *log, void *arg, struct gpube_log said);
/* A log of which 'arg' is a struct gpube__log_text. */
void gpube__log_as_text(void *arg, const struct gpube_log *said);

/* True once the caller asked to stop or the deadline has passed; cheap enough for every tile. */
bool gpube__stopped(const struct gpube_ctx *ctx);
/* The status and text of a stop: ESTOP, "stopped" or "out of time". */
int gpube__fail_stopped(struct gpube_ctx *ctx);

/* ---- what callers of exported functions pass: EINVAL, or OK; nothing was done before --------- */

/* A null pointer where one is needed, maybe the context itself. */
int gpube__missing(struct gpube_ctx *ctx);
/* A number of an enum, or any from 0 to 'most'. */
int gpube__check_choice(struct gpube_ctx *ctx, const char *name, int64_t value, int64_t most);

/* ---- memory: NULL (and ENOMEM's text) on failure; n * size is checked; free takes NULL --- */

void *gpube__alloc(struct gpube_ctx *ctx, uint64_t n, uint64_t size);
void *gpube__alloc_zero(struct gpube_ctx *ctx, uint64_t n, uint64_t size);
/* 64-byte aligned, large ones in large pages where the system has them; NULL: ENOMEM. */
void *gpube__aligned_alloc(struct gpube_ctx *ctx, uint64_t bytes);
void gpube__aligned_free(struct gpube_ctx *ctx, void *p); /* NULL is fine */
void *gpube__realloc(struct gpube_ctx *ctx, void *p, uint64_t n, uint64_t size);
void gpube__free(struct gpube_ctx *ctx, void *p);
/* Each of several, named before any is gone. */
#define GPUBE_FREE_ALL(ctx, ...)                                                                   \
	gpube__free_all(ctx, (const void *const[]){__VA_ARGS__},                                   \
		sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *))
void gpube__free_all(struct gpube_ctx *ctx, const void *const *p, size_t n);
char *gpube__strdup(struct gpube_ctx *ctx, const char *s);

/*
 * gpube__result_new() - what gpube_result_free() frees: a struct of 'size' bytes, all 0.
 * clear   frees what it points to; NULL: nothing
 */
typedef void gpube__clear_fn(struct gpube_ctx *ctx, void *result);
void *gpube__result_new(struct gpube_ctx *ctx, size_t size, gpube__clear_fn *clear);
/* The result of a child context is its parent's, which has the memory and outlives it. */
void gpube__result_hand_over(void *result, struct gpube_ctx *parent);

/*
 * Grows *p (a pointer to an array of 'size'-byte items) so that 'need' items
 * fit; capacity doubles. *p is unchanged on failure.
 */
int gpube__grow(struct gpube_ctx *ctx, void *p, int64_t *capacity, int64_t need, size_t size);

/* a * b for sizes >= 0; -1 if the result passes INT64_MAX. */
static inline int64_t gpube__mul_size(int64_t a, int64_t b)
{
	int64_t r;

	return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &r) ? -1 : r;
}

/* "12 bytes", "3.4 KiB", "10^40 bytes"; in 'text', or static. */
enum { GPUBE_BYTES_TEXT = 32 };
const char *gpube__bytes_text(char text[GPUBE_BYTES_TEXT], double bytes);

/* v units of 10^-scale, "-4.30"; scale at most 18. Returns text. */
enum { GPUBE_DECIMAL_TEXT = 48 };
const char *gpube__decimal_text(char text[GPUBE_DECIMAL_TEXT], int64_t v, int scale);

/*
 * The first of n rising numbers that is not below 'key'; n: all are. Of the 64-bit ones each is the
 * beginning of 'size' bytes.
 */
int64_t gpube__first_from(const void *items, int64_t n, size_t size, int64_t key);
int32_t gpube__first_from32(const int32_t *items, int32_t n, int32_t key);

/*
 * gpube__sort() - as qsort(), also in that equal items have no order; a stop ends it.
 * Errors: ESTOP (the items are in any order, some maybe twice), ENOMEM
 */
int gpube__sort(struct gpube_ctx *ctx, void *items, uint64_t n, size_t size,
	int (*compare)(const void *, const void *));

/*
 * Binary heaps: items[0] is one that no other is before. An item is of 64 bytes at most.
 * gpube__heap_push() - the last of n items, which is new, finds its place.
 * gpube__heap_take() - item k of n becomes the last one, for the caller to take away; the others
 * are a heap.
 */
typedef bool (*gpube__before)(const void *, const void *);
void gpube__heap_push(void *items, int64_t n, size_t size, gpube__before before);
void gpube__heap_take(void *items, int64_t n, int64_t k, size_t size, gpube__before before);

/* For qsort(). */
int gpube__compare_int32(const void *a, const void *b);
int gpube__compare_int64(const void *a, const void *b);

/* ---- threads ------------------------------------------------------------- */

enum { GPUBE_MAX_THREADS = 1024 };

/*
 * Calls fn(arg, item, thread) for every item in [0, n), on up to ctx->n_threads
 * threads; thread is in [0, n_threads). Items are handed out one at a time. Each thread
 * begins with a part of its own, and then takes from the others'. Calls nested in it,
 * or beside it on the same context, run serially.
 */
void gpube__parallel(struct gpube_ctx *ctx, int64_t n,
	void (*fn)(void *arg, int64_t item, int thread), void *arg);

/*
 * One of several ways to an answer.
 * fn            gives OK once it has the answer. It works on 'ctx', a child of the race's context,
 *               and asks gpube__stopped() often. The child is gone after the race, so fn leaves
 *               nothing behind that needs it; memory is the parent's, and stays
 * most_threads  that it can use; 0: any number
 * share         where the ways take turns on one thread: its turns are so many times as long; 0: 1
 * status        out: of fn
 */
struct gpube__runner {
	int (*fn)(struct gpube_ctx *ctx, void *arg);
	void *arg;
	int most_threads, share, status;
};

/*
 * gpube__race() - runs all of at most 8 beside each other until one gives OK, and stops the others.
 * One that ends with ENOMEM, ELIMIT or ESTOP leaves the race to the others; any other failure ends
 * the race. Not for work on devices.
 * first  out: the one that ended the race; -1: none has the answer
 * Returns the first's status; without a first ESTOP if any was stopped, otherwise runners[0]'s.
 */
int gpube__race(struct gpube_ctx *ctx, struct gpube__runner *runners, int n, int *first);
/*
 * gpube__ctx_child() - a context for another thread: it may take what its parent may, and stops
 * when that does. Its log is nobody's, and it has no deadline of its own.
 * gpube__ctx_clear() - frees what a context owns, not the context.
 */
struct gpube_ctx gpube__ctx_child(const struct gpube_ctx *parent);
/* A child that works with the parent's device k, one of n that share its threads and memory. */
struct gpube_ctx gpube__ctx_device(const struct gpube_ctx *parent, int k, int n);
void gpube__ctx_clear(struct gpube_ctx *ctx);
/*
 * By another thread: all that is at work on the context waits where it next asks gpube__stopped(),
 * until it is let go on (false) or stopped.
 */
void gpube__ctx_pause(struct gpube_ctx *ctx, bool paused);

/* ---- words ------------------------------------------------------------- */

/* "1 cell", "2 cells": what stands behind a noun after a count. */
static inline const char *gpube__plural(double n)
{
	return n == 1 ? "" : "s";
}

/* ---- clock and random numbers -------------------------------------------- */

double gpube__now(void);         /* seconds, monotonic */
double gpube__cpu_seconds(void); /* of all threads of the process, so far */

/*
 * Work. What a method may do is limited by counted work, not by a clock, so that a run can be
 * repeated: the same model gives the same bounds on a slow machine and on a busy one. Engines count
 * what they touch, a block of cells, tuples or nodes at a time, in ticks; a tick is what a core
 * does in about a nanosecond. In 'seconds' of work there are 10^9 ticks. Threads count together,
 * those that wait for one of them, or for a card, too, once searches are no longer alone.
 * gpube__work()       so many ticks were worked, for the context and those that it is a child of
 * gpube__work_shared() the same of n items of a gpube__parallel(): a thread without one has waited
 * gpube__work_told()  ticks that were counted elsewhere, by any thread: they are as many here
 * gpube__worked()     seconds of work so far
 * gpube__work_until() gpube__stopped() is true from that time of work on, unless something earlier
 *                     is set; what was set before, for gpube__work_again(), which sets it back
 * gpube__work_fits()  whether so many ticks end before that time of work; if not, what is left of
 *                     it counts as worked. Work that is kept whole or not at all asks before it
 *                     begins: where it would be stopped depends on how a machine cuts it
 */
void gpube__work(const struct gpube_ctx *ctx, int64_t ticks);
void gpube__work_shared(const struct gpube_ctx *ctx, int64_t n, int64_t ticks);
void gpube__work_told(const struct gpube_ctx *ctx, int64_t ticks);
bool gpube__work_fits(const struct gpube_ctx *ctx, double ticks);
double gpube__worked(const struct gpube_ctx *ctx);
int64_t gpube__work_until(struct gpube_ctx *ctx, double seconds);
void gpube__work_again(struct gpube_ctx *ctx, int64_t until);

/*
 * Several threads of a search visit more nodes than one, since some of these would have been closed
 * by what others find, and a method that is given more at once than its share takes it from those
 * that would have proved sooner. So a run begins as it does with one thread: gpube__alone() is true
 * until the threads that have nothing to do would together have worked 'alone' ticks, and searches
 * take one thread until then. (What is only divided, such as an elimination, is not concerned.)
 * gpube__alone_begin() is the beginning of a run; returns what gpube__alone_end() sets back.
 */
#define GPUBE__ALONE_TICKS 500000000
int64_t gpube__alone_begin(struct gpube_ctx *ctx);
void gpube__alone_end(struct gpube_ctx *ctx, int64_t before);
bool gpube__alone(const struct gpube_ctx *ctx);

/* So many seconds of work, from now on; 0 or less left: they are used up. */
struct gpube_budget {
	const struct gpube_ctx *ctx;
	double start, seconds;
};
struct gpube_budget gpube__budget(const struct gpube_ctx *ctx, double seconds);
double gpube__budget_spent(const struct gpube_budget *b);
double gpube__budget_left(const struct gpube_budget *b);
/* It is used up, or its context is stopped. */
static inline bool gpube__budget_is_over(const struct gpube_budget *b)
{
	return gpube__budget_left(b) <= 0 || gpube__stopped(b->ctx);
}

/* By the clock, until the deadline: 0 when it is over, INFINITY where there is none. */
double gpube__seconds_left(const struct gpube_ctx *ctx);
/* The deadline is 'end', unless it is earlier; what it was, for who sets it back. */
double gpube__end_by(struct gpube_ctx *ctx, double end);
/* Of a call: it is so many seconds after 'start', 0: it stays; what it was, likewise. */
double gpube__time_limit(struct gpube_ctx *ctx, double start, double seconds);

struct gpube_rng {
	uint64_t s[4];
};

/* xoshiro256**, seeded through splitmix64 (Blackman and Vigna 2018): the same stream everywhere. */
GPUBE_HD static inline void gpube__rng_init(struct gpube_rng *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		uint64_t z = (seed += 0x9e3779b97f4a7c15u);

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
		r->s[i] = z ^ (z >> 31);
	}
}

GPUBE_HD static inline uint64_t gpube__rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

GPUBE_HD static inline uint64_t gpube__rng_next(struct gpube_rng *r)
{
	uint64_t *s = r->s, result = gpube__rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = gpube__rotl(s[3], 45);
	return result;
}

/* unbiased, [0, n), n >= 1 */
GPUBE_HD static inline uint64_t gpube__rng_below(struct gpube_rng *r, uint64_t n)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % n, x;

	do
		x = gpube__rng_next(r);
	while (x >= limit);
	return x % n;
}

/* [0, 1), 53 bits */
GPUBE_HD static inline double gpube__rng_unit(struct gpube_rng *r)
{
	return (double)(gpube__rng_next(r) >> 11) * 0x1p-53;
}

#endif
