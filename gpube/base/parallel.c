/*
 * parallel.c - gpube__parallel() on threads that a context keeps.
 *
 * Why not OpenMP: its regions end when every thread of the team has come, so that a
 * thread which the system has not let run yet holds up all others, and an elimination
 * opens thousands of regions of some 10 to 1000 microseconds. Here the caller starts at
 * once, whoever comes late finds nothing left, and only those who took an item are waited
 * for. Two cores beside other busy processes, medians: a contraction of 0.7 ms took 12 ms
 * in OpenMP's regions in half of the runs, eliminating a 20 x 20 grid 1.1 s against 0.35 s (one
 * thread: 0.35 s).
 *
 * Each thread begins with a piece of the items that is its own, and then helps with the others'.
 * So the same thread writes the same part of a table again and again, and what it needs is in
 * its core's cache: with one counter for all, half of the lines that a contraction of 0.1 ms
 * wrote came from the other core's cache, and two cores took as long as one.
 *
 * One word tells everything, so that it changes in one step: the number of the job, whether it
 * is open, and how many helpers are in it. A helper comes in by adding one while the job is
 * open; the caller closes it and waits until nobody is in; after that nobody reads the job.
 *
 * Who wakes the helpers that sleep. When the caller woke all of them at once, mini-buckets of some
 * hundred cells took 20 to 50 times as long on 16 threads as on one: fifteen calls of the system
 * for work of some microseconds. So the caller wakes one, each that comes in wakes two more, and
 * whoever is at work one more every now and then: a short job is over before many were woken, and
 * all have come soon to a long one.
 */
#define _GNU_SOURCE /* sched_getcpu(), affinities */
#include "gpube/base/base.h"
#include "gpube/base/thread.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	INSIDE = 0xffff, /* mask: helpers in the job */
	OPEN = 0x10000,
	JOB = 0x20000 /* + 1 for each job */
};

/* Before a thread sleeps it watches this long, since the next region is often near. */
static const double watch_seconds = 30e-6;

/* Work of a thread before it wakes one more of those that still sleep. */
static const double wake_seconds = 50e-6;

/*
 * Items of one thread; two cache lines each, which are fetched together: others look only when they
 * have nothing to do.
 */
struct piece {
	_Alignas(128) int64_t next; /* the first that nobody has */
	int64_t to;
};

struct helper {
	struct gpube__pool *pool;
	int thread; /* 1 … */
	int asleep; /* wants to be woken; whoever makes it 0 does that */
	pthread_cond_t wake;
	pthread_t id;
};

struct gpube__pool {
	uint64_t state;
	int n_asleep; /* a hint */
	int awaited;  /* the caller sleeps until the last helper has left */
	int busy, quit;

	void (*fn)(void *arg, int64_t item, int thread);
	void *arg;
	int threads;
	pthread_t caller;
	int caller_cpu;
	void (*thread_end)(void);

	pthread_mutex_t lock;
	pthread_cond_t left;
	pid_t owner; /* a child of fork() has no helpers */
	bool watch;
	int most; /* threads: as many as the context had when it needed the first helper */
	int n_helpers;
	struct helper *helpers; /* room for most - 1 */
	struct piece *pieces;   /* of each thread */
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#else
	__asm__ volatile("" ::: "memory");
#endif
}

/* True if the bits 'mask' of the state become, or cease to be, 'bits' soon. */
static bool watched(const struct gpube__pool *p, uint64_t mask, uint64_t bits, bool become)
{
	const double end = gpube__now() + watch_seconds;

	do
		for (int i = 0; i < 16; i++) {
			if (((__atomic_load_n(&p->state, __ATOMIC_ACQUIRE) & mask) == bits) ==
				become)
				return true;
			relax();
		}
	while (p->watch && gpube__now() < end);
	return false;
}

static int at_most(int64_t n, int most)
{
	return n < most ? (int)n : most;
}

