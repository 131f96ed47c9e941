/*
 * graph.c - the functions of each variable, the primal graph of a model, and its connected
 * components.
 */
#include "gpube/ir/graph.h"

#include <string.h>

#include "gpube/base/rows.h"

enum { STEPS_OF_CHECK = 1 << 20 }; /* for a stop: some milliseconds */

int gpube__incidence_of_model(struct gpube_incidence *in, const struct gpube_model *m)
{
	in->start = gpube__alloc_zero(m->ctx, (uint64_t)m->n_vars + 2, sizeof(*in->start));
	in->of = gpube__alloc(m->ctx, (uint64_t)m->n_scopes, sizeof(*in->of));
	if (!in->start || !in->of)
		return GPUBE_ENOMEM;
	for (int32_t f = 0; f < m->n_functions; f++)
		for (int k = 0; k < m->functions[f].arity; k++)
			GPUBE_ROW_COUNT(in->start, gpube__scope(m, f)[k]);
	GPUBE_ROWS_BEGIN(in->start, m->n_vars);
	for (int32_t f = 0; f < m->n_functions; f++)
		for (int k = 0; k < m->functions[f].arity; k++)
			in->of[GPUBE_ROW_PLACE(in->start, gpube__scope(m, f)[k])] = f;
	return GPUBE_OK;
}

void gpube__incidence_clear(struct gpube_ctx *ctx, struct gpube_incidence *in)
{
	gpube__free(ctx, in->start);
	gpube__free(ctx, in->of);
	*in = (struct gpube_incidence){0};
}

/*
 * Ends of edges that a graph may have: a function of many variables has the square of its scope,
 * and every order that is tried keeps lists of them. What grows with the scopes is not counted.
 */
static int64_t most_ends(const struct gpube_model *m)
{
	enum { END_BYTES = 16, ENDS_OF_SCOPE = 64 };

	return (int64_t)(m->ctx->memory_bytes / END_BYTES < INT64_MAX / 2
				 ? m->ctx->memory_bytes / END_BYTES
				 : INT64_MAX / 2) +
	       ENDS_OF_SCOPE * (m->n_scopes + m->n_vars);
}

static int fail_ends(const struct gpube_model *m, int arity)
{
	return gpube__fail(m->ctx, GPUBE_ELIMIT,
		"a function of %d variables: the graph of those that meet takes more than the "
		"memory allowed",
		arity);
}

static int check_ends(const struct gpube_model *m, int64_t n)
{
	int largest = 0;

	for (int32_t f = 0; f < m->n_functions; f++)
		largest = m->functions[f].arity > largest ? m->functions[f].arity : largest;
	n = n > 0 ? n : (int64_t)largest * (largest - 1);
	return n > most_ends(m) ? fail_ends(m, largest) : GPUBE_OK;
}

/*
 * Visits each neighbour of each vertex once, vertices ascending. Counts them (adjacent NULL), or
 * appends i to the row of each neighbour j: as i ascends, so does every row.
 */
static int visit_edges(struct gpube_graph *g, const struct gpube_model *m,
	const struct gpube_incidence *in, int32_t *seen, int32_t *adjacent)
{
	const int64_t most = most_ends(m);
	int64_t ends = 0, steps = 0;

	for (int32_t i = 0; i < g->n; i++)
		seen[i] = -1;
	for (int32_t i = 0; i < g->n; i++) {
		seen[i] = i;
		if (ends > most)
			return check_ends(m, ends);
		for (int64_t e = in->start[i]; e < in->start[i + 1]; e++) {
			const struct gpube_function *f = &m->functions[in->of[e]];
			const int32_t *scope = gpube__scope(m, in->of[e]);

			steps += f->arity;
			if (steps > STEPS_OF_CHECK) {
				steps = 0;
				if (gpube__stopped(m->ctx))
					return gpube__fail_stopped(m->ctx);
			}
			for (int k = 0; k < f->arity; k++) {
				int32_t j = scope[k];

				if (seen[j] == i)
					continue;
				seen[j] = i;
				ends++;
				if (adjacent)
					adjacent[GPUBE_ROW_PLACE(g->start, j)] = i;
				else
					GPUBE_ROW_COUNT(g->start, j);
			}
		}
	}
	return GPUBE_OK;
}

