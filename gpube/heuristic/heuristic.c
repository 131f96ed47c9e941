/*
 * heuristic.c - bounds of partial assignments: the variables, their values and their order. See
 * heuristic.h.
 */
#include "gpube/heuristic/heuristic.h"
#include "gpube/options/options.h"

#include <stdio.h>
#include <string.h>

#include "gpube/order/order.h"
#include "gpube/ops/ops.h"
#include "gpube/ir/given.h"
#include "gpube/simplify/regrets.h"

void gpube_heuristic_free(struct gpube_heuristic *h)
{
	struct gpube_ctx *ctx;

	if (!h)
		return;
	ctx = h->ctx;
	for (int32_t k = 0; k < h->n_tables; k++)
		gpube__free(ctx, h->tables[k].values);
	GPUBE_FREE_ALL(ctx, h->tables, h->scopes, h->vars, h->strides, h->order, h->position,
		h->domain, h->live, h->value_at, h->value, h->in_first, h->in, h->out_first, h->out,
		h);
}

/* ---- the order --------------------------------------------------------------------------- */

/* The simplified model's order, into k->order; its width. */
static int find_order(struct gpube_heuristic_maker *k, const struct gpube_simplified *s)
{
	const struct gpube_opts *o = k->opts;
	struct gpube_heuristic *h = k->h;
	struct gpube_order_cost cost = {0};
	struct gpube_graph g;
	int status = gpube__graph_of_model(&g, k->m);

	if (status)
		return status;
	if (o->order_method != GPUBE_ORDER_GIVEN) {
		status = gpube__order_find(h->ctx, k->order, &cost, &g, o->order_method,
			o->order_seconds, gpube__ops_cpu()->cells_per_second, o->seed);
	} else {
		status = gpube__simplified_order(k->order, s, o->order, h->n);
		if (!status)
			status = gpube__order_cost(h->ctx, &cost, &g, k->order);
	}
	gpube__graph_clear(h->ctx, &g);
	h->info.width = cost.width;
	return status;
}

/* The given model's order: as it was given, or else first in the search what has one value. */
static int extend_order(struct gpube_heuristic_maker *k, const struct gpube_simplified *s)
{
	struct gpube_heuristic *h = k->h;
	int32_t *given = gpube__alloc(h->ctx, (uint64_t)k->m->n_vars, sizeof(*given)), n = 0;

	if (!given)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < h->n; i++)
		if (s->var[i] >= 0)
			given[s->var[i]] = i;
	if (k->opts->order_method == GPUBE_ORDER_GIVEN) {
		for (; n < h->n; n++)
			h->order[n] = k->opts->order[n];
	} else {
		for (; n < k->m->n_vars; n++)
			h->order[n] = given[k->order[n]];
		for (int32_t i = 0; i < h->n; i++)
			if (s->var[i] < 0)
				h->order[n++] = i;
	}
	for (int32_t p = 0; p < h->n; p++)
		h->position[h->order[p]] = p;
	for (int32_t p = 0; p < k->m->n_vars; p++)
		k->at[p] = h->position[given[k->order[p]]];
	gpube__free(h->ctx, given);
	return GPUBE_OK;
}

/* Which values are left, and what they are called in the simplified model. */
static int map_values(struct gpube_heuristic *h, const struct gpube_simplified *s,
	const struct gpube_model *given)
{
	int64_t n = 0;

	for (int32_t p = 0; p < h->n; p++) {
		int32_t i = h->order[p];

		h->domain[p] = given->vars[i].domain;
		h->live[p] = s->var[i] < 0 ? 1 : s->model->vars[s->var[i]].domain;
		h->n_live += h->live[p];
		h->value_at[p] = n;
		n += h->domain[p];
	}
	h->value = gpube__alloc(h->ctx, (uint64_t)n, sizeof(*h->value));
	if (!h->value)
		return GPUBE_ENOMEM;
	for (int32_t p = 0; p < h->n; p++) {
		int32_t i = h->order[p], *to = h->value + h->value_at[p];

		for (int32_t a = 0; a < h->domain[p]; a++)
			to[a] = s->var[i] >= 0 && !s->values[i] ? a : -1;
		if (s->var[i] < 0)
			to[s->value[i]] = 0;
		for (int32_t x = 0; s->values[i] && x < h->live[p]; x++)
			to[s->values[i][x]] = x;
	}
	return GPUBE_OK;
}

