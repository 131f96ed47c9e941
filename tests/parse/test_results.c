/*
 * Files beside a model, and results: decompositions (.cov), bounds (.ub), results of
 * the UAI competitions, orders and mini-buckets for daoopt.
 */
#include "tests/support/test.h"

#include <math.h>

#include "formats/beside/decomposition.h"
#include "formats/common/registry.h"
#include "formats/uai/daoopt.h"
#include "gpube/ir/model.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"

static struct gpube_model *m;
static char path[300];

/* Four variables of 2, 3, 1 and 2 values; costs have two decimals. */
static struct gpube_model *make_model(struct gpube_ctx *c, const void *arg)
{
	static const int32_t domains[] = {2, 3, 1, 2};
	struct gpube_model *model;

	(void)arg;
	assert_int_equal(gpube_model_new(&model, c, GPUBE_COSTS), GPUBE_OK);
	for (int i = 0; i < 4; i++)
		assert_int_equal(gpube_model_add_var(model, NULL, domains[i], NULL), GPUBE_OK);
	assert_int_equal(gpube_model_set_scale(model, 2), GPUBE_OK);
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

/* ---- rows: a kind of file, its text, and what comes of it -------------------------------- */

enum kind { COV, UB, RESULT };

static const struct row {
	enum kind kind;
	const char *text;
	const char *again; /* as it is written; NULL: an error */
	const char *message;
} rows[] = {
	{COV, "0 -1 0 1\n7 0 1 2\n3 -1 3\n\n5 7 2\n", "0 -1 0 1\n1 0 1 2\n2 -1 3\n3 1 2\n", NULL},
	{COV, "4 -1 0 1 2 3", "0 -1 0 1 2 3\n", NULL},
	{COV, "0 -1\r\n1 0 3\r\n", "0 -1\n1 0 3\n", NULL},
	{COV, "", NULL, ":1: expected a cluster, found the end of the file"},
	{COV, "0 -1 0 4\n", NULL, ":1: expected a variable from 0 to 3, found '4'"},
	{COV, "0 -1 0\n1 2 1\n2 0 1\n", NULL,
		":2: the parent of cluster 1, 2, is not on a line before"},
	{COV, "0 -1 0\n1 1 1\n", NULL, ":2: the parent of cluster 1, 1, is not on a line before"},
	{COV, "0 -1 0\n0 -1 1\n", NULL, ":2: cluster 0 is there twice"},
	{COV, "0 -1 0\n1 0 1 2 1\n", NULL, ":2: variable 1 is twice in a cluster"},
	{COV, "0 -1 0\n1\n", NULL, ":2: expected a cluster's parent"},
	{COV, "0 -1 0\nx 0 1\n", NULL, ":2: expected a cluster's number, found 'x'"},
	{COV, "0 -2 0\n", NULL,
		":1: expected a cluster's parent from -1 to 2147483647, found '-2'"},

	{UB, "12.5\n", "12.50\n", NULL},
	{UB, " -3 ", "-3.00\n", NULL},
	{UB, "0.070", "0.07\n", NULL},
	{UB, "", NULL, ":1: expected an upper bound, found the end of the file"},
	{UB, "high", NULL, ":1: expected an upper bound, found 'high'"},
	{UB, "1.234", NULL, ":1: the bound 1.234 has more decimals than the model, which has 2"},
	{UB, "92233720368547758070", NULL,
		":1: the bound 92233720368547758070 does not fit 64 bits"},
	{UB, "92233720368547759", NULL, ":1: the bound 92233720368547759 does not fit 64 bits"},
	{UB, "\n1 2\n", NULL, ":2: expected the end of the file, found '2'"},

	{RESULT, "PR\n-12.25\n", "PR\n-12.25\n", NULL},
	{RESULT, "PR\n1\n-0.5\n", "PR\n-0.5\n", NULL},
	{RESULT, "PR\n-inf\n", "PR\n-inf\n", NULL},
	{RESULT, "MAR\n2 2 0.25 0.75 3 0 1 0\n", "MAR\n2 2 0.25 0.75 3 0 1 0\n", NULL},
	{RESULT, "MAR\n1\n1 2 0.25 0.75\n", "MAR\n1 2 0.25 0.75\n", NULL},
	{RESULT, "MPE\n3 0 2 1\n", "MPE\n3 0 2 1\n", NULL},
	{RESULT, "MPE\n1\n3 0 2 1\n", "MPE\n3 0 2 1\n", NULL},
	{RESULT, "MPE\n1 5\n", "MPE\n1 5\n", NULL},
	{RESULT, "MPE\n1\n2 0 1\n-BEGIN-\n1\n2 1 1\n", "MPE\n2 1 1\n", NULL},
	{RESULT, "MMAP\n2 7 0 3 1\n", "MMAP\n2 7 0 3 1\n", NULL},
	{RESULT, "MAP\n2 7 0 3 1\n", "MMAP\n2 7 0 3 1\n", NULL},
	{RESULT, "MAP\n1\n2 7 0 3 1\n", "MMAP\n2 7 0 3 1\n", NULL},
	{RESULT, "MAP\n3 7 0 3\n", "MPE\n3 7 0 3\n", NULL}, /* of 2014: all variables */
	{RESULT, "MAP\n1\n3 7 0 3\n", "MPE\n3 7 0 3\n", NULL},
	{RESULT, "", NULL, ":1: expected PR, MAR, MPE, MAP or MMAP, found the end of the file"},
	{RESULT, "MLC\n1", NULL, ":1: expected PR, MAR, MPE, MAP or MMAP, found 'MLC'"},
	{RESULT, "MMAP\n1", NULL,
		":2: the numbers are no MMAP result: too few, too many, or no indices"},
	{RESULT, "MMAP\n3 7 0 3\n", NULL,
		":3: the numbers are no MMAP result: too few, too many, or no indices"},
	{RESULT, "PR\n", NULL,
		":2: the numbers are no PR result: too few, too many, or no indices"},
	{RESULT, "PR\n1 2 3\n", NULL,
		":3: the numbers are no PR result: too few, too many, or no indices"},
	{RESULT, "MPE\n3 0 2\n", NULL,
		":3: the numbers are no MPE result: too few, too many, or no indices"},
	{RESULT, "MPE\n2 0 0.5\n", NULL,
		":3: the numbers are no MPE result: too few, too many, or no indices"},
	{RESULT, "MAP\n2 0 1 2\n", NULL,
		":3: the numbers are no MAP result: too few, too many, or no indices"},
	{RESULT, "MAR\n1 99999999999 0.5\n", NULL,
		":3: the numbers are no MAR result: too few, too many, or no indices"},
	{RESULT, "MAR\n1 2 0.5 x\n", NULL, ":2: expected a number, found 'x'"},
};

/* Reads the file at 'path' and writes it to 'to'. */
static int copy(
	enum kind kind, struct gpube_ctx *c, const struct gpube_model *model, const char *to)
{
	struct gpube_decomposition *d;
	struct gpube_uai_result *r;
	int64_t cost = -77;
	int status;

