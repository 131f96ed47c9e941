/* reals.c - tables of doubles become integers. See reals.h. */
#include "formats/common/reals.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "formats/common/reading.h"
#include "gpube/ir/tuples.h"

enum { MAX_DECIMALS = 12 };

static const long double ten[MAX_DECIMALS + 1] = {
	1e0L, 1e1L, 1e2L, 1e3L, 1e4L, 1e5L, 1e6L, 1e7L, 1e8L, 1e9L, 1e10L, 1e11L, 1e12L};

/* Tables may also hold integers. */
static double value_at(const struct gpube_table *t, int64_t k)
{
	const int64_t i = t->type == GPUBE_FLOAT64 ? 0 : k < 0 ? t->dflt.i : gpube__table_int(t, k);

	if (t->type != GPUBE_FLOAT64)
		return i == GPUBE_INF ? INFINITY : (double)i;
	return k < 0 ? t->dflt.f : ((const double *)t->values)[k];
}

/* Is v a number of d decimals, as far as a double can tell? */
static bool has_decimals(double v, int d)
{
	long double x = fabsl((long double)v) * ten[d];

	return fabsl(x - roundl(x)) <= x * 0x1p-50L;
}

/* What the model's scale is chosen by. */
struct range {
	int decimals;      /* that are wanted */
	long double total; /* no total's absolute value is larger */
};

static void look_at(struct range *r, double v)
{
	while (r->decimals < MAX_DECIMALS && !has_decimals(v, r->decimals))
		r->decimals++;
}

static void look_at_table(struct range *r, const struct gpube_table *t)
{
	double most = 0;

	for (int64_t k = t->sparse ? -1 : 0; k < t->n; k++) {
		double v = value_at(t, k);

		if (isinf(v))
			continue;
		look_at(r, v);
		most = fmax(most, fabs(v));
	}
	r->total += (long double)most * t->n_users;
}

static int64_t to_cost(double v, int decimals, bool *rounded)
{
	if (isinf(v))
		return GPUBE_INF;
	*rounded = *rounded || !has_decimals(v, decimals);
	return (int64_t)roundl((long double)v * ten[decimals]);
}

static int convert_table(struct gpube_ctx *ctx, struct gpube_table *t, int decimals, bool *rounded)
{
	struct gpube_values v = {0};

	if (gpube__values_reserve(ctx, &v, t->n))
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < t->n; k++)
		if (gpube__values_push(ctx, &v, to_cost(value_at(t, k), decimals, rounded))) {
			gpube__values_clear(ctx, &v);
			return GPUBE_ENOMEM;
		}
	if (t->sparse)
		t->dflt.i = to_cost(value_at(t, -1), decimals, rounded);
	gpube__free(ctx, t->values);
	t->values = v.values;
	t->type = v.type;
	return GPUBE_OK;
}

int gpube__reals_to_costs(struct gpube_model *m, struct gpube_in *in, double constant, int decimals)
{
	struct range r = {.decimals = decimals < MAX_DECIMALS ? decimals : MAX_DECIMALS,
		.total = fabsl((long double)constant)};
	bool rounded = false;

	look_at(&r, constant);
	for (int32_t t = 0; t < m->n_tables; t++)
		look_at_table(&r, &m->tables[t]);
	while (r.decimals > 0 && r.total * ten[r.decimals] + m->n_functions >= 0x1p62L)
		r.decimals--;
	if (r.total + m->n_functions >= 0x1p62L)
		return gpube__in_fail(in, GPUBE_ERANGE, "totals of the costs pass 2^62");
	for (int32_t t = 0; t < m->n_tables; t++)
		if (convert_table(m->ctx, &m->tables[t], r.decimals, &rounded))
			return in->status = GPUBE_ENOMEM;
	m->constant += to_cost(constant, r.decimals, &rounded);
	m->scale = r.decimals;
	if (rounded)
		gpube__log(m->ctx, GPUBE_LOG_NOTE, "%s: costs are rounded to %d decimal%s",
			in->path, r.decimals, gpube__plural(r.decimals));
	return GPUBE_OK;
}

