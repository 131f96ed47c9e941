/* cuts_graph.c - a model as a graph whose cuts cost what assignments do: see cuts.h. */
#include "gpube/relax/cuts/cuts_parts.h"

#include <stdlib.h>
#include <string.h>

#include "gpube/ir/dense.h"
#include "gpube/relax/scaling.h"

/* Scaled costs are at most 2^38. */
#define MOST_LEFT ((int64_t)1 << 38)
/* Edges at most; work for a function. */
enum { MOST_EDGES = 1 << 17, FUNCTION_TICKS = 50 };
/* Edges of a sparse graph, for each vertex, at most: of denser ones cycles say little. */
enum { SPARSE = 6 };

/* Whether a function forbids. Errors: ENOMEM */
static int forbids(bool *yes, const struct gpube_model *m, int32_t f)
{
	const int64_t n = gpube__cells(m, m->functions[f].arity, gpube__scope(m, f));
	int64_t *cells;
	const int status = gpube__dense_new(&cells, m, f, NULL);

	for (int64_t k = 0; !status && k < n; k++)
		*yes |= cells[k] == GPUBE_INF;
	gpube__free(m->ctx, cells);
	return status;
}

int gpube__cuts_suit(bool *yes, const struct gpube_model *m, bool sparse)
{
	int64_t n = m->n_vars;
	bool forbidden = false;

	*yes = false;
	for (int32_t i = 0; i < m->n_vars; i++)
		if (m->vars[i].domain > 2)
			return GPUBE_OK;
	for (int32_t f = 0; f < m->n_functions; f++) {
		if (m->functions[f].arity > 2)
			return GPUBE_OK;
		n += m->functions[f].arity == 2;
	}
	if (!m->n_vars || n > MOST_EDGES || (sparse && n > (SPARSE + 1) * (int64_t)m->n_vars))
		return GPUBE_OK;
	for (int32_t f = 0; f < m->n_functions && !forbidden; f++) {
		const int status = forbids(&forbidden, m, f);

		if (status)
			return status;
	}
	gpube__work(m->ctx, FUNCTION_TICKS * (int64_t)m->n_functions);
	*yes = !forbidden;
	return GPUBE_OK;
}

/* An edge while functions are gone through. */
struct edge {
	int32_t a, b;
	int64_t weight;
};

struct made {
	struct gpube_cuts_graph *p;
	const struct gpube_model *m;
	int64_t left; /* costs of the model from which on a cell is no better than the cutoff */
	struct edge *edges;
	int32_t n;
	bool large; /* a weight is too large */
};

/* Rounded down to an even number, so that halves are whole; what reaches the cutoff costs that. */
static int64_t scaled(const struct made *w, int64_t cost)
{
	const int shift = w->p->of.shift;

	if (cost >= w->left)
		cost = w->left;
	return (shift >= 0 ? cost << shift : cost >> -shift) & ~(int64_t)1;
}

static void add(struct made *w, int64_t *to, int64_t cost)
{
	*to += cost;
	w->large |= llabs(*to) > GPUBE__CUTS_MOST;
}

/*
 * A table of two variables is k + alpha a + beta b + weight [a != b]. Values that a variable does
 * not have cost what its only one does.
 */
static int take_function(struct made *w, int32_t f)
{
	const struct gpube_model *m = w->m;
	const bool is_pair = m->functions[f].arity == 2;
	int32_t scope[2], na, nb;
	int64_t *cells, c[2][2], alpha, beta, weight;
	const int status = gpube__dense_new(&cells, m, f, NULL);

	if (status)
		return status;
	gpube__sorted_scope(scope, m, f, NULL);
	na = m->vars[scope[0]].domain;
	nb = is_pair ? m->vars[scope[1]].domain : 1;
	for (int x = 0; x < 2; x++)
		for (int y = 0; y < 2; y++)
			c[x][y] = scaled(w, cells[(x < na ? x : 0) * nb + (y < nb ? y : 0)]);
	gpube__free(m->ctx, cells);
	weight = (c[0][1] + c[1][0] - c[0][0] - c[1][1]) / 2;
	alpha = c[1][0] - c[0][0] - weight;
	beta = c[0][1] - c[0][0] - weight;
	add(w, &w->p->constant, c[0][0]);
	add(w, &w->edges[scope[0]].weight, alpha);
	if (is_pair) {
		add(w, &w->edges[scope[1]].weight, beta);
		w->edges[w->n++] = (struct edge){scope[0], scope[1], weight};
	}
	return GPUBE_OK;
}

