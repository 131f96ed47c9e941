/*
 * quantise.c - potentials that are multiplied become integer costs that are
 * added: cost = round(-ln(potential) * 10^scale). See gpube__quantise(). And
 * integer costs lose digits: gpube__divide(); or all but what is forbidden: gpube__hard().
 *
 * Error. |ln p| < 745.2 for every positive double, so cost < 2^50 at 12
 * decimals. Where long double has 64 bits of mantissa, logl() and the product
 * are each off by at most an ulp, together less than 2^-13 units: two C libraries
 * agree unless the exact cost lies within 2^-13 of a tie. The double that a file's
 * number became is off by 2^-53 of it, which is less than 2^-13 units, too, for
 * numbers below 2^-1022 have 53 bits as well (model.h): a cost is within
 * 0.5 + 2^-12 of that of the number as it is written. Where long double is a double
 * the errors are 0.2 units at 12 decimals, 0.02 at 11.
 */
#include "gpube/ir/model.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* As it is stored. */
static double potential(const struct gpube_table *t, int64_t k)
{
	return k < 0 ? t->dflt.f : gpube__table_stored(t, k);
}

/* The largest |ln p| of a table's positive potentials; 0 if there is none. */
static int largest_log(struct gpube_ctx *ctx, long double *out, const struct gpube_table *t)
{
	double least = INFINITY, most = 0;
	int64_t at_least = 0, at_most = 0;

	for (int64_t k = t->sparse ? -1 : 0; k < t->n; k++) {
		double p = potential(t, k);

		if (!(p >= 0) || isinf(p))
			return gpube__fail(ctx, GPUBE_EINVAL,
				"potential %g: a finite number >= 0 is needed", p);
		if (p > most) {
			most = p;
			at_most = k;
		}
		if (p > 0 && p < least) {
			least = p;
			at_least = k;
		}
	}
	*out = most > 0 ? fmaxl(fabsl(gpube__table_ln(t, at_least)),
				  fabsl(gpube__table_ln(t, at_most)))
			: 0;
	return GPUBE_OK;
}

/* Some milliseconds: a logarithm is slow. */
enum { VALUES_BETWEEN_LOOKS = 1 << 16, TABLES_BETWEEN_LOOKS = 1 << 10 };

/*
 * Sets *scale (0: chooses it) so that the sum over all functions of the largest
 * |cost| stays below 2^62. Every cost is counted one unit larger than it can be
 * after rounding.
 */
static int choose_scale(const struct gpube_model *m, int *scale)
{
	long double sum_log = 0, unit = 1, log = 0;
	int most = 0, status;

	if (*scale < 0 || *scale > GPUBE__MOST_DECIMALS)
		return gpube__fail(m->ctx, GPUBE_ERANGE, "a precision of %d decimals: 1 to %d",
			*scale, GPUBE__MOST_DECIMALS);
	for (int32_t i = 0; i < m->n_tables; i++) {
		status = largest_log(m->ctx, &log, &m->tables[i]);
		if (status)
			return status;
		sum_log += log * m->tables[i].n_users;
	}
	while (most < GPUBE__MOST_DECIMALS && sum_log * (unit * 10) + m->n_functions < 0x1p62L) {
		unit *= 10;
		most++;
	}
	if (*scale > most)
		return gpube__fail(m->ctx, GPUBE_ERANGE,
			"a precision of %d decimals lets totals pass 2^62: at most %d", *scale,
			most);
	if (*scale == 0)
		*scale = most;
	return GPUBE_OK;
}

static int64_t cost_of(const struct gpube_table *t, int64_t k, long double unit)
{
	const double p = potential(t, k);

	if (p == 0)
		return GPUBE_INF;
	if (p == 1 && !t->power)
		return 0;
	return (int64_t)roundl(-gpube__table_ln(t, k) * unit); /* ties away from zero */
}

/*
 * What becomes of a value: a potential's -ln in units of 1 / unit, or a cost over 'divisor'; with
 * limits 0, or forbidden from its table's limit on.
 */
struct rounding {
	long double unit;
	int64_t divisor; /* 0: potentials */
	const struct gpube_model *of;
	const int64_t *limits; /* by table of 'of', for costs to minimise */
};

/* Ties away from zero. */
static int64_t divide(int64_t v, int64_t divisor)
{
	int64_t rest = v % divisor;

	if (v == GPUBE_INF)
		return v;
	v /= divisor;
	if (rest >= divisor - rest)
		v++;
	else if (-rest >= divisor + rest)
		v--;
	return v;
}