/* Wakes up to 'most' sleepers whose own items are not all taken. */
static void wake(struct gpube__pool *p, int most)
{
	const int n = at_most(p->threads - 1, p->n_helpers);

	for (int i = 0; i < n && most > 0; i++) {
		struct helper *h = &p->helpers[i];
		const struct piece *own = &p->pieces[h->thread];

		if (__atomic_load_n(&own->next, __ATOMIC_RELAXED) >= own->to ||
			!__atomic_load_n(&h->asleep, __ATOMIC_SEQ_CST) ||
			!__atomic_exchange_n(&h->asleep, 0, __ATOMIC_SEQ_CST))
			continue;
		pthread_mutex_lock(&p->lock);
		pthread_cond_signal(&h->wake);
		pthread_mutex_unlock(&p->lock);
		most--;
	}
}

/* For a thread that has just done an item; *since: when it began, or last woke somebody. */
static void wake_one_more(struct gpube__pool *p, double *since)
{
	const double now = gpube__now();

	if (now - *since < wake_seconds)
		return;
	wake(p, 1);
	*since = now;
}

static void take_items(struct gpube__pool *p, int thread)
{
	double since = gpube__now();

	for (int k = 0; k < p->threads; k++) {
		struct piece *own = &p->pieces[(thread + k) % p->threads];

		while (__atomic_load_n(&own->next, __ATOMIC_RELAXED) < own->to) {
			const int64_t i = __atomic_fetch_add(&own->next, 1, __ATOMIC_RELAXED);

			if (i >= own->to)
				break;
			p->fn(p->arg, i, thread);
			if (__atomic_load_n(&p->n_asleep, __ATOMIC_RELAXED) > 0)
				wake_one_more(p, &since);
		}
	}
}

