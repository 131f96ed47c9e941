/* test_api_formats.c - wrong calls of every function of formats.h: see wrong_calls.h. */
#include "tests/support/wrong_calls.h"
#include "gpube/options/options.h"

#include "formats/formats.h"
#include "gpube/globals.h"

static int read_with(const struct gpube_opts *o)
{
	struct gpube_model *x = m;
	const int status = gpube_read(&x, ctx, "examples/zebra.wcsp", o);

	assert_null(x);
	return status;
}

WRONG(gpube_read)
{
	REFUSED(gpube_read(NULL, ctx, "examples/zebra.wcsp", NULL));
	NOT_MADE(struct gpube_model, x, gpube_read(&x, NULL, "examples/zebra.wcsp", NULL));
	NOT_MADE(struct gpube_model, x, gpube_read(&x, ctx, NULL, NULL));
	wrong_options("gpube_read", read_with);
}

static int write_with(const struct gpube_opts *o)
{
	NOT_WRITTEN("a.wcsp", gpube_write(m, to, o, NULL));
	return GPUBE_EINVAL;
}

WRONG(gpube_write)
{
	REFUSED(gpube_write(m, NULL, NULL, NULL));
	REFUSED(gpube_write(m, "", NULL, NULL));
	NOT_WRITTEN("a.wcsp", gpube_write(NULL, to, NULL, NULL));
	NOT_WRITTEN("a.none", gpube_write(m, to, NULL, NULL));
	NOT_WRITTEN(
		"a.wcsp", gpube_write(m, to, &(struct gpube_opts){.to = GPUBE_FORMAT_YAML}, NULL));
	wrong_options("gpube_write", write_with);
}

WRONG(gpube_read_order)
{
	int32_t order[2] = {77, 77};

	REFUSED(gpube_read_order(NULL, m, "/dev/null"));
	REFUSED(gpube_read_order(order, NULL, "/dev/null"));
	REFUSED(gpube_read_order(order, m, NULL));
	assert_int_equal(order[0], 77);
}

WRONG(gpube_write_order)
{
	REFUSED(gpube_write_order(m, NULL, two));
	NOT_WRITTEN("a.order", gpube_write_order(NULL, to, two));
	NOT_WRITTEN("a.order", gpube_write_order(m, to, NULL));
	NOT_WRITTEN("a.order", gpube_write_order(m, to, twice));
	NOT_WRITTEN("a.order", gpube_write_order(m, to, none_such));
	NOT_WRITTEN("a.cov", gpube_write_order(m, to, twice));
}

WRONG(gpube_write_solution)
{
	REFUSED(gpube_write_solution(m, NULL, two));
	NOT_WRITTEN("a.sol", gpube_write_solution(NULL, to, two));
	NOT_WRITTEN("a.sol", gpube_write_solution(m, to, NULL));
	NOT_WRITTEN("a.sol", gpube_write_solution(m, to, none_such));
	NOT_WRITTEN("a.sol", gpube_write_solution(m, to, below));
}

WRONG(gpube_read_solution)
{
	int32_t values[2] = {77, 77};

	REFUSED(gpube_read_solution(NULL, m, "/dev/null"));
	REFUSED(gpube_read_solution(values, NULL, "/dev/null"));
	REFUSED(gpube_read_solution(values, m, NULL));
	assert_int_equal(values[0], 77);
}

/* Decompositions that are none, of a model of two variables. */
static int32_t parents[][2] = {{-1, 1}, {-2, 0}, {0, 0}, {-1, 0}, {-1, 0}, {-1, 0}};
static int64_t firsts[][3] = {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 2, 1}, {0, 1, 2}, {1, 1, 2}};
static int32_t lists[][2] = {{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 2}, {0, 1}};

static struct gpube_decomposition decomposition(int k)
{
	return (struct gpube_decomposition){2, parents[k], firsts[k], lists[k]};
}

WRONG(gpube_order_of_decomposition)
{
	struct gpube_decomposition d = decomposition(0);
	int32_t order[2] = {77, 77};

	REFUSED(gpube_order_of_decomposition(NULL, m, &d));
	REFUSED(gpube_order_of_decomposition(order, NULL, &d));
	REFUSED(gpube_order_of_decomposition(order, m, NULL));
	for (int k = 0; k < 6; k++) {
		d = decomposition(k);
		REFUSED(gpube_order_of_decomposition(order, m, &d));
	}
	d = (struct gpube_decomposition){.n_clusters = -1};
	REFUSED(gpube_order_of_decomposition(order, m, &d));
	d = (struct gpube_decomposition){.n_clusters = 2};
	REFUSED(gpube_order_of_decomposition(order, m, &d));
	assert_int_equal(order[0], 77);
}

