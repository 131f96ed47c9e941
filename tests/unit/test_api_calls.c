/*
 * Wrong calls of every exported function: each is refused, what it should have made is NULL, and the
 * models, the game and the heuristic that it was given are what they were. Functions that cannot fail
 * answer 0, -1 or NULL. What the headers export and the table below has not is a failure.
 */
#include "tests/support/test.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>

#include "csg/auction.h"
#include "csg/csg.h"
#include "formats/formats.h"
#include "gpube/gpube.h"
#include "nash/nash.h"
#include "tests/support/context.h"
#include "tests/support/files.h"

/* What calls are tried on. */
static struct gpube_model *m, *potentials;
static struct gpube_heuristic *h;
static struct gpube_path *path; /* all are assigned */
static struct csg_game *game, *sparse;
static struct csg_auction *auction;
static struct nash_game *bimatrix;
static const int32_t two[] = {0, 1}, twice[] = {1, 1}, none_such[] = {0, 9}, below[] = {-1, 0};
static const int64_t six[] = {0, 1, 2, 3, 4, 5};
static const double reals[] = {0, 1, 2, 3, 4, 5};
static const double bad_seconds[] = {-1, -INFINITY, NAN};

#define REFUSED(call) assert_int_equal(call, GPUBE_EINVAL)
/* the same of a call that makes something */
#define NOT_MADE(type, what, call)                                                                 \
	do {                                                                                       \
		type *what = (type *)(uintptr_t)16;                                                \
		assert_int_equal(call, GPUBE_EINVAL);                                              \
		assert_null(what);                                                                 \
	} while (0)

/* Each exported function's wrong calls, in the order of the headers. */
#define WRONG(name) static void wrong_##name(void)

/* ---- gpube.h ------------------------------------------------------------------------------ */

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

WRONG(gpube_ctx_free)
{
	gpube_ctx_free(NULL);
}

WRONG(gpube_error)
{
	assert_non_null(gpube_error(NULL));
}

WRONG(gpube_ctx_stop)
{
	gpube_ctx_stop(NULL);
}

WRONG(gpube_ctx_resume)
{
	gpube_ctx_resume(NULL);
}

WRONG(gpube_model_new)
{
	REFUSED(gpube_model_new(NULL, ctx, GPUBE_COSTS));
	NOT_MADE(struct gpube_model, x, gpube_model_new(&x, NULL, GPUBE_COSTS));
	NOT_MADE(struct gpube_model, x, gpube_model_new(&x, ctx, (enum gpube_kind)7));
	NOT_MADE(struct gpube_model, x, gpube_model_new(&x, ctx, (enum gpube_kind)-1));
}

WRONG(gpube_model_free)
{
	gpube_model_free(NULL);
}

WRONG(gpube_model_add_var)
{
	int32_t var = 77;

	REFUSED(gpube_model_add_var(NULL, &var, 2, NULL));
	REFUSED(gpube_model_add_var(m, &var, 0, "x"));
	REFUSED(gpube_model_add_var(m, &var, -3, "x"));
	REFUSED(gpube_model_add_var(m, &var, INT32_MIN, NULL));
	assert_int_equal(var, 77);
}

