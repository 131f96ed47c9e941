/* A search for orders that goes on: never a worse order, nothing done twice. */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <string.h>

#include "gpube/order/order_parts.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/graphs.h"

/* The rate at which elimination along min-fill's order takes so many seconds. */
static double rate(const struct gpube_order_cost *plain, double seconds)
{
	return plain->joined_cells / seconds;
}

static int n_told;

static void count_told(void *arg, const struct gpube_log *said)
{
	(void)arg;
	n_told += said->level == GPUBE_LOG_PROGRESS && said->text &&
		  !strncmp(said->text, "order: ", 7);
}

/*
 * A search that goes on: first min-fill's order, then never a worse one, by another's count; what
 * has been paid for is not done again; and twice the same from the same seed.
 */
static void goes_on(void **state)
{
	const struct row *row = *state;
	struct gpube_rng r;
	struct matrix *m = matrix_of_row(row, &r);
	struct gpube_order_search *search[2];
	struct gpube_order_cost c, before, naive, plain;
	int32_t order[2][MOST], fill[MOST];
	struct gpube_graph g;

	sparse_of_matrix(&g, m);
	assert_int_equal(
		gpube__order_find(ctx, fill, &plain, &g, GPUBE_ORDER_MIN_FILL, 0, 1e9, 1), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(gpube__order_search_new(&search[i], ctx, &g, row->seed), 0);
		gpube__order_search_best(search[i], order[i], &before);
		assert_same_cost(&before, &plain);
		assert_memory_equal(order[i], fill, (size_t)g.n * sizeof(*fill));
	}
	for (int part = 0; part < 3; part++) {
		const struct gpube_order_time time = gpube__order_as_it_pays(0);
		const double seconds = 0.002 * (1 << part);

		for (int i = 0; i < 2; i++) {
			assert_int_equal(
				gpube__order_search_go(search[i], time, rate(&plain, seconds)), 0);
			gpube__order_search_best(search[i], order[i], &c);
			assert_permutation(order[i], g.n);
		}
		naive = naive_cost(m, order[0]);
		assert_same_cost(&c, &naive);
		assert_memory_equal(order[0], order[1], (size_t)g.n * sizeof(*fill));
		assert_true(gpube__order_merit(c.joined_cells, c.largest_joined) <=
			    gpube__order_merit(before.joined_cells, before.largest_joined));
		assert_true(c.joined_cells <= plain.joined_cells &&
			    c.largest_joined <= plain.largest_joined);
		before = c;
	}
	gpube__order_search_free(search[0]);
	gpube__order_search_free(search[1]);
	gpube__graph_clear(ctx, &g);
	free(m);
}

/*
 * In one go, in two that each pay for a part, and asked again at the end, when nothing pays any
 * more.
 */
static void nothing_twice(void **state)
{
	const struct gpube_order_time time = gpube__order_as_it_pays(0);
	struct gpube_order_search *search;
	struct gpube_order_cost c, half;
	struct gpube_graph g;
	int32_t order[400], again[400];
	int n_whole, n_parts;

	make_grid(&g, 20, 2);
	ctx->log = count_told;
	n_told = 0;
	assert_int_equal(gpube__order_search_new(&search, ctx, &g, *(uint64_t *)*state), 0);
	assert_int_equal(gpube__order_search_go(search, time, 1e9), 0);
	n_whole = n_told;
	gpube__order_search_best(search, order, &c);
	assert_true(n_whole > 4);
	n_told = 0;
	assert_int_equal(gpube__order_search_go(search, time, 1e9), 0);
	gpube__order_search_best(search, again, &half);
	assert_int_equal(n_told, 1); /* no round */
	assert_memory_equal(order, again, sizeof(order));
	gpube__order_search_free(search);

	assert_int_equal(gpube__order_search_new(&search, ctx, &g, *(uint64_t *)*state), 0);
	n_told = 0;
	assert_int_equal(gpube__order_search_go(search, time, 4e9), 0);
	gpube__order_search_best(search, again, &half);
	n_parts = n_told;
	assert_in_range(n_parts, 2, n_whole - 1);
	assert_int_equal(gpube__order_search_go(search, time, 1e9), 0);
	gpube__order_search_best(search, again, &c);
	assert_true(n_told - 1 <= n_whole + 2); /* (the first part's last round is cut short) */
	assert_true(c.joined_cells <= half.joined_cells * (1 + 1e-9) ||
		    c.largest_joined < half.largest_joined);
	ctx->log = NULL;
	gpube__order_search_free(search);
	gpube__graph_clear(ctx, &g);
}

/* In seconds, twice so many: never worse than after the first ones. */
static void goes_on_by_the_clock(void **state)
{
	const struct gpube_order_time time = {.most = 0.03};
	struct gpube_order_search *search;
	struct gpube_order_cost half, c, check;
	struct gpube_graph g;
	int32_t order[900];

	make_grid(&g, 30, 3);
	assert_int_equal(gpube__order_search_new(&search, ctx, &g, *(uint64_t *)*state), 0);
	gpube__order_search_best(search, order, &half);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(gpube__order_search_go(search, time, 1), 0);
		gpube__order_search_best(search, order, &c);
		assert_permutation(order, g.n);
		assert_int_equal(gpube__order_cost(ctx, &check, &g, order), 0);
		assert_same_cost(&c, &check);
		assert_true(gpube__order_merit(c.joined_cells, c.largest_joined) <=
			    gpube__order_merit(half.joined_cells, half.largest_joined));
		half = c;
	}
	/* stopped: what it has stays, and it goes on when it is asked to */
	gpube_ctx_stop(ctx);
	assert_int_equal(gpube__order_search_go(search, time, 1), 0);
	gpube__order_search_best(search, order, &c);
	assert_same_cost(&c, &half);
	gpube_ctx_resume(ctx);
	assert_int_equal(gpube__order_search_go(search, time, 1), 0);
	gpube__order_search_best(search, order, &c);
	assert_true(c.joined_cells <= half.joined_cells * (1 + 1e-9) ||
		    c.largest_joined < half.largest_joined);
	gpube__order_search_free(search);
	gpube__graph_clear(ctx, &g);
}

int main(void)
{
	enum { N = N_FAMILIES * N_SIZES };
	static struct row rows[N];
	static uint64_t seeds[] = {1, 2, 3};
	struct cases c = {0};

	for (int i = 0; i < N; i += 3) {
		rows[i] = (struct row){.family = i % N_FAMILIES,
			.n = sizes[i / N_FAMILIES],
			.domains = i % 2,
			.seed = 50 + (uint64_t)i};
		add_case(&c, goes_on, &rows[i], "goes on: %s of %d, domains %d",
			families[rows[i].family].name, rows[i].n, rows[i].domains);
	}
	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++) {
		add_case(&c, nothing_twice, &seeds[i], "nothing is done twice, seed %d",
			(int)seeds[i]);
		add_case(&c, goes_on_by_the_clock, &seeds[i], "goes on by the clock, seed %d",
			(int)seeds[i]);
	}
	return run_cases(&c, "order search that goes on", ctx_setup_2_threads, ctx_teardown);
}
