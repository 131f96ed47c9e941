/*
 * conv.c - method conv: take out the part that holds the highest agent.
 *
 *     best[2^h + X] = max over Y inside X of value[2^h + Y] + best[X - Y]
 *
 * For each h this is one subset convolution of two contiguous arrays into the
 * next one, (3^(n-1) - 1) / 2 splits with two parts for n agents: a third of all
 * splits of all coalitions. For h = n - 1 only X = all is wanted, so that 'best'
 * has 2^(n-1) cells, and the values with the highest agent are needed only once. The
 * structure is found by looking again for the split that attains each value: a sum is
 * the same bits every time.
 */
#include <math.h>
#include <string.h>

#include "csg/conv/conv.h"

#define STAGED_BYTES (8u << 20) /* of values that are converted at once for another backend */

/* sums: 'best'; the other tables are of a piece, on ops, or NULL (conv.h) */
struct conv {
	struct gpube_ctx *ctx;
	const struct csg__view *g;
	const struct csg__range *range;
	const struct gpube_subset_ops *ops;
	struct csg__layer_ranks *ranks;
	struct csg__conv_plan plan;
	int n_ranks;
	enum gpube_type type;
	size_t size; /* of a value */
	char *sums, *values, *others, *out, *product;
	bool sends;    /* values come from the host and are worked on elsewhere */
	char *staging; /* on the host, for those that are converted on the way */
	double done;   /* of all splits */
};

/* ---- values and sums, where ops can read them ------------------------------------------------ */

static int send_values(struct conv *c, uint64_t from, uint64_t n)
{
	const uint64_t most = STAGED_BYTES / c->size;
	int status = GPUBE_OK;

	for (uint64_t at = 0; at < n && !status; at += most) {
		const uint64_t k = n - at < most ? n - at : most;
		const void *v = c->staging;

		if (gpube__stopped(c->ctx))
			return gpube__fail_stopped(c->ctx);
		if (c->staging)
			csg__convert_all(c->staging, c->range, c->g, from + at, k);
		else
			v = (const char *)c->g->values + (from + at) * c->size;
		status = c->ops->upload(c->ctx, c->values + at * c->size, v, k * c->size);
	}
	return status;
}

/* Of the coalitions [from, from + n), at most a piece if there are copies. */
static int values_of(struct conv *c, const void **values, uint64_t from, uint64_t n)
{
	*values = c->values ? c->values : (const char *)c->g->values + from * c->size;
	if (!c->values)
		return GPUBE_OK;
	if (c->sends)
		return send_values(c, from, n);
	if (c->g->source)
		return csg__source_fill(c->g, c->ops, c->type, c->values, from, n);
	csg__convert_all(c->values, c->range, c->g, from, n);
	return GPUBE_OK;
}

/* Of [from, from + n), at most a piece if they are in the host's memory. */
static int sums_of(struct conv *c, const void **sums, uint64_t from, uint64_t n)
{
	char *at = c->sums + from * c->size;

	*sums = c->plan.sums_here ? c->others : at;
	return c->plan.sums_here ? c->ops->upload(c->ctx, c->others, at, n * c->size) : GPUBE_OK;
}

/* ---- the structure ----------------------------------------------------------------------------
 */

/* The part of 'agents' that holds its highest one, in a best partition of them. */
static int take_part(struct conv *c, uint64_t agents, struct gpube_subset_split *best)
{
	const int h = 63 - __builtin_clzll(agents);
	const uint64_t top = (uint64_t)1 << h, x = agents ^ top;
	const bool pieces = c->values || c->plan.sums_here;
	const uint64_t piece =
		pieces && h > c->plan.piece_bits ? (uint64_t)1 << c->plan.piece_bits : top;
	const uint64_t high = x & ~(piece - 1);
	uint64_t from = 0; /* high bits of Y, rising */

	for (bool found = false;; found = true) {
		struct gpube_subset_split s = {.type = c->type, .x = x & (piece - 1)};
		int status = values_of(c, &s.a, top + from, piece);

		if (!status)
			status = sums_of(c, &s.b, high ^ from, piece);
		if (!status)
			status = c->ops->best(c->ctx, &s);
		if (status)
			return status;
		s.y += from;
		if (!found || gpube__split_better(&s, best))
			*best = s;
		if (from == high)
			break;
		from = (from - high) & high;
	}
	best->y |= top;
	return GPUBE_OK;
}

static int take_structure(struct conv *c, struct gpube_csg_result *r)
{
	uint64_t left = ((uint64_t)1 << c->g->n) - 1;

	for (r->n_parts = 0; left; r->n_parts++) {
		struct gpube_subset_split s;
		int status = take_part(c, left, &s);

		if (status)
			return status;
		if (r->n_parts == 0 && (gpube__type_is_int(c->type) ? s.sum.i < c->range->least
								    : s.sum.f == -INFINITY)) {
			r->answer = GPUBE_CSG_INFEASIBLE;
			return GPUBE_OK;
		}
		r->parts[r->n_parts] = s.y;
		left ^= s.y;
	}
	r->answer = GPUBE_CSG_OPTIMAL;
	return GPUBE_OK;
}

/* ---- layers -----------------------------------------------------------------------------------
 */