/* ---- the tables ------------------------------------------------------------------------------ */

static int take_room(struct gpube_heuristic_maker *k)
{
	struct gpube_heuristic *h = k->h;
	struct gpube_ctx *ctx = h->ctx;
	uint64_t n = (uint64_t)h->n;

	h->order = gpube__alloc(ctx, n, sizeof(*h->order));
	h->position = gpube__alloc(ctx, n, sizeof(*h->position));
	h->domain = gpube__alloc(ctx, n, sizeof(*h->domain));
	h->live = gpube__alloc(ctx, n, sizeof(*h->live));
	h->value_at = gpube__alloc(ctx, n, sizeof(*h->value_at));
	k->order = gpube__alloc(ctx, (uint64_t)k->m->n_vars, sizeof(*k->order));
	k->at = gpube__alloc(ctx, (uint64_t)k->m->n_vars, sizeof(*k->at));
	return h->order && h->position && h->domain && h->live && h->value_at && k->order && k->at
		       ? GPUBE_OK
		       : GPUBE_ENOMEM;
}

static int make(struct gpube_heuristic_maker *k, const struct gpube_simplified *s,
	const struct gpube_model *given)
{
	struct gpube_heuristic *h = k->h;
	double start = gpube__now();
	int status = take_room(k);

	if (!status)
		status = find_order(k, s);
	if (!status)
		status = extend_order(k, s);
	if (!status)
		status = map_values(h, s, given);
	h->info.seconds_order = gpube__now() - start;
	if (!status)
		status = gpube__heuristic_tables(k);
	h->info.seconds_tables = gpube__now() - start - h->info.seconds_order;
	h->info.bound = gpube__heuristic_total(h, h->root);
	gpube__free(h->ctx, k->order);
	gpube__free(h->ctx, k->at);
	return status;
}

/* ---- totals too far apart ------------------------------------------------------------------- */

/* All values of all variables are left, in the order of the tables. */
static int take_all(struct gpube_heuristic_maker *k, const int32_t *order)
{
	struct gpube_heuristic *h = k->h;
	int64_t n = 0;

	for (int32_t p = 0; p < h->n; p++) {
		h->order[p] = k->order[p] = order[p];
		h->position[order[p]] = k->at[p] = p;
		h->domain[p] = h->live[p] = k->m->vars[order[p]].domain;
		h->value_at[p] = n;
		n += h->domain[p];
	}
	h->n_live = n;
	h->value = gpube__alloc(h->ctx, (uint64_t)n, sizeof(*h->value));
	if (!h->value)
		return GPUBE_ENOMEM;
	for (int32_t p = 0; p < h->n; p++)
		for (int32_t a = 0; a < h->domain[p]; a++)
			h->value[h->value_at[p] + a] = a;
	return GPUBE_OK;
}

static int make_far(struct gpube_heuristic_maker *k, const struct gpube_model *given)
{
	struct gpube_heuristic *h = k->h;
	const bool is_given = k->opts->order_method == GPUBE_ORDER_GIVEN;
	int32_t *order = gpube__alloc(h->ctx, (uint64_t)h->n, sizeof(*order));
	struct gpube_model *m = NULL;
	bool feasible = false;
	double start = gpube__now();
	int status;

	k->order = k->at = NULL;
	status = order ? gpube_model_new(&m, h->ctx, GPUBE_COSTS) : GPUBE_ENOMEM;

	for (int32_t i = 0; i < h->n && !status; i++)
		status = gpube_model_add_var(m, NULL, given->vars[i].domain, NULL);
	if (!status)
		status = gpube__add_regrets(
			m, given, k->limit, is_given ? k->opts->order : NULL, order, &feasible);
	k->m = m;
	if (!status)
		status = take_room(k);
	if (!status)
		status = take_all(k, is_given ? k->opts->order : order);
	if (!status)
		status = gpube__heuristic_far_tables(k, feasible);
	for (int32_t f = 0; !status && f < m->n_functions; f++)
		if (m->functions[f].arity - 1 > h->info.width)
			h->info.width = m->functions[f].arity - 1;
	h->info.ibound = h->info.width;
	h->info.seconds_tables = gpube__now() - start;
	h->info.bound = gpube__heuristic_total(h, h->root);
	GPUBE_FREE_ALL(h->ctx, k->order, k->at, order);
	gpube_model_free(m);
	return status;
}

