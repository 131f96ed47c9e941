/* .wcsp: good files give exactly the tables that they say; what the writer does. */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "tests/support/cases.h"
#include "tests/support/files.h"
#include "formats/compare/compare.h"
#include "tests/support/memory.h"
#include "tests/support/model_text.h"

/* ---- reading -------------------------------------------------------------------------- */

#define H "t 2 3 1 100\n2 3\n"

/* without decimals */
static const struct model_row goods[] = {
	{"all tuples", H "2 0 1 0 6\n0 0 1\n0 1 2\n0 2 3\n1 0 4\n1 1 5\n1 2 6\n", 1, 0,
		"1 2 3 4 5 6", 0, 0, 100},
	{"all tuples but the last", H "2 0 1 9 5\n0 0 1\n0 1 2\n0 2 3\n1 0 4\n1 1 5\n", 1, 0,
		"1 2 3 4 5 9", 0, 0, 100},
	{"all tuples backwards", H "2 0 1 0 6\n1 2 6\n1 1 5\n1 0 4\n0 2 3\n0 1 2\n0 0 1\n", 1, 0,
		"1 2 3 4 5 6", 0, 0, 100},
	{"a default and two tuples", H "2 0 1 7 2\n1 1 0\n0 2 5\n", 1, 0, "7 7 5 7 0 7", 0, 0, 100},
	{"a listing that breaks off", H "2 0 1 7 3\n0 0 1\n0 1 2\n1 1 3\n", 1, 0, "1 2 7 7 3 7", 0,
		0, 100},
	{"a default only", H "2 0 1 7 0\n", 1, 0, "7 7 7 7 7 7", 0, 0, 100},
	{"scope in another order", H "2 1 0 0 2\n1 0 4\n2 1 5\n", 1, 0, "0 0 4 0 0 5", 0, 0, 100},
	{"one variable", H "1 1 3 1\n2 8\n", 1, 0, "3 3 8", 0, 0, 100},
	{"costs from top on are forbidden", H "1 1 1000 2\n0 99\n1 100\n", 1, 0, "99 * *", 0, 0,
		100},
	{"no function", "t 1 2 0 5\n2\n", 0, -1, NULL, 0, 0, 5},
	{"no variable", "t 0 0 1 5\n0 3 0\n", 0, -1, NULL, 0, 3, 5},
	{"constants", "t 1 2 3 50\n2\n0 3 0\n0 4 1\n5\n0 0 0\n", 0, -1, NULL, 0, 8, 50},
	{"a constant past top", "t 1 2 2 9\n2\n0 9223372036854775806 0\n0 9223372036854775806 0\n",
		0, -1, NULL, 0, 9, 9},
	{"interval domains", "t 2 3 1 100\n-2 -3\n2 0 1 0 1\n1 2 5\n", 1, 0, "0 0 0 0 0 5", 0, 0,
		100},
	{"the largest top", "t 1 2 1 9223372036854775807\n2\n1 0 9223372036854775806 1\n1 1\n", 1,
		0, "9223372036854775806 1", 0, 0, GPUBE_INF},
	{"tuples wherever they stand",
		"t 2 7 1 99\n7 2\n2 0 1 0 7\n0 0 1\n0 1 2 \n 1 0 4\n1  1 5\n2 0\n6\n000000006 0 7 "
		"6 1 00000000000000008\n",
		1, 0, "1 2 4 5 6 0 0 0 0 0 0 0 7 8", 0, 0, 99},
	{"the narrowest type's last value", "t 1 3 1 999\n3\n1 0 0 3\n0 127\n1 64\n2 63\n", 1, 0,
		"127 64 63", 0, 0, 999},
	{"bits that no value has together", "t 1 3 1 999\n3\n1 0 0 2\n0 64\n1 63\n", 1, 0,
		"64 63 0", 0, 0, 999},
	{"top 0", "t 1 2 1 0\n2\n1 0 0 1\n1 1\n", 1, 0, "* *", 0, 0, 0},
	{"signs and blanks", "t\t2 +3 1\r\n\f100\v2 3 1 1\n+3 1 2 +8", 1, 0, "3 3 8", 0, 0, 100},
	{"a table of an earlier one", "t 3 2 3 9\n2 2 2\n-2 0 1 1 1\n1 0 4\n1 0 0 0\n2 2 1 1 -1\n",
		3, 2, "1 1 4 1", 0, 0, 9},
	{"the second of two shared tables",
		"t 2 2 4 9\n2 2\n-1 0 1 1\n1 4\n-1 1 2 1\n0 3\n1 0 2 -2\n1 1 1 -1\n", 4, 2, "3 2",
		0, 0, 9},
	/* oconnell.wcsp has such defaults */
	{"a shared table with another default", "t 2 2 2 9\n2 2\n-1 0 5 1\n1 4\n1 1 1 -1\n", 2, 1,
		"5 4", 0, 0, 9},
	{"a shared table of all tuples with another default",
		"t 4 1 2 9\n1 1 1 1\n-4 0 1 2 3 5 1\n0 0 0 0 4\n4 3 2 1 0 0 -1\n", 2, 1, "4", 0, 0,
		9},
};

