/*
 * dp.c - methods dp and idp, as the papers state them, for comparison: coalitions
 * by size, for each one all its splits in two by table look-ups.
 *
 * idp leaves out the splits of a coalition of c < n agents whose larger part has
 * more than n - c (Rahwan and Jennings 2008; equation 1 of Pawlowski et al.
 * 2014). What it then finds for a coalition need not be its best partition, but
 * for all agents it is.
 */
#include <math.h>
#include <string.h>

#include "csg/view.h"
#include "gpube/base/by_type.h"
#include "gpube/ops/subset/subset.h"

#define CHUNK_BITS 12

/*
 * value  the game's, in the working type, as csg__convert_all() has them; the game's own array
 *        where that is the same
 * best   of the coalitions of sizes that were filled: what their best partitions are worth, or
 *        with idp what those are worth that it looks at
 */
struct csg__dp {
	struct gpube_ctx *ctx;
	enum gpube_type type;
	int n, size, most;  /* of the coalitions at hand; most agents of a part */
	bool idp, own;      /* own: value is not the game's */
	void *value, *best; /* 2^n */
	double start;
	bool stopped;
};

/* Most agents that a part of a coalition of 'size' may have; 0: it is not split. */
static int most_of_part(const struct csg__dp *d, int size)
{
	if (!d->idp || size == d->n)
		return size - 1;
	/* the larger part has half of them at least */
	return d->n - size < (size + 1) / 2 ? 0 : d->n - size;
}

/*
 * Every split of c once: y runs through the subsets without c's lowest agent.
 * ACTION sees y and the sum; sizes are looked at only where some are left out.
 */
#define FOR_SPLITS(T, c, most, ACTION)                                                             \
	do {                                                                                       \
		const T *best = d->best;                                                           \
		const uint64_t rest = (c) & ((c)-1);                                               \
		const int size_ = __builtin_popcountll(c), most_ = (most);                         \
                                                                                                   \
		for (uint64_t y = rest; y; y = gpube__submask_before(rest, y)) {                   \
			if (most_ < size_ - 1) {                                                   \
				const int k_ = __builtin_popcountll(y);                            \
                                                                                                   \
				if (k_ > most_ || size_ - k_ > most_)                              \
					continue;                                                  \
			}                                                                          \
			{                                                                          \
				const T sum = (T)(best[y] + best[(c) ^ y]);                        \
                                                                                                   \
				ACTION;                                                            \
			}                                                                          \
		}                                                                                  \
	} while (0)

/* WHAT(T, MOST, F) for the working type T. */
#define BY_TYPE(type, WHAT)                                                                        \
	do {                                                                                       \
		if ((type) == GPUBE_INT128)                                                        \
			WHAT(__int128, 0, i);                                                      \
		else                                                                               \
			GPUBE_BY_VALUE(type, WHAT);                                                \
	} while (0)

static void fill(struct csg__dp *d, uint64_t c)
{
#define FILL(T, MOST, F)                                                                           \
	do {                                                                                       \
		T b = ((const T *)d->value)[c];                                                    \
                                                                                                   \
		if (d->most)                                                                       \
			FOR_SPLITS(T, c, d->most, if (sum > b) b = sum);                           \
		((T *)d->best)[c] = b;                                                             \
	} while (0)
	BY_TYPE(d->type, FILL);
}

static void fill_chunk(void *arg, int64_t item, int thread)
{
	struct csg__dp *d = arg;
	const uint64_t n = (uint64_t)1 << d->n, from = (uint64_t)item << CHUNK_BITS;
	const uint64_t end = from + ((uint64_t)1 << CHUNK_BITS);

	(void)thread;
	for (uint64_t c = from; c < end && c < n; c++) {
		if (__builtin_popcountll(c) != d->size)
			continue;
		if (gpube__stopped(d->ctx)) {
			__atomic_store_n(&d->stopped, true, __ATOMIC_RELAXED);
			return;
		}
		fill(d, c);
	}
}

