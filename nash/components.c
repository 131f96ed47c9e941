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

#include "nash/game.h"

struct graph {
	struct gpube_ctx *ctx;
	const struct nash_result *r;
	int words;       /* of a set of ys */
	uint64_t *ys_of; /* words for each x */
};

/* Sets of ys, each once, in the order they were found. */
struct sets {
	int64_t n, capacity, n_slots;
	uint64_t *masks;
	int64_t *slots;
};

static uint64_t *set_at(const struct sets *s, const struct graph *g, int64_t k)
{
	return s->masks + k * g->words;
}

static int64_t slot_of(const struct sets *s, const struct graph *g, const uint64_t *mask)
{
	uint64_t h = 0x9e3779b97f4a7c15u;
	int64_t k;

	for (int w = 0; w < g->words; w++) {
		h = (h ^ mask[w]) * 0xbf58476d1ce4e5b9u;
		h ^= h >> 29;
	}
	k = (int64_t)(h & (uint64_t)(s->n_slots - 1));
	while (s->slots[k] &&
		memcmp(set_at(s, g, s->slots[k] - 1), mask, (size_t)g->words * sizeof(*mask)) != 0)
		k = (k + 1) & (s->n_slots - 1);
	return k;
}

static int add_set(struct sets *s, const struct graph *g, const uint64_t *mask)
{
	int64_t k;

	if (2 * (s->n + 1) > s->n_slots) {
		int64_t n = s->n_slots ? 2 * s->n_slots : 64;
		int64_t *slots = gpube__alloc_zero(g->ctx, (uint64_t)n, sizeof(*slots));

		if (!slots)
			return GPUBE_ENOMEM;
		gpube__free(g->ctx, s->slots);
		s->slots = slots;
		s->n_slots = n;
		for (int64_t i = 0; i < s->n; i++)
			slots[slot_of(s, g, set_at(s, g, i))] = i + 1;
	}
	k = slot_of(s, g, mask);
	if (s->slots[k])
		return GPUBE_OK;
	if (gpube__grow(g->ctx, &s->masks, &s->capacity, (s->n + 1) * g->words, sizeof(*mask)))
		return GPUBE_ENOMEM;
	memcpy(set_at(s, g, s->n), mask, (size_t)g->words * sizeof(*mask));
	s->slots[k] = ++s->n;
	return GPUBE_OK;
}

/* All intersections, not empty, of neighbourhoods of xs. */
static int intersect_all(struct sets *s, const struct graph *g)
{
	uint64_t *mask = gpube__alloc(g->ctx, (uint64_t)g->words, sizeof(*mask));
	int status = mask ? GPUBE_OK : GPUBE_ENOMEM;

	for (int64_t x = 0; x < g->r->n_xs && !status; x++) {
		const uint64_t *ys = g->ys_of + x * g->words;
		int64_t known = s->n;

		status = add_set(s, g, ys);
		for (int64_t k = 0; k < known && !status; k++) {
			uint64_t any = 0;

			for (int w = 0; w < g->words; w++)
				any |= mask[w] = ys[w] & set_at(s, g, k)[w];
			if (any)
				status = add_set(s, g, mask);
		}
		if (!status && gpube__stopped(g->ctx))
			status = gpube__fail_stopped(g->ctx);
	}
	gpube__free(g->ctx, mask);
	return status;
}

static bool contains(const struct graph *g, int64_t x, const uint64_t *mask)
{
	for (int w = 0; w < g->words; w++)
		if (mask[w] & ~g->ys_of[x * g->words + w])
			return false;
	return true;
}

static int fill(struct nash_subset *subset, const struct graph *g, const uint64_t *mask)
{
	int64_t n_xs = 0, n_ys = 0, *list;

	for (int64_t x = 0; x < g->r->n_xs; x++)
		n_xs += contains(g, x, mask);
	for (int w = 0; w < g->words; w++)
		n_ys += __builtin_popcountll(mask[w]);
	list = gpube__alloc(g->ctx, (uint64_t)n_xs + (uint64_t)n_ys, sizeof(*list));
	if (!list)
		return GPUBE_ENOMEM;
	*subset = (struct nash_subset){.n_xs = n_xs, .n_ys = n_ys, .xs = list, .ys = list + n_xs};
	for (int64_t x = 0; x < g->r->n_xs; x++)
		if (contains(g, x, mask))
			*list++ = x;
	for (int64_t y = 0; y < g->r->n_ys; y++)
		if (mask[y >> 6] >> (y & 63) & 1)
			*list++ = y;
	return GPUBE_OK;
}

