/* Bucket elimination on hand-made models whose answers are known. Random models: test_solve.c. */
#include "tests/support/test.h"

#include "gpube/eliminate/be_blocks.h"
#include "gpube/eliminate/be.h"
#include "gpube/eliminate/count.h"
#include "gpube/eliminate/be_args.h"
#include "tests/support/context.h"

static struct gpube_be_sides on_cpu; /* set up with the context */

static int setup(void **state)
{
	on_cpu.ops[0] = gpube__ops_cpu();
	return ctx_setup(state);
}

static struct gpube_model *variables(int n, int domain)
{
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < n; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, domain, NULL), 0);
	return m;
}

/* The answer along the natural order, every way of keeping the assignment. */
static int64_t optimum_of(const struct gpube_model *m, char **count)
{
	struct gpube_be be;
	struct gpube_working w;
	int32_t *order = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*order));
	int32_t *values = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*values));
	int64_t optimum[2], cost;

	for (int32_t i = 0; i < m->n_vars; i++)
		order[i] = i;
	assert_int_equal(gpube__be_init(&be, m, order), 0);
	assert_int_equal(gpube__be_working(&w, &be), 0);
	for (int keep = 0; keep < 2; keep++) {
		assert_int_equal(gpube__be_run(&optimum[keep], values, NULL, &be, &on_cpu, &w, 0,
					 keep, NULL),
			0);
		if (optimum[keep] != GPUBE_INF) {
			assert_int_equal(gpube_model_cost(&cost, m, values), 0);
			assert_true(cost == optimum[keep]);
		}
	}
	assert_true(optimum[0] == optimum[1]);
	if (count) {
		struct gpube__natural number;

		assert_int_equal(gpube__be_count(&number, &be, &on_cpu, &w), 0);
		*count = gpube__natural_text(&number);
		assert_non_null(*count);
		gpube__natural_clear(&number);
	}
	gpube__be_clear(&be);
	gpube__free(ctx, order);
	gpube__free(ctx, values);
	return optimum[0];
}

static void check_count(int n, int domain, const char *expected)
{
	struct gpube_model *m = variables(n, domain);
	char *count;

	assert_true(optimum_of(m, &count) == 0);
	assert_string_equal(count, expected);
	gpube__free(ctx, count);
	gpube_model_free(m);
}

static void count_one(void **state)
{
	(void)state;
	check_count(0, 1, "1");
}

static void count_2_63(void **state)
{
	(void)state;
	check_count(63, 2, "9223372036854775808");
}

static void count_2_64_does_not_wrap(void **state)
{
	(void)state;
	check_count(64, 2, "18446744073709551616");
}

static void count_3_100(void **state)
{
	(void)state;
	check_count(100, 3, "515377520732011331036461129765621272702107522001");
}

/*
 * A chain x0 != x1 != … of n binary variables has two solutions; disequality is forbidden tuples.
 */
static void chain_of_disequalities(void **state)
{
	struct gpube_model *m = variables(50, 2);
	const int64_t differ[] = {GPUBE_INF, 0, 0, GPUBE_INF};
	char *count;

	(void)state;
	for (int i = 0; i + 1 < 50; i++)
		assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i + 1, i}, differ), 0);
	assert_true(optimum_of(m, &count) == 0);
	assert_string_equal(count, "2");
	gpube__free(ctx, count);
	assert_int_equal(gpube_model_add_costs(
				 m, 2, (int32_t[]){0, 48}, (int64_t[]){GPUBE_INF, 0, 0, GPUBE_INF}),
		0);
	assert_true(optimum_of(m, &count) == GPUBE_INF);
	assert_string_equal(count, "0");
	gpube__free(ctx, count);
	gpube_model_free(m);
}

