/*
 * conv.c - method conv: take out the part that holds the highest agent.
 *
 *     best[2^h + X] = max over Y inside X of value[2^h + Y] + best[X - Y]
 *
 * For each h this is one subset convolution of two contiguous arrays into the
 * next one, (3^(n-1) - 1) / 2 splits with two parts for n agents: a third of all
 * splits of all coalitions. For h = n - 1 only X = all is wanted, so that 'best'
 * has 2^(n-1) cells. The structure is found by looking again for the split that
 * attains each value: a sum is the same bits every time.
 */
#include <math.h>
#include <string.h>

#include "csg/game.h"
#include "gpube/ops/subset.h"

#define CHUNK_BITS 16

struct conv {
	struct gpube_ctx *ctx;
	const struct csg_game *g;
	const struct csg__range *range;
	const struct gpube_subset_ops *ops;
	enum csg_type type;
	size_t size; /* of a value */
	char *best;  /* 2^(n-1) */
	char *layer; /* converted values of one layer; NULL if the game's own can be used */
};

/* Values of the coalitions [2^h, 2^(h+1)); h <= n - 2. */
static const void *layer_values(struct conv *c, int h)
{
	const uint64_t n = (uint64_t)1 << h;

	if (!c->layer)
		return (const char *)c->g->values + n * c->size;
	csg__convert_all(c->layer, c->range, c->g, n, n);
	return c->layer;
}

/* ---- looking for a split: the first Y in [from, to) of the best sum ----------------------- */

union csg__sum {
	int64_t i;
	double f;
};

struct split {
	bool found;
	union csg__sum sum;
	uint64_t y;
};

#define LOOK(T, field)                                                                             \
	do {                                                                                       \
		const T *best = (const T *)(const void *)c->best, *v = values;                     \
                                                                                                   \
		for (uint64_t y = from;; y = (y - x) & x) {                                        \
			const T sum = (T)(v[y - base] + best[x - y]);                              \
                                                                                                   \
			if (!s.found || sum > s.sum.field) {                                       \
				s.found = true;                                                    \
				s.sum.field = sum;                                                 \
				s.y = y;                                                           \
			}                                                                          \
			if (y == last)                                                             \
				break;                                                             \
		}                                                                                  \
	} while (0)

/*
 * The best split of 2^h + x among the subsets of x from 'from' to 'last' in
 * rising order; values[y - base] is of 2^h + y.
 */
static struct split look(const struct conv *c, const void *values, uint64_t base, uint64_t x,
	uint64_t from, uint64_t last)
{
	struct split s = {0};

	switch (c->type) {
	case CSG_INT16:
		LOOK(int16_t, i);
		break;
	case CSG_INT32:
		LOOK(int32_t, i);
		break;
	case CSG_INT64:
		LOOK(int64_t, i);
		break;
	case CSG_FLOAT32:
		LOOK(float, f);
		break;
	case CSG_FLOAT64:
		LOOK(double, f);
		break;
	}
	return s;
}

static bool better(const struct conv *c, const struct split *a, const struct split *b)
{
	const bool is_int = csg__is_int(c->type);

	if (!b->found || (is_int ? a->sum.i > b->sum.i : a->sum.f > b->sum.f))
		return true;
	return (is_int ? a->sum.i == b->sum.i : !(a->sum.f < b->sum.f)) && a->y < b->y;
}

struct last_layer {
	struct conv *c;
	uint64_t n; /* 2^(n-1) */
	struct split split;
};

static void look_at_chunk(void *arg, int64_t item, int thread)
{
	struct last_layer *l = arg;
	const uint64_t from = (uint64_t)item << CHUNK_BITS;
	const uint64_t n = l->n < (uint64_t)1 << CHUNK_BITS ? l->n : (uint64_t)1 << CHUNK_BITS;
	int64_t values[1 << (CHUNK_BITS - 3)]; /* 64 KiB at a time */
	const uint64_t piece = sizeof(values) / l->c->size;
	struct split best = {0};

	(void)thread;
	for (uint64_t at = from; at < from + n; at += piece) {
		const uint64_t k = from + n - at < piece ? from + n - at : piece;
		struct split s;

		csg__convert(values, l->c->range, l->c->g, l->n + at, k);
		s = look(l->c, values, at, l->n - 1, at, at + k - 1);
		if (better(l->c, &s, &best))
			best = s;
	}
#pragma omp critical(csg_last)
	if (better(l->c, &best, &l->split))
		l->split = best;
}

