/* Potentials as costs: values, scale, forbidden, sharing, names, failures. */
#include "tests/support/test.h"

#include <math.h>

#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

enum { N_BLOCKS = 24, N_SEEDS = 20 };

static struct gpube_model *new_model(int32_t domain, int n_vars)
{
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), 0);
	for (int i = 0; i < n_vars; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, domain, NULL), 0);
	return m;
}

/* ---- one function -------------------------------------------------------------- */

/* -ln(p) * 10^scale, rounded by hand from 40 decimals. */
static const struct {
	const char *name;
	double p;
	int scale;
	int64_t cost;
} rows[] = {
	{"one", 1, 12, 0},
	{"half_at_12", 0.5, 12, 693147180560},
	{"half_at_6", 0.5, 6, 693147},
	{"half_at_1", 0.5, 1, 7},
	{"two_is_negative", 2, 12, -693147180560},
	{"ten_at_9", 10, 9, -2302585093},
	{"tenth_at_9", 0.1, 9, 2302585093},
	{"zero_is_forbidden", 0, 12, GPUBE_INF},
	{"smallest_denormal", 5e-324, 3, 744440},
	{"smallest_denormal_at_10", 5e-324, 10, 7444400719214},
	{"largest_double", 1.7976931348623157e308, 10, -7097827128934},
	{"smallest_normal", 2.2250738585072014e-308, 6, 708396419},
	{"next_below_one", 0.99999999999999989, 12, 0},
	{"rounds_to_nearest", 0.6, 2, 51},
};

static void one_value(void **state)
{
	size_t k = (size_t)*state;
	struct gpube_model *m = new_model(2, 1), *q;
	double values[2] = {rows[k].p, 1};

	assert_int_equal(gpube_model_add_potentials(m, 1, (int32_t[]){0}, values), 0);
	assert_int_equal(gpube__quantise(&q, m, rows[k].scale), 0);
	assert_int_equal(q->scale, rows[k].scale);
	assert_int_equal(q->direction, GPUBE_MINIMISE);
	assert_int_equal(q->kind, GPUBE_COSTS);
	assert_true(q->constant == 0 && q->top == GPUBE_INF);
	assert_true(gpube__table_int(&q->tables[0], 0) == rows[k].cost);
	assert_true(gpube__table_int(&q->tables[0], 1) == 0);
	gpube_model_free(q);
	gpube_model_free(m);
}

static void automatic_scale(void **state)
{
	struct gpube_model *m = new_model(2, 1), *q;
	const double mild[] = {0.5, 0.25}, wild[] = {5e-324, 1};

	(void)state;
	assert_int_equal(gpube_model_add_potentials(m, 1, (int32_t[]){0}, mild), 0);
	assert_int_equal(gpube__quantise(&q, m, 0), 0);
	assert_int_equal(q->scale, 12);
	assert_int_equal(q->tables[0].type, GPUBE_INT64);
	gpube_model_free(q);
	/* 7,000 functions of up to 744 at 12 decimals pass 2^62, at 11 they do not */
	for (int f = 0; f < 7000; f++)
		assert_int_equal(gpube_model_add_potentials(m, 1, (int32_t[]){0}, wild), 0);
	assert_int_equal(gpube__quantise(&q, m, 0), 0);
	assert_int_equal(q->scale, 11);
	gpube_model_free(q);
	assert_int_equal(gpube__quantise(&q, m, 11), 0);
	gpube_model_free(q);
	assert_int_equal(gpube__quantise(&q, m, 12), GPUBE_ERANGE);
	assert_null(q);
	assert_non_null(strstr(gpube_error(ctx), "at most 11"));
	gpube_model_free(m);
}

static void bad_arguments(void **state)
{
	struct gpube_model *m = new_model(2, 1), *q, *costs;
	double values[] = {0.5, 0.25};

	(void)state;
	assert_int_equal(gpube_model_add_potentials(m, 1, (int32_t[]){0}, values), 0);
	assert_int_equal(gpube__quantise(&q, m, 13), GPUBE_ERANGE);
	assert_null(q);
	assert_int_equal(gpube__quantise(&q, m, -1), GPUBE_ERANGE);
	((double *)m->tables[0].values)[1] = -0.5;
	assert_int_equal(gpube__quantise(&q, m, 0), GPUBE_EINVAL);
	((double *)m->tables[0].values)[1] = NAN;
	assert_int_equal(gpube__quantise(&q, m, 0), GPUBE_EINVAL);
	gpube_model_free(m);
	assert_int_equal(gpube_model_new(&costs, ctx, GPUBE_COSTS), 0);
	assert_int_equal(gpube__quantise(&q, costs, 0), GPUBE_EINVAL);
	assert_null(q);
	gpube_model_free(costs);
}

