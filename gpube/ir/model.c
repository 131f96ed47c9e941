/* model.c - building and reading the model. See model.h for the layout. */
#include "gpube/ir/games/action_graph.h"
#include "gpube/ir/games/game_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int gpube_model_new(struct gpube_model **out, struct gpube_ctx *ctx, enum gpube_kind kind)
{
	struct gpube_model *m;
	int status;

	if (!out)
		return gpube__missing(ctx);
	*out = NULL;
	if (!ctx)
		return gpube__missing(ctx);
	status = gpube__check_choice(ctx, "kind", (int)kind, GPUBE_COALITIONS);
	if (status)
		return status;
	m = gpube__alloc_zero(ctx, 1, sizeof(*m));
	if (!m)
		return GPUBE_ENOMEM;
	m->ctx = ctx;
	m->kind = kind;
	m->direction = kind == GPUBE_COSTS ? GPUBE_MINIMISE : GPUBE_MAXIMISE;
	m->top = GPUBE_INF;
	*out = m;
	return GPUBE_OK;
}

void gpube__table_release(struct gpube_table *t, struct gpube_ctx *ctx)
{
	if (t->owner) {
		t->owner->release(t, ctx);
		return;
	}
	gpube__free(ctx, t->values);
	gpube__free(ctx, t->tuples);
}

struct gpube__model_mark gpube__model_mark(const struct gpube_model *m)
{
	return (struct gpube__model_mark){.n_vars = m->n_vars,
		.n_functions = m->n_functions,
		.n_tables = m->n_tables,
		.n_scopes = m->n_scopes,
		.constant = m->constant};
}

void gpube__model_truncate(struct gpube_model *m, struct gpube__model_mark mark)
{
	struct gpube_ctx *ctx = m->ctx;

	for (; m->n_functions > mark.n_functions; m->n_functions--) {
		const struct gpube_function *f = &m->functions[m->n_functions - 1];

		m->tables[f->table].n_users--;
		gpube__free(ctx, f->name);
	}
	for (; m->n_tables > mark.n_tables; m->n_tables--)
		gpube__table_release(&m->tables[m->n_tables - 1], ctx);
	gpube__remove_vars(m, mark.n_vars);
	m->n_scopes = mark.n_scopes;
	m->constant = mark.constant;
}

void gpube_model_free(struct gpube_model *m)
{
	struct gpube_ctx *ctx;

	if (!m)
		return;
	ctx = m->ctx;
	gpube__model_truncate(m, (struct gpube__model_mark){0});
	gpube__names_clear(&m->names);
	GPUBE_FREE_ALL(ctx, m->vars, m->functions, m->tables, m->scopes, m->evidence);
	for (int32_t a = 0; a < m->n_agents; a++)
		gpube__free(ctx, m->agents[a]);
	GPUBE_FREE_ALL(ctx, m->agents, m->agent_of, m->numbers);
	gpube__game_tree_free(m->tree, ctx);
	gpube__action_graph_free(m->graph, ctx);
	gpube__free(ctx, m->name);
	gpube__free(ctx, m);
}

int gpube__model_made(struct gpube_model **out, int status)
{
	if (status) {
		gpube_model_free(*out);
		*out = NULL;
	}
	return status;
}

int32_t gpube_model_n_vars(const struct gpube_model *m)
{
	return m ? m->n_vars : 0;
}

int32_t gpube_model_domain(const struct gpube_model *m, int32_t var)
{
	return m && var >= 0 && var < m->n_vars ? m->vars[var].domain : 0;
}

int gpube_model_set_direction(struct gpube_model *m, enum gpube_direction direction)
{
	int status;

	if (!m)
		return gpube__missing(NULL);
	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	if (m->kind != GPUBE_COSTS)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "potentials are always maximised");
	status = gpube__check_choice(m->ctx, "direction", (int)direction, GPUBE_MAXIMISE);
	if (status)
		return status;
	m->direction = direction;
	m->top = direction == GPUBE_MINIMISE ? GPUBE_INF : -GPUBE_INF;
	return GPUBE_OK;
}