/* ---- connected components -------------------------------------------------------- */

static int64_t root_of(int64_t *parent, int64_t v)
{
	while (parent[v] != v)
		v = parent[v] = parent[parent[v]];
	return v;
}

/* Component of every x, numbered by their first x. */
static int64_t connect(const struct graph *g, int64_t *parent, int64_t *number)
{
	int64_t n = g->r->n_xs + g->r->n_ys, count = 0;

	for (int64_t v = 0; v < n; v++) {
		parent[v] = v;
		number[v] = -1;
	}
	for (int64_t k = 0; k < g->r->n_pairs; k++) {
		int64_t a = root_of(parent, g->r->pairs[k].x);
		int64_t b = root_of(parent, g->r->n_xs + g->r->pairs[k].y);

		if (a != b)
			parent[b] = a;
	}
	for (int64_t x = 0; x < g->r->n_xs; x++) {
		int64_t root = root_of(parent, x);

		if (number[root] < 0)
			number[root] = count++;
	}
	return count;
}

/* By component, in it as found: the sort is stable and the components are few. */
static int order_subsets(struct nash_components *c, const struct graph *g, const struct sets *s)
{
	int64_t n = g->r->n_xs + g->r->n_ys;
	int64_t *parent = gpube__alloc(g->ctx, (uint64_t)n, sizeof(*parent));
	int64_t *number = gpube__alloc(g->ctx, (uint64_t)n, sizeof(*number));
	int status = parent && number ? GPUBE_OK : GPUBE_ENOMEM;

	if (!status)
		c->n_components = connect(g, parent, number);
	for (int64_t k = 0; k < s->n && !status; k++) {
		struct nash_subset subset;
		int64_t at = c->n_subsets;

		status = fill(&subset, g, set_at(s, g, k));
		if (status)
			break;
		subset.component = number[root_of(parent, subset.xs[0])];
		for (; at > 0 && c->subsets[at - 1].component > subset.component; at--)
			c->subsets[at] = c->subsets[at - 1];
		c->subsets[at] = subset;
		c->n_subsets++;
	}
	gpube__free(g->ctx, parent);
	gpube__free(g->ctx, number);
	return status;
}

int nash_components(
	struct nash_components **out, struct gpube_ctx *ctx, const struct nash_result *r)
{
	struct graph g = {.ctx = ctx, .r = r, .words = (int)((r->n_ys + 63) / 64)};
	struct nash_components *c;
	struct sets s = {0};
	int status = GPUBE_OK;

	*out = NULL;
	if (r->answer != NASH_ANSWER_ALL || r->n_pairs < 1)
		return gpube__fail(ctx, GPUBE_EINVAL, "components need all equilibria");
	c = gpube__alloc_zero(ctx, 1, sizeof(*c));
	g.ys_of = gpube__alloc_zero(ctx, (uint64_t)r->n_xs * (uint64_t)g.words, sizeof(*g.ys_of));
	if (!c || !g.ys_of)
		status = GPUBE_ENOMEM;
	for (int64_t k = 0; k < r->n_pairs && !status; k++)
		g.ys_of[r->pairs[k].x * g.words + (r->pairs[k].y >> 6)] |= (uint64_t)1
									   << (r->pairs[k].y & 63);
	if (!status)
		status = intersect_all(&s, &g);
	if (!status) {
		c->subsets = gpube__alloc(ctx, (uint64_t)s.n, sizeof(*c->subsets));
		status = c->subsets ? order_subsets(c, &g, &s) : GPUBE_ENOMEM;
	}
	gpube__free(ctx, g.ys_of);
	gpube__free(ctx, s.masks);
	gpube__free(ctx, s.slots);
	if (status)
		nash_components_free(c, ctx);
	else
		*out = c;
	return status;
}

void nash_components_free(struct nash_components *c, struct gpube_ctx *ctx)
{
	if (!c)
		return;
	for (int64_t k = 0; c->subsets && k < c->n_subsets; k++) {
		const void *list = c->subsets[k].xs;
		void *p;

		memcpy(&p, &list, sizeof(p));
		gpube__free(ctx, p);
	}
	gpube__free(ctx, c->subsets);
	gpube__free(ctx, c);
}
