/* solver.c - the calls that make a solver and change it: see solver.h and solver_state.h. */
#include <string.h>

#include "gpube/ir/given.h"
#include "gpube/options/options.h"
#include "gpube/session/solver_state.h"

void gpube_solver_free(struct gpube_solver *s)
{
	if (!s)
		return;
	gpube__solver_forget(s);
	for (int k = 0; k < s->n_candidates; k++)
		gpube__free(s->ctx, s->candidates[k].values);
	gpube__min_tree_free(s->tree);
	gpube_model_free(s->model);
	gpube_model_free(s->quantised);
	GPUBE_FREE_ALL(s->ctx, s->order, s->values, s->assumed, s->changed, s->fixed, s);
}

static int copy_values(struct gpube_solver *s, int32_t **to, const int32_t *from)
{
	const size_t n = (size_t)s->n_given;

	if (!from)
		return GPUBE_OK;
	*to = gpube__alloc(s->ctx, n, sizeof(**to));
	if (!*to)
		return GPUBE_ENOMEM;
	if (n)
		memcpy(*to, from, n * sizeof(**to));
	return GPUBE_OK;
}

static int begin(struct gpube_solver *s, const struct gpube_model *m)
{
	int status = gpube__model_copy(&s->model, s->ctx, m);

	s->n_given = m->n_vars;
	s->costs = s->model;
	s->direction = m->direction;
	if (!status) {
		s->model->keeps = true;
		status = copy_values(s, &s->order, s->opts.order);
	}
	if (!status)
		status = copy_values(s, &s->values, s->opts.values);
	s->opts.order = s->order;
	s->opts.n_order = s->opts.n_values = 0; /* the model may grow */
	s->opts.values = NULL;
	return status;
}

int gpube_solver_new(struct gpube_solver **out, struct gpube_ctx *ctx, const struct gpube_model *m,
	const struct gpube_opts *opts)
{
	struct gpube_model view;
	struct gpube_opts o;
	struct gpube_solver *s;
	int status;

	if (out)
		*out = NULL;
	if (!out || !m)
		return gpube__missing(ctx);
	view = *m;
	view.ctx = ctx ? ctx : m->ctx; /* which errors are told to: m's may be another thread's */
	status = gpube__opts_for(&o, &view, opts, GPUBE__ON_SOLVE);
	if (status)
		return status;
	s = gpube__alloc_zero(view.ctx, 1, sizeof(*s));
	if (!s)
		return GPUBE_ENOMEM;
	s->ctx = view.ctx;
	s->opts = o;
	status = begin(s, &view);
	if (status)
		gpube_solver_free(s);
	else
		*out = s;
	return status;
}

struct gpube_model *gpube_solver_model(struct gpube_solver *s)
{
	return s ? s->model : NULL;
}

/* ---- other costs ----------------------------------------------------------------------- */

static int check_function(const struct gpube_model *m, int32_t function)
{
	if (function < 0 || function >= m->n_functions)
		return gpube__fail(
			m->ctx, GPUBE_EINVAL, "function %d of %d", function, m->n_functions);
	if (m->functions[function].arity == 0)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "function %d has no variables", function);
	return GPUBE_OK;
}

/* A function's scope outside of the model's, which moves when functions are added. */
static int32_t *copy_scope(const struct gpube_model *m, int32_t function)
{
	const size_t arity = (size_t)m->functions[function].arity;
	int32_t *scope = gpube__alloc(m->ctx, arity, sizeof(*scope));

	if (scope)
		memcpy(scope, gpube__scope(m, function), arity * sizeof(*scope));
	return scope;
}

/* The table of the last function, which goes, is that of another one from now on. */
static void move_table(struct gpube_model *m, int32_t function, struct gpube__model_mark mark)
{
	struct gpube_function *to = &m->functions[function],
			      *from = &m->functions[m->n_functions - 1];

	if (m->tables[to->table].n_users == 1) { /* its table goes instead */
		struct gpube_table *a = &m->tables[to->table], *b = &m->tables[from->table],
				   old = *a;

		*a = *b;
		*b = old;
	} else {
		const int32_t table = to->table;

		to->table = from->table;
		from->table = table;
		mark.n_tables++;
	}
	gpube__model_truncate(m, mark);
}

