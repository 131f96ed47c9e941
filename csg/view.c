/* view.c - a model as the methods read it: values, their range, the working type; see view.h. */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "csg/distributions.h"
#include "gpube/base/by_type.h"
#include "gpube/ops/subset/subset.h"

#define CHUNK_BITS 16 /* values that one thread looks at in one go */

/* ---- from the model -------------------------------------------------------------------------- */

/* A dense table for values that are not the model's. */
static int own_table(struct csg__view *g, const struct gpube_table *t)
{
	const size_t size = gpube__type_size(g->type);
	int status;

	if (t->sparse)
		return gpube__coalitions_fill(&g->own, g->ctx, t);
	status = gpube__coalitions_alloc(&g->own, g->ctx, g->n, g->type);
	if (!status)
		memcpy(g->own.values, t->values, size << g->n);
	return status;
}

/* An agent that stays out is a coalition of its own, worth 0. */
static int dispose(struct csg__view *g, const struct gpube_table *t)
{
	int status = GPUBE_OK;

	for (int i = 0; i < g->n; i++)
		if (csg__value(g, (uint64_t)1 << i) < 0)
			g->out |= (uint64_t)1 << i;
	if (!g->values || !g->out)
		return GPUBE_OK;
	if (g->values != g->own.values) {
		status = own_table(g, t);
		g->values = g->own.values;
	}
	for (uint64_t left = g->out; left && !status; left &= left - 1)
		gpube__coalition_put(g->type, g->values, (int64_t)(left & -left), 0);
	return status;
}

int csg__view_init(struct csg__view *g, const struct gpube_model *m, bool filled, bool disposal)
{
	const struct gpube_table *t = gpube__coalitions_table(m);
	int status = gpube__check_kind(m, GPUBE__OF(GPUBE_COALITIONS));

	*g = (struct csg__view){.ctx = m->ctx};
	if (!status && m->auction)
		status = gpube__check_kind(m, 0);
	if (!status && !t)
		status = gpube__fail(m->ctx, GPUBE_EINVAL, "a coalition game without values");
	if (!status)
		status = gpube__coalitions_check(m->ctx, t->arity, t->type);
	if (status)
		return status;
	g->n = t->arity;
	g->type = t->type;
	g->scale = m->scale;
	g->ops = gpube__subset_cpu();
	g->is_file = t->owner && t->owner->is_file;
	csg__view_random(g, t);
	if (t->sparse && filled) {
		status = own_table(g, t);
		g->values = g->own.values;
	} else if (t->sparse) {
		g->list = t;
		status = gpube__mask_index(&g->index, g->ctx, t);
	} else if (!g->source) {
		g->values = t->values;
	}
	if (!status && disposal && csg__on_host(g))
		status = dispose(g, t);
	if (status)
		csg__view_clear(g);
	return status;
}

void csg__view_clear(struct csg__view *g)
{
	gpube__free(g->ctx, g->index.slot);
	gpube__table_release(&g->own, g->ctx);
	g->index.slot = NULL;
	g->own = (struct gpube_table){0};
}

bool csg__on_host(const struct csg__view *g)
{
	return g->ops == gpube__subset_cpu() && !g->source;
}

int64_t csg__value_int(const struct csg__view *g, uint64_t c)
{
	const size_t size = gpube__type_size(g->type);
	int64_t made = 0;

	if (g->list)
		return c ? gpube__coalition_at(
				   g->list, gpube__mask_find(&g->index, g->list->masks, c))
			 : 0;
	if (g->source) {
		csg__source_make(g, &made, c, 1);
	} else if (csg__on_host(g)) {
		return gpube__coalition_of(g->type, g->values, (int64_t)c);
	} else if (g->ops->download(g->ctx, &made, (const char *)g->values + c * size, size)) {
		/* a failure shows as a structure that is not worth what was found */
		return INT64_MIN;
	}
	return gpube__coalition_of(g->type, &made, 0);
}

