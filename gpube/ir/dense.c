/* dense.c - see dense.h. */
#include "gpube/ir/dense.h"
#include "gpube/base/by_type.h"

#include <stdlib.h>
#include <string.h>

/* Stride of each axis of the scope in the sorted layout; returns the cells. */
static int64_t sorted_strides(const struct gpube_model *m, int arity, const int32_t *scope,
	const int32_t *rank, int64_t *strides)
{
	int64_t cells = 1;

	for (int k = 0; k < arity; k++) {
		strides[k] = 1;
		for (int j = 0; j < arity; j++)
			if (rank ? rank[scope[j]] > rank[scope[k]] : scope[j] > scope[k])
				strides[k] *= m->vars[scope[j]].domain;
		cells *= m->vars[scope[k]].domain;
	}
	return cells;
}

/* Values from .. from + n - 1 of an integer table, as gpube__table_int() has them. */
static void read_values(int64_t *out, const struct gpube_table *t, int64_t from, int64_t n)
{
#define READ(type, most)                                                                           \
	for (int64_t k = 0; k < n; k++)                                                            \
	out[k] = ((const type *)t->values)[from + k] == most ? GPUBE_INF                           \
							     : ((const type *)t->values)[from + k]

	if (t->type == GPUBE_INT64)
		memcpy(out, (const int64_t *)t->values + from, (size_t)n * sizeof(*out));
	else
		GPUBE_BY_INT(t->type, READ);
#undef READ
}

/* Where cells go: those of 'top' and more become 'top'. */
struct sink {
	void *cells;
	enum gpube_type type;
	int64_t top;
};

static inline void put(const struct sink *to, int64_t cell, int64_t v)
{
	v = v < to->top ? v : to->top;
	if (to->type == GPUBE_INT32)
		((int32_t *)to->cells)[cell] = (int32_t)v;
	else
		((int64_t *)to->cells)[cell] = v;
}

/*
 * Values that are read at a time: tables of 10^6 cells took longer to read one by one than to
 * shift.
 */
enum { AT_A_TIME = 512 };

/* Values from .. from + n - 1 to cells 'to', 'to + step' … */
static void put_row(const struct sink *out, int64_t to, int64_t step, const struct gpube_table *t,
	int64_t from, int64_t n)
{
	int64_t values[AT_A_TIME];

	for (int64_t done = 0; done < n; done += AT_A_TIME) {
		const int64_t some = n - done < AT_A_TIME ? n - done : AT_A_TIME;

		read_values(values, t, from + done, some);
		for (int64_t k = 0; k < some; k++)
			put(out, to + (done + k) * step, values[k]);
	}
}

static void fill_dense(const struct sink *out, const struct gpube_model *m,
	const struct gpube_table *t, const int32_t *scope, const int64_t *strides, int32_t *index)
{
	const int last = t->arity - 1;
	const int64_t row = last < 0 ? t->n : m->vars[scope[last]].domain,
		      step = last < 0 ? 1 : strides[last];
	int64_t to = 0;

	for (int k = 0; k < t->arity; k++)
		index[k] = 0;
	for (int64_t cell = 0; cell < t->n; cell += row) {
		put_row(out, to, step, t, cell, row);
		for (int k = last - 1; k >= 0; k--) { /* the odometer of the original layout */
			to += strides[k];
			if (++index[k] < m->vars[scope[k]].domain)
				break;
			to -= strides[k] * index[k];
			index[k] = 0;
		}
	}
}

static void fill_sparse(
	const struct sink *out, const struct gpube_table *t, int64_t cells, const int64_t *strides)
{
	for (int64_t cell = 0; cell < cells; cell++)
		put(out, cell, t->dflt.i);
	for (int64_t k = 0; k < t->n; k++) {
		int64_t to = 0;

		for (int j = 0; j < t->arity; j++)
			to += strides[j] * t->tuples[k * t->arity + j];
		put(out, to, gpube__table_int(t, k));
	}
}

