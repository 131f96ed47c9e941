/*
 * subset_best.c - on the CPU, beside the convolution itself: the split that attains a
 * value, random values, the greater of two tables.
 */
#include "gpube/ops/subset/subset_tile.h"
#include "gpube/base/by_type.h"

#include <pthread.h>

#define CHUNK_BITS 16

struct search {
	struct gpube_subset_split *s;
	uint64_t low; /* the bits of x that a chunk runs through */
	bool found;
	int stopped;
	struct gpube_ctx *ctx;
	pthread_mutex_t lock; /* of 'found' and *s */
};

/*
 * The first of the best among y = from + any subset of 'low', in rising order. Where those are
 * all numbers up to 'low', as for the first part of a structure, by runs of successive ones.
 */
#define RUN  64
#define SIDE 16 /* maxima of a run that do not wait for each other */
#define LOOK(T, MOST, field)                                                                       \
	do {                                                                                       \
		const T *a = (const T *)r.a + from, *b = (const T *)r.b + (r.x ^ from);            \
		T best = (T)(a[0] + b[0]);                                                         \
		uint64_t y = 0, at = 0;                                                            \
                                                                                                   \
		for (; low + 1 == (uint64_t)1 << CHUNK_BITS && y < low; y += RUN) {                \
			const T *p = a + y, *q = b - y;                                            \
			T most[SIDE], all = best;                                                  \
                                                                                                   \
			for (int i = 0; i < SIDE; i++)                                             \
				most[i] = best;                                                    \
			for (int k = 0; k < RUN; k += SIDE)                                        \
				for (int i = 0; i < SIDE; i++) {                                   \
					const T sum = (T)(p[k + i] + q[-k - i]);                   \
                                                                                                   \
					most[i] = sum > most[i] ? sum : most[i];                   \
				}                                                                  \
			for (int i = 0; i < SIDE; i++)                                             \
				all = most[i] > all ? most[i] : all;                               \
			if (!(all > best))                                                         \
				continue;                                                          \
			best = all;                                                                \
			at = y;                                                                    \
			while ((T)(a[at] + b[-(int64_t)at]) != best)                               \
				at++;                                                              \
		}                                                                                  \
		while (y < low) {                                                                  \
			T sum;                                                                     \
                                                                                                   \
			y = (y - low) & low;                                                       \
			sum = (T)(a[y] + b[-(int64_t)y]);                                          \
			if (sum > best) {                                                          \
				best = sum;                                                        \
				at = y;                                                            \
			}                                                                          \
		}                                                                                  \
		r.sum.field = best;                                                                \
		r.y = from | at;                                                                   \
	} while (0)

static struct gpube_subset_split look(struct gpube_subset_split r, uint64_t from, uint64_t low)
{
	GPUBE_BY_VALUE(r.type, LOOK);
	return r;
}

bool gpube__split_better(const struct gpube_subset_split *s, const struct gpube_subset_split *t)
{
	if (s->type == GPUBE_FLOAT32 || s->type == GPUBE_FLOAT64)
		return s->sum.f > t->sum.f || (!(s->sum.f < t->sum.f) && s->y < t->y);
	return s->sum.i > t->sum.i || (s->sum.i == t->sum.i && s->y < t->y);
}

static void look_at_chunk(void *arg, int64_t item, int thread)
{
	struct search *l = arg;
	struct gpube_subset_split r;

	(void)thread;
	if (gpube__stopped(l->ctx))
		__atomic_store_n(&l->stopped, 1, __ATOMIC_RELAXED);
	if (__atomic_load_n(&l->stopped, __ATOMIC_RELAXED))
		return;
	r = look(*l->s, gpube__deposit((uint64_t)item, l->s->x ^ l->low), l->low);
	pthread_mutex_lock(&l->lock);
	if (!l->found || gpube__split_better(&r, l->s)) {
		l->found = true;
		l->s->sum = r.sum;
		l->s->y = r.y;
	}
	pthread_mutex_unlock(&l->lock);
}

int gpube__subset_best_cpu(struct gpube_ctx *ctx, struct gpube_subset_split *s)
{
	const int bits = __builtin_popcountll(s->x);
	struct search l = {.s = s, .ctx = ctx, .lock = PTHREAD_MUTEX_INITIALIZER};

	l.low = gpube__lowest_bits(s->x, bits < CHUNK_BITS ? bits : CHUNK_BITS);
	gpube__parallel(
		ctx, bits < CHUNK_BITS ? 1 : (int64_t)1 << (bits - CHUNK_BITS), look_at_chunk, &l);
	return l.stopped ? gpube__fail_stopped(ctx) : GPUBE_OK;
}

/* ---- random values ------------------------------------------------------------------------ */

struct filling {
	const struct gpube_ctx *ctx;
	struct gpube_fill f;
};

static void fill_chunk(void *arg, int64_t item, int thread)
{
	struct filling *l = arg;

	(void)thread;
	if (!gpube__stopped(l->ctx))
		gpube__fill_chunk(&l->f, (uint64_t)item);
}

int gpube__subset_fill_cpu(struct gpube_ctx *ctx, const struct gpube_fill *f)
{
	struct filling l = {ctx, *f};

	gpube__parallel(ctx, (int64_t)gpube__fill_chunks(f), fill_chunk, &l);
	return gpube__stopped(ctx) ? gpube__fail_stopped(ctx) : GPUBE_OK;
}

/* ---- the greater of two tables ------------------------------------------------------------- */

struct merging {
	enum gpube_type type;
	void *to;
	const void *from;
	uint64_t n;
};

#define MERGE(T, MOST, field)                                                                      \
	do {                                                                                       \
		T *to = (T *)m->to + at;                                                           \
		const T *from = (const T *)m->from + at;                                           \
                                                                                                   \
		for (uint64_t i = 0; i < n; i++)                                                   \
			to[i] = from[i] > to[i] ? from[i] : to[i];                                 \
	} while (0)

static void merge_chunk(void *arg, int64_t item, int thread)
{
	const struct merging *m = arg;
	const uint64_t at = (uint64_t)item << CHUNK_BITS, left = m->n - at;
	const uint64_t n = left >> CHUNK_BITS ? (uint64_t)1 << CHUNK_BITS : left;

	(void)thread;
	GPUBE_BY_VALUE(m->type, MERGE);
}

int gpube__subset_merge_cpu(
	struct gpube_ctx *ctx, enum gpube_type type, void *to, const void *from, uint64_t n)
{
	struct merging m = {type, to, from, n};

	if (type == GPUBE_INT8)
		return gpube__fail(ctx, GPUBE_EINVAL, "subset merge: type %d", (int)type);
	gpube__parallel(ctx, (int64_t)((n + (1 << CHUNK_BITS) - 1) >> CHUNK_BITS), merge_chunk, &m);
	return GPUBE_OK;
}
