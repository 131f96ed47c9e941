/* heuristic.c - bounds of partial assignments: the variables, their values and their order. See heuristic.h. */
#include "gpube/heuristic/heuristic.h"

#include <string.h>

#include "gpube/order/order.h"
#include "gpube/ops/ops.h"
#include "gpube/ir/options.h"

void gpube_heuristic_free(struct gpube_heuristic *h)
{
	struct gpube_ctx *ctx;

	if (!h)
		return;
	ctx = h->ctx;
	for (int32_t k = 0; k < h->n_tables; k++)
		gpube__free(ctx, h->tables[k].values);
	gpube__free(ctx, h->tables);
	gpube__free(ctx, h->scopes);
	gpube__free(ctx, h->vars);
	gpube__free(ctx, h->strides);
	gpube__free(ctx, h->order);
	gpube__free(ctx, h->position);
	gpube__free(ctx, h->domain);
	gpube__free(ctx, h->live);
	gpube__free(ctx, h->value_at);
	gpube__free(ctx, h->value);
	gpube__free(ctx, h->in_first);
	gpube__free(ctx, h->in);
	gpube__free(ctx, h->out_first);
	gpube__free(ctx, h->out);
	gpube__free(ctx, h);
}

/* ---- the order --------------------------------------------------------------------------- */

/* The simplified model's order, into k->order; its width. */
static int find_order(struct gpube_heuristic_maker *k, const struct gpube_simplified *s)
{
	const struct gpube_heuristic_opts *o = k->opts;
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

/* ---- the call ------------------------------------------------------------------------------ */

static int make(struct gpube_heuristic_maker *k, const struct gpube_simplified *s,
	const struct gpube_model *given)
{
	struct gpube_heuristic *h = k->h;
	struct gpube_ctx *ctx = h->ctx;
	uint64_t n = (uint64_t)h->n;
	double start = gpube__now();
	int status = GPUBE_ENOMEM;

	h->order = gpube__alloc(ctx, n, sizeof(*h->order));
	h->position = gpube__alloc(ctx, n, sizeof(*h->position));
	h->domain = gpube__alloc(ctx, n, sizeof(*h->domain));
	h->live = gpube__alloc(ctx, n, sizeof(*h->live));
	h->value_at = gpube__alloc(ctx, n, sizeof(*h->value_at));
	k->order = gpube__alloc(ctx, (uint64_t)k->m->n_vars, sizeof(*k->order));
	k->at = gpube__alloc(ctx, (uint64_t)k->m->n_vars, sizeof(*k->at));
	if (h->order && h->position && h->domain && h->live && h->value_at && k->order && k->at)
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
	gpube__free(ctx, k->order);
	gpube__free(ctx, k->at);
	return status;
}

static int check_options(const struct gpube_model *m, const struct gpube_heuristic_opts *o)
{
	int status;

	if (o->sizeof_options != sizeof(*o))
		return gpube__fail(m->ctx, GPUBE_EINVAL, "sizeof_options is not set");
	status = gpube__check_choice(m->ctx, "method", (int)o->method, GPUBE_HEURISTIC_COSTS);
	if (!status)
		status = gpube__check_choice(m->ctx, "ibound", o->ibound, INT32_MAX);
	if (!status)
		status = gpube__check_seconds(m->ctx, "shift_seconds", o->shift_seconds);
	if (!status)
		status = gpube__check_engine(m,
			&(struct gpube__engine_opts){(int)o->order_method, o->order, o->order_seconds, 0,
				(int)o->backend, o->precision});
	return status ? status : gpube__check_known(m, NULL, o->has_cutoff, o->cutoff);
}

int gpube_heuristic_new(struct gpube_heuristic **out, const struct gpube_model *m,
	const struct gpube_heuristic_opts *opts)
{
	static const struct gpube_heuristic_opts none = {.sizeof_options = sizeof(none)};
	struct gpube_ctx *ctx;
	struct gpube_heuristic_maker k = {.opts = opts ? opts : &none};
	struct gpube_model *quantised = NULL;
	struct gpube_simplified s = {0};
	struct gpube_heuristic *h;
	int status;

	if (out)
		*out = NULL;
	if (!out || !m)
		return gpube__missing(m ? m->ctx : NULL);
	ctx = m->ctx;
	status = check_options(m, k.opts);
	if (status)
		return status;
	h = gpube__alloc_zero(ctx, 1, sizeof(*h));
	if (!h)
		return GPUBE_ENOMEM;
	h->ctx = ctx;
	h->n = m->n_vars;
	if (m->kind == GPUBE_POTENTIALS)
		status = gpube__quantise(&quantised, m, k.opts->precision);
	if (!status)
		status = gpube__simplify(&s, quantised ? quantised : m, !k.opts->no_simplify);
	if (!status) {
		h->info.scale = quantised ? quantised->scale : m->scale;
		h->info.maximise = s.negated;
		k.h = h;
		k.m = s.model;
		k.limit = s.infeasible ? -GPUBE_INF : s.model->top;
		if (k.opts->has_cutoff && !s.infeasible) {
			int64_t cutoff = s.negated ? -k.opts->cutoff : k.opts->cutoff;

			k.limit = cutoff < k.limit ? cutoff : k.limit;
		}
		status = make(&k, &s, m);
	}
	gpube__simplified_clear(ctx, &s);
	gpube_model_free(quantised);
	if (status) {
		gpube_heuristic_free(h);
		return status;
	}
	*out = h;
	return GPUBE_OK;
}
