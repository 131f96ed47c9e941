/* lp_model.c - an integer program becomes a model. See lp_parts.h. */
#include <stdio.h>
#include <stdlib.h>

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
	for (int32_t a = 0; a < v->domain; a++) {
		snprintf(name, sizeof(name), "%lld", (long long)(c->low + a));
		if (gpube__name_value(v, r->in, a, name))
			return r->in->status;
	}
	return GPUBE_OK;
}

/* A semi-continuous column is 0 or from low to high. */
static int forbid_between(
	struct gpube_lp *r, const struct gpube_lp_column *c, int32_t var, int64_t low, int64_t high)
{
	const int32_t n = r->m->vars[var].domain;
	int64_t *costs = gpube__alloc(r->m->ctx, (uint64_t)n, sizeof(*costs));

	if (!costs)
		return r->in->status = GPUBE_ENOMEM;
	for (int32_t a = 0; a < n; a++) {
		const int64_t x = c->low + a;

		costs[a] = x == 0 || (x >= low && x <= high) ? 0 : GPUBE_INF;
	}
	r->in->status = gpube_model_add_costs(r->m, 1, &var, costs);
	gpube__free(r->m->ctx, costs);
	return r->in->status;
}

static int add_column(struct gpube_lp *r, struct gpube_lp_column *c)
{
	static const int64_t forbidden = GPUBE_INF;
	const int64_t low = c->low, high = c->high;
	int32_t var;

	if (r->binary && !c->integer && c->high == GPUBE_INF)
		c->high = 1;
	if (!c->integer && !r->binary && (c->low != c->high || c->semi || c->rounded))
		return refuse_column(r, c, "is continuous: only integer programs are read");
	if (c->low <= -GPUBE_INF || c->high >= GPUBE_INF)
		return refuse_column(r, c,
			"has no bound on one side, and no rows imply one: an integer column needs "
			"both");
	if (c->semi) {
		c->low = low > high || low > 0 ? 0 : low;
		c->high = low > high || high < 0 ? 0 : high;
	}
	if (c->low > c->high) {
		c->high = c->low; /* no value is left */
		if (gpube_model_add_costs(r->m, 0, NULL, &forbidden))
			return r->in->status = GPUBE_ENOMEM;
	}
	if (c->high - c->low >= INT32_MAX)
		return refuse_column(r, c, "has 2^31 values or more");
	if (gpube__add_var(r->m, r->in, &var, c->high - c->low + 1, c->name) ||
		name_values(r, c, var))
		return r->in->status;
	return c->semi ? forbid_between(r, c, var, low, high) : GPUBE_OK;
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
		__int128 v = gpube__lp_units(t->factor, decimals), sum = 0;
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

/* Adds 'factor' times the column to the sum. */
static int add_term(struct gpube_lp *r, struct gpube_linear *l, int32_t column, __int128 factor)
{
	int32_t place = 0;

	if (gpube__linear_place(l, &place, column))
		return r->in->status;
	for (int32_t a = 0; a < r->m->vars[column].domain; a++) {
		__int128 gain;

		/* so large that no sum of 2^32 of them wraps */
		if (__builtin_mul_overflow(factor, (__int128)value_of(r, column, a), &gain) ||
			gain >= (__int128)1 << 94 || gain <= -((__int128)1 << 94))
			return gpube__in_fail(r->in, GPUBE_ERANGE, "a term of a row passes 2^94");
		*gpube__linear_gain(l, place, a) += gain;
	}
	return GPUBE_OK;
}

/* A number beside the terms, which goes to the right: no sum of that and of terms wraps. */
static int add_number(struct gpube_lp *r, struct gpube_linear *l, __int128 v)
{
	l->right -= v;
	return l->right < GPUBE_WIDE && l->right > -GPUBE_WIDE
		       ? GPUBE_OK
		       : gpube__in_fail(r->in, GPUBE_ERANGE, "a number of a row passes 2^120");
}

/*
 * Where the column does not have the value the sum may be whatever it can be: it gets so much more
 * or less there.
 */
static int add_condition(struct gpube_lp *r, struct gpube_linear *l, const struct gpube_lp_row *row)
{
	const bool up = l->relation == GPUBE_AT_LEAST;
	__int128 worst = 0, room;
	int32_t place = 0;

	if (gpube__linear_place(l, &place, row->when))
		return r->in->status;
	for (int32_t k = 0; k < l->n; k++) {
		__int128 most = *gpube__linear_gain(l, k, 0);

		for (int32_t a = 1; a < l->domains[k]; a++) {
			const __int128 gain = *gpube__linear_gain(l, k, a);

			most = (up ? gain < most : gain > most) ? gain : most;
		}
		worst += most;
	}
	room = l->right - worst;
	for (int32_t a = 0; a < l->domains[place] && (up ? room > 0 : room < 0); a++)
		if (value_of(r, row->when, a) != row->value)
			*gpube__linear_gain(l, place, a) += room;
	return GPUBE_OK;
}

static int add_row(struct gpube_lp *r, struct gpube_linear *l, const struct gpube_lp_row *row,
	enum gpube_relation relation)
{
	const int decimals = gpube__lp_decimals(r, row->first, row->n);

	/* of a condition, an equation is two */
	if (row->when >= 0 && relation == GPUBE_EXACTLY)
		return add_row(r, l, row, GPUBE_AT_MOST) ? r->in->status
							 : add_row(r, l, row, GPUBE_AT_LEAST);
	gpube__linear_begin(l);
	l->relation = relation;
	l->right = 0;
	for (int64_t k = row->first; k < row->first + row->n; k++) {
		const struct gpube_lp_term *t = &r->terms[k];
		const __int128 factor = gpube__lp_units(t->factor, decimals);

		if (t->a >= 0 ? add_term(r, l, t->a, factor) : add_number(r, l, factor))
			return r->in->status;
	}
	if (row->when >= 0 && add_condition(r, l, row))
		return r->in->status;
	return gpube__linear_add(l, GPUBE_INF);
}

/* ---- sets of columns --------------------------------------------------------------------- */

/* One at most of these columns is not 0. */
static int at_most_one(struct gpube_lp *r, struct gpube_linear *l, const struct gpube_lp_term *t,
	int64_t n, int64_t step)
{
	gpube__linear_begin(l);
	l->relation = GPUBE_AT_MOST;
	l->right = 1;
	for (int64_t k = 0; k < n; k += step) {
		int32_t place = 0;

		if (gpube__linear_place(l, &place, t[k].a))
			return r->in->status;
		for (int32_t a = 0; a < r->m->vars[t[k].a].domain; a++)
			*gpube__linear_gain(l, place, a) = value_of(r, t[k].a, a) != 0;
	}
	return gpube__linear_add(l, GPUBE_INF);
}

static int by_weight(const void *x, const void *y)
{
	const struct gpube_lp_number *a = &((const struct gpube_lp_term *)x)->factor,
				     *b = &((const struct gpube_lp_term *)y)->factor;
	const __int128 u = gpube__lp_units(*a, GPUBE_LP_DECIMALS),
		       v = gpube__lp_units(*b, GPUBE_LP_DECIMALS);

	return u < v ? -1 : u > v;
}

enum { PAIR_BYTES = 512 }; /* of a model, about */

/* Of SOS2 any two that are no neighbours: three that are not 0 have such a pair among them. */
static int add_set(struct gpube_lp *r, struct gpube_linear *l, const struct gpube_lp_row *row)
{
	struct gpube_lp_term *t = row->n ? r->terms + row->first : NULL;

	if (row->set == 1 || row->n < 2)
		return at_most_one(r, l, t, row->n, 1);
	qsort(t, (size_t)row->n, sizeof(*t), by_weight);
	for (int64_t i = 0; i < row->n; i++) {
		if (gpube__stopped(r->m->ctx))
			return r->in->status = gpube__fail_stopped(r->m->ctx);
		for (int64_t k = i + 2; k < row->n; k++) {
			if (gpube__in_charge(r->in, 1, PAIR_BYTES, "a set of %lld columns",
				    (long long)row->n) ||
				at_most_one(r, l, t + i, k - i + 1, k - i))
				return r->in->status;
		}
	}
	return GPUBE_OK;
}

int gpube__lp_model(struct gpube_lp *r)
{
	struct gpube_linear l = {.m = r->m, .sink = gpube__in_sink(r->in)};
	const int decimals = gpube__lp_decimals(r, 0, r->objective);
	const int64_t line = r->in->line;
	__int128 total = 0;
	int status = GPUBE_OK;

	if (!r->binary)
		status = gpube__lp_imply(r);
	for (int32_t k = 0; k < r->n_columns && !status; k++)
		status = add_column(r, &r->columns[k]);
	r->in->line = line;
	if (!status)
		status = gpube_model_set_scale(r->m, decimals);
	for (int64_t k = 0; k < r->objective && !status; k++)
		status = gpube__stopped(r->m->ctx) ? gpube__fail_stopped(r->m->ctx)
						   : add_cost(r, &r->terms[k], decimals, &total);
	for (int64_t k = 0; k < r->n_rows && !status; k++) {
		const struct gpube_lp_row *row = &r->rows[k];

		r->in->line = row->line;
		status = gpube__stopped(r->m->ctx) ? gpube__fail_stopped(r->m->ctx)
			 : row->set                ? add_set(r, &l, row)
						   : add_row(r, &l, row, row->relation);
	}
	gpube__linear_clear(&l);
	return status;
}