static void top_forbids(void **state)
{
	struct gpube_model *m = variables(2, 2);

	(void)state;
	assert_int_equal(gpube_model_add_costs(m, 1, (int32_t[]){0}, (int64_t[]){3, 5}), 0);
	assert_int_equal(gpube_model_add_costs(m, 1, (int32_t[]){1}, (int64_t[]){4, 9}), 0);
	assert_int_equal(gpube_model_set_top(m, 8), 0);
	assert_true(optimum_of(m, NULL) == 7);
	assert_int_equal(gpube_model_set_top(m, 7), 0);
	assert_true(optimum_of(m, NULL) == GPUBE_INF);
	gpube_model_free(m);
}

/*
 * 32 bits while all sums fit, 64 past it, refused past 2^63: one bucket of two
 * tables, whose finite sums stay below top, but two forbidden cells make 2 top.
 */
static void working_type(void **state)
{
	static const struct {
		int64_t best, cost;
		int status;
		enum gpube_type type;
	} cases[] = {
		{0, INT32_MAX / 2, 0, GPUBE_INT32},
		{0, INT32_MAX / 2 + 1, 0, GPUBE_INT64},
		{0, INT64_MAX / 2, 0, GPUBE_INT64},
		{0, INT64_MAX / 2 + 1, GPUBE_ERANGE, GPUBE_INT64},
		{GPUBE_INF, (INT32_MAX / 2 - 1) / 2, 0, GPUBE_INT32},
		{GPUBE_INF, INT32_MAX / 4 + 2, 0, GPUBE_INT64},
		{GPUBE_INF, INT64_MAX / 4 - 2, 0, GPUBE_INT64},
		{GPUBE_INF, INT64_MAX / 4 + 2, GPUBE_ERANGE, GPUBE_INT64},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct gpube_model *m = variables(1, 2);
		struct gpube_be be;
		struct gpube_working w;
		const int64_t costs[] = {cases[i].best, cases[i].cost};

		assert_int_equal(gpube_model_add_costs(m, 1, (int32_t[]){0}, costs), 0);
		assert_int_equal(gpube_model_add_costs(m, 1, (int32_t[]){0}, costs), 0);
		assert_int_equal(gpube__be_init(&be, m, (int32_t[]){0}), 0);
		assert_int_equal(gpube__be_working(&w, &be), cases[i].status);
		if (!cases[i].status)
			assert_int_equal(w.type, cases[i].type);
		gpube__be_clear(&be);
		gpube_model_free(m);
	}
}

/* Arg-mins packed into 1, 2, 4, 8 and 16 bits come back as they were. */
static void domains_of_every_width(void **state)
{
	static const int domains[] = {2, 3, 4, 5, 16, 17, 256, 257, 1000};

	(void)state;
	for (size_t i = 0; i < sizeof(domains) / sizeof(*domains); i++) {
		int d = domains[i];
		struct gpube_model *m = variables(3, d);
		int64_t *costs = gpube__alloc(ctx, (uint64_t)d * (uint64_t)d, sizeof(*costs));

		for (int a = 0; a < d; a++) /* least where the sum is d - 1 */
			for (int b = 0; b < d; b++)
				costs[a * d + b] = a + b == d - 1 ? 0 : 1 + (a * 7 + b) % 5;
		assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){0, 1}, costs), 0);
		assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){2, 1}, costs), 0);
		for (int a = 0; a < d; a++)
			costs[a] = a == d - 1 ? 0 : 1;
		assert_int_equal(gpube_model_add_costs(m, 1, (int32_t[]){0}, costs), 0);
		assert_true(optimum_of(m, NULL) == 0);
		gpube__free(ctx, costs);
		gpube_model_free(m);
	}
}

