/* x3_domains.c - XCSP3: domains, and what values variables have. See x3.h. */
#include <stdlib.h>
#include <string.h>

#include "formats/xcsp3/x3.h"

/* Domains among which an equal one is looked for. */
enum { LOOKED_BACK = 16 };

int64_t gpube__x3_value(const struct gpube_x3 *r, int32_t var, int32_t index)
{
	const struct gpube_x3_domain *d = &r->domains[r->domain_of[var]];

	return d->values ? d->values[index] : d->first + index;
}

int32_t gpube__x3_first(const struct gpube_x3 *r, int32_t var, int64_t value)
{
	const struct gpube_x3_domain *d = &r->domains[r->domain_of[var]];

	if (!d->values)
		return (int32_t)(value < d->first          ? 0
				 : value - d->first < d->n ? value - d->first
							   : d->n);
	return (int32_t)gpube__first_from(d->values, d->n, sizeof(*d->values), value);
}

int32_t gpube__x3_index(const struct gpube_x3 *r, int32_t var, int64_t value)
{
	const int32_t at = gpube__x3_first(r, var, value);

	return at < r->m->vars[var].domain && gpube__x3_value(r, var, at) == value ? at : -1;
}

struct gpube_x3_interval gpube__x3_range(const struct gpube_x3 *r, int32_t var)
{
	const int32_t n = r->m->vars[var].domain;

	return (struct gpube_x3_interval){
		gpube__x3_value(r, var, 0), gpube__x3_value(r, var, n - 1)};
}

bool gpube__x3_same_domain(const struct gpube_x3_domain *a, const struct gpube_x3_domain *b)
{
	if (a->n != b->n || !a->values != !b->values)
		return false;
	return a->values ? memcmp(a->values, b->values, (size_t)a->n * sizeof(*a->values)) == 0
			 : a->first == b->first;
}

int gpube__x3_add_domain(struct gpube_x3 *r, const struct gpube_x3_domain *d, int32_t *index)
{
	struct gpube_x3_domain copy = *d;

	if (d->values && d->n && d->values[d->n - 1] - d->values[0] == d->n - 1) {
		copy.first = d->values[0];
		copy.values = NULL;
	}
	/* variables of one domain share tables, and many files say it again for each */
	for (int64_t k = r->n_domains; k-- > 0 && k + LOOKED_BACK >= r->n_domains;)
		if (gpube__x3_same_domain(&r->domains[k], &copy)) {
			*index = (int32_t)k;
			return GPUBE_OK;
		}
	if (gpube__grow(r->m->ctx, &r->domains, &r->domains_capacity, r->n_domains + 1,
		    sizeof(*r->domains)))
		return gpube__x3_no_memory(r);
	if (copy.values) {
		copy.values = gpube__alloc(r->m->ctx, (uint64_t)d->n, sizeof(*copy.values));
		if (!copy.values)
			return gpube__x3_no_memory(r);
		memcpy(copy.values, d->values, (size_t)d->n * sizeof(*copy.values));
	}
	*index = (int32_t)r->n_domains;
	r->domains[r->n_domains++] = copy;
	return GPUBE_OK;
}

static int compare_values(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int64_t gpube__x3_unique(int64_t *values, int64_t n)
{
	int64_t left = 0;

	if (n == 0)
		return 0;
	qsort(values, (size_t)n, sizeof(*values), compare_values);
	for (int64_t k = 0; k < n; k++)
		if (k == 0 || values[k] != values[k - 1])
			values[left++] = values[k];
	return left;
}

bool gpube__x3_has(const int64_t *values, int64_t n, int64_t value)
{
	return n && bsearch(&value, values, (size_t)n, sizeof(*values), compare_values) != NULL;
}

bool gpube__x3_symbolic(const struct gpube_x3 *r, int32_t var)
{
	return r->n_symbols && gpube__x3_value(r, var, 0) >= GPUBE_X3_SYMBOL;
}

int gpube__x3_read_domain(struct gpube_x3 *r, const char *text, int32_t *index)
{
	struct gpube_x3_interval *set;
	struct gpube_x3_domain d = {0};
	int64_t n, at = 0;

	if (r->symbolic && gpube__x3_symbols(r, text, &d))
		return r->in->status;
	if (r->symbolic) {
		d.n = gpube__x3_unique(d.values, d.n);
		return gpube__x3_add_domain(r, &d, index);
	}
	if (gpube__x3_intervals(r, text, &set, &n))
		return r->in->status;
	if (n == 0)
		return gpube__in_error(r->in, "a domain without values");
	d.first = set[0].low;
	for (int64_t k = 0; k < n; k++) {
		const int64_t span = set[k].high - set[k].low;

		if (span >= INT32_MAX || (d.n += span + 1) > INT32_MAX)
			return gpube__in_error(r->in, "a domain of 2^31 values or more");
	}
	if (n > 1) {
		if (gpube__in_charge(r->in, d.n, 3 * sizeof(*d.values), "a domain of %lld values",
			    (long long)d.n))
			return r->in->status;
		d.values = gpube__x3_temp(r, d.n, sizeof(*d.values));
		if (!d.values)
			return r->in->status;
		for (int64_t k = 0; k < n; k++)
			for (int64_t v = set[k].low; v <= set[k].high; v++)
				d.values[at++] = v;
		d.n = gpube__x3_unique(d.values, d.n);
	}
	return gpube__x3_add_domain(r, &d, index);
}