int gpube_model_set_scale(struct gpube_model *m, int decimals)
{
	if (!m)
		return gpube__missing(NULL);
	if (gpube__check_kind(m, GPUBE__NETWORKS | GPUBE__OF(GPUBE_COALITIONS)))
		return GPUBE_EINVAL;
	if (m->kind == GPUBE_POTENTIALS || decimals < 0 || decimals > 18)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"%d decimals: costs have 0 to 18, potentials none", decimals);
	m->scale = decimals;
	return GPUBE_OK;
}

int gpube_model_observe(struct gpube_model *m, int32_t var, int32_t value)
{
	if (!m)
		return gpube__missing(NULL);
	if (var < 0 || var >= m->n_vars || value < -1 || value >= m->vars[var].domain)
		return gpube__fail(
			m->ctx, GPUBE_EINVAL, "variable %d cannot be observed as %d", var, value);
	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	if (!m->evidence) {
		m->evidence = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*m->evidence));
		if (!m->evidence)
			return GPUBE_ENOMEM;
		for (int32_t i = 0; i < m->n_vars; i++)
			m->evidence[i] = -1;
	}
	m->evidence[var] = value;
	return GPUBE_OK;
}

int gpube_model_set_top(struct gpube_model *m, int64_t top)
{
	if (!m)
		return gpube__missing(NULL);
	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	if (m->kind != GPUBE_COSTS)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "potentials have no top");
	if (top < -GPUBE_INF)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "the top is below -2^63 + 1");
	m->top = top;
	return GPUBE_OK;
}

int gpube__add_agent(struct gpube_model *m, int32_t *agent, const char *name)
{
	if (gpube__grow(m->ctx, &m->agents, &m->agents_capacity, (int64_t)m->n_agents + 1,
		    sizeof(*m->agents)))
		return GPUBE_ENOMEM;
	m->agents[m->n_agents] = gpube__strdup(m->ctx, name);
	if (!m->agents[m->n_agents])
		return GPUBE_ENOMEM;
	if (agent)
		*agent = m->n_agents;
	m->n_agents++;
	return GPUBE_OK;
}

int gpube__own(struct gpube_model *m, int32_t agent, int32_t var)
{
	if (!m->agent_of) {
		m->agent_of = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*m->agent_of));
		if (!m->agent_of)
			return GPUBE_ENOMEM;
		for (int32_t i = 0; i < m->n_vars; i++)
			m->agent_of[i] = -1;
	}
	m->agent_of[var] = agent;
	return GPUBE_OK;
}

int64_t gpube__cells(const struct gpube_model *m, int arity, const int32_t *scope)
{
	int64_t cells = 1;

	for (int k = 0; k < arity && cells >= 0; k++)
		cells = gpube__mul_size(cells, m->vars[scope[k]].domain);
	return cells;
}

int gpube__add_table(struct gpube_model *m, int32_t *table, const struct gpube_table *t)
{
	struct gpube_table lost = *t;

	if (gpube__grow(m->ctx, &m->tables, &m->tables_capacity, (int64_t)m->n_tables + 1,
		    sizeof(*t))) {
		gpube__table_release(&lost, m->ctx);
		return GPUBE_ENOMEM;
	}
	m->tables[m->n_tables] = *t;
	m->tables[m->n_tables].n_users = 0;
	*table = m->n_tables++;
	return GPUBE_OK;
}

static int fail_twice(const struct gpube_model *m, int32_t var)
{
	return gpube__fail(m->ctx, GPUBE_EINVAL, "variable %d is twice in a scope", var);
}

/* Long scopes: as check_scope(), in a sorted copy. */
static int check_long_scope(const struct gpube_model *m, int arity, const int32_t *scope)
{
	int32_t *sorted = gpube__alloc(m->ctx, (uint64_t)arity, sizeof(*sorted));
	int status = GPUBE_OK;

	if (!sorted)
		return GPUBE_ENOMEM;
	memcpy(sorted, scope, (size_t)arity * sizeof(*sorted));
	qsort(sorted, (size_t)arity, sizeof(*sorted), gpube__compare_int32);
	for (int k = 1; k < arity && !status; k++)
		if (sorted[k] == sorted[k - 1])
			status = fail_twice(m, sorted[k]);
	gpube__free(m->ctx, sorted);
	return status;
}

