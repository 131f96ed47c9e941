/*
 * col.c - DIMACS .col: a graph to be coloured with k colours, k from the options.
 *
 *   c a comment
 *   p edge N M          (or "p col", "p edges")
 *   n NODE WEIGHT       (ignored: colouring has no weights)
 *   e I J
 *
 * Each edge becomes a function that costs 1 where the colours are equal: the optimum
 * is 0 if there is a proper colouring, and otherwise how many edges must be
 * broken. All share one table. Files that list each edge in both
 * directions, as many do, give one function for both; M is not checked, because
 * those files disagree on whether it counts one or both.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/common/reading.h"
#include "formats/common/registry.h"

struct edges {
	int64_t n, capacity;
	uint64_t *v; /* larger node << 32 | smaller */
};

static int compare_edges(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int read_header(struct gpube_model *m, struct gpube_in *in, int colors)
{
	static const char *const kinds[] = {"edge", "edges", "col"};
	char token[256];
	int64_t n, n_edges;
	int k = 0;

	gpube__dimacs_next(in);
	if (gpube__in_token(in, token, "the line 'p edge'"))
		return in->status;
	if (strcmp(token, "p") != 0)
		return gpube__in_expected(in, "the line 'p edge'", token);
	if (gpube__in_token(in, token, "'edge' or 'col'"))
		return in->status;
	while (k < 3 && strcmp(kinds[k], token) != 0)
		k++;
	if (k == 3)
		return gpube__in_expected(in, "'edge' or 'col'", token);
	if (gpube__in_int(in, &n, 0, INT32_MAX, "the number of nodes") ||
		gpube__in_int(in, &n_edges, 0, INT64_MAX, "the number of edges"))
		return in->status;
	return gpube__add_vars(m, in, n, colors);
}

static int read_edge(struct gpube_model *m, struct gpube_in *in, struct edges *edges)
{
	int64_t a, b;

	if (gpube__in_int(in, &a, 1, m->n_vars, "a node") ||
		gpube__in_int(in, &b, 1, m->n_vars, "a node"))
		return in->status;
	if (a == b)
		return gpube__in_error(in, "an edge from node %lld to itself", (long long)a);
	if (gpube__grow(m->ctx, &edges->v, &edges->capacity, edges->n + 1, sizeof(*edges->v)))
		return in->status = GPUBE_ENOMEM;
	edges->v[edges->n++] = (uint64_t)(a > b ? a : b) << 32 | (uint64_t)(a < b ? a : b);
	return GPUBE_OK;
}

static int read_lines(struct gpube_model *m, struct gpube_in *in, struct edges *edges)
{
	char token[256];

	while (gpube__dimacs_next(in)) {
		if (gpube__in_token(in, token, "a line 'e'"))
			break;
		/* n: a weight; d, v and x: of geometric graphs */
		if (strcmp(token, "n") == 0 || strcmp(token, "d") == 0 || strcmp(token, "v") == 0 ||
			strcmp(token, "x") == 0)
			gpube__in_skip_line(in);
		else if (strcmp(token, "e") != 0)
			gpube__in_expected(in, "a line 'e'", token);
		else
			read_edge(m, in, edges);
	}
	return in->status;
}

static int add_table(struct gpube_model *m, int colors, int32_t *table)
{
	struct gpube_table t = {.type = GPUBE_INT8, .arity = 2, .n = (int64_t)colors * colors};
	int8_t *values = gpube__alloc_zero(m->ctx, (uint64_t)t.n, 1);

	if (!values)
		return GPUBE_ENOMEM;
	for (int64_t a = 0; a < colors; a++)
		values[a * colors + a] = 1;
	t.values = values;
	return gpube__add_table(m, table, &t);
}

int gpube__col_read(struct gpube_model *m, struct gpube_in *in)
{
	int colors = in->opts ? in->opts->colors : 0;
	struct edges edges = {0};
	int32_t table;
	int status;

	if (colors < 1 || colors > 10000)
		return in->status = gpube__fail(m->ctx, GPUBE_EINVAL,
			       "%s: a graph to be coloured needs a number of colours from 1 to "
			       "10000: --colors K",
			       in->path);
	status = read_header(m, in, colors);
	if (!status)
		status = read_lines(m, in, &edges);
	if (!status && edges.n)
		status = gpube__in_charge(in, (int64_t)colors * colors, 1, "%d colours", colors);
	if (!status && edges.n) {
		qsort(edges.v, (size_t)edges.n, sizeof(*edges.v), compare_edges);
		status = add_table(m, colors, &table);
	}
	for (int64_t k = 0; k < edges.n && !status; k++) {
		int32_t scope[2] = {
			(int32_t)(edges.v[k] & UINT32_MAX) - 1, (int32_t)(edges.v[k] >> 32) - 1};

		if (k == 0 || edges.v[k] != edges.v[k - 1])
			status = gpube__add_function(m, 2, scope, table, NULL);
	}
	gpube__free(m->ctx, edges.v);
	return in->status = status;
}