/* The part of 'agents' that holds its highest one, in a best partition of them. */
static struct split take_part(struct conv *c, uint64_t agents)
{
	const int h = 63 - __builtin_clzll(agents);
	const uint64_t top = (uint64_t)1 << h;

	if (h == c->g->n - 1) {
		struct last_layer l = {.c = c, .n = top};

		gpube__parallel(c->ctx, (int64_t)((top + (1 << CHUNK_BITS) - 1) >> CHUNK_BITS),
			look_at_chunk, &l);
		return l.split;
	}
	return look(c, layer_values(c, h), 0, agents ^ top, 0, agents ^ top);
}

/* ---- the method ----------------------------------------------------------------------------- */

static void take_structure(struct conv *c, struct csg_result *r)
{
	uint64_t left = ((uint64_t)1 << c->g->n) - 1;

	for (r->n_parts = 0; left; r->n_parts++) {
		struct split s = take_part(c, left);
		const uint64_t part = s.y | (uint64_t)1 << (63 - __builtin_clzll(left));

		if (r->n_parts == 0 &&
			(csg__is_int(c->type) ? s.sum.i < c->range->least : s.sum.f == -INFINITY)) {
			r->answer = CSG_INFEASIBLE;
			return;
		}
		r->parts[r->n_parts] = part;
		left ^= part;
	}
	r->answer = CSG_OPTIMAL;
}

static int fill_best(struct conv *c)
{
	const int n = c->g->n;
	double done = 0, all = csg__splits(CSG_CONV, n), share;

	memset(c->best, 0, c->size);
	for (int h = 0; h < n - 1; h++) {
		struct gpube_subset s = {
			.type = csg__base_type(c->type),
			.n_bits = h,
			.a = layer_values(c, h),
			.b = c->best,
			.out = c->best + (c->size << h),
		};
		int status;

		share = (double)gpube__pow3(h) / all;
		s.done = done;
		s.share = share > 1e-3 ? share : 0;
		status = c->ops->convolve(c->ctx, &s);
		if (status)
			return status;
		done += share;
	}
	return GPUBE_OK;
}

int csg__conv(struct csg__search *s)
{
	const struct csg_game *g = s->g;
	struct conv c = {.ctx = g->ctx, .g = g, .range = s->range, .ops = gpube__subset_cpu()};
	const double start = gpube__now();
	uint64_t bytes, layer = 0;
	int status = GPUBE_ENOMEM;

	c.type = s->range->work;
	c.size = csg__type_size(c.type);
	bytes = c.size << (g->n - 1);
	if (!csg__as_is(s->range, g))
		layer = c.size << (g->n > 2 ? g->n - 2 : 0);
	if (bytes + layer + (csg__type_size(g->type) << g->n) > g->ctx->memory_bytes)
		return gpube__fail(g->ctx, GPUBE_ELIMIT,
			"%llu MiB of tables for %d agents, allowed are %llu MiB",
			(unsigned long long)((bytes + layer) >> 20), g->n,
			(unsigned long long)(g->ctx->memory_bytes >> 20));
	c.best = c.ops->alloc(g->ctx, bytes);
	c.layer = layer ? c.ops->alloc(g->ctx, layer) : NULL;
	if (c.best && (c.layer || !layer))
		status = fill_best(&c);
	if (!status) {
		take_structure(&c, s->r);
		s->r->method = CSG_CONV;
		s->r->work = c.type;
		s->r->splits = csg__splits(CSG_CONV, g->n);
		s->r->seconds_splits = gpube__now() - start;
	}
	c.ops->free(g->ctx, c.layer);
	c.ops->free(g->ctx, c.best);
	return status;
}

double csg__conv_seconds(const struct csg__search *s)
{
	const struct csg_game *g = s->g;

	return csg__splits(CSG_CONV, g->n) /
	       gpube__subset_cpu()->splits_per_second(g->ctx, csg__base_type(s->range->work));
}
