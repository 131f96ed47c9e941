/* cfn_scale.c - more decimals for a model that is being read, and its forbidden tuples. */
#include <string.h>

#include "formats/cfn/cfn.h"
#include "formats/common/reading.h"

static int widen_open(struct gpube_model *m, const struct gpube_cfn_open *open, int k)
{
	int status = GPUBE_OK;

	if (open->values)
		status = gpube__widen_values(m, open->values, k);
	if (open->dflt && !gpube__widen_cost(open->dflt, k))
		return gpube__refuse_widening(m, k);
	if (open->tuples && !status) {
		status = gpube__widen_values(m, &open->tuples->values, k);
		if (!gpube__widen_cost(&open->tuples->dflt, k))
			return gpube__refuse_widening(m, k);
	}
	for (int i = 0; open->call && i < open->call->n_scalars; i++)
		if (open->call->scalars[i].cost && !gpube__widen_cost(&open->call->scalars[i].v, k))
			return gpube__refuse_widening(m, k);
	for (int64_t i = 0; open->call && i < open->call->n_args; i++)
		if (open->call->args[i].cost && !gpube__widen_cost(&open->call->args[i].v, k))
			return gpube__refuse_widening(m, k);
	return status;
}

int gpube__cfn_widen(struct gpube_model *m, const struct gpube_cfn_open *open, int k)
{
	const int status = widen_open(m, open, k);

	return status ? status : gpube__widen(m, k);
}

/* ---- forbidden by the bound ---------------------------------------------------------- */

/* A cost as the minimisation sees it. */
static int64_t minimised(const struct gpube_model *m, int64_t v)
{
	return v == GPUBE_INF || m->direction == GPUBE_MINIMISE ? v : -v;
}

/* The least value of a function's cells; GPUBE_INF if all are forbidden. */
static int64_t least(const struct gpube_model *m, int32_t f)
{
	const struct gpube_table *t = gpube__table(m, f);
	const bool dflt = t->sparse && t->n != gpube__cells(m, t->arity, gpube__scope(m, f));
	int64_t min = dflt ? minimised(m, t->dflt.i) : GPUBE_INF;

	for (int64_t k = 0; k < t->n; k++) {
		int64_t v = minimised(m, gpube__table_int(t, k));

		min = v < min ? v : min;
	}
	return min;
}

static int mark_table(struct gpube_model *m, struct gpube_table *t, __int128 from)
{
	struct gpube_values v = {0};
	bool any = false;

	for (int64_t k = 0; k < t->n && !any; k++) {
		int64_t c = minimised(m, gpube__table_int(t, k));

		any = c != GPUBE_INF && c >= from;
	}
	if (t->sparse && t->dflt.i != GPUBE_INF && minimised(m, t->dflt.i) >= from)
		t->dflt.i = GPUBE_INF;
	if (!any)
		return GPUBE_OK;
	for (int64_t k = 0; k < t->n; k++) {
		int64_t c = gpube__table_int(t, k);

		if (gpube__values_push(m->ctx, &v, minimised(m, c) >= from ? GPUBE_INF : c)) {
			gpube__values_clear(m->ctx, &v);
			return GPUBE_ENOMEM;
		}
	}
	gpube__free(m->ctx, t->values);
	t->values = v.values;
	t->type = v.type;
	return GPUBE_OK;
}

int gpube__cfn_mark(struct gpube_model *m)
{
	__int128 total = minimised(m, m->constant), top = minimised(m, m->top);
	int64_t *min;
	int status = GPUBE_OK;

	if (m->top == GPUBE_INF || m->top == -GPUBE_INF)
		return GPUBE_OK;
	min = gpube__alloc(m->ctx, (uint64_t)m->n_tables + 1, sizeof(*min));
	if (!min)
		return GPUBE_ENOMEM;
	for (int32_t t = 0; t < m->n_tables; t++)
		min[t] = GPUBE_INF;
	for (int32_t f = 0; f < m->n_functions; f++) {
		const int32_t t = m->functions[f].table;

		if (min[t] == GPUBE_INF) /* others that hold it have as many cells */
			min[t] = least(m, f);
		if (min[t] == GPUBE_INF)
			goto out; /* infeasible: nothing to gain */
		total += min[t];
	}
	for (int32_t t = 0; t < m->n_tables && !status && total < top; t++)
		if (min[t] < GPUBE_INF)
			status = mark_table(m, &m->tables[t], top - total + min[t]);
out:
	gpube__free(m->ctx, min);
	return status;
}
