/* moved.c - see moved.h. */
#include "gpube/relax/moved.h"

#include <stdlib.h>
#include <string.h>

#include "gpube/ir/dense.h"

/* Costs of a cell of the ascent are multiplied by 2^up. */
static int up_of(const struct gpube_moved *w)
{
	return w->shift < 0 ? -w->shift : 0;
}

int gpube__moved_begin(
	struct gpube_moved *w, const struct gpube_model *from, int shift, int32_t slack)
{
	int status;

	*w = (struct gpube_moved){.from = from, .shift = shift, .slack = slack};
	status = gpube_model_new(&w->to, from->ctx, GPUBE_COSTS);
	for (int32_t i = 0; i < from->n_vars && !status; i++)
		status = gpube_model_add_var(w->to, NULL, from->vars[i].domain, NULL);
	if (!status)
		w->to->scale = from->scale;
	return status;
}

/* Takes over the cells, which are freed where all are 0. */
static int add(struct gpube_moved *w, int arity, const int32_t *scope, int64_t *cells, int64_t n)
{
	struct gpube_table t = {
		.type = GPUBE_INT64, .arity = arity, .n = n, .values = (void *)cells};
	int64_t any = 0;

	for (int64_t k = 0; k < n; k++)
		any |= cells[k];
	if (!any) {
		gpube__free(w->from->ctx, cells);
		return GPUBE_OK;
	}
	return gpube__add_table_over(w->to, scope, &t, NULL);
}

int gpube__moved_table(
	struct gpube_moved *w, int arity, const int32_t *scope, const int32_t *t, int64_t row)
{
	const int32_t last = w->from->vars[scope[arity - 1]].domain;
	const int64_t n = gpube__cells(w->from, arity, scope);
	int64_t *cells = gpube__alloc(w->from->ctx, (uint64_t)n, sizeof(*cells));

	if (!cells)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < n; k++) {
		const int32_t cost = t[k / last * row + k % last];

		cells[k] = cost >= w->slack ? GPUBE_INF : (int64_t)cost << up_of(w);
	}
	return add(w, arity, scope, cells, n);
}

/* What rounding down left of a function; what is forbidden the tables say. */
static int add_rest(struct gpube_moved *w, int32_t f)
{
	const struct gpube_model *m = w->from;
	const int arity = m->functions[f].arity;
	const int64_t n = gpube__cells(m, arity, gpube__scope(m, f));
	int32_t *sorted = gpube__alloc(m->ctx, (uint64_t)arity, sizeof(*sorted));
	int64_t *cells = NULL;
	int status = sorted ? gpube__dense_new(&cells, m, f, NULL) : GPUBE_ENOMEM;

	for (int64_t k = 0; k < n && !status; k++)
		cells[k] = cells[k] == GPUBE_INF ? 0 : cells[k] & (((int64_t)1 << up_of(w)) - 1);
	if (!status) {
		gpube__sorted_scope(sorted, m, f, NULL);
		status = add(w, arity, sorted, cells, n);
	}
	gpube__free(m->ctx, sorted);
	return status;
}

int gpube__moved_end(struct gpube_model **out, struct gpube_moved *w, int64_t constant, int status)
{
	const struct gpube_model *m = w->from;

	for (int32_t f = 0; f < m->n_functions && w->shift < 0 && !status; f++)
		if (m->functions[f].arity > 0)
			status = add_rest(w, f);
	if (status) {
		gpube_model_free(w->to);
		*out = NULL;
		return status;
	}
	w->to->constant = gpube__constant_of(m) * ((int64_t)1 << gpube__moved_finer(w->shift)) +
			  constant * ((int64_t)1 << up_of(w));
	*out = w->to;
	return GPUBE_OK;
}