static void good(void **state)
{
	assert_reads(*state, GPUBE_FORMAT_WCSP, GPUBE_MINIMISE);
}

/* Few tuples of a large table stay tuples, in order; a table beyond 2^63 cells, too. */
static void sparse_stays_sparse(void **state)
{
	static const int32_t a[] = {1, 2, 3, 0}, b[] = {99999, 99999, 99999, 99999};
	struct gpube_ctx *ctx;
	struct gpube_model *m;
	const struct gpube_table *t;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	assert_int_equal(
		text_to_model(&m, ctx,
			"t 4 100000 1 1000\n100000 100000 100000 100000\n4 0 1 2 3 1000 2\n"
			"99999 99999 99999 99999 6\n1 2 3 0 5\n",
			GPUBE_FORMAT_WCSP),
		0);
	t = gpube__table(m, 0);
	assert_true(t->sparse);
	assert_int_equal(t->n, 2);
	assert_int_equal(t->type, GPUBE_INT8);
	assert_int_equal(t->tuples[0], 1);
	assert_int_equal(t->dflt.i, GPUBE_INF);
	assert_int_equal(cost_at(m, 0, a), 5);
	assert_int_equal(cost_at(m, 0, b), 6);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

static size_t largest_request;

static void *watched(void *arg, void *p, size_t size)
{
	(void)arg;
	if (size > largest_request)
		largest_request = size;
	if (size)
		return realloc(p, size);
	free(p);
	return NULL;
}

/* What a file declares is not taken on trust: it must not cost memory before it is there. */
static void claims_cost_nothing(void **state)
{
	static const char *const texts[] = {
		"t 2000000000 2 1 9\n2 2\n",
		"t 3 2 2000000000 9\n2 2 2\n1 0 0 0\n",
		"t 3 1000 1 9\n1000 1000 1000\n3 0 1 2 0 1000000000\n0 0 0 1\n0 0 1 1\n",
		"t 3 1000 1 9\n1000 1000 1000\n3 0 1 2 0 1000000000\n999 999 999 1\n",
		"t 1 2000000000 1 9\n2000000000\n1 0 0 2000000000\n1999999999 1\n5",
		"t 2 2 1 9\n2 2\n2 0 1 -1 samong var 1 0 1 2000000000 1\n",
	};
	struct gpube_opts opts = {.memory_bytes = (uint64_t)1 << 40, .realloc = watched};
	struct gpube_ctx *ctx;
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, &opts), 0);
	for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++) {
		largest_request = 0;
		assert_int_equal(text_to_model(&m, ctx, texts[k], GPUBE_FORMAT_WCSP), GPUBE_EPARSE);
		assert_non_null(strstr(gpube_error(ctx), "end of the file"));
		assert_true(largest_request > 0);
		assert_true(largest_request < 1 << 20);
	}
	gpube_ctx_free(ctx);
}

/* ---- writing -------------------------------------------------------------------------- */

/* A model over two variables of two values, with the constant and one table. */
static struct gpube_model *small_model(struct gpube_ctx *ctx, enum gpube_direction direction,
	int64_t constant, int64_t top, const int64_t *costs)
{
	static const int32_t scope[] = {0, 1};
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	assert_int_equal(gpube_model_set_direction(m, direction), 0);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, "a b"), 0);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 0, NULL, &constant), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, scope, costs), 0);
	assert_int_equal(gpube_model_set_top(m, top), 0);
	return m;
}

#define NONE GPUBE_INF