/* Notes that a function of the last run has changed. Returns OK. */
static int note_change(struct gpube_solver *s, int32_t function, int64_t least)
{
	if (function >= s->seen.n_functions)
		return GPUBE_OK;
	s->changed[function] = true;
	s->any_changed = true;
	if (least == -GPUBE_INF || s->gain == -GPUBE_INF)
		s->gain = -GPUBE_INF;
	else if (least == GPUBE_INF || s->gain == GPUBE_INF)
		s->gain = GPUBE_INF;
	else if (__builtin_add_overflow(s->gain, least, &s->gain) || s->gain == GPUBE_INF)
		s->gain = -GPUBE_INF;
	return GPUBE_OK;
}

int gpube_solver_change_costs(struct gpube_solver *s, int32_t function, const int64_t *costs)
{
	struct gpube__model_mark mark;
	struct gpube_model *m;
	int64_t *before, n;
	int32_t *scope;
	int status;

	if (!s || !costs)
		return gpube__missing(s ? s->ctx : NULL);
	m = s->model;
	status = check_function(m, function);
	if (status)
		return status;
	n = gpube_model_cells(m, function);
	if (n < 0)
		return gpube__fail(s->ctx, GPUBE_ERANGE, "a table of more than 2^63 cells");
	mark = gpube__model_mark(m);
	before = gpube__alloc(s->ctx, (uint64_t)n, sizeof(*before));
	scope = copy_scope(m, function);
	status = before && scope ? gpube_model_costs(before, m, function) : GPUBE_ENOMEM;
	if (!status)
		status = gpube_model_add_costs(m, m->functions[function].arity, scope, costs);
	if (!status) {
		move_table(m, function, mark);
		status = note_change(
			s, function, gpube__solver_least_gain(m->direction, n, before, costs));
	}
	gpube__free(s->ctx, before);
	gpube__free(s->ctx, scope);
	return status;
}

int gpube_solver_change_potentials(struct gpube_solver *s, int32_t function, const double *values)
{
	struct gpube__model_mark mark;
	struct gpube_model *m;
	int32_t *scope;
	int status;

	if (!s || !values)
		return gpube__missing(s ? s->ctx : NULL);
	m = s->model;
	status = check_function(m, function);
	if (status)
		return status;
	mark = gpube__model_mark(m);
	scope = copy_scope(m, function);
	if (!scope)
		return GPUBE_ENOMEM;
	status = gpube_model_add_potentials(m, m->functions[function].arity, scope, values);
	gpube__free(s->ctx, scope);
	if (status)
		return status;
	move_table(m, function, mark);
	return note_change(s, function, 0); /* what it gains is told by the costs that it becomes */
}

/* A value of a table in place of another; false: its type does not hold it. */
static bool put(struct gpube_table *t, int64_t k, int64_t cost)
{
	const int64_t forbidden = gpube__forbidden(t->type);
	const int64_t v = cost == GPUBE_INF ? forbidden : cost;

	if (cost != GPUBE_INF && (cost >= forbidden || cost < -forbidden))
		return false;
	if (t->type == GPUBE_INT8)
		((int8_t *)t->values)[k] = (int8_t)v;
	else if (t->type == GPUBE_INT16)
		((int16_t *)t->values)[k] = (int16_t)v;
	else if (t->type == GPUBE_INT32)
		((int32_t *)t->values)[k] = (int32_t)v;
	else
		((int64_t *)t->values)[k] = v;
	return true;
}

/* A table's values, with one that is put at 'k' in place of what is there, or before it. */
static int copy_with(struct gpube_table *to, struct gpube_ctx *ctx, const struct gpube_table *t,
	int64_t k, bool before, const int32_t *tuple, int64_t cost)
{
	const size_t arity = (size_t)t->arity;
	struct gpube_values v = {0};
	int status = gpube__values_reserve(ctx, &v, t->n + before);

	for (int64_t i = 0; i < k && !status; i++)
		status = gpube__values_push(ctx, &v, gpube__table_int(t, i));
	if (!status)
		status = gpube__values_push(ctx, &v, cost);
	for (int64_t i = k + !before; i < t->n && !status; i++)
		status = gpube__values_push(ctx, &v, gpube__table_int(t, i));
	*to = (struct gpube_table){
		.sparse = t->sparse, .arity = t->arity, .n = v.n, .dflt = t->dflt};
	if (!status && t->sparse) {
		to->tuples = gpube__alloc(ctx, (uint64_t)v.n * arity, sizeof(*tuple));
		status = to->tuples ? GPUBE_OK : GPUBE_ENOMEM;
	}
	if (!status && t->sparse) {
		int32_t *at = to->tuples;

		memcpy(at, t->tuples, (size_t)k * arity * sizeof(*at));
		memcpy(at + (size_t)k * arity, tuple, arity * sizeof(*at));
		memcpy(at + (size_t)(k + 1) * arity, t->tuples + (size_t)(k + !before) * arity,
			(size_t)(t->n - k - !before) * arity * sizeof(*at));
	}
	if (status)
		gpube__values_clear(ctx, &v);
	to->type = v.type;
	to->values = v.values;
	return status;
}

