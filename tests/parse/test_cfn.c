/* .cfn: toulbar2's dialect, exact decimals, shared tables; what the writer does. */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "tests/support/cases.h"
#include "tests/support/memory.h"
#include "tests/support/model_text.h"

/* ---- reading -------------------------------------------------------------------------- */

#define P "{\"problem\": {\"name\": \"t\", \"mustbe\": \"<10.00\"},\n"
#define V P "\"variables\": {\"x\": 2, \"y\": [\"a\", \"b\", \"c\"]},\n\"functions\": {\n"
#define E "\n}}\n"
#define MAXI                                                                                       \
	"{\"problem\": {\"name\": \"t\", \"mustbe\": \">-5.5\"}, \"variables\": [2], "             \
	"\"functions\": [\n"

static const struct model_row goods[] = {
	{"all costs", V "\"f\": {\"scope\": [\"x\", \"y\"], \"costs\": [1, 2.5, -3, 4, 5.25, 6]}" E,
		1, 0, "100 250 -300 400 525 600", 2, 0, 1000},
	{"costs wherever they stand",
		"{{t <1000000.00} [7 2] {{[0 1] [1 2.5\n# 7 7\n,-3, 4.50 5.25 // 8\n\n6 +7 .5 "
		"0000000000000000000001 123456.78 , \"2\" -0.1 3. inf]}}}",
		1, 0, "100 250 -300 450 525 600 700 50 100 12345678 200 -10 300 *", 2, 0,
		100000000},
	{"bare words, no commas, no colons, other brackets",
		"[problem[name t mustbe <10.00] variables{x 2 y{a b c}} functions[f[scope{x y} "
		"costs{1 2.5 -3 4 5.25 6}]]]",
		1, 0, "100 250 -300 400 525 600", 2, 0, 1000},
	{"no tags", "{{t <10.00} [2 {a b c}] {{[0 1] [1 2.5 -3 4 5.25 6]}}}", 1, 0,
		"100 250 -300 400 525 600", 2, 0, 1000},
	{"no tags, named, a default", "{{t <10.00} {x 2 y{a b c}} {f{[x y] -0.5 [1 b 7 0 2 inf]}}}",
		1, 0, "-50 -50 * -50 700 -50", 2, 0, 1000},
	{"no tags, a shared table", "{{t <10} {x 2 y 2} {f{[x] g} g{[y] [3 4]}}}", 2, 1, "3 4", 0,
		0, 10},
	{"no tags, a keyword", "{{t <10} [2 2] {{[0 1] >= [0 0]}}}", 1, 0, "0 * 0 0", 0, 0, 10},
	{"quoted numbers", V "\"f\": {\"scope\": [\"0\"], \"costs\": [\"1\", \"2.5\"]}" E, 1, 0,
		"100 250", 2, 0, 1000},
	{"comments",
		"# begins\n{\"problem\": // what\n{\"name\": \"t\", // \"mustbe\": 1\n\"mustbe\": "
		"\"<10.00\"},\n# {\n\"variables\": [2],\n//\n\"functions\": [{\"scope\": [0], "
		"\"costs\": [1, 2]}]}// ends",
		1, 0, "100 200", 2, 0, 1000},
	{"a colon inside the quotes", V "f: {\"scope:\" [x], \"costs:\" [1, 2]}" E, 1, 0, "100 200",
		2, 0, 1000},
	{"without the last bracket", V "f: {scope: [x], costs: [1, 2]}\n}\n", 1, 0, "100 200", 2, 0,
		1000},
	{"tuples", V "f: {scope: [x, y], defaultcost: 0.5, costs: [1, a, -1, 0, 2, inf]}" E, 1, 0,
		"50 50 * -100 50 50", 2, 0, 1000},
	{"no tuples", V "f: {scope: [y], defaultcost: 0.5, costs: []}" E, 1, 0, "50 50 50", 2, 0,
		1000},
	{"values of a domain without names", V "f: {scope: [x], defaultcost: 0, costs: [v1, 3]}" E,
		1, 0, "0 300", 2, 0, 1000},
	{"constants", V "f: {scope: [], costs: [1.5]} g: {scope: [] defaultcost: -4 costs: []}" E,
		0, -1, NULL, 2, -250, 1000},
	{"interval domain", P "variables: [-3] functions: [{scope: [0] costs: [1 2 3]}]}", 1, 0,
		"100 200 300", 2, 0, 1000},
	{"more decimals than the bound",
		V "f: {scope: [x], costs: [1.5, 2]} g: {scope: [y] defaultcost: 0.25 costs: [b "
		  "0.1234 c "
		  "7.00000]} h: {scope: [] costs: [1]}" E,
		2, 0, "15000 20000", 4, 10000, 100000},
	{"more decimals in a default",
		V "f: {scope: [y], defaultcost: 0.125 costs: [a 1 b 0.0625]}" E, 1, 0,
		"10000 625 1250", 4, 0, 100000},
	{"more decimals in a keyword",
		V "f: {scope: [x y], type: salldiff params: {metric: var cost: 0.125}}" E, 1, 0,
		"125 0 0 0 125 0", 3, 0, 10000},
	{"decimals with a keyword in whole units", V "f: {scope: [x y], type: >= params: [0 1]}" E,
		1, 0, "0 100 * 0 0 100", 2, 0, 1000},
	{"zeros at the end widen nothing",
		V "f: {scope: [x], costs: [1.50000000000000000000, 2.]}" E, 1, 0, "150 200", 2, 0,
		1000},
	{"no digit before the point", V "f: {scope: [x], costs: [.5, -.25]}" E, 1, 0, "50 -25", 2,
		0, 1000},
	{"no decimals",
		"{problem:{name:t mustbe:<7} variables:[2] functions:[{scope:[0] costs:[1 -2]}]}",
		1, 0, "1 -2", 0, 0, 7},
	{"a bound between -1 and 0",
		"{problem:{name:t mustbe:<-0.50} variables:[2] functions:[{scope:[0] costs:[1 "
		"-2]}]}",
		1, 0, "* -200", 2, 0, -50},
	{"maximised", MAXI "{scope: [0] costs: [-5.4 inf]}]}", 1, 0, "-54 *", 1, 0, -55},
	{"maximised, forbidden by the bound", MAXI "{scope: [0] costs: [-5.5 3]}]}", 1, 0, "* 30",
		1, 0, -55},
	{"maximised, dearest path",
		MAXI "{scope: [0] type: wregular params: {nb_states: 2 starts: [[0 1][1 0]] ends: "
		     "[[1 2]] "
		     "transitions: [[0 0 1 -1][1 0 1 3][0 1 1 2.5]]}}]}",
		1, 0, "50 55", 1, 0, -55},
	/* 9 alone may be made up for by -9, 10 and 19 cannot */
	{"costs past the bound that others make up for",
		V "f: {scope: [y], costs: [10, 18.99, 19]} g: {scope: [x], costs: [0, -9]}" E, 2, 0,
		"1000 1899 *", 2, 0, 1000},
	{"two functions of one name",
		V "f: {scope: [x], costs: [1, 2]} f: {scope: [x], costs: [3, 4]}" E, 2, 1,
		"300 400", 2, 0, 1000},
	{"two users of a table to come",
		P "variables: [2 3 2 3] functions: {f: {scope: [0 1] costs: g} h: {scope: [2 1] "
		  "costs: g} "
		  "g: {scope: [2 3] costs: [1 2 3 4 5 6]}}}",
		3, 2, "100 200 300 400 500 600", 2, 0, 1000},
};