int gpube__graph_of_model(struct gpube_graph *g, const struct gpube_model *m)
{
	struct gpube_incidence in = {0};
	int32_t *seen = NULL;
	int status = check_ends(m, 0);

	memset(g, 0, sizeof(*g));
	if (status)
		return status;
	status = GPUBE_ENOMEM;
	g->n = m->n_vars;
	seen = gpube__alloc(m->ctx, (uint64_t)g->n, sizeof(*seen));
	g->domain = gpube__alloc(m->ctx, (uint64_t)g->n, sizeof(*g->domain));
	g->start = gpube__alloc_zero(m->ctx, (uint64_t)g->n + 2, sizeof(*g->start));
	if (!seen || !g->domain || !g->start || gpube__incidence_of_model(&in, m))
		goto out;
	for (int32_t i = 0; i < g->n; i++)
		g->domain[i] = m->vars[i].domain;
	status = visit_edges(g, m, &in, seen, NULL);
	if (status)
		goto out;
	GPUBE_ROWS_BEGIN(g->start, g->n);
	g->adjacent = gpube__alloc(m->ctx, (uint64_t)g->start[g->n + 1], sizeof(*g->adjacent));
	status = g->adjacent ? visit_edges(g, m, &in, seen, g->adjacent) : GPUBE_ENOMEM;
out:
	gpube__incidence_clear(m->ctx, &in);
	gpube__free(m->ctx, seen);
	if (status)
		gpube__graph_clear(m->ctx, g);
	return status;
}

void gpube__graph_clear(struct gpube_ctx *ctx, struct gpube_graph *g)
{
	GPUBE_FREE_ALL(ctx, g->start, g->adjacent, g->domain);
	memset(g, 0, sizeof(*g));
}

int32_t gpube__set_root(int32_t *parent, int32_t i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

void gpube__sets_begin(int32_t *parent, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		parent[i] = i;
}

void gpube__sets_join(int32_t *parent, int32_t i, int32_t j)
{
	const int32_t a = gpube__set_root(parent, i), b = gpube__set_root(parent, j);

	parent[a > b ? a : b] = a > b ? b : a;
}

static int32_t number_components(int32_t *component, int32_t n)
{
	int32_t n_components = 0;

	/* a parent comes before its children, so its number, complemented, is already there */
	for (int32_t i = 0; i < n; i++)
		component[i] = component[i] == i ? ~n_components++ : component[component[i]];
	for (int32_t i = 0; i < n; i++)
		component[i] = ~component[i];
	return n_components;
}

int32_t gpube__graph_components(
	struct gpube_ctx *ctx, const struct gpube_graph *g, int32_t *component)
{
	(void)ctx; /* no memory is needed */
	gpube__sets_begin(component, g->n);
	for (int32_t i = 0; i < g->n; i++)
		for (int64_t e = g->start[i]; e < g->start[i + 1] && g->adjacent[e] < i; e++)
			gpube__sets_join(component, i, g->adjacent[e]);
	return number_components(component, g->n);
}

int32_t gpube__model_components(const struct gpube_model *m, int32_t *component)
{
	gpube__sets_begin(component, m->n_vars);
	for (int32_t f = 0; f < m->n_functions; f++)
		for (int k = 1; k < m->functions[f].arity; k++)
			gpube__sets_join(component, gpube__scope(m, f)[0], gpube__scope(m, f)[k]);
	return number_components(component, m->n_vars);
}

int gpube__invert_order(struct gpube_ctx *ctx, int32_t *position, const int32_t *order, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		position[i] = -1;
	for (int32_t k = 0; k < n; k++) {
		if (order[k] < 0 || order[k] >= n)
			return gpube__fail(ctx, GPUBE_EINVAL,
				"variable %d in an order of %d variables", order[k], n);
		if (position[order[k]] >= 0)
			return gpube__fail(
				ctx, GPUBE_EINVAL, "variable %d is twice in the order", order[k]);
		position[order[k]] = k;
	}
	return GPUBE_OK;
}

int gpube__check_permutation(struct gpube_ctx *ctx, const int32_t *order, int32_t n)
{
	int32_t *position = gpube__alloc(ctx, (uint64_t)n, sizeof(*position));
	int status = position ? gpube__invert_order(ctx, position, order, n) : GPUBE_ENOMEM;

	gpube__free(ctx, position);
	return status;
}