static int by_ends(const void *x, const void *y)
{
	const struct edge *a = x, *b = y;

	return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

/* Edges of the same ends become one; those that cost nothing go. */
static void merge(struct made *w)
{
	const int32_t first = w->m->n_vars;
	int32_t n = first;

	qsort(w->edges + first, (size_t)(w->n - first), sizeof(*w->edges), by_ends);
	for (int32_t e = first; e < w->n;) {
		struct edge own = w->edges[e];

		for (e++; e < w->n && !by_ends(&own, &w->edges[e]); e++)
			add(w, &own.weight, w->edges[e].weight);
		if (own.weight)
			w->edges[n++] = own;
	}
	w->n = n;
}

/* Edges at each vertex, ascending. */
static int list_around(struct gpube_cuts_graph *p)
{
	struct gpube_ctx *ctx = p->of.ctx;
	int32_t *fill = gpube__alloc_zero(ctx, (uint64_t)p->n_vertices, sizeof(*fill));

	p->around_at = gpube__alloc_zero(ctx, (uint64_t)p->n_vertices + 1, sizeof(*p->around_at));
	p->around = gpube__alloc_zero(ctx, 2 * (uint64_t)p->n_edges + 1, sizeof(*p->around));
	if (!fill || !p->around_at || !p->around) {
		gpube__free(ctx, fill);
		return GPUBE_ENOMEM;
	}
	for (int32_t e = 0; e < p->n_edges; e++)
		for (int k = 0; k < 2; k++)
			p->around_at[p->end[k][e] + 1]++;
	for (int32_t v = 0; v < p->n_vertices; v++)
		p->around_at[v + 1] += p->around_at[v];
	for (int32_t e = 0; e < p->n_edges; e++)
		for (int k = 0; k < 2; k++) {
			const int32_t v = p->end[k][e];

			p->around[p->around_at[v] + fill[v]++] = e;
		}
	gpube__free(ctx, fill);
	return GPUBE_OK;
}

/* Where no edge to the last vertex costs anything each cut is there twice: one vertex is fixed. */
static void break_symmetry(struct gpube_cuts_graph *p)
{
	int32_t most = 0;

	for (int32_t v = 0; v + 1 < p->n_vertices; v++) {
		if (p->weight[v] || !gpube__bit(p->of.allowed, 2 * (int64_t)v + 1))
			return;
		if (p->around_at[v + 1] - p->around_at[v] >
			p->around_at[most + 1] - p->around_at[most])
			most = v;
	}
	gpube__bit_drop(p->of.allowed, 2 * (int64_t)most + 1);
}

/* The graph of what was gathered. */
static int finish(struct made *w)
{
	struct gpube_cuts_graph *p = w->p;
	struct gpube_ctx *ctx = p->of.ctx;
	const uint64_t n = (uint64_t)w->n;

	p->n_edges = p->of.n = w->n;
	p->of.n_values = 2 * w->n;
	p->of.words = p->of.n_values / 64 + 1;
	p->of.at = gpube__alloc(ctx, n + 1, sizeof(*p->of.at));
	p->of.allowed = gpube__alloc_zero(ctx, (uint64_t)p->of.words, sizeof(*p->of.allowed));
	p->weight = gpube__alloc(ctx, n, sizeof(*p->weight));
	for (int k = 0; k < 2; k++)
		p->end[k] = gpube__alloc(ctx, n, sizeof(**p->end));
	if (!p->of.at || !p->of.allowed || !p->weight || !p->end[0] || !p->end[1])
		return GPUBE_ENOMEM;
	gpube__bits_fill(p->of.allowed, p->of.n_values);
	for (int32_t e = 0; e < w->n; e++) {
		p->of.at[e] = 2 * e;
		p->end[0][e] = w->edges[e].a;
		p->end[1][e] = w->edges[e].b;
		p->weight[e] = w->edges[e].weight;
		if (e < w->m->n_vars && w->m->vars[e].domain < 2)
			gpube__bit_drop(p->of.allowed, 2 * (int64_t)e + 1);
	}
	p->of.at[w->n] = 2 * w->n;
	if (list_around(p))
		return GPUBE_ENOMEM;
	break_symmetry(p);
	return GPUBE_OK;
}

void gpube__cuts_free(struct gpube_relaxed *of)
{
	struct gpube_cuts_graph *p = (struct gpube_cuts_graph *)of;

	if (p)
		GPUBE_FREE_ALL(of->ctx, of->at, of->allowed, p->end[0], p->end[1], p->weight,
			p->around_at, p->around, p);
}

int gpube__cuts_make(struct gpube_relaxed **out, const struct gpube_model *m, int64_t cutoff)
{
	struct made w = {.m = m, .left = gpube__costs_left(m, cutoff), .n = m->n_vars};
	bool suits;
	int status;

	*out = NULL;
	status = gpube__cuts_suit(&suits, m, false);
	if (status || !suits || !gpube__clp_there(m->ctx))
		return status;
	w.p = gpube__alloc_zero(m->ctx, 1, sizeof(*w.p));
	w.edges = gpube__alloc_zero(
		m->ctx, (uint64_t)m->n_vars + (uint64_t)m->n_functions, sizeof(*w.edges));
	if (!w.p || !w.edges) {
		GPUBE_FREE_ALL(m->ctx, w.p, w.edges);
		return GPUBE_ENOMEM;
	}
	w.p->of.ctx = m->ctx;
	w.p->of.shift = gpube__scale_shift(m, w.left, MOST_LEFT, GPUBE__MOST_SHIFT);
	w.p->of.target = gpube__scale_target(w.p->of.shift, w.left);
	w.p->unit = 1e6 / (double)(w.p->of.target > 0 ? w.p->of.target : 1);
	w.p->n_vertices = m->n_vars + 1;
	for (int32_t i = 0; i < m->n_vars; i++)
		w.edges[i] = (struct edge){i, m->n_vars, 0};
	for (int32_t f = 0; f < m->n_functions && !status && !w.large; f++)
		if (gpube__stopped(m->ctx))
			status = gpube__fail_stopped(m->ctx);
		else if (m->functions[f].arity)
			status = take_function(&w, f);
	gpube__work(m->ctx, FUNCTION_TICKS * ((int64_t)m->n_functions + m->n_vars));
	if (!status)
		merge(&w);
	if (!status && !w.large)
		status = finish(&w);
	gpube__free(m->ctx, w.edges);
	if (status || w.large)
		gpube__cuts_free(&w.p->of);
	else
		*out = &w.p->of;
	return status;
}
