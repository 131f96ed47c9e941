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

#include "csg/game.h"
#include "gpube/ops/subset.h"

#define STAGING_BITS     20 /* values that are converted at once for another backend */
#define LEAST_LAYER_BITS 10 /* of a piece of a layer */

struct conv {
	struct gpube_ctx *ctx;
	const struct csg_game *g;
	const struct csg__range *range;
	const struct gpube_subset_ops *ops;
	enum csg_type type;
	size_t size;        /* of a value */
	char *best;         /* 2^(n-1) */
	char *layer;        /* converted values; NULL if the game's own can be used */
	char *product;      /* of a piece of a layer with one of 'best'; NULL if layers are whole */
	uint64_t n_layer;   /* that both hold */
	void *staging;      /* on the host; NULL if 'layer' is there too */
	uint64_t n_staging; /* values that it holds */
};

static int send_values(struct conv *c, uint64_t from, uint64_t n)
{
	int status = GPUBE_OK;

	for (uint64_t at = 0; at < n && !status; at += c->n_staging) {
		const uint64_t k = n - at < c->n_staging ? n - at : c->n_staging;

		if (gpube__stopped(c->ctx))
			return gpube__fail_stopped(c->ctx);
		csg__convert_all(c->staging, c->range, c->g, from + at, k);
		status = c->ops->upload(c->ctx, c->layer + at * c->size, c->staging, k * c->size);
	}
	return status;
}

/* Values of the coalitions [from, from + n), n <= n_layer, where ops can read them. */
static int values_of(struct conv *c, const void **values, uint64_t from, uint64_t n)
{
	*values = c->layer ? c->layer : (const char *)c->g->values + from * c->size;
	if (c->staging)
		return send_values(c, from, n);
	if (c->layer)
		csg__convert_all(c->layer, c->range, c->g, from, n);
	return GPUBE_OK;
}

/* ---- the structure ----------------------------------------------------------------------------
 */

/* The part of 'agents' that holds its highest one, in a best partition of them. */
static int take_part(struct conv *c, uint64_t agents, struct gpube_subset_split *best)
{
	const int h = 63 - __builtin_clzll(agents);
	const uint64_t top = (uint64_t)1 << h, x = agents ^ top;
	/* in pieces, each of which has 'layer' for its values */
	const uint64_t piece = c->layer && top > c->n_layer ? c->n_layer : top;
	uint64_t from = 0;

	for (bool found = false;; found = true) {
		struct gpube_subset_split s = {
			.type = csg__base_type(c->type), .x = x & (piece - 1)};
		int status = values_of(c, &s.a, top + from, piece);

		s.b = c->best + (x - from - s.x) * c->size;
		if (!status)
			status = c->ops->best(c->ctx, &s);
		if (status)
			return status;
		s.y += from;
		if (!found || gpube__split_better(&s, best))
			*best = s;
		if (from == (x & ~(piece - 1)))
			break;
		from = (from - (x & ~(piece - 1))) & x & ~(piece - 1);
	}
	best->y |= top;
	return GPUBE_OK;
}

static int take_structure(struct conv *c, struct csg_result *r)
{
	uint64_t left = ((uint64_t)1 << c->g->n) - 1;

	for (r->n_parts = 0; left; r->n_parts++) {
		struct gpube_subset_split s;
		int status = take_part(c, left, &s);

		if (status)
			return status;
		if (r->n_parts == 0 &&
			(csg__is_int(c->type) ? s.sum.i < c->range->least : s.sum.f == -INFINITY)) {
			r->answer = CSG_INFEASIBLE;
			return GPUBE_OK;
		}
		r->parts[r->n_parts] = s.y;
		left ^= s.y;
	}
	r->answer = CSG_OPTIMAL;
	return GPUBE_OK;
}

/* ---- the method ----------------------------------------------------------------------------- */

#define MERGE(T)                                                                                   \
	do {                                                                                       \
		T *t = to;                                                                         \
		const T *f = from;                                                                 \
                                                                                                   \
		for (uint64_t i = 0; i < n; i++)                                                   \
			t[i] = f[i] > t[i] ? f[i] : t[i];                                          \
	} while (0)

static void merge(void *to, const void *from, uint64_t n, enum csg_type type)
{
	switch (type) {
	case CSG_INT16:
		MERGE(int16_t);
		break;
	case CSG_INT32:
		MERGE(int32_t);
		break;
	case CSG_INT64:
		MERGE(int64_t);
		break;
	case CSG_FLOAT32:
		MERGE(float);
		break;
	case CSG_FLOAT64:
		MERGE(double);
		break;
	}
}

/*
 * A layer whose converted values do not fit, by the high bits of X and Y: the same
 * splits in pieces of n_layer values, of which each is converted once for each set of
 * high bits around its own.
 */
static int convolve_pieces(struct conv *c, int h, double done, double share)
{
	const uint64_t top = (uint64_t)1 << h, n = c->n_layer, n_pieces = top / n;
	const int low = __builtin_ctzll(n);
	double part = share / (double)gpube__pow3(h - low);
	int status = GPUBE_OK;

	for (uint64_t x = 0; x < n_pieces; x++)
		for (uint64_t y = x;; y = gpube__submask_before(x, y)) {
			char *out = c->best + (top + x * n) * c->size;
			struct gpube_subset s = {
				.type = csg__base_type(c->type),
				.n_bits = low,
				.b = c->best + (x ^ y) * n * c->size,
				.out = y == x ? out : c->product,
				.done = done,
				.share = part > 1e-3 ? part : 0,
			};

			status = values_of(c, &s.a, top + y * n, n);
			if (!status)
				status = c->ops->convolve(c->ctx, &s);
			if (status)
				return status;
			if (y != x)
				merge(out, c->product, n, c->type);
			done += part;
			if (y == 0)
				break;
		}
	return status;
}

