/* lp_model.c - an integer program becomes a model. See lp_parts.h. */
#include <stdio.h>

#include "formats/common/reading.h"
#include "formats/mip/lp_parts.h"

static int refuse_column(struct gpube_lp *r, const struct gpube_lp_column *c, const char *why)
{
	r->in->line = c->line;
	return gpube__in_error(r->in, "column '%.40s' %s", c->name, why);
}

static int name_values(struct gpube_lp *r, const struct gpube_lp_column *c, int32_t var)
{
	struct gpube_variable *v = &r->m->vars[var];
	char name[32];

	if (c->low == 0)
		return GPUBE_OK;
	v->value_names = gpube__alloc_zero(r->m->ctx, (uint64_t)v->domain, sizeof(*v->value_names));
	if (!v->value_names)
		return r->in->status = GPUBE_ENOMEM;
	for (int32_t a = 0; a < v->domain; a++) {
		snprintf(name, sizeof(name), "%lld", (long long)(c->low + a));
		if (gpube__name_value(v, r->in, a, name))
			return r->in->status;
	}
	return GPUBE_OK;
}

static int add_column(struct gpube_lp *r, struct gpube_lp_column *c)
{
	static const int64_t forbidden = GPUBE_INF;
	int32_t var;

	if (r->binary && !c->integer && c->high == GPUBE_INF)
		c->high = 1;
	if (c->low <= -GPUBE_INF || c->high >= GPUBE_INF)
		return refuse_column(r, c,
			!c->integer ? "is continuous: only integer programs are read"
				    : "has no bound on one side: an integer column needs both");
	if (!c->integer && !r->binary && c->low != c->high)
		return refuse_column(r, c, "is continuous: only integer programs are read");
	if (c->low > c->high) {
		c->high = c->low; /* no value is left */
		if (gpube_model_add_costs(r->m, 0, NULL, &forbidden))
			return r->in->status = GPUBE_ENOMEM;
	}
	if (c->high - c->low >= INT32_MAX)
		return refuse_column(r, c, "has 2^31 values or more");
	if (gpube__add_var(r->m, r->in, &var, c->high - c->low + 1, c->name))
		return r->in->status;
	return name_values(r, c, var);
}

/* Decimals that all of the terms need. */
static int decimals_of(const struct gpube_lp *r, int64_t first, int64_t n)
{
	int decimals = 0;

	for (int64_t k = first; k < first + n; k++)
		if (r->terms[k].factor.decimals > decimals)
			decimals = r->terms[k].factor.decimals;
	return decimals;
}

/* A factor in units of 10^-decimals, which the term has no more of. */
static __int128 units(struct gpube_lp_number v, int decimals)
{
	__int128 x = v.digits;

	for (int k = v.decimals; k < decimals; k++)
		x *= 10;
	return x;
}

static int64_t value_of(const struct gpube_lp *r, int32_t column, int64_t value)
{
	return r->columns[column].low + value;
}

static bool is_large(int64_t v)
{
	return v >= (int64_t)1 << 30 || v <= -((int64_t)1 << 30);
}

/* What totals may reach stays below 2^62, so that none wraps. */
static bool adds_up(__int128 *total, __int128 v)
{
	const __int128 most = (__int128)1 << 62;

	if (v >= most || v <= -most)
		return false;
	*total += v < 0 ? -v : v;
	return *total < most;
}

static int add_cost(
	struct gpube_lp *r, const struct gpube_lp_term *t, int decimals, __int128 *total)
{
	const int32_t scope[] = {t->a, t->b};
	const int arity = t->a < 0 ? 0 : t->b < 0 || t->b == t->a ? 1 : 2;
	int64_t n = 1, *costs;
	__int128 most = 0;
	int status = GPUBE_OK;

