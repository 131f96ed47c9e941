/*
 * Auctions as set packing programs: random ones are written as .lp and .mps, read back as models
 * and as auctions, and have the same bids, conflicts and revenue; what differs is told; rows of
 * other programs are known in every form that a reader gives them; failures of memory.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/forms/model_as.h"
#include "gpube/ir/bids.h"
#include "csg/auction/packing_lp.h"
#include "csg/auction.h"
#include "formats/formats.h"
#include "gpube/base/base.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"

static struct gpube_model *auction_of(const char *text)
{
	struct gpube_model *a;

	test_put(in_dir("a.txt"), text, strlen(text));
	assert_int_equal(gpube_read(&a, ctx, in_dir("a.txt"),
				 &(struct gpube_opts){.from = GPUBE_FORMAT_CATS}),
		GPUBE_OK);
	return a;
}

static int compare(bool *same, const struct gpube_model *x, const struct gpube_model *y)
{
	struct gpube__bids a, b = {.ctx = x->ctx};
	int status = gpube__bids_init(&a, x);

	if (!status)
		status = gpube__bids_init(&b, y);
	if (!status)
		status = gpube__bids_same(same, &a, &b);
	gpube__bids_clear(&a);
	gpube__bids_clear(&b);
	return status;
}

/* Prices of up to 'decimals' decimals, some below 0; every third auction has dummy goods. */
static struct gpube_model *draw(uint64_t seed)
{
	char text[1 << 15];
	struct gpube_rng rng;
	size_t n = 0;
	int goods, bids, dummies;

	gpube__rng_init(&rng, seed);
	goods = 1 + (int)gpube__rng_below(&rng, 9);
	bids = 1 + (int)gpube__rng_below(&rng, 14);
	dummies = seed % 3 ? 0 : 2;
	n += (size_t)snprintf(
		text, sizeof(text), "goods %d\nbids %d\ndummy %d\n\n", goods, bids, dummies);
	for (int b = 0; b < bids; b++) {
		const int first = (int)gpube__rng_below(&rng, (uint64_t)goods);
		const int last = first + (int)gpube__rng_below(&rng, (uint64_t)(goods - first));

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%d %s%d.%0*d", 7 * b + 3,
			gpube__rng_below(&rng, 9) ? "" : "-", (int)gpube__rng_below(&rng, 90),
			1 + (int)(seed % 5), (int)gpube__rng_below(&rng, 10));
		for (int g = first; g <= last; g++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, " %d", g);
		if (dummies && gpube__rng_below(&rng, 2))
			n += (size_t)snprintf(text + n, sizeof(text) - n, " %d", goods + b % 2);
		n += (size_t)snprintf(text + n, sizeof(text) - n, " #\n");
		assert_true(n < sizeof(text));
	}
	return auction_of(text);
}

static int64_t revenue_of(const struct gpube_model *a)
{
	struct gpube_auction_result *r;
	int64_t revenue;

	assert_int_equal(gpube_auction(&r, a, NULL), GPUBE_OK);
	assert_true(r->optimal);
	revenue = r->revenue;
	gpube_result_free(r);
	return revenue;
}

/* As a CATS file, and as a model of costs. */
static void by_other_ways(const struct gpube_model *a)
{
	const struct gpube_opts opts = {.check = 1};
	struct gpube_model *back, *costs;
	struct gpube_solution *s;
	bool same;

	assert_int_equal(gpube_write(a, in_dir("a.txt"), &opts, NULL), GPUBE_OK);
	assert_int_equal(gpube_read(&back, ctx, in_dir("a.txt"), NULL), GPUBE_OK);
	assert_int_equal(gpube_model_n_vars(back), gpube_model_n_vars(a));
	assert_int_equal(gpube_model_info(back)->n_hidden, gpube_model_info(a)->n_hidden);
	assert_int_equal(compare(&same, a, back), GPUBE_OK);
	assert_true(same);
	gpube_model_free(back);
	assert_int_equal(gpube_write(a, in_dir("a.wcsp"), NULL, NULL), GPUBE_EINVAL);
	assert_int_equal(gpube__costs_of_auction(&costs, a), GPUBE_OK);
	assert_int_equal(gpube_solve(&s, costs, NULL), GPUBE_OK);
	assert_int_equal(gpube__auction_of_costs(&back, costs), GPUBE_OK);
	assert_int_equal(gpube_auction_bids(back), gpube_auction_bids(a));
	assert_true(s->cost == revenue_of(a) && revenue_of(back) == revenue_of(a));
	gpube_result_free(s);
	gpube_model_free(back);
	gpube_model_free(costs);
}