/* The plan of a 3-clique: sizes, inputs and both ways of holding the memory. */
static void plan_of_a_triangle(void **state)
{
	struct gpube_model *m = variables(3, 4);
	const int64_t costs[16] = {1};
	struct gpube_be be;
	struct gpube_be_memory memory;
	double loaded;

	(void)state;
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){0, 1}, costs), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){1, 2}, costs), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){2, 0}, costs), 0);
	assert_int_equal(gpube__be_init(&be, m, (int32_t[]){0, 1, 2}), 0);
	assert_int_equal(be.buckets[0].n_in, 2);
	assert_int_equal(be.buckets[0].n_scope, 2);
	assert_int_equal(be.buckets[0].consumer, 1);
	assert_int_equal(be.buckets[1].n_in, 2);
	assert_int_equal(be.buckets[2].consumer, -1);
	assert_true(
		be.buckets[0].cells == 16 && be.buckets[1].cells == 4 && be.buckets[2].cells == 1);
	assert_true(be.buckets[0].joined == 64);
	gpube__be_memory(&memory, &be, GPUBE_INT32);
	/* all functions are held at once, each in 256 bytes, and once more while they are staged */
	loaded = 2 * 3 * 256;
	assert_true(memory.keep == loaded + 4 * (16 + 4 + 1));
	/*
	 * bucket 0 has functions alone; 1: two messages, 4 arg-mins in 2 bits each, twice a byte
	 * each
	 */
	assert_false(gpube__be_stores_args(&be, 0, GPUBE_INT32));
	assert_true(gpube__be_stores_args(&be, 1, GPUBE_INT32));
	assert_true(memory.args == loaded + 4 * (16 + 4) + 1 + 2 * 4);
	/* bucket 1: two messages, with counts of 8 bytes */
	assert_true(memory.count == loaded + (4 + 8) * (16 + 4));
	gpube__be_clear(&be);
	gpube_model_free(m);
}

/* A function of two variables, whose costs are all over the place. */
static void add_pair(struct gpube_model *m, int a, int b)
{
	const int64_t n = (int64_t)m->vars[a].domain * m->vars[b].domain;
	int64_t *costs = gpube__alloc(ctx, (uint64_t)n, sizeof(*costs));

	for (int64_t k = 0; k < n; k++)
		costs[k] = (k * 7919 + b * 104729 + a * 31) % 1009;
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){a, b}, costs), 0);
	gpube__free(ctx, costs);
}

/* Both ways of keeping the assignment lead to the same one. */
static void check_both_ways(const struct gpube_be *be, const struct gpube_working *w)
{
	int64_t optimum[2];
	int32_t values[2][5];

	for (int keep = 0; keep < 2; keep++)
		assert_int_equal(gpube__be_run(&optimum[keep], values[keep], NULL, be, &on_cpu, w,
					 0, keep, NULL),
			0);
	assert_true(optimum[0] == optimum[1]);
	assert_memory_equal(values[0], values[1], (size_t)be->n * sizeof(int32_t));
}

/* Arg-mins of 1, 2 and 4 bits, as many as several threads' pieces and a few, are read again. */
static void packed_arg_mins(void **state)
{
	static const int64_t n_of[] = {0, 1, 7, 8, 9, (1 << 18) - 1, 1 << 18, (3 << 18) + 13};
	uint8_t *args = malloc((3 << 18) + 13), *packed = malloc((3 << 17) + 64);

	(void)state;
	assert_non_null(args);
	assert_non_null(packed);
	for (int bits = 1; bits <= 4; bits *= 2)
		for (size_t i = 0; i < sizeof(n_of) / sizeof(*n_of); i++) {
			const int64_t n = n_of[i], bytes = (n * bits + 7) / 8;
			int64_t wrong = 0;

			for (int64_t k = 0; k < n; k++)
				args[k] =
					(uint8_t)((uint64_t)k * 0x9e3779b97f4a7c15u >> (64 - bits));
			memset(packed + bytes, 0xa5, 8);
			gpube__args_pack(ctx, packed, args, n, bits);
			for (int64_t k = 0; k < n; k++)
				wrong += gpube__args_at(packed, k, bits) != args[k];
			assert_int_equal(wrong, 0);
			for (int k = 0; k < 8; k++)
				assert_int_equal(packed[bytes + k], 0xa5);
		}
	free(args);
	free(packed);
}

