/*
 * decomposition.c - toulbar2's .cov: a tree decomposition, a cluster on each line. See
 * formats.h.
 *
 *   NUMBER PARENT VARIABLE …
 *
 * The parent of a root is -1. Clusters stand behind their parents, so that there
 * is no circle. A .dec is the same without the two numbers, in any order.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/beside/decomposition.h"
#include "formats/io/io.h"
#include "formats/common/reading.h"

struct reader {
	const struct gpube_model *m;
	struct gpube_in *in;
	struct gpube_decomposition *d;
	int64_t vars_capacity, first_capacity, parent_capacity, line_capacity, number_capacity;
	int64_t *line, *number; /* of each cluster, as in the file */
	int64_t *parent;        /* the parent's number in the file */
	int32_t *seen;          /* by variable: 1 + the last cluster with it */
};

static int grow(struct reader *r)
{
	struct gpube_ctx *ctx = r->m->ctx;
	int64_t n = r->d->n_clusters;

	if (gpube__grow(ctx, &r->d->first, &r->first_capacity, n + 2, sizeof(*r->d->first)) ||
		gpube__grow(ctx, &r->parent, &r->parent_capacity, n + 1, sizeof(*r->parent)) ||
		gpube__grow(ctx, &r->line, &r->line_capacity, n + 1, sizeof(*r->line)) ||
		gpube__grow(ctx, &r->number, &r->number_capacity, n + 1, sizeof(*r->number)))
		return GPUBE_ENOMEM;
	if (n == 0)
		r->d->first[0] = 0;
	return GPUBE_OK;
}

/* The two numbers in front of a cluster's variables. */
static int read_place(struct reader *r, int32_t k)
{
	if (gpube__in_int(r->in, &r->number[k], 0, INT32_MAX, "a cluster's number"))
		return r->in->status;
	r->line[k] = r->in->line;
	if (gpube__in_line_ended(r->in))
		return gpube__in_error(r->in, "expected a cluster's parent");
	return gpube__in_int(r->in, &r->parent[k], -1, INT32_MAX, "a cluster's parent");
}

static int read_cluster(struct reader *r, bool tree)
{
	struct gpube_decomposition *d = r->d;
	int32_t k = d->n_clusters;
	int64_t n, var;

	if (k == INT32_MAX - 2 || grow(r))
		return GPUBE_ENOMEM;
	n = d->first[k];
	if (tree && read_place(r, k))
		return r->in->status;
	/* without them the first variable is what the line was found by */
	for (bool first = !tree; first || !gpube__in_line_ended(r->in); first = false) {
		if (gpube__in_int(r->in, &var, 0, (int64_t)r->m->n_vars - 1, "a variable"))
			return r->in->status;
		if (r->seen[var] == k + 1)
			return gpube__in_error(
				r->in, "variable %lld is twice in a cluster", (long long)var);
		r->seen[var] = k + 1;
		if (gpube__grow(r->m->ctx, &d->vars, &r->vars_capacity, n + 1, sizeof(*d->vars)))
			return GPUBE_ENOMEM;
		d->vars[n++] = (int32_t)var;
	}
	d->first[k + 1] = n;
	d->n_clusters++;
	return GPUBE_OK;
}

struct numbered {
	int64_t number;
	int32_t cluster;
};

static int compare_numbers(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->cluster > y->cluster) - (x->cluster < y->cluster);
}

/* Numbers in the file become indices; 'sorted' has room for all. */
static int find_parents(struct reader *r, struct numbered *sorted)
{
	struct gpube_decomposition *d = r->d;

	for (int32_t k = 0; k < d->n_clusters; k++)
		sorted[k] = (struct numbered){r->number[k], k};
	qsort(sorted, (size_t)d->n_clusters, sizeof(*sorted), compare_numbers);
	for (int32_t k = 1; k < d->n_clusters; k++)
		if (sorted[k].number == sorted[k - 1].number) {
			r->in->line = r->line[sorted[k].cluster];
			return gpube__in_error(
				r->in, "cluster %lld is there twice", (long long)sorted[k].number);
		}
	for (int32_t k = 0; k < d->n_clusters; k++) {
		int64_t low;

		d->parent[k] = -1;
		if (r->parent[k] < 0)
			continue;
		low = gpube__first_from(sorted, d->n_clusters, sizeof(*sorted), r->parent[k]);
		r->in->line = r->line[k];
		if (low == d->n_clusters || sorted[low].number != r->parent[k] ||
			sorted[low].cluster >= k)
			return gpube__in_error(r->in,
				"the parent of cluster %lld, %lld, is not on a line before",
				(long long)r->number[k], (long long)r->parent[k]);
		d->parent[k] = sorted[low].cluster;
	}
	return GPUBE_OK;
}

