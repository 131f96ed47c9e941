/*
 * gpube_solve() on the GPU against the CPU: networks that fit, with their buckets dealt out to the
 * CPU and the GPU, shared out over two contexts of one GPU, and in slices where the device, or
 * neither it nor the host, has room. Skipped as a whole without a device, unless GPUBE_REQUIRE_GPU
 * is set.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

#include "gpube/ops/rates.h"
#include "gpube/eliminate/be.h"
#include "gpube/ir/generate.h"
#include "gpube/ops/ops.h"

#include <string.h>

enum { N_RANDOM = 120, N_NETWORKS = 12, N_DEALT = 12, N_SHARED = 6, N_SLICED = 16 };

/* Pieces of two tables, contiguous, strided and empty, as the CPU gathers them. */
static void gathers(void **state)
{
	int status;
	const struct gpube_ops *ops = gpube__ops_cuda(ctx, &status), *cpu = gpube__ops_cpu();
	enum { N = 5000 };

	for (size_t size = 4; size <= 8; size += 4) {
		char *table = gpube__alloc(ctx, N, size), *copy = ops->alloc(ctx, N * size);
		int64_t got[400], want[400];
		struct gpube_cells there[4] = {{copy, 0, 1, 100}, {copy, 17, 49, 100},
			{copy, 5, 1, 0}, {copy, N - 1, -7, 90}};
		struct gpube_cells here[4];

		(void)state;
		assert_non_null(table);
		assert_non_null(copy);
		for (size_t i = 0; i < N * size; i++)
			table[i] = (char)(i * 2654435761u >> 13);
		assert_int_equal(ops->upload(ctx, copy, table, N * size), 0);
		memcpy(here, there, sizeof(here));
		for (int k = 0; k < 4; k++)
			here[k].values = table;
		memset(got, 1, sizeof(got));
		memset(want, 1, sizeof(want));
		assert_int_equal(ops->gather(ctx, got, 4, there, size), 0);
		assert_int_equal(cpu->gather(ctx, want, 4, here, size), 0);
		assert_memory_equal(got, want, sizeof(got));
		gpube__free(ctx, table);
		ops->free(ctx, copy);
	}
}

static struct gpube_solution *solve(
	struct gpube_model *m, enum gpube_backend backend, int count, int no_simplify)
{
	struct gpube_opts opts = {.method = GPUBE_BOUND_ELIMINATE,
		.backend = backend,
		.count = count,
		.no_simplify = no_simplify,
		.order_method = GPUBE_ORDER_MIN_FILL,
		.no_slices = 1};
	struct gpube_solution *s;

	if (gpube_solve(&s, m, &opts))
		fail_msg("%s", gpube_error(m->ctx));
	return s;
}

static void agree(struct gpube_model *m, int no_simplify)
{
	struct gpube_solution *cpu = solve(m, GPUBE_BACKEND_CPU, 1, no_simplify);
	struct gpube_solution *gpu = solve(m, GPUBE_BACKEND_CUDA, 1, no_simplify);

	assert_int_equal(cpu->answer, gpu->answer);
	if (cpu->answer == GPUBE_ANSWER_OPTIMAL) {
		assert_true(cpu->cost == gpu->cost);
		assert_string_equal(cpu->count, gpu->count);
	}
	gpube_result_free(cpu);
	gpube_result_free(gpu);
}

static void random_models(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_model *m = random_model(ctx, &spec, seed);

	assert_non_null(m);
	agree(m, seed % 2 != 0);
	gpube_model_free(m);
}

/* Networks with tables of 10^5 to 10^7 cells. */
static void networks(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_network network = {
		.topology = seed % 2 ? GPUBE_NETWORK_RANDOM : GPUBE_NETWORK_GRID,
		.n_vars = seed % 2 ? 18 : 64,
		.domain = 4 + (int32_t)(seed % 3),
		.density = 0.35,
		.tightness = 0.05 * (double)(seed % 5),
		.max_cost = 100,
		.seed = seed};
	struct gpube_model *m;

	assert_int_equal(gpube__generate(&m, ctx, &network), 0);
	agree(m, 1);
	gpube_model_free(m);
}