/*
 * Bucket 1 gets a message, and its 105 arg-mins are stored in as many bits as its domain needs;
 * bucket 0 has functions alone. The assignment is that of keeping all messages.
 */
static void stored_arg_mins(void **state)
{
	static const int32_t widths[] = {2, 3, 4, 5, 16, 17, 256, 300};

	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		const int32_t domains[] = {2, widths[i], 3, 5, 7};
		struct gpube_model *m;
		struct gpube_be be;
		struct gpube_working w;

		assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
		for (int v = 0; v < 5; v++)
			assert_int_equal(gpube_model_add_var(m, NULL, domains[v], NULL), 0);
		for (int v = 0; v < 4; v++)
			for (int u = v + 1; u < 5; u++)
				add_pair(m, v, u);
		assert_int_equal(gpube__be_init(&be, m, (int32_t[]){0, 1, 2, 3, 4}), 0);
		assert_int_equal(gpube__be_working(&w, &be), 0);
		assert_false(gpube__be_stores_args(&be, 0, w.type));
		assert_true(gpube__be_stores_args(&be, 1, w.type));
		check_both_ways(&be, &w);
		gpube__be_clear(&be);
		gpube_model_free(m);
	}
}

/* In a chain of domains 2, 2, 300 the message into bucket 1 is smaller than its arg-mins. */
static void smaller_messages_are_kept(void **state)
{
	static const int32_t domains[] = {2, 2, 300, 300};
	struct gpube_model *m;
	struct gpube_be be;
	struct gpube_working w;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int v = 0; v < 4; v++)
		assert_int_equal(gpube_model_add_var(m, NULL, domains[v], NULL), 0);
	for (int v = 0; v < 3; v++)
		add_pair(m, v, v + 1);
	assert_int_equal(gpube__be_init(&be, m, (int32_t[]){0, 1, 2, 3}), 0);
	assert_int_equal(gpube__be_working(&w, &be), 0);
	assert_false(gpube__be_stores_args(&be, 1, w.type));
	assert_true(gpube__be_stores_args(&be, 2, w.type));
	check_both_ways(&be, &w);
	gpube__be_clear(&be);
	gpube_model_free(m);
}

/*
 * A message of the same size gets the block, and spare ones never add to what was in use at once.
 */
static void blocks_wait_for_the_next(void **state)
{
	const uint64_t large = 4 << 20, small = 1000;
	struct gpube__blocks b = {0};
	void *first, *second, *other;

	(void)state;
	first = gpube__blocks_take(&b, ctx, large);
	gpube__blocks_give(&b, ctx, first, large);
	assert_true(b.used == 0 && b.most == large && b.spare_bytes == large);
	second = gpube__blocks_take(&b, ctx, large);
	assert_ptr_equal(second, first);
	assert_true(b.n == 0 && b.spare_bytes == 0);
	other = gpube__blocks_take(&b, ctx, small);
	gpube__blocks_give(&b, ctx, other, small);
	assert_int_equal(b.n, 0); /* too small to wait */
	gpube__blocks_give(&b, ctx, second, large);
	other = gpube__blocks_take(&b, ctx, large / 2);
	assert_true(b.n == 0 && b.used == large / 2 && b.most == large + small);
	gpube__blocks_give(&b, ctx, other, large / 2);
	gpube__blocks_add(&b, ctx, large / 2 + small);
	assert_int_equal(b.n, 1);
	gpube__blocks_add(&b, ctx, 1);
	assert_int_equal(b.n, 0);
	for (int k = 0; k < GPUBE__SPARE_BLOCKS + 3; k++)
		gpube__blocks_add(&b, ctx, large);
	b.used = 0;
	for (int k = 0; k < GPUBE__SPARE_BLOCKS + 3; k++) {
		other = gpube__ops_cpu()->alloc(ctx, large + (uint64_t)k);
		assert_non_null(other);
		b.used += large + (uint64_t)k;
		gpube__blocks_give(&b, ctx, other, large + (uint64_t)k);
	}
	assert_int_equal(b.n, GPUBE__SPARE_BLOCKS);
	gpube__blocks_clear(&b, ctx);
	assert_true(b.n == 0 && b.spare_bytes == 0);
}

