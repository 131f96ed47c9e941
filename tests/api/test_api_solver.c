/* test_api_solver.c - wrong calls of every function of solver.h: see wrong_calls.h. */
#include "tests/support/wrong_calls.h"
#include "gpube/options/options.h"

#include "gpube/solver.h"

static struct gpube_solver *s, *p; /* of costs and of potentials */

WRONG(gpube_solver_new)
{
	static const struct gpube_opts rows[] = {{.values = none_such},
		{.order_method = GPUBE_ORDER_GIVEN},
		{.order_method = GPUBE_ORDER_GIVEN, .order = twice},
		{.has_cutoff = 1, .cutoff = INT64_MIN}};
	struct gpube_model *game;

	REFUSED(gpube_solver_new(NULL, ctx, m, NULL));
	NOT_MADE(struct gpube_solver, x, gpube_solver_new(&x, ctx, NULL, NULL));
	NOT_MADE(struct gpube_solver, x, gpube_solver_new(&x, NULL, NULL, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_solver, x, gpube_solver_new(&x, NULL, m, &rows[k]));
	assert_int_equal(gpube_model_new(&game, ctx, GPUBE_GAME), 0);
	NOT_MADE(struct gpube_solver, x, gpube_solver_new(&x, NULL, game, NULL));
	gpube_model_free(game);
}

WRONG_NULL(gpube_solver_free)
WRONG(gpube_solver_model)
{
	static const double weights[] = {1, 2};
	struct gpube_solver *x;

	assert_null(gpube_solver_model(NULL));
	assert_int_equal(gpube_solver_new(&x, ctx, potentials, NULL), GPUBE_OK);
	REFUSED(gpube_model_weigh(gpube_solver_model(x), 0, weights));
	gpube_solver_free(x);
}

WRONG(gpube_solver_change_costs)
{
	int64_t low[6] = {0, 0, 0, 0, 0, INT64_MIN};

	REFUSED(gpube_solver_change_costs(NULL, 0, six));
	REFUSED(gpube_solver_change_costs(s, 0, NULL));
	REFUSED(gpube_solver_change_costs(s, -1, six));
	REFUSED(gpube_solver_change_costs(s, 1, six));
	REFUSED(gpube_solver_change_costs(p, 0, six));
	assert_int_equal(gpube_solver_change_costs(s, 0, low), GPUBE_ERANGE);
}

WRONG(gpube_solver_change_potentials)
{
	const double bad[6] = {1, 1, 1, 1, 1, -1};

	REFUSED(gpube_solver_change_potentials(NULL, 0, reals));
	REFUSED(gpube_solver_change_potentials(p, 0, NULL));
	REFUSED(gpube_solver_change_potentials(p, 9, reals));
	REFUSED(gpube_solver_change_potentials(s, 0, reals));
	REFUSED(gpube_solver_change_potentials(p, 0, bad));
}

WRONG(gpube_solver_change_cost)
{
	REFUSED(gpube_solver_change_cost(NULL, 0, (const int32_t[]){0, 0}, 1));
	REFUSED(gpube_solver_change_cost(s, 0, NULL, 1));
	REFUSED(gpube_solver_change_cost(s, 7, (const int32_t[]){0, 0}, 1));
	REFUSED(gpube_solver_change_cost(s, 0, (const int32_t[]){0, 9}, 1));
	REFUSED(gpube_solver_change_cost(s, 0, (const int32_t[]){-1, 0}, 1));
	REFUSED(gpube_solver_change_cost(p, 0, (const int32_t[]){0, 0}, 1));
	assert_int_equal(
		gpube_solver_change_cost(s, 0, (const int32_t[]){0, 0}, INT64_MIN), GPUBE_ERANGE);
}

WRONG(gpube_solver_assume)
{
	REFUSED(gpube_solver_assume(NULL, 0, NULL, NULL));
	REFUSED(gpube_solver_assume(s, -1, two, two));
	REFUSED(gpube_solver_assume(s, 1, NULL, two));
	REFUSED(gpube_solver_assume(s, 1, two, NULL));
	REFUSED(gpube_solver_assume(s, 2, none_such, (const int32_t[]){0, 0}));
	REFUSED(gpube_solver_assume(s, 1, two, (const int32_t[]){9}));
	REFUSED(gpube_solver_assume(s, 1, two, (const int32_t[]){-1}));
}

static int with_options(const struct gpube_opts *opts)
{
	struct gpube_solution *x = (struct gpube_solution *)(uintptr_t)16;
	const int status = gpube_solver_run(&x, s, opts);

	assert_null(x);
	return status;
}

WRONG(gpube_solver_run)
{
	REFUSED(gpube_solver_run(NULL, s, NULL));
	NOT_MADE(struct gpube_solution, x, gpube_solver_run(&x, NULL, NULL));
	REFUSED(with_options(&(struct gpube_opts){.has_cutoff = 1, .cutoff = INT64_MIN}));
	wrong_options("gpube_solver_run", with_options);
}

/* Both are as the models that they were made of. */
static void unchanged(void)
{
	struct gpube_solver *const both[] = {s, p};

	wrong_models_unchanged();
	for (int k = 0; k < 2; k++) {
		struct gpube_solution *said, *wanted;

		assert_int_equal(gpube_solver_run(&said, both[k], NULL), 0);
		assert_int_equal(gpube_solve(&wanted, k ? potentials : m, NULL), 0);
		assert_int_equal(said->answer, wanted->answer);
		assert_true(said->cost == wanted->cost && said->bound == wanted->bound);
		gpube_result_free(said);
		gpube_result_free(wanted);
	}
}

static int set_up(void **state)
{
	if (wrong_models_setup(state))
		return -1;
	assert_int_equal(gpube_solver_new(&s, NULL, m, NULL), 0);
	assert_int_equal(gpube_solver_new(&p, ctx, potentials, NULL), 0);
	return 0;
}

static int tear_down(void **state)
{
	gpube_solver_free(s);
	gpube_solver_free(p);
	return wrong_models_teardown(state);
}

int main(void)
{
	static const char *const headers[] = {"gpube/solver.h", NULL};

	return wrong_calls_run(headers, set_up, tear_down, unchanged);
}