/* ---- the call ------------------------------------------------------------------------------ */

static int heuristic_init(struct gpube_heuristic_maker *k, const struct gpube_model *m)
{
	struct gpube_heuristic *h = k->h = gpube__alloc_zero(m->ctx, 1, sizeof(*k->h));

	if (!h)
		return GPUBE_ENOMEM;
	h->ctx = m->ctx;
	h->n = m->n_vars;
	return GPUBE_OK;
}

/* Totals from here on are of no interest: of the minimisation. */
static int64_t limit_of(const struct gpube_heuristic_maker *k, int64_t top, bool negated)
{
	const int64_t cutoff = negated ? -k->opts->cutoff : k->opts->cutoff;

	return k->opts->has_cutoff && cutoff < top ? cutoff : top;
}

static int new_near(struct gpube_heuristic_maker *k, const struct gpube_model *m)
{
	struct gpube_model *quantised = NULL;
	struct gpube_simplified s = {0};
	int status = heuristic_init(k, m);

	if (!status && m->kind == GPUBE_POTENTIALS)
		status = gpube__quantise(&quantised, m, k->opts->precision);
	if (!status)
		status = gpube__simplify(&s, quantised ? quantised : m, !k->opts->no_simplify);
	if (!status) {
		k->h->info.scale = quantised ? quantised->scale : m->scale;
		k->h->info.maximise = s.negated;
		k->m = s.model;
		k->limit = s.infeasible ? -GPUBE_INF : limit_of(k, s.model->top, s.negated);
		status = make(k, &s, m);
	}
	gpube__simplified_clear(m->ctx, &s);
	gpube_model_free(quantised);
	return status;
}

/*
 * What was refused since totals lie too far apart. The first reason stays where it is too large for
 * this.
 */
static int new_far(struct gpube_heuristic_maker *k, const struct gpube_model *m)
{
	const bool negated = m->direction == GPUBE_MAXIMISE;
	char text[256];
	int status;

	snprintf(text, sizeof(text), "%s", gpube_error(m->ctx));
	gpube_heuristic_free(k->h);
	status = heuristic_init(k, m);
	if (status)
		return status;
	k->negative = 0;
	k->h->info.scale = m->scale;
	k->h->info.maximise = negated;
	k->limit = limit_of(k, gpube__minimised_top(m), negated);
	status = make_far(k, m);
	return status == GPUBE_ELIMIT ? gpube__fail(m->ctx, GPUBE_ERANGE, "%s", text) : status;
}

int gpube_heuristic_new(
	struct gpube_heuristic **out, const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_model view;
	struct gpube_opts o;
	struct gpube_heuristic_maker k = {.opts = &o};
	int status = gpube__call(out, &view, &m, opts);

	if (!status)
		status = gpube__opts_for(&o, m, opts, GPUBE__ON_HEURISTIC);
	if (status)
		return status;
	status = new_near(&k, m);
	if (status == GPUBE_ERANGE && m->kind == GPUBE_COSTS)
		status = new_far(&k, m);
	if (status) {
		gpube_heuristic_free(k.h);
		return status;
	}
	k.h->info.order = k.h->order;
	k.h->info.n_tables = k.h->n_tables;
	*out = k.h;
	return GPUBE_OK;
}
