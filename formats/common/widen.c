/* widen.c - more decimals for a model that is being read. See reading.h. */
#include "formats/common/reading.h"

int gpube__refuse_widening(struct gpube_model *m, int k)
{
	return gpube__fail(m->ctx, GPUBE_ERANGE,
		"with %d decimals the costs or the bound pass 64 bits", m->scale + k);
}

/* A cost times 10^k; GPUBE_INF stays. */
bool gpube__widen_cost(int64_t *v, int k)
{
	return *v == GPUBE_INF || gpube__scaled(v, k);
}

int gpube__widen_values(struct gpube_model *m, struct gpube_values *values, int k)
{
	struct gpube_values wide = {0};
	const struct gpube_table t = {.type = values->type, .values = values->values};
	int status = GPUBE_OK;

	for (int64_t n = 0; n < values->n && !status; n++) {
		int64_t v = gpube__table_int(&t, n);

		if (!gpube__widen_cost(&v, k))
			status = gpube__refuse_widening(m, k);
		else
			status = gpube__values_push(m->ctx, &wide, v);
	}
	if (status) {
		gpube__values_clear(m->ctx, &wide);
		return status;
	}
	gpube__values_clear(m->ctx, values);
	*values = wide;
	return GPUBE_OK;
}

static int widen_table(struct gpube_model *m, struct gpube_table *t, int k)
{
	struct gpube_values v = {.type = t->type, .n = t->n, .values = t->values};
	int status = gpube__widen_values(m, &v, k);

	if (status)
		return status;
	t->type = v.type;
	t->values = v.values;
	return !t->sparse || gpube__widen_cost(&t->dflt.i, k) ? GPUBE_OK
							      : gpube__refuse_widening(m, k);
}

int gpube__widen(struct gpube_model *m, int k)
{
	int status = GPUBE_OK;

	for (int32_t t = 0; t < m->n_tables && !status; t++)
		status = widen_table(m, &m->tables[t], k);
	if (status)
		return status;
	if (!gpube__scaled(&m->constant, k) ||
		(m->top != GPUBE_INF && m->top != -GPUBE_INF && !gpube__scaled(&m->top, k)))
		return gpube__refuse_widening(m, k);
	m->scale += k;
	return GPUBE_OK;
}