static int fill_best(struct conv *c)
{
	const int64_t zero = 0; /* all bytes 0: the 0 of every type */
	const int n = c->g->n;
	double done = 0, all = csg__splits(CSG_CONV, n);
	int status = c->ops->upload(c->ctx, c->best, &zero, c->size);

	for (int h = 0; h < n - 1 && !status; h++) {
		const double share = (double)gpube__pow3(h) / all;
		struct gpube_subset s = {
			.type = csg__base_type(c->type),
			.n_bits = h,
			.b = c->best,
			.out = c->best + (c->size << h),
			.done = done,
			.share = share > 1e-3 ? share : 0,
		};

		if (c->product && (uint64_t)1 << h > c->n_layer)
			status = convolve_pieces(c, h, done, share);
		else
			status = values_of(c, &s.a, (uint64_t)1 << h, (uint64_t)1 << h);
		if (!status && s.a)
			status = c->ops->convolve(c->ctx, &s);
		done += share;
	}
	return status;
}

/* Halves the layers, where that can be done, until they fit. */
static uint64_t fit_layers(struct conv *c, uint64_t rest, uint64_t most, bool here)
{
	const uint64_t whole = c->n_layer;

	if (!here || rest + c->n_layer * c->size <= most)
		return c->n_layer * c->size;
	while (rest + 2 * c->n_layer * c->size > most && c->n_layer >> LEAST_LAYER_BITS > 1)
		c->n_layer /= 2;
	return (c->n_layer < whole ? 2 : 1) * c->n_layer * c->size;
}

static int take_memory(struct conv *c)
{
	const struct csg_game *g = c->g;
	const bool here = c->ops == gpube__subset_cpu();
	const uint64_t most = here ? g->ctx->memory_bytes : c->ops->memory(g->ctx);
	const uint64_t bytes = c->size << (g->n - 1), of_game = csg__type_size(g->type) << g->n;
	uint64_t needed = bytes, n_whole, layers;

	if (g->ops != c->ops || !csg__as_is(c->range, g))
		c->n_layer = (uint64_t)1 << (g->n > 2 ? g->n - 2 : 0);
	if (here && csg__on_host(g) && !g->map) /* of a file, the system keeps what it can */
		needed += of_game;
	n_whole = c->n_layer;
	layers = c->n_layer ? fit_layers(c, needed, most, here) : 0;
	if (needed + layers > most)
		return gpube__fail(g->ctx, GPUBE_ELIMIT,
			"conv: %d agents take %llu MiB for sums, %llu MiB for values and %llu MiB "
			"for layers of them, allowed are %llu MiB; values of a plain binary file "
			"take none",
			g->n, (unsigned long long)(bytes >> 20),
			(unsigned long long)((needed - bytes) >> 20),
			(unsigned long long)(layers >> 20), (unsigned long long)(most >> 20));
	c->best = c->ops->alloc(g->ctx, bytes);
	if (c->n_layer && c->best)
		c->layer = c->ops->alloc(g->ctx, c->n_layer * c->size);
	if (c->n_layer < n_whole && c->layer) {
		c->product = c->ops->alloc(g->ctx, c->n_layer * c->size);
		if (!c->product)
			return GPUBE_ENOMEM;
	}
	if (c->n_layer && !here && c->layer) {
		c->n_staging =
			c->n_layer >> STAGING_BITS ? (uint64_t)1 << STAGING_BITS : c->n_layer;
		c->staging = gpube__alloc(g->ctx, c->n_staging, c->size);
	}
	return c->best && (c->layer || !c->n_layer) && (c->staging || !c->n_staging) ? GPUBE_OK
										     : GPUBE_ENOMEM;
}

int csg__conv(struct csg__search *s)
{
	const struct csg_game *g = s->g;
	struct conv c = {.ctx = g->ctx, .g = g, .range = s->range, .ops = s->ops};
	const double start = gpube__now();
	int status;

	c.type = s->range->work;
	c.size = csg__type_size(c.type);
	status = take_memory(&c);
	if (!status)
		status = fill_best(&c);
	if (!status)
		status = take_structure(&c, s->r);
	if (!status) {
		s->r->method = CSG_CONV;
		s->r->work = c.type;
		s->r->backend = c.ops->name;
		s->r->splits = csg__splits(CSG_CONV, g->n);
		s->r->seconds_splits = gpube__now() - start;
	}
	gpube__free(g->ctx, c.staging);
	c.ops->free(g->ctx, c.product);
	c.ops->free(g->ctx, c.layer);
	c.ops->free(g->ctx, c.best);
	return status;
}

double csg__conv_seconds(const struct csg__search *s)
{
	return csg__splits(CSG_CONV, s->g->n) /
	       s->ops->splits_per_second(s->g->ctx, csg__base_type(s->range->work));
}
