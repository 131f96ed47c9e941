/* semidefinite_costs.c - a model's costs as one matrix: see semidefinite.h. */
#include "gpube/relax/semidefinite/semidefinite.h"

#include <math.h>
#include <string.h>

#include "gpube/relax/scaling.h"

/* Scaled costs are at most 2^34, so that no sum of a matrix of integers passes 2^63. */
#define MOST_LEFT ((int64_t)1 << 34)
/* Work: a cell of a function, and of the matrix. */
enum { LOADED_TICKS = 10, CENTRED_TICKS = 4 };

static int64_t *cell(struct gpube_semidefinite *p, int64_t row, int64_t column)
{
	return &p->cost[row * p->n_values + column];
}

static bool suits(const struct gpube_model *m)
{
	int64_t values = 0;

	for (int32_t i = 0; i < m->n_vars; i++)
		values += m->vars[i].domain;
	for (int32_t f = 0; f < m->n_functions; f++)
		if (m->functions[f].arity > 2)
			return false;
	return m->n_vars > 0 && values <= GPUBE__SEMIDEFINITE_VALUES;
}

/* What is as dear as the target stays so: no sum passes it. */
static void add(int64_t *to, int64_t cost, int64_t target)
{
	*to = cost >= target - *to ? target : *to + cost;
}

static int load_function(
	struct gpube_semidefinite *p, const struct gpube_model *m, int32_t f, int64_t left)
{
	const int32_t *scope = gpube__scope(m, f);
	const int arity = m->functions[f].arity;
	const int32_t a = arity == 2 && scope[0] > scope[1] ? scope[1] : scope[0],
		      b = arity == 2 ? scope[0] + scope[1] - a : a;
	const int64_t cells = gpube__cells(m, arity, scope);
	int64_t *costs;
	int status = gpube__dense_new(&costs, m, f, NULL);

	for (int64_t k = 0; k < cells && !status; k++) {
		const int64_t cost = costs[k] >= left ? p->target
				     : p->shift >= 0  ? costs[k] << p->shift
						      : costs[k] >> -p->shift;
		const int64_t row = p->at[a] + (arity == 2 ? k / m->vars[b].domain : k),
			      column = arity == 2 ? p->at[b] + k % m->vars[b].domain : row;

		add(cell(p, row, column), cost, p->target);
	}
	gpube__work(p->ctx, LOADED_TICKS * cells);
	gpube__free(p->ctx, costs);
	return status;
}

/*
 * The means of a table's rows and columns go into the unary costs, so that the entries of the
 * matrix say what pairs of values say together. They are rounded, and no cost is lost.
 */
static void centre(struct gpube_semidefinite *p, int32_t a, int32_t b)
{
	const int32_t n_rows = p->at[a + 1] - p->at[a], n_columns = p->at[b + 1] - p->at[b];

	for (int32_t r = p->at[a]; r < p->at[a + 1]; r++) {
		int64_t sum = 0;

		for (int32_t c = p->at[b]; c < p->at[b + 1]; c++)
			sum += *cell(p, r, c);
		sum /= n_columns;
		for (int32_t c = p->at[b]; c < p->at[b + 1]; c++)
			*cell(p, r, c) -= sum;
		*cell(p, r, r) += sum;
	}
	for (int32_t c = p->at[b]; c < p->at[b + 1]; c++) {
		int64_t sum = 0;

		for (int32_t r = p->at[a]; r < p->at[a + 1]; r++)
			sum += *cell(p, r, c);
		sum /= n_rows;
		for (int32_t r = p->at[a]; r < p->at[a + 1]; r++)
			*cell(p, r, c) -= sum;
		*cell(p, c, c) += sum;
	}
	gpube__work(p->ctx, CENTRED_TICKS * (int64_t)n_rows * n_columns);
}

/* The other triangle, and what a cost is in floating point: so that they are about 1. */
static void finish(struct gpube_semidefinite *p)
{
	double squares = 0;

	for (int32_t i = 0; i < p->n; i++)
		for (int32_t j = i + 1; j < p->n; j++)
			centre(p, i, j);
	for (int32_t r = 0; r < p->n_values; r++) {
		squares += (double)*cell(p, r, r) * (double)*cell(p, r, r);
		for (int32_t c = r + 1; c < p->n_values; c++) {
			*cell(p, c, r) = *cell(p, r, c);
			squares += (double)*cell(p, r, c) * (double)*cell(p, r, c) / 2;
		}
	}
	p->unit = sqrt(squares) / (1 + p->n_values);
	p->unit = p->unit > 1 ? p->unit : 1;
}

static int load(struct gpube_semidefinite *p, const struct gpube_model *m, int64_t cutoff)
{
	const int64_t left = gpube__costs_left(m, cutoff);
	int status = GPUBE_OK;

	p->shift = gpube__scale_shift(m, left, MOST_LEFT, GPUBE__MOST_SHIFT);
	p->target = gpube__scale_target(p->shift, left);
	for (int32_t f = 0; f < m->n_functions && !status; f++)
		status = m->functions[f].arity ? load_function(p, m, f, left) : GPUBE_OK;
	for (int32_t x = 0; x < p->n_values; x++)
		if (*cell(p, x, x) < p->target)
			gpube__bit_put(p->allowed, x);
	return status;
}

int gpube__semidefinite_new(
	struct gpube_semidefinite **out, const struct gpube_model *m, int64_t cutoff)
{
	struct gpube_semidefinite *p;
	int status;

	*out = NULL;
	if (!suits(m))
		return GPUBE_OK;
	p = gpube__alloc_zero(m->ctx, 1, sizeof(*p));
	if (!p)
		return GPUBE_ENOMEM;
	p->ctx = m->ctx;
	p->n = m->n_vars;
	p->at = gpube__alloc_zero(p->ctx, (uint64_t)p->n + 1, sizeof(*p->at));
	for (int32_t i = 0; p->at && i < p->n; i++)
		p->at[i + 1] = p->at[i] + m->vars[i].domain;
	p->n_values = p->at ? p->at[p->n] : 0;
	p->words = p->n_values / 64 + 1;
	p->cost = gpube__alloc_zero(
		p->ctx, (uint64_t)p->n_values * (uint64_t)p->n_values + 1, sizeof(*p->cost));
	p->allowed = gpube__alloc_zero(p->ctx, (uint64_t)p->words, sizeof(*p->allowed));
	status = p->at && p->cost && p->allowed ? load(p, m, cutoff) : GPUBE_ENOMEM;
	if (status) {
		gpube__semidefinite_free(p);
		return status;
	}
	finish(p);
	*out = p;
	return GPUBE_OK;
}

bool gpube__semidefinite_possible(const struct gpube_semidefinite *p)
{
	for (int32_t i = 0; i < p->n; i++) {
		bool any = false;

		for (int32_t x = p->at[i]; x < p->at[i + 1]; x++)
			any |= gpube__bit(p->allowed, x);
		if (!any)
			return false;
	}
	return true;
}

void gpube__semidefinite_free(struct gpube_semidefinite *p)
{
	if (p)
		GPUBE_FREE_ALL(p->ctx, p->at, p->cost, p->allowed, p);
}
