/*
 * Messages in one block: no two that live at once meet, whatever the lifetimes; and the block is
 * hardly larger than what is alive, for eliminations of random networks.
 */
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/test.h"

#include "gpube/eliminate/be.h"
#include "gpube/eliminate/be_layout.h"
#include "gpube/ir/generate.h"

#include <string.h>

enum { N_RANDOM = 40, N_NETWORKS = 60, MOST = 300 };

static bool apart(const struct gpube__lifetime *a, const struct gpube__lifetime *b)
{
	return a->to < b->from || b->to < a->from || a->at + a->bytes <= b->at ||
	       b->at + b->bytes <= a->at;
}

static void assert_apart(const struct gpube__lifetime *t, int32_t n, uint64_t bytes)
{
	for (int32_t i = 0; i < n; i++) {
		assert_true(t[i].at + t[i].bytes <= bytes);
		for (int32_t k = 0; k < i; k++)
			if (!apart(&t[i], &t[k]))
				fail_msg("tables %d and %d meet", k, i);
	}
}

static uint64_t alive(const struct gpube__lifetime *t, int32_t n, int32_t steps)
{
	uint64_t most = 0;

	for (int32_t p = 0; p <= steps; p++) {
		uint64_t sum = 0;

		for (int32_t i = 0; i < n; i++)
			sum += t[i].from <= p && p <= t[i].to ? t[i].bytes : 0;
		most = sum > most ? sum : most;
	}
	return most;
}

static void any_lifetimes(void **state)
{
	struct gpube__lifetime t[MOST];
	struct gpube_rng rng;
	uint64_t bytes;
	int32_t n;

	gpube__rng_init(&rng, (uint64_t)(uintptr_t)*state);
	n = (int32_t)gpube__rng_below(&rng, MOST + 1);
	for (int32_t i = 0; i < n; i++) {
		t[i].from = (int32_t)gpube__rng_below(&rng, MOST);
		t[i].to = t[i].from +
			  (int32_t)gpube__rng_below(&rng, 1 + (uint64_t)(MOST - t[i].from));
		t[i].bytes = 1 + gpube__rng_below(&rng, (uint64_t)1 << gpube__rng_below(&rng, 34));
	}
	assert_int_equal(gpube__lay_out(&bytes, ctx, t, n), 0);
	assert_apart(t, n, bytes);
	assert_true(bytes >= alive(t, n, MOST));
}

/*
 * The messages of a tree of buckets, of sizes that are powers of ten: each lives until its parent.
 */
static void trees(void **state)
{
	struct gpube__lifetime t[MOST];
	struct gpube_rng rng;
	uint64_t bytes, most;

	gpube__rng_init(&rng, (uint64_t)(uintptr_t)*state);
	for (int32_t i = 0; i < MOST; i++) {
		const int32_t near = MOST - 1 - i < 40 ? MOST - 1 - i : 40;

		t[i] = (struct gpube__lifetime){4, i, i, 0};
		if (near)
			t[i].to += 1 + (int32_t)gpube__rng_below(&rng, (uint64_t)near);
		for (uint64_t width = gpube__rng_below(&rng, 9); width > 0; width--)
			t[i].bytes *= 10;
	}
	most = alive(t, MOST, MOST);
	assert_int_equal(gpube__lay_out(&bytes, ctx, t, MOST), 0);
	assert_apart(t, MOST, bytes);
	assert_true(bytes <= most + most / 20);
}

static struct gpube_model *network(uint64_t seed)
{
	static const enum gpube_topology kinds[] = {
		GPUBE_NETWORK_RANDOM, GPUBE_NETWORK_SCALE_FREE, GPUBE_NETWORK_GRID};
	struct gpube_network net = {.topology = kinds[seed % 3],
		.n_vars = 16,
		.rows = 4,
		.domain = 4 + (int32_t)(seed % 9),
		.density = 0.25,
		.links = 4,
		.max_cost = 100,
		.seed = seed};
	struct gpube_model *m;

	assert_int_equal(gpube__generate(&m, ctx, &net), 0);
	return m;
}

static void little_is_wasted(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_model *m = network(seed);
	struct gpube_be be;
	int32_t order[16];

	for (int32_t i = 0; i < m->n_vars; i++)
		order[i] = i;
	assert_int_equal(gpube__be_init(&be, m, order), 0);
	for (int keep = 0; keep < 2; keep++)
		for (int assigning = 0; assigning < 2; assigning++) {
			struct gpube__layout l;

			assert_int_equal(
				gpube__be_layout(&l, &be, GPUBE_INT32, keep, assigning, 0), 0);
			assert_true(l.bytes >= l.alive);
			assert_true(l.bytes <= l.alive + l.alive / 50);
			gpube__layout_clear(&l, ctx);
		}
	gpube__be_clear(&be);
	gpube_model_free(m);
}

/* ---- a stand-in for a device that has one block ------------------------------------------- */

static char *block;
static uint64_t block_bytes;
static int n_blocks, n_inside, n_args_inside, n_args;
static uint64_t memory_bytes;
static bool refuses;

static void *alloc_block(struct gpube_ctx *c, uint64_t bytes)
{
	n_blocks++;
	block_bytes = bytes;
	block = refuses ? NULL : gpube__ops_cpu()->alloc(c, bytes);
	return block;
}

