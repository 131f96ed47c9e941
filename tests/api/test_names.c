/* Names that calls give: none is of two variables, or of two values of one. */
#include "tests/support/test.h"

#include <stdio.h>

#include "gpube/globals.h"
#include "gpube/ir/model.h"
#include "tests/support/context.h"
#include "tests/support/model_text.h"

static void refused(int status, const char *text)
{
	assert_int_equal(status, GPUBE_EINVAL);
	assert_string_equal(gpube_error(ctx), text);
}

static void variables(void **state)
{
	struct gpube_model *m;

	(void)state;
	for (int kind = GPUBE_COSTS; kind <= GPUBE_COALITIONS; kind++) {
		int32_t var = -7;

		assert_int_equal(gpube_model_new(&m, ctx, (enum gpube_kind)kind), 0);
		assert_int_equal(gpube_model_add_var(m, NULL, 2, "x"), 0);
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
		refused(gpube_model_add_var(m, &var, 2, "x"),
			"variables 0 and 3 would both be called 'x'");
		assert_int_equal(var, -7);
		assert_int_equal(gpube_model_add_var(m, &var, 2, "y"), 0);
		assert_int_equal(var, 3);
		refused(gpube_model_add_var(m, NULL, 2, "y"),
			"variables 3 and 4 would both be called 'y'");
		assert_int_equal(gpube_model_n_vars(m), 4);
		gpube_model_free(m);
	}
}

static void values(void **state)
{
	static const char *const good[] = {"x", "y", "z"}, *const twice[] = {"y", "x", "x"};
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(gpube_model_add_var(m, NULL, 3, NULL), 0);
		assert_int_equal(gpube_model_name_values(m, i, good), 0);
		assert_int_equal(gpube_model_name_values(m, i, good), 0);
	}
	refused(gpube_model_name_values(m, 1, twice),
		"values 1 and 2 of variable 1 would both be called 'x'");
	for (int a = 0; a < 3; a++)
		assert_string_equal(gpube_model_value_name(m, 1, a), good[a]);
	gpube_model_free(m);
}

/* Of a file's names the first counts; a later call may give none of them again. */
static void after_a_file(void **state)
{
	static const char bif[] =
		"network n { }\n"
		"variable a { type discrete [ 2 ] { no, yes }; }\n"
		"variable b { type discrete [ 2 ] { no, yes }; }\n"
		"probability ( a ) { table 0.5, 0.5; }\nprobability ( b ) { table 0.5, 0.5; }\n";
	struct gpube_model *m;

	(void)state;
	assert_int_equal(text_to_model(&m, ctx, bif, GPUBE_FORMAT_BIF), 0);
	refused(gpube_model_add_var(m, NULL, 2, "b"), "variables 1 and 2 would both be called 'b'");
	assert_int_equal(gpube_model_add_var(m, NULL, 2, "c"), 0);
	gpube_model_free(m);
	/* as a reader leaves them */
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(gpube__put_var(m, NULL, 2, "same"), 0);
	refused(gpube_model_add_var(m, NULL, 2, "same"),
		"variables 0 and 3 would both be called 'same'");
	gpube_model_free(m);
}

/* What is taken back leaves its name free. */
static void taken_back(void **state)
{
	struct gpube_model *m;
	struct gpube__model_mark mark;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, "stays"), 0);
	mark = gpube__model_mark(m);
	for (int i = 0; i < 100; i++) {
		char name[16];

		snprintf(name, sizeof(name), "goes%d", i);
		assert_int_equal(gpube_model_add_var(m, NULL, 2, name), 0);
	}
	gpube__model_truncate(m, mark);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, "goes7"), 0);
	refused(gpube_model_add_var(m, NULL, 2, "goes7"),
		"variables 1 and 2 would both be called 'goes7'");
	refused(gpube_model_add_var(m, NULL, 2, "stays"),
		"variables 0 and 2 would both be called 'stays'");
	gpube_model_free(m);
}

/* A name of many is found without a search through all: a quadratic one would take hours. */
static void many(void **state)
{
	enum { N = 1000000 };
	struct gpube_model *m;
	char name[16];

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < N; i++) {
		snprintf(name, sizeof(name), "v%d", i);
		assert_int_equal(gpube_model_add_var(m, NULL, 2, name), 0);
	}
	for (int i = 0; i < N; i++) {
		snprintf(name, sizeof(name), "v%d", i);
		assert_int_equal(gpube_model_add_var(m, NULL, 2, name), GPUBE_EINVAL);
	}
	assert_int_equal(gpube_model_n_vars(m), N);
	gpube_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables),
		cmocka_unit_test(values),
		cmocka_unit_test(after_a_file),
		cmocka_unit_test(taken_back),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, ctx_setup, ctx_teardown);
}