static void narrowest_types(void **state)
{
	static const struct {
		double p;
		int scale;
		enum gpube_type type;
	} cases[] = {
		{0.5, 1, GPUBE_INT8},
		{0.5, 2, GPUBE_INT8},
		{0.5, 3, GPUBE_INT16},
		{0.5, 6, GPUBE_INT32},
		{0.5, 10, GPUBE_INT64},
		{0, 12, GPUBE_INT8},
	};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct gpube_model *m = new_model(2, 1), *q;
		double values[] = {1, cases[k].p};

		assert_int_equal(gpube_model_add_potentials(m, 1, (int32_t[]){0}, values), 0);
		assert_int_equal(gpube__quantise(&q, m, cases[k].scale), 0);
		assert_int_equal(q->tables[0].type, cases[k].type);
		gpube_model_free(q);
		gpube_model_free(m);
	}
}

/* ---- the whole model --------------------------------------------------------------- */

static void keeps_everything_else(void **state)
{
	struct gpube_model *m, *q;
	struct gpube_table t = {.type = GPUBE_FLOAT32, .sparse = true, .arity = 2, .n = 1};
	int32_t table;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), 0);
	m->name = gpube__strdup(ctx, "net");
	assert_int_equal(gpube_model_add_var(m, NULL, 2, "a"), 0);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, "c"), 0);
	m->vars[2].value_names = gpube__alloc_zero(ctx, 2, sizeof(char *));
	m->vars[2].value_names[0] = gpube__strdup(ctx, "off");
	m->vars[2].value_names[1] = gpube__strdup(ctx, "on");
	m->evidence = gpube__alloc(ctx, 3, sizeof(int32_t));
	memcpy(m->evidence, (int32_t[]){-1, 1, -1}, 3 * sizeof(int32_t));
	t.tuples = gpube__alloc(ctx, 2, sizeof(int32_t));
	memcpy(t.tuples, (int32_t[]){1, 0}, 2 * sizeof(int32_t));
	t.values = gpube__alloc(ctx, 1, sizeof(float));
	*(float *)t.values = 0.5f;
	t.dflt.f = 0;
	assert_int_equal(gpube__add_table(m, &table, &t), 0);
	assert_int_equal(gpube__add_function(m, 2, (int32_t[]){0, 1}, table, "f"), 0);
	assert_int_equal(gpube__add_function(m, 2, (int32_t[]){2, 1}, table, NULL), 0);
	assert_int_equal(gpube__quantise(&q, m, 3), 0);
	assert_int_equal(q->n_tables, 1);
	assert_int_equal(q->tables[0].n_users, 2);
	assert_true(q->tables[0].sparse && q->tables[0].n == 1);
	assert_true(q->tables[0].dflt.i == GPUBE_INF);
	assert_true(gpube__table_int(&q->tables[0], 0) == 693);
	assert_memory_equal(q->tables[0].tuples, t.tuples, 2 * sizeof(int32_t));
	assert_memory_equal(q->evidence, m->evidence, 3 * sizeof(int32_t));
	assert_memory_equal(gpube__scope(q, 1), gpube__scope(m, 1), 2 * sizeof(int32_t));
	assert_string_equal(q->name, "net");
	assert_string_equal(q->vars[0].name, "a");
	assert_null(q->vars[1].name);
	assert_string_equal(q->vars[2].value_names[1], "on");
	assert_string_equal(q->functions[0].name, "f");
	gpube_model_free(q);
	gpube_model_free(m);
}

static void empty_model(void **state)
{
	struct gpube_model *m = new_model(1, 0), *q;
	double two = 2;
	int64_t cost;

	(void)state;
	assert_int_equal(gpube_model_add_potentials(m, 0, NULL, &two), 0);
	assert_int_equal(gpube__quantise(&q, m, 4), 0);
	assert_int_equal(gpube_model_cost(&cost, q, NULL), 0);
	assert_true(cost == -6931);
	gpube_model_free(q);
	gpube_model_free(m);
}

