/*
 * Models that have the form of a game, of two players or of coalitions, or of an auction, become
 * that; others are refused, with what is wrong. Random ones are tests/models/check_forms.py's.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "csg/auction.h"
#include "gpube/forms/model_as.h"
#include "formats/formats.h"
#include "gpube/forms/model_as.h"
#include "gpube/ir/model.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"
#include "tests/support/small_model.h"

/*
 * A file's text by its name's ending, and the game for lrsnash or as text, or what is wrong with
 * it.
 */
struct row {
	const char *name, *ending, *text, *expected;
};

#define CFN(bound, vars, functions)                                                                \
	"{\"problem\":{\"name\":\"x\",\"mustbe\":\"" bound "\"},\"variables\":{" vars              \
	"},\"functions\":{" functions "}}"
#define TWO2                  "\"a\":2,\"b\":2"
#define TWO                   "\"a\":2,\"b\":3"
#define F(name, scope, costs) "\"" name "\":{\"scope\":[" scope "],\"costs\":[" costs "]}"
#define AB                    "\"a\",\"b\""

static const struct row games[] = {
	{"costs are lost", "cfn",
		CFN("<100", "\"a\":[\"up\",\"down\"],\"b\":3",
			F("f", AB, "1,2,3,4,5,6") "," F("g", AB, "0,-1,2,7,8,9")),
		"2 3\n\n-1 -2 -3\n-4 -5 -6\n\n0 1 -2\n-7 -8 -9\n"},
	{"what is maximised is won", "cfn",
		CFN(">-100.0", TWO, F("f", AB, "1,2,3,4,5,6") "," F("g", AB, "0.5,-1,2,7,8,9")),
		"2 3\n\n1 2 3\n4 5 6\n\n1/2 -1 2\n7 8 9\n"},
	{"a scope the other way round", "cfn",
		CFN("<100.00", TWO,
			F("f", "\"b\",\"a\"", "1,2,3,4,5,6") "," F("g", AB, "0.25,0,0,0,0,0")),
		"2 3\n\n-1 -3 -5\n-2 -4 -6\n\n-1/4 0 0\n0 0 0\n"},
	{"tuples and a default", "wcsp", "x 2 3 2 99\n2 3\n2 0 1 5 2\n0 1 3\n1 2 4\n2 0 1 7 0\n",
		"2 3\n\n-5 -3 -5\n-5 -5 -4\n\n-7 -7 -7\n-7 -7 -7\n"},
	{"potentials are won", "uai", "MARKOV 2 2 1 2 2 0 1 2 1 0 2 0.1 0 2 2 1e-7 ",
		"2 1\n\n1/10\n0\n\n2\n1/10000000\n"},
	{"no players", "wcsp", "x 0 0 0 5\n\n", "has 0 variables and 0 functions"},
	{"three of them", "wcsp", "x 3 2 2 9\n2 2 2\n2 0 1 0 0\n2 1 2 0 0\n",
		"has 3 variables and 2 functions"},
	{"one function", "wcsp", "x 2 2 1 9\n2 2\n2 0 1 1 0\n",
		"has 2 variables and 1 function, a game has two"},
	{"one more", "wcsp", "x 2 2 3 9\n2 2\n2 0 1 1 0\n2 0 1 1 0\n2 0 1 1 0\n",
		"2 variables and 3 functions"},
	{"a function of one variable", "wcsp", "x 2 2 2 9\n2 2\n2 0 1 1 0\n1 0 1 1\n0 5\n",
		"a function over all of them for each"},
	{"a constant", "wcsp", "x 2 2 3 9\n2 2\n2 0 1 1 0\n2 0 1 2 0\n0 1 0\n",
		"no variables is no player's"},
	{"a forbidden pair", "wcsp", "x 2 2 2 9\n2 2\n2 0 1 1 0\n2 1 0 0 1\n0 1 9\n",
		"function 1 forbids values 1 and 0"},
};

#define B3 "\"a\":2,\"b\":2,\"c\":2"

