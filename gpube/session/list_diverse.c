/*
 * list_diverse.c - see list_diverse.h. One solver finds an assignment, is told by a linear
 * constraint how far the next ones are to be from it, and finds the next: what it has proved stays
 * valid, for constraints are only added. A constraint counts the variables that are as before; as a
 * chain (globals/chain.h) it needs 'distance' states a variable, for what is far enough already
 * stays so. Weighed: branch and bound with the distances as a second bound (no lower bound of costs
 * knows of them), and a penalty for each variable that is as before, raised until it is met (it
 * does not prove that the next one is the best at that distance).
 */
#include <string.h>

#include "gpube/globals.h"
#include "gpube/session/list_diverse.h"
#include "gpube/solver.h"

struct diverse {
	struct gpube_ctx *ctx;
	const struct gpube_model *m;
	const struct gpube_opts *o;
	struct gpube_solver *solver;
	struct gpube_term *terms; /* of a constraint: n_vars */
	int64_t costs_capacity, values_capacity;
};

/* Only totals within the limit are allowed. */
static int set_limit(struct gpube_model *m, const struct gpube_opts *o)
{
	const int64_t past = m->direction == GPUBE_MAXIMISE ? o->limit - 1 : o->limit + 1;

	if (!o->has_limit || gpube__reaches_top(m, past))
		return GPUBE_OK;
	return gpube_model_set_top(m, past);
}

/* What is kept counts against the memory. */
static int keep(struct diverse *d, struct gpube_list *l, const struct gpube_solution *found)
{
	const int64_t n = l->n + 1, n_vars = d->m->n_vars;
	int status;

	if ((double)n * (double)(n_vars * 4 + 8) > (double)d->ctx->memory_bytes)
		return gpube__fail(d->ctx, GPUBE_ELIMIT,
			"more than %lld assignments do not fit the memory", (long long)l->n);
	status = gpube__check_cost(d->m, found->values, found->cost, l->scale);
	if (status)
		return status;
	if (gpube__grow(d->ctx, &l->costs, &d->costs_capacity, n, sizeof(*l->costs)) ||
		gpube__grow(d->ctx, &l->values, &d->values_capacity, n * n_vars + 1,
			sizeof(*l->values)))
		return GPUBE_ENOMEM;
	l->costs[l->n] = found->cost;
	if (n_vars)
		memcpy(l->values + l->n * n_vars, found->values,
			(size_t)n_vars * sizeof(*l->values));
	l->n = n;
	return GPUBE_OK;
}

/* *far_enough: out, whether there may be an assignment at the distance from this one. */
static int add_distance(struct diverse *d, const int32_t *values, bool *far_enough)
{
	const struct gpube_model *m = d->m;
	int32_t n = 0;

	for (int32_t v = 0; v < m->n_vars; v++)
		if (!m->vars[v].hidden && m->vars[v].domain > 1 && gpube_model_observed(m, v) < 0)
			d->terms[n++] = (struct gpube_term){v, values[v], 1};
	*far_enough = n >= d->o->distance;
	if (!*far_enough)
		return GPUBE_OK;
	return gpube_model_add_linear(gpube_solver_model(d->solver), n, d->terms, GPUBE_AT_MOST,
		n - d->o->distance, GPUBE_INF, 0);
}

/* more: out, -1: not known. */
static int find_all(struct diverse *d, struct gpube_list *l)
{
	bool far_enough = true;
	int status = GPUBE_OK;

	while (!status && far_enough && l->n < d->o->most) {
		struct gpube_solution *found = NULL;

		status = gpube_solver_run(&found, d->solver, NULL);
		far_enough = !status && found->answer == GPUBE_ANSWER_OPTIMAL;
		if (far_enough)
			status = keep(d, l, found);
		if (far_enough && !status)
			status = add_distance(d, found->values, &far_enough);
		gpube_result_free(found);
	}
	l->more = far_enough || status ? -1 : 0;
	return status;
}

static int begin(struct diverse *d, struct gpube_list *l, const struct gpube_model *costs)
{
	const struct gpube_opts opts = {.order_method = d->o->order_method,
		.order = d->o->order,
		.order_seconds = d->o->order_seconds,
		.seed = d->o->seed,
		.backend = d->o->backend};
	int status = gpube_solver_new(&d->solver, d->ctx, costs, &opts);

	if (!status)
		status = set_limit(gpube_solver_model(d->solver), d->o);
	if (status)
		return status;
	l->n_vars = d->m->n_vars;
	l->scale = costs->scale;
	d->terms = gpube__alloc(d->ctx, (uint64_t)d->m->n_vars + 1, sizeof(*d->terms));
	return d->terms ? GPUBE_OK : GPUBE_ENOMEM;
}

int gpube__list_diverse(
	struct gpube_list *l, const struct gpube_model *m, const struct gpube_opts *o)
{
	struct diverse d = {.ctx = m->ctx, .m = m, .o = o};
	struct gpube_model *made;
	const struct gpube_model *costs;
	int status = gpube__costs_of(&made, &costs, m, o->precision);

	if (status)
		return status;
	status = begin(&d, l, costs);
	if (!status)
		status = find_all(&d, l);
	gpube__free(d.ctx, d.terms);
	gpube_solver_free(d.solver);
	gpube_model_free(made);
	return status;
}