int gpube__check_scope(const struct gpube_model *m, int arity, const int32_t *scope)
{
	enum { SHORT = 64 };

	if (arity < 0)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "a scope of %d variables", arity);
	if (arity && !scope)
		return gpube__missing(m->ctx);
	if (arity > m->n_vars)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"a scope of %d variables: there are %d, and none may be in it twice", arity,
			m->n_vars);
	for (int k = 0; k < arity; k++) {
		if (scope[k] < 0 || scope[k] >= m->n_vars)
			return gpube__fail(m->ctx, GPUBE_EINVAL,
				"variable %d in a scope: there are %d variables", scope[k],
				m->n_vars);
		for (int j = 0; j < k && arity <= SHORT; j++)
			if (scope[j] == scope[k])
				return fail_twice(m, scope[k]);
	}
	return arity > SHORT ? check_long_scope(m, arity, scope) : GPUBE_OK;
}

int gpube__add_dense(struct gpube_model *m, int32_t *table, int arity, struct gpube_values *v)
{
	const struct gpube_table t = {
		.arity = arity, .type = v->type, .n = v->n, .values = v->values};

	*v = (struct gpube_values){0};
	return gpube__add_table(m, table, &t);
}

int gpube__add_function(
	struct gpube_model *m, int arity, const int32_t *scope, int32_t table, const char *name)
{
	const struct gpube_table *t = &m->tables[table];
	struct gpube_function f = {.arity = arity, .scope_at = m->n_scopes, .table = table};
	int status = gpube__check_scope(m, arity, scope);

	if (status)
		return status;
	if (t->type == GPUBE_RATIONAL && m->kind != GPUBE_GAME)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"fractions are payoffs of games: gpube nash takes them");
	if (t->arity != arity || (!t->sparse && t->n != gpube__cells(m, arity, scope)))
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"a table of %d dimensions and %lld values does not fit its scope", t->arity,
			(long long)t->n);
	if (gpube__grow(m->ctx, &m->functions, &m->functions_capacity, (int64_t)m->n_functions + 1,
		    sizeof(f)) ||
		gpube__grow(m->ctx, &m->scopes, &m->scopes_capacity, m->n_scopes + arity,
			sizeof(*m->scopes)))
		return GPUBE_ENOMEM;
	if (name) {
		f.name = gpube__strdup(m->ctx, name);
		if (!f.name)
			return GPUBE_ENOMEM;
	}
	if (arity)
		memcpy(m->scopes + m->n_scopes, scope, (size_t)arity * sizeof(*scope));
	m->n_scopes += arity;
	m->functions[m->n_functions++] = f;
	m->tables[table].n_users++;
	return GPUBE_OK;
}

/* A copy of an array, in the place of the pointer to it. Errors: ENOMEM */
static int own_array(struct gpube_ctx *ctx, void *pointer, int64_t n, size_t size)
{
	void *from, *own = gpube__alloc(ctx, (uint64_t)n, size);

	memcpy(&from, pointer, sizeof(from));
	if (own && n)
		memcpy(own, from, (size_t)n * size);
	memcpy(pointer, &own, sizeof(own));
	return own ? GPUBE_OK : GPUBE_ENOMEM;
}

int gpube__model_borrow(struct gpube_model *out, struct gpube_ctx *ctx, const struct gpube_model *m)
{
	int functions, tables, scopes;

	*out = *m;
	out->ctx = ctx;
	out->functions_capacity = m->n_functions;
	out->tables_capacity = m->n_tables;
	out->scopes_capacity = m->n_scopes;
	functions = own_array(ctx, &out->functions, m->n_functions, sizeof(*m->functions));
	tables = own_array(ctx, &out->tables, m->n_tables, sizeof(*m->tables));
	scopes = own_array(ctx, &out->scopes, m->n_scopes, sizeof(*m->scopes));
	return functions || tables || scopes ? GPUBE_ENOMEM : GPUBE_OK;
}