static const struct row coalitions[] = {
	{"less cost is worth", "cfn",
		CFN("<100", B3, F("f", "\"a\",\"b\",\"c\"", "0,1,2,-3,4,5,6,7")),
		"csg 3 int16\n1 -4\n2 -2\n3 -6\n4 -1\n5 -5\n6 3\n7 -7\n"},
	{"more is where it is maximised", "cfn",
		CFN(">-100", B3, F("f", "\"c\",\"a\",\"b\"", "0,1,2,-3,4,5,6,70000")),
		"csg 3 int32\n1 2\n2 1\n3 -3\n4 4\n5 6\n6 5\n7 70000\n"},
	{"none stands for 0", "cfn", CFN(">-100.00", TWO2, F("f", AB, "0.5,0.75,3000000000,1")),
		"csg 2 int64\n1 299999999950\n2 25\n3 50\n"},
	{"tuples and a default", "wcsp", "x 2 2 1 99\n2 2\n2 0 1 5 2\n0 1 3\n1 1 99\n",
		"csg 2 int16\n1 0\n2 2\n"},
	{"none is forbidden", "wcsp", "x 1 2 1 9\n2\n1 0 9 1\n1 3\n", "csg 1 int16\n1 -3\n"},
	{"potentials are worth", "uai", "MARKOV 2 2 2 1 2 1 0 4 0 1 0 2.5 ",
		"csg 2 float64\n1 1\n2 0\n3 2.5\n"},
	{"a potential of none", "uai", "MARKOV 2 2 2 1 2 1 0 4 1 1 0 2.5 ",
		"potential of no agent is not 0"},
	{"no agents", "wcsp", "x 0 0 0 5\n\n", "has 0 variables and 0 functions, a game has one"},
	{"an agent too much", "wcsp", "x 2 2 1 9\n2 2\n1 0 9 1\n1 3\n",
		"2 variables and 1 function, a game"},
	{"three values", "wcsp", "x 2 3 1 9\n2 3\n2 0 1 9 1\n1 1 3\n", "each of two values"},
	{"two functions", "wcsp", "x 1 2 2 9\n2\n1 0 9 1\n1 3\n1 0 9 1\n1 3\n",
		"1 variable and 2 functions"},
	{"a cost of all", "wcsp", "x 1 2 2 9\n2\n1 0 9 1\n1 3\n0 4 0\n",
		"no variables is no coalition's"},
	{"a value past 64 bits", "cfn",
		CFN("<9223372036854775806", TWO2,
			F("f", AB, "-9223372036854775000,0,9000,9223372036854775000")),
		"a coalition's value passes 64 bits"},
};