/* Piece x of layer h, of 2^low sums; share: of all splits, those of a pair of pieces. */
static int convolve_piece(struct conv *c, int h, int low, uint64_t x, double share)
{
	const uint64_t top = (uint64_t)1 << h, n = (uint64_t)1 << low;
	char *const sums = c->sums + (top + x * n) * c->size;
	char *const out = c->plan.sums_here ? c->out : sums;

	for (uint64_t y = x;; y = gpube__submask_before(x, y)) {
		struct gpube_subset s = {
			.type = c->type,
			.n_bits = low,
			.out = y == x ? out : c->product,
			.done = c->done,
			.share = share > 1e-3 ? share : 0,
			.least = c->range->forbidden ? 2 * c->range->floor : c->range->least,
			.most = c->range->most,
		};
		int status = values_of(c, &s.a, top + y * n, n);

		if (!status)
			status = sums_of(c, &s.b, (x ^ y) * n, n);
		if (!status)
			status = c->ops->convolve(c->ctx, &s);
		if (!status && y != x)
			status = c->ops->merge(c->ctx, s.type, out, c->product, n);
		if (!status)
			status = csg__ranks_poll(c->ranks);
		if (status)
			return status;
		c->done += share;
		if (y == 0)
			break;
	}
	if (low < h)
		gpube__progress(c->ctx, c->done, "conv");
	return c->plan.sums_here ? c->ops->download(c->ctx, sums, out, n * c->size) : GPUBE_OK;
}

static int convolve_layer(struct conv *c, int h)
{
	const int low = csg__layer_bits(&c->plan, h, c->n_ranks);
	const double share = (double)gpube__pow3(low) / csg__splits(GPUBE_CSG_CONV, c->g->n);
	const double done = c->done + share * (double)gpube__pow3(h - low);
	int status = csg__ranks_begin(c->ranks, h);

	GPUBE_KNOWN(low <= h);
	for (uint64_t x = 0; x >> (h - low) == 0 && !status; x++)
		if (csg__ranks_owns(c->ranks, x))
			status = convolve_piece(c, h, low, x, share);
	c->done = done; /* by all ranks */
	return status ? status : csg__ranks_gather(c->ranks);
}

static int fill_sums(struct conv *c)
{
	static const int64_t zero; /* all bytes 0: the 0 of every type */
	int status = GPUBE_OK;

	if (c->plan.sums_here)
		memcpy(c->sums, &zero, c->size);
	else
		status = c->ops->upload(c->ctx, c->sums, &zero, c->size);
	for (int h = 0; h < c->g->n - 1 && !status; h++)
		status = convolve_layer(c, h);
	return status;
}

/* ---- the method ----------------------------------------------------------------------------- */

/* Memory of ops, or of the host, if it is wanted and nothing has failed. */
static char *take(struct conv *c, bool here, bool wanted, uint64_t bytes, int *status)
{
	char *p;

	if (!wanted || *status)
		return NULL;
	p = here ? c->ops->alloc_here(c->ctx, bytes) : c->ops->alloc(c->ctx, bytes);
	if (!p)
		*status = GPUBE_ENOMEM;
	return p;
}

static int take_memory(struct conv *c)
{
	const struct csg__conv_plan *p = &c->plan;
	const uint64_t sums = (uint64_t)c->size << (c->g->n - 1);
	const uint64_t piece = (uint64_t)c->size << p->piece_bits;
	const bool here = c->ops == gpube__subset_cpu();
	int status = GPUBE_OK;

	c->sends = p->copies && !here && !csg__source_on(c->g, c->ops);
	if (!here) /* at once, so that what follows leaves no gaps */
		c->ops->free(c->ctx, take(c, false, true, p->tables, &status));
	c->sums = take(c, p->sums_here, true, sums, &status);
	c->values = take(c, false, p->copies, piece, &status);
	c->product = take(c, false, p->merges, piece, &status);
	c->others = take(c, false, p->sums_here, piece, &status);
	c->out = take(c, false, p->sums_here, piece, &status);
	c->staging = take(c, true, c->sends && !(csg__on_host(c->g) && csg__as_is(c->range, c->g)),
		STAGED_BYTES, &status);
	return status;
}

static void give_memory(struct conv *c)
{
	c->ops->free_here(c->ctx, c->staging);
	c->ops->free(c->ctx, c->out);
	c->ops->free(c->ctx, c->others);
	c->ops->free(c->ctx, c->product);
	c->ops->free(c->ctx, c->values);
	if (c->plan.sums_here)
		c->ops->free_here(c->ctx, c->sums);
	else
		c->ops->free(c->ctx, c->sums);
}

int csg__conv(struct csg__search *s)
{
	const struct csg__view *g = s->g;
	struct conv c = {.ctx = g->ctx,
		.g = g,
		.range = s->range,
		.ops = s->ops,
		.n_ranks = csg__n_ranks(s),
		.type = s->range->work,
		.size = gpube__type_size(s->range->work)};
	const double start = gpube__now();
	int status = csg__conv_plan(&c.plan, s);

	if (!status)
		status = take_memory(&c);
	status = csg__agree(s, status);
	if (!status)
		status = csg__ranks_open(&c.ranks, s, c.sums, c.size, &c.plan);
	if (!status)
		status = fill_sums(&c);
	status = csg__ranks_close(c.ranks, status);
	if (!status)
		status = take_structure(&c, s->r);
	if (!status) {
		s->r->method = GPUBE_CSG_CONV;
		s->r->work = c.type;
		s->r->backend = c.ops->name;
		s->r->splits = csg__splits(GPUBE_CSG_CONV, g->n);
		s->r->seconds_splits = gpube__now() - start;
	}
	give_memory(&c);
	return status;
}

double csg__conv_seconds(const struct csg__search *s)
{
	return csg__splits(GPUBE_CSG_CONV, s->g->n) /
	       s->ops->splits_per_second(s->g->ctx, s->range->work);
}
