/*
 * Winner determination: random auctions against all sets of bids, XOR through
 * dummy goods, ties and losses; generated auctions of every distribution against a
 * dynamic program over sets of goods; bad files; failures of memory; a stop.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "csg/auction.h"
#include "formats/formats.h"
#include "tests/support/structures.h"
#include "gpube/base/base.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"
#include "csg/distributions.h"

#include <math.h>

struct row {
	char name[64];
	int goods, dummies, bids, most; /* goods of a bid */
	uint64_t seed;
	const char *zeros; /* digits behind each price */
};

static char dir[256], path[300];

struct bids {
	int n;
	long price[24];
	uint32_t goods[24];
};

/* A file of random bids; prices have two decimals, some are negative, many alike. */
static void write_auction(const struct row *row, struct bids *b)
{
	struct gpube_rng rng;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	gpube__rng_init(&rng, row->seed);
	fprintf(f, "%% random\n\ngoods %d\nBIDS %d\ndummy %d\n\n", row->goods, row->bids,
		row->dummies);
	b->n = row->bids;
	for (int i = 0; i < b->n; i++) {
		int k = 1 + (int)gpube__rng_below(&rng, (uint64_t)row->most);

		b->price[i] = (long)gpube__rng_below(&rng, 50) * 10 * k - 40;
		b->goods[i] = 0;
		while (k-- > 0)
			b->goods[i] |= 1u << gpube__rng_below(&rng, (uint64_t)row->goods);
		if (row->dummies && gpube__rng_below(&rng, 2))
			b->goods[i] |= 1u << (row->goods +
					       (int)gpube__rng_below(&rng, (uint64_t)row->dummies));
		fprintf(f, "%d\t%s%ld%s.%02ld", 100 + i, b->price[i] < 0 ? "-" : "",
			row->zeros ? labs(b->price[i]) : labs(b->price[i]) / 100,
			row->zeros ? row->zeros : "", row->zeros ? 0 : labs(b->price[i]) % 100);
		for (uint32_t s = b->goods[i]; s; s &= s - 1)
			fprintf(f, "\t%d", __builtin_ctz(s));
		fprintf(f, "\t#\n");
	}
	assert_int_equal(fclose(f), 0);
}

static long best_of(const struct bids *b, int i, uint32_t used)
{
	long without, with;

	if (i == b->n)
		return 0;
	without = best_of(b, i + 1, used);
	if (b->goods[i] & used)
		return without;
	with = b->price[i] + best_of(b, i + 1, used | b->goods[i]);
	return with > without ? with : without;
}

static long in_cents(int64_t v, int scale)
{
	for (; scale < 2; scale++)
		v *= 10;
	return (long)v;
}

static void all_sets(void **state)
{
	const struct row *row = *state;
	struct gpube_auction_result *r;
	struct gpube_model *a;
	struct gpube_ctx *ctx;
	struct bids b;
	uint32_t used = 0;
	long sum = 0, best;

	write_auction(row, &b);
	best = best_of(&b, 0, 0);
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	assert_int_equal(gpube_read(&a, ctx, path, &(struct gpube_opts){.from = GPUBE_FORMAT_CATS}),
		GPUBE_OK);
	assert_int_equal(gpube_model_n_vars(a) - gpube_model_info(a)->n_hidden, row->goods);
	assert_int_equal(gpube_auction_bids(a), row->bids);
	assert_int_equal(gpube_auction(&r, a, NULL), GPUBE_OK);
	assert_true(r->optimal);
	assert_int_equal(in_cents(r->revenue, r->scale), best);
	assert_true(r->upper_bound == r->revenue);
	for (int k = 0; k < r->n_winners; k++) {
		const int w = r->winners[k];

		assert_int_equal(gpube_auction_bid_number(a, w), 100 + w);
		assert_int_equal(used & b.goods[w], 0);
		used |= b.goods[w];
		sum += b.price[w];
	}
	assert_int_equal(sum, best);
	/* without the bids that never win it is the same */
	for (int k = 0; k < r->n_never; k++)
		b.price[r->never[k]] = -1;
	assert_int_equal(best_of(&b, 0, 0), best);
	gpube_result_free(r);
	gpube_model_free(a);
	gpube_ctx_free(ctx);
}

