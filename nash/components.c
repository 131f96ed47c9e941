/*
 * components.c - maximal Nash subsets: the maximal bicliques of the graph between
 * xs and ys whose edges are the extreme equilibria. See nash.h.
 *
 * A maximal biclique's xs are the common neighbours of its ys. Sets are bit masks;
 * every intersection of neighbourhoods of xs is the ys of one, and all are found
 * by intersecting what is known with one neighbourhood more, component after
 * component.
 * Source: Avis, Rosenberg, Savani, von Stengel, Economic Theory 42, 2010.
 */
#include <string.h>

#include "gpube/base/bits.h"
#include "gpube/base/mask_index.h"
#include "gpube/options/options.h"
#include "nash/result.h"

/* One connected component; its xs and ys are numbered by their places in these lists. */
struct graph {
	struct gpube_ctx *ctx;
	int64_t n_xs, n_ys;
	const int64_t *xs, *ys; /* of the result, increasing */
	int words;              /* of a set of ys */
	uint64_t *ys_of;        /* words for each x */
	int64_t *lists;
};

/* All intersections, not empty, of neighbourhoods of xs. */
static int intersect_all(struct gpube__mask_set *s, const struct graph *g)
{
	uint64_t *mask = gpube__alloc(g->ctx, (uint64_t)g->words, sizeof(*mask));
	int status = mask ? GPUBE_OK : GPUBE_ENOMEM;

	for (int64_t x = 0; x < g->n_xs && !status; x++) {
		const uint64_t *ys = g->ys_of + x * g->words;
		int64_t known = s->n;

		status = gpube__mask_set_add(s, g->ctx, ys, NULL);
		for (int64_t k = 0; k < known && !status; k++) {
			uint64_t any = 0;

			for (int w = 0; w < g->words; w++)
				any |= mask[w] = ys[w] & s->masks[k * g->words + w];
			if (any)
				status = gpube__mask_set_add(s, g->ctx, mask, NULL);
			if (k % 1024 == 1023 && gpube__stopped(g->ctx))
				break;
		}
		if (!status && gpube__stopped(g->ctx))
			status = gpube__fail_stopped(g->ctx);
	}
	gpube__free(g->ctx, mask);
	return status;
}

static int fill(struct gpube_nash_subset *subset, const struct graph *g, const uint64_t *mask)
{
	int64_t n_xs = 0, n_ys, *list;

	for (int64_t x = 0; x < g->n_xs; x++)
		n_xs += gpube__bits_within(mask, g->ys_of + x * g->words, g->words);
	n_ys = gpube__bits_count(mask, g->words);
	list = gpube__alloc(g->ctx, (uint64_t)n_xs + (uint64_t)n_ys, sizeof(*list));
	if (!list)
		return GPUBE_ENOMEM;
	*subset = (struct gpube_nash_subset){
		.n_xs = n_xs, .n_ys = n_ys, .xs = list, .ys = list + n_xs};
	for (int64_t x = 0; x < g->n_xs; x++)
		if (gpube__bits_within(mask, g->ys_of + x * g->words, g->words))
			*list++ = g->xs[x];
	for (int64_t y = 0; y < g->n_ys; y++)
		if (gpube__bit(mask, y))
			*list++ = g->ys[y];
	return GPUBE_OK;
}

/* Appends the maximal bicliques of a component, as they are found. */
static int add_subsets(struct gpube_nash_components *c, int64_t *capacity, const struct graph *g)
{
	struct gpube__mask_set s = {.words = g->words};
	int status = intersect_all(&s, g);

	if (!status &&
		gpube__grow(g->ctx, &c->subsets, capacity, c->n_subsets + s.n, sizeof(*c->subsets)))
		status = GPUBE_ENOMEM;
	for (int64_t k = 0; k < s.n && !status; k++) {
		struct gpube_nash_subset *subset = &c->subsets[c->n_subsets];

		status = fill(subset, g, s.masks + k * g->words);
		if (status)
			break;
		subset->component = c->n_components;
		c->n_subsets++;
	}
	gpube__mask_set_clear(&s, g->ctx);
	return status;
}

/* ---- connected components -------------------------------------------------------- */

static int64_t root_of(int64_t *parent, int64_t v)
{
	while (parent[v] != v)
		v = parent[v] = parent[parent[v]];
	return v;
}

/*
 * parent  of the xs, then of the ys
 * next    of a vertex of the same component, increasing among xs and among ys; -1 at the end
 * place   of a y in its component
 */
struct forest {
	int64_t *parent, *first_x, *first_y, *next, *place;
	int64_t *pair; /* the first of each x; they are sorted by x */
};