/* Into job 'state' if it is still open. */
static bool come_in(struct gpube__pool *p, uint64_t state)
{
	while (state & OPEN)
		if (__atomic_compare_exchange_n(&p->state, &state, state + 1, false,
			    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return true;
	return false;
}

static void go_out(struct gpube__pool *p)
{
	const uint64_t state = __atomic_sub_fetch(&p->state, 1, __ATOMIC_SEQ_CST);

	if (!(state & (OPEN | INSIDE)) && __atomic_load_n(&p->awaited, __ATOMIC_SEQ_CST)) {
		pthread_mutex_lock(&p->lock);
		pthread_cond_signal(&p->left);
		pthread_mutex_unlock(&p->lock);
	}
}

/*
 * When all cores are at work, a thread that wakes is often put on the waker's: there it takes
 * turns with the caller, and the other core is left to other programs.
 */
static void leave_the_callers_core(const struct gpube__pool *p)
{
#ifdef __linux__
	const int cpu = sched_getcpu();
	cpu_set_t cpus;

	if (!p->watch || cpu < 0 || cpu != p->caller_cpu ||
		pthread_getaffinity_np(p->caller, sizeof(cpus), &cpus))
		return;
	CPU_CLR(cpu, &cpus);
	if (CPU_COUNT(&cpus) > 0)
		pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
#else
	(void)p;
#endif
}

/* Waits for a job after 'seen'; its state, or 0 when there will be none. */
static uint64_t next_job(struct helper *h, uint64_t seen)
{
	struct gpube__pool *p = h->pool;
	const uint64_t mask = ~(uint64_t)(INSIDE | OPEN);
	uint64_t state;

	if (!watched(p, mask, seen & mask, false)) {
		pthread_mutex_lock(&p->lock);
		__atomic_add_fetch(&p->n_asleep, 1, __ATOMIC_RELAXED);
		for (;;) {
			/* again after each wait: it was made 0 by whoever woke us */
			__atomic_store_n(&h->asleep, 1, __ATOMIC_SEQ_CST);
			if (p->quit ||
				((__atomic_load_n(&p->state, __ATOMIC_SEQ_CST) ^ seen) & mask))
				break;
			pthread_cond_wait(&h->wake, &p->lock);
		}
		__atomic_store_n(&h->asleep, 0, __ATOMIC_SEQ_CST);
		__atomic_sub_fetch(&p->n_asleep, 1, __ATOMIC_RELAXED);
		state = p->quit ? 0 : __atomic_load_n(&p->state, __ATOMIC_SEQ_CST);
		pthread_mutex_unlock(&p->lock);
		return state;
	}
	return __atomic_load_n(&p->state, __ATOMIC_ACQUIRE);
}

static void *help(void *arg)
{
	struct helper *h = arg;
	struct gpube__pool *p = h->pool;
	uint64_t state = 0;

	while ((state = next_job(h, state)) != 0)
		if (come_in(p, state)) {
			if (h->thread < p->threads) {
				wake(p, 2);
				leave_the_callers_core(p);
				take_items(p, h->thread);
			}
			go_out(p);
		}
	if (p->thread_end)
		p->thread_end();
	return NULL;
}

static void free_memory(struct gpube__pool *p)
{
	free(p->pieces);
	free(p->helpers);
	free(p);
}

static void free_pool(struct gpube_ctx *ctx)
{
	struct gpube__pool *p = ctx->pool;

	if (p->owner == getpid()) {
		pthread_mutex_lock(&p->lock);
		p->quit = 1;
		p->thread_end = ctx->thread_end;
		/* one more job, closed: those who watch see it */
		__atomic_add_fetch(&p->state, JOB, __ATOMIC_SEQ_CST);
		for (int i = 0; i < p->n_helpers; i++)
			pthread_cond_signal(&p->helpers[i].wake);
		pthread_mutex_unlock(&p->lock);
		for (int i = 0; i < p->n_helpers; i++) {
			pthread_join(p->helpers[i].id, NULL);
			pthread_cond_destroy(&p->helpers[i].wake);
		}
		pthread_cond_destroy(&p->left);
		pthread_mutex_destroy(&p->lock);
	}
	free_memory(p);
	ctx->pool = NULL;
}

/* From malloc, as the threads: neither is the context's memory. */
static struct gpube__pool *new_pool(int threads)
{
	struct gpube__pool *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->helpers = calloc((size_t)threads, sizeof(*p->helpers));
	p->pieces = aligned_alloc(_Alignof(struct piece), (size_t)threads * sizeof(*p->pieces));
	if (!p->helpers || !p->pieces) {
		free_memory(p);
		return NULL;
	}
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->left, NULL);
	p->owner = getpid();
	p->most = threads;
	p->watch = threads <= sysconf(_SC_NPROCESSORS_ONLN);
	return p;
}

static struct gpube__pool *pool_of(struct gpube_ctx *ctx)
{
	if (!ctx->pool) {
		ctx->pool = new_pool(at_most(ctx->n_threads, GPUBE_MAX_THREADS));
		ctx->pool_free = ctx->pool ? free_pool : NULL;
	}
	return ctx->pool && ctx->pool->owner == getpid() ? ctx->pool : NULL;
}

/* So many helpers, or as many as the system gives. */
static void hire(struct gpube__pool *p, int n)
{
	while (p->n_helpers < n) {
		struct helper *h = &p->helpers[p->n_helpers];

		h->pool = p;
		h->thread = p->n_helpers + 1;
		pthread_cond_init(&h->wake, NULL);
		if (!gpube__thread_start(&h->id, help, h)) {
			pthread_cond_destroy(&h->wake);
			break;
		}
		p->n_helpers++;
	}
}

/* The threads' pieces of n items: their sizes differ by one at most. */
static void share_out(struct gpube__pool *p, int64_t n)
{
	const int64_t each = n / p->threads, more = n % p->threads;
	int64_t from = 0;

	for (int k = 0; k < p->threads; k++) {
		p->pieces[k].next = from;
		from += each + (k < more);
		p->pieces[k].to = from;
	}
}

static void open_job(struct gpube__pool *p)
{
	const uint64_t number = __atomic_load_n(&p->state, __ATOMIC_RELAXED) & ~(uint64_t)(JOB - 1);

	__atomic_store_n(&p->state, (number + JOB) | OPEN, __ATOMIC_SEQ_CST);
	wake(p, 1);
}

static void close_job(struct gpube__pool *p)
{
	__atomic_and_fetch(&p->state, ~(uint64_t)OPEN, __ATOMIC_SEQ_CST);
	if (watched(p, INSIDE, 0, true))
		return;
	pthread_mutex_lock(&p->lock);
	__atomic_store_n(&p->awaited, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&p->state, __ATOMIC_SEQ_CST) & INSIDE)
		pthread_cond_wait(&p->left, &p->lock);
	__atomic_store_n(&p->awaited, 0, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&p->lock);
}