/* ---- generated auctions ----------------------------------------------------------------- */

struct drawn {
	char name[64];
	const char *distribution;
	int goods, bids;
};

/* The bids of a generated file, whose goods and dummies are at most 'most'; prices in thousandths.
 */
static void read_drawn(const struct drawn *row, int most, long *price, uint32_t *goods)
{
	FILE *f = fopen(path, "r");
	int n_goods, n_bids, n_dummies, id, good;
	char line[200];
	double p;

	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	assert_int_equal(fscanf(f, " goods %d bids %d dummy %d", &n_goods, &n_bids, &n_dummies), 3);
	assert_int_equal(n_goods, row->goods);
	assert_int_equal(n_bids, row->bids);
	assert_in_range(n_goods + n_dummies, 1, most);
	for (int i = 0; i < n_bids; i++) {
		assert_int_equal(fscanf(f, "%d %lf", &id, &p), 2);
		assert_int_equal(id, i);
		assert_true(p > 0);
		price[i] = (long)(p * 1000 + 0.5);
		goods[i] = 0;
		while (fscanf(f, "%d", &good) == 1) {
			assert_in_range(good, 0, n_goods + n_dummies - 1);
			assert_int_equal(goods[i] >> good & 1, 0);
			goods[i] |= 1u << good;
		}
		assert_true(goods[i] & ((1u << n_goods) - 1));
		assert_int_equal(fscanf(f, " #"), 0);
	}
	fclose(f);
}

/* best[s]: of the bids within s; its lowest good is not sold, or by one of them. */
static long best_of_sets(int n, int n_bids, const long *price, const uint32_t *goods)
{
	long *best = calloc((size_t)1 << n, sizeof(*best)), all;

	assert_non_null(best);
	for (uint32_t s = 1; s >> n == 0; s++) {
		best[s] = best[s & (s - 1)];
		for (int i = 0; i < n_bids; i++)
			if (!(goods[i] & ~s) && goods[i] & s & (~s + 1) &&
				best[s ^ goods[i]] + price[i] > best[s])
				best[s] = best[s ^ goods[i]] + price[i];
	}
	all = best[((size_t)1 << n) - 1];
	free(best);
	return all;
}

static void generated(void **state)
{
	const struct drawn *row = *state;
	long price[64], again[64];
	uint32_t goods[64], goods_again[64];
	struct gpube_auction_result *r;
	struct gpube_model *a;
	struct gpube_ctx *ctx;

	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (int seed = 0; seed < 3; seed++) {
		assert_int_equal(put_auction(ctx, path, row->distribution, row->goods, row->bids,
					 (uint64_t)seed),
			GPUBE_OK);
		read_drawn(row, 20, price, goods);
		assert_int_equal(
			gpube_read(&a, ctx, path, &(struct gpube_opts){.from = GPUBE_FORMAT_CATS}),
			GPUBE_OK);
		assert_int_equal(gpube_auction(&r, a, NULL), GPUBE_OK);
		assert_true(r->optimal);
		for (; r->scale < 3; r->scale++)
			r->revenue *= 10;
		assert_int_equal(r->revenue, best_of_sets(20, row->bids, price, goods));
		gpube_result_free(r);
		gpube_model_free(a);
		assert_int_equal(put_auction(ctx, path, row->distribution, row->goods, row->bids,
					 (uint64_t)seed),
			GPUBE_OK);
		read_drawn(row, 20, again, goods_again);
		assert_memory_equal(price, again, (size_t)row->bids * sizeof(*price));
		assert_memory_equal(goods, goods_again, (size_t)row->bids * sizeof(*goods));
	}
	gpube_ctx_free(ctx);
}

