/* Orders and solutions: layouts, names, round trips, memory that runs out. */
#include "tests/support/test.h"

#include "formats/formats.h"
#include "gpube/ir/model.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"

static struct gpube_model *m;
static char path[300];

/* Four variables of 2, 3, 4 and 5 values; the first has no name. */
static struct gpube_model *make_model(struct gpube_ctx *c, const void *arg)
{
	static const char *const names[] = {NULL, "x1", "left", "12a"};
	struct gpube_model *model;

	(void)arg;
	assert_int_equal(gpube_model_new(&model, c, GPUBE_COSTS), GPUBE_OK);
	for (int i = 0; i < 4; i++)
		assert_int_equal(gpube_model_add_var(model, NULL, 2 + i, names[i]), GPUBE_OK);
	return model;
}

static int setup(void **state)
{
	if (ctx_dir_setup(state))
		return -1;
	snprintf(path, sizeof(path), "%s/x", dir);
	m = make_model(ctx, NULL);
	return 0;
}

static int teardown(void **state)
{
	gpube_model_free(m);
	return ctx_dir_teardown(state);
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

static const struct mpe_row {
	const char *text, *message;
} mpes[] = {
	{"MPE\n4 1 0 3 4\n", NULL},
	{" MPE\n1\n4 1 0 3 4\n", NULL},
	{"MAP\n4 1 0 3 4\n", NULL},
	{"MPE\n3 1 0 3\n", ":3: expected an MPE result, values of 4 variables"},
	{"MMAP\n4 0 1 1 0 2 3 3 4\n", ":3: expected an MPE result, values of 4 variables"},
	{"MPE\n4 1 0 4 4\n", ":3: expected a value of variable 2 from 0 to 3, found '4'"},
	{"M 1 0 3 4\n", ":1: expected PR, MAR, MPE, MAP or MMAP, found 'M'"},
};

/* A result of the UAI competitions is a known solution as good as toulbar2's. */
static void mpe_as_solution(void **state)
{
	static const int32_t values[] = {1, 0, 3, 4}, untouched[] = {-9, -9, -9, -9};
	const struct mpe_row *row = *state;
	int32_t found[4] = {-9, -9, -9, -9};
	char expected[400];

	test_put(path, row->text, strlen(row->text));
	assert_int_equal(
		gpube_read_solution(found, m, path), row->message ? GPUBE_EPARSE : GPUBE_OK);
	assert_memory_equal(found, row->message ? untouched : values, sizeof(found));
	if (!row->message)
		return;
	snprintf(expected, sizeof(expected), "%s%s", path, row->message);
	assert_string_equal(gpube_error(ctx), expected);
}

/* And back, by its name. */
static void sol_as_mpe(void **state)
{
	struct gpube_uai_result *r;
	const char *sol = in_dir("x.sol");
	struct gpube_uai_result pr = {.task = GPUBE_UAI_PR};
	char *text;

	(void)state;
	test_put(sol, " 1 0\n3 4 \n", 10);
	assert_int_equal(gpube_read_uai_result(&r, ctx, sol), GPUBE_OK);
	assert_int_equal(gpube_write_uai_result(ctx, path, r), GPUBE_OK);
	text = test_get(path, NULL);
	assert_string_equal(text, "MPE\n4 1 0 3 4\n");
	free(text);
	assert_int_equal(gpube_write_uai_result(ctx, sol, r), GPUBE_OK);
	text = test_get(sol, NULL);
	assert_string_equal(text, "1 0 3 4\n");
	free(text);
	gpube_result_free(r);
	assert_int_equal(gpube_write_uai_result(ctx, sol, &pr), GPUBE_EINVAL);
	test_put(sol, "1 0 x\n", 6);
	assert_int_equal(gpube_read_uai_result(&r, ctx, sol), GPUBE_EPARSE);
	assert_null(r);
}

static int read_order(struct gpube_ctx *c, struct gpube_model *model, const void *arg)
{
	int32_t out[4];

	(void)c;
	(void)arg;
	return gpube_read_order(out, model, path);
}

static int read_solution(struct gpube_ctx *c, struct gpube_model *model, const void *arg)
{
	int32_t out[4];

	(void)c;
	(void)arg;
	return gpube_read_solution(out, model, path);
}

static int read_result(struct gpube_ctx *c, struct gpube_model *model, const void *arg)
{
	struct gpube_uai_result *r;
	int status = gpube_read_uai_result(&r, c, arg);

	(void)model;
	gpube_result_free(r);
	return status;
}

/* What is there already stays if the new file fails. */
static int write_solution(struct gpube_ctx *c, struct gpube_model *model, const void *arg)
{
	int status = gpube_write_solution(model, path, (const int32_t[]){1, 0, 3, 4});

	(void)c;
	(void)arg;
	assert_int_equal(test_count_files(dir), 1);
	return status;
}

/* Every allocation fails once; nothing leaks, no half file stays. */
static void without_memory(void **state)
{
	(void)state;
	test_put(path, "left 0 12a x1", 13);
	assert_true(fail_each_allocation(read_order, make_model, NULL, 0) >= 2);
	test_put(path, "1 0 3 4", 7);
	assert_true(fail_each_allocation(read_solution, make_model, NULL, 0) >= 2);
	test_put(path, mpes[0].text, strlen(mpes[0].text));
	assert_true(fail_each_allocation(read_solution, make_model, NULL, 0) >= 4);
	assert_true(fail_each_allocation(write_solution, make_model, NULL, 0) >= 2);
	test_put(in_dir("x.sol"), "1 0 3 4", 7);
	assert_true(fail_each_allocation(read_result, NULL, in_dir("x.sol"), 0) >= 3);
}

int main(void)
{
	struct cases c = {.setup = setup, .teardown = teardown};

	ADD_CASE(&c, bad_names);
	ADD_CASE(&c, empty_model);
	ADD_CASE(&c, solution_comes_back);
	ADD_CASE(&c, sol_as_mpe);
	ADD_CASE(&c, without_memory);
	for (size_t i = 0; i < sizeof(mpes) / sizeof(*mpes); i++)
		add_case(&c, mpe_as_solution, &mpes[i], "as a solution '%s'", mpes[i].text);
	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
		add_case(&c, good_order, &orders[i], "order '%s'", orders[i].text);
	return run_cases(&c, "sidecar", NULL, NULL);
}