/* The ids of the winners, or what is wrong. */
static const struct row auctions[] = {
	{"bids that exclude each other", "wcsp",
		"x 3 2 4 99\n2 2 2\n1 0 5 1\n1 0\n1 1 4 1\n1 0\n1 2 4 1\n1 1\n"
		"2 1 2 0 1\n1 1 99\n",
		"0 1"},
	{"names have numbers", "cfn",
		CFN(">-9", "\"bid7\":2,\"bid5\":2",
			F("f", "\"bid7\"", "0,3") "," F("g", "\"bid5\"", "0,3")),
		"7 5"},
	{"the same name twice is none", "cfn",
		CFN(">-9", "\"a\":[\"none\",\"bid3\"],\"b\":[\"none\",\"bid3\"]",
			F("f", "\"a\"", "0,3") "," F("g", "\"b\"", "0,3")),
		"0 1"},
	{"a bid on two goods", "cfn",
		CFN(">-99", "\"a\":[\"none\",\"bid3\",\"bid4\"],\"b\":[\"none\",\"bid4\"]",
			F("f", "\"a\"", "0,3,5") "," F("h", AB, "1,-999,1,-999,-999,1")),
		"4"},
	{"an auction without bids", "wcsp", "x 1 1 0 9\n1\n", ""},
	{"nothing to bid with", "wcsp", "x 0 0 0 9\n\n", "no auction: it has no variables"},
	{"costs of pairs", "wcsp", "x 2 2 1 9\n2 2\n2 0 1 0 1\n1 1 1\n",
		"function 0 has costs of pairs"},
	{"a cost beside what wins nothing", "wcsp", "x 2 2 1 9\n2 2\n2 0 1 0 1\n0 1 1\n",
		"has costs of pairs"},
	{"three variables", "wcsp", "x 3 2 1 9\n2 2 2\n3 0 1 2 0 1\n1 1 1 9\n",
		"is over neither one variable"},
	{"a forbidden price", "wcsp", "x 1 2 1 9\n2\n1 0 0 1\n1 9\n", "function 0 forbids a value"},
	{"nothing is forbidden", "wcsp", "x 2 2 1 9\n2 2\n2 0 1 0 1\n0 0 9\n",
		"that neither variable wins"},
	{"an implication", "wcsp", "x 2 2 1 9\n2 2\n2 0 1 0 1\n1 0 9\n",
		"need others that do not need it"},
	{"the other way round", "wcsp", "x 2 2 1 9\n2 2\n2 0 1 0 1\n0 1 9\n",
		"need others that do not need it"},
	{"a choice of needs", "wcsp", "x 2 3 1 9\n2 3\n2 0 1 0 3\n1 0 9\n0 1 9\n0 2 9\n",
		"need others"},
	{"two of a variable", "wcsp",
		"x 3 3 3 9\n3 2 2\n2 0 1 0 3\n1 0 9\n0 1 9\n2 1 9\n2 0 2 0 3\n2 0 9\n0 1 9\n1 1 9\n"
		"2 1 2 0 2\n1 0 9\n0 1 9\n",
		"need each other exclude each other"},
	{"a pair that needs and excludes", "wcsp",
		"x 2 2 2 9\n2 2\n2 0 1 0 2\n1 0 9\n0 1 9\n2 0 1 0 1\n1 1 9\n",
		"need each other exclude each other"},
	{"a bound that forbids more", "wcsp", "x 2 2 2 9\n2 2\n1 0 5 1\n1 0\n1 1 5 1\n1 0\n",
		"bound may forbid"},
	{"potentials", "uai", "MARKOV 1 2 1 1 0 2 0.5 0.5 ", "potentials are multiplied"},
};

static void read_row(struct gpube_model **model, const struct row *row)
{
	char name[16];

	snprintf(name, sizeof(name), "x.%s", row->ending);
	test_put(in_dir(name), row->text, strlen(row->text));
	if (gpube_read(model, ctx, in_dir(name), NULL))
		fail_msg("%s", gpube_error(ctx));
}

static void game_row(void **state)
{
	const struct row *row = *state;
	struct gpube_model *model;
	struct gpube_model *g;
	char *text;
	size_t n;

	read_row(&model, row);
	if (strchr(row->expected, '\n')) {
		if (gpube__game_of_costs(&g, model))
			fail_msg("%s", gpube_error(ctx));
		assert_int_equal(gpube_write(g, in_dir("out"), NULL, NULL), 0);
		text = test_get(in_dir("out"), &n);
		assert_string_equal(text, row->expected);
		free(text);
		if (row == games) { /* names stay */
			assert_string_equal(gpube_model_value_name(g, 0, 1), "down");
			assert_null(gpube_model_value_name(g, 1, 0));
		}
	} else {
		assert_int_equal(gpube__game_of_costs(&g, model), GPUBE_EINVAL);
		assert_non_null(strstr(gpube_error(ctx), row->expected));
		assert_null(g);
	}
	gpube_model_free(g);
	gpube_model_free(model);
}

static void coalitions_row(void **state)
{
	const struct row *row = *state;
	struct gpube_model *model;
	struct gpube_model *g;
	char *text;
	size_t n;

	read_row(&model, row);
	if (strchr(row->expected, '\n')) {
		if (gpube__coalitions_of_costs(&g, model))
			fail_msg("%s", gpube_error(ctx));
		assert_int_equal(gpube_write(g, in_dir("out.txt"),
					 &(struct gpube_opts){.to = GPUBE_FORMAT_CSG}, NULL),
			GPUBE_OK);
		text = test_get(in_dir("out.txt"), &n);
		assert_string_equal(text, row->expected);
		assert_int_equal(gpube_model_info(g)->scale, strstr(row->text, "100.00") ? 2 : 0);
		free(text);
	} else {
		assert_int_not_equal(gpube__coalitions_of_costs(&g, model), GPUBE_OK);
		assert_non_null(strstr(gpube_error(ctx), row->expected));
		assert_null(g);
	}
	gpube_model_free(g);
	gpube_model_free(model);
}