/*
 * A bidder of paths makes at most five bids. One of matching, but for the last, whose bids are cut
 * off, values each hour on the way too long at 0.9 and each that it is late at 0.75 of the best.
 */
static void check_bidder(const struct drawn *row, const long *price, const uint32_t *goods, int b)
{
	const uint32_t bidder = goods[b] >> row->goods;
	long best = 0;
	int n = 0;
	bool found = false;

	for (int o = 0; o < row->bids; o++)
		if (goods[o] >> row->goods == bidder) {
			best = price[o] > best ? price[o] : best;
			n++;
		}
	if (strcmp(row->distribution, "paths") == 0)
		assert_in_range(n, 1, 5);
	else if (goods[row->bids - 1] >> row->goods != bidder) {
		for (int delays = 0; delays < 6; delays++)
			for (int late = 0; late < 6; late++)
				found |= fabs((double)price[b] - (double)best * pow(0.9, delays) *
									 pow(0.75, late)) <= 1.5;
		assert_true(found);
	}
}

/* What the new file of a distribution says of each bid: real goods, and their places. */
static void shapes(void **state)
{
	static const struct drawn rows[] = {{"", "L5", 16, 60}, {"", "L8", 16, 60},
		{"", "paths", 12, 14}, {"", "matching", 12, 14}};
	struct gpube_ctx *ctx;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		const int n = rows[k].goods;
		long price[64];
		uint32_t goods[64], used = 0;
		int sizes = 0;

		assert_int_equal(
			put_auction(ctx, path, rows[k].distribution, n, rows[k].bids, 5), GPUBE_OK);
		read_drawn(&rows[k], 31, price, goods);
		for (int b = 0; b < rows[k].bids; b++) {
			const uint32_t real = goods[b] & ((1u << n) - 1);

			used |= real;
			sizes += __builtin_popcount(real);
			if (k == 0)
				assert_in_range(price[b], 1000, 32000); /* 16 and 3, five times */
			if (k == 1) { /* a value of up to 100 for each good and each pair */
				assert_int_equal(__builtin_popcount(real), 3);
				assert_in_range(price[b], 1, 600000);
			}
			if (k < 2)
				continue;
			assert_int_equal(__builtin_popcount(goods[b] ^ real), 1); /* of a bidder */
			check_bidder(&rows[k], price, goods, b);
			if (k == 3) { /* one airport's hour, and another's that is not before it */
				const int off = __builtin_ctz(real),
					  land = 31 - __builtin_clz(real);

				assert_int_equal(__builtin_popcount(real), 2);
				assert_true(off % 4 != land % 4 && off / 4 <= land / 4);
			}
		}
		assert_true(k > 0 || (sizes > 3 * 60 && sizes < 5 * 60));
		assert_true(__builtin_popcount(used) > n / 2);
	}
	assert_int_equal(put_auction(ctx, path, "paths", 2, 5, 1), GPUBE_OK);
	assert_int_equal(put_auction(ctx, path, "matching", 8, 5, 1), GPUBE_OK);
	gpube_ctx_free(ctx);
}

static void not_generated(void **state)
{
	struct test_memory memory = {.fail_at = -1};
	struct gpube_ctx *ctx = test_memory_ctx(&memory);

	(void)state;
	assert_int_equal(put_auction(ctx, path, "L9", 10, 10, 1), GPUBE_EINVAL);
	assert_int_equal(put_auction(ctx, path, "L3", 1, 10, 1), GPUBE_EINVAL);
	assert_int_equal(put_auction(ctx, path, "L3", 10, 0, 1), GPUBE_EINVAL);
	assert_int_equal(put_auction(ctx, path, "matching", 10, 10, 1), GPUBE_EINVAL);
	assert_non_null(strstr(gpube_error(ctx), "a multiple of 4"));
	assert_int_equal(put_auction(ctx, path, "matching", 4, 10, 1), GPUBE_EINVAL);
	assert_int_equal(put_auction(ctx, dir, "L3", 10, 10, 1), GPUBE_EIO);
	assert_int_equal(memory.live, 0);
	gpube_ctx_free(ctx);
}

