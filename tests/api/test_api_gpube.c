/* test_api_gpube.c - wrong calls of every function of gpube.h: see wrong_calls.h. */
#include "gpube/partial.h"
#include "gpube/certify.h"
#include "gpube/sums.h"
#include "tests/support/wrong_calls.h"

#include <limits.h>
#include <math.h>

static struct gpube_heuristic *h;
static struct gpube_path *path; /* all are assigned */

WRONG(gpube_ctx_new)
{
	static const struct gpube_ctx_opts rows[] = {
		{.sizeof_options = 0},
		{.sizeof_options = sizeof(rows[0]) - 1},
		{.sizeof_options = sizeof(rows[0]), .n_threads = -1},
		{.sizeof_options = sizeof(rows[0]), .n_threads = 1025},
		{.sizeof_options = sizeof(rows[0]), .n_threads = 1000000},
		{.sizeof_options = sizeof(rows[0]), .n_devices = -1},
		{.sizeof_options = sizeof(rows[0]), .n_devices = GPUBE_MAX_DEVICES + 1},
		{.sizeof_options = sizeof(rows[0]), .n_devices = 2, .devices = {0, -1}},
	};

	REFUSED(gpube_ctx_new(NULL, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_ctx, c, gpube_ctx_new(&c, &rows[k]));
}

WRONG_NULL(gpube_ctx_free)

WRONG(gpube_certify)
{
	struct gpube_certified c;

	REFUSED(gpube_certify(NULL, NULL, m, in_dir("x"), NULL));
	REFUSED(gpube_certify(&c, NULL, NULL, in_dir("x"), NULL));
	NOT_MADE(struct gpube_solution, x, gpube_certify(&c, &x, m, NULL, NULL));
}

WRONG(gpube_verify)
{
	struct gpube_certified c;

	REFUSED(gpube_verify(NULL, m, "examples/zebra.wcsp"));
	REFUSED(gpube_verify(&c, NULL, "examples/zebra.wcsp"));
	REFUSED(gpube_verify(&c, m, NULL));
}

WRONG(gpube_version)
{
	assert_string_equal(gpube_version(), GPUBE_VERSION);
}

WRONG(gpube_error)
{
	assert_non_null(gpube_error(NULL));
}

WRONG_NULL(gpube_ctx_stop)
WRONG_NULL(gpube_ctx_resume)

WRONG(gpube_model_new)
{
	REFUSED(gpube_model_new(NULL, ctx, GPUBE_COSTS));
	NOT_MADE(struct gpube_model, x, gpube_model_new(&x, NULL, GPUBE_COSTS));
	NOT_MADE(struct gpube_model, x, gpube_model_new(&x, ctx, (enum gpube_kind)7));
	NOT_MADE(struct gpube_model, x, gpube_model_new(&x, ctx, (enum gpube_kind) - 1));
}

WRONG_NULL(gpube_model_free)

WRONG(gpube_model_add_var)
{
	int32_t var = 77;

	REFUSED(gpube_model_add_var(NULL, &var, 2, NULL));
	REFUSED(gpube_model_add_var(m, &var, 0, "x"));
	REFUSED(gpube_model_add_var(m, &var, -3, "x"));
	REFUSED(gpube_model_add_var(m, &var, INT32_MIN, NULL));
	assert_int_equal(var, 77);
}

WRONG(gpube_model_name_values)
{
	static const char *const names[] = {"no", NULL};

	REFUSED(gpube_model_name_values(NULL, 0, names));
	REFUSED(gpube_model_name_values(m, -1, NULL));
	REFUSED(gpube_model_name_values(m, 2, NULL));
	REFUSED(gpube_model_name_values(m, 0, names));
}

WRONG(gpube_model_add_costs)
{
	static const int64_t least[] = {0, 1, 2, 3, 4, INT64_MIN},
			     none[] = {0, 1, -GPUBE_INF, 3, 4, 5};
	static const int64_t large = GPUBE_INF - 1;

	REFUSED(gpube_model_add_costs(NULL, 2, two, six));
	REFUSED(gpube_model_add_costs(potentials, 2, two, six));
	REFUSED(gpube_model_add_costs(m, 2, two, NULL));
	REFUSED(gpube_model_add_costs(m, 2, NULL, six));
	REFUSED(gpube_model_add_costs(m, 0, NULL, NULL));
	REFUSED(gpube_model_add_costs(m, -1, two, six));
	REFUSED(gpube_model_add_costs(m, INT_MIN, two, six));
	REFUSED(gpube_model_add_costs(m, INT_MAX, two, six));
	REFUSED(gpube_model_add_costs(m, 2, twice, six));
	REFUSED(gpube_model_add_costs(m, 2, none_such, six));
	REFUSED(gpube_model_add_costs(m, 2, below, six));
	assert_int_equal(gpube_model_add_costs(m, 2, two, least), GPUBE_ERANGE);
	assert_int_equal(gpube_model_add_costs(m, 2, two, none), GPUBE_ERANGE);
	/* the constant is 5: no part of a sum that does not fit is left */
	assert_int_equal(gpube_model_add_costs(m, 0, NULL, &large), GPUBE_ERANGE);
	assert_int_equal(gpube_model_add_costs(m, 0, NULL, &least[5]), GPUBE_ERANGE);
}

WRONG(gpube_model_add_potentials)
{
	static const double values[][6] = {
		{0, 1, 2, 3, 4, -1}, {NAN, 1, 2, 3, 4, 5}, {0, INFINITY, 2, 3, 4, 5}};

	REFUSED(gpube_model_add_potentials(NULL, 2, two, reals));
	REFUSED(gpube_model_add_potentials(m, 2, two, reals));
	REFUSED(gpube_model_add_potentials(potentials, 2, two, NULL));
	REFUSED(gpube_model_add_potentials(potentials, 2, NULL, reals));
	REFUSED(gpube_model_add_potentials(potentials, -1, two, reals));
	REFUSED(gpube_model_add_potentials(potentials, INT_MAX, two, reals));
	REFUSED(gpube_model_add_potentials(potentials, 2, twice, reals));
	REFUSED(gpube_model_add_potentials(potentials, 2, none_such, reals));
	for (size_t k = 0; k < 3; k++)
		REFUSED(gpube_model_add_potentials(potentials, 2, two, values[k]));
}

WRONG(gpube_model_set_top)
{
	REFUSED(gpube_model_set_top(NULL, 5));
	REFUSED(gpube_model_set_top(potentials, 5));
	REFUSED(gpube_model_set_top(m, INT64_MIN));
}

WRONG(gpube_model_set_direction)
{
	REFUSED(gpube_model_set_direction(NULL, GPUBE_MAXIMISE));
	REFUSED(gpube_model_set_direction(potentials, GPUBE_MINIMISE));
	REFUSED(gpube_model_set_direction(m, (enum gpube_direction)5));
	REFUSED(gpube_model_set_direction(m, (enum gpube_direction) - 1));
}

WRONG(gpube_model_set_scale)
{
	REFUSED(gpube_model_set_scale(NULL, 2));
	REFUSED(gpube_model_set_scale(potentials, 2));
	REFUSED(gpube_model_set_scale(m, -1));
	REFUSED(gpube_model_set_scale(m, 19));
}

WRONG(gpube_model_observe)
{
	REFUSED(gpube_model_observe(NULL, 0, 0));
	REFUSED(gpube_model_observe(m, -1, 0));
	REFUSED(gpube_model_observe(m, 9, 0));
	REFUSED(gpube_model_observe(m, 0, -2));
	REFUSED(gpube_model_observe(m, 0, 2));
}

WRONG_ANSWER(gpube_model_n_vars, 0)

WRONG(gpube_model_domain)
{
	assert_int_equal(gpube_model_domain(NULL, 0), 0);
	assert_int_equal(gpube_model_domain(m, -1), 0);
	assert_int_equal(gpube_model_domain(m, 2), 0);
}

WRONG_ANSWER(gpube_model_n_hidden, 0)

WRONG(gpube_model_is_hidden)
{
	assert_int_equal(gpube_model_is_hidden(NULL, 0), 0);
	assert_int_equal(gpube_model_is_hidden(m, -1), 0);
	assert_int_equal(gpube_model_is_hidden(m, 2), 0);
}

WRONG(gpube_model_complete)
{
	int32_t values[2] = {0, 9};

	REFUSED(gpube_model_complete(values, NULL));
	REFUSED(gpube_model_complete(NULL, m));
	REFUSED(gpube_model_complete(values, m));
	assert_int_equal(values[1], 9);
}

WRONG_ANSWER(gpube_model_kind, GPUBE_COSTS)
WRONG_ANSWER(gpube_model_direction, GPUBE_MINIMISE)
WRONG_ANSWER(gpube_model_scale, 0)
WRONG_ANSWER(gpube_model_constant, 0)
WRONG_ANSWER(gpube_model_top, GPUBE_INF)

WRONG(gpube_model_observed)
{
	assert_int_equal(gpube_model_observed(NULL, 0), -1);
	assert_int_equal(gpube_model_observed(potentials, -1), -1);
	assert_int_equal(gpube_model_observed(potentials, 2), -1);
}

WRONG(gpube_model_var_name)
{
	assert_null(gpube_model_var_name(NULL, 0));
	assert_null(gpube_model_var_name(m, -1));
	assert_null(gpube_model_var_name(m, 2));
}

WRONG(gpube_model_value_name)
{
	assert_null(gpube_model_value_name(NULL, 0, 0));
	assert_null(gpube_model_value_name(m, 2, 0));
	assert_null(gpube_model_value_name(m, 0, -1));
	assert_null(gpube_model_value_name(m, 0, 2));
}

WRONG_ANSWER(gpube_model_n_functions, 0)

WRONG(gpube_model_scope)
{
	const int32_t *scope = two;

	assert_int_equal(gpube_model_scope(NULL, m, 0), -1);
	assert_int_equal(gpube_model_scope(&scope, NULL, 0), -1);
	assert_null(scope);
	assert_int_equal(gpube_model_scope(&scope, m, -1), -1);
	assert_int_equal(gpube_model_scope(&scope, m, 1), -1);
}

WRONG(gpube_model_cells)
{
	assert_true(gpube_model_cells(NULL, 0) == -1);
	assert_true(gpube_model_cells(m, -1) == -1);
	assert_true(gpube_model_cells(m, 1) == -1);
}

WRONG(gpube_model_costs)
{
	int64_t out[6] = {77};

	REFUSED(gpube_model_costs(NULL, m, 0));
	REFUSED(gpube_model_costs(out, NULL, 0));
	REFUSED(gpube_model_costs(out, m, -1));
	REFUSED(gpube_model_costs(out, m, 1));
	REFUSED(gpube_model_costs(out, potentials, 0));
	assert_true(out[0] == 77);
}

WRONG(gpube_model_potentials)
{
	double out[6] = {77};

	REFUSED(gpube_model_potentials(NULL, potentials, 0));
	REFUSED(gpube_model_potentials(out, NULL, 0));
	REFUSED(gpube_model_potentials(out, potentials, 1));
	REFUSED(gpube_model_potentials(out, m, 0));
	assert_true(out[0] == 77);
}

WRONG(gpube_model_cost)
{
	int64_t cost = 77;

	REFUSED(gpube_model_cost(NULL, m, two));
	REFUSED(gpube_model_cost(&cost, NULL, two));
	REFUSED(gpube_model_cost(&cost, m, NULL));
	REFUSED(gpube_model_cost(&cost, m, none_such));
	REFUSED(gpube_model_cost(&cost, m, below));
	REFUSED(gpube_model_cost(&cost, potentials, two));
	assert_true(cost == 77);
}

WRONG(gpube_model_log_value)
{
	double value = 77;

	REFUSED(gpube_model_log_value(NULL, potentials, two));
	REFUSED(gpube_model_log_value(&value, NULL, two));
	REFUSED(gpube_model_log_value(&value, potentials, NULL));
	REFUSED(gpube_model_log_value(&value, potentials, none_such));
	REFUSED(gpube_model_log_value(&value, m, two));
	assert_true(value == 77);
}

typedef int solve_fn(
	struct gpube_solution **, const struct gpube_model *, const struct gpube_solve_opts *);

static void wrong_solve(solve_fn *solve)
{
	static const struct gpube_solve_opts rows[] = {
		{.sizeof_options = 5},
		{.sizeof_options = sizeof(rows[0]), .order_method = (enum gpube_order_method)77},
		{.sizeof_options = sizeof(rows[0]), .order_method = (enum gpube_order_method) - 1},
		{.sizeof_options = sizeof(rows[0]), .order_method = GPUBE_ORDER_GIVEN},
		{.sizeof_options = sizeof(rows[0]),
			.order_method = GPUBE_ORDER_GIVEN,
			.order = twice},
		{.sizeof_options = sizeof(rows[0]),
			.order_method = GPUBE_ORDER_GIVEN,
			.order = none_such},
		{.sizeof_options = sizeof(rows[0]),
			.order_method = GPUBE_ORDER_GIVEN,
			.order = below},
		{.sizeof_options = sizeof(rows[0]), .backend = (enum gpube_backend)9},
		{.sizeof_options = sizeof(rows[0]), .precision = -4},
		{.sizeof_options = sizeof(rows[0]), .precision = 99},
		{.sizeof_options = sizeof(rows[0]), .method = (enum gpube_bound_method)55},
		{.sizeof_options = sizeof(rows[0]), .values = none_such},
		{.sizeof_options = sizeof(rows[0]), .values = below},
		{.sizeof_options = sizeof(rows[0]), .has_cutoff = 1, .cutoff = INT64_MIN},
	};
	struct gpube_solve_opts o = {.sizeof_options = sizeof(o)};

	REFUSED(solve(NULL, m, NULL));
	NOT_MADE(struct gpube_solution, s, solve(&s, NULL, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_solution, s, solve(&s, m, &rows[k]));
	for (size_t k = 0; k < 3; k++) {
		o.timeout_seconds = bad_seconds[k];
		o.order_seconds = 0;
		NOT_MADE(struct gpube_solution, s, solve(&s, m, &o));
		o.timeout_seconds = 0;
		o.order_seconds = bad_seconds[k];
		NOT_MADE(struct gpube_solution, s, solve(&s, m, &o));
	}
}

WRONG(gpube_solve)
{
	wrong_solve(gpube_solve);
}

WRONG(gpube_plan)
{
	wrong_solve(gpube_plan);
}

WRONG(gpube_count)
{
	static const struct gpube_solve_opts rows[] = {
		{.sizeof_options = 5},
		{.sizeof_options = sizeof(rows[0]), .order_method = (enum gpube_order_method)77},
		{.sizeof_options = sizeof(rows[0]), .timeout_seconds = NAN},
	};

	REFUSED(gpube_count(NULL, m, NULL));
	NOT_MADE(struct gpube_solution, s, gpube_count(&s, NULL, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_solution, s, gpube_count(&s, m, &rows[k]));
}

WRONG(gpube_list)
{
	static const struct gpube_list_opts rows[] = {
		{.sizeof_options = 5},
		{.sizeof_options = sizeof(rows[0]), .most = -1},
		{.sizeof_options = sizeof(rows[0]), .most = (int64_t)1 << 31},
		{.sizeof_options = sizeof(rows[0]), .has_limit = 1, .limit = INT64_MIN},
		{.sizeof_options = sizeof(rows[0]), .has_limit = 1, .limit = GPUBE_INF},
		{.sizeof_options = sizeof(rows[0]), .ibound = -1},
		{.sizeof_options = sizeof(rows[0]), .order_method = (enum gpube_order_method)5},
		{.sizeof_options = sizeof(rows[0]), .timeout_seconds = NAN},
		{.sizeof_options = sizeof(rows[0]), .backend = (enum gpube_backend)9},
		{.sizeof_options = sizeof(rows[0]), .precision = 13},
	};

	REFUSED(gpube_list(NULL, m, NULL));
	NOT_MADE(struct gpube_list, l, gpube_list(&l, NULL, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_list, l, gpube_list(&l, m, &rows[k]));
}
WRONG_FREE(struct gpube_list, gpube_list_free)
WRONG_FREE(struct gpube_solution, gpube_solution_free)

WRONG(gpube_infer)
{
	static const struct gpube_infer_opts rows[] = {
		{.sizeof_options = 5},
		{.sizeof_options = sizeof(rows[0]), .task = (enum gpube_infer_task)2},
		{.sizeof_options = sizeof(rows[0]), .task = (enum gpube_infer_task) - 1},
		{.sizeof_options = sizeof(rows[0]), .order_method = (enum gpube_order_method)77},
		{.sizeof_options = sizeof(rows[0]), .order_method = GPUBE_ORDER_GIVEN},
		{.sizeof_options = sizeof(rows[0]),
			.order_method = GPUBE_ORDER_GIVEN,
			.order = twice},
		{.sizeof_options = sizeof(rows[0]), .order_seconds = -1},
		{.sizeof_options = sizeof(rows[0]), .timeout_seconds = NAN},
	};

	REFUSED(gpube_infer(NULL, potentials, NULL));
	NOT_MADE(struct gpube_inference, s, gpube_infer(&s, NULL, NULL));
	NOT_MADE(struct gpube_inference, s, gpube_infer(&s, m, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_inference, s, gpube_infer(&s, potentials, &rows[k]));
}

WRONG_FREE(struct gpube_inference, gpube_inference_free)

WRONG(gpube_infer_compile)
{
	static const struct gpube_infer_opts rows[] = {
		{.sizeof_options = 5},
		{.sizeof_options = sizeof(rows[0]), .task = (enum gpube_infer_task)2},
		{.sizeof_options = sizeof(rows[0]),
			.order_method = GPUBE_ORDER_GIVEN,
			.order = twice},
		{.sizeof_options = sizeof(rows[0]), .timeout_seconds = NAN},
	};

	REFUSED(gpube_infer_compile(NULL, potentials, NULL));
	NOT_MADE(struct gpube_compiled, c, gpube_infer_compile(&c, NULL, NULL));
	NOT_MADE(struct gpube_compiled, c, gpube_infer_compile(&c, m, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_compiled, c, gpube_infer_compile(&c, potentials, &rows[k]));
}

WRONG(gpube_compiled_free)
{
	gpube_compiled_free(NULL);
}

WRONG(gpube_infer_observe)
{
	struct gpube_compiled *c;

	REFUSED(gpube_infer_observe(NULL, 0, 0));
	assert_int_equal(gpube_infer_compile(&c, potentials, NULL), GPUBE_OK);
	REFUSED(gpube_infer_observe(c, -1, 0));
	REFUSED(gpube_infer_observe(c, INT32_MAX, 0));
	REFUSED(gpube_infer_observe(c, 0, -2));
	REFUSED(gpube_infer_observe(c, 0, INT32_MAX));
	gpube_compiled_free(c);
}

WRONG(gpube_infer_query)
{
	struct gpube_compiled *c;

	NOT_MADE(struct gpube_inference, s, gpube_infer_query(&s, NULL));
	assert_int_equal(gpube_infer_compile(&c, potentials, NULL), GPUBE_OK);
	REFUSED(gpube_infer_query(NULL, c));
	gpube_compiled_free(c);
}

WRONG(gpube_mmap)
{
	static const int32_t one[] = {0}, same[] = {0, 0}, none_such_var[] = {INT32_MAX},
			     below_0[] = {-1};
	static const struct gpube_mmap_opts rows[] = {
		{.sizeof_options = 5},
		{.sizeof_options = sizeof(rows[0]), .n_query = -1, .query = one},
		{.sizeof_options = sizeof(rows[0]), .n_query = 1},
		{.sizeof_options = sizeof(rows[0]), .n_query = 2, .query = same},
		{.sizeof_options = sizeof(rows[0]), .n_query = 1, .query = none_such_var},
		{.sizeof_options = sizeof(rows[0]), .n_query = 1, .query = below_0},
		{.sizeof_options = sizeof(rows[0]), .order_method = (enum gpube_order_method)77},
		{.sizeof_options = sizeof(rows[0]),
			.order_method = GPUBE_ORDER_GIVEN,
			.order = twice},
		{.sizeof_options = sizeof(rows[0]), .backend = (enum gpube_backend)9},
		{.sizeof_options = sizeof(rows[0]), .timeout_seconds = NAN},
	};
	static const struct gpube_mmap_opts right = {
		.sizeof_options = sizeof(right), .n_query = 1, .query = one};

	REFUSED(gpube_mmap(NULL, potentials, &right));
	NOT_MADE(struct gpube_mmap, s, gpube_mmap(&s, NULL, &right));
	NOT_MADE(struct gpube_mmap, s, gpube_mmap(&s, potentials, NULL));
	NOT_MADE(struct gpube_mmap, s, gpube_mmap(&s, m, &right));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_mmap, s, gpube_mmap(&s, potentials, &rows[k]));
}

WRONG_FREE(struct gpube_mmap, gpube_mmap_free)

WRONG(gpube_bound)
{
	static const struct gpube_bound_opts rows[] = {
		{.sizeof_options = 5},
		{.sizeof_options = sizeof(rows[0]), .method = (enum gpube_bound_method)55},
		{.sizeof_options = sizeof(rows[0]), .method = (enum gpube_bound_method) - 1},
		{.sizeof_options = sizeof(rows[0]), .z = -7},
		{.sizeof_options = sizeof(rows[0]), .split = (enum gpube_split)42},
		{.sizeof_options = sizeof(rows[0]), .partition = (enum gpube_partition)77},
		{.sizeof_options = sizeof(rows[0]), .values = none_such},
		{.sizeof_options = sizeof(rows[0]), .values = below},
		{.sizeof_options = sizeof(rows[0]), .has_cutoff = 1, .cutoff = INT64_MIN},
		{.sizeof_options = sizeof(rows[0]), .order_method = (enum gpube_order_method)5},
		{.sizeof_options = sizeof(rows[0]), .order_method = GPUBE_ORDER_GIVEN},
		{.sizeof_options = sizeof(rows[0]),
			.order_method = GPUBE_ORDER_GIVEN,
			.order = twice},
		{.sizeof_options = sizeof(rows[0]), .backend = (enum gpube_backend)9},
		{.sizeof_options = sizeof(rows[0]), .precision = 13},
		{.sizeof_options = sizeof(rows[0]), .order_seconds = -1},
	};
	struct gpube_bound_opts o = {.sizeof_options = sizeof(o)};

	REFUSED(gpube_bound(NULL, m, NULL));
	NOT_MADE(struct gpube_solution, b, gpube_bound(&b, NULL, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_solution, b, gpube_bound(&b, m, &rows[k]));
	for (size_t k = 0; k < 3; k++) {
		o.timeout_seconds = bad_seconds[k];
		NOT_MADE(struct gpube_solution, b, gpube_bound(&b, m, &o));
	}
}

WRONG(gpube_reparam)
{
	static const struct gpube_reparam_opts rows[] = {
		{.sizeof_options = 5},
		{.sizeof_options = sizeof(rows[0]), .decimals = 13},
		{.sizeof_options = sizeof(rows[0]), .decimals = -2},
		{.sizeof_options = sizeof(rows[0]), .max_arity = 1},
		{.sizeof_options = sizeof(rows[0]), .max_arity = 17},
		{.sizeof_options = sizeof(rows[0]), .max_tables = -1},
		{.sizeof_options = sizeof(rows[0]), .max_cells = -1},
		{.sizeof_options = sizeof(rows[0]), .max_cells = NAN},
		{.sizeof_options = sizeof(rows[0]), .max_cells = INFINITY},
	};
	struct gpube_bound_opts o = {.sizeof_options = sizeof(o), .method = GPUBE_BOUND_MBE};
	struct gpube_model *to = m;
	struct gpube_solution *b;

	REFUSED(gpube_reparam(NULL, &to, m, NULL, NULL));
	assert_null(to);
	NOT_MADE(struct gpube_solution, s, gpube_reparam(&s, NULL, m, NULL, NULL));
	NOT_MADE(struct gpube_solution, s, gpube_reparam(&s, &to, NULL, NULL, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		NOT_MADE(struct gpube_solution, s, gpube_reparam(&s, &to, m, NULL, &rows[k]));
		NOT_MADE(struct gpube_model, x, gpube_reparam(&b, &x, m, NULL, &rows[k]));
	}
	NOT_MADE(struct gpube_model, x, gpube_reparam(&b, &x, m, &o, NULL));
	o.method = (enum gpube_bound_method)55;
	NOT_MADE(struct gpube_model, x, gpube_reparam(&b, &x, m, &o, NULL));
}

WRONG(gpube_heuristic_new)
{
	static const struct gpube_heuristic_opts rows[] = {
		{.sizeof_options = 5},
		{.sizeof_options = sizeof(rows[0]), .method = (enum gpube_heuristic_method)3},
		{.sizeof_options = sizeof(rows[0]), .ibound = -3},
		{.sizeof_options = sizeof(rows[0]), .shift_seconds = -1},
		{.sizeof_options = sizeof(rows[0]), .shift_seconds = NAN},
		{.sizeof_options = sizeof(rows[0]), .has_cutoff = 1, .cutoff = INT64_MIN},
		{.sizeof_options = sizeof(rows[0]), .order_method = (enum gpube_order_method)5},
		{.sizeof_options = sizeof(rows[0]),
			.order_method = GPUBE_ORDER_GIVEN,
			.order = below},
		{.sizeof_options = sizeof(rows[0]), .order_seconds = NAN},
		{.sizeof_options = sizeof(rows[0]), .backend = (enum gpube_backend)9},
		{.sizeof_options = sizeof(rows[0]), .precision = 13},
	};

	REFUSED(gpube_heuristic_new(NULL, m, NULL));
	NOT_MADE(struct gpube_heuristic, x, gpube_heuristic_new(&x, NULL, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_heuristic, x, gpube_heuristic_new(&x, m, &rows[k]));
}

WRONG_NULL(gpube_heuristic_free)
WRONG_ANSWER(gpube_heuristic_info, NULL)
WRONG_ANSWER(gpube_heuristic_order, NULL)

/* nothing is said to be forbidden, and no bound is better than any assignment */
WRONG(gpube_heuristic_bound)
{
	assert_true(gpube_heuristic_bound(NULL, two, 0) == -GPUBE_INF);
	assert_true(gpube_heuristic_bound(h, NULL, 1) == -GPUBE_INF);
	assert_true(gpube_heuristic_bound(h, two, 3) == -GPUBE_INF);
	assert_true(gpube_heuristic_bound(h, two, 99) == -GPUBE_INF);
	assert_true(gpube_heuristic_bound(h, two, -5) == -GPUBE_INF);
	assert_true(gpube_heuristic_bound(h, two, INT32_MIN) == -GPUBE_INF);
	/* a value outside its domain is not allowed */
	assert_true(gpube_heuristic_bound(h, none_such, 2) == GPUBE_INF);
	assert_true(gpube_heuristic_bound(h, below, 2) == GPUBE_INF);
}

WRONG_ANSWER(gpube_heuristic_n_tables, 0)

WRONG(gpube_heuristic_table)
{
	struct gpube_heuristic_table t = {.arity = 77};

	gpube_heuristic_table(NULL, h, 0);
	gpube_heuristic_table(&t, NULL, 0);
	assert_true(t.arity == 0 && t.cells == 0 && t.from == -1 && t.to == -1);
	t.arity = 77;
	gpube_heuristic_table(&t, h, -1);
	assert_int_equal(t.arity, 0);
	t.arity = 77;
	gpube_heuristic_table(&t, h, gpube_heuristic_n_tables(h));
	assert_int_equal(t.arity, 0);
}

WRONG(gpube_heuristic_cells)
{
	int64_t cell = 77;

	gpube_heuristic_cells(NULL, h, 0);
	gpube_heuristic_cells(&cell, NULL, 0);
	gpube_heuristic_cells(&cell, h, -1);
	gpube_heuristic_cells(&cell, h, gpube_heuristic_n_tables(h));
	assert_true(cell == 77);
}

WRONG(gpube_path_new)
{
	REFUSED(gpube_path_new(NULL, h));
	NOT_MADE(struct gpube_path, p, gpube_path_new(&p, NULL));
}

WRONG_NULL(gpube_path_free)
WRONG_ANSWER(gpube_path_next, -1)
WRONG_ANSWER(gpube_path_bound, -GPUBE_INF)

WRONG(gpube_path_bounds)
{
	int64_t bounds[3] = {77, 77, 77};

	gpube_path_bounds(NULL, bounds);
	gpube_path_bounds(path, bounds); /* nothing is next */
	assert_true(bounds[0] == 77);
}

WRONG(gpube_path_push)
{
	int64_t bound = gpube_path_bound(path);

	assert_true(gpube_path_push(NULL, 0) == -GPUBE_INF);
	assert_true(gpube_path_push(path, 0) == bound); /* nothing is next */
	assert_true(gpube_path_bound(path) == bound);
}

WRONG(gpube_path_pop)
{
	struct gpube_path *p;

	gpube_path_pop(NULL);
	assert_int_equal(gpube_path_new(&p, h), 0);
	gpube_path_pop(p);
	assert_true(gpube_path_next(p) >= 0);
	assert_true(gpube_path_bound(p) == gpube_heuristic_info(h)->bound);
	/* a value that is none is forbidden, and comes off again */
	assert_true(gpube_path_push(p, 99) == GPUBE_INF);
	gpube_path_pop(p);
	assert_true(gpube_path_push(p, -1) == GPUBE_INF);
	gpube_path_pop(p);
	assert_true(gpube_path_bound(p) == gpube_heuristic_info(h)->bound);
	gpube_path_free(p);
}

WRONG_ANSWER(gpube_path_values, NULL)

static void unchanged(void)
{
	wrong_models_unchanged();
	assert_true(gpube_path_bound(path) == 5 + 5);
}

static int set_up(void **state)
{
	if (wrong_models_setup(state))
		return -1;
	assert_int_equal(gpube_heuristic_new(&h, m, NULL), 0);
	assert_int_equal(gpube_path_new(&path, h), 0);
	while (gpube_path_next(path) >= 0)
		gpube_path_push(path, gpube_model_domain(m, gpube_path_next(path)) - 1);
	return 0;
}

static int tear_down(void **state)
{
	gpube_path_free(path);
	gpube_heuristic_free(h);
	return wrong_models_teardown(state);
}

int main(void)
{
	static const char *const headers[] = {
		"gpube/gpube.h", "gpube/certify.h", "gpube/partial.h", "gpube/sums.h", NULL};

	return wrong_calls_run(headers, set_up, tear_down, unchanged);
}