void gpube__parallel(struct gpube_ctx *ctx, int64_t n,
	void (*fn)(void *arg, int64_t item, int thread), void *arg)
{
	struct gpube__pool *p = ctx->n_threads > 1 && n > 1 ? pool_of(ctx) : NULL;

	if (!p || __atomic_exchange_n(&p->busy, 1, __ATOMIC_ACQUIRE)) {
		for (int64_t i = 0; i < n; i++)
			fn(arg, i, 0);
		return;
	}
	p->fn = fn;
	p->arg = arg;
	p->threads = at_most(n, at_most(ctx->n_threads, p->most));
	p->caller = pthread_self();
#ifdef __linux__
	p->caller_cpu = sched_getcpu();
#endif
	share_out(p, n);
	hire(p, p->threads - 1);
	open_job(p);
	take_items(p, 0);
	close_job(p);
	__atomic_store_n(&p->busy, 0, __ATOMIC_RELEASE);
}

/* ---- work ------------------------------------------------------------------------------------ */

bool gpube__alone(const struct gpube_ctx *ctx)
{
	return ctx->n_threads > 1 &&
	       __atomic_load_n(&ctx->ticks, __ATOMIC_RELAXED) < ctx->alone_until;
}

int64_t gpube__alone_begin(struct gpube_ctx *ctx)
{
	const int64_t before = ctx->alone_until;

	ctx->alone_until = ctx->n_threads > 1 ? ctx->ticks + ctx->alone / (ctx->n_threads - 1) : 0;
	return before;
}

void gpube__alone_end(struct gpube_ctx *ctx, int64_t before)
{
	ctx->alone_until = before;
}

/* Threads of the context that the caller's work takes: itself, or all, where others wait for it. */
static int threads_of(const struct gpube_ctx *ctx)
{
	const bool together = ctx->pool && __atomic_load_n(&ctx->pool->busy, __ATOMIC_RELAXED);

	return together || gpube__alone(ctx) ? 1 : ctx->n_threads;
}

/* (A count that grows under a const context: it is no part of what that says.) */
static void count(const struct gpube_ctx *ctx, int64_t ticks)
{
	__atomic_fetch_add((int64_t *)&ctx->ticks, ticks, __ATOMIC_RELAXED);
}

void gpube__work(const struct gpube_ctx *ctx, int64_t ticks)
{
	for (; ctx; ctx = ctx->parent)
		count(ctx, ticks * threads_of(ctx));
}

void gpube__work_shared(const struct gpube_ctx *ctx, int64_t n, int64_t ticks)
{
	for (; ctx; ctx = ctx->parent) {
		const int threads = threads_of(ctx);

		count(ctx, ticks * threads / at_most(n > 1 ? n : 1, threads));
	}
}

void gpube__work_told(const struct gpube_ctx *ctx, int64_t ticks)
{
	for (; ctx; ctx = ctx->parent)
		count(ctx, ticks);
}

bool gpube__work_fits(const struct gpube_ctx *ctx, double ticks)
{
	int64_t left = INT64_MAX;

	for (const struct gpube_ctx *c = ctx; c; c = c->parent) {
		const int64_t at = __atomic_load_n(&c->tick_at, __ATOMIC_RELAXED);
		const int64_t until = at ? at - __atomic_load_n(&c->ticks, __ATOMIC_RELAXED) : left;

		left = until < left ? until : left;
	}
	if (left == INT64_MAX || ticks <= (double)left)
		return true;
	for (; ctx && left > 0; ctx = ctx->parent)
		__atomic_fetch_add((int64_t *)&ctx->ticks, left, __ATOMIC_RELAXED);
	return false;
}