static struct gpube_model *small_network(struct gpube_ctx *c, uint64_t seed)
{
	struct gpube_network network = {
		.topology = seed % 2 ? GPUBE_NETWORK_RANDOM : GPUBE_NETWORK_GRID,
		.n_vars = seed % 2 ? 16 : 49,
		.domain = 4,
		.density = 0.35,
		.tightness = 0.05 * (double)(seed % 3),
		.max_cost = 100,
		.seed = seed};
	struct gpube_model *m;

	assert_int_equal(gpube__generate(&m, c, &network), 0);
	return m;
}

/* A table too large for the device is refused, and what fits is not. */
static void refuses(void **state)
{
	struct gpube_opts opts = {.device_memory_bytes = 1 << 20};
	const struct gpube_ops *ops;
	struct gpube_ctx *own;
	int status;
	void *p;

	(void)state;
	assert_int_equal(gpube_ctx_new(&own, &opts), 0);
	ops = gpube__ops_cuda(own, &status);
	assert_non_null(ops);
	assert_null(ops->alloc(own, 4 << 20));
	assert_non_null(strstr(gpube_error(own), "no room for a table of"));
	p = ops->alloc(own, 512 << 10);
	assert_non_null(p);
	ops->free(own, p);
	gpube_ctx_free(own);
}

/* Every bucket on a side by lot: messages cross both ways, and are read off on both. */
static void dealt_out(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	int status;
	const struct gpube_be_sides alone = {{gpube__ops_cpu(), NULL}, NULL, NULL};
	struct gpube_be_sides both = {
		{gpube__ops_cpu(), gpube__ops_cuda(ctx, &status)}, NULL, NULL};
	struct gpube_model *m = small_network(ctx, seed);
	struct gpube_be_times times = {NULL, 0, 0};
	struct gpube_be be;
	struct gpube_working w;
	struct gpube_rng rng;
	int32_t order[64], values[64];
	uint8_t side[64];
	double seconds[64] = {0};
	int64_t optimum[2], cost;

	gpube__rng_init(&rng, seed);
	for (int32_t i = 0; i < m->n_vars; i++) {
		order[i] = i;
		side[i] = (uint8_t)gpube__rng_below(&rng, 2);
	}
	side[0] = 1;
	both.side = side;
	times.buckets = seconds;
	assert_int_equal(gpube__be_init(&be, m, order), 0);
	assert_int_equal(gpube__be_working(&w, &be), 0);
	assert_int_equal(
		gpube__be_run(&optimum[0], values, NULL, &be, &alone, &w, 0, true, NULL), 0);
	for (int keep = 0; keep < 2; keep++) {
		if (gpube__be_run(&optimum[1], values, NULL, &be, &both, &w, 0, keep, &times))
			fail_msg("%s", gpube_error(ctx));
		assert_true(optimum[1] == optimum[0]);
		if (optimum[1] != GPUBE_INF) {
			assert_int_equal(gpube_model_cost(&cost, m, values), 0);
			assert_true(cost == optimum[1]);
		}
		assert_true(times.copying > 0);
		for (int32_t p = 0; p < be.n; p++)
			assert_true(seconds[p] > 0);
	}
	gpube__be_clear(&be);
	gpube_model_free(m);
}

/* Cards so slow that all that are named are worth opening. */
static void slow_cards(struct gpube_ctx *own)
{
	struct gpube_rates rates;

	gpube__rates_estimate(&rates, own->n_threads);
	for (int k = 0; k < GPUBE_MAX_DEVICES; k++)
		rates.devices[k].add_min_int32 = rates.devices[k].add_min_int64 = 1e3;
	assert_int_equal(gpube__rates_set(own, &rates), 0);
}

