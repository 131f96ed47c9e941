/*
 * observed.c - evidence as unary functions, for what is written without a .evid
 * beside it. See observed.h.
 */
#include <string.h>

#include "formats/common/observed.h"

/* A table that allows one value of 'domain'. */
static int make_table(struct gpube_model *view, int32_t domain, int32_t value, int32_t *table)
{
	struct gpube_table t = {.arity = 1, .n = domain};

	if (view->kind == GPUBE_COSTS) {
		int8_t *v = gpube__alloc(view->ctx, (uint64_t)domain, sizeof(*v));

		for (int32_t a = 0; v && a < domain; a++)
			v[a] = a == value ? 0 : INT8_MAX;
		t.type = GPUBE_INT8;
		t.values = v;
	} else {
		double *v = gpube__alloc(view->ctx, (uint64_t)domain, sizeof(*v));

		for (int32_t a = 0; v && a < domain; a++)
			v[a] = a == value;
		t.type = GPUBE_FLOAT64;
		t.values = v;
	}
	return t.values ? gpube__add_table(view, table, &t) : GPUBE_ENOMEM;
}

/* A copy of n items of 'size' bytes; *capacity is what it has room for. */
static void *copy_array(
	struct gpube_ctx *ctx, const void *from, int64_t n, size_t size, int64_t *capacity)
{
	void *to = gpube__alloc(ctx, (uint64_t)n, size);

	if (to && n)
		memcpy(to, from, (size_t)n * size);
	*capacity = n;
	return to;
}

int gpube__observed_view(struct gpube_model *view, const struct gpube_model *m)
{
	struct gpube_ctx *ctx = m->ctx;
	int32_t table;

	*view = *m;
	view->evidence = NULL;
	view->functions = copy_array(ctx, m->functions, m->n_functions, sizeof(*m->functions),
		&view->functions_capacity);
	view->tables =
		copy_array(ctx, m->tables, m->n_tables, sizeof(*m->tables), &view->tables_capacity);
	view->scopes =
		copy_array(ctx, m->scopes, m->n_scopes, sizeof(*m->scopes), &view->scopes_capacity);
	if (!view->functions || !view->tables || !view->scopes)
		goto nomem;
	for (int32_t i = 0; i < m->n_vars; i++)
		if (m->evidence && m->evidence[i] >= 0 &&
			(make_table(view, m->vars[i].domain, m->evidence[i], &table) ||
				gpube__add_function(view, 1, &i, table, NULL)))
			goto nomem;
	return GPUBE_OK;
nomem:
	gpube__observed_clear(view, m);
	return GPUBE_ENOMEM;
}

void gpube__observed_clear(struct gpube_model *view, const struct gpube_model *m)
{
	for (int32_t t = m->n_tables; t < view->n_tables; t++)
		gpube__free(m->ctx, view->tables[t].values);
	GPUBE_FREE_ALL(m->ctx, view->functions, view->tables, view->scopes);
}