static void connect(const struct forest *f, const struct gpube_nash_result *r)
{
	const int64_t n = r->n_xs + r->n_ys;

	for (int64_t v = 0; v < n; v++) {
		f->parent[v] = v;
		f->first_x[v] = f->first_y[v] = -1;
	}
	for (int64_t k = r->n_pairs - 1; k >= 0; k--) {
		const int64_t a = root_of(f->parent, r->pairs[k].x);
		const int64_t b = root_of(f->parent, r->n_xs + r->pairs[k].y);

		f->parent[b] = a;
		f->pair[r->pairs[k].x] = k;
	}
	for (int64_t v = n - 1; v >= 0; v--) {
		const int64_t root = root_of(f->parent, v);
		int64_t *first = v < r->n_xs ? &f->first_x[root] : &f->first_y[root];

		f->next[v] = *first;
		*first = v;
	}
}

/* The component whose first x this is; its lists are one block, which the caller frees. */
static int make_graph(
	struct graph *g, const struct forest *f, const struct gpube_nash_result *r, int64_t first_x)
{
	const int64_t first_y = f->first_y[root_of(f->parent, first_x)];
	int64_t *list;

	for (int64_t x = first_x; x >= 0; x = f->next[x])
		g->n_xs++;
	for (int64_t y = first_y; y >= 0; y = f->next[y])
		f->place[y - r->n_xs] = g->n_ys++;
	g->words = (int)((g->n_ys + 63) / 64);
	g->ys_of = gpube__alloc_zero(
		g->ctx, (uint64_t)gpube__mul_size(g->n_xs, g->words), sizeof(*g->ys_of));
	g->lists = list =
		gpube__alloc(g->ctx, (uint64_t)g->n_xs + (uint64_t)g->n_ys, sizeof(*list));
	if (!g->ys_of || !list)
		return GPUBE_ENOMEM;
	g->xs = list;
	g->ys = list + g->n_xs;
	for (int64_t x = first_x; x >= 0; x = f->next[x]) {
		uint64_t *mask = g->ys_of + (list - g->xs) * g->words;

		for (int64_t k = f->pair[x]; k < r->n_pairs && r->pairs[k].x == x; k++) {
			gpube__bit_put(mask, f->place[r->pairs[k].y]);
		}
		*list++ = x;
	}
	for (int64_t y = first_y; y >= 0; y = f->next[y])
		*list++ = y - r->n_xs;
	return GPUBE_OK;
}

static int add_component(struct gpube_nash_components *c, int64_t *capacity, struct gpube_ctx *ctx,
	const struct forest *f, const struct gpube_nash_result *r, int64_t first_x)
{
	struct graph g = {.ctx = ctx};
	int status = make_graph(&g, f, r, first_x);

	if (!status)
		status = add_subsets(c, capacity, &g);
	c->n_components++;
	gpube__free(ctx, g.lists);
	gpube__free(ctx, g.ys_of);
	return status;
}

static int add_all(
	struct gpube_nash_components *c, struct gpube_ctx *ctx, const struct gpube_nash_result *r)
{
	const uint64_t n = (uint64_t)r->n_xs + (uint64_t)r->n_ys;
	int64_t *block = gpube__alloc(ctx, n, 6 * sizeof(*block)), capacity = 0;
	const struct forest f = {.parent = block,
		.first_x = block + n,
		.first_y = block + 2 * n,
		.next = block + 3 * n,
		.place = block + 4 * n,
		.pair = block + 5 * n};
	int status = GPUBE_OK;

	if (!block)
		return GPUBE_ENOMEM;
	connect(&f, r);
	for (int64_t x = 0; x < r->n_xs && !status; x++)
		if (f.first_x[root_of(f.parent, x)] == x)
			status = add_component(c, &capacity, ctx, &f, r, x);
	gpube__free(ctx, block);
	return status;
}

static void clear_components(struct gpube_ctx *ctx, void *result)
{
	struct gpube_nash_components *c = result;

	for (int64_t k = 0; c->subsets && k < c->n_subsets; k++)
		GPUBE_FREE_ALL(ctx, c->subsets[k].xs);
	gpube__free(ctx, c->subsets);
}

int gpube_nash_components(struct gpube_nash_components **out, struct gpube_ctx *ctx,
	const struct gpube_nash_result *r, const struct gpube_opts *opts)
{
	struct gpube_nash_components *c;
	struct gpube_opts o;
	double deadline;
	int status;

	if (out)
		*out = NULL;
	if (!out || !ctx || !r)
		return gpube__missing(ctx);
	status = gpube__opts_take(&o, ctx, opts, GPUBE__ON_NASH_COMPONENTS);
	if (status)
		return status;
	if (r->answer != GPUBE_NASH_ANSWER_ALL || r->n_pairs < 1)
		return gpube__fail(ctx, GPUBE_EINVAL, "components need all equilibria");
	c = gpube__result_new(ctx, sizeof(*c), clear_components);
	if (!c)
		return GPUBE_ENOMEM;
	deadline = gpube__time_limit(ctx, gpube__now(), o.timeout_seconds);
	status = add_all(c, ctx, r);
	ctx->deadline = deadline;
	if (status)
		gpube_result_free(c);
	else
		*out = c;
	return status;
}