void gpube__model_return(struct gpube_model *borrowed, const struct gpube_model *m)
{
	for (int32_t t = m->n_tables; borrowed->tables && t < borrowed->n_tables; t++)
		gpube__table_release(&borrowed->tables[t], borrowed->ctx);
	GPUBE_FREE_ALL(borrowed->ctx, borrowed->functions, borrowed->tables, borrowed->scopes);
}

/* GPUBE_INF and its negation stand for what no total is. */
static int add_constant(struct gpube_model *m, int64_t cost)
{
	int64_t sum;

	if (cost <= -GPUBE_INF || __builtin_add_overflow(m->constant, cost, &sum) ||
		sum == GPUBE_INF || sum <= -GPUBE_INF)
		return gpube__fail(m->ctx, GPUBE_ERANGE, "the constant passes 2^63");
	m->constant = sum;
	return GPUBE_OK;
}

int gpube__add_table_over(
	struct gpube_model *m, const int32_t *scope, const struct gpube_table *t, const char *name)
{
	struct gpube_table lost = *t;
	int32_t table;
	int status = gpube__add_table(m, &table, t);

	if (status)
		return status;
	status = gpube__add_function(m, t->arity, scope, table, name);
	if (status) {
		gpube__table_release(&lost, m->ctx);
		m->n_tables--;
	}
	return status;
}

int gpube_model_add_costs(
	struct gpube_model *m, int arity, const int32_t *scope, const int64_t *costs)
{
	struct gpube_values v = {0};
	struct gpube_table t = {.arity = arity};
	int64_t cells;
	int status;

	if (!m || !costs)
		return gpube__missing(m ? m->ctx : NULL);
	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	if (m->kind != GPUBE_COSTS)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "costs in a model of potentials");
	status = gpube__check_scope(m, arity, scope);
	if (status)
		return status;
	if (arity == 0 && costs[0] != GPUBE_INF)
		return add_constant(m, costs[0]);
	cells = gpube__cells(m, arity, scope);
	if (gpube__check_given(m->ctx, cells, "cells"))
		return GPUBE_ERANGE;
	for (int64_t c = 0; c < cells; c++)
		if (costs[c] <= -GPUBE_INF)
			return gpube__fail(m->ctx, GPUBE_ERANGE,
				"the cost %lld: the least is -2^63 + 2", (long long)costs[c]);
	if (gpube__values_reserve(m->ctx, &v, cells))
		return GPUBE_ENOMEM;
	for (int64_t c = 0; c < cells; c++)
		if (gpube__values_push(m->ctx, &v, costs[c])) {
			gpube__values_clear(m->ctx, &v);
			return GPUBE_ENOMEM;
		}
	t.type = v.type;
	t.n = v.n;
	t.values = v.values;
	return gpube__add_table_over(m, scope, &t, NULL);
}

int gpube_model_add_potentials(
	struct gpube_model *m, int arity, const int32_t *scope, const double *values)
{
	struct gpube_table t = {.arity = arity, .type = GPUBE_FLOAT64};
	int status;

	if (!m || !values)
		return gpube__missing(m ? m->ctx : NULL);
	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	if (m->kind != GPUBE_POTENTIALS)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "potentials in a model of costs");
	status = gpube__check_scope(m, arity, scope);
	if (status)
		return status;
	t.n = gpube__cells(m, arity, scope);
	if (gpube__check_given(m->ctx, t.n, "cells"))
		return GPUBE_ERANGE;
	for (int64_t c = 0; c < t.n; c++)
		if (!(values[c] >= 0) || isinf(values[c]))
			return gpube__fail(m->ctx, GPUBE_EINVAL,
				"potential %g: a finite number >= 0 is needed", values[c]);
	t.values = gpube__alloc(m->ctx, (uint64_t)t.n, sizeof(double));
	if (!t.values)
		return GPUBE_ENOMEM;
	memcpy(t.values, values, (size_t)t.n * sizeof(double));
	return gpube__add_table_over(m, scope, &t, NULL);
}

