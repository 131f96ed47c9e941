/* test_api_gpube.c - wrong calls of every function of gpube.h: see wrong_calls.h. */
#include "gpube/options/options.h"
#include "gpube/certify.h"
#include "gpube/sums.h"
#include "tests/support/wrong_calls.h"

#include <limits.h>
#include <math.h>

static int ctx_with(const struct gpube_opts *o)
{
	struct gpube_ctx *c = ctx;
	const int status = gpube_ctx_new(&c, o);

	assert_null(c);
	return status;
}

WRONG(gpube_ctx_new)
{
	static const int32_t nine[GPUBE_MAX_DEVICES + 1] = {0};
	struct gpube_opts *o;

	REFUSED(gpube_ctx_new(NULL, NULL));
	assert_int_equal(gpube_opts_new(&o, NULL), GPUBE_OK);
	REFUSED(gpube_opts_set(o, "threads", "1025"));
	assert_int_equal(gpube_opts_set_numbers(o, "devices", GPUBE_MAX_DEVICES + 1, nine), 0);
	NOT_MADE(struct gpube_ctx, c, gpube_ctx_new(&c, o));
	assert_non_null(strstr(gpube_opts_error(o), "devices"));
	gpube_opts_free(o);
	wrong_options("gpube_ctx_new", ctx_with);
}

WRONG(gpube_opts_new)
{
	REFUSED(gpube_opts_new(NULL, ctx));
	REFUSED(gpube_opts_new(NULL, NULL));
}

WRONG_NULL(gpube_opts_free)

WRONG(gpube_opts_error)
{
	assert_non_null(gpube_opts_error(NULL));
}

/* Options of the test's context, to be freed. */
static struct gpube_opts *new_options(void)
{
	struct gpube_opts *o;

	assert_int_equal(gpube_opts_new(&o, ctx), GPUBE_OK);
	return o;
}

WRONG(gpube_opts_set)
{
	struct gpube_opts *o = new_options();

	REFUSED(gpube_opts_set(NULL, "seed", "1"));
	REFUSED(gpube_opts_set(o, NULL, "1"));
	REFUSED(gpube_opts_set(o, "seed", NULL));
	REFUSED(gpube_opts_set(o, "tiemout", "1"));
	assert_non_null(strstr(gpube_error(ctx), "'tiemout': the nearest: timeout"));
	REFUSED(gpube_opts_set(o, "progress", "1"));
	gpube_opts_free(o);
}

WRONG(gpube_opts_set_int)
{
	struct gpube_opts *o = new_options();

	REFUSED(gpube_opts_set_int(NULL, "seed", 1));
	REFUSED(gpube_opts_set_int(o, NULL, 1));
	REFUSED(gpube_opts_set_int(o, "nix", 1));
	REFUSED(gpube_opts_set_int(o, "seed", -1));
	REFUSED(gpube_opts_set_int(o, "count", 2));
	REFUSED(gpube_opts_set_int(o, "method", 1));
	REFUSED(gpube_opts_set_int(o, "evidence", 1));
	gpube_opts_free(o);
}

WRONG(gpube_opts_set_real)
{
	struct gpube_opts *o = new_options();

	REFUSED(gpube_opts_set_real(NULL, "timeout", 1));
	REFUSED(gpube_opts_set_real(o, NULL, 1));
	REFUSED(gpube_opts_set_real(o, "nix", 1));
	for (int k = 0; k < 3; k++)
		REFUSED(gpube_opts_set_real(o, "timeout", bad_seconds[k]));
	REFUSED(gpube_opts_set_real(o, "seed", 1));
	REFUSED(gpube_opts_set_real(o, "max_cells", INFINITY));
	gpube_opts_free(o);
}

