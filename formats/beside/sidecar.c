/* sidecar.c - small files beside a model: elimination orders and solutions. See formats.h. */
#include "formats/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/beside/decomposition.h"
#include "formats/cfn/cfn.h" /* decimals */
#include "formats/common/registry.h"
#include "gpube/ir/graph.h"

/* ---- names ----------------------------------------------------------------------------- */

struct named {
	const char *name;
	int32_t var;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* The variables that have names, sorted by them; made when the first name is met. */
struct names {
	struct named *v;
	int32_t n;
};

static int sort_names(struct names *names, const struct gpube_model *m)
{
	names->v = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*names->v));
	if (!names->v)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		if (m->vars[i].name)
			names->v[names->n++] = (struct named){m->vars[i].name, i};
	qsort(names->v, (size_t)names->n, sizeof(*names->v), compare_names);
	return GPUBE_OK;
}

static int32_t find_name(const struct names *names, const char *name)
{
	struct named key = {name, 0}, *found = NULL;

	if (names->n)
		found = bsearch(&key, names->v, (size_t)names->n, sizeof(key), compare_names);
	return found ? found->var : -1;
}

/* ---- orders ---------------------------------------------------------------------------- */

/* A number is an index, anything else a name. 'max' is the largest number allowed. */
static int read_variable(int64_t *var, int64_t max, const struct gpube_model *m,
	struct gpube_in *in, struct names *names)
{
	const char *p = in->p + strspn(in->p, "0123456789");
	char token[256];

	if (p > in->p && (p == in->end || strchr(" \t\n\v\f\r", *p)))
		return gpube__in_int(in, var, 0, max, "a variable");
	if (gpube__in_token(in, token, "a variable"))
		return in->status;
	if (!names->v && sort_names(names, m))
		return GPUBE_ENOMEM;
	*var = find_name(names, token);
	return *var < 0 ? gpube__in_refuse(in, "a variable's index or name") : GPUBE_OK;
}

/*
 * Hidden variables are in no file's order. Each is eliminated behind the last of the others that it
 * shares a function with: then those on both sides of it in its chain become one message.
 */
static int place_hidden(int32_t *order, const struct gpube_model *m)
{
	const uint64_t n = (uint64_t)m->n_vars;
	int32_t *place, *next, *head;
	int32_t k = 0;

	if (m->n_hidden == 0)
		return GPUBE_OK;
	place = gpube__alloc_zero(m->ctx, 3 * n, sizeof(*place));
	if (!place)
		return GPUBE_ENOMEM;
	next = place + n;
	head = next + n; /* by place: the hidden variables that follow it, from 1 */
	for (int32_t i = 0; i < m->n_vars; i++)
		if (!m->vars[order[i]].hidden)
			place[order[i]] = k++;
	for (int32_t f = 0; f < m->n_functions; f++) {
		const int32_t *scope = gpube__scope(m, f);
		const int arity = m->functions[f].arity;

		for (int a = 0; a < arity; a++)
			for (int b = 0; b < arity; b++)
				if (m->vars[scope[a]].hidden && !m->vars[scope[b]].hidden &&
					place[scope[b]] > place[scope[a]])
					place[scope[a]] = place[scope[b]];
	}
	for (int32_t i = m->n_vars - 1; i >= 0; i--)
		if (m->vars[i].hidden) {
			next[i] = head[place[i]];
			head[place[i]] = i + 1;
		}
	for (int32_t i = 0, n_visible = 0; i < m->n_vars; i++)
		if (!m->vars[order[i]].hidden)
			order[n_visible++] = order[i];
	/* from the end on, so that nothing is overwritten before it has moved */
	for (int32_t i = m->n_vars - m->n_hidden - 1, to = m->n_vars; i >= 0; i--) {
		int32_t n_here = 0, at;

		for (int32_t h = head[i]; h; h = next[h - 1])
			n_here++;
		at = to -= n_here;
		for (int32_t h = head[i]; h; h = next[h - 1])
			order[at++] = h - 1;
		order[--to] = order[i];
	}
	gpube__free(m->ctx, place);
	return GPUBE_OK;
}

/* The order's variables, after daoopt's count of them if there is one. */
static int read_permutation(int32_t *order, int32_t *place, const struct gpube_model *m,
	struct gpube_in *in, struct names *names)
{
	const int32_t n_file = m->n_vars - m->n_hidden;
	int32_t n = 0;
	int64_t var = 0;