/* ---- costs of an assignment ------------------------------------------------ */

int64_t gpube__position(const struct gpube_model *m, int32_t function, const int32_t *values)
{
	const struct gpube_table *t = gpube__table(m, function);
	const int32_t *scope = gpube__scope(m, function);
	int64_t lo = 0, hi = t->n, cell = 0;

	if (!t->sparse) {
		for (int k = 0; k < t->arity; k++)
			cell = cell * m->vars[scope[k]].domain + values[scope[k]];
		return cell;
	}
	while (lo < hi) { /* tuples are in row-major order */
		const int64_t mid = lo + (hi - lo) / 2;
		const int32_t *tuple = t->tuples + mid * t->arity;
		int k = 0;

		while (k < t->arity && tuple[k] == values[scope[k]])
			k++;
		if (k == t->arity)
			return mid;
		if (tuple[k] < values[scope[k]])
			lo = mid + 1;
		else
			hi = mid;
	}
	return -1;
}

int64_t gpube__function_cost(const struct gpube_model *m, int32_t function, const int32_t *values)
{
	const struct gpube_table *t = gpube__table(m, function);
	const int64_t k = gpube__position(m, function, values);

	return k < 0 ? t->dflt.i : gpube__table_int(t, k);
}

int gpube__check_values(const struct gpube_model *m, const int32_t *values)
{
	for (int32_t i = 0; i < m->n_vars; i++)
		if (values[i] < 0 || values[i] >= m->vars[i].domain)
			return gpube__fail(m->ctx, GPUBE_EINVAL,
				"value %d of variable %d: its domain has %d values", values[i], i,
				m->vars[i].domain);
	return GPUBE_OK;
}

/* EINVAL if the model is not of this kind or the values are no assignment. */
static int check_assignment(
	const struct gpube_model *m, enum gpube_kind kind, const int32_t *values)
{
	const int status = gpube__check_kind(m, GPUBE__NETWORKS);

	if (status)
		return status;
	if (m->kind != kind)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			kind == GPUBE_COSTS ? "a model of potentials has no costs"
					    : "a model of costs has no potentials");
	return gpube__check_values(m, values);
}

static bool contradicts_evidence(const struct gpube_model *m, const int32_t *values)
{
	for (int32_t i = 0; m->evidence && i < m->n_vars; i++)
		if (m->evidence[i] >= 0 && m->evidence[i] != values[i])
			return true;
	return false;
}

int gpube_model_cost(int64_t *cost, const struct gpube_model *m, const int32_t *values)
{
	__int128 sum;
	bool forbidden;
	int status;

	if (!cost || !m || (!values && m->n_vars > 0))
		return gpube__missing(m ? m->ctx : NULL);
	status = check_assignment(m, GPUBE_COSTS, values);
	if (status)
		return status;
	sum = m->constant;
	forbidden = contradicts_evidence(m, values);
	for (int32_t f = 0; f < m->n_functions; f++) {
		const int64_t c = gpube__function_cost(m, f, values);

		if (c == GPUBE_INF)
			forbidden = true;
		else
			sum += c;
	}
	forbidden |= gpube__reaches_top(m, sum);
	if (!forbidden && (sum >= INT64_MAX || sum <= -INT64_MAX))
		return gpube__fail(m->ctx, GPUBE_ERANGE, "the cost of the assignment passes 2^63");
	*cost = forbidden ? GPUBE_INF : (int64_t)sum;
	return GPUBE_OK;
}

int gpube_model_log_value(double *log_value, const struct gpube_model *m, const int32_t *values)
{
	long double sum = 0;
	int status;

	if (!log_value || !m || (!values && m->n_vars > 0))
		return gpube__missing(m ? m->ctx : NULL);
	status = check_assignment(m, GPUBE_POTENTIALS, values);
	if (status)
		return status;
	for (int32_t f = 0; f < m->n_functions; f++)
		sum += gpube__table_ln(gpube__table(m, f), gpube__position(m, f, values));
	*log_value = contradicts_evidence(m, values) ? -INFINITY : (double)sum;
	return GPUBE_OK;
}