	switch (kind) {
	case COV:
		status = gpube__read_decomposition(&d, model, path);
		assert_int_equal(d != NULL, status == GPUBE_OK);
		if (!status)
			status = gpube__write_decomposition(model, to, d);
		gpube_result_free(d);
		return status;
	case UB:
		status = gpube__read_ub(&cost, model, path);
		assert_int_equal(cost == -77, status != GPUBE_OK);
		return status ? status : gpube__write_ub(model, to, cost);
	default:
		status = gpube_read_uai_result(&r, c, path);
		assert_int_equal(r != NULL, status == GPUBE_OK);
		if (!status)
			status = gpube_write_uai_result(c, to, r);
		gpube_result_free(r);
		return status;
	}
}

static void row_comes_back(void **state)
{
	const struct row *row = *state;
	char to[320], expected[600], *text;
	int status;

	snprintf(to, sizeof(to), "%s/y", dir);
	test_put(path, row->text, strlen(row->text));
	status = copy(row->kind, ctx, m, to);
	if (row->message) {
		snprintf(expected, sizeof(expected), "%s%s", path, row->message);
		assert_string_equal(gpube_error(ctx), expected);
		assert_int_equal(
			status, strstr(row->message, "64 bits") || strstr(row->message, "decimals")
					? GPUBE_ERANGE
					: GPUBE_EPARSE);
		return;
	}
	if (status)
		fail_msg("%s", gpube_error(ctx));
	text = test_get(to, NULL);
	assert_string_equal(text, row->again);
	free(text);
}

struct copied {
	enum kind kind;
	const char *to;
};

static int copy_scarcely(struct gpube_ctx *c, struct gpube_model *model, const void *arg)
{
	const struct copied *k = arg;

	return copy(k->kind, c, model, k->to);
}

static void without_memory(void **state)
{
	static const char *const texts[] = {"0 -1 0 1\n7 0 1 2\n", "12.5", "MAP\n2 7 0 3 1\n"};

	(void)state;
	for (int kind = COV; kind <= RESULT; kind++) {
		const struct copied copied = {(enum kind)kind, in_dir("y")};

		test_put(path, texts[kind], strlen(texts[kind]));
		fail_each_allocation(copy_scarcely, make_model, &copied, 0);
	}
}

/* ---- daoopt -------------------------------------------------------------------------------- */

static void daoopt_order(void **state)
{
	static const int32_t order[] = {2, 0, 3, 1};
	int32_t found[4];
	char *text;

	(void)state;
	assert_int_equal(gpube__write_daoopt_order(m, path, order), GPUBE_OK);
	text = test_get(path, NULL);
	assert_string_equal(text, "4\n2\n0\n3\n1\n");
	free(text);
	assert_int_equal(gpube_read_order(found, m, path), GPUBE_OK);
	assert_memory_equal(found, order, sizeof(order));
}

static uint64_t little(const char *p, int n)
{
	uint64_t v = 0;

	for (int k = 0; k < n; k++)
		v |= (uint64_t)(unsigned char)p[k] << 8 * k;
	return v;
}

static double little_real(const char *p)
{
	uint64_t bits = little(p, 8);
	double v;

	memcpy(&v, &bits, 8);
	return v;
}

/*
 * Variable 2 has one value and goes: buckets are 0, 1, 3 and the root. Given as
 * one for the root, then one of the bucket of 3 that passes over 1.
 */
static const int32_t scope_01[] = {0, 1}, over_1[] = {1};
static const double values[] = {-1, -2, -3, -4, -5, -0.5};
static const struct gpube_minibucket_function messages[] = {
	{.id = 9, .bucket = -1, .arity = 0, .n = 1, .log10_values = values},
	{.id = 5,
		.bucket = 3,
		.arity = 2,
		.scope = scope_01,
		.n = 6,
		.log10_values = values,
		.n_over = 1,
		.over = over_1},
};
static const struct gpube_minibuckets minibuckets = {
	.ibound = 4, .log10_upper = -7.5, .n_functions = 2, .functions = messages};

static void minibucket_bytes(void **state)
{
	char *b;
	size_t n, at = 0;

	(void)state;
	assert_int_equal(gpube__write_minibuckets(m, path, &minibuckets), GPUBE_OK);
	b = test_get(path, &n);
	assert_int_equal(little(b, 8), 4); /* with the root */
	assert_int_equal(little(b + 8, 4), 4);
	assert_true(little_real(b + 12) == -7.5);
	assert_int_equal(little(b + 20, 8), 0); /* of variables 0 and 1: none */
	assert_int_equal(little(b + 28, 8), 0);
	assert_int_equal(little(b + 36, 8), 1); /* of variable 3 */
	assert_int_equal(little(b + 44, 4), 5);
	assert_int_equal(little(b + 48, 8), 2);
	assert_int_equal(little(b + 56, 4), 0);
	assert_int_equal(little(b + 60, 4), 1);
	assert_int_equal(little(b + 64, 8), 6);
	assert_true(little_real(b + 72) == -1);
	assert_true(little_real(b + 112) == -0.5);
	at = 120;
	assert_int_equal(little(b + at, 8), 1); /* the root's */
	assert_int_equal(little(b + at + 8, 4), 9);
	assert_int_equal(little(b + at + 12, 8), 0);
	assert_int_equal(little(b + at + 20, 8), 1);
	assert_true(little_real(b + at + 28) == -1);
	at += 36;
	assert_int_equal(little(b + at, 8), 0); /* over 0: none; over 1: the first */
	assert_int_equal(little(b + at + 8, 8), 1);
	assert_int_equal(little(b + at + 16, 8), 0);
	assert_int_equal(little(b + at + 24, 8), 0);
	assert_int_equal(little(b + at + 32, 8), 0);
	assert_int_equal(n, at + 40);
	free(b);
}

static void minibuckets_refused(void **state)
{
	static const int32_t scope_10[] = {1, 0}, scope_02[] = {0, 2};
	struct gpube_minibucket_function f = messages[1];
	struct gpube_minibuckets b = {.ibound = 2, .n_functions = 1, .functions = &f};

	(void)state;
	f.bucket = 2;
	assert_int_equal(gpube__write_minibuckets(m, path, &b), GPUBE_EINVAL);
	f.bucket = 4;
	assert_int_equal(gpube__write_minibuckets(m, path, &b), GPUBE_EINVAL);
	f = messages[1];
	f.scope = scope_10;
	assert_int_equal(gpube__write_minibuckets(m, path, &b), GPUBE_EINVAL);
	assert_string_equal(gpube_error(ctx), "mini-bucket function 0: its scope is not ascending");
	f.scope = scope_02;
	assert_int_equal(gpube__write_minibuckets(m, path, &b), GPUBE_EINVAL);
	f = messages[1];
	f.n = 5;
	assert_int_equal(gpube__write_minibuckets(m, path, &b), GPUBE_EINVAL);
	f = messages[1];
	f.over = scope_02 + 1;
	assert_int_equal(gpube__write_minibuckets(m, path, &b), GPUBE_EINVAL);
	assert_int_equal(test_count_files(dir), 0);
}

static int write_minibuckets(struct gpube_ctx *c, struct gpube_model *model, const void *arg)
{
	int status = gpube__write_minibuckets(model, path, &minibuckets);

	(void)c;
	(void)arg;
	assert_int_equal(test_count_files(dir), status == GPUBE_OK);
	return status;
}

static void minibuckets_without_memory(void **state)
{
	(void)state;
	fail_each_allocation(write_minibuckets, make_model, NULL, 0);
}

int main(void)
{
	static const char *const kinds[] = {"cov", "ub", "result"};
	struct cases c = {.setup = setup, .teardown = teardown};

	ADD_CASE(&c, without_memory);
	ADD_CASE(&c, daoopt_order);
	ADD_CASE(&c, minibucket_bytes);
	ADD_CASE(&c, minibuckets_refused);
	ADD_CASE(&c, minibuckets_without_memory);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		add_case(&c, row_comes_back, &rows[i], "%s '%.60s'", kinds[rows[i].kind],
			rows[i].text);
	return run_cases(&c, "results", NULL, NULL);
}
