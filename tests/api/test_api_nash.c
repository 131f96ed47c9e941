/* test_api_nash.c - wrong calls of every function of nash.h and games.h: see wrong_calls.h. */
#include "tests/games/made_games.h"

#include "tests/support/wrong_calls.h"

#include "tests/api/wrong_payoffs.h"

#include <limits.h>

#include "nash/nash.h"

static struct gpube_model *bimatrix, *unfinished; /* a player has no payoffs */

WRONG(gpube_nash_pure)
{
	REFUSED(gpube_nash_pure(NULL, bimatrix));
	NOT_MADE(struct gpube_nash_pure, r, gpube_nash_pure(&r, NULL));
	NOT_MADE(struct gpube_nash_pure, r, gpube_nash_pure(&r, m));
	NOT_MADE(struct gpube_nash_pure, r, gpube_nash_pure(&r, unfinished));
}

static int generate_with(const struct gpube_opts *o)
{
	struct gpube_model *g = (struct gpube_model *)(uintptr_t)16;
	const int status = gpube_nash_generate(&g, ctx, o);

	assert_null(g);
	return status;
}

WRONG(gpube_nash_generate)
{
	static const struct gpube_opts rows[] = {
		{0},
		{.rows = -2, .columns = 2},
		{.rows = 2, .game = "nix"},
		{.rows = 2, .parameters = "1"},
		{.rows = 2, .int_payoffs = 1, .range = INT64_MAX},
	};

	REFUSED(gpube_nash_generate(NULL, ctx, NULL));
	NOT_MADE(struct gpube_model, g, gpube_nash_generate(&g, NULL, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_model, g, gpube_nash_generate(&g, ctx, &rows[k]));
	wrong_options("gpube_nash_generate", generate_with);
}

WRONG(gpube_nash_exact)
{
	assert_in_range(gpube_nash_exact(), 0, 1);
}

static int nash_with(const struct gpube_opts *o)
{
	struct gpube_nash_result *r = (struct gpube_nash_result *)(uintptr_t)16;
	const int status = gpube_nash(&r, bimatrix, o);

	assert_null(r);
	return status;
}

WRONG(gpube_nash)
{
	const struct gpube_opts size = {.support_size = 2};

	REFUSED(gpube_nash(NULL, bimatrix, NULL));
	NOT_MADE(struct gpube_nash_result, r, gpube_nash(&r, NULL, NULL));
	NOT_MADE(struct gpube_nash_result, r, gpube_nash(&r, m, NULL));
	NOT_MADE(struct gpube_nash_result, r, gpube_nash(&r, unfinished, NULL));
	NOT_MADE(struct gpube_nash_result, r, gpube_nash(&r, bimatrix, &size));
	wrong_options("gpube_nash", nash_with);
}

WRONG(gpube_opts_set_give)
{
	REFUSED(gpube_opts_set_give(NULL, NULL, NULL));
}

static int components_with(const struct gpube_opts *o)
{
	struct gpube_nash_components *c = (struct gpube_nash_components *)(uintptr_t)16;
	const struct gpube_nash_result all = {.answer = GPUBE_NASH_ANSWER_ALL};
	const int status = gpube_nash_components(&c, ctx, &all, o);

	assert_null(c);
	return status;
}

WRONG(gpube_nash_components)
{
	const struct gpube_nash_result r = {.answer = GPUBE_NASH_ANSWER_INCOMPLETE};

	REFUSED(gpube_nash_components(NULL, ctx, &r, NULL));
	NOT_MADE(struct gpube_nash_components, c, gpube_nash_components(&c, NULL, &r, NULL));
	NOT_MADE(struct gpube_nash_components, c, gpube_nash_components(&c, ctx, NULL, NULL));
	NOT_MADE(struct gpube_nash_components, c, gpube_nash_components(&c, ctx, &r, NULL));
	assert_int_equal(components_with(NULL), GPUBE_EINVAL);
	wrong_options("gpube_nash_components", components_with);
}

static void unchanged(void)
{
	wrong_models_unchanged();
	assert_null(gpube_model_value_name(bimatrix, 0, 0));
	assert_int_equal(gpube_model_domain(bimatrix, 0), 2);
	assert_int_equal(gpube_model_domain(bimatrix, 1), 2);
	assert_int_equal(gpube_model_info(unfinished)->n_functions, 1);
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
