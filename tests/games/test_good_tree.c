/*
 * The tree over goods of auctions: random bids, some of them on dummy goods alone, against all
 * sets, in pieces of any length and from any revenue known before; what it refuses; failures of
 * memory; an auction of bids on a fifth of all goods each, which ends by it.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "csg/auction.h"
#include "tests/support/structures.h"
#include "formats/formats.h"
#include "csg/auction/good_tree.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"

#define MOST_BIDS 16

struct problem {
	struct csg__good_tree_bids bids;
	uint64_t set[MOST_BIDS * 2];
	int64_t price[MOST_BIDS];
};

/* Two words a set: goods 60 and more are in the second one. */
static void draw(struct problem *p, uint64_t seed)
{
	struct gpube_rng rng;
	const int from = seed % 3 ? 0 : 58;

	gpube__rng_init(&rng, seed);
	memset(p, 0, sizeof(*p));
	p->bids = (struct csg__good_tree_bids){.n = 1 + (int)gpube__rng_below(&rng, MOST_BIDS),
		.n_real = from + 2 + (int)gpube__rng_below(&rng, 8),
		.words = 2,
		.set = p->set,
		.price = p->price};
	p->bids.n_goods = p->bids.n_real + (int)gpube__rng_below(&rng, 3);
	for (int j = 0; j < p->bids.n; j++) {
		const bool dummies = seed % 5 == 0 && p->bids.n_goods > p->bids.n_real &&
				     gpube__rng_below(&rng, 4) == 0;
		const int first = dummies ? p->bids.n_real : from;

		for (int k = 1 + (int)gpube__rng_below(&rng, 4); k > 0; k--) {
			const int good = first + (int)gpube__rng_below(
							 &rng, (uint64_t)(p->bids.n_goods - first));

			p->set[2 * j + good / 64] |= (uint64_t)1 << good % 64;
		}
		p->price[j] = 1 + (int64_t)gpube__rng_below(&rng, seed % 2 ? 8 : 1000);
		if (seed % 7 == 0)
			p->price[j] <<= 44;
		p->bids.total += p->price[j];
	}
}

static int64_t revenue_of(const struct problem *p, uint32_t chosen)
{
	uint64_t used[2] = {0, 0};
	int64_t sum = 0;

	for (; chosen; chosen &= chosen - 1) {
		const int j = __builtin_ctz(chosen);

		if (used[0] & p->set[2 * j] || used[1] & p->set[2 * j + 1])
			return -1;
		used[0] |= p->set[2 * j];
		used[1] |= p->set[2 * j + 1];
		sum += p->price[j];
	}
	return sum;
}

static int64_t most_of(const struct problem *p)
{
	int64_t most = 0;

	for (uint32_t s = 0; s < 1u << p->bids.n; s++) {
		const int64_t revenue = revenue_of(p, s);

		most = revenue > most ? revenue : most;
	}
	return most;
}

static void against_all_sets(void **state)
{
	struct gpube_ctx *ctx;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct problem p;
		struct csg__good_tree *t;
		uint8_t chosen[MOST_BIDS] = {0};
		uint32_t set = 0;
		int64_t best, most, known;
		int calls = 0;

		draw(&p, seed);
		most = most_of(&p);
		/* nothing known; nearly all; all, which nothing beats */
		best = known = seed % 4 == 1 ? most - 1 : seed % 4 == 2 ? most : 0;
		assert_int_equal(csg__good_tree_new(&t, ctx, &p.bids), GPUBE_OK);
		assert_non_null(t);
		while (!csg__good_tree_run(t, 1 + (int64_t)(seed % 40), &best, chosen))
			assert_true(++calls < 100000);
		assert_true(best == most);
		for (int j = 0; j < p.bids.n; j++)
			set |= (uint32_t)chosen[j] << j;
		assert_true(revenue_of(&p, set) == (known == most ? 0 : most));
		assert_true((1 - t->done) / t->done < 1e-6);
		assert_true(csg__good_tree_run(t, 1, &best, chosen) && best == most);
		csg__good_tree_free(t);
	}
	gpube_ctx_free(ctx);
}

static void refused(void **state)
{
	struct csg__good_tree *t;
	struct gpube_ctx *ctx;
	struct problem p;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	draw(&p, 1);
	p.bids.total = INT64_MAX / 4 + 1;
	assert_int_equal(csg__good_tree_new(&t, ctx, &p.bids), GPUBE_OK);
	assert_null(t);
	p.bids.n = 0;
	p.bids.total = 0;
	assert_int_equal(csg__good_tree_new(&t, ctx, &p.bids), GPUBE_OK);
	assert_null(t);
	csg__good_tree_free(NULL);
	gpube_ctx_free(ctx);
}

static int scarcely(struct gpube_ctx *ctx, struct gpube_model *m, const void *arg)
{
	const struct problem *p = arg;
	struct csg__good_tree *t;
	int status = csg__good_tree_new(&t, ctx, &p->bids);

	(void)m;
	csg__good_tree_free(t);
	return status;
}

static void failures(void **state)
{
	struct problem p;

	(void)state;
	draw(&p, 4);
	assert_int_equal(fail_each_allocation(scarcely, NULL, &p, 0), 6);
}

/* 747 nodes of the linear program's tree; the nodes of both are counted. */
static void large_bids(void **state)
{
	struct gpube_auction_result *r;
	struct gpube_model *a;
	struct gpube_ctx *ctx;
	char dir[256], path[300];

	(void)state;
	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/L7.txt", dir);
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	assert_int_equal(put_auction(ctx, path, "L7", 40, 400, 1), GPUBE_OK);
	assert_int_equal(gpube_read(&a, ctx, path, &(struct gpube_opts){.from = GPUBE_FORMAT_CATS}),
		GPUBE_OK);
	assert_int_equal(gpube_auction(&r, a, NULL), GPUBE_OK);
	assert_true(r->optimal);
	assert_int_equal(r->scale, 3);
	assert_true(r->revenue == 4477777 && r->upper_bound == r->revenue);
	assert_in_range(r->n_nodes, 10000, 100000);
	gpube_result_free(r);
	gpube_model_free(a);
	gpube_ctx_free(ctx);
	test_clear_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_all_sets),
		cmocka_unit_test(refused),
		cmocka_unit_test(failures),
		cmocka_unit_test(large_bids),
	};

	return cmocka_run_group_tests_name("good_tree", tests, NULL, NULL);
}
