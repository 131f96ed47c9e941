/* x3_run.c - XCSP3: machines, and tables of a few variables. See x3.h. */
#include <string.h>

#include "formats/common/reading.h"
#include "formats/xcsp3/x3.h"

/* A machine over fewer tuples becomes a table. */
enum { TABLE_CELLS = 1 << 12 };

/* ---- machines -------------------------------------------------------------------------- */

static __int128 step(struct gpube_machine *base, int64_t *state, int k, int32_t value)
{
	struct gpube_x3_machine *m = (struct gpube_x3_machine *)base;
	const int64_t v = gpube__x3_value(m->r, m->vars[k], value);

	if (m->conditioned && k == m->n - 1) {
		state[m->width - 1] = v;
		return 0;
	}
	return m->step(m, state, k, v) ? 0 : GPUBE_FORBID;
}

static __int128 end(struct gpube_machine *base, const int64_t *state)
{
	struct gpube_x3_machine *m = (struct gpube_x3_machine *)base;

	return !m->end || m->end(m, state) ? 0 : GPUBE_FORBID;
}

/* The different variables, and where each that is read is among them. */
static int find_scope(struct gpube_x3 *r, const struct gpube_x3_machine *m, int32_t *scope,
	int32_t *reads, int *n)
{
	r->stamp++;
	*n = 0;
	if (gpube__x3_see(r))
		return r->in->status;
	for (int64_t k = 0; k < m->n; k++) {
		int64_t *seen = &r->seen[2 * m->vars[k]];

		if (seen[0] != r->stamp) {
			seen[0] = r->stamp;
			seen[1] = *n;
			scope[(*n)++] = m->vars[k];
		}
		reads[k] = (int32_t)seen[1];
	}
	return GPUBE_OK;
}

/* Runs through all tuples. */
static int add_run_table(struct gpube_x3_machine *m, const int32_t *domains, int64_t cells)
{
	struct gpube_x3 *r = m->r;
	const struct gpube_call *call = m->machine.call;
	int32_t *tuple = gpube__x3_temp(r, call->arity + 1, sizeof(*tuple));
	int64_t *costs, *state = gpube__x3_temp(r, m->width, sizeof(*state)), at = 0;

	if (gpube__charge_expanded(r->in, cells, NULL))
		return r->in->status;
	costs = gpube__x3_temp(r, cells, sizeof(*costs));
	if (r->in->status)
		return r->in->status;
	do {
		__int128 cost = 0;

		memcpy(state, m->start, (size_t)m->width * sizeof(*state));
		for (int k = 0; k < m->n && cost == 0; k++)
			cost = step(&m->machine, state, k, tuple[m->machine.reads[k]]);
		if (cost == 0)
			cost = end(&m->machine, state);
		costs[at++] = cost == 0 ? 0 : GPUBE_INF;
		if ((at & 0xffff) == 0 && gpube__stopped(r->m->ctx))
			return r->in->status = gpube__fail_stopped(r->m->ctx);
	} while (gpube__tuple_next(tuple, domains, call->arity));
	return gpube__x3_costs(r, call->arity, call->scope, costs);
}

static int run(struct gpube_x3_machine *m)
{
	struct gpube_x3 *r = m->r;
	const struct gpube_keyword keyword = {.name = m->name};
	int32_t *scope = gpube__x3_temp(r, m->n + 1, sizeof(*scope));
	int32_t *reads = gpube__x3_temp(r, m->n + 1, sizeof(*reads));
	int32_t *domains = gpube__x3_temp(r, m->n + 1, sizeof(*domains));
	struct gpube_call call = {.sink = gpube__in_sink(r->in),
		.keyword = &keyword,
		.m = r->m,
		.scope = scope,
		.hard_from = GPUBE_INF,
		.unit = 1};
	struct gpube_eval eval = {.call = &call, .domains = domains};
	char text[GPUBE_CHAIN_TEXT];
	bool fits = false, small;
	int64_t cells;

	/* a chain's layers, too */
	if (gpube__in_charge(r->in, m->n, 96, "variables that are read one after the other") ||
		r->in->status || find_scope(r, m, scope, reads, &call.arity))
		return r->in->status;
	eval.arity = call.arity;
	for (int k = 0; k < call.arity; k++)
		domains[k] = r->m->vars[scope[k]].domain;
	m->machine = (struct gpube_machine){.call = &call,
		.eval = &eval,
		.n = (int)m->n,
		.reads = reads,
		.width = m->width,
		.start = (int64_t *)m->start,
		.sign = 1,
		.step = step,
		.end = end};
	cells = gpube__cells(r->m, call.arity, scope);
	/* of a constraint that others depend on hidden variables would say too much */
	small = cells >= 0 && (cells <= TABLE_CELLS || call.arity <= 2 ||
				      (r->truth && cells <= GPUBE_EXPAND_CELLS));
	if (!small && m->n < INT32_MAX && gpube__chain(&fits, &m->machine))
		return r->in->status;
	if (fits)
		return GPUBE_OK;
	gpube__chain_text(text, m->machine.n_hidden, m->machine.n_cells);
	if (cells < 0 || cells > GPUBE_EXPAND_CELLS)
		return gpube__refuse_cells(&call.sink, m->name, call.arity, cells, text);
	return add_run_table(m, domains, cells);
}