/* A value as one to minimise; GPUBE_INF: forbidden. */
static int64_t minimised(const struct gpube_model *m, const struct gpube_table *t, int64_t k)
{
	int64_t v;

	if (m->kind == GPUBE_POTENTIALS)
		return potential(t, k) > 0 ? 0 : GPUBE_INF;
	v = k < 0 ? t->dflt.i : gpube__table_int(t, k);
	return v == GPUBE_INF || m->direction == GPUBE_MINIMISE ? v : -v;
}

static int64_t rounded(const struct gpube_table *t, int64_t k, const struct rounding *r)
{
	if (r->limits)
		return minimised(r->of, t, k) < r->limits[t - r->of->tables] ? 0 : GPUBE_INF;
	if (r->divisor)
		return divide(k < 0 ? t->dflt.i : gpube__table_int(t, k), r->divisor);
	return cost_of(t, k, r->unit);
}

static bool same_value(const struct gpube_table *t, int64_t k)
{
	if (gpube__type_is_int(t->type))
		return gpube__table_int(t, k) == gpube__table_int(t, k - 1);
	return potential(t, k) == potential(t, k - 1);
}

static int add_table(
	struct gpube_model *costs, const struct gpube_table *t, const struct rounding *r)
{
	struct gpube_ctx *ctx = costs->ctx;
	struct gpube_table copy = {.sparse = t->sparse, .arity = t->arity, .n = t->n};
	struct gpube_values v = {0};
	int64_t cost = 0;
	int32_t at;

	if (gpube__values_reserve(ctx, &v, t->n))
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < t->n; k++) {
		if (k == 0 || !same_value(t, k)) /* neighbours often are, and logarithms slow */
			cost = rounded(t, k, r);
		if (gpube__values_push(ctx, &v, cost))
			goto nomem;
		if (k % VALUES_BETWEEN_LOOKS == VALUES_BETWEEN_LOOKS - 1 && gpube__stopped(ctx)) {
			gpube__values_clear(ctx, &v);
			return gpube__fail_stopped(ctx);
		}
	}
	if (t->sparse) {
		copy.dflt.i = rounded(t, -1, r);
		copy.tuples = gpube__alloc(
			ctx, (uint64_t)t->n * (uint64_t)t->arity, sizeof(*copy.tuples));
		if (!copy.tuples)
			goto nomem;
		if (t->n)
			memcpy(copy.tuples, t->tuples,
				(size_t)t->n * (size_t)t->arity * sizeof(*copy.tuples));
	}
	copy.type = v.type;
	copy.values = v.values;
	return gpube__add_table(costs, &at, &copy);
nomem:
	gpube__values_clear(ctx, &v);
	return GPUBE_ENOMEM;
}

/* A model of costs with m's variables and functions, its values rounded. */
static int round_model(
	struct gpube_model **out, const struct gpube_model *m, int scale, const struct rounding *r)
{
	struct gpube_model *costs;
	int status = gpube_model_new(&costs, m->ctx, GPUBE_COSTS);

	if (status)
		return status;
	costs->scale = scale;
	status = gpube__copy_variables(costs, m);
	for (int32_t i = 0; !status && i < m->n_tables; i++)
		if (i % TABLES_BETWEEN_LOOKS == TABLES_BETWEEN_LOOKS - 1 && gpube__stopped(m->ctx))
			status = gpube__fail_stopped(m->ctx);
		else
			status = add_table(costs, &m->tables[i], r);
	for (int32_t f = 0; !status && f < m->n_functions; f++)
		status = gpube__add_function(costs, m->functions[f].arity, gpube__scope(m, f),
			m->functions[f].table, m->functions[f].name);
	if (status) {
		gpube_model_free(costs);
		return status;
	}
	*out = costs;
	return GPUBE_OK;
}

int gpube__quantise(struct gpube_model **out, const struct gpube_model *m, int scale)
{
	struct rounding r = {.unit = 1};
	int status;

	*out = NULL;
	if (m->kind != GPUBE_POTENTIALS)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "a model of costs has no potentials");
	status = choose_scale(m, &scale);
	if (status)
		return status;
	for (int k = 0; k < scale; k++)
		r.unit *= 10;
	return round_model(out, m, scale, &r);
}

/* Half a unit a function, and what logarithms are off by: see above. */
int64_t gpube__rounding_error(const struct gpube_model *m)
{
	const int64_t n = m->n_functions;

	return LDBL_MANT_DIG >= 64 ? (n * 2049 + 4095) / 4096 : (n * 3 + 3) / 4;
}

/* Rounded so that no total that was below the bound gets excluded by rounding the bound. */
static int64_t divide_top(const struct gpube_model *m, int64_t divisor)
{
	int64_t v = m->top / divisor;

	if (m->top == GPUBE_INF || m->top == -GPUBE_INF)
		return m->top;
	if (m->direction == GPUBE_MINIMISE)
		return v + (m->top % divisor > 0);
	return v - (m->top % divisor < 0);
}

