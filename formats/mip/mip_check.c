/*
 * mip_check.c - is an .lp or .mps that was read the program that was to be written? See mip.h.
 *
 * Columns are found by their names; their bounds, what they cost, and the rows, in their order and
 * with their entries in any, have to be the program's.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/mip/lp_parts.h"
#include "formats/mip/mip.h"

struct checking {
	const struct gpube_lp *r;
	const struct gpube_mip *p;
	int32_t *column; /* of the file, by the program's */
	__int128 *sum;   /* by the file's column: what one has more than the other */
};

static int differs(const struct checking *k, const char *what, const char *name)
{
	return gpube__fail(
		k->p->ctx, GPUBE_EBUG, "%s '%.60s' is another one, read back", what, name);
}

static int find_columns(struct checking *k)
{
	char name[GPUBE_MIP_NAME];

	if (k->r->n_columns != k->p->n_columns)
		return gpube__fail(k->p->ctx, GPUBE_EBUG, "%d columns, read back %d",
			k->p->n_columns, k->r->n_columns);
	for (int32_t c = 0; c < k->p->n_columns; c++) {
		const int32_t *at;

		gpube__mip_name(name, k->p, c);
		at = gpube__names_find(&k->r->names, 0, name);
		if (!at)
			return gpube__fail(
				k->p->ctx, GPUBE_EBUG, "column '%s' is not there, read back", name);
		k->column[c] = *at;
	}
	return GPUBE_OK;
}

static int check_bounds(const struct checking *k)
{
	for (int32_t c = 0; c < k->p->n_columns; c++) {
		const struct gpube_lp_column *of = &k->r->columns[k->column[c]];
		const bool binary = c > 0 && k->p->var[c] >= 0;
		const int64_t low = c == 0, high = of->integer || c == 0 ? 1 : of->high;

		/* what is continuous is at most 1 in an optimum, said or not */
		if (of->integer != binary || of->low != low || of->high != high ||
			(high != 1 && high != GPUBE_INF))
			return differs(k, "the range of column", of->name);
	}
	return GPUBE_OK;
}

/*
 * Takes a row's terms off the sums, and off *rhs what stands there without a column; -1: a
 * product.
 */
static bool take_terms(
	const struct checking *k, int64_t first, int64_t n, int scale, int sign, __int128 *rhs)
{
	for (int64_t i = first; i < first + n; i++) {
		const struct gpube_lp_term *t = &k->r->terms[i];
		const __int128 v = gpube__lp_units(t->factor, scale);

		if (t->b >= 0 || t->factor.decimals > scale)
			return false;
		if (t->a >= 0)
			k->sum[t->a] -= sign * v;
		else
			*rhs += v;
	}
	return true;
}

static bool all_zero(const struct checking *k, int64_t first, int64_t n)
{
	for (int64_t i = first; i < first + n; i++)
		if (k->r->terms[i].a >= 0 && k->sum[k->r->terms[i].a])
			return false;
	return true;
}

static int check_objective(const struct checking *k)
{
	const struct gpube_model *m = k->p->m;
	const int sign = k->r->m->direction == GPUBE_MAXIMISE ? -1 : 1;
	__int128 rhs = 0;
	bool same;

	if (sign < 0 && m->direction == GPUBE_MINIMISE)
		return differs(k, "the direction of", "obj");
	for (int32_t c = 0; c < k->p->n_columns; c++)
		k->sum[k->column[c]] = k->p->cost[c];
	same = take_terms(k, 0, k->r->objective, m->scale, sign, &rhs) && rhs == 0;
	for (int32_t c = 0; c < k->p->n_columns; c++) {
		same = same && k->sum[c] == 0;
		k->sum[c] = 0;
	}
	return same ? GPUBE_OK : differs(k, "the objective", "obj");
}

static int check_row(const struct checking *k, int32_t row)
{
	const struct gpube_mip *p = k->p;
	const struct gpube_lp_row *of = &k->r->rows[row];
	__int128 rhs = 0;
	char name[32];
	bool same = of->relation == p->sense[row];

	for (int64_t i = p->at[row]; i < p->at[row + 1]; i++)
		k->sum[k->column[p->column[i]]] += p->factor[i];
	same = same &&
	       take_terms(k, of->first, of->n, row == p->top_row ? p->m->scale : 0, 1, &rhs) &&
	       all_zero(k, of->first, of->n) && -rhs == p->rhs[row];
	for (int64_t i = p->at[row]; i < p->at[row + 1]; i++)
		same = same && k->sum[k->column[p->column[i]]] == 0;
	snprintf(name, sizeof(name), "r%" PRId32, row);
	return same ? GPUBE_OK : differs(k, "row", name);
}

static int check_all(const struct checking *k)
{
	int status = check_bounds(k);

	if (!status)
		status = check_objective(k);
	if (!status && k->r->n_rows != k->p->n_rows)
		status = gpube__fail(k->p->ctx, GPUBE_EBUG, "%d rows, read back %lld", k->p->n_rows,
			(long long)k->r->n_rows);
	for (int32_t row = 0; row < k->p->n_rows && !status; row++)
		status = check_row(k, row);
	return status;
}

int gpube__mip_check(const struct gpube_lp *r, const struct gpube_model *m)
{
	struct gpube_mip p;
	struct checking k = {.r = r, .p = &p};
	int status = gpube__mip_init(&p, m);

	if (status)
		return status;
	k.column = gpube__alloc(m->ctx, (uint64_t)p.n_columns + 1, sizeof(*k.column));
	k.sum = gpube__alloc_zero(m->ctx, (uint64_t)p.n_columns + 1, sizeof(*k.sum));
	if (!k.column || !k.sum)
		status = GPUBE_ENOMEM;
	if (!status && !r->binary)
		status =
			gpube__fail(m->ctx, GPUBE_EBUG, "the first line is another one, read back");
	if (!status)
		status = find_columns(&k);
	if (!status)
		status = check_all(&k);
	gpube__free(m->ctx, k.column);
	gpube__free(m->ctx, k.sum);
	gpube__mip_clear(&p);
	return status;
}
