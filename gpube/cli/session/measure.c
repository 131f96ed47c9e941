/* measure.c - see measure.h. */
#include "gpube/cli/session/measure.h"

#include <string.h>

#include "formats/common/survey.h"

static int add(struct gpube_ctx *ctx, struct histogram *h, int64_t size)
{
	const int64_t low = gpube__first_from(h->bar, h->n_bars, sizeof(*h->bar), size);

	if (low == h->n_bars || h->bar[low].size != size) {
		int status =
			gpube__grow(ctx, &h->bar, &h->capacity, h->n_bars + 1, sizeof(*h->bar));

		if (status)
			return status;
		memmove(h->bar + low + 1, h->bar + low,
			(size_t)(h->n_bars - low) * sizeof(*h->bar));
		h->bar[low].size = size;
		h->bar[low].n = 0;
		h->n_bars++;
	}
	h->bar[low].n++;
	return GPUBE_OK;
}

double cells_of(const struct gpube_model *m, int32_t function)
{
	const int32_t *scope = gpube__scope(m, function);
	double cells = 1;

	for (int i = 0; i < m->functions[function].arity; i++)
		cells *= m->vars[scope[i]].domain;
	return cells;
}

static void rank(struct sizes *sizes, const struct gpube_model *m, int32_t function)
{
	int k = N_LARGEST;

	for (; k > 0; k--) {
		int32_t above = sizes->largest[k - 1];

		if (above >= 0 && cells_of(m, above) >= cells_of(m, function))
			break;
		if (k < N_LARGEST)
			sizes->largest[k] = above;
	}
	if (k < N_LARGEST)
		sizes->largest[k] = function;
}

/* Potentials that differ from the commonest: that of more than half of them, otherwise 0. */
static int64_t count_unusual(const struct gpube_table *t)
{
	double candidate = 0;
	int64_t votes = 0, n = 0, zeros = 0;

	for (int64_t k = 0; k < t->n; k++) {
		double v = gpube__table_real(t, k);

		if (votes == 0)
			candidate = v;
		votes += v == candidate ? 1 : -1;
	}
	for (int64_t k = 0; k < t->n; k++) {
		n += gpube__table_real(t, k) == candidate;
		zeros += gpube__table_real(t, k) == 0;
	}
	return t->n - (n > zeros && n > t->n / 2 ? n : zeros);
}

/* Cells that have to be named; cells_of() at most. */
static double cells_named(const struct gpube_table *t)
{
	int64_t n_usual;

	if (t->sparse)
		return (double)t->n;
	if (!gpube__type_is_int(t->type))
		return (double)count_unusual(t);
	gpube__usual_cost(t, &n_usual);
	return (double)(t->n - n_usual);
}

/* Of a table's cells, in percent; what lies between two steps counts as the upper one. */
static int64_t density(double named, double cells)
{
	static const int64_t steps[] = {0, 1, 2, 5, 10, 20, 50};

	for (size_t k = 0; k < sizeof(steps) / sizeof(*steps); k++)
		if (named * 100 <= cells * (double)steps[k])
			return steps[k];
	return 100;
}

/* Each table is looked at once, whatever the number of functions that hold it. */
static int measure_densities(struct sizes *sizes, const struct gpube_model *m)
{
	int16_t *known = gpube__alloc(m->ctx, (uint64_t)m->n_tables, sizeof(*known));
	int status = known ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t t = 0; t < m->n_tables && !status; t++)
		known[t] = -1;
	for (int32_t f = 0; f < m->n_functions && !status; f++) {
		int32_t t = m->functions[f].table;

		if (known[t] < 0)
			known[t] = (int16_t)density(cells_named(&m->tables[t]), cells_of(m, f));
		status = add(m->ctx, &sizes->densities, known[t]);
	}
	gpube__free(m->ctx, known);
	return status;
}

int sizes_measure(struct sizes *sizes, const struct gpube_model *m)
{
	int status = GPUBE_OK;

	for (int k = 0; k < N_LARGEST; k++)
		sizes->largest[k] = -1;
	for (int32_t i = 0; i < m->n_vars && !status; i++)
		status = add(m->ctx, &sizes->domains, m->vars[i].domain);
	for (int32_t f = 0; f < m->n_functions && !status; f++) {
		status = add(m->ctx, &sizes->arities, m->functions[f].arity);
		sizes->cells += cells_of(m, f);
		sizes->n_sparse += gpube__table(m, f)->sparse;
		rank(sizes, m, f);
	}
	for (int32_t t = 0; t < m->n_tables; t++) {
		const struct gpube_table *table = &m->tables[t];

		sizes->bytes += (double)table->n * (double)gpube__type_size(table->type);
		if (table->sparse)
			sizes->bytes += (double)table->n * table->arity * sizeof(int32_t);
		sizes->n_shared += table->n_users > 1 ? table->n_users : 0;
	}
	return status ? status : measure_densities(sizes, m);
}

void sizes_clear(struct gpube_ctx *ctx, struct sizes *sizes)
{
	GPUBE_FREE_ALL(ctx, sizes->domains.bar, sizes->arities.bar, sizes->densities.bar);
}
