/*
 * Models that have the form of a game become that game; others are refused, with what is wrong.
 * Random ones are tests/models/check_forms.py's.
 */
#include "tests/support/test.h"

#include "formats/formats.h"
#include "gpube/ir/model.h"
#include "nash/nash.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"
#include "tests/support/small_model.h"

/* A file's text by its name's ending, and the game for lrsnash, or what is wrong with it. */
struct row {
	const char *name, *ending, *text, *expected;
};

#define CFN(bound, vars, functions)                                                                \
	"{\"problem\":{\"name\":\"x\",\"mustbe\":\"" bound "\"},\"variables\":{" vars "},\"functions\":{" functions "}}"
#define TWO "\"a\":2,\"b\":3"
#define F(name, scope, costs) "\"" name "\":{\"scope\":[" scope "],\"costs\":[" costs "]}"
#define AB  "\"a\",\"b\""

static const struct row games[] = {
	{"costs are lost", "cfn", CFN("<100", "\"a\":[\"up\",\"down\"],\"b\":3",
			F("f", AB, "1,2,3,4,5,6") "," F("g", AB, "0,-1,2,7,8,9")),
		"2 3\n\n-1 -2 -3\n-4 -5 -6\n\n0 1 -2\n-7 -8 -9\n"},
	{"what is maximised is won", "cfn",
		CFN(">-100.0", TWO, F("f", AB, "1,2,3,4,5,6") "," F("g", AB, "0.5,-1,2,7,8,9")),
		"2 3\n\n1 2 3\n4 5 6\n\n1/2 -1 2\n7 8 9\n"},
	{"a scope the other way round", "cfn",
		CFN("<100.00", TWO, F("f", "\"b\",\"a\"", "1,2,3,4,5,6") "," F("g", AB, "0.25,0,0,0,0,0")),
		"2 3\n\n-1 -3 -5\n-2 -4 -6\n\n-1/4 0 0\n0 0 0\n"},
	{"tuples and a default", "wcsp", "x 2 3 2 99\n2 3\n2 0 1 5 2\n0 1 3\n1 2 4\n2 0 1 7 0\n",
		"2 3\n\n-5 -3 -5\n-5 -5 -4\n\n-7 -7 -7\n-7 -7 -7\n"},
	{"potentials are won", "uai", "MARKOV 2 2 1 2 2 0 1 2 1 0 2 0.1 0 2 2 1e-7 ",
		"2 1\n\n1/10\n0\n\n2\n1/10000000\n"},
	{"no players", "wcsp", "x 0 0 0 5\n\n", "has 0 variables and 0 functions"},
	{"three of them", "wcsp", "x 3 2 2 9\n2 2 2\n2 0 1 0 0\n2 1 2 0 0\n", "has 3 variables and 2 functions"},
	{"one function", "wcsp", "x 2 2 1 9\n2 2\n2 0 1 1 0\n", "has 2 variables and 1 function, a game has two"},
	{"one more", "wcsp", "x 2 2 3 9\n2 2\n2 0 1 1 0\n2 0 1 1 0\n2 0 1 1 0\n", "2 variables and 3 functions"},
	{"a function of one variable", "wcsp", "x 2 2 2 9\n2 2\n2 0 1 1 0\n1 0 1 1\n0 5\n",
		"both functions over both"},
	{"a constant", "wcsp", "x 2 2 3 9\n2 2\n2 0 1 1 0\n2 0 1 2 0\n0 1 0\n", "no variables is no player's"},
	{"a forbidden pair", "wcsp", "x 2 2 2 9\n2 2\n2 0 1 1 0\n2 1 0 0 1\n0 1 9\n",
		"function 1 forbids values 1 and 0"},
};

static void read_row(struct gpube_model **model, const struct row *row)
{
	char name[16];

	snprintf(name, sizeof(name), "x.%s", row->ending);
	test_put(in_dir(name), row->text, strlen(row->text));
	if (gpube_read(model, ctx, in_dir(name), GPUBE_FORMAT_AUTO, NULL))
		fail_msg("%s", gpube_error(ctx));
}

