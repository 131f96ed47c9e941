/* test_api_nash.c - wrong calls of every function of nash.h and games.h: see wrong_calls.h. */
#include "tests/games/made_games.h"

#include "tests/support/wrong_calls.h"

#include "tests/api/wrong_payoffs.h"

#include <limits.h>
#include <math.h>

#include "nash/nash.h"

static struct gpube_model *bimatrix, *unfinished; /* a player has no payoffs */

WRONG_FREE(struct gpube_nash_pure, gpube_nash_pure_free)

WRONG(gpube_nash_pure)
{
	REFUSED(gpube_nash_pure(NULL, bimatrix));
	NOT_MADE(struct gpube_nash_pure, r, gpube_nash_pure(&r, NULL));
	NOT_MADE(struct gpube_nash_pure, r, gpube_nash_pure(&r, m));
	NOT_MADE(struct gpube_nash_pure, r, gpube_nash_pure(&r, unfinished));
}

WRONG(gpube_nash_class)
{
	assert_null(gpube_nash_class(-1));
	assert_null(gpube_nash_class(INT_MAX));
}

WRONG(gpube_nash_generate)
{
	static const struct gpube_nash_random rows[] = {
		{.sizeof_options = 1, .rows = 2, .columns = 2},
		{.sizeof_options = sizeof(rows[0])},
		{.sizeof_options = sizeof(rows[0]), .rows = -2, .columns = 2},
		{.sizeof_options = sizeof(rows[0]), .rows = 2, .columns = 2, .kind = "nix"},
		{.sizeof_options = sizeof(rows[0]), .rows = 2, .columns = 2, .range = -1},
		{.sizeof_options = sizeof(rows[0]), .rows = 2, .columns = 2, .range = INT64_MAX},
		{.sizeof_options = sizeof(rows[0]), .rows = 2, .columns = 2, .covariance = 2},
		{.sizeof_options = sizeof(rows[0]), .rows = 2, .columns = 2, .covariance = NAN},
		{.sizeof_options = sizeof(rows[0]), .rows = 2, .columns = 2, .parameters = "1"},
		{.sizeof_options = sizeof(rows[0]),
			.rows = 2,
			.columns = 2,
			.int_payoffs = INT64_MAX},
	};

	REFUSED(gpube_nash_generate(NULL, ctx, &rows[1]));
	NOT_MADE(struct gpube_model, g, gpube_nash_generate(&g, NULL, &rows[1]));
	NOT_MADE(struct gpube_model, g, gpube_nash_generate(&g, ctx, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_model, g, gpube_nash_generate(&g, ctx, &rows[k]));
}

WRONG(gpube_nash_exact)
{
	assert_in_range(gpube_nash_exact(), 0, 1);
}

WRONG(gpube_nash)
{
	static const struct gpube_nash_opts rows[] = {
		{.sizeof_options = 5},
		{.sizeof_options = sizeof(rows[0]), .method = (enum gpube_nash_method)4},
		{.sizeof_options = sizeof(rows[0]), .method = (enum gpube_nash_method) - 1},
		{.sizeof_options = sizeof(rows[0]), .max = -1},
		{.sizeof_options = sizeof(rows[0]), .support_size = -1},
		{.sizeof_options = sizeof(rows[0]), .support_size = 2},
		{.sizeof_options = sizeof(rows[0]), .backend = (enum gpube_backend)9},
		{.sizeof_options = sizeof(rows[0]), .timeout_seconds = -1},
		{.sizeof_options = sizeof(rows[0]), .timeout_seconds = NAN},
	};

	REFUSED(gpube_nash(NULL, bimatrix, NULL));
	NOT_MADE(struct gpube_nash_result, r, gpube_nash(&r, NULL, NULL));
	NOT_MADE(struct gpube_nash_result, r, gpube_nash(&r, m, NULL));
	NOT_MADE(struct gpube_nash_result, r, gpube_nash(&r, unfinished, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_nash_result, r, gpube_nash(&r, bimatrix, &rows[k]));
}

WRONG_FREE(struct gpube_nash_result, gpube_nash_result_free)

WRONG(gpube_nash_components)
{
	const struct gpube_nash_result r = {.answer = GPUBE_NASH_ANSWER_INCOMPLETE};
	const struct gpube_nash_result all = {.answer = GPUBE_NASH_ANSWER_ALL};

	REFUSED(gpube_nash_components(NULL, ctx, &r, 0));
	NOT_MADE(struct gpube_nash_components, c, gpube_nash_components(&c, NULL, &r, 0));
	NOT_MADE(struct gpube_nash_components, c, gpube_nash_components(&c, ctx, NULL, 0));
	NOT_MADE(struct gpube_nash_components, c, gpube_nash_components(&c, ctx, &r, 0));
	NOT_MADE(struct gpube_nash_components, c, gpube_nash_components(&c, ctx, &all, 0));
	for (size_t k = 0; k < 3; k++)
		NOT_MADE(struct gpube_nash_components, c,
			gpube_nash_components(&c, ctx, &all, bad_seconds[k]));
}

WRONG_FREE(struct gpube_nash_components, gpube_nash_components_free)

static void unchanged(void)
{
	wrong_models_unchanged();
	assert_null(gpube_model_value_name(bimatrix, 0, 0));
	assert_int_equal(gpube_model_domain(bimatrix, 0), 2);
	assert_int_equal(gpube_model_domain(bimatrix, 1), 2);
	assert_int_equal(gpube_model_n_functions(unfinished), 1);
}

static int set_up(void **state)
{
	static const int payoffs[4] = {0};

	if (wrong_models_setup(state))
		return -1;
	bimatrix = new_game(ctx, 2, 2, payoffs, payoffs);
	unfinished = new_game(ctx, 2, 2, payoffs, payoffs);
	gpube__model_truncate(
		unfinished, (struct gpube__model_mark){
				    .n_vars = 2, .n_functions = 1, .n_tables = 1, .n_scopes = 2});
	return 0;
}

static int tear_down(void **state)
{
	gpube_model_free(bimatrix);
	gpube_model_free(unfinished);
	return wrong_models_teardown(state);
}

int main(void)
{
	static const char *const headers[] = {"nash/nash.h", "gpube/games.h", NULL};

	return wrong_calls_run(headers, set_up, tear_down, unchanged);
}
