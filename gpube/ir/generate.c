/* generate.c - random networks. See generate.h. */
#include "gpube/ir/generate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t most_cost = (int64_t)1 << 40;

struct edge {
	int32_t a, b; /* a < b */
};

struct edges {
	struct gpube_ctx *ctx;
	struct edge *e;
	int64_t n, capacity;
};

const char *gpube__topology_name(enum gpube_topology topology)
{
	static const char *const name[] = {"random", "scale-free", "grid"};

	return name[topology];
}

static int add_edge(struct edges *edges, int32_t a, int32_t b)
{
	if (gpube__grow(edges->ctx, &edges->e, &edges->capacity, edges->n + 1, sizeof(*edges->e)))
		return GPUBE_ENOMEM;
	edges->e[edges->n++] = a < b ? (struct edge){a, b} : (struct edge){b, a};
	return GPUBE_OK;
}

/* ---- random --------------------------------------------------------------------- */

/*
 * A uniform spanning tree of the complete graph: a random walk, of which each
 * node keeps the step that first reached it (Aldous 1990, Broder 1989).
 */
static void random_tree(struct gpube_rng *rng, int32_t *parent, int32_t n)
{
	int32_t at = (int32_t)gpube__rng_below(rng, (uint64_t)n);

	for (int32_t i = 0; i < n; i++)
		parent[i] = -1;
	parent[at] = at;
	for (int32_t left = n - 1; left > 0;) {
		int32_t next = (int32_t)gpube__rng_below(rng, (uint64_t)n);

		if (parent[next] < 0) {
			parent[next] = at;
			left--;
		}
		at = next;
	}
}

/* Goes through all pairs once and takes each with the chance that makes the count come out. */
static int random_graph(struct edges *edges, struct gpube_rng *rng, int32_t n, int64_t n_edges)
{
	int32_t *parent = gpube__alloc(edges->ctx, (uint64_t)n, sizeof(*parent));
	uint64_t wanted = (uint64_t)(n_edges - (n - 1));
	uint64_t left = (uint64_t)n * (uint64_t)(n - 1) / 2 - (uint64_t)(n - 1);
	int status = GPUBE_OK;

	if (!parent)
		return GPUBE_ENOMEM;
	random_tree(rng, parent, n);
	for (int32_t a = 0; !status && a < n; a++)
		for (int32_t b = a + 1; !status && b < n; b++) {
			bool take = parent[a] == b || parent[b] == a;

			if (!take) {
				take = gpube__rng_below(rng, left--) < wanted;
				wanted -= take;
			}
			if (take)
				status = add_edge(edges, a, b);
		}
	gpube__free(edges->ctx, parent);
	return status;
}

/* ---- scale-free, grid -------------------------------------------------------------- */

/* An end of a random edge is a node with the chance of its degree. */
static int32_t random_end(const struct edges *edges, struct gpube_rng *rng)
{
	uint64_t k = gpube__rng_below(rng, 2 * (uint64_t)edges->n);

	return k & 1 ? edges->e[k / 2].b : edges->e[k / 2].a;
}

/* Node i joins 'links' earlier ones, all of them while there are no more. */
static int scale_free_graph(struct edges *edges, struct gpube_rng *rng, int32_t n, int32_t links)
{
	uint64_t most = (uint64_t)(links < n ? links : n);
	int32_t *ends = gpube__alloc(edges->ctx, most, sizeof(*ends));
	int status = !ends ? GPUBE_ENOMEM : n > 1 ? add_edge(edges, 0, 1) : GPUBE_OK;

	for (int32_t i = 2; !status && i < n; i++) {
		int32_t wanted = i < links ? i : links;

		for (int32_t k = 0; k < wanted;) {
			int32_t a = random_end(edges, rng), j = 0;

			while (j < k && ends[j] != a)
				j++;
			if (j == k)
				ends[k++] = a;
		}
		for (int32_t k = 0; !status && k < wanted; k++)
			status = add_edge(edges, ends[k], i);
	}
	gpube__free(edges->ctx, ends);
	return status;
}

static int grid_graph(struct edges *edges, int32_t n, int32_t rows)
{
	int32_t columns = n / rows;
	int status = GPUBE_OK;

	for (int32_t i = 0; !status && i < n; i++) {
		if (i % columns + 1 < columns)
			status = add_edge(edges, i, i + 1);
		if (!status && i / columns + 1 < rows)
			status = add_edge(edges, i, i + columns);
	}
	return status;
}

static int32_t square_rows(int32_t n)
{
	int32_t rows = (int32_t)sqrt((double)n);

	while (n % rows)
		rows--;
	return rows;
}

/* ---- the model ----------------------------------------------------------------------- */

static int64_t random_edge_count(const struct gpube_network *w)
{
	double n = w->n_vars;

	/* 0.7 * 45 is a little less than 31.5: no edge is lost to that */
	return (int64_t)floor(w->density * (n * (n - 1) / 2) + 1e-6);
}