static void stops(void **state)
{
	static const struct row row = {"", 12, 4, 24, 5, 5, NULL};
	struct gpube_auction_result *r;
	struct gpube_model *a;
	struct gpube_ctx *ctx;
	struct bids b;

	(void)state;
	write_auction(&row, &b);
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	assert_int_equal(gpube_read(&a, ctx, path, &(struct gpube_opts){.from = GPUBE_FORMAT_CATS}),
		GPUBE_OK);
	gpube_ctx_stop(ctx);
	assert_int_equal(gpube_auction(&r, a, NULL), GPUBE_OK);
	assert_false(r->optimal);
	assert_true(in_cents(r->upper_bound, r->scale) >= best_of(&b, 0, 0));
	gpube_result_free(r);
	gpube_model_free(a);
	gpube_ctx_free(ctx);
}

static int auction_scarcely(struct gpube_ctx *ctx, struct gpube_model *none, const void *arg)
{
	struct gpube_auction_result *r = NULL;
	struct gpube_model *a;
	int status = gpube_read(&a, ctx, path, &(struct gpube_opts){.from = GPUBE_FORMAT_CATS});

	(void)none;
	(void)arg;
	if (!status)
		status = gpube_auction(&r, a, NULL);
	gpube_result_free(r);
	gpube_model_free(a);
	return status;
}

/*
 * Prices whose sum passes 2^51 and 2^63, with revenues that have room in 64 bits or do not:
 * the same winners as without the zeros behind the prices.
 */
static void large_prices(void **state)
{
	static const struct row rows_of[] = {{"", 12, 4, 18, 5, 5, "0000000000000"},
		{"", 2, 0, 24, 1, 3, "0000000000000000"}, {"", 4, 0, 24, 1, 3, "0000000000000000"}};
	static const int statuses[] = {GPUBE_OK, GPUBE_OK, GPUBE_ERANGE};
	struct gpube_auction_result *r;
	struct gpube_model *a;
	struct gpube_ctx *ctx;
	struct bids b;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (int k = 0; k < 3; k++) {
		int64_t times = 1;

		for (size_t i = 0; i < strlen(rows_of[k].zeros); i++)
			times *= 10;
		write_auction(&rows_of[k], &b);
		assert_int_equal(
			gpube_read(&a, ctx, path, &(struct gpube_opts){.from = GPUBE_FORMAT_CATS}),
			GPUBE_OK);
		assert_int_equal(gpube_auction(&r, a, NULL), statuses[k]);
		if (!statuses[k]) {
			assert_true(r->optimal && r->scale == 0);
			assert_true(r->revenue == best_of(&b, 0, 0) * times);
			assert_true(r->upper_bound == r->revenue);
		} else {
			assert_non_null(strstr(gpube_error(ctx), "passes 64 bits"));
		}
		gpube_result_free(r);
		gpube_model_free(a);
	}
	gpube_ctx_free(ctx);
}

static void failures(void **state)
{
	static const struct row row = {"", 12, 4, 24, 5, 6, NULL};
	struct bids b;

	(void)state;
	write_auction(&row, &b);
	assert_in_range(fail_each_allocation(auction_scarcely, NULL, NULL, 0), 21, 499);
}

struct bad {
	const char *name, *text, *message;
};

#define HEAD "goods 3\nbids 1\ndummy 0\n"