WRONG(gpube_opts_set_numbers)
{
	struct gpube_opts *o = new_options();

	REFUSED(gpube_opts_set_numbers(NULL, "order", 2, two));
	REFUSED(gpube_opts_set_numbers(o, NULL, 2, two));
	REFUSED(gpube_opts_set_numbers(o, "nix", 2, two));
	REFUSED(gpube_opts_set_numbers(o, "order", 0, two));
	REFUSED(gpube_opts_set_numbers(o, "order", -1, two));
	REFUSED(gpube_opts_set_numbers(o, "order", 2, NULL));
	REFUSED(gpube_opts_set_numbers(o, "order", 2, below));
	REFUSED(gpube_opts_set_numbers(o, "seed", 2, two));
	gpube_opts_free(o);
}

WRONG(gpube_opts_set_progress)
{
	REFUSED(gpube_opts_set_progress(NULL, NULL, NULL));
}

WRONG(gpube_opts_set_logger)
{
	REFUSED(gpube_opts_set_logger(NULL, NULL, NULL));
}

WRONG(gpube_opts_set_log)
{
	REFUSED(gpube_opts_set_log(NULL, NULL, NULL));
}

WRONG(gpube_opts_set_realloc)
{
	REFUSED(gpube_opts_set_realloc(NULL, NULL, NULL));
}

WRONG(gpube_opts_get)
{
	struct gpube_opts *o = new_options();
	char text[8] = "x";

	assert_int_equal(gpube_opts_get(text, sizeof(text), NULL, "seed"), -1);
	assert_int_equal(gpube_opts_get(text, sizeof(text), o, NULL), -1);
	assert_int_equal(gpube_opts_get(text, sizeof(text), o, "nix"), -1);
	assert_string_equal(text, "");
	assert_int_equal(gpube_opts_get(NULL, 8, o, "seed"), -1);
	assert_int_equal(gpube_opts_get(NULL, 0, o, "seed"), 1);
	gpube_opts_free(o);
}

WRONG(gpube_option)
{
	assert_null(gpube_option(-1, NULL));
	assert_null(gpube_option(1000, NULL));
	assert_null(gpube_option(0, "nix"));
	assert_null(gpube_option(1000, "gpube_solve"));
}

WRONG_NULL(gpube_ctx_free)
WRONG_NULL(gpube_result_free)

static int certify_with(const struct gpube_opts *o)
{
	struct gpube_certified c;

	return gpube_certify(&c, NULL, m, in_dir("x"), o);
}

