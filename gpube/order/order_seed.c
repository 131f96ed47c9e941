/*
 * order_seed.c - orders from the shape of the graph, for the local search to
 * start from: min-fill alone finds width 29 on a 20 x 20 grid, whose rows have
 * a width of 20.
 */
#include "gpube/order/order_parts.h"

/* ---- breadth-first search inside a part ------------------------------------------- */

/* queue[0 … returned): the vertices of part 'id' by their distance from 'from', the level. */
static int32_t seed_search(struct gpube_seeder *s, int32_t *queue, int32_t from, int32_t id)
{
	const struct gpube_graph *g = s->g;
	int32_t n = 1;

	/* ~id: is in the queue already */
	queue[0] = from;
	s->level[from] = 0;
	s->part[from] = ~id;
	for (int32_t i = 0; i < n; i++) {
		int32_t v = queue[i];

		for (int64_t e = g->start[v]; e < g->start[v + 1]; e++) {
			int32_t u = g->adjacent[e];

			if (s->part[u] != id)
				continue;
			s->part[u] = ~id;
			s->level[u] = s->level[v] + 1;
			queue[n++] = u;
		}
		s->work += g->start[v + 1] - g->start[v];
	}
	for (int32_t i = 0; i < n; i++)
		s->part[queue[i]] = id;
	return n;
}

/* The same from a vertex far from 'from'. */
static void seed_search_from_end(struct gpube_seeder *s, int32_t *queue, int32_t from, int32_t id)
{
	int32_t n = seed_search(s, queue, from, id);

	seed_search(s, queue, queue[n - 1], id);
	seed_search(s, queue, queue[n - 1], id);
}

/* ---- sweeps -------------------------------------------------------------------------- */

enum { STEPS_BETWEEN_CHECKS = 1 << 20 };
enum { UNREACHED, IN_FRONT, GONE }; /* in s->level */

/* v enters the front: its neighbours' elimination brings it in no more. */
static void seed_reach(struct gpube_seeder *s, int32_t v, int32_t *n_front)
{
	const struct gpube_graph *g = s->g;

	s->level[v] = IN_FRONT;
	s->front[(*n_front)++] = v;
	for (int64_t e = g->start[v]; e < g->start[v + 1]; e++)
		s->growth[g->adjacent[e]] -= s->log_domain[v];
	s->work += g->start[v + 1] - g->start[v];
}

/* Takes the next vertex out of the front, whose vertices are in order of age. */
static int32_t seed_take(struct gpube_seeder *s, int32_t *n_front, bool by_age)
{
	int32_t best = 0, v;

	if (s->stopped) /* how good the order is no longer matters */
		return s->front[--*n_front];
	for (int32_t i = 1; i < *n_front && !by_age; i++)
		if (s->growth[s->front[i]] < s->growth[s->front[best]])
			best = i;
	v = s->front[best];
	--*n_front;
	for (int32_t i = best; i < *n_front; i++)
		s->front[i] = s->front[i + 1];
	s->work += *n_front;
	return v;
}

static int32_t sweep_from(struct gpube_seeder *s, int32_t *order, int32_t first, bool by_age)
{
	const struct gpube_graph *g = s->g;
	int32_t n = 0, n_front = 0;

	seed_reach(s, first, &n_front);
	while (n_front > 0) {
		int32_t v = seed_take(s, &n_front, by_age);

		if (s->work >= s->next_check) {
			s->next_check = s->work + STEPS_BETWEEN_CHECKS;
			s->stopped = gpube__order_over(s->ctx, s->stop_at);
		}
		s->level[v] = GONE;
		order[n++] = v;
		for (int64_t e = g->start[v]; e < g->start[v + 1]; e++)
			if (s->level[g->adjacent[e]] == UNREACHED)
				seed_reach(s, g->adjacent[e], &n_front);
		s->work += g->start[v + 1] - g->start[v];
	}
	return n;
}

void gpube__sweep(
	struct gpube_seeder *s, int32_t *order, int32_t first, bool by_age, struct gpube_rng *rng)
{
	const struct gpube_graph *g = s->g;
	int32_t n_begins = 0, n = 0;

	for (int32_t v = 0; v < g->n; v++)
		s->part[v] = 1;
	for (int32_t v = 0; v < g->n; v++) { /* where to begin in each component */
		int32_t size, from = -1;

		if (s->part[v] != 1)
			continue;
		size = seed_search(s, s->queue, v, 1);
		for (int32_t i = 0; i < size && first >= 0; i++)
			from = s->queue[i] == first ? first : from;
		if (from < 0) {
			from = s->queue[gpube__rng_below(rng, (uint64_t)size)];
			seed_search_from_end(s, s->queue, from, 1);
			from = s->queue[0];
		}
		for (int32_t i = 0; i < size; i++)
			s->part[s->queue[i]] = 2;
		s->begin[n_begins++] = from;
	}
	for (int32_t v = 0; v < g->n; v++) {
		s->level[v] = UNREACHED;
		s->growth[v] = -s->log_domain[v];
		for (int64_t e = g->start[v]; e < g->start[v + 1]; e++)
			s->growth[v] += s->log_domain[g->adjacent[e]];
	}
	for (int32_t i = 0; i < n_begins; i++)
		n += sweep_from(s, order + n, s->begin[i], by_age);
}

/* ---- buffers ---------------------------------------------------------------------------- */

int gpube__seeder_new(struct gpube_seeder **out, struct gpube_ctx *ctx, const struct gpube_graph *g)
{
	struct gpube_seeder *s = gpube__alloc_zero(ctx, 1, sizeof(*s));
	uint64_t n = (uint64_t)g->n;

	*out = NULL;
	if (!s)
		return GPUBE_ENOMEM;
	s->g = g;
	s->ctx = ctx;
	s->log_domain = gpube__alloc(ctx, n, sizeof(*s->log_domain));
	s->growth = gpube__alloc(ctx, n, sizeof(*s->growth));
	s->level = gpube__alloc(ctx, n, sizeof(*s->level));
	s->queue = gpube__alloc(ctx, n, sizeof(*s->queue));
	s->part = gpube__alloc(ctx, n, sizeof(*s->part));
	s->front = gpube__alloc(ctx, n, sizeof(*s->front));
	s->begin = gpube__alloc(ctx, n, sizeof(*s->begin));
	if (!s->log_domain || !s->growth || !s->level || !s->queue || !s->part || !s->front ||
		!s->begin) {
		gpube__seeder_free(s, ctx);
		return GPUBE_ENOMEM;
	}
	for (int32_t v = 0; v < g->n; v++)
		s->log_domain[v] = gpube__log_domain(g->domain[v]);
	*out = s;
	return GPUBE_OK;
}

void gpube__seeder_stop_at(struct gpube_seeder *s, double stop_at)
{
	s->stop_at = stop_at;
	s->stopped = false;
}

void gpube__seeder_free(struct gpube_seeder *s, struct gpube_ctx *ctx)
{
	if (!s)
		return;
	GPUBE_FREE_ALL(
		ctx, s->log_domain, s->growth, s->level, s->queue, s->part, s->front, s->begin, s);
}