static int contract(struct gpube_ctx *c, const struct gpube_contraction *what)
{
	const char *out = what->out, *arg = what->out_arg;

	n_args += arg != NULL;
	n_args_inside += block && arg >= block && arg < block + block_bytes;
	n_inside += block && out >= block && out < block + block_bytes;
	return gpube__ops_cpu()->contract(c, what);
}

static uint64_t memory(struct gpube_ctx *c)
{
	(void)c;
	return memory_bytes;
}

static void in_a_block(void **state)
{
	struct gpube_network net = {.topology = GPUBE_NETWORK_RANDOM,
		.n_vars = 8,
		.domain = 8,
		.density = 1,
		.max_cost = 100,
		.seed = (uint64_t)(uintptr_t)*state};
	struct gpube_ops device = *gpube__ops_cpu();
	const struct gpube_be_sides host = {{gpube__ops_cpu(), NULL}, NULL, NULL};
	const struct gpube_be_sides there = {{&device, NULL}, NULL, NULL};
	struct gpube_working w;
	struct gpube_model *m;
	struct gpube_be be;
	int32_t order[8], values[8];
	int64_t optimum, same, cost;

	device.contract = contract;
	device.alloc_block = alloc_block;
	assert_int_equal(gpube__generate(&m, ctx, &net), 0);
	for (int32_t i = 0; i < m->n_vars; i++)
		order[i] = i;
	assert_int_equal(gpube__be_init(&be, m, order), 0);
	assert_int_equal(gpube__be_working(&w, &be), 0);
	assert_int_equal(gpube__be_run(&optimum, NULL, NULL, &be, &host, &w, 0, false, NULL), 0);
	for (int k = 0; k < 6; k++) {
		int32_t *assignment = k < 4 ? values : NULL;

		refuses = k % 2;
		n_blocks = n_inside = 0;
		assert_int_equal(
			gpube__be_run(&same, assignment, NULL, &be, &there, &w, 0, k >= 2, NULL),
			0);
		assert_true(same == optimum);
		/* refused with room for arg-mins, it is asked for without */
		assert_int_equal(n_blocks, refuses && k < 2 ? 2 : 1);
		assert_true(refuses ? n_inside == 0 : n_inside > 1);
		if (!assignment)
			continue;
		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		assert_true(cost == optimum);
	}
	gpube__be_clear(&be);
	gpube_model_free(m);
}

/*
 * Arg-mins that have room in the block stay there, and one cell of each is read; whatever the room,
 * the assignment is the same.
 */
static void args_stay(void **state)
{
	static const int32_t domains[] = {8, 3, 2};
	static const int32_t n_vars[] = {9, 15, 24};
	const size_t kind = (size_t)(uintptr_t)*state;
	struct gpube_network net = {.topology = GPUBE_NETWORK_RANDOM,
		.n_vars = n_vars[kind],
		.domain = domains[kind],
		.density = 1,
		.max_cost = 100,
		.seed = 1 + kind};
	struct gpube_ops device = *gpube__ops_cpu();
	const struct gpube_be_sides host = {{gpube__ops_cpu(), NULL}, NULL, NULL};
	const struct gpube_be_sides there = {{&device, NULL}, NULL, NULL};
	struct gpube__layout l;
	struct gpube_working w;
	struct gpube_model *m;
	struct gpube_be be;
	int32_t order[32], values[32], same[32];
	int64_t optimum;
	uint64_t all;
	int n_placed = 0;

	device.contract = contract;
	device.alloc_block = alloc_block;
	device.memory = memory;
	assert_int_equal(gpube__generate(&m, ctx, &net), 0);
	for (int32_t i = 0; i < m->n_vars; i++)
		order[i] = i;
	assert_int_equal(gpube__be_init(&be, m, order), 0);
	assert_int_equal(gpube__be_working(&w, &be), 0);
	assert_int_equal(gpube__be_run(&optimum, values, NULL, &be, &host, &w, 0, false, NULL), 0);
	refuses = false;
	assert_int_equal(gpube__be_layout(&l, &be, w.type, false, true, UINT64_MAX), 0);
	for (int32_t p = 0; p < be.n; p++)
		n_placed += l.args_at[p] != GPUBE__NO_PLACE;
	assert_true(n_placed > 0);
	all = l.bytes + l.bytes / 16 + (1 << 20);
	for (int k = 0; k <= 8; k += 4) {
		memory_bytes = all * (uint64_t)k / 8;
		n_args = n_args_inside = 0;
		assert_int_equal(
			gpube__be_run(&optimum, same, NULL, &be, &there, &w, 0, false, NULL), 0);
		assert_memory_equal(same, values, (size_t)m->n_vars * sizeof(*values));
		assert_true(k > 0 || n_args_inside == 0);
		assert_true(n_args_inside < n_args);
		assert_true(k < 8 || n_args_inside == n_placed);
	}
	gpube__layout_clear(&l, ctx);
	gpube__be_clear(&be);
	gpube_model_free(m);
}

int main(int argc, char **argv)
{
	struct cases c = {0};

	add_numbers(&c, any_lifetimes, N_RANDOM, "lifetimes");
	add_numbers(&c, trees, N_RANDOM, "tree");
	add_numbers(&c, little_is_wasted, N_NETWORKS, "network");
	add_numbers(&c, in_a_block, 4, "in a block");
	add_numbers(&c, args_stay, 3, "arg-mins stay");
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return run_cases(&c, "layout", ctx_setup, ctx_teardown);
}