static void game_row(void **state)
{
	const struct row *row = *state;
	struct gpube_model *model;
	struct nash_game *g;
	char *text;
	size_t n;

	read_row(&model, row);
	if (strchr(row->expected, '\n')) {
		if (nash_from_model(&g, model))
			fail_msg("%s", gpube_error(ctx));
		assert_int_equal(nash_write(g, in_dir("out"), NASH_FORMAT_LRS), 0);
		text = test_get(in_dir("out"), &n);
		assert_string_equal(text, row->expected);
		free(text);
		if (row == games) { /* names stay */
			assert_string_equal(nash_game_label(g, 1, 1), "down");
			assert_null(nash_game_label(g, 2, 0));
		}
	} else {
		assert_int_equal(nash_from_model(&g, model), GPUBE_EINVAL);
		assert_non_null(strstr(gpube_error(ctx), row->expected));
		assert_null(g);
	}
	nash_game_free(g);
	gpube_model_free(model);
}

/* What files do not show: a bound that one cost reaches, an observation, a size that only a default has. */
static void game_in_memory(void **state)
{
	struct gpube_table huge = {.type = GPUBE_INT8, .sparse = true, .arity = 2};
	struct gpube_model *model = new_model(2, 2);
	struct nash_game *g;
	int32_t table;

	(void)state;
	add(model, SCOPE(0, 1), COSTS(1, 2, 3, 4));
	add(model, SCOPE(0, 1), COSTS(1, 2, 3, 4));
	assert_int_equal(gpube_model_set_top(model, 5), 0);
	assert_int_equal(nash_from_model(&g, model), 0); /* sums are nobody's */
	nash_game_free(g);
	assert_int_equal(gpube_model_set_top(model, 4), 0);
	assert_int_equal(nash_from_model(&g, model), GPUBE_EINVAL);
	assert_int_equal(gpube_model_set_top(model, GPUBE_INF), 0);
	assert_int_equal(gpube_model_observe(model, 1, 0), 0);
	assert_int_equal(nash_from_model(&g, model), GPUBE_EINVAL);
	assert_non_null(strstr(gpube_error(ctx), "observed"));
	gpube_model_free(model);

	model = new_model(2, 1000000);
	assert_int_equal(gpube__add_table(model, &table, &huge), 0);
	for (int k = 0; k < 2; k++)
		assert_int_equal(gpube__add_function(model, 2, (int32_t[]){0, 1}, table, NULL), 0);
	assert_int_equal(nash_from_model(&g, model), GPUBE_ELIMIT);
	gpube_model_free(model);
}

static int take_scarcely(struct gpube_ctx *scarce, struct gpube_model *model, const void *none)
{
	struct nash_game *g;
	int status;

	(void)scarce;
	(void)none;
	status = nash_from_model(&g, model);
	assert_true(!g == (status != 0));
	nash_game_free(g);
	return status;
}

static struct gpube_model *make_named(struct gpube_ctx *in, const void *none)
{
	struct gpube_ctx *kept = ctx;
	struct gpube_model *model;

	(void)none;
	ctx = in;
	read_row(&model, &games[0]);
	ctx = kept;
	return model;
}

static void game_out_of_memory(void **state)
{
	(void)state;
	assert_true(fail_each_allocation(take_scarcely, make_named, NULL, 0) > 8);
}

int main(void)
{
	enum { GAMES = sizeof(games) / sizeof(*games) };
	struct CMUnitTest tests[GAMES + 2] = {
		cmocka_unit_test(game_in_memory), cmocka_unit_test(game_out_of_memory)};

	for (int k = 0; k < GAMES; k++)
		tests[2 + k] = (struct CMUnitTest){
			games[k].name, game_row, NULL, NULL, (void *)(uintptr_t)&games[k]};
	return cmocka_run_group_tests(tests, ctx_dir_setup, ctx_dir_teardown);
}