int gpube__put_potential(struct gpube_in *in, double *values, int64_t k, double v, const char *text,
	size_t n, int *power)
{
	char copy[256];
	double small, most = v;
	bool is_small = false;

	values[k] = v;
	if (v > 0 && v < DBL_MIN && n < sizeof(copy)) {
		memcpy(copy, text, n);
		copy[n] = 0;
		is_small = gpube__small_real(&small, copy);
	}
	if (!is_small && !*power)
		return GPUBE_OK;
	/* from here on all of them are larger, those that are there, too */
	for (int64_t i = *power ? k : 0; i <= k; i++) {
		values[i] = ldexp(values[i], -GPUBE_SMALL);
		most = fmax(most, values[i]);
	}
	*power = GPUBE_SMALL;
	if (is_small)
		values[k] = small;
	return isinf(most) ? gpube__in_fail(in, GPUBE_ERANGE,
				     "a table has potentials below 2.2e-308 and above 9.7e288: no "
				     "double has room for both")
			   : GPUBE_OK;
}

int gpube__reals_add(
	struct gpube_model *m, int arity, const int32_t *scope, double *values, const char *name)
{
	struct gpube_table t = {.type = GPUBE_FLOAT64,
		.arity = arity,
		.n = gpube__cells(m, arity, scope),
		.values = values};
	int32_t index;

	if (gpube__add_table(m, &index, &t))
		return GPUBE_ENOMEM;
	return gpube__add_function(m, arity, scope, index, name);
}

/* The sparse table with sorted tuples as a dense one. */
static int densify(
	struct gpube_ctx *ctx, struct gpube_table *t, const int32_t *domains, int64_t cells)
{
	double *values = gpube__alloc(ctx, (uint64_t)cells, sizeof(*values));
	int64_t cell;

	if (!values)
		return GPUBE_ENOMEM;
	for (cell = 0; cell < cells; cell++)
		values[cell] = t->dflt.f;
	for (int64_t k = 0; k < t->n; k++) {
		cell = 0;
		for (int i = 0; i < t->arity; i++)
			cell = cell * domains[i] + t->tuples[k * t->arity + i];
		values[cell] = ((const double *)t->values)[k];
	}
	gpube__free(ctx, t->values);
	gpube__free(ctx, t->tuples);
	t->values = values;
	t->tuples = NULL;
	t->n = cells;
	t->sparse = false;
	return GPUBE_OK;
}

int gpube__weights_add(
	struct gpube_model *m, struct gpube_weights *w, const int32_t *tuple, double value)
{
	const int64_t n = w->arity;

	if (gpube__grow(
		    m->ctx, &w->tuples, &w->tuples_capacity, (w->n + 1) * n, sizeof(*w->tuples)) ||
		gpube__grow(m->ctx, &w->values, &w->values_capacity, w->n + 1, sizeof(*w->values)))
		return GPUBE_ENOMEM;
	memcpy(w->tuples + w->n * n, tuple, (size_t)n * sizeof(*tuple));
	w->values[w->n++] = value;
	return GPUBE_OK;
}

int gpube__weights_finish(struct gpube_model *m, struct gpube_in *in, struct gpube_weights *w,
	double dflt, const char *name, int64_t *bad)
{
	struct gpube_ctx *ctx = m->ctx;
	struct gpube_table t = {.type = GPUBE_FLOAT64,
		.sparse = true,
		.arity = w->arity,
		.n = w->n,
		.values = w->values,
		.tuples = w->tuples,
		.dflt.f = dflt};
	int32_t *domains = gpube__alloc(ctx, (uint64_t)t.arity + 1, sizeof(*domains)), table;
	const int64_t cells = gpube__cells(m, t.arity, w->scope);
	int status = GPUBE_ENOMEM;

	*bad = -1;
	if (!domains)
		goto out;
	for (int k = 0; k < t.arity; k++)
		domains[k] = m->vars[w->scope[k]].domain;
	status = gpube__charge_dense(in, t.arity, domains);
	if (!status)
		status = gpube__sort_tuples(ctx, &t, bad);
	if (!status && *bad < 0 && isnan(dflt) && t.n != cells)
		*bad = t.n;
	if (!status && *bad < 0 && cells >= 0 &&
		((t.arity <= GPUBE_FILLED_ARITY && cells <= GPUBE_FILLED_CELLS) ||
			cells / 4 <= t.n * (t.arity + 1)))
		status = densify(ctx, &t, domains, cells);
	if (!status && *bad < 0) {
		status = gpube__add_table(m, &table, &t);
		t.values = t.tuples = NULL; /* it has them */
		if (!status)
			status = gpube__add_function(m, t.arity, w->scope, table, name);
	}
out:
	GPUBE_FREE_ALL(ctx, domains, t.values, t.tuples);
	return status;
}