/* The cell in a table of the function's own. k: of its value, -1: it has the default. */
static int change_cell(
	struct gpube_model *m, int32_t function, int64_t k, const int32_t *tuple, int64_t cost)
{
	const struct gpube__model_mark mark = gpube__model_mark(m);
	struct gpube_table *t = &m->tables[m->functions[function].table], copy;
	const bool before = k < 0;
	int32_t table, *scope;
	int status;

	if (k >= 0 && t->n_users == 1 && !t->owner && put(t, k, cost))
		return GPUBE_OK;
	for (k = before ? 0 : k; before && k < t->n; k++)
		if (gpube__compare_tuples(t->tuples + k * t->arity, tuple, t->arity) > 0)
			break;
	scope = copy_scope(m, function);
	status = scope ? copy_with(&copy, m->ctx, t, k, before, tuple, cost) : GPUBE_ENOMEM;
	if (!status)
		status = gpube__add_table(m, &table, &copy);
	if (!status)
		status = gpube__add_function(m, m->functions[function].arity, scope, table, NULL);
	gpube__free(m->ctx, scope);
	if (status)
		gpube__model_truncate(m, mark);
	else
		move_table(m, function, mark);
	return status;
}

int gpube_solver_change_cost(
	struct gpube_solver *s, int32_t function, const int32_t *values, int64_t cost)
{
	const struct gpube_table *t;
	struct gpube_model *m;
	int64_t k = 0, before, gain;
	int32_t *domains;
	int status;

	if (!s || !values)
		return gpube__missing(s ? s->ctx : NULL);
	m = s->model;
	status = check_function(m, function);
	if (!status && m->kind != GPUBE_COSTS)
		status = gpube__fail(s->ctx, GPUBE_EINVAL, "costs in a model of potentials");
	if (!status && cost <= -GPUBE_INF)
		status = gpube__fail(s->ctx, GPUBE_ERANGE, "the cost %lld: the least is -2^63 + 2",
			(long long)cost);
	if (status)
		return status;
	t = gpube__table(m, function);
	domains = gpube__alloc(s->ctx, (uint64_t)t->arity, sizeof(*domains));
	if (!domains)
		return GPUBE_ENOMEM;
	for (int j = 0; j < t->arity && !status; j++) {
		const int32_t var = gpube__scope(m, function)[j];

		domains[j] = m->vars[var].domain;
		if (values[j] < 0 || values[j] >= domains[j])
			status = gpube__fail(s->ctx, GPUBE_EINVAL,
				"value %d of variable %d: its domain has %d values", values[j], var,
				domains[j]);
		else
			k = t->sparse ? 0 : k * domains[j] + values[j];
	}
	if (!status) {
		k = t->sparse ? gpube__table_find(t, domains, values) : k;
		before = k < 0 ? t->dflt.i : gpube__table_int(t, k);
		gain = gpube__solver_least_gain(m->direction, 1, &before, &cost);
		status = change_cell(m, function, k, values, cost);
	}
	gpube__free(s->ctx, domains);
	/* what the other cells gain is 0 */
	return status ? status : note_change(s, function, gain < 0 ? gain : 0);
}

/* ---- of the next run ------------------------------------------------------------------- */

int gpube_solver_assume(
	struct gpube_solver *s, int32_t n, const int32_t *vars, const int32_t *values)
{
	if (!s || n < 0 || (n && (!vars || !values)))
		return gpube__missing(s ? s->ctx : NULL);
	for (int32_t k = 0; k < n; k++)
		if (vars[k] < 0 || vars[k] >= s->model->n_vars || values[k] < 0 ||
			values[k] >= s->model->vars[vars[k]].domain)
			return gpube__fail(s->ctx, GPUBE_EINVAL,
				"variable %d cannot be assumed to be %d", vars[k], values[k]);
	if (gpube__grow(s->ctx, &s->assumed, &s->assumed_capacity, s->n_assumed + n,
		    sizeof(*s->assumed)))
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < n; k++)
		s->assumed[s->n_assumed++] = (struct gpube_fixing){vars[k], values[k]};
	return GPUBE_OK;
}
