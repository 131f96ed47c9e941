/* listed.c - games of a list of coalitions, as a table where that is no larger. See csg.h. */
#include "csg/sparse.h"

/* Number k of an array of the type, as csg__value_int() has values. */
static int64_t given_value(enum csg_type type, const void *values, int64_t k)
{
	int64_t v;

	switch (type) {
	case CSG_INT16:
		v = ((const int16_t *)values)[k];
		return v == INT16_MIN ? INT64_MIN : v;
	case CSG_INT32:
		v = ((const int32_t *)values)[k];
		return v == INT32_MIN ? INT64_MIN : v;
	case CSG_INT64:
		return ((const int64_t *)values)[k];
	case CSG_FLOAT32:
		return csg__sparse_value(type, (double)((const float *)values)[k]);
	default:
		return csg__sparse_value(type, ((const double *)values)[k]);
	}
}

static int add_all(struct csg_game *g, int64_t n, const uint64_t *coalitions, const void *values)
{
	for (int64_t k = 0; k < n; k++) {
		const uint64_t c = coalitions[k];
		int status;

		if (k % 65536 == 65535 && gpube__stopped(g->ctx))
			return gpube__fail_stopped(g->ctx);
		if (c == 0 || c >> g->n)
			return gpube__fail(g->ctx, GPUBE_EINVAL,
				"coalition %llu: expected 1 to %llu, of %d agents",
				(unsigned long long)c, (unsigned long long)csg__n_masks(g) - 1,
				g->n);
		if (csg__sparse_find(g->sparse, c) >= 0)
			return gpube__fail(g->ctx, GPUBE_EINVAL, "coalition %llu is there twice",
				(unsigned long long)c);
		status = csg__sparse_add(g, c, given_value(g->type, values, k));
		if (status)
			return status;
	}
	return GPUBE_OK;
}

int csg_game_new_listed(struct csg_game **out, struct gpube_ctx *ctx, int n_agents,
	enum csg_type type, int64_t n, const uint64_t *coalitions, const void *values)
{
	struct csg_game *list = NULL, *table = NULL;
	int status;

	if (out)
		*out = NULL;
	if (!out || !ctx || (n > 0 && (!coalitions || !values)))
		return gpube__missing(ctx);
	if (n < 0)
		return gpube__fail(ctx, GPUBE_EINVAL, "%lld coalitions", (long long)n);
	status = csg__game_check(ctx, n_agents, type);
	if (!status)
		status = csg__sparse_new(&list, ctx, n_agents, type);
	if (!status)
		status = add_all(list, n, coalitions, values);
	if (!status && csg__wants_table(n_agents, n)) {
		status = csg__sparse_fill(&table, list);
		csg_game_free(list);
		list = table;
	}
	if (status)
		csg_game_free(list);
	else
		*out = list;
	return status;
}