/*
 * Four messages of 1 MiB at the start, and arg-mins of 2.5 MiB at the end: messages in one block
 * leave no room for these where the memory is as small as the plan's peak.
 */
static void a_block_has_room_beside_the_peak(void **state)
{
	enum { LEAVES = 4, CHAIN = 40, N = LEAVES + CHAIN + 2, Y = N - 2, Z };
	const uint64_t memory_bytes = ctx->memory_bytes;
	struct gpube_be_memory memory;
	int32_t order[N], values[N];
	struct gpube_model *m;
	struct gpube_be be;
	struct gpube_working w;
	int64_t optimum[2];

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int v = 0; v < N; v++) {
		order[v] = v;
		assert_int_equal(gpube_model_add_var(m, NULL,
					 v < LEAVES ? 2
					 : v < Y    ? 4
						    : 256,
					 NULL),
			0);
	}
	for (int v = 0; v < Y; v++) {
		if (v < LEAVES || v + 1 < Y)
			add_pair(m, v, v < LEAVES ? LEAVES : v + 1);
		add_pair(m, v, Y);
		add_pair(m, v, Z);
	}
	assert_int_equal(gpube__be_init(&be, m, order), 0);
	assert_int_equal(gpube__be_working(&w, &be), 0);
	gpube__be_memory(&memory, &be, w.type);
	for (int roomy = 0; roomy < 2; roomy++) {
		struct gpube__blocks blocks = {0};
		struct gpube_be_sides sides = on_cpu;

		sides.blocks = &blocks;
		ctx->memory_bytes = (uint64_t)memory.args * (roomy ? 3 : 1);
		assert_int_equal(gpube__be_run(&optimum[roomy], values, NULL, &be, &sides, &w, 0,
					 false, NULL),
			0);
		assert_true(roomy == ((double)blocks.most > memory.args));
		gpube__blocks_clear(&blocks, ctx);
	}
	ctx->memory_bytes = memory_bytes;
	assert_true(optimum[0] == optimum[1]);
	gpube__be_clear(&be);
	gpube_model_free(m);
}

static void stop_ends_the_run(void **state)
{
	struct gpube_model *m = variables(2, 2);
	struct gpube_be be;
	struct gpube_working w;
	int64_t optimum;

	(void)state;
	assert_int_equal(gpube__be_init(&be, m, (int32_t[]){0, 1}), 0);
	assert_int_equal(gpube__be_working(&w, &be), 0);
	gpube_ctx_stop(ctx);
	assert_int_equal(
		gpube__be_run(&optimum, NULL, NULL, &be, &on_cpu, &w, 0, true, NULL), GPUBE_ESTOP);
	gpube_ctx_resume(ctx);
	gpube__be_clear(&be);
	gpube_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(count_one),
		cmocka_unit_test(count_2_63),
		cmocka_unit_test(count_2_64_does_not_wrap),
		cmocka_unit_test(count_3_100),
		cmocka_unit_test(chain_of_disequalities),
		cmocka_unit_test(top_forbids),
		cmocka_unit_test(working_type),
		cmocka_unit_test(domains_of_every_width),
		cmocka_unit_test(plan_of_a_triangle),
		cmocka_unit_test(blocks_wait_for_the_next),
		cmocka_unit_test(packed_arg_mins),
		cmocka_unit_test(stored_arg_mins),
		cmocka_unit_test(smaller_messages_are_kept),
		cmocka_unit_test(a_block_has_room_beside_the_peak),
		cmocka_unit_test(stop_ends_the_run),
	};

	return cmocka_run_group_tests(tests, setup, ctx_teardown);
}
