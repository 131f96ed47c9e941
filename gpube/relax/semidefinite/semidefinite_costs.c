/* semidefinite_costs.c - a model's costs as one matrix: see semidefinite.h. */
#include "gpube/relax/semidefinite/semidefinite.h"

#include <math.h>
#include <string.h>

#include "gpube/relax/scaling.h"
#include "gpube/relax/semidefinite/lapack.h"

/* Scaled costs are at most 2^34, so that no sum of a matrix of integers passes 2^63. */
#define MOST_LEFT ((int64_t)1 << 34)
/* Work: a cell of a function, and of the matrix. */
enum { LOADED_TICKS = 10, CENTRED_TICKS = 4 };

static int64_t *cell(struct gpube_semidefinite *p, int64_t row, int64_t column)
{
	return &p->cost[row * p->of.n_values + column];
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
		const int64_t cost = costs[k] >= left   ? p->of.target
				     : p->of.shift >= 0 ? costs[k] << p->of.shift
							: costs[k] >> -p->of.shift;
		const int64_t row = p->of.at[a] + (arity == 2 ? k / m->vars[b].domain : k),
			      column = arity == 2 ? p->of.at[b] + k % m->vars[b].domain : row;

		add(cell(p, row, column), cost, p->of.target);
	}
	gpube__work(p->of.ctx, LOADED_TICKS * cells);
	gpube__free(p->of.ctx, costs);
	return status;
}

/*
 * The means of a table's rows and columns go into the unary costs, so that the entries of the
 * matrix say what pairs of values say together. They are rounded, and no cost is lost.
 */
static void centre(struct gpube_semidefinite *p, int32_t a, int32_t b)
{
	const int32_t n_rows = p->of.at[a + 1] - p->of.at[a],
		      n_columns = p->of.at[b + 1] - p->of.at[b];

	for (int32_t r = p->of.at[a]; r < p->of.at[a + 1]; r++) {
		int64_t sum = 0;

		for (int32_t c = p->of.at[b]; c < p->of.at[b + 1]; c++)
			sum += *cell(p, r, c);
		sum /= n_columns;
		for (int32_t c = p->of.at[b]; c < p->of.at[b + 1]; c++)
			*cell(p, r, c) -= sum;
		*cell(p, r, r) += sum;
	}
	for (int32_t c = p->of.at[b]; c < p->of.at[b + 1]; c++) {
		int64_t sum = 0;

		for (int32_t r = p->of.at[a]; r < p->of.at[a + 1]; r++)
			sum += *cell(p, r, c);
		sum /= n_rows;
		for (int32_t r = p->of.at[a]; r < p->of.at[a + 1]; r++)
			*cell(p, r, c) -= sum;
		*cell(p, c, c) += sum;
	}
	gpube__work(p->of.ctx, CENTRED_TICKS * (int64_t)n_rows * n_columns);
}

/* The other triangle, and what a cost is in floating point: so that they are about 1. */
static void finish(struct gpube_semidefinite *p)
{
	double squares = 0;

	for (int32_t i = 0; i < p->of.n; i++)
		for (int32_t j = i + 1; j < p->of.n; j++)
			centre(p, i, j);
	for (int32_t r = 0; r < p->of.n_values; r++) {
		squares += (double)*cell(p, r, r) * (double)*cell(p, r, r);
		for (int32_t c = r + 1; c < p->of.n_values; c++) {
			*cell(p, c, r) = *cell(p, r, c);
			squares += (double)*cell(p, r, c) * (double)*cell(p, r, c) / 2;
		}
	}
	p->unit = sqrt(squares) / (1 + p->of.n_values);
	p->unit = p->unit > 1 ? p->unit : 1;
}

static int load(struct gpube_semidefinite *p, const struct gpube_model *m, int64_t cutoff)
{
	const int64_t left = gpube__costs_left(m, cutoff);
	int status = GPUBE_OK;

	p->of.shift = gpube__scale_shift(m, left, MOST_LEFT, GPUBE__MOST_SHIFT);
	p->of.target = gpube__scale_target(p->of.shift, left);
	for (int32_t f = 0; f < m->n_functions && !status; f++)
		status = m->functions[f].arity ? load_function(p, m, f, left) : GPUBE_OK;
	for (int32_t x = 0; x < p->of.n_values; x++)
		if (*cell(p, x, x) < p->of.target)
			gpube__bit_put(p->of.allowed, x);
	return status;
}

int gpube__semidefinite_make(
	struct gpube_relaxed **out, const struct gpube_model *m, int64_t cutoff)
{
	struct gpube_semidefinite *p;
	int status;

	*out = NULL;
	if (!suits(m) || !gpube__lapack_there(m->ctx))
		return GPUBE_OK;
	p = gpube__alloc_zero(m->ctx, 1, sizeof(*p));
	if (!p)
		return GPUBE_ENOMEM;
	p->of.ctx = m->ctx;
	p->of.n = m->n_vars;
	p->of.at = gpube__alloc_zero(p->of.ctx, (uint64_t)p->of.n + 1, sizeof(*p->of.at));
	for (int32_t i = 0; p->of.at && i < p->of.n; i++)
		p->of.at[i + 1] = p->of.at[i] + m->vars[i].domain;
	p->of.n_values = p->of.at ? p->of.at[p->of.n] : 0;
	p->of.words = p->of.n_values / 64 + 1;
	p->cost = gpube__alloc_zero(p->of.ctx,
		(uint64_t)p->of.n_values * (uint64_t)p->of.n_values + 1, sizeof(*p->cost));
	p->of.allowed = gpube__alloc_zero(p->of.ctx, (uint64_t)p->of.words, sizeof(*p->of.allowed));
	status = p->of.at && p->cost && p->of.allowed ? load(p, m, cutoff) : GPUBE_ENOMEM;
	if (status) {
		gpube__semidefinite_free(&p->of);
		return status;
	}
	finish(p);
	*out = &p->of;
	return GPUBE_OK;
}

void gpube__semidefinite_free(struct gpube_relaxed *of)
{
	struct gpube_semidefinite *p = (struct gpube_semidefinite *)of;

	GPUBE_FREE_ALL(of->ctx, of->at, p->cost, of->allowed, p);
}