int gpube__x3_run(struct gpube_x3_machine *m)
{
	union gpube_x3_temp *mark = m->r->temps;

	run(m);
	gpube__x3_free_since(m->r, mark);
	return m->r->in->status;
}

/* ---- machines with a condition --------------------------------------------------------- */

struct conditioned {
	struct gpube_x3_machine m; /* the first: it is cast */
	__int128 (*result)(struct gpube_x3_machine *m, const int64_t *state);
	const struct gpube_x3_condition *c;
};

static bool end_condition(struct gpube_x3_machine *m, const int64_t *state)
{
	const struct conditioned *d = (const struct conditioned *)m;

	return gpube__x3_holds(d->c, d->result(m, state),
		m->conditioned ? state[m->width - 1] : d->c->right.value);
}

int gpube__x3_run_condition(struct gpube_x3_machine *m, const struct gpube_x3_condition *c,
	__int128 (*result)(struct gpube_x3_machine *m, const int64_t *state))
{
	struct gpube_x3 *r = m->r;
	struct conditioned d = {.m = *m, .result = result, .c = c};
	const bool compares = c->op != GPUBE_X3_IN && c->op != GPUBE_X3_NOTIN;
	int64_t *start;
	int32_t *vars;

	d.m.end = end_condition;
	if (!compares || c->right.var < 0)
		return gpube__x3_run(&d.m);
	vars = gpube__x3_temp(r, m->n + 1, sizeof(*vars));
	start = gpube__x3_temp(r, m->width + 1, sizeof(*start));
	if (!vars || !start)
		return r->in->status;
	memcpy(vars, m->vars, (size_t)m->n * sizeof(*vars));
	memcpy(start, m->start, (size_t)m->width * sizeof(*start));
	vars[m->n] = c->right.var;
	d.m.vars = vars;
	d.m.start = start;
	d.m.conditioned = true;
	d.m.n++;
	d.m.width++;
	return gpube__x3_run(&d.m);
}

/* ---- tables ---------------------------------------------------------------------------- */

int gpube__x3_costs(struct gpube_x3 *r, int n, const int32_t *vars, const int64_t *costs)
{
	const int64_t cells = gpube__cells(r->m, n, vars);
	int64_t most = 0;

	for (int64_t k = 0; k < cells; k++) {
		const int64_t size = costs[k] == GPUBE_INF ? 0
				     : costs[k] < 0        ? -costs[k]
							   : costs[k];

		most = size > most ? size : most;
	}
	r->total += most;
	if (r->total >= (__int128)1 << 62)
		return gpube__in_fail(r->in, GPUBE_ERANGE, "totals of the costs pass 2^62");
	if (gpube_model_add_costs(r->m, n, vars, costs))
		return gpube__x3_no_memory(r);
	return GPUBE_OK;
}

int gpube__x3_add_again(struct gpube_x3 *r, int n, const int32_t *vars, int32_t table)
{
	if (gpube__in_charge(r->in, 1, 256, "functions") ||
		gpube__add_function(r->m, n, vars, table, NULL))
		return gpube__x3_no_memory(r);
	return r->in->status;
}

int gpube__x3_weigh(struct gpube_x3 *r, struct gpube_weights *w, const int32_t *tuple, double cost)
{
	if (gpube__in_charge(r->in, 1, 4 * (int64_t)w->arity + 16, "tuples of relations"))
		return r->in->status;
	return gpube__weights_add(r->m, w, tuple, cost) ? gpube__x3_no_memory(r) : GPUBE_OK;
}