static int check(struct gpube_ctx *ctx, const struct gpube_network *w)
{
	int64_t edges;

	if (w->n_vars < 1 || w->domain < 1)
		return gpube__fail(ctx, GPUBE_EINVAL, "%d variables of %d values: at least 1 of 1",
			w->n_vars, w->domain);
	if (!(w->tightness >= 0 && w->tightness <= 1))
		return gpube__fail(ctx, GPUBE_EINVAL, "tightness %g: 0 to 1", w->tightness);
	if (w->max_cost < 0 || w->max_cost > most_cost)
		return gpube__fail(
			ctx, GPUBE_EINVAL, "greatest cost %lld: 0 to 2^40", (long long)w->max_cost);
	if (w->topology == GPUBE_NETWORK_GRID && w->rows && (w->rows < 0 || w->n_vars % w->rows))
		return gpube__fail(
			ctx, GPUBE_EINVAL, "%d rows of a grid of %d variables", w->rows, w->n_vars);
	if (w->topology == GPUBE_NETWORK_SCALE_FREE &&
		(w->links < 0 || (int64_t)w->links * w->n_vars > INT32_MAX))
		return gpube__fail(ctx, GPUBE_EINVAL,
			"%d links a node: 0, or at most %d edges in all", w->links, INT32_MAX);
	if (w->topology != GPUBE_NETWORK_RANDOM)
		return GPUBE_OK;
	if (!(w->density >= 0 && w->density <= 1))
		return gpube__fail(ctx, GPUBE_EINVAL, "density %g: 0 to 1", w->density);
	edges = random_edge_count(w);
	if (edges < w->n_vars - 1)
		return gpube__fail(ctx, GPUBE_EINVAL,
			"density %g makes %lld edges: to connect %d variables takes %d", w->density,
			(long long)edges, w->n_vars, w->n_vars - 1);
	if (edges > INT32_MAX)
		return gpube__fail(ctx, GPUBE_ERANGE, "density %g makes %lld edges: at most %d",
			w->density, (long long)edges, INT32_MAX);
	return GPUBE_OK;
}

static int compare_edges(const void *x, const void *y)
{
	const struct edge *a = x, *b = y;

	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return (a->b > b->b) - (a->b < b->b);
}

static int make_graph(struct edges *edges, const struct gpube_network *w)
{
	struct gpube_rng rng;
	int status;

	gpube__rng_init(&rng, w->seed);
	if (w->topology == GPUBE_NETWORK_RANDOM)
		status = random_graph(edges, &rng, w->n_vars, random_edge_count(w));
	else if (w->topology == GPUBE_NETWORK_SCALE_FREE)
		status = scale_free_graph(edges, &rng, w->n_vars, w->links ? w->links : 2);
	else
		status = grid_graph(edges, w->n_vars, w->rows ? w->rows : square_rows(w->n_vars));
	if (!status && edges->n)
		qsort(edges->e, (size_t)edges->n, sizeof(*edges->e), compare_edges);
	return status;
}

/* Costs for all tuples, of which a uniform choice of 'forbidden' becomes forbidden. */
static void fill_table(
	int64_t *costs, int64_t n, int64_t forbidden, int64_t max_cost, struct gpube_rng *rng)
{
	for (int64_t k = 0; k < n; k++) {
		int64_t cost = (int64_t)gpube__rng_below(rng, (uint64_t)max_cost + 1);
		bool forbid = gpube__rng_below(rng, (uint64_t)(n - k)) < (uint64_t)forbidden;

		costs[k] = forbid ? GPUBE_INF : cost;
		forbidden -= forbid;
	}
}

static int add_functions(
	struct gpube_model *m, const struct edges *edges, const struct gpube_network *w)
{
	static const uint64_t costs_stream = 0x636f737473; /* "costs" */
	int64_t n = (int64_t)w->domain * w->domain;
	int64_t forbidden = (int64_t)floor(w->tightness * (double)n + 0.5);
	int64_t *costs = gpube__alloc(m->ctx, (uint64_t)n, sizeof(*costs));
	struct gpube_rng rng;
	int status = costs ? GPUBE_OK : GPUBE_ENOMEM;

	gpube__rng_init(&rng, w->seed ^ costs_stream);
	for (int64_t k = 0; !status && k < edges->n; k++) {
		fill_table(costs, n, forbidden, w->max_cost, &rng);
		status = gpube__stopped(m->ctx)
				 ? gpube__fail_stopped(m->ctx)
				 : gpube_model_add_costs(
					   m, 2, (int32_t[]){edges->e[k].a, edges->e[k].b}, costs);
	}
	gpube__free(m->ctx, costs);
	return status;
}

static int make_model(
	struct gpube_model *m, const struct edges *edges, const struct gpube_network *w)
{
	char name[96];

	snprintf(name, sizeof(name), "%s_n%d_d%d_seed%llu", gpube__topology_name(w->topology),
		(int)w->n_vars, (int)w->domain, (unsigned long long)w->seed);
	m->name = gpube__strdup(m->ctx, name);
	if (!m->name)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < w->n_vars; i++)
		if (gpube_model_add_var(m, NULL, w->domain, NULL))
			return GPUBE_ENOMEM;
	return add_functions(m, edges, w);
}

int gpube__generate(
	struct gpube_model **out, struct gpube_ctx *ctx, const struct gpube_network *network)
{
	struct edges edges = {.ctx = ctx};
	struct gpube_model *m = NULL;
	int status = check(ctx, network);

	*out = NULL;
	if (!status)
		status = make_graph(&edges, network);
	if (!status)
		status = gpube_model_new(&m, ctx, GPUBE_COSTS);
	if (!status)
		status = make_model(m, &edges, network);
	gpube__free(ctx, edges.e);
	if (status)
		gpube_model_free(m);
	else
		*out = m;
	return status;
}