/* The split that attains best[c]; 0: it is c itself. */
static uint64_t which_split(const struct csg__dp *d, uint64_t c)
{
	const int most = most_of_part(d, __builtin_popcountll(c));

#define WHICH(T, MOST, F)                                                                          \
	do {                                                                                       \
		const T b = ((const T *)d->best)[c];                                               \
                                                                                                   \
		if (((const T *)d->value)[c] < b)                                                  \
			FOR_SPLITS(T, c, most, if (sum >= b) return y);                            \
	} while (0)
	BY_TYPE(d->type, WHICH);
	return 0;
}

static bool infeasible(const struct csg__dp *d, const struct csg__range *range)
{
	const int64_t all = ((int64_t)1 << d->n) - 1;
	int64_t v;

	if (d->type == GPUBE_INT128)
		return ((const __int128 *)d->best)[all] < CSG__WIDE_FLOOR / 2;
	v = gpube__coalition_of(d->type, d->best, all);
	return gpube__type_is_int(d->type) ? v < range->least
					   : gpube__coalition_real(d->type, v) == -INFINITY;
}

static void take_structure(const struct csg__dp *d, struct gpube_csg_result *r)
{
	uint64_t open[GPUBE_MAX_AGENTS + 1] = {((uint64_t)1 << d->n) - 1};

	r->n_parts = 0;
	for (int n_open = 1; n_open;) {
		const uint64_t c = open[--n_open], y = which_split(d, c);

		if (y) {
			open[n_open++] = y;
			open[n_open++] = c ^ y;
		} else {
			r->parts[r->n_parts++] = c;
		}
	}
	r->answer = GPUBE_CSG_OPTIMAL;
}

static int run(struct csg__dp *d)
{
	const uint64_t n = (uint64_t)1 << d->n;

	for (d->size = 1; d->size <= d->n; d->size++) {
		d->most = most_of_part(d, d->size);
		gpube__parallel(d->ctx, (int64_t)((n + (1 << CHUNK_BITS) - 1) >> CHUNK_BITS),
			fill_chunk, d);
		if (d->stopped)
			return gpube__fail_stopped(d->ctx);
		gpube__progress(d->ctx, (double)d->size / d->n, "dp");
	}
	return GPUBE_OK;
}

/*
 * On a device: gpu-csg and idp-g. The stages of idp-g are sizes s and n - s + 1;
 * in one stream they follow each other anyway. Its smaller tables come back, since
 * what the structure needs is few look-ups.
 */
static int run_on_device(struct csg__dp *d, struct csg__search *s, const void *value, void *best)
{
	struct gpube_splits step = {.type = d->type, .n_bits = d->n, .value = value, .best = best};
	const uint64_t bytes = gpube__type_size(d->type) << d->n;
	int status = s->ops->upload(d->ctx, best, d->best, gpube__type_size(d->type));

	step.groups = !d->idp;
	for (step.size = 1; step.size <= d->n && !status; step.size++) {
		step.most = most_of_part(d, step.size);
		status = s->ops->splits(d->ctx, &step);
		gpube__progress(d->ctx, (double)step.size / d->n, "dp");
	}
	if (!status)
		s->r->seconds_splits = gpube__now() - d->start;
	if (!status)
		status = s->ops->download(d->ctx, d->best, best, bytes);
	if (!status && d->value != s->g->values)
		status = s->ops->download(d->ctx, d->value, value, bytes);
	return status;
}

/* Copies of the values and of the table on the device, unless they are there. */
static int run_there(struct csg__dp *d, struct csg__search *s)
{
	const uint64_t bytes = gpube__type_size(d->type) << d->n;
	const bool there = s->g->ops == s->ops;
	void *best = s->ops->alloc(d->ctx, bytes);
	void *value = there || !best ? s->g->values : s->ops->alloc(d->ctx, bytes);
	int status = best && value ? GPUBE_OK : GPUBE_ENOMEM;

	if (!status && !there)
		status = s->ops->upload(d->ctx, value, d->value, bytes);
	d->start = gpube__now();
	if (!status)
		status = run_on_device(d, s, value, best);
	s->r->backend = s->ops->name;
	if (!there)
		s->ops->free(d->ctx, value);
	s->ops->free(d->ctx, best);
	return status;
}

