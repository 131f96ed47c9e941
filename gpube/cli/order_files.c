/* order_files.c - see order_files.h. */
#include "gpube/cli/order_files.h"

#include "formats/formats.h"
#include "formats/io.h"
#include "gpube/ir/bucket_tree.h"

static int write_order(const struct gpube_model *m, const int32_t *order, const char *path)
{
	struct gpube_out out;
	int status = gpube__out_open(&out, m->ctx, path);

	if (status)
		return status;
	for (int32_t i = 0; i < m->n_vars; i++)
		gpube__out_printf(&out, "%d\n", order[i]);
	return gpube__out_close(&out, true);
}

/*
 * Clusters from the root down. A cluster is a chain of positions, each the only way on from the one
 * before: into[] names its lowest, whose bucket has all of its variables, and its parent is that
 * of its highest.
 * top    by cluster: its highest position
 * index  by cluster: where it is written
 */
static void fill(struct gpube_decomposition *d, const struct gpube_bucket_tree *t,
	const int32_t *into, int32_t *top, int32_t *index)
{
	int64_t n = 0;

	for (int32_t k = 0; k < t->n; k++)
		top[into[k]] = k;
	for (int32_t k = t->n - 1; k >= 0; k--) {
		const int32_t c = into[k], parent = gpube__bucket_parent(t, k);

		if (top[c] != k)
			continue;
		index[c] = d->n_clusters;
		d->parent[d->n_clusters] = parent < 0 ? -1 : index[into[parent]];
		d->first[d->n_clusters++] = n;
		d->vars[n++] = t->order[c];
		for (int64_t s = t->at[c]; s < t->at[c + 1]; s++)
			d->vars[n++] = t->order[t->scope[s]];
	}
	d->first[d->n_clusters] = n;
}

static int write_cover(const struct gpube_model *m, const int32_t *order, const char *path)
{
	struct gpube_bucket_tree t;
	struct gpube_decomposition d = {0};
	const uint64_t n = (uint64_t)m->n_vars;
	int32_t *of = gpube__alloc(m->ctx, 3 * n + 1, sizeof(*of)); /* into, top, index */
	int status = gpube__bucket_tree_init(&t, m, order);

	if (!status) {
		d.parent = gpube__alloc(m->ctx, n + 1, sizeof(*d.parent));
		d.first = gpube__alloc(m->ctx, n + 1, sizeof(*d.first));
		d.vars = gpube__alloc(m->ctx, n + (uint64_t)t.at[n] + 1, sizeof(*d.vars));
		status = of && d.parent && d.first && d.vars ? GPUBE_OK : GPUBE_ENOMEM;
	}
	if (!status) {
		gpube__bucket_clusters(&t, of);
		fill(&d, &t, of, of + n, of + 2 * n);
		status = gpube_write_decomposition(m, path, &d);
	}
	gpube__bucket_tree_clear(m->ctx, &t);
	gpube__free(m->ctx, d.parent);
	gpube__free(m->ctx, d.first);
	gpube__free(m->ctx, d.vars);
	gpube__free(m->ctx, of);
	return status;
}

int order_files_write(
	const struct gpube_model *m, const int32_t *order, const struct opts_orders *o)
{
	int status = o->write_order ? write_order(m, order, o->write_order) : GPUBE_OK;

	return status || !o->write_cover ? status : write_cover(m, order, o->write_cover);
}