	for (bool first = true; gpube__in_more(in, '#'); first = false) {
		/* their number is no variable: in the first place it is the count */
		if (read_variable(&var, (int64_t)n_file - !first, m, in, names))
			return in->status ? in->status : GPUBE_ENOMEM;
		if (var == n_file)
			continue;
		if (place[var] >= 0)
			return gpube__in_error(
				in, "variable %lld is twice in the order", (long long)var);
		place[var] = n;
		order[n++] = (int32_t)var;
	}
	if (in->status)
		return in->status;
	for (int32_t i = 0; i < m->n_vars; i++)
		if (place[i] < 0 && !m->vars[i].hidden)
			return gpube__in_error(in,
				"the order has %d of %d variable%s: %d is missing", n,
				m->n_vars - m->n_hidden, gpube__plural(m->n_vars - m->n_hidden), i);
	for (int32_t i = 0; i < m->n_vars; i++)
		if (place[i] < 0)
			order[n++] = i;
	return place_hidden(order, m);
}

static int read_list(int32_t *order, const struct gpube_model *m, const char *path)
{
	int32_t *buffer = gpube__alloc(m->ctx, 2 * (uint64_t)m->n_vars, sizeof(*buffer));
	struct names names = {0};
	struct gpube_in in;
	int status;

	if (!buffer)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		buffer[m->n_vars + i] = -1;
	status = gpube__in_open(&in, m->ctx, path);
	if (!status) {
		status = read_permutation(buffer, buffer + m->n_vars, m, &in, &names);
		gpube__in_close(&in);
	}
	if (!status && m->n_vars)
		memcpy(order, buffer, (size_t)m->n_vars * sizeof(*order));
	gpube__free(m->ctx, names.v);
	gpube__free(m->ctx, buffer);
	return status;
}

static int read_cov_order(int32_t *order, const struct gpube_model *m, const char *path)
{
	struct gpube_decomposition *d;
	int status = gpube__read_decomposition(&d, m, path);

	if (!status) {
		status = gpube_order_of_decomposition(order, m, d);
		/*
		 * search in neighbourhoods takes any clusters, which other programs' .dec then has
		 */
		if (status == GPUBE_EINVAL && gpube__has_extension(path, "dec"))
			status = gpube__fail(m->ctx, status,
				"'%.200s' is no tree decomposition, which an order is made of: no "
				"tree joins its clusters",
				path);
	}
	if (!status)
		status = place_hidden(order, m);
	gpube_result_free(d);
	return status;
}

static int write_cov_order(const struct gpube_model *m, const char *path, const int32_t *order)
{
	struct gpube_decomposition *d;
	int status = gpube_decomposition_of_order(&d, m, order);

	if (!status)
		status = gpube__write_decomposition(m, path, d);
	gpube_result_free(d);
	return status;
}

int gpube_write_order(const struct gpube_model *m, const char *path, const int32_t *order)
{
	struct gpube_out out;
	int status;

	if (!m || !path || !order)
		return gpube__missing(m ? m->ctx : NULL);
	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	if (gpube__has_extension(path, "cov|dec"))
		return write_cov_order(m, path, order);
	status = gpube__check_permutation(m->ctx, order, m->n_vars);
	if (!status)
		status = gpube__out_open(&out, m->ctx, path);
	if (status)
		return status;
	for (int32_t i = 0; i < m->n_vars; i++) {
		if (m->vars[order[i]].hidden)
			continue;
		gpube__out_int(&out, order[i]);
		gpube__out_text(&out, "\n");
	}
	return gpube__out_close(&out, true);
}

int gpube_read_order(int32_t *order, const struct gpube_model *m, const char *path)
{
	if (!order || !m || !path)
		return gpube__missing(m ? m->ctx : NULL);
	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	if (gpube__has_extension(path, "cov|dec"))
		return read_cov_order(order, m, path);
	return read_list(order, m, path);
}

/* ---- solutions ------------------------------------------------------------------------- */

int gpube_write_solution(const struct gpube_model *m, const char *path, const int32_t *values)
{
	struct gpube_out out;
	int32_t *visible;
	int status;

	if (!m || !path || !values)
		return gpube__missing(m ? m->ctx : NULL);
	status = gpube__check_kind(m, GPUBE__NETWORKS);
	if (!status)
		status = gpube__check_values(m, values);
	if (!status)
		status = gpube__out_open(&out, m->ctx, path);
	if (status)
		return status;
	visible = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*visible));
	if (visible) {
		gpube__visible_values(visible, m, values);
		gpube__out_values(&out, visible, m->n_vars - m->n_hidden);
	}
	gpube__free(m->ctx, visible);
	status = gpube__out_close(&out, visible != NULL);
	return visible ? status : GPUBE_ENOMEM;
}