double csg__value(const struct csg__view *g, uint64_t c)
{
	return gpube__coalition_real(g->type, csg__value_int(g, c));
}

/* ---- range ------------------------------------------------------------------------------ */

/* Of one chunk, merged into the whole under a lock. */
struct extremes {
	bool forbidden, bad;
	int64_t least_i, most_i[GPUBE_MAX_AGENTS + 1]; /* by size */
	double least_f, most_f[GPUBE_MAX_AGENTS + 1];  /* of floats */
};

struct scan {
	const struct csg__view *g;
	struct extremes all;
	bool stopped;
	pthread_mutex_t lock; /* of 'all' */
};

static void extremes_init(struct extremes *e)
{
	*e = (struct extremes){.least_i = INT64_MAX, .least_f = INFINITY};
	for (int k = 0; k <= GPUBE_MAX_AGENTS; k++) {
		e->most_i[k] = INT64_MIN;
		e->most_f[k] = -INFINITY;
	}
}

/*
 * A chunk in rows of 2^ROW_BITS values: rows whose numbers have as many bits set are
 * taken together value by value, in whole vectors, and their sizes are told apart at
 * the end.
 */
#define ROW_BITS 8
#define ROW      (1 << ROW_BITS)

/* What stands for a forbidden coalition. */
#define NONE(T, MOST) (T)(-(MOST) - ((T)0.5 == 0))