static const struct written {
	const char *name;
	enum gpube_direction direction;
	int64_t constant, top, costs[4];
	const char *text; /* NULL: ERANGE */
} writtens[] = {
	{"as it is", GPUBE_MINIMISE, 3, 10, {1, 2, 3, 4},
		"gpube 2 2 2 10\n2 2\n0 3 0\n2 0 1 0 4\n0 0 1\n0 1 2\n1 0 3\n1 1 4\n"},
	{"forbidden is top", GPUBE_MINIMISE, 0, 10, {1, NONE, 0, 0},
		"gpube 2 2 1 10\n2 2\n2 0 1 0 2\n0 0 1\n0 1 10\n"},
	{"the usual cost is the default", GPUBE_MINIMISE, 0, 10, {7, 7, 0, 7},
		"gpube 2 2 1 10\n2 2\n2 0 1 7 1\n1 0 0\n"},
	{"costs past top", GPUBE_MINIMISE, 0, 10, {1, 10, 11, INT64_MAX - 1},
		"gpube 2 2 1 10\n2 2\n2 0 1 0 4\n0 0 1\n0 1 10\n1 0 10\n1 1 10\n"},
	{"no top", GPUBE_MINIMISE, 3, NONE, {1, 2, NONE, 4},
		"gpube 2 2 2 8\n2 2\n0 3 0\n2 0 1 0 4\n0 0 1\n0 1 2\n1 0 8\n1 1 4\n"},
	{"negative costs go to the constant", GPUBE_MINIMISE, 5, 10, {-4, 2, NONE, 0},
		"gpube 2 2 2 10\n2 2\n0 1 0\n2 0 1 4 3\n0 0 0\n0 1 6\n1 0 10\n"},
	{"a constant that costs make up for", GPUBE_MINIMISE, -5, 10, {5, 6, 7, 5},
		"gpube 2 2 1 10\n2 2\n2 0 1 0 4\n0 0 0\n0 1 1\n1 0 2\n1 1 0\n"},
	{"a negative total", GPUBE_MINIMISE, 5, 10, {-6, 2, 3, 4}, NULL},
	{"maximised", GPUBE_MAXIMISE, -9, -20, {1, 2, NONE, 4},
		"gpube 2 2 2 20\n2 2\n0 5 0\n2 0 1 0 4\n0 0 3\n0 1 2\n1 0 20\n1 1 0\n"},
	{"a maximised total above 0", GPUBE_MAXIMISE, 0, -20, {1, 2, 3, 4}, NULL},
	{"a top that toulbar2 cuts but needs not", GPUBE_MINIMISE, 0, INT64_MAX - 1, {1, 2, 3, 4},
		"gpube 2 2 1 5\n2 2\n2 0 1 0 4\n0 0 1\n0 1 2\n1 0 3\n1 1 4\n"},
	{"totals that toulbar2 does not hold", GPUBE_MINIMISE, 0, NONE, {9007199254740992, 2, 3, 4},
		NULL},
	{"the largest total", GPUBE_MINIMISE, 0, NONE, {9007199254740991, 0, 0, 0},
		"gpube 2 2 1 9007199254740992\n2 2\n2 0 1 0 1\n0 0 9007199254740991\n"},
	{"a top and what reaches it need no room", GPUBE_MINIMISE, 0, INT64_MAX - 1,
		{INT64_MAX - 1, 2, 3, NONE},
		"gpube 2 2 1 4\n2 2\n2 0 1 0 4\n0 0 4\n0 1 2\n1 0 3\n1 1 4\n"},
	{"infeasible by its top", GPUBE_MINIMISE, 0, -3, {1, 0, 0, 0},
		"gpube 2 2 1 0\n2 2\n2 0 1 0 1\n0 0 0\n"},
};

static void written(void **state)
{
	const struct written *w = *state;
	const char *why = strstr(w->name, "hold") ? "toulbar2" : ".cfn";
	struct gpube_ctx *ctx;

	assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	assert_writes(small_model(ctx, w->direction, w->constant, w->top, w->costs),
		GPUBE_FORMAT_WCSP, w->text, why);
	gpube_ctx_free(ctx);
}

/* With the option for it, totals that would be negative are all written larger, top with them. */
static void shifted(void **state)
{
	static const int64_t costs[] = {-6, 2, GPUBE_INF, 4};
	struct gpube_opts opts = {.to = GPUBE_FORMAT_WCSP, .shift = 1};
	struct gpube_ctx *ctx;
	struct gpube_model *m;
	char dir[256], path[300], *text;

	(void)state;
	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/x", dir);
	assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	m = small_model(ctx, GPUBE_MINIMISE, 4, 5, costs);
	if (gpube_write(m, path, &opts, NULL))
		fail_msg("%s", gpube_error(ctx));
	text = test_get(path, NULL);
	/* 2 more: the total -2 becomes 0, and the top 5 becomes 7 */
	assert_string_equal(text, "gpube 2 2 1 7\n2 2\n2 0 1 0 4\n0 0 0\n0 1 7\n1 0 7\n1 1 7\n");
	free(text);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
	test_clear_dir(dir);
}

/*
 * The quick path for the usual spacing and the slow one for all others give the
 * same model: listings in order and not, cut by the window's end anywhere.
 */