/* Those of an MPE file, which has its own layouts. */
static int read_mpe(int32_t *values, const struct gpube_model *m, struct gpube_in *in)
{
	struct gpube_uai_result *r;
	int status = gpube__uai_result_read(&r, in, false);
	const int32_t n = m->n_vars - m->n_hidden;

	if (status)
		return status;
	if (r->task != GPUBE_UAI_MPE || r->n != n)
		status = gpube__in_error(
			in, "expected an MPE result, values of %d variable%s", n, gpube__plural(n));
	for (int32_t i = 0, k = 0; i < m->n_vars && !status; i++) {
		if (m->vars[i].hidden)
			continue;
		if (r->values[k] >= m->vars[i].domain)
			status = gpube__in_error(in,
				"expected a value of variable %d from 0 to %d, found '%d'", i,
				m->vars[i].domain - 1, r->values[k]);
		else
			values[i] = r->values[k++];
	}
	gpube_result_free(r);
	return status;
}

static int read_values(int32_t *values, const struct gpube_model *m, struct gpube_in *in)
{
	char what[64];

	for (int32_t i = 0; i < m->n_vars; i++) {
		int64_t value;

		if (m->vars[i].hidden)
			continue;
		snprintf(what, sizeof(what), "a value of variable %d", i);
		if (gpube__in_int(in, &value, 0, m->vars[i].domain - 1, what))
			return in->status;
		values[i] = (int32_t)value;
	}
	return gpube__in_end(in);
}

int gpube_read_solution(int32_t *values, const struct gpube_model *m, const char *path)
{
	int32_t *buffer;
	struct gpube_in in;
	int status;

	if (!values || !m || !path)
		return gpube__missing(m ? m->ctx : NULL);
	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	buffer = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*buffer));
	if (!buffer)
		return GPUBE_ENOMEM;
	status = gpube__in_open(&in, m->ctx, path);
	if (!status) {
		/* it cannot begin with a value */
		if (!gpube__in_at_end(&in) && *in.p == 'M')
			status = read_mpe(buffer, m, &in);
		else
			status = read_values(buffer, m, &in);
		gpube__in_close(&in);
	}
	if (!status)
		status = gpube_model_complete(buffer, m);
	if (!status && m->n_vars)
		memcpy(values, buffer, (size_t)m->n_vars * sizeof(*values));
	gpube__free(m->ctx, buffer);
	return status;
}

/* ---- upper bounds ------------------------------------------------------------------------ */

static int read_bound(int64_t *cost, const struct gpube_model *m, struct gpube_in *in)
{
	char token[256];
	int64_t v;
	int scale;
	bool fits;

	if (gpube__in_token(in, token, "an upper bound"))
		return in->status;
	if (!gpube__decimal(token, &v, &scale, &fits))
		return gpube__in_expected(in, "an upper bound", token);
	if (fits && scale > m->scale)
		return gpube__in_fail(in, GPUBE_ERANGE,
			"the bound %.60s has more decimals than the model, which has %d", token,
			m->scale);
	if (!fits || !gpube__scaled(&v, m->scale - scale))
		return gpube__in_fail(
			in, GPUBE_ERANGE, "the bound %.60s does not fit 64 bits", token);
	if (gpube__in_end(in))
		return in->status;
	*cost = v;
	return GPUBE_OK;
}

int gpube__read_ub(int64_t *cost, const struct gpube_model *m, const char *path)
{
	struct gpube_in in;
	int status;

	if (!cost || !m || !path)
		return gpube__missing(m ? m->ctx : NULL);
	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	if (m->kind != GPUBE_COSTS)
		return gpube__fail(
			m->ctx, GPUBE_EINVAL, "a model of potentials has no bound in costs");
	status = gpube__in_open(&in, m->ctx, path);
	if (status)
		return status;
	status = read_bound(cost, m, &in);
	gpube__in_close(&in);
	return status;
}

int gpube__write_ub(const struct gpube_model *m, const char *path, int64_t cost)
{
	struct gpube_out out;
	int status;

	if (!m || !path)
		return gpube__missing(m ? m->ctx : NULL);
	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	if (m->kind != GPUBE_COSTS)
		return gpube__fail(
			m->ctx, GPUBE_EINVAL, "a model of potentials has no bound in costs");
	status = gpube__out_open(&out, m->ctx, path);
	if (status)
		return status;
	gpube__out_decimal(&out, cost, m->scale);
	gpube__out_text(&out, "\n");
	return gpube__out_close(&out, true);
}