static void there_and_back(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct gpube_model *a = draw(seed);

		by_other_ways(a);

		for (int lp = 0; lp < 2; lp++) {
			const char *path = in_dir(lp ? "a.lp" : "a.mps");
			struct gpube_solution *s;
			struct gpube_model *back;
			struct gpube_model *m;
			bool same;

			assert_int_equal(gpube_write(a, path, NULL, NULL), GPUBE_OK);
			assert_int_equal(gpube_read(&m, ctx, path, NULL), GPUBE_OK);
			assert_int_equal(gpube_model_info(m)->direction, GPUBE_MAXIMISE);
			assert_int_equal(gpube__auction_of_costs(&back, m), GPUBE_OK);
			assert_int_equal(compare(&same, a, back), GPUBE_OK);
			assert_true(same);
			assert_int_equal(gpube_solve(&s, m, NULL), GPUBE_OK);
			assert_int_equal(s->answer, GPUBE_ANSWER_OPTIMAL);
			assert_true(s->cost == revenue_of(a) && s->cost == revenue_of(back));
			gpube_result_free(s);
			gpube_model_free(back);
			gpube_model_free(m);
		}
		gpube_model_free(a);
	}
}

#define HEAD "goods 3\nbids 3\ndummy 0\n"

static const struct {
	const char *name, *text;
	bool same;
} others[] = {
	{"itself", HEAD "0 1.5 0 1 #\n1 2 1 2 #\n2 3 2 #\n", true},
	{"a good more", "goods 4\nbids 3\n0 1.5 0 1 #\n1 2 1 2 #\n2 3 2 3 #\n", true},
	{"conflicts by other goods", HEAD "0 1.5 2 #\n1 2 0 2 #\n2 3 0 #\n", true},
	{"another price", HEAD "0 1.5 0 1 #\n1 2 1 2 #\n2 4 2 #\n", false},
	{"another scale", HEAD "0 15 0 1 #\n1 20 1 2 #\n2 30 2 #\n", false},
	{"another number", HEAD "0 1.5 0 1 #\n1 2 1 2 #\n3 3 2 #\n", false},
	{"a conflict less", HEAD "0 1.5 0 1 #\n1 2 1 #\n2 3 2 #\n", false},
	{"a conflict more", HEAD "0 1.5 0 1 2 #\n1 2 1 2 #\n2 3 2 #\n", false},
	{"as many conflicts", HEAD "0 1.5 0 1 #\n1 2 1 #\n2 3 0 #\n", false},
	{"a bid less", "goods 3\nbids 2\n0 1.5 0 1 #\n1 2 1 2 #\n", false},
};

static void differences(void **state)
{
	struct gpube_model *a = auction_of(others[0].text);

	(void)state;
	for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++) {
		struct gpube_model *b = auction_of(others[k].text);
		bool same = !others[k].same;

		assert_int_equal(compare(&same, a, b), GPUBE_OK);
		if (same != others[k].same)
			fail_msg("%s: %d", others[k].name, same);
		assert_int_equal(compare(&same, b, a), GPUBE_OK);
		assert_int_equal(same, others[k].same);
		gpube_model_free(b);
	}
	gpube_model_free(a);
}