static const struct bad bad_files[] = {
	{"empty", "", "1: expected 'goods', found the end of the file"},
	{"no bids", "goods 3\n", "2: expected 'bids', found the end of the file"},
	{"word", "good 3\n", "1: expected 'goods', 'bids' or 'dummy', found 'good'"},
	{"units", "goods 3\nmaximums 1 2 1\n",
		"2: auctions of several units of a good are not supported"},
	{"price", HEAD "0 x 1 #\n", "4: expected a price, found 'x'"},
	{"two points", HEAD "0 1.2.3 1 #\n", "4: expected a price, found '1.2.3'"},
	{"long price", HEAD "0 123456789012345678901 1 #\n",
		"4: a price whose digits pass 64 bits: '123456789012345678901'"},
	{"large price", HEAD "0 12e18 1 #\n", "4: a price whose digits pass 64 bits: '12e18'"},
	{"a number twice", "goods 3\nbids 2\n7 1 2 #\n7 1 1 #\n", "4: two bids have the number 7"},
	{"good", HEAD "0 1 3 #\n", "4: expected a good or '#', found '3'"},
	{"negative good", HEAD "0 1 -1 #\n", "4: expected a good or '#', found '-1'"},
	{"good twice", HEAD "0 1 2 2 #\n", "4: good 2 twice in a bid"},
	{"no goods", HEAD "0 1 #\n", "4: a bid on no goods"},
	{"no end", HEAD "0 1 2\n", "5: expected a good or '#', found the end of the file"},
	{"bids missing", "goods 3\nbids 2\n0 1 2 #\n",
		"4: expected a bid, found the end of the file"},
	{"more bids", HEAD "0 1 2 #\n1 1 2 #\n", "5: expected the end of the file, found '1'"},
};

static void bad_file(void **state)
{
	const struct bad *bad = *state;
	struct test_memory memory = {.fail_at = -1};
	struct gpube_ctx *ctx = test_memory_ctx(&memory);
	struct gpube_model *a;
	char expected[600];

	test_put(path, bad->text, strlen(bad->text));
	assert_true(gpube_read(&a, ctx, path, &(struct gpube_opts){.from = GPUBE_FORMAT_CATS}) !=
		    GPUBE_OK);
	snprintf(expected, sizeof(expected), "%s:%s", path, bad->message);
	assert_string_equal(gpube_error(ctx), expected);
	assert_null(a);
	assert_int_equal(memory.live, 0);
	gpube_ctx_free(ctx);
}

static struct row rows[200];
static struct CMUnitTest tests[300];

int main(void)
{
	static char names[16][32];
	size_t n = 0;
	int rc;

	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/a.txt", dir);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(stops);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(not_generated);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(shapes);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(large_prices);
	for (int k = 0; word_of(names[k], GPUBE__WORDS_AUCTIONS, k); k++) {
		static struct drawn drawn[16];
		const char *name = names[k];

		/* a bidder of the others takes a dummy good: few bids leave room for them */
		drawn[k] = (struct drawn){.distribution = name,
			.goods = name[0] == 'L'   ? 16
				 : name[0] == 'm' ? 12
						  : 10,
			.bids = name[0] == 'L' ? 60 : 10};
		snprintf(drawn[k].name, sizeof(drawn[k].name), "generated: %.31s", name);
		tests[n++] = (struct CMUnitTest){drawn[k].name, generated, NULL, NULL, &drawn[k]};
	}
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(failures);
	for (size_t k = 0; k < sizeof(bad_files) / sizeof(*bad_files); k++)
		tests[n++] = (struct CMUnitTest){
			bad_files[k].name, bad_file, NULL, NULL, (void *)(uintptr_t)&bad_files[k]};
	for (int k = 0; k < 120; k++) {
		struct row *row = &rows[k];

		row->goods = 2 + k % 11;
		row->dummies = k % 4;
		row->bids = k % 19;
		row->most = 1 + k % (row->goods < 6 ? row->goods : 6);
		row->seed = (uint64_t)k;
		snprintf(row->name, sizeof(row->name), "%d goods, %d dummies, %d bids of up to %d",
			row->goods, row->dummies, row->bids, row->most);
		tests[n++] = (struct CMUnitTest){row->name, all_sets, NULL, NULL, row};
	}
	rc = _cmocka_run_group_tests("auction", tests, n, NULL, NULL);
	test_clear_dir(dir);
	return rc;
}