static void clear(struct csg__dp *d)
{
	const struct gpube_subset_ops *ops = gpube__subset_cpu();

	if (d->own)
		ops->free(d->ctx, d->value);
	ops->free(d->ctx, d->best);
}

/* The tables, 'best' of the empty coalition alone. Errors: ELIMIT, ENOMEM */
static int init(struct csg__dp *d, const struct csg__search *s, bool idp)
{
	const struct csg__view *g = s->g;
	const struct gpube_subset_ops *ops = gpube__subset_cpu();
	const bool as_is = csg__on_host(g) && csg__as_is(s->range, g);
	const uint64_t bytes = gpube__type_size(s->range->work) << g->n;

	*d = (struct csg__dp){
		.ctx = g->ctx, .type = s->range->work, .n = g->n, .idp = idp, .own = !as_is};
	if ((1 + !as_is) * bytes + (gpube__type_size(g->type) << g->n) > g->ctx->memory_bytes)
		return gpube__fail(g->ctx, GPUBE_ELIMIT,
			"%llu MiB of tables for %d agents, allowed are %llu MiB",
			(unsigned long long)(bytes >> 20), g->n,
			(unsigned long long)(g->ctx->memory_bytes >> 20));
	d->best = ops->alloc(g->ctx, bytes);
	d->value = as_is ? g->values : ops->alloc(g->ctx, bytes);
	d->start = gpube__now();
	if (!d->value || !d->best) {
		clear(d);
		return GPUBE_ENOMEM;
	}
	memset(d->best, 0, gpube__type_size(d->type));
	if (!as_is && csg__on_host(g))
		csg__convert_all(d->value, s->range, g, 0, csg__n_masks(g));
	return GPUBE_OK;
}

int csg__dp(struct csg__search *s)
{
	const enum gpube_csg_method method =
		s->opts->csg_method == GPUBE_CSG_IDP ? GPUBE_CSG_IDP : GPUBE_CSG_DP;
	struct csg__dp d;
	int status = init(&d, s, method == GPUBE_CSG_IDP);

	if (status)
		return status;
	status = s->ops->splits ? run_there(&d, s) : run(&d);
	if (!status && !s->ops->splits)
		s->r->seconds_splits = gpube__now() - d.start;
	if (!status) {
		if (infeasible(&d, s->range))
			s->r->answer = GPUBE_CSG_INFEASIBLE;
		else
			take_structure(&d, s->r);
		s->r->method = method;
		s->r->work = d.type;
		s->r->splits = csg__splits(method, s->g->n);
	}
	clear(&d);
	return status;
}

/* ---- counts --------------------------------------------------------------------------------- */

static double choose(int n, int k)
{
	double c = 1;

	for (int i = 1; i <= k; i++)
		c = c * (n - k + i) / i;
	return c;
}

/* The splits that filling one size takes. */
static double splits_of(bool idp, int n, int size)
{
	double of_one = 0;

	for (int k = 1; 2 * k <= size; k++) /* agents of the smaller part */
		if (!idp || size == n || size - k <= n - size)
			of_one += 2 * k == size ? choose(size, k) / 2 : choose(size, k);
	return of_one * choose(n, size);
}

double csg__splits(enum gpube_csg_method method, int n)
{
	double splits = 0;

	if (method == GPUBE_CSG_CONV)
		return ((double)gpube__pow3(n - 1) - 1) / 2 + ldexp(1, n - 1);
	for (int c = 2; c <= n; c++)
		splits += splits_of(method != GPUBE_CSG_DP, n, c);
	return splits;
}
