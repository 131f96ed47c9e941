/* test_api_nash.c - wrong calls of every function of nash.h: see wrong_calls.h. */
#include "tests/support/wrong_calls.h"

#include <limits.h>
#include <math.h>

#include "nash/nash.h"

static struct nash_game *bimatrix;

WRONG(nash_game_new)
{
	REFUSED(nash_game_new(NULL, ctx, 2, 2));
	NOT_MADE(struct nash_game, g, nash_game_new(&g, NULL, 2, 2));
	NOT_MADE(struct nash_game, g, nash_game_new(&g, ctx, 0, 2));
	NOT_MADE(struct nash_game, g, nash_game_new(&g, ctx, 2, -1));
}

WRONG_NULL(nash_game_free)
WRONG_ANSWER(nash_game_rows, 0)
WRONG_ANSWER(nash_game_players, 0)
WRONG_FREE(struct nash_pure, nash_pure_free)

WRONG(nash_game_actions)
{
	assert_int_equal(nash_game_actions(NULL, 1), 0);
	assert_int_equal(nash_game_actions(bimatrix, 0), 0);
	assert_int_equal(nash_game_actions(bimatrix, 3), 0);
}

WRONG(nash_game_payoff)
{
	static const int32_t past[2] = {0, 2}, negative[2] = {-1, 0}, there[2] = {0, 0};
	int64_t num = 77, den = 77;

	REFUSED(nash_game_payoff(&num, &den, NULL, 1, there));
	REFUSED(nash_game_payoff(NULL, &den, bimatrix, 1, there));
	REFUSED(nash_game_payoff(&num, NULL, bimatrix, 1, there));
	REFUSED(nash_game_payoff(&num, &den, bimatrix, 1, NULL));
	REFUSED(nash_game_payoff(&num, &den, bimatrix, 0, there));
	REFUSED(nash_game_payoff(&num, &den, bimatrix, 3, there));
	REFUSED(nash_game_payoff(&num, &den, bimatrix, 1, past));
	REFUSED(nash_game_payoff(&num, &den, bimatrix, 1, negative));
	assert_true(num == 77 && den == 77);
}

WRONG(nash_pure)
{
	REFUSED(nash_pure(NULL, bimatrix));
	NOT_MADE(struct nash_pure, r, nash_pure(&r, NULL));
}
WRONG_ANSWER(nash_game_columns, 0)

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

WRONG(nash_game_get)
{
	int64_t num = 77, den = 77;

	REFUSED(nash_game_get(&num, &den, NULL, 1, 0, 0));
	REFUSED(nash_game_get(NULL, &den, bimatrix, 1, 0, 0));
	REFUSED(nash_game_get(&num, NULL, bimatrix, 1, 0, 0));
	REFUSED(nash_game_get(&num, &den, bimatrix, 0, 0, 0));
	REFUSED(nash_game_get(&num, &den, bimatrix, 3, 0, 0));
	REFUSED(nash_game_get(&num, &den, bimatrix, 1, -1, 0));
	REFUSED(nash_game_get(&num, &den, bimatrix, 1, 2, 0));
	REFUSED(nash_game_get(&num, &den, bimatrix, 1, 0, -1));
	REFUSED(nash_game_get(&num, &den, bimatrix, 2, 0, 2));
	assert_true(num == 77 && den == 77);
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
	NOT_MADE(struct nash_game, g,
		nash_read(&g, ctx, "examples/effort.nfg", (enum nash_format)99));
	NOT_MADE(struct nash_game, g,
		nash_read(&g, ctx, "examples/effort.nfg", (enum nash_format) - 1));
}

WRONG(nash_model)
{
	REFUSED(nash_model(NULL, bimatrix, 0));
	NOT_MADE(struct gpube_model, made, nash_model(&made, NULL, 0));
}

WRONG(nash_from_model)
{
	REFUSED(nash_from_model(NULL, m));
	NOT_MADE(struct nash_game, g, nash_from_model(&g, NULL));
	/* one function over both variables */
	NOT_MADE(struct nash_game, g, nash_from_model(&g, m));
	NOT_MADE(struct nash_game, g, nash_from_model(&g, potentials));
}

WRONG(nash_write)
{
	REFUSED(nash_write(bimatrix, NULL, NASH_FORMAT_NFG));
	NOT_WRITTEN("a.nfg", nash_write(NULL, to, NASH_FORMAT_NFG));
	NOT_WRITTEN("a.nfg", nash_write(bimatrix, to, (enum nash_format)99));
	NOT_WRITTEN("a.nfg", nash_write(bimatrix, to, (enum nash_format) - 1));
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
		{.sizeof_options = sizeof(rows[0]),
			.rows = 2,
			.columns = 2,
			.int_payoffs = INT64_MAX},
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
		{.sizeof_options = sizeof(rows[0]), .method = (enum nash_method) - 1},
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

WRONG_FREE(struct nash_result, nash_result_free)

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

WRONG_FREE(struct nash_components, nash_components_free)

static void unchanged(void)
{
	wrong_models_unchanged();
	assert_null(nash_game_label(bimatrix, 1, 0));
	assert_int_equal(nash_game_rows(bimatrix), 2);
	assert_int_equal(nash_game_columns(bimatrix), 2);
}

static int set_up(void **state)
{
	if (wrong_models_setup(state))
		return -1;
	assert_int_equal(nash_game_new(&bimatrix, ctx, 2, 2), 0);
	return 0;
}

static int tear_down(void **state)
{
	nash_game_free(bimatrix);
	return wrong_models_teardown(state);
}

int main(void)
{
	static const char *const headers[] = {"nash/nash.h", NULL};

	return wrong_calls_run(headers, set_up, tear_down, unchanged);
}
