/* lp_parts.c - what .lp and .mps have in common: numbers, columns and rows. See lp_parts.h. */
#include "formats/mip/lp_parts.h"

#include <ctype.h>
#include <string.h>

#define MOST ((int64_t)1 << 61)

size_t gpube__lp_number_length(const char *p)
{
	size_t n = strspn(p, "0123456789"), e;

	if (p[n] == '.')
		n += 1 + strspn(p + n + 1, "0123456789");
	if (p[n] != 'e' && p[n] != 'E')
		return n;
	e = n + 1 + (p[n + 1] == '+' || p[n + 1] == '-');
	return isdigit((unsigned char)p[e]) ? e + strspn(p + e, "0123456789") : n;
}

int gpube__lp_number(struct gpube_lp *r, struct gpube_lp_number *v, const char *text)
{
	__int128 wide, most = 100;
	int scale;
	bool fits, infinite;

	if (!gpube__wide_decimal(text, &wide, &scale, &fits))
		return gpube__in_expected(r->in, "a number", text);
	for (int k = -18; k < scale && scale <= 18; k++)
		most *= 10; /* 1e20 of its units */
	infinite = scale <= 16 && (wide >= most || wide <= -most);
	if (!infinite && (!fits || wide >= MOST || wide <= -MOST))
		return gpube__in_fail(r->in, GPUBE_ERANGE,
			"the number '%.40s' passes 64 bits or 18 decimals", text);
	*v = (struct gpube_lp_number){
		infinite ? (wide > 0 ? 1 : -1) : (int64_t)wide, infinite ? 0 : scale, infinite};
	return GPUBE_OK;
}

/* As an integer that allows the same ones; 'up': it is a lower one. */
static int64_t to_integer(struct gpube_lp_column *c, struct gpube_lp_number v, bool up)
{
	int64_t ten = 1, q;

	if (v.infinite)
		return v.digits < 0 ? -GPUBE_INF : GPUBE_INF;
	for (int k = 0; k < v.decimals; k++)
		ten *= 10;
	q = v.digits / ten;
	if (q * ten != v.digits) {
		q += up ? v.digits > 0 : -(v.digits < 0);
		c->rounded = true;
	}
	return q;
}

void gpube__lp_bound(
	struct gpube_lp_column *c, enum gpube_relation relation, struct gpube_lp_number v)
{
	c->bounded = true;
	if (relation != GPUBE_AT_MOST)
		c->low = to_integer(c, v, true);
	if (relation != GPUBE_AT_LEAST)
		c->high = to_integer(c, v, false);
}

int gpube__lp_column(struct gpube_lp *r, const char *name, int32_t *column)
{
	const int32_t *known = gpube__names_find(&r->names, 0, name);
	struct gpube_lp_column c = {.line = r->in->line, .low = 0, .high = GPUBE_INF};

	if (known) {
		*column = *known;
		return GPUBE_OK;
	}
	if (r->n_columns == INT32_MAX)
		return gpube__in_fail(r->in, GPUBE_ELIMIT, "2^31 columns");
	if (gpube__grow(r->m->ctx, &r->columns, &r->columns_capacity, (int64_t)r->n_columns + 1,
		    sizeof(c)))
		return r->in->status = GPUBE_ENOMEM;
	c.name = gpube__strdup(r->m->ctx, name);
	if (!c.name)
		return r->in->status = GPUBE_ENOMEM;
	*column = r->n_columns;
	r->columns[r->n_columns++] = c;
	return gpube__names_add(&r->names, 0, c.name, *column) ? (r->in->status = GPUBE_ENOMEM)
							       : GPUBE_OK;
}

int gpube__lp_term(struct gpube_lp *r, struct gpube_lp_number factor, int32_t a, int32_t b)
{
	if (factor.infinite)
		return gpube__in_error(r->in, "an infinite number outside bounds");
	if (gpube__grow(
		    r->m->ctx, &r->terms, &r->terms_capacity, r->n_terms + 1, sizeof(*r->terms)))
		return r->in->status = GPUBE_ENOMEM;
	r->terms[r->n_terms++] = (struct gpube_lp_term){factor, a, b};
	return GPUBE_OK;
}

int gpube__lp_row(struct gpube_lp *r, int64_t first, enum gpube_relation relation, int64_t line)
{
	if (gpube__grow(r->m->ctx, &r->rows, &r->rows_capacity, r->n_rows + 1, sizeof(*r->rows)))
		return r->in->status = GPUBE_ENOMEM;
	r->rows[r->n_rows++] = (struct gpube_lp_row){.first = first,
		.n = r->n_terms - first,
		.line = line,
		.relation = relation,
		.when = -1};
	return GPUBE_OK;
}

int gpube__lp_decimals(const struct gpube_lp *r, int64_t first, int64_t n)
{
	int decimals = 0;

	for (int64_t k = first; k < first + n; k++)
		if (r->terms[k].factor.decimals > decimals)
			decimals = r->terms[k].factor.decimals;
	return decimals;
}

__int128 gpube__lp_units(struct gpube_lp_number v, int decimals)
{
	__int128 x = v.digits;

	for (int k = v.decimals; k < decimals; k++)
		x *= 10;
	return x;
}

void gpube__lp_clear(struct gpube_lp *r)
{
	gpube__names_clear(&r->names);
	for (int32_t k = 0; k < r->n_columns; k++)
		gpube__free(r->m->ctx, r->columns[k].name);
	GPUBE_FREE_ALL(r->m->ctx, r->columns, r->terms, r->rows);
}