/* The same device twice stands for two. */
static void shared_out(void **state)
{
	struct gpube_opts opts = {.n_devices = 2};
	struct gpube_opts how = {
		.method = GPUBE_BOUND_ELIMINATE, .backend = GPUBE_BACKEND_CUDA, .no_simplify = 1};
	struct gpube_ctx *own;
	struct gpube_model *m;
	struct gpube_solution *alone, *s;

	assert_int_equal(gpube_ctx_new(&own, &opts), 0);
	slow_cards(own);
	m = small_network(own, (uint64_t)(uintptr_t)*state);
	alone = solve(m, GPUBE_BACKEND_CPU, 0, 1);
	if (gpube_solve(&s, m, &how))
		fail_msg("%s", gpube_error(own));
	assert_true(s->plan.n_slices >= 8);
	assert_int_equal(s->answer, alone->answer);
	if (s->answer == GPUBE_ANSWER_OPTIMAL)
		assert_true(s->cost == alone->cost);
	gpube_result_free(alone);
	gpube_result_free(s);
	gpube_model_free(m);
	gpube_ctx_free(own);
}

/*
 * The device has no room, nor has the host, but for the last seeds; on one device, and on the same
 * one twice. ASIDE: for what a device holds besides tables.
 */
#define ASIDE (3 << 20)
static void sliced(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_opts how = {.method = GPUBE_BOUND_ELIMINATE,
		.backend = GPUBE_BACKEND_CUDA,
		.no_simplify = 1,
		.order_method = GPUBE_ORDER_MIN_FILL,
		.count = seed % 4 == 2};
	struct gpube_network network = {.topology = GPUBE_NETWORK_RANDOM,
		.n_vars = 12,
		.domain = 10,
		.density = 0.7,
		.tightness = seed % 3 ? 0 : 0.2,
		.max_cost = 100,
		.seed = seed};
	struct gpube_opts opts = {.n_devices = 1 + (int)(seed % 2)};
	struct gpube_ctx *own;
	struct gpube_model *m;
	struct gpube_solution *whole, *s;

	assert_int_equal(gpube__generate(&m, ctx, &network), 0);
	whole = solve(m, GPUBE_BACKEND_CPU, how.count, 1);
	opts.memory_bytes = seed < 12 ? 16 << 10 : 0;
	opts.device_memory_bytes =
		ASIDE + (uint64_t)(whole->plan.peak_bytes / (seed / 2 % 2 ? 4 : 15));
	assert_int_equal(gpube_ctx_new(&own, &opts), 0);
	slow_cards(own);
	gpube_model_free(m);
	assert_int_equal(gpube__generate(&m, own, &network), 0);
	if (gpube_solve(&s, m, &how))
		fail_msg("%s", gpube_error(own));
	assert_true(s->plan.n_slices > 1);
	assert_int_equal(s->answer, whole->answer);
	if (s->answer == GPUBE_ANSWER_OPTIMAL) {
		assert_true(s->cost == whole->cost);
		if (how.count)
			assert_string_equal(s->count, whole->count);
	}
	gpube_result_free(s);
	gpube_model_free(m);
	gpube_ctx_free(own);
	gpube_result_free(whole);
}

int main(void)
{
	struct cases c = {0};
	int status;
	const struct gpube_ops *ops;

	if (ctx_setup(NULL))
		return 1;
	ops = gpube__ops_cuda(ctx, &status);
	add_case(&c, device_opens, NULL, "device");
	if (ops) {
		ADD_CASE(&c, gathers);
		ADD_CASE(&c, refuses);
		add_numbers(&c, random_models, N_RANDOM, "model");
		add_numbers(&c, networks, N_NETWORKS, "network");
		add_numbers(&c, dealt_out, N_DEALT, "dealt");
		add_numbers(&c, shared_out, N_SHARED, "shared");
		add_numbers(&c, sliced, N_SLICED, "sliced");
	}
	return run_cases(&c, "solve on the GPU", NULL, ctx_teardown);
}
