/* lend.c - functions whose cells stay the caller's. */
#include <math.h>

#include "gpube/ir/coalition_table.h"

static void release_nothing(struct gpube_table *t, struct gpube_ctx *ctx)
{
	(void)t;
	(void)ctx;
}

/* As the pages of a file they are no memory of the context's. */
static const struct gpube_table_owner lent = {.release = release_nothing, .is_file = true};

static int check_type(const struct gpube_model *m, enum gpube_type type)
{
	const bool integer = type == GPUBE_INT8 || type == GPUBE_INT16 || type == GPUBE_INT32 ||
			     type == GPUBE_INT64,
		   real = type == GPUBE_FLOAT32 || type == GPUBE_FLOAT64;

	if (m->kind == GPUBE_COSTS ? integer : m->kind == GPUBE_POTENTIALS ? real : integer || real)
		return GPUBE_OK;
	return gpube__fail(m->ctx, GPUBE_EINVAL, "cells of a type that %s has not",
		m->kind == GPUBE_COSTS ? "a model of costs" : "a model of potentials");
}

/* A coalition game's only function, from the last agent down to the first. */
static int check_agents(const struct gpube_model *m, const struct gpube_table *t, const int *scope)
{
	int status = gpube__coalitions_check(m->ctx, t->arity, t->type);

	if (!status && (m->n_functions || t->arity != m->n_vars))
		status = gpube__fail(
			m->ctx, GPUBE_EINVAL, "a coalition game has one function, over all agents");
	for (int k = 0; k < t->arity && !status; k++)
		if (scope[k] != t->arity - 1 - k)
			status = gpube__fail(m->ctx, GPUBE_EINVAL,
				"agents are in a scope from the last one down to the first");
	return status;
}

static int check_costs(const struct gpube_model *m, const struct gpube_table *t)
{
	const int64_t *cost = t->values;

	for (int64_t c = 0; t->type == GPUBE_INT64 && c < t->n; c++)
		if (cost[c] <= -GPUBE_INF)
			return gpube__fail(m->ctx, GPUBE_ERANGE,
				"the cost %lld: the least is -2^63 + 2", (long long)cost[c]);
	return GPUBE_OK;
}

static int check_potentials(const struct gpube_model *m, const struct gpube_table *t)
{
	for (int64_t c = 0; c < t->n; c++) {
		const double p = gpube__table_stored(t, c);

		if (!(p >= 0) || isinf(p))
			return gpube__fail(m->ctx, GPUBE_EINVAL,
				"potential %g: a finite number >= 0 is needed", p);
	}
	return GPUBE_OK;
}

/* csg looks for what is no number when it looks for the range of all. */
static int check_empty(const struct gpube_model *m, const struct gpube_table *t)
{
	if (gpube__coalition_real(t->type, gpube__coalition_of(t->type, t->values, 0)) != 0)
		return gpube__fail(
			m->ctx, GPUBE_EINVAL, "the first value, of the empty coalition, is not 0");
	return GPUBE_OK;
}

static int check_cells(const struct gpube_model *m, const struct gpube_table *t)
{
	if (m->kind == GPUBE_COALITIONS)
		return check_empty(m, t);
	return m->kind == GPUBE_COSTS ? check_costs(m, t) : check_potentials(m, t);
}

int gpube_model_lend(struct gpube_model *m, int arity, const int32_t *scope, enum gpube_type type,
	const void *cells)
{
	struct gpube_table t = {
		.arity = arity, .type = type, .values = (void *)(uintptr_t)cells, .owner = &lent};
	int32_t table;
	int status;

	if (!m || !cells)
		return gpube__missing(m ? m->ctx : NULL);
	status = gpube__check_kind(m, GPUBE__NETWORKS | GPUBE__OF(GPUBE_COALITIONS));
	if (!status && m->auction)
		status = gpube__check_kind(m, 0);
	if (!status)
		status = check_type(m, type);
	if (!status)
		status = gpube__check_scope(m, arity, scope);
	if (!status && m->kind == GPUBE_COALITIONS)
		status = check_agents(m, &t, scope);
	if (status)
		return status;
	t.n = gpube__cells(m, arity, scope);
	if (m->kind != GPUBE_COALITIONS && gpube__check_given(m->ctx, t.n, "cells"))
		return GPUBE_ERANGE;
	status = check_cells(m, &t);
	if (!status && arity == 0 && m->kind == GPUBE_COSTS) {
		const int64_t constant = gpube__table_int(&t, 0);

		return gpube_model_add_costs(m, 0, NULL, &constant);
	}
	if (!status)
		status = gpube__add_table(m, &table, &t);
	if (!status) {
		status = gpube__add_function(m, arity, scope, table, NULL);
		m->n_tables -= status != GPUBE_OK;
	}
	return status;
}
