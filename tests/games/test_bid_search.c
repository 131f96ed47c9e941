/*
 * csg__bid_search_run(): on random conflicts the best of all selections is found, by one walk and
 * by several, and what is returned is a selection of that revenue; the best stays; 'enough' and no
 * steps end it; failures of memory.
 */
#include "tests/support/test.h"

#include "csg/auction/cliques.h"
#include "tests/support/memory.h"

#define MOST_BIDS 14

struct row {
	char name[48];
	int bids, percent; /* of pairs that exclude each other */
	int walks;
};

static int64_t revenue(const struct csg__cliques *c, const int64_t *price, uint32_t set)
{
	int64_t sum = 0;

	for (int i = 0; i < c->n; i++) {
		if (!(set >> i & 1))
			continue;
		if (c->conflict[i] & set)
			return -1;
		sum += price[i];
	}
	return sum;
}

static int64_t best_of_all(const struct csg__cliques *c, const int64_t *price)
{
	int64_t best = 0;

	for (uint32_t set = 0; set < 1u << c->n; set++)
		best = revenue(c, price, set) > best ? revenue(c, price, set) : best;
	return best;
}

static uint32_t set_of(const uint8_t *chosen, int n)
{
	uint32_t set = 0;

	for (int i = 0; i < n; i++)
		set |= (uint32_t)chosen[i] << i;
	return set;
}

static void make(
	struct csg__cliques *c, struct gpube_ctx *ctx, int64_t *price, const struct row *row)
{
	struct gpube_rng rng;

	gpube__rng_init(&rng, (uint64_t)(row->bids * 100 + row->percent));
	assert_int_equal(csg__cliques_init(c, ctx, row->bids, 1), GPUBE_OK);
	for (int i = 0; i < row->bids; i++) {
		price[i] = 1 + (int64_t)gpube__rng_below(&rng, 20);
		for (int j = 0; j < i; j++)
			if ((int)gpube__rng_below(&rng, 100) < row->percent)
				csg__cliques_exclude(c, i, j);
	}
}

static void finds_the_best(void **state)
{
	const struct row *row = *state;
	struct csg__cliques c;
	int64_t price[MOST_BIDS], best = 0, expected;
	uint8_t chosen[MOST_BIDS] = {0};
	struct csg__bid_search s;
	struct gpube_ctx *ctx;

	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	c.ctx = ctx;
	make(&c, ctx, price, row);
	expected = best_of_all(&c, price);
	assert_int_equal(csg__bid_search_init(&s, &c, price, row->walks), GPUBE_OK);
	csg__bid_search_run(&s, 0, INT64_MAX, chosen, &best);
	assert_int_equal(best, 0);
	csg__bid_search_run(&s, 2000000, 0, chosen, &best); /* nothing is enough */
	assert_int_equal(best, 0);
	for (int k = 0; k < 2; k++) { /* nothing is better */
		csg__bid_search_run(&s, 2000000, INT64_MAX, chosen, &best);
		assert_int_equal(best, expected);
		assert_int_equal(revenue(&c, price, set_of(chosen, c.n)), expected);
	}
	gpube__arrays_clear(&s.arrays);
	gpube__arrays_clear(&c.arrays);
	gpube_ctx_free(ctx);
}

static void failures(void **state)
{
	const struct row row = {"", 10, 40, 2};
	struct test_memory memory = {.fail_at = 0};
	int64_t price[MOST_BIDS];
	struct gpube_ctx *ctx = test_memory_ctx(&memory);
	struct csg__cliques c = {.ctx = ctx};
	struct csg__bid_search s;
	int64_t live;

	(void)state;
	memory.fail_at = -1;
	make(&c, ctx, price, &row);
	live = (int64_t)memory.live;
	for (int k = 0; k < 8; k++) {
		memory.n = 0;
		memory.fail_at = k;
		assert_int_equal(csg__bid_search_init(&s, &c, price, 2), GPUBE_ENOMEM);
		gpube__arrays_clear(&s.arrays);
		assert_int_equal(memory.live, live);
	}
	gpube__arrays_clear(&c.arrays);
	gpube_ctx_free(ctx);
}

static struct row rows[] = {{"1 bid", 1, 0, 2}, {"2 bids, together", 2, 0, 3},
	{"2 bids, exclusive", 2, 100, 1}, {"14 bids, 10 percent", 14, 10, 2},
	{"14 bids, 30 percent", 14, 30, 3}, {"14 bids, 60 percent", 14, 60, 1},
	{"14 bids, 90 percent", 14, 90, 2}, {"13 bids, all exclusive", 13, 100, 3}};

int main(void)
{
	struct CMUnitTest tests[sizeof(rows) / sizeof(*rows) + 1];
	const size_t n = sizeof(rows) / sizeof(*rows);

	for (size_t k = 0; k < n; k++)
		tests[k] = (struct CMUnitTest){rows[k].name, finds_the_best, NULL, NULL, &rows[k]};
	tests[n] = (struct CMUnitTest)cmocka_unit_test(failures);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
