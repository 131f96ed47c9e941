/* query.c - .query files: the variables that a marginal MAP is asked for. */
#include "formats/common/registry.h"

static int read_vars(struct gpube_in *in, int32_t *vars, int32_t n, bool *seen, int32_t n_vars)
{
	int64_t v;
	char token[256];

	for (int32_t k = 0; k < n; k++) {
		if (gpube__in_int(in, &v, 0, n_vars - 1, "a variable"))
			return in->status;
		if (seen[v])
			return gpube__in_error(
				in, "variable %lld is asked for twice", (long long)v);
		seen[v] = true;
		vars[k] = (int32_t)v;
	}
	if (gpube__in_at_end(in))
		return in->status;
	if (gpube__in_token(in, token, "the end of the file"))
		return in->status;
	return gpube__in_expected(in, "the end of the file", token);
}

static int read_query(int32_t **vars, int32_t *n, const struct gpube_model *m, struct gpube_in *in)
{
	int64_t count;
	bool *seen;
	int status;

	if (gpube__in_int(in, &count, 0, m->n_vars, "the number of query variables"))
		return in->status;
	seen = gpube__alloc_zero(m->ctx, (uint64_t)m->n_vars, sizeof(*seen));
	*vars = gpube__alloc(m->ctx, (uint64_t)count, sizeof(**vars));
	*n = (int32_t)count;
	status = seen && *vars ? read_vars(in, *vars, *n, seen, m->n_vars) : GPUBE_ENOMEM;
	gpube__free(m->ctx, seen);
	if (status) {
		gpube__free(m->ctx, *vars);
		*vars = NULL;
	}
	return status;
}

int gpube__query_read(int32_t **vars, int32_t *n, const struct gpube_model *m, const char *path)
{
	struct gpube_in in;
	int status;

	*vars = NULL;
	status = gpube__in_open(&in, m->ctx, path);
	if (status)
		return status;
	status = read_query(vars, n, m, &in);
	gpube__in_close(&in);
	return status;
}