static void good(void **state)
{
	const struct model_row *row = *state;

	assert_reads(row, GPUBE_FORMAT_CFN,
		strncmp(row->name, "maximised", 9) == 0 ? GPUBE_MAXIMISE : GPUBE_MINIMISE);
}

static void names_and_sharing(void **state)
{
	struct gpube_ctx *ctx;
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	assert_int_equal(
		text_to_model(&m, ctx,
			P "variables: {x: 2, y: [a, b], z: [c, d]} functions: {f: {scope: [x "
			  "y] costs: g} {scope: [x] costs: [1 2]} g: {scope: [x z] costs: [1 "
			  "2 3 4]}}}",
			GPUBE_FORMAT_CFN),
		0);
	assert_string_equal(m->vars[0].name, "x");
	assert_null(m->vars[0].value_names);
	assert_string_equal(m->vars[2].value_names[1], "d");
	assert_int_equal(m->n_tables, 2);
	assert_int_equal(m->n_functions, 3);
	assert_string_equal(m->functions[0].name, "f");
	assert_null(m->functions[1].name);
	assert_string_equal(m->functions[2].name, "g");
	assert_int_equal(m->functions[0].table, m->functions[2].table);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* A cost's digits are what decides, not a double: 0.1 + 0.2 is 0.3. */
static void decimals_are_exact(void **state)
{
	static const int32_t values[] = {0};
	struct gpube_ctx *ctx;
	struct gpube_model *m;
	int64_t cost;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	assert_int_equal(
		text_to_model(&m, ctx,
			"{{t <0.30000000000000000} [1] {{[0] [0.1]} {[0] [0.19999999999999999]}}}",
			GPUBE_FORMAT_CFN),
		0);
	assert_int_equal(gpube_model_cost(&cost, m, values), 0);
	assert_int_equal(m->scale, 17);
	assert_int_equal(cost, 29999999999999999);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* ---- writing -------------------------------------------------------------------------- */

/* What is read, and what is written then. */
static const struct written {
	const char *name, *in, *out; /* out NULL: ERANGE */
} writtens[] = {
	{"nothing named", "{{t <10.00} [2 3] {{[0 1] [1 2.5 -3 4 5.25 6]}}}",
		"{\n  \"problem\": {\"name\": \"t\", \"mustbe\": \"<10.00\"},\n  \"variables\": "
		"[\n    "
		"2,\n    3\n  ],\n  \"functions\": [\n    {\"scope\": [0, 1], \"costs\": [1.00, "
		"2.50, "
		"-3.00, 4.00, 5.25, 6.00]}\n  ]\n}\n"},
	{"everything named", "{{t >-1} {x 2 y{a b}} {f{[x] [1 2]} {[] [-7]} {[y] [3 4]}}}",
		"{\n  \"problem\": {\"name\": \"t\", \"mustbe\": \">-1\"},\n  \"variables\": {\n   "
		" \"x\": "
		"2,\n    \"y\": [\"a\", \"b\"]\n  },\n  \"functions\": {\n    \"c0\": {\"scope\": "
		"[], "
		"\"costs\": [-7]},\n    \"f\": {\"scope\": [\"x\"], \"costs\": [1, 2]},\n    "
		"\"f1\": "
		"{\"scope\": [\"y\"], \"costs\": [3, 4]}\n  }\n}\n"},
	{"forbidden: a cost that nothing makes up for",
		"{{t <10} [2 2] {{[0] [inf 3]} {[1] [-4 5]}}}",
		"{\n  \"problem\": {\"name\": \"t\", \"mustbe\": \"<10\"},\n  \"variables\": [\n   "
		" 2,\n    "
		"2\n  ],\n  \"functions\": [\n    {\"scope\": [0], \"costs\": [14, 3]},\n    "
		"{\"scope\": "
		"[1], \"costs\": [-4, 5]}\n  ]\n}\n"},
	{"a default", "{{t <9.0} [5 5] {{[0 1] 1.5 [2 3 inf 4 4 0]}}}",
		"{\n  \"problem\": {\"name\": \"t\", \"mustbe\": \"<9.0\"},\n  \"variables\": [\n  "
		"  5,\n    "
		"5\n  ],\n  \"functions\": [\n    {\"scope\": [0, 1], \"defaultcost\": 1.5, "
		"\"costs\": [\n  "
		"    2, 3, 9.0,\n      4, 4, 0.0]}\n  ]\n}\n"},
	{"four variables have minimum 0", "{{t <99} [1 1 2 2] {{[0 1 2 3] [5 6 7 8]}}}",
		"{\n  \"problem\": {\"name\": \"t\", \"mustbe\": \"<99\"},\n  \"variables\": [\n   "
		" 1,\n    "
		"1,\n    2,\n    2\n  ],\n  \"functions\": [\n    {\"scope\": [], \"costs\": "
		"[5]},\n    "
		"{\"scope\": [0, 1, 2, 3], \"costs\": [0, 1, 2, 3]}\n  ]\n}\n"},
	{"a bound that toulbar2 misreads", "{{t <-0.5} [2] {{[0] [-1 2]}}}",
		"{\n  \"problem\": {\"name\": \"t\", \"mustbe\": \"<0.0\"},\n  \"variables\": [\n "
		"   2\n  ],\n  \"functions\": [\n    {\"scope\": [0], \"costs\": [-1.0, 0.0]}\n  "
		"]\n}\n"},
	{"a bound that toulbar2 misreads, maximised", "{{t >-0.5} [2] {{[0] [-1 2]}}}",
		"{\n  \"problem\": {\"name\": \"t\", \"mustbe\": \">-1.0\"},\n  \"variables\": [\n "
		"   2\n  ],\n  \"functions\": [\n    {\"scope\": [0], \"costs\": [-1.0, 2.0]}\n  "
		"]\n}\n"},
	{"all is forbidden by a bound that toulbar2 misreads", "{{t <-0.5} [1] {{[0] [-0.2]}}}",
		"{\n  \"problem\": {\"name\": \"t\", \"mustbe\": \"<-1.0\"},\n  \"variables\": [\n "
		"   1\n  ],\n  \"functions\": [\n    {\"scope\": [0], \"costs\": [-0.2]}\n  "
		"]\n}\n"},
	{"a bound whose sign toulbar2 loses",
		"{{t <-0.5} [2 2] {{[] [-1]} {[0] [0 0.4]} {[1] [0 0.4]}}}", NULL},
	{"a bound whose sign toulbar2 loses, maximised",
		"{{t >-0.5} [2 2] {{[0] [0 -0.4]} {[1] [0 -0.4]}}}", NULL},
	{"a shared table", "{{t <9} [2 2] {f{[0 1] g} h{[1 0] g} g{[0 1] [1 2 3 4]}}}",
		"{\n  \"problem\": {\"name\": \"t\", \"mustbe\": \"<9\"},\n  \"variables\": [\n    "
		"2,\n    "
		"2\n  ],\n  \"functions\": {\n    \"f\": {\"scope\": [0, 1], \"costs\": \"g\"},\n  "
		"  \"h\": "
		"{\"scope\": [1, 0], \"costs\": \"g\"},\n    \"g\": {\"scope\": [0, 1], \"costs\": "
		"[1, 2, 3, "
		"4]}\n  }\n}\n"},
	{"a bound past what toulbar2 holds, needlessly",
		"{{t <900000000000000000} [2] {{[0] [1 2]}}}",
		"{\n  \"problem\": {\"name\": \"t\", \"mustbe\": \"<3\"},\n  \"variables\": [\n    "
		"2\n  "
		"],\n  \"functions\": [\n    {\"scope\": [0], \"costs\": [1, 2]}\n  ]\n}\n"},
	{"a total past what toulbar2 holds",
		"{{t <900000000000000000} [2] {{[0] [1 "
		"899999999999999999]}}}",
		NULL},
	{"a bound far above the least total",
		"{{t <500000000000000000} [2] {{[0] [-100000000000000000 "
		"2]}}}",
		NULL},
};

static void written(void **state)
{
	const struct written *w = *state;
	struct gpube_ctx *ctx;
	struct gpube_model *m;

	assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	if (text_to_model(&m, ctx, w->in, GPUBE_FORMAT_CFN))
		fail_msg("%s", gpube_error(ctx));
	assert_writes(m, GPUBE_FORMAT_CFN, w->out, "toulbar2");
	gpube_ctx_free(ctx);
}

/* Names that the format cannot hold, or that are not unique, are replaced; none is met twice. */
static void replaced_names(void **state)
{
	static const char *const names[] = {
		"x1", "two words", "x1", "3rd", "", "a{b", "x1_", "plain", NULL, "quo\"te"};
	struct gpube_ctx *ctx;
	struct gpube_model *m, *again;
	char *text;
	int status;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 10; i++)
		assert_int_equal(gpube__put_var(m, NULL, i + 1, names[i]), 0);
	text = model_to_text(m, GPUBE_FORMAT_CFN, &status);
	assert_int_equal(status, 0);
	assert_int_equal(text_to_model(&again, ctx, text, GPUBE_FORMAT_CFN), 0);
	assert_int_equal(again->n_vars, 10);
	for (int i = 0; i < 10; i++)
		assert_int_equal(again->vars[i].domain, i + 1);
	assert_string_equal(again->vars[0].name, "x1");
	assert_string_equal(again->vars[1].name, "two_words");
	assert_string_equal(again->vars[2].name, "x2");
	assert_string_equal(again->vars[3].name, "x3rd");
	assert_string_equal(again->vars[4].name, "x4");
	assert_string_equal(again->vars[5].name, "a_b");
	assert_string_equal(again->vars[6].name, "x1_");
	assert_string_equal(again->vars[7].name, "plain");
	assert_string_equal(again->vars[8].name, "x8");
	assert_string_equal(again->vars[9].name, "quo_te");
	free(text);
	gpube_model_free(again);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* Names of values travel, changed where they have to be; where two become one there are none. */
static void value_names(void **state)
{
	static const char *const given[][3] = {{"red", "green", "two words"}, {"-1", "5", ">=30"},
		{"a b", "a_b", "c"}, {"0", "1", "2"}, {"", "b", "c"}};
	static const char *const expected[][3] = {{"red", "green", "two_words"},
		{"v-1", "v5", ">=30"}, {NULL, NULL, NULL}, {NULL, NULL, NULL}, {NULL, NULL, NULL}};
	struct gpube_ctx *ctx;
	struct gpube_model *m, *again;
	char *written_text;
	int status;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(gpube_model_add_var(m, NULL, 3, NULL), 0);
		assert_int_equal(gpube_model_name_values(m, i, given[i]), 0);
	}
	written_text = model_to_text(m, GPUBE_FORMAT_CFN, &status);
	assert_int_equal(status, 0);
	assert_int_equal(text_to_model(&again, ctx, written_text, GPUBE_FORMAT_CFN), 0);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(again->vars[i].domain, 3);
		for (int a = 0; a < 3; a++) {
			const char *name = gpube_model_value_name(again, i, a);

			assert_int_equal(name == NULL, expected[i][a] == NULL);
			if (name)
				assert_string_equal(name, expected[i][a]);
		}
	}
	free(written_text);
	gpube_model_free(again);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* ---- memory that runs out ------------------------------------------------------------- */

static const char *const every_kind =
	P "variables: {x: 2, y: [a, b, c], z: 2 u: 2} functions: {\n"
	  "f: {scope: [x y] costs: g} h: {scope: [x y z u] defaultcost: 0.5 costs: [1 b 0 0 2.125 "
	  "0 a "
	  "1 1 inf 0 a 0 1 3]} g: {scope: [z y] costs: [1 2 3 4 5 600]} c: {scope: [] costs: [-1]} "
	  "d: {scope: [] costs: [inf]} k: {scope: [x y] type: sgcc params: {metric: wdec cost: 1 "
	  "bounds: [[0 1 2 0.0625 3]]}} l: {scope: [x z u] type: clique params: {rhs: 1 values: "
	  "[[0 1] "
	  "[1] []]}} w: {scope: [x z] type: wregular params: {nb_states: 1 starts: [[0 -1]] ends: "
	  "[[0 "
	  "2]] transitions: [[0 0 0 1] [0 1 0 -2]]}}}}";

static void out_of_memory(void **state)
{
	(void)state;
	assert_true(read_and_write_scarcely(every_kind, GPUBE_FORMAT_CFN) > 100);
}

#define N(array) (sizeof(array) / sizeof(*(array)))

int main(void)
{
	struct cases c = {0};

	for (size_t k = 0; k < N(goods); k++)
		add_case(&c, good, &goods[k], "%s", goods[k].name);
	for (size_t k = 0; k < N(writtens); k++)
		add_case(&c, written, &writtens[k], "%s", writtens[k].name);
	ADD_CASE(&c, names_and_sharing);
	ADD_CASE(&c, decimals_are_exact);
	ADD_CASE(&c, replaced_names);
	ADD_CASE(&c, value_names);
	ADD_CASE(&c, out_of_memory);
	return run_cases(&c, "cfn", NULL, NULL);
}