static void spacing(void **state)
{
	static const char *const between[][2] = {{" ", "\n"}, {"\t", "\n"}, {" ", "\r\n"},
		{"  ", "\n\n"}, {" 0", " \n"}, {" ", " "}};
	enum { D = 130, STYLES = sizeof(between) / sizeof(*between) };
	struct gpube_model *m[STYLES];
	struct gpube_compared counts;
	struct gpube_ctx *ctx;
	char *text = malloc((size_t)3 * D * D * 40 + 1000);

	(void)state;
	assert_non_null(text);
	assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	for (int k = 0; k < STYLES; k++) {
		const char *b = between[k][0], *e = between[k][1];
		int n = sprintf(text, "p 3 %d 3 2000\n%d %d %d\n", D, D, D, D);

		for (int f = 0; f < 3; f++) {
			n += sprintf(
				text + n, "2 %d %d 7 %d\n", f % 2, f % 2 + 1, D * D - (f == 2));
			for (int c = 0; c < D * D - (f == 2); c++) {
				/* in order; in order but for two; the last cell first */
				int at = f == 2                    ? D * D - 1 - c
					 : f == 1 && c / 2 == 4000 ? c ^ 1
								   : c;

				n += sprintf(text + n, "%d%s%d%s%d%s", at / D, b, at % D, b,
					(at * 37) % 2100 * (f + 1), e);
			}
		}
		if (text_to_model(&m[k], ctx, text, GPUBE_FORMAT_WCSP))
			fail_msg("%s", gpube_error(ctx));
		assert_int_equal(gpube__compare(&counts, m[0], m[k]), GPUBE_OK);
		assert_int_equal(counts.n_cells, 2 * D * D);
		assert_int_equal(cost_at(m[k], 0, (const int32_t[]){1, 3}),
			133 * 37 % 2100 >= 2000 ? GPUBE_INF : 133 * 37 % 2100);
		assert_int_equal(cost_at(m[k], 2, (const int32_t[]){0, 0}), 7);
	}
	for (int k = 0; k < STYLES; k++)
		gpube_model_free(m[k]);
	gpube_ctx_free(ctx);
	free(text);
}

/* Shared tables stay shared, sparse ones sparse, and writing again changes nothing. */
static void shared_and_sparse(void **state)
{
	static const char text[] = "name 5 3 4 50\n2 3 2 3 2\n0 4 0\n-2 0 1 1 2\n0 2 7\n1 0 50\n"
				   "2 2 3 1 -1\n5 4 3 2 1 0 50 2\n0 0 0 1 1 8\n1 2 1 2 0 9\n";
	struct gpube_ctx *ctx;
	struct gpube_model *m;
	char *again;
	int status;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), 0);
	assert_int_equal(text_to_model(&m, ctx, text, GPUBE_FORMAT_WCSP), 0);
	assert_int_equal(m->n_tables, 2);
	assert_int_equal(m->functions[0].table, m->functions[1].table);
	assert_true(gpube__table(m, 2)->sparse);
	again = model_to_text(m, GPUBE_FORMAT_WCSP, &status);
	assert_int_equal(status, 0);
	assert_string_equal(again, text);
	free(again);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* ---- memory that runs out ------------------------------------------------------------- */

static const char *const every_kind =
	"name 5 3 13 50\n2 3 2 3 -2\n0 4 0\n-2 0 1 1 2\n0 2 7\n1 0 50\n2 2 3 1 -1\n"
	"5 4 3 2 1 0 50 2\n1 2 1 2 0 9\n0 0 0 1 1 8\n1 0 300 1\n1 2\n"
	"2 1 3 -1 >= 1 2\n4 0 1 2 3 -1 salldiff dec 3\n3 0 1 2 -1 sgcc wdec 1 1 0 1 2 3 4\n"
	"4 0 1 2 3 0 3\n1 2 1 2 5\n0 0 0 0 3\n0 0 0 1 2\n"
	"3 0 1 2 -1 knapsackp 1 1 1 1 0 1 1 1\n3 0 2 4 -1 max 1 2 0 1 3 4 1 2\n"
	"3 0 2 4 -1 sregular var 2 2 1 0 1 1 2 0 0 1 1 1 0\n4 0 1 2 3 -1 wsum hard 4 == 3\n";

static void out_of_memory(void **state)
{
	(void)state;
	assert_true(read_and_write_scarcely(every_kind, GPUBE_FORMAT_WCSP) > 60);
}

#define N(array) (sizeof(array) / sizeof(*(array)))

int main(void)
{
	struct cases c = {0};

	for (size_t k = 0; k < N(goods); k++)
		add_case(&c, good, &goods[k], "%s", goods[k].name);
	for (size_t k = 0; k < N(writtens); k++)
		add_case(&c, written, &writtens[k], "%s", writtens[k].name);
	ADD_CASE(&c, sparse_stays_sparse);
	ADD_CASE(&c, claims_cost_nothing);
	ADD_CASE(&c, shifted);
	ADD_CASE(&c, spacing);
	ADD_CASE(&c, shared_and_sparse);
	ADD_CASE(&c, out_of_memory);
	return run_cases(&c, "wcsp", NULL, NULL);
}
