/* reparam_make.c - see reparam_make.h. */
#include "gpube/bound/reparam_make.h"

#include <string.h>

#include "gpube/ir/dense.h"

enum { MAX_ARITY = 64 };

/* A cell of a function of the simplified model. */
static int64_t function_at(const struct gpube_model *m, int32_t f, const int32_t *tuple)
{
	const struct gpube_table *t = gpube__table(m, f);
	const int32_t *scope = gpube__scope(m, f);
	int64_t at = 0;

	if (t->sparse) {
		at = gpube__table_find(t, NULL, tuple);
		return at < 0 ? t->dflt.i : gpube__table_int(t, at);
	}
	for (int k = 0; k < t->arity; k++)
		at = at * m->vars[scope[k]].domain + tuple[k];
	return gpube__table_int(t, at);
}

/*
 * Of a function of the simplified model: its cost if the ascent left it out, otherwise the
 * remainder of rounding down.
 */
static int64_t rest_cell(
	const struct gpube_reparam_maker *l, int32_t function, const int32_t *index)
{
	const struct gpube_model *m = l->s->model;
	const int32_t *scope = gpube__scope(m, function);
	int32_t tuple[MAX_ARITY] = {0};
	int64_t v;

	for (int k = 0; k < m->functions[function].arity; k++)
		tuple[k] = l->value ? l->value[scope[k]][index[k]] : index[k];
	v = function_at(m, function, tuple);
	if (v >= l->most)
		return GPUBE_INF;
	if (l->left_out && l->left_out[function])
		return l->shift < 0 ? v : v << l->shift;
	return v & (((int64_t)1 << gpube__reparam_up(l)) - 1);
}

/* The given model's value for a live one. */
static int32_t given_value(const struct gpube_reparam_maker *l, int32_t i, int32_t live)
{
	int32_t a = l->value ? l->value[i][live] : live;
	const int32_t *values = l->s->values[l->given[i]];

	return values ? values[a] : a;
}

/* Makes a sparse table dense where that is no larger. */
static int make_dense(struct gpube_reparam_maker *l, struct gpube_table *t, const int32_t *scope)
{
	int64_t cells = 1, at = 0;
	struct gpube_values v = {0};
	int status = GPUBE_OK;

	for (int k = 0; k < t->arity && cells >= 0; k++)
		cells = gpube__mul_size(cells, l->out->vars[scope[k]].domain);
	if (cells < 0 || cells / (1 + t->arity) > t->n)
		return GPUBE_OK;
	for (int64_t k = 0; k < t->n && !status; k++) {
		int64_t cell = 0;

		for (int j = 0; j < t->arity; j++)
			cell = cell * l->out->vars[scope[j]].domain + t->tuples[k * t->arity + j];
		for (; at < cell && !status; at++)
			status = gpube__values_push(l->out->ctx, &v, 0);
		if (!status)
			status = gpube__values_push(l->out->ctx, &v, gpube__table_int(t, k));
		at++;
	}
	for (; at < cells && !status; at++)
		status = gpube__values_push(l->out->ctx, &v, 0);
	if (status) {
		gpube__values_clear(l->out->ctx, &v);
		return status;
	}
	gpube__free(l->out->ctx, t->values);
	gpube__free(l->out->ctx, t->tuples);
	t->values = v.values;
	t->type = v.type;
	t->tuples = NULL;
	t->n = cells;
	t->sparse = false;
	return GPUBE_OK;
}

/* Remaining values ascend with the given ones, so tuples come in row-major order. */
int gpube__reparam_table(struct gpube_reparam_maker *l, int arity, const int32_t *scope,
	int32_t which, gpube_cell_fn *cell, bool *any)
{
	struct gpube_ctx *ctx = l->out->ctx;
	struct gpube_table t = {.sparse = true, .arity = arity, .dflt = {.i = 0}};
	struct gpube_values v = {0};
	int32_t index[MAX_ARITY] = {0}, to[MAX_ARITY] = {0}, table;
	int64_t capacity = 0;
	int status = GPUBE_OK, k = arity - 1;

	for (int j = 0; j < arity; j++)
		to[j] = l->given[scope[j]];
	while (k >= 0 && !status) {
		int64_t cost = cell(l, which, index);

		if (cost) {
			status = gpube__grow(
				ctx, &t.tuples, &capacity, (t.n + 1) * arity, sizeof(*t.tuples));
			for (int j = 0; j < arity && !status; j++)
				t.tuples[t.n * arity + j] = given_value(l, scope[j], index[j]);
			if (!status)
				status = gpube__values_push(ctx, &v, cost);
			t.n++;
		}
		for (k = arity - 1; k >= 0; k--) {
			if (++index[k] < l->live[scope[k]])
				break;
			index[k] = 0;
		}
	}
	t.values = v.values;
	t.type = v.type;
	if (any)
		*any = t.n > 0;
	if (!status && t.n)
		status = make_dense(l, &t, to);
	if (status || t.n == 0) {
		gpube__free(ctx, t.values);
		gpube__free(ctx, t.tuples);
		return status;
	}
	status = gpube__add_table(l->out, &table, &t);
	return status ? status : gpube__add_function(l->out, arity, to, table, NULL);
}