static void auction_row(void **state)
{
	const struct row *row = *state;
	struct gpube_model *model;
	struct gpube_auction_result *r;
	struct gpube_model *a;
	char ids[64] = "";
	int status;

	read_row(&model, row);
	status = gpube__auction_of_costs(&a, model);
	assert_true(!a == (status != 0));
	if (strlen(row->expected) < 10) {
		if (status || gpube_auction(&r, a, NULL))
			fail_msg("%s", gpube_error(ctx));
		for (int k = 0; k < r->n_winners; k++)
			snprintf(ids + strlen(ids), sizeof(ids) - strlen(ids), "%s%d", k ? " " : "",
				(int)gpube_auction_bid_number(a, r->winners[k]));
		assert_string_equal(ids, row->expected);
		gpube_result_free(r);
	} else {
		assert_int_equal(status, GPUBE_EINVAL);
		assert_non_null(strstr(gpube_error(ctx), row->expected));
	}
	gpube_model_free(a);
	gpube_model_free(model);
}

/*
 * What files do not show: a bound that one cost reaches, an observation, a size that only a default
 * has.
 */
static void game_in_memory(void **state)
{
	struct gpube_table huge = {.type = GPUBE_INT8, .sparse = true, .arity = 2};
	struct gpube_model *model = new_model(2, 2);
	struct gpube_model *g;
	int32_t table;

	(void)state;
	add(model, SCOPE(0, 1), COSTS(1, 2, 3, 4));
	add(model, SCOPE(0, 1), COSTS(1, 2, 3, 4));
	assert_int_equal(gpube_model_set_top(model, 5), 0);
	assert_int_equal(gpube__game_of_costs(&g, model), 0); /* sums are nobody's */
	gpube_model_free(g);
	assert_int_equal(gpube_model_set_top(model, 4), 0);
	assert_int_equal(gpube__game_of_costs(&g, model), GPUBE_EINVAL);
	assert_int_equal(gpube_model_set_top(model, GPUBE_INF), 0);
	assert_int_equal(gpube_model_observe(model, 1, 0), 0);
	assert_int_equal(gpube__game_of_costs(&g, model), GPUBE_EINVAL);
	assert_non_null(strstr(gpube_error(ctx), "observed"));
	gpube_model_free(model);

	model = new_model(2, 1000000);
	assert_int_equal(gpube__add_table(model, &table, &huge), 0);
	for (int k = 0; k < 2; k++)
		assert_int_equal(gpube__add_function(model, 2, (int32_t[]){0, 1}, table, NULL), 0);
	assert_int_equal(gpube__game_of_costs(&g, model), GPUBE_ELIMIT);
	gpube_model_free(model);
}

/* Bids whose pairs the memory allowed has no room for, all said by one default. */
static void auction_in_memory(void **state)
{
	struct gpube_table t = {
		.type = GPUBE_INT32, .sparse = true, .arity = 2, .dflt = {GPUBE_INF}};
	struct gpube_ctx *kept = ctx;
	struct gpube_model *model;
	struct gpube_model *a;
	int32_t table;

	(void)state;
	assert_int_equal(ctx_open(1, 1 << 20), 0);
	model = new_model(2, 1000);
	t.n = 1999;
	t.values = gpube__alloc_zero(ctx, 1999, sizeof(int32_t));
	t.tuples = gpube__alloc_zero(ctx, 2 * 1999, sizeof(int32_t));
	for (int k = 1; k < 1999; k++)
		t.tuples[2 * k + (k < 1000)] = k < 1000 ? k : k - 999;
	assert_int_equal(gpube__add_table(model, &table, &t), 0);
	assert_int_equal(gpube__add_function(model, 2, (int32_t[]){0, 1}, table, NULL), 0);
	assert_int_equal(gpube__auction_of_costs(&a, model), GPUBE_ELIMIT);
	assert_null(a);
	gpube_model_free(model);
	gpube_ctx_free(ctx);
	ctx = kept;
}