static int set_parents(struct reader *r)
{
	uint64_t n = (uint64_t)r->d->n_clusters + 1;
	struct numbered *sorted = gpube__alloc(r->m->ctx, n, sizeof(*sorted));
	int status = GPUBE_ENOMEM;

	r->d->parent = gpube__alloc(r->m->ctx, n, sizeof(*r->d->parent));
	if (sorted && r->d->parent)
		status = find_parents(r, sorted);
	gpube__free(r->m->ctx, sorted);
	return status;
}

static void clear_decomposition(struct gpube_ctx *ctx, void *result)
{
	struct gpube_decomposition *d = result;

	GPUBE_FREE_ALL(ctx, d->parent, d->first, d->vars);
}

struct gpube_decomposition *gpube__decomposition_new(struct gpube_ctx *ctx)
{
	return gpube__result_new(ctx, sizeof(struct gpube_decomposition), clear_decomposition);
}

int gpube__read_clusters(
	struct gpube_decomposition **out, const struct gpube_model *m, const char *path, bool tree)
{
	struct gpube_in in;
	struct reader r = {.m = m, .in = &in};
	int status;

	*out = NULL;
	status = gpube__in_open(&in, m->ctx, path);
	if (status)
		return status;
	r.d = gpube__decomposition_new(m->ctx);
	r.seen = gpube__alloc_zero(m->ctx, (uint64_t)m->n_vars + 1, sizeof(*r.seen));
	status = r.d && r.seen ? GPUBE_OK : GPUBE_ENOMEM;
	while (!status && !gpube__in_at_end(&in))
		status = read_cluster(&r, tree);
	if (!status)
		status = in.status;
	if (!status && r.d->n_clusters == 0)
		status = gpube__in_error(&in, "expected a cluster, found the end of the file");
	GPUBE_KNOWN(status || r.number); /* each cluster has one */
	if (!status)
		/* parents, of numbers or of what the clusters have in common */
		status = tree ? set_parents(&r) : gpube__join_clusters(r.d, m);
	gpube__in_close(&in);
	GPUBE_FREE_ALL(m->ctx, r.seen, r.line, r.number, r.parent);
	if (status)
		gpube_result_free(r.d);
	else
		*out = r.d;
	return status;
}

int gpube__read_decomposition(
	struct gpube_decomposition **out, const struct gpube_model *m, const char *path)
{
	if (out)
		*out = NULL;
	if (!out || !m || !path)
		return gpube__missing(m ? m->ctx : NULL);
	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	return gpube__read_clusters(out, m, path, !gpube__has_extension(path, "dec"));
}

int gpube__check_decomposition(const struct gpube_model *m, const struct gpube_decomposition *d)
{
	if (d->n_clusters < 0)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "%d clusters", d->n_clusters);
	if (d->n_clusters && (!d->parent || !d->first || (d->first[d->n_clusters] && !d->vars)))
		return gpube__missing(m->ctx);
	for (int32_t k = 0; k < d->n_clusters; k++) {
		if (d->parent[k] >= k || d->parent[k] < -1)
			return gpube__fail(m->ctx, GPUBE_EINVAL,
				"cluster %d does not come after its parent", k);
		if (d->first[0] || d->first[k + 1] < d->first[k])
			return gpube__fail(
				m->ctx, GPUBE_EINVAL, "cluster %d is no part of the list", k);
		for (int64_t i = d->first[k]; i < d->first[k + 1]; i++)
			if (d->vars[i] < 0 || d->vars[i] >= m->n_vars)
				return gpube__fail(m->ctx, GPUBE_EINVAL,
					"variable %d in cluster %d: there are %d", d->vars[i], k,
					m->n_vars);
	}
	return GPUBE_OK;
}

int gpube__write_decomposition(
	const struct gpube_model *m, const char *path, const struct gpube_decomposition *d)
{
	struct gpube_out out;
	int status;
	bool tree;

	if (!m || !path || !d)
		return gpube__missing(m ? m->ctx : NULL);
	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	if (m->n_hidden)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"'%s': no decomposition is written over %d hidden variables, which no "
			"other program knows",
			path, m->n_hidden);
	status = gpube__check_decomposition(m, d);
	if (!status)
		status = gpube__out_open(&out, m->ctx, path);
	if (status)
		return status;
	tree = !gpube__has_extension(path, "dec");
	for (int32_t k = 0; k < d->n_clusters; k++) {
		if (tree)
			gpube__out_printf(&out, "%d %d", k, d->parent[k]);
		for (int64_t i = d->first[k]; i < d->first[k + 1]; i++)
			gpube__out_printf(
				&out, "%s%d", tree || i > d->first[k] ? " " : "", d->vars[i]);
		gpube__out_text(&out, "\n");
	}
	return gpube__out_close(&out, true);
}