/* Every total is within n_functions / 2 units of -ln of the product, and 0 is forbidden. */
static void check_totals(uint64_t seed)
{
	struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
	struct gpube_model *m = random_model(ctx, &spec, seed), *q;
	int scale = (int)(seed % 10);
	int32_t *x;
	double log_value, unit;
	int64_t cost;

	assert_non_null(m);
	x = gpube__alloc_zero(ctx, (uint64_t)m->n_vars, sizeof(*x));
	assert_int_equal(gpube__quantise(&q, m, scale), 0);
	unit = pow(10, q->scale);
	do {
		assert_int_equal(gpube_model_log_value(&log_value, m, x), 0);
		assert_int_equal(gpube_model_cost(&cost, q, x), 0);
		if (log_value == -INFINITY || cost == GPUBE_INF)
			assert_true(log_value == -INFINITY && cost == GPUBE_INF);
		else /* the sum of logarithms was itself rounded to a double */
			assert_true(fabs((double)cost + log_value * unit) <=
				    0.51 * m->n_functions + fabs(log_value) * unit * 0x1p-50);
	} while (next_assignment(x, m));
	gpube__free(ctx, x);
	gpube_model_free(q);
	gpube_model_free(m);
}

static void totals(void **state)
{
	for (uint64_t k = 0; k < N_SEEDS; k++)
		check_totals((size_t)*state * N_SEEDS + k);
}

/* ---- the last check ------------------------------------------------------------------- */

/* What is found is what the model says, within the rounding of potentials; more is our bug. */
static void check_cost(void **state)
{
	(void)state;
	for (uint64_t k = 0; k < N_SEEDS; k++) {
		const struct random_spec spec =
			random_spec_varied(k, k % 2 ? GPUBE_POTENTIALS : GPUBE_COSTS);
		struct gpube_model *m = random_model(ctx, &spec, k), *q = m;
		const int scale = k % 2 ? 6 : m->scale;
		int32_t values[64] = {0};
		int64_t cost, off = 1;

		if (k % 2) {
			assert_int_equal(gpube__quantise(&q, m, scale), 0);
			off = 2 * gpube__rounding_error(m) + 3;
		}
		for (int32_t i = 0; i < m->n_vars; i++)
			values[i] = (int32_t)((k + (uint64_t)i) % (uint64_t)m->vars[i].domain);
		assert_int_equal(gpube_model_cost(&cost, q, values), 0);
		if (cost != GPUBE_INF) {
			assert_int_equal(gpube__check_cost(m, values, cost, scale), 0);
			assert_int_equal(
				gpube__check_cost(m, values, cost + off, scale), GPUBE_EBUG);
			assert_int_equal(
				gpube__check_cost(m, values, cost - off, scale), GPUBE_EBUG);
		} else {
			assert_int_equal(gpube__check_cost(m, values, 0, scale), GPUBE_EBUG);
		}
		if (q != m)
			gpube_model_free(q);
		gpube_model_free(m);
	}
}

/* ---- memory ------------------------------------------------------------------------ */

static void out_of_memory(void **state)
{
	struct test_memory memory = {.fail_at = -1};
	struct random_spec spec = random_spec_default();
	struct gpube_model *m, *q;
	struct gpube_ctx *own = test_memory_ctx(&memory);
	long live;
	int status;

	(void)state;
	spec.kind = GPUBE_POTENTIALS;
	spec.sparse = 0.5;
	spec.names = true;
	spec.observed = 0.5;
	m = random_model(own, &spec, 1);
	assert_non_null(m);
	m->vars[0].value_names =
		gpube__alloc_zero(own, (uint64_t)m->vars[0].domain, sizeof(char *));
	for (int32_t a = 0; a < m->vars[0].domain; a++)
		m->vars[0].value_names[a] = gpube__strdup(own, "value");
	live = memory.live;
	for (long k = 0;; k++) {
		memory.n = 0;
		memory.fail_at = k;
		status = gpube__quantise(&q, m, 0);
		if (!status)
			break;
		assert_int_equal(status, GPUBE_ENOMEM);
		assert_null(q);
		assert_true(memory.live == live);
	}
	assert_true(memory.fail_at > 20);
	gpube_model_free(q);
	assert_true(memory.live == live);
	gpube_model_free(m);
	assert_true(memory.live == 0);
	gpube_ctx_free(own);
}

/* ---- main ---------------------------------------------------------------------------- */

int main(void)
{
	struct cases c = {0};

	ADD_CASE(&c, automatic_scale);
	ADD_CASE(&c, bad_arguments);
	ADD_CASE(&c, check_cost);
	ADD_CASE(&c, narrowest_types);
	ADD_CASE(&c, keeps_everything_else);
	ADD_CASE(&c, empty_model);
	ADD_CASE(&c, out_of_memory);
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		add_case(&c, one_value, (void *)k, "value_%s", rows[k].name);
	for (size_t k = 0; k < N_BLOCKS; k++)
		add_case(&c, totals, (void *)k, "totals_of_seeds_%zu_to_%zu", k * N_SEEDS,
			(k + 1) * N_SEEDS - 1);
	return run_cases(&c, "quantise", ctx_setup, ctx_teardown);
}