WRONG(gpube_decomposition_of_order)
{
	REFUSED(gpube_decomposition_of_order(NULL, m, two));
	NOT_MADE(struct gpube_decomposition, d, gpube_decomposition_of_order(&d, NULL, two));
	NOT_MADE(struct gpube_decomposition, d, gpube_decomposition_of_order(&d, m, NULL));
	NOT_MADE(struct gpube_decomposition, d, gpube_decomposition_of_order(&d, m, twice));
	NOT_MADE(struct gpube_decomposition, d, gpube_decomposition_of_order(&d, m, none_such));
}

WRONG(gpube_read_uai_result)
{
	REFUSED(gpube_read_uai_result(NULL, ctx, "/dev/null"));
	NOT_MADE(struct gpube_uai_result, r, gpube_read_uai_result(&r, NULL, "/dev/null"));
	NOT_MADE(struct gpube_uai_result, r, gpube_read_uai_result(&r, ctx, NULL));
}

WRONG(gpube_write_uai_result)
{
	int32_t good[] = {1, 2}, bad[] = {1, -2};
	double p[] = {.5, .5, 1};
	const struct gpube_uai_result rows[] = {
		{.task = (enum gpube_uai_task)4},
		{.task = (enum gpube_uai_task) - 1},
		{.task = GPUBE_UAI_MPE, .n = -1, .values = good},
		{.task = GPUBE_UAI_MPE, .n = 2},
		{.task = GPUBE_UAI_MPE, .n = 2, .values = bad},
		{.task = GPUBE_UAI_MAP, .n = 2, .values = good},
		{.task = GPUBE_UAI_MAR, .n = 2, .domains = good},
		{.task = GPUBE_UAI_MAR, .n = 2, .domains = bad, .marginals = p},
	};

	REFUSED(gpube_write_uai_result(ctx, NULL, &rows[4]));
	NOT_WRITTEN("a.MPE", gpube_write_uai_result(NULL, to, &rows[4]));
	NOT_WRITTEN("a.MPE", gpube_write_uai_result(ctx, to, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_WRITTEN("a.MPE", gpube_write_uai_result(ctx, to, &rows[k]));
}

WRONG(gpube_model_add_tuples)
{
	static const int64_t costs[] = {1, 2};

	REFUSED(gpube_model_add_tuples(NULL, 2, two, 0, 1, two, costs));
	REFUSED(gpube_model_add_tuples(potentials, 2, two, 0, 1, none_such, costs));
	REFUSED(gpube_model_add_tuples(m, 2, two, 0, 1, NULL, costs));
	REFUSED(gpube_model_add_tuples(m, 2, two, 0, 1, below, NULL));
	REFUSED(gpube_model_add_tuples(m, 2, none_such, 0, 0, NULL, NULL));
	REFUSED(gpube_model_add_tuples(m, -1, two, 0, 0, NULL, NULL));
	REFUSED(gpube_model_add_tuples(m, 2, two, INT64_MIN, 0, NULL, NULL));
}

WRONG(gpube_model_add_linear)
{
	static const struct gpube_term term = {0, 0, 1};

	REFUSED(gpube_model_add_linear(NULL, 1, &term, GPUBE_AT_MOST, 0, 1, 0));
	REFUSED(gpube_model_add_linear(potentials, 1, &term, GPUBE_AT_MOST, 0, 1, 0));
	REFUSED(gpube_model_add_linear(m, 1, NULL, GPUBE_AT_MOST, 0, 1, 0));
	REFUSED(gpube_model_add_linear(m, -1, &term, GPUBE_AT_MOST, 0, 1, 0));
	REFUSED(gpube_model_add_linear(m, 1, &term, (enum gpube_relation)3, 0, 1, 0));
	REFUSED(gpube_model_add_linear(m, 1, &term, GPUBE_AT_MOST, 0, INT64_MIN, 0));
}

WRONG(gpube_model_add_all_different)
{
	REFUSED(gpube_model_add_all_different(NULL, 2, two, 0, NULL, 1));
	REFUSED(gpube_model_add_all_different(potentials, 2, two, 0, NULL, 1));
	REFUSED(gpube_model_add_all_different(m, 2, NULL, 0, NULL, 1));
	REFUSED(gpube_model_add_all_different(m, 2, none_such, 0, NULL, 1));
	REFUSED(gpube_model_add_all_different(m, 2, two, 1, NULL, 1));
	REFUSED(gpube_model_add_all_different(m, 2, two, 2, below, 1));
}

WRONG(gpube_model_add_gcc)
{
	static const struct gpube_occurrences count = {0, 1, 2}, none = {-1, 1, 2};

	REFUSED(gpube_model_add_gcc(NULL, 2, two, 1, &count, 1));
	REFUSED(gpube_model_add_gcc(potentials, 2, two, 1, &count, 1));
	REFUSED(gpube_model_add_gcc(m, 2, NULL, 1, &count, 1));
	REFUSED(gpube_model_add_gcc(m, 2, two, 1, NULL, 1));
	REFUSED(gpube_model_add_gcc(m, 2, two, 1, &none, 1));
	REFUSED(gpube_model_add_gcc(m, 2, two, 1, &count, INT64_MIN));
}

WRONG(gpube_model_add_among)
{
	REFUSED(gpube_model_add_among(NULL, 2, two, 1, two, 0, 1, 1));
	REFUSED(gpube_model_add_among(potentials, 2, two, 1, two, 0, 1, 1));
	REFUSED(gpube_model_add_among(m, 2, NULL, 1, two, 0, 1, 1));
	REFUSED(gpube_model_add_among(m, 2, two, 1, NULL, 0, 1, 1));
	REFUSED(gpube_model_add_among(m, 2, two, 1, two, 2, 1, 1));
	REFUSED(gpube_model_add_among(m, 2, two, 2, below, 0, 1, 1));
}

WRONG(gpube_model_add_regular)
{
	static const struct gpube_state state = {0, 0}, beyond = {1, 0};

	REFUSED(gpube_model_add_regular(NULL, 2, two, 1, 1, &state, 1, &state, 0, NULL));
	REFUSED(gpube_model_add_regular(potentials, 2, two, 1, 1, &state, 1, &state, 0, NULL));
	REFUSED(gpube_model_add_regular(m, 2, NULL, 1, 1, &state, 1, &state, 0, NULL));
	REFUSED(gpube_model_add_regular(m, 2, two, 1, 1, NULL, 1, &state, 0, NULL));
	REFUSED(gpube_model_add_regular(m, 2, two, 1, 1, &state, 1, &beyond, 0, NULL));
	REFUSED(gpube_model_add_regular(m, 2, two, 1, 1, &state, 1, &state, 1, NULL));
	REFUSED(gpube_model_add_regular(m, 2, two, 1, -1, &state, 1, &state, 0, NULL));
}

WRONG(gpube_model_add_global)
{
	REFUSED(gpube_model_add_global(NULL, "salldiff", 2, two, "var 1"));
	REFUSED(gpube_model_add_global(potentials, "salldiff", 2, two, "var 1"));
	REFUSED(gpube_model_add_global(m, NULL, 2, two, "var 1"));
	REFUSED(gpube_model_add_global(m, "salldiff", 2, NULL, "var 1"));
	REFUSED(gpube_model_add_global(m, "salldiff", 2, two, NULL));
	REFUSED(gpube_model_add_global(m, "salldiff", 2, two, "var -1"));
	REFUSED(gpube_model_add_global(m, "knapsackc", 2, two, ""));
}

WRONG(gpube_model_add_bounded)
{
	REFUSED(gpube_model_add_bounded(NULL, 2, two, m, 0, 1));
	REFUSED(gpube_model_add_bounded(potentials, 2, two, m, 0, 1));
	REFUSED(gpube_model_add_bounded(m, 2, two, NULL, 0, 1));
	REFUSED(gpube_model_add_bounded(m, 2, two, potentials, 0, 1));
	REFUSED(gpube_model_add_bounded(m, 2, NULL, m, 0, 1));
	REFUSED(gpube_model_add_bounded(m, 1, two, m, 0, 1));
}

int main(void)
{
	static const char *const headers[] = {"formats/formats.h", "gpube/globals.h", NULL};

	return wrong_calls_run(
		headers, wrong_models_setup, wrong_models_teardown, wrong_models_unchanged);
}