/* A list of more than 40 agents, of more than a table has room for, of what is observed. */
static void coalitions_in_memory(void **state)
{
	int32_t scope[41], table;

	(void)state;
	for (int n = 39; n <= 41; n++) {
		struct gpube_table t = {.type = GPUBE_INT32, .sparse = true, .arity = n};
		struct gpube_model *model = new_model(n, 2);
		struct gpube_model *g;

		for (int k = 0; k < n; k++)
			scope[k] = k;
		assert_int_equal(gpube__add_table(model, &table, &t), 0);
		assert_int_equal(gpube__add_function(model, n, scope, table, NULL), 0);
		assert_int_equal(gpube__coalitions_of_costs(&g, model),
			n > GPUBE_MAX_AGENTS ? GPUBE_EINVAL : 0);
		gpube_model_free(g);
		assert_int_equal(gpube_model_observe(model, 3, 1), 0);
		assert_int_equal(gpube__coalitions_of_costs(&g, model), GPUBE_EINVAL);
		gpube_model_free(model);
	}
}

static int take_coalitions_scarcely(
	struct gpube_ctx *scarce, struct gpube_model *model, const void *none)
{
	struct gpube_model *g;
	int status;

	(void)scarce;
	(void)none;
	status = gpube__coalitions_of_costs(&g, model);
	assert_true(!g == (status != 0));
	gpube_model_free(g);
	return status;
}

static int take_auction_scarcely(
	struct gpube_ctx *scarce, struct gpube_model *model, const void *none)
{
	struct gpube_model *a;
	int status;

	(void)scarce;
	(void)none;
	status = gpube__auction_of_costs(&a, model);
	assert_true(!a == (status != 0));
	gpube_model_free(a);
	return status;
}

static int take_scarcely(struct gpube_ctx *scarce, struct gpube_model *model, const void *none)
{
	struct gpube_model *g;
	int status;

	(void)scarce;
	(void)none;
	status = gpube__game_of_costs(&g, model);
	assert_true(!g == (status != 0));
	gpube_model_free(g);
	return status;
}

static struct gpube_model *make_row(struct gpube_ctx *in, const void *row)
{
	struct gpube_ctx *kept = ctx;
	struct gpube_model *model;

	ctx = in;
	read_row(&model, row);
	ctx = kept;
	return model;
}

static void out_of_memory(void **state)
{
	static const struct row twelve = {"a list", "wcsp",
		"x 12 2 1 9\n2 2 2 2 2 2 2 2 2 2 2 2\n12 0 1 2 3 4 5 6 7 8 9 10 11 4 1\n"
		"1 1 1 1 1 1 0 0 0 0 0 0 3\n",
		NULL};

	(void)state;
	assert_true(fail_each_allocation(take_scarcely, make_row, &games[0], 0) > 8);
	assert_true(
		fail_each_allocation(take_coalitions_scarcely, make_row, &coalitions[0], 0) > 1);
	assert_true(fail_each_allocation(take_coalitions_scarcely, make_row, &twelve, 0) > 5);
	assert_true(fail_each_allocation(take_auction_scarcely, make_row, &auctions[3], 0) > 12);
}

static const struct kind {
	const struct row *rows;
	size_t n;
	CMUnitTestFunction test;
} kinds[] = {
	{games, sizeof(games) / sizeof(*games), game_row},
	{coalitions, sizeof(coalitions) / sizeof(*coalitions), coalitions_row},
	{auctions, sizeof(auctions) / sizeof(*auctions), auction_row},
};

int main(void)
{
	struct CMUnitTest tests[100] = {cmocka_unit_test(game_in_memory),
		cmocka_unit_test(coalitions_in_memory), cmocka_unit_test(auction_in_memory),
		cmocka_unit_test(out_of_memory)};
	size_t n = 4;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		for (size_t k = 0; k < kinds[i].n; k++)
			tests[n++] = (struct CMUnitTest){kinds[i].rows[k].name, kinds[i].test, NULL,
				NULL, (void *)(uintptr_t)&kinds[i].rows[k]};
	return _cmocka_run_group_tests("from_model", tests, n, ctx_dir_setup, ctx_dir_teardown);
}