int gpube__divide(struct gpube_model **out, const struct gpube_model *m, int digits)
{
	struct rounding r = {.divisor = 1};
	int status;

	*out = NULL;
	if (m->kind != GPUBE_COSTS || digits < 0 || digits > 18)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "costs can lose 0 to 18 digits");
	for (int k = 0; k < digits; k++)
		r.divisor *= 10;
	status = round_model(out, m, m->scale > digits ? m->scale - digits : 0, &r);
	if (status)
		return status;
	(*out)->direction = m->direction;
	(*out)->constant = divide(m->constant, r.divisor);
	(*out)->top = divide_top(m, r.divisor);
	return GPUBE_OK;
}

/* The least and the largest value of a table that is below the limit; least > most: none is. */
static void range_of(int64_t *least, int64_t *most, const struct gpube_model *m,
	const struct gpube_table *t, int64_t limit)
{
	*least = INT64_MAX;
	*most = INT64_MIN;
	for (int64_t k = t->sparse ? -1 : 0; k < t->n; k++) {
		const int64_t v = minimised(m, t, k);

		if (v >= limit)
			continue;
		*least = v < *least ? v : *least;
		*most = v > *most ? v : *most;
	}
}

/* From where on a value of each table lets every total reach top. */
static int find_limits(int64_t *limits, const struct gpube_model *m)
{
	const int sign = m->direction == GPUBE_MAXIMISE ? -1 : 1;
	const bool any = m->kind == GPUBE_COSTS && m->top != sign * GPUBE_INF;
	__int128 least = sign * (__int128)m->constant, most = least;
	const __int128 top = sign * (__int128)m->top;
	int64_t lo, hi;
	bool none = m->n_functions == 0; /* is allowed at all, if top is reached */

	for (int32_t i = 0; i < m->n_tables; i++) {
		range_of(&lo, &hi, m, &m->tables[i], GPUBE_INF);
		least += lo <= hi ? (__int128)lo * m->tables[i].n_users : 0;
		limits[i] = GPUBE_INF;
	}
	for (int32_t i = 0; i < m->n_tables && any; i++) {
		__int128 limit = top - least;

		range_of(&lo, &hi, m, &m->tables[i], GPUBE_INF);
		limit += lo <= hi ? lo : 0;
		if (m->tables[i].n_users > 0 && limit < GPUBE_INF)
			limits[i] = limit < -GPUBE_INF ? -GPUBE_INF : (int64_t)limit;
		range_of(&lo, &hi, m, &m->tables[i], limits[i]);
		most += lo <= hi ? (__int128)hi * m->tables[i].n_users : 0;
		none = none || (lo > hi && m->tables[i].n_users > 0);
	}
	if (!any || most < top || none)
		return GPUBE_OK;
	return gpube__fail(m->ctx, GPUBE_EINVAL,
		"costs that are allowed can add up to the model's top, from which on totals are "
		"forbidden: such solutions cannot be counted");
}

int gpube__hard(struct gpube_model **out, const struct gpube_model *m)
{
	int64_t *limits = gpube__alloc(m->ctx, (uint64_t)m->n_tables, sizeof(*limits));
	const struct rounding r = {.of = m, .limits = limits};
	int status = limits ? find_limits(limits, m) : GPUBE_ENOMEM;

	*out = NULL;
	if (!status)
		status = round_model(out, m, 0, &r);
	if (!status && m->kind == GPUBE_COSTS && m->n_functions == 0 &&
		gpube__reaches_top(m, m->constant))
		(*out)->constant = (*out)->top = 0;
	gpube__free(m->ctx, limits);
	return status;
}

int gpube__check_cost(const struct gpube_model *m, const int32_t *values, int64_t cost, int scale)
{
	double log_value, units;
	int64_t again;
	bool same;
	int status;

	if (m->kind == GPUBE_COSTS) {
		status = gpube_model_cost(&again, m, values);
		same = !status && again == cost;
	} else {
		status = gpube_model_log_value(&log_value, m, values);
		units = status ? 0 : -log_value * pow(10, scale);
		/* an impossible assignment has no number of units, and is never the same */
		same = fabs(units - (double)cost) <=
		       (double)gpube__rounding_error(m) + 1 + 1e-9 * fmin(fabs(units), DBL_MAX);
	}
	if (status || same)
		return status;
	return gpube__fail(m->ctx, GPUBE_EBUG,
		"internal error: the assignment does not cost what was found; please report this");
}

int gpube__costs_of(struct gpube_model **made, const struct gpube_model **costs,
	const struct gpube_model *m, int precision)
{
	int status = GPUBE_OK;

	*made = NULL;
	if (m->kind == GPUBE_POTENTIALS)
		status = gpube__quantise(made, m, precision);
	*costs = *made ? *made : m;
	return status;
}