int gpube__dense_as(void *out, enum gpube_type type, int64_t top, const struct gpube_model *m,
	int32_t function, const int32_t *rank)
{
	const struct sink to = {out, type, top};
	const struct gpube_table *t = gpube__table(m, function);
	const int32_t *scope = gpube__scope(m, function);
	uint64_t arity = (uint64_t)t->arity;
	int64_t *strides = gpube__alloc(m->ctx, arity, sizeof(*strides)), cells;
	int32_t *index = gpube__alloc(m->ctx, arity, sizeof(*index));
	int status = strides && index ? GPUBE_OK : GPUBE_ENOMEM;

	if (!status) {
		cells = sorted_strides(m, t->arity, scope, rank, strides);
		if (t->sparse)
			fill_sparse(&to, t, cells, strides);
		else
			fill_dense(&to, m, t, scope, strides, index);
	}
	gpube__free(m->ctx, strides);
	gpube__free(m->ctx, index);
	return status;
}

int gpube__dense(int64_t *out, const struct gpube_model *m, int32_t function, const int32_t *rank)
{
	return gpube__dense_as(out, GPUBE_INT64, GPUBE_INF, m, function, rank);
}

int gpube__dense_new(
	int64_t **out, const struct gpube_model *m, int32_t function, const int32_t *rank)
{
	const int64_t n = gpube__cells(m, m->functions[function].arity, gpube__scope(m, function));
	int status;

	*out = gpube__alloc(m->ctx, (uint64_t)n, sizeof(**out));
	status = *out ? gpube__dense(*out, m, function, rank) : GPUBE_ENOMEM;
	if (!status)
		return GPUBE_OK;
	gpube__free(m->ctx, *out);
	*out = NULL;
	return status;
}

void gpube__sorted_scope(
	int32_t *out, const struct gpube_model *m, int32_t function, const int32_t *rank)
{
	const int32_t *scope = gpube__scope(m, function);
	const int arity = m->functions[function].arity;

	for (int k = 0; k < arity; k++)
		out[k] = rank ? rank[scope[k]] : scope[k];
	qsort(out, (size_t)arity, sizeof(*out), gpube__compare_int32);
}

/* The largest finite cost of a function of a simplified model, whose costs are all >= 0. */
static int64_t largest_cost(const struct gpube_table *t)
{
	int64_t most = t->sparse && t->dflt.i != GPUBE_INF ? t->dflt.i : 0;

	for (int64_t k = 0; k < t->n; k += AT_A_TIME) {
		const int64_t some = t->n - k < AT_A_TIME ? t->n - k : AT_A_TIME;
		int64_t values[AT_A_TIME];

		read_values(values, t, k, some);
		for (int64_t j = 0; j < some; j++)
			most = values[j] != GPUBE_INF && values[j] > most ? values[j] : most;
	}
	return most;
}

int64_t gpube__constant_of(const struct gpube_model *m)
{
	int64_t sum = m->constant;

	for (int32_t f = 0; f < m->n_functions; f++) {
		const struct gpube_table *t = gpube__table(m, f);
		int64_t c;

		if (t->arity > 0)
			continue;
		c = t->n ? gpube__table_int(t, 0) : t->dflt.i;
		if (c == GPUBE_INF || __builtin_add_overflow(sum, c, &sum))
			return GPUBE_INF;
	}
	return sum;
}

int64_t gpube__cost_span(const struct gpube_model *m)
{
	__int128 span = 1;

	for (int32_t f = 0; f < m->n_functions; f++)
		if (gpube__table(m, f)->arity > 0)
			span += largest_cost(gpube__table(m, f));
	return span < (__int128)1 << 62 ? (int64_t)span : (int64_t)1 << 62;
}

static bool has_negative(const struct gpube_table *t)
{
	bool any = t->sparse && t->dflt.i < 0;

	for (int64_t k = 0; k < t->n; k++)
		any |= gpube__table_int(t, k) < 0;
	return any;
}

bool gpube__costs_fit(const struct gpube_model *m)
{
	const int64_t constant = gpube__constant_of(m);

	if (m->direction != GPUBE_MINIMISE || constant <= -GPUBE_INF)
		return false;
	for (int32_t f = 0; f < m->n_functions; f++)
		if (has_negative(gpube__table(m, f)))
			return false;
	return constant == GPUBE_INF || (__int128)constant + gpube__cost_span(m) <= GPUBE_INF;
}

int64_t gpube__model_cells(const struct gpube_model *m)
{
	int64_t cells = 0;

	for (int32_t f = 0; f < m->n_functions; f++)
		cells += gpube__table(m, f)->n;
	return cells;
}