WRONG(gpube_certify)
{
	struct gpube_certified c;

	REFUSED(gpube_certify(NULL, NULL, m, in_dir("x"), NULL));
	REFUSED(gpube_certify(&c, NULL, NULL, in_dir("x"), NULL));
	NOT_MADE(struct gpube_solution, x, gpube_certify(&c, &x, m, NULL, NULL));
	wrong_options("gpube_certify", certify_with);
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

WRONG(gpube_version_number)
{
	int major, minor, patch;

	assert_int_equal(sscanf(GPUBE_VERSION, "%d.%d.%d", &major, &minor, &patch), 3);
	assert_int_equal(gpube_version_number(), 10000 * major + 100 * minor + patch);
	assert_int_equal(GPUBE_VERSION_NUMBER, gpube_version_number());
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
	assert_int_equal(gpube_model_n_vars(m), 2);
	REFUSED(gpube_model_add_var(m, &var, 2, "x"));
	assert_string_equal(gpube_error(ctx), "variables 0 and 2 would both be called 'x'");
	assert_int_equal(var, 77);
}

WRONG(gpube_model_name_values)
{
	static const char *const names[] = {"no", NULL}, *const repeated[] = {"no", "yes", "no"};

	REFUSED(gpube_model_name_values(NULL, 0, names));
	REFUSED(gpube_model_name_values(m, -1, NULL));
	REFUSED(gpube_model_name_values(m, 2, NULL));
	REFUSED(gpube_model_name_values(m, 0, names));
	REFUSED(gpube_model_name_values(m, 1, repeated));
	assert_string_equal(
		gpube_error(ctx), "values 0 and 2 of variable 1 would both be called 'no'");
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

WRONG(gpube_model_lend)
{
	static const int64_t least[] = {0, 1, 2, 3, 4, INT64_MIN};
	static const double nan[] = {NAN, 1, 2, 3, 4, 5};

	REFUSED(gpube_model_lend(NULL, 2, two, GPUBE_INT64, six));
	REFUSED(gpube_model_lend(m, 2, two, GPUBE_INT64, NULL));
	REFUSED(gpube_model_lend(m, 2, NULL, GPUBE_INT64, six));
	REFUSED(gpube_model_lend(m, -1, two, GPUBE_INT64, six));
	REFUSED(gpube_model_lend(m, INT_MAX, two, GPUBE_INT64, six));
	REFUSED(gpube_model_lend(m, 2, twice, GPUBE_INT64, six));
	REFUSED(gpube_model_lend(m, 2, none_such, GPUBE_INT64, six));
	REFUSED(gpube_model_lend(m, 2, two, GPUBE_FLOAT64, reals));
	REFUSED(gpube_model_lend(m, 2, two, GPUBE_INT128, six));
	REFUSED(gpube_model_lend(m, 2, two, GPUBE_RATIONAL, six));
	REFUSED(gpube_model_lend(m, 2, two, (enum gpube_type) - 1, six));
	REFUSED(gpube_model_lend(m, 2, two, (enum gpube_type)99, six));
	REFUSED(gpube_model_lend(potentials, 2, two, GPUBE_INT64, six));
	REFUSED(gpube_model_lend(potentials, 2, two, GPUBE_FLOAT64, nan));
	assert_int_equal(gpube_model_lend(m, 2, two, GPUBE_INT64, least), GPUBE_ERANGE);
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

WRONG(gpube_model_weigh)
{
	static const double fine[] = {0.5, 2}, negative[] = {1, -1}, inf[] = {1, INFINITY},
			    nan_of[] = {NAN, 1};

	REFUSED(gpube_model_weigh(NULL, 0, fine));
	REFUSED(gpube_model_weigh(m, 0, fine));
	REFUSED(gpube_model_weigh(potentials, -1, fine));
	REFUSED(gpube_model_weigh(potentials, INT32_MAX, NULL));
	REFUSED(gpube_model_weigh(potentials, 0, negative));
	REFUSED(gpube_model_weigh(potentials, 0, inf));
	REFUSED(gpube_model_weigh(potentials, 0, nan_of));
}

WRONG_ANSWER(gpube_model_n_vars, 0)

WRONG(gpube_model_domain)
{
	assert_int_equal(gpube_model_domain(NULL, 0), 0);
	assert_int_equal(gpube_model_domain(m, -1), 0);
	assert_int_equal(gpube_model_domain(m, 2), 0);
}

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

WRONG(gpube_model_info)
{
	const struct gpube_model_info none = {.top = GPUBE_INF};

	assert_memory_equal(gpube_model_info(NULL), &none, sizeof(none));
}

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

TAKES(gpube_solve, struct gpube_solution, m)
TAKES(gpube_plan, struct gpube_solution, m)
TAKES(gpube_count, struct gpube_solution, m)
TAKES(gpube_bound, struct gpube_solution, m)
TAKES(gpube_infer, struct gpube_inference, potentials)
TAKES(gpube_infer_compile, struct gpube_compiled, potentials)
TAKES(gpube_mmap, struct gpube_mmap, potentials)

/* What is known of the model and is not so. */
static void wrong_known(int (*call)(
	struct gpube_solution **, const struct gpube_model *, const struct gpube_opts *))
{
	static const struct gpube_opts rows[] = {
		{.values = none_such}, {.values = below}, {.values = two, .n_values = 1},
		{.has_cutoff = 1, .cutoff = INT64_MIN},
		{.has_cutoff = 1, .cutoff_text = "1.5"}, /* the model has no decimals */
		{.regions = GPUBE_REGIONS_NESTED},       /* of method ascent alone */
	};

	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_solution, s, call(&s, m, &rows[k]));
}

WRONG(gpube_solve)
{
	wrong_of_gpube_solve();
	wrong_known(gpube_solve);
}

WRONG(gpube_plan)
{
	wrong_of_gpube_plan();
}

WRONG(gpube_count)
{
	wrong_of_gpube_count();
}

WRONG(gpube_infer)
{
	wrong_of_gpube_infer();
	NOT_MADE(struct gpube_inference, s, gpube_infer(&s, m, NULL));
}

WRONG(gpube_infer_compile)
{
	wrong_of_gpube_infer_compile();
	NOT_MADE(struct gpube_compiled, c, gpube_infer_compile(&c, m, NULL));
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

WRONG(gpube_infer_weigh)
{
	static const double fine[] = {0.5, 2}, negative[] = {1, -1}, inf[] = {1, INFINITY};
	struct gpube_compiled *c;

	REFUSED(gpube_infer_weigh(NULL, 0, fine));
	assert_int_equal(gpube_infer_compile(&c, potentials, NULL), GPUBE_OK);
	REFUSED(gpube_infer_weigh(c, -1, fine));
	REFUSED(gpube_infer_weigh(c, INT32_MAX, fine));
	REFUSED(gpube_infer_weigh(c, 0, negative));
	REFUSED(gpube_infer_weigh(c, 0, inf));
	gpube_compiled_free(c);
}

WRONG(gpube_infer_rows)
{
	static const int32_t low[] = {0, -2}, high[] = {INT32_MAX, 0};
	double z[1];
	struct gpube_compiled *c;

	REFUSED(gpube_infer_rows(z, NULL, 1, low));
	assert_int_equal(gpube_infer_compile(&c, potentials, NULL), GPUBE_OK);
	REFUSED(gpube_infer_rows(NULL, c, 1, low));
	REFUSED(gpube_infer_rows(z, c, 1, NULL));
	REFUSED(gpube_infer_rows(z, c, -1, low));
	REFUSED(gpube_infer_rows(z, c, 1, low));
	REFUSED(gpube_infer_rows(z, c, 1, high));
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
	static const int32_t same[] = {0, 0}, none_such_var[] = {INT32_MAX}, below_0[] = {-1};
	static const struct gpube_opts rows[] = {
		{.n_query = 2, .query = same},
		{.n_query = 1, .query = none_such_var},
		{.n_query = 1, .query = below_0},
	};

	wrong_of_gpube_mmap();
	NOT_MADE(struct gpube_mmap, s, gpube_mmap(&s, m, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_mmap, s, gpube_mmap(&s, potentials, &rows[k]));
}

WRONG(gpube_bound)
{
	wrong_of_gpube_bound();
	wrong_known(gpube_bound);
}

static int reparam_with(const struct gpube_opts *o)
{
	struct gpube_model *to = m;
	struct gpube_solution *b = (struct gpube_solution *)(uintptr_t)16;
	const int status = gpube_reparam(&b, &to, m, o);

	assert_true(!to && !b);
	return status;
}

WRONG(gpube_reparam)
{
	struct gpube_opts o = {.method = GPUBE_BOUND_MBE};
	struct gpube_model *to = m;

	REFUSED(gpube_reparam(NULL, &to, m, NULL));
	assert_null(to);
	NOT_MADE(struct gpube_solution, s, gpube_reparam(&s, NULL, m, NULL));
	NOT_MADE(struct gpube_solution, s, gpube_reparam(&s, &to, NULL, NULL));
	REFUSED(reparam_with(&o));
	wrong_options("gpube_reparam", reparam_with);
}

int main(void)
{
	static const char *const headers[] = {
		"gpube/gpube.h", "gpube/certify.h", "gpube/sums.h", NULL};

	return wrong_calls_run(
		headers, wrong_models_setup, wrong_models_teardown, wrong_models_unchanged);
}