/* ---- rows of any program ------------------------------------------------------------------- */

/* Of n columns of price 1; revenue < 0: no auction. */
static const struct {
	const char *name;
	int n;
	const char *row; /* its sign and coefficients: " + 1 x" for each column */
	const char *end;
	int64_t revenue;
} rows[] = {
	{"three", 3, " + ", "<= 1", 1},
	{"four", 4, " + ", "<= 1", 1},
	{"turned", 4, " - ", ">= -1", 1},
	{"scaled", 5, " + 2 ", "<= 3", 1},
	{"wide", 700, " + ", "<= 1", 1},
	{"two of three", 3, " + ", "<= 2", -1},
	{"two of five", 5, " + ", "<= 2", -1},
	{"one at least", 4, " + ", ">= 1", -1},
	{"exactly one", 4, " + ", "= 1", -1},
	{"none", 4, " + ", "<= 0", -1},
};

static void rows_of_programs(void **state)
{
	static char text[1 << 16];

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		struct gpube_model *a = NULL;
		struct gpube_model *m;
		size_t n = (size_t)snprintf(text, sizeof(text), "Maximize\n obj:");
		int status;

		for (int part = 0; part < 3; part++) {
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s",
				part == 0   ? ""
				: part == 1 ? "\nSubject To\n c:"
					    : "\nBinary\n");
			for (int i = 0; i < rows[k].n; i++)
				n += (size_t)snprintf(text + n, sizeof(text) - n, "%sx%d\n",
					part == 0   ? " + "
					: part == 1 ? rows[k].row
						    : " ",
					i);
			if (part == 1)
				n += (size_t)snprintf(
					text + n, sizeof(text) - n, " %s", rows[k].end);
		}
		snprintf(text + n, sizeof(text) - n, "End\n");
		test_put(in_dir("r.lp"), text, strlen(text));
		assert_int_equal(gpube_read(&m, ctx, in_dir("r.lp"), NULL), GPUBE_OK);
		assert_int_equal(gpube_model_n_vars(m), rows[k].n); /* no chain of hidden ones */
		status = gpube__auction_of_costs(&a, m);
		if (status != (rows[k].revenue < 0 ? GPUBE_EINVAL : GPUBE_OK))
			fail_msg("%s: %s", rows[k].name, gpube_error(ctx));
		if (a)
			assert_true(revenue_of(a) == rows[k].revenue);
		gpube_model_free(a);
		gpube_model_free(m);
	}
}

/* Each allocation fails in turn: a status, nothing leaks, and no file is left. */
static void failures(void **state)
{
	int status = GPUBE_ENOMEM;

	(void)state;
	test_put(in_dir("a.txt"), others[0].text, strlen(others[0].text));
	for (int fail_at = 0; status == GPUBE_ENOMEM; fail_at++) {
		struct test_memory memory = {.fail_at = fail_at};
		struct gpube_ctx *c;
		struct gpube_model *a = NULL;
		bool same;

		assert_true(fail_at < 1000);
		c = test_memory_ctx(&memory);
		status = gpube_read(
			&a, c, in_dir("a.txt"), &(struct gpube_opts){.from = GPUBE_FORMAT_CATS});
		if (!status)
			status = gpube_write(a, in_dir("f.lp"),
				&(struct gpube_opts){.to = GPUBE_FORMAT_LP}, NULL);
		if (status)
			assert_null(fopen(in_dir("f.lp"), "r"));
		if (!status)
			status = compare(&same, a, a);
		remove(in_dir("f.lp"));
		gpube_model_free(a);
		test_memory_end(c, &memory);
	}
	assert_int_equal(status, GPUBE_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(differences),
		cmocka_unit_test(rows_of_programs),
		cmocka_unit_test(failures),
	};

	return cmocka_run_group_tests_name(
		"auction_program", tests, ctx_dir_setup, ctx_dir_teardown);
}