WRONG(gpube_model_add_costs)
{
	static const int64_t least[] = {0, 1, 2, 3, 4, INT64_MIN}, none[] = {0, 1, -GPUBE_INF, 3, 4, 5};
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
	static const double values[][6] = {{0, 1, 2, 3, 4, -1}, {NAN, 1, 2, 3, 4, 5}, {0, INFINITY, 2, 3, 4, 5}};

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
	REFUSED(gpube_model_set_direction(m, (enum gpube_direction)-1));
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

WRONG(gpube_model_n_vars)
{
	assert_int_equal(gpube_model_n_vars(NULL), 0);
}

WRONG(gpube_model_domain)
{
	assert_int_equal(gpube_model_domain(NULL, 0), 0);
	assert_int_equal(gpube_model_domain(m, -1), 0);
	assert_int_equal(gpube_model_domain(m, 2), 0);
}

WRONG(gpube_model_kind)
{
	assert_int_equal(gpube_model_kind(NULL), GPUBE_COSTS);
}

WRONG(gpube_model_direction)
{
	assert_int_equal(gpube_model_direction(NULL), GPUBE_MINIMISE);
}

WRONG(gpube_model_scale)
{
	assert_int_equal(gpube_model_scale(NULL), 0);
}

WRONG(gpube_model_constant)
{
	assert_true(gpube_model_constant(NULL) == 0);
}

WRONG(gpube_model_top)
{
	assert_true(gpube_model_top(NULL) == GPUBE_INF);
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

WRONG(gpube_model_n_functions)
{
	assert_int_equal(gpube_model_n_functions(NULL), 0);
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

typedef int solve_fn(struct gpube_solution **, const struct gpube_model *, const struct gpube_solve_opts *);

static void wrong_solve(solve_fn *solve)
{
	static const struct gpube_solve_opts rows[] = {
		{.sizeof_options = 5},
		{.sizeof_options = sizeof(rows[0]), .order_method = (enum gpube_order_method)77},
		{.sizeof_options = sizeof(rows[0]), .order_method = (enum gpube_order_method)-1},
		{.sizeof_options = sizeof(rows[0]), .order_method = GPUBE_ORDER_GIVEN},
		{.sizeof_options = sizeof(rows[0]), .order_method = GPUBE_ORDER_GIVEN, .order = twice},
		{.sizeof_options = sizeof(rows[0]), .order_method = GPUBE_ORDER_GIVEN, .order = none_such},
		{.sizeof_options = sizeof(rows[0]), .order_method = GPUBE_ORDER_GIVEN, .order = below},
		{.sizeof_options = sizeof(rows[0]), .backend = (enum gpube_backend)9},
		{.sizeof_options = sizeof(rows[0]), .precision = -4},
		{.sizeof_options = sizeof(rows[0]), .precision = 99},
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

WRONG(gpube_solution_free)
{
	struct gpube_solution s = {0};

	gpube_solution_free(NULL, ctx);
	gpube_solution_free(&s, NULL);
}

WRONG(gpube_infer)
{
	static const struct gpube_infer_opts rows[] = {
		{.sizeof_options = 5},
		{.sizeof_options = sizeof(rows[0]), .task = (enum gpube_infer_task)2},
		{.sizeof_options = sizeof(rows[0]), .task = (enum gpube_infer_task)-1},
		{.sizeof_options = sizeof(rows[0]), .order_method = (enum gpube_order_method)77},
		{.sizeof_options = sizeof(rows[0]), .order_method = GPUBE_ORDER_GIVEN},
		{.sizeof_options = sizeof(rows[0]), .order_method = GPUBE_ORDER_GIVEN, .order = twice},
		{.sizeof_options = sizeof(rows[0]), .order_seconds = -1},
		{.sizeof_options = sizeof(rows[0]), .timeout_seconds = NAN},
	};

	REFUSED(gpube_infer(NULL, potentials, NULL));
	NOT_MADE(struct gpube_inference, s, gpube_infer(&s, NULL, NULL));
	NOT_MADE(struct gpube_inference, s, gpube_infer(&s, m, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_inference, s, gpube_infer(&s, potentials, &rows[k]));
}

WRONG(gpube_inference_free)
{
	struct gpube_inference s = {0};

	gpube_inference_free(NULL, ctx);
	gpube_inference_free(&s, NULL);
}

WRONG(gpube_bound)
{
	static const struct gpube_bound_opts rows[] = {
		{.sizeof_options = 5},
		{.sizeof_options = sizeof(rows[0]), .method = (enum gpube_bound_method)55},
		{.sizeof_options = sizeof(rows[0]), .method = (enum gpube_bound_method)-1},
		{.sizeof_options = sizeof(rows[0]), .z = -7},
		{.sizeof_options = sizeof(rows[0]), .split = (enum gpube_split)42},
		{.sizeof_options = sizeof(rows[0]), .partition = (enum gpube_partition)77},
		{.sizeof_options = sizeof(rows[0]), .values = none_such},
		{.sizeof_options = sizeof(rows[0]), .values = below},
		{.sizeof_options = sizeof(rows[0]), .has_cutoff = 1, .cutoff = INT64_MIN},
		{.sizeof_options = sizeof(rows[0]), .order_method = (enum gpube_order_method)5},
		{.sizeof_options = sizeof(rows[0]), .order_method = GPUBE_ORDER_GIVEN},
		{.sizeof_options = sizeof(rows[0]), .order_method = GPUBE_ORDER_GIVEN, .order = twice},
		{.sizeof_options = sizeof(rows[0]), .backend = (enum gpube_backend)9},
		{.sizeof_options = sizeof(rows[0]), .precision = 13},
		{.sizeof_options = sizeof(rows[0]), .order_seconds = -1},
	};
	struct gpube_bound_opts o = {.sizeof_options = sizeof(o)};

	REFUSED(gpube_bound(NULL, m, NULL));
	NOT_MADE(struct gpube_bounds, b, gpube_bound(&b, NULL, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_bounds, b, gpube_bound(&b, m, &rows[k]));
	for (size_t k = 0; k < 3; k++) {
		o.timeout_seconds = bad_seconds[k];
		NOT_MADE(struct gpube_bounds, b, gpube_bound(&b, m, &o));
	}
}

WRONG(gpube_bounds_free)
{
	struct gpube_bounds b = {0};

	gpube_bounds_free(NULL, ctx);
	gpube_bounds_free(&b, NULL);
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
		{.sizeof_options = sizeof(rows[0]), .order_method = GPUBE_ORDER_GIVEN, .order = below},
		{.sizeof_options = sizeof(rows[0]), .order_seconds = NAN},
		{.sizeof_options = sizeof(rows[0]), .backend = (enum gpube_backend)9},
		{.sizeof_options = sizeof(rows[0]), .precision = 13},
	};

	REFUSED(gpube_heuristic_new(NULL, m, NULL));
	NOT_MADE(struct gpube_heuristic, x, gpube_heuristic_new(&x, NULL, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_heuristic, x, gpube_heuristic_new(&x, m, &rows[k]));
}

WRONG(gpube_heuristic_free)
{
	gpube_heuristic_free(NULL);
}

WRONG(gpube_heuristic_info)
{
	assert_null(gpube_heuristic_info(NULL));
}

WRONG(gpube_heuristic_order)
{
	assert_null(gpube_heuristic_order(NULL));
}

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

WRONG(gpube_heuristic_n_tables)
{
	assert_int_equal(gpube_heuristic_n_tables(NULL), 0);
}

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

WRONG(gpube_path_free)
{
	gpube_path_free(NULL);
}

WRONG(gpube_path_next)
{
	assert_int_equal(gpube_path_next(NULL), -1);
}

WRONG(gpube_path_bound)
{
	assert_true(gpube_path_bound(NULL) == -GPUBE_INF);
}

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

WRONG(gpube_path_values)
{
	assert_null(gpube_path_values(NULL));
}

/* ---- formats.h ----------------------------------------------------------------------------- */

WRONG(gpube_format_named)
{
	assert_int_equal(gpube_format_named(NULL), GPUBE_FORMAT_AUTO);
	assert_int_equal(gpube_format_named(""), GPUBE_FORMAT_AUTO);
	assert_int_equal(gpube_format_named("nix"), GPUBE_FORMAT_AUTO);
}

WRONG(gpube_format_name)
{
	assert_string_equal(gpube_format_name((enum gpube_format)99), "auto");
	assert_string_equal(gpube_format_name((enum gpube_format)-1), "auto");
}

WRONG(gpube_content_words)
{
	assert_null(gpube_content_words((enum gpube_content)6));
	assert_null(gpube_content_words((enum gpube_content)-1));
}

WRONG(gpube_content)
{
	enum gpube_content content = GPUBE_CONTENT_GAME;

	REFUSED(gpube_content(NULL, ctx, "examples/zebra.wcsp"));
	REFUSED(gpube_content(&content, NULL, "examples/zebra.wcsp"));
	REFUSED(gpube_content(&content, ctx, NULL));
	assert_int_equal(content, GPUBE_CONTENT_GAME);
}

WRONG(gpube_read_with)
{
	static const struct gpube_read_opts rows[] = {
		{.sizeof_options = 1},
		{.sizeof_options = sizeof(rows[0]), .format = (enum gpube_format)99},
		{.sizeof_options = sizeof(rows[0]), .format = (enum gpube_format)-1},
		{.sizeof_options = sizeof(rows[0]), .colors = -1},
	};

	REFUSED(gpube_read_with(NULL, ctx, "examples/zebra.wcsp", NULL));
	NOT_MADE(struct gpube_model, x, gpube_read_with(&x, NULL, "examples/zebra.wcsp", NULL));
	NOT_MADE(struct gpube_model, x, gpube_read_with(&x, ctx, NULL, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_model, x, gpube_read_with(&x, ctx, "examples/zebra.wcsp", &rows[k]));
}

WRONG(gpube_read)
{
	REFUSED(gpube_read(NULL, ctx, "examples/zebra.wcsp", GPUBE_FORMAT_AUTO, NULL));
	NOT_MADE(struct gpube_model, x, gpube_read(&x, NULL, "examples/zebra.wcsp", GPUBE_FORMAT_AUTO, NULL));
	NOT_MADE(struct gpube_model, x, gpube_read(&x, ctx, NULL, GPUBE_FORMAT_AUTO, NULL));
	NOT_MADE(struct gpube_model, x,
		gpube_read(&x, ctx, "examples/zebra.wcsp", (enum gpube_format)99, NULL));
}

/* Refused, and there is no file of the name that 'in_dir' gives. */
#define NOT_WRITTEN(name, call)                                                                    \
	do {                                                                                       \
		const char *to = in_dir(name);                                                     \
		REFUSED(call);                                                                     \
		assert_null(fopen(to, "r"));                                                       \
	} while (0)

WRONG(gpube_write_with)
{
	static const struct gpube_write_opts rows[] = {
		{.sizeof_options = 1},
		{.sizeof_options = sizeof(rows[0]), .format = (enum gpube_format)99},
		{.sizeof_options = sizeof(rows[0]), .format = GPUBE_FORMAT_YAML}, /* is read only */
		{.sizeof_options = sizeof(rows[0]), .precision = -1},
		{.sizeof_options = sizeof(rows[0]), .precision = 13},
	};

	REFUSED(gpube_write_with(m, NULL, NULL));
	NOT_WRITTEN("a.wcsp", gpube_write_with(NULL, to, NULL));
	NOT_WRITTEN("a.none", gpube_write_with(m, to, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_WRITTEN("a.wcsp", gpube_write_with(m, to, &rows[k]));
}

WRONG(gpube_write)
{
	REFUSED(gpube_write(m, NULL, GPUBE_FORMAT_WCSP));
	REFUSED(gpube_write(m, "", GPUBE_FORMAT_AUTO));
	NOT_WRITTEN("a.wcsp", gpube_write(NULL, to, GPUBE_FORMAT_WCSP));
	NOT_WRITTEN("a.wcsp", gpube_write(m, to, (enum gpube_format)99));
	NOT_WRITTEN("a.none", gpube_write(m, to, GPUBE_FORMAT_AUTO));
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

WRONG(gpube_read_ub)
{
	int64_t cost = 77;

	REFUSED(gpube_read_ub(NULL, m, "/dev/null"));
	REFUSED(gpube_read_ub(&cost, NULL, "/dev/null"));
	REFUSED(gpube_read_ub(&cost, m, NULL));
	REFUSED(gpube_read_ub(&cost, potentials, "/dev/null"));
	assert_true(cost == 77);
}

WRONG(gpube_write_ub)
{
	REFUSED(gpube_write_ub(m, NULL, 5));
	NOT_WRITTEN("a.ub", gpube_write_ub(NULL, to, 5));
	NOT_WRITTEN("a.ub", gpube_write_ub(potentials, to, 5));
}

/* Decompositions that are none, of a model of two variables. */
static int32_t parents[][2] = {{-1, 1}, {-2, 0}, {0, 0}, {-1, 0}, {-1, 0}, {-1, 0}};
static int64_t firsts[][3] = {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 2, 1}, {0, 1, 2}, {1, 1, 2}};
static int32_t lists[][2] = {{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 2}, {0, 1}};

static struct gpube_decomposition decomposition(int k)
{
	return (struct gpube_decomposition){2, parents[k], firsts[k], lists[k]};
}

WRONG(gpube_read_decomposition)
{
	REFUSED(gpube_read_decomposition(NULL, m, "/dev/null"));
	NOT_MADE(struct gpube_decomposition, d, gpube_read_decomposition(&d, NULL, "/dev/null"));
	NOT_MADE(struct gpube_decomposition, d, gpube_read_decomposition(&d, m, NULL));
}

WRONG(gpube_write_decomposition)
{
	struct gpube_decomposition d = decomposition(0);

	REFUSED(gpube_write_decomposition(m, NULL, &d));
	NOT_WRITTEN("a.cov", gpube_write_decomposition(NULL, to, &d));
	NOT_WRITTEN("a.cov", gpube_write_decomposition(m, to, NULL));
	for (int k = 0; k < 6; k++) {
		d = decomposition(k);
		NOT_WRITTEN("a.cov", gpube_write_decomposition(m, to, &d));
	}
	d = (struct gpube_decomposition){.n_clusters = -1};
	NOT_WRITTEN("a.cov", gpube_write_decomposition(m, to, &d));
	d = (struct gpube_decomposition){.n_clusters = 2};
	NOT_WRITTEN("a.cov", gpube_write_decomposition(m, to, &d));
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

WRONG(gpube_decomposition_free)
{
	struct gpube_decomposition d = {0};

	gpube_decomposition_free(NULL, ctx);
	gpube_decomposition_free(&d, NULL);
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
		{.task = (enum gpube_uai_task)-1},
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

WRONG(gpube_uai_task_name)
{
	assert_null(gpube_uai_task_name((enum gpube_uai_task)4));
	assert_null(gpube_uai_task_name((enum gpube_uai_task)-1));
}

WRONG(gpube_uai_result_free)
{
	struct gpube_uai_result r = {0};

	gpube_uai_result_free(NULL, ctx);
	gpube_uai_result_free(&r, NULL);
}

WRONG(gpube_write_daoopt_order)
{
	REFUSED(gpube_write_daoopt_order(m, NULL, two));
	NOT_WRITTEN("a.ord", gpube_write_daoopt_order(NULL, to, two));
	NOT_WRITTEN("a.ord", gpube_write_daoopt_order(m, to, NULL));
	NOT_WRITTEN("a.ord", gpube_write_daoopt_order(m, to, twice));
}

WRONG(gpube_write_minibuckets)
{
	const struct gpube_minibucket_function rows[] = {
		{.bucket = 0, .arity = -1, .scope = two, .n = 6, .log10_values = reals},
		{.bucket = 0, .arity = 2, .n = 6, .log10_values = reals},
		{.bucket = 0, .arity = 2, .scope = two, .n = 6},
		{.bucket = 0, .arity = 2, .scope = two, .n = 5, .log10_values = reals},
		{.bucket = 9, .arity = 2, .scope = two, .n = 6, .log10_values = reals},
		{.bucket = 0, .arity = 2, .scope = none_such, .n = 6, .log10_values = reals},
		{.bucket = 0, .arity = 2, .scope = two, .n = 6, .log10_values = reals, .n_over = 1},
		{.bucket = 0, .arity = 2, .scope = two, .n = 6, .log10_values = reals, .n_over = -1},
	};
	struct gpube_minibuckets b = {.n_functions = 1};

	REFUSED(gpube_write_minibuckets(potentials, NULL, &b));
	NOT_WRITTEN("a.mb", gpube_write_minibuckets(NULL, to, &b));
	NOT_WRITTEN("a.mb", gpube_write_minibuckets(potentials, to, NULL));
	NOT_WRITTEN("a.mb", gpube_write_minibuckets(potentials, to, &b));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		b.functions = &rows[k];
		NOT_WRITTEN("a.mb", gpube_write_minibuckets(potentials, to, &b));
	}
	b.n_functions = -1;
	NOT_WRITTEN("a.mb", gpube_write_minibuckets(potentials, to, &b));
}

/* ---- csg.h, auction.h ------------------------------------------------------------------------- */

WRONG(csg_game_new)
{
	REFUSED(csg_game_new(NULL, ctx, 3, CSG_INT32));
	NOT_MADE(struct csg_game, g, csg_game_new(&g, NULL, 3, CSG_INT32));
	NOT_MADE(struct csg_game, g, csg_game_new(&g, ctx, 0, CSG_INT32));
	NOT_MADE(struct csg_game, g, csg_game_new(&g, ctx, -1, CSG_INT32));
	NOT_MADE(struct csg_game, g, csg_game_new(&g, ctx, CSG_MAX_AGENTS + 1, CSG_INT32));
	NOT_MADE(struct csg_game, g, csg_game_new(&g, ctx, 3, CSG_INT128));
	NOT_MADE(struct csg_game, g, csg_game_new(&g, ctx, 3, (enum csg_type)99));
	NOT_MADE(struct csg_game, g, csg_game_new(&g, ctx, 3, (enum csg_type)-1));
}

WRONG(csg_game_free)
{
	csg_game_free(NULL);
}

WRONG(csg_game_agents)
{
	assert_int_equal(csg_game_agents(NULL), 0);
}

WRONG(csg_game_type)
{
	assert_int_equal(csg_game_type(NULL), CSG_INT16);
}

WRONG(csg_type_name)
{
	assert_null(csg_type_name((enum csg_type)6));
	assert_null(csg_type_name((enum csg_type)-1));
}

WRONG(csg_game_values)
{
	assert_null(csg_game_values(NULL));
}

WRONG(csg_game_value)
{
	assert_true(csg_game_value(NULL, 1) == -INFINITY);
	assert_true(csg_game_value(game, 8) == -INFINITY);
	assert_true(csg_game_value(game, UINT64_MAX) == -INFINITY);
	assert_true(csg_game_value(sparse, UINT64_MAX) == -INFINITY);
}

static void wrong_csg_opts(struct csg_game *g)
{
	static const struct csg_opts rows[] = {
		{.sizeof_options = 5},
		{.sizeof_options = sizeof(rows[0]), .method = (enum csg_method)5},
		{.sizeof_options = sizeof(rows[0]), .method = (enum csg_method)-1},
		{.sizeof_options = sizeof(rows[0]), .timeout_seconds = -1},
		{.sizeof_options = sizeof(rows[0]), .timeout_seconds = NAN},
		{.sizeof_options = sizeof(rows[0]), .backend = (enum gpube_backend)9},
		{.sizeof_options = sizeof(rows[0]), .method = CSG_DP, .certificate = "proof"},
	};

	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct csg_result, r, csg_solve(&r, g, &rows[k]));
}

WRONG(csg_solve)
{
	int32_t *values = csg_game_values(game);

	REFUSED(csg_solve(NULL, game, NULL));
	NOT_MADE(struct csg_result, r, csg_solve(&r, NULL, NULL));
	wrong_csg_opts(game);
	wrong_csg_opts(sparse);
	values[0] = 1; /* nobody is worth nothing */
	NOT_MADE(struct csg_result, r, csg_solve(&r, game, NULL));
	values[0] = 0;
}

WRONG(csg_result_free)
{
	struct csg_result r = {0};

	csg_result_free(NULL, ctx);
	csg_result_free(&r, NULL);
}

WRONG(csg_verify)
{
	REFUSED(csg_verify(NULL, game, "/dev/null"));
	NOT_MADE(struct csg_result, r, csg_verify(&r, NULL, "/dev/null"));
	NOT_MADE(struct csg_result, r, csg_verify(&r, game, NULL));
}

WRONG(csg_method_name)
{
	assert_null(csg_method_name((enum csg_method)5));
	assert_null(csg_method_name((enum csg_method)-1));
}

WRONG(csg_read)
{
	REFUSED(csg_read(NULL, ctx, "/dev/null"));
	NOT_MADE(struct csg_game, g, csg_read(&g, NULL, "/dev/null"));
	NOT_MADE(struct csg_game, g, csg_read(&g, ctx, NULL));
}

WRONG(csg_write)
{
	REFUSED(csg_write(game, NULL, 1));
	NOT_WRITTEN("a.csg", csg_write(NULL, to, 1));
	NOT_WRITTEN("a.csg", csg_write(sparse, to, 0)); /* it has no table */
}

WRONG(csg_distribution)
{
	assert_null(csg_distribution(-1));
	assert_null(csg_distribution(INT_MAX));
}

typedef int csg_make(struct csg_game **, struct gpube_ctx *, const char *, int, enum csg_type, uint64_t);

static void wrong_generate(csg_make *make)
{
	REFUSED(make(NULL, ctx, "uniform", 3, CSG_INT32, 1));
	NOT_MADE(struct csg_game, g, make(&g, NULL, "uniform", 3, CSG_INT32, 1));
	NOT_MADE(struct csg_game, g, make(&g, ctx, NULL, 3, CSG_INT32, 1));
	NOT_MADE(struct csg_game, g, make(&g, ctx, "nix", 3, CSG_INT32, 1));
	NOT_MADE(struct csg_game, g, make(&g, ctx, "uniform", 0, CSG_INT32, 1));
	NOT_MADE(struct csg_game, g, make(&g, ctx, "uniform", 41, CSG_INT32, 1));
	NOT_MADE(struct csg_game, g, make(&g, ctx, "uniform", 3, CSG_INT128, 1));
	NOT_MADE(struct csg_game, g, make(&g, ctx, "uniform", 3, (enum csg_type)-1, 1));
}

WRONG(csg_generate)
{
	wrong_generate(csg_generate);
}

WRONG(csg_generate_on_device)
{
	wrong_generate(csg_generate_on_device);
}

WRONG(csg_generate_unstored)
{
	wrong_generate(csg_generate_unstored);
}

WRONG(csg_auction_read)
{
	REFUSED(csg_auction_read(NULL, ctx, "/dev/null"));
	NOT_MADE(struct csg_auction, a, csg_auction_read(&a, NULL, "/dev/null"));
	NOT_MADE(struct csg_auction, a, csg_auction_read(&a, ctx, NULL));
}

WRONG(csg_auction_free)
{
	csg_auction_free(NULL);
}

WRONG(csg_auction_read_any)
{
	struct csg_auction *a = NULL;
	struct csg_game *g = NULL;

	REFUSED(csg_auction_read_any(NULL, &g, ctx, "/dev/null"));
	REFUSED(csg_auction_read_any(&a, NULL, ctx, "/dev/null"));
	REFUSED(csg_auction_read_any(&a, &g, NULL, "/dev/null"));
	REFUSED(csg_auction_read_any(&a, &g, ctx, NULL));
	assert_true(!a && !g);
}

WRONG(csg_auction_goods)
{
	assert_int_equal(csg_auction_goods(NULL), 0);
}

WRONG(csg_auction_bids)
{
	assert_int_equal(csg_auction_bids(NULL), 0);
}

WRONG(csg_auction_bid_id)
{
	assert_true(csg_auction_bid_id(NULL, 0) == -1);
	assert_true(csg_auction_bid_id(auction, -1) == -1);
	assert_true(csg_auction_bid_id(auction, csg_auction_bids(auction)) == -1);
}

WRONG(csg_auction_solve)
{
	struct csg_auction_opts o = {.sizeof_options = 1};

	REFUSED(csg_auction_solve(NULL, auction, NULL));
	NOT_MADE(struct csg_auction_result, r, csg_auction_solve(&r, NULL, NULL));
	NOT_MADE(struct csg_auction_result, r, csg_auction_solve(&r, auction, &o));
	o.sizeof_options = sizeof(o);
	for (size_t k = 0; k < 3; k++) {
		o.timeout_seconds = bad_seconds[k];
		NOT_MADE(struct csg_auction_result, r, csg_auction_solve(&r, auction, &o));
	}
}

WRONG(csg_auction_result_free)
{
	struct csg_auction_result r = {0};

	csg_auction_result_free(NULL, ctx);
	csg_auction_result_free(&r, NULL);
}

WRONG(csg_auction_distribution)
{
	assert_null(csg_auction_distribution(-1));
	assert_null(csg_auction_distribution(INT_MAX));
}

WRONG(csg_auction_generate)
{
	REFUSED(csg_auction_generate(ctx, NULL, "regions", 5, 5, 1));
	NOT_WRITTEN("a.txt", csg_auction_generate(NULL, to, "regions", 5, 5, 1));
	NOT_WRITTEN("a.txt", csg_auction_generate(ctx, to, NULL, 5, 5, 1));
	NOT_WRITTEN("a.txt", csg_auction_generate(ctx, to, "nix", 5, 5, 1));
	NOT_WRITTEN("a.txt", csg_auction_generate(ctx, to, "regions", 1, 5, 1));
	NOT_WRITTEN("a.txt", csg_auction_generate(ctx, to, "regions", INT_MAX, 5, 1));
	NOT_WRITTEN("a.txt", csg_auction_generate(ctx, to, "regions", 5, 0, 1));
	NOT_WRITTEN("a.txt", csg_auction_generate(ctx, to, "regions", 5, -1, 1));
	NOT_WRITTEN("a.txt", csg_auction_generate(ctx, to, "regions", 5, INT_MAX, 1));
}

/* ---- nash.h ------------------------------------------------------------------------------------ */

WRONG(nash_game_new)
{
	REFUSED(nash_game_new(NULL, ctx, 2, 2));
	NOT_MADE(struct nash_game, g, nash_game_new(&g, NULL, 2, 2));
	NOT_MADE(struct nash_game, g, nash_game_new(&g, ctx, 0, 2));
	NOT_MADE(struct nash_game, g, nash_game_new(&g, ctx, 2, -1));
}

WRONG(nash_game_free)
{
	nash_game_free(NULL);
}

WRONG(nash_game_rows)
{
	assert_int_equal(nash_game_rows(NULL), 0);
}

WRONG(nash_game_columns)
{
	assert_int_equal(nash_game_columns(NULL), 0);
}

WRONG(nash_game_set)
{
	REFUSED(nash_game_set(NULL, 1, 0, 0, 1, 1));
	REFUSED(nash_game_set(bimatrix, 0, 0, 0, 1, 1));
	REFUSED(nash_game_set(bimatrix, 3, 0, 0, 1, 1));
	REFUSED(nash_game_set(bimatrix, 1, -1, 0, 1, 1));
	REFUSED(nash_game_set(bimatrix, 1, 2, 0, 1, 1));
	REFUSED(nash_game_set(bimatrix, 1, 0, -1, 1, 1));
	REFUSED(nash_game_set(bimatrix, 1, 0, 2, 1, 1));
	REFUSED(nash_game_set(bimatrix, 1, 0, 0, 1, 0));
	REFUSED(nash_game_set(bimatrix, 1, 0, 0, 1, -5));
}

WRONG(nash_game_label)
{
	assert_null(nash_game_label(NULL, 1, 0));
	assert_null(nash_game_label(bimatrix, 3, 0));
	assert_null(nash_game_label(bimatrix, 1, -1));
	assert_null(nash_game_label(bimatrix, 1, 2));
}

WRONG(nash_read)
{
	REFUSED(nash_read(NULL, ctx, "examples/effort.nfg", NASH_FORMAT_AUTO));
	NOT_MADE(struct nash_game, g, nash_read(&g, NULL, "examples/effort.nfg", NASH_FORMAT_AUTO));
	NOT_MADE(struct nash_game, g, nash_read(&g, ctx, NULL, NASH_FORMAT_AUTO));
	NOT_MADE(struct nash_game, g, nash_read(&g, ctx, "examples/effort.nfg", (enum nash_format)99));
	NOT_MADE(struct nash_game, g, nash_read(&g, ctx, "examples/effort.nfg", (enum nash_format)-1));
}

WRONG(nash_write)
{
	REFUSED(nash_write(bimatrix, NULL, NASH_FORMAT_NFG));
	NOT_WRITTEN("a.nfg", nash_write(NULL, to, NASH_FORMAT_NFG));
	NOT_WRITTEN("a.nfg", nash_write(bimatrix, to, (enum nash_format)99));
	NOT_WRITTEN("a.nfg", nash_write(bimatrix, to, (enum nash_format)-1));
}

WRONG(nash_class)
{
	assert_null(nash_class(-1));
	assert_null(nash_class(INT_MAX));
}

WRONG(nash_generate)
{
	static const struct nash_random rows[] = {
		{.sizeof_options = 1, .rows = 2, .columns = 2},
		{.sizeof_options = sizeof(rows[0])},
		{.sizeof_options = sizeof(rows[0]), .rows = -2, .columns = 2},
		{.sizeof_options = sizeof(rows[0]), .rows = 2, .columns = 2, .kind = "nix"},
		{.sizeof_options = sizeof(rows[0]), .rows = 2, .columns = 2, .range = -1},
		{.sizeof_options = sizeof(rows[0]), .rows = 2, .columns = 2, .range = INT64_MAX},
		{.sizeof_options = sizeof(rows[0]), .rows = 2, .columns = 2, .covariance = 2},
		{.sizeof_options = sizeof(rows[0]), .rows = 2, .columns = 2, .covariance = NAN},
		{.sizeof_options = sizeof(rows[0]), .rows = 2, .columns = 2, .parameters = "1"},
	};

	REFUSED(nash_generate(NULL, ctx, &rows[1]));
	NOT_MADE(struct nash_game, g, nash_generate(&g, NULL, &rows[1]));
	NOT_MADE(struct nash_game, g, nash_generate(&g, ctx, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct nash_game, g, nash_generate(&g, ctx, &rows[k]));
}

WRONG(nash_exact)
{
	assert_in_range(nash_exact(), 0, 1);
}

WRONG(nash_solve)
{
	static const struct nash_opts rows[] = {
		{.sizeof_options = 5},
		{.sizeof_options = sizeof(rows[0]), .method = (enum nash_method)4},
		{.sizeof_options = sizeof(rows[0]), .method = (enum nash_method)-1},
		{.sizeof_options = sizeof(rows[0]), .max = -1},
		{.sizeof_options = sizeof(rows[0]), .support_size = -1},
		{.sizeof_options = sizeof(rows[0]), .support_size = 2},
		{.sizeof_options = sizeof(rows[0]), .backend = (enum gpube_backend)9},
		{.sizeof_options = sizeof(rows[0]), .timeout_seconds = -1},
		{.sizeof_options = sizeof(rows[0]), .timeout_seconds = NAN},
	};

	REFUSED(nash_solve(NULL, bimatrix, NULL));
	NOT_MADE(struct nash_result, r, nash_solve(&r, NULL, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct nash_result, r, nash_solve(&r, bimatrix, &rows[k]));
}

WRONG(nash_result_free)
{
	struct nash_result r = {0};

	nash_result_free(NULL, ctx);
	nash_result_free(&r, NULL);
}

WRONG(nash_components)
{
	const struct nash_result r = {.answer = NASH_ANSWER_INCOMPLETE};
	const struct nash_result all = {.answer = NASH_ANSWER_ALL};

	REFUSED(nash_components(NULL, ctx, &r, 0));
	NOT_MADE(struct nash_components, c, nash_components(&c, NULL, &r, 0));
	NOT_MADE(struct nash_components, c, nash_components(&c, ctx, NULL, 0));
	NOT_MADE(struct nash_components, c, nash_components(&c, ctx, &r, 0));
	NOT_MADE(struct nash_components, c, nash_components(&c, ctx, &all, 0));
	for (size_t k = 0; k < 3; k++)
		NOT_MADE(struct nash_components, c, nash_components(&c, ctx, &all, bad_seconds[k]));
}

WRONG(nash_components_free)
{
	struct nash_components c = {0};

	nash_components_free(NULL, ctx);
	nash_components_free(&c, NULL);
}

/* ---- the table --------------------------------------------------------------------------------- */

#define ROW(name) {#name, wrong_##name}

static const struct row {
	const char *name;
	void (*wrong)(void);
} rows[] = {
	ROW(gpube_ctx_new),
	ROW(gpube_ctx_free),
	ROW(gpube_error),
	ROW(gpube_ctx_stop),
	ROW(gpube_ctx_resume),
	ROW(gpube_model_new),
	ROW(gpube_model_free),
	ROW(gpube_model_add_var),
	ROW(gpube_model_add_costs),
	ROW(gpube_model_add_potentials),
	ROW(gpube_model_set_top),
	ROW(gpube_model_set_direction),
	ROW(gpube_model_set_scale),
	ROW(gpube_model_observe),
	ROW(gpube_model_n_vars),
	ROW(gpube_model_domain),
	ROW(gpube_model_kind),
	ROW(gpube_model_direction),
	ROW(gpube_model_scale),
	ROW(gpube_model_constant),
	ROW(gpube_model_top),
	ROW(gpube_model_observed),
	ROW(gpube_model_var_name),
	ROW(gpube_model_value_name),
	ROW(gpube_model_n_functions),
	ROW(gpube_model_scope),
	ROW(gpube_model_cells),
	ROW(gpube_model_costs),
	ROW(gpube_model_potentials),
	ROW(gpube_model_cost),
	ROW(gpube_model_log_value),
	ROW(gpube_solve),
	ROW(gpube_plan),
	ROW(gpube_solution_free),
	ROW(gpube_infer),
	ROW(gpube_inference_free),
	ROW(gpube_bound),
	ROW(gpube_bounds_free),
	ROW(gpube_heuristic_new),
	ROW(gpube_heuristic_free),
	ROW(gpube_heuristic_info),
	ROW(gpube_heuristic_order),
	ROW(gpube_heuristic_bound),
	ROW(gpube_heuristic_n_tables),
	ROW(gpube_heuristic_table),
	ROW(gpube_heuristic_cells),
	ROW(gpube_path_new),
	ROW(gpube_path_free),
	ROW(gpube_path_next),
	ROW(gpube_path_bound),
	ROW(gpube_path_bounds),
	ROW(gpube_path_push),
	ROW(gpube_path_pop),
	ROW(gpube_path_values),
	ROW(gpube_format_named),
	ROW(gpube_format_name),
	ROW(gpube_content),
	ROW(gpube_content_words),
	ROW(gpube_read_with),
	ROW(gpube_read),
	ROW(gpube_write_with),
	ROW(gpube_write),
	ROW(gpube_read_order),
	ROW(gpube_write_order),
	ROW(gpube_write_solution),
	ROW(gpube_read_solution),
	ROW(gpube_read_ub),
	ROW(gpube_write_ub),
	ROW(gpube_read_decomposition),
	ROW(gpube_write_decomposition),
	ROW(gpube_order_of_decomposition),
	ROW(gpube_decomposition_of_order),
	ROW(gpube_decomposition_free),
	ROW(gpube_read_uai_result),
	ROW(gpube_write_uai_result),
	ROW(gpube_uai_task_name),
	ROW(gpube_uai_result_free),
	ROW(gpube_write_daoopt_order),
	ROW(gpube_write_minibuckets),
	ROW(csg_game_new),
	ROW(csg_game_free),
	ROW(csg_game_agents),
	ROW(csg_game_type),
	ROW(csg_type_name),
	ROW(csg_game_values),
	ROW(csg_game_value),
	ROW(csg_solve),
	ROW(csg_result_free),
	ROW(csg_verify),
	ROW(csg_method_name),
	ROW(csg_read),
	ROW(csg_write),
	ROW(csg_distribution),
	ROW(csg_generate),
	ROW(csg_generate_on_device),
	ROW(csg_generate_unstored),
	ROW(csg_auction_read),
	ROW(csg_auction_free),
	ROW(csg_auction_read_any),
	ROW(csg_auction_goods),
	ROW(csg_auction_bids),
	ROW(csg_auction_bid_id),
	ROW(csg_auction_solve),
	ROW(csg_auction_result_free),
	ROW(csg_auction_distribution),
	ROW(csg_auction_generate),
	ROW(nash_game_new),
	ROW(nash_game_free),
	ROW(nash_game_rows),
	ROW(nash_game_columns),
	ROW(nash_game_set),
	ROW(nash_game_label),
	ROW(nash_read),
	ROW(nash_write),
	ROW(nash_class),
	ROW(nash_generate),
	ROW(nash_exact),
	ROW(nash_solve),
	ROW(nash_result_free),
	ROW(nash_components),
	ROW(nash_components_free),
};

enum { N_ROWS = sizeof(rows) / sizeof(*rows) };

/* All that the accessors say of a model, as text. */
static char *state_of(const struct gpube_model *model)
{
	static char texts[2][4096];
	char *text = texts[model == m];
	size_t n = 0;

#define SAY(...) n += (size_t)snprintf(text + n, sizeof(texts[0]) - n, __VA_ARGS__)
	SAY("%d %d %d %lld %lld:", gpube_model_kind(model), gpube_model_direction(model),
		gpube_model_scale(model), (long long)gpube_model_constant(model),
		(long long)gpube_model_top(model));
	for (int32_t i = 0; i < gpube_model_n_vars(model); i++)
		SAY(" %d %s %d,", gpube_model_domain(model, i),
			gpube_model_var_name(model, i) ? gpube_model_var_name(model, i) : "-",
			gpube_model_observed(model, i));
	for (int32_t f = 0; f < gpube_model_n_functions(model); f++) {
		int64_t costs[6] = {0};
		double values[6] = {0};
		const int32_t *scope;
		int arity = gpube_model_scope(&scope, model, f);

		assert_in_range(gpube_model_cells(model, f), 1, 6);
		if (gpube_model_kind(model) == GPUBE_COSTS)
			assert_int_equal(gpube_model_costs(costs, model, f), 0);
		else
			assert_int_equal(gpube_model_potentials(values, model, f), 0);
		for (int k = 0; k < arity; k++)
			SAY(" %d", scope[k]);
		for (int k = 0; k < 6; k++)
			SAY(" %lld %g", (long long)costs[k], values[k]);
	}
#undef SAY
	assert_true(n < sizeof(texts[0]));
	return text;
}

static void changes_nothing(void **state)
{
	const struct row *row = *state;
	char before[2][4096];

	snprintf(before[0], sizeof(before[0]), "%s", state_of(m));
	snprintf(before[1], sizeof(before[1]), "%s", state_of(potentials));
	row->wrong();
	assert_string_equal(state_of(m), before[0]);
	assert_string_equal(state_of(potentials), before[1]);
	assert_true(gpube_path_bound(path) == 5 + 5);
	assert_true(csg_game_value(game, 7) == 12);
	assert_null(nash_game_label(bimatrix, 1, 0));
}

/* Every function that a header exports. */
static void headers_are_covered(void **state)
{
	static const char *const headers[] = {"gpube/gpube.h", "formats/formats.h", "csg/csg.h",
		"csg/auction.h", "nash/nash.h"};
	int n = 0;

	(void)state;
	for (size_t k = 0; k < sizeof(headers) / sizeof(*headers); k++) {
		size_t length;
		char *text = test_get(headers[k], &length), *at = text;

		assert_non_null(text);
		while ((at = strstr(at, "\nGPUBE_API "))) {
			char *end = strchr(at, '('), *begin = end;
			int row = 0;

			assert_non_null(end);
			while (isalnum((unsigned char)begin[-1]) || begin[-1] == '_')
				begin--;
			*end = 0;
			while (row < N_ROWS && strcmp(rows[row].name, begin) != 0)
				row++;
			if (row == N_ROWS)
				fail_msg("%s: no wrong calls of %s()", headers[k], begin);
			at = end + 1;
			n++;
		}
		free(text);
	}
	assert_int_equal(n, N_ROWS);
}

static int set_up(void **state)
{
	static const int32_t values[] = {0, 5, 5, 9, 1, 8, 5, 12};
	const char *text;
	FILE *f;

	if (ctx_dir_setup(state))
		return -1;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	assert_int_equal(gpube_model_new(&potentials, ctx, GPUBE_POTENTIALS), 0);
	for (int k = 0; k < 2; k++) {
		assert_int_equal(gpube_model_add_var(k ? m : potentials, NULL, 2, "x"), 0);
		assert_int_equal(gpube_model_add_var(k ? m : potentials, NULL, 3, NULL), 0);
	}
	assert_int_equal(gpube_model_add_costs(m, 2, two, six), 0);
	assert_int_equal(gpube_model_add_costs(m, 0, NULL, &six[5]), 0);
	assert_int_equal(gpube_model_add_potentials(potentials, 2, two, reals), 0);
	assert_int_equal(gpube_heuristic_new(&h, m, NULL), 0);
	assert_int_equal(gpube_path_new(&path, h), 0);
	while (gpube_path_next(path) >= 0)
		gpube_path_push(path, gpube_model_domain(m, gpube_path_next(path)) - 1);
	assert_int_equal(csg_game_new(&game, ctx, 3, CSG_INT32), 0);
	memcpy(csg_game_values(game), values, sizeof(values));
	text = in_dir("sparse.txt");
	f = fopen(text, "w");
	assert_non_null(f);
	fputs("csg 40 int32\ndefault -1\n{1,40} 9\n", f);
	fclose(f);
	assert_int_equal(csg_read(&sparse, ctx, text), 0);
	text = in_dir("auction.txt");
	assert_int_equal(csg_auction_generate(ctx, text, "regions", 5, 5, 1), 0);
	assert_int_equal(csg_auction_read(&auction, ctx, text), 0);
	assert_int_equal(nash_game_new(&bimatrix, ctx, 2, 2), 0);
	return 0;
}

static int tear_down(void **state)
{
	gpube_path_free(path);
	gpube_heuristic_free(h);
	gpube_model_free(m);
	gpube_model_free(potentials);
	csg_game_free(game);
	csg_game_free(sparse);
	csg_auction_free(auction);
	nash_game_free(bimatrix);
	return ctx_dir_teardown(state);
}

int main(void)
{
	struct CMUnitTest tests[N_ROWS + 1] = {cmocka_unit_test(headers_are_covered)};

	for (int k = 0; k < N_ROWS; k++) {
		const void *row = &rows[k];

		tests[1 + k] = (struct CMUnitTest){.name = rows[k].name, .test_func = changes_nothing};
		memcpy(&tests[1 + k].initial_state, &row, sizeof(row));
	}
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