int gpube__x3_add_weights(struct gpube_x3 *r, struct gpube_weights *w, double dflt)
{
	int64_t bad;

	if (gpube__weights_finish(r->m, r->in, w, dflt, NULL, &bad))
		return gpube__x3_no_memory(r);
	if (r->in->status || bad < 0)
		return r->in->status;
	return bad < w->n ? gpube__in_error(r->in, "the relation has a tuple twice")
			  : gpube__in_error(
				    r->in, "the relation has no default cost, and lacks tuples");
}

int gpube__x3_table(struct gpube_x3 *r, int n, const int32_t *vars,
	bool (*holds)(const void *data, const int64_t *values), const void *data)
{
	int32_t domains[8], tuple[8] = {0};
	int64_t values[8], *costs, at = 0, cells;

	if (r->in->status || gpube__in_expand(r->in, &cells, r->m, n, vars, "a constraint", NULL))
		return r->in->status;
	costs = gpube__alloc(r->m->ctx, (uint64_t)cells, sizeof(*costs));
	if (!costs)
		return gpube__x3_no_memory(r);
	for (int k = 0; k < n; k++)
		domains[k] = r->m->vars[vars[k]].domain;
	do {
		for (int k = 0; k < n; k++)
			values[k] = gpube__x3_value(r, vars[k], tuple[k]);
		costs[at++] = holds(data, values) ? 0 : GPUBE_INF;
	} while (gpube__tuple_next(tuple, domains, n));
	gpube__x3_costs(r, n, vars, costs);
	gpube__free(r->m->ctx, costs);
	if (!r->in->status && gpube__stopped(r->m->ctx))
		r->in->status = gpube__fail_stopped(r->m->ctx);
	return r->in->status;
}

int gpube__x3_tuples_begin(
	struct gpube_x3 *r, struct gpube_tuples *t, int n, const int32_t *vars, int64_t dflt)
{
	int32_t *domains = gpube__x3_temp(r, n, sizeof(*domains));

	for (int k = 0; k < n && domains; k++)
		domains[k] = r->m->vars[vars[k]].domain;
	if (!domains || gpube__charge_dense(r->in, n, domains))
		return r->in->status;
	return gpube__tuples_init(t, r->m->ctx, n, domains, dflt) ? gpube__x3_no_memory(r)
								  : GPUBE_OK;
}

int gpube__x3_tuples_end(struct gpube_x3 *r, struct gpube_tuples *t, int status, int32_t *table)
{
	struct gpube_table made;
	int64_t twice;

	if (status)
		gpube__tuples_clear(t);
	if (status || gpube__tuples_finish(t, &made, &twice) ||
		gpube__add_table(r->m, table, &made))
		return gpube__x3_no_memory(r);
	return GPUBE_OK;
}

int gpube__x3_restrict(struct gpube_x3 *r, struct gpube_x3_term t,
	bool (*holds)(const void *data, const int64_t *values), const void *data)
{
	if (t.var < 0)
		return holds(data, &t.value) ? GPUBE_OK : gpube__x3_never(r);
	for (int32_t v = 0; v < r->m->vars[t.var].domain; v++) {
		const int64_t value = gpube__x3_value(r, t.var, v);

		if (!holds(data, &value))
			return gpube__x3_table(r, 1, &t.var, holds, data);
	}
	return GPUBE_OK;
}

int gpube__x3_never(struct gpube_x3 *r)
{
	const int64_t forbidden = GPUBE_INF;

	return gpube__x3_costs(r, 0, NULL, &forbidden);
}

int64_t *gpube__x3_all_values(struct gpube_x3 *r, int64_t n, const int32_t *vars, int64_t *n_values)
{
	bool *seen = gpube__x3_temp(r, r->n_domains + 1, sizeof(*seen));
	int64_t total = 0, *values;

	/* those of each domain once */
	for (int64_t k = 0; k < n && seen; k++) {
		total += seen[r->domain_of[vars[k]]] ? 0 : r->m->vars[vars[k]].domain;
		seen[r->domain_of[vars[k]]] = true;
	}
	if (!seen || gpube__in_charge(r->in, total, sizeof(*values), "a list of values"))
		return NULL;
	values = gpube__x3_temp(r, total + 1, sizeof(*values));
	total = 0;
	for (int64_t k = 0; k < n && values; k++) {
		for (int32_t v = 0; v < r->m->vars[vars[k]].domain && seen[r->domain_of[vars[k]]];
			v++)
			values[total++] = gpube__x3_value(r, vars[k], v);
		seen[r->domain_of[vars[k]]] = false;
	}
	*n_values = values ? gpube__x3_unique(values, total) : 0;
	return values;
}
