/* query.c - .query files: the variables that a marginal MAP is asked for, by name or index. */
#include "formats/common/named.h"
#include "formats/common/registry.h"

/* A variable; of a model without names a number. */
static int read_var(struct gpube_in *in, int32_t *var, struct gpube_named *named)
{
	const int32_t n_vars = named->m->n_vars;
	char token[256];
	int64_t v = 0;
	int status;

	if (!named->names.n || gpube__in_at_end(in)) {
		status = gpube__in_int(in, &v, 0, n_vars - 1, "a variable");
		*var = (int32_t)v;
		return status;
	}
	status = gpube__in_name(in, token, "a variable");
	if (!status)
		status = gpube__named_var(var, named, token);
	return status == GPUBE_EINVAL ? gpube__named_fail(in) : status;
}

static int read_vars(
	struct gpube_in *in, int32_t *vars, int32_t n, bool *seen, struct gpube_named *named)
{
	char token[256], name[GPUBE_NAMED_TEXT];

	for (int32_t k = 0; k < n; k++) {
		const int status = read_var(in, &vars[k], named);

		if (status)
			return status;
		if (seen[vars[k]])
			return gpube__in_error(in, "variable %s is asked for twice",
				gpube__var_text(name, named->m, vars[k]));
		seen[vars[k]] = true;
	}
	if (gpube__in_at_end(in))
		return in->status;
	if (gpube__in_token(in, token, "the end of the file"))
		return in->status;
	return gpube__in_expected(in, "the end of the file", token);
}

static int read_query(int32_t **vars, int32_t *n, const struct gpube_model *m, struct gpube_in *in)
{
	struct gpube_named named;
	int64_t count;
	bool *seen;
	int status;

	if (gpube__in_int(in, &count, 0, m->n_vars, "the number of query variables"))
		return in->status;
	seen = gpube__alloc_zero(m->ctx, (uint64_t)m->n_vars, sizeof(*seen));
	*vars = gpube__alloc(m->ctx, (uint64_t)count, sizeof(**vars));
	*n = (int32_t)count;
	status = seen && *vars ? gpube__named_init(&named, m) : GPUBE_ENOMEM;
	if (!status) {
		status = read_vars(in, *vars, *n, seen, &named);
		gpube__named_clear(&named);
	}
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
