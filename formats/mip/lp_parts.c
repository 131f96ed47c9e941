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

int gpube__lp_number(struct gpube_lp *r)
{
	struct gpube_lp_number v = {0};
	const char *p = r->token;
	long exponent = 0;
	bool point = false, large = false;

	for (; *p && *p != 'e' && *p != 'E'; p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		large = large || v.digits >= MOST / 10;
		v.digits = large ? v.digits : 10 * v.digits + (*p - '0');
		v.decimals += point;
	}
	if (*p) {
		const bool minus = p[1] == '-';

		for (p += 1 + (p[1] == '-' || p[1] == '+'); *p; p++)
			exponent = exponent < 1000 ? 10 * exponent + (*p - '0') : exponent;
		exponent = minus ? -exponent : exponent;
	}
	exponent -= v.decimals;
	for (; exponent < 0 && v.digits % 10 == 0 && v.digits && !large; exponent++)
		v.digits /= 10;
	v.decimals = 0;
	if (v.digits == 0)
		exponent = 0;
	v.infinite = exponent >= 20 || (large && exponent >= 2);
	for (; exponent > 0 && !v.infinite; exponent--) {
		large = large || v.digits >= MOST / 10;
		v.digits = large ? v.digits : 10 * v.digits;
	}
	v.decimals = exponent < 0 ? (int)-exponent : 0;
	if (!v.infinite && (large || v.decimals > GPUBE_LP_DECIMALS))
		return gpube__in_fail(r->in, GPUBE_ERANGE,
			"the number '%.40s' passes 64 bits or 18 decimals", r->token);
	r->number = v;
	return GPUBE_OK;
}

int64_t gpube__lp_bound(struct gpube_lp_number v, bool up)
{
	int64_t ten = 1, q;

	if (v.infinite)
		return v.digits < 0 ? -GPUBE_INF : GPUBE_INF;
	for (int k = 0; k < v.decimals; k++)
		ten *= 10;
	q = v.digits / ten;
	if (q * ten != v.digits)
		q += up ? v.digits > 0 : -(v.digits < 0);
	return q;
}

int gpube__lp_column(struct gpube_lp *r, int32_t *column)
{
	const int32_t *known = gpube__names_find(&r->names, 0, r->token);
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
	c.name = gpube__strdup(r->m->ctx, r->token);
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
	r->rows[r->n_rows++] = (struct gpube_lp_row){first, r->n_terms - first, line, relation};
	return GPUBE_OK;
}

void gpube__lp_clear(struct gpube_lp *r)
{
	gpube__names_clear(&r->names);
	for (int32_t k = 0; k < r->n_columns; k++)
		gpube__free(r->m->ctx, r->columns[k].name);
	gpube__free(r->m->ctx, r->columns);
	gpube__free(r->m->ctx, r->terms);
	gpube__free(r->m->ctx, r->rows);
}