#define SCAN(T, MOST, F)                                                                           \
	do {                                                                                       \
		T most[CHUNK_BITS - ROW_BITS + 1][ROW], least[ROW];                                \
		uint8_t none[ROW] = {0}, bad[ROW] = {0};                                           \
                                                                                                   \
		for (int k = 0; k <= CHUNK_BITS - ROW_BITS; k++)                                   \
			for (int i = 0; i < ROW; i++)                                              \
				most[k][i] = NONE(T, MOST);                                        \
		for (int i = 0; i < ROW; i++)                                                      \
			least[i] = (MOST);                                                         \
		for (uint64_t row = from; row < to; row += ROW) {                                  \
			const T *restrict v = (const T *)values + (row - from);                    \
			T *restrict m = most[__builtin_popcountll(row - from)];                    \
                                                                                                   \
			for (int i = 0; i < ROW; i++)                                              \
				m[i] = v[i] > m[i] ? v[i] : m[i];                                  \
			for (int i = 0; i < ROW; i++)                                              \
				least[i] = v[i] < least[i] && v[i] != NONE(T, MOST) ? v[i]         \
										    : least[i];    \
			for (int i = 0; i < ROW; i++)                                              \
				none[i] |= v[i] == NONE(T, MOST);                                  \
			for (int i = 0; i < ROW; i++)                                              \
				bad[i] |= (T)0.5 != 0 && !(v[i] < (MOST));                         \
		}                                                                                  \
		for (int i = 0; i < ROW; i++) {                                                    \
			e->forbidden |= none[i];                                                   \
			e->bad |= bad[i];                                                          \
			if (least[i] < e->least_##F)                                               \
				e->least_##F = least[i];                                           \
			for (int k = 0; k <= CHUNK_BITS - ROW_BITS; k++) {                         \
				const int size = __builtin_popcountll(from) + k +                  \
						 __builtin_popcount((unsigned)i);                  \
                                                                                                   \
				if (most[k][i] != NONE(T, MOST) && most[k][i] > e->most_##F[size]) \
					e->most_##F[size] = most[k][i];                            \
			}                                                                          \
		}                                                                                  \
	} while (0)

/* The values of [from, to), at most a chunk. */
static void scan_rows(struct extremes *e, const struct csg__view *g, const void *values,
	uint64_t from, uint64_t to)
{
	GPUBE_BY_VALUE(g->type, SCAN);
}

static void see_value(struct extremes *e, const struct csg__view *g, int size, uint64_t c)
{
	const double v = csg__value(g, c);
	const int64_t exact = gpube__type_is_int(g->type) ? csg__value_int(g, c) : 0;

	if (!(v < INFINITY))
		e->bad = true;
	if (v == -INFINITY) {
		e->forbidden = true;
		return;
	}
	e->least_i = exact < e->least_i ? exact : e->least_i;
	e->most_i[size] = exact > e->most_i[size] ? exact : e->most_i[size];
	e->least_f = fmin(e->least_f, v);
	e->most_f[size] = fmax(e->most_f[size], v);
}

static void merge(struct extremes *to, const struct extremes *e)
{
	to->forbidden |= e->forbidden;
	to->bad |= e->bad;
	to->least_i = e->least_i < to->least_i ? e->least_i : to->least_i;
	to->least_f = e->least_f < to->least_f ? e->least_f : to->least_f;
	for (int k = 0; k <= GPUBE_MAX_AGENTS; k++) {
		to->most_i[k] = e->most_i[k] > to->most_i[k] ? e->most_i[k] : to->most_i[k];
		to->most_f[k] = e->most_f[k] > to->most_f[k] ? e->most_f[k] : to->most_f[k];
	}
}

/* The same of values that are made for it. */
static void scan_source(struct extremes *e, const struct csg__view *g, uint64_t from, uint64_t to)
{
	int64_t values[CSG_SOURCE_CHUNK]; /* as wide as any type */

	for (uint64_t n; from < to; from += n) {
		n = to - from < CSG_SOURCE_CHUNK ? to - from : CSG_SOURCE_CHUNK;
		csg__source_make(g, values, from, n);
		scan_rows(e, g, values, from, from + n);
	}
}

static void scan_chunk(void *arg, int64_t item, int thread)
{
	struct scan *s = arg;
	const uint64_t n = csg__n_masks(s->g);
	uint64_t from = (uint64_t)item << CHUNK_BITS, to = from + ((uint64_t)1 << CHUNK_BITS);
	struct extremes e;

	(void)thread;
	if (gpube__stopped(s->g->ctx)) {
		__atomic_store_n(&s->stopped, true, __ATOMIC_RELAXED);
		return;
	}
	extremes_init(&e);
	/* with no agents, at 0: of size 0, which nobody asks for */
	if (s->g->source && n >= ROW)
		scan_source(&e, s->g, from, to < n ? to : n);
	else if (to <= n)
		scan_rows(&e, s->g,
			(const char *)s->g->values + from * gpube__type_size(s->g->type), from, to);
	else
		for (uint64_t c = 1; c < n; c++)
			see_value(&e, s->g, __builtin_popcountll(c), c);
	pthread_mutex_lock(&s->lock);
	merge(&s->all, &e);
	pthread_mutex_unlock(&s->lock);
}

static int64_t chunks(uint64_t n)
{
	return (int64_t)((n + ((uint64_t)1 << CHUNK_BITS) - 1) >> CHUNK_BITS);
}

/*
 * Of a list: each agent's best share of a coalition that it may be in, rounded up, is what
 * it can add to a structure. losses: or take from it.
 */
static __int128 sum_of_shares(const struct csg__view *g, bool losses)
{
	const struct gpube_table *t = g->list;
	const int64_t other = gpube__coalition_at(t, -1), none = losses ? INT64_MIN : 0;
	int64_t best[GPUBE_MAX_AGENTS];
	__int128 sum = 0;

	for (int i = 0; i < g->n; i++)
		best[i] = other > none ? other : none;
	/* a loss that is shared by all is the least */
	for (int i = 0; i < g->n && losses && other < 0 && other != INT64_MIN; i++)
		best[i] = -(-other / g->n);
	for (int64_t k = 0; k < t->n; k++) {
		const int64_t size = __builtin_popcountll(t->masks[k]);
		const int64_t v = gpube__coalition_at(t, k);
		const int64_t share = v > 0 ? v / size + (v % size > 0) : v / size;

		for (uint64_t a = t->masks[k]; v != INT64_MIN && a; a &= a - 1)
			if (share > best[__builtin_ctzll(a)])
				best[__builtin_ctzll(a)] = share;
	}
	for (int i = 0; i < g->n; i++)
		sum += best[i] == INT64_MIN ? 0 : best[i]; /* none: there is no structure */
	return sum;
}

/*
 * Disjoint coalitions have n agents at most: their sum is at most n times the best share.
 * Where that, or twice what stands for a forbidden one, may pass 64 bits, sums have 128.
 */
static void range_int(struct csg__range *r, const struct csg__view *g, const struct extremes *e)
{
	static const int64_t last[] = {INT16_MAX, INT32_MAX, INT64_MAX};
	__int128 most = 0, least, floor;

	for (int k = 1; k <= g->n; k++) {
		__int128 share = (__int128)e->most_i[k] * g->n;

		if (e->most_i[k] == INT64_MIN)
			continue;
		share = share > 0 ? (share + k - 1) / k : 0;
		most = share > most ? share : most;
	}
	if (g->list && sum_of_shares(g, false) < most)
		most = sum_of_shares(g, false);
	least = e->least_i < 0 ? (__int128)e->least_i * g->n : 0;
	floor = -(most - least + 1);
	for (int t = GPUBE_INT16; t <= GPUBE_INT64; t++) {
		__int128 lowest = r->forbidden ? 2 * floor : 2 * (__int128)e->least_i;

		const __int128 end = last[t - GPUBE_INT16];

		if (most > end || lowest < -end || least < -(__int128)INT64_MAX)
			continue;
		r->work = (enum gpube_type)t;
		r->floor = r->forbidden ? (int64_t)floor : 0;
		r->most = (int64_t)most;
		r->least = (int64_t)least;
		return;
	}
	r->work = GPUBE_INT128;
	r->most = INT64_MAX;
	r->least = -INT64_MAX;
}

static int range_real(struct csg__range *r, const struct csg__view *g, const struct extremes *e)
{
	for (int k = 1; k <= g->n; k++) {
		const double share = e->most_f[k] / k * g->n * (1 + 1e-12);

		r->most_real = share > r->most_real ? share : r->most_real;
	}
	if (e->least_f < 0)
		r->least_real = e->least_f * g->n;
	r->work = g->type;
	if (r->most_real > (double)FLT_MAX || r->least_real < -(double)FLT_MAX)
		r->work = GPUBE_FLOAT64;
	if (r->most_real > DBL_MAX || r->least_real < -DBL_MAX)
		return gpube__fail(
			g->ctx, GPUBE_ERANGE, "sums of these values pass the range of float64");
	return GPUBE_OK;
}

/* Of a list: as if a coalition of each size had the default, which can but widen it. */
static void list_extremes(struct extremes *e, const struct csg__view *g)
{
	const bool is_int = gpube__type_is_int(g->type);
	const int64_t exact = gpube__coalition_at(g->list, -1);
	const double other = gpube__coalition_real(g->type, exact);

	for (int64_t k = 0; k < g->list->n; k++)
		see_value(e, g, __builtin_popcountll(g->list->masks[k]), g->list->masks[k]);
	if (other == -INFINITY) {
		e->forbidden = true;
		return;
	}
	if (!(other < INFINITY))
		e->bad = true;
	e->least_i = is_int && exact < e->least_i ? exact : e->least_i;
	e->least_f = fmin(e->least_f, other);
	for (int k = 1; k <= g->n; k++) {
		if (is_int && exact > e->most_i[k])
			e->most_i[k] = exact;
		e->most_f[k] = fmax(e->most_f[k], other);
	}
}

/*
 * The greatest sum over the ways to write n as a sum of sizes (the bound of IP, Rahwan
 * et al. 2009), each addition of floats rounded up.
 */
static void bound_by_sizes(
	struct csg__range *r, const struct csg__view *g, const struct extremes *e)
{
	double best[GPUBE_MAX_AGENTS + 1] = {0};

	for (int n = 1; n <= g->n; n++) {
		best[n] = -INFINITY;
		for (int k = 1; k <= n; k++)
			if (e->most_f[k] > -INFINITY && best[n - k] > -INFINITY)
				best[n] = fmax(
					best[n], nextafter(e->most_f[k] + best[n - k], INFINITY));
	}
	r->bound = best[g->n];
}

/* The same of integers, exactly; *bound is -INFINITY where every size has a forbidden one. */
static void whole_bound_by_sizes(
	struct csg__range *r, const struct csg__view *g, const struct extremes *e)
{
	const __int128 none = -((__int128)1 << 100);
	__int128 best[GPUBE_MAX_AGENTS + 1] = {0};

	for (int n = 1; n <= g->n; n++) {
		best[n] = none;
		for (int k = 1; k <= n; k++)
			if (e->most_i[k] != INT64_MIN && best[n - k] != none &&
				e->most_i[k] + best[n - k] > best[n])
				best[n] = e->most_i[k] + best[n - k];
	}
	r->bound_int = best[g->n] < INT64_MAX ? (int64_t)best[g->n] : INT64_MAX;
	if (best[g->n] == none)
		r->bound_int = INT64_MIN;
	r->bound = best[g->n] == none       ? -INFINITY
		   : best[g->n] < INT64_MAX ? csg__not_below(r->bound_int)
					    : nextafter((double)best[g->n], INFINITY);
}

/* What is known without a look at any value. */
static void known_extremes(struct extremes *e, const struct csg__view *g)
{
	e->least_i = 0;
	e->least_f = 0;
	for (int k = 1; k <= g->n; k++) {
		e->most_i[k] = (int64_t)ceil(g->most[k]);
		e->most_f[k] = g->most[k];
	}
}

int csg__range(struct csg__range *range, const struct csg__view *g)
{
	struct scan s = {.g = g, .lock = PTHREAD_MUTEX_INITIALIZER};
	int status;

	*range = (struct csg__range){.work = g->type};
	if (csg__value(g, 0) != 0)
		return gpube__fail(g->ctx, GPUBE_EINVAL, "the value of no agents must be 0");
	extremes_init(&s.all);
	if (g->list)
		list_extremes(&s.all, g);
	else if (g->bounded)
		known_extremes(&s.all, g);
	else
		gpube__parallel(g->ctx, chunks(csg__n_masks(g)), scan_chunk, &s);
	if (s.stopped)
		return gpube__fail_stopped(g->ctx);
	if (s.all.bad)
		return gpube__fail(
			g->ctx, GPUBE_EINVAL, "a coalition's value is not a number or +infinity");
	range->forbidden = s.all.forbidden;
	if (gpube__type_is_int(g->type) && s.all.least_i == INT64_MAX)
		s.all.least_i = 0; /* all are forbidden */
	if (gpube__type_is_int(g->type)) {
		whole_bound_by_sizes(range, g, &s.all);
		if (g->list && sum_of_shares(g, true) < range->bound_int) {
			range->bound_int = (int64_t)sum_of_shares(g, true);
			range->bound = csg__not_below(range->bound_int);
		}
		range_int(range, g, &s.all);
		status = GPUBE_OK;
	} else {
		bound_by_sizes(range, g, &s.all);
		status = range_real(range, g, &s.all);
	}
	if (status || g->ops == gpube__subset_cpu())
		return status;
	if (range->work > g->type)
		return gpube__fail(g->ctx, GPUBE_ERANGE,
			"sums of these values pass %s, and a device does not convert them",
			gpube__type_name(g->type));
	range->work = g->type;
	return GPUBE_OK;
}

/* ---- conversion --------------------------------------------------------------------------- */

#define CONVERT(TO, FROM, NONE, FLOOR)                                                             \
	do {                                                                                       \
		const FROM *v = values;                                                            \
		TO *t = to;                                                                        \
                                                                                                   \
		for (uint64_t i = 0; i < n; i++)                                                   \
			t[i] = v[i] == (NONE) && range->forbidden ? (TO)(FLOOR) : (TO)v[i];        \
	} while (0)

#define CONVERT_FROM(FROM, MOST)                                                                   \
	do {                                                                                       \
		if (range->work == GPUBE_INT16)                                                    \
			CONVERT(int16_t, FROM, NONE(FROM, MOST), range->floor);                    \
		else if (range->work == GPUBE_INT32)                                               \
			CONVERT(int32_t, FROM, NONE(FROM, MOST), range->floor);                    \
		else if (range->work == GPUBE_INT64)                                               \
			CONVERT(int64_t, FROM, NONE(FROM, MOST), range->floor);                    \
		else                                                                               \
			CONVERT(__int128, FROM, NONE(FROM, MOST), CSG__WIDE_FLOOR);                \
	} while (0)

static void convert(void *to, const struct csg__range *range, const struct csg__view *g,
	const void *values, uint64_t n)
{
	if (gpube__type_is_int(g->type))
		GPUBE_BY_INT(g->type, CONVERT_FROM);
	else if (range->work == g->type)
		memcpy(to, values, (size_t)n * gpube__type_size(g->type));
	else /* float32 whose sums are of float64 */
		for (uint64_t i = 0; i < n; i++)
			((double *)to)[i] = (double)((const float *)values)[i];
}

static void convert_some(void *to, const struct csg__range *range, const struct csg__view *g,
	uint64_t from, uint64_t n)
{
	int64_t values[CSG_SOURCE_CHUNK]; /* as wide as any type */

	if (!g->source)
		convert(to, range, g, (const char *)g->values + from * gpube__type_size(g->type),
			n);
	for (uint64_t at = 0; g->source && at < n; at += CSG_SOURCE_CHUNK) {
		const uint64_t k = n - at < CSG_SOURCE_CHUNK ? n - at : CSG_SOURCE_CHUNK;

		csg__source_make(g, values, from + at, k);
		convert((char *)to + at * gpube__type_size(range->work), range, g, values, k);
	}
}

struct conversion {
	void *to;
	const struct csg__range *range;
	const struct csg__view *g;
	uint64_t from, n;
};

static void convert_chunk(void *arg, int64_t item, int thread)
{
	const struct conversion *c = arg;
	const uint64_t at = (uint64_t)item << CHUNK_BITS;
	uint64_t n = c->n - at;

	(void)thread;
	n = n < (uint64_t)1 << CHUNK_BITS ? n : (uint64_t)1 << CHUNK_BITS;
	convert_some((char *)c->to + at * gpube__type_size(c->range->work), c->range, c->g,
		c->from + at, n);
}

void csg__convert_all(void *to, const struct csg__range *range, const struct csg__view *g,
	uint64_t from, uint64_t n)
{
	struct conversion c = {to, range, g, from, n};

	gpube__parallel(g->ctx, chunks(n), convert_chunk, &c);
}

bool csg__as_is(const struct csg__range *range, const struct csg__view *g)
{
	return range->work == g->type && (!gpube__type_is_int(g->type) || !range->forbidden);
}

int csg__clock_threads(const struct csg__search *s)
{
	return s->ops == gpube__subset_cpu() ? 1 : s->g->ctx->n_threads;
}

void csg__log_bounds(
	struct gpube_ctx *ctx, double start, double lower, double upper, const char *by)
{
	char text[2][32];
	const struct gpube_log said = {.seconds = gpube__now() - start,
		.worked = gpube__worked(ctx),
		.proved = text[1],
		.found = isnan(lower) ? NULL : text[0],
		.maximise = true,
		.gap = lower != 0 ? (upper - lower) / fabs(lower) : -1, /* nor of NAN */
		.by = by};

	if (!ctx->log)
		return;
	snprintf(text[0], sizeof(text[0]), "%.12g", lower);
	snprintf(text[1], sizeof(text[1]), "%.12g", upper);
	gpube__log_bounds(ctx, said);
}