	for (int k = 0; k < arity; k++) {
		n = gpube__mul_size(n, r->m->vars[scope[k]].domain);
		if (arity + (t->b == t->a) > 1 &&
			(is_large(r->columns[scope[k]].low) || is_large(r->columns[scope[k]].high)))
			return gpube__in_fail(r->in, GPUBE_ERANGE, "a product of values past 2^30");
	}
	if (n < 0 || gpube__charge_expanded(r->in, n, NULL))
		return r->in->status
			       ? r->in->status
			       : gpube__in_fail(r->in, GPUBE_ELIMIT, "a product of 2^63 cells");
	costs = gpube__alloc(r->m->ctx, (uint64_t)n, sizeof(*costs));
	if (!costs)
		return r->in->status = GPUBE_ENOMEM;
	for (int64_t k = 0; k < n && !status; k++) {
		const int64_t columns = arity == 2 ? r->m->vars[t->b].domain : 1;
		__int128 v = units(t->factor, decimals), sum = 0;
		int64_t times = 1;

		if (arity > 0)
			times = value_of(r, t->a, k / columns);
		if (t->b >= 0)
			times *= value_of(r, t->b, arity == 2 ? k % columns : k);
		if (__builtin_mul_overflow(v, (__int128)times, &v) || !adds_up(&sum, v))
			status = gpube__in_fail(
				r->in, GPUBE_ERANGE, "the objective passes 2^62 units");
		most = sum > most ? sum : most;
		costs[k] = (int64_t)v;
	}
	if (!status && !adds_up(total, most))
		status = gpube__in_fail(r->in, GPUBE_ERANGE, "the objective passes 2^62 units");
	if (!status)
		status = gpube_model_add_costs(r->m, arity, scope, costs);
	gpube__free(r->m->ctx, costs);
	return r->in->status = r->in->status ? r->in->status : status;
}

static int add_row(struct gpube_lp *r, struct gpube_linear *l, const struct gpube_lp_row *row)
{
	const int decimals = decimals_of(r, row->first, row->n);

	r->in->line = row->line;
	gpube__linear_begin(l);
	l->relation = row->relation;
	l->right = 0;
	for (int64_t k = row->first; k < row->first + row->n; k++) {
		const struct gpube_lp_term *t = &r->terms[k];
		const __int128 factor = units(t->factor, decimals);
		int32_t place = 0;

		if (t->a < 0) {
			l->right -= factor;
			continue;
		}
		if (gpube__linear_place(l, &place, t->a))
			return r->in->status;
		for (int32_t a = 0; a < r->m->vars[t->a].domain; a++) {
			__int128 gain;

			/* so large that no sum of 2^32 of them wraps */
			if (__builtin_mul_overflow(factor, (__int128)value_of(r, t->a, a), &gain) ||
				gain >= (__int128)1 << 94 || gain <= -((__int128)1 << 94))
				return gpube__in_fail(
					r->in, GPUBE_ERANGE, "a term of a row passes 2^94");
			*gpube__linear_gain(l, place, a) += gain;
		}
	}
	return gpube__linear_add(l, GPUBE_INF);
}

int gpube__lp_model(struct gpube_lp *r)
{
	struct gpube_linear l = {.m = r->m, .in = r->in};
	const int decimals = decimals_of(r, 0, r->objective);
	const int64_t line = r->in->line;
	__int128 total = 0;
	int status = GPUBE_OK;

	for (int32_t k = 0; k < r->n_columns && !status; k++)
		status = add_column(r, &r->columns[k]);
	r->in->line = line;
	if (!status)
		status = gpube_model_set_scale(r->m, decimals);
	for (int64_t k = 0; k < r->objective && !status; k++)
		status = gpube__stopped(r->m->ctx) ? gpube__fail_stopped(r->m->ctx)
						   : add_cost(r, &r->terms[k], decimals, &total);
	for (int64_t k = 0; k < r->n_rows && !status; k++)
		status = gpube__stopped(r->m->ctx) ? gpube__fail_stopped(r->m->ctx)
						   : add_row(r, &l, &r->rows[k]);
	gpube__linear_clear(&l);
	return status;
}
