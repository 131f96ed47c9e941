/* Orders and solutions: layouts, names, round trips, memory that runs out. */
#include "tests/support/test.h"

#include "formats/formats.h"
#include "gpube/ir/model.h"
#include "tests/support/files.h"

static struct gpube_ctx *ctx;
static struct gpube_model *m;
static char dir[256], path[300];

/* Four variables of 2, 3, 4 and 5 values; the first has no name. */
static struct gpube_model *make_model(struct gpube_ctx *c)
{
	static const char *const names[] = {NULL, "x1", "left", "12a"};
	struct gpube_model *model;

	assert_int_equal(gpube_model_new(&model, c, GPUBE_COSTS), GPUBE_OK);
	for (int i = 0; i < 4; i++)
		assert_int_equal(gpube_model_add_var(model, NULL, 2 + i, names[i]), GPUBE_OK);
	return model;
}

static int setup(void **state)
{
	(void)state;
	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/x", dir);
	if (gpube_ctx_new(&ctx, NULL))
		return -1;
	m = make_model(ctx);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	test_clear_dir(dir);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	return 0;
}

static const struct order_row {
	const char *text;
	int32_t order[4];
} orders[] = {
	{"2 0 3 1\n", {2, 0, 3, 1}},
	{"2\n0\n3\n1", {2, 0, 3, 1}},
	{"  3 2\t1\r\n0 \n\n", {3, 2, 1, 0}},
	{"# \n4\n2\n0\n3\n1\n\n", {2, 0, 3, 1}},
	{"4 2 0 3 1", {2, 0, 3, 1}},
	{"# made by hand\n# twice\n0 1 # here, too\n2 3\n#", {0, 1, 2, 3}},
	{"left 0 12a x1\n", {2, 0, 3, 1}},
	{"left 0 3 x1\n", {2, 0, 3, 1}},
	{"4 left 0 12a x1\n", {2, 0, 3, 1}},
	{"00 01 02 3", {0, 1, 2, 3}},
};

static void good_order(void **state)
{
	const struct order_row *row = *state;
	int32_t order[4];

	test_put(path, row->text, strlen(row->text));
	if (gpube_read_order(order, m, path))
		fail_msg("%s", gpube_error(ctx));
	assert_memory_equal(order, row->order, sizeof(order));
}

static void bad_names(void **state)
{
	static const char *const rows[][2] = {
		{"left 0 12a left", "variable 2 is twice in the order"},
		{"2 0 3 X1", "expected a variable's index or name, found 'X1'"},
		{"2 0 3 x1 1", "variable 1 is twice in the order"},
		{"2 0 4 1", "expected a variable from 0 to 3, found '4'"}, /* 4 is a count in front
									      only */
		{"2 0 3 1.0", "expected a variable's index or name, found '1.0'"},
	};
	int32_t order[4] = {-9, -9, -9, -9};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char expected[400];

		test_put(path, rows[i][0], strlen(rows[i][0]));
		assert_int_equal(gpube_read_order(order, m, path), GPUBE_EPARSE);
		snprintf(expected, sizeof(expected), "%s:1: %s", path, rows[i][1]);
		assert_string_equal(gpube_error(ctx), expected);
		assert_int_equal(order[0], -9);
	}
	assert_int_equal(gpube_read_order(order, m, dir), GPUBE_EIO);
	assert_int_equal(gpube_read_solution(order, m, dir), GPUBE_EIO);
}

static void empty_model(void **state)
{
	struct gpube_model *none;
	int32_t nothing[1] = {-9};

	(void)state;
	assert_int_equal(gpube_model_new(&none, ctx, GPUBE_COSTS), GPUBE_OK);
	for (int i = 0; i < 2; i++) {
		test_put(path, i ? "0\n" : "\n", i ? 2 : 1);
		assert_int_equal(gpube_read_order(nothing, none, path), GPUBE_OK);
	}
	assert_int_equal(gpube_write_solution(none, path, nothing), GPUBE_OK);
	assert_int_equal(gpube_read_solution(nothing, none, path), GPUBE_OK);
	assert_int_equal(nothing[0], -9);
	gpube_model_free(none);
}

static void solution_comes_back(void **state)
{
	static const int32_t values[] = {1, 0, 3, 4};
	int32_t found[4];
	char *text;

	(void)state;
	assert_int_equal(gpube_write_solution(m, path, values), GPUBE_OK);
	text = test_get(path, NULL);
	assert_string_equal(text, "1 0 3 4\n");
	free(text);
	assert_int_equal(gpube_read_solution(found, m, path), GPUBE_OK);
	assert_memory_equal(found, values, sizeof(values));
	test_put(path, " 1 0\n3 4 \n\n", 11); /* toulbar2 begins with a blank */
	assert_int_equal(gpube_read_solution(found, m, path), GPUBE_OK);
	assert_memory_equal(found, values, sizeof(values));
	assert_int_equal(gpube_write_solution(m, "/nonexistent/x.sol", values), GPUBE_EIO);
}

/* Every allocation fails once; nothing leaks, no half file stays. */
static void without_memory(void **state)
{
	static const int32_t values[] = {1, 0, 3, 4};

	(void)state;
	for (int what = 0; what < 3; what++) {
		test_put(path, what == 0 ? "left 0 12a x1" : "1 0 3 4", what == 0 ? 13 : 7);
		for (long k = 0;; k++) {
			struct test_memory memory = {.fail_at = -1};
			struct gpube_ctx *c = test_memory_ctx(&memory);
			struct gpube_model *model = make_model(c);
			int32_t out[4];
			long live = memory.live;
			int status;

			memory.n = 0;
			memory.fail_at = k;
			status = what == 0   ? gpube_read_order(out, model, path)
				 : what == 1 ? gpube_read_solution(out, model, path)
					     : gpube_write_solution(model, path, values);
			assert_int_equal(memory.live, live);
			assert_int_equal(test_count_files(dir), 1);
			gpube_model_free(model);
			gpube_ctx_free(c);
			if (status == GPUBE_OK) {
				assert_true(k >= 2);
				break;
			}
			assert_int_equal(status, GPUBE_ENOMEM);
		}
	}
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	enum { N = sizeof(orders) / sizeof(*orders) };
	static struct CMUnitTest tests[N + 4] = {CASE(bad_names), CASE(empty_model),
		CASE(solution_comes_back), CASE(without_memory)};
	static char texts[N][80];

	for (size_t i = 0; i < N; i++) {
		snprintf(texts[i], sizeof(texts[i]), "order '%s'", orders[i].text);
		for (char *p = texts[i]; *p; p++)
			if (*p == '\n' || *p == '\r' || *p == '#')
				*p = '|';
		tests[4 + i] = (struct CMUnitTest){
			texts[i], good_order, setup, teardown, (void *)(uintptr_t)&orders[i]};
	}
	return _cmocka_run_group_tests("sidecar", tests, N + 4, NULL, NULL);
}