int gpube__reparam_rests(struct gpube_reparam_maker *l, const uint8_t *left_out)
{
	const struct gpube_model *m = l->s->model;
	int status = GPUBE_OK;

	l->left_out = left_out;
	for (int32_t f = 0; f < m->n_functions && !status; f++)
		if (m->functions[f].arity > 0 && (l->shift < 0 || (left_out && left_out[f])))
			status = gpube__reparam_table(
				l, m->functions[f].arity, gpube__scope(m, f), f, rest_cell, NULL);
	return status;
}

int gpube__reparam_values(
	struct gpube_reparam_maker *l, const struct gpube_model *given, gpube_cell_fn *unary)
{
	struct gpube_ctx *ctx = l->out->ctx;
	int64_t *costs = NULL, capacity = 0;
	int status = GPUBE_OK;

	for (int32_t i = 0; i < given->n_vars && !status; i++) {
		int32_t domain = given->vars[i].domain, var = l->s->var[i], n_free = 0;

		status = gpube__grow(ctx, &costs, &capacity, domain, sizeof(*costs));
		for (int32_t a = 0; a < domain && !status; a++)
			costs[a] = GPUBE_INF;
		if (!status && var < 0)
			costs[l->s->value[i]] = 0;
		for (int32_t x = 0; !status && var >= 0 && x < l->live[var]; x++) {
			int64_t cost = unary ? unary(l, var, &x) : 0;

			costs[given_value(l, var, x)] = cost;
			n_free += cost == 0;
		}
		if (!status && n_free < domain && (var >= 0 || domain > 1))
			status = gpube_model_add_costs(l->out, 1, &i, costs);
	}
	gpube__free(ctx, costs);
	return status;
}

int gpube__reparam_variables(struct gpube_model *to, const struct gpube_model *from)
{
	int status = GPUBE_OK;

	for (int32_t i = 0; i < from->n_vars && !status; i++) {
		const struct gpube_variable *v = &from->vars[i];

		status = gpube_model_add_var(to, NULL, v->domain, v->name);
		if (!status && v->hidden)
			gpube__hide(to, i);
		if (!status && v->value_names)
			status =
				gpube_model_name_values(to, i, (const char *const *)v->value_names);
	}
	return status;
}

int gpube__reparam_init(struct gpube_reparam_maker *l, const struct gpube_simplified *s,
	const struct gpube_model *given, const void *state, int shift)
{
	struct gpube_ctx *ctx = given->ctx;
	const struct gpube_model *m = s->model;
	int status;

	*l = (struct gpube_reparam_maker){
		.s = s, .state = state, .shift = shift, .most = GPUBE_INF};
	for (int32_t f = 0; f < m->n_functions; f++)
		if (m->functions[f].arity > MAX_ARITY)
			return gpube__fail(ctx, GPUBE_ELIMIT,
				"a function of %d variables is too wide to be reparametrised",
				m->functions[f].arity);
	l->given = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*l->given));
	l->live = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*l->live));
	status = l->given && l->live ? gpube_model_new(&l->out, ctx, GPUBE_COSTS) : GPUBE_ENOMEM;
	for (int32_t i = 0; i < given->n_vars && !status; i++)
		if (s->var[i] >= 0)
			l->given[s->var[i]] = i;
	for (int32_t i = 0; i < m->n_vars && !status; i++)
		l->live[i] = m->vars[i].domain;
	return status ? status : gpube__reparam_variables(l->out, given);
}

int gpube__reparam_end(struct gpube_reparam_maker *l, struct gpube_reparametrised *out,
	const struct gpube_model *given, int64_t constant, int64_t cutoff, int status)
{
	struct gpube_ctx *ctx = given->ctx;
	int shift = l->shift < 0 ? 0 : l->shift;
	int64_t base = gpube__constant_of(l->s->model);

	memset(out, 0, sizeof(*out));
	if (!status && cutoff != GPUBE_INF)
		status = gpube_model_set_top(l->out, cutoff * ((int64_t)1 << shift));
	gpube__free(ctx, l->given);
	gpube__free(ctx, l->live);
	if (status) {
		gpube_model_free(l->out);
		return status;
	}
	if (base == GPUBE_INF)
		base = 0; /* every assignment is forbidden */
	l->out->constant =
		base * ((int64_t)1 << shift) + constant * ((int64_t)1 << gpube__reparam_up(l));
	out->model = l->out;
	out->shift = shift;
	out->negated = l->s->negated;
	out->decimals = given->scale;
	return GPUBE_OK;
}
