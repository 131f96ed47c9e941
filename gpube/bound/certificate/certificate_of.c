/* certificate_of.c - a certificate of the tables of a run: see certificate.h. */
#include <string.h>

#include "gpube/bound/bounder.h"
#include "gpube/bound/certificate/certificate.h"
#include "gpube/ir/dense.h"
#include "gpube/simplify/narrow.h"

/*
 * A table's numbers, as they lie over a scope of given variables: costs; or, of wide ones, what
 * each has of the part that a number holds.
 */
struct cells {
	const int64_t *costs;
	const __int128 *wide;
	int part;
};

/* The scope ascending, and how far apart a variable's values are in the cells. */
static void sort_scope(const struct gpube_certificate *c, int arity, const int32_t *scope,
	int32_t *sorted, int64_t *step)
{
	int64_t stride = 1;

	for (int k = arity - 1, n = 0; k >= 0; k--, n++) { /* insertion */
		int j = n;

		for (; j > 0 && sorted[j - 1] > scope[k]; j--) {
			sorted[j] = sorted[j - 1];
			step[j] = step[j - 1];
		}
		sorted[j] = scope[k];
		step[j] = stride;
		stride *= c->domain[scope[k]];
	}
}

static int64_t number_of(const struct cells *from, int64_t at)
{
	__int128 left;

	if (!from->wide)
		return from->costs[at];
	left = from->wide[at] - (__int128)from->part * INT64_MAX;
	return (int64_t)(left < 0 ? 0 : left < INT64_MAX ? left : INT64_MAX);
}

/* Adds a table to the last block. */
static int add_table(
	struct gpube_certificate *c, int arity, const int32_t *scope, const struct cells *from)
{
	int32_t sorted[GPUBE__PROOF_DIMS] = {0}, index[GPUBE__PROOF_DIMS] = {0};
	int64_t step[GPUBE__PROOF_DIMS] = {0}, *values, at = 0, cell = 0;
	int status, k;

	sort_scope(c, arity, scope, sorted, step);
	status = gpube__certificate_table(c, arity, sorted, &values);
	if (status)
		return status;
	do {
		const int64_t v = number_of(from, at);

		if (!from->wide && v == GPUBE_INF)
			return gpube__fail(
				c->ctx, GPUBE_ELIMIT, "the costs are too large for a certificate");
		values[cell++] = v;
		for (k = arity - 1; k >= 0; k--) {
			at += step[k];
			if (++index[k] < c->domain[sorted[k]])
				break;
			at -= step[k] * index[k];
			index[k] = 0;
		}
	} while (k >= 0);
	return GPUBE_OK;
}

/* A function of the tables, whose variables are 'given' ones, as a block. */
static int add_function(
	struct gpube_certificate *c, const struct gpube_model *m, int32_t f, const int32_t *given)
{
	const int arity = m->functions[f].arity;
	const int64_t n = gpube__cells(m, arity, gpube__scope(m, f));
	int32_t sorted[GPUBE__PROOF_DIMS] = {0};
	int64_t *costs;
	int status;

	if (arity == 0)
		return GPUBE_OK;
	if (arity > GPUBE__PROOF_DIMS || n < 0 || n > GPUBE__PROOF_CELLS)
		return gpube__fail(c->ctx, GPUBE_ELIMIT, "a table of a certificate is too large");
	status = gpube__dense_new(&costs, m, f, NULL);
	gpube__sorted_scope(sorted, m, f, NULL);
	for (int k = 0; k < arity; k++)
		sorted[k] = given[sorted[k]];
	if (!status)
		status = gpube__certificate_block(c);
	if (!status)
		status = add_table(c, arity, sorted, &(struct cells){.costs = costs});
	gpube__free(c->ctx, costs);
	return status;
}

/* That of the run, behind the variables that are in no table; if it has one. */
static int add_order(
	struct gpube_certificate *c, const struct gpube_bounder *b, const int32_t *given)
{
	int32_t n = 0;

	gpube__free(c->ctx, c->order);
	c->order = NULL;
	if (!b->state.ordered)
		return GPUBE_OK;
	c->order = gpube__alloc(c->ctx, (uint64_t)c->n_vars + 1, sizeof(*c->order));
	if (!c->order)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < c->n_vars; i++)
		if (b->s.var[i] < 0)
			c->order[n++] = i;
	for (int32_t p = 0; p < b->m->n_vars; p++)
		c->order[n++] = given[b->order[p]];
	return GPUBE_OK;
}

int gpube__certificate_of(struct gpube_certificate *out, const struct gpube_bounder *b)
{
	const struct gpube_model *m = b->tables;
	int32_t *given = gpube__alloc(out->ctx, (uint64_t)m->n_vars, sizeof(*given));
	int status = given ? GPUBE_OK : GPUBE_ENOMEM;

	out->shift = b->made.finer;
	out->constant = gpube__constant_of(m);
	for (int32_t i = 0; i < b->s.n_vars && !status; i++)
		if (b->s.var[i] >= 0)
			given[b->s.var[i]] = i;
	if (!status)
		status = add_order(out, b, given);
	for (int32_t f = 0; f < m->n_functions && !status; f++)
		status = add_function(out, m, f, given);
	gpube__free(out->ctx, given);
	return status;
}

int gpube__certificate_of_regrets(
	struct gpube_certificate *out, const struct gpube__regrets *regrets, int64_t constant)
{
	int status = GPUBE_OK;

	out->constant = constant;
	for (int32_t k = 0; k < regrets->n && !status; k++) {
		const struct gpube__regret_table *t = &regrets->tables[k];
		struct cells from = {.wide = t->cost};
		__int128 most = 0;

		for (int64_t cell = 0; cell < t->cells; cell++)
			most = t->cost[cell] > most ? t->cost[cell] : most;
		if (t->n > GPUBE__PROOF_DIMS)
			status = gpube__fail(
				out->ctx, GPUBE_ELIMIT, "a table of a certificate is too large");
		if (!status && most > 0)
			status = gpube__certificate_block(out);
		for (; !status && most > (__int128)from.part * INT64_MAX; from.part++)
			status = add_table(out, t->n, t->scope, &from);
	}
	return status;
}
